# Neighbours that do not lie on multiples of a vector.
# devices: h200 a100
w = f32(rand(1000001));
begin
  z = w[1:end-4] + 2*w[2:end-3] + w[5:end];
end
:dump code
