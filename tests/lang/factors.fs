# Factorisations with several results, by what they leave of A: in units of the rounding
# of the type times the larger extent and the norm of A. No test demands bits of them, so
# that it says the same on either target.
function unit(A)
  t = dtype(A);
  if t == "f64" || t == "i64"
    return 2^-53
  end
  return 2^-24
end
function apart(A, B, of)
  scale = max(size(A, 1), size(A, 2))*unit(of);
  return number(norm(f64(A) - f64(B)) / (scale*max(norm(f64(A)), 1e-300)))
end
function askew(Q)
  return apart(eye(size(Q, 2), "f64"), f64(Q)'*f64(Q), Q)
end
function of_rank(m, n, r, t)
  if r == 0
    return zeros(m, n, t)
  elseif r >= min(m, n)
    return randn(m, n, t)
  end
  return randn(m, r, t)*randn(r, n, t)
end
# m, n, rank, whether f64; tests/unit/test_library.c has more forms.
sizes = [1, 5, 5, 1; 33, 31, 31, 0; 200, 3, 3, 1; 33, 33, 7, 0; 7, 5, 0, 0];
function example(c)
  t = "f32";
  if c[4] == 1
    t = "f64";
  end
  return of_rank(number(c[1]), number(c[2]), number(c[3]), t)
end

# -- singular values ----------------------------------------------------------------
function svd_off(A)
  U, s, V = svd(A);
  k = numel(s);
  good = size(U, 1) == size(A, 1) && size(U, 2) == k && size(V, 1) == size(A, 2);
  good = good && size(V, 2) == k && all(colmax(U) == colmax(abs(U))) && all(s >= 0);
  if k > 1
    good = good && all(s[2:k] <= s[1:k-1]);
  end
  if !good
    return 1/0
  end
  off = max(apart(A, (f64(U).*f64(s)')*f64(V)', s), max(askew(U), askew(V)));
  return max(off, apart(s, svd(A), s))
end
seed(11);
worst = 0;
for c in sizes'
  worst = max(worst, svd_off(example(c)));
end
A = randn(40, 31); worst = max(worst, svd_off(A[1:2:end, :]'));
print("svd ", worst < 20)   # expect: svd true
print(svd_off(bf16(randn(5, 9))) < 20, " ", svd_off(i64([1, 2; 3, 4])) < 20)   # expect: true true
U, s, V = svd(f16([1, 2; 3, 4])); print(dtype(U), " ", dtype(s), " ", dtype(svd(i64([1, 2; 3, 4]))))   # expect: f32 f32 f64
# Whatever of the results is wanted, beside other statements, and in rounds.
A = f64([3, 0; 0, 4; 0, 0]);
function near(x, y)
  return max(abs(x - y)) < 1e-12
end
U, s, V = svd(A);
print(near(U, [0, 1; 1, 0; 0, 0]), " ", near(s, [4, 3]), " ", near(V, [0, 1; 1, 0]))   # expect: true true true
U, s = svd(-A);
print(near(U, [0, 1; 1, 0; 0, 0]), " ", near(s, [4, 3]))   # expect: true true
_, _, W = svd(-A); print(near(W, [0, -1; -1, 0]))          # expect: true
begin B = 2*A; U, s, V = svd(B); t = sum(s); W = U'*B*V; end
print(near(t, 14), " ", near(W, [8, 0; 0, 6]))             # expect: true true
x = 0;
for k = 1:5
  U, s, V = svd(k*A);
  x = x + s[1] + V[2, 1];
end
print(near(x, 65))                                         # expect: true
V[1, 1] = 5; U[1, 2] = 7; print(near(V, [5, 1; 1, 0]), " ", near(U, [0, 7; 1, 0; 0, 0]), " ", near(svd(B), [8, 6]))   # expect: true true true
# What is made of them.
L = [1, 2, 3; 2, 4, 6; 1, 0, 1];
print(matrix_rank(L), " ", matrix_rank(L[1:2, :]), " ", matrix_rank(0*L), " ", matrix_rank(5), " ", matrix_rank(eye(40, "f64")))   # expect: 2 1 0 1 40
print(matrix_rank(f16(rand(30, 1)*rand(1, 40))), " ", matrix_rank(bf16(rand(30, 1)*rand(1, 40))), " ", matrix_rank(rand(50, 5)*rand(5, 60)))   # expect: 1 1 5
print(abs(cond(f64([2, 0; 0, 8])) - 4) < 1e-12, " ", cond([1, 0; 0, 0]), " ", abs(cond(eye(3)) - 1) < 1e-6)   # expect: true Inf true
P = pinv(L); print(max(abs(L*P*L - L)) < 1e-4, " ", max(abs(P*L*P - P)) < 1e-4, " ", max(abs(P*L - (P*L)')) < 1e-4, " ", max(abs(pinv(0*L))))   # expect: true true true 0
X = f64([1, 1; 1, 2; 1, 4]); print(max(abs(pinv(X) - (X'*X)\X')) < 1e-12, " ", max(abs(pinv(X')*[1; 2] - X'\[1; 2])) < 1e-5)   # expect: true true
N = null(L); Q = orth(L); print(size(N, 2), " ", size(Q, 2), " ", max(abs(L*N)) < 1e-5, " ", askew(N) < 20, " ", max(abs(Q*(Q'*L) - L)) < 1e-5)   # expect: 1 2 true true true
N = null([1, 2, 3, 4]'); print(size(N, 2), " ", askew(N) < 20, " ", max(abs([1, 2, 3, 4]'*N)) < 1e-5)   # expect: 3 true true

# -- orthogonal and triangular -----------------------------------------------------
function below(R)
  return f64((1:size(R, 1)) > (1:size(R, 2))') .* f64(R)
end
function qr_off(A, full)
  Q, R = qr(A);
  k = min(size(A, 1), size(A, 2));
  good = size(Q, 1) == size(A, 1) && size(Q, 2) == k && size(R, 1) == k && size(R, 2) == size(A, 2);
  if !good || any(diag(R)[:] < 0) || any(below(R) != 0)
    return 1/0
  end
  off = max(apart(A, f64(Q)*f64(R), R), askew(Q));
  if full
    off = max(off, apart(R, qr(A), R));
  end
  return off
end
worst = 0;
for c in sizes[2:4, :]'
  A = example(c);
  worst = max(worst, qr_off(A, c[3] == min(c[1], c[2])));
end
A = randn(40, 31); worst = max(worst, qr_off(A[1:2:end, :]', 1 > 0));
print("qr ", worst < 20)   # expect: qr true
print(qr_off(i32([1, 2; 3, 4; 5, 7]), true) < 20)   # expect: true
Q, R = qr(bf16([1, 2; 3, 4])); print(dtype(Q), " ", dtype(R), " ", dtype(qr(i64([1, 2; 3, 4]))))   # expect: f32 f32 f64
A = f64([3, 1; 4, 2; 0, 2]);
Q, R = qr(A);
print(near(5*Q[:, 1], [3, 4, 0]), " ", near(R[1, :]', f64([5, 2.2])) && near(R[2, :]', [0, norm(A[:, 2] - 2.2*Q[:, 1])]), " ", near(qr(A), R))   # expect: true true true
Q, R = qr(-A); print(near(5*Q[:, 1], [-3, -4, 0]), " ", near(R[1, 1], 5))   # expect: true true
print(near(R\(Q'*[1; 2; 3]), (-A)\f64([1; 2; 3])), " ", near(chol(A'*A), R))   # expect: true true
_, R = qr([3, 4]'); print(near(f64(R), [3, 4]'))   # expect: true
nan = 0/0;
Q, R = qr([1, 2; nan, 3; 4, 5]); print(all(isnan(Q)), " ", all(isnan(R)), " ", all(isnan(qr([1, nan]'))))   # expect: true true true

# -- rows in another order, and determinants ------------------------------------------
function lu_off(A)
  L, U, p = lu(A);
  k = min(size(A, 1), size(A, 2));
  good = size(L, 1) == size(A, 1) && size(L, 2) == k && size(U, 1) == k && size(U, 2) == size(A, 2);
  good = good && dtype(p) == "i64" && numel(p) == size(A, 1) && all(abs(L)[:] <= 1);
  good = good && all(below(U) == 0) && all(below(L') == 0) && all(diag(L)[:] == 1);
  if !good
    return 1/0
  end
  return apart(A[p, :], f64(L)*f64(U), L)
end
worst = 0;
for c in sizes[2:4, :]'
  worst = max(worst, lu_off(example(c)));
end
A = randn(40, 31); worst = max(worst, lu_off(A[1:2:end, :]'));
print("lu ", worst < 20)   # expect: lu true
print(lu_off(f16(randn(9, 5))) < 20, " ", lu_off(zeros(3, 2)))   # expect: true 0
A = f64([1, 2, 0; 4, 4, 4; 2, 5, 1]);
L, U, p = lu(A);
print(near(12*L, [12, 0, 0; 6, 12, 0; 3, 4, 12]), " ", near(U[1:2, :], [4, 4, 4; 0, 3, -1]), " ", sum(p == [2, 3, 1]))   # expect: true true 3
print(near(det(A), -8), " ", near(det(A'), -8), " ", near(det(A[[2, 1, 3], :]), 8), " ", near(det(inv(A)), -1/8))   # expect: true true true true
print(det([1, 2; 2, 4]), " ", det(zeros(4, 4)), " ", det(7), " ", det(diag([1e30, 1e30, 0])), " ", det(1e30*eye(2)))   # expect: 0 0 7 0 Inf
print(abs(det(f16([1, 2; 3, 4])) + 2) < 1e-5, " ", dtype(det(bf16([1, 2; 3, 4]))), " ", dtype(det(i64([1, 2; 3, 4]))), " ", dtype(det(i32([1, 2; 3, 4]))))   # expect: true f32 f64 f32
d = f64(1:33); M = randn(33, 33, "f64"); M = M - diag(diag(M)); T = f64((1:33) < (1:33)') .* M + diag(d/10);
print(abs(det(T)/prod(d/10) - 1) < 1e-10, " ", abs(det(T[33:-1:1, :])/prod(d/10) - 1) < 1e-10, " ", abs(det(M*M')/det(M)^2 - 1) < 1e-8)   # expect: true true true
L, U, p = lu([1, 2; nan, 3]); print(all(isnan(L)), " ", all(isnan(U)), " ", p[2], " ", det([1, 2; nan, 3]))   # expect: true true 2 NaN
x = [1; 2; 3]; L, U, p = lu(A); print(near(U\(L\f64(x[p])), A\f64(x)))   # expect: true
# The same bits in every round.
A = randn(130, 70);
for k = 1:4
  U, s, V = svd(A); Q, R = qr(A); L, W, p = lu(A);
  now = [sum(f64(U).*(1:130)), sum(f64(s)), sum(f64(V).*(1:70)), sum(f64(Q).*(1:130)), sum(f64(R)), sum(f64(L)), sum(f64(W)), sum(p.*(1:130))];
  if k > 1 && any(now != before)
    print("round ", k, " has other bits");
  end
  before = now;
end
# ---
det([1, 2, 3])                  # error: det needs a square matrix, not 3
# ---
L, U, p, s = lu([1, 2])         # error: lu([1, 2]) gives 3 values, not 4
# ---
Q, R, p = qr([1, 2])            # error: qr([1, 2]) gives 2 values, not 3
# ---
R = qr()                        # error: qr takes 1 argument, not 0
# ---
U, s, V = svd([1, 2; 0/0, 3])   # error: the decomposition of the 2x2 matrix did not converge
# ---
svd(f64([1, 1/0]'))             # error: the decomposition of the 1x2 matrix did not converge
# ---
a, b, c, d = svd([1, 2])        # error: svd([1, 2]) gives 3 values, not 4
# ---
pinv([1, 0/0])                  # error: did not converge
