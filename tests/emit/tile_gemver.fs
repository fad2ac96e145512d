# Wide tiles.
# devices: h200 a100
A = f32(rand(3, 70001)); v = rand(70001); u = rand(3);
begin
  q = A*v;
  s = A'*u;
end
:pin 1 scheme=tile
begin
  q = A*v;
  s = A'*u;
end
:dump code
