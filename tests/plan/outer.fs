# kernels: 2
# Products with an inner extent of 4 at most are maps where the block then takes less: on a GPU a
# rank-2 update is one kernel, and distances in the plane are never stored.
A = rand(2000, 2000); A[1, 1] = 0; U = rand(2000, 2); U[1, 1] = 0; V = rand(2000, 2); V[1, 1] = 0;
begin A = A - U*V'; end
:plan dump
X = rand(200000, 2); X[1, 1] = 0; C = rand(16, 2); C[1, 1] = 0;
begin k = rowargmin(sum(C.^2, 2)' - 2*(X*C')); end
:plan dump
