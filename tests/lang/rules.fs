# Rules of the user rewrite what a block comes to.
opt1(A, X, Y, t) = 10*(A.*X + Y + t);
rule A.*X + Y + t -> opt1(A, X, Y, t)
a = f32([1, 2, 3]); b = f32([4, 5, 6]); c = f32([1, 1, 1]);
print((a.*b + c + 2)')
# expect: f32[1×3]
# expect:    70  130  210
s = c + b.*a;                                      # operands in either order, over statements
print(all(2 + s == 10*(s - 0 + 2)))                # expect: true
begin; p = a.*b; q = p + c; r = q + c; d = p - q; end
print(all(r == 10*(q + 1)) && all(d == -c))        # expect: true
print((a + b + c)')                                # no product there
# expect: f32[1×3]
# expect:    6   8  10
f(x) = x.*x + x + 1; print(f(a)')                  # in functions, too
# expect: f32[1×3]
# expect:    30   70  130
print(sum(a.*b + c + 2))                           # expect: 410
print(map(x -> x*x + x + 1, a)')                   # not of elements
# expect: f32[1×3]
# expect:    3   7  13
z = zeros(3); for i = 1:3; z[i] = a[i]*b[i] + c[i] + 2; end; print(z')
# expect: f32[1×3]
# expect:    7  13  21
for k = 1:9; z = a.*b + k*c + 2; end; print(z')
# expect: f32[1×3]
# expect:   150  210  290
:rules
# expect: 1  rule A.*X + Y + t -> opt1(A, X, Y, t)
# The same left side again takes the place of the one before; numbers, twins, functions.
rule A.*X + Y + t -> A
print((a.*b + c + 2)')
# expect: f32[1×3]
# expect:   1  2  3
:rules clear
:rules
# expect: no rules: rule A.*X + Y -> f(A, X, Y) makes one
print((a.*b + c + 2)')
# expect: f32[1×3]
# expect:    7  13  21
rule x.*x -> 0*x + 7
rule exp(x).*exp(y) -> x + y
rule -(x - 3) -> x
rule !(x > -2) -> x < 100
print((a.*a)', (a.*b)', (exp(a).*exp(b))')
# expect: f32[1×3]
# expect:   7  7  7
# expect: f32[1×3]
# expect:    4  10  18
# expect: f32[1×3]
# expect:   5  7  9
print((-(a - 3))', (-(a - 2))', any(!(a > -2)), any(!(a > -1)))
# expect: f32[1×3]
# expect:   1  2  3
# expect: f32[1×3]
# expect:    1  -0  -1
# expect: true false
A = f64([1, 2; 3, 4]); print(all(A.*A == 7), " ", size(A.*A)')
# expect: true i64[1×2]
# expect:   2  2
# ---
rule 3*x -> [1, 2, 3, 4]; x = [1, 2, 3];
x*3                                                # error: `rule 3*x -> [1, 2, 3, 4]` would make 4 f32 of 3 f32
# ---
rule 3*x -> f64(x); x = [1, 2, 3];
x*3                                                # error: would make 3 f64 of 3 f32
# ---
rule 3*x -> "no"; x = [1, 2, 3];
x*3                                                # error: would make a string of 3 f32
# ---
rule x -> 2*x                                      # error: the left side of a rule is an operation: x alone would be anything
# ---
rule sum(x) + 1 -> x                               # error: names, numbers, operators of elements and elementwise functions, not sum(x)
# ---
rule x[1] + y -> x                                 # error: elementwise functions, not x[1]
# ---
rule A*B + C -> nosuch(A, B, C)                    # error: there is nothing called 'nosuch'
# ---
rule x + 1 ->                                      # error: expected an expression
# ---
function f(x)
  rule x + 1 -> x
  return x
end
f(3)                                               # error: a rule stands in no function
# ---
# The word is still a name.
rule = 3; g = rule -> rule + 1; print(rule, " ", g(4))   # expect: 3 5
:rules drop 1                                      # error: there is no rule of this number
