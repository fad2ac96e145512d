# More elements than an index of 32 bits has room for.
# devices: h200 a100
w = rand(1200000000); w[1] = 0;
begin
  z = 2*w;
end
:dump code
