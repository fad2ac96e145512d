# What stands twice is computed once in a kernel, also where it has numbers in it: those of
# the source, for a variable may be another number the next time.
# kernels: 1
# schemes: flat
x = rand(4096);
normal(z) = 0.5*erfc(-z/sqrt(2))
a = 0.3;
begin
  y = normal(x - 0.3*x.^2) - exp(-2*x).*normal(0.3*x.^2);
  z = exp(-2*x) - a*x.^2;
end
:plan dump
