# Vectors of f64.
# devices: h200 a100
w = f64(rand(1000000)); v = f64(rand(1000000));
begin
  z = w./v;
end
:dump code
