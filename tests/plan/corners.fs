# Neighbours at corners, kept inside by a condition: a stencil, one kernel, no list.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0;
B = zeros(600, 400);
forall i = 1:600, j = 1:400
  s = A[i, j];
  if i > 1 && j > 1; s += A[i - 1, j - 1]; end
  if i < 600 && j < 400; s += A[i + 1, j + 1]; end
  B[i, j] = s;
end
:plan dump
