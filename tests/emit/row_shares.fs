# What rows have of their own, one thread of the row makes.
# devices: h200 a100
A = f32(rand(100000, 256));
begin
  s = sum(A, 2);
  B = A + exp(-s)./sqrt(s);
end
:dump code
