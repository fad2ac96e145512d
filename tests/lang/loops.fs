# Loops over elements: lifted (`:why` would name those that wait).
n = 4; m = 3;
A = f32(reshape(1:n*m, n, m)); z = zeros(n, m);
for i = 1:n; for j = 1:m; z[i, j] = A[i, j] + 1; end; end
print(all(z == A + 1), " ", i, " ", j)             # expect: true 4 3
# Rows, columns, diagonals, steps of either sign, half of an array from the other.
for i = 1:m; z[i, i] = -A[m + 1 - i, i]; end
print(z[1, 1], " ", z[2, 2], " ", z[3, 3])          # expect: -7 -5 -3
x = f32(1:8);
for i = 8:-2:2; x[i] = i; end
for i = 1:4; x[i] = x[9 - i]; end
print(x')                                          # expect: f32[1×8]
                                                   # expect:   8  7  6  5  5  6  7  8
# A range of no rounds leaves everything as it is.
for i = 1:3; for j = 5:1; x[i] = 0; end; end
print(x[1], " ", i, " ", j)                        # expect: 8 3 3
# Reductions: types as the rounds have them.
k = i32([2147483647, 1, 2]); s = 0; p = 1; q = true; b = 0; e = -inf; o = i32([0, 0]);
for i = 1:3; s += k[i]; end
for i = 1:3; p *= k[i]; end
for i = 1:3; q = q && k[i] > 1; end
for i = 1:3; b = b + (k[i] > 1); end
for i = 1:3; e = max(e, k[i]); end
for i = 1:2; for j = 1:3; o[i] += k[j]; end; end
print(s, " ", dtype(s), " ", p, " ", q, " ", b, " ", dtype(b))   # expect: -2147483646 i32 -2 false 2 i32
print(e, " ", dtype(e))                            # expect: 2147483648 f32
print(o[1], " ", o[2])                             # expect: -2147483646 -2147483646
# Local names, and what is left of them.
y = zeros(4);
for i = 1:4
  t = 2*i; u = x[i] + t;
  y[i] = u*u;
end
print(t, " ", u, " ", y[1], " ", y[4])             # expect: 8 13 100 169
# Running sums: every round is read; an element and the one before it, along either axis.
r = i32([3, 1, 4, 1]); c = zeros(4, "i32"); s = 10; g = -1;
for i = 1:4; s = s + r[i]; c[i] = s; end
print(c', s)                                       # expect: i32[1×4]
                                                   # expect:   13  14  18  19
                                                   # expect: 19
for i = 3:-1:1; r[i] = max(r[i + 1], r[i]); end
print(r')                                          # expect: i32[1×4]
                                                   # expect:   4  4  4  1
A = ones(3, 3);
for j = 1:3; for i = 2:3; A[i, j] = A[i - 1, j] + j; end; end
print(A)                                           # expect: f32[3×3]
                                                   # expect:   1  1  1
                                                   # expect:   2  3  4
                                                   # expect:   3  5  7
# Subscripts of several counters: convolutions.
q = f32(1:6).^2; a = [1, 2, 1]; f = zeros(4);
for i = 1:4; for j = 1:3; f[i] += q[i + j - 1]*a[j]; end; end
print(f')                                          # expect: f32[1×4]
                                                   # expect:    18   38   66  102
I = f32(reshape(1:20, 4, 5)); J = zeros(3, 4);
for i = 1:3; for j = 1:4; for k = 0:1; for l = 0:1; J[i, j] += I[i + k, j + l]; end; end; end; end
print(all(J == I[1:3, 1:4] + I[2:4, 1:4] + I[1:3, 2:5] + I[2:4, 2:5]))   # expect: true
# Functions of the user in one expression.
sq(t, c) = t*t + c
for i = 1:4; f[i] = sq(f[i], i)*0.5; end
print(f[1], " ", f[4])                             # expect: 162.5 5204
# A product of matrices.
B = f32(reshape(1:9, 3, 3)); C = zeros(3, 3);
for i = 1:3; for j = 1:3; for k = 1:3; C[i, j] += B[k, i]*A[k, j]; end; end; end
print(all(C == B'*A))                              # expect: true
# Between begin and end a short loop is part of the block, and gives what its rounds give.
v = f32([1, 2]); w = v;
begin
  for k = 1:5; v = 2*v + k; end
  for k = 1:200; w = w + 1; end
  h = v + w;
end
print(h', k)                                       # expect: f32[1×2]
                                                   # expect:   290  323
                                                   # expect: 200
# Conditions: both sides, elements kept, subscripts that they guard, sums, counts and last values.
p = f32([3, -1, 4, -1, 5, -9]); q = ones(6); s = 0; c = 0; low = 0;
for i = 1:6
  if p[i] > 0
    q[i] = 2*p[i]; s = s + p[i]; c = c + 1;
  elseif p[i] < -5
    q[i] = -100; at = i;
  end
  if i > 1 && p[i - 1] > p[i]; low = low + i; end
end
print(q', s, " ", c, " ", at, " ", low)            # expect: f32[1×6]
                                                   # expect:      6     1     8     1    10  -100
                                                   # expect: 12 3 6 12
# A name keeps its value and its type where no condition holds.
s = 0; g = 7;
for i = 1:6; if p[i] > 9; s = s + p[i]; g = p[i]; end; end
print(s, " ", g, " ", dtype(g + i32([1])))         # expect: 0 7 i32
# A last value in two loops; a write that a condition keeps inside.
M = f32(reshape(1:6, 2, 3)); N = M; k = 0;
for i = 1:2
  for j = 1:3
    if M[i, j] < 5; k = 10*i + j; end
    if j < 3; N[i, j + 1] = M[i, j + 1] + 0.5; end
  end
end
print(k, N)                                        # expect: 21
                                                   # expect: f32[2×3]
                                                   # expect:   1.0  2.5  3.5
                                                   # expect:   4.0  5.5  6.5
# The largest and where it is, and in two loops; NaN is never larger.
p[2] = 0/0; m = p[1]; k = 1;
for i = 2:6; if p[i] > m; m = p[i]; k = i; end; end
print(m, " ", k)                                   # expect: 5 5
M = f32([3, 9, 1; 9, 2, 0]); m = 0; k = 0; l = 0;
for i = 1:2; for j = 1:3; if m < M[i, j]; m = M[i, j]; k = i; l = j; end; end; end
print(m, " ", k, " ", l)                           # expect: 9 1 2
for i = 1:2; if p[i] > 100; m = p[i]; k = i; end; end
print(m, " ", k)                                   # expect: 9 1
# Ranges by another counter, and what counters are afterwards.
M = f32(reshape(1:16, 4, 4)); q = zeros(4);
for i = 1:4; s = 0; for j = 1:i; s = s + M[i, j]; end; q[i] = s; end
print(q', i, " ", j)                               # expect: f32[1×4]
                                                   # expect:    1  11  30  58
                                                   # expect: 4 4
for i = 1:4; for j = i+1:4; M[i, j] = 0; end; end
print(M, i, " ", j)                                # expect: f32[4×4]
                                                   # expect:    1   0   0   0
                                                   # expect:    5   6   0   0
                                                   # expect:    9  10  11   0
                                                   # expect:   13  14  15  16
                                                   # expect: 4 4
for i = 2:3; s = 0; for k = i-1:i+1; s += M[4, k]; end; q[i] = s; end
print(q', k)                                       # expect: f32[1×4]
                                                   # expect:    1  42  45  58
                                                   # expect: 4
# Rounds that end early, and a loop that does.
for i = 1:4; if q[i] > 44; continue; end; q[i] = -1; end
print(q')                                          # expect: f32[1×4]
                                                   # expect:   -1  -1  45  58
k = 0;
for i = 1:4; q[i] = 2*q[i]; if q[i] > 50; k = i; break; end; q[i] = q[i] + 0.5; end
print(q', k, " ", i)                               # expect: f32[1×4]
                                                   # expect:   -1.5  -1.5  90.0  58.0
                                                   # expect: 3 3
# A slice of a slice that is another one's for one round only.
p = f64([5, 1, 4, 0, 3, 6]); q = f64(zeros(6));
for i = 6:-1:3
  for j = 1:4; q[i] = p[i - 1] + p[j]; end
  g = sum(p);
end
print(q')                                          # expect: f64[1×6]
                                                   # expect:   0  0  1  4  0  3
# Computed places: read, set, and added up.
p = f32([3, -1, 4, -1, 5, -9]); v = i32([2, 3, 2, 5, 1, 1]); q = zeros(6);
for i = 1:6; q[i] = 2*p[v[i]] + size(M, 1); end
print(q')                                          # expect: f32[1×6]
                                                   # expect:    2  12   2  14  10  10
g = zeros(5); h = i32([1, 1, 1, 1, 1]);
for i = 1:6; g[v[i]] += p[i]; h[v[i]] = h[v[i]] - i; end
print(g', h')                                      # expect: f32[1×5]
                                                   # expect:   -4   7  -1   0  -1
                                                   # expect: i32[1×5]
                                                   # expect:   -10   -3   -1    1   -3
for i = 1:6; g[v[i]] += 0.5; end
print(g')                                          # expect: f32[1×5]
                                                   # expect:   -3.0   8.0  -0.5   0.0  -0.5
c = 0;
for i = 1:6; if p[i] > 0; c = c + 1; g[c] = p[i]; end; end
print(g', c)                                       # expect: f32[1×5]
                                                   # expect:    3.0   4.0   5.0   0.0  -0.5
                                                   # expect: 3
# Inner loops that end early: the first that is large in each row; the last round that sets an element.
M = f32(reshape(mod(7*(1:24), 11), 4, 6)); q = zeros(4); g = zeros(4);
for i = 1:4
  k = 0;
  for j = 1:6
    if M[i, j] > 8; k = j; break; end
    g[i] = g[i] + M[i, j];
  end
  q[i] = k;
end
print(q', g', i, " ", j, " ", k)                   # expect: f32[1×4]
                                                   # expect:   3  0  2  0
                                                   # expect: f32[1×4]
                                                   # expect:   10  25   3  23
                                                   # expect: 4 6 0
for i = 1:4; for j = 1:6; if M[i, j] < 3; q[i] = j; end; end; end
print(q')                                          # expect: f32[1×4]
                                                   # expect:   5  5  4  4
# What a local name was before says nothing of it.
t = [1, 2, 3]; z = zeros(3);
for i = 1:2; t = 2*i; z[numel(t)] = i; end
print(z')                                          # expect: f32[1×3]
                                                   # expect:   2  0  0
# Inside functions, of arrays that are theirs.
function add(a, c)
  for i = 1:numel(a); a[i] = a[i] + c; end
  return a
end
print(add(x, 1)[1:2]', x[1])                       # expect: f32[1×2]
                                                   # expect:   9  8
                                                   # expect: 8
# ---
x = [1, 2, 3]; z = [0, 0];
for i = 1:3; z[i] = x[i]; end                      # error: index 3 is out of range: dimension 1 has extent 2
# ---
k = i32([1, 2]);
for i = 1:2; k[i] = 0.5*i; end                     # error: cannot put f32 values into a tensor of i32
# ---
for i = 1:2; k[i] = 0.5*i; end                     # error: there is no tensor 'k' to assign a part of
# ---
x = [1, 2, 3]; m = 2;
for i = 1:3; if x[i] > m; x[i + 1] = 0; end; end   # error: index 4 is out of range: dimension 1 has extent 3
# ---
x = [1, 2, 3]; y = zeros(3);
for i = 1:3; if x[i] > 2; y[i] = x[i + 1]; end; end   # error: index 4 is out of range: dimension 1 has extent 3
# ---
x = [1, 2, 3]; k = [1, 7, 2]; y = zeros(3);
for i = 1:3; y[i] = x[k[i]]; end                   # error: index 7 is out of range: dimension 1 has extent 3
# ---
y = zeros(3); k = [1, 2.5, 2];
for i = 1:3; y[k[i]] += 1; end                     # error: an index must be a whole number, not 2.5
# ---
# A 0 that a sum begins with is that of `sum`: no kernel adds it. The sign of a zero is what it is
# round by round.
function starts(x, n, y)
  for i = 1:n
    s = 0; p = 1; q = 0.5; r = 0;
    for j = 1:n
      s += x[i, j]; p *= x[i, j]; q += x[i, j]; r -= x[i, j];
    end
    y[i, 1] = s; y[i, 2] = p; y[i, 3] = q; y[i, 4] = r;
  end
  u = zeros(n); v = zeros(n);
  for i = 1:n; for j = 1:n; u[i] += x[i, j]; end; end
  s = 0;
  for i = 1:n; s += x[i, 1]; v[i] = s; end
  return (1 ./ y)', (1 ./ u)', (1 ./ v)';
end
x = -zeros(3, 3); y = zeros(1, 4); z = zeros(3, 4);
a, b, c = starts(x, 1, y); d, e, f = starts(x, 3, z);
:set loops off
g, h, i = starts(x, 1, y); j, k, l = starts(x, 3, z);
:set loops on
assert(all(a == g)); assert(all(b == h)); assert(all(c == i));
assert(all(d == j)); assert(all(e == k)); assert(all(f == l));
A = f32(reshape(mod(7*(1:60*60), 11), 60, 60)); C = zeros(60, 60);
begin
  forall i = 1:60, j = 1:60
    s = 0;
    for k = 1:60; s += A[i, k]*A[k, j]; end
    C[i, j] = s;
  end
end
:assert plan kernels == 1
assert(all(C == A*A));
begin
  D = zeros(60, 60);
  forall i = 1:60, j = 1:60
    for k = 1:60; D[i, j] += A[i, k]*A[k, j]; end
  end
end
:assert plan kernels == 1
assert(all(C == D));
# ---
# A short inner loop over neighbours is views, one a round, and a kernel that reads them by
# offsets; in a longer one they are a list.
n = 24; A = f32(reshape(mod(7*(1:n*n), 11), n, n)); z = zeros(n, n); r = zeros(n, n);
forall i = 2:n-1, j = 2:n-1
  s = 0;
  for u = -1:1
    for v = j-1:j+1
      if u*(v - j) > 0; continue; end
      s += A[i + u, v]*(u + 2);
    end
  end
  z[i, j] = s; r[i, j] = 1;
end
print(u, " ", v, " ", s)                           # expect: 1 24 63
w = zeros(n, n); y = 0; q = zeros(n - 40 + 40);
:set loops off
for i = 2:n-1
  for j = 2:n-1
    s = 0;
    for u = -1:1
      for v = j-1:j+1
        if u*(v - j) > 0; continue; end
        s += A[i + u, v]*(u + 2);
      end
    end
    w[i, j] = s;
  end
end
print(u, " ", v, " ", s)                           # expect: 1 24 63
:set loops on
assert(all(z == w));
x = A[1, :]'; e = zeros(n); t = 0; g = zeros(n);
forall i = 3:n-2
  for k = -2:2; e[i] += x[i + k]*k; t += x[i + k]; end
  for k = -2:2; if i > 5; for l = 0:1; g[i] = g[i] + x[i + k + 0*l]; end; end; end
end
print(sum(e), " ", t, " ", k, " ", l, " ", sum(g))   # expect: -30 500 2 1 820
:set loops off
e2 = zeros(n); t2 = 0; g2 = zeros(n); k = 0; l = 0;
for i = 3:n-2
  for k = -2:2; e2[i] += x[i + k]*k; t2 += x[i + k]; end
  for k = -2:2; if i > 5; for l = 0:1; g2[i] = g2[i] + x[i + k + 0*l]; end; end; end
end
:set loops on
assert(all(e == e2)); assert(t == t2); assert(all(g == g2)); print(k, " ", l)   # expect: 2 1
p = zeros(n, n); print(p[1, 1], A[1, 1])           # expect: 0 7
begin
  forall i = 2:n-1, j = 2:n-1
    s = 0;
    for u = -1:1; for v = -1:1; s += A[i + u, j + v]; end; end
    p[i, j] = s;
  end
end
:assert plan kernels <= 4
assert(p[5, 6] == sum(A[4:6, 5:7]));
# Under conditions a neighbour may be outside: then rows, or columns, are by a list as long as
# an axis.
w = zeros(n, n); o = zeros(n, n); y = zeros(n, n); B = 2*A; print(B[1, 1], w[1, 1], o[1, 1], y[1, 1])   # expect: 14 0 0 0
begin
  forall i = 1:n, j = 1:n
    s = 4*B[i, j];
    if i > 1; s = s - B[i - 1, j]; end
    if i < n; s = s - B[i + 1, j]; end
    if j > 1; s = s - B[i, j - 1]; end
    if j < n; s = s - B[i, j + 1]; end
    w[i, j] = s;
    t = 0;
    if i > 2; t = B[j, i - 2]; end
    if i > 1 && j < n; t = t + 3*B[j + 1, i - 1]; end
    o[j, i] = t;
  end
end
:assert plan kernels <= 12
:set loops off
for i = 1:n
  for j = 1:n
    s = 4*B[i, j];
    if i > 1; s = s - B[i - 1, j]; end
    if i < n; s = s - B[i + 1, j]; end
    if j > 1; s = s - B[i, j - 1]; end
    if j < n; s = s - B[i, j + 1]; end
    y[i, j] = s;
    t = 0;
    if i > 2; t = B[j, i - 2]; end
    if i > 1 && j < n; t = t + 3*B[j + 1, i - 1]; end
    if o[j, i] != t; print("differs at ", i, " ", j); end
  end
end
:set loops on
assert(all(w == y));
# ---
x = f32([1, 2, 3; 4, 5, 6]); y = zeros(2); s = f32(0);   # what a reduction has so far, behind its inner loop
for i = 1:2
  for j = 1:3; s = s + x[i, j]; end
  y[i] = s;
end
y'
# expect: f32[1×2]
# expect:    6  21
print(s)                                           # expect: 21
# ---
n = 4; m = 3; x = f32([3, -1, 2; -5, -6, -7; 0, 4, -0; 9, 1, 8]);   # the least under a condition, stored
h = zeros(n); y = zeros(n); d = zeros(n, "f64"); k = zeros(n, "i32"); t = f32(0.1);
for i = 1:n
  a = 0.1; b = -inf; c = 7; e = t;
  for j = 1:m
    if x[i, j] > 1
      a = min(a, x[i, j] - 3); b = max(b, sqrt(x[i, j])); c = min(c, i32(x[i, j])); e = max(e, x[i, j]/0);
    end
  end
  h[i] = a; d[i] = a; k[i] = c; x[i, 1] = b; y[i] = e;
end
:assert plan kernels <= 8
h1 = h; d1 = d; k1 = k; x1 = x; y1 = y; a1 = a; b1 = b;
:set loops off
x = f32([3, -1, 2; -5, -6, -7; 0, 4, -0; 9, 1, 8]);
for i = 1:n
  a = 0.1; b = -inf; c = 7; e = t;
  for j = 1:m
    if x[i, j] > 1
      a = min(a, x[i, j] - 3); b = max(b, sqrt(x[i, j])); c = min(c, i32(x[i, j])); e = max(e, x[i, j]/0);
    end
  end
  h[i] = a; d[i] = a; k[i] = c; x[i, 1] = b; y[i] = e;
end
:set loops on
print(all(h == h1), " ", all(d == d1), " ", all(k == k1), " ", all(x == x1), " ", all(y == y1), " ", a == a1)
# expect: true true true true true true
d'                                                 # expect: f64[1×4]
# expect:   -1.0   0.1   0.1   0.1
