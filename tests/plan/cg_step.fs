# One step of conjugate gradients: two dot products divide it.
# kernels: 3
A = rand(400, 400); A[1, 1] = 0;
x = rand(400); x[1] = 0; r = rand(400); r[1] = 0; p = rand(400); p[1] = 0;
rs = r'*r;
begin
  q = A*p;
  a = rs/(p'*q);
  x = x + a*p;
  r = r - a*q;
  new = r'*r;
  p = r + (new/rs)*p;
  rs = new;
end
:plan dump
