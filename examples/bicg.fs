# BICG: biconjugate gradients on a general matrix, one reading of A per step.
# A*p and A'*t of a step are one kernel.
n = 1000;
A = rand(n, n) + n/4*eye(n);
b = rand(n);
x, steps = bicg(A, b, 1e-6, 200);
:plan box
residual = norm(b - A*x) / norm(b);
print("bicg: ", steps, " steps, relative residual ", residual);
assert(residual < 1e-4, "bicg did not converge");
print("bicg: ok");
