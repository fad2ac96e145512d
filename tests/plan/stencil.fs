# A five-point stencil: five slices of one matrix, one kernel.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0;
begin
  B = (A[1:end-2, 2:end-1] + A[3:end, 2:end-1] + A[2:end-1, 1:end-2] + A[2:end-1, 3:end])/4 - A[2:end-1, 2:end-1];
end
:plan dump
