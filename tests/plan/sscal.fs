# SSCAL.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  y = alpha*x;
end
:plan dump
