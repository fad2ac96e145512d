/* cublas.c - a libcublas without a GPU, for tests only: products of f32 and f64 in the
 * memory of the fake driver, which is the host's; what fake.h lets fail fails. FUSIBLE_CUBLAS
 * names it: under its name here nobody takes it for a real one.
 *
 *   FUSIBLE_FAKE_CUBLAS     bytes of the device that a handle takes
 *   FUSIBLE_FAKE_RUN=0      computes nothing, as the driver
 */
#include <dlfcn.h>
#include <stdint.h>

#define FAKE_LIBRARY "cublas"
#include "tests/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))
#define CALL(name)                    \
  do {                                \
    int code_ = fake_failure(name);   \
    if (code_) return code_;          \
  } while (0)

enum { UPPER = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

typedef int (*take)(unsigned long long *out, size_t bytes);
typedef int (*give)(unsigned long long p);

static void *driver(const char *symbol) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *fn = lib ? dlsym(lib, symbol) : NULL;
  if (lib) dlclose(lib);
  return fn;
}

EXPORT int cublasCreate_v2(void **handle);
EXPORT int cublasCreate_v2(void **handle) {
  unsigned long long *memory = calloc(1, sizeof *memory);
  size_t bytes = (size_t)fake_number("FUSIBLE_FAKE_CUBLAS", 1);
  void *fn = driver("cuMemAlloc_v2");
  take allocate;
  memcpy(&allocate, &fn, sizeof fn);
  int code = fake_failure("cublasCreate_v2");
  if (!code && (!memory || !allocate || allocate(memory, bytes))) code = ALLOC_FAILED;
  if (code) free(memory);
  *handle = code ? NULL : memory;
  return code;
}
EXPORT int cublasDestroy_v2(void *handle);
EXPORT int cublasDestroy_v2(void *handle) {
  unsigned long long *memory = handle;
  void *fn = driver("cuMemFree_v2");
  give release;
  memcpy(&release, &fn, sizeof fn);
  if (release) release(*memory);
  free(memory);
  return 0;
}
EXPORT int cublasSetStream_v2(void *handle, void *stream);
EXPORT int cublasSetStream_v2(void *handle, void *stream) {
  (void)handle, (void)stream;
  return 0;
}
EXPORT int cublasSetMathMode(void *handle, int mode);
EXPORT int cublasSetMathMode(void *handle, int mode) {
  (void)handle, (void)mode;
  return 0;
}

static double element(const void *p, int wide, int64_t at) {
  return wide ? ((const double *)p)[at] : (double)((const float *)p)[at];
}

/* By columns; alpha is 1 and beta 0, as in all calls that are made. */
EXPORT int cublasGemmEx(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                        const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                        const void *beta, void *c, int c_type, int ldc, int compute, int algo);
EXPORT int cublasGemmEx(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                        const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                        const void *beta, void *c, int c_type, int ldc, int compute, int algo) {
  (void)handle, (void)alpha, (void)beta, (void)compute, (void)algo;
  CALL("cublasGemmEx");
  int wide = c_type == 1;
  if (m < 0 || n < 0 || k < 0) return INVALID_VALUE;
  if (!fake_number("FUSIBLE_FAKE_RUN", 1)) return 0;
  if (a_type > 1 || a_type != b_type || b_type != c_type) return NOT_SUPPORTED;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double sum = 0;
      for (int64_t x = 0; x < k; x++)
        sum += element(a, wide, ta ? i * lda + x : x * lda + i) *
               element(b, wide, tb ? x * ldb + j : j * ldb + x);
      if (wide) ((double *)c)[j * ldc + i] = sum;
      else ((float *)c)[j * ldc + i] = (float)sum;
    }
  return 0;
}

/* The same for matrices that lie as far apart as the steps say. */
EXPORT int cublasGemmStridedBatchedEx(void *handle, int ta, int tb, int m, int n, int k,
                                      const void *alpha, const void *a, int a_type, int lda,
                                      long long a_step, const void *b, int b_type, int ldb,
                                      long long b_step, const void *beta, void *c, int c_type,
                                      int ldc, long long c_step, int count, int compute, int algo);
EXPORT int cublasGemmStridedBatchedEx(void *handle, int ta, int tb, int m, int n, int k,
                                      const void *alpha, const void *a, int a_type, int lda,
                                      long long a_step, const void *b, int b_type, int ldb,
                                      long long b_step, const void *beta, void *c, int c_type,
                                      int ldc, long long c_step, int count, int compute, int algo) {
  CALL("cublasGemmStridedBatchedEx");
  int size = c_type == 1 ? 8 : 4, code = 0;
  for (long long x = 0; x < count && !code; x++)
    code = cublasGemmEx(handle, ta, tb, m, n, k, alpha, (const char *)a + x * a_step * size, a_type,
                        lda, (const char *)b + x * b_step * size, b_type, ldb, beta,
                        (char *)c + x * c_step * size, c_type, ldc, compute, algo);
  return code;
}

/* Element (i, j) of A, or of A'. */
static double turned(const void *a, int wide, int lda, int trans, int64_t i, int64_t j) {
  return element(a, wide, trans ? i * lda + j : j * lda + i);
}

/* X for op(A)*X = B with a triangle A, in the place of B; alpha is 1. */
static void substitute(int wide, int uplo, int trans, int m, int n, const void *a, int lda,
                       void *b, int ldb) {
  int upper = (uplo == UPPER) != (trans != 0);
  for (int64_t column = 0; column < n; column++)
    for (int64_t step = 0; step < m; step++) {
      int64_t i = upper ? m - 1 - step : step, at = column * ldb;
      double x = element(b, wide, at + i);
      for (int64_t j = upper ? i + 1 : 0; j < (upper ? m : i); j++)
        x -= turned(a, wide, lda, trans, i, j) * element(b, wide, at + j);
      x /= turned(a, wide, lda, trans, i, i);
      if (wide) ((double *)b)[at + i] = x;
      else ((float *)b)[at + i] = (float)x;
    }
}

/* y = op(A)*x; alpha is 1, beta 0. */
#define GEMV(name, wide)                                                                      \
  EXPORT int name(void *handle, int trans, int m, int n, const void *alpha, const void *a,    \
                  int lda, const void *x, int incx, const void *beta, void *y, int incy);     \
  EXPORT int name(void *handle, int trans, int m, int n, const void *alpha, const void *a,    \
                  int lda, const void *x, int incx, const void *beta, void *y, int incy) {    \
    (void)handle, (void)alpha, (void)beta;                                                    \
    CALL(#name);                                                                              \
    for (int64_t i = 0; fake_number("FUSIBLE_FAKE_RUN", 1) && i < (trans ? n : m); i++) {     \
      double sum = 0;                                                                         \
      for (int64_t j = 0; j < (trans ? m : n); j++)                                           \
        sum += turned(a, wide, lda, trans, i, j) * element(x, wide, j * incx);                \
      if (wide) ((double *)y)[i * incy] = sum;                                                \
      else ((float *)y)[i * incy] = (float)sum;                                               \
    }                                                                                         \
    return 0;                                                                                 \
  }
GEMV(cublasSgemv_v2, 0)
GEMV(cublasDgemv_v2, 1)

#define TRSM(name, wide)                                                                      \
  EXPORT int name(void *handle, int side, int uplo, int trans, int unit, int m, int n,        \
                  const void *alpha, const void *a, int lda, void *b, int ldb);               \
  EXPORT int name(void *handle, int side, int uplo, int trans, int unit, int m, int n,        \
                  const void *alpha, const void *a, int lda, void *b, int ldb) {              \
    (void)handle, (void)alpha;                                                                \
    CALL(#name);                                                                              \
    if (side || unit) return NOT_SUPPORTED;                                                   \
    if (fake_number("FUSIBLE_FAKE_RUN", 1)) substitute(wide, uplo, trans, m, n, a, lda, b, ldb); \
    return 0;                                                                                 \
  }
TRSM(cublasStrsm_v2, 0)
TRSM(cublasDtrsm_v2, 1)
