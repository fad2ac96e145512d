# Elementwise operations repeat extents of 1.
A = [1, 2, 3; 4, 5, 6];
c = [10; 20];
r = [100, 200, 300]';
A + c                         # expect: f32[2×3]
                              # expect:   11  12  13
                              # expect:   24  25  26
A + r                         # expect: f32[2×3]
                              # expect:   101  202  303
                              # expect:   104  205  306
c + r                         # expect: f32[2×3]
                              # expect:   110  210  310
                              # expect:   120  220  320
print(sum(A .* 2 - 2 .* A))   # expect: 0
s = sum(c);
A + s                         # expect: f32[2×3]
                              # expect:   31  32  33
                              # expect:   34  35  36
A ./ sum(A, 2)                # expect: f32[2×3]
                              # expect:   0.166667  0.333333  0.500000
                              # expect:   0.266667  0.333333  0.400000
A - mean(A, 1)                # expect: f32[2×3]
                              # expect:   -1.5  -1.5  -1.5
                              # expect:    1.5   1.5   1.5
where(A > 3, A, 0)            # expect: f32[2×3]
                              # expect:   0  0  0
                              # expect:   4  5  6
clamp(A, 2, 5)                # expect: f32[2×3]
                              # expect:   2  2  3
                              # expect:   4  5  5
print(sum(zeros(3, 4) + ones(3)))     # expect: 12
print(sum(ones(3, 4) + ones(4)'))     # expect: 24
