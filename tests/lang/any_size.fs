# Loops whose slices grow or shrink: code for any sizes takes over from code for each.
# Elimination of whole numbers, by their own pivots of 1.
n = 60; L = eye(n); U = eye(n);
for k = 2:n
  L[k:n, k-1] = mod((k:n)*3 + k, 5) - 2;
  U[k-1, k:n] = mod((k:n)*7 + k, 3) - 1;
end
A = L*U; W = A;
for k = 1:n-1
  W[k+1:end, k] = W[k+1:end, k]/W[k, k];
  W[k+1:end, k+1:end] -= W[k+1:end, k]*W[k, k+1:end];
end
low = ((1:n) > (1:n)') * 1.0;
print(all(W .* low == L - eye(n)), all(W .* (1 - low) == U))   # expect: true true
# Sums, rows and columns of what is there so far, of odd sizes.
x = mod(1:700, 17) - 8; M = reshape(mod(1:4900, 23), 70, 70); good = 0;
for k = 1:69
  a = sum(x[1:10*k]); b = max(x[k:700-k] + 2*k);
  r = sum(M[1:k, k:70], 2); c = sum(M[k:70, 1:k], 1);
  s = M[1:k, 1:k] + 2*M[70-k:69, 71-k:70]';
  good = good + (sum(r) == sum(M[1:k, k:70])) + (sum(c) == sum(M[k:70, 1:k]));
  good = good + (sum(s) == sum(M[1:k, 1:k]) + 2*sum(M[70-k:69, 71-k:70]));
  good = good + (b == max(x[k:700-k]) + 2*k) + (a == x[1:10*k]'*ones(10*k));
end
print(good)   # expect: 345
# Small types, strides, and elements in reverse.
h = f16(mod(1:600, 11)); d = f64(1:600); t = (1:600) > 300; good = 0;
for k = 1:60
  u = h[1:k+20] + f16(1); v = d[600-k:-1:1]*2 - 1; w = t[k:3:600-k];
  good = good + (sum(f32(u)) == sum(f32(h[1:k+20])) + k + 20);
  good = good + (v[1] == 2*(600 - k) - 1) + (sum(v) == (600 - k)^2);
  good = good + (sum(w) == sum((k:3:600-k) > 300));
end
print(good)   # expect: 240
