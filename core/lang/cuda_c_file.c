/* cuda_c_file.c - what a file has: kernels, functions, types and constants: see cuda_c.h. */
#include "core/lang/cuda_c_read.h"

/* -- kernels -------------------------------------------------------------------------- */

static bool rule_param(struct fs_c_reader *p) {
  struct fs_c_param out = {0};
  struct fs_span at = fs_c_cur(p)->span;
  if (!fs_c_rule_type(p, &out.type)) return false;
  bool shared = p->shared;
  int stars = 0;
  for (; p->st == FS_OK; fs_c_next(p)) {
    if (fs_c_is(p, "*")) stars++;
    else if (fs_c_cur(p)->kind != FS_CT_NAME || !fs_c_is_qualifier(p, fs_c_cur(p)->text)) break;
  }
  const struct fs_c_token *t = fs_c_cur(p);
  if (t->kind != FS_CT_NAME || stars > 1 || out.type == FS_C_VOID)
    return fs_c_fail(p, t->span, "kernel-subset", "parameters are float *A, float A[N][N] or int n",
                "expected the name of a parameter, found %s", fs_c_found(p));
  fs_c_next(p);
  if (shared) { /* __local float *scratch: as large as a block */
    int64_t size = fs_c_block_size(p);
    if (!size || stars != 1)
      return fs_c_refuse(p, at, "memory that a launch gives is as large as a block: block=256 says "
                                "how many threads that are");
    int local = fs_c_declare(p, t, out.type)->local;
    struct fs_c_name *a = &p->locals.data[local];
    a->shared = true;
    a->n_dims = 1;
    a->dim[0] = size;
    return true;
  }
  out.span = t->span;
  out.array = stars;
  out.lanes = (int)t->number;
  while (fs_c_accept(p, "[")) {
    if (stars || out.rank == FS_C_RANK)
      return fs_c_refuse(p, t->span, "an array has up to four dimensions, and no pointers");
    if (!fs_c_is(p, "]") && !(out.dim[out.rank] = fs_c_rule_expr(p))) return false;
    if (!fs_c_expect(p, "]")) return false;
    out.array = true;
    out.rank++;
  }
  out.name = fs_c_fresh_name(p, t->text);
  *FS_PUSH(&p->scope) = (struct fs_c_binding){.c = t->text, .name = out.name, .local = -1,
                                         .param = p->params.len};
  *FS_PUSH(&p->params) = out;
  return true;
}

/* What stands from the next bracket on to the one that closes it. */
static bool pass_over(struct fs_c_reader *p, const char *opens, const char *closes) {
  int open = 0;
  while (p->st == FS_OK && fs_c_cur(p)->kind != FS_CT_END) {
    int by = fs_c_is(p, opens) - fs_c_is(p, closes);
    open += by;
    fs_c_next(p);
    if (by < 0 && open <= 0) return true;
  }
  return p->st == FS_OK &&
         fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL,
              "expected `%s`, found the end of the file", closes);
}

/* -- tables ---------------------------------------------------------------------------------- */

/* __constant__ float w[3][3] = {...}; behind the type, at the name. */
static bool rule_table(struct fs_c_reader *p, enum fs_c_type type, bool host) {
  struct fs_c_table t = {.name = fs_c_cur(p)->text, .span = fs_c_cur(p)->span, .type = type};
  int64_t count = 1;
  fs_c_next(p);
  while (fs_c_accept(p, "[")) {
    struct fs_expr *e = fs_c_is(p, "]") ? NULL : fs_c_rule_expr(p);
    int64_t n;
    if (p->st != FS_OK) return false;
    if (!e || t.n_dims == FS_C_OWN_DIMS || !fs_c_constant(e, &n) || n < 1 || n > 65536 ||
        (count *= n) > 65536)
      return fs_c_refuse(p, t.span, "an array outside of kernels has a constant size, in up to "
                                    "three dimensions");
    t.dim[t.n_dims++] = n;
    if (!fs_c_expect(p, "]")) return false;
  }
  t.set = fs_c_accept(p, "=");
  t.at = p->at;
  if (!t.set && !host)
    return fs_c_refuse(p, t.span, "what is outside of kernels is a constant, a type or a function");
  if (t.set && count > 256)
    return fs_c_refuse(p, t.span, "an array of constants has up to 256 elements");
  *FS_PUSH(&p->tables) = t;
  if (t.set) pass_over(p, "{", "}");
  return p->st == FS_OK && fs_c_expect(p, ";");
}

/* One that the text sets is an array of a thread's own. */
static bool take_set(struct fs_c_reader *p, const struct fs_c_table *t,
                     const struct fs_c_token *word, struct fs_stmt ***tail) {
  struct fs_c_binding *b = fs_c_declare(p, word, t->type);
  struct fs_c_name *a = &p->locals.data[b->local];
  a->n_dims = t->n_dims;
  memcpy(a->dim, t->dim, sizeof a->dim);
  struct fs_c_name own = *a;
  int at = p->at;
  p->at = t->at;
  bool good = fs_c_rule_values(p, &own, t->span, tail);
  p->at = at;
  return good;
}

/* Those that the kernel has whose body begins here; what a host sets is a parameter. */
static bool take_tables(struct fs_c_reader *p, struct fs_stmt ***tail) {
  int end = p->at, at = p->at;
  for (int open = 1; end < p->words.len && open; end++) {
    const struct fs_c_token *w = &p->words.data[end];
    if (w->kind == FS_CT_SIGN) open += !strcmp(w->text, "{") - !strcmp(w->text, "}");
  }
  for (int k = 0; k < p->tables.len; k++) {
    const struct fs_c_table t = p->tables.data[k];
    const struct fs_c_token word = {.kind = FS_CT_NAME, .text = t.name, .span = t.span};
    bool used = false;
    for (int w = at; w < end && !used; w++)
      used = p->words.data[w].kind == FS_CT_NAME && !strcmp(p->words.data[w].text, t.name);
    if (used && t.set && !take_set(p, &t, &word, tail)) return false;
    if (!used || t.set) continue;
    struct fs_c_param out = {.span = t.span, .type = t.type, .array = t.n_dims > 0,
                             .rank = t.n_dims};
    for (int d = 0; d < t.n_dims; d++)
      out.dim[d] = fs_ex_number(p->arena, t.span, (double)t.dim[d], true);
    out.name = fs_c_fresh_name(p, t.name);
    *FS_PUSH(&p->scope) = (struct fs_c_binding){.c = t.name, .name = out.name, .local = -1,
                                                .param = p->params.len};
    *FS_PUSH(&p->params) = out;
  }
  return true;
}

/* -- what a kernel does to arrays ------------------------------------------------------------- */

/* Elements that a thread has surely stored before, where a statement is reached. */
struct stored {
  int n;
  const struct fs_expr *e[16];
};

static bool keeps_value(const struct fs_c_reader *p, const char *name) {
  for (int k = 0; k < p->locals.len; k++) {
    const struct fs_c_name *l = &p->locals.data[k];
    if (!strcmp(l->name, name)) return l->once || l->counts;
  }
  return true; /* a parameter, a thread */
}

/* The same number, wherever both stand in one round. */
static bool same_number(const struct fs_c_reader *p, const struct fs_expr *a,
                        const struct fs_expr *b) {
  if (a->kind != b->kind || a->n_args != b->n_args || a->op != b->op || a->number != b->number ||
      a->kind == FS_EX_INDEX)
    return false;
  if (a->kind == FS_EX_NAME) return !strcmp(a->text, b->text) && keeps_value(p, a->text);
  int first = a->kind == FS_EX_CALL;
  if (first && strcmp(a->args[0]->text, b->args[0]->text)) return false;
  for (int k = first; k < a->n_args; k++)
    if (!same_number(p, a->args[k], b->args[k])) return false;
  return true;
}

static bool is_stored(const struct fs_c_reader *p, const struct stored *had,
                      const struct fs_expr *e) {
  for (int k = 0; k < had->n; k++) {
    bool same = !strcmp(had->e[k]->args[0]->text, e->args[0]->text);
    for (int d = 1; d < e->n_args && same; d++) same =
        same_number(p, had->e[k]->args[d], e->args[d]);
    if (same) return true;
  }
  return false;
}

static void mark(struct fs_c_reader *p, const struct fs_expr *e, const struct stored *had) {
  if (e->kind == FS_EX_INDEX && !is_stored(p, had, e))
    for (int k = 0; k < p->params.len; k++)
      if (!strcmp(p->params.data[k].name, e->args[0]->text)) p->params.data[k].reads = true;
  for (int k = e->kind == FS_EX_INDEX || e->kind == FS_EX_CALL; k < e->n_args; k++)
    mark(p, e->args[k], had);
}

/* Which arrays are read, before the thread has stored that element itself, and written. */
static void mark_all(struct fs_c_reader *p, const struct fs_stmt *list, struct stored had) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr) mark(p, s->expr, &had);
    if (s->kind == FS_ST_INDEXED) {
      for (int k = 0; k < p->params.len; k++)
        if (!strcmp(p->params.data[k].name, s->targets[0].name)) p->params.data[k].writes = true;
      for (int k = 1; k < s->expr2->n_args; k++) mark(p, s->expr2->args[k], &had);
    }
    if (s->kind == FS_ST_INDEXED && had.n < 16) had.e[had.n++] = s->expr2;
    mark_all(p, s->body, had);
    mark_all(p, s->orelse, had);
  }
}

/* Names of places that nobody needs go, as bx and tx of i = bx*blockDim.x + tx, which is idx. */
static struct fs_stmt *without_places(struct fs_stmt *list) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list; s; s = s->next) {
    const struct fs_expr *e = s->kind == FS_ST_ASSIGN && !s->expr2 ? fs_c_uncast(s->expr) : NULL;
    bool place = e && e->kind == FS_EX_NAME && strchr(e->text, '.');
    if (place && !fs_c_is_read(list, s->targets[0].name)) continue;
    *at = s;
    at = &s->next;
  }
  *at = NULL;
  return first;
}

/* Behind `__global__`. */
static bool rule_kernel(struct fs_c_reader *p, struct fs_c_kernel *out) {
  struct fs_span begin = p->last;
  while (p->st == FS_OK && fs_c_cur(p)->kind == FS_CT_NAME && fs_c_is_ahead(p, "(") &&
         (fs_c_is_word(p, "__launch_bounds__") || fs_c_is_word(p, "__attribute__")))
    pass_over(p, "(", ")");
  if (!fs_c_accept_word(p, "void") || fs_c_cur(p)->kind != FS_CT_NAME)
    return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax",
                "a kernel is __global__ void f(float *x, int n) { ... }",
                "expected `void` and the name of the kernel, found %s", fs_c_found(p));
  const struct fs_c_token word = *fs_c_cur(p), *t = &word; /* its words may be others soon */
  fs_c_next(p);
  p->params.len = p->locals.len = p->scope.len = p->n_put_in = 0;
  for (int a = 0; a < 3; a++)
    p->block[a] = p->given_block ? FS_MAX(p->given_block[a], 1) : 0;
  memset(p->bare, 0, sizeof p->bare);
  memset(p->step, 0, sizeof p->step);
  *out = (struct fs_c_kernel){.name = t->text, .span = t->span};
  if (p->only && strcmp(p->only, t->text)) return pass_over(p, "{", "}");
  if (!fs_c_read_vectors(p) || !fs_c_expect(p, "(")) return false;
  if (!fs_c_accept_word(p, "void") && !fs_c_is(p, ")"))
    do
      if (!rule_param(p)) return false;
    while (fs_c_accept(p, ","));
  struct fs_stmt *body = NULL, **tail = &body;
  if (!fs_c_expect(p, ")") || !fs_c_expect(p, "{") || !take_tables(p, &tail) ||
      !fs_c_rule_block(p, &tail))
    return false;
  if (p->warps && !fs_c_read_warps(p, &body)) return false;
  bool read = fs_c_read_tally(p, &body) || fs_c_read_blocks(p, &body);
  if (p->warps && !read && !fs_c_know_block(p)) return false;
  if (!read) fs_c_read_rows(p, &body);
  if (!read && !fs_c_read_tiles(p, &body)) return false;
  body = without_places(body);
  mark_all(p, body, (struct stored){0});
  *out = (struct fs_c_kernel){.name = t->text, .span = t->span, .body = body};
  out->whole = fs_span_join(begin, p->last);
  out->understood = true;
  for (int a = 0; a < 3; a++) {
    out->part[a] = p->block[a];
    out->block[a] = p->step[a] ? p->step[a] : p->block[a];
  }
  memcpy(out->bare, p->bare, sizeof out->bare);
  out->n_params = p->params.len;
  out->n_locals = p->locals.len;
  out->params = FS_NEW_N(p->arena, struct fs_c_param, out->n_params ? out->n_params : 1);
  out->locals = FS_NEW_N(p->arena, struct fs_c_name, out->n_locals ? out->n_locals : 1);
  for (int k = 0; k < out->n_params; k++) out->params[k] = p->params.data[k];
  for (int k = 0; k < out->n_locals; k++) out->locals[k] = p->locals.data[k];
  bool writes = false;
  for (int k = 0; k < out->n_params; k++) writes |= out->params[k].writes;
  return writes || fs_c_fail(p, t->span, "kernel-subset", NULL,
                        "`%.60s` writes no array: there is nothing that it gives", t->text);
}

/* What comes behind a list of statements. */
struct rest {
  const struct fs_stmt *list;
  const struct rest *behind;
};

/* What a list of statements gives back, and what names are behind it: symbolically. NULL: it ends
 * without that. */
static struct fs_expr *given_back(struct fs_c_reader *p, const struct fs_stmt *list,
                                  const struct rest *rest, struct fs_c_values *v, int *left);

static bool put_value(struct fs_c_reader *p, const struct fs_stmt *s, struct fs_c_values *v,
                      int *left) {
  const char *name = s->targets[0].name;
  struct fs_expr *e = s->expr2 ? NULL : fs_c_inlined(p, v, s->expr, left);
  if (!e || v->n == FS_C_VALUES) return false;
  for (int k = 0; k < p->locals.len; k++)
    if (!strcmp(p->locals.data[k].name, name))
      e = fs_ex_call(p->arena, fs_c_casts[p->locals.data[k].type], e->span, 1, &e);
  v->names[v->n] = name;
  v->value[v->n++] = e;
  return true;
}

static struct fs_expr *last_value(const struct fs_c_values *v, const char *name) {
  for (int k = v->n - 1; k >= 0; k--)
    if (!strcmp(v->names[k], name)) return v->value[k];
  return NULL;
}

/* Behind an `if`: each name is one of two. */
static bool join_values(struct fs_c_reader *p, struct fs_expr *c, const struct fs_c_values *yes,
                        const struct fs_c_values *no, struct fs_c_values *v) {
  int before = v->n;
  for (int k = before; k < yes->n + no->n - before; k++) {
    const struct fs_c_values *of = k < yes->n ? yes : no;
    const char *name = of->names[k < yes->n ? k : k - yes->n + before];
    struct fs_expr *args[] = {c, last_value(yes, name), last_value(no, name)};
    bool had = false;
    for (int j = before; j < v->n; j++) had |= !strcmp(v->names[j], name);
    if (had || !args[1] || !args[2]) continue; /* a name of one side has no value behind it */
    if (v->n == FS_C_VALUES) return false;
    v->names[v->n] = name;
    v->value[v->n++] = fs_ex_call(p->arena, "?:", c->span, 3, args);
  }
  return true;
}

static bool returns(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind == FS_ST_RETURN || returns(s->body) || returns(s->orelse)) return true;
  return false;
}

/* `if (c) return a; ...; return b;` is c ? a : b, with what is behind it on both sides. */
static struct fs_expr *branches(struct fs_c_reader *p, const struct fs_stmt *s,
                                const struct rest *rest, struct fs_expr *c,
                                const struct fs_c_values *v, int *left) {
  struct fs_c_values yes = *v, no = *v;
  const struct rest behind = {s->next, rest};
  struct fs_expr *args[] = {c, NULL, NULL};
  if (!fs_c_enter(p)) return NULL;
  args[1] = given_back(p, s->body, &behind, &yes, left);
  p->depth--;
  if (args[1]) args[2] = given_back(p, s->orelse, &behind, &no, left);
  return args[2] ? fs_ex_call(p->arena, "?:", s->span, 3, args) : NULL;
}

static struct fs_expr *given_back(struct fs_c_reader *p, const struct fs_stmt *list,
                                  const struct rest *rest, struct fs_c_values *v, int *left) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_RETURN) return fs_c_inlined(p, v, s->expr, left);
    bool good = s->kind == FS_ST_ASSIGN && put_value(p, s, v, left);
    if (s->kind == FS_ST_IF) {
      struct fs_expr *c = fs_c_inlined(p, v, s->expr, left);
      struct fs_c_values yes = *v, no = *v;
      if (!c) return NULL;
      if (returns(s->body) || returns(s->orelse)) return branches(p, s, rest, c, v, left);
      given_back(p, s->body, NULL, &yes, left);
      given_back(p, s->orelse, NULL, &no, left);
      good = p->st == FS_OK && join_values(p, c, &yes, &no, v);
    }
    if (good) continue;
    if (*left < 0 || v->n == FS_C_VALUES)
      fs_c_fail(p, s->span, "kernel-subset", NULL, "the function is too long");
    else
      fs_c_refuse(p, s->span, "a function of the file's own has names, `if` and `return` alone");
    return NULL;
  }
  return rest ? given_back(p, rest->list, rest->behind, v, left) : NULL;
}

/* __device__ float f(float x, int k) { return x*k; }, behind __device__ */
static bool rule_function(struct fs_c_reader *p) {
  struct fs_c_function f = {.name = NULL};
  enum fs_c_type type;
  p->params.len = p->locals.len = p->scope.len = p->n_put_in = 0;
  while (fs_c_accept_word(p, "inline") || fs_c_accept_word(p, "__inline__") ||
         fs_c_accept_word(p, "__forceinline__") || fs_c_accept_word(p, "__noinline__"))
    continue;
  if (!fs_c_rule_type(p, &f.type)) return false;
  if (f.type == FS_C_VOID || fs_c_cur(p)->kind != FS_CT_NAME)
    return fs_c_refuse(p, fs_c_cur(p)->span, "a function of the file's own gives one number");
  f.name = fs_c_cur(p)->text;
  fs_c_next(p);
  if (!fs_c_expect(p, "(")) return false;
  while (!fs_c_is(p, ")") && p->st == FS_OK) {
    if (!fs_c_rule_type(p, &type)) return false;
    const struct fs_c_token *t = fs_c_cur(p);
    if (t->kind != FS_CT_NAME || type == FS_C_VOID || f.n == FS_C_ARGS)
      return fs_c_refuse(p, t->span, "the parameters of a function are up to eight numbers");
    fs_c_next(p);
    f.types[f.n] = type;
    f.params[f.n++] = fs_c_declare(p, t, type)->name;
    if (!fs_c_accept(p, ",")) break;
  }
  struct fs_stmt *body = NULL, **tail = &body;
  struct fs_c_values v = {0};
  int left = FS_C_NODES;
  if (!fs_c_expect(p, ")")) return false;
  struct fs_span at = fs_c_cur(p)->span;
  if (!fs_c_expect(p, "{")) return false;
  p->in_function = true;
  if (!fs_c_rule_block(p, &tail)) return false;
  p->in_function = false;
  f.value = given_back(p, body, NULL, &v, &left);
  if (!f.value && p->st == FS_OK)
    return fs_c_fail(p, at, "kernel-subset", NULL, left < 0 ? "the function is too long"
                     : "a function of the file's own ends with a `return` of a number");
  if (f.value) *FS_PUSH(&p->functions) = f;
  return p->st == FS_OK;
}

/* -- what is not read ----------------------------------------------------------------- */

/* Takes an error back, behind `before` others: it is one where a kernel has what it is about. */
static struct fs_c_unread take_back(struct fs_c_reader *p, int before) {
  const struct fs_diag *d = &p->diags->list.data[before];
  struct fs_c_unread u = {.at = d->span};
  u.why = fs_arena_strndup(p->arena, d->message, strlen(d->message));
  u.hint = d->hint ? fs_arena_strndup(p->arena, d->hint, strlen(d->hint)) : NULL;
  fs_diags_cut(p->diags, before);
  p->st = FS_OK;
  p->in_function = false;
  p->depth = p->loops = p->level = p->put_in = 0;
  return u;
}

/* Up to a `;`, or the end of a function's body. Gives the name in front of its bracket, or of
 * what it sets; NULL: there is none. */
static const char *pass_declaration(struct fs_c_reader *p) {
  const char *name = NULL;
  bool found = false;
  while (fs_c_cur(p)->kind != FS_CT_END) {
    bool opens = fs_c_is(p, "(") || fs_c_is(p, "["), body = fs_c_is(p, "{");
    found |= opens || body || fs_c_is(p, "=") || fs_c_is(p, ";");
    if (!found && fs_c_cur(p)->kind == FS_CT_NAME) name = fs_c_cur(p)->text;
    if (fs_c_accept(p, ";")) break;
    if (opens) pass_over(p, fs_c_is(p, "(") ? "(" : "[", fs_c_is(p, "(") ? ")" : "]");
    else if (body) pass_over(p, "{", "}");
    else fs_c_next(p);
    if (p->st != FS_OK || (body && !fs_c_is(p, ";") && !fs_c_is(p, "="))) break;
  }
  return name;
}

/* typedef float real; */
static bool rule_typedef(struct fs_c_reader *p) {
  struct fs_c_word w = {.name = NULL};
  if (!fs_c_rule_type(p, &w.type)) return false;
  if (fs_c_cur(p)->kind != FS_CT_NAME || w.type == FS_C_VOID)
    return fs_c_refuse(p, fs_c_cur(p)->span,
                       "a type of the file's own is one of C's: typedef float real");
  w.name = fs_c_cur(p)->text;
  fs_c_next(p);
  *FS_PUSH(&p->types) = w;
  return fs_c_expect(p, ";");
}

/* template <typename T>: T is what the arrays of a call have. */
static bool rule_template(struct fs_c_reader *p) {
  if (!fs_c_expect(p, "<")) return false;
  do {
    bool good = fs_c_accept_word(p, "typename") || fs_c_accept_word(p, "class");
    if (!good || fs_c_cur(p)->kind != FS_CT_NAME)
      return fs_c_refuse(p, fs_c_cur(p)->span, "a template has types alone: template <typename T>");
    *FS_PUSH(&p->types) = (struct fs_c_word){.name = fs_c_cur(p)->text, .type = FS_C_F32};
    fs_c_next(p);
  } while (fs_c_accept(p, ","));
  return fs_c_expect(p, ">");
}

/* const int N = 4; `host`: it may be one that a host sets. */
static bool rule_constant(struct fs_c_reader *p, bool host) {
  struct fs_c_word w = {.name = NULL};
  if (!fs_c_rule_type(p, &w.type)) return false;
  w.name = fs_c_cur(p)->text;
  if (fs_c_cur(p)->kind != FS_CT_NAME || w.type == FS_C_VOID)
    return fs_c_refuse(p, fs_c_cur(p)->span, "a constant is const int N = 4;");
  if (fs_c_is_ahead(p, "[") || (host && fs_c_is_ahead(p, ";"))) return rule_table(p, w.type, host);
  fs_c_next(p);
  if (!fs_c_is(p, "="))
    return fs_c_refuse(p, p->last,
                       "what is outside of kernels is a constant, a type or a function");
  fs_c_next(p);
  struct fs_expr *e = fs_c_rule_expr(p);
  if (!e) return false;
  w.value = e->kind == FS_EX_NUMBER && e->is_int == (w.type <= FS_C_I64)
                ? e : fs_ex_call(p->arena, fs_c_casts[w.type], e->span, 1, &e);
  *FS_PUSH(&p->constants) = w;
  return fs_c_expect(p, ";");
}

/* What stands outside of kernels and is no macro: a function, or a constant. What of it is the
 * host's, and what cannot be read, is passed over: it is no mistake unless a kernel has it. */
static bool rule_declaration(struct fs_c_reader *p) {
  static const char *const others[] = {"using", "struct", "enum", "class", "union", "namespace"};
  bool device = !p->cuda, other = false, function = false, constant = false;
  int before = p->diags->list.len;
  while (fs_c_is_word(p, "__device__") || fs_c_is_word(p, "__host__") ||
         fs_c_is_word(p, "inline") || fs_c_is_word(p, "static") ||
         fs_c_is_word(p, "__forceinline__") || fs_c_is_word(p, "__inline__") ||
         fs_c_is_word(p, "__constant__") || fs_c_is_word(p, "__noinline__")) {
    device |= fs_c_is_word(p, "__device__");
    constant |= fs_c_is_word(p, "__constant__");
    fs_c_next(p);
  }
  for (size_t k = 0; k < FS_LEN(others); k++) other |= fs_c_is_word(p, others[k]);
  if (fs_c_cur(p)->kind != FS_CT_NAME) return false;
  int at = p->at, end = at;
  for (; end < p->words.len - 1; end++) {
    const struct fs_c_token *t = &p->words.data[end];
    if (t->kind == FS_CT_SIGN && strchr("(=;[{", *t->text)) break;
  }
  function = p->words.data[end].kind == FS_CT_SIGN && *p->words.data[end].text == '(';
  bool reads = !other && (function ? device : fs_c_begins_type(p));
  if (reads && (function ? rule_function(p) : rule_constant(p, constant))) return true;
  if (reads && p->st != FS_ERR_USER) return true;
  struct fs_c_unread u = {.at = p->words.data[end ? end - 1 : 0].span,
                          .why = "what is the host's is not read"};
  if (reads) u = take_back(p, before);
  p->at = at;
  const char *name = pass_declaration(p);
  if (name && function)
    *FS_PUSH(&p->functions) =
        (struct fs_c_function){.name = name, .unread = u, .at = device ? at : 0};
  else if (name && !other)
    *FS_PUSH(&p->constants) = (struct fs_c_word){.name = name, .unread = u};
  return true;
}

enum fs_status fs_c_read(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                         const char *only, const int64_t *block, int *n,
                         struct fs_c_kernel **out) {
  struct fs_c_reader p = {.diags = diags, .arena = arena, .only = only,
                          .given_block = block && block[0] ? block : NULL};
  FS_VEC(struct fs_c_kernel) all = {0};
  p.st = fs_c_lex(diags, arena, source, &p.words);
  int braces = 0; /* of extern "C" { */
  for (int k = 0; k < p.words.len; k++) {
    const struct fs_c_token *t = &p.words.data[k];
    p.cuda |= t->kind == FS_CT_NAME && !strcmp(t->text, "__global__");
    p.warps |= t->kind == FS_CT_NAME && !strncmp(t->text, "__shfl", strlen("__shfl"));
  }
  while (p.st == FS_OK && fs_c_cur(&p)->kind != FS_CT_END) {
    if (fs_c_accept(&p, ";") || (braces && fs_c_accept(&p, "}"))) continue;
    if (fs_c_accept_word(&p, "extern") && fs_c_cur(&p)->kind == FS_CT_STRING) {
      fs_c_next(&p);
      braces += fs_c_accept(&p, "{");
      continue;
    }
    if (fs_c_is_word(&p, "__launch_bounds__")) { /* also in front of __global__ */
      fs_c_next(&p);
      pass_over(&p, "(", ")");
    }
    bool kernel = fs_c_accept_word(&p, "__global__") || fs_c_accept_word(&p, "__kernel") ||
                  (!p.cuda && fs_c_accept_word(&p, "kernel"));
    struct fs_c_kernel k;
    if (!kernel && fs_c_accept_word(&p, "typedef")) {
      rule_typedef(&p);
      continue;
    }
    if (!kernel && fs_c_accept_word(&p, "template")) {
      rule_template(&p);
      continue;
    }
    if (!kernel && !rule_declaration(&p) && p.st == FS_OK)
      fs_c_fail(&p, fs_c_cur(&p)->span, "kernel-subset", "constants are #define NAME value",
           "a file has kernels (`__global__ void`, `__kernel void`), functions (`__device__`) and "
           "macros, found %s",
           fs_c_found(&p));
    if (kernel && rule_kernel(&p, &k)) *FS_PUSH(&all) = k;
  }
  if (p.st == FS_OK && !all.len)
    fs_c_fail(&p, fs_c_cur(&p)->span, "kernel-subset", NULL, "there is no kernel in the file");
  *n = all.len;
  *out = FS_NEW_N(arena, struct fs_c_kernel, all.len ? all.len : 1);
  for (int k = 0; k < all.len; k++) (*out)[k] = all.data[k];
  FS_VEC_FREE(&all);
  FS_VEC_FREE(&p.words);
  FS_VEC_FREE(&p.scope);
  FS_VEC_FREE(&p.functions);
  FS_VEC_FREE(&p.types);
  FS_VEC_FREE(&p.constants);
  FS_VEC_FREE(&p.tables);
  FS_VEC_FREE(&p.params);
  FS_VEC_FREE(&p.locals);
  return p.st;
}
