# Neighbours along three axes, whose last one begins anew behind its end.
# devices: h200
U = rand(512, 512, 500, "f32"); print(U[1,1,1]);
V = U[1:end-2,2:end-1,2:end-1] + U[3:end,2:end-1,2:end-1] + U[2:end-1,1:end-2,2:end-1] + U[2:end-1,3:end,2:end-1] + U[2:end-1,2:end-1,1:end-2] + U[2:end-1,2:end-1,3:end] - 6*U[2:end-1,2:end-1,2:end-1];
:dump code
