# Numbers of the host.
# devices: h200
w = f32(rand(4096)); alpha = 3; beta = 0.25;
begin
  z = alpha*w + beta;
end
:dump code
