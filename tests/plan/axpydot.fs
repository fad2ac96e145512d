# AXPYDOT: the dot product is taken as z is made.
# kernels: 1
# schemes: flat
w = rand(4096); w[1] = 0; v = rand(4096); v[1] = 0; u = rand(4096); u[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  z = w - alpha*v;
  r = z'*u;
end
:plan dump
