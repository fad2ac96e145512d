/* loads.c - vectors come from memory, or from the ring, and go there. */
#include "core/emit/writer.h"

/* -- loads ------------------------------------------------------------------------ */

/* Whether an access's elements, `step` apart, lie in whole vectors but for its offset. */
static bool has_vectors(const struct fs_writer *w, const struct fs_access *a, int step) {
  int lanes = w->how->lanes, last = w->axes.n_outer + w->axes.n_inner - 1;
  if (a->stride[last] != step || a->list_stride % lanes) return false;
  for (int x = 0; x < last; x++)
    if (w->axes.dim[x] > 1 && a->stride[x] % lanes) return false;
  return true;
}

/* Whether neighbours, as many as a vector has, can be accessed at once. */
static bool is_vector(const struct fs_writer *w, const struct fs_access *a) {
  return a->offset % w->how->lanes == 0 && has_vectors(w, a, 1);
}

static bool has_steps(const struct fs_writer *w, const struct fs_step *s, int step) {
  return w->how->lanes > 1 && has_vectors(w, w_access(w, s), step);
}

/* How far its first element lies behind a multiple of a vector's size. */
static int behind(const struct fs_writer *w, const struct fs_step *s) {
  return (int)((w_access(w, s)->offset % w->how->lanes + w->how->lanes) % w->how->lanes);
}

/* How far a vector of this load lies behind a multiple of its size, if only the
 * load's offset is to blame (a shifted slice, as stencils read); else 0. */
static int shift_of(const struct fs_writer *w, const struct fs_step *s) {
  return has_steps(w, s, 1) ? behind(w, s) : 0;
}

/* Whether one of the thread's rows may be what another reads, too, and whether it is there is
 * asked for each: a row of a matrix of which the kernel reads several slices. */
static bool shares_rows(const struct fs_writer *w, const struct fs_step *s) {
  const struct fs_access *a = w_access(w, s);
  if (w->how->rows == 1 || w->axes.n_outer != 1 || !(w->how->need_ok || w->how->tail)) return false;
  return w->how->lanes > 1 && a->varies == 3 && is_vector(w, a) && w->how->kernel->work.shifted;
}

/* Whether it is loose, and lies in whole vectors of rows that one number tells. */
static bool is_loose(const struct fs_writer *w, const struct fs_step *s) {
  const struct fs_access *a = w_access(w, s);
  bool up = a->reach && w->axes.n_outer <= 1 && has_steps(w, s, 1);
  for (int x = 0; x < w->axes.n_outer + w->axes.n_inner; x++) up = up && a->stride[x] >= 0;
  return up;
}

/* Whether the compiler may find what it takes in what others take: a shifted slice, rows that
 * several of the thread's rows are made of, or every second of whole vectors (A[:, 1:2:end] and
 * A[:, 2:2:end]). The five rows of a filter, each in eight of a thread, are twelve. */
static bool takes_more(const struct fs_writer *w, const struct fs_step *s) {
  if (w_access(w, s)->reach) return is_loose(w, s);
  return shift_of(w, s) || has_steps(w, s, 2) || shares_rows(w, s);
}

/* "a0 + j", "a0 + (i * 96 + j)" */
static const char *pointer(const struct fs_writer *w, const struct fs_step *s) {
  const char *at = w_place(w, w_access(w, s));
  return w_fmt(w, strchr(at, ' ') ? "a%d + (%s)" : "a%d + %s", s->access, at);
}

/* "f32.4": the elements of a vector of an access. */
static const char *vector_tag(const struct fs_writer *w, const struct fs_access *a) {
  return w_fmt(w, "%s.%d", fs_dtype_name(a->dtype), w->how->lanes);
}

/* Whether each of V neighbours lies where another element of a list says. */
static bool is_by_list(const struct fs_writer *w, const struct fs_access *a) {
  const struct fs_access *list = fs_access_list(w->how->kernel, a);
  return list && w->how->length > 1 && list->stride[w->axes.n_outer + w->axes.n_inner - 1];
}

static const char *load_by_list(const struct fs_writer *w, const struct fs_step *s, const char *to,
                                const char *left) {
  const struct fs_access *a = w_access(w, s), *list = fs_access_list(w->how->kernel, a);
  int last = w->axes.n_outer + w->axes.n_inner - 1;
  struct fs_lp_address rest = {0}; /* along the axes */
  fs_lp_add_axes(&rest, &w->axes, a->stride);
  const char *in_list = w_address(w, list);
  const char *from = fs_lp_is_nothing(&rest) ? w_fmt(w, "a%d", s->access)
                                             : w_fmt(w, "a%d + (%s)", s->access, w_at(w, &rest));
  const char *step =
      is_vector(w, list) ? "" : w_fmt(w, ", (fs_index)%s", w_int(w, list->stride[last]));
  const char *tag = w_fmt(w, "%s%s.%s.%d", *step ? "" : "near.", fs_dtype_name(a->dtype),
                          fs_dtype_name(list->dtype), w->how->lanes);
  return w_fmt(w, "fs_load_by_list`%s(%s, %s, (fs_index)%s, (fs_index)%s, a%d + (%s)%s, %s);", tag,
               to, from, w_int(w, a->stride[last]), w_int(w, a->list_stride), a->list - 1, in_list,
               step, left);
}

/* Of a loose load: each of its elements brought back. */
static const char *load_within(const struct fs_writer *w, const struct fs_step *s, const char *to,
                               const char *left) {
  const struct fs_access *a = w_access(w, s);
  int64_t stride = a->stride[w->axes.n_outer + w->axes.n_inner - 1];
  return w_fmt(w, "fs_load_within`%s(%s, a%d, (fs_index)(%s), (fs_index)%s, %s, %s);",
               vector_tag(w, a), to, s->access, w_place(w, a),
               w_int(w, w->how->length > 1 ? stride : 0), w_edges(w, a), left);
}

/* ", c < 4": where a row's vectors are whole in all its threads. */
static const char *whole_vectors(const struct fs_writer *w) {
  int64_t whole = w->how->n / ((int64_t)w->how->row_threads * w->how->lanes);
  bool known =
      w_mode(w)->holds && w->how->cluster == 1 && w->axes.n_inner == 1 && w->how->vectors > 1;
  return known && whole > 0 ? w_fmt(w, ", c < %lld", (long long)whole) : "";
}

/* Neighbours, as many as a vector has, go there behind these guards: a "load", or a "store". */
static const char *move_vector(const struct fs_writer *w, const struct fs_step *s, const char *verb,
                               const char *to, const char *from, unsigned guard) {
  const struct fs_access *a = w_access(w, s);
  unsigned others = guard & ~(FS_LP_IF_VECTOR | FS_LP_IF_LANE);
  int64_t stride = a->stride[w->axes.n_outer + w->axes.n_inner - 1];
  const char *tag = vector_tag(w, a);
  if (!is_vector(w, a))
    return w_guarded(w, others,
                     w_fmt(w, "fs_%s_apart`%s(%s, %s, (fs_index)%s, %s);", verb, tag, to, from,
                           w_int(w, w->how->length > 1 ? stride : 0), w_lanes_left(w, guard)));
  if (w->how->tail && guard & FS_LP_IF_LANE)
    return w_guarded(w, others, w_fmt(w, "fs_%s_some`%s(%s, %s, k);", verb, tag, to, from));
  return w_guarded(w, guard & ~FS_LP_IF_LANE, w_fmt(w, "fs_%s`%s(%s, %s);", verb, tag, to, from));
}

static const char *load_vector(const struct fs_writer *w, const struct fs_step *s, const char *to,
                               unsigned guard) {
  const struct fs_access *a = w_access(w, s);
  const char *from = pointer(w, s);
  unsigned others = guard & ~(FS_LP_IF_VECTOR | FS_LP_IF_LANE);
  if (w->how->lanes == 1)
    return w_guarded(w, guard & ~FS_LP_IF_LANE,
                     w_fmt(w, "%s = fs_get`%s(a%d[%s]);", to, fs_dtype_name(a->dtype), s->access,
                           w_address(w, a)));
  if (a->reach) return w_guarded(w, others, load_within(w, s, to, w_lanes_left(w, guard)));
  if (is_by_list(w, a)) return w_guarded(w, others, load_by_list(w, s, to, w_lanes_left(w, guard)));
  bool tail = w->how->tail && guard & FS_LP_IF_LANE;
  if (is_vector(w, a) && tail && fs_dtype_size(a->dtype) == 2 && !w->how->made[s->out].hoisted) {
    const char *in = w_guard(w, others, -1), *k = *in ? w_fmt(w, "%s ? k : 0", in) : "k";
    const char *whole = whole_vectors(w);
    return w_fmt(w, "fs_load_first`%s%s(%s, %s, %s%s);", *whole ? "whole." : "",
                 vector_tag(w, a), to, from, k, whole);
  }
  const char *policy = is_vector(w, a) && !tail ? w_keeping(w, s, "i") : NULL;
  const char *by = w->how->pairs && w_is_laned(w, s->out) ? "load_pairs_by" : "load_by";
  if (policy) return move_vector(w, s, by, to, w_fmt(w, "%s, %s", from, policy), guard);
  return move_vector(w, s, "load", to, from, guard);
}

void w_load_vector(const struct fs_writer *w, const struct fs_step *s, const char *to) {
  w_add(w, FS_LP_LOAD, s, load_vector(w, s, to, FS_LP_IF_VECTOR | FS_LP_IF_LANE));
}

void w_open_rows(const struct fs_writer *w) {
  int rows = fs_lp_loop(w->lp, FS_LP_ROW) ? 1 : w->how->rows;
  w_for(w, "b", rows);
  if (rows > 1) w_row_coords(w);
}

/* Whether rows of a vector's columns are whole vectors along i, of which each thread turns
 * its own. */
static bool is_turned(const struct fs_writer *w, const struct fs_step *s) {
  return w->how->mode == FS_MODE_TURN && w_transposed(w, s);
}

/* A load that is to be spelled, of each of the rows if it has them; of a ring those of the
 * turn that exist; turned, of all of them at once. */
static void put_load(const struct fs_writer *w, const struct fs_step *s, bool rows,
                     enum fs_lp_way way) {
  bool both = rows && w_val(w, s->out)->varies & FS_VARIES_I, ring = w_in_ring(w, s);
  bool turned = way == FS_LP_AS_IT_IS && is_turned(w, s);
  w_when(w, ring ? w_some(w) : "");
  if (turned) w_block(w, NULL);
  else if (both) w_open_rows(w);
  else w_group(w);
  if (turned) w_let(w, "const fs_index i = first + sub * %d;", w->how->rows);
  w_when(w, ring && w->how->rows > 1 && w->how->need_ok ? "ok" : "");
  struct fs_lp *x = w_add(w, FS_LP_LOAD, s, NULL);
  x->guard = both || turned ? FS_LP_IF_INSIDE : FS_LP_IF_VECTOR | FS_LP_IF_LANE;
  x->way = way;
  for (int open = 0; open < 3; open++) w_close(w);
}

static const char *load_turned(const struct fs_writer *w, const struct fs_lp *x) {
  const struct fs_step *s = x->step;
  bool rows = w->how->need_ok && x->guard & FS_LP_IF_ROW;
  const char *in = rows ? w_fmt(w, "i < %s", w_int(w, w->how->m)) : "";
  return w_behind(w, w_and(w, in, w_guard(w, x->guard & FS_LP_IF_VECTOR, -1)),
                  w_fmt(w, "fs_load_turned`%s.%d.%d(v%d, %s, (fs_index)%s);",
                        w_stored_tag(w, s), w->how->rows, w->how->lanes, s->out, pointer(w, s),
                        w_int(w, w_access(w, s)->stride[1])));
}

static const char *load_whole(const struct fs_writer *w, const struct fs_step *s) {
  const char *to = w_row_ref(w, s->out), *from = pointer(w, s);
  int shift = shift_of(w, s);
  const char *tag = vector_tag(w, w_access(w, s));
  if (!w_access(w, s)->reach && has_steps(w, s, 2))
    return w_fmt(w, "fs_load_spaced<%d>`%d.%s(%s, %s);", behind(w, s), behind(w, s), tag, to, from);
  return shift ? w_fmt(w, "fs_load_shifted<%d>`%d.%s(%s, %s);", shift, shift, tag, to, from)
               : w_fmt(w, "fs_load`%s(%s, %s);", tag, to, from);
}

/* "first + 4 <= 8190": all rows of this step exist. */
static const char *all_rows(const struct fs_writer *w) {
  if (!w->how->need_ok) return "";
  int rows = w->how->rows * w->how->sides;
  return w_fmt(w, "first + %d <= %s", rows, w_int(w, w->how->m));
}

/* "first * 8192 + j >= 8201 && ...": the vectors that loose loads by one way through an array
 * lie in are within what they may read, in the first and the last of these rows. */
static const char *within(const struct fs_writer *w, const struct fs_access *a, int64_t least,
                          int64_t most, int rows) {
  struct fs_lp_address at = {0};
  int64_t lanes = w->how->lanes, last = a->low + a->reach - 2 * lanes - most;
  fs_lp_add_axes(&at, &w->axes, a->stride);
  for (int x = 0; x < FS_LP_TERMS && rows > 1; x++)
    if (at.term[x].times && !strcmp(at.term[x].index, "i")) at.term[x].index = "first";
  if (rows > 1) last -= (rows - 1) * a->stride[0];
  return w_fmt(w, "%s >= %s && %s <= %s", w_at(w, &at), w_int(w, a->low + lanes - least),
               w_at(w, &at), w_int(w, last));
}

static bool in_one_way(const struct fs_access *a, const struct fs_access *b) {
  return a->low == b->low && a->reach == b->reach &&
         !memcmp(a->stride, b->stride, sizeof a->stride);
}

const char *w_all_within(const struct fs_writer *w, fs_steps need, bool rows) {
  const char *in = "";
  fs_steps loads = W_THOSE(w, need, s, s->kind == FS_SP_LOAD && is_loose(w, s));
  FS_EACH_OF(loads, s) {
    const struct fs_access *a = w_access(w, s);
    fs_steps alike = W_THOSE(w, loads, t, in_one_way(a, w_access(w, t)));
    int64_t least = a->offset, most = least;
    FS_EACH_OF(alike, t) {
      least = FS_MIN(least, w_access(w, t)->offset);
      most = FS_MAX(most, w_access(w, t)->offset);
    }
    int many = rows ? w->how->rows * w->how->sides : 1;
    if (s == *alike) in = w_and(w, in, within(w, a, least, most, many));
  }
  return in;
}

/* "j + 8 <= 8190 && first + 4 <= 8190": shifted loads find whole vectors. Of several axes
 * the last one begins anew behind the end, so that there must be a vector, too. */
const char *w_all_whole(const struct fs_writer *w, fs_steps need, bool rows) {
  int two = 2 * w->how->lanes;
  const char *in = w_fmt(w, "%s + %d <= %s", w_last_axis(w), two, w_int(w, w->how->length));
  if (w->axes.n_inner != 1) in = w_and(w, w_some(w), in);
  in = w_and(w, in, rows ? all_rows(w) : "");
  return w_and(w, in, w_all_within(w, need, rows));
}

/* Loads that w_load_ahead() has under way. */
static bool from_next(const struct fs_writer *w, const struct fs_step *s) {
  return w->how->ahead && s->kind == FS_SP_LOAD && s->phase == 0 && w_val(w, s->out)->varies == 3;
}

bool w_is_shifted_load(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && !w_is_staged(w, s) && !from_next(w, s) && !w_in_ring(w, s) &&
         takes_more(w, s);
}

static const char *load_from_ring(const struct fs_writer *w, const struct fs_step *s) {
  const struct fs_schedule *how = w->how;
  int64_t at = w->how->made[s->out].work, row = how->rows > 1 ? how->stage_bytes / how->rows : 0;
  const char *from = w_at(w, FS_LP_AT({"slot", 1}, {"b", row}, {NULL, at}));
  if (at || row) from = w_fmt(w, "(%s)", from);
  const char *type = w_stored_type(w_access(w, s)->dtype);
  const char *to = w_row_ref(w, s->out);
  const char *j = w->how->cluster > 1 ? "(j - origin)" : "j";
  if (w->how->lanes == 1) return w_fmt(w, "%s = fs_get(((const %s *)%s)[%s]);", to, type, from, j);
  /* the ring has room behind a row, and what is read from there means nothing */
  return w_fmt(w, "%sfs_load(%s, (const %s *)%s + %s);", w->how->tail ? "if (k > 0) " : "", to,
               type, from, j);
}

const char *w_load_text(const struct fs_writer *w, const struct fs_lp *x) {
  if (x->way == FS_LP_SHORT) return load_whole(w, x->step);
  if (w_in_ring(w, x->step)) return load_from_ring(w, x->step);
  if (x->way == FS_LP_AS_IT_IS && is_turned(w, x->step)) return load_turned(w, x);
  return load_vector(w, x->step, w_row_ref(w, x->step->out), x->guard);
}

/* Moves the loaded row in, and starts on the next one. */
static void take_next(const struct fs_writer *w, fs_steps need) {
  fs_steps next = W_THOSE(w, need, s, from_next(w, s));
  if (!*next) return;
  w_for(w, "c", w->how->vectors);
  w_for(w, "e", w->how->lanes);
  const char *at =
      w_fmt(w, "%s%s", w->how->vectors > 1 ? "[c]" : "", w->how->lanes > 1 ? "[e]" : "");
  FS_EACH_OF(next, s) w_line(w, "v%d%s = n%d%s;", s->out, at, s->out, at);
  w_close(w);
  w_close(w);
  w_load_ahead(w, false);
}

void w_declare_loads(const struct fs_writer *w, fs_steps need, bool rows) {
  FS_EACH_OF(need, s) {
    bool both = s->kind == FS_SP_LOAD && w_val(w, s->out)->varies & FS_VARIES_I;
    bool asks = both && (!w_in_ring(w, s) || w->how->rows > 1); /* for its rows */
    /* an earlier phase of the row may have had it */
    if (s->kind != FS_SP_LOAD || fs_lp_has_value(w->lp, s->out)) continue;
    struct fs_lp *x = w_add(w, FS_LP_LET, NULL, NULL);
    x->guard = FS_LP_IF_VECTOR | (asks ? FS_LP_IF_ROW : 0);
    fs_lp_declare(w->lp, x, s->out, FS_LP_VECTORS | FS_LP_LANES | (both ? FS_LP_ROWS : 0));
  }
  if (w->how->ahead && rows) take_next(w, need);
}

/* Shifted loads take the two whole vectors that they lie in, which neighbouring slices and
 * rows share (x[1:end-1], x[2:end]) and the compiler then loads once. The last vectors of a
 * row and the last rows may not be whole: there, one by one. */
void w_loads(const struct fs_writer *w, fs_steps need, bool rows) {
  bool peels = !w_is_placed(w);
  fs_steps loads = W_THOSE(w, need, s, s->kind == FS_SP_LOAD && !w_is_staged(w, s) &&
                                           !from_next(w, s));
  bool stencil = FS_ANY_OF(loads, s, w_is_shifted_load(w, s));
  fs_steps whole = W_THOSE(w, loads, s, stencil && !w_in_ring(w, s) &&
                                            (takes_more(w, s) || (!w_access(w, s)->reach &&
                                                                  is_vector(w, w_access(w, s)))));
  if (!*loads) return;
  w_open_vectors(w);
  FS_EACH_OF(loads, s)
    if (!FS_ANY_OF(whole, other, other == s)) put_load(w, s, rows, FS_LP_AS_IT_IS);
  if (stencil) {
    w_group(w);
    FS_EACH_OF(whole, s) put_load(w, s, rows, FS_LP_LONG);
    if (peels) fs_lp_peel(w->lp, &(const struct fs_lp_peel){.whole = w_all_whole(w, need, rows)});
    w_close(w);
  }
  w_close(w);
}

void w_load_ahead(const struct fs_writer *w, bool first) {
  const char *dims = w_dims(w, FS_LP_VECTORS | FS_LP_LANES);
  if (first) FS_EACH_OF(w->how->brought, s)
    w_line(w, "%s n%d%s%s;", w_value_type(w_val(w, s->out)->dtype), s->out, dims,
           *dims ? " = {}" : " = 0");
  if (first && !w->args->grid) w_block(w, NULL); /* other phases may want more blocks */
  else w_if(w, "%s%s < FS_M", first ? "" : "first + ", first ? w_team(w) : w_teams(w));
  if (first) w_let(w, "const fs_index i = %s;", w_team(w));
  else w_let(w, "const fs_index i = first + %s;", w_teams(w));
  w_put_axes(w, "i", "i", 0, w->axes.n_outer);
  w_for(w, "c", w->how->vectors);
  w_vector_coords(w);
  FS_EACH_OF(w->how->brought, s)
    w_load_vector(w, s, w_fmt(w, w->how->vectors > 1 ? "n%d[c]" : "n%d", s->out));
  w_close(w);
  w_close(w);
}

/* -- stores ------------------------------------------------------------------------ */

/* How far the vectors of a store lie behind a multiple of their size, if only its offset is
 * to blame and a warp's lanes have neighbouring ones, of words at least; else 0. The heat
 * equation on the inside of 4096 x 4096 in f32, which stored element by element, takes an
 * H100 50 us in place of 57. */
static int shift_of_store(const struct fs_writer *w, const struct fs_step *s) {
  if (w->axes.n_inner != 1 || w->how->row_threads % 32 || w->how->pairs) return 0;
  return fs_dtype_size(w_access(w, s)->dtype) >= 4 ? shift_of(w, s) : 0;
}

const char *w_store_text(const struct fs_writer *w, const struct fs_lp *x) {
  const struct fs_step *s = x->step;
  const char *to = pointer(w, s), *from = w_row_ref(w, s->in[0]);
  unsigned others = x->guard & ~(FS_LP_IF_VECTOR | FS_LP_IF_LANE);
  if (w->how->lanes == 1) return w_put_text(w, s, x->guard & ~FS_LP_IF_LANE);
  if (!(w_over(w, s->in[0]) & FS_LP_LANES)) from = w_fmt(w, "x%d", w_number(w, s));
  int shift = shift_of_store(w, s);
  if (!shift) return move_vector(w, s, "store", to, from, x->guard);
  return w_guarded(w, others,
                   w_fmt(w, "fs_store_shifted<%d>`%s(%s, %s, %s);", shift,
                         vector_tag(w, w_access(w, s)), to, from, w_lanes_left(w, x->guard)));
}

void w_stores(const struct fs_writer *w, fs_steps need) {
  FS_EACH_OF(need, s) {
    if (s->kind != FS_SP_STORE || w_is_staged(w, s)) continue;
    w_add(w, FS_LP_STORE, s, NULL)->guard =
        FS_LP_IF_VECTOR | FS_LP_IF_LANE |
        (!w_mode(w)->rows                       ? FS_LP_IF_OWN_TILE
         : w_access(w, s)->varies & FS_VARIES_I ? FS_LP_IF_ROW
                                                : FS_LP_IF_FIRST_ROW);
  }
}
