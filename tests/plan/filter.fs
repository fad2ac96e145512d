# Both passes of a filter: the second reads what the first stores, and computes none of it again.
# kernels: 2
A = rand(3000, 2000); A[1, 1] = 0;
begin
  H = (A[:, 1:end-4] + 4*A[:, 2:end-3] + 6*A[:, 3:end-2] + 4*A[:, 4:end-1] + A[:, 5:end])/16;
  V = (H[1:end-4, :] + 4*H[2:end-3, :] + 6*H[3:end-2, :] + 4*H[4:end-1, :] + H[5:end, :])/16;
end
:plan dump
