# SSCAL: x = alpha*x: one read and one write of a vector.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
subvector32 x;
globalscalar alpha;
input x, alpha;

begin
  y = alpha*x;
end
:plan box

check(y, f64(alpha)*f64(x), abs(f64(alpha)*f64(x)), "y");
print("sscal: ok");
