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

enum type { F32, BF16, F64, PAIR, TYPES }; /* PAIR: two of bf16 */

/* The short way of each operation, and what stands where an operand may be any; by
 * type: f16 is computed as f32 is. NULL: as in core/graph/ops.def, and of a pair as of
 * its halves. */
struct ways {
  int op;
  const char *quick[TYPES], *any[TYPES];
};

static const struct ways all_ways[] = {
    {FS_OP_DIV,
     {"fs_div({0}, {1}, rare)", "fs_div_bf16({0}, {1}, rare)",
      "fs_div_f64({0}, {1}, rare)", "fs_div_two({0}, {1}, seen)"},
     {0}},
    {FS_OP_SQRT,
     {"fs_sqrt({0}, rare)", "fs_sqrt_bf16({0}, rare)", "fs_sqrt_f64({0}, rare)",
      "fs_sqrt_two({0}, seen)"},
     {0}},
    {FS_OP_RSQRT,
     {"fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div_f64(1.0, fs_sqrt_f64({0}, rare), rare)", "fs_rsqrt_two({0}, seen)"},
     {0}},
    {FS_OP_LOG,
     {"fs_log({0}, rare)", "fs_log_bf16({0}, rare)", "fs_log_f64({0}, rare)",
      "fs_log_two({0}, seen)"},
     {"fs_log({0})", "fs_log_bf16({0})", "fs_log_f64({0})", NULL}},
    {FS_OP_POW, {"fs_pow({0}, {1}, rare)", NULL, NULL, NULL},
     {"fs_pow({0}, {1})", "fs_pow({0}, {1})", NULL, NULL}},
    {FS_OP_EXP, {NULL, NULL, "fs_exp_f64({0}, rare)", NULL},
     {NULL, "fs_exp_bf16({0})", "fs_exp_f64({0})", NULL}},
    {FS_OP_ERF, {NULL, NULL, "fs_erf_f64({0}, words, rare)", NULL},
     {"fs_erf({0})", "fs_erf_bf16({0})", "fs_erf_f64({0}, words)", "fs_erf_two({0})"}},
};

static const struct ways *ways_of(int op) {
  for (size_t k = 0; k < FS_LEN(all_ways); k++)
    if (all_ways[k].op == op) return &all_ways[k];
  return NULL;
}

/* The operation's text; quick: the short way, or NULL where there is none. */
static const char *way_of(int op, enum fs_dtype dt, bool quick) {
  enum type type = dt == FS_F64 ? F64 : dt == FS_BF16 ? BF16 : F32;
  const struct ways *w = fs_dtype_is_float(dt) ? ways_of(op) : NULL;
  if (quick) return w ? w->quick[type] : NULL;
  return w && w->any[type] ? w->any[type] : fs_map_ops[op].cuda;
}

/* Whether a step makes two of bf16 in a register. */
static bool makes_two(const struct em *em, const struct fs_step *s) {
  return em->how->pairs && em_is_laned(em, s->out) && em_val(em, s->out)->dtype == FS_BF16;
}

static const struct fs_step *maker(const struct em *em, int value, int op) {
  int def = em->v[value].def;
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
    if (root && makes_two(em, root) && em->v[product->in[1 - k]].uniform)
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
  const struct ways *w = makes_two(em, s) ? ways_of(s->op) : NULL;
  if (w && s->op == FS_OP_ERF && em->copies_values) return "fs_erf_looked_up({0}, values)";
  if (w && w->quick[PAIR]) {
    if (em->way != EM_SHORT) return NULL;
    if (factor_of_root(em, s) >= 0) return "fs_div_two({0}, {1})";
    bool seen = s->op == FS_OP_DIV && em->how->mode == FS_MODE_FLAT && is_seen(em, s);
    return seen ? "fs_div_of_seen({0}, {1}, seen)" : w->quick[PAIR];
  }
  return w ? w->any[PAIR] : NULL;
}

/* Whether a value is likely to be 0 here and there, as data are: sums are not where one
 * of what is added is not. */
static bool may_be_0(const struct em *em, int value, int depth) {
  int def = em->v[value].def;
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
  const char *quick = way_of(s->op, from, true);
  if (quick && em->way == EM_SHORT) return short_way(em, s, quick);
  bool single = quick && em->way == EM_LONG && from != FS_F64;
  if (single && s->op == FS_OP_DIV) return "fs_div({0}, {1})";
  if (single && s->op == FS_OP_SQRT) return "fs_sqrt({0})";
  return way_of(s->op, from, false);
}

static bool has_short_way(const struct em *em, const struct fs_step *s) {
  return s->kind == FS_SP_MAP && !s->user &&
         way_of(s->op, em_val(em, s->in[0])->dtype, true);
}

bool em_takes_short_ways(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && has_short_way(em, &em->k->steps.data[i])) return true;
  return false;
}

/* Whether the short ways are those of pairs: of all elements, or of none. */
static bool takes_two(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && has_short_way(em, s) && makes_two(em, s)) return true;
  }
  return false;
}

enum part { MAPS = 1, SUMS = 2 };
enum { LITTLE = 256, MUCH = 4096 }; /* lines; Black-Scholes has 70 for an element */

static bool is_in(const struct em *em, const struct fs_step *s, int parts) {
  if (!em_makes_lanes(em, s)) return false;
  return parts & (s->kind == FS_SP_REDUCE ? SUMS : MAPS);
}

/* Lines that the compiler makes of the maps for all elements of a thread, about. */
static double size_of_code(const struct em *em, const bool *need) {
  double lines = 0;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_MAP || !is_in(em, s, MAPS)) continue;
    lines += s->op == FS_OP_MOD ? 120 : has_short_way(em, s) ? 10 : 1;
  }
  return lines * em->how->lanes * em->how->rows * em->how->vectors;
}

bool em_has_stragglers(const struct em *em) {
  bool *all = fs_calloc((size_t)em->k->steps.len + 1, sizeof(bool)), sums = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    all[i] = s->kind == FS_SP_MAP && !em->v[s->out].uniform;
    sums |= s->kind == FS_SP_REDUCE;
  }
  bool some = em->how->mode == FS_MODE_FLAT && !sums && em_takes_short_ways(em, all) &&
              size_of_code(em, all) > LITTLE;
  free(all);
  return some;
}

/* Whether a step is the error function of a type. */
static bool has_erf(const struct em *em, enum fs_dtype dt) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_MAP && !s->user && s->op == FS_OP_ERF && em_val(em, s->in[0])->dtype == dt)
      return true;
  }
  return false;
}

void em_find_tables(struct em *em) {
  enum { TILES = 4096 };
  bool copies = em->how->mode == FS_MODE_FLAT && !em->grid && !em->k->everywhere &&
                em->how->row_vectors >= (int64_t)em->how->threads * em->how->vectors * TILES;
  em->copies_words = copies && has_erf(em, FS_F64);
  em->copies_values = copies && em->how->pairs && em->stragglers && em->device &&
                      em->device->clusters && has_erf(em, FS_BF16);
}

void em_tables(struct em *em) {
  if (em->copies_values) {
    em_line(em, "alignas(16) __shared__ unsigned short values[FS_ERF_VALUES];");
    em_line(em, "fs_copy_table<FS_THREADS>(values, fs_erf_values);");
  }
  if (em->copies_words) {
    em_line(em, "alignas(16) __shared__ unsigned words[FS_ERF_WORDS];");
    em_line(em, "fs_copy_table<FS_THREADS>(words, fs_erf_words);");
  } else if (has_erf(em, FS_F64)) {
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
  if (!em->short_ways) {
    loop(em, need, MAPS | SUMS);
    return;
  }
  em_if(em, "%s", em_short_lanes(em, need));
  em_long_lanes(em, need, size_of_code(em, need) > MUCH);
  em_close(em);
  loop(em, need, SUMS);
}
