# WAXPBY: w = alpha*x + beta*y.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
subvector32 x, y;
globalscalar alpha, beta;
input x, y, alpha, beta;

begin
  w = alpha*x + beta*y;
end
:plan box

check(w, f64(alpha)*f64(x) + f64(beta)*f64(y), abs(f64(alpha)*f64(x)) + abs(f64(beta)*f64(y)), "w");
print("waxpby: ok");
