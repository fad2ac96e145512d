# A matrix polynomial: two products by the library, the rest in one kernel.
# kernels: 3
A = rand(200, 200); A[1, 1] = 0;
begin
  P = A*A*A + 2*A*A + 3*A + eye(200);
end
:plan dump
