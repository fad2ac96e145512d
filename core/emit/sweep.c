/* sweep.c - one pass over the columns of a row: loads, lanes, stores. All
 * schemes are made of such passes; they differ in what stands around them. */
#include "core/emit/writer.h"

/* -- coordinates ---------------------------------------------------------------- */

static void outer_axes(struct em *em) {
  if (em->axes.n_outer < 2) return;
  int64_t rest = em->how->m;
  for (int x = 0; x < em->axes.n_outer; x++) {
    rest /= em->axes.dim[x];
    const char *e = rest == 1 ? "i" : em_fmt(em, "i / %s", em_int(em, rest));
    if (x > 0)
      e = em_fmt(em, rest == 1 ? "%s %% %s" : "(%s) %% %s", e, em_int(em, em->axes.dim[x]));
    em_say(em, FS_LP_LET, NULL, "const fs_index i%d = %s;", x, e);
  }
}

const char *em_team(const struct em *em) {
  return em->how->cluster > 1 ? "team" : "(fs_index)blockIdx.x";
}
const char *em_teams(const struct em *em) {
  return em->how->cluster > 1 ? "teams" : "(fs_index)gridDim.x";
}
void em_row_coords(struct em *em) {
  if (em->how->mode == FS_MODE_FLAT) return;
  const char *rows = em->how->rows > 1 && em->how->sides > 1
                         ? em->how->turns ? em_fmt(em, "(sub * %d + b)", em->how->rows)
                                     : em_fmt(em, "(b * %d + sub)", em->how->sides)
                     : em->how->rows > 1 ? "b"
                     : em->how->sides > 1 ? "sub"
                                 : NULL;
  if (rows) em_say(em, FS_LP_LET, NULL, "const fs_index i = first + %s;", rows);
  else em_say(em, FS_LP_LET, NULL, "const fs_index i = first;");
  if (em->how->need_ok)
    em_say(em, FS_LP_LET, NULL, "const bool ok = i < %s;", em_int(em, em->how->m));
  outer_axes(em);
}

/* The vector's number in the row, from the loops around it. */
static const char *vector_number(struct em *em) {
  const char *own = em->how->vectors > 1 ? em_fmt(em, "c * %d + t", em->how->row_threads) : "t";
  if (em->how->vectors > 1 && em->how->mode != FS_MODE_KEEP) own = em_fmt(em, "(%s)", own);
  int held = em->how->row_threads * em->how->vectors;
  if (em->how->cluster > 1) own = em_fmt(em, "rank * %d + %s", held, own);
  switch (em->how->mode) {
    case FS_MODE_FLAT: return em_fmt(em, "tile * %d + %s", held, own);
    case FS_MODE_CHUNK: return em_fmt(em, "h * %d + %s", held, own);
    case FS_MODE_STRIPS: case FS_MODE_TILE:
      return em_fmt(em, "strip * %d + %s", held, own);
    default: return own;
  }
}

static void inner_axes(struct em *em, const char *g) {
  int last = em->axes.n_inner - 1;
  em_say(em, FS_LP_LET, NULL, "const fs_index g = %s;", g);
  const char *upper = em_fmt(em, "g / %s", em_int(em, em->how->line_vectors));
  int64_t rest = em->how->n / em->how->length;
  for (int y = 0; y < last; y++) {
    int64_t dim = em->axes.dim[em->axes.n_outer + y];
    rest /= dim;
    const char *e =
        rest == 1 ? upper : em_fmt(em, "%s / %s", upper, em_int(em, rest));
    if (y > 0) e = em_fmt(em, "%s %% %s", e, em_int(em, dim));
    em_say(em, FS_LP_LET, NULL, "const fs_index j%d = %s;", y, e);
  }
  em_line(em, em->how->lanes > 1 ? "const fs_index j%d = g %% %s * %d;"
                        : "const fs_index j%d = g %% %s;",
          last, em_int(em, em->how->line_vectors), em->how->lanes);
}

/* Whether the vector's coordinates stand already. */
static bool is_placed(const struct em *em) {
  return fs_lp_has_name(&em->w, em->axes.n_inner == 1 ? "j" : "g");
}

/* Column index and, unless all vectors are whole, which lanes exist. */
void em_vector_coords(struct em *em) {
  const char *g = vector_number(em), *j = "j", *in;
  if (is_placed(em)) return;
  if (em->axes.n_inner == 1) {
    if (em->how->lanes == 1) em_say(em, FS_LP_LET, NULL, "const fs_index j = %s;", g);
    else em_line(em, strchr(g, ' ') ? "const fs_index j = (%s) * %d;"
                                : "const fs_index j = %s * %d;",
                 g, em->how->lanes);
    in = em_fmt(em, "j < %s", em_int(em, em->how->n));
  } else {
    inner_axes(em, g);
    j = em_fmt(em, "j%d", em->axes.n_inner - 1);
    in = em_fmt(em, "g < %s", em_int(em, em->how->row_vectors));
  }
  if (em->how->full) return;
  if (!em->how->tail) {
    em_say(em, FS_LP_LET, NULL, "const bool in = %s;", in);
    return;
  }
  const char *left = em_fmt(em, "%s - %s", em_int(em, em->how->length), j);
  em_say(em, FS_LP_LET, NULL, "const int k = !(%s) ? 0 : %s < %d ? int(%s) : %d;", in, left,
          em->how->lanes, left, em->how->lanes);
}

struct fs_lp_term em_column_slot(const struct em *em) {
  if (em->axes.n_inner == 1) return (struct fs_lp_term){"j", 1};
  return (struct fs_lp_term){"g", em->how->lanes};
}

/* -- guards ---------------------------------------------------------------------- */

static const char *some(const struct em *em) {
  return em->how->full ? "" : em->how->tail ? "k > 0" : "in";
}
/* Of an element of a vector; half: as em_element(). */
static const char *lane_number(int half) {
  return half < 0 ? "e" : half ? "2 * e + 1" : "2 * e";
}
/* Of a phase that each block does whole, it stores what would be its tiles if each had
 * one vector of a thread. */
static const char *own_tile(struct em *em) {
  if (!em->k->everywhere) return "";
  return em_fmt(em, em->how->vectors > 1
                        ? "(tile * %d + c) %% (int)gridDim.x == (int)blockIdx.x"
                        : "tile %% (int)gridDim.x == (int)blockIdx.x",
                em->how->vectors);
}
static const char *speaks(struct em *em) {
  if (em->row_by_lane) return em_fmt(em, "t < %d", em->how->rows);
  return em->how->cluster > 1 ? "t == 0 && rank == 0" : "t == 0";
}

const char *em_guard(struct em *em, unsigned guard, int half) {
  const char *all = "";
  if (guard & EM_IF_FIRST_BLOCK) all = em_and(em, all, "blockIdx.x == 0");
  if (guard & EM_IF_FIRST_THREAD) all = em_and(em, all, "threadIdx.x == 0");
  if (guard & EM_IF_OWN) all = em_and(em, all, "own");
  if (guard & EM_IF_NOT_FRESH) all = em_and(em, all, "!fresh");
  if (guard & EM_IF_FIRST_ROW) all = em_and(em, all, "i == 0");
  if (guard & EM_IF_OWN_TILE) all = em_and(em, all, own_tile(em));
  if (guard & EM_IF_SPEAKS) all = em_and(em, all, speaks(em));
  if (guard & EM_IF_ROW) all = em_and(em, all, em->how->need_ok ? "ok" : "");
  if (guard & EM_IF_VECTOR) all = em_and(em, all, some(em));
  if (guard & EM_IF_LANE && em->how->tail)
    all = em_and(em, all, em_fmt(em, "%s < k", lane_number(half)));
  else if (guard & EM_IF_LANE)
    all = em_and(em, all, some(em));
  return all;
}

/* -- declarations ---------------------------------------------------------------- */

static void declare(struct em *em, int v, bool b, bool c, bool e, bool zero) {
  struct em_value *x = &em->v[v];
  x->b = b;
  x->c = c;
  x->e = e;
  const char *dims = em_dims(em, b, c, e);
  em_line(em, "%s v%d%s%s;",
          e ? em_lane_type(em, v) : em_value_type(em_val(em, v)->dtype), v, dims,
          !zero ? "" : *dims ? " = {}" : " = 0");
}

void em_declare_acc(struct em *em, const struct fs_step *s, bool b, bool c, bool e) {
  const char *dims = em_acc_dims(em, b, c, e), *type = em_acc_type(em, s->out);
  const char *neutral = em_neutral(em, s);
  if (!*dims || !strcmp(neutral, "0")) {
    em_line(em, "%s r%d%s = %s;", type, s->out, dims, *dims ? "{}" : neutral);
    return;
  }
  em_line(em, "%s r%d%s;", type, s->out, dims);
  if (b) em_for(em, "b", em->how->rows);
  if (c) em_for(em, "c", em->how->vectors);
  if (e) em_for(em, "e", em->how->lanes);
  em_line(em, "r%d%s%s%s = %s;", s->out, b && em->how->rows > 1 ? "[b]" : "",
          c && em->how->vectors > 1 ? "[c]" : "", e && em->how->lanes > 1 ? "[e]" : "", neutral);
  if (e) em_close_for(em, em->how->lanes);
  if (c) em_close_for(em, em->how->vectors);
  if (b) em_close_for(em, em->how->rows);
}

/* The accumulator's element that the lane at hand adds to. */
static const char *acc_ref(struct em *em, const struct fs_step *s, int half) {
  enum fs_reduced acc = em->how->made[s->out].reduced;
  bool b = acc == FS_REDUCED_ROW || acc == FS_REDUCED_ROW_END;
  bool c = acc == FS_REDUCED_COLUMN && em->how->mode != FS_MODE_CHUNK;
  return em_fmt(em, "r%d%s%s%s", s->out, b && em->how->rows > 1 ? "[b]" : "",
                c && em->how->vectors > 1 ? "[c]" : "",
                em->how->lanes == 1 ? "" : em_fmt(em, "[%s]", lane_number(half)));
}

/* -- loads ------------------------------------------------------------------------ */

/* Whether an access's elements, `step` apart, lie in whole vectors but for its offset. */
static bool has_vectors(const struct em *em, const struct fs_access *a, int step) {
  int lanes = em->how->lanes, last = em->axes.n_outer + em->axes.n_inner - 1;
  if (a->stride[last] != step || a->list_stride % lanes) return false;
  for (int x = 0; x < last; x++)
    if (em->axes.dim[x] > 1 && a->stride[x] % lanes) return false;
  return true;
}

/* Whether neighbours, as many as a vector has, can be accessed at once. */
static bool is_vector(const struct em *em, const struct fs_access *a) {
  return a->offset % em->how->lanes == 0 && has_vectors(em, a, 1);
}

static bool has_steps(const struct em *em, const struct fs_step *s, int step) {
  return em->how->lanes > 1 && em->how->mode != FS_MODE_TILE &&
         has_vectors(em, em_access(em, s), step);
}

/* How far its first element lies behind a multiple of a vector's size. */
static int behind(const struct em *em, const struct fs_step *s) {
  return (int)((em_access(em, s)->offset % em->how->lanes + em->how->lanes) % em->how->lanes);
}

/* How far a vector of this load lies behind a multiple of its size, if only the
 * load's offset is to blame (a shifted slice, as stencils read); else 0. */
static int shift_of(const struct em *em, const struct fs_step *s) {
  return has_steps(em, s, 1) ? behind(em, s) : 0;
}

/* Whether it takes every second element of whole vectors: those of A[:, 1:2:end] and
 * A[:, 2:2:end] are the same, and the compiler loads them once. */
static bool is_spaced(const struct em *em, const struct fs_step *s) {
  return has_steps(em, s, 2);
}

/* Whether it takes more than the elements that it asks for. */
static bool takes_more(const struct em *em, const struct fs_step *s) {
  return shift_of(em, s) || is_spaced(em, s);
}

static const char *lanes_left(struct em *em) {
  return em->how->full ? em_fmt(em, "%d", em->how->lanes)
         : em->how->tail ? "k"
                    : em_fmt(em, "in ? %d : 0", em->how->lanes);
}

static void behind_test(struct em *em, enum fs_lp_kind kind, const struct fs_step *s,
                        const char *test, const char *statement) {
  if (*test) em_say(em, kind, s, "if (%s) %s", test, statement);
  else em_say(em, kind, s, "%s", statement);
}

static void guarded(struct em *em, enum fs_lp_kind kind, const struct fs_step *s,
                    unsigned guard, const char *statement) {
  behind_test(em, kind, s, em_guard(em, guard, -1), statement);
}

/* "a0 + j", "a0 + (i * 96 + j)" */
static const char *pointer(struct em *em, const struct fs_step *s) {
  const char *at = em_address(em, em_access(em, s));
  return em_fmt(em, strchr(at, ' ') ? "a%d + (%s)" : "a%d + %s", s->access, at);
}

/* Whether each of V neighbours lies where another element of a list says. */
static bool is_by_list(const struct em *em, const struct fs_access *a) {
  const struct fs_access *list = fs_access_list(em->k, a);
  return list && em->how->length > 1 && list->stride[em->axes.n_outer + em->axes.n_inner - 1];
}

static void load_by_list(struct em *em, const struct fs_step *s, unsigned guard) {
  const struct fs_access *a = em_access(em, s), *list = fs_access_list(em->k, a);
  int last = em->axes.n_outer + em->axes.n_inner - 1;
  struct fs_lp_address rest = {0}; /* along the axes */
  fs_lp_add_axes(&rest, &em->axes, a->stride);
  const char *in_list = em_address(em, list);
  const char *from = fs_lp_is_nothing(&rest)
                         ? em_fmt(em, "a%d", s->access)
                         : em_fmt(em, "a%d + (%s)", s->access, em_at(em, &rest));
  const char *step =
      is_vector(em, list) ? "" : em_fmt(em, ", (fs_index)%s", em_int(em, list->stride[last]));
  guarded(em, FS_LP_LOAD, s, guard,
          em_fmt(em, "fs_load_by_list(%s, %s, (fs_index)%s, (fs_index)%s, a%d + (%s)%s, %s);",
                 em_row_ref(em, s->out), from, em_int(em, a->stride[last]),
                 em_int(em, a->list_stride), a->list - 1, in_list, step, lanes_left(em)));
}

/* ", c < 4": where a row's vectors are whole in all its threads. */
static const char *whole_vectors(struct em *em) {
  int64_t whole = em->how->n / ((int64_t)em->how->row_threads * em->how->lanes);
  bool known = em->how->mode == FS_MODE_KEEP && em->how->cluster == 1 && em->axes.n_inner == 1 &&
               em->how->vectors > 1;
  return known && whole > 0 ? em_fmt(em, ", c < %lld", (long long)whole) : "";
}

static void load_vector(struct em *em, const struct fs_step *s, unsigned guard) {
  const struct fs_access *a = em_access(em, s);
  const char *to = em_row_ref(em, s->out), *at = em_address(em, a);
  const char *from = pointer(em, s);
  if (em->how->lanes == 1) {
    guarded(em, FS_LP_LOAD, s, guard | EM_IF_VECTOR,
            em_fmt(em, "%s = fs_get(a%d[%s]);", to, s->access, at));
  } else if (is_by_list(em, a)) {
    load_by_list(em, s, guard);
  } else if (!is_vector(em, a)) {
    int64_t stride = a->stride[em->axes.n_outer + em->axes.n_inner - 1];
    guarded(em, FS_LP_LOAD, s, guard,
            em_fmt(em, "fs_load_apart(%s, %s, (fs_index)%s, %s);", to, from,
                   em_int(em, em->how->length > 1 ? stride : 0), lanes_left(em)));
  } else if (em->how->tail && fs_dtype_size(a->dtype) == 2 && !em->how->made[s->out].hoisted) {
    const char *in = em_guard(em, guard, -1), *k = *in ? em_fmt(em, "%s ? k : 0", in) : "k";
    em_say(em, FS_LP_LOAD, s, "fs_load_first(%s, %s, %s%s);", to, from, k, whole_vectors(em));
  } else if (em->how->tail) {
    guarded(em, FS_LP_LOAD, s, guard, em_fmt(em, "fs_load_some(%s, %s, k);", to, from));
  } else {
    const char *policy = em_keeping(em, s, "i");
    guarded(em, FS_LP_LOAD, s, guard | EM_IF_VECTOR,
            policy ? em_fmt(em, "fs_load_%sby(%s, %s, %s);",
                            em->how->pairs && em_is_laned(em, s->out) ? "pairs_" : "", to,
                            from, policy)
                   : em_fmt(em, "fs_load(%s, %s);", to, from));
  }
}

static bool from_ring(const struct em *em, const struct fs_step *s) {
  return em->how->stages && em_val(em, s->out)->varies == 3 && s->phase == 0;
}

/* The loop over the rows of a step, unless one stands around the whole pass. Gives its rounds. */
static int open_rows(struct em *em) {
  int rows = fs_lp_in_loop(&em->w, FS_LP_ROW) ? 1 : em->how->rows;
  em_for(em, "b", rows);
  if (rows > 1) em_row_coords(em);
  return rows;
}

static void load_step(struct em *em, const struct fs_step *s, bool rows) {
  bool both = em_val(em, s->out)->varies & FS_VARIES_I;
  if (!both || !rows) {
    load_vector(em, s, 0);
    return;
  }
  int open = open_rows(em);
  load_vector(em, s, EM_IF_ROW);
  em_close_for(em, open);
}

/* Rows of a vector's columns: whole vectors along i, of which each thread turns its own. */
static void load_turned(struct em *em, const struct fs_step *s) {
  em_block(em, NULL);
  em_say(em, FS_LP_LET, NULL, "const fs_index i = first + sub * %d;", em->how->rows);
  const char *in = em->how->need_ok ? em_fmt(em, "i < %s", em_int(em, em->how->m)) : "";
  in = em_and(em, in, em_guard(em, EM_IF_VECTOR, -1));
  behind_test(em, FS_LP_LOAD, s, in,
              em_fmt(em, "fs_load_turned(v%d, %s, (fs_index)%s);", s->out, pointer(em, s),
                     em_int(em, em_access(em, s)->stride[1])));
  em_close(em);
}

static const char *whole_load(struct em *em, const struct fs_step *s) {
  const char *to = em_row_ref(em, s->out), *from = pointer(em, s);
  int shift = shift_of(em, s);
  if (is_spaced(em, s))
    return em_fmt(em, "fs_load_spaced<%d>(%s, %s);", behind(em, s), to, from);
  return shift ? em_fmt(em, "fs_load_shifted<%d>(%s, %s);", shift, to, from)
               : em_fmt(em, "fs_load(%s, %s);", to, from);
}

/* "first + 4 <= 8190": all rows of this step exist. */
static const char *all_rows(struct em *em) {
  if (!em->how->need_ok) return "";
  int rows = em->how->rows * em->how->sides;
  return em_fmt(em, "first + %d <= %s", rows, em_int(em, em->how->m));
}

static void load_together(struct em *em, const bool *mine, bool rows, bool whole) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!mine[i]) continue;
    bool both = rows && em_val(em, s->out)->varies & FS_VARIES_I;
    int open = both ? open_rows(em) : 1;
    if (whole) em_say(em, FS_LP_LOAD, s, "%s", whole_load(em, s));
    else load_vector(em, s, both ? EM_IF_ROW : 0);
    em_close_for(em, open);
  }
}

/* "j + 8 <= 8190 && first + 4 <= 8190": shifted loads find whole vectors. Of several axes
 * the last one begins anew behind the end, so that there must be a vector, too. */
static const char *all_whole(struct em *em, bool rows) {
  bool one = em->axes.n_inner == 1;
  const char *j = one ? "j" : em_fmt(em, "j%d", em->axes.n_inner - 1);
  const char *in = em_fmt(em, "%s + %d <= %s", j, 2 * em->how->lanes, em_int(em, em->how->length));
  if (!one) in = em_and(em, some(em), in);
  return em_and(em, in, rows ? all_rows(em) : "");
}

/* Shifted loads take the two whole vectors that they lie in, which neighbouring
 * slices and rows share (x[1:end-1], x[2:end]) and the compiler then loads once.
 * The last vectors of a row and the last rows may not be whole: there, one by
 * one. */
static void stencil_loads(struct em *em, const bool *mine, bool rows, bool placed, bool whole) {
  if (placed) { /* as the pass around them is */
    load_together(em, mine, rows, whole);
    return;
  }
  em_if(em, "%s", all_whole(em, rows));
  load_together(em, mine, rows, true);
  em_else(em, NULL);
  load_together(em, mine, rows, false);
  em_close(em);
}

static bool is_staged(const struct em *em, const struct fs_step *s) {
  return em->how->mode == FS_MODE_TILE && em_transposed(em, s);
}

/* Loads that em_load_ahead() has under way. */
static bool from_next(const struct em *em, const struct fs_step *s) {
  return em->how->ahead && s->kind == FS_SP_LOAD && s->phase == 0 &&
         em_val(em, s->out)->varies == 3;
}

static bool is_plain_load(const struct em *em, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && !is_staged(em, s) && !from_next(em, s) &&
         !from_ring(em, s);
}

static void ring_vector(struct em *em, const struct fs_step *s) {
  const struct fs_schedule *how = em->how;
  int64_t at = em->how->made[s->out].work, row = how->rows > 1 ? how->stage_bytes / how->rows : 0;
  const char *from = em_at(em, FS_LP_AT({"slot", 1}, {"b", row}, {NULL, at}));
  if (at || row) from = em_fmt(em, "(%s)", from);
  const char *type = em_stored_type(em_access(em, s)->dtype);
  const char *to = em_row_ref(em, s->out);
  const char *j = em->how->cluster > 1 ? "(j - origin)" : "j";
  if (em->how->lanes == 1)
    em_say(em, FS_LP_LOAD, s, "%s = fs_get(((const %s *)%s)[%s]);", to, type, from, j);
  else /* the ring has room behind a row, and what is read from there means nothing */
    em_say(em, FS_LP_LOAD, s, "%sfs_load(%s, (const %s *)%s + %s);",
           em->how->tail ? "if (k > 0) " : "", to, type, from, j);
}

/* Of one row, or of each of the turn that exists. */
static void ring_load(struct em *em, const struct fs_step *s) {
  bool guards = em->how->rows > 1 && em->how->need_ok;
  int open = open_rows(em);
  if (guards) em_if(em, "ok");
  ring_vector(em, s);
  if (guards) em_close(em);
  em_close_for(em, open);
}

/* Moves the loaded row in, and starts on the next one. */
static void take_next(struct em *em, const bool *need) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= need[i] && from_next(em, &em->k->steps.data[i]);
  if (!any) return;
  em_for(em, "c", em->how->vectors);
  em_for(em, "e", em->how->lanes);
  const char *at = em_fmt(em, "%s%s", em->how->vectors > 1 ? "[c]" : "",
                          em->how->lanes > 1 ? "[e]" : "");
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && from_next(em, s))
      em_line(em, "v%d%s = n%d%s;", s->out, at, s->out, at);
  }
  em_close_for(em, em->how->lanes);
  em_close_for(em, em->how->vectors);
  em_load_ahead(em, false);
}

static void load_loop(struct em *em, const bool *need, bool rows, bool whole) {
  bool any = false, placed = is_placed(em);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_LOAD) continue;
    bool both = em_val(em, s->out)->varies & FS_VARIES_I;
    bool guards = (!em->how->full && !whole) || (em->how->need_ok && both);
    if (!em->v[s->out].stands)
      declare(em, s->out, both && !fs_lp_in_loop(&em->w, FS_LP_ROW), true, true,
              guards &&
                  (!em->how->full || !from_ring(em, s) || (em->how->rows > 1 && em->how->need_ok)));
    em->v[s->out].stands = em->how->mode == FS_MODE_KEEP && rows;
    any |= !is_staged(em, s) && !from_next(em, s);
  }
  if (em->how->ahead && rows) take_next(em, need);
  if (em->how->mode == FS_MODE_TILE) em_tile_stage_loads(em, need);
  if (!any) return;
  bool *together = fs_calloc((size_t)em->k->steps.len, sizeof(bool));
  bool stencil = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    stencil |= need[i] && is_plain_load(em, s) && takes_more(em, s);
  }
  em_for(em, "c", em->how->vectors);
  if (em->how->vectors == 1 && !placed) em_block(em, NULL);
  em_vector_coords(em);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_LOAD || is_staged(em, s) || from_next(em, s))
      continue;
    if (from_ring(em, s)) {
      if (em->how->full) ring_load(em, s);
      else {
        em_if(em, "%s", some(em));
        ring_load(em, s);
        em_close(em);
      }
    } else if (stencil && (takes_more(em, s) || is_vector(em, em_access(em, s)))) {
      together[i] = true;
    } else if (em->how->turns && em_transposed(em, s)) {
      load_turned(em, s);
    } else {
      load_step(em, s, rows);
    }
  }
  if (stencil) stencil_loads(em, together, rows, placed, whole);
  free(together);
  if (!placed) em_close(em);
}

void em_load_ahead(struct em *em, bool first) {
  for (int i = 0; i < em->k->steps.len && first; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!from_next(em, s)) continue;
    em->v[s->out].b = em->v[s->out].c = em->v[s->out].e = true;
    em_line(em, "%s n%d%s%s;", em_value_type(em_val(em, s->out)->dtype), s->out,
            em_dims(em, true, true, true),
            *em_dims(em, true, true, true) ? " = {}" : " = 0");
  }
  if (first) em_block(em, NULL);
  else em_if(em, "first + %s < FS_M", em_teams(em));
  if (first) em_say(em, FS_LP_LET, NULL, "const fs_index i = %s;", em_team(em));
  else em_say(em, FS_LP_LET, NULL, "const fs_index i = first + %s;", em_teams(em));
  outer_axes(em);
  em_for(em, "c", em->how->vectors);
  em_vector_coords(em);
  em->into_next = true;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (from_next(em, s)) load_vector(em, s, 0);
  }
  em->into_next = false;
  em_close_for(em, em->how->vectors);
  em_close(em);
}

/* -- lanes ------------------------------------------------------------------------- */

/* Whether a value is used outside of the loop over the lanes. */
static bool leaves_lanes(const struct em *em, const bool *need, int v) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool outside = s->kind == FS_SP_STORE ||
                   (s->kind == FS_SP_REDUCE && em_takes_short_ways(em, need));
    if (!need[i] || !outside) continue;
    if (em->how->made[s->in[0]].alias == v) return true;
    if (s->in[1] >= 0 && em->how->made[s->in[1]].alias == v) return true;
  }
  return false;
}

bool em_makes_lanes(const struct em *em, const struct fs_step *s) {
  if (s->kind == FS_SP_LOAD) return false;
  if (s->kind != FS_SP_STORE) return true;
  return em->how->lanes > 1 && !em->v[em->how->made[s->in[0]].alias].e;
}

/* Room for what the lanes make and a store, or a later phase, takes. */
static void declare_made(struct em *em, const bool *need, bool at_row) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind == FS_SP_LOAD || s->kind == FS_SP_REDUCE) continue;
    if (s->kind == FS_SP_STORE) {
      int v = em->how->made[s->in[0]].alias, def = em->how->made[v].def;
      if (at_row || em->how->lanes == 1 || em->v[v].e || (def >= 0 && need[def]))
        continue;
      em_line(em, "%s x%d[%d];", em_value_type(em_val(em, s->in[0])->dtype), i, em->how->lanes);
      continue;
    }
    struct em_value *x = &em->v[s->out];
    bool both = em_val(em, s->out)->varies & FS_VARIES_I;
    const struct fs_scheduled_value *made = &em->how->made[s->out];
    bool lasting = made->kept || made->hoisted || (em->how->mode == FS_MODE_TILE && both);
    if (lasting && at_row) declare(em, s->out, both, true, true, false);
    if (lasting || at_row) continue;
    x->b = x->c = x->e = false;
    if ((em->how->lanes > 1 || em_takes_short_ways(em, need)) && leaves_lanes(em, need, s->out))
      declare(em, s->out, false, false, true, false);
  }
}

static void lane_reduce(struct em *em, const struct fs_step *s, int half) {
  enum fs_reduced acc = em->how->made[s->out].reduced;
  unsigned guard = acc != FS_REDUCED_COLUMN ? EM_IF_LANE : 0;
  if (acc == FS_REDUCED_COLUMN || acc == FS_REDUCED_ALL) guard |= EM_IF_ROW;
  behind_test(em, FS_LP_ACC, s, em_guard(em, guard, half),
              em_accumulate(em, s, acc_ref(em, s, half), half));
}

void em_lane_step(struct em *em, const struct fs_step *s) {
  if (s->kind == FS_SP_REDUCE) {
    for (int half = em->how->pairs ? 0 : -1; half < (em->how->pairs ? 2 : 0); half++)
      lane_reduce(em, s, half);
    return;
  }
  if (s->kind == FS_SP_STORE) {
    const char *to = em_fmt(em, "x%d", (int)(s - em->k->steps.data));
    em_line(em, em->one_by_one ? "fs_set_lane(%s, e, %s);" : "%s[e] = %s;", to,
            em_ref(em, s->in[0]));
    return;
  }
  const struct em_value *x = &em->v[s->out];
  const char *rhs = em_rhs(em, s, em->how->lanes > 1 ? "e" : NULL);
  if (x->e && em->one_by_one)
    em_say(em, FS_LP_MAP, s, "fs_set_lane(%s, e, %s);", em_row_ref(em, s->out), rhs);
  else if (x->b || x->c || x->e)
    em_say(em, FS_LP_MAP, s, "%s = %s;", em_ref(em, s->out), rhs);
  else
    em_say(em, FS_LP_MAP, s, "const %s v%d = %s;", em_lane_type(em, s->out), s->out, rhs);
}

/* -- stores ------------------------------------------------------------------------ */

/* How far the vectors of a store lie behind a multiple of their size, if only its offset is
 * to blame and a warp's lanes have neighbouring ones, of words at least; else 0. The heat
 * equation on the inside of 4096 x 4096 in f32, which stored element by element, takes an
 * H100 50 us in place of 57. */
static int shift_of_store(const struct em *em, const struct fs_step *s) {
  bool rows = em->how->mode == FS_MODE_STRIPS || em->how->mode == FS_MODE_KEEP ||
              em->how->mode == FS_MODE_CHUNK;
  int threads = em->how->mode == FS_MODE_FLAT ? em->how->threads : em->how->row_threads;
  if (!(rows || em->how->mode == FS_MODE_FLAT) || em->axes.n_inner != 1 || threads % 32 ||
      em->how->pairs)
    return 0;
  return fs_dtype_size(em_access(em, s)->dtype) >= 4 ? shift_of(em, s) : 0;
}

static void store_vector(struct em *em, const struct fs_step *s) {
  const struct fs_access *a = em_access(em, s);
  const struct em_value *x = &em->v[em->how->made[s->in[0]].alias];
  unsigned guard = em->how->mode == FS_MODE_FLAT ? EM_IF_OWN_TILE
                   : a->varies & FS_VARIES_I     ? EM_IF_ROW
                                                 : EM_IF_FIRST_ROW;
  const char *at = em_address(em, a);
  const char *to = pointer(em, s);
  const char *from = em_row_ref(em, s->in[0]);
  if (em->how->lanes == 1) {
    guarded(em, FS_LP_STORE, s, guard | EM_IF_VECTOR,
            em_fmt(em, "fs_put(a%d[%s], %s);", s->access, at, from));
    return;
  }
  if (!x->e) from = em_fmt(em, "x%d", (int)(s - em->k->steps.data));
  int shift = shift_of_store(em, s);
  if (shift) {
    guarded(em, FS_LP_STORE, s, guard,
            em_fmt(em, "fs_store_shifted<%d>(%s, %s, %s);", shift, to, from, lanes_left(em)));
  } else if (!is_vector(em, a)) {
    int64_t stride = a->stride[em->axes.n_outer + em->axes.n_inner - 1];
    guarded(em, FS_LP_STORE, s, guard,
            em_fmt(em, "fs_store_apart(%s, %s, (fs_index)%s, %s);", to, from,
                   em_int(em, stride), lanes_left(em)));
  } else if (em->how->tail) {
    guarded(em, FS_LP_STORE, s, guard, em_fmt(em, "fs_store_some(%s, %s, k);", to, from));
  } else {
    guarded(em, FS_LP_STORE, s, guard | EM_IF_VECTOR, em_fmt(em, "fs_store(%s, %s);", to, from));
  }
}

void em_stores(struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && s->kind == FS_SP_STORE && !is_staged(em, s))
      store_vector(em, s);
  }
}

/* -- the pass ------------------------------------------------------------------------ */

/* CHUNK: a block's column sums wait in the workspace between two rows. */
static void chunk_columns(struct em *em, const bool *need, bool load) {
  if (em->how->mode != FS_MODE_CHUNK) return;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_REDUCE || em->how->made[s->out].reduced != FS_REDUCED_COLUMN)
      continue;
    int v = s->out;
    const char *at = em_at(em, FS_LP_AT({em_fmt(em, "w%d", v), 1},
                                        {"(fs_index)blockIdx.x", em->how->pitch_j},
                                        em_column_slot(em)));
    if (em->how->lanes == 1) at = em_fmt(em, "*(%s)", at);
    if (load) {
      em_declare_acc(em, s, false, false, true);
      guarded(em, FS_LP_FOLD, s, EM_IF_NOT_FRESH | EM_IF_VECTOR,
              em->how->lanes == 1 ? em_fmt(em, "r%d = %s;", v, at)
                         : em_fmt(em, "fs_load(r%d, %s);", v, at));
    } else {
      guarded(em, FS_LP_FOLD, s, EM_IF_VECTOR,
              em->how->lanes == 1 ? em_fmt(em, "%s = r%d;", at, v)
                         : em_fmt(em, "fs_store(%s, r%d);", at, v));
    }
  }
}

/* The vectors that are `left`: from memory once more, an element at a time. */
static void stragglers(struct em *em, const bool *need) {
  const char *j = em->axes.n_inner == 1 ? "j" : em_fmt(em, "j%d", em->axes.n_inner - 1);
  const struct fs_schedule *around = em->how;
  struct fs_schedule each = *around;
  em_if(em, "left");
  if (em->how->vectors > 1) {
    em_unroll(em, 1);
    em_loop(em, FS_LP_VECTOR, "int c = 0; c < %d; c++", em->how->vectors);
    em_line(em, "if (!(left >> c & 1)) continue;");
  }
  em_vector_coords(em);
  em_say(em, FS_LP_LET, NULL, "const fs_index from = %s;", j);
  em_unroll(em, 1);
  const char *lanes = lanes_left(em);
  em_loop(em, FS_LP_LANE, strchr(lanes, ' ') ? "int e = 0; e < (%s); e++"
                                             : "int e = 0; e < %s; e++", lanes);
  em_line(em, "fs_anew();");
  em_line(em, "const fs_index %s = from + e;", j);
  each.pairs = each.tail = false;
  each.full = true;
  each.lanes = 1;
  em->how = &each;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_LOAD) continue;
    declare(em, s->out, false, false, true, false);
    load_vector(em, s, 0);
  }
  declare_made(em, need, false);
  em_long_lanes(em, need, false);
  em_stores(em, need);
  em->how = around;
  em_close(em);
  if (em->how->vectors > 1) em_close(em);
  em_close(em);
}

static void compute_loop(struct em *em, const bool *need, bool rows) {
  bool any = false, placed = is_placed(em);
  for (int i = 0; i < em->k->steps.len; i++)
    any |= need[i] && em->k->steps.data[i].kind != FS_SP_LOAD;
  if (!any) return;
  bool later = em->how->stragglers;
  if (later) em_line(em, "unsigned left = 0;");
  em_for(em, "c", em->how->vectors);
  if (em->how->vectors == 1 && !placed) em_block(em, NULL);
  em_vector_coords(em);
  chunk_columns(em, need, true);
  int open = rows ? open_rows(em) : 1;
  declare_made(em, need, false);
  if (later) {
    em_if(em, "!%s", em_short_lanes(em, need));
  } else {
    em_lane_loop(em, need);
  }
  em_stores(em, need);
  if (later) {
    em_else(em, NULL);
    em_line(em, em->how->vectors > 1 ? "left |= 1u << c;" : "left = 1;");
    em_close(em);
  }
  em_close_for(em, open);
  chunk_columns(em, need, false);
  if (!placed) em_close(em);
  if (later) stragglers(em, need);
}

/* What a pass must do: roots and all that they need. */
static bool find_needed(struct em *em, int phase, bool *need) {
  bool any = false;
  memset(need, 0, sizeof(bool) * (size_t)em->k->steps.len);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool root;
    if (phase < 0) {
      root = s->out >= 0 && em->how->made[s->out].hoisted;
    } else {
      root = s->kind == FS_SP_STORE || s->kind == FS_SP_REDUCE ||
             (em->how->made[s->out].kept && em->how->made[s->out].alias == s->out);
      root = root && s->phase == phase && fs_schedule_sweeps(em->k, em->how, s);
    }
    if (!root) continue;
    any = need[i] = true;
    FS_EACH_IN(s, a) fs_schedule_need(em->k, em->how, s->in[a], phase < 0 ? 0 : phase, need);
  }
  return any;
}

static void declare_row_results(struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i] || s->kind != FS_SP_REDUCE) continue;
    enum fs_reduced acc = em->how->made[s->out].reduced;
    if (acc == FS_REDUCED_ROW || acc == FS_REDUCED_ROW_END)
      em_declare_acc(em, s, true, false, true);
  }
}

/* `whole`: all that shifted loads take lies in whole vectors. */
static void pass(struct em *em, const bool *need, bool rows, bool whole) {
  load_loop(em, need, rows, whole);
  declare_made(em, need, true);
  if (em->how->mode == FS_MODE_TILE && rows) em_tile_compute(em, need);
  else compute_loop(em, need, rows);
}

/* Whether a pass is written twice, for where all that shifted loads take is whole,
 * and for the edges: all of it must stand in one place. It pays in several rows (Jacobi
 * of 8192 x 8192 in bf16 on an H200: 68.3 us instead of 72.3; in f32 133.7 and 133.8, but
 * NVRTC takes 83 ms instead of 113; a flat moving average of 2^26 in bf16 75.4 instead of
 * 67.9). */
static bool has_two_ways(const struct em *em, const bool *need) {
  if (em->how->mode != FS_MODE_STRIPS || em->how->vectors > 1 || em->how->rows == 1) return false;
  bool shifted = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i]) continue;
    if (s->out >= 0 && em->how->made[s->out].kept) return false;
    shifted |= is_plain_load(em, s) && takes_more(em, s);
  }
  return shifted;
}

/* Whether up to three vectors from any place of a row lie in memory wherever there is a row
 * behind it: then only the last row has edges. */
static bool only_last_row_ends(const struct em *em, const bool *need) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (need[i] && s->kind == FS_SP_LOAD && em_val(em, s->out)->varies != 3)
      return false;
    if (need[i] && s->kind == FS_SP_LOAD && em_access(em, s)->stride[0] < 4 * em->how->lanes)
      return false;
  }
  return em->axes.n_outer == 1 && em->axes.n_inner == 1;
}

/* The compiler shares what neighbouring slices and rows load only as far as it sees
 * them loaded as whole vectors: to the end of the branch. The other one, at the
 * edges, goes row by row, which takes less registers, and in a loop: what hardly ever
 * runs need not be long (Jacobi in bf16: NVRTC takes 122 ms, not 195). */
static void both_ways(struct em *em, const bool *need, bool rows) {
  const struct fs_schedule *around = em->how;
  struct fs_schedule whole = *around;
  bool last = rows && only_last_row_ends(em, need);
  em_block(em, NULL);
  em_vector_coords(em);
  if (last)
    em_if(em, "%s",
            em_and(em, some(em), em_fmt(em, "first + %d <= %s", em->how->rows * em->how->sides + 1,
                                        em_int(em, em->how->m))));
  else
    em_if(em, "%s", all_whole(em, rows));
  whole.need_ok = false;
  if (!last) whole.full = true, whole.tail = false;
  em->how = &whole;
  pass(em, need, rows, true);
  em->how = around;
  em_else(em, NULL);
  if (rows) {
    em_unroll(em, 1);
    em_loop(em, FS_LP_ROW, "int b = 0; b < %d; b++", em->how->rows);
    em_row_coords(em);
  }
  pass(em, need, rows, false);
  if (rows) em_close(em);
  em_close(em);
  em_close(em);
}

void em_sweep(struct em *em, int phase) {
  bool *need = fs_calloc((size_t)em->k->steps.len + 1, sizeof(bool));
  if (find_needed(em, phase, need)) {
    bool rows = phase >= 0 && em->how->mode != FS_MODE_FLAT;
    declare_row_results(em, need);
    if (em->how->mode == FS_MODE_CHUNK) {
      int64_t held = (int64_t)em->how->row_threads * em->how->vectors;
      em_loop(em, FS_LP_SERIAL, "fs_index h = 0; h < %s; h++",
              em_int(em, (em->how->row_vectors + held - 1) / held));
    }
    if (has_two_ways(em, need)) both_ways(em, need, rows);
    else pass(em, need, rows, false);
    if (em->how->mode == FS_MODE_CHUNK) em_close(em);
    if (em->how->mode == FS_MODE_TILE && rows) em_tile_stage_stores(em, need);
  }
  free(need);
}

/* -- steps without lanes ----------------------------------------------------------- */

static void scalar_def(struct em *em, const struct fs_step *s, unsigned guard, bool b) {
  enum fs_dtype dt = em_val(em, s->out)->dtype;
  const char *type = em_value_type(dt), *rhs;
  if (s->kind == FS_SP_LOAD) {
    rhs = em_fmt(em, "fs_get(a%d[%s])", s->access, em_address(em, em_access(em, s)));
    const char *in = em_guard(em, guard, -1);
    if (*in) rhs = em_fmt(em, "%s ? %s : (%s)0", in, rhs, type);
    if (em_grid_load(em, s)) rhs = em_grid_load(em, s);
  } else {
    rhs = em_rhs(em, s, NULL);
    if (em_is_twice(em, s)) {
      em_line(em, "const fs_pair<%s> b%d = {%s};", em_stored_type(dt), s->out, rhs);
      rhs = em_fmt(em, "fs_half(b%d, 1)", s->out);
    }
  }
  struct em_value *x = &em->v[s->out];
  x->b = b;
  x->c = x->e = false;
  enum fs_lp_kind kind = s->kind == FS_SP_LOAD ? FS_LP_LOAD : FS_LP_MAP;
  if (b && em->how->rows > 1) em_say(em, kind, s, "%s = %s;", em_ref(em, s->out), rhs);
  else em_say(em, kind, s, "const %s v%d = %s;", type, s->out, rhs);
}

void em_plain_load(struct em *em, const struct fs_step *s, unsigned guard) {
  scalar_def(em, s, guard, false);
}

void em_plain_steps(struct em *em, const bool *need, unsigned guard) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!need[i]) continue;
    if (s->kind == FS_SP_STORE) {
      guarded(em, FS_LP_STORE, s, guard,
              em_fmt(em, "fs_put(a%d[%s], %s);", s->access,
                     em_address(em, em_access(em, s)), em_ref(em, s->in[0])));
      em_grid_stored(em, s);
    } else if (s->kind != FS_SP_REDUCE) {
      scalar_def(em, s, 0, false);
    }
  }
}

void em_uniforms(struct em *em) {
  bool *need = fs_calloc((size_t)em->k->steps.len + 1, sizeof(bool));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->kind == FS_SP_STORE)
      need[i] = em_access(em, s)->varies == 0 && em->how->made[s->in[0]].uniform;
    else
      need[i] = em->how->made[s->out].uniform;
  }
  em_plain_steps(em, need, EM_IF_FIRST_BLOCK | EM_IF_FIRST_THREAD);
  free(need);
}

/* What a row loads is under way before its sums, whatever phase wants it: a trip to
 * the cache behind them is one that all threads of the block wait for. */
static int phase_of(const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && s->phase != FS_END ? 0 : s->phase;
}

static bool is_row_step(const struct em *em, const struct fs_step *s, int phase) {
  if (phase_of(s) != phase || fs_schedule_sweeps(em->k, em->how, s)) return false;
  if (s->kind == FS_SP_STORE)
    return em_access(em, s)->varies || !em->how->made[s->in[0]].uniform;
  return !em->how->made[s->out].uniform;
}

static void row_step(struct em *em, const struct fs_step *s) {
  unsigned own = EM_IF_SPEAKS | EM_IF_ROW;
  if (s->kind == FS_SP_REDUCE) {
    guarded(em, FS_LP_ACC, s, own, em_accumulate(em, s, em_fmt(em, "r%d", s->out), -1));
  } else if (s->kind == FS_SP_STORE) {
    if (em_access(em, s)->varies == 0) own |= EM_IF_FIRST_ROW;
    guarded(em, FS_LP_STORE, s, own,
            em_fmt(em, "fs_put(a%d[%s], %s);", s->access,
                   em_address(em, em_access(em, s)), em_ref(em, s->in[0])));
  } else {
    scalar_def(em, s, EM_IF_ROW, true);
  }
}

/* Whether a pass over the elements wants a row's value. */
static bool is_for_sweeps(const struct em *em, int value) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase == FS_END || !fs_schedule_sweeps(em->k, em->how, s)) continue;
    FS_EACH_IN(s, a)
      if (s->in[a] == value) return true;
  }
  return false;
}

/* A thread takes one of the rows that its row's threads have at once, and passes on
 * what a pass over the elements wants of it. */
static void row_steps_by_lanes(struct em *em, int phase) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_row_step(em, s, phase) || s->out < 0 || s->kind == FS_SP_REDUCE) continue;
    em_line(em, "%s own%d;", em_value_type(em_val(em, s->out)->dtype), s->out);
    em->v[s->out].own = true;
  }
  em_block(em, NULL);
  em_say(em, FS_LP_LET, NULL, "const int b = t %% %d;", em->how->rows);
  em_row_coords(em);
  em->row_by_lane = true;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (is_row_step(em, s, phase)) row_step(em, s);
  }
  em->row_by_lane = false;
  em_close(em);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_row_step(em, s, phase) || s->out < 0 || !em->v[s->out].own ||
        !is_for_sweeps(em, s->out))
      continue;
    declare(em, s->out, true, false, false, false);
    em_line(em, "fs_from_lanes<%d>(v%d, own%d);", em->how->row_threads, s->out, s->out);
  }
}

/* The row steps that are in `chosen`; nothing if none is. */
static void chosen_row_steps(struct em *em, const bool *chosen) {
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    any |= chosen[i];
    if (chosen[i] && em->how->rows > 1 && s->out >= 0 && s->kind != FS_SP_REDUCE)
      declare(em, s->out, true, false, false, false);
  }
  if (!any) return;
  em_for(em, "b", em->how->rows);
  if (em->how->rows > 1) em_row_coords(em);
  for (int i = 0; i < em->k->steps.len; i++)
    if (chosen[i]) row_step(em, &em->k->steps.data[i]);
  em_close_for(em, em->how->rows);
}

/* Moves from chosen[] to others[] the row steps that only the row's own results want. */
static void divide_row_steps(const struct em *em, bool *chosen, bool *others) {
  for (int i = em->k->steps.len - 1; i >= 0; i--) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool result = s->kind == FS_SP_STORE || s->kind == FS_SP_REDUCE, wanted = false;
    if (!chosen[i]) continue;
    for (int u = i + 1; !result && u < em->k->steps.len; u++)
      FS_EACH_IN(&em->k->steps.data[u], x)
        wanted |= !others[u] && em->k->steps.data[u].in[x] == s->out;
    chosen[i] = wanted;
    others[i] = !wanted;
  }
}

/* What tiles do not want of a row, blocks of the first strip do: tanh(u) beside B'*v of
 * 3000 x 3000 was computed by all threads of all 94 strips, and took 15 us (H100). */
void em_row_steps(struct em *em, int phase) {
  size_t n = (size_t)em->k->steps.len + 1;
  bool *chosen = fs_calloc(n, sizeof(bool)), *others = fs_calloc(n, sizeof(bool));
  bool any = false, apart = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= chosen[i] = is_row_step(em, &em->k->steps.data[i], phase);
  if (any && em->how->shares_rows) {
    row_steps_by_lanes(em, phase);
  } else if (any) {
    if (em->how->strips > 1) divide_row_steps(em, chosen, others);
    chosen_row_steps(em, chosen);
    for (int i = 0; i < em->k->steps.len; i++) apart |= others[i];
  }
  if (apart) {
    em_if(em, "strip == 0");
    chosen_row_steps(em, others);
    em_close(em);
  }
  free(chosen);
  free(others);
}
