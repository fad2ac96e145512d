# Kernels keep the order of the statements.
# rule: order: in the order of the statements
A = rand(600, 400); B = rand(50, 60); p = rand(400); r = rand(600); z = rand(60);
:strategy noreorder
begin
  q = A*p;
  v = B*z;
  s = A'*r;
end;
:why q s
