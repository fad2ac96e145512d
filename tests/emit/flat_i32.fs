# Integers of 4 bytes.
# devices: h200
a = i32(1:1000000); b = mod(a, 7);
begin
  c = a*3 - b;
end
:dump code
