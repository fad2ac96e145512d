# A name assigned twice is stored once.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0;
begin
  y = x + 1;
  y = 2*y;
  y = y - x;
end
:plan dump
