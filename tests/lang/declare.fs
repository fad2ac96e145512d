# The scripts of the paper: declarations, input, elementary functions, return.
n = 50;
TILE32x32 A;
subvector32 p, q, r, s;
input A, p, r;
q = sgemv(A, p);
s = sgemtv(A, r);
print(max(abs(q - A*p)), " ", max(abs(s - A'*r)), " ", size(A, 1), " ", length(p))   # expect: 0 0 50 50
# ---
# Inputs that exist are taken.
A = [1, 2; 3, 4];
p = [1, 1];
matrix A; vector p, q;
input A, p;
q = A*p;
t = 2*q;
return q;                     # expect: q = f32[2]
                              # expect:   3  7
# ---
# What is made up follows what is there.
A = ones(7, 7);
matrix A; vector p; scalar alpha;
input A, p, alpha;
print(length(p), " ", ndims(alpha))   # expect: 7 0
# ---
A = ones(3);
matrix A;
input A;                      # error: 'A' is declared as a matrix but is 3 f32
# ---
input A;                      # error: input 'A' is neither declared nor defined
# ---
# args: n=20
TILE32x32 A, B, C;
subvector32 u1, u2, v1, v2, w, x, y, z;
globalscalar alpha, beta;
input A, u1, u2, v1, v2, y, z, alpha, beta;
C = sger(u1, v1);
B = smadd(A, C);
C = sger(u2, v2);
B = smadd(B, C);
x = sgemtv(B, y);
x = sax(beta, x);
x = sxpy(x, z);
w = sgemv(B, x);
w = sax(alpha, w);
B2 = A + u1*v1' + u2*v2'; x2 = beta*B2'*y + z; w2 = alpha*B2*x2;
print(max(abs(B - B2)), " ", max(abs(x - x2)), " ", max(abs(w - w2)), " ", size(B, 1))   # expect: 0 0 0 20
# ---
# return forgets what is not named.
a = 1; b = 2;
return b                      # expect: b = 2
# ---
x = ones(3);
return x, sum(x);             # expect: x = f32[3]
                              # expect:   1  1  1
                              # expect: 3
