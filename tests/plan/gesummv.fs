# GESUMMV: both products in one pass over rows.
# kernels: 1
# schemes: row
A = rand(600, 400); A[1, 1] = 0; B = rand(600, 400); B[1, 1] = 0;
x = rand(400); x[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  y = alpha*A*x + beta*B*x;
end
:plan dump
