# Operators on host numbers, vectors and matrices.
print(1 + 2*3)                # expect: 7
print(7/2, " ", 6/3, " ", 2^10, " ", 2^-1)   # expect: 3.5 2 1024 0.5
print(-2^2, " ", 2^3^2)            # expect: -4 512
print(1 < 2, " ", 2 <= 1, " ", 3 == 3)  # expect: true false true
print(true && false, " ", true || false, " ", !true)  # expect: false true false
A = [1, 2; 3, 4];
p = [1; 1];
x = [1, 2, 3];
y = [4, 5, 6];
print(sum(A*p))               # expect: 10
q = A*p                       # expect: q = f32[2]
                              # expect:   3  7
A'*p                          # expect: f32[2]
                              # expect:   4  6
p'*A                          # expect: f32[1×2]
                              # expect:   4  6
A*A                           # expect: f32[2×2]
                              # expect:    7  10
                              # expect:   15  22
A'*A                          # expect: f32[2×2]
                              # expect:   10  14
                              # expect:   14  20
A*A'                          # expect: f32[2×2]
                              # expect:    5  11
                              # expect:   11  25
print(x'*y)                   # expect: 32
x*y'                          # expect: f32[3×3]
                              # expect:    4   5   6
                              # expect:    8  10  12
                              # expect:   12  15  18
x .* y                        # expect: f32[3]
                              # expect:    4  10  18
y ./ x                        # expect: f32[3]
                              # expect:   4.0  2.5  2.0
x .^ 2                        # expect: f32[3]
                              # expect:   1  4  9
x .^ 3                        # expect: f32[3]
                              # expect:    1   8  27
print(sum(x.^0.5) - sum(sqrt(x)))   # expect: 0
print(sum(x.^-1) - sum(1 ./ x))     # expect: 0
e = [0, -0.0, 4, -9, 1/0, -1/0];
(e.^2).^0.5 == abs(e)         # expect: bool[6]
                              # expect:   true  true  true  true  true  true
1 ./ (e.^2).^-1.5 == abs(e).^3   # expect: bool[6]
                              # expect:   true  true  true  true  true  true
(e.^2 - 0).^-0.5 == 1 ./ abs(e)  # expect: bool[6]
                              # expect:   true  true  true  true  true  true
(-e.^2 .* 0).^-0.5            # expect: f32[6]
                              # expect:   Inf  Inf  Inf  Inf  NaN  NaN
2*x + 1                       # expect: f32[3]
                              # expect:   3  5  7
x/2                           # expect: f32[3]
                              # expect:   0.5  1.0  1.5
-x                            # expect: f32[3]
                              # expect:   -1  -2  -3
A^2                           # expect: f32[2×2]
                              # expect:    7  10
                              # expect:   15  22
A^0                           # expect: f32[2×2]
                              # expect:   1  0
                              # expect:   0  1
print(sum(A^3 - A*A*A))       # expect: 0
x > 1.5                       # expect: bool[3]
                              # expect:   false   true   true
!(x > 1.5)                    # expect: bool[3]
                              # expect:    true  false  false
print(sum((x > 1) && (y < 6)))     # expect: 1
print(any(x == 2), " ", all(x > 0))     # expect: true true
z = A \ [5; 11];
print(round(z[1]), " ", round(z[2]))    # expect: 1 2
x += 1;  x *= 2;  x -= 1;
print(sum(x))                 # expect: 15
alpha = (x'*x)/(y'*y);
print(round(1000*alpha))      # expect: 1078
print(sum(alpha*x) > 0)       # expect: true
# Chains: scalars are applied last, vectors make a chain cheap.
B = [1, 1; 0, 1];
print(sum(2*A*B*p*3))         # expect: 84
print(sum((2*A)*(B*p)*3))     # expect: 84
print(p'*A*p*2)               # expect: 20
print(sum(sum(x*y'*2*y)))     # expect: 2310
print(sum(x''''' - x'))       # expect: 0
# Integers have one zero, a remainder the sign of the divisor: as in tensors.
z = 0;
print(-z, " ", 0*-3, " ", mod(-4, 2), " ", 1/(-z), " ", -0.0, " ", -1*0.0)   # expect: 0 0 0 Inf -0 -0
print(mod(-4.0, 2), " ", mod(4, -2.0), " ", mod(f64([-4]), 2)[1], " ", mod(f64([4]), -2)[1])   # expect: 0 -0 0 -0
