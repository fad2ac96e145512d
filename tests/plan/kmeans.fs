# A step of k-means: distances without the matrix of them, the nearest centres, and the sums of
# what is nearest to each, in one pass over the points.
# kernels: 3
# schemes: row row row
X = rand(1000000, 8); X[1, 1] = 0; C = rand(16, 8); C[1, 1] = 0;
begin
  k = rowargmin(sum(C.^2, 2)' - 2*(X*C'));
  O = f32(k == (1:16)');
  C = (O'*X) ./ sum(O, 1)';
end
:plan dump
