# Of one statement: the kernels that share data with its own, equal reasons once.
# rule: borders: not with k2 and k5: a `barrier` stands
A = rand(600, 400); p = rand(400); r = rand(600);
begin
  s = A*p;
  barrier;
  t = A'*r;
  barrier;
  r = 2*r + sum(t);
  barrier;
  t = A'*r;
end;
:why s
