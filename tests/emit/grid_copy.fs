# A copy as a phase: it begins with the last blocks.
# devices: h200
x = f32(rand(4096)); x[1] = 0;
begin
  s = sum(x);
  y = x;
  y[2:end-1] = x[1:end-2] + s;
  t = sum(y);
end
:dump code
