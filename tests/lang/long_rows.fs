# Few long rows, of which a GPU's blocks have parts, and few rows that are summed over, of which
# a thread has whole columns: against sums of pieces, which are made another way.
data(m, n, k) = mod(reshape(0:m*n-1, m, n)*7919 + k, 1009) - 504
function rows_by_pieces(A, f)
  r = zeros(size(A, 1), 8); w = size(A, 2)/8;
  for k = 1:8
    r[:, k] = reduce(f, A[:, (k-1)*w+1:k*w], 2);
  end
  return reduce(f, r, 2)
end
function same_rows(A)
  ok = all(f64(sum(A, 2)) == rows_by_pieces(f64(A), "sum")) && all(f64(rowmax(A)) == rows_by_pieces(f64(A), "max"));
  return ok && all(f64(rowmin(A)) == rows_by_pieces(f64(A), "min"))
end
print(same_rows(f32(data(3, 80008, 1))), " ", same_rows(f64(data(16, 40000, 2))), " ", same_rows(i32(data(5, 99992, 3))), " ", same_rows(data(2, 300008, 4)))   # expect: true true true true
# Where the largest is, in a row of which blocks have parts; the first of several.
A = f32(data(4, 100001, 5)); A[2, 77777] = 1000; A[2, 99999] = 1000; A[3, 5] = NaN; A[4, 100001] = 1001;
r = rowargmax(A); print(r[2], " ", r[3], " ", r[4], " ", A[1, r[1]] == max(A[1, :]))   # expect: 77777 5 100001 true
# States are put together in order.
B = f64(data(6, 50000, 6)); v = var(B, 2); s = logsumexp(B, 2);
e = sum((B - mean(B, 2)).^2, 2)/49999;
print(all(abs(v - e) <= 1e-12*e), " ", all(abs(s - log(sum(exp(B - rowmax(B)), 2)) - rowmax(B)) < 1e-12))   # expect: true true
y = f32(data(4, 65536, 7))*f32(mod(1:65536, 3));
print(y[1] == sum(f64(data(4, 65536, 7)[1, :])' .* f64(mod(1:65536, 3))))   # expect: true
# Short rows of states: some threads have one.
function sums_of_exp(A)
  m = rowmax(A);
  return m + log(sum(exp(A - m), 2))
end
function near_logs(A)
  e = sums_of_exp(A);
  return all(abs(logsumexp(A, 2) - e) <= 1e-5*abs(e))
end
print(near_logs(f32(data(3000, 16, 1))/9), " ", near_logs(f32(data(3001, 33, 2))/9), " ", near_logs(f64(data(1000, 256, 3))/9), " ", near_logs(f32(data(999, 250, 4))/9))   # expect: true true true true
print(all(abs(var(f64(data(3000, 24, 5)), 2) - var(f64(data(3000, 24, 5))', 1)') < 1e-6))   # expect: true
# One element has no variance.
print(all(isnan(var(f32(data(5, 1, 1)), 2))), " ", size(var(f32(data(1, 5, 1)), 1), 2), " ", dtype(var(bf16(data(5, 1, 1)), 2)))   # expect: true 5 f32
# Few rows: each column is a thread's, of two to four threads where there are more.
function same_columns(A)
  t = f64(zeros(1, size(A, 2))); m = f64(A[1, :]);
  for k = 1:size(A, 1)
    t = t + f64(A[k, :]); m = max(m, f64(A[k, :]));
  end
  return all(f64(sum(A, 1)) == t) && all(f64(colmax(A)) == m)
end
print(same_columns(f32(data(2, 30001, 1))), " ", same_columns(f64(data(31, 3001, 2))), " ", same_columns(i32(data(64, 2000, 3))), " ", same_columns(f32(data(100, 1503, 4))))   # expect: true true true true
C = f32(data(4, 30001, 8)); D = C'; print(all(var(C, 1)' == var(D, 2) || abs(var(C, 1)' - var(D, 2)) < 1e-6*var(D, 2)), " ", all(colargmax(C)' == rowargmax(D)))   # expect: true true
print(max(abs(sum(softmax(C/100, 1), 1) - 1)) < 1e-6)   # expect: true
