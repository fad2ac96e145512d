# Integers of 64 bits without a sign, and what floats and others become.
# devices: h200
n = 1000000; a = u64(1:n); b = u64(mod(1:n, 70)); x = f64(1:n); i = 1:n;
begin
  p = bitxor(shr(a, 33), a) .* 3 + idiv(a, b);
  q = mod(a, b) > i;
  r = u64(x*1e15);
  s = max(a);
  t = f32(a)/3;
end
:dump code
