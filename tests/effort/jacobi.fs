# Jacobi, 30 steps.
n = 512
A = rand(n, n); b = rand(n); x = ones(n)
A[1,1] = 3; b[1] = 0; x[1] = 0
d = A[:,1] + n
d[1] = n
function steps(x, k)
  if k > 30
    return x
  end
  return steps((b - A*x + d.*x) ./ d, k + 1)
end
x = steps(x, 1);
