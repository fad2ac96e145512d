# Integers of 8 bytes.
# devices: h200
a = i64(1:1000000); b = mod(a, 7);
begin
  c = mod(a, b + 1);
end
:dump code
