/* lanes.c - passes over a loop over lanes: two at once, short ways, stragglers. */
#include "core/lower/program.h"

/* A statement that is, or only guards, a sum. */
static bool is_sum(const struct fs_lp *x) {
  return x->kind == FS_LP_ACC || (x->kind == FS_LP_IF && x->body && is_sum(x->body));
}

/* -- two at once ------------------------------------------------------------------ */

static void put_half(struct fs_lp_writer *to, const struct fs_lp *x, int half) {
  fs_lp_open_copy(to, x)->half = half;
  for (const struct fs_lp *y = x->body; y; y = y->next) put_half(to, y, half);
  fs_lp_close(to);
}

void fs_lp_pairs(struct fs_arena *arena, struct fs_lp *loop) {
  struct fs_lp_writer to = {.arena = arena, .at = loop};
  const struct fs_lp *x = loop->body;
  loop->body = loop->last = NULL;
  loop->extent /= 2;
  for (; x; x = x->next) {
    put_half(&to, x, is_sum(x) ? 0 : -1);
    if (is_sum(x)) put_half(&to, x, 1);
  }
}

/* -- short ways ------------------------------------------------------------------- */

static void put_way(struct fs_lp_writer *to, const struct fs_lp *x, enum fs_lp_way way) {
  struct fs_lp *copy = fs_lp_open_copy(to, x);
  if (x->kind == FS_LP_MAP) copy->way = way;
  for (const struct fs_lp *y = x->body; y; y = y->next) put_way(to, y, way);
  fs_lp_close(to);
}

/* The loop with only its sums, or all but these, maps in that way; nothing without any. */
static struct fs_lp *put_part(struct fs_lp_writer *to, const struct fs_lp *loop, bool sums,
                              enum fs_lp_way way) {
  bool any = false;
  for (const struct fs_lp *x = loop->body; x; x = x->next)
    any |= x->kind != FS_LP_LET && is_sum(x) == sums;
  if (!any) return NULL;
  struct fs_lp *part = fs_lp_open_copy(to, loop);
  for (const struct fs_lp *x = loop->body; x; x = x->next)
    if (x->kind == FS_LP_LET || is_sum(x) == sums) put_way(to, x, way);
  fs_lp_close(to);
  return part;
}

struct fs_lp *fs_lp_long_ways(struct fs_arena *arena, const struct fs_lp *loop) {
  struct fs_lp_writer w = {.arena = arena, .at = fs_lp_new(arena)};
  put_part(&w, loop, false, FS_LP_LONG);
  return w.at;
}

struct fs_lp *fs_lp_short_ways(struct fs_arena *arena, const struct fs_lp *loop,
                               const struct fs_lp_rare *rare) {
  struct fs_lp_writer w = {.arena = arena, .at = fs_lp_new(arena)};
  fs_lp_add(&w, FS_LP_TEXT, rare->before);
  put_part(&w, loop, false, FS_LP_SHORT);
  for (int k = 0; k < rare->n; k++) fs_lp_add(&w, FS_LP_TEXT, rare->behind[k]);
  fs_lp_open(&w, FS_LP_IF, "rare");
  struct fs_lp *maps = put_part(&w, loop, false, FS_LP_LONG);
  if (rare->one_by_one && maps && maps->extent > 1) maps->unroll = 1;
  fs_lp_close(&w);
  put_part(&w, loop, true, FS_LP_AS_IT_IS);
  return w.at;
}

struct fs_lp *fs_lp_stragglers(struct fs_lp *list) {
  struct fs_lp *test = list->body;
  while (test->kind != FS_LP_IF) test = test->next;
  test->text = "!rare";
  test->body = test->last = NULL;
  return test;
}
