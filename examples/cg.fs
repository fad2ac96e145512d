# CG: conjugate gradients on a symmetric positive definite matrix.
# The loop body is one statement block, planned once and then only launched.
n = 1000;
A = rand(n, n);
A = (A + A')/2 + n*eye(n);
b = rand(n);
x, steps = cg(A, b, 1e-6, 200);
:plan box
residual = norm(b - A*x) / norm(b);
print("cg: ", steps, " steps, relative residual ", residual);
assert(residual < 1e-5, "cg did not converge");
print("cg: ok");
