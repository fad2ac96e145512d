# A function over a stack of small matrices, with maps before and behind it.
# devices: h200 a100
:elem ../../examples/elem/inv3.elem
A = rand(100003, 3, 3); A[1, 1, 1] = 2;
begin
  B = 2*inv3(A + 1);
end
:dump code
