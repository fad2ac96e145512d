# Several results go to places: all are known before one is put anywhere.
a = [1, 2, 3];
a[1], a[3] = a[3], a[1]
# expect: a = f32[3]
# expect:   3  2  1
m = zeros(2); m[1], m[2] = max([3, 9, 2]);
print(m')                       # expect: f32[1×2]
                                # expect:   9  2
A = zeros(2, 3);
A[1, :], p = sort([3, 1, 2])
# expect: A = f32[2×3]
# expect:   1  2  3
# expect:   0  0  0
# expect: p = i64[3]
# expect:   2  3  1
s = {v = 1};
s.v, s.w, _ = 7, "x", 9
# expect: s = {v = 7, w = "x"}
l = {1, {2, 3}};
l[2][1], l[1], b = {4}, 5, 6;
print(l, " ", b)                # expect: {5, {{4}, 3}} 6
# In a function, in loops, where rounds read what others put, and by masks.
function bubble(x)
  for i = length(x):-1:2
    for j = 1:i-1
      if x[j] > x[j+1]
        x[j], x[j+1] = x[j+1], x[j];
      end
    end
  end
  return x
end
print(bubble([4, 2, 5, 1, 3])') # expect: f32[1×5]
                                # expect:   1  2  3  4  5
x = f32(1:6); y = x;
for k = 1:3; x[k], y[7-k] = y[7-k], x[k]; end
print(x', " ", y')              # expect: f32[1×6]
                                # expect:   6  5  4  4  5  6 f32[1×6]
                                # expect:   1  2  3  3  2  1
begin x[x > 4], y = 0, x; end;
print(sum(x), " ", sum(y))      # expect: 8 30
# A mistake in one leaves no trace of how values wait.
try
  a[1], a[9] = 5, 6;
catch e
  print(e, " ", a[1])           # expect: index 9 is out of range: dimension 1 has extent 3 5
end
# ---
f(x), b = 1, 2                  # error: this cannot be assigned to
# ---
a = [1, 2]; a[1], a[2] = 1      # error: one value cannot be assigned to 2 names
# ---
a = [1, 2]; a[1; clamped], b = 1, 2   # error: only what is read has a border
# ---
a = [1]; a[1], 3 = 1, 2         # error: expected names and `=`
