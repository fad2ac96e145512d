# One name: why its kernel is as it is.
# rule: one-row: a block owns whole rows
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  q = A*p;
  s = A'*r;
  w = s + 1;
end;
:why w
