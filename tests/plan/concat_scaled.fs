# The parts are computed where they are put.
# kernels: 2
A = rand(600, 400); A[1, 1] = 0; B = rand(600, 400); B[1, 1] = 0;
begin
  C = [2*A; B + 1];
end
:plan dump
