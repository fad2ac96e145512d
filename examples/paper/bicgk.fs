TILE32x32 A;
subvector32 p, q, r, s;
input A, p, r;
q = sgemv(A, p);
s = sgemtv(A, r);
return q, s;
