# The user wants them together, whatever it costs.
# rule: pin-together: `:fuse` keeps
A = rand(600, 400); p = rand(400); r = rand(600);
:fuse q s
begin
  q = A*p;
  s = A'*r;
end;
:why q s
