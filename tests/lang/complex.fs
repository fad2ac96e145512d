# Complex numbers: literals, what shows them, and what operators and functions give.
2i                                # expect: 0 + 2i
z = 2 + 3i                        # expect: z = 2 + 3i
1e1i - .5                         # expect: -0.5 + 10i
i = 5; i + 1                      # expect: 6
z'                                # expect: 2 - 3i
z.'                               # expect: 2 + 3i
z*z                               # expect: -5 + 12i
z/1i                              # expect: 3 - 2i
2^z == exp(z*log(2))
# expect-re: true|false
(1 + 1i)^8                        # expect: 16 + 0i
z == 3i + 2                       # expect: true
z != 2                            # expect: true
re(z) + im(z)                     # expect: 5
abs(3 + 4i)                       # expect: 5
conj(z)                           # expect: 2 - 3i
sqrt(-4 + 0i)                     # expect: 0 + 2i
isreal(z)                         # expect: false
isreal(re(z))                     # expect: true
complex(1, -2)                    # expect: 1 - 2i
print("z is ", z)                 # expect: z is 2 + 3i
string(1i)                        # expect: "0 + 1i"
dtype(1i)                         # expect: "complex"
# ---
A = [1, 2i; 3, 4 - 1i]
# expect: A = c64[2×2]
# expect:   1 + 0i  0 + 2i
# expect:   3 + 0i  4 - 1i
A'
# expect: c64[2×2]
# expect:   1 - 0i  3 - 0i
# expect:   0 - 2i  4 + 1i
A.'
# expect: c64[2×2]
# expect:   1 + 0i  3 + 0i
# expect:   0 + 2i  4 - 1i
[1, 2; 3, 4].'
# expect: f32[2×2]
# expect:   1  3
# expect:   2  4
A*[1i, 1]
# expect: c64[2]
# expect:   0 + 3i  4 + 2i
A*A
# expect: c64[2×2]
# expect:    1 +  6i   2 + 10i
# expect:   15 -  3i  15 -  2i
sum(A)                            # expect: 8 + 1i
sum(A, 1)
# expect: c64[1×2]
# expect:   4 + 0i  4 + 1i
mean(A)                           # expect: 2.00 + 0.25i
prod(A)                           # expect: 6 + 24i
trace(A)                          # expect: 5 - 1i
diag(A)
# expect: c64[2]
# expect:   1 + 0i  4 - 1i
A.^2
# expect: c64[2×2]
# expect:    1 + 0i  -4 + 0i
# expect:    9 + 0i  15 - 8i
A == A.'
# expect: bool[2×2]
# expect:    true  false
# expect:   false   true
A[:, 2]
# expect: c64[2]
# expect:   0 + 2i  4 - 1i
A[end, end]                       # expect: 4 - 1i
A[abs(A) > 2]
# expect: c64[2]
# expect:   3 + 0i  4 - 1i
B = A; B[1, :] = [5i, 6]; B[2, 1] -= 1i;
B
# expect: B = c64[2×2]
# expect:   0 + 5i  6 + 0i
# expect:   3 - 1i  4 - 1i
B[abs(B) > 5] = 0; B
# expect: B = c64[2×2]
# expect:   0 + 5i  0 + 0i
# expect:   3 - 1i  4 - 1i
A                                 # A is what it was
# expect: A = c64[2×2]
# expect:   1 + 0i  0 + 2i
# expect:   3 + 0i  4 - 1i
[A, A'; 0, 1i, 2, 3]
# expect: c64[3×4]
# expect:   1 + 0i  0 + 2i  1 - 0i  3 - 0i
# expect:   3 + 0i  4 - 1i  0 - 2i  4 + 1i
# expect:   0 + 0i  0 + 1i  2 + 0i  3 + 0i
where(abs(A) > 2, A, 1i)
# expect: c64[2×2]
# expect:   0 + 1i  0 + 1i
# expect:   3 + 0i  4 - 1i
map(w -> w*w', A)
# expect: c64[2×2]
# expect:    1 + 0i   4 + 0i
# expect:    9 + 0i  17 + 0i
any([0i, 0])                      # expect: false
![0i, 1i]
# expect: bool[2]
# expect:    true  false
norm([3i, 4])                     # expect: 5
dot([1i, 2], [1i, 2])             # expect: 5 + 0i
[1i, 2]'*[1i, 2]                  # expect: 5 + 0i
[1i, 2].'*[1i, 2]                 # expect: 3 + 0i
[1i, 2]*[1i, 2]'
# expect: c64[2×2]
# expect:   1 + 0i  0 + 2i
# expect:   0 - 2i  4 + 0i
cumsum([1, 1i, 2])
# expect: c64[3]
# expect:   1 + 0i  1 + 1i  3 + 1i
round([1.2 + 2.7i])
# expect: c64[1]
# expect:   1 + 3i
reshape(A, 4)
# expect: c64[4]
# expect:   1 + 0i  0 + 2i  3 + 0i  4 - 1i
[2i, 0; 0, 4]\[2, 4i]
# expect: c64[2]
# expect:   0 - 1i  0 + 1i
inv([2i, 0; 0, 4])*4 == [-2i, 0; 0, 1]
# expect: bool[2×2]
# expect:   true  true
# expect:   true  true
# ---
# Types.
dtype([1i])                       # expect: "c64"
dtype(c128([0.1, 0.1i]))          # expect: "c128"
c128([0.1i])[1] == 0.1i           # expect: true
dtype(f64([1])*1i)                # expect: "c128"
dtype(f64([1]) + [1i])            # expect: "c128"
dtype(i64([1])*1i)                # expect: "c128"
dtype(i64([1]) + [1i])            # expect: "c64"
dtype(i32([1])*1i)                # expect: "c64"
dtype(f16([1])*1i)                # expect: "c64"
dtype(bf16([1]) + [1i])           # expect: "c64"
dtype((1:2)*1i)                   # expect: "c128"
dtype([true]*1i)                  # expect: "c64"
dtype(c64(c128([1i])))            # expect: "c64"
dtype(re(c128([1i])))             # expect: "f64"
dtype(abs([1i]))                  # expect: "f32"
zeros(2, "c128") + 1i
# expect: c128[2]
# expect:   0 + 1i  0 + 1i
eye(2, "c64")
# expect: c64[2×2]
# expect:   1 + 0i  0 + 0i
# expect:   0 + 0i  1 + 0i
fill(2 - 1i, 2)
# expect: c64[2]
# expect:   2 - 1i  2 - 1i
fill(1, 2, "c128")
# expect: c128[2]
# expect:   1 + 0i  1 + 0i
seed(1); x = rand(3, "c64"); y = complex(x); seed(1); all(rand(3, "c64") == y)   # expect: true
size(rand(3, 2, "c128"))
# expect: i64[2]
# expect:   3  2
sqrt([-1])
# expect: f32[1]
# expect:   NaN
sqrt(c64([-1, -4]))
# expect: c64[2]
# expect:   0 + 1i  0 + 2i
# ---
# What comes after a failure is what was there before.
w = [1i, 2i]; v = w;
begin
  w[1] = 5
  w = w + v
end
# expect: w = c64[2]
# expect:   5 + 0i  0 + 2i
# expect: w = c64[2]
# expect:   5 + 1i  0 + 4i
v
# expect: v = c64[2]
# expect:   0 + 1i  0 + 2i
for x = [1i, 2]
  print(x)
end
# expect: 0 + 1i
# expect: 2 + 0i
s = 0i; for k = 1:3
  s = s + k*1i;
end
s                                 # expect: s = 0 + 6i
t = zeros(3, "c64"); for k = 1:3
  t[k] = k + t[max(k - 1, 1)]*1i;
end
t
# expect: t = c64[3]
# expect:   1 + 0i  2 + 1i  2 + 2i
f(z, n = 2) = z^n + 1i; f(1i)     # expect: -1 + 1i
# ---
# All four products of both statements read both parts of the matrix once.
A = reshape(1:6000, 100, 60)*(1 + 2i); A[1, 1] = 1; p = (1:60)*1i + 1; r = (1:100) - 2i;
begin q = A*p; s = A'*r; end;
:assert plan kernels == 1
u1 = r; u2 = r*1i; v1 = p; v2 = p - 1i; y = r + 1; z = p;
begin
  B = A + u1*v1' + u2*v2';
  x = 2i*B'*y + z;
  w = (1 + 1i)*B*x;
end;
:assert plan kernels == 2
begin m = exp(A./6000)./(A + 1); end;
:assert plan kernels == 1
# ---
1i < 2        # error: complex numbers have no order
# ---
max([1i, 2])  # error: complex numbers have no order
# ---
x = [1, 2]; x[1] = 2i  # error: cannot put complex values into a tensor of f32
# ---
f64([1i])     # error: f64 does not take complex numbers
# ---
x = 1:3; x[1i]  # error: an index must be a number, not a complex number
# ---
if [1i, 2]    # error: a condition must be one value
end
# ---
# Without elements.
a = zeros(0, "c64"); b = zeros(0, 3, "c64");
sum(a)        # expect: 0 + 0i
prod(a)       # expect: 1 + 0i
b'
# expect: c64[3×0]
b'*a
# expect: c64[3]
# expect:   0 + 0i  0 + 0i  0 + 0i
exp(a./a)
# expect: c64[0]
isempty(a)    # expect: true
[a; 1i]
# expect: c64[1]
# expect:   0 + 1i
