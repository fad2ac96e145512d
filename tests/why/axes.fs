# They share p, but nothing says that the rows of A are those of D.
# rule: axes: different axes
A = rand(600, 400); D = rand(600, 400); p = rand(400);
begin
  q = A*p;
  E = D .* p';
end;
:why q E
