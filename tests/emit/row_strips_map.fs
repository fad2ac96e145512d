# A stencil over rows in strips.
# devices: h200 a100
A = rand(20000, 100);
begin
  B = A[1:end-2, :] + 2*A[2:end-1, :] + A[3:end, :];
end
:dump code
