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
