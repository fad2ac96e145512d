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
