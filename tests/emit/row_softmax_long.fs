# Rows longer than a block holds: clusters, or chunks.
# devices: h200 a100
A = f32(rand(512, 200000));
begin
  P = softmax(A);
end
:dump code
