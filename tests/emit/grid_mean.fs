# Phases of many blocks, which get in each other's way at barriers.
# devices: h200 a100
p = f32(rand(1000000));
begin
  m = mean(p);
  v = p - m;
  s = v'*v;
  w = v/sqrt(s);
end
:dump code
