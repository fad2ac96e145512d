x = [1, 2, 3];
map(x -> x^2 + 1, x)          # expect: f32[3]
                              # expect:    2   5  10
map((a, b) -> a*b/2, x, x)    # expect: f32[3]
                              # expect:   0.5  2.0  4.5
map(sqrt, [4, 9])             # expect: f32[2]
                              # expect:   2  3
t = 10;
print(sum(map(v -> where(v > 1, v, t), x)))   # expect: 15
print(vreduce("sum", vmap(x -> 2*x, x)), " ", vsum(vzipWith((a, b) -> a - b, x, x)), " ", vlength(x))   # expect: 12 0 3
vslice(2, 3, x)               # expect: f32[2]
                              # expect:   2  3
f(x) = x*x
print(reduce("max", map(f, x)))   # expect: 9
print(map(x -> x^2, 3))       # expect: 9
# A function that gives the same for all elements gives it for each.
map(t -> 1, [1, 2])           # expect: f32[2]
                              # expect:   1  1
print(dtype(map(t -> 2.5, i32([1, 2]))), " ", dtype(map(t -> true, [1, 2])))   # expect: f32 bool
print(size(map((a, b) -> 0, [1, 2, 3], [1, 2]')), " ", map(t -> 7, 3))   # expect: i64[2]
                              # expect:   3  2 7
k = sum([1, 2]);
print(sum(map(t -> k, ones(4))))     # expect: 12
# The order of the parameters is nothing to a reduction.
print(reduce((a, b) -> b + a, x), " ", reduce((a, b) -> min(b, a), x))   # expect: 6 1
# What hides max is not the built-in one.
h(max) = reduce((a, b) -> max(a, b), x);
# ---
max(a, b) = a - b;
reduce((a, b) -> max(a, b), [9, 2, 3])   # expect: 4
g(a, b) = max(a, b);
reduce(g, [9, 2, 3])          # expect: 4
# ---
# Associative functions of one's own: elements stay in order, however many there are.
last(a, b) = b;
for n = [1, 2, 7, 8, 9, 63, 64, 65, 513, 4099, 70001]
  m = reduce((a, b) -> (a*10 + b) - 9*a, i64(1:n));
  assert(m == n*(n + 1)/2 && reduce(last, 1:n) == n && reduce((a, b) -> a, 1:n) == 1, n);
end
s = 0; t = 0;
for k = 1:3; s = k; t += reduce((a, b) -> a + b + s, [1, 2, 3]); end
print(t)                                           # expect: 30
# Products of matrices do not commute: Fibonacci's numbers, and turns and moves on a grid.
mul(p, q) = {p[1]*q[1] + p[2]*q[3], p[1]*q[2] + p[2]*q[4], p[3]*q[1] + p[4]*q[3], p[3]*q[2] + p[4]*q[4]};
o = ones(90, "i64");
print(reduce(mul, {o, o, o, 0*o})[2])              # expect: 2880067194370816120
walk(a, b) = {turn = mod(a.turn + b.turn, 4),
              x = a.x + where(a.turn == 0, b.x, where(a.turn == 1, -b.y, where(a.turn == 2, -b.x, b.y))),
              y = a.y + where(a.turn == 0, b.y, where(a.turn == 1, b.x, where(a.turn == 2, -b.y, -b.x)))};
n = 1000; k = 1:n; turn = mod(i64(k).^2 + i64(k), 4); step = mod(i64(k)*7, 5);
w = reduce(walk, {turn = turn, x = step, y = 0*step});
x = 0; y = 0; d = 0;
for i = 1:n
  x += where(d == 0, step[i], where(d == 2, -step[i], 0));
  y += where(d == 1, step[i], where(d == 3, -step[i], 0));
  d = mod(d + turn[i], 4);
end
print(w.x == x && w.y == y && w.turn == d)         # expect: true
# The largest and the first place of it, also along a dimension.
best(a, b) = {v = max(a.v, b.v), at = where(a.v >= b.v, a.at, b.at)};
v = f32([3, 9, 2, 9, 1]); r = reduce(best, {v = v, at = 1:5});
print(r.v, " ", r.at)                              # expect: 9 2
A = reshape(1:84, 2, 6, 7);
print(all(reduce((a, b) -> a + b - 1, A, 2) == sum(A, 2) - 5) && all(reduce((a, b) -> b, A, -1) == A[:, :, 7]))   # expect: true
size(reduce((a, b) -> b, A, 2))'                   # expect: i64[1×3]
                                                   # expect:   2  1  7
print(reduce((a, b) -> b, 7), " ", reduce((a, b) -> a + 1, [4; 5], 2)[2])   # expect: 7 5
reduce((a, b) -> true, [1, 2, 3])                  # expect: true
s = 1; reduce((a, b) -> a*b + s, zeros(0))         # error: no elements cannot be put together: zeros(0) is 0
# ---
reduce((a, b) -> {a}, {1:3, 2:4})                  # error: the function of reduce puts two elements together to one, and gives a list
# ---
reduce((a, b) -> {a[1], b[1]}, {1:3, 2:5})         # error: arrays that are put together have one shape: 3 and 4
# ---
reduce((a, b) -> a + 1, zeros(2, 2), [1, 2])       # error: a function of the user puts elements together along one dimension
# ---
reduce((a, b) -> sum(a), [1, 2])                   # error: map gives the function single elements, and sum takes an array
# ---
map(t -> "a", [1])            # error: the function of map must give numbers, not a string
# ---
x = 1:3; x[2] = 7             # error: f32(...) or i64(...) makes a tensor of it first
# ---
# A function that is mapped has single elements; what it captures is whole.
w = [5, 6, 7];
print(map(i -> w[i] + sum(w), 1:3)')    # expect: f32[1×3]
                                        # expect:   23  24  25
print(map(x -> x*x', [1, 2, 3])')       # expect: f32[1×3]
                                        # expect:   1  4  9
map(x -> x/sum(x), [1, 2, 3])           # error: map gives the function single elements, and sum takes an array
# ---
h(x) = x[1];
map(h, [1, 2])                          # error: map gives the function single elements, and an index takes an array
# ---
map(t -> [t, 1], [1, 2])                # error: map gives the function single elements, and [ ] takes an array
# ---
map(t -> max(t), [1, 2])                # error: map gives the function single elements, and max takes an array
# ---
vmap(norm, [1, 2])                      # error: map gives the function single elements, and norm takes an array
# ---
# One number for each element: an array for each is refused, by its shape.
x = [10, 20]; map(t -> x, [1, 2, 3])    # error: map needs one number for each element, and the function gives an array of 2
# ---
A = ones(3, 3); w = [1, 2, 3];
map(i -> A[i, :]*w, 1:3)                # error: map needs one number for each element, and A[i, :] is an array of 1x3
# ---
A = ones(2, 3); map(j -> sum(A[1:2, j]), 1:3)   # error: A[1:2, j] is an array of 2x1
# ---
w = [1, 2, 3]; map(t -> t + w, [1, 2, 3])       # error: map needs one number for each element, and w is an array of 3
# ---
w = [1, 2, 3]; map(t -> max(w, t), [1, 2, 3])   # error: w is an array of 3
# ---
A = ones(3, 3); map((i, j) -> A[i, j], 1:3, 1:3)   # error: map takes one index from its elements, and A[i, j] has 2
# ---
map(t -> rand(3), [1, 2])               # error: rand(3) is an array of 3
# ---
map((a, b) -> a*b, [1, 2], [1, 2, 3])   # error: shapes do not fit for map
# ---
# Random numbers are drawn for each element, also by functions that draw.
u = map(t -> rand(), [1, 2, 3]);
print(numel(unique(u)), " ", numel(unique(map(t -> randn(), 1:5))), " ", size(map(t -> rand(), ones(2, 3)))')   # expect: 3 5 i64[1×2]
                                                              # expect:   2  3
k = map(t -> randi(1000000, 1), 1:4); print(numel(unique(k)), " ", dtype(map(t -> rand("f64"), [1, 2])))   # expect: 4 f64
# An index by an element has the shape of the elements, whichever subscript it is; what is
# captured is whole.
A = [1, 2, 3; 4, 5, 6; 7, 8, 9]; w = [1, 2, 3];
map(j -> A[2, j] + j, 1:3)'             # expect: f32[1×3]
                                        # expect:   5  7  9
map(i -> A[i, 2] + i, [1, 3])'          # expect: f32[1×2]
                                        # expect:    3  11
map(j -> A[1, j]*(w'*w), i64([1, 2; 3, 1]))   # expect: f32[2×2]
                                        # expect:   14  28
                                        # expect:   42  14
