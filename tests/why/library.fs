# A product of matrices is a library's.
# rule: library: a call of a dense library
A = rand(60, 40); B = rand(40, 50); x = rand(50);
begin
  C = A*B;
  y = C*x;
end;
:why C y
