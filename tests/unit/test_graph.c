/* test_graph.c - graphs: building and consing, the algebra of views against a
 * brute-force evaluator, simplification that keeps every value, equal graphs for
 * programs that say the same thing. Prints "N passed, N failed". */
#include <stdio.h>

#include "core/graph/internal.h"
#include "core/run/tensor.h"
#include "tests/unit/check.h"
#include "tests/unit/reductions.h"

/* -- random numbers, shapes, views ----------------------------------------- */

static uint64_t state = 1;

static uint64_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return fs_mix(0, state >> 11);
}
static int upto(int n) { return (int)(next() % (uint64_t)n); }

static struct fs_shape shape_of(int rank, int64_t a, int64_t b, int64_t c,
                                int64_t d) {
  return (struct fs_shape){rank, {a, b, c, d}};
}

static struct fs_shape random_shape(int max_rank) {
  struct fs_shape s = {upto(max_rank + 1), {0}};
  for (int k = 0; k < s.rank; k++) s.dim[k] = 2 + upto(3);
  if (s.rank && upto(60) == 0) s.dim[upto(s.rank)] = 0;
  return s;
}

/* A legal view of `src`: each source axis fixed, or read by a slice on a result
 * axis; now and then two share an axis, and axes are broadcast. */
static struct fs_view random_view(const struct fs_shape *src,
                                  struct fs_shape *result) {
  struct fs_view v = {.src_rank = src->rank};
  struct fs_shape r = {0};
  int axes[FS_MAX_RANK], n = 0;
  for (int s = 0; s < src->rank; s++) {
    bool fixed = src->dim[s] > 0 && upto(5) == 0;
    v.axis[s] = -1;
    v.off[s] = fixed ? upto((int)src->dim[s]) : 0;
    if (!fixed) axes[n++] = s;
  }
  int slots = n + (upto(4) == 0), order[FS_MAX_RANK];
  slots = FS_MIN(FS_MAX_RANK, slots);
  for (int k = 0; k < slots; k++) order[k] = k;
  for (int k = slots - 1; k > 0; k--) {
    int j = upto(k + 1), t = order[k];
    if (upto(2)) order[k] = order[j], order[j] = t;
  }
  r.rank = slots;
  for (int k = 0; k < slots; k++) r.dim[k] = 2 + upto(2);
  for (int k = 0; k < n; k++) {
    int s = axes[k], a = order[k];
    int64_t dim = src->dim[s];
    bool whole = upto(2);
    v.axis[s] = (int8_t)a;
    v.step[s] = 1;
    r.dim[a] = dim;
    if (whole || dim < 2) continue;
    int64_t count = 1 + upto((int)dim);
    int64_t most = count > 1 ? (dim - 1) / (count - 1) : 1;
    int64_t step = 1 + upto((int)most);
    r.dim[a] = count;
    v.off[s] = upto((int)(dim - (count - 1) * step));
    v.step[s] = step;
    if (upto(3) == 0) {
      v.off[s] += (count - 1) * step;
      v.step[s] = -step;
    }
  }
  for (int k = 0; k + 1 < n; k++) /* a diagonal: the next axis joins this one */
    if (upto(8) == 0 && src->dim[axes[k]] == src->dim[axes[k + 1]]) {
      int s = axes[k], t = axes[k + 1];
      v.axis[t] = v.axis[s];
      v.off[t] = v.off[s];
      v.step[t] = v.step[s];
    }
  *result = r;
  return v;
}

static bool next_index(const struct fs_shape *s, int64_t *index) {
  for (int k = s->rank - 1; k >= 0; k--) {
    if (++index[k] < s->dim[k]) return true;
    index[k] = 0;
  }
  return false;
}

static int64_t linear(const struct fs_shape *s, const int64_t *index) {
  int64_t at = 0;
  for (int k = 0; k < s->rank; k++) at = at * s->dim[k] + index[k];
  return at;
}

static void apply(const struct fs_view *v, const int64_t *o, int64_t *src) {
  for (int s = 0; s < v->src_rank; s++)
    src[s] = v->off[s] + (v->axis[s] < 0 ? 0 : v->step[s] * o[v->axis[s]]);
}

/* -- the evaluator: every type is a 64-bit ring, so that no rule that is right
 * in exact arithmetic can be seen, and every other one can ----------------- */

enum { STORE = 4096 };

static struct fs_storage storages[64];
static struct fs_tensor tensors[64];
static uint64_t store[64][STORE];
static int n_tensors;

static struct fs_tensor *new_tensor(enum fs_dtype dt) {
  int k = n_tensors++;
  storages[k] = (struct fs_storage){.refs = 1};
  tensors[k] = (struct fs_tensor){.refs = 1, .state = FS_TS_STORED,
                                  .dtype = dt, .storage = &storages[k]};
  for (int i = 0; i < STORE; i++)
    store[k][i] = dt == FS_BOOL ? next() & 1 : (next() % 19) - 9;
  return &tensors[k];
}

static fs_id input(struct fs_graph *g, struct fs_tensor *t, const char *name,
                   int rank, int64_t a, int64_t b) {
  int64_t count;
  struct fs_shape s = shape_of(rank, a, b, 0, 0);
  struct fs_layout l = fs_layout_new(t->dtype, &s, &count);
  struct fs_graph_source from = fs_tensor_source(t);
  return fs_graph_input(g, &from, t->dtype, &s, &l, name);
}

struct val { uint64_t *v; int64_t n; };

static uint64_t as_bool(enum fs_dtype dt, uint64_t x) {
  return dt == FS_BOOL ? x != 0 : x;
}

static uint64_t eval_op(enum fs_map_op op, const uint64_t *x) {
  int64_t a = (int64_t)x[0], b = (int64_t)x[1], c = (int64_t)x[2];
  switch (op) {
    case FS_OP_COPY: case FS_OP_CAST: return x[0];
    case FS_OP_ADD: return x[0] + x[1];
    case FS_OP_SUB: return x[0] - x[1];
    case FS_OP_MUL: return x[0] * x[1];
    case FS_OP_MIN: return (uint64_t)FS_MIN(a, b);
    case FS_OP_MAX: return (uint64_t)FS_MAX(a, b);
    case FS_OP_EQ: return a == b;
    case FS_OP_NE: return a != b;
    case FS_OP_LT: return a < b;
    case FS_OP_GE: return a >= b;
    case FS_OP_AND: return x[0] & x[1];
    case FS_OP_OR: return x[0] | x[1];
    case FS_OP_NOT: return !x[0];
    case FS_OP_NEG: return 0 - x[0];
    case FS_OP_SQUARE: return x[0] * x[0];
    case FS_OP_FMA: return x[0] * x[1] + x[2];
    case FS_OP_WHERE: return x[0] ? x[1] : x[2];
    case FS_OP_CLAMP: return (uint64_t)FS_MAX(b, FS_MIN(a, c));
    default: return fs_mix(fs_mix(fs_mix(op, x[0]), x[1]), x[2]);
  }
}

static uint64_t eval_leaf(const struct fs_graph *g, const struct fs_node *n,
                          struct val *vals, const int64_t *o) {
  int64_t at = n->rand_base;
  if (n->kind == FS_ND_PARAM) {
    struct fs_number v = g->params.data[n->slot];
    if (n->dtype == FS_BOOL) return v.i != 0;
    return (uint64_t)(fs_dtype_is_float(n->dtype) ? (int64_t)v.f : v.i);
  }
  if (n->kind == FS_ND_INPUT) {
    const struct fs_graph_input *in = &g->inputs.data[n->slot];
    int64_t e = in->layout.offset;
    for (int k = 0; k < n->shape.rank; k++) e += o[k] * in->layout.stride[k];
    return store[in->tensor - tensors][e];
  }
  for (int k = 0; k < n->shape.rank; k++) at += o[k] * n->rand_stride[k];
  uint64_t a = vals[n->src[0]].v[0], b = vals[n->src[1]].v[0];
  if (n->kind == FS_ND_IOTA) return a + b * (uint64_t)at;
  return fs_mix(fs_mix(fs_mix(n->kind, a), b), (uint64_t)at);
}

static void eval_reduce(const struct fs_node *n, const struct fs_shape *in,
                        const struct val *src, struct val *out) {
  int64_t o[FS_MAX_RANK] = {0}, kept[FS_MAX_RANK];
  enum fs_first begin = fs_reduce_ops[n->op].first;
  uint64_t first = begin == FS_FIRST_LOWEST    ? (uint64_t)INT64_MIN
                   : begin == FS_FIRST_HIGHEST ? (uint64_t)INT64_MAX
                                               : begin == FS_FIRST_ONE;
  for (int64_t k = 0; k < out->n; k++) out->v[k] = first;
  struct ref_spot_int *spot = fs_calloc((size_t)out->n + 1, sizeof *spot);
  for (int64_t k = 0; k < out->n; k++) spot[k] = (struct ref_spot_int){(int64_t)first, INT64_MAX};
  bool place = fs_reduces_to_place(n->op);
  if (src->n) do {
      int r = 0;
      int64_t at = 0;
      for (int k = 0; k < in->rank; k++) {
        if (!(n->axes >> k & 1)) kept[r++] = o[k];
        else at = at * in->dim[k] + o[k];
      }
      int64_t to = linear(&n->shape, kept);
      uint64_t x = src->v[linear(in, o)];
      out->v[to] = ref_merge_int(n->op, out->v[to], x);
      spot[to] = ref_merge_spot_int(n->op, spot[to], (struct ref_spot_int){(int64_t)x, at + 1});
    } while (next_index(in, o));
  for (int64_t k = 0; k < out->n && place; k++) out->v[k] = (uint64_t)spot[k].at;
  free(spot);
}

static void eval_gemm(const struct fs_node *n, const struct val *a,
                      const struct val *b, struct val *out) {
  const int64_t *sa = n->lib_shape[0].dim, *sb = n->lib_shape[1].dim;
  int64_t m = sa[n->lib_flags & 1], k = sa[!(n->lib_flags & 1)];
  int64_t w = sb[!(n->lib_flags >> 1 & 1)];
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < w; j++) {
      uint64_t sum = 0;
      for (int64_t p = 0; p < k; p++)
        sum += a->v[n->lib_flags & 1 ? p * sa[1] + i : i * sa[1] + p] *
               b->v[n->lib_flags & 2 ? j * sb[1] + p : p * sb[1] + j];
      out->v[i * w + j] = sum;
    }
}

static void eval_each(const struct fs_graph *g, const struct fs_node *n,
                      struct val *vals, struct val *out) {
  int64_t o[FS_MAX_RANK] = {0}, s[FS_MAX_RANK];
  if (!out->n) return;
  do {
    uint64_t x[3] = {0}, *to = &out->v[linear(&n->shape, o)];
    if (n->kind == FS_ND_MAP) {
      for (int k = 0; k < n->n_src; k++) {
        const struct fs_node *src = fs_node(g, n->src[k]);
        x[k] = vals[n->src[k]].v[src->shape.rank ? linear(&n->shape, o) : 0];
      }
      *to = as_bool(n->dtype, eval_op(n->op, x));
    } else if (n->kind == FS_ND_VIEW) {
      apply(&n->view, o, s);
      *to = vals[n->src[0]].v[linear(&fs_node(g, n->src[0])->shape, s)];
    } else {
      *to = eval_leaf(g, n, vals, o);
    }
  } while (next_index(&n->shape, o));
}

static void eval_update(const struct fs_graph *g, const struct fs_node *n,
                        struct val *vals, struct val *out) {
  const struct fs_shape *part = &fs_node(g, n->src[1])->shape;
  int64_t o[FS_MAX_RANK] = {0}, s[FS_MAX_RANK];
  if (n->src[0] && out->n)
    memcpy(out->v, vals[n->src[0]].v, sizeof(uint64_t) * (size_t)out->n);
  if (!vals[n->src[1]].n) return;
  do {
    apply(&n->view, o, s);
    out->v[linear(&n->shape, s)] = vals[n->src[1]].v[linear(part, o)];
  } while (next_index(part, o));
}

static struct val *evaluate(const struct fs_graph *g) {
  struct val *vals = fs_calloc((size_t)g->nodes.len, sizeof *vals);
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = &g->nodes.data[id];
    struct val *out = &vals[id];
    out->n = fs_shape_count(&n->shape);
    out->v = fs_calloc((size_t)out->n + 1, sizeof *out->v);
    if (n->kind == FS_ND_REDUCE)
      eval_reduce(n, &fs_node(g, n->src[0])->shape, &vals[n->src[0]], out);
    else if (n->kind == FS_ND_UPDATE) eval_update(g, n, vals, out);
    else if (n->kind == FS_ND_LIB)
      eval_gemm(n, &vals[n->src[0]], &vals[n->src[1]], out);
    else eval_each(g, n, vals, out);
  }
  return vals;
}

static void free_vals(const struct fs_graph *g, struct val *vals) {
  for (int id = 1; id < g->nodes.len; id++) free(vals[id].v);
  free(vals);
}

static void dump(const char *title, const struct fs_graph *g) {
  struct fs_str s = {0};
  fs_graph_dump(g, NULL, &s);
  fprintf(stderr, "%s\n%s", title, fs_str_text(&s));
  fs_str_free(&s);
}

/* Checks `s`, which was made of `g`: its outputs are the same. */
static void check_values(const struct fs_graph *g, const struct fs_graph *s, const char *what) {
  const char *wrong = fs_graph_check(s);
  CHECK(!wrong, "%s: after: %s", what, wrong);
  CHECK(s->outputs.len == g->outputs.len, "%s: outputs", what);
  struct val *a = evaluate(g), *b = evaluate(s);
  bool same = true;
  for (int k = 0; k < g->outputs.len && same; k++) {
    struct val *x = &a[g->outputs.data[k]], *y = &b[s->outputs.data[k]];
    same = x->n == y->n && (!x->n || !memcmp(x->v, y->v, 8 * (size_t)x->n));
    same &= fs_node(g, g->outputs.data[k])->dtype ==
            fs_node(s, s->outputs.data[k])->dtype;
    same &= fs_shape_equal(&fs_node(g, g->outputs.data[k])->shape,
                           &fs_node(s, s->outputs.data[k])->shape);
  }
  CHECK(same, "%s: simplification changed a value", what);
  if (!same) dump("before", g), dump("after", s);
  free_vals(g, a);
  free_vals(s, b);
}

static bool may_write_out(const struct fs_graph *g, int id) {
  const struct fs_node *nd = fs_node(g, (fs_id)id);
  return fs_graph_may_write_out(nd) || fs_graph_is_centred(g, nd);
}

/* Products and sums that are written out have the same values; gives how many there are. */
static int check_written_out(const struct fs_graph *g, const char *what) {
  bool *products = fs_calloc((size_t)g->nodes.len, sizeof *products);
  int n = 0, left = 0;
  for (int id = 1; id < g->nodes.len; id++) n += products[id] = may_write_out(g, id);
  struct fs_graph *s = fs_graph_write_out(g, products);
  check_values(g, s, what);
  for (int id = 1; id < s->nodes.len; id++) left += may_write_out(s, id);
  CHECK(!left, "%s: %d of them are left", what, left);
  for (int k = 0; k < s->params.len && g->origins.len; k++)
    CHECK(s->literals.data[k] == FS_FROM_SHAPES || s->origins.data[k] == g->origins.data[0],
          "%s: param %d comes from %d", what, k, s->origins.data[k]);
  fs_graph_free(s);
  free(products);
  return n;
}

/* Simplifies, checks both graphs, compares outputs and idempotence. */
static struct fs_graph *simplified(const struct fs_graph *g, const char *what) {
  const char *wrong = fs_graph_check(g);
  CHECK(!wrong, "%s: before: %s", what, wrong);
  struct fs_graph *s = fs_graph_simplify(g);
  check_values(g, s, what);
  struct fs_graph *again = fs_graph_simplify(s);
  bool fixed = g->barriers.len > 0 ||
               (fs_graph_same(s, again) &&
                fs_graph_hash(s) == fs_graph_hash(again));
  CHECK(fixed, "%s: not idempotent", what);
  if (!fixed) dump("once", s), dump("twice", again);
  fs_graph_free(again);
  return s;
}

/* -- views ----------------------------------------------------------------- */

static void test_compose(void) {
  for (int round = 0; round < 20000; round++) {
    struct fs_shape src = random_shape(4), mid, res, squeezed, m2;
    struct fs_view v1 = random_view(&src, &mid), v2 = random_view(&mid, &res);
    struct fs_view both = fs_view_compose(&v1, &v2), slice, rename;
    bool ok = true, slices;
    int64_t o[FS_MAX_RANK] = {0}, m[FS_MAX_RANK], s[FS_MAX_RANK],
            t[FS_MAX_RANK], q[FS_MAX_RANK], u[FS_MAX_RANK];
    struct fs_view tidy = both;
    squeezed = res;
    fs_view_squeeze(&tidy, &squeezed);
    slices = fs_view_split(&tidy, &src, &squeezed, &slice, &m2, &rename);
    struct fs_view joined = fs_view_compose(&slice, &rename);
    ok &= !slices == fs_view_is_identity(&slice, &src, &m2);
    if (fs_shape_count(&res) > 0) do {
        int r = 0;
        for (int k = 0; k < res.rank; k++)
          if (res.dim[k] != 1) q[r++] = o[k];
        apply(&v2, o, m);
        apply(&v1, m, s);
        apply(&both, o, t);
        ok &= !memcmp(s, t, sizeof(int64_t) * (size_t)src.rank);
        apply(&tidy, q, u);
        ok &= !memcmp(s, u, sizeof(int64_t) * (size_t)src.rank);
        apply(&joined, q, u);
        ok &= !memcmp(s, u, sizeof(int64_t) * (size_t)src.rank);
      } while (next_index(&res, o));
    CHECK(ok, "view composition, round %d", round);
  }
}

/* Views of leaves and of computed nodes, view after view, read right. */
static void test_graph_views(void) {
  for (int round = 0; round < 3000; round++) {
    struct fs_graph *g = fs_graph_new();
    struct fs_shape s = random_shape(4), r;
    int64_t count;
    n_tensors = 0;
    struct fs_layout l = fs_layout_new(FS_F64, &s, &count);
    struct fs_tensor *t = new_tensor(FS_F64);
    fs_id id = fs_graph_input(g, &(struct fs_graph_source){t, t->storage, {0}}, FS_F64, &s, &l, "A");
    fs_id two = fs_graph_param(g, FS_F64, (struct fs_number){2, 2});
    fs_id seed = fs_graph_param(g, FS_I64, (struct fs_number){7, 7});
    if (upto(4) == 0) id = fs_graph_rand(g, upto(2), FS_F64, &s, seed, seed);
    if (upto(3) == 0) id = fs_graph_map(g, FS_OP_MUL, 2, (fs_id[]){id, two}, 0);
    if (upto(6) == 0 && s.rank == 1) {
      id = fs_graph_iota(g, FS_F64, s.dim[0], two, two);
      if (upto(2)) id = fs_graph_map(g, FS_OP_NEG, 1, &id, 0);
    }
    struct fs_view total = {.src_rank = s.rank};
    for (int k = 0; k < s.rank; k++) total.axis[k] = (int8_t)k, total.step[k] = 1;
    fs_id at = id;
    struct fs_shape shape = s;
    for (int k = 1 + upto(4); k > 0; k--) {
      struct fs_view v = random_view(&shape, &r);
      at = fs_graph_view(g, at, &v, &r);
      total = fs_view_compose(&total, &v);
      fs_view_squeeze(&total, &r);
      shape = r;
    }
    bool none = !fs_shape_count(&shape);
    CHECK(none == (fs_node(g, at)->kind == FS_ND_EMPTY), "what has no elements is an EMPTY");
    if (!none) fs_graph_output(g, at, "x");
    struct val *vals = evaluate(g);
    int64_t o[FS_MAX_RANK] = {0}, from[FS_MAX_RANK];
    bool ok = fs_shape_equal(&shape, &fs_node(g, at)->shape);
    if (ok && fs_shape_count(&shape) > 0) do {
        apply(&total, o, from);
        ok &= vals[at].v[linear(&shape, o)] == vals[id].v[linear(&s, from)];
      } while (next_index(&shape, o));
    CHECK(ok, "graph views, round %d", round);
    free_vals(g, vals);
    fs_graph_free(simplified(g, "graph views"));
    fs_graph_free(g);
  }
}

/* -- random graphs --------------------------------------------------------- */

static enum fs_dtype random_dtype(void) {
  static const enum fs_dtype of[] = {FS_F64, FS_F64, FS_F32, FS_F32,
                                     FS_I64, FS_I32, FS_BOOL, FS_F16};
  return of[upto(FS_LEN(of))];
}

static fs_id random_input(struct fs_graph *g, const struct fs_shape *s) {
  int64_t count;
  struct fs_tensor *t = n_tensors < 6 ? new_tensor(random_dtype())
                                      : &tensors[upto(n_tensors)];
  struct fs_layout l = fs_layout_new(t->dtype, s, &count);
  l.offset = upto(8);
  struct fs_graph_source from = fs_tensor_source(t);
  return fs_graph_input(g, &from, t->dtype, s, &l, "t");
}

static fs_id random_leaf(struct fs_graph *g, const struct fs_shape *s) {
  struct fs_number v = {upto(9) - 4, 0};
  v.i = (int64_t)v.f;
  fs_id a = fs_graph_param(g, random_dtype(), v);
  switch (upto(6)) {
    case 0: return a;
    case 1: return fs_graph_rand(g, false, FS_F32, s, a, a);
    case 2: return s->rank == 1 ? fs_graph_iota(g, FS_F64, s->dim[0], a, a)
                                : random_input(g, s);
    default: return random_input(g, s);
  }
}

/* A node of shape s: from the pool, a broadcast of one from it, or a leaf. */
static fs_id with_shape(struct fs_graph *g, const struct fs_shape *s) {
  for (int k = 0; k < 12; k++) {
    fs_id id = 1 + (fs_id)upto(g->nodes.len - 1);
    struct fs_node n = *fs_node(g, id);
    if (n.shape.rank == 0 || fs_shape_equal(&n.shape, s)) return id;
    if (n.shape.rank > s->rank) continue;
    int axes[FS_MAX_RANK], used = 0;
    bool fits = true;
    for (int a = 0; a < n.shape.rank; a++) {
      axes[a] = -1;
      for (int b = 0; b < s->rank; b++)
        if (s->dim[b] == n.shape.dim[a] && !(used >> b & 1)) axes[a] = b;
      if (axes[a] >= 0) used |= 1 << axes[a];
      fits &= axes[a] >= 0;
    }
    if (!fits) continue;
    struct fs_view v = fs_view_axes(n.shape.rank, axes);
    return fs_graph_view(g, id, &v, s);
  }
  return random_leaf(g, s);
}

static fs_id random_map(struct fs_graph *g, fs_id a) {
  static const enum fs_map_op ops[] = {
      FS_OP_COPY, FS_OP_NEG, FS_OP_NEG, FS_OP_SQUARE, FS_OP_NOT, FS_OP_NOT,
      FS_OP_ADD, FS_OP_SUB, FS_OP_MUL, FS_OP_MUL, FS_OP_MUL, FS_OP_MIN,
      FS_OP_MAX, FS_OP_EQ, FS_OP_NE, FS_OP_LT, FS_OP_GE, FS_OP_AND, FS_OP_OR,
      FS_OP_FMA, FS_OP_WHERE, FS_OP_WHERE, FS_OP_CLAMP, FS_OP_EXP, FS_OP_CAST};
  enum fs_map_op op = ops[upto(FS_LEN(ops))];
  struct fs_shape s = fs_node(g, a)->shape;
  fs_id src[3] = {a};
  src[1] = with_shape(g, &s);
  src[2] = upto(4) ? with_shape(g, &s) : src[1];
  if (op == FS_OP_MUL && upto(2)) {
    fs_id t = src[0];
    src[0] = src[1], src[1] = t;
  }
  return fs_graph_map(g, op, fs_map_ops[op].arity, src, random_dtype());
}

static fs_id random_update(struct fs_graph *g, fs_id base) {
  struct fs_node n = *fs_node(g, base);
  struct fs_shape part;
  struct fs_view v = random_view(&n.shape, &part);
  for (int k = 0; k < part.rank; k++) { /* every axis must be written by one */
    bool named = false;
    for (int s = 0; s < v.src_rank; s++) named |= v.axis[s] == k;
    if (!named) part.dim[k] = 1;
  }
  struct fs_shape want = part;
  struct fs_view ignored = v;
  fs_view_squeeze(&ignored, &want);
  fs_id value = upto(3) ? with_shape(g, &want) : 1;
  if (fs_node(g, value)->shape.rank && !fs_shape_equal(&fs_node(g, value)->shape, &want))
    return base;
  if (fs_node(g, value)->shape.rank == 0 && upto(2)) value = base ? value : 1;
  return fs_graph_update(g, base, n.dtype, &n.shape, value, &part, &v);
}

static fs_id random_gemm(struct fs_graph *g, fs_id a) {
  struct fs_node n = *fs_node(g, a);
  if (n.shape.rank != 2 || fs_shape_count(&n.shape) == 0) return a;
  unsigned turned = (unsigned)upto(4);
  int64_t rows = n.shape.dim[turned & 1], inner = n.shape.dim[!(turned & 1)];
  struct fs_shape sb = shape_of(2, turned & 2 ? 3 : inner, turned & 2 ? inner : 3, 0, 0);
  fs_id b = with_shape(g, &sb);
  if (!fs_shape_equal(&fs_node(g, b)->shape, &sb)) return a;
  struct fs_shape r = shape_of(2, rows, 3, 0, 0);
  return fs_graph_lib(g, FS_LIB_GEMM, FS_F64, &r, a, &n.shape, b, &sb, turned);
}

static fs_id random_node(struct fs_graph *g) {
  fs_id a = 1 + (fs_id)upto(g->nodes.len - 1);
  if (upto(2)) a = (fs_id)g->nodes.len - 1;
  struct fs_node n = *fs_node(g, a);
  struct fs_shape s;
  struct fs_view v;
  switch (upto(13)) {
    case 0: s = random_shape(3); return random_leaf(g, &s);
    case 1: case 2: case 3:
      v = random_view(&n.shape, &s);
      return fs_graph_view(g, a, &v, &s);
    case 4:
      if (n.shape.rank != 2 || n.shape.dim[0] != n.shape.dim[1])
        return random_map(g, a);
      v = fs_view_axes(2, (int[]){1, 0});
      fs_id t = fs_graph_view(g, a, &v, &n.shape);
      if (upto(2)) t = fs_graph_map(g, FS_OP_NEG, 1, &t, 0);
      return fs_graph_map(g, FS_OP_ADD, 2, (fs_id[]){t, a}, 0);
    case 5: case 6:
      if (!n.shape.rank) return random_map(g, a);
      return fs_graph_reduce(
          g, upto(2) ? FS_RD_SUM : (enum fs_reduce_op)upto(FS_RD_VAR),
          a, 1 + (unsigned)upto((1 << n.shape.rank) - 1));
    case 7: return random_update(g, a);
    case 8: return random_gemm(g, a);
    default: return random_map(g, a);
  }
}

/* op(A)*op(B) of such extents, by its flags. */
static struct fs_graph *product(int64_t rows, int64_t inner, int64_t right, unsigned flags) {
  struct fs_graph *g = fs_graph_new();
  bool ta = flags & FS_LIB_TRANS_A, tb = flags & FS_LIB_TRANS_B;
  struct fs_shape a = shape_of(2, ta ? inner : rows, ta ? rows : inner, 0, 0);
  struct fs_shape b = shape_of(2, tb ? right : inner, tb ? inner : right, 0, 0);
  struct fs_shape r = shape_of(2, rows, right, 0, 0);
  n_tensors = 0;
  fs_id x = input(g, new_tensor(FS_F32), "A", 2, a.dim[0], a.dim[1]);
  fs_id y = input(g, new_tensor(FS_F32), "B", 2, b.dim[0], b.dim[1]);
  fs_graph_output(g, fs_graph_lib(g, FS_LIB_GEMM, FS_F32, &r, x, &a, y, &b, flags), "C");
  return g;
}

/* Products of short inner extents may be written out, and those of few columns or rows, which
 * have the same values then. */
static void test_written_out(void) {
  static const struct { int64_t rows, inner, right; bool may; } cases[] = {
      {9, 2, 9, true},  {9, 32, 9, true},  {9, 33, 9, false}, {9, 33, 8, true},
      {8, 33, 9, true}, {5, 40, 3, true},  {3, 40, 5, true},  {3, 40, 3, true}};
  for (size_t k = 0; k < FS_LEN(cases); k++)
    for (unsigned flags = 0; flags < 4; flags++) {
      struct fs_graph *g = product(cases[k].rows, cases[k].inner, cases[k].right, flags);
      fs_id last = g->outputs.data[0];
      CHECK(fs_graph_may_write_out(fs_node(g, last)) == cases[k].may, "product %d", (int)k);
      CHECK(!fs_graph_may_write_out(fs_node(g, 1)), "no product");
      CHECK(check_written_out(g, "a product") == cases[k].may, "product %d", (int)k);
      fs_graph_free(g);
    }
}

/* The sum of (A - v).^2 along `axes` of A, v being 5 times the sum of A along `mean`. */
static struct fs_graph *squares(const struct fs_shape *s, unsigned axes, unsigned mean) {
  struct fs_graph *g = fs_graph_new();
  struct fs_view back = {.src_rank = 0};
  n_tensors = 0;
  fs_graph_param(g, FS_F32, (struct fs_number){3, 3}); /* nobody wants it */
  fs_id a = random_input(g, s);
  a = fs_graph_cast(g, a, FS_F32);
  fs_id v = fs_graph_reduce(g, FS_RD_SUM, a, mean);
  fs_id scaled[2] = {v, fs_graph_param(g, FS_F32, (struct fs_number){5, 5})};
  v = fs_graph_map(g, FS_OP_MUL, 2, scaled, FS_F32);
  for (int k = 0; k < s->rank; k++) {
    if (mean >> k & 1) continue;
    back.axis[back.src_rank] = (int8_t)k;
    back.step[back.src_rank++] = 1;
  }
  if (back.src_rank) v = fs_graph_view(g, v, &back, s);
  fs_id x = fs_graph_map(g, FS_OP_SUB, 2, (fs_id[]){a, v}, FS_F32);
  x = fs_graph_map(g, FS_OP_SQUARE, 1, &x, FS_F32);
  fs_graph_output(g, fs_graph_reduce(g, FS_RD_SUM, x, axes), "q");
  return g;
}

/* Squares about what the sum along the same axes gives are summed up together with it. */
static void test_centred(void) {
  static const struct fs_shape shapes[] = {{1, {7}}, {2, {3, 4}}, {3, {2, 3, 4}}};
  for (size_t k = 0; k < FS_LEN(shapes); k++)
    for (unsigned axes = 1; axes < 1u << shapes[k].rank; axes++)
      for (unsigned mean = 1; mean < 1u << shapes[k].rank; mean++) {
        struct fs_graph *g = squares(&shapes[k], axes, mean);
        int n = check_written_out(g, "squares about a mean");
        CHECK(n == (axes == mean), "squares along %u about a mean along %u", axes, mean);
        struct fs_graph *s = fs_graph_simplify(g);
        CHECK(check_written_out(s, "the same, simplified") == n, "simplified: %u, %u", axes, mean);
        fs_graph_free(s);
        fs_graph_free(g);
      }
}

static void test_random_graphs(void) {
  int written_out = 0;
  for (int round = 0; round < 6000; round++) {
    struct fs_graph *g = fs_graph_new();
    n_tensors = 0;
    state = (uint64_t)round * 977 + 5;
    fs_graph_param(g, FS_F64, (struct fs_number){3, 3});
    struct fs_shape s = random_shape(3);
    random_input(g, &s);
    for (int k = 3 + upto(25); k > 0; k--) {
      fs_id id = random_node(g);
      if (upto(10) == 0 && fs_node(g, id)->kind != FS_ND_EMPTY) fs_graph_output(g, id, "o");
      if (upto(30) == 0) *FS_PUSH(&g->barriers) = (fs_id)g->nodes.len;
    }
    fs_id last = (fs_id)g->nodes.len - 1;
    while (fs_node(g, last)->kind == FS_ND_EMPTY) last--;
    fs_graph_output(g, last, "last");
    int before = failed;
    struct fs_graph *out = simplified(g, "random");
    written_out += check_written_out(g, "random, products as maps");
    if (failed > before) fprintf(stderr, "  round %d\n", round);
    fs_graph_free(out);
    fs_graph_free(g);
    if (failed > 10) return;
  }
  CHECK(written_out > 200, "%d products were written out", written_out);
}

/* -- builder --------------------------------------------------------------- */

static void test_consing(void) {
  struct fs_graph *g = fs_graph_new();
  n_tensors = 0;
  struct fs_tensor *t = new_tensor(FS_F32), other = *t;
  fs_id a = input(g, t, "A", 2, 3, 4);
  CHECK(input(g, &other, "B", 2, 3, 4) == a, "two handles of one storage");
  CHECK(g->inputs.len == 1, "one input");
  CHECK(input(g, t, "A", 2, 4, 3) != a, "another shape is another input");
  fs_id p = fs_graph_param(g, FS_F32, (struct fs_number){2, 2});
  fs_id q = fs_graph_param(g, FS_F32, (struct fs_number){2, 2});
  CHECK(p != q, "params of equal value are different");
  fs_id p64 = fs_graph_cast(g, p, FS_F64);
  CHECK(fs_node(g, p64)->kind == FS_ND_PARAM && p64 != p, "cast of a param");
  CHECK(fs_graph_cast(g, p, FS_F64) == p64, "cast of a param is consed");
  fs_id m = fs_graph_map(g, FS_OP_MUL, 2, (fs_id[]){a, p}, 0);
  CHECK(fs_graph_map(g, FS_OP_MUL, 2, (fs_id[]){a, p}, 0) == m, "map consed");
  struct fs_view v = fs_view_axes(2, (int[]){1, 0});
  struct fs_shape s = shape_of(2, 4, 3, 0, 0), s2 = shape_of(2, 3, 4, 0, 0);
  fs_id at = fs_graph_view(g, a, &v, &s);
  CHECK(fs_node(g, at)->kind == FS_ND_INPUT, "a view of an input is an input");
  CHECK(fs_graph_view(g, at, &v, &s2) == a, "a transpose of a transpose");
  fs_id mt = fs_graph_view(g, m, &v, &s);
  CHECK(fs_node(g, mt)->kind == FS_ND_VIEW, "a view of a map");
  CHECK(fs_graph_view(g, mt, &v, &s2) == m, "view of view is nothing");
  fs_id f = fs_graph_view(g, p, &(struct fs_view){0}, &s);
  CHECK(fs_node_is_fill(fs_node(g, f)), "fill");
  fs_id fm = fs_graph_map(g, FS_OP_ADD, 2, (fs_id[]){f, q}, 0);
  CHECK(fs_node_is_fill(fs_node(g, fm)), "a map of fills is a fill");
  CHECK(!fs_graph_check(g), "legal: %s", fs_graph_check(g));
  fs_graph_free(g);
}

static void test_promotion(void) {
  static const struct { enum fs_dtype a, b, sum, div; } rows[] = {
      {FS_BOOL, FS_BOOL, FS_I32, FS_F32}, {FS_I32, FS_I64, FS_I64, FS_F64},
      {FS_I64, FS_F32, FS_F32, FS_F32},   {FS_F16, FS_BF16, FS_F32, FS_F32},
      {FS_F16, FS_I64, FS_F16, FS_F16},   {FS_F32, FS_F64, FS_F64, FS_F64},
      {FS_I32, FS_I32, FS_I32, FS_F32}};
  for (size_t k = 0; k < FS_LEN(rows); k++) {
    struct fs_graph *g = fs_graph_new();
    n_tensors = 0;
    fs_id a = input(g, new_tensor(rows[k].a), "a", 1, 5, 0);
    fs_id b = input(g, new_tensor(rows[k].b), "b", 1, 5, 0);
    fs_id ab[] = {a, b}, mask;
    CHECK(fs_node(g, fs_graph_map(g, FS_OP_ADD, 2, ab, 0))->dtype == rows[k].sum, "sum %zu", k);
    CHECK(fs_node(g, fs_graph_map(g, FS_OP_DIV, 2, ab, 0))->dtype == rows[k].div, "div %zu", k);
    mask = fs_graph_map(g, FS_OP_LT, 2, ab, 0);
    CHECK(fs_node(g, mask)->dtype == FS_BOOL, "comparison");
    fs_id w = fs_graph_map(g, FS_OP_WHERE, 3, (fs_id[]){a, a, b}, 0);
    CHECK(fs_node(g, w)->dtype == fs_dtype_promote(rows[k].a, rows[k].b), "where");
    fs_id sum = fs_graph_reduce(g, FS_RD_SUM, a, 1);
    CHECK(fs_node(g, sum)->dtype == (fs_dtype_is_float(rows[k].a) ? rows[k].a : FS_I64), "reduce");
    CHECK(fs_node(g, fs_graph_reduce(g, FS_RD_ANY, a, 1))->dtype == FS_BOOL, "any");
    CHECK(fs_graph_reduce(g, FS_RD_ALL, mask, 0) == mask, "reduce over nothing");
    CHECK(!fs_graph_check(g), "legal: %s", fs_graph_check(g));
    fs_graph_free(g);
  }
}

static void test_layout(void) {
  int64_t count;
  struct fs_shape s = shape_of(2, 10, 300, 0, 0);
  struct fs_layout l = fs_layout_new(FS_F32, &s, &count);
  CHECK(l.stride[0] == 320 && l.stride[1] == 1 && count == 3200, "padded rows");
  s = shape_of(2, 1000, 3, 0, 0);
  l = fs_layout_new(FS_F32, &s, &count);
  CHECK(l.stride[0] == 3 && count == 3000, "thin rows stay dense");
  s = shape_of(2, 1000000000, 1000000000, 0, 0);
  fs_layout_new(FS_F64, &s, &count);
  CHECK(count == 1000000000 * (int64_t)1000000000 || count == -1, "large");
  s = shape_of(3, INT64_MAX / 2, 3, 4, 0);
  fs_layout_new(FS_F64, &s, &count);
  CHECK(count == -1, "overflow");
  s = shape_of(2, 0, 5, 0, 0);
  fs_layout_new(FS_F64, &s, &count);
  CHECK(count == 0, "empty");
}

static void test_check_finds(void) {
  struct fs_graph *g = fs_graph_new();
  n_tensors = 0;
  fs_id a = input(g, new_tensor(FS_F32), "A", 2, 3, 4);
  fs_id m = fs_graph_map(g, FS_OP_NEG, 1, &a, 0);
  fs_id r = fs_graph_reduce(g, FS_RD_SUM, m, 2);
  struct fs_node keep = *fs_node(g, m);
  fs_node(g, m)->dtype = FS_F64;
  CHECK(fs_graph_check(g) != NULL, "a wrong type");
  *fs_node(g, m) = keep;
  fs_node(g, m)->shape.dim[0] = 5;
  CHECK(fs_graph_check(g) != NULL, "a wrong shape");
  *fs_node(g, m) = keep;
  fs_node(g, m)->src[0] = r;
  CHECK(fs_graph_check(g) != NULL, "a cycle");
  *fs_node(g, m) = keep;
  fs_node(g, m)->n_src = 2;
  CHECK(fs_graph_check(g) != NULL, "a wrong arity");
  *fs_node(g, m) = keep;
  fs_node(g, r)->axes = 8;
  CHECK(fs_graph_check(g) != NULL, "an axis that is not there");
  fs_node(g, r)->axes = 2;
  CHECK(fs_graph_check(g) == NULL, "legal again");
  fs_id table = fs_graph_table(g, input(g, new_tensor(FS_I64), "t", 1, 9, 0));
  CHECK(table && fs_graph_check(g) == NULL, "a table");
  fs_graph_map(g, FS_OP_NEG, 1, &table, 0);
  CHECK(fs_graph_check(g) != NULL, "a table that no region reads");
  g->nodes.len--;
  CHECK(!fs_graph_table(g, a), "a table of a matrix");
  CHECK(!fs_graph_table(g, input(g, new_tensor(FS_F16), "h", 1, 9, 0)), "a table of halves");
  *FS_PUSH(&g->outputs) = 99;
  *FS_PUSH(&g->output_names) = NULL;
  CHECK(fs_graph_check(g) != NULL, "an output that is not there");
  fs_graph_free(g);
}

/* -- programs that say the same thing --------------------------------------- */

static const int64_t M = 6, N = 5;

struct gemver { fs_id A, u1, v1, u2, v2, y, z, alpha, beta; };

static struct gemver gemver_inputs(struct fs_graph *g, bool device_scalars) {
  struct gemver in;
  in.A = input(g, &tensors[0], "A", 2, M, N);
  in.u1 = input(g, &tensors[1], "u1", 1, M, 0);
  in.v1 = input(g, &tensors[2], "v1", 1, N, 0);
  in.u2 = input(g, &tensors[3], "u2", 1, M, 0);
  in.v2 = input(g, &tensors[4], "v2", 1, N, 0);
  in.y = input(g, &tensors[5], "y", 1, M, 0);
  in.z = input(g, &tensors[6], "z", 1, N, 0);
  in.alpha = fs_graph_param(g, FS_F32, (struct fs_number){2, 2});
  in.beta = fs_graph_param(g, FS_F32, (struct fs_number){3, 3});
  if (device_scalars) in.alpha = input(g, &tensors[7], "alpha", 0, 0, 0);
  if (device_scalars) in.beta = input(g, &tensors[8], "beta", 0, 0, 0);
  return in;
}

static fs_id bin(struct fs_graph *g, enum fs_map_op op, fs_id a, fs_id b) {
  return fs_graph_map(g, op, 2, (fs_id[]){a, b}, 0);
}

static fs_id along(struct fs_graph *g, fs_id v, int axis,
                   const struct fs_shape *s) {
  struct fs_view w = fs_view_axes(1, &axis);
  return fs_graph_view(g, v, &w, s);
}

static fs_id outer(struct fs_graph *g, fs_id u, fs_id v) {
  struct fs_shape s = shape_of(2, M, N, 0, 0);
  return bin(g, FS_OP_MUL, along(g, u, 0, &s), along(g, v, 1, &s));
}

static fs_id transpose(struct fs_graph *g, fs_id a) {
  struct fs_shape s = fs_node(g, a)->shape, t = s;
  t.dim[0] = s.dim[1];
  t.dim[1] = s.dim[0];
  struct fs_view v = fs_view_axes(2, (int[]){1, 0});
  return fs_graph_view(g, a, &v, &t);
}

static fs_id gemv(struct fs_graph *g, fs_id a, fs_id x) {
  struct fs_shape s = fs_node(g, a)->shape;
  return fs_graph_reduce(g, FS_RD_SUM, bin(g, FS_OP_MUL, a, along(g, x, 1, &s)), 2);
}

static struct fs_graph *gemver_calls(bool device_scalars) {
  struct fs_graph *g = fs_graph_new();
  struct gemver in = gemver_inputs(g, device_scalars);
  fs_id C = outer(g, in.u1, in.v1);
  fs_id B = bin(g, FS_OP_ADD, in.A, C);
  C = outer(g, in.u2, in.v2);
  B = bin(g, FS_OP_ADD, B, C);
  fs_id x = gemv(g, transpose(g, B), in.y);
  x = bin(g, FS_OP_MUL, in.beta, x);
  x = bin(g, FS_OP_ADD, x, in.z);
  fs_id w = bin(g, FS_OP_MUL, in.alpha, gemv(g, B, x));
  fs_graph_output(g, B, "B");
  fs_graph_output(g, x, "x");
  fs_graph_output(g, w, "w");
  return g;
}

static struct fs_graph *gemver_operators(bool device_scalars, bool swapped) {
  struct fs_graph *g = fs_graph_new();
  struct gemver in = gemver_inputs(g, device_scalars);
  fs_id o1 = outer(g, in.u1, in.v1), o2 = outer(g, in.u2, in.v2);
  fs_id B = swapped ? bin(g, FS_OP_ADD, o2, bin(g, FS_OP_ADD, o1, in.A))
                    : bin(g, FS_OP_ADD, bin(g, FS_OP_ADD, in.A, o1), o2);
  fs_id bB = bin(g, FS_OP_MUL, in.beta, swapped ? B : transpose(g, B));
  fs_id x = gemv(g, swapped ? transpose(g, bB) : bB, in.y);
  x = swapped ? bin(g, FS_OP_ADD, in.z, x) : bin(g, FS_OP_ADD, x, in.z);
  fs_id w = gemv(g, bin(g, FS_OP_MUL, in.alpha, B), x);
  fs_graph_output(g, B, "B");
  fs_graph_output(g, x, "x");
  fs_graph_output(g, w, "w");
  return g;
}

static void check_same(struct fs_graph *a, struct fs_graph *b,
                       const char *what) {
  struct fs_graph *x = simplified(a, what), *y = simplified(b, what);
  bool same = fs_graph_hash(x) == fs_graph_hash(y) && fs_graph_same(x, y);
  CHECK(same, "%s: the graphs differ", what);
  if (!same) dump("one", x), dump("other", y);
  fs_graph_free(a);
  fs_graph_free(b);
  fs_graph_free(x);
  fs_graph_free(y);
}

static void test_same_programs(void) {
  n_tensors = 0;
  for (int k = 0; k < 9; k++) new_tensor(FS_F32);
  for (int device = 0; device < 2; device++) {
    check_same(gemver_calls(device), gemver_operators(device, false), "GEMVER");
    check_same(gemver_calls(device), gemver_operators(device, true), "GEMVER'");
  }
  /* A + B and B + A; alpha*beta*A*x and alpha*(beta*(A*x)) */
  for (int pick = 0; pick < 2; pick++) {
    struct fs_graph *g[2];
    for (int k = 0; k < 2; k++) {
      g[k] = fs_graph_new();
      struct gemver in = gemver_inputs(g[k], true);
      fs_id out;
      if (pick == 0) {
        out = k ? bin(g[k], FS_OP_MUL, in.u1, in.u2) : bin(g[k], FS_OP_MUL, in.u2, in.u1);
      } else if (k) {
        fs_id A = bin(g[k], FS_OP_MUL, in.beta, in.A);
        out = gemv(g[k], bin(g[k], FS_OP_MUL, in.alpha, A), in.z);
      } else {
        out = bin(g[k], FS_OP_MUL, in.beta, gemv(g[k], in.A, in.z));
        out = bin(g[k], FS_OP_MUL, in.alpha, out);
      }
      fs_graph_output(g[k], out, "o");
    }
    check_same(g[0], g[1], pick ? "two factors" : "commuted");
  }
}

/* Values of params and which tensors are read do not count; aliasing does. */
static void test_hash(void) {
  struct fs_graph *s[4];
  for (int k = 0; k < 4; k++) {
    struct fs_graph *g = fs_graph_new();
    n_tensors = 0;
    for (int j = 0; j < 4; j++) new_tensor(FS_F32);
    fs_id a = input(g, &tensors[k == 1 ? 2 : 0], k ? "A" : "B", 2, 4, 6);
    fs_id b = input(g, &tensors[1], "b", 2, 4, 6);
    if (k == 2) {
      struct fs_layout l = {24, {6, 1}};
      struct fs_graph_source from = {&tensors[0], tensors[0].storage, {0}};
      b = fs_graph_input(g, &from, FS_F32, &fs_node(g, a)->shape, &l, "b");
    }
    if (k == 3) b = input(g, &tensors[1], "b", 2, 4, 6);
    fs_id p = fs_graph_param(g, FS_F32, (struct fs_number){k, k});
    fs_id o = bin(g, FS_OP_MUL, bin(g, FS_OP_SUB, a, b), p);
    fs_graph_output(g, o, k ? "x" : "y");
    s[k] = fs_graph_simplify(g);
    fs_graph_free(g);
  }
  CHECK(fs_graph_same(s[0], s[1]) && fs_graph_hash(s[0]) == fs_graph_hash(s[1]), "other tensors");
  CHECK(!fs_graph_same(s[0], s[2]), "aliasing or layout counts");
  CHECK(fs_graph_same(s[0], s[3]), "other values");
  for (int k = 0; k < 4; k++) fs_graph_free(s[k]);
}

/* -- single rules ---------------------------------------------------------- */

static int count_kind(const struct fs_graph *g, enum fs_node_kind kind) {
  int n = 0;
  for (int k = 1; k < g->nodes.len; k++) n += g->nodes.data[k].kind == kind;
  return n;
}

/* Of a long chain of maps that its sum wants, too, the last element. */
static void check_one(int64_t n, bool stored, int views, const char *what) {
  struct fs_graph *g = fs_graph_new(), *s;
  n_tensors = 0;
  fs_id x = input(g, new_tensor(FS_F32), "x", 1, (int)n, 0);
  for (int k = 0; k < 12; k++) x = fs_graph_map(g, k % 2 ? FS_OP_ABS : FS_OP_EXP, 1, &x, 0);
  struct fs_view last = {1, {-1}, {n - 1}, {0}};
  struct fs_shape one = {0};
  fs_graph_output(g, fs_graph_reduce(g, FS_RD_SUM, x, 1), "sum");
  fs_graph_output(g, fs_graph_view(g, x, &last, &one), "last");
  if (stored) fs_graph_output(g, x, "all");
  s = simplified(g, what);
  CHECK(count_kind(s, FS_ND_VIEW) == views, "%s", what);
  fs_graph_free(s);
  fs_graph_free(g);
}

static void test_rules(void) {
  n_tensors = 0;
  for (int k = 0; k < 9; k++) new_tensor(FS_F32);
  struct fs_graph *g = fs_graph_new(), *s;
  fs_id a = input(g, &tensors[0], "A", 2, M, M), b = input(g, &tensors[1], "B", 2, M, M);
  fs_id sum = bin(g, FS_OP_ADD, a, b);
  struct fs_view v = {2, {0, 1}, {1, 2}, {1, 1}};
  struct fs_shape part = shape_of(2, 3, 4, 0, 0);
  fs_graph_output(g, fs_graph_view(g, sum, &v, &part), "slice");
  fs_graph_output(g, bin(g, FS_OP_ADD, sum, transpose(g, sum)), "mirror");
  s = simplified(g, "rules");
  CHECK(count_kind(s, FS_ND_VIEW) == 0, "slices and mirrors reach the leaves");
  fs_graph_free(s);
  fs_graph_free(g);

  g = fs_graph_new();
  a = input(g, &tensors[0], "A", 2, M, M);
  sum = fs_graph_map(g, FS_OP_EXP, 1, &a, 0);
  fs_id x = input(g, &tensors[2], "x", 1, M, 0);
  fs_graph_output(g, gemv(g, sum, x), "q");
  fs_graph_output(g, gemv(g, transpose(g, sum), x), "s");
  s = simplified(g, "bicgk of a map");
  CHECK(count_kind(s, FS_ND_VIEW) == 1, "a transpose stays on its edge");
  fs_graph_free(s);
  fs_graph_free(g);

  g = fs_graph_new();
  a = input(g, &tensors[0], "A", 2, M, N);
  fs_id r = fs_graph_reduce(g, FS_RD_SUM, fs_graph_map(g, FS_OP_EXP, 1, &a, 0), 2);
  v = (struct fs_view){1, {0}, {1}, {2}};
  part = shape_of(1, 2, 0, 0, 0);
  fs_graph_output(g, fs_graph_view(g, r, &v, &part), "rows");
  s = simplified(g, "slice of a sum");
  CHECK(count_kind(s, FS_ND_VIEW) == 0, "a slice moves through a sum");
  fs_graph_free(s);
  fs_graph_free(g);
  check_one(1 << 12, false, 0, "one element of many is computed again");
  check_one((1 << 12) - 1, false, 1, "one of a few is read of what is stored");
  check_one(1 << 12, true, 1, "so is one of an output");
}

/* Long programs: no deep recursion, no quadratic time. */
static void test_long(void) {
  struct fs_graph *g = fs_graph_new();
  n_tensors = 0;
  new_tensor(FS_F32);
  fs_id x = input(g, &tensors[0], "x", 1, 2000, 0), y = x;
  double start = fs_now();
  for (int k = 0; k < 50000; k++) x = fs_graph_map(g, k % 3 ? FS_OP_EXP : FS_OP_NEG, 1, &x, 0);
  for (int k = 0; k < 900; k++) {
    struct fs_view v = {1, {0}, {1}, {1}};
    struct fs_shape s = fs_node(g, y)->shape;
    s.dim[0] -= 2;
    y = fs_graph_view(g, fs_graph_map(g, FS_OP_EXP, 1, &y, 0), &v, &s);
  }
  fs_graph_output(g, x, "x");
  fs_graph_output(g, y, "y");
  struct fs_graph *s = fs_graph_simplify(g);
  CHECK(!fs_graph_check(s), "long: %s", fs_graph_check(s));
  CHECK(s->nodes.len > 50000 && s->nodes.len < 60000, "long: %d nodes", s->nodes.len);
  CHECK(fs_now() - start < 10, "long: %.1f s", fs_now() - start);
  fs_graph_free(s);
  fs_graph_free(g);
}

static void test_speed(void) {
  n_tensors = 0;
  for (int k = 0; k < 9; k++) new_tensor(FS_F32);
  double start = fs_now();
  for (int k = 0; k < 2000; k++) {
    struct fs_graph *g = gemver_operators(false, false);
    struct fs_graph *s = fs_graph_simplify(g);
    fs_graph_hash(s);
    fs_graph_free(s);
    fs_graph_free(g);
  }
  fprintf(stderr, "# trace + simplify + hash of GEMVER: %.1f us\n",
          (fs_now() - start) / 2000 * 1e6);
  passed++;
}

static void test_dump(void) {
  static const char *want =
      "> graph: 3 inputs, 1 params, 1 outputs\n"
      "%1 = param f32 scalar p0\n"
      "%2 = input f32 6x5 in0 @0 [5 1] A\n"
      "%3 = input f32 6x5 in1 @0 [0 1] z\n"
      "%4 = map mul f32 6x5 %2 %3\n"
      "%5 = reduce sum f32 6 %4 over {1}\n"
      "%6 = map mul f32 6 %1 %5\n"
      "%7 = input f32 6 in2 @0 [1] u1\n"
      "%8 = map sub f32 6 %6 %7\n"
      "out o = %8\n";
  struct fs_graph *g = fs_graph_new();
  struct fs_str s = {0};
  n_tensors = 0;
  for (int k = 0; k < 9; k++) new_tensor(FS_F32);
  struct gemver in = gemver_inputs(g, false);
  fs_id o = gemv(g, bin(g, FS_OP_MUL, in.alpha, in.A), in.z);
  fs_graph_output(g, bin(g, FS_OP_SUB, o, in.u1), "o");
  struct fs_graph *x = fs_graph_simplify(g);
  fs_graph_dump(x, NULL, &s);
  CHECK(!strcmp(fs_str_text(&s), want), "dump:\n%s", fs_str_text(&s));
  fs_str_free(&s);
  fs_graph_free(x);
  fs_graph_free(g);
}

static void test_dump_kinds(void) {
  static const char *want =
      "> graph: 1 inputs, 3 params, 2 outputs\n"
      "%1 = param i64 scalar p0\n"
      "%2 = param f64 scalar p1\n"
      "%3 = iota f64 9 %2 %2 @1 [1]  ; q = f(x)\n"
      "barrier\n"
      "%4 = rand f64 4x9 %1 %1 @0 [9 1]\n"
      "%5 = map exp f64 4x9 %4\n"
      "%6 = view f64 9x4 %5 (1, 0)\n"
      "%7 = input f64 4x3 in0 @0 [3 1] A\\x1b\n"
      "%8 = lib gemm f64 9x3 %6:9x4 %7:4x3\n"
      "%9 = view f64 9 %8 (0, =2)\n"
      "%10 = update f64 4x9 none %9 (=1, 8+-1*0)\n"
      "%11 = reduce max f64 scalar %10 over {0,1}\n"
      "out - = %3\n"
      "out m = %11\n";
  struct fs_graph *g = fs_graph_new();
  struct fs_str text = {0};
  struct fs_diags d;
  struct fs_shape s = shape_of(2, 4, 9, 0, 0), t = shape_of(2, 9, 4, 0, 0),
                  r = shape_of(2, 9, 3, 0, 0), col = shape_of(1, 9, 0, 0, 0),
                  u = shape_of(3, 4, 1, 9, 0), sa = shape_of(2, 4, 3, 0, 0);
  fs_diags_init(&d);
  uint32_t source = fs_source_add(&d, "<repl:1>", "q = f(x)", 8);
  n_tensors = 0;
  fs_id p = fs_graph_param(g, FS_F64, (struct fs_number){2, 2});
  fs_id k = fs_graph_param(g, FS_I64, (struct fs_number){2, 2});
  g->stmt = g->span = (struct fs_span){source, 0, 8};
  fs_id iota = fs_graph_iota(g, FS_F64, 10, p, p);
  struct fs_view tail = {1, {0}, {1}, {1}};
  iota = fs_graph_view(g, iota, &tail, &col);
  g->stmt = g->span = (struct fs_span){0};
  *FS_PUSH(&g->barriers) = (fs_id)g->nodes.len;
  fs_id x = fs_graph_rand(g, false, FS_F64, &s, k, k);
  x = fs_graph_map(g, FS_OP_EXP, 1, &x, 0);
  struct fs_view flip = fs_view_axes(2, (int[]){1, 0});
  x = fs_graph_view(g, x, &flip, &t);
  fs_id a = input(g, new_tensor(FS_F64), "A\x1b", 2, 4, 3);
  x = fs_graph_lib(g, FS_LIB_GEMM, FS_F64, &r, x, &t, a, &sa, 0);
  struct fs_view last = {2, {0, -1}, {0, 2}, {1, 0}};
  x = fs_graph_view(g, x, &last, &col);
  struct fs_view row = {3, {-1, -1, 0}, {1, 0, 8}, {0, 0, -1}};
  x = fs_graph_update(g, 0, FS_F64, &u, x, &col, &row);
  x = fs_graph_reduce(g, FS_RD_MAXR, x, 3);
  fs_graph_output(g, iota, NULL);
  fs_graph_output(g, x, "m");
  fs_graph_param(g, FS_F64, (struct fs_number){2, 2});
  CHECK(!fs_graph_check(g), "legal: %s", fs_graph_check(g));
  struct fs_graph *out = fs_graph_simplify(g);
  CHECK(out->params.len == 2, "params that nobody uses go");
  CHECK(out->barriers.len == 1, "the barrier stays");
  *FS_PUSH(&out->params) = (struct fs_number){0, 0};
  fs_graph_dump(out, &d, &text);
  CHECK(!strcmp(fs_str_text(&text), want), "dump:\n%s", fs_str_text(&text));
  fs_str_free(&text);
  fs_diags_free(&d);
  fs_graph_free(out);
  fs_graph_free(g);
}

/* Nodes that merge keep the earliest statement. */
static void test_spans(void) {
  struct fs_graph *g = fs_graph_new();
  n_tensors = 0;
  for (int k = 0; k < 3; k++) new_tensor(FS_F32);
  fs_id a = input(g, &tensors[0], "a", 1, 5, 0);
  fs_id b = input(g, &tensors[1], "b", 1, 5, 0);
  fs_id ids[2];
  for (int k = 0; k < 2; k++) {
    g->stmt = g->span = (struct fs_span){1, 10 + 10 * (uint32_t)k, 99};
    ids[k] = k ? bin(g, FS_OP_ADD, b, a) : bin(g, FS_OP_ADD, a, b);
  }
  fs_graph_output(g, ids[1], "late");
  fs_graph_output(g, ids[0], "early");
  struct fs_graph *s = fs_graph_simplify(g);
  CHECK(s->outputs.data[0] == s->outputs.data[1], "a+b and b+a are one");
  CHECK(fs_node(s, s->outputs.data[0])->stmt.begin == 10, "the earliest stays");
  fs_graph_free(s);
  fs_graph_free(g);
}

/* What has no sign by its operations alone; a number that may change says nothing. */
static void test_signs(void) {
  struct fs_graph *g = fs_graph_new();
  fs_id any = fs_graph_param(g, FS_F32, (struct fs_number){2, 2});
  fs_id some = fs_graph_literal(g, FS_F32, (struct fs_number){.f = 0.01});
  fs_id less = fs_graph_literal(g, FS_F32, (struct fs_number){.f = -0.01});
  fs_id zero = fs_graph_literal(g, FS_F32, (struct fs_number){.f = -0.0});
  fs_id square = fs_graph_map(g, FS_OP_SQUARE, 1, &any, 0);
  const struct {
    enum fs_map_op op;
    fs_id a, b;
    bool is_unsigned;
  } cases[] = {
      {FS_OP_ADD, square, some, true},  {FS_OP_ADD, square, less, false},
      {FS_OP_ADD, square, zero, false}, {FS_OP_ADD, square, any, false},
      {FS_OP_SUB, square, some, false}, {FS_OP_MUL, square, some, true},
      {FS_OP_MUL, any, any, true},      {FS_OP_MUL, less, less, true},
      {FS_OP_MUL, any, some, false},    {FS_OP_DIV, some, square, true},
      {FS_OP_DIV, square, zero, false}, {FS_OP_MAX, square, some, true},
      {FS_OP_MIN, square, less, false}, {FS_OP_MAX, any, square, false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fs_id id = fs_graph_map(g, cases[k].op, 2, (fs_id[]){cases[k].a, cases[k].b}, 0);
    CHECK(fs_graph_is_unsigned(g, id) == cases[k].is_unsigned);
    CHECK(fs_graph_is_unsigned(g, fs_graph_map(g, FS_OP_SQRT, 1, &id, 0)) ==
          cases[k].is_unsigned);
    CHECK(!fs_graph_is_unsigned(g, fs_graph_map(g, FS_OP_NEG, 1, &id, 0)));
    CHECK(fs_graph_is_unsigned(g, fs_graph_map(g, FS_OP_ABS, 1, &id, 0)));
  }
  CHECK(!fs_graph_is_unsigned(g, any) && fs_graph_is_unsigned(g, square));
  fs_graph_free(g);
}

int main(void) {
  test_signs();
  test_dump_kinds();
  test_spans();
  test_layout();
  test_consing();
  test_promotion();
  test_check_finds();
  test_compose();
  test_graph_views();
  test_same_programs();
  test_hash();
  test_rules();
  test_dump();
  test_written_out();
  test_centred();
  test_random_graphs();
  test_long();
  test_speed();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
