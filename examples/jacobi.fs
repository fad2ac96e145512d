# Jacobi's iteration for a dense system and for Laplace's equation on a grid.
# A step on the grid is one kernel over shifted slices.
n = 500;
A = rand(n, n) + n*eye(n);
b = rand(n);
x = jacobi(A, b, 60);
residual = norm(b - A*x) / norm(b);
print("dense system, relative residual ", residual);
assert(residual < 1e-5, "the dense iteration did not converge");

m = 64;
U = zeros(m, m);
U[1, :] = 1;
for k = 1:4000
  V = 0.25*(U[1:m-2, 2:m-1] + U[3:m, 2:m-1] + U[2:m-1, 1:m-2] + U[2:m-1, 3:m]);
  U[2:m-1, 2:m-1] = V;
end
:plan box
inner = U[2:m-1, 2:m-1];
change = max(abs(inner - 0.25*(U[1:m-2, 2:m-1] + U[3:m, 2:m-1] +
                               U[2:m-1, 1:m-2] + U[2:m-1, 3:m])));
print("Laplace, largest change of one more step: ", change);
assert(change < 1e-4, "the grid did not settle");
print("jacobi: ok");
