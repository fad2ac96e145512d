# Two parts of a new matrix: each is written to its place.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0; x = rand(600); x[1] = 0;
begin
  C = [A, x];
end
:plan dump
