# BICGK: q = A*p and s = A'*r, the heart of the biconjugate gradient method: A is read once.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A;
subvector32 p, r;
input A, p, r;

begin
  q = A*p;
  s = A'*r;
end
:plan box

A64 = f64(A);
check(q, A64*f64(p), abs(A64)*abs(f64(p)), "q");
check(s, A64'*f64(r), abs(A64)'*abs(f64(r)), "s");
print("bicgk: ok");
