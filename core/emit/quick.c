/* quick.c - which operations have a short way (elemlib/cuda/quick.cuh, quick_f64.cuh,
 * quick_bf16.cuh). What is made of it: lanes.c.
 *
 * 0 is rare in a divisor, and common in what is divided, as data have it (masks, ReLU,
 * sparse rows): such quotients have a short way that takes it.
 *
 * needs: the steps of a pass; makes: the part of its text between loads and stores
 */
#include "core/emit/writer.h"
#include "core/kernel/short_ways.h"

/* Whether a step makes two of bf16 in a register. */
static bool makes_two(const struct fs_writer *w, const struct fs_step *s) {
  return w->how->pairs && w_is_laned(w, s->out) && w_val(w, s->out)->dtype == FS_BF16;
}

static const struct fs_step *maker(const struct fs_writer *w, int value, int op) {
  const struct fs_step *s = w_maker(w, value);
  return s && s->kind == FS_SP_MAP && !s->user && s->op == op ? s : NULL;
}

int w_factor_of_root(const struct fs_writer *w, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || s->user || s->op != FS_OP_DIV || w_mode(w)->rows || !makes_two(w, s))
    return -1;
  const struct fs_step *product = maker(w, s->in[1], FS_OP_MUL);
  for (int k = 0; product && k < 2; k++) {
    const struct fs_step *root = maker(w, product->in[k], FS_OP_SQRT);
    if (root && makes_two(w, root) && w->how->made[product->in[1 - k]].uniform)
      return product->in[1 - k];
  }
  return -1;
}

/* Whether fs_note_lowest() sees a quotient of pairs, which is 0 if the divisor is huge. */
static bool is_seen(const struct fs_writer *w, const struct fs_step *quotient) {
  FS_EACH_STEP(w->how->kernel, s) {
    bool sees = s->op == FS_OP_LOG || s->op == FS_OP_SQRT || s->op == FS_OP_RSQRT;
    if (s->kind == FS_SP_MAP && !s->user && sees && s->in[0] == quotient->out && makes_two(w, s))
      return true;
  }
  return false;
}

const char *w_pair_pattern(const struct fs_writer *w, const struct fs_step *s, enum fs_lp_way way) {
  if (fs_is_paired(s->op)) return fs_map_ops[s->op].cuda;
  const struct fs_ways *ways = makes_two(w, s) ? fs_ways_of(s->op) : NULL;
  if (ways && s->op == FS_OP_ERF && w->how->copies_values) return "fs_erf_looked_up({0}, values)";
  if (ways && ways->quick[FS_WAY_PAIR]) {
    if (way != FS_LP_SHORT) return NULL;
    if (w_factor_of_root(w, s) >= 0) return "fs_div_two({0}, {1})";
    bool seen = s->op == FS_OP_DIV && !w_mode(w)->rows && is_seen(w, s);
    return seen ? "fs_div_of_seen({0}, {1}, seen)" : ways->quick[FS_WAY_PAIR];
  }
  return ways ? ways->any[FS_WAY_PAIR] : NULL;
}

/* Whether a value is likely to be 0 here and there, as data are: sums are not where one
 * of what is added is not. */
static bool may_be_0(const struct fs_writer *w, int value, int depth) {
  const struct fs_step *s = w_maker(w, value);
  if (!s || !depth) return true;
  if (s->kind != FS_SP_MAP || s->user) return s->kind == FS_SP_LOAD || s->user;
  bool first = may_be_0(w, s->in[0], depth - 1);
  switch (s->op) {
    case FS_OP_ADD:
    case FS_OP_SUB: return first && may_be_0(w, s->in[1], depth - 1);
    case FS_OP_MUL: return first || may_be_0(w, s->in[1], depth - 1);
    case FS_OP_EXP: return false;
    case FS_OP_DIV:
    case FS_OP_POW:
    case FS_OP_NEG:
    case FS_OP_ABS:
    case FS_OP_SQUARE:
    case FS_OP_SQRT:
    case FS_OP_CAST: return first;
    default: return true;
  }
}

/* The short way of a quotient, root or power. One that takes 0 has two instructions more, of
 * which flat kernels are short (Black-Scholes on an H200: 4 %), others not. */
static const char *short_way(const struct fs_writer *w, const struct fs_step *s,
                             const char *quick) {
  enum { DEPTH = 6 };
  enum fs_dtype dt = w_val(w, s->in[0])->dtype;
  if (dt == FS_BF16 || (!w_mode(w)->rows && !may_be_0(w, s->in[0], DEPTH))) return quick;
  if (s->op == FS_OP_SQRT) return dt == FS_F64 ? quick : "fs_sqrt_or_0({0}, rare)";
  if (s->op == FS_OP_POW) return "fs_pow_or_0({0}, {1}, rare)";
  if (s->op != FS_OP_DIV) return quick;
  return dt == FS_F64 ? "fs_div_f64_or_0({0}, {1}, rare)" : "fs_div_or_0({0}, {1}, rare)";
}

const char *w_pattern(const struct fs_writer *w, const struct fs_step *s, enum fs_lp_way way) {
  enum fs_dtype from = w_val(w, s->in[0])->dtype;
  if (!w->how->short_ways) return fs_map_ops[s->op].cuda;
  const char *quick = fs_short_way(s->op, from);
  if (quick && way == FS_LP_SHORT) return short_way(w, s, quick);
  bool single = quick && way == FS_LP_LONG && from != FS_F64;
  if (single && s->op == FS_OP_DIV) return "fs_div({0}, {1})";
  if (single && s->op == FS_OP_SQRT) return "fs_sqrt({0})";
  return fs_long_way(s->op, from);
}

bool w_takes_short_ways(const struct fs_writer *w, fs_steps steps) {
  return w->how->short_ways &&
         FS_ANY_OF(steps, s, fs_schedule_has_short_way(w->how->kernel, s));
}

bool w_takes_two(const struct fs_writer *w, fs_steps steps) {
  return FS_ANY_OF(steps, s, fs_schedule_has_short_way(w->how->kernel, s) && makes_two(w, s));
}

void w_tables(const struct fs_writer *w) {
  if (w->how->copies_values) {
    w_line(w, "alignas(16) __shared__ unsigned short values[FS_ERF_VALUES];");
    w_line(w, "fs_copy_table<FS_THREADS>(values, fs_erf_values);");
  }
  if (w->how->copies_words) {
    w_line(w, "alignas(16) __shared__ unsigned words[FS_ERF_WORDS];");
    w_line(w, "fs_copy_table<FS_THREADS>(words, fs_erf_words);");
  } else if (w->how->short_ways && fs_schedule_has_erf(w->how->kernel, FS_F64)) {
    w_line(w, "const unsigned *const words = fs_erf_words;");
  }
}
