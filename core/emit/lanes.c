/* lanes.c - what is made of an element of a vector, and the loop over them, with the passes of
 * core/lower/lanes.c. Where there is much code the long ways go through the lanes one by one,
 * for they are most of what the compiler sees and hardly ever run. In flat kernels without sums
 * the vectors of such elements are `left`, and computed when the others are done (sweep.c).
 * Pairs of bf16 have short ways of their own (quick_pairs.cuh), with `fs_extremes seen` in
 * place of `rare`.
 */
#include "core/emit/writer.h"

/* Whether a value is used outside of the loop over the lanes. */
static bool leaves_lanes(const struct fs_writer *w, fs_steps need, int v) {
  FS_EACH_OF(need, s) {
    if (s->kind != FS_SP_STORE && (s->kind != FS_SP_REDUCE || !w_takes_short_ways(w, need)))
      continue;
    if (w->how->made[s->in[0]].alias == v) return true;
    if (s->in[1] >= 0 && w->how->made[s->in[1]].alias == v) return true;
  }
  return false;
}

bool w_makes_lanes(const struct fs_writer *w, const struct fs_step *s) {
  if (s->kind == FS_SP_LOAD) return false;
  if (s->kind != FS_SP_STORE) return true;
  return w->how->lanes > 1 && !(w_over(w, s->in[0]) & FS_LP_LANES);
}

void w_declare_made(const struct fs_writer *w, fs_steps need, bool at_row) {
  FS_EACH_OF(need, s) {
    if (s->kind == FS_SP_LOAD || s->kind == FS_SP_REDUCE) continue;
    if (s->kind == FS_SP_STORE) {
      int v = w->how->made[s->in[0]].alias;
      if (at_row || w->how->lanes == 1 || w_over(w, v) & FS_LP_LANES ||
          FS_ANY_OF(need, made, made->out == v))
        continue;
      w_line(w, "%s x%d[%d];", w_value_type(w_val(w, s->in[0])->dtype), w_number(w, s),
             w->how->lanes);
      continue;
    }
    bool both = w_val(w, s->out)->varies & FS_VARIES_I;
    const struct fs_scheduled_value *made = &w->how->made[s->out];
    bool lasting = made->kept || made->hoisted || (w_mode(w)->tiled && both);
    if (lasting && at_row)
      w_declare(w, s->out, (both ? FS_LP_ROWS : 0) | FS_LP_VECTORS | FS_LP_LANES, false);
    if (lasting || at_row) continue;
    fs_lp_declare(w->lp, NULL, s->out, 0);
    if ((w->how->lanes > 1 || w_takes_short_ways(w, need)) && leaves_lanes(w, need, s->out))
      w_declare(w, s->out, FS_LP_LANES, false);
  }
}

const char *w_lane_map(const struct fs_writer *w, const struct fs_lp *x, const char *lane,
                       const char *test) {
  const struct fs_step *s = x->step;
  unsigned over = w->lp->value[s->out]->over;
  const char *rhs = w_rhs(w, s, lane, x->way, test);
  if (over & FS_LP_LANES && w_one_by_one(w))
    return w_fmt(w, "fs_set_lane(%s, e, %s);", w_row_ref(w, s->out), rhs);
  if (over) return w_fmt(w, "%s = %s;", w_ref(w, s->out), rhs);
  return w_fmt(w, "const %s v%d = %s;", w_lane_type(w, s->out), s->out, rhs);
}

/* What each of the statements of a pass says. */
static const char *pass_text(const void *none, const struct fs_writer *w, const struct fs_lp *x) {
  const struct fs_step *s = x->step;
  (void)none;
  switch (x->kind) {
    case FS_LP_LET:
      return w_declaration(w, x->makes->number, x->makes->over, *w_guard(w, x->guard, -1));
    case FS_LP_LOAD: return w_load_text(w, x);
    case FS_LP_STORE: return w_store_text(w, x);
    case FS_LP_MAP:
      return w_lane_map(w, x, w->how->lanes > 1 ? "e" : NULL, w_guard(w, x->guard, -1));
    case FS_LP_ACC:
      return w_behind(w, w_guard(w, x->guard, x->half),
                      w_accumulate(w, s, w_sum(w, s->out, x->half), x->half));
    default:
      return w_fmt(w, w_one_by_one(w) ? "fs_set_lane(x%d, e, %s);" : "x%d[e] = %s;", w_number(w, s),
                   w_ref(w, s->in[0]));
  }
}

void w_spell(const struct fs_writer *w, struct fs_lp *block, w_spelling *text, const void *of) {
  struct fs_lp_writer lp = *w->lp;
  const struct fs_writer at = {w->how, w->axes, w->args, &lp};
  lp.at = block;
  for (struct fs_lp *x = block->body; x; x = x->next) {
    if (x->makes) lp.value[x->makes->number] = x->makes;
    if (!x->text && (x->step || x->makes)) x->text = text(of, &at, x);
    w_spell(w, x, text, of);
    if (x->other) w_spell(w, x->other, text, of);
  }
}

void w_lane_step(const struct fs_writer *w, struct fs_lp_writer *to, const struct fs_step *s) {
  bool sum = s->kind == FS_SP_REDUCE;
  enum fs_reduced left = sum ? w->how->made[s->out].reduced : FS_REDUCED_NOT;
  struct fs_lp *x = fs_lp_add(to,
                              sum                      ? FS_LP_ACC
                              : s->kind == FS_SP_STORE ? FS_LP_TEXT
                                                       : FS_LP_MAP,
                              NULL);
  x->step = s;
  if (s->user)
    x->guard = FS_LP_IF_LANE | (w_val(w, s->out)->varies & FS_VARIES_I ? FS_LP_IF_ROW : 0);
  if (sum && left != FS_REDUCED_COLUMN) x->guard = FS_LP_IF_LANE;
  if (left == FS_REDUCED_COLUMN || left == FS_REDUCED_ALL) x->guard |= FS_LP_IF_ROW;
}

void w_spell_pass(const struct fs_writer *w) { w_spell(w, w->lp->at, pass_text, NULL); }

struct fs_lp_writer w_open_lanes(const struct fs_writer *w) {
  struct fs_lp_writer to = {.arena = w->lp->arena, .at = fs_lp_new(w->lp->arena)};
  struct fs_lp *loop = fs_lp_open(&to, FS_LP_FOR, NULL);
  loop->axis = FS_LP_LANE;
  loop->extent = w->how->lanes;
  loop->unroll = FS_LP_UNROLL_ALL;
  return to;
}

static const struct fs_lp *plain_loop(const struct fs_writer *w, fs_steps need) {
  struct fs_lp_writer to = w_open_lanes(w);
  FS_EACH_OF(need, s)
    if (w_makes_lanes(w, s)) w_lane_step(w, &to, s);
  if (w->how->pairs) fs_lp_pairs(w->lp->arena, to.at);
  return to.at;
}

struct fs_lp *w_short_ways(const struct fs_writer *w, const struct fs_lp *loop, fs_steps need) {
  bool two = w_takes_two(w, need);
  const char **behind = FS_NEW_N(w->lp->arena, const char *, w->how->kernel->steps.len + 1);
  struct fs_lp_rare rare = {two ? "fs_extremes seen;" : "bool rare = false;", behind, two,
                            fs_schedule_goes_one_by_one(w->how->kernel, w->how, need)};
  behind[0] = "bool rare = fs_is_rare(seen);";
  FS_EACH_OF(need, s) {
    int factor = two ? w_factor_of_root(w, s) : -1;
    if (factor >= 0) behind[rare.n++] = w_fmt(w, "rare |= !fs_is_factor(%s);", w_ref(w, factor));
  }
  return fs_lp_short_ways(w->lp->arena, loop, &rare);
}

void w_lane_loop(const struct fs_writer *w, fs_steps need) {
  const struct fs_lp *loop = plain_loop(w, need);
  if (!loop->body) return;
  fs_lp_append(w->lp, w_takes_short_ways(w, need) ? w_short_ways(w, loop, need) : loop->outer);
}

void w_short_lanes(const struct fs_writer *w, fs_steps need) {
  struct fs_lp *list = w_short_ways(w, plain_loop(w, need), need);
  struct fs_lp *test = fs_lp_stragglers(list);
  fs_lp_append(w->lp, list);
  w->lp->at = test;
}

void w_long_lanes(const struct fs_writer *w, fs_steps need) {
  fs_lp_append(w->lp, fs_lp_long_ways(w->lp->arena, plain_loop(w, need)));
}
