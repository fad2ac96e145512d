# Runge and Kutta, 20 steps of four products.
n = 256
A = rand(n, n) - 0.5; x = ones(n); b = rand(n)
A[1,1] = 0; x[1] = 0; b[1] = 0
f(x) = tanh(A*x) - x + b
function steps(x, k)
  if k > 20
    return x
  end
  k1 = f(x)
  k2 = f(x + 0.005*k1)
  k3 = f(x + 0.005*k2)
  k4 = f(x + 0.01*k3)
  return steps(x + 0.01/6*(k1 + 2*k2 + 2*k3 + k4), k + 1)
end
x = steps(x, 1);
