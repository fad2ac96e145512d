# elem_many.fs - functions of as many arguments as there may be, by element and by
# instance, in every pattern of what varies; exact.
#   fusible --target cuda tests/gpu/elem_many.fs
:elem ../../examples/elem/bilinear.elem
:elem ../elem/eight.elem
:elem ../elem/eight_scalars.elem
:elem ../elem/strain.elem
function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end
n = 1537;
a = mod(f32(1:n), 2); b = mod(f32(1:n), 3) - 1; c = mod(f32(1:n), 5);
d = f32(n:-1:1); e = a + 1; f = mod(d, 4); g = 2 - b; h = mod(d, 7);
want = a + 2*b + 4*c + 8*d + 16*e + 32*f + 64*g + 128*h;
same(eight(a, b, c, d, e, f, g, h), want, "eight that vary");
same(eight(a, a, a, a, a, a, a, a), 255*a, "one array eight times");
same(eight(1, b, 2, d, 3, f, 4, h), 2*b + 8*d + 32*f + 128*h + 313, "four that vary");
same(eight(1, 2, 3, 4, 5, 6, 7, h), 128*h + 769, "one that varies");
same(eight(a, 1, 1, 1, 1, 1, 1, 1), a + 254, "the first varies");
same(eight(1, 0, 1, 0, 1, 0, 1, 0), 85, "none varies");
same(eight(f16(a), f16(b), 0, 0, 0, 0, 0, f16(e)), f16(a + 2*b + 128*e), "f16");
same(eight(i32(a), i32(b), i32(c), i32(d), i32(e), i32(f), i32(g), i32(h)), i32(want), "i32");
same(eight(f64(a), b, c, d, e, f, g, h), f64(want), "f64");
same(eight(h, g, f, e, d, c, b, a) + eight(a, b, c, d, e, f, g, h),
     129*(a + h) + 66*(b + g) + 36*(c + f) + 24*(d + e), "two calls in a kernel");
# Rows, columns, numbers and a matrix: a call inside a row kernel, and slices of it.
m = 45; k = 67;
X = mod(f32(reshape(1:m, m, 1)) * f32(reshape(1:k, 1, k)), 9) - 4;
r = f32(reshape(1:m, m, 1)); q = f32(reshape(1:k, 1, k));
Y = eight(X, r, q, 1, X + 1, r, 2, q);
same(Y, X + 2*r + 4*q + 8 + 16*(X + 1) + 32*r + 128 + 128*q, "rows and columns");
same(sum(eight(X, r, q, 1, X, r, 2, q), 2), sum(17*X, 2) + k*(34*r + 136) + 132*sum(q), "in a row kernel");
same(sum(eight(X, r, q, 1, X, r, 2, q), 1), sum(17*X, 1) + 34*sum(r) + m*(136 + 132*q), "over columns");
same(eight(X, r, q, 1, X + 1, r, 2, q)[3:7, 2:2:20], Y[3:7, 2:2:20], "sliced");
same(poly7(a, 1, 2, 4, b, 8, 16, 32), n + sum(2*a + 4*a.^2 + 8*b + 16*b.^2 + 32*b.^3), "a reduction");
same(bilinear(0, 4, 8, 12, a, 0.25), 2 + 4*a, "between corners");
# Computed again wherever it is read: 4 MB of it would have to be stored.
big = eight(f32(1:1100000), 1, 0, 0, 0, 0, 0, 1);
same(sum(big[1:10]), 55 + 1300, "not stored");
same(big[1100000], 1100130, "not stored, the last");

# By instance.
N = 1003;
A = mod(f32(reshape(1:(N*9), N, 3, 3)), 13) - 6;
B = mod(f32(reshape(1:(N*9), N, 3, 3)), 7) - 3;
u = mod(f32(reshape(1:(N*3), N, 3)), 5) - 2; v = mod(u + 3, 4); w = u - v;
kk = mod(f32(1:N), 3);
function product(M, x)
  return sum(M .* reshape(x, size(x, 1), 1, 3), 3)
end
want = 2*(product(A, u) + product(B, v)) + 4*kk .* w;
same(strain(A, B, u, v, w, kk, 2, 4), want, "by instance");
same(strain(A, A, u, u, u, 1, 1, 0), 2*product(A, u), "one array for two");
same(strain(A + B, B, u, v .* 2, w, kk + 1, 1, 1) + u,
     product(A, u) + product(B, u) + 2*product(B, v) + (kk + 1) .* w + u, "maps around");
E1 = A[5, :, :]; e1 = reshape(u[5, :], 3);
same(reshape(strain(E1, B, e1, v, e1, kk, 1, 1)[9, :], 3),
     reshape(strain(E1, B[9, :, :], e1, v[9, :], e1, kk[9], 1, 1), 3), "some for all");
same(strain(f16(A), f16(B), f16(u), f16(v), f16(w), f16(kk), 1, 1), f16(strain(A, B, u, v, w, kk, 1, 1)), "f16 by instance");
print("elem: all exact")
