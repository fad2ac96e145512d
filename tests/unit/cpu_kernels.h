/* cpu_kernels.h - for the tests of the CPU target: kernels built by hand, run
 * with every instruction set of this machine on 1, 2 and 3 threads; results of one
 * set must have the same bits on any number of threads. */
#ifndef TEST_CPU_KERNELS_H
#define TEST_CPU_KERNELS_H

#include "core/device/target.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/plan/plan.h"

static int passed, failed;
static char context[256];

static inline void check(bool ok, const char *fmt, ...) FS_PRINTF(2, 3);
static inline void check(bool ok, const char *fmt, ...) {
  if (ok) {
    passed++;
    return;
  }
  static char last[sizeof context];
  static int shown;
  failed++;
  if (strcmp(last, context)) shown = 0;
  memcpy(last, context, sizeof context);
  if (++shown > 3) return;
  va_list args;
  va_start(args, fmt);
  printf("FAILED [%s] ", context);
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
}

/* -- kernels by hand ------------------------------------------------------ */

enum { MAX_SLOTS = 12, MAX_PARAMS = 8 };

struct made {
  struct fs_plan plan;
  struct fs_kernel k;
  void *slot[MAX_SLOTS];
  size_t bytes[MAX_SLOTS];
  struct fs_number param[MAX_PARAMS];
  int n_params;
  int end; /* 1: steps go to FS_END */
};

static inline struct made *new_kernel(enum fs_scheme scheme, int64_t m, int64_t n) {
  struct made *x = fs_calloc(1, sizeof *x);
  x->k.scheme = scheme;
  x->k.n_phases = 1;
  struct fs_space *s = &x->k.space;
  s->m = m, s->n = n;
  if (scheme == FS_FLAT) {
    s->n_inner = 1;
    s->dim[0] = n;
  } else {
    s->n_outer = s->n_inner = 1;
    s->dim[0] = m, s->dim[1] = n;
  }
  return x;
}

static inline void free_kernel(struct made *x) {
  for (int k = 0; k < x->plan.slots.len; k++) free(x->slot[k]);
  FS_VEC_FREE(&x->plan.slots);
  FS_VEC_FREE(&x->k.values);
  FS_VEC_FREE(&x->k.steps);
  FS_VEC_FREE(&x->k.accesses);
  free(x);
}

static inline int add_slot(struct made *x, enum fs_slot_kind kind, enum fs_dtype dt,
                    int64_t count, const void *data) {
  struct fs_slot *s = FS_PUSH(&x->plan.slots);
  *s = (struct fs_slot){.kind = kind, .dtype = dt, .count = count};
  int k = x->plan.slots.len - 1;
  x->bytes[k] = (size_t)FS_MAX(count, 1) * fs_dtype_size(dt);
  x->slot[k] = fs_malloc(x->bytes[k]);
  if (data) memcpy(x->slot[k], data, (size_t)count * fs_dtype_size(dt));
  else memset(x->slot[k], 0xA5, x->bytes[k]);
  return k;
}

static inline int value(struct made *x, enum fs_dtype dt, uint8_t varies, int phase) {
  *FS_PUSH(&x->k.values) =
      (struct fs_value){.dtype = dt, .varies = varies, .ready = (uint8_t)phase,
                        .same_as = -1};
  return x->k.values.len - 1;
}

static inline struct fs_step *step(struct made *x, enum fs_step_kind kind, int phase) {
  struct fs_step *s = FS_PUSH(&x->k.steps);
  *s = (struct fs_step){.kind = kind, .phase = (uint8_t)phase, .out = -1,
                        .in = FS_NO_INPUTS, .access = -1, .param = -1};
  if (phase != FS_END) x->k.n_phases = FS_MAX(x->k.n_phases, phase + 1);
  else x->k.has_end = true;
  return s;
}

static inline int access_to(struct made *x, int slot, int64_t offset, int64_t si,
                     int64_t sj) {
  struct fs_access a = {.slot = slot, .offset = offset};
  a.dtype = x->plan.slots.data[slot].dtype;
  bool flat = x->k.scheme == FS_FLAT;
  if (flat) a.stride[0] = sj;
  else a.stride[0] = si, a.stride[1] = sj;
  a.varies = (uint8_t)((si ? FS_VARIES_I : 0) | (sj ? FS_VARIES_J : 0));
  *FS_PUSH(&x->k.accesses) = a;
  return x->k.accesses.len - 1;
}

static inline int load(struct made *x, int phase, int slot, int64_t offset, int64_t si,
                int64_t sj) {
  int a = access_to(x, slot, offset, si, sj);
  int v = value(x, x->k.accesses.data[a].dtype, x->k.accesses.data[a].varies,
                phase);
  struct fs_step *s = step(x, FS_SP_LOAD, phase);
  s->out = v;
  s->access = a;
  return v;
}

static inline int param(struct made *x, int phase, enum fs_dtype dt, double f) {
  x->param[x->n_params] = (struct fs_number){f, 0};
  if (f == f && fabs(f) < 9e18) x->param[x->n_params].i = (int64_t)f;
  int v = value(x, dt, 0, phase);
  struct fs_step *s = step(x, FS_SP_PARAM, phase);
  s->out = v;
  s->param = x->n_params++;
  return v;
}

static inline int map(struct made *x, int phase, enum fs_map_op op, enum fs_dtype dt,
               int a, int b, int c) {
  int in[3] = {a, b, c};
  uint8_t varies = 0;
  for (int k = 0; k < 3; k++)
    if (in[k] >= 0) varies |= x->k.values.data[in[k]].varies;
  int v = value(x, dt, varies, phase);
  struct fs_step *s = step(x, FS_SP_MAP, phase);
  s->op = (uint8_t)op;
  s->out = v;
  memcpy(s->in, in, sizeof in);
  return v;
}

static inline int spread(struct made *x, int phase, int a, uint8_t varies) {
  int v = map(x, phase, FS_OP_COPY, x->k.values.data[a].dtype, a, -1, -1);
  x->k.values.data[v].varies = varies;
  return v;
}

static inline int reduce(struct made *x, int phase, enum fs_reduce_op op,
                  enum fs_dtype dt, uint8_t over, int a, int b) {
  uint8_t varies = x->k.values.data[a].varies;
  if (b >= 0) varies |= x->k.values.data[b].varies;
  bool soon = over == FS_VARIES_J && x->k.scheme == FS_ROW;
  int v = value(x, dt, (uint8_t)(varies & ~over), soon ? phase + 1 : FS_END);
  struct fs_step *s = step(x, FS_SP_REDUCE, phase);
  s->op = (uint8_t)op;
  s->over = over;
  s->out = v;
  s->in[0] = a, s->in[1] = b;
  x->k.values.data[v].words = (uint8_t)fs_reduce_ops[op].words;
  if (fs_reduces_to_place((int)op)) { /* of two axes, counted row by row */
    s->affine.base = 1;
    s->affine.stride[0] = !(over & FS_VARIES_I) ? 0 : over & FS_VARIES_J ? x->k.space.n : 1;
    s->affine.stride[1] = over & FS_VARIES_J ? 1 : 0;
  }
  return v;
}

static inline void store(struct made *x, int phase, int v, int slot, int64_t offset,
                  int64_t si, int64_t sj) {
  int a = access_to(x, slot, offset, si, sj);
  struct fs_step *s = step(x, FS_SP_STORE, phase);
  s->in[0] = v;
  s->access = a;
}

/* -- running -------------------------------------------------------------- */

static const char *const isas[] = {"avx512", "avx2", "plain"};
static struct fs_target *targets[3][3]; /* by set and threads - 1 */
static int n_isas;
static struct fs_diags diags;

static inline void open_targets(void) {
  for (size_t k = 0; k < FS_LEN(isas); k++) {
    for (int t = 0; t < 3; t++)
      targets[n_isas][t] = fs_cpu_open(t + 1, isas[k]);
    bool same = !strcmp(targets[n_isas][0]->device.arch, isas[k]);
    n_isas += same;
    if (same) continue;
    for (int t = 0; t < 3; t++)
      targets[n_isas][t]->ops->close(targets[n_isas][t]);
  }
}

static inline bool run_on(struct fs_target *t, struct made *x) {
  struct fs_code *code = NULL;
  const struct fs_kernel *k = &x->k;
  fs_kernel_look(&x->k);
  enum fs_status st =
      t->ops->prepare(t, &x->plan, &diags, 1, &k, &code, &diags);
  if (st == FS_OK)
    st = t->ops->launch(t, code, x->slot, x->param, NULL, &diags);
  if (code) {
    const char *why = NULL;
    char *text = t->ops->code_text(t, code, "walk", &why);
    check(text && strlen(text) > 20, "code text");
    free(text);
  }
  t->ops->release(t, code);
  return st == FS_OK;
}

/* Runs with every set and number of threads, compares bits, and calls `verify`
 * once per set. Slots that are not inputs are cleared before each run. */
typedef void verify_fn(struct made *x, void *user);

static inline void clear_results(struct made *x) {
  for (int s = 0; s < x->plan.slots.len; s++)
    if (x->plan.slots.data[s].kind != FS_SLOT_INPUT)
      memset(x->slot[s], 0xA5, x->bytes[s]);
}

static inline void run(struct made *x, verify_fn *verify, void *user) {
  char *first[MAX_SLOTS] = {0};
  char saved[sizeof context];
  memcpy(saved, context, sizeof context);
  for (int i = 0; i < n_isas; i++) {
    for (int t = 0; t < 3; t++) {
      snprintf(context, sizeof context, "%.200s, %s, %d threads", saved,
               isas[i], t + 1);
      clear_results(x);
      check(run_on(targets[i][t], x), "does not run");
      for (int s = 0; s < x->plan.slots.len; s++) {
        if (t == 0) {
          first[s] = fs_realloc(first[s], x->bytes[s]);
          memcpy(first[s], x->slot[s], x->bytes[s]);
        } else {
          check(!memcmp(first[s], x->slot[s], x->bytes[s]),
                "other bits in slot %d", s);
        }
      }
      if (t == 0) verify(x, user);
    }
  }
  for (int s = 0; s < MAX_SLOTS; s++) free(first[s]);
  memcpy(context, saved, sizeof context);
}

/* -- data ----------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252ull;
static inline uint64_t random_word(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
/* Small non-zero integers: sums of them are exact. */
static inline int small(void) {
  int v = (int)(random_word() >> 40 & 15) - 8;
  return v >= 0 ? v + 1 : v;
}
static inline double element(enum fs_dtype dt, const void *p, int64_t k) {
  switch (dt) {
    case FS_BOOL: return ((const uint8_t *)p)[k];
    case FS_I32: return ((const int32_t *)p)[k];
    case FS_I64: return (double)((const int64_t *)p)[k];
    case FS_F32: return (double)((const float *)p)[k];
    case FS_F64: return ((const double *)p)[k];
    default: return 0;
  }
}
static inline void put_element(enum fs_dtype dt, void *p, int64_t k, double v) {
  switch (dt) {
    case FS_BOOL: ((uint8_t *)p)[k] = v != 0; break;
    case FS_I32: ((int32_t *)p)[k] = (int32_t)v; break;
    case FS_I64: ((int64_t *)p)[k] = (int64_t)v; break;
    case FS_F32: ((float *)p)[k] = (float)v; break;
    case FS_F64: ((double *)p)[k] = v; break;
    default: break;
  }
}
static inline void fill_small(struct made *x, int slot) {
  for (int64_t k = 0; k < x->plan.slots.data[slot].count; k++)
    put_element(x->plan.slots.data[slot].dtype, x->slot[slot], k, small());
}
static inline int input(struct made *x, enum fs_dtype dt, int64_t count) {
  int s = add_slot(x, FS_SLOT_INPUT, dt, count, NULL);
  fill_small(x, s);
  return s;
}
static inline int result(struct made *x, enum fs_dtype dt, int64_t count) {
  return add_slot(x, FS_SLOT_RESULT, dt, count, NULL);
}
static inline double get(const struct made *x, int slot, int64_t k) {
  return element(x->plan.slots.data[slot].dtype, x->slot[slot], k);
}

static inline int finish_tests(void) {
  for (int k = 0; k < n_isas; k++)
    for (int t = 0; t < 3; t++) targets[k][t]->ops->close(targets[k][t]);
  fs_diags_free(&diags);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

#endif
