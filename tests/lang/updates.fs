# A part is replaced by what reads its surroundings: the rest is what it was.
function ok(new, old, where_, part)
  return all(new == where(where_, part, old))
end
function box(m, n, a, b, c, d)
  i = 1:m; j = (1:n)';
  return (i >= a) .* (i <= b) .* (j >= c) .* (j <= d) > 0
end
A = reshape(1:5600, 70, 80); O = A;
P = zeros(70, 80); P[2:69, 2:79] = 2*A[1:68, 1:78] + A[3:70, 3:80];
A[2:69, 2:79] = 2*A[1:68, 1:78] + A[3:70, 3:80];
print(ok(A, O, box(70, 80, 2, 69, 2, 79), P))   # expect: true
# Borders that are not alike, or on one side only.
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
for t = 1:6
  a = [1, 1, 3, 2, 1, 4][t]; b = [70, 68, 70, 69, 66, 70][t];
  c = [1, 2, 1, 3, 5, 1][t]; d = [78, 80, 80, 78, 80, 79][t];
  A = O; P = zeros(70, 80);
  P[a:b, c:d] = 3*O[71-b:71-a, 81-d:81-c];
  A[a:b, c:d] = 3*A[71-b:71-a, 81-d:81-c];
  print(ok(A, O, box(70, 80, a, b, c, d), P))   # expect: true
end
# Other ranks, types, and borders of two.
x = f32(1:1000); o = x; p = zeros(1000); p[2:999] = o[1:998] + o[3:1000]; m = 1:1000;
x[2:999] = x[1:998] + x[3:1000];
print(ok(x, o, (m > 1) .* (m < 1000) > 0, p))   # expect: true
h = bf16(mod(1:1000, 7)); o = h; p = zeros(1000); p[3:1000] = f32(o[1:998]) + 1;
h[3:1000] = h[1:998] + 1;
print(dtype(h), " ", ok(h, o, m > 2, p))   # expect: bf16 true
b = mod(1:1000, 3) == 0; o = b; p = b; p = zeros(1000) > 0; p[1:998] = !o[3:1000];
b[1:998] = !b[3:1000];
print(dtype(b), " ", ok(b, o, m < 999, p))   # expect: bool true
C = reshape(f64(1:32*40*60), 32, 40, 60); O = C; P = zeros(32, 40, 60); M = P;
P[2:31, 2:39, 2:59] = O[1:30, 1:38, 1:58] - O[3:32, 3:40, 3:60]; M[2:31, 2:39, 2:59] = 1;
C[2:31, 2:39, 2:59] = C[1:30, 1:38, 1:58] - C[3:32, 3:40, 3:60];
print(ok(C, O, M > 0, P))   # expect: true
D = reshape(i32(1:34*8*9*40), 34, 8, 9, 40); O = D; P = i32(zeros(34, 8, 9, 40)); M = P;
P[2:33, :, :, 2:40] = 2*O[3:34, :, :, 1:39]; M[2:33, :, :, 2:40] = 1;
D[2:33, :, :, 2:40] = 2*D[3:34, :, :, 1:39];
print(ok(D, O, M > 0, P))   # expect: true
W = reshape(1:12000, 100, 120); O = W; P = zeros(100, 120); M = P;
P[3:98, 3:118] = O[1:96, 1:116]; M[3:98, 3:118] = 1;
begin W[3:98, 3:118] = W[1:96, 1:116]; W[1, :] = W[2, :]; end
M[1, :] = 1; P[1, :] = O[2, :];
print(ok(W, O, M > 0, P))   # expect: true
