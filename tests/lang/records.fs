# Lists and records.
l = {1, "a", [1, 2, 3]}        # expect: l = {1, "a", [1, 2, 3]}
l[2] = {2, 3}                  # expect: l = {1, {2, 3}, [1, 2, 3]}
l[end+1] = "new"               # expect: l = {1, {2, 3}, [1, 2, 3], "new"}
print(length(l), " ", l[2][2], " ", l[end])  # expect: 4 3 new
m = l; m[1] = 100; m[2][1] = 7;
l                              # expect: l = {1, {2, 3}, [1, 2, 3], "new"}
m                              # expect: m = {100, {7, 3}, [1, 2, 3], "new"}
l[3][2] = 9; l[2][1] *= 10; l[1:3]  # expect: {1, {20, 3}, [1, 9, 3]}
l[[4, 1]]                      # expect: {"new", 1}
l[[true, false, false, true]]  # expect: {1, "new"}
l[2:1]                         # expect: {}
s = {x = 3, y = "abc"}         # expect: s = {x = 3, y = "abc"}
s.z = {u = 1, v = {1, 2}};
s.z.v[end+1] = s.x; s.z.u += 4; s["x"] = true;
s                              # expect: s = {x = true, y = "abc", z = {u = 5, v = {1, 2, 3}}}
t.a = 1; t.b = {}; t           # expect: t = {a = 1, b = {}}
fields(s)                      # expect: {"x", "y", "z"}
print(has(s, "x"), " ", has(s, "w"), " ", s.y[2], " ", s["y"])  # expect: true false b abc
for e in {1, "x", {}}; e
end
# expect: e = 1
# expect: e = "x"
# expect: e = {}
for k in fields(s); print(k, " = ", s[k]); end
# expect: x = true
# expect: y = abc
# expect: z = {u = 5, v = {1, 2, 3}}
print({} == {}, " ", {1, [1, 2]} == {1, [1, 2]}, " ", {1, [1, 2]} == {1, [1, 3]}, " ", {1} != {1, 2})
# expect: true true false true
print({x = 1, y = 2} == {y = 2, x = 1}, " ", {x = 1} == {1}, " ", {[1]} == {[1, 1]}, " ", {"a"} == {1}, " ", {true} == {1})
# expect: true false false false true
{1} + {2, 3}                   # expect: {1, 2, 3}
"l = " + {1}                   # expect: "l = {1}"

# Arrays in them are traced as others are.
A = ones(3, 3);
begin
  r = {a = A*2, b = sum(A)};
  r.c = r.a + r.b;
  r.c[1, 1] = 0;
end
print(sum(r.c), " ", r.b)      # expect: 88 9
r                              # expect: r = {a = f32[3×3], b = 9, c = f32[3×3]}
x = [1, 2]; r = {x}; x[1] = 5; print(r[1][1], " ", x[1])  # expect: 1 5
function f(p)
  p.n += 1;
  p.list[end+1] = p.n;
  return p
end
p = {n = 0, list = {}};
for k = 1:3; p = f(p); end
p                              # expect: p = {n = 3, list = {1, 2, 3}}
function g()
  p.n = 50;
  return p.n
end
print(g(), " ", p.n)           # expect: 50 3
h = {f, x -> x + 1}; print(h[2](3))  # expect: 4

# In a block that fails nothing of it stays, also in a list that was changed where it lies.
q = {1, 2}; r = {a = {5}};
try
  q[1] = 10; q[end+1] = 3; r.a[1] = 6; r.b = 7;
  q[2] = [1, 2; 2, 4]\[1, 1];
catch
  print("caught")              # expect: caught
end
print(q, r)                    # expect: {10, 2, 3} {a = {6}, b = 7}
function late(l)
  try
    l[1] = "before"; l[2] = inv(zeros(2, 2)); l[1] = "behind";
  catch
    l[end+1] = "caught";
  end
  return l
end
late({0, 0})                   # expect: {"before", 0, "caught"}

# Texts.
split("a,b,,c", ",")           # expect: {"a", "b", "", "c"}
print(join(split("a,b,,c", ","), " - "), join({}), join({1, "x", true}))  # expect: a - b -  - c1xtrue
try; split("a", ""); catch e; print(e); end  # expect: what separates the parts is empty
try; join("a"); catch e; print(e); end       # expect: join takes a list, not a string

# Mistakes.
try; s.w; catch e; print(e); end             # expect: the record has no field 'w'
try; s.w.x = 1; catch e; print(e); end       # expect: the record has no field 'w'
try; A.T; catch e; print(e); end             # expect: only records have fields, and this is 3x3 f32
try; A.x = 3; catch e; print(e); end         # expect: only records have fields, and this is 3x3 f32
try; l.x = 3; catch e; print(e); end         # expect: only records have fields, and this is a list
try; l[9]; catch e; print(e); end            # expect: index 9 is out of range: a list has 4 elements
try; l[6] = 1; catch e; print(e); end        # expect: index 6 is out of range: a list has 5 elements
try; l[0] = 1; catch e; print(e); end        # expect: index 0 is out of range: a list has 5 elements
try; l[1:2] = 1; catch e; print(e); end      # expect: one element of a list is assigned at a time
try; l[1, 2]; catch e; print(e); end         # expect: l is a list and needs one subscript
try; s[1]; catch e; print(e); end            # expect: fields of a record have names, and this is a number
try; l + 1; catch e; print(e); end           # expect: this operator does not work on a list and a number
try; l*2; catch e; print(e); end             # expect: this operator does not work on a list and a number
try; s < s; catch e; print(e); end           # expect: this operator does not work on a record and a record
try; save("x.npy", l); catch e; print(e); end # expect: l is a list, and only arrays and numbers can be saved
try; for k in s; end; catch e; print(e); end
# expect: a loop goes through a range, a tensor, a list or a string, not a record
try; none[1] = 2; catch e; print(e); end     # expect: there is no tensor 'none' to assign a part of
try; none[1].x = 2; catch e; print(e); end   # expect: there is nothing called 'none' to assign a part of
try; l[1][2] = 3; catch e; print(e); end
# expect: only parts of tensors and lists can be assigned; l[1] is a number
try; "abc"[1].x; catch e; print(e); end      # expect: only records have fields, and this is a string
for c in {l, s}
  try; [c, 1]; catch e; print("array"); end
  try; sin(c); catch e; print("sin"); end
  try; if c; end; catch e; print("if"); end
  try; A[c]; catch e; print("index"); end
  try; size(c, 3) == 1; map(x -> x, c); catch e; print("map"); end
end
# expect: array
# expect: sin
# expect: if
# expect: index
# expect: map
# expect: array
# expect: sin
# expect: if
# expect: index
# expect: map

# Loops over them are not lifted, and read them as they are.
v = zeros(3);
for i = 1:3; v[i] = l[1] + i; end
print(v[1], v[2], v[3])        # expect: 2 3 4
n = {1, 2, 3}; total = 0;
for i = 1:3; total += n[i]; end
print(total)                   # expect: 6
for i = 1:3; n[i] = n[i]*v[i]; end
n                              # expect: n = {2, 6, 12}
k = 0;
while k < 3; k += 1; n[k] = k; end
n                              # expect: n = {1, 2, 3}
c = {count = 0};
for i = 1:1000; c.count += 1; end
print(c.count)                 # expect: 1000

# Long and deep ones.
q = {};
for k = 1:20000; q[end+1] = k; end
for k = 1:20000; q[k] = 2*k; end
print(length(q), " ", q[20000], " ", length(q + q))  # expect: 20000 40000 40000
q[1:25]
# expect: {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, ... (5 more)}
deep = {};
try
  for k = 1:1000000; deep = {deep}; end
catch e
  print(k, " ", e)             # expect: 100 lists are nested more than 100 deep
end
deep = {};
try
  for k = 1:1000000; deep[1] = deep; end
catch e
  print(k)                     # expect: 100
end
{{{{{{1}}}}}}                  # expect: {{{{{... (1 more)}}}}}
