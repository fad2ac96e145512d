# The loops of NumPy programs that replace parts of arrays, in their own structure: n = 200, f64.
# fusible bench/updates.fs prints the seconds of each, and how far its result is off.
n = 200;
B0 = rand(n, n, "f64"); S = B0*B0' + n*f64(eye(n)); b = rand(n, "f64");

A = S + 0; t = time();
A[1, 1] = sqrt(A[1, 1]);
for i = 2:n
  A[i, 1] = A[i, 1]/A[1, 1];
  for j = 2:i-1
    A[i, j] -= A[i, 1:j-1]*A[j, 1:j-1]'; A[i, j] /= A[j, j];
  end
  A[i, i] = sqrt(A[i, i] - A[i, 1:i-1]*A[i, 1:i-1]');
end
t = time() - t; L = where((1:n) >= (1:n)', A, 0);
print("cholesky ", t, " s, off by ", max(vec(abs(L*L' - S)))/n)

A = S + 0; t = time();
for i = 2:n
  A[i, 1] = A[i, 1]/A[1, 1];
  for j = 2:i-1
    A[i, j] -= A[i, 1:j-1]*A[1:j-1, j]; A[i, j] /= A[j, j];
  end
  for j = i:n
    A[i, j] -= A[i, 1:i-1]*A[1:i-1, j];
  end
end
t = time() - t;
L = where((1:n) > (1:n)', A, 0) + f64(eye(n)); U = where((1:n) <= (1:n)', A, 0);
print("lu       ", t, " s, off by ", max(vec(abs(L*U - S)))/n)

C = A; A = S + 0; x = zeros(n, "f64"); y = zeros(n, "f64"); t = time();
for i = 2:n
  A[i, 1] = A[i, 1]/A[1, 1];
  for j = 2:i-1
    A[i, j] -= A[i, 1:j-1]*A[1:j-1, j]; A[i, j] /= A[j, j];
  end
  for j = i:n
    A[i, j] -= A[i, 1:i-1]*A[1:i-1, j];
  end
end
y[1] = b[1];
for i = 2:n
  y[i] = b[i] - A[i, 1:i-1]*y[1:i-1];
end
x[n] = y[n]/A[n, n];
for i = n-1:-1:1
  x[i] = (y[i] - A[i, i+1:n]*x[i+1:n])/A[i, i];
end
t = time() - t; assert(all(vec(A == C)));
print("ludcmp   ", t, " s, off by ", max(abs(S*x - b)))

x = zeros(n, "f64"); L = where((1:n) >= (1:n)', S, 0); t = time();
x[1] = b[1]/L[1, 1];
for i = 2:n
  x[i] = (b[i] - L[i, 1:i-1]*x[1:i-1])/L[i, i];
end
t = time() - t;
print("trisolv  ", t, " s, off by ", max(abs(L*x - b)))

M = B0 + 0; W = L; t = time();
for i = 1:n-1
  for j = 1:n
    M[i, j] += W[i+1:n, i]'*M[i+1:n, j];
  end
end
t = time() - t; T = where((1:n) > (1:n)', W, 0) + f64(eye(n));
print("trmm     ", t, " s, off by ", max(vec(abs(M - T'*B0)))/n)

A = S + 0; t = time();
for i = 2:n-1
  A[i, 2:n-1] += A[i-1, 1:n-2] + A[i-1, 2:n-1] + A[i-1, 3:n] + A[i, 3:n] + A[i+1, 1:n-2] + A[i+1, 2:n-1] + A[i+1, 3:n];
  for j = 2:n-1
    A[i, j] += A[i, j-1]; A[i, j] /= 9;
  end
end
t = time() - t; print("seidel   ", t, " s")

r = b/n; y = zeros(n, "f64"); y[1] = -r[1]; alpha = -r[1]; beta = 1; t = time();
for k = 2:n
  beta = beta*(1 - alpha*alpha);
  alpha = -(r[k] + r[k-1:-1:1]'*y[1:k-1])/beta;
  y[1:k-1] += alpha*y[k-1:-1:1];
  y[k] = alpha;
end
t = time() - t; print("durbin   ", t, " s")
