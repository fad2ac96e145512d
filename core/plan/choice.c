/* choice.c - a combination as text, and the plan of such a text: how the tuning
 * store remembers what was chosen.
 *
 *   row/128.32.4.2.1.4:3,7 flat/256.256.4.1.4.8:9
 *
 * is a kernel of calls 3 and 7 and one of call 9, each with its scheme and how a
 * target walks it; ".2" more: clusters of blocks, ".s4": a ring of rows, ".w2": which
 * axes are columns, ".r1", ".u1": routines. Numbers are node ids, which follow from the
 * structure. */
#include "core/plan/plan.h"

/* How many combinations are looked through for a text. */
enum { LOOKED_AT = 256 };

/* ".u2": the second routine of a function that maps call. */
static void put_routines(const struct fs_graph *g, const struct fs_kernel *k, struct fs_str *out) {
  FS_EACH_CALL(k, step)
    if (fs_user_ways(fs_node(g, step->node)->user) > 1)
      fs_str_printf(out, ".u%d", step->user->impl);
}

const char *fs_plan_choice(const struct fs_plan *plan) {
  struct fs_str s = {0};
  if (plan->found->choice) return plan->found->choice;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *n = &plan->kernels.data[k];
    fs_str_printf(&s, "%s%s/", k ? " " : "", fs_schemes[n->scheme].name);
    fs_tuning_put(&n->tune, &s);
    if (n->inner && n->scheme != FS_FLAT) fs_str_printf(&s, ".w%u", n->inner);
    put_routines(plan->graph, n, &s);
    for (int q = 0; q < n->n_applied; q++)
      if (fs_user_ways(fs_node(plan->graph, n->applied[q].node)->user) > 1)
        fs_str_printf(&s, ".r%d", n->applied[q].user->impl);
    for (int c = 0; c < n->calls.len; c++)
      fs_str_printf(&s, "%c%u", c ? ',' : ':', n->calls.data[c]);
  }
  const char *text = fs_arena_strndup(plan->arena, fs_str_text(&s), s.len);
  fs_str_free(&s);
  return ((struct fs_plan *)plan)->found->choice = text;
}

/* Of two kernels of one scheme, the traits of one that the other has not; its routines and
 * the way it walks, if they differ, in words. Settings of threads are
 * a GPU's: a CPU does not look at them. */
static void put_difference(const struct fs_plan *plan, const struct fs_plan *other,
                           const struct fs_kernel *k, const struct fs_kernel *like,
                           const struct fs_device *device, int kernel, struct fs_str *out) {
  int64_t mine[FS_TRAITS], theirs[FS_TRAITS];
  struct fs_str words = {0}, routines = {0}, as = {0};
  fs_kernel_traits(plan->graph, k, mine);
  fs_kernel_traits(other->graph, like, theirs);
  for (int x = 0; x < FS_TRAITS; x++) {
    bool told = x == FS_TRAIT_ROWS || (x >= FS_TRAIT_TUNING && fs_device_has_warps(device));
    if (told && mine[x] != theirs[x])
      fs_str_printf(&words, "%s%s %lld", words.len ? ", " : "", fs_trait_name(x),
                    (long long)mine[x]);
  }
  bool turned = mine[FS_TRAIT_ROWS] == theirs[FS_TRAIT_ROWS] &&
                mine[FS_TRAIT_WALK] != theirs[FS_TRAIT_WALK];
  if (turned) {
    fs_str_puts(&words, words.len ? ", columns: " : "columns: ");
    fs_kernel_put_walk(plan->graph, plan, k, &words);
  }
  fs_kernel_put_routines(plan, k, &routines);
  fs_kernel_put_routines(other, like, &as);
  if (strcmp(fs_str_text(&routines), fs_str_text(&as)))
    fs_str_printf(&words, "%s%s", words.len ? ", " : "", fs_str_text(&routines));
  if (words.len)
    fs_str_printf(out, "%sk%d %s", out->len ? "; " : "", kernel + 1, fs_str_text(&words));
  fs_str_free(&words);
  fs_str_free(&routines);
  fs_str_free(&as);
}

/* A kernel that only copies, before an update, has no calls. */
static bool has_same_calls(const struct fs_kernel *a, const struct fs_kernel *b) {
  if (a->calls.len != b->calls.len) return false;
  size_t bytes = sizeof *a->calls.data * (size_t)a->calls.len;
  return bytes == 0 || !memcmp(a->calls.data, b->calls.data, bytes);
}

/* A kernel that the other plan has not: as another scheme for the same calls, or by what
 * it does. */
static void put_new(const struct fs_plan *plan, const struct fs_plan *other, int kernel,
                    const struct fs_diags *sources, struct fs_str *out) {
  const struct fs_kernel *mine = &plan->kernels.data[kernel];
  bool regrouped = true;
  for (int x = 0; x < other->kernels.len; x++)
    regrouped &= !has_same_calls(mine, &other->kernels.data[x]);
  fs_str_printf(out, "%sk%d %s", out->len ? "; " : "", kernel + 1, fs_schemes[mine->scheme].name);
  if (!regrouped) return;
  fs_str_puts(out, " `");
  fs_kernel_does(plan, mine, sources, out);
  fs_str_puts(out, "`");
}

bool fs_plan_put_settings(const struct fs_plan *plan, const struct fs_plan *other,
                          const struct fs_device *device, const struct fs_diags *sources,
                          struct fs_str *out) {
  struct fs_str text = {0};
  bool same = true;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *mine = &plan->kernels.data[k], *theirs = NULL;
    for (int x = 0; x < other->kernels.len && !theirs; x++) {
      const struct fs_kernel *one = &other->kernels.data[x];
      if (one->scheme == mine->scheme && has_same_calls(one, mine)) theirs = one;
    }
    same &= theirs != NULL;
    if (theirs) put_difference(plan, other, mine, theirs, device, k, &text);
    else put_new(plan, other, k, sources, &text);
  }
  fs_str_puts(out, fs_str_text(&text));
  fs_str_free(&text);
  return same;
}

struct fs_plan *fs_plan_chosen(const struct fs_graph *g, const struct fs_device *device,
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
      if (!found && !strcmp(plans[k]->found->choice, options->choice)) found = plans[k];
      else fs_plan_free(plans[k]);
    }
    free(plans);
  }
  return found;
}
