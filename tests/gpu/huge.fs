# huge.fs - arrays of more than 2^31 elements: that places are counted in 64 bits, in every
# scheme and in what is no kernel of a scheme. All is compared with what short vectors
# give. Takes a GPU of 80 GB some seconds; the last line is `N passed, N failed`.
checks = 0;
passed = 0;
# 1 if all is true, else what it was is said.
function told(what, ok)
  if all(ok)
    return 1
  end
  print("FAILED: ", what)
  return 0
end
n = 48001;
m = 46000;
I = f32(1:n);
J = f32(1:m);
y = mod(I, 3) - 1;
x = mod(J, 3) - 1;
row(i) = mod(3*i + 7*f32(1:46000), 5)
column(j) = mod(3*f32(1:48001) + 7*j, 5)
A = mod(3*I + 7*J', 5);

# Sums over rows and columns: BiCGK, ATAX, GEMVER. All numbers are small and whole.
q = A*x;
s = A'*y;
u = A'*(A*x);
for i = [1, 2, 777, n-1, n]
  checks += 1;
  passed += told("A*x", q[i] == sum(row(i) .* x));
end
for j = [1, 2, 777, m-1, m]
  checks += 2;
  passed += told("A'*y", s[j] == sum(column(j) .* y));
  passed += told("A'*(A*x)", abs(u[j] - sum(f64(column(j)) .* f64(q))) <= 1e-6*sum(column(j) .* abs(q)));
end
B = A + y*x';
v = B'*y;
w = B*x;
for i = [1, 4, n-1, n]
  checks += 1;
  passed += told("B*x", w[i] == sum((row(i) + y[i]*x) .* x));
end
for j = [1, 4, m-1, m]
  checks += 1;
  passed += told("B'*y", v[j] == sum((column(j) + y*x[j]) .* y));
end
checks += 1;
passed += told("B", B[n-2:n, m-2:m] == A[n-2:n, m-2:m] + y[n-2:n]*x[m-2:m]');

# Slices, across, lists, updates.
B = A[2:end, :] - A[1:end-1, :];
checks += 2;
passed += told("the last of differences", B[end, :] == row(n)' - row(n - 1)');
passed += told("the first of differences", B[1, :] == row(2)' - row(1)');
B = A';
checks += 2;
passed += told("A', last", B[m-1:m, n-3:n] == A[n-3:n, m-1:m]');
passed += told("A', first", B[m, 1:4] == column(m)[1:4]');
B = 0;
G = A[i32([n, 1, n-1, n]), :];
checks += 1;
passed += told("rows by a list", G == [row(n)'; row(1)'; row(n - 1)'; row(n)']);
f = A[:];
at = i64([1, n*m, n*m - 1, 2147483648, 2147483649, 2147483647]);
i = i64(floor((at - 1)/m)) + 1;
checks += 1;
passed += told("elements by a list", f[at] == mod(3*i + 7*(at - m*(i - 1)), 5));
f[2200000001:2200000003] = [7, 8, 9];
checks += 3;
passed += told("an update", f[2200000000:2200000004][2:4] == [7, 8, 9]);
passed += told("what is beside it", sum(f == 7) == 1 && sum(f > 6) == 3);
passed += told("find", find(f == 9) == 2200000003);
h = bf16(f) + 1;
checks += 1;
passed += told("bf16", h[2200000002] == 9 && sum(h == 10) == 1);
h = 0;
f = 0;
total = 0;
for i = 1:5
  total += sum(f64(row(i)))*floor((n - i)/5 + 1);
end
checks += 4;
passed += told("sum(A)", sum(f64(A)) == total);
passed += told("sums of columns", sum(sum(f64(A), 1)) == total);
passed += told("a mask", sum(A == 4) == sum(sum(A == 4, 2)));
A[n, 3:5] = 11;
passed += told("a row's part", sum(A == 11) == 3 && A[n, 2:6] == [row(n)[2], 11, 11, 11, row(n)[6]]');
S = softmax(A);
checks += 1;
passed += told("softmax", abs(sum(S[[1, n], :], 2) - 1) < 1e-5);
print(passed, " passed, ", checks - passed, " failed");
