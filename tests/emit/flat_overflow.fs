# The upper halves of the elements are summed beside them, in the same trip.
:set overflow error
x = i64(rand(1000000)); x[1] = 3;
begin
  s = sum(x);
end
:dump code
