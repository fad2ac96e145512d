# A particle filter with systematic resampling.
N = 500; T = 20;
noise(k) = mod((1:N)*7919 + 131*k, 1009)/1009 - 0.5
y = f64(sin(0.3*(1:T)));
p = 2*noise(0); est = zeros(T, "f64");
for t = 1:T
  p = 0.9*p + noise(t);
  lw = -0.5*((y[t] - p)/0.5).^2;
  w = exp(lw - max(lw)); w = w/sum(w);
  est[t] = w'*p;
  i = searchsorted(cumsum(w), ((0:N-1) + 0.5)/N) + 1;
  p = p[min(i, N)];
end
save("particle_filter.npz", est)
