# A three-point stencil in one dimension.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0;
begin
  d = x[1:end-2] - 2*x[2:end-1] + x[3:end];
end
:plan dump
