# Numbers that are drawn where they are used.
# devices: h200
w = f32(rand(1000000));
begin
  z = w + rand(1000000) + randn(1000000);
end
:dump code
