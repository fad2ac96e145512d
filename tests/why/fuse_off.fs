# Fusing is off.
# rule: off: fusing is off
A = rand(600, 400); p = rand(400); r = rand(600);
:fuse off
begin
  q = A*p;
  s = A'*r;
end;
:why q s
