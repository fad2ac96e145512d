/* commands.c - what the `:commands` of eval/commands.def do. Each gets
 * its words and answers with text or plan events. */
#include "core/ranks/ranks.h"
#include "core/session/internal.h"

#include <stdio.h>
#include <unistd.h>

#include "core/plan/plan.h"
#include "core/run/compile.h"
#include "core/eval/files.h"
#include "core/lang/parse.h"
#include "core/session/calibrate.h"
#include "core/device/cpu/lapack.h"
#include "core/device/cpu/transform.h"
#include "core/device/cuda/driver.h"
#include "core/device/cuda/nvrtc.h"

enum { MAX_WORDS = 256 };

/* A block that `:explain` has planned. */
struct explained {
  uint64_t hash;
  int64_t rounds;           /* how often it would run           */
  json_t *event;
  struct fs_layout *results;
};

/* A command line taken apart: words at blanks, "quoted ones" whole. */
struct command {
  struct fs_session *s;
  const struct fs_command *what;
  struct fs_span span;
  const char *rest;        /* all after the command's name */
  char *text;              /* holds the words */
  int n;
  const char *word[MAX_WORDS];
  struct fs_str out;       /* said when the command is done */
  FS_VEC(struct explained) explained; /* by :explain            */
  int unexplained;         /* runs of blocks beyond those    */
  uint64_t hash;           /* of the last block              */
  enum fs_status refused;  /* why there is no plan           */
};

static enum fs_status fail(struct command *c, const char *hint,
                           const char *message) {
  return fs_error(&c->s->diags, c->span, "command", hint, ":%s: %s",
                  c->what->name, message);
}

static enum fs_status usage(struct command *c) {
  char hint[128];
  snprintf(hint, sizeof hint, ":%s %s", c->what->name, c->what->args);
  return fail(c, hint, "that is not how it is called");
}

static bool is(const struct command *c, int k, const char *word) {
  return k < c->n && !strcmp(c->word[k], word);
}

/* -- help -------------------------------------------------------------------- */

static bool put_topic(struct fs_session *s, const char *name, struct fs_str *out) {
  size_t len = strlen(name);
  if (!strcmp(name, "op") || !strcmp(name, "ops")) name = "operators", len = 9;
  const struct fs_topic *topic;
  for (int k = 0; (topic = fs_session_topic(k)); k++) {
    if (len < 2 || strncmp(topic->name, name, len)) continue;
    if (topic->text) fs_str_puts(out, topic->text);
    else fs_settings_list(s, out);
    return true;
  }
  return false;
}

static void put_overview(struct command *c) {
  fs_command_overview(&c->out);
  fs_str_puts(&c->out, "\nTopics\n");
  const struct fs_topic *topic;
  for (int k = 0; (topic = fs_session_topic(k)); k++)
    fs_str_printf(&c->out, "  :help %-18s  %s\n", topic->name, topic->doc);
  fs_str_puts(&c->out, "  ?name                     a function, a variable, a "
                       "command\n");
}

/* Of a name that help and ?name do not know. */
static enum fs_status not_known(struct fs_session *s, const char *name,
                                struct fs_span span) {
  struct fs_str words = {0};
  const char *hint;
  bool elsewhere = fs_elsewhere(name, &hint);
  const char *near = *name == ':' || elsewhere ? NULL : fs_interp_near_name(s->in, name);
  if (near) fs_str_printf(&words, "did you mean %.200s?", near);
  else if (elsewhere) fs_str_puts(&words, hint ? hint : "");
  else fs_command_find(name + (*name == ':'), strlen(name) - (*name == ':'), &words);
  enum fs_status st = fs_error(&s->diags, span, "unknown-name",
                               words.len ? fs_str_text(&words) : "see :help",
                               "nothing is known about %.200s", name);
  fs_str_free(&words);
  return st;
}

static bool put_command(const char *name, struct fs_str *out) {
  struct fs_str words = {0};
  const struct fs_command *command = fs_command_find(name, strlen(name), &words);
  fs_str_free(&words);
  if (command) fs_command_page(command, out);
  return command != NULL;
}

/* `sum(x)` asks about sum. The caller frees it. */
static char *asked_about(const char *word) {
  size_t n = strcspn(word, "(");
  return fs_strndup(word, n ? n : strlen(word));
}

/* `:help functions [word]` */
static enum fs_status run_help_functions(struct command *c) {
  if (c->n > 2) return usage(c);
  if (fs_session_put_functions(c->s, c->n > 1 ? c->word[1] : "", &c->out)) return FS_OK;
  return fs_error(&c->s->diags, c->span, "unknown-name", ":help functions lists them all",
                  "no function has '%.200s' in its name or description", c->word[1]);
}

static enum fs_status run_help(struct command *c) {
  if (!c->n) {
    put_overview(c);
    return FS_OK;
  }
  if (is(c, 0, "functions")) return run_help_functions(c);
  bool colon = *c->word[0] == ':';
  char *word = asked_about(c->word[0]);
  const char *name = word + colon;
  bool found = !colon && (put_topic(c->s, name, &c->out) ||
                          fs_session_describe(c->s, name, 0, &c->out));
  if (!found) found = put_command(name, &c->out);
  enum fs_status st = found ? FS_OK : not_known(c->s, word, c->span);
  free(word);
  return st;
}

/* -- variables --------------------------------------------------------------- */

static void put_padded(struct fs_str *out, const char *text, int width) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, strlen(text));
  int used = fs_utf8_width(fs_str_text(&safe), safe.len);
  fs_str_printf(out, "%s%*s", fs_str_text(&safe), FS_MAX(width - used, 0), "");
  fs_str_free(&safe);
}

static const char *text_in(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static void put_variable(struct command *c, const json_t *v, int width) {
  fs_str_puts(&c->out, "  ");
  put_padded(&c->out, text_in(v, "name"), width);
  if (json_object_get(v, "bytes")) {
    const char *state = text_in(v, "state");
    put_padded(&c->out, text_in(v, "type"), 20);
    fs_str_puts(&c->out, "  ");
    fs_str_put_bytes(&c->out, json_number_value(json_object_get(v, "bytes")));
    if (json_object_get(v, "layout")) fs_str_printf(&c->out, ", %s", text_in(v, "layout"));
    if (!strcmp(state, "virtual"))
      fs_str_puts(&c->out, ", computed when it is read");
    if (!strcmp(state, "lost")) fs_str_puts(&c->out, ", lost");
    if (json_object_get(v, "columns")) {
      fs_str_puts(&c->out, ", columns ");
      put_padded(&c->out, text_in(v, "columns"), 0);
    }
  } else {
    fs_str_puts(&c->out, text_in(v, "value"));
  }
  fs_str_puts(&c->out, "\n");
}

static enum fs_status run_vars(struct command *c) {
  if (c->n > 1 || (c->n && !is(c, 0, "json"))) return usage(c);
  json_t *list = fs_session_variables(c->s), *v;
  size_t k;
  if (!list) fs_oom_raise();
  int width = 4;
  json_array_foreach(list, k, v) {
    const char *name = text_in(v, "name");
    width = FS_MAX(width, FS_MIN(fs_utf8_width(name, strlen(name)), 30));
  }
  char *text = c->n ? json_dumps(list, JSON_INDENT(1)) : NULL;
  if (text) fs_str_printf(&c->out, "%s\n", text);
  else json_array_foreach(list, k, v) put_variable(c, v, width + 2);
  free(text);
  if (!c->n && !json_array_size(list)) fs_str_puts(&c->out, "no variables\n");
  if (!c->n) fs_session_own_elems(c->s, &c->out);
  json_decref(list);
  return FS_OK;
}

/* All of them, or none. */
static enum fs_status run_drop(struct command *c) {
  struct fs_interp *in = c->s->in;
  if (!c->n) return usage(c);
  for (int k = 0; k < c->n; k++)
    if (!fs_interp_is_own(in, c->word[k]))
      return fs_error(&c->s->diags, c->span, "unknown-name", fs_interp_near_name(in, c->word[k]),
                      "there is no variable %.200s", c->word[k]);
  for (int k = 0; k < c->n; k++) fs_interp_remove(in, c->word[k]);
  return FS_OK;
}

enum { SHOWN_MOST = 1000000 };

static enum fs_status run_show(struct command *c) {
  struct fs_interp *in = c->s->in;
  const struct fs_val *v = c->n == 1 ? fs_interp_get(in, c->word[0]) : NULL;
  struct fs_tensor *t[2];
  if (c->n != 1) return usage(c);
  if (!v)
    return fs_error(&c->s->diags, c->span, "unknown-name", fs_interp_near_name(in, c->word[0]),
                    "there is no variable %.200s", c->word[0]);
  int n = fs_val_tensors(v, t);
  if (n && fs_shape_count(&t[0]->shape) > SHOWN_MOST)
    return fs_error(&c->s->diags, c->span, "too-large", "a part of it: B = A[1:1000, 1:200]; :show B",
                    "%.200s has %lld elements, and :show takes up to %d", c->word[0],
                    (long long)fs_shape_count(&t[0]->shape), SHOWN_MOST);
  enum fs_status st = FS_OK;
  for (int p = 0; p < n && !st; p++) st = fs_interp_force(in, t[p]);
  struct fs_show_options all = c->s->show;
  all.whole = true;
  if (!st) st = fs_show_value(c->word[0], v, &all, &c->out, &c->s->diags);
  if (!st) fs_str_puts(&c->out, "\n");
  return st;
}

static enum fs_status run_reset(struct command *c) {
  struct fs_interp_var v;
  int n = 0;
  for (int k = 0; fs_interp_var_at(c->s->in, k, &v); k++) n += !v.from_prelude;
  if (c->n > 1 || (c->n && !is(c, 0, "-f"))) return usage(c);
  if (n && !c->n) {
    fs_str_printf(&c->out,
                  "this removes %d variable%s or function%s: `:reset -f` does "
                  "it\n",
                  n, n == 1 ? "" : "s", n == 1 ? "" : "s");
    return FS_OK;
  }
  fs_interp_reset(c->s->in);
  fs_interp_seed(c->s->in, c->s->seed);
  return FS_OK;
}

/* -- files ------------------------------------------------------------------- */

static void put_loaded(struct fs_session *s, const char *name,
                       const struct fs_val *v, struct fs_str *out) {
  if (!out) return;
  fs_str_put_safe(out, name, strlen(name));
  fs_str_puts(out, " = ");
  fs_show_type(v, s->show.ascii, out);
  fs_str_puts(out, "\n");
}

/* "my-data" as a name: my_data. */
static void make_identifier(char *name) {
  for (char *p = name; *p; p++) {
    unsigned char ch = (unsigned char)*p;
    bool good = ch == '_' || ch >= 0x80 || (ch >= '0' && ch <= '9') ||
                (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
    if (!good) *p = '_';
  }
}

enum fs_status fs_session_load(struct fs_session *s, const char *name,
                               const char *path, int n, const char *const *texts,
                               struct fs_span span, struct fs_str *out) {
  if (name) {
    struct fs_val v;
    enum fs_status st = fs_file_load(s->in, path, n, texts, span, &v, NULL);
    if (st) return st;
    put_loaded(s, name, &v, out);
    fs_interp_set(s->in, name, v);
    return FS_OK;
  }
  struct fs_file_vars vars;
  enum fs_status st = fs_file_load_all(s->in, path, n, texts, span, &vars);
  for (int k = 0; k < vars.list.len && !st; k++) {
    struct fs_file_var *v = &vars.list.data[k];
    make_identifier(v->name);
    if (!fs_is_identifier(v->name))
      st = fs_error(&s->diags, span, "bad-name", "`:load name file` gives one",
                    "'%s' cannot be the name of a variable", v->name);
  }
  for (int k = 0; k < vars.list.len && !st; k++) {
    struct fs_file_var *v = &vars.list.data[k];
    put_loaded(s, v->name, &v->value, out);
    fs_interp_set(s->in, v->name, fs_val_ref(v->value));
  }
  fs_file_vars_free(&vars);
  return st;
}

/* :load [name] file [column or member] [option=value ...] */
static enum fs_status run_load(struct command *c) {
  if (!c->n) return usage(c);
  bool named = c->n > 1 && !fs_file_is_loadable(c->word[0]);
  if (named && !fs_is_identifier(c->word[0]))
    return fail(c, NULL, "its first word is not a name");
  return fs_session_load(c->s, named ? c->word[0] : NULL, c->word[named],
                         c->n - named - 1, (const char *const *)c->word + named + 1,
                         c->span, &c->out);
}

struct saved {
  int n;
  const char *names[MAX_WORDS];
  struct fs_val values[MAX_WORDS]; /* one reference each */
};

static enum fs_status pick_named(struct command *c, struct saved *out) {
  for (int k = 1; k < c->n; k++) {
    const struct fs_val *v = fs_interp_get(c->s->in, c->word[k]);
    if (!v)
      return fs_error(&c->s->diags, c->span, "unknown-name", NULL,
                      "there is no variable %s", c->word[k]);
    out->names[out->n] = c->word[k];
    out->values[out->n++] = fs_val_ref(*v);
  }
  return FS_OK;
}

/* What no name was given for is saved up to so many bytes. */
#define SAVE_MOST ((double)((int64_t)1 << 30))

static enum fs_status check_bytes(struct command *c, const struct saved *saved) {
  double bytes = 0;
  struct fs_tensor *t[2];
  for (int k = 0; k < saved->n; k++)
    for (int p = 0, n = fs_val_tensors(&saved->values[k], t); p < n; p++)
      bytes += (double)fs_shape_count(&t[p]->shape) * (double)fs_dtype_size(t[p]->dtype);
  if (bytes <= SAVE_MOST) return FS_OK;
  struct fs_str text = {0};
  fs_str_puts(&text, "all variables take ");
  fs_str_put_bytes(&text, bytes);
  fs_str_puts(&text, ", and without names it saves up to ");
  fs_str_put_bytes(&text, SAVE_MOST);
  enum fs_status st = fail(c, "name those that you want", fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

static enum fs_status pick_all(struct command *c, struct saved *out) {
  struct fs_interp_var v;
  for (int k = 0; fs_interp_var_at(c->s->in, k, &v); k++) {
    bool data = v.value.kind == FS_V_TENSOR || v.value.kind == FS_V_NUMBER ||
                v.value.kind == FS_V_BOOL || v.value.kind == FS_V_RANGE ||
                v.value.kind == FS_V_COMPLEX;
    if (v.from_prelude || !data) continue;
    if (out->n == MAX_WORDS)
      return fail(c, "name those that you want", "there are too many variables");
    out->names[out->n] = v.name;
    out->values[out->n++] = fs_val_ref(*fs_interp_get(c->s->in, v.name));
  }
  return check_bytes(c, out);
}

static enum fs_status save_values(struct command *c) {
  if (!c->n) return usage(c);
  struct saved *saved = fs_calloc(1, sizeof *saved);
  enum fs_status st = c->n > 1 ? pick_named(c, saved) : pick_all(c, saved);
  if (!st)
    st = fs_file_save(c->s->in, c->word[0], c->span, saved->n, saved->names,
                      saved->values);
  if (!st)
    fs_str_printf(&c->out, "saved %d value%s to %s\n", saved->n,
                  saved->n == 1 ? "" : "s", c->word[0]);
  for (int k = 0; k < saved->n; k++) fs_val_unref(saved->values[k]);
  free(saved);
  return st;
}

/* -- plans ------------------------------------------------------------------- */

/* The plans of this input so far, if it ran blocks before the command; else
 * those of the last input that did. A new reference, or NULL. */
static json_t *plans_to_show(struct fs_session *s) {
  if (!s->records.len)
    return s->last_plans.len ? fs_session_events_of(s, &s->last_plans) : NULL;
  return fs_session_collect(s) ? NULL : fs_session_events_of(s, &s->records);
}

static size_t main_plan(const struct fs_session *s) {
  return s->records.len ? (size_t)fs_session_main_plan(s) : s->last_main;
}

/* Shows the main plan, or all; at the prompt says that there are more. */
static enum fs_status show_last_plans(struct command *c, const char *form,
                                      bool all) {
  size_t k;
  json_t *plan, *plans = plans_to_show(c->s);
  if (!plans) fs_str_puts(&c->out, "no plan yet\n");
  fs_session_choose_block(c->s);
  json_array_foreach(plans, k, plan) {
    if (!all && k != main_plan(c->s)) continue;
    bool chosen = k == main_plan(c->s) && c->s->last_block &&
                  c->s->last_runner == fs_session_runner(c->s);
    json_t *copy = c->s->rich
        ? fs_session_rich_plan(c->s, plan, chosen ? c->s->last_block : NULL)
        : json_copy(plan);
    json_object_set_new(copy, "form", json_string(form));
    if (!c->s->records.len && c->s->account)
      json_object_set(copy, "account", c->s->account);
    fs_session_emit(c->s, copy);
  }
  size_t more = json_array_size(plans) - 1;
  if (plans && more && !all && !(c->s->flags & FS_EVAL_SCRIPT))
    fs_str_printf(&c->out, "and %zu more block%s: :plan all\n", more,
                  more == 1 ? "" : "s");
  json_decref(plans);
  return FS_OK;
}

static enum fs_status dump_last(struct command *c) {
  fs_session_choose_block(c->s);
  if (c->s->last_block)
    fs_plan_dump(c->s->last_block->plan, &c->s->diags, true, &c->out);
  else
    fs_str_puts(&c->out, "no plan yet\n");
  return FS_OK;
}

/* A command that is a file of its own. */
static enum fs_status hand_over(struct command *c,
                                enum fs_status (*run)(struct fs_session *s,
                                                      struct fs_words *words)) {
  struct fs_words words = {c->n, c->word, c->span, &c->out, NULL, NULL};
  int before = c->s->diags.list.len;
  enum fs_status st = run(c->s, &words);
  if (st != FS_ERR_USER || c->s->diags.list.len > before) return st;
  return words.wrong ? fail(c, words.hint, words.wrong) : usage(c);
}

static enum fs_status run_save(struct command *c) {
  size_t len = c->n ? strlen(c->word[0]) : 0;
  bool script = len > 3 && !strcmp(c->word[0] + len - 3, ".fs");
  if (!script) return save_values(c);
  return c->n == 1 ? hand_over(c, fs_session_save_script)
                   : fail(c, ":save session.fs", "a script has the inputs of the session, all");
}

/* dot, svg and html, to be seen or saved. */
static enum fs_status draw_last(struct fs_session *s, struct fs_words *words) {
  json_t *plans = plans_to_show(s);
  json_t *plan = json_array_get(plans, main_plan(s));
  enum fs_status st = FS_OK;
  fs_session_choose_block(s);
  if (plan) st = fs_session_view(s, words, plan, s->last_block);
  else fs_str_puts(words->out, "no plan yet\n");
  json_decref(plans);
  return st;
}

static enum fs_status assert_last(struct fs_session *s,
                                  struct fs_words *words) {
  json_t *plans = plans_to_show(s);
  enum fs_status st =
      fs_session_assert(s, words, json_array_get(plans, main_plan(s)));
  json_decref(plans);
  return st;
}

/* `:why slow [k1]`, unless a variable is called so. */
static enum fs_status why(struct fs_session *s, struct fs_words *words) {
  struct fs_interp_var v;
  bool slow = words->n && !strcmp(words->word[0], "slow");
  for (int k = 0; slow && fs_interp_var_at(s->in, k, &v); k++) slow = strcmp(v.name, "slow") != 0;
  if (!slow) return fs_session_why(s, words);
  json_t *plans = plans_to_show(s);
  enum fs_status st = fs_session_why_slow(s, words, json_array_get(plans, main_plan(s)));
  json_decref(plans);
  return st;
}

static enum fs_status compare_last(struct command *c) {
  json_t *plans = plans_to_show(c->s);
  if (plans) fs_session_diff(c->s, plans, main_plan(c->s), &c->out);
  else fs_str_puts(&c->out, "no plan yet\n");
  json_decref(plans);
  return FS_OK;
}

static bool is_one_of(const struct command *c, const char *const *words) {
  while (*words && !is(c, 0, *words)) words++;
  return *words;
}

static enum fs_status run_plan(struct command *c) {
  static const char *const drawn[] = {"graph", "dot", "mermaid", "svg", "html", NULL};
  static const char *const told[] = {"box",  "line", "all", "dump",
                                     "diff", "json", NULL};
  if (is_one_of(c, drawn)) return hand_over(c, draw_last);
  if (c->n && !is_one_of(c, told))
    return fail(c, "`:set plan line`, `box` or `off` says what is shown after "
                   "each input",
                "it is :plan box, line, all, graph, diff, json, dump, dot, mermaid, "
                "svg or html");
  if (c->n > 1)
    return fail(c, "graph, dot, mermaid, svg and html do", "this form takes no file");
  if (!c->n || is(c, 0, "box")) return show_last_plans(c, "box", false);
  if (is(c, 0, "line")) return show_last_plans(c, "line", false);
  if (is(c, 0, "all")) return show_last_plans(c, "box", true);
  if (is(c, 0, "dump")) return dump_last(c);
  if (is(c, 0, "diff")) return compare_last(c);
  json_t *plans = plans_to_show(c->s);
  char *text = plans ? json_dumps(plans, JSON_INDENT(2)) : NULL;
  json_decref(plans);
  fs_str_puts(&c->out, text ? text : "no plan yet");
  fs_str_puts(&c->out, "\n");
  free(text);
  return FS_OK;
}

/* -- :rules -- */

static enum fs_status run_rules(struct command *c) {
  struct fs_interp *in = c->s->in;
  const char *text;
  int n = 0;
  while (fs_interp_rule_at(in, n)) n++;
  int64_t k = c->n == 2 ? strtoll(c->word[1], NULL, 10) : 0;
  if (c->n == 2 && is(c, 0, "drop")) {
    if (k < 1 || k > n) return fail(c, ":rules lists them", "there is no rule of this number");
    fs_interp_rule_drop(in, (int)k - 1);
  } else if (c->n == 1 && is(c, 0, "clear")) {
    while (n) fs_interp_rule_drop(in, --n);
  } else if (c->n) {
    return fail(c, ":rules alone lists them", "it is :rules drop 1 or :rules clear");
  } else {
    if (!n) fs_str_puts(&c->out, "no rules: rule A.*X + Y -> f(A, X, Y) makes one\n");
    for (k = 0; (text = fs_interp_rule_at(in, (int)k)) != NULL; k++)
      fs_str_printf(&c->out, "%lld  %s\n", (long long)k + 1, text);
  }
  return FS_OK;
}

/* -- :explain -- */

enum { MOST_EXPLAINED = 8 };

static struct explained *find_explained(struct command *c) {
  for (int k = 0; k < c->explained.len; k++)
    if (c->explained.data[k].hash == c->hash) return &c->explained.data[k];
  return NULL;
}

/* Whether the block need not be planned: it was, or enough were. */
static bool is_explained(void *user, uint64_t hash) {
  struct command *c = user;
  c->hash = hash;
  return find_explained(c) || c->explained.len == MOST_EXPLAINED;
}

static json_t *explained_event(struct fs_session *s, struct fs_plan *plan) {
  fs_plan_price_unfused(plan, &fs_session_target(s)->device);
  fs_session_correct(s, plan);
  json_t *e = fs_plan_event(plan, &s->diags, fs_session_target(s));
  json_object_set_new(e, "form", json_string("box"));
  fs_pins_tell(s, plan);
  if (plan->kernels.len)
    json_object_set_new(e, "alternatives", fs_session_alternatives(s, plan, NULL, 3));
  return e;
}

/* A block that would run, or one more round of it. */
static void explain_graph(void *user, struct fs_graph *g, struct fs_layout *results) {
  struct command *c = user;
  struct fs_session *s = c->s;
  size_t bytes = sizeof *results * (size_t)g->outputs.len;
  if (c->refused) return;
  struct fs_plan *plan = fs_explain_graph(fs_session_runner(s), g, &s->diags,
                                          is_explained, c);
  if (plan) c->refused = fs_compile_fits(plan, &fs_session_target(s)->device, &s->diags);
  if (plan && !c->refused) {
    struct fs_layout *kept = fs_malloc(bytes + 1);
    memcpy(kept, plan->result_layout, bytes);
    json_t *e = explained_event(s, plan);
    *FS_PUSH(&c->explained) =
        (struct explained){.hash = c->hash, .event = e, .results = kept};
  }
  struct explained *x = find_explained(c);
  if (x) {
    x->rounds++;
    memcpy(results, x->results, bytes);
  } else {
    c->unexplained++;
  }
  if (plan) fs_plan_free(plan);
}

static void end_explaining(struct command *c, bool show) {
  struct fs_session *s = c->s;
  for (int k = 0; k < c->explained.len; k++) {
    struct explained *x = &c->explained.data[k];
    json_object_set_new(x->event, "rounds", json_integer(x->rounds));
    if (show)
      fs_session_emit(s, s->rich ? fs_session_rich_plan(s, x->event, NULL)
                                 : json_incref(x->event));
    json_decref(x->event);
    free(x->results);
  }
  FS_VEC_FREE(&c->explained);
}

static enum fs_status run_explain(struct command *c) {
  if (!*c->rest) return usage(c);
  enum fs_status st = fs_interp_explain(c->s->in, "<explain>", c->rest,
                                        strlen(c->rest), explain_graph, c);
  if (!st) st = c->refused;
  bool any = false;
  for (int k = 0; k < c->explained.len; k++)
    any |= json_array_size(json_object_get(c->explained.data[k].event, "kernels")) > 0;
  end_explaining(c, !st);
  if (!st && !any) fs_str_puts(&c->out, "this needs no kernel\n");
  if (!st && c->unexplained)
    fs_str_printf(&c->out, "other blocks would run %d more time%s\n", c->unexplained,
                  c->unexplained == 1 ? "" : "s");
  return st == FS_INCOMPLETE ? fail(c, NULL, "the statements end too early")
                             : st;
}

/* Commands that are a setting by another name; without a word they tell it. */
static enum fs_status change_setting(struct command *c, const char *name) {
  if (c->n > 1) return usage(c);
  if (c->n) return fs_setting_change(c->s, name, c->word[0], c->span);
  fs_str_printf(&c->out, "%s %s\n", name, fs_session_setting(c->s, name));
  return FS_OK;
}

static enum fs_status run_fuse(struct command *c) {
  if (c->n > 1 && is(c, 0, "off"))
    return fs_pins_remove(c->s, true, c->n - 1, c->word + 1, c->span, &c->out);
  if (c->n && !is(c, 0, "on") && !is(c, 0, "off"))
    return fs_pins_change(c->s, true, c->n, c->word, c->span, &c->out);
  if (c->n > 1) return usage(c);
  if (c->n) return change_setting(c, "fuse");
  change_setting(c, "fuse");
  fs_pins_list(c->s, &c->out);
  return FS_OK;
}

static enum fs_status run_split(struct command *c) {
  if (!c->n) fs_pins_list(c->s, &c->out);
  else if (is(c, 0, "off") && c->n > 1)
    return fs_pins_remove(c->s, false, c->n - 1, c->word + 1, c->span, &c->out);
  else if (is(c, 0, "off")) fs_pins_clear(c->s);
  else return fs_pins_change(c->s, false, c->n, c->word, c->span, &c->out);
  return FS_OK;
}

/* A choice of what is fused answers with what it makes of the last block. */
static enum fs_status answered(struct command *c, enum fs_status st) {
  if (!st && c->n && !(c->s->flags & FS_EVAL_SCRIPT)) fs_session_what_if(c->s, &c->out);
  return st;
}

static enum fs_status run_set_value(struct command *c) {
  if (!c->n) {
    fs_settings_list(c->s, &c->out);
    return FS_OK;
  }
  if (c->n > 2) return usage(c);
  if (c->n == 2)
    return fs_setting_change(c->s, c->word[0], c->word[1], c->span);
  const char *value = fs_session_setting(c->s, c->word[0]);
  if (!value) return fs_setting_change(c->s, c->word[0], "", c->span);
  fs_str_printf(&c->out, "%s %s\n", c->word[0], value);
  return FS_OK;
}

/* Other threads make another device of the CPU target, whose blocks are new. */
static enum fs_status run_set(struct command *c) {
  bool device = c->n == 2 && !(c->s->flags & FS_EVAL_SCRIPT) && is(c, 0, "threads");
  bool plan = c->n == 2 && (is(c, 0, "fuse") || is(c, 0, "strategy") || is(c, 0, "plan-effort"));
  struct fs_was *was = device ? fs_session_was(c->s) : NULL;
  enum fs_status st = run_set_value(c);
  if (plan) return answered(c, st);
  fs_session_put_now(c->s, was, st ? NULL : &c->out);
  return st;
}

/* -- the device -------------------------------------------------------------- */

static void put_line(struct fs_str *out, const char *name) {
  fs_str_printf(out, "  %-11s ", name);
}

static void put_rate(struct fs_str *out, double bytes_per_second) {
  fs_str_put_bytes(out, bytes_per_second);
  fs_str_puts(out, "/s");
}

static void put_device(struct command *c, const struct fs_device *d) {
  struct fs_str *out = &c->out;
  put_line(out, "device");
  fs_str_put_safe(out, d->name, strlen(d->name));
  fs_str_printf(out, ", %s, %d %s\n", d->arch, d->units,
                fs_device_has_warps(d) ? "multiprocessors" : "threads");
  put_line(out, "memory");
  fs_str_put_bytes(out, (double)d->memory_bytes);
  fs_str_puts(out, ", cache ");
  fs_str_put_bytes(out, (double)d->cache_bytes);
  if (fs_device_has_warps(d)) {
    fs_str_puts(out, ", on chip ");
    fs_str_put_bytes(out, (double)d->shared_bytes);
    fs_str_puts(out, " per block");
  }
  fs_str_puts(out, "\n");
  put_line(out, "limits");
  put_rate(out, d->bandwidth);
  fs_str_puts(out, " from memory, ");
  put_rate(out, d->cache_bandwidth);
  fs_str_puts(out, " from cache, ");
  fs_str_put_seconds(out, d->launch);
  fs_str_puts(out, " a kernel (before calibration)\n");
  if (fs_device_has_warps(d)) return;
  put_line(out, "LAPACK");
  fs_lapack_print(out);
  fs_str_puts(out, "\n");
  put_line(out, "FFT");
  fs_transform_print(out);
  fs_str_puts(out, "\n");
}

static void put_cuda_libraries(struct command *c) {
  const char *why = NULL;
  put_line(&c->out, "driver");
  bool driver = fs_cu_load(&why);
  if (driver)
    fs_str_printf(&c->out, "CUDA %d.%d\n", fs_cu_version() / 1000,
                  fs_cu_version() % 1000 / 10);
  else
    fs_str_printf(&c->out, "%s\n", why ? why : "not found");
  put_line(&c->out, "NVRTC");
  why = NULL;
  if (fs_nvrtc_load(driver ? fs_cu_version() : 0, &why))
    fs_str_printf(&c->out, "%d.%d, %s\n", fs_nvrtc_version() / 1000,
                  fs_nvrtc_version() % 1000 / 10, fs_nvrtc_path());
  else
    fs_str_printf(&c->out, "%s\n", why ? why : "not found");
}

static enum fs_status run_device(struct command *c) {
  struct fs_session *s = c->s;
  put_line(&c->out, "target");
  fs_str_puts(&c->out, s->target_name);
  if (s->wants_cuda)
    fs_str_puts(&c->out, " (opened when it is first needed)");
  fs_str_puts(&c->out, "\n");
  if (!s->wants_cuda) put_device(c, &fs_session_target(s)->device);
  put_cuda_libraries(c);
  int64_t hits, misses;
  fs_runner_cache_stats(fs_session_runner(s), &hits, &misses);
  put_line(&c->out, "blocks");
  fs_str_printf(&c->out, "%lld planned, %lld found again\n", (long long)misses,
                (long long)hits);
  return FS_OK;
}

static enum fs_status run_memory(struct command *c) {
  struct fs_target *t = fs_session_target(c->s);
  int64_t used = 0, cached = 0, available = 0;
  t->ops->memory(t, &used, &cached, &available);
  put_line(&c->out, "used");
  fs_str_put_bytes(&c->out, (double)used);
  fs_str_puts(&c->out, " by values, and by kernels to work in\n");
  put_line(&c->out, "peak");
  fs_str_put_bytes(&c->out, (double)t->peak);
  fs_str_puts(&c->out, " at most at once\n");
  put_line(&c->out, "kept");
  fs_str_put_bytes(&c->out, (double)cached);
  fs_str_puts(&c->out, " for reuse\n");
  put_line(&c->out, "free");
  fs_str_put_bytes(&c->out, (double)available);
  fs_str_printf(&c->out, " on %s\n", t->device.name);
  return FS_OK;
}

static enum fs_status forget_calibration(struct command *c) {
  struct fs_session *s = c->s;
  struct fs_str path = {0};
  bool had = fs_session_target(s)->device.calibration->measured;
  if (fs_calibration_path(&fs_session_target(s)->device, &path))
    unlink(path.data);
  fs_str_free(&path);
  fs_session_take_calibration(s, NULL);
  fs_str_puts(&c->out, had ? "forgotten; predictions are rough now\n"
                           : "there was no calibration\n");
  return FS_OK;
}

static void put_calibration_status(struct command *c) {
  struct fs_session *s = c->s;
  const struct fs_device *d = &fs_session_target(s)->device;
  struct fs_str path = {0};
  fs_str_printf(&c->out, "%s\n", d->name);
  if (d->calibration->measured) fs_calibration_report(d->calibration, &c->out);
  else fs_str_puts(&c->out, "  uncalibrated: `:calibrate` takes a minute\n");
  int kinds = fs_learned_count(fs_session_learned(s));
  put_line(&c->out, "learned");
  if (s->learn)
    fs_str_printf(&c->out, "corrections for %d kind%s of kernels\n", kinds,
                  kinds == 1 ? "" : "s");
  else
    fs_str_puts(&c->out, "nothing (learn is off)\n");
  if (fs_calibration_path(d, &path)) {
    put_line(&c->out, "file");
    fs_str_put_safe(&c->out, path.data, path.len);
    fs_str_puts(&c->out, "\n");
  }
  fs_str_free(&path);
}

static enum fs_status run_calibrate(struct command *c) {
  const struct fs_file_ctx raw = {.diags = &c->s->diags, .path = c->word[1],
                                  .span = c->span, .saving = true};
  if (is(c, 0, "raw") && c->n == 2)
    return fs_session_calibrate(c->s, false, &raw, &c->out);
  if (c->n > 1) return usage(c);
  if (!c->n) return fs_session_calibrate(c->s, false, NULL, &c->out);
  if (is(c, 0, "quick"))
    return fs_session_calibrate(c->s, true, NULL, &c->out);
  if (is(c, 0, "forget")) return forget_calibration(c);
  if (!is(c, 0, "status")) return usage(c);
  put_calibration_status(c);
  return FS_OK;
}

/* -- the session ------------------------------------------------------------- */

static enum fs_status run_clear(struct command *c) {
  if (c->n > 1 || (c->n && !is(c, 0, "wait"))) return usage(c);
  fs_session_emit(c->s, json_pack("{ss sb}", "event", "clear", "wait", c->n));
  return FS_OK;
}

/* Ends the evaluation like an interrupt; session.c tells the two apart. */
static enum fs_status run_quit(struct command *c) {
  c->s->quit = true;
  return FS_INTERRUPTED;
}

static enum fs_status run_elem(struct command *c) {
  bool wrong;
  enum fs_status st =
      fs_session_elem(c->s, c->n, c->word, c->span, &c->out, &wrong);
  return wrong ? usage(c) : st;
}

static enum fs_status run_kernel(struct command *c) {
  struct fs_str how = {0};
  int n = 1; /* words in front of those that say how */
  while (n < c->n && strcmp(c->word[n], "asis") && !strchr(c->word[n], '=')) n++;
  if (c->n < 1 || n > 2) return usage(c);
  for (int k = n; k < c->n; k++) fs_str_printf(&how, "%s ", c->word[k]);
  enum fs_status st = fs_interp_kernels(c->s->in, c->word[0], n > 1 ? c->word[1] : NULL,
                                        how.len ? fs_str_text(&how) : NULL, c->span, &c->out);
  fs_str_free(&how);
  return st;
}

/* Plans of the last block, or a kernel of a file that is called. */
static enum fs_status run_race(struct command *c) {
  if (strchr(c->rest, '(')) return fs_session_race(c->s, c->rest, c->span, &c->out);
  return hand_over(c, fs_session_race_plans);
}

/* What measures one device, or moves everything to another. */
static bool is_for_one(const struct command *c) {
  return c->what->id == FS_CMD_CALIBRATE || c->what->id == FS_CMD_TARGET ||
         (c->what->id == FS_CMD_RACE && strchr(c->rest, '('));
}

static enum fs_status dispatch(struct command *c) {
  if (fs_ranks() > 1 && is_for_one(c))
    return fs_error(&c->s->diags, c->span, "on-ranks", "a session of one device has it",
                    "this command is not there on several ranks");
  switch (c->what->id) {
    case FS_CMD_HELP: return run_help(c);
    case FS_CMD_VARS: return run_vars(c);
    case FS_CMD_DEVICE: return run_device(c);
    case FS_CMD_MEMORY: return run_memory(c);
    case FS_CMD_PLAN: return run_plan(c);
    case FS_CMD_EXPLAIN: return run_explain(c);
    case FS_CMD_ALTERNATIVES: return hand_over(c, fs_session_show_alternatives);
    case FS_CMD_WHY: return hand_over(c, why);
    case FS_CMD_RULES: return run_rules(c);
    case FS_CMD_ASSERT: return hand_over(c, assert_last);
    case FS_CMD_CODE: return hand_over(c, fs_session_code);
    case FS_CMD_EXPORT_KERNEL: return hand_over(c, fs_session_export);
    case FS_CMD_DUMP: return hand_over(c, fs_session_dump_last);
    case FS_CMD_CACHE: return hand_over(c, fs_session_cache);
    case FS_CMD_TUNE: return hand_over(c, fs_session_tune);
    case FS_CMD_RACE: return run_race(c);
    case FS_CMD_AGAIN: return hand_over(c, fs_session_again);
    case FS_CMD_CHECK: return hand_over(c, fs_session_check);
    case FS_CMD_FUSE: return answered(c, run_fuse(c));
    case FS_CMD_SPLIT: return answered(c, run_split(c));
    case FS_CMD_PIN: return answered(c, hand_over(c, fs_session_pin));
    case FS_CMD_UNPIN: return answered(c, hand_over(c, fs_session_unpin));
    case FS_CMD_BLOCK: return hand_over(c, fs_session_choose_number);
    case FS_CMD_CHOOSE: return hand_over(c, fs_session_choose);
    case FS_CMD_STRATEGY: return answered(c, change_setting(c, "strategy"));
    case FS_CMD_TARGET: return change_setting(c, "target");
    case FS_CMD_CALIBRATE: return run_calibrate(c);
    case FS_CMD_TIME: return change_setting(c, "time");
    case FS_CMD_LOAD: return run_load(c);
    case FS_CMD_SAVE: return run_save(c);
    case FS_CMD_ELEM: return is(c, 1, "impl") ? answered(c, run_elem(c)) : run_elem(c);
    case FS_CMD_KERNEL: return run_kernel(c);
    case FS_CMD_DROP: return run_drop(c);
    case FS_CMD_SHOW: return run_show(c);
    case FS_CMD_TOUR: return hand_over(c, fs_session_tell_tour);
    case FS_CMD_EXAMPLES: return hand_over(c, fs_session_examples);
    case FS_CMD_EDIT: return c->n > 1 ? usage(c) : fail(c, NULL, "it needs the prompt at a terminal");
    case FS_CMD_RESET: return run_reset(c);
    case FS_CMD_SET: return run_set(c);
    case FS_CMD_CLEAR: return run_clear(c);
    case FS_CMD_HISTORY: return hand_over(c, fs_session_history);
    case FS_CMD_QUIT: return run_quit(c);
    default: return FS_OK;
  }
}

/* -- taking a line apart ------------------------------------------------------- */

static bool split(struct command *c) {
  char *p = c->text, *to = c->text;
  for (;;) {
    while (*p == ' ' || *p == '\t') p++;
    if (!*p) return true;
    if (c->n == MAX_WORDS) return false;
    c->word[c->n++] = to;
    bool quoted = *p == '"';
    p += quoted;
    while (*p && (quoted ? *p != '"' : *p != ' ' && *p != '\t')) *to++ = *p++;
    if (quoted && !*p) return false;
    bool more = *p != 0;
    *to++ = 0;
    if (!more) return true;
    p++;
  }
}

static enum fs_status inspect(struct fs_session *s, const char *line,
                              struct fs_span span) {
  int detail = line[1] == '?';
  const char *name = line + 1 + detail;
  struct fs_str out = {0};
  while (*name == ' ' || *name == '\t') name++;
  if (!*name) return fs_session_command(s, ":help", span);
  char *word = asked_about(name);
  bool found = (strpbrk(word, "*") && fs_session_put_functions(s, word, &out)) ||
               fs_session_describe(s, word, detail, &out) || put_command(word, &out) ||
               put_topic(s, word, &out);
  if (found) fs_session_say(s, "stdout", fs_str_text(&out), out.len);
  enum fs_status st = found ? FS_OK : not_known(s, word, span);
  fs_str_free(&out);
  free(word);
  return st;
}

static enum fs_status unknown(struct fs_session *s, struct fs_span span,
                              const char *name, size_t len,
                              const struct fs_str *words) {
  return fs_error(&s->diags, span, "unknown-command",
                  words->len ? fs_str_text(words) : "see :help",
                  "there is no command :%.*s", (int)FS_MIN(len, 40), name);
}

bool fs_session_changes(const char *line) {
  struct fs_str words = {0};
  const struct fs_command *c = *line == ':' ? fs_command_find(line + 1, strcspn(line + 1, " \t"),
                                                              &words) : NULL;
  fs_str_free(&words);
  return c && fs_command_has(c, 'S');
}

enum fs_status fs_session_command(struct fs_session *s, const char *line,
                                  struct fs_span span) {
  if (*line == '?') return inspect(s, line, span);
  const char *name = line + 1;
  size_t len = strcspn(name, " \t");
  struct fs_str words = {0};
  if (*name == '?') return fs_session_command(s, ":help", span);
  struct command *c = fs_calloc(1, sizeof *c);
  *c = (struct command){.s = s, .span = span, .rest = name + len};
  c->what = fs_command_find(name, len, &words);
  c->text = fs_strdup(c->rest);
  while (*c->rest == ' ' || *c->rest == '\t') c->rest++;
  enum fs_status st = FS_OK;
  if (!c->what)
    st = unknown(s, span, name, len, &words);
  else if (c->what->id != FS_CMD_EXPLAIN && !split(c))
    st = fail(c, NULL, "a quote is open, or there are too many words");
  else if (!*c->what->args && *c->rest)
    st = fail(c, NULL, "it takes no words");
  if (!st && fs_command_has(c->what, 'D')) st = fs_session_ready(s);
  if (!st) st = dispatch(c);
  fs_session_answer(s, "stdout", &c->out);
  fs_str_free(&c->out);
  fs_str_free(&words);
  free(c->text);
  free(c);
  return st;
}
