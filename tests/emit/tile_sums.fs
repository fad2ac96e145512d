# Tiles with sums of both kinds.
# devices: h200
A = f32(rand(1021, 1023)); C = f32(rand(1021, 1023));
C = rand(1023, 1021);
begin
  D = A' + C;
  s = sum(D, 1);
  t = sum(D, 2);
end
:dump code
