# Loops of numbers and single elements whose rounds wait for each other: run on the host, element
# by element, with what statements one by one give.

# -- what is read was written before -------------------------------------------------------
y = zeros(6, "f64"); x = f64(1:6);
for i = 2:6
  y[i] = 2*y[i-1] + x[i];
end
assert(all(y == [0, 2, 7, 18, 41, 88]))

# A copy keeps what it has, and so does what is read while another is written.
z = y; v = x[2:4];
for i = 2:6
  y[i] = y[i-1] + y[i];
end
assert(all(z == [0, 2, 7, 18, 41, 88]) && all(y == [0, 2, 9, 27, 68, 156]))
for i = 2:6
  x[i] = x[i-1]*x[i];
end
assert(all(v == [2, 3, 4]) && all(x == [1, 2, 6, 24, 120, 720]))

# -- types ------------------------------------------------------------------------------------
# An i32 wraps around, a bool is a truth value, an f32 rounds each time.
k = i32([2000000000, 2000000000, 5]);
for i = 2:3
  k[i] = k[i-1] + k[i];
end
assert(k[2] == -294967296 && k[3] == -294967291)
b = bool([1, 0, 0, 1]); n = 0;
for i = 2:4
  b[i] = !b[i-1] || b[i];
  if b[i]; n += 1; end
end
assert(all(b == bool([1, 0, 1, 1])) && n == 2)
f = f32([0.1, 0.2, 0.3]);
for i = 2:3
  f[i] = f[i-1]*3 + f[i];
end
g = f32(0.1)*3 + f32(0.2); h = g*3 + f32(0.3);
assert(f[2] == g && f[3] == h)

# s begins as a number of the host and becomes what the elements are.
s = 0; e = f64([0.5, 0.25, 2]);
for i = 1:3
  s = s*s + e[i];
  e[i] = s;
end
assert(s == 2.25 && e[2] == 0.5)
t = 1; p = i64([3, 4]);
for i = 1:2; t = t*p[i] - t; p[i] = t; end
assert(t == 6 && all(p == [2, 6]))

# -- subscripts -------------------------------------------------------------------------------
# `end` is of the array next around it; places are computed; x[i] of a row is x[1, i].
q = i32([3, 1, 2]); w = f64([10, 20, 30]); r = f64([1, 2, 3])';
for i = 2:3
  w[q[end]] = w[q[i-1]] + w[end] + i;
  r[i] = r[1, i-1] + r[end] + numel(r) + size(r, 1) + length(w);
end
assert(all(w == [10, 43, 30]) && r[2] == 11 && r[3] == 21)
A = zeros(3, 4, "f64"); A[1, 1] = 1;
for i = 1:3
  for j = 1:4
    if i > 1; A[i, j] += A[i-1, j]; end
    if j > 1; A[i, j] += A[i, j-1]; end
  end
end
assert(A[3, 4] == 10 && A[end, 2] == 3 && sum(A[1, :]) == 4)
c = f64(1:4);
for i = 2:4; c[i, 1] = c[i-1] + c[i, 1]; end
assert(all(c == [1, 3, 6, 10]))

# -- `while`, `break`, `continue` -----------------------------------------------------------------
a = i64([1, 3, 5, 7, 9, 11]); low = 1; high = 6; steps = 0;
while low < high
  m = floor((low + high)/2);
  if a[m] < 8; low = m + 1; else high = m; end
  steps += 1;
end
assert(low == 5 && steps == 3)
sieve = bool(ones(30)); sieve[1] = false; i = 2;
while i*i <= 30
  if sieve[i]
    for j = i*i:i:30; sieve[j] = false; end
  end
  i += 1;
end
assert(sum(sieve) == 10 && sieve[29] && !sieve[27])
u = f64([3, 1, 2, 9, 4]); moves = 0;
for i = 2:5
  key = u[i]; j = i - 1;
  while j >= 1
    if u[j] <= key; break; end
    u[j+1] = u[j]; j -= 1; moves += 1;
  end
  u[j+1] = key;
end
assert(all(u == [1, 2, 3, 4, 9]) && moves == 3)

# -- in functions, where names are its own ----------------------------------------------------------
function prefix(x)
  for i = 2:numel(x); x[i] = x[i-1]*2 + x[i]; end
  return x
end
first = f64([1, 1, 1]); second = prefix(first);
assert(all(first == [1, 1, 1]) && all(second == [1, 3, 7]))
outer = f64([1, 1, 1]);
function grown()
  for i = 2:3; outer[i] = outer[i-1]*2 + outer[i]; end
  return outer[3]
end
assert(grown() == 7 && all(outer == [1, 1, 1]))

# -- many inner rounds, which are lifted from some round on; few, which are not -----------------------
for n = [4, 40]
  u = f64(mod(7*reshape(1:n*n, n, n), 31)); v = u; p = u;
  for k = 1:9
    for i = 2:n-1
      for j = 2:n-1
        v[i, j] = mod(u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1], 37);
      end
    end
    for i = 2:n-1
      for j = 2:n-1
        u[i, j] = v[i, j];
      end
    end
    p[2:n-1, 2:n-1] = mod(p[1:n-2, 2:n-1] + p[3:n, 2:n-1] + p[2:n-1, 1:n-2] + p[2:n-1, 3:n], 37);
  end
  assert(all(u == p))
  q = f64(mod(7*reshape(1:n*n, n, n), 31)); r = q;
  for k = 1:9
    for i = 2:n-1
      for j = 2:n-1
        r[i, j] = mod(q[i-1, j] + q[i+1, j] + q[i, j-1] + q[i, j+1], 37);
      end
    end
    for i = 2:n-1
      for j = 2:n-1
        q[i, j] = r[i, j];
      end
    end
  end
  assert(all(q == u))
end

# -- what a round does not bear is done the ordinary way, in its turn ----------------------------------
o = zeros(4); d = f64([0.1, 0.2, 0.3, 0.4]);
for i = 2:4
  o[i] = o[i-1] + d[i];
  d[i] = 2^i + d[i-1]^2;
end
assert(abs(o[4] - 0.9) < 1e-6 && abs(d[2] - 4.01) < 1e-12)

# -- functions of the user, which stand in place of their calls --------------------------------------
g(a, b) = a*a + b;
y = f64(1:4);
for i = 2:4; y[i] = g(mod(y[i-1], 5), y[i]); end
assert(all(y == [1, 3, 12, 8]))
g(a, b) = a - b;
for i = 2:4; y[i] = g(y[i-1], y[i]); end
assert(all(y == [1, -2, -14, -22]))
function both()
  w = f64(1:3);
  for i = 2:3; w[i] = g(w[i-1], w[i]); end
  return w[3]
end
assert(both() == -4)
g(a, b) = a + b;
assert(both() == 6)
function clip(v, low, high)
  if v < low; return low; end
  if v > high
    return high
  else
    w = v; w += 0; v = 100;
    return w
  end
end
function near(x, i)
  s = 0; n = numel(x);
  for d = -1:1
    s += x[clip(i + d, 1, n)];
    if s > 1000; break; end
  end
  return s
end
x = f64(1:6); z = x; i = 1;
while i <= 6
  z[i] = near(x, i);
  x[clip(i+1, 1, 6)] += 1;
  i += 1;
end
assert(all(z == [4, 7, 11, 14, 17, 20]) && all(x == [1, 3, 4, 5, 6, 8]))
function collatz(n)
  k = 0;
  while n != 1
    if mod(n, 2) == 0; n = n/2; else n = 3*n + 1; end
    k += 1;
  end
  return k
end
best = 0;
for n = 1:100
  k = collatz(n);
  if k > best; best = k; at = n; end
end
assert(best == 118 && at == 97)
function factorial_of(n)
  if n < 2; return 1; end
  return n*factorial_of(n - 1)
end
for i = 2:4; y[i] = factorial_of(i) + y[i-1]; end
assert(all(y == [1, 3, 9, 33]))

# ---
x = f64(1:5);
for i = 2:6
  x[i] = x[i-1] + 1; # error: index 6 is out of range: dimension 1 has extent 5
end
# ---
x = f64(1:5);
for i = 1:4
  j = x[i] + 0.5;
  x[j] = 1; # error: an index must be a whole number, not 1.5
end
# ---
k = i32([1, 2, 3]); s = f64(0.5);
for i = 2:3
  k[i] = k[i-1]*s; # error: cannot put f64 values into a tensor of i32
end
# ---
function third(x, i)
  return x[i+3] # error: index 7 is out of range: dimension 1 has extent 6
end
x = f64(1:6); z = x;
for i = 1:6
  z[i] = third(x, i) + z[max(i-1, 1)];
end
