# elem_chain.fs - routines that follow on each other: what one gives the next stays on
# chip; exact, and the plans are as the document says.
#   fusible --target cuda tests/gpu/elem_chain.fs
:elem ../../examples/elem/inv3.elem
:elem ../../examples/elem/inv3_serial.elem
:elem ../elem/affine3.elem
:elem ../elem/shift3.elem
:elem ../elem/squared.elem
:elem ../elem/packed.elem
:elem ../elem/halves.elem
:elem ../elem/wide.elem
:elem ../elem/prefix64.elem
function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end
N = 203;
A = mod(f32(reshape(1:(N*9), N, 3, 3)), 13) - 6;
A[:, 2, 1] = 0; A[:, 3, 1] = 0; A[:, 3, 2] = 0;
A[:, 1, 1] = 1; A[:, 2, 2] = 2; A[:, 3, 3] = 4;
v = mod(f32(reshape(1:(N*3), N, 3)), 5) - 2;
B = inv3(A); w = affine3(B, v, 2); u = shift3(A, 1);
n = squared(v);
same(n + 0*(w[:, 1] + B[:, 1, 1] + u[:, 1, 1]), n, "what is compared with");

y = affine3(inv3(A), v, 2);
:assert plan kernels == 1
same(y, w, "handed on as it is");
y = affine3(2*inv3(A + A) .* A - A, v + 1, 3);
:assert plan kernels == 1
C = 2*inv3(A + A); D = C .* A - A;
same(y, affine3(D, v + 1, 3), "maps between");
begin
  P = inv3(A);
  Q = P + 1;
  y = affine3(P, v, 2);
  z = y + v;
end
:assert plan kernels == 1
same(P, B, "the first is stored"); same(Q, B + 1, "and what follows on it");
same(y, w, "the second is stored"); same(z, w + v, "and what follows on that");
y = shift3(inv3(A), 1) - inv3(A);
:assert plan kernels == 1
e = zeros(N, 3, 3); e[:, 1, 1] = 1; e[:, 2, 2] = 1; e[:, 3, 3] = 1;
same(y, e, "the first in what follows on the second");
same(inv3(inv3_serial(A)), inv3(B), "threads of other numbers");
same(shift3(A, squared(v)), A + reshape(n, N, 1, 1) .* e, "a number of each");
same(squared(affine3(inv3(A), affine3(A, v, 1), 2)), squared(affine3(B, affine3(A, v, 1), 2)), "three");
s1 = shift3(shift3(shift3(shift3(shift3(shift3(A, 1), 1), 1), 1), 1), 1);
same(s1, A + 6*e, "more than a kernel has");
same(affine3(f16(A), affine3(f16(A), f16(v), f16(1)), f16(1)), f16(affine3(f16(A), f16(affine3(f16(A), f16(v), f16(1))), f16(1))), "f16 is rounded between");
same(affine3(f64(B), affine3(A, v, 1), 2), f64(affine3(B, affine3(A, v, 1), 2)), "another type");
A1 = reshape(A[5, :, :], 3, 3); v1 = reshape(v[5, :], 3);
same(affine3(inv3(A1), v1, 2), reshape(w[5, :], 3), "a single one");
same(affine3(A1, v1, squared(v1)), affine3(A1, v1, n[5]), "a number for all");
same(affine3(inv3(A1), v, 2), affine3(B[5, :, :], v, 2), "one for all");
same(affine3(inv3(A)[3:2:99, :, :], v[3:2:99, :], 2), w[3:2:99, :], "sliced");
same(inv3(A) + shift3(A, 1), B + u, "side by side");
same(shift3(inv3(A), squared(affine3(A, v, 1)))[:, 1, 2], B[:, 1, 2], "two ways");

# A load of its own asks for what lies on chip; a store of its own ends the kernel.
S = symv(2*A, v); T = symv(2*shift3(A, 0), v);
same(S, T, "as the plan has it");
:elem symv impl 3
y = symv(shift3(A, 1) .* 2, v);
:assert plan kernels == 1
same(y, symv(2*u, v), "through a load");
y = affine3(A, symv(A, v), 1);
:assert plan kernels == 2
x = symv(A, v);
same(y, affine3(A, x, 1), "behind a store");
X = mod(f32(reshape(1:(N*256), N, 16, 16)), 17) - 8; Y = mod(X + 3, 5);
y = wide(wide(X, Y), Y); Z = wide(X, Y);
same(y, wide(Z, Y), "whole warps");
W = mod(f32(reshape(1:(N*64), N, 64)), 11) - 5;
y = prefix64(prefix64(W)); Z = prefix64(W);
same(y, prefix64(Z), "whole warps on chip");
print("elem: all exact")
