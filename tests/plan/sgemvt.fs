# SGEMVT: the second product needs all of the first; A is read twice.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0;
z = rand(400); z[1] = 0; y = rand(600); y[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  x = beta*A'*y + z;
  w = alpha*A*x;
end
:plan dump
