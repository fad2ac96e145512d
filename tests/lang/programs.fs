# Loops of other languages' manuals, translated in spelling only: each is lifted, or it is an error.
# Quasar: the parallel loop, and a reduction of two names.
x = f32(reshape(1:12, 3, 4)); y = 2*x; z = zeros(3, 4);
forall m = 1:size(z, 1), n = 1:size(z, 2); z[m, n] = x[m, n] + y[m, n]; end
print(all(z == 3*x))                               # expect: true
a = 0; b = 0;
forall m = 1:size(x, 1), n = 1:size(x, 2)
  a += x[m, n]; b += x[m, n].^2;
end
print(a, " ", b)                                   # expect: 78 650
# draw_outlines of overlay_labels: neighbours at the border are clamped.
L = i32([1, 1, 2; 1, 3, 2; 3, 3, 2]); out = zeros(3, 3, 3);
forall r = 1:3, c = 1:3
  if L[r, c] == L[r, max(c - 1, 1)] && L[r, c] == L[max(r - 1, 1), c]
    # an inner pixel
    out[r, c, 1] = 0;
  else
    out[r, c, 1] = 1; out[r, c, 2] = 1; out[r, c, 3] = 1;
  end
end
print(out[:, :, 1])                                # expect: f32[3×3]
                                                   # expect:   0  0  1
                                                   # expect:   0  1  1
                                                   # expect:   1  0  1
# joint_box_filter_hor: the border is a mirror.
g = f32([1, 2, 3, 4, 5; 2, 3, 4, 5, 7]); w = g + 1; n = 5; R = 1;
tg = zeros(2, 5); tx = zeros(2, 5); tgx = zeros(2, 5); tgg = zeros(2, 5);
forall p = 1:2, q = 1:5
  sg = 0; sx = 0; sgx = 0; sgg = 0;
  for i = -R:R
    t_g = g[p, q + i; mirror]; t_x = w[p, q + i; mirror];
    sg = sg + t_g; sx = sx + t_x; sgx = sgx + t_g*t_x; sgg = sgg + t_g*t_g;
  end
  tg[p, q] = sg; tx[p, q] = sx; tgx[p, q] = sgx; tgg[p, q] = sgg;
end
print(tg[1, :], tgg[2, :], all(tx == tg + 3), all(tgx == tgg + tg))   # expect: f32[1×5]
                                                   # expect:    4   6   9  12  14
                                                   # expect: f32[1×5]
                                                   # expect:    17   29   50   90  123
                                                   # expect: true true
# conv: a box along rows; and a histogram.
im = f32(reshape(1:20, 2, 10)); K = 2; o = zeros(2, 10);
forall m = 1:2, c = K+1:10-K
  s = 0;
  for d = -K:K; s += im[m, c + d]; end
  o[m, c] = s/(2*K + 1);
end
print(o[2, 1:5])                                   # expect: f32[1×5]
                                                   # expect:    0   0  13  14  15
h = zeros(4, "i32"); v = i32([1, 2, 2, 3, 4, 1]);
forall i = 1:6; h[v[i]] += 1; end
print(h')                                          # expect: i32[1×4]
                                                   # expect:   2  2  1  1
# Barracuda: moving average, forward difference, Jacobi, RMSE from a start value.
t = f32(1:8).^2; ma = zeros(8); fd = zeros(7);
forall i = 2:7; ma[i] = (t[i-1] + t[i] + t[i+1])*0.25; end
forall i = 1:7; fd[i] = t[i+1] - t[i]; end
print(fd', " ", ma[2])                             # expect: f32[1×7]
                                                   # expect:    3   5   7   9  11  13  15 3.5
u = zeros(4, 4); u[1, :] = 16; v2 = u;
for it = 1:3
  forall i = 2:3, j = 2:3; v2[i, j] = (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1])/4; end
  u = v2;
end
print(u[2, 2], " ", u[3, 3])                       # expect: 5.5 1.5
s = 4; forall i = 1:8; s += (t[i] - fd[1])^2; end
print(s)                                           # expect: 7624
