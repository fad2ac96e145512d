print(sum(zeros(3, 4)), " ", sum(ones(3, 4)), " ", sum(fill(2.5, 2)), " ", sum(eye(4)))   # expect: 0 12 5 4
eye(2, 3)                     # expect: f32[2×3]
                              # expect:   1  0  0
                              # expect:   0  1  0
linspace(0, 1, 5)             # expect: f32[5]
                              # expect:   0.00  0.25  0.50  0.75  1.00
# The last value is the end; integers are cut from values, not counted in steps.
print(linspace(0, 1, 50, "f64")[50] == 1, " ", linspace(0, 1, 50, "f64")[49] < 1, " ", linspace(0, 1, 50, "i32")[50])  # expect: true true 1
linspace(0, 10, 5, "i32")     # expect: i32[5]
                              # expect:    0   2   5   7  10
print(sum(linspace(-1.5, 1.5, 4, "i64")), " ", sum(linspace(0, 1, 3, "bool")), " ", linspace(2, 9, 1, "f64")[1])  # expect: 0 2 2
zeros(2)                      # expect: f32[2]
                              # expect:   0  0
seed(3); a = rand(100); seed(3); b = rand(100); c = rand(100);
print(all(a == b), " ", all(a == c), " ", min(a) >= 0, " ", max(a) < 1)   # expect: true false true true
seed(1);
z = randn(10000);
print(abs(mean(z)) < 0.05, " ", abs(norm(z)/100 - 1) < 0.05)   # expect: true true
A = rand(50, 40);
B = A';
print(max(abs(B' - A)), " ", A[7, 3] == B[3, 7])   # expect: 0 true
[1, 2, 3]                     # expect: f32[3]
                              # expect:   1  2  3
[1; 2; 3]                     # expect: f32[3]
                              # expect:   1  2  3
[1, 2, 3]'                    # expect: f32[1×3]
                              # expect:   1  2  3
[1, 2;
 3, 4]                        # expect: f32[2×2]
                              # expect:   1  2
                              # expect:   3  4
print(size(rand(2, 3, 4)), " ", ndims(rand(2, 3, 4)), " ", numel(rand(2, 3, 4)), " ", rank(5))   # expect: i64[3]
                              # expect:   2  3  4 3 24 0
reshape([1, 2, 3, 4, 5, 6], 2, 3)   # expect: f32[2×3]
                              # expect:   1  2  3
                              # expect:   4  5  6
reshape([1, 2; 3, 4]', 4)     # expect: f32[4]
                              # expect:   1  3  2  4
vec([1, 2; 3, 4])             # expect: f32[4]
                              # expect:   1  2  3  4
diag([1, 2; 3, 4])            # expect: f32[2]
                              # expect:   1  4
diag([5, 6])                  # expect: f32[2×2]
                              # expect:   5  0
                              # expect:   0  6
# What a matrix and a part of it are made of, in one kernel: counts along one axis.
v = f32(1:20);
v[2]                          # expect: 2
W = diag(v); z = W[:, 6]; t = 2*W[6, :]';
print(sum(W), " ", sum(z), " ", z[6], " ", sum(t), " ", t[6])   # expect: 210 6 6 12 12
print(sum(zeros(size(rand(3, 2))) + 1))   # expect: 6
print(pi > 3.14, " ", inf > 1, " ", nan == nan)     # expect: true true false
