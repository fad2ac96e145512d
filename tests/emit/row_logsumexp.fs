# Logarithms of sums of exponentials, of rows, columns and all, in one pass over the matrix.
# devices: h200 plain
A = f32(rand(6000, 400));
begin
  r = logsumexp(A, 2);
  c = logsumexp(A, 1);
  k = logsumexp(A);
end
:dump code
