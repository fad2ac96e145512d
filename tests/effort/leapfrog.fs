# Leapfrog of an oscillator, 40 steps: maps alone.
n = 4096
q = rand(n); p = rand(n); w = rand(n)
q[1] = 0; p[1] = 1; w[1] = 2
function steps(q, p, k)
  if k > 40
    return q, p
  end
  p = p - 0.005*(w.*q + q.^3)
  q = q + 0.01*p
  p = p - 0.005*(w.*q + q.^3)
  q, p = steps(q, p, k + 1)
  return q, p
end
q, p = steps(q, p, 1);
