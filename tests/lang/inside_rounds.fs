# Loops that each round goes through by itself, and elements at places that it computes there.
p = i32([1, 3, 3, 6]); v = f32(1:5); c = i32([2, 1, 3, 3, 2]); x = f32([10, 20, 30]); y = zeros(3);
forall i = 1:3                                     # rows of a sparse matrix
  s = 0;
  for k = p[i]:p[i+1]-1; s += v[k]*x[c[k]]; end
  y[i] = s;
end
y'
# expect: f32[1×3]
# expect:    40    0  310
print(s, " ", k, " ", dtype(s), " ", i)            # expect: 310 5 f32 3
T = reshape(f32(1:20), 4, 5); d = i32([2, 5, 1, 4]); out = zeros(4);
forall i = 1:4                                     # a `while` at places in a row
  k = d[i]; s = 0.5;
  while k > 0; s = s + T[i, k]; k -= 1; end
  out[i] = s;
end
out'
# expect: f32[1×4]
# expect:    3.5  40.5  11.5  70.5
print(k, " ", s, dtype(s))                         # expect: 0 70.5f32
# A loop in a loop, with a step of its own and a way out.
w = zeros(4);
forall i = 1:4
  s = f32(0);
  for a = d[i]:-2:1
    for b = 1:3
      if b > a; break; end
      s += T[b, a];
    end
  end
  w[i] = s;
end
w'
# expect: f32[1×4]
# expect:    9  55   1  36
print(a, " ", b)                                   # expect: 2 3
# Whole numbers in each type; a place of a place; views that do not lie side by side.
A = i64(reshape(1:12, 3, 4)); col = A[:, 2]; z = zeros(3, "i64"); q = i32([3, 1, 2]);
forall i = 1:3
  s = 0;
  for k = 1:q[i]; s += col[q[k]] + A[k, q[i]]; end
  z[i] = s;
end
z'
# expect: i64[1×3]
# expect:   39  11  20
# A counter that no round of its loop sets is what it was.
k = -1; zero = i32([0, 0]); n = zeros(2);
for i = 1:2
  t = 0;
  for k = 1:zero[i]; t = t + x[k]; end
  n[i] = t;
end
print(k, " ", n[1])                                # expect: -1 0
# What nobody reads is not looked at: the number on the left decides.
r = zeros(3);
forall i = 1:3
  k = q[i] + 0; m = 0;
  for m = 1:9
    if m > 3 || x[m] > 25; break; end
  end
  r[i] = m;
end
r'
# expect: f32[1×3]
# expect:   3  3  3
# A loop that sets names alone, each round from what the one before has made: all of it is one.
b = i64([17, 0, 255, 3]); crc = 65535;
for i = 1:4
  now = b[i];
  for k = 1:8
    low = mod(crc, 2); crc = floor(crc/2);
    if low != mod(now, 2); crc = crc + 1024*(1 - 2*mod(floor(crc/1024), 2)); end
    now = floor(now/2);
  end
end
print(crc, " ", dtype(now), " ", i, " ", k, " ", low)   # expect: 60 f64 4 8 0
on = i64([1, 0, 1, 1]); crc = 65535;
for i = 1:4
  crc = floor(crc/2);
  if on[i] > 0; t = mod(floor(crc/8), 2); crc = crc + 8 - 16*t; end
end
print(crc, " ", t)                                 # expect: 4082 1
x = f32([1, 2, 3, 4]); s = 0; seen = 0;
for i = 1:4
  s = s/2 + x[i];
  if s > 4; break; end
  seen += 1;
end
print(s, " ", seen, " ", i, " ", dtype(s))         # expect: 4.25 2 3 f32
for i = 4:-1:1; s = s/2 + x[i]; end
print(s, " ", i)                                   # expect: 3.515625 1
at = 2; for i = 1:5; at = i32(mod(3*at, 4)) + 1; s += x[at]; end
print(at, " ", s)                                  # expect: 3 16.51562
# Names that an inner loop may leave as they were, and those that are no sums.
t = 0; z = f32([1, 2, 3]); few = i32([0, 2, 1]); y = zeros(3);
forall i = 1:3
  t = f32(7); s = f32(0);
  for a = 1:2
    for b = 1:few[i]; t = z[b]; end
    s = s + t;
  end
  y[i] = s;
end
print(y[1], y[2], y[3])                            # expect: 14 4 2
s = 0; for i = 1:3; s = z[i] - s; end
print(s)                                           # expect: 2
s = true; n = zeros(3);
for i = 1:3; s = s && z[i] < 2.5; n[i] = s; end
print(n[1], n[2], n[3])                            # expect: 1 1 0
v = zeros(100);
for i = 1:40; for j = 1:40; v[i + j] = 10*i + j; end; end
print(v[2], " ", v[41], " ", v[80])                # expect: 11 401 440
# What a block changes behind a region is not what that reads.
z = f32([1, 2, 3, 4, 5]); q = i32([2, 3, 1]); y = zeros(3);
begin
  forall i = 1:3
    s = f32(0);
    for k = 1:q[i]; s = s + z[mod(3*k, 5) + 1]; end
    y[i] = s;
  end
  z[4] = 100;
  w = z + 0;
end
print(y[1], " ", y[2], " ", y[3], " ", w[4])       # expect: 6 11 4 100
# ---
# Where a place is none, the rounds are run up to their error: those before it have been done.
p = i32([1, 3, 9]); v = f32(1:5); y = zeros(3);
for i = 1:3
  s = 0;
  for k = 1:p[i]; s += v[k]; end                   # error: index 6 is out of range: dimension 1 has extent 5
  y[i] = s;
end
# ---
# ... and of `forall` nothing.
p = i32([1, 3, 9]); v = f32(1:5); y = zeros(3);
forall i = 1:3
  s = 0;
  for k = 1:p[i]; s += v[k]; end                   # error: index 6 is out of range: dimension 1 has extent 5, where i = 3, k = 6
  y[i] = s;
end
# ---
v = f32(1:5); y = zeros(3); x = f32([1, 1.5, 2]);
forall i = 1:3
  s = 0;
  for k = 1:3; s += v[k*x[i]]; end                 # error: an index must be a whole number, not 1.5
  y[i] = s;
end
# ---
# What an inner loop reads may be what another round writes.
z = f32(1:5); k = i32([1, 2, 3]);
forall i = 1:3                                     # error: which a later round may write
  s = 0;
  for j = 1:k[i]; s += z[j]; end
  z[i] = s;
end
# ---
b = bool([true, false]); k = i32([1, 2]); y = zeros(2);
forall i = 1:2                                     # error: is of an array of bools or of a half type
  n = 0;
  for j = 1:k[i]; n = n + b[j]; end
  y[i] = n;
end
# ---
# A place far away is not read.
v = f32(1:5); far = f64([1, 1e15, 2]); y = zeros(3);
for i = 1:3
  s = f32(0);
  for k = far[i]:far[i]; s = s + v[k]; end         # error: is out of range: dimension 1 has extent 5
  y[i] = s;
end
# ---
x = f32(1:4); y = zeros(4);
for i = 1:4; if i > 1 || i < 9; y[i] = x[i - 1]; end; end    # error: index 0 is out of range
# ---
x = f32(1:4); y = zeros(4);
for i = 1:4; if i > 1; y[i] = 1; else; y[i] = x[i - 1]; end; end   # error: index 0 is out of range

# ---
# A running sum of what a later statement of the round changes waits.
y = f64(1:6); x = f64(mod(1:6, 3));
for i = 2:6
  y[i] = y[i-1] + x[i];
  y[i] = 2*y[i];
end
assert(all(y == [1, 6, 12, 26, 56, 112]))
# A range that surely has a round gives its names values.
v = f64(1:5); x = f64([1, 3]); y = zeros(2, "f64");
forall i = 1:2
  for k = 1:3
    t = v[k]*x[i];
    if t > 4; break; end
  end
  y[i] = t;
end
assert(all(y == [3, 6]))
forall i = 1:2
  s = 0; u = 0;
  for k = 1:3
    for j = 1:2; u = v[k]*j; end
    s += u;
    if s > 4; break; end
  end
  y[i] = s*x[i];
end
assert(all(y == [6, 18]))
# Two of one lane each that differ in what they read.
p = f64([3]); q = f64([5]); r = zeros(1, "f64"); w = zeros(1, "f64");
for i = 1:1
  a = p[i]; k = 0;
  while a < 100; a = a*2; k += 1; end
  r[i] = a + k;
  b = q[i]; m = 0;
  while b < 100; b = b*2; m += 1; end
  w[i] = b + m;
end
assert(r[1] == 198 && w[1] == 165)
# ---
# What a range, a number behind an `if` and one of a later round may be is all that they may be.
v = f64(1:5); x = f64([-1, 1]); y = zeros(2, "f64");
for i = 1:2
  m = 3;
  if x[i] > 0; m = 9; end
  s = 0;
  for k = 1:m
    s += v[k]; # error: index 6 is out of range: dimension 1 has extent 5
    if s > 1000; break; end
  end
  y[i] = s;
end
# ---
v = f64(1:5); x = f64([3, 100]); y = zeros(2, "f64");
for i = 1:2
  k = 1; s = 0;
  while s < x[i]
    s += v[k]; # error: index 6 is out of range: dimension 1 has extent 5
    k += 1;
  end
  y[i] = s;
end
# ---
v = f64(1:5); x = f64([-1, 1]); y = zeros(2, "f64");
for i = 1:2
  s = 0; c = 0;
  while c < 2
    k = 1;
    if x[i] > 0; k = 9; end
    s += v[k]; # error: index 9 is out of range: dimension 1 has extent 5
    c += 1;
  end
  y[i] = s;
end
