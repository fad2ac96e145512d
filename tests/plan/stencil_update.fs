# The old matrix is read beside: what is left of it is copied, not all of it.
# kernels: 3
U = rand(300, 200); U[1, 1] = 0;
begin
  U[2:end-1, 2:end-1] = 0.5*(U[1:end-2, 2:end-1] + U[3:end, 2:end-1]);
end
:plan dump
