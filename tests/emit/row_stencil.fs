# Neighbours of several rows at once: the edges of the pass are a way of their own.
# devices: h200
U = rand(8192, 8192, "f32"); print(U[1,1]);
V = (U[1:end-2,2:end-1] + U[3:end,2:end-1] + U[2:end-1,1:end-2] + U[2:end-1,3:end] + 4*U[2:end-1,2:end-1])/8;
:dump code
