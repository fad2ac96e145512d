# elem.fs - functions of the user on either target, with exact results: small
# integers, and matrices whose determinant is a power of two.
#   fusible --target cuda tests/gpu/elem.fs
:elem ../../examples/elem/leaky.elem
:elem ../../examples/elem/inv3.elem
:elem ../../examples/elem/inv3_serial.elem
:elem ../elem/squared.elem
:elem ../elem/affine3.elem
:elem ../elem/shift3.elem
:elem ../elem/prefix64.elem
:elem ../elem/distance.elem
:elem ../elem/steps.elem

function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end

# By element, fused with a reduction over rows.
m = 67; n = 45;
X = mod(f32(reshape(1:m, m, 1)) * f32(reshape(1:n, 1, n)), 9) - 4;
P = max(X, 0); N = min(X, 0);
q = sum(leaky(X, 0.5) .* 2, 2);
same(q, sum(2*P + N, 2), "leaky in rows");
same(distance(X, P), sum(abs(N)), "distance");
same(leaky(f64(X), 0.25), f64(P) + f64(N)/4, "leaky in f64");
same(leaky(f16(X), 0.25), f16(P + N/4), "leaky in f16");
same(steps(X), X/2, "steps");
:elem steps impl 2
same(steps(X), X/2 + 100, "the second routine");

# By instance. A has the determinants 1, 2, 4 and 8 in turn.
k = 1003;
i = reshape(1:k, k, 1, 1);
two = 2 .^ mod(f32(1:k), 4);
A = zeros(k, 3, 3);
A[:, 1, 1] = two; A[:, 2, 2] = 1; A[:, 3, 3] = 1;
A[:, 1, 2] = mod(f32(1:k), 5) - 2; A[:, 2, 3] = mod(f32(1:k), 3) - 1;
B = inv3(A);
same(B[:, 1, 1], 1 ./ two, "inverse, 1 1");
same(B[:, 1, 2], -A[:, 1, 2] ./ two, "inverse, 1 2");
same(B[:, 2, 3], -A[:, 2, 3], "inverse, 2 3");
same(B[:, 3, 1], zeros(k), "inverse, 3 1");
same(inv3_serial(A), B, "one thread as four");
same(inv3(f64(A)), f64(B), "inverse in f64");
C = 2*inv3(A + A) .* A - 1;
same(C, B .* A - 1, "maps before and after");
same(inv3(reshape(A, k, 9)), B, "N x 9");

v = zeros(k, 3); v[:, 1] = f32(1:k); v[:, 2] = 2; v[:, 3] = mod(f32(1:k), 7);
same(squared(v), v[:, 1].^2 + 4 + v[:, 3].^2, "squared length");
y = affine3(A, v, 2);
same(y[:, 3], 2*v[:, 3], "affine, 3");
same(y[:, 1], 2*(two .* v[:, 1] + A[:, 1, 2]*1 .* v[:, 2]), "affine, 1");
e = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], 3, 3);
same(affine3(e, v, 3), 3*v, "one matrix for all");
S = shift3(A, f32(1:k));
same(S[:, 2, 2], 1 + f32(1:k), "shifted diagonal");
same(S[:, 1, 2], A[:, 1, 2], "beside the diagonal");

W = mod(f32(reshape(1:(k*64), k, 64)), 11) - 5;
R = prefix64(W);
same(R[:, 64], sum(W, 2), "running sums, last");
same(R[:, 2:64] - R[:, 1:63], W[:, 2:64], "running sums");
print("elem: all exact")
