/* lift_region.c - a `while` of a nest, or a `for` that each round goes through by itself, as a
 * region: see core/graph/region.h.
 *
 * What it reads from outside are operands: lanes of the block's graph. Its statements are traced
 * with variables in place of the names that it sets, each into a graph of its own, of scalars,
 * from which the steps are taken; so types are what they are elsewhere. Where a name has
 * another type after a round than before it (z = 0; while ...; z = z*z + x[i]), that round
 * stands in front of the loop, until all have the type that they had.
 *
 * Arrays of which elements are read at places that it computes are tables. A place that is none
 * ends the region in its lane, and says so: then the host runs the rounds, to their error. */
#include <math.h>

#include "core/eval/elem.h"
#include "core/eval/lift_lane.h"

enum { MOST_PEELED = 3, MOST_EXITS = 64 };
static const double LARGEST_INT = 0x1p53, LARGEST_COUNT = 0x7fffffff;

/* What a name is: a number of the host, of a kind, or a scalar tensor. */
struct type {
  bool set;                  /* it has a value on every way that comes here */
  bool given;                /* ... which the `while` gave it on one of them */
  bool perhaps;              /* it has one of this type on some of the ways, not on all */
  bool number, unsure;       /* unsure: a whole number that may have grown beyond 2^53 */
  enum fs_scalar_kind kind;
  enum fs_dtype dtype;       /* of its register */
  double least, most;        /* of a number, as far as its statements say: no part of its type */
};

struct variable {
  struct type now;
  struct type last;          /* after the `while`, where that has given it a value */
  struct fs_lane before;
  bool at_once;              /* it has none, if there is no round, or */
  bool wants_flag;           /* ... elsewhere as well, so that */
  int flag;                  /* ... a register says whether it was given one; -1 */
};

/* What the variables are behind a loop, and where its next round begins; if anybody comes there. */
struct ways {
  struct type exit[FS_LIFT_SETS], next[FS_LIFT_SETS];
  bool exits, goes_on, outermost; /* outermost: it is that of the nest */
};

/* The register of a variable of one type. */
struct home {
  int variable, reg;
  struct type type;
};

/* What the variables are where the `while` is left. */
struct leaving {
  bool at_once;              /* before the first round */
  struct type now[FS_LIFT_SETS];
};

/* An element at a place that the region computes: of which operand, and of which shape that is. */
struct table {
  const struct fs_expr *e;
  int operand, first;        /* the dimension of its first subscript */
  struct fs_shape shape;
};

/* Where the next round of a `for` is, and the last one. */
struct counting {
  int place, stop;           /* registers */
  double step;
  bool surely;               /* there is a first round */
};

struct fs_lift_maker {
  struct fs_lift_tracer *t;
  const struct fs_stmt *s;
  struct fs_graph *outer, *inner;
  struct fs_lift_sets sets;
  struct variable variables[FS_LIFT_SETS];
  FS_VEC(struct home) homes;
  FS_VEC(struct fs_region_register) registers;
  FS_VEC(fs_id) inputs;      /* of the inner graph, by register; 0 */
  FS_VEC(struct fs_region_step) steps;
  FS_VEC(struct leaving) leaves; /* of the outermost `while` */
  FS_VEC(struct table) tables;
  int wrong;                 /* the register that says that a place is none; -1 */
  bool broken;               /* what looks for that has no room */
  struct fs_tv operands[FS_USER_ARGS];
  int n_operands;
  int level;                 /* blocks around */
  int exit, next;            /* of the innermost `while` */
  struct ways *ways;         /* ... and what comes there */
  bool begun;                /* a condition of the outermost was looked at */
  struct fs_lane begins;     /* in the outer graph: whether there is a first round */
};

static bool refuse(struct fs_lift_maker *m, struct fs_span span, const char *why) {
  return fs_lift_refuse(m->t->n, span, why);
}

/* -- steps ---------------------------------------------------------------------------- */

static bool put(struct fs_lift_maker *m, struct fs_region_step s) {
  if (m->steps.len == FS_REGION_STEPS) return refuse(m, m->s->expr->span, "is of a long `while`");
  *FS_PUSH(&m->steps) = s;
  return true;
}

static int add_register(struct fs_lift_maker *m, struct fs_region_register r) {
  *FS_PUSH(&m->registers) = r;
  *FS_PUSH(&m->inputs) = 0;
  return m->registers.len - 1;
}

static bool open_block(struct fs_lift_maker *m, enum fs_region_code code) {
  if (m->level == FS_REGION_BLOCKS - 1) return refuse(m, m->s->expr->span, "is of a deep `while`");
  m->level++;
  return put(m, (struct fs_region_step){.code = code});
}

static bool close_block(struct fs_lift_maker *m) {
  m->level--;
  return put(m, (struct fs_region_step){.code = FS_RG_END});
}

static bool leave(struct fs_lift_maker *m, int depth) {
  return put(m, (struct fs_region_step){.code = FS_RG_LEAVE, .depth = depth});
}

static bool unless(struct fs_lift_maker *m, int reg, int depth) {
  return put(m, (struct fs_region_step){.code = FS_RG_UNLESS, .n_src = 1, .src = {reg},
                                        .depth = depth});
}

static int constant(struct fs_lift_maker *m, enum fs_dtype dt, struct fs_number number) {
  for (int k = 0; k < m->registers.len; k++) {
    const struct fs_region_register *r = &m->registers.data[k];
    if (r->kind == FS_RR_CONSTANT && r->dtype == dt && !memcmp(&r->number, &number, sizeof number))
      return k;
  }
  return add_register(m, (struct fs_region_register){FS_RR_CONSTANT, dt, number});
}

/* -- from nodes ------------------------------------------------------------------------- */

/* The registers that hold nodes of the inner graph, of the statement being traced. */
struct held {
  FS_VEC(int) of;            /* by node: 1 + the register; 0: none does */
  int first;                 /* of temporaries that this statement has used up */
};

static int temporary(struct fs_lift_maker *m, struct held *h, enum fs_dtype dt) {
  for (; h->first < m->registers.len; h->first++) {
    const struct fs_region_register *r = &m->registers.data[h->first];
    if (r->kind == FS_RR_TEMPORARY && r->dtype == dt) return h->first++;
  }
  int reg = add_register(m, (struct fs_region_register){FS_RR_TEMPORARY, dt, {0}});
  h->first = m->registers.len;
  return reg;
}

/* The register of a node, and the steps that compute it; -1: that cannot be. */
static int compute(struct fs_lift_maker *m, struct held *h, fs_id id) {
  const struct fs_node *n = fs_node(m->inner, id);
  while (h->of.len <= (int)id) *FS_PUSH(&h->of) = 0;
  if (h->of.data[id]) return h->of.data[id] - 1;
  if (fs_dtype_is_half(n->dtype) || n->shape.rank) return -1;
  int reg = -1;
  struct fs_region_step s = {.code = FS_RG_MAP, .op = n->op, .n_src = n->n_src};
  if (n->kind == FS_ND_INPUT) {
    for (int k = 0; k < m->inputs.len; k++)
      if (m->inputs.data[k] == id) reg = k;
  } else if (n->kind == FS_ND_PARAM) {
    reg = constant(m, n->dtype, m->inner->params.data[n->slot]);
  } else if (n->kind == FS_ND_LIB && n->op == FS_LIB_GATHER) { /* of read_table() */
    s = (struct fs_region_step){.code = FS_RG_LOAD, .n_src = 2};
    s.src[0] = compute(m, h, n->src[0]);
    s.src[1] = compute(m, h, fs_node(m->inner, id)->src[1]);
    reg = s.to = temporary(m, h, fs_node(m->inner, id)->dtype);
    if (s.src[0] < 0 || s.src[1] < 0 || !put(m, s)) return -1;
  } else if (n->kind == FS_ND_MAP && !n->user) {
    for (int k = 0; k < n->n_src; k++) {
      s.src[k] = compute(m, h, n->src[k]);
      if (s.src[k] < 0) return -1;
      n = fs_node(m->inner, id);
    }
    if (n->op == FS_OP_COPY) reg = s.src[0];
    else reg = s.to = temporary(m, h, n->dtype);
    if (n->op != FS_OP_COPY && !put(m, s)) return -1;
  }
  h->of.data[id] = reg + 1;
  return reg;
}

static int compute_tv(struct fs_lift_maker *m, struct fs_tv tv) {
  struct held h = {.first = 0};
  int reg = compute(m, &h, tv.node);
  FS_VEC_FREE(&h.of);
  if (reg < 0) refuse(m, m->t->in->span, "is of a half type");
  if (m->registers.len > FS_REGION_REGISTERS)
    return refuse(m, m->s->expr->span, "is of a long `while`"), -1;
  return reg;
}

/* -- registers as lanes -------------------------------------------------------------------- */

/* As a scalar of the inner graph. */
static struct fs_tv input_of(struct fs_lift_maker *m, int reg) {
  struct fs_tv out = {0, m->registers.data[reg].dtype, fs_shape_scalar()};
  struct fs_layout layout = {0};
  struct fs_graph_source from = {.storage = (const void *)(uintptr_t)(reg + 1)};
  if (!m->inputs.data[reg]) {
    struct fs_shape none = fs_shape_scalar();
    m->inputs.data[reg] = fs_graph_input(m->inner, &from, out.dtype, &none, &layout, NULL);
  }
  out.node = m->inputs.data[reg];
  return out;
}

/* As it may be in any round. */
static void widen(struct type *a) {
  bool whole = a->kind == FS_SC_INT && !a->unsure;
  a->least = whole ? -LARGEST_INT : -INFINITY;
  a->most = whole ? LARGEST_INT : INFINITY;
}

static struct fs_lane lane_of(struct fs_lift_maker *m, int reg, const struct type *type) {
  struct fs_lane out = {.kind = type->number ? FS_LANE_COUNT : FS_LANE_TENSOR};
  out.tv = input_of(m, reg);
  if (!type->number) return out;
  out.last = (struct fs_scalar){.x = 1, .kind = type->kind};
  out.measured = true;
  out.least = type->least;
  out.most = type->most;
  if (type->kind == FS_SC_BOOL) out.least = 0, out.most = 1;
  return out;
}

static struct type type_of(const struct fs_lane *a) {
  struct type out = {.set = true, .number = a->kind != FS_LANE_TENSOR};
  if (a->kind == FS_LANE_TENSOR) out.dtype = a->tv.dtype;
  else if (a->kind == FS_LANE_COUNT) out.kind = a->last.kind;
  else out.kind = fs_scalar_of(&a->number).kind;
  if (out.number) out.dtype = out.kind == FS_SC_BOOL ? FS_BOOL : FS_F64;
  out.unsure = a->kind == FS_LANE_COUNT && out.kind == FS_SC_INT &&
               !(isfinite(a->least) && isfinite(a->most));
  if (a->kind == FS_LANE_COUNT) out.least = a->least, out.most = a->most;
  else out.least = out.most = a->kind == FS_LANE_NUMBER ? a->number.number : 0;
  return out;
}

static bool same_type(const struct type *a, const struct type *b) {
  if (!a->set || !b->set) return a->set == b->set;
  if (a->number != b->number) return false;
  return a->number ? a->kind == b->kind && a->unsure == b->unsure : a->dtype == b->dtype;
}

/* -- operands -------------------------------------------------------------------------------- */

/* A choice of numbers of one kind as one number. */
static bool merged(struct fs_lift_tracer *t, const struct fs_lane *a, struct fs_lane *out) {
  struct fs_lane yes, no;
  *out = *a;
  if (a->kind != FS_LANE_EITHER) return a->kind != FS_LANE_NONE;
  if (!merged(t, &a->choice->yes, &yes) || !merged(t, &a->choice->no, &no)) return false;
  struct type x = type_of(&yes), y = type_of(&no);
  if (!x.number || !same_type(&x, &y)) return false;
  struct fs_tv p = fs_tv_cast(t->in, fs_lane_tv(t, &yes), x.dtype);
  struct fs_tv q = fs_tv_cast(t->in, fs_lane_tv(t, &no), x.dtype);
  *out = (struct fs_lane){.kind = FS_LANE_COUNT, .measured = true};
  out->last = (struct fs_scalar){.x = 1, .kind = x.kind};
  out->tv = fs_tv_choose(t->in, a->choice->mask, p, q);
  double least = yes.kind == FS_LANE_NUMBER ? yes.number.number : yes.least;
  double most = yes.kind == FS_LANE_NUMBER ? yes.number.number : yes.most;
  out->least = fmin(least, no.kind == FS_LANE_NUMBER ? no.number.number : no.least);
  out->most = fmax(most, no.kind == FS_LANE_NUMBER ? no.number.number : no.most);
  return true;
}

static int add_operand(struct fs_lift_maker *m, struct fs_tv tv) {
  for (int k = 0; k < m->n_operands; k++) {
    const struct fs_tv *x = &m->operands[k];
    if (x->node == tv.node && !memcmp(&x->shape, &tv.shape, sizeof tv.shape)) return k;
  }
  if (m->n_operands == FS_USER_ARGS) {
    refuse(m, m->s->expr->span, "is of a `while` that reads more than 8 values from outside");
    return -1;
  }
  m->operands[m->n_operands] = tv;
  return m->n_operands++;
}

/* A lane of the outer graph in the inner one. */
static bool bring_in(struct fs_lift_maker *m, struct fs_span span, const struct fs_lane *given,
                     struct fs_lane *out) {
  struct fs_lane a;
  if (!merged(m->t, given, &a)) return refuse(m, span, "may have another type in each round");
  if (a.loose) return refuse(m, span, "is a sum of floats, by which a `while` may decide");
  *out = a;
  if (a.kind == FS_LANE_NUMBER && a.number.literal) return true;
  struct type type = type_of(&a);
  struct fs_tv tv = fs_tv_cast(m->t->in, fs_lane_tv(m->t, &a), type.dtype);
  if (fs_dtype_is_half(tv.dtype)) return refuse(m, span, "is of a half type");
  int k = add_operand(m, tv);
  if (k < 0) return false;
  struct fs_region_register operand = {FS_RR_OPERAND, tv.dtype, {0}};
  if (k == m->registers.len) add_register(m, operand);
  *out = lane_of(m, k, &type);
  if (a.kind == FS_LANE_COUNT) out->least = a.least, out->most = a.most;
  if (a.kind == FS_LANE_NUMBER) out->least = out->most = a.number.number;
  return true;
}

/* An array that it reads at places which it computes. */
static bool bind_table(void *user, const struct fs_expr *e) {
  struct fs_lift_maker *m = user;
  struct fs_lift_tracer *t = m->t;
  const struct fs_lift_access *a = NULL;
  struct fs_tv all;
  t->in->span = e->span;
  for (int k = 0; k < t->n->accesses.len && !a; k++)
    if (t->n->accesses.data[k].e == e && t->n->accesses.data[k].item == t->at)
      a = &t->n->accesses.data[k];
  const struct fs_lift_array *of = a ? fs_lift_array(t, a->name) : NULL;
  if (!of || of->loose || fs_shape_count(&a->shape) > FS_LIFT_MOST ||
      fs_shape_count(&a->shape) < 2 || !fs_lift_vector(t, of, &all))
    return false;
  fs_id id = fs_graph_table(m->outer, all.node);
  bool computed = fs_node(m->outer, all.node)->kind != FS_ND_INPUT;
  t->n->wants_stored |= computed && !of->changed;
  if (!id) return computed ? false : refuse(m, e->span, "is of an array of bools or of a half type");
  struct fs_tv tv = {id, all.dtype, fs_shape_scalar()};
  struct table *out = FS_PUSH(&m->tables);
  *out = (struct table){.e = e, .operand = add_operand(m, tv), .shape = a->shape};
  while (!a->place[out->first]) out->first++;
  struct fs_region_register reg = {FS_RR_TABLE, all.dtype, {0}};
  if (out->operand == m->registers.len) add_register(m, reg);
  return out->operand >= 0;
}

static bool bind(void *user, const struct fs_expr *e) {
  struct fs_lift_maker *m = user;
  struct fs_lane a, in;
  m->t->in->span = e->span;
  if (!fs_lane_of(m->t, e, &a))
    return refuse(m, e->span, "might have another type or other bits for all rounds at once");
  if (!bring_in(m, e->span, &a, &in)) return false;
  *FS_PUSH(&m->t->bound) = (struct fs_lane_bound){.e = e, .lane = in};
  return true;
}

/* -- variables --------------------------------------------------------------------------------- */

static int home_of(struct fs_lift_maker *m, int variable, const struct type *type) {
  for (int k = 0; k < m->homes.len; k++)
    if (m->homes.data[k].variable == variable && same_type(&m->homes.data[k].type, type))
      return m->homes.data[k].reg;
  int reg = add_register(m, (struct fs_region_register){FS_RR_VARIABLE, type->dtype, {0}});
  *FS_PUSH(&m->homes) = (struct home){variable, reg, *type};
  return reg;
}

/* What the names are from here on. */
static void bind_names(struct fs_lift_maker *m) {
  for (int v = 0; v < m->sets.n; v++) {
    struct fs_lane_bound b = {.name = m->sets.name[v], .lane = {.kind = FS_LANE_NONE}};
    struct variable *x = &m->variables[v];
    if (x->now.set) b.lane = lane_of(m, home_of(m, v, &x->now), &x->now);
    int at = m->t->bound.len - 1;
    while (at >= 0 && m->t->bound.data[at].name != b.name) at--;
    if (at >= 0) m->t->bound.data[at] = b;
    else *FS_PUSH(&m->t->bound) = b;
  }
}

static bool set_flag(struct fs_lift_maker *m, int v) {
  struct variable *x = &m->variables[v];
  if (!x->wants_flag) return true;
  struct fs_region_register flag = {FS_RR_VARIABLE, FS_BOOL, {0}};
  if (x->flag < 0) x->flag = add_register(m, flag);
  int yes = constant(m, FS_BOOL, (struct fs_number){.f = 1, .i = 1});
  return put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY, .n_src = 1,
                                        .to = x->flag, .src = {yes}});
}

/* A variable gets the value of a lane of the inner graph. */
static bool set_variable(struct fs_lift_maker *m, int v, const struct fs_lane *a) {
  struct type type = type_of(a);
  type.given = true;
  struct fs_tv tv = fs_lane_tv(m->t, a);
  tv = fs_tv_cast(m->t->in, tv, type.dtype);
  int steps = m->steps.len, reg = compute_tv(m, tv), to = home_of(m, v, &type);
  if (reg < 0) return false;
  struct fs_region_step *last = m->steps.len > steps ? &m->steps.data[m->steps.len - 1] : NULL;
  m->variables[v].now = type;
  if (last && last->to == reg && m->registers.data[reg].kind == FS_RR_TEMPORARY) {
    last->to = to; /* nothing else reads it */
  } else if (reg != to && !put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY,
                                                          .n_src = 1, .to = to, .src = {reg}})) {
    return false;
  }
  return true;
}

static void types_now(const struct fs_lift_maker *m, struct type *out) {
  for (int v = 0; v < m->sets.n; v++) out[v] = m->variables[v].now;
}

static void set_types(struct fs_lift_maker *m, const struct type *types) {
  for (int v = 0; v < m->sets.n; v++) m->variables[v].now = types[v];
  bind_names(m);
}

/* -- places ------------------------------------------------------------------------- */

static void look(struct fs_lift_tracer *t, struct fs_tv bad) {
  struct fs_lift_maker *m = t->region;
  struct fs_lane out = {.kind = FS_LANE_TENSOR, .tv = bad};
  out = fs_lane_both(t, &out, &t->extra);
  if (out.kind == FS_LANE_NUMBER) return;
  struct fs_region_register flag = {FS_RR_VARIABLE, FS_BOOL, {0}};
  if (m->wrong < 0) m->wrong = add_register(m, flag);
  struct fs_tv good = fs_tv_map1(t->in, FS_OP_NOT, out.tv);
  int reg = compute_tv(m, out.tv);
  m->broken |= reg < 0 || !put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY,
                                                          .n_src = 1, .to = m->wrong, .src = {reg}});
  if (!m->broken) reg = compute_tv(m, good);
  m->broken |= reg < 0 || !unless(m, reg, 0);
}

/* Its place among all elements, row by row: inside of the array also where nobody wants it. */
static bool read_table(struct fs_lift_tracer *t, const struct fs_expr *e, struct fs_lane *out) {
  struct fs_lift_maker *m = t->region;
  const struct table *of = NULL;
  for (int k = 0; k < m->tables.len; k++)
    if (m->tables.data[k].e == e) of = &m->tables.data[k];
  if (!of) return false;
  const struct fs_shape *s = &of->shape;
  struct fs_tv at = fs_tv_number(t->in, 1, FS_I64), sub;
  for (int k = 0; k + 1 < e->n_args; k++) {
    int64_t extent = s->dim[of->first + k], stride = 1;
    bool inside;
    t->in->span = e->args[1 + k]->span;
    if (!fs_lift_place(t, e->args[1 + k], fs_border_of(e, k), extent, &sub, &inside)) return false;
    if (!inside && t->extra.kind != FS_LANE_NUMBER) {
      sub = fs_tv_map2(t->in, FS_OP_MAX, sub, fs_tv_number(t->in, 0, FS_I64));
      sub = fs_tv_map2(t->in, FS_OP_MIN, sub, fs_tv_number(t->in, (double)(extent - 1), FS_I64));
    }
    for (int d = of->first + k + 1; d < s->rank; d++) stride *= s->dim[d];
    sub = fs_tv_map2(t->in, FS_OP_MUL, sub, fs_tv_number(t->in, (double)stride, FS_I64));
    at = fs_tv_map2(t->in, FS_OP_ADD, at, sub);
  }
  struct fs_shape one = fs_shape_scalar(), all = {1, {fs_shape_count(s)}};
  enum fs_dtype dt = m->registers.data[of->operand].dtype;
  fs_id id = fs_graph_lib(m->inner, FS_LIB_GATHER, dt, &one, input_of(m, of->operand).node, &all,
                          at.node, &one, FS_LIB_IN_RANGE);
  *out = (struct fs_lane){.kind = FS_LANE_TENSOR, .tv = {id, dt, fs_shape_scalar()}};
  return true;
}

/* -- statements -------------------------------------------------------------------- */

/* Where one way has a value for a name and another none. */
static void be_perhaps(struct type *at, const struct type *now) {
  bool given = at->given | now->given;
  bool had = at->set || at->perhaps, has = now->set || now->perhaps;
  struct type x = *at, y = *now;
  x.set = y.set = true;
  bool one = (had || has) && (!had || !has || same_type(&x, &y));
  if (!had) *at = y;
  at->set = false;
  at->perhaps = one;
  at->given = given;
}

/* Where several ways meet: a name that has one type on one of them and none on another has
 * none that may be read. */
static bool meet(struct fs_lift_maker *m, struct fs_span span, struct type *at, const struct type *now) {
  for (int v = 0; v < m->sets.n; v++) {
    at[v].given |= now[v].given;
    at[v].least = fmin(at[v].least, now[v].least);
    at[v].most = fmax(at[v].most, now[v].most);
    if (!at[v].set || !now[v].set) be_perhaps(&at[v], &now[v]);
    else if (!same_type(&at[v], &now[v]))
      return refuse(m, span, "gives a name another type than elsewhere");
  }
  return true;
}

/* As a register of a truth value; -1: it is the number *known. */
static bool condition(struct fs_lift_maker *m, const struct fs_expr *e, int *reg, bool *known) {
  struct fs_lane a, truth;
  m->t->in->span = m->t->in->stmt = e->span;
  if (!fs_lane_of(m->t, e, &a) || !fs_lane_truth(m->t, &a, &truth))
    return refuse(m, e->span, "might have another type or other bits for all rounds at once");
  *reg = -1;
  *known = truth.kind == FS_LANE_NUMBER && truth.number.number != 0;
  if (truth.kind == FS_LANE_NUMBER) return true;
  *reg = compute_tv(m, truth.tv);
  return *reg >= 0;
}

static bool statements(struct fs_lift_maker *m, const struct fs_stmt *list, bool *ends);

static bool branches(struct fs_lift_maker *m, const struct fs_stmt *s, bool *ends) {
  struct type before[FS_LIFT_SETS], after[FS_LIFT_SETS];
  int reg, outside = m->level;
  bool known, first = false, second = false;
  if (!condition(m, s->expr, &reg, &known)) return false;
  if (reg < 0) return statements(m, known ? s->body : s->orelse, ends);
  if (!open_block(m, FS_RG_BLOCK) || !open_block(m, FS_RG_BLOCK)) return false;
  types_now(m, before);
  if (!unless(m, reg, outside + 1) || !statements(m, s->body, &first)) return false;
  types_now(m, after);
  if ((!first && !leave(m, outside)) || !close_block(m)) return false;
  set_types(m, before);
  if (!statements(m, s->orelse, &second) || !close_block(m)) return false;
  if (first && second) *ends = true;
  if (second) set_types(m, after);
  if (first || second) return true;
  types_now(m, before);
  if (!meet(m, s->expr->span, after, before)) return false;
  set_types(m, after);
  return true;
}

static bool while_loop(struct fs_lift_maker *m, const struct fs_stmt *s);

/* A way comes to where the next round begins, or behind an inner loop. */
static bool arrive(struct fs_lift_maker *m, struct fs_span span, struct type *at, bool *came) {
  struct type now[FS_LIFT_SETS];
  types_now(m, now);
  if (*came) return meet(m, span, at, now);
  memcpy(at, now, sizeof now);
  *came = true;
  return true;
}

/* A way comes behind a loop; behind the outermost one names may differ in type. */
static bool arrive_behind(struct fs_lift_maker *m, struct fs_span span) {
  if (!m->ways->outermost) return arrive(m, span, m->ways->exit, &m->ways->exits);
  if (m->leaves.len == MOST_EXITS) return refuse(m, span, "ends a `while` in too many places");
  struct leaving *l = FS_PUSH(&m->leaves);
  l->at_once = !m->begun;
  types_now(m, l->now);
  m->ways->exits = true;
  return true;
}

static bool statements(struct fs_lift_maker *m, const struct fs_stmt *list, bool *ends) {
  struct fs_lane a;
  for (const struct fs_stmt *s = list; s && !*ends; s = s->next) {
    switch (s->kind) {
      case FS_ST_BREAK:
        *ends = true;
        if (!arrive_behind(m, s->span) || !leave(m, m->exit)) return false;
        break;
      case FS_ST_CONTINUE:
        *ends = true;
        if (!arrive(m, s->span, m->ways->next, &m->ways->goes_on)) return false;
        if (!leave(m, m->next)) return false;
        break;
      case FS_ST_IF:
        if (!branches(m, s, ends)) return false;
        break;
      case FS_ST_FOR:
      case FS_ST_WHILE:
        if (!while_loop(m, s)) return false;
        break;
      default: {
        int v = fs_lift_set(&m->sets, s->targets[0].name);
        m->t->in->span = m->t->in->stmt = s->span;
        if (!fs_lane_of(m->t, s->expr, &a) || a.kind >= FS_LANE_EITHER)
          return refuse(m, s->span, "might have another type or other bits for all rounds at once");
        if (!set_variable(m, v, &a) || !set_flag(m, v)) return false;
        bind_names(m);
      }
    }
  }
  return true;
}

/* -- rounds of a `for` ---------------------------------------------------------------- */

/* An end of its range, as a register of its own. */
static int end_of_range(struct fs_lift_maker *m, const struct fs_expr *e, double step, bool first,
                        struct fs_lane *a) {
  struct fs_lift_tracer *t = m->t;
  struct fs_region_register own = {FS_RR_VARIABLE, FS_F64, {0}};
  t->in->span = t->in->stmt = e->span;
  if (!fs_lane_of(t, e, a) || a->kind > FS_LANE_TENSOR || a->loose) {
    refuse(m, e->span, "is no number that a `for` may count by");
    return -1;
  }
  struct fs_tv tv = fs_lane_tv(t, a);
  struct type type = type_of(a);
  bool whole = type.number && type.kind == FS_SC_INT && !type.unsure;
  whole |= !fs_dtype_is_float(tv.dtype);
  tv = fs_tv_cast(t->in, tv, FS_F64);
  if (!whole && !first) /* as fs_range_count() */
    tv = fs_tv_map2(t->in, FS_OP_ADD, tv, fs_tv_number(t->in, 1e-10 * step, FS_F64));
  if (!whole && first) {
    struct fs_tv cut = fs_tv_map1(t->in, FS_OP_FLOOR, tv);
    look(t, fs_tv_map2(t->in, FS_OP_NE, cut, tv));
  }
  int reg = compute_tv(m, tv), to = add_register(m, own);
  if (reg < 0 || !put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY, .n_src = 1,
                                                 .to = to, .src = {reg}}))
    return -1;
  return to;
}

/* Between what its counter is, where both ends are known. */
static struct fs_lane counter_of(struct fs_lift_maker *m, const struct counting *c,
                                 const struct fs_lane *from, const struct fs_lane *to) {
  struct type whole = {.set = true, .number = true, .kind = FS_SC_INT, .dtype = FS_F64};
  widen(&whole);
  struct fs_lane out = lane_of(m, c->place, &whole);
  const struct fs_lane *low = c->step > 0 ? from : to, *high = c->step > 0 ? to : from;
  if (low->kind == FS_LANE_NUMBER) out.least = low->number.number;
  if (low->kind == FS_LANE_COUNT) out.least = fmax(out.least, low->least);
  if (high->kind == FS_LANE_NUMBER) out.most = high->number.number;
  if (high->kind == FS_LANE_COUNT) out.most = fmin(out.most, high->most);
  return out;
}

static bool begin_counting(struct fs_lift_maker *m, const struct fs_stmt *s, struct counting *c,
                           struct fs_lane *counter) {
  const struct fs_expr *e = s->expr;
  struct fs_lane from, to;
  struct fs_scalar step = {.x = 1};
  if (e->n_args == 3 && (!fs_lift_number(m->t->n, e->args[1], 0, &step) || step.x == 0 ||
                         step.x != floor(step.x) || fabs(step.x) > FS_LIFT_MOST))
    return refuse(m, e->span, "has a step that is no whole number");
  c->step = step.x;
  c->place = end_of_range(m, e->args[0], c->step, true, &from);
  c->stop = c->place < 0 ? -1 : end_of_range(m, e->args[e->n_args - 1], c->step, false, &to);
  if (c->stop < 0) return false;
  bool known = from.kind == FS_LANE_NUMBER && to.kind == FS_LANE_NUMBER;
  c->surely = known && (c->step > 0 ? from.number.number <= to.number.number
                                    : from.number.number >= to.number.number);
  *counter = counter_of(m, c, &from, &to);
  return true;
}

/* Whether there is another round. */
static int counts_on(struct fs_lift_maker *m, const struct counting *c) {
  struct fs_tv at = input_of(m, c->place), stop = input_of(m, c->stop);
  return compute_tv(m, fs_tv_map2(m->t->in, c->step > 0 ? FS_OP_LE : FS_OP_GE, at, stop));
}

static bool count_on(struct fs_lift_maker *m, const struct counting *c) {
  int step = constant(m, FS_F64, fs_number_of_real(c->step));
  return put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_ADD, .n_src = 2,
                                        .to = c->place, .src = {c->place, step}});
}

/* Whoever has no further round goes on behind the loop. */
static bool leave_counted(struct fs_lift_maker *m, const struct fs_stmt *s,
                          const struct counting *c) {
  int reg = counts_on(m, c);
  return reg >= 0 && unless(m, reg, m->exit) && arrive_behind(m, s->expr->span);
}

/* Condition and body; the way into the next round. The range of a `for` that has a first round is
 * looked at behind each. */
static bool one_round(struct fs_lift_maker *m, const struct fs_stmt *s, const struct counting *c,
                      const struct fs_lane *counter) {
  int reg = -1;
  bool known = true, ends = false;
  if (c && !c->surely && !leave_counted(m, s, c)) return false;
  if (!c && !condition(m, s->expr, &reg, &known)) return false;
  if (reg >= 0 && !unless(m, reg, m->exit)) return false;
  if ((reg >= 0 || !known) && !arrive_behind(m, s->expr->span)) return false;
  m->begun = true;
  if (reg < 0 && !known) return leave(m, m->exit);
  m->next = m->level;
  if (!open_block(m, FS_RG_BLOCK)) return false;
  if (c) {
    int v = fs_lift_set(&m->sets, s->targets[0].name);
    if (!set_variable(m, v, counter) || !set_flag(m, v)) return false;
    bind_names(m);
  }
  if (!statements(m, s->body, &ends)) return false;
  if (!ends && !arrive(m, s->expr->span, m->ways->next, &m->ways->goes_on)) return false;
  if (!close_block(m) || (c && !count_on(m, c))) return false;
  if (!c || !c->surely || !m->ways->goes_on) return true;
  set_types(m, m->ways->next);
  return leave_counted(m, s, c);
}

/* Rounds in front of the loop, as long as a round changes types; then the loop. */
static bool rounds(struct fs_lift_maker *m, const struct fs_stmt *s, const struct counting *c,
                   const struct fs_lane *counter) {
  struct type before[FS_LIFT_SETS];
  struct ways *w = m->ways, kept;
  for (int peeled = 0; peeled <= MOST_PEELED; peeled++) {
    int steps = m->steps.len, leaves = m->leaves.len;
    types_now(m, before);
    kept = *w;
    w->goes_on = false;
    m->begun &= peeled || !w->outermost;
    for (int v = 0; v < m->sets.n; v++) widen(&m->variables[v].now);
    bind_names(m);
    if (!open_block(m, FS_RG_LOOP) || !one_round(m, s, c, counter)) return false;
    if (!w->goes_on) return leave(m, m->exit) && close_block(m);
    bool same = true; /* a name that had no value is set anew before it is read */
    for (int v = 0; v < m->sets.n; v++)
      same &= !before[v].set || same_type(&before[v], &w->next[v]);
    if (same) {
      set_types(m, w->next); /* so it is left after later rounds */
      return arrive_behind(m, s->expr->span) && close_block(m);
    }
    m->leaves.len = leaves;
    m->steps.len = steps; /* once more, as a round of its own */
    m->level--;
    *w = kept;
    m->begun &= peeled || !w->outermost;
    set_types(m, before);
    w->goes_on = false;
    if (!one_round(m, s, c, counter)) return false;
    set_types(m, w->next);
  }
  return refuse(m, s->expr->span, "is of a `while` in which types change");
}

static bool while_loop(struct fs_lift_maker *m, const struct fs_stmt *s) {
  struct ways *around = m->ways, w = {.outermost = !around};
  int exit = m->exit, next = m->next;
  struct counting c;
  struct fs_lane counter;
  bool counts = s->kind == FS_ST_FOR;
  m->ways = &w;
  m->exit = m->level;
  bool made = open_block(m, FS_RG_BLOCK) && (!counts || begin_counting(m, s, &c, &counter)) &&
              rounds(m, s, counts ? &c : NULL, &counter) && close_block(m);
  if (made && !w.exits) made = refuse(m, s->expr->span, "is of a `while` without end");
  if (made && around) set_types(m, w.exit);
  m->exit = exit;
  m->next = next;
  m->ways = around;
  return made;
}

/* -- the region -------------------------------------------------------------------------- */

/* What each name is behind the `while`, and which have to say whether they were given a value;
 * *again: that is news. */
static bool find_last(struct fs_lift_maker *m, bool *again) {
  for (int v = 0; v < m->sets.n; v++) {
    struct variable *x = &m->variables[v];
    bool flag = false;
    x->at_once = false;
    for (int k = m->leaves.len - 1; k >= 0 && !x->last.set; k--)
      if (m->leaves.data[k].now[v].given) {
        x->last = m->leaves.data[k].now[v];
        x->last.set |= x->last.perhaps;
      }
    if (!x->last.set || x->last.unsure)
      return refuse(m, m->s->expr->span, "is of a `while` that gives a name more than one type");
    for (int k = 0; k < m->leaves.len; k++) {
      const struct type *now = &m->leaves.data[k].now[v];
      bool other = !now->set || !same_type(now, &x->last);
      if (other && now->set && now->given)
        return refuse(m, m->s->expr->span, "is of a `while` that gives a name more than one type");
      if (m->leaves.data[k].at_once) x->at_once = other;
      else flag |= other;
    }
    flag |= x->at_once && m->begins.kind == FS_LANE_NONE;
    *again |= flag && !x->wants_flag;
    x->wants_flag |= flag;
  }
  return true;
}

/* The names get what they are before the first round, and the steps are made. `when`: the operand
 * that says whether it is to run, or -1. */
static bool make_steps(struct fs_lift_maker *m, int when) {
  m->steps.len = m->leaves.len = m->homes.len = 0;
  m->wrong = -1;
  m->registers.len = m->inputs.len = m->n_operands;
  m->level = 0;
  m->ways = NULL;
  for (int v = 0; v < m->sets.n; v++) {
    struct variable *x = &m->variables[v];
    x->now = x->last = (struct type){.set = false};
    x->flag = -1;
    if (!m->sets.needed[v]) continue;
    if (!set_variable(m, v, &x->before)) return false;
    x->now.given = false;
  }
  bind_names(m);
  if (when < 0) return while_loop(m, m->s);
  return open_block(m, FS_RG_BLOCK) && unless(m, when, 0) && while_loop(m, m->s) && close_block(m);
}

static struct fs_tv result(struct fs_lift_maker *m, int reg) {
  struct fs_lift_tracer *t = m->t;
  struct fs_region r = {.n_operands = m->n_operands, .n_registers = m->registers.len,
                        .n_steps = m->steps.len, .result = reg,
                        .registers = m->registers.data, .steps = m->steps.data};
  struct fs_user u = {.name = m->s->kind == FS_ST_FOR ? "for" : "while", .compute = m->registers.data[reg].dtype,
                      .n_args = m->n_operands, .threads = 1, .impl = 1, .unknown = true};
  u.hash = fs_region_hash(&r);
  u.flops = fs_region_flops(&r);
  u.result = (struct fs_user_element){.type = FS_UT_EACH, .name = "", .count = 1};
  u.result.compute = u.compute;
  for (int k = 0; k < u.n_args; k++) {
    u.arg[k] = u.result;
    u.arg[k].compute = m->operands[k].dtype;
    if (m->registers.data[k].kind == FS_RR_TABLE) u.arg[k].type = FS_UT_TABLE;
  }
  u.region = &r;
  const struct fs_user *kept = fs_elem_kept(t->in, &u);
  if (!kept) {
    u.region = fs_region_keep(t->in->elem_arena, &r);
    kept = fs_elem_keep(t->in, u);
  }
  struct fs_span spans[FS_USER_ARGS];
  struct fs_tv out = {0, u.compute, fs_shape_scalar()};
  fs_id ids[FS_USER_ARGS];
  for (int k = 0; k < u.n_args; k++) spans[k] = t->in->span;
  fs_tv_common(t->in, u.n_args, m->operands, spans, t->in->span, "", &out.shape);
  for (int k = 0; k < u.n_args; k++) ids[k] = fs_tv_spread(t->in, &m->operands[k], &out.shape);
  out.node = fs_graph_user(fs_block_graph(t->in), kept, NULL, ids, u.compute);
  return out;
}

/* Whole numbers are taken as those of an i32, or the host runs the rounds: nobody counts
 * farther, and then what is computed with them stays exact, and may be put into any array. */
static void look_at_count(struct fs_lift_maker *m, struct fs_tv tv) {
  struct fs_interp *in = m->t->in;
  struct fs_tv most = fs_tv_number(in, LARGEST_COUNT, FS_I64);
  fs_lift_look_late(m->t, fs_tv_map2(in, FS_OP_GT, fs_tv_map1(in, FS_OP_ABS, tv), most));
}

/* What a name is behind the `while`, in all rounds of the nest. */
static struct fs_lane value_of(struct fs_lift_maker *m, int v) {
  struct variable *x = &m->variables[v];
  struct fs_lane out = {.kind = FS_LANE_TENSOR}, flag = {.kind = FS_LANE_TENSOR};
  out.tv = result(m, home_of(m, v, &x->last));
  if (x->last.number) {
    struct fs_tv tv = x->last.kind == FS_SC_INT ? fs_tv_cast(m->t->in, out.tv, FS_I64) : out.tv;
    bool truth = x->last.kind == FS_SC_BOOL, whole = x->last.kind == FS_SC_INT;
    out.kind = FS_LANE_COUNT;
    out.tv = tv;
    out.last = (struct fs_scalar){.x = 1, .kind = x->last.kind};
    out.least = truth ? 0 : whole ? -LARGEST_COUNT : -INFINITY;
    out.most = truth ? 1 : -out.least;
    if (whole) look_at_count(m, tv);
    out.measured = true;
  }
  flag.tv = x->flag < 0 ? out.tv : result(m, x->flag);
  if (x->flag < 0) flag = x->at_once ? m->begins : (struct fs_lane){.number = fs_val_bool(true)};
  return fs_lane_join(m->t, &flag, &out, &x->before);
}

/* The rounds in which it runs: those in which its conditions hold, if no subscript is wrong. */
static bool when_it_runs(struct fs_lift_maker *m, int *operand) {
  struct fs_lift_tracer *t = m->t;
  struct fs_lane mask = fs_lift_mask(t, t->at, 0), in;
  *operand = -1;
  if (t->wrong.node) {
    struct fs_lane wrong = {.kind = FS_LANE_TENSOR, .tv = t->wrong};
    wrong.tv.shape = fs_shape_scalar();
    wrong = fs_lane_not(t, &wrong);
    mask = fs_lane_both(t, &mask, &wrong);
  }
  if (mask.kind == FS_LANE_NUMBER) return true;
  if (!bring_in(m, m->s->expr->span, &mask, &in)) return false;
  for (int k = 0; k < m->n_operands; k++)
    if (m->operands[k].node == mask.tv.node) *operand = k;
  return true;
}

/* Whether there is a first round, as far as that is known in front of it. */
static void find_first(struct fs_lift_maker *m) {
  const struct fs_expr *e = m->s->expr;
  struct fs_lane a, b, *is = &m->begins;
  struct fs_scalar step = {.x = 1};
  bool counts = m->s->kind == FS_ST_FOR, known = true;
  if (counts && e->n_args == 3) known = fs_lift_number(m->t->n, e->args[1], 0, &step);
  if (counts)
    known = known && fs_lane_of(m->t, e->args[0], &a) &&
            fs_lane_of(m->t, e->args[e->n_args - 1], &b) &&
            fs_lane_binary(m->t, step.x > 0 ? FS_AO_LE : FS_AO_GE, e->span, &a, &b, is);
  else
    known = fs_lane_of(m->t, e, is);
  if (!known || !fs_lane_truth(m->t, is, is)) is->kind = FS_LANE_NONE;
}

static bool make(struct fs_lift_maker *m) {
  struct fs_lift_tracer *t = m->t;
  struct fs_lift_no no = {.why = NULL};
  const struct fs_lift_visit visit = {bind, NULL, bind_table, m};
  struct fs_lane before[FS_LIFT_SETS], given;
  int first = t->at, when;
  bool again = true;
  if (!when_it_runs(m, &when)) return false;
  find_first(m);
  for (int v = 0; v < m->sets.n; v++) {
    struct variable *x = &m->variables[v];
    if (!fs_lift_before(t, first + v, &before[v])) return false;
    given = fs_lift_given(t, first, before[v]);
    if (m->sets.needed[v] && !bring_in(m, m->s->expr->span, &given, &x->before)) return false;
  }
  if (!fs_lift_while_visit(m->s, &m->sets, &visit, &no))
    return no.why ? refuse(m, no.span, no.why) : false;
  if (!m->n_operands) { /* a node has one */
    add_operand(m, fs_tv_number(t->in, 1, FS_BOOL));
    add_register(m, (struct fs_region_register){FS_RR_OPERAND, FS_BOOL, {0}});
  }
  bool made = true;
  while (made && again) {
    again = false;
    t->in->graph = m->inner;
    t->in_region = true;
    struct fs_lane extra = t->extra;
    t->extra = (struct fs_lane){.number = fs_val_bool(true)};
    made = make_steps(m, when) && !m->broken && find_last(m, &again);
    t->extra = extra;
    t->in_region = false;
    t->in->graph = m->outer;
  }
  if (made && m->registers.len > FS_REGION_REGISTERS)
    made = refuse(m, m->s->expr->span, "is of a long `while`");
  t->in->span = t->in->stmt = m->s->expr->span;
  if (made && m->wrong >= 0) fs_lift_look(t, result(m, m->wrong));
  for (int v = 0; v < m->sets.n && made; v++) {
    m->variables[v].before = before[v];
    t->lanes[first + v] = value_of(m, v);
    t->at = first + v;
    t->lanes[first + v] = fs_lift_under(t, first + v, t->n->items.data[first].depth,
                                        t->lanes[first + v], before[v]);
  }
  t->at = first;
  return made;
}

bool fs_lift_region(struct fs_lift_tracer *t) {
  struct fs_lift_maker m = {.t = t, .s = t->n->items.data[t->at].s};
  struct fs_lift_no no = {.why = NULL};
  if (!fs_lift_sets(m.s, &m.sets, &no)) return false;
  m.outer = fs_block_graph(t->in);
  m.inner = fs_graph_new();
  t->region = &m;
  t->region_read = read_table;
  t->region_look = look;
  bool made = make(&m);
  t->bound.len = 0;
  t->region = NULL;
  fs_graph_free(m.inner);
  FS_VEC_FREE(&m.homes);
  FS_VEC_FREE(&m.registers);
  FS_VEC_FREE(&m.inputs);
  FS_VEC_FREE(&m.steps);
  FS_VEC_FREE(&m.leaves);
  FS_VEC_FREE(&m.tables);
  return made;
}
