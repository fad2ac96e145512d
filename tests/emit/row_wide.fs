# A matrix beyond the reach of 32 bits.
# devices: h200 a100
A = f16(rand(40000, 60000));
begin
  s = sum(A, 2);
end
:dump code
