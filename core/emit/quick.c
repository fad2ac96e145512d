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
 * most of what the compiler sees and hardly ever run.
 *
 * needs: the steps of a pass; makes: the part of its text between loads and stores
 */
#include "core/emit/writer.h"

/* The short way of each operation, and what stands where an operand may be any; by
 * type: f16 is computed as f32 is. NULL: as in core/graph/ops.def. */
struct ways {
  int op;
  const char *quick[3], *any[3]; /* f32, bf16, f64 */
};

static const struct ways all_ways[] = {
    {FS_OP_DIV,
     {"fs_div({0}, {1}, rare)", "fs_div_bf16({0}, {1}, rare)",
      "fs_div_f64({0}, {1}, rare)"},
     {0}},
    {FS_OP_SQRT,
     {"fs_sqrt({0}, rare)", "fs_sqrt_bf16({0}, rare)", "fs_sqrt_f64({0}, rare)"},
     {0}},
    {FS_OP_RSQRT,
     {"fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div(1.0f, fs_sqrt({0}, rare), rare)",
      "fs_div_f64(1.0, fs_sqrt_f64({0}, rare), rare)"},
     {0}},
    {FS_OP_LOG,
     {"fs_log({0}, rare)", "fs_log_bf16({0}, rare)", "fs_log_f64({0}, rare)"},
     {"fs_log({0})", "fs_log_bf16({0})", "fs_log_f64({0})"}},
    {FS_OP_EXP, {NULL, NULL, "fs_exp_f64({0}, rare)"},
     {NULL, "fs_exp_bf16({0})", "fs_exp_f64({0})"}},
    {FS_OP_ERF, {0}, {"fs_erf({0})", "fs_erf_bf16({0})", "fs_erf_f64({0})"}},
};

/* The operation's text; quick: the short way, or NULL where there is none. */
static const char *way_of(int op, enum fs_dtype dt, bool quick) {
  int type = dt == FS_F64 ? 2 : dt == FS_BF16;
  for (size_t k = 0; fs_dtype_is_float(dt) && k < FS_LEN(all_ways); k++) {
    const struct ways *w = &all_ways[k];
    if (w->op != op) continue;
    if (quick) return w->quick[type];
    return w->any[type] ? w->any[type] : fs_map_ops[op].cuda;
  }
  return quick ? NULL : fs_map_ops[op].cuda;
}

const char *em_pattern(const struct em *em, const struct fs_step *s) {
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  const char *quick = way_of(s->op, from, true);
  if (quick && em->way == EM_SHORT) return quick;
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

enum part { MAPS = 1, SUMS = 2 };
enum { MUCH = 4096 }; /* lines; Black-Scholes has 1,300 and is 8 % slower one by one */

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
  return lines * em->V * em->B * em->C;
}

static void loop(struct em *em, const bool *need, int parts) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= need[i] && is_in(em, &em->k->steps.data[i], parts);
  if (!any) return;
  if (em->one_by_one)
    em_open(em, "for (int e = 0; e < %d; e++) {", em_lanes(em));
  else
    em_for(em, "e", em_lanes(em));
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && is_in(em, &em->k->steps.data[i], parts))
      em_lane_step(em, &em->k->steps.data[i]);
  em_close_for(em, em_lanes(em));
}

void em_lane_loop(struct em *em, const bool *need) {
  if (!em->short_ways) {
    loop(em, need, MAPS | SUMS);
    return;
  }
  em_line(em, "bool rare = false;");
  em->way = EM_SHORT;
  if (em->V == 1) em_open(em, "{");
  loop(em, need, MAPS);
  if (em->V == 1) em_close(em);
  em->way = EM_LONG;
  em_open(em, "if (rare) {");
  em->one_by_one = em->V > 1 && size_of_code(em, need) > MUCH;
  if (em->one_by_one) fs_str_puts(em->s, "#pragma unroll 1\n");
  loop(em, need, MAPS);
  em->one_by_one = false;
  em_close(em);
  em->way = EM_AS_IT_IS;
  loop(em, need, SUMS);
}
