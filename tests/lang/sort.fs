# Values in order, and where they were.
sort([3, 1, 2])               # expect: f32[3]
                              # expect:   1  2  3
argsort([3, 1, 2])            # expect: i64[3]
                              # expect:   2  3  1
A = [3, 1, 2; 0, 5, 4];
sort(A, 1)                    # expect: f32[2×3]
                              # expect:   0  1  2
                              # expect:   3  5  4
sort(A, 2, "descend")         # expect: f32[2×3]
                              # expect:   3  2  1
                              # expect:   5  4  0
argsort(A, 2)                 # expect: i64[2×3]
                              # expect:   2  3  1
                              # expect:   1  3  2
sort(A)'                      # expect: f32[1×6]
                              # expect:   0  1  2  3  4  5
# NaN is last in both orders; equal elements stay in theirs, zeros of both signs too.
sort([3, 1, nan, 2], "descend")   # expect: f32[4]
                              # expect:     3    2    1  NaN
argsort([0, -0, 1, 0, nan, -0])   # expect: i64[6]
                              # expect:   1  2  4  6  3  5
argsort([0, -0, 1, 0, nan, -0], "descend")   # expect: i64[6]
                              # expect:   3  1  2  4  6  5
sort([true, false, true])     # expect: bool[3]
                              # expect:   false   true   true
print(sort(5), " ", argsort(5), " ", sum(argsort(A, 3)), " ", dtype(sort(i32([2, 1]))))   # expect: 5 1 6 i32
# Long ones, and what follows on them in the block.
x = mod(7919*(1:100000), 100003) - 50000.0;
begin
  p = argsort(x);
  y = x[p];
  z = sort(x);
end
print(all(y == z), " ", all(z[2:end] >= z[1:end-1]), " ", sum(z) == sum(x))   # expect: true true true
print(median([5, 1, 4]), " ", median([4, 1, 3, 2]), " ", median(A), " ", median([1, nan]))   # expect: 4 2.5 2.5 NaN
quantile([4, 1, 3, 2], [0, 0.25, 0.5, 1])   # expect: f32[4]
                              # expect:   1.00  1.75  2.50  4.00
print(quantile(1:11, 0.35), " ", quantile(f16([1, 2]), 0.25), " ", quantile([7], 0.9))    # expect: 4.5 1.25 7
unique([3, 1, 2; 1, 3, 0])    # expect: f32[4]
                              # expect:   0  1  2  3
unique([2, nan, 2, nan])      # expect: f32[2]
                              # expect:     2  NaN
print(numel(unique(i32([4, 4, 4]))), " ", numel(unique([9])))   # expect: 1 1
sort(A, 1, "up")              # error: there is no order 'up'
# ---
sort([1, 2], 1, 2)            # error: the order must be a string
# ---
quantile([1, 2], 1.5)         # error: quantile needs shares from 0 to 1
# ---
# Infinities, differences that overflow, and whole numbers.
print(median([1, 2, 1/0]), " ", quantile([-1/0, 1], 0), " ", median([-3e38, 3e38]))
# expect: 2 -Inf 0
print(quantile([1/0, 1, 5], [0.5, 0])')
# expect: f32[1×2]
# expect:   5  1
print(median(i32([-2000000000, 2000000000])), " ", dtype(median(i32([1, 2]))), " ",
      dtype(quantile(i64([1, 2]), [0.25, 0.5])))
# expect: 0 f32 f64
