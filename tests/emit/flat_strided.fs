# Every third element.
# devices: h200
w = f32(rand(1000000));
begin
  z = w[1:3:end] + 1;
end
:dump code
