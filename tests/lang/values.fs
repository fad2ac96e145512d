# Several values for several names: all are known before one is assigned.
a, b = 1, 2;
a, b = b, a;
print(a, b)                    # expect: 2 1
x, y, z = [1, 2], "q", a + 1
# expect: x = f32[2]
# expect:   1  2
# expect: y = "q"
# expect: z = 3
_, w = 5, 6
# expect: w = 6
function fib(n)
  a, b = 0, 1;
  for k = 1:n
    a, b = b, a + b;
  end
  return a
end
print(fib(50))                 # expect: 12586269025
# -- arrays that change places in a loop --
p, q = ones(3), 2*ones(3);
for k = 1:101
  p, q = q, p;
end
print(p[1], q[1])              # expect: 2 1
d, e = x[2], x -> x[1];
print(d)                       # expect: 2
print(e(x))                    # expect: 1
# -- a list goes on behind a comma --
c, d = 7,
  8;
print(d - c)                   # expect: 1
# -- sort gives the positions as well --
s, p = sort([3, 1, 2]);
print(all(s == [1, 2, 3]), all(p == [2, 3, 1]))   # expect: true true
s, p = sort([3, 1; 2, 2], 2, "descend");
print(sum(abs(s - [3, 1; 2, 2])), sum(abs(p - [1, 2; 1, 2])))   # expect: 0 0
s, p = sort(4);
print(s, p)                    # expect: 4 1
# ---
a, b = 1, 2, 3                 # error: 3 values for 2 names
# ---
a, b = 1                       # error: one value cannot be assigned to 2 names
# ---
a, b = 1, nothing_here         # error: there is nothing called 'nothing_here'
# ---
a = 1, 2                       # error: expected an operator, `;` or a new line, found `,`
# ---
p, q = argsort([2, 1])         # error: argsort([2, 1]) gives 1 value, not 2
