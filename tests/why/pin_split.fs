# The user has split them for good.
# rule: pin: `:split` keeps
A = rand(600, 400); p = rand(400); r = rand(600);
:split q s
begin
  q = A*p;
  s = A'*r;
end;
:why q s
