# What stands for places outside of an array.
x = f32(1:5); A = reshape(1:12, 3, 4);
print(x[-3:9; clamped]')                           # expect: f32[1×13]
                                                   # expect:   1  1  1  1  1  2  3  4  5  5  5  5  5
print(x[-8:3; mirror]')                            # expect: f32[1×12]
                                                   # expect:   2  3  4  5  5  4  3  2  1  1  2  3
print(x[9:-4:-3; wrapped]')                        # expect: f32[1×4]
                                                   # expect:   4  5  1  2
print(x[-1:2:7; zeros]')                           # expect: f32[1×5]
                                                   # expect:   0  1  3  5  0
print(x[0; zeros], " ", x[6; mirror], " ", x[-1; wrapped], " ", x[end; zeros], " ", A[14; clamped])   # expect: 0 5 4 5 12
A[0:4, -1:5; zeros, wrapped]                       # expect: i64[5×7]
                                                   # expect:    0   0   0   0   0   0   0
                                                   # expect:    3   4   1   2   3   4   1
                                                   # expect:    7   8   5   6   7   8   5
                                                   # expect:   11  12   9  10  11  12   9
                                                   # expect:    0   0   0   0   0   0   0
A[:, [0, 5]; mirror]                               # expect: i64[3×2]
                                                   # expect:    1   4
                                                   # expect:    5   8
                                                   # expect:    9  12
A[4, :; zeros]                                     # expect: i64[1×4]
                                                   # expect:   0  0  0  0
x[[true, false, true, true, false]; zeros]'        # expect: f32[1×3]
                                                   # expect:   1  3  4
map(i -> x[i - 1; zeros] + x[i + 1; zeros], 1:5)'  # expect: f32[1×5]
                                                   # expect:   2  4  6  8  4
c = complex(x, 1)[0:2; zeros]'                     # expect: c = c64[1×3]
                                                   # expect:   0 - 0i  1 - 1i  2 - 1i
x[i64(3) + 4; wrapped]                             # expect: 2
T = reshape(1:8, 2, 2, 2);
print(T[0, 3, 1:4; clamped, mirror, wrapped])      # expect: i64[1×1×4]
                                                   # expect: [1, :, :]
                                                   # expect:   3  4  3  4
# Rounds that differ in a place, and a border on both sides of them.
m = zeros(7); for k = 1:7; m[k] = sum(x[k-1:k+1; zeros]); end
m'                                                 # expect: f32[1×7]
                                                   # expect:    3   6   9  12   9   5   0
s = 0; for k = 1:7; s = s/2 + x[k - 3; mirror]; end
print(s)                                           # expect: 6.296875
k = i32([-2, 9, 3]); y = zeros(3);
forall i = 1:3; y[i] = x[k[i]; mirror] + 10*x[k[i]; zeros] + 100*x[k[i]; clamped]; end
y'                                                 # expect: f32[1×3]
                                                   # expect:   103  502  333
p = i32([1, 3, 3, 6]); d = i32([2, 1, 3, 7, -2]); y = zeros(3);
forall i = 1:3; t = 0; for j = p[i]:p[i+1]-1; t += x[d[j]; wrapped]; end; y[i] = t; end
y'                                                 # expect: f32[1×3]
                                                   # expect:   3  0  8
for i = 1:3; t = 0; for j = p[i]:p[i+1]-1; t += x[d[j]; zeros]; end; y[i] = t; end
y'                                                 # expect: f32[1×3]
                                                   # expect:   3  0  3
# ---
x = f32(1:4); f = f32([1, 2.5]); y = zeros(2);
for i = 1:2; y[i] = x[f[i]; mirror]; end           # error: an index must be a whole number, not 2.5
# ---
x[5; mirrored]                                     # error: expected the kind of a border, found `mirrored`
# ---
x[5; clamped, zeros]                               # error: there are 1 subscripts, but 2 borders
# ---
x = f32(1:4); x[0; zeros] = 3                      # error: places outside of an array cannot be assigned to
# ---
x = f32(1:4); x[0; zeros] += 3                     # error: places outside of an array cannot be assigned to
# ---
"abc"[0; clamped]                                  # error: "abc" is a string, which has no border
# ---
x = zeros(3, 0); x[1, 1; clamped]                  # error: is out of range
# ---
A = zeros(3, 3); A[4, 0; checked, zeros]           # error: index 4 is out of range
# ---
# Many rows and columns: rows of the result are rows of what a border chooses between.
n = 300; m = 1500; A = f32(mod(reshape(1:n*m, n, m)*7, 101)); B = zeros(n, m); C = zeros(n, m);
P = [A[1, :]; A; A[n, :]]; P = [P[:, 1], P, P[:, m]];
forall i = 1:n, j = 1:m
  s = 0;
  for u = -1:1; for v = -1:1; s += (u + 3*v + 1)*A[i + u, j + v; mirror]; end; end
  B[i, j] = s;
end
for u = -1:1; for v = -1:1; C += (u + 3*v + 1)*P[2+u:n+1+u, 2+v:m+1+v]; end; end
assert(all(B == C));
Z = zeros(n + 2, m + 2); Z[2:n+1, 2:m+1] = A; C = zeros(n, m);
forall i = 1:n, j = 1:m
  s = 0;
  for u = -1:1; for v = -1:1; s += (u + 3*v + 1)*A[i + u, j + v; zeros]; end; end
  B[i, j] = s;
end
for u = -1:1; for v = -1:1; C += (u + 3*v + 1)*Z[2+u:n+1+u, 2+v:m+1+v]; end; end
assert(all(B == C));

# ... also where these rows are overwritten, and where conditions are of rows and columns at once.
rows = (1:n) > 3; columns = (1:m)' < 1400; D = A; both = zeros(n, m);
begin
  E = where(rows && columns, A, -1);
  F = where(rows, E, A + 1);
  A[:, :] = A + 1000;
  G = F + E;
end
both[4:n, 1:1399] = 1;
assert(all(E == where(both > 0, D, -1)));
assert(all(F[1:3, :] == D[1:3, :] + 1) && all(F[4:n, :] == E[4:n, :]));
assert(all(G == F + E) && all(A == D + 1000));
