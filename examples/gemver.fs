# GEMVER: B = A + u1*v1' + u2*v2', x = beta*B'*y + z, w = alpha*B*x: the outer products never reach memory.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A;
subvector32 u1, u2, v1, v2, y, z;
globalscalar alpha, beta;
input A, u1, u2, v1, v2, y, z, alpha, beta;

begin
  B = A + u1*v1' + u2*v2';
  x = beta*B'*y + z;
  w = alpha*B*x;
end
:plan box

B64 = f64(A) + f64(u1)*f64(v1)' + f64(u2)*f64(v2)';
size_B = abs(f64(A)) + abs(f64(u1))*abs(f64(v1))' + abs(f64(u2))*abs(f64(v2))';
check(B, B64, size_B, "B");
B64 = f64(B);
x64 = f64(beta)*(B64'*f64(y)) + f64(z);
check(x, x64, abs(f64(beta))*(abs(B64)'*abs(f64(y))) + abs(f64(z)), "x");
check(w, f64(alpha)*(B64*f64(x)), abs(f64(alpha))*(abs(B64)*abs(f64(x))), "w");
print("gemver: ok");
