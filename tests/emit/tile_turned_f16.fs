# The same of f16.
# devices: h200
A = f16(rand(4096, 4096)); C = f16(rand(4096, 4096));
begin
  B = A' + C;
end
:dump code
