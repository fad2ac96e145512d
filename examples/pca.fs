# Principal components of the six economic figures in Longley's data.
# By the eigenvectors of the correlation matrix, checked by A*V = V*diag(lambda).
D = f64(load("data/longley.csv"));
Z = standardize(D[:, 2:7]);
C = Z'*Z / (size(Z, 1) - 1);

lambda = eigvals(C);
V = eigvecs(C);
share = lambda / sum(lambda);
print("share of the variance, smallest component first:");
share

residual = max(abs(C*V - V.*lambda'));
print("largest residual: ", residual);
assert(residual < 1e-12, "eigenvectors are off");
assert(abs(sum(lambda) - 6) < 1e-10, "a correlation matrix has the trace 6");

begin
  scores = Z*V;                       # the data in its principal axes
  spread = sum(scores.^2, 1) / (size(Z, 1) - 1);
end
:plan box
assert(max(abs(spread' - lambda)) < 1e-12, "variances are not the eigenvalues");
print("pca: ok");
