/* lift_region.c - a `while` of a nest as a region: see core/graph/region.h.
 *
 * What it reads from outside are operands: lanes of the block's graph. Its statements are traced
 * with variables in place of the names that it sets, each into a graph of its own, of scalars,
 * from which the steps are taken; so types are what they are elsewhere. Where a name has
 * another type after a round than before it (z = 0; while ...; z = z*z + x[i]), that round
 * stands in front of the loop, until all have the type that they had. */
#include <math.h>

#include "core/eval/elem.h"
#include "core/eval/lift_lane.h"

enum { MOST_PEELED = 3, MOST_EXITS = 64 };
static const double LARGEST_INT = 0x1p53, LARGEST_COUNT = 0x7fffffff;

/* What a name is: a number of the host, of a kind, or a scalar tensor. */
struct type {
  bool set;                  /* it has a value on every way that comes here */
  bool given;                /* ... which the `while` gave it on one of them */
  bool number, unsure;       /* unsure: a whole number that may have grown beyond 2^53 */
  enum fs_scalar_kind kind;
  enum fs_dtype dtype;       /* of its register */
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

struct maker {
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
  struct fs_tv operands[FS_USER_ARGS];
  int n_operands;
  int level;                 /* blocks around */
  int exit, next;            /* of the innermost `while` */
  struct ways *ways;         /* ... and what comes there */
  bool begun;                /* a condition of the outermost was looked at */
  struct fs_lane begins;     /* in the outer graph: whether there is a first round */
};

static bool refuse(struct maker *m, struct fs_span span, const char *why) {
  return fs_lift_refuse(m->t->n, span, why);
}

/* -- steps ---------------------------------------------------------------------------- */

static bool put(struct maker *m, struct fs_region_step s) {
  if (m->steps.len == FS_REGION_STEPS) return refuse(m, m->s->expr->span, "is of a long `while`");
  *FS_PUSH(&m->steps) = s;
  return true;
}

static int add_register(struct maker *m, struct fs_region_register r) {
  *FS_PUSH(&m->registers) = r;
  *FS_PUSH(&m->inputs) = 0;
  return m->registers.len - 1;
}

static bool open_block(struct maker *m, enum fs_region_code code) {
  if (m->level == FS_REGION_BLOCKS - 1) return refuse(m, m->s->expr->span, "is of a deep `while`");
  m->level++;
  return put(m, (struct fs_region_step){.code = code});
}

static bool close_block(struct maker *m) {
  m->level--;
  return put(m, (struct fs_region_step){.code = FS_RG_END});
}

static bool leave(struct maker *m, int depth) {
  return put(m, (struct fs_region_step){.code = FS_RG_LEAVE, .depth = depth});
}

static bool unless(struct maker *m, int reg, int depth) {
  return put(m, (struct fs_region_step){.code = FS_RG_UNLESS, .n_src = 1, .src = {reg},
                                        .depth = depth});
}

static int constant(struct maker *m, enum fs_dtype dt, struct fs_number number) {
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

static int temporary(struct maker *m, struct held *h, enum fs_dtype dt) {
  for (; h->first < m->registers.len; h->first++) {
    const struct fs_region_register *r = &m->registers.data[h->first];
    if (r->kind == FS_RR_TEMPORARY && r->dtype == dt) return h->first++;
  }
  int reg = add_register(m, (struct fs_region_register){FS_RR_TEMPORARY, dt, {0}});
  h->first = m->registers.len;
  return reg;
}

/* The register of a node, and the steps that compute it; -1: that cannot be. */
static int compute(struct maker *m, struct held *h, fs_id id) {
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

static int compute_tv(struct maker *m, struct fs_tv tv) {
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
static struct fs_tv input_of(struct maker *m, int reg) {
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

static struct fs_lane lane_of(struct maker *m, int reg, const struct type *type) {
  struct fs_lane out = {.kind = type->number ? FS_LANE_COUNT : FS_LANE_TENSOR};
  out.tv = input_of(m, reg);
  if (!type->number) return out;
  bool whole = type->kind == FS_SC_INT && !type->unsure;
  out.last = (struct fs_scalar){.x = 1, .kind = type->kind};
  out.measured = true;
  out.least = whole ? -LARGEST_INT : -INFINITY;
  out.most = whole ? LARGEST_INT : INFINITY;
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

static int add_operand(struct maker *m, struct fs_tv tv) {
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
static bool bring_in(struct maker *m, struct fs_span span, const struct fs_lane *given,
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

static bool bind(void *user, const struct fs_expr *e) {
  struct maker *m = user;
  struct fs_lane a, in;
  m->t->in->span = e->span;
  if (!fs_lane_of(m->t, e, &a))
    return refuse(m, e->span, "might have another type or other bits for all rounds at once");
  if (!bring_in(m, e->span, &a, &in)) return false;
  *FS_PUSH(&m->t->bound) = (struct fs_lane_bound){.e = e, .lane = in};
  return true;
}

/* -- variables --------------------------------------------------------------------------------- */

static int home_of(struct maker *m, int variable, const struct type *type) {
  for (int k = 0; k < m->homes.len; k++)
    if (m->homes.data[k].variable == variable && same_type(&m->homes.data[k].type, type))
      return m->homes.data[k].reg;
  int reg = add_register(m, (struct fs_region_register){FS_RR_VARIABLE, type->dtype, {0}});
  *FS_PUSH(&m->homes) = (struct home){variable, reg, *type};
  return reg;
}

/* What the names are from here on. */
static void bind_names(struct maker *m) {
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

static bool set_flag(struct maker *m, int v) {
  struct variable *x = &m->variables[v];
  if (!x->wants_flag) return true;
  struct fs_region_register flag = {FS_RR_VARIABLE, FS_BOOL, {0}};
  if (x->flag < 0) x->flag = add_register(m, flag);
  int yes = constant(m, FS_BOOL, (struct fs_number){.f = 1, .i = 1});
  return put(m, (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY, .n_src = 1,
                                        .to = x->flag, .src = {yes}});
}

/* A variable gets the value of a lane of the inner graph. */
static bool set_variable(struct maker *m, int v, const struct fs_lane *a) {
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

static void types_now(const struct maker *m, struct type *out) {
  for (int v = 0; v < m->sets.n; v++) out[v] = m->variables[v].now;
}

static void set_types(struct maker *m, const struct type *types) {
  for (int v = 0; v < m->sets.n; v++) m->variables[v].now = types[v];
  bind_names(m);
}

/* -- statements -------------------------------------------------------------------- */

/* Where several ways meet: a name that has one type on one of them and none on another has
 * none. */
static bool meet(struct maker *m, struct fs_span span, struct type *at, const struct type *now) {
  for (int v = 0; v < m->sets.n; v++) {
    at[v].given |= now[v].given;
    if (!at[v].set || !now[v].set) at[v].set = false;
    else if (!same_type(&at[v], &now[v]))
      return refuse(m, span, "gives a name another type than elsewhere");
  }
  return true;
}

/* As a register of a truth value; -1: it is the number *known. */
static bool condition(struct maker *m, const struct fs_expr *e, int *reg, bool *known) {
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

static bool statements(struct maker *m, const struct fs_stmt *list, bool *ends);

static bool branches(struct maker *m, const struct fs_stmt *s, bool *ends) {
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

static bool while_loop(struct maker *m, const struct fs_stmt *s);

/* A way comes to where the next round begins, or behind an inner loop. */
static bool arrive(struct maker *m, struct fs_span span, struct type *at, bool *came) {
  struct type now[FS_LIFT_SETS];
  types_now(m, now);
  if (*came) return meet(m, span, at, now);
  memcpy(at, now, sizeof now);
  *came = true;
  return true;
}

/* A way comes behind a loop; behind the outermost one names may differ in type. */
static bool arrive_behind(struct maker *m, struct fs_span span) {
  if (!m->ways->outermost) return arrive(m, span, m->ways->exit, &m->ways->exits);
  if (m->leaves.len == MOST_EXITS) return refuse(m, span, "ends a `while` in too many places");
  struct leaving *l = FS_PUSH(&m->leaves);
  l->at_once = !m->begun;
  types_now(m, l->now);
  m->ways->exits = true;
  return true;
}

static bool statements(struct maker *m, const struct fs_stmt *list, bool *ends) {
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

/* Condition and body; the way into the next round. */
static bool one_round(struct maker *m, const struct fs_stmt *s) {
  int reg;
  bool known, ends = false;
  if (!condition(m, s->expr, &reg, &known)) return false;
  if (reg >= 0 && !unless(m, reg, m->exit)) return false;
  if ((reg >= 0 || !known) && !arrive_behind(m, s->expr->span)) return false;
  m->begun = true;
  if (reg < 0 && !known) return leave(m, m->exit);
  m->next = m->level;
  if (!open_block(m, FS_RG_BLOCK) || !statements(m, s->body, &ends)) return false;
  if (!ends && !arrive(m, s->expr->span, m->ways->next, &m->ways->goes_on)) return false;
  return close_block(m);
}

/* Rounds in front of the loop, as long as a round changes types; then the loop. */
static bool rounds(struct maker *m, const struct fs_stmt *s) {
  struct type before[FS_LIFT_SETS];
  struct ways *w = m->ways, kept;
  for (int peeled = 0; peeled <= MOST_PEELED; peeled++) {
    int steps = m->steps.len, leaves = m->leaves.len;
    types_now(m, before);
    kept = *w;
    w->goes_on = false;
    m->begun &= peeled || !w->outermost;
    if (!open_block(m, FS_RG_LOOP) || !one_round(m, s)) return false;
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
    if (!one_round(m, s)) return false;
    set_types(m, w->next);
  }
  return refuse(m, s->expr->span, "is of a `while` in which types change");
}

static bool while_loop(struct maker *m, const struct fs_stmt *s) {
  struct ways *around = m->ways, w = {.outermost = !around};
  int exit = m->exit, next = m->next;
  m->ways = &w;
  m->exit = m->level;
  bool made = open_block(m, FS_RG_BLOCK) && rounds(m, s) && close_block(m);
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
static bool find_last(struct maker *m, bool *again) {
  for (int v = 0; v < m->sets.n; v++) {
    struct variable *x = &m->variables[v];
    bool flag = false;
    x->at_once = false;
    for (int k = m->leaves.len - 1; k >= 0 && !x->last.set; k--)
      if (m->leaves.data[k].now[v].given) x->last = m->leaves.data[k].now[v];
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
static bool make_steps(struct maker *m, int when) {
  m->steps.len = m->leaves.len = m->homes.len = 0;
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

static struct fs_tv result(struct maker *m, int reg) {
  struct fs_lift_tracer *t = m->t;
  struct fs_region r = {.n_operands = m->n_operands, .n_registers = m->registers.len,
                        .n_steps = m->steps.len, .result = reg,
                        .registers = m->registers.data, .steps = m->steps.data};
  struct fs_user u = {.name = "while", .compute = m->registers.data[reg].dtype,
                      .n_args = m->n_operands, .threads = 1, .impl = 1, .unknown = true};
  u.hash = fs_region_hash(&r);
  u.flops = fs_region_flops(&r);
  u.result = (struct fs_user_element){.type = FS_UT_EACH, .name = "", .count = 1};
  u.result.compute = u.compute;
  for (int k = 0; k < u.n_args; k++) {
    u.arg[k] = u.result;
    u.arg[k].compute = m->operands[k].dtype;
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
static void look_at_count(struct maker *m, struct fs_tv tv) {
  struct fs_interp *in = m->t->in;
  struct fs_tv most = fs_tv_number(in, LARGEST_COUNT, FS_I64);
  fs_lift_look_late(m->t, fs_tv_map2(in, FS_OP_GT, fs_tv_map1(in, FS_OP_ABS, tv), most));
}

/* What a name is behind the `while`, in all rounds of the nest. */
static struct fs_lane value_of(struct maker *m, int v) {
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
static bool when_it_runs(struct maker *m, int *operand) {
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

static bool make(struct maker *m) {
  struct fs_lift_tracer *t = m->t;
  struct fs_lift_no no = {.why = NULL};
  const struct fs_lift_visit visit = {bind, NULL, m};
  struct fs_lane before[FS_LIFT_SETS], given;
  int first = t->at, when;
  bool again = true;
  if (!when_it_runs(m, &when)) return false;
  if (!fs_lane_of(t, m->s->expr, &m->begins) || !fs_lane_truth(t, &m->begins, &m->begins))
    m->begins.kind = FS_LANE_NONE;
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
    made = make_steps(m, when) && find_last(m, &again);
    t->in_region = false;
    t->in->graph = m->outer;
  }
  if (made && m->registers.len > FS_REGION_REGISTERS)
    made = refuse(m, m->s->expr->span, "is of a long `while`");
  t->in->span = t->in->stmt = m->s->expr->span;
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
  struct maker m = {.t = t, .s = t->n->items.data[t->at].s};
  struct fs_lift_no no = {.why = NULL};
  if (!fs_lift_sets(m.s, &m.sets, &no)) return false;
  m.outer = fs_block_graph(t->in);
  m.inner = fs_graph_new();
  bool made = make(&m);
  t->bound.len = 0;
  fs_graph_free(m.inner);
  FS_VEC_FREE(&m.homes);
  FS_VEC_FREE(&m.registers);
  FS_VEC_FREE(&m.inputs);
  FS_VEC_FREE(&m.steps);
  FS_VEC_FREE(&m.leaves);
  return made;
}
