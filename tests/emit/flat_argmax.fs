# Where the largest of all is, of a half type: in its neighbours, its threads, its blocks.
# devices: h200 plain
x = f16(rand(1000000));
begin
  k = argmax(x);
end
:dump code
