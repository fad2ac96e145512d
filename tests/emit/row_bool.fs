# Whether all, whether any.
# devices: h200
A = f32(rand(3000, 400)); M = A > 0.5;
begin
  k = all(M, 2);
  e = any(M, 1);
end
:dump code
