# An update of a part: a copy, and the part.
# devices: h200
A = rand(3000, 4000); b = rand(100);
begin
  B = A + 1;
  C = B; C[5:104, 7] = b;
  D = B*2;
end
:dump code
