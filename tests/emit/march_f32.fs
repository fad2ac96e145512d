# Blocks in step: columns' sums go back to the rows.
# devices: h200 h100 a100
A = rand(160001, 264); u = rand(160001); v = rand(264);
begin
  x1 = 2*A'*u + v;
  w1 = 3*A*x1;
end
:dump code
