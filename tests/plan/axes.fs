# Differences along three axes: kernels of one launch that read one array in step.
# kernels: 3
A = rand(323, 323, 323); A[1, 1, 1] = 0;
begin
  x = A[2:end, :, :] - A[1:end-1, :, :];
  y = A[:, 2:end, :] - A[:, 1:end-1, :];
  z = A[:, :, 2:end] - A[:, :, 1:end-1];
end
:plan dump
