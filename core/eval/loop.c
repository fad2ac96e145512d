/* loop.c - loops that compute with numbers and single elements, one round after the other, on
 * the host:
 *
 *     s = 0;
 *     for k = 2:1000000
 *       if mod(k, 3) == 0; s = s + k; end
 *       y[k] = 0.5*y[k - 1] + x[k];
 *     end
 *
 * The statements of such a loop become a list of instructions (loop.h). Before a round is to
 * begin the registers get what the variables are; when the loop is over, or stopped between two
 * rounds, the variables get what the registers are. Numbers and elements give numbers and scalar
 * tensors, so nothing has to be looked at in between. What else a variable may be, a function
 * that somebody has replaced, a display or a whole array sends the loop the ordinary way, of
 * which nothing differs but the time. So does a statement that cannot be, alone, in the middle
 * of a round: an element that is not there, a value that does not fit. */
#include "core/base/rules.h"
#include "core/eval/lift.h"
#include "core/eval/loop.h"
#include "core/eval/trace.h"
#include "core/lang/parse.h"

enum { MOST_NAMES = 64, MOST_INSTRUCTIONS = 4096, LONGEST_CHAIN = 256 };

/* -- statements to instructions ---------------------------------------------- */

enum { MOST_LOCALS = 32, DEEPEST_CALL = 8 };

/* A name of a function that is called: a register, or an array of who calls. */
struct local {
  const char *name, *array;
  int at;
};

/* A function of the user, whose statements stand in place of its call. */
struct frame {
  const struct fs_func *f;
  int n, depth;
  struct local locals[MOST_LOCALS];
  bool outside;              /* names that are not its own are those of the loop */
  int result, returns;       /* its register; the last instruction that jumps to the end; -1 */
  uint64_t known;            /* of who calls */
  struct frame *up;
};

struct writer {
  struct fs_interp *in;
  struct frame *frame;       /* NULL: the loop itself */
  bool refused, shows, inexact, inner;
  FS_VEC(struct fs_loop_instruction) code;
  FS_VEC(struct fs_loop_variable) variables;
  FS_VEC(const char *) functions;
  FS_VEC(struct fs_loop_own) owns;
  FS_VEC(struct fs_loop_register) registers;
  FS_VEC(struct fs_loop_array) arrays;
  FS_VEC(struct fs_loop_view) views;
  FS_VEC(struct fs_loop_extent) extents;
  FS_VEC(struct fs_loop_part) parts;
  FS_VEC(struct fs_loop_for) fors;
  int around;                /* the `for` of what is written; -1: none */
  struct fs_arena *arena;
  int view, dim;             /* what `end` is of; -1: of nothing */
  uint64_t known;            /* variables that have been assigned on every way here */
  int round;                 /* where `continue` goes */
  int breaks;                /* the last instruction that is to jump behind the loop; -1: none */
};

static int refuse(struct writer *w) {
  w->refused = true;
  return 0;
}

static int new_register(struct writer *w) {
  *FS_PUSH(&w->registers) = (struct fs_loop_register){0};
  return w->registers.len - 1;
}

static int put(struct writer *w, struct fs_loop_instruction i) {
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
  *FS_PUSH(&w->variables) = (struct fs_loop_variable){.name = name, .at = at};
  return w->variables.len - 1;
}

/* The place of a name in the function that is called; -1: it is none of its own. */
static int local_of(const struct writer *w, const char *name) {
  for (int k = 0; w->frame && k < w->frame->n; k++)
    if (!strcmp(w->frame->locals[k].name, name)) return k;
  return -1;
}

static int add_local(struct writer *w, struct local l) {
  struct frame *f = w->frame;
  if (f->n == MOST_LOCALS) return refuse(w);
  f->locals[f->n] = l;
  return f->n++;
}

static int read_local(struct writer *w, int k) {
  const struct local *l = &w->frame->locals[k];
  if (l->array || !(w->known >> k & 1)) return refuse(w);
  return l->at;
}

static int read_variable(struct writer *w, const char *name) {
  int own = local_of(w, name);
  if (own >= 0) return read_local(w, own);
  if (w->frame && !w->frame->outside) return refuse(w);
  int k = variable(w, name);
  if (w->refused) return 0;
  if (w->frame || !(w->known >> k & 1)) w->variables.data[k].needed = true;
  return w->variables.data[k].at;
}

static int assigned_variable(struct writer *w, const char *name) {
  int own = local_of(w, name);
  if (w->frame && own < 0) own = add_local(w, (struct local){name, NULL, new_register(w)});
  if (w->refused) return 0;
  if (w->frame) return w->frame->locals[own].array ? refuse(w) : w->frame->locals[own].at;
  int k = variable(w, name);
  if (w->refused) return 0;
  w->variables.data[k].assigned = true;
  return w->variables.data[k].at;
}

static void now_known(struct writer *w, const char *name) {
  int k = w->frame ? local_of(w, name) : variable(w, name);
  w->known |= (uint64_t)1 << k;
}

static int constant(struct writer *w, const struct fs_expr *e) {
  struct fs_val v = e->kind == FS_EX_BOOL ? fs_val_bool(e->number != 0)
                                          : fs_val_number(e->number, e->is_int);
  int at = new_register(w);
  struct fs_scalar x = fs_scalar_of(&v);
  w->registers.data[at] = (struct fs_loop_register){.x = x.x, .tag = (uint8_t)x.kind};
  return at;
}

/* -- arrays ---------------------------------------------------------------------- */

/* What the loop calls the array of a name; NULL: it is none. */
static const char *array_name(const struct writer *w, const char *name) {
  int own = local_of(w, name);
  if (own >= 0) return w->frame->locals[own].array;
  return !w->frame || w->frame->outside ? name : NULL;
}

static int array(struct writer *w, const struct fs_expr *e, bool written) {
  const char *name = e->kind == FS_EX_NAME ? array_name(w, e->text) : NULL;
  if (!name || (w->frame && written)) return refuse(w);
  for (int k = 0; k < w->arrays.len; k++) {
    if (strcmp(w->arrays.data[k].name, name)) continue;
    w->arrays.data[k].written |= written;
    return k;
  }
  *FS_PUSH(&w->arrays) = (struct fs_loop_array){.name = name, .written = written};
  return w->arrays.len - 1;
}

static int view(struct writer *w, const struct fs_expr *e, bool written) {
  int of = array(w, e->args[0], written), n = e->n_args - 1;
  if (n < 1 || n > FS_MAX_RANK) return refuse(w);
  for (int k = 0; k < w->views.len; k++)
    if (w->views.data[k].array == of && w->views.data[k].n == n) return k;
  if (w->views.len == MOST_NAMES) return refuse(w);
  *FS_PUSH(&w->views) = (struct fs_loop_view){.array = of, .n = n};
  return w->views.len - 1;
}

/* The register of an extent, which is the same in all rounds. */
static int extent(struct writer *w, struct fs_loop_extent x) {
  x.at = new_register(w);
  *FS_PUSH(&w->extents) = x;
  return x.at;
}

/* Each writes what computes an expression and gives the register that has it: `to`, or with
 * to < 0 any. */
static int expression(struct writer *w, const struct fs_expr *e, int to);

static int target(struct writer *w, int to) { return to < 0 ? new_register(w) : to; }

static int copied(struct writer *w, int from, int to) {
  if (to < 0) return from;
  put(w, (struct fs_loop_instruction){FS_LC_COPY, .to = to, .src = {from}});
  return to;
}

/* The instruction of an operation that has one of its own. */
static uint8_t code_of(enum fs_map_op op) {
  static const uint8_t codes[FS_MAP_OP_COUNT] = {
      [FS_OP_ADD] = FS_LC_ADD, [FS_OP_SUB] = FS_LC_SUB, [FS_OP_MUL] = FS_LC_MUL,
      [FS_OP_DIV] = FS_LC_DIV, [FS_OP_MIN] = FS_LC_MIN, [FS_OP_MAX] = FS_LC_MAX,
      [FS_OP_MOD] = FS_LC_MOD, [FS_OP_FLOOR] = FS_LC_FLOOR, [FS_OP_EQ] = FS_LC_EQ,
      [FS_OP_NE] = FS_LC_NE, [FS_OP_LT] = FS_LC_LT, [FS_OP_LE] = FS_LC_LE,
      [FS_OP_GT] = FS_LC_GT, [FS_OP_GE] = FS_LC_GE};
  return codes[op];
}

/* Behind an && or || is a part of its own: a variable has no value before both are known. */
static int operation(struct writer *w, const struct fs_expr *e, int left, int to) {
  bool decides = e->op == FS_AO_AND || e->op == FS_AO_OR;
  int at = decides ? new_register(w) : target(w, to), decide = 0;
  enum fs_map_op op;
  if (decides)
    decide = put(w, (struct fs_loop_instruction){.code = FS_LC_DECIDE, .op = (uint8_t)e->op,
                                                 .to = at, .src = {left}});
  int right = expression(w, e->args[1], -1);
  struct fs_loop_instruction i = {.code = FS_LC_BINARY, .op = (uint8_t)e->op, .n = 2, .to = at,
                                  .src = {left, right}};
  bool map = !decides && e->op != FS_AO_POW && e->op != FS_AO_EPOW && fs_operator_map(e->op, &op);
  if (map) i.op = (uint8_t)op, i.code = code_of(op);
  put(w, i);
  if (!decides) return at;
  land(w, decide);
  return copied(w, at, to);
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

/* The function of the user, or of the prelude, that has a name where the loop runs. */
static struct fs_var *own_function(const struct writer *w, const char *name) {
  struct fs_interp *in = w->in;
  struct fs_var *v = fs_scope_var(in->scope, name);
  if (!v && !in->scope->sealed && !in->scope->prelude) v = fs_scope_var(&in->globals, name);
  if (!v && !in->scope->sealed) v = fs_scope_var(&in->prelude, name);
  bool function = v && v->value.kind == FS_V_FUNCTION && v->value.func->kind == FS_FN_USER;
  return function && !v->value.func->captures.len ? v : NULL;
}

/* size(A, 1), numel(x), length(x) of an array that is named. */
static int extent_of(struct writer *w, const struct fs_expr *e) {
  const char *name = e->args[0]->text;
  bool size = !strcmp(name, "size");
  if (e->n_args != (size ? 3 : 2) || (size && e->args[2]->kind != FS_EX_NUMBER)) return refuse(w);
  struct fs_loop_extent x = {.kind = FS_LX_LENGTH};
  if (size) x.kind = FS_LX_SIZE, x.dim = (int)e->args[2]->number - 1;
  if (!strcmp(name, "numel")) x.kind = FS_LX_NUMEL;
  if (size && (e->args[2]->number < 1 || e->args[2]->number > 2)) return refuse(w);
  add_function(w, name);
  x.of = array(w, e->args[1], false);
  return extent(w, x);
}

static int call_own(struct writer *w, const struct fs_expr *e, int to);

static int call(struct writer *w, const struct fs_expr *e, int to) {
  const struct fs_expr *f = e->args[0];
  const struct fs_builtin *b = f->kind == FS_EX_NAME ? fs_builtin_find(w->in, f->text) : NULL;
  if (f->kind != FS_EX_NAME || local_of(w, f->text) >= 0) return refuse(w);
  if (own_function(w, f->text)) return call_own(w, e, to);
  struct fs_loop_instruction i = {.code = FS_LC_MAP};
  if (b && fs_has_word(" size numel length ", f->text)) return copied(w, extent_of(w, e), to);
  bool map = b && b->traits & FS_BT_MAP && e->n_args - 1 == fs_map_ops[b->data].arity;
  bool cast = b && b->traits & FS_BT_CAST && e->n_args == 2;
  if (!map && !cast) return refuse(w);
  if (cast && fs_dtype_is_half((enum fs_dtype)b->data)) return refuse(w);
  add_function(w, f->text);
  i.n = (uint8_t)(e->n_args - 1);
  for (int k = 1; k < e->n_args; k++) i.src[k - 1] = expression(w, e->args[k], -1);
  i.op = (uint8_t)b->data;
  if (cast) i.code = FS_LC_CAST;
  else if (code_of((enum fs_map_op)b->data)) i.code = code_of((enum fs_map_op)b->data);
  w->inexact |= map && fs_map_is_library((enum fs_map_op)b->data);
  struct fs_loop_instruction *last = w->code.len ? &w->code.data[w->code.len - 1] : NULL;
  bool quotient = i.code == FS_LC_FLOOR && last && last->code == FS_LC_DIV && last->to == i.src[0];
  i.to = target(w, to);
  if (quotient) last->code = FS_LC_QUOTIENT, last->to = i.to;
  else put(w, i);
  return i.to;
}

static int border(struct writer *w, const struct fs_expr *e, int k, int sub) {
  struct fs_loop_instruction i = {.code = FS_LC_BORDER, .op = e->borders[k], .n = 2};
  if (e->borders[k] == FS_BORDER_ZEROS) return refuse(w);
  i.src[0] = sub;
  i.src[1] = extent(w, (struct fs_loop_extent){FS_LX_END, w->view, w->dim, 0});
  i.to = target(w, -1);
  put(w, i);
  return i.to;
}

static void subscripts(struct writer *w, const struct fs_expr *e, struct fs_loop_instruction *i) {
  int of = w->view, dim = w->dim;
  for (int k = 1; k < e->n_args && !w->refused; k++) {
    w->view = i->op;
    w->dim = k - 1;
    i->src[k - 1] = expression(w, e->args[k], -1);
    if (fs_border_of(e, k - 1)) i->src[k - 1] = border(w, e, k - 1, i->src[k - 1]);
  }
  w->view = of;
  w->dim = dim;
}

static int element(struct writer *w, const struct fs_expr *e, int to) {
  struct fs_loop_instruction i = {.code = FS_LC_LOAD, .op = (uint8_t)view(w, e, false)};
  i.n = (uint8_t)(e->n_args - 1);
  if (w->refused) return 0;
  subscripts(w, e, &i);
  i.to = target(w, to);
  put(w, i);
  return i.to;
}

static int expression(struct writer *w, const struct fs_expr *e, int to) {
  if (w->refused) return 0;
  switch (e->kind) {
    case FS_EX_NUMBER:
    case FS_EX_BOOL: return copied(w, constant(w, e), to);
    case FS_EX_NAME: return copied(w, read_variable(w, e->text), to);
    case FS_EX_UNARY: {
      if (e->op == FS_AO_TRANSPOSE) return refuse(w);
      int a = expression(w, e->args[0], -1), at = target(w, to);
      put(w, (struct fs_loop_instruction){.code = FS_LC_UNARY, .op = (uint8_t)e->op, .n = 1,
                                        .to = at, .src = {a}});
      return at;
    }
    case FS_EX_BINARY: return chain(w, e, to);
    case FS_EX_CALL: return call(w, e, to);
    case FS_EX_INDEX: return element(w, e, to);
    case FS_EX_END:
      if (w->view < 0) return refuse(w);
      return copied(w, extent(w, (struct fs_loop_extent){FS_LX_END, w->view, w->dim, 0}), to);
    default: return refuse(w);
  }
}

static void statements(struct writer *w, const struct fs_stmt *list);

/* From instruction `from` to the last one so far. */
static void end_part(struct writer *w, struct fs_loop_part part, int from) {
  part.from = from;
  part.to = w->code.len;
  part.around = w->around;
  if (!w->frame) *FS_PUSH(&w->parts) = part;
}

static void assignment(struct writer *w, const struct fs_stmt *s) {
  if (s->n_targets != 1) refuse(w);
  if (w->refused) return;
  const char *name = s->targets[0].name;
  bool blank = name[0] == '_' && !name[1];
  int from = w->code.len;
  w->shows |= !s->silent && !w->frame;
  expression(w, s->expr, blank ? -1 : assigned_variable(w, name));
  end_part(w, (struct fs_loop_part){.s = s}, from);
  if (!blank && !w->refused) now_known(w, name);
}

/* The value is known before the subscripts are, as elsewhere. */
static void put_element(struct writer *w, const struct fs_stmt *s) {
  int from = w->code.len;
  struct fs_loop_instruction i = {.code = FS_LC_STORE, .op = (uint8_t)view(w, s->expr2, true)};
  i.n = (uint8_t)(s->expr2->n_args - 1);
  if (w->refused) return;
  w->shows |= !s->silent;
  i.src[FS_MAX_RANK] = expression(w, s->expr, -1);
  subscripts(w, s->expr2, &i);
  put(w, i);
  end_part(w, (struct fs_loop_part){.s = s}, from);
}

/* What decides; its register. */
static int condition(struct writer *w, const struct fs_expr *e) {
  int from = w->code.len, at = expression(w, e, -1);
  end_part(w, (struct fs_loop_part){.e = e, .at = at}, from);
  return at;
}

static void branch(struct writer *w, const struct fs_stmt *s) {
  int truth = condition(w, s->expr);
  int unless = put(w, (struct fs_loop_instruction){FS_LC_UNLESS, .src = {truth}});
  uint64_t before = w->known;
  statements(w, s->body);
  uint64_t after = w->known;
  int over = put(w, (struct fs_loop_instruction){FS_LC_JUMP});
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
  put(w, (struct fs_loop_instruction){FS_LC_ROUND, .jump = begin});
  land(w, leave);
  for (int k = w->breaks, next; k >= 0 && !w->refused; k = next) {
    next = w->code.data[k].jump;
    land(w, k);
  }
  w->round = round;
  w->breaks = breaks;
}

static void while_loop(struct writer *w, const struct fs_stmt *s) {
  int begin = w->code.len, truth = condition(w, s->expr);
  uint64_t before = w->known;
  rounds(w, s, begin, put(w, (struct fs_loop_instruction){FS_LC_UNLESS, .src = {truth}}));
  w->known = before;
}

static int new_range(struct writer *w) {
  int at = new_register(w);
  while (w->registers.len < at + FS_LR_REGISTERS) new_register(w);
  return at;
}

/* From where the range is in its registers. */
static int for_rounds(struct writer *w, const struct fs_stmt *s, int range) {
  uint64_t before = w->known;
  int begin = w->code.len, at = assigned_variable(w, s->targets[0].name), around = w->around;
  int next = put(w, (struct fs_loop_instruction){FS_LC_NEXT, .to = range, .src = {at}});
  if (w->refused) return 0;
  now_known(w, s->targets[0].name);
  *FS_PUSH(&w->fors) = (struct fs_loop_for){s->targets[0].name, range, w->around};
  w->around = w->fors.len - 1;
  rounds(w, s, begin, next);
  w->around = around;
  w->known = before;
  return begin;
}

static int one(struct writer *w) {
  int at = new_register(w);
  w->registers.data[at] = (struct fs_loop_register){.x = 1, .tag = FS_SC_INT};
  return at;
}

static void for_loop(struct writer *w, const struct fs_stmt *s) {
  const struct fs_expr *e = s->expr;
  if (e->kind != FS_EX_RANGE) refuse(w);
  if (w->refused) return;
  int from = w->code.len;
  struct fs_loop_instruction i = {.code = FS_LC_RANGE};
  i.src[0] = expression(w, e->args[0], -1);
  i.src[1] = e->n_args == 3 ? expression(w, e->args[1], -1) : one(w);
  i.src[2] = expression(w, e->args[e->n_args - 1], -1);
  i.to = new_range(w);
  put(w, i);
  end_part(w, (struct fs_loop_part){.e = e, .at = i.to}, from);
  w->inner = true;
  for_rounds(w, s, i.to);
}

static void leave(struct writer *w, bool on) {
  int k = put(w, (struct fs_loop_instruction){.code = on ? FS_LC_ROUND : FS_LC_JUMP,
                                              .jump = on ? w->round : w->breaks});
  if (!on) w->breaks = k;
  w->known = UINT64_MAX; /* nothing comes from here */
}

/* The results of a function that is called. */
static void give_back(struct writer *w, const struct fs_stmt *s) {
  struct frame *f = w->frame;
  if (!f || s->n_exprs != 1) refuse(w);
  if (w->refused) return;
  expression(w, s->exprs[0], f->result);
  f->returns = put(w, (struct fs_loop_instruction){FS_LC_JUMP, .jump = f->returns});
  w->known = UINT64_MAX; /* nothing comes from here */
}

static void add_argument(struct writer *w, struct frame *f, const char *name,
                         const struct fs_expr *e) {
  struct fs_val v;
  struct local l = {.name = name};
  const char *array = e->kind == FS_EX_NAME ? array_name(w, e->text) : NULL;
  if (array && fs_lookup(w->in, array, &v)) {
    if (v.kind == FS_V_TENSOR && v.tensor->shape.rank) l.array = array;
    fs_val_unref(v);
  }
  if (!l.array) l.at = expression(w, e, new_register(w));
  f->locals[f->n++] = l;
}

static void call_body(struct writer *w, struct frame *f) {
  int round = w->round, breaks = w->breaks, view = w->view;
  f->known = w->known;
  f->up = w->frame;
  w->frame = f;
  w->known = ((uint64_t)1 << f->n) - 1;
  w->breaks = w->view = -1;
  statements(w, f->f->body);
  if (f->f->expr) give_back(w, &(struct fs_stmt){.n_exprs = 1, .exprs = (struct fs_expr *[]){
                                                      (struct fs_expr *)f->f->expr}});
  if (w->known != UINT64_MAX) refuse(w); /* it may give nothing */
  for (int k = f->returns, next; k >= 0 && !w->refused; k = next) {
    next = w->code.data[k].jump;
    land(w, k);
  }
  w->frame = f->up;
  w->known = f->known;
  w->round = round;
  w->breaks = breaks;
  w->view = view;
}

/* A function of the user in place of its call: assignments to names of its own, `if`, loops. */
static int call_own(struct writer *w, const struct fs_expr *e, int to) {
  struct fs_var *v = own_function(w, e->args[0]->text);
  const struct fs_func *f = v->value.func;
  struct frame *frame = FS_NEW(w->arena, struct frame);
  for (struct frame *up = w->frame; up; up = up->up)
    if (up->f == f) return refuse(w);
  bool fits = f->n_params == e->n_args - 1 && f->n_params < MOST_LOCALS;
  if (!fits || (w->frame && w->frame->depth == DEEPEST_CALL)) return refuse(w);
  *frame = (struct frame){.f = f, .returns = -1, .depth = w->frame ? w->frame->depth + 1 : 1};
  frame->outside = w->in->scope == &w->in->globals && !f->from_prelude;
  frame->result = new_register(w);
  *FS_PUSH(&w->owns) = (struct fs_loop_own){e->args[0]->text, v->stamp};
  for (int k = 0; k < f->n_params && !w->refused; k++)
    add_argument(w, frame, f->params[k].name, e->args[k + 1]);
  if (!w->refused) call_body(w, frame);
  return copied(w, frame->result, to);
}

static void statements(struct writer *w, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s && !w->refused; s = s->next) {
    switch (s->kind) {
      case FS_ST_ASSIGN: assignment(w, s); break;
      case FS_ST_INDEXED: put_element(w, s); break;
      case FS_ST_IF: branch(w, s); break;
      case FS_ST_WHILE: while_loop(w, s); break;
      case FS_ST_FOR: for_loop(w, s); break;
      case FS_ST_RETURN: give_back(w, s); break;
      case FS_ST_BREAK: leave(w, false); break;
      case FS_ST_CONTINUE: leave(w, true); break;
      default: refuse(w);
    }
  }
}

/* A variable that has the name of a function or of an array is not to be told from it here. */
static void refuse_confusion(struct writer *w) {
  for (int i = 0; i < w->variables.len; i++) {
    const char *name = w->variables.data[i].name;
    for (int k = 0; k < w->functions.len; k++)
      if (!strcmp(w->functions.data[k], name)) refuse(w);
    for (int k = 0; k < w->arrays.len; k++)
      if (!strcmp(w->arrays.data[k].name, name)) refuse(w);
  }
}

/* *n elements in the arena. */
#define KEEP(l, field, w)                                                         \
  do {                                                                            \
    (l)->n_##field = (w)->field.len;                                              \
    (l)->field = fs_arena_alloc(arena, (size_t)(w)->field.len * sizeof *(l)->field + 1); \
    if ((w)->field.len)                                                           \
      memcpy((l)->field, (w)->field.data, (size_t)(w)->field.len * sizeof *(l)->field); \
    FS_VEC_FREE(&(w)->field);                                                     \
  } while (0)

static struct fs_loop *write_loop(struct fs_interp *in, struct fs_arena *arena,
                                  const struct fs_stmt *s) {
  struct fs_loop *l = FS_NEW(arena, struct fs_loop);
  struct writer w = {.in = in, .arena = arena, .breaks = -1, .view = -1, .around = -1};
  *l = (struct fs_loop){.refused = false};
  if (s->kind == FS_ST_FOR) {
    l->range = new_range(&w);
    l->body = for_rounds(&w, s, l->range);
  } else {
    while_loop(&w, s);
  }
  put(&w, (struct fs_loop_instruction){FS_LC_STOP});
  refuse_confusion(&w);
  l->refused = w.refused;
  l->shows = w.shows;
  l->inexact = w.inexact;
  l->inner = w.inner;
  KEEP(l, code, &w);
  KEEP(l, variables, &w);
  KEEP(l, functions, &w);
  KEEP(l, owns, &w);
  KEEP(l, registers, &w);
  KEEP(l, arrays, &w);
  KEEP(l, views, &w);
  KEEP(l, extents, &w);
  KEEP(l, parts, &w);
  KEEP(l, fors, &w);
  for (int k = 0; k < l->n_code; k++) {
    struct fs_loop_instruction *i = &l->code[k];
    i->to_it = &l->registers[i->to];
    i->a = &l->registers[i->src[0]];
    i->b = &l->registers[i->src[1]];
    i->on = &l->code[i->jump];
  }
  return l;
}

/* -- running ---------------------------------------------------------------------- */

/* The part of a loop in which an instruction is; NULL: it is in none. */
static const struct fs_loop_part *part_of(const struct fs_loop *l, int at) {
  for (int k = 0; k < l->n_parts; k++)
    if (l->parts[k].from <= at && at < l->parts[k].to) return &l->parts[k];
  return NULL;
}

/* Whether the functions that stand in place of their calls are what they were. */
static bool is_current(struct fs_interp *in, const struct fs_loop *l) {
  const struct writer w = {.in = in};
  for (int k = 0; l && k < l->n_owns; k++) {
    const struct fs_var *v = own_function(&w, l->owns[k].name);
    if (!v || v->stamp != l->owns[k].stamp) return false;
  }
  return l;
}

static struct fs_loop *loop_of(struct fs_interp *in, const struct fs_stmt *s) {
  struct fs_unit *unit = in->units.data[in->units.len - 1];
  if (!is_current(in, s->loop)) ((struct fs_stmt *)s)->loop = write_loop(in, unit->arena, s);
  return s->loop;
}

/* Whether a loop in it was lifted lately that had many rounds. */
static bool lifts_much(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (fs_lift_rounds_of(s) >= fs_number(FS_HOST_ROUNDS) || lifts_much(s->body) ||
        lifts_much(s->orelse))
      return true;
  return false;
}

/* The rounds that a part stands in, the innermost first. */
static void find_rounds(struct fs_interp *in, const struct fs_loop *l, struct fs_loop_rest *rest) {
  int n = 0;
  for (int k = l->part->around; k >= 0 && n < FS_LOOP_ROUNDS; k = l->fors[k].around) {
    const struct fs_loop_register *r = &l->registers[l->fors[k].range];
    double value = r[FS_LR_START].x + (r[FS_LR_ROUND].x - 1) * r[FS_LR_STEP].x;
    rest->rounds[n++] = (struct fs_round){l->fors[k].counter, value, in->scope, NULL};
  }
  rest->n_rounds = n;
}

/* From an instruction on, until it is over, stopped or needs somebody else. */
static enum fs_loop_end go_on(struct fs_interp *in, struct fs_loop *l, int from,
                              struct fs_loop_rest *rest, enum fs_status *st) {
  struct fs_loop_watch *w = &l->watch;
  const struct fs_loop_instruction *end = fs_loop_go(l, from, w);
  bool over = end->code == FS_LC_STOP || end->code == FS_LC_ROUND;
  l->part = over ? NULL : part_of(l, (int)(end - l->code));
  if (w->range) rest->round = (int64_t)w->range[FS_LR_ROUND].x;
  *st = fs_loop_give(in, l);
  if (*st == FS_OK) *st = fs_interp_flush(in); /* what was done counts */
  if (*st != FS_OK) return FS_LOOP_OVER;
  if (!over) {
    l->narrows |= l->part->s && l->part->s->kind == FS_ST_INDEXED;
    find_rounds(in, l, rest);
    rest->s = l->part->s;
    rest->e = l->part->e;
    return FS_LOOP_PART;
  }
  if (end->code == FS_LC_ROUND && !w->heavy) *st = FS_INTERRUPTED;
  return w->heavy && *st == FS_OK ? FS_LOOP_STOPPED : FS_LOOP_OVER;
}

enum fs_loop_end fs_loop_run(struct fs_interp *in, const struct fs_stmt *s,
                             const struct fs_val *range, struct fs_loop_rest *rest,
                             enum fs_status *st) {
  if (in->elementwise) return FS_LOOP_NOT;
  struct fs_loop *l = loop_of(in, s);
  bool arrays = l->n_arrays > 0, probes = arrays && l->inner;
  if (l->refused || (l->shows && !in->silent && !in->call_depth)) return FS_LOOP_NOT;
  if (arrays && (in->no_loops || in->explain || rest->traced || (probes && lifts_much(s->body))))
    return FS_LOOP_NOT;
  if (l->inexact && arrays && fs_target_compiles(in->target)) return FS_LOOP_NOT;
  if (!fs_loop_take(in, l, st)) return FS_LOOP_NOT;
  l->watch = (struct fs_loop_watch){.in = in, .begun = fs_now(), .most = INT64_MAX};
  if (probes && rest->round >= rest->free) l->watch.most = fs_number(FS_HOST_ROUNDS);
  if (range) {
    l->watch.range = &l->registers[l->range];
    fs_loop_put_range(&l->registers[l->range], range, rest->round);
  }
  return go_on(in, l, l->body, rest, st);
}

enum fs_loop_end fs_loop_resume(struct fs_interp *in, const struct fs_stmt *s,
                                const struct fs_val *value, struct fs_loop_rest *rest,
                                enum fs_status *st) {
  struct fs_loop *l = s->loop;
  const struct fs_loop_part *p = l->part;
  const char *assigned = p->s && p->s->kind == FS_ST_ASSIGN ? p->s->targets[0].name : NULL;
  struct fs_loop_register *r = &l->registers[p->at];
  if (p->e && p->e->kind == FS_EX_RANGE) fs_loop_put_range(r, value, 0);
  else if (p->e) *r = (struct fs_loop_register){.x = value->number, .tag = FS_SC_BOOL};
  if (fs_loop_retake(in, l, assigned, st)) return go_on(in, l, p->to, rest, st);
  if (*st == FS_OK)
    *st = fs_in_error(in, p->s ? p->s->span : p->e->span, "wrong-type", NULL,
                      "a name of the loop is no number and no array any more");
  return FS_LOOP_OVER;
}
