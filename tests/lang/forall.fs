# forall: lifted, or an error with the reason.
n = 3; m = 4;
A = f32(reshape(1:n*m, n, m)); z = zeros(m, n);
forall i = 1:n, j = 1:m
  z[j, i] = 2*A[i, j];
end
print(all(z == 2*A'), " ", i, " ", j)              # expect: true 3 4
forall i = 1:n, j = 1:m; z[j, i] = 7; end         # all of it, by axes in another order
print(all(z == 7))                                 # expect: true
C = zeros(n, n); s = 0;
forall i = 1:n, k in 1:n, j = 1:m; C[i, k] += A[i, j]*A[k, j]; end
parallel for i = 1:n; for j = 1:m; s += A[i, j]; end; end
print(all(C == A*A'), " ", s)                      # expect: true 78
x = f32(1:6);
forall i = 1:6
  if x[i] > 4; continue; end
  x[i] = 0;
end
print(x')                                          # expect: f32[1×6]
                                                   # expect:   0  0  0  0  5  6
# Within a loop that goes round by round; of no rounds; of rounds that write one element.
for r = 1:3
  forall i = 1:6; x[i] = x[i] + r; end
  x = x/2;
end
print(x[1], " ", x[6])                             # expect: 2.125 2.875
forall i = 1:0; x[9] = i; end
forall i = 1:6; x[1] = i; end
print(x[1], " ", i)                                # expect: 6 6
# A call traces it as it is there.
function half(v)
  w = v;
  forall i = 1:numel(v); w[i] = v[i]/2; end
  return w
end
print(half(f32([2, 4, 6]))')                       # expect: f32[1×3]
                                                   # expect:   1  2  3
# Conversions: of numbers, counters, elements, choices.
k = i32([300, 7, -2]); p = zeros(3, "f64");
forall i = 1:3
  t = f32(0); t += f32(k[i])/2; u = i32(2.7) + i32(i);
  if i > 1; u = f64(i)/3; end
  p[i] = f64(t) + f32(u) + i64(k[i] > 0);
end
q = zeros(3, "f64");
:set loops off
for i = 1:3
  t = f32(0); t += f32(k[i])/2; u = i32(2.7) + i32(i);
  if i > 1; u = f64(i)/3; end
  q[i] = f64(t) + f32(u) + i64(k[i] > 0);
end
:set loops on
print(all(p == q), " ", p[1])                      # expect: true 154
parallel = 2; print(parallel)                      # expect: 2
# ---
:set loops off
v = f32(1:4);
forall i = 2:4; v[i] = sqrt(v[i - 1]) + v[i]; end
print(v[4] > 5)                                    # expect: true
# ---
v = f32(1:4);
forall i = 2:4; v[i] = sqrt(v[i - 1]) + v[i]; end  # error: rounds of `forall i` wait for each other: `v[i]` reads `v[i - 1]`, which the round before writes
# ---
v = f32(1:4);
forall i = 1:4; v[i] = sum(v[1:i]); end            # error: rounds of `forall i` cannot run at once: `1:i` is more than one element
# ---
v = f32(1:4);
forall i = 1:4; v[i] = v[i + 1]; end               # error: index 5 is out of range: dimension 1 has extent 4, where i = 4
# ---
v = f32(1:4); k = i32([1, 2, 3, 7]);
forall i = 1:4; v[k[i]] = 0; end                   # error: index 7 is out of range: dimension 1 has extent 4, where i = 4
# ---
# What is wrong whichever way it runs is told as of any loop.
forall i = 1:3; t[i] = 2; end                      # error: there is no tensor 't' to assign a part of
# ---
parallel for i = 1:3; t[i] = 2; end                # error: there is no tensor 't' to assign a part of
# ---
v = f32(1:4);
forall i = 1:4; v[i] = w[i]; end                   # error: there is nothing called 'w'
# ---
v = f32(1:4);
forall i = 1:4; v[i] = sum(w[1:i]); end            # error: there is nothing called 'w'
# ---
A = zeros(3, 3);
forall i = 1:3, j = 1:4; A[i, j] = 1; end          # error: index 4 is out of range: dimension 2 has extent 3, where i = 1, j = 4
# ---
A = zeros(3, 3);
for i = 1:3; for j = 1:4; A[i, j] = 1; end; end    # error: index 4 is out of range: dimension 2 has extent 3, where i = 1, j = 4
# ---
function filled(n)
  t = zeros(3);
  parallel for i = 1:n; t[i] = i; end              # error: index 4 is out of range: dimension 1 has extent 3, where i = 4
  return t;
end
for n = 1:4; filled(n); end
# ---
v = f32(1:4); u = zeros(4);                        # no round is wrong
forall i = 1:4; if u[i] > 1; v[i + 1] = 0; end; end   # error: rounds of `forall i` cannot run at once: `v[i + 1]` may be out of range
# ---
v = f32(1:4);
g(x) = sum([x, x]);
forall i = 1:4; t = v[i]; v[i] = t; v[i] = g(t); end   # error: is not made of elements, numbers and functions of them
# ---
forall i = 1:4; t = i; end                         # error: counts rounds that touch no element
# ---
v = f32(1:4);
forall i = v; v[1] = i; end                        # error: rounds that run at once go through a range, not 4 f32
# ---
v = f32(1:4); s = 0;
parallel for i = 1:4; v[i] = s; s = v[i]*2; end    # error: rounds of `parallel for i` wait for each other
# ---
v = f32(1:4); s = 0;                               # `for` does this one by itself
forall i = 1:4; s = s/2 + v[i]; end                # error: rounds of `forall i` wait for each other: `s` is what the round before made it
# ---
A = f32([1, 2; 3, 4; 5, 6; 7, 8]);                 # rounds write one column and read another
forall i = 2:4; A[i, 1] = A[i-1, 2]; end
A
# expect: A = f32[4×2]
# expect:   1  2
# expect:   2  4
# expect:   4  6
# expect:   6  8
