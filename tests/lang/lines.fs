# What a kernel over rows does with columns of numbers, before, in and after its walk
# over the rows: as what separate kernels make of it. Integers, so that sums are exact.
m = 2500; n = 40;
i = floor(10*rand(m)); j = floor(10*rand(n)); A = floor(4*rand(m, n)) - 1;
function same(a, b)
  return max(abs(a - b)) == 0
end
:fuse r c w z t b k h d e
begin
  w = 2*i - 3;
  r = A*j;
  c = A'*w;
  z = r .* w + i;
  t = z + 1;
  b = sum(w);
  k = max(r) + min(i);
  h = (z - r .* w)'*i;
  d = A + w;
  e = sum(abs(A + z), 2);
end
w1 = 2*i; w1 = w1 - 3; r1 = A*j; c1 = A'*w1;
print(same(w, w1), " ", same(r, r1), " ", same(c, c1), " ", b - sum(w1), " ", k - max(r1) - min(i))   # expect: true true true 0 0
z1 = r1 .* w1; z1 = z1 + i; d1 = A + w1; e1 = A + z1; e1 = abs(e1); e1 = sum(e1, 2);
print(same(z, z1), " ", same(t, z1 + 1), " ", same(d, d1), " ", same(e, e1), " ", h - i'*i)   # expect: true true true true 0
# So is a line over columns that only results want: it is made with the first rows.
x = floor(8*rand(n)) / 8; y = floor(16*rand(n)) / 16;
u = tanh(x - 0.5*y); v = max(x, 0.5) - y;
:fuse p q s
begin
  p = tanh(x - 0.5*y);
  q = A*y;
  s = max(x, 0.5) - y;
end
print(same(p, u), " ", same(s, v), " ", same(q, A*y))   # expect: true true true
