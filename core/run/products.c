/* products.c - see products.h. */
#include "core/run/products.h"

#include "core/plan/plan.h"

enum { MOST_KINDS = 4 };

typedef bool (*is_one)(const struct fs_graph *, const struct fs_node *);

/* Products, or lines, of one size and type, as their routine says. */
struct kinds {
  is_one is;
  const struct fs_user *user[MOST_KINDS];
  int n;
};

static bool is_product(const struct fs_graph *g, const struct fs_node *nd) {
  (void)g;
  return nd->kind == FS_ND_APPLY && nd->user->small && nd->user->small->op == FS_SMALL_PRODUCT;
}

/* Those of the nodes that are one. */
static struct kinds kinds_of(const struct fs_graph *g, is_one is) {
  struct kinds k = {.is = is};
  for (int id = 1; id < g->nodes.len && k.n < MOST_KINDS; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    bool seen = !is(g, nd);
    for (int x = 0; x < k.n && !seen; x++) seen = k.user[x] == nd->user;
    if (!seen) k.user[k.n++] = nd->user;
  }
  return k;
}

/* Whether a node is of the kinds whose bits are set. */
static bool is_chosen(const struct fs_graph *g, const struct kinds *k, unsigned chosen,
                      const struct fs_node *nd) {
  bool found = false;
  for (int x = 0; x < k->n && k->is(g, nd); x++) found |= nd->user == k->user[x] && chosen >> x & 1;
  return found;
}

/* The shape of operand k as that of a library call: one matrix where all instances have it. */
static struct fs_shape operand_shape(const struct fs_graph *g, const struct fs_node *nd, int k) {
  const struct fs_small *s = nd->user->small;
  struct fs_shape stack = fs_apply_batch(nd), element = fs_apply_element(nd, k);
  struct fs_shape one = {2, {k ? s->inner : s->n, k ? s->columns : s->inner}};
  bool same = fs_shape_equal(&fs_node(g, nd->src[k])->shape, &element);
  return same ? one : fs_batched(&stack, &one);
}

/* A copy in which products of the kinds in `calls` are calls of a library. */
static struct fs_graph *with_calls(const struct fs_graph *g, const struct kinds *k,
                                   unsigned calls) {
  struct fs_graph *to = fs_graph_copy(g);
  for (int id = 1; id < to->nodes.len; id++) {
    struct fs_node *nd = fs_node(to, (fs_id)id);
    if (!is_chosen(g, k, calls, nd)) continue;
    struct fs_shape a = operand_shape(g, nd, 0), b = operand_shape(g, nd, 1);
    nd->kind = FS_ND_LIB, nd->op = FS_LIB_GEMM, nd->user = NULL;
    nd->lib_shape[0] = a, nd->lib_shape[1] = b;
  }
  return to;
}

/* -- Fourier transforms of short lines -------------------------------------------------- */

/* Whether a call can be a routine in a kernel: over whole lines of what it takes. */
static bool is_line(const struct fs_graph *g, const struct fs_node *nd) {
  if (nd->kind != FS_ND_LIB || !fs_lib_is_fourier(nd->op) || !nd->user) return false;
  const struct fs_user *u = nd->user;
  int last = nd->shape.rank - 1;
  if (last < 0 || nd->shape.dim[last] != u->result.dim[0]) return false;
  for (int k = 0; k < nd->n_src; k++) {
    struct fs_shape s = fs_node(g, nd->src[k])->shape, wanted = nd->shape;
    wanted.dim[last] = u->arg[k].dim[0];
    if (!fs_shape_equal(&s, &wanted)) return false;
  }
  return nd->n_src == u->n_args;
}

/* A copy in which transforms of the kinds in `lines` are routines. */
static struct fs_graph *with_lines(const struct fs_graph *g, const struct kinds *k,
                                   unsigned lines) {
  struct fs_graph *to = fs_graph_copy(g);
  for (int id = 1; id < to->nodes.len; id++) {
    struct fs_node *nd = fs_node(to, (fs_id)id);
    if (!is_chosen(g, k, lines, nd)) continue;
    nd->kind = FS_ND_APPLY, nd->op = 0, nd->lib_flags = 0;
    memset(nd->lib_shape, 0, sizeof nd->lib_shape);
  }
  return to;
}

static double seconds_of(struct fs_graph *g, const struct fs_device *device,
                         const struct fs_plan_options *options) {
  double seconds = 0;
  struct fs_plan *plan = fs_plan_make(g, device, options);
  FS_EACH_AT(&plan->kernels, k) seconds += k->first;
  fs_plan_free(plan);
  return seconds;
}

/* -- products with a short inner extent, or few columns; squares about a mean ---------- */

/* Smaller ones take no longer than a launch, however they are made. */
enum { LEAST_ELEMENTS = 1 << 16 };

static int64_t elements_of(const struct fs_graph *g, const struct fs_node *nd) {
  if (nd->kind == FS_ND_REDUCE) return fs_shape_count(&fs_node(g, nd->src[0])->shape);
  int64_t a = fs_shape_count(&nd->lib_shape[0]), b = fs_shape_count(&nd->lib_shape[1]);
  return FS_MAX(fs_shape_count(&nd->shape), FS_MAX(a, b));
}

/* The first products and sums that can be written out, by id; how many. */
static int short_products(const struct fs_graph *g, fs_id *out) {
  int n = 0;
  for (int id = 1; id < g->nodes.len && n < MOST_KINDS; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    bool may = fs_graph_may_write_out(nd) || fs_graph_is_centred(g, nd);
    if (may && elements_of(g, nd) >= LEAST_ELEMENTS) out[n++] = (fs_id)id;
  }
  return n;
}

/* A graph in which those of the products are maps. */
static struct fs_graph *with_maps(const struct fs_graph *g, const fs_id *products, int n,
                                  unsigned maps) {
  bool *which = fs_calloc((size_t)g->nodes.len, sizeof *which);
  for (int k = 0; k < n; k++) which[products[k]] = maps >> k & 1;
  struct fs_graph *to = fs_graph_write_out(g, which);
  free(which);
  return to;
}

static unsigned worth_maps(const struct fs_graph *g, const fs_id *products, int n,
                           const struct fs_device *device,
                           const struct fs_plan_options *options) {
  static const double WORTH_IT = 0.95; /* a prediction of another kind of kernel is not exact */
  unsigned maps = 0;
  double least = n ? seconds_of(fs_graph_copy(g), device, options) : 0;
  for (int k = 0; k < n; k++) {
    double now = seconds_of(with_maps(g, products, n, maps | 1u << k), device, options);
    if (now < WORTH_IT * least) least = now, maps |= 1u << k;
  }
  return maps;
}

/* -- what is chosen ------------------------------------------------------------------ */

/* One kind after the other, each in addition to those that were found to be worth it. */
static unsigned worth_calls(const struct fs_graph *g, const struct kinds *k,
                            const struct fs_device *device,
                            const struct fs_plan_options *options) {
  unsigned calls = 0;
  double least = seconds_of(fs_graph_copy(g), device, options);
  for (int x = 0; x < k->n; x++) {
    double now = seconds_of(with_calls(g, k, calls | 1u << x), device, options);
    if (now < least) least = now, calls |= 1u << x;
  }
  return calls;
}

/* All kinds, or else one after the other. */
static unsigned worth_lines(const struct fs_graph *g, const struct kinds *k,
                            const struct fs_device *device,
                            const struct fs_plan_options *options) {
  unsigned lines = 0, all = (1u << k->n) - 1;
  double least = k->n ? seconds_of(fs_graph_copy(g), device, options) : 0;
  if (k->n > 1 && seconds_of(with_lines(g, k, all), device, options) < least) return all;
  for (int x = 0; x < k->n; x++) {
    double now = seconds_of(with_lines(g, k, lines | 1u << x), device, options);
    if (now < least) least = now, lines |= 1u << x;
  }
  return lines;
}

/* The graph itself (kept), or one made of it. */
static struct fs_graph *chosen(struct fs_graph *g, const struct kinds *k, const fs_id *products,
                               int n, const struct fs_product_choice *c) {
  struct fs_graph *out = g;
  if (c->lines) {
    struct kinds l = kinds_of(g, is_line);
    out = with_lines(g, &l, c->lines);
    fs_graph_free(g);
    g = out;
  }
  if (c->calls) out = with_calls(g, k, c->calls);
  if (c->maps) {
    struct fs_graph *maps = with_maps(out, products, n, c->maps);
    if (out != g) fs_graph_free(out);
    out = maps;
  }
  if (out != g) fs_graph_free(g);
  return out;
}

struct fs_graph *fs_products_choose(struct fs_products *known, struct fs_graph *simplified,
                                    const struct fs_device *device,
                                    const struct fs_plan_options *options) {
  struct kinds k = kinds_of(simplified, is_product);
  fs_id products[MOST_KINDS];
  int n = short_products(simplified, products);
  struct kinds lines = kinds_of(simplified, is_line);
  if (!k.n && !n && !lines.n) return simplified;
  struct fs_plan_options o = {.strategy = options->strategy, .effort = options->effort};
  const struct fs_calibration *by = device->calibration;
  uint64_t hash = fs_hash(&by, sizeof by, fs_graph_hash(simplified)) + (uint64_t)o.strategy;
  struct fs_product_choice *c = &known->place[hash % FS_PRODUCTS];
  if (c->hash != hash) {
    struct fs_product_choice now = {.hash = hash};
    if (k.n) now.calls = worth_calls(simplified, &k, device, &o);
    now.maps = worth_maps(simplified, products, n, device, &o);
    now.lines = worth_lines(simplified, &lines, device, &o);
    if (fs_interrupted()) return simplified;
    *c = now;
  }
  return chosen(simplified, &k, products, n, c);
}
