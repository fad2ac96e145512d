/* reason.c - see reason.h. */
#include "core/view/reason.h"

/* What each rule says; %a and %b are the two statements. */
static const struct { const char *rule, *words; } sentences[] = {
  {"level", "%b needs the finished result of %a, which a kernel has only when it "
            "has gone over all of its elements"},
  {"convex", "work between %a and %b waits for the one and is awaited by the "
             "other, and cannot be in the same kernel"},
  {"shape", "%a and %b go over their elements in ways that one walk cannot "
            "follow"},
  {"on-chip", "together %a and %b keep more on the chip, or need more sweeps, "
              "than a kernel can have"},
  {"library", "one of %a and %b is a call of a dense library, which is a kernel "
              "of its own"},
  {"barrier", "a `barrier` stands between %a and %b"},
  {"pin", "`:split` keeps %a and %b apart"},
  {"limit", "a kernel for %a and %b together would be too long to compile"},
  {"dominated", "every kernel for %a and %b together is as slow as another plan "
                "that does more"},
  {"price", "%a and %b could share a kernel, but by the prediction that is no "
            "faster"},
  {"order", "`noreorder` keeps the kernels in the order of the statements, and "
            "another one stands between %a and %b"},
  {"apart", "%a and %b have nothing in common: neither uses what the other makes "
            "or reads"},
};

void fs_reason_put(const char *rule, const char *a, const char *b,
                   struct fs_str *out) {
  const char *words = "the rule `%r` keeps %a and %b apart";
  for (size_t k = 0; k < FS_LEN(sentences); k++)
    if (!strcmp(sentences[k].rule, rule)) words = sentences[k].words;
  for (; *words; words++) {
    if (*words != '%') {
      fs_str_put(out, words, 1);
      continue;
    }
    const char *text = *++words == 'a' ? a : *words == 'b' ? b : rule;
    fs_str_printf(out, *words == 'r' ? "%s" : "`%s`", text);
  }
}

/* -- the borders of a plan ------------------------------------------------------- */

static bool has_call(const struct fs_kernel *k, fs_id id) {
  for (int c = 0; c < k->calls.len; c++)
    if (k->calls.data[c] == id) return true;
  return false;
}

static bool uses_slot(const struct fs_kernel *k, int slot, bool writes) {
  for (int l = 0; k->scheme == FS_LIBRARY && l < 3; l++)
    if (k->lib_slots[l] == slot && (l == 0 || !writes)) return true;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->access < 0 || k->accesses.data[s->access].slot != slot) continue;
    if (!writes || s->kind == FS_SP_STORE) return true;
  }
  return false;
}

/* 2: the later kernel reads what the earlier one writes; 1: both read an array. */
static int tie(const struct fs_plan *plan, const struct fs_kernel *earlier,
               const struct fs_kernel *later) {
  int found = 0;
  for (int s = 0; s < plan->slots.len; s++) {
    if (!uses_slot(later, s, false)) continue;
    if (uses_slot(earlier, s, true)) return 2;
    if (uses_slot(earlier, s, false)) found = 1;
  }
  return found;
}

static const char *rule_between(const struct fs_plan *plan,
                                const struct fs_kernel *a,
                                const struct fs_kernel *b) {
  if (a->scheme == FS_LIBRARY || b->scheme == FS_LIBRARY) return "library";
  for (int r = 0; r < plan->rejections.len; r++) {
    const struct fs_rejection *x = &plan->rejections.data[r];
    if ((has_call(a, x->a) && has_call(b, x->b)) ||
        (has_call(a, x->b) && has_call(b, x->a)))
      return x->rule;
  }
  return "price";
}

bool fs_why_split(const struct fs_plan *plan, int index,
                  const struct fs_diags *sources, struct fs_str *out) {
  const struct fs_kernel *later = &plan->kernels.data[index];
  int best = -1, strongest = 0;
  for (int k = 0; k < index; k++) {
    int t = tie(plan, &plan->kernels.data[k], later);
    if (t < strongest || !t || plan->kernels.data[k].is_copy) continue;
    best = k;
    strongest = t;
  }
  if (best < 0 || later->is_copy) return false;
  const struct fs_kernel *earlier = &plan->kernels.data[best];
  struct fs_str a = {0}, b = {0};
  fs_kernel_does(plan, earlier, sources, &a);
  fs_kernel_does(plan, later, sources, &b);
  fs_reason_put(rule_between(plan, earlier, later), fs_str_text(&a),
                fs_str_text(&b), out);
  fs_str_free(&a);
  fs_str_free(&b);
  return true;
}

/* -- what a kernel shares ------------------------------------------------------------ */

static const char *input_name(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[slot];
  return s->kind == FS_SLOT_INPUT ? plan->graph->inputs.data[s->index].name
                                  : NULL;
}

static int users_of(const struct fs_kernel *k, int value) {
  int n = 0;
  for (int i = 0; i < k->steps.len; i++)
    for (int x = 0; x < 3; x++) n += k->steps.data[i].in[x] == value;
  return n;
}

/* The largest array that is loaded once and used more than once. */
static const char *shared_array(const struct fs_plan *plan,
                                const struct fs_kernel *k) {
  const char *best = NULL;
  int most = 0;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || users_of(k, s->out) < 2) continue;
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
      for (int x = 0; x < 3; x++)
        if (t->in[x] == s->out && its.begin != mine.begin) return s->node;
    }
  }
  return 0;
}

void fs_reason_put_shared(const struct fs_plan *plan, int index,
                          const struct fs_diags *sources, struct fs_str *out) {
  if (index < 0) {
    fs_str_puts(out, "each kernel computes it for itself");
    return;
  }
  const struct fs_kernel *k = &plan->kernels.data[index];
  const char *array = shared_array(plan, k);
  fs_id passed = passed_value(plan, k);
  fs_str_printf(out, "k%d %s", index + 1, fs_scheme_names[k->scheme]);
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

/* How often it goes over the elements of a row, and not only over its results. */
static int sweeps_of(const struct fs_kernel *k) {
  int sweeps = 1;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    for (int x = 0; x < 3 && s->phase != FS_END; x++)
      if (s->in[x] >= 0 && k->values.data[s->in[x]].varies & FS_VARIES_J)
        sweeps = FS_MAX(sweeps, s->phase + 1);
  }
  return sweeps;
}

void fs_reason_put_scheme(const struct fs_plan *plan, int index,
                          struct fs_str *out) {
  const struct fs_kernel *k = &plan->kernels.data[index];
  switch (k->scheme) {
    case FS_LIBRARY:
      fs_str_puts(out, "a dense library's routine");
      break;
    case FS_TILE:
      fs_str_puts(out, "it goes over tiles of 32 x 32 elements, so that rows and "
                       "columns are both read along memory");
      break;
    case FS_ROW:
      fs_str_printf(out, "a block owns whole rows, of which there are %lld with "
                         "%lld elements", (long long)k->space.m,
                    (long long)k->space.n);
      if (sweeps_of(k) > 1)
        fs_str_printf(out, ", and goes over each %d times while it is on the "
                           "chip", sweeps_of(k));
      break;
    default:
      fs_str_printf(out, "it goes over %lld elements one after the other",
                    (long long)k->space.n);
  }
}
