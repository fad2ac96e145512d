# Random numbers are made where they are used: nothing is read.
# kernels: 1
# schemes: flat
begin
  s = sum(rand(100000).^2 + rand(100000).^2 <= 1);
  p = 4*s/100000;
end
:plan dump
