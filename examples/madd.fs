# MADD: C = A + B for matrices.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A, B;
input A, B;

begin
  C = A + B;
end
:plan box

check(C, f64(A) + f64(B), abs(f64(A)) + abs(f64(B)), "C");
print("madd: ok");
