# Elements in other places, differences and small products: of the prelude (prelude.fs).
x = [1, 2, 3, 4, 5]; A = reshape(f32(1:6), 2, 3);
flip(x)'
# expect: f32[1×5]
# expect:   5  4  3  2  1
flipud(A)
# expect: f32[2×3]
# expect:   4  5  6
# expect:   1  2  3
fliplr(A)
# expect: f32[2×3]
# expect:   3  2  1
# expect:   6  5  4
circshift(x, 2)'
# expect: f32[1×5]
# expect:   4  5  1  2  3
circshift(x, -1)'
# expect: f32[1×5]
# expect:   2  3  4  5  1
circrows(A, 1)
# expect: f32[2×3]
# expect:   4  5  6
# expect:   1  2  3
circcols(A, -1)
# expect: f32[2×3]
# expect:   2  3  1
# expect:   5  6  4
# ---
A = reshape(f32(1:6), 2, 3);
triu(ones(3, 4))
# expect: f32[3×4]
# expect:   1  1  1  1
# expect:   0  1  1  1
# expect:   0  0  1  1
tril(ones(4, 3))
# expect: f32[4×3]
# expect:   1  0  0
# expect:   1  1  0
# expect:   1  1  1
# expect:   1  1  1
triu([1, 0/0; 1/0, 2])
# expect: f32[2×2]
# expect:     1  NaN
# expect:     0    2
tril(i32([1, 2; 3, 4]))
# expect: i32[2×2]
# expect:   1  0
# expect:   3  4
repmat(A, 2, 2)
# expect: f32[4×6]
# expect:   1  2  3  1  2  3
# expect:   4  5  6  4  5  6
# expect:   1  2  3  1  2  3
# expect:   4  5  6  4  5  6
kron(A, [1, 10; 100, 1000])
# expect: f32[4×6]
# expect:      1    10     2    20     3    30
# expect:    100  1000   200  2000   300  3000
# expect:      4    40     5    50     6    60
# expect:    400  4000   500  5000   600  6000
ndims(kron([1, 2], [3, 4]))
# expect: 1
kron(f64([1, 2]), [1, 10, 100])'
# expect: f64[1×6]
# expect:     1   10  100    2   20  200
X, Y = meshgrid([1, 2, 3], [10, 20])
# expect: X = f32[2×3]
# expect:   1  2  3
# expect:   1  2  3
# expect: Y = f32[2×3]
# expect:   10  10  10
# expect:   20  20  20
# ---
x = [1, 2, 3, 4, 5]; A = reshape(f32(1:6), 2, 3);
diff(x.^2)'
# expect: f32[1×4]
# expect:   3  5  7  9
diffrows(A)
# expect: f32[1×3]
# expect:   3  3  3
diffcols(A)
# expect: f32[2×2]
# expect:   1  1
# expect:   1  1
trapz([0, 1, 3], [1, 1, 3])
# expect: 5
conv([1, 2, 3], [1, 1])'
# expect: f32[1×4]
# expect:   1  3  5  3
conv([1, 1], [1, 2, 3])'
# expect: f32[1×4]
# expect:   1  3  5  3
conv(f64(x), [1, 0, -1])[3:5]'
# expect: f64[1×3]
# expect:   2  2  2
polyval([1, 2, 3], x)'
# expect: f32[1×5]
# expect:    6  11  18  27  38
polyval([1, 2, 3], 2)
# expect: 11
polyval([7], x)'
# expect: f32[1×5]
# expect:   7  7  7  7  7
cross([1, 0, 0], [0, 1, 0])'
# expect: f32[1×3]
# expect:   0  0  1
nnz([0, 1, 2; 0, 0, 3])
# expect: 3
logspace(0, 3, 4)'
# expect: f32[1×4]
# expect:      1    10   100  1000
# ---
r = randi(6, 100000);
min(r)
# expect: 1
max(r)
# expect: 6
dtype(r)
# expect: "i64"
abs(mean(f64(r)) - 3.5) < 0.03
# expect: true
r = randi([-2, 1], 100000);
min(r)
# expect: -2
max(r)
# expect: 1
dtype(r)
# expect: "i64"
abs(mean(f64(r)) + 0.5) < 0.03
# expect: true
randi([7, 7], 3)'
# expect: i64[1×3]
# expect:   7  7  7
# ---
# A product with kron(A, B) never writes it.
A = rand(20, 30); B = rand(8, 8); r = rand(240);
y = kron(A, B)*r;
:assert plan saved > 100000
K = kron(A, B);
print(max(abs(y - K*r)) < 1e-4)  # expect: true
# ---
x = f32(mod(7*(1:50), 11)); w = f32(mod(5*(1:19), 7));
y = conv(x, w);
print(size(y, 1), " ", sum(y) - sum(x)*sum(w))  # expect: 68 0
print(y[1] - w[1]*x[1], y[68] - w[19]*x[50], y[30] - sum(w .* flip(x[12:30])))  # expect: 0 0 0
# ---
x = [1, 2, 3]; A = reshape(f32(1:6), 2, 3);
print(circshift(x, 0)', circshift(x, 3)', circshift(x, -4)')
# expect: f32[1×3]
# expect:   1  2  3
# expect: f32[1×3]
# expect:   1  2  3
# expect: f32[1×3]
# expect:   2  3  1
print(circcols(A, 4))
# expect: f32[2×3]
# expect:   3  1  2
# expect:   6  4  5
p = randperm(1000);
print(all(sort(p) == 1:1000), sum(p == 1:1000) < 20)  # expect: true true
# ---
print(standardize(i64([100000001; 100000002; 100000003]))')
# expect: f64[1×3]
# expect:   -1   0   1
print(dtype(var(i64([1, 2]))), dtype(var(i32([1, 2]))))  # expect: f64f32
X, Y = meshgrid([3, 1, 2]', i32([3, 1]));
print(X)
# expect: f32[2×3]
# expect:   3  1  2
# expect:   3  1  2
print(Y)
# expect: i32[2×3]
# expect:   3  3  3
# expect:   1  1  1
print(circshift([1, 2, 3]', 1))
# expect: f32[1×3]
# expect:   3  1  2
print(conv(1:3, [1, 1])')
# expect: f32[1×4]
# expect:   1  3  5  3
# ---
trapz([1, 2], [1, 2, 3])  # error: trapz needs as many places as values
# ---
randi(0, 3)               # error: randi needs a largest number of 1 or more
# ---
randi([3, 2], 3)          # error: a largest number that is not below the least
# ---
randi([1, 2, 3], 3)       # error: randi needs a largest number, or [least, largest]
# ---
v = [1, 2, 3]; v[true] = 5  # error: an index must be a number, not a truth value
# ---
s = sum([0, 0]); s[s > 1] = -1  # error: an index must be a number, not a truth value
# ---
A = [1, 2, 4; 3, 9, 0];
tril(A, 1)
# expect: f32[2×3]
# expect:   1  2  0
# expect:   3  9  0
triu(A, -1) - A + tril(A, -2)
# expect: f32[2×3]
# expect:   0  0  0
# expect:   0  0  0
triu(A, 1)
# expect: f32[2×3]
# expect:   0  2  4
# expect:   0  0  0
toeplitz([1, 2, 3], [9, 5])
# expect: f32[3×2]
# expect:   1  5
# expect:   2  1
# expect:   3  2
print(all(all(toeplitz(1:4) == abs((1:4) - (1:4)') + 1)), size(toeplitz([7], [7, 8, 9]))', size(toeplitz([7, 8], [7]))')
# expect: true
# expect: i64[1×2]
# expect:   1  3
# expect: i64[1×2]
# expect:   2  1
all(all(repmat(A, 2) == repmat(A, 2, 2)))
# expect: true
size(randi(3, 4, 5))'
# expect: i64[1×2]
# expect:   4  5
print(length(logspace(0, 2)), logspace(0, 2)[end])
# expect: 50 100
# ---
toeplitz([1, 2; 3, 4])    # error: toeplitz takes vectors
