# One number.
# devices: h200
a = sum(rand(10)); b = sum(rand(20));
begin
  c = a*b + sqrt(a);
end
:dump code
