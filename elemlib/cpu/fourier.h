/* fourier.h - the passes of fourier.c for one type, FS_T, whose names FS_OF() makes. */

/* A complex number. */
struct FS_OF(cx) { FS_T re, im; };

FS_INLINE struct FS_OF(cx) FS_OF(plus)(struct FS_OF(cx) a, struct FS_OF(cx) b) {
  return (struct FS_OF(cx)){a.re + b.re, a.im + b.im};
}
FS_INLINE struct FS_OF(cx) FS_OF(minus)(struct FS_OF(cx) a, struct FS_OF(cx) b) {
  return (struct FS_OF(cx)){a.re - b.re, a.im - b.im};
}
FS_INLINE struct FS_OF(cx) FS_OF(times)(struct FS_OF(cx) a, struct FS_OF(cx) b) {
  return (struct FS_OF(cx)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/* a + s*i*b */
FS_INLINE struct FS_OF(cx) FS_OF(turned)(struct FS_OF(cx) a, struct FS_OF(cx) b, FS_T s) {
  return (struct FS_OF(cx)){a.re - s * b.im, a.im + s * b.re};
}
FS_INLINE struct FS_OF(cx) FS_OF(mul_add)(struct FS_OF(cx) a, struct FS_OF(cx) b, FS_T s) {
  return (struct FS_OF(cx)){a.re + s * b.re, a.im + s * b.im};
}

/* The transform of 2, 3, 4 or 5 numbers. */
FS_INLINE void FS_OF(few)(int radix, const struct FS_OF(cx) *a, struct FS_OF(cx) *b) {
  if (radix == 2) {
    b[0] = FS_OF(plus)(a[0], a[1]);
    b[1] = FS_OF(minus)(a[0], a[1]);
  } else if (radix == 3) {
    const FS_T half = (FS_T)-0.5, s = (FS_T)0.86602540378443864676;
    struct FS_OF(cx) sum = FS_OF(plus)(a[1], a[2]), diff = FS_OF(minus)(a[1], a[2]);
    struct FS_OF(cx) mid = FS_OF(mul_add)(a[0], sum, half);
    b[0] = FS_OF(plus)(a[0], sum);
    b[1] = FS_OF(turned)(mid, diff, -s);
    b[2] = FS_OF(turned)(mid, diff, s);
  } else if (radix == 4) {
    struct FS_OF(cx) p = FS_OF(plus)(a[0], a[2]), m = FS_OF(minus)(a[0], a[2]);
    struct FS_OF(cx) q = FS_OF(plus)(a[1], a[3]), d = FS_OF(minus)(a[1], a[3]);
    b[0] = FS_OF(plus)(p, q);
    b[1] = (struct FS_OF(cx)){m.re + d.im, m.im - d.re};
    b[2] = FS_OF(minus)(p, q);
    b[3] = (struct FS_OF(cx)){m.re - d.im, m.im + d.re};
  } else {
    const FS_T c1 = (FS_T)0.30901699437494742410, c2 = (FS_T)-0.80901699437494742410;
    const FS_T s1 = (FS_T)0.95105651629515357212, s2 = (FS_T)0.58778525229247312917;
    struct FS_OF(cx) t1 = FS_OF(plus)(a[1], a[4]), t2 = FS_OF(plus)(a[2], a[3]);
    struct FS_OF(cx) d1 = FS_OF(minus)(a[1], a[4]), d2 = FS_OF(minus)(a[2], a[3]);
    struct FS_OF(cx) x = FS_OF(mul_add)(FS_OF(mul_add)(a[0], t1, c1), t2, c2);
    struct FS_OF(cx) y = FS_OF(mul_add)(FS_OF(mul_add)(a[0], t1, c2), t2, c1);
    struct FS_OF(cx) u = {s1 * d1.re + s2 * d2.re, s1 * d1.im + s2 * d2.im};
    struct FS_OF(cx) v = {s2 * d1.re - s1 * d2.re, s2 * d1.im - s1 * d2.im};
    b[0] = FS_OF(plus)(a[0], FS_OF(plus)(t1, t2));
    b[1] = FS_OF(turned)(x, u, -1);
    b[2] = FS_OF(turned)(y, v, -1);
    b[3] = FS_OF(turned)(y, v, 1);
    b[4] = FS_OF(turned)(x, u, 1);
  }
}

FS_INLINE struct FS_OF(cx) FS_OF(root)(const struct fs_fourier_pass *f, int64_t k) {
  const FS_T *re = f->roots_re, *im = f->roots_im;
  return (struct FS_OF(cx)){re[k], im[k]};
}

/* A run for one p. */
FS_INLINE void FS_OF(run)(const struct fs_fourier_pass *f, int radix, int64_t p, bool turn) {
  const int64_t n = f->run, apart = f->m * n;
  const FS_T *xr = (const FS_T *)f->from_re + p * n, *xi = (const FS_T *)f->from_im + p * n;
  FS_T *restrict yr = (FS_T *)f->to_re + p * radix * n;
  FS_T *restrict yi = (FS_T *)f->to_im + p * radix * n;
  struct FS_OF(cx) w[5] = {{1, 0}};
  for (int j = 1; j < radix; j++) w[j] = FS_OF(root)(f, turn ? p * j * f->step : 0);
  for (int64_t q = 0; q < n; q++) {
    struct FS_OF(cx) a[5], b[5];
    for (int j = 0; j < radix; j++)
      a[j] = (struct FS_OF(cx)){xr[q + j * apart], xi[q + j * apart]};
    FS_OF(few)(radix, a, b);
    for (int j = 0; j < radix; j++) {
      if (j && turn) b[j] = FS_OF(times)(b[j], w[j]);
      yr[q + j * n] = b[j].re, yi[q + j * n] = b[j].im;
    }
  }
}

/* Runs are of one number in the first pass over one line: then neighbours in p are. */
FS_INLINE void FS_OF(singles)(const struct fs_fourier_pass *f, int radix, int64_t begin,
                              int64_t end) {
  const FS_T *xr = f->from_re, *xi = f->from_im;
  FS_T *restrict yr = f->to_re, *restrict yi = f->to_im;
  for (int64_t p = begin; p < end; p++) {
    struct FS_OF(cx) a[5], b[5];
    for (int j = 0; j < radix; j++)
      a[j] = (struct FS_OF(cx)){xr[p + j * f->m], xi[p + j * f->m]};
    FS_OF(few)(radix, a, b);
    for (int j = 0; j < radix; j++) {
      if (j) b[j] = FS_OF(times)(b[j], FS_OF(root)(f, p * j * f->step));
      yr[p * radix + j] = b[j].re, yi[p * radix + j] = b[j].im;
    }
  }
}

/* Any radix, by the sum that defines the transform. */
static void FS_OF(many)(const struct fs_fourier_pass *f, int64_t p) {
  const int64_t n = f->run, apart = f->m * n, r = f->radix, unit = f->step * f->m;
  const FS_T *xr = (const FS_T *)f->from_re + p * n, *xi = (const FS_T *)f->from_im + p * n;
  FS_T *restrict yr = (FS_T *)f->to_re + p * r * n, *restrict yi = (FS_T *)f->to_im + p * r * n;
  for (int64_t j = 0; j < r; j++) {
    FS_T *restrict tr = yr + j * n, *restrict ti = yi + j * n;
    for (int64_t q = 0; q < n; q++) tr[q] = xr[q], ti[q] = xi[q];
    for (int64_t k = 1; k < r; k++) {
      const struct FS_OF(cx) w = FS_OF(root)(f, j * k % r * unit);
      for (int64_t q = 0; q < n; q++) {
        const struct FS_OF(cx) a = {xr[q + k * apart], xi[q + k * apart]};
        const struct FS_OF(cx) b = FS_OF(times)(a, w);
        tr[q] += b.re, ti[q] += b.im;
      }
    }
    const struct FS_OF(cx) turn = FS_OF(root)(f, p * j * f->step);
    for (int64_t q = 0; q < n && p && j; q++) {
      const struct FS_OF(cx) b = FS_OF(times)((struct FS_OF(cx)){tr[q], ti[q]}, turn);
      tr[q] = b.re, ti[q] = b.im;
    }
  }
}

#define FS_RADIX(R)                                                             \
  case R:                                                                       \
    if (begin == 0) FS_OF(run)(f, R, 0, false);                                 \
    if (f->run == 1) FS_OF(singles)(f, R, FS_MAX(begin, 1), end);               \
    else for (int64_t p = FS_MAX(begin, 1); p < end; p++) FS_OF(run)(f, R, p, true); \
    break;

/* The part of a pass with begin <= p < end. */
void FS_SYM(FS_OF(fs_fourier))(const struct fs_fourier_pass *f, int64_t begin, int64_t end) {
  switch (f->radix) {
    FS_RADIX(2)
    FS_RADIX(3)
    FS_RADIX(4)
    FS_RADIX(5)
    default: for (int64_t p = begin; p < end; p++) FS_OF(many)(f, p);
  }
}
#undef FS_RADIX
