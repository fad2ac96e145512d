# A number of the host of 64 bits.
# devices: h200
w = f64(rand(1000000));
begin
  z = 0.1*w + 3;
end
:dump code
