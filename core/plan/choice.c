/* choice.c - a combination as text, and the plan of such a text: how the tuning
 * store remembers what was chosen.
 *
 *   row/128.32.4.2.1.4:3,7 flat/256.256.4.1.4.8:9
 *
 * is a kernel of calls 3 and 7 and one of call 9, each with its scheme and how a
 * target walks it. Numbers are node ids, which follow from the structure. */
#include "core/plan/planner.h"

/* How many combinations are looked through for a text. */
enum { LOOKED_AT = 256 };

const char *fs_plan_choice(const struct fs_plan *plan) {
  struct fs_str s = {0};
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *n = &plan->kernels.data[k];
    const struct fs_tuning *t = &n->tune;
    fs_str_printf(&s, "%s%s/%d.%d.%d.%d.%d.%d", k ? " " : "",
                  fs_scheme_names[n->scheme], t->threads, t->row_threads,
                  t->vec, t->cols, t->iters, t->blocks_per_sm);
    if (t->cluster > 1) fs_str_printf(&s, ".%d", t->cluster);
    for (int q = 0; q < n->n_applied; q++)
      if (fs_user_ways(fs_node(plan->graph, n->applied[q].node)->user) > 1)
        fs_str_printf(&s, ".r%d", n->applied[q].user->impl);
    for (int c = 0; c < n->calls.len; c++)
      fs_str_printf(&s, "%c%u", c ? ',' : ':', n->calls.data[c]);
  }
  const char *text =
      fs_arena_strndup(plan->arena, fs_str_text(&s), s.len);
  fs_str_free(&s);
  return text;
}

struct fs_plan *fs_plan_chosen(const struct fs_graph *g,
                               const struct fs_device *device,
                               const struct fs_plan_options *options) {
  static const int steps[] = {8, LOOKED_AT}; /* most winners are near the top */
  struct fs_plan_options o = *options;
  struct fs_plan *found = NULL, **plans;
  o.choice = NULL;
  o.variants = true;
  for (size_t s = 0; s < FS_LEN(steps) && !found; s++) {
    plans = fs_calloc((size_t)steps[s], sizeof(struct fs_plan *));
    int n = fs_plan_ranked(g, device, &o, steps[s], plans);
    for (int k = 0; k < n; k++) {
      if (!found && !strcmp(plans[k]->choice, options->choice)) found = plans[k];
      else fs_plan_free(plans[k]);
    }
    free(plans);
    if (n < steps[s]) break;
  }
  return found;
}
