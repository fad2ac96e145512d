# AXPYDOT: z = w - alpha*v and then r = z'*u, in one pass over three vectors.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
subvector32 w, v, u;
globalscalar alpha;
input w, v, u, alpha;

begin
  z = w - alpha*v;
  r = z'*u;
end
:plan box

z64 = f64(w) - f64(alpha)*f64(v);
check(z, z64, abs(f64(w)) + abs(f64(alpha)*f64(v)), "z");
check(r, f64(z)'*f64(u), abs(f64(z))'*abs(f64(u)), "r");
print("axpydot: ok");
