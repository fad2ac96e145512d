# Row softmax: maximum, exponentials, sum and quotient while the row is on chip.
# One kernel, one read and one write of the matrix.
A = 10*rand(2000, 1000) - 5;
S = softmax(A);
:plan box
assert(max(abs(sum(S, 2) - 1)) < 1e-5, "rows do not add up to 1");
E = exp(f64(A));
check = max(abs(f64(S) - E ./ sum(E, 2)));
assert(check < 1e-6, "softmax is off");
print("softmax: ok");
