# Elimination.
# devices: h200 a100
x = rand(70000); A = rand(700, 700);
for k = 1:60
  A[k+1:end, k] = A[k+1:end, k]/A[k, k];
  A[k+1:end, k+1:end] -= A[k+1:end, k]*A[k, k+1:end];
end
:dump code
