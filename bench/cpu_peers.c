/* cpu_peers.c - the eleven sequences by calls of OpenBLAS on as many threads as
 * there are processors, and WAXPBY, for which no BLAS has a call of its own, as
 * the loop that one would write by hand with OpenMP.
 *
 * OpenBLAS is loaded at run time. Its threads spin for some 30 ms after a call;
 * run() waits until they sleep, so that what is measured next has the
 * processors to itself. Compile with -O3 -march=native -fopenmp. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench/peers.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

static struct {
  void (*sgemv)(int, int, int, int, float, const float *, int, const float *,
                int, float, float *, int);
  void (*sger)(int, int, int, float, const float *, int, const float *, int,
               float *, int);
  void (*scopy)(int, const float *, int, float *, int);
  void (*saxpy)(int, float, const float *, int, float *, int);
  void (*sscal)(int, float, float *, int);
  float (*sdot)(int, const float *, int, const float *, int);
  void (*threads)(int);
} blas;

static struct {
  float *matrix[3], *vector[9];
  size_t matrix_bytes, vector_bytes;
  int m, n, len; /* rows, columns; elements of a long vector */
} data;

static const char *load(void) {
  static const struct {
    const char *name;
    void *place;
  } symbols[] = {
      {"cblas_sgemv", &blas.sgemv}, {"cblas_sger", &blas.sger},
      {"cblas_scopy", &blas.scopy}, {"cblas_saxpy", &blas.saxpy},
      {"cblas_sscal", &blas.sscal}, {"cblas_sdot", &blas.sdot},
      {"openblas_set_num_threads", &blas.threads}};
  static void *library;
  if (library) return NULL;
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!lib) return "no libopenblas.so.0";
  for (size_t k = 0; k < sizeof symbols / sizeof symbols[0]; k++) {
    void *symbol = dlsym(lib, symbols[k].name);
    if (!symbol) return "libopenblas.so.0 lacks a CBLAS function";
    memcpy(symbols[k].place, &symbol, sizeof symbol);
  }
  blas.threads((int)sysconf(_SC_NPROCESSORS_ONLN));
  library = lib;
  return NULL;
}

/* Touched by the threads that will use it, on huge pages, as Fusible's is. */
static float *numbers(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return NULL;
  madvise(p, bytes, MADV_HUGEPAGE);
  float *x = p;
  long count = (long)(bytes / sizeof(float));
#pragma omp parallel for
  for (long k = 0; k < count; k++)
    x[k] = (float)((uint32_t)k * 2654435761u >> 8) * 0x1p-24f;
  return x;
}

static void finish(void) {
  for (int k = 0; k < 3; k++)
    if (data.matrix[k]) munmap(data.matrix[k], data.matrix_bytes);
  for (int k = 0; k < 9; k++)
    if (data.vector[k]) munmap(data.vector[k], data.vector_bytes);
  memset(&data, 0, sizeof data);
}

static int prepare(enum bench_case c, long m, long n, long len, const char **error) {
  static const int matrices[BENCH_COUNT] = {
      [BENCH_ATAX] = 1, [BENCH_BICGK] = 1, [BENCH_SGEMV] = 1,
      [BENCH_SGEMVT] = 1, [BENCH_GEMVER] = 2, [BENCH_GESUMMV] = 2,
      [BENCH_MADD] = 3};
  *error = load();
  if (*error) return 1;
  data.m = (int)m;
  data.n = (int)n;
  data.len = (int)len;
  data.matrix_bytes = (size_t)m * (size_t)n * sizeof(float);
  data.vector_bytes = (size_t)(matrices[c] ? m > n ? m : n : len) * sizeof(float);
  int vectors = matrices[c] ? 9 : 4;
  for (int k = 0; k < matrices[c] + vectors; k++) {
    float **place = k < matrices[c] ? &data.matrix[k]
                                    : &data.vector[k - matrices[c]];
    *place = numbers(k < matrices[c] ? data.matrix_bytes : data.vector_bytes);
    if (*place) continue;
    *error = "not enough memory for the library's copy of the data";
    finish();
    return 1;
  }
  return 0;
}

/* y = alpha*op(A)*x + beta*y */
static void gemv(int trans, float alpha, const float *a, const float *x,
                 float beta, float *y) {
  blas.sgemv(ROW_MAJOR, trans, data.m, data.n, alpha, a, data.n, x, 1, beta, y,
             1);
}

static void waxpby(float *restrict w, const float *restrict x,
                   const float *restrict y, float alpha, float beta, long n) {
#pragma omp parallel for simd schedule(static)
  for (long k = 0; k < n; k++) w[k] = alpha * x[k] + beta * y[k];
}

static volatile float kept; /* dot products must not be optimised away */

static void gemver(void) {
  float *a = data.matrix[0], *b = data.matrix[1], **v = data.vector;
  int m = data.m, n = data.n;
  blas.scopy(m * n, a, 1, b, 1);
  blas.sger(ROW_MAJOR, m, n, 1, v[0], 1, v[1], 1, b, n);
  blas.sger(ROW_MAJOR, m, n, 1, v[2], 1, v[3], 1, b, n);
  blas.scopy(n, v[5], 1, v[6], 1);
  gemv(TRANSPOSED, 0.25f, b, v[4], 1, v[6]);
  gemv(PLAIN, 0.5f, b, v[6], 0, v[7]);
}

static void call(enum bench_case c) {
  float *a = data.matrix[0], *b = data.matrix[1], **v = data.vector;
  int m = data.m, n = data.n, len = data.len;
  switch (c) {
    case BENCH_AXPYDOT: /* z = w - alpha*v; r = z'*u */
      blas.scopy(len, v[0], 1, v[3], 1);
      blas.saxpy(len, -0.5f, v[1], 1, v[3], 1);
      kept = blas.sdot(len, v[3], 1, v[2], 1);
      break;
    case BENCH_ATAX: /* y = A'*(A*x) */
      gemv(PLAIN, 1, a, v[0], 0, v[1]);
      gemv(TRANSPOSED, 1, a, v[1], 0, v[2]);
      break;
    case BENCH_BICGK: /* q = A*p; s = A'*r */
      gemv(PLAIN, 1, a, v[0], 0, v[1]);
      gemv(TRANSPOSED, 1, a, v[2], 0, v[3]);
      break;
    case BENCH_SGEMV: /* z = alpha*A*x + beta*y */
      blas.scopy(m, v[1], 1, v[2], 1);
      gemv(PLAIN, 0.5f, a, v[0], 0.25f, v[2]);
      break;
    case BENCH_SGEMVT: /* x = beta*A'*y + z; w = alpha*A*x */
      blas.scopy(n, v[1], 1, v[2], 1);
      gemv(TRANSPOSED, 0.25f, a, v[0], 1, v[2]);
      gemv(PLAIN, 0.5f, a, v[2], 0, v[3]);
      break;
    case BENCH_SSCAL: /* y = alpha*x */
      blas.scopy(len, v[0], 1, v[1], 1);
      blas.sscal(len, 0.5f, v[1], 1);
      break;
    case BENCH_GEMVER: gemver(); break;
    case BENCH_GESUMMV: /* y = alpha*A*x + beta*B*x */
      gemv(PLAIN, 0.5f, a, v[0], 0, v[1]);
      gemv(PLAIN, 0.25f, b, v[0], 1, v[1]);
      break;
    case BENCH_MADD: /* C = A + B */
      blas.scopy(m * n, a, 1, data.matrix[2], 1);
      blas.saxpy(m * n, 1, b, 1, data.matrix[2], 1);
      break;
    case BENCH_VADD: /* x = w + y + z */
      blas.scopy(len, v[0], 1, v[3], 1);
      blas.saxpy(len, 1, v[1], 1, v[3], 1);
      blas.saxpy(len, 1, v[2], 1, v[3], 1);
      break;
    case BENCH_WAXPBY: waxpby(v[2], v[0], v[1], 0.5f, 0.25f, len); break;
    case BENCH_COUNT: break;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run(enum bench_case c) {
  double start = now();
  call(c);
  double seconds = now() - start;
  struct timespec rest = {.tv_nsec = 60000000};
  nanosleep(&rest, NULL);
  return seconds;
}

const struct bench_peer bench_openblas = {"OpenBLAS", prepare, run, finish};
