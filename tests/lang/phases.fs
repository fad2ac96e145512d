# A launch of several phases, of which one has fewer rows than another has blocks: the blocks
# without a row read none.
m = 5; n = 2000; A = mod(reshape(f32(1:m*n), m, n), 7) - 3; p = mod(f32(1:n), 5) - 2;
print(sum(A), sum(p))  # expect: -2 0
q = [A, A]*[p; p];
print(q[1], q[2], q[3], q[4], q[5])  # expect: 0 -14 0 0 0
