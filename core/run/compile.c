/* compile.c - the whole pipeline, readable in one function.
 *
 *   text --lex--parse--> statements --trace--> graph      core/lang, core/eval
 *   graph --simplify--> graph                             core/graph
 *   graph --calls--fusions--cover--> kernels              core/plan, core/model
 *   kernels --emit--build--> code                         core/emit, core/device
 *   code --launch--> tensors                              core/run
 *
 * Here is the middle: simplified graph to compiled block. run.c calls it for
 * blocks that it has not seen before.
 */
#include "core/run/compile.h"
#include "core/run/memo.h"

#include "core/base/account.h"
#include "core/plan/plan.h"

enum fs_status fs_refuse_size(const struct fs_device *device, enum fs_dtype dt,
                              const struct fs_shape *shape, struct fs_span span,
                              struct fs_diags *d) {
  struct fs_str what = {0}, need = {0}, have = {0};
  double bytes = (double)fs_dtype_size(dt);
  for (int k = 0; k < shape->rank; k++) bytes *= (double)shape->dim[k];
  fs_shape_print(shape, &what);
  fs_str_put_bytes(&need, bytes);
  fs_str_put_bytes(&have, (double)device->memory_bytes);
  enum fs_status st = fs_error(
      d, span, "too-large", NULL, "%s %s needs %s of memory; the device has %s",
      fs_str_text(&what), fs_dtype_name(dt), fs_str_text(&need), fs_str_text(&have));
  fs_str_free(&what);
  fs_str_free(&need);
  fs_str_free(&have);
  return st;
}

enum fs_status fs_compile_fits(const struct fs_plan *plan, const struct fs_device *device,
                               struct fs_diags *d) {
  double memory = (double)device->memory_bytes;
  for (int s = 0; s < plan->slots.len && memory > 0; s++) {
    const struct fs_slot *slot = &plan->slots.data[s];
    if (slot->kind != FS_SLOT_RESULT && slot->kind != FS_SLOT_TEMP) continue;
    if ((double)slot->count * (double)fs_dtype_size(slot->dtype) <= memory) continue;
    return fs_refuse_size(device, slot->dtype, &slot->shape,
                          fs_node(plan->graph, slot->node)->span, d);
  }
  return FS_OK;
}

enum fs_status fs_compile_check(const struct fs_plan *plan, const struct fs_diags *sources,
                                struct fs_diags *d) {
  const char *rule = fs_graph_check(plan->graph);
  struct fs_str dump = {0};
  if (!rule) rule = fs_plan_check(plan);
  if (!rule) return FS_OK;
  fs_plan_dump(plan, sources, false, &dump);
  fs_env_error(d, "broken-rule", "this is a fault of Fusible: please report it with the input",
               "%s\n%s", rule, fs_str_text(&dump));
  fs_str_free(&dump);
  return FS_ERR_ENV;
}

enum fs_status fs_compile(struct fs_graph *simplified, struct fs_target *target,
                          const struct fs_plan_options *options,
                          const struct fs_diags *sources,
                          struct fs_block **out, struct fs_diags *d) {
  struct fs_plan *plan = fs_plan_make(simplified, &target->device, options);
  enum fs_status st = fs_compile_fits(plan, &target->device, d);
  if (st == FS_OK && fs_interrupted()) st = FS_INTERRUPTED; /* planning was cut short */
  if (st == FS_OK && fs_checking()) st = fs_compile_check(plan, sources, d);
  if (st == FS_OK) return fs_compile_plan(plan, target, sources, out, d);
  fs_plan_free(plan);
  return st;
}

/* Whether temporaries that live as long as the block, not only from their first
 * kernel to their last, hardly take more. */
static bool fits_at_once(const struct fs_plan *plan) {
  const double slack = 1 << 20;
  int n = plan->kernels.len;
  double all = 0, live = 0, most = 0, *change = fs_calloc((size_t)n + 2, sizeof *change);
  for (int s = 0; s < plan->slots.len; s++) {
    const struct fs_slot *slot = &plan->slots.data[s];
    double bytes = (double)slot->count * (double)fs_dtype_size(slot->dtype);
    if (slot->kind != FS_SLOT_TEMP) continue;
    all += bytes;
    change[FS_MAX(slot->first, 0)] += bytes; /* whole numbers: sums are exact */
    change[slot->last + 1] -= bytes;
  }
  for (int k = 0; k < n; k++) {
    live += change[k];
    most = FS_MAX(most, live);
  }
  free(change);
  return all <= most + slack;
}

/* Chains the slots by the kernels that use them first and last. */
static void chain_slots(struct fs_block *b) {
  const struct fs_plan *plan = b->plan;
  size_t kernels = (size_t)plan->kernels.len + 1, slots = (size_t)plan->slots.len + 1;
  for (int end = 0; end < 2; end++) {
    b->slot_at[end] = fs_calloc(kernels, sizeof(int));
    b->next_slot[end] = fs_calloc(slots, sizeof(int));
    for (int s = plan->slots.len - 1; s >= 0; s--) {
      int k = end ? plan->slots.data[s].last : plan->slots.data[s].first;
      if (k < 0) continue;
      b->next_slot[end][s] = b->slot_at[end][k];
      b->slot_at[end][k] = s + 1;
    }
  }
}

static struct fs_bound *new_bound(const struct fs_plan *plan) {
  struct fs_bound *b = fs_calloc(1, sizeof *b);
  size_t slots = (size_t)plan->slots.len + 1;
  b->storages = fs_calloc(slots, sizeof *b->storages);
  b->ptrs = fs_calloc(slots, sizeof *b->ptrs);
  b->skip = fs_calloc((size_t)plan->kernels.len + 1, sizeof *b->skip);
  b->codes = fs_calloc((size_t)plan->kernels.len + 1, sizeof *b->codes);
  b->inputs =
      fs_calloc((size_t)plan->graph->inputs.len + 1, sizeof *b->inputs);
  b->params =
      fs_calloc((size_t)plan->graph->params.len + 1, sizeof *b->params);
  return b;
}

static void free_bound(struct fs_bound *b) {
  free(b->storages);
  free(b->ptrs);
  free(b->skip);
  free(b->codes);
  free(b->inputs);
  free(b->params);
  free(b);
}

/* In a loop nobody wants the value that an update overwrites, as a rule, and each size has
 * copies of its own. */
static bool may_wait(const struct fs_plan *plan, int k) {
  const struct fs_kernel *kn = &plan->kernels.data[k];
  return plan->any_size && kn->in_place;
}

/* Compiles the kernels that have no code and may, or may not, wait. */
static enum fs_status prepare(struct fs_block *b, struct fs_target *target, bool waited,
                              const bool *but, struct fs_diags *d) {
  int n = 0, all = b->plan->kernels.len;
  const struct fs_kernel **kernels = fs_calloc((size_t)all + 1, sizeof *kernels);
  struct fs_code **codes = fs_calloc((size_t)all + 1, sizeof *codes);
  enum fs_status st = FS_OK;
  for (int k = 0; k < all; k++)
    if (!b->codes[k] && may_wait(b->plan, k) == waited && !(but && but[k]))
      kernels[n++] = &b->plan->kernels.data[k];
  if (n) {
    enum fs_part before = fs_account_to(FS_PART_COMPILING);
    st = target->ops->prepare(target, b->plan, b->sources, n, kernels, codes, d);
    fs_account_to(before);
  }
  for (int k = 0, x = 0; k < all && st == FS_OK; k++)
    if (x < n && kernels[x] == &b->plan->kernels.data[k]) b->codes[k] = codes[x++];
  free(kernels);
  free(codes);
  return st;
}

enum fs_status fs_compile_rest(struct fs_block *b, struct fs_target *target,
                               const bool *but, struct fs_diags *d) {
  return b->plan->any_size ? prepare(b, target, true, but, d) : FS_OK;
}

enum fs_status fs_compile_plan(struct fs_plan *plan, struct fs_target *target,
                               const struct fs_diags *sources,
                               struct fs_block **out, struct fs_diags *d) {
  struct fs_block *b = fs_calloc(1, sizeof *b);
  b->plan = plan;
  b->life = fs_life_new(b);
  int n = b->plan->kernels.len;
  b->codes = fs_calloc((size_t)n + 1, sizeof *b->codes);
  b->timers = fs_calloc((size_t)n + 1, sizeof *b->timers);
  b->measured = fs_calloc((size_t)n + 1, sizeof *b->measured);
  b->left_out = fs_calloc((size_t)n + 1, sizeof *b->left_out);
  b->inputs =
      fs_calloc((size_t)plan->graph->inputs.len + 1, sizeof *b->inputs);
  b->bound = new_bound(plan);
  chain_slots(b);
  b->at_once = fits_at_once(plan);
  b->sources = sources;
  for (int k = 0; k < n; k++) b->measured[k] = -1;
  double start = fs_now();
  enum fs_status st = prepare(b, target, false, NULL, d);
  b->compile_seconds = fs_now() - start;
  if (st != FS_OK) {
    fs_block_free(b, target);
    return st;
  }
  *out = b;
  return FS_OK;
}

struct fs_timer *fs_block_timer(struct fs_block *b, struct fs_target *target, int k) {
  if (!b->timers[k]) b->timers[k] = target->ops->timer_new(target);
  return b->timers[k];
}

char *fs_block_code_text(const struct fs_block *b, struct fs_target *target, int k,
                         const char *form, const char **why) {
  if (b->codes[k] || !may_wait(b->plan, k))
    return target->ops->code_text(target, b->codes[k], form, why);
  *why = "a copy that no run has needed: it has no code yet";
  return NULL;
}

void fs_block_free(struct fs_block *b, struct fs_target *target) {
  if (!b) return;
  fs_life_end(b->life);
  if (b->replay) target->ops->replay_free(target, b->replay);
  for (int k = 0; k < b->plan->kernels.len; k++) {
    if (b->codes[k]) target->ops->release(target, b->codes[k]);
    if (b->timers[k]) target->ops->timer_free(target, b->timers[k]);
  }
  fs_plan_free(b->plan);
  free(b->codes);
  free(b->timers);
  free(b->measured);
  free(b->left_out);
  free(b->inputs);
  for (int end = 0; end < 2; end++) {
    free(b->slot_at[end]);
    free(b->next_slot[end]);
  }
  free_bound(b->bound);
  if (b->drop_described) b->drop_described(b->described);
  free(b);
}
