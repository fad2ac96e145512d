# Two of bf16 at once, of an odd number.
# devices: h200 a100
w = bf16(rand(1000003)); v = bf16(rand(1000003));
begin
  z = max(w, v) + 0.5*v;
end
:dump code
