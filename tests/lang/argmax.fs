# The place of the first of the largest, or smallest, in one pass, against two: the extreme,
# and then the first element that is it, or NaN.
is_top(x, m) = x == m || x != x
first_of(M, at, n, d) = reduce("min", where(M, at, n), d)
function check_rows(A)
  m = size(A, 1); n = size(A, 2);
  r = all(rowargmax(A) == first_of(is_top(A, rowmax(A)), (1:n)', n, 2)) && all(rowargmin(A) == first_of(is_top(A, rowmin(A)), (1:n)', n, 2))
  c = all(colargmax(A) == first_of(is_top(A, colmax(A)), 1:m, m, 1)) && all(colargmin(A) == first_of(is_top(A, colmin(A)), 1:m, m, 1))
  return r && c
end
function check_all(A)
  n = numel(A);
  return argmax(A) == min(where(is_top(A, max(A))[:], 1:n, n)) && argmin(A) == min(where(is_top(A, min(A))[:], 1:n, n))
end
check_both(A) = check_rows(A) && check_all(A)
data(m, n, k) = mod(reshape(0:m*n-1, m, n)*7919 + k, 1009) - 504
print(check_both(f32(data(31, 33, 5))), " ", check_both(f32(data(33, 31, 5))), " ", check_both(f64(data(2, 2, 5))), " ", check_both(i64(data(7, 129, 3))))   # expect: true true true true
print(check_both(f32(data(5000, 3, 1))), " ", check_both(f32(data(3, 5000, 1))), " ", check_both(f64(data(5000, 3, 2))), " ", check_both(i32(data(3, 5000, 3))))   # expect: true true true true
print(check_both(f16(data(70, 300, 1))), " ", check_both(bf16(data(300, 70, 1))), " ", check_both(data(31, 65, 1) > 300), " ", check_both(i64(data(300, 70, 4))))   # expect: true true true true
# Ties, and what no element is larger than.
print(check_both(ones(33, 65)), " ", check_both(fill(-inf, 5, 70)), " ", check_both(i64(fill(-9223372036854775807, 3, 40))), " ", argmax(fill(-inf, 9)))   # expect: true true true 1
# NaN, the first one; infinities.
N = f32(data(40, 300, 1)); N[7, 31] = nan; N[7, 200] = nan; N[30, 1] = nan; N[2, 5] = inf; N[3, 300] = -inf;
print(check_both(N), " ", check_both(f64(N)), " ", check_both(f16(N)), " ", argmax(N) == 6*300 + 31, " ", rowargmin(N)[7])   # expect: true true true true 31
# Views: turned, strided, backwards, a row, a column, repeated.
V = f32(data(64, 129, 9));
print(check_both(V'), " ", check_both(V[2:3:60, 5:7:129]), " ", check_both(V[end:-1:1, end:-1:1]), " ", check_all(V[5, :]), " ", check_all(V[:, 7]), " ", check_both(f32(1:40) .* ones(1, 30)))   # expect: true true true true true true
# Of what is computed, together with other results of the same pass.
W = f64(data(50, 70, 2)); e = exp(-W/100); k = rowargmax(e); s = sum(e, 2); l = colargmin(W); t = sum(W, 1); g = argmax(e);
print(all(k == rowargmin(W)), " ", max(abs(s - e*ones(70, "f64"))) < 1e-9, " ", all(l == colargmax(e)), " ", all(t == sum(W', 2)'), " ", g == argmin(W))   # expect: true true true true true
# The place chooses elements in the same block.
x = f32(mod((1:100000)*7919, 99991)); k = argmax(x); y = x[k]; print(y == max(x), " ", check_all(x), " ", argmax(x[2:2:99999]))   # expect: true true 45412
# Of tensors, along an axis and of all; one element; a number.
T = f32(reshape(mod((1:2*3*5)*11, 31), 2, 3, 5));
print(reduce("argmax", T, 2)[2, 1, 4] == argmax(T[2, :, 4]), " ", argmax(T) == argmax(T[:]), " ", reduce("argmin", T, 3)[1, 3] == argmin(T[1, 3, :]), " ", argmax([3]), " ", argmin(5), " ", dtype(argmax([1, 2])))   # expect: true true true 1 1 i64
print(reduce("argmax", [4, 6, 5], 2)', " ", reduce("argmax", [4, 6, 5], 1))   # expect: i64[1×3]
                              # expect:   1  1  1 2
# Ties in tensors, whose axes kernels take in an order of their own.
U = ones(4, 5, 6); U[2:4, 2:5, 2:6] = 2; E = fill(-inf, 4, 5, 6);
print(argmax(U) == 1*30 + 1*6 + 2, " ", max(abs(reduce("argmax", U, 1) - max(1, reduce("max", U, 1)))) == 0, " ", max(reduce("argmax", E, 1)), " ", max(reduce("argmin", U, 2)), " ", argmin(E), " ", max(reduce("argmax", E, 3)))   # expect: true true 1 1 1 1
V = U; V[3, 4, 5] = nan; print(argmax(V) == 2*30 + 3*6 + 5, " ", reduce("argmin", V, 1)[1, 4, 5] == 3, " ", reduce("argmax", V, 2)[3, 1, 5] == 4)   # expect: true true true
# With a dimension, from the end as well, and over several.
A = [3, 9, 9; NaN, 1, 2; 5, -1, 5]; B = reshape(mod(1:24, 7), 2, 3, 4);
print(all(argmax(A, 1) == colargmax(A)), " ", all(argmax(A, 2) == [2; 1; 1]), " ", all(argmin(A, -1) == [1; 1; 2]), " ", argmax(A))   # expect: true true true 4
print(all(argmax(B, 2) == reduce("argmax", B, 2)), " ", all(argmin(B, 3) == reduce("argmin", B, 3)), " ", argmax(B, [1, 2, 3]) == argmax(B), " ", argmax(1:5, 1), " ", argmax((1:5)', 2)[1])   # expect: true true true 5 5
