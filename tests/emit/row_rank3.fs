# Two axes of rows.
# devices: h200
A = rand(50, 60, 700);
begin
  s = sum(A, 3);
end
:dump code
