# circshift of what is stored is read by offsets, of what is computed copied; both are the same.
x = f64(1:1000); x[1] = 0; A = reshape(f64(0:31*33-1), 31, 33); A[1, 1] = 5;
begin y = circshift(x, 1) + circshift(x, -1); end
:assert plan kernels == 1
begin B = circshift(A, [1, -1]) .* A + circshift(A, -2, 1); end
:assert plan kernels == 1
print(all(y == x[[1000; 1:999]] + x[[2:1000; 1]]), " ", all(B == A[[31; 1:30], [2:33; 1]] .* A + A[[3:31; 1:2], :]))   # expect: true true
print(all(circshift(2*A, [3, 0]) == 2*A[[29:31; 1:28], :]), " ", all(circshift(A', 1, 1) == A[:, [33; 1:32]]'), " ", all(circshift(A[2:2:30, :], 4, 2) == A[2:2:30, [30:33; 1:29]]))   # expect: true true true
Z = c128(A) + 1i*A'[1, 1]; Z[2, 3] = 7i;
print(all(circshift(Z, -1, 2) == Z[:, [2:33; 1]]), " ", all(circshift(u8([1, 2, 3]), 1) == [3, 1, 2]), " ", dtype(circshift(u8([1, 2]), 1)), " ", all(circshift([true, false, false]', 1) == [false, true, false]'))   # expect: true true u8 true
T = reshape(f32(1:2*3*4*5), 2, 3, 4, 5); T[1] = -1;
print(all(circshift(T, [1, 2, 3, 4]) == T[[2, 1], [2, 3, 1], [2, 3, 4, 1], [2, 3, 4, 5, 1]]), " ", all(circshift(T, -1, [2, 4]) == T[:, [2, 3, 1], :, [2, 3, 4, 5, 1]]))   # expect: true true
# Beyond the extent, by nothing, of one element and of none.
print(circshift([1, 2, 3], 7)', " ", circshift([1, 2, 3], -1e15)[1], " ", circshift([4], 3), " ", isempty(circshift(zeros(0, 3), [1, 1])), " ", circshift(1:4, 1)[1])   # expect: f32[1×3]
# expect:   3  1  2 2 f32[1]
# expect:   4 true 4
# By elements of stored arrays the block goes on.
k = [3, -2]; v = f64(1:10); v[1] = 3;
begin w = 0; for i = 1:2; w += circshift(v, k[i]); end; end
:assert plan kernels == 1
print(all(w == v[[8:10; 1:7]] + v[[3:10; 1:2]]))   # expect: true
# A loop whose rounds put one array in another's place.
U = A; for t = 1:3; U = 0.25*(circshift(U, 1, 1) + circshift(U, -1, 1) + circshift(U, [0, 1]) + circshift(U, [0, -1])); end
V = A; for t = 1:3; V = 0.25*(V[[31; 1:30], :] + V[[2:31; 1], :] + V[:, [33; 1:32]] + V[:, [2:33; 1]]); end
print(all(U == V))                       # expect: true
# Places that are computed end the block, and nothing of it is lost.
p = [1, 2]; p[1] = 2; C = 2*A; D = circshift(C + 1, 1*p); E = circshift(Z*2, 1*p);
print(all(D == (C + 1)[[30; 31; 1:29], [32; 33; 1:31]]), " ", all(E == (Z*2)[[30; 31; 1:29], [32; 33; 1:31]]))   # expect: true true
# ---
circshift([1, 2, 3], 0.5)                # error: circshift moves by whole places
# ---
circshift([1, 2, 3], [1, 2])             # error: there are more places than dimensions
