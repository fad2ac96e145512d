# Dimensions and places: tests/test_arrays.py has random programs beside NumPy.
T = reshape(1:24, 2, 3, 4);
sum(T, [1, 3])                                # expect: i64[1×3]
                                              # expect:    68  100  132
sum(T, [2, 3])                                # expect: i64[2]
                                              # expect:    78  222
sum(T, 1:3)                                   # expect: 300
mean(T, -1)                                   # expect: f64[2×3]
                                              # expect:    2.5   6.5  10.5
                                              # expect:   14.5  18.5  22.5
reduce("max", T, [1, 2])                      # expect: i64[1×1×4]
                                              # expect: [1, :, :]
                                              # expect:   21  22  23  24
reduce("argmax", T, [2, 3])                   # expect: i64[2]
                                              # expect:   12  12
permute(T, [3, 1, 2])[:, :, 2]                # expect: i64[4×2]
                                              # expect:    5  17
                                              # expect:    6  18
                                              # expect:    7  19
                                              # expect:    8  20
permute([1, 2, 3], [2, 1])                    # expect: f32[1×3]
                                              # expect:   1  2  3
squeeze(T[1, :, 2])                           # expect: i64[3]
                                              # expect:    2   6  10
size(squeeze(ones(1, 3, 1, 2)))               # expect: i64[2]
                                              # expect:   3  2
reshape(T, [], 12)[:, 1]                      # expect: i64[2]
                                              # expect:    1  13
size(reshape(T, 2, [], 2))                    # expect: i64[3]
                                              # expect:   2  6  2
m, i = max([3, 9, 2])                         # expect: m = 9
                                              # expect: i = 2
m, i = min([3, 9; 1, 5], 1)                   # expect: m = f32[1×2]
                                              # expect:   1  5
                                              # expect: i = i64[1×2]
                                              # expect:   2  2
m, i = max(5)                                 # expect: m = 5
                                              # expect: i = 1
norm2([3, 4; 0, 0], 2)                        # expect: f32[2]
                                              # expect:   5  0
norm1([3, -4; 1, 1], 1)                       # expect: f32[1×2]
                                              # expect:   4  5
norminf([3, -4; 1, 1], -1)                    # expect: f32[2]
                                              # expect:   4  1
median(f32(T), 3)                             # expect: f32[2×3]
                                              # expect:    2.5   6.5  10.5
                                              # expect:   14.5  18.5  22.5
median(f32(T), -2)                            # expect: f32[2×1×4]
                                              # expect: [1, :, :]
                                              # expect:    5   6   7   8
                                              # expect: [2, :, :]
                                              # expect:   17  18  19  20
var(f32(T), [1, 2])                           # expect: f32[1×1×4]
                                              # expect: [1, :, :]
                                              # expect:   56  56  56  56
softmax([1, 2; 1, 2], 1)                      # expect: f32[2×2]
                                              # expect:   0.5  0.5
                                              # expect:   0.5  0.5
logsumexp([0, 0; 0, 0], [1, 2])               # expect: 1.38629
S = reshape(1:64, 2, 2, 2, 2, 2, 2);
S[1, 2, 1, 2, 1, 2]                           # expect: 22
sum(abs(permute(permute(S, [6, 5, 4, 3, 2, 1]), [6, 5, 4, 3, 2, 1]) - S)) # expect: 0
cumsum(S, 3)[2, 2, 2, 2, 2, 2]                # expect: 120
# Lists and masks along any dimension.
T[:, [1, 3], :]                               # expect: i64[2×2×4]
                                              # expect: [1, :, :]
                                              # expect:    1   2   3   4
                                              # expect:    9  10  11  12
                                              # expect: [2, :, :]
                                              # expect:   13  14  15  16
                                              # expect:   21  22  23  24
T[1, [3, 1], 2]                               # expect: i64[1×2]
                                              # expect:   10   2
T[[2, 1], 2:3, [4, 1]][1, :, :]               # expect: i64[1×2×2]
                                              # expect: [1, :, :]
                                              # expect:   20  17
                                              # expect:   24  21
T[:, :, [true, false, false, true]][2, :, :]  # expect: i64[1×3×2]
                                              # expect: [1, :, :]
                                              # expect:   13  16
                                              # expect:   17  20
                                              # expect:   21  24
U = T; U[:, [1, 3], :] = 0; U                 # expect: U = i64[2×3×4]
                                              # expect: [1, :, :]
                                              # expect:    0   0   0   0
                                              # expect:    5   6   7   8
                                              # expect:    0   0   0   0
                                              # expect: [2, :, :]
                                              # expect:    0   0   0   0
                                              # expect:   17  18  19  20
                                              # expect:    0   0   0   0
U = T; U[1, [1, 3], 2:3] = [1, 2; 3, 4]; U[1, :, :] # expect: i64[1×3×4]
                                              # expect: [1, :, :]
                                              # expect:    1   1   2   4
                                              # expect:    5   6   7   8
                                              # expect:    9   3   4  12
U = T; U[:, [1, 1], :] += 100; U[1, :, :]     # expect: i64[1×3×4]
                                              # expect: [1, :, :]
                                              # expect:   201  202  203  204
                                              # expect:     5    6    7    8
                                              # expect:     9   10   11   12
# One subscript counts all elements.
A = reshape(1:12, 3, 4);
A[5]                                          # expect: 5
A[end]                                        # expect: 12
A[1:5:end]                                    # expect: i64[3]
                                              # expect:    1   6  11
A[3:6]                                        # expect: i64[4]
                                              # expect:   3  4  5  6
A[12:-3:1]                                    # expect: i64[4]
                                              # expect:   12   9   6   3
T[5:6:end]                                    # expect: i64[4]
                                              # expect:    5  11  17  23
B = zeros(3, 3); B[1:4:end] = 1               # expect: B = f32[3×3]
                                              # expect:   1  0  0
                                              # expect:   0  1  0
                                              # expect:   0  0  1
B[3:2:7] = [1, 2, 3]                          # expect: B = f32[3×3]
                                              # expect:   1  0  1
                                              # expect:   0  2  0
                                              # expect:   3  0  1
B[2:7] = 5                                    # expect: B = f32[3×3]
                                              # expect:   1  5  5
                                              # expect:   5  5  5
                                              # expect:   5  0  1
B[5] += 2                                     # expect: B = f32[3×3]
                                              # expect:   1  5  5
                                              # expect:   5  7  5
                                              # expect:   5  0  1
for k = 1:9; B[k] = k; end
B                                             # expect: B = f32[3×3]
                                              # expect:   1  2  3
                                              # expect:   4  5  6
                                              # expect:   7  8  9
places(A, [1, 3], [2, 4])                     # expect: i64[2]
                                              # expect:    2  12
places(A, 2, [2, 4])                          # expect: i64[2]
                                              # expect:   6  8
places(A, [1, 2], [1, 2, 3]')                 # expect: i64[2×3]
                                              # expect:   1  2  3
                                              # expect:   5  6  7
A[places(A, 1:3, 1:3)] = 0                    # expect: A = i64[3×4]
                                              # expect:    0   2   3   4
                                              # expect:    5   0   7   8
                                              # expect:    9  10   0  12
A[places(A, [1, 1], [2, 2])] += 5             # expect: A = i64[3×4]
                                              # expect:    0  12   3   4
                                              # expect:    5   0   7   8
                                              # expect:    9  10   0  12
# Diagonals, quotients, unique values, matrices in a stack.
diag([1, 2], 1)                               # expect: f32[3×3]
                                              # expect:   0  1  0
                                              # expect:   0  0  2
                                              # expect:   0  0  0
diag([1, 2], -1)                              # expect: f32[3×3]
                                              # expect:   0  0  0
                                              # expect:   1  0  0
                                              # expect:   0  2  0
diag([1, 2, 3; 4, 5, 6; 7, 8, 9], 1)          # expect: f32[2]
                                              # expect:   2  6
diag([1, 2, 3; 4, 5, 6; 7, 8, 9], -2)         # expect: f32[1]
                                              # expect:   7
[5, 11; 1, 2]/[1, 2; 3, 4]                    # expect: f32[2×2]
                                              # expect:    6.5  -0.5
                                              # expect:    1.0   0.0
u, n, i = unique([3, 1, 3, 2, 1])             # expect: u = f32[3]
                                              # expect:   1  2  3
                                              # expect: n = i64[3]
                                              # expect:   2  1  2
                                              # expect: i = i64[5]
                                              # expect:   3  1  3  2  1
H = f32(reshape(1:12, 3, 2, 2));
H[2, :, :]*[1, 1]                             # expect: f32[2]
                                              # expect:   11  15
H[2, :, :]*H[1, :, :]                         # expect: f32[2×2]
                                              # expect:   23  34
                                              # expect:   31  46
H[2, :, :]\[1, 1]                             # expect: f32[2]
                                              # expect:   -1   1
H[2, :, :]'                                   # expect: f32[2×2]
                                              # expect:   5  7
                                              # expect:   6  8
det(H[2, :, :])                               # expect: -2
# ---
A = ones(3, 4); A[13]                         # error: index 13 is out of range: there are 12 elements
# ---
T = ones(2, 3, 4); T[:, [1, 4], :]            # error: index 4 (number 2 of the list) is out of range: there are 3 elements
# ---
places(ones(3, 4), [1, 4], [1, 2])            # error: index 4 (number 2 of the list) is out of range: there are 3 rows
# ---
permute(ones(2, 3), [1, 1])                   # error: the order must have each dimension once: ones(2, 3) is 2x3
# ---
sum(ones(2, 3), -3)                           # error: there is no dimension -3
# ---
reshape(1:6, -1, 3)                           # error: an extent must be a whole number of at least 0, not -1
# ---
m, i, k = max([1, 2])                         # error: max([1, 2]) gives 2 values, not 3
# ---
[1, 2, 3]/[1, 2, 3]                           # error: / divides by a scalar, or solves x*A = b: [1, 2, 3] is 3
# ---
zeros(1, 2, 3, 4, 5, 6, 7)                    # error: a tensor has at most 6 dimensions
