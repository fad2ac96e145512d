# kernels: 2
# GEMVER, larger than the second cache: on an H200 the second kernel reads as many rows at once as
# the first, and so is worth its place in the launch.
n = 5500;
A = rand(n, n); A[1, 1] = 0; u = rand(n); u[1] = 0; y = rand(n); y[1] = 0;
z = rand(n); z[1] = 0; v = rand(n); v[1] = 0;
begin
  B = A + u*z' + y*v';
  x = 0.25*B'*y + z;
  w = 0.5*B*x;
end
:plan dump
