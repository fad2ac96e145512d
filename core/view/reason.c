/* reason.c - see reason.h. */
#include "core/view/reason.h"

#include "core/plan/calls/calls.h"

/* What each rule says; %a and %b are the two statements, %c one that lies between
 * them, %x and %y what the two go over. */
static const char *const sentences[FS_RULE_COUNT] = {
  [FS_RULE_LEVEL] = "%b needs the finished result of %a, which a kernel has only when it has "
                    "gone over all of its elements",
  [FS_RULE_CONVEX] = "between %a and %b stands %c, which uses the one, is used by the other, "
                     "and cannot be in their kernel",
  [FS_RULE_SHAPE] = "%a goes over %x elements and %b over %y, and one walk cannot follow both",
  [FS_RULE_ON_CHIP] = "together %a and %b keep more on the chip, or go over a row more often, "
                      "than a kernel can",
  [FS_RULE_LIBRARY] = "%c is a call of a dense library, which is a kernel of its own",
  [FS_RULE_ROUTINE] = "one of %a and %b is a user's routine of its own scheme, which takes "
                      "maps by element and routines over the same instances into its kernel, "
                      "and nothing else",
  [FS_RULE_BARRIER] = "a `barrier` stands between %a and %b",
  [FS_RULE_PIN] = "`:split` keeps %a and %b apart",
  [FS_RULE_ORDER] = "the strategy keeps kernels in the order of the statements, and others "
                    "stand between %a and %b",
  [FS_RULE_OFF] = "fusing is off, by `:fuse` or the strategy",
  [FS_RULE_LIMIT] = "a kernel for all that %a and %b would bring with them is beyond what is "
                    "searched",
  [FS_RULE_DOMINATED] = "a kernel for %a and %b takes as long as another plan that does more",
  [FS_RULE_PRICE] = "a kernel for %a and %b is possible, but by the prediction it would not be "
                    "faster",
  [FS_RULE_APART] = "%a and %b have nothing in common: neither uses what the other makes, and "
                    "no array is read by both"
};
/* FS_RULE_SHAPE where both go over as many elements. */
static const char other_axes[] = "%a and %b go along different axes of what they share";

bool fs_reason_is_wish(enum fs_rule rule) {
  return rule == FS_RULE_BARRIER || rule == FS_RULE_PIN || rule == FS_RULE_ORDER ||
         rule == FS_RULE_OFF;
}

static bool same_statement(const struct fs_plan *plan, fs_id a, fs_id b) {
  return !fs_span_compare(fs_node(plan->graph, a)->stmt, fs_node(plan->graph, b)->stmt);
}

/* Which nodes use `from`, directly or not; the caller frees. */
static bool *users_from(const struct fs_graph *g, fs_id from) {
  bool *uses = fs_calloc((size_t)g->nodes.len, sizeof *uses);
  uses[from] = true;
  for (int k = (int)from + 1; k < g->nodes.len; k++)
    for (int s = 0; s < g->nodes.data[k].n_src; s++)
      uses[k] |= uses[g->nodes.data[k].src[s]] && g->nodes.data[k].src[s];
  return uses;
}

/* Which nodes `to` uses, directly or not; the caller frees. */
static bool *used_by(const struct fs_graph *g, fs_id to) {
  bool *used = fs_calloc((size_t)g->nodes.len, sizeof *used);
  used[to] = true;
  for (fs_id k = to; k > 0; k--)
    for (int s = 0; used[k] && s < g->nodes.data[k].n_src; s++)
      used[g->nodes.data[k].src[s]] = true;
  return used;
}

static bool is_library(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  return nd->kind == FS_ND_LIB && !fs_plan_goes_by_list(g, nd);
}

/* Of a library call: that one. Else a call on a way from a to b, in a statement of
 * its own if there is one; 0 if there is none. */
static fs_id between(const struct fs_plan *plan, fs_id a, fs_id b) {
  const struct fs_graph *g = plan->graph;
  if (is_library(g, a)) return a;
  if (is_library(g, b)) return b;
  bool *after = users_from(g, a), *before = used_by(g, b), own = false;
  fs_id found = 0;
  for (fs_id c = a + 1; c < b && !own; c++) {
    const struct fs_node *nd = fs_node(g, c);
    if (!after[c] || !before[c] || nd->kind == FS_ND_VIEW || !nd->stmt.source) continue;
    found = c;
    own = !same_statement(plan, c, a) && !same_statement(plan, c, b);
  }
  free(before);
  free(after);
  return found;
}

/* What a node computes: its statement where that is all of it, else its expression; of a
 * function of the prelude, the statement in there. */
static struct fs_span words_of(const struct fs_graph *g, const struct fs_node *nd) {
  const struct fs_expression own = {nd->stmt, nd->span, nd->inner};
  if (nd->inner.source) return nd->inner;
  return nd->span.source && !fs_graph_is_whole(g, nd->stmt, &own, 1) ? nd->span : nd->stmt;
}

/* c between a and b, or one of them. */
static void put_between(const struct fs_plan *plan, fs_id a, fs_id b, fs_id c,
                        const struct fs_diags *sources, struct fs_str *out) {
  if (!c) {
    fs_str_puts(out, "other work");
    return;
  }
  const struct fs_node *nd = fs_node(plan->graph, c);
  bool part = c != a && c != b &&
              (same_statement(plan, c, a) || same_statement(plan, c, b));
  fs_str_puts(out, "`");
  fs_statement_put(sources, part ? nd->span : words_of(plan->graph, nd), out);
  fs_str_puts(out, "`");
}

/* The statement of a node; or the part of it, where both are in one. Of a function of the
 * prelude that is the statement in there, unless its call alone tells the nodes apart. */
static void put_node(const struct fs_plan *plan, fs_id id, fs_id other,
                     const struct fs_diags *sources, struct fs_str *out) {
  const struct fs_node *nd = fs_node(plan->graph, id);
  bool part = id != other && same_statement(plan, id, other) && nd->span.source;
  struct fs_span words = part ? nd->span : nd->stmt;
  if (nd->inner.source && !fs_span_compare(nd->span, fs_node(plan->graph, other)->span))
    words = nd->inner;
  fs_str_puts(out, "`");
  fs_statement_put(sources, words, out);
  fs_str_puts(out, "`");
}

/* What a call goes over: a reduction, over what it takes in. */
static const struct fs_shape *extent_of(const struct fs_plan *plan, fs_id id) {
  const struct fs_node *nd = fs_node(plan->graph, id);
  if ((nd->kind == FS_ND_REDUCE || nd->kind == FS_ND_UPDATE) && nd->n_src)
    nd = fs_node(plan->graph, nd->src[nd->n_src - 1]);
  return &nd->shape;
}

static bool same_extent(const struct fs_plan *plan, fs_id a, fs_id b) {
  const struct fs_shape *x = extent_of(plan, a), *y = extent_of(plan, b);
  return fs_shape_count(x) == fs_shape_count(y);
}

static void put_extent(const struct fs_plan *plan, fs_id id,
                       struct fs_str *out) {
  const struct fs_shape *shape = extent_of(plan, id);
  if (!shape->rank) fs_str_puts(out, "1");
  for (int k = 0; k < shape->rank; k++)
    fs_str_printf(out, "%s%lld", k ? " x " : "", (long long)shape->dim[k]);
}

/* A sentence with texts for %a, %b, %c, %x and %y, in this order. */
static void put_sentence(const char *words, const char *const text[5], struct fs_str *out) {
  static const char signs[] = "abcxy";
  for (; *words; words++) {
    if (*words == '%') fs_str_puts(out, text[strchr(signs, *++words) - signs]);
    else fs_str_put(out, words, 1);
  }
}

void fs_reason_tell(const struct fs_plan *plan, enum fs_rule rule, fs_id a,
                    fs_id b, const struct fs_diags *sources,
                    struct fs_str *out) {
  fs_reason_tell_between(plan, rule, a, b, between(plan, a, b), sources, out);
}

void fs_reason_tell_between(const struct fs_plan *plan, enum fs_rule rule,
                            fs_id a, fs_id b, fs_id c,
                            const struct fs_diags *sources,
                            struct fs_str *out) {
  struct fs_str s[5] = {{0}};
  bool axes = rule == FS_RULE_SHAPE && same_extent(plan, a, b);
  put_node(plan, a, b, sources, &s[0]);
  put_node(plan, b, a, sources, &s[1]);
  put_between(plan, a, b, c, sources, &s[2]);
  put_extent(plan, a, &s[3]);
  put_extent(plan, b, &s[4]);
  const char *const text[] = {fs_str_text(&s[0]), fs_str_text(&s[1]),
                              fs_str_text(&s[2]), fs_str_text(&s[3]),
                              fs_str_text(&s[4])};
  put_sentence(axes ? other_axes : sentences[rule], text, out);
  for (int k = 0; k < 5; k++) fs_str_free(&s[k]);
}

/* -- the borders of a plan ------------------------------------------------------- */

const void *fs_slot_storage(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[fs_slot_whole(plan, slot)];
  return s->kind == FS_SLOT_INPUT ? plan->graph->inputs.data[s->index].storage
                                  : (const void *)s;
}

/* Goes through the slots that a kernel reads and writes, from *at = 0 on. */
static bool next_use(const struct fs_kernel *k, int *at, int *slot, bool *writes) {
  if (k->lib_node) {
    int l = (*at)++;
    if (l >= FS_LIB_SLOTS) return false;
    *slot = k->lib_slots[l];
    *writes = l == 0;
    return true;
  }
  while (*at < k->steps.len) {
    const struct fs_step *s = &k->steps.data[(*at)++];
    if (s->access < 0) continue;
    *slot = k->accesses.data[s->access].slot;
    *writes = s->kind == FS_SP_STORE;
    return true;
  }
  return false;
}

/* Whether a kernel reads or writes what lies there; 2: it writes it. */
static int uses_storage(const struct fs_plan *plan, const struct fs_kernel *k,
                        const void *storage) {
  int found = 0, slot;
  bool writes;
  for (int at = 0; next_use(k, &at, &slot, &writes);) {
    if (slot < 0 || fs_slot_storage(plan, slot) != storage) continue;
    if (writes) return 2;
    found = 1;
  }
  return found;
}

int fs_kernel_tie(const struct fs_plan *plan, const struct fs_kernel *earlier,
                  const struct fs_kernel *later) {
  int found = 0, slot;
  bool writes;
  for (int at = 0; found < 2 && next_use(later, &at, &slot, &writes);)
    if (slot >= 0)
      found = FS_MAX(found, uses_storage(plan, earlier, fs_slot_storage(plan, slot)));
  return found;
}

/* A call on a way from x to y, x before y, of a kernel that is neither a nor b; 0 if
 * there is none: what one of the two has would be in a kernel of both, too. */
static fs_id between_kernels(const struct fs_plan *plan, const struct fs_kernel *a,
                             const struct fs_kernel *b, fs_id x, fs_id y) {
  bool *after = users_from(plan->graph, x), *before = used_by(plan->graph, y);
  fs_id found = 0;
  for (int k = 0; k < plan->kernels.len && !found; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (kn == a || kn == b) continue;
    for (int c = 0; c < kn->calls.len && !found; c++)
      if (after[kn->calls.data[c]] && before[kn->calls.data[c]])
        found = kn->calls.data[c];
  }
  free(before);
  free(after);
  return found;
}

/* The recorded reason between two kernels, with the pair it is about, in order, and
 * what stands between that. */
static enum fs_rule rule_between(const struct fs_plan *plan,
                                const struct fs_kernel *a,
                                const struct fs_kernel *b, fs_id *x, fs_id *y,
                                fs_id *c) {
  FS_EACH_AT(&plan->found->rejections, j) {
    bool straight = fs_kernel_has_call(a, j->a) && fs_kernel_has_call(b, j->b);
    if (!straight && !(fs_kernel_has_call(a, j->b) && fs_kernel_has_call(b, j->a))) continue;
    *x = FS_MIN(j->a, j->b);
    *y = FS_MAX(j->a, j->b);
    bool convex = j->rule == FS_RULE_CONVEX;
    *c = convex ? between_kernels(plan, a, b, *x, *y) : between(plan, *x, *y);
    if (*c || !convex) return j->rule;
  }
  fs_id last_a = a->calls.data[a->calls.len - 1];
  fs_id last_b = b->calls.data[b->calls.len - 1];
  *x = FS_MIN(last_a, last_b);
  *y = FS_MAX(last_a, last_b);
  *c = between(plan, *x, *y);
  bool library = a->lib_node || b->lib_node;
  return library ? FS_RULE_LIBRARY : FS_RULE_PRICE;
}

bool fs_why_split(const struct fs_plan *plan, int index,
                  const struct fs_diags *sources, struct fs_str *out) {
  const struct fs_kernel *later = &plan->kernels.data[index];
  int best = -1, strongest = 0;
  for (int k = 0; k < index; k++) {
    const struct fs_kernel *earlier = &plan->kernels.data[k];
    int t = fs_kernel_tie(plan, earlier, later);
    if (t < strongest || !t || earlier->copies || !earlier->calls.len) continue;
    best = k;
    strongest = t;
  }
  if (best < 0 || later->copies || !later->calls.len) return false;
  fs_id a, b, c;
  enum fs_rule rule =
      rule_between(plan, &plan->kernels.data[best], later, &a, &b, &c);
  fs_reason_tell_between(plan, rule, a, b, c, sources, out);
  return true;
}

/* -- what a kernel shares ------------------------------------------------------------ */

static const char *input_name(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[slot];
  return s->kind == FS_SLOT_INPUT ? plan->graph->inputs.data[s->index].name
                                  : NULL;
}

/* The largest array that is loaded once and used more than once. */
static const char *shared_array(const struct fs_plan *plan,
                                const struct fs_kernel *k) {
  const char *best = NULL;
  int most = 0;
  FS_EACH_STEP(k, s) {
    if (s->kind != FS_SP_LOAD || fs_kernel_uses(k, s->out, -1) < 2) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    const char *name = input_name(plan, a->slot);
    int rank = __builtin_popcount(a->varies);
    if (!name || rank <= most) continue;
    best = name;
    most = rank;
  }
  return best;
}

/* A call whose value another call of the kernel uses on the chip. */
static fs_id passed_value(const struct fs_plan *plan,
                          const struct fs_kernel *k) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_MAP && s->kind != FS_SP_REDUCE) continue;
    struct fs_span mine = s->node ? fs_node(plan->graph, s->node)->stmt
                                  : (struct fs_span){0};
    for (int j = i + 1; mine.source && j < k->steps.len; j++) {
      const struct fs_step *t = &k->steps.data[j];
      if (t->kind == FS_SP_STORE || !t->node) continue;
      struct fs_span its = fs_node(plan->graph, t->node)->stmt;
      FS_EACH_IN(t, x)
        if (t->in[x] == s->out && its.begin != mine.begin) return s->node;
    }
  }
  return 0;
}

/* A routine of the user whose result a later one, or what follows on that, uses. */
static fs_id passed_result(const struct fs_kernel *k) {
  for (int q = 0; q < k->n_applied; q++) {
    int from = fs_result_part(&k->applied[q]), v = k->part_value[from];
    bool used = fs_kernel_uses(k, v, from) > 0;
    for (int part = from + 1; part < k->n_phases; part++)
      used |= k->part_value[part] == v;
    if (used) return k->applied[q].node;
  }
  return 0;
}

void fs_reason_put_shared(const struct fs_plan *plan, int index,
                          const struct fs_diags *sources, struct fs_str *out) {
  const struct fs_kernel *k = &plan->kernels.data[index];
  const char *array = shared_array(plan, k);
  fs_id passed = passed_value(plan, k);
  if (!passed) passed = passed_result(k);
  fs_str_printf(out, "k%d %s", index + 1, fs_schemes[k->scheme].name);
  if (array) {
    fs_str_puts(out, " reads ");
    fs_str_put_safe(out, array, strlen(array));
    fs_str_puts(out, " once for all that use it");
  }
  if (passed) {
    struct fs_str text = {0};
    fs_statement_put(sources, fs_node(plan->graph, passed)->stmt, &text);
    fs_str_printf(out, "%s what `%s` makes is used while it is on the chip",
                  array ? ", and" : ":", fs_str_text(&text));
    fs_str_free(&text);
  }
  if (!array && !passed) fs_str_puts(out, " saves a launch");
}

/* Phases in which there are only results of rows do not count. */
int fs_kernel_sweeps(const struct fs_kernel *k) {
  int sweeps = k->lib_node ? 0 : 1;
  FS_EACH_STEP(k, s) {
    if (s->phase == FS_END) continue;
    FS_EACH_IN(s, x)
      if (k->values.data[s->in[x]].varies & FS_VARIES_J)
        sweeps = FS_MAX(sweeps, s->phase + 1);
  }
  return sweeps;
}

static void library_words(const struct fs_kernel *k, struct fs_str *out) {
  (void)k, fs_str_puts(out, "a dense library's routine");
}

static void tile_words(const struct fs_kernel *k, struct fs_str *out) {
  if (fs_kernel_turns(k) && k->has.reductions)
    fs_str_puts(out, "blocks read parts of its rows, and what they leave of a row is put together "
                     "at the end");
  else if (fs_kernel_turns(k))
    fs_str_printf(out, "each thread turns %d x %d elements at a time in its registers, "
                       "so that rows and columns are both read along memory",
                  k->tune.iters, k->tune.vec);
  else
    fs_str_puts(out, "it goes over tiles of 32 x 32 elements, so that rows and "
                     "columns are both read along memory");
}

static void march_words(const struct fs_kernel *k, struct fs_str *out) {
  (void)k, fs_str_puts(out, "all blocks go over panels of columns in step and exchange "
                            "the sums of a panel while it is on the chip");
}

static void row_words(const struct fs_kernel *k, struct fs_str *out) {
  fs_str_printf(out, "a block owns whole rows, of which there are %lld with "
                     "%lld elements", (long long)k->space.m, (long long)k->space.n);
  if (fs_kernel_sweeps(k) > 1)
    fs_str_printf(out, ", and goes over each %d times while it is on the "
                       "chip", fs_kernel_sweeps(k));
}

static void flat_words(const struct fs_kernel *k, struct fs_str *out) {
  fs_str_printf(out, "it goes over %lld elements one after the other", (long long)k->space.n);
}

void fs_reason_put_scheme(const struct fs_plan *plan, int index, struct fs_str *out) {
  static void (*const words_of[FS_SCHEMES])(const struct fs_kernel *, struct fs_str *) = {
#define FS_SCHEME(id, name, traits, moves, fits, pieces, mode, blocks, \
                  first, others, words) [FS_##id] = words,
#include "core/kernel/scheme.def"
  };
  const struct fs_kernel *k = &plan->kernels.data[index];
  words_of[k->scheme](k, out);
}
