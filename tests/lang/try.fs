# try ... catch: what a mistake of the body leads to.
try
  error("boo")
catch e
  print("caught ", e)              # expect: caught boo
end
try; x = 1; catch e; print("never"); end
print(x, " ", e)                   # expect: 1 boo
try
  error("unnamed")
catch
  print("no name")                 # expect: no name
end
try; error("let go"); end
try error("on one line")
catch _
  print("blank")                   # expect: blank
end
try; y[7]; catch e; print(e); end  # expect: there is nothing called 'y'
x = [1, 2];
try; x[7]; catch e; print(e); end  # expect: index 7 is out of range: dimension 1 has extent 2
try; x*x; catch e; print(e); end   # expect: cannot multiply two columns: x is 2, x is 2
try; load("there-is-none.npy"); catch e; print(e); end
# expect: cannot load there-is-none.npy: there is no such file
f(n) = n
try; f(1, 2); catch e; print(e); end # expect: f takes 1 argument, not 2
try; assert(false, "so"); catch e; print(e); end # expect: assertion failed: so

# A mistake that shows when its block runs: what stands before it is done, what stands behind is not.
A = [1, 2; 2, 4]; n = 0;
try
  n += 1;
  x = x + 1;
  z = A\x;
  n = 100;
  print("never")
catch e
  print(n, " ", e)                 # expect: 1 the matrix is singular: pivot 2 of 2 is zero
end
print(x[1], " ", x[2])             # expect: 2 3
list = f32([1, 5]);
try
  n += 1;
  z = x[list + 0*sum(x)];
  n += 1;
catch e
  print(n, " ", e)
end
# expect: 2 index 5 (number 2 of the list) is out of range: there are 2 elements
try
  n += 1; C = chol(-eye(2)); n += 1;
catch e
  print(n)                         # expect: 3
end

# In functions: their names, too, have what they had.
function g(A, b)
  t = b*2;
  try
    t = t + 1;
    u = inv(A);
    t = t*10;
    return t, "none"
  catch e
    return t, e
  end
end
a, why = g(zeros(2, 2), [1, 2]);
print(a[1], " ", a[2], " ", why)   # expect: 3 5 the matrix is singular: pivot 1 of 2 is zero
a, why = g(eye(2), [1, 2]);
print(a[1], " ", a[2], " ", why)   # expect: 30 50 none
function h(A, b)
  u = b;
  try
    u = A\b;
    return u
  catch
    u = u + 1;
  end
  return u
end
print(sum(h(A, x)))                # expect: 7
function deep(A)
  return inv(A)
end
function outer(A)
  try
    return sum(deep(A))
  catch e
    return -1
  end
end
print(outer(A), " ", outer(eye(2))) # expect: -1 2

# In loops, with what leaves a round.
for k = 1:4
  try
    if k == 3; error("three"); end
    if k == 4; break; end
    q = A*x*k;
    print(k, " ", q[k])
  catch e
    print(k, ": ", e)
    continue
  end
end
# expect: 1 8
# expect: 2 32
# expect: 3: three
print(k)                           # expect: 4
s = 0;
for k = 1:6
  try
    if mod(k, 2) == 0; error("even"); end
    s += k;
  catch
    s -= 100;
  end
end
print(s)                           # expect: -291
k = 0;
while k < 3
  k += 1;
  try; M = inv(k*A); catch e; print(k, " ", e); end
end
# expect: 1 the matrix is singular: pivot 2 of 2 is zero
# expect: 2 the matrix is singular: pivot 2 of 2 is zero
# expect: 3 the matrix is singular: pivot 2 of 2 is zero

# Inside each other; what the second part does wrong is the outer one's.
try
  try; error("in"); catch e; error("out of " + e); end
catch e
  print(e)                         # expect: out of in
end
try
  try; error("first"); end
  error("second")
catch e
  print(e)                         # expect: second
end
begin
  p = x + 1;
  try
    p = A\p;
  catch
    p = p + 1;
  end
  r = p*2;
end
print(r[1], " ", r[2])             # expect: 8 10

# Loops over elements: rounds before the mistake count.
v = zeros(3);
try
  for i = 1:5
    v[i] = i;
  end
catch e
  print(e)                         # expect: index 4 is out of range: dimension 1 has extent 3, where i = 4
end
print(v[1], v[2], v[3], i)         # expect: 1 2 3 4
try
  for i = 1:5
    s += x[i];
  end
catch e
  print(s, " ", i)                 # expect: -286 3
end

# Recursion ends somewhere.
function down(n)
  return down(n + 1)
end
try; down(1); catch e; print(e == "", " ", x[1]); end # expect: false 2
map(t -> t + 1, x);
try; map(t -> sum(t), x); catch e; print("map"); end  # expect: map
