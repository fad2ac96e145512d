# stages: space
A = rand(300, 300); u = rand(300); v = rand(300); y = rand(300); z = rand(300);
begin
  B = A + u*v';
  x = 0.25*B'*y + z;
  w = 0.5*B*x;
end
