# What is read leaves the cache after what is written.
# devices: h200 h100
w = f32(rand(200000000));
begin
  z = 2*w;
end
:dump code
