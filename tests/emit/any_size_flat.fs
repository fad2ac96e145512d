# The same of vectors.
# devices: h200
x = rand(100000); s = 0;
for k = 1:40
  y = x[k:end] + 1;
  s = sum(y);
end
:dump code
