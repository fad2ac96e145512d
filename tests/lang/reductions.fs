A = [1, 2, 3; 4, 5, 6];
print(sum(A), " ", prod(A), " ", max(A), " ", min(A), " ", mean(A))   # expect: 21 720 6 1 3.5
sum(A, 1)                     # expect: f32[1×3]
                              # expect:   5  7  9
sum(A, 2)                     # expect: f32[2]
                              # expect:    6  15
mean(A, 1)                    # expect: f32[1×3]
                              # expect:   2.5  3.5  4.5
reduce("max", A, 1)           # expect: f32[1×3]
                              # expect:   4  5  6
reduce("min", A, 2)           # expect: f32[2]
                              # expect:   1  4
reduce("sum", A)              # expect: 21
print(reduce(max, A), " ", reduce((x, y) -> x*y, A), " ", reduce((a, b) -> a + b, A), " ", reduce("+", A))   # expect: 6 720 21 21
print(any(A > 5), " ", all(A > 5), " ", any(A > 6), " ", all(A > 0))   # expect: true false false true
any(A > 4, 2)                 # expect: bool[2]
                              # expect:   false   true
print(norm([3, 4]), " ", norm(A) - sqrt(91) < 1e-5, " ", dot([1, 2, 3], [4, 5, 6]))   # expect: 5 true 32
print(max(3, 5), " ", min([1, 9], [4, 2]))   # expect: 5 f32[2]
                              # expect:   1  2
print(sum(5), " ", sum([7]), " ", sum(zeros(4, 3)), " ", sum(fill(2, 3, 3)))   # expect: 5 7 0 18
# A truth counts, on the host as in an array.
print(sum(true), " ", prod(true), " ", max(true), " ", min(false), " ", sum(3 > 2, 1))   # expect: 1 1 1 0 1
print(sum([true]), " ", prod([true]), " ", max([true]), " ", min([false]), " ", any(true))   # expect: 1 1 1 0 true
# A column is one dimension; along the second there is nothing to do.
x = [1, 2, 3];
print(sum(x, 1))              # expect: 6
sum(x, 2)                     # expect: f32[3]
                              # expect:   1  2  3
sum(x', 2)                    # expect: f32[1]
                              # expect:   6
T = ones(2, 3, 4);
print(size(sum(T, 3)), " ", sum(sum(T, 1)))   # expect: i64[2]
                              # expect:   2  3 24
# NaN goes through max and min.
n = [1, nan, 3];
print(max(n), " ", min(n), " ", isnan(n[2]), " ", isfinite(1/0))   # expect: NaN NaN true false
# A mean of 16-bit floats takes sums and counts that these do not hold.
h = f16(fill(3, 70000, 2));
print(mean(h), " ", dtype(mean(h)), " ", mean(h, 1)[1], " ", mean(bf16(ones(1000))))   # expect: 3 f16 3 1
# More elements than f16 can count to, and sums that it cannot hold.
h = f16(mod(0:99999, 7));
print(var(h) > 3.9999, " ", var(h) < 4.0001, " ", std(h) > 1.9999, " ", dtype(std(h)))   # expect: true true true f32
H = reshape(h, 50000, 2);
print(max(abs(cov(H) - [4, cov(H)[1, 2]; cov(H)[1, 2], 4])) < 0.001, " ", dtype(cov(H)))   # expect: true f32
print(dtype(standardize(H)), " ", max(abs(mean(standardize(H), 1))) < 0.001, " ", max(standardize(H)))   # expect: f16 true 1.5
print(mse(h, f16(300) - h) < 1.0e5, " ", rmse(f16([300]), f16([0])), " ", norm1(h))   # expect: true 300 299995
# Nothing of a variance is lost to a large mean, nor to a first element far away from the others.
function off(x)
  return abs(f64(var(x))/var(f64(x)) - 1) < 2e-7
end
v = f32(mod(0:99999, 7)/8 + 1000); o = v; o[1] = 1e8;
print(off(v), " ", off(-o), " ", off(reshape(v, 1000, 100)), " ", var(fill(0.1, 1000)), " ", dtype(var(i32(1:3))), " ", isnan(var([1, 1/0])))   # expect: true true true 0 f32 true
V = reshape(o, 1000, 100); m, s = moments(V); e, t = moments(f64(V));
print(max(abs(f64(s)./t - 1)) < 2e-7, " ", max(abs(f64(m)./e - 1)) < 1e-7, " ", size(m, 2), " ", dtype(m), " ", dtype(t))   # expect: true true 100 f32 f64
w = softmax(f16(ones(70000)));
print(dtype(w), " ", w[1] > 1.4e-5, " ", w[70000] < 1.5e-5)   # expect: f16 true true
print(logsumexp(f16(zeros(70000))) > 11.15, " ", logsumexp([-1/0, -1/0]), " ", logsumexp([1, 1/0]))   # expect: true -Inf Inf
# Squares of f32 and bf16 are summed in f64, so that they neither overflow nor vanish.
print(norm(fill(3e30, 16)) == f32(1.2e31), " ", norm(fill(3e-30, 16)) == f32(1.2e-29), " ", dtype(norm([1])))   # expect: true true f32
print(norm2(bf16([3e30, 4e30])) > 4.9e30, " ", normfro(fill(1e25, 33, 31)) < 4e26, " ", norm(f16([300, 400])))   # expect: true true 500
print(normalize([3e25, 4e25])[1] == f32(0.6), " ", dtype(normalize(f16([3, 4]))), " ", norm([1, 1/0]))   # expect: true f16 Inf
B = zeros(5000, 3); B[4999, :] = [2e20, 3e20, 6e20]';
print(norm(B) == f32(7e20), " ", norm(B') == f32(7e20), " ", norm(B[end:-1:1, 3:-1:1]) == f32(7e20), " ", norm(B*[0, 0, 1]) == f32(6e20))   # expect: true true true true
print(norm(i32([3, 4])), " ", norm(i64([3, 4])), " ", dtype(norm(i64([3, 4]))), " ", norm(5), " ", norm(1:2) == norm(f64([1, 2])))   # expect: 5 5 f64 5 true
# Of a number of the host they are that number, in double precision.
print(mean(1e300) == 1e300, " ", mean(0.1) == 0.1, " ", norm(-123456789.7) == 123456789.7, " ", norm2(1e-200) == 1e-200) # expect: true true true true
print(dot(0.1, 3) == 0.1*3, " ", mean(true), " ", dtype(mean(4)), " ", mean(7, 1))          # expect: true 1 number 7
# ---
# Of columns and rows, of vectors and of what is neither.
A = [1, 2, 3; 5, 2, 7]; h = f16([1, 3; 2, 5; 6, 4]);
var(A, 1)                     # expect: f32[1×3]
                              # expect:   8  0  8
var(A, 2)                     # expect: f32[2]
                              # expect:   1.00000  6.33333
std(f64(A), 1) - sqrt(var(f64(A), 1))   # expect: f64[1×3]
                              # expect:   0  0  0
median(A, 1)                  # expect: f32[1×3]
                              # expect:   3  2  5
median(A, 2)                  # expect: f32[2]
                              # expect:   2  5
median([1, nan; 2, 3; 9, 4], 1)   # expect: f32[1×2]
                              # expect:     2  NaN
print(var([1, 2, 3], 1), median([1, 5, 3], 1), dtype(median(i64(A), 1)), " ", dtype(median(h, 1)), " ", dtype(var(h, 2)))   # expect: 1 3f64 f16 f32
median(h, 1)                  # expect: f16[1×2]
                              # expect:   2  4
# ---
# Without a tolerance and a number of steps.
S = [4, 1; 1, 3]; b = [1, 2];
x, k = cg(S, b);
y, l = bicg(S, b);
print(norm(S*x - b) < 1e-5, norm(S*y - b) < 1e-5, k <= 2)   # expect: true true true

# Lengths neither overflow nor vanish, in any type: f64 has no wider one for its squares.
print(nrm2(f64([1e200, 1e200]))/1e200, " ", norm(f64([3e-200, 4e-200]))/1e-200)   # expect: 1.41421 5
print(norm(f64([-3e307, 4e307; 0, 0]))/1e307, " ", norm(f64([3, 4])*2^-1074)*2^1000*2^74)   # expect: 5 5
print(norm(f64([1.7e308, 1]))/1e308, " ", norm(f64([3e-310, 4e-310, 0]))/1e-310)   # expect: 1.7 5
print(norm(f64([3e160, 4e160])*1e-160), " ", norm(f64([1e-170, 3, 4])), " ", norm(f64([3e160, 4e160, 1e-300]))/1e160)   # expect: 5 5 5
print(norm(f64([0, 0])), " ", norm(f64([-inf, 1])), " ", norm(f64([nan, 1e200])), " ", norm(f64([nan, 1e-200])))   # expect: 0 Inf NaN NaN
near(x, y) = all(abs(x - y) <= 2^-52)
print(near(normalize(f64([3e-200, 4e-200])), f64([0.6, 0.8])), " ", near(normalize(f64([3e200, 4e200])), f64([0.6, 0.8])))   # expect: true true
x = f64(rand(1000)); print(norm(x) - sqrt(sum(x.^2)))   # expect: 0
print(norm(f32([3e30, 4e30]))/1e30, " ", norm(f32([3e-30, 4e-30]))/1e-30, " ", norm(f16([3e4, 4e4])))   # expect: 5 5 50000
print(norm(bf16([3e30, 4e30]))/1e30 < 5.05, " ", normalize(f16([3e4, 4e4]))[1] == f16(0.6))   # expect: true true

# softmax goes along the last dimension, whatever the other extents are.
near(x, y) = all(abs(x[:] - y[:]) < 1e-6)
s1 = softmax([1, 2, 3]'); s2 = softmax([4, 5, 6]');
print(near(softmax(reshape(f32(1:6), 2, 1, 3)), [s1[:]; s2[:]]), " ", near(softmax(reshape(f32(1:6), 1, 2, 3)), [s1[:]; s2[:]]))   # expect: true true
print(near(softmax(reshape(f32(1:6), 2, 3, 1)), ones(6)), " ", near(softmax(reshape(f32(1:6), 2, 3)), [s1[:]; s2[:]]), " ", near(softmax(reshape(f32(1:3), 3, 1)), s1))   # expect: true true true
print(near(sum(softmax(rand(2, 3, 4)), 3), ones(6)), " ", near(sum(softmax(rand(1, 1, 4))), 1), " ", near(softmax(rand(3, 1, 1)), ones(3)))   # expect: true true true
# Vectors of two shapes are not spread against each other.
print(trapz(1:3, [2, 4, 6]'), " ", trapz([1, 2, 3]', [2, 4, 6]), " ", trapz([1, 2, 3], [2, 4, 6]), " ", numel(cross([1, 0, 0], [0, 1, 0]')), " ", cross([1, 0, 0]', [0, 1, 0])[3])   # expect: 8 8 8 3 1

# Products of the numbers of a range are whole while an i64 holds them, else in f64.
print(prod(1:20), " ", dtype(prod(1:20)), " ", prod(1:25)/1e25, " ", dtype(prod(1:21)), " ", prod(-5:30), " ", prod(25:-1:1)/1e25)   # expect: 2432902008176640000 i64 1.55112 f64 0 1.55112
print(reduce("prod", 1:25)/1e25, " ", reduce((a, b) -> a*b, 1:25)/1e25, " ", cumprod(1:22)[22]/1e21, " ", dtype(cumprod(1:5)), " ", prod(-1:-2:-41) < -1e19)   # expect: 1.55112 1.55112 1.124 i64 true
