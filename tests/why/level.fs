# Every column sum waits for all rows, and A is too large to be kept.
# rule: level: needs the finished result
A = rand(600, 400); x = rand(600); z = rand(400);
begin
  t = A'*x;
  u = exp(t) .* z;
  y = A*u;
  v = sum(y .* y) * z;
end;
:why t v
:why 1 4
