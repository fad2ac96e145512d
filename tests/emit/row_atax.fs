# A row and its sum: the row stays on chip.
# devices: h200 a100
A = f32(rand(600, 16384)); x = f32(rand(16384));
begin
  y = A'*(A*x);
end
:dump code
