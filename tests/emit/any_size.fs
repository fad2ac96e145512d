# Sizes that change from round to round are arguments.
# devices: h200 a100
A = rand(2000, 2000); k = 0; s = 0;
for k = 1:40
  B = 2*A[k:end, k:end] + 1;
  s = sum(B, 2);
end
:dump code
