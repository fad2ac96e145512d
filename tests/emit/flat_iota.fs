# The index as a value.
# devices: h200
w = f32(rand(1000000));
begin
  z = w + 2*(1:1000000);
end
:dump code
