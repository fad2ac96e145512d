/* expr.c - types and expressions of the generated text. */
#include "core/emit/user.h"
#include "core/emit/writer.h"

/* -- types ------------------------------------------------------------------ */

const char *em_value_type(enum fs_dtype dt) {
  return fs_dtypes[fs_dtype_compute(dt)].cuda_value;
}

const char *em_lane_type(struct em *em, int value) {
  enum fs_dtype dt = em_val(em, value)->dtype;
  if (!em->how->pairs || !em_is_laned(em, value)) return em_value_type(dt);
  return em_fmt(em, "fs_pair<%s>", em_stored_type(dt));
}

const char *em_stored_type(enum fs_dtype dt) { return fs_dtypes[dt].cuda_stored; }

/* Of a running number of a type. */
static const char *number_type(enum fs_dtype dt) {
  return dt == FS_BOOL ? "int" : em_value_type(dt);
}

const char *em_acc_type(struct em *em, int value) {
  if (!em_val(em, value)->place) return number_type(em_val(em, value)->dtype);
  const struct fs_step *s = &em->k->steps.data[em->how->made[value].def];
  return em_fmt(em, "fs_spot<%s>", em_value_type(em_val(em, s->in[0])->dtype));
}

/* -- reductions --------------------------------------------------------------- */

const char *em_op_class(int reduce_op) { return fs_reduce_ops[reduce_op].functor; }

static const char *first_number(int reduce_op, enum fs_dtype dt) {
  enum fs_first first = fs_reduce_ops[reduce_op].first;
  bool lowest = first == FS_FIRST_LOWEST;
  if (first == FS_FIRST_ZERO || first == FS_FIRST_ONE)
    return first == FS_FIRST_ZERO ? "0" : "1";
  const struct fs_dtype_info *t = &fs_dtypes[fs_dtype_compute(dt)];
  return lowest ? t->cuda_lowest : t->cuda_highest;
}

const char *em_neutral(struct em *em, const struct fs_step *s) {
  if (!em_val(em, s->out)->place) return first_number(s->op, em_val(em, s->out)->dtype);
  return em_fmt(em, "%s{%s, 9223372036854775807LL}", em_acc_type(em, s->out),
                first_number(s->op, em_val(em, s->in[0])->dtype));
}

/* The table's expression for two states, of which a is `acc` and b is `x`. */
const char *em_combine(struct em *em, int reduce_op, const char *acc, const char *x) {
  struct fs_str out = {0};
  if (fs_reduces_to_place(reduce_op))
    return em_fmt(em, "%s::of(%s, %s)", em_op_class(reduce_op), acc, x);
  for (const char *p = fs_reduce_ops[reduce_op].merge; *p;) {
    size_t n = 0; /* of a word */
    while (p[n] == '_' || (p[n] >= 'a' && p[n] <= 'z')) n++;
    if (n == 1 && (*p == 'a' || *p == 'b')) fs_str_puts(&out, *p == 'a' ? acc : x);
    else fs_str_put(&out, p, FS_MAX(n, 1));
    p += FS_MAX(n, 1);
  }
  const char *text = fs_arena_strndup(em->w.arena, fs_str_text(&out), out.len);
  fs_str_free(&out);
  return text;
}

const char *em_rounded(struct em *em, enum fs_dtype dt, const char *x) {
  if (fs_dtype_compute(dt) == dt) return x;
  return em_fmt(em, "fs_round_%s(%s)", fs_dtype_name(dt), x);
}

const char *em_finished(struct em *em, int value, const char *acc) {
  enum fs_dtype dt = em_val(em, value)->dtype;
  if (em_val(em, value)->place) return em_fmt(em, "%s.at", acc);
  if (dt == FS_BOOL) return em_fmt(em, "%s != 0", acc);
  return em_rounded(em, dt, acc);
}

/* -- values ------------------------------------------------------------------- */

const char *em_row_ref(struct em *em, int value) {
  int v = em->how->made[value].alias;
  const struct em_value *x = &em->v[v];
  if (em->row_by_lane && x->own) return em_fmt(em, "own%d", v);
  if (em->row_by_lane && x->b && em->how->rows > 1) return em_fmt(em, "fs_lane(v%d, b)", v);
  return em_fmt(em, "%c%d%s%s", em->into_next ? 'n' : 'v', v,
                x->b && em->how->rows > 1 ? "[b]" : "", x->c && em->how->vectors > 1 ? "[c]" : "");
}

const char *em_ref(struct em *em, int value) {
  const struct em_value *x = &em->v[em->how->made[value].alias];
  const char *row = em_row_ref(em, value);
  if (!x->e || em->how->lanes == 1) return row;
  return em_fmt(em, em->one_by_one ? "fs_lane(%s, e)" : "%s[e]", row);
}

bool em_is_twice(const struct em *em, const struct fs_step *s) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  return em->how->pairs && s->kind == FS_SP_PARAM && fs_dtype_is_half(dt);
}

/* The pair of a param that is there twice, or NULL. */
static const char *twice(struct em *em, int value) {
  int v = em->how->made[value].alias, def = em->how->made[v].def;
  bool is = def >= 0 && em_is_twice(em, &em->k->steps.data[def]);
  return is ? em_fmt(em, "b%d", v) : NULL;
}

const char *em_element(struct em *em, int value, int half) {
  const char *x = half == EM_BOTH ? twice(em, value) : NULL;
  if (x) return x;
  x = em_ref(em, value);
  return half < 0 || !em_is_laned(em, value) ? x
                                         : em_fmt(em, "fs_half(%s, %d)", x, half);
}

/* -- indices ------------------------------------------------------------------ */

const char *em_at(struct em *em, const struct fs_lp_address *a) {
  struct fs_str s = {0};
  for (int x = 0; x < FS_LP_TERMS; x++) {
    const struct fs_lp_term *t = &a->term[x];
    if (!t->times) continue;
    if (s.len) fs_str_puts(&s, " + ");
    fs_str_puts(&s, t->index ? t->index : em_int(em, t->times));
    if (t->index && t->times != 1) fs_str_printf(&s, " * %s", em_int(em, t->times));
  }
  const char *text = s.len ? fs_arena_strndup(em->w.arena, fs_str_text(&s), s.len) : "0";
  fs_str_free(&s);
  return text;
}

const char *em_address(struct em *em, const struct fs_access *a) {
  struct fs_lp_address at = {0};
  if (a->list) {
    const char *in_list = em_address(em, fs_access_list(em->k, a));
    fs_lp_add_term(&at, em_fmt(em, "fs_place<fs_index>(a%d[%s])", a->list - 1, in_list),
                   a->list_stride);
  }
  fs_lp_add_axes(&at, &em->axes, a->stride);
  return em_at(em, &at);
}

/* -- right-hand sides ----------------------------------------------------------- */

static const char *index_of(struct em *em, const struct fs_step *s, const char *lane) {
  struct fs_lp_address at = {0};
  fs_lp_add_axes(&at, &em->axes, s->affine.stride);
  fs_lp_add_term(&at, NULL, s->affine.base);
  if (lane) fs_lp_add_term(&at, lane, s->affine.stride[em->axes.n_outer + em->axes.n_inner - 1]);
  return em_at(em, &at);
}

const char *em_accumulate(struct em *em, const struct fs_step *s, const char *acc, int half) {
  enum fs_dtype to = em_val(em, s->out)->dtype;
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  const char *x = em_element(em, s->in[0], half);
  if (em_val(em, s->out)->place) {
    const char *at = index_of(em, s, em->how->lanes > 1 ? "e" : NULL);
    x = em_fmt(em, "%s{%s, %s}", em_acc_type(em, s->out), x, at);
    return em_fmt(em, "%s = %s;", acc, em_combine(em, s->op, acc, x));
  }
  if (s->in[1] >= 0) {
    const char *y = em_element(em, s->in[1], half);
    if (fs_dtype_is_float(to))
      return em_fmt(em, "%s = %s(%s, %s, %s);", acc, to == FS_F64 ? "fma" : "fmaf", x, y, acc);
    x = em_fmt(em, "%s * %s", x, y);
    from = to == FS_I64 ? FS_I32 : to;
  }
  if (number_type(to) != number_type(from) && strcmp(number_type(to), number_type(from)))
    x = em_fmt(em, "(%s)(%s)", number_type(to), x);
  else if (from == FS_BOOL)
    x = em_fmt(em, "(int)%s", x);
  return em_fmt(em, "%s = %s;", acc, em_combine(em, s->op, acc, x));
}

static const char *iota(struct em *em, const struct fs_step *s, const char *lane) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  const char *x =
      em_fmt(em, "%s + %s * (%s)(%s)", em_ref(em, s->in[0]),
             em_ref(em, s->in[1]), em_value_type(dt), index_of(em, s, lane));
  return em_rounded(em, dt, x);
}

static const char *random_number(struct em *em, const struct fs_step *s, const char *lane) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  const char *kind = dt == FS_F64 ? s->op ? "fs_normal_f64" : "fs_uniform_f64"
                     : s->op      ? "fs_normal_f32"
                                  : "fs_uniform_f32";
  const char *x =
      em_fmt(em, "%s(%s, %s, %s)", kind, index_of(em, s, lane),
             em_ref(em, s->in[0]), em_ref(em, s->in[1]));
  return em_rounded(em, dt, x);
}

/* -- params --------------------------------------------------------------------- */

const char *fs_param_text(enum fs_param_type type) {
  static const char *const text[] = {"long long", "double", "float", "unsigned",
                                     "unsigned"};
  return text[type];
}

unsigned fs_param_twice(enum fs_param_type type, double x) {
  bool half = type == FS_PARAM_F16_TWICE;
  return 0x10001u * (half ? fs_float_to_half((float)x) : fs_float_to_bf16((float)x));
}

static enum fs_param_type param_type(const struct em *em, const struct fs_step *s) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  if (!fs_dtype_is_float(dt)) return FS_PARAM_INT;
  if (dt == FS_F64) return FS_PARAM_DOUBLE;
  if (!em_is_twice(em, s)) return FS_PARAM_FLOAT;
  return dt == FS_F16 ? FS_PARAM_F16_TWICE : FS_PARAM_BF16_TWICE;
}

static const char *param(struct em *em, const struct fs_step *s) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  enum fs_param_type type = param_type(em, s);
  struct fs_emitted *o = em->out;
  int at = 0;
  while (at < o->n_params && (o->params[at] != s->param || o->param_type[at] != type))
    at++;
  if (at == o->n_params) {
    o->params = fs_realloc(o->params, sizeof(int) * (size_t)(at + 1));
    o->param_type =
        fs_realloc(o->param_type, sizeof *o->param_type * (size_t)(at + 1));
    o->params[at] = s->param;
    o->param_type[at] = type;
    o->n_params++;
  }
  if (em_is_twice(em, s)) return em_fmt(em, "p%d", at);
  if (dt == FS_BOOL) return em_fmt(em, "p%d != 0", at);
  return em_rounded(em, dt, em_fmt(em, "(%s)p%d", em_value_type(dt), at));
}

/* Fills {0} {1} {2} and {f} of an operation's pattern; half: as em_element(). */
static const char *fill(struct em *em, const struct fs_step *s, const char *p, int half) {
  struct fs_str out = {0};
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  bool single = fs_dtype_is_float(from) && from != FS_F64;
  for (; *p; p++) {
    if (p[0] == '{' && p[1] && p[2] == '}') {
      int v = p[1] == 'f' ? -1 : s->in[p[1] - '0'];
      if (v < 0) fs_str_puts(&out, single ? "f" : "");
      else fs_str_puts(&out, em_element(em, v, half));
      p += 2;
    } else {
      fs_str_put(&out, p, 1);
    }
  }
  const char *text = fs_arena_strndup(em->w.arena, fs_str_text(&out), out.len);
  fs_str_free(&out);
  return text;
}

static const char *pattern(struct em *em, const struct fs_step *s) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  if (!em->how->pairs || !em_is_laned(em, s->out))
    return em_rounded(em, dt, fill(em, s, em_pattern(em, s), -1));
  const char *both = em_pair_pattern(em, s), *each = em_pattern(em, s);
  if (both) return fill(em, s, both, EM_BOTH);
  return em_fmt(em, "fs_two<%s>(%s, %s)", em_stored_type(dt), fill(em, s, each, 0),
                fill(em, s, each, 1));
}

static const char *cast(struct em *em, const struct fs_step *s) {
  enum fs_dtype to = em_val(em, s->out)->dtype;
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  const char *x = em_ref(em, s->in[0]);
  if (to == FS_BOOL && from != FS_BOOL) return em_fmt(em, "%s != 0", x);
  if (!strcmp(em_value_type(to), em_value_type(from)))
    return to == from ? x : em_rounded(em, to, x);
  /* C++ leaves a float outside the integers' range undefined; these saturate.
   * A NaN gives 0 as an int, and the smallest integer as a long long. */
  if (fs_dtype_is_float(from) && (to == FS_I32 || to == FS_I64)) {
    const char *type = from == FS_F64 ? "double" : "float";
    if (to == FS_I32) return em_fmt(em, "__%s2int_rz(%s)", type, x);
    return em_fmt(em, "%s == %s ? __%s2ll_rz(%s) : 0", x, x, type, x);
  }
  return em_rounded(em, to, em_fmt(em, "(%s)%s", em_value_type(to), x));
}

static const char *call_user(struct em *em, const struct fs_step *s) {
  struct fs_str out = {0};
  fs_user_put_name(s->user, &out);
  for (int k = 0; k < s->user->n_args; k++)
    fs_str_printf(&out, "%s%s", k ? ", " : "(", em_ref(em, s->in[k]));
  fs_str_puts(&out, s->user->n_args ? ")" : "()");
  const char *text = fs_arena_strndup(em->w.arena, fs_str_text(&out), out.len);
  fs_str_free(&out);
  return text;
}

const char *em_rhs(struct em *em, const struct fs_step *s, const char *lane) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  switch (s->kind) {
    case FS_SP_PARAM: return param(em, s);
    case FS_SP_IOTA: return iota(em, s, lane);
    case FS_SP_RAND: return random_number(em, s, lane);
    case FS_SP_MAP:
      if (s->op == FS_OP_CAST) return cast(em, s);
      if (s->op == FS_OP_COPY) return em_ref(em, s->in[0]);
      return s->user ? em_rounded(em, dt, call_user(em, s)) : pattern(em, s);
    default: return "0"; /* not reached: the other kinds have no such side */
  }
}
