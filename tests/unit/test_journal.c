/* test_journal.c - the journal of a session: which inputs it keeps, what they read, and
 * what it says of those that cannot be as they were. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/worker/journal.h"
#include "core/worker/worker.h"
#include "tests/unit/check.h"

/* -- inputs that are kept ---------------------------------------------------- */

static void add(struct fs_journal *j, const char *text, const char *changes) {
  struct fs_entry *e = fs_entry_new(FS_ENTRY_EVAL, "<j>", text, strlen(text),
                                    0);
  json_t *state = json_object(), *vars = json_object();
  for (const char *at = changes; *at;) {
    size_t n = strcspn(at, " ");
    bool function = at[n - 1] == '!'; /* "f!": it is a function */
    json_object_setn_new(vars, at, n - function,
                         json_pack("{ss}", "kind", function ? "function" : ""));
    at += n + (at[n] == ' ');
  }
  json_object_set_new(state, "changed", json_boolean(*changes));
  json_object_set_new(state, "vars", vars);
  json_t *set = json_object();
  for (const char *at = strstr(text, ":set "); at; at = strstr(at + 1, ":set "))
    json_object_setn_new(set, at + 5, strcspn(at + 5, " "), json_string(""));
  json_object_set_new(state, "settings", set);
  fs_entry_outcome(e, 0, 0.5, state);
  json_decref(state);
  fs_journal_add(j, e);
}

static bool is(const struct fs_journal *j, const char *texts) {
  struct fs_str s = {0};
  for (int k = 0; k < j->list.len; k++)
    fs_str_printf(&s, "%s%s", k ? " | " : "", j->list.data[k]->text);
  bool same = !strcmp(fs_str_text(&s), texts);
  if (!same) printf("the journal is: %s\n", fs_str_text(&s));
  fs_str_free(&s);
  return same;
}

static void test_journal(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "a = 1", "a");
  add(&j, "b = a + 1", "b");
  add(&j, "a = 2", "a");
  add(&j, "c = 5", "c");
  add(&j, "c = 6", "c");
  fs_journal_prune(&j);
  check(is(&j, "a = 1 | b = a + 1 | a = 2 | c = 6"), "what is read is kept");
  add(&j, "b = 3", "b");
  fs_journal_prune(&j);
  check(is(&j, "a = 2 | c = 6 | b = 3"), "until nothing is made of it");
  add(&j, "x = rand(3)", "x");
  add(&j, "x[2] = 1", "x");
  add(&j, "f(t) = t + c", "f!");
  add(&j, "c = 8", "c");
  add(&j, "y = f(x)", "y");
  add(&j, "c = 9", "c");
  fs_journal_prune(&j);
  check(is(&j, "a = 2 | c = 6 | b = 3 | x = rand(3) | x[2] = 1 | f(t) = t + c "
               "| c = 8 | y = f(x) | c = 9"),
        "a part is assigned, and a function reads globals");
  add(&j, "g = f", "g!");
  add(&j, "c = 1", "c");
  add(&j, "z = g(2)", "z");
  add(&j, "c = 2", "c");
  add(&j, "z = g(3)", "z");
  add(&j, "y = 0; c = 0", "y c");
  fs_journal_prune(&j);
  check(is(&j, "a = 2 | c = 6 | b = 3 | x = rand(3) | x[2] = 1 "
               "| f(t) = t + c | c = 9 | g = f | c = 2 | z = g(3) "
               "| y = 0; c = 0"),
        "a function by another name reads them when it is called");
  fs_journal_clear(&j);
  add(&j, "h(t) = t + 1; q = h(2); q = [1; q]", "h! q");
  add(&j, "h(t) = t + 2; q = h(3); k = [1;k]", "h! q k");
  fs_journal_prune(&j);
  check(is(&j, "h(t) = t + 2; q = h(3); k = [1;k]"),
        "a text that first defines what it reads");
  add(&j, ":set width 50", "");
  add(&j, ":set width 60", "");
  add(&j, ":set digits 3", "");
  check(j.list.len == 3, "a setting is kept once: %d", j.list.len);
  fs_journal_reset(&j);
  check(is(&j, ":set width 60 | :set digits 3"), "after :reset");
  fs_journal_clear(&j);
}

/* What a text reads is what its tree says, not its words. */
static void test_uses(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "x = 5;", "x");
  add(&j, "begin\n  a = 1 # old; x = 0\n  b = a + x\nend", "a b");
  add(&j, "x = 7;", "x");
  fs_journal_prune(&j);
  check(j.list.len == 3, "a comment gives no value");
  fs_journal_clear(&j);
  add(&j, "k = 5; s = 0;", "k s");
  add(&j, "for k = 1:k; s = s + k; end", "k s");
  fs_journal_prune(&j);
  check(j.list.len == 2, "the range of a loop is read before its counter has a value");
  fs_journal_clear(&j);
  add(&j, "a = 1", "a");
  add(&j, "if c; a = 2; end; b = a", "b");
  add(&j, "a = 3", "a");
  fs_journal_prune(&j);
  check(j.list.len == 3, "a branch may not give one");
  fs_journal_clear(&j);
  add(&j, "a = 1", "a");
  add(&j, "b = \"a\"; c = map(a -> a*2, [1, 2])", "b c");
  add(&j, "a = 3", "a");
  fs_journal_prune(&j);
  check(is(&j, "b = \"a\"; c = map(a -> a*2, [1, 2]) | a = 3"),
        "texts and parameters read nothing");
  fs_journal_clear(&j);
  add(&j, "a = 1", "a");
  add(&j, "g = t -> t + a", "g!");
  add(&j, "b = g(2)", "b");
  add(&j, "a = 3", "a");
  fs_journal_prune(&j);
  check(j.list.len == 4, "a lambda reads when it is called");
  fs_journal_clear(&j);
  add(&j, "x = 1\n  :set digits 3", "x");
  add(&j, "x = 2", "x");
  fs_journal_prune(&j);
  check(j.list.len == 2, "an indented command is one");
  fs_journal_clear(&j);
  add(&j, ":set width 60\n:set digits 3", "");
  add(&j, ":set width 90", "");
  check(j.list.len == 2, "of two settings one stays");
  add(&j, ":set width 70\n:set fold on", "");
  check(is(&j, ":set width 60\n:set digits 3 | :set width 70\n:set fold on"),
        "more settings take the place of fewer");
  fs_journal_clear(&j);
}

/* Many functions in one text are gone over once, not once for each. */
static void test_many_functions(void) {
  struct fs_journal j = {.seconds = 0};
  struct fs_str text = {0}, names = {0};
  for (int k = 0; k < 2000; k++) {
    fs_str_printf(&text, "%sf%d(x) = x * %d + g%d(x)", k ? "\n" : "", k, k, k % 10);
    fs_str_printf(&names, "%sf%d!", k ? " " : "", k);
  }
  add(&j, fs_str_text(&text), fs_str_text(&names));
  double begun = fs_now();
  fs_journal_prune(&j);
  double seconds = fs_now() - begun;
  check(j.list.len == 1, "all are kept");
  check(seconds < 2, "in no more than %.1f s", seconds);
  fs_journal_clear(&j);
  fs_str_free(&text);
  fs_str_free(&names);
}

/* -- what a rebuilding wants to know ----------------------------------------- */

/* An entry to which this came: the state is given. */
static struct fs_entry *entry(enum fs_entry_kind kind, const char *text, int result,
                              json_t *state) {
  struct fs_entry *e = fs_entry_new(kind, "<j>", text, strlen(text), 0);
  fs_entry_outcome(e, result, 0.5, state);
  json_decref(state);
  return e;
}

static json_t *changes(const char *name, const char *kind) {
  return json_pack("{s:b, s:{s:{s:s}}}", "changed", 1, "vars", name, "kind", kind);
}

/* What a text may do, whatever its names say. */
static void test_opaque(void) {
  static const struct { enum fs_entry_kind kind; const char *text; int result; bool opaque; }
  cases[] = {
    {FS_ENTRY_EVAL, "x = 1", 0, false},
    {FS_ENTRY_DEFINE, "1", 0, true},
    {FS_ENTRY_SET, "1", 0, true},
    {FS_ENTRY_EVAL, "x = 1", FS_RESULT_ERROR, true}, /* it ended in the middle */
    {FS_ENTRY_EVAL, ":time x = 1", 0, true},
    {FS_ENTRY_EVAL, "import \"part.fs\"", 0, true},
    {FS_ENTRY_EVAL, "x = (", 0, true}};              /* it cannot be read */
  for (size_t k = 0; k < FS_LEN(cases); k++) {
    struct fs_entry *e = entry(cases[k].kind, cases[k].text, cases[k].result,
                               changes("x", ""));
    check(fs_entry_is_opaque(e) == cases[k].opaque, "`%s` %d", cases[k].text,
          cases[k].result);
    fs_entry_free(e);
  }
  struct fs_entry *e = entry(FS_ENTRY_EVAL, "x = (", 0, changes("x", ""));
  check(fs_entry_uses(e)->commands && fs_entry_uses(e)->outside,
        "what cannot be read may do anything");
  fs_entry_free(e);
  e = entry(FS_ENTRY_EVAL, "x = a", 0, changes("x", ""));
  const struct fs_entry_uses *uses = fs_entry_uses(e);
  char **reads = uses->reads;
  check(fs_entry_uses(e)->reads == reads && !strcmp(reads[0], "a") && !reads[1],
        "a text is read once");
  fs_entry_free(e);
}

static json_t *file_of(const char *path) {
  static const char digits[] = "0123456789abcdef";
  struct fs_str hex = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct fs_stamp stamp = fs_stamp_open(fd, fs_strdup(path));
  int64_t v[FS_STAMP_NUMBERS];
  for (const unsigned char *p = (const unsigned char *)path; *p; p++)
    fs_str_printf(&hex, "%c%c", digits[*p >> 4], digits[*p & 15]);
  check(stamp.there, "a file");
  fs_stamp_numbers(&stamp, v);
  json_t *list = json_pack("[s]", fs_str_text(&hex));
  for (int k = 0; k < FS_STAMP_NUMBERS; k++) json_array_append_new(list, json_integer(v[k]));
  fs_str_free(&hex);
  free(stamp.path);
  close(fd);
  return list;
}

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (f) fputs(text, f), fclose(f);
}

static void says(const struct fs_entry *e, const char *wanted) {
  struct fs_str s = {0};
  fs_entry_put_files(e, &s);
  check(!strcmp(fs_str_text(&s), wanted), "`%s` not `%s`", fs_str_text(&s), wanted);
  fs_str_free(&s);
}

static void test_files(void) {
  const char *base = getenv("TMPDIR");
  char folder[240], a[256], b[256], words[600];
  snprintf(folder, sizeof folder, "%.150s/fusible-\xff-XXXXXX", base ? base : "/tmp");
  if (!check(mkdtemp(folder) != NULL, "a folder")) return;
  snprintf(a, sizeof a, "%s/a", folder);
  snprintf(b, sizeof b, "%s/b", folder);
  write_file(a, "one"), write_file(b, "two");
  json_t *state = json_pack("{s:b, s:[o, o, [i]]}", "changed", 1, "files", file_of(a),
                            file_of(b), 7);
  struct fs_entry *e = entry(FS_ENTRY_EVAL, "x = 1", 0, state);
  check(e->files.len == 2 && fs_entry_is_opaque(e), "an input that read files");
  says(e, "");
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, b, strlen(b));
  write_file(b, "other");
  snprintf(words, sizeof words, ", %s has changed", fs_str_text(&safe));
  says(e, words);
  unlink(b);
  snprintf(words, sizeof words, ", %s is gone", fs_str_text(&safe));
  says(e, words);
  state = json_pack("{s:[o]}", "files", file_of(a));
  fs_entry_replayed(e, state);
  json_decref(state);
  check(e->files.len == 1, "what it reads the next time counts from then on");
  says(e, "");
  fs_str_free(&safe);
  fs_entry_free(e);
  unlink(a);
  rmdir(folder);
}

/* Names that were removed, functions, times and answers. */
static void test_outcome(void) {
  json_t *state = json_pack("{s:b, s:{s:{s:s}, s:{s:s}}, s:[s, i], s:[f, f], s:[s], s:i}",
                            "changed", 1, "vars", "f", "kind", "function", "x", "kind",
                            "tensor", "gone", "y", 3, "times", 1.5, 2.5, "answers", "yes",
                            "times_told", 7);
  struct fs_entry *e = fs_entry_new(FS_ENTRY_EVAL, "<j>", "a\0b", 3, 5);
  check(e->len == 3 && !memcmp(e->text, "a\0b", 4) && e->flags == 5, "any bytes");
  fs_entry_outcome(e, 1, 0.25, state);
  check(!strcmp(e->changed[0], "f") && !strcmp(e->changed[1], "x") &&
            !strcmp(e->changed[2], "y") && !e->changed[3], "names that it changed");
  check(!strcmp(e->functions[0], "f") && !e->functions[1], "functions of these");
  check(json_array_size(e->times) == 2 && e->timed == 7, "times");
  check(json_array_size(e->answers) == 1, "answers");
  check(e->result == 1 && e->seconds == 0.25 && !e->settings, "how it ended");
  check(fs_entry_matters(e, state), "it matters");
  json_decref(state);
  state = json_pack("{s:b, s:{}}", "changed", 0, "settings");
  fs_entry_outcome(e, 0, 0.5, state);
  check(!*e->changed && e->settings && !fs_entry_matters(e, state), "it only displayed");
  json_decref(state);
  state = json_pack("{s:b, s:{s:s}}", "changed", 0, "settings", "width", "50");
  fs_entry_outcome(e, 0, 0.5, state);
  check(e->settings && fs_entry_matters(e, state), "a setting matters");
  json_decref(state);
  fs_entry_free(e);
}

static bool planned_as(json_t *before, json_t *now) {
  struct fs_entry *e = entry(FS_ENTRY_EVAL, "x = 1", 0, json_pack("{s:o*}", "planned", before));
  json_t *state = json_pack("{s:o*}", "planned", now);
  bool same = fs_entry_is_planned_as(e, state);
  json_decref(state);
  fs_entry_free(e);
  return same;
}

static void test_planned(void) {
  check(planned_as(NULL, NULL) && planned_as(NULL, json_pack("[f,i]", 1.0, 2)),
        "an input without a block");
  check(planned_as(json_pack("[f,i]", 1.0, 2), NULL), "and one that runs none now");
  check(planned_as(json_pack("[f,i]", 1.0, 2), json_pack("[f,i]", 1.0 + 1e-9, 2)), "the same");
  check(!planned_as(json_pack("[f,i]", 1.0, 2), json_pack("[f,i]", 1.001, 2)), "a cost is up");
  check(!planned_as(json_pack("[f,i]", 1.0, 2), json_pack("[f,i]", 0.999, 2)), "or down");
  check(!planned_as(json_pack("[f,i]", 1.0, 2), json_pack("[f,i]", 1.0, 3)), "tuned since");
  check(!planned_as(json_pack("[f,i]", 1.0, 2), json_pack("[f,i]", 1.0, 1)), "or before");
}

/* Whether the last input reads one of the names, given apart by blanks. */
static bool reads(struct fs_journal *j, const char *names) {
  json_t *set = json_object(), *functions = fs_journal_functions(j);
  for (const char *at = names; *at; at += strspn(at, " ")) {
    size_t n = strcspn(at, " ");
    json_object_setn_new(set, at, n, json_true());
    at += n;
  }
  bool found = fs_entry_reads(j->list.data[j->list.len - 1], set, functions);
  json_decref(set);
  json_decref(functions);
  return found;
}

static void test_reads(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "f(t) = t + a", "f!");
  add(&j, "g(t) = f(t) + b", "g!");
  add(&j, "y = x + g(c)", "y");
  check(reads(&j, "a") && reads(&j, "b") && reads(&j, "c") && reads(&j, "x"),
        "what it reads, and what its functions do");
  check(!reads(&j, "t") && !reads(&j, "y") && !reads(&j, ""), "nothing else");
  check(reads(&j, "q a") && reads(&j, "a q"), "one of several");
  add(&j, "g(t) = 2*t", "g!");
  add(&j, "y = g(c)", "y");
  check(reads(&j, "b") && !reads(&j, "x"), "all texts that defined a function count");
  add(&j, "h(t) = h(t - 1)*k(t)", "h!");
  add(&j, "k(t) = h(t) + d", "k!");
  add(&j, "z = map(t -> k(t) + e, [1])", "z");
  check(reads(&j, "d") && reads(&j, "e"), "functions that call each other, and lambdas");
  fs_journal_clear(&j);
}

static void add_state(struct fs_journal *j, enum fs_entry_kind kind, const char *text,
                      json_t *state) {
  fs_journal_add(j, entry(kind, text, 0, state));
}

/* What a :reset takes away, and what stays. */
static void test_reset(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "x = 1", "x");
  add(&j, ":time y = 1", "y");
  add(&j, ":load \"a.npy\"", "z");
  add_state(&j, FS_ENTRY_EVAL, ":load \"b.npy\"",
            json_pack("{s:b, s:{s:{}}, s:[[s,i]]}", "changed", 1, "vars", "u", "files", "61", 0));
  add_state(&j, FS_ENTRY_DEFINE, "1", json_pack("{s:b}", "changed", 1));
  add_state(&j, FS_ENTRY_SET, "50",
            json_pack("{s:b, s:{s:s}}", "changed", 0, "settings", "width", "50"));
  add(&j, ":fuse 1 2", "");
  check(fs_journal_inputs(&j) == 5, "inputs that one waits for: %d", fs_journal_inputs(&j));
  check(j.seconds == 3.5, "%g seconds in all", j.seconds);
  fs_journal_reset(&j);
  check(is(&j, ":time y = 1 | :load \"a.npy\" | 50 | :fuse 1 2"), "after :reset");
  check(j.seconds == 2, "%g seconds are left", j.seconds);
  add(&j, "w = 1", "w");
  fs_journal_keep_settings(&j);
  check(is(&j, "50 | :fuse 1 2"), "settings alone");
  fs_journal_clear(&j);
  check(j.seconds == 0 && !j.list.len, "nothing");
}

/* One input that only set something gives way to the next that sets all of it again. */
static void test_settings(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "x = 1\n:set width 50", "x");
  add(&j, ":set width 60", "");
  check(j.list.len == 2, "what did more stays");
  add(&j, "y = 1\n:set width 70", "y");
  check(j.list.len == 3, "an input that did more takes no place");
  add(&j, ":set width 80", "");
  add(&j, ":set digits 3", "");
  add(&j, ":set width 80", "");
  check(j.list.len == 6, "only the last one gives way");
  add(&j, "z = 1", "z");
  add(&j, ":set digits 4", "");
  add(&j, "z = 2", "z");
  fs_journal_prune(&j);
  check(j.list.len == 8 && j.pruned_at == 8, "settings are not pruned: %d", j.list.len);
  fs_journal_clear(&j);
}

/* What stands before an input that may read anything stays. */
static void test_before_opaque(void) {
  struct fs_journal j = {.seconds = 0};
  add(&j, "a = 1", "a");
  add(&j, ":time b = a", "b");
  add(&j, "a = 2", "a");
  add(&j, "a = 3", "a");
  add(&j, "b = 4", "b");
  fs_journal_prune(&j);
  check(is(&j, "a = 1 | :time b = a | a = 3 | b = 4"), "it may read anything");
  fs_journal_clear(&j);
  add(&j, "a = 1; c = 1", "a c");
  add(&j, "a = 2", "a");
  fs_journal_prune(&j);
  check(j.list.len == 2, "one of its names has the last value");
  fs_journal_clear(&j);
  add(&j, "c = 1; a = 1", "c a");
  add(&j, "a = 2", "a");
  fs_journal_prune(&j);
  check(j.list.len == 2, "whichever of them");
  add(&j, "c = 2; a = 3", "c a");
  fs_journal_prune(&j);
  check(is(&j, "c = 2; a = 3"), "none has");
  add_state(&j, FS_ENTRY_EVAL, "1", json_pack("{s:b}", "changed", 1));
  fs_journal_prune(&j);
  check(j.list.len == 2, "what changed no name is kept");
  fs_journal_clear(&j);
}

int main(void) {
  test_journal();
  test_uses();
  test_many_functions();
  test_opaque();
  test_files();
  test_outcome();
  test_planned();
  test_reads();
  test_reset();
  test_settings();
  test_before_opaque();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
