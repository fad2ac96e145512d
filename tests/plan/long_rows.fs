# Few long rows: a GPU's blocks have parts of them, and what they leave is put together in the
# same launch. Few rows that are summed over: a thread has whole columns. Tiles are not full where
# rows are short; threads have such a row, of which states are made, alone.
# kernels: 1
X = rand(16, 4194304); X[1, 1] = 0; print(X[1, 1]);
s = sum(X, 2);
:plan dump
v = var(X, 2);
:plan dump
a = rowargmax(X);
:plan dump
Y = (X - mean(X, 2)) ./ sqrt(var(X, 2) + 1e-5);
:plan dump
X = rand(4, 16777216); X[1, 1] = 0; print(X[1, 1]);
t = sum(X, 1);
:plan dump
X = rand(4194304, 16); X[1, 1] = 0; print(X[1, 1]);
u = var(X, 1);
:plan dump
l = logsumexp(X, 2);
:plan dump
