/* panel.c - what the workers of a march do (march.c): rows of a panel, at the first look, which
 * sums columns, and at the second, when what is made of the sums is there. / */
#include "core/emit/march.h"

/* -- what is made where ------------------------------------------------------------- */

/* Marks what value v is made of, as far as it must be made here. */
void w_march_want(struct w_march *c, int value, bool finishing) {
  const struct fs_writer *w = c->w;
  int v = w->how->made[value].alias;
  const struct fs_step *s = w_maker(w, v);
  if (!s || w->how->made[v].uniform || s->kind == FS_SP_REDUCE) return;
  bool there = w->how->made[v].saved || w_varies(w, v) == FS_VARIES_J || v == c->again;
  if (!finishing && there) return;
  c->need[w->how->made[v].def] = true;
  FS_EACH_IN(s, a) w_march_want(c, s->in[a], finishing);
}

void w_march_forget(struct w_march *c) {
  memset(c->need, 0, sizeof(bool) * (size_t)c->w->how->kernel->steps.len);
}
void w_march_find_needed(struct w_march *c) { c->needed = w_marked(c->w, c->need); }

/* -- rows ------------------------------------------------------------------------- */

/* Packs of halves wait in registers as words: the compiler would keep and move each half alone
 * (16384 x 16384 in bf16 on an H200: SGEMVT 139 us, 149 by halves). Not those of floats and
 * doubles, whose code is laid out anew for nothing: SGEMVT 260 us and 256, 569 and 524. */
static bool has_words(const struct w_march *c) {
  return c->cut.held && c->w->how->lanes == 8 && !c->w->how->quick;
}

/* How many panels the loop over them is written for: one, and what waits in registers moves on
 * with each (SGEMVT of 16384 x 16384 in f32 on an H200, and written for all six that wait: 269.8
 * us and 269.2; NVRTC takes 155 ms and 335); but for half types those moves are too many beside
 * what a panel takes, unless there is a panel to write besides: two, between which nothing moves
 * (SGEMVT in bf16, written for one, two and six: 148.7 us, 139.9 and 139.2). */
int w_march_written(const struct w_march *c) {
  bool writes = c->w->how->kernel->has.stores;
  return has_words(c) && !writes ? FS_MIN(2, c->cut.lag) : 1;
}

static const char *pack_of(const struct fs_writer *w, const struct fs_step *s) {
  return w_fmt(w, "fs_pack<%s, %d>", w_stored_type(w_access(w, s)->dtype), w->how->lanes);
}

const char *w_march_row_number(const struct fs_writer *w) {
  return w->how->rows > 1 ? "const fs_index j = row + b * FS_SIDE + side;"
                          : "const fs_index j = row + side;";
}

/* ... or any other where that does not exist: nobody uses what is made of it. */
static const char *some_row(const struct fs_writer *w) {
  return w_fmt(w, "const fs_index own = row + %sside, j = own < %s ? own : 0;",
               w->how->rows > 1 ? "b * FS_SIDE + " : "", w_int(w, w->how->n));
}

/* A value of a row that is computed once, before the panels. */
static bool is_row_value(const struct fs_writer *w, const struct fs_step *s) {
  return s->out >= 0 && s->phase != FS_END && s->kind != FS_SP_REDUCE &&
         w_varies(w, s->out) == FS_VARIES_J && w->how->made[s->out].alias == s->out;
}

void w_march_row_values(struct w_march *c) {
  const struct fs_writer *w = c->w;
  fs_steps rows = W_STEPS(w, s, is_row_value(w, s)), all = W_STEPS(
      w, s, is_row_value(w, s) || w_is_row_sum(s) || w_is_matrix_load(w, s));
  w_go(w, "rows");
  FS_EACH_OF(all, s) {
    if (w->how->quick && w_is_matrix_load(w, s))
      w_line(w, "%s held%d[%d];", pack_of(w, s), s->out, w->how->rows);
    else if (c->cut.held && w_is_matrix_load(w, s))
      w_line(w, "%s held%d[FS_LAG%s][FS_HELD / FS_SIDE];",
             has_words(c) ? "fs_words" : pack_of(w, s), s->out,
             w_march_written(c) < c->cut.lag ? " + FS_WRITTEN" : "");
    if (w_is_row_sum(s)) {
      w_declare_acc(w, s, FS_LP_ROWS);
      if (w_march_has_sums_of_sums(c, s))
        w_line(w, "%s f%d%s = {};", w_acc_type(w, s->out), s->out, w_dims(w, FS_LP_ROWS));
    }
    if (is_row_value(w, s)) w_declare(w, s->out, FS_LP_ROWS, false);
  }
  if (!*rows) return;
  w_for_in_braces(w, "b", w->how->rows);
  w_line(w, "%s", c->guard_j ? some_row(w) : w_march_row_number(w));
  FS_EACH_OF(rows, s)
    w_say(w, w_kind(s), s, "%s = %s;", w_ref(w, s->out), w_rhs(w, s, NULL, FS_LP_AS_IT_IS, ""));
  w_close(w);
}

/* -- panels ------------------------------------------------------------------------ */

static void want_phase(struct w_march *c, int phase) {
  w_march_forget(c);
  FS_EACH_OF(c->roots[phase], s)
    FS_EACH_IN(s, a) w_march_want(c, s->in[a], false);
  w_march_find_needed(c);
}

static bool wants_matrix(struct w_march *c, int phase) {
  want_phase(c, phase);
  return FS_ANY_OF(c->needed, s, w_is_matrix_load(c->w, s));
}

/* A value from which alone, of rows and columns, the second look makes what it needs:
 * it need not be computed again, of columns that would have to be read again. */
void w_march_find_made(struct w_march *c) {
  const struct fs_writer *w = c->w;
  int64_t size = 0, loads = 0;
  enum fs_dtype brought = FS_BOOL;
  c->made = c->again = -1;
  FS_EACH_OF(c->loads, s) {
    brought = w_access(w, s)->dtype;
    size = (int64_t)fs_dtype_size(brought);
    loads++;
  }
  for (int v = w->how->kernel->values.len - 1; v >= 0 && loads == 1; v--) {
    const struct fs_step *s = w_maker(w, v);
    int same = w_val(w, v)->same_as;
    if (!s || s->kind != FS_SP_MAP || s->phase != 1 || same < 0 || w_varies(w, v) != 3 ||
        w->how->made[v].alias != v || w_val(w, v)->dtype == FS_BOOL ||
        (w_val(w, v)->dtype != brought && fs_sum_bytes(w_val(w, v)) != size))
      continue;
    c->again = -1;
    want_phase(c, 1);
    if (!c->need[w->how->made[v].def]) continue;
    want_phase(c, 0);
    c->made = w->how->made[same].alias;
    if (w->how->made[c->made].def < 0 || !c->need[w->how->made[c->made].def]) continue;
    c->again = v;
    if (!wants_matrix(c, 1)) return;
  }
  c->made = c->again = -1;
}

static bool is_vector(const struct w_march *c, const struct fs_access *a);

/* Whether a step of the first look can have pairs of dt in its lanes. */
static bool fits_pairs(const struct w_march *c, const struct fs_step *s, enum fs_dtype dt) {
  const struct fs_writer *w = c->w;
  if (s->access >= 0)
    return w_access(w, s)->dtype == dt && is_vector(c, w_access(w, s)) &&
           w_val(w, s->out >= 0 ? s->out : s->in[0])->dtype == dt;
  FS_EACH_IN(s, a)
    if (w_val(w, s->in[a])->dtype != dt) return false;
  if (s->kind == FS_SP_REDUCE) return true;
  return s->kind == FS_SP_MAP && w_val(w, s->out)->dtype == dt && fs_is_paired(s->op);
}

/* Pairs are for what is computed of rows and columns: sums alone have nothing of it. */
bool w_march_finds_pairs(struct w_march *c) {
  const struct fs_writer *w = c->w;
  enum fs_dtype dt = FS_BOOL;
  bool maps = false;
  FS_EACH_OF(c->loads, s) dt = w_val(w, s->out)->dtype;
  if (!fs_dtype_is_half(dt)) return false;
  want_phase(c, 0);
  if (FS_ANY_OF(c->roots[0], s, !fits_pairs(c, s, dt))) return false;
  FS_EACH_OF(c->needed, s) {
    if (!(w_varies(w, s->out) & FS_VARIES_I)) continue;
    if (!fits_pairs(c, s, dt)) return false;
    maps |= s->kind == FS_SP_MAP && w_varies(w, s->out) == 3;
  }
  return maps;
}

/* V neighbours of a vector along i that lie side by side. */
static bool is_vector(const struct w_march *c, const struct fs_access *a) {
  return a->stride[0] == 1 && a->offset % c->w->how->lanes == 0 && c->w->how->lanes > 1 &&
         c->w->how->m % c->w->how->lanes == 0 &&
         (int)fs_dtype_size(a->dtype) * c->w->how->lanes <= 16;
}

static void column_value(struct w_march *c, const struct fs_step *s) {
  const struct fs_writer *w = c->w;
  const char *in = w_march_column_exists(c, "i");
  w_declare(w, s->out, FS_LP_LANES, c->guard_i && s->kind == FS_SP_LOAD);
  if (s->kind == FS_SP_LOAD && is_vector(c, w_access(w, s))) {
    w_when_bare(w, in);
    w_say(w, FS_LP_LOAD, s, "fs_load(v%d, a%d + %s);", s->out, s->access,
          w_address(w, w_access(w, s)));
    w_close(w);
    return;
  }
  const char *rhs = w_rhs(w, s, NULL, FS_LP_AS_IT_IS, in);
  if (s->kind == FS_SP_MAP && !s->user) {
    w_for(w, "e", w_lanes(w));
  } else {
    w_for_in_braces(w, "e", w_lanes(w));
    w_let(w, "const fs_index i = first + e;");
  }
  w_say(w, w_kind(s), s, "%s = %s;", w_ref(w, s->out), rhs);
  w_close(w);
}

/* Values of i alone: loaded, computed, or come by mail. */
static void column_values(struct w_march *c, int phase) {
  const struct fs_writer *w = c->w;
  for (int v = 0; v < w->how->kernel->values.len && phase > 0; v++) {
    if (!w->how->made[v].saved) continue;
    w_declare(w, v, FS_LP_LANES, false);
    if (w->how->lanes > 1)
      w_line(w, "fs_load(v%d, &mail%d[FS_PLACE(q, FS_MAILS)][part * %d]);", v, v, w->how->lanes);
    else w_line(w, "v%d = mail%d[FS_PLACE(q, FS_MAILS)][part];", v, v);
  }
  FS_EACH_OF(c->needed, s)
    if (w_varies(w, s->out) == FS_VARIES_I) column_value(c, s);
}

/* Tiles of the rows in shared memory, and of those that the first look takes to registers. */
static void tile_pointers(struct w_march *c, int phase) {
  const struct fs_writer *w = c->w;
  int64_t row = c->tile_row;
  const char *place = phase ? "FS_PLACE(q, FS_SLOTS)" : "FS_PLACE(p, FS_SLOTS)";
  w_line(w, "%sunsigned char *const kept = %s;", !phase && c->made >= 0 ? "" : "const ",
         w_at(w, FS_LP_AT({"ring", 1}, {place, row * (c->cut.height - c->cut.held)})));
  if (c->cut.held && !phase)
    w_line(w, "const unsigned char *const brought = %s;",
           w_at(w, FS_LP_AT({"ring", 1}, {NULL, c->room.held},
                            {"FS_PLACE(p, FS_SHORT)", row * c->cut.held})));
}

/* Where the packs of a tile's rows b begin, and the number b from which on they are not there. */
static const char *kept_rows(struct w_march *c, int64_t number) {
  const struct fs_writer *w = c->w;
  int64_t line = 16 * c->cut.lanes, kept = c->cut.height - c->cut.held;
  return w_at(w, FS_LP_AT({"kept", 1}, {NULL, number * line * kept},
                          {w->how->rows > 1 ? "(b * FS_SIDE + side)" : "side", line}));
}

static int turn_of(const struct w_march *c) { return (c->cut.height - c->cut.held) / c->cut.side; }

static const char *held_row(struct w_march *c, int v, int phase) {
  int turn = turn_of(c);
  bool moves = !phase && w_march_written(c) < c->cut.lag;
  return w_fmt(c->w, "held%d[%s][b < %d ? 0 : b - %d]", v, moves ? "FS_LAG + d" : "d", turn, turn);
}

/* In the text that is compiled quickly: where a thread has its pack of row b. */
static const char *pack_held(const struct fs_writer *w, const struct fs_step *s) {
  return w_fmt(w, "held%d[%s]", s->out, w->how->rows > 1 ? "b" : "0");
}

/* ... and how it comes there, with zeros where it leaves the matrix. */
static void bring(struct w_march *c, const struct fs_step *s) {
  const struct fs_writer *w = c->w;
  const char *at = w_fmt(w, "a%d + %s", s->access, w_address(w, w_access(w, s)));
  const char *in = w_and(w, w_march_row_exists(c), w_march_column_exists(c, "first"));
  const char *pack = pack_of(w, s);
  if (!c->guard_i || w->how->m % w->how->lanes == 0) {
    if (*in) w_line(w, "%s = {};", pack_held(w, s));
    w_line(w, "%s%s%s%s = *(const %s *)(%s);", *in ? "if (" : "", in, *in ? ") " : "",
           pack_held(w, s), pack, at);
    return;
  }
  w_line(w, "%s = {};", pack_held(w, s));
  w_for_in_braces(w, "e", w->how->lanes);
  w_let(w, "const fs_index i = first%s;", w->how->lanes > 1 ? " + e" : "");
  const char *exists = w_and(w, w_march_row_exists(c), w_march_column_exists(c, "i"));
  const char *e = w->how->lanes > 1 ? "e" : "0";
  w_line(w, "if (%s) %s.e[%s] = *(%s);", exists, pack_held(w, s), e, at);
  w_close(w);
}

/* Lanes of value v, of what load s has brought or of what was made of it. */
static void tile_load(struct w_march *c, const struct fs_step *s, int64_t number, int phase,
                      int v) {
  const struct fs_writer *w = c->w;
  int64_t line = 16 * c->cut.lanes;
  int turn = turn_of(c);
  const char *pack = has_words(c) ? "fs_words" : pack_of(w, s);
  const char *at = kept_rows(c, number);
  if (w->how->quick) {
    w_declare(w, v, FS_LP_LANES, false);
    w_say(w, FS_LP_LOAD, s, "fs_load(v%d, %s.e);", v, pack_held(w, s));
    return;
  }
  if (c->cut.held && !phase)
    at = w_fmt(w, "b < %d ? %s : %s", turn, at,
               w_at(w, FS_LP_AT({"brought", 1}, {NULL, number * line * c->cut.held},
                                {w_fmt(w, "((b - %d) * FS_SIDE + side)", turn), line})));
  const char *from = w_fmt(w, "((const %s *)(%s))[part]", pack, at);
  if (c->cut.held && phase)
    from = w_fmt(w, "b < %d ? %s : %s", turn, from, held_row(c, s->out, phase));
  w_line(w, "const %s x%d = %s;", pack, v, from);
  if (c->cut.held && !phase && c->made < 0)
    w_line(w, "if (b >= %d) %s = x%d;", turn, held_row(c, s->out, 0), v);
  w_declare(w, v, FS_LP_LANES, false);
  if (has_words(c)) w_say(w, FS_LP_LOAD, s, "fs_load_words<%s>(v%d, x%d);", pack_of(w, s), v, v);
  else w_say(w, FS_LP_LOAD, s, "fs_load(v%d, x%d.e);", v, v);
}

/* What was made of a load takes its place. */
static void leave_made(struct w_march *c, const struct fs_step *s) {
  const struct fs_writer *w = c->w;
  const char *pack = pack_of(w, s), *at = kept_rows(c, 0);
  w_line(w, "%s made;", pack);
  w_line(w, "fs_store(made.e, v%d);", c->made);
  if (w->how->quick) {
    w_line(w, "%s = made;", pack_held(w, s));
    return;
  }
  if (c->cut.held)
    w_line(w, "if (b >= %d) %s = %s;", turn_of(c), held_row(c, s->out, 0),
           has_words(c) ? "fs_words_of(made)" : "made");
  w_line(w, "%s((%s *)(%s))[part] = made;", c->cut.held ? "else " : "", pack, at);
}

/* Sums of columns where some rows do not exist: after the lanes, behind one test for all
 * that a row has to do (GEMVER in f32: NVRTC takes 190 ms, 208 with a test for each). */
static bool w_is_apart(const struct w_march *c, const struct fs_step *s) {
  return w_is_column_sum(s) && c->guard_j;
}

/* Whether all lanes of a value are wanted when they are done. */
static bool is_stored(const struct w_march *c, int v) {
  const struct fs_writer *w = c->w;
  if (!c->phase && v == c->made) return true;
  FS_EACH_OF(c->roots[c->phase], s) {
    if (s->kind == FS_SP_REDUCE && !w_is_apart(c, s) && !c->short_ways) continue;
    FS_EACH_IN(s, a)
      if (w->how->made[s->in[a]].alias == v) return true;
  }
  return false;
}

/* Whether a step has a part in the loop over the lanes. */
static bool is_lane_step(const struct w_march *c, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE) return s->phase == c->phase && !w_is_apart(c, s);
  return c->need[w_number(c->w, s)] && s->kind != FS_SP_LOAD && w_varies(c->w, s->out) == 3;
}

/* One more term. */
static void add_sum(const struct w_march *c, struct fs_lp_writer *to, const struct fs_step *s) {
  const char *own = w_is_column_sum(s) ? "" : w_march_column_exists(c, "i");
  if (*own) fs_lp_open(to, FS_LP_IF, own)->bare = true;
  fs_lp_add(to, FS_LP_ACC, NULL)->step = s;
  if (*own) fs_lp_close(to);
}

static const char *spell(const void *of, const struct fs_writer *w, const struct fs_lp *x) {
  const struct w_march *c = of;
  const struct fs_step *s = x->step;
  if (x->kind == FS_LP_MAP) {
    fs_lp_declare(w->lp, NULL, s->out, is_stored(c, s->out) ? FS_LP_LANES : 0);
    return w_lane_map(w, x, NULL,
                      w_and(w, w_march_row_exists(c), w_march_column_exists(c, "i")));
  }
  const char *r = w_row_sum(w, s->out);
  bool halves = w->how->pairs && w_is_column_sum(s);
  r = halves ? w_fmt(w, "%s[2 * e + %d]", r, x->half) : w_sum(w, s->out, -1);
  return w_accumulate(w, s, r, x->half);
}

static void lanes(struct w_march *c, fs_steps maps) {
  const struct fs_writer *w = c->w;
  struct fs_lp_writer to = w_open_lanes(w);
  const char *i = w->how->lanes > 1 ? "const fs_index i = first + e;" : "const fs_index i = first;";
  if (!*c->lanes) return;
  if (!w->how->pairs) fs_lp_add(&to, FS_LP_LET, i);
  FS_EACH_OF(c->lanes, s) {
    if (s->kind == FS_SP_REDUCE) add_sum(c, &to, s);
    else w_lane_step(w, &to, s);
  }
  if (w->how->pairs) fs_lp_pairs(w->lp->arena, to.at);
  fs_lp_append(w->lp, c->short_ways ? w_short_ways(w, to.at, maps) : to.at->outer);
  w_spell(w, w->lp->at, spell, c);
}

static void sums_apart(struct w_march *c) {
  const struct fs_writer *w = c->w;
  struct fs_lp_writer to = w_open_lanes(w);
  FS_EACH_OF(c->column_sums, s)
    if (w_is_apart(c, s)) add_sum(c, &to, s);
  if (w->how->pairs) fs_lp_pairs(w->lp->arena, to.at);
  if (to.at->body) fs_lp_append(w->lp, to.at->outer);
  w_spell(w, w->lp->at, spell, c);
}

static void both_stores(struct w_march *c) {
  const struct fs_writer *w = c->w;
  FS_EACH_OF(c->roots[c->phase], s) {
    if (s->kind != FS_SP_STORE) continue;
    const struct fs_access *a = w_access(w, s);
    bool lanes = w_over(w, s->in[0]) & FS_LP_LANES;
    if (lanes && is_vector(c, a)) {
      const char *in = w_march_column_exists(c, "first");
      if (*in) w_if(w, "%s", in);
      else w_block(w, NULL);
      w_let(w, "const fs_index i = first;");
      w_say(w, FS_LP_STORE, s, "fs_store(a%d + %s, v%d);", s->access, w_address(w, a),
            w->how->made[s->in[0]].alias);
      w_close(w);
      continue;
    }
    w_loop(w, FS_LP_LANE, "int e = 0; e < %d; e++", w->how->lanes);
    w_let(w, "const fs_index i = first + e;");
    const char *in = w_march_column_exists(c, "i");
    w_when_bare(w, in);
    w_put(w, s, 0);
    w_close(w);
    w_close(w);
  }
}

static void rows_of_panel(struct w_march *c) {
  const struct fs_writer *w = c->w;
  int64_t number = 0;
  int phase = c->phase;
  c->lanes = W_STEPS(w, s, is_lane_step(c, s));
  fs_steps maps = W_THOSE(w, c->lanes, s, s->kind != FS_SP_REDUCE);
  w_for_in_braces(w, "b", w->how->rows);
  w_line(w, "%s", w_march_row_number(w));
  FS_EACH_OF(c->loads, s) {
    if (w->how->quick && !phase) bring(c, s);
    if (phase && c->again >= 0) tile_load(c, s, number, phase, c->again);
    else if (c->need[w_number(w, s)]) tile_load(c, s, number, phase, s->out);
    number++;
  }
  c->short_ways = w_takes_short_ways(w, maps);
  FS_EACH_OF(maps, s)
    if (is_stored(c, s->out)) w_declare(w, s->out, FS_LP_LANES, false);
  lanes(c, maps);
  bool asks = FS_ANY_OF(c->roots[phase], s, s->kind == FS_SP_STORE || w_is_column_sum(s));
  w_when(w, asks ? w_march_row_exists(c) : "");
  if (c->guard_j && !phase) sums_apart(c);
  both_stores(c);
  w_close(w);
  if (!phase && c->made >= 0) FS_EACH_OF(c->loads, s) leave_made(c, s);
  w_close(w);
}

static struct w_march of_first(const struct w_march *c) {
  struct w_march look = *c;
  look.w = c->first;
  return look;
}

/* What the panel's columns have: read while there is something else to do. */
void w_march_columns_early(struct w_march *c) {
  const struct fs_writer *w = c->w;
  want_phase(c, 0);
  w_go(w, "columns");
  w_let(w, "const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * %d;", w->how->lanes);
  w_let(w, "const fs_index i = first;");
  struct w_march look = of_first(c);
  column_values(&look, 0);
}

static void waits(struct w_march *c) {
  if (c->w->how->quick) return;
  w_say(c->w, FS_LP_WAIT, NULL,
        "fs_mbarrier_wait(&gate.kept[FS_PLACE(p, FS_SLOTS)], fs_turn<FS_SLOTS>(p));");
  if (c->cut.held)
    w_say(c->w, FS_LP_WAIT, NULL,
          "fs_mbarrier_wait(&gate.held[FS_PLACE(p, FS_SHORT)], fs_turn<FS_SHORT>(p));");
}

static void to_shared(struct w_march *c) {
  const struct fs_writer *w = c->w;
  const char *slot = c->cut.lanes >= 32 ? "side"
                     : w->how->quick    ? "warp"
                                        : "warp - (FS_THREADS - FS_WORKERS) / 32";
  const char *own = c->cut.lanes >= 32 ? "" : w_fmt(w, "if (lane < %d) ", c->cut.lanes);
  w_let(w, "const int s = FS_PLACE(p, FS_PARTS);");
  if (!w->how->quick) {
    w_line(w, "if (p >= FS_PARTS)");
    w_say(w, FS_LP_WAIT, NULL,
          "  fs_mbarrier_wait(&gate.part_free[s], fs_turn<FS_PARTS>(p - FS_PARTS));");
  }
  FS_EACH_OF(c->column_sums, s) {
    const char *acc = w_sum(w, s->out, -1);
    w_for_in_braces(w, "e", w->how->lanes);
    for (int o = 16; o >= c->cut.lanes; o /= 2)
      w_line(w, "%s = %s::of(%s, __shfl_xor_sync(0xffffffffu, %s, %d));", acc, w_op_class(s->op),
             acc, acc, o);
    w_line(w, "%spart%d[s][%s][part * %d%s] = %s;", own, s->out, slot, w->how->lanes,
           w->how->lanes > 1 ? " + e" : "", acc);
    w_close(w);
  }
}

static void sums_of_sums(struct w_march *c) {
  const struct fs_writer *w = c->w;
  if (!FS_ANY_OF(c->row_sums, s, w_march_has_sums_of_sums(c, s))) return;
  w_if(w, "FS_PLACE(q, %d) == %d", W_MARCH_SHORT, W_MARCH_SHORT - 1);
  w_for_in_braces(w, "b", w->how->rows);
  const char *b = w->how->rows > 1 ? "[b]" : "";
  FS_EACH_OF(c->row_sums, s) {
    if (!w_march_has_sums_of_sums(c, s)) continue;
    w_line(w, "f%d%s = f%d%s + r%d%s;", s->out, b, s->out, b, s->out, b);
    w_line(w, "r%d%s = 0;", s->out, b);
  }
  w_close(w);
  w_close(w);
}

void w_march_panel(struct w_march *c, int phase) {
  const struct fs_writer *w = c->w;
  want_phase(c, phase);
  w_go(w, phase ? "panel again" : "panel");
  if (phase) {
    w_let(w, "const fs_index first = q * FS_WIDTH + part * %d;", w->how->lanes);
    w_let(w, "const fs_index i = first;");
    column_values(c, phase);
  } else {
    waits(c);
  }
  if (!phase) FS_EACH_OF(c->column_sums, s) w_declare_acc(w, s, FS_LP_LANES);
  if (!w->how->quick) tile_pointers(c, phase);
  struct w_march look = phase ? *c : of_first(c);
  look.phase = phase;
  rows_of_panel(&look);
  if (!phase) to_shared(c);
  else sums_of_sums(c);
  if (phase && c->made >= 0 && !w->how->quick) w_line(w, "fs_before_copies();");
  w_line(w, "__syncwarp();");
  if (w->how->quick) return;
  if (phase) {
    w_line(w, "if (lane == 0) fs_mbarrier_arrive(&gate.kept_free[FS_PLACE(q, FS_SLOTS)]);");
    return;
  }
  w_if(w, "lane == 0");
  w_line(w, "fs_mbarrier_arrive(&gate.part[s]);");
  if (c->cut.held) w_line(w, "fs_mbarrier_arrive(&gate.held_free[FS_PLACE(p, FS_SHORT)]);");
  w_close(w);
}

/* The rows in registers of one panel move on to where the next look for them. */
void w_march_moves_on(struct w_march *c) {
  const struct fs_writer *w = c->w;
  w_go(w, "move on");
  if (!c->cut.held || w_march_written(c) == c->cut.lag) return;
  w_for(w, "d", c->cut.lag);
  w_for(w, "b", c->cut.held / c->cut.side);
  FS_EACH_OF(c->loads, s) {
    const char *b = c->cut.held / c->cut.side > 1 ? "b" : "0";
    w_line(w, "held%d[d][%s] = held%d[d + FS_WRITTEN][%s];", s->out, b, s->out, b);
  }
  w_close(w);
  w_close(w);
}
