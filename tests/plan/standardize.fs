# Columns to mean 0 and deviation 1: each needs all of the one before.
# kernels: 3
A = rand(600, 400); A[1, 1] = 0;
begin
  Z = standardize(A);
end
:plan dump
