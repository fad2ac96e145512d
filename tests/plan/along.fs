# Running sums and sorting are calls of their own, priced by what they move: long lines are
# read twice; long ones are sorted in passes. What comes before and behind them is fused.
# kernels: 8
x = rand(1000000); x[1] = 1;
A = rand(3000, 500); A[1, 1] = 1;
begin
  c = 2*cumsum(x.^2) + x;
  p = argsort(x, "descend");
  y = x[p];
  S = sort(A, 2) .* cumsum(A, 1);
end
:plan dump
