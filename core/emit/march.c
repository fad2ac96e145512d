/* march.c - writes a kernel of the march scheme (core/schedule/march.c): what its
 * roles do, into elemlib/scheme/march.cuh.
 *
 * In this scheme i counts the columns of the matrix in memory and j its rows. A
 * worker has V neighbouring i (lanes e) of B rows j, FS_SIDE apart. Values live:
 *   of j alone     v0[b], computed once, before the panels
 *   of i alone     v0[e], anew for each panel; those that come of a column's sums
 *                  are finished by one block and sent to all
 *   of both        v0[e], within the loop over the rows
 *   sums over j    r0[e], sent off after each panel
 *   sums over i    r0[b], to the end; of floats only over SHORT panels, then in f0[b]:
 *                  one chain of additions over all columns would round most
 *
 * The text that is compiled quickly (em.quick) has the same sums in the same order, in
 * elemlib/scheme/march_quick.cuh: there is nothing to wait for but barriers of all
 * threads, and all rows of a panel wait in registers, in held0[b].
 */
#include "core/emit/writer.h"

enum { SHORT = 16 }; /* panels whose columns are summed one after the other */

struct march {
  struct em *em;
  struct fs_march cut;
  bool *need;         /* per step: wanted in the part being written */
  int made, again;    /* of rows and columns: what the first look has made of the only
                         matrix and leaves in its place, and what the second calls
                         it; -1: the matrix itself is left */
  bool guard_i, guard_j;
  bool short_ways;    /* quick.c: sums come after what the lanes make */
  struct fs_schedule first; /* of the first look, which may compute on two neighbours at once
                               (kernel/pairs.c) */
  const struct fs_schedule *second; /* ... and of all else */
};

static const struct fs_step *step_of(const struct em *em, int v) {
  int d = em->how->made[v].def;
  return d < 0 ? NULL : &em->k->steps.data[d];
}
static uint8_t varies(const struct em *em, int v) {
  return em_val(em, v)->varies;
}
static const char *type_of(const struct em *em, int v) {
  return em_value_type(em_val(em, v)->dtype);
}
static int words(const struct em *em, int v) {
  return fs_sum_bytes(em_val(em, v)) / 4;
}
static bool is_column_sum(const struct fs_step *s) {
  return s->kind == FS_SP_REDUCE && s->over == FS_VARIES_J;
}
static bool is_row_sum(const struct fs_step *s) {
  return s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I;
}
/* Whether sums of SHORT panels each are summed. */
static bool has_sums_of_sums(const struct march *c, const struct fs_step *s) {
  return is_row_sum(s) && s->op == FS_RD_SUM && c->cut.panels > SHORT &&
         fs_dtype_is_float(em_val(c->em, s->out)->dtype);
}
static bool is_matrix_load(const struct em *em, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && varies(em, s->out) == 3;
}

/* "j < 5000", "i < 12000": whether this row, this column is one of the matrix; ""
 * where all are. */
static const char *row_exists(const struct march *c) {
  struct em *em = c->em;
  return c->guard_j ? em_fmt(em, "j < %s", em_int(em, em->how->n)) : "";
}
static const char *column_exists(const struct march *c, const char *name) {
  struct em *em = c->em;
  return c->guard_i ? em_fmt(em, "%s < %s", name, em_int(em, em->how->m)) : "";
}

/* -- messages ---------------------------------------------------------------- */

static int clusters(const struct march *c) { return c->cut.blocks / c->cut.cluster; }

static const char *posts_of_sum(struct march *c, int v) {
  const char *round = em_fmt(c->em, "(FS_PLACE(p, %d) * FS_CLUSTER + rank)", FS_MARCH_ROUNDS);
  return em_at(c->em, FS_LP_AT({"posts", 1}, {NULL, c->em->how->made[v].work},
                               {round, fs_march_words(&c->cut) * words(c->em, v)}));
}

/* -- shared memory ------------------------------------------------------------- */

struct room {
  int64_t kept, held, part, team, mail, end; /* where each begins */
  int64_t teams, mails; /* bytes of a panel's sums in a cluster, and finished */
};

static int64_t tile_row(const struct march *c) {
  int64_t bytes = 0;
  const struct em *em = c->em;
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_matrix_load(em, &em->k->steps.data[i])) bytes += 16 * c->cut.lanes;
  return bytes;
}

static struct room rooms(const struct march *c) {
  const struct em *em = c->em;
  const struct fs_march *p = &c->cut;
  struct room r = {0};
  int64_t row = tile_row(c);
  for (int v = 0; v < em->k->values.len; v++) {
    const struct fs_step *s = step_of(em, v);
    if (!s) continue;
    int64_t size = fs_sum_bytes(em_val(em, v));
    if (is_column_sum(s)) r.teams += p->width * size;
    if (em->how->made[v].saved) r.mails += p->width * size;
  }
  r.held = r.kept + row * (p->height - p->held) * p->slots;
  r.part = r.held + row * p->held * p->shorts;
  r.team = r.part + 8 * r.teams * p->parts;
  r.mail = r.team + r.teams * p->mails;
  r.end = r.mail + r.mails * p->mails;
  return r;
}

/* An array of rows of a panel's columns in the ring; gives the bytes of it. */
static int64_t name_rows(struct march *c, const char *name, int v, int rows,
                         const char *side, int64_t at) {
  struct em *em = c->em;
  const char *type = em_acc_type(em, v);
  em_line(em, "%s(*const %s%d)%s[FS_WIDTH] = (%s(*)%s[FS_WIDTH])(ring + %lld);", type,
          name, v, side, type, side, (long long)at);
  return (int64_t)rows * c->cut.width * fs_sum_bytes(em_val(em, v));
}

static void name_shared(struct march *c) {
  struct em *em = c->em;
  struct room r = rooms(c);
  for (int v = 0; v < em->k->values.len; v++) {
    const struct fs_step *s = step_of(em, v);
    if (!s) continue;
    if (is_column_sum(s)) {
      r.part += name_rows(c, "part", v, 8 * c->cut.parts, "[8]", r.part);
      r.team += name_rows(c, "team", v, c->cut.mails, "", r.team);
    }
    if (em->how->made[v].saved) r.mail += name_rows(c, "mail", v, c->cut.mails, "", r.mail);
  }
}

/* -- tiles ------------------------------------------------------------------------ */

/* The tensor map of a load: the rows of a tile that are kept, or the others. */
static int add_map(struct em *em, const struct fs_step *s, int slot, int box) {
  struct fs_emitted *o = em->out;
  const struct fs_access *a = em_access(em, s);
  o->maps = fs_realloc(o->maps, sizeof *o->maps * (size_t)(o->n_maps + 1));
  o->maps[o->n_maps] = (struct fs_emitted_map){.slot = slot,
                                               .dtype = a->dtype,
                                               .offset = a->offset,
                                               .columns = em->how->m,
                                               .rows = em->how->n,
                                               .stride = a->stride[1],
                                               .box_columns = em->how->row_threads * em->how->lanes,
                                               .box_rows = box};
  return o->n_maps++;
}

/* What is read once, and nothing written, need not stay in the second-level cache;
 * where rows are stored, too, those are to leave it first (schedule/cache.c). */
static const char *policy(const struct em *em) {
  return em->how->lasts ? "fs_cache_lasts()" : "fs_cache_passes()";
}

static void fetch(struct march *c, const char *ring, int64_t base, int64_t rows,
                  int64_t skip, const char *slots) {
  struct em *em = c->em;
  int64_t row = tile_row(c), at = 0;
  const char *below = skip ? em_fmt(em, " + %lld", (long long)skip) : "";
  em_block(em, NULL);
  em_say(em, FS_LP_LET, NULL, "const int s = FS_PLACE(k, %s);", slots);
  em_if_bare(em, "k >= %s", slots);
  em_say(em, FS_LP_WAIT, NULL, "fs_mbarrier_wait(&gate.%s_free[s], fs_turn<%s>(k - %s));", ring,
         slots, slots);
  em_close(em);
  em_line(em, "fs_mbarrier_expect(&gate.%s[s], %lld);", ring, (long long)(row * rows));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_matrix_load(em, s)) continue;
    int slot = em_slot_argument(em, em_access(em, s)->slot, 0);
    const char *to = em_at(em, FS_LP_AT({"ring", 1}, {NULL, base + at}, {"s", row * rows}));
    em_say(em, FS_LP_COPY_ASYNC, s,
           "fs_tensor_copy(%s, m%d, k * FS_WIDTH, row%s, &gate.%s[s], %s);", to,
           add_map(em, s, slot, (int)rows), below, ring, policy(em));
    at += (int64_t)16 * c->cut.lanes * rows;
  }
  em_close(em);
}

static void fetches(struct march *c) {
  struct room r = rooms(c);
  int64_t kept = c->cut.height - c->cut.held;
  em_go(c->em, EM_FETCH);
  if (c->cut.held) fetch(c, "held", r.held, c->cut.held, kept, "FS_SHORT");
  fetch(c, "kept", r.kept, kept, 0, "FS_SLOTS");
}

/* -- sums of columns ---------------------------------------------------------------- */

static void sends(struct march *c) {
  struct em *em = c->em;
  int warps = c->cut.lanes >= 32 ? c->cut.side : c->cut.workers / 32;
  em_go(em, EM_SEND);
  em_loop(em, FS_LP_BLOCK_AXIS, "unsigned i = lane; i < FS_WIDTH; i += 32");
  for (int x = 0; x < em->k->steps.len; x++) {
    const struct fs_step *s = &em->k->steps.data[x];
    if (!is_column_sum(s)) continue;
    const char *op = em_op_class(s->op), *part = em_fmt(em, "part%d[s]", s->out);
    em_line(em, "%s x%d = %s[0][i];", em_acc_type(em, s->out), s->out, part);
    em_line(em, "for (int w = 1; w < %d; w++) x%d = %s::of(x%d, %s[w][i]);",
            warps, s->out, op, s->out, part);
    em_line(em, "fs_cluster_%s<FS_CLUSTER>(&team%d[m][rank * FS_COLUMNS + i %% "
            "FS_COLUMNS], x%d, i / FS_COLUMNS%s);", em->quick ? "put" : "send", s->out,
            s->out, em->quick ? "" : ", &gate.team[m]");
  }
  em_close(em);
}

static void gathers(struct march *c) {
  struct em *em = c->em;
  em_go(em, EM_GATHER);
  for (int x = 0; x < em->k->steps.len; x++) {
    const struct fs_step *s = &em->k->steps.data[x];
    if (!is_column_sum(s)) continue;
    const char *op = em_op_class(s->op);
    em_line(em, "%s x%d = %s;", em_acc_type(em, s->out), s->out, em_neutral(em, s));
    em_line(em, "for (int k = lane; k < FS_WIDTH; k += 32) x%d = %s::of(x%d, "
            "team%d[m][k]);", s->out, op, s->out, s->out);
    em_line(em, "x%d = fs_fold_lanes<%s, FS_COLUMNS>(x%d);", s->out, op, s->out);
    em_line(em, "if (lane < FS_COLUMNS)");
    em_line(em, "  fs_post<%lld>(%s + (team * FS_COLUMNS + lane), x%d, round + p);",
            (long long)fs_march_words(&c->cut), posts_of_sum(c, s->out), s->out);
  }
}

/* Marks what value v is made of, as far as it must be made here. */
static void want(struct march *c, int value, bool finishing) {
  const struct em *em = c->em;
  int v = em->how->made[value].alias;
  const struct fs_step *s = step_of(em, v);
  if (!s || em->how->made[v].uniform || s->kind == FS_SP_REDUCE) return;
  if (!finishing && (em->how->made[v].saved || varies(em, v) == FS_VARIES_J || v == c->again))
    return;
  c->need[em->how->made[v].def] = true;
  FS_EACH_IN(s, a) want(c, s->in[a], finishing);
}

static void forget(struct march *c) {
  memset(c->need, 0, sizeof(bool) * (size_t)c->em->k->steps.len);
}

static bool is_column_store(const struct em *em, const struct fs_step *s) {
  return s->kind == FS_SP_STORE && s->phase != FS_END &&
         em_access(em, s)->varies == FS_VARIES_I;
}

static void scalar(struct em *em, const struct fs_step *s, const char *guard) {
  const char *x = s->kind == FS_SP_LOAD
                      ? em_fmt(em, "fs_get(a%d[%s])", s->access, em_address(em, em_access(em, s)))
                      : em_rhs(em, s, NULL);
  if (s->kind == FS_SP_LOAD && *guard)
    x = em_fmt(em, "%s ? %s : (%s)0", guard, x, type_of(em, s->out));
  struct em_value *v = &em->v[s->out];
  v->b = v->c = v->e = false;
  em_line(em, "const %s v%d = %s;", type_of(em, s->out), s->out, x);
}

/* By a warp, a lane to each of the block's columns (as often as there are lanes). */
static void finishes(struct march *c) {
  struct em *em = c->em;
  const struct fs_kernel *k = em->k;
  const char *in = column_exists(c, "i");
  em_go(em, EM_FINISH);
  forget(c);
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (is_column_store(em, s)) want(c, s->in[0], true);
    if (s->out >= 0 && em->how->made[s->out].saved) want(c, s->out, true);
  }
  /* What needs no sum comes before the wait. */
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < k->steps.len; i++) {
      const struct fs_step *s = &k->steps.data[i];
      if (pass == 1 && is_column_sum(s)) {
        em->v[s->out].b = em->v[s->out].c = em->v[s->out].e = false;
        const char *dt = em_acc_type(em, s->out);
        const char *sum = em_fmt(
            em, "fs_sum_posted%s<%s, FS_CLUSTERS, FS_COLUMNS>(%s, round + p, (%s)%s)",
            em->quick ? "_each" : "", em_op_class(s->op), posts_of_sum(c, s->out), dt,
            em_neutral(em, s));
        em_line(em, "const %s x%d = %s;", dt, s->out, sum);
        em_line(em, "const %s v%d = %s;", type_of(em, s->out), s->out,
                em_finished(em, s->out, em_fmt(em, "x%d", s->out)));
      }
      if (c->need[i] && (s->kind == FS_SP_LOAD) == (pass == 0)) scalar(em, s, in);
    }
  }
  em_loop(em, FS_LP_BLOCK_AXIS, "int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS");
  for (int v = 0; v < k->values.len; v++)
    if (em->how->made[v].saved)
      em_line(em, "fs_cluster_%s<FS_CLUSTER>(&mail%d[m][rank * FS_COLUMNS + lane %% "
              "FS_COLUMNS], (%s)%s, k%s);", em->quick ? "put" : "send", v,
              em_acc_type(em, v), em_ref(em, v),
              em->quick ? "" : ", &gate.mail[m]");
  em_close(em);
  bool any = false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (!is_column_store(em, s)) continue;
    if (!any)
      em_if(em, "%s", em_and(em, "lane < FS_COLUMNS && "
                                          "team == FS_PLACE(p, FS_CLUSTERS)",
                                      in));
    any = true;
    em_line(em, "fs_put(a%d[%s], %s);", s->access, em_address(em, em_access(em, s)),
            em_ref(em, s->in[0]));
  }
  if (any) em_close(em);
}

/* -- rows ------------------------------------------------------------------------- */

/* Packs of halves wait in registers as words: the compiler would keep and move each half
 * alone (16384 x 16384 in bf16 on an H200: SGEMVT 139 us, 149 by halves). Not those of
 * floats and doubles, whose code is laid out anew for nothing: SGEMVT 260 us and 256, 569
 * and 524. */
static bool has_words(const struct march *c) {
  return c->cut.held && c->em->how->lanes == 8 && !c->em->quick;
}

/* How many panels the loop over them is written for: one, and what waits in registers
 * moves on with each (16384 x 16384 in f32 on an H200, and written for all that wait, six:
 * GEMVER 569.3 us and 570.0, SGEMVT 269.8 and 269.2; NVRTC takes 190 ms and 590, 155 and
 * 335); but for half types those moves are too many beside what a panel takes, unless there
 * is a panel to write besides: two, between which nothing moves (SGEMVT in bf16, written for
 * one, two and six: 148.7 us, 139.9 and 139.2; NVRTC takes 226 ms, 305 and 595). */
static int written(const struct march *c) {
  bool writes = false;
  for (int i = 0; i < c->em->k->steps.len; i++) {
    const struct fs_step *s = &c->em->k->steps.data[i];
    writes |= s->kind == FS_SP_STORE && em_access(c->em, s)->varies == 3;
  }
  return has_words(c) && !writes ? FS_MIN(2, c->cut.lag) : 1;
}

static const char *pack_of(struct em *em, const struct fs_step *s) {
  return em_fmt(em, "fs_pack<%s, %d>", em_stored_type(em_access(em, s)->dtype), em->how->lanes);
}

static const char *row_number(struct em *em) {
  return em->how->rows > 1 ? "const fs_index j = row + b * FS_SIDE + side;"
                   : "const fs_index j = row + side;";
}

/* ... or any other where that does not exist: nobody uses what is made of it. */
static const char *some_row(struct em *em) {
  return em_fmt(em, "const fs_index own = row + %sside, j = own < %s ? own : 0;",
                em->how->rows > 1 ? "b * FS_SIDE + " : "", em_int(em, em->how->n));
}

static void row_values(struct march *c) {
  struct em *em = c->em;
  const struct fs_kernel *k = em->k;
  bool any = false;
  em_go(em, EM_ROWS);
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (em->quick && is_matrix_load(em, s))
      em_line(em, "%s held%d[%d];", pack_of(em, s), s->out, em->how->rows);
    else if (c->cut.held && is_matrix_load(em, s))
      em_line(em, "%s held%d[FS_LAG%s][FS_HELD / FS_SIDE];",
              has_words(c) ? "fs_words" : pack_of(em, s), s->out,
              written(c) < c->cut.lag ? " + FS_WRITTEN" : "");
    if (is_row_sum(s)) {
      em->v[s->out].b = true;
      em_declare_acc(em, s, true, false, false);
      if (has_sums_of_sums(c, s))
        em_line(em, "%s f%d%s = {};", em_acc_type(em, s->out), s->out,
                em_dims(em, true, false, false));
      continue;
    }
    if (s->out < 0 || s->phase == FS_END || em->how->made[s->out].alias != s->out ||
        varies(em, s->out) != FS_VARIES_J)
      continue;
    any = true;
    em->v[s->out].b = true;
    em_line(em, "%s v%d%s;", type_of(em, s->out), s->out, em_dims(em, true, false, false));
  }
  if (!any) return;
  em_for(em, "b", em->how->rows);
  if (em->how->rows == 1) em_block(em, NULL);
  em_line(em, "%s", c->guard_j ? some_row(em) : row_number(em));
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->out < 0 || s->phase == FS_END || em->how->made[s->out].alias != s->out ||
        s->kind == FS_SP_REDUCE || varies(em, s->out) != FS_VARIES_J)
      continue;
    const char *x = em_rhs(em, s, NULL);
    if (s->kind == FS_SP_LOAD) {
      x = em_fmt(em, "fs_get(a%d[%s])", s->access, em_address(em, em_access(em, s)));
    }
    em_line(em, "%s = %s;", em_ref(em, s->out), x);
  }
  em_close(em);
}

/* -- panels ------------------------------------------------------------------------ */

static bool is_both_store(const struct em *em, const struct fs_step *s, int phase) {
  return s->kind == FS_SP_STORE && s->phase == phase &&
         em_access(em, s)->varies == 3;
}

static void want_phase(struct march *c, int phase) {
  const struct em *em = c->em;
  forget(c);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool root = is_both_store(em, s, phase) ||
                (s->kind == FS_SP_REDUCE && s->phase == phase);
    if (!root) continue;
    FS_EACH_IN(s, a) want(c, s->in[a], false);
  }
}

static bool wants_matrix(struct march *c, int phase) {
  bool any = false;
  want_phase(c, phase);
  for (int i = 0; i < c->em->k->steps.len; i++)
    any |= c->need[i] && is_matrix_load(c->em, &c->em->k->steps.data[i]);
  return any;
}

/* A value from which alone, of rows and columns, the second look makes what it needs:
 * it need not be computed again, of columns that would have to be read again. */
static void find_made(struct march *c) {
  const struct em *em = c->em;
  int64_t size = 0, loads = 0;
  enum fs_dtype brought = FS_BOOL;
  c->made = c->again = -1;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_matrix_load(em, s)) continue;
    brought = em_access(em, s)->dtype;
    size = (int64_t)fs_dtype_size(brought);
    loads++;
  }
  for (int v = em->k->values.len - 1; v >= 0 && loads == 1; v--) {
    const struct fs_step *s = step_of(em, v);
    int same = em_val(em, v)->same_as;
    if (!s || s->kind != FS_SP_MAP || s->phase != 1 || same < 0 || varies(em, v) != 3 ||
        em->how->made[v].alias != v || em_val(em, v)->dtype == FS_BOOL ||
        (em_val(em, v)->dtype != brought && fs_sum_bytes(em_val(em, v)) != size))
      continue;
    c->again = -1;
    want_phase(c, 1);
    if (!c->need[em->how->made[v].def]) continue;
    want_phase(c, 0);
    c->made = em->how->made[same].alias;
    if (em->how->made[c->made].def < 0 || !c->need[em->how->made[c->made].def]) continue;
    c->again = v;
    if (!wants_matrix(c, 1)) return;
  }
  c->made = c->again = -1;
}

static bool is_vector(const struct march *c, const struct fs_access *a);

/* Whether a step of the first look can have pairs of dt in its lanes. */
static bool fits_pairs(const struct march *c, const struct fs_step *s, enum fs_dtype dt) {
  const struct em *em = c->em;
  if (s->access >= 0)
    return em_access(em, s)->dtype == dt && is_vector(c, em_access(em, s)) &&
           em_val(em, s->out >= 0 ? s->out : s->in[0])->dtype == dt;
  FS_EACH_IN(s, a)
    if (em_val(em, s->in[a])->dtype != dt) return false;
  if (s->kind == FS_SP_REDUCE) return true;
  return s->kind == FS_SP_MAP && em_val(em, s->out)->dtype == dt && fs_is_paired(s->op);
}

/* Pairs are for what is computed of rows and columns: sums alone have nothing of it. */
static bool finds_pairs(struct march *c) {
  const struct em *em = c->em;
  enum fs_dtype dt = FS_BOOL;
  bool maps = false;
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_matrix_load(em, &em->k->steps.data[i]))
      dt = em_val(em, em->k->steps.data[i].out)->dtype;
  if (!fs_dtype_is_half(dt)) return false;
  want_phase(c, 0);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool root = is_both_store(em, s, 0) || (s->kind == FS_SP_REDUCE && s->phase == 0);
    bool made = c->need[i] && s->out >= 0 && varies(em, s->out) & FS_VARIES_I;
    if ((root || made) && !fits_pairs(c, s, dt)) return false;
    maps |= made && s->kind == FS_SP_MAP && varies(em, s->out) == 3;
  }
  return maps;
}

/* V neighbours of a vector along i that lie side by side. */
static bool is_vector(const struct march *c, const struct fs_access *a) {
  return a->stride[0] == 1 && a->offset % c->em->how->lanes == 0 && c->em->how->lanes > 1 &&
         c->em->how->m % c->em->how->lanes == 0 &&
         (int)fs_dtype_size(a->dtype) * c->em->how->lanes <= 16;
}

static void column_value(struct march *c, const struct fs_step *s) {
  struct em *em = c->em;
  struct em_value *x = &em->v[s->out];
  x->b = x->c = false;
  x->e = true;
  const char *in = column_exists(c, "i");
  em_line(em, "%s v%d%s%s;", em_lane_type(em, s->out), s->out,
          em_dims(em, false, false, true),
          c->guard_i && s->kind == FS_SP_LOAD ? " = {}" : "");
  if (s->kind == FS_SP_LOAD && is_vector(c, em_access(em, s))) {
    if (*in) em_if_bare(em, "%s", in);
    em_line(em, "fs_load(v%d, a%d + %s);", s->out, s->access, em_address(em, em_access(em, s)));
    if (*in) em_close(em);
    return;
  }
  const char *rhs = s->kind == FS_SP_LOAD
                        ? em_fmt(em, "fs_get(a%d[%s])", s->access, em_address(em, em_access(em, s)))
                        : em_rhs(em, s, NULL);
  em_for(em, "e", em_lanes(em));
  if (s->kind != FS_SP_MAP) {
    if (em->how->lanes == 1) em_block(em, NULL);
    em_say(em, FS_LP_LET, NULL, "const fs_index i = first + e;");
    if (*in && s->kind == FS_SP_LOAD)
      rhs = em_fmt(em, "%s ? %s : (%s)0", in, rhs, type_of(em, s->out));
  }
  em_line(em, "%s = %s;", em_ref(em, s->out), rhs);
  if (s->kind != FS_SP_MAP && em->how->lanes == 1) em_close(em);
  em_close_for(em, em_lanes(em));
}

/* Values of i alone: loaded, computed, or come by mail. */
static void column_values(struct march *c, int phase) {
  struct em *em = c->em;
  for (int v = 0; v < em->k->values.len && phase > 0; v++) {
    if (!em->how->made[v].saved) continue;
    em->v[v].e = true;
    em->v[v].b = em->v[v].c = false;
    const char *type = type_of(em, v);
    em_line(em, "%s v%d%s;", type, v, em_dims(em, false, false, true));
    if (em->how->lanes > 1)
      em_line(em, "fs_load(v%d, &mail%d[FS_PLACE(q, FS_MAILS)][part * %d]);", v, v, em->how->lanes);
    else
      em_line(em, "v%d = mail%d[FS_PLACE(q, FS_MAILS)][part];", v, v);
  }
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (c->need[i] && s->out >= 0 && varies(em, s->out) == FS_VARIES_I)
      column_value(c, s);
  }
}

/* Tiles of the rows in shared memory, and of those that the first look takes to
 * registers. */
static void tile_pointers(struct march *c, int phase) {
  struct em *em = c->em;
  int64_t row = tile_row(c);
  const char *place = phase ? "FS_PLACE(q, FS_SLOTS)" : "FS_PLACE(p, FS_SLOTS)";
  em_line(em, "%sunsigned char *const kept = %s;", !phase && c->made >= 0 ? "" : "const ",
          em_at(em, FS_LP_AT({"ring", 1}, {place, row * (c->cut.height - c->cut.held)})));
  if (c->cut.held && !phase)
    em_line(em, "const unsigned char *const brought = %s;",
            em_at(em, FS_LP_AT({"ring", 1}, {NULL, rooms(c).held},
                               {"FS_PLACE(p, FS_SHORT)", row * c->cut.held})));
}

/* Where the packs of a tile's rows b begin, and the number b from which on they are
 * not there. */
static const char *kept_rows(struct march *c, int64_t number) {
  struct em *em = c->em;
  int64_t line = 16 * c->cut.lanes, kept = c->cut.height - c->cut.held;
  return em_at(em, FS_LP_AT({"kept", 1}, {NULL, number * line * kept},
                            {em->how->rows > 1 ? "(b * FS_SIDE + side)" : "side", line}));
}

static int turn_of(const struct march *c) {
  return (c->cut.height - c->cut.held) / c->cut.side;
}

static const char *held_row(struct march *c, int v, int phase) {
  int turn = turn_of(c);
  bool moves = !phase && written(c) < c->cut.lag;
  return em_fmt(c->em, "held%d[%s][b < %d ? 0 : b - %d]", v, moves ? "FS_LAG + d" : "d",
                turn, turn);
}

/* In the text that is compiled quickly: where a thread has its pack of row b. */
static const char *pack_held(struct em *em, const struct fs_step *s) {
  return em_fmt(em, "held%d[%s]", s->out, em->how->rows > 1 ? "b" : "0");
}

/* ... and how it comes there, with zeros where it leaves the matrix. */
static void bring(struct march *c, const struct fs_step *s) {
  struct em *em = c->em;
  const char *at = em_fmt(em, "a%d + %s", s->access, em_address(em, em_access(em, s)));
  const char *in = em_and(em, row_exists(c), column_exists(c, "first"));
  const char *pack = pack_of(em, s);
  if (!c->guard_i || em->how->m % em->how->lanes == 0) {
    if (*in) em_line(em, "%s = {};", pack_held(em, s));
    em_line(em, "%s%s%s%s = *(const %s *)(%s);", *in ? "if (" : "", in, *in ? ") " : "",
            pack_held(em, s), pack, at);
    return;
  }
  em_line(em, "%s = {};", pack_held(em, s));
  em_for(em, "e", em->how->lanes);
  if (em->how->lanes == 1) em_block(em, NULL);
  em_say(em, FS_LP_LET, NULL, "const fs_index i = first%s;", em->how->lanes > 1 ? " + e" : "");
  em_line(em, "if (%s) %s.e[%s] = *(%s);", em_and(em, row_exists(c), column_exists(c, "i")),
          pack_held(em, s), em->how->lanes > 1 ? "e" : "0", at);
  em_close(em);
}

/* Lanes of value v, of what load s has brought or of what was made of it. */
static void tile_load(struct march *c, const struct fs_step *s, int64_t number, int phase, int v) {
  struct em *em = c->em;
  int64_t line = 16 * c->cut.lanes;
  int turn = turn_of(c);
  const char *pack = has_words(c) ? "fs_words" : pack_of(em, s);
  const char *at = kept_rows(c, number);
  struct em_value *x = &em->v[v];
  x->b = x->c = false;
  x->e = true;
  if (em->quick) {
    em_line(em, "%s v%d%s;", em_lane_type(em, v), v, em_dims(em, false, false, true));
    em_line(em, "fs_load(v%d, %s.e);", v, pack_held(em, s));
    return;
  }
  if (c->cut.held && !phase)
    at = em_fmt(em, "b < %d ? %s : %s", turn, at,
                em_at(em, FS_LP_AT({"brought", 1}, {NULL, number * line * c->cut.held},
                                   {em_fmt(em, "((b - %d) * FS_SIDE + side)", turn), line})));
  const char *from = em_fmt(em, "((const %s *)(%s))[part]", pack, at);
  if (c->cut.held && phase)
    from = em_fmt(em, "b < %d ? %s : %s", turn, from, held_row(c, s->out, phase));
  em_line(em, "const %s x%d = %s;", pack, v, from);
  if (c->cut.held && !phase && c->made < 0)
    em_line(em, "if (b >= %d) %s = x%d;", turn, held_row(c, s->out, 0), v);
  em_line(em, "%s v%d%s;", em_lane_type(em, v), v, em_dims(em, false, false, true));
  if (has_words(c)) em_line(em, "fs_load_words<%s>(v%d, x%d);", pack_of(em, s), v, v);
  else em_line(em, "fs_load(v%d, x%d.e);", v, v);
}

/* What was made of a load takes its place. */
static void leave_made(struct march *c, const struct fs_step *s) {
  struct em *em = c->em;
  const char *pack = pack_of(em, s), *at = kept_rows(c, 0);
  em_line(em, "%s made;", pack);
  em_line(em, "fs_store(made.e, v%d);", c->made);
  if (em->quick) {
    em_line(em, "%s = made;", pack_held(em, s));
    return;
  }
  if (c->cut.held)
    em_line(em, "if (b >= %d) %s = %s;", turn_of(c), held_row(c, s->out, 0),
            has_words(c) ? "fs_words_of(made)" : "made");
  em_line(em, "%s((%s *)(%s))[part] = made;", c->cut.held ? "else " : "", pack, at);
}

/* Sums of columns where some rows do not exist: after the lanes, behind one test for all
 * that a row has to do (GEMVER in f32: NVRTC takes 190 ms, 208 with a test for each). */
static bool is_apart(const struct march *c, const struct fs_step *s) {
  return is_column_sum(s) && c->guard_j;
}

/* Whether all lanes of a value are wanted when they are done. */
static bool is_stored(const struct march *c, int v, int phase) {
  const struct em *em = c->em;
  if (!phase && v == c->made) return true;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    bool sum = s->kind == FS_SP_REDUCE && s->phase == phase;
    if (!is_both_store(em, s, phase) && !(sum && (is_apart(c, s) || c->short_ways)))
      continue;
    FS_EACH_IN(s, a)
      if (em->how->made[s->in[a]].alias == v) return true;
  }
  return false;
}

/* Whether a step has a part in the loop over the lanes. */
static bool is_lane_step(const struct march *c, const struct fs_step *s, int phase) {
  if (s->kind == FS_SP_REDUCE) return s->phase == phase && !is_apart(c, s);
  return c->need[s - c->em->k->steps.data] && s->kind != FS_SP_LOAD && s->out >= 0 &&
         varies(c->em, s->out) == 3;
}

/* One more term for each element of the lane. */
static void accumulate(struct march *c, const struct fs_step *s) {
  struct em *em = c->em;
  bool column = is_column_sum(s);
  int many = column ? em->how->lanes : em->how->rows;
  const char *own = column ? "" : column_exists(c, "i");
  for (int half = em->how->pairs ? 0 : -1; half < (em->how->pairs ? 2 : 0); half++) {
    const char *acc = em_fmt(em, many == 1 ? "r%d" : column ? "r%d[e]" : "r%d[b]", s->out);
    if (column && em->how->pairs) acc = em_fmt(em, "r%d[2 * e + %d]", s->out, half);
    if (*own) em_line(em, "if (%s)", own);
    em_line(em, "%s%s", *own ? "  " : "", em_accumulate(em, s, acc, half));
  }
}

enum part { MAPS = 1, SUMS = 2 };

static bool is_in(const struct march *c, const struct fs_step *s, int phase, int parts) {
  return is_lane_step(c, s, phase) && (parts & (s->kind == FS_SP_REDUCE ? SUMS : MAPS));
}

static void lane_step(struct march *c, const struct fs_step *s, int phase) {
  struct em *em = c->em;
  const char *rhs = em_rhs(em, s, NULL);
  struct em_value *x = &em->v[s->out];
  x->b = x->c = false;
  x->e = is_stored(c, s->out, phase);
  if (x->e) em_line(em, "%s = %s;", em_ref(em, s->out), rhs);
  else em_line(em, "const %s v%d = %s;", em_lane_type(em, s->out), s->out, rhs);
}

static void lane_loop(struct march *c, int phase, int parts) {
  struct em *em = c->em;
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= is_in(c, &em->k->steps.data[i], phase, parts);
  if (!any) return;
  em_for(em, "e", em_lanes(em));
  if (em->how->lanes == 1) em_block(em, NULL);
  if (!em->how->pairs)
    em_line(em, em->how->lanes > 1 ? "const fs_index i = first + e;" : "const fs_index i = first;");
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_in(c, s, phase, parts)) continue;
    if (s->kind == FS_SP_REDUCE) accumulate(c, s);
    else lane_step(c, s, phase);
  }
  em_close(em);
}

/* The maps that the lanes make. */
static bool *find_maps(const struct march *c, int phase) {
  const struct fs_kernel *k = c->em->k;
  bool *maps = fs_calloc((size_t)k->steps.len + 1, sizeof(bool));
  for (int i = 0; i < k->steps.len; i++) maps[i] = is_in(c, &k->steps.data[i], phase, MAPS);
  return maps;
}

static void find_short_ways(struct march *c, int phase) {
  bool *maps = find_maps(c, phase);
  c->short_ways = em_takes_short_ways(c->em, maps);
  free(maps);
}

static void lanes(struct march *c, int phase) {
  struct em *em = c->em;
  if (!c->short_ways) {
    lane_loop(c, phase, MAPS | SUMS);
    return;
  }
  bool *maps = find_maps(c, phase);
  em_begin_short(em, maps);
  lane_loop(c, phase, MAPS);
  em_if(em, "%s", em_end_short(em, maps));
  em->way = EM_LONG;
  lane_loop(c, phase, MAPS);
  em->way = EM_AS_IT_IS;
  em_close(em);
  lane_loop(c, phase, SUMS);
  free(maps);
}

static void sums_apart(struct march *c) {
  struct em *em = c->em;
  em_for(em, "e", em_lanes(em));
  for (int i = 0; i < em->k->steps.len; i++)
    if (is_apart(c, &em->k->steps.data[i])) accumulate(c, &em->k->steps.data[i]);
  em_close_for(em, em_lanes(em));
}

static void both_stores(struct march *c, int phase) {
  struct em *em = c->em;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_both_store(em, s, phase)) continue;
    const struct fs_access *a = em_access(em, s);
    bool lanes = em->v[em->how->made[s->in[0]].alias].e;
    if (lanes && is_vector(c, a)) {
      const char *in = column_exists(c, "first");
      if (*in) em_if(em, "%s", in);
      else em_block(em, NULL);
      em_say(em, FS_LP_LET, NULL, "const fs_index i = first;");
      em_line(em, "fs_store(a%d + %s, v%d);", s->access, em_address(em, a),
              em->how->made[s->in[0]].alias);
      em_close(em);
      continue;
    }
    em_loop(em, FS_LP_LANE, "int e = 0; e < %d; e++", em->how->lanes);
    em_say(em, FS_LP_LET, NULL, "const fs_index i = first + e;");
    const char *in = column_exists(c, "i");
    if (*in) em_line(em, "if (%s)", in);
    em_line(em, "%sfs_put(a%d[%s], %s);", *in ? "  " : "", s->access,
            em_address(em, a), em_ref(em, s->in[0]));
    em_close(em);
  }
}

/* Whether a row that does not exist has something that it must not do. */
static bool leaves_something(const struct march *c, int phase) {
  for (int i = 0; i < c->em->k->steps.len; i++) {
    const struct fs_step *s = &c->em->k->steps.data[i];
    if (is_both_store(c->em, s, phase) || (is_column_sum(s) && s->phase == phase))
      return true;
  }
  return false;
}

static void rows_of_panel(struct march *c, int phase) {
  struct em *em = c->em;
  int64_t number = 0;
  em_for(em, "b", em->how->rows);
  if (em->how->rows == 1) em_block(em, NULL);
  em_line(em, "%s", row_number(em));
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_matrix_load(em, s)) continue;
    if (em->quick && !phase) bring(c, s);
    if (phase && c->again >= 0) tile_load(c, s, number, phase, c->again);
    else if (c->need[i]) tile_load(c, s, number, phase, s->out);
    number++;
  }
  find_short_ways(c, phase);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->out >= 0 && c->need[i] && s->kind != FS_SP_LOAD &&
        varies(em, s->out) == 3 && is_stored(c, s->out, phase))
      em_line(em, "%s v%d%s;", em_lane_type(em, s->out), s->out, em_dims(em, false, false, true));
  }
  lanes(c, phase);
  bool test = c->guard_j && leaves_something(c, phase);
  if (test) em_if(em, "%s", row_exists(c));
  if (c->guard_j && !phase) sums_apart(c);
  both_stores(c, phase);
  if (test) em_close(em);
  for (int i = 0; i < em->k->steps.len && !phase && c->made >= 0; i++)
    if (is_matrix_load(em, &em->k->steps.data[i]))
      leave_made(c, &em->k->steps.data[i]);
  em_close(em);
}

/* What the panel's columns have: read while there is something else to do. */
static void columns_early(struct march *c) {
  struct em *em = c->em;
  want_phase(c, 0);
  em_go(em, EM_COLUMN_VALUES);
  em_say(em, FS_LP_LET, NULL,
         "const fs_index first = (p < FS_PANELS ? p : 0) * FS_WIDTH + part * %d;", em->how->lanes);
  em_say(em, FS_LP_LET, NULL, "const fs_index i = first;");
  em->how = &c->first;
  column_values(c, 0);
  em->how = c->second;
}

static void waits(struct march *c) {
  if (c->em->quick) return;
  em_say(c->em, FS_LP_WAIT, NULL,
         "fs_mbarrier_wait(&gate.kept[FS_PLACE(p, FS_SLOTS)], fs_turn<FS_SLOTS>(p));");
  if (c->cut.held)
    em_say(c->em, FS_LP_WAIT, NULL,
           "fs_mbarrier_wait(&gate.held[FS_PLACE(p, FS_SHORT)], fs_turn<FS_SHORT>(p));");
}

static void to_shared(struct march *c) {
  struct em *em = c->em;
  const char *slot = c->cut.lanes >= 32 ? "side"
                     : em->quick        ? "warp"
                                        : "warp - (FS_THREADS - FS_WORKERS) / 32";
  const char *own = c->cut.lanes >= 32 ? "" : em_fmt(em, "if (lane < %d) ", c->cut.lanes);
  em_say(em, FS_LP_LET, NULL, "const int s = FS_PLACE(p, FS_PARTS);");
  if (!em->quick) {
    em_line(em, "if (p >= FS_PARTS)");
    em_say(em, FS_LP_WAIT, NULL,
           "  fs_mbarrier_wait(&gate.part_free[s], fs_turn<FS_PARTS>(p - FS_PARTS));");
  }
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_column_sum(s)) continue;
    const char *acc = em->how->lanes > 1 ? em_fmt(em, "r%d[e]", s->out)
                                : em_fmt(em, "r%d", s->out);
    em_for(em, "e", em->how->lanes);
    if (em->how->lanes == 1) em_block(em, NULL);
    for (int o = 16; o >= c->cut.lanes; o /= 2)
      em_line(em, "%s = %s::of(%s, __shfl_xor_sync(0xffffffffu, %s, %d));", acc,
              em_op_class(s->op), acc, acc, o);
    em_line(em, "%spart%d[s][%s][part * %d%s] = %s;", own, s->out, slot, em->how->lanes,
            em->how->lanes > 1 ? " + e" : "", acc);
    em_close(em);
  }
}

static void sums_of_sums(struct march *c) {
  struct em *em = c->em;
  bool any = false;
  for (int i = 0; i < em->k->steps.len; i++)
    any |= has_sums_of_sums(c, &em->k->steps.data[i]);
  if (!any) return;
  em_if(em, "FS_PLACE(q, %d) == %d", SHORT, SHORT - 1);
  em_for(em, "b", em->how->rows);
  if (em->how->rows == 1) em_block(em, NULL);
  const char *b = em->how->rows > 1 ? "[b]" : "";
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!has_sums_of_sums(c, s)) continue;
    em_line(em, "f%d%s = f%d%s + r%d%s;", s->out, b, s->out, b, s->out, b);
    em_line(em, "r%d%s = 0;", s->out, b);
  }
  em_close(em);
  em_close(em);
}

static void panel(struct march *c, int phase) {
  struct em *em = c->em;
  want_phase(c, phase);
  em_go(em, phase ? EM_SECOND : EM_FIRST);
  if (phase) {
    em_say(em, FS_LP_LET, NULL, "const fs_index first = q * FS_WIDTH + part * %d;", em->how->lanes);
    em_say(em, FS_LP_LET, NULL, "const fs_index i = first;");
    column_values(c, phase);
  } else {
    waits(c);
  }
  for (int i = 0; i < em->k->steps.len && !phase; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (is_column_sum(s)) em_declare_acc(em, s, false, false, true);
  }
  if (!em->quick) tile_pointers(c, phase);
  if (!phase) em->how = &c->first;
  rows_of_panel(c, phase);
  em->how = c->second;
  if (!phase) to_shared(c);
  else sums_of_sums(c);
  if (phase && c->made >= 0 && !em->quick) em_line(em, "fs_before_copies();");
  em_line(em, "__syncwarp();");
  if (em->quick) return;
  if (phase) {
    em_line(em, "if (lane == 0) fs_mbarrier_arrive(&gate.kept_free[FS_PLACE(q, FS_SLOTS)]);");
    return;
  }
  em_if(em, "lane == 0");
  em_line(em, "fs_mbarrier_arrive(&gate.part[s]);");
  if (c->cut.held) em_line(em, "fs_mbarrier_arrive(&gate.held_free[FS_PLACE(p, FS_SHORT)]);");
  em_close(em);
}

/* The rows in registers of one panel move on to where the next look for them. */
static void moves_on(struct march *c) {
  struct em *em = c->em;
  em_go(em, EM_MOVE_ON);
  if (!c->cut.held || written(c) == c->cut.lag) return;
  em_for(em, "d", c->cut.lag);
  em_for(em, "b", c->cut.held / c->cut.side);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    const char *b = c->cut.held / c->cut.side > 1 ? "b" : "0";
    if (is_matrix_load(em, s))
      em_line(em, "held%d[d][%s] = held%d[d + FS_WRITTEN][%s];", s->out, b, s->out, b);
  }
  em_close_for(em, c->cut.held / c->cut.side);
  em_close_for(em, c->cut.lag);
}

/* -- the end ----------------------------------------------------------------------- */

/* The sums of the rows, which all lanes of a row then have. */
static void row_sums(struct march *c) {
  struct em *em = c->em;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (is_row_sum(s))
      em_line(em, "%s x%d[%d];", em_acc_type(em, s->out), s->out, em->how->rows);
  }
  em_for(em, "b", em->how->rows);
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_row_sum(s)) continue;
    const char *b = em->how->rows > 1 ? "[b]" : "";
    const char *r = em_fmt(em, "r%d%s", s->out, b);
    if (has_sums_of_sums(c, s)) r = em_fmt(em, "f%d%s + %s", s->out, b, r);
    em_line(em, "x%d[%s] = fs_warp<%s, %d>(%s);", s->out, em->how->rows > 1 ? "b" : "0",
            em_op_class(s->op), c->cut.lanes, r);
  }
  em_close_for(em, em->how->rows);
}

/* What is made of them: a lane takes some of its rows to their end. */
static void ending(struct march *c) {
  struct em *em = c->em;
  const struct fs_kernel *k = em->k;
  em_go(em, EM_AFTER);
  row_sums(c);
  em_unroll(em, 1);
  em_loop(em, FS_LP_BLOCK_AXIS, "int b = part; b < %d; b += FS_LANES", em->how->rows);
  em->row_by_lane = true;
  em_line(em, "%s", row_number(em));
  em_if(em, "j < %s", em_int(em, em->how->n));
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (!is_row_sum(s)) continue;
    em->v[s->out].b = false;
    em_line(em, "const %s v%d = %s;", type_of(em, s->out), s->out,
            em_finished(em, s->out, em_fmt(em, "fs_lane(x%d, b)", s->out)));
  }
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool end = s->phase == FS_END && (s->out < 0 || !em->how->made[s->out].uniform);
    bool vector = s->kind == FS_SP_STORE && s->phase != FS_END &&
                  em_access(em, s)->varies == FS_VARIES_J;
    if (end && s->kind != FS_SP_STORE && s->kind != FS_SP_REDUCE)
      scalar(em, s, "");
    else if ((end && s->kind == FS_SP_STORE && em_access(em, s)->varies) || vector)
      em_line(em, "fs_put(a%d[%s], %s);", s->access,
              em_address(em, em_access(em, s)), em_ref(em, s->in[0]));
  }
  em->row_by_lane = false;
  em_close(em);
  em_close(em);
}

static struct march begin(struct em *em) {
  struct march c = {.em = em};
  c.cut = *em->how->march;
  c.need = FS_NEW_N(em->w.arena, bool, em->k->steps.len + 1);
  c.guard_i = em->how->m % c.cut.width != 0;
  c.guard_j = em->how->n != (int64_t)c.cut.height * c.cut.blocks;
  find_made(&c);
  c.second = em->how;
  c.first = *em->how;
  c.first.pairs = finds_pairs(&c);
  em->out->shared_bytes = rooms(&c).end;
  return c;
}

void em_march_footprint(struct em *em) { begin(em); }

void em_march(struct em *em) {
  struct march c = begin(em);
  em->out->lasts = em->how->lasts;
  em_go(em, EM_BEFORE);
  name_shared(&c);
  em_uniforms(em);
  fetches(&c);
  sends(&c);
  gathers(&c);
  finishes(&c);
  row_values(&c);
  columns_early(&c);
  panel(&c, 0);
  panel(&c, 1);
  moves_on(&c);
  ending(&c);
}

void em_march_constants(struct em *em, struct fs_str *out) {
  struct march c = begin(em);
  const struct fs_march *p = &c.cut;
  struct room r = rooms(&c);
  if (em->quick) {
    fs_str_printf(out,
                  "constexpr int FS_WORKERS = %d, FS_LANES = %d, FS_SIDE = %d;\n"
                  "constexpr int FS_CLUSTER = %d, FS_CLUSTERS = %d, FS_BLOCKS = %d;\n"
                  "constexpr int FS_WIDTH = %d, FS_COLUMNS = %d, FS_PANELS = %lld;\n"
                  "constexpr int FS_HEIGHT = %d, FS_PARTS = 1, FS_MAILS = 1;\n",
                  p->workers, p->lanes, p->side, p->cluster, clusters(&c), p->blocks,
                  p->width, p->width / p->cluster, (long long)p->panels, p->height);
    return;
  }
  fs_str_printf(
      out,
      "constexpr int FS_WORKERS = %d, FS_LANES = %d, FS_SIDE = %d, FS_REGS = %d;\n"
      "constexpr int FS_CLUSTER = %d, FS_CLUSTERS = %d, FS_BLOCKS = %d;\n"
      "constexpr int FS_WIDTH = %d, FS_COLUMNS = %d, FS_PANELS = %lld;\n"
      "constexpr int FS_HEIGHT = %d, FS_HELD = %d;\n"
      "constexpr int FS_SLOTS = %d, FS_SHORT = %d, FS_LAG = %d, FS_WRITTEN = %d;\n"
      "constexpr int FS_PARTS = %d, FS_MAILS = %d;\n"
      "constexpr int FS_TEAM_BYTES = %lld, FS_MAIL_BYTES = %lld;\n",
      p->workers, p->lanes, p->side, p->regs, p->cluster, clusters(&c), p->blocks,
      p->width, p->width / p->cluster, (long long)p->panels, p->height, p->held, p->slots,
      p->shorts, p->lag, written(&c), p->parts, p->mails, (long long)r.teams,
      (long long)r.mails);
}
