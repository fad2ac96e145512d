/* test_emit.c - the CUDA emitter against a naive evaluation of the same kernel
 * plan. The emitted text is run on the host by fibers (tests/fiber), and where
 * NVRTC is present it must compile for three architectures. Data are small
 * integers, so results are exact in every order of summation.
 *
 *   test_emit                 everything
 *   test_emit fuzz COUNT [SEED]
 *   test_emit show CASE       prints the text of the named case
 *   test_emit tuned SCHEME MAKER M N [plain]
 *                             prints the text for an H200, or for an A100
 */
#include <math.h>
#include <stdio.h>

#include "core/base/embed.h"
#include "core/device/target.h"
#include "core/plan/plan.h"
#include "tests/fiber/fiber_run.c"
#include "tests/unit/reductions.h"

/* -- a kernel plan by hand ------------------------------------------------------ */

enum { MAX_SLOTS = 16, EDGE = 64 };

struct slot {
  enum fs_dtype dtype;
  int64_t count;          /* elements, edges not counted */
  bool written;
  unsigned char *data, *want;
};

struct kb {
  struct fs_kernel k;
  struct fs_plan plan;
  struct slot slot[MAX_SLOTS];
  int n_slots;
  struct fs_number params[8];
  int phase;
};

enum { I = FS_VARIES_I, J = FS_VARIES_J, IJ = 3, NONE = 0 };

static struct kb *kernel(enum fs_scheme scheme, int64_t m, int64_t n) {
  struct kb *b = fs_calloc(1, sizeof *b);
  b->k.scheme = scheme;
  b->k.n_phases = 1;
  b->k.space.m = m;
  b->k.space.n = n;
  b->k.space.n_inner = 1;
  if (scheme == FS_FLAT) {
    b->k.space.dim[0] = n;
  } else {
    b->k.space.n_outer = 1;
    b->k.space.dim[0] = m;
    b->k.space.dim[1] = n;
  }
  return b;
}

static void set_axes(struct kb *b, int outer, int inner, const int64_t *dim) {
  b->k.space.n_outer = outer;
  b->k.space.n_inner = inner;
  b->k.space.m = b->k.space.n = 1;
  for (int x = 0; x < outer + inner; x++) {
    b->k.space.dim[x] = dim[x];
    if (x < outer) b->k.space.m *= dim[x];
    else b->k.space.n *= dim[x];
  }
}

static int value(struct kb *b, enum fs_dtype dt, int varies) {
  *FS_PUSH(&b->k.values) = (struct fs_value){
      .dtype = dt, .varies = (uint8_t)varies, .ready = (uint8_t)b->phase,
      .same_as = -1};
  return b->k.values.len - 1;
}

static struct fs_step *step(struct kb *b, enum fs_step_kind kind, int out) {
  struct fs_step *s = FS_PUSH(&b->k.steps);
  *s = (struct fs_step){.kind = kind, .phase = (uint8_t)b->phase, .out = out,
                        .in = FS_NO_INPUTS, .access = -1, .param = -1};
  if (b->phase != FS_END) b->k.n_phases = FS_MAX(b->k.n_phases, b->phase + 1);
  else b->k.has_end = true;
  return s;
}

static int access_of(struct kb *b, int slot, enum fs_dtype dt, int varies,
                     int64_t offset, const int64_t *stride) {
  struct fs_access *a = FS_PUSH(&b->k.accesses);
  *a = (struct fs_access){.slot = slot, .dtype = dt, .offset = offset,
                          .varies = (uint8_t)varies};
  int64_t end = offset + 1;
  for (int x = 0; x < b->k.space.n_outer + b->k.space.n_inner; x++) {
    a->stride[x] = stride[x];
    if (stride[x] > 0) end += (b->k.space.dim[x] - 1) * stride[x];
  }
  struct slot *s = &b->slot[slot];
  s->dtype = dt;
  s->count = FS_MAX(s->count, end);
  b->n_slots = FS_MAX(b->n_slots, slot + 1);
  return b->k.accesses.len - 1;
}

/* Strides of a dense array over the axes that `varies` names. */
static void dense(struct kb *b, int varies, int64_t pitch, int64_t *stride) {
  int64_t at = 1, last = b->k.space.n_outer + b->k.space.n_inner - 1;
  for (int64_t x = last; x >= 0; x--) {
    bool outer = x < b->k.space.n_outer;
    stride[x] = varies & (outer ? I : J) ? at : 0;
    if (stride[x]) at *= b->k.space.dim[x];
    if (x == last && stride[x] && pitch > at) at = pitch;
  }
}

static int load_at(struct kb *b, int slot, enum fs_dtype dt, int varies,
                   int64_t offset, const int64_t *stride) {
  int v = value(b, dt, varies);
  step(b, FS_SP_LOAD, v)->access =
      access_of(b, slot, dt, varies, offset, stride);
  return v;
}

/* From row to row of dense matrices; 0: their length. */
static int64_t row_pitch;

static int load(struct kb *b, int slot, enum fs_dtype dt, int varies) {
  int64_t stride[FS_MAX_RANK];
  dense(b, varies, varies == IJ ? row_pitch : 0, stride);
  return load_at(b, slot, dt, varies, 0, stride);
}

static void store_at(struct kb *b, int slot, int v, int varies, int64_t offset,
                     const int64_t *stride) {
  enum fs_dtype dt = b->k.values.data[v].dtype;
  int access = access_of(b, slot, dt, varies, offset, stride);
  struct fs_step *s = step(b, FS_SP_STORE, -1);
  s->access = access;
  s->in[0] = v;
  b->slot[slot].written = true;
}

static void store(struct kb *b, int slot, int v, int varies) {
  int64_t stride[FS_MAX_RANK];
  dense(b, varies, varies == IJ ? row_pitch : 0, stride);
  store_at(b, slot, v, varies, 0, stride);
}

static int param(struct kb *b, int number, enum fs_dtype dt, double x) {
  int v = value(b, dt, NONE);
  step(b, FS_SP_PARAM, v)->param = number;
  b->params[number] = (struct fs_number){x, (int64_t)x};
  return v;
}

static int map3(struct kb *b, enum fs_map_op op, enum fs_dtype dt, int x, int y,
                int z) {
  int in[3] = {x, y, z}, varies = 0;
  for (int k = 0; k < 3; k++)
    if (in[k] >= 0) varies |= b->k.values.data[in[k]].varies;
  int v = value(b, dt, varies);
  struct fs_step *s = step(b, FS_SP_MAP, v);
  s->op = (uint8_t)op;
  memcpy(s->in, in, sizeof in);
  return v;
}

static int map2(struct kb *b, enum fs_map_op op, int x, int y) {
  return map3(b, op, b->k.values.data[x].dtype, x, y, -1);
}

static int reduce(struct kb *b, enum fs_reduce_op op, int over, int x, int y) {
  enum fs_dtype dt = b->k.values.data[x].dtype;
  if (op == FS_RD_SUM && (dt == FS_BOOL || dt == FS_I32)) dt = FS_I64;
  int all = b->k.values.data[x].varies;
  if (y >= 0) all |= b->k.values.data[y].varies;
  int v = value(b, dt, all & ~over);
  bool in_block = over == J && b->k.scheme == FS_ROW;
  b->k.values.data[v].ready = in_block ? (uint8_t)(b->phase + 1) : FS_END;
  struct fs_step *s = step(b, FS_SP_REDUCE, v);
  s->op = (uint8_t)op;
  s->over = (uint8_t)over;
  s->in[0] = x;
  s->in[1] = y;
  return v;
}

static void free_kernel(struct kb *b) {
  for (int s = 0; s < b->n_slots; s++) {
    free(b->slot[s].data);
    free(b->slot[s].want);
  }
  FS_VEC_FREE(&b->k.values);
  FS_VEC_FREE(&b->k.steps);
  FS_VEC_FREE(&b->k.accesses);
  free(b);
}

/* -- naive evaluation -------------------------------------------------------------- */

/* Small integers are exact in all types; halves as bits. */
static double get(enum fs_dtype dt, const void *p) {
  uint16_t h;
  switch (dt) {
    case FS_BOOL: return *(const unsigned char *)p;
    case FS_I32: return *(const int32_t *)p;
    case FS_I64: return (double)*(const int64_t *)p;
    case FS_F32: return *(const float *)p;
    case FS_F64: return *(const double *)p;
    default: break;
  }
  memcpy(&h, p, 2);
  if (dt == FS_BF16) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
  }
  int e = h >> 10 & 31, f = h & 1023;
  double x = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
  return h >> 15 ? -x : x;
}

static void put(enum fs_dtype dt, void *p, double x) {
  float f = (float)x;
  uint32_t u;
  uint16_t h;
  switch (dt) {
    case FS_BOOL: *(unsigned char *)p = x != 0; return;
    case FS_I32: *(int32_t *)p = (int32_t)x; return;
    case FS_I64: *(int64_t *)p = (int64_t)x; return;
    case FS_F32: *(float *)p = f; return;
    case FS_F64: *(double *)p = x; return;
    default: break;
  }
  memcpy(&u, &f, 4);
  if (dt == FS_BF16) { /* exact for what the tests use, else to nearest even */
    u += 0x7fff + (u >> 16 & 1);
    h = (uint16_t)(u >> 16);
  } else {
    int e;
    double m = frexp(fabs(x), &e);
    int bits = x == 0 ? 0 : (int)nearbyint(ldexp(m, 11));
    if (bits == 2048) bits = 1024, e++;
    h = (uint16_t)(x == 0 ? 0 : ((e + 14) << 10 | (bits & 1023)));
    if (x < 0) h |= 0x8000;
  }
  memcpy(p, &h, 2);
}

static double map_value(const struct kb *b, const struct fs_step *s, const double *x) {
  enum fs_dtype dt = b->k.values.data[s->out].dtype;
  if (s->op == FS_OP_CAST && dt == FS_BOOL) return x[0] != 0;
  if (s->op == FS_OP_MOD && x[1] == 0) return fs_dtype_is_float(dt) ? NAN : 0;
  return fs_map_number(s->op, x);
}

static int64_t dot_index(const struct kb *b, const int64_t *stride, int64_t i,
                         int64_t j) {
  int64_t at = 0;
  for (int x = b->k.space.n_outer + b->k.space.n_inner - 1; x >= 0; x--) {
    int64_t *count = x < b->k.space.n_outer ? &i : &j;
    at += *count % b->k.space.dim[x] * stride[x];
    *count /= b->k.space.dim[x];
  }
  return at;
}

static void naive_reduce(struct kb *b, const struct fs_step *s, double **v) {
  int64_t m = b->k.space.m, n = b->k.space.n;
  double first = ref_first(s->op, FS_F32);
  for (int64_t x = 0; x < m * n; x++) v[s->out][x] = first;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      /* A sum over I of something without J counts each row once. */
      if (!(s->over & J) && !(b->k.values.data[s->out].varies & J) && j) continue;
      double x = v[s->in[0]][i * n + j];
      if (s->in[1] >= 0) x *= v[s->in[1]][i * n + j];
      int64_t at = (s->over & I ? 0 : i) * n + (s->over & J ? 0 : j);
      v[s->out][at] = ref_merge(s->op, v[s->out][at], x);
    }
  for (int64_t i = m - 1; i >= 0; i--)
    for (int64_t j = n - 1; j >= 0; j--) {
      bool once = !(s->over & J) && !(b->k.values.data[s->out].varies & J);
      int64_t at = (s->over & I ? 0 : i) * n + (s->over & J || once ? 0 : j);
      v[s->out][i * n + j] = v[s->out][at];
    }
}

/* Uniform numbers as elemlib/cpu/philox.h specifies them. */
static double uniform(uint64_t index, uint64_t seed, uint64_t stream) {
  uint64_t at = index >> 2;
  uint32_t c[4] = {(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)stream,
                   (uint32_t)(stream >> 32)};
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)c[0] * 0xD2511F53u, q = (uint64_t)c[2] * 0xCD9E8D57u;
    c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k0;
    c[1] = (uint32_t)q;
    c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k1;
    c[3] = (uint32_t)p;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return ldexp(c[index & 3] >> 8, -24);
}

static void naive_step(struct kb *b, const struct fs_step *s, double **v) {
  int64_t m = b->k.space.m, n = b->k.space.n;
  if (s->kind == FS_SP_REDUCE) {
    naive_reduce(b, s, v);
    return;
  }
  const struct fs_access *a =
      s->access >= 0 ? &b->k.accesses.data[s->access] : NULL;
  struct slot *slot = a ? &b->slot[a->slot] : NULL;
  size_t size = a ? fs_dtype_size(a->dtype) : 0;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      int64_t x = i * n + j;
      unsigned char *p =
          a ? slot->want + EDGE +
                  (size_t)(a->offset + dot_index(b, a->stride, i, j)) * size
            : NULL;
      double in[3] = {0};
      for (int k = 0; k < 3; k++)
        if (s->in[k] >= 0) in[k] = v[s->in[k]][x];
      switch (s->kind) {
        case FS_SP_LOAD: v[s->out][x] = get(a->dtype, p); break;
        case FS_SP_STORE: put(a->dtype, p, in[0]); break;
        case FS_SP_PARAM: v[s->out][x] = b->params[s->param].f; break;
        case FS_SP_IOTA:
          v[s->out][x] = in[0] + in[1] * (double)(s->affine.base +
                         dot_index(b, s->affine.stride, i, j));
          break;
        case FS_SP_RAND:
          v[s->out][x] = uniform((uint64_t)(s->affine.base +
                                 dot_index(b, s->affine.stride, i, j)),
                                 (uint64_t)in[0], (uint64_t)in[1]);
          break;
        case FS_SP_MAP: v[s->out][x] = map_value(b, s, in); break;
        default: abort();
      }
    }
}

static void naive(struct kb *b) {
  size_t count = (size_t)(b->k.space.m * b->k.space.n);
  double **v = fs_calloc((size_t)b->k.values.len + 1, sizeof *v);
  for (int k = 0; k < b->k.values.len; k++)
    v[k] = fs_malloc(count * sizeof(double));
  for (int k = 0; k < b->k.steps.len; k++)
    naive_step(b, &b->k.steps.data[k], v);
  for (int k = 0; k < b->k.values.len; k++) free(v[k]);
  free(v);
}

/* -- running and comparing ------------------------------------------------------------ */

static int n_run, n_failed, n_compiled;
static const char *show; /* the case to print */

static unsigned char *aligned(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 256, (bytes + 255) / 256 * 256)) abort();
  return p;
}

/* Slots begin at a multiple of 256 bytes with guarded space on both sides; EDGE
 * counts bytes of the expected copy only. */
static void make_slots(struct kb *b, unsigned seed) {
  uint32_t state = seed * 2654435761u + 12345;
  for (int s = 0; s < b->n_slots; s++) {
    struct slot *x = &b->slot[s];
    size_t size = fs_dtype_size(x->dtype), bytes = (size_t)x->count * size;
    free(x->data);
    free(x->want);
    x->data = aligned(bytes + 512);
    x->want = aligned(bytes + 512);
    memset(x->data, 0xee, bytes + 512);
    for (int64_t k = 0; k < x->count; k++) {
      state = state * 1664525u + 1013904223u;
      int r = (int)(state >> 24) % 7 - 3;
      if (x->dtype == FS_BOOL) r = r > 0;
      if (!x->written) put(x->dtype, x->data + 256 + (size_t)k * size, r);
    }
    memcpy(x->want + EDGE, x->data + 256, bytes);
  }
}

static bool close_enough(enum fs_dtype dt, const void *a, const void *b,
                         double tolerance) {
  if (!memcmp(a, b, fs_dtype_size(dt))) return true;
  double x = get(dt, a), y = get(dt, b);
  if (isnan(x) && isnan(y)) return true;
  return x == y || fabs(x - y) <= tolerance * fabs(y);
}

static bool same(const struct kb *b, const char *name, double tolerance) {
  for (int s = 0; s < b->n_slots; s++) {
    const struct slot *x = &b->slot[s];
    size_t size = fs_dtype_size(x->dtype);
    for (int64_t k = 0; k < x->count; k++) {
      const unsigned char *got = x->data + 256 + (size_t)k * size;
      const unsigned char *want = x->want + EDGE + (size_t)k * size;
      if (close_enough(x->dtype, got, want, tolerance)) continue;
      printf("FAIL %s: slot %d[%lld] is %g, not %g\n", name, s, (long long)k,
             get(x->dtype, got), get(x->dtype, want));
      return false;
    }
    for (size_t k = 0; k < 256; k++)
      if (x->data[k] != 0xee ||
          x->data[256 + (size_t)x->count * size + k] != 0xee) {
        printf("FAIL %s: slot %d: a write outside\n", name, s);
        return false;
      }
  }
  return true;
}

static struct fs_device sm80 = {
    .is_cuda = true, .name = "A100", .arch = "sm_80", .units = 108,
    .max_threads = 1024, .shared_bytes = 163 << 10, .regs = 65536,
    .cache_bytes = 40 << 20, .bandwidth = 1.5e12};
static struct fs_device sm90 = {
    .is_cuda = true, .name = "H200", .arch = "sm_90a", .units = 132,
    .max_threads = 1024, .shared_bytes = 227 << 10, .regs = 65536,
    .cache_bytes = 50 << 20, .bandwidth = 4.3e12};
static struct fs_device sm100 = {
    .is_cuda = true, .name = "B200", .arch = "sm_100", .units = 148,
    .max_threads = 1024, .shared_bytes = 227 << 10, .regs = 65536,
    .cache_bytes = 126 << 20, .bandwidth = 7e12};

static void compile_text(const char *name, const char *text, const char *arch) {
  char *log = NULL;
  enum fs_status status = fs_nvrtc_check(text, arch, &log);
  if (status == FS_OK) n_compiled++;
  if (status == FS_ERR_USER) {
    printf("FAIL %s: does not compile for %s\n%s\n", name, arch, log);
    n_failed++;
  }
  free(log);
}

static void emit_for(struct kb *b, const struct fs_device *d, struct fs_emitted *e) {
  fs_kernel_look(&b->k);
  fs_emit_cuda(&b->plan, &b->k, d, NULL, e);
}

/* For every architecture; a text without instructions of a device, which is the same for
 * several, is compiled for one of them. */
static void compile_everywhere(struct kb *b, const char *name) {
  const struct fs_device *const all[] = {&sm90, &sm80, &sm100};
  struct fs_emitted e[FS_LEN(all)];
  for (size_t k = 0; k < FS_LEN(all); k++) {
    emit_for(b, all[k], &e[k]);
    bool again = false;
    for (size_t j = 0; j < k && !strstr(e[k].source, "asm"); j++)
      again |= !strcmp(e[j].source, e[k].source);
    if (!again) compile_text(name, e[k].source, all[k]->arch);
  }
  for (size_t k = 0; k < FS_LEN(all); k++) fs_emitted_free(&e[k]);
}

static bool nvrtc_present(void) {
  static int known = -1;
  if (known < 0) {
    char *log = NULL;
    const char *empty = "extern \"C\" __global__ void fs_kernel() {}";
    known = fs_nvrtc_check(empty, "sm_80", &log) == FS_OK;
    free(log);
    if (!known) printf("no NVRTC: compile checks are left out\n");
  }
  return known;
}

/* Runs a kernel plan with its tuning as it stands. */
static void check(struct kb *b, const char *name, int blocks, bool compile,
                  double tolerance) {
  struct fs_emitted e;
  bool ring = !strncmp(name, "ring", 4);
  bool best = ring || !strncmp(name, "cluster", 7);
  struct fs_device hopper = sm90;
  if (b->k.tune.iters > 1) hopper.cache_bytes = 4096; /* large matrices' rings */
  fs_kernel_look(&b->k);
  fs_emit_cuda(&b->plan, &b->k, best ? &hopper : &sm80, NULL, &e);
  if ((ring && e.shared_bytes == 0) || (best && !ring && e.cluster < 2)) {
    printf("FAIL %s: no %s\n", name, ring ? "ring" : "cluster");
    n_failed++;
  }
  if (show) {
    if (!strcmp(show, name)) printf("%s\n", e.source);
    fs_emitted_free(&e);
    return;
  }
  n_run++;
  make_slots(b, (unsigned)n_run);
  naive(b);
  void *slots[MAX_SLOTS];
  for (int s = 0; s < b->n_slots; s++) slots[s] = b->slot[s].data + 256;
  if (fiber_run(&e, slots, b->params, blocks) != 0) {
    printf("FAIL %s: did not run\n", name);
    n_failed++;
  } else if (!same(b, name, tolerance)) {
    n_failed++;
  }
  fs_emitted_free(&e);
  if (!compile || !nvrtc_present()) return;
  compile_everywhere(b, name);
}

/* -- cases ------------------------------------------------------------------------------- */

struct tuning {
  const char *name;
  struct fs_tuning t;
};

/* threads, threads of a row, lanes, vectors, iterations, blocks per SM */
static const struct tuning flat_tunings[] = {
    {"v4", {64, 64, 4, 1, 2, 2}},
    {"v1", {32, 32, 1, 1, 1, 2}},
    {"v8", {128, 128, 8, 1, 3, 2}},
};
static const struct tuning row_tunings[] = {
    {"keep", {64, 64, 4, 8, 1, 1}},
    {"packed", {64, 16, 4, 20, 2, 2}},
    {"narrow", {128, 32, 2, 32, 4, 2}},
    {"long", {64, 64, 4, 1, 2, 2}},
    {"thin", {32, 32, 1, 2, 1, 2}},
    {"single", {64, 1, 1, 32, 1, 2}},
};
static const int64_t row_sizes[][2] = {{1, 1},   {3, 2},   {31, 33},
                                       {33, 31}, {50, 3},  {3, 1000},
                                       {70, 96}, {17, 515}};

typedef struct kb *make_fn(enum fs_scheme scheme, int64_t m, int64_t n);

static struct kb *gemv(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), p = load(b, 1, FS_F32, J);
  int q = reduce(b, FS_RD_SUM, J, a, p);
  b->phase = s == FS_ROW ? 1 : FS_END;
  store(b, 2, q, I);
  return b;
}

static struct kb *gemtv(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), r = load(b, 1, FS_F32, I);
  int q = reduce(b, FS_RD_SUM, I, a, r);
  b->phase = FS_END;
  int beta = param(b, 0, FS_F32, 2), z = load(b, 3, FS_F32, J);
  int x = map2(b, FS_OP_ADD, map2(b, FS_OP_MUL, beta, q), z);
  store(b, 2, x, J);
  return b;
}

static struct kb *bicgk(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), p = load(b, 1, FS_F32, J);
  int q = reduce(b, FS_RD_SUM, J, a, p), r = load(b, 2, FS_F32, I);
  int t = reduce(b, FS_RD_SUM, I, a, r);
  b->phase = s == FS_ROW ? 1 : FS_END;
  store(b, 3, q, I);
  b->phase = FS_END;
  store(b, 4, t, J);
  return b;
}

static struct kb *atax(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), x = load(b, 1, FS_F32, J);
  int t = reduce(b, FS_RD_SUM, J, a, x);
  b->phase = 1;
  int y = reduce(b, FS_RD_SUM, I, a, t);
  b->phase = FS_END;
  store(b, 2, y, J);
  return b;
}

/* B = A + u1*v1' + u2*v2'; x = B'*y: outer products, a matrix result. */
static struct kb *gemver(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ);
  int u1 = load(b, 1, FS_F32, I), v1 = load(b, 2, FS_F32, J);
  int u2 = load(b, 3, FS_F32, I), v2 = load(b, 4, FS_F32, J);
  int c = map2(b, FS_OP_ADD, a, map2(b, FS_OP_MUL, u1, v1));
  int d = map2(b, FS_OP_ADD, c, map2(b, FS_OP_MUL, u2, v2));
  store(b, 5, d, IJ);
  int y = load(b, 6, FS_F32, I);
  int x = reduce(b, FS_RD_SUM, I, d, y);
  b->phase = FS_END;
  store(b, 7, x, J);
  return b;
}

static struct kb *softmax(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int x = load(b, 0, FS_F32, IJ);
  int top = reduce(b, FS_RD_MAXR, J, x, -1);
  b->phase = 1;
  int d1 = map2(b, FS_OP_SUB, x, top);
  int e1 = map3(b, FS_OP_EXP, FS_F32, d1, -1, -1);
  int sum = reduce(b, FS_RD_SUM, J, e1, -1);
  b->phase = 2;
  int d2 = map2(b, FS_OP_SUB, x, top);
  int e2 = map3(b, FS_OP_EXP, FS_F32, d2, -1, -1);
  b->k.values.data[d2].same_as = d1;
  b->k.values.data[e2].same_as = e1;
  store(b, 1, map2(b, FS_OP_DIV, e2, sum), IJ);
  return b;
}

/* Every kind of result at once, and scalars at the end. */
static struct kb *sums(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_I32, IJ), r = load(b, 1, FS_F64, I);
  int all = reduce(b, FS_RD_SUM, IJ, a, -1);
  int rows = reduce(b, FS_RD_MINR, J, a, -1);
  int cols = reduce(b, FS_RD_MAXR, I, a, -1);
  int rr = reduce(b, FS_RD_SUM, I, r, r);
  int three = param(b, 1, FS_I32, 3);
  int big = map3(b, FS_OP_EQ, FS_BOOL, a, three, -1);
  int any = reduce(b, FS_RD_ANY, I, big, -1);
  if (s == FS_ROW) {
    b->phase = 1;
    store(b, 2, rows, I);
  }
  b->phase = FS_END;
  if (s != FS_ROW) store(b, 2, rows, I);
  store(b, 3, cols, J);
  store(b, 4, all, NONE);
  store(b, 5, rr, NONE);
  store(b, 6, map2(b, FS_OP_ADD, all, all), NONE);
  store(b, 7, any, J);
  return b;
}

/* Only scalars at the end: the last block's ticket. */
static struct kb *norms(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), one = param(b, 0, FS_F32, 1);
  int c = map2(b, FS_OP_ADD, a, one);
  int x = reduce(b, FS_RD_SUM, IJ, c, c), y = reduce(b, FS_RD_MAXR, IJ, a, -1);
  store(b, 1, c, IJ);
  b->phase = FS_END;
  store(b, 2, x, NONE);
  store(b, 3, map2(b, FS_OP_SUB, x, y), NONE);
  return b;
}

/* Transposed operands and result. */
static struct kb *turned(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int64_t across[FS_MAX_RANK] = {1, m};
  int a = load(b, 0, FS_F32, IJ), t = load_at(b, 1, FS_F32, IJ, 0, across);
  int c = map2(b, FS_OP_ADD, a, t), y = load(b, 2, FS_F32, I);
  store_at(b, 3, c, IJ, 0, across);
  store(b, 4, map2(b, FS_OP_SUB, t, a), IJ);
  int x = reduce(b, FS_RD_SUM, I, c, y);
  b->phase = FS_END;
  store(b, 5, x, J);
  return b;
}

/* Halves, a vector result of a vector, a value made of the index. */
static struct kb *mixed(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F16, IJ), p = load(b, 1, FS_BF16, J);
  int f = map3(b, FS_OP_CAST, FS_F32, a, -1, -1);
  int g = map3(b, FS_OP_CAST, FS_F32, p, -1, -1);
  int start = param(b, 0, FS_F32, 5), by = param(b, 1, FS_F32, 2);
  int v = value(b, FS_F32, IJ);
  struct fs_step *io = step(b, FS_SP_IOTA, v);
  io->in[0] = start;
  io->in[1] = by;
  io->affine = (struct fs_affine){.base = 3, .stride = {2, 1}};
  int c = map2(b, FS_OP_ADD, map2(b, FS_OP_MUL, f, g), v);
  store(b, 2, c, IJ);
  store(b, 3, map2(b, FS_OP_ADD, g, g), J);
  int h = map3(b, FS_OP_CAST, FS_BF16, f, -1, -1);
  store(b, 4, h, IJ);
  int q = reduce(b, FS_RD_SUM, J, f, g);
  b->phase = s == FS_ROW ? 1 : FS_END;
  store(b, 5, q, I);
  return b;
}

/* Two outer and two inner axes, pitched. */
static struct kb *axes(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int64_t dim[] = {3, m, 2, n};
  set_axes(b, 2, 2, dim);
  int64_t pitch = n + 5, at[] = {m * 2 * pitch, 2 * pitch, pitch, 1};
  int a = load_at(b, 0, FS_F32, IJ, 2, at), y = load(b, 1, FS_F32, I);
  int p = load(b, 2, FS_F32, J);
  int c = map2(b, FS_OP_MUL, a, p);
  store(b, 3, c, IJ);
  int q = reduce(b, FS_RD_SUM, J, a, p), x = reduce(b, FS_RD_SUM, I, c, y);
  b->phase = 1;
  store(b, 4, q, I);
  b->phase = FS_END;
  store(b, 5, map2(b, FS_OP_SUB, x, load(b, 2, FS_F32, J)), J);
  return b;
}

/* p = sqrt((A*x).^2); g = A'*(p - y); t = sum(p): what is long of a row, beside what is
 * loaded, stored, summed and wanted by a pass over its elements. In tiles, where no row
 * waits for a sum, A*x is given. The root of a square is exact. */
static struct kb *lengths(enum fs_scheme s, int64_t m, int64_t n) {
  struct kb *b = kernel(s, m, n);
  int a = load(b, 0, FS_F32, IJ), y = load(b, 1, FS_F32, I), x = load(b, 2, FS_F32, J);
  int q = s == FS_ROW ? reduce(b, FS_RD_SUM, J, a, x) : load(b, 3, FS_F32, I);
  b->phase = s == FS_ROW;
  int square = map3(b, FS_OP_SQUARE, FS_F32, q, -1, -1);
  int p = map3(b, FS_OP_SQRT, FS_F32, square, -1, -1);
  store(b, 4, p, I);
  int g = reduce(b, FS_RD_SUM, I, a, map2(b, FS_OP_SUB, p, y));
  int t = reduce(b, FS_RD_SUM, I, p, -1);
  b->phase = FS_END;
  store(b, 5, g, J);
  store(b, 6, t, NONE);
  return b;
}

struct maker {
  const char *name;
  make_fn *make;
  bool row, tile, ring, rows; /* rows: with results of a row */
  double tolerance;
};
static const struct maker makers[] = {
    {"gemv", gemv, true, true, true, true, 0},
    {"gemtv", gemtv, true, true, true, false, 0},
    {"bicgk", bicgk, true, true, true, true, 0},
    {"atax", atax, true, false, true, true, 0},
    {"gemver", gemver, true, true, true, false, 0},
    {"softmax", softmax, true, false, false, true, 1e-5},
    {"sums", sums, true, true, true, true, 0},
    {"norms", norms, true, true, true, false, 0},
    {"turned", turned, true, true, false, false, 0},
    {"mixed", mixed, true, true, false, true, 0},
    {"axes", axes, true, false, false, true, 0},
    {"lengths", lengths, true, true, false, true, 0},
};

static void run_rows(const struct maker *mk) {
  for (size_t t = 0; t < FS_LEN(row_tunings); t++)
    for (size_t z = 0; z < FS_LEN(row_sizes); z++) {
      /* Every maker with every tuning, sizes in turn: the first maker all. */
      if (mk != makers && (z + t) % 4 != (size_t)(mk - makers) % 4) continue;
      struct kb *b = mk->make(FS_ROW, row_sizes[z][0], row_sizes[z][1]);
      b->k.tune = row_tunings[t].t;
      char name[96];
      snprintf(name, sizeof name, "%s-row-%s-%dx%d", mk->name,
               row_tunings[t].name, (int)row_sizes[z][0],
               (int)row_sizes[z][1]);
      check(b, name, 3, z == FS_LEN(row_sizes) - 1, mk->tolerance);
      free_kernel(b);
    }
}

/* Rows through shared memory, as an H200 has them. */
static void run_rings(const struct maker *mk) {
  static const int64_t sizes[][2] = {
      {1, 2048}, {20, 4096}, {31, 2304}, {9, 2303}, {5, 3970}, {23, 2048},
      {20, 2304}, {17, 4096}, {21, 2048}, {30, 2303}, {24, 2304}};
  static const int stages[] = {0, 0, 0, 0, 0, 2, 3, 1, 0, 2, 0};
  static const int rows[] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 2}; /* of a turn */
  for (size_t z = 0; z < FS_LEN(sizes); z++) {
    if (rows[z] > 1 && strcmp(mk->name, "bicgk") && strcmp(mk->name, "atax")) continue;
    row_pitch = (sizes[z][1] + 31) / 32 * 32;
    struct kb *b = mk->make(FS_ROW, sizes[z][0], sizes[z][1]);
    b->k.tune = (struct fs_tuning){128, 128, 4, 8, rows[z], z == 1 ? 4 : 2,
                                   .stages = stages[z]};
    char name[96];
    snprintf(name, sizeof name, "%sring-%s-%dx%d", stages[z] == 1 ? "no-" : "",
             mk->name, (int)sizes[z][0], (int)sizes[z][1]);
    check(b, name, 2, z == 2 || z == 3, mk->tolerance);
    free_kernel(b);
  }
  row_pitch = 0;
}

/* Rows longer than a block's registers: columns in parts, some not full or empty,
 * with and without a ring, one row and several at once. */
static void run_clusters(const struct maker *mk) {
  static const struct {
    int64_t m, n;
    struct fs_tuning t;
  } cases[] = {
      {1, 4096, {128, 128, 4, 4, 1, 1, 2}},
      {7, 3584, {128, 128, 4, 4, 1, 1, 2}},
      {9, 1001, {64, 64, 4, 2, 1, 1, 2}},
      {9, 4001, {128, 128, 4, 4, 1, 1, 2}},
      {5, 130, {64, 64, 1, 2, 2, 1, 4}},
      {3, 17, {64, 64, 4, 2, 1, 1, 8}},
  };
  for (size_t z = 0; z < FS_LEN(cases); z++) {
    row_pitch = z == 3 ? 4032 : 0; /* an odd length, with a ring */
    struct kb *b = mk->make(FS_ROW, cases[z].m, cases[z].n);
    b->k.tune = cases[z].t;
    char name[96];
    snprintf(name, sizeof name, "cluster-%s-%dx%d", mk->name, (int)cases[z].m,
             (int)cases[z].n);
    if (strcmp(mk->name, "axes") || z > 3) /* twice as long */
      check(b, name, 16, z == 1 || z == 3, mk->tolerance);
    free_kernel(b);
  }
  row_pitch = 0;
}

static void run_tiles(const struct maker *mk) {
  static const int64_t sizes[][2] = {{1, 1}, {33, 31}, {100, 70}, {32, 64}};
  for (size_t z = 0; z < FS_LEN(sizes); z++) {
    struct kb *b = mk->make(FS_TILE, sizes[z][0], sizes[z][1]);
    b->k.tune = (struct fs_tuning){256, 32, 1, 1, z == 2 ? 2 : 1, 2};
    char name[96];
    snprintf(name, sizeof name, "%s-tile-%dx%d", mk->name, (int)sizes[z][0],
             (int)sizes[z][1]);
    check(b, name, 3, z >= 2, mk->tolerance);
    free_kernel(b);
  }
}

/* -- tiles that threads turn in their registers ------------------------------------------ */

/* B = A + T' + u*p', of one square matrix where it mirrors itself. */
static struct kb *crossed(int64_t m, int64_t n, enum fs_dtype dt, bool mirrors) {
  struct kb *b = kernel(FS_TILE, m, n);
  int64_t across[FS_MAX_RANK] = {1, m};
  int a = load(b, 0, dt, IJ), t = load_at(b, mirrors ? 0 : 1, dt, IJ, 0, across);
  int u = load(b, 2, dt, I), p = load(b, 3, dt, J);
  int c = map2(b, FS_OP_ADD, map2(b, FS_OP_SUB, a, t), map2(b, FS_OP_MUL, u, p));
  store(b, 4, c, IJ);
  b->k.mirrors = mirrors;
  return b;
}

static void run_turned(void) {
  static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_I32, FS_F16, FS_BF16};
  static const struct tuning tunings[] = {
      {"4x4", {64, 8, 4, 1, 4, 2}},
      {"4x8", {64, 2, 8, 1, 4, 2}},
      {"2x2", {128, 32, 2, 1, 2, 2}},
  };
  static const int64_t sizes[][2] = {{8, 8}, {40, 72}, {136, 24}, {264, 264}};
  for (size_t t = 0; t < FS_LEN(tunings); t++)
    for (size_t z = 0; z < FS_LEN(sizes); z++)
      for (size_t d = 0; d < FS_LEN(types); d++) {
        bool square = sizes[z][0] == sizes[z][1];
        if (d && (z + t + d) % 2) continue;
        for (int mirrors = 0; mirrors <= square; mirrors++) {
          struct kb *b = crossed(sizes[z][0], sizes[z][1], types[d], mirrors);
          b->k.tune = tunings[t].t;
          char name[96];
          snprintf(name, sizeof name, "%s-%s-%s-%dx%d", mirrors ? "mirrored" : "turned",
                   tunings[t].name, fs_dtype_name(types[d]), (int)sizes[z][0],
                   (int)sizes[z][1]);
          check(b, name, 3, z == 3 && d == t, 0);
          free_kernel(b);
        }
      }
}

/* -- every second element ----------------------------------------------------------------- */

/* B = A[1:2:, 1:2:] + A[1:2:, 2:2:] - A[3:2:, 4:2:] */
static struct kb *spaced(int64_t m, int64_t n, enum fs_dtype dt) {
  struct kb *b = kernel(FS_ROW, m, n);
  int64_t row = (2 * n + 3 + 31) / 32 * 32, at[FS_MAX_RANK] = {2 * row, 2};
  int x = load_at(b, 0, dt, IJ, 0, at), y = load_at(b, 0, dt, IJ, 1, at);
  int z = load_at(b, 0, dt, IJ, 2 * row + 3, at);
  store(b, 1, map2(b, FS_OP_SUB, map2(b, FS_OP_ADD, x, y), z), IJ);
  return b;
}

static void run_spaced(void) {
  static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_F16, FS_BF16, FS_I32};
  static const int64_t sizes[][2] = {{1, 1}, {7, 40}, {9, 1000}, {5, 515}, {8, 1024}};
  for (int v = 0; v < 3; v++) /* lanes, rows at once */
    for (size_t z = 0; z < FS_LEN(sizes); z++)
      for (size_t d = 0; d < FS_LEN(types); d++) {
        struct kb *b = spaced(sizes[z][0], sizes[z][1], types[d]);
        b->k.tune = (struct fs_tuning){64, 64, v == 1 ? 8 : v ? 2 : 4, 1, v < 2 ? 2 : 1, 2};
        char name[96];
        snprintf(name, sizeof name, "spaced-%d-%s-%dx%d", v, fs_dtype_name(types[d]),
                 (int)sizes[z][0], (int)sizes[z][1]);
        check(b, name, 3, z == 3 && v == 1, 0);
        free_kernel(b);
      }
}

/* -- lines of several axes --------------------------------------------------------------- */

/* C = A[:, :, 1:n] + A[:, :, 2:n+1]: behind a row's last line the number in it begins anew. */
static struct kb *lines(int64_t m, int64_t p, int64_t n) {
  struct kb *b = kernel(FS_ROW, m, p * n);
  int64_t dim[] = {m, p, n}, line = (n + 16) / 8 * 8;
  int64_t at[FS_MAX_RANK] = {p * line, line, 1}, whole[FS_MAX_RANK] = {p * n, n, 1};
  set_axes(b, 1, 2, dim);
  int x = load_at(b, 0, FS_F32, IJ, 0, at), y = load_at(b, 0, FS_F32, IJ, 1, at);
  store_at(b, 1, map2(b, FS_OP_ADD, x, y), IJ, 0, whole);
  return b;
}

static void run_lines(void) {
  static const int64_t sizes[][3] = {{3, 2, 8}, {5, 9, 80}, {8, 7, 96}, {6, 31, 17}};
  for (int v = 0; v < 4; v++) /* lanes, rows at once */
    for (size_t z = 0; z < FS_LEN(sizes); z++) {
      const int64_t *d = sizes[z];
      struct kb *b = lines(d[0], d[1], d[2]);
      b->k.tune = (struct fs_tuning){64, 64, v % 2 ? 8 : 4, 1, v < 2 ? 2 : 1, 2};
      char name[96];
      snprintf(name, sizeof name, "lines-%d-%dx%dx%d", v, (int)d[0], (int)d[1], (int)d[2]);
      check(b, name, 3, z == 2 && v == 1, 0);
      free_kernel(b);
    }
}

/* -- flat -------------------------------------------------------------------------------- */

/* w = a*x + b*y;  d = w'*x, and 2*d */
static struct kb *flat_dot(int64_t n, enum fs_dtype dt) {
  struct kb *b = kernel(FS_FLAT, 1, n);
  int x = load(b, 0, dt, J), y = load(b, 1, dt, J);
  int alpha = param(b, 0, dt, 2), beta = param(b, 1, dt, -1);
  int w = map2(b, FS_OP_ADD, map2(b, FS_OP_MUL, alpha, x),
               map2(b, FS_OP_MUL, beta, y));
  store(b, 2, w, J);
  int d = reduce(b, FS_RD_SUM, J, w, x), top = reduce(b, FS_RD_MAXR, J, y, -1);
  b->phase = FS_END;
  store(b, 3, d, NONE);
  store(b, 4, map2(b, FS_OP_ADD, d, d), NONE);
  store(b, 5, top, NONE);
  return b;
}

static struct kb *flat_logic(int64_t n, enum fs_dtype dt) {
  struct kb *b = kernel(FS_FLAT, 1, n);
  int x = load(b, 0, dt, J), y = load(b, 1, dt, J), m = load(b, 2, FS_BOOL, J);
  int g = map3(b, FS_OP_GT, FS_BOOL, x, y, -1);
  int w = map3(b, FS_OP_WHERE, dt, m, x, y);
  store(b, 3, g, J);
  store(b, 4, map2(b, FS_OP_MAX, w, map3(b, FS_OP_ABS, dt, y, -1, -1)), J);
  store(b, 5, map3(b, FS_OP_NOT, FS_BOOL, m, -1, -1), J);
  store(b, 6, map2(b, FS_OP_MOD, x, y), J);
  int any = reduce(b, FS_RD_ANY, J, g, -1), all = reduce(b, FS_RD_ALL, J, m, -1);
  int count = reduce(b, FS_RD_SUM, J, m, -1);
  b->phase = FS_END;
  store(b, 7, any, NONE);
  store(b, 8, all, NONE);
  store(b, 9, count, NONE);
  return b;
}

/* A matrix with a pitch, a broadcast row and column, a reversed array. */
static struct kb *flat_axes(int64_t m, int64_t n, int64_t pitch) {
  struct kb *b = kernel(FS_FLAT, 1, m * n);
  int64_t dim[] = {m, n}, at[] = {pitch, 1}, row[] = {0, 1}, column[] = {1, 0};
  int64_t back[] = {n, -1}, twice[] = {2 * n, 2};
  set_axes(b, 0, 2, dim);
  int a = load_at(b, 0, FS_F32, J, 0, at), r = load_at(b, 1, FS_F32, J, 0, row);
  int c = load_at(b, 2, FS_F32, J, 0, column);
  int z = load_at(b, 3, FS_F32, J, n - 1, back);
  int s = load_at(b, 4, FS_F32, J, 1, twice);
  int x = map2(b, FS_OP_ADD, map2(b, FS_OP_MUL, a, r), map2(b, FS_OP_ADD, c, z));
  store_at(b, 5, x, J, 0, at);
  store_at(b, 6, map2(b, FS_OP_SUB, x, s), J, 1, twice);
  b->slot[3].count = m * n;
  return b;
}

static void check_known_answer(void) {
  static const uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                   0x9b00dbd8};
  for (uint64_t k = 0; k < 4; k++)
    if (uniform(k, 0, 0) != ldexp(words[k] >> 8, -24)) {
      printf("FAIL random: number %d\n", (int)k);
      n_failed++;
    }
}

static void run_flat(void) {
  static const int64_t sizes[] = {1, 2, 31, 33, 1000, 4099};
  static const enum fs_dtype types[] = {FS_F32, FS_F64, FS_I32, FS_I64, FS_F16,
                                        FS_BF16};
  char name[96];
  for (size_t t = 0; t < FS_LEN(flat_tunings); t++)
    for (size_t z = 0; z < FS_LEN(sizes); z++)
      for (size_t d = 0; d < FS_LEN(types); d++) {
        if (d && (z + t + d) % 3) continue;
        bool half = types[d] == FS_F16 || types[d] == FS_BF16;
        if (half && sizes[z] > 33) continue; /* sums must stay exact */
        struct kb *b = flat_dot(sizes[z], types[d]);
        b->k.tune = flat_tunings[t].t;
        snprintf(name, sizeof name, "dot-flat-%s-%s-%d", flat_tunings[t].name,
                 fs_dtype_name(types[d]), (int)sizes[z]);
        check(b, name, 3, z == 4 && t == 0, half ? 0.01 : 0);
        free_kernel(b);
        if (half || (z + t) % 2) continue;
        b = flat_logic(sizes[z], types[d]);
        b->k.tune = flat_tunings[t].t;
        snprintf(name, sizeof name, "logic-flat-%s-%s-%d",
                 flat_tunings[t].name, fs_dtype_name(types[d]), (int)sizes[z]);
        check(b, name, 3, z == 4 && t == 0, 0);
        free_kernel(b);
      }
  static const int64_t shapes[][3] = {{3, 5, 8}, {7, 32, 32}, {2, 131, 132}};
  for (size_t t = 0; t < FS_LEN(flat_tunings); t++)
    for (size_t z = 0; z < FS_LEN(shapes); z++) {
      struct kb *b = flat_axes(shapes[z][0], shapes[z][1], shapes[z][2]);
      b->k.tune = flat_tunings[t].t;
      snprintf(name, sizeof name, "axes-flat-%s-%d", flat_tunings[t].name,
               (int)z);
      check(b, name, 2, t == 0, 0);
      free_kernel(b);
    }
}

/* Random numbers: the first four are the published known answer. */
static void run_random(void) {
  check_known_answer();
  for (int t = 0; t < 3; t++) {
    struct kb *b = kernel(FS_FLAT, 1, 1001);
    b->k.tune = flat_tunings[t].t;
    int seed = param(b, 0, FS_I64, t ? 77 : 0);
    int stream = param(b, 1, FS_I64, t ? 5 : 0), v = value(b, FS_F32, J);
    struct fs_step *s = step(b, FS_SP_RAND, v);
    s->in[0] = seed;
    s->in[1] = stream;
    s->affine = (struct fs_affine){.base = t, .stride = {1}};
    store(b, 0, v, J);
    char name[32];
    snprintf(name, sizeof name, "random-%s", flat_tunings[t].name);
    check(b, name, 2, true, 0);
    s->op = 1; /* normal: only that it compiles */
    snprintf(name, sizeof name, "normal-%s", flat_tunings[t].name);
    if (show) check(b, name, 2, true, 0);
    else if (nvrtc_present()) compile_everywhere(b, name);
    free_kernel(b);
  }
}

/* No axis at all: a = b + c on device scalars. */
static void run_scalar(void) {
  struct kb *b = kernel(FS_FLAT, 1, 1);
  b->k.space.n_inner = 0;
  int x = load(b, 0, FS_F32, NONE), y = load(b, 1, FS_F32, NONE);
  store(b, 2, map2(b, FS_OP_ADD, x, y), NONE);
  b->k.tune = flat_tunings[0].t;
  check(b, "scalar", 2, true, 0);
  free_kernel(b);
}

/* -- the library's texts ------------------------------------------------------------------ */

/* Each skeleton, after test.cuh and all preludes together, is CUDA C. */
static void run_skeletons(void) {
  if (!nvrtc_present()) return;
  struct fs_str prelude = {0};
  const char *stand_in = fs_embedded_text("elemlib/scheme/test.cuh");
  fs_str_puts(&prelude, stand_in);
  for (const struct fs_embedded *f = fs_embedded; f->name; f++)
    if (!strncmp(f->name, "elemlib/cuda/", 13)) fs_str_puts(&prelude, f->text);
  compile_text("elemlib/cuda", fs_str_text(&prelude), "sm_90a");
  for (const struct fs_embedded *f = fs_embedded; f->name; f++) {
    if (strncmp(f->name, "elemlib/scheme/", 15) || f->text == stand_in)
      continue;
    struct fs_str text = {0};
    fs_str_puts(&text, fs_str_text(&prelude));
    fs_str_puts(&text, f->text);
    compile_text(f->name, fs_str_text(&text), "sm_90a");
    fs_str_free(&text);
  }
  fs_str_free(&prelude);
}

/* Tests link the emitter without the planner that words statements. */
__attribute__((weak)) void fs_kernel_does(const struct fs_plan *plan,
                                          const struct fs_kernel *k,
                                          const struct fs_diags *diags,
                                          struct fs_str *out) {
  (void)plan, (void)k, (void)diags, (void)out;
}

/* The text for an H200 (or an A100) as the tuner would have it. */
static void print_tuned(const char *scheme, const char *name, int64_t m,
                        int64_t n, bool plain) {
  enum fs_scheme s = !strcmp(scheme, "flat")  ? FS_FLAT
                     : !strcmp(scheme, "row") ? FS_ROW
                                              : FS_TILE;
  struct kb *b = NULL;
  for (size_t k = 0; k < FS_LEN(makers) && s != FS_FLAT; k++)
    if (!strcmp(makers[k].name, name)) b = makers[k].make(s, m, n);
  if (s == FS_FLAT) b = flat_dot(n, FS_F32);
  if (!b) return;
  const struct fs_device *d = plain ? &sm80 : &sm90;
  fs_kernel_look(&b->k);
  fs_tune(&b->k, d);
  struct fs_emitted e;
  fs_emit_cuda(&b->plan, &b->k, d, NULL, &e);
  printf("%s", e.source);
  fs_emitted_free(&e);
  free_kernel(b);
}

/* Random makers, sizes and tunings. */
static void fuzz(int count, unsigned seed) {
  uint32_t state = seed * 747796405u + 1;
#define PICK(n) ((int)((state = state * 1664525u + 1013904223u) >> 16) % (n))
  for (int k = 0; k < count; k++) {
    const struct maker *mk = &makers[PICK((int)FS_LEN(makers))];
    bool tile = mk->tile && PICK(4) == 0;
    int64_t m = PICK(4) ? 1 + PICK(90) : 1 + PICK(3);
    int64_t n = PICK(3) ? 1 + PICK(150) : 4 * (1 + PICK(300));
    int threads = 32 << PICK(4), row = 1 << PICK(8);
    struct kb *b = mk->make(tile ? FS_TILE : FS_ROW, m, n);
    int vec = 1 << PICK(4); /* one draw a statement: their order is fixed */
    int cols = 1 + PICK(6);
    int iters = 1 + PICK(4);
    int blocks = 1 + PICK(3);
    b->k.tune = (struct fs_tuning){threads, row < threads ? row : threads, vec,
                                   cols, iters, blocks};
    const struct fs_tuning *t = &b->k.tune;
    char name[128];
    snprintf(name, sizeof name, "%s-%s-%dx%d-T%d-R%d-V%d-C%d-I%d", mk->name,
             tile ? "tile" : "row", (int)m, (int)n, t->threads,
             t->row_threads, t->vec, t->cols, t->iters);
    check(b, name, 1 + PICK(5), false, mk->tolerance);
    free_kernel(b);
  }
#undef PICK
}

int main(int argc, char **argv) {
  fs_device_of_cc(&sm80, 80);
  fs_device_of_cc(&sm90, 90);
  fs_device_of_cc(&sm100, 100);
  const char *only = NULL;
  if (argc >= 6 && !strcmp(argv[1], "tuned")) {
    print_tuned(argv[2], argv[3], atoll(argv[4]), atoll(argv[5]), argc > 6);
    return 0;
  }
  if (argc >= 3 && !strcmp(argv[1], "fuzz")) {
    fuzz(atoi(argv[2]), argc > 3 ? (unsigned)atoi(argv[3]) : 1);
    printf("%d cases, %d failed\n", n_run, n_failed);
    return n_failed != 0;
  }
  if (argc == 3 && !strcmp(argv[1], "show")) show = argv[2];
  else if (argc == 2) only = argv[1];
  if (!only && !show) run_skeletons();
  if (!only || !strcmp(only, "flat")) {
    run_flat();
    run_turned();
    run_spaced();
    run_lines();
    run_scalar();
    run_random();
  }
  for (size_t k = 0; k < FS_LEN(makers); k++) {
    if (only && strcmp(only, makers[k].name)) continue;
    if (makers[k].row) run_rows(&makers[k]);
    if (makers[k].tile) run_tiles(&makers[k]);
    if (makers[k].ring) run_rings(&makers[k]);
    if (makers[k].rows) run_clusters(&makers[k]);
  }
  if (show) return 0;
  printf("%d cases, %d failed, %d compilations by NVRTC\n", n_run, n_failed,
         n_compiled);
  if (nvrtc_present() && n_compiled == 0) n_failed++;
  printf("%d passed, %d failed\n", n_run - n_failed, n_failed);
  return n_failed != 0;
}
