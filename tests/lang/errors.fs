# Every section ends in a mistake; the message says what to do.
A = ones(3, 4); p = ones(5);
print("before")               # expect: before
q = A*p                       # error: shapes do not fit for *: A is 3x4, p is 5
# error: hint: A*p needs p to have 4 rows
# ---
x = ones(3); y = ones(3);
x*y                           # error: cannot multiply two columns: x is 3, y is 3
# error: x.*y is elementwise
# ---
A = ones(7, 3); A[4:7, :] *= ones(4, 3)   # error: shapes do not fit for *
# error: A[4:7, :].*ones(4, 3) is elementwise, A[4:7, :]*ones(4, 3)' a product of matrices
# ---
ones(2, 3) + ones(3, 2)       # error: shapes do not fit for +
# error: transposed it would fit
# ---
alpha = 2;
print(alpah)                  # error: there is nothing called 'alpah'
# error: did you mean 'alpha'?
# ---
sqr(2)                        # error: did you mean 'sqrt'?
# ---
A = ones(2, 2);
A(1, 1)                       # error: A is 2x2 f32, not a function
# error: elements are written A[...]
# ---
A = ones(2, 3);
A[3, 1]                       # error: index 3 is out of range: dimension 1 has extent 2
# ---
x = ones(4);
x[0]                          # error: index 0 is out of range
# ---
x = ones(4);
x[2:5]                        # error: index 5 is out of range: dimension 1 has extent 4
# ---
x = ones(4);
x[1.5]                        # error: an index must be a whole number, not 1.5
# ---
x = ones(4);
x[[1, 7]]                     # error: index 7 is out of range
# ---
A = ones(3, 3);
A[10]                         # error: index 10 is out of range: there are 9 elements
# ---
B[1, 1] = 2                   # error: there is no tensor 'B' to assign a part of
# ---
A = ones(3, 3);
A[1, :] = [1, 2]              # error: the part is 1x3, [1, 2] is 2
# ---
i = i32([1, 2]);
i[1] = 0.5                    # error: cannot put f32 values into a tensor of i32
# ---
1/ones(3)                     # error: / divides by a scalar only
# error: ./
# ---
if ones(3) > 0; end           # error: a condition must be one value
# error: any(...) or all(...)
# ---
zeros(1e9, 1e9)               # error: of memory; the device has
# ---
zeros(2, 3, "f31")            # error: there is no type 'f31'
# ---
rand(5, f64)                  # error: an extent must be a number, not the function f64
# error: a type is given as a word: rand(3, "f64")
# ---
zeros(-1)                     # error: an extent must be a whole number of at least 1
# ---
sum(1, 2, 3)                  # error: sum takes 1 to 2 arguments, not 3
# error: it is called as sum(x[, dim])
# ---
f(x) = x
f(1, 2)                       # error: f takes 1 argument, not 2
# ---
f(x) = f(x + 1)
f(1)                          # error: f calls itself too often
# ---
function f(x); y = x; end
z = f(1)                      # error: f(1) gives no value
# ---
a, b = sin(1)                 # error: sin(1) gives 1 value, not 2
# ---
[1, "a"]                      # error: an array holds numbers, not a string
# ---
[1, 2; 3]                     # error: row 1 has 2 elements, row 2 has 1
# ---
[ones(2), ones(3)]            # error: values side by side need the same number of rows
# ---
assert(1 == 2, "one is not two")   # error: assertion failed: one is not two
# ---
error("stop " + 3)            # error: stop 3
# ---
"a"*2                         # error: this operator does not work on a string and a number
# ---
chol(ones(2, 3))              # error: chol needs a square matrix, not 2x3
# ---
chol([4, 1; 0, 3])            # error: the matrix is not symmetric: element [1, 2] is 1, and [2, 1] is 0
# ---
V = eigvecs([1, 2; 3, 4])     # error: the matrix is not symmetric: element [1, 2] is 2, and [2, 1] is 3
# ---
eigvals(f64([1, 1; 1.00001, 1]))   # error: the matrix is not symmetric
# ---
eigvecs(i64([1, 2; 3, 4]))    # error: the matrix is not symmetric
# ---
ones(2, 3)^2                  # error: ^ needs a square matrix
# ---
reshape(ones(6), 4, 2)        # error: cannot reshape
# ---
map(3, ones(2))               # error: the first argument of map must be a function
# ---
reduce("mean", ones(3))            # error: reduce cannot put values together with this
# ---
import "missing.fs"           # error: cannot import
# ---
cov([1, 2; 3, 4], 5)          # error: cov takes 1 argument, not 2
# ---
# Mistakes inside library functions point at the call.
gemv(ones(2, 3), ones(2))     # error: shapes do not fit for *: A is 2x3, p is 2
# ---
for k = sum; end              # error: a loop goes through a range, a tensor, a list or a string
# ---
x = 5;
x.y                           # error:
# ---
x = (1:3)*"a"                 # error: this operator does not work on
# ---
seed(0.5)                     # error: the seed must be a whole number
# ---
print(end)                    # error:
# ---
1:0:3                         # error: a range needs finite ends and a step that is not 0
# ---
solve(ones(2, 2), ones(3))    # error: shapes do not fit
# ---
x = ones(3) \ "b"             # error: this operator does not work on
# ---
break                         # error:
# ---
# A failing statement has no effect, the ones before it do.
x = 1;
x = x + undefined_name        # error: there is nothing called 'undefined_name'
# ---
x = ones(3);
x .> 0                        # error: `.>` is not part of the language
# error: comparisons work element by element already: write >
# ---
x = [3, 1, 2];
x[1:2] += [1, 2, 3]           # error: shapes do not fit: the part is 2, [1, 2, 3] is 3
# error: hint: the value must be a scalar or fill the part exactly
# ---
var("x")                      # error: x is a string; numbers are needed here
# ---
A = zeros(2, 2); i = 1;
A(i, i) = 3             # error: this would make a function of A, which is 2x2 f32
# ---
A = eye(2);
diag(A) = 2             # error: this would define another diag(), and change nothing of A
# ---
norm1(x) = sum(x); f(x) = x + 1; f(x) = x + 2;
print(norm1([1, -2]) + f(1))    # expect: 2
# ---
[1 -2]                  # error: this may be one element or two
# ---
x = [3, 5];
print([x[2] - x[1], -(1 -2), +3]')  # expect: f32[1×3]
                                    # expect:   2  1  3
# ---
x = [3, 5];
[x[1] +x[2], 0]         # error: this may be one element or two
# ---
n = 7; n//2             # error: `//` would begin a comment here
# ---
n = 7; // a comment: a//b
print(n, "a//b")        # expect: 7a//b
# ---
cross([1, 2], [3, 4])         # error: cross takes two vectors of three
# ---
circshift([1, 2, 3], 0.5)     # error: circshift moves by whole places
# ---
circcols([1, 2; 3, 4], 0.5)   # error: circcols moves by whole places
