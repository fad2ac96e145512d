/* cublas.c - library kernels on the device: products and triangular solves by cuBLAS,
 * other solves and factorisations by cuSOLVER, long Fourier transforms by cuFFT, each loaded when
 * the first one is planned.
 *
 * The libraries are column-major. A row-major matrix is the transpose of a
 * column-major one in the same memory, so products need no copies; solves and
 * factorisations overwrite their operands and work on packed copies. Without the
 * libraries the call is done on the host (host_call.c), which the user is told once. A
 * handle takes memory of the device, so one that could not be made is tried again.
 */
#include <stdio.h>

#include "core/device/cpu/lapack.h"
#include "core/device/cuda/library.h"
#include "core/graph/fourier.h"

/* -- loading ---------------------------------------------------------------------------- */

typedef struct cublas_context *cublasHandle;
typedef struct cusolver_context *cusolverHandle;
typedef const int *ints;

#define FS_CUBLAS_FNS(X)                                                      \
  X(create, "cublasCreate_v2", (cublasHandle *))                              \
  X(destroy, "cublasDestroy_v2", (cublasHandle))                              \
  X(set_stream, "cublasSetStream_v2", (cublasHandle, CUstream))               \
  X(set_mode, "cublasSetMathMode", (cublasHandle, int))                       \
  X(gemm, "cublasGemmEx",                                                     \
    (cublasHandle, int ta, int tb, int m, int n, int k, const void *alpha,    \
     const void *a, int a_type, int lda, const void *b, int b_type, int ldb,  \
     const void *beta, void *c, int c_type, int ldc, int compute, int algo))  \
  X(gemm_batch, "cublasGemmStridedBatchedEx",                                 \
    (cublasHandle, int ta, int tb, int m, int n, int k, const void *alpha,    \
     const void *a, int a_type, int lda, long long a_step, const void *b,     \
     int b_type, int ldb, long long b_step, const void *beta, void *c,        \
     int c_type, int ldc, long long c_step, int count, int compute, int algo))

/* %s is S or D. */
#define FS_CUBLAS_PAIRS(X)                                                    \
  X(gemv, "gemv_v2",                                                          \
    (cublasHandle, int trans, int m, int n, const void *alpha, const void *a, \
     int lda, const void *x, int incx, const void *beta, void *y, int incy))  \
  X(trsm, "trsm_v2",                                                          \
    (cublasHandle, int side, int uplo, int trans, int unit, int m, int n,     \
     const void *alpha, const void *a, int lda, void *b, int ldb))

#define FS_CUSOLVER_FNS(X)                                                    \
  X(potrf_size, "potrf_bufferSize",                                           \
    (cusolverHandle, int uplo, int n, void *a, int lda, int *size))           \
  X(potrf, "potrf", (cusolverHandle, int uplo, int n, void *a, int lda,       \
                     void *work, int size, int *info))                        \
  X(getrf_size, "getrf_bufferSize",                                           \
    (cusolverHandle, int m, int n, void *a, int lda, int *size))              \
  X(getrf, "getrf", (cusolverHandle, int m, int n, void *a, int lda,          \
                     void *work, int *pivots, int *info))                     \
  X(getrs, "getrs", (cusolverHandle, int trans, int n, int k, const void *a,  \
                     int lda, ints pivots, void *b, int ldb, int *info))      \
  X(geqrf_size, "geqrf_bufferSize",                                           \
    (cusolverHandle, int m, int n, void *a, int lda, int *size))              \
  X(geqrf, "geqrf", (cusolverHandle, int m, int n, void *a, int lda,          \
                     void *tau, void *work, int size, int *info))             \
  X(orgqr_size, "orgqr_bufferSize",                                           \
    (cusolverHandle, int m, int n, int k, const void *a, int lda,             \
     const void *tau, int *size))                                             \
  X(orgqr, "orgqr", (cusolverHandle, int m, int n, int k, void *a, int lda,   \
                     const void *tau, void *work, int size, int *info))       \
  X(syevd_size, "syevd_bufferSize",                                           \
    (cusolverHandle, int job, int uplo, int n, const void *a, int lda,        \
     const void *w, int *size))                                               \
  X(syevd, "syevd", (cusolverHandle, int job, int uplo, int n, void *a,       \
                     int lda, void *w, void *work, int size, int *info))      \
  X(gesvd_size, "gesvd_bufferSize",                                           \
    (cusolverHandle, int m, int n, int *size))                                \
  X(gesvd, "gesvd",                                                           \
    (cusolverHandle, signed char u, signed char vt, int m, int n, void *a,    \
     int lda, void *s, void *left, int ldl, void *right, int ldr, void *work, \
     int size, void *rwork, int *info))

enum part { BLAS, SOLVER, FFT, PARTS };

struct cuda_libraries {
  struct cuda_own *own;
  struct {
    bool tried, there;    /* looked for, and found with all its functions      */
    int status;           /* of the last try to make the handle                */
    int64_t wanted;       /* how often there was none                          */
    bool told;            /* the user knows that the host does its work        */
  } part[PARTS];
  cublasHandle blas;      /* NULL: there is none now */
  cusolverHandle solver;
  struct cuda_fft *fft;
  struct cuda_nccl *nccl;
  struct {
#define X(name, symbol, args) int (*name) args;
    FS_CUBLAS_FNS(X)
#undef X
#define X(name, symbol, args) int (*name[2]) args;
    FS_CUBLAS_PAIRS(X)
#undef X
  } cublas;
  struct {
    int (*create)(cusolverHandle *);
    int (*destroy)(cusolverHandle);
    int (*set_stream)(cusolverHandle, CUstream);
#define X(name, symbol, args) int (*name[2]) args;
    FS_CUSOLVER_FNS(X)
#undef X
  } cusolver;
};

enum { CUBLAS_NO_TF32_NO_REDUCED = 16, CUBLAS_COMPUTE_F32 = 68,
       CUBLAS_COMPUTE_F64 = 70, CUBLAS_ALGO_DEFAULT = -1 };
enum { CUBLAS_LOWER = 0, CUBLAS_UPPER = 1 };

static void *open_library(const char *env, const char *const *sonames,
                          const char *wheel) {
  struct fs_str tried = {0};
  void *handle = fs_cuda_find_library(env, sonames, wheel, fs_nvrtc_path(),
                                      &tried);
  fs_str_free(&tried);
  return handle;
}

/* A driver of CUDA 12 is not asked to serve libraries of CUDA 13. */
static const char *const *pick(const char *const *both) {
  return fs_cu_version() && fs_cu_version() < 13000 ? both + 1 : both;
}

static bool load_blas(struct cuda_libraries *l) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                      NULL};
  static const struct fs_cuda_symbol symbols[] = {
#define X(name, symbol, args) {symbol, offsetof(struct cuda_libraries, cublas.name), true},
      FS_CUBLAS_FNS(X)
#undef X
#define X(name, symbol, args)                                                \
  {"cublasS" symbol, offsetof(struct cuda_libraries, cublas.name[0]), true}, \
  {"cublasD" symbol, offsetof(struct cuda_libraries, cublas.name[1]), true},
      FS_CUBLAS_PAIRS(X)
#undef X
  };
  void *handle = open_library("FUSIBLE_CUBLAS", pick(names), "cublas");
  return handle && fs_cuda_resolve(handle, symbols, FS_LEN(symbols), l);
}

static bool load_solver(struct cuda_libraries *l) {
  static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11",
                                      NULL};
  static const struct fs_cuda_symbol symbols[] = {
      {"cusolverDnCreate", offsetof(struct cuda_libraries, cusolver.create), true},
      {"cusolverDnDestroy", offsetof(struct cuda_libraries, cusolver.destroy), true},
      {"cusolverDnSetStream", offsetof(struct cuda_libraries, cusolver.set_stream), true},
#define X(name, symbol, args)                                                      \
  {"cusolverDnS" symbol, offsetof(struct cuda_libraries, cusolver.name[0]), true}, \
  {"cusolverDnD" symbol, offsetof(struct cuda_libraries, cusolver.name[1]), true},
      FS_CUSOLVER_FNS(X)
#undef X
  };
  void *handle = open_library("FUSIBLE_CUSOLVER", pick(names), "cusolver");
  return handle && fs_cuda_resolve(handle, symbols, FS_LEN(symbols), l);
}

static bool load_fft(struct cuda_libraries *l) {
  static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", NULL};
  return (l->fft = fs_cuda_fft_new(open_library("FUSIBLE_CUFFT", pick(names), "cufft")));
}

static int make_handle(struct cuda *t, struct cuda_libraries *l, enum part p) {
  int status = p == BLAS ? l->cublas.create(&l->blas) : l->cusolver.create(&l->solver);
  if (status && p == BLAS) l->blas = NULL;
  if (status && p == SOLVER) l->solver = NULL;
  if (status) return status;
  if (p == SOLVER) return l->cusolver.set_stream(l->solver, fs_cuda_stream(t)), 0;
  l->cublas.set_stream(l->blas, fs_cuda_stream(t));
  l->cublas.set_mode(l->blas, CUBLAS_NO_TF32_NO_REDUCED);
  return 0;
}

static bool is_ready(const struct cuda_libraries *l, enum part p) {
  return p == BLAS ? l->blas != NULL : p == SOLVER ? l->solver != NULL : l->fft != NULL;
}

/* Sees to the handle of a part, which may be refused while memory is short: then it is
 * asked for again the 2nd, 4th, 8th ... time that it is wanted, so that a library that
 * never starts costs little. */
static void want(struct cuda *t, struct cuda_libraries *l, enum part p) {
  static bool (*const load[PARTS])(struct cuda_libraries *) = {load_blas, load_solver, load_fft};
  if (is_ready(l, p)) return;
  if (!l->part[p].tried) l->part[p].there = load[p](l);
  l->part[p].tried = true;
  if (p == FFT) return;
  int64_t n = ++l->part[p].wanted;
  if (!l->part[p].there || (n & (n - 1))) return;
  l->part[p].status = make_handle(t, l, p);
  if (!l->part[p].status) return;
  fs_cuda_make_room(t);
  l->part[p].status = make_handle(t, l, p);
}

/* Says once that the host does what a library is not there for; not where the user has
 * named a file that is none ("off"). */
static void tell(struct cuda_libraries *l, enum part p, struct fs_diags *d) {
  static const char *const name[] = {"cuBLAS", "cuSOLVER", "cuFFT"};
  static const char *const env[] = {"FUSIBLE_CUBLAS", "FUSIBLE_CUSOLVER", "FUSIBLE_CUFFT"};
  static const char *const what[] = {"products of matrices",
                                     "solves and factorisations",
                                     "Fourier transforms of such lengths"};
  static const char *const has[] = {"pip's nvidia-cublas or NVIDIA's CUDA toolkit has it",
                                    "pip's nvidia-cusolver or NVIDIA's CUDA toolkit has it",
                                    "pip's nvidia-cufft or NVIDIA's CUDA toolkit has it"};
  const char *file = getenv(env[p]);
  if (!d || l->part[p].told) return;
  l->part[p].told = true;
  if (l->part[p].there)
    fs_warn(d, (struct fs_span){0}, "library-on-host",
            "it is tried again now and then; `x = 0` frees a variable that is not needed",
            "%s does not start on the GPU (status %d), so %s are done on the host until "
            "it does", name[p], l->part[p].status, what[p]);
  else if (!file || !*file)
    fs_warn(d, (struct fs_span){0}, "library-on-host",
            has[p], "%s was not found, so %s are done on the host", name[p], what[p]);
}

static struct cuda_libraries *libraries(struct cuda *t) {
  if (!t->libraries) t->libraries = fs_calloc(1, sizeof *t->libraries);
  return t->libraries;
}

struct cuda_own **fs_cuda_own(struct cuda *t) { return &libraries(t)->own; }

void fs_cuda_library_close(struct cuda *t) {
  struct cuda_libraries *l = t->libraries;
  if (!l) return;
  if (l->solver) l->cusolver.destroy(l->solver);
  if (l->blas) l->cublas.destroy(l->blas);
  fs_cuda_fft_free(l->fft);
  fs_cuda_nccl_free(l->nccl);
  fs_cuda_own_free(l->own);
  free(l);
  t->libraries = NULL;
}

/* -- a call's scratch --------------------------------------------------------------------- */

/* What the device finds out about a call's matrix. */
struct findings {
  int info, not_finite;                 /* LAPACK's; fs_copy's bits             */
  unsigned long long most, differ;      /* fs_cuda_own_asymmetry()              */
  int form[2];                          /* fs_cuda_own_form()                   */
};

/* Everything that one call works with. */
struct work {
  struct cuda *t;
  struct cuda_libraries *l;
  const struct fs_lib_call *call;
  struct cuda_own_call own;
  struct fs_diags *d;
  int wide;                /* compute in f64 */
  struct { void *p; size_t bytes; } blocks[8];
  int n;
  struct findings *found;  /* on the device */
  bool last;               /* is not tried again                                  */
  bool again;              /* a library had no memory: nothing is said yet        */
  bool nan, zero_pivot;    /* check_findings() saw one */
};

static enum fs_status take(struct work *w, int64_t count, size_t size,
                           void **out) {
  int64_t bytes = fs_mul_size(FS_MAX(count, 1), (int64_t)size);
  enum fs_status status = fs_cuda_scratch(
      w->t, bytes < 0 ? SIZE_MAX / 2 : (size_t)bytes, out, w->d);
  if (status != FS_OK) return status;
  w->blocks[w->n].p = *out;
  w->blocks[w->n++].bytes = (size_t)bytes;
  return FS_OK;
}

/* Memory is freed in stream order: kernels may still use it. */
static void drop(struct work *w) {
  while (w->n) {
    w->n--;
    fs_cuda_free(&w->t->base, w->blocks[w->n].p, w->blocks[w->n].bytes);
  }
}

static size_t width(const struct work *w) { return w->wide ? 8 : 4; }

static struct fs_lib_array columns(const struct work *w, void *p, int64_t rows,
                                   int64_t cols) {
  return (struct fs_lib_array){.ptr = p, .dtype = w->wide ? FS_F64 : FS_F32,
                               .rank = 2, .dim = {rows, cols},
                               .stride = {1, rows}};
}

/* A column-major copy of an operand. */
static enum fs_status pack(struct work *w, const struct fs_lib_array *a,
                           bool check_finite, void **out) {
  enum fs_status status = take(w, a->dim[0] * a->dim[1], width(w), out);
  if (status != FS_OK) return status;
  struct fs_lib_array to = columns(w, *out, a->dim[0], a->dim[1]);
  return fs_cuda_own_copy(&w->own, a, &to, FS_CUDA_ALL,
                          check_finite ? &w->found->not_finite : NULL);
}

static enum fs_status unpack(struct work *w, void *from) {
  const struct fs_lib_array *out = &w->call->out;
  struct fs_lib_array a = columns(w, from, out->dim[0], out->dim[1]);
  return fs_cuda_own_copy(&w->own, &a, out, FS_CUDA_ALL, NULL);
}

/* Result k of a call that has several. */
static enum fs_status unpack_part(struct work *w, int k, const struct fs_lib_array *from,
                                  enum fs_cuda_part part) {
  struct fs_lib_array to = fs_lib_result_part(w->call, k);
  return fs_cuda_own_copy(&w->own, from, &to, part, NULL);
}

/* A status of cuBLAS or cuSOLVER that is not success. */
static enum fs_status refused(struct work *w, const char *library, int code) {
  CUresult r = fs_cu.stream_query(fs_cuda_stream(w->t));
  if (fs_cu_is_fatal(r)) return fs_cuda_fail(w->t, r, "a library call", w->d);
  bool memory = code == 3 || code == 2; /* ALLOC_FAILED in either */
  w->again = memory && !w->last;
  if (w->again) return FS_ERR_ENV;
  return fs_env_error(w->d, memory ? "out-of-memory" : "driver-error", NULL,
                      "%s failed at %s: %s (status %d)", library,
                      fs_lib_op_names[w->call->op],
                      memory ? "no memory" : "an internal error", code);
}

/* Has the packed copy of a matrix that is to be symmetric compared with itself. */
static enum fs_status look_at_symmetry(struct work *w, const void *a, int64_t n) {
  return fs_cuda_own_asymmetry(&w->own, w->wide ? FS_F64 : FS_F32, a, n,
                               &w->found->most);
}

/* LAPACK's info, and whether the matrix is what it must be: waits for the stream. A NaN
 * is no error where the method does not iterate: w->nan tells. */
static enum fs_status check_findings(struct work *w) {
  struct findings f = {0};
  enum fs_status status = fs_cuda_download(&w->t->base, &f, 0, w->found, 0,
                                           sizeof f, 1, w->d);
  if (status != FS_OK) return status;
  double most, differ;
  memcpy(&most, &f.most, sizeof most);
  memcpy(&differ, &f.differ, sizeof differ);
  if (differ > 0 && differ > fs_lib_asymmetry_allowed(w->call, most))
    return fs_cuda_host_call(w->t, w->call, w->d); /* words the error */
  w->nan = f.not_finite & 2;
  bool iterates = fs_lib_iterates(w->call->op);
  if (!iterates && w->nan) return FS_OK;
  if (iterates && f.not_finite) return fs_lib_failed(w->call, 1, w->d);
  if (f.info < 0) return refused(w, "cuSOLVER", f.info);
  w->zero_pivot = w->call->op == FS_LIB_LU && f.info;
  return f.info && !w->zero_pivot ? fs_lib_failed(w->call, f.info, w->d) : FS_OK;
}

/* -- GEMM ------------------------------------------------------------------------------------ */

/* 'R' or 'C' as the library may use the array in place, else 0. */
static char order_of(const struct fs_lib_array *a, int *ld) {
  const int64_t *n = a->dim, *s = a->stride;
  int64_t row = n[0] == 1 ? FS_MAX(n[1], 1) : s[0];
  int64_t col = n[1] == 1 ? FS_MAX(n[0], 1) : s[1];
  if ((n[1] == 1 || s[1] == 1) && row >= FS_MAX(n[1], 1) && row <= INT32_MAX) {
    *ld = (int)row;
    return 'R';
  }
  if ((n[0] == 1 || s[0] == 1) && col >= FS_MAX(n[0], 1) && col <= INT32_MAX) {
    *ld = (int)col;
    return 'C';
  }
  return 0;
}

static int cuda_type(enum fs_dtype dt) { /* cudaDataType */
  static const uint8_t types[] = {
#define FS_DTYPE_CUDA(id, stored, value, lowest, highest, map, blas) [FS_##id] = blas,
#include "core/graph/dtypes.def"
  };
  return types[dt];
}

/* The type all three matrices of a product have for the library. */
static enum fs_dtype gemm_type(const struct fs_lib_call *c) {
  enum fs_dtype a = c->a.dtype, b = c->b.dtype, o = c->out.dtype;
  if (a == b && b == o && fs_dtype_is_float(a)) return a;
  return a == FS_F64 || b == FS_F64 || o == FS_F64 ? FS_F64 : FS_F32;
}

static int64_t in_eights(int64_t n) { return (n + 7) / 8 * 8; }

/* Whether lines, rows or columns, do not begin at multiples of 16 bytes and end there. */
static bool is_ragged(const struct fs_lib_array *a) {
  int ld = 0;
  char order = order_of(a, &ld);
  return !order || a->dim[order == 'R'] % 8 || ld % 8 || (uintptr_t)a->ptr % 16;
}

/* Whether a large product of halves is one of copies, filled up with zeros: cuBLAS has
 * fast kernels only for lines of whole 16 bytes. 8192 x 1000 by 1000 x 3001 took an H200
 * 407 us where 3008 columns take 73. */
static bool wants_whole_lines(const struct fs_lib_call *c, enum fs_dtype dt) {
  enum { LEAST = 128 };
  int64_t m = c->out.dim[0], n = c->out.dim[1], k = c->a.dim[1];
  return fs_dtype_size(dt) == 2 && FS_MIN(m, FS_MIN(n, k)) >= LEAST &&
         (double)m * (double)n * (double)k >= 0x1p31 &&
         (is_ragged(&c->a) || is_ragged(&c->b) || is_ragged(&c->out));
}

/* Rows that lie as they will are left to the driver: it moves 16 bytes at a time. */
static enum fs_status copy_lines(struct work *w, const struct fs_lib_array *from,
                                 const struct fs_lib_array *to) {
  int64_t size = (int64_t)fs_dtype_size(to->dtype);
  if (from->dtype != to->dtype || from->stride[1] != 1 || to->stride[1] != 1)
    return fs_cuda_own_copy(&w->own, from, to, FS_CUDA_ALL, NULL);
  return w->t->base.ops->copy(&w->t->base, to->ptr, to->stride[0] * size, from->ptr,
                              from->stride[0] * size, to->dim[1] * size, to->dim[0], w->d);
}

enum operand { LEFT, RIGHT, RESULT };

/* `a` itself, or a row-major block of type `dt` for it; `whole`: one of whole lines, where
 * its own are not, or where the product then has more rows or columns than `a`. */
static enum fs_status gemm_operand(struct work *w, enum fs_dtype dt, bool whole,
                                   enum operand which, const struct fs_lib_array *a,
                                   struct fs_lib_array *out, char *order,
                                   int *ld) {
  *out = *a;
  if (whole) whole = is_ragged(a) || a->dim[1] % 8 || (which == RIGHT && a->dim[0] % 8);
  *order = a->dtype == dt && !whole ? order_of(a, ld) : 0;
  if (*order) return FS_OK;
  int64_t rows = a->dim[0], columns = FS_MAX(a->dim[1], 1);
  if (whole) rows = in_eights(rows), columns = in_eights(columns);
  *order = 'R';
  *ld = (int)columns;
  out->dtype = dt;
  out->stride[0] = *ld, out->stride[1] = 1;
  enum fs_status status = take(w, rows * columns, fs_dtype_size(dt), &out->ptr);
  if (status != FS_OK || which == RESULT) return status;
  if (whole)
    status = fs_cuda_zero(&w->t->base, out->ptr,
                          (size_t)(rows * columns) * fs_dtype_size(dt), w->d);
  return status == FS_OK ? copy_lines(w, a, out) : status;
}

/* out = a * b of one column, in f32 or f64; ld[]: from row to row of b and out. */
static int gemv(struct work *w, const struct fs_lib_array *m, const char *order, const int *ld) {
  double alpha64 = 1, beta64 = 0;
  float alpha32 = 1, beta32 = 0;
  bool wide = m[2].dtype == FS_F64, rows = order[0] == 'R'; /* are the columns of A' */
  return w->l->cublas.gemv[wide](
      w->l->blas, rows, (int)m[0].dim[rows], (int)m[0].dim[!rows],
      wide ? (void *)&alpha64 : (void *)&alpha32, m[0].ptr, ld[0], m[1].ptr,
      order[1] == 'R' ? ld[1] : 1, wide ? (void *)&beta64 : (void *)&beta32, m[2].ptr,
      order[2] == 'R' ? ld[2] : 1);
}

static enum fs_status gemm(struct work *w) {
  const struct fs_lib_call *call = w->call;
  enum fs_dtype dt = gemm_type(call);
  struct fs_lib_array in[2] = {call->a, call->b}, out = call->out, m[3];
  char order[3];
  int ld[3];
  if (out.dtype == dt && order_of(&out, &ld[2]) == 'C') {
    struct fs_lib_array a = fs_lib_transposed(in[0]); /* C' = B' A' */
    in[0] = fs_lib_transposed(in[1]), in[1] = a, out = fs_lib_transposed(out);
  }
  enum fs_status status = FS_OK;
  bool whole = wants_whole_lines(call, dt);
  for (int k = 0; k < 3 && status == FS_OK; k++)
    status = gemm_operand(w, dt, whole, (enum operand)k, k < 2 ? &in[k] : &out, &m[k],
                          &order[k], &ld[k]);
  if (status != FS_OK) return status;
  double alpha64 = 1, beta64 = 0;
  float alpha32 = 1, beta32 = 0;
  bool wide = dt == FS_F64;
  int type = cuda_type(dt);
  bool one = out.dim[1] == 1 && (wide || dt == FS_F32);
  int r = one ? gemv(w, m, order, ld) : w->l->cublas.gemm(
      w->l->blas, order[1] != 'R', order[0] != 'R',
      (int)(whole ? in_eights(out.dim[1]) : out.dim[1]), (int)out.dim[0],
      (int)(whole ? in_eights(in[0].dim[1]) : in[0].dim[1]),
      wide ? (void *)&alpha64 : (void *)&alpha32, m[1].ptr, type, ld[1],
      m[0].ptr, type, ld[0], wide ? (void *)&beta64 : (void *)&beta32, m[2].ptr,
      type, ld[2], wide ? CUBLAS_COMPUTE_F64 : CUBLAS_COMPUTE_F32,
      CUBLAS_ALGO_DEFAULT);
  if (r) return refused(w, "cuBLAS", r);
  return m[2].ptr == out.ptr ? FS_OK : copy_lines(w, &m[2], &out);
}

/* Whether the products of a batch can be had of the library as their matrices lie, results by
 * rows. */
static bool lies_for_batches(const struct fs_lib_call *c) {
  const struct fs_lib_array *m[3] = {&c->out, &c->a, &c->b};
  enum fs_dtype dt = gemm_type(c);
  int ld;
  for (int k = 0; k < 3; k++)
    if (m[k]->dtype != dt || !order_of(m[k], &ld)) return false;
  return c->op == FS_LIB_GEMM && fs_dtype_is_float(dt) && order_of(&c->out, &ld) == 'R';
}

/* Those along one axis. */
static enum fs_status gemm_batch(struct work *w) {
  const struct fs_lib_call *c = w->call;
  int lda, ldb, ldc;
  bool turned_a = order_of(&c->a, &lda) != 'R', turned_b = order_of(&c->b, &ldb) != 'R';
  order_of(&c->out, &ldc);
  double alpha64 = 1, beta64 = 0;
  float alpha32 = 1, beta32 = 0;
  bool wide = c->out.dtype == FS_F64;
  int type = cuda_type(c->out.dtype);
  int r = w->l->cublas.gemm_batch(
      w->l->blas, turned_b, turned_a, (int)c->out.dim[1], (int)c->out.dim[0], (int)c->a.dim[1],
      wide ? (void *)&alpha64 : (void *)&alpha32, c->b.ptr, type, ldb, c->step[2][0], c->a.ptr, type,
      lda, c->step[1][0], wide ? (void *)&beta64 : (void *)&beta32, c->out.ptr, type, ldc,
      c->step[0][0], (int)c->batch.dim[0], wide ? CUBLAS_COMPUTE_F64 : CUBLAS_COMPUTE_F32,
      CUBLAS_ALGO_DEFAULT);
  return r ? refused(w, "cuBLAS", r) : FS_OK;
}

/* -- solves and factorisations ----------------------------------------------------------------- */

static enum fs_status factor_lu(struct work *w, void *a, int m, int n, void **pivots) {
  int size = 0, r = w->l->cusolver.getrf_size[w->wide](w->l->solver, m, n, a, m,
                                                       &size);
  if (r) return refused(w, "cuSOLVER", r);
  void *buffer;
  enum fs_status status = take(w, size, width(w), &buffer);
  if (status == FS_OK) status = take(w, FS_MIN(m, n), sizeof(int), pivots);
  if (status != FS_OK) return status;
  r = w->l->cusolver.getrf[w->wide](w->l->solver, m, n, a, m, buffer, *pivots,
                                    &w->found->info);
  return r ? refused(w, "cuSOLVER", r) : check_findings(w);
}

static enum fs_status all_nan(struct work *w) {
  const struct fs_lib_array *out = &w->call->out;
  int64_t count = out->dim[0] * out->dim[1];
  void *block;
  enum fs_status status = take(w, count, width(w), &block);
  if (status != FS_OK) return status;
  CUresult r = fs_cu.set_bytes((CUdeviceptr)(uintptr_t)block, 0xff,
                               (size_t)count * width(w), fs_cuda_stream(w->t));
  if (r != CU_OK) return fs_cuda_fail(w->t, r, "filling GPU memory", w->d);
  return unpack(w, block);
}

/* By substitution, with A as it lies where cuBLAS can read it. */
static enum fs_status solve_triangular(struct work *w, bool upper) {
  struct fs_lib_array a = w->call->a;
  int n = (int)a.dim[0], k = (int)w->call->out.dim[1], ld = n;
  char order = a.dtype == (w->wide ? FS_F64 : FS_F32) ? order_of(&a, &ld) : 0;
  enum fs_status status = order ? FS_OK : pack(w, &w->call->a, false, &a.ptr);
  void *b;
  if (status == FS_OK) status = pack(w, &w->call->b, false, &b);
  if (status != FS_OK) return status;
  bool rows = order == 'R'; /* are the columns of A' */
  const double one64 = 1;
  const float one32 = 1;
  int r = w->l->cublas.trsm[w->wide](
      w->l->blas, 0, upper != rows ? CUBLAS_UPPER : CUBLAS_LOWER, rows, 0, n, k,
      w->wide ? (const void *)&one64 : (const void *)&one32, a.ptr, ld, b, n);
  return r ? refused(w, "cuBLAS", r) : unpack(w, b);
}

/* Waits for the stream. */
static enum fs_status look_at_form(struct work *w, struct fs_lib_form *form) {
  int found[2] = {0};
  enum fs_status status = fs_cuda_own_form(&w->own, &w->call->a, w->found->form);
  if (status == FS_OK)
    status = fs_cuda_download(&w->t->base, found, 0, w->found->form, 0, sizeof found, 1,
                              w->d);
  *form = fs_cuda_own_form_read(&w->call->a, found);
  return status;
}

static enum fs_status solve_by_lu(struct work *w);
static enum fs_status solve(struct work *w) {
  struct fs_lib_form form;
  if (!w->l->blas) return solve_by_lu(w);
  enum fs_status status = look_at_form(w, &form);
  if (status != FS_OK) return status;
  if (form.above && form.below) return solve_by_lu(w);
  if (form.nan) return all_nan(w);
  if (form.zero) return fs_lib_failed(w->call, form.zero, w->d);
  return solve_triangular(w, !form.below);
}

/* X with A*X = B, or the inverse with B the identity. A NaN in A is in every
 * element of the result, though cuSOLVER chooses pivots around it. */
static enum fs_status solve_by_lu(struct work *w) {
  const struct fs_lib_call *c = w->call;
  int n = (int)c->a.dim[0], k = (int)c->out.dim[1];
  void *a, *b, *pivots;
  enum fs_status status = pack(w, &c->a, true, &a);
  if (status == FS_OK) status = factor_lu(w, a, n, n, &pivots);
  if (status != FS_OK) return status;
  if (w->nan) return all_nan(w);
  if (c->op == FS_LIB_SOLVE) {
    status = pack(w, &c->b, false, &b);
  } else {
    status = take(w, (int64_t)n * k, width(w), &b);
    struct fs_lib_array to = columns(w, b, n, k);
    if (status == FS_OK) status = fs_cuda_own_identity(&w->own, &to);
  }
  if (status != FS_OK) return status;
  int r = w->l->cusolver.getrs[w->wide](w->l->solver, 0, n, k, a, n, pivots, b,
                                        n, &w->found->info);
  return r ? refused(w, "cuSOLVER", r) : unpack(w, b);
}

/* The copy lies by rows, as most operands and results do: to cuSOLVER it is A', of which
 * the lower triangle becomes L = R'. */
static enum fs_status cholesky(struct work *w) {
  int n = (int)w->call->a.dim[0], size = 0;
  struct fs_lib_array a = fs_lib_transposed(columns(w, NULL, n, n));
  void *buffer;
  enum fs_status status = take(w, (int64_t)n * n, width(w), &a.ptr);
  if (status == FS_OK)
    status = fs_cuda_own_copy(&w->own, &w->call->a, &a, FS_CUDA_ALL, NULL);
  if (status != FS_OK) return status;
  int r = w->l->cusolver.potrf_size[w->wide](w->l->solver, CUBLAS_LOWER, n, a.ptr, n,
                                             &size);
  if (r) return refused(w, "cuSOLVER", r);
  status = take(w, size, width(w), &buffer);
  if (status == FS_OK) status = look_at_symmetry(w, a.ptr, n);
  if (status != FS_OK) return status;
  r = w->l->cusolver.potrf[w->wide](w->l->solver, CUBLAS_LOWER, n, a.ptr, n, buffer, size,
                                    &w->found->info);
  if (r) return refused(w, "cuSOLVER", r);
  status = check_findings(w);
  if (status != FS_OK) return status;
  return fs_cuda_own_copy(&w->own, &a, &w->call->out, FS_CUDA_UPPER, NULL);
}

static enum fs_status eigen(struct work *w) {
  int n = (int)w->call->a.dim[0], size = 0;
  int vectors = w->call->op == FS_LIB_EIGVECS;
  void *a, *values, *buffer;
  enum fs_status status = pack(w, &w->call->a, true, &a);
  if (status == FS_OK) status = look_at_symmetry(w, a, n);
  if (status == FS_OK) status = check_findings(w);
  if (status == FS_OK) status = take(w, n, width(w), &values);
  if (status != FS_OK) return status;
  int r = w->l->cusolver.syevd_size[w->wide](
      w->l->solver, vectors, CUBLAS_UPPER, n, a, n, values, &size);
  if (r) return refused(w, "cuSOLVER", r);
  status = take(w, size, width(w), &buffer);
  if (status != FS_OK) return status;
  r = w->l->cusolver.syevd[w->wide](w->l->solver, vectors, CUBLAS_UPPER, n, a,
                                    n, values, buffer, size, &w->found->info);
  if (r) return refused(w, "cuSOLVER", r);
  status = check_findings(w);
  struct fs_lib_array v = columns(w, a, n, n);
  if (status == FS_OK && vectors) status = fs_cuda_own_signs(&w->own, &v, false, NULL);
  return status == FS_OK ? unpack(w, vectors ? a : values) : status;
}

/* gesvd with its scratch, of a column-major m x n matrix; u and vt may be NULL. */
static enum fs_status run_gesvd(struct work *w, int m, int n, void *a, void *values,
                                void *u, void *vt) {
  int size = 0, r = w->l->cusolver.gesvd_size[w->wide](w->l->solver, m, n, &size);
  void *buffer, *rwork;
  if (r) return refused(w, "cuSOLVER", r);
  enum fs_status status = take(w, n, width(w), &rwork);
  if (status == FS_OK) status = take(w, size, width(w), &buffer);
  if (status != FS_OK) return status;
  signed char job = u ? 'S' : 'N';
  r = w->l->cusolver.gesvd[w->wide](w->l->solver, job, job, m, n, a, m, values, u, m, vt,
                                    n, buffer, size, rwork, &w->found->info);
  return r ? refused(w, "cuSOLVER", r) : check_findings(w);
}

/* cuSOLVER wants at least as many rows as columns: of A' = U*diag(s)*V' the values are the
 * same, and V has the left vectors of A. */
static enum fs_status singular(struct work *w) {
  bool wide = w->call->a.dim[0] < w->call->a.dim[1];
  struct fs_lib_array from = wide ? fs_lib_transposed(w->call->a) : w->call->a;
  int m = (int)from.dim[0], n = (int)from.dim[1];
  void *a, *values, *u = NULL, *vt = NULL;
  enum fs_status status = pack(w, &from, true, &a);
  if (status == FS_OK) status = check_findings(w);
  if (status == FS_OK) status = take(w, n, width(w), &values);
  if (status == FS_OK && w->call->op == FS_LIB_SVD) {
    status = take(w, (int64_t)m * n, width(w), &u);
    if (status == FS_OK) status = take(w, (int64_t)n * n, width(w), &vt);
  }
  if (status == FS_OK) status = run_gesvd(w, m, n, a, values, u, vt);
  if (status != FS_OK) return status;
  if (!u) return unpack(w, values);
  struct fs_lib_array left = columns(w, u, m, n);
  struct fs_lib_array right = fs_lib_transposed(columns(w, vt, n, n));
  struct fs_lib_array results[] = {wide ? right : left, columns(w, values, n, 1),
                                   wide ? left : right};
  status = fs_cuda_own_signs(&w->own, &results[0], false, &results[2]);
  for (int k = 0; k < 3 && status == FS_OK; k++)
    status = unpack_part(w, k, &results[k], FS_CUDA_ALL);
  return status;
}

/* Room for both routines of a QR factorisation. */
static enum fs_status take_for_qr(struct work *w, int m, int n, void *a, void *tau,
                                  int *size, void **buffer) {
  int k = FS_MIN(m, n), more = 0;
  int r = w->l->cusolver.geqrf_size[w->wide](w->l->solver, m, n, a, m, size);
  if (!r && w->call->op == FS_LIB_QR)
    r = w->l->cusolver.orgqr_size[w->wide](w->l->solver, m, k, k, a, m, tau, &more);
  *size = FS_MAX(*size, more);
  return r ? refused(w, "cuSOLVER", r) : take(w, *size, width(w), buffer);
}

/* geqrf leaves R above the reflections that make Q: it is copied before orgqr makes Q in
 * its place. The signs are those of the columns of R'. */
static enum fs_status qr(struct work *w) {
  int m = (int)w->call->a.dim[0], n = (int)w->call->a.dim[1], k = FS_MIN(m, n), size = 0;
  bool both = w->call->op == FS_LIB_QR;
  void *a, *tau, *buffer, *triangle;
  enum fs_status status = pack(w, &w->call->a, true, &a);
  if (status == FS_OK) status = take(w, k, width(w), &tau);
  if (status == FS_OK) status = take_for_qr(w, m, n, a, tau, &size, &buffer);
  if (status == FS_OK) status = take(w, (int64_t)k * n, width(w), &triangle);
  if (status != FS_OK) return status;
  int code = w->l->cusolver.geqrf[w->wide](w->l->solver, m, n, a, m, tau, buffer, size,
                                           &w->found->info);
  if (code) return refused(w, "cuSOLVER", code);
  status = check_findings(w);
  if (status != FS_OK) return status;
  if (w->nan) return all_nan(w);
  struct fs_lib_array q = columns(w, a, m, n), top = q, r = columns(w, triangle, k, n);
  top.dim[0] = k, q.dim[1] = k;
  status = fs_cuda_own_copy(&w->own, &top, &r, FS_CUDA_UPPER, NULL);
  if (status != FS_OK) return status;
  if (both)
    code = w->l->cusolver.orgqr[w->wide](w->l->solver, m, k, k, a, m, tau, buffer, size,
                                         &w->found->info);
  if (code) return refused(w, "cuSOLVER", code);
  struct fs_lib_array rows = fs_lib_transposed(r);
  status = fs_cuda_own_signs(&w->own, &rows, true, both ? &q : NULL);
  if (status != FS_OK || !both) return status == FS_OK ? unpack(w, triangle) : status;
  status = unpack_part(w, 0, &q, FS_CUDA_ALL);
  return status == FS_OK ? unpack_part(w, 1, &r, FS_CUDA_ALL) : status;
}

/* The order of the rows and its sign, worked out on the host. `pivots` lie on the device;
 * NULL: the rows were not exchanged. */
static enum fs_status unpack_order(struct work *w, const void *pivots) {
  int64_t m = w->call->a.dim[0], n = w->call->a.dim[1], k = pivots ? FS_MIN(m, n) : 0;
  int64_t bytes = (m + n) * (int64_t)sizeof(double);
  int *exchanges = fs_malloc((size_t)FS_MAX(k, 1) * sizeof *exchanges);
  double *numbers = fs_malloc((size_t)bytes);
  void *p;
  enum fs_status status = take(w, m + n, sizeof *numbers, &p);
  if (status == FS_OK && k)
    status = fs_cuda_download(&w->t->base, exchanges, 0, pivots, 0,
                              k * (int64_t)sizeof *exchanges, 1, w->d);
  if (status == FS_OK) {
    fs_lib_order(exchanges, k, m, n, numbers);
    status = fs_cuda_upload(&w->t->base, p, 0, numbers, 0, bytes, 1, w->d);
  }
  free(exchanges);
  free(numbers);
  struct fs_lib_array order = {.ptr = p, .dtype = FS_F64, .rank = 2, .dim = {m, 1},
                               .stride = {1, m}};
  struct fs_lib_array signs = order;
  signs.ptr = (double *)p + m, signs.dim[0] = n;
  if (status == FS_OK) status = unpack_part(w, 2, &order, FS_CUDA_ALL);
  return status == FS_OK ? unpack_part(w, 3, &signs, FS_CUDA_ALL) : status;
}

/* What cuSOLVER leaves of a matrix in which it found a pivot of 0 is not documented: such
 * a matrix is left to the host. */
static enum fs_status lu(struct work *w) {
  int m = (int)w->call->a.dim[0], n = (int)w->call->a.dim[1], k = FS_MIN(m, n);
  void *a, *pivots;
  enum fs_status status = pack(w, &w->call->a, true, &a);
  if (status == FS_OK) status = factor_lu(w, a, m, n, &pivots);
  if (status != FS_OK) return status;
  if (w->zero_pivot) return fs_cuda_host_call(w->t, w->call, w->d);
  if (w->nan) status = all_nan(w);
  if (status == FS_OK) status = unpack_order(w, w->nan ? NULL : pivots);
  if (status != FS_OK || w->nan) return status;
  struct fs_lib_array l = columns(w, a, m, n), u = l;
  l.dim[1] = k, u.dim[0] = k;
  status = unpack_part(w, 0, &l, FS_CUDA_UNIT_LOWER);
  return status == FS_OK ? unpack_part(w, 1, &u, FS_CUDA_UPPER) : status;
}

static enum fs_status sort_of(struct work *w, const struct fs_lib_call *call) {
  void *values = NULL, *places = NULL, *counts = NULL;
  struct cuda_sort_room room = fs_cuda_own_sort_room(call);
  enum fs_status status = FS_OK;
  if (room.values)
    status = take(w, room.values, fs_dtype_size(call->a.dtype), &values);
  if (room.places && status == FS_OK)
    status = take(w, room.places, fs_dtype_size(room.place_type), &places);
  if (room.counts && status == FS_OK)
    status = take(w, room.counts, sizeof(int64_t), &counts);
  return status == FS_OK ? fs_cuda_own_sort(&w->own, call, values, places, counts) : status;
}

static enum fs_status sort(struct work *w) { return sort_of(w, w->call); }

static enum fs_status combine(struct work *w, unsigned long long *wrong) {
  void *order;
  if (fs_cuda_own_any_order(w->call))
    return fs_cuda_own_combine(&w->own, w->call, NULL, wrong);
  enum fs_status status = take(w, fs_lib_count(&w->call->b), sizeof(int64_t), &order);
  struct fs_lib_call call = fs_cuda_own_order(w->call, order);
  if (status == FS_OK) status = sort_of(w, &call);
  return status == FS_OK ? fs_cuda_own_combine(&w->own, w->call, order, wrong) : status;
}

static enum fs_status go_by_list(struct work *w, unsigned long long *wrong) {
  switch (w->call->op) {
    case FS_LIB_GATHER: return fs_cuda_own_gather(&w->own, w->call, wrong);
    case FS_LIB_INVERT: return fs_cuda_own_invert(&w->own, w->call, wrong);
    default: return combine(w, wrong);
  }
}

/* GATHER, INVERT, COMBINE: the host words the error of the first wrong index, for which it
 * waits for the device; not where none can be wrong. */
static enum fs_status by_list(struct work *w) {
  void *wrong;
  unsigned long long position = UINT64_MAX;
  if (w->call->in_range) return go_by_list(w, NULL);
  enum fs_status status = take(w, 1, sizeof position, &wrong);
  if (status != FS_OK) return status;
  CUresult r = fs_cu.set_bytes((CUdeviceptr)(uintptr_t)wrong, 0xff, sizeof position,
                               fs_cuda_stream(w->t));
  if (r != CU_OK) return fs_cuda_fail(w->t, r, "clearing GPU memory", w->d);
  status = go_by_list(w, wrong);
  if (status == FS_OK)
    status = fs_cuda_download(&w->t->base, &position, 0, wrong, 0,
                              sizeof position, 1, w->d);
  if (status != FS_OK || position == UINT64_MAX) return status;
  return fs_cuda_host_call(w->t, w->call, w->d);
}

static enum fs_status positions(struct work *w) {
  void *counts;
  enum fs_status status = take(w, FS_CUDA_FIND_BLOCKS, sizeof(int64_t), &counts);
  return status == FS_OK ? fs_cuda_own_find(&w->own, w->call, counts) : status;
}

static enum fs_status reshape(struct work *w) {
  return fs_cuda_own_reshape(&w->own, w->call);
}

static enum fs_status over_ranks(struct work *w) {
  struct fs_lib_call own = fs_lib_own_copy(w->call);
  enum fs_status status = fs_lib_count(&own.a) ? fs_cuda_own_reshape(&w->own, &own) : FS_OK;
  if (status != FS_OK || w->call->op == FS_LIB_OWN_PART) return status;
  return fs_cuda_over_ranks(w->t, &w->l->nccl, w->call, w->d);
}

static enum fs_status so_far(struct work *w) {
  void *totals = NULL;
  int64_t count = fs_cuda_own_scan_totals(w->call);
  enum fs_status status = count ? take(w, count, 2 * sizeof(int64_t), &totals) : FS_OK;
  return status == FS_OK ? fs_cuda_own_scan(&w->own, w->call, totals) : status;
}

/* -- what is whose ---------------------------------------------------------------------------- */

static bool is_integer_product(const struct fs_lib_call *c) {
  return c->op == FS_LIB_GEMM && !fs_dtype_is_float(c->a.dtype) &&
         !fs_dtype_is_float(c->b.dtype);
}

/* Whether no library is needed, or whether none has the call. */
static bool is_own(const struct fs_lib_call *c) {
  if (fs_lib_is_fourier(c->op)) return fs_fourier_fits(c->length, c->out.dtype);
  return fs_lib_moves(c->op) || is_integer_product(c);
}

/* -- Fourier transforms ---------------------------------------------------------------------- */

static enum fs_status fourier_by_library(struct work *w) {
  const struct fs_lib_call *c = w->call;
  int64_t n = c->length, count = fs_lib_count(&c->a) / c->a.dim[c->axis];
  void *packed = NULL, *scratch = NULL;
  size_t bytes = 0;
  int plan = 0, code = fs_cuda_fft_plan(w->l->fft, fs_cuda_stream(w->t), n, count, w->wide, &bytes,
                                        &plan);
  if (code) return refused(w, "cuFFT", code);
  enum fs_status status = take(w, fs_mul_size(n, count), 2 * width(w), &packed);
  if (status == FS_OK) status = take(w, (int64_t)bytes, 1, &scratch);
  if (status == FS_OK) status = fs_cuda_own_fourier_pack(&w->own, c, packed);
  if (status != FS_OK) return status;
  code = fs_cuda_fft_run(w->l->fft, plan, packed, scratch);
  return code ? refused(w, "cuFFT", code) : fs_cuda_own_fourier_unpack(&w->own, c, packed);
}

static enum fs_status fourier(struct work *w) {
  return is_own(w->call) ? fs_cuda_own_fourier(&w->own, w->call) : fourier_by_library(w);
}

/* -- entry ---------------------------------------------------------------------------------*/

static bool is_for_host(const struct fs_lib_call *c) {
  bool least_squares = c->op == FS_LIB_SOLVE && c->a.dim[0] != c->a.dim[1];
  return least_squares || fs_lib_has_both(c->op) || !fs_lib_count(&c->out) || !fs_lib_count(&c->a);
}

static enum part part_of(const struct fs_lib_call *c) {
  return c->op == FS_LIB_GEMM ? BLAS : fs_lib_is_fourier(c->op) ? FFT : SOLVER;
}

/* Whether the device can do the call now; else the host does. */
static bool on_device(struct cuda *t, struct cuda_libraries *l,
                      const struct fs_lib_call *c) {
  if (is_own(c)) return true;
  if (is_for_host(c)) return false;
  if (c->op == FS_LIB_SOLVE) want(t, l, BLAS); /* if that is not there, cuSOLVER will do */
  want(t, l, part_of(c));
  return is_ready(l, part_of(c));
}

static enum fs_status warm_up_fourier(const struct work *w) {
  if (is_own(w->call)) return fs_cuda_own_fourier(&w->own, w->call);
  enum fs_status status = fs_cuda_own_fourier_pack(&w->own, w->call, NULL);
  return status == FS_OK ? fs_cuda_own_fourier_unpack(&w->own, w->call, NULL) : status;
}

/* Compiles the own kernels that the call may need. */
static enum fs_status warm_up(struct work *w) {
  const struct fs_lib_call *c = w->call;
  w->own.dry = true;
  if (c->op == FS_LIB_GATHER) return fs_cuda_own_gather(&w->own, c, NULL);
  if (c->op == FS_LIB_INVERT) return fs_cuda_own_invert(&w->own, c, NULL);
  if (c->op == FS_LIB_FIND) return fs_cuda_own_find(&w->own, c, NULL);
  if (c->op == FS_LIB_RESHAPE) return fs_cuda_own_reshape(&w->own, c);
  if (fs_lib_is_of_ranks(c->op)) {
    struct fs_lib_call own = fs_lib_own_copy(c);
    return fs_cuda_own_reshape(&w->own, &own);
  }
  if (c->op == FS_LIB_COMBINE) {
    struct fs_lib_call order = fs_cuda_own_order(c, NULL);
    enum fs_status status = FS_OK;
    if (!fs_cuda_own_any_order(c))
      status = fs_cuda_own_sort(&w->own, &order, NULL, NULL, NULL);
    return status == FS_OK ? fs_cuda_own_combine(&w->own, c, NULL, NULL) : status;
  }
  if (fs_lib_is_fourier(c->op)) return warm_up_fourier(w);
  if (fs_lib_is_scan(c->op)) return fs_cuda_own_scan(&w->own, c, NULL);
  if (fs_lib_is_sort(c->op)) return fs_cuda_own_sort(&w->own, c, NULL, NULL, NULL);
  if (is_integer_product(c)) return fs_cuda_own_product(&w->own, c);
  struct fs_lib_array x = columns(w, NULL, 1, 1);
  if (c->op == FS_LIB_GEMM) x.dtype = gemm_type(c);
  bool as_is = c->op == FS_LIB_GEMM && !wants_whole_lines(c, x.dtype);
  int ld;
  const struct fs_lib_array *in[] = {&c->a, c->has_b ? &c->b : NULL};
  enum fs_status status = FS_OK;
  for (int k = 0; k < 2 && status == FS_OK; k++)
    if (in[k] && (!as_is || in[k]->dtype != x.dtype || !order_of(in[k], &ld)))
      status = fs_cuda_own_copy(&w->own, in[k], &x, FS_CUDA_ALL, NULL);
  if (status == FS_OK &&
      (!as_is || c->out.dtype != x.dtype || !order_of(&c->out, &ld)))
    status = fs_cuda_own_copy(&w->own, &x, &c->out, FS_CUDA_ALL, NULL);
  if (status == FS_OK && c->op == FS_LIB_SOLVE)
    status = fs_cuda_own_form(&w->own, &c->a, NULL);
  struct fs_lib_array order = x;
  order.dtype = FS_F64;
  if (status == FS_OK && c->op == FS_LIB_LU)
    status = fs_cuda_own_copy(&w->own, &order, &c->out, FS_CUDA_ALL, NULL);
  if (status == FS_OK && c->op == FS_LIB_INV)
    status = fs_cuda_own_identity(&w->own, &x);
  if (status == FS_OK && fs_lib_asymmetry_allowed(c, 0) == 0)
    status = fs_cuda_own_asymmetry(&w->own, x.dtype, NULL, 0, NULL);
  bool signs = c->op == FS_LIB_EIGVECS || c->op == FS_LIB_SVD || c->op == FS_LIB_QR ||
               c->op == FS_LIB_QR_R;
  if (status == FS_OK && signs)
    status = fs_cuda_own_signs(&w->own, &x, false, NULL);
  return status;
}

static void set_up(struct cuda *t, const struct fs_code *code,
                   void *const *slots, struct fs_lib_call *call,
                   struct work *w, struct fs_diags *d) {
  fs_lib_call_read(code->plan, code->kernel, slots, call);
  memset(w, 0, sizeof *w);
  w->t = t, w->l = libraries(t), w->call = call, w->d = d;
  w->wide = call->a.dtype == FS_F64 || call->out.dtype == FS_F64 ||
            (call->has_b && call->b.dtype == FS_F64);
  w->own = (struct cuda_own_call){.t = t, .own = &w->l->own, .d = d};
}

enum fs_status fs_cuda_library_prepare(struct cuda *t,
                                       const struct fs_code *code,
                                       struct fs_diags *d) {
  struct fs_lib_call call;
  struct work w;
  fs_cuda_stream(t);
  set_up(t, code, NULL, &call, &w, d);
  if (on_device(t, w.l, &call)) return warm_up(&w);
  const char *why = NULL;
  if (fs_lib_is_fourier(call.op) || fs_lapack_present(&why)) return FS_OK;
  return fs_env_error(d, "no-lapack", NULL,
                      "%s needs %s or a host library, and neither is here: %s",
                      fs_lib_op_names[call.op],
                      part_of(&call) == BLAS ? "cuBLAS (libcublas.so.13 or .12)"
                                             : "cuSOLVER (libcusolver.so.12 or .11)", why);
}

static enum fs_status run(struct work *w) {
  static enum fs_status (*const routine[FS_LIB_OP_COUNT])(struct work *) = {
      [FS_LIB_GEMM] = gemm,          [FS_LIB_SOLVE] = solve,
      [FS_LIB_INV] = solve_by_lu,    [FS_LIB_CHOL] = cholesky,
      [FS_LIB_EIGVALS] = eigen,      [FS_LIB_EIGVECS] = eigen,
      [FS_LIB_SVDVALS] = singular,   [FS_LIB_GATHER] = by_list,
      [FS_LIB_FIND] = positions,     [FS_LIB_INVERT] = by_list,
      [FS_LIB_RESHAPE] = reshape,    [FS_LIB_SVD] = singular,
      [FS_LIB_QR] = qr,              [FS_LIB_QR_R] = qr,
      [FS_LIB_LU] = lu,              [FS_LIB_CUMSUM] = so_far,
      [FS_LIB_CUMPROD] = so_far,     [FS_LIB_CUMMAX] = so_far,
      [FS_LIB_CUMMIN] = so_far,      [FS_LIB_SORT] = sort,
      [FS_LIB_ARGSORT] = sort,       [FS_LIB_COMBINE] = by_list,
      [FS_LIB_FFT] = fourier,        [FS_LIB_RFFT] = fourier,
      [FS_LIB_IRFFT] = fourier,      [FS_LIB_ALL_REDUCE] = over_ranks,
      [FS_LIB_ALL_GATHER] = over_ranks, [FS_LIB_OWN_PART] = over_ranks};
  enum fs_status status = FS_OK;
  w->again = false;
  if (part_of(w->call) == SOLVER && !is_own(w->call)) { /* some numbers come back */
    void *found;
    status = take(w, 1, sizeof *w->found, &found);
    w->found = found;
    if (status == FS_OK)
      status = fs_cuda_zero(&w->t->base, found, sizeof *w->found, w->d);
  }
  if (status == FS_OK) status = w->call->batch.rank ? gemm_batch(w) : routine[w->call->op](w);
  drop(w);
  return status;
}

static enum fs_status launch(struct cuda *t, struct work *w) {
  if (!on_device(t, w->l, w->call)) {
    if (!is_for_host(w->call)) tell(w->l, part_of(w->call), w->d);
    return fs_cuda_host_call(t, w->call, w->d);
  }
  if (is_integer_product(w->call)) return fs_cuda_own_product(&w->own, w->call);
  enum fs_status status = run(w);
  if (!w->again) return status;
  fs_cuda_make_room(t);
  w->last = true;
  return run(w);
}

/* Products along the last axis of the batch at once, where cuBLAS has them so; else all one by
 * one. */
static enum fs_status launch_batch(struct cuda *t, const struct fs_lib_call *all, struct work *w) {
  int last = all->batch.rank - 1;
  bool at_once = lies_for_batches(all) && on_device(t, w->l, all) &&
                 all->batch.dim[last] <= INT32_MAX;
  int64_t count = fs_shape_count(&all->batch), each = at_once ? all->batch.dim[last] : 1;
  enum fs_status status = FS_OK;
  for (int64_t k = 0; k < count && status == FS_OK; k += each) {
    struct fs_lib_call call = fs_lib_call_nth(all, k);
    if (at_once) call.batch = (struct fs_shape){1, {each}};
    for (int i = 0; i < 3; i++) call.step[i][0] = all->step[i][last];
    w->call = &call;
    w->last = false;
    status = fs_interrupted() ? FS_INTERRUPTED : launch(t, w);
  }
  return status;
}

enum fs_status fs_cuda_library_launch(struct cuda *t,
                                      const struct fs_code *code,
                                      void *const *slots, struct fs_diags *d) {
  struct fs_lib_call call;
  struct work w;
  fs_cuda_stream(t); /* the libraries have it already */
  set_up(t, code, slots, &call, &w, d);
  enum fs_status status = fs_lib_check(&call, d);
  if (status != FS_OK) return status;
  return call.batch.rank ? launch_batch(t, &call, &w) : launch(t, &w);
}
