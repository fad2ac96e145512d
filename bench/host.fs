# Loops that compute with numbers on the host: nanoseconds of a round.
# fusible bench/host.fs
n = 1000000;
s = 0; t = time();
for k = 1:n; s = s + 1; end
print("s = s + 1           ", round((time() - t)/n*1e9), " ns")

s = 0; t = time();
for k = 1:n; s = mod(floor(s*1.5 + k), 1000); end
print("mod(floor(..))      ", round((time() - t)/n*1e9), " ns")

k = 0; s = 0; t = time();
while k < n
  k += 1;
  if mod(k, 3) == 0; s += k; else; s -= 1; end
end
print("while, if, mod      ", round((time() - t)/n*1e9), " ns")

s = 0; t = time();
for i = 1:1000
  for j = 1:1000
    x = sqrt(i*i + j*j);
    if x == floor(x) && max(i, j) < 900; s += 1; end
  end
end
print("sqrt, floor, max, & ", round((time() - t)/n*1e9), " ns")

# Not of numbers alone: one statement after the other.
y = ones(3); s = 0; m = n/100; t = time();
for k = 1:m; s = mod(floor(s*1.5 + k), 1000); z = y; end
print("mod(floor(..)) ; z = y  ", round((time() - t)/m*1e9), " ns")
