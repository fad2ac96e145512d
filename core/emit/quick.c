/* quick.c - which operations have a short way (elemlib/cuda/quick.cuh), and the
 * loop over the lanes where there is one:
 *
 *   bool rare = false;
 *   for (int e = 0; e < 4; e++) {     // the short ways, without a branch
 *     const float v3 = fs_div(v1[e], v2[e], rare);
 *     v4[e] = v3 + v0;
 *   }
 *   if (rare) {                       // an operand that they are not made for
 *     for (int e = 0; e < 4; e++) {
 *       float o4;
 *       fs_long1(v0, v1[e], v2[e], o4); // the same, the long ways, out of line
 *       v4[e] = o4;
 *     }
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

/* -- the long ways, of one element ------------------------------------------------ */

static bool is_made(const struct em *em, const bool *need, int v) {
  int d = em->v[v].def;
  return d >= 0 && need[d] && is_in(em, &em->k->steps.data[d], MAPS);
}

/* Whether a function of its own can compute the steps: one that counts elements
 * would have to know which it has. */
static bool stands_alone(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && (s->kind == FS_SP_IOTA || s->kind == FS_SP_RAND)) return false;
    if (need[i] && s->kind == FS_SP_PARAM && is_in(em, s, MAPS)) return false;
  }
  return true;
}

/* The values that the steps take from outside. */
static int operands(const struct em *em, const bool *need, int *out) {
  int n = 0;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || !is_in(em, s, MAPS) || s->kind != FS_SP_MAP) continue;
    for (int a = 0; a < 3; a++) {
      int v = s->in[a] < 0 ? -1 : em->v[s->in[a]].alias, k = 0;
      if (v < 0 || is_made(em, need, v)) continue;
      while (k < n && out[k] != v) k++;
      out[k] = v;
      n += k == n;
    }
  }
  return n;
}

/* Whether the step's value leaves the loop. */
static bool is_result(const struct em *em, const struct fs_step *s) {
  if (s->kind != FS_SP_MAP || !is_in(em, s, MAPS)) return false;
  return em->v[s->out].b || em->v[s->out].c || em->v[s->out].e;
}

static void put_type(struct em *em, struct fs_str *s, const char *before, int v,
                     const char *name) {
  fs_str_printf(s, "%s%s %s%d", before, em_value_type(em_val(em, v)->dtype), name,
                v);
}

static void write_function(struct em *em, const bool *need, const int *in, int n) {
  struct fs_str list = {0}, *place = em->s;
  struct em_value *saved = fs_calloc((size_t)em->k->values.len + 1, sizeof *saved);
  int indent = em->indent;
  for (int k = 0; k < n; k++) put_type(em, &list, k ? ", " : "", in[k], "v");
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && is_result(em, s)) put_type(em, &list, ", ", s->out, "&o");
  }
  em->s = &em->functions;
  em->indent = 0;
  em_line(em, "// An element, the long ways.");
  em_open(em, "__device__ __noinline__ void fs_long%d(%s) {", em->n_functions,
          fs_str_text(&list));
  memcpy(saved, em->v, sizeof *saved * (size_t)em->k->values.len);
  for (int v = 0; v < em->k->values.len; v++)
    em->v[v].b = em->v[v].c = em->v[v].e = false;
  for (int i = 0; i < em->k->steps.len; i++)
    if (need[i] && em->k->steps.data[i].kind == FS_SP_MAP &&
        is_in(em, &em->k->steps.data[i], MAPS))
      em_lane_step(em, &em->k->steps.data[i]);
  memcpy(em->v, saved, sizeof *saved * (size_t)em->k->values.len);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && is_result(em, s))
      em_line(em, "o%d = v%d;", s->out, s->out);
  }
  em_close(em);
  fs_str_puts(em->s, "\n");
  em->s = place;
  em->indent = indent;
  free(saved);
  fs_str_free(&list);
}

static void call_function(struct em *em, const bool *need, const int *in, int n) {
  struct fs_str list = {0};
  em_for(em, "e", em->V);
  for (int k = 0; k < n; k++)
    fs_str_printf(&list, "%s%s", k ? ", " : "", em_ref(em, in[k]));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || !is_result(em, s)) continue;
    em_line(em, "%s o%d;", em_value_type(em_val(em, s->out)->dtype), s->out);
    fs_str_printf(&list, ", o%d", s->out);
  }
  em_line(em, "fs_long%d(%s);", em->n_functions, fs_str_text(&list));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && is_result(em, s))
      em_line(em, "%s = o%d;", em_ref(em, s->out), s->out);
  }
  em_close_for(em, em->V);
  fs_str_free(&list);
}

static void long_loop(struct em *em, const bool *need) {
  if (!stands_alone(em, need)) {
    loop(em, need, MAPS);
    return;
  }
  int *in = fs_calloc((size_t)em->k->values.len + 1, sizeof *in);
  int n = operands(em, need, in);
  em->n_functions++;
  write_function(em, need, in, n);
  call_function(em, need, in, n);
  free(in);
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
  long_loop(em, need);
  em_close(em);
  em->way = EM_AS_IT_IS;
  loop(em, need, SUMS);
}
