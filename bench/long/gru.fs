# A gated recurrent unit, unrolled 100 times by recursion: one block of them all.
n = 64
Wz = rand(n, n) - 0.5; Wr = rand(n, n) - 0.5; Wh = rand(n, n) - 0.5
Uz = rand(n, n) - 0.5; Ur = rand(n, n) - 0.5; Uh = rand(n, n) - 0.5
X = rand(n, 100); h = ones(n)
h[1] = 0; X[1,1] = 0   # stored before the block, as the rest
Wz[1,1] = 0; Wr[1,1] = 0; Wh[1,1] = 0; Uz[1,1] = 0; Ur[1,1] = 0; Uh[1,1] = 0
function unrolled(h, t)
  if t > 100
    return h
  end
  z = 1 ./ (1 + exp(-(Wz*X[:,t] + Uz*h)))
  r = 1 ./ (1 + exp(-(Wr*X[:,t] + Ur*h)))
  c = tanh(Wh*X[:,t] + Uh*(r.*h))
  return unrolled((1 - z).*h + z.*c, t + 1)
end
h = unrolled(h, 1);
