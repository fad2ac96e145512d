# The user has split them.
# rule: barrier: a `barrier` stands between
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  q = A*p;
  barrier
  s = A'*r;
end;
:why q s
