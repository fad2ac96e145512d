/* instance.c - see instance.h. */
#include "core/device/cpu/instance.h"

#include "core/device/cpu/element.h"
#include "core/device/cpu/small.h"
#include "core/plan/kernels/launches.h"

enum { STRIP = 1024, CELL = 16, LINE = 64 };

struct fs_instance_walk {
  const struct fs_plan *plan;
  const struct fs_kernel *kernel;
  const struct fs_routines *r;
  const struct fs_native *native[FS_MOST_APPLIED]; /* the routines */
  const struct fs_native **map;   /* per step: a user's map, or NULL */
  int64_t together;               /* instances at a time  */
  int64_t *at;                    /* per value: where in the scratch */
  int64_t temp;                   /* a strip for gathers and conversions */
  int64_t scratch;
};

struct run {
  const struct fs_instance_walk *w;
  char *scratch;
  void *const *slots;
  const struct fs_number *params;
  struct fs_small_fault *fault;
};

/* One thread's view: instances first .. first+n-1. */
struct walker {
  const struct fs_instance_walk *w;
  char *scratch;
  void *const *slots;
  const struct fs_number *params;
  struct fs_small_fault *fault;
  int64_t first, n;
};

static const struct fs_value *value_of(const struct fs_instance_walk *w, int v) {
  return &w->kernel->values.data[v];
}
static enum fs_ctype type_of(const struct fs_instance_walk *w, int v) {
  return fs_ctype_of(value_of(w, v)->dtype);
}
static const struct fs_user_element *element_of(const struct fs_instance_walk *w,
                                                int part) {
  return fs_part_element(w->kernel, part);
}

/* Numbers of the longest element. */
static int widest_of(const struct fs_kernel *k) {
  int widest = 1;
  for (int part = 0; part < k->n_phases; part++)
    widest = FS_MAX(widest, fs_part_element(k, part)->count);
  return widest;
}

/* How many numbers a value has for `n` instances: one, where it is uniform. */
static int64_t numbers(const struct fs_instance_walk *w, int v, int part,
                       int64_t n) {
  return value_of(w, v)->varies ? n * element_of(w, part)->count : 1;
}

/* -- preparing -------------------------------------------------------------------- */

static int value_part(const struct fs_instance_walk *w, int v) {
  for (int q = 0; q < w->kernel->n_applied; q++) {
    int part = fs_result_part(&w->kernel->applied[q]);
    if (w->kernel->part_value[part] == v) return part;
  }
  return fs_kernel_maker(w->kernel, v)->phase;
}

static void place(struct fs_instance_walk *w) {
  int widest = widest_of(w->kernel);
  w->together = FS_MAX(1, STRIP / widest);
  int64_t top = 0;
  for (int v = 0; v < w->kernel->values.len; v++) {
    w->at[v] = top;
    int64_t numbers = (int64_t)w->together * element_of(w, value_part(w, v))->count;
    top += fs_round_up(8 * FS_MAX(2, numbers), LINE);
  }
  /* An operand that is uniform is spread for the routine. */
  w->temp = top;
  top += fs_round_up(8 * w->together * widest, LINE) * (2 + FS_USER_ARGS);
  w->scratch = top + LINE;
}

static const char *check_map(const struct fs_instance_walk *w,
                             const struct fs_step *s) {
  static const char *const why =
      "an operation on types that the op table does not have";
  int from = s->op == FS_OP_WHERE ? 1 : 0;
  enum fs_ctype ct = type_of(w, s->in[from]);
  if (s->op == FS_OP_CAST || s->op == FS_OP_COPY)
    return w->r->convert[ct][type_of(w, s->out)] ? NULL : why;
  return w->r->map[s->op][ct][0] ? NULL : why;
}

struct fs_instance_walk *fs_instance_new(const struct fs_plan *plan,
                                         const struct fs_kernel *kernel,
                                         const struct fs_routines *r,
                                         const char **why) {
  struct fs_instance_walk *w = fs_calloc(1, sizeof *w);
  w->plan = plan;
  w->kernel = kernel;
  w->r = r;
  w->at = fs_calloc((size_t)kernel->values.len + 1, sizeof *w->at);
  w->map = fs_calloc((size_t)kernel->steps.len + 1, sizeof *w->map);
  const char *no = NULL, *missing = NULL;
  for (int q = 0; q < kernel->n_applied && !no; q++) {
    if (kernel->applied[q].user->small) continue;
    w->native[q] = fs_native_get(kernel->applied[q].user, NULL, &missing);
    if (!w->native[q]) no = missing;
  }
  for (int i = 0; i < kernel->steps.len && !no; i++) {
    const struct fs_step *s = &kernel->steps.data[i];
    if (s->user && !(w->map[i] = fs_native_get(s->user, NULL, &no))) break;
    if (s->kind == FS_SP_MAP && !s->user) no = check_map(w, s);
    if (w->map[i]) no = NULL;
  }
  if (no) {
    fs_instance_free(w);
    *why = no;
    return NULL;
  }
  place(w);
  return w;
}

void fs_instance_free(struct fs_instance_walk *w) {
  if (!w) return;
  free(w->at);
  free(w->map);
  free(w);
}

int64_t fs_instance_scratch(const struct fs_instance_walk *w) {
  return w->scratch;
}

void fs_instance_footprint(const struct fs_instance_walk *w,
                           struct fs_footprint *out, struct fs_home *places) {
  int64_t m = w->kernel->space.m;
  *out = (struct fs_footprint){.threads = 1, .scratch = w->scratch,
                               .blocks = (m + w->together - 1) / w->together};
  for (int v = 0; v < w->kernel->values.len; v++) {
    int64_t n = numbers(w, v, value_part(w, v), w->together);
    places[v].storage = value_of(w, v)->varies ? "cache" : "register";
    places[v].bytes = (double)(n * fs_ctype_size(type_of(w, v)));
  }
}

/* -- steps -------------------------------------------------------------------------- */

static char *value_at(const struct walker *x, int v) {
  return x->scratch + x->w->at[v];
}

/* Visits the elements of a part in runs along its last axis: `at` is the offset
 * by these strides, `k` the number of the first element in the buffer. */
struct lines {
  struct fs_shape shape;
  const int64_t *stride;
  int64_t k, count, at, n;  /* the run: n elements from k on */
};

/* The offset of element `index` of the whole part, row-major. */
static int64_t offset_of(const struct fs_shape *s, const int64_t *stride,
                         int64_t index) {
  int64_t at = 0;
  for (int a = s->rank - 1; a >= 0; a--) {
    at += index % s->dim[a] * stride[a];
    index /= s->dim[a];
  }
  return at;
}

/* Begins, or goes on with, the runs of this task's part: as long as elements have
 * one stride, which for a dense array is all of them. */
static bool take_line(struct lines *l, const struct walker *x, int part) {
  const struct fs_shape *s = &l->shape;
  int64_t each = element_of(x->w, part)->count, length = 1, last = 0;
  l->k += l->n;
  if (l->k >= l->count) return false;
  for (int a = s->rank - 1; a >= 0; a--) {
    if (s->dim[a] == 1) continue;
    if (length > 1 && l->stride[a] != last * length) break;
    if (length == 1) last = l->stride[a];
    length *= s->dim[a];
  }
  int64_t index = x->first * each + l->k;
  l->n = FS_MIN(length - index % length, l->count - l->k);
  l->at = offset_of(s, l->stride, index);
  return true;
}

static struct lines lines_of(const struct walker *x, int part, bool varies,
                             const int64_t *stride) {
  struct lines l = {.shape = fs_part_shape(x->w->plan->graph, x->w->kernel, part),
                    .stride = stride};
  l.count = varies ? x->n * element_of(x->w, part)->count : 1;
  return l;
}

static int64_t last_stride(const struct lines *l) {
  for (int a = l->shape.rank - 1; a >= 0; a--)
    if (l->shape.dim[a] != 1) return l->stride[a];
  return 1;
}

static void load(const struct walker *x, const struct fs_step *s) {
  const struct fs_access *a = &x->w->kernel->accesses.data[s->access];
  int size = (int)fs_dtype_size(a->dtype);
  int wide = fs_ctype_size(type_of(x->w, s->out));
  fs_convert_fn *convert = x->w->r->load[a->dtype];
  char *out = value_at(x, s->out), *temp = x->scratch + x->w->temp;
  const char *base = (const char *)x->slots[a->slot] + a->offset * size;
  struct lines l = lines_of(x, s->phase, a->varies != 0, a->stride);
  int64_t step = last_stride(&l);
  while (take_line(&l, x, s->phase)) {
    const char *in = base + l.at * size;
    bool dense = step == 1 || l.n == 1;
    char *to = convert ? temp : out + l.k * wide;
    if (!dense) x->w->r->gather[fs_element_log2(size)](to, in, step, l.n);
    else if (!convert) memcpy(to, in, (size_t)(l.n * size));
    if (convert) convert(out + l.k * wide, dense ? in : temp, l.n);
  }
}

static void store(const struct walker *x, const struct fs_step *s) {
  const struct fs_access *a = &x->w->kernel->accesses.data[s->access];
  int size = (int)fs_dtype_size(a->dtype);
  int wide = fs_ctype_size(type_of(x->w, s->in[0]));
  fs_convert_fn *convert = x->w->r->store[a->dtype];
  bool spread = !value_of(x->w, s->in[0])->varies;
  char *temp = x->scratch + x->w->temp;
  char *base = (char *)x->slots[a->slot] + a->offset * size;
  struct lines l = lines_of(x, s->phase, a->varies != 0, a->stride);
  int64_t step = last_stride(&l);
  if (!a->varies && x->first) return;
  while (take_line(&l, x, s->phase)) {
    const char *in = value_at(x, s->in[0]) + (spread ? 0 : l.k * wide);
    char *to = base + l.at * size;
    if (spread) {
      x->w->r->fill[fs_element_log2(wide)](temp, in, l.n);
      in = temp;
    }
    if (convert) {
      char *narrow = temp + (spread ? l.n * wide : 0);
      convert(narrow, in, l.n);
      in = narrow;
    }
    if (step == 1 || l.n == 1) memcpy(to, in, (size_t)(l.n * size));
    else x->w->r->scatter[fs_element_log2(size)](to, step, in, l.n);
  }
}

static void set_param(const struct walker *x, const struct fs_step *s) {
  char *out = value_at(x, s->out);
  enum fs_dtype dt = value_of(x->w, s->out)->dtype;
  fs_element_set(dt, x->params[s->param], out);
  if (x->w->r->round[dt]) x->w->r->round[dt](out, out, 1);
}

static uint64_t word_of(const struct walker *x, int v) {
  return (uint64_t)*(const int64_t *)value_at(x, v); /* seeds are i64 */
}

static void generate(const struct walker *x, const struct fs_step *s) {
  enum fs_dtype dt = value_of(x->w, s->out)->dtype;
  enum fs_ctype ct = fs_ctype_of(dt);
  int size = fs_ctype_size(ct);
  struct lines l = lines_of(x, s->phase, value_of(x->w, s->out)->varies != 0,
                            s->affine.stride);
  int64_t step = last_stride(&l);
  while (take_line(&l, x, s->phase)) {
    char *out = value_at(x, s->out) + l.k * size;
    int64_t base = s->affine.base + l.at;
    if (s->kind == FS_SP_IOTA)
      x->w->r->iota[ct](out, value_at(x, s->in[0]), value_at(x, s->in[1]), base,
                        step, l.n);
    else
      (s->op ? x->w->r->normal : x->w->r->uniform)[ct == FS_CT_F64](
          out, base, step, l.n, word_of(x, s->in[0]), word_of(x, s->in[1]));
    if (x->w->r->round[dt]) x->w->r->round[dt](out, out, l.n);
  }
}

static void map(const struct walker *x, const struct fs_step *s, int index) {
  const struct fs_instance_walk *w = x->w;
  enum fs_dtype dt = value_of(w, s->out)->dtype;
  const void *in[FS_MOST_SRC] = {NULL};
  char *out = value_at(x, s->out);
  int64_t n = numbers(w, s->out, s->phase, x->n);
  int scalars = 0;
  FS_EACH_IN(s, k) {
    in[k] = value_at(x, s->in[k]);
    if (n > 1 && !value_of(w, s->in[k])->varies) scalars |= 1 << k;
  }
  int from = s->op == FS_OP_WHERE ? 1 : 0;
  enum fs_ctype ct = type_of(w, s->in[from] >= 0 ? s->in[from] : s->out);
  if (w->map[index])
    w->map[index]->entry(out, in, (unsigned)scalars, (long)n);
  else if (s->op == FS_OP_CAST || s->op == FS_OP_COPY)
    w->r->convert[ct][fs_ctype_of(dt)](out, in[0], n);
  else
    w->r->map[s->op][ct][scalars](out, in[0], in[1], in[2], n);
  fs_convert_fn *round = fs_rounds(w->r, dt, s->op == FS_OP_CAST, s->op == FS_OP_CAST
                                   ? value_of(w, s->in[0])->dtype : dt);
  if (round) round(out, out, n);
}

static void run_part(const struct walker *x, int part) {
  FS_EACH_IN_PHASE(x->w->kernel, s, part) {
    switch (s->kind) {
      case FS_SP_LOAD: load(x, s); break;
      case FS_SP_STORE: store(x, s); break;
      case FS_SP_PARAM: set_param(x, s); break;
      case FS_SP_IOTA: case FS_SP_RAND: generate(x, s); break;
      case FS_SP_MAP: map(x, s, (int)(s - x->w->kernel->steps.data)); break;
      default: break;
    }
  }
}

/* -- instances --------------------------------------------------------------------------- */

static void call_routine(const struct walker *x, int q) {
  const struct fs_instance_walk *w = x->w;
  const struct fs_applied *a = &w->kernel->applied[q];
  const struct fs_user *u = a->user;
  const void *in[FS_MOST_SRC] = {NULL};
  char *spare = x->scratch + w->temp;
  for (int p = 0; p < u->n_args; p++) {
    int v = w->kernel->part_value[a->first + p], size = fs_ctype_size(type_of(w, v));
    in[p] = value_at(x, v);
    if (value_of(w, v)->varies) continue;
    w->r->fill[fs_element_log2(size)](spare, in[p], x->n * u->arg[p].count);
    in[p] = spare;
    spare += fs_round_up(8 * w->together * widest_of(w->kernel), LINE);
  }
  int v = w->kernel->part_value[fs_result_part(a)];
  enum fs_dtype dt = value_of(w, v)->dtype;
  if (u->small)
    fs_small_run(u->small, u->compute == FS_F64, value_at(x, v), in, x->first, x->n, x->fault);
  else w->native[q]->entry(value_at(x, v), in, 0, (long)x->n);
  if (w->r->round[dt])
    w->r->round[dt](value_at(x, v), value_at(x, v), x->n * u->result.count);
}

static void task(void *user, int64_t k, int thread) {
  const struct run *r = user;
  const struct fs_instance_walk *w = r->w;
  struct walker x = {.w = w, .slots = r->slots, .params = r->params,
                     .fault = r->fault};
  uintptr_t base = (uintptr_t)(r->scratch + (int64_t)thread * w->scratch);
  x.scratch = (char *)((base + LINE - 1) / LINE * LINE);
  x.first = k * w->together;
  x.n = FS_MIN(w->together, w->kernel->space.m - x.first);
  for (int q = 0; q < w->kernel->n_applied; q++) {
    const struct fs_applied *a = &w->kernel->applied[q];
    for (int part = a->first; part < fs_result_part(a); part++) run_part(&x, part);
    call_routine(&x, q);
    run_part(&x, fs_result_part(a));
  }
}

enum fs_status fs_instance_run(const struct fs_instance_walk *w,
                               struct fs_pool *pool, int threads, char *scratch,
                               void *const *slots, const struct fs_number *params,
                               uint64_t *fault) {
  struct fs_small_fault first = {0};
  struct run r = {w, scratch, slots, params, &first};
  int64_t tasks = (w->kernel->space.m + w->together - 1) / w->together;
  if (tasks < 4) threads = 1;
  enum fs_status status = fs_pool_run(pool, threads, tasks, task, &r);
  *fault = first.word;
  return status;
}

static void print_routine(const struct fs_instance_walk *w,
                          const struct fs_applied *a, struct fs_str *out) {
  const struct fs_user *u = a->user;
  for (int p = 0; p < u->n_args; p++)
    if (u->load[p].c.text)
      fs_str_printf(out, "  load of %s, C form %d: %d of %d numbers on chip\n",
                    u->arg[p].name, u->impl, u->arg[p].chip_count,
                    u->arg[p].count);
  fs_str_printf(out, "  routine %s, C form %d\n", u->name, u->impl);
  if (u->store.c.text) fs_str_printf(out, "  store, C form %d\n", u->impl);
  fs_str_printf(out, "  result:\n    v%d as it gives it\n",
                w->kernel->part_value[fs_result_part(a)]);
}

void fs_instance_print(const struct fs_instance_walk *w, struct fs_str *out) {
  const struct fs_kernel *k = w->kernel;
  fs_str_printf(out,
                "walk instance, %lld instances, %lld at a time, routines %s\n",
                (long long)k->space.m, (long long)w->together, w->r->isa);
  for (int part = 0; part < k->n_phases; part++) {
    const struct fs_applied *a = fs_part_of(k, part);
    if (part == fs_result_part(a)) print_routine(w, a, out);
    else fs_str_printf(out, "  operand %s:\n", element_of(w, part)->name);
    int alias = fs_part_alias(k, part);
    if (alias >= 0) fs_str_printf(out, "    v%d\n", k->part_value[alias]);
    FS_EACH_IN_PHASE(k, s, part) {
      static const char *const words[] = {"load", "param", "iota", "random",
                                          "map", "reduce", "store"};
      fs_str_puts(out, "    ");
      if (s->out >= 0) fs_str_printf(out, "v%d = ", s->out);
      fs_str_puts(out, s->kind != FS_SP_MAP ? words[s->kind]
                       : s->user            ? s->user->name
                                            : fs_map_ops[s->op].name);
      FS_EACH_IN(s, x)
        fs_str_printf(out, "%s v%d", x ? "," : "", s->in[x]);
      if (s->access >= 0)
        fs_str_printf(out, " slot%d", k->accesses.data[s->access].slot);
      fs_str_puts(out, "\n");
    }
  }
}
