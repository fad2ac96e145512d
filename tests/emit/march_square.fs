# GEMVER.
# devices: h200 h100 a100 plain
A = f32(rand(8192, 8192)); u = rand(8192); v = rand(8192);
begin
  B = A + u*v';
  x = 0.5*(B'*u) + v;
  w = 2*B*x;
end
:dump code
