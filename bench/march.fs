# Column sums used on their own columns in one trip: times, and differences to the same
# statements as kernels of their own. usage: fusible --target cuda bench/march.fs
A = f32(rand(16384,16384)); y = f32(rand(16384)); z = f32(rand(16384)); u1=f32(rand(16384)); u2=f32(rand(16384)); v1=f32(rand(16384)); v2=f32(rand(16384));
a = sum(y) + sum(z) + sum(u1) + sum(u2) + sum(v1) + sum(v2) + sum(A)
a
for k = 1:20
  x = 1.2*A'*y + z; w = 1.5*A*x;
end
:plan
w1 = w;
for k = 1:5
  x = 1.2*A'*y + z; w = 1.5*A*x;
  d = max(abs(w-w1))
  d
end
x2 = 1.2*A'*y + z;
barrier
w2 = 1.5*A*x2;
a = max(abs(x-x2)./x2)
a
b = max(abs(w-w2)./w2)
b
for k = 1:20
  B = A + u1*v1' + u2*v2'; x = 1.2*B'*y + z; w = 1.5*B*x;
end
:plan
B2 = A + u1*v1' + u2*v2';
barrier
x2 = 1.2*B2'*y + z;
barrier
w2 = 1.5*B2*x2;
barrier
a = max(abs(x-x2)./x2)
a
b = max(abs(w-w2)./w2)
b
c = sum(abs(B-B2))
c
A = f32(floor(8*rand(5000,12000)) - 3); y = f32(floor(8*rand(5000)) - 3); z = f32(floor(8*rand(12000))-3);
a = sum(A) + sum(y) + sum(z)
a
for k = 1:20
  x = 2*A'*y + z; w = 0.25*A*x;
end
:plan
x2 = 2*A'*y + z;
barrier
w2 = 0.25*A*x2;
barrier
a = max(abs(x-x2))
a
b = max(abs(w-w2)./(abs(w2)+1))
b
A = rand(16384,8192); y = rand(16384); z = rand(8192);
a = sum(A) + sum(y) + sum(z)
a
for k = 1:20
  x = 2*A'*y + z; w = 0.25*A*x;
end
:plan
x2 = 2*A'*y + z;
barrier
w2 = 0.25*A*x2;
barrier
a = max(abs(x-x2)./x2)
a
b = max(abs(w-w2)./w2)
b
