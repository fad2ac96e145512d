# A step of Jacobi: product, difference and quotient in one pass over rows.
# kernels: 1
# schemes: row
A = rand(400, 400); A[1, 1] = 0;
x = rand(400); x[1] = 0; b = rand(400); b[1] = 0; d = rand(400); d[1] = 0;
begin
  x = x + (b - A*x)./d;
end
:plan dump
