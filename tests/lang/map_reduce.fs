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
reduce((a, b) -> max(a, b), x)   # error: reduce cannot put values together with this
# ---
g(a, b) = max(a, b);
reduce(g, x)                  # error: reduce cannot put values together with this
# ---
h((a, b) -> a)                # error: reduce cannot put values together with this
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
