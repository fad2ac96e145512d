# A short-time Fourier transform of overlapping frames, and what overlap-add makes of it again.
n = 64; hop = 16; N = 1024;
x = f64(mod((1:N)*7919, 101) - 50)/50;
frames = (N - n)/hop + 1;
at = (0:frames-1)*hop + (1:n)';
w = 0.5 - 0.5*cos(2*pi*f64(0:n-1)/n);
S = rfft(x[at].*w', [], 2);
P = abs(S).^2;
B = irfft(S, n, 2).*w';
y = zeros(N, "f64"); g = zeros(N, "f64");
for k = 1:frames
  i = (k-1)*hop;
  y[i+1:i+n] = y[i+1:i+n] + vec(B[k, :]);
  g[i+1:i+n] = g[i+1:i+n] + square(w);
end
r = y[n:N-n]./g[n:N-n];
save("stft.npz", P, r)
