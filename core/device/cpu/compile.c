/* compile.c - from a kernel plan to lists of operations on cells, lines and
 * tiles (walk.h).
 *
 * Each phase gets the operations that its reductions and stores need, found
 * backwards from them. How the kernel is cut, and what whole rows are kept of for
 * later phases, is decided (core/schedule/cpu.c).
 */
#include "core/device/cpu/native.h"
#include "core/device/cpu/walk.h"
#include "core/plan/kernels/launches.h"

enum {
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
  const struct fs_cpu_schedule *cut;
  int *emitted;                    /* phase + 1 of a line's or cell's list  */
  uint32_t *seen, stamp;           /* strips: in the list being made        */
  const char *why;
};

static const struct fs_value *value_of(const struct maker *m, int v) {
  return &m->k->values.data[v];
}
static enum fs_ctype type_of(const struct maker *m, int v) {
  return fs_ctype_of(value_of(m, v)->dtype);
}
static const struct fs_step *maker_of(const struct maker *m, int v) {
  return &m->k->steps.data[m->cut->maker[v]];
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

static void set_runs(const struct maker *m, struct fs_walk_op *op,
                     const int64_t *stride) {
  const struct fs_space *s = &m->k->space;
  op->outer = fs_run_of(s, 0, s->n_outer, stride);
  op->inner = fs_run_of(s, s->n_outer, s->n_inner, stride);
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
  op->round = fs_rounds(m->r, value_of(m, op->out)->dtype, what == FS_OP_CAST,
                        value_of(m, op->in[0])->dtype);
  op->spread = along && scalars == (1 << op->n_in) - 1;
  if (op->spread) scalars = 0;
  if (what == FS_OP_CAST || (what == FS_OP_COPY && in != out)) {
    op->convert = m->r->convert[in][out];
    return;
  }
  int from = what == FS_OP_WHERE ? 1 : 0;
  op->one = (unsigned)scalars;
  if (op->step->user && op->step->user->region) {
    if (!fs_region_runs(op->step->user->region, m->r))
      m->why = "a region of operations that there are none of";
    return;
  }
  if (op->step->user) {
    const char *no;
    const struct fs_native *n = fs_native_get(op->step->user, NULL, &no);
    op->user = n ? n->entry : NULL;
    if (!n) m->why = no;
    return;
  }
  op->map = m->r->map[what][type_of(m, op->in[from])][scalars];
  if (!op->map || !same_types(m, op, from))
    m->why = "an operation on types that the op table does not have";
}

static void set_load(struct maker *m, struct fs_walk_op *op) {
  const struct fs_access *a = &m->k->accesses.data[op->step->access];
  const struct fs_access *list = fs_access_list(m->k, a);
  set_runs(m, op, a->stride);
  op->convert = m->r->load[a->dtype];
  op->listed = fs_cpu_is_listed(m->k, op->step);
  op->mode = fs_cpu_load(m->k, op->step);
  /* Rows that a list chooses are in place as others are, at no single stride. */
  if (list && list->varies & FS_VARIES_I) op->outer.linear = false;
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
    op->dot = fs_cpu_is_wide(m->cut, s) ? m->r->rowdot_wide : m->r->rowdot[op->in_type];
    if (!op->product) op->multiply = m->r->map[FS_OP_MUL][op->in_type][0];
    if (!same_types(m, op, 0) || (!op->product && !op->multiply))
      m->why = "a product of types that the op table does not have";
  }
  op->words = fs_reduce_ops[what].words;
  m->w->words = FS_MAX(m->w->words, op->words);
  if (op->words > 1 ? !m->r->state_row[what][op->in_type] : !m->r->row[what][op->in_type])
    m->why = "a reduction of a type that the op table does not have";
  if (s->over == FS_VARIES_I && out->varies & FS_VARIES_J) {
    op->reduce = FS_RM_COLUMN;
  } else if (s->over == FS_VARIES_J && fs_scheme_of(m->k)->rows) {
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
    op.in[op.n_in++] = fs_cpu_operand(m->cut, s, k);
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

/* What an earlier phase made of v, if whole rows of it are kept; or NULL. */
static struct fs_walk_op *kept_op(struct maker *m, int phase, int v) {
  struct fs_walk_op *op = m->cut->kept[v] ? find_op(m->w, phase, v) : NULL;
  if (op) op->kept = true;
  return op;
}

static void add_value(struct maker *m, int phase, int v);

static void add_inputs(struct maker *m, int phase, const struct fs_step *s) {
  FS_EACH_IN(s, k)
    add_value(m, phase, fs_cpu_operand(m->cut, s, k));
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
  struct fs_walk_op op = make_op(m, maker_of(m, v));
  if (phase != FS_END || op.varies == 0) return;
  *FS_PUSH(list_for(m, FS_END, op.varies)) = op;
}

static void add_value(struct maker *m, int phase, int v) {
  if (m->seen[v] == m->stamp) return;
  uint8_t varies = value_of(m, v)->varies;
  bool strip = varies & FS_VARIES_J && phase != FS_END;
  const struct fs_step *s = maker_of(m, v);
  if (!strip && phase != FS_END && m->emitted[v]) return;
  const struct fs_walk_op *kept =
      strip && s->kind != FS_SP_REDUCE ? kept_op(m, phase, v) : NULL;
  m->seen[v] = m->stamp;
  if (kept) {
    struct fs_walk_op op = *kept;
    op.kind = FS_SP_LOAD;
    op.mode = FS_LM_KEPT;
    op.n_in = 0;
    *FS_PUSH(&m->w->phase[phase].strips) = op;
    return;
  }
  if (s->kind == FS_SP_REDUCE) {
    add_result(m, phase, v);
    return;
  }
  add_inputs(m, phase, s);
  struct fs_walk_op op = make_op(m, s);
  op.once = strip && m->cut->once[v];
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

static void add_store(struct maker *m, int phase, const struct fs_step *s) {
  struct fs_walk_op op = make_op(m, s);
  op.walks = op.varies;
  *FS_PUSH(list_for(m, phase, op.varies)) = op;
}

static void add_phase(struct maker *m, int phase) {
  const struct fs_kernel *k = m->k;
  m->stamp++;
  /* Stores last: a result may lie in the memory of an operand. */
  for (int last = 0; last < 2; last++)
    FS_EACH_IN_PHASE(k, st, phase) {
      if (last && st->kind == FS_SP_STORE) add_store(m, phase, st);
      else if (!last && st->kind == FS_SP_STORE) add_inputs(m, phase, st);
      else if (!last && st->kind == FS_SP_REDUCE) add_reduce(m, phase, st);
    }
}

int64_t fs_walk_tasks(const struct fs_walk *w, enum fs_walk_stage stage) {
  if (stage == FS_STAGE_TASKS) return w->cut.tasks;
  return (w->kernel->space.m + w->cut.end_strip - 1) / w->cut.end_strip;
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
    b->top += fs_round_up(bytes, LINE);
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
  FS_EACH_AT(list, op) {
    if (op->kind == FS_SP_MAP && op->step->op == FS_OP_COPY &&
        op->in[0] == v && op->varies == FS_VARIES_BOTH &&
        w->varies[v] == FS_VARIES_J)
      return true;
    if (op->picks && (op->in[1] == v || op->in[2] == v)) return true;
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
    int64_t rows = op->varies == FS_VARIES_BOTH ? w->cut.rows : 1;
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
        *top += fs_round_up(w->cut.rows * 8, LINE);
      }
    }
  }
}

static void place_kept(struct fs_walk *w, int64_t *top) {
  for (int p = 0; p < w->n_phases; p++) {
    fs_op_list *list = &w->phase[p].strips;
    FS_EACH_AT(list, op) {
      if (!op->kept || op->direct >= 0) continue;
      if (op->mode == FS_LM_KEPT) {
        op->at = find_op(w, p, op->out)->at;
        continue;
      }
      int64_t bytes = w->cut.rows * w->kernel->space.n * op->size;
      op->at = begin_strip(*top, bytes);
      *top = op->at + fs_round_up(bytes, LINE);
    }
  }
}

/* Cells of reductions: one per task, or one per row of the group. */
static void place_cells(struct fs_walk *w) {
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    fs_op_list *list = pass ? &w->after : &w->before;
    for (int k = 0; k < list->len; k++)
      if (list->data[k].kind == FS_SP_REDUCE) {
        list->data[k].cell = n;
        n += list->data[k].words;
      }
  }
  for (int p = 0; p < w->n_phases; p++) {
    for (int pass = 0; pass < 3; pass++) {
      fs_op_list *list = pass == 0   ? &w->phase[p].group
                         : pass == 1 ? &w->phase[p].strips
                                     : &w->phase[p].finish;
      FS_EACH_AT(list, op) {
        if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_COLUMN) continue;
        if (pass == 2) { /* the same reduction as in the strips */
          for (int x = 0; x < w->phase[p].strips.len; x++)
            if (w->phase[p].strips.data[x].step == op->step)
              op->cell = w->phase[p].strips.data[x].cell;
          continue;
        }
        op->cell = n;
        n += op->words * (op->reduce == FS_RM_ALL ? 1 : (int)w->cut.rows);
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
  int64_t places = (op->words - 1) * w->cut.row_chunks * s->n * 8;
  if (op->reduce == FS_RM_COLUMN)
    return fs_round_up(w->cut.row_chunks * s->n * fs_ctype_size(acc), 8) + places;
  if (op->reduce == FS_RM_ROW_END) return w->cut.column_chunks * s->m * 8 * op->words;
  return fs_walk_tasks(w, op->stage) * 8 * op->words;
}

static void place_partials(struct fs_walk *w) {
  int64_t top = fs_round_up((int64_t)w->n_values * CELL, LINE);
  for (int x = 0; x < reducing_lists(w); x++) {
    fs_op_list *list = reducing_list(w, x);
    FS_EACH_AT(list, op) {
      if (op->kind != FS_SP_REDUCE || op->reduce == FS_RM_ROW) continue;
      if (op->reduce == FS_RM_COLUMN) top = begin_strip(top, PAGE) + PAGE / 2;
      op->partial = top;
      top += fs_round_up(partial_bytes(w, op), LINE);
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

/* -- regions --------------------------------------------------------------- */

static const struct fs_region *region_of(const struct fs_walk_op *op) {
  return op->kind == FS_SP_MAP && op->step->user ? op->step->user->region : NULL;
}

/* Whether two operations are results of one region, of the same elements. */
static bool is_other_result(const struct fs_walk_op *a, const struct fs_walk_op *b) {
  return region_of(a) && region_of(b) && a->n_in == b->n_in && a->varies == b->varies &&
         a->once == b->once && a->one == b->one && a->spread == b->spread &&
         !memcmp(a->in, b->in, sizeof a->in) && fs_region_same(region_of(a), region_of(b));
}

/* Behind the first result of a region its other ones. */
static void gather_results(fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    int last = k;
    for (int x = k + 1; region_of(&list->data[k]) && x < list->len; x++) {
      struct fs_walk_op op = list->data[x];
      if (!is_other_result(&list->data[k], &op)) continue;
      memmove(&list->data[last + 2], &list->data[last + 1],
              sizeof op * (size_t)(x - last - 1));
      list->data[++last] = op;
    }
    k = last;
  }
}

/* One run does those that still follow each other. */
static void join_results(struct fs_walk *w, fs_op_list *list) {
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *op = &list->data[k];
    int result[FS_BODY_RESULTS], n = 0;
    if (!region_of(op)) continue;
    result[n++] = region_of(op)->result;
    while (n < FS_BODY_RESULTS && k + n < list->len && is_other_result(op, op + n)) {
      op[n].follows = true;
      result[n] = region_of(op + n)->result;
      n++;
    }
    op->others = n - 1;
    op->body = *FS_PUSH(&w->bodies) = fs_body_get(region_of(op), n, result, w->r);
    k += n - 1;
  }
}

/* Every list of operations, numbered from 0; NULL behind the last one. */
static fs_op_list *list_at(struct fs_walk *w, int k) {
  fs_op_list *const all[] = {&w->start, &w->before, &w->after, &w->vectors, &w->end_cells,
                             &w->end_rows, &w->end_columns};
  int n = (int)FS_LEN(all);
  if (k < n) return all[k];
  if ((k -= n) >= 2 * w->n_phases) return NULL;
  return k % 2 ? &w->phase[k / 2].strips : &w->phase[k / 2].group;
}

/* -- several operations in one pass --------------------------------------- */

static bool pair_op(enum fs_map_op op, enum fs_pair_op *out) {
  if (op == FS_OP_ADD) *out = FS_PAIR_ADD;
  else if (op == FS_OP_SUB) *out = FS_PAIR_SUB;
  else if (op == FS_OP_MUL) *out = FS_PAIR_MUL;
  else return false;
  return true;
}

/* The operation of the list that makes v, if it shares the pass of `user`; or NULL. */
static struct fs_walk_op *maker_for(const struct maker *m, fs_op_list *list,
                                    const struct fs_walk_op *user, int v) {
  int made = m->cut->maker[v];
  if (made < 0 || m->cut->pass[made] != (int)(user->step - m->k->steps.data)) return NULL;
  for (int k = 0; k < list->len; k++)
    if (list->data[k].out == v && list->data[k].step == &m->k->steps.data[made])
      return &list->data[k];
  return NULL;
}

/* a*x + b*y with a and b that do not vary along the line. */
static bool make_axpby(const struct maker *m, fs_op_list *list,
                       struct fs_walk_op *op) {
  struct fs_walk_op *term[2];
  int in[4];
  for (int k = 0; k < 2; k++) {
    term[k] = maker_for(m, list, op, op->in[k]);
    if (!term[k]) return false;
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
    struct fs_walk_op *maker = maker_for(m, list, op, op->in[k]);
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
    bool stored = op->kind == FS_SP_MAP && op->round && !op->kept &&
                  op->round == m->r->round[value_of(m, op->out)->dtype];
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
  FS_EACH_AT(list, op) {
    if (op->done || op->kind != FS_SP_MAP || op->n_in != 2) continue;
    if (!make_axpby(m, list, op)) make_pair(m, list, op);
  }
  drop_done(list);
}

/* What later phases read of it, they read where it was written to. */
static void keep_in_result(struct fs_walk *w, const struct fs_walk_op *made) {
  for (int p = 0; p < w->n_phases; p++)
    FS_EACH_AT(&w->phase[p].strips, op) {
      if (op->mode != FS_LM_KEPT || op->out != made->out) continue;
      op->direct = made->direct;
      op->outer = made->outer;
    }
}

/* A map whose only work is to fill what a store writes may write it itself. */
static void find_direct(struct maker *m, struct fs_walk_phase *ph) {
  fs_op_list *list = &ph->strips;
  for (int k = 0; k < list->len; k++) {
    struct fs_walk_op *st = &list->data[k];
    if (!fs_cpu_fills(m->k, st->step)) continue;
    const struct fs_access *a = &m->k->accesses.data[st->step->access];
    st->stream = m->cut->past;
    if (st->stream || m->plan->slots.data[a->slot].kind == FS_SLOT_INPUT) continue;
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

/* Whether a condition is made of some that hold for whole rows or whole columns. */
static bool is_of_lines(const struct fs_walk *w, const fs_op_list *list, int v) {
  const struct fs_walk_op *by = NULL;
  if (w->varies[v] != FS_VARIES_BOTH) return true;
  FS_EACH_AT(list, op)
    if (op->out == v) by = op;
  if (!by || by->kind != FS_SP_MAP || by->user || by->body || by->spread) return false;
  if (by->step->op != FS_OP_AND && by->step->op != FS_OP_OR && by->step->op != FS_OP_NOT)
    return false;
  for (int k = 0; k < by->n_in; k++)
    if (!is_of_lines(w, list, by->in[k])) return false;
  return true;
}

/* What stands outside of an array is one of two values by such conditions. */
static void find_picks(struct fs_walk *w, fs_op_list *list) {
  FS_EACH_AT(list, op) {
    bool where = op->kind == FS_SP_MAP && op->map && op->step->op == FS_OP_WHERE && !op->round;
    if (!where || op->varies != FS_VARIES_BOTH || op->direct >= 0 || op->kept || op->spread ||
        !is_of_lines(w, list, op->in[0]))
      continue;
    op->picks = w->uneven[op->out] = true;
  }
}

/* The last of the list that takes what list[at] makes, or what may be picked of it. */
static int last_user(const fs_op_list *list, int at) {
  int last = at;
  for (int k = at + 1; k < list->len; k++)
    for (int x = 0; x < list->data[k].n_in; x++) {
      if (list->data[k].in[x] != list->data[at].out) continue;
      last = FS_MAX(last, list->data[k].picks ? last_user(list, k) : k);
    }
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
    FS_EACH_AT(&w->phase[p].strips, op) {
      bool in_place = op->kind == FS_SP_LOAD && op->mode == FS_LM_IN_PLACE;
      bool loose = op->kind == FS_SP_LOAD && op->mode == FS_LM_COPY &&
                   w->kernel->accesses.data[op->step->access].reach;
      if ((in_place || op->direct >= 0) && op->out >= 0 && !op->outer.linear)
        w->uneven[op->out] = true;
      if (loose) w->uneven[op->out] = true;
    }
}

static void place(struct fs_walk *w) {
  int64_t nv = w->n_values, top;
  /* tables of pointers */
  top = fs_round_up(nv * 8, LINE) + fs_round_up(nv * w->cut.rows * 8, LINE);
  w->values_at = top;
  top += fs_round_up(nv * CELL, LINE);
  place_cells(w);
  w->cells_at = top;
  top += fs_round_up((int64_t)w->n_cells * 8, LINE);
  int64_t longest = FS_MAX(FS_MAX(w->cut.columns, w->cut.rows), w->cut.end_strip);
  for (int t = 0; t < 2; t++) {
    w->temp_at[t] = top;
    top += fs_round_up(longest * 8 * FS_MAX(w->words, 1), LINE);
  }
  place_lines(w, &top);
  place_kept(w, &top);
  struct buffers b = {.top = top};
  for (int p = 0; p < w->n_phases; p++)
    place_list(w, &w->phase[p].strips, w->cut.columns, false, &b);
  place_list(w, &w->vectors, FS_WALK_VECTOR, false, &b);
  place_list(w, &w->before, w->cut.end_strip, false, &b);
  place_list(w, &w->after, w->cut.end_strip, false, &b);
  place_list(w, &w->end_rows, w->cut.end_strip, true, &b);
  place_list(w, &w->end_columns, w->cut.end_strip, true, &b);
  w->scratch = begin_strip(b.top + LINE, PAGE);
  FS_VEC_FREE(&b.list);
  place_partials(w);
}

/* -- all together --------------------------------------------------------- */

static void make(struct maker *m) {
  struct fs_walk *w = m->w;
  for (int p = 0; p < w->n_phases; p++) add_phase(m, p);
  add_phase(m, FS_END);
  if (m->why) return;
  fs_op_list *list;
  for (int k = 0; (list = list_at(w, k)); k++) gather_results(list);
  for (int p = 0; p < w->n_phases; p++) {
    join_passes(m, &w->phase[p].strips);
    round_once(m, &w->phase[p].strips);
    find_direct(m, &w->phase[p]);
    find_picks(w, &w->phase[p].strips);
    keep_overwritten(m, &w->phase[p].strips);
  }
  find_uneven(w);
  w->grouping = fs_walk_grouping(w);
  fs_walk_take_lines(w);
  fs_walk_take_vectors(w);
  for (int k = 0; (list = list_at(w, k)); k++) join_results(w, list);
  place(w);
}

struct fs_walk *fs_walk_new(const struct fs_plan *plan,
                            const struct fs_kernel *kernel,
                            const struct fs_routines *r,
                            const struct fs_device *device, const char **why) {
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
  fs_schedule_cpu(kernel, device, &w->cut);
  struct maker m = {.w = w, .plan = plan, .k = kernel, .r = r, .cut = &w->cut};
  m.emitted = fs_calloc(nv, sizeof *m.emitted);
  m.seen = fs_calloc(nv, sizeof *m.seen);
  for (int v = 0; v < kernel->values.len; v++) {
    w->varies[v] = kernel->values.data[v].varies;
    w->size[v] = fs_ctype_size(fs_ctype_of(kernel->values.data[v].dtype));
  }
  make(&m);
  free(m.emitted);
  free(m.seen);
  if (!m.why) return w;
  *why = m.why;
  fs_walk_free(w);
  return NULL;
}

/* -- other extents ----------------------------------------------------------- */

static bool is_run(const struct fs_walk *w, const struct fs_run *run, int first, int count,
                   const int64_t *stride) {
  if (count == 1 && w->kernel->space.dim[first] != 1)
    return run->linear && run->stride == stride[first];
  struct fs_run now = fs_run_of(&w->kernel->space, first, count, stride);
  return now.linear == run->linear && now.stride == run->stride;
}

/* Whether the operation goes over its elements as it did when it was made: with that, what
 * is done in which order stays. */
static bool is_as_linear(const struct fs_walk *w, const struct fs_walk_op *op) {
  const struct fs_kernel *k = w->kernel;
  int outer = k->space.n_outer, inner = k->space.n_inner;
  bool indexed = op->kind == FS_SP_IOTA || op->kind == FS_SP_RAND;
  if (op->kind == FS_SP_LOAD || op->kind == FS_SP_STORE || indexed) {
    const int64_t *stride = indexed ? op->step->affine.stride
                                    : k->accesses.data[op->step->access].stride;
    return is_run(w, &op->outer, 0, outer, stride) &&
           is_run(w, &op->inner, outer, inner, stride);
  }
  return op->direct < 0 || is_run(w, &op->outer, 0, outer, k->accesses.data[op->direct].stride);
}

static bool are_as_linear(const struct fs_walk *w, const fs_op_list *list) {
  for (int k = 0; k < list->len; k++)
    if (!is_as_linear(w, &list->data[k])) return false;
  return true;
}

static bool is_walked_alike(const struct fs_walk *w) {
  for (int x = 0; x < w->kernel->accesses.len; x++)
    if (w->kernel->accesses.data[x].list) return false;
  for (int p = 0; p < w->n_phases; p++)
    if (!are_as_linear(w, &w->phase[p].group) || !are_as_linear(w, &w->phase[p].strips))
      return false;
  return are_as_linear(w, &w->start) && are_as_linear(w, &w->before) &&
         are_as_linear(w, &w->after) && are_as_linear(w, &w->end_cells) &&
         are_as_linear(w, &w->end_rows) && are_as_linear(w, &w->end_columns);
}

/* Whether each value has the place that it had under another cut: without rows they go by
 * the cut alone. */
static bool is_placed_alike(const struct fs_walk *w, const struct fs_cpu_schedule *before) {
  const struct fs_cpu_schedule *now = &w->cut;
  return !fs_kernel_has_rows(w->kernel) && now->rows == before->rows &&
         now->columns == before->columns && now->tasks == before->tasks;
}

bool fs_walk_resize(struct fs_walk *w, const struct fs_device *device) {
  struct fs_cpu_schedule before = w->cut;
  if (w->lines || !is_walked_alike(w) || !fs_cpu_cut_anew(&w->cut, device) ||
      fs_walk_grouping(w) != w->grouping)
    return false;
  if (!is_placed_alike(w, &before)) place(w);
  return true;
}

void fs_walk_free(struct fs_walk *w) {
  if (!w) return;
  fs_cpu_schedule_free(&w->cut);
  FS_EACH_AT(&w->bodies, b) fs_body_drop(*b);
  FS_VEC_FREE(&w->bodies);
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
