# Nothing would be saved.
# rule: apart: nothing in common
A = rand(600, 400); B = rand(50, 60); x = rand(400); y = rand(60);
begin
  q = A*x;
  s = B*y;
end;
:why q s
