# map with a lambda.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0; y = rand(4096); y[1] = 0;
begin
  z = map((a, b) -> a^2 + sin(a)*b, x, y);
  m = reduce("max", z);
end
:plan dump
