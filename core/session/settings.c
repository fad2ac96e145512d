/* settings.c - the settings, one table. Each acts at once. */
#include "core/device/cpu/body.h"
#include "core/session/internal.h"

#include <stdio.h>

#include "core/eval/files.h"
#include "core/device/cache.h"

/* What a setting does with a new value: FS_ERR_USER without a diagnostic means
 * that the value cannot be; the caller says which can. */
typedef enum fs_status change_fn(struct fs_session *s, const char *value,
                                 struct fs_span span);
typedef void value_fn(struct fs_session *s, char out[32]);

static bool whole_number(const char *text, long long low, long long high,
                         long long *out) {
  char *end;
  *out = strtoll(text, &end, 10);
  return *text && !*end && *out >= low && *out <= high;
}

static bool on_off(const char *text, bool *out) {
  bool on = !strcmp(text, "on");
  if (!on && strcmp(text, "off")) return false;
  *out = on;
  return true;
}

/* -- one pair of functions per setting --------------------------------------- */

static void get_plan(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->plan_form);
}
static enum fs_status set_plan(struct fs_session *s, const char *value,
                               struct fs_span span) {
  (void)span;
  if (strcmp(value, "line") && strcmp(value, "box") && strcmp(value, "off"))
    return FS_ERR_USER;
  snprintf(s->plan_form, sizeof s->plan_form, "%s", value);
  return FS_OK;
}

static void get_time(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->time ? "on" : "off");
}
static enum fs_status set_time(struct fs_session *s, const char *value,
                               struct fs_span span) {
  (void)span;
  return on_off(value, &s->time) ? FS_OK : FS_ERR_USER;
}

static void get_target(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->target_name);
}

static void get_effort(struct fs_session *s, char out[32]) {
  if (s->effort) snprintf(out, 32, "%d", s->effort);
  else snprintf(out, 32, "auto");
}
static enum fs_status set_effort(struct fs_session *s, const char *value,
                                 struct fs_span span) {
  (void)span;
  long long ms = 0;
  if (strcmp(value, "auto") && !whole_number(value, 1, 100000, &ms)) return FS_ERR_USER;
  s->effort = (int)ms;
  if (s->cpu.runner) fs_runner_options(s->cpu.runner)->effort = s->effort;
  if (s->cuda.runner) fs_runner_options(s->cuda.runner)->effort = s->effort;
  return FS_OK;
}

static void get_strategy(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", fs_strategy_names[s->strategy]);
}
static enum fs_status set_strategy(struct fs_session *s, const char *value,
                                   struct fs_span span) {
  (void)span;
  for (int k = 0; k <= FS_FUSE_OFF; k++) {
    if (strcmp(value, fs_strategy_names[k])) continue;
    s->strategy = (enum fs_strategy)k;
    if (s->strategy != FS_FUSE_OFF) s->fused = s->strategy;
    if (s->cpu.runner) fs_runner_options(s->cpu.runner)->strategy = s->strategy;
    if (s->cuda.runner)
      fs_runner_options(s->cuda.runner)->strategy = s->strategy;
    return FS_OK;
  }
  return FS_ERR_USER;
}

static void get_fuse(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->strategy == FS_FUSE_OFF ? "off" : "on");
}
static enum fs_status set_fuse(struct fs_session *s, const char *value,
                               struct fs_span span) {
  bool on;
  if (!on_off(value, &on)) return FS_ERR_USER;
  return set_strategy(s, on ? fs_strategy_names[s->fused] : "off", span);
}

static void get_nancheck(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", fs_interp_nancheck(s->in) ? "on" : "off");
}
static enum fs_status set_nancheck(struct fs_session *s, const char *value, struct fs_span span) {
  bool on = false;
  (void)span;
  if (!on_off(value, &on)) return FS_ERR_USER;
  fs_interp_set_nancheck(s->in, on);
  return FS_OK;
}

static void get_overflow(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", fs_interp_overflow(s->in) ? "error" : "wrap");
}
static enum fs_status set_overflow(struct fs_session *s, const char *value, struct fs_span span) {
  (void)span;
  bool error = !strcmp(value, "error");
  if (!error && strcmp(value, "wrap")) return FS_ERR_USER;
  fs_interp_set_overflow(s->in, error);
  return FS_OK;
}

static void get_loops(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", fs_interp_loops(s->in) ? "on" : "off");
}
static enum fs_status set_loops(struct fs_session *s, const char *value,
                                struct fs_span span) {
  bool on;
  (void)span;
  if (!on_off(value, &on)) return FS_ERR_USER;
  fs_interp_set_loops(s->in, on);
  return FS_OK;
}

static void get_dtype(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", fs_dtype_name(fs_interp_floats(s->in)));
}
static enum fs_status set_dtype(struct fs_session *s, const char *value, struct fs_span span) {
  (void)span;
  bool wide = !strcmp(value, "f64");
  if (!wide && strcmp(value, "f32")) return FS_ERR_USER;
  fs_interp_set_floats(s->in, wide ? FS_F64 : FS_F32);
  return FS_OK;
}

static void get_threads(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%d", s->cpu.target->device.units);
}
static enum fs_status set_threads(struct fs_session *s, const char *value,
                                  struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 0, 1024, &n)) return FS_ERR_USER;
  return fs_session_set_threads(s, (int)n);
}

static void get_n(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%lld", (long long)fs_interp_size(s->in));
}
static enum fs_status set_n(struct fs_session *s, const char *value,
                            struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 1, 1LL << 40, &n)) return FS_ERR_USER;
  fs_interp_set_size(s->in, n);
  return FS_OK;
}

static void get_expand(struct fs_session *s, char out[32]) {
  int64_t bytes = fs_interp_expand(s->in);
  snprintf(out, 32, "%lld", (long long)(bytes ? bytes : FS_EXPAND) >> 20);
}
static enum fs_status set_expand(struct fs_session *s, const char *value,
                                 struct fs_span span) {
  long long mib;
  (void)span;
  if (!whole_number(value, 1, 1LL << 30, &mib)) return FS_ERR_USER;
  fs_interp_set_expand(s->in, (int64_t)mib << 20);
  return FS_OK;
}

static void get_seed(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%lld", (long long)s->seed);
}
static enum fs_status set_seed(struct fs_session *s, const char *value,
                               struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 0, INT64_MAX - 1, &n)) return FS_ERR_USER;
  s->seed = n;
  fs_interp_seed(s->in, n);
  return FS_OK;
}

static void get_digits(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%d", s->show.digits);
}
static enum fs_status set_digits(struct fs_session *s, const char *value,
                                 struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 1, 17, &n)) return FS_ERR_USER;
  s->show.digits = (int)n;
  return FS_OK;
}

static void get_width(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%d", s->show.width);
}
static enum fs_status set_width(struct fs_session *s, const char *value,
                                struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 20, 1000, &n)) return FS_ERR_USER;
  s->show.width = (int)n;
  return FS_OK;
}

/* How much of an array is shown: 0 stands for auto. */
static void get_most(int most, char out[32]) {
  if (most) snprintf(out, 32, "%d", most);
  else snprintf(out, 32, "auto");
}

static enum fs_status set_most(const char *value, int *most) {
  long long n = 0;
  if (strcmp(value, "auto") && !whole_number(value, 1, 1000, &n)) return FS_ERR_USER;
  *most = (int)n;
  return FS_OK;
}

static void get_rows(struct fs_session *s, char out[32]) { get_most(s->show.rows, out); }
static enum fs_status set_rows(struct fs_session *s, const char *value, struct fs_span span) {
  (void)span;
  return set_most(value, &s->show.rows);
}

static void get_columns(struct fs_session *s, char out[32]) { get_most(s->show.columns, out); }
static enum fs_status set_columns(struct fs_session *s, const char *value,
                                  struct fs_span span) {
  (void)span;
  return set_most(value, &s->show.columns);
}

/* The front end tells how high its screen is. */
static void get_screen(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%d", s->show.screen);
}
static enum fs_status set_screen(struct fs_session *s, const char *value,
                                 struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 0, 1000, &n)) return FS_ERR_USER;
  s->show.screen = (int)n;
  return FS_OK;
}

static void get_learn(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->learn ? "on" : "off");
}
static enum fs_status set_learn(struct fs_session *s, const char *value,
                                struct fs_span span) {
  (void)span;
  return on_off(value, &s->learn) ? FS_OK : FS_ERR_USER;
}

static void get_ascii(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->show.ascii ? "on" : "off");
}
static enum fs_status set_ascii(struct fs_session *s, const char *value,
                                struct fs_span span) {
  (void)span;
  return on_off(value, &s->show.ascii) ? FS_OK : FS_ERR_USER;
}

static void get_rich(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->rich ? "on" : "off");
}
static enum fs_status set_rich(struct fs_session *s, const char *value,
                               struct fs_span span) {
  (void)span;
  return on_off(value, &s->rich) ? FS_OK : FS_ERR_USER;
}

static void get_elements(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%lld", (long long)s->elements);
}
static enum fs_status set_elements(struct fs_session *s, const char *value,
                                   struct fs_span span) {
  long long n;
  (void)span;
  if (!whole_number(value, 0, 1 << 24, &n)) return FS_ERR_USER;
  s->elements = n;
  return FS_OK;
}

/* Where a front end shows plots at a terminal; it finds out what that can. */
static void get_pictures(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->shown_as);
}
static enum fs_status set_pictures(struct fs_session *s, const char *value,
                                   struct fs_span span) {
  static const char *const ways[] = {"auto", "kitty", "iterm", "sixel", "braille"};
  (void)span;
  for (size_t k = 0; k < FS_LEN(ways); k++) {
    if (strcmp(value, ways[k])) continue;
    snprintf(s->shown_as, sizeof s->shown_as, "%s", value);
    return FS_OK;
  }
  return FS_ERR_USER;
}

static void get_rebuild(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->rebuild);
}
static enum fs_status set_rebuild(struct fs_session *s, const char *value,
                                  struct fs_span span) {
  (void)span;
  if (strcmp(value, "auto") && strcmp(value, "ask") && strcmp(value, "off"))
    return FS_ERR_USER;
  snprintf(s->rebuild, sizeof s->rebuild, "%s", value);
  return FS_OK;
}

static void get_dump(struct fs_session *s, char out[32]) {
  fs_dump_words(s->dump, out, 32);
}
static enum fs_status set_dump(struct fs_session *s, const char *value,
                               struct fs_span span) {
  (void)span;
  return fs_dump_parse(value, &s->dump) ? FS_OK : FS_ERR_USER;
}

static void get_cache(struct fs_session *s, char out[32]) {
  (void)s;
  snprintf(out, 32, "%lld",
           (long long)fs_kernel_cache_state().limit >> 20);
}
static enum fs_status set_cache(struct fs_session *s, const char *value,
                                struct fs_span span) {
  long long mib;
  (void)s, (void)span;
  if (!whole_number(value, 0, 1 << 20, &mib)) return FS_ERR_USER;
  fs_kernel_cache_limit(mib << 20);
  return FS_OK;
}

static void get_compile(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->hasty ? "quick" : "full");
}
static enum fs_status set_compile(struct fs_session *s, const char *value,
                                  struct fs_span span) {
  (void)span;
  if (strcmp(value, "quick") && strcmp(value, "full")) return FS_ERR_USER;
  s->hasty = !strcmp(value, "quick");
  if (s->cuda.runner) fs_runner_options(s->cuda.runner)->hasty = s->hasty;
  return FS_OK;
}

static void get_fast_math(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->fast_math ? "on" : "off");
}
static enum fs_status set_fast_math(struct fs_session *s, const char *value, struct fs_span span) {
  bool on;
  (void)span;
  return on_off(value, &on) ? fs_session_compute(s, on, s->flushes) : FS_ERR_USER;
}

static void get_flushes(struct fs_session *s, char out[32]) {
  snprintf(out, 32, "%s", s->flushes ? "on" : "off");
}
static enum fs_status set_flushes(struct fs_session *s, const char *value, struct fs_span span) {
  bool on;
  (void)span;
  return on_off(value, &on) ? fs_session_compute(s, s->fast_math, on) : FS_ERR_USER;
}

static const char *const body_modes[] = {[FS_BODIES_BEHIND] = "behind", [FS_BODIES_NOW] = "now",
                                         [FS_BODIES_OFF] = "off"};
static void get_regions(struct fs_session *s, char out[32]) {
  (void)s;
  snprintf(out, 32, "%s", body_modes[fs_bodies_mode()]);
}
static enum fs_status set_regions(struct fs_session *s, const char *value, struct fs_span span) {
  (void)s, (void)span;
  for (size_t k = 0; k < FS_LEN(body_modes); k++) {
    if (strcmp(value, body_modes[k])) continue;
    fs_bodies_set((enum fs_bodies)k);
    return FS_OK;
  }
  return FS_ERR_USER;
}

/* -- the table --------------------------------------------------------------- */

static const struct setting {
  const char *name, *values, *doc;
  value_fn *get;
  change_fn *set;
} settings[] = {
  {"plan", "line box off", "how plans are shown after an input", get_plan,
   set_plan},
  {"time", "on off", "times after each input", get_time, set_time},
  {"target", "auto cpu cuda opencl", "where blocks run", get_target, fs_session_use},
  {"strategy", "smart minsync minmemory noreorder manual off", "what a plan aims at",
   get_strategy, set_strategy},
  {"plan-effort", "auto 1..100000", "counted ms that planning a block may take at most",
   get_effort, set_effort},
  {"fuse", "on off", "whether statements share kernels", get_fuse, set_fuse},
  {"loops", "on off", "whether loops over elements run as whole arrays", get_loops, set_loops},
  {"nancheck", "on off", "whether results that are not finite are told of, with their statement",
   get_nancheck, set_nancheck},
  {"overflow", "wrap error", "whether sums and products of integers that leave their type wrap "
   "around, or are an error", get_overflow, set_overflow},
  {"dtype", "f32 f64", "the type of arrays in brackets and of zeros(n) and its like",
   get_dtype, set_dtype},
  {"threads", "0..1024", "threads of the CPU target; 0: all processors",
   get_threads, set_threads},
  {"n", "1..", "size of made-up inputs", get_n, set_n},
  {"expand", "1..", "MiB that a small sparse file may take as a dense matrix",
   get_expand, set_expand},
  {"seed", "0..", "start of the random numbers", get_seed, set_seed},
  {"digits", "1..17", "significant digits shown of a number", get_digits,
   set_digits},
  {"width", "20..1000", "columns that a shown array may take", get_width,
   set_width},
  {"rows", "auto 1..1000", "rows of an array that are shown whole; auto: a screen of them, "
   "10 in scripts", get_rows, set_rows},
  {"columns", "auto 1..1000", "columns that are shown whole; auto: those that fit, 10 in "
   "scripts", get_columns, set_columns},
  {"screen", "0..1000", "lines of the terminal, which arrays fill; 0: no terminal", get_screen,
   set_screen},
  {"learn", "on off", "runs correct the predictions that are shown", get_learn,
   set_learn},
  {"ascii", "on off", "arrays are shown in ASCII only", get_ascii, set_ascii},
  {"pictures", "auto kitty iterm sixel braille", "plots at the terminal; pictures "
   "want rsvg-convert, sixel also img2sixel (packages librsvg2-bin, libsixel-bin)",
   get_pictures, set_pictures},
  {"rebuild", "auto ask off", "after a fault of the device: inputs run again",
   get_rebuild, set_rebuild},
  {"dump", "off ast graph space plan code", "what every input prints of its way "
   "to code; several: graph,plan", get_dump, set_dump},
  {"compile", "quick full", "quick: a GPU's new kernels run at once and are compiled in "
   "full meanwhile", get_compile, set_compile},
  {"fastmath", "on off", "whether a GPU computes quotients, roots and functions by its own fast "
   "instructions, and fuses products into sums", get_fast_math, set_fast_math},
  {"ftz", "on off", "whether a GPU takes numbers of f32 below the normal ones for 0", get_flushes,
   set_flushes},
  {"regions", "behind now off", "bodies of loops on the CPU target: compiled by the C compiler "
   "meanwhile, at once, or never", get_regions, set_regions},
  {"cache", "0..", "MiB of compiled kernels kept on disk", get_cache, set_cache},
  {"elements", "0..", "events of shown arrays of at most so many elements carry them as "
   "data", get_elements, set_elements},
  {"rich", "on off", "events also carry HTML, SVG and plans at their launch",
   get_rich, set_rich},
};

static const char *next_name(void *user) {
  size_t *k = user;
  return *k < FS_LEN(settings) ? settings[(*k)++].name : NULL;
}

static const struct setting *find(const char *name) {
  for (size_t k = 0; k < FS_LEN(settings); k++)
    if (!strcmp(settings[k].name, name)) return &settings[k];
  return NULL;
}

void fs_settings_init(struct fs_session *s) {
  memcpy(s->plan_form, "line", 5);
  memcpy(s->rebuild, "auto", 5);
  memcpy(s->shown_as, "braille", 8);
  s->learn = true;
  s->show = (struct fs_show_options){.width = 80, .digits = FS_SHOW_DIGITS};
}

void fs_settings_list(struct fs_session *s, struct fs_str *out) {
  for (size_t k = 0; k < FS_LEN(settings); k++) {
    char value[32];
    settings[k].get(s, value);
    fs_str_printf(out, "  %-9s  %-9s  %s  (%s)\n", settings[k].name, value,
                  settings[k].doc, settings[k].values);
  }
}

bool fs_setting_at(int k, const char **name, const char **values,
                   const char **doc) {
  if (k < 0 || k >= (int)FS_LEN(settings)) return false;
  *name = settings[k].name;
  *values = settings[k].values;
  *doc = settings[k].doc;
  return true;
}

/* "line, box or off"; "1 or more"; "20 to 1000". */
static void put_values(const char *values, struct fs_str *out) {
  const char *dots = strstr(values, "..");
  if (dots) {
    fs_str_put(out, values, (size_t)(dots - values));
    if (dots[2]) fs_str_printf(out, " to %s", dots + 2);
    else fs_str_puts(out, " or more");
    return;
  }
  for (const char *v = values; *v;) {
    size_t n = strcspn(v, " ");
    if (v != values) fs_str_puts(out, v[n] ? ", " : " or ");
    fs_str_put(out, v, n);
    v += n + (v[n] == ' ');
  }
}

enum fs_status fs_setting_change(struct fs_session *s, const char *name,
                                 const char *value, struct fs_span span) {
  const struct setting *t = find(name);
  if (!t) {
    size_t k = 0;
    const char *near = fs_near_miss(name, next_name, &k);
    char hint[80];
    int equals = (int)strcspn(name, "=");
    if (name[equals] && equals < 20)
      snprintf(hint, sizeof hint, "a blank stands before the value: :set %.*s %.20s",
               equals, name, name + equals + 1);
    else
      snprintf(hint, sizeof hint, "%s%s%s", near ? "did you mean " : "see :set",
               near ? near : "", near ? "?" : "");
    return fs_error(&s->diags, span, "unknown-setting", hint,
                    "there is no setting %s", name);
  }
  int before = s->diags.list.len;
  enum fs_status st = t->set(s, value, span);
  if (st != FS_ERR_USER || s->diags.list.len > before) return st;
  struct fs_str can = {0};
  put_values(t->values, &can);
  st = fs_error(&s->diags, span, "bad-setting", NULL,
                "%s cannot be %s; it can be %s", name, value,
                fs_str_text(&can));
  fs_str_free(&can);
  return st;
}

const char *fs_session_setting(struct fs_session *s, const char *name) {
  const struct setting *t = find(name);
  const char *told =
      json_string_value(json_object_get(s->mirror.settings, name));
  if (!t) return NULL;
  if (told) snprintf(s->answer, sizeof s->answer, "%s", told);
  else t->get(s, s->answer);
  return s->answer;
}
