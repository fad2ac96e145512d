A = [1, 2, 3; 4, 5, 6];
x = [10, 20, 30, 40, 50];
print(A[1, 2], " ", A[end, end], " ", x[1], " ", x[end], " ", x[end-1])   # expect: 2 6 10 50 40
A[2, :]                       # expect: f32[1×3]
                              # expect:   4  5  6
A[:, 3]                       # expect: f32[2]
                              # expect:   3  6
A[1:2, 2:3]                   # expect: f32[2×2]
                              # expect:   2  3
                              # expect:   5  6
A[:]                          # expect: f32[6]
                              # expect:   1  2  3  4  5  6
x[2:2:end]                    # expect: f32[2]
                              # expect:   20  40
x[end:-1:1]                   # expect: f32[5]
                              # expect:   50  40  30  20  10
x[[1, 5, 1]]                  # expect: f32[3]
                              # expect:   10  50  10
x[x > 25]                     # expect: f32[3]
                              # expect:   30  40  50
A[A > 2]                      # expect: f32[4]
                              # expect:   3  4  5  6
A[[2, 1], :]                  # expect: f32[2×3]
                              # expect:   4  5  6
                              # expect:   1  2  3
A[:, [3, 1]]                  # expect: f32[2×2]
                              # expect:   3  1
                              # expect:   6  4
A[[2, 1], [3, 3, 1]]          # expect: f32[2×3]
                              # expect:   6  6  4
                              # expect:   3  3  1
A[[true, false], :]           # expect: f32[1×3]
                              # expect:   1  2  3
x'[2:3]                       # expect: f32[1×2]
                              # expect:   20  30
print(x'[4], " ", A[2, :][2], " ", A'[3, 1])   # expect: 40 5 3
k = 2;
print(x[k], " ", x[k+1], " ", x[length(x)/5 + 1])   # expect: 20 30 20
i = i32([3, 4]);
print(x[i[1]], " ", sum(x[i]))     # expect: 30 70
print((1:10)[3], " ", (5:-1:1)[2]) # expect: 3 4
print(x[2, 1], " ", x[:, 1][5])    # expect: 20 50
s = sum(x);
print(s[1])                   # expect: 150
T = reshape(1:24, 2, 3, 4);
print(T[2, 3, 4], " ", size(T[:, 1, :], 3), " ", sum(T[1, :, 2]))   # expect: 24 4 18
B = A;
B[2, 2] = 9;
print(A[2, 2], " ", B[2, 2])       # expect: 5 9
B[1, :] = 7                   # expect: B = f32[2×3]
                              # expect:   7  7  7
                              # expect:   4  9  6
B[:, 1] = [0; 1]              # expect: B = f32[2×3]
                              # expect:   0  7  7
                              # expect:   1  9  6
B[B > 6] = -1                 # expect: B = f32[2×3]
                              # expect:    0  -1  -1
                              # expect:    1  -1   6
x[[1, 2]] = [5, 6];
x[2:2:4] = 0                  # expect: x = f32[5]
                              # expect:    5   0  30   0  50
B[[2], :] = [1, 2, 3];
B[:, [1, 3]] = [8, 9; 8, 9]   # expect: B = f32[2×3]
                              # expect:    8  -1   9
                              # expect:    8   2   9
x[end:-2:1] = [1, 2, 3]       # expect: x = f32[5]
                              # expect:   3  0  2  0  1
B[:] = 4;
print(sum(B))                 # expect: 24
x[2] += 5;
print(x[2])                   # expect: 5
I = i32([1, 2, 3]);
I[2] = 7;
print(I, " ", dtype(I))            # expect: i32[3]
                              # expect:   1  7  3 i32
C = zeros(3, 3);
for k = 1:3
  C[k, k] = k;
end
print(trace(C), " ", sum(C))       # expect: 6 6
# Array literals put tensors together.
y = [x; 9]                    # expect: y = f32[6]
                              # expect:   3  5  2  0  1  9
[A; A[1, :]]                  # expect: f32[3×3]
                              # expect:   1  2  3
                              # expect:   4  5  6
                              # expect:   1  2  3
[A, [7; 8]]                   # expect: f32[2×4]
                              # expect:   1  2  3  7
                              # expect:   4  5  6  8
[x[1], x[2]]                  # expect: f32[2]
                              # expect:   3  5
# A mask of a tensor's own shape, of any rank.
T = reshape(1:8, 2, 2, 2);
print(T[T > 5])               # expect: i64[3]
                              # expect:   6  7  8
T[T > 2] = 0;
print(sum(T), " ", size(T))   # expect: 3 i64[3]
                              # expect:   2  2  2
# Where nothing is chosen, one value changes nothing: the last round of an elimination.
m = [1, 2, 3];
m[m > 5] = 0;
m[3:2] = [4];                 # an array of one element is one value, too
m[m > 5] = [4];
print(m)                      # expect: f32[3]
                              # expect:   1  2  3
E = [1, 2; 3, 4];
E[E < 0] = 9;
E[:, E[1, :]' > 5] = 7;
for k = 1:2
  E[k+1:end, k] = 0;
end
print(E)                      # expect: f32[2×2]
                              # expect:   1  2
                              # expect:   0  4
# `+=` reads its subscripts once: a mask that draws random numbers means the same
# elements for what is read and what is written.
seed(1);
z = zeros(1000);
z[rand(1000) > 0.5] += 1;
print(max(z), " ", min(z), " ", sum(z) > 400, " ", sum(z) < 600)   # expect: 1 0 true true
# Where it chooses nothing, nothing changes.
z = [1, 2, 3];
z[z > 5] += 1                 # expect: z = f32[3]
                              # expect:   1  2  3
z[3:2] *= 2;
z[[false, false, false]] -= sum(z);
print(z[1], " ", z[2], " ", z[3])   # expect: 1 2 3
z[[1, 3]] += [9, 57];
z[end] += 0.5;
print(z[1], " ", z[2], " ", z[3])   # expect: 10 2 60.5
# A[:] takes all elements as a column, too, in the order in which it gives them.
Z = [1, 2; 3, 4]; Z[:] += [1, 0, 0, 1]
                              # expect: Z = f32[2×2]
                              # expect:   2  2
                              # expect:   3  5
Z[:] = Z[end:-1:1, :]         # expect: Z = f32[2×2]
                              # expect:   3  5
                              # expect:   2  2
# Rows of a view whose first two, and whose first and last, are as far apart as if they
# lay one behind the other: the others do not.
T = reshape(1:625, 5, 5, 5, 5) + 0;
print(T[5, 5, 5, 5])          # expect: 625
V = 2*T[1:4, 5:-1:2, 1:4, :];
print(sum(V))                 # expect: 166720
print(V[4, 3, 4, 1], " ", V[1, 2, 1, 1])   # expect: 882 152
# A value that is another's after simplifying does not change when that one does.
x = i64([1, 2, 3]);
begin
  w = -(-x);
  x[2] = -9;
end
print(w[2], " ", x[2])        # expect: 2 -9
begin
  w = where(x > 0, x, x);
  x[1:2] = 0;
end
print(w[2], " ", x[2])        # expect: -9 0
# Nor does what the kernel that updates it makes of it besides, in whatever order.
a = [1, 2; 3, 4]; b = [5, 6; 7, 8];
print(sum(a[:]), sum(b[:]))   # expect: 10 26
begin
  a[1, :] = b[2, :];
  b[2, :] += 1;
end
print(a[1, 2], b[2, 2])       # expect: 8 9
n = 300; M = f32(reshape(mod(0:n*n-1, 7), n, n)); N = f32(reshape(mod(0:n*n-1, 5), n, n));
c = N[:, 2] + 0; Z = M + c;
print(sum(c))                 # expect: 300
begin
  W = M + N[:, 2];
  N[:, 2] += 1;
end
print(sum(abs(W[:] - Z[:])), sum(N[:, 2] - c))   # expect: 0 300
# Nor does another view of it, of which the block knows as an input of its own.
y = [1, 0; 0, 1];
begin
  w = -(-y');
  y[2, 1] = 7;
end
print(w[1, 2], " ", y[2, 1])  # expect: 0 7
begin
  w = f32(f64(y[:, 2]));
  y[1, 2] = 5;
end
print(w[1], " ", y[1, 2])     # expect: 0 5
r = [1, 0];
for k = 2:4
  w = where(y > 0, r, r);
  r[2] = k;
  print(w[2, 2], " ", r[2])
end
# expect: 0 2
# expect: 2 3
# expect: 3 4
