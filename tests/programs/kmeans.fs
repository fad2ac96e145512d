# k-means, of which one centre has no point at all and stays.
n = 200; K = 4;
X = f64([mod((1:n)*7919, 1009), mod((1:n)*104729, 997)])/100 + 5*(mod(1:n, 2) == 0);
C = [X[1:3, :]; 100, 100];
for it = 1:12
  D = sum(X.^2, 2) - 2*X*C' + sum(C.^2, 2)';
  _, k = min(D, [], 2);
  count = accumarray(k, 1, K);
  for j = 1:2
    s = accumarray(k, X[:, j], K);
    C[:, j] = where(count > 0, s./count, C[:, j]);
  end
end
save("kmeans.npz", C, k, count)
