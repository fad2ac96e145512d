# GESUMMV: y = alpha*A*x + beta*B*x: two matrices, one vector, one kernel.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A, B;
subvector32 x;
globalscalar alpha, beta;
input A, B, x, alpha, beta;

begin
  y = alpha*A*x + beta*B*x;
end
:plan box

A64 = f64(A);
B64 = f64(B);
y64 = f64(alpha)*(A64*f64(x)) + f64(beta)*(B64*f64(x));
check(y, y64, abs(f64(alpha))*(abs(A64)*abs(f64(x))) + abs(f64(beta))*(abs(B64)*abs(f64(x))), "y");
print("gesummv: ok");
