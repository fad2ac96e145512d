# A window, a transform and its magnitudes; a transfer function between a transform and its inverse:
# one kernel each on a GPU, calls of a library on a CPU.
# kernels: 5
X = rand(4096, 1024); w = rand(1, 1024); H = rand(1, 513); X[1, 1] = 0; w[1] = 0; H[1] = 0;
P = abs(fft(w.*X, [], 2)).^2;
:plan dump
Y = irfft(H.*rfft(X, [], 2), 1024, 2) + 1;
:plan dump
