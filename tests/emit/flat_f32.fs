# Vectors of f32: a block for each piece, and nothing summed.
# devices: h200 h100 a100
w = f32(rand(1000000)); v = f32(rand(1000000));
begin
  z = w - 2*v;
end
:dump code
