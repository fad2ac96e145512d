# A = U*T*U', U with orthonormal columns; of real matrices blocks of two where eigenvalues are pairs.
good(A, U, T, b) = norm(U*T*U' - A) <= b*norm(A) && norm(U'*U - eye(size(A, 1))) <= b && all(tril(T, -2) == 0)
for n = [1, 2, 3, 10, 33]
  A = f64(mod(reshape(1:n*n, n, n).^2*7919 + 3, 101))/50 - 1; Z = A + 1i*A'*0.5;
  U, T = schur(A); V, S = schur(Z); u, t = schur(f32(A));
  print(good(A, U, T, 1e-13), " ", good(Z, V, S, 1e-13) && all(tril(S, -1) == 0), " ", good(f32(A), u, t, 1e-4), " ", all(schur(Z) == S), " ", dtype(U), " ", dtype(S), " ", dtype(t))   # expect: true true true true f64 c128 f32
# expect: true true true true f64 c128 f32
# expect: true true true true f64 c128 f32
# expect: true true true true f64 c128 f32
# expect: true true true true f64 c128 f32
end
U, T = schur([0, 1; -1, 0]);
print(abs(T[1, 2]*T[2, 1] + 1) < 1e-6, " ", T[1, 1] == T[2, 2], " ", size(schur(zeros(0, 0)))')   # expect: true true i64[1×2]
# expect:   0  0
# Complex factors, unique by real diagonals that are not negative; of less than full rank, too.
okay(Z, Q, R, k) = norm(Q*R - Z) <= 1e-13*norm(Z) && norm(Q'*Q - eye(k)) < 1e-13 && all(tril(R, -1) == 0) && all(im(diag(R)) == 0 && re(diag(R)) >= -1e-13)
W = f64(mod(reshape(1:35, 7, 5).^2*31, 17)) - 8; C = W + 1i*f64(mod(reshape(1:35, 7, 5)*13, 11));
Q, R = qr(C); q, r = qr(C.'); P, L = qr(C[:, [1, 2, 1, 2]]); E, F = qr(0*C);
print(okay(C, Q, R, 5), " ", okay(C.', q, r, 5), " ", okay(C[:, [1, 2, 1, 2]], P, L, 4), " ", okay(0*C + 0i, E, F, 5), " ", all(qr(C) == R), " ", dtype(qr(c64(C))))   # expect: true true true true true c64
H = C'*C + eye(5); G = chol(H);
print(norm(G'*G - H) <= 1e-13*norm(H), " ", all(tril(G, -1) == 0), " ", all(im(diag(G)) == 0 && re(diag(G)) > 0), " ", dtype(chol(c64(H))))   # expect: true true true c64
# ---
schur([nan, 1; 1, 1])           # error: did not converge
# ---
schur(ones(2, 3))               # error: schur needs a square matrix, not 2x3
# ---
chol(c64([1, 2i; -2i, 1]))      # error: the matrix is not positive definite
# ---
chol([1, 2i])                   # error: chol takes a square matrix
