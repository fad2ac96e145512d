# Running sums and sorting of large arrays: what must hold of the results, and how long each
# takes. On either target, up to n elements (1e8 of f32 want 2.5 GB):
#   fusible run tests/gpu/lines.fs n=1e8
scalar n;
input n;

function seconds(name, bytes, s)
  print(name, "  ", 1e3*s, " ms, ", bytes/s/1e9, " GB/s of what goes in and out")
end

# Sums of whole numbers are exact, so that a lost or doubled element shows.
function sums(n)
  x = i32(mod(7919*(1:n), 1009)) - 504;
  y = cumsum(x);
  assert(y[1] == x[1] && all(y[2:n] - y[1:n-1] == x[2:n]), "cumsum")
  t = time();
  y = cumsum(x);
  s = time() - t;
  assert(y[n] == sum(x), "the last of cumsum is the sum")
  seconds(string("cumsum of i32 ", n), 12*n, s)
end

function float_sums(n)
  x = rand(n); x[1] = 0.5;
  y = cumsum(x);
  t = time();
  y = cumsum(x);
  s = time() - t;
  assert(abs(f64(y[n]) - sum(f64(x))) <= 26*2^-24*sum(f64(x)), "cumsum of f32")
  seconds(string("cumsum of f32 ", n), 8*n, s)
end

function sums_of(A, dim)
  m = size(A, 1);
  k = size(A, 2);
  Y = cumsum(A, dim);
  t = time();
  Y = cumsum(A, dim);
  s = time() - t;
  if dim == 1
    assert(all(Y[2:m, :] - Y[1:m-1, :] == A[2:m, :]), "cumsum of columns")
  else
    assert(all(Y[:, 2:k] - Y[:, 1:k-1] == A[:, 2:k]), "cumsum of rows")
  end
  seconds(string("cumsum of i64 ", m, "x", k, " along ", dim), 16*m*k, s)
end

function sorts(x)
  n = numel(x);
  y = sort(x);
  t = time();
  y = sort(x);
  s = time() - t;
  seconds(string("sort of ", dtype(x), " ", n), 0.0 + 2*n*sizeof(x), s)
  p = argsort(x);
  t = time();
  p = argsort(x);
  s = time() - t;
  seconds(string("argsort of ", dtype(x), " ", n), n*(sizeof(x) + 8), s)
  assert(all(y[2:n] >= y[1:n-1]), "sort is in order")
  assert(all(x[p] == y), "argsort is sort")
  assert(all(p[2:n] > p[1:n-1] || y[2:n] != y[1:n-1]), "argsort is stable")
end

sizeof(x) = where(dtype(x) == "f64" || dtype(x) == "i64", 8, 4)

function sorts_of(A, dim)
  m = size(A, 1);
  k = size(A, 2);
  Y = sort(A, dim);
  t = time();
  Y = sort(A, dim);
  s = time() - t;
  if dim == 1
    assert(all(Y[2:m, :] >= Y[1:m-1, :]), "sort of columns")
  else
    assert(all(Y[:, 2:k] >= Y[:, 1:k-1]), "sort of rows")
  end
  assert(sum(i64(1000*Y)) == sum(i64(1000*A)), "sort keeps what there is")
  seconds(string("sort of f32 ", m, "x", k, " along ", dim), 8*m*k, s)
end

n = number(n);  # f32 has no 1e8 - 1
for round = 1:4
  if round == 4
    k = n;
  else
    k = number([1000, 2049, 100003][round]);
  end
  sums(k)
  float_sums(k)
  x = rand(k); x[1] = 0.5;
  sorts(x)
  sorts(i32(1000*x))
  sorts(f64(x) - 0.5)
end
for m = [3, 40, 1000, 30000]
  k = max(floor(n/m), 2);
  A = rand(m, k); A[1, 1] = 0.5;
  for dim = 1:2
    sums_of(i64(1000*A), dim)
    sorts_of(A, dim)
  end
end
print("all as it should be")
