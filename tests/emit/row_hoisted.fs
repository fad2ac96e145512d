# What columns have of their own is loaded before the rows.
# devices: h200 a100
A = f32(rand(8192, 1024)); u = f32(rand(1024)); v = f32(rand(1024));
begin
  B = A.*u' + v';
  s = sum(B, 2);
end
:dump code
