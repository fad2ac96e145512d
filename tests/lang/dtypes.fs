# Types and their promotion.
print(dtype([1, 2]), " ", dtype(1:3), " ", dtype(rand(2)), " ", dtype(2), " ", dtype(true))  # expect: f32 range f32 number bool
x = [1, 2, 3];
print(dtype(f64(x)), " ", dtype(f16(x)), " ", dtype(bf16(x)), " ", dtype(i32(x)), " ", dtype(i64(x)), " ", dtype(bool(x)))  # expect: f64 f16 bf16 i32 i64 bool
print(dtype(f64(x) + x), " ", dtype(f16(x) + bf16(x)), " ", dtype(i32(x) + x), " ", dtype(i64(x) + f16(x)))  # expect: f64 f32 f32 f16
print(dtype(i32(x) + i64(x)), " ", dtype(bool(x) + bool(x)), " ", dtype(bool(x) + i64(x)))  # expect: i64 i32 i64
# Numbers are weak.
print(dtype(f16(x) + 1), " ", dtype(f16(x) + 0.5), " ", dtype(f64(x)*2))  # expect: f16 f16 f64
print(dtype(i32(x) + 1), " ", dtype(i32(x) + 1.5), " ", dtype(i64(x) + 1.5), " ", dtype(i32(x) + 5000000000))  # expect: i32 f32 f64 i64
print(dtype(bool(x) + 1), " ", dtype(bool(x) + 0.5))  # expect: i32 f32
print(dtype(i32(x) ./ i32(x)), " ", dtype(i64(x)/2), " ", dtype(sqrt(i32(x))))  # expect: f32 f64 f32
print(dtype(sum(i32(x))), " ", dtype(sum(bool(x))), " ", dtype(sum(f16(x))), " ", dtype(max(i32(x))))  # expect: i64 i64 f16 i32
print(dtype(x > 1), " ", dtype(any(x)), " ", dtype(mean(i32(x))), " ", dtype(x == x))  # expect: bool bool f32 bool
print(dtype(zeros(2, "f64")), " ", dtype(ones(2, 3, "i32")), " ", dtype(fill(1, 2, "bool")), " ", dtype(rand(3, "f64")), " ", dtype(eye(2, "f16")), " ", dtype(linspace(0, 1, 3, "f64")))  # expect: f64 i32 bool f64 f16 f64
print(i32([1.7, -1.7]))       # expect: i32[2]
                              # expect:    1  -1
print(sum(i64(1:10)), " ", sum(1:10), " ", dtype((1:3) + 0))  # expect: 55 55 i64
print(dtype((0:0.5:2) + 0))   # expect: f32
print(dtype((1e300:1e300:3e300) + 0), " ", dtype((9e18:3e17:9.6e18) + 0), " ", dtype((-2^63:2^62:0) + 0))  # expect: f32 f32 i64
i = i32([7, 8]);
print(sum(i .* i), " ", i[1] + i[2])   # expect: 113 15
print(mod(7, 3), " ", mod(-7, 3), " ", mod(i, 5))  # expect: 1 2 i32[2]
                              # expect:   2  3
M = i32([1, 2; 3, 4]);
M*M                           # expect: i64[2×2]
                              # expect:    7  10
                              # expect:   15  22
M*i                           # expect: i64[2]
                              # expect:   23  53
print(f32(3), " ", dtype(f32(3)), " ", dtype(f64(0.1) + x))   # expect: 3 f32 f64
# ---
# floats to integers saturate, NaN gives 0; an integer modulo 0 is 0
x = [0.0/0.0, 1e30, -1e30, 2.7];
i64(x)[1]                     # expect: 0
i64(x)[2]                     # expect: 9223372036854775807
i32(x)[1]                     # expect: 0
i32(x)[3]                     # expect: -2147483648
i32(x)[4]                     # expect: 2
mod(i32([5, -5]), i32([0, 3]))[1]   # expect: 0
# A zero divisor: 0 for integers by mod, else as floats have it.
print(sum(abs(mod(i64([7, -7]), 0))), " ", sum(mod([true], false)), " ", sum(mod(i32([-7]), [true] - 1)))   # expect: 0 0 0
print(mod(7, 0), " ", mod(f16([7]), 0)[1], " ", mod(f64([-7]), 0)[1], " ", i32([7])[1]/0, " ", (i32([0]) ./ i32([0]))[1])   # expect: NaN NaN NaN Inf NaN
# What a conversion is written around is not rounded to f32 before.
w = f64([0.1; -0.2]);
print(w[1] == 0.1, " ", w[2] == -0.2)                  # expect: true true
print(f64([0.1, 0.3]')[1, 2] == 0.3, " ", -f64(-[0.1])[1] == 0.1)   # expect: true true
print(number(i64([16777217])[1]), " ", number(i32([123456789, 3e9])[1]))   # expect: 16777217 123456789
print(number(i32([3e9, -3e9])[2]), " ", dtype(f16([1/3])), " ", dtype(f64([true])))   # expect: -2147483648 f16 f64
a = f32([0.1]);
print(f64(a)[1] == 0.1)                                # expect: false
print(dtype(max(bool(w))), " ", dtype(i32(w).^2), " ", dtype(i32(w).^5))                 # expect: i32 i32 f32
print(dtype(i64([2]).^-1), " ", dtype(1 ./ i64([2])), " ", dtype(i32([2]).^-1))   # expect: f64 f64 f32
i = i32([7, 8]);
print(dtype(i + (-2147483648)), " ", dtype(i + (-2147483649)), " ", dtype(i + 2147483648), " ", (i + (-2147483648))[1])  # expect: i32 i64 i64 -2147483641
# A number goes where an element of an array would.
print(i32(3e9), " ", i32(3000000000), " ", i32(-3000000000), " ", i32(0/0), " ", i32(2.9))  # expect: 2147483647 2147483647 -2147483648 0 2
print(i64(1e30), " ", i64(-1e30), " ", i64(0/0), " ", fill(3000000000, 1, "i32")[1])      # expect: 9223372036854775807 -9223372036854775808 0 2147483647
big = i64([5]);
print(dtype(big + 9223372036854775808), " ", (big < 9223372036854775808)[1], " ", dtype(big + 9200000000000000001))  # expect: f64 true i64
print((big*0 + 9200000000000000001)[1] == 9200000000000000001)                          # expect: true
# Products in a sum do not wrap around in i32, however many there are.
p = i32([100000]); q = i32([100000, 0]); S = [q'; q'];
print(p'*p, " ", q'*q, " ", dot(q, q), " ", (S*q)[2], " ", (S*S)[2, 1], " ", (q'*S)[1])    # expect: 10000000000 10000000000 10000000000 10000000000 10000000000 10000000000
print(dtype(q*q'), " ", (q*q')[1, 1], " ", (q.*q)[1])                                   # expect: i32 1410065408 1410065408
# ---
x = i32([1, 2]);
x[1] = 2147483647;
x[2] = 2147483648    # error: cannot put 2147483648 into a tensor of i32: it is too large
# ---
x = i64([1, 2]);
x[2] = 2^63          # error: cannot put 2^63 into a tensor of i64: it is too large
# ---
x = i32([1, 2]);
x[2] = -1/0          # error: too large
# ---
# An array written in whole numbers fits a tensor of them.
x = i64(1:5); x[1:3] = [7, 8, 9]; x[[5, 4]] = -[1, 2];
print(x')      # expect: i64[1×5]
               # expect:    7   8   9  -2  -1
x[1:2] = [7, 8.5];  # error: cannot put f32 values into a tensor of i64
# ---
# A number is what its type holds, wherever it is converted next; also within a block.
f64(f16(2049)) == 2048       # expect: true
f32(bf16(257)) == 256        # expect: true
f64(f32(i64(16777217))) == 16777216   # expect: true
f32(f16(100000))             # expect: Inf
f64(f32(0.1)) == 0.1         # expect: false
f64(0.1) == 0.1              # expect: true
begin
  y = fill(0.1, 3);
  z = f64(y);
  h = f16(ones(2));
  h[1] = 2049;
  w = f32(h);
  v = f64(fill(2049, 2, "f16"));
end
all(f64(y) == z) && z[1] != 0.1   # expect: true
w[1]                         # expect: 2048
v[1]                         # expect: 2048
# every number that a loop gives is rounded
for k = 2047:2050
  print(f64(f16(k) + zeros(1, "f64"))[1], " ", f64(fill(k, 2, "f16"))[2])
end
# expect: 2047 2047
# expect: 2048 2048
# expect: 2048 2048
# expect: 2050 2050
# ---
# An array written in a conversion keeps its numbers, also in parts and beside tensors.
f64([[0.1, 0.2], [0.3, 0.4]])[1, 1] == 0.1   # expect: true
f64(-[[0.1]; [0.2]])[2] == -0.2              # expect: true
i64([[123456789], [3]])[1, 1]                # expect: 123456789
x = rand(2);
f64([x; 0.1])[3] == 0.1                      # expect: true
z = f64([x; 0.1]);
z[3] == 0.1 && z[1] == f64(x[1])             # expect: true
f32([f16(x); 0.1])[3] == 0.1                 # expect: true
f64([0:0.1:0.3; 0.7])[2] == 0.1              # expect: true
i64([f32([1, 2]); 123456789])[3]             # expect: 123456789
i64([i64([3]) .^ 2 * 1000000007 * 1000000009; 1])[1]   # expect: 9000000144000000567
y = [x; 0.1];
f64(y)[3] == 0.1                             # expect: false
# ---
# Both kinds of product take whole numbers as the common type has them.
B = i32([257, 1; 1, 2049]);
print((bf16(eye(2))*B)[1, 1], " ", (bf16(eye(2))*B[:, 1])[1])   # expect: 256 256
print((B*f16(eye(2)))[2, 2], " ", (f16(eye(2))*B[:, 2])[2])     # expect: 2048 2048
