# The new value of a part, which is made beside it, goes to its place.
# devices: h200
A = rand(3000, 4000); A[1, 1] = 0;
begin
  A[1001:2000, 2001:3000] = A[1001:2000, 2001:3000]' + 1;
end
:dump code
