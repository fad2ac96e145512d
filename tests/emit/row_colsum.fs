# Sums of columns by a ring of rows, though another setting is predicted to take a little less.
A = f32(rand(4096, 4096));
begin
  s = sum(A, 1);
end
:dump code
