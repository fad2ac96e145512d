/* test_drift.c - what the model prices of a kernel on a GPU is what its text does: thousands
 * of kernels, of many statements, types, shapes and settings, are planned for three GPUs and
 * emitted. (On a CPU: test_cpu_schedule.c.)
 *
 *   test_drift          compares, and says of how many kernels, fact by fact
 *   test_drift --all    ... and names every kernel that differs
 */
#include <math.h>
#include <stdlib.h>

#include "core/emit/emit.h"
#include "tests/unit/devices.h"
#include "tests/unit/statements.h"

/* What is compared, and of how many kernels it may differ: as many as do today. Whoever
 * mends a cause lowers its count. Blocks in step (FS_MARCH) are priced as if they went over
 * rows in chunks; of rows that nobody holds whole, the registers as if somebody did. */
enum fact { TASKS, SHARING, THREADS, STAGES, RING_BYTES, LANES, VECTORS, BYTES, PARTS,
            REGISTERS, FACTS };
static struct {
  const char *name;
  int may, differ;
  double worst;
} facts[FACTS] = {
    [TASKS] = {"tasks", 10},
    [SHARING] = {"blocks of a cluster", 10},
    [THREADS] = {"threads", 10},
    [STAGES] = {"stages of a ring", 0},
    [RING_BYTES] = {"bytes of a ring", 0},
    [LANES] = {"lanes of a vector", 0},
    [VECTORS] = {"vectors of a thread", 0},
    [BYTES] = {"bytes read", 0},
    [PARTS] = {"partial results", 6},
    [REGISTERS] = {"blocks that registers allow, by more than twice", 42}};
static int kernels, passed, failed;
static bool all;

static const struct fs_device *device;

/* -- what a text does ------------------------------------------------------------------------ */

/* The number behind a word of the text, or in front of one; 0: it is not there. */
static int number_behind(const char *text, const char *word) {
  const char *at = strstr(text, word);
  return at ? atoi(at + strlen(word)) : 0;
}
static int number_before(const char *text, const char *word) {
  const char *at = strstr(text, word);
  while (at && at > text && at[-1] >= '0' && at[-1] <= '9') at--;
  return at ? atoi(at) : 0;
}

/* Bytes of the arrays that it has pointers to for reading, each once. */
static double bytes_read(const struct fs_kernel *k, const char *text) {
  double bytes = 0;
  for (int x = 0; x < k->accesses.len; x++) {
    const struct fs_access *a = &k->accesses.data[x];
    char pointer[40];
    bool again = false;
    snprintf(pointer, sizeof pointer, "*const a%d = (const ", x);
    for (int y = 0; y < x; y++) {
      const struct fs_access *b = &k->accesses.data[y];
      again |= a->slot == b->slot && a->offset == b->offset && a->varies == b->varies &&
               !memcmp(a->stride, b->stride, sizeof a->stride);
    }
    if (!again && strstr(text, pointer)) bytes += fs_access_bytes(k, a);
  }
  return bytes;
}

/* -- one against the other ------------------------------------------------------------------- */

static void compare(enum fact f, bool ok, const char *name, const struct fs_kernel *k,
                    double model, double text) {
  if (ok) return;
  double times = model > text ? model / text : text / model;
  facts[f].differ++;
  if (times < INFINITY) facts[f].worst = FS_MAX(facts[f].worst, times);
  if (!all) return;
  const struct fs_tuning *t = &k->tune;
  printf("%s on %s, %s of %d threads, %d on a row, vec %d, cols %d, iters %d, cluster %d, "
         "stages %d: %s: %g in the model, %g in the text\n",
         name, device->name, fs_schemes[k->scheme].name, t->threads, t->row_threads, t->vec,
         t->cols, t->iters, t->cluster, t->stages, facts[f].name, model, text);
}

static void compare_equal(enum fact f, const char *name, const struct fs_kernel *k,
                          double model, double text) {
  compare(f, model == text, name, k, model, text);
}

static void compare_rows(const char *name, const struct fs_kernel *k,
                         const struct fs_emitted *e, const struct fs_spread *s) {
  int stages = number_behind(e->source, "unsigned long long ready[");
  double units = FS_MAX(device->units, 1);
  double blocks = FS_MAX(1, s->resident * s->sharing / units);
  compare_equal(STAGES, name, k, fs_ring_stages(k, device), stages);
  if (stages) compare_equal(RING_BYTES, name, k, s->under_way / blocks, (double)e->shared_bytes);
  compare_equal(VECTORS, name, k, k->tune.cols, number_before(e->source, " vector"));
}

/* By how many blocks they let a multiprocessor hold: no more than so many are ever asked for. */
enum { MOST_BLOCKS = 8 };
static void compare_registers(const char *name, const struct fs_plan *plan,
                              const struct fs_kernel *k) {
  struct fs_footprint f;
  struct fs_home *places = fs_calloc((size_t)k->values.len + 1, sizeof *places);
  fs_emit_footprint(plan, k, device, &f, places);
  free(places);
  double blocks = 65536 / (f.threads * FS_MAX(f.registers, 1)), model = fs_tune_resident(k);
  blocks = FS_MAX(1, FS_MIN(blocks, FS_MIN(MOST_BLOCKS, 2048 / f.threads)));
  compare(REGISTERS, model <= 2 * blocks && blocks <= 2 * model, name, k, model, blocks);
}

/* Whether no text was like it: plans of a block have kernels in common. */
static bool is_new(const struct fs_emitted *e) {
  enum { PLACES = 1 << 17 };
  static uint64_t seen[PLACES];
  uint64_t hash = fs_hash(e->source, strlen(e->source), (uint64_t)(device - devices));
  size_t at = (hash >> 32) % PLACES;
  while (seen[at] && seen[at] != hash) at = (at + 1) % PLACES;
  if (seen[at]) return false;
  seen[at] = hash;
  return true;
}

static void look(const char *name, const struct fs_plan *plan, const struct fs_kernel *k) {
  struct fs_emitted e;
  struct fs_spread s;
  fs_emit_cuda(plan, k, device, NULL, &e);
  if (!is_new(&e)) {
    fs_emitted_free(&e);
    return;
  }
  fs_kernel_spread(k, device, &s);
  kernels++;
  compare_equal(TASKS, name, k, s.tasks, (double)e.max_blocks / e.cluster);
  compare_equal(SHARING, name, k, s.sharing, e.cluster);
  compare_equal(THREADS, name, k, s.threads, (double)e.threads * e.cluster);
  compare_equal(LANES, name, k, k->tune.vec, number_before(e.source, " lane"));
  double bytes = bytes_read(k, e.source);
  compare(BYTES, fabs(k->work.bytes_read - bytes) <= 1e-9 * bytes, name, k, k->work.bytes_read,
          bytes);
  bool leaves = e.work_per_block || e.work_base;
  compare(PARTS, (s.parts > 0) == leaves, name, k, s.parts, leaves);
  if (k->scheme == FS_ROW) compare_rows(name, k, &e, &s);
  if (k->scheme == FS_ROW || k->scheme == FS_FLAT) compare_registers(name, plan, k);
  fs_emitted_free(&e);
}

/* The kernels of a plan as they are, and in the other settings that are worth a try. */
static void look_at_plan(const char *name, const struct fs_plan *plan) {
  for (int x = 0; x < plan->kernels.len; x++) {
    struct fs_kernel k = plan->kernels.data[x];
    struct fs_tuning other[FS_MAX_VARIANTS];
    if (k.scheme == FS_LIBRARY) continue;
    look(name, plan, &k);
    int n = plan->found->rank > 1 ? 0 : fs_tune_variants(&k, device, other);
    for (int v = 0; v < n; v++) {
      k.tune = other[v];
      look(name, plan, &k);
    }
  }
}

static void plan_all(void) {
  take_devices();
  for (int d = 0; d < GPUS; d++) {
    device = &devices[d];
    for (int any_size = 0; any_size < 2; any_size++)
      each_plan(device, &(struct fs_plan_options){.effort = 5, .apart = true,
                                                  .any_size = any_size}, look_at_plan);
  }
  leave_devices();
}

int main(int argc, char **argv) {
  all = argc > 1 && !strcmp(argv[1], "--all");
  plan_all();
  printf("of %d kernels the text differs from the model in\n", kernels);
  for (int f = 0; f < FACTS; f++) {
    bool ok = facts[f].differ <= facts[f].may;
    printf("%s %6d  %s, at worst %.3g times (%d may)\n", ok ? "    " : "FAIL",
           facts[f].differ, facts[f].name, facts[f].worst, facts[f].may);
    if (ok) passed++;
    else failed++;
  }
  if (kernels < 5000) failed++, printf("FAILED: only %d kernels\n", kernels);
  else passed++;
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
