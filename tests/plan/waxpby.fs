# WAXPBY.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0; y = rand(4096); y[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  w = alpha*x + beta*y;
end
:plan dump
