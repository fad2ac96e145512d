/* simplify.c - the rewrite rules over graphs; docs/ir.md lists them with names.
 *
 * in:  a checked graph          out: a new one with the same outputs
 *
 * Two kinds of pass: `rewrite` walks the nodes in order (operands come before
 * their uses) and builds each anew by the rules, again until no rule applies;
 * canon.c then numbers the result in an order that depends on its structure
 * only. No rule but scalar-factor changes a rounding; none is wrong for NaN,
 * Inf or signed zeros.
 *
 * needs: a legal graph; keeps: outputs, order of barriers, names; spoils: ids */
#include "core/base/rules.h"
#include "core/graph/internal.h"

enum {
  CHEAP_MAPS = 8,    /* a cone of at most so many maps is computed again rather
                        than stored for a slice of it                       */
  LARGE = 1 << 16,   /* where it has so many elements, at most              */
  MOST_AGAIN = 32,   /* ... so many maps for all of its slices together,    */
  MOST_BESIDE = 8,   /* ... so many if it is an output, stored anyway       */
  MANY = 1 << 12,    /* ... and for one element a cone of any that has so many */
  PUSH_BUDGET = 64,  /* nodes that one view may be pushed through           */
  MIRROR_CONE = 16,  /* maps looked through for B + B'                      */
  MAX_FACTORS = 16,  /* scalar factors taken out of one sum                 */
  MAX_ROUNDS = 8
};

/* What is known of a new node: how many nodes use it. */
struct use {
  uint32_t uses;
  int segment;   /* barriers before it */
  bool output;
  bool known;    /* false: made inside a rule, used once */
};

struct rewrite {
  const struct fs_graph *from;
  struct fs_graph *to;
  fs_id *map;         /* from -> to */
  struct use *old;    /* by id of `from` */
  bool *mirror;       /* views of `from` to be pushed whole (B + B') */
  const bool *which;  /* those of `from` that are written out; or NULL */
  FS_VEC(struct use) use; /* by id of `to` */
  int segment;
  bool changed;
};

/* -- liveness and uses ----------------------------------------------------- */

static void count_uses(struct rewrite *rw) {
  const struct fs_graph *g = rw->from;
  for (int k = 0; k < g->outputs.len; k++) {
    rw->old[g->outputs.data[k]].known = true;
    rw->old[g->outputs.data[k]].output = true;
  }
  for (int id = g->nodes.len - 1; id > 0; id--) {
    const struct fs_node *n = &g->nodes.data[id];
    if (!rw->old[id].known) continue; /* dead */
    for (int k = 0; k < n->n_src; k++) {
      int twin = 0; /* x .* x uses it once */
      while (n->src[twin] != n->src[k]) twin++;
      rw->old[n->src[k]].known = true;
      rw->old[n->src[k]].uses += twin == k;
    }
  }
}

static struct use *use_of(struct rewrite *rw, fs_id id) {
  while (rw->use.len < rw->to->nodes.len)
    *FS_PUSH(&rw->use) = (struct use){.segment = rw->segment};
  return &rw->use.data[id];
}

/* May a view move through this node, so that the node itself is not needed? */
static bool is_single_use(struct rewrite *rw, fs_id id) {
  const struct use *u = use_of(rw, id);
  if (u->segment != rw->segment) return false;
  return !u->known || (u->uses <= 1 && !u->output);
}

/* Whether an element of it is computed again, whoever else uses it: else all of it would be
 * stored for that one. What is an output is stored anyway. */
static bool is_computed_again(struct rewrite *rw, fs_id id) {
  const struct use *u = use_of(rw, id);
  return u->segment == rw->segment && !u->output;
}

/* -- cones ----------------------------------------------------------------- */

/* Is the node computed by few maps from leaves only? Counts them in *maps. */
static bool is_cheap(const struct fs_graph *g, fs_id id, int *maps) {
  const struct fs_node *n = fs_node(g, id);
  if (n->shape.rank == 0) return true;
  switch (n->kind) {
    case FS_ND_INPUT: case FS_ND_IOTA: case FS_ND_RAND: case FS_ND_RANDN:
      return true;
    case FS_ND_VIEW:
      return is_cheap(g, n->src[0], maps);
    case FS_ND_MAP:
      *maps += fs_map_weight(n);
      if (*maps > CHEAP_MAPS) return false;
      for (int k = 0; k < n->n_src; k++)
        if (!is_cheap(g, n->src[k], maps)) return false;
      return true;
    default:
      return false;
  }
}

static bool is_transpose(const struct fs_graph *g, const struct fs_node *n) {
  return n->kind == FS_ND_VIEW &&
         fs_view_is_permutation(&n->view, &fs_node(g, n->src[0])->shape,
                                &n->shape);
}

/* Finds B and B' below one map, with only maps in between, and marks the view:
 * no common order of the axes could serve both. */
static void mark_mirrors(struct rewrite *rw, fs_id top) {
  const struct fs_graph *g = rw->from;
  fs_id seen[MIRROR_CONE] = {top}, views[MIRROR_CONE];
  int n_seen = 1, n_views = 0;
  for (int at = 0; at < n_seen; at++) {
    const struct fs_node *n = fs_node(g, seen[at]);
    for (int k = 0; n->kind == FS_ND_MAP && k < n->n_src; k++) {
      const struct fs_node *s = fs_node(g, n->src[k]);
      if (s->shape.rank < 2) continue;
      if (is_transpose(g, s) && n_views < MIRROR_CONE)
        views[n_views++] = n->src[k];
      if (s->kind == FS_ND_MAP && n_seen < MIRROR_CONE)
        seen[n_seen++] = n->src[k];
    }
  }
  for (int k = 0; k < n_views; k++) {
    fs_id src = fs_node(g, views[k])->src[0];
    int maps = 0;
    for (int j = 1; j < n_seen; j++)
      if (seen[j] == src && is_cheap(g, src, &maps)) rw->mirror[views[k]] = true;
  }
}

static void find_mirrors(struct rewrite *rw) {
  const struct fs_graph *g = rw->from;
  bool any = false;
  for (int id = 1; id < g->nodes.len && !any; id++)
    any = g->nodes.data[id].shape.rank > 1 &&
          is_transpose(g, &g->nodes.data[id]);
  for (int id = 1; id < g->nodes.len && any; id++)
    if (rw->old[id].known && g->nodes.data[id].kind == FS_ND_MAP &&
        g->nodes.data[id].shape.rank > 1)
      mark_mirrors(rw, (fs_id)id);
}

/* -- pushing views toward the leaves --------------------------------------- */

struct push {
  bool whole;   /* renames too; only for cheap cones */
  bool cheap;   /* the cone is cheap: uses do not matter */
  bool one;     /* ... one element of many is: all but that of outputs */
  int budget;
};

static fs_id push_view(struct rewrite *rw, struct push *p, fs_id src,
                       const struct fs_view *view,
                       const struct fs_shape *shape);

/* Runs with the spans of the node that is being built anew. */
#define WITH_SPANS_OF(rw, node)                                   \
  const struct fs_node saved_ = {.span = (rw)->to->span, .stmt = (rw)->to->stmt, \
                                 .inner = (rw)->to->inner, .turn = (rw)->to->turn}; \
  fs_graph_come_from((rw)->to, node)
#define RESTORE_SPANS(rw) fs_graph_come_from((rw)->to, &saved_)

/* (map f xs)!i = f(xs!i) */
static fs_id push_through_map(struct rewrite *rw, struct push *p,
                              const struct fs_node *n,
                              const struct fs_view *view,
                              const struct fs_shape *shape) {
  fs_id src[FS_MOST_SRC];
  for (int k = 0; k < n->n_src; k++) {
    bool scalar = fs_node(rw->to, n->src[k])->shape.rank == 0;
    int twin = 0; /* x .* x goes down once */
    while (n->src[twin] != n->src[k]) twin++;
    if (scalar) src[k] = n->src[k];
    else if (twin < k) src[k] = src[twin];
    else src[k] = push_view(rw, p, n->src[k], view, shape);
  }
  WITH_SPANS_OF(rw, n);
  fs_id id = fs_graph_map_like(rw->to, n, src);
  RESTORE_SPANS(rw);
  return id;
}

/* A slice of the kept axes: the source is sliced, the reduced axes stay whole
 * and keep their places among the others. */
static fs_id push_through_reduce(struct rewrite *rw, struct push *p,
                                 const struct fs_node *n,
                                 const struct fs_view *slice,
                                 const struct fs_shape *middle) {
  struct fs_shape in = fs_node(rw->to, n->src[0])->shape, shape = {0};
  struct fs_view v = {.src_rank = in.rank};
  int place[FS_MAX_RANK], kept = 0;
  for (int k = 0; k < FS_MAX_RANK; k++) place[k] = -1;
  unsigned axes = 0;
  for (int s = 0; s < in.rank; s++) {
    if (n->axes >> s & 1) {
      axes |= 1u << shape.rank;
      v.axis[s] = (int8_t)shape.rank;
      v.step[s] = 1;
      shape.dim[shape.rank++] = in.dim[s];
      continue;
    }
    int a = slice->axis[kept];
    v.off[s] = slice->off[kept];
    v.step[s] = slice->step[kept++];
    v.axis[s] = -1;
    if (a < 0) continue;
    if (place[a] < 0) {
      place[a] = shape.rank;
      shape.dim[shape.rank++] = middle->dim[a];
    }
    v.axis[s] = (int8_t)place[a];
  }
  fs_id src = push_view(rw, p, n->src[0], &v, &shape);
  WITH_SPANS_OF(rw, n);
  fs_id id = fs_graph_reduce(rw->to, n->op, src, axes);
  RESTORE_SPANS(rw);
  return id;
}

/* The depth of this recursion is bounded by the budget. */
static fs_id push_view(struct rewrite *rw, struct push *p, fs_id src,
                       const struct fs_view *view,
                       const struct fs_shape *result) {
  struct fs_node n = *fs_node(rw->to, src);
  struct fs_view v = *view, slice, rename;
  struct fs_shape shape = *result, middle;
  if (n.shape.rank == 0) return fs_graph_view(rw->to, src, view, result);
  if (n.kind == FS_ND_VIEW) {
    v = fs_view_compose(&n.view, view);
    fs_view_squeeze(&v, &shape);
    src = n.src[0];
    n = *fs_node(rw->to, src);
  }
  bool slices = fs_view_split(&v, &n.shape, &shape, &slice, &middle, &rename);
  bool through = n.kind == FS_ND_MAP && n.shape.rank > 0;
  if (through)
    through = p->cheap || is_single_use(rw, src) || (p->one && is_computed_again(rw, src));
  if (n.kind == FS_ND_REDUCE && n.shape.rank > 0)
    through = is_single_use(rw, src);
  if (fs_view_is_identity(&v, &n.shape, &shape)) return src;
  if (!through || !(slices || p->whole) || p->budget <= 0)
    return fs_graph_view(rw->to, src, &v, &shape);
  p->budget--;
  rw->changed = true;
  if (p->whole && n.kind == FS_ND_MAP)
    return push_through_map(rw, p, &n, &v, &shape);
  if (!slices) return fs_graph_view(rw->to, src, &v, &shape);
  fs_id id = n.kind == FS_ND_MAP
                 ? push_through_map(rw, p, &n, &slice, &middle)
                 : push_through_reduce(rw, p, &n, &slice, &middle);
  return fs_graph_view(rw->to, id, &rename, &shape);
}

/* Whether a cheap cone is computed again for each slice of it, rather than stored and read.
 * The five slices of a filter's first pass would be 40 maps an element, for one that is read. */
static bool pays_again(struct rewrite *rw, fs_id id, int maps) {
  const struct use *u = use_of(rw, id);
  if (fs_shape_count(&fs_node(rw->to, id)->shape) < LARGE) return true;
  return u->uses <= 1 || maps * (int64_t)u->uses <= (u->output ? MOST_BESIDE : MOST_AGAIN);
}

static fs_id rewrite_view(struct rewrite *rw, fs_id old,
                          const struct fs_node *n) {
  fs_id src = rw->map[n->src[0]];
  int maps = 0;
  struct push p = {.budget = PUSH_BUDGET, .whole = rw->mirror[old]};
  p.cheap = use_of(rw, src)->segment == rw->segment &&
            is_cheap(rw->to, src, &maps) && pays_again(rw, src, maps);
  p.whole = p.whole && p.cheap;
  p.one = n->shape.rank == 0 && fs_shape_count(&fs_node(rw->to, src)->shape) >= MANY;
  return push_view(rw, &p, src, &n->view, &n->shape);
}

/* -- maps ------------------------------------------------------------------ */

/* The operand that the map is equal to, or 0. */
static fs_id map_is_operand(const struct fs_graph *g, const struct fs_node *n,
                            const fs_id *src) {
  const struct fs_node *a = fs_node(g, src[0]);
  bool map = a->kind == FS_ND_MAP;
  switch (n->op) {
    case FS_OP_COPY: return fs_graph_is_loose(g, src[0]) ? 0 : src[0];
    case FS_OP_NEG: case FS_OP_NOT:
      return map && a->op == n->op ? a->src[0] : 0;
    case FS_OP_WHERE: return src[1] == src[2] ? src[1] : 0;
    case FS_OP_CAST:
      if (a->dtype == n->dtype) return src[0];
      if (!map || a->op != FS_OP_CAST) return 0;
      if (fs_node(g, a->src[0])->dtype != n->dtype) return 0;
      return fs_dtype_holds(a->dtype, n->dtype) ? a->src[0] : 0;
    default: return 0;
  }
}

static fs_id rewrite_map(struct rewrite *rw, const struct fs_node *n) {
  fs_id src[FS_MOST_SRC] = {0};
  for (int k = 0; k < n->n_src; k++) src[k] = rw->map[n->src[k]];
  fs_id same = map_is_operand(rw->to, n, src);
  if (!same) return fs_graph_map_like(rw->to, n, src);
  rw->changed = true;
  if (fs_node(rw->to, same)->shape.rank == n->shape.rank) return same;
  return fs_graph_view(rw->to, same, &(struct fs_view){0}, &n->shape);
}

/* -- sums ------------------------------------------------------------------ */

/* If *operand is s*M, or (s*M)' , with a scalar s and M of the operand's size:
 * gives s and makes it M, or M'. Else 0. */
static fs_id take_factor(struct rewrite *rw, fs_id *operand,
                         struct fs_node *mul) {
  struct fs_graph *g = rw->to;
  struct fs_node x = *fs_node(g, *operand);
  struct fs_node m = x;
  if (is_transpose(g, &x)) m = *fs_node(g, x.src[0]);
  if (m.kind != FS_ND_MAP || m.op != FS_OP_MUL || m.shape.rank == 0) return 0;
  int s = fs_node(g, m.src[0])->shape.rank == 0 ? 0 : 1;
  if (fs_node(g, m.src[s])->shape.rank != 0) return 0;
  *mul = m;
  *operand = m.src[1 - s];
  if (x.kind == FS_ND_VIEW)
    *operand = fs_graph_view(g, *operand, &x.view, &x.shape);
  return m.src[s];
}

/* Rule scalar-factor: a scalar factor of a matrix-vector product is applied to
 * the result, sum((s*M) .* v) -> s * sum(M .* v), so that beta*B'*y, which is
 * ((beta*B')*y), is what sax(beta, sgemtv(B, y)) is. */
static fs_id rewrite_reduce(struct rewrite *rw, const struct fs_node *n) {
  struct fs_graph *g = rw->to;
  fs_id src = rw->map[n->src[0]], scalar[MAX_FACTORS];
  struct fs_node top = *fs_node(g, src), mul[MAX_FACTORS];
  int found = 0;
  if (n->op == FS_RD_SUM && fs_dtype_is_full(n->dtype) &&
      top.kind == FS_ND_MAP && top.op == FS_OP_MUL &&
      fs_node(g, top.src[0])->shape.rank && fs_node(g, top.src[1])->shape.rank)
    while (found < MAX_FACTORS) {
      scalar[found] = take_factor(rw, &top.src[0], &mul[found]);
      if (!scalar[found])
        scalar[found] = take_factor(rw, &top.src[1], &mul[found]);
      if (!scalar[found]) break;
      found++;
    }
  if (!found) return fs_graph_reduce(g, n->op, src, n->axes);
  rw->changed = true;
  fs_graph_come_from(g, &top);
  src = fs_graph_map(g, FS_OP_MUL, 2, top.src, top.dtype);
  fs_graph_come_from(g, n);
  fs_id id = fs_graph_reduce(g, n->op, src, n->axes);
  while (found-- > 0) {
    fs_graph_come_from(g, &mul[found]);
    id = fs_graph_map(g, FS_OP_MUL, 2, (fs_id[]){scalar[found], id}, n->dtype);
  }
  return id;
}

/* -- updates --------------------------------------------------------------- */

/* Rule covered-update: of an update whose part lies within that of the next one nothing
 * is left, A[1, 2] += 1; A[1, 2] *= 2. */
static fs_id rewrite_update(struct rewrite *rw, const struct fs_node *n) {
  const struct fs_shape *part = &fs_node(rw->from, n->src[1])->shape;
  fs_id base = rw->map[n->src[0]];
  for (;;) {
    const struct fs_node *b = fs_node(rw->to, base);
    struct fs_view unused;
    if (b->kind != FS_ND_UPDATE || b->dtype != n->dtype || !is_single_use(rw, base) ||
        fs_view_in_part(&b->view, &fs_node(rw->to, b->src[1])->shape, &n->view, part, &unused) !=
            FS_VIEW_WITHIN)
      break;
    base = b->src[0];
    rw->changed = true;
  }
  return fs_graph_update(rw->to, base, n->dtype, &n->shape, rw->map[n->src[1]], part, &n->view);
}

/* -- the walk -------------------------------------------------------------- */

/* The axis of the inner extent of an operand. */
static int inner_axis(const struct fs_node *n, int operand) {
  return (operand == 0) ^ (n->lib_flags >> operand & 1);
}

/* Column k of op(A), or row k of op(B), as a matrix of the product's shape. */
static fs_id line_of_operand(struct rewrite *rw, const struct fs_node *n, int operand, int64_t k) {
  int along = inner_axis(n, operand);
  struct fs_view v = {.src_rank = 2, .step = {1, 1}};
  v.axis[along] = -1, v.off[along] = k;
  v.axis[1 - along] = (int8_t)operand;
  return fs_graph_view(rw->to, rw->map[n->src[operand]], &v, &n->shape);
}

/* A*B of few columns, or few rows, as sum(A .* B[:,1]', 2) in its first column, and so on. Each of
 * them goes over the larger operand: together they go over it once. */
static fs_id write_out_few(struct rewrite *rw, const struct fs_node *n) {
  struct fs_lib_sizes s = fs_lib_sizes(n);
  int few = s.right <= s.rows; /* the operand that is so many vectors */
  fs_id matrix = rw->map[n->src[!few]], whole = 0;
  struct fs_shape shape = fs_node(rw->to, matrix)->shape;
  struct fs_shape part = {1, {FS_MAX(s.rows, s.right)}};
  for (int64_t k = 0; k < FS_MIN(s.rows, s.right); k++) {
    struct fs_view v = {.src_rank = 2, .step = {1, 1}}, to = v;
    int along = inner_axis(n, few), inner = inner_axis(n, !few);
    v.axis[along] = (int8_t)inner, v.axis[1 - along] = -1, v.off[1 - along] = k;
    to.axis[!few] = 0, to.axis[few] = -1, to.off[few] = k;
    fs_id src[2] = {matrix, fs_graph_view(rw->to, rw->map[n->src[few]], &v, &shape)};
    fs_id product = fs_graph_map(rw->to, FS_OP_MUL, 2, src, n->dtype);
    fs_id sum = fs_graph_reduce(rw->to, FS_RD_SUM, product, 1u << inner);
    whole = fs_graph_update(rw->to, whole, n->dtype, &n->shape, sum, &part, &to);
  }
  return whole;
}

static bool is_short(const struct fs_lib_sizes *s) {
  int few = (int)fs_number(FS_PLAN_WRITTEN_OUT_FEW);
  return s->columns <= fs_number(FS_PLAN_WRITTEN_OUT) ||
         (s->columns <= few && FS_MIN(s->rows, s->right) <= few);
}

/* A*B as A[:,1]*B[1,:] + A[:,2]*B[2,:] + ..., each added with one rounding. */
static fs_id write_out(struct rewrite *rw, const struct fs_node *n) {
  struct fs_lib_sizes s = fs_lib_sizes(n);
  int64_t inner = s.columns;
  fs_id sum = 0;
  rw->changed = true;
  if (!is_short(&s)) return write_out_few(rw, n);
  for (int64_t k = 0; k < inner; k++) {
    fs_id src[3] = {line_of_operand(rw, n, 0, k), line_of_operand(rw, n, 1, k), sum};
    sum = fs_graph_map(rw->to, k ? FS_OP_FMA : FS_OP_MUL, k ? 3 : 2, src, n->dtype);
  }
  return sum;
}

static fs_id write_out_centred(struct rewrite *rw, struct fs_node n) {
  n.src[0] = rw->map[n.src[0]];
  rw->changed = true;
  return fs_graph_centred(rw->to, &n);
}

static fs_id rewrite_leaf(struct rewrite *rw, struct fs_node n) {
  if (n.kind == FS_ND_INPUT) {
    return fs_graph_input_like(rw->to, &rw->from->inputs.data[n.slot], n.dtype, &n.shape);
  }
  for (int k = 0; k < n.n_src; k++) n.src[k] = rw->map[n.src[k]];
  return fs_graph_intern(rw->to, &n);
}

static fs_id rewrite_node(struct rewrite *rw, fs_id id) {
  const struct fs_node *n = fs_node(rw->from, id);
  fs_graph_come_from(rw->to, n);
  switch (n->kind) {
    case FS_ND_MAP: return rewrite_map(rw, n);
    case FS_ND_REDUCE:
      if (rw->which && rw->which[id]) return write_out_centred(rw, *n);
      return rewrite_reduce(rw, n);
    case FS_ND_VIEW: return rewrite_view(rw, id, n);
    case FS_ND_UPDATE: return rewrite_update(rw, n);
    case FS_ND_LIB:
      if (rw->which && rw->which[id]) return write_out(rw, n);
      return rewrite_leaf(rw, *n);
    default: return rewrite_leaf(rw, *n);
  }
}

static void rewrite_all(struct rewrite *rw) {
  const struct fs_graph *g = rw->from;
  for (int id = 1; id < g->nodes.len; id++) {
    while (rw->segment < g->barriers.len &&
           g->barriers.data[rw->segment] <= (fs_id)id) {
      use_of(rw, 0);
      *FS_PUSH(&rw->to->barriers) = (fs_id)rw->to->nodes.len;
      rw->segment++;
    }
    if (!rw->old[id].known) continue;
    fs_id now = rw->map[id] = rewrite_node(rw, (fs_id)id);
    struct use *u = use_of(rw, now);
    u->known = true;
    u->uses += rw->old[id].uses;
    u->output |= rw->old[id].output;
  }
  for (int k = 0; k < g->outputs.len; k++)
    fs_graph_output(rw->to, rw->map[g->outputs.data[k]],
                    g->output_names.data[k]);
}

/* One round. *changed: whether a rule applied. */
static struct fs_graph *rewrite_round(const struct fs_graph *g, const bool *which,
                                      bool *changed) {
  struct rewrite rw = {.from = g, .to = fs_graph_new(), .which = which};
  size_t n = (size_t)g->nodes.len;
  rw.map = fs_calloc(n, sizeof *rw.map);
  rw.old = fs_calloc(n, sizeof *rw.old);
  rw.mirror = fs_calloc(n, sizeof *rw.mirror);
  for (int k = 0; k < g->params.len; k++)
    *FS_PUSH(&rw.to->params) = g->params.data[k];
  for (int k = 0; k < g->params.len; k++)
    *FS_PUSH(&rw.to->literals) = g->literals.data[k];
  count_uses(&rw);
  find_mirrors(&rw);
  rewrite_all(&rw);
  *changed = rw.changed;
  free(rw.map);
  free(rw.old);
  free(rw.mirror);
  FS_VEC_FREE(&rw.use);
  return rw.to;
}

struct fs_graph *fs_graph_simplify(const struct fs_graph *g) {
  return fs_graph_write_out(g, NULL);
}

bool fs_graph_may_write_out(const struct fs_node *n) {
  enum { FEW = 8 }; /* sums of each column that a thread has in registers */
  if (n->kind != FS_ND_LIB || n->op != FS_LIB_GEMM || !fs_dtype_is_full(n->dtype)) return false;
  struct fs_lib_sizes s = fs_lib_sizes(n);
  return !s.batch.rank && s.rows > 1 && s.right > 1 && s.columns > 1 &&
         (is_short(&s) || FS_MIN(s.rows, s.right) <= FEW);
}

/* A simplified graph knows where its params come from. */
static void trace_back(const struct fs_graph *g, struct fs_graph *out) {
  for (int k = 0; g->origins.len && k < out->origins.len; k++) {
    int *at = &out->origins.data[k];
    *at = *at < g->origins.len ? g->origins.data[*at] : INT32_MAX;
  }
}

struct fs_graph *fs_graph_write_out(const struct fs_graph *g, const bool *which) {
  const struct fs_graph *now = g;
  bool changed = true;
  for (int round = 0; changed && round < MAX_ROUNDS && !(round && fs_interrupted()); round++) {
    struct fs_graph *next = rewrite_round(now, round ? NULL : which, &changed);
    if (now != g) fs_graph_free((struct fs_graph *)now);
    now = next;
  }
  fs_graph_anchor((struct fs_graph *)now);
  struct fs_graph *out = fs_graph_canonical(now);
  trace_back(g, out);
  fs_graph_anchor(out);
  fs_graph_find_outer(out);
  fs_graph_free((struct fs_graph *)now);
  return out;
}
