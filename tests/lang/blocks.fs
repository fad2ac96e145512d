# Blocks, barriers, virtual results.
begin
  A = rand(60, 60); p = rand(60); r = rand(60);
  q = A*p;
  barrier
  s = A'*r;
end
print(max(abs(q - A*p)) < 1e-4, " ", max(abs(s - A'*r)) < 1e-4)   # expect: true true
# A name that is reassigned in a block keeps its last value.
x = ones(3); x = 2*x; x = x + 1;
print(sum(x))                 # expect: 9
# Large results that are cheap to make again are not stored until read.
u = rand(1024); v = rand(1024);
C = u*v';
s = sum(C);
print(abs(s - sum(u)*sum(v)) < 1)              # expect: true
u = 2*u;
D = 1*C;
print(abs(sum(D) - s) < 1)    # expect: true
R = rand(1024, 1024);
a = R[1, 1]; b = R[1, 1];
print(number(a) == number(b), " ", max(abs(R - R)))   # expect: true 0
B = zeros(600, 600);
B[2, 3] = 1;
print(sum(B))                 # expect: 1
# Loops end a block at every iteration.
for k = 1:3
  x = x + k;
end
print(sum(x))                 # expect: 27
# x and its transpose are one result.
y = x + 1; z = y';
print(sum(y) - sum(z), " ", size(z, 1))   # expect: 0 1
w = y;
y[1] = 100;
print(w[1], " ", y[1])             # expect: 10 100

# Rows held on chip between two passes, with more columns beside them than registers.
i = f32(1:300); j = f32(1:1000);
A = mod(3*i + 5*j', 7) - 3;
x = mod(j, 3) - 1; y = mod(j, 5) - 2; z = mod(j, 7) - 3;
begin r = A*x + A*y + A*z; C = A + r*x' + r*y' + r*z'; end
print(sum(r), " ", max(abs(r)), " ", sum(C), " ", sum(C .* mod(i + j', 11)))
# expect: -1000 1993 -3003 57436
# ---
# Statements that share nothing but a number go along together.
x = rand(5000); p = rand(5000); r = rand(5000); q = rand(5000);
a = sum(x)/3; a > 0     # expect: true
begin x1 = x + a*p; r1 = r - a*q; end
:assert plan kernels == 1
print(all(x1 == x + a*p) && all(r1 == r - a*q))  # expect: true
# ---
# ... also after sums in the same block, and in rounds of which some have vectors of one
# length and some do not.
n = 33; i = (1:n) + 0.0;
p = mod(i, 3) - 1; t = mod(2*i, 5) - 2; r = mod(i, 4) - 1; q = mod(i, 7) - 3; o = sum([2, 0]);
begin c = q'*r; b = c/o; p1 = r + b*p; q1 = q + b*t; end
print(all(p1 == r + b*p) && all(q1 == q + b*t), " ", c)  # expect: true -2
# ---
i = (1:40) + 0.0; x = mod(i, 7); p = mod(i, 5); r = mod(i, 4); q = mod(i, 3); a = sum([1, 0]); s = 0.0;
for k = 1:20
  m = k + 5; l = m + (k > 12);
  u = x[1:m] + a*p[1:m]; v = r[1:l] - a*q[1:l]; s = s + sum(u) + 2*sum(v);
end
print(s)   # expect: 1843
