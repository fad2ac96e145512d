# Rows that are replaced by what is read beside them, in a loop.
# devices: h200
A = rand(3000, 4000); A[1, 1] = 0;
for k = 2:20
  A[k, 2:3999] = A[k, 1:3998] + A[k, 3:4000];
  A[k, 1:50] = A[k, 50:-1:1];
end
:dump code
