# VADD: three vectors are read, one is written.
# kernels: 1
# schemes: flat
w = rand(4096); w[1] = 0; y = rand(4096); y[1] = 0; z = rand(4096); z[1] = 0;
begin
  x = w + y + z;
end
:plan dump
