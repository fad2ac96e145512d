# Conway's game of life on a torus: a step is one kernel.
A = u8(mod(reshape(0:64*48-1, 64, 48)*7919, 101) > 60);
for t = 1:50
  N = circshift(A, [1, 1]) + circshift(A, [1, 0]) + circshift(A, [1, -1]) + circshift(A, [0, 1]) +
      circshift(A, [0, -1]) + circshift(A, [-1, 1]) + circshift(A, [-1, 0]) + circshift(A, [-1, -1]);
  A = u8(N == 3 || A && N == 2);
end
save("life.npz", A)
