# What a block has replaced cannot be made up where its values count.
x = i32([3, 1, 9, 4, 5, 7]);
x[1] = unique(x)[2];
:tune 2                  # error: find depends on numbers that are no longer there
# ---
x = [3, 1, 9, 4];
begin y = x[x > 2]; x = 1; end
:tune 2                  # error: find depends on numbers that are no longer there
# ---
A = [4, 1; 1, 3]; A = chol(A);
:tune                    # error: chol depends on numbers that are no longer there
