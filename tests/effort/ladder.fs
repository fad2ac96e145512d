# Values that many others use, again and again: a walk that goes by each use takes ages.
n = 512
A = rand(n, n); B = rand(n, n); q = rand(n); p = rand(n); w = rand(n)
A[1,1] = 0; B[1,1] = 1; q[1] = 1; p[1] = 1; w[1] = 2
function steps(q, p, w, k)
  if k > 30
    return q, p
  end
  p = p - 0.005*(w.*q + q.^3)
  q = q + 0.01*p
  p = p - 0.005*(w.*q + q.^3)
  q, p = steps(q, p, w, k + 1)
  return q, p
end
begin
  q, p = steps(q, p, w, 1);
  y = A*q;
end
begin
  C, D = steps(A - rowmax(A), B, w, 20);
  s = sum(C, 2); t = sum(C.*D, 2);
  E = C ./ s;
end
