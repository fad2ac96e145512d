/* quick.c - which operations have a short way (elemlib/cuda/quick.cuh), and the
 * loop over the lanes where there is one:
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
 * needs: the steps of a pass; makes: the part of its text between loads and stores
 */
#include "core/emit/writer.h"

static const char *short_way(int op) {
  switch (op) {
    case FS_OP_DIV: return "fs_div({0}, {1}, rare)";
    case FS_OP_SQRT: return "fs_sqrt({0}, rare)";
    case FS_OP_RSQRT: return "fs_div(1.0f, fs_sqrt({0}, rare), rare)";
    case FS_OP_LOG: return "fs_log({0}, rare)";
    default: return NULL;
  }
}

const char *em_pattern(const struct em *em, const struct fs_step *s) {
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  bool single = fs_dtype_is_float(from) && from != FS_F64;
  if (single && em->way == EM_SHORT && short_way(s->op))
    return short_way(s->op);
  if (single && em->way == EM_LONG && s->op == FS_OP_DIV)
    return "fs_div({0}, {1})";
  if (single && em->way == EM_LONG && s->op == FS_OP_SQRT) return "fs_sqrt({0})";
  return fs_map_ops[s->op].cuda;
}

static bool has_short_way(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || s->user || !short_way(s->op)) return false;
  enum fs_dtype from = em_val(em, s->in[0])->dtype;
  return fs_dtype_is_float(from) && from != FS_F64;
}

bool em_takes_short_ways(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && has_short_way(em, &em->k->steps.data[i])) return true;
  return false;
}

enum part { MAPS = 1, SUMS = 2 };

static bool is_in(const struct em *em, const struct fs_step *s, int parts) {
  if (!em_makes_lanes(em, s)) return false;
  return parts & (s->kind == FS_SP_REDUCE ? SUMS : MAPS);
}

static void loop(struct em *em, const bool *need, int parts) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= need[i] && is_in(em, &em->k->steps.data[i], parts);
  if (!any) return;
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
  loop(em, need, MAPS);
  em_close(em);
  em->way = EM_AS_IT_IS;
  loop(em, need, SUMS);
}
