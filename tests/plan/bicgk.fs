# BiCGK: A is read once for both products.
# kernels: 1
# schemes: row
A = rand(600, 400); A[1, 1] = 0;
p = rand(400); p[1] = 0; r = rand(600); r[1] = 0;
begin
  q = A*p;
  s = A'*r;
end
:plan dump
