/* dump_space.c - the `space` dump: what the planner looked at, by the counts, and
 * the combinations that it liked best. Deterministic: no times.
 *
 *   > space: 3 calls, 7 fusions tried, 6 legal, 21 implementations, 12 kept
 *     pruned: level 2, shape 1
 *     combinations 9
 *     1: row 600x400 q = A*p; s = A'*r
 *     2: row 600x400 q = A*p | row 400x600 s = A'*r
 */
#include "core/plan/plan.h"

enum { SHOWN = 8 };

static void put_routines(const struct fs_plan *plan,
                         const struct fs_kernel *kernel, struct fs_str *out) {
  struct fs_str text = {0};
  fs_kernel_put_routines(plan, kernel, &text);
  if (text.len) fs_str_printf(out, " (%s)", fs_str_text(&text));
  fs_str_free(&text);
}

static void put_combination(const struct fs_plan *plan,
                            const struct fs_diags *diags, struct fs_str *out) {
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kernel = &plan->kernels.data[k];
    fs_str_printf(out, "%s%s ", k ? " | " : "", fs_schemes[kernel->scheme].name);
    if (kernel->space.m > 1 && !kernel->lib_node)
      fs_str_printf(out, "%lldx%lld ", (long long)kernel->space.m,
                    (long long)kernel->space.n);
    fs_kernel_does(plan, kernel, diags, out);
    put_routines(plan, kernel, out);
  }
  fs_str_puts(out, "\n");
}

const char *fs_space_about(const struct fs_space_counts *c) {
  return c->combinations_more ? "more than " : c->combinations_exact ? "" : "~";
}

void fs_space_put_pruned(const struct fs_space_counts *c, struct fs_str *out) {
  const char *before = "  pruned: ";
  for (int r = 1; r < FS_RULE_COUNT; r++) {
    if (!c->pruned[r]) continue;
    fs_str_printf(out, "%s%s %lld", before, fs_rule_names[r], (long long)c->pruned[r]);
    before = ", ";
  }
  if (*before == ',') fs_str_puts(out, "\n");
}

static void put_counts(const struct fs_plan *plan, struct fs_str *out) {
  const struct fs_space_counts *c = &plan->found->space;
  fs_str_printf(out,
                "> space: %d calls, %lld fusions tried, %lld legal, %lld "
                "implementations, %lld kept\n", plan->found->n_calls,
                (long long)c->fusions, (long long)c->legal,
                (long long)c->implementations, (long long)c->kept);
  fs_space_put_pruned(c, out);
  fs_str_printf(out, "  combinations %s%.15g\n", fs_space_about(c), c->combinations);
}

void fs_space_dump(const struct fs_plan *plan, const struct fs_device *device,
                   const struct fs_plan_options *options,
                   const struct fs_diags *diags, struct fs_str *out) {
  struct fs_plan *best[SHOWN];
  int n = fs_plan_ranked(plan->graph, device, options, SHOWN, best);
  put_counts(plan, out);
  for (int k = 0; k < n; k++) {
    fs_str_printf(out, "  %d: ", k + 1);
    put_combination(best[k], diags, out);
    fs_plan_free(best[k]);
  }
}
