# Three axes.
# devices: h200
A = rand(60, 70, 80); B = rand(1, 70, 80);
begin
  C = A .* B;
end
:dump code
