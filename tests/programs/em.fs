# A mixture of two normal distributions in the plane, by expectation and maximisation.
:set dtype f64
n = 400; K = 2; d = 2;
u = mod((1:n)*7919 + 3, 1009)/1009; v = mod((1:n)*104729 + 5, 997)/997;
r = sqrt(-2*log(0.99*u + 0.001));
X = [r.*cos(2*pi*v), r.*sin(2*pi*v)] + 2*(mod(1:n, 2) == 0) - 1;
mu = [-1, -1; 1, 1.5]; w = ones(K)/K;
S = zeros(K, d, d);
for k = 1:K
  S[k, :, :] = eye(d);
end
for it = 1:25
  L = zeros(n, K);
  for k = 1:K
    D = X - mu[k, :];
    q = sum((D/S[k, :, :]) .* D, 2);
    L[:, k] = log(w[k]) - 0.5*(q + log(det(S[k, :, :])) + d*log(2*pi));
  end
  R = softmax(L, 2);
  N = sum(R, 1);
  w = N'/n;
  mu = (R'*X) ./ N';
  for k = 1:K
    D = X - mu[k, :];
    S[k, :, :] = (D .* R[:, k])'*D / N[k];
  end
end
save("em.npz", w, mu, S)
