# Statements of every kind, for test_oom.py: each is evaluated for itself.
begin
  A = rand(40, 30); p = ones(30); r = ones(40)
  q = A*p; s = A'*r
  B = A + q*ones(30)'
end
sum(q) > 0
norm(s) < 1000
v = [1, 2, 3; 4, 5, 6]
v[2, :] = 9
v[v > 4] 
w = v[[2, 1], 1:2]
f(x) = x.^2 + 1
function g(x, y)
  h = z -> z*y
  return h(x), f(x)
end
a, b = g(v, 2)
t = 0
for k = 1:3; t = t + sum(f(v*k)); end
t
while t > 10; t = t / 4; end
if t > 1; print("big ", t); else; print("small ", t); end
c = map(x -> x^2 + 1, v)
try; v = v + 1; q = inv(zeros(2, 2)); catch e; v = v - 1; e; end
r = {a = {1, v}, b = "x"}; r.a[end+1] = v + 1; r.a[2][1] = 5; r.c = split("a,b", ","); r
K = A'*A + 30*eye(30)
y = K \ p
max(abs(K*y - p)) < 1e-3
z = complex(v, 2) + 1i; z[1, 2] = 2i
Z = [z; conj(z)]; zz = Z'*Z; z[1, 1] += sum(zz)/2i
abs(sqrt(Z))
Z
print(exp(z[1, 1]), " ", prod(z) == 0)
[1i, 2; 3, 4]\[1, 1i]
save("out.npz", v, w, z)
save("out.csv", v)
u = load("out.npz", "v")
all(u == v)
m = load("out.csv");
string("text ", 3)
s = "a\u{e9}"; repeat(upper(s), 3)[2:end] + format("%5.1f %s", 1.5, s) + replace(s, "a", "bc")
L = rand(600, 600) + 1
:explain L; y = L*ones(600); L = L[1:2, :] + L[2:3, :]
L[1, 1] > 0
:vars
:plan line
x = A*p + 2; n2 = sum(x.*x)
:plan
:explain d = A'*(A*p)
:code
:set digits 4
?sum
undefined_name + 1
[1, 2] * [3, 4]
# Twice: one of them may be what fails.
:reset -f
:reset -f
:memory
print("last = ", sum(1:10))
print("last = ", sum(1:10))
