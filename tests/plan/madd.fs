# MADD.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0; B = rand(600, 400); B[1, 1] = 0;
begin
  C = A + B;
end
:plan dump
