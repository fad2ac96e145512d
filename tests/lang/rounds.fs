# Rounds of short blocks, so many in a row that a GPU starts several at once: values are
# read in their midst, other blocks come, numbers change, arrays are replaced in part.
x = f64(mod(1:1000, 7)); y = 0*x; A = f64(mod(reshape(1:64, 8, 8), 5));
for k = 1:300
  x = mod(3*x + 1, 101); y = mod(y + x, 1009);
end
print(sum(x), " ", sum(y))
z = x; w = 0*x;
for k = 1:400
  z[2:end-1] = mod(z[1:end-2] + z[3:end], 11);
  if mod(k, 90) == 0
    print(z[5]); w = mod(w + z, 13); B = mod(A*A + k, 3);
  end
end
for k = 1:200
  w = mod(w + k, 1013);
end
print(sum(z), " ", sum(w), " ", sum(B))
u = f64(mod(reshape(1:9, 3, 3), 4)); v = f64([1, 2, 3]);
for k = 1:250
  v = mod(u*v, 17); v = mod(v + sum(v), 19);
end
print(v[1], " ", v[2], " ", v[3])
# expect: 3003 874000
# expect: 4
# expect: 2
# expect: 7
# expect: 0
# expect: 5121 859354 54
# expect: 15 4 2
# ---
# Calls whose results follow from shapes and numbers: rounds with them follow on each other.
t = f32(0); x = zeros(4); z = zeros(3); d = f32([1, 2]); r = f32(1:6);
for k = 1:9
  t = t + 1;
  x = x + fill(t, 4);
  z = z + ones(3)*k; w = zeros(k) + k;
  D = diag(d) + eye(2); d = diag(D); q = trace(D);
  R = reshape(r, 2, 3); r = vec(R + 1);
end
print(x[1], " ", x[4], " ", sum(z))                # expect: 45 45 135
print(numel(w), " ", w[9], " ", d[1], " ", d[2], " ", q, " ", r[6])   # expect: 9 9 10 11 21 15
for k = 1:9; v = var(f32(k*(1:4))); s = std(f32([k, 3*k; 0, 4*k]), 1); end
print(v, " ", s[1, 1]^2)                           # expect: 135 40.5
# ---
x = f32(1:10);                                     # what an assertion reads may change
for k = 1:10
  s = x[k]*1;
  assert(s < 5.5, "too large at " + string(k));    # error: too large at 6
  y = s + 1;
end
