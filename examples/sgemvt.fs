# SGEMVT: x = beta*A'*y + z and then w = alpha*A*x: the second product waits for the whole of the first.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A;
subvector32 y, z;
globalscalar alpha, beta;
input A, y, z, alpha, beta;

begin
  x = beta*A'*y + z;
  w = alpha*A*x;
end
:plan box

A64 = f64(A);
x64 = f64(beta)*(A64'*f64(y)) + f64(z);
bound = abs(f64(beta))*(abs(A64)'*abs(f64(y))) + abs(f64(z));
check(x, x64, bound, "x");
check(w, f64(alpha)*(A64*f64(x)), abs(f64(alpha))*(abs(A64)*abs(f64(x))), "w");
print("sgemvt: ok");
