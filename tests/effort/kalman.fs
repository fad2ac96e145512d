# A Kalman filter of one measurement, 10 steps.
n = 8
F = rand(n, n); Q = rand(n, n); H = rand(n); R = rand(1); Z = rand(50)
F[1,1] = 3; Q[1,1] = 1; H[1] = 1; R[1] = 1; Z[1] = 1
x = ones(n); P = rand(n, n); x[1] = 0; P[1,1] = 1
function steps(x, P, k)
  if k > 10
    return x, P
  end
  xp = F*x
  Pp = F*P*F' + Q
  g = Pp*H
  K = g / (H'*g + R[1:1])
  xn = xp + K .* (Z[k:k] - H'*xp)
  Pn = Pp - K*g'
  x, P = steps(xn, Pn, k + 1)
  return x, P
end
x, P = steps(x, P, 1);
