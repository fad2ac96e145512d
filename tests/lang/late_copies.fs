# A copy before an update that no measured run has made, for nobody else had the value, but
# the last run of the input makes: it has no time.
A = f64(mod(1:6000, 5)); y = 0;
print(sum(A))
for k = 1:9
  if k == 9
    y = A;
  end
  A[3:20] = k; A = mod(A*3 + A[5], 100);
end
print(sum(A), " ", sum(y))
for k = 1:9
  if k == 9
    y = A;
  end
  A[3:20] = k;
end
print(sum(A), " ", sum(y))
# expect: 12000
# expect: 257851 347531
# expect: 257365 257347
