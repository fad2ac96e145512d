/* cuda_c_stmt.c - the statements of a kernel: see cuda_c.h. */
#include "core/lang/cuda_c_read.h"

#include <strings.h>

static void add(struct fs_stmt ***tail, struct fs_stmt *s);

/* -- simple statements ---------------------------------------------------------------- */

static void add(struct fs_stmt ***tail, struct fs_stmt *s) {
  **tail = s;
  *tail = &s->next;
}

/* What a local name that has one value is. */
static const struct fs_expr *looked_up(const struct fs_c_reader *p, const struct fs_expr *e) {
  for (int k = 0; e->kind == FS_EX_NAME && k < p->locals.len; k++)
    if (!strcmp(p->locals.data[k].name, e->text) && p->locals.data[k].once)
      return p->locals.data[k].once;
  return e;
}

/* blockDim.x*gridDim.x, get_global_size(0): the axis of all threads; 0: it is something else. */
static char axis_of_grid(const struct fs_c_reader *p, const struct fs_expr *e) {
  e = fs_c_uncast(looked_up(p, e));
  if (e->kind == FS_EX_NAME && !strncmp(e->text, "gridSize.", 9)) return e->text[9];
  if (e->kind != FS_EX_BINARY || e->op != FS_AO_MUL) return 0;
  const struct fs_expr *a = fs_c_uncast(e->args[0]), *b = fs_c_uncast(e->args[1]);
  if (a->kind != FS_EX_NAME || b->kind != FS_EX_NAME) return 0;
  bool turned = !strncmp(a->text, "gridDim.", 8);
  if (strncmp(turned ? a->text : b->text, "gridDim.", 8)) return 0;
  if (strncmp(turned ? b->text : a->text, "blockDim.", 9)) return 0;
  char axis = turned ? a->text[8] : b->text[8];
  return axis == (turned ? b->text[9] : a->text[9]) ? axis : 0;
}

/* name = value; */
static void add_assign(struct fs_c_reader *p, struct fs_stmt ***tail, const struct fs_c_binding *b,
                       struct fs_span at, struct fs_expr *value) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_ASSIGN, fs_span_join(at, value->span));
  fs_st_target(p->arena, s, b->name, at);
  s->expr = value;
  add(tail, s);
}

/* An element of an array of a thread's own is given a value. */
static void add_own(struct fs_c_reader *p, struct fs_stmt ***tail, struct fs_expr *left,
                    struct fs_expr *value) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_ASSIGN, fs_span_join(left->span, value->span));
  fs_st_target(p->arena, s, left->args[1]->text, left->args[1]->span);
  s->expr = value;
  s->expr2 = left;
  add(tail, s);
}

/* {1, 2, {3, 4}}: *at counts on. */
static bool rule_values(struct fs_c_reader *p, const struct fs_c_name *a, int64_t count,
                        int64_t *at, struct fs_stmt ***tail) {
  if (!fs_c_expect(p, "{") || !fs_c_enter(p)) return false;
  while (!fs_c_is(p, "}") && p->st == FS_OK) {
    if (fs_c_is(p, "{")) {
      if (!rule_values(p, a, count, at, tail)) return false;
    } else {
      struct fs_span span = fs_c_cur(p)->span;
      struct fs_expr *value = fs_c_rule_expr(p), *args[FS_C_OWN_DIMS + 1];
      if (!value) return false;
      if (*at >= count) return fs_c_refuse(p, span, "there are more values than elements");
      args[0] = fs_ex_name(p->arena, span, a->name);
      int64_t rest = (*at)++;
      for (int d = a->n_dims - 1; d >= 0; rest /= a->dim[d--])
        args[1 + d] = fs_ex_number(p->arena, span, (double)(rest % a->dim[d]), true);
      add_own(p, tail, fs_ex_call(p->arena, "[]", span, a->n_dims + 1, args), value);
    }
    if (!fs_c_accept(p, ",")) break;
  }
  p->depth--;
  return fs_c_expect(p, "}");
}

bool fs_c_rule_values(struct fs_c_reader *p, const struct fs_c_name *a, struct fs_span at,
                      struct fs_stmt ***tail) {
  int64_t count = 1, given = 0;
  for (int d = 0; d < a->n_dims; d++) count *= a->dim[d];
  if (!rule_values(p, a, count, &given, tail)) return false;
  while (given < count) {
    struct fs_expr *args[FS_C_OWN_DIMS + 1] = {fs_ex_name(p->arena, at, a->name)};
    int64_t rest = given++;
    for (int d = a->n_dims - 1; d >= 0; rest /= a->dim[d--])
      args[1 + d] = fs_ex_number(p->arena, at, (double)(rest % a->dim[d]), true);
    add_own(p, tail, fs_ex_call(p->arena, "[]", at, a->n_dims + 1, args),
            fs_ex_number(p->arena, at, 0, true));
  }
  return true;
}

/* float acc[4][2] = {0}; */
static bool rule_own_array(struct fs_c_reader *p, const struct fs_c_token *t, enum fs_c_type type,
                           struct fs_stmt ***tail) {
  const int64_t most = p->shared ? 65536 : 256;
  struct fs_c_binding *b = fs_c_declare(p, t, type);
  int at = b->local;
  bool shared = p->shared;
  int64_t count = 1;
  struct fs_c_name a = p->locals.data[at];
  while (fs_c_accept(p, "[")) {
    bool open = fs_c_is(p, "]") || a.n_dims == FS_C_OWN_DIMS;
    if (shared && fs_c_is(p, "]") && !a.n_dims && (count = fs_c_block_size(p))) {
      a.dim[a.n_dims++] = count; /* extern __shared__ float s[]; */
      fs_c_next(p);
      break;
    }
    if (shared && fs_c_is(p, "]"))
      return fs_c_refuse(p, t->span, "memory that a launch gives is as large as a block: block=256 "
                                     "says how many threads that are");
    struct fs_expr *e = open ? NULL : fs_c_rule_expr(p);
    int64_t n = 0;
    if (p->st != FS_OK) return false;
    if (!e || !fs_c_constant(e, &n) || n < 1 || n > most ||
        (count *= n) > most)
      return fs_c_refuse(p, t->span, shared
                         ? "memory that threads share has a constant size, in up "
                                              "to three dimensions"
                         : "an array of a thread's own has a constant size, of up to 256 "
                           "elements in up to three dimensions");
    a.dim[a.n_dims++] = n;
    if (!fs_c_expect(p, "]")) return false;
  }
  a.shared = shared;
  p->locals.data[at] = a;
  p->shared = shared;
  return !fs_c_accept(p, "=") || fs_c_rule_values(p, &a, t->span, tail);
}

/* const float *x = in + row*n; or &in[row*n] */
static bool rule_pointer(struct fs_c_reader *p, struct fs_stmt ***tail) {
  fs_c_next(p);
  while (fs_c_cur(p)->kind == FS_CT_NAME && fs_c_is_qualifier(p, fs_c_cur(p)->text)) fs_c_next(p);
  const struct fs_c_token *t = fs_c_cur(p);
  if (t->kind != FS_CT_NAME || !fs_c_is_ahead(p, "="))
    return fs_c_refuse(p, t->span, "a pointer is a parameter, or begins as one: float *x = in + i");
  fs_c_next(p);
  fs_c_next(p);
  struct fs_span at = fs_c_cur(p)->span;
  struct fs_expr *e = fs_c_accept(p, "&") ? fs_c_rule_unary(p) : fs_c_addressed(p, at, true);
  if (!e) return false;
  if (e->kind != FS_EX_INDEX || e->n_args != 2)
    return fs_c_refuse(p, at, "a pointer is a parameter, or begins as one: float *x = in + i");
  int param = 0;
  while (strcmp(p->params.data[param].name, e->args[0]->text)) param++;
  struct fs_expr *offset = e->args[1];
  if (offset->kind != FS_EX_NUMBER) { /* what is in it may change */
    struct fs_c_binding *b = fs_c_declare(p, t, FS_C_I32);
    p->locals.data[b->local].once = offset;
    add_assign(p, tail, b, t->span, offset);
    offset = fs_ex_name(p->arena, t->span, b->name);
    p->scope.len--;
  }
  *FS_PUSH(&p->scope) = (struct fs_c_binding){.c = t->text, .name = t->text, .local = -1,
                                              .param = param, .level = p->level,
                                              .offset = offset};
  return true;
}

/* Behind the type: a, b = 1, c; */
static bool rule_declarators(struct fs_c_reader *p, enum fs_c_type type, struct fs_stmt ***tail) {
  do {
    if (fs_c_is(p, "*")) {
      if (!rule_pointer(p, tail)) return false;
      continue;
    }
    if (fs_c_cur(p)->kind != FS_CT_NAME)
      return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL, "expected a name, found %s",
                       fs_c_found(p));
    const struct fs_c_token *t = fs_c_cur(p);
    fs_c_next(p);
    if (p->shared && !fs_c_is(p, "["))
      return fs_c_refuse(p, t->span, "one number that threads share is not read");
    if (fs_c_is(p, "[")) {
      if (!rule_own_array(p, t, type, tail)) return false;
      continue;
    }
    struct fs_expr *value = NULL;
    if (fs_c_accept(p, "=") && !(value = fs_c_rule_expr(p))) return false;
    struct fs_c_binding *b = fs_c_declare(p, t, type);
    if (!value) continue;
    p->locals.data[b->local].once = value;
    if (!axis_of_grid(p, value)) add_assign(p, tail, b, t->span, value);
  } while (fs_c_accept(p, ","));
  return p->st == FS_OK;
}

/* The operator of `+=`; CALL: of one that is a call; SET: `=`; NONE. */
enum { SET = -1, CALL = -2, NONE = -3 };
static int assigning(const struct fs_c_reader *p, const char **call) {
  static const struct { const char *sign, *call; int op; } signs[] = {
      {"=", "", SET}, {"+=", "", FS_AO_ADD}, {"-=", "", FS_AO_SUB}, {"*=", "", FS_AO_MUL},
      {"/=", "", FS_AO_DIV}, {"%=", "%", CALL}, {"<<=", "<<", CALL}, {">>=", ">>", CALL},
      {"&=", "&", CALL}, {"|=", "|", CALL}, {"^=", "^", CALL}};
  for (size_t k = 0; k < FS_LEN(signs); k++)
    if (fs_c_is(p, signs[k].sign)) {
      *call = signs[k].call;
      return signs[k].op;
    }
  return NONE;
}

/* What a whole number is called from where it is given another value, in the block in which it is
 * declared, on. */
static void rename_local(struct fs_c_reader *p, struct fs_c_binding *b, struct fs_span span,
                         struct fs_expr *value) {
  struct fs_c_name l = {.span = span, .type = p->locals.data[b->local].type, .once = value};
  l.name = fs_c_fresh_name(p, b->c);
  *FS_PUSH(&p->locals) = l;
  b->local = p->locals.len - 1;
  b->name = l.name;
}

/* The left side is read already. */
static bool add_store(struct fs_c_reader *p, struct fs_stmt ***tail, struct fs_expr *left,
                      struct fs_expr *value) {
  if (left->kind == FS_EX_INDEX) {
    struct fs_stmt *s = fs_st_node(p->arena, FS_ST_INDEXED, fs_span_join(left->span, value->span));
    fs_st_target(p->arena, s, left->args[0]->text, left->args[0]->span);
    s->expr2 = left;
    s->expr = value;
    add(tail, s);
    return true;
  }
  if (left->kind == FS_EX_CALL && !strcmp(left->args[0]->text, "[]")) {
    add_own(p, tail, left, value);
    return true;
  }
  struct fs_c_binding *b = NULL;
  for (int k = p->scope.len - 1; k >= 0 && left->kind == FS_EX_NAME && !b; k--)
    if (!strcmp(p->scope.data[k].name, left->text)) b = &p->scope.data[k];
  if (!b || b->counter)
    return fs_c_refuse(p, left->span, b ? "a counter is changed by the head of its loop alone"
                                   : "this is assigned to by nobody: a name or an element is");
  b->lost = false;
  struct fs_c_name *of = b->local >= 0 ? &p->locals.data[b->local] : NULL;
  if (of && b->level == p->level && of->type <= FS_C_I64 && !of->counts) {
    rename_local(p, b, left->span, value); /* from here on it is another number */
    add_assign(p, tail, b, left->span, value);
    return true;
  }
  if (b->local >= 0) p->locals.data[b->local].once = NULL;
  add_assign(p, tail, b, left->span, value);
  if (b->param >= 0) return fs_c_refuse(p, left->span, "a parameter keeps its value");
  return true;
}

/* x = e, x += e, x++, ++x */
static bool rule_assignment(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_span at = fs_c_cur(p)->span;
  bool before = fs_c_is(p, "++") || fs_c_is(p, "--");
  int by = fs_c_is(p, "++") ? 1 : -1;
  if (before) fs_c_next(p);
  struct fs_c_binding *b = fs_c_cur(p)->kind == FS_CT_NAME ? fs_c_bound(p, fs_c_cur(p)->text)
      : NULL;
  bool plain = b && fs_c_is_ahead(p, "=");
  if (plain) b->lost = false; /* it is given a value */
  struct fs_expr *left = fs_c_rule_unary(p);
  if (!left) return false;
  if (before || fs_c_is(p, "++") || fs_c_is(p, "--")) {
    if (!before) by = fs_c_is(p, "++") ? 1 : -1, fs_c_next(p);
    struct fs_expr *one = fs_ex_number(p->arena, at, 1, true);
    return add_store(p, tail, left, fs_ex_binary(p->arena, by > 0 ? FS_AO_ADD : FS_AO_SUB, left,
                                                 one));
  }
  const char *call;
  int op = assigning(p, &call);
  if (op == NONE)
    return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL,
                     "expected an assignment, found %s",
                fs_c_found(p));
  fs_c_next(p);
  struct fs_expr *right = fs_c_rule_expr(p);
  if (!right) return false;
  if (fs_c_is(p, ",") && !p->in_head)
    return fs_c_refuse(p, fs_c_cur(p)->span, "one assignment is one statement");
  struct fs_expr *pair[] = {left, right};
  if (op == CALL) right = fs_ex_call(p->arena, call, fs_span_join(left->span, right->span), 2, pair);
  else if (op != SET) right = fs_ex_binary(p->arena, (enum fs_ast_op)op, left, right);
  return add_store(p, tail, left, right);
}

/* atomicAdd(&h[k[i]], e), atomic_add(h + k[i], e): as h[k[i]] += e */
static bool rule_atomic(struct fs_c_reader *p, struct fs_stmt ***tail, bool *is_one) {
  static const struct { const char *name, *function; enum fs_ast_op op; } atomics[] = {
      {"add", NULL, FS_AO_ADD}, {"sub", NULL, FS_AO_SUB}, {"inc", NULL, FS_AO_ADD},
      {"dec", NULL, FS_AO_SUB}, {"max", "max", FS_AO_ADD}, {"min", "min", FS_AO_ADD}};
  const struct fs_c_token *t = fs_c_cur(p);
  struct fs_expr *left, *value = NULL;
  size_t k = FS_LEN(atomics);
  bool cuda = !strncmp(t->text, "atomic", 6) && t->text[6] >= 'A' && t->text[6] <= 'Z';
  const char *rest = cuda                                ? t->text + 6
                     : !strncmp(t->text, "atomic_", 7) ? t->text + 7
                     : !strncmp(t->text, "atom_", 5)   ? t->text + 5
                                                       : "";
  for (size_t a = 0; a < FS_LEN(atomics); a++)
    if (!strcasecmp(rest, atomics[a].name)) k = a;
  bool counts = k == 2 || k == 3; /* CUDA's begin again at a limit */
  *is_one = k < FS_LEN(atomics) && !(cuda && counts);
  if (!*is_one) return true;
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  struct fs_span at = fs_c_cur(p)->span;
  left = fs_c_accept(p, "&") ? fs_c_rule_unary(p) : fs_c_addressed(p, at, true);
  if (!left) return false;
  bool shared = false;
  for (int l = 0; l < p->locals.len && left->kind == FS_EX_CALL; l++)
    shared |= p->locals.data[l].shared && !strcmp(p->locals.data[l].name, left->args[1]->text);
  if (left->kind != FS_EX_INDEX && !shared)
    return fs_c_refuse(p, at,
                  "an address is that of a parameter's element: &a[i], a + i, or *a, *(a + i)");
  if (counts) value = fs_ex_number(p->arena, at, 1, true);
  else if (fs_c_expect(p, ",")) {
    p->in_atomic = fs_c_ahead(p) != fs_c_cur(p) && fs_c_is_ahead(p, ")");
    value = fs_c_rule_ternary(p);
    p->in_atomic = false;
  }
  if (!value || !fs_c_expect(p, ")")) return false;
  struct fs_expr *args[] = {left, value};
  struct fs_span span = fs_span_join(t->span, p->last);
  value = atomics[k].function
              ? fs_ex_call(p->arena, atomics[k].function, span, 2, args)
              : fs_ex_binary(p->arena, atomics[k].op, left, value);
  struct fs_stmt **store = *tail;
  bool good = add_store(p, tail, left, value);
  if (good && *store) (*store)->text = "atomic";
  return good;
}

/* -- blocks --------------------------------------------------------------------------- */

/* One statement, or those between braces, in a scope of their own. */
static bool rule_body(struct fs_c_reader *p, struct fs_stmt **first) {
  struct fs_stmt **tail = first;
  int scope = p->scope.len;
  *first = NULL;
  p->bodies++;
  p->level++;
  if (!fs_c_enter(p) || !fs_c_rule_statement(p, &tail)) return false;
  p->level--;
  p->depth--;
  p->scope.len = scope;
  return true;
}

static bool rule_if(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_IF, fs_c_cur(p)->span);
  fs_c_next(p);
  if (!fs_c_expect(p, "(") || !(s->expr = fs_c_rule_expr(p)) || !fs_c_expect(p, ")")) return false;
  s->span = fs_span_join(s->span, p->last);
  if (!rule_body(p, &s->body)) return false;
  if (fs_c_accept_word(p, "else") && !rule_body(p, &s->orelse)) return false;
  add(tail, s);
  return true;
}

static bool rule_grid_while(struct fs_c_reader *p, struct fs_stmt ***tail, bool *is_one);

/* An expression that is evaluated again and again. */
static struct fs_expr *rule_again(struct fs_c_reader *p) {
  p->before = NULL;
  return fs_c_rule_expr(p);
}

static bool rule_while(struct fs_c_reader *p, struct fs_stmt ***tail) {
  bool grid;
  if (!rule_grid_while(p, tail, &grid) || grid) return p->st == FS_OK;
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_WHILE, fs_c_cur(p)->span);
  fs_c_next(p);
  if (!fs_c_expect(p, "(") || !(s->expr = rule_again(p)) || !fs_c_expect(p, ")")) return false;
  s->span = fs_span_join(s->span, p->last);
  p->loops++;
  if (!rule_body(p, &s->body)) return false;
  p->loops--;
  add(tail, s);
  return true;
}

/* __syncthreads(); barrier(CLK_LOCAL_MEM_FENCE); */
static bool rule_barrier(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_BARRIER, fs_c_cur(p)->span);
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  while (!fs_c_is(p, ")") && fs_c_cur(p)->kind != FS_CT_END) fs_c_next(p);
  add(tail, s);
  return fs_c_expect(p, ")") && fs_c_expect(p, ";");
}

static struct fs_expr *truth(struct fs_c_reader *p, struct fs_span span) {
  struct fs_expr *e = fs_ex_node(p->arena, FS_EX_BOOL, span, 0, NULL);
  e->number = 1;
  return e;
}

/* do s while (c); is s, and while (c) s */
static bool rule_do(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_WHILE, fs_c_cur(p)->span);
  struct fs_stmt *once = fs_st_node(p->arena, FS_ST_IF, fs_c_cur(p)->span);
  fs_c_next(p);
  p->loops++;
  if (!rule_body(p, &s->body)) return false;
  p->loops--;
  if (fs_st_has_jump(s->body))
    return fs_c_refuse(p, s->span, "a `do` that is left within is not read");
  if (!fs_c_accept_word(p, "while"))
    return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL, "expected `while`, found %s",
                     fs_c_found(p));
  if (!fs_c_expect(p, "(") || !(s->expr = rule_again(p)) || !fs_c_expect(p, ")") ||
      !fs_c_expect(p, ";")) return false;
  once->expr = truth(p, once->span);
  once->body = s->body;
  add(tail, once);
  add(tail, s);
  return true;
}

/* case 1: case 2: whether the value is one of these; NULL for default: */
static bool rule_labels(struct fs_c_reader *p, struct fs_expr *of, struct fs_expr **is_one) {
  *is_one = NULL;
  for (bool other = false;;) {
    if (fs_c_accept_word(p, "default")) {
      other = true;
    } else if (fs_c_accept_word(p, "case")) {
      struct fs_expr *e = fs_c_rule_ternary(p);
      if (!e) return false;
      e = fs_ex_binary(p->arena, FS_AO_EQ, of, e);
      *is_one = *is_one ? fs_ex_binary(p->arena, FS_AO_OR, *is_one, e) : e;
    } else {
      if (other) *is_one = NULL;
      return true;
    }
    if (!fs_c_expect(p, ":")) return false;
  }
}

/* switch (e) { case 1: s; break; default: s; }, as a chain of `if` */
static bool rule_switch(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_span at = fs_c_cur(p)->span;
  struct fs_expr *of, *is_one;
  struct fs_stmt **chain = NULL, *first = NULL;
  fs_c_next(p);
  if (!fs_c_expect(p, "(") || !(of = fs_c_rule_expr(p)) || !fs_c_expect(p, ")") ||
      !fs_c_expect(p, "{")) return false;
  for (chain = &first; !fs_c_is(p, "}") && p->st == FS_OK;) {
    struct fs_span arm = fs_c_cur(p)->span;
    if (!fs_c_is_word(p, "case") && !fs_c_is_word(p, "default"))
      return fs_c_fail(p, arm, "kernel-syntax", NULL, "expected `case` or `default`, found %s",
                       fs_c_found(p));
    if (!rule_labels(p, of, &is_one)) return false;
    struct fs_stmt *body = NULL, **end = &body, *s = fs_st_node(p->arena, FS_ST_IF, arm);
    int scope = p->scope.len;
    bool ended = false;
    p->level++;
    while (!fs_c_is(p, "}") && !fs_c_is_word(p, "case") && !fs_c_is_word(p, "default") && !ended &&
           p->st == FS_OK) {
      ended = fs_c_is_word(p, "break") || fs_c_is_word(p, "return");
      if (fs_c_accept_word(p, "break")) {
        if (!fs_c_expect(p, ";")) return false;
      } else if (!fs_c_rule_statement(p, &end)) {
        return false;
      }
    }
    p->level--;
    p->scope.len = scope;
    if (!ended && !fs_c_is(p, "}"))
      return fs_c_refuse(p, fs_c_cur(p)->span,
                         "a `case` that goes on into the next one is not read");
    if (!is_one && !fs_c_is(p, "}")) return fs_c_refuse(p, arm, "`default` stands last");
    s->expr = is_one ? is_one : truth(p, arm);
    s->body = body;
    *chain = s;
    chain = &s->orelse;
  }
  if (first) add(tail, first);
  if (first) first->span = at;
  return fs_c_expect(p, "}");
}

static bool is_counter(const struct fs_expr *e, const char *name) {
  return e->kind == FS_EX_NAME && !strcmp(e->text, name);
}

/* i < n; up to which number it counts. */
static struct fs_expr *rule_limit(struct fs_c_reader *p, const char *name, bool *up) {
  struct fs_expr *c = rule_again(p);
  if (!c) return NULL;
  bool compares = c->kind == FS_EX_BINARY && c->op >= FS_AO_LT && c->op <= FS_AO_GE;
  bool left = compares && is_counter(c->args[0], name);
  bool right = compares && !left && is_counter(c->args[1], name);
  if (!left && !right) {
    fs_c_refuse(p, c->span, "a loop goes on while its counter is less or more: i < n");
    return NULL;
  }
  struct fs_expr *last = c->args[left];
  bool less = c->op == FS_AO_LT || c->op == FS_AO_LE;
  bool strict = c->op == FS_AO_LT || c->op == FS_AO_GT;
  *up = less == left;
  struct fs_expr *one = fs_ex_number(p->arena, last->span, 1, true);
  struct fs_expr *e = strict ? fs_ex_binary(p->arena, *up ? FS_AO_SUB : FS_AO_ADD, last,
                                            one) : last;
  e->span = last->span;
  return e;
}

/* i++, i += 2, i = i + 2: by how much; NULL: that is said. */
static struct fs_expr *rule_step(struct fs_c_reader *p, const char *name, bool *up) {
  struct fs_stmt *s = NULL, **tail = &s;
  struct fs_span at = fs_c_cur(p)->span;
  struct fs_c_binding *b = &p->scope.data[p->scope.len - 1];
  b->counter = false;
  p->before = NULL;
  p->in_head = true;
  bool read = rule_assignment(p, &tail);
  p->in_head = false;
  p->scope.data[p->scope.len - 1].counter = true;
  if (!read) return NULL;
  const struct fs_expr *e = s->kind == FS_ST_ASSIGN && !strcmp(s->targets[0].name,
                                                               name) ? s->expr : NULL;
  bool sums = e && e->kind == FS_EX_BINARY && (e->op == FS_AO_ADD || e->op == FS_AO_SUB);
  int of = sums && is_counter(e->args[0], name) ? 1 : sums && e->op == FS_AO_ADD &&
           is_counter(e->args[1], name) ? 0 : -1;
  if (of < 0) {
    fs_c_refuse(p, at, "a counter goes on by i++, i--, i += k or i = i + k");
    return NULL;
  }
  *up = e->op == FS_AO_ADD;
  return e->args[of];
}

/* Names of outside that a loop of strides changes have only what one thread gathers. */
static void mark_strided(struct fs_c_reader *p, const struct fs_stmt *list, int scope) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    for (int k = 0; k < scope && s->kind == FS_ST_ASSIGN; k++)
      if (!strcmp(p->scope.data[k].name, s->targets[0].name) && p->scope.data[k].local >= 0 &&
          !p->locals.data[p->scope.data[k].local].shared)
        p->locals.data[p->scope.data[k].local].strided = true;
    mark_strided(p, s->body, scope);
    mark_strided(p, s->orelse, scope);
  }
}

/* for (int i = idx; i < n; i += blockDim.x*gridDim.x): each thread takes one i, if that is
 * less than n. */
static bool rule_grid(struct fs_c_reader *p, struct fs_stmt ***tail, const struct fs_stmt *loop,
                      struct fs_expr *const *range, int scope) {
  struct fs_c_binding *b = &p->scope.data[p->scope.len - 1];
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_IF, fs_span_join(loop->span, p->last));
  b->name = range[0]->text;
  b->counter = true;
  b->local = -1;
  s->text = FS_C_STRIDES;
  s->expr = fs_ex_binary(p->arena, FS_AO_LE, fs_ex_name(p->arena, range[0]->span, b->name),
                         range[2]);
  if (!rule_body(p, &s->body)) return false;
  p->scope.len = scope;
  mark_strided(p, s->body, scope);
  add(tail, s);
  return true;
}

/* A local name that is a thread's number, idx and its like: its binding. */
static struct fs_c_binding *thread_counter(struct fs_c_reader *p, const char **thread) {
  struct fs_c_binding *b = fs_c_cur(p)->kind == FS_CT_NAME ? fs_c_bound(p, fs_c_cur(p)->text)
      : NULL;
  if (!b || b->local < 0 || b->counter || !p->locals.data[b->local].once) return NULL;
  const struct fs_expr *e = p->locals.data[b->local].once;
  if (e->kind != FS_EX_NAME || !fs_c_is_thread(e->text)) return NULL;
  *thread = e->text;
  return b;
}

/* int i = idx; for (; i < n; i += stride): at the first semicolon. */
static bool rule_grid_for(struct fs_c_reader *p, struct fs_stmt ***tail, struct fs_stmt *loop) {
  struct fs_expr *range[3];
  const char *thread;
  bool up, by_up;
  struct fs_span at = fs_c_cur(p)->span;
  fs_c_next(p);
  const struct fs_c_token *t = fs_c_cur(p);
  struct fs_c_binding *of = thread_counter(p, &thread);
  if (!of) return fs_c_refuse(p, at, "a loop begins with its counter, a whole number: int i = 0");
  int scope = p->scope.len, out = (int)(of - p->scope.data);
  struct fs_c_binding *b = fs_c_declare(p, t, FS_C_I32);
  const char *name = b->name;
  b->counter = p->locals.data[b->local].counts = true;
  if (!(range[2] = rule_limit(p, name, &up)) || !fs_c_expect(p, ";")) return false;
  if (!(range[1] = rule_step(p, name, &by_up)) || !fs_c_expect(p, ")")) return false;
  range[0] = fs_ex_name(p->arena, t->span, thread);
  if (!up || !by_up || axis_of_grid(p, range[1]) != thread[2])
    return fs_c_refuse(p, range[1]->span, "a loop of a thread's number goes on by all threads");
  p->scope.data[out].lost = true;
  return rule_grid(p, tail, loop, range, scope);
}

/* int i = idx; while (i < n) { ...; i += stride; }; *is_one: it is such a loop. */
static bool rule_grid_while(struct fs_c_reader *p, struct fs_stmt ***tail, bool *is_one) {
  const char *thread, *name = NULL;
  int at = p->at, open = 0, end = 0;
  bool up, by_up;
  *is_one = false;
  if (at + 2 >= p->words.len) return true;
  p->at += 2; /* while ( */
  struct fs_c_binding *of = thread_counter(p, &thread);
  int out = of ? (int)(of - p->scope.data) : -1;
  if (of) name = fs_c_cur(p)->text;
  p->at = at;
  for (int k = at; k < p->words.len && name && !end; k++) { /* the last statement of its body */
    const struct fs_c_token *w = &p->words.data[k];
    if (w->kind != FS_CT_SIGN) continue;
    open += !strcmp(w->text, "{") - !strcmp(w->text, "}");
    if (!open && !strcmp(w->text, "}")) end = k;
    if (!open && !strcmp(w->text, ";")) break;
  }
  int step = end;
  for (int k = end - 2; k > at && end; k--) {
    const struct fs_c_token *w = &p->words.data[k];
    bool ends = w->kind == FS_CT_SIGN &&
        (!strcmp(w->text, ";") || !strcmp(w->text, "{") || !strcmp(w->text, "}"));
    if (!ends) step = k;
    else break;
  }
  const struct fs_c_token *first = &p->words.data[step];
  *is_one = step < end && first->kind == FS_CT_NAME && !strcmp(first->text, name) &&
            !strcmp(p->words.data[step + 1].text ? p->words.data[step + 1].text : "", "+=");
  if (!*is_one) return true;
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_IF, fs_c_cur(p)->span), **body = &s->body;
  int scope = p->scope.len;
  p->at = at + 2;
  struct fs_c_binding *b = fs_c_declare(p, first, FS_C_I32);
  const char *counter = b->name;
  b->counter = p->locals.data[b->local].counts = true;
  struct fs_expr *last = rule_limit(p, counter, &up), *by;
  if (!last || !fs_c_expect(p, ")") || !fs_c_expect(p, "{")) return false;
  int after = p->at;
  p->at = step;
  if (!(by = rule_step(p, counter, &by_up))) return false;
  if (!up || !by_up || axis_of_grid(p, by) != thread[2])
    return fs_c_refuse(p, by->span, "a loop of a thread's number goes on by all threads");
  p->at = after;
  p->scope.data[p->scope.len - 1].name = thread;
  p->scope.data[p->scope.len - 1].local = -1;
  s->expr = fs_ex_binary(p->arena, FS_AO_LE, fs_ex_name(p->arena, s->span, thread), last);
  p->level++;
  while (p->at < step && p->st == FS_OK)
    if (!fs_c_rule_statement(p, &body)) return false;
  p->level--;
  p->scope.len = scope;
  mark_strided(p, s->body, scope);
  p->scope.data[out].lost = true;
  p->at = end;
  add(tail, s);
  return fs_c_expect(p, "}");
}

/* s >>= 1, s /= 2, s = s / 2 and s = s >> 1, for a tree of sums in shared memory (cuda_c_tile.c),
 * or s <<= 1 and the like: which of both; it is passed over. NULL: it is none. */
static const char *halves(struct fs_c_reader *p, const char *name) {
  static const struct { const char *sign; int by; bool down; } signs[] = {
      {">>", 1, true}, {"/", 2, true}, {"<<", 1, false}, {"*", 2, false}};
  const struct fs_c_token *w = &p->words.data[p->at];
  if (p->at + 5 >= p->words.len || w[0].kind != FS_CT_NAME || strcmp(w[0].text, name) ||
      w[1].kind != FS_CT_SIGN)
    return NULL;
  bool far = !strcmp(w[1].text, "=");
  if (far && (w[2].kind != FS_CT_NAME || strcmp(w[2].text, name))) return NULL;
  const struct fs_c_token *sign = &w[far ? 3 : 1], *by = &w[far ? 4 : 2];
  if (sign->kind != FS_CT_SIGN || by->kind != FS_CT_NUMBER) return NULL;
  for (size_t k = 0; k < FS_LEN(signs); k++) {
    size_t len = strlen(signs[k].sign);
    if (strncmp(sign->text, signs[k].sign, len) || strcmp(sign->text + len, far ? "" : "=") ||
        by->number != signs[k].by)
      continue;
    for (int n = 0; n < (far ? 5 : 3); n++) fs_c_next(p);
    return signs[k].down ? FS_C_HALVED : FS_C_DOUBLED;
  }
  return NULL;
}

/* More counters of a loop: for (int a = 0, b = 1; a < n; a += s, b += t). */
struct more { const struct fs_c_token *t; struct fs_expr *first, *step; int local; bool up; };
enum { MOST_MORE = 4 };

/* Behind the first one's begin. */
static bool rule_more(struct fs_c_reader *p, enum fs_c_type type, struct more *more, int *n) {
  while (fs_c_accept(p, ",")) {
    if (*n == MOST_MORE || fs_c_cur(p)->kind != FS_CT_NAME)
      return fs_c_refuse(p, fs_c_cur(p)->span, "a loop has up to five counters");
    struct more *m = &more[(*n)++];
    m->t = fs_c_cur(p);
    fs_c_next(p);
    if (!fs_c_expect(p, "=") || !(m->first = fs_c_rule_expr(p))) return false;
  }
  for (int k = 0; k < *n; k++) {
    more[k].local = fs_c_declare(p, more[k].t, type)->local;
    p->locals.data[more[k].local].counts = true; /* so that its step is a step */
  }
  return true;
}

/* Behind the first one's step. */
static bool rule_more_steps(struct fs_c_reader *p, struct more *more, int n) {
  for (int k = 0; k < n; k++) {
    struct fs_stmt *s = NULL, **tail = &s;
    const char *name = p->locals.data[more[k].local].name;
    if (!fs_c_expect(p, ",")) return false;
    p->in_head = true;
    bool read = rule_assignment(p, &tail);
    p->in_head = false;
    if (!read) return false;
    const struct fs_expr *e = s->kind == FS_ST_ASSIGN && !strcmp(s->targets[0].name, name)
                                  ? s->expr : NULL;
    bool sums = e && e->kind == FS_EX_BINARY && (e->op == FS_AO_ADD || e->op == FS_AO_SUB) &&
                is_counter(e->args[0], name);
    if (!sums)
      return fs_c_refuse(p, more[k].t->span, "counters go on in their order, by i++, i += k");
    more[k].step = e->args[1];
    more[k].up = e->op == FS_AO_ADD;
  }
  return true;
}

/* Such a loop counts its rounds, of which all counters are sums: the first one's local and
 * range. */
static bool rule_rounds(struct fs_c_reader *p, struct fs_stmt ***tail, struct fs_stmt *s, int local,
                        struct fs_expr *const *range, bool up, struct more *more, int n) {
  const struct fs_c_token word = {.kind = FS_CT_NAME, .text = "round",
                                  .span = p->locals.data[local].span};
  struct fs_c_binding *b = fs_c_declare(p, &word, FS_C_I32);
  const char *round = b->name;
  struct fs_span at = word.span;
  struct fs_stmt *first = NULL, **end = &first, *body = NULL;
  p->locals.data[b->local].counts = true;
  b->counter = true;
  struct fs_expr *way = fs_ex_binary(p->arena, FS_AO_SUB, range[up ? 2 : 0], range[up ? 0 : 2]);
  struct fs_expr *all[] = {fs_ex_number(p->arena, at, 0, true), fs_ex_number(p->arena, at, 1, true),
                           fs_ex_binary(p->arena, FS_AO_DIV, way, range[1])};
  for (int k = -1; k < n; k++) {
    int of = k < 0 ? local : more[k].local;
    struct fs_expr *go = fs_ex_binary(p->arena, FS_AO_MUL, k < 0 ? range[1] : more[k].step,
                                      fs_ex_name(p->arena, at, round));
    bool rises = k < 0 ? up : more[k].up;
    struct fs_expr *value = fs_ex_binary(p->arena, rises ? FS_AO_ADD : FS_AO_SUB,
                                         k < 0 ? range[0] : more[k].first, go);
    const struct fs_c_binding to = {.name = p->locals.data[of].name};
    p->locals.data[of].counts = false;
    p->locals.data[of].once = value;
    add_assign(p, &end, &to, at, value);
  }
  s->span = fs_span_join(s->span, p->last);
  s->expr = fs_ex_node(p->arena, FS_EX_RANGE, at, 3, all);
  fs_st_target(p->arena, s, round, at);
  p->loops++;
  if (!rule_body(p, &body)) return false;
  p->loops--;
  *end = body;
  s->body = first;
  add(tail, s);
  return true;
}

/* for (int i = a; i < b; i++) */
static bool rule_counted(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_FOR, fs_c_cur(p)->span);
  struct fs_expr *range[3];
  enum fs_c_type type = FS_C_I32;
  int scope = p->scope.len;
  bool up, by_up, own;
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  own = fs_c_begins_type(p);
  if (fs_c_is(p, ";")) return rule_grid_for(p, tail, s);
  if (own && !fs_c_rule_type(p, &type)) return false;
  if (fs_c_cur(p)->kind != FS_CT_NAME || type > FS_C_I64)
    return fs_c_refuse(p, fs_c_cur(p)->span,
                       "a loop begins with its counter, a whole number: int i = 0");
  const struct fs_c_token *t = fs_c_cur(p);
  struct fs_c_binding *outer = own ? NULL : fs_c_bound(p, t->text);
  int out = outer ? (int)(outer - p->scope.data) : -1;
  if (!own && (!outer || outer->local < 0 || outer->counter))
    return fs_c_refuse(p, t->span,
                       "the counter of a loop is a local name that counts no other loop");
  fs_c_next(p);
  struct more more[MOST_MORE];
  int n_more = 0;
  if (!fs_c_expect(p, "=") || !(range[0] = fs_c_rule_expr(p))) return false;
  if (own && !rule_more(p, type, more, &n_more)) return false;
  if (!fs_c_expect(p, ";")) return false;
  if (out >= 0) p->locals.data[p->scope.data[out].local].once = NULL;
  struct fs_c_binding *b = fs_c_declare(p, t, type);
  const char *name = b->name;
  b->counter = p->locals.data[b->local].counts = true;
  if (!(range[2] = rule_limit(p, name, &up)) || !fs_c_expect(p, ";")) return false;
  const char *tree = halves(p, t->text);
  bool shares = false;
  for (int k = 0; k < p->locals.len; k++) shares |= p->locals.data[k].shared;
  if (tree && !shares && !p->warps)
    return fs_c_refuse(p, t->span, "a counter goes on by i++, i--, i += k or i = i + k");
  if (tree) {
    range[1] = fs_ex_name(p->arena, t->span, tree);
    by_up = strcmp(tree, FS_C_HALVED) != 0;
  } else if (!(range[1] = rule_step(p, name, &by_up))) {
    return false;
  }
  if (!rule_more_steps(p, more, n_more) || !fs_c_expect(p, ")")) return false;
  if (n_more) {
    if (up != by_up || tree)
      return fs_c_refuse(p, t->span, "the counter goes away from where it ends");
    p->scope.data[p->scope.len - 1].counter = false;
    bool good = rule_rounds(p, tail, s, p->scope.data[p->scope.len - 1].local, range, up, more,
                            n_more);
    p->scope.len = scope;
    return good;
  }
  char axis = axis_of_grid(p, range[1]);
  const struct fs_expr *thread = looked_up(p, range[0]);
  if (axis && up && by_up && own && thread->kind == FS_EX_NAME && fs_c_is_thread(thread->text) &&
      thread->text[2] == axis) {
    range[0] = fs_ex_name(p->arena, range[0]->span, thread->text);
    return rule_grid(p, tail, s, range, scope);
  }
  if (up != by_up) return fs_c_refuse(p, range[1]->span,
                                      "the counter goes away from where it ends");
  if (!by_up && !tree) {
    struct fs_expr *step = fs_ex_node(p->arena, FS_EX_UNARY, range[1]->span, 1, &range[1]);
    step->op = FS_AO_NEG;
    range[1] = step;
  }
  s->span = fs_span_join(s->span, p->last);
  s->expr = fs_ex_node(p->arena, FS_EX_RANGE, fs_span_join(range[0]->span, range[2]->span), 3,
                       range);
  fs_st_target(p->arena, s, name, t->span);
  p->loops++;
  if (!rule_body(p, &s->body)) return false;
  p->loops--;
  p->scope.len = scope;
  if (out >= 0) p->scope.data[out].lost = true;
  add(tail, s);
  return true;
}

static bool goes_on(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    bool loop = s->kind == FS_ST_FOR || s->kind == FS_ST_WHILE;
    if (s->kind == FS_ST_CONTINUE || (!loop && (goes_on(s->body) || goes_on(s->orelse))))
      return true;
  }
  return false;
}

/* a = b, c++ up to a sign */
static bool rule_steps(struct fs_c_reader *p, struct fs_stmt ***tail, const char *sign) {
  p->in_head = true;
  while (!fs_c_is(p, sign) && p->st == FS_OK) {
    if (!rule_assignment(p, tail)) break;
    if (!fs_c_accept(p, ",")) break;
  }
  p->in_head = false;
  return p->st == FS_OK && fs_c_expect(p, sign);
}

/* for (int d = 2; d*d <= n; d++), of any condition and step, is a `while`. */
static bool rule_any_for(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_WHILE, fs_c_cur(p)->span);
  enum fs_c_type type;
  int scope = p->scope.len, open = 1;
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  p->level++;
  bool own = fs_c_begins_type(p);
  if (own && (!fs_c_rule_type(p, &type) || !rule_declarators(p, type, tail) ||
              !fs_c_expect(p, ";")))
    return false;
  if (!own && !rule_steps(p, tail, ";")) return false;
  s->expr = fs_c_is(p, ";") ? truth(p, s->span) : rule_again(p);
  if (!s->expr || !fs_c_expect(p, ";")) return false;
  int steps = p->at;
  for (; open && fs_c_cur(p)->kind != FS_CT_END; fs_c_next(p))
    open += fs_c_is(p, "(") - fs_c_is(p, ")");
  s->span = fs_span_join(s->span, p->last);
  p->loops++;
  if (!rule_body(p, &s->body)) return false;
  p->loops--;
  if (goes_on(s->body))
    return fs_c_refuse(p, s->span, "a `continue` is read in loops of a counter: i < n; i++");
  struct fs_stmt **end = &s->body;
  int after = p->at;
  while (*end) end = &(*end)->next;
  p->at = steps;
  p->level++;
  p->before = NULL;
  if (!rule_steps(p, &end, ")")) return false;
  p->level -= 2;
  p->at = after;
  p->scope.len = scope;
  add(tail, s);
  return true;
}

static bool rule_for(struct fs_c_reader *p, struct fs_stmt ***tail) {
  int at = p->at, scope = p->scope.len, locals = p->locals.len, bodies = p->bodies;
  int said = p->diags->list.len, level = p->level, depth = p->depth;
  struct fs_stmt **end = *tail;
  FS_VEC(struct fs_c_name) before = {0};
  for (int k = 0; k < locals; k++) *FS_PUSH(&before) = p->locals.data[k];
  bool good = rule_counted(p, tail);
  if (!good && p->st == FS_ERR_USER && p->bodies == bodies) { /* its head is of another kind */
    struct fs_c_unread first = {.why = NULL};
    const struct fs_diag *d = &p->diags->list.data[said];
    first.at = d->span;
    first.why = fs_arena_strndup(p->arena, d->message, strlen(d->message));
    first.hint = d->hint ? fs_arena_strndup(p->arena, d->hint, strlen(d->hint)) : NULL;
    fs_diags_cut(p->diags, said);
    p->st = FS_OK;
    p->at = at, p->scope.len = scope, p->locals.len = locals, p->level = level, p->depth = depth;
    for (int k = 0; k < locals; k++) p->locals.data[k] = before.data[k];
    *tail = end;
    **tail = NULL;
    bodies = p->bodies;
    good = rule_any_for(p, tail);
    if (!good && p->st == FS_ERR_USER && p->bodies == bodies) { /* nor is it of that */
      fs_diags_cut(p->diags, said);
      p->st = FS_OK;
      fs_c_refuse_unread(p, &first);
    }
  }
  FS_VEC_FREE(&before);
  return good;
}

static bool rule_jump(struct fs_c_reader *p, struct fs_stmt ***tail) {
  struct fs_span at = fs_c_cur(p)->span;
  bool leaves = fs_c_is_word(p, "return");
  struct fs_stmt *s =
      fs_st_node(p->arena, fs_c_is_word(p, "break") ? FS_ST_BREAK : FS_ST_CONTINUE, at);
  if (leaves && p->in_function && !p->loops) {
    fs_c_next(p);
    s = fs_st_node(p->arena, FS_ST_RETURN, at);
    add(tail, s);
    return (s->expr = fs_c_rule_expr(p)) && fs_c_expect(p, ";");
  }
  if (leaves && p->put_in)
    return fs_c_refuse(p, at, "a function with loops gives its number at its end");
  if (leaves && p->loops) return fs_c_refuse(p, at, "a `return` within a loop is not read");
  if (!leaves && !p->loops) return fs_c_fail(p, at, "kernel-syntax", NULL, "%s stands in no loop",
                                        fs_c_found(p));
  fs_c_next(p);
  if (leaves && !fs_c_is(p, ";")) return fs_c_refuse(p, at, "a kernel gives nothing back");
  add(tail, s);
  return fs_c_expect(p, ";");
}

/* -- functions as statements -------------------------------------------------------------- */

/* One parameter and what is given for it: the words go from one to the other and back. */
static bool give(struct fs_c_reader *p, int *param, int *arg) {
  enum fs_c_type type;
  bool refers = false, points = false;
  struct fs_expr *value;
  p->at = *param;
  if (!fs_c_rule_type(p, &type)) return false;
  for (; fs_c_is(p, "*") || fs_c_is(p, "&") ||
         (fs_c_cur(p)->kind == FS_CT_NAME && fs_c_is_qualifier(p, fs_c_cur(p)->text));
       fs_c_next(p))
    points |= fs_c_is(p, "*"), refers |= fs_c_is(p, "&");
  const struct fs_c_token *t = fs_c_cur(p);
  if (t->kind != FS_CT_NAME || type == FS_C_VOID)
    return fs_c_refuse(p, t->span, "the parameters of a function are numbers and pointers");
  fs_c_next(p);
  if (fs_c_accept(p, "[")) { /* float x[], float x[3] */
    points = true;
    if (!fs_c_is(p, "]") && !fs_c_rule_expr(p)) return false;
    if (!fs_c_expect(p, "]")) return false;
  }
  *param = p->at;
  p->at = *arg;
  struct fs_span at = fs_c_cur(p)->span;
  struct fs_c_binding *of =
      fs_c_cur(p)->kind == FS_CT_NAME ? fs_c_bound(p, fs_c_cur(p)->text) : NULL;
  struct fs_c_binding same = of ? *of : (struct fs_c_binding){.local = -1};
  bool name = same.local >= 0 && !same.counter && (fs_c_is_ahead(p, ",") || fs_c_is_ahead(p, ")"));
  bool own = name && p->locals.data[same.local].n_dims > 0;
  if (refers || (points && own)) {
    if (!name || own != points)
      return fs_c_refuse(p, at, "what a function changes is given as a local name");
    fs_c_next(p);
    same.c = t->text;
    *FS_PUSH(&p->scope) = same;
  } else if (points) {
    value = fs_c_accept(p, "&") ? fs_c_rule_unary(p) : fs_c_addressed(p, at, true);
    if (!value) return false;
    if (value->kind != FS_EX_INDEX || value->n_args != 2 || (!fs_c_is(p, ",") && !fs_c_is(p, ")")))
      return fs_c_refuse(p, at, "a pointer is a parameter, or begins as one: A + i");
    int k = 0;
    while (strcmp(p->params.data[k].name, value->args[0]->text)) k++;
    *FS_PUSH(&p->scope) = (struct fs_c_binding){.c = t->text, .name = t->text, .local = -1,
                                                .param = k, .level = p->level,
                                                .offset = value->args[1]};
  } else {
    if (!(value = fs_c_rule_ternary(p))) return false;
    struct fs_c_binding *b = fs_c_declare(p, t, type);
    value = fs_ex_call(p->arena, fs_c_casts[type], value->span, 1, &value);
    p->locals.data[b->local].once = value;
    add_assign(p, p->before, b, t->span, value);
  }
  *arg = p->at;
  return true;
}

/* The statements of a function up to its end, at which it may give a number. */
static bool rule_put_in(struct fs_c_reader *p, enum fs_c_type type, struct fs_expr **out) {
  struct fs_stmt ***tail = p->before;
  while (!fs_c_is(p, "}") && p->st == FS_OK) {
    if (!fs_c_is_word(p, "return")) {
      if (fs_c_cur(p)->kind == FS_CT_END || !fs_c_rule_statement(p, tail)) return false;
      continue;
    }
    struct fs_span at = fs_c_cur(p)->span;
    fs_c_next(p);
    p->before = tail;
    struct fs_expr *e = type == FS_C_VOID ? NULL : fs_c_rule_expr(p);
    if (p->st != FS_OK || !fs_c_expect(p, ";")) return false;
    if (!fs_c_is(p, "}"))
      return fs_c_refuse(p, at, "a function with loops gives its number at its end");
    if (!e) continue;
    const struct fs_c_token word = {.kind = FS_CT_NAME, .text = "given", .span = at};
    struct fs_c_binding *b = fs_c_declare(p, &word, type);
    e = fs_ex_call(p->arena, fs_c_casts[type], e->span, 1, &e);
    p->locals.data[b->local].once = e;
    add_assign(p, tail, b, at, e);
    *out = fs_ex_name(p->arena, at, b->name);
  }
  return p->st == FS_OK;
}

bool fs_c_put_in(struct fs_c_reader *p, const struct fs_c_function *f, struct fs_expr **out) {
  enum { MOST = 16, MOST_OF_ALL = 200 };
  int arg = p->at + 1, param, scope = p->scope.len, loops = p->loops;
  struct fs_stmt ***before = p->before;
  enum fs_c_type type;
  struct fs_span at = fs_c_cur(p)->span;
  if (p->put_in == MOST || p->n_put_in++ == MOST_OF_ALL)
    return fs_c_refuse(p, at, "functions call each other too often");
  p->put_in++;
  p->at = f->at;
  while (fs_c_is_word(p, "inline") || fs_c_is_word(p, "static") ||
         fs_c_is_word(p, "__forceinline__") || fs_c_is_word(p, "__inline__") ||
         fs_c_is_word(p, "__noinline__"))
    fs_c_next(p);
  if (!fs_c_rule_type(p, &type)) return false;
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  param = p->at;
  while (!fs_c_is(p, ")")) {
    if (!give(p, &param, &arg)) return false;
    bool more = fs_c_accept(p, ",");
    arg = p->at;
    p->at = param;
    if (more != fs_c_accept(p, ",")) {
      p->at = arg;
      return fs_c_fail(p, at, "kernel-syntax", NULL, "`%.60s` has another number of parameters",
                       f->name);
    }
    param = p->at;
  }
  fs_c_next(p);
  if (!fs_c_expect(p, "{")) return false;
  p->loops = 0;
  p->level++;
  if (!fs_c_enter(p) || !rule_put_in(p, type, out)) return false;
  p->depth--;
  p->level--;
  p->loops = loops;
  p->scope.len = scope;
  p->before = before;
  p->put_in--;
  p->at = arg;
  return fs_c_expect(p, ")");
}

bool fs_c_rule_block(struct fs_c_reader *p, struct fs_stmt ***tail) {
  int scope = p->scope.len;
  while (!fs_c_is(p, "}") && p->st == FS_OK) {
    if (fs_c_cur(p)->kind == FS_CT_END)
      return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL,
                  "expected `}`, found the end of the file");
    if (!fs_c_rule_statement(p, tail)) return false;
  }
  p->scope.len = scope;
  return fs_c_expect(p, "}");
}

bool fs_c_rule_statement(struct fs_c_reader *p, struct fs_stmt ***tail) {
  static const char *const others[] = {"goto", "case", "default", "struct",
                                       "asm", "typedef", "using"};
  enum fs_c_type type;
  if (p->st != FS_OK) return false;
  p->before = tail;
  if (fs_c_accept(p, ";")) return true;
  if (fs_c_accept(p, "{")) return fs_c_rule_block(p, tail);
  if (fs_c_is_word(p, "if")) return rule_if(p, tail);
  if (fs_c_is_word(p, "for")) return rule_for(p, tail);
  if (fs_c_is_word(p, "while")) return rule_while(p, tail);
  if (fs_c_is_word(p, "__syncthreads") || fs_c_is_word(p, "barrier")) return rule_barrier(p, tail);
  if (fs_c_is_word(p, "do")) return rule_do(p, tail);
  if (fs_c_is_word(p, "switch")) return rule_switch(p, tail);
  if (fs_c_is_word(p, "return") || fs_c_is_word(p, "break") || fs_c_is_word(p, "continue"))
    return rule_jump(p, tail);
  for (size_t k = 0; k < FS_LEN(others); k++)
    if (fs_c_is_word(p, others[k]))
      return fs_c_fail(p, fs_c_cur(p)->span, "kernel-subset",
                       "docs/kernels.md says what of C is read",
                  "`%s` is not read", others[k]);
  if (fs_c_is_word(p, "extern")) fs_c_next(p);
  if (fs_c_begins_type(p) && (fs_c_is_ahead(p, "*") || fs_c_ahead(p)->kind == FS_CT_NAME))
    return fs_c_rule_type(p, &type) && rule_declarators(p, type, tail) && fs_c_expect(p, ";");
  if (fs_c_cur(p)->kind == FS_CT_NAME && fs_c_is_ahead(p, "(")) {
    const struct fs_c_token *t = fs_c_cur(p); /* a call as a statement: of no numbers */
    bool atomic;
    struct fs_expr *unused = NULL;
    if (!rule_atomic(p, tail, &atomic)) return false;
    if (atomic) return fs_c_expect(p, ";");
    for (int k = 0; k < p->functions.len; k++) {
      const struct fs_c_function f = p->functions.data[k];
      if (strcmp(f.name, t->text) || !f.at) continue;
      fs_c_next(p);
      return fs_c_put_in(p, &f, &unused) && fs_c_expect(p, ";");
    }
    return fs_c_fail(p, t->span, "kernel-subset", "docs/kernels.md says what of C is read",
                strstr(t->text, "sync") || strstr(t->text, "barrier")
                    ? "threads that wait for each other are not read: `%.60s`"
                    : "the call of `%.60s` as a statement is not read", t->text);
  }
  return rule_assignment(p, tail) && fs_c_expect(p, ";");
}
