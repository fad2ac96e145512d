# elem_shapes.fs - operands of functions over small elements in all their shapes:
# one for all, one number for all, stacks of stacks, slices, half types; exact.
#   fusible --target cuda tests/gpu/elem_shapes.fs
:elem ../../examples/elem/inv3.elem
:elem ../elem/shift3.elem
:elem ../elem/squared.elem
:elem ../elem/affine3.elem
function same(a, b, what)
  if max(abs(a - b)) > 0
    error("wrong: " + what);
  end
end
A = mod(f32(reshape(1:(40*9), 40, 3, 3)), 13) - 6;
S = shift3(A, 5);
same(S[:, 1, 1], A[:, 1, 1] + 5, "number for each");
same(S[:, 1, 2], A[:, 1, 2], "beside");
H = shift3(f16(A), f16(2));
same(H, f16(shift3(A, 2)), "f16");
one = shift3(A[7, :, :], 3);
same(one[1, :, :], shift3(A, 3)[7, :, :], "one");
single = reshape(A[7, :, :], 3, 3);
same(shift3(single, 1)[2, 2], A[7, 2, 2] + 1, "a matrix");
q = reshape(A, 8, 5, 3, 3);
same(reshape(shift3(q, 1), 40, 3, 3), shift3(A, 1), "stack of stacks");
same(shift3(A[3:2:31, :, :], 1), shift3(A, 1)[3:2:31, :, :], "strided");
I = i32(A);
same(squared(I[:, 1, :]), sum(I[:, 1, :] .* I[:, 1, :], 3), "i32 squares");
z = zeros(60, 3, 3); z[11:50, :, :] = shift3(A, 2);
same(z[11:50, :, :], shift3(A, 2), "into a part");
v = f32(reshape(1:120, 40, 3));
y = affine3(A, v, 1); w = affine3(A[1, :, :], v, 2);
same(y[1, :], w[1, :]/2, "one of a stack for all");
B = A + 1; C = shift3(B, 1); D = C + B;
same(D, 2*A + 2 + shift3(zeros(40,3,3), 1), "the operand is kept too");
same(B, A + 1, "operand stored");
E = shift3(shift3(A, 1) .* 2, 1);
same(E[:, 1, 1], 2*A[:, 1, 1] + 3, "two routines");
r = sum(shift3(A .* rand(40, 3, 3), 1));
same(squared(ones(4, 3)), 3*ones(4), "a fill");
same(shift3(zeros(4, 3, 3), f32(1:4))[:, 3, 3], f32(1:4), "fill and numbers");
M = shift3(A, 1) > 0;
same(sum(f32(M)), sum(f32(shift3(A, 1) > 0)), "mask behind");
print("elem: all exact")
