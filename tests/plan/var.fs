# Variance and logsumexp of f64: one pass each, which they share.
# kernels: 1
x = f64(rand(1000000)); x[1] = 0;
begin
  v = var(x);
  l = logsumexp(x);
end
:plan dump
