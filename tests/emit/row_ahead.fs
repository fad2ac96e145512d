# The next row is loaded ahead.
# devices: h200 a100
A = f64(rand(30000, 500)); u = f64(rand(500, 1)); r = f64(rand(30000, 1));
begin
  q = A*u;
  s = A'*r;
end
:dump code
