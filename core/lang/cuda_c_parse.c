/* cuda_c_parse.c - a kernel's words to statements: see cuda_c.h.
 *
 * What the language has no word for is a call: `a % b` is %(a, b), `c ? a : b` is ?:(c, a, b),
 * `(int)x` is (i32)(x), `a << b` and its like. A thread's number along x, y and z is the name
 * idx, idy and idz; a block's or a thread's alone, blockIdx.x and threadIdx.x. */
#include "core/lang/cuda_c_read.h"
#include "core/lang/parse.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* -- words ---------------------------------------------------------------------------- */

const struct fs_c_token *fs_c_cur(const struct fs_c_reader *p) { return &p->words.data[p->at]; }

bool FS_PRINTF(5, 6) fs_c_fail(struct fs_c_reader *p, struct fs_span span, const char *id,
                                 const char *hint, const char *fmt, ...) {
  char text[300];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (p->st == FS_OK) p->st = fs_error(p->diags, span, id, hint, "%s", text);
  return false;
}

bool fs_c_refuse(struct fs_c_reader *p, struct fs_span span, const char *what) {
  return fs_c_fail(p, span, "kernel-subset", "docs/kernels.md says what of C is read", "%s", what);
}

bool fs_c_refuse_unread(struct fs_c_reader *p, const struct fs_c_unread *u) {
  return fs_c_fail(p, u->at, "kernel-subset", u->hint, "%s", u->why);
}

void fs_c_next(struct fs_c_reader *p) {
  p->last = fs_c_cur(p)->span;
  if (fs_c_cur(p)->kind != FS_CT_END) p->at++;
}

bool fs_c_is(const struct fs_c_reader *p, const char *sign) {
  return fs_c_cur(p)->kind == FS_CT_SIGN && !strcmp(fs_c_cur(p)->text, sign);
}

const struct fs_c_token *fs_c_ahead(const struct fs_c_reader *p) {
  return fs_c_cur(p) + (fs_c_cur(p)->kind != FS_CT_END);
}

bool fs_c_is_ahead(const struct fs_c_reader *p, const char *sign) {
  return fs_c_ahead(p)->kind == FS_CT_SIGN && !strcmp(fs_c_ahead(p)->text, sign);
}

bool fs_c_accept(struct fs_c_reader *p, const char *sign) {
  if (p->st != FS_OK || !fs_c_is(p, sign)) return false;
  fs_c_next(p);
  return true;
}

bool fs_c_is_word(const struct fs_c_reader *p, const char *word) {
  return fs_c_cur(p)->kind == FS_CT_NAME && !strcmp(fs_c_cur(p)->text, word);
}

bool fs_c_accept_word(struct fs_c_reader *p, const char *word) {
  if (p->st != FS_OK || !fs_c_is_word(p, word)) return false;
  fs_c_next(p);
  return true;
}

const char *fs_c_found(const struct fs_c_reader *p) {
  const struct fs_c_token *t = fs_c_cur(p);
  if (t->kind == FS_CT_END) return t->text;
  size_t len;
  const char *text = fs_span_text(p->diags, t->span, &len);
  return fs_arena_printf(p->arena, "`%.*s`", (int)FS_MIN(len, 40), text);
}

bool fs_c_expect(struct fs_c_reader *p, const char *sign) {
  if (fs_c_accept(p, sign)) return true;
  return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL, "expected `%s`, found %s", sign,
                   fs_c_found(p));
}

bool fs_c_enter(struct fs_c_reader *p) {
  if (++p->depth <= FS_C_DEPTH) return true;
  return fs_c_fail(p, fs_c_cur(p)->span, "kernel-syntax", NULL, "the kernel is nested too deeply");
}

/* -- names ---------------------------------------------------------------------------- */

struct fs_c_binding *fs_c_bound(struct fs_c_reader *p, const char *c) {
  for (int k = p->scope.len - 1; k >= 0; k--)
    if (!strcmp(p->scope.data[k].c, c)) return &p->scope.data[k];
  return NULL;
}

bool fs_c_is_thread(const char *c) {
  return !strcmp(c, "idx") || !strcmp(c, "idy") || !strcmp(c, "idz");
}

int64_t fs_c_block_size(const struct fs_c_reader *p) {
  int64_t size = p->given_block != NULL;
  for (int a = 0; a < 3 && size; a++) size *= FS_MAX(p->given_block[a], 1);
  return size;
}

/* blockDim.x, which may be a number. */
static struct fs_expr *part_of_axis(const struct fs_c_reader *p, struct fs_span span,
                                    const char *name) {
  if (p->given_block && !strncmp(name, "blockDim.", 9))
    return fs_ex_number(p->arena, span, (double)FS_MAX(p->given_block[name[9] - 'x'], 1), true);
  return fs_ex_name(p->arena, span, name);
}

/* What nobody else in the kernel is called, nor a function that its tree may call. */
const char *fs_c_fresh_name(struct fs_c_reader *p, const char *c) {
  static const char ours[] =
      " bool u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64 zeros reshape trunc mod where abs min max "
      "idiv bitand bitor bitxor shl shr sqrt rsqrt exp "
      "exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh atan2 hypot erf "
      "erfc gamma lgamma floor ceil round fma isnan isfinite pi eps inf nan Inf NaN idx idy idz ";
  const char *name = c;
  for (int n = 2;; n++) {
    bool taken = fs_has_word(ours, name);
    for (int k = 0; k < p->params.len; k++) taken |= !strcmp(p->params.data[k].name, name);
    for (int k = 0; k < p->locals.len; k++) taken |= !strcmp(p->locals.data[k].name, name);
    if (!taken) return name;
    name = fs_arena_printf(p->arena, "%s_%d", c, n);
  }
}

struct fs_c_binding *fs_c_declare(struct fs_c_reader *p, const struct fs_c_token *t,
                                  enum fs_c_type type) {
  const char *name = fs_c_fresh_name(p, t->text);
  *FS_PUSH(&p->locals) = (struct fs_c_name){.name = name, .span = t->span, .type = type};
  *FS_PUSH(&p->scope) =
      (struct fs_c_binding){.c = t->text, .name = name, .local = p->locals.len - 1,
                                         .param = -1, .level = p->level};
  return &p->scope.data[p->scope.len - 1];
}

/* -- types ---------------------------------------------------------------------------- */

bool fs_c_is_qualifier(const struct fs_c_reader *p, const char *word) {
  return fs_has_word(" const __const constexpr volatile restrict __restrict__ __restrict __global "
                     "__constant __private register static __grid_constant__ ", word) ||
         (!p->cuda && fs_has_word(" global constant private ", word));
}

/* Memory that threads share. */
static bool is_shared(const struct fs_c_reader *p, const char *word) {
  return !strcmp(word, "__shared__") || !strcmp(word, "__local") ||
         (!p->cuda && !strcmp(word, "local"));
}

static int base_type(const char *word) {
  static const struct { const char *word; enum fs_c_type type; } types[] = {
      {"void", FS_C_VOID}, {"bool", FS_C_BOOL}, {"_Bool", FS_C_BOOL}, {"char", FS_C_I8},
      {"short", FS_C_I16}, {"int", FS_C_I32}, {"signed", FS_C_I32}, {"unsigned", FS_C_U32},
      {"uint", FS_C_U32}, {"uchar", FS_C_U8}, {"ushort", FS_C_U16}, {"int8_t", FS_C_I8},
      {"uint8_t", FS_C_U8}, {"int16_t", FS_C_I16}, {"uint16_t", FS_C_U16},
      {"int32_t", FS_C_I32}, {"uint32_t", FS_C_U32}, {"long", FS_C_I64}, {"ulong", FS_C_I64},
      {"int64_t", FS_C_I64}, {"uint64_t", FS_C_I64}, {"size_t", FS_C_I64}, {"half", FS_C_F16},
      {"__half", FS_C_F16}, {"__nv_bfloat16", FS_C_BF16}, {"float", FS_C_F32},
      {"double", FS_C_F64}};
  for (size_t k = 0; k < FS_LEN(types); k++)
    if (!strcmp(types[k].word, word)) return (int)types[k].type;
  return -1;
}

const struct fs_c_word *fs_c_find_word(const struct fs_c_word *all, int n, const char *name) {
  for (int k = n - 1; k >= 0; k--)
    if (!strcmp(all[k].name, name)) return &all[k];
  return NULL;
}

/* Of C's own, or the file's; -1: it is none. */
static int type_called(const struct fs_c_reader *p, const char *word) {
  const struct fs_c_word *w = fs_c_find_word(p->types.data, p->types.len, word);
  return w ? (int)w->type : base_type(word);
}

bool fs_c_begins_type(const struct fs_c_reader *p) {
  if (fs_c_cur(p)->kind != FS_CT_NAME) return false;
  const char *w = fs_c_cur(p)->text;
  return fs_c_is_qualifier(p, w) || type_called(p, w) >= 0 || is_shared(p, w) ||
         !strcmp(w, "auto");
}

/* What two words are together: `unsigned char`, `long int`, `long double`. */
static enum fs_c_type of_both(enum fs_c_type a, enum fs_c_type b) {
  static const enum fs_c_type large[] = {FS_C_F64, FS_C_I64};
  for (size_t k = 0; k < FS_LEN(large); k++)
    if (a == large[k] || b == large[k]) return large[k];
  enum fs_c_type small = FS_MIN(a, b);
  bool sign = FS_MAX(a, b) != FS_C_U32; /* unsigned */
  if (small == FS_C_I8) return sign ? FS_C_I8 : FS_C_U8;
  if (small == FS_C_I16) return sign ? FS_C_I16 : FS_C_U16;
  return sign ? FS_C_I32 : FS_C_U32;
}

/* `const unsigned int`; false: there is none, and that is said. */
bool fs_c_rule_type(struct fs_c_reader *p, enum fs_c_type *out) {
  int type = -1;
  p->shared = false;
  for (; p->st == FS_OK && fs_c_cur(p)->kind == FS_CT_NAME; fs_c_next(p)) {
    const char *w = fs_c_cur(p)->text;
    int part = type_called(p, w);
    bool shared = is_shared(p, w);
    p->shared |= shared;
    if (shared) continue;
    if (fs_c_is_qualifier(p, w)) continue;
    if (part < 0) break;
    type = type < 0 ? part : (int)of_both((enum fs_c_type)type, (enum fs_c_type)part);
  }
  if (type < 0)
    return fs_c_fail(p, fs_c_cur(p)->span, "kernel-subset",
                "types are bool, char, short, int, long, half, float and double",
                "expected a type, found %s", fs_c_found(p));
  *out = (enum fs_c_type)type;
  return true;
}

/* -- expressions ---------------------------------------------------------------------- */

/* blockIdx.x and so on, by which of them; -1: another word. */
static int part_of_thread(const char *word) {
  static const char *const parts[] = {"blockIdx", "blockDim", "threadIdx", "gridDim"};
  for (int k = 0; k < 4; k++)
    if (!strcmp(word, parts[k])) return k;
  return -1;
}

/* get_global_id(0) is idx; the others are CUDA's. */
static struct fs_expr *opencl_index(struct fs_c_reader *p, const char *word, struct fs_span span,
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
    if (good) return part_of_axis(p, span, words[k].name[(int)args[0]->number]);
    fs_c_refuse(p, span, "the dimension of an index is 0, 1 or 2");
    return NULL;
  }
  return NULL;
}

const char *const fs_c_casts[] = {"(bool)", "(u8)", "(i8)", "(u16)", "(i16)", "(i32)", "(u32)",
                                  "(i64)", "(f16)", "(bf16)", "(f32)", "(f64)"};

struct fs_expr *fs_c_inlined(struct fs_c_reader *p, const struct fs_c_values *f, struct fs_expr *e,
                               int *left) {
  if (--*left < 0) return NULL;
  for (int k = f->n - 1; k >= 0 && e->kind == FS_EX_NAME; k--) {
    if (strcmp(e->text, f->names[k])) continue;
    static const struct fs_c_values none = {.n = 0};
    return f->value[k] ? fs_c_inlined(p, &none, f->value[k], left) : NULL;
  }
  struct fs_expr *all[FS_C_ARGS + 1];
  for (int k = 0; k < e->n_args; k++)
    if (!(all[k] = fs_c_inlined(p, f, e->args[k], left))) return NULL;
  return fs_ex_with_args(p->arena, e, all);
}

static struct fs_expr *call_own(struct fs_c_reader *p, const struct fs_c_token *t,
                                struct fs_span span,
                                int n, struct fs_expr **args) {
  const struct fs_c_function *f = NULL;
  int left = FS_C_NODES;
  for (int k = 0; k < p->functions.len && !f; k++)
    if (!strcmp(p->functions.data[k].name, t->text)) f = &p->functions.data[k];
  if (!f) return NULL;
  if (f->n != n) {
    fs_c_fail(p, span, "kernel-syntax", NULL, "`%.60s` has %d parameter%s, not %d", f->name, f->n,
         f->n == 1 ? "" : "s", n);
    return NULL;
  }
  for (int k = 0; k < n; k++) args[k] = fs_ex_call(p->arena, fs_c_casts[f->types[k]], args[k]->span,
                                                   1, &args[k]);
  struct fs_c_values given = {.n = n};
  for (int k = 0; k < n; k++) given.names[k] = f->params[k], given.value[k] = args[k];
  struct fs_expr *e = fs_c_inlined(p, &given, f->value, &left);
  if (!e || e->height > FS_MAX_HEIGHT / 2) {
    fs_c_fail(p, span, "kernel-subset", NULL, "what `%.60s` is of these is too long", f->name);
    return NULL;
  }
  e = fs_ex_call(p->arena, fs_c_casts[f->type], span, 1, &e);
  return e;
}

/* __ldg(&x[i]), __ldg(x + i): the element. */
static struct fs_expr *loaded(struct fs_c_reader *p, const struct fs_c_token *t) {
  if (!fs_c_expect(p, "(")) return NULL;
  struct fs_expr *e = fs_c_accept(p, "&") ? fs_c_rule_unary(p) : fs_c_addressed(p, t->span, true);
  if (!e || !fs_c_expect(p, ")")) return NULL;
  if (e->kind == FS_EX_INDEX) return e;
  fs_c_refuse(p, t->span, "an address is that of a parameter's element: &a[i], a + i");
  return NULL;
}

/* __shfl_down_sync(mask, v, k), __shfl_down(v, k), ...; NULL: it is another function. */
static struct fs_expr *shuffle(struct fs_c_reader *p, const char *word, struct fs_span span, int n,
                               struct fs_expr *const *args) {
  static const char *const kinds[][2] = {{"__shfl_down", FS_C_SHUFFLE "down"},
                                         {"__shfl_xor", FS_C_SHUFFLE "xor"},
                                         {"__shfl", FS_C_SHUFFLE "get"}};
  if (!n && !strcmp(word, "__activemask")) return fs_ex_number(p->arena, span, 0xffffffff, true);
  for (size_t k = 0; k < FS_LEN(kinds); k++) {
    size_t len = strlen(kinds[k][0]);
    bool sync = !strcmp(word + FS_MIN(len, strlen(word)), "_sync");
    int64_t width = 32;
    if (strncmp(word, kinds[k][0], len) || (word[len] && !sync) || n < 2 + sync || n > 3 + sync ||
        (n == 3 + sync && (!fs_c_constant(args[n - 1], &width) || width != 32)))
      continue;
    return fs_ex_call(p->arena, kinds[k][1], span, 2, args + sync);
  }
  return NULL;
}

static struct fs_expr *function_call(struct fs_c_reader *p, const struct fs_c_token *t) {
  static const struct { const char *c, *name; int n; } functions[] = {
      {"sqrt", "sqrt", 1}, {"rsqrt", "rsqrt", 1}, {"exp", "exp", 1}, {"expm1", "expm1", 1},
      {"log", "log", 1}, {"log1p", "log1p", 1}, {"log2", "log2", 1}, {"log10", "log10", 1},
      {"sin", "sin", 1}, {"cos", "cos", 1}, {"tan", "tan", 1}, {"asin", "asin", 1},
      {"acos", "acos", 1}, {"atan", "atan", 1}, {"sinh", "sinh", 1}, {"cosh", "cosh", 1},
      {"tanh", "tanh", 1}, {"atan2", "atan2", 2}, {"hypot", "hypot", 2}, {"erf", "erf", 1},
      {"erfc", "erfc", 1}, {"tgamma", "gamma", 1}, {"lgamma", "lgamma", 1}, {"floor", "floor", 1}, {"ceil", "ceil", 1}, {"rint", "round", 1},
      {"trunc", "trunc", 1}, {"fma", "fma", 3}, {"mad", "fma", 3}, {"fabs", "abs", 1},
      {"abs", "abs", 1}, {"fmin", "min", 2}, {"fmax", "max", 2}, {"min", "min", 2},
      {"max", "max", 2}, {"pow", "^", 2}, {"isnan", "isnan", 1}, {"isfinite", "isfinite", 1},
      {"__mul24", "*", 2}, {"mul24", "*", 2}, {"fdivide", "/", 2}, {"select", "select", 3}};
  struct fs_expr *args[FS_C_ARGS];
  int n = 0;
  for (int k = 0; k < p->functions.len; k++) {
    const struct fs_c_function f = p->functions.data[k];
    if (f.value || strcmp(f.name, t->text)) continue;
    if (!f.at || !p->before) {
      fs_c_refuse_unread(p, &f.unread);
      return NULL;
    }
    struct fs_expr *e = NULL;
    if (fs_c_put_in(p, &f, &e) && !e)
      fs_c_refuse(p, t->span, "a function that gives nothing is called as a statement");
    return p->st == FS_OK ? e : NULL;
  }
  if (fs_has_word(" __ldg __ldca __ldcg __ldcs __ldlu __ldcv ", t->text)) return loaded(p, t);
  if (!fs_c_expect(p, "(") || !fs_c_enter(p)) return NULL;
  while (!fs_c_is(p, ")") && p->st == FS_OK) {
    if (n == FS_C_ARGS) {
      fs_c_fail(p, t->span, "kernel-subset", NULL, "`%.60s` is no function that is read", t->text);
      return NULL;
    }
    args[n] = fs_c_rule_ternary(p);
    if (!args[n++]) return NULL;
    if (!fs_c_accept(p, ",")) break;
  }
  if (!fs_c_expect(p, ")")) return NULL;
  p->depth--;
  struct fs_span span = fs_span_join(t->span, p->last);
  struct fs_expr *index = opencl_index(p, t->text, span, n, args);
  if (!index && p->st == FS_OK) index = shuffle(p, t->text, span, n, args);
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
  fs_c_fail(p, t->span, "kernel-subset",
       "functions are those of one or two numbers: sqrtf(x), fminf(a, b), expf(x)",
       !strncmp(t->text, "__shfl", strlen("__shfl"))
           ? "`%.60s` is read as a step of a sum over the 32 lanes of a warp alone"
       : strstr(t->text, "sync") || strstr(t->text, "barrier")
           ? "threads that wait for each other are not read: `%.60s`"
           : "`%.60s` is no function that is read, or has other arguments", t->text);
  return NULL;
}

/* Numbers of C's headers. */
static struct fs_expr *named_number(struct fs_c_reader *p, const struct fs_c_token *t) {
  static const struct { const char *name; double value; bool whole; } all[] = {
      {"INFINITY", INFINITY, false}, {"CUDART_INF_F", INFINITY, false},
      {"CUDART_INF", INFINITY, false}, {"HUGE_VALF", INFINITY, false},
      {"FLT_MAX", FLT_MAX, false}, {"FLT_MIN", FLT_MIN, false},
      {"FLT_EPSILON", FLT_EPSILON, false}, {"DBL_MAX", DBL_MAX, false},
      {"DBL_MIN", DBL_MIN, false}, {"DBL_EPSILON", DBL_EPSILON, false},
      {"INT_MAX", INT_MAX, true}, {"warpSize", 32, true}, {"M_PI", M_PI, false}, {"M_PI_F", (float)M_PI, false},
      {"CUDART_PI_F", (float)M_PI, false}, {"CUDART_PI", M_PI, false}, {"M_E", M_E, false},
      {"M_PI_2", M_PI_2, false}, {"M_SQRT2", M_SQRT2, false}};
  for (size_t k = 0; k < FS_LEN(all); k++)
    if (!strcmp(all[k].name, t->text))
      return fs_ex_number(p->arena, t->span, all[k].value, all[k].whole);
  return NULL;
}

static struct fs_expr *sum(struct fs_c_reader *p, struct fs_expr *a, struct fs_expr *b);

/* x[i], where x is a pointer to an element of a parameter. */
static struct fs_expr *behind_pointer(struct fs_c_reader *p, const struct fs_c_token *t,
                                      const struct fs_c_binding *b) {
  int param = b->param;
  struct fs_expr *offset = b->offset, *i = NULL;
  if (!fs_c_is(p, "[")) {
    fs_c_refuse(p, t->span, "a pointer stays where it is, and is read and written by elements");
    return NULL;
  }
  fs_c_next(p);
  if (!fs_c_enter(p) || !(i = fs_c_rule_expr(p)) || !fs_c_expect(p, "]")) return NULL;
  p->depth--;
  struct fs_expr *args[] = {fs_ex_name(p->arena, t->span, p->params.data[param].name),
                            sum(p, offset, i)};
  return fs_ex_node(p->arena, FS_EX_INDEX, fs_span_join(t->span, p->last), 2, args);
}

static struct fs_expr *name_of(struct fs_c_reader *p) {
  const struct fs_c_token *t = fs_c_cur(p);
  int part = part_of_thread(t->text);
  fs_c_next(p);
  if (part >= 0) {
    bool good = fs_c_accept(p, ".") && fs_c_cur(p)->kind == FS_CT_NAME && !fs_c_cur(p)->text[1] &&
                strchr("xyz", *fs_c_cur(p)->text);
    if (!good) {
      fs_c_fail(p, t->span, "kernel-syntax", NULL, "%s has .x, .y and .z", t->text);
      return NULL;
    }
    const char *axis = fs_c_cur(p)->text;
    fs_c_next(p);
    return part_of_axis(p, fs_span_join(t->span, p->last),
                        fs_arena_printf(p->arena, "%s.%s", t->text, axis));
  }
  if (fs_c_is(p, "(")) return function_call(p, t);
  struct fs_c_binding *b = fs_c_bound(p, t->text);
  if (b && b->lost) {
    fs_c_fail(p, t->span, "kernel-subset",
              "declare it in the head of its loop: for (int i = 0; ...",
         "what the counter `%.60s` is behind its loop is not read", t->text);
    return NULL;
  }
  if (b && b->offset) return behind_pointer(p, t, b);
  bool strided = b && b->local >= 0 && p->locals.data[b->local].strided;
  if (strided && !p->in_atomic && !p->warps) { /* else cuda_c_warp.c sees to it */
    fs_c_refuse(p, t->span, FS_C_STRIDED);
    return NULL;
  }
  if (b) return fs_ex_name(p->arena, t->span, b->name);
  if (fs_c_is_thread(t->text)) {
    p->bare[t->text[2] - 'x'] = true;
    return fs_ex_name(p->arena, t->span, t->text);
  }
  const struct fs_c_word *c = fs_c_find_word(p->constants.data, p->constants.len, t->text);
  if (c && !c->value) fs_c_refuse_unread(p, &c->unread);
  if (c) return c->value;
  struct fs_expr *known = named_number(p, t);
  if (known) return known;
  if (!strcmp(t->text, "true") || !strcmp(t->text, "false")) {
    struct fs_expr *e = fs_ex_node(p->arena, FS_EX_BOOL, t->span, 0, NULL);
    e->number = t->text[0] == 't';
    return e;
  }
  fs_c_fail(p, t->span, "kernel-name", "a constant is #define NAME value in the same file",
       "nothing in the kernel is called `%.60s`", t->text);
  return NULL;
}

static const struct fs_c_param *array_named(const struct fs_c_reader *p, const char *name) {
  for (int k = 0; k < p->params.len; k++)
    if (!strcmp(p->params.data[k].name, name))
      return p->params.data[k].array ? &p->params.data[k] : NULL;
  return NULL;
}

/* An array of a thread's own. */
static const struct fs_c_name *own_array(const struct fs_c_reader *p, const char *name) {
  for (int k = 0; k < p->locals.len; k++)
    if (!strcmp(p->locals.data[k].name, name) &&
        p->locals.data[k].n_dims) return &p->locals.data[k];
  return NULL;
}

/* acc[k][l]: [](acc, k, l) */
static struct fs_expr *own_element(struct fs_c_reader *p, struct fs_expr *e,
                                   const struct fs_c_name *of) {
  struct fs_expr *all[FS_C_OWN_DIMS + 1] = {e};
  int n = 1, dims = of->n_dims;
  while (fs_c_accept(p, "[")) {
    if (n > dims || !fs_c_enter(p)) break;
    all[n] = fs_c_rule_expr(p);
    if (!all[n++] || !fs_c_expect(p, "]")) return NULL;
    p->depth--;
  }
  struct fs_span span = fs_span_join(e->span, p->last);
  if (n == dims + 1) return fs_ex_call(p->arena, "[]", span, n, all);
  fs_c_refuse(p, span, "an array of a thread's own is read and written by elements");
  return NULL;
}

/* a[i][j] */
static struct fs_expr *subscripts(struct fs_c_reader *p, struct fs_expr *e) {
  struct fs_expr *all[FS_C_RANK + 1] = {e};
  int n = 1;
  const struct fs_c_param *a = e->kind == FS_EX_NAME ? array_named(p, e->text) : NULL;
  const struct fs_c_name *own = e->kind == FS_EX_NAME ? own_array(p, e->text) : NULL;
  if (own) return own_element(p, e, own);
  if (!fs_c_is(p, "[")) {
    if (a) fs_c_refuse(p, e->span, "an array is read and written by elements: A[i]");
    return a ? NULL : e;
  }
  if (!a) {
    fs_c_fail(p, e->span, "kernel-subset", NULL,
         "only a parameter that is a pointer or array has elements");
    return NULL;
  }
  while (fs_c_accept(p, "[")) {
    if (n > FS_C_RANK || !fs_c_enter(p)) return NULL;
    all[n] = fs_c_rule_expr(p);
    if (!all[n++] || !fs_c_expect(p, "]")) return NULL;
    p->depth--;
  }
  int want = a->rank ? a->rank : 1;
  if (n - 1 != want) {
    fs_c_fail(p, fs_span_join(e->span, p->last), "kernel-syntax", NULL,
         "`%.60s` has %d subscript%s, not %d", a->name, want, want == 1 ? "" : "s", n - 1);
    return NULL;
  }
  return fs_ex_node(p->arena, FS_EX_INDEX, fs_span_join(e->span, p->last), n, all);
}

/* a, and if it may be a sum, a + i: the element there */
struct fs_expr *fs_c_addressed(struct fs_c_reader *p, struct fs_span at, bool sums) {
  struct fs_expr *e = NULL, *i = fs_ex_number(p->arena, at, 0, true);
  if (fs_c_cur(p)->kind == FS_CT_NAME) {
    struct fs_c_binding *b = fs_c_bound(p, fs_c_cur(p)->text);
    e = b ? fs_ex_name(p->arena, fs_c_cur(p)->span, b->name) : NULL;
    if (b && b->offset) {
      e = fs_ex_name(p->arena, fs_c_cur(p)->span, p->params.data[b->param].name);
      i = b->offset;
    }
    fs_c_next(p);
  }
  const struct fs_c_param *a = e ? array_named(p, e->text) : NULL;
  if (sums && a && fs_c_accept(p, "+")) {
    struct fs_expr *more = fs_c_rule_expr(p);
    i = more ? sum(p, i, more) : NULL;
  }
  if (!a || a->rank > 1 || !i) {
    fs_c_refuse(p, at,
                "an address is that of a parameter's element: &a[i], a + i, or *a, *(a + i)");
    return NULL;
  }
  struct fs_expr *args[] = {e, i};
  return fs_ex_node(p->arena, FS_EX_INDEX, fs_span_join(at, p->last), 2, args);
}

/* *a and *(a + i) */
static struct fs_expr *pointed(struct fs_c_reader *p, struct fs_span at) {
  bool sum = fs_c_accept(p, "(");
  struct fs_expr *e = fs_c_addressed(p, at, sum);
  return e && sum && !fs_c_expect(p, ")") ? NULL : e;
}

/* static_cast<int>(x), behind the word. */
static struct fs_expr *static_cast(struct fs_c_reader *p, struct fs_span at) {
  enum fs_c_type type = FS_C_VOID;
  if (!fs_c_expect(p, "<") || !fs_c_rule_type(p, &type) || type == FS_C_VOID ||
      !fs_c_expect(p, ">") || !fs_c_expect(p, "(")) {
    if (p->st == FS_OK) fs_c_refuse(p, at, "a conversion is static_cast<int>(x)");
    return NULL;
  }
  struct fs_expr *e = fs_c_rule_expr(p);
  if (!e || !fs_c_expect(p, ")")) return NULL;
  return fs_ex_call(p->arena, fs_c_casts[type], fs_span_join(at, p->last), 1, &e);
}

static struct fs_expr *rule_primary(struct fs_c_reader *p) {
  const struct fs_c_token *t = fs_c_cur(p);
  enum fs_c_type type;
  if (t->kind == FS_CT_NUMBER) {
    fs_c_next(p);
    return fs_ex_number(p->arena, t->span, t->number, t->is_int);
  }
  if (p->cuda && fs_c_accept_word(p, "static_cast")) return static_cast(p, t->span);
  if (t->kind == FS_CT_NAME && (type_called(p, t->text) < 0 || !fs_c_begins_type(p))) {
    struct fs_expr *e = name_of(p);
    return e ? subscripts(p, e) : NULL;
  }
  if (fs_c_accept(p, "(")) {
    if (!fs_c_enter(p)) return NULL;
    bool cast = fs_c_begins_type(p);
    if (cast && (!fs_c_rule_type(p, &type) || type == FS_C_VOID)) {
      fs_c_refuse(p, t->span, "a conversion is (float)x or (int)x");
      return NULL;
    }
    struct fs_expr *e = cast ? NULL : fs_c_rule_expr(p);
    if ((!cast && !e) || !fs_c_expect(p, ")")) return NULL;
    p->depth--;
    if (!cast) {
      e->span = fs_span_join(t->span, p->last);
      return e;
    }
    e = fs_c_rule_unary(p);
    return e ? fs_ex_call(p->arena, fs_c_casts[type], fs_span_join(t->span, e->span), 1, &e) : NULL;
  }
  fs_c_fail(p, t->span, "kernel-syntax", NULL, "expected a value, found %s", fs_c_found(p));
  return NULL;
}

struct fs_expr *fs_c_rule_unary(struct fs_c_reader *p) {
  static const struct { const char *sign; enum fs_ast_op op; } ops[] = {
      {"-", FS_AO_NEG}, {"+", FS_AO_PLUS}, {"!", FS_AO_NOT}};
  struct fs_span at = fs_c_cur(p)->span;
  if (!fs_c_enter(p)) return NULL;
  struct fs_expr *e = NULL;
  int k = 0;
  while (k < 3 && !fs_c_is(p, ops[k].sign)) k++;
  if (k < 3) {
    fs_c_next(p);
    struct fs_expr *a = fs_c_rule_unary(p);
    if (a) e = fs_ex_node(p->arena, FS_EX_UNARY, fs_span_join(at, a->span), 1, &a);
    if (e) e->op = ops[k].op;
  } else if (fs_c_accept(p, "*")) {
    e = pointed(p, at);
  } else if (fs_c_accept(p, "~")) { /* x ^ -1, in its type */
    struct fs_expr *one = fs_ex_number(p->arena, at, 1, true), *pair[2] = {fs_c_rule_unary(p)};
    pair[1] = fs_ex_node(p->arena, FS_EX_UNARY, at, 1, &one);
    pair[1]->op = FS_AO_NEG;
    if (pair[0]) e = fs_ex_call(p->arena, "^", fs_span_join(at, pair[0]->span), 2, pair);
  } else if (fs_c_is(p, "++") || fs_c_is(p, "--") || fs_c_is(p, "&")) {
    fs_c_refuse(p, at, "`++` and `--` are statements of their own; `&` is not read");
  } else {
    e = rule_primary(p);
  }
  p->depth--;
  return e;
}

/* What a name stands for that has one value. */
static const struct fs_expr *once_of(const struct fs_c_reader *p, const struct fs_expr *e) {
  for (int k = 0; e->kind == FS_EX_NAME && k < p->locals.len; k++)
    if (p->locals.data[k].once && !strcmp(p->locals.data[k].name, e->text))
      return p->locals.data[k].once;
  return e;
}

const struct fs_expr *fs_c_uncast(const struct fs_expr *e) {
  while (e->kind == FS_EX_CALL && e->n_args == 2) {
    const char *f = e->args[0]->kind == FS_EX_NAME ? e->args[0]->text : "";
    if (strcmp(f, "(i32)") && strcmp(f, "(u32)") && strcmp(f, "(i64)")) break;
    e = e->args[1];
  }
  return e;
}

/* threadIdx.x, blockIdx.x or blockDim.x of a name that is one: int tx = threadIdx.x; */
static const struct fs_expr *part_named(const struct fs_c_reader *p, const struct fs_expr *e) {
  e = fs_c_uncast(e);
  for (int k = 0; e->kind == FS_EX_NAME && k < p->locals.len; k++) {
    const struct fs_expr *once = p->locals.data[k].once;
    if (once) once = fs_c_uncast(once);
    if (once && once->kind == FS_EX_NAME && strchr(once->text, '.') &&
        !strcmp(p->locals.data[k].name, e->text))
      return once;
  }
  return e;
}

/* blockIdx.x*blockDim.x, or with a constant in place of blockDim.x: the axis; 0: neither. *size:
 * the constant; 0: there is none. */
static char axis_of_block(const struct fs_c_reader *p, const struct fs_expr *e, int64_t *size) {
  *size = 0;
  e = fs_c_uncast(e);
  if (e->kind != FS_EX_BINARY || e->op != FS_AO_MUL) return 0;
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *a = part_named(p, e->args[k]), *b = part_named(p, e->args[!k]);
    if (a->kind != FS_EX_NAME || strncmp(a->text, "blockIdx.", 9)) continue;
    bool dim = b->kind == FS_EX_NAME && !strncmp(b->text, "blockDim.", 9) &&
        b->text[9] == a->text[9];
    if (dim || fs_c_constant(b, size)) return a->text[9];
  }
  return 0;
}

/* blockIdx.x*blockDim.x + threadIdx.x is idx, also behind something. */
static struct fs_expr *sum(struct fs_c_reader *p, struct fs_expr *a, struct fs_expr *b) {
  static const char *const names[] = {"idx", "idy", "idz"};
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *block = k ? b : a, *thread = part_named(p, k ? a : b);
    struct fs_expr *before = NULL;
    int64_t size;
    bool is_sum = !k && block->kind == FS_EX_BINARY && block->op == FS_AO_ADD;
    if (is_sum) before = block->args[0], block = block->args[1];
    char axis = axis_of_block(p, once_of(p, block), &size);
    if (!axis || thread->kind != FS_EX_NAME || strncmp(thread->text, "threadIdx.", 10)) continue;
    if (thread->text[10] != axis) continue;
    int64_t *of = &p->block[axis - 'x'];
    if (size) *of = *of && *of != size ? -1 : size; /* -1: it cannot be both */
    struct fs_span span = fs_span_join(a->span, b->span);
    if (is_sum) span = fs_span_join(block->span, b->span);
    struct fs_expr *id = fs_ex_name(p->arena, span, names[axis - 'x']);
    return before ? fs_ex_binary(p->arena, FS_AO_ADD, before, id) : id;
  }
  return fs_ex_binary(p->arena, FS_AO_ADD, a, b);
}

/* gridDim.x*32 in blocks of 32 threads: all threads along x; NULL: it is another product. */
static struct fs_expr *all_threads(const struct fs_c_reader *p, struct fs_expr *a,
                                   struct fs_expr *b) {
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *grid = k ? b : a, *size = k ? a : b;
    int64_t n;
    if (grid->kind != FS_EX_NAME || strncmp(grid->text, "gridDim.", 8)) continue;
    if (!fs_c_constant(size, &n) || n != p->block[grid->text[8] - 'x']) continue;
    return fs_ex_name(p->arena, fs_span_join(a->span, b->span),
                      fs_arena_printf(p->arena, "gridSize.%c", grid->text[8]));
  }
  return NULL;
}

struct operator_of { const char *sign; int level, op; }; /* op -1: a call of the sign */
static const struct operator_of operators[] = {
    {"||", 1, FS_AO_OR}, {"&&", 2, FS_AO_AND}, {"|", 3, -1}, {"^", 4, -1}, {"&", 5, -1},
    {"==", 6, FS_AO_EQ}, {"!=", 6, FS_AO_NE}, {"<", 7, FS_AO_LT}, {"<=", 7, FS_AO_LE},
    {">", 7, FS_AO_GT}, {">=", 7, FS_AO_GE}, {"<<", 8, -1}, {">>", 8, -1}, {"+", 9, FS_AO_ADD},
    {"-", 9, FS_AO_SUB}, {"*", 10, FS_AO_MUL}, {"/", 10, FS_AO_DIV}, {"%", 10, -1}};

static struct fs_expr *rule_binary(struct fs_c_reader *p, int level) {
  struct fs_expr *a = fs_c_rule_unary(p);
  while (a && p->st == FS_OK) {
    const struct operator_of *o = NULL;
    for (size_t k = 0; k < FS_LEN(operators); k++)
      if (fs_c_is(p, operators[k].sign) && operators[k].level >= level) o = &operators[k];
    if (!o) return a;
    fs_c_next(p);
    if (!fs_c_enter(p)) return NULL;
    struct fs_expr *b = rule_binary(p, o->level + 1);
    p->depth--;
    if (!b) return NULL;
    struct fs_expr *pair[] = {a, b};
    struct fs_expr *all = o->op == FS_AO_MUL ? all_threads(p, a, b) : NULL;
    if (all) a = all;
    else if (o->op == FS_AO_ADD) a = sum(p, a, b);
    else if (o->op >= 0) a = fs_ex_binary(p->arena, (enum fs_ast_op)o->op, a, b);
    else a = fs_ex_call(p->arena, o->sign, fs_span_join(a->span, b->span), 2, pair);
    if (a->height > FS_MAX_HEIGHT) {
      fs_c_fail(p, a->span, "kernel-syntax", NULL, "this expression is too long");
      return NULL;
    }
  }
  return a;
}

struct fs_expr *fs_c_rule_ternary(struct fs_c_reader *p) {
  struct fs_expr *c = rule_binary(p, 0), *args[3] = {c};
  if (!c || !fs_c_accept(p, "?") || !fs_c_enter(p)) return p->st == FS_OK ? c : NULL;
  args[1] = fs_c_rule_expr(p);
  if (!args[1] || !fs_c_expect(p, ":")) return NULL;
  args[2] = fs_c_rule_ternary(p);
  p->depth--;
  return args[2] ? fs_ex_call(p->arena, "?:", fs_span_join(c->span, args[2]->span), 3, args) : NULL;
}

struct fs_expr *fs_c_rule_expr(struct fs_c_reader *p) {
  struct fs_expr *e = fs_c_rule_ternary(p);
  if (e && (fs_c_is(p, "=") || fs_c_is(p, "+=") || fs_c_is(p, "-="))) {
    fs_c_refuse(p, fs_c_cur(p)->span, "an assignment is a statement of its own");
    return NULL;
  }
  return e;
}

bool fs_c_constant(const struct fs_expr *e, int64_t *out) {
  int64_t a, b;
  if (e->kind == FS_EX_NUMBER && e->is_int && e->number < 1e9) {
    *out = (int64_t)e->number;
    return true;
  }
  if (e->kind == FS_EX_CALL && e->n_args == 2 && e->args[0]->text[0] == '(')
    return fs_c_constant(e->args[1], out);
  bool two = e->kind == FS_EX_BINARY || (e->kind == FS_EX_CALL && e->n_args == 3);
  int at = e->kind == FS_EX_CALL;
  if (!two || !fs_c_constant(e->args[at], &a) || !fs_c_constant(e->args[at + 1], &b) ||
      a > 1000000000 || b > 1000000000)
    return false;
  if (at) {
    const char *f = e->args[0]->text;
    bool shift = (!strcmp(f, "<<") || !strcmp(f, ">>")) && b >= 0 && b < 30 && a >= 0;
    if (shift) *out = *f == '<' ? a << b : a >> b;
    if (!strcmp(f, "%") && b > 0) return *out = a % b, true;
    return shift;
  }
  switch (e->op) {
    case FS_AO_ADD: *out = a + b; return true;
    case FS_AO_SUB: *out = a - b; return true;
    case FS_AO_MUL: *out = a * b; return true;
    case FS_AO_DIV: *out = b ? a / b : 0; return b != 0;
    default: return false;
  }
}
