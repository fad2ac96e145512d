# A transform, a transfer function and the inverse: between them numbers stay on chip.
X = rand(1000, 96); w = rand(1, 96); X[1, 1] = 0; w[1] = 0;
begin
  Y = re(ifft(w.*fft(X, [], 2), [], 2)) - 1;
end
:dump code
