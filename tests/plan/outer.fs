# kernels: 2
# Products with an inner extent of 16 at most are maps where the block then takes less: on a GPU a
# rank-8 update is one kernel, and the distances of k-means are never stored.
A = rand(2000, 2000); A[1, 1] = 0; U = rand(2000, 8); U[1, 1] = 0; V = rand(2000, 8); V[1, 1] = 0;
begin A = A - U*V'; end
:plan dump
X = rand(200000, 8); X[1, 1] = 0; C = rand(16, 8); C[1, 1] = 0;
begin k = rowargmin(sum(C.^2, 2)' - 2*(X*C')); end
:plan dump
