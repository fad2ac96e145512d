# Reaction and diffusion of two substances on a torus (Gray and Scott): a step is one kernel.
n = 64; F = 0.035; k = 0.065;
lap(Z) = circshift(Z, 1, 1) + circshift(Z, -1, 1) + circshift(Z, 1, 2) + circshift(Z, -1, 2) - 4*Z
U = ones(n, n, "f64"); V = zeros(n, n, "f64");
U[28:36, 28:36] = 0.5; V[28:36, 28:36] = 0.25;
for t = 1:100
  uvv = U.*V.^2;
  U, V = U + 0.16*lap(U) - uvv + F*(1 - U), V + 0.08*lap(V) + uvv - (F + k)*V;
end
save("gray_scott.npz", U, V)
