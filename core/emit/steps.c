/* steps.c - steps without lanes: what all threads have alike, and what a row has. */
#include "core/emit/writer.h"

void w_scalar(const struct fs_writer *w, const struct fs_step *s, unsigned guard, bool b) {
  const char *rhs = w_rhs(w, s, NULL, FS_LP_AS_IT_IS, w_guard(w, guard, -1));
  if (s->kind == FS_SP_LOAD) {
    if (w_grid_load(w, s)) rhs = w_grid_load(w, s);
  } else if (w_is_twice(w, s)) {
    const char *type = w_stored_type(w_val(w, s->out)->dtype);
    w_line(w, "const fs_pair<%s> b%d = {%s};", type, s->out, rhs);
    rhs = w_fmt(w, "fs_half(b%d, 1)", s->out);
  }
  if (b && w->how->rows > 1) w_say(w, w_kind(s), s, "%s = %s;", w_ref(w, s->out), rhs);
  else w_define(w, w_kind(s), s, s->out, rhs);
}

void w_plain_steps(const struct fs_writer *w, fs_steps need, unsigned guard) {
  FS_EACH_OF(need, s) {
    if (s->kind == FS_SP_STORE) {
      w_put(w, s, guard);
      w_grid_stored(w, s);
    } else if (s->kind != FS_SP_REDUCE) w_scalar(w, s, 0, false);
  }
}

bool w_is_number(const struct fs_writer *w, const struct fs_step *s) {
  return !(s->kind == FS_SP_STORE ? w_access(w, s)->varies : w_val(w, s->out)->varies);
}
bool w_is_uniform(const struct fs_writer *w, const struct fs_step *s) {
  return w->how->made[s->kind == FS_SP_STORE ? s->in[0] : s->out].uniform;
}

void w_uniforms(const struct fs_writer *w) {
  w_plain_steps(w, W_STEPS(w, s, w_is_number(w, s) && w_is_uniform(w, s)),
                FS_LP_IF_FIRST_BLOCK | FS_LP_IF_FIRST_THREAD);
}

/* What a row loads is under way before its sums, whatever phase wants it: a trip to
 * the cache behind them is one that all threads of the block wait for. */
static int phase_of(const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && s->phase != FS_END ? 0 : s->phase;
}

static bool is_row_step(const struct fs_writer *w, const struct fs_step *s, int phase) {
  if (phase_of(s) != phase || fs_schedule_sweeps(w->how->kernel, w->how, s)) return false;
  return !w_is_uniform(w, s) || (s->kind == FS_SP_STORE && !w_is_number(w, s));
}

static void row_step(const struct fs_writer *w, const struct fs_step *s) {
  unsigned own = FS_LP_IF_SPEAKS | FS_LP_IF_ROW;
  if (s->kind == FS_SP_REDUCE) {
    w_add(w, FS_LP_ACC, s, w_guarded(w, own, w_accumulate(w, s, w_fmt(w, "r%d", s->out), -1)));
  } else if (s->kind == FS_SP_STORE) {
    if (w_access(w, s)->varies == 0) own |= FS_LP_IF_FIRST_ROW;
    w_put(w, s, own);
  } else {
    w_scalar(w, s, FS_LP_IF_ROW, true);
  }
}

/* Whether a pass over the elements wants a row's value. */
static bool is_for_sweeps(const struct fs_writer *w, int value) {
  return W_ANY_STEP(w, s, s->phase != FS_END && fs_step_takes(s, value) &&
                              fs_schedule_sweeps(w->how->kernel, w->how, s));
}

/* A thread takes one of the rows that its row's threads have at once, and passes on
 * what a pass over the elements wants of it. */
static void row_steps_by_lanes(const struct fs_writer *w, fs_steps steps) {
  fs_steps made = W_THOSE(w, steps, s, s->out >= 0 && s->kind != FS_SP_REDUCE);
  FS_EACH_OF(made, s) {
    w_line(w, "%s own%d;", w_value_type(w_val(w, s->out)->dtype), s->out);
    w->lp->value[s->out]->own = true;
  }
  w_block(w, NULL);
  w_let(w, "const int b = t %% %d;", w->how->rows);
  w_row_coords(w);
  FS_EACH_OF(steps, s) row_step(w, s);
  w_close(w);
  FS_EACH_OF(made, s) {
    if (!is_for_sweeps(w, s->out)) continue;
    w_declare(w, s->out, FS_LP_ROWS, false);
    w->lp->value[s->out]->own = true;
    w_line(w, "fs_from_lanes<%d>(v%d, own%d);", w->how->row_threads, s->out, s->out);
  }
}

static void each_row(const struct fs_writer *w, fs_steps steps) {
  if (!*steps) return;
  w_for(w, "b", w->how->rows);
  if (w->how->rows > 1) w_row_coords(w);
  FS_EACH_OF(steps, s) row_step(w, s);
  w_close(w);
}

/* These steps of a row, its loads first: none waits for what another row stores. */
static void row_steps(const struct fs_writer *w, fs_steps steps) {
  FS_EACH_OF(steps, s)
    if (w->how->rows > 1 && s->out >= 0 && s->kind != FS_SP_REDUCE)
      w_declare(w, s->out, FS_LP_ROWS, false);
  each_row(w, W_THOSE(w, steps, s, s->kind == FS_SP_LOAD));
  each_row(w, W_THOSE(w, steps, s, s->kind != FS_SP_LOAD));
}

/* The row steps of a phase: in strips those that only the row's own results want, or the
 * others; else all are others. */
static fs_steps find_row_steps(const struct fs_writer *w, int phase, bool own) {
  fs_steps steps = W_STEPS(w, s, is_row_step(w, s, phase)), s = steps;
  bool *apart = w_marks(w), strips = w->how->strips > 1 && !w->how->shares_rows;
  while (*s) s++;
  while (strips && s-- != steps)
    apart[w_number(w, *s)] =
        (*s)->kind == FS_SP_STORE || (*s)->kind == FS_SP_REDUCE ||
        !W_ANY_STEP(w, u, !apart[w_number(w, u)] && fs_step_takes(u, (*s)->out));
  return W_THOSE(w, steps, u, apart[w_number(w, u)] == own);
}

void w_row_steps(const struct fs_writer *w, int phase) {
  fs_steps steps = find_row_steps(w, phase, false);
  if (*steps && w->how->shares_rows) row_steps_by_lanes(w, steps);
  else row_steps(w, steps);
}

/* What tiles do not want of a row, blocks of the first strip do: tanh(u) beside B'*v of
 * 3000 x 3000 was computed by all threads of all 94 strips, and took 15 us (H100). */
void w_row_steps_apart(const struct fs_writer *w, int phase) {
  fs_steps steps = find_row_steps(w, phase, true);
  if (!*steps) return;
  w_if(w, "strip == 0");
  row_steps(w, steps);
  w_close(w);
}
