# Rows by a list.
# devices: h200 a100
A = f32(rand(500, 1024)); v = rand(1024);
begin
  p = mod(7*(1:300), 500) + 1;
  q = A[p, :]*v;
  s = A[p, :]'*q;
end
:dump code
