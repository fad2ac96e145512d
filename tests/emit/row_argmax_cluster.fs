# Blocks that share a row put its largest value and the place together, one after the other.
# devices: h200
A = f32(rand(256, 100000));
begin
  r = rowargmax(A);
  B = A - r;
end
:dump code
