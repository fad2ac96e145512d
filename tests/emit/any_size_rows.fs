# Rows that stay on chip, of any size.
# devices: h200 a100
M = rand(3000, 200); M[1, 1] = 0;
for k = 1:30
  P = softmax(M[1:k+1000, 1:k+100]);
end
:dump code
