/* cublas.c - the sequences as cuBLAS calls, timed by events on the device.
 *
 * cuBLAS is column-major and Fusible row-major, so a row-major A is cuBLAS's A';
 * op(A) is swapped and nothing is copied for it. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/peers.h"

typedef void *handle;
typedef unsigned long long device_ptr;
enum { OP_N = 0, OP_T = 1 };

static struct {
  int (*memAlloc)(device_ptr *, size_t);
  int (*memFree)(device_ptr);
  int (*memsetD32)(device_ptr, unsigned, size_t);
  int (*eventCreate)(void **, unsigned);
  int (*eventRecord)(void *, void *);
  int (*eventSynchronize)(void *);
  int (*eventElapsed)(float *, void *, void *);
  int (*launchHostFunc)(void *, void (*)(void *), void *);
  int (*create)(handle *);
  int (*destroy)(handle);
  int (*copy64)(handle, long, const float *, long, float *, long);
  int (*axpy64)(handle, long, const float *, const float *, long, float *, long);
  int (*scal64)(handle, long, const float *, float *, long);
  int (*dot64)(handle, long, const float *, long, const float *, long, float *);
  int (*gemv)(handle, int, int, int, const float *, const float *, int,
              const float *, int, const float *, float *, int);
  int (*ger)(handle, int, int, const float *, const float *, int, const float *,
             int, float *, int);
  int (*geam)(handle, int, int, int, int, const float *, const float *, int,
              const float *, const float *, int, float *, int);
} api;

static struct {
  handle blas;
  void *begin, *end;
  device_ptr matrix[2], vector[8];
  long m, n, len; /* rows, columns; elements of a long vector */
} state;

static int find(void *lib, const char *name, void *out) {
  void *sym = dlsym(lib, name);
  memcpy(out, &sym, sizeof sym);
  return sym ? 0 : -1;
}

static int load(const char **error) {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
  static const char *const names[] = {
      "libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13",
      "/usr/local/cuda/lib64/libcublas.so.12", "libcublas.so"};
  void *blas = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !blas; k++)
    blas = dlopen(names[k], RTLD_NOW);
  if (!cuda || !blas) {
    *error = cuda ? "no libcublas" : "no libcuda.so.1";
    return -1;
  }
  int bad = 0;
  bad |= find(cuda, "cuMemAlloc_v2", &api.memAlloc);
  bad |= find(cuda, "cuMemFree_v2", &api.memFree);
  bad |= find(cuda, "cuMemsetD32_v2", &api.memsetD32);
  bad |= find(cuda, "cuEventCreate", &api.eventCreate);
  bad |= find(cuda, "cuEventRecord", &api.eventRecord);
  bad |= find(cuda, "cuEventSynchronize", &api.eventSynchronize);
  bad |= find(cuda, "cuEventElapsedTime", &api.eventElapsed);
  bad |= find(cuda, "cuLaunchHostFunc", &api.launchHostFunc);
  bad |= find(blas, "cublasCreate_v2", &api.create);
  bad |= find(blas, "cublasDestroy_v2", &api.destroy);
  bad |= find(blas, "cublasScopy_v2_64", &api.copy64);
  bad |= find(blas, "cublasSaxpy_v2_64", &api.axpy64);
  bad |= find(blas, "cublasSscal_v2_64", &api.scal64);
  bad |= find(blas, "cublasSdot_v2_64", &api.dot64);
  bad |= find(blas, "cublasSgemv_v2", &api.gemv);
  bad |= find(blas, "cublasSger_v2", &api.ger);
  bad |= find(blas, "cublasSgeam", &api.geam);
  if (bad) *error = "a symbol of libcuda or libcublas is missing";
  return bad;
}

static int matrices_of(enum bench_case c) {
  switch (c) {
    case BENCH_ATAX: case BENCH_BICGK: case BENCH_SGEMV: case BENCH_SGEMVT: return 1;
    case BENCH_GEMVER: case BENCH_GESUMMV: return 2;
    case BENCH_MADD: return 3;
    default: return 0;
  }
}

static device_ptr third;

static int alloc(device_ptr *p, long count) {
  if (*p) return 0;
  if (api.memAlloc(p, sizeof(float) * (size_t)count)) return -1;
  return api.memsetD32(*p, 0x3c23d70au /* 0.01f */, (size_t)count);
}

static void finish(void) {
  for (int k = 0; k < 2; k++)
    if (state.matrix[k]) api.memFree(state.matrix[k]), state.matrix[k] = 0;
  for (int k = 0; k < 8; k++)
    if (state.vector[k]) api.memFree(state.vector[k]), state.vector[k] = 0;
  if (third) api.memFree(third), third = 0;
}

static int prepare(enum bench_case c, long m, long n, long len, const char **error) {
  if (!state.blas) {
    if (load(error)) return -1;
    if (api.create(&state.blas)) {
      *error = "cublasCreate failed";
      return -1;
    }
    api.eventCreate(&state.begin, 0);
    api.eventCreate(&state.end, 0);
  }
  finish();
  state.m = m;
  state.n = n;
  state.len = len;
  long most = matrices_of(c) ? (m > n ? m : n) : len;
  int bad = 0;
  for (int k = 0; k < matrices_of(c) && k < 2; k++)
    bad |= alloc(&state.matrix[k], m * n);
  if (matrices_of(c) == 3) bad |= alloc(&third, m * n);
  for (int k = 0; k < 8 && (k < 4 || matrices_of(c)); k++)
    bad |= alloc(&state.vector[k], most);
  *error = "out of device memory";
  return bad;
}

static float *v(int k) { return (float *)state.vector[k]; }
static float *m(int k) { return (float *)state.matrix[k]; }

/* y = alpha*A*x + beta*y and y = alpha*A'*x + beta*y, for row-major A. */
static void gemv(int transposed, float alpha, const float *a, const float *x,
                 float beta, float *y) {
  int m = (int)state.m, n = (int)state.n;
  api.gemv(state.blas, transposed ? OP_N : OP_T, n, m, &alpha, a, n, x, 1, &beta,
           y, 1);
}
static void copy(const float *x, float *y, long len) {
  api.copy64(state.blas, len, x, 1, y, 1);
}
static void axpy(float alpha, const float *x, float *y) {
  api.axpy64(state.blas, state.len, &alpha, x, 1, y, 1);
}
static void ger(const float *x, const float *y, float *a) {
  float one = 1;
  int m = (int)state.m, n = (int)state.n;
  api.ger(state.blas, n, m, &one, y, 1, x, 1, a, n);
}

static void calls(enum bench_case c) {
  const float alpha = 0.5f, beta = 0.25f, one = 1;
  float result;
  long n = state.len, rows = state.m, columns = state.n;
  switch (c) {
    case BENCH_AXPYDOT:
      copy(v(0), v(1), n), axpy(-alpha, v(2), v(1));
      api.dot64(state.blas, n, v(1), 1, v(3), 1, &result);
      break;
    case BENCH_ATAX: gemv(0, 1, m(0), v(0), 0, v(1)), gemv(1, 1, m(0), v(1), 0, v(2)); break;
    case BENCH_BICGK: gemv(0, 1, m(0), v(0), 0, v(1)), gemv(1, 1, m(0), v(2), 0, v(3)); break;
    case BENCH_SGEMV: copy(v(0), v(1), rows), gemv(0, alpha, m(0), v(2), beta, v(1)); break;
    case BENCH_SGEMVT:
      copy(v(0), v(1), columns), gemv(1, beta, m(0), v(2), 1, v(1));
      gemv(0, alpha, m(0), v(1), 0, v(3));
      break;
    case BENCH_SSCAL: api.scal64(state.blas, n, &one, v(0), 1); break;
    case BENCH_GEMVER:
      copy(m(0), m(1), rows * columns);
      ger(v(0), v(1), m(1)), ger(v(2), v(3), m(1));
      copy(v(4), v(5), columns), gemv(1, beta, m(1), v(6), 1, v(5));
      gemv(0, alpha, m(1), v(5), 0, v(7));
      break;
    case BENCH_GESUMMV:
      gemv(0, alpha, m(0), v(0), 0, v(1)), gemv(0, beta, m(1), v(0), 1, v(1));
      break;
    case BENCH_MADD:
      api.geam(state.blas, OP_N, OP_N, (int)columns, (int)rows, &one, m(0),
               (int)columns, &one, m(1), (int)columns, (float *)third, (int)columns);
      break;
    case BENCH_VADD: copy(v(0), v(3), n), axpy(1, v(1), v(3)), axpy(1, v(2), v(3)); break;
    case BENCH_WAXPBY:
      copy(v(1), v(2), n), api.scal64(state.blas, n, &beta, v(2), 1);
      axpy(alpha, v(0), v(2));
      break;
    default: break;
  }
}

/* Fusible's kernels are timed so, too (core/device/cuda/hold.c): the device waits
 * until all calls are in its queue, or half a millisecond if one waits for it. */
static atomic_bool queued;

static void wait_for_calls(void *unused) {
  (void)unused;
  struct timespec begin, t;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &t);
  while (!atomic_load(&queued) &&
         1e9 * (double)(t.tv_sec - begin.tv_sec) +
                 (double)(t.tv_nsec - begin.tv_nsec) < 5e5);
}

static double run(enum bench_case c) {
  float ms = 0;
  atomic_store(&queued, false);
  api.launchHostFunc(NULL, wait_for_calls, NULL);
  api.eventRecord(state.begin, NULL);
  calls(c);
  api.eventRecord(state.end, NULL);
  atomic_store(&queued, true);
  api.eventSynchronize(state.end);
  api.eventElapsed(&ms, state.begin, state.end);
  return ms * 1e-3;
}

const struct bench_peer bench_cublas = {"cuBLAS", prepare, run, finish};
