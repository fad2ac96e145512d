# Bytes, which wrap around.
# devices: h200
n = 1000000; a = u8(mod(1:n, 251)); b = u8(mod(1:n, 7));
begin
  c = a .* b + 3;
end
:dump code
