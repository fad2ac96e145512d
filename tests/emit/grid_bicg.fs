# BiCG: a ring in a phase of a launch.
# devices: h200 a100
A = f32(rand(4096, 4096)); p = f32(rand(4096)); pt = f32(rand(4096)); z = f32(rand(4096)); r = f32(rand(4096)); rt = f32(rand(4096)); rho = sum(r);
begin
  q = A*p;
  qt = A'*pt;
  alpha = rho/(pt'*q);
  z1 = z + alpha*p;
  r1 = r - alpha*q;
  rt1 = rt - alpha*qt;
  rho1 = rt1'*r1;
  beta = rho1/rho;
  p1 = r1 + beta*p;
  pt1 = rt1 + beta*pt;
end
:dump code
