# elem_moves.fs - loads and stores of the user's own, exact: other forms on chip, other
# numbers of threads, scratch between them, maps around them, all implementations.
#   fusible --target cuda tests/gpu/elem_moves.fs
:elem ../../examples/elem/quadratic.elem
:elem ../elem/packed.elem
:elem ../elem/moves.elem
:elem ../elem/wide.elem
:elem ../elem/halves.elem
function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end
function product(M, x)
  return sum(M .* reshape(x, size(x, 1), 1, 3), 3)
end
N = 203;
L = mod(f32(reshape(1:(N*9), N, 3, 3)), 13) - 6;
S = zeros(N, 3, 3);
for y = 1:3
  for x = 1:3
    S[:, y, x] = L[:, max(y, x), min(y, x)];
  end
end
u = mod(f32(reshape(1:(N*3), N, 3)), 5) - 2;
want = product(S, u);
same(symv(L, u), want, "as the plan has it");
:elem symv impl 1
same(symv(L, u), want, "no load of its own");
:elem symv impl 2
same(symv(L, u), want, "rows apart");
same(symv(f64(L), u), f64(want), "rows apart in f64");
:elem symv impl 3
same(symv(L, u), want, "the triangle");
same(symv(f16(L), f16(u)), f16(want), "f16");
same(2*symv(L + L, u .* 3) - 1, 12*want - 1, "maps before and after");
same(symv(L[3:2:99, :, :], u[3:2:99, :]), want[3:2:99, :], "strided");
same(symv(L[7, :, :], u), product(S[7, :, :] + zeros(N, 3, 3), u), "one matrix for all");
E = L + 1; F = symv(E, u); G = F + u;
same(F, product(S + 1, u), "the operand is stored too");
same(E, L + 1, "what is stored of it");
same(G, F + u, "the result twice");
H = zeros(N + 7, 3); H[5:(N + 4), :] = symv(L, u);
same(H[5:(N + 4), :], want, "into a part");
same(symv(reshape(L, 7, 29, 3, 3), reshape(u, 7, 29, 3)), reshape(want, 7, 29, 3), "stack of stacks");
same(symv(L, symv(L, u)), product(S, want), "one after the other");

A = mod(f32(reshape(1:(N*10), N, 5, 2)), 9) - 4; s = f32(1:N);
R = reversed(A, s);
same(R[:, 1, 1], 2*A[:, 5, 2] + s, "reversed, first");
same(R[:, 4, 2], 2*A[:, 2, 1] + s, "reversed");
same(reversed(i32(A), i32(s)), i32(R), "reversed in i32");
same(reversed(A .* 2, 0) + 1, 2*reversed(A, 0) + 1, "reversed, maps");
X = mod(f32(reshape(1:(N*256), N, 16, 16)), 17) - 8; Y = mod(X + 3, 5);
Z = wide(X, Y);
same(Z[:, 3, 11], X[:, 11, 3] + Y[:, 3, 11], "two warps");
same(Z[:, 16, 1], X[:, 1, 16] + Y[:, 16, 1], "two warps, corner");
v = mod(f32(reshape(1:(N*8), N, 8)), 7);
same(halves(v), sum(v), "partial results on chip");
Q = mod(f32(reshape(1:(N*16), N, 4, 4)), 11) - 5; w = mod(f32(reshape(1:(N*4), N, 4)), 3) - 1;
q = zeros(N);
for a = 1:4
  for b = 1:4
    q = q + Q[:, max(a, b), min(a, b)] .* w[:, a] .* w[:, b];
  end
end
same(quadratic(Q, w), q, "quadratic forms");
same(quadratic(Q + 1, w) .* 2, 2*(q + sum(w, 2).^2), "quadratic forms, maps");
print("elem: all exact")
