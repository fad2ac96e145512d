# Distances to centres, the nearest, and sums of the points of each: rows of 16, four threads to
# one, whose centres stay in registers.
X = rand(1000000, 8); X[1, 1] = 0; C = rand(16, 8); C[1, 1] = 0;
begin
  k = rowargmin(sum(C.^2, 2)' - 2*(X*C'));
  O = f32(k == (1:16)');
  C = (O'*X) ./ sum(O, 1)';
end
:dump code
