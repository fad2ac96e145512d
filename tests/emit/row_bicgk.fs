# Sums of rows and of columns in one pass: a ring of bulk copies.
# devices: h200 h100 a100 plain
A = f32(rand(4096, 4096)); p = f32(rand(4096)); r = f32(rand(4096));
begin
  q = A*p;
  s = A'*r;
end
:dump code
