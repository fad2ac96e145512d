# Rows of a matrix larger than the cache: the first of them stay there.
# devices: h200 h100 a100
A = f32(rand(16384, 16384)); x = f32(rand(16384));
begin
  y = A*x;
end
:dump code
