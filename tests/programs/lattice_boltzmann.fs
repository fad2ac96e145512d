# A shear flow on a torus by the lattice of nine velocities.
nx = 64; ny = 48; tau = 0.6;
cx = {0, 1, 0, -1, 0, 1, -1, -1, 1}; cy = {0, 0, 1, 0, -1, 1, 1, -1, -1};
w = {4/9, 1/9, 1/9, 1/9, 1/9, 1/36, 1/36, 1/36, 1/36};
u0 = 0.05*mod((1:ny)*7, 5) .* ones(1, nx, "f64");
f = {};
for i = 1:9
  f[end+1] = w[i]*(1 + 3*cx[i]*u0);
end
for t = 1:20
  begin
    rho = 0; mx = 0; my = 0;
    for i = 1:9
      f[i] = circshift(f[i], [cy[i], cx[i]]);
      rho += f[i]; mx += cx[i]*f[i]; my += cy[i]*f[i];
    end
    ux = mx./rho; uy = my./rho; uu = 1.5*(ux.^2 + uy.^2);
    for i = 1:9
      cu = cx[i]*ux + cy[i]*uy;
      f[i] += (w[i]*rho.*(1 + 3*cu + 4.5*cu.^2 - uu) - f[i])/tau;
    end
  end
end
f1 = f[1]; f2 = f[2]; f9 = f[9];
save("lattice_boltzmann.npz", f1, f2, f9, ux, uy)
