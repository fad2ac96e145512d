/* moving.c - lists of statements whose slices move, grow or shrink with numbers:
 *
 *     for i = 2:n
 *       x[i] = (b[i] - L[i, 1:i-1]*x[1:i-1]) / L[i, i];
 *     end
 *
 * Each round is another block, since its sizes are others. But where a number stands in
 * subscripts alone, and there in sums, everything that tells the blocks apart (run/sizes.h)
 * goes up or down by so much with each step of the number. How much is taken from two rounds
 * that were traced, and must agree with a third. From then on a round is traced, simplified
 * and planned no more: its block is the last one with other numbers.
 *
 * Whether subscripts are in range is asked of the sums; whether slices share elements, of the
 * block. Where a slice has no two elements, or what the block moves is far from what it was
 * planned for, the round is traced. */
#include <math.h>

#include "core/eval/again.h"
#include "core/run/blocks.h"
#include "core/run/sizes.h"

enum {
  MOVING = 4,        /* numbers of a list that slices go by */
  ROUNDS = 6,        /* that were recorded and are remembered */
  STRAYS = 8,        /* rounds in a row that were unlike those: then it begins anew */
  BEGINNINGS = 8,
  STAYS = 4          /* rounds in a row that are traced though others are ready */
};

/* A sum of numbers: constant + the sum of times[k] * number k. */
struct form {
  double constant, times[MOVING];
};

/* From where to where one subscript goes, which counts from 1 to extent. */
struct reach {
  struct form low, high;
  int64_t extent;
};

/* What the list reads or replaces of an array: name[at[0], at[1], ...]. */
struct box {
  const char *name;
  bool stored;
  int n;
  struct reach at[FS_MAX_RANK];
};

/* Two boxes of one array of which one is replaced, along one axis. */
struct pair {
  const struct reach *x, *y;
};

/* A number of the block that changes, or an amount of it: what it was in the last round that
 * was recorded, and by how much it goes with each step of the moving ones. */
struct going {
  const struct fs_size *size;
  int64_t base, step[MOVING], now;
};
struct going_amount {
  double *at, base, step[MOVING];
};

struct round {
  double at[MOVING];
  FS_VEC(int64_t) numbers;
  FS_VEC(double) amounts;
};

/* What one more of a moving number adds. */
struct slope {
  bool sure;         /* three rounds agree */
  FS_VEC(int64_t) numbers;
  FS_VEC(double) amounts;
};

struct fs_moves {
  bool refused, ready, stays;
  int beginnings, strays, stayed;
  int n;
  char *name[MOVING];
  FS_VEC(struct reach) reaches;
  FS_VEC(struct box) boxes;
  FS_VEC(struct pair) pairs;
  fs_signature fixed;          /* of all rounds here */
  struct round rounds[ROUNDS]; /* the last one first */
  int n_rounds;
  struct slope slope[MOVING];
  struct fs_sizes sizes;       /* of what is recorded: places in it, while it is ready */
  FS_VEC(struct going) going;
  FS_VEC(struct going_amount) going_amounts;
  FS_VEC(bool) changed;        /* of kernels, in the round at hand */
  int ran;                     /* in->n_blocks when it last ran */
  bool follows;                /* ... which was the block before this one */
  FS_VEC(int64_t) by;          /* what each of `going` gets more in the next round */
};

/* -- what moves --------------------------------------------------------------------- */

struct reader {
  const struct fs_again *a;
  struct fs_moves *m;
  struct fs_interp *in;
  bool updates;                /* the list has some */
  bool odd;                    /* ... and what is read of their arrays is not to be told */
  bool bad[MOVING];            /* stands elsewhere, too, or in no sum */
};

static int moving_of(const struct fs_moves *m, const char *name) {
  int k = 0;
  while (k < m->n && strcmp(m->name[k], name)) k++;
  return k < m->n ? k : -1;
}

static void mark_bad(struct reader *r, const struct fs_expr *e) {
  int k = e->kind == FS_EX_NAME ? moving_of(r->m, e->text) : -1;
  if (k >= 0) r->bad[k] = true;
  for (int x = 0; x < e->n_args; x++) mark_bad(r, e->args[x]);
}

static bool has_moving(const struct reader *r, const struct fs_expr *e) {
  if (e->kind == FS_EX_NAME && moving_of(r->m, e->text) >= 0) return true;
  for (int x = 0; x < e->n_args; x++)
    if (has_moving(r, e->args[x])) return true;
  return false;
}

static bool is_constant(const struct form *f) {
  for (int k = 0; k < MOVING; k++)
    if (f->times[k] != 0) return false;
  return true;
}

static void add(struct form *f, const struct form *g, double times) {
  f->constant += times * g->constant;
  for (int k = 0; k < MOVING; k++) f->times[k] += times * g->times[k];
}

static bool form_of(const struct reader *r, const struct fs_expr *e, int64_t extent,
                    struct form *out);

static bool binary_form(const struct reader *r, const struct fs_expr *e, int64_t extent,
                        struct form *out) {
  struct form x, y;
  if (!form_of(r, e->args[0], extent, &x) || !form_of(r, e->args[1], extent, &y)) return false;
  if (e->op == FS_AO_ADD || e->op == FS_AO_SUB) {
    add(&x, &y, e->op == FS_AO_ADD ? 1 : -1);
  } else if (e->op == FS_AO_MUL && (is_constant(&x) || is_constant(&y))) {
    struct form product = {0};
    if (is_constant(&x)) add(&product, &y, x.constant);
    else add(&product, &x, y.constant);
    x = product;
  } else {
    return false;
  }
  *out = x;
  return true;
}

/* False: it is no sum of numbers, or not of whole ones. */
static bool form_of(const struct reader *r, const struct fs_expr *e, int64_t extent,
                    struct form *out) {
  const struct fs_again_guard *g;
  int k;
  *out = (struct form){0};
  switch (e->kind) {
    case FS_EX_NUMBER: out->constant = e->number; break;
    case FS_EX_END: out->constant = (double)extent; break;
    case FS_EX_NAME:
      k = moving_of(r->m, e->text);
      g = fs_again_guard_of(r->a, e->text);
      if (!g || g->kind != FS_V_NUMBER) return false;
      if (k >= 0) out->times[k] = 1;
      else out->constant = g->number;
      break;
    case FS_EX_UNARY:
      if (e->op != FS_AO_NEG || !form_of(r, e->args[0], extent, out)) return false;
      struct form zero = {0};
      add(&zero, out, -1);
      *out = zero;
      return true;
    case FS_EX_BINARY: return binary_form(r, e, extent, out);
    default: return false;
  }
  return out->constant == floor(out->constant);
}

/* False: it is no number, and no range of neighbours in either order. */
static bool reach_of(const struct reader *r, const struct fs_expr *e, int64_t extent,
                     struct reach *out) {
  struct form first, last, step = {.constant = 1};
  out->extent = extent;
  if (e->kind != FS_EX_RANGE) {
    if (!form_of(r, e, extent, &out->low)) return false;
    out->high = out->low;
    return true;
  }
  if (!form_of(r, e->args[0], extent, &first) ||
      !form_of(r, e->args[e->n_args - 1], extent, &last) ||
      (e->n_args == 3 && !form_of(r, e->args[1], extent, &step)))
    return false;
  out->low = step.constant > 0 ? first : last;
  out->high = step.constant > 0 ? last : first;
  return is_constant(&step) && fabs(step.constant) == 1;
}

/* Whether a list gives the name another value than a part of the old one. */
static bool is_replaced(const struct fs_stmt *list, const char *name) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    for (int k = 0; k < s->n_targets && s->kind == FS_ST_ASSIGN; k++)
      if (!strcmp(s->targets[k].name, name)) return true;
  return false;
}

/* Of what subscript k of an array chooses, how many there are; 0: not to be said here. */
static int64_t extent_of(const struct reader *r, const struct fs_expr *e, int k) {
  const struct fs_expr *of = e->args[0];
  const struct fs_again_guard *g = of->kind == FS_EX_NAME ? fs_again_guard_of(r->a, of->text) : NULL;
  if (!g || g->kind != FS_V_TENSOR || is_replaced(r->a->list, of->text)) return 0;
  const struct fs_shape *s = &g->shape;
  int n = e->n_args - 1;
  bool row = n == 1 && s->rank == 2 && s->dim[0] == 1;
  bool column = n == 1 && (s->rank == 1 || (s->rank == 2 && s->dim[1] == 1));
  if (row) return s->dim[1];
  return column || n == s->rank ? s->dim[k] : 0;
}

static bool is_updated(const struct reader *r, const char *name) {
  for (const struct fs_stmt *s = r->a->list; s; s = s->next)
    if (s->kind == FS_ST_INDEXED && !strcmp(s->expr2->args[0]->text, name)) return true;
  return false;
}

/* What is read of an array after a part of it was replaced is traced as a read of the part, or
 * of what was before, where the two do not cross; and a part that a later one covers is left
 * out. So how places of such an array lie to each other must stay. */
static void add_box(struct reader *r, const struct fs_expr *e, bool stored) {
  const struct fs_expr *of = e->args[0];
  struct box b = {.name = of->text, .stored = stored, .n = e->n_args - 1};
  if (of->kind != FS_EX_NAME || is_replaced(r->a->list, of->text)) {
    r->odd = true;
    return;
  }
  if (!is_updated(r, of->text)) return;
  for (int k = 0; k < b.n && k < FS_MAX_RANK && !r->odd; k++) {
    int64_t extent = extent_of(r, e, k);
    if (e->args[k + 1]->kind == FS_EX_COLON)
      b.at[k] = (struct reach){{.constant = 1}, {.constant = (double)extent}, extent};
    else if (!extent || !reach_of(r, e->args[k + 1], extent, &b.at[k]))
      r->odd = true;
  }
  for (int k = 0; k < r->m->boxes.len && !r->odd; k++) {
    struct box *other = &r->m->boxes.data[k];
    if (strcmp(other->name, b.name) || other->n != b.n || memcmp(other->at, b.at, sizeof b.at))
      continue;
    other->stored |= stored;
    return;
  }
  if (!r->odd) *FS_PUSH(&r->m->boxes) = b;
}

static void read_expr(struct reader *r, const struct fs_expr *e);

static void add_reach(struct fs_moves *m, const struct reach *reach) {
  for (int k = 0; k < m->reaches.len; k++)
    if (!memcmp(&m->reaches.data[k], reach, sizeof *reach)) return;
  *FS_PUSH(&m->reaches) = *reach;
}

static void read_index(struct reader *r, const struct fs_expr *e) {
  add_box(r, e, false);
  r->odd |= e->borders != NULL;
  read_expr(r, e->args[0]);
  for (int k = 1; k < e->n_args; k++) {
    struct reach reach;
    int64_t extent = extent_of(r, e, k - 1);
    if (!has_moving(r, e->args[k])) read_expr(r, e->args[k]);
    else if (extent && reach_of(r, e->args[k], extent, &reach)) add_reach(r->m, &reach);
    else mark_bad(r, e->args[k]);
  }
}

static void read_expr(struct reader *r, const struct fs_expr *e) {
  if (e->kind == FS_EX_INDEX) {
    read_index(r, e);
    return;
  }
  if (e->kind == FS_EX_NAME) mark_bad(r, e);
  if (e->kind == FS_EX_CALL) { /* which may read parts of what it is given */
    const struct fs_expr *f = e->args[0];
    r->odd |= f->kind != FS_EX_NAME ||
              (!fs_is_builtin(r->in, f->text) && !fs_elem_find(r->in, f->text));
  }
  for (int k = 0; k < e->n_args; k++) read_expr(r, e->args[k]);
}

/* Whether the list knows the array by another name, too, of which no places are compared. */
static bool has_alias(const struct fs_again *a, const char *name) {
  const struct fs_again_guard *g = fs_again_guard_of(a, name);
  for (int k = 0; g && k < a->guards.len; k++) {
    const struct fs_again_guard *other = &a->guards.data[k];
    if (other != g && other->kind == FS_V_TENSOR && other->alias == g->alias) return true;
  }
  return !g;
}

static void read_list(struct reader *r) {
  r->m->reaches.len = r->m->boxes.len = 0;
  for (const struct fs_stmt *s = r->a->list; s; s = s->next) {
    for (int k = 0; k < s->n_targets; k++) {
      int m = moving_of(r->m, s->targets[k].name);
      if (m >= 0) r->bad[m] = true;
    }
    for (int k = 0; k < s->n_exprs; k++) read_expr(r, s->exprs[k]);
    if (s->expr) read_expr(r, s->expr);
    if (s->kind != FS_ST_INDEXED) continue;
    r->updates = true;
    r->odd |= has_alias(r->a, s->expr2->args[0]->text);
    read_expr(r, s->expr2);
    add_box(r, s->expr2, true);
  }
}

static void drop_name(struct fs_moves *m, int k) {
  free(m->name[k]);
  m->n--;
  memmove(&m->name[k], &m->name[k + 1], sizeof *m->name * (size_t)(m->n - k));
}

/* Axes along which two boxes are the same do not tell one round from another. */
static void find_pairs(struct fs_moves *m) {
  m->pairs.len = 0;
  for (int i = 0; i < m->boxes.len; i++)
    for (int j = 0; j < i; j++) {
      const struct box *x = &m->boxes.data[i], *y = &m->boxes.data[j];
      if (!(x->stored || y->stored) || strcmp(x->name, y->name)) continue;
      for (int k = 0; k < x->n && k < y->n && k < FS_MAX_RANK; k++)
        if (memcmp(&x->at[k], &y->at[k], sizeof x->at[k]))
          *FS_PUSH(&m->pairs) = (struct pair){&x->at[k], &y->at[k]};
    }
}

/* Which numbers of the list stand in subscripts alone; what the others are is fixed. */
static void find_moving(struct fs_interp *in, const struct fs_again *a, struct fs_moves *m) {
  bool again = true;
  for (int k = 0; k < a->guards.len && m->n < MOVING; k++) {
    const struct fs_again_guard *g = &a->guards.data[k];
    if (g->kind == FS_V_NUMBER && !g->beyond && g == fs_again_guard_of(a, g->name))
      m->name[m->n++] = fs_strdup(g->name);
  }
  while (again) {
    struct reader r = {.a = a, .m = m, .in = in};
    again = false;
    read_list(&r);
    for (int k = m->n - 1; k >= 0; k--)
      if (r.bad[k] || (r.updates && r.odd)) drop_name(m, k), again = true;
  }
  find_pairs(m);
}

/* -- how places lie to each other ------------------------------------------------------- */

static double value_of(const struct form *f, const double *at) {
  double x = f->constant;
  for (int k = 0; k < MOVING; k++) x += f->times[k] * at[k];
  return x;
}

/* Whether one lies before the other, and whether one lies in the other. */
static uint64_t relation(const struct pair *p, const double *at) {
  double a = value_of(&p->x->low, at), b = value_of(&p->x->high, at);
  double c = value_of(&p->y->low, at), d = value_of(&p->y->high, at);
  return (uint64_t)(b < c) << 3 | (uint64_t)(d < a) << 2 | (uint64_t)(a >= c && b <= d) << 1 |
         (uint64_t)(c >= a && d <= b);
}

/* How the places of one array lie to each other: appended to `out`. With NULL: whether that
 * is what `fixed` begins with. */
static bool relations(const struct fs_moves *m, const double *at, fs_signature *out) {
  for (int i = 0; i < m->pairs.len; i++) {
    uint64_t word = relation(&m->pairs.data[i], at);
    if (out) *FS_PUSH(out) = word;
    else if (word != m->fixed.data[i]) return false;
  }
  return true;
}

/* -- rounds that were recorded ---------------------------------------------------------- */

static void free_slope(struct slope *s) {
  FS_VEC_FREE(&s->numbers);
  FS_VEC_FREE(&s->amounts);
  *s = (struct slope){0};
}

static void drop_round(struct fs_moves *m) {
  struct round *last = &m->rounds[--m->n_rounds];
  FS_VEC_FREE(&last->numbers);
  FS_VEC_FREE(&last->amounts);
}

static void begin_anew(struct fs_moves *m) {
  while (m->n_rounds) drop_round(m);
  for (int k = 0; k < MOVING; k++) free_slope(&m->slope[k]);
  while (m->n) free(m->name[--m->n]);
  m->reaches.len = m->fixed.len = 0;
  m->strays = 0;
  m->ready = false;
  if (++m->beginnings > BEGINNINGS) m->refused = true;
}

void fs_moves_free(struct fs_moves *m) {
  if (!m) return;
  begin_anew(m);
  FS_VEC_FREE(&m->reaches);
  FS_VEC_FREE(&m->boxes);
  FS_VEC_FREE(&m->pairs);
  FS_VEC_FREE(&m->fixed);
  FS_VEC_FREE(&m->going);
  FS_VEC_FREE(&m->going_amounts);
  FS_VEC_FREE(&m->changed);
  FS_VEC_FREE(&m->by);
  fs_sizes_free(&m->sizes);
  free(m);
}

void fs_moves_forget(struct fs_again *a) {
  if (a->moves) a->moves->ready = a->moves->stays = false;
}

bool fs_moves_learning(const struct fs_again *a) {
  return a->moves && !a->moves->refused && a->moves->n;
}

void fs_moves_missed(struct fs_again *a) {
  if (a->moves) a->moves->stays = a->moves->ready;
}

bool fs_moves_stay(struct fs_again *a) {
  struct fs_moves *m = a->moves;
  bool stays = m && m->ready && m->stays && m->stayed < STAYS;
  if (stays) m->stayed++, m->stays = false;
  return stays;
}

static void fix(struct fs_sizes *s, uint64_t word) { *FS_PUSH(&s->fixed) = word; }

static void fix_number(struct fs_sizes *s, double x) {
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  fix(s, word);
}

static void put_dims(struct fs_sizes *s, struct fs_shape *shape) {
  fix(s, (uint64_t)shape->rank);
  for (int k = 0; k < shape->rank; k++)
    *FS_PUSH(&s->numbers) = (struct fs_size){&shape->dim[k], -1, true};
}

static void put_guard(struct fs_sizes *s, const struct fs_again_guard *g) {
  fix(s, fs_hash(g->name, strlen(g->name), 1));
  fix(s, (uint64_t)g->kind << 32 | (uint64_t)g->local << 2 | (uint64_t)g->is_int << 1 | g->rebound);
  if (!g->moving) fix_number(s, g->number);
  if (g->kind != FS_V_TENSOR) return;
  fix(s, (uint64_t)g->dtype << 32 | (uint64_t)g->alias);
  fix(s, (uint64_t)g->list_to);
  fix(s, fs_hash(&g->shape, sizeof g->shape, 1));
  fix(s, fs_hash(&g->layout, sizeof g->layout, 1));
}

static void put_effect(struct fs_sizes *s, struct fs_again_effect *e) {
  fix(s, fs_hash(e->name, strlen(e->name), 1));
  fix(s, (uint64_t)(uint32_t)e->output << 32 | (uint32_t)e->guard);
  fix(s, (uint64_t)e->number.kind << 32 | (uint64_t)e->number.is_int << 16 | (uint64_t)e->dtype);
  fix_number(s, e->number.number);
  put_dims(s, &e->shape);
  *FS_PUSH(&s->numbers) = (struct fs_size){&e->layout.offset, -1, false};
  for (int k = 0; k < FS_MAX_RANK; k++)
    *FS_PUSH(&s->numbers) = (struct fs_size){&e->layout.stride[k], -1, false};
}

/* What the recording is, and where its numbers are; false: numbers are not all of it. */
static bool take_sizes(struct fs_interp *in, struct fs_again *a, struct fs_sizes *s) {
  struct fs_block *b = a->memo.life->block;
  double at[MOVING] = {0};
  s->fixed.len = s->numbers.len = s->amounts.len = 0;
  for (int k = 0; k < a->moves->n; k++)
    at[k] = fs_again_guard_of(a, a->moves->name[k])->number;
  relations(a->moves, at, &s->fixed);
  for (int k = 0; k < a->guards.len; k++) {
    struct fs_again_guard *g = &a->guards.data[k];
    g->moving = g == fs_again_guard_of(a, g->name) ? moving_of(a->moves, g->name) + 1 : 0;
    put_guard(s, g);
  }
  for (int k = 0; k < a->outputs.len; k++) {
    fix(s, (uint64_t)a->outputs.data[k].dtype);
    put_dims(s, &a->outputs.data[k].shape);
  }
  for (int k = 0; k < a->effects.len; k++) put_effect(s, &a->effects.data[k]);
  const struct fs_graph *g = fs_planned_graph(b);
  for (int k = 0; k < g->inputs.len; k++) fix(s, (uint64_t)a->from[k]);
  for (int k = 0; k < g->params.len; k++) fix(s, fs_hash(&a->params[k], sizeof *a->params, 1));
  return !a->recipe && fs_block_sizes(in->runner, b, s);
}

/* Puts it before those that are there. */
static void add_round(const struct fs_again *a, struct fs_moves *m) {
  if (m->n_rounds == ROUNDS) drop_round(m);
  memmove(&m->rounds[1], &m->rounds[0], sizeof *m->rounds * (size_t)m->n_rounds++);
  struct round *r = &m->rounds[0];
  *r = (struct round){.at = {0}};
  for (int k = 0; k < m->n; k++) r->at[k] = fs_again_guard_of(a, m->name[k])->number;
  for (int k = 0; k < m->sizes.numbers.len; k++)
    *FS_PUSH(&r->numbers) = *m->sizes.numbers.data[k].at;
  for (int k = 0; k < m->sizes.amounts.len; k++)
    *FS_PUSH(&r->amounts) = *m->sizes.amounts.data[k];
}

/* -- slopes ------------------------------------------------------------------------------ */

/* Whether two rounds differ in number k, and else only in those whose slopes are sure. */
static bool differ_in(const struct fs_moves *m, const struct round *x, const struct round *y,
                      int k) {
  for (int o = 0; o < m->n; o++)
    if (o != k && x->at[o] != y->at[o] && !m->slope[o].sure) return false;
  return x->at[k] != y->at[k];
}

/* Number x of round `from` at what the numbers are in `to`, but for number `but`. */
static int64_t carried(const struct fs_moves *m, const struct round *from, const double *to,
                       int but, int x) {
  int64_t n = from->numbers.data[x];
  for (int k = 0; k < m->n; k++)
    if (k != but && m->slope[k].sure)
      n += m->slope[k].numbers.data[x] * (int64_t)(to[k] - from->at[k]);
  return n;
}

/* False: it is not by so much for each step. */
static bool find_slope(struct fs_moves *m, int k, const struct round *from,
                       const struct round *to) {
  struct slope *s = &m->slope[k];
  double steps = to->at[k] - from->at[k];
  free_slope(s);
  for (int x = 0; x < to->numbers.len; x++) {
    int64_t more = to->numbers.data[x] - carried(m, from, to->at, k, x);
    if (more % (int64_t)steps) return false;
    *FS_PUSH(&s->numbers) = more / (int64_t)steps;
  }
  for (int x = 0; x < to->amounts.len; x++)
    *FS_PUSH(&s->amounts) = (to->amounts.data[x] - from->amounts.data[x]) / steps;
  return true;
}

static bool agrees(const struct fs_moves *m, const struct round *from, const struct round *to) {
  for (int x = 0; x < to->numbers.len; x++)
    if (carried(m, from, to->at, -1, x) != to->numbers.data[x]) return false;
  return true;
}

/* Looks for two rounds that tell the slope of number k from the last one. False: they are
 * there and do not agree. */
static bool learn_slope(struct fs_moves *m, int k) {
  const struct round *last = &m->rounds[0], *one = NULL;
  for (int x = 1; x < m->n_rounds; x++) {
    const struct round *r = &m->rounds[x];
    if (!differ_in(m, r, last, k) || (one && r->at[k] == one->at[k])) continue;
    if (!one) {
      one = r;
      continue;
    }
    if (!find_slope(m, k, one, last)) return false;
    m->slope[k].sure = true;
    return agrees(m, r, last);
  }
  return true;
}

static bool is_whole(double x) { return x == floor(x) && fabs(x) < 1e15; }

/* Whether the last round is as the others say, and what else it teaches is sound. */
static bool fits(struct fs_moves *m) {
  const struct round *last = &m->rounds[0];
  for (int k = 0; k < m->n; k++)
    if (!is_whole(last->at[k])) return false;
  for (int x = 1; x < m->n_rounds; x++) {
    bool known = true;
    for (int k = 0; k < m->n; k++)
      known &= last->at[k] == m->rounds[x].at[k] || m->slope[k].sure;
    if (known && !agrees(m, &m->rounds[x], last)) return false;
  }
  for (int k = 0; k < m->n; k++)
    if (!m->slope[k].sure && !learn_slope(m, k)) return false;
  return true;
}

static bool same_fixed(const struct fs_moves *m) {
  const fs_signature *now = &m->sizes.fixed;
  return m->fixed.len == now->len &&
         !memcmp(m->fixed.data, now->data, sizeof *now->data * (size_t)now->len);
}

/* The recording is the first of rounds that are alike. */
static bool begin(struct fs_interp *in, struct fs_again *a, struct fs_moves *m) {
  begin_anew(m);
  m->refused |= a->loops; /* whose subscripts are not read */
  if (m->refused) return false;
  find_moving(in, a, m);
  if (!m->n || !take_sizes(in, a, &m->sizes)) {
    m->refused = true;
    return false;
  }
  for (int k = 0; k < m->sizes.fixed.len; k++) *FS_PUSH(&m->fixed) = m->sizes.fixed.data[k];
  return true;
}

static void find_going(struct fs_moves *m) {
  m->going.len = m->going_amounts.len = m->changed.len = 0;
  for (int x = 0; x < m->sizes.numbers.len; x++) {
    struct going g = {&m->sizes.numbers.data[x], m->rounds[0].numbers.data[x], {0}, 0};
    bool goes = false;
    for (int k = 0; k < m->n; k++) {
      if (m->slope[k].sure) g.step[k] = m->slope[k].numbers.data[x];
      goes |= g.step[k] != 0;
    }
    if (goes) *FS_PUSH(&m->going) = g;
    for (int k = m->changed.len; k <= g.size->kernel; k++) *FS_PUSH(&m->changed) = false;
  }
  for (int x = 0; x < m->sizes.amounts.len; x++) {
    struct going_amount g = {m->sizes.amounts.data[x], m->rounds[0].amounts.data[x], {0}};
    bool goes = false;
    for (int k = 0; k < m->n; k++) {
      if (m->slope[k].sure) g.step[k] = m->slope[k].amounts.data[x];
      goes |= g.step[k] != 0;
    }
    if (goes) *FS_PUSH(&m->going_amounts) = g;
  }
}

/* The block is changed from now on, so nobody else may have it. */
static void claim(struct fs_interp *in, struct fs_again *a, struct fs_moves *m) {
  struct fs_block *b = a->memo.life->block;
  m->ready = false;
  for (int k = 0; k < m->n; k++) m->ready |= m->slope[k].sure;
  if (!m->ready) return;
  find_going(m);
  fs_run_claim(in->runner, b);
  fs_memo_take(&a->memo, b, fs_run_epoch(in->runner, in->language));
  m->ran = in->n_blocks;
  m->stayed = 0;
}

void fs_moves_learn(struct fs_interp *in, struct fs_again *a) {
  struct fs_moves *m = a->moves;
  if (!m) m = a->moves = fs_calloc(1, sizeof *m);
  if (m->refused) return;
  bool known = m->n_rounds && take_sizes(in, a, &m->sizes) && same_fixed(m);
  if (!known && m->n_rounds && ++m->strays <= STRAYS) return;
  if (!known && !begin(in, a, m)) return;
  m->strays = 0;
  add_round(a, m);
  if (fits(m)) claim(in, a, m);
  else begin_anew(m);
}

/* -- another round ------------------------------------------------------------------------ */

static bool in_range(const struct fs_moves *m, const double *at) {
  for (int k = 0; k < m->reaches.len; k++) {
    const struct reach *r = &m->reaches.data[k];
    double low = value_of(&r->low, at), high = value_of(&r->high, at);
    if (low < 1 || high < low || high > (double)r->extent) return false;
  }
  return true;
}

/* The plan of few bytes is that of others; else it may be that of four times as many. */
static bool is_near(const struct fs_moves *m, const double *at) {
  const double few = 1 << 16, reach = 4;
  const struct round *base = &m->rounds[0];
  int bytes = base->amounts.len - 2; /* as fs_block_sizes() adds them */
  double before = base->amounts.data[bytes], now = before;
  for (int k = 0; k < m->n; k++)
    if (m->slope[k].sure) now += m->slope[k].amounts.data[bytes] * (at[k] - base->at[k]);
  return FS_MAX(before, now) <= few || (now <= reach * before && before <= reach * now);
}

/* What the numbers of the block are then, and which kernels get others; false: some slice would
 * have no two elements. */
static bool find_changes(struct fs_moves *m, const double *at) {
  const struct round *base = &m->rounds[0];
  int64_t steps[MOVING] = {0};
  for (int k = 0; k < m->n; k++) steps[k] = (int64_t)(at[k] - base->at[k]);
  for (int k = 0; k < m->changed.len; k++) m->changed.data[k] = false;
  for (int i = 0; i < m->going.len; i++) {
    struct going *g = &m->going.data[i];
    g->now = g->base;
    for (int k = 0; k < m->n; k++) g->now += g->step[k] * steps[k];
    if (g->now == *g->size->at) continue;
    if (g->size->extent && g->now < 2) return false;
    if (g->size->kernel >= 0) m->changed.data[g->size->kernel] = true;
  }
  return true;
}

static void write_amounts(const struct fs_moves *m, const double *at) {
  const struct round *base = &m->rounds[0];
  for (int i = 0; i < m->going_amounts.len; i++) {
    const struct going_amount *g = &m->going_amounts.data[i];
    double now = g->base;
    for (int k = 0; k < m->n; k++) now += g->step[k] * (at[k] - base->at[k]);
    *g->at = FS_MAX(now, 0);
  }
}

static void write_numbers(const struct fs_moves *m, const double *at) {
  for (int i = 0; i < m->going.len; i++) *m->going.data[i].size->at = m->going.data[i].now;
  write_amounts(m, at);
}

/* Whether the numbers as they are now are some that the block is known for. */
static bool is_known(const struct fs_again *a, struct fs_moves *m, double *at) {
  for (int k = 0; k < m->n; k++) {
    at[k] = fs_again_guard_of(a, m->name[k])->next;
    if (!is_whole(at[k]) || (at[k] != m->rounds[0].at[k] && !m->slope[k].sure)) return false;
  }
  m->stays = !in_range(m, at);
  return !m->stays && is_near(m, at) && relations(m, at, NULL);
}

bool fs_moves_go(struct fs_interp *in, struct fs_again *a, enum fs_status *st) {
  struct fs_moves *m = a->moves;
  double at[MOVING] = {0};
  if (!m || !m->ready || !is_known(a, m, at)) return false;
  struct fs_block *b = a->memo.life->block;
  struct fs_run_options *o = fs_runner_options(in->runner);
  bool good = find_changes(m, at);
  m->stays = !good;
  if (good && m->ran != in->n_blocks && o->changing) o->changing(o->user, b, FS_OTHER_PLAN);
  if (good) {
    a->ready = m->ready = false; /* should it jump */
    write_numbers(m, at);
    *st = fs_run_resized(in->runner, b, m->changed.data, m->changed.len, in->diags);
    a->ready = m->ready = good = *st == FS_OK;
  }
  if (!good) return false;
  fs_graph_anchors(fs_planned_graph(b), &a->anchors);
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].moving) a->guards.data[k].number = a->guards.data[k].next;
  m->stayed = 0;
  m->follows = m->ran == in->n_blocks;
  m->ran = in->n_blocks + 1;
  return true;
}

/* -- the rounds after it ---------------------------------------------------------------- */

/* How two places lie to each other, comparison by comparison: where all of them are the same
 * in two rounds, they are in those between, in which the places move evenly. */
static bool same_order(const struct fs_moves *m, const double *at, const double *then) {
  for (int i = 0; i < m->pairs.len; i++) {
    const struct pair *p = &m->pairs.data[i];
    const double *when[2] = {at, then};
    uint64_t word[2];
    for (int k = 0; k < 2; k++) {
      double a = value_of(&p->x->low, when[k]), b = value_of(&p->x->high, when[k]);
      double c = value_of(&p->y->low, when[k]), d = value_of(&p->y->high, when[k]);
      word[k] = (uint64_t)(b < c) << 5 | (uint64_t)(d < a) << 4 | (uint64_t)(a >= c) << 3 |
                (uint64_t)(b <= d) << 2 | (uint64_t)(c >= a) << 1 | (uint64_t)(d <= b);
    }
    if (word[0] != word[1]) return false;
  }
  return true;
}

/* What a round adds to the numbers, and to which kernels; false: it adds nothing. */
static bool find_next(struct fs_moves *m, int counter, int64_t step) {
  bool any = false;
  m->by.len = 0;
  for (int k = 0; k < m->changed.len; k++) m->changed.data[k] = false;
  for (int i = 0; i < m->going.len; i++) {
    const struct going *g = &m->going.data[i];
    int64_t by = g->step[counter] * step;
    *FS_PUSH(&m->by) = by;
    any |= by != 0;
    if (by && g->size->kernel >= 0) m->changed.data[g->size->kernel] = true;
  }
  return any;
}

static bool has_elements(const struct fs_moves *m, int64_t rounds) {
  for (int i = 0; i < m->going.len; i++)
    if (m->going.data[i].size->extent &&
        *m->going.data[i].size->at + rounds * m->by.data[i] < 2)
      return false;
  return true;
}

int64_t fs_moves_reach(struct fs_interp *in, struct fs_again *a, const struct fs_ahead *ahead) {
  struct fs_moves *m = a->moves;
  double at[MOVING] = {0}, then[MOVING] = {0};
  int counter = m && m->ready && m->follows ? moving_of(m, ahead->counter) : -1;
  if (counter < 0 || !m->slope[counter].sure || !is_whole(ahead->step)) return 0;
  if (m->ran != in->n_blocks + 1 || !find_next(m, counter, (int64_t)ahead->step)) return 0;
  for (int k = 0; k < m->n; k++)
    at[k] = then[k] = fs_again_guard_of(a, m->name[k])->number;
  for (int64_t rounds = ahead->left; rounds; rounds /= 2) {
    then[counter] = at[counter] + (double)rounds * ahead->step;
    if (is_whole(then[counter]) && in_range(m, then) && is_near(m, then) &&
        relations(m, then, NULL) && same_order(m, at, then) && has_elements(m, rounds))
      return rounds;
  }
  return 0;
}

enum fs_status fs_moves_next(struct fs_interp *in, struct fs_again *a, struct fs_diags *d) {
  struct fs_moves *m = a->moves;
  a->ready = m->ready = false; /* should it jump */
  for (int i = 0; i < m->going.len; i++) *m->going.data[i].size->at += m->by.data[i];
  enum fs_status st =
      fs_run_resized(in->runner, a->memo.life->block, m->changed.data, m->changed.len, d);
  a->ready = m->ready = st == FS_OK;
  return st;
}

void fs_moves_end(struct fs_interp *in, struct fs_again *a, const struct fs_ahead *ahead) {
  struct fs_moves *m = a->moves;
  double at[MOVING] = {0};
  int counter = moving_of(m, ahead->counter);
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].moving == counter + 1)
      a->guards.data[k].number += (double)ahead->done * ahead->step;
  for (int k = 0; k < m->n; k++) at[k] = fs_again_guard_of(a, m->name[k])->number;
  write_amounts(m, at);
  fs_graph_anchors(fs_planned_graph(a->memo.life->block), &a->anchors);
  m->ran = in->n_blocks + 1 + (int)ahead->done;
}
