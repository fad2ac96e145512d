# The Ising model on a torus, one colour of the checkerboard after the other: a step is one kernel.
n = 64; m = 48; beta = 0.44;
s = f64(2*(mod(reshape(0:n*m-1, n, m)*7919, 101) > 50) - 1);
R = mod(reshape(0:n*m-1, n, m)*7907, 1009)/1009;
black = mod((1:n) + (1:m)', 2) == 0;
for t = 1:40
  near = circshift(s, 1, 1) + circshift(s, -1, 1) + circshift(s, 1, 2) + circshift(s, -1, 2);
  flip = mod(R + 0.37*t, 1) < exp(-2*beta*s.*near) && black == (mod(t, 2) == 0);
  s = where(flip, -s, s);
end
save("ising.npz", s)
