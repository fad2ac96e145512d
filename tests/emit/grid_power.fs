# A phase that waits at a barrier.
# devices: h200
A = f32(rand(4096, 4096));
begin
  v = sum(A, 2);
  w = A'*v;
  u = A*w;
end
:dump code
