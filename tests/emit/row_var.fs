# Variances of f64, of columns (as a reduction) and of all: a state of four numbers in registers, shared memory, partial results.
# devices: h200 plain
A = f64(rand(6000, 400));
begin
  v = reduce("var", A, 1);
  w = var(A);
end
:dump code
