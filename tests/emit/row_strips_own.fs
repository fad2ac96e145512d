# What only the rows themselves want stands behind the loads of the matrix, in the first strip.
B = rand(16384, 8192); B[1, 1] = 1;
u = rand(16384); u[1] = 1; v = rand(16384); v[1] = 1;
begin
  t = B'*u;
  w = u + 3*v;
  z = w .* u;
end
:dump code
