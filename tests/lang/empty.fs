# Arrays without elements. tests/test_arrays.py has every function over them, beside NumPy.
x = [3, 1, 2];
A = [1, 2, 3; 4, 5, 6];
zeros(0)                                      # expect: f32[0]
zeros(0, 3)                                   # expect: f32[0×3]
[]                                            # expect: f32[0]
x[x > 5]                                      # expect: f32[0]
x[3:2]                                        # expect: f32[0]
A[[], :]                                      # expect: f32[0×3]
A[:, 3:2]                                     # expect: f32[2×0]
A[A > 9]                                      # expect: f32[0]
isempty(x[x > 5])                             # expect: true
isempty(A)                                    # expect: false
numel(x[x > 5])                               # expect: 0
length(zeros(0, 3))                           # expect: 0
size(zeros(0, 3))                             # expect: i64[2]
                                              # expect:   0  3
e = []                                        # expect: e = f32[0]
e'                                            # expect: f32[1×0]
e + 1                                         # expect: f32[0]
dtype(i32([]))                                # expect: "i32"
# A column of no elements is left out beside others.
l = [];
for k = 1:3; l = [l; k^2]; end
l                                             # expect: l = f32[3]
                                              # expect:   1  4  9
[A; []]                                       # expect: f32[2×3]
                                              # expect:   1  2  3
                                              # expect:   4  5  6
[[], x']                                      # expect: f32[1×3]
                                              # expect:   3  1  2
[1, 2, []]                                    # expect: f32[2]
                                              # expect:   1  2
[zeros(0, 3); A]                              # expect: f32[2×3]
                                              # expect:   1  2  3
                                              # expect:   4  5  6
[zeros(2, 0), A]                              # expect: f32[2×3]
                                              # expect:   1  2  3
                                              # expect:   4  5  6
# Reductions have what they begin with.
sum([])                                       # expect: 0
prod([])                                      # expect: 1
any([])                                       # expect: false
all([])                                       # expect: true
mean([])                                      # expect: NaN
sum(zeros(0, 3), 1)                           # expect: f32[1×3]
                                              # expect:   0  0  0
sum(zeros(0, 3), 2)                           # expect: f32[0]
norm([])                                      # expect: 0
zeros(2, 0)*zeros(0, 3)                       # expect: f32[2×3]
                                              # expect:   0  0  0
                                              # expect:   0  0  0
cumsum([])                                    # expect: f32[0]
s, p = sort([])                               # expect: s = f32[0]
                                              # expect: p = i64[0]
unique([])                                    # expect: f32[0]
zeros(0, 0)\[]                                # expect: f32[0]
det(zeros(0, 0))                              # expect: 1
L, U, p = lu(zeros(2, 0))                     # expect: L = f32[2×0]
                                              # expect: U = f32[0×0]
                                              # expect: p = i64[2]
                                              # expect:   1  2
# Nothing happens where nothing is chosen.
x[[]] = 5                                     # expect: x = f32[3]
                                              # expect:   3  1  2
x[[]] += 5                                    # expect: x = f32[3]
                                              # expect:   3  1  2
x[3:2] = []                                   # expect: x = f32[3]
                                              # expect:   3  1  2
x[x > 9] = []                                 # expect: x = f32[3]
                                              # expect:   3  1  2
A[[], [1, 2]] += 1                            # expect: A = f32[2×3]
                                              # expect:   1  2  3
                                              # expect:   4  5  6
B = zeros(0, 3);
B[:, 2] = 1                                   # expect: B = f32[0×3]
# Loops of no rounds, over arrays of no elements, of shrinking slices.
for t in []; print("never"); end
n = 0; y = zeros(n);
for i = 1:n; y[i] = y[i] + 1; end
y                                             # expect: y = f32[0]
s = 0;
for k = 3:-1:0; s = s + sum(x[1:k]); end
s                                             # expect: s = 13
t = 0;
for k = 1:8; t = t + sum(x[1:mod(k, 3)]); end
t                                             # expect: t = 21
C = ones(3, 2); q = zeros(2);
for i = 1:2; r = 0; for j = 1:n; r = r + C[j, i]; end; q[i] = r; end
q                                             # expect: q = f32[2]
                                              # expect:   0  0
begin z = x + 1; w = x[x > 9] + 1; v = sum(w) + sum(z); end
softmax(zeros(0, 3))                          # expect: f32[0×3]
randperm(0)                                   # expect: i64[0]
orth(zeros(2, 2))                             # expect: f32[2×0]
print(zeros(0, 3))                            # expect: f32[0×3]
string([])                                    # expect: "f32[0]"
# ---
max([])                                       # error: there is no max of no elements: [] is 0
# ---
x = zeros(0, 3); argmax(x)                    # error: there is no argmax of no elements: x is 0x3
# ---
median([])                                    # error: assertion failed: there is no median of no elements: isempty(x) asks whether there is any
# ---
e = []; e[1]                                  # error: index 1 is out of range: dimension 1 has extent 0
# ---
e = []; e[[1, 2]]                             # error: an index is out of range: there are no elements to choose from
# ---
e = []; e[[1]] = 3                            # error: an index is out of range: there are no elements to choose from
# ---
x = [1, 2]; x[3:2] = [4, 5, 6]                # error: shapes do not fit: the part is 0, [4, 5, 6] is 3
# ---
x = [1, 2] + []                               # error: shapes do not fit for +: [1, 2] is 2, [] is 0
# ---
[zeros(0, 3); 1, 2]                           # error: shapes do not fit in [...]: zeros(0, 3) is 0x3, 1, 2 is 1x2
# ---
if []; print("never"); end                    # error: a condition must be one value, not 0 f32
