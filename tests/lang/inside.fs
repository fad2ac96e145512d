# Updates of the inside of arrays: what is stored begins anywhere in a row, behind whole
# vectors or not, and rows are shorter and longer than what a warp has.
function inside(U, r)
  V = f64(U); n = size(U, 1); m = size(U, 2);
  y = reshape(U, n*m, 1);
  for k = 1:r
    U[2:end-1, 2:end-1] = mod(U[1:end-2, 2:end-1] + U[3:end, 2:end-1] + U[2:end-1, 1:end-2] + U[2:end-1, 3:end], 17);
    U[3:end-1, 3:end-2] = mod(U[3:end-1, 3:end-2] + U[2:end-2, 2:end-3] + k, 19);
    U[2:end, 3:end] = mod(U[2:end, 3:end] + U[1:end-1, 1:end-2], 23);
    y[2:end-1] = mod(y[1:end-2] + 2*y[3:end], 13);
    y[4:end] = mod(y[4:end] + y[1:end-3], 11);
  end
  y = f64(y); U = f64(U);
  print(sum(U), " ", sum(U .* V), " ", U[end, end], " ", U[n-1, m-1], " ", sum(y), " ", sum(y .* (1:n*m)))
end
for m = [6, 131, 1030]
  W = mod(reshape(1:40*m, 40, m), 17);
  inside(f32(W), 3); inside(f64(W), 3);
end
# expect: 2349 20878 17 4 996 120036
# expect: 2349 20878 17 4 996 120036
# expect: 61310 493232 5 10 21875 57314093
# expect: 61310 493232 5 10 21875 57314093
# expect: 432821 3401523 16 20 172075 3545047945
# expect: 432821 3401523 16 20 172075 3545047945
# Of three dimensions: a warp has the vectors of several rows.
function inside3(U, r)
  l = size(U, 1); n = size(U, 2); m = size(U, 3); V = reshape(mod(1:l*n*m, 29), l, n, m);
  for k = 1:r
    U[2:end-1, 2:end-1, 2:end-1] = mod(U[1:end-2, 2:end-1, 2:end-1] + U[3:end, 2:end-1, 2:end-1] + U[2:end-1, 1:end-2, 2:end-1] + U[2:end-1, 3:end, 2:end-1] + U[2:end-1, 2:end-1, 1:end-2] + U[2:end-1, 2:end-1, 3:end], 17);
    for at = 2:4
      U[2:end, :, at:end-1] = mod(U[2:end, :, at:end-1] + U[1:end-1, :, at-1:end-2] + k, 19);
      U[:, 2:end-1, at:end-3] = mod(U[:, 2:end-1, at:end-3] + at, 23);
    end
  end
  print(sum(f64(U)), " ", sum(f64(U) .* V), " ", U[l, n, m], " ", U[l-1, n-1, m-1])
end
for m = [8, 12, 44, 45, 132, 260]
  W = mod(reshape(1:4*7*m, 4, 7, m), 17);
  inside3(f32(W), 2); inside3(f64(W), 2);
end
# expect: 2285 31142 3 12
# expect: 2285 31142 3 12
# expect: 3435 48137 13 5
# expect: 3435 48137 13 5
# expect: 13584 191091 8 3
# expect: 13584 191091 8 3
# expect: 13135 185254 2 11
# expect: 13135 185254 2 11
# expect: 40350 564410 7 1
# expect: 40350 564410 7 1
# expect: 81603 1143851 4 16
# expect: 81603 1143851 4 16
