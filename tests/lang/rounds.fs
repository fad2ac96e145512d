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
