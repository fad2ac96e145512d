# Why the rounds of loops run one by one. A loop that is lifted says nothing.
n = 6; x = f32(1:n); y = zeros(n); A = ones(n, n); s = 0;
for i = 2:n
  x[i] = 2*x[i - 1] + 1;
end
for i = 1:n - 2
  x[i] = 0;
  y[i] = x[i + 2];
end
for j = 1:n
  for i = 2:n; A[i, j] = A[i - 1, j]; end
end
for i = 1:n; s = s/2 + x[i]; end
for i = 1:n - 1
  x[i] = y[i];
  x[i + 1] = 0;
end
for i = 1:n; x[i] = y[i]; end
# Loops that have no rounds that wait, and are not lifted all the same: `:why` alone says it.
A = ones(n, n); x = f32(1:n); y = zeros(n); s = 0; t = 0;
for i = 1:n; if x[i] > 100; t = x[i]; end; y[i] = t; end
for i = 1:n
  while t < 3; t = t + 1; end
  x[i] = t;
end
for i = 1:n; y[i] = sum(A[i, :]); end
for i = 1:n - 1
  s = s + x[i];
  if s > 10; y[i] = 1; end
end
for i = 1:n
  for j = 1:n
    if A[i, j] > 2
      if x[j] > 1; continue; end
      y[j] = 1;
    end
    y[i] = 2;
  end
end
k = i32([2, 1, 3]);
for i = 1:3; y[k[i]] = sqrt(y[k[i]]); end
for i = 1:n
  t = x[i]; s = 0;
  while t > 1; t = t/2; x[i] = t; end
end
for i = 1:n
  t = 1; s = 0;
  while t < n; s = s + x[t]; t += 1; end
  y[i] = s;
end
for i = 1:n
  t = 0; s = 0;
  while t < n; if x[i] > t; s = 1; else; s = x[i]; end; t += 1; end
  y[i] = s;
end
for i = 1:n
  s = 0.5*i;
  while s < 3; s = exp(s); end
  y[i] = s;
end
s = true;
for i = 1:n
  s = s && x[i] > 0;
  y[i] = s;
end
:why
