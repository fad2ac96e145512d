/* slow.c - `:why slow [k1]`: what the time of a kernel goes to, as the model has it, what limits
 * it, and what another setting would take. */
#include "core/session/internal.h"

#include <math.h>
#include <stdlib.h>

#include "core/model/predict.h"
#include "core/plan/plan.h"
#include "core/ranks/ranks.h"
#include "core/run/blocks.h"
#include "core/run/compile.h"
#include "core/run/scratch.h"

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

/* The kernel that takes longest, as measured, else as predicted. */
static int slowest(const json_t *kernels) {
  size_t k, best = 0;
  const json_t *o;
  double most = -1;
  json_array_foreach(kernels, k, o) {
    double took = number(o, "measured");
    if (isnan(took)) took = number(o, "predicted");
    if (took > most) most = took, best = k;
  }
  return (int)best;
}

static void put_head(const json_t *plan, const json_t *k, struct fs_str *out) {
  double predicted = number(k, "predicted"), took = number(k, "measured");
  fs_str_printf(out, "%s %s `%s`: ", text(k, "id"), text(k, "scheme"), text(k, "does"));
  if (isnan(predicted)) fs_str_puts(out, "what it takes depends on data");
  else fs_str_puts(out, "predicted "), fs_str_put_seconds(out, predicted);
  if (!isnan(took)) fs_str_puts(out, ", measured "), fs_str_put_seconds(out, took);
  fs_str_puts(out, "\n");
  if (isnan(predicted) && *text(plan, "loops"))
    fs_str_printf(out, "its loops are %s\n", text(plan, "loops"));
}

static void put_part(struct fs_str *out, const char *words, double seconds, int *n) {
  if (!(seconds > 0)) return;
  fs_str_printf(out, "%s%s ", (*n)++ ? ", " : "", words);
  fs_str_put_seconds(out, seconds);
}

static void put_phases(const double *of_phase, struct fs_str *out) {
  double all = 0, most = 0;
  for (int x = 0; x < FS_WORK_PHASES; x++) all += of_phase[x], most = fmax(most, of_phase[x]);
  if (!(most < 0.99*all)) return;
  fs_str_puts(out, "its phases:");
  for (int x = 0, shown = 0; x < FS_WORK_PHASES; x++)
    if (of_phase[x] > 0) {
      fs_str_printf(out, "%s %.0f %%", shown ? "," : "", 100*of_phase[x]/all);
      shown++;
    }
  fs_str_puts(out, "\n");
}

/* "moves 0.921 ms, beside them arithmetic 0.300 ms, launch 2.9 µs": what the model adds up. */
static void put_parts(const struct fs_kernel *k, const struct fs_device *device,
                      struct fs_str *out) {
  struct fs_parts p = fs_predict_parts(NULL, &k->work, device->calibration);
  double moves = 0, computes = 0, of_phase[FS_WORK_PHASES];
  int n = 0;
  for (int x = 0; x < FS_WORK_PHASES; x++) {
    moves += p.move[x];
    computes += p.compute[x];
    of_phase[x] = fs_hidden_behind(p.move[x], p.compute[x], device->calibration->overlap);
  }
  put_part(out, "moves", moves, &n);
  put_part(out, n ? "beside them arithmetic" : "arithmetic", computes, &n);
  put_part(out, "trips to memory", p.trips, &n);
  put_part(out, "waiting within rows", p.delay, &n);
  put_part(out, "barriers", p.sync, &n);
  put_part(out, "launch", p.launch, &n);
  put_part(out, "late threads", p.late, &n);
  if (n) fs_str_puts(out, "\n");
  put_phases(of_phase, out);
}

/* What bounds it, and how near it comes to that. */
static void put_bound(const json_t *k, struct fs_str *out) {
  const char *bound = text(k, "bound");
  double limit = number(k, "limit_s"), took = number(k, "measured");
  if (isnan(took)) took = number(k, "predicted");
  if (!strcmp(bound, "launch") || !strcmp(bound, "synchronisation")) {
    fs_str_printf(out, "%s bounds it: more work a kernel would cost little\n",
                  *bound == 'l' ? "the launch" : "synchronisation");
    return;
  }
  fs_str_printf(out, "%s bounds it", *bound ? bound : "nothing that is known");
  if (limit > 0) {
    fs_str_puts(out, !strcmp(bound, "memory") ? ": its " : ": its arithmetic alone would take ");
    if (!strcmp(bound, "memory")) {
      fs_str_put_bytes(out, number(k, "moves"));
      fs_str_puts(out, " alone would take ");
    }
    fs_str_put_seconds(out, limit);
    if (took > 0) fs_str_printf(out, ", %.0f %% of the time", 100*limit/took);
  }
  fs_str_puts(out, "\n");
}

static void put_occupancy(const json_t *k, struct fs_str *out) {
  const json_t *o = json_object_get(k, "occupancy");
  if (isnan(number(o, "registers"))) return; /* a CPU has no warps */
  fs_str_printf(out, "%.0f blocks of %.0f threads, %.0f on a multiprocessor: %.0f %% of its threads",
                number(o, "blocks"), number(o, "threads"), number(o, "per_unit"),
                100*number(o, "share"));
  if (*text(o, "limit")) fs_str_printf(out, ", limited by %s", text(o, "limit"));
  fs_str_printf(out, " (%.0f registers, %.0f bytes of shared memory", number(o, "registers"),
                number(o, "shared_bytes"));
  if (number(o, "spilled_bytes") > 0)
    fs_str_printf(out, ", %.0f bytes spilled", number(o, "spilled_bytes"));
  fs_str_puts(out, ")\n");
}

/* "256 MiB read from memory, 96.0 KiB written, 88 % of its rate, 12 % found in the cache". */
static void put_traffic(const double *c, struct fs_str *out) {
  if (isnan(c[FS_COUNT_READ])) return;
  fs_str_puts(out, "counted: ");
  fs_str_put_bytes(out, c[FS_COUNT_READ]);
  fs_str_puts(out, " read from memory");
  if (!isnan(c[FS_COUNT_WRITTEN])) {
    fs_str_puts(out, ", ");
    fs_str_put_bytes(out, c[FS_COUNT_WRITTEN]);
    fs_str_puts(out, " written");
  }
  if (!isnan(c[FS_COUNT_MEMORY])) fs_str_printf(out, ", %.0f %% of its rate", c[FS_COUNT_MEMORY]);
  if (!isnan(c[FS_COUNT_CACHE_HITS]))
    fs_str_printf(out, "; %.0f %% of what the cache was asked for was there",
                  c[FS_COUNT_CACHE_HITS]);
  fs_str_puts(out, "\n");
}

/* What warps wait for, the three most of those that are a twentieth of it or more: "data from
 * memory 71 %, other warps at a barrier 9 %". */
static void put_waits(const double *c, struct fs_str *out) {
  static const char *const words[FS_COUNTS] = {
#define COUNT(id, name)
#define WAIT(id, name, text) [FS_COUNT_##id] = text,
#include "core/device/counts.def"
#undef COUNT
#undef WAIT
  };
  bool shown[FS_COUNTS] = {0};
  for (int n = 0; n < 3; n++) {
    int most = -1;
    for (int k = 0; k < FS_COUNTS; k++)
      if (words[k] && !shown[k] && c[k] >= 0.05*c[FS_COUNT_LATENCY] && (most < 0 || c[k] > c[most]))
        most = k;
    if (most < 0) return;
    shown[most] = true;
    fs_str_printf(out, "%s%s %.0f %%", n ? ", " : "; they wait for ", words[most],
                  100*c[most]/c[FS_COUNT_LATENCY]);
  }
}

static void put_warps(const double *c, struct fs_str *out) {
  if (isnan(c[FS_COUNT_WARPS]) || isnan(c[FS_COUNT_ISSUED])) return;
  fs_str_printf(out, "counted: %.0f %% of the warps that fit, instructions in %.0f %% of cycles",
                c[FS_COUNT_WARPS], c[FS_COUNT_ISSUED]);
  put_waits(c, out);
  fs_str_puts(out, "\n");
}

/* Runs the block in scratch storage until its kernel was counted. */
static enum fs_status count(struct fs_target *t, struct fs_block *b, int kernel, double *counts,
                            struct fs_str *why, struct fs_diags *d) {
  enum { MOST_PASSES = 100 };
  struct fs_scratch scratch;
  enum fs_status st = fs_scratch_open(&scratch, t, b, d);
  if (st == FS_OK) st = fs_compile_rest(b, t, NULL, d);
  while (kernel && !b->codes[kernel]) kernel--; /* a phase of the launch before */
  scratch.counted = kernel;
  if (st == FS_OK) scratch.counter = t->ops->counter_new(t, why);
  bool done = !scratch.counter;
  for (int pass = 0; st == FS_OK && !done && pass < MOST_PASSES; pass++) {
    st = fs_scratch_run(&scratch, b, NULL, NULL, d);
    done = st == FS_OK && t->ops->counts(t, scratch.counter, counts, why);
  }
  if (st == FS_OK && !done) fs_str_puts(why, "it takes too many passes");
  if (scratch.counter) t->ops->timer_free(t, scratch.counter);
  fs_scratch_close(&scratch);
  return st;
}

/* What the device itself counted, where it can; else why not. */
static enum fs_status put_counts(struct fs_session *s, struct fs_block *b, int kernel,
                                 struct fs_str *out) {
  struct fs_target *t = fs_session_target(s);
  struct fs_str why = {0};
  struct fs_diags words;
  double counts[FS_COUNTS];
  if (!t->ops->counter_new || fs_ranks() > 1) return FS_OK;
  fs_diags_init(&words);
  enum fs_status st = count(t, b, kernel, counts, &why, &words);
  if (st != FS_OK && words.list.len) fs_str_puts(&why, words.list.data[words.list.len - 1].message);
  if (why.len) {
    fs_str_printf(out, "not counted: %s\n", why.data);
  } else if (st == FS_OK) {
    put_traffic(counts, out);
    put_warps(counts, out);
  }
  fs_diags_free(&words);
  fs_str_free(&why);
  return st == FS_INTERRUPTED ? st : FS_OK;
}

/* The best of the settings but the one in use. */
static void put_next(struct fs_session *s, const struct fs_block *b, int kernel,
                     struct fs_str *out) {
  const struct fs_kernel *k = &b->plan->kernels.data[kernel];
  int64_t now[FS_TRAITS];
  fs_setting_list all = {0};
  struct fs_plan_request q = fs_plan_request(fs_session_runner(s), b->plan->graph, &s->diags);
  fs_plan_settings(b->plan, &fs_session_target(s)->device, &q.options, kernel, &all);
  fs_plan_request_free(&q);
  fs_kernel_traits(b->plan->graph, k, now);
  const struct fs_setting *best = NULL;
  for (int x = 0; x < all.len; x++) {
    const struct fs_setting *a = &all.data[x];
    if (memcmp(a->value, now, sizeof now) && (!best || a->first < best->first)) best = a;
  }
  fs_str_puts(out, best ? "another setting:" : "it has no other setting\n");
  for (int t = 0; best && t < FS_TRAITS; t++)
    if (best->value[t] != now[t] && best->value[t] >= 0) {
      const char *scheme = t == FS_TRAIT_SCHEME ? fs_schemes[best->value[t]].name : NULL;
      if (scheme) fs_str_printf(out, " %s", scheme);
      else fs_str_printf(out, " %s %lld", fs_trait_name(t), (long long)best->value[t]);
    }
  if (best) {
    fs_str_puts(out, ", ~");
    fs_str_put_seconds(out, best->first);
    fs_str_printf(out, " (`:alternatives k%d`, `:tune`)\n", kernel + 1);
  }
  FS_VEC_FREE(&all);
}

enum fs_status fs_session_why_slow(struct fs_session *s, struct fs_words *words,
                                   const json_t *plan) {
  struct fs_block *b = fs_session_current_block(s, words->out);
  const json_t *kernels = json_object_get(plan, "kernels");
  int n = (int)json_array_size(kernels), at;
  if (words->n > 2) return FS_ERR_USER;
  if (!b) return FS_OK;
  if (!n || n != b->plan->kernels.len) {
    fs_str_puts(words->out, "the last block needs no kernel\n");
    return FS_OK;
  }
  at = slowest(kernels);
  if (words->n == 2) {
    char *end;
    const char *word = words->word[1] + (*words->word[1] == 'k');
    long k = strtol(word, &end, 10);
    if (end == word || *end || k < 1 || k > n)
      return fs_error(&s->diags, words->span, "bad-kernel", "see :plan",
                      ":why: the last block has %d kernel%s, there is no %s", n,
                      n == 1 ? "" : "s", words->word[1]);
    at = (int)k - 1;
  }
  const struct fs_kernel *k = &b->plan->kernels.data[at];
  put_head(plan, json_array_get(kernels, (size_t)at), words->out);
  put_bound(json_array_get(kernels, (size_t)at), words->out);
  if (!k->lib_node) put_parts(k, &fs_session_target(s)->device, words->out);
  put_occupancy(json_array_get(kernels, (size_t)at), words->out);
  enum fs_status st = put_counts(s, b, at, words->out);
  if (st == FS_OK && !k->lib_node) put_next(s, b, at, words->out);
  return st;
}
