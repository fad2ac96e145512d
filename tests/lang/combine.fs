# Elements put to those that a list names more than once: the bits of the loop, in its order.
x = [1, 2, 3]; x[[1, 1, 2]] += 1;
assert(all(x == [3, 3, 3]));
x[[1, 1, 3]] *= 2; x[[2, 2]] -= [1, 5]; x[[3, 3, 3]] /= 2;
assert(all(x == [12, -3, 0.75]));
A = zeros(3, 2); A[[1, 1, 3], :] += [1, 2; 3, 4; 5, 6]; A[:, [2, 2]] += [1, 10; 2, 20; 3, 30];
assert(all(A == [4, 17; 0, 22; 5, 39]));
A[2, [1, 1, 2]] += [1, 2, 3]'; A[[1, 1], 1] -= [1, 2];
assert(all(A == [1, 17; 3, 25; 5, 39]));
B = zeros(3, 3); B[[1, 1], [2, 2]] += 1; B[[1, 3], [2, 2]] += [1, 2; 3, 4];
assert(all(B == [0, 7, 0; 0, 0, 0; 0, 7, 0]));
C = zeros(2, 3); C[[1, 6, 6]] += [1, 2, 3];
assert(all(C == [1, 0, 0; 0, 0, 5]));
h = f16(zeros(3)); h[[2, 2, 2]] += f16([2048, 1, 1]);  # each sum is rounded
assert(h[2] == 2048);
one = zeros(1); one[[1, 1]] += [2, 3];
assert(one[1] == 5);
m = i32([2147483647, 0]); m[[1, 1, 2]] += 1;
assert(all(m == i32([-2147483647, 1])));

n = 500; k = i32(floor(rand(n)*7)) + 1; v = randn(n); w = rand(n) + 0.5; some = rand(n) > 0.5;
function rounds(k, v, w, some, a)
  n = numel(k); h = a; g = a + 1; d = f64(a); e = a; u = a; o = a;
  q = i64(zeros(7)); r = i32(a);
  for i = 1:n; h[k[i]] += v[i]; end
  for i = 1:n; g[k[i]] *= w[i]; end
  for i = 1:n; if some[i]; q[k[i]] += 3; end; end
  for i = n:-1:1; d[k[i]] -= v[i]; end
  for i = 1:n; if v[i] > 0; e[k[i]] = e[k[i]] + v[i]*v[i]; end; end
  for i = 1:n; u[k[i]] = max(u[k[i]], v[i]); o[k[i]] = min(v[i], o[k[i]]); end
  for i = 1:n; r[k[i]] = r[k[i]]*3; end
  return [f64(h); f64(g); d; f64(e); f64(u); f64(o); f64(q); f64(r)];
end
at_once = rounds(k, v, w, some, f32(1:7));
halves = rounds(k, f16(v), f16(w), some, f16(1:7));
:set loops off
assert(all(at_once == rounds(k, v, w, some, f32(1:7))));
assert(all(halves == rounds(k, f16(v), f16(w), some, f16(1:7))));
:set loops on
y = f32(1:7); y[k] += v;
z = f32(1:7);
for i = 1:n; z[k[i]] += v[i]; end
assert(all(y == z));
