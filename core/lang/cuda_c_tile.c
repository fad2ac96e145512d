/* cuda_c_tile.c - memory that threads share, where it is a tile of what they read anyway.
 *
 *     tile[ty][tx] = A[(16*t + ty)*n + idx];  __syncthreads();  ... tile[k][tx] ...
 *
 * is A[(16*t + k)*n + idx]: what the thread has put there whose place in its block that is. What is
 * left of a thread's place in its block is that of a thread of the grid again, also where the
 * block's axes are exchanged. Whatever else is done in shared memory is refused, with the place. */
#include "core/lang/cuda_c_call.h"
#include "core/lang/cuda_c_read.h"

enum { MOST_TILES = 8, MOST_PUTS = 8, AXES = 3 };

/* What threads put into a tile, each to its own place. */
struct put {
  struct fs_expr *sub[FS_C_OWN_DIMS], *value, *when; /* when: under this condition; or NULL */
};

enum state { EMPTY, WRITING, READY, REDUCED };
struct tile {
  const struct fs_c_name *of;
  enum state state;
  bool read;                 /* since threads waited the last time */
  struct fs_expr *sum;       /* REDUCED: what all have put, together */
  int n, filled;             /* how often */
  struct put puts[MOST_PUTS];
};

struct tiler {
  struct fs_c_reader *p;
  struct fs_c_kernel k;
  struct fs_c_call c;
  struct fs_expr *when;
  int n;
  struct tile tiles[MOST_TILES];
  bool reduced;              /* one thread of each block goes on, for all of them */
};

static const char *const threads[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
static const char *const blocks[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
static const char *const ids[] = {"idx", "idy", "idz"};

static int axis_of(const char *const *names, const struct fs_expr *e) {
  for (int a = 0; a < AXES && e->kind == FS_EX_NAME; a++)
    if (!strcmp(e->text, names[a])) return a;
  return -1;
}

static struct tile *tile_of(struct tiler *t, const struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || strcmp(e->args[0]->text, "[]")) return NULL;
  for (int k = 0; k < t->n; k++)
    if (!strcmp(t->tiles[k].of->name, e->args[1]->text)) return &t->tiles[k];
  return NULL;
}

static bool any_tile(struct tiler *t, const struct fs_expr *e) {
  bool any = tile_of(t, e) != NULL;
  for (int k = 0; k < e->n_args && !any; k++) any = any_tile(t, e->args[k]);
  return any;
}

/* -- sums as expressions -------------------------------------------------------------- */

static struct fs_expr *of_poly(struct tiler *t, const struct fs_c_poly *q, struct fs_span span) {
  struct fs_arena *arena = t->p->arena;
  struct fs_expr *out = NULL;
  for (int j = 0; j < q->n; j++) {
    int64_t k = q->term[j].k;
    bool one = q->term[j].n && (k == 1 || (k == -1 && out));
    struct fs_expr *x = one ? NULL
        : fs_ex_number(arena, span, (double)(out && k < 0 ? -k : k < 0 ? -k : k), true);
    for (int s = 0; s < q->term[j].n; s++) {
      struct fs_expr *y = fs_ex_name(arena, span, t->c.sym[q->term[j].sym[s]].name);
      x = x ? fs_ex_binary(arena, FS_AO_MUL, x, y) : y;
    }
    if (!out && k < 0) {
      struct fs_expr *minus = fs_ex_node(arena, FS_EX_UNARY, span, 1, &x);
      minus->op = FS_AO_NEG;
      x = minus;
    }
    out = out ? fs_ex_binary(arena, k < 0 ? FS_AO_SUB : FS_AO_ADD, out, x) : x;
  }
  if (!out) out = fs_ex_number(arena, span, 0, true);
  out->span = span;
  return out;
}

static bool poly(struct tiler *t, const struct fs_expr *e, struct fs_c_poly *out) {
  return fs_c_poly_of(&t->c, e, out);
}

/* Sums in their shortest form. */
static struct fs_expr *shortest(struct tiler *t, const struct fs_expr *e) {
  struct fs_c_poly q;
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (e->kind != FS_EX_NUMBER && poly(t, e, &q)) return of_poly(t, &q, e->span);
  for (int k = 0; k < e->n_args; k++)
    args[k] = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX) ? e->args[0]
                                                                          : shortest(t, e->args[k]);
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : (struct fs_expr *)e;
}

static bool same(struct tiler *t, const struct fs_expr *a, const struct fs_expr *b) {
  struct fs_c_poly x, y;
  bool sums = poly(t, a, &x);
  if (sums != poly(t, b, &y)) return false;
  if (sums) return fs_c_poly_add(&x, -1, &y) && !x.n;
  if (a->kind != b->kind || a->op != b->op || a->n_args != b->n_args || a->number != b->number)
    return false;
  if (a->kind == FS_EX_NAME) return !strcmp(a->text, b->text);
  for (int k = 0; k < a->n_args; k++)
    if (!same(t, a->args[k], b->args[k])) return false;
  return true;
}

/* -- another thread's value ----------------------------------------------------------- */

/* An expression as the thread has it whose place in the block is `at`; NULL: that is said. */
static struct fs_expr *of_thread(struct tiler *t, struct fs_expr *e, struct fs_expr *const *at) {
  struct fs_arena *arena = t->p->arena;
  if (e->kind == FS_EX_NAME) {
    int a = axis_of(threads, e), id = axis_of(ids, e);
    if (a < 0) a = id;
    if (a >= 0 && !at[a]) {
      fs_c_refuse(t->p, e->span, "what several threads put to one place of a tile is not read");
      return NULL;
    }
    if (id >= 0) {
      struct fs_expr *rest =
          fs_ex_binary(arena, FS_AO_SUB, e, fs_ex_name(arena, e->span, threads[id]));
      return fs_ex_binary(arena, FS_AO_ADD, rest, at[id]);
    }
    if (a >= 0) return at[a];
    for (int k = 0; k < t->k.n_locals; k++) {
      const struct fs_c_name *l = &t->k.locals[k];
      if (strcmp(l->name, e->text) || l->counts) continue;
      if (l->once) return of_thread(t, l->once, at);
      fs_c_refuse(t->p, e->span, "a name that changes is in what is put into a tile");
      return NULL;
    }
    return e;
  }
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[0] : of_thread(t, e->args[k], at);
    if (!args[k]) return NULL;
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

/* How often a thread's place along an axis is in a sum; the sum without. */
static int64_t take(struct tiler *t, struct fs_c_poly *q, int axis) {
  for (int j = 0; j < q->n; j++) {
    const struct fs_c_term *x = &q->term[j];
    if (x->n != 1 || strcmp(t->c.sym[x->sym[0]].name, threads[axis])) continue;
    int64_t k = x->k;
    q->term[j] = q->term[--q->n];
    return k;
  }
  return 0;
}

/* Whether a place goes from 0 to the last one of a dimension. */
static bool goes_through(const struct tiler *t, const struct fs_c_poly *r, int64_t size) {
  if (r->n != 1 || r->term[0].n != 1 || r->term[0].k != 1) return false;
  const struct fs_c_sym *s = &t->c.sym[r->term[0].sym[0]];
  int64_t first, step, last;
  return s->kind == FS_C_COUNTER && fs_c_constant(s->range->args[0], &first) &&
         fs_c_constant(s->range->args[1], &step) && fs_c_constant(s->range->args[2], &last) &&
         first == 0 && step == 1 && last == size - 1;
}

/* Which thread put what is at a place of a tile. */
static bool find_thread(struct tiler *t, const struct put *put, const struct fs_expr *read,
                        const struct fs_c_name *of, struct fs_expr **at) {
  for (int d = 0; d < of->n_dims; d++) {
    struct fs_c_poly w, r;
    int found = -1;
    if (!poly(t, put->sub[d], &w) || !poly(t, read->args[2 + d], &r))
      return fs_c_refuse(t->p, put->sub[d]->span,
                         "a place in a tile is a sum of threads and numbers");
    for (int a = 0; a < AXES; a++) {
      int64_t k = take(t, &w, a);
      if (!k) continue;
      if (k != 1 || found >= 0)
        return fs_c_refuse(t->p, put->sub[d]->span,
                           "a place in a tile is a thread's along one axis");
      found = a;
    }
    /* all of it is read, so a block is as large */
    if (found >= 0 && !w.n && !t->p->block[found] && goes_through(t, &r, of->dim[d]))
      t->p->block[found] = of->dim[d];
    if (!fs_c_poly_add(&r, -1, &w))
      return fs_c_refuse(t->p, read->span, "this place in a tile is too long a sum");
    if (found < 0 && r.n)
      return fs_c_refuse(t->p, put->sub[d]->span, "a place in a tile is a thread's along one axis");
    if (found >= 0) at[found] = of_poly(t, &r, read->span);
  }
  return true;
}

/* Whether a place is surely not less than 0: a sum of places of threads. */
static bool is_place(struct tiler *t, const struct fs_expr *e) {
  struct fs_c_poly q;
  if (!poly(t, e, &q)) return false;
  for (int j = 0; j < q.n; j++) {
    if (q.term[j].k < 0) return false;
    for (int s = 0; s < q.term[j].n; s++)
      if (t->c.sym[q.term[j].sym[s]].kind != FS_C_THREAD) return false;
  }
  return true;
}

/* What is read of a tile. */
static struct fs_expr *looked_up(struct tiler *t, struct tile *of, const struct fs_expr *read) {
  struct fs_expr *out = NULL;
  struct fs_arena *arena = t->p->arena;
  of->read = true;
  for (int k = 0; k < of->n; k++) { /* those under no condition first */
    const struct put *put = &of->puts[k];
    struct fs_expr *at[AXES] = {NULL}, *value, *when;
    if (!find_thread(t, put, read, of->of, at)) return NULL;
    value = of_thread(t, put->value, at);
    if (!value) return NULL;
    value = shortest(t, value);
    if (!out && !put->when) out = value;
    if (out && same(t, out, value)) continue;
    if (!out) out = fs_ex_number(arena, read->span, 0, true); /* nobody fills it */
    if (!put->when) {
      fs_c_refuse(t->p, put->value->span, "what is put into a tile by two statements is not read");
      return NULL;
    }
    when = of_thread(t, put->when, at);
    for (int a = 0; a < AXES && when; a++) /* ... by a thread that there is */
      if (at[a] && !is_place(t, at[a]))
        when = fs_ex_binary(arena, FS_AO_AND, when,
                            fs_ex_binary(arena, FS_AO_GE, at[a],
                                         fs_ex_number(arena, read->span, 0, true)));
    if (!when) return NULL;
    struct fs_expr *args[] = {shortest(t, when), value, out};
    out = fs_ex_call(arena, "?:", read->span, 3, args);
  }
  return out;
}

static struct fs_expr *read_tiles(struct tiler *t, struct fs_expr *e) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  struct tile *of = tile_of(t, e);
  if (!any_tile(t, e)) return e;
  for (int k = 0; k < e->n_args; k++) {
    bool word = k < (of ? 2 : e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    if (!(args[k] = word ? e->args[k] : read_tiles(t, e->args[k]))) return NULL;
  }
  e = fs_ex_with_args(t->p->arena, e, args);
  if (!of) return e;
  int64_t place;
  if (of->state == REDUCED && fs_c_constant(e->args[2], &place) && !place) return of->sum;
  if (of->state == READY) return looked_up(t, of, e);
  fs_c_refuse(t->p, e->span, of->state == EMPTY ? "a tile is read that nobody has filled here"
                                                : "a tile is read before threads have waited");
  return NULL;
}

/* -- statements ----------------------------------------------------------------------- */

static struct fs_stmt *read_list(struct tiler *t, struct fs_stmt *list);

static bool is_of(struct tiler *t, const struct tile *of, const struct fs_expr *e) {
  bool is = tile_of(t, e) == of;
  for (int k = 0; k < e->n_args && !is; k++) is = is_of(t, of, e->args[k]);
  return is;
}

static bool put_in(struct tiler *t, struct tile *of, struct fs_stmt *s) {
  struct put put = {.when = t->when};
  if (of->state == READY && of->read)
    return fs_c_refuse(t->p, s->span, "a tile is filled again before threads have waited");
  if (of->state != WRITING) of->n = 0;
  if (is_of(t, of, s->expr))
    return fs_c_refuse(t->p, s->span,
                       "what is computed in shared memory is not read, but for a tree "
                                      "of sums: for (s = size/2; s > 0; s >>= 1)");
  if (!(put.value = read_tiles(t, s->expr))) return false;
  for (int d = 0; d < of->of->n_dims; d++) put.sub[d] = s->expr2->args[2 + d];
  if (of->n == MOST_PUTS) return fs_c_refuse(t->p, s->span,
                                             "a tile is filled by up to eight statements");
  of->state = WRITING;
  of->read = false;
  of->filled++;
  of->puts[of->n++] = put;
  return true;
}

/* Puts under no condition before the others: these are what the others are not. */
static void wait(struct tiler *t) {
  for (int k = 0; k < t->n; k++) {
    struct tile *of = &t->tiles[k];
    if (of->state == WRITING) {
      for (int j = 1; j < of->n; j++)
        for (int i = j; i > 0 && of->puts[i - 1].when && !of->puts[i].when; i--) {
          struct put other = of->puts[i];
          of->puts[i] = of->puts[i - 1];
          of->puts[i - 1] = other;
        }
      of->state = READY;
    }
    of->read = false;
  }
}

static bool read_if(struct tiler *t, struct fs_stmt *s) {
  struct fs_expr *before = t->when, *c;
  if (!(c = s->expr = read_tiles(t, s->expr))) return false;
  t->when = before ? fs_ex_binary(t->p->arena, FS_AO_AND, before, c) : c;
  s->body = read_list(t, s->body);
  struct fs_expr *no = fs_ex_node(t->p->arena, FS_EX_UNARY, c->span, 1, &c);
  no->op = FS_AO_NOT;
  t->when = before ? fs_ex_binary(t->p->arena, FS_AO_AND, before, no) : no;
  s->orelse = read_list(t, s->orelse);
  t->when = before;
  return t->p->st == FS_OK;
}

/* Each round fills its tiles anew. */
static bool read_loop(struct tiler *t, struct fs_stmt *s) {
  struct fs_c_sym *sym = &t->c.sym[t->c.n_syms];
  if (t->c.n_syms == FS_C_SYMS) return fs_c_refuse(t->p, s->span, "the kernel has too many loops");
  if (s->kind == FS_ST_FOR) {
    *sym = (struct fs_c_sym){.kind = FS_C_COUNTER, .name = s->targets[0].name, .range = s->expr};
    t->c.n_syms++;
  }
  enum state before[MOST_TILES];
  int fills[MOST_TILES];
  for (int k = 0; k < t->n; k++) before[k] = t->tiles[k].state, fills[k] = t->tiles[k].filled;
  s->body = read_list(t, s->body);
  for (int k = 0; k < t->n && t->p->st == FS_OK; k++) {
    struct tile *of = &t->tiles[k];
    bool filled = of->filled != fills[k];
    if (filled && before[k] != EMPTY)
      return fs_c_refuse(t->p, s->span, "a tile is filled before this loop and in it");
    if (filled && (of->read || of->state == WRITING))
      return fs_c_refuse(t->p, s->span, "the next round fills a tile before threads have waited");
    if (filled) of->state = EMPTY;
  }
  return t->p->st == FS_OK;
}

/* Whether a tree goes over all of a tile: from its half down to 1, or from 1 up to its half. */
static bool is_whole(struct tiler *t, const struct fs_stmt *loop, int64_t size) {
  const struct fs_expr *const *r = (const struct fs_expr *const *)loop->expr->args;
  struct fs_expr block = {.kind = FS_EX_NAME, .text = "blockDim.x", .span = loop->span};
  const struct fs_expr *begin = r[0], *last = r[2];
  int64_t first, end;
  if (size < 2 || size & (size - 1)) return false;
  if (!strcmp(r[1]->text, FS_C_DOUBLED)) { /* s = 1; s < size */
    bool one = fs_c_constant(begin, &first) && first == 1;
    if (fs_c_constant(last, &end)) return one && end == size - 1;
    return one && last->kind == FS_EX_BINARY && last->op == FS_AO_SUB &&
           same(t, last->args[0], &block) && fs_c_constant(last->args[1], &end) && end == 1;
  }
  if (!fs_c_constant(last, &end) || end != 1) return false;
  if (fs_c_constant(begin, &first)) return first == size / 2;
  bool divides = begin->kind == FS_EX_BINARY && begin->op == FS_AO_DIV;
  bool shifts = begin->kind == FS_EX_CALL && !strcmp(begin->args[0]->text, ">>");
  const struct fs_expr *of = divides ? begin->args[0] : shifts ? begin->args[1] : begin;
  const struct fs_expr *by = divides ? begin->args[1] : shifts ? begin->args[2] : NULL;
  return by && same(t, of, &block) && fs_c_constant(by, &first) && first == (divides ? 2 : 1);
}

/* t % (2*s) == 0 */
static bool is_multiple(struct tiler *t, const struct fs_expr *e, const struct fs_expr *at,
                        struct fs_expr *step) {
  int64_t zero;
  struct fs_c_poly p, q;
  if (e->kind != FS_EX_BINARY || e->op != FS_AO_EQ || !fs_c_constant(e->args[1], &zero) || zero)
    return false;
  const struct fs_expr *rest = e->args[0];
  if (rest->kind != FS_EX_CALL || strcmp(rest->args[0]->text, "%") ||
      !same(t, rest->args[1], at) || !poly(t, rest->args[2], &p) || !poly(t, step, &q))
    return false;
  return fs_c_poly_add(&p, -2, &q) && !p.n;
}

/* Whether threads t do it at their places `at`, for each step of a tree once. */
static bool goes_by(struct tiler *t, const struct fs_stmt *loop, const struct fs_expr *when,
                    const struct fs_expr *at, struct fs_expr *step, int64_t size) {
  struct fs_c_poly place, thread, one;
  struct fs_expr id = {.kind = FS_EX_NAME, .text = threads[0], .span = loop->span};
  struct fs_expr block = {.kind = FS_EX_NAME, .text = "blockDim.x", .span = loop->span};
  if (!poly(t, at, &place) || !poly(t, &id, &thread)) return false;
  bool own = same(t, at, &id);
  bool less = when->kind == FS_EX_BINARY && when->op == FS_AO_LT;
  if (strcmp(loop->expr->args[1]->text, FS_C_DOUBLED))
    return own && less && same(t, when->args[0], &id) && same(t, when->args[1], step);
  if (own) return is_multiple(t, when, &id, step);
  struct fs_expr *pair = fs_ex_binary(t->p->arena, FS_AO_MUL, step, &id); /* 2*s*t < size */
  int64_t end;
  bool all = less && same(t, when->args[0], at) &&
             (same(t, when->args[1], &block) ||
              (fs_c_constant(when->args[1], &end) && end == size));
  return all && poly(t, pair, &one) && fs_c_poly_add(&place, -2, &one) && !place.n;
}

/* Names with one value, of which a tile is in, are that: mine + other. */
static struct fs_expr *written_out(struct tiler *t, struct fs_expr *e) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  for (int k = 0; k < t->k.n_locals && e->kind == FS_EX_NAME; k++)
    if (t->k.locals[k].once && !strcmp(t->k.locals[k].name, e->text) &&
        any_tile(t, t->k.locals[k].once))
      return t->k.locals[k].once;
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : written_out(t, e->args[k]);
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

/* a < b ? a : b is min(a, b), and so on. */
static struct fs_expr *extreme(struct tiler *t, struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || strcmp(e->args[0]->text, "?:")) return e;
  const struct fs_expr *c = e->args[1];
  if (c->kind != FS_EX_BINARY || c->op < FS_AO_LT || c->op > FS_AO_GE) return e;
  bool less = c->op == FS_AO_LT || c->op == FS_AO_LE;
  bool first = same(t, c->args[0], e->args[2]) && same(t, c->args[1], e->args[3]);
  bool second = same(t, c->args[0], e->args[3]) && same(t, c->args[1], e->args[2]);
  struct fs_expr *pair[] = {e->args[2], e->args[3]};
  if (!first && !second) return e;
  return fs_ex_call(t->p->arena, less == first ? "min" : "max", e->span, 2, pair);
}

/* s[t] = s[t] + s[t + half] under t < half, and a barrier: which operation; NULL: another loop.
 * Places may lie apart, too: t % (2*half) == 0, or 2*half*t for t. */
static struct fs_expr *tree_of(struct tiler *t, const struct fs_stmt *loop, struct tile **tile) {
  const struct fs_stmt *c = loop->body, *s;
  if (c && c->kind == FS_ST_ASSIGN && !c->expr2) c = c->next; /* int index = 2*s*t; */
  s = c ? c->body : NULL;
  while (s && s->next && s->kind == FS_ST_ASSIGN && !s->expr2) s = s->next; /* float other = ...; */
  if (!c || c->kind != FS_ST_IF || c->orelse || !s || s->next || s->kind != FS_ST_ASSIGN ||
      !s->expr2 || !c->next || c->next->kind != FS_ST_BARRIER || c->next->next)
    return NULL;
  struct tile *of = *tile = tile_of(t, s->expr2);
  struct fs_expr half = {.kind = FS_EX_NAME, .text = loop->targets[0].name, .span = loop->span};
  struct fs_expr *e = extreme(t, written_out(t, s->expr)), *at = of ? s->expr2->args[2] : NULL;
  bool call = e->kind == FS_EX_CALL && e->n_args == 3 &&
              (!strcmp(e->args[0]->text, "max") || !strcmp(e->args[0]->text, "min"));
  if (!of || of->of->n_dims != 1 || of->n != 1 || of->puts[0].when || of->state != READY ||
      (!call && (e->kind != FS_EX_BINARY || e->op != FS_AO_ADD)) ||
      !is_whole(t, loop, of->of->dim[0]))
    return NULL;
  struct fs_c_poly place, other, more;
  struct fs_expr *a = e->args[call], *b = e->args[call + 1];
  if (tile_of(t, a) != of || tile_of(t, b) != of || !poly(t, at, &place)) return NULL;
  if (!same(t, a->args[2], at)) {
    struct fs_expr *c2 = a;
    a = b, b = c2;
  }
  bool fits = same(t, a->args[2], at) && poly(t, b->args[2], &other) && poly(t, &half, &more) &&
              fs_c_poly_add(&other, -1, &place) && fs_c_poly_add(&other, -1, &more) && !other.n &&
              goes_by(t, loop, c->expr, at, &half, of->of->dim[0]);
  return fits ? e : NULL;
}

/* Instead of it: what all threads of the block have put, one after the other. */
static struct fs_stmt *put_sum(struct tiler *t, struct fs_stmt *loop, struct tile *of,
                               const struct fs_expr *by) {
  struct fs_arena *arena = t->p->arena;
  struct fs_span at = loop->span;
  const struct fs_c_token sum_word = {.text = "sum", .span = at}, round_word =
      {.text = "t", .span = at};
  const char *tile = of->of->name;
  enum fs_c_type type = of->of->type;
  int64_t size = of->of->dim[0];
  struct fs_c_binding *b = fs_c_declare(t->p, &sum_word, type);
  const char *sum = b->name, *round;
  b = fs_c_declare(t->p, &round_word, FS_C_I32);
  round = b->name;
  t->p->locals.data[b->local].counts = true;
  t->k.locals = t->p->locals.data, t->k.n_locals = t->p->locals.len;
  for (int k = 0, n = 0; k < t->k.n_locals; k++)
    if (t->k.locals[k].shared) t->tiles[n++].of = &t->k.locals[k];
  for (int k = 0; k < t->n; k++)
    if (!strcmp(t->tiles[k].of->name, tile)) of = &t->tiles[k];
  struct fs_expr *range[] = {fs_ex_number(arena, at, 0, true), fs_ex_number(arena, at, 1, true),
                             fs_ex_number(arena, at, (double)(size - 1), true)};
  struct fs_stmt *rounds = fs_st_node(arena, FS_ST_FOR, at), *first =
      fs_st_node(arena, FS_ST_ASSIGN, at),
                 *add = fs_st_node(arena, FS_ST_ASSIGN, at);
  rounds->expr = fs_ex_node(arena, FS_EX_RANGE, at, 3, range);
  fs_st_target(arena, rounds, round, at);
  t->c.sym[t->c.n_syms++] =
      (struct fs_c_sym){.kind = FS_C_COUNTER, .name = round, .range = rounds->expr};
  bool call = by->kind == FS_EX_CALL;
  struct fs_expr *thread[AXES] = {fs_ex_name(arena, at, round)}, *zero[AXES] = {range[0]};
  struct fs_expr *value = of_thread(t, of->puts[0].value, thread), *left =
      fs_ex_name(arena, at, sum);
  struct fs_expr *begin = call ? of_thread(t, of->puts[0].value, zero)
      : fs_ex_number(arena, at, 0, true);
  if (!value || !begin) return NULL;
  struct fs_expr *args[] = {left, value};
  fs_st_target(arena, first, sum, at);
  first->expr = shortest(t, begin);
  fs_st_target(arena, add, sum, at);
  value = shortest(t, value);
  args[1] = value;
  add->expr = call ? fs_ex_call(arena, by->args[0]->text, at, 2, args)
      : fs_ex_binary(arena, FS_AO_ADD, left, value);
  rounds->body = add;
  first->next = rounds;
  of->sum = left;
  of->state = REDUCED;
  t->reduced = true;
  return first;
}

static struct fs_stmt *read_list(struct tiler *t, struct fs_stmt *list) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s && t->p->st == FS_OK; s = next) {
    next = s->next;
    struct tile *of = s->kind == FS_ST_ASSIGN && s->expr2 ? tile_of(t, s->expr2) : NULL;
    if (s->kind == FS_ST_BARRIER) {
      if (!t->n) fs_c_refuse(t->p, s->span, "threads wait for each other, and share no memory");
      if (t->when) fs_c_refuse(t->p, s->span, "threads wait under a condition");
      wait(t);
      continue;
    }
    if (of) {
      put_in(t, of, s);
      continue;
    }
    /* a counter that is halved */
    if (s->kind == FS_ST_FOR &&
        axis_of((const char *const[]){FS_C_HALVED, FS_C_DOUBLED, ""}, s->expr->args[1]) >= 0) {
      struct tile *tile = NULL;
      struct fs_c_sym *sym = &t->c.sym[t->c.n_syms];
      if (t->c.n_syms + 2 >= FS_C_SYMS) return NULL;
      *sym = (struct fs_c_sym){.kind = FS_C_COUNTER, .name = s->targets[0].name, .range = s->expr};
      t->c.n_syms++;
      struct fs_expr *by = t->when ? NULL : tree_of(t, s, &tile);
      if (!by) {
        fs_c_refuse(t->p, s->span,
                    "a counter that is halved or doubled is that of a tree of sums of what all "
                    "threads of a block put to their places");
        return NULL;
      }
      if (!(*at = put_sum(t, s, tile, by))) return NULL;
      at = &(*at)->next->next;
      continue;
    }
    bool fills = s->kind == FS_ST_IF && s->body;
    if (s->kind == FS_ST_IF) read_if(t, s);
    else if (s->kind == FS_ST_FOR || s->kind == FS_ST_WHILE) read_loop(t, s);
    if (s->kind != FS_ST_IF && s->expr && !(s->expr = read_tiles(t, s->expr))) break;
    if (s->expr2 && any_tile(t, s->expr2)) fs_c_refuse(t->p, s->span, "a tile is in a subscript");
    if (fills && !s->body && !s->orelse) continue; /* it filled a tile, and nothing else */
    *at = s;
    at = &s->next;
    *at = NULL;
  }
  return first;
}

/* -- threads of the grid -------------------------------------------------------------- */

/* A term with another symbol in the place of one: they stay in order. */
static struct fs_c_term exchanged(struct fs_c_term x, int at, int sym) {
  x.sym[at] = sym;
  for (int k = 1; k < x.n; k++)
    for (int j = k; j > 0 && x.sym[j - 1] > x.sym[j]; j--) {
      int other = x.sym[j];
      x.sym[j] = x.sym[j - 1];
      x.sym[j - 1] = other;
    }
  return x;
}

/* A sum in which places of blocks and of threads in them are those of threads in the grid; along
 * which axis of its block a thread is, by that of the block. */
static bool regrouped(struct tiler *t, struct fs_c_poly *q, const int *turned) {
  struct fs_c_poly out = {0};
  for (int j = 0; j < q->n; j++) { /* idx = size*blockIdx.x + threadIdx.x */
    struct fs_c_term x = q->term[j];
    int id = -1, at = 0;
    for (int s = 0; s < x.n && id < 0; s++) {
      struct fs_expr e = {.kind = FS_EX_NAME, .text = t->c.sym[x.sym[s]].name};
      id = axis_of(ids, &e), at = s;
    }
    struct fs_c_poly one = {.n = 1, .term = {x}};
    if (id >= 0) {
      if (t->p->block[id] <= 0) return false;
      struct fs_expr b = {.kind = FS_EX_NAME, .text = blocks[id]}, c =
          {.kind = FS_EX_NAME, .text = threads[id]};
      struct fs_c_poly block, thread;
      if (!poly(t, &b, &block) || !poly(t, &c, &thread)) return false;
      one = (struct fs_c_poly){0};
      struct fs_c_term y = exchanged(x, at, block.term[0].sym[0]);
      struct fs_c_term z = exchanged(x, at, thread.term[0].sym[0]);
      y.k *= t->p->block[id];
      one.n = 2, one.term[0] = y, one.term[1] = z;
    }
    if (!fs_c_poly_add(&out, 1, &one)) return false;
  }
  *q = out;
  for (int a = 0; a < AXES; a++) {
    struct fs_expr b = {.kind = FS_EX_NAME, .text = blocks[a]}, c =
        {.kind = FS_EX_NAME, .text = threads[turned[a]]};
    struct fs_expr i = {.kind = FS_EX_NAME, .text = ids[a]};
    struct fs_c_poly block, thread, id;
    if (!poly(t, &b, &block) || !poly(t, &c, &thread) || !poly(t, &i, &id)) return false;
    int from[2] = {block.term[0].sym[0], thread.term[0].sym[0]}, to = id.term[0].sym[0];
    for (int j = 0; j < q->n; j++) {
      struct fs_c_term x = q->term[j];
      int at = -1;
      for (int s = 0; s < x.n; s++)
        if (x.sym[s] == from[1]) at = s;
      if (at < 0) continue;
      struct fs_c_term with = exchanged(x, at, from[0]);
      with.k = t->p->block[a] * x.k;
      struct fs_c_poly less = {.n = 1, .term = {with}}, own = {.n = 1, .term = {x}};
      struct fs_c_poly put = {.n = 1, .term = {exchanged(x, at, to)}};
      if (!fs_c_poly_add(q, -1, &less) || !fs_c_poly_add(q, -1, &own) || !fs_c_poly_add(q, 1, &put))
        return false;
      j = -1;
    }
    for (int j = 0; j < q->n; j++)
      for (int s = 0; s < q->term[j].n; s++)
        if (q->term[j].sym[s] == from[0]) return false;
  }
  return true;
}

static bool has_name(const struct fs_expr *e, const char *const *names) {
  bool has = axis_of(names, e) >= 0;
  for (int k = 0; k < e->n_args && !has; k++) has = has_name(e->args[k], names);
  return has;
}

static bool has_thread(const struct fs_expr *e) {
  return has_name(e, threads) || has_name(e, blocks) || has_name(e, ids);
}

/* The same for all sums of an expression; NULL: some are none. */
static struct fs_expr *regroup(struct tiler *t, struct fs_expr *e, const int *turned) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  struct fs_c_poly q;
  if (!has_thread(e)) return e;
  for (int k = 0; k < t->k.n_locals && e->kind == FS_EX_NAME; k++)
    if (!strcmp(t->k.locals[k].name, e->text)) return e;
  if (poly(t, e, &q)) return regrouped(t, &q, turned) ? of_poly(t, &q, e->span) : NULL;
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    if (!(args[k] = word ? e->args[k] : regroup(t, e->args[k], turned))) return NULL;
  }
  return fs_ex_with_args(t->p->arena, e, args);
}

/* Names that stand for sums of threads are written out. */
static struct fs_expr *spelled(struct tiler *t, struct fs_expr *e) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (e->kind == FS_EX_NAME) {
    for (int k = 0; k < t->k.n_locals; k++) {
      const struct fs_c_name *l = &t->k.locals[k];
      struct fs_c_poly q;
      if (!strcmp(l->name, e->text) && l->once && poly(t, e, &q)) return of_poly(t, &q, e->span);
    }
    return e;
  }
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : spelled(t, e->args[k]);
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

/* blockDim.x is that number. */
static struct fs_expr *of_size(struct tiler *t, struct fs_expr *e, int64_t size) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (e->kind == FS_EX_NAME)
    return strcmp(e->text, "blockDim.x")
               ? e : fs_ex_number(t->p->arena, e->span, (double)size, true);
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : of_size(t, e->args[k], size);
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

static void all_of_size(struct tiler *t, struct fs_stmt *list, int64_t size) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr) s->expr = of_size(t, s->expr, size);
    if (s->expr2) s->expr2 = of_size(t, s->expr2, size);
    all_of_size(t, s->body, size);
    all_of_size(t, s->orelse, size);
  }
}

static bool in_block(const struct fs_expr *e) { return has_name(e, threads) ||
                                               has_name(e, blocks); }

/* Whether, or with `put` that, all statements are of threads of the grid. */
static bool of_grid(struct tiler *t, struct fs_stmt *list, const int *turned, bool put) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    struct fs_expr **all[] = {&s->expr, &s->expr2};
    for (int k = 0; k < 2; k++) {
      if (!*all[k]) continue;
      struct fs_expr *e = regroup(t, *all[k], turned);
      if (!e) return false;
      if (put) *all[k] = e;
    }
    if (!of_grid(t, s->body, turned, put) || !of_grid(t, s->orelse, turned, put)) return false;
  }
  return true;
}

/* Of one thread of each block: size*blockIdx.x + t. Names of threads in a block are 0. */
static struct fs_expr *of_block(struct tiler *t, struct fs_expr *e, int64_t size) {
  struct fs_arena *arena = t->p->arena;
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (axis_of(threads, e) == 0) return fs_ex_number(arena, e->span, 0, true);
  if (axis_of(threads, e) > 0 || axis_of(ids, e) > 0) return NULL;
  if (axis_of(ids, e) == 0)
    return fs_ex_binary(arena, FS_AO_MUL, fs_ex_name(arena, e->span, blocks[0]),
                        fs_ex_number(arena, e->span, (double)size, true));
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    if (!(args[k] = word ? e->args[k] : of_block(t, e->args[k], size))) return NULL;
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

/* Whether an array is stored to by thread 0 alone. */
static bool of_blocks(struct tiler *t, struct fs_stmt *list, int64_t size, bool first) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    struct fs_expr zero = {.kind = FS_EX_NUMBER, .is_int = true}, id =
        {.kind = FS_EX_NAME, .text = threads[0]};
    bool alone = s->kind == FS_ST_IF && s->expr->kind == FS_EX_BINARY && s->expr->op == FS_AO_EQ &&
                 ((same(t, s->expr->args[0], &id) && same(t, s->expr->args[1], &zero)) ||
                  (same(t, s->expr->args[1], &id) && same(t, s->expr->args[0], &zero)));
    if (s->kind == FS_ST_INDEXED && !first)
      return fs_c_refuse(t->p, s->span,
                         "behind a sum of a block thread 0 alone stores: if (threadIdx.x == 0)");
    if (alone && s->orelse) return fs_c_refuse(t->p, s->span,
                                               "behind a sum of a block thread 0 alone goes on");
    if (!of_blocks(t, s->body, size, first || alone) ||
        !of_blocks(t, s->orelse, size, first)) return false;
    struct fs_expr **all[] = {&s->expr, &s->expr2};
    for (int k = 0; k < 2; k++)
      if (*all[k]) {
        *all[k] = of_block(t, *all[k], size);
        if (!*all[k]) return fs_c_refuse(t->p, s->span, "a sum of a block is along one axis");
        if (s->kind != FS_ST_FOR) *all[k] = shortest(t, *all[k]);
      }
    if (alone) {
      s->expr = fs_ex_node(t->p->arena, FS_EX_BOOL, s->span, 0, NULL);
      s->expr->number = 1;
    }
  }
  return true;
}

/* By remainders: idx % 16 and idx / 16. */
static struct fs_expr *by_remainder(struct tiler *t, struct fs_expr *e) {
  struct fs_arena *arena = t->p->arena;
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  int a = axis_of(threads, e), b = axis_of(blocks, e), axis = a >= 0 ? a : b;
  if (axis >= 0) {
    if (t->p->block[axis] <= 0) return NULL;
    struct fs_expr *size = fs_ex_number(arena, e->span, (double)t->p->block[axis], true);
    struct fs_expr *pair[] = {fs_ex_name(arena, e->span, ids[axis]), size};
    if (a < 0) return fs_ex_binary(arena, FS_AO_DIV, pair[0], pair[1]);
    return fs_ex_call(arena, "%", e->span, 2, pair);
  }
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    if (!(args[k] = word ? e->args[k] : by_remainder(t, e->args[k]))) return NULL;
  }
  return e->n_args ? fs_ex_with_args(t->p->arena, e, args) : e;
}

static bool by_remainders(struct tiler *t, struct fs_stmt *list) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr && !(s->expr = by_remainder(t, s->expr))) return false;
    if (s->expr2 && !(s->expr2 = by_remainder(t, s->expr2))) return false;
    if (!by_remainders(t, s->body) || !by_remainders(t, s->orelse)) return false;
  }
  return true;
}

/* Declarations of what is written out go, and so does what stood for threads in others. */
static struct fs_stmt *spell(struct tiler *t, struct fs_stmt *list, bool *blocks_left,
                             struct fs_span *where) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s; s = next) {
    next = s->next;
    bool gone = false;
    struct fs_c_poly q;
    for (int k = 0; k < t->k.n_locals && s->kind == FS_ST_ASSIGN && !s->expr2; k++) {
      const struct fs_c_name *l = &t->k.locals[k];
      struct fs_expr e = {.kind = FS_EX_NAME, .text = l->name, .span = s->span};
      gone |= !strcmp(l->name, s->targets[0].name) && l->once && poly(t, &e, &q);
    }
    if (gone) continue;
    if (s->expr) s->expr = spelled(t, s->expr);
    if (s->expr2) s->expr2 = spelled(t, s->expr2);
    for (int k = 0; k < 2; k++) {
      struct fs_expr *e = k ? s->expr2 : s->expr;
      if (!e || !in_block(e) || *blocks_left) continue;
      *blocks_left = true;
      *where = e->span;
    }
    bool had = s->body || s->orelse;
    s->body = spell(t, s->body, blocks_left, where);
    s->orelse = spell(t, s->orelse, blocks_left, where);
    if (had && s->kind == FS_ST_IF && !s->body && !s->orelse) continue; /* it filled a tile */
    *at = s;
    at = &s->next;
    *at = NULL;
  }
  return first;
}

/* -- loops over tiles ----------------------------------------------------------------- */

/* Whether all sums have the counters of two loops as one: 16*outer + inner. With `put`, inner is
 * that from then on. */
static bool is_one_counter(struct tiler *t, struct fs_expr **e, const char *outer,
                           const char *inner,
                           int64_t size, bool put) {
  struct fs_c_poly q, without = {0};
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (poly(t, *e, &q)) {
    for (int j = 0; j < q.n; j++) {
      struct fs_c_term x = q.term[j], other;
      int at = -1, of_inner = -1;
      for (int s = 0; s < x.n; s++) {
        if (!strcmp(t->c.sym[x.sym[s]].name, outer)) at = s;
        if (!strcmp(t->c.sym[x.sym[s]].name, inner)) of_inner = s;
      }
      if (at >= 0 && of_inner >= 0) return false;
      if (at < 0 && of_inner < 0 &&
          !fs_c_poly_add(&without, 1, &(struct fs_c_poly){.n = 1, .term = {x}}))
        return false;
      if (of_inner >= 0 &&
          !fs_c_poly_add(&without, 1, &(struct fs_c_poly){.n = 1, .term = {x}})) return false;
      if (at < 0 && of_inner < 0) continue;
      struct fs_expr i = {.kind = FS_EX_NAME, .text = at < 0 ? outer : inner};
      struct fs_c_poly sym;
      if (!poly(t, &i, &sym)) return false;
      other = exchanged(x, at < 0 ? of_inner : at, sym.term[0].sym[0]);
      if (at >= 0 && x.k % size) return false;
      other.k = at < 0 ? x.k * size : x.k / size;
      struct fs_c_poly both = q;
      struct fs_c_poly one = {.n = 1, .term = {other}};
      if (!fs_c_poly_add(&both, -1, &one) || both.n != q.n - 1) return false; /* no partner */
    }
    if (put) *e = of_poly(t, &without, (*e)->span);
    return true;
  }
  for (int k = 0; k < (*e)->n_args; k++) {
    bool word = k == 0 && ((*e)->kind == FS_EX_CALL || (*e)->kind == FS_EX_INDEX);
    args[k] = (*e)->args[k];
    if (!word && !is_one_counter(t, &args[k], outer, inner, size, put)) return false;
  }
  if (put && (*e)->n_args) *e = fs_ex_with_args(t->p->arena, *e, args);
  return true;
}

static bool one_counter(struct tiler *t, struct fs_stmt *list, const char *outer, const char *inner,
                        int64_t size, bool put) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr && !is_one_counter(t, &s->expr, outer, inner, size, put)) return false;
    if (s->expr2 && !is_one_counter(t, &s->expr2, outer, inner, size, put)) return false;
    if (!one_counter(t, s->body, outer, inner, size, put)) return false;
    if (!one_counter(t, s->orelse, outer, inner, size, put)) return false;
  }
  return true;
}

static bool leaves(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind == FS_ST_BREAK || leaves(s->body) || leaves(s->orelse)) return true;
  return false;
}

/* for t < n/16; for k < 16: s += A[16*t + k]   is   for k < 16*(n/16): s += A[k] */
static void join_loops(struct tiler *t, struct fs_stmt *list) {
  struct fs_arena *arena = t->p->arena;
  for (struct fs_stmt *s = list; s; s = s->next) {
    struct fs_stmt *in = s->body;
    join_loops(t, s->body);
    join_loops(t, s->orelse);
    int64_t first[2], step[2], last;
    if (s->kind != FS_ST_FOR || !in || in->kind != FS_ST_FOR || in->next ||
        leaves(in->body)) continue;
    const struct fs_expr *a = s->expr, *b = in->expr;
    if (!fs_c_constant(a->args[0], &first[0]) ||
        !fs_c_constant(b->args[0], &first[1]) ||
        !fs_c_constant(a->args[1], &step[0]) || !fs_c_constant(b->args[1], &step[1]) ||
        !fs_c_constant(b->args[2], &last) || first[0] || first[1] || step[0] != 1 ||
            step[1] != 1)
      continue;
    const char *outer = s->targets[0].name, *inner = in->targets[0].name;
    if (!one_counter(t, in->body, outer, inner, last + 1, false)) continue;
    one_counter(t, in->body, outer, inner, last + 1, true);
    struct fs_expr *one = fs_ex_number(arena, a->span, 1, true);
    struct fs_expr *rounds = fs_ex_binary(arena, FS_AO_ADD, a->args[2], one);
    struct fs_expr *size = fs_ex_number(arena, a->span, (double)(last + 1), true);
    struct fs_expr *end =
        fs_ex_binary(arena, FS_AO_SUB, fs_ex_binary(arena, FS_AO_MUL, rounds, size), one);
    struct fs_expr *range[] = {b->args[0], b->args[1], end};
    s->targets = in->targets;
    s->expr = fs_ex_node(arena, FS_EX_RANGE, a->span, 3, range);
    s->body = in->body;
  }
}

/* -- all ------------------------------------------------------------------------------ */

bool fs_c_read_tiles(struct fs_c_reader *p, struct fs_stmt **body) {
  struct tiler t = {.p = p};
  t.k = (struct fs_c_kernel){.n_params = p->params.len, .params = p->params.data,
                             .n_locals = p->locals.len, .locals = p->locals.data};
  t.c = (struct fs_c_call){.diags = p->diags, .arena = p->arena, .k = &t.k};
  for (int k = 0; k < p->locals.len; k++) {
    if (!p->locals.data[k].shared) continue;
    if (t.n == MOST_TILES) return fs_c_refuse(p, p->locals.data[k].span,
                                              "a kernel has up to eight tiles");
    t.tiles[t.n++] = (struct tile){.of = &p->locals.data[k]};
  }
  *body = read_list(&t, *body);
  if (p->st != FS_OK || !t.n) return p->st == FS_OK;
  static const int turns[][AXES] = {{0, 1, 2}, {1, 0, 2}};
  bool left = false;
  int64_t size = 0;
  for (int k = 0; k < t.n && t.reduced; k++)
    if (t.tiles[k].state == REDUCED) size = t.tiles[k].of->dim[0];
  if (size) all_of_size(&t, *body, size);
  for (int k = 0; k < p->locals.len && size; k++)
    if (p->locals.data[k].once)
      p->locals.data[k].once = of_size(&t, p->locals.data[k].once, size);
  struct fs_span where = {0};
  *body = spell(&t, *body, &left, &where);
  int way = 0, ways = p->block[0] > 0 && p->block[0] == p->block[1] ? 2 : 1;
  if (t.reduced) {
    if (p->block[0] && p->block[0] != size)
      return fs_c_refuse(p, t.tiles[0].of->span,
                         "a sum of a block is of as many as it has threads");
    p->block[0] = size;
    return of_blocks(&t, *body, size, false);
  }
  while (left && way < ways && !of_grid(&t, *body, turns[way], false)) way++;
  if (way == ways && !by_remainders(&t, *body))
    return fs_c_refuse(p, where,
                       "by its place in its block alone a thread does not know what it does here");
  if (left && way < ways) of_grid(&t, *body, turns[way], true);
  join_loops(&t, *body);
  return true;
}
