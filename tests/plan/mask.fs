# Masks and where.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0;
begin
  y = where(x > 0.5 && x < 0.75, x, 0);
  c = sum(x > 0.5);
end
:plan dump
