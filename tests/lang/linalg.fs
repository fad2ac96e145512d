A = [4, 1; 1, 3];
print(max(abs(inv(A)*A - eye(2))) < 1e-5)     # expect: true
R = chol(A);
print(max(abs(R'*R - A)) < 1e-5, " ", R[2, 1])     # expect: true 0
d = eigvals(A);
V = eigvecs(A);
print(max(abs(A*V - V*diag(d))) < 1e-4)       # expect: true
print(max(abs(solve(A, [1, 2]) - A\[1; 2])))  # expect: 0
print(abs(sum(svdvals(A)) - trace(A)) < 1e-4) # expect: true
print(max(abs(A^-1 - inv(A))))                # expect: 0
# What only rounding made unsymmetric is taken as it is, in every type.
seed(1);
W = rand(40, 60) - 0.5;
function nearly(G, off)
  G[2, 1] = G[1, 2] + off*max(G);
  return abs(sum(eigvals(G)) - sum(f32(diag(G)))) < 1e-3
end
print(nearly(W*W', 1e-6), " ", nearly(f64(W*W'), 1e-7))            # expect: true true
print(nearly(f16(W)*f16(W)', 1e-2), " ", nearly(bf16(W)*bf16(W)', 2e-2)) # expect: true true
print(trace(chol(f64([4, 2; 2.000001, 5]))))                           # expect: 4
# NaN is not passed over.
print(sum(isnan(inv([1, 2, 3; 0, 0/0, 1; 0, 0, 4]))), " ", sum(isnan(inv([0/0, 2; 3, 4]))))   # expect: 9 4
nan = 0/0;
print(all(isnan([nan, 2; 3, 4]\[1; 2])), " ", all(isnan([1, 2; 3, nan; 4, 5]\[1; 2; 3])))      # expect: true true
# Triangles need no factorisation: exact in small integers, as they lie or transposed, in
# part, of any type, and no longer once an element has made them something else.
i = 1:9; b = f64(mod(i*5, 7) - 3);
U = f64((i <= i') .* (mod(i*i', 4) - 2)); U = U - diag(diag(U)) + diag(1 - 2*mod(f64(i), 2));
L = 1*U';
function residual(A, x, b)
  return max(abs(A*x - b))
end
print(residual(U, U\b, b), " ", residual(U', U'\b, b), " ", residual(L, L\b, b), " ", residual(L', f32(L')\b, b))   # expect: 0 0 0 0
B = f64([b, 2*b, reshape(1:9, 9, 1)]);
print(residual(U, U\B, B), " ", residual(U', U'\B, B), " ", max(abs(f32(U)\f32(B) - U\B)), " ", residual(L, solve(L, B), B))   # expect: 0 0 0 0
V = U[2:5, 2:5]; W = U[1:2:9, 1:2:9]; c = b[1:4];
print(residual(V, V\c, c), " ", residual(V', V'\c, c), " ", residual(W, W\b[1:5], b[1:5]), " ", residual(V, V\B[3:6, 2], B[3:6, 2]))   # expect: 0 0 0 0
print(max(abs([2, 0; 0, 4]\[2; 2] - [1; 0.5])), " ", max(abs(i32([1, 0; -2, 1])\[3; 1] - [3; 7])))   # expect: 0 0
T = U; x = T\b; T[9, 1] = 0.5; y = T\b;
print(residual(U, x, b), " ", residual(T, y, b) < 1e-9, " ", max(abs(x - y)) > 1e-3)   # expect: 0 true true
# A matrix by its own transpose, also of a part and of products that wait, is what any
# product is; on a CPU symmetric to the last bit.
seed(4);
D = randn(61, 37, "f64"); E = 1*D'; P = D[3:50, 2:2:30]; Q = 1*P';
print(max(abs(D'*D - E*D)) < 1e-12, " ", max(abs(D*D' - D*E)) < 1e-12, " ", max(abs(P'*P - Q*P)) < 1e-12)   # expect: true true true
M = i64(mod(reshape(1:60, 12, 5)*7, 11)) - 5; N = f64(M);
print(max(abs(N'*N - f64(M'*M))), " ", max(abs(N*N' - f64(M*M'))))   # expect: 0 0
T = [1, 2, 3; 0, 4, 5; 0, 0, 0/0]; print(all(isnan(T\[1; 2; 3])), " ", all(isnan(T'\[1; 2; 3])))   # expect: true true
G = [4, 2, 1; 2, 5, 3; 1, 3, 6]; R = chol(G);
print(max(abs(R\(R'\[1; 2; 3]) - G\[1; 2; 3])) < 1e-5, " ", max(abs(R\(R'\G) - eye(3))) < 1e-5)   # expect: true true
# Least squares.
X = [1, 1; 1, 2; 1, 3];
b = X \ [1; 2; 3];
print(abs(b[1]) < 1e-4, " ", abs(b[2] - 1) < 1e-4) # expect: true true
seed(2);
M = rand(70, 33); N = rand(33, 41);
P = M*N;
print(max(abs(P[5, :]' - N'*M[5, :]')) < 1e-4)   # expect: true
print(max(abs((M*N)' - N'*M')) < 1e-4)        # expect: true
print(max(abs(M'*M - (M'*M)')) < 1e-4)        # expect: true
f = f16([1, 2; 3, 4]);
print(dtype(f*f), " ", sum(f*f))                   # expect: f16 54
# Products of halves: sums in f32, rounded once, whatever lies along the rows.
i = f32(1:37);
A = mod(i * i[1:29]', 7) - 3; B = mod(i[1:29] * i[1:31]', 5) - 2;
function wrong(H, K, A, B)
  return [sum(H*K != A*B), sum(K'*H' != (A*B)'), sum(H[2:2:36, :]*K != A[2:2:36, :]*B), sum(H[:, 3:20]*K[3:20, 2:9] != A[:, 3:20]*B[3:20, 2:9]), sum((H'*H)[:, 1:5] != (A'*A)[:, 1:5])]
end
print(max(wrong(f16(A), f16(B), A, B)), " ", max(wrong(bf16(A), bf16(B), A, B)), " ", dtype(bf16(A)*bf16(B)), " ", dtype(f16(A)*bf16(B)))   # expect: 0 0 bf16 f32
x = f16(fill(60000, 2, 3)); print(max(x*f16([0.5; 0.25; 0.25]*[1, 2]')))   # expect: Inf
print(f32(bf16([1, 1; 1, 1])*bf16([256, 1; 1, 1]))[1, 1])   # expect: 256
# Large enough that lines which begin off 16-byte boundaries are copied for matrix units.
i = f32(1:1501); k = f32(1:1003);
A = mod(i*k', 5) - 2; B = mod(k*i', 3) - 1; H = f16(A); K = f16(B);
print(sum(H*K != A*B), " ", sum(K'*H' != B'*A'), " ", sum(H[2:1501, :]*K != A[2:1501, :]*B), " ", sum((H*K)[5, 1:9] != (A*B)[5, 1:9]))   # expect: 0 0 0 0
# Tiny products, which are sums in a kernel, and those of the library: sums of outer products.
bad = 0;
for m = 2:6
  for k = 2:5
    for n = 2:5
      A = mod(reshape(f64(1:m*k)*7, m, k), 11) - 5; B = mod(reshape(f64(1:k*n)*5, k, n), 7) - 3;
      C = zeros(m, n, "f64"); D = A*B + A*B;
      for p = 1:k; C = C + A[:, p]*B[p, :]; end
      bad = bad + sum((A*B != C || D != 2*C || (B'*A')' != C || f32(A)*f32(B) != C)[:]);
    end
  end
end
print(bad)   # expect: 0
# ---
# expm: rotations, nilpotent and diagonal matrices, sums that commute, every type.
t = 1.25; E = expm(f64([0, t; -t, 0]));
print(max(abs(E - f64([cos(t), sin(t); -sin(t), cos(t)]))[:]) < 1e-15)      # expect: true
N = f64([0, 1, 2; 0, 0, 3; 0, 0, 0]);
print(max(abs(expm(N) - (eye(3, "f64") + N + N*N/2))[:]) < 4e-15, all(all(expm(zeros(3, 3)) == eye(3))))   # expect: true true
A = f64([1, 2; -3, 0.5]);
print(norm(expm(6*A) - expm(A)^6)/norm(expm(6*A)) < 1e-13, norm(expm(A)*expm(-A) - eye(2)) < 1e-14)   # expect: true true
d = f64([-30, 0, 2]);
print(max(abs(expm(diag(d)) - diag(exp(d)))[:]) < 1e-13)                    # expect: true
print(dtype(expm(f16([0, 1; 0, 0]))), " ", dtype(expm(i32([0, 1; 0, 0]))), " ", dtype(expm(i64([0, 1; 0, 0]))))   # expect: f16 f32 f64
print(expm(0), expm([0])[1, 1], all(isnan(expm([1, nan; 0, 1]))))           # expect: 1 1 true
# ---
expm(ones(2, 3))          # error: expm takes a square matrix
