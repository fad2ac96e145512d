# Truth values, loaded and stored.
# devices: h200
w = f32(rand(1000000)); v = f32(rand(1000000)); m = w > 0.5;
begin
  k = m && (v < w);
end
:dump code
