# A product of matrices is a call of a library.
# devices: h200
A = f32(rand(600, 600)); B = f32(rand(600, 600));
begin
  C = A*B;
end
:dump code
