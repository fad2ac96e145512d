# Blocks of a cluster share a row.
# devices: h200 h100
A = f32(rand(266, 33001)); x = f32(rand(33001));
begin
  y = A'*(A*x);
end
:dump code
