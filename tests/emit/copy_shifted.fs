# An update that reads what it replaces.
# devices: h200
x = rand(100000); y = x;
begin
  x[2:end] = x[1:end-1] + x[2:end];
end
:dump code
