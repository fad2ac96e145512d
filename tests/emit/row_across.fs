# Few rows, summed over them: a thread has some columns, and no block waits for another.
# devices: h200
A = f32(rand(4, 16777216)); B = f64(rand(50, 30001));
begin
  s = sum(A, 1);
end
:dump code
begin
  v = var(B, 1);
end
:dump code
