f(x) = 2*x + 1
print(f(3), " ", sum(f([1, 2])))   # expect: 7 8
function g(a, b)
  s = a + b;
  return s, a - b
end
u, v = g(5, 3);
print(u, " ", v)                   # expect: 8 2
print(g(1, 1))                # expect: 2
function fact(n)
  if n <= 1; return 1; end
  return n*fact(n - 1)
end
print(fact(10))               # expect: 3628800
# What is returned may call functions that return.
function sums(A)
  return sum(A), rowargmax(A), fact(4), max(A)
end
p, q, r4, t = sums([1, 5; 7, 2]);
print(p, " ", q[1], " ", q[2], " ", r4, " ", t)  # expect: 15 2 1 24 7
_, q = sums([1, 5; 7, 2]);
print(q[1])                   # expect: 2
h = x -> x^2 + c0(x);
c0(x) = 1
print(h(3))                   # expect: 10
# Closures keep the values they saw.
a = 2;
k = x -> a*x;
a = 100;
print(k(5))                   # expect: 10
# Globals can be read, not assigned, by functions.
w = 7;
function r(); w = w + 1; return w; end
print(r(), " ", w)                 # expect: 8 7
adder(n) = x -> x + n
add3 = adder(3);
print(add3(4), " ", adder(10)(1))  # expect: 7 11
apply(f, x) = f(x)
print(apply(sqrt, 16), " ", apply(x -> -x, 2))   # expect: 4 -2
function outer(x)
  inner(y) = y + x
  return inner(1)
end
print(outer(41))              # expect: 42
twice = (f, x) -> f(f(x));
print(twice(x -> x*3, 2))     # expect: 18
# A variable may take the name of a builtin.
sum = 3;
print(sum + 1, " ", mean([1, 3]))  # expect: 4 2
m, n = size(ones(3, 5));
print(m, " ", n)                   # expect: 3 5
function nothing(x); y = x; end
nothing(1)
d, V = eig([2, 0; 0, 3]);
print(d)                      # expect: f32[2]
                              # expect:   2  3
# Both ends are exact, whatever the other one is.
print(lerp([1e8], 0.1, 1)[1] == f32(0.1), " ", lerp([1e8, 2], [0.1, 4], [1, 0.5])[2], " ", lerp(3, 5, 0), " ", lerp([1/0], 2, 1)[1], " ", dtype(lerp(i32([2]), 4, 0.5)))  # expect: true 3 3 2 f32
# A list that comes again calls a function that has a loop: it is several blocks.
function grown(x)
  for j = 1:2
    x = x + j;
  end
  return x
end
w = ones(3);
for k = 1:8
  E = 2*w;
  w = grown(w);
end
print(w[1], " ", E[3])        # expect: 25 44
# ---
# Default values: computed in the call, of what stands before them, in the function's scope.
function f(x, k = 2, m = k*10)
  return x*k + m
end
print(f(1), f(1, 3), f(1, 3, 5))                   # expect: 22 33 8
f                                                  # expect: f = function(x, k = 2, m = k*10)
power(x, p = 2) = x.^p
print(sum(power([1, 2, 3])), sum(power([1, 2, 3], 3)), sum(map(power, [1, 2])))   # expect: 14 36 5
power                                              # expect: power = function(x, p = 2)
n = 7;
shifted(x, s = n) = x + s
a = shifted(1); n = 8;
print(a, shifted(1), shifted(1, 0))                # expect: 8 9 1
function outer(a)
  inner(b, c = a) = b + c
  return inner(1) + inner(1, 2)
end
outer(5)                                           # expect: 9
none(a = 1) = a + 1
print(none(), none(5))                             # expect: 2 6
of_arrays(x, A = [1, 2;
  3, 4]) = sum(A)*x
of_arrays(2)                                       # expect: 20
of_arrays                                          # expect: of_arrays = function(x, A = [1, 2; 3, 4])
# -- what a parameter is by default is still what was around it --
function around(a)
  inside(b, c = a, a = a + 1) = b + 10*a + 100*c
  return inside(1)
end
around(5)                                          # expect: 561
# -- on one line, not too long --
long(x, A = [1, 2, 3, 4, 5, # five
  6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]) = x
long                # expect: long = function(x, A = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,...)
# -- random numbers are other ones in each call --
draw(x = rand(3)) = x
print(any(draw() != draw()), all(draw(1) == 1))    # expect: true true
# ---
power(x, p = 2) = x.^p
power()                   # error: power takes 1 to 2 arguments, not 0
# ---
q(x, k = nothing_here) = x + k
print(q(1, 1))            # expect: 2
q(1)                      # error: there is nothing called 'nothing_here'
# ---
function bad(x = 1, y)    # error: `y` has no default value, and the parameter before it has one
# ---
x = 3; power(x, p = 3)    # error: expected `,` or `)`, found `=`
# ---
power(x, p = 2 $ 3) = x   # error: `$` is not part of the language
