# The least under a condition, which is stored: what it began with is not chosen once more.
# kernels: 2
n = 512; m = 32; x = rand(n); z = rand(m); r = rand(m); h = zeros(n, n); x[1] = 0; z[1] = 0; r[1] = 1;
begin
for i = 1:n
  for j = 1:n
    best = 1000;
    for s = 1:m
      e = r[s] - x[i]*x[j];
      if e > 0; best = min(best, z[s] - sqrt(e)); end
    end
    h[i, j] = best;
  end
end
end
:plan dump
