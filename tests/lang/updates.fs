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
# ---
# Other ranks, types, and borders of two.
function ok(new, old, where_, part)
  return all(new == where(where_, part, old))
end
x = f32(1:1000); o = x; p = zeros(1000); p[2:999] = o[1:998] + o[3:1000]; m = 1:1000;
x[2:999] = x[1:998] + x[3:1000];
print(ok(x, o, (m > 1) .* (m < 1000) > 0, p))   # expect: true
h = bf16(mod(1:1000, 7)); o = h; p = zeros(1000); p[3:1000] = f32(o[1:998]) + 1;
h[3:1000] = h[1:998] + 1;
print(dtype(h), " ", ok(h, o, m > 2, p))   # expect: bf16 true
b = mod(1:1000, 3) == 0; o = b; p = b; p = zeros(1000) > 0; p[1:998] = !o[3:1000];
b[1:998] = !b[3:1000];
print(dtype(b), " ", ok(b, o, m < 999, p))   # expect: bool true
# ---
function ok(new, old, where_, part)
  return all(new == where(where_, part, old))
end
C = reshape(f64(1:32*40*60), 32, 40, 60); O = C; P = zeros(32, 40, 60); M = P;
P[2:31, 2:39, 2:59] = O[1:30, 1:38, 1:58] - O[3:32, 3:40, 3:60]; M[2:31, 2:39, 2:59] = 1;
C[2:31, 2:39, 2:59] = C[1:30, 1:38, 1:58] - C[3:32, 3:40, 3:60];
print(ok(C, O, M > 0, P))   # expect: true
D = reshape(i32(1:34*8*9*40), 34, 8, 9, 40); O = D; P = i32(zeros(34, 8, 9, 40)); M = P;
P[2:33, :, :, 2:40] = 2*O[3:34, :, :, 1:39]; M[2:33, :, :, 2:40] = 1;
D[2:33, :, :, 2:40] = 2*D[3:34, :, :, 1:39];
print(ok(D, O, M > 0, P))   # expect: true
# ---
function ok(new, old, where_, part)
  return all(new == where(where_, part, old))
end
W = reshape(1:12000, 100, 120); O = W; P = zeros(100, 120); M = P;
P[3:98, 3:118] = O[1:96, 1:116]; M[3:98, 3:118] = 1;
begin W[3:98, 3:118] = W[1:96, 1:116]; W[1, :] = W[2, :]; end
M[1, :] = 1; P[1, :] = O[2, :];
print(ok(W, O, M > 0, P))   # expect: true
# ---
# In place where what is read is elsewhere, or the element itself; else not.
o = reshape(1:4800, 60, 80); U = o + 0;
if U[1, 1] < 0; print(0); end
for k = 1:59
  U[k + 1, :] = mod(U[k + 1, :] + U[k, :], 1000);
end
V = o; for k = 1:59; r = V[k + 1, :] + V[k, :]; V[k + 1, :] = mod(r, 1000); end
print(all(U == V))   # expect: true
# ---
o = reshape(1:4800, 60, 80);
U = f32(o); V = f32(o); if U[1, 1] + V[1, 1] < 0; print(0); end
for k = 1:20
  U[k+1:end, k+1:end] -= U[k+1:end, k]/4096*U[k, k+1:end];
  W = U[k:end, :]; V[k+1:end, k+1:end] -= V[k+1:end, k]/4096*V[k, k+1:end];
end
print(all(U == V), " ", all(W == V[20:end, :]))   # expect: true true
U = o + 0; if U[1, 1] < 0; print(0); end
U[1:59, :] = U[2:60, :] + 1;
print(all(U[1:59, :] == o[2:60, :] + 1))   # expect: true
# ---
o = reshape(1:4800, 60, 80);
U = o + 0; if U[1, 1] < 0; print(0); end
U[1:40, 1:60] = 2*U[1:40, 1:60] - U[21:60, 21:80] + U[60, 1:60];
print(all(U[1:40, 1:60] == 2*o[1:40, 1:60] - o[21:60, 21:80] + o[60, 1:60]))   # expect: true
U = o + 0; if U[1, 1] < 0; print(0); end
U[:, 1:40] = U[:, 41:80] + sum(U[:, 1:40], 2);
print(all(U[:, 1:40] == o[:, 41:80] + sum(o[:, 1:40], 2)))   # expect: true
# ---
o = reshape(1:4800, 60, 80);
U = o + 0; if U[1, 1] < 0; print(0); end
begin U[1:20, :] = 2*U[1:20, :]; s = sum(o[1:20, :]) + sum(U[21:40, :]); end
print(s == sum(o[1:40, :]), " ", all(U[1:20, :] == 2*o[1:20, :]))   # expect: true true
D = o[1:60, 1:60] + 0; if D[1, 1] < 0; print(0); end
D[1:30, 31:60] = D[31:60, 1:30]' + D[1:30, 31:60];
print(all(D[1:30, 31:60] == o[31:60, 1:30]' + o[1:30, 31:60]))   # expect: true
# ---
o = reshape(1:4800, 60, 80);
D = o[1:60, 1:60] + 0; if D[1, 1] < 0; print(0); end
D[1:40, 1:40] = D[1:40, 1:40]' + D[1:40, 1:40];
print(all(D[1:40, 1:40] == o[1:40, 1:40]' + o[1:40, 1:40]))   # expect: true
U = o + 0; if U[1, 1] < 0; print(0); end
U[21:60, 21:80] = 2*U[21:60, 21:80] - U[1:40, 1:60] + U[1, 21:80];
print(all(U[21:60, 21:80] == 2*o[21:60, 21:80] - o[1:40, 1:60] + o[1, 21:80]))   # expect: true
# ---
o = reshape(1:4800, 60, 80);
U = o + 0; if U[1, 1] < 0; print(0); end
begin p = sum(U[1:30, :], 1); U[1:20, :] = 2*U[1:20, :]; r = U[1:30, :] .* 2; end
print(all(p == sum(o[1:30, :], 1)), " ", all(r[1:20, :] == 4*o[1:20, :]))   # expect: true true
U = o + 0; if U[1, 1] < 0; print(0); end
begin R = U[11:40, :]; T = exp(f64(U[1:30, 1:30])'/5000); U[1:30, :] = 3*U[1:30, :] + 1; S = sum(R) + 0; end
print(S == sum(o[11:40, :]), " ", all(T == exp(f64(o[1:30, 1:30])'/5000)))   # expect: true true
# ---
o = reshape(1:4800, 60, 80);
x = f32(1:5000); if x[1] < 0; print(0); end
x[1001:4000] = x[1:3000] + 2*x[1001:4000];
print(all(x[1001:4000] == f32(1:3000) + 2*f32(1001:4000)))   # expect: true
x = f32(1:5000); if x[1] < 0; print(0); end
begin t = x[2:2:2000] + 0; x[1:2:1999] = x[1:2:1999] + x[2:2:2000]; s = sum(x[2:2:2000]); end
print(all(x[1:2:1999] == f32(3:4:3999)), " ", s == sum(f32(2:2:2000)))   # expect: true true
# ---
o = reshape(1:4800, 60, 80);
U = o + 0; if U[1, 1] < 0; print(0); end
begin a = U[1:20, :] + 1; U[1:20, :] = 2*U[1:20, :]; a = a*(sum(U) - sum(o)); end
print(all(a == (o[1:20, :] + 1)*sum(o[1:20, :])))   # expect: true
U = f64(o); if U[1, 1] < 0; print(0); end
U[1:30, :] = U[1:30, :] ./ sum(U[1:30, :], 2) + U[31:60, :];
print(all(U[1:30, :] == f64(o[1:30, :]) ./ sum(f64(o[1:30, :]), 2) + o[31:60, :]))   # expect: true
# ---
# All but slabs, in place while nobody else has the array.
o = mod(reshape(1:4800, 60, 80), 97);
U = f32(o); V = f32(o); K = U; if U[1, 1] + V[1, 1] < 0; print(0); end
for t = 1:6
  if mod(t, 3) == 0; K = U; end
  U[3:60, 3:80] = mod(U[3:60, 3:80] + U[3:60, 2]*U[1, 3:80], 97);
  r = V[3:60, 3:80] + V[3:60, 2]*V[1, 3:80]; V[3:60, 3:80] = mod(r + 0, 97);
  if t == 5; L = V + 0; end
end
print(all(U == V), " ", all(K == L))   # expect: true true
begin U[2:60, :] = 2*U[2:60, :] + U[1, :]; s = sum(U); end
print(s == sum(V[1, :]) + sum(2*V[2:60, :] + V[1, :]))   # expect: true
begin V[2:60, :] = 2*V[2:60, :] + V[1, :]; a = U + 0; s = sum(V) + sum(a[1, :]); end
print(all(V == U), " ", s == sum(U) + sum(o[1, :]))   # expect: true true
# Extents of 1 at the end are none.
v = [1, 2, 3]; w = reshape(v, 3, 1, 1); v[:] += w; v[1:2] -= w[1:2, :, :];
print(v)                      # expect: f32[3]
                              # expect:   1  2  6

# What fills the part exactly is added as it would be assigned: extents of 1 are none.
A = [1, 2; 3, 4]; A[1, :] += [10, 20]; A[1, :] -= [1, 2]'; A[:, 1] += [10, 20]'; A[2, :] += 1:2;
print(all(A == [20, 20; 24, 6]))   # expect: true
A[1, [2, 1]] += [100, 200]; A[[1, 2], 2] -= [2, 1]'; x = [1, 2, 3]'; x[1:2] += [10, 20]; x[x > 5] += [1, 1]';
print(all(A == [220, 118; 24, 5]), " ", all(x == [12, 23, 3]'))   # expect: true true
T = zeros(2, 2, 3); T[1, :, :] += [1, 2, 3; 4, 5, 6]; T[:, 2, :] += [1, 2, 3; 4, 5, 6]; T[:, 1, 3] -= [7, 8]'; T[2, 2, :] += [1, 2, 3];
print(all(T[:] == [1, 2, -4, 5, 7, 9, 0, 0, -8, 5, 7, 9]))        # expect: true
i = i32([1, 2; 3, 4]); i[1, :] += i32([5, 6]); i[2, :] += 1:2;
print(dtype(i), " ", all(i == [6, 8; 4, 6]))                      # expect: i32 true
B = ones(2, 2); B[1:2, :] += [10, 20]; B[1, :] *= [1, 2; 3, 4];
print(all(B == [44, 66; 21, 21]))                                 # expect: true
# What replaces an element in the same round is one update with it; in the next round it is not.
w = [1, 1, 6, 0, 2, 0]; j = 5;
while j > 3
  w[j] = w[3];
  w[5] = 0;
  j -= 1;
end
print(all(w == [1, 1, 6, 6, 0, 0]))                               # expect: true
z = [4, 2, 0, 5, 3, 1, 6, 4, 2, 0]; j = 1;
while j < 5
  z[j + 4] = 1;
  z[3:7] = 0;
  j += 1;
end
print(all(z == [4, 2, 0, 0, 0, 0, 0, 1, 2, 0]))                   # expect: true
# Six axes, of which none goes on in the next one.
x = f32(reshape(1:729, 3, 3, 3, 3, 3, 3)); y = x;
x[3:-1:2, 1:2:3, 3:-1:2, 1:2:3, 3:-1:2, 3:-1:2] = reshape(f32(1:64), 2, 2, 2, 2, 2, 2);
print(sum(x), x[3, 1, 3, 1, 3, 3], x[3, 1, 3, 1, 3, 2], x[2, 3, 2, 3, 2, 2])      # expect: 236037 1 2 64
print(sum(y[3:-1:2, 1:2:3, 3:-1:2, 1:2:3, 3:-1:2, 3:-1:2]))       # expect: 32128
s = sum(y[3:-1:2, 1:2:3, 3:-1:2, 1:2:3, 3:-1:2, 1:2:3], 6);
print(s[1, 1, 1, 1, 1], s[2, 2, 2, 2, 2])                         # expect: 1096 910
# ---
A = ones(2, 2); A[1, :] += [1, 2, 3]      # error: shapes do not fit: the part is 1x2, [1, 2, 3] is 3
# ---
A = ones(2, 2); A[1, :] *= [1, 2]         # error: shapes do not fit: the part is 1x2, the product one number
