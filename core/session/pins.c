/* pins.c - `:fuse a b` and `:split a b`: pairs of statements that the user
 * keeps together or apart, for the session. */
#include <ctype.h>

#include "core/session/internal.h"

#include "core/plan/plan.h"

static bool is_statement(const char *word) {
  char *end;
  long number = strtol(word, &end, 10);
  if (*word && !*end) return number > 0;
  return fs_is_identifier(word) && strcmp(word, "on") && strcmp(word, "off");
}

static bool same_pair(const struct fs_named_pin *p, const char *a,
                      const char *b) {
  return (!strcmp(p->a, a) && !strcmp(p->b, b)) ||
         (!strcmp(p->a, b) && !strcmp(p->b, a));
}

static void remove_at(struct fs_session *s, int k) {
  free((char *)(uintptr_t)s->pins.data[k].a);
  free((char *)(uintptr_t)s->pins.data[k].b);
  s->pins.len--;
  memmove(&s->pins.data[k], &s->pins.data[k + 1],
          sizeof *s->pins.data * (size_t)(s->pins.len - k));
}

/* The later word on a pair is the one that counts. */
static void set_pin(struct fs_session *s, const char *a, const char *b,
                    bool together) {
  for (int k = 0; k < s->pins.len; k++)
    if (same_pair(&s->pins.data[k], a, b)) remove_at(s, k--);
  char *first = fs_strdup(a), *second = fs_strdup(b);
  *FS_PUSH(&s->pins) = (struct fs_named_pin){first, second, together};
}

void fs_pins_apply(struct fs_session *s) {
  struct fs_runner *runners[] = {s->cpu.runner, s->cuda.runner};
  for (int k = 0; k < 2; k++) {
    if (!runners[k]) continue;
    fs_runner_options(runners[k])->pins = s->pins.data;
    fs_runner_options(runners[k])->n_pins = s->pins.len;
    fs_runner_options(runners[k])->kernel_pins = s->kernel_pins.data;
    fs_runner_options(runners[k])->n_kernel_pins = s->kernel_pins.len;
  }
}

void fs_pins_clear(struct fs_session *s) {
  while (s->pins.len) remove_at(s, s->pins.len - 1);
  FS_VEC_FREE(&s->pins);
  fs_pins_apply(s);
}

void fs_pins_list(const struct fs_session *s, struct fs_str *out) {
  if (!s->pins.len) fs_str_puts(out, "no statements are pinned\n");
  for (int k = 0; k < s->pins.len; k++) {
    const struct fs_named_pin *p = &s->pins.data[k];
    fs_str_printf(out, "  :%s %s %s\n", p->together ? "fuse" : "split", p->a,
                  p->b);
  }
}

json_t *fs_pins_json(const struct fs_session *s, const struct fs_graph *g) {
  json_t *list = json_array();
  for (int k = 0; k < s->pins.len; k++) {
    const struct fs_named_pin *p = &s->pins.data[k];
    if (!fs_graph_statement(g, &s->diags, p->a) || !fs_graph_statement(g, &s->diags, p->b)) continue;
    json_array_append_new(list, json_pack("{ss s[ss]}", "do", p->together ? "fuse" : "split",
                                          "statements", p->a, p->b));
  }
  return list;
}

static bool is_name_byte(char c) {
  return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Whether statements stand in the line: also those that were explained. */
static bool has_statements(const char *line) {
  static const char explain[] = ":explain";
  line += strspn(line, " \t");
  return *line != ':' || !strncmp(line, explain, sizeof explain - 1);
}

/* Whether an input has the word as a name: in another place than the command itself. */
static bool is_mentioned(const struct fs_session *s, const char *word, struct fs_span command) {
  size_t len = strlen(word);
  for (int k = 1; k < s->diags.sources.len; k++) {
    const struct fs_source *source = &s->diags.sources.data[k];
    if (source->name && !strcmp(source->name, "prelude.fs")) continue;
    for (const char *at = source->text; (at = strstr(at, word)); at += len) {
      size_t place = (size_t)(at - source->text);
      bool whole = (!place || !is_name_byte(at[-1])) && !is_name_byte(at[len]);
      bool here = (uint32_t)k == command.source && place >= command.begin && place < command.end;
      const char *line = at;
      while (line > source->text && line[-1] != '\n') line--;
      if (whole && !here && has_statements(line)) return true;
    }
  }
  return false;
}

static enum fs_status check_words(struct fs_session *s, const char *name, int n,
                                  const char *const *words, struct fs_span span) {
  for (int k = 0; k < n; k++) {
    if (!is_statement(words[k]))
      return fs_error(&s->diags, span, "bad-pin",
                      "variables that statements assign, or their numbers",
                      ":%s: '%s' cannot name a statement", name, words[k]);
    for (int j = 0; j < k; j++)
      if (!strcmp(words[k], words[j]))
        return fs_error(&s->diags, span, "bad-pin", NULL,
                        ":%s: %s is named twice", name, words[k]);
    if (n > 1 && fs_is_identifier(words[k]) && !is_mentioned(s, words[k], span))
      return fs_error(&s->diags, span, "bad-pin",
                      "run the block first; the names are those that its statements assign",
                      ":%s: no statement has assigned '%.100s'", name, words[k]);
  }
  if (n >= 2) return FS_OK;
  return fs_error(&s->diags, span, "bad-pin", ":fuse q s or :split q s; `:split off q s` takes one back, `:split off` "
                  "all; of all statements it is :fuse on, :fuse off",
                  ":%s takes two statements or more", name);
}

enum fs_status fs_pins_change(struct fs_session *s, bool together, int n,
                              const char *const *words, struct fs_span span,
                              struct fs_str *out) {
  enum fs_status st = check_words(s, together ? "fuse" : "split", n, words, span);
  if (st != FS_OK) return st;
  for (int k = 1; k < n; k++) /* every pair: a block may have some of them only */
    for (int j = 0; j < k; j++) set_pin(s, words[j], words[k], together);
  fs_pins_apply(s);
  if (s->flags & FS_EVAL_SCRIPT) return FS_OK;
  for (int k = 0; k < n; k++)
    fs_str_printf(out, "%s%s", k ? k == n - 1 ? " and " : ", " : "", words[k]);
  fs_str_puts(out, together ? " share a kernel from now on, in blocks that have both"
                            : " are kept in kernels of their own from now on");
  fs_str_printf(out, "; `:%s off", together ? "fuse" : "split");
  for (int k = 0; k < n; k++) fs_str_printf(out, " %s", words[k]);
  fs_str_puts(out, "` takes it back\n");
  return FS_OK;
}

enum fs_status fs_pins_remove(struct fs_session *s, bool together, int n,
                              const char *const *words, struct fs_span span,
                              struct fs_str *out) {
  const char *name = together ? "fuse" : "split";
  int removed = 0;
  enum fs_status st = check_words(s, name, n, words, span);
  for (int k = 1; k < n && st == FS_OK; k++)
    for (int j = 0; j < k; j++)
      for (int i = s->pins.len - 1; i >= 0; i--) {
        const struct fs_named_pin *p = &s->pins.data[i];
        if (p->together != together || !same_pair(p, words[j], words[k])) continue;
        remove_at(s, i);
        removed++;
      }
  if (st == FS_OK && !removed)
    return fs_error(&s->diags, span, "bad-pin", ":split lists the pins",
                    ":%s off: there is no such pin", name);
  fs_pins_apply(s);
  if (st == FS_OK) fs_pins_list(s, out);
  return st;
}

/* -- pins that a block does not follow ----------------------------------------- */

static void put_statement(const struct fs_plan *plan, fs_id id,
                          const struct fs_diags *sources, struct fs_str *out) {
  fs_str_puts(out, "`");
  if (id) fs_statement_put(sources, fs_node(plan->graph, id)->stmt, out);
  fs_str_puts(out, "`");
}

static void tell(struct fs_session *s, const struct fs_plan *plan,
                 const struct fs_pin_result *r) {
  const struct fs_named_pin *named = &s->pins.data[r->pin.tag];
  struct fs_str why = {0}, hint = {0};
  if (r->rule == FS_RULE_PIN) {
    fs_str_puts(&why, "an earlier pin says the opposite");
  } else {
    put_statement(plan, r->a, &s->diags, &why);
    fs_str_puts(&why, " and ");
    put_statement(plan, r->b, &s->diags, &why);
    fs_str_puts(&why, " cannot share a kernel");
  }
  fs_str_printf(&hint, ":why %s %s says more", named->a, named->b);
  fs_warn(&s->diags, (struct fs_span){0}, "pin-not-kept", fs_str_text(&hint),
          ":%s %s %s is not followed here (%s%s%s): %s",
          named->together ? "fuse" : "split", named->a, named->b, fs_rule_names[r->rule],
          r->between_rule ? ", " : "", fs_rule_names[r->between_rule],
          fs_str_text(&why));
  fs_str_free(&why);
  fs_str_free(&hint);
}

static void tell_kernels(struct fs_session *s, const struct fs_plan *plan) {
  for (int k = 0; k < plan->found->kernel_pins.len; k++) {
    const struct fs_kernel_pin_result *r = &plan->found->kernel_pins.data[k];
    struct fs_str words = {0};
    if (r->kernel >= 0) continue;
    fs_traits_put(r->pin.value, &words);
    fs_warn(&s->diags, (struct fs_span){0}, "pin-not-kept",
            ":unpin forgets it; :fuse, :split and :strategy decide first",
            ":pin %s is not followed here: the plan has no such kernel",
            fs_str_text(&words));
    fs_str_free(&words);
  }
}

void fs_pins_tell(struct fs_session *s, const struct fs_plan *plan) {
  for (int k = 0; k < plan->found->pins.len; k++) {
    const struct fs_pin_result *r = &plan->found->pins.data[k];
    if (r->rule && r->pin.tag < s->pins.len) tell(s, plan, r);
  }
  tell_kernels(s, plan);
}
