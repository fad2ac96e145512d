/* The upper R with R'*R = A of a symmetric FS_N x FS_N matrix whose elements are FS_A(y, x), to
 * FS_X(y, x, value). FS_FAIL(k) says that the leading k x k part is not positive definite, of 255
 * that elements which lie opposite each other are more than FS_NEAR of the largest apart. */
  FS_TYPE a[FS_N][FS_N], most = 0, apart = 0;
  int fails = 0;
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = 0; x < FS_N; x++) {
      a[y][x] = FS_A(y, x);
      most = fabs(a[y][x]) > most ? (FS_TYPE)fabs(a[y][x]) : most;
    }
  }
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = y + 1; x < FS_N; x++) {
      FS_TYPE differ = fabs(a[y][x] - a[x][y]);
      apart = differ > apart ? differ : apart;
    }
  }
  FS_UNROLL
  for (int x = 0; x < FS_N; x++) {
    FS_UNROLL
    for (int y = 0; y <= x; y++) {
      FS_UNROLL
      for (int c = 0; c < y; c++) a[y][x] -= a[c][y] * a[c][x];
      if (y == x) {
        fails = fails == 0 && !(a[y][x] > 0) ? x + 1 : fails;
        a[y][x] = sqrt(a[y][x]);
      } else {
        a[y][x] /= a[y][y];
      }
    }
  }
  fails = apart > FS_NEAR * most ? 255 : fails;
  if (fails) FS_FAIL(fails);
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = 0; x < FS_N; x++) FS_X(y, x, x < y ? 0 : a[y][x]);
  }
