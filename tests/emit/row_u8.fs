# Sums of bytes are of 64 bits.
# devices: h200
A = u8(mod((1:3000)*(1:400)', 251));
begin
  s = sum(A, 2);
  t = max(A, 2);
  k = A > 3;
end
:dump code
