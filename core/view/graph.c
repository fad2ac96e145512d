/* graph.c - a plan for a terminal as a graph: kernels as frames, what they read above, what they
 * make below, and dotted what fusion spares; see view.h. */
#include "core/view/view.h"

#include <math.h>

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

/* -- signs ------------------------------------------------------------------------- */

struct signs {
  const char *corner[4];   /* of a frame: above left and right, below left and right */
  const char *line, *side, *dots, *dotted; /* its edges, plain and dotted */
  const char *first_in, *in, *enter, *leave, *out, *last_out;
};
static const struct signs lines = {
  {"╭", "╮", "╰", "╯"}, "─", "│", "┊", "╌", "┌─ ", "├─ ", "▼", "┬", "├─▶ ", "└─▶ "};
static const struct signs ascii = {
  {"+", "+", "+", "+"}, "-", "|", ":", ".", "+-- ", "+-- ", "v", "+", "+-> ", "+-> "};

struct drawing {
  const struct signs *sign;
  struct fs_str *out;
  int width;                 /* of a frame */
};

enum { STEM = 6 };           /* the column at which arrays enter and leave a frame */

static void repeat(struct fs_str *out, const char *sign, int n) {
  for (int k = 0; k < n; k++) fs_str_puts(out, sign);
}

/* A line between two edges of a frame, cut to it. */
static void put_framed(struct drawing *d, const char *edge, const char *words) {
  size_t len = strlen(words), n = fs_utf8_fitting(words, len, d->width - 4);
  bool cut = n < len;
  if (cut) n = fs_utf8_fitting(words, len, d->width - 7);
  fs_str_printf(d->out, "%s ", edge);
  fs_str_put(d->out, words, n);
  if (cut) fs_str_puts(d->out, "...");
  repeat(d->out, " ", d->width - 3 - fs_utf8_width(words, n) - 3*cut);
  fs_str_printf(d->out, "%s\n", edge);
}

static void put_safe(struct fs_str *out, const char *words) {
  fs_str_put_safe(out, words, strlen(words));
}

/* -- arrays ------------------------------------------------------------------------ */

/* "A 34.3 MiB" */
static void put_array(struct fs_str *out, const json_t *t) {
  put_safe(out, text(t, "name"));
  fs_str_puts(out, " ");
  fs_str_put_bytes(out, number(t, "bytes"));
}

static bool has_slot(const json_t *list, double slot) {
  size_t k;
  const json_t *t;
  json_array_foreach(list, k, t)
    if (number(t, "slot") == slot) return true;
  return false;
}

/* The kernels before this one that make an array, or behind it that read it: " from k1", " to
 * k2, k3". */
static void put_others(struct fs_str *out, const json_t *kernels, size_t from, size_t to,
                       const char *list, double slot, const char *word) {
  int n = 0;
  for (size_t k = from; k < to; k++) {
    const json_t *other = json_array_get(kernels, k);
    if (json_is_true(json_object_get(other, "left_out"))) continue;
    if (!has_slot(json_object_get(other, list), slot)) continue;
    fs_str_printf(out, "%s%s", n++ ? ", " : word, text(other, "id"));
  }
}

/* An array at the stem, cut to the width of a frame. */
static void put_at_stem(struct drawing *d, const char *sign, const json_t *t, const json_t *others,
                        size_t from, size_t to, const char *list, const char *word) {
  struct fs_str line = {0};
  fs_str_puts(&line, sign);
  put_array(&line, t);
  put_others(&line, others, from, to, list, number(t, "slot"), word);
  repeat(d->out, " ", STEM);
  fs_str_put(d->out, fs_str_text(&line),
             fs_utf8_fitting(fs_str_text(&line), line.len, d->width - STEM));
  fs_str_puts(d->out, "\n");
  fs_str_free(&line);
}

static void put_reads(struct drawing *d, const json_t *kernels, size_t at) {
  const json_t *reads = json_object_get(json_array_get(kernels, at), "reads"), *t;
  size_t k;
  json_array_foreach(reads, k, t)
    put_at_stem(d, k ? d->sign->in : d->sign->first_in, t, kernels, 0, at, "writes", " from ");
  if (!json_array_size(reads)) return;
  repeat(d->out, " ", STEM);
  fs_str_printf(d->out, "%s\n", d->sign->enter);
}

static void put_writes(struct drawing *d, const json_t *kernels, size_t at) {
  const json_t *writes = json_object_get(json_array_get(kernels, at), "writes"), *t;
  size_t k, n = json_array_size(writes);
  json_array_foreach(writes, k, t)
    put_at_stem(d, k + 1 < n ? d->sign->out : d->sign->last_out, t, kernels, at + 1,
                json_array_size(kernels), "reads", " to ");
}

/* -- kernels ----------------------------------------------------------------------- */

/* "k1 row ─── ~0.965 ms, took 0.980 ms"; the prediction goes first where there is no room. */
static void put_title(struct drawing *d, const json_t *k) {
  struct fs_str left = {0}, right = {0};
  double took = number(k, "measured"), predicted = number(k, "predicted");
  fs_str_printf(&left, "%s %s ", text(k, "id"), text(k, "scheme"));
  bool room = d->width >= 60 || isnan(took);
  if (!isnan(predicted) && room) {
    fs_str_puts(&right, " ~");
    fs_str_put_seconds(&right, predicted);
  }
  if (!isnan(took)) {
    fs_str_puts(&right, right.len ? ", took " : " took ");
    fs_str_put_seconds(&right, took);
  }
  if (right.len) fs_str_puts(&right, " ");
  int used = fs_utf8_width(fs_str_text(&left), left.len) +
             fs_utf8_width(fs_str_text(&right), right.len);
  fs_str_printf(d->out, "%s%s %s", d->sign->corner[0], d->sign->line, fs_str_text(&left));
  repeat(d->out, d->sign->line, d->width - 4 - used - 1);
  fs_str_printf(d->out, "%s%s%s\n", fs_str_text(&right), d->sign->line, d->sign->corner[1]);
  fs_str_free(&left);
  fs_str_free(&right);
}

static void put_statements(struct drawing *d, const json_t *plan, const json_t *k) {
  const json_t *all = json_object_get(plan, "statements"), *n;
  size_t i;
  if (!json_array_size(json_object_get(k, "statements")))
    put_framed(d, d->sign->side, text(k, "does"));
  json_array_foreach(json_object_get(k, "statements"), i, n) {
    struct fs_str line = {0};
    put_safe(&line, text(json_array_get(all, (size_t)json_integer_value(n) - 1), "text"));
    put_framed(d, d->sign->side, fs_str_text(&line));
    fs_str_free(&line);
  }
}

/* ┊ A ╌╌ 34.3 MiB less: read once, not 2 times */
static void put_removed(struct drawing *d, const json_t *k) {
  size_t i;
  const json_t *t;
  json_array_foreach(json_object_get(k, "removed"), i, t) {
    struct fs_str line = {0};
    bool made = json_is_true(json_object_get(t, "made"));
    bool stored = json_is_true(json_object_get(t, "stored"));
    put_safe(&line, text(t, "name"));
    fs_str_printf(&line, " %s%s ", d->sign->dotted, d->sign->dotted);
    fs_str_put_bytes(&line, number(t, "bytes"));
    if (made) fs_str_puts(&line, stored ? " less: not read again" : " less: not stored, not read");
    else fs_str_printf(&line, " less: read once, not %.0f times", number(t, "reads"));
    put_framed(d, d->sign->dots, fs_str_text(&line));
    fs_str_free(&line);
  }
}

static void put_floor(struct drawing *d, bool writes) {
  fs_str_puts(d->out, d->sign->corner[2]);
  repeat(d->out, d->sign->line, STEM - 1);
  fs_str_puts(d->out, writes ? d->sign->leave : d->sign->line);
  repeat(d->out, d->sign->line, d->width - STEM - 2);
  fs_str_printf(d->out, "%s\n", d->sign->corner[3]);
}

void fs_plan_put_graph(const json_t *plan, const struct fs_look *look, struct fs_str *out) {
  enum { LEAST = 40, MOST = 76 };
  struct drawing d = {.sign = look->utf8 ? &lines : &ascii, .out = out,
                      .width = FS_MIN(FS_MAX(look->width, LEAST), MOST)};
  const json_t *kernels = json_object_get(plan, "kernels"), *k;
  size_t i;
  bool first = true;
  json_array_foreach(kernels, i, k) {
    if (json_is_true(json_object_get(k, "left_out"))) continue;
    if (!first) fs_str_puts(out, "\n");
    first = false;
    put_reads(&d, kernels, i);
    put_title(&d, k);
    put_statements(&d, plan, k);
    put_removed(&d, k);
    put_floor(&d, json_array_size(json_object_get(k, "writes")) > 0);
    put_writes(&d, kernels, i);
  }
}
