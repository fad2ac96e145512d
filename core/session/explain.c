/* explain.c - what was considered, and why it came out so: `:alternatives`,
 * `:why` and `:plan diff`. Answers are in the user's own statements. */
#include "core/session/internal.h"

#include <math.h>

#include "core/ranks/ranks.h"
#include "core/run/blocks.h"
#include "core/run/layouts.h"
#include "core/view/reason.h"
#include "core/view/view.h"

enum { ALTERNATIVES = 8, MOST_ALTERNATIVES = 100 };

static struct fs_look look_of(const struct fs_session *s) {
  return (struct fs_look){.width = FS_MAX(s->show.width, 40),
                          .utf8 = !s->show.ascii};
}

/* -- :alternatives ------------------------------------------------------------------ */

/* What `:tune` measured of it, else, of the one in use, the last run. */
static double measured_of(struct fs_session *s, const struct fs_plan *plan,
                          const struct fs_block *run) {
  double seconds = fs_session_timed_plan(s, plan), sum = 0;
  for (int k = 0; run && seconds < 0 && k < plan->kernels.len; k++) {
    if (run->measured[k] == FS_LEFT_OUT) continue;
    if (run->measured[k] < 0) return NAN;
    sum += run->measured[k];
  }
  return seconds >= 0 ? seconds : sum > 0 ? sum : NAN;
}

/* run: the block that runs as this plan; NULL: another one does. */
static json_t *combination(struct fs_session *s, struct fs_plan *plan,
                           json_t *rank, bool chosen, const struct fs_block *run) {
  json_t *o = json_object(), *kernels = json_array();
  fs_session_correct(s, plan);
  struct fs_expected e = fs_plan_expects(plan);
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    struct fs_str does = {0};
    if (fs_plan_leaves_out(plan, k)) continue;
    json_t *kernel = json_object();
    fs_kernel_does(plan, kn, &s->diags, &does);
    json_object_set_new(kernel, "scheme",
                        json_string(fs_schemes[kn->scheme].name));
    json_object_set_new(kernel, "does",
                        fs_json_text(fs_str_text(&does), does.len));
    fs_str_clear(&does);
    fs_kernel_put_routines(plan, kn, &does);
    if (does.len)
      json_object_set_new(kernel, "routines",
                          fs_json_text(fs_str_text(&does), does.len));
    json_object_set_new(kernel, "space",
                        json_pack("[II]", (json_int_t)kn->space.m,
                                  (json_int_t)kn->space.n));
    fs_str_clear(&does);
    fs_kernel_put_walk(plan->graph, plan, kn, &does);
    json_object_set_new(kernel, "walk", fs_json_text(fs_str_text(&does), does.len));
    json_array_append_new(kernels, kernel);
    fs_str_free(&does);
  }
  json_object_set_new(o, "rank", rank);
  json_object_set_new(o, "chosen", json_boolean(chosen));
  json_object_set_new(o, "kernels", kernels);
  json_object_set_new(o, "first", fs_json_known(e.first));
  json_object_set_new(o, "predicted", fs_json_known(e.predicted));
  json_object_set_new(o, "measured", fs_json_known(measured_of(s, plan, run)));
  json_object_set_new(o, "launches", json_integer(e.launches));
  json_object_set_new(o, "bytes", fs_json_bytes(e.bytes));
  json_object_set_new(o, "peak_bytes", fs_json_bytes(plan->peak_bytes));
  return o;
}

bool fs_session_same_plan(const struct fs_plan *a, const struct fs_plan *b) {
  if (a->kernels.len != b->kernels.len) return false;
  for (int k = 0; k < a->kernels.len; k++) {
    const struct fs_kernel *x = &a->kernels.data[k], *y = &b->kernels.data[k];
    if (x->scheme != y->scheme || x->calls.len != y->calls.len ||
        x->n_applied != y->n_applied ||
        memcmp(&x->space, &y->space, sizeof x->space))
      return false;
    for (int q = 0; q < x->n_applied; q++)
      if (x->applied[q].user != y->applied[q].user) return false;
    for (int c = 0; c < x->calls.len; c++)
      if (x->calls.data[c] != y->calls.data[c]) return false;
  }
  return true;
}

struct fs_plan *fs_session_unfused_plan(struct fs_session *s, const struct fs_graph *g) {
  struct fs_plan_options options = {.strategy = FS_FUSE_OFF};
  return fs_plan_make(fs_graph_copy(g), &fs_session_target(s)->device,
                      &options);
}

/* The plan in use is shown as it is: with the settings that it has. */
json_t *fs_session_alternatives(struct fs_session *s, struct fs_plan *chosen,
                                const struct fs_block *run, int k) {
  json_t *list = json_array();
  struct fs_plan_request q =
      fs_plan_request(fs_session_runner(s), chosen->graph, &s->diags);
  struct fs_plan **plans = fs_calloc((size_t)k, sizeof *plans);
  int n = fs_plan_ranked(chosen->graph, &fs_session_target(s)->device,
                         &q.options, k, plans);
  bool found = false;
  for (int i = 0; i < n; i++) {
    bool same = !found && fs_session_same_plan(plans[i], chosen);
    found |= same;
    json_array_append_new(list, combination(s, same ? chosen : plans[i],
                                            json_integer(i + 1), same, same ? run : NULL));
    fs_plan_free(plans[i]);
  }
  struct fs_plan *unfused = fs_session_unfused_plan(s, chosen->graph);
  bool off = !found && fs_session_same_plan(unfused, chosen);
  if (!found && !off)
    json_array_append_new(list, combination(s, chosen, json_null(), true, run));
  json_array_append_new(list, combination(s, off ? chosen : unfused, json_null(), off,
                                          off ? run : NULL));
  fs_plan_free(unfused);
  free(plans);
  fs_plan_request_free(&q);
  return list;
}

/* Seconds of a pass over an output, and over what of it goes from rank to rank: "~0.980 ms". */
static void put_pass(struct fs_session *s, const struct fs_node *n, const struct fs_shape *shape,
                     int axis, struct fs_str *out) {
  struct fs_links links = fs_device_links(&fs_session_target(s)->device);
  fs_str_puts(out, "~");
  fs_str_put_seconds(out, fs_lay_seconds(shape, n->dtype, axis, &links));
}

/* How a matrix that the block stores lies over the ranks, and what else there is:
 * "A lies by rows: a pass over it takes ~0.980 ms, by columns ~0.980 ms, whole ~3.91 ms" */
static void put_layouts(struct fs_session *s, const struct fs_graph *g, int k,
                        struct fs_str *out) {
  static const char *const names[] = {"whole", "by rows", "by columns"};
  const struct fs_node *n = fs_node(g, g->outputs.data[k]);
  struct fs_shape shape = n->shape;
  int own = g->output_axes.len ? g->output_axes.data[k] : -1;
  if (fs_ranks() == 1 || shape.rank != 2 || !g->output_names.data[k]) return;
  if (own >= 0) shape.dim[own] = g->output_extents.data[k];
  fs_str_printf(out, "%s lies %s over %d ranks: a pass over it takes ", g->output_names.data[k],
                names[own + 1], fs_ranks());
  put_pass(s, n, &shape, own, out);
  for (int axis = -1; axis < 2; axis++) {
    if (axis == own) continue;
    fs_str_printf(out, ", %s ", names[axis + 1]);
    put_pass(s, n, &shape, axis, out);
  }
  fs_str_puts(out, ".\n");
}

/* What the times are. */
static void put_remarks(struct fs_session *s, const struct fs_plan *plan,
                        const json_t *list, struct fs_str *out) {
  size_t i;
  const json_t *a;
  int shown = 0, timed = fs_session_timed_plans(s, plan);
  json_array_foreach(list, i, a)
    shown += json_is_number(json_object_get(a, "measured"));
  fs_str_puts(out, timed ? "measured by `:race` and `:tune`" : "times are predicted");
  fs_str_puts(out, "; * is the plan in use; `:alternatives k1` has the settings of a kernel\n");
  if (plan->found->space.combinations_more)
    fs_str_printf(out, "there are more than %d combinations: these are the best that were found\n",
                  plan->found->n_combinations);
  if (timed > shown)
    fs_str_printf(out, "`:tune` measured %d more, with other settings: `:alternatives k1`\n",
                  timed - shown);
}

enum fs_status fs_session_show_alternatives(struct fs_session *s,
                                            struct fs_words *words) {
  long k = ALTERNATIVES;
  char *end = NULL;
  if (words->n && *words->word[0] == 'k')
    return fs_session_kernel_alternatives(s, words);
  bool json = words->n && !strcmp(words->word[words->n - 1], "json");
  int n = words->n - json;
  if (n) k = strtol(words->word[0], &end, 10);
  if (n > 1 || (end && *end) || k < 1) return FS_ERR_USER;
  const struct fs_block *b = fs_session_current_block(s, words->out);
  if (!b) return FS_OK;
  struct fs_look look = look_of(s);
  json_t *list = fs_session_alternatives(s, b->plan, b,
                                         (int)FS_MIN(k, (long)MOST_ALTERNATIVES));
  char *text = json ? json_dumps(list, JSON_INDENT(1)) : NULL;
  if (text) fs_str_printf(words->out, "%s\n", text);
  else fs_alternatives_put(list, &look, words->out);
  look.width = s->show.width;
  if (!text) fs_alternatives_put_bars(list, &look, words->out);
  if (!text) put_remarks(s, b->plan, list, words->out);
  for (int x = 0; !text && x < b->plan->graph->outputs.len; x++)
    put_layouts(s, b->plan->graph, x, words->out);
  free(text);
  json_decref(list);
  return FS_OK;
}

/* -- what if --------------------------------------------------------------------------- */

static int kernels_of(const struct fs_plan *plan) {
  int n = 0;
  for (int k = 0; k < plan->kernels.len; k++) n += !fs_plan_leaves_out(plan, k);
  return n;
}

/* "2 → 1 kernels, -1.00 MiB, 71.0 µs → 55.2 µs predicted (×0.78)" */
static void put_figures(const struct fs_session *s, const struct fs_expected *was, int before,
                        const struct fs_expected *now, int after, struct fs_str *out) {
  const char *to = s->show.ascii ? "->" : "→", *times = s->show.ascii ? "x" : "×";
  struct fs_expected x = *was, y = *now;
  double more = y.bytes - x.bytes;
  if (before != after) fs_str_printf(out, "%d %s ", before, to);
  fs_str_printf(out, "%d kernel%s, ", after, after == 1 ? "" : "s");
  if (more != 0) {
    fs_str_puts(out, more > 0 ? "+" : "-");
    fs_str_put_bytes(out, fabs(more));
    fs_str_puts(out, ", ");
  }
  bool known = isfinite(x.predicted) && isfinite(y.predicted);
  if (!known) {
    fs_str_puts(out, "what it takes depends on data\n");
    return;
  }
  fs_str_put_seconds(out, x.predicted);
  fs_str_printf(out, " %s ", to);
  fs_str_put_seconds(out, y.predicted);
  fs_str_printf(out, " predicted (%s%.2f)\n", times, y.predicted / x.predicted);
}

/* Of one graph: other kernels, or the same ones in other settings, which are named. */
void fs_session_put_change(struct fs_session *s, struct fs_plan *was, struct fs_plan *now,
                           struct fs_str *out) {
  struct fs_str differ = {0};
  fs_session_correct(s, now);
  fs_session_correct(s, was);
  fs_str_puts(out, "the last block: ");
  bool same = fs_session_same_plan(was, now);
  if (same) fs_plan_put_settings(now, was, &fs_session_target(s)->device, &s->diags, &differ);
  struct fs_expected x = fs_plan_expects(was), y = fs_plan_expects(now);
  if (differ.len) fs_str_printf(out, "%s; ", fs_str_text(&differ));
  if (same && !differ.len) fs_str_puts(out, "the same plan\n");
  else put_figures(s, &x, kernels_of(was), &y, kernels_of(now), out);
  fs_str_free(&differ);
}

struct fs_was {
  struct fs_expected expected;
  int kernels;
};

struct fs_was *fs_session_was(struct fs_session *s) {
  struct fs_str none = {0};
  const struct fs_block *b = fs_session_current_block(s, &none);
  fs_str_free(&none);
  if (!b) return NULL;
  struct fs_was *w = fs_calloc(1, sizeof *w);
  *w = (struct fs_was){fs_plan_expects(b->plan), kernels_of(b->plan)};
  return w;
}

void fs_session_put_now(struct fs_session *s, struct fs_was *w, struct fs_str *out) {
  struct fs_str none = {0};
  if (!w) return;
  const struct fs_block *b = out ? fs_session_current_block(s, &none) : NULL;
  fs_str_free(&none);
  if (b) {
    struct fs_expected e = fs_plan_expects(b->plan);
    fs_str_puts(out, "the last block: ");
    put_figures(s, &w->expected, w->kernels, &e, kernels_of(b->plan), out);
  }
  free(w);
}

void fs_session_what_if(struct fs_session *s, struct fs_str *out) {
  struct fs_str none = {0};
  const struct fs_block *b = fs_session_current_block(s, &none);
  fs_str_free(&none);
  if (!b) return;
  struct fs_plan_request q = fs_plan_request(fs_session_runner(s), b->plan->graph, &s->diags);
  struct fs_plan *now = fs_plan_make(fs_graph_copy(b->plan->graph),
                                     &fs_session_target(s)->device, &q.options);
  if (now) {
    fs_session_put_change(s, b->plan, now, out);
    fs_session_tell_considered(s, b, now);
    fs_pins_tell(s, now);
    fs_plan_free(now);
  }
  fs_plan_request_free(&q);
}

/* -- :why ------------------------------------------------------------------------------ */

struct why {
  struct fs_session *s;
  struct fs_words *words;
  const struct fs_block *block;
  const struct fs_plan *plan;
  struct fs_plan_request request;
};

/* Whether the kernel has a step for the node, its own or one of many. */
static bool computes(const struct fs_kernel *kn, fs_id id) {
  for (int k = 0; k < kn->steps.len; k++)
    if (kn->steps.data[k].node == id) return true;
  return false;
}

static int count_computing(const struct fs_plan *plan, fs_id id) {
  int n = 0;
  for (int k = 0; k < plan->kernels.len; k++)
    n += computes(&plan->kernels.data[k], id);
  return n;
}

/* `x = 2*b` is computed in k1 and k3 */
static void put_computed(const struct why *w, fs_id id) {
  struct fs_str *out = w->words->out, text = {0};
  const struct fs_plan *plan = w->plan;
  int n = 0, all = count_computing(plan, id);
  fs_statement_put(&w->s->diags, fs_node(plan->graph, id)->stmt, &text);
  fs_str_printf(out, "`%s` is computed ", fs_str_text(&text));
  for (int k = 0; k < plan->kernels.len; k++)
    if (computes(&plan->kernels.data[k], id))
      fs_str_printf(out, "%sk%d", n++ == 0 ? "in " : n == all ? " and " : ", ", k + 1);
  if (!all) fs_str_puts(out, "where it is needed");
  fs_str_free(&text);
}

/* The line of the statement with carets under it. */
static void point_at(const struct why *w, fs_id id, int kernel) {
  struct fs_span span = fs_node(w->plan->graph, id)->stmt;
  char message[48] = "computed in every kernel that needs it";
  if (!span.source) return;
  for (int k = 0; kernel < 0 && k < w->plan->kernels.len; k++)
    if (computes(&w->plan->kernels.data[k], id) && count_computing(w->plan, id) == 1)
      kernel = k;
  if (kernel >= 0)
    snprintf(message, sizeof message, "in k%d %s", kernel + 1,
             fs_schemes[w->plan->kernels.data[kernel].scheme].name);
  struct fs_diag d = {.severity = FS_NOTE, .span = span, .message = message};
  fs_diag_render(&w->s->diags, &d, w->words->out);
}

static void put_price(const struct why *w, const char *head, double seconds,
                      int kernels, double chosen) {
  struct fs_str *out = w->words->out;
  fs_str_puts(out, head);
  struct fs_expected now = fs_plan_expects(w->plan);
  if (isnan(now.first)) return; /* neither is known */
  fs_str_printf(out, " (%d kernel%s) would take ~", kernels, kernels == 1 ? "" : "s");
  fs_str_put_seconds(out, seconds);
  fs_str_puts(out, " instead of ~");
  fs_str_put_seconds(out, chosen);
  if (chosen > 0)
    fs_str_printf(out, " (%s%.2f)", w->s->show.ascii ? "x" : "\u00d7",
                  seconds / chosen);
  if (fs_plan_taught(now.first, now.predicted))
    fs_str_puts(out, ", by first predictions");
  fs_str_puts(out, ".\n");
}

static bool same_statement(const struct why *w, fs_id a, fs_id b) {
  const struct fs_graph *g = w->plan->graph;
  return !fs_span_compare(fs_node(g, a)->stmt, fs_node(g, b)->stmt);
}

/* The rule that keeps a and b apart; of what stands between them, why it cannot be
 * with them. */
static void put_rule(const struct why *w, const struct fs_why *y, fs_id a,
                     fs_id b, struct fs_str *out) {
  fs_id x = y->a ? y->a : a, z = y->b ? y->b : b;
  bool third = y->between && y->between_rule;
  bool part = third && (same_statement(w, y->between, a) ||
                        same_statement(w, y->between, b));
  if (!third || part) {
    fs_reason_tell(w->plan, third ? y->between_rule : y->rule, FS_MIN(x, z),
                  FS_MAX(x, z), &w->s->diags, out);
    return;
  }
  fs_reason_tell_between(w->plan, y->rule, FS_MIN(a, b), FS_MAX(a, b),
                        y->between, &w->s->diags, out);
  fs_str_puts(out, ": ");
  fs_reason_tell(w->plan, y->between_rule, FS_MIN(x, z), FS_MAX(x, z),
                &w->s->diags, out);
}

/* Kernels that are not one and yet start together. */
static void put_launch(const struct why *w, int a, int b) {
  struct fs_str *out = w->words->out;
  int last = FS_MAX(a, b), first = fs_launch_first(w->plan, FS_MIN(a, b));
  if (a < 0 || b < 0 || a == b || fs_launch_first(w->plan, last) != first)
    return;
  bool barrier = false;
  for (int k = FS_MIN(a, b) + 1; k <= last; k++)
    barrier |= w->plan->kernels.data[k].joint == FS_BARRIER;
  fs_str_printf(out, "They share a launch: k%d is a later phase of it%s.\n",
                last + 1,
                barrier ? ", behind a barrier over all blocks, which costs less "
                          "than a launch" : "");
}

/* One of the two has no kernel of its own: whoever needs it computes it. */
static void answer_computed(const struct why *w, const struct fs_why *y, fs_id a,
                            fs_id b) {
  struct fs_str *out = w->words->out;
  bool one = false;
  for (int k = 0; k < w->plan->kernels.len; k++) {
    const struct fs_kernel *kn = &w->plan->kernels.data[k];
    bool has_a = y->kernel_a < 0 ? computes(kn, a) : k == y->kernel_a;
    bool has_b = y->kernel_b < 0 ? computes(kn, b) : k == y->kernel_b;
    one |= has_a && has_b;
  }
  fs_str_printf(out, "%s and %s %s: ", w->words->word[0], w->words->word[1],
                one ? "share a kernel" : "do not share a kernel");
  if (y->kernel_a < 0) put_computed(w, a);
  if (y->kernel_a < 0 && y->kernel_b < 0) fs_str_puts(out, ", and ");
  if (y->kernel_b < 0) put_computed(w, b);
  fs_str_puts(out, ", and not stored.\n");
}

static void answer_pair(const struct why *w, fs_id a, fs_id b) {
  struct fs_str *out = w->words->out;
  struct fs_why y = fs_plan_why(w->plan, &fs_session_target(w->s)->device,
                                &w->request.options, a, b);
  bool one = y.same, more = w->plan->found->space.combinations_more;
  if (y.kernel_a < 0 || y.kernel_b < 0) {
    answer_computed(w, &y, a, b);
    point_at(w, a, y.kernel_a);
    point_at(w, b, y.kernel_b);
    return;
  }
  fs_str_printf(out, "%s and %s %s: ", w->words->word[0], w->words->word[1],
                one ? "share a kernel" : "do not share a kernel");
  if (one && y.rule)
    fs_str_printf(out, "`:fuse` keeps them together, in k%d", y.kernel_a + 1);
  else if (y.rule) put_rule(w, &y, a, b, out);
  else fs_reason_put_shared(w->plan, y.kernel_a, &w->s->diags, out);
  fs_str_puts(out, ".\n");
  put_launch(w, y.kernel_a, y.kernel_b);
  if (one && y.apart >= 0)
    put_price(w, more ? "Two kernels for them, in the best plan found" : "Two kernels for them",
              y.apart, y.apart_kernels, y.chosen);
  if (!one && y.together >= 0)
    put_price(w, more ? "The best plan found with both in one kernel"
                      : "The best plan with both in one kernel",
              y.together, y.together_kernels, y.chosen);
  if (!one && y.together < 0 && !fs_reason_is_wish(y.rule) &&
      y.rule != FS_RULE_PRICE && y.rule != FS_RULE_APART)
    fs_str_puts(out, "No kernel can have both, whatever the price.\n");
  point_at(w, a, y.kernel_a);
  point_at(w, b, y.kernel_b);
}

/* -- what is beside a kernel, and why it is not in it */

/* The block is planned again for each, which takes long for long blocks. */
enum { MOST_BORDERS = 8 };

struct borders {
  int n;                                  /* ascending, each with its reason */
  int kernel[MOST_BORDERS];
  struct fs_str reason[MOST_BORDERS];
  int first_left, last_left, n_left;      /* more of them, not looked at */
};

/* How near kernel k is to `own`: what it makes or uses of it counts before what both
 * read, then the order of the plan. Less is nearer; < 0: nothing in common. */
static int distance(const struct fs_plan *plan, int own, int k) {
  const struct fs_kernel *kn = &plan->kernels.data[k];
  if (k == own || kn->copies || !kn->calls.len) return -1;
  int tie = fs_kernel_tie(plan, &plan->kernels.data[FS_MIN(own, k)],
                          &plan->kernels.data[FS_MAX(own, k)]);
  int steps = own < k ? k - own : own - k;
  return !tie ? -1 : tie == 2 ? steps : steps + plan->kernels.len;
}

/* The kernels nearest to `own`. */
static void find_borders(const struct fs_plan *plan, int own, struct borders *b) {
  int far[MOST_BORDERS];
  for (int k = 0; k < plan->kernels.len; k++) {
    int mine = distance(plan, own, k), left = k;
    if (mine < 0) continue;
    if (b->n < MOST_BORDERS) {
      far[b->n] = mine;
      b->kernel[b->n++] = k;
      continue;
    }
    int most = 0;
    for (int x = 1; x < b->n; x++)
      if (far[x] > far[most]) most = x;
    if (mine < far[most]) {
      left = b->kernel[most];
      for (int x = most; x + 1 < b->n; x++) {
        far[x] = far[x + 1];
        b->kernel[x] = b->kernel[x + 1];
      }
      far[b->n - 1] = mine;
      b->kernel[b->n - 1] = k;
    }
    b->first_left = b->n_left++ ? FS_MIN(b->first_left, left) : left;
    b->last_left = FS_MAX(b->last_left, left);
  }
}

static enum fs_status find_reasons(const struct why *w, fs_id a, struct borders *b) {
  for (int x = 0; x < b->n; x++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    const struct fs_kernel *kn = &w->plan->kernels.data[b->kernel[x]];
    fs_id other = kn->calls.data[kn->calls.len - 1];
    struct fs_why y = fs_plan_border(w->plan, &fs_session_target(w->s)->device,
                                     &w->request.options, a, other);
    if (!y.same && y.rule) put_rule(w, &y, a, other, &b->reason[x]);
  }
  return FS_OK;
}

/* "k3", or "k3, k5 and k6" of those with the same reason, which are then done. */
static void put_alike(struct borders *b, int x, struct fs_str *out) {
  int alike[MOST_BORDERS], n = 0;
  for (int y = x; y < b->n; y++)
    if (!strcmp(fs_str_text(&b->reason[x]), fs_str_text(&b->reason[y]))) alike[n++] = y;
  for (int y = 0; y < n; y++) {
    fs_str_printf(out, "%sk%d", !y ? "" : y == n - 1 ? " and " : ", ",
                  b->kernel[alike[y]] + 1);
    if (y) fs_str_clear(&b->reason[alike[y]]);
  }
}

/* The kernels that have something in common with `own`, in which a is, and why they
 * are others. */
static enum fs_status answer_borders(const struct why *w, fs_id a, int own) {
  struct fs_str *out = w->words->out;
  struct borders b = {0};
  find_borders(w->plan, own, &b);
  enum fs_status st = find_reasons(w, a, &b);
  for (int x = 0; st == FS_OK && x < b.n; x++) {
    if (!b.reason[x].len) continue;
    fs_str_puts(out, "  not with ");
    put_alike(&b, x, out);
    fs_str_printf(out, ": %s.\n", fs_str_text(&b.reason[x]));
  }
  if (st == FS_OK && b.n_left)
    fs_str_printf(out, "  %d more, of k%d to k%d, share data with it, too: `:why a b` "
                       "tells of two statements.\n", b.n_left, b.first_left + 1,
                  b.last_left + 1);
  for (int x = 0; x < b.n; x++) fs_str_free(&b.reason[x]);
  return st;
}

static enum fs_status answer_one(const struct why *w, fs_id a) {
  enum fs_status st = FS_OK;
  struct fs_str *out = w->words->out, does = {0};
  int k = fs_plan_kernel_of(w->plan, a);
  if (k < 0) {
    put_computed(w, a);
    fs_str_puts(out, count_computing(w->plan, a) == 1
                         ? ", and not stored: nothing else needs it.\n"
                         : ", and not stored: that costs less than to store it and "
                           "read it again.\n");
  } else {
    const struct fs_kernel *kn = &w->plan->kernels.data[k];
    fs_kernel_does(w->plan, kn, &w->s->diags, &does);
    fs_str_printf(out, "%s is made in k%d %s, which does `%s`: ",
                  w->words->word[0], k + 1, fs_schemes[kn->scheme].name,
                  fs_str_text(&does));
    fs_reason_put_scheme(w->plan, k, out);
    fs_str_puts(out, ". It moves ");
    fs_str_put_bytes(out, kn->bytes_read + kn->bytes_written);
    fs_str_puts(out, " and takes ");
    struct fs_look look = look_of(w->s);
    bool unknown = kn->work.unknown;
    fs_plan_put_prediction(out, &look, unknown ? NAN : kn->first,
                           unknown ? NAN : kn->predicted, false);
    if (unknown) fs_str_puts(out, " time, which depends on data");
    fs_str_printf(out, ", bound by %s.\n", kn->bound ? kn->bound : "memory");
    int first = fs_launch_first(w->plan, k);
    if (fs_launch_end(w->plan, first) > first + 1)
      fs_str_printf(out, "It is a phase of the launch of k%d to k%d.\n", first + 1,
                    fs_launch_end(w->plan, first));
    fs_session_put_by_hand(w->s, w->block, k, out);
    st = answer_borders(w, a, k);
  }
  if (st == FS_OK) point_at(w, a, k);
  fs_str_free(&does);
  return st;
}

static void put_choices(const struct fs_graph *g, struct fs_str *out) {
  int n = 0;
  for (int k = 0; k < g->outputs.len && n < 8; k++)
    if (g->output_names.data[k])
      fs_str_printf(out, "%s%s", n++ ? ", " : "the last block gives ",
                    g->output_names.data[k]);
  fs_str_puts(out, n ? "; a number means the statement of that number"
                     : "a number means the statement of that number");
}

/* 0 with a diagnostic for a word that means nothing in the block. */
static fs_id find_word(const struct why *w, const char *word) {
  fs_id id = fs_graph_statement(w->plan->graph, &w->s->diags, word);
  while (id && fs_node(w->plan->graph, id)->kind == FS_ND_VIEW)
    id = fs_node(w->plan->graph, id)->src[0];
  if (id) return id;
  struct fs_str hint = {0};
  put_choices(w->plan->graph, &hint);
  fs_error(&w->s->diags, w->words->span, "unknown-name", fs_str_text(&hint),
           "the last block has no statement that makes %s", word);
  fs_str_free(&hint);
  return 0;
}

/* Why loops run round by round. */
static void put_loops(struct fs_session *s, struct fs_str *out) {
  const struct fs_diag *d;
  for (int k = 0; (d = fs_interp_wait_at(s->in, k)) != NULL; k++)
    fs_diag_render(&s->diags, d, out);
  if (!fs_interp_wait_at(s->in, 0))
    fs_str_puts(out, "No loop over elements runs round by round. `:why a` says why the kernel "
                     "of a is as it is.\n");
}

enum fs_status fs_session_why(struct fs_session *s, struct fs_words *words) {
  if (words->n == 0) put_loops(s, words->out);
  if (words->n == 0) return FS_OK;
  if (words->n > 2) return FS_ERR_USER;
  const struct fs_block *block = fs_session_current_block(s, words->out);
  if (!block) return FS_OK;
  struct why w = {.s = s, .words = words, .block = block,
                  .plan = block->plan};
  fs_id a = find_word(&w, words->word[0]);
  fs_id b = words->n == 2 && a ? find_word(&w, words->word[1]) : a;
  if (!a || !b) return FS_ERR_USER;
  w.request = fs_plan_request(fs_session_runner(s), w.plan->graph, &s->diags);
  enum fs_status st = FS_OK;
  if (words->n == 2 && a != b) answer_pair(&w, a, b);
  else st = answer_one(&w, a);
  for (int x = 0; a == b && x < w.plan->graph->outputs.len; x++)
    if (w.plan->graph->outputs.data[x] == a) put_layouts(s, w.plan->graph, x, words->out);
  fs_plan_request_free(&w.request);
  return st;
}

/* -- :plan diff ---------------------------------------------------------------------------- */

/* A block by its statements, whatever their place and the sizes. */
static uint64_t text_hash(const json_t *plan) {
  size_t k;
  const json_t *statement;
  uint64_t hash = 0;
  json_array_foreach(json_object_get(plan, "statements"), k, statement) {
    const char *text =
        json_string_value(json_object_get(statement, "text"));
    if (text) hash = fs_hash(text, strlen(text), hash);
  }
  return hash;
}

enum { PAST_KEPT = 128 };

static bool same_block(const struct fs_plan_record *a,
                       const struct fs_plan_record *b) {
  return a->runner == b->runner && a->number == b->number &&
         !memcmp(&a->place, &b->place, sizeof a->place);
}

static void drop_past(struct fs_session *s, int k) {
  fs_plan_records gone = {0};
  *FS_PUSH(&gone) = s->past.data[k];
  s->past.len--;
  memmove(s->past.data + k, s->past.data + k + 1,
          sizeof *s->past.data * (size_t)(s->past.len - k));
  fs_session_drop_records(&gone);
}

/* Of one that runs again and again, two are enough: this one and the one before. */
void fs_session_keep_past(struct fs_session *s, struct fs_plan_record *plan) {
  int same = 0, k = s->past.len;
  while (k > 0 && same < 2) same += same_block(s->past.data[--k], plan);
  if (same == 2) drop_past(s, k);
  else if (s->past.len == PAST_KEPT) drop_past(s, 0);
  *FS_PUSH(&s->past) = plan;
  plan->refs++;
}

/* The run before of the block of plans[main]: in this input, or in one before. */
static json_t *run_before(struct fs_session *s, json_t *plans, size_t at) {
  json_t *now = json_array_get(plans, at);
  uint64_t hash = text_hash(now);
  for (size_t k = at; k-- > 0;)
    if (text_hash(json_array_get(plans, k)) == hash)
      return json_array_get(plans, k);
  for (int k = s->past.len - 1; k >= 0; k--) {
    json_t *past = fs_session_event_of(s, s->past.data[k]);
    if (past != now && text_hash(past) == hash) return past;
  }
  return NULL;
}

void fs_session_diff(struct fs_session *s, json_t *plans, size_t at,
                     struct fs_str *out) {
  json_t *before = run_before(s, plans, at);
  struct fs_look look = look_of(s);
  if (before) fs_plan_put_diff(before, json_array_get(plans, at), &look, out);
  else fs_str_puts(out, "no earlier input is known that ran these statements: there is "
                        "nothing to compare with\n");
}
