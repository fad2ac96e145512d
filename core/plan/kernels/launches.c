/* launches.c - see launches.h. */
#include "core/plan/kernels/launches.h"

static void touch(struct fs_plan *plan, int slot, int kernel) {
  struct fs_slot *s = &plan->slots.data[slot];
  if (s->first < 0) s->first = kernel;
  s->last = kernel;
}

void fs_plan_touch_slots(struct fs_plan *plan) {
  for (int s = 0; s < plan->slots.len; s++)
    plan->slots.data[s].first = plan->slots.data[s].last = -1;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    for (int a = 0; a < kn->accesses.len; a++)
      touch(plan, kn->accesses.data[a].slot, k);
    for (int l = 0; kn->lib_node && l < FS_LIB_SLOTS; l++)
      if (kn->lib_slots[l] >= 0) touch(plan, kn->lib_slots[l], k);
  }
}

int64_t fs_slot_begin(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[slot];
  const struct fs_graph *g = plan->graph;
  int64_t anchor = s->kind == FS_SLOT_INPUT  ? g->inputs.data[s->index].anchor
                   : s->kind == FS_SLOT_PART ? fs_node(g, s->node)->anchor : 0;
  return anchor * (int64_t)fs_dtype_size(s->dtype);
}

int fs_slot_whole(const struct fs_plan *plan, int slot) {
  const struct fs_slot *s = &plan->slots.data[slot];
  return s->kind == FS_SLOT_PART ? s->index : slot;
}

int fs_launch_end(const struct fs_plan *plan, int first) {
  int end = first + 1;
  while (end < plan->kernels.len &&
         plan->kernels.data[end].joint != FS_LAUNCH)
    end++;
  return end;
}

int fs_launch_first(const struct fs_plan *plan, int kernel) {
  while (kernel > 0 && plan->kernels.data[kernel].joint != FS_LAUNCH) kernel--;
  return kernel;
}

int fs_plan_launches(const struct fs_plan *plan) {
  int n = 0;
  for (int k = 0; k < plan->kernels.len; k++)
    n += plan->kernels.data[k].joint == FS_LAUNCH;
  return n;
}

int fs_plan_kernel_of(const struct fs_plan *plan, fs_id call) {
  for (int k = 0; k < plan->kernels.len; k++)
    if (fs_kernel_has_call(&plan->kernels.data[k], call)) return k;
  return -1;
}
