# Rows walked in chunks.
# devices: h200 a100
A = f32(rand(100, 65536)); x = f32(rand(65536));
begin
  q = A*x;
end
:pin 1 scheme=row
begin
  q = A*x;
end
:dump code
