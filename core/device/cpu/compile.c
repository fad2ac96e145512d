/* compile.c - from a kernel plan to lists of operations on cells, lines and
 * tiles (walk.h).
 *
 * Each phase gets the operations that its reductions and stores need, found
 * backwards from them. What an earlier phase made is made again, strip by strip,
 * unless whole rows of it fit the second-level cache and are kept.
 */
#include "core/device/cpu/native.h"
#include "core/device/cpu/walk.h"

enum {
  GROUP_ROWS = 8,              /* fewer where tiles are made: group_rows() */
  STRIP_BYTES = 8192,          /* of the widest element type in a strip */
  LONG_STRIPS = 4,             /* so many times that, where sweeps only read */
  TURNED_BYTES = 256,          /* of a column that becomes part of a row: a few
                                  cache lines side by side, which memory gives
                                  faster than lines that are a row apart       */
  MOST_TURNED = 64,            /* elements of it                        */
  TURNED_STRIP_BYTES = 1024,   /* ... and of a row of the tile, which stays in L2 */
  FLAT_STRIP_BYTES = 8192,
  FLAT_CHUNK = 1 << 16,        /* elements of a flat task               */
  MAX_GROUP = 256,
  LONG_ROW = 256,              /* elements of rows that are read one by one, */
  ROW_CACHES = 4,              /* where that many caches do not hold them  */
  MAX_CHUNK_ROWS = 1024,       /* no f32 accumulator takes more terms   */
  CELL = 16,                   /* bytes of a scalar's place             */
  LINE = 64,                   /* alignment in the scratch              */
  PAGE = 4096                  /* ... of strips: as large arrays are aligned.
                                  A load whose address differs in no bit below
                                  that from what an earlier store still waits
                                  to write waits for it, so what is read and
                                  what is written must not lie a line apart
                                  within their pages                    */
};

struct maker {
  struct fs_walk *w;
  const struct fs_plan *plan;
  const struct fs_kernel *k;
  const struct fs_routines *r;
  const struct fs_step **producer; /* by value                              */
  int *alias;                      /* a value that is the same thing        */
  int *emitted;                    /* phase + 1 of a line's or cell's list  */
  uint32_t *seen, stamp;           /* strips: in the list being made        */
  int64_t keep_bytes, keep_limit;  /* per row                               */
  const char *why;
};

static const struct fs_value *value_of(const struct maker *m, int v) {
  return &m->k->values.data[v];
}
static enum fs_ctype type_of(const struct maker *m, int v) {
  return fs_ctype_of(value_of(m, v)->dtype);
}
static int resolve(const struct maker *m, int v) {
  while (v >= 0 && m->alias[v] != v) v = m->alias[v];
  return v;
}

/* -- directions ----------------------------------------------------------- */

int64_t fs_walk_offset(const struct fs_space *s, int first, int count,
                       const int64_t *stride, int64_t k) {
  int64_t at = 0;
  for (int a = first + count - 1; a >= first; a--) {
    int64_t d = s->dim[a];
    if (d <= 0) return 0;
    at += (a > first ? k % d : k) * stride[a];
    k /= d;
  }
  return at;
}

static struct fs_run run_of(const struct fs_space *s, int first, int count,
                            const int64_t *stride) {
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

static void set_runs(const struct maker *m, struct fs_walk_op *op,
                     const int64_t *stride) {
  const struct fs_space *s = &m->k->space;
  op->outer = run_of(s, 0, s->n_outer, stride);
  op->inner = run_of(s, s->n_outer, s->n_inner, stride);
}

/* -- single operations ---------------------------------------------------- */

static int bits_without(const struct maker *m, const struct fs_walk_op *op,
                        uint8_t along) {
  int bits = 0;
  for (int k = 0; k < op->n_in; k++)
    if (!(value_of(m, op->in[k])->varies & along)) bits |= 1 << k;
  return bits;
}

static bool same_types(const struct maker *m, const struct fs_walk_op *op,
                       int from) {
  for (int k = from + 1; k < op->n_in; k++)
    if (type_of(m, op->in[k]) != type_of(m, op->in[from])) return false;
  return true;
}

static void set_map(struct maker *m, struct fs_walk_op *op) {
  uint8_t along = op->varies & FS_VARIES_J ? FS_VARIES_J : op->varies;
  enum fs_map_op what = op->step->op;
  enum fs_ctype in = type_of(m, op->in[0]), out = type_of(m, op->out);
  int scalars = along ? bits_without(m, op, along) : 0;
  op->round = m->r->round[value_of(m, op->out)->dtype];
  op->spread = along && scalars == (1 << op->n_in) - 1;
  if (op->spread) scalars = 0;
  if (what == FS_OP_CAST || (what == FS_OP_COPY && in != out)) {
    op->convert = m->r->convert[in][out];
    return;
  }
  int from = what == FS_OP_WHERE ? 1 : 0;
  if (op->step->user) {
    const char *no;
    const struct fs_native *n = fs_native_get(op->step->user, NULL, &no);
    op->user = n ? n->entry : NULL;
    op->one = (unsigned)scalars;
    if (!n) m->why = no;
    return;
  }
  op->map = m->r->map[what][type_of(m, op->in[from])][scalars];
  if (!op->map || !same_types(m, op, from))
    m->why = "an operation on types that the op table does not have";
}

static bool varies_along(const struct fs_space *s, const struct fs_access *a, int first,
                         int count) {
  bool any = false;
  for (int x = first; x < first + count; x++) any |= s->dim[x] > 1 && a->stride[x] != 0;
  return any;
}

/* By a list: rows that it chooses are in place as others are, at no single stride. */
static void set_load_by_list(struct maker *m, struct fs_walk_op *op,
                             const struct fs_access *a) {
  const struct fs_space *s = &m->k->space;
  const struct fs_access *list = fs_access_list(m->k, a);
  op->listed = op->varies & FS_VARIES_J ? varies_along(s, list, s->n_outer, s->n_inner)
                                        : true;
  if (list->varies & FS_VARIES_I) op->outer.linear = false;
  bool unit = op->inner.linear && op->inner.stride == 1;
  if (!op->listed && unit && !op->convert && op->varies == FS_VARIES_BOTH)
    op->mode = FS_LM_IN_PLACE;
}

static void set_load(struct maker *m, struct fs_walk_op *op) {
  const struct fs_access *a = &m->k->accesses.data[op->step->access];
  set_runs(m, op, a->stride);
  op->convert = m->r->load[a->dtype];
  if (a->list) {
    set_load_by_list(m, op, a);
    return;
  }
  bool unit = op->inner.linear && op->inner.stride == 1;
  bool line = op->varies == FS_VARIES_J && unit;
  if (op->varies == FS_VARIES_I)
    line = op->outer.linear && op->outer.stride == 1;
  if (!op->convert && (line || (op->varies == FS_VARIES_BOTH && unit)))
    op->mode = FS_LM_IN_PLACE;
  else if (!op->convert && op->varies == FS_VARIES_BOTH && op->outer.linear &&
           op->outer.stride == 1 && op->inner.linear)
    op->mode = FS_LM_TRANSPOSE;
}

/* The f32 value that a cast to f64 widens, or -1. */
static int widened(const struct maker *m, int v) {
  const struct fs_step *s = m->producer[resolve(m, v)];
  if (!s || s->kind != FS_SP_MAP || s->op != FS_OP_CAST) return -1;
  if (type_of(m, s->out) != FS_CT_F64 || type_of(m, s->in[0]) != FS_CT_F32) return -1;
  bool along = value_of(m, s->in[0])->varies == value_of(m, s->out)->varies;
  return along ? resolve(m, s->in[0]) : -1;
}

/* Sums of products of widened operands, but not of columns, take these as f32: a
 * routine widens as it goes, which is faster than strips of f64 by half. */
static bool is_wide(const struct maker *m, const struct fs_step *s) {
  const struct fs_value *out = value_of(m, s->out);
  if (s->kind != FS_SP_REDUCE || s->op != FS_RD_SUM || s->in[1] < 0) return false;
  if (s->over == FS_VARIES_I && out->varies & FS_VARIES_J) return false;
  return widened(m, s->in[0]) >= 0 && widened(m, s->in[1]) >= 0;
}

/* Operand k of a step, as the walker takes it. */
static int operand_of(const struct maker *m, const struct fs_step *s, int k) {
  return is_wide(m, s) ? widened(m, s->in[k]) : resolve(m, s->in[k]);
}

static void set_reduce(struct maker *m, struct fs_walk_op *op) {
  const struct fs_step *s = op->step;
  const struct fs_value *out = value_of(m, op->out);
  enum fs_reduce_op what = s->op;
  op->in_type = type_of(m, op->in[0]);
  op->out_type = type_of(m, op->out);
  op->round = m->r->round[out->dtype];
  bool is_float = op->in_type == FS_CT_F32 || op->in_type == FS_CT_F64;
  if (op->n_in == 2) {
    op->product = what == FS_RD_SUM && is_float;
    op->dot = is_wide(m, s) ? m->r->rowdot_wide : m->r->rowdot[op->in_type];
    if (!op->product) op->multiply = m->r->map[FS_OP_MUL][op->in_type][0];
    if (!same_types(m, op, 0) || (!op->product && !op->multiply))
      m->why = "a product of types that the op table does not have";
  }
  if (!m->r->row[what][op->in_type])
    m->why = "a reduction of a type that the op table does not have";
  if (s->over == FS_VARIES_I && out->varies & FS_VARIES_J) {
    op->reduce = FS_RM_COLUMN;
  } else if (s->over == FS_VARIES_J && m->k->scheme == FS_ROW) {
    op->reduce = FS_RM_ROW;
  } else if (s->over == FS_VARIES_J && out->varies & FS_VARIES_I) {
    op->reduce = FS_RM_ROW_END;
  } else {
    op->reduce = FS_RM_ALL;
  }
  op->by_i = out->varies & FS_VARIES_I;
}

static struct fs_walk_op make_op(struct maker *m, const struct fs_step *s) {
  struct fs_walk_op op = {.step = s, .kind = s->kind, .out = s->out,
                          .direct = -1, .line = -1, .in = FS_NO_INPUTS};
  FS_EACH_IN(s, k)
    op.in[op.n_in++] = operand_of(m, s, k);
  op.varies = s->kind == FS_SP_STORE ? m->k->accesses.data[s->access].varies
                                     : value_of(m, s->out)->varies;
  if (s->out >= 0) op.size = fs_ctype_size(type_of(m, s->out));
  switch (s->kind) {
    case FS_SP_MAP: set_map(m, &op); break;
    case FS_SP_LOAD: set_load(m, &op); break;
    case FS_SP_REDUCE: set_reduce(m, &op); break;
    case FS_SP_STORE:
      set_runs(m, &op, m->k->accesses.data[s->access].stride);
      op.convert = m->r->store[m->k->accesses.data[s->access].dtype];
      break;
    case FS_SP_IOTA:
    case FS_SP_RAND:
      set_runs(m, &op, s->affine.stride);
      op.round = m->r->round[value_of(m, s->out)->dtype];
      break;
    case FS_SP_PARAM:
      op.round = m->r->round[value_of(m, s->out)->dtype];
      break;
  }
  return op;
}

/* -- lists ---------------------------------------------------------------- */

static struct fs_walk_op *find_op(struct fs_walk *w, int phase, int v) {
  for (int p = 0; p < phase; p++) {
    fs_op_list *list = &w->phase[p].strips;
    for (int k = 0; k < list->len; k++)
      if (list->data[k].out == v && list->data[k].kind != FS_SP_REDUCE &&
          list->data[k].mode != FS_LM_KEPT)
        return &list->data[k];
  }
  return NULL;
}

/* Decides to keep whole rows of value v, which an earlier phase made. */
static bool keep(struct maker *m, int phase, int v) {
  struct fs_walk_op *op = find_op(m->w, phase, v);
  if (!op || op->varies != FS_VARIES_BOTH) return false;
  if (op->kind == FS_SP_LOAD && op->mode == FS_LM_IN_PLACE) return false;
  if (op->kind == FS_SP_MAP && op->step->op == FS_OP_COPY && op->n_in == 1 &&
      value_of(m, op->in[0])->varies == FS_VARIES_J)
    return false;
  if (op->kept) return true;
  int64_t bytes = m->k->space.n * op->size;
  if (m->keep_bytes + bytes > m->keep_limit) return false;
  m->keep_bytes += bytes;
  return op->kept = true;
}

/* The value of an earlier phase that v repeats and that is kept, or -1. */
static int kept_twin(struct maker *m, int phase, int v) {
  for (int u = v; u >= 0; u = value_of(m, u)->same_as) {
    int t = resolve(m, u);
    if (keep(m, phase, t)) return t;
  }
  return -1;
}

static void add_value(struct maker *m, int phase, int v);

static void add_inputs(struct maker *m, int phase, const struct fs_step *s) {
  FS_EACH_IN(s, k)
    add_value(m, phase, operand_of(m, s, k));
}

static fs_op_list *list_for(struct maker *m, int phase, uint8_t varies) {
  struct fs_walk *w = m->w;
  if (phase == FS_END)
    return varies == FS_VARIES_J   ? &w->end_columns
           : varies == FS_VARIES_I ? &w->end_rows
                                   : &w->end_cells;
  if (varies & FS_VARIES_J) return &w->phase[phase].strips;
  return varies || phase > 0 ? &w->phase[phase].group : &w->start;
}

/* At the end the results of reductions are folded piece by piece. */
static void add_result(struct maker *m, int phase, int v) {
  struct fs_walk_op op = make_op(m, m->producer[v]);
  if (phase != FS_END || op.varies == 0) return;
  *FS_PUSH(list_for(m, FS_END, op.varies)) = op;
}

static void add_value(struct maker *m, int phase, int v) {
  if (m->seen[v] == m->stamp) return;
  uint8_t varies = value_of(m, v)->varies;
  bool strip = varies & FS_VARIES_J && phase != FS_END;
  const struct fs_step *s = m->producer[v];
  if (!strip && phase != FS_END && m->emitted[v]) return;
  if (strip && phase > 0 && s->kind != FS_SP_REDUCE) {
    int twin = kept_twin(m, phase, v);
    if (twin >= 0) {
      if (twin != v) m->alias[v] = twin;
      if (m->seen[twin] == m->stamp) return;
      m->seen[twin] = m->stamp;
      struct fs_walk_op op = *find_op(m->w, phase, twin);
      op.kind = FS_SP_LOAD;
      op.mode = FS_LM_KEPT;
      op.n_in = 0;
      *FS_PUSH(&m->w->phase[phase].strips) = op;
      return;
    }
  }
  m->seen[v] = m->stamp;
  if (s->kind == FS_SP_REDUCE) {
    add_result(m, phase, v);
    return;
  }
  add_inputs(m, phase, s);
  struct fs_walk_op op = make_op(m, s);
  *FS_PUSH(list_for(m, phase, varies)) = op;
  if (!strip && phase != FS_END) m->emitted[v] = phase + 1;
}

static void add_reduce(struct maker *m, int phase, const struct fs_step *s) {
  struct fs_walk *w = m->w;
  add_inputs(m, phase, s);
  struct fs_walk_op op = make_op(m, s);
  uint8_t walks = s->over;
  for (int k = 0; k < op.n_in; k++) walks |= value_of(m, op.in[k])->varies;
  fs_op_list *list = walks & FS_VARIES_J ? &w->phase[phase].strips
                                         : &w->phase[phase].group;
  op.walks = walks;
  *FS_PUSH(list) = op;
  if (op.reduce == FS_RM_ROW || op.reduce == FS_RM_ROW_END)
    *FS_PUSH(&w->phase[phase].finish) = op;
  if (op.reduce == FS_RM_ALL) *FS_PUSH(&w->all) = op;
}

static void add_phase(struct maker *m, int phase) {
  const struct fs_kernel *k = m->k;
  m->stamp++;
  for (int s = 0; s < k->steps.len; s++) {
    const struct fs_step *st = &k->steps.data[s];
    if (st->phase == phase && st->kind == FS_SP_REDUCE)
      add_reduce(m, phase, st);
    if (st->phase == phase && st->kind == FS_SP_STORE)
      add_inputs(m, phase, st);
  }
  /* Stores last: a result may lie in the memory of an operand. */
  for (int s = 0; s < k->steps.len; s++) {
    const struct fs_step *st = &k->steps.data[s];
    if (st->phase != phase || st->kind != FS_SP_STORE) continue;
    struct fs_walk_op op = make_op(m, st);
    op.walks = op.varies;
    *FS_PUSH(list_for(m, phase, op.varies)) = op;
  }
}

/* -- how the kernel is cut ------------------------------------------------ */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t fs_walk_tasks(const struct fs_walk *w, enum fs_walk_stage stage) {
  if (stage == FS_STAGE_TASKS) return w->n_row_chunks * w->n_column_chunks;
  return ceil_div(w->kernel->space.m, w->end_strip);
}

/* Whether only sums that widen it themselves take this value. */
static bool left_to_sums(const struct maker *m, int v) {
  if (widened(m, v) < 0) return false;
  for (int s = 0; s < m->k->steps.len; s++) {
    const struct fs_step *st = &m->k->steps.data[s];
    FS_EACH_IN(st, k)
      if (resolve(m, st->in[k]) == v && !is_wide(m, st)) return false;
  }
  return true;
}

static int widest(const struct maker *m) {
  int size = 1;
  for (int v = 0; v < m->k->values.len; v++)
    if (value_of(m, v)->varies & FS_VARIES_J && !left_to_sums(m, v))
      size = FS_MAX(size, fs_ctype_size(type_of(m, v)));
  return size;
}

static bool has_transpose(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (w->phase[p].strips.data[k].mode == FS_LM_TRANSPOSE) return true;
  return false;
}

static bool makes_tiles(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (w->phase[p].strips.data[k].kind == FS_SP_MAP &&
          w->phase[p].strips.data[k].varies == FS_VARIES_BOTH)
        return true;
  return false;
}

/* Whether strips have maps of columns alone, which every group of rows makes again. */
static bool makes_lines(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (w->phase[p].strips.data[k].kind == FS_SP_MAP &&
          w->phase[p].strips.data[k].varies == FS_VARIES_J)
        return true;
  return false;
}

static bool has_columns(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (w->phase[p].strips.data[k].kind == FS_SP_REDUCE &&
          w->phase[p].strips.data[k].reduce == FS_RM_COLUMN)
        return true;
  return false;
}

/* Bytes of one row that several sweeps read from memory. */
static int64_t swept_bytes(const struct fs_walk *w) {
  int64_t bytes = 0, sweeps = 0;
  for (int p = 0; p < w->n_phases; p++) {
    const fs_op_list *list = &w->phase[p].strips;
    sweeps += list->len > 0;
    for (int k = 0; k < list->len && p == 0; k++)
      if (list->data[k].mode == FS_LM_IN_PLACE &&
          list->data[k].varies == FS_VARIES_BOTH)
        bytes += list->data[k].size * w->kernel->space.n;
  }
  return sweeps > 1 ? bytes : 0;
}

/* So many tasks that threads get as many each, and one has not a task of three or
 * seven while others wait. */
static int64_t even(int64_t tasks) {
  if (tasks <= 1 || tasks > 16) return tasks;
  return tasks < 4 ? ceil_div(tasks, 2) * 2 : ceil_div(tasks, 4) * 4;
}

/* Parts of `whole` as large as each other, none larger than `most`. */
static int64_t equal_parts(int64_t whole, int64_t most, int64_t multiple) {
  int64_t each = ceil_div(whole, FS_MAX(ceil_div(whole, FS_MAX(most, 1)), 1));
  return FS_MAX(ceil_div(each, multiple), 1) * multiple;
}

static void cut_flat(struct maker *m) {
  enum { MULTIPLE = 64 };
  struct fs_walk *w = m->w;
  int64_t n = FS_MAX(m->k->space.n, 1);
  w->rows = 1;
  w->columns = FLAT_STRIP_BYTES / widest(m);
  w->chunk_rows = 1;
  int64_t strips = n / (64 * w->columns);
  w->chunk_columns = FS_MIN(FS_MAX(strips, 4) * w->columns, FLAT_CHUNK);
  int64_t tasks = ceil_div(n, w->chunk_columns);
  if (tasks > 16) return;
  w->chunk_columns = FS_MAX(ceil_div(ceil_div(n, even(tasks)), MULTIPLE), 1) * MULTIPLE;
  w->columns = equal_parts(w->chunk_columns, w->columns, MULTIPLE);
}

/* Whether the sweeps only read, in place: then nothing has to stay in a cache, and
 * the longer a strip the seldomer prefetching starts anew. */
static bool makes_nothing(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++) {
      const struct fs_walk_op *op = &w->phase[p].strips.data[k];
      bool reads = op->kind == FS_SP_LOAD && op->mode == FS_LM_IN_PLACE;
      if (!reads && op->kind != FS_SP_REDUCE) return false;
    }
  return true;
}

/* Rows of a group where strips are as long as rows allow. Sums of columns want many. A
 * tile that is made wants to stay in L1 beside what it is made of; that of a map alone
 * is one strip. */
static int64_t group_rows(const struct fs_walk *w, int size) {
  if (has_transpose(w)) return FS_MIN(TURNED_BYTES / size, MOST_TURNED);
  if (!makes_tiles(w)) return GROUP_ROWS;
  if (has_columns(w)) return GROUP_ROWS / 2;
  return makes_lines(w) ? 2 : 1;
}

/* More of them where rows are narrow, and then whole groups. */
static int64_t narrow_rows(const struct fs_walk *w, int64_t strip, int64_t n) {
  enum { WHOLE = 16 };
  int64_t rows = ceil_div(w->rows * strip, n);
  if (rows < WHOLE && makes_tiles(w) && !has_columns(w) && !has_transpose(w)) return rows;
  return FS_MIN(MAX_GROUP, ceil_div(rows, WHOLE) * WHOLE);
}

static void cut_rows(struct maker *m, int64_t cache) {
  struct fs_walk *w = m->w;
  int64_t rows = m->k->space.m, n = FS_MAX(m->k->space.n, 1);
  int64_t strip = (has_transpose(w) ? TURNED_STRIP_BYTES : STRIP_BYTES) / widest(m);
  w->columns = FS_MIN(makes_nothing(w) ? LONG_STRIPS * strip : strip, n);
  w->rows = group_rows(w, widest(m));
  if (n < strip) w->rows = narrow_rows(w, strip, n);
  int64_t per_row = swept_bytes(w) + m->keep_bytes;
  if (per_row > 0) w->rows = FS_MIN(w->rows, FS_MAX(1, cache / 2 / per_row));
  int64_t elements = FS_MIN(FS_MAX(rows * n / 64, 1 << 14), 1 << 18);
  int64_t chunk = elements / n;
  if (has_columns(w)) chunk = FS_MAX(FS_MAX(chunk, 32), FS_MIN(rows / 64, 256));
  chunk = FS_MIN(FS_MAX(chunk, w->rows), MAX_CHUNK_ROWS);
  int64_t tasks = ceil_div(rows, chunk);
  if (tasks > 1 && tasks <= 16) {
    chunk = ceil_div(rows, even(tasks));
    if (w->rows > 2 * GROUP_ROWS) w->rows = equal_parts(chunk, w->rows, GROUP_ROWS);
  }
  w->chunk_rows = ceil_div(chunk, w->rows) * w->rows;
  if (w->chunk_rows > MAX_CHUNK_ROWS) w->chunk_rows -= w->rows;
  w->chunk_columns = n;
}

/* Tiles: columns are divided too where the rows do not make tasks enough. */
static void cut_tiles(struct maker *m) {
  struct fs_walk *w = m->w;
  int64_t chunks = ceil_div(m->k->space.m, w->chunk_rows);
  int64_t n = m->k->space.n;
  if (m->k->scheme != FS_TILE || chunks >= 32 || n < 8 * w->columns) return;
  int64_t pieces = FS_MIN(ceil_div(32, FS_MAX(chunks, 1)),
                          n / (4 * w->columns));
  w->chunk_columns = ceil_div(ceil_div(n, pieces), w->columns) * w->columns;
}

static void cut(struct maker *m, int64_t cache) {
  struct fs_walk *w = m->w;
  const struct fs_space *s = &m->k->space;
  if (m->k->scheme == FS_FLAT) cut_flat(m);
  else cut_rows(m, cache);
  cut_tiles(m);
  w->n_row_chunks = ceil_div(s->m, w->chunk_rows);
  w->n_column_chunks = ceil_div(s->n, w->chunk_columns);
  if (m->k->scheme != FS_FLAT) w->n_column_chunks = FS_MAX(w->n_column_chunks, 1);
  w->elements = s->m * FS_MAX(s->n, 1);
  w->end_strip = 2048;
}

/* -- places --------------------------------------------------------------- */

struct buffer {
  int64_t at, bytes;
  int owner;           /* the value that lies there, or -1 */
};
struct buffers {
  FS_VEC(struct buffer) list;
  int64_t top;
};

static int64_t aligned(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* Where a strip of so many bytes begins, at `top` or behind it. */
static int64_t begin_strip(int64_t top, int64_t bytes) {
  return bytes < PAGE / 4 ? top : (top + PAGE - 1) / PAGE * PAGE;
}

static int64_t take_buffer(struct buffers *b, int64_t bytes, int owner) {
  int best = -1;
  for (int k = 0; k < b->list.len; k++) {
    struct buffer *x = &b->list.data[k];
    if (x->owner >= 0 || x->bytes < bytes) continue;
    if (best < 0 || x->bytes < b->list.data[best].bytes) best = k;
  }
  if (best < 0) {
    b->top = begin_strip(b->top, bytes);
    *FS_PUSH(&b->list) = (struct buffer){b->top, bytes, -1};
    b->top += aligned(bytes);
    best = b->list.len - 1;
  }
  b->list.data[best].owner = owner;
  return b->list.data[best].at;
}

static bool used_after(const fs_op_list *list, int from, int v) {
  for (int k = from; k < list->len; k++)
    for (int x = 0; x < list->data[k].n_in; x++)
      if (list->data[k].in[x] == v) return true;
  return false;
}

/* Operands that another value's rows point into must outlive it. */
static bool borrowed(const struct fs_walk *w, const fs_op_list *list, int v) {
  for (int k = 0; k < list->len; k++) {
    const struct fs_walk_op *op = &list->data[k];
    if (op->kind == FS_SP_MAP && op->step->op == FS_OP_COPY &&
        op->in[0] == v && op->varies == FS_VARIES_BOTH &&
        w->varies[v] == FS_VARIES_J)
      return true;
  }
  return false;
}

/* A map may write over an operand of the same size that nobody needs later. */
static void release_inputs(const fs_op_list *list, int k,
                           const struct fs_walk *w, struct buffers *b) {
  const struct fs_walk_op *op = &list->data[k];
  if (op->kind != FS_SP_MAP || op->axpby) return;
  for (int x = 0; x < b->list.len; x++) {
    int v = b->list.data[x].owner;
    bool mine = false;
    for (int i = 0; i < op->n_in; i++) mine |= op->in[i] == v;
    if (mine && w->varies[v] == op->varies && w->size[v] == op->size &&
        !used_after(list, k + 1, v) && !borrowed(w, list, v))
      b->list.data[x].owner = -1;
  }
}

/* Gives each result of a list its place, reusing those that are done with. */
static void place_list(const struct fs_walk *w, fs_op_list *list,
                       int64_t length, bool end, struct buffers *b) {
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    for (int x = 0; x < b->list.len; x++) {
      int v = b->list.data[x].owner;
      if (v >= 0 && !used_after(list, k, v) && !borrowed(w, list, v))
        b->list.data[x].owner = -1;
    }
    release_inputs(list, k, w, b);
    bool nowhere = op->out < 0 || op->kept || op->direct >= 0 || op->line >= 0 ||
                   (op->kind == FS_SP_REDUCE && !end) ||
                   (op->kind == FS_SP_LOAD && op->mode == FS_LM_IN_PLACE);
    if (nowhere) continue;
    int64_t rows = op->varies == FS_VARIES_BOTH ? w->rows : 1;
    op->at = take_buffer(b, rows * length * op->size, op->out);
  }
  for (int x = 0; x < b->list.len; x++) b->list.data[x].owner = -1;
}

/* Lines over I keep their places for the whole group. */
static void place_lines(struct fs_walk *w, int64_t *top) {
  for (int p = 0; p < w->n_phases; p++) {
    for (int pass = 0; pass < 2; pass++) {
      fs_op_list *list = pass ? &w->phase[p].finish : &w->phase[p].group;
      for (int k = 0; k < list->len; k++) {
        list->data[k].at = *top;
        *top += aligned(w->rows * 8);
      }
    }
  }
}

static void place_kept(struct fs_walk *w, int64_t *top) {
  for (int p = 0; p < w->n_phases; p++) {
    fs_op_list *list = &w->phase[p].strips;
    for (int k = 0; k < list->len; k++) {
      struct fs_walk_op *op = &list->data[k];
      if (!op->kept || op->direct >= 0) continue;
      if (op->mode == FS_LM_KEPT) {
        op->at = find_op(w, p, op->out)->at;
        continue;
      }
      int64_t bytes = w->rows * w->kernel->space.n * op->size;
      op->at = begin_strip(*top, bytes);
      *top = op->at + aligned(bytes);
    }
  }
}

/* Cells of reductions: one per task, or one per row of the group. */
static void place_cells(struct fs_walk *w) {
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    fs_op_list *list = pass ? &w->after : &w->before;
    for (int k = 0; k < list->len; k++)
      if (list->data[k].kind == FS_SP_REDUCE) list->data[k].cell = n++;
  }
  for (int p = 0; p < w->n_phases; p++) {
    for (int pass = 0; pass < 3; pass++) {
      fs_op_list *list = pass == 0   ? &w->phase[p].group
                         : pass == 1 ? &w->phase[p].strips
                                     : &w->phase[p].finish;
      for (int k = 0; k < list->len; k++) {
        struct fs_walk_op *op = &list->data[k];
        if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_COLUMN) continue;
        if (pass == 2) { /* the same reduction as in the strips */
          for (int x = 0; x < w->phase[p].strips.len; x++)
            if (w->phase[p].strips.data[x].step == op->step)
              op->cell = w->phase[p].strips.data[x].cell;
          continue;
        }
        op->cell = n;
        n += op->reduce == FS_RM_ALL ? 1 : (int)w->rows;
      }
    }
  }
  w->n_cells = n;
}

/* The lists that reductions are in: before and after the tasks, and of each phase. */
static int reducing_lists(const struct fs_walk *w) { return 2 + 2 * w->n_phases; }
static fs_op_list *reducing_list(struct fs_walk *w, int k) {
  if (k < 2) return k ? &w->after : &w->before;
  struct fs_walk_phase *ph = &w->phase[k / 2 - 1];
  return k % 2 ? &ph->strips : &ph->group;
}

static void copy_cell(struct fs_walk *w, struct fs_walk_op *to) {
  for (int x = 0; x < reducing_lists(w); x++) {
    const fs_op_list *list = reducing_list(w, x);
    for (int k = 0; k < list->len; k++)
      if (list->data[k].step == to->step) {
        to->cell = list->data[k].cell;
        to->partial = list->data[k].partial;
        to->stage = list->data[k].stage;
      }
  }
}

/* Bytes of the partial results of a reduction: per row chunk a line of n, per column
 * chunk m cells, per task a cell. */
static int64_t partial_bytes(const struct fs_walk *w, const struct fs_walk_op *op) {
  const struct fs_space *s = &w->kernel->space;
  enum fs_ctype acc = fs_col_type(op->step->op, op->in_type);
  if (op->reduce == FS_RM_COLUMN) return w->n_row_chunks * s->n * fs_ctype_size(acc);
  if (op->reduce == FS_RM_ROW_END) return w->n_column_chunks * s->m * 8;
  return fs_walk_tasks(w, op->stage) * 8;
}

static void place_partials(struct fs_walk *w) {
  int64_t top = aligned((int64_t)w->n_values * CELL);
  for (int x = 0; x < reducing_lists(w); x++) {
    fs_op_list *list = reducing_list(w, x);
    for (int k = 0; k < list->len; k++) {
      struct fs_walk_op *op = &list->data[k];
      if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_ROW) continue;
      if (op->reduce == FS_RM_COLUMN) top = begin_strip(top, PAGE) + PAGE / 2;
      op->partial = top;
      top += aligned(partial_bytes(w, op));
    }
  }
  w->lines_at = top;
  w->work = top + w->lines;
  fs_op_list *readers[] = {&w->end_rows, &w->end_columns, &w->all};
  for (size_t r = 0; r < FS_LEN(readers); r++)
    for (int k = 0; k < readers[r]->len; k++)
      if (readers[r]->data[k].kind == FS_SP_REDUCE)
        copy_cell(w, &readers[r]->data[k]);
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].finish.len; k++)
      copy_cell(w, &w->phase[p].finish.data[k]);
}

/* -- several operations in one pass --------------------------------------- */

static bool pair_op(enum fs_map_op op, enum fs_pair_op *out) {
  if (op == FS_OP_ADD) *out = FS_PAIR_ADD;
  else if (op == FS_OP_SUB) *out = FS_PAIR_SUB;
  else if (op == FS_OP_MUL) *out = FS_PAIR_MUL;
  else return false;
  return true;
}

/* A map that may share a pass: arithmetic of f32 or f64 without rounding to a
 * narrower type. */
static bool can_pair(const struct maker *m, const struct fs_walk_op *op) {
  enum fs_pair_op p;
  if (op->kind != FS_SP_MAP || op->n_in != 2 || op->convert || op->round ||
      op->spread || op->kept || op->direct >= 0 || op->paired || op->axpby)
    return false;
  enum fs_ctype ct = type_of(m, op->out);
  return (ct == FS_CT_F32 || ct == FS_CT_F64) && pair_op(op->step->op, &p);
}

/* The operation of the list that makes v for one use only, along the same
 * lines as `user`; NULL if there is none. */
static struct fs_walk_op *only_maker(const struct maker *m, fs_op_list *list,
                                     const struct fs_walk_op *user, int v) {
  struct fs_walk_op *maker = NULL;
  int uses = 0;
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    for (int x = 0; x < op->n_in && !op->done; x++) uses += op->in[x] == v;
    if (op->out == v && !op->done) maker = op;
  }
  bool fits = maker && uses == 1 && maker->varies == user->varies;
  return fits && can_pair(m, maker) ? maker : NULL;
}

static bool is_scaling(const struct maker *m, const struct fs_walk_op *op) {
  if (!op || op->step->op != FS_OP_MUL) return false;
  int scalars = bits_without(m, op, FS_VARIES_J);
  return scalars == 1 || scalars == 2;
}

/* a*x + b*y with a and b that do not vary along the line. */
static bool make_axpby(const struct maker *m, fs_op_list *list,
                       struct fs_walk_op *op) {
  if (op->step->op != FS_OP_ADD || op->in[0] == op->in[1]) return false;
  struct fs_walk_op *term[2];
  int in[4];
  for (int k = 0; k < 2; k++) {
    term[k] = only_maker(m, list, op, op->in[k]);
    if (!is_scaling(m, term[k])) return false;
    int scalar = bits_without(m, term[k], FS_VARIES_J) == 1 ? 0 : 1;
    in[k] = term[k]->in[1 - scalar];
    in[2 + k] = term[k]->in[scalar];
  }
  term[0]->done = term[1]->done = true;
  memcpy(op->in, in, sizeof in);
  op->n_in = 4;
  op->axpby = true;
  op->map = m->r->axpby[type_of(m, op->out) == FS_CT_F64];
  return true;
}

static void make_pair(const struct maker *m, fs_op_list *list,
                      struct fs_walk_op *op) {
  for (int k = 0; k < 2; k++) {
    struct fs_walk_op *maker = only_maker(m, list, op, op->in[k]);
    if (!maker) continue;
    pair_op(maker->step->op, &op->first);
    pair_op(op->step->op, &op->second);
    if (k == 1 && op->second == FS_PAIR_SUB) op->second = FS_PAIR_RSUB;
    int other = op->in[1 - k];
    op->in[0] = maker->in[0];
    op->in[1] = maker->in[1];
    op->in[2] = other;
    op->n_in = 3;
    op->paired = true;
    maker->done = true;
    bool wide = type_of(m, op->out) == FS_CT_F64;
    int scalars = bits_without(m, op, FS_VARIES_J);
    op->map = m->r->pair[op->first][wide][op->second][scalars];
    return;
  }
}

/* What is only stored, in the type that it is rounded to, is rounded by the store. */
static void round_once(const struct maker *m, fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    bool stored = op->kind == FS_SP_MAP && op->round && !op->kept;
    for (int u = 0; u < list->len && stored; u++) {
      const struct fs_walk_op *user = &list->data[u];
      for (int x = 0; x < user->n_in; x++)
        if (user->in[x] == op->out)
          stored = user->kind == FS_SP_STORE &&
                   m->k->accesses.data[user->step->access].dtype ==
                       value_of(m, op->out)->dtype;
    }
    if (stored) op->round = NULL;
  }
}

static void drop_done(fs_op_list *list) {
  int n = 0;
  for (int k = 0; k < list->len; k++)
    if (!list->data[k].done) list->data[n++] = list->data[k];
  list->len = n;
}

static void join_passes(const struct maker *m, fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    if (op->done || !can_pair(m, op)) continue;
    if (!make_axpby(m, list, op)) make_pair(m, list, op);
  }
  drop_done(list);
}

/* Bytes of what the kernel reads and writes element by element. */
static int64_t whole_traffic(const struct maker *m) {
  uint8_t whole = m->k->scheme == FS_FLAT ? FS_VARIES_J : FS_VARIES_BOTH;
  int64_t bytes = 0;
  for (int k = 0; k < m->k->accesses.len; k++) {
    const struct fs_access *a = &m->k->accesses.data[k];
    if (a->varies == whole) bytes += (int64_t)fs_dtype_size(a->dtype);
  }
  return fs_mul_size(bytes, m->k->space.m * m->k->space.n);
}

/* What later phases read of it, they read where it was written to. */
static void keep_in_result(struct fs_walk *w, const struct fs_walk_op *made) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++) {
      struct fs_walk_op *op = &w->phase[p].strips.data[k];
      if (op->mode != FS_LM_KEPT || op->out != made->out) continue;
      op->direct = made->direct;
      op->outer = made->outer;
    }
}

/* A map whose only work is to fill what a store writes may write it itself. */
static void find_direct(struct maker *m, struct fs_walk_phase *ph,
                        int64_t last_cache) {
  fs_op_list *list = &ph->strips;
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *st = &list->data[k];
    if (st->kind != FS_SP_STORE || st->convert) continue;
    if (st->varies != FS_VARIES_BOTH && m->k->scheme != FS_FLAT) continue;
    if (!st->inner.linear || st->inner.stride != 1) continue;
    const struct fs_access *a = &m->k->accesses.data[st->step->access];
    const struct fs_slot *slot = &m->plan->slots.data[a->slot];
    bool fresh = slot->kind != FS_SLOT_INPUT;
    for (int s = 0; s < m->k->steps.len; s++)
      if (m->k->steps.data[s].kind == FS_SP_LOAD)
        fresh &= m->k->accesses.data[m->k->steps.data[s].access].slot != a->slot;
    if (!fresh) continue;
    if (last_cache > 0 && whole_traffic(m) > last_cache) {
      st->stream = m->w->streams = true;
      continue;
    }
    for (int x = 0; x < k; x++) {
      struct fs_walk_op *op = &list->data[x];
      if (op->kind != FS_SP_MAP || op->out != st->in[0] || op->direct >= 0 ||
          op->spread || op->varies != st->varies)
        continue;
      op->direct = st->step->access;
      op->outer = st->outer;
      st->done = true;
      if (op->kept) keep_in_result(m->w, op);
    }
  }
  drop_done(list);
}

/* The last of the list that takes what list[at] makes. */
static int last_user(const fs_op_list *list, int at) {
  int last = at;
  for (int k = at + 1; k < list->len; k++)
    for (int x = 0; x < list->data[k].n_in; x++)
      if (list->data[k].in[x] == list->data[at].out) last = k;
  return last;
}

/* Values that are the memory of an operand are copied where an update in place, which
 * the plan has behind all that needs them, overwrites that memory sooner: a direct result
 * does, and a store of what is the same thing comes later. */
static void keep_overwritten(struct maker *m, fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    if (op->kind != FS_SP_LOAD || op->mode != FS_LM_IN_PLACE) continue;
    int loaded = m->k->accesses.data[op->step->access].slot, last = last_user(list, k);
    for (int w = k + 1; w < last && op->mode == FS_LM_IN_PLACE; w++) {
      const struct fs_walk_op *by = &list->data[w];
      int to = by->kind == FS_SP_STORE ? by->step->access : by->direct;
      if (to >= 0 && fs_plan_may_overwrite(m->plan, m->k->accesses.data[to].slot, loaded))
        op->mode = FS_LM_COPY;
    }
  }
}

/* Values whose rows are pointed at where an access has them, if that is at no single
 * stride: a view of three dimensions or more need not have one. */
static void find_uneven(struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++) {
      const struct fs_walk_op *op = &w->phase[p].strips.data[k];
      bool in_place = op->kind == FS_SP_LOAD && op->mode == FS_LM_IN_PLACE;
      if ((in_place || op->direct >= 0) && op->out >= 0 && !op->outer.linear)
        w->uneven[op->out] = true;
    }
}

/* Whether it does something for the first rows alone (walk.c, skips()). */
static bool is_once(const struct fs_walk_op *op) {
  if (op->kind == FS_SP_STORE) return !(op->walks & FS_VARIES_I);
  if (op->kind == FS_SP_REDUCE)
    return op->reduce == FS_RM_ALL && !(op->walks & FS_VARIES_I);
  return op->once;
}

/* Lines over J that are made for nothing else are made as often. Users come behind what
 * they use. */
static void find_once(fs_op_list *list) {
  for (int k = list->len - 1; k >= 0; k--) {
    struct fs_walk_op *op = &list->data[k];
    if (op->varies != FS_VARIES_J || op->kind == FS_SP_STORE || op->kind == FS_SP_REDUCE)
      continue;
    op->once = true;
    for (int u = k + 1; u < list->len && op->once; u++)
      for (int x = 0; x < list->data[u].n_in; x++)
        if (list->data[u].in[x] == op->out) op->once = is_once(&list->data[u]);
  }
}

static void place(struct fs_walk *w) {
  int64_t nv = w->n_values, top;
  top = aligned(nv * 8) + aligned(nv * w->rows * 8); /* tables of pointers */
  w->values_at = top;
  top += aligned(nv * CELL);
  place_cells(w);
  w->cells_at = top;
  top += aligned((int64_t)w->n_cells * 8);
  int64_t longest = FS_MAX(FS_MAX(w->columns, w->rows), w->end_strip);
  for (int t = 0; t < 2; t++) {
    w->temp_at[t] = top;
    top += aligned(longest * 8);
  }
  place_lines(w, &top);
  place_kept(w, &top);
  struct buffers b = {.top = top};
  for (int p = 0; p < w->n_phases; p++)
    place_list(w, &w->phase[p].strips, w->columns, false, &b);
  place_list(w, &w->before, w->end_strip, false, &b);
  place_list(w, &w->after, w->end_strip, false, &b);
  place_list(w, &w->end_rows, w->end_strip, true, &b);
  place_list(w, &w->end_columns, w->end_strip, true, &b);
  w->scratch = begin_strip(b.top + LINE, PAGE);
  FS_VEC_FREE(&b.list);
  place_partials(w);
}

/* -- all together --------------------------------------------------------- */

/* Copies and casts that change nothing are their operand. */
static void find_aliases(struct maker *m) {
  for (int v = 0; v < m->k->values.len; v++) m->alias[v] = v;
  for (int s = 0; s < m->k->steps.len; s++) {
    const struct fs_step *st = &m->k->steps.data[s];
    if (st->out >= 0) m->producer[st->out] = st;
    if (st->kind != FS_SP_MAP ||
        (st->op != FS_OP_COPY && st->op != FS_OP_CAST))
      continue;
    const struct fs_value *from = value_of(m, st->in[0]);
    const struct fs_value *to = value_of(m, st->out);
    bool widening = from->dtype == to->dtype ||
                    (to->dtype == FS_F32 && fs_ctype_of(from->dtype) == FS_CT_F32);
    if (widening && from->varies == to->varies)
      m->alias[st->out] = resolve(m, st->in[0]);
  }
}

static void make(struct maker *m, int64_t cache, int64_t last_cache) {
  struct fs_walk *w = m->w;
  find_aliases(m);
  for (int p = 0; p < w->n_phases; p++) add_phase(m, p);
  add_phase(m, FS_END);
  if (m->why) return;
  for (int p = 0; p < w->n_phases; p++) {
    join_passes(m, &w->phase[p].strips);
    round_once(m, &w->phase[p].strips);
    find_direct(m, &w->phase[p], last_cache);
    keep_overwritten(m, &w->phase[p].strips);
    if (m->k->scheme != FS_FLAT) find_once(&w->phase[p].strips);
  }
  find_uneven(w);
  cut(m, cache);
  fs_walk_take_lines(w);
  fs_walk_take_vectors(w);
  w->row_by_row = m->k->space.n >= LONG_ROW && whole_traffic(m) > ROW_CACHES * cache;
  place(w);
}

struct fs_walk *fs_walk_new(const struct fs_plan *plan,
                            const struct fs_kernel *kernel,
                            const struct fs_routines *r, int64_t cache,
                            int64_t last_cache, const char **why) {
  size_t nv = (size_t)FS_MAX(kernel->values.len, 1);
  struct fs_walk *w = fs_calloc(1, sizeof *w);
  w->plan = plan;
  w->kernel = kernel;
  w->r = r;
  w->n_values = (int)nv;
  w->n_phases = kernel->n_phases;
  w->phase = fs_calloc((size_t)FS_MAX(w->n_phases, 1), sizeof *w->phase);
  w->varies = fs_calloc(nv, sizeof *w->varies);
  w->uneven = fs_calloc(nv, sizeof *w->uneven);
  w->size = fs_calloc(nv, sizeof *w->size);
  struct maker m = {.w = w, .plan = plan, .k = kernel, .r = r};
  m.producer = fs_calloc(nv, sizeof *m.producer);
  m.alias = fs_calloc(nv, sizeof *m.alias);
  m.emitted = fs_calloc(nv, sizeof *m.emitted);
  m.seen = fs_calloc(nv, sizeof *m.seen);
  m.keep_limit = cache / 2;
  for (int v = 0; v < kernel->values.len; v++) {
    w->varies[v] = kernel->values.data[v].varies;
    w->size[v] = fs_ctype_size(fs_ctype_of(kernel->values.data[v].dtype));
  }
  make(&m, cache, last_cache);
  free(m.producer);
  free(m.alias);
  free(m.emitted);
  free(m.seen);
  if (!m.why) return w;
  *why = m.why;
  fs_walk_free(w);
  return NULL;
}

void fs_walk_free(struct fs_walk *w) {
  if (!w) return;
  for (int p = 0; p < w->n_phases; p++) {
    FS_VEC_FREE(&w->phase[p].group);
    FS_VEC_FREE(&w->phase[p].strips);
    FS_VEC_FREE(&w->phase[p].finish);
  }
  free(w->phase);
  FS_VEC_FREE(&w->start);
  FS_VEC_FREE(&w->before);
  FS_VEC_FREE(&w->after);
  FS_VEC_FREE(&w->vectors);
  FS_VEC_FREE(&w->end_cells);
  FS_VEC_FREE(&w->end_rows);
  FS_VEC_FREE(&w->end_columns);
  FS_VEC_FREE(&w->all);
  free(w->varies);
  free(w->uneven);
  free(w->size);
  free(w);
}
