# They could, but it does not pay.
# rule: price: by the prediction it would not be faster
A = rand(600, 400); p = rand(400);
begin
  q = A*p;
  h = sum(p);
end;
:why q h
