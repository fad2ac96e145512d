# A barrier keeps two statements apart.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0;
p = rand(400); p[1] = 0; r = rand(600); r[1] = 0;
begin
  q = A*p;
  barrier
  s = A'*r;
end
:plan dump
