# A number of the host in both halves of a pair.
# devices: h200
w = f16(rand(1000000));
begin
  z = 0.5*w + w;
end
:dump code
