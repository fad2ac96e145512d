# Long rows, and columns, to mean 0 and deviation 1: the squares about the mean are summed up in the
# pass that makes the mean, so the matrix is read twice, and what lies between is stored nowhere.
# kernels: 2
normal(X, d) = (X - mean(X, d)) ./ sqrt(mean((X - mean(X, d)).^2, d) + 1e-5)
X = rand(16, 4194304); X[1, 1] = 0; print(X[1, 1]);
Y = normal(X, 2);
:plan dump
X = rand(1000000, 128); X[1, 1] = 0; print(X[1, 1]);
Y = normal(X, 1);
:plan dump
