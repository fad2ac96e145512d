# ATAX: y = A'*(A*x): every row of A is still on chip when its dot product is known.
# Runs on what the command line names (A=a.npy, n=8192), else on random data.
import "check.fs"
TILE32x32 A;
subvector32 x;
input A, x;

begin
  y = A'*(A*x);
end
:plan box

A64 = f64(A);
x64 = f64(x);
check(y, A64'*(A64*x64), 2*(abs(A64)'*(abs(A64)*abs(x64))), "y");
print("atax: ok");
