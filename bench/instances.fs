# instances.fs - what functions over small elements take on a GPU, in every setting
# (docs/elementary-functions.md): numbers of threads for an instance, block sizes.
#   fusible --target cuda --plan off --no-rc bench/instances.fs
:elem ../examples/elem/inv3.elem
:elem ../examples/elem/inv3_serial.elem
:elem ../examples/elem/mulv.elem
:elem ../examples/elem/quadratic.elem
:elem ../tests/elem/packed.elem

A = rand(4194304, 3, 3); b = rand(4194304, 3);
print(A[1, 1, 1] + b[1, 1])
for k = 1:3
  B = inv3(A);
end
:tune 40
:alternatives k1 60
for k = 1:3
  B = inv3_serial(A);
end
:tune 40
:alternatives k1 60
for k = 1:3
  y = mulv(inv3(A), b);
end
:tune 40
:alternatives k1 60
:elem symv impl 1
for k = 1:3
  y = symv(A, b);
end
:tune 40
:alternatives k1 60
:elem symv impl 2
for k = 1:3
  y = symv(A, b);
end
:tune 40
:alternatives k1 60
:elem symv impl 3
for k = 1:3
  y = symv(A, b);
end
:tune 40
:alternatives k1 60
A = f64(rand(2097152, 3, 3));
print(A[1, 1, 1])
for k = 1:3
  B = inv3(A);
end
:tune 40
:alternatives k1 60
A = f16(rand(4194304, 3, 3));
print(A[1, 1, 1])
for k = 1:3
  B = inv3(A);
end
:tune 40
:alternatives k1 60
A = rand(2097152, 4, 4); x = rand(2097152, 4);
print(A[1, 1, 1] + x[1, 1])
for k = 1:3
  q = quadratic(A, x);
end
:tune 40
:alternatives k1 60
