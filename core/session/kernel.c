/* kernel.c - one kernel of a plan: the settings that were considered for it
 * (`:alternatives k1`), and the one that the user pins (`:pin`, `:unpin`).
 *
 * A pin is about the calls of a kernel in one block, found again by the block's
 * structure, sizes and types, on one kind of target. */
#include "core/session/internal.h"

#include <limits.h>
#include <math.h>

#include "core/plan/plan.h"
#include "core/run/blocks.h"
#include "core/view/view.h"

enum { SETTINGS_SHOWN = 12, MOST_TIMED = 4096 };

/* A kernel of the last block that a command is about. */
struct subject {
  struct fs_session *s;
  const struct fs_block *block;
  struct fs_plan *plan;
  int kernel;
  fs_setting_list settings;
  int64_t now[FS_TRAITS];   /* traits of the kernel as it is */
};

static const struct fs_kernel *kernel_of(const struct subject *u) {
  return &u->plan->kernels.data[u->kernel];
}

static bool has_warps(const struct fs_session *s) {
  return fs_device_has_warps(&fs_session_target(s)->device);
}

/* "1", "k1"; -1 for what is neither. */
static int kernel_number(const char *word) {
  char *end;
  long k = strtol(word + (*word == 'k'), &end, 10);
  return end == word + (*word == 'k') || *end || k < 0 || k > INT32_MAX ? -1 : (int)k;
}

static void open_subject(struct fs_session *s, const struct fs_block *block,
                         int kernel, struct subject *u) {
  *u = (struct subject){.s = s, .block = block, .plan = block->plan,
                        .kernel = kernel};
  struct fs_plan_request q =
      fs_plan_request(fs_session_runner(s), u->plan->graph, &s->diags);
  fs_plan_settings(u->plan, &fs_session_target(s)->device, &q.options, kernel,
                   &u->settings);
  fs_plan_request_free(&q);
  fs_kernel_traits(u->plan->graph, kernel_of(u), u->now);
}

static void close_subject(struct subject *u) { FS_VEC_FREE(&u->settings); }

/* The last block's kernel that a word means; FS_OK without one if nothing ran. */
static enum fs_status find_subject(struct fs_session *s, struct fs_words *w,
                                   const char *name, struct subject *u,
                                   bool *found) {
  int k = kernel_number(w->word[0]);
  *found = false;
  const struct fs_block *block = fs_session_current_block(s, w->out);
  if (!block) return FS_OK;
  int n = block->plan->kernels.len;
  if (k < 0)
    return fs_error(&s->diags, w->span, "bad-kernel", "a number of :plan: 1, k1",
                    ":%s: '%s' is not a kernel", name, w->word[0]);
  if (k < 1 || k > n)
    return fs_error(&s->diags, w->span, "bad-kernel", "see :plan",
                    ":%s: the last block has %d kernel%s, there is no k%d", name, n,
                    n == 1 ? "" : "s", k);
  open_subject(s, block, k - 1, u);
  *found = true;
  return FS_OK;
}

/* -- what `:tune` measured --------------------------------------------------------- */

static uint64_t timed_key(const struct fs_session *s, const struct fs_graph *g,
                          const struct fs_kernel *k, const int64_t *value) {
  uint64_t hash = fs_graph_hash(g) + s->on_cuda;
  hash = fs_hash(k->calls.data, sizeof *k->calls.data * (size_t)k->calls.len, hash);
  return fs_hash(value, sizeof *value * FS_TRAITS, hash);
}

static double timed(const struct subject *u, const int64_t *value) {
  uint64_t key = timed_key(u->s, u->plan->graph, kernel_of(u), value);
  for (int k = u->s->timed.len - 1; k >= 0; k--)
    if (!u->s->timed.data[k].block && u->s->timed.data[k].key == key) return u->s->timed.data[k].seconds;
  return -1;
}

static void keep(struct fs_session *s, const struct fs_timed_setting *t) {
  for (int x = 0; x < s->timed.len; x++)
    if (s->timed.data[x].key == t->key && s->timed.data[x].block == t->block) {
      s->timed.data[x] = *t;
      return;
    }
  if (s->timed.len == MOST_TIMED) s->timed.len = 0;
  *FS_PUSH(&s->timed) = *t;
}

static uint64_t block_key(const struct fs_session *s, const struct fs_plan *plan) {
  return fs_hash("plan", 4, fs_graph_hash(plan->graph) + s->on_cuda) | 1;
}

static uint64_t choice_key(const struct fs_plan *plan) {
  const char *choice = fs_plan_choice(plan);
  return fs_hash(choice, strlen(choice), 0);
}

void fs_session_keep_timed_plan(struct fs_session *s, const struct fs_plan *plan,
                                double seconds) {
  struct fs_timed_setting t = {block_key(s, plan), choice_key(plan), seconds};
  if (seconds > 0) keep(s, &t);
}

double fs_session_timed_plan(const struct fs_session *s, const struct fs_plan *plan) {
  uint64_t block = block_key(s, plan), key = choice_key(plan);
  for (int k = s->timed.len - 1; k >= 0; k--)
    if (s->timed.data[k].block == block && s->timed.data[k].key == key)
      return s->timed.data[k].seconds;
  return -1;
}

int fs_session_timed_plans(const struct fs_session *s, const struct fs_plan *plan) {
  uint64_t block = block_key(s, plan);
  int n = 0;
  for (int k = 0; k < s->timed.len; k++) n += s->timed.data[k].block == block;
  return n;
}

/* Of a kernel with a launch of its own. */
void fs_session_keep_timed(struct fs_session *s, const struct fs_plan *plan,
                           int kernel, double seconds) {
  const struct fs_kernel *k = &plan->kernels.data[kernel];
  int64_t value[FS_TRAITS];
  if (k->joint != FS_LAUNCH || fs_launch_end(plan, kernel) != kernel + 1) return;
  if (!(seconds > 0)) return;
  fs_kernel_traits(plan->graph, k, value);
  struct fs_timed_setting t = {0, timed_key(s, plan->graph, k, value), seconds};
  keep(s, &t);
}

/* -- :alternatives k1 -------------------------------------------------------------- */

/* Several routines of one function can have the same traits: the first one is meant. */
static bool is_now(const struct subject *u, const struct fs_setting *x) {
  const struct fs_setting *first = u->settings.data;
  while (first < x && memcmp(first->value, u->now, sizeof u->now)) first++;
  return first == x && !memcmp(x->value, u->now, sizeof u->now);
}

/* Whether it has a launch of its own. */
static bool is_alone(const struct subject *u) {
  return kernel_of(u)->joint == FS_LAUNCH &&
         fs_launch_end(u->plan, u->kernel) == u->kernel + 1;
}

/* What `:tune` measured of it; of the one in use else the last run. */
static double measured_of(const struct subject *u, const struct fs_setting *x) {
  double seconds = timed(u, x->value);
  if (seconds < 0 && is_now(u, x) && is_alone(u) && u->block->measured[u->kernel] > 0)
    seconds = u->block->measured[u->kernel];
  return seconds;
}

static double first_of(const struct fs_setting *x) {
  return x->work.unknown ? NAN : x->first;
}

/* As runs have corrected it. */
static double predicted_of(const struct subject *u, const struct fs_setting *x) {
  return first_of(x) * fs_learned_factor(fs_session_learned(u->s), &x->work);
}

static void put_prediction(const struct subject *u, const struct fs_setting *x,
                           struct fs_str *out) {
  const struct fs_look look = {.utf8 = !u->s->show.ascii};
  fs_plan_put_prediction(out, &look, first_of(x), predicted_of(u, x), false);
}

static json_t *setting_json(const struct subject *u, const struct fs_setting *x) {
  json_t *o = json_object();
  json_object_set_new(o, "scheme", json_string(fs_schemes[x->scheme].name));
  json_object_set_new(o, "space",
                      json_pack("[II]", (json_int_t)x->m, (json_int_t)x->n));
  json_object_set_new(o, "walk", fs_json_text(x->walk, strlen(x->walk)));
  if (*x->routines)
    json_object_set_new(o, "routines", fs_json_text(x->routines, strlen(x->routines)));
  json_object_set_new(o, "setting",
                      fs_setting_object(&fs_session_target(u->s)->device, &x->tune));
  json_object_set_new(o, "first", fs_json_known(first_of(x)));
  json_object_set_new(o, "predicted", fs_json_known(predicted_of(u, x)));
  json_object_set_new(o, "measured", fs_json_known(measured_of(u, x)));
  json_object_set_new(o, "chosen", json_boolean(is_now(u, x)));
  return o;
}

/* With the first `most` settings, and the one in use. */
static json_t *subject_json(const struct subject *u, long most) {
  const struct fs_kernel *k = kernel_of(u);
  struct fs_str does = {0};
  json_t *o = json_object(), *list = json_array();
  fs_kernel_does(u->plan, k, &u->s->diags, &does);
  json_object_set_new(o, "kernel", json_sprintf("k%d", u->kernel + 1));
  json_object_set_new(o, "scheme", json_string(fs_schemes[k->scheme].name));
  json_object_set_new(o, "does", fs_json_text(fs_str_text(&does), does.len));
  json_object_set_new(o, "by_hand", k->by_hand ? json_string(k->by_hand) : json_null());
  for (int x = 0; x < u->settings.len; x++)
    if (x < most || is_now(u, &u->settings.data[x]))
      json_array_append_new(list, setting_json(u, &u->settings.data[x]));
  json_object_set_new(o, "settings", list);
  fs_str_free(&does);
  return o;
}

static bool has_chosen(const struct subject *u) {
  bool any = false;
  for (int x = 0; x < u->settings.len; x++) any |= is_now(u, &u->settings.data[x]);
  return any;
}

static void put_remarks(const struct subject *u, struct fs_str *out) {
  const struct fs_kernel *k = kernel_of(u);
  fs_str_puts(out, "* is in use");
  if (k->by_hand) fs_str_printf(out, ", by hand (%s)", k->by_hand);
  fs_str_puts(out, "; times are of a launch of its own\n");
  int first = fs_launch_first(u->plan, u->kernel), end = fs_launch_end(u->plan, first);
  if (end > first + 1 && !has_chosen(u))
    fs_str_printf(out, "none is in use: it is a phase of the launch of k%d to k%d, "
                  "whose kernels walk alike\n", first + 1, end);
}

enum fs_status fs_session_kernel_alternatives(struct fs_session *s,
                                              struct fs_words *w) {
  struct subject u;
  bool found, json = w->n > 1 && !strcmp(w->word[w->n - 1], "json");
  int n = w->n - json;
  char *end = NULL;
  long most = json ? LONG_MAX : SETTINGS_SHOWN;
  if (n == 2) most = strtol(w->word[1], &end, 10);
  if (n > 2 || (end && *end) || most < 1) return FS_ERR_USER;
  enum fs_status st = find_subject(s, w, "alternatives", &u, &found);
  if (!found) return st;
  struct fs_look look = {.width = FS_MAX(s->show.width, 60), .utf8 = !s->show.ascii};
  json_t *o = subject_json(&u, json ? most : LONG_MAX);
  char *text = json ? json_dumps(o, JSON_INDENT(1)) : NULL;
  if (text) fs_str_printf(w->out, "%s\n", text);
  else if (u.settings.len) {
    fs_settings_put(o, (int)FS_MIN(most, 100000L), &look, w->out);
    put_remarks(&u, w->out);
  } else {
    fs_str_printf(w->out, "k%d is a %s: it has no settings\n", u.kernel + 1,
                  kernel_of(&u)->copies ? "copy" : "library call");
  }
  free(text);
  json_decref(o);
  close_subject(&u);
  return FS_OK;
}

/* -- :pin -------------------------------------------------------------------------- */

static void drop(struct fs_session *s, int k) {
  free((void *)(uintptr_t)s->kernel_pins.data[k].pin.calls);
  s->kernel_pins.len--;
  memmove(&s->kernel_pins.data[k], &s->kernel_pins.data[k + 1],
          sizeof *s->kernel_pins.data * (size_t)(s->kernel_pins.len - k));
}

static bool is_about(const struct fs_block_pin *b, const struct subject *u,
                     uint64_t graph) {
  const struct fs_kernel *k = kernel_of(u);
  return b->graph == graph && b->cuda == u->s->on_cuda &&
         b->pin.n_calls == k->calls.len &&
         !memcmp(b->pin.calls, k->calls.data,
                 sizeof *k->calls.data * (size_t)k->calls.len);
}

static int find_pin(const struct subject *u) {
  uint64_t graph = fs_graph_hash(u->plan->graph);
  for (int k = 0; k < u->s->kernel_pins.len; k++)
    if (is_about(&u->s->kernel_pins.data[k], u, graph)) return k;
  return -1;
}

void fs_kernel_pins_clear(struct fs_session *s) {
  while (s->kernel_pins.len) drop(s, s->kernel_pins.len - 1);
  FS_VEC_FREE(&s->kernel_pins);
  fs_pins_apply(s);
}

json_t *fs_kernel_pins_json(const struct fs_session *s) {
  json_t *list = json_array();
  for (int k = 0; k < s->kernel_pins.len; k++) {
    const struct fs_block_pin *b = &s->kernel_pins.data[k];
    json_t *calls = json_array(), *value = json_array();
    for (int c = 0; c < b->pin.n_calls; c++)
      json_array_append_new(calls, json_integer((json_int_t)b->pin.calls[c]));
    for (int x = 0; x < FS_TRAITS; x++)
      json_array_append_new(value, json_integer((json_int_t)b->pin.value[x]));
    json_array_append_new(
        list, json_pack("{s:I, s:b, s:o, s:o}", "graph", (json_int_t)b->graph,
                        "cuda", b->cuda, "calls", calls, "value", value));
  }
  return list;
}

void fs_kernel_pins_restore(struct fs_session *s, const json_t *pins) {
  size_t at;
  json_t *o;
  fs_kernel_pins_clear(s);
  json_array_foreach(pins, at, o) {
    const json_t *of = json_object_get(o, "calls");
    const json_t *value = json_object_get(o, "value");
    if (json_array_size(value) != FS_TRAITS) continue;
    int n = (int)json_array_size(of);
    fs_id *calls = fs_malloc(sizeof *calls * (size_t)n + 1);
    for (int c = 0; c < n; c++)
      calls[c] = (fs_id)json_integer_value(json_array_get(of, (size_t)c));
    struct fs_block_pin *b = FS_PUSH(&s->kernel_pins);
    *b = (struct fs_block_pin){
        .graph = (uint64_t)json_integer_value(json_object_get(o, "graph")),
        .cuda = json_is_true(json_object_get(o, "cuda")),
        .pin = {.calls = calls, .n_calls = n}};
    for (size_t x = 0; x < FS_TRAITS; x++)
      b->pin.value[x] = json_integer_value(json_array_get(value, x));
  }
  fs_pins_apply(s);
}

void fs_kernel_pins_list(const struct fs_session *s, struct fs_str *out) {
  if (!s->kernel_pins.len) fs_str_puts(out, "no kernel is pinned\n");
  for (int k = 0; k < s->kernel_pins.len; k++) {
    const struct fs_block_pin *b = &s->kernel_pins.data[k];
    fs_str_printf(out, "  %s: ", b->cuda ? "cuda" : "cpu");
    fs_traits_put(b->pin.value, out);
    fs_str_printf(out, "  (a kernel of %d call%s)\n", b->pin.n_calls,
                  b->pin.n_calls == 1 ? "" : "s");
  }
}

/* Whether the target shows settings of threads: else they tell nothing apart. */
static bool is_shown(const struct subject *u, int trait) {
  return trait < FS_TRAIT_TUNING || has_warps(u->s);
}

/* "128, 256, 512": what settings that are as wanted have of a trait. */
static void put_values(const struct subject *u, int trait, const int64_t *wanted,
                       struct fs_str *out) {
  int64_t last = -1;
  for (int n = 0;; n++) {
    int64_t next = -1;
    for (int x = 0; x < u->settings.len; x++) {
      const int64_t *value = u->settings.data[x].value;
      if (!fs_traits_fit(wanted, value) || value[trait] <= last) continue;
      if (next < 0 || value[trait] < next) next = value[trait];
    }
    if (next < 0) return;
    if (n) fs_str_puts(out, ", ");
    if (trait == FS_TRAIT_SCHEME) fs_str_puts(out, fs_schemes[next].name);
    else fs_str_printf(out, "%lld", (long long)next);
    last = next;
  }
}

static bool any_fits(const struct subject *u, const int64_t *wanted) {
  bool any = false;
  for (int x = 0; x < u->settings.len; x++)
    any |= fs_traits_fit(wanted, u->settings.data[x].value);
  return any;
}

static void take_any(int64_t value[FS_TRAITS]) {
  for (int x = 0; x < FS_TRAITS; x++) value[x] = -1;
}

static enum fs_status no_such_trait(const struct subject *u, struct fs_span span,
                                    const char *name) {
  struct fs_str hint = {0};
  fs_str_puts(&hint, "it has ");
  for (int x = 0; x < FS_TRAITS; x++)
    if (is_shown(u, x))
      fs_str_printf(&hint, "%s%s", x ? ", " : "", fs_trait_name(x));
  fs_error(&u->s->diags, span, "bad-pin", fs_str_text(&hint),
           ":pin: k%d has no setting '%s' on %s", u->kernel + 1, name,
           u->s->target_name);
  fs_str_free(&hint);
  return FS_ERR_USER;
}

/* -1: the text is no value of the trait. */
static int64_t read_value(int trait, const char *text) {
  char *end;
  if (trait == FS_TRAIT_SCHEME) {
    for (int k = FS_FLAT; k < FS_SCHEMES; k++)
      if (!strcmp(text, fs_schemes[k].name)) return k;
    return -1;
  }
  if (*text < '0' || *text > '9') return -1;
  long long value = strtoll(text, &end, 10);
  return *end ? -1 : value;
}

/* One word "threads=256" into wanted[]. */
static enum fs_status read_word(const struct subject *u, struct fs_span span,
                                const char *word, int64_t *wanted) {
  size_t len = strcspn(word, "=");
  int trait = 0;
  while (trait < FS_TRAITS && (strlen(fs_trait_name(trait)) != len ||
                               strncmp(fs_trait_name(trait), word, len)))
    trait++;
  struct fs_str name = {0}, hint = {0};
  fs_str_put_safe(&name, word, len);
  enum fs_status st = FS_OK;
  if (!word[len])
    st = fs_error(&u->s->diags, span, "bad-pin", ":pin 1 threads=256",
                  ":pin: '%s' gives no value", fs_str_text(&name));
  else if (trait == FS_TRAITS || !is_shown(u, trait))
    st = no_such_trait(u, span, fs_str_text(&name));
  int64_t value = st ? -1 : read_value(trait, word + len + 1), one[FS_TRAITS], any[FS_TRAITS];
  take_any(one);
  take_any(any);
  one[FS_MIN(trait, FS_TRAITS - 1)] = value;
  if (!st && (value < 0 || !any_fits(u, one))) {
    struct fs_str text = {0};
    fs_str_put_safe(&text, word + len + 1, strlen(word + len + 1));
    fs_str_printf(&hint, "it has %s ", fs_str_text(&name));
    put_values(u, trait, any, &hint);
    st = fs_error(&u->s->diags, span, "bad-pin", fs_str_text(&hint),
                  ":pin: k%d cannot have %s %s", u->kernel + 1, fs_str_text(&name),
                  fs_str_text(&text));
    fs_str_free(&text);
  }
  if (!st && wanted[trait] >= 0 && wanted[trait] != value)
    st = fs_error(&u->s->diags, span, "bad-pin", NULL,
                  ":pin: %s is given twice", fs_str_text(&name));
  if (!st) wanted[trait] = value;
  fs_str_free(&name);
  fs_str_free(&hint);
  return st;
}

/* All are there, but no setting has them together. */
static enum fs_status contradict(const struct subject *u, struct fs_span span,
                                 const int64_t *wanted) {
  int64_t some[FS_TRAITS];
  struct fs_str with = {0}, hint = {0};
  int trait = 0;
  take_any(some);
  for (int x = 0; x < FS_TRAITS && any_fits(u, some); x++) {
    if (wanted[x] < 0) continue;
    some[x] = wanted[x];
    trait = x;
  }
  some[trait] = -1;
  fs_traits_put(some, &with);
  fs_str_printf(&hint, "with %s it has %s ", fs_str_text(&with), fs_trait_name(trait));
  put_values(u, trait, some, &hint);
  struct fs_str all = {0};
  fs_traits_put(wanted, &all);
  fs_error(&u->s->diags, span, "bad-pin", fs_str_text(&hint),
           ":pin: k%d has no setting with %s together", u->kernel + 1,
           fs_str_text(&all));
  fs_str_free(&all);
  fs_str_free(&with);
  fs_str_free(&hint);
  return FS_ERR_USER;
}

static void set_pin(const struct subject *u, const int64_t *wanted) {
  const struct fs_kernel *k = kernel_of(u);
  int at = find_pin(u);
  struct fs_block_pin *b =
      at < 0 ? FS_PUSH(&u->s->kernel_pins) : &u->s->kernel_pins.data[at];
  if (at < 0) {
    size_t bytes = sizeof *k->calls.data * (size_t)k->calls.len;
    fs_id *calls = fs_malloc(bytes + 1);
    memcpy(calls, k->calls.data, bytes);
    *b = (struct fs_block_pin){.graph = fs_graph_hash(u->plan->graph),
                               .cuda = u->s->on_cuda,
                               .pin = {.calls = calls, .n_calls = k->calls.len}};
  }
  memcpy(b->pin.value, wanted, sizeof b->pin.value);
  fs_pins_apply(u->s);
}

/* The best setting that is so, beside the best of all. */
static void tell_pin(const struct subject *u, const int64_t *wanted,
                     struct fs_str *out) {
  const struct fs_setting *best = NULL, *free_one = &u->settings.data[0];
  for (int x = 0; x < u->settings.len && !best; x++)
    if (fs_traits_fit(wanted, u->settings.data[x].value))
      best = &u->settings.data[x];
  fs_str_printf(out, "k%d runs with ", u->kernel + 1);
  fs_traits_put(wanted, out);
  fs_str_puts(out, " when the block comes again: ");
  put_prediction(u, best, out);
  struct fs_str mine = {0}, other = {0};
  put_prediction(u, best, &mine);
  put_prediction(u, free_one, &other);
  if (strcmp(fs_str_text(&mine), fs_str_text(&other)))
    fs_str_printf(out, ", not %s", fs_str_text(&other));
  fs_str_free(&mine);
  fs_str_free(&other);
  if (!is_alone(u)) fs_str_puts(out, ", each in a launch of its own");
  fs_str_puts(out, "\n");
}

static enum fs_status pin(struct subject *u, struct fs_words *w) {
  int64_t wanted[FS_TRAITS], said[FS_TRAITS];
  take_any(said);
  if (!u->settings.len)
    return fs_error(&u->s->diags, w->span, "bad-pin", NULL,
                    ":pin: k%d is a %s, which has no settings", u->kernel + 1,
                    kernel_of(u)->copies ? "copy" : "library call");
  for (int k = 1; k < w->n; k++) {
    enum fs_status st = read_word(u, w->span, w->word[k], said);
    if (st) return st;
  }
  int at = find_pin(u);
  memcpy(wanted, said, sizeof wanted);
  for (int x = 0; x < FS_TRAITS && at >= 0; x++)
    if (said[x] < 0) wanted[x] = u->s->kernel_pins.data[at].pin.value[x];
  if (!any_fits(u, wanted)) return contradict(u, w->span, wanted);
  set_pin(u, wanted);
  tell_pin(u, wanted, w->out);
  return FS_OK;
}

enum fs_status fs_session_pin(struct fs_session *s, struct fs_words *w) {
  struct subject u;
  bool found;
  if (!w->n) {
    fs_kernel_pins_list(s, w->out);
    return FS_OK;
  }
  if (w->n == 1) return FS_ERR_USER;
  enum fs_status st = find_subject(s, w, "pin", &u, &found);
  if (!found) return st;
  st = pin(&u, w);
  close_subject(&u);
  return st;
}

enum fs_status fs_session_unpin(struct fs_session *s, struct fs_words *w) {
  struct subject u;
  bool found;
  if (w->n > 1) return FS_ERR_USER;
  if (!w->n) {
    fs_kernel_pins_clear(s);
    return FS_OK;
  }
  enum fs_status st = find_subject(s, w, "unpin", &u, &found);
  if (!found) return st;
  int at = find_pin(&u);
  if (at < 0) fs_str_printf(w->out, "k%d is not pinned\n", u.kernel + 1);
  else drop(s, at);
  fs_pins_apply(s);
  close_subject(&u);
  return FS_OK;
}

/* ":why a": what the user has said of its kernel, and what would be without. */
void fs_session_put_by_hand(struct fs_session *s, const struct fs_block *block,
                            int kernel, struct fs_str *out) {
  struct subject u;
  const char *by_hand = block->plan->kernels.data[kernel].by_hand;
  if (!by_hand) return;
  open_subject(s, block, kernel, &u);
  const struct fs_setting *best = u.settings.len ? &u.settings.data[0] : NULL;
  fs_str_printf(out, "It has %s by hand (`:pin`)", by_hand);
  if (best && !is_now(&u, best)) {
    fs_str_puts(out, "; without that ");
    for (int x = 0, n = 0; x < FS_TRAITS; x++) {
      if (best->value[x] == u.now[x] || !is_shown(&u, x)) continue;
      int64_t one[FS_TRAITS];
      take_any(one);
      one[x] = best->value[x];
      fs_str_puts(out, n++ ? ", " : "");
      fs_traits_put(one, out);
    }
    fs_str_puts(out, " would be chosen, ");
    put_prediction(&u, best, out);
  }
  fs_str_puts(out, ".\n");
  close_subject(&u);
}
