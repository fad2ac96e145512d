# Running sums, products and extremes.
cumsum([1, 2, 3, 4])          # expect: f32[4]
                              # expect:    1   3   6  10
A = [1, 2, 3; 4, 5, 6];
cumsum(A, 1)                  # expect: f32[2×3]
                              # expect:   1  2  3
                              # expect:   5  7  9
cumsum(A, 2)                  # expect: f32[2×3]
                              # expect:    1   3   6
                              # expect:    4   9  15
cumsum(A')                    # expect: f32[6]
                              # expect:    1   5   7  12  15  21
cumsum(1:3)'                  # expect: i64[1×3]
                              # expect:   1  3  6
cumprod((1:5)')               # expect: i64[1×5]
                              # expect:     1    2    6   24  120
cummax([3, 1, 4, 1, 5])       # expect: f32[5]
                              # expect:   3  3  4  4  5
cummin(i32([3, 1, 4, 1, 5]))  # expect: i32[5]
                              # expect:   3  1  1  1  1
cummax([1, nan, 2])           # expect: f32[3]
                              # expect:     1  NaN  NaN
# The types are those of sum and max.
print(dtype(cumsum([true])), " ", dtype(cumsum(i32([1, 2]))), " ", dtype(cumprod(f16([1, 2]))), " ", dtype(cummax([true, false])))  # expect: i64 i64 f16 i32
cumsum(A > 2, 2)              # expect: i64[2×3]
                              # expect:   0  0  1
                              # expect:   1  2  3
# One number, one element in every line, more dimensions.
print(cumsum(7), " ", cumsum(true), " ", sum(cumsum(A, 3) - A), " ", cumsum([5]))   # expect: 7 1 0 f32[1]
                              # expect:   5
B = reshape(1:24, 2, 3, 4);
print(sum(abs(cumsum(B, 3)[:, :, 4] - reshape(sum(B, 3), 2, 3))), " ", cumsum(B, 1)[2, 3, 4], " ", cumsum(B)[24])   # expect: 0 36 300
# Sums of 16-bit floats are in f32: not 2048 for ever.
x = cumsum(ones(5000, "f16"));
print(x[4000])                # expect: 4000
# Part of a block, and of what follows on it.
begin
  y = 2*(1:1000);
  c = cumsum(y) - y;
  m = max(c[1:10])
end                           # expect: m = 90
# Lines that lie in whole vectors, and the same lines one element on: the same bits.
R = rand(5, 6001);
S = cumsum(R[:, 2:end], 2); T = cumsum(R[:, 2:end] + 0, 2); U = cumsum(R[:, 2:4097], 2);
assert(all(all(S == T)) && all(all(S[:, 1:4096] == U)))
w = mod(7*(1:70003), 11) - 5; v = cumsum(f32(w)); n = cumsum(w);
assert(all(f64(v) == n) && n[1] == 2 && n[5] == 3)

cumsum(A, 7)
# error: there is no dimension 7
# ---
cumsum([1, 2], 1.5)
# error: the dimension
