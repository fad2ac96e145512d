# Pairs, in strips.
# devices: h200
A = bf16(rand(8192, 8192)); C = bf16(rand(8192, 8192)); u = bf16(rand(8192, 1));
begin
  B = A .* C - u';
end
:pin 1 scheme=row
begin
  B = A .* C - u';
end
:dump code
