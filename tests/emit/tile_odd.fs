# Several tiles a block, through shared memory where vectors do not fit.
# devices: h200 a100
A = f32(rand(1021, 1021)); C = f32(rand(1021, 1021));
begin
  D = A' + C;
end
:pin 1 iterations=4
begin
  D = A' + C;
end
:dump code
