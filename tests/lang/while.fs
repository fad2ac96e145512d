# `while` inside of loops over elements.
n = 3; m = 4; out = i32(zeros(n, m)); x = f32([-2, -1.5, 0.25, 0.5]); y = f32([0, 0.5, 1]);
for i = 1:n
  for j = 1:m
    a = 0; b = 0; k = 0;
    while k < 20 && a*a + b*b < 4
      t = a*a - b*b + x[j];
      b = 2*a*b + y[i];
      a = t;
      k += 1;
    end
    out[i, j] = k;
  end
end
out
# expect: out = i32[3×4]
# expect:    1  20  20   5
# expect:    1   3  20   5
# expect:    1   2   4   2
print(k, " ", a, " ", b, " ", t, " ", dtype(a), " ", i, " ", j)   # expect: 2 -0.25 2 -0.25 f32 3 4
# A name that no round of a `while` gives a value keeps what it had.
c = f32([3, 0, 2, 0]); d = zeros(4); last = 7;
for i = 1:4
  s = c[i];
  while s > 0.5; s = s - 1; last = s*10; end
  d[i] = s;
end
print(d[1], d[2], d[3], d[4], " ", last)           # expect: 0 0 0 0 0
for i = 4:-2:2; s = c[i]; while s > 0.5; s = s - 1; last = i; end; d[i] = s; end
print(last, " ", s)                                # expect: 0 0
for i = 2:4; s = c[i]; while s > 0.5; s = s - 1; last = i; end; d[i] = s; end
print(last)                                        # expect: 3
# Branches, break, continue; a `while` in a `while`; a condition over it.
e = zeros(6); g = f32([5, 12, 7, 27, 1, 9]);
for i = 1:6
  v = g[i]; steps = 0;
  if v != 9
    while true
      if v == 1; break; end
      if mod(v, 2) == 0; v = floor(v/2); steps += 1; continue; end
      v = 3*v + 1;
      steps += 1;
    end
  end
  e[i] = steps;
end
e'
# expect: f32[1×6]
# expect:     5    9   16  111    0    0
f = zeros(4);
for i = 1:4
  k = 0; s = c[i];
  while k < 3
    p = 0;
    while p < k; s = s + 1; p += 1; end
    k += 1;
  end
  f[i] = s;
end
f'
# expect: f32[1×4]
# expect:   6  3  5  3
# Numbers that a call gives are operands; a number that is none of the text is one in each call.
function h(w, q)
  r = zeros(3);
  for i = 1:3
    u = w[i]; k = 0;
    while u > q && k < 10*q; u = u*0.5; k += 1; end
    r[i] = k;
  end
  print(r[1], r[2], r[3]);
end
h(f32([1, 2, 4]), 0.5)                             # expect: 1 2 3
h(f32([1, 2, 4]), 0.25)                            # expect: 2 3 3
h(f32([1, 2, 4]), 1)                               # expect: 0 1 2
# Lanes beyond the last element, where it would not end, are never asked: in vectors, rows,
# sums over either axis, and side by side with what else there is.
function beyond(m, l)
  U = f32(mod(reshape(1:m*l, m, l), 5) + 1); V = zeros(m, l); r = zeros(m); c = zeros(l); s = 0;
  forall i = 1:m, j = 1:l
    q = U[i, j]; p = 0;
    while q == 0 || q >= 1; q = q/2; p += 1; end
    V[i, j] = p; r[i] += p; c[j] += p; s += p;
  end
  w = (U >= 1) + (U >= 2) + (U >= 4);
  assert(all(V == w)); assert(all(r == sum(w, 2))); assert(all(c == sum(w, 1)')); assert(s == sum(w));
end
beyond(1, 3); beyond(5, 7); beyond(33, 3); beyond(70, 35);
