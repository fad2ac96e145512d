# Sums and an extreme of long vectors, part of which stays in the cache.
# devices: h200 h100 a100
w = f32(rand(50000000)); v = f32(rand(50000000));
begin
  s = sum(w); d = w'*v; t = max(v);
end
:dump code
