# Columns wait in registers and shared memory for their sums.
# devices: h200
A = f32(rand(40001, 1024));
begin
  D = A + sum(A, 1);
end
:dump code
