# A sparse matrix: elements by a list of two axes.
# devices: h200
C = f32(rand(300, 100)); v = rand(100);
begin
  P = mod((1:300)*(1:100)', 100) + 1;
  q = sum(C .* v[P], 2);
end
:dump code
