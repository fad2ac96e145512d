# Numbers that a matrix repeats are drawn for rows and columns, not for its elements.
# kernels: 1
A = rand(1500, 1200);
print(sum(A) > 0)
begin
  u = rand(1500); v = rand(1200);
  B = A + u*v';
end
:plan dump
