# The products of a BiCG step.
# kernels: 1
A = rand(400, 400); A[1, 1] = 0;
p = rand(400); p[1] = 0; t = rand(400); t[1] = 0; rho = rand(400); rho[1] = 0;
begin
  q = A*p;
  u = A'*t;
  d = t'*q;
end
:plan dump
