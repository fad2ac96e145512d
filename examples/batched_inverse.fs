# A million systems of a finite element program: x = A^-1 * b for 3 x 3 matrices,
# by an elementary function of our own with four threads on each of them.
# usage: fusible examples/batched_inverse.fs
:elem elem/inv3.elem
:elem elem/leaky.elem
n = 20000
A = randn(n, 3, 3)*0.25;
for k = 1:3
  A[:, k, k] = A[:, k, k] + 2;
end
B = inv3(A);

# The product with the inverse is the identity, to rounding.
error = 0;
for i = 1:3
  for j = 1:3
    row = A[:, i, 1] .* B[:, 1, j] + A[:, i, 2] .* B[:, 2, j] + A[:, i, 3] .* B[:, 3, j];
    error = max(error, max(abs(row - (i == j))));
  end
end
assert(error < 1e-4, "the inverses are wrong")

# With maps around it the routine still has one kernel.
C = leaky(inv3(A + A), 0.5) .* A - 1;
:plan line
print("largest error of A*inv3(A): ", error)
