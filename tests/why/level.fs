# The sum waits for all rows.
# rule: level: needs the finished result
A = rand(600, 400); x = rand(600); z = rand(400);
begin
  t = A'*x;
  u = exp(t) .* z;
  y = A*u;
  v = sum(y .* y) * y;
end;
:why y v
:why 3 4
