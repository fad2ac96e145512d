# Corners that a condition keeps inside: whole vectors where all of them are within the array.
A = rand(4096, 4096); A[1, 1] = 0; B = zeros(4096, 4096);
forall i = 1:4096, j = 1:4096
  s = A[i, j];
  if i > 1 && j > 1; s += A[i - 1, j - 1]; end
  if i < 4096 && j < 4096; s += A[i + 1, j + 1]; end
  B[i, j] = s;
end
:dump code
