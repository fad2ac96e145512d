# A sum along the middle of three dimensions.
# kernels: 1
X = rand(20, 30, 40); X[1, 1, 1] = 0;
begin
  s = sum(X, 2);
  t = sum(X);
end
:plan dump
