# SGEMV: scaling and the addition happen at the end of each row.
# kernels: 1
# schemes: row
A = rand(600, 400); A[1, 1] = 0;
x = rand(400); x[1] = 0; y = rand(600); y[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  z = alpha*A*x + beta*y;
end
:plan dump
