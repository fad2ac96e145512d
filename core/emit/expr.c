/* expr.c - types and expressions of the generated text. */
#include "core/emit/region.h"
#include "core/emit/user.h"
#include "core/emit/writer.h"

/* -- types ------------------------------------------------------------------ */

const char *w_lane_type(const struct fs_writer *w, int value) {
  enum fs_dtype dt = w_val(w, value)->dtype;
  if (!w->how->pairs || !w_is_laned(w, value)) return w_value_type(dt);
  return w_fmt(w, "fs_pair<%s>", w_stored_type(dt));
}

/* Of a running number of a type. */
static const char *number_type(enum fs_dtype dt) {
  return dt == FS_BOOL ? "int" : w_value_type(dt);
}

const char *w_acc_type(const struct fs_writer *w, int value) {
  if (w_val(w, value)->words < 2) return number_type(w_val(w, value)->dtype);
  const struct fs_step *s = w_maker(w, value);
  return w_fmt(w, "%s<%s>`%s", fs_reduce_ops[s->op].state, w_value_type(w_val(w, s->in[0])->dtype),
               w_tag(w_val(w, s->in[0])->dtype));
}

const char *w_tag(enum fs_dtype dt) { return fs_dtype_name(fs_dtype_compute(dt)); }

const char *w_acc_tag(const struct fs_writer *w, int value) {
  enum fs_dtype dt = w_val(w, value)->dtype;
  if (w_val(w, value)->words < 2) return w_tag(dt == FS_BOOL ? FS_I32 : dt);
  const struct fs_step *s = w_maker(w, value);
  return w_fmt(w, "%s_%s", fs_reduce_ops[s->op].state + strlen("fs_"),
               w_tag(w_val(w, s->in[0])->dtype));
}

const char *w_op_tag(int reduce_op) { return w_op_class(reduce_op) + strlen("fs_"); }

/* -- reductions --------------------------------------------------------------- */

const char *w_op_class(int reduce_op) { return fs_reduce_ops[reduce_op].functor; }

static const char *first_number(int reduce_op, enum fs_dtype dt) {
  enum fs_first first = fs_reduce_ops[reduce_op].first;
  if (first == FS_FIRST_ZERO || first == FS_FIRST_ONE) return first == FS_FIRST_ZERO ? "0" : "1";
  const struct fs_dtype_info *t = &fs_dtypes[fs_dtype_compute(dt)];
  if (first == FS_FIRST_LEAST) return dt == FS_F64 ? "-0x1.fffffffffffffp1023" : "-0x1.fffffep127f";
  return first == FS_FIRST_LOWEST ? t->cuda_lowest : t->cuda_highest;
}

const char *w_joined(const struct fs_writer *w, const struct fs_step *s, const char *how, int n,
                     const char *x) {
  return w_fmt(w, "%s<%s, %d>`%s.%d.%s(%s)", how, w_op_class(s->op), n, w_op_tag(s->op), n,
               w_acc_tag(w, s->out), x);
}

const char *w_move(const struct fs_writer *w, const struct fs_step *s, const char *how, int n,
                   const char *to, const char *from) {
  return w_fmt(w, "fs_%s%s.%d(%s, %s);", how, w_acc_tag(w, s->out), n, to, from);
}

const char *w_neutral(const struct fs_writer *w, const struct fs_step *s) {
  if (w_val(w, s->out)->words < 2) return first_number(s->op, w_val(w, s->out)->dtype);
  const char *last = w->how->wide ? ", 9223372036854775807LL" : ", 2147483647";
  return w_fmt(w, "%s{%s%s}", w_acc_type(w, s->out), first_number(s->op, w_val(w, s->in[0])->dtype),
               fs_reduces_to_place(s->op) ? last : "");
}

/* The table's expression for two states, of which a is `acc` and b is `x`. */
const char *w_combine(const struct fs_writer *w, const struct fs_step *s, const char *acc,
                      const char *x) {
  struct fs_str out = {0};
  const struct fs_reduce_op_info *op = &fs_reduce_ops[s->op];
  const char *tag = w_acc_tag(w, s->out);
  if (op->state) return w_fmt(w, "%s::of`%s(%s, %s)", op->functor, tag, acc, x);
  for (const char *p = op->merge; *p;) {
    size_t n = 0; /* of a word */
    while (p[n] == '_' || (p[n] >= 'a' && p[n] <= 'z')) n++;
    if (n == 1 && (*p == 'a' || *p == 'b')) fs_str_puts(&out, *p == 'a' ? acc : x);
    else fs_str_put(&out, p, FS_MAX(n, 1));
    if (n > 1) fs_str_printf(&out, "`%s", tag);
    p += FS_MAX(n, 1);
  }
  return w_keep(w, &out);
}

const char *w_rounded(const struct fs_writer *w, enum fs_dtype dt, const char *x) {
  if (fs_dtype_compute(dt) == dt) return x;
  return w_fmt(w, "fs_round_%s(%s)", fs_dtype_name(dt), x);
}

const char *w_finished(const struct fs_writer *w, int value, const char *acc) {
  enum fs_dtype dt = w_val(w, value)->dtype;
  const struct fs_step *s = w_maker(w, value);
  if (w_val(w, value)->words > 1 && fs_reduces_to_place(s->op)) return w_fmt(w, "%s.at", acc);
  if (w_val(w, value)->words > 1)
    acc = w_fmt(w, "%s::result`%s(%s)", w_op_class(s->op), w_acc_tag(w, value), acc);
  if (dt == FS_BOOL) return w_fmt(w, "%s != 0", acc);
  return w_rounded(w, dt, acc);
}

void w_define_sum(const struct fs_writer *w, const struct fs_step *s, const char *acc) {
  w_define(w, FS_LP_FOLD, s, s->out, w_finished(w, s->out, acc));
}

/* -- values ------------------------------------------------------------------- */

bool w_by_lane(const struct fs_writer *w) {
  return w->how->rows > 1 && !fs_lp_loop(w->lp, FS_LP_ROW);
}

bool w_one_by_one(const struct fs_writer *w) {
  const struct fs_lp *lanes = fs_lp_loop(w->lp, FS_LP_LANE);
  return w->how->lanes > 1 && lanes && lanes->unroll == 1;
}

const char *w_row_ref(const struct fs_writer *w, int value) {
  int v = w->how->made[value].alias;
  const struct fs_lp_value *x = w->lp->value[v];
  bool rows = x->over & FS_LP_ROWS && w->how->rows > 1;
  if (w_by_lane(w) && x->own) return w_fmt(w, "own%d", v);
  if (w_by_lane(w) && rows) return w_fmt(w, "fs_lane(v%d, b)", v);
  return w_fmt(w, "v%d%s%s", v, rows ? "[b]" : "",
               x->over & FS_LP_VECTORS && w->how->vectors > 1 ? "[c]" : "");
}

const char *w_ref(const struct fs_writer *w, int value) {
  const char *row = w_row_ref(w, value);
  if (!(w_over(w, value) & FS_LP_LANES) || w->how->lanes == 1) return row;
  return w_fmt(w, w_one_by_one(w) ? "fs_lane(%s, e)" : "%s[e]", row);
}

bool w_is_twice(const struct fs_writer *w, const struct fs_step *s) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  return w->how->pairs && s->kind == FS_SP_PARAM && fs_dtype_is_half(dt);
}

/* The pair of a param that is there twice, or NULL. */
static const char *twice(const struct fs_writer *w, int value) {
  int v = w->how->made[value].alias;
  const struct fs_step *s = w_maker(w, v);
  return s && w_is_twice(w, s) ? w_fmt(w, "b%d", v) : NULL;
}

const char *w_element(const struct fs_writer *w, int value, int half) {
  const char *x = half == W_BOTH ? twice(w, value) : NULL;
  if (x) return x;
  x = w_ref(w, value);
  return half < 0 || !w_is_laned(w, value) ? x : w_fmt(w, "fs_half(%s, %d)", x, half);
}

/* -- indices ------------------------------------------------------------------ */

const char *w_at(const struct fs_writer *w, const struct fs_lp_address *a) {
  struct fs_str s = {0};
  for (int x = 0; x < FS_LP_TERMS; x++) {
    const struct fs_lp_term *t = &a->term[x];
    if (!t->times) continue;
    if (s.len) fs_str_puts(&s, " + ");
    fs_str_puts(&s, t->index ? t->index : w_int(w, t->times));
    if (t->index && t->times != 1) fs_str_printf(&s, " * %s", w_int(w, t->times));
  }
  return s.len ? w_keep(w, &s) : "0";
}

const char *w_edges(const struct fs_writer *w, const struct fs_access *a) {
  int64_t low = a->low - a->offset;
  return w_fmt(w, "(fs_index)%s, (fs_index)%s", w_int(w, low), w_int(w, low + a->reach - 1));
}

const char *w_address(const struct fs_writer *w, const struct fs_access *a) {
  const char *at = w_place(w, a);
  return a->reach ? w_fmt(w, "fs_within((fs_index)(%s), %s)", at, w_edges(w, a)) : at;
}

const char *w_place(const struct fs_writer *w, const struct fs_access *a) {
  struct fs_lp_address at = {0};
  const struct fs_access *list = fs_access_list(w->how->kernel, a);
  if (list)
    fs_lp_add_term(&at, w_fmt(w, "fs_place<fs_index>`%s(a%d[%s])", fs_dtype_name(list->dtype),
                              a->list - 1, w_address(w, list)),
                   a->list_stride);
  fs_lp_add_axes(&at, &w->axes, a->stride);
  return w_at(w, &at);
}

/* -- right-hand sides ----------------------------------------------------------- */

static const char *index_of(const struct fs_writer *w, const struct fs_step *s, const char *lane) {
  struct fs_lp_address at = {0};
  fs_lp_add_axes(&at, &w->axes, s->affine.stride);
  fs_lp_add_term(&at, NULL, s->affine.base);
  if (lane) fs_lp_add_term(&at, lane, s->affine.stride[w->axes.n_outer + w->axes.n_inner - 1]);
  return w_at(w, &at);
}

const char *w_accumulate(const struct fs_writer *w, const struct fs_step *s, const char *acc,
                         int half) {
  enum fs_dtype to = w_val(w, s->out)->dtype, from = w_val(w, s->in[0])->dtype;
  const char *x = w_element(w, s->in[0], half);
  const struct fs_reduce_op_info *op = &fs_reduce_ops[s->op];
  if (op->also)
    return w_fmt(w, "%s = %s::with`%s(%s, %s);", acc, op->functor, w_acc_tag(w, s->out), acc, x);
  if (fs_reduces_to_place(s->op)) {
    const char *at = index_of(w, s, w->how->lanes > 1 ? "e" : NULL);
    x = w_fmt(w, "%s{%s, %s}", w_acc_type(w, s->out), x, at);
    return w_fmt(w, "%s = %s;", acc, w_combine(w, s, acc, x));
  }
  if (s->in[1] >= 0) /* of floats: calls.c */
    return w_fmt(w, "%s = %s(%s, %s, %s);", acc, to == FS_F64 ? "fma" : "fmaf", x,
                 w_element(w, s->in[1], half), acc);
  if (strcmp(number_type(to), number_type(from))) x = w_fmt(w, "(%s)(%s)", number_type(to), x);
  else if (from == FS_BOOL) x = w_fmt(w, "(int)%s", x);
  return w_fmt(w, "%s = %s;", acc, w_combine(w, s, acc, x));
}

static const char *iota(const struct fs_writer *w, const struct fs_step *s, const char *lane) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  const char *x = w_fmt(w, "%s + %s * (%s)(%s)", w_ref(w, s->in[0]), w_ref(w, s->in[1]),
                        w_value_type(dt), index_of(w, s, lane));
  return w_rounded(w, dt, x);
}

static const char *random_number(const struct fs_writer *w, const struct fs_step *s,
                                 const char *lane) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  const char *x = w_fmt(w, "fs_%s_f%d(%s, %s, %s)", s->op ? "normal" : "uniform",
                        dt == FS_F64 ? 64 : 32, index_of(w, s, lane), w_ref(w, s->in[0]),
                        w_ref(w, s->in[1]));
  return w_rounded(w, dt, x);
}

/* -- params --------------------------------------------------------------------- */

static const struct {
  const char *text, *name;
} params[] = {{"long long", "int"}, {"double", "double"}, {"float", "float"},
              {"unsigned", "two f16"}, {"unsigned", "two bf16"}};
const char *fs_param_text(enum fs_param_type type) { return params[type].text; }
const char *fs_param_name(enum fs_param_type type) { return params[type].name; }

unsigned fs_param_twice(enum fs_param_type type, double x) {
  bool half = type == FS_PARAM_F16_TWICE;
  return 0x10001u * (half ? fs_float_to_half((float)x) : fs_float_to_bf16((float)x));
}

static enum fs_param_type param_type(const struct fs_writer *w, const struct fs_step *s) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  if (!fs_dtype_is_float(dt)) return FS_PARAM_INT;
  if (dt == FS_F64) return FS_PARAM_DOUBLE;
  if (!w_is_twice(w, s)) return FS_PARAM_FLOAT;
  return dt == FS_F16 ? FS_PARAM_F16_TWICE : FS_PARAM_BF16_TWICE;
}

int w_param_argument(struct fs_emitted *o, int param, enum fs_param_type type) {
  int at = 0;
  while (at < o->n_params && (o->params[at] != param || o->param_type[at] != type)) at++;
  if (at < o->n_params) return at;
  size_t n = (size_t)o->n_params + 1;
  o->params = fs_realloc(o->params, sizeof(int) * n);
  o->param_type = fs_realloc(o->param_type, sizeof *o->param_type * n);
  o->params[at] = param;
  o->param_type[at] = type;
  return o->n_params++;
}

static const char *param(const struct fs_writer *w, const struct fs_step *s) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  enum fs_param_type type = param_type(w, s);
  int at = w_param_argument(w->args->out, s->param, type);
  if (w_is_twice(w, s)) return w_fmt(w, "p%d", at);
  if (dt == FS_BOOL) return w_fmt(w, "p%d != 0", at);
  return w_rounded(w, dt, w_fmt(w, "(%s)p%d", w_value_type(dt), at));
}

/* Fills {0} {1} {2}, {f} and {t} of an operation's pattern; half: as w_element(). */
static const char *fill(const struct fs_writer *w, const struct fs_step *s, const char *p,
                        int half) {
  struct fs_str out = {0};
  enum fs_dtype from = w_val(w, s->in[0])->dtype;
  bool single = fs_dtype_is_float(from) && from != FS_F64;
  for (; *p; p++) {
    if (p[0] == '{' && p[1] && p[2] == '}') {
      if (p[1] == 'f') fs_str_puts(&out, single ? "f" : "");
      else if (p[1] == 't') fs_str_printf(&out, "`%s", w_tag(from));
      else fs_str_puts(&out, w_element(w, s->in[p[1] - '0'], half));
      p += 2;
    } else {
      fs_str_put(&out, p, 1);
    }
  }
  return w_keep(w, &out);
}

static const char *pattern(const struct fs_writer *w, const struct fs_step *s, enum fs_lp_way way) {
  enum fs_dtype dt = w_val(w, s->out)->dtype;
  if (!w->how->pairs || !w_is_laned(w, s->out))
    return w_rounded(w, dt, fill(w, s, w_pattern(w, s, way), -1));
  const char *both = w_pair_pattern(w, s, way), *each = w_pattern(w, s, way);
  if (both) return fill(w, s, both, W_BOTH);
  return w_fmt(w, "fs_two<%s>(%s, %s)", w_stored_type(dt), fill(w, s, each, 0),
               fill(w, s, each, 1));
}

static const char *cast(const struct fs_writer *w, const struct fs_step *s) {
  enum fs_dtype to = w_val(w, s->out)->dtype;
  enum fs_dtype from = w_val(w, s->in[0])->dtype;
  const char *x = w_ref(w, s->in[0]);
  struct fs_str out = {0};
  if ((to != FS_BOOL || from == FS_BOOL) && !strcmp(w_value_type(to), w_value_type(from)))
    return to == from ? x : w_rounded(w, to, x);
  fs_cast_put_cuda(to, from, x, &out);
  return w_rounded(w, to, w_keep(w, &out));
}

/* Where its elements lie, and how far apart. */
static const char *table(const struct fs_writer *w, int value) {
  const struct fs_step *s = w_maker(w, value);
  const struct fs_access *a = w_access(w, s);
  return w_fmt(w, "a%d + %s, %lld", s->access, w_address(w, a), (long long)a->list_stride);
}

static const char *call_user(const struct fs_writer *w, const struct fs_step *s) {
  struct fs_str out = {0};
  fs_user_put_name(s->user, &out);
  for (int k = 0; k < s->user->n_args; k++)
    fs_str_printf(&out, "%s%s", k ? ", " : "(",
                  s->user->arg[k].type == FS_UT_TABLE ? table(w, s->in[k]) : w_ref(w, s->in[k]));
  fs_str_puts(&out, s->user->n_args ? ")" : "()");
  return w_rounded(w, w_val(w, s->out)->dtype, w_keep(w, &out));
}

static const char *or_zero(const struct fs_writer *w, int value, const char *test, const char *x) {
  const char *type = w_value_type(w_val(w, value)->dtype);
  return *test ? w_fmt(w, "%s ? %s : (%s)0", test, x, type) : x;
}

const char *w_rhs(const struct fs_writer *w, const struct fs_step *s, const char *lane,
                  enum fs_lp_way way, const char *test) {
  const struct fs_access *a = s->kind == FS_SP_LOAD ? w_access(w, s) : NULL;
  switch (s->kind) {
    case FS_SP_PARAM: return param(w, s);
    case FS_SP_LOAD:
      return or_zero(w, s->out, test, w_fmt(w, "fs_get`%s(a%d[%s])", fs_dtype_name(a->dtype),
                                            s->access, w_address(w, a)));
    case FS_SP_IOTA: return iota(w, s, lane);
    case FS_SP_RAND: return random_number(w, s, lane);
    case FS_SP_MAP:
      if (s->op == FS_OP_CAST) return cast(w, s);
      if (s->op == FS_OP_COPY) return w_ref(w, s->in[0]);
      return s->user ? or_zero(w, s->out, test, call_user(w, s)) : pattern(w, s, way);
    default: return "0"; /* not reached: the other kinds have no such side */
  }
}
