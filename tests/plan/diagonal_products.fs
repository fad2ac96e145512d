# Products with matrices that have only a diagonal: none is built.
# kernels: 1
X = rand(3000, 40); X[1, 1] = 0; w = rand(3000); w[1] = 1; v = rand(40); v[1] = 1;
begin
  Y = diag(w)*X*diag(v);
  s = w'*diag(w);
end
:plan dump
