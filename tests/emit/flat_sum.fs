# A sum beside stores: waves of blocks.
# devices: h200 a100
w = f32(rand(1000000)); v = f32(rand(1000000));
begin
  z = w - 2*v;
  r = z'*v;
end
:dump code
