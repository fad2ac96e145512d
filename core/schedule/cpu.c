/* cpu.c - how the CPU target cuts a kernel into tasks, groups of rows and strips.
 *
 *   softmax of 64 x 200000: groups of 2 rows, whose exponentials are kept; 64 tasks
 *
 * What strips make decides it: a tile that is made wants to stay in the first cache beside
 * what it is made of, while sums of columns want many rows. So the operations of each phase
 * are found first, backwards from its reductions and stores. What an earlier phase made is
 * made again, unless whole rows of it fit the second-level cache and are kept.
 *
 * The planner asks this of thousands of kernels: one room of memory, and one look at each step
 * for each phase. */
#include "core/schedule/schedule.h"

enum { BOTH = FS_VARIES_I | FS_VARIES_J };

static int64_t size_of(const struct fs_value *v) {
  return (int64_t)fs_dtype_size(fs_dtype_compute(v->dtype));
}

/* -- accesses ------------------------------------------------------------------------ */

struct fs_run fs_run_of(const struct fs_space *s, int first, int count, const int64_t *stride) {
  struct fs_run run = {.linear = true};
  int last = -1;
  for (int a = first + count - 1; a >= first; a--) {
    if (s->dim[a] == 1) continue;
    if (last < 0) run.stride = stride[a];
    else if (stride[a] != stride[last] * s->dim[last]) run.linear = false;
    last = a;
  }
  if (!run.linear) run.stride = stride[first + count - 1];
  return run;
}

static struct fs_run outer_run(const struct fs_kernel *k, const struct fs_access *a) {
  return fs_run_of(&k->space, 0, k->space.n_outer, a->stride);
}
static struct fs_run inner_run(const struct fs_kernel *k, const struct fs_access *a) {
  return fs_run_of(&k->space, k->space.n_outer, k->space.n_inner, a->stride);
}
static bool is_unit(struct fs_run run) { return run.linear && run.stride == 1; }

bool fs_cpu_is_listed(const struct fs_kernel *k, const struct fs_step *s) {
  const struct fs_access *list = fs_access_list(k, &k->accesses.data[s->access]);
  bool any = !(k->values.data[s->out].varies & FS_VARIES_J);
  for (int x = k->space.n_outer; list && x < k->space.n_outer + k->space.n_inner; x++)
    any |= k->space.dim[x] > 1 && list->stride[x] != 0;
  return list && any;
}

enum fs_load_mode fs_cpu_load(const struct fs_kernel *k, const struct fs_step *s) {
  const struct fs_access *a = &k->accesses.data[s->access];
  uint8_t varies = k->values.data[s->out].varies;
  if (fs_dtype_converts(a->dtype) || !varies || a->reach) return FS_LM_COPY;
  if (varies == FS_VARIES_I)
    return !a->list && is_unit(outer_run(k, a)) ? FS_LM_IN_PLACE : FS_LM_COPY;
  struct fs_run inner = inner_run(k, a);
  if (a->list)
    return varies == BOTH && is_unit(inner) && !fs_cpu_is_listed(k, s) ? FS_LM_IN_PLACE
                                                                      : FS_LM_COPY;
  if (is_unit(inner)) return FS_LM_IN_PLACE;
  bool turned = varies == BOTH && inner.linear && is_unit(outer_run(k, a));
  return turned ? FS_LM_TRANSPOSE : FS_LM_COPY;
}

/* What a matrix of the kernel varies over: a flat one has all elements in one row. */
static uint8_t whole(const struct fs_kernel *k) {
  return fs_kernel_has_rows(k) ? BOTH : FS_VARIES_J;
}

bool fs_cpu_fills(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind != FS_SP_STORE || s->phase == FS_END) return false;
  const struct fs_access *a = &k->accesses.data[s->access];
  bool in_lines = a->varies == whole(k) && is_unit(inner_run(k, a));
  return !fs_dtype_converts(a->dtype) && in_lines && !fs_kernel_moves(k, a->slot, false);
}

/* Bytes of what the kernel reads and writes element by element. */
static int64_t whole_traffic(const struct fs_kernel *k) {
  int64_t bytes = 0;
  for (int x = 0; x < k->accesses.len; x++)
    if (k->accesses.data[x].varies == whole(k))
      bytes += (int64_t)fs_dtype_size(k->accesses.data[x].dtype);
  return fs_mul_size(bytes, k->space.m * k->space.n);
}

/* -- values ------------------------------------------------------------------------------- */

/* What the strips of a kernel do. */
struct strips {
  const struct fs_kernel *k;
  struct fs_cpu_schedule *c;
  int *maker, *same, *pass, *times; /* of the schedule             */
  bool *kept, *once;
  int *made, *seen;       /* by value: 1 + the first phase whose strips make it, 1 + the
                             last one that was found to want it   */
  int *uses;              /* ... by operations of strips           */
  bool *in_place;         /* ... it is memory                      */
  int64_t keep_limit;     /* bytes per row                         */
  bool columns;           /* they have anything of columns alone   */
  struct fs_cpu_strips *s;
};

static int same_of(const int *same, int v) {
  while (v >= 0 && same[v] != v) v = same[v];
  return v;
}

/* Copies and casts that change nothing are their operand. */
static bool is_same(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || (s->op != FS_OP_COPY && s->op != FS_OP_CAST)) return false;
  const struct fs_value *from = &k->values.data[s->in[0]], *to = &k->values.data[s->out];
  bool type = from->dtype == to->dtype ||
              (to->dtype == FS_F32 && fs_dtype_compute(from->dtype) == FS_F32);
  return type && from->varies == to->varies;
}

static const struct fs_step *maker_of(const struct fs_cpu_schedule *c, int v) {
  int made = c->maker[same_of(c->same, v)];
  return made >= 0 ? &c->kernel->steps.data[made] : NULL;
}

/* The f32 value that a cast to f64 widens, or -1. */
static int widened(const struct fs_cpu_schedule *c, int v) {
  const struct fs_step *s = maker_of(c, v);
  if (!s || s->kind != FS_SP_MAP || s->op != FS_OP_CAST) return -1;
  const struct fs_value *from = &c->kernel->values.data[s->in[0]];
  const struct fs_value *to = &c->kernel->values.data[s->out];
  if (to->dtype != FS_F64 || fs_dtype_compute(from->dtype) != FS_F32) return -1;
  return from->varies == to->varies ? same_of(c->same, s->in[0]) : -1;
}

/* Not of columns: there a routine that widens as it goes is faster than strips of f64 by
 * half. */
bool fs_cpu_is_wide(const struct fs_cpu_schedule *c, const struct fs_step *s) {
  if (s->kind != FS_SP_REDUCE || s->op != FS_RD_SUM || s->in[1] < 0) return false;
  if (s->over == FS_VARIES_I && c->kernel->values.data[s->out].varies & FS_VARIES_J)
    return false;
  return widened(c, s->in[0]) >= 0 && widened(c, s->in[1]) >= 0;
}

int fs_cpu_operand(const struct fs_cpu_schedule *c, const struct fs_step *s, int x) {
  return fs_cpu_is_wide(c, s) ? widened(c, s->in[x]) : same_of(c->same, s->in[x]);
}

/* Whether only sums that widen it themselves take this value. */
static bool left_to_sums(const struct fs_cpu_schedule *c, int v) {
  const struct fs_kernel *k = c->kernel;
  if (widened(c, v) < 0) return false;
  for (int i = 0; i < k->steps.len; i++)
    FS_EACH_IN(&k->steps.data[i], x)
      if (same_of(c->same, k->steps.data[i].in[x]) == v && !fs_cpu_is_wide(c, &k->steps.data[i]))
        return false;
  return true;
}

/* Bytes of the widest type in strips. */
static int64_t widest(const struct fs_cpu_schedule *c) {
  int64_t size = 1;
  for (int v = 0; v < c->kernel->values.len; v++) {
    const struct fs_value *val = &c->kernel->values.data[v];
    if (val->varies & FS_VARIES_J && size_of(val) > size && !left_to_sums(c, v))
      size = size_of(val);
  }
  return size;
}

/* -- what strips make ------------------------------------------------------------------ */

/* Decides to keep whole rows of value v, which an earlier phase made. */
static bool keep(struct strips *t, int phase, int v) {
  if (!t->made[v] || t->made[v] > phase || t->in_place[v]) return false;
  const struct fs_value *val = &t->k->values.data[v];
  const struct fs_step *s = &t->k->steps.data[t->maker[v]];
  if (val->varies != BOTH) return false;
  if (s->kind == FS_SP_MAP && s->op == FS_OP_COPY &&
      t->k->values.data[s->in[0]].varies == FS_VARIES_J)
    return false; /* all rows are one */
  if (t->kept[v]) return true;
  t->s->keeps = true;
  int64_t bytes = t->k->space.n * size_of(val);
  if (t->s->kept + bytes > t->keep_limit) return false;
  t->s->kept += bytes;
  return t->kept[v] = true;
}

/* The value of an earlier phase that v repeats and that is kept, or -1. */
static int kept_twin(struct strips *t, int phase, int v) {
  for (int u = v; u >= 0; u = t->k->values.data[u].same_as) {
    int twin = same_of(t->same, u);
    if (keep(t, phase, twin)) return twin;
  }
  return -1;
}

static void add_load(struct strips *t, const struct fs_step *s, int phase) {
  const struct fs_value *v = &t->k->values.data[s->out];
  enum fs_load_mode mode = fs_cpu_load(t->k, s);
  t->s->turned |= mode == FS_LM_TRANSPOSE;
  t->in_place[s->out] = mode == FS_LM_IN_PLACE;
  t->s->reads_only &= mode == FS_LM_IN_PLACE;
  if (phase == 0 && mode == FS_LM_IN_PLACE && v->varies == BOTH) t->s->swept += size_of(v);
}

static void add_inputs(struct strips *t, const struct fs_step *s, int phase);

static void add_value(struct strips *t, int v, int phase) {
  uint8_t varies = t->k->values.data[v].varies;
  if (t->seen[v] == phase + 1 || !(varies & FS_VARIES_J)) return;
  const struct fs_step *s = &t->k->steps.data[t->maker[v]];
  if (s->kind == FS_SP_REDUCE) return;
  int twin = phase > 0 ? kept_twin(t, phase, v) : -1;
  if (twin >= 0) {
    t->same[v] = twin;
    return;
  }
  t->seen[v] = phase + 1;
  t->columns |= varies == FS_VARIES_J;
  add_inputs(t, s, phase);
  if (!t->made[v]) t->made[v] = phase + 1;
  else t->times[t->maker[v]]++;
  if (s->kind == FS_SP_LOAD) {
    add_load(t, s, phase);
    return;
  }
  t->s->reads_only = false;
  t->s->tiles |= s->kind == FS_SP_MAP && varies == BOTH;
  t->s->lines |= s->kind == FS_SP_MAP && varies == FS_VARIES_J;
}

static void add_inputs(struct strips *t, const struct fs_step *s, int phase) {
  FS_EACH_IN(s, x) {
    int v = fs_cpu_operand(t->c, s, x);
    add_value(t, v, phase);
    t->uses[v]++;
  }
}

/* A store, or a reduction, of what varies over columns. */
static bool is_root(const struct strips *t, const struct fs_step *s, int phase) {
  if (s->phase != phase) return false;
  if (s->kind == FS_SP_STORE) return t->k->accesses.data[s->access].varies & FS_VARIES_J;
  unsigned walks = s->kind == FS_SP_REDUCE ? s->over : 0u;
  for (int x = 0; s->kind == FS_SP_REDUCE && x < FS_MOST_SRC && s->in[x] >= 0; x++)
    walks |= t->k->values.data[s->in[x]].varies;
  return walks & FS_VARIES_J;
}

static void add_phase(struct strips *t, int phase) {
  bool any = false;
  FS_EACH_STEP(t->k, s) {
    if (!is_root(t, s, phase)) continue;
    any = true;
    add_inputs(t, s, phase);
    t->s->reads_only &= s->kind == FS_SP_REDUCE;
    t->s->sums |= s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I &&
                  t->k->values.data[s->out].varies & FS_VARIES_J;
  }
  t->s->sweeps += any;
}

static void find_makers(struct strips *t) {
  for (int v = 0; v < t->k->values.len; v++) t->same[v] = v, t->maker[v] = -1;
  for (int i = 0; i < t->k->steps.len; i++) {
    const struct fs_step *s = &t->k->steps.data[i];
    t->pass[i] = i;
    t->times[i] = 1;
    if (s->out < 0) continue;
    t->maker[s->out] = i;
    if (is_same(t->k, s)) t->same[s->out] = same_of(t->same, s->in[0]);
  }
}

/* -- operations that share a pass ------------------------------------------------------- */

/* What costs is a pass over a strip, and two operations can be one: arithmetic of f32 or f64
 * that is not rounded to a narrower type. */
static bool may_join(const struct strips *t, int step) {
  const struct fs_step *s = &t->k->steps.data[step];
  if (s->kind != FS_SP_MAP || s->phase == FS_END) return false;
  if (s->op != FS_OP_ADD && s->op != FS_OP_SUB && s->op != FS_OP_MUL) return false;
  const struct fs_value *values = t->k->values.data, *v = &values[s->out];
  unsigned in = values[s->in[0]].varies | values[s->in[1]].varies;
  return v->varies & in & FS_VARIES_J && fs_dtype_is_full(v->dtype) &&
         t->made[s->out] && !t->kept[s->out];
}

/* The step that makes operand x for this user alone, in a pass that may be the user's; a pass
 * has two operations, or two scalings and their sum. */
static int maker_for(const struct strips *t, int user, int x, const bool *full) {
  const struct fs_step *u = &t->k->steps.data[user];
  int v = same_of(t->same, u->in[x]), made = t->maker[v];
  if (made < 0 || t->uses[v] != 1 || full[made] || !may_join(t, made)) return -1;
  const struct fs_value *values = t->k->values.data;
  bool along = values[v].varies == values[u->out].varies;
  return along && t->k->steps.data[made].phase == u->phase ? made : -1;
}

static bool is_scaling(const struct strips *t, int step) {
  if (step < 0 || t->k->steps.data[step].op != FS_OP_MUL) return false;
  const struct fs_step *s = &t->k->steps.data[step];
  const struct fs_value *values = t->k->values.data;
  return !(values[s->in[0]].varies & FS_VARIES_J) != !(values[s->in[1]].varies & FS_VARIES_J);
}

static void join(struct strips *t, int step, bool *full) {
  int by[2] = {maker_for(t, step, 0, full), maker_for(t, step, 1, full)};
  bool both = t->k->steps.data[step].op == FS_OP_ADD && is_scaling(t, by[0]) &&
              is_scaling(t, by[1]);
  for (int x = 0; x < 2 && (both || !full[step]); x++) {
    if (by[x] < 0) continue;
    t->pass[by[x]] = step;
    full[step] = true;
  }
}

/* Whether all rows of a result point at the one line that it copies. */
static bool points(const struct fs_kernel *k, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || s->op != FS_OP_COPY) return false;
  const struct fs_value *from = &k->values.data[s->in[0]], *to = &k->values.data[s->out];
  return fs_dtype_compute(from->dtype) == fs_dtype_compute(to->dtype) && to->varies == BOTH &&
         from->varies == FS_VARIES_J;
}

static void find_passes(struct strips *t, bool *full) {
  for (int i = 0; i < t->k->steps.len; i++) {
    const struct fs_step *s = &t->k->steps.data[i];
    bool strip = s->out >= 0 && s->kind != FS_SP_REDUCE && s->phase != FS_END &&
                 t->k->values.data[s->out].varies & FS_VARIES_J;
    if ((s->out >= 0 && t->same[s->out] != s->out) || (strip && !t->made[s->out]) ||
        points(t->k, s))
      t->pass[i] = -1;
    else if (may_join(t, i)) join(t, i, full);
  }
}

/* Whether a step that takes a line of columns does so for the first rows alone. */
static bool takes_once(const struct strips *t, const struct fs_step *s) {
  const struct fs_value *values = t->k->values.data;
  if (s->kind == FS_SP_STORE) return !(t->k->accesses.data[s->access].varies & FS_VARIES_I);
  if (s->kind != FS_SP_REDUCE) return t->once[s->out];
  FS_EACH_IN(s, x) if (values[s->in[x]].varies & FS_VARIES_I) return false;
  return s->over == FS_VARIES_J && !values[s->out].varies && !fs_scheme_of(t->k)->rows;
}

/* Users come behind what they use. */
static void find_once(struct strips *t) {
  if (!fs_kernel_has_rows(t->k) || !t->columns) return;
  for (int v = 0; v < t->k->values.len; v++)
    t->once[v] = t->k->values.data[v].varies == FS_VARIES_J && t->made[v];
  for (int i = t->k->steps.len - 1; i >= 0; i--) {
    const struct fs_step *s = &t->k->steps.data[i];
    bool made = s->out < 0 || s->kind == FS_SP_REDUCE || t->made[s->out];
    if (s->phase == FS_END || !made || takes_once(t, s)) continue;
    FS_EACH_IN(s, x) t->once[fs_cpu_operand(t->c, s, x)] = false;
  }
}

static void look_at_strips(struct strips *t, bool *full) {
  t->s->reads_only = true;
  find_makers(t);
  for (int p = 0; p < t->k->n_phases; p++) add_phase(t, p);
  find_passes(t, full);
  find_once(t);
  t->s->widest = widest(t->c);
}

/* -- cuts ----------------------------------------------------------------------------- */

/* So many tasks that threads get as many each, and one has not a task of three or seven
 * while others wait. */
static int64_t even(int64_t tasks) {
  if (tasks <= 1 || tasks > fs_number(FS_CPU_EVEN_TASKS)) return tasks;
  return fs_round_up(tasks, tasks < 4 ? 2 : 4);
}

/* Parts of `whole` as large as each other, none larger than `most`. */
static int64_t equal_parts(int64_t whole, int64_t most, int64_t multiple) {
  int64_t each = fs_ceil_div(whole, FS_MAX(fs_ceil_div(whole, FS_MAX(most, 1)), 1));
  return FS_MAX(fs_round_up(each, multiple), multiple);
}

static void cut_flat(struct fs_cpu_schedule *c) {
  int64_t n = FS_MAX(c->kernel->space.n, 1), multiple = fs_number(FS_CPU_FLAT_MULTIPLE);
  c->rows = c->chunk_rows = 1;
  c->columns = fs_number(FS_CPU_FLAT_STRIP_BYTES) / c->strips.widest;
  int64_t strips = n / (fs_number(FS_CPU_TASKS) * c->columns);
  c->chunk_columns = FS_MIN(FS_MAX(strips, fs_number(FS_CPU_FLAT_LEAST)) * c->columns,
                            fs_number(FS_CPU_FLAT_MOST));
  int64_t tasks = fs_ceil_div(n, c->chunk_columns);
  if (tasks > fs_number(FS_CPU_EVEN_TASKS)) return;
  c->chunk_columns = FS_MAX(fs_round_up(fs_ceil_div(n, even(tasks)), multiple), multiple);
  c->columns = equal_parts(c->chunk_columns, c->columns, multiple);
}

/* Rows of a group where strips are as long as rows allow. Sums of columns want many. A tile
 * that is made wants to stay in the first cache beside what it is made of; that of a map
 * alone is one strip. */
static int64_t group_rows(const struct fs_cpu_strips *t) {
  if (t->turned)
    return FS_MIN(fs_number(FS_CPU_TURNED_BYTES) / t->widest, fs_number(FS_CPU_TURNED_ROWS));
  if (!t->tiles) return fs_number(FS_CPU_GROUP_ROWS);
  if (t->sums) return fs_number(FS_CPU_SUMMED_ROWS);
  return t->lines ? fs_number(FS_CPU_LINED_ROWS) : 1;
}

/* More of them where rows are narrow, and then whole groups. */
static int64_t narrow_rows(const struct fs_cpu_strips *t, int64_t rows) {
  int64_t whole_rows = fs_number(FS_CPU_WHOLE_ROWS);
  if (rows < whole_rows && t->tiles && !t->sums && !t->turned) return rows;
  return FS_MIN(fs_number(FS_CPU_MOST_ROWS), fs_round_up(rows, whole_rows));
}

static void cut_tiles(struct fs_cpu_schedule *c, int64_t cache) {
  const struct fs_cpu_strips *t = &c->strips;
  int64_t n = FS_MAX(c->kernel->space.n, 1);
  int64_t strip = fs_number(t->turned ? FS_CPU_TURNED_STRIP_BYTES : FS_CPU_STRIP_BYTES) / t->widest;
  c->columns = FS_MIN(t->reads_only ? fs_number(FS_CPU_LONG_STRIPS) * strip : strip, n);
  c->rows = group_rows(t);
  if (n < strip) c->rows = narrow_rows(t, fs_ceil_div(c->rows * strip, n));
  int64_t per_row = t->kept + (t->sweeps > 1 ? t->swept * c->kernel->space.n : 0);
  int64_t share = cache / fs_number(FS_CPU_KEPT_SHARE);
  if (per_row > 0) c->rows = FS_MIN(c->rows, FS_MAX(1, share / per_row));
}

static void cut_rows(struct fs_cpu_schedule *c) {
  int64_t m = c->kernel->space.m, n = FS_MAX(c->kernel->space.n, 1);
  int64_t most = fs_number(FS_CPU_TASK_ROWS);
  int64_t elements = FS_MIN(FS_MAX(m * n / fs_number(FS_CPU_TASKS), fs_number(FS_CPU_TASK_LEAST)),
                            fs_number(FS_CPU_TASK_MOST));
  int64_t chunk = elements / n;
  if (c->strips.sums)
    chunk = FS_MAX(FS_MAX(chunk, fs_number(FS_CPU_SUMMED_LEAST)),
                   FS_MIN(m / fs_number(FS_CPU_TASKS), fs_number(FS_CPU_SUMMED_MOST)));
  chunk = FS_MIN(FS_MAX(chunk, c->rows), most);
  int64_t tasks = fs_ceil_div(m, chunk), group = fs_number(FS_CPU_GROUP_ROWS);
  if (tasks > 1 && tasks <= fs_number(FS_CPU_EVEN_TASKS)) {
    chunk = fs_ceil_div(m, even(tasks));
    if (c->rows > 2 * group) c->rows = equal_parts(chunk, c->rows, group);
  }
  c->chunk_rows = fs_round_up(chunk, c->rows);
  if (c->chunk_rows > most) c->chunk_rows -= c->rows;
}

/* A tile kernel's columns are divided too where the rows do not make tasks enough. */
static void cut_columns(struct fs_cpu_schedule *c) {
  const struct fs_kernel *k = c->kernel;
  int64_t chunks = fs_ceil_div(k->space.m, c->chunk_rows), n = k->space.n;
  int64_t wanted = fs_number(FS_CPU_TILE_TASKS);
  c->chunk_columns = FS_MAX(n, 1);
  if (!fs_scheme_of(k)->ends_rows || chunks >= wanted ||
      n < fs_number(FS_CPU_TILE_STRIPS) * c->columns)
    return;
  int64_t pieces = FS_MIN(fs_ceil_div(wanted, FS_MAX(chunks, 1)),
                          n / (fs_number(FS_CPU_TILE_LEAST) * c->columns));
  c->chunk_columns = fs_round_up(fs_ceil_div(n, pieces), c->columns);
}

static void count_tasks(struct fs_cpu_schedule *c) {
  const struct fs_space *s = &c->kernel->space;
  c->row_chunks = fs_ceil_div(s->m, c->chunk_rows);
  c->column_chunks = fs_ceil_div(s->n, c->chunk_columns);
  if (fs_kernel_has_rows(c->kernel)) c->column_chunks = FS_MAX(c->column_chunks, 1);
  c->tasks = c->row_chunks * c->column_chunks;
  c->end_strip = fs_number(FS_CPU_END_STRIP);
  c->small = s->m * FS_MAX(s->n, 1) < fs_number(FS_CPU_SMALL);
  c->short_lines = s->m < fs_number(FS_CPU_SMALL);
}

static void find_streams(struct fs_cpu_schedule *c, const struct fs_device *d) {
  const struct fs_kernel *k = c->kernel;
  int64_t bytes = whole_traffic(k);
  c->row_by_row = k->space.n >= fs_number(FS_CPU_LONG_ROW) &&
                  bytes > fs_number(FS_CPU_ROW_CACHES) * d->core_cache_bytes;
  c->past = false;
  if (d->cache_bytes <= 0 || bytes <= d->cache_bytes) return;
  FS_EACH_AT(&k->accesses, a)
    c->past |= a->step >= 0 && fs_cpu_fills(k, &k->steps.data[a->step]);
}

static void cut(struct fs_cpu_schedule *c, const struct fs_device *d) {
  if (!fs_kernel_has_rows(c->kernel)) {
    cut_flat(c);
  } else {
    cut_tiles(c, d->core_cache_bytes);
    cut_rows(c);
    cut_columns(c);
  }
  count_tasks(c);
  find_streams(c, d);
}

bool fs_cpu_cut_anew(struct fs_cpu_schedule *c, const struct fs_device *d) {
  bool past = c->past;
  if (!c->strips.keeps) cut(c, d);
  return !c->strips.keeps && c->past == past;
}

/* -- all together ------------------------------------------------------------------------- */

void fs_schedule_cpu(const struct fs_kernel *k, const struct fs_device *d,
                     struct fs_cpu_schedule *out) {
  size_t n = (size_t)k->values.len, steps = (size_t)k->steps.len;
  *out = (struct fs_cpu_schedule){.kernel = k, .rows = 1, .row_chunks = 1,
                                  .column_chunks = 1, .tasks = 1};
  if (k->lib_node || k->n_applied) return;
  size_t bytes = (5 * n + 2 * steps) * sizeof(int) + (3 * n + steps) * sizeof(bool);
  int *room = fs_calloc(1, bytes + 1);
  struct strips t = {.k = k, .c = out, .maker = room, .same = room + n, .made = room + 2 * n,
                     .seen = room + 3 * n, .uses = room + 4 * n, .pass = room + 5 * n,
                     .s = &out->strips};
  t.times = t.pass + steps;
  t.kept = (bool *)(t.times + steps);
  t.once = t.kept + n;
  t.in_place = t.once + n;
  t.keep_limit = d->core_cache_bytes / fs_number(FS_CPU_KEPT_SHARE);
  out->maker = t.maker;
  out->same = t.same;
  out->kept = t.kept;
  out->once = t.once;
  out->pass = t.pass;
  out->times = t.times;
  look_at_strips(&t, t.in_place + n);
  cut(out, d);
}

void fs_cpu_schedule_free(struct fs_cpu_schedule *c) {
  free((void *)c->maker); /* the room of all its lists */
  c->maker = c->same = c->pass = c->times = NULL;
  c->kept = c->once = NULL;
}
