/* The product of FS_A(y, x), FS_N x FS_INNER, and FS_B(y, x) of FS_K columns, to FS_X(y, x, value). */
  FS_UNROLL
  for (int y = 0; y < FS_N; y++) {
    FS_UNROLL
    for (int x = 0; x < FS_K; x++) {
      FS_TYPE sum = FS_A(y, 0) * FS_B(0, x);
      FS_UNROLL
      for (int c = 1; c < FS_INNER; c++) sum += FS_A(y, c) * FS_B(c, x);
      FS_X(y, x, sum);
    }
  }
