# A step of power iteration: product and norm, then the quotient.
# kernels: 2
A = rand(400, 400); A[1, 1] = 0; v = rand(400); v[1] = 0;
begin
  w = A*v;
  v = w/norm2(w);
  w = 0;
end
:plan dump
