# Integers of 64 bits without a sign: at their ends, beside others, in sums and files.
a = u64([0, 1, 2, 18446744073709551615, 9223372036854775808])
# expect: a = u64[5]
# expect:                      0                     1                     2
# expect:   18446744073709551615   9223372036854775808
print(a + 1, a - 1, -a, a .* a)
# expect: u64[5]
# expect:                     1                    2                    3
# expect:                     0  9223372036854775809
# expect: u64[5]
# expect:   18446744073709551615                     0                     1
# expect:   18446744073709551614   9223372036854775807
# expect: u64[5]
# expect:                      0  18446744073709551615  18446744073709551614
# expect:                      1   9223372036854775808
# expect: u64[5]
# expect:   0  1  4  1  0
print(a[4] > 5, " ", max(a), " ", min(a), " ", sum(a), " ", prod(a[2:3]), " ", argmax(a), " ", argmin(a[2:5]))
# expect: true 18446744073709551615 0 9223372036854775810 2 4 1
print(sort(a), cummax(a), cummin(a[[4, 5, 2, 4, 1]]), cumsum(a))
# expect: u64[5]
# expect:                      0                     1                     2
# expect:    9223372036854775808  18446744073709551615
# expect: u64[5]
# expect:                      0                     1                     2
# expect:   18446744073709551615  18446744073709551615
# expect: u64[5]
# expect:   18446744073709551615   9223372036854775808                     1
# expect:                      1                     0
# expect: u64[5]
# expect:                     0                    1                    3
# expect:                     2  9223372036854775810
# Comparisons with integers that have a sign are exact.
s = i64([-1, 2, 2, -1, 3]);
print(a > s, s <= a, a == i64([0, 1, 2, -1, 5]), a != i64([0, 1, 2, -1, 5]))
# expect: bool[5]
# expect:    true  false  false   true   true
# expect: bool[5]
# expect:    true  false   true   true   true
# expect: bool[5]
# expect:    true   true   true  false  false
# expect: bool[5]
# expect:   false  false  false   true   true
print(a < s, s >= a, a >= i8([-1, 2, 1, -1, -3]), i8([-1, 2, 1, -1, -3]) < a)
# expect: bool[5]
# expect:   false   true  false  false  false
# expect: bool[5]
# expect:   false   true   true  false  false
# expect: bool[5]
# expect:    true  false   true   true   true
# expect: bool[5]
# expect:    true  false   true   true   true
# Together they are u64, whose last bits are right.
print(a + s, dtype(a + s), " ", dtype(a*(-1)), " ", dtype(a + 0.5), " ", dtype(a/2), " ", dtype(sqrt(f16([1]) + a[1])))
# expect: u64[5]
# expect:   18446744073709551615                     3                     4
# expect:   18446744073709551614   9223372036854775811u64 f64 f64 f64 f16
print(dtype(u8([1]) + a), " ", dtype(sum(a)), " ", dtype(a'*u8([1, 2, 3, 4, 5])), " ", dtype(true + 2147483648))
# expect: u64 u64 u64 number
# Conversions: the nearest of the type of a float, the last bits of an integer.
print(u64([1.9, -3.0, 1e30, nan, 2e19]), u64(i8([-1, 5])), u8(a), i32(a), i64(a), bool(a))
# expect: u64[5]
# expect:                      1                     0  18446744073709551615
# expect:                      0  18446744073709551615
# expect: u64[2]
# expect:   18446744073709551615                     5
# expect: u8[5]
# expect:     0    1    2  255    0
# expect: i32[5]
# expect:    0   1   2  -1   0
# expect: i64[5]
# expect:                      0                     1                     2
# expect:                     -1  -9223372036854775808
# expect: bool[5]
# expect:   false   true   true   true   true
print(f64(a) == [0, 1, 2, 2^64, 2^63], f32(a) == [0, 1, 2, 2^64, 2^63], f16(a))
# expect: bool[5]
# expect:   true  true  true  true  true
# expect: bool[5]
# expect:   true  true  true  true  true
# expect: f16[5]
# expect:     0    1    2  Inf  Inf
# Quotients, remainders and bits.
print(mod(a, 10), idiv(a, 10), mod(a, 0), idiv(a, 0), mod(a, a[4]), idiv(a, a[4]))
# expect: u64[5]
# expect:   0  1  2  5  8
# expect: u64[5]
# expect:                     0                    0                    0
# expect:   1844674407370955161   922337203685477580
# expect: u64[5]
# expect:   0  0  0  0  0
# expect: u64[5]
# expect:   0  0  0  0  0
# expect: u64[5]
# expect:                     0                    1                    2
# expect:                     0  9223372036854775808
# expect: u64[5]
# expect:   0  0  0  1  0
print(shl(a, 63), shr(a, 63), shr(a, 64), shl(a, 64), bitnot(a), popcount(a), bitxor(a, 5), bitand(a, s))
# expect: u64[5]
# expect:                     0  9223372036854775808                    0
# expect:   9223372036854775808                    0
# expect: u64[5]
# expect:   0  0  0  1  1
# expect: u64[5]
# expect:   0  0  0  0  0
# expect: u64[5]
# expect:   0  0  0  0  0
# expect: u64[5]
# expect:   18446744073709551615  18446744073709551614  18446744073709551613
# expect:                      0   9223372036854775807
# expect: u64[5]
# expect:    0   1   1  64   1
# expect: u64[5]
# expect:                      5                     4                     7
# expect:   18446744073709551610   9223372036854775813
# expect: u64[5]
# expect:                      0                     0                     2
# expect:   18446744073709551615                     0
print(abs(a), sign(a), clamp(a, 1, 10), where(a > 3, a, 7))
# expect: u64[5]
# expect:                      0                     1                     2
# expect:   18446744073709551615   9223372036854775808
# expect: u64[5]
# expect:   0  1  1  1  1
# expect: u64[5]
# expect:    1   1   2  10  10
# expect: u64[5]
# expect:                      7                     7                     7
# expect:   18446744073709551615   9223372036854775808
# Products of matrices and vectors.
A = u64([1, 2; 3, 4]); print(A*A, A*i32([1, -1]), a'*a, kron([1, 1]', A))
# expect: u64[2×2]
# expect:    7  10
# expect:   15  22
# expect: u64[2]
# expect:   18446744073709551615  18446744073709551615
# expect: 6
# expect: f32[2×4]
# expect:   1  2  1  2
# expect:   3  4  3  4
# Neighbours, columns, several dimensions.
B = reshape(shl(u64(1:24), 58), 2, 3, 4);
print(max(max(max(B))), " ", sum(B), " ", sum(B, 3), sum(reduce("max", B, 1)), " ", sum(reduce("min", B, 2)))
# expect: 6917529027641081856 12682136550675316736 u64[2×3]
# expect:    2882303761517117440   7493989779944505344  12105675798371893248
# expect:   16717361816799281152   2882303761517117440   7493989779944505344
# expect: 8646911284551352320 1152921504606846976
C = shl(u64(reshape(1:600, 20, 30)), 55); print(argmax(C), " ", argmin(C), " ", max(C[:, 7]), " ", sum(colmax(C) == max(C)))
# expect: 511 512 17546024148235452416 1
b = a; b[1] = 2^63; b[2] += 3; print(b, unique(a[[1, 1, 4]]), a[u64([1, 2])])
# expect: u64[5]
# expect:    9223372036854775808                     4                     2
# expect:   18446744073709551615   9223372036854775808
# expect: u64[2]
# expect:                      0  18446744073709551615
# expect: u64[2]
# expect:   0  1
# Sums and products wrap around as single operations do.
print(sum(i64([2^62, 2^62])), " ", sum(u64([2^63, 2^63])), " ", prod(i64([2^62, 2])), " ", prod(u64([2^63, 3])), " ", sum(f64(i64([2^62, 2^62]))) == 2^63)
# expect: -9223372036854775808 0 -9223372036854775808 9223372036854775808 true
# Sorts, running sums, places and what is put to them.
c = shl(u64(mod(7919*(1:5000), 4099)), 51); d = zeros(10, "u64"); d[mod(1:5000, 10) + 1] += c;
print(sum(sort(c)), " ", sum(argsort(c)), " ", sum(cumsum(c)), " ", sum(cummax(c)), " ", sum(d), " ", sum(c[c > u64(2)^60]), " ", sum(find(c > 5)))
# expect: 12878043134465933312 12502500 5852427715767959552 6597773454097776640 12878043134465933312 1157425104234217472 12498401
