# Integers that are computed in wider ones, and what floats become.
# devices: h200
n = 1000000; a = i8(mod(1:n, 100)); b = u16(mod(1:n, 7000)); c = i16(mod(1:n, 7)); d = u32(1:n); x = f32(1:n);
begin
  p = a - i8(c);
  q = u16(b .* b);
  r = c + a;
  s = d + d;
  t = u8(x*0.5);
end
:dump code
