# Equal numbers of the text are one param, those of variables are not: the exponential is computed once.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0; y = rand(4096); y[1] = 0;
a = 2; b = 2;
begin
  p = 2*x + a*exp(-0.5*x) + b*y;
  q = 2*y - exp(-0.5*x);
end
:plan dump
