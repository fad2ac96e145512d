# A list of indices that was looked at once is known to be good: until it is another one.
x = (1:40) + 0.0; i = mod(7*(1:32), 31) + 1; i = i[1:32];
p = i + 0*i; s = 0;
print(sum(x[p]))        # expect: 504
for k = 1:6
  s = s + sum(x[p]) + sum(x[p[k:k+3]]);
end
print(s)                # expect: 3423
for k = 1:6
  if k == 5
    p = p + 20;
  end
  s = s + sum(x[p]);    # error: index 42 (number 3 of the list) is out of range: there are 40 elements
end
# ---
# ... and where one element of it is written in place, or the array is shorter.
x = (1:40) + 0.0; s = 0; p = 41 - (1:40)
# expect-re: .*
# expect-re: .*
print(sum(x[p]))        # expect: 820
for k = 1:6
  s = s + sum(x[p]);
end
print(s)                # expect: 4920
p[7] = 41;
print(p[7])             # expect: 41
print(sum(x[p]))        # error: index 41 (number 7 of the list) is out of range
# ---
x = (1:40) + 0.0; p = 41 - (1:40)
# expect-re: .*
# expect-re: .*
y = x[p]; z = x[1:39];
print(sum(x[p[1:20]]))  # expect: 610
print(sum(z[p]))        # error: index 40 (number 1 of the list) is out of range: there are 39 elements
# ---
# The same list of statements, again and again, and once with another list.
x = (1:40) + 0.0; s = 0; p = 41 - (1:40)
# expect-re: .*
# expect-re: .*
q = p + 1;
print(max(q))           # expect: 41
for r = 1:2
  for k = 1:8
    s = sum(x[p]);
  end                   # error: index 41 (number 1 of the list) is out of range
  p = q;
end
# ---
# Assignments by a list look at it, too.
x = (1:40) + 0.0; p = 41 - (1:40)
# expect-re: .*
# expect-re: .*
x[p] = (1:40) + 0.5;
print(x[1] + x[40])     # expect: 42
for k = 1:5
  x[p] = x + k;
end
print(sum(x))           # expect: 1440
y = x[1:30];
y[p] = 1;               # error: index 40 (number 1 of the list) is out of range
# ---
# One element is an array as others are.
x = f32([7]);
print(x[[1, 1, 1]]')    # expect: f32[1×3]
                        # expect:   7  7  7
z = x[[1, 2, 1]];       # error: index 2 (number 2 of the list) is out of range: there is 1 element
# ---
print(ones(1, 1)[[3, 2], [1, 1]])  # error: index 3 (number 1 of the list) is out of range: there is 1 row
# ---
y = [3]; y[[0.5, 1]]    # error: an index must be a whole number, not 0.5
# ---
# A quotient of ranges is in range, or not.
x = (1:6) + 0.0; i = i64(0:11);
print(x[i64(floor(i/2)) + 1]')
# expect: f64[1×12]
# expect:   1  1  2  2  3  3  4  4  5  5  6  6
print(x[i64(floor(i/3)) + 3]')
# expect: f64[1×12]
# expect:   3  3  3  4  4  4  5  5  5  6  6  6
print(x[i64(floor(i/2)) + 2]')  # error: index 7 (number 11 of the list) is out of range: there are 6 elements
# ---
x = (1:6) + 0.0; i = i64(0:11);
print(x[i64(ceil(i/(-2))) + 6]')
# expect: f64[1×12]
# expect:   6  6  5  5  4  4  3  3  2  2  1  1
print(x[i64(i/0)])              # error: is out of range
# ---
# A list or mask along one dimension, a number or a range along the other.
A = zeros(3, 4, "i32");
A[[3, 1], 2] = [7, 8];
A[2, [4, 1, 4]] = [1, 2, 3];
print(A[:]')             # expect: i32[1×12]
# expect:   0  8  0  0  2  0  0  3  0  7  0  0
A[[1, 3], 4:-2:2] += 10;
A[[true, false, true], 1] = -1;
A[3:-1:2, [3, 1]] = [1, 2; 3, 4];
print(A[:]')             # expect: i32[1×12]
# expect:   -1  18   0  10   4   0   3   3   2  17   1  10
A[[false, false, false], 2] = 5;
for j = 1:4
  A[[2, 3, 2], j] = [j, 10*j, 100*j];
end
print(A[:]')             # expect: i32[1×12]
# expect:    -1   18    0   10  100  200  300  400   10   20   30   40
# ---
# Lists or masks along both dimensions: where their rows cross their columns.
A = zeros(3, 4, "i32");
A[[3, 1], [2, 4]] = [1, 2; 3, 4];
A[[2, 2], [1, 3, 1]] = [1, 2, 3; 4, 5, 6];
A[[true, false, true], [true, false, false, false]] = 9;
print(A[:]')             # expect: i32[1×12]
# expect:   9  3  0  4  6  0  5  0  9  1  0  2
A[[true, false, true], [4, 1]] = [10, 20; 20, 40];
A[[1, 2], [false, true, true, false]] += 100;
print(A[:]')             # expect: i32[1×12]
# expect:    20  103  100   10    6  100  105    0   40    1    0   20
for k = 1:3
  A[[k, mod(k, 3) + 1], [1, 4]] = [k, -k; 10*k, -10*k];
end
print(A[:]')             # expect: i32[1×12]
# expect:    30  103  100  -30    2  100  105   -2    3    1    0   -3
