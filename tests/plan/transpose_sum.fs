# A + A': the same matrix along both orders.
# kernels: 1
A = rand(400, 400); A[1, 1] = 0;
begin
  B = A + A';
end
:plan dump
