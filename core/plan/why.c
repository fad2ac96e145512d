/* why.c - why two nodes share a kernel, or do not, and what the other way would
 * cost: the block is planned again with the two pinned together, and apart. */
#include "core/plan/calls/calls.h"
#include "core/plan/plan.h"

/* The kernel that makes a node's value: its own, or that of the reduction which
 * has taken in a product. */
static int kernel_of(const struct fs_plan *plan, fs_id *id) {
  *id = fs_plan_base(plan->graph, *id);
  int found = fs_plan_kernel_of(plan, *id);
  for (int k = (int)*id + 1; found < 0 && k < plan->graph->nodes.len; k++) {
    const struct fs_node *nd = fs_node(plan->graph, (fs_id)k);
    if (nd->kind != FS_ND_REDUCE || nd->src[0] != *id) continue;
    found = fs_plan_kernel_of(plan, (fs_id)k);
    if (found >= 0) *id = (fs_id)k;
  }
  return found;
}

struct forced {
  double seconds;              /* < 0: the rules forbid it */
  int kernels;
  struct fs_pin_result pin;
};

static bool same_pair(const struct fs_pin *p, fs_id a, fs_id b) {
  return (p->a == a && p->b == b) || (p->a == b && p->b == a);
}

/* The best plan with this pin in the place of others on the pair. */
static struct forced force(const struct fs_plan *plan, const struct fs_device *device,
                           const struct fs_plan_options *options, fs_id a, fs_id b,
                           bool together) {
  int n = 0;
  struct fs_pin *pins = fs_malloc(sizeof *pins * (size_t)(options->n_pins + 1));
  for (int k = 0; k < options->n_pins; k++)
    if (!same_pair(&options->pins[k], a, b)) pins[n++] = options->pins[k];
  pins[n] = (struct fs_pin){a, b, together, n};
  struct fs_plan_options o = *options;
  o.pins = pins;
  o.n_pins = n + 1;
  o.choice = NULL;
  struct fs_plan *other = fs_plan_make(fs_graph_copy(plan->graph), device, &o);
  struct forced f = {.seconds = -1, .pin = other->found->pins.data[n]};
  if (!f.pin.rule) {
    f.seconds = other->predicted;
    f.kernels = other->kernels.len;
  }
  fs_plan_free(other);
  free(pins);
  return f;
}

static bool pinned(const struct fs_plan_options *o, fs_id a, fs_id b, bool together) {
  for (int k = 0; k < o->n_pins; k++)
    if (o->pins[k].together == together && same_pair(&o->pins[k], a, b))
      return true;
  return false;
}

static void explain_apart(struct fs_why *w, const struct fs_pin_result *r) {
  if (!r->rule) {
    w->rule = FS_RULE_PRICE;
    return;
  }
  w->rule = r->rule;
  w->between = r->between;
  w->between_rule = r->between_rule;
  if (!r->a || !r->b) return;
  w->a = r->a;
  w->b = r->b;
}

/* Without what runs have taught: other plans have only such a prediction. */
static double first_of(const struct fs_plan *plan) {
  double sum = 0;
  for (int k = 0; k < plan->kernels.len; k++) sum += plan->kernels.data[k].first;
  return sum;
}

/* With `price` also what two kernels for them would take. */
static struct fs_why answer(const struct fs_plan *plan, const struct fs_device *device,
                            const struct fs_plan_options *options, fs_id a, fs_id b, bool price) {
  struct fs_why w = {.a = a, .b = b, .chosen = first_of(plan),
                     .together = -1, .apart = -1};
  w.kernel_a = kernel_of(plan, &w.a);
  w.kernel_b = kernel_of(plan, &w.b);
  w.same = w.kernel_a >= 0 && w.kernel_a == w.kernel_b;
  if (w.kernel_a < 0 || w.kernel_b < 0 || w.a == w.b) return w;
  struct fs_plan_options o = *options;
  if (o.strategy == FS_FUSE_OFF) o.strategy = FS_SMART;
  struct forced t = force(plan, device, &o, a, b, true);
  w.together = t.seconds;
  w.together_kernels = t.kernels;
  if (price) {
    struct forced s = force(plan, device, &o, a, b, false);
    w.apart = s.seconds;
    w.apart_kernels = s.kernels;
  }
  if (w.same) {
    if (pinned(options, a, b, true)) w.rule = FS_RULE_PIN;
    return w;
  }
  explain_apart(&w, &t.pin);
  if (!t.pin.rule && pinned(options, a, b, false))
    w.rule = FS_RULE_PIN;
  if (options->strategy == FS_FUSE_OFF && !t.pin.rule)
    w.rule = FS_RULE_OFF;
  return w;
}

struct fs_why fs_plan_why(const struct fs_plan *plan, const struct fs_device *device,
                          const struct fs_plan_options *options, fs_id a, fs_id b) {
  return answer(plan, device, options, a, b, true);
}

struct fs_why fs_plan_border(const struct fs_plan *plan, const struct fs_device *device,
                             const struct fs_plan_options *options, fs_id a, fs_id b) {
  return answer(plan, device, options, a, b, false);
}
