# One kernel reads A once for both.
# rule: same-array: reads A once
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  q = A*p;
  s = A'*r;
end;
:why q s
