# Where the largest of all and of rows, and what it is, in one pass.
# kernels: 1
A = rand(600, 400); A[1, 1] = 0;
begin
  k = argmax(A);
  r = rowargmax(A);
  m = max(A);
end
:plan dump
