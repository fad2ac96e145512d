# Sums of products by letters; tests/test_arrays.py has more, beside NumPy.
A = [1, 2; 3, 4];
T = reshape(1:8, 2, 2, 2);
einsum("ij,jk->ik", A, A)                     # expect: f32[2×2]
                                              # expect:    7  10
                                              # expect:   15  22
einsum("ij,jk", A, A)                         # expect: f32[2×2]
                                              # expect:    7  10
                                              # expect:   15  22
einsum("ij,ij->i", A, A)                      # expect: f32[2]
                                              # expect:    5  25
einsum("bij,bj->bi", T, A)                    # expect: f32[2×2]
                                              # expect:    5  11
                                              # expect:   39  53
einsum("bij,jk->bik", T, [1; 1])              # expect: f32[2×2×1]
                                              # expect: [1, :, :]
                                              # expect:    3
                                              # expect:    7
                                              # expect: [2, :, :]
                                              # expect:   11
                                              # expect:   15
einsum("ii->", A)                             # expect: 5
einsum("ii->i", A)                            # expect: f32[2]
                                              # expect:   1  4
einsum("ba", A)                               # expect: f32[2×2]
                                              # expect:   1  3
                                              # expect:   2  4
einsum("i,j->ij", [1, 2], [1, 10])            # expect: f32[2×2]
                                              # expect:    1  10
                                              # expect:    2  20
einsum("i,i", [1, 2, 3], 1:3)                 # expect: 14
einsum("i,->i", [1, 2], 3)                    # expect: f32[2]
                                              # expect:   3  6
dtype(einsum("ij,jk->ik", i32(A), i32(A)))    # expect: "i64"
# Multiplied from the right: no product of two matrices.
B = ones(300, 300); x = ones(300);
sum(einsum("ij,jk,k->i", B, B, x))            # expect: 27000000
# ---
einsum("ij,jk", [1, 2; 3, 4], ones(3, 2))     # error: shapes do not fit: j is 2 before, and 3 in ones(3, 2), which is 3x2
# ---
einsum("ij->ik", [1, 2; 3, 4])                # error: a letter behind the arrow does not stand before it
# ---
einsum("i.j", [1, 2; 3, 4])                   # error: letters, commas and an arrow say which elements are multiplied
