# Rows that a few threads share.
# devices: h200 a100
A = f32(rand(3000, 45)); p = rand(45); r = rand(3000);
begin
  q = A*p;
  s = A'*r;
end
:dump code
