# A sparse matrix by rows, times a vector: by two loops, and by a running sum.
n = 200;
len = mod((1:n)*7, 5); ptr = [1; cumsum(len) + 1];
nz = sum(len); col = mod((1:nz)*31, n) + 1; val = f64(mod((1:nz)*17, 23) - 11); x = f64(mod((1:n)*13, 19));
y = zeros(n, "f64");
for i = 1:n
  for k = ptr[i]:ptr[i+1]-1
    y[i] += val[k]*x[col[k]];
  end
end
z = diff([0; cumsum(val .* x[col])][ptr]);
save("csr.npz", y, z)
