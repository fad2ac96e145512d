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
