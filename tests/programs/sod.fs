# Sod's shock tube, by the fluxes of Lax and Friedrichs.
:set dtype f64
n = 200; g = 1.4; dx = 1/n; T = 0.2;
x = ((1:n) - 0.5)*dx;
rho = where(x < 0.5, 1.0, 0.125); p = where(x < 0.5, 1.0, 0.1); u = zeros(n);
Q = [rho'; (rho.*u)'; (p/(g - 1) + 0.5*rho.*u.^2)'];
t = 0; steps = 0;
while t < T
  rho = Q[1, :]; u = Q[2, :]./rho; E = Q[3, :];
  p = (g - 1)*(E - 0.5*rho.*u.^2);
  a = max(abs(u) + sqrt(g*p./rho));
  dt = min(0.5*dx/a, T - t);
  F = [rho.*u; rho.*u.^2 + p; u.*(E + p)];
  left = [1; 1:n]; right = [1:n; n];
  H = 0.5*(F[:, left] + F[:, right]) - 0.5*a*(Q[:, right] - Q[:, left]);
  Q = Q - dt/dx*(H[:, 2:end] - H[:, 1:end-1]);
  t += dt; steps += 1;
end
save("sod.npz", Q, steps)
