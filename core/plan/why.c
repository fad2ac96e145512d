/* why.c - why two statements share a kernel, or do not, and what the other way
 * would cost. */
#include "core/plan/planner.h"

/* The call whose kernel makes a node's value: itself, or the reduction that has
 * taken in a product. */
static int kernel_of(const struct fs_plan *plan, fs_id id) {
  for (int k = 0; k < plan->kernels.len; k++)
    for (int c = 0; c < plan->kernels.data[k].calls.len; c++)
      if (plan->kernels.data[k].calls.data[c] == id) return k;
  return -1;
}

struct fs_why fs_plan_why(const struct fs_plan *plan,
                          const struct fs_device *device,
                          const struct fs_plan_options *options, fs_id a,
                          fs_id b) {
  (void)device;
  (void)options;
  struct fs_why w = {.a = fs_plan_base(plan->graph, a),
                     .b = fs_plan_base(plan->graph, b),
                     .chosen = plan->predicted, .together = -1, .apart = -1};
  w.kernel_a = kernel_of(plan, w.a);
  w.kernel_b = kernel_of(plan, w.b);
  w.same = w.kernel_a >= 0 && w.kernel_a == w.kernel_b;
  if (w.same) return w;
  w.rule = fs_rule_names[FS_RULE_PRICE];
  for (int k = 0; k < plan->rejections.len; k++) {
    const struct fs_rejection *r = &plan->rejections.data[k];
    if ((r->a == w.a && r->b == w.b) || (r->a == w.b && r->b == w.a))
      w.rule = r->rule;
  }
  return w;
}
