/* lapack.c - library kernels on host memory: GEMM, solves and factorisations by
 * OpenBLAS (or any BLAS and LAPACK), which is loaded when the first one is run.
 *
 * The library is called by its Fortran names, so one shared object of either
 * kind is enough. Those routines are column-major and overwrite their operands:
 * every factorisation works on a packed column-major copy; GEMM packs only what
 * is not already one of the two orders.
 */
#include "core/device/cpu/lapack.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/account.h"
#include "core/base/apart.h"
#include "core/plan/kernels/launches.h"
#include "elemlib/cpu/routines.h"

/* -- the library ------------------------------------------------------------ */

/* Hidden lengths of CHARACTER arguments come last, as gfortran passes them. */
#define FS_BLAS_FNS(X)                                                        \
  X(gemm, (const char *, const char *, const int *, const int *, const int *, \
           const void *, const void *, const int *, const void *, const int *,\
           const void *, void *, const int *, size_t, size_t))                \
  X(gemv, (const char *, const int *, const int *, const void *,             \
           const void *, const int *, const void *, const int *, const void *,\
           void *, const int *, size_t))                                      \
  X(syrk, (const char *, const char *, const int *, const int *, const void *, \
           const void *, const int *, const void *, void *, const int *,      \
           size_t, size_t))                                                   \
  X(trsv, (const char *, const char *, const char *, const int *,             \
           const void *, const int *, void *, const int *, size_t, size_t,    \
           size_t))                                                           \
  X(trsm, (const char *, const char *, const char *, const char *,            \
           const int *, const int *, const void *, const void *, const int *, \
           void *, const int *, size_t, size_t, size_t, size_t))              \
  X(gesv, (const int *, const int *, void *, const int *, int *, void *,      \
           const int *, int *))                                               \
  X(gels, (const char *, const int *, const int *, const int *, void *,       \
           const int *, void *, const int *, void *, const int *, int *,      \
           size_t))                                                           \
  X(getrf, (const int *, const int *, void *, const int *, int *, int *))     \
  X(getri, (const int *, void *, const int *, const int *, void *,            \
            const int *, int *))                                              \
  X(potrf, (const char *, const int *, void *, const int *, int *, size_t))   \
  X(geqrf, (const int *, const int *, void *, const int *, void *, void *,    \
            const int *, int *))                                              \
  X(orgqr, (const int *, const int *, const int *, void *, const int *,       \
            const void *, void *, const int *, int *))                        \
  X(syevd, (const char *, const char *, const int *, void *, const int *,     \
            void *, void *, const int *, int *, const int *, int *, size_t,   \
            size_t))                                                          \
  X(geev, (const char *, const char *, const int *, void *, const int *,      \
           void *, void *, void *, const int *, void *, const int *, void *,  \
           const int *, int *, size_t, size_t))                               \
  X(gees, (const char *, const char *, void *, const int *, void *, const int *, int *, void *,    \
           void *, void *, const int *, void *, const int *, void *, int *, size_t, size_t))      \
  X(gesdd, (const char *, const int *, const int *, void *, const int *,      \
            void *, void *, const int *, void *, const int *, void *,         \
            const int *, int *, int *, size_t))

/* Of complex matrices. */
#define FS_COMPLEX_FNS(X)                                                     \
  X(geev_complex, "geev_",                                                    \
    (const char *, const char *, const int *, void *, const int *, void *, void *, const int *,    \
     void *, const int *, void *, const int *, void *, int *, size_t, size_t))                     \
  X(gees_complex, "gees_",                                                                         \
    (const char *, const char *, void *, const int *, void *, const int *, int *, void *, void *,  \
     const int *, void *, const int *, void *, void *, int *, size_t, size_t))                     \
  X(heev, "heev_", (const char *, const char *, const int *, void *, const int *, void *, void *,  \
                    const int *, void *, int *, size_t, size_t))

/* Index 0: f32 ("sgemm_", "cgeev_"), 1: f64 ("dgemm_", "zgeev_"). */
static struct {
  bool tried, ok;
#define X(name, args) void (*name[2]) args;
  FS_BLAS_FNS(X)
#undef X
#define X(name, symbol, args) void (*name[2]) args;
  FS_COMPLEX_FNS(X)
#undef X
  void (*set_threads)(int);
  char *(*core)(void), *(*config)(void); /* of OpenBLAS; NULL: another library */
  const char *name;       /* of the file it is in                             */
  const char *core_by;    /* who chose the core                               */
  int most_threads;       /* that there was room for; 0: as many as asked for */
} lib;

static void *find(void *const *handles, const char *symbol) {
  for (int k = 0; handles[k]; k++) {
    void *fn = dlsym(handles[k], symbol);
    if (fn) return fn;
  }
  return NULL;
}

/* A function pointer from dlsym()'s object pointer, as POSIX allows. */
static void set_fn(void *slot, void *fn) { memcpy(slot, &fn, sizeof fn); }

static bool resolve(void *const *handles) {
#define X(name, args)                                        \
  set_fn(&lib.name[0], find(handles, "s" #name "_"));        \
  set_fn(&lib.name[1], find(handles, "d" #name "_"));        \
  if (!lib.name[0] || !lib.name[1]) return false;
  FS_BLAS_FNS(X)
#undef X
#define X(name, symbol, args)                                \
  set_fn(&lib.name[0], find(handles, "c" symbol));           \
  set_fn(&lib.name[1], find(handles, "z" symbol));           \
  if (!lib.name[0] || !lib.name[1]) return false;
  FS_COMPLEX_FNS(X)
#undef X
  set_fn(&lib.set_threads, find(handles, "openblas_set_num_threads"));
  set_fn(&lib.core, find(handles, "openblas_get_corename"));
  set_fn(&lib.config, find(handles, "openblas_get_config"));
  return true;
}

/* Like dlopen(), but a lack of memory is told as one, and then the next need of
 * the library tries again. */
static void *open_library(const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *error = handle ? NULL : dlerror();
  if (error && strstr(error, "memory")) fs_oom_raise();
  return handle;
}

/* What OpenBLAS maps, by version 0.3 on x86-64: a buffer of 129 MiB and a stack of 8 MiB
 * for each of its threads, and itself. Beside it the pool's threads take memory. */
static const size_t blas_buffer_bytes = (size_t)132 << 20, blas_thread_bytes = (size_t)160 << 20,
                    blas_other_bytes = (size_t)64 << 20, pool_bytes = (size_t)192 << 20;

static bool is_room_for(size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

/* OpenBLAS starts a thread for each processor, and one that cannot have its buffer asks
 * for it for ever. So where address space is limited (ulimit -v) and there is not ample
 * room for all of them, it is to start none beside the caller's; no room for that one
 * either is a lack of memory. */
static void make_room(void) {
  const char *said = getenv("OPENBLAS_NUM_THREADS");
  long asked = said ? strtol(said, NULL, 10) : 0;
  long all = FS_MAX(asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN), 1);
  if (is_room_for((size_t)all * blas_thread_bytes + blas_other_bytes + pool_bytes)) return;
  if (!is_room_for(blas_thread_bytes + blas_other_bytes)) fs_oom_raise();
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  lib.most_threads = 1;
}

/* The caller's own buffer is mapped by its first product that is not small, and then
 * kept: that product is here, while there is room. */
static void take_buffer(void) {
  const int n = 160;
  const float one = 1;
  if (!is_room_for(blas_buffer_bytes)) fs_oom_raise();
  float *zeros = fs_malloc(sizeof *zeros * 2 * n * n);
  memset(zeros, 0, sizeof *zeros * 2 * n * n);
  lib.gemm[0]("N", "N", &n, &n, &n, &one, zeros, &n, zeros, &n, &one, zeros + n * n, &n, 1, 1);
  free(zeros);
}

/* The kernels of OpenBLAS for this processor ("core"), or NULL: its own choice. It knows
 * processors by their numbers, and gives one that is newer than itself those for SSE3:
 * a product of 2000 x 2000 doubles by version 0.3.21 then takes 4 times as long. What a
 * processor can tells more. Every size from 1 to 300 of what is called here was right with
 * both of these, in f32 and f64, beside plain loops. */
static const char *core_of_features(void) {
  const char *isa = fs_cpu_routines(NULL)->isa;
  return !strcmp(isa, "avx512") ? "SkylakeX" : !strcmp(isa, "avx2") ? "Haswell" : NULL;
}

/* It reads its core from the environment while it is loaded; what the user set there
 * stays. */
static void load(void) {
  static const char *const sets[][3] = {{"libopenblas.so.0"},
                                        {"libopenblas.so.0", "liblapack.so.3"},
                                        {"libblas.so.3", "liblapack.so.3"},
                                        {"libblas.so", "liblapack.so"}};
  static const char variable[] = "OPENBLAS_CORETYPE";
  const char *said = getenv(variable), *core = core_of_features();
  bool choose = !(said && *said) && core;
  make_room();
  if (choose) setenv(variable, core, 1);
  for (size_t s = 0; s < FS_LEN(sets) && !lib.ok; s++) {
    void *handles[4] = {0};
    for (int n = 0, k = 0; k < 3 && sets[s][k]; k++)
      if ((handles[n] = open_library(sets[s][k]))) n++;
    lib.ok = resolve(handles);
    lib.name = sets[s][0];
  }
  if (choose) unsetenv(variable);
  if (lib.ok) take_buffer();
  bool taken = lib.core && !strcasecmp(lib.core(), choose ? core : said ? said : "");
  lib.core_by = !taken ? "the library itself" : choose ? "the processor's features" : variable;
  lib.tried = true;
}

bool fs_lapack_present(const char **why) {
  if (!lib.tried) {
    enum fs_part before = fs_account_to(FS_PART_COMPILING); /* and loading */
    load();
    fs_account_to(before);
  }
  if (!lib.ok && why)
    *why = "no BLAS/LAPACK library was found; Debian's package libopenblas0 "
           "has one";
  return lib.ok;
}

void fs_lapack_print(struct fs_str *out) {
  const char *why = NULL;
  if (!fs_lapack_present(&why)) {
    fs_str_puts(out, why);
    return;
  }
  const char *config = lib.config ? lib.config() : lib.name; /* "OpenBLAS 0.3.21 ..." */
  const char *space = strchr(config, ' '), *end = space ? strchr(space + 1, ' ') : NULL;
  fs_str_put_safe(out, config, end ? (size_t)(end - config) : strlen(config));
  if (!lib.core) return;
  fs_str_puts(out, ", kernels for ");
  fs_str_put_safe(out, lib.core(), strlen(lib.core()));
  fs_str_printf(out, " (chosen by %s)", lib.core_by);
}

/* -- elements --------------------------------------------------------------- */

static double read_double(enum fs_dtype dt, const char *p) {
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)      \
  case FS_##id: {                                       \
    stored x = *(const stored *)p;                      \
    return (double)(number);                            \
  }
#include "core/graph/dtypes.def"
    default: return 0;
  }
}

static void write_double(enum fs_dtype dt, char *p, double f) {
  int64_t i = fs_dtype_integer(FS_I64, f);
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, element) \
  case FS_##id: *(stored *)p = element; break;
#include "core/graph/dtypes.def"
    default: break;
  }
}

/* -- matrices between arrays and packed copies ------------------------------- */

/* A packed matrix of floats (wide = 0) or doubles (wide = 1), element (i, j) at
 * i*si + j*sj. */
struct packed {
  void *data;
  int wide;
  int64_t si, sj;
};

static char *at(const struct fs_lib_array *a, int64_t i, int64_t j) {
  return (char *)a->ptr + (i * a->stride[0] + j * a->stride[1]) *
                              (int64_t)fs_dtype_size(a->dtype);
}

static inline void pack_block(const struct fs_lib_array *a,
                              const struct packed *p, int64_t i0, int64_t j0,
                              int64_t i1, int64_t j1) {
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++) {
      double v = read_double(a->dtype, at(a, i, j));
      int64_t e = i * p->si + j * p->sj;
      if (p->wide)
        ((double *)p->data)[e] = v;
      else
        ((float *)p->data)[e] = (float)v;
    }
}

static inline void unpack_block(const struct fs_lib_array *a,
                                const struct packed *p, int64_t i0, int64_t j0,
                                int64_t i1, int64_t j1) {
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++) {
      int64_t e = i * p->si + j * p->sj;
      double v = p->wide ? ((double *)p->data)[e] : ((float *)p->data)[e];
      write_double(a->dtype, at(a, i, j), v);
    }
}

/* Halves that lie in lines, rows or columns, on both sides: by the target's routines,
 * five times as fast as element by element. False: they do not. */
static bool convert_lines(const struct fs_lib_array *a, const struct packed *p,
                          bool packing) {
  if (p->wide || !fs_dtype_is_half(a->dtype)) return false;
  int along = a->stride[1] == 1 && p->sj == 1 ? 1 : 0;
  if (!along && (a->stride[0] != 1 || p->si != 1)) return false;
  const struct fs_routines *r = fs_cpu_routines(NULL);
  for (int64_t k = 0; k < a->dim[!along]; k++) {
    uint16_t *halves = (uint16_t *)a->ptr + k * a->stride[!along];
    float *floats = (float *)p->data + k * (along ? p->si : p->sj);
    if (packing) r->load[a->dtype](floats, halves, a->dim[along]);
    else r->store[a->dtype](halves, floats, a->dim[along]);
  }
  return true;
}

/* In tiles, so that a transposing copy does not walk a column per line. */
enum { TILE = 32 };
static void pack(const struct fs_lib_array *a, const struct packed *p) {
  if (convert_lines(a, p, true)) return;
  for (int64_t i = 0; i < a->dim[0]; i += TILE)
    for (int64_t j = 0; j < a->dim[1]; j += TILE)
      pack_block(a, p, i, j, FS_MIN(i + TILE, a->dim[0]),
                 FS_MIN(j + TILE, a->dim[1]));
}

static void unpack(const struct fs_lib_array *a, const struct packed *p) {
  if (convert_lines(a, p, false)) return;
  for (int64_t i = 0; i < a->dim[0]; i += TILE)
    for (int64_t j = 0; j < a->dim[1]; j += TILE)
      unpack_block(a, p, i, j, FS_MIN(i + TILE, a->dim[0]),
                   FS_MIN(j + TILE, a->dim[1]));
}

/* Result k of a call that has several. */
static void unpack_part(const struct fs_lib_call *c, int k, const struct packed *p) {
  struct fs_lib_array to = fs_lib_result_part(c, k);
  unpack(&to, p);
}

/* What one call holds on to, freed at its end. */
struct scratch {
  void *blocks[8];
  int n;
  bool failed;
};

static void *take(struct scratch *s, int64_t count, size_t size) {
  int64_t bytes = fs_mul_size(FS_MAX(count, 1), (int64_t)size);
  void *p = s->failed || bytes < 0 ? NULL : malloc((size_t)bytes);
  if (!p)
    s->failed = true;
  else
    s->blocks[s->n++] = p;
  return p;
}

static void drop(struct scratch *s) {
  while (s->n) free(s->blocks[--s->n]);
}

static enum fs_status no_memory(const struct fs_lib_call *c,
                                struct fs_diags *d) {
  return fs_env_error(d, "out-of-memory", NULL,
                      "not enough host memory for %s of %" PRId64 "x%" PRId64,
                      fs_lib_op_names[c->op], c->a.dim[0], c->a.dim[1]);
}

/* A column-major copy of `a` with `rows` >= a->dim[0] rows. */
static struct packed columns(struct scratch *s, const struct fs_lib_array *a,
                             int wide, int64_t rows) {
  struct packed p = {.wide = wide, .si = 1, .sj = rows};
  int64_t count = fs_mul_size(rows, FS_MAX(a->dim[1], 1));
  p.data = take(s, count, wide ? 8 : 4);
  if (p.data) pack(a, &p);
  return p;
}

/* Room for a column-major m x n matrix. */
static struct packed new_columns(struct scratch *s, int wide, int64_t m, int64_t n) {
  struct packed p = {.wide = wide, .si = 1, .sj = m};
  p.data = take(s, fs_mul_size(m, n), wide ? 8 : 4);
  return p;
}

static double packed_get(const struct packed *p, int64_t e) {
  return p->wide ? ((double *)p->data)[e] : ((float *)p->data)[e];
}

static void packed_put(const struct packed *p, int64_t e, double v) {
  if (p->wide)
    ((double *)p->data)[e] = v;
  else
    ((float *)p->data)[e] = (float)v;
}

/* -- GEMM -------------------------------------------------------------------- */

/* How BLAS may read or write `a` as it lies: 'R' row-major with *ld, 'C'
 * column-major, 0 not at all. */
static char order_of(const struct fs_lib_array *a, int64_t *ld) {
  const int64_t *n = a->dim, *s = a->stride;
  if ((n[1] == 1 || s[1] == 1) && (n[0] == 1 || s[0] >= FS_MAX(n[1], 1))) {
    *ld = n[0] == 1 ? FS_MAX(n[1], 1) : s[0];
    return *ld <= INT32_MAX ? 'R' : 0;
  }
  if ((n[0] == 1 || s[0] == 1) && (n[1] == 1 || s[1] >= FS_MAX(n[0], 1))) {
    *ld = n[1] == 1 ? FS_MAX(n[0], 1) : s[1];
    return *ld <= INT32_MAX ? 'C' : 0;
  }
  return 0;
}

struct gemm_operand {
  void *ptr;
  char order;
  int64_t ld;
};

/* The array itself where BLAS can use it, else a block for it: column-major for an
 * operand whose columns lie in lines, else row-major. */
static struct gemm_operand gemm_operand(struct scratch *s,
                                        const struct fs_lib_array *a, int wide,
                                        bool is_result) {
  struct gemm_operand g = {.ptr = a->ptr};
  if (a->dtype == (wide ? FS_F64 : FS_F32)) g.order = order_of(a, &g.ld);
  if (g.order) return g;
  bool columns = !is_result && a->stride[0] == 1 && a->stride[1] != 1;
  g.order = columns ? 'C' : 'R';
  g.ld = FS_MAX(a->dim[columns ? 0 : 1], 1);
  struct packed p = {.wide = wide, .si = columns ? 1 : g.ld, .sj = columns ? g.ld : 1};
  p.data = g.ptr = take(s, fs_mul_size(FS_MAX(a->dim[columns ? 1 : 0], 1), g.ld),
                        wide ? 8 : 4);
  if (p.data && !is_result) pack(a, &p);
  return g;
}

/* Gives a symmetric matrix, of which syrk computes the rows up to the diagonal, the
 * others: element (i, j) at i*ld + j is (j, i). In tiles, as pack() does. */
#define FS_MIRROR(TYPE)                                              \
  for (int64_t i0 = 0; i0 < n; i0 += TILE)                           \
    for (int64_t j0 = i0; j0 < n; j0 += TILE)                        \
      for (int64_t i = i0; i < FS_MIN(i0 + TILE, n); i++)            \
        for (int64_t j = FS_MAX(j0, i + 1); j < FS_MIN(j0 + TILE, n); j++) \
          ((TYPE *)data)[i * ld + j] = ((TYPE *)data)[j * ld + i];
static void mirror(void *data, int64_t n, int64_t ld, int wide) {
  if (wide) FS_MIRROR(double) else FS_MIRROR(float)
}
#undef FS_MIRROR

/* A product as BLAS computes it: `out`, column-major, = left * right. Memory in row-major
 * order is the transpose already, so C = A*B is C' = B'*A' of operands as they lie. */
struct product {
  struct gemm_operand left, right;
  char *out;
  int ld, wide;
  int64_t rows, cols, depth;
  bool symmetric; /* right is left transposed: rows up to the diagonal are computed */
};

/* A part of it: `rows` from row i on, and so forth. */
struct part {
  int64_t i, j, l;
  int rows, cols, depth;
};

/* A call of the library cannot be interrupted, so none has more operations than this: a
 * fifth of a second in f64 on two processors. Half of it made a product of 4000 x 4000
 * slower by a tenth, this by 3 %. The parts depend on the shape alone, for last bits may
 * depend on them. */
static const double most_operations = 0x1p34;
enum { LEAST_SIDE = 512, MOST_DEPTH = 1 << 15, STEP = 192 /* whole tiles of any library */ };

/* n cut into equal parts of at most `most`, in steps. */
static int64_t equal_parts(int64_t n, int64_t most) {
  int64_t count = (n + most - 1) / most, part = (n + count - 1) / count;
  return count == 1 ? n : FS_MIN(n, (part + STEP - 1) / STEP * STEP);
}

/* The size of all parts but the last. */
static struct part part_size(const struct product *p) {
  int64_t side = FS_MAX(p->rows, p->cols), rows = p->rows, cols = p->cols;
  double each = 2.0 * (double)p->depth;
  while (side > LEAST_SIDE && each * (double)rows * (double)cols > most_operations) {
    side /= 2;
    rows = FS_MIN(p->rows, side), cols = FS_MIN(p->cols, side);
  }
  bool deep = each * (double)rows * (double)cols > most_operations;
  return (struct part){.rows = (int)equal_parts(p->rows, rows),
                       .cols = (int)equal_parts(p->cols, cols),
                       .depth = deep ? (int)FS_MIN(p->depth, MOST_DEPTH) : (int)p->depth};
}

/* Adds to the part of `out` after its first piece of the depth. */
static void multiply_part(const struct product *p, const struct part *t) {
  const double one64 = 1, zero64 = 0;
  const float one32 = 1, zero32 = 0;
  int wide = p->wide, lda = (int)p->left.ld, ldb = (int)p->right.ld, size = wide ? 8 : 4;
  const void *one = wide ? (const void *)&one64 : &one32;
  const void *zero = wide ? (const void *)&zero64 : &zero32, *beta = t->l ? one : zero;
  bool plain = p->left.order == 'R', turned = p->right.order != 'R';
  const char *a = (const char *)p->left.ptr +
                  size * (plain ? t->i + t->l * p->left.ld : t->i * p->left.ld + t->l);
  const char *b = (const char *)p->right.ptr +
                  size * (turned ? t->j + t->l * p->right.ld : t->j * p->right.ld + t->l);
  char *c = p->out + size * (t->i + t->j * p->ld);
  int step = plain ? lda : 1; /* of a vector on the left */
  if (p->rows == 1)
    lib.gemv[wide](turned ? "N" : "T", turned ? &t->cols : &t->depth,
                   turned ? &t->depth : &t->cols, one, b, &ldb, a, &step, beta, c, &p->ld, 1);
  else if (p->symmetric && t->i == t->j)
    lib.syrk[wide]("U", plain ? "N" : "T", &t->cols, &t->depth, one, a, &lda, beta, c,
                   &p->ld, 1, 1);
  else
    lib.gemm[wide](plain ? "N" : "T", turned ? "T" : "N", &t->rows, &t->cols, &t->depth, one,
                   a, &lda, b, &ldb, beta, c, &p->ld, 1, 1);
}

/* FS_INTERRUPTED where an interrupt is seen between two parts. */
static enum fs_status multiply(const struct product *p) {
  struct part size = part_size(p), t;
  for (t.j = 0; t.j < p->cols; t.j += size.cols)
    for (t.i = 0; t.i < (p->symmetric ? t.j + 1 : p->rows); t.i += size.rows)
      for (t.l = 0; t.l < p->depth; t.l += size.depth) {
        if (fs_interrupted()) return FS_INTERRUPTED;
        t.rows = (int)FS_MIN(size.rows, p->rows - t.i);
        t.cols = (int)FS_MIN(size.cols, p->cols - t.j);
        t.depth = (int)FS_MIN(size.depth, p->depth - t.l);
        multiply_part(p, &t);
      }
  return FS_OK;
}

static enum fs_status gemm_float(const struct fs_lib_call *call, int wide,
                                 struct fs_diags *d) {
  struct fs_lib_call c = *call;
  int64_t ld;
  if (c.out.dtype == (wide ? FS_F64 : FS_F32) && order_of(&c.out, &ld) == 'C') {
    c.a = fs_lib_transposed(call->b), c.b = fs_lib_transposed(call->a);
    c.out = fs_lib_transposed(c.out);
  }
  struct scratch s = {0};
  struct gemm_operand a = gemm_operand(&s, &c.a, wide, false);
  struct gemm_operand b = c.with_itself ? a : gemm_operand(&s, &c.b, wide, false);
  struct gemm_operand out = gemm_operand(&s, &c.out, wide, true);
  if (s.failed) {
    drop(&s);
    return no_memory(call, d);
  }
  /* Of a product with itself, the left operand is the other one transposed. */
  if (c.with_itself) b.order = a.order == 'R' ? 'C' : 'R';
  struct product p = {.left = b, .right = a, .out = out.ptr, .ld = (int)out.ld,
                      .wide = wide, .rows = c.out.dim[1], .cols = c.out.dim[0],
                      .depth = c.a.dim[1], .symmetric = c.with_itself};
  enum fs_status status = multiply(&p);
  if (status == FS_OK && c.with_itself) mirror(out.ptr, p.rows, out.ld, wide);
  if (status == FS_OK && out.ptr != c.out.ptr) {
    struct packed packed = {.data = out.ptr, .wide = wide, .si = out.ld, .sj = 1};
    unpack(&c.out, &packed);
  }
  drop(&s);
  return status;
}

static int64_t read_int(enum fs_dtype dt, const char *p) {
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)      \
  case FS_##id: {                                       \
    stored x = *(const stored *)p;                      \
    return (int64_t)(number);                           \
  }
#include "core/graph/dtypes.def"
    default: return 0;
  }
}

static double largest(const struct fs_lib_array *a) {
  double most = 0;
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      most = FS_MAX(most, fabs(read_double(a->dtype, at(a, i, j))));
  return most;
}

/* Integer products wrap around, as they do elementwise. */
static enum fs_status gemm_wrapping(const struct fs_lib_call *c,
                                    struct fs_diags *d) {
  int64_t m = c->out.dim[0], n = c->out.dim[1], depth = c->a.dim[1];
  uint64_t *row = malloc(sizeof *row * (size_t)FS_MAX(n, 1));
  if (!row) return no_memory(c, d);
  enum fs_status status = FS_OK;
  for (int64_t i = 0; i < m && status == FS_OK; i++) {
    memset(row, 0, sizeof *row * (size_t)n);
    for (int64_t k = 0; k < depth; k++) {
      uint64_t x = (uint64_t)read_int(c->a.dtype, at(&c->a, i, k));
      for (int64_t j = 0; j < n; j++)
        row[j] += x * (uint64_t)read_int(c->b.dtype, at(&c->b, k, j));
    }
    for (int64_t j = 0; j < n; j++) {
      char *p = at(&c->out, i, j);
      if (fs_dtypes[c->out.dtype].bytes == 8)
        *(uint64_t *)p = row[j];
      else if (c->out.dtype == FS_I32)
        *(uint32_t *)p = (uint32_t)row[j];
      else
        write_double(c->out.dtype, p, (double)(int64_t)row[j]);
    }
    if (fs_interrupted()) status = FS_INTERRUPTED;
  }
  free(row);
  return status;
}

static void fill_out(const struct fs_lib_array *a, double v) {
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      write_double(a->dtype, at(a, i, j), v);
}

static enum fs_status gemm(const struct fs_lib_call *c, struct fs_diags *d) {
  if (!fs_lib_count(&c->out)) return FS_OK;
  if (!c->a.dim[1]) {
    fill_out(&c->out, 0);
    return FS_OK;
  }
  if (fs_dtype_is_float(c->a.dtype) || fs_dtype_is_float(c->b.dtype)) {
    bool wide = c->a.dtype == FS_F64 || c->b.dtype == FS_F64 ||
                c->out.dtype == FS_F64;
    return gemm_float(c, wide, d);
  }
  /* In doubles every partial sum is exact below 2^53. */
  bool exact = largest(&c->a) * largest(&c->b) * (double)c->a.dim[1] < 0x1p53;
  return exact && lib.ok ? gemm_float(c, 1, d) : gemm_wrapping(c, d);
}

/* -- solves ------------------------------------------------------------------ */

/* A NaN in the matrix is in every element of a solution or inverse. LAPACK would choose
 * pivots around it, and give some numbers that look good. */
static bool has_nan(const struct packed *a, int64_t count) {
  int found = 0;
  if (a->wide)
    for (int64_t e = 0; e < count; e++) found |= isnan(((double *)a->data)[e]);
  else
    for (int64_t e = 0; e < count; e++) found |= isnan(((float *)a->data)[e]);
  return found;
}

/* Whether it has one; then all of the result is. */
static bool gives_nan(const struct fs_lib_call *c, const struct packed *a, int64_t count) {
  bool nan = has_nan(a, count);
  if (nan) fill_out(&c->out, NAN);
  return nan;
}

/* What is in a row or column: bit 0, something but zeros; bit 1, a NaN. */
#define FS_LOOK(TYPE)                            \
  for (int64_t e = 0; e < n; e++) {              \
    TYPE x = ((const TYPE *)p)[e];               \
    some |= x != 0, nan |= x != x;               \
  }
static int contents(const void *p, int64_t n, int wide) {
  int some = 0, nan = 0;
  if (wide) FS_LOOK(double) else FS_LOOK(float)
  return some | nan << 1;
}
#undef FS_LOOK

/* A square matrix that lies as 'R' or 'C' says, looked at row by row or column by column
 * until both sides of its diagonal have something. */
static struct fs_lib_form form_of(const struct gemm_operand *a, int64_t n, int wide) {
  int size = wide ? 8 : 4, before = 0, after = 0;
  struct fs_lib_form f = {0};
  for (int64_t k = 0; k < n && !(before && after); k++) {
    const char *line = (const char *)a->ptr + k * a->ld * size;
    int middle = contents(line + k * size, 1, wide);
    before |= contents(line, k, wide);
    after |= contents(line + (k + 1) * size, n - k - 1, wide);
    f.nan |= (before | middle | after) >> 1;
    if (!middle && !f.zero) f.zero = k + 1;
  }
  f.below = a->order == 'R' ? before : after;
  f.above = a->order == 'R' ? after : before;
  return f;
}

/* By substitution. The operand may lie in either order: rows are the columns of A'. */
static enum fs_status solve_triangular(const struct fs_lib_call *c, int wide,
                                       const struct gemm_operand *a, bool upper,
                                       struct scratch *s) {
  int n = (int)c->a.dim[0], k = (int)c->b.dim[1], ld = (int)a->ld, step = 1;
  bool rows = a->order == 'R';
  const char *uplo = upper != rows ? "U" : "L", *trans = rows ? "T" : "N";
  const double one64 = 1;
  const float one32 = 1;
  struct packed b = columns(s, &c->b, wide, n);
  if (s->failed) return FS_ERR_ENV;
  if (k == 1)
    lib.trsv[wide](uplo, trans, "N", &n, a->ptr, &ld, b.data, &step, 1, 1, 1);
  else
    lib.trsm[wide]("L", uplo, trans, "N", &n, &k,
                   wide ? (const void *)&one64 : (const void *)&one32, a->ptr, &ld,
                   b.data, &n, 1, 1, 1, 1);
  unpack(&c->out, &b);
  return FS_OK;
}

static enum fs_status solve_square(const struct fs_lib_call *c, int wide,
                                   struct scratch *s, int *info) {
  int n = (int)c->a.dim[0], k = (int)c->b.dim[1];
  struct gemm_operand as_it_is = gemm_operand(s, &c->a, wide, false);
  if (s->failed) return FS_ERR_ENV;
  struct fs_lib_form form = form_of(&as_it_is, n, wide);
  if (!form.above || !form.below) {
    if (form.nan) fill_out(&c->out, NAN);
    else if (form.zero) *info = (int)form.zero;
    else return solve_triangular(c, wide, &as_it_is, !form.below, s);
    return FS_OK;
  }
  struct packed a = columns(s, &c->a, wide, n);
  struct packed b = columns(s, &c->b, wide, n);
  int *pivots = take(s, n, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)n * n)) return FS_OK;
  lib.gesv[wide](&n, &k, a.data, &n, pivots, b.data, &n, info);
  if (!*info) unpack(&c->out, &b);
  return FS_OK;
}

/* The size that a routine asked for in its first work element. */
static int work_size(const double *query, int wide) {
  float f;
  memcpy(&f, query, sizeof f);
  /* A float rounds sizes above 2^24 down; ask for a little more. */
  double size = wide ? *query : (double)f * (1 + 0x1p-22);
  return size < INT32_MAX ? (int)ceil(size) : INT32_MAX;
}

/* Whether the triangle that gels left has a diagonal element that is only
 * rounding: then the columns (rows) depend on each other. */
static bool is_deficient(const struct packed *a, int64_t m, int64_t n) {
  double most = 0, least = INFINITY;
  for (int64_t i = 0; i < FS_MIN(m, n); i++) {
    double x = fabs(packed_get(a, i + i * m));
    most = FS_MAX(most, x), least = FS_MIN(least, x);
  }
  double unit = a->wide ? 0x1p-50 : 0x1p-21; /* four roundings */
  return !(least > unit * (double)FS_MAX(m, n) * most);
}

static enum fs_status solve_least_squares(const struct fs_lib_call *c, int wide,
                                          struct scratch *s, int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = (int)c->b.dim[1];
  int ldb = FS_MAX(m, n), ask = -1;
  struct packed a = columns(s, &c->a, wide, m);
  struct packed b = columns(s, &c->b, wide, ldb);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)m * n)) return FS_OK;
  double query = 0;
  lib.gels[wide]("N", &m, &n, &k, a.data, &m, b.data, &ldb, &query, &ask, info,
                 1);
  int size = work_size(&query, wide);
  void *work = take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  lib.gels[wide]("N", &m, &n, &k, a.data, &m, b.data, &ldb, work, &size, info,
                 1);
  if (!*info && is_deficient(&a, m, n)) *info = 1;
  if (!*info) unpack(&c->out, &b);
  return FS_OK;
}

static enum fs_status solve(const struct fs_lib_call *c, int wide,
                            struct scratch *s, int *info) {
  return c->a.dim[0] == c->a.dim[1] ? solve_square(c, wide, s, info)
                                    : solve_least_squares(c, wide, s, info);
}

static enum fs_status invert(const struct fs_lib_call *c, int wide,
                             struct scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1;
  struct packed a = columns(s, &c->a, wide, n);
  int *pivots = take(s, n, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)n * n)) return FS_OK;
  lib.getrf[wide](&n, &n, a.data, &n, pivots, info);
  if (*info) return FS_OK;
  double query = 0;
  lib.getri[wide](&n, a.data, &n, pivots, &query, &ask, info);
  int size = work_size(&query, wide);
  void *work = take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  lib.getri[wide](&n, a.data, &n, pivots, work, &size, info);
  if (!*info) unpack(&c->out, &a);
  return FS_OK;
}

/* -- factorisations ------------------------------------------------------------ */

static enum fs_status cholesky(const struct fs_lib_call *c, int wide,
                               struct scratch *s, int *info) {
  int n = (int)c->a.dim[0];
  struct packed a = columns(s, &c->a, wide, n);
  if (s->failed) return FS_ERR_ENV;
  lib.potrf[wide]("U", &n, a.data, &n, info, 1);
  if (*info) return FS_OK;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) packed_put(&a, i + j * n, 0);
  unpack(&c->out, &a);
  return FS_OK;
}

static void turn_column(const struct packed *v, int64_t j, int64_t m) {
  for (int64_t i = 0; i < m; i++) {
    int64_t e = i * v->si + j * v->sj;
    packed_put(v, e, 0 - packed_get(v, e));
  }
}

/* The signs of columns that may be turned are made such that all targets agree: the
 * largest component (the first of equals) or, `by_diagonal`, that on the diagonal is not
 * negative. The columns of `with` (NULL: none) turn along. */
static void fix_signs(const struct packed *v, int64_t m, int64_t n, bool by_diagonal,
                      const struct packed *with, int64_t with_m) {
  for (int64_t j = 0; j < n; j++) {
    double most = by_diagonal ? packed_get(v, j * v->si + j * v->sj) : 0;
    for (int64_t i = 0; i < m && !by_diagonal; i++) {
      double x = packed_get(v, i * v->si + j * v->sj);
      if (fabs(x) > fabs(most)) most = x;
    }
    if (most >= 0) continue;
    turn_column(v, j, m);
    if (with) turn_column(with, j, with_m);
  }
}

static enum fs_status eigen(const struct fs_lib_call *c, int wide,
                            struct scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1, isize = 0;
  bool vectors = c->op == FS_LIB_EIGVECS;
  const char *job = vectors ? "V" : "N";
  struct packed a = columns(s, &c->a, wide, n);
  struct packed w = {.wide = wide, .si = 1, .sj = n};
  w.data = take(s, n, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  lib.syevd[wide](job, "U", &n, a.data, &n, w.data, &query, &ask, &isize, &ask,
                  info, 1, 1);
  int size = work_size(&query, wide);
  void *work = take(s, size, wide ? 8 : 4);
  int *iwork = take(s, isize, sizeof *iwork);
  if (s->failed) return FS_ERR_ENV;
  lib.syevd[wide](job, "U", &n, a.data, &n, w.data, work, &size, iwork, &isize,
                  info, 1, 1);
  if (*info) return FS_OK;
  if (vectors) fix_signs(&a, n, n, false, NULL, 0);
  unpack(&c->out, vectors ? &a : &w);
  return FS_OK;
}

static enum fs_status singular(const struct fs_lib_call *c, int wide,
                               struct scratch *s, int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], least = FS_MIN(m, n), ask = -1;
  bool vectors = c->op == FS_LIB_SVD;
  const char *job = vectors ? "S" : "N";
  struct packed a = columns(s, &c->a, wide, m), u = {0}, vt = {0};
  struct packed w = new_columns(s, wide, least, 1);
  if (vectors) {
    u = new_columns(s, wide, m, least);
    vt = new_columns(s, wide, least, n);
  }
  int *iwork = take(s, 8 * (int64_t)least, sizeof *iwork);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  lib.gesdd[wide](job, &m, &n, a.data, &m, w.data, u.data, &m, vt.data, &least,
                  &query, &ask, iwork, info, 1);
  int size = work_size(&query, wide);
  void *work = take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  lib.gesdd[wide](job, &m, &n, a.data, &m, w.data, u.data, &m, vt.data, &least, work,
                  &size, iwork, info, 1);
  if (*info) return FS_OK;
  if (!vectors) return unpack(&c->out, &w), FS_OK;
  struct packed v = {vt.data, wide, vt.sj, vt.si};
  fix_signs(&u, m, least, false, &v, n);
  unpack_part(c, 0, &u);
  unpack_part(c, 1, &w);
  unpack_part(c, 2, &v);
  return FS_OK;
}

/* The upper triangle of what a factorisation left in `a`, as a rows x cols matrix. */
static struct packed triangle_of(struct scratch *s, const struct packed *a, int64_t rows,
                                 int64_t cols) {
  struct packed r = new_columns(s, a->wide, rows, cols);
  for (int64_t j = 0; j < cols && r.data; j++)
    for (int64_t i = 0; i < rows; i++)
      packed_put(&r, i + j * rows, i > j ? 0 : packed_get(a, i + j * a->sj));
  return r;
}

/* The columns below the diagonal, which is 1. */
static struct packed unit_triangle_of(struct scratch *s, const struct packed *a, int64_t rows,
                                      int64_t cols) {
  struct packed l = new_columns(s, a->wide, rows, cols);
  for (int64_t j = 0; j < cols && l.data; j++)
    for (int64_t i = 0; i < rows; i++)
      packed_put(&l, i + j * rows, i > j ? packed_get(a, i + j * a->sj) : i == j);
  return l;
}

/* A pivot of 0 is no error: L*U is A all the same. */
static enum fs_status lu(const struct fs_lib_call *c, int wide, struct scratch *s,
                         int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = FS_MIN(m, n);
  struct packed a = columns(s, &c->a, wide, m), order = new_columns(s, 1, m + (int64_t)n, 1);
  int *pivots = take(s, k, sizeof *pivots);
  if (s->failed) return FS_ERR_ENV;
  bool nan = has_nan(&a, (int64_t)m * n);
  if (!nan) lib.getrf[wide](&m, &n, a.data, &m, pivots, info);
  if (*info < 0) return FS_OK;
  *info = 0;
  struct packed l = unit_triangle_of(s, &a, m, k), u = triangle_of(s, &a, k, n);
  if (s->failed) return FS_ERR_ENV;
  fs_lib_order(pivots, nan ? 0 : k, m, n, order.data);
  struct packed signs = order;
  signs.data = (double *)order.data + m;
  if (nan) fill_out(&c->out, NAN);
  else unpack_part(c, 0, &l), unpack_part(c, 1, &u);
  unpack_part(c, 2, &order);
  unpack_part(c, 3, &signs);
  return FS_OK;
}

static enum fs_status qr(const struct fs_lib_call *c, int wide, struct scratch *s,
                         int *info) {
  int m = (int)c->a.dim[0], n = (int)c->a.dim[1], k = FS_MIN(m, n), ask = -1;
  bool both = c->op == FS_LIB_QR;
  struct packed a = columns(s, &c->a, wide, m), tau = new_columns(s, wide, k, 1);
  if (s->failed) return FS_ERR_ENV;
  if (gives_nan(c, &a, (int64_t)m * n)) return FS_OK;
  double query = 0;
  lib.geqrf[wide](&m, &n, a.data, &m, tau.data, &query, &ask, info);
  int size = work_size(&query, wide);
  if (both) lib.orgqr[wide](&m, &k, &k, a.data, &m, tau.data, &query, &ask, info);
  if (both) size = FS_MAX(size, work_size(&query, wide));
  void *work = take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  lib.geqrf[wide](&m, &n, a.data, &m, tau.data, work, &size, info);
  struct packed r = triangle_of(s, &a, k, n), rows = {r.data, wide, r.sj, r.si};
  if (s->failed) return FS_ERR_ENV;
  if (both) lib.orgqr[wide](&m, &k, &k, a.data, &m, tau.data, work, &size, info);
  fix_signs(&rows, n, k, true, both ? &a : NULL, m);
  if (!both) return unpack(&c->out, &r), FS_OK;
  unpack_part(c, 0, &a);
  unpack_part(c, 1, &r);
  return FS_OK;
}

/* -- eigenvalues of any matrix -------------------------------------------------- */

/* A complex matrix, column by column, both parts of an element side by side. */
static struct packed complex_columns(struct scratch *s, const struct fs_lib_call *c, int wide) {
  int64_t n = c->a.dim[0];
  struct packed z = new_columns(s, wide, 2 * n, n);
  for (int64_t j = 0; j < n && z.data; j++)
    for (int64_t i = 0; i < n; i++) {
      packed_put(&z, 2 * (i + j * n), read_double(c->a.dtype, at(&c->a, i, j)));
      packed_put(&z, 2 * (i + j * n) + 1, read_double(c->b.dtype, at(&c->b, i, j)));
    }
  return z;
}

/* Whether elements that lie opposite each other are no further from conjugates than rounding. */
static bool is_hermitian(const struct packed *z, int64_t n) {
  double most = 0, far = 0, unit = z->wide ? 0x1p-53 : 0x1p-24;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      int64_t a = 2 * (i + j * n), b = 2 * (j + i * n);
      double re = packed_get(z, a), im = packed_get(z, a + 1);
      most = fmax(most, fmax(fabs(re), fabs(im)));
      far = fmax(far, fmax(fabs(re - packed_get(z, b)), fabs(im + packed_get(z, b + 1))));
    }
  return far <= most * (double)n * unit;
}

/* Element (i, j) of result k, in both parts. */
static void put_complex(const struct fs_lib_call *c, int k, int64_t i, int64_t j, double re,
                        double im) {
  for (int part = 0; part < 2; part++) {
    struct fs_lib_array to = fs_lib_result_part(c, 2 * k + part);
    write_double(to.dtype, at(&to, i, j), part ? im : re);
  }
}

/* Vector j, its largest component real and positive; imaginary parts, from v[im], times `sign`. */
static void put_vector(const struct fs_lib_call *c, const struct packed *v, int64_t re,
                       int64_t im, int64_t step, double sign, int64_t j) {
  int64_t n = c->a.dim[0], most = 0; /* cr + i ci turns it */
  double size = 0, cr = 1, ci = 0;
  for (int64_t i = 0; i < n; i++) {
    double x = packed_get(v, re + i * step), y = sign * packed_get(v, im + i * step);
    if (hypot(x, y) > size * (1 + 0x1p-20)) /* the first of equals */
      size = hypot(x, y), most = i, cr = x / size, ci = -y / size;
  }
  for (int64_t i = 0; i < n; i++) {
    double a = packed_get(v, re + i * step), b = sign * packed_get(v, im + i * step);
    put_complex(c, 1, i, j, a * cr - b * ci, i == most ? 0 : a * ci + b * cr);
  }
}

/* Of a complex matrix; Hermitian ones as such. */
static enum fs_status eigen_of_complex(const struct fs_lib_call *c, int wide, struct scratch *s,
                                       int *info) {
  int n = (int)c->a.dim[0], ask = -1, one = 1;
  bool vectors = c->op == FS_LIB_EIG;
  const char *job = vectors ? "V" : "N";
  struct packed a = complex_columns(s, c, wide), w = new_columns(s, wide, 2 * (int64_t)n, 1);
  struct packed v = new_columns(s, wide, 2 * (int64_t)n, vectors ? n : 1);
  struct packed room = new_columns(s, wide, 3 * (int64_t)n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query[2] = {0};
  bool hermitian = is_hermitian(&a, n);
  for (int pass = 0, size = ask; pass < 2; pass++) { /* the first asks */
    void *work = pass ? take(s, 2 * (int64_t)size, wide ? 8 : 4) : query;
    if (s->failed) return FS_ERR_ENV;
    if (hermitian)
      lib.heev[wide](job, "U", &n, a.data, &n, w.data, work, &size, room.data, info, 1, 1);
    else
      lib.geev_complex[wide]("N", job, &n, a.data, &n, w.data, NULL, &one, v.data, &n, work, &size,
                             room.data, info, 1, 1);
    if (!pass) size = work_size(query, wide);
  }
  for (int64_t j = 0; j < n && !*info; j++) {
    int64_t at = hermitian ? j : 2 * j;
    put_complex(c, 0, j, 0, packed_get(&w, at), hermitian ? 0 : packed_get(&w, at + 1));
    if (vectors) put_vector(c, hermitian ? &a : &v, 2 * j * n, 2 * j * n + 1, 2, 1, j);
  }
  return FS_OK;
}

/* Pairs of complex vectors of a real matrix are the real and imaginary parts of the first. */
static enum fs_status any_eigen(const struct fs_lib_call *c, int wide, struct scratch *s,
                                int *info) {
  if (c->has_b) return eigen_of_complex(c, wide, s, info);
  int n = (int)c->a.dim[0], ask = -1, one = 1;
  bool vectors = c->op == FS_LIB_EIG;
  const char *job = vectors ? "V" : "N";
  struct packed a = columns(s, &c->a, wide, n), v = new_columns(s, wide, n, vectors ? n : 1);
  struct packed wr = new_columns(s, wide, n, 1), wi = new_columns(s, wide, n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query = 0;
  lib.geev[wide]("N", job, &n, a.data, &n, wr.data, wi.data, NULL, &one, v.data, &n, &query, &ask,
                 info, 1, 1);
  int size = work_size(&query, wide);
  void *work = take(s, size, wide ? 8 : 4);
  if (s->failed) return FS_ERR_ENV;
  lib.geev[wide]("N", job, &n, a.data, &n, wr.data, wi.data, NULL, &one, v.data, &n, work, &size,
                 info, 1, 1);
  for (int64_t j = 0; j < n && !*info; j++) {
    double im = packed_get(&wi, j);
    put_complex(c, 0, j, 0, packed_get(&wr, j), im);
    if (!vectors) continue;
    int64_t re = (im < 0 ? j - 1 : j) * n;
    put_vector(c, &v, re, im == 0 ? re : re + n, 1, im == 0 ? 0 : im < 0 ? -1 : 1, j);
  }
  return FS_OK;
}

/* A = U*T*U': of a real matrix T has blocks of two where eigenvalues are a pair. */
static enum fs_status schur(const struct fs_lib_call *c, int wide, struct scratch *s, int *info) {
  int n = (int)c->a.dim[0], ask = -1, first = 0, words = c->has_b ? 2 : 1;
  struct packed a = c->has_b ? complex_columns(s, c, wide) : columns(s, &c->a, wide, n);
  struct packed u = new_columns(s, wide, (int64_t)words * n, n);
  struct packed w = new_columns(s, wide, 2 * (int64_t)n, 1), room = new_columns(s, wide, n, 1);
  if (s->failed) return FS_ERR_ENV;
  double query[2] = {0};
  void *wi = (char *)w.data + (wide ? 8 : 4) * (size_t)n;
  for (int pass = 0, size = ask; pass < 2; pass++) { /* the first asks */
    void *work = pass ? take(s, words * (int64_t)size, wide ? 8 : 4) : query;
    if (s->failed) return FS_ERR_ENV;
    if (c->has_b)
      lib.gees_complex[wide]("V", "N", NULL, &n, a.data, &n, &first, w.data, u.data, &n, work, &size,
                             room.data, NULL, info, 1, 1);
    else
      lib.gees[wide]("V", "N", NULL, &n, a.data, &n, &first, w.data, wi, u.data, &n, work, &size,
                     NULL, info, 1, 1);
    if (!pass) size = work_size(query, wide);
  }
  for (int64_t j = 0; j < n && !*info; j++)
    for (int64_t i = 0; i < n; i++) {
      int64_t e = words * (i + j * n);
      put_complex(c, 0, i, j, packed_get(&a, e), c->has_b ? packed_get(&a, e + 1) : 0);
      put_complex(c, 1, i, j, packed_get(&u, e), c->has_b ? packed_get(&u, e + 1) : 0);
    }
  return FS_OK;
}

/* -- entry ---------------------------------------------------------------------- */

/* LAPACK's iterations may not end, or run wild, on NaN and infinities. */
static bool all_finite(const struct fs_lib_array *a) {
  if (!fs_dtype_is_float(a->dtype)) return true;
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < a->dim[1]; j++)
      if (!isfinite(read_double(a->dtype, at(a, i, j)))) return false;
  return true;
}

/* A routine of LAPACK on its way: what it is asked, and how it went. */
struct routine {
  struct fs_lib_call call;
  int info;
  enum fs_status status;
};

static void run_routine(void *arg) {
  static enum fs_status (*const routine[FS_LIB_OP_COUNT])(
      const struct fs_lib_call *, int, struct scratch *, int *) = {
      [FS_LIB_SOLVE] = solve,       [FS_LIB_INV] = invert,
      [FS_LIB_CHOL] = cholesky,     [FS_LIB_EIGVALS] = eigen,
      [FS_LIB_EIGVECS] = eigen,     [FS_LIB_SVDVALS] = singular,
      [FS_LIB_SVD] = singular,      [FS_LIB_QR] = qr,
      [FS_LIB_QR_R] = qr,           [FS_LIB_LU] = lu,
      [FS_LIB_EIG] = any_eigen,     [FS_LIB_EIG_VALUES] = any_eigen,
      [FS_LIB_SCHUR] = schur};
  struct routine *r = arg;
  const struct fs_lib_call *c = &r->call;
  int wide = c->a.dtype == FS_F64 || c->out.dtype == FS_F64 ||
             (c->has_b && c->b.dtype == FS_F64);
  struct scratch s = {0};
  r->status = routine[c->op](c, wide, &s, &r->info);
  drop(&s);
}

/* Whether a routine takes some 50 ms or more: as a cube of that many elements. */
static bool is_long(const struct fs_lib_call *c) {
  double m = (double)c->a.dim[0], n = (double)c->a.dim[1], least = FS_MIN(m, n);
  double right = c->has_b ? (double)c->b.dim[1] : 0;
  return least * least * (FS_MAX(m, n) + right) > (fs_lib_iterates(c->op) ? 0x1p27 : 0x1p30);
}

/* Elements of the same type between arrays of the same extents. */
static void copy_elements(const struct fs_lib_array *from, const struct fs_lib_array *to) {
  size_t size = fs_dtype_size(to->dtype);
  bool lines = to->stride[1] == 1 && from->stride[1] == 1;
  for (int64_t i = 0; i < to->dim[0]; i++) {
    if (lines) memcpy(at(to, i, 0), at(from, i, 0), size * (size_t)to->dim[1]);
    for (int64_t j = 0; j < to->dim[1] && !lines; j++) memcpy(at(to, i, j), at(from, i, j), size);
  }
}

/* A long routine cannot look for interrupts: a copy of the process does it, into shared
 * memory. Without that it is done here. */
static enum fs_status run_apart(struct routine *r) {
  const struct fs_lib_array to = r->call.out;
  size_t size = fs_dtype_size(to.dtype), head = FS_MAX(sizeof *r, (size_t)64);
  size_t bytes = head + size * (size_t)fs_lib_count(&to);
  struct routine *shared = fs_apart_take(bytes);
  int signal = 0;
  enum fs_status status = FS_ERR_ENV;
  if (shared) {
    *shared = *r;
    shared->call.out.ptr = (char *)shared + head;
    shared->call.out.stride[0] = to.dim[1], shared->call.out.stride[1] = 1;
    status = fs_apart_run(run_routine, shared, &signal);
  }
  if (status == FS_OK) {
    r->info = shared->info, r->status = shared->status;
    if (r->status == FS_OK && !r->info) copy_elements(&shared->call.out, &to);
  }
  if (status == FS_INTERRUPTED) r->status = status;
  if (status == FS_ERR_ENV && signal) r->status = status; /* most likely for want of memory */
  if (status == FS_ERR_ENV && !signal) run_routine(r);
  fs_apart_drop(shared, bytes);
  return r->status;
}

static enum fs_status factor(const struct fs_lib_call *c, struct fs_diags *d) {
  int64_t count = fs_lib_count(&c->out);
  if (!count) return FS_OK;
  if (!fs_lib_count(&c->a)) { /* nothing known: the smallest solution is 0 */
    fill_out(&c->out, 0);
    return FS_OK;
  }
  bool finite = !fs_lib_iterates(c->op) || (all_finite(&c->a) && (!c->has_b || all_finite(&c->b)));
  if (!finite) return fs_lib_failed(c, 1, d);
  struct routine r = {.call = *c};
  if (is_long(c)) run_apart(&r);
  else run_routine(&r);
  enum fs_status status = r.status;
  int info = r.info;
  if (status == FS_ERR_ENV) status = no_memory(c, d);
  if (status == FS_OK && info < 0)
    return fs_error(d, c->span, "too-large", NULL,
                    "%s of %" PRId64 "x%" PRId64 " is more than LAPACK can do",
                    fs_lib_op_names[c->op], c->a.dim[0], c->a.dim[1]);
  return status == FS_OK && info ? fs_lib_failed(c, info, d) : status;
}

/* One product or factorisation, in one of several threads or alone. */
static enum fs_status run_one(const struct fs_lib_call *call, struct fs_diags *d) {
  enum fs_status status = fs_lib_check_symmetry(call, d);
  if (status != FS_OK) return status;
  return call->op == FS_LIB_GEMM ? gemm(call, d) : factor(call, d);
}

static void use_threads(int threads) {
  if (lib.most_threads) threads = FS_MIN(threads, lib.most_threads);
  if (lib.set_threads) lib.set_threads(FS_MAX(threads, 1));
}

enum fs_status fs_lapack_call(const struct fs_lib_call *call, struct fs_pool *pool,
                              int threads, struct fs_diags *d) {
  enum fs_status status = fs_lib_check(call, d);
  if (status != FS_OK) return status;
  if (fs_lib_is_scan(call->op)) return fs_scan_call(call, pool);
  if (fs_lib_is_sort(call->op)) return fs_sort_call(call, pool, d);
  if (fs_lib_is_fourier(call->op))
    return fs_fourier_call(call, pool, fs_cpu_routines(NULL)->fourier, d);
  if (fs_lib_moves(call->op)) return fs_move_call(call, d);
  const char *why = NULL;
  bool present = fs_lapack_present(&why);
  bool integers = call->op == FS_LIB_GEMM &&
                  !fs_dtype_is_float(call->a.dtype) &&
                  !fs_dtype_is_float(call->b.dtype);
  if (!present && !integers)
    return fs_env_error(d, "no-lapack", NULL, "%s needs a library: %s",
                        fs_lib_op_names[call->op], why);
  if (call->batch.rank)
    return fs_batch_run(call, lib.most_threads ? NULL : pool, threads, use_threads, run_one, d);
  use_threads(threads);
  return run_one(call, d);
}

enum fs_status fs_lapack_run(const struct fs_plan *plan, const struct fs_kernel *k,
                             void *const *slots, struct fs_pool *pool, int threads,
                             struct fs_diags *d) {
  struct fs_lib_call call; /* of the target that there was when it was planned */
  if (fs_node(plan->graph, k->lib_node)->op == FS_LIB_KERNEL)
    return fs_env_error(d, "kernel-as-is", NULL, "a kernel as it is written needs a GPU");
  fs_lib_call_read(plan, k, slots, &call);
  return fs_lapack_call(&call, pool, threads, d);
}
