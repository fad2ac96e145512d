/* pin.c - `:fuse a b` and `:split a b`: which calls are meant, whether the rules
 * allow it, and what forbids it.
 *
 * The least set that holds the pinned clusters is: them, what connects them, and
 * what lies between (or it would not be convex). It is tried like every fusion;
 * if it has no kernel, nothing that holds both has one, as supersets of a set
 * without a kernel have none. What contradicts an earlier pin is not followed. */
#include "core/plan/cover/inside.h"

/* -- pins as clusters of the window -------------------------------------------------- */

static int cluster_in_window(const struct fs_fusions *p, fs_id call) {
  if (!call) return -1;
  int c = p->calls->cluster_of[p->calls->info[call].call] - p->begin;
  return c >= 0 && c < fs_window_size(p) ? c : -1;
}

/* The two clusters of the window that a pin is about; false if there are none, or
 * the pin is not kept. */
static bool pin_at(const struct fs_fusions *p, int pin, int *a, int *b) {
  const struct fs_pin_result *r = &p->pins[pin];
  *a = cluster_in_window(p, r->a);
  *b = cluster_in_window(p, r->b);
  return pin < p->pins_taken && !r->rule && *a >= 0 && *b >= 0 && *a != *b;
}

/* Whether a pinned kernel forbids the set. */
static bool kernel_pin_forbids(const struct fs_fusions *p, const struct fs_set *s) {
  for (int k = 0; p->pinned && k < p->options->n_kernel_pins; k++)
    if (fs_set_meets(s, &p->pinned[k]) && memcmp(s, &p->pinned[k], sizeof *s)) return true;
  return false;
}

bool fs_plan_pin_forbids(const struct fs_fusions *p, const struct fs_set *s, bool complete) {
  for (int k = 0; k < p->options->n_pins; k++) {
    int a, b;
    if (!pin_at(p, k, &a, &b)) continue;
    bool both = fs_set_has(s, a) && fs_set_has(s, b);
    bool one = fs_set_has(s, a) != fs_set_has(s, b);
    if (p->pins[k].pin.together ? complete && one : both) return true;
  }
  return kernel_pin_forbids(p, s);
}

/* -- the least set --------------------------------------------------------------------- */

/* What earlier `:fuse` pins hold together with members. */
static void add_pinned(const struct fs_fusions *p, struct fs_set *s) {
  for (bool more = true; more;) {
    struct fs_set before = *s;
    for (int k = 0; k < p->pins_taken; k++)
      if (fs_set_meets(s, &p->held[k])) fs_set_join(s, &p->held[k]);
    more = memcmp(&before, s, sizeof before) != 0;
  }
}

/* Adds a shortest way from the part that hangs together with the first member to
 * another member. False if there is none; *whole if nothing is missing. */
static bool connect_parts(const struct fs_fusions *p, struct fs_set *s, bool *whole) {
  int n = fs_window_size(p), from[FS_MAX_SET], queue[FS_MAX_SET], len = 0;
  for (int c = 0; c < n; c++) from[c] = -1;
  for (int c = 0; c < n && !len; c++)
    if (fs_set_has(s, c)) from[queue[len++] = c] = c;
  for (int pass = 0; pass < 2; pass++) /* inside first, then through others */
    for (int k = 0; k < len; k++)
      for (int x = 0; x < n; x++) {
        if (from[x] >= 0 || !fs_set_has(&p->next_to[queue[k]], x)) continue;
        if (!pass && !fs_set_has(s, x)) continue;
        from[x] = queue[k];
        queue[len++] = x;
        if (!pass || !fs_set_has(s, x)) continue;
        for (int y = x; from[y] != y; y = from[y]) fs_set_add(s, y);
        return true;
      }
  *whole = true;
  for (int c = 0; c < n; c++)
    if (fs_set_has(s, c) && from[c] < 0) return false;
  return true;
}

static enum fs_rule close_set(const struct fs_fusions *p, struct fs_set *s) {
  for (bool whole = false; !whole;) {
    add_pinned(p, s);
    if (!connect_parts(p, s, &whole)) return FS_RULE_APART;
    struct fs_set before = *s;
    fs_set_add_between(p, s);
    add_pinned(p, s);
    whole &= !memcmp(&before, s, sizeof before);
  }
  return FS_RULE_NONE;
}

/* -- what decides ------------------------------------------------------------------------ */

/* Whether these two clusters alone could not share a kernel, and by which rule. */
static enum fs_rule pair_rule(struct fs_fusions *p, int a, int b) {
  struct fs_set s = {{0}};
  fs_set_add(&s, a);
  fs_set_add(&s, b);
  enum fs_rule why = fs_plan_forbidden(p, &s);
  if (why) return why;
  fs_id *calls;
  int n = fs_plan_members(p, &s, &calls), impls = p->impls.len;
  why = fs_kernel_survey(p->maker, calls, n, &p->impls);
  p->impls.len = impls;
  return why;
}

/* The first pair of neighbours in the set that is forbidden: by the same rule if
 * there is one. */
static void find_pair(struct fs_fusions *p, const struct fs_set *s, struct fs_pin_result *r) {
  bool found = false;
  for (int b = 0; b < fs_window_size(p); b++)
    for (int a = 0; a < b; a++) {
      if (!fs_set_has(s, a) || !fs_set_has(s, b)) continue;
      if (!fs_set_has(&p->next_to[a], b)) continue;
      enum fs_rule why = pair_rule(p, a, b);
      if (!why || (found && why != r->rule)) continue;
      if (found && why == r->rule) return;
      r->a = fs_window_last_call(p, a);
      r->b = fs_window_last_call(p, b);
      found = true;
      if (why == r->rule) return;
    }
}

/* The pinned clusters could share a kernel, but something between cannot. */
static void blame_between(struct fs_fusions *p, const struct fs_set *s, int a,
                          int b, struct fs_pin_result *r) {
  if (fs_set_size(s) == 2 || pair_rule(p, a, b)) return;
  for (int c = 0; c < fs_window_size(p); c++) {
    if (c == a || c == b || !fs_set_has(s, c)) continue;
    enum fs_rule with_a = pair_rule(p, a, c), with_b = pair_rule(p, b, c);
    if (!with_a && !with_b) continue;
    r->between = fs_window_last_call(p, c);
    r->between_rule = with_a ? with_a : with_b;
    r->rule = FS_RULE_CONVEX;
    r->a = fs_window_last_call(p, with_a ? a : b);
    r->b = r->between;
    return;
  }
}

static void refuse(struct fs_fusions *p, const struct fs_set *s,
                   enum fs_rule why, struct fs_pin_result *r) {
  int a = cluster_in_window(p, r->a), b = cluster_in_window(p, r->b);
  r->rule = why;
  if (why == FS_RULE_APART || why == FS_RULE_PIN || why == FS_RULE_BARRIER)
    return;
  find_pair(p, s, r);
  blame_between(p, s, a, b, r);
}

/* -- taking pins ----------------------------------------------------------------------------- */

static void take_together(struct fs_fusions *p, struct fs_pin_result *r) {
  int a = cluster_in_window(p, r->a), b = cluster_in_window(p, r->b);
  if (!r->a || !r->b || (a < 0 && b < 0) || (a >= 0 && a == b)) return;
  if (a < 0 || b < 0) { /* of two windows */
    r->rule = FS_RULE_LIMIT;
    return;
  }
  struct fs_set s = {{0}};
  fs_set_add(&s, a);
  fs_set_add(&s, b);
  enum fs_rule why = close_set(p, &s);
  if (!why) why = fs_plan_forbidden(p, &s);
  if (!why) fs_plan_try(p, &s, &why);
  if (why) refuse(p, &s, why, r);
  else p->held[r - p->pins] = s;
}

static void take_apart(struct fs_fusions *p, struct fs_pin_result *r) {
  int a = cluster_in_window(p, r->a), b = cluster_in_window(p, r->b);
  if (a < 0 || b < 0) return;
  struct fs_set s = {{0}};
  fs_set_add(&s, a);
  for (bool whole = false; !whole && !fs_set_has(&s, b);) {
    struct fs_set before = s;
    add_pinned(p, &s);
    fs_set_add_between(p, &s);
    whole = !memcmp(&before, &s, sizeof s);
  }
  if (fs_set_has(&s, b)) r->rule = FS_RULE_PIN;
}

void fs_plan_take_pins(struct fs_fusions *p) {
  p->held = FS_NEW_N(p->arena, struct fs_set, p->options->n_pins + 1);
  for (int k = 0; k < p->options->n_pins; k++) {
    p->pins_taken = k;
    if (p->pins[k].rule) continue;
    if (p->pins[k].pin.together) take_together(p, &p->pins[k]);
    else take_apart(p, &p->pins[k]);
  }
  p->pins_taken = p->options->n_pins;
}

/* -- pinned kernels --------------------------------------------------------------------- */

/* The clusters of the window that have its calls, if they have no others. */
static bool find_set(const struct fs_fusions *p, const struct fs_kernel_pin *pin,
                     struct fs_set *out, int *clusters) {
  int n = 0;
  *clusters = 0;
  *out = (struct fs_set){{0}};
  for (int c = p->begin; c < p->end; c++) {
    const struct fs_cluster *cl = &p->calls->clusters.data[c];
    if (!fs_pin_has_call(pin, cl->nodes.data[0])) continue;
    for (int k = 0; k < cl->nodes.len; k++) n += fs_pin_has_call(pin, cl->nodes.data[k]);
    if (cl->library) return false;
    fs_set_add(out, c - p->begin);
    (*clusters)++;
  }
  return n == pin->n_calls;
}

void fs_plan_take_kernel_pins(struct fs_fusions *p) {
  p->pinned = FS_NEW_N(p->arena, struct fs_set, p->options->n_kernel_pins + 1);
  for (int k = 0; k < p->options->n_kernel_pins; k++) {
    struct fs_set s;
    enum fs_rule why = FS_RULE_NONE;
    int clusters;
    if (!find_set(p, &p->options->kernel_pins[k], &s, &clusters)) continue;
    if (fs_plan_forbidden(p, &s) || fs_plan_pin_forbids(p, &s, true)) continue;
    if (clusters > 1) fs_plan_try(p, &s, &why);
    if (!why) p->pinned[k] = s;
  }
}
