s = 0;
for k = 1:10
  if k == 3
    continue
  elseif k > 5
    break
  else
    s = s + k;
  end
end
print(s, " ", k)                   # expect: 12 6
k = 0;
while k < 5
  k = k + 1;
end
print(k)                      # expect: 5
for k = 10:-3:1
  print(k)
end
# expect: 10
# expect: 7
# expect: 4
# expect: 1
for k = 5:1
  print("never")
end
for v = [3, 4]
  print(v)
end
# expect: 3
# expect: 4
for c = [1, 2; 3, 4]
  print(sum(c))
end
# expect: 4
# expect: 6
# Conditions on tensors are read from the device.
x = ones(4);
n = 0;
while sum(x) < 100
  x = 2*x;
  n = n + 1;
end
print(n, " ", sum(x))              # expect: 5 128
if any(x > 31) && true; print("big"); else; print("small"); end   # expect: big
function f(x)
  for k = 1:10
    if k*k > x
      return k
    end
  end
  return -1
end
print(f(10), " ", f(1000))         # expect: 4 -1
a = 1:3;
print(sum(a), " ", length(a))      # expect: 6 3
t = 0;
for i = 1:3; for j = 1:3; t = t + i*j; end; end
print(t)                      # expect: 36
