/* coords.c - where a thread is: rows, columns, what exists of them; and what is declared
 * for them. */
#include "core/emit/writer.h"

/* -- coordinates ---------------------------------------------------------------- */

void w_put_axes(const struct fs_writer *w, const char *letter, const char *number, int first,
                int count) {
  int64_t rest = 1;
  for (int x = first; x < first + count; x++) rest *= w->axes.dim[x];
  for (int x = first; x < first + count && count > 1; x++) {
    rest /= w->axes.dim[x];
    const char *e = rest == 1 ? number : w_fmt(w, "%s / %s", number, w_int(w, rest));
    if (x > first) e = w_fmt(w, rest == 1 ? "%s %% %s" : "(%s) %% %s", e, w_int(w, w->axes.dim[x]));
    w_let(w, "const fs_index %s%d = %s;", letter, x - first, e)->axis =
        first ? FS_LP_SERIAL : FS_LP_ROW;
  }
}

const char *w_team(const struct fs_writer *w) {
  return w->how->cluster > 1 ? "team" : "(fs_index)blockIdx.x";
}
const char *w_teams(const struct fs_writer *w) {
  return w->how->cluster > 1 ? "teams" : "(fs_index)gridDim.x";
}
void w_row_coords(const struct fs_writer *w) {
  if (!w_mode(w)->rows) return;
  const char *rows = w->how->rows > 1 && w->how->sides > 1
                         ? w->how->mode == FS_MODE_TURN ? w_fmt(w, "(sub * %d + b)", w->how->rows)
                                                        : w_fmt(w, "(b * %d + sub)", w->how->sides)
                     : w->how->rows > 1  ? "b"
                     : w->how->sides > 1 ? "sub"
                                         : NULL;
  w_let(w, rows ? "const fs_index i = first + %s;" : "const fs_index i = first;", rows)->axis =
      FS_LP_ROW;
  if (w->how->need_ok) {
    struct fs_lp *ok = w_let(w, "const bool ok = i < %s;", w_int(w, w->how->m));
    ok->axis = FS_LP_ROW, ok->guard = FS_LP_IF_ROW;
  }
  w_put_axes(w, "i", "i", 0, w->axes.n_outer);
}

/* The vector's number in the row, from the loops around it. */
static const char *vector_number(const struct fs_writer *w) {
  const char *own = w->how->vectors > 1 ? w_fmt(w, "c * %d + t", w->how->row_threads) : "t";
  if (w->how->vectors > 1 && !w_mode(w)->holds) own = w_fmt(w, "(%s)", own);
  int held = w->how->row_threads * w->how->vectors;
  if (w->how->cluster > 1) own = w_fmt(w, "rank * %d + %s", held, own);
  if (w_mode(w)->holds) return own;
  const char *piece = !w_mode(w)->rows ? "tile" : w_mode(w)->columns ? "strip" : "h";
  return w_fmt(w, "%s * %d + %s", piece, held, own);
}

static void inner_axes(const struct fs_writer *w, const char *g) {
  int last = w->axes.n_inner - 1;
  w_let(w, "const fs_index g = %s;", g);
  const char *upper = w_fmt(w, "g / %s", w_int(w, w->how->line_vectors));
  int64_t rest = w->how->n / w->how->length;
  for (int y = 0; y < last; y++) {
    int64_t dim = w->axes.dim[w->axes.n_outer + y];
    rest /= dim;
    const char *e = rest == 1 ? upper : w_fmt(w, "%s / %s", upper, w_int(w, rest));
    if (y > 0) e = w_fmt(w, "%s %% %s", e, w_int(w, dim));
    w_let(w, "const fs_index j%d = %s;", y, e);
  }
  w_let(w,
        w->how->lanes > 1 ? "const fs_index j%d = g %% %s * %d;" : "const fs_index j%d = g %% %s;",
        last, w_int(w, w->how->line_vectors), w->how->lanes);
}

bool w_is_placed(const struct fs_writer *w) {
  return fs_lp_has_name(w->lp, w->axes.n_inner == 1 ? "j" : "g");
}

const char *w_last_axis(const struct fs_writer *w) {
  return w->axes.n_inner == 1 ? "j" : w_fmt(w, "j%d", w->axes.n_inner - 1);
}

void w_vector_coords(const struct fs_writer *w) {
  const char *g = vector_number(w), *j = w_last_axis(w), *in;
  if (w_is_placed(w)) return;
  if (w->axes.n_inner == 1) {
    if (w->how->lanes == 1) w_let(w, "const fs_index j = %s;", g);
    else
      w_let(w, strchr(g, ' ') ? "const fs_index j = (%s) * %d;" : "const fs_index j = %s * %d;", g,
            w->how->lanes);
    in = w_fmt(w, "j < %s", w_int(w, w->how->n));
  } else {
    inner_axes(w, g);
    in = w_fmt(w, "g < %s", w_int(w, w->how->row_vectors));
  }
  if (w->how->full) return;
  if (!w->how->tail) {
    w_let(w, "const bool in = %s;", in);
    return;
  }
  const char *left = w_fmt(w, "%s - %s", w_int(w, w->how->length), j);
  w_let(w, "const int k = !(%s) ? 0 : %s < %d ? int(%s) : %d;", in, left, w->how->lanes, left,
        w->how->lanes);
}

void w_open_vectors(const struct fs_writer *w) {
  if (w_is_placed(w)) w_group(w);
  else w_for_in_braces(w, "c", w->how->vectors);
  w_vector_coords(w);
}

const char *w_move_columns(const struct fs_writer *w, const struct fs_step *s, const char *part,
                           const char *sums, bool load) {
  const struct fs_lp_term j = {"j", 1}, g = {"g", w->how->lanes};
  const char *at = w_at(w, FS_LP_AT({w_fmt(w, "w%d", s->out), 1}, {part, w->how->pitch_j},
                                    w->axes.n_inner == 1 ? j : g));
  if (w->how->lanes == 1) at = w_fmt(w, "*(%s)", at);
  const char *to = load ? sums : at, *from = load ? at : sums;
  if (w->how->lanes == 1) return w_fmt(w, "%s = %s;", to, from);
  return w_move(w, s, load ? "load`" : "store`", w->how->lanes, to, from);
}

bool w_transposed(const struct fs_writer *w, const struct fs_step *s) {
  const struct fs_access *a = w_access(w, s);
  int64_t si = a->stride[0], sj = a->stride[1];
  return a->varies == 3 && w->axes.n_outer == 1 && w->axes.n_inner == 1 && (si == 1 || si == -1) &&
         sj != 1 && sj != -1 && sj != 0;
}

/* -- guards ---------------------------------------------------------------------- */

const char *w_some(const struct fs_writer *w) {
  return w->how->full ? "" : w->how->tail ? "k > 0" : "in";
}
/* Of an element of a vector; half: as w_element(). */
static const char *lane_number(int half) { return half < 0 ? "e" : half ? "2 * e + 1" : "2 * e"; }
/* Of a phase that each block does whole, it stores what would be its tiles if each had
 * one vector of a thread. */
static const char *own_tile(const struct fs_writer *w) {
  if (!w->how->kernel->everywhere) return "";
  return w_fmt(w,
               w->how->vectors > 1 ? "(tile * %d + c) %% (int)gridDim.x == (int)blockIdx.x"
                                   : "tile %% (int)gridDim.x == (int)blockIdx.x",
               w->how->vectors);
}
static const char *speaks(const struct fs_writer *w) {
  if (w_by_lane(w)) return w_fmt(w, "t < %d", w->how->rows);
  return w->how->cluster > 1 ? "t == 0 && rank == 0" : "t == 0";
}

const char *w_guard(const struct fs_writer *w, unsigned guard, int half) {
  const char *all = "";
  if (guard & FS_LP_IF_FIRST_BLOCK) all = w_and(w, all, "blockIdx.x == 0");
  if (guard & FS_LP_IF_FIRST_THREAD) all = w_and(w, all, "threadIdx.x == 0");
  if (guard & FS_LP_IF_OWN) all = w_and(w, all, "own");
  if (guard & FS_LP_IF_NOT_FRESH) all = w_and(w, all, "!fresh");
  if (guard & FS_LP_IF_FIRST_ROW) all = w_and(w, all, "i == 0");
  if (guard & FS_LP_IF_OWN_TILE) all = w_and(w, all, own_tile(w));
  if (guard & FS_LP_IF_SPEAKS) all = w_and(w, all, speaks(w));
  if (guard & FS_LP_IF_ROW) all = w_and(w, all, w->how->need_ok ? "ok" : "");
  if (guard & FS_LP_IF_VECTOR) all = w_and(w, all, w_some(w));
  if (guard & FS_LP_IF_LANE && w->how->tail)
    all = w_and(w, all, w_fmt(w, "%s < k", lane_number(half)));
  else if (guard & FS_LP_IF_LANE) all = w_and(w, all, w_some(w));
  return all;
}

const char *w_behind(const struct fs_writer *w, const char *test, const char *statement) {
  return *test ? w_fmt(w, "if (%s) %s", test, statement) : statement;
}

const char *w_guarded(const struct fs_writer *w, unsigned guard, const char *statement) {
  return w_behind(w, w_guard(w, guard, -1), statement);
}

const char *w_lanes_left(const struct fs_writer *w, unsigned guard) {
  bool all = w->how->full || !(guard & FS_LP_IF_VECTOR);
  return all            ? w_fmt(w, "%d", w->how->lanes)
         : w->how->tail ? "k"
                        : w_fmt(w, "in ? %d : 0", w->how->lanes);
}

const char *w_put_text(const struct fs_writer *w, const struct fs_step *s, unsigned guard) {
  return w_guarded(w, guard,
                   w_fmt(w, "fs_put`%s(a%d[%s], %s);", w_stored_tag(w, s), s->access,
                         w_address(w, w_access(w, s)), w_ref(w, s->in[0])));
}

/* -- declarations ---------------------------------------------------------------- */

const char *w_declaration(const struct fs_writer *w, int v, unsigned over, bool zero) {
  const char *dims = w_dims(w, over);
  const char *type = over & FS_LP_LANES ? w_lane_type(w, v) : w_value_type(w_val(w, v)->dtype);
  return w_fmt(w, "%s v%d%s%s;", type, v, dims, !zero ? "" : *dims ? " = {}" : " = 0");
}

void w_declare(const struct fs_writer *w, int v, unsigned over, bool zero) {
  w_let(w, "%s", w_declaration(w, v, over, zero));
  fs_lp_declare(w->lp, w->lp->at->last, v, over);
}

const char *w_row_sum(const struct fs_writer *w, int value) {
  unsigned over = w->lp->value[value]->sum_over;
  return w_fmt(w, "r%d%s%s", value, over & FS_LP_ROWS && w->how->rows > 1 ? "[b]" : "",
               over & FS_LP_VECTORS && w->how->vectors > 1 ? "[c]" : "");
}

const char *w_sum(const struct fs_writer *w, int value, int half) {
  bool lanes = w->lp->value[value]->sum_over & FS_LP_LANES && w->how->lanes > 1;
  const char *row = w_row_sum(w, value);
  return lanes ? w_fmt(w, "%s[%s]", row, lane_number(half)) : row;
}

const char *w_lanes_sum(const struct fs_writer *w, const struct fs_step *s) {
  const char *r = w_row_sum(w, s->out);
  if (w->how->lanes == 1 || !(w->lp->value[s->out]->sum_over & FS_LP_LANES)) return r;
  return w_fmt(w, "fs_lanes<%s>`%s.%s.%d(%s)", w_op_class(s->op), w_op_tag(s->op),
               w_acc_tag(w, s->out), w->how->lanes, r);
}

void w_declare_acc(const struct fs_writer *w, const struct fs_step *s, unsigned over) {
  const char *dims = w_acc_dims(w, over), *type = w_acc_type(w, s->out);
  const char *neutral = w_neutral(w, s);
  w->lp->value[s->out]->sum_over = over;
  if (!*dims || !strcmp(neutral, "0")) {
    w_line(w, "%s r%d%s = %s;", type, s->out, dims, *dims ? "{}" : neutral);
    return;
  }
  w_line(w, "%s r%d%s;", type, s->out, dims);
  w_for(w, "b", over & FS_LP_ROWS ? w->how->rows : 1);
  w_for(w, "c", over & FS_LP_VECTORS ? w->how->vectors : 1);
  w_for(w, "e", over & FS_LP_LANES ? w->how->lanes : 1);
  w_line(w, "%s = %s;", w_sum(w, s->out, -1), neutral);
  w_close(w);
  w_close(w);
  w_close(w);
}
