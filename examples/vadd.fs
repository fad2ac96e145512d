# VADD: x = w + y + z: the sum of three vectors, without a temporary.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
subvector32 w, y, z;
input w, y, z;

begin
  x = w + y + z;
end
:plan box

check(x, f64(w) + f64(y) + f64(z), abs(f64(w)) + abs(f64(y)) + abs(f64(z)), "x");
print("vadd: ok");
