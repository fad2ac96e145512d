# SGEMV: z = alpha*A*x + beta*y: a matrix-vector product with its scaling and sum in one kernel.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A;
subvector32 x, y;
globalscalar alpha, beta;
input A, x, y, alpha, beta;

begin
  z = alpha*A*x + beta*y;
end
:plan box

A64 = f64(A);
z64 = f64(alpha)*(A64*f64(x)) + f64(beta)*f64(y);
bound = abs(f64(alpha))*(abs(A64)*abs(f64(x))) + abs(f64(beta)*f64(y));
check(z, z64, bound, "z");
print("sgemv: ok");
