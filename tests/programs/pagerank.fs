# PageRank from a list of edges.
n = 50;
src = mod((0:299)*7, n) + 1; dst = mod((0:299).^2*11 + 3, n) + 1;
deg = accumarray(src, 1, n);
r = ones(n, "f64")/n; d = 0.85; steps = 0;
while true
  next = zeros(n, "f64");
  next[dst] += (r ./ deg)[src];
  next = (1 - d)/n + d*next;
  steps += 1;
  if norm(next - r, 1) < 1e-12
    break
  end
  r = next;
end
s, p = sort(r, "descend");
save("pagerank.npz", r, p, steps)
