# Operations on bits, and whole quotients.
# devices: h200
n = 1000000; a = u8(mod(1:n, 251)); b = i32(1:n); c = u32(1:n);
begin
  p = bitxor(shl(a, 3), shr(a, 5));
  q = idiv(b, 7) + popcount(b);
  r = bitand(bitnot(c), 255);
end
:dump code
