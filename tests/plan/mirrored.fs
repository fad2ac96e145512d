# A border that is mirrored by the subscript: one of two views.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0; B = zeros(600, 400);
forall i = 1:600, j = 1:400
  B[i, j] = A[where(i > 1, i - 1, 2), j] + A[i, min(j + 1, 400)];
end
:plan dump
