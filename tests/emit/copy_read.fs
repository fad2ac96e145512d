# A number that an update reads and may replace is copied before.
# devices: h200
A = rand(3000, 4000); A[1, 1] = 0;
begin
  A[1001:2000, :] = A[1001:2000, :]*A[1500, 7];
end
:dump code
