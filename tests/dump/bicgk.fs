# stages: ast graph plan code
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  q = A*p
  s = A'*r;
end
