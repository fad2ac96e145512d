# Every second element, backwards.
# kernels: 1
# schemes: flat
x = rand(4096); x[1] = 0;
begin
  y = x[end:-2:1] + x[1:2:end];
end
:plan dump
