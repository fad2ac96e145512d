# sanitize.fs - every scheme and library call once at small odd sizes, for
# compute-sanitizer (scripts/gpu-check sanitize). Data are small integers, so the
# sums are exact and are checked against what they must be.
function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end

m = 67; n = 45;
i = reshape(f32(1:m), m, 1); j = reshape(f32(1:n), 1, n);
A = mod(i*j, 7) - 3;
p = mod(f32(1:n), 5) - 2; r = mod(f32(1:m), 3) - 1;

begin
  q = A*p;
  s = A'*r;
end
same(q'*r, s'*p, "q'r = s'p");

y = A'*(A*p);
same(y'*p, q'*q, "p'A'Ap = q'q");

begin
  B = A + r*p' + r*p';
  x = 2*B'*r + p;
  w = 3*B*x;
end
same(w'*r, 3*(B'*r)'*x, "w'r");

z = p - 2*s; d = z'*p;
same(d, p'*p - 2*(s'*p), "axpydot");

M = A - max(A, 2);
same(max(M), 0, "row maximum");
same(sum(sum(A, 1)), sum(sum(A, 2)), "sums");

E = exp(M ./ 4); S = E ./ sum(E, 2);
t = sum(S, 2) - 1;
if max(abs(t)) > 0.0001
  error("wrong: softmax");
end

C = A; C[2:5, 3] = 7; C[1, :] = p';
same(sum(C[2:5, 3]), 28, "update");

H = f16(A); h = H*f16(p);
same(f32(h), q, "half");

G = A'*A + 100*eye(n);
X = G \ s;
if norm(G*X - s) > 0.001*norm(s) + 0.001
  error("wrong: solve");
end
R = chol(G);
if norm(R'*R - G) > 0.01*norm(G)
  error("wrong: chol");
end
k = [3, 1, 2, 45];
same(p[k], [p[3], p[1], p[2], p[45]], "gather");
v = rand(1001); u = v .* 2 + 1;
same(sum(u >= 1), 1001, "rand");
# Long rows: bulk copies through a ring, sums in chunks, in strips, in clusters; a
# tile.
K = 600; L = 8192;
V = mod(reshape(f32(1:K), K, 1)*reshape(f32(1:L), 1, L), 5) - 2;
a = mod(f32(1:L), 3) - 1; b = mod(f32(1:K), 3) - 1;
begin
  c = V*a;
  g = V'*b;
end
same(c'*b, g'*a, "ring");
g = V'*b;
same(g'*a, c'*b, "strips");
U = [V, V];
d = U*[a; a];
same(d, 2*c, "chunks");
W = mod(reshape(f32(1:3), 3, 1)*reshape(f32(1:70001), 1, 70001), 5) - 2;
a = mod(f32(1:70001), 3) - 1; b = [1, -1, 2];
begin
  c = W*a;
  g = W'*b;
end
same(c'*b, g'*a, "wide tiles");
W = mod(reshape(f32(1:21), 21, 1)*reshape(f32(1:33001), 1, 33001), 5) - 2;
W[1, 1] = 2; a = mod(f32(1:33001), 3) - 1;
c = W'*(W*a);
same(c'*a, (W*a)'*(W*a), "clusters");
T = V[1:321, 1:321];
same(sum(T + T'), 2*sum(T), "tile");
# Stencils: slices between vectors, up to the last element of a row and of all.
for len = [5, 8, 9, 1001, 4099]
  o = mod(f32(1:len), 7) + 0; o[1] = 1; first = o[1]; o[1] = first;
  dif = o[2:end] - o[1:end-1];
  same(sum(dif), o[len] - o[1], "difference");
  avg = o[1:end-4] + 2*o[2:end-3] + 3*o[3:end-2] + 2*o[4:end-1] + o[5:end];
  same(avg[1], o[1] + 2*o[2] + 3*o[3] + 2*o[4] + o[5], "average");
  ho = bf16(o); ho[1] = 1;
  same(sum(f32(ho[2:end] - ho[1:end-1])), o[len] - 1, "half difference");
end
Q = V[1:131, 1:253]; Q[1, 1] = 1;
J = Q[1:end-2, 2:end-1] + Q[3:end, 2:end-1] + Q[2:end-1, 1:end-2] + Q[2:end-1, 3:end];
same(J[129, 251], Q[129, 252] + Q[131, 252] + Q[130, 251] + Q[130, 253], "stencil");
# Running sums and sorts: of one tile, of several, along both dimensions, and factors.
for len = [7, 2049, 70001]
  o = mod(37*f32(1:len), 101) + 0; o[1] = 1;
  c = cumsum(o);
  same(c[len], sum(o), "running sums");
  s = sort(o);
  same(s[1], min(o), "sort");
  same(sum(s), sum(o), "sort keeps all");
  same(sum(o[argsort(o)]), sum(o), "argsort");
  same(sum(sort(i32(o), "descend")), sum(i32(o)), "sort of integers");
end
C = V[1:70, 1:3000]; C[1, 1] = 1;
for dim = 1:2
  same(sum(sort(C, dim)), sum(C), "sorts along a dimension");
  c = cummax(C, dim);
  same(max(c), max(C), "running maxima");
end
same(cumsum(C, 1)[70, 3000], sum(C[:, 3000]), "running sums of columns");
same(cumsum(C, 2)[70, 3000], sum(C[70, :]), "running sums of rows");
F = eye(20) + 0; F[2, 1] = 3;
q, u = qr(F); g, d, h = svd(F); l, e, p = lu(F);
same(round(sum(q*u)), 23, "qr");
same(round(sum(g*(d .* h'))), 23, "svd");
same(round(sum(l*e)), 23, "lu");
print("sanitize: ok");
