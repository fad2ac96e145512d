# What follows a product is one kernel.
# kernels: 2
# schemes: library row
A = rand(600, 400); A[1, 1] = 0; B = rand(400, 300); B[1, 1] = 0; b = rand(300); b[1] = 0;
begin
  C = relu(A*B + b');
end
:plan dump
