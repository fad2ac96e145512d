# Counts, sums, means and largest values by key.
n = 1000;
key = mod((1:n).^2, 37); v = f64(mod((1:n)*7919, 211) - 100);
u, count, i = unique(key);
total = accumarray(i, v);
most = accumarray(i, v, length(u), "max");
save("groupby.npz", u, count, total, most)
