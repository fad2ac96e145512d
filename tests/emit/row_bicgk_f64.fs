# The same in f64.
# devices: h200
A = f64(rand(2048, 2048)); p = f64(rand(2048)); r = f64(rand(2048));
begin
  q = A*p;
  s = A'*r;
end
:dump code
