# The power method, 20 steps.
n = 512
A = rand(n, n); x = ones(n)
A[1,1] = 3; x[1] = 0
function steps(x, k)
  if k > 20
    return x
  end
  y = A*x
  return steps(y / norm(y), k + 1)
end
x = steps(x, 1);
