/* LU with row exchanges of an FS_N x FS_N matrix whose elements are FS_A(y, x): in registers of a
 * GPU's thread, since every place is known to the compiler. FS_K columns FS_B(y, x), of which there
 * is room for FS_ROOM, become the solution, which FS_X(y, x, value) takes; with FS_K of 0 that
 * takes the determinant. A NaN in the matrix is in all of the result. FS_FAIL(k) says that pivot k,
 * from 1, is 0. */
  FS_TYPE a[FS_N][FS_N], b[FS_N][FS_ROOM], nan = 0, product = 1;
  int zero = 0;
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = 0; x < FS_N; x++) {
      a[y][x] = FS_A(y, x);
      nan = a[y][x] != a[y][x] ? a[y][x] : nan;
    }
    FS_UNROLL
    for (int x = 0; x < FS_K; x++) b[y][x] = FS_B(y, x);
  }
  FS_UNROLL
  for (int c = 0; c < FS_N; c++) {
    FS_UNROLL
    for (int y = c + 1; y < FS_N; y++) { /* the largest comes to the top */
      int larger = fabs(a[y][c]) > fabs(a[c][c]);
      FS_UNROLL
      for (int x = c; x < FS_N; x++) {
        FS_TYPE top = a[c][x], other = a[y][x];
        a[c][x] = larger ? other : top;
        a[y][x] = larger ? top : other;
      }
      FS_UNROLL
      for (int x = 0; x < FS_K; x++) {
        FS_TYPE top = b[c][x], other = b[y][x];
        b[c][x] = larger ? other : top;
        b[y][x] = larger ? top : other;
      }
      product = larger ? -product : product;
    }
    zero = zero == 0 && a[c][c] == 0 ? c + 1 : zero;
    product *= a[c][c];
    FS_UNROLL
    for (int y = c + 1; y < FS_N; y++) {
      FS_TYPE factor = a[y][c] / a[c][c];
      FS_UNROLL
      for (int x = c + 1; x < FS_N; x++) a[y][x] -= factor * a[c][x];
      FS_UNROLL
      for (int x = 0; x < FS_K; x++) b[y][x] -= factor * b[c][x];
    }
  }
  product = zero ? 0 : product;
  if (FS_K == 0) FS_X(0, 0, nan != nan ? nan : product);
  if (FS_K > 0 && zero && nan == nan) FS_FAIL(zero);
  FS_UNROLL
  for (int y = FS_N - 1; y >= 0; y--) {
    FS_UNROLL
    for (int x = 0; x < FS_K; x++) {
      FS_UNROLL
      for (int c = y + 1; c < FS_N; c++) b[y][x] -= a[y][c] * b[c][x];
      b[y][x] /= a[y][y];
      FS_X(y, x, nan != nan ? nan : b[y][x]);
    }
  }
