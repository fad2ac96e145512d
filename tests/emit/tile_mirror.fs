# Tiles that mirror each other.
# devices: h200 a100
A = f32(rand(4096, 4096));
begin
  B = A + A';
end
:dump code
