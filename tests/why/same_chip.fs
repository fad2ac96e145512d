# The row is still on the chip when its dot product is known.
# rule: same-on-chip: used while it is on the chip
A = rand(600, 400); x = rand(400);
begin
  t = A*x;
  y = A'*t;
end;
:why t y
