# Row sums, column sums and the total in one pass.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0;
begin
  r = sum(A, 2);
  c = sum(A, 1);
  t = sum(A);
end
:plan dump
