# Two of f16 at once.
# devices: h200 a100 plain
w = f16(rand(1000000)); v = f16(rand(1000000));
begin
  z = w - w.*v;
end
:dump code
