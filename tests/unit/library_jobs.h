/* library_jobs.h - matrices of any type and layout, and a library call on them as a plan, on
 * host memory or on a device. */
#ifndef FS_UNIT_LIBRARY_JOBS_H
#define FS_UNIT_LIBRARY_JOBS_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/device/cpu/lapack.h"
#include "core/device/cuda/library.h"
#include "core/device/target.h"
#include "core/plan/plan.h"
#include "tests/unit/check.h"

static struct fs_diags diags;
static struct fs_target *gpu; /* NULL: none */

static uint64_t seed = 7;
static double random_unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

/* -- matrices with any layout --------------------------------------------------- */

enum { GUARD = 0x5a };

struct mat {
  enum fs_dtype dtype;
  int64_t rows, cols, si, sj; /* strides in elements */
  int64_t offset, count;
  char *data;
};

enum how { ROWS, PADDED, COLUMNS, APART };
static const char *const how_names[] = {"rows", "padded", "columns", "apart"};

static struct mat mat_new(enum fs_dtype dt, int64_t rows, int64_t cols,
                          enum how how) {
  struct mat m = {.dtype = dt, .rows = rows, .cols = cols};
  m.si = how == COLUMNS ? 1 : how == PADDED ? cols + 3 : cols;
  m.sj = how == COLUMNS ? rows : 1;
  if (how == APART) m.si = 2 * cols + 5, m.sj = 2;
  m.offset = how == ROWS ? 0 : 4;
  m.count = m.offset + rows * FS_MAX(m.si, 1) + cols * m.sj + 8;
  m.data = fs_malloc((size_t)m.count * fs_dtype_size(dt));
  memset(m.data, GUARD, (size_t)m.count * fs_dtype_size(dt));
  return m;
}

static char *place(const struct mat *m, int64_t i, int64_t j) {
  return m->data + (m->offset + i * m->si + j * m->sj) *
                       (int64_t)fs_dtype_size(m->dtype);
}

/* Half precision through the compiler's own conversion would need a new one;
 * the values used here are small integers and dyadic fractions. */
static double get_half(uint16_t h) {
  int e = h >> 10 & 31;
  double f = h & 1023;
  double v = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
  return h & 0x8000 ? -v : v;
}
static uint16_t put_half(double v) {
  unsigned low = 0, high = 0x7c00; /* the smallest not below |v| */
  while (low < high) {
    unsigned h = (low + high) / 2;
    if (get_half((uint16_t)h) >= fabs(v)) high = h;
    else low = h + 1;
  }
  return (uint16_t)(low | (v < 0 && low < 0x7c00 ? 0x8000 : 0));
}

static double get(const struct mat *m, int64_t i, int64_t j) {
  const char *p = place(m, i, j);
  switch (m->dtype) {
    case FS_BOOL: return *(const uint8_t *)p;
    case FS_U8: return *(const uint8_t *)p;
    case FS_I8: return *(const int8_t *)p;
    case FS_U16: return *(const uint16_t *)p;
    case FS_I16: return *(const int16_t *)p;
    case FS_U32: return *(const uint32_t *)p;
    case FS_I32: return *(const int32_t *)p;
    case FS_I64: return (double)*(const int64_t *)p;
    case FS_U64: return (double)*(const uint64_t *)p;
    case FS_F16: return get_half(*(const uint16_t *)p);
    case FS_BF16: {
      uint32_t bits = (uint32_t)*(const uint16_t *)p << 16;
      float f;
      memcpy(&f, &bits, 4);
      return f;
    }
    case FS_F32: return *(const float *)p;
    default: return *(const double *)p;
  }
}

static void put(const struct mat *m, int64_t i, int64_t j, double v) {
  char *p = place(m, i, j);
  switch (m->dtype) {
    case FS_BOOL: *(uint8_t *)p = v != 0; break;
    case FS_U8: *(uint8_t *)p = (uint8_t)(int64_t)v; break;
    case FS_I8: *(int8_t *)p = (int8_t)(int64_t)v; break;
    case FS_U16: *(uint16_t *)p = (uint16_t)(int64_t)v; break;
    case FS_I16: *(int16_t *)p = (int16_t)(int64_t)v; break;
    case FS_U32: *(uint32_t *)p = (uint32_t)(int64_t)v; break;
    case FS_I32: *(int32_t *)p = (int32_t)v; break;
    case FS_I64: *(int64_t *)p = (int64_t)v; break;
    case FS_U64: *(uint64_t *)p = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v; break;
    case FS_F16: *(uint16_t *)p = put_half(v); break;
    case FS_BF16: {
      float f = (float)v;
      uint32_t bits;
      memcpy(&bits, &f, 4);
      *(uint16_t *)p = (uint16_t)(bits >> 16);
      break;
    }
    case FS_F32: *(float *)p = (float)v; break;
    default: *(double *)p = v; break;
  }
}

static bool has_sign(enum fs_dtype dt) {
  return dt != FS_BOOL && dt != FS_U8 && dt != FS_U16 && dt != FS_U32 && dt != FS_U64;
}

/* What an element of a type holds of a number: whole numbers wrap around. */
static double as_element(enum fs_dtype dt, double v) {
  _Alignas(8) char at[8];
  struct mat one = {.data = at, .dtype = dt, .rows = 1, .cols = 1};
  put(&one, 0, 0, v);
  return get(&one, 0, 0);
}

/* Small non-zero integers: every partial sum is exact. */
static void fill_integers(struct mat *m, int most) {
  for (int64_t i = 0; i < m->rows; i++)
    for (int64_t j = 0; j < m->cols; j++) {
      double v = 1 + floor(random_unit() * most);
      bool negative = has_sign(m->dtype) && random_unit() < 0.5;
      put(m, i, j, negative ? -v : v);
    }
}

static void fill_random(struct mat *m) {
  for (int64_t i = 0; i < m->rows; i++)
    for (int64_t j = 0; j < m->cols; j++)
      put(m, i, j, random_unit() - 0.5);
}

/* Whether everything but the elements still holds the guard byte. */
static bool guards_hold(const struct mat *m) {
  size_t size = fs_dtype_size(m->dtype), bytes = (size_t)m->count * size;
  char *copy = fs_malloc(bytes);
  memcpy(copy, m->data, bytes);
  for (int64_t i = 0; i < m->rows; i++)
    for (int64_t j = 0; j < m->cols; j++)
      memset(copy + (place(m, i, j) - m->data), GUARD, size);
  bool ok = true;
  for (size_t k = 0; k < bytes; k++) ok = ok && copy[k] == GUARD;
  free(copy);
  return ok;
}

/* -- one library kernel as a plan ------------------------------------------------ */

struct job {
  struct fs_plan plan;
  struct fs_kernel kernel;
  struct fs_slot slots[3];
  struct mat *mats[3];   /* result, operands */
  int n;
};

/* The squeezed shape and layout of a matrix. */
static struct fs_shape squeeze(const struct mat *m, struct fs_layout *layout) {
  struct fs_shape s = {0};
  layout->offset = m->offset;
  if (m->rows != 1) {
    layout->stride[s.rank] = m->si;
    s.dim[s.rank++] = m->rows;
  }
  if (m->cols != 1) {
    layout->stride[s.rank] = m->sj;
    s.dim[s.rank++] = m->cols;
  }
  return s;
}

static void job_begin(struct job *job, enum fs_lib_op op, struct mat *out,
                      struct mat *a, struct mat *b, unsigned trans) {
  memset(job, 0, sizeof *job);
  uint32_t source = fs_source_add(&diags, "<test>", "Y = op(A, B)", 12);
  struct fs_graph *g = fs_graph_new();
  g->span = g->stmt = (struct fs_span){source, 4, 12};
  struct mat *mats[] = {out, a, b};
  struct fs_shape full[3], squeezed[3];
  fs_id in[3] = {0};
  job->n = b ? 3 : 2;
  for (int k = 0; k < job->n; k++) {
    struct mat *m = job->mats[k] = mats[k];
    full[k] = (struct fs_shape){2, {m->rows, m->cols}};
    squeezed[k] = squeeze(m, &job->kernel.lib_layout[k]);
    job->slots[k].dtype = m->dtype;
    job->kernel.lib_slots[k] = k;
    if (k == 2 && b == a) in[k] = in[1];
    else if (k)
      in[k] = fs_graph_input(g, &(struct fs_graph_source){0}, m->dtype, &squeezed[k],
                             &job->kernel.lib_layout[k], NULL);
  }
  job->kernel.scheme = FS_LIBRARY;
  job->kernel.lib_node =
      fs_graph_lib(g, op, out->dtype, &squeezed[0], in[1], &full[1], in[2],
                   b ? &full[2] : NULL, trans);
  *FS_PUSH(&job->kernel.calls) = job->kernel.lib_node;
  job->plan.graph = g;
  job->plan.slots.data = job->slots;
  job->plan.slots.len = job->plan.slots.cap = job->n;
  job->plan.kernels.data = &job->kernel;
  job->plan.kernels.len = 1;
}

static void job_end(struct job *job) {
  fs_graph_free((struct fs_graph *)job->plan.graph);
  FS_VEC_FREE(&job->kernel.calls);
}

static enum fs_status run_host(struct job *job) {
  void *slots[3];
  for (int k = 0; k < job->n; k++) slots[k] = job->mats[k]->data;
  return fs_lapack_run(&job->plan, &job->kernel, slots, NULL, 2, &diags);
}

/* Which call of which of the fake libraries (tests/fake/fake.h) fails in a run on the
 * device, and with what; `over`: there were not so many, so none has. */
static struct {
  const char *library; /* NULL: none */
  int n, code;
  bool over;
} failing;
static char once[300]; /* a file that goes with the call that fails */

static void begin_failing(void) {
  char spec[100];
  int fd = open(once, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) abort();
  close(fd);
  snprintf(spec, sizeof spec, "%s:%d:%d", failing.library, failing.n, failing.code);
  setenv("FUSIBLE_FAKE_ONCE", once, 1);
  setenv("FUSIBLE_FAKE_FAIL", spec, 1);
}

static void end_failing(void) {
  unsetenv("FUSIBLE_FAKE_FAIL");
  failing.over = unlink(once) == 0;
}

static enum fs_status run_device(struct job *job) {
  void *slots[3] = {0};
  size_t bytes[3];
  enum fs_status status = FS_OK;
  for (int k = 0; k < job->n && status == FS_OK; k++) {
    const struct mat *m = job->mats[k];
    bytes[k] = (size_t)m->count * fs_dtype_size(m->dtype);
    status = gpu->ops->alloc(gpu, bytes[k], &slots[k]);
    if (status == FS_OK)
      status = gpu->ops->upload(gpu, slots[k], 0, m->data, 0,
                                (int64_t)bytes[k], 1, &diags);
  }
  const struct fs_kernel *kernel = &job->kernel;
  struct fs_code *code = NULL;
  if (failing.library) begin_failing();
  if (status == FS_OK)
    status = gpu->ops->prepare(gpu, &job->plan, &diags, 1, &kernel, &code,
                               &diags);
  if (status == FS_OK)
    status = gpu->ops->launch(gpu, code, slots, NULL, NULL, &diags);
  if (status == FS_OK) status = gpu->ops->sync(gpu, &diags);
  if (failing.library) end_failing();
  for (int k = 0; k < job->n; k++) {
    if (status == FS_OK)
      status = gpu->ops->download(gpu, job->mats[k]->data, 0, slots[k], 0,
                                  (int64_t)bytes[k], 1, &diags);
    if (slots[k]) gpu->ops->free(gpu, slots[k], bytes[k]);
  }
  gpu->ops->release(gpu, code);
  return status;
}

static const char *message(void) {
  return diags.list.len ? diags.list.data[0].message : "(none)";
}

/* With one call that fails: it says so in a sentence, and leaves nothing on the device; then
 * the same again. Or it found a way around. */
static enum fs_status run_failing(struct job *job) {
  int64_t before, after, cached, available;
  gpu->ops->memory(gpu, &before, &cached, &available);
  enum fs_status status = run_device(job);
  gpu->ops->memory(gpu, &after, &cached, &available);
  CHECK(before == after, "%s:%d:%d: %lld bytes are left", failing.library, failing.n,
        failing.code, (long long)(after - before));
  if (failing.over || status != FS_ERR_ENV) return status;
  CHECK(diags.list.len == 1 && strlen(message()) > 20, "%s:%d:%d: %d sentences: %s",
        failing.library, failing.n, failing.code, diags.list.len, message());
  const char *library = failing.library;
  failing.library = NULL;
  fs_diags_clear(&diags);
  status = run_device(job);
  failing.library = library;
  return status;
}

/* Runs on one of the targets and checks that only the result changed. */
static enum fs_status run(struct job *job, bool on_gpu) {
  char *before[3] = {0};
  for (int k = 1; k < job->n; k++) {
    size_t bytes = (size_t)job->mats[k]->count *
                   fs_dtype_size(job->mats[k]->dtype);
    before[k] = fs_malloc(bytes);
    memcpy(before[k], job->mats[k]->data, bytes);
  }
  fs_diags_clear(&diags);
  enum fs_status status = !on_gpu ? run_host(job) : failing.library ? run_failing(job) : run_device(job);
  for (int k = 1; k < job->n; k++) {
    size_t bytes = (size_t)job->mats[k]->count *
                   fs_dtype_size(job->mats[k]->dtype);
    CHECK(!memcmp(before[k], job->mats[k]->data, bytes), "operand %d changed",
          k);
    free(before[k]);
  }
  CHECK(guards_hold(job->mats[0]), "wrote between the result's elements");
  return status;
}

#endif
