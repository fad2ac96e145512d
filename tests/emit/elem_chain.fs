# Two functions in one kernel: what is between them stays on chip.
# devices: h200
:elem ../../examples/elem/inv3.elem
:elem ../../examples/elem/mulv.elem
A = rand(100003, 3, 3); x = rand(100003, 3);
begin
  y = mulv(inv3(A), x);
end
:dump code
