# A part of a matrix is replaced: a copy, then the part.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0;
x = rand(400); x[1] = 0;
begin
  A[2, :] = 2*x;
end
:plan dump
