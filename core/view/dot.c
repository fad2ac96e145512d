/* dot.c - the graph of a plan's kernels as Graphviz text, and its picture by the
 * program `dot`. */
#include "core/view/view.h"

#include <math.h>
#include <stdio.h>

#include "core/base/filter.h"

/* Characters of a line in a box; the most lines; seconds for the layout; bytes of
 * a picture that is taken. */
enum { LINE_WIDTH = 44, MOST_LINES = 12, TIME_LIMIT = 10, MOST_BYTES = 4 << 20 };

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

/* -- the text -------------------------------------------------------------------- */

/* Inside a quoted label: quotes and backslashes escaped. */
static void put_quoted(struct fs_str *out, const char *s, size_t len) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, s, len);
  for (const char *c = fs_str_text(&safe); *c; c++) {
    if (*c == '"' || *c == '\\') fs_str_puts(out, "\\");
    if (*c == '\n') fs_str_puts(out, " ");
    else fs_str_put(out, c, 1);
  }
  fs_str_free(&safe);
}

/* How much of s goes on a line: up to a "; " or a blank, else what fits. */
static size_t line_length(const char *s) {
  size_t len = strlen(s), fit = 0, best = 0;
  for (int columns = 0; fit < len && columns < LINE_WIDTH; columns++) {
    uint32_t code;
    int n = fs_utf8_decode(s + fit, len - fit, &code);
    fit += (size_t)FS_MAX(n, 1);
  }
  if (fit == len) return len;
  for (size_t i = 1; i < fit; i++)
    if (s[i] == ' ' && (s[i - 1] == ';' || i > fit / 2)) best = i;
  return best ? best : fit;
}

/* Lines of a left-justified label. */
static void put_lines(struct fs_str *out, const char *s) {
  for (int line = 0; *s; line++) {
    if (line == MOST_LINES) {
      fs_str_puts(out, "...\\l");
      return;
    }
    size_t n = line_length(s);
    put_quoted(out, s, n);
    fs_str_puts(out, "\\l");
    s += n;
    while (*s == ' ') s++;
  }
}

static void put_shape(struct fs_str *out, const json_t *shape) {
  size_t k;
  const json_t *d;
  json_array_foreach(shape, k, d)
    fs_str_printf(out, "%s%lld", k ? " x " : " ",
                  (long long)json_integer_value(d));
}

/* A tensor in memory. */
static void put_slot(struct fs_str *out, const json_t *t) {
  const char *kind = text(t, "kind");
  fs_str_printf(out, "  s%.0f [shape=%s, label=\"", number(t, "slot"),
                strcmp(kind, "input") ? strcmp(kind, "result")
                    ? "ellipse, style=dashed" : "ellipse, peripheries=2"
                    : "ellipse");
  put_quoted(out, text(t, "name"), strlen(text(t, "name")));
  fs_str_printf(out, "\\n%s", text(t, "dtype"));
  put_shape(out, json_object_get(t, "shape"));
  fs_str_puts(out, "\"];\n");
}

static void put_edges(struct fs_str *out, const json_t *k, bool writes) {
  size_t i;
  const json_t *t;
  const char *id = text(k, "id");
  json_array_foreach(json_object_get(k, writes ? "writes" : "reads"), i, t) {
    double slot = number(t, "slot");
    if (writes) fs_str_printf(out, "  %s -> s%.0f [label=\"", id, slot);
    else fs_str_printf(out, "  s%.0f -> %s [label=\"", slot, id);
    fs_str_put_bytes(out, number(t, "bytes"));
    fs_str_puts(out, "\"];\n");
  }
}

static bool first_time(json_t *seen, const json_t *t) {
  char key[32];
  snprintf(key, sizeof key, "%.0f", number(t, "slot"));
  if (json_object_get(seen, key)) return false;
  json_object_set_new(seen, key, json_true());
  return true;
}

static void put_slots(struct fs_str *out, const json_t *kernels) {
  static const char *const lists[] = {"reads", "writes"};
  json_t *seen = json_object();
  size_t i, j;
  const json_t *k, *t;
  json_array_foreach(kernels, i, k)
    for (int l = 0; l < 2; l++)
      json_array_foreach(json_object_get(k, lists[l]), j, t)
        if (first_time(seen, t)) put_slot(out, t);
  json_decref(seen);
}

void fs_plan_put_dot(const json_t *plan, struct fs_str *out) {
  const json_t *kernels = json_object_get(plan, "kernels"), *k;
  size_t i;
  fs_str_puts(out, "digraph plan {\n"
                   "  bgcolor=white; rankdir=TB; nodesep=0.3; ranksep=0.35;\n"
                   "  node [fontname=\"Helvetica\", fontsize=11];\n"
                   "  edge [fontname=\"Helvetica\", fontsize=9, "
                   "color=\"#666666\", fontcolor=\"#444444\"];\n");
  put_slots(out, kernels);
  json_array_foreach(kernels, i, k) {
    fs_str_printf(out, "  %s [shape=box, style=\"filled,rounded\", "
                       "fillcolor=\"#dbe9f6\", label=\"%s %s\\l",
                  text(k, "id"), text(k, "id"), text(k, "scheme"));
    put_lines(out, text(k, "does"));
    fs_str_puts(out, "\"];\n");
    put_edges(out, k, false);
    put_edges(out, k, true);
  }
  fs_str_puts(out, "}\n");
}

/* -- the picture ------------------------------------------------------------------ */

bool fs_dot_svg(const char *dot, struct fs_str *out, const char **why) {
  char program[] = "dot", form[] = "-Tsvg";
  char *const argv[] = {program, form, NULL};
  struct fs_str all = {0};
  bool good = false;
  enum fs_filter ran = fs_filter_run(argv, dot, strlen(dot), MOST_BYTES,
                                     TIME_LIMIT, &all);
  const char *from = strstr(fs_str_text(&all), "<svg"); /* before it: a DTD */
  if (ran == FS_FILTER_MISSING)
    *why = "the program `dot` is not there: the package graphviz "
           "has it (apt-get install graphviz)";
  else if (ran == FS_FILTER_FAILED) *why = "the program `dot` failed";
  else if (!from || !strstr(from, "</svg>"))
    *why = "the program `dot` gave no picture";
  else good = true;
  if (good) fs_str_puts(out, from);
  fs_str_free(&all);
  return good;
}
