# Ridge regression on Longley's data, famous for being nearly collinear.
# With lambda = 0 it is least squares: the coefficients that NIST certifies.
D = f64(load("data/longley.csv"));
y = D[:, 1];
X = [fill(1, size(D, 1), "f64"), D[:, 2:7]];

certified = [-3482258.63459582; 15.0618722713733; -0.0358191792925910;
             -2.02022980381683; -1.03322686717359; -0.0511041056535807;
             1829.15146461355];
b = X \ y;
error = max(abs(b - certified) ./ abs(certified));
print("least squares, largest relative error to the certified values: ", error);
assert(error < 1e-5, "least squares is off");

# Ridge on standardised columns: (Z'*Z + lambda*I)*w = Z'*(y - mean(y)).
Z = standardize(D[:, 2:7]);
t = y - mean(y);
lambda = 0.1;
begin
  G = Z'*Z + lambda*eye(6, "f64");
  c = Z'*t;
end
:plan box
w = G \ c;
residual = norm(G*w - c) / norm(c);
print("ridge, relative residual: ", residual);
assert(residual < 1e-10, "the ridge solution is off");
w
print("ridge: ok");
