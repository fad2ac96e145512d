# Index lists that cannot be wrong, whatever is in the arrays: the host need not look.
# stages: graph
A = (1:12) + 0.0; x = sqrt(0*(1:8) + 56.25); n = 12;
a = A[mod(8191*(1:8) + 127*3, n) + 1];
b = A[floor(n*rand(4)) + 1];
c = A[min(max(i32(20*x), 1), n)];
d = A[13 - (1:12)];
A[2*(1:6)] = 0;
# ... and those of which it does not follow.
e = A[mod(8191*(1:8), n + 1) + (x > 7)];
f = A[max(floor((n - 1)*rand(4)), 0) + (x[1:4] > 7)];
g = A[i32(x)];
h = A[min(max(x + 0.5, 1), n)];
