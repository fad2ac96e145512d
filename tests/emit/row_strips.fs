# Columns cut into strips.
# devices: h200 a100
A = f32(rand(2601, 2043)); u = rand(2601);
begin
  s = A'*u;
end
:pin 1 scheme=row
begin
  s = A'*u;
end
:dump code
