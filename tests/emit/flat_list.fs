# Elements by a list.
# devices: h200 a100
w = f32(rand(100003)); v = f32(rand(100003));
begin
  p = mod(31*(1:100003), 100003) + 1;
  z = w[p] - 2*v;
end
:dump code
