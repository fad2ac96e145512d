# Sums of columns and of squares in one pass.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0;
begin
  s = sum(A, 1);
  t = sum(A.^2, 1);
  m = colmax(A);
end
:plan dump
