# Several sums of columns.
# devices: h200 a100
A = f32(rand(600, 400));
begin
  s = sum(A, 1);
  t = sum(A.^2, 1);
  m = colmax(A);
end
:dump code
