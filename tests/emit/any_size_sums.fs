# Sums of what is there so far.
# devices: h200 a100
x = rand(70000); M = rand(700, 700); t = 0;
for k = 1:60
  b = max(x[k:70000-k] + 2*k);
  s = M[1:k, k:700]*x[k:700];
  t = t + b + sum(s);
end
:dump code
