# What goes by a list reads where it says, and needs all of it.
# rule: level: needs the finished result
A = rand(60, 40); y = rand(60); w = rand(40);
begin
  b = mod(7*(1:20), 60) + 1;
  e = A[b, :]*w - y[b];
  g = A[b, :]'*e;
end;
:why e g
:why b e
