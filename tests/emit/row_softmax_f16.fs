# The same with rows of f16.
# devices: h200 a100
A = f16(rand(6000, 1024));
begin
  P = softmax(A);
end
:dump code
