# Conjugate gradients on a sparse matrix: the five-point Laplace operator on a grid of
# g x g points, of which every row has five elements at most. V has them, and J their
# columns; where a point has no neighbour, V is 0. `sum(V .* p[J], 2)` is the matrix
# times p: one kernel that reads V and J once and p where J says.
g = 300;
n = g^2;
i = i32(1:n);
x = mod(i - 1, g);
left = where(x > 0, i - 1, i);
right = where(x < g - 1, i + 1, i);
up = where(i > g, i - g, i);
down = where(i <= n - g, i + g, i);
J = [i, left, right, up, down];
V = f64(where(J == i, 0, -1));
V[:, 1] = 4;

b = rand(n, 1, "f64");
u = zeros(n, 1, "f64");
r = b; p = r; rr = dot(r, r); first = rr; steps = 0;
while rr > 1e-10*first && steps < 2000
  q = sum(V .* p[J], 2);
  alpha = rr / dot(p, q);
  u = u + alpha*p;
  r = r - alpha*q;
  now = dot(r, r);
  p = r + now/rr*p;
  rr = now;
  steps = steps + 1;
end
:plan box

# The same operator as differences on the grid, beside which the residual is computed.
U = reshape(u, g, g); L = 4*U;
L[2:g, :] = L[2:g, :] - U[1:g-1, :];
L[1:g-1, :] = L[1:g-1, :] - U[2:g, :];
L[:, 2:g] = L[:, 2:g] - U[:, 1:g-1];
L[:, 1:g-1] = L[:, 1:g-1] - U[:, 2:g];
residual = norm(b - L[:]) / norm(b);
print("sparse: ", steps, " steps, relative residual ", residual);
assert(residual < 1e-4, "cg did not converge");
print("sparse: ok");
