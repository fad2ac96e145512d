# Solves of a batch of small matrices, of one thread each, which says where a matrix is singular.
# devices: h200
A = f64(rand(100003, 3, 3)); b = f64(rand(100003, 3, 1)); A[1, 1, 1] = 2; b[1, 1, 1] = 2;
begin
  x = 2*(A\b);
end
:dump code
