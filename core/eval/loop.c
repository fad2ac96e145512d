/* loop.c - loops that compute with numbers on the host and nothing else:
 *
 *     s = 0;
 *     for k = 1:1000000
 *       if mod(k, 3) == 0; s = s + k; end
 *     end
 *
 * The statements of such a loop become a list of instructions on registers, one for each
 * variable, constant and result in between. Before a round is to begin the registers get
 * what the variables are; when the loop is over, or stopped between two rounds, the variables
 * get what the registers are. Numbers and truth values give numbers and truth values, so
 * nothing has to be looked at in between. What else a variable may be, a function that
 * somebody has replaced, a display or an array sends the loop the ordinary way, of which
 * nothing differs but the time: arithmetic is that of scalar.h. */
#include <math.h>

#include "core/eval/interp.h"
#include "core/eval/scalar.h"

enum { MOST_NAMES = 64, MOST_INSTRUCTIONS = 4096, LONGEST_CHAIN = 256 };

enum code {
  BINARY,  /* to = a op b */
  UNARY,   /* to = op a */
  MAP,     /* to = op(src[0], ...) */
  COPY,    /* to = a */
  DECIDE,  /* a is false in a && b, true in a || b: then to = a, and on with jump */
  JUMP, UNLESS, /* a */
  ROUND,   /* jump: the next round of a loop */
  RANGE,   /* the range src[0]:src[1]:src[2] at `to` */
  NEXT,    /* a = the next value of the range at `to`; jump: there is none */
  STOP
};

/* What a range takes of the registers. */
enum { AT_START, AT_STEP, AT_COUNT, AT_ROUND, RANGE_REGISTERS };

struct instruction {
  enum code code;
  int op, to, jump, src[3];
  const struct fs_expr *range; /* RANGE: as it is written */
};

struct variable {
  const char *name;
  int at;                    /* its register */
  bool needed;               /* a round may read what it was before */
  bool assigned;
};

/* In the arena of its statement. */
struct fs_loop {
  bool refused, shows;
  int n_code, n_variables, n_functions, n_registers;
  int body, range;           /* of `for`: where a round begins, where its range is */
  struct instruction *code;
  struct variable *variables;
  const char **functions;    /* built-in ones that it calls */
  struct fs_scalar *registers;
};

/* -- statements to instructions ---------------------------------------------- */

struct writer {
  const struct fs_interp *in;
  bool refused, shows;
  FS_VEC(struct instruction) code;
  FS_VEC(struct variable) variables;
  FS_VEC(const char *) functions;
  FS_VEC(struct fs_scalar) registers;
  uint64_t known;            /* variables that have been assigned on every way here */
  int round;                 /* where `continue` goes */
  int breaks;                /* the last instruction that is to jump behind the loop; -1: none */
};

static int refuse(struct writer *w) {
  w->refused = true;
  return 0;
}

static int new_register(struct writer *w) {
  *FS_PUSH(&w->registers) = (struct fs_scalar){0};
  return w->registers.len - 1;
}

static int put(struct writer *w, struct instruction i) {
  if (w->code.len == MOST_INSTRUCTIONS) return refuse(w);
  *FS_PUSH(&w->code) = i;
  return w->code.len - 1;
}

static void land(struct writer *w, int instruction) {
  if (!w->refused) w->code.data[instruction].jump = w->code.len;
}

static int variable(struct writer *w, const char *name) {
  for (int k = 0; k < w->variables.len; k++)
    if (!strcmp(w->variables.data[k].name, name)) return k;
  if (w->variables.len == MOST_NAMES) return refuse(w);
  int at = new_register(w);
  *FS_PUSH(&w->variables) = (struct variable){.name = name, .at = at};
  return w->variables.len - 1;
}

static int read_variable(struct writer *w, const char *name) {
  int k = variable(w, name);
  if (w->refused) return 0;
  if (!(w->known >> k & 1)) w->variables.data[k].needed = true;
  return w->variables.data[k].at;
}

static int assigned_variable(struct writer *w, const char *name) {
  int k = variable(w, name);
  if (w->refused) return 0;
  w->variables.data[k].assigned = true;
  return w->variables.data[k].at;
}

static void now_known(struct writer *w, const char *name) {
  int k = variable(w, name);
  w->known |= (uint64_t)1 << k;
}

static int constant(struct writer *w, const struct fs_expr *e) {
  struct fs_val v = e->kind == FS_EX_BOOL ? fs_val_bool(e->number != 0)
                                          : fs_val_number(e->number, e->is_int);
  int at = new_register(w);
  w->registers.data[at] = fs_scalar_of(&v);
  return at;
}

/* Each writes what computes an expression and gives the register that has it: `to`, or with
 * to < 0 any. */
static int expression(struct writer *w, const struct fs_expr *e, int to);

static int target(struct writer *w, int to) { return to < 0 ? new_register(w) : to; }

static int operation(struct writer *w, const struct fs_expr *e, int left, int to) {
  bool decides = e->op == FS_AO_AND || e->op == FS_AO_OR;
  int at = target(w, to), decide = 0;
  if (decides)
    decide = put(w, (struct instruction){DECIDE, e->op, at, .src = {left}});
  int right = expression(w, e->args[1], -1);
  put(w, (struct instruction){BINARY, e->op, at, .src = {left, right}});
  if (decides) land(w, decide);
  return at;
}

/* a op b op c: from the innermost operator outwards. */
static int chain(struct writer *w, const struct fs_expr *e, int to) {
  const struct fs_expr *spine[LONGEST_CHAIN];
  int n = 0;
  for (; e->kind == FS_EX_BINARY; e = e->args[0]) {
    if (n == LONGEST_CHAIN) return refuse(w);
    spine[n++] = e;
  }
  int at = expression(w, e, -1);
  while (n--) at = operation(w, spine[n], at, n ? -1 : to);
  return at;
}

static void add_function(struct writer *w, const char *name) {
  for (int k = 0; k < w->functions.len; k++)
    if (!strcmp(w->functions.data[k], name)) return;
  *FS_PUSH(&w->functions) = name;
}

static int call(struct writer *w, const struct fs_expr *e, int to) {
  const struct fs_expr *f = e->args[0];
  const struct fs_builtin *b = f->kind == FS_EX_NAME ? fs_builtin_find(w->in, f->text) : NULL;
  struct instruction i = {.code = MAP};
  if (!b || !(b->traits & FS_BT_MAP) || e->n_args - 1 != b->max_args) return refuse(w);
  add_function(w, f->text);
  for (int k = 1; k < e->n_args; k++) i.src[k - 1] = expression(w, e->args[k], -1);
  i.op = b->data;
  i.to = target(w, to);
  put(w, i);
  return i.to;
}

static int copied(struct writer *w, int from, int to) {
  if (to < 0) return from;
  put(w, (struct instruction){COPY, .to = to, .src = {from}});
  return to;
}

static int expression(struct writer *w, const struct fs_expr *e, int to) {
  if (w->refused) return 0;
  switch (e->kind) {
    case FS_EX_NUMBER:
    case FS_EX_BOOL: return copied(w, constant(w, e), to);
    case FS_EX_NAME: return copied(w, read_variable(w, e->text), to);
    case FS_EX_UNARY: {
      int a = expression(w, e->args[0], -1), at = target(w, to);
      put(w, (struct instruction){UNARY, e->op, at, .src = {a}});
      return at;
    }
    case FS_EX_BINARY: return chain(w, e, to);
    case FS_EX_CALL: return call(w, e, to);
    default: return refuse(w);
  }
}

static void statements(struct writer *w, const struct fs_stmt *list);

static void assignment(struct writer *w, const struct fs_stmt *s) {
  if (s->n_targets != 1) refuse(w);
  if (w->refused) return;
  const char *name = s->targets[0].name;
  bool blank = name[0] == '_' && !name[1];
  w->shows |= !s->silent;
  expression(w, s->expr, blank ? -1 : assigned_variable(w, name));
  if (!blank && !w->refused) now_known(w, name);
}

static void branch(struct writer *w, const struct fs_stmt *s) {
  int truth = expression(w, s->expr, -1);
  int unless = put(w, (struct instruction){UNLESS, .src = {truth}});
  uint64_t before = w->known;
  statements(w, s->body);
  uint64_t after = w->known;
  int over = put(w, (struct instruction){JUMP});
  land(w, unless);
  w->known = before;
  statements(w, s->orelse);
  w->known &= after;
  land(w, over);
}

/* The body, the way back, and where those go that leave the loop. Its rounds may be none. */
static void rounds(struct writer *w, const struct fs_stmt *s, int begin, int leave) {
  int round = w->round, breaks = w->breaks;
  w->round = begin;
  w->breaks = -1;
  statements(w, s->body);
  put(w, (struct instruction){ROUND, .jump = begin});
  land(w, leave);
  for (int k = w->breaks, next; k >= 0 && !w->refused; k = next) {
    next = w->code.data[k].jump;
    land(w, k);
  }
  w->round = round;
  w->breaks = breaks;
}

static void while_loop(struct writer *w, const struct fs_stmt *s) {
  int begin = w->code.len, truth = expression(w, s->expr, -1);
  uint64_t before = w->known;
  rounds(w, s, begin, put(w, (struct instruction){UNLESS, .src = {truth}}));
  w->known = before;
}

static int new_range(struct writer *w) {
  int at = new_register(w);
  while (w->registers.len < at + RANGE_REGISTERS) new_register(w);
  return at;
}

/* From where the range is in its registers. */
static int for_rounds(struct writer *w, const struct fs_stmt *s, int range) {
  uint64_t before = w->known;
  int begin = w->code.len, at = assigned_variable(w, s->targets[0].name);
  int next = put(w, (struct instruction){NEXT, .to = range, .src = {at}});
  if (w->refused) return 0;
  now_known(w, s->targets[0].name);
  rounds(w, s, begin, next);
  w->known = before;
  return begin;
}

static void for_loop(struct writer *w, const struct fs_stmt *s) {
  const struct fs_expr *e = s->expr;
  if (e->kind != FS_EX_RANGE) refuse(w);
  if (w->refused) return;
  struct instruction i = {.code = RANGE, .range = e};
  i.src[0] = expression(w, e->args[0], -1);
  i.src[1] = e->n_args == 3 ? expression(w, e->args[1], -1) : -1;
  i.src[2] = expression(w, e->args[e->n_args - 1], -1);
  i.to = new_range(w);
  put(w, i);
  for_rounds(w, s, i.to);
}

static void leave(struct writer *w, bool on) {
  int k = put(w, (struct instruction){on ? ROUND : JUMP, .jump = on ? w->round : w->breaks});
  if (!on) w->breaks = k;
  w->known = UINT64_MAX; /* nothing comes from here */
}

static void statements(struct writer *w, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s && !w->refused; s = s->next) {
    switch (s->kind) {
      case FS_ST_ASSIGN: assignment(w, s); break;
      case FS_ST_IF: branch(w, s); break;
      case FS_ST_WHILE: while_loop(w, s); break;
      case FS_ST_FOR: for_loop(w, s); break;
      case FS_ST_BREAK: leave(w, false); break;
      case FS_ST_CONTINUE: leave(w, true); break;
      default: refuse(w);
    }
  }
}

/* A variable that has the name of a function is not to be told from it here. */
static void refuse_confusion(struct writer *w) {
  for (int k = 0; k < w->functions.len; k++)
    for (int i = 0; i < w->variables.len; i++)
      if (!strcmp(w->functions.data[k], w->variables.data[i].name)) refuse(w);
}

static void *kept(struct fs_arena *arena, const void *data, int n, size_t size) {
  void *copy = fs_arena_alloc(arena, (size_t)n * size + 1);
  if (n) memcpy(copy, data, (size_t)n * size);
  return copy;
}

static struct fs_loop *write_loop(const struct fs_interp *in, struct fs_arena *arena,
                                  const struct fs_stmt *s) {
  struct fs_loop *l = FS_NEW(arena, struct fs_loop);
  struct writer w = {.in = in, .breaks = -1};
  if (s->kind == FS_ST_FOR) {
    l->range = new_range(&w);
    l->body = for_rounds(&w, s, l->range);
  } else {
    while_loop(&w, s);
  }
  put(&w, (struct instruction){STOP});
  refuse_confusion(&w);
  l->refused = w.refused;
  l->shows = w.shows;
  l->n_code = w.code.len;
  l->n_variables = w.variables.len;
  l->n_functions = w.functions.len;
  l->n_registers = w.registers.len;
  l->code = kept(arena, w.code.data, l->n_code, sizeof *l->code);
  l->variables = kept(arena, w.variables.data, l->n_variables, sizeof *l->variables);
  l->functions = kept(arena, w.functions.data, l->n_functions, sizeof *l->functions);
  l->registers = kept(arena, w.registers.data, l->n_registers, sizeof *l->registers);
  FS_VEC_FREE(&w.code);
  FS_VEC_FREE(&w.variables);
  FS_VEC_FREE(&w.functions);
  FS_VEC_FREE(&w.registers);
  return l;
}

/* -- instructions -------------------------------------------------------------- */

static void put_range(struct fs_scalar *at, const struct fs_val *range, int64_t round) {
  at[AT_START].x = range->start;
  at[AT_STEP].x = range->step;
  at[AT_COUNT].x = (double)fs_range_count(range);
  at[AT_ROUND].x = (double)round;
}

/* False: it has no end, or no step. */
static bool make_range(struct fs_scalar *r, const struct instruction *i) {
  struct fs_val v = {.kind = FS_V_RANGE, .start = r[i->src[0]].x, .stop = r[i->src[2]].x};
  v.step = i->src[1] < 0 ? 1 : r[i->src[1]].x;
  put_range(&r[i->to], &v, 0);
  return v.step != 0 && isfinite(v.start) && isfinite(v.stop) && isfinite(v.step);
}

/* False: there are no more. */
static bool next_value(struct fs_scalar *at, struct fs_scalar *out) {
  double start = at[AT_START].x, step = at[AT_STEP].x, k = at[AT_ROUND].x;
  if (k >= at[AT_COUNT].x) return false;
  struct fs_val v = fs_val_number(start + k * step, start == floor(start) && step == floor(step));
  *out = fs_scalar_of(&v);
  at[AT_ROUND].x = k + 1;
  return true;
}

static struct fs_scalar map_of(const struct fs_scalar *r, const struct instruction *i) {
  struct fs_scalar x[3] = {r[i->src[0]], r[i->src[1]], r[i->src[2]]};
  return fs_scalar_map((enum fs_map_op)i->op, x);
}

struct watch {
  struct fs_interp *in;
  double begun, last;
  const struct fs_scalar *range; /* of the whole loop; NULL: it has none */
  int rounds;
};

void fs_loop_progress(struct fs_interp *in, double begun, double *last, int64_t k, int64_t n) {
  double now = fs_now();
  if (in->call_depth || !in->host.progress || now - begun < 2 ||
      now - *last < 0.25)
    return;
  *last = now;
  in->host.progress(in->host.user, "for", (double)k / (double)n, now - begun);
}

/* What follows on every round: Ctrl-C, and now and then a word on how far it is. */
static bool goes_on(struct watch *w) {
  enum { SELDOM = 1 << 14 };
  if (fs_interrupted()) return false;
  if (++w->rounds % SELDOM || !w->range) return true;
  fs_loop_progress(w->in, w->begun, &w->last, (int64_t)w->range[AT_ROUND].x,
                   (int64_t)w->range[AT_COUNT].x);
  return true;
}

/* Gives the instruction that ended it: STOP, ROUND where it was interrupted, RANGE where one
 * is wrong. */
static const struct instruction *run(const struct fs_loop *l, int from, struct watch *w) {
  struct fs_scalar *r = l->registers;
  for (const struct instruction *i = &l->code[from];; i++) {
    switch (i->code) {
      case BINARY:
        r[i->to] = fs_scalar_binary((enum fs_ast_op)i->op, r[i->src[0]], r[i->src[1]]);
        continue;
      case UNARY:
        r[i->to] = fs_scalar_unary((enum fs_ast_op)i->op, r[i->src[0]]);
        r[i->to].given = false;
        continue;
      case MAP: r[i->to] = map_of(r, i); continue;
      case COPY:
        r[i->to] = r[i->src[0]];
        r[i->to].given = false;
        continue;
      case DECIDE: {
        bool truth = r[i->src[0]].x != 0;
        if (truth == (i->op == FS_AO_AND)) continue;
        r[i->to] = (struct fs_scalar){.x = truth, .kind = FS_SC_BOOL};
        break;
      }
      case UNLESS:
        if (r[i->src[0]].x != 0) continue;
        break;
      case NEXT:
        if (next_value(&r[i->to], &r[i->src[0]])) continue;
        break;
      case RANGE:
        if (make_range(r, i)) continue;
        return i;
      case ROUND:
        if (!goes_on(w)) return i;
        break;
      case JUMP: break;
      case STOP: return i;
    }
    i = &l->code[i->jump] - 1;
  }
}

/* -- variables ------------------------------------------------------------------ */

/* Fills the registers; false if something is not a number, or not what it was when the loop
 * was written. */
static bool take_variables(struct fs_interp *in, const struct fs_loop *l) {
  for (int k = 0; k < l->n_functions; k++)
    if (!fs_is_builtin(in, l->functions[k])) return false;
  for (int k = 0; k < l->n_variables; k++) {
    const struct variable *v = &l->variables[k];
    struct fs_val now = {FS_V_NONE};
    l->registers[v->at] = (struct fs_scalar){0};
    if (!v->needed) continue;
    if (!fs_host_number(in, v->name, v->assigned, &now)) return false;
    l->registers[v->at] = fs_scalar_of(&now);
    l->registers[v->at].given = true;
  }
  return true;
}

static void give_variables(struct fs_interp *in, const struct fs_loop *l) {
  for (int k = 0; k < l->n_variables; k++) {
    struct fs_scalar now = l->registers[l->variables[k].at];
    if (now.kind != FS_SC_NONE && !now.given)
      fs_assign(in, l->variables[k].name, fs_scalar_value(now));
  }
}

bool fs_loop_run(struct fs_interp *in, const struct fs_stmt *s, const struct fs_val *range,
                 int64_t round, const struct fs_expr **wrong, enum fs_status *st) {
  if (in->elementwise) return false;
  struct fs_unit *unit = in->units.data[in->units.len - 1];
  if (!s->loop) ((struct fs_stmt *)s)->loop = write_loop(in, unit->arena, s);
  struct fs_loop *l = s->loop;
  if (l->refused || (l->shows && !in->silent && !in->call_depth)) return false;
  if (!take_variables(in, l)) return false;
  struct watch w = {.in = in, .begun = fs_now()};
  if (range) {
    w.range = &l->registers[l->range];
    put_range(&l->registers[l->range], range, round);
  }
  const struct instruction *end = run(l, l->body, &w);
  give_variables(in, l);
  if (end->code == RANGE) {
    *wrong = end->range;
    return true;
  }
  *st = fs_interp_flush(in); /* between two rounds, of which those before count */
  if (*st == FS_OK && end->code == ROUND) *st = FS_INTERRUPTED;
  return true;
}
