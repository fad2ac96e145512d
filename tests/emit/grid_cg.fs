# Phases of one launch: barriers, sums in each block.
# devices: h200 h100 a100
A = f32(rand(2048, 2048)); p = f32(rand(2048)); z = f32(rand(2048)); r = f32(rand(2048)); rho = sum(r);
begin
  q = A*p;
  alpha = rho/(p'*q);
  z1 = z + alpha*p;
  r1 = r - alpha*q;
  rho1 = r1'*r1;
  p1 = r1 + (rho1/rho)*p;
end
:dump code
