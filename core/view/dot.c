/* dot.c - the graph of a plan's kernels as text for Graphviz and for Mermaid, which
 * Markdown knows (mermaid.js.org, "Flowcharts"), and its picture by the program
 * `dot`. */
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

enum kind { INPUT, RESULT, TEMPORARY };

/* How a form writes things. Labels stand in double quotes. */
struct form {
  const char *head, *tail;
  const char *slot[3][2];    /* around the label of a tensor, by its kind    */
  const char *kernel[2];     /* around that of a kernel                      */
  const char *line;          /* between the lines of a label                 */
  const char *left, *end;    /* the same where they begin at the left; its end */
  void (*quote)(struct fs_str *out, char c);
  void (*edge)(struct fs_str *out, const char *from, const char *to,
               const char *label);
};

static void quote_dot(struct fs_str *out, char c) {
  fs_str_printf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
}

static void edge_dot(struct fs_str *out, const char *from, const char *to,
                     const char *label) {
  fs_str_printf(out, "  %s -> %s [label=\"%s\"];\n", from, to, label);
}

/* On a page that is light or dark: what has no ground of its own is of a grey that is
 * seen on both. */
static const struct form as_dot = {
  .head = "digraph plan {\n"
          "  bgcolor=transparent; rankdir=TB; nodesep=0.3; ranksep=0.35;\n"
          "  node [fontname=\"Helvetica\", fontsize=11, style=filled, "
          "fillcolor=white, color=\"#808080\"];\n"
          "  edge [fontname=\"Helvetica\", fontsize=9, "
          "color=\"#808080\", fontcolor=\"#808080\"];\n",
  .tail = "}\n",
  .slot = {{" [shape=ellipse, label=\"", "\"];\n"},
           {" [shape=ellipse, peripheries=2, label=\"", "\"];\n"},
           {" [shape=ellipse, style=\"filled,dashed\", label=\"", "\"];\n"}},
  .kernel = {" [shape=box, style=\"filled,rounded\", fillcolor=\"#dbe9f6\", "
             "label=\"", "\"];\n"},
  .line = "\\n", .left = "\\l", .end = "\\l", .quote = quote_dot, .edge = edge_dot,
};

/* All that Mermaid or HTML may take for more than text goes by its number. */
static void quote_mermaid(struct fs_str *out, char c) {
  bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z') || (c & 0x80) || strchr(" .,:=+-*/()'", c);
  fs_str_printf(out, plain ? "%c" : "#%d;", c);
}

static void edge_mermaid(struct fs_str *out, const char *from, const char *to,
                         const char *label) {
  fs_str_printf(out, "  %s -->|\"%s\"| %s\n", from, label, to);
}

static const struct form as_mermaid = {
  .head = "flowchart TD\n"
          "  classDef kernel fill:#dbe9f6,stroke:#666666,color:#222222\n"
          "  classDef temporary stroke-dasharray:4\n",
  .tail = "",
  .slot = {{"([\"", "\"])\n"}, {"[[\"", "\"]]\n"},
           {"([\"", "\"]):::temporary\n"}},
  .kernel = {"[\"", "\"]:::kernel\n"},
  .line = "<br/>", .left = "<br/>", .end = "", .quote = quote_mermaid,
  .edge = edge_mermaid,
};

/* Inside a quoted label. */
static void put_quoted(struct fs_str *out, const struct form *f, const char *s,
                       size_t len) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, s, len);
  for (const char *c = fs_str_text(&safe); *c; c++)
    f->quote(out, *c == '\n' ? ' ' : *c);
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

/* Further lines of a left-justified label, and its end. */
static void put_lines(struct fs_str *out, const struct form *f, const char *s) {
  for (int line = 0; *s; line++) {
    size_t n = line_length(s);
    fs_str_puts(out, f->left);
    if (line == MOST_LINES) {
      fs_str_puts(out, "...");
      break;
    }
    put_quoted(out, f, s, n);
    s += n;
    while (*s == ' ') s++;
  }
  fs_str_puts(out, f->end);
}

static void put_shape(struct fs_str *out, const json_t *shape) {
  size_t k;
  const json_t *d;
  json_array_foreach(shape, k, d)
    fs_str_printf(out, "%s%lld", k ? " x " : " ",
                  (long long)json_integer_value(d));
}

/* A tensor in memory. */
static void put_slot(struct fs_str *out, const struct form *f, const json_t *t) {
  const char *word = text(t, "kind"), *name = text(t, "name");
  enum kind kind = !strcmp(word, "input") ? INPUT
                 : !strcmp(word, "result") ? RESULT : TEMPORARY;
  fs_str_printf(out, "  s%.0f%s", number(t, "slot"), f->slot[kind][0]);
  put_quoted(out, f, name, strlen(name));
  fs_str_printf(out, "%s%s", f->line, text(t, "dtype"));
  put_shape(out, json_object_get(t, "shape"));
  fs_str_puts(out, f->slot[kind][1]);
}

static void put_edges(struct fs_str *out, const struct form *f, const json_t *k,
                      bool writes) {
  size_t i;
  const json_t *t;
  const char *id = text(k, "id");
  json_array_foreach(json_object_get(k, writes ? "writes" : "reads"), i, t) {
    struct fs_str bytes = {0};
    char slot[32];
    snprintf(slot, sizeof slot, "s%.0f", number(t, "slot"));
    fs_str_put_bytes(&bytes, number(t, "bytes"));
    f->edge(out, writes ? id : slot, writes ? slot : id, bytes.data);
    fs_str_free(&bytes);
  }
}

static bool first_time(json_t *seen, const json_t *t) {
  char key[32];
  snprintf(key, sizeof key, "%.0f", number(t, "slot"));
  if (json_object_get(seen, key)) return false;
  json_object_set_new(seen, key, json_true());
  return true;
}

static void put_slots(struct fs_str *out, const struct form *f,
                      const json_t *kernels) {
  static const char *const lists[] = {"reads", "writes"};
  json_t *seen = json_object();
  size_t i, j;
  const json_t *k, *t;
  json_array_foreach(kernels, i, k)
    for (int l = 0; l < 2; l++)
      json_array_foreach(json_object_get(k, lists[l]), j, t)
        if (first_time(seen, t)) put_slot(out, f, t);
  json_decref(seen);
}

static void put_graph(const json_t *plan, const struct form *f,
                      struct fs_str *out) {
  const json_t *kernels = json_object_get(plan, "kernels"), *k;
  size_t i;
  fs_str_puts(out, f->head);
  put_slots(out, f, kernels);
  json_array_foreach(kernels, i, k) {
    fs_str_printf(out, "  %s%s%s %s", text(k, "id"), f->kernel[0],
                  text(k, "id"), text(k, "scheme"));
    put_lines(out, f, text(k, "does"));
    fs_str_puts(out, f->kernel[1]);
    put_edges(out, f, k, false);
    put_edges(out, f, k, true);
  }
  fs_str_puts(out, f->tail);
}

void fs_plan_put_dot(const json_t *plan, struct fs_str *out) {
  put_graph(plan, &as_dot, out);
}

void fs_plan_put_mermaid(const json_t *plan, struct fs_str *out) {
  put_graph(plan, &as_mermaid, out);
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
