# Programs of batches, each of its blocks in as few kernels as it can be.

# A right side for each of many matrices, what makes them and what uses the solutions: one kernel.
seed(3);
n = 1000;
A = f64(rand(n, 3, 3)); b = f64(rand(n, 3, 1)); A[1, 1, 1] = 1; b[1, 1, 1] = 1;
E = reshape(f64(9*eye(3)), 1, 3, 3); E[1, 1, 1] = 9;
begin y = exp(2*((A + E)\b)) - 1; end
:assert plan kernels == 1
x = log(y + 1)/2;
max(abs((A + E)*x - b)) < 1e-12    # expect: true
begin d = det(A + E) .* 2; end
:assert plan kernels == 1
begin B = 0.5*inv(A + E) + A; end
:assert plan kernels == 1
max(abs((A + E)*(B - A) - E/18)) < 1e-12 # expect: true
max(abs(det(inv(A + E)) .* d - 2)) < 1e-12                     # expect: true
# ---
# Products of small matrices and what is around them.
n = 100;
A = rand(n, 3, 3); B = rand(n, 3, 3); C = rand(n, 3, 3); A[1, 1, 1] = 1; B[1, 1, 1] = 1; C[1, 1, 1] = 1;
begin y = exp(einsum("bij,bjk->bik", A, B) + C); end
:assert plan kernels == 1
begin w = sum(sum((2*A)\(A*B) - B/2)); end
abs(w) < 1e-2                                             # expect: true
z = exp(reshape(A[7, :, :]*B[7, :, :], 1, 3, 3) + C[7, :, :]);
max(abs(y[7, :, :] - z)) < 1e-4         # expect: true
# ---
# Attention of heads: softmax(Q*K'/sqrt(d))*V.
seed(5);
h = 4; s = 16; d = 8;
Q = rand(h, s, d); K = rand(h, s, d); V = rand(h, s, d); Q[1, 1, 1] = 1; K[1, 1, 1] = 1; V[1, 1, 1] = 1;
begin O = softmax(Q*K'/sqrt(d))*V; end
:assert plan kernels == 3
W = softmax(Q*K'/sqrt(d));
size(O)'                                                  # expect: i64[1×3]
                                                          # expect:    4  16   8
max(abs(sum(W, 3) - 1)) < 1e-5                            # expect: true
q = reshape(Q[3, :, :], s, d); k = reshape(K[3, :, :], s, d); v = reshape(V[3, :, :], s, d);
max(abs(softmax(q*k'/sqrt(d))*v - reshape(O[3, :, :], s, d))) < 1e-5   # expect: true
# ---
# A Kalman filter of many tracks: positions and speeds, of which positions are measured.
n = 50;
F = [1, 0.5; 0, 1]; H = [1, 0]; Q = reshape(0.01*eye(2), 1, 2, 2); R = 0.25;
x = zeros(n, 2, 1); P = zeros(n, 2, 2) + reshape(eye(2), 1, 2, 2);
for t = 1:20
  z = reshape((1:n)*0.5*t*0.1, n, 1, 1);
  x = F*x;
  P = F*P*F' + Q;
  S = H'*P*reshape(H, 2, 1) + R;
  G = P*reshape(H, 2, 1) ./ S;
  x = x + G.*(z - H'*x);
  P = P - G*(H'*P);
end
:assert plan kernels <= 9
max(abs(x[:, 2, 1] ./ (0.1*(1:n)) - 1)) < 0.2               # expect: true
max(abs(P - P')) < 1e-6                                   # expect: true
# ---
# A step of an LSTM over a batch: gates by one product, then elementwise.
seed(9);
b = 6; n = 5; m = 4;
X = rand(b, 3, n); h = zeros(b, 1, m); c = zeros(b, 1, m);
W = rand(n, 4*m) - 0.5; U = rand(m, 4*m) - 0.5; W[1, 1] = 0; U[1, 1] = 0;
for t = 1:3
  g = X[:, t, :]*W + h*U;
  i = sigmoid(g[:, :, 1:m]); f = sigmoid(g[:, :, m+1:2*m]);
  o = sigmoid(g[:, :, 2*m+1:3*m]); a = tanh(g[:, :, 3*m+1:4*m]);
  c = f.*c + i.*a;
  h = o.*tanh(c);
end
:assert plan kernels <= 4
hh = zeros(1, m); cc = zeros(1, m);
for t = 1:3
  g = reshape(X[2, t, :], 1, n)*W + hh*U;
  cc = sigmoid(g[:, m+1:2*m]).*cc + sigmoid(g[:, 1:m]).*tanh(g[:, 3*m+1:4*m]);
  hh = sigmoid(g[:, 2*m+1:3*m]).*tanh(cc);
end
max(abs(h[2, :, :] - reshape(hh, 1, 1, m))) < 1e-5        # expect: true
# ---
A = zeros(3, 2, 2) + reshape(eye(2), 1, 2, 2); A[2, :, :] = 1;
B = 2*inv(A) + 1                                          # error: matrix 2 of the batch is singular: pivot 2 of 2 is zero
# ---
A = zeros(3, 2, 2) + reshape(eye(2), 1, 2, 2); A[3, 1, 2] = 1;
chol(A)                                                   # error: matrix 3 of the batch is not symmetric
# ---
inv(ones(2, 3, 4))                                        # error: inv needs a square matrix, not 2x3x4
# ---
A = zeros(2, 3, 3) + reshape(eye(3), 1, 3, 3); A[1, 1, 1] = 0; A[1, 2, 1] = 0/0;
x = A\ones(3)                                             # expect: x = f32[2×3]
                                                          # expect:   NaN  NaN  NaN
                                                          # expect:     1    1    1
det(A)                                                    # expect: f32[2]
                                                          # expect:   NaN    1
