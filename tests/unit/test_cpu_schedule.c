/* test_cpu_schedule.c - what the planner says of a kernel on the CPU is what the CPU target
 * does: thousands of kernels, of many statements, types and shapes, are planned, and made
 * ready for walking.
 *
 *   test_cpu_schedule           compares, and says of how many kernels
 *   test_cpu_schedule --texts   prints how each is walked
 */
#include <stdio.h>

#include "core/device/cpu/walk.h"
#include "tests/unit/devices.h"
#include "tests/unit/statements.h"

static int passed, failed;

static struct fs_device *const cpu = &devices[GPUS];

/* -- kernels ------------------------------------------------------------------------------- */

static void look(const char *name, const struct fs_plan *plan, const struct fs_kernel *k);

static void look_at_plan(const char *name, const struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++)
    if (plan->kernels.data[k].scheme < FS_LIBRARY) look(name, plan, &plan->kernels.data[k]);
}
static void plan_all(void) {
  take_devices();
  each_plan(cpu, &(struct fs_plan_options){.effort = 5}, look_at_plan);
  leave_devices();
}

/* -- the planner's figures against the target's ---------------------------------------------- */

static int kernels, different;
static bool texts;

static void check(bool ok, const char *name, const struct fs_kernel *k, const char *what,
                  double planned, double done) {
  if (ok) {
    passed++;
    return;
  }
  if (failed++ < 20)
    printf("FAILED: %s, %s kernel of %d steps: %s: %g planned, %g done\n", name,
           fs_schemes[k->scheme].name, k->steps.len, what, planned, done);
}

/* Partial results that the end folds: what the target has room for, but for scalars. */
static double partials(const struct fs_walk *w) {
  double n = 0;
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++) {
      const struct fs_walk_op *op = &w->phase[p].strips.data[k];
      const struct fs_space *s = &w->kernel->space;
      if (op->kind != FS_SP_REDUCE) continue;
      if (op->reduce == FS_RM_COLUMN) n += (double)(w->cut.row_chunks * s->n);
      if (op->reduce == FS_RM_ROW_END) n += (double)(w->cut.column_chunks * s->m);
    }
  return n;
}

static double amount(const struct fs_work *w, enum fs_term term) {
  double n = 0;
  for (int k = 0; k < w->n_amounts; k++)
    if (w->amounts[k].term == term) n += w->amounts[k].amount;
  return n;
}

static bool writes_past(const struct fs_walk *w) {
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++)
      if (w->phase[p].strips.data[k].stream) return true;
  return false;
}

/* Operations of strips that a step is: some may be done in the pass of another. */
static int operations(const struct fs_walk *w, const struct fs_step *s) {
  int n = 0;
  for (int p = 0; p < w->n_phases; p++)
    for (int k = 0; k < w->phase[p].strips.len; k++) {
      const struct fs_walk_op *op = &w->phase[p].strips.data[k];
      bool points = op->kind == FS_SP_MAP && op->spread && op->step->op == FS_OP_COPY &&
                    op->varies == FS_VARIES_BOTH && op->map;
      n += op->step == s && op->mode != FS_LM_KEPT && !points;
    }
  return n;
}

/* What is computed along columns, in passes over strips and in groups of rows. */
static void compare_passes(const char *name, const struct fs_kernel *k, const struct fs_walk *w) {
  struct fs_cpu_schedule c;
  fs_schedule_cpu(k, cpu, &c);
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool strip = s->out >= 0 && s->phase != FS_END && s->kind != FS_SP_REDUCE &&
                 k->values.data[s->out].varies & FS_VARIES_J;
    int planned = c.pass[i] == i ? c.times[i] : 0, done = operations(w, s);
    if (strip && s->kind != FS_SP_LOAD)
      check(planned == done, name, k, "passes", planned, done);
  }
  fs_cpu_schedule_free(&c);
}

static void compare(const char *name, const struct fs_kernel *k, const struct fs_walk *w) {
  const struct fs_work *work = &k->work;
  int before = failed;
  double tasks = (double)fs_walk_tasks(w, FS_STAGE_TASKS);
  check(work->parallel == tasks, name, k, "tasks", work->parallel, tasks);
  check(work->past == writes_past(w), name, k, "past the caches", work->past, writes_past(w));
  double parts = amount(work, FS_TM_FOLD_PART);
  check(parts == partials(w), name, k, "partial results", parts, partials(w));
  compare_passes(name, k, w);
  different += failed > before;
}

static void look(const char *name, const struct fs_plan *plan, const struct fs_kernel *k) {
  const char *why = NULL;
  struct fs_walk *w = fs_walk_new(plan, k, fs_cpu_routines("plain"), cpu, &why);
  kernels++;
  if (!w) {
    check(false, name, k, why, 0, 0);
    return;
  }
  compare(name, k, w);
  if (texts) {
    struct fs_str s = {0};
    fs_walk_print(w, &s);
    printf("%s\n%s\n", name, fs_str_text(&s));
    fs_str_free(&s);
  }
  fs_walk_free(w);
}

int main(int argc, char **argv) {
  texts = argc > 1 && !strcmp(argv[1], "--texts");
  plan_all();
  check(kernels >= 5000, "all", &(struct fs_kernel){0}, "kernels", 5000, kernels);
  printf("%d of %d kernels differ\n", different, kernels);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
