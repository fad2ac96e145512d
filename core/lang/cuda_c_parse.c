/* cuda_c_parse.c - a kernel's words to statements: see cuda_c.h.
 *
 * What the language has no word for is a call: `a % b` is %(a, b), `c ? a : b` is ?:(c, a, b),
 * `(int)x` is (i32)(x), `a << b` and its like. A thread's number along x, y and z is the name
 * idx, idy and idz; a block's or a thread's alone, blockIdx.x and threadIdx.x. */
#include "core/lang/cuda_c_lex.h"
#include "core/lang/node.h"
#include "core/lang/parse.h"

#include <stdio.h>

enum { MOST_DEPTH = 200, MOST_ARGS = 4, MOST_NODES = 5000 };

struct binding {
  const char *c, *name;      /* in C, in the tree */
  int local, param;          /* -1: it is none */
  bool counter;
  bool lost;                 /* a counter declared before its loop, behind that */
};

/* A function of the file's own: one expression of its parameters. */
struct function {
  const char *name;
  enum fs_c_type type, types[MOST_ARGS];
  int n;
  const char *params[MOST_ARGS];
  struct fs_expr *value;
};

struct reader {
  struct fs_diags *diags;
  struct fs_arena *arena;
  fs_c_tokens words;
  int at, depth, loops;
  struct fs_span last;       /* of the word before */
  enum fs_status st;
  const char *only;          /* the kernel that is wanted; NULL: all */
  FS_VEC(struct binding) scope;
  FS_VEC(struct function) functions;
  FS_VEC(struct fs_c_param) params;
  FS_VEC(struct fs_c_name) locals;
};

static struct fs_expr *rule_expr(struct reader *p);
static struct fs_expr *rule_ternary(struct reader *p);
static bool rule_statement(struct reader *p, struct fs_stmt ***tail);

/* -- words ------------------------------------------------------------------------- */

static const struct fs_c_token *cur(const struct reader *p) { return &p->words.data[p->at]; }

static bool FS_PRINTF(5, 6) fail(struct reader *p, struct fs_span span, const char *id,
                                 const char *hint, const char *fmt, ...) {
  char text[300];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (p->st == FS_OK) p->st = fs_error(p->diags, span, id, hint, "%s", text);
  return false;
}

static bool refuse(struct reader *p, struct fs_span span, const char *what) {
  return fail(p, span, "kernel-subset", "docs/kernels.md says what of C is read", "%s", what);
}

static void next(struct reader *p) {
  p->last = cur(p)->span;
  if (cur(p)->kind != FS_CT_END) p->at++;
}

static bool is(const struct reader *p, const char *sign) {
  return cur(p)->kind == FS_CT_SIGN && !strcmp(cur(p)->text, sign);
}

static bool accept(struct reader *p, const char *sign) {
  if (p->st != FS_OK || !is(p, sign)) return false;
  next(p);
  return true;
}

static bool is_word(const struct reader *p, const char *word) {
  return cur(p)->kind == FS_CT_NAME && !strcmp(cur(p)->text, word);
}

static bool accept_word(struct reader *p, const char *word) {
  if (p->st != FS_OK || !is_word(p, word)) return false;
  next(p);
  return true;
}

static const char *found(const struct reader *p) {
  const struct fs_c_token *t = cur(p);
  if (t->kind == FS_CT_END) return t->text;
  size_t len;
  const char *text = fs_span_text(p->diags, t->span, &len);
  return fs_arena_printf(p->arena, "`%.*s`", (int)FS_MIN(len, 40), text);
}

static bool expect(struct reader *p, const char *sign) {
  if (accept(p, sign)) return true;
  return fail(p, cur(p)->span, "kernel-syntax", NULL, "expected `%s`, found %s", sign, found(p));
}

static bool enter(struct reader *p) {
  if (++p->depth <= MOST_DEPTH) return true;
  return fail(p, cur(p)->span, "kernel-syntax", NULL, "the kernel is nested too deeply");
}

/* -- names ----------------------------------------------------------------------------- */

static struct binding *bound(struct reader *p, const char *c) {
  for (int k = p->scope.len - 1; k >= 0; k--)
    if (!strcmp(p->scope.data[k].c, c)) return &p->scope.data[k];
  return NULL;
}

static bool is_thread(const char *c) {
  return !strcmp(c, "idx") || !strcmp(c, "idy") || !strcmp(c, "idz");
}

/* What nobody else in the kernel is called, nor a function that its tree may call. */
static const char *fresh_name(struct reader *p, const char *c) {
  static const char ours[] =
      " bool i32 i64 f16 bf16 f32 f64 zeros reshape trunc mod where abs min max sqrt rsqrt exp "
      "exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh atan2 hypot erf "
      "erfc floor ceil round fma isnan isfinite pi eps inf nan Inf NaN idx idy idz ";
  const char *name = c;
  for (int n = 2;; n++) {
    bool taken = fs_has_word(ours, name);
    for (int k = 0; k < p->params.len; k++) taken |= !strcmp(p->params.data[k].name, name);
    for (int k = 0; k < p->locals.len; k++) taken |= !strcmp(p->locals.data[k].name, name);
    if (!taken) return name;
    name = fs_arena_printf(p->arena, "%s_%d", c, n);
  }
}

static struct binding *declare(struct reader *p, const struct fs_c_token *t, enum fs_c_type type) {
  const char *name = fresh_name(p, t->text);
  *FS_PUSH(&p->locals) = (struct fs_c_name){.name = name, .span = t->span, .type = type};
  *FS_PUSH(&p->scope) = (struct binding){.c = t->text, .name = name, .local = p->locals.len - 1,
                                         .param = -1};
  return &p->scope.data[p->scope.len - 1];
}

/* -- types ------------------------------------------------------------------------------ */

static bool is_qualifier(const char *word) {
  return fs_has_word(" const volatile restrict __restrict__ __restrict __global global __constant "
                     "constant __private register static ", word);
}

static int base_type(const char *word) {
  static const struct { const char *word; enum fs_c_type type; } types[] = {
      {"void", FS_C_VOID}, {"bool", FS_C_BOOL}, {"_Bool", FS_C_BOOL}, {"char", FS_C_I32},
      {"short", FS_C_I32}, {"int", FS_C_I32}, {"signed", FS_C_I32}, {"unsigned", FS_C_I32},
      {"uint", FS_C_I32}, {"uchar", FS_C_I32}, {"ushort", FS_C_I32}, {"int8_t", FS_C_I32},
      {"uint8_t", FS_C_I32}, {"int16_t", FS_C_I32}, {"uint16_t", FS_C_I32},
      {"int32_t", FS_C_I32}, {"uint32_t", FS_C_I32}, {"long", FS_C_I64}, {"ulong", FS_C_I64},
      {"int64_t", FS_C_I64}, {"uint64_t", FS_C_I64}, {"size_t", FS_C_I64}, {"half", FS_C_F16},
      {"__half", FS_C_F16}, {"__nv_bfloat16", FS_C_BF16}, {"float", FS_C_F32},
      {"double", FS_C_F64}};
  for (size_t k = 0; k < FS_LEN(types); k++)
    if (!strcmp(types[k].word, word)) return (int)types[k].type;
  return -1;
}

static bool begins_type(const struct reader *p) {
  if (cur(p)->kind != FS_CT_NAME) return false;
  const char *w = cur(p)->text;
  return is_qualifier(w) || base_type(w) >= 0 || !strcmp(w, "__shared__") ||
         !strcmp(w, "__local") || !strcmp(w, "local") || !strcmp(w, "auto");
}

/* `const unsigned int`; false: there is none, and that is said. */
static bool rule_type(struct reader *p, enum fs_c_type *out) {
  int type = -1;
  for (; p->st == FS_OK && cur(p)->kind == FS_CT_NAME; next(p)) {
    const char *w = cur(p)->text;
    int part = base_type(w);
    if (!strcmp(w, "__shared__") || !strcmp(w, "__local") || !strcmp(w, "local"))
      return refuse(p, cur(p)->span, "memory that threads share is not read");
    if (is_qualifier(w)) continue;
    if (part < 0) break;
    bool more = type == FS_C_I64 || part == FS_C_I64;
    type = type < 0 || part == FS_C_F64 ? part : more ? FS_C_I64 : FS_C_I32;
  }
  if (type < 0)
    return fail(p, cur(p)->span, "kernel-subset",
                "types are bool, char, short, int, long, half, float and double",
                "expected a type, found %s", found(p));
  *out = (enum fs_c_type)type;
  return true;
}

/* -- expressions --------------------------------------------------------------------------- */

/* blockIdx.x and so on, by which of them; -1: another word. */
static int part_of_thread(const char *word) {
  static const char *const parts[] = {"blockIdx", "blockDim", "threadIdx", "gridDim"};
  for (int k = 0; k < 4; k++)
    if (!strcmp(word, parts[k])) return k;
  return -1;
}

/* get_global_id(0) is idx; the others are CUDA's. */
static struct fs_expr *opencl_index(struct reader *p, const char *word, struct fs_span span,
                                    int n, struct fs_expr *const *args) {
  static const struct { const char *word, *name[3]; } words[] = {
      {"get_global_id", {"idx", "idy", "idz"}},
      {"get_group_id", {"blockIdx.x", "blockIdx.y", "blockIdx.z"}},
      {"get_local_size", {"blockDim.x", "blockDim.y", "blockDim.z"}},
      {"get_local_id", {"threadIdx.x", "threadIdx.y", "threadIdx.z"}},
      {"get_global_size", {"gridSize.x", "gridSize.y", "gridSize.z"}},
      {"get_num_groups", {"gridDim.x", "gridDim.y", "gridDim.z"}}};
  for (size_t k = 0; k < FS_LEN(words); k++) {
    if (strcmp(words[k].word, word)) continue;
    bool good = n == 1 && args[0]->kind == FS_EX_NUMBER && args[0]->number >= 0 &&
                args[0]->number <= 2 && args[0]->is_int;
    if (good) return fs_ex_name(p->arena, span, words[k].name[(int)args[0]->number]);
    refuse(p, span, "the dimension of an index is 0, 1 or 2");
    return NULL;
  }
  return NULL;
}

static const char *const casts[] = {"(bool)", "(i32)", "(i64)", "(f16)", "(bf16)", "(f32)",
                                    "(f64)"};

/* The function's expression with what is given for its parameters; *left: how large it may be. */
static struct fs_expr *inlined(struct reader *p, const struct function *f, struct fs_expr *e,
                               struct fs_expr *const *args, int *left) {
  if (--*left < 0) return NULL;
  for (int k = 0; k < f->n && e->kind == FS_EX_NAME; k++) {
    if (strcmp(e->text, f->params[k])) continue;
    static const struct function none = {.n = 0};
    return inlined(p, &none, args[k], NULL, left);
  }
  struct fs_expr *all[FS_C_RANK + 1];
  for (int k = 0; k < e->n_args; k++)
    if (!(all[k] = inlined(p, f, e->args[k], args, left))) return NULL;
  struct fs_expr *out = fs_ex_node(p->arena, e->kind, e->span, e->n_args, all);
  out->op = e->op;
  out->number = e->number;
  out->is_int = e->is_int;
  out->text = e->text;
  out->text_len = e->text_len;
  return out;
}

static struct fs_expr *call_own(struct reader *p, const struct fs_c_token *t, struct fs_span span,
                                int n, struct fs_expr **args) {
  const struct function *f = NULL;
  int left = MOST_NODES;
  for (int k = 0; k < p->functions.len && !f; k++)
    if (!strcmp(p->functions.data[k].name, t->text)) f = &p->functions.data[k];
  if (!f) return NULL;
  if (f->n != n) {
    fail(p, span, "kernel-syntax", NULL, "`%.60s` has %d parameter%s, not %d", f->name, f->n,
         f->n == 1 ? "" : "s", n);
    return NULL;
  }
  for (int k = 0; k < n; k++) args[k] = fs_ex_call(p->arena, casts[f->types[k]], args[k]->span,
                                                   1, &args[k]);
  struct fs_expr *e = inlined(p, f, f->value, args, &left);
  if (!e || e->height > FS_MAX_HEIGHT / 2) {
    fail(p, span, "kernel-subset", NULL, "what `%.60s` is of these is too long", f->name);
    return NULL;
  }
  e = fs_ex_call(p->arena, casts[f->type], span, 1, &e);
  return e;
}

static struct fs_expr *function_call(struct reader *p, const struct fs_c_token *t) {
  static const struct { const char *c, *name; int n; } functions[] = {
      {"sqrt", "sqrt", 1}, {"rsqrt", "rsqrt", 1}, {"exp", "exp", 1}, {"expm1", "expm1", 1},
      {"log", "log", 1}, {"log1p", "log1p", 1}, {"log2", "log2", 1}, {"log10", "log10", 1},
      {"sin", "sin", 1}, {"cos", "cos", 1}, {"tan", "tan", 1}, {"asin", "asin", 1},
      {"acos", "acos", 1}, {"atan", "atan", 1}, {"sinh", "sinh", 1}, {"cosh", "cosh", 1},
      {"tanh", "tanh", 1}, {"atan2", "atan2", 2}, {"hypot", "hypot", 2}, {"erf", "erf", 1},
      {"erfc", "erfc", 1}, {"floor", "floor", 1}, {"ceil", "ceil", 1}, {"rint", "round", 1},
      {"trunc", "trunc", 1}, {"fma", "fma", 3}, {"mad", "fma", 3}, {"fabs", "abs", 1},
      {"abs", "abs", 1}, {"fmin", "min", 2}, {"fmax", "max", 2}, {"min", "min", 2},
      {"max", "max", 2}, {"pow", "^", 2}, {"isnan", "isnan", 1}, {"isfinite", "isfinite", 1},
      {"__mul24", "*", 2}, {"mul24", "*", 2}, {"fdivide", "/", 2}, {"select", "select", 3}};
  struct fs_expr *args[FS_C_RANK];
  int n = 0;
  if (!expect(p, "(") || !enter(p)) return NULL;
  while (!is(p, ")") && p->st == FS_OK) {
    if (n == MOST_ARGS) {
      fail(p, t->span, "kernel-subset", NULL, "`%.60s` is no function that is read", t->text);
      return NULL;
    }
    args[n] = rule_ternary(p);
    if (!args[n++]) return NULL;
    if (!accept(p, ",")) break;
  }
  if (!expect(p, ")")) return NULL;
  p->depth--;
  struct fs_span span = fs_span_join(t->span, p->last);
  struct fs_expr *index = opencl_index(p, t->text, span, n, args);
  if (!index && p->st == FS_OK) index = call_own(p, t, span, n, args);
  if (index || p->st != FS_OK) return index;
  char word[FS_MAX_NAME + 1];
  snprintf(word, sizeof word, "%s", t->text);
  for (int pass = 0; pass < 3; pass++) { /* sqrtf, __expf, native_exp */
    for (size_t k = 0; k < FS_LEN(functions); k++) {
      if (strcmp(functions[k].c, word) || functions[k].n != n) continue;
      const char *name = functions[k].name;
      if (!strcmp(name, "*")) return fs_ex_binary(p->arena, FS_AO_MUL, args[0], args[1]);
      if (!strcmp(name, "/")) return fs_ex_binary(p->arena, FS_AO_DIV, args[0], args[1]);
      if (!strcmp(name, "^")) return fs_ex_binary(p->arena, FS_AO_POW, args[0], args[1]);
      if (!strcmp(name, "select")) {
        struct fs_expr *turned[] = {args[2], args[1], args[0]};
        return fs_ex_call(p->arena, "?:", span, 3, turned);
      }
      return fs_ex_call(p->arena, name, span, n, args);
    }
    size_t len = strlen(word);
    if (pass == 0 && len > 1 && word[len - 1] == 'f') word[len - 1] = 0;
    if (pass != 1) continue;
    const char *prefix = !strncmp(word, "__", 2) ? "__" : "native_";
    if (!strncmp(word, prefix, strlen(prefix)))
      memmove(word, word + strlen(prefix), strlen(word) - strlen(prefix) + 1);
  }
  fail(p, t->span, "kernel-subset",
       "functions are those of one or two numbers: sqrtf(x), fminf(a, b), expf(x)",
       strstr(t->text, "sync") || strstr(t->text, "barrier")
           ? "threads that wait for each other are not read: `%.60s`"
           : "`%.60s` is no function that is read, or has other arguments", t->text);
  return NULL;
}

static struct fs_expr *name_of(struct reader *p) {
  const struct fs_c_token *t = cur(p);
  int part = part_of_thread(t->text);
  next(p);
  if (part >= 0) {
    bool good = accept(p, ".") && cur(p)->kind == FS_CT_NAME && !cur(p)->text[1] &&
                strchr("xyz", *cur(p)->text);
    if (!good) {
      fail(p, t->span, "kernel-syntax", NULL, "%s has .x, .y and .z", t->text);
      return NULL;
    }
    const char *axis = cur(p)->text;
    next(p);
    return fs_ex_name(p->arena, fs_span_join(t->span, p->last),
                     fs_arena_printf(p->arena, "%s.%s", t->text, axis));
  }
  if (is(p, "(")) return function_call(p, t);
  struct binding *b = bound(p, t->text);
  if (b && b->lost) {
    fail(p, t->span, "kernel-subset", "declare it in the head of its loop: for (int i = 0; ...",
         "what the counter `%.60s` is behind its loop is not read", t->text);
    return NULL;
  }
  if (b) return fs_ex_name(p->arena, t->span, b->name);
  if (is_thread(t->text)) return fs_ex_name(p->arena, t->span, t->text);
  if (!strcmp(t->text, "true") || !strcmp(t->text, "false")) {
    struct fs_expr *e = fs_ex_node(p->arena, FS_EX_BOOL, t->span, 0, NULL);
    e->number = t->text[0] == 't';
    return e;
  }
  fail(p, t->span, "kernel-name", "a constant is #define NAME value in the same file",
       "nothing in the kernel is called `%.60s`", t->text);
  return NULL;
}

static const struct fs_c_param *array_named(const struct reader *p, const char *name) {
  for (int k = 0; k < p->params.len; k++)
    if (!strcmp(p->params.data[k].name, name))
      return p->params.data[k].array ? &p->params.data[k] : NULL;
  return NULL;
}

/* a[i][j] */
static struct fs_expr *subscripts(struct reader *p, struct fs_expr *e) {
  struct fs_expr *all[FS_C_RANK + 1] = {e};
  int n = 1;
  const struct fs_c_param *a = e->kind == FS_EX_NAME ? array_named(p, e->text) : NULL;
  if (!is(p, "[")) {
    if (a) refuse(p, e->span, "an array is read and written by elements: A[i]");
    return a ? NULL : e;
  }
  if (!a) {
    fail(p, e->span, "kernel-subset", NULL,
         "only a parameter that is a pointer or array has elements");
    return NULL;
  }
  while (accept(p, "[")) {
    if (n > FS_C_RANK || !enter(p)) return NULL;
    all[n] = rule_expr(p);
    if (!all[n++] || !expect(p, "]")) return NULL;
    p->depth--;
  }
  int want = a->rank ? a->rank : 1;
  if (n - 1 != want) {
    fail(p, fs_span_join(e->span, p->last), "kernel-syntax", NULL,
         "`%.60s` has %d subscript%s, not %d", a->name, want, want == 1 ? "" : "s", n - 1);
    return NULL;
  }
  return fs_ex_node(p->arena, FS_EX_INDEX, fs_span_join(e->span, p->last), n, all);
}

/* a, and if it may be a sum, a + i: the element there */
static struct fs_expr *addressed(struct reader *p, struct fs_span at, bool sum) {
  struct fs_expr *e = NULL, *i = fs_ex_number(p->arena, at, 0, true);
  if (cur(p)->kind == FS_CT_NAME) {
    struct binding *b = bound(p, cur(p)->text);
    e = b ? fs_ex_name(p->arena, cur(p)->span, b->name) : NULL;
    next(p);
  }
  const struct fs_c_param *a = e ? array_named(p, e->text) : NULL;
  if (sum && a && accept(p, "+")) i = rule_expr(p);
  if (!a || a->rank > 1 || !i) {
    refuse(p, at, "an address is that of a parameter's element: &a[i], a + i, or *a, *(a + i)");
    return NULL;
  }
  struct fs_expr *args[] = {e, i};
  return fs_ex_node(p->arena, FS_EX_INDEX, fs_span_join(at, p->last), 2, args);
}

/* *a and *(a + i) */
static struct fs_expr *pointed(struct reader *p, struct fs_span at) {
  bool sum = accept(p, "(");
  struct fs_expr *e = addressed(p, at, sum);
  return e && sum && !expect(p, ")") ? NULL : e;
}

static struct fs_expr *rule_unary(struct reader *p);

static struct fs_expr *rule_primary(struct reader *p) {
  const struct fs_c_token *t = cur(p);
  enum fs_c_type type;
  if (t->kind == FS_CT_NUMBER) {
    next(p);
    return fs_ex_number(p->arena, t->span, t->number, t->is_int);
  }
  if (t->kind == FS_CT_NAME && (base_type(t->text) < 0 || !begins_type(p))) {
    struct fs_expr *e = name_of(p);
    return e ? subscripts(p, e) : NULL;
  }
  if (accept(p, "(")) {
    if (!enter(p)) return NULL;
    bool cast = begins_type(p);
    if (cast && (!rule_type(p, &type) || type == FS_C_VOID)) {
      refuse(p, t->span, "a conversion is (float)x or (int)x");
      return NULL;
    }
    struct fs_expr *e = cast ? NULL : rule_expr(p);
    if ((!cast && !e) || !expect(p, ")")) return NULL;
    p->depth--;
    if (!cast) {
      e->span = fs_span_join(t->span, p->last);
      return e;
    }
    e = rule_unary(p);
    return e ? fs_ex_call(p->arena, casts[type], fs_span_join(t->span, e->span), 1, &e) : NULL;
  }
  fail(p, t->span, "kernel-syntax", NULL, "expected a value, found %s", found(p));
  return NULL;
}

static struct fs_expr *rule_unary(struct reader *p) {
  static const struct { const char *sign; enum fs_ast_op op; } ops[] = {
      {"-", FS_AO_NEG}, {"+", FS_AO_PLUS}, {"!", FS_AO_NOT}};
  struct fs_span at = cur(p)->span;
  if (!enter(p)) return NULL;
  struct fs_expr *e = NULL;
  int k = 0;
  while (k < 3 && !is(p, ops[k].sign)) k++;
  if (k < 3) {
    next(p);
    struct fs_expr *a = rule_unary(p);
    if (a) e = fs_ex_node(p->arena, FS_EX_UNARY, fs_span_join(at, a->span), 1, &a);
    if (e) e->op = ops[k].op;
  } else if (accept(p, "*")) {
    e = pointed(p, at);
  } else if (is(p, "++") || is(p, "--") || is(p, "&") || is(p, "~")) {
    refuse(p, at, "`++` and `--` are statements of their own; `&` and `~` are not read");
  } else {
    e = rule_primary(p);
  }
  p->depth--;
  return e;
}

/* blockIdx.x*blockDim.x, or with a constant in place of blockDim.x: the axis; 0: neither. */
static char axis_of_block(const struct fs_expr *e) {
  if (e->kind != FS_EX_BINARY || e->op != FS_AO_MUL) return 0;
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *a = e->args[k], *b = e->args[!k];
    if (a->kind != FS_EX_NAME || strncmp(a->text, "blockIdx.", 9)) continue;
    bool size = b->kind == FS_EX_NAME && !strncmp(b->text, "blockDim.",
                                                  9) && b->text[9] == a->text[9];
    if (size || (b->kind == FS_EX_NUMBER && b->is_int)) return a->text[9];
  }
  return 0;
}

/* blockIdx.x*blockDim.x + threadIdx.x is idx, also behind something. */
static struct fs_expr *sum(struct reader *p, struct fs_expr *a, struct fs_expr *b) {
  static const char *const names[] = {"idx", "idy", "idz"};
  for (int k = 0; k < 2; k++) {
    struct fs_expr *block = k ? b : a, *thread = k ? a : b, *before = NULL;
    bool is_sum = !k && block->kind == FS_EX_BINARY && block->op == FS_AO_ADD;
    if (is_sum) before = block->args[0], block = block->args[1];
    char axis = axis_of_block(block);
    if (!axis || thread->kind != FS_EX_NAME || strncmp(thread->text, "threadIdx.", 10)) continue;
    if (thread->text[10] != axis) continue;
    struct fs_span span = fs_span_join(block->span, thread->span);
    if (k) span = fs_span_join(thread->span, block->span);
    struct fs_expr *id = fs_ex_name(p->arena, span, names[axis - 'x']);
    return before ? fs_ex_binary(p->arena, FS_AO_ADD, before, id) : id;
  }
  return fs_ex_binary(p->arena, FS_AO_ADD, a, b);
}

struct operator_of { const char *sign; int level, op; }; /* op -1: a call of the sign */
static const struct operator_of operators[] = {
    {"||", 1, FS_AO_OR}, {"&&", 2, FS_AO_AND}, {"|", 3, -1}, {"^", 4, -1}, {"&", 5, -1},
    {"==", 6, FS_AO_EQ}, {"!=", 6, FS_AO_NE}, {"<", 7, FS_AO_LT}, {"<=", 7, FS_AO_LE},
    {">", 7, FS_AO_GT}, {">=", 7, FS_AO_GE}, {"<<", 8, -1}, {">>", 8, -1}, {"+", 9, FS_AO_ADD},
    {"-", 9, FS_AO_SUB}, {"*", 10, FS_AO_MUL}, {"/", 10, FS_AO_DIV}, {"%", 10, -1}};

static struct fs_expr *rule_binary(struct reader *p, int level) {
  struct fs_expr *a = rule_unary(p);
  while (a && p->st == FS_OK) {
    const struct operator_of *o = NULL;
    for (size_t k = 0; k < FS_LEN(operators); k++)
      if (is(p, operators[k].sign) && operators[k].level >= level) o = &operators[k];
    if (!o) return a;
    next(p);
    if (!enter(p)) return NULL;
    struct fs_expr *b = rule_binary(p, o->level + 1);
    p->depth--;
    if (!b) return NULL;
    struct fs_expr *pair[] = {a, b};
    if (o->op == FS_AO_ADD) a = sum(p, a, b);
    else if (o->op >= 0) a = fs_ex_binary(p->arena, (enum fs_ast_op)o->op, a, b);
    else a = fs_ex_call(p->arena, o->sign, fs_span_join(a->span, b->span), 2, pair);
    if (a->height > FS_MAX_HEIGHT) {
      fail(p, a->span, "kernel-syntax", NULL, "this expression is too long");
      return NULL;
    }
  }
  return a;
}

static struct fs_expr *rule_ternary(struct reader *p) {
  struct fs_expr *c = rule_binary(p, 0), *args[3] = {c};
  if (!c || !accept(p, "?") || !enter(p)) return p->st == FS_OK ? c : NULL;
  args[1] = rule_expr(p);
  if (!args[1] || !expect(p, ":")) return NULL;
  args[2] = rule_ternary(p);
  p->depth--;
  return args[2] ? fs_ex_call(p->arena, "?:", fs_span_join(c->span, args[2]->span), 3, args) : NULL;
}

static struct fs_expr *rule_expr(struct reader *p) {
  struct fs_expr *e = rule_ternary(p);
  if (e && (is(p, "=") || is(p, "+=") || is(p, "-="))) {
    refuse(p, cur(p)->span, "an assignment is a statement of its own");
    return NULL;
  }
  return e;
}

/* -- simple statements ------------------------------------------------------------------- */

static void add(struct fs_stmt ***tail, struct fs_stmt *s) {
  **tail = s;
  *tail = &s->next;
}

/* name = value; */
static void add_assign(struct reader *p, struct fs_stmt ***tail, const struct binding *b,
                       struct fs_span at, struct fs_expr *value) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_ASSIGN, fs_span_join(at, value->span));
  fs_st_target(p->arena, s, b->name, at);
  s->expr = value;
  add(tail, s);
}

/* Behind the type: a, b = 1, c; */
static bool rule_declarators(struct reader *p, enum fs_c_type type, struct fs_stmt ***tail) {
  do {
    if (is(p, "*")) return refuse(p, cur(p)->span, "pointers are parameters only");
    if (cur(p)->kind != FS_CT_NAME)
      return fail(p, cur(p)->span, "kernel-syntax", NULL, "expected a name, found %s", found(p));
    const struct fs_c_token *t = cur(p);
    next(p);
    if (is(p, "[")) return refuse(p, t->span, "arrays of a thread's own are not read");
    struct fs_expr *value = NULL;
    if (accept(p, "=") && !(value = rule_expr(p))) return false;
    struct binding *b = declare(p, t, type);
    if (!value) continue;
    p->locals.data[b->local].once = value;
    add_assign(p, tail, b, t->span, value);
  } while (accept(p, ","));
  return p->st == FS_OK;
}

/* The operator of `+=`; -1: `=`, -2: none, -3: one of C's that the language has not. */
static int assigning(const struct reader *p) {
  static const struct { const char *sign; int op; } signs[] = {
      {"=", -1}, {"+=", FS_AO_ADD}, {"-=", FS_AO_SUB}, {"*=", FS_AO_MUL}, {"/=", FS_AO_DIV},
      {"%=", -3}, {"<<=", -3}, {">>=", -3}, {"&=", -3}, {"|=", -3}, {"^=", -3}};
  for (size_t k = 0; k < FS_LEN(signs); k++)
    if (is(p, signs[k].sign)) return signs[k].op;
  return -2;
}

/* The left side is read already. */
static bool add_store(struct reader *p, struct fs_stmt ***tail, struct fs_expr *left,
                      struct fs_expr *value) {
  if (left->kind == FS_EX_INDEX) {
    struct fs_stmt *s = fs_st_node(p->arena, FS_ST_INDEXED, fs_span_join(left->span, value->span));
    fs_st_target(p->arena, s, left->args[0]->text, left->args[0]->span);
    s->expr2 = left;
    s->expr = value;
    add(tail, s);
    return true;
  }
  struct binding *b = NULL;
  for (int k = p->scope.len - 1; k >= 0 && left->kind == FS_EX_NAME && !b; k--)
    if (!strcmp(p->scope.data[k].name, left->text)) b = &p->scope.data[k];
  if (!b || b->counter)
    return refuse(p, left->span, b ? "a counter is changed by the head of its loop alone"
                                   : "this is assigned to by nobody: a name or an element is");
  if (b->local >= 0) p->locals.data[b->local].once = NULL;
  b->lost = false;
  add_assign(p, tail, b, left->span, value);
  if (b->param >= 0) return refuse(p, left->span, "a parameter keeps its value");
  return true;
}

/* x = e, x += e, x++, ++x */
static bool rule_assignment(struct reader *p, struct fs_stmt ***tail) {
  struct fs_span at = cur(p)->span;
  bool before = is(p, "++") || is(p, "--");
  int by = is(p, "++") ? 1 : -1;
  if (before) next(p);
  struct binding *b = cur(p)->kind == FS_CT_NAME ? bound(p, cur(p)->text) : NULL;
  bool plain = b && p->words.data[p->at + 1].kind == FS_CT_SIGN &&
               !strcmp(p->words.data[p->at + 1].text, "=");
  if (plain) b->lost = false; /* it is given a value */
  struct fs_expr *left = rule_unary(p);
  if (!left) return false;
  if (before || is(p, "++") || is(p, "--")) {
    if (!before) by = is(p, "++") ? 1 : -1, next(p);
    struct fs_expr *one = fs_ex_number(p->arena, at, 1, true);
    return add_store(p, tail, left, fs_ex_binary(p->arena, by > 0 ? FS_AO_ADD : FS_AO_SUB, left,
                                                 one));
  }
  int op = assigning(p);
  if (op == -2)
    return fail(p, cur(p)->span, "kernel-syntax", NULL, "expected an assignment, found %s",
                found(p));
  if (op == -3) return refuse(p, cur(p)->span, "of these, += -= *= and /= are read");
  next(p);
  struct fs_expr *right = rule_expr(p);
  if (!right) return false;
  if (is(p, ",")) return refuse(p, cur(p)->span, "one assignment is one statement");
  return add_store(p, tail, left, op >= 0 ? fs_ex_binary(p->arena, (enum fs_ast_op)op, left,
                                                         right) : right);
}

/* atomicAdd(&h[k[i]], e), atomic_add(h + k[i], e): as h[k[i]] += e */
static bool rule_atomic(struct reader *p, struct fs_stmt ***tail, bool *is_one) {
  static const struct { const char *name, *function; enum fs_ast_op op; } atomics[] = {
      {"add", NULL, FS_AO_ADD}, {"sub", NULL, FS_AO_SUB}, {"inc", NULL, FS_AO_ADD},
      {"dec", NULL, FS_AO_SUB}, {"max", "max", FS_AO_ADD}, {"min", "min", FS_AO_ADD}};
  const struct fs_c_token *t = cur(p);
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
  next(p);
  if (!expect(p, "(")) return false;
  struct fs_span at = cur(p)->span;
  left = accept(p, "&") ? rule_unary(p) : addressed(p, at, true);
  if (!left) return false;
  if (left->kind != FS_EX_INDEX)
    return refuse(p, at,
                  "an address is that of a parameter's element: &a[i], a + i, or *a, *(a + i)");
  if (counts) value = fs_ex_number(p->arena, at, 1, true);
  else if (expect(p, ",")) value = rule_ternary(p);
  if (!value || !expect(p, ")")) return false;
  struct fs_expr *args[] = {left, value};
  struct fs_span span = fs_span_join(t->span, p->last);
  value = atomics[k].function
              ? fs_ex_call(p->arena, atomics[k].function, span, 2, args)
              : fs_ex_binary(p->arena, atomics[k].op, left, value);
  return add_store(p, tail, left, value);
}

/* -- blocks -------------------------------------------------------------------------------- */

/* One statement, or those between braces, in a scope of their own. */
static bool rule_body(struct reader *p, struct fs_stmt **first) {
  struct fs_stmt **tail = first;
  int scope = p->scope.len;
  *first = NULL;
  if (!enter(p) || !rule_statement(p, &tail)) return false;
  p->depth--;
  p->scope.len = scope;
  return true;
}

static bool rule_if(struct reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_IF, cur(p)->span);
  next(p);
  if (!expect(p, "(") || !(s->expr = rule_expr(p)) || !expect(p, ")")) return false;
  s->span = fs_span_join(s->span, p->last);
  if (!rule_body(p, &s->body)) return false;
  if (accept_word(p, "else") && !rule_body(p, &s->orelse)) return false;
  add(tail, s);
  return true;
}

static bool rule_while(struct reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_WHILE, cur(p)->span);
  next(p);
  if (!expect(p, "(") || !(s->expr = rule_expr(p)) || !expect(p, ")")) return false;
  s->span = fs_span_join(s->span, p->last);
  p->loops++;
  if (!rule_body(p, &s->body)) return false;
  p->loops--;
  add(tail, s);
  return true;
}

static bool is_counter(const struct fs_expr *e, const char *name) {
  return e->kind == FS_EX_NAME && !strcmp(e->text, name);
}

/* i < n; up to which number it counts. */
static struct fs_expr *rule_limit(struct reader *p, const char *name, bool *up) {
  struct fs_expr *c = rule_expr(p);
  if (!c) return NULL;
  bool compares = c->kind == FS_EX_BINARY && c->op >= FS_AO_LT && c->op <= FS_AO_GE;
  bool left = compares && is_counter(c->args[0], name);
  bool right = compares && !left && is_counter(c->args[1], name);
  if (!left && !right) {
    refuse(p, c->span, "a loop goes on while its counter is less or more: i < n");
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
static struct fs_expr *rule_step(struct reader *p, const char *name, bool *up) {
  struct fs_stmt *s = NULL, **tail = &s;
  struct fs_span at = cur(p)->span;
  struct binding *b = &p->scope.data[p->scope.len - 1];
  b->counter = false;
  bool read = rule_assignment(p, &tail);
  p->scope.data[p->scope.len - 1].counter = true;
  if (!read) return NULL;
  const struct fs_expr *e = s->kind == FS_ST_ASSIGN && !strcmp(s->targets[0].name,
                                                               name) ? s->expr : NULL;
  bool sums = e && e->kind == FS_EX_BINARY && (e->op == FS_AO_ADD || e->op == FS_AO_SUB);
  int of = sums && is_counter(e->args[0], name) ? 1 : sums && e->op == FS_AO_ADD &&
           is_counter(e->args[1], name) ? 0 : -1;
  if (of < 0) {
    refuse(p, at, "a counter goes on by i++, i--, i += k or i = i + k");
    return NULL;
  }
  *up = e->op == FS_AO_ADD;
  return e->args[of];
}

/* blockDim.x*gridDim.x, get_global_size(0): the axis of all threads; 0: it is something else. */
static char axis_of_grid(const struct fs_expr *e) {
  if (e->kind == FS_EX_NAME && !strncmp(e->text, "gridSize.", 9)) return e->text[9];
  if (e->kind != FS_EX_BINARY || e->op != FS_AO_MUL) return 0;
  const struct fs_expr *a = e->args[0], *b = e->args[1];
  if (a->kind != FS_EX_NAME || b->kind != FS_EX_NAME) return 0;
  bool turned = !strncmp(a->text, "gridDim.", 8);
  if (strncmp(turned ? a->text : b->text, "gridDim.", 8)) return 0;
  if (strncmp(turned ? b->text : a->text, "blockDim.", 9)) return 0;
  char axis = turned ? a->text[8] : b->text[8];
  return axis == (turned ? b->text[9] : a->text[9]) ? axis : 0;
}

/* for (int i = idx; i < n; i += blockDim.x*gridDim.x): each thread takes one i, if that is
 * less than n. */
static bool rule_grid(struct reader *p, struct fs_stmt ***tail, const struct fs_stmt *loop,
                      struct fs_expr *const *range, int scope) {
  struct binding *b = &p->scope.data[p->scope.len - 1];
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_IF, fs_span_join(loop->span, p->last));
  b->name = range[0]->text;
  b->counter = true;
  b->local = -1;
  s->expr = fs_ex_binary(p->arena, FS_AO_LE, fs_ex_name(p->arena, range[0]->span, b->name),
                         range[2]);
  if (!rule_body(p, &s->body)) return false;
  p->scope.len = scope;
  add(tail, s);
  return true;
}

/* for (int i = a; i < b; i++) */
static bool rule_for(struct reader *p, struct fs_stmt ***tail) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_FOR, cur(p)->span);
  struct fs_expr *range[3];
  enum fs_c_type type = FS_C_I32;
  int scope = p->scope.len;
  bool up, by_up, own;
  next(p);
  if (!expect(p, "(")) return false;
  own = begins_type(p);
  if (own && !rule_type(p, &type)) return false;
  if (cur(p)->kind != FS_CT_NAME || type > FS_C_I64)
    return refuse(p, cur(p)->span, "a loop begins with its counter, a whole number: int i = 0");
  const struct fs_c_token *t = cur(p);
  struct binding *outer = own ? NULL : bound(p, t->text);
  int out = outer ? (int)(outer - p->scope.data) : -1;
  if (!own && (!outer || outer->local < 0 || outer->counter))
    return refuse(p, t->span, "the counter of a loop is a local name that counts no other loop");
  next(p);
  if (!expect(p, "=") || !(range[0] = rule_expr(p)) || !expect(p, ";")) return false;
  if (out >= 0) p->locals.data[p->scope.data[out].local].once = NULL;
  struct binding *b = declare(p, t, type);
  const char *name = b->name;
  b->counter = true;
  if (!(range[2] = rule_limit(p, name, &up)) || !expect(p, ";")) return false;
  if (!(range[1] = rule_step(p, name, &by_up)) || !expect(p, ")")) return false;
  char axis = axis_of_grid(range[1]);
  if (axis && up && by_up && own && range[0]->kind == FS_EX_NAME && is_thread(range[0]->text) &&
      range[0]->text[2] == axis)
    return rule_grid(p, tail, s, range, scope);
  if (up != by_up) return refuse(p, range[1]->span, "the counter goes away from where it ends");
  if (!by_up) {
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

static bool rule_jump(struct reader *p, struct fs_stmt ***tail) {
  struct fs_span at = cur(p)->span;
  bool leaves = is_word(p, "return");
  struct fs_stmt *s = fs_st_node(p->arena, is_word(p, "break") ? FS_ST_BREAK : FS_ST_CONTINUE, at);
  if (leaves && p->loops) return refuse(p, at, "a `return` within a loop is not read");
  if (!leaves && !p->loops) return fail(p, at, "kernel-syntax", NULL, "%s stands in no loop",
                                        found(p));
  next(p);
  if (leaves && !is(p, ";")) return refuse(p, at, "a kernel gives nothing back");
  add(tail, s);
  return expect(p, ";");
}

static bool rule_block(struct reader *p, struct fs_stmt ***tail) {
  int scope = p->scope.len;
  while (!is(p, "}") && p->st == FS_OK) {
    if (cur(p)->kind == FS_CT_END)
      return fail(p, cur(p)->span, "kernel-syntax", NULL,
                  "expected `}`, found the end of the file");
    if (!rule_statement(p, tail)) return false;
  }
  p->scope.len = scope;
  return expect(p, "}");
}

static bool rule_statement(struct reader *p, struct fs_stmt ***tail) {
  static const char *const others[] = {"do", "switch", "goto", "case", "default", "struct",
                                       "asm", "typedef", "using"};
  enum fs_c_type type;
  if (p->st != FS_OK) return false;
  if (accept(p, ";")) return true;
  if (accept(p, "{")) return rule_block(p, tail);
  if (is_word(p, "if")) return rule_if(p, tail);
  if (is_word(p, "for")) return rule_for(p, tail);
  if (is_word(p, "while")) return rule_while(p, tail);
  if (is_word(p, "return") || is_word(p, "break") || is_word(p, "continue"))
    return rule_jump(p, tail);
  for (size_t k = 0; k < FS_LEN(others); k++)
    if (is_word(p, others[k]))
      return fail(p, cur(p)->span, "kernel-subset", "docs/kernels.md says what of C is read",
                  "`%s` is not read", others[k]);
  bool pointer = p->words.data[p->at + 1].text && !strcmp(p->words.data[p->at + 1].text, "*");
  if (begins_type(p) && (pointer || p->words.data[p->at + 1].kind == FS_CT_NAME))
    return rule_type(p, &type) && rule_declarators(p, type, tail) && expect(p, ";");
  if (cur(p)->kind == FS_CT_NAME && !strcmp(p->words.data[p->at + 1].text ? p->words.data[p->at + 1].text : "", "(")) {
    const struct fs_c_token *t = cur(p); /* a call as a statement: it is no function of numbers */
    bool atomic;
    if (!rule_atomic(p, tail, &atomic)) return false;
    if (atomic) return expect(p, ";");
    return fail(p, t->span, "kernel-subset", "docs/kernels.md says what of C is read",
                strstr(t->text, "sync") || strstr(t->text, "barrier")
                    ? "threads that wait for each other are not read: `%.60s`"
                    : "the call of `%.60s` as a statement is not read", t->text);
  }
  return rule_assignment(p, tail) && expect(p, ";");
}

/* -- kernels --------------------------------------------------------------------------------- */

static bool rule_param(struct reader *p) {
  struct fs_c_param out = {0};
  if (!rule_type(p, &out.type)) return false;
  int stars = 0;
  for (; p->st == FS_OK; next(p)) {
    if (is(p, "*")) stars++;
    else if (cur(p)->kind != FS_CT_NAME || !is_qualifier(cur(p)->text)) break;
  }
  const struct fs_c_token *t = cur(p);
  if (t->kind != FS_CT_NAME || stars > 1 || out.type == FS_C_VOID)
    return fail(p, t->span, "kernel-subset", "parameters are float *A, float A[N][N] or int n",
                "expected the name of a parameter, found %s", found(p));
  next(p);
  out.span = t->span;
  out.array = stars;
  while (accept(p, "[")) {
    if (stars || out.rank == FS_C_RANK)
      return refuse(p, t->span, "an array has up to four dimensions, and no pointers");
    if (!is(p, "]") && !(out.dim[out.rank] = rule_expr(p))) return false;
    if (!expect(p, "]")) return false;
    out.array = true;
    out.rank++;
  }
  out.name = fresh_name(p, t->text);
  *FS_PUSH(&p->scope) = (struct binding){.c = t->text, .name = out.name, .local = -1,
                                         .param = p->params.len};
  *FS_PUSH(&p->params) = out;
  return true;
}

static void mark(struct reader *p, const struct fs_expr *e) {
  if (e->kind == FS_EX_INDEX)
    for (int k = 0; k < p->params.len; k++)
      if (!strcmp(p->params.data[k].name, e->args[0]->text)) p->params.data[k].reads = true;
  for (int k = e->kind == FS_EX_INDEX || e->kind == FS_EX_CALL; k < e->n_args; k++)
    mark(p, e->args[k]);
}

/* Which arrays are read and written. */
static void mark_all(struct reader *p, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr) mark(p, s->expr);
    if (s->kind == FS_ST_INDEXED) {
      for (int k = 0; k < p->params.len; k++)
        if (!strcmp(p->params.data[k].name, s->targets[0].name)) p->params.data[k].writes = true;
      for (int k = 1; k < s->expr2->n_args; k++) mark(p, s->expr2->args[k]);
    }
    mark_all(p, s->body);
    mark_all(p, s->orelse);
  }
}

/* Behind `__global__`. */
/* What stands from the next bracket on to the one that closes it. */
static bool pass_over(struct reader *p, const char *opens, const char *closes) {
  int open = 0;
  while (p->st == FS_OK && cur(p)->kind != FS_CT_END) {
    int by = is(p, opens) - is(p, closes);
    open += by;
    next(p);
    if (by < 0 && open <= 0) return true;
  }
  return p->st == FS_OK &&
         fail(p, cur(p)->span, "kernel-syntax", NULL,
              "expected `%s`, found the end of the file", closes);
}

static bool rule_kernel(struct reader *p, struct fs_c_kernel *out) {
  struct fs_span begin = p->last;
  while (p->st == FS_OK && cur(p)->kind == FS_CT_NAME && p->words.data[p->at + 1].kind == FS_CT_SIGN &&
         !strcmp(p->words.data[p->at + 1].text, "(") &&
         (is_word(p, "__launch_bounds__") || is_word(p, "__attribute__")))
    pass_over(p, "(", ")");
  if (!accept_word(p, "void") || cur(p)->kind != FS_CT_NAME)
    return fail(p, cur(p)->span, "kernel-syntax",
                "a kernel is __global__ void f(float *x, int n) { ... }",
                "expected `void` and the name of the kernel, found %s", found(p));
  const struct fs_c_token *t = cur(p);
  next(p);
  p->params.len = p->locals.len = p->scope.len = 0;
  *out = (struct fs_c_kernel){.name = t->text, .span = t->span};
  if (p->only && strcmp(p->only, t->text)) return pass_over(p, "{", "}");
  if (!expect(p, "(")) return false;
  if (!accept_word(p, "void") && !is(p, ")"))
    do
      if (!rule_param(p)) return false;
    while (accept(p, ","));
  struct fs_stmt *body = NULL, **tail = &body;
  if (!expect(p, ")") || !expect(p, "{") || !rule_block(p, &tail)) return false;
  mark_all(p, body);
  *out = (struct fs_c_kernel){.name = t->text, .span = t->span, .body = body};
  out->whole = fs_span_join(begin, p->last);
  out->n_params = p->params.len;
  out->n_locals = p->locals.len;
  out->params = FS_NEW_N(p->arena, struct fs_c_param, out->n_params ? out->n_params : 1);
  out->locals = FS_NEW_N(p->arena, struct fs_c_name, out->n_locals ? out->n_locals : 1);
  for (int k = 0; k < out->n_params; k++) out->params[k] = p->params.data[k];
  for (int k = 0; k < out->n_locals; k++) out->locals[k] = p->locals.data[k];
  bool writes = false;
  for (int k = 0; k < out->n_params; k++) writes |= out->params[k].writes;
  return writes || fail(p, t->span, "kernel-subset", NULL,
                        "`%.60s` writes no array: there is nothing that it gives", t->text);
}

/* __device__ float f(float x, int k) { return x*k; }, behind __device__ */
static bool rule_function(struct reader *p) {
  struct function f = {.name = NULL};
  enum fs_c_type type;
  p->params.len = p->locals.len = p->scope.len = 0;
  while (accept_word(p, "inline") || accept_word(p, "__inline__") || accept_word(p, "__forceinline__"))
    continue;
  if (!rule_type(p, &f.type)) return false;
  if (f.type == FS_C_VOID || cur(p)->kind != FS_CT_NAME)
    return refuse(p, cur(p)->span, "a function of the file's own gives one number");
  f.name = cur(p)->text;
  next(p);
  if (!expect(p, "(")) return false;
  while (!is(p, ")") && p->st == FS_OK) {
    if (!rule_type(p, &type)) return false;
    const struct fs_c_token *t = cur(p);
    if (t->kind != FS_CT_NAME || type == FS_C_VOID || f.n == MOST_ARGS)
      return refuse(p, t->span, "the parameters of a function are up to four numbers");
    next(p);
    f.types[f.n] = type;
    f.params[f.n++] = declare(p, t, type)->name;
    if (!accept(p, ",")) break;
  }
  if (!expect(p, ")") || !expect(p, "{")) return false;
  if (!accept_word(p, "return"))
    return refuse(p, cur(p)->span, "a function of the file's own is one `return` of an expression");
  if (!(f.value = rule_expr(p)) || !expect(p, ";") || !expect(p, "}")) return false;
  *FS_PUSH(&p->functions) = f;
  return true;
}

enum fs_status fs_c_read(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                         const char *only, int *n, struct fs_c_kernel **out) {
  struct reader p = {.diags = diags, .arena = arena, .only = only};
  FS_VEC(struct fs_c_kernel) all = {0};
  p.st = fs_c_lex(diags, arena, source, &p.words);
  int braces = 0; /* of extern "C" { */
  while (p.st == FS_OK && cur(&p)->kind != FS_CT_END) {
    if (accept(&p, ";") || (braces && accept(&p, "}"))) continue;
    if (accept_word(&p, "extern") && cur(&p)->kind == FS_CT_STRING) {
      next(&p);
      braces += accept(&p, "{");
      continue;
    }
    bool kernel = accept_word(&p, "__global__") || accept_word(&p, "__kernel") ||
                  accept_word(&p, "kernel");
    struct fs_c_kernel k;
    bool function = !kernel && (accept_word(&p, "__device__") || accept_word(&p, "inline") ||
                                accept_word(&p, "static"));
    if (function) rule_function(&p);
    else if (!kernel)
      fail(&p, cur(&p)->span, "kernel-subset", "constants are #define NAME value",
           "a file has kernels (`__global__ void`, `__kernel void`), functions (`__device__`) and "
           "macros, found %s",
           found(&p));
    else if (rule_kernel(&p, &k))
      *FS_PUSH(&all) = k;
  }
  if (p.st == FS_OK && !all.len)
    fail(&p, cur(&p)->span, "kernel-subset", NULL, "there is no kernel in the file");
  *n = all.len;
  *out = FS_NEW_N(arena, struct fs_c_kernel, all.len ? all.len : 1);
  for (int k = 0; k < all.len; k++) (*out)[k] = all.data[k];
  FS_VEC_FREE(&all);
  FS_VEC_FREE(&p.words);
  FS_VEC_FREE(&p.scope);
  FS_VEC_FREE(&p.functions);
  FS_VEC_FREE(&p.params);
  FS_VEC_FREE(&p.locals);
  return p.st;
}
