/* quick.c - which operations have a short way (elemlib/cuda/quick.cuh, quick_f64.cuh,
 * quick_bf16.cuh), and the loop over the lanes where there is one:
 *
 *   bool rare = false;
 *   for (int e = 0; e < 4; e++) {     // the short ways, without a branch
 *     const float v3 = fs_div(v1[e], v2[e], rare);
 *     v4[e] = v3 + v0;
 *   }
 *   if (rare) {                       // an operand that they are not made for
 *     for (int e = 0; e < 4; e++) ... // the same, the long ways
 *   }
 *   for (int e = 0; e < 4; e++) r5[e] = r5[e] + v4[e];
 *
 * Where there is much code the long ways go through the lanes one by one, for they are
 * most of what the compiler sees and hardly ever run. In flat kernels without sums the
 * vectors of such elements are `left`, and computed when the others are done (sweep.c).
 * Pairs of bf16 have short ways of their own (quick_pairs.cuh), with `fs_extremes seen`
 * in place of `rare`.
 *
 * 0 is rare in a divisor, and common in what is divided, as data have it (masks, ReLU,
 * sparse rows): such quotients have a short way that takes it.
 *
 * needs: the steps of a pass; makes: the part of its text between loads and stores
 */
#include "core/emit/writer.h"
#include "core/kernel/short_ways.h"

/* Whether a step makes two of bf16 in a register. */
static bool makes_two(const struct em *em, const struct fs_step *s) {
  return em->how->pairs && em_is_laned(em, s->out) && em_val(em, s->out)->dtype == FS_BF16;
}

static const struct fs_step *maker(const struct em *em, int value, int op) {
  int def = em->how->made[value].def;
  const struct fs_step *s = def < 0 ? NULL : &em->k->steps.data[def];
  return s && s->kind == FS_SP_MAP && !s->user && s->op == op ? s : NULL;
}

/* The number f of a quotient x / (f * sqrt(y)) of pairs, or -1. A root is never tiny or
 * huge, so that such divisors need no look where f is neither. */
static int factor_of_root(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || s->user || s->op != FS_OP_DIV || em->how->mode != FS_MODE_FLAT ||
      !makes_two(em, s))
    return -1;
  const struct fs_step *product = maker(em, s->in[1], FS_OP_MUL);
  for (int k = 0; product && k < 2; k++) {
    const struct fs_step *root = maker(em, product->in[k], FS_OP_SQRT);
    if (root && makes_two(em, root) && em->how->made[product->in[1 - k]].uniform)
      return product->in[1 - k];
  }
  return -1;
}

/* Whether fs_note_lowest() sees a quotient of pairs, which is 0 if the divisor is huge. */
static bool is_seen(const struct em *em, const struct fs_step *quotient) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool sees = s->op == FS_OP_LOG || s->op == FS_OP_SQRT || s->op == FS_OP_RSQRT;
    if (s->kind == FS_SP_MAP && !s->user && sees && s->in[0] == quotient->out && makes_two(em, s))
      return true;
  }
  return false;
}

const char *em_pair_pattern(const struct em *em, const struct fs_step *s) {
  if (fs_is_paired(s->op)) return fs_map_ops[s->op].cuda;
  const struct fs_ways *w = makes_two(em, s) ? fs_ways_of(s->op) : NULL;
  if (w && s->op == FS_OP_ERF && em->how->copies_values) return "fs_erf_looked_up({0}, values)";
  if (w && w->quick[FS_WAY_PAIR]) {
    if (em->way != EM_SHORT) return NULL;
    if (factor_of_root(em, s) >= 0) return "fs_div_two({0}, {1})";
    bool seen = s->op == FS_OP_DIV && em->how->mode == FS_MODE_FLAT && is_seen(em, s);
    return seen ? "fs_div_of_seen({0}, {1}, seen)" : w->quick[FS_WAY_PAIR];
  }
  return w ? w->any[FS_WAY_PAIR] : NULL;
}

/* Whether a value is likely to be 0 here and there, as data are: sums are not where one
 * of what is added is not. */
static bool may_be_0(const struct em *em, int value, int depth) {
  int def = em->how->made[value].def;
  const struct fs_step *s = def < 0 ? NULL : &em->k->steps.data[def];
  if (!s || !depth) return true;
  if (s->kind != FS_SP_MAP || s->user) return s->kind == FS_SP_LOAD || s->user;
  bool first = may_be_0(em, s->in[0], depth - 1);
  switch (s->op) {
  case FS_OP_ADD:
  case FS_OP_SUB: return first && may_be_0(em, s->in[1], depth - 1);
  case FS_OP_MUL: return first || may_be_0(em, s->in[1], depth - 1);
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
static const char *short_way(const struct em *em, const struct fs_step *s, const char *quick) {
  enum { DEPTH = 6 };
  enum fs_dtype dt = em_val(em, s->in[0])->dtype;
  if (dt == FS_BF16 || (em->how->mode == FS_MODE_FLAT && !may_be_0(em, s->in[0], DEPTH)))
    return quick;
  if (s->op == FS_OP_SQRT) return dt == FS_F64 ? quick : "fs_sqrt_or_0({0}, rare)";
  if (s->op == FS_OP_POW) return "fs_pow_or_0({0}, {1}, rare)";
  if (s->op != FS_OP_DIV) return quick;
  return dt == FS_F64 ? "fs_div_f64_or_0({0}, {1}, rare)" : "fs_div_or_0({0}, {1}, rare)";
}

const char *em_pattern(const struct em *em, const struct fs_step *s) {
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  const char *quick = fs_short_way(s->op, from);
  if (quick && em->way == EM_SHORT) return short_way(em, s, quick);
  bool single = quick && em->way == EM_LONG && from != FS_F64;
  if (single && s->op == FS_OP_DIV) return "fs_div({0}, {1})";
  if (single && s->op == FS_OP_SQRT) return "fs_sqrt({0})";
  return fs_long_way(s->op, from);
}

bool em_takes_short_ways(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && fs_schedule_has_short_way(em->k, &em->k->steps.data[i])) return true;
  return false;
}

/* Whether the short ways are those of pairs: of all elements, or of none. */
static bool takes_two(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && fs_schedule_has_short_way(em->k, s) && makes_two(em, s)) return true;
  }
  return false;
}

enum part { MAPS = 1, SUMS = 2 };

static bool is_in(const struct em *em, const struct fs_step *s, int parts) {
  if (!em_makes_lanes(em, s)) return false;
  return parts & (s->kind == FS_SP_REDUCE ? SUMS : MAPS);
}

void em_tables(struct em *em) {
  if (em->how->copies_values) {
    em_line(em, "alignas(16) __shared__ unsigned short values[FS_ERF_VALUES];");
    em_line(em, "fs_copy_table<FS_THREADS>(values, fs_erf_values);");
  }
  if (em->how->copies_words) {
    em_line(em, "alignas(16) __shared__ unsigned words[FS_ERF_WORDS];");
    em_line(em, "fs_copy_table<FS_THREADS>(words, fs_erf_words);");
  } else if (fs_schedule_has_erf(em->k, FS_F64)) {
    em_line(em, "const unsigned *const words = fs_erf_words;");
  }
}

static void loop(struct em *em, const bool *need, int parts) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= need[i] && is_in(em, &em->k->steps.data[i], parts);
  if (!any) return;
  if (em->one_by_one)
    em_loop(em, FS_LP_LANE, "int e = 0; e < %d; e++", em_lanes(em));
  else
    em_for(em, "e", em_lanes(em));
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && is_in(em, &em->k->steps.data[i], parts))
      em_lane_step(em, &em->k->steps.data[i]);
  em_close_for(em, em_lanes(em));
}

void em_begin_short(struct em *em, const bool *need) {
  em_line(em, takes_two(em, need) ? "fs_extremes seen;" : "bool rare = false;");
  em->way = EM_SHORT;
}

const char *em_end_short(struct em *em, const bool *need) {
  bool two = takes_two(em, need);
  em->way = EM_AS_IT_IS;
  if (two) em_line(em, "bool rare = fs_is_rare(seen);");
  for (int i = 0; two && i < em->k->steps.len; i++) {
    int factor = need[i] ? factor_of_root(em, &em->k->steps.data[i]) : -1;
    if (factor >= 0) em_line(em, "rare |= !fs_is_factor(%s);", em_ref(em, factor));
  }
  return "rare";
}

const char *em_short_lanes(struct em *em, const bool *need) {
  em_begin_short(em, need);
  if (em->how->lanes == 1) em_block(em, NULL);
  loop(em, need, MAPS);
  if (em->how->lanes == 1) em_close(em);
  return em_end_short(em, need);
}

void em_long_lanes(struct em *em, const bool *need, bool one_by_one) {
  em->way = EM_LONG;
  em->one_by_one = em->how->lanes > 1 && one_by_one;
  if (em->one_by_one) em_unroll(em, 1);
  loop(em, need, MAPS);
  em->one_by_one = false;
  em->way = EM_AS_IT_IS;
}

void em_lane_loop(struct em *em, const bool *need) {
  if (!em_takes_short_ways(em, need)) {
    loop(em, need, MAPS | SUMS);
    return;
  }
  em_if(em, "%s", em_short_lanes(em, need));
  em_long_lanes(em, need, fs_schedule_goes_one_by_one(em->k, em->how, need));
  em_close(em);
  loop(em, need, SUMS);
}
