# The same in bf16.
# devices: h200
A = bf16(rand(8192, 8192)); u = bf16(rand(8192)); v = bf16(rand(8192));
begin
  B = A + u*v';
  x = 0.5*(B'*u) + v;
  w = 2*B*x;
end
:dump code
