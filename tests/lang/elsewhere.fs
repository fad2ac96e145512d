# What the hints about functions of other languages say, held to what those give.
near(a, b) = max(abs(a - b)) < 1e-5
x = [3, 1, 2, 5]; y = [1, 0, 2, 2]; A = [2, 1, 0; 1, 3, 1; 0, 1, 4]; n = 3; k = 1;
near(exp(1), 2.718281828)                                  # expect: true
[x[end-k+1:end]; x[1:end-k]]' == [5, 3, 1, 2]'             # expect: bool[1×4]
# expect:   true  true  true  true
where((1:n) <= (1:n)', A, 0)                               # expect: f32[3×3]
# expect:   2  1  0
# expect:   0  3  1
# expect:   0  0  4
where((1:n) >= (1:n)', A, 0)[2, :]                         # expect: f32[1×3]
# expect:   1  3  0
near(x[end:-1:1], [5, 2, 1, 3])                            # expect: true
A[end:-1:1, :][1, :]                                       # expect: f32[1×3]
# expect:   0  1  4
A[:, end:-1:1][1, :]                                       # expect: f32[1×3]
# expect:   0  1  2
near(sign([-8, 27]).*abs([-8, 27]).^(1/3), [-2, 3])        # expect: true
a = [-7, 7]; b = 3;
near(a - b.*trunc(a./b), [-1, 1])                          # expect: true
floor(a./b)                                                # expect: f32[2]
# expect:   -3   2
prod(f64(1:5))                                             # expect: 120
abs(prod(f64(1:25))/1.5511210043330985984e25 - 1) < 1e-14  # expect: true
near(x[2:end] - x[1:end-1], [-2, 1, 3])                    # expect: true
sum((x[2:end] - x[1:end-1]).*(y[2:end] + y[1:end-1]))/2    # expect: 6
h = [1, 2, 1];
near(h[1]*x[3:end] + h[2]*x[2:end-1] + h[3]*x[1:end-2], [7, 10])   # expect: true
n = 4; k = i64(0:n-1); w = f64(mod(k.*k', n))*(2*pi/n);
near(cos(w)*x, [11, 1, -1, 1])                             # expect: true
near(-sin(w)*x, [0, 4, 0, -4])                             # expect: true
n = 2048; z = cos(2*pi*f64(mod(5*i64(0:n-1), n))/n);
k = i64(0:n-1); w = f64(mod(k.*k', n))*(2*pi/n);
re = cos(w)*z; im = -sin(w)*z; re[6] = re[6] - n/2; re[n-4] = re[n-4] - n/2;
max(abs(re)) < 1e-11 && max(abs(im)) < 1e-11               # expect: true
n = 3; k = 1;
near([ones(length(x)), x, x.^2]\(1 + x.^2), [1, 0, 1])     # expect: true
p = [1, 0, 1];
near(p[1]*x.^2 + p[2]*x + p[3], 1 + x.^2)                  # expect: true
near(cov(standardize([x, y]))[1, 2], 0.662541)             # expect: true
near(prod(diag(chol(A)))^2, 18)                            # expect: true
near(max(svdvals(A))/min(svdvals(A)), 3.732051)            # expect: true
near(10.^linspace(0, 2, 3), [1, 10, 100])                  # expect: true
size(x*ones(2)')                                           # expect: i64[2]
# expect:   4  2
x.^2 + (y.^2)'                                             # expect: f32[4×4]
# expect:   10   9  13  13
# expect:    2   1   5   5
# expect:    5   4   8   8
# expect:   26  25  29  29
dtype(zeros(size(i32(x)), dtype(i32(x))))                  # expect: "i32"
seed(3); r = floor(6*rand(1000)) + 1;
[min(r), max(r)]                                           # expect: f32[2]
# expect:   1  6
bool(2) != bool(3)                                         # expect: false
abs([1/0, 0/0, -1/0]) == Inf                               # expect: bool[3]
# expect:    true  false   true
any(x == 5)                                                # expect: true
sum(x > 2)                                                 # expect: 2
number("2.5")                                              # expect: 2.5
x = [1, 4]; y = [1, 4]; A = [1, 2; 3, 4]; B = A;
all(x == y)                                                # expect: true
max(abs(x - y)) < 1e-6                                     # expect: true
sum(x[x == x])                                             # expect: 5
clamp(x, 2, 3)'                                            # expect: f32[1×2]
# expect:   2  3
log1p(exp(0))                                              # expect: 0.693147
sum(A .* B, 2)'                                            # expect: f32[1×2]
# expect:    5  25
log(8)/log(2)                                              # expect: 3
m, v = moments(A);
# ---
norm([1, 2], 1, 2)                                         # error: norm takes 1 argument, not 3
# ---
diff(eye(3))                                               # error: diff takes a vector; of a matrix there are diffrows and diffcols
# ---
k = [2, 1, 2, 3]; v = [10, 20, 30, 40]; n = 4;
sum(k == (1:n)', 1)                                        # expect: i64[1×4]
# expect:   1  2  1  0
sum(where(k == (1:n)', v, 0), 1)                           # expect: f32[1×4]
# expect:   20  40  40   0
s = sort([i32(k); i32(1:n)]);
(diff([0; find(s != [s[2:end]; 0])]) - 1)'                 # expect: i64[1×4]
# expect:   1  2  1  0
x = [0, 0.1, 0.5, 0.99, 1, -3, 7]; lo = 0; hi = 1; n = 2;
k = clamp(floor((x - lo)*(n/(hi - lo))) + 1, 1, n);
s = sort([i32(k); i32(1:n)]);
(diff([0; find(s != [s[2:end]; 0])]) - 1)'                 # expect: i64[1×2]
# expect:   3  4
m = 2; n = 3; p = 4; A = reshape(1:24, m, n, p);
B = reshape(reshape(A, m*n, p)', p, m, n); C = zeros(n, m, p);
for k = 1:p; C[:, :, k] = A[:, :, k]'; end
print(B[3, 2, 1], " ", A[2, 1, 3], " ", C[3, 1, 4], " ", A[1, 3, 4])   # expect: 15 15 12 12
S = sum(sum(A, 1), 2);
print(all(S == sum(sum(A, 2), 1)), " ", sum(S) == sum(A), " ", S[1, 1, 2] == sum(A[:, :, 2]))   # expect: true true true
circshift(1:3, 1)'                                         # expect: i64[1×3]
# expect:   3  1  2
circrows(A[:, :, 1], 1)                                    # expect: i64[2×3]
# expect:   13  17  21
# expect:    1   5   9
x = [1, 2, 4, 8]; q = [3, 8, 0];
sum(x <= q', 1)                                            # expect: i64[1×3]
# expect:   2  4  0
n = 5; k = 2;
round(prod(f64(n-k+1:n) ./ f64(1:k)))                      # expect: 10
prod(f64(1:n-1))                                           # expect: 24
n = 50; k = 25;
abs(round(prod(f64(n-k+1:n) ./ f64(1:k))) - 126410606437752) <= 0.05   # expect: true
abs(sum(log(f64(1:n-1))) - 144.565743946345) < 1e-11       # expect: true
