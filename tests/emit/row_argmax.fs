# Where the largest of rows, columns and all are: a value and its place go together.
# devices: h200 a100 plain
A = f32(rand(6000, 400));
begin
  r = rowargmax(A);
  c = colargmin(A);
  k = argmax(A);
end
:dump code
