# Each line waits for the row's sum before: more sweeps than a kernel makes.
# rule: on-chip: than a kernel can
A = rand(600, 400);
begin
  B = A - max(A, 2) ./ sum(exp(A), 2);
  C = B - max(B, 2) ./ sum(exp(B), 2);
  D = C - max(C, 2) ./ sum(exp(C), 2);
  E = D - max(D, 2) ./ sum(exp(D), 2);
  F = E - max(E, 2) ./ sum(exp(E), 2);
  G = F - max(F, 2) ./ sum(exp(F), 2);
  H = G - max(G, 2) ./ sum(exp(G), 2);
  K = H - max(H, 2) ./ sum(exp(H), 2);
  L = K - max(K, 2) ./ sum(exp(K), 2);
  M = L - max(L, 2) ./ sum(exp(L), 2);
  N = M - max(M, 2) ./ sum(exp(M), 2);
end;
:why B N
