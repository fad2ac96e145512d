# A convolution by Fourier transforms, and a power spectrum of windowed frames.
x = f64(mod((1:1000)*7919, 101) - 50); h = f64([1, 4, 6, 4, 1])/16;
n = length(x) + length(h) - 1;
y = ifft(fft(x, n) .* fft(h, n));
y = re(y); z = conv(x, h);
w = 0.5 - 0.5*cos(2*pi*(0:99)/100);
P = abs(rfft(reshape(x, 10, 100) .* w', [], 2)).^2;
save("fft_convolution.npz", y, z, P)
