# prelude.fs - what need not be in C, in the language itself. Read at start.
# A comment right above a function is what `?name` shows.

# -- Barracuda's names (Larsen: Simple Optimizations for Applicative Array
#    Programs for Graphics Processors) ------------------------------------------

# vmap(f, x): f of every element of x.
vmap(f, x) = map(f, x)
# vzipWith(f, x, y): f(x[i], y[i]) for every i.
vzipWith(f, x, y) = map(f, x, y)
# vreduce(op, x): all elements of x put together by op, such as "sum" or "max".
vreduce(op, x) = reduce(op, x)
# vslice(first, last, x): the elements first to last of x, counted from 1.
vslice(first, last, x) = x[first:last]
# vsum(x): the sum of the elements of x.
vsum(x) = sum(x)
# vlength(x): how many elements x has.
vlength(x) = length(x)

# -- sums of 16-bit floats ------------------------------------------------------

# has_floats(x): whether its elements are floats, not integers or truth values.
function has_floats(x)
  t = dtype(x)
  return t == "f32" || t == "f64" || t == "f16" || t == "bf16"
end
# at_least_f32(x): x, f16 and bf16 as f32, which holds large sums and counts.
function at_least_f32(x)
  t = dtype(x)
  if t == "f16" || t == "bf16"
    return f32(x)
  end
  return x
end

# rounded_like(y, x): y, as f16 or bf16 if x is one of them.
function rounded_like(y, x)
  t = dtype(x)
  if t == "f16"
    return f16(y)
  elseif t == "bf16"
    return bf16(y)
  end
  return y
end

# as_mean(y, x): y in the type that the mean of x has.
function as_mean(y, x)
  t = dtype(x)
  if !isreal(y)
    return y
  end
  if t == "f64" || t == "i64"
    return f64(y)
  end
  return f32(y)
end

# -- norms ----------------------------------------------------------------------

# norm1(x): the sum of the magnitudes; norm1(A, d): along dimension d.
function norm1(x, d = 0)
  if numel(d) == 1 && d == 0
    return sum(abs(at_least_f32(x)))
  end
  return sum(abs(at_least_f32(x)), d)
end
# norminf(x): the largest magnitude; norminf(A, d): along dimension d.
function norminf(x, d = 0)
  if numel(d) == 1 && d == 0
    return max(abs(x))
  end
  return reduce("max", abs(x), d)
end
# norm_more(x, p): norm(x, p): of a vector the p-th root of the sum of the p-th powers of its
# magnitudes; of a matrix the largest column sum of magnitudes (1), row sum (inf), singular value (2).
function norm_more(x, p)
  if string(p) == "fro"
    return norm(x)
  end
  a = abs(at_least_f32(x))
  if numel(x) == length(x)
    if p == 2
      return norm(x)
    elseif p == 1
      return sum(a)
    elseif p == inf
      return max(a)
    elseif p == 0
      return sum(a != 0)
    end
    if isempty(x)
      return sum(a)
    end
    # Powers of quotients by the largest, or the least, neither overflow nor vanish.
    unit = 1;
    if p > 0
      unit = max(a);
    else
      unit = min(a);
    end
    unit = where(isfinite(unit) && unit > 0, unit, 1);
    return unit*sum((a/unit).^p).^(1/p)
  end
  assert(ndims(x) == 2, "norm(A, p) takes a vector or a matrix")
  if p == 2
    return max(svdvals(x))
  end
  assert(p == 1 || p == inf, "of a matrix there are norm(A, 1), norm(A, 2), norm(A, inf) and norm(A, \"fro\")")
  if p == 1
    return max(sum(a, 1))
  end
  return max(sum(a, 2))
end
# normfro(A): the square root of the sum of the squares of a matrix.
normfro(A) = norm(A)
# normalize(x): x divided by its Euclidean length.
normalize(x) = rounded_like(x / norm(x), x)

# -- statistics -------------------------------------------------------------------

# A variance takes one pass, in f64, over what is left after an element of x is taken away.
# Sums of that and of its square are enough where f64 holds the squares: (x[1] - mean)^2 <=
# n*variance, so that rounding comes to n*2^-53 of it at most. f64 itself has no wider type:
# there the squares are taken about a mean that follows the elements.

# var(x): the variance of all elements, divided by n - 1; var(A, 1), var(A, 2): that of
# every column, every row. Of f16 and bf16 in f32.
function var(x, d = 0)
  if numel(d) > 1 || d < 0 || d > 0 && ndims(x) > 2
    return as_mean(reduce("var", f64(x), d), x)
  elseif d == 2
    return var(x', 1)'
  elseif d == 1 && ndims(x) == 2
    _, v = moments(x)
    return v
  end
  if isempty(x)
    return as_mean(mean(x), x)
  end
  x = x[:]
  if dtype(x) == "f64"
    return reduce("var", x - x[1])
  end
  n = numel(x)
  d = f64(x) - f64(x[1])
  s = sum(d)
  return as_mean(max(sum(d.^2) - s*s/n, 0) / (n - 1), x)
end
# std(x): the standard deviation of all elements; std(A, 1), std(A, 2): that of every
# column, every row. Of f16 and bf16 in f32.
std(x, d = 0) = sqrt(var(x, d))
# m, v = moments(X): mean and variance of every column, as rows; of f16 and bf16 in f32.
function moments(X)
  n = size(X, 1)
  if n == 0
    m = as_mean(mean(X, 1), X)
    return m, m
  end
  a = f64(X[1, :])
  D = f64(X) - a
  s = sum(D, 1)
  if dtype(X) == "f64" || n == 1
    return as_mean(a + s/n, X), as_mean(reduce("var", D, 1), X)
  end
  return as_mean(a + s/n, X), as_mean(max(sum(D.^2, 1) - s.*s/n, 0) / (n - 1), X)
end
# center(X): X with the mean of every column taken away.
center(X) = X - mean(X, 1)
# standardize(X): every column of X with mean 0 and standard deviation 1.
function standardize(X)
  if !has_floats(X)
    return as_mean(standardize(f64(X)), X)
  end
  m, v = moments(X)
  return rounded_like((at_least_f32(X) - m) ./ sqrt(v), X)
end
# cov(X): the covariance matrix of the columns of X; of f16 and bf16 in f32.
function cov(X)
  C = center(at_least_f32(X))
  return C'*C / max(size(X, 1) - 1, 0)
end
# mse(x, y): the mean of the squared differences; of f16 and bf16 in f32.
mse(x, y) = mean((at_least_f32(x) - at_least_f32(y)).^2)
# rmse(x, y): the square root of the mean squared difference; of f16 and bf16 in f32.
rmse(x, y) = sqrt(mse(x, y))

# -- in order -------------------------------------------------------------------------

# quantile(x, q): the value below which the share q of the elements of x lies, linear
# between two of them; for several q if it is a list. NaN if an element is NaN. Of f16 and
# bf16 in f32.
function quantile(x, q)
  assert(!isempty(x), "there is no quantile of no elements: isempty(x) asks whether there is any")
  s = sort(at_least_f32(x)[:])
  n = numel(s)
  if numel(q) == 1
    h = (n - 1)*number(q)
  else
    h = (n - 1)*f64(q)
  end
  assert(all(h >= 0) && all(h <= n - 1), "quantile needs shares from 0 to 1")
  k = floor(h)
  a = s[k + 1]
  b = s[min(k + 2, n)]
  t = h - k
  if dtype(s) == "f32"
    t = f32(t)
  else
    a = f64(a)
    b = f64(b)
  end
  y = where(t == 0 || a == b, a, a.*(1 - t) + b.*t)
  return rounded_like(as_mean(where(s[n] != s[n], s[n], y), x), x)
end
# median(x): the element in the middle of all, or the mean of the two; median(A, 1),
# median(A, 2): that of every column, every row.
function median(x, d = 0)
  if d < 0
    d = max(ndims(x) + 1 + d, 1)
  end
  if d > 2 || d > 0 && ndims(x) > 2
    k = 1:max(ndims(x), d)
    order = [k[k != d]; d]
    e = size(permute(x, order))
    e[end] = 1
    m = median(reshape(permute(x, order), [], size(x, d)), 2)
    if d == k[end]
      return reshape(m, e[1:end-1])
    end
    return permute(reshape(m, e), argsort(order))
  end
  assert(!isempty(x) || d > 0 && size(x, d) > 0,
         "there is no median of no elements: isempty(x) asks whether there is any")
  if d == 2
    return median(x', 1)'
  elseif d == 0 || ndims(x) < 2
    return quantile(x, 0.5)
  end
  s = sort(at_least_f32(x), 1)
  n = size(s, 1)
  a = s[floor((n + 1)/2), :]
  b = s[floor(n/2) + 1, :]
  y = where(a == b, a, a*0.5 + b*0.5)
  return rounded_like(as_mean(where(s[n, :] != s[n, :], s[n, :], y), x), x)
end
# u, n, i = unique(x): every value that x has, once and in ascending order, as a column; how
# often it is there; and for each element of x, row by row, which of them it is: u[i] is x[:].
function unique(x)
  s, p = sort(x[:])
  n = numel(s)
  if n < 2
    return s, ones(n, "i64"), ones(n, "i64")
  end
  new = [true; (s[2:n] != s[1:n-1] && s[1:n-1] == s[1:n-1])]
  first = find(new)
  i = zeros(n, "i64")
  i[p] = cumsum(i64(new))
  return s[first], [first[2:end]; n + 1] - first, i
end

# -- elementwise functions of many uses ------------------------------------------------

# relu(x): x where positive, else 0.
relu(x) = max(x, 0)
# sigmoid(x): 1/(1 + exp(-x)).
sigmoid(x) = 1 ./ (1 + exp(-x))
# normcdf(x): the distribution function of the standard normal distribution.
normcdf(x) = 0.5*erfc(-x / sqrt(2))
# lerp(a, b, t): a for t = 0, b for t = 1, straight in between.
lerp(a, b, t) = where(t == 1, b, a + t.*(b - a))

# rowmax(A), colmax(A), rowmin(A), colmin(A): the extremes of rows and columns;
# max(A, 2) would be the larger of A and 2.
rowmax(A) = reduce("max", A, 2)
colmax(A) = reduce("max", A, 1)
rowmin(A) = reduce("min", A, 2)
colmin(A) = reduce("min", A, 1)

# argmax(x), argmin(x): the position, from 1 and row by row, of the first of the largest
# (smallest) elements; of the first NaN if there is one. argmax(x, d): along dimension d.
function argmax(x, along = 0)
  if numel(along) > 1 || along != 0
    return reduce("argmax", x, along)
  end
  return reduce("argmax", x)
end
function argmin(x, along = 0)
  if numel(along) > 1 || along != 0
    return reduce("argmin", x, along)
  end
  return reduce("argmin", x)
end
# rowargmax(A), colargmax(A), rowargmin(A), colargmin(A): the same in rows, as a column,
# and in columns, as a row.
rowargmax(A) = reduce("argmax", A, 2)
rowargmin(A) = reduce("argmin", A, 2)
colargmax(A) = reduce("argmax", A, 1)
colargmin(A) = reduce("argmin", A, 1)

# softmax(A): exp of every row of A over the row's sum, of a tensor along its last
# dimension; of a vector, over all its elements; softmax(A, d): along dimension d. The sum is
# inverted once: a division for each element would cost a GPU more than reading it does.
function softmax(A, along = 0)
  if isempty(A)
    return rounded_like(at_least_f32(exp(A)), A)
  end
  d = ndims(A)
  if numel(along) > 1 || along != 0
    d = along
  elseif d < 2 || d == 2 && size(A, 2) == 1
    e = at_least_f32(exp(A - max(A)))
    return rounded_like(e * (1 / sum(e)), A)
  end
  e = at_least_f32(exp(A - reduce("max", A, d)))
  return rounded_like(e .* (1 ./ sum(e, d)), A)
end

# logsumexp(x): log(sum(exp(x))) without overflow; logsumexp(A, 1), logsumexp(A, 2): that of
# every column, every row. Of f16 and bf16 in f32.
function logsumexp(x, d = 0)
  x = at_least_f32(x)
  if numel(d) == 1 && d == 0
    return reduce("logsumexp", x)
  end
  return reduce("logsumexp", x, d)
end

# -- elements in other places ---------------------------------------------------------
#
# Slices and lists of places, which kernels that use them read where they are.

# flip(x): a vector backwards. flipud(A), fliplr(A): rows, columns in reverse order.
function flip(x)
  assert(numel(x) == length(x), "flip takes a vector; of a matrix there are flipud and fliplr")
  return x[end:-1:1]
end
flipud(A) = A[end:-1:1, :]
fliplr(A) = A[:, end:-1:1]
# circrows(A, k), circcols(A, k): the rows, columns of a matrix moved on by k places.
circrows(A, k) = circshift(A, k, 1)
circcols(A, k) = circshift(A, k, 2)
# triu(A), tril(A): A with 0 below, above the diagonal; triu(A, k), tril(A, k): the k-th
# one right of it.
triu(A, k = 0) = where((1:size(A, 1)) + k <= (1:size(A, 2))', A, 0)
tril(A, k = 0) = where((1:size(A, 1)) + k >= (1:size(A, 2))', A, 0)
# toeplitz(c, r): the matrix of first column c and first row r (but for its first element)
# that is constant along diagonals; toeplitz(c): the symmetric one.
function toeplitz(c, r = c)
  assert(numel(c) == length(c) && numel(r) == length(r), "toeplitz takes vectors")
  m = numel(c)
  n = numel(r)
  if n == 1
    return reshape(c, m, 1)
  end
  v = [flip(r[:])[1:n-1]; c[:]]
  if m == 1
    return flip(v)'
  end
  return v[i64(1:m) - i64(1:n)' + n]
end
# repmat(A, m, n): A m times below and n times beside itself; repmat(A, m): both m times.
function repmat(A, m, n = m)
  i = mod(0:m*size(A, 1)-1, size(A, 1)) + 1
  j = mod(0:n*size(A, 2)-1, size(A, 2)) + 1
  return A[i, j]
end
# kron(A, B): A with each element times B in its place; of two vectors a vector.
function kron(A, B)
  m = size(B, 1)
  n = size(B, 2)
  i = i64(0:m*size(A, 1)-1)
  j = i64(0:n*size(A, 2)-1)
  K = A[i64(floor(i/m)) + 1, i64(floor(j/n)) + 1] .* B[mod(i, m) + 1, mod(j, n) + 1]
  if ndims(A) < 2 && ndims(B) < 2
    return K[:]
  end
  return K
end
# X, Y = meshgrid(x, y): the coordinates of a grid, x along its rows, y down its columns.
function meshgrid(x, y)
  x = x[:]
  y = y[:]
  return x' .* ones(numel(y), dtype(x)), y .* ones(1, numel(x), dtype(y))
end
# diff(x): what each element of a vector is more than the one before. diffrows(A),
# diffcols(A): the same of the rows, columns of a matrix.
function diff(x)
  assert(numel(x) == length(x), "diff takes a vector; of a matrix there are diffrows and diffcols")
  return x[2:end] - x[1:end-1]
end
diffrows(A) = A[2:end, :] - A[1:end-1, :]
diffcols(A) = A[:, 2:end] - A[:, 1:end-1]
# trapz(x, y): the integral of y over x by the trapezoidal rule.
function trapz(x, y)
  assert(numel(x) == numel(y), "trapz needs as many places as values")
  assert(numel(y) == length(y), "trapz takes a vector")
  x = x[:]
  y = y[:]
  return sum((x[2:end] - x[1:end-1]) .* (y[2:end] + y[1:end-1])) / 2
end
# corr(X): the correlations between the columns of X; of f16 and bf16 in f32.
corr(X) = cov(standardize(X))
# erfinv(x): the y with erf(y) = x; a first guess (Giles, Approximating the erfinv function, 2012;
# near 1 of erfc's asymptotic series), and two steps of Halley's iteration.
function erfinv(x)
  if ndims(x) == 0 && dtype(x) == "bool" || !has_floats(x)
    x = f64(x)
  end
  given = x
  x = at_least_f32(x)
  a = abs(x)
  w = -log1p(-a) - log1p(a)
  l = -log1p(-a)
  u = w - 2.5
  v = sqrt(w) - 3
  p = 1.50140941 + u.*(0.246640727 + u.*(-0.00417768164 + u.*(-0.00125372503 + u.*(0.000218580870
      + u.*(-4.39150654e-6 + u.*(-3.52338770e-6 + u.*(3.43273939e-7 + u.*2.81022636e-8)))))))
  q = 2.83297682 + v.*(1.00167406 + v.*(0.00943887047 + v.*(-0.00762246130 + v.*(0.00573950773
      + v.*(-0.00367342844 + v.*(0.00134934322 + v.*(0.000100950558 - v.*0.000200214257)))))))
  y = where(w < 5, p.*a, where(w < 15, q.*a, sqrt(l - 0.5*log(pi*l))))
  for k = 1:2
    e = where(a < 0.5, erf(y) - a, (1 - a) - erfc(y))
    t = 0.886226925452758*e.*exp(y.*y)
    y = where(t == t, y - t./(1 + y.*t), y)
  end
  return as_mean(sign(x).*where(a < 1, y, where(a == 1, inf, nan)), given)
end
# factorial(n): 1*2*...*n of whole numbers n. Exact up to 22; infinite above 170.
function factorial(n)
  assert(all(n >= 0 && floor(n) == n), "factorial takes whole numbers from 0 on")
  table = [f64(1); cumprod(f64(1:170))]
  f = where(n > 170, inf, table[min(f64(n), 170) + 1])
  if ndims(n) == 0
    return number(f)
  elseif ndims(n) == 1
    return f
  end
  return reshape(f, size(n))
end
# nchoosek(n, k): in how many ways k of n are chosen. Exact while it is below 2^53/n.
function nchoosek(n, k)
  assert(numel(n) == 1 && numel(k) == 1, "nchoosek takes two numbers")
  assert(k >= 0 && n >= k && floor(n) == n && floor(k) == k, "nchoosek takes whole numbers, 0 <= k <= n")
  k = min(k, n - k)
  c = 1
  for i = 1:k
    c = c*(n - k + i)/i
  end
  return c
end
# searchsorted(v, x, side = "left"): how many elements of the ascending v are less than each of x, by
# halving; "right": less or equal. NaN comes behind all.
function searchsorted(v, x, side = "left")
  assert(side == "left" || side == "right", "the side is \"left\" or \"right\"")
  v = v[:]
  q = x[:]
  n = numel(v)
  p = zeros(numel(q), "i64")
  if side == "left"
    for i = 1:numel(q)
      a = 0
      b = n
      while a < b
        c = floor((a + b)/2) + 1
        if v[c] >= q[i]
          b = c - 1
        else
          a = c
        end
      end
      p[i] = a
    end
  else
    for i = 1:numel(q)
      a = 0
      b = n
      while a < b
        c = floor((a + b)/2) + 1
        if v[c] > q[i]
          b = c - 1
        else
          a = c
        end
      end
      p[i] = a
    end
  end
  if ndims(x) == 1
    return p
  end
  if ndims(x) == 0
    return p[1]
  end
  return reshape(p, size(x))
end
# bincount(k, n = number(max(k))): how often each of 1 to n is among the whole numbers k.
function bincount(k, n = number(max(k)))
  h = zeros(n, "i64")
  h[k[:]] += 1
  return h
end
# accumarray(k, v, n = number(max(k)), how = "sum"): for each of 1 to n what the v are together whose
# k it is: their "sum", "prod", "max", "min", "mean" or "count", in their order; 0 where none is.
function accumarray(k, v, n = number(max(k)), how = "sum")
  k = k[:]
  if numel(v) == 1
    v = fill(number(v), numel(k))
  end
  v = v[:]
  assert(numel(v) == numel(k), "accumarray needs as many values as places")
  if how == "count"
    return bincount(k, n)
  end
  if how == "sum" || how == "mean"
    h = zeros(n, dtype(v))
    h[k] += v
    if how == "sum"
      return h
    end
    return h ./ max(bincount(k, n), 1)
  end
  if how == "prod"
    h = ones(n, dtype(v))
    for i = 1:numel(k)
      h[k[i]] = h[k[i]]*v[i]
    end
  else
    assert(how == "max" || how == "min", "accumarray knows sum prod max min mean count")
    h = zeros(n, dtype(v))
    h[k] = v
    if how == "max"
      for i = 1:numel(k)
        h[k[i]] = max(h[k[i]], v[i])
      end
    else
      for i = 1:numel(k)
        h[k[i]] = min(h[k[i]], v[i])
      end
    end
  end
  return where(bincount(k, n) > 0, h, 0)
end
# histcounts(x, edges): how many of x lie between each two of the ascending edges: from one on up to
# the next, which belongs to the last two only. What lies outside, and NaN, is not counted.
function histcounts(x, edges)
  n = numel(edges) - 1
  assert(n >= 1, "histcounts needs two edges or more")
  x = x[:]
  k = searchsorted(edges, x, "right")
  k = where(x == edges[n + 1], n, k)
  k = where((k >= 1) && (k <= n) && (x == x), k, n + 1)
  return bincount(k, n + 1)[1:n]
end
# interp1(x, y, q): the values at q of the lines through the points x, y, of which x ascends; NaN
# outside of x.
function interp1(x, y, q)
  x = x[:]
  y = y[:]
  n = numel(x)
  assert(numel(y) == n && n >= 2, "interp1 needs two points or more, as many x as y")
  k = min(max(searchsorted(x, q, "right"), 1), n - 1)
  a = x[k]
  b = x[k + 1]
  t = (q - a) ./ (b - a)
  inside = (q >= x[1]) && (q <= x[n])
  return where(inside, where(q == b, y[k + 1], y[k] + t .* (y[k + 1] - y[k])), NaN)
end
# polyfit(x, y, n): the polynomial of degree n, highest power first, of least squares through the
# points x, y.
function polyfit(x, y, n)
  x = x[:]
  assert(numel(x) > 0, "no points have no polynomial")
  assert(numel(y) == numel(x), "polyfit needs as many values as places")
  V = ones(numel(x), n + 1, dtype(x*0.5))
  for k = n:-1:1
    V[:, k] = V[:, k + 1] .* x
  end
  return V \ y[:]
end
# filter(b, a, x): the y of the recurrence a[1]*y[i] + a[2]*y[i-1] + ... = b[1]*x[i] + b[2]*x[i-1] +
# ..., from nothing on.
function filter(b, a, x)
  a = reshape(a + zeros(1, dtype(x)), numel(a))
  b = reshape(b + zeros(1, dtype(x)), numel(b))
  u = conv(x, b ./ a[1])[1:numel(x)]
  m = numel(a)
  if m == 1
    return u
  end
  w = a ./ a[1]
  y = u
  for i = 2:numel(u)
    s = y[i]
    for j = 2:min(m, i)
      s -= w[j]*y[i - j + 1]
    end
    y[i] = s
  end
  return y
end
# conv(x, w, shape = "full"): the convolution of two vectors, of all n + m - 1 places; "same": of as
# many as x has, in the middle; "valid": of those where w lies within x. Floats by Fourier
# transforms where that takes less.
function conv(x, w, shape = "full")
  x = x[:]
  w = w[:]
  assert(!isempty(x) && !isempty(w), "conv takes two vectors of one element or more")
  n = numel(x)
  m = numel(w)
  if by_fourier(x, w, min(n, m), n + m - 1)
    y = folded(x, w, n + m - 1)
  elseif m > n
    y = in_taps(w, x)
  else
    y = in_taps(x, w)
  end
  from, to = part_of_full(n, m, shape)
  return y[from:to]
end
# in_taps(x, w): conv(x, w) as a sum of moved vectors, eight elements of w in one trip over x.
function in_taps(x, w)
  m = numel(w)
  padded = zeros(numel(x) + 2*m - 2, dtype(x))
  padded[m:end+1-m] = x
  y = taps(padded, w, 1, min(m, 8))
  for k = 9:8:m
    y = y + taps(padded, w, k, min(m, k + 7))
  end
  return y
end
# taps(x, w, k, l): the part of a convolution that the elements k to l of w have.
function taps(x, w, k, l)
  y = w[l]*x[numel(w)+1-l:end+1-l]
  if l > k
    return taps(x, w, k, l - 1) + y
  end
  return y
end
# folded(x, w, n): the first n places of conv(x, w), by Fourier transforms.
function folded(x, w, n)
  l = smooth_length(n)
  if isreal(x) && isreal(w)
    return irfft(rfft(x, l) .* rfft(w, l), l)[1:n]
  end
  return ifft(fft(x, l) .* fft(w, l))[1:n]
end
# by_fourier(x, w, m, n): whether n places of m products each take longer than transforms of n
# numbers: of floats whose types transforms keep.
function by_fourier(x, w, m, n)
  t = dtype(x[1:1] .* w[1:1])
  return (t == "f32" || t == "f64" || t == "c64" || t == "c128") && m > 16*log2(n + 1)
end
# smooth_length(n): the least number from n on that has no prime above 5.
function smooth_length(n)
  best = 2^ceil(log2(max(n, 1)))
  five = 1
  while five < best
    three = five
    while three < best
      l = three*2^ceil(log2(max(n/three, 1)))
      best = min(best, l)
      three = 3*three
    end
    five = 5*five
  end
  return best
end
# part_of_full(n, m, shape): from where to where the places lie that `shape` names.
function part_of_full(n, m, shape)
  if shape == "full"
    return 1, n + m - 1
  elseif shape == "same"
    return floor(m/2) + 1, floor(m/2) + n
  end
  assert(shape == "valid", "a convolution is \"full\", \"same\" or \"valid\"")
  return m, n
end
# conv2(A, K, shape = "full"): the convolution of two matrices, as conv.
function conv2(A, K, shape = "full")
  assert(ndims(A) == 2 && ndims(K) == 2 && !isempty(A) && !isempty(K),
         "conv2 takes two matrices of one element or more")
  m, n = size(A)
  p, q = size(K)
  if by_fourier(A[1, :], K[1, :], min(m, p)*min(n, q), (m + p - 1)*(n + q - 1))
    y = folded2(A, K, m + p - 1, n + q - 1)
  elseif p*q > m*n
    y = in_taps2(K, A)
  else
    y = in_taps2(A, K)
  end
  from, to = part_of_full(m, p, shape)
  left, right = part_of_full(n, q, shape)
  return y[from:to, left:right]
end
# in_taps2(A, K): conv2(A, K) as a sum of moved matrices, eight elements of K in one trip over A.
function in_taps2(A, K)
  m, n = size(A)
  p, q = size(K)
  padded = zeros(m + 2*p - 2, n + 2*q - 2, dtype(A))
  padded[p:p+m-1, q:q+n-1] = A
  y = taps2(padded, K, 1, min(p*q, 8))
  for k = 9:8:p*q
    y = y + taps2(padded, K, k, min(p*q, k + 7))
  end
  return y
end
# taps2(A, K, k, l): the part of a convolution that the elements k to l of K have, row by row.
function taps2(A, K, k, l)
  p, q = size(K)
  i = idiv(l - 1, q) + 1
  j = mod(l - 1, q) + 1
  y = K[i, j]*A[p+1-i:end+1-i, q+1-j:end+1-j]
  if l > k
    return taps2(A, K, k, l - 1) + y
  end
  return y
end
# folded2(A, K, m, n): the first m x n places of conv2(A, K), by Fourier transforms.
function folded2(A, K, m, n)
  p = smooth_length(m)
  q = smooth_length(n)
  if isreal(A) && isreal(K)
    return irfft(ifft(fft(rfft(A, q, 2), p, 1) .* fft(rfft(K, q, 2), p, 1), [], 1), q, 2)[1:m, 1:n]
  end
  return ifft2(fft(fft(A, q, 2), p, 1) .* fft(fft(K, q, 2), p, 1))[1:m, 1:n]
end
# polyval(p, x): the polynomial p[1]*x^n + ... + p[n+1], by Horner's rule.
function polyval(p, x)
  if isempty(p)
    return 0*x
  elseif numel(p) == 1
    return p[1] + 0*x
  end
  y = p[1]*x + p[2]
  for k = 3:numel(p)
    y = y.*x + p[k]
  end
  return y
end
# cross(a, b): the vector product of two vectors of three.
function cross(a, b)
  assert(numel(a) == 3 && numel(b) == 3, "cross takes two vectors of three")
  if size(a, 1) != size(b, 1)
    a = a[:]
    b = b[:]
  end
  return a[[2, 3, 1]].*b[[3, 1, 2]] - a[[3, 1, 2]].*b[[2, 3, 1]]
end
# nnz(x): how many elements are not 0.
nnz(x) = sum(x != 0)
# logspace(a, b, n = 50): n numbers from 10^a to 10^b, of which each is the same multiple of
# the one before.
logspace(a, b, n = 50) = 10 .^ linspace(a, b, n)
# randi(n, m): m random integers from 1 to n; randi([l, n], m): from l to n;
# randi(n, m, k): a matrix of them.
function randi(n, m, k = -1)
  assert(numel(n) <= 2, "randi needs a largest number, or [least, largest]")
  if numel(n) == 2
    assert(n[2] >= n[1], "randi needs a largest number that is not below the least")
    return randi(n[2] - n[1] + 1, m, k) + i64(n[1] - 1)
  end
  assert(n >= 1, "randi needs a largest number of 1 or more")
  if k >= 0
    return i64(min(floor(n*rand(m, k)), n - 1)) + 1
  end
  return i64(min(floor(n*rand(m)), n - 1)) + 1
end
# randperm(n): the numbers 1 to n in random order.
randperm(n) = argsort(rand(n))

# -- what singular values tell -----------------------------------------------------------

# significant(A, s): which of the singular values s of A are more than what rounding makes
# of 0: larger than s[1] times the extent of A times the unit of the type that the values
# were computed in, and times the unit of A's own type.
function significant(A, s)
  t = dtype(A)
  unit = 2^-23
  if t == "f64" || t == "i64"
    unit = 2^-52
  end
  unit = unit*max(size(A, 1), size(A, 2))
  if t == "f16"
    unit = max(unit, 2^-10)
  elseif t == "bf16"
    unit = max(unit, 2^-7)
  end
  if isempty(s)
    return s > 0
  end
  return s > unit*s[1]
end

# matrix_rank(A): how many columns of A are independent: the number of its singular values
# that are more than rounding.
function matrix_rank(A)
  s = svdvals(A)
  return sum(significant(A, s))
end
# cond(A): the largest over the smallest singular value of A, infinite if that is 0.
function cond(A)
  assert(!isempty(A), "a matrix of no elements has no condition")
  s = svdvals(A)
  return where(s[end] == 0, 1/0, s[1]/s[end])
end
# pinv(A): the pseudoinverse of A: pinv(A)*b is the shortest of the least squares solutions
# of A*x = b, also where the columns of A depend on each other.
function pinv(A)
  U, s, V = svd(A)
  return V*(where(significant(A, s), 1 ./ s, 0) .* U')
end
# orth(A): an orthonormal basis, as columns, of all A*x.
function orth(A)
  U, s = svd(A)
  r = number(sum(significant(A, s)))
  return U[:, 1:r]
end
# null(A): an orthonormal basis, as columns, of all x with A*x = 0.
function null(A)
  m = size(A, 1)
  n = size(A, 2)
  if m < n
    A = [A; zeros(n - m, n, dtype(A))]
  end
  U, s, V = svd(A)
  r = number(sum(significant(A, s)))
  return V[:, r+1:n]
end

# -- Fourier transforms ---------------------------------------------------------------------

# fft2(X): the Fourier transform along the first two dimensions; ifft2(Z): what fft2 makes Z of.
fft2(X) = fft(fft(X, [], 2), [], 1)
ifft2(Z) = ifft(ifft(Z, [], 2), [], 1)
# fftfreq(n, d = 1): the frequencies of fft's results where samples lie d apart.
function fftfreq(n, d = 1)
  k = 0:n-1
  return (k - n*(2*k >= n)) / (n*d)
end
# rfftfreq(n, d = 1): those of rfft's.
rfftfreq(n, d = 1) = (0:idiv(n, 2)) / (n*d)
# fftshift(x): the frequency 0 in the middle, of a vector or in both dimensions of a matrix.
# ifftshift(x): fftshift undone.
fftshift(x) = rolled(x, 0)
ifftshift(x) = rolled(x, 1)
# rolled(x, odd): x moved on by half its extents, rounded up if odd = 1.
function rolled(x, odd)
  assert(ndims(x) <= 2, "fftshift takes a vector or a matrix")
  if numel(x) == length(x)
    return circshift(x, floor((numel(x) + odd)/2))
  end
  m, n = size(x)
  return circshift(x, [floor((m + odd)/2), floor((n + odd)/2)])
end

# -- factors of complex matrices ---------------------------------------------------------------

# chol_complex(Z): chol(Z) of a Hermitian matrix: the factor of the real matrix that has
# [a, -b; b, a] for every element a + b*i is of this kind, too, since it is unique.
function chol_complex(Z)
  assert(ndims(Z) == 2 && size(Z, 1) == size(Z, 2), "chol takes a square matrix")
  n = size(Z, 1)
  X = zeros(2*n, 2*n, dtype(re(Z)))
  X[1:2:2*n, 1:2:2*n] = re(Z)
  X[2:2:2*n, 2:2:2*n] = re(Z)
  X[1:2:2*n, 2:2:2*n] = -im(Z)
  X[2:2:2*n, 1:2:2*n] = im(Z)
  R = chol(X)
  return upper_of(complex(R[1:2:2*n, 1:2:2*n], R[2:2:2*n, 1:2:2*n]))
end
# upper_of(R): the upper triangle, with real numbers on the diagonal.
function upper_of(R)
  i = 1:size(R, 1)
  j = (1:size(R, 2))'
  return complex(where(i <= j, re(R), 0), where(i < j, im(R), 0))
end
# phase(z): z over its magnitude, 1 where that is 0.
phase(z) = where(abs(z) > 0, z ./ where(abs(z) > 0, abs(z), 1), 1)
# Q, R = qr_complex(Z): Q, R = qr(Z), by Householder's reflections.
function qr_complex(Z)
  assert(ndims(Z) == 2, "qr of complex values takes one matrix")
  m, n = size(Z)
  k = min(m, n)
  R = Z
  Q = complex(eye(m, dtype(re(Z))))
  for j = 1:min(m - 1, n)
    v = R[j:m, j]
    v[1] = v[1] + phase(v[1])*norm(v)
    s = norm(v)
    v = v / where(s > 0, s, 1)
    R[j:m, :] = R[j:m, :] - 2*v*(v'*R[j:m, :])
    Q[:, j:m] = Q[:, j:m] - 2*(Q[:, j:m]*v)*v'
  end
  p = phase(diag(R)[1:k])
  return Q[:, 1:k] .* p.', upper_of(conj(p) .* R[1:k, :])
end
# qr_alone(Z): R of it.
function qr_alone(Z)
  _, R = qr_complex(Z)
  return R
end

# -- functions of matrices ----------------------------------------------------------------

# expm(A): the exponential of a square matrix; of f16 and bf16 in f32. A Padé approximant
# of A over a power of 2 that brings its norm below 1/2, squared as often (Golub and Van
# Loan, Matrix Computations, 4th edition, algorithm 9.3.1).
function expm(A)
  assert(size(A, 1) == size(A, 2), "expm takes a square matrix")
  if ndims(A) == 0
    return exp(A)
  elseif isempty(A)
    return rounded_like(as_mean(A, A), A)
  end
  X = at_least_f32(A)
  if !has_floats(A) && isreal(A)
    X = f64(A)
  end
  largest = number(max(sum(abs(X), 2)))
  if !(largest < 1/0)
    return rounded_like(as_mean(X*nan, A), A)
  end
  halvings = 0
  if largest > 0
    halvings = max(0, floor(log2(largest)) + 2)
  end
  A1 = X / 2^halvings
  I = eye(size(A, 1), dtype(X))
  c = 0.5
  P = c*A1
  N = I + P
  D = I - P
  X = A1
  for k = 2:6
    c = c*(7 - k)/(k*(13 - k))
    X = A1*X
    N = N + c*X
    D = D + (-1)^k*c*X
  end
  E = D\N
  for k = 1:halvings
    E = E*E
  end
  return rounded_like(as_mean(E, A), A)
end

# sqrtm(A): the square root X of a square matrix, X*X = A, that has the roots of its eigenvalues: real
# where A is and no eigenvalue is real and negative, else complex. Of a symmetric or Hermitian matrix
# by its eigenvalues, else by the iteration of Denman and Beavers, scaled by determinants (Higham,
# Functions of Matrices, 6.3).
function sqrtm(A)
  assert(size(A, 1) == size(A, 2), "sqrtm takes a square matrix")
  if isempty(A)
    return at_least_f32(A)
  end
  d, V = eig(A)
  if isreal(d) || any(im(d) == 0 && re(d) <= 0)
    return of_eigenvalues(z -> sqrt(z), d, V)
  end
  return denman_beavers(at_least_f32(A))
end
# of_eigenvalues(f, d, V): the matrix of eigenvectors V whose eigenvalues are f(d). Real d are those of
# a symmetric or Hermitian matrix.
function of_eigenvalues(f, d, V)
  if !isreal(d)
    return (V.' \ (V .* f(d).').').'
  end
  if any(d < 0)
    d = complex(d)
  end
  return V*(f(d) .* V')
end
# denman_beavers(A): the square root of a matrix without an eigenvalue that is real and not
# positive.
function denman_beavers(A)
  n = size(A, 1)
  X = A
  Y = eye(n)
  for k = 1:40
    g = abs(det(X)*det(Y))^(-0.5/n)
    if !isfinite(g) || k > 8
      g = 1
    end
    Z = (g*X + inv(Y)/g) / 2
    Y = (g*Y + inv(X)/g) / 2
    far = norm(Z - X)
    X = Z
    if far <= n*1e-15*norm(X) || (k > 3 && far >= last)
      return X
    end
    last = far
  end
  return X
end
# logm(A): the logarithm of a square matrix, L with expm(L) = A, of which no eigenvalue is 0. Of a
# symmetric or Hermitian matrix by its eigenvalues; else roots are taken until it is near the
# identity, where a sum of eight fractions has it (Dieci, Morini and Papini, Computational
# techniques for real logarithms of matrices, 1996).
function logm(A)
  assert(size(A, 1) == size(A, 2), "logm takes a square matrix")
  if isempty(A)
    return at_least_f32(A)
  end
  d, V = eig(A)
  if isreal(d) || any(im(d) == 0 && re(d) <= 0)
    return of_eigenvalues(z -> log(z), d, V)
  end
  X = at_least_f32(A)
  I = eye(size(A, 1))
  roots = 0
  while norm(X - I) > 0.25 && roots < 60
    X = denman_beavers(X)
    roots += 1
  end
  # Places and weights of Gauss and Legendre between 0 and 1.
  t = f64([0.09501250983763744, 0.2816035507792589, 0.4580167776572274, 0.6178762444026438,
           0.7554044083550030, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499])
  w = f64([0.1894506104550685, 0.1826034150449236, 0.1691565193950025, 0.1495959888165767,
           0.1246289712555339, 0.0951585116824928, 0.0622535239386479, 0.0271524594117541])
  E = X - I
  L = 0*E
  for k = 1:8
    for s = [-1, 1]
      p = number(0.5 + 0.5*s*t[k])
      L = L + (number(w[k])/2)*((I + p*E) \ E)
    end
  end
  return 2^roots*L
end

# -- solvers --------------------------------------------------------------------------

# cg(A, b, tol = 1e-6, steps = numel(b)): solves A*x = b for a symmetric positive definite A by
# conjugate gradients, until the residual has fallen by the factor tol. Gives the
# solution and how many steps it took.
function cg(A, b, tol = 1e-6, steps = numel(b))
  x = 0*b
  r = b
  p = b
  rs = r'*r
  goal = tol^2*rs
  k = 0
  while k < steps && rs > goal
    q = A*p
    alpha = rs/(p'*q)
    x = x + alpha*p
    r = r - alpha*q
    new = r'*r
    p = r + (new/rs)*p
    rs = new
    k = k + 1
  end
  return x, k
end

# bicg(A, b, tol = 1e-6, steps = numel(b)): solves A*x = b for a general square A by biconjugate
# gradients. A*p and A'*s of one step read A once. Gives the solution and the
# number of steps.
function bicg(A, b, tol = 1e-6, steps = numel(b))
  x = 0*b
  r = b
  s = b
  p = b
  t = b
  rho = s'*r
  goal = tol^2*(b'*b)
  rr = b'*b
  k = 0
  while k < steps && rr > goal
    q = A*p
    u = A'*t
    alpha = rho/(t'*q)
    x = x + alpha*p
    r = r - alpha*q
    s = s - alpha*u
    new = s'*r
    beta = new/rho
    p = r + beta*p
    t = s + beta*t
    rho = new
    rr = r'*r
    k = k + 1
  end
  return x, k
end

# jacobi(A, b, steps): steps of Jacobi's iteration for A*x = b with a dominant
# diagonal.
function jacobi(A, b, steps)
  d = diag(A)
  x = b ./ d
  for k = 1:steps
    x = x + (b - A*x) ./ d
  end
  return x
end

# power_iteration(A, steps = 100): the eigenvalue of largest magnitude of A and its
# eigenvector, by repeated products.
function power_iteration(A, steps = 100)
  v = fill(1, size(A, 1))
  v = v / norm2(v)
  for k = 1:steps
    w = A*v
    v = w / norm2(w)
  end
  return v'*(A*v), v
end
