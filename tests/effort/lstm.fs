# Long short-term memory, 50 steps.
n = 64
Wi = rand(n, n) - 0.5; Wf = rand(n, n) - 0.5; Wo = rand(n, n) - 0.5; Wg = rand(n, n) - 0.5
Ui = rand(n, n) - 0.5; Uf = rand(n, n) - 0.5; Uo = rand(n, n) - 0.5; Ug = rand(n, n) - 0.5
X = rand(n, 100); h = ones(n); c = zeros(n)
h[1] = 0; c[1] = 0.5; X[1,1] = 0
Wi[1,1] = 0; Wf[1,1] = 0; Wo[1,1] = 0; Wg[1,1] = 0; Ui[1,1] = 0; Uf[1,1] = 0; Uo[1,1] = 0; Ug[1,1] = 0
sig(x) = 1 ./ (1 + exp(-x))
function unrolled(h, c, t)
  if t > 50
    return h, c
  end
  i = sig(Wi*X[:,t] + Ui*h)
  f = sig(Wf*X[:,t] + Uf*h)
  o = sig(Wo*X[:,t] + Uo*h)
  g = tanh(Wg*X[:,t] + Ug*h)
  d = f.*c + i.*g
  h, c = unrolled(o.*tanh(d), d, t + 1)
  return h, c
end
h, c = unrolled(h, c, 1);
