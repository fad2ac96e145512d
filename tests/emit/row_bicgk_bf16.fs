# Several rows at once in a stage of the ring.
# devices: h200 h100 a100
A = bf16(rand(8192, 8192)); p = bf16(rand(8192)); r = bf16(rand(8192));
begin
  q = A*p;
  s = A'*r;
end
:dump code
