/* small.c - see small.h: the texts that GPUs have, compiled for each size. */
#include "core/device/cpu/small.h"

#include <math.h>

#define FS_UNROLL
#define FS_JOINED(name, type, n) name##_##type##_##n
#define FS_JOIN(name, type, n) FS_JOINED(name, type, n)
#define FS_OF(name) FS_JOIN(name, FS_TYPE, FS_N)

static void fail(struct fs_small_fault *f, const struct fs_small *s, int64_t i, int k) {
  uint64_t word = fs_small_fault(s->op, i, k), there = f->word;
  while (word > there && !atomic_compare_exchange_weak(&f->word, &there, word)) continue;
}

#define FS_TYPE float
#include "core/device/cpu/small_type.h"
#undef FS_TYPE
#define FS_TYPE double
#include "core/device/cpu/small_type.h"
#undef FS_TYPE

#define FS_SIZES(name, type)                                                              \
  {NULL, NULL, name##_##type##_2, name##_##type##_3, name##_##type##_4, name##_##type##_5, \
   name##_##type##_6, name##_##type##_7, name##_##type##_8}

#define FS_N s->n
#define FS_INNER s->inner
#define FS_K s->columns
#define FS_A(y, x) a[(y) * FS_INNER + (x)]
#define FS_B(y, x) b[(y) * FS_K + (x)]
#define FS_X(y, x, value) out[(y) * FS_K + (x)] = (value)

static void product_f32(const struct fs_small *s, float *out, const float *a, const float *b) {
#define FS_TYPE float
#include "elemlib/native/product.h"
#undef FS_TYPE
}

static void product_f64(const struct fs_small *s, double *out, const double *a, const double *b) {
#define FS_TYPE double
#include "elemlib/native/product.h"
#undef FS_TYPE
}

typedef void small_f32(const struct fs_small *s, float *out, const float *a, const float *b,
                       int64_t i, struct fs_small_fault *f);
typedef void small_f64(const struct fs_small *s, double *out, const double *a, const double *b,
                       int64_t i, struct fs_small_fault *f);

static small_f32 *const of_f32[FS_SMALL_OPS][FS_SMALL_MOST + 1] = {
    [FS_SMALL_SOLVE] = FS_SIZES(solve, float), [FS_SMALL_INV] = FS_SIZES(solve, float),
    [FS_SMALL_DET] = FS_SIZES(det, float), [FS_SMALL_CHOL] = FS_SIZES(chol, float)};
static small_f64 *const of_f64[FS_SMALL_OPS][FS_SMALL_MOST + 1] = {
    [FS_SMALL_SOLVE] = FS_SIZES(solve, double), [FS_SMALL_INV] = FS_SIZES(solve, double),
    [FS_SMALL_DET] = FS_SIZES(det, double), [FS_SMALL_CHOL] = FS_SIZES(chol, double)};

static void products(const struct fs_small *s, bool wide, void *out, const void *const *in,
                     int64_t n) {
  int64_t of_a = s->n * s->inner, of_b = s->inner * s->columns, each = s->n * s->columns;
  for (int64_t k = 0; k < n; k++) {
    if (wide)
      product_f64(s, (double *)out + k * each, (const double *)in[0] + k * of_a,
                  (const double *)in[1] + k * of_b);
    else
      product_f32(s, (float *)out + k * each, (const float *)in[0] + k * of_a,
                  (const float *)in[1] + k * of_b);
  }
}

void fs_small_run(const struct fs_small *s, bool wide, void *out, const void *const *in,
                  int64_t first, int64_t n, struct fs_small_fault *fault) {
  int64_t of_a = s->n * s->n, of_b = s->n * s->columns;
  if (s->op == FS_SMALL_PRODUCT) {
    products(s, wide, out, in, n);
    return;
  }
  int64_t of_out = s->op == FS_SMALL_DET ? 1 : s->op == FS_SMALL_CHOL ? of_a : of_b;
  bool has_b = s->op == FS_SMALL_SOLVE;
  for (int64_t k = 0; k < n; k++) {
    if (wide)
      of_f64[s->op][s->n](s, (double *)out + k * of_out, (const double *)in[0] + k * of_a,
                          has_b ? (const double *)in[1] + k * of_b : NULL, first + k, fault);
    else
      of_f32[s->op][s->n](s, (float *)out + k * of_out, (const float *)in[0] + k * of_a,
                          has_b ? (const float *)in[1] + k * of_b : NULL, first + k, fault);
  }
}
