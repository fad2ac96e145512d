# Tiles that threads turn in registers.
# devices: h200 h100 a100
A = f32(rand(4096, 4096)); C = f32(rand(4096, 4096));
begin
  B = A' + C;
end
:dump code
