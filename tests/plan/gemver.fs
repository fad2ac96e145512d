# GEMVER: B is made and used for x in the first kernel, read again for w.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0;
v1 = rand(400); v1[1] = 0; v2 = rand(400); v2[1] = 0; z = rand(400); z[1] = 0;
u1 = rand(600); u1[1] = 0; u2 = rand(600); u2[1] = 0; y = rand(600); y[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  B = A + u1*v1' + u2*v2';
  x = beta*B'*y + z;
  w = alpha*B*x;
end
:plan dump
