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
 * The text that is compiled quickly (how->quick) has the same sums in the same order, in
 * elemlib/scheme/march_quick.cuh: there is nothing to wait for but barriers of all
 * threads, and all rows of a panel wait in registers, in held0[b].
 */
#include "core/emit/march.h"

static int words(const struct fs_writer *w, int v) { return fs_sum_bytes(w_val(w, v)) / 4; }
static bool is_column_store(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_STORE && s->phase != FS_END && w_access(w, s)->varies == FS_VARIES_I;
}

/* -- messages ---------------------------------------------------------------- */

static int clusters(const struct w_march *c) { return c->cut.blocks / c->cut.cluster; }

static const char *posts_of_sum(struct w_march *c, int v) {
  const char *round = w_fmt(c->w, "(FS_PLACE(p, %d) * FS_CLUSTER + rank)", FS_MARCH_ROUNDS);
  return w_at(c->w, FS_LP_AT({"posts", 1}, {NULL, c->w->how->made[v].work},
                             {round, fs_march_words(&c->cut) * words(c->w, v)}));
}

/* -- shared memory ------------------------------------------------------------- */

static struct w_march_room rooms(const struct w_march *c) {
  const struct fs_writer *w = c->w;
  const struct fs_march *p = &c->cut;
  struct w_march_room r = {0};
  int64_t row = c->tile_row;
  for (int v = 0; v < w->how->kernel->values.len; v++) {
    const struct fs_step *s = w_maker(w, v);
    if (!s) continue;
    int64_t size = fs_sum_bytes(w_val(w, v));
    if (w_is_column_sum(s)) r.teams += p->width * size;
    if (w->how->made[v].saved) r.mails += p->width * size;
  }
  r.held = r.kept + row * (p->height - p->held) * p->slots;
  r.part = r.held + row * p->held * p->shorts;
  r.team = r.part + 8 * r.teams * p->parts;
  r.mail = r.team + r.teams * p->mails;
  r.end = r.mail + r.mails * p->mails;
  return r;
}

/* An array of rows of a panel's columns in the ring; gives the bytes of it. */
static int64_t name_rows(struct w_march *c, const char *name, int v, int rows, const char *side,
                         int64_t at) {
  const struct fs_writer *w = c->w;
  const char *type = w_acc_type(w, v);
  w_line(w, "%s(*const %s%d)%s[FS_WIDTH] = (%s(*)%s[FS_WIDTH])(ring + %lld);", type, name, v, side,
         type, side, (long long)at);
  return (int64_t)rows * c->cut.width * fs_sum_bytes(w_val(w, v));
}

static void name_shared(struct w_march *c) {
  const struct fs_writer *w = c->w;
  struct w_march_room r = c->room;
  for (int v = 0; v < w->how->kernel->values.len; v++) {
    const struct fs_step *s = w_maker(w, v);
    if (!s) continue;
    if (w_is_column_sum(s)) {
      r.part += name_rows(c, "part", v, 8 * c->cut.parts, "[8]", r.part);
      r.team += name_rows(c, "team", v, c->cut.mails, "", r.team);
    }
    if (w->how->made[v].saved) r.mail += name_rows(c, "mail", v, c->cut.mails, "", r.mail);
  }
}

/* -- tiles ------------------------------------------------------------------------ */

/* The tensor map of a load: the rows of a tile that are kept, or the others. */
static int add_map(const struct fs_writer *w, const struct fs_step *s, int slot, int box) {
  struct fs_emitted *o = w->args->out;
  const struct fs_access *a = w_access(w, s);
  o->maps = fs_realloc(o->maps, sizeof *o->maps * (size_t)(o->n_maps + 1));
  o->maps[o->n_maps] = (struct fs_emitted_map){.slot = slot,
                                               .dtype = a->dtype,
                                               .offset = a->offset,
                                               .columns = w->how->m,
                                               .rows = w->how->n,
                                               .stride = a->stride[1],
                                               .box_columns = w->how->row_threads * w->how->lanes,
                                               .box_rows = box};
  return o->n_maps++;
}

/* What is read once, and nothing written, need not stay in the second-level cache;
 * where rows are stored, too, those are to leave it first (schedule/cache.c). */
static void fetch(struct w_march *c, const char *ring, int64_t base, int64_t rows, int64_t skip,
                  const char *slots) {
  const struct fs_writer *w = c->w;
  int64_t row = c->tile_row, at = 0;
  const char *below = skip ? w_fmt(w, " + %lld", (long long)skip) : "";
  w_block(w, NULL);
  w_let(w, "const int s = FS_PLACE(k, %s);", slots);
  w_if_bare(w, "k >= %s", slots);
  w_say(w, FS_LP_WAIT, NULL, "fs_mbarrier_wait(&gate.%s_free[s], fs_turn<%s>(k - %s));", ring,
        slots, slots);
  w_close(w);
  w_line(w, "fs_mbarrier_expect(&gate.%s[s], %lld);", ring, (long long)(row * rows));
  FS_EACH_OF(c->loads, s) {
    int slot = w_slot_argument(w->args->plan, w->args->out, w_access(w, s)->slot, 0);
    const char *to = w_at(w, FS_LP_AT({"ring", 1}, {NULL, base + at}, {"s", row * rows}));
    w_say(w, FS_LP_COPY_ASYNC, s, "fs_tensor_copy(%s, m%d, k * FS_WIDTH, row%s, &gate.%s[s], %s);",
          to, add_map(w, s, slot, (int)rows), below, ring,
          w->how->lasts ? "fs_cache_lasts()" : "fs_cache_passes()");
    at += (int64_t)16 * c->cut.lanes * rows;
  }
  w_close(w);
}

static void fetches(struct w_march *c) {
  struct w_march_room r = c->room;
  int64_t kept = c->cut.height - c->cut.held;
  w_go(c->w, "fetch");
  if (c->cut.held) fetch(c, "held", r.held, c->cut.held, kept, "FS_SHORT");
  fetch(c, "kept", r.kept, kept, 0, "FS_SLOTS");
}

/* -- sums of columns ---------------------------------------------------------------- */

static void sends(struct w_march *c) {
  const struct fs_writer *w = c->w;
  int warps = c->cut.lanes >= 32 ? c->cut.side : c->cut.workers / 32;
  w_go(w, "send");
  w_loop(w, FS_LP_BLOCK_AXIS, "unsigned i = lane; i < FS_WIDTH; i += 32");
  FS_EACH_OF(c->column_sums, s) {
    const char *op = w_op_class(s->op), *part = w_fmt(w, "part%d[s]", s->out);
    w_line(w, "%s x%d = %s[0][i];", w_acc_type(w, s->out), s->out, part);
    w_line(w, "for (int w = 1; w < %d; w++) x%d = %s::of(x%d, %s[w][i]);", warps, s->out, op,
           s->out, part);
    w_line(w,
           "fs_cluster_%s<FS_CLUSTER>(&team%d[m][rank * FS_COLUMNS + i %% "
           "FS_COLUMNS], x%d, i / FS_COLUMNS%s);",
           w->how->quick ? "put" : "send", s->out, s->out, w->how->quick ? "" : ", &gate.team[m]");
  }
  w_close(w);
}

static void gathers(struct w_march *c) {
  const struct fs_writer *w = c->w;
  w_go(w, "gather");
  FS_EACH_OF(c->column_sums, s) {
    const char *op = w_op_class(s->op);
    w_line(w, "%s x%d = %s;", w_acc_type(w, s->out), s->out, w_neutral(w, s));
    w_line(w, "for (int k = lane; k < FS_WIDTH; k += 32) x%d = %s::of(x%d, team%d[m][k]);",
           s->out, op, s->out, s->out);
    w_say(w, FS_LP_FOLD, s, "x%d = fs_fold_lanes<%s, FS_COLUMNS>(x%d);", s->out, op, s->out);
    w_line(w, "if (lane < FS_COLUMNS)");
    w_line(w, "  fs_post<%lld>(%s + (team * FS_COLUMNS + lane), x%d, round + p);",
           (long long)fs_march_words(&c->cut), posts_of_sum(c, s->out), s->out);
  }
}

static void scalar(const struct fs_writer *w, const struct fs_step *s, const char *guard) {
  w_define(w, w_kind(s), s, s->out, w_rhs(w, s, NULL, FS_LP_AS_IT_IS, guard));
}

/* By a warp, a lane to each of the block's columns (as often as there are lanes). */
static void finishes(struct w_march *c) {
  const struct fs_writer *w = c->w;
  const struct fs_kernel *k = w->how->kernel;
  const char *in = w_march_column_exists(c, "i");
  w_go(w, "finish");
  w_march_forget(c);
  FS_EACH_OF(c->column_stores, s) w_march_want(c, s->in[0], true);
  for (int v = 0; v < k->values.len; v++)
    if (w->how->made[v].saved) w_march_want(c, v, true);
  FS_EACH_OF(c->column_sums, s) c->need[w_number(w, s)] = true;
  w_march_find_needed(c);
  /* What needs no sum comes before the wait. */
  for (int pass = 0; pass < 2; pass++) {
    FS_EACH_OF(c->needed, s) {
      if (pass == 1 && w_is_column_sum(s)) {
        const char *dt = w_acc_type(w, s->out);
        const char *sum =
            w_fmt(w, "fs_sum_posted%s<%s, FS_CLUSTERS, FS_COLUMNS>(%s, round + p, (%s)%s)",
                  w->how->quick ? "_each" : "", w_op_class(s->op), posts_of_sum(c, s->out), dt,
                  w_neutral(w, s));
        w_line(w, "const %s x%d = %s;", dt, s->out, sum);
        w_define_sum(w, s, w_fmt(w, "x%d", s->out));
      }
      if (!w_is_column_sum(s) && (s->kind == FS_SP_LOAD) == (pass == 0)) scalar(w, s, in);
    }
  }
  w_loop(w, FS_LP_BLOCK_AXIS, "int k = lane / FS_COLUMNS; k < FS_CLUSTER; k += 32 / FS_COLUMNS");
  for (int v = 0; v < k->values.len; v++)
    if (w->how->made[v].saved)
      w_line(w,
             "fs_cluster_%s<FS_CLUSTER>(&mail%d[m][rank * FS_COLUMNS + lane %% "
             "FS_COLUMNS], (%s)%s, k%s);",
             w->how->quick ? "put" : "send", v, w_acc_type(w, v), w_ref(w, v),
             w->how->quick ? "" : ", &gate.mail[m]");
  w_close(w);
  if (!*c->column_stores) return;
  w_if(w, "%s", w_and(w, "lane < FS_COLUMNS && team == FS_PLACE(p, FS_CLUSTERS)", in));
  FS_EACH_OF(c->column_stores, s) w_put(w, s, 0);
  w_close(w);
}

/* -- the end ----------------------------------------------------------------------- */

/* The sums of the rows, which all lanes of a row then have. */
static void row_sums(struct w_march *c) {
  const struct fs_writer *w = c->w;
  FS_EACH_OF(c->row_sums, s) w_line(w, "%s x%d[%d];", w_acc_type(w, s->out), s->out, w->how->rows);
  w_for(w, "b", w->how->rows);
  FS_EACH_OF(c->row_sums, s) {
    const char *r = w_row_sum(w, s->out);
    if (w_march_has_sums_of_sums(c, s))
      r = w_fmt(w, "f%d%s + %s", s->out, w->how->rows > 1 ? "[b]" : "", r);
    w_say(w, FS_LP_FOLD, s, "x%d[%s] = fs_warp<%s, %d>(%s);", s->out, w->how->rows > 1 ? "b" : "0",
          w_op_class(s->op), c->cut.lanes, r);
  }
  w_close(w);
}

/* What is made of them: a lane takes some of its rows to their end. */
static void ending(struct w_march *c) {
  const struct fs_writer *w = c->w;
  const struct fs_kernel *k = w->how->kernel;
  w_go(w, "after");
  row_sums(c);
  w_unroll(w, 1);
  w_loop(w, FS_LP_BLOCK_AXIS, "int b = part; b < %d; b += FS_LANES", w->how->rows);
  w_line(w, "%s", w_march_row_number(w));
  w_if(w, "j < %s", w_int(w, w->how->n));
  FS_EACH_OF(c->row_sums, s)
    w_define_sum(w, s, w_fmt(w, "fs_lane(x%d, b)", s->out));
  FS_EACH_STEP(k, s) {
    bool end = s->phase == FS_END && (s->out < 0 || !w->how->made[s->out].uniform);
    bool vector =
        s->kind == FS_SP_STORE && s->phase != FS_END && w_access(w, s)->varies == FS_VARIES_J;
    if (end && s->kind != FS_SP_STORE && s->kind != FS_SP_REDUCE) scalar(w, s, "");
    else if ((end && s->kind == FS_SP_STORE && w_access(w, s)->varies) || vector) w_put(w, s, 0);
  }
  w_close(w);
  w_close(w);
}

static struct w_march begin(const struct fs_writer *w) {
  struct w_march c = {.w = w, .loads = w->how->brought,
                    .column_sums = w_reductions(w, FS_REDUCED_ROW),
                    .row_sums = w_reductions(w, FS_REDUCED_COLUMN)};
  c.column_stores = W_STEPS(w, s, is_column_store(w, s));
  for (int phase = 0; phase < 2; phase++)
    c.roots[phase] =
        W_STEPS(w, s, s->phase == phase && (s->kind == FS_SP_REDUCE || w_is_both_store(w, s)));
  struct fs_schedule *how = FS_NEW(w->lp->arena, struct fs_schedule);
  struct fs_writer *first = FS_NEW(w->lp->arena, struct fs_writer);
  c.cut = *w->how->march;
  FS_EACH_OF(c.loads, s) c.tile_row += 16 * c.cut.lanes;
  c.room = rooms(&c);
  c.need = w_marks(w);
  c.guard_i = w->how->m % c.cut.width != 0;
  c.guard_j = w->how->n != (int64_t)c.cut.height * c.cut.blocks;
  w_march_find_made(&c);
  *how = *w->how;
  how->pairs = w_march_finds_pairs(&c);
  *first = w_as(w, how);
  c.first = first;
  w->args->out->shared_bytes = c.room.end;
  return c;
}

void w_march_footprint(const struct fs_writer *w) { begin(w); }

void w_march(const struct fs_writer *w) {
  struct w_march c = begin(w);
  w->args->out->lasts = w->how->lasts;
  w_go(w, "before");
  name_shared(&c);
  w_uniforms(w);
  fetches(&c);
  sends(&c);
  gathers(&c);
  finishes(&c);
  w_march_row_values(&c);
  w_march_columns_early(&c);
  w_march_panel(&c, 0);
  w_march_panel(&c, 1);
  w_march_moves_on(&c);
  ending(&c);
}

void w_march_constants(const struct fs_writer *w, struct fs_str *out) {
  struct w_march c = begin(w);
  const struct fs_march *p = &c.cut;
  fs_str_printf(out,
                "constexpr int FS_WORKERS = %d, FS_LANES = %d, FS_SIDE = %d%s;\n"
                "constexpr int FS_CLUSTER = %d, FS_CLUSTERS = %d, FS_BLOCKS = %d;\n"
                "constexpr int FS_WIDTH = %d, FS_COLUMNS = %d, FS_PANELS = %lld;\n"
                "constexpr int FS_HEIGHT = %d, ",
                p->workers, p->lanes, p->side,
                w->how->quick ? "" : w_fmt(w, ", FS_REGS = %d", p->regs), p->cluster, clusters(&c),
                p->blocks, p->width, p->width / p->cluster, (long long)p->panels, p->height);
  if (w->how->quick) {
    fs_str_puts(out, "FS_PARTS = 1, FS_MAILS = 1;\n");
    return;
  }
  fs_str_printf(out,
                "FS_HELD = %d;\n"
                "constexpr int FS_SLOTS = %d, FS_SHORT = %d, FS_LAG = %d, FS_WRITTEN = %d;\n"
                "constexpr int FS_PARTS = %d, FS_MAILS = %d;\n"
                "constexpr int FS_TEAM_BYTES = %lld, FS_MAIL_BYTES = %lld;\n",
                p->held, p->slots, p->shorts, p->lag, w_march_written(&c), p->parts, p->mails,
                (long long)c.room.teams, (long long)c.room.mails);
}
