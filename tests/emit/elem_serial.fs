# One thread for each instance.
# devices: h200
:elem ../../examples/elem/inv3_serial.elem
A = f64(rand(100003, 3, 3)); A[1, 1, 1] = 2;
begin
  B = inv3_serial(A);
end
:dump code
