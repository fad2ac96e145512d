# A matrix that is drawn in the block is drawn once for its products and its transpose's.
# kernels: 1
begin
  A = rand(1500, 1200); p = rand(1200); r = rand(1500);
  q = A*p;
  s = A'*r;
end
:plan dump
