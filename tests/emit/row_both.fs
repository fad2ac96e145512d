# Sums over columns and over all.
# devices: h200
A = f32(rand(2001, 2048)); C = f32(rand(2001, 2048));
begin
  s = sum(A .* C, 1);
  t = max(A);
end
:dump code
