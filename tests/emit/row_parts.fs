# Few long rows: blocks have parts of them. Whole vectors of f32; odd rows of bf16, as a state.
# devices: h200 a100
A = f32(rand(16, 4194304)); B = bf16(rand(5, 300001)); v = rand(4194304);
begin
  y = A*v;
  a = reduce("argmax", A, 2);
end
:dump code
begin
  s = logsumexp(B, 2);
end
:dump code
