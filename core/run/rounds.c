/* rounds.c - rounds of a loop that follow at once on a run of their block. */
#include "core/run/launch.h"

#include "core/base/account.h"
#include "core/plan/plan.h"

/* Whether a round starts kernels alone, no library. */
static bool starts_kernels(const struct fs_launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->kernels.len; k++)
    if (!l->now->skip[k] && plan->kernels.data[k].lib_node) return false;
  return plan->graph->outputs.len <= FS_ROUND_HOMES;
}

/* The value that result k replaces, if nobody else has it. */
static struct fs_tensor *replaced(const struct fs_launch *l, int k) {
  for (int i = 0; i < l->block->plan->graph->inputs.len; i++)
    if (l->now->inputs[i]->storage == l->more->home[k] && fs_launch_dies(l, i))
      return l->now->inputs[i];
  return NULL;
}

/* Whether result k and the value that it replaces can exchange their storage. */
static bool can_change(const struct fs_launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  int slot = plan->result_slot[k];
  const struct fs_tensor *t = replaced(l, k);
  if (!t || plan->slots.data[slot].kind != FS_SLOT_RESULT ||
      l->now->storages[slot]->bytes > t->storage->bytes)
    return false;
  for (int j = 0; j < k; j++)
    if (plan->result_slot[j] == slot || l->more->home[j] == t->storage) return false;
  struct fs_layout layout = fs_unsqueeze(&plan->result_layout[k], &t->shape);
  bool same = layout.offset == t->layout.offset;
  for (int d = 0; d < t->shape.rank; d++) same &= layout.stride[d] == t->layout.stride[d];
  return same;
}

/* Whether each result lies where the value lay that it replaces, or can change places with it
 * (then `moves`). */
static bool stays_home(const struct fs_launch *l, bool *moves) {
  const struct fs_plan *plan = l->block->plan;
  *moves = false;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    if (l->now->storages[plan->result_slot[k]] == l->more->home[k]) continue;
    if (!can_change(l, k)) return false;
    *moves = true;
  }
  return true;
}

/* Results become the values that the next round reads, and the storage of those that they
 * replace is that of its results. Done twice, nothing has changed. */
static void change_places(struct fs_launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    struct fs_storage **now = &l->now->storages[plan->result_slot[k]];
    if (*now == l->more->home[k]) continue;
    struct fs_tensor *t = replaced(l, k);
    struct fs_storage *old = t->storage;
    t->storage = *now;
    t->triangle = 0;
    *now = old;
    l->more->home[k] = t->storage;
  }
}

static void put_storage(struct fs_launch *l, int slot, struct fs_storage *borrows) {
  struct fs_storage *old = l->now->storages[slot];
  l->now->storages[slot] = fs_storage_ref(borrows);
  fs_storage_unref(old);
}

/* What is read, and what is overwritten where it lies, is in the storage of today's values. */
static void place_inputs(struct fs_launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int s = 0; s < plan->slots.len; s++)
    if (plan->slots.data[s].kind == FS_SLOT_INPUT)
      put_storage(l, s, l->now->inputs[plan->slots.data[s].index]->storage);
  for (int k = l->left_out; k < plan->kernels.len; k++) {
    const struct fs_tensor *t = fs_launch_taken(l, k);
    if (t) put_storage(l, plan->kernels.data[k].accesses.data[1].slot, t->storage);
  }
}

/* Temporaries are kept from round to round, and made anew where they grow. */
static enum fs_status place_slots(struct fs_launch *l, struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  place_inputs(l);
  for (int k = 0; k < plan->slots.len; k++) {
    const struct fs_slot *s = &plan->slots.data[k];
    struct fs_storage **storage = &l->now->storages[k];
    if (s->kind == FS_SLOT_TEMP && *storage &&
        (*storage)->bytes < (size_t)s->count * fs_dtype_size(s->dtype)) {
      fs_storage_unref(*storage);
      *storage = NULL;
    }
    enum fs_status st = fs_launch_slot(l, k, d);
    if (st != FS_OK) return st;
    if (*storage) l->now->ptrs[k] = (char *)(*storage)->ptr + fs_slot_begin(plan, k);
  }
  return FS_OK;
}

/* Ctrl-C, and that somebody is told how far a loop is. */
static bool ends_row(double begun) {
  const double LONG = 0.05;
  fs_interrupt_hold(false);
  bool ends = fs_interrupted() || fs_account.since - begun > LONG;
  fs_interrupt_hold(true);
  return ends;
}

static enum fs_status launch_round(struct fs_launch *l, struct fs_diags *d) {
  struct fs_target *target = l->r->target;
  enum fs_status st = FS_OK;
  for (int k = 0; k < l->block->plan->kernels.len && st == FS_OK; k++)
    if (l->block->codes[k] && !l->now->skip[k])
      st = target->ops->launch(target, l->block->codes[k], l->now->ptrs, l->now->params, NULL, d);
  return st;
}

void fs_launch_rounds(struct fs_launch *l, struct fs_diags *d) {
  struct fs_rounds *m = l->more;
  struct fs_block *b = l->block;
  enum fs_part part = fs_account_kernels(), before = fs_account.part;
  double begun = fs_account.since;
  bool moves, may = starts_kernels(l) && stays_home(l, &moves);
  fs_interrupt_hold(true);
  for (; may && m->done < m->left && !ends_row(begun); m->done++) {
    if (moves) change_places(l);
    m->failed = m->next(m->user, d);
    if (m->failed == FS_OK) m->failed = place_slots(l, d);
    fs_account_to(part);
    double start = fs_account.since;
    if (m->failed == FS_OK) m->failed = launch_round(l, d);
    fs_account_to(before);
    if (m->failed && moves) change_places(l);
    if (m->failed) break;
    b->seconds = fs_account.since - start;
    fs_times_add(&b->row, b->seconds);
  }
  fs_interrupt_hold(false);
}
