/* check.c - is a plan legal? Gives the first rule that it breaks: a bug in Fusible. */
#include "core/plan/plan.h"

static const char *check_space(const struct fs_kernel *k) {
  int64_t m = 1, n = 1;
  const struct fs_space *s = &k->space;
  if (s->n_outer < 0 || s->n_inner < 0 || s->n_outer + s->n_inner > FS_MAX_RANK)
    return "P1: an index space has too many axes";
  for (int x = 0; x < s->n_outer; x++) m *= s->dim[x];
  for (int x = 0; x < s->n_inner; x++) n *= s->dim[s->n_outer + x];
  if (k->n_applied) return NULL; /* its columns are those of its parts */
  return m == s->m && n == s->n ? NULL : "P1: rows and columns are not the products of the axes";
}

/* Steps come by phase, each after what it uses, which is ready then. */
static const char *check_steps(const struct fs_kernel *k) {
  const char *rule = NULL;
  bool *made = fs_calloc((size_t)k->values.len + 1, sizeof *made);
  int phase = 0;
  for (int i = 0; i < k->steps.len && !rule; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->phase < phase && !k->n_applied) rule = "P2: steps are not in the order of phases";
    phase = s->phase;
    FS_EACH_IN(s, x) {
      if (s->in[x] >= k->values.len) rule = "P2: a step uses a value that is none";
      else if (!made[s->in[x]] && !k->n_applied) rule = "P2: a value is used before it is made";
      else if (k->values.data[s->in[x]].ready > s->phase && !k->n_applied)
        rule = "P2: a value is used before it is ready";
    }
    if (s->access >= k->accesses.len) rule = "P2: a step has an access that is none";
    if (s->out >= k->values.len) rule = "P2: a step makes a value that is none";
    if (!rule && s->out >= 0) made[s->out] = true;
  }
  free(made);
  return rule;
}

static const char *check_accesses(const struct fs_plan *plan, const struct fs_kernel *k) {
  for (int x = 0; x < k->accesses.len; x++) {
    const struct fs_access *a = &k->accesses.data[x];
    if (a->slot < 0 || a->slot >= plan->slots.len) return "P3: an access has no slot";
    if (a->list < 0 || a->list > k->accesses.len || a->list == x + 1)
      return "P3: a list is no access of the kernel";
  }
  return NULL;
}

/* Each call is in one kernel. Kernels that copy have none. */
static const char *check_calls(const struct fs_plan *plan) {
  const char *rule = NULL;
  bool *seen = fs_calloc((size_t)plan->graph->nodes.len + 1, sizeof *seen);
  FS_EACH_AT(&plan->kernels, kn) {
    for (int c = 0; c < kn->calls.len && !kn->copies && !rule; c++) {
      if (seen[kn->calls.data[c]]) rule = "P4: a call is in two kernels";
      seen[kn->calls.data[c]] = true;
    }
  }
  free(seen);
  return rule;
}

static bool is_made_here(const struct fs_plan *plan, int slot) {
  enum fs_slot_kind kind = plan->slots.data[fs_slot_whole(plan, slot)].kind;
  return kind == FS_SLOT_TEMP || kind == FS_SLOT_RESULT;
}

/* What a kernel loads of the block's own values, an earlier kernel has stored. */
static const char *check_order(const struct fs_plan *plan) {
  const char *rule = NULL;
  bool *stored = fs_calloc((size_t)plan->slots.len + 1, sizeof *stored);
  for (int k = 0; k < plan->kernels.len && !rule; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    FS_EACH_AT(&kn->accesses, a)
      if (!a->stored && is_made_here(plan, a->slot) && !stored[fs_slot_whole(plan, a->slot)])
        rule = "P5: a kernel loads what no earlier one has stored";
    for (int x = 0; x < kn->accesses.len; x++)
      if (kn->accesses.data[x].stored)
        stored[fs_slot_whole(plan, kn->accesses.data[x].slot)] = true;
    if (kn->lib_node && kn->lib_slots[0] >= 0)
      stored[fs_slot_whole(plan, kn->lib_slots[0])] = true;
  }
  free(stored);
  return rule;
}

/* A launch begins with a kernel of its own; what is beside another uses nothing of it. */
static const char *check_joints(const struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (k == 0 && kn->joint != FS_LAUNCH) return "P6: the first kernel is joined to none";
    if (kn->joint == FS_LAUNCH) continue;
    if (kn->lib_node || kn->tune.threads != plan->kernels.data[k - 1].tune.threads)
      return "P6: phases of a launch have other threads";
  }
  return NULL;
}

/* Settings that a scheme has not are not set, others are in their ranges (settings.def). */
static const char *check_settings(const struct fs_kernel *k) {
  for (int x = 0; x < FS_TUNING_ROWS; x++) {
    const struct fs_tuning_row *row = &fs_tuning_rows[x];
    int most = row->schemes >> k->scheme & 1 ? row->most : row->base;
    int value = fs_tuning_value(&k->tune, x);
    if (value < row->least || value > most)
      return "P7: a setting is out of its range, or its scheme has it not";
  }
  return NULL;
}

const char *fs_plan_check(const struct fs_plan *plan) {
  const char *rule = check_calls(plan);
  for (int k = 0; k < plan->kernels.len && !rule; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (kn->lib_node) continue;
    rule = check_settings(kn);
    if (!rule) rule = check_space(kn);
    if (!rule) rule = check_steps(kn);
    if (!rule) rule = check_accesses(plan, kn);
  }
  if (!rule) rule = check_order(plan);
  return rule ? rule : check_joints(plan);
}
