# Centred columns and a product with their own transpose.
# kernels: 4
A = rand(600, 400); A[1, 1] = 0;
begin
  C = cov(A);
end
:plan dump
