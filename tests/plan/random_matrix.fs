# A thread has few random numbers at once, so rows are no better than one run.
# kernels: 1
# schemes: flat
begin
  A = bf16(rand(8192, 8192)); B = A + 1;
end
:plan dump
