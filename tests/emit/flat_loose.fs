# A neighbour before the first element, under a condition.
x = rand(4096); x[1] = 0; y = zeros(4096);
forall i = 1:4096
  s = x[i];
  if i > 1; s += x[i - 1]; end
  y[i] = s;
end
:dump code
