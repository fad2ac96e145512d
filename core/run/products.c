/* products.c - see products.h. */
#include "core/run/products.h"

#include "core/plan/plan.h"

enum { MOST_KINDS = 4 };

/* Products of one size and type, as their routine says. */
struct kinds {
  const struct fs_user *user[MOST_KINDS];
  int n;
};

static bool is_product(const struct fs_node *nd) {
  return nd->kind == FS_ND_APPLY && nd->user->small && nd->user->small->op == FS_SMALL_PRODUCT;
}

static struct kinds kinds_of(const struct fs_graph *g) {
  struct kinds k = {0};
  for (int id = 1; id < g->nodes.len && k.n < MOST_KINDS; id++) {
    const struct fs_node *nd = fs_node(g, (fs_id)id);
    bool seen = !is_product(nd);
    for (int x = 0; x < k.n && !seen; x++) seen = k.user[x] == nd->user;
    if (!seen) k.user[k.n++] = nd->user;
  }
  return k;
}

/* The shape of operand k as that of a library call, one matrix where all instances have the same. */
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
    bool call = false;
    for (int x = 0; x < k->n; x++)
      call |= is_product(nd) && nd->user == k->user[x] && calls >> x & 1;
    if (!call) continue;
    struct fs_shape a = operand_shape(g, nd, 0), b = operand_shape(g, nd, 1);
    nd->kind = FS_ND_LIB, nd->op = FS_LIB_GEMM, nd->user = NULL;
    nd->lib_shape[0] = a, nd->lib_shape[1] = b;
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

struct fs_graph *fs_products_choose(struct fs_products *known, struct fs_graph *simplified,
                                    const struct fs_device *device,
                                    const struct fs_plan_options *options) {
  struct kinds k = kinds_of(simplified);
  if (!k.n) return simplified;
  struct fs_plan_options o = {.strategy = options->strategy, .effort = options->effort};
  const struct fs_calibration *by = device->calibration;
  uint64_t hash = fs_hash(&by, sizeof by, fs_graph_hash(simplified)) + (uint64_t)o.strategy;
  int at = (int)(hash % FS_PRODUCTS);
  if (known->place[at].hash != hash) {
    unsigned calls = worth_calls(simplified, &k, device, &o);
    if (fs_interrupted()) return simplified;
    known->place[at].hash = hash, known->place[at].calls = calls;
  }
  unsigned calls = known->place[at].calls;
  if (!calls) return simplified;
  struct fs_graph *out = with_calls(simplified, &k, calls);
  fs_graph_free(simplified);
  return out;
}
