/* rewrite.c - rules of the user over the graph of a block.
 *
 * The left side of a rule is compiled to items: names, which stand for any node, numbers, and
 * elementwise operations. Each node that an expression comes to is matched with each rule as it is
 * made, whatever statements and variables its operands came by. The right side is a function of
 * the names: it is called with the nodes that they stand for, and what it gives takes the place
 * of the node. Rules do not act on what a rule gives. */
#include "core/eval/rewrite.h"

#include "core/eval/builtins.h"

enum { MOST_ITEMS = 64, MOST_NAMES = FS_REWRITE_NAMES };

enum item_kind { IT_NAME, IT_NUMBER, IT_MAP };

struct item {
  enum item_kind kind;
  int name;        /* of the function's parameters */
  double number;
  enum fs_map_op op;
  int n, src[3];   /* items, before this one */
};

struct fs_rewrite {
  char *text, *left; /* as they were written */
  struct fs_func *f; /* the right side, of the names of the left one */
  int n;
  struct item item[MOST_ITEMS]; /* the last one is the whole */
};

/* -- the left side ------------------------------------------------------------------ */

struct compiler {
  struct fs_interp *in;
  struct fs_rewrite *r;
};

static enum fs_status refuse(struct fs_interp *in, struct fs_span span, const char *what) {
  return fs_in_error(in, span, "bad-rule", "for instance: rule A.*X + Y -> f(A, X, Y)",
                     "the left side of a rule has names, numbers, operators of elements and "
                     "elementwise functions, not %s", what);
}

/* The operation that an operator or a call is; false: it is none of single elements. */
static bool operation_of(struct fs_interp *in, const struct fs_expr *e, enum fs_map_op *op) {
  struct fs_val v;
  if (e->kind == FS_EX_UNARY) {
    *op = e->op == FS_AO_NEG ? FS_OP_NEG : FS_OP_NOT;
    return e->op == FS_AO_NEG || e->op == FS_AO_NOT;
  }
  if (e->kind == FS_EX_BINARY) return fs_operator_map(e->op, op);
  if (e->args[0]->kind != FS_EX_NAME || !fs_lookup(in, e->args[0]->text, &v)) return false;
  bool map = v.kind == FS_V_FUNCTION && v.func->kind == FS_FN_BUILTIN &&
             v.func->builtin->traits & FS_BT_MAP;
  if (map) *op = (enum fs_map_op)v.func->builtin->data;
  fs_val_unref(v);
  return map;
}

static int parameter(const struct fs_func *f, const char *name) {
  for (int k = 0; k < f->n_params; k++)
    if (!strcmp(f->params[k].name, name)) return k;
  return -1;
}

static enum fs_status compile(struct compiler *c, const struct fs_expr *e, int *at) {
  bool call = e->kind == FS_EX_CALL;
  struct item it = {.kind = IT_MAP, .n = e->n_args - call};
  enum fs_status st = FS_OK;
  if (e->kind == FS_EX_NAME) {
    it = (struct item){.kind = IT_NAME, .name = parameter(c->r->f, e->text)};
  } else if (e->kind == FS_EX_NUMBER || (e->kind == FS_EX_UNARY && e->op == FS_AO_NEG &&
                                         e->args[0]->kind == FS_EX_NUMBER)) {
    it = (struct item){.kind = IT_NUMBER, .number = e->number};
    if (e->kind == FS_EX_UNARY) it.number = -e->args[0]->number;
  } else if ((e->kind != FS_EX_UNARY && e->kind != FS_EX_BINARY && !call) ||
             !operation_of(c->in, e, &it.op)) {
    return refuse(c->in, e->span, fs_in_text(c->in, e->span));
  } else if (fs_map_ops[it.op].arity != it.n) {
    return refuse(c->in, e->span, "calls with other arguments than they have");
  }
  for (int k = 0; k < it.n && st == FS_OK; k++) st = compile(c, e->args[k + call], &it.src[k]);
  if (st == FS_OK && c->r->n == MOST_ITEMS)
    st = fs_in_error(c->in, e->span, "bad-rule", NULL, "the left side of a rule has at most %d parts",
                     (int)MOST_ITEMS);
  *at = c->r->n;
  if (st == FS_OK) c->r->item[c->r->n++] = it;
  return st;
}

/* Whether each name of the right side is one of the left one's, or has a value. */
static enum fs_status check_names(struct fs_interp *in, const struct fs_func *f,
                                  const struct fs_expr *e) {
  enum fs_status st = FS_OK;
  struct fs_val v;
  if (e->kind == FS_EX_LAMBDA) return FS_OK;
  if (e->kind == FS_EX_NAME && parameter(f, e->text) < 0) {
    if (!fs_lookup(in, e->text, &v)) return fs_unknown_name(in, e->text, e->span);
    fs_val_unref(v);
  }
  for (int k = 0; k < e->n_args && st == FS_OK; k++) st = check_names(in, f, e->args[k]);
  return st;
}

/* -- the rules ----------------------------------------------------------------------- */

static void free_rule(struct fs_rewrite *r) {
  fs_func_unref(r->f);
  free(r->text);
  free(r->left);
  free(r);
}

/* What was traced comes again another way. */
static void changed(struct fs_interp *in) {
  in->language++;
  in->globals.stamp++;
}

void fs_interp_rule_drop(struct fs_interp *in, int k) {
  free_rule(in->rules.data[k]);
  in->rules.len--;
  memmove(&in->rules.data[k], &in->rules.data[k + 1],
          sizeof *in->rules.data * (size_t)(in->rules.len - k));
  changed(in);
}

void fs_rewrites_clear(struct fs_interp *in) {
  while (in->rules.len) fs_interp_rule_drop(in, in->rules.len - 1);
}

struct fs_func *fs_rewrite_function(const struct fs_interp *in, int k) { return in->rules.data[k]->f; }

const char *fs_interp_rule_at(const struct fs_interp *in, int k) {
  return k >= 0 && k < in->rules.len ? in->rules.data[k]->text : NULL;
}

/* What was written there, on one line. */
static char *written(const struct fs_interp *in, struct fs_span span) {
  size_t n = 0;
  const char *text = fs_span_text(in->diags, span, &n);
  char *out = fs_calloc(n + 1, 1);
  for (size_t k = 0; text && k < n; k++) out[k] = text[k] == '\n' ? ' ' : text[k];
  return out;
}

static enum fs_status compile_all(struct fs_interp *in, const struct fs_stmt *s, struct fs_rewrite *r) {
  struct compiler c = {in, r};
  int whole;
  if (s->expr2->n_params > MOST_NAMES)
    return fs_in_error(in, s->expr->span, "bad-rule", NULL, "a rule has at most %d names",
                       (int)MOST_NAMES);
  if (s->expr->kind == FS_EX_NAME || s->expr->kind == FS_EX_NUMBER)
    return fs_in_error(in, s->expr->span, "bad-rule", "for instance: rule A.*X + Y -> f(A, X, Y)",
                       "the left side of a rule is an operation: %s alone would be anything",
                       fs_in_text(in, s->expr->span));
  enum fs_status st = compile(&c, s->expr, &whole);
  return st == FS_OK ? check_names(in, r->f, s->expr2->args[0]) : st;
}

enum fs_status fs_rewrite_define(struct fs_interp *in, const struct fs_stmt *s,
                                 struct fs_func *gives) {
  struct fs_rewrite *r = fs_calloc(1, sizeof *r);
  r->f = gives;
  r->left = written(in, s->expr->span);
  r->text = written(in, s->span);
  enum fs_status st = compile_all(in, s, r);
  if (st != FS_OK) {
    free_rule(r);
    return st;
  }
  for (int k = in->rules.len - 1; k >= 0; k--)
    if (!strcmp(in->rules.data[k]->left, r->left)) fs_interp_rule_drop(in, k);
  *FS_PUSH(&in->rules) = r;
  changed(in);
  return FS_OK;
}

/* -- matching --------------------------------------------------------------------------- */

struct match {
  const struct fs_graph *g;
  const struct fs_rewrite *r;
  fs_id bound[MOST_NAMES]; /* 0: none yet */
};

static bool is_number(const struct fs_graph *g, const struct fs_node *n, double x) {
  if (n->kind != FS_ND_PARAM) return false;
  const struct fs_number *v = &g->params.data[n->slot];
  if (!fs_dtype_is_float(n->dtype)) return (double)v->i == x;
  return n->dtype == FS_F64 ? v->f == x : (float)v->f == (float)x;
}

static bool matches(struct match *m, int at, fs_id id);

static bool operands_match(struct match *m, const struct item *it, const struct fs_node *n,
                           bool turned) {
  for (int k = 0; k < it->n; k++)
    if (!matches(m, it->src[k], n->src[turned ? it->n - 1 - k : k])) return false;
  return true;
}

static bool matches(struct match *m, int at, fs_id id) {
  const struct item *it = &m->r->item[at];
  const struct fs_node *n = fs_node(m->g, id);
  if (it->kind == IT_NUMBER) return is_number(m->g, n, it->number);
  if (it->kind == IT_NAME) {
    fs_id *bound = &m->bound[it->name];
    if (!*bound) *bound = id;
    return *bound == id;
  }
  if (n->kind != FS_ND_MAP || n->op != it->op || n->n_src != it->n) return false;
  struct match before = *m;
  if (operands_match(m, it, n, false)) return true;
  if (!fs_map_ops[it->op].commutes) return false;
  *m = before;
  return operands_match(m, it, n, true);
}

/* What the names stand for: elements as the whole has them, or one for all. */
static void take_arguments(struct fs_interp *in, const struct match *m, const struct fs_shape *whole,
                           struct fs_rewriting *out) {
  *out = (struct fs_rewriting){.rule = m->r->text, .f = m->r->f, .n = m->r->f->n_params};
  for (int k = 0; k < out->n; k++) {
    const struct fs_node *n = fs_node(m->g, m->bound[k]);
    struct fs_tv t = {m->bound[k], n->dtype, n->shape.rank ? *whole : fs_shape_scalar()};
    out->args[k] = fs_tv_value(in, &t);
  }
}

bool fs_rewrite_find(struct fs_interp *in, const struct fs_expr *e, const struct fs_val *v,
                     struct fs_rewriting *out) {
  enum fs_map_op op;
  if (!in->rules.len || in->rewriting || in->elementwise || v->kind != FS_V_TENSOR) return false;
  const struct fs_tensor *t = v->tensor;
  if (!t->shape.rank) return false; /* loops over elements know no rules */
  if (t->state != FS_TS_LAZY || t->graph != in->graph || in->scope->prelude || in->scope->sealed)
    return false;
  if (!operation_of(in, e, &op)) return false; /* others give nodes that were there before */
  for (int k = 0; k < in->rules.len; k++) {
    struct match m = {.g = in->graph, .r = in->rules.data[k]};
    if (!matches(&m, m.r->n - 1, t->node)) continue;
    take_arguments(in, &m, &t->shape, out);
    return true;
  }
  return false;
}
