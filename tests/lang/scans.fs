# scan(f, x): what the elements up to each come to, by a function of the user.
add(a, b) = a + b - 0;
x = i64(mod((1:100)*7, 13)); good = true;
for k = [1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 24, 63, 64, 65, 66, 72, 73, 99, 100]
  good = good && all(scan(add, x[1:k]) == cumsum(x[1:k]));
end
print(good)                                        # expect: true
x = i64(mod((1:70001)*7, 13));
print(all(scan(add, x) == cumsum(x)))              # expect: true
A = reshape(i64(1:1848), 4, 66, 7); good = all(scan(add, A) == cumsum(A));
for d = 1:4; good = good && all(scan(add, A, d) == cumsum(A, d)) && all(size(scan(add, A, d)) == size(A)); end
print(good)                                        # expect: true
print(all(scan(add, A') == cumsum(A')) && all(scan(add, A[:, :, 3]', 1) == cumsum(A[:, :, 3]', 1)))   # expect: true
r = [1, 2, 3]'; print(size(scan(add, r))', scan(add, r))
# expect: i64[1×2]
# expect:   1  3
# expect: f32[1×3]
# expect:   1  3  6
# Functions that have their own word are what that word is; they need not be lambdas.
v = i32([3, 1, 4, 1, 5]);
print(all(scan("sum", v) == cumsum(v)) && all(scan("prod", v) == cumprod(v)))             # expect: true
print(all(scan(max, v) == cummax(v)) && all(scan((a, b) -> min(a, b), v) == cummin(v)))   # expect: true
print(scan((a, b) -> b, v)', scan((a, b) -> a, v)')
# expect: i32[1×5]
# expect:   3  1  4  1  5
# expect: i32[1×5]
# expect:   3  3  3  3  3
# A start value stands in front.
print(scan("sum", v, [], 10)', scan(add, v, 1, 10)')
# expect: i64[1×5]
# expect:   13  14  18  19  24
# expect: i32[1×5]
# expect:   13  14  18  19  24
print(scan("max", v, 1, 4)', scan(add, 7), " ", scan(add, 7, [], 1))
# expect: i32[1×5]
# expect:   4  4  4  4  5
# expect: 7 8
# Several arrays: the largest so far and its first place; a recurrence y[i] = a[i]*y[i-1] + b[i].
best(a, b) = {v = max(a.v, b.v), at = where(a.v >= b.v, a.at, b.at)};
s = scan(best, {v = [3, 9, 2, 9, 11], at = 1:5}); print(s.v', s.at')
# expect: f32[1×5]
# expect:    3   9   9   9  11
# expect: i64[1×5]
# expect:   1  2  2  2  5
s = scan(best, {v = [3, 9, 2], at = 1:3}, 1, {v = 8, at = 0}); print(s.v')
# expect: f32[1×3]
# expect:   8  9  9
line(p, q) = {p[1]*q[1], p[2]*q[1] + q[2]};
n = 500; a = i64(mod(1:n, 3)) - 1; b = i64(mod((1:n)*5, 7)); y = 0*b; y[1] = b[1];
for i = 2:n; y[i] = a[i]*y[i-1] + b[i]; end
print(all(scan(line, {a, b})[2] == y))             # expect: true
y[1] = a[1]*4 + b[1]; for i = 2:n; y[i] = a[i]*y[i-1] + b[i]; end
print(all(scan(line, {a, b}, [], {0, 4})[2] == y))   # expect: true
# Products of matrices do not commute.
mul(p, q) = {p[1]*q[1] + p[2]*q[3], p[1]*q[2] + p[2]*q[4], p[3]*q[1] + p[4]*q[3], p[3]*q[2] + p[4]*q[4]};
o = ones(90, "i64"); fib = scan(mul, {o, o, o, 0*o})[2];
print(fib[1], " ", fib[10], " ", fib[90])          # expect: 1 55 2880067194370816120
# In a block, beside what reads it; the type is that of the results.
begin; c = scan((a, b) -> f64(a) + b, i32([1, 2, 3])); d = c + 1; end
print(c', d')
# expect: f64[1×3]
# expect:   1  3  6
# expect: f64[1×3]
# expect:   2  4  7
print(numel(scan(add, zeros(0))))                  # expect: 0
scan("any", [1, 2])                                # error: scan cannot put values together with this
# ---
scan((a, b) -> {a}, {1:3, 2:4})                    # error: the function of scan puts two elements together to one, and gives a list
# ---
scan((a, b) -> a + b*2, [1, 2], [], [1, 2])        # error: scan begins with one element, not with 2 f32
# ---
scan((a, b) -> a, {[1, 2], [3, 4]}, 1, 5)          # error: scan begins with one element, not with a number
# ---
scan("sum", [1, 2], 1, [1, 2])                     # error: scan begins with one element, not with 2 f32
# ---
scan((a, b) -> sum(a), [1, 2])                     # error: map gives the function single elements, and sum takes an array
