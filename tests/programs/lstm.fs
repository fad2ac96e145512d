# A long short-term memory, all steps of a sequence.
T = 10; B = 4; I = 8; M = 16;
data(m, n, k) = mod(reshape(0:m*n-1, m, n)*7919 + k, 101)/101 - 0.5
X = reshape(data(T*B, I, 1), T, B, I);
W = data(I, 4*M, 2); U = data(M, 4*M, 3)/2; b = data(4*M, 1, 4)[:, 1];
h = zeros(B, M, "f64"); c = zeros(B, M, "f64"); Y = zeros(T, B, M, "f64");
for t = 1:T
  g = X[t, :, :]*W + h*U + b';
  i = sigmoid(g[:, 1:M]); f = sigmoid(g[:, M+1:2*M]); o = sigmoid(g[:, 2*M+1:3*M]);
  c = f.*c + i.*tanh(g[:, 3*M+1:end]);
  h = o.*tanh(c);
  Y[t, :, :] = h;
end
save("lstm.npz", Y)
