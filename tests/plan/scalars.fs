# Scalars that follow from a sum stay in the kernel that makes it.
# kernels: 1
# schemes: flat
r = rand(4096); r[1] = 0; q = rand(4096); q[1] = 0;
alpha = sum([1, 2]); beta = sum([1, 0]);
begin
  s = r'*r;
  a = alpha/s;
  b = sqrt(a) + beta;
end
:plan dump
