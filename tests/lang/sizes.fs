# Extents of 1 behave like any other.
A = rand(1, 1); p = rand(1); r = rand(1);
q = A*p; s = A'*r;
print(abs(q - A[1, 1]*p[1]) < 1e-6, " ", numel(s))   # expect: true 1
C = rand(5, 1);
print(size(C), " ", size(C*p), " ", size(C'*C), " ", size(C*C'))   # expect: i64[2]
# expect:   5  1 i64[2]
# expect:   5  1 i64[2]
# expect:   1  1 i64[2]
# expect:   5  5
D = rand(1, 4);
print(size(D*rand(4, 3)), " ", size(D'*D), " ", numel(D*D'))   # expect: i64[2]
# expect:   1  3 i64[2]
# expect:   4  4 1
print(size(sum(C, 1)), " ", size(sum(D, 1)), " ", size(sum(D, 2)))   # expect: i64[2]
# expect:   1  1 i64[2]
# expect:   1  4 i64[2]
# expect:   1  1
x = [5];
print(x'*x, " ", sum(x), " ", x + [1, 2], " ", max(x), " ", x[1])   # expect: 25 5 f32[2]
# expect:   6  7 5 5
print(sum(x*[1, 2]'), " ", (2*x)[1], " ", sum([1, 2]*x))  # expect: 15 10 15
alpha = sum(x)/(x'*x);
print(alpha)                  # expect: 0.2
print(sum(rand(3, 1, 2) .* zeros(3, 1, 2)))     # expect: 0
y = rand(1); y[1] = 3;
print(y[1], " ", sum(A \ (A*[2])))  # expect-re: 3 (2|1.99999\d*|2.00000\d*)
# Types do not depend on extents: a sum of one product is one.
I = i32([65536]);
print(I'*I, " ", dtype(I'*I), " ", dtype(I*I'), " ", dtype(reshape(I, 1, 1)*I))   # expect: 4294967296 i64 i32 i64
