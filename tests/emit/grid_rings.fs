# Rings in several phases of a launch.
# devices: h200
A = f32(rand(4096, 4096)); p = f32(rand(4096)); x = f32(rand(4096));
:strategy minsync
begin
  q = A*p;
  y = A'*q;
  w = A*y;
  v = A'*(A*w);
end
:strategy smart
:dump code
