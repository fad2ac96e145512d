# Products of batches: small ones are routines by instance, which fuse, or a library's by their
# prices (tests/unit/test_products.c), and larger ones the library's.
# kernels: 2
# schemes: library flat
A = rand(20000, 3, 3); B = rand(20000, 3, 3); C = rand(20000, 3, 3);
A[1, 1, 1] = 1; B[1, 1, 1] = 1; C[1, 1, 1] = 1;
begin y = exp(A*B + C); end
:dump plan
begin z = A*B*C; end
:dump plan
D = rand(20000, 8, 8); D[1, 1, 1] = 1;
begin w = D*D; u = 2*(A*A); end
:dump plan
E = rand(1000, 32, 32); E[1, 1, 1] = 1;
begin v = exp(E*E); end
:dump plan
