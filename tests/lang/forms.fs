# Forms that users of other languages write.
A = [3, 1, 2; 9, 8, 7]; T = reshape(1:24, 2, 3, 4);
max(A, [], 2)
# expect: f32[2]
# expect:   3  9
m, i = min(A, [], 1)
# expect: m = f32[1×3]
# expect:   3  1  2
# expect: i = i64[1×3]
# expect:   1  1  1
print(max(T, [], [1, 3]), " ", max(5, [], 1), " ", all(max(T, [], -1) == reduce("max", T, 3)))   # expect: i64[1×3]
# expect:   16  20  24 5 true
print(norm([3, -4], 1), " ", norm([3, -4], inf), " ", norm([3, -4], 2), " ", norm([3, 0], 0), " ", norm([1, 1, 1, 1], 4) == 4^0.25)   # expect: 7 4 5 1 true
big = f64([3e200, -4e200]); small = [3e-20, 4e-20];
print(abs(norm(big, 3)/1e200 - 91^(1/3)) < 1e-14, " ", abs(norm(small, 4)/1e-20 - 337^0.25) < 1e-5, " ", norm(f64([2e-200, 4e-200]), -1)/1e-200)   # expect: true true 1.33333
print(norm([inf, 1], 3), " ", norm([nan, 1], 3), " ", norm([0, 0], 3), " ", norm([2, 0], -1), " ", norm(zeros(0), 3))   # expect: Inf NaN 0 0 0
print(norm(A, 1), " ", norm(A, inf), " ", abs(norm(A, 2) - max(svdvals(A))) == 0, " ", norm(A, "fro") == norm(A), " ", norm([3i, 4], 1))   # expect: 12 24 true true 7
# A matrix beside a matrix of a batch is a matrix, whatever their extents.
print(T[2, :, :] - reshape(13:24, 3, 4))   # expect: i64[3×4]
# expect:   0  0  0  0
# expect:   0  0  0  0
# expect:   0  0  0  0
S = f32(reshape(1:64*64, 1, 64, 64)); M = ones(64, 64);
print(size(S + M)', " ", size(M .* S + S)', " ", size(where(M > 0, S, M))', " ", size(M + complex(S))')   # expect: i64[1×2]
# expect:   64  64 i64[1×2]
# expect:   64  64 i64[1×2]
# expect:   64  64 i64[1×2]
# expect:   64  64
print(size(ones(3) + ones(1, 3, 4))', " ", size(ones(2, 3) + ones(1, 3, 4))', " ", size(ones(2, 3, 4) + ones(1, 3, 4))')   # expect: i64[1×3]
# expect:   3  3  4 i64[1×3]
# expect:   2  3  4 i64[1×3]
# expect:   2  3  4
# circshift along dimensions: an element goes k on, whatever k.
B = reshape(1:12, 3, 4);
ok = true;
for k = -4:4
  for l = -5:5
    i = mod((0:2) - k, 3) + 1; j = mod((0:3) - l, 4) + 1;
    ok = ok && all(circshift(B, [k, l]) == B[i, j]) && all(circshift(circshift(B, k, 1), l, 2) == B[i, j]);
  end
  ok = ok && all(circshift(T, k, 3) == T[:, :, mod((0:3) - k, 4) + 1]) && all(circshift(T, k, -2) == T[:, mod((0:2) - k, 3) + 1, :]);
end
print(ok)                       # expect: true
print(accumarray([1, 2, 1], 1, 3)')   # expect: f32[1×3]
                                # expect:   2  1  0
# ---
max([1, 2], [3, 4], 1)          # error: between a value and a dimension stands []
# ---
circshift([1, 2; 3, 4], 1)      # error: a matrix has more than one dimension to go along
# ---
circshift([1, 2; 3, 4], 1, 3)   # error: circshift goes along a dimension that there is
# ---
norm([1, 2; 3, 4], 3)           # error: of a matrix there are
