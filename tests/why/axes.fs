# They share p, but the rows of A are not those of D.
# rule: axes: different axes
A = rand(600, 400); D = rand(600, 400); p = rand(400);
begin
  q = A*p;
  e = D*p;
end;
:why q e
