# ATAX: each row of A is used twice while it is on chip.
# kernels: 1
# schemes: row
A = rand(600, 400); A[1, 1] = 0;
x = rand(400); x[1] = 0;
begin
  y = A'*(A*x);
end
:plan dump
