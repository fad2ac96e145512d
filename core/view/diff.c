/* diff.c - two plans of a block beside each other, and combinations as a table. */
#include "core/view/view.h"

#include <math.h>
#include <stdio.h>

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_seconds(struct fs_str *out, const struct fs_look *look,
                        double s) {
  if (isnan(s)) fs_str_puts(out, look->utf8 ? "\u2014" : "-");
  else fs_str_put_seconds(out, s);
}

static void put_bytes(struct fs_str *out, const struct fs_look *look, double b) {
  if (isnan(b)) fs_str_puts(out, look->utf8 ? "\u2014" : "-");
  else fs_str_put_bytes(out, b);
}

/* -- columns -------------------------------------------------------------------- */

enum { COLUMNS = 16, GAP = 2, LEAST = 16 };

struct row { char *cell[COLUMNS]; };

/* Cells of text; one column, `wide`, takes what is left and is broken over lines,
 * those before it are left-justified, those after it right-justified. Where that is
 * too narrow, the columns of `spare` are left out one after the other: numbers of columns,
 * each as it is when those before it are gone. */
struct grid {
  const struct fs_look *look;
  struct fs_arena *arena;
  FS_VEC(struct row) rows;
  int n, wide;
  const char *spare;
};

static struct row *add(struct grid *g) {
  struct row *r = FS_PUSH(&g->rows);
  for (int c = 0; c < COLUMNS; c++) r->cell[c] = (char *)"";
  return r;
}

/* Takes the text over and empties it. */
static char *keep(struct grid *g, struct fs_str *s) {
  char *kept = fs_arena_strndup(g->arena, fs_str_text(s), s->len);
  fs_str_clear(s);
  return kept;
}

static int width_of(const char *s) { return fs_utf8_width(s, strlen(s)); }

static size_t line_of(const char *s, int width) {
  size_t len = strlen(s), fit = 0, best = 0;
  while (fit < len) {
    uint32_t code;
    size_t n = (size_t)FS_MAX(fs_utf8_decode(s + fit, len - fit, &code), 1);
    if (fs_utf8_width(s, fit + n) > width) break;
    fit += n;
  }
  if (fit == len) return len;
  for (size_t i = 1; i <= fit; i++)
    if (s[i] == ' ' && (s[i - 1] == ';' || i > fit / 3)) best = i;
  return best ? best : FS_MAX(fit, 1);
}

static void pad(struct fs_str *out, int n) {
  for (; n > 0; n--) fs_str_puts(out, " ");
}

static void put_row(const struct grid *g, const struct row *r, const int *width,
                    struct fs_str *out) {
  const char *rest = r->cell[g->wide];
  for (bool first = true; first || *rest; first = false) {
    size_t n = line_of(rest, width[g->wide]);
    for (int c = 0; c < g->n; c++) {
      char *cell = c == g->wide ? fs_strndup(rest, n)
                                : fs_strdup(first ? r->cell[c] : "");
      int blank = width[c] - width_of(cell);
      if (c) pad(out, GAP);
      if (c > g->wide) pad(out, blank);
      fs_str_puts(out, cell);
      if (c <= g->wide) pad(out, blank);
      free(cell);
    }
    while (out->len && out->data[out->len - 1] == ' ') out->data[--out->len] = 0;
    fs_str_puts(out, "\n");
    rest += n;
    while (*rest == ' ') rest++;
  }
}

/* The widths of the columns; gives what all but the wide one take. */
static int measure(const struct grid *g, int *width) {
  int others = 0;
  for (int c = 0; c < g->n; c++) {
    width[c] = 0;
    for (int k = 0; k < g->rows.len; k++)
      width[c] = FS_MAX(width[c], width_of(g->rows.data[k].cell[c]));
    if (c != g->wide) others += width[c] + GAP;
  }
  return others;
}

static void leave_out(struct grid *g, int c) {
  struct row *heads = &g->rows.data[0];
  if (c + 1 == g->wide && !*heads->cell[g->wide]) heads->cell[g->wide] = heads->cell[c];
  for (int k = 0; k < g->rows.len; k++)
    memmove(&g->rows.data[k].cell[c], &g->rows.data[k].cell[c + 1],
            sizeof(char *) * (size_t)(g->n - c - 1));
  g->n--;
  g->wide -= c < g->wide;
}

static void put_grid(struct grid *g, struct fs_str *out) {
  int width[COLUMNS], others = measure(g, width);
  for (const char *c = g->spare; c && *c && others + LEAST > g->look->width; c++) {
    leave_out(g, *c);
    others = measure(g, width);
  }
  int room = FS_MAX(g->look->width - others, LEAST);
  width[g->wide] = FS_MIN(width[g->wide], room);
  for (int k = 0; k < g->rows.len; k++)
    put_row(g, &g->rows.data[k], width, out);
  FS_VEC_FREE(&g->rows);
  fs_arena_free(g->arena);
}

/* -- combinations ----------------------------------------------------------------- */

static void add_heads(struct grid *g, const char *const *heads) {
  struct row *r = add(g);
  for (int c = 0; c < g->n; c++) {
    struct fs_str s = {0};
    fs_str_puts(&s, heads[c]);
    r->cell[c] = keep(g, &s);
    fs_str_free(&s);
  }
}

/* "row 600x400": rows of 400, where the array may also be walked the other way. */
static void put_scheme(struct fs_str *s, const json_t *kernel) {
  const json_t *space = json_object_get(kernel, "space");
  long long m = json_integer_value(json_array_get(space, 0));
  long long n = json_integer_value(json_array_get(space, 1));
  fs_str_puts(s, text(kernel, "scheme"));
  if (m > 1 && strcmp(text(kernel, "scheme"), "library"))
    fs_str_printf(s, " %lldx%lld", m, n);
}

/* Of a square array rows and columns look alike: then which of its dimensions are the
 * columns of the kernel tells the two apart. */
static bool walks_otherwise(const json_t *a, const json_t *b) {
  return !strcmp(text(a, "does"), text(b, "does")) &&
         !strcmp(text(a, "scheme"), text(b, "scheme")) &&
         json_equal(json_object_get(a, "space"), json_object_get(b, "space")) &&
         strcmp(text(a, "walk"), text(b, "walk"));
}

static bool is_ambiguous(const json_t *list, const json_t *kernel) {
  size_t i, x;
  const json_t *a, *k;
  json_array_foreach(list, i, a)
    json_array_foreach(json_object_get(a, "kernels"), x, k)
      if (walks_otherwise(k, kernel)) return true;
  return false;
}

static void put_remark(struct fs_str *s, const char *head, const char *words) {
  if (*words) fs_str_printf(s, " (%s%s)", head, words);
}

/* Columns of the table of combinations. */
enum { RANK, STAR, SCHEME, MADE, PREDICTED, MEASURED, LAUNCHES, MOVES, PEAK, COMBINED };

static void add_kernel_of(struct grid *g, const json_t *list, const json_t *k) {
  struct row *r = add(g);
  struct fs_str s = {0};
  put_scheme(&s, k);
  r->cell[SCHEME] = keep(g, &s);
  fs_str_puts(&s, text(k, "does"));
  put_remark(&s, "", text(k, "routines"));
  if (is_ambiguous(list, k)) put_remark(&s, "columns: ", text(k, "walk"));
  r->cell[MADE] = keep(g, &s);
  fs_str_free(&s);
}

static void add_combination(struct grid *g, const json_t *list, const json_t *a) {
  const json_t *k;
  struct fs_str s = {0};
  size_t i;
  bool last = a == json_array_get(list, json_array_size(list) - 1);
  int at = g->rows.len;
  json_array_foreach(json_object_get(a, "kernels"), i, k) add_kernel_of(g, list, k);
  if (g->rows.len == at) return;
  struct row *r = &g->rows.data[at];
  if (isnan(number(a, "rank"))) fs_str_puts(&s, last ? "unfused" : "in use");
  else fs_str_printf(&s, "%.0f", number(a, "rank"));
  r->cell[RANK] = keep(g, &s);
  if (json_is_true(json_object_get(a, "chosen"))) fs_str_puts(&s, "*");
  r->cell[STAR] = keep(g, &s);
  fs_plan_put_prediction(&s, g->look, number(a, "first"), number(a, "predicted"), false);
  r->cell[PREDICTED] = keep(g, &s);
  put_seconds(&s, g->look, number(a, "measured"));
  r->cell[MEASURED] = keep(g, &s);
  fs_str_printf(&s, "%.0f", number(a, "launches"));
  r->cell[LAUNCHES] = keep(g, &s);
  put_bytes(&s, g->look, number(a, "bytes"));
  r->cell[MOVES] = keep(g, &s);
  put_bytes(&s, g->look, number(a, "peak_bytes"));
  r->cell[PEAK] = keep(g, &s);
  fs_str_free(&s);
}

/* It was measured, and is not the one in use, of which :plan has the time. */
static bool is_compared(const json_t *a) {
  return !json_is_true(json_object_get(a, "chosen")) && !isnan(number(a, "measured"));
}

/* "  measured   ######## 0.323 ms": a bar of the longest one's share. */
static void put_bar(struct fs_str *out, const struct fs_look *look, const char *head,
                    const char *what, double seconds, double most) {
  int room = FS_MIN(FS_MAX(look->width - 32, 4), 60);
  bool measured = *what == 'm';
  const char *sign = look->utf8 ? measured ? "\u2588" : "\u2591" : measured ? "#" : "-";
  if (isnan(seconds)) return;
  fs_str_printf(out, "%-9s %-9s  ", head, what);
  int cells = FS_MAX((int)lround(room * seconds / most), 1);
  for (int k = 0; k < cells; k++) fs_str_puts(out, sign);
  fs_str_puts(out, " ");
  fs_str_put_seconds(out, seconds);
  fs_str_puts(out, "\n");
}

void fs_alternatives_put_bars(const json_t *list, const struct fs_look *look,
                              struct fs_str *out) {
  double most = 0;
  bool any = false;
  size_t i;
  const json_t *a;
  json_array_foreach(list, i, a) {
    most = fmax(most, fmax(number(a, "predicted"), number(a, "measured")));
    any |= is_compared(a);
  }
  if (!any) return;
  json_array_foreach(list, i, a) {
    char head[16] = "unfused";
    double rank = number(a, "rank");
    bool last = i + 1 == json_array_size(list);
    if (!isnan(rank)) snprintf(head, sizeof head, "%.0f", rank);
    else if (!last) snprintf(head, sizeof head, "in use");
    if (isnan(number(a, "measured")) || !(most > 0)) continue;
    put_bar(out, look, head, "predicted", number(a, "predicted"), most);
    put_bar(out, look, "", "measured", number(a, "measured"), most);
  }
}

void fs_alternatives_put(const json_t *list, const struct fs_look *look,
                         struct fs_str *out) {
  static const char *const heads[] = {"rank", "", "kernels", "", "predicted", "measured",
                                      "launches", "moves", "peak"};
  struct grid g = {.look = look, .arena = fs_arena_new(), .n = COMBINED, .wide = MADE};
  bool measured = false;
  size_t i;
  const json_t *a;
  add_heads(&g, heads);
  json_array_foreach(list, i, a) {
    add_combination(&g, list, a);
    measured |= is_compared(a);
  }
  if (!measured) leave_out(&g, MEASURED);
  /* Peak, launches, moves; measured times, which bars have; schemes. */
  g.spare = measured ? "\10\6\6\5\2" : "\7\5\5\2";
  put_grid(&g, out);
}

/* -- settings of a kernel ---------------------------------------------------------- */

static bool same_everywhere(const json_t *list, const char *name) {
  const json_t *first = json_object_get(json_array_get(list, 0), "setting"), *a;
  size_t i;
  json_array_foreach(list, i, a)
    if (!json_equal(json_object_get(json_object_get(a, "setting"), name),
                    json_object_get(first, name)))
      return false;
  return true;
}

static bool is_row(const json_t *setting, size_t index, size_t shown) {
  return index < shown || json_is_true(json_object_get(setting, "chosen"));
}

/* Whether a row of the table is the same but for how it walks. */
static bool has_twin(const json_t *list, size_t shown, const json_t *setting) {
  size_t i;
  const json_t *a;
  json_array_foreach(list, i, a)
    if (is_row(a, i, shown) && walks_otherwise(a, setting)) return true;
  return false;
}

static void add_setting(struct grid *g, const json_t *a, size_t index, bool twin,
                        const char *const *names, int n) {
  struct row *r = add(g);
  struct fs_str s = {0};
  int c = 0;
  fs_str_printf(&s, "%zu", index + 1);
  r->cell[c++] = keep(g, &s);
  if (json_is_true(json_object_get(a, "chosen"))) fs_str_puts(&s, "*");
  r->cell[c++] = keep(g, &s);
  put_scheme(&s, a);
  put_remark(&s, "", text(a, "routines"));
  if (twin) put_remark(&s, "columns: ", text(a, "walk"));
  r->cell[c++] = keep(g, &s);
  for (int k = 0; k < n; k++) {
    fs_str_printf(&s, "%.0f", number(json_object_get(a, "setting"), names[k]));
    r->cell[c++] = keep(g, &s);
  }
  fs_plan_put_prediction(&s, g->look, number(a, "first"), number(a, "predicted"), false);
  r->cell[c++] = keep(g, &s);
  put_seconds(&s, g->look, number(a, "measured"));
  r->cell[c++] = keep(g, &s);
  fs_str_free(&s);
}

void fs_settings_put(const json_t *kernel, int most, const struct fs_look *look,
                     struct fs_str *out) {
  const json_t *list = json_object_get(kernel, "settings"), *a;
  const char *names[COLUMNS] = {"", "", "scheme"}, *name;
  json_t *setting = json_object_get(json_array_get(list, 0), "setting"), *value;
  struct fs_str same = {0};
  int n = 3;
  json_object_foreach(setting, name, value) {
    if (!same_everywhere(list, name) && n < COLUMNS - 2) names[n++] = name;
    else fs_str_printf(&same, "%s%s %lld", same.len ? ", " : "", name,
                       (long long)json_integer_value(value));
  }
  names[n] = "predicted";
  names[n + 1] = "measured";
  struct grid g = {.look = look, .arena = fs_arena_new(), .n = n + 2, .wide = 2};
  size_t i, shown = FS_MIN((size_t)most, json_array_size(list));
  fs_str_printf(out, "%s: %s\n", text(kernel, "kernel"), text(kernel, "does"));
  add_heads(&g, names);
  json_array_foreach(list, i, a)
    if (is_row(a, i, shown))
      add_setting(&g, a, i, has_twin(list, shown, a), names + 3, n - 3);
  put_grid(&g, out);
  if (same.len) fs_str_printf(out, "all: %s\n", fs_str_text(&same));
  if (shown < json_array_size(list))
    fs_str_printf(out, "%zu of %zu settings: `:alternatives %s %zu` has all\n", shown,
                  json_array_size(list), text(kernel, "kernel"), json_array_size(list));
  fs_str_free(&same);
}

/* -- what has changed ---------------------------------------------------------------- */

static const json_t *find_kernel(const json_t *plan, const char *does) {
  size_t i;
  const json_t *k;
  json_array_foreach(json_object_get(plan, "kernels"), i, k)
    if (!strcmp(text(k, "does"), does)) return k;
  return NULL;
}

/* "7.0 µs -> 8.1 µs", or one of them where the other plan has no such kernel. */
static void put_both(struct fs_str *s, const struct fs_look *look, double old,
                     double new, bool has_old, bool has_new,
                     void (*put)(struct fs_str *, const struct fs_look *,
                                 double)) {
  struct fs_str was = {0}, is = {0};
  if (has_old) put(&was, look, old);
  if (has_new) put(&is, look, new);
  bool changed = has_old && strcmp(fs_str_text(&was), fs_str_text(&is));
  if (changed) fs_str_puts(s, fs_str_text(&was));
  if (changed && has_new) fs_str_puts(s, look->utf8 ? " \u2192 " : " -> ");
  fs_str_puts(s, fs_str_text(&is));
  fs_str_free(&is);
  fs_str_free(&was);
}

static void add_pair(struct grid *g, const char *name, const char *what,
                     const char *does, const json_t *old, const json_t *new) {
  static const char *const keys[] = {"moves", "predicted", "measured"};
  struct row *r = add(g);
  struct fs_str s = {0};
  const char *const words[] = {name, what, does};
  for (int c = 0; c < 3; c++) {
    fs_str_puts(&s, words[c]);
    r->cell[c] = keep(g, &s);
  }
  for (int c = 0; c < 3; c++) {
    bool bytes = c == 0;
    const char *key = bytes && isnan(number(new ? new : old, "moves")) ? "bytes"
                                                                       : keys[c];
    put_both(&s, g->look, number(old, key), number(new, key), old, new,
             bytes ? put_bytes : put_seconds);
    r->cell[3 + c] = keep(g, &s);
  }
  fs_str_free(&s);
}

static bool same_kernel(const json_t *a, const json_t *b) {
  return !strcmp(text(a, "scheme"), text(b, "scheme")) &&
         !strcmp(text(a, "routines"), text(b, "routines")) &&
         json_equal(json_object_get(a, "space"), json_object_get(b, "space"));
}

static void put_change(struct fs_str *s, const json_t *old, const json_t *new) {
  if (strcmp(text(old, "scheme"), text(new, "scheme")))
    fs_str_printf(s, "was %s", text(old, "scheme"));
  else if (strcmp(text(old, "routines"), text(new, "routines")))
    fs_str_puts(s, "other routine");
  else fs_str_puts(s, "other size");
}

static void add_kernels(struct grid *g, const json_t *old, const json_t *new) {
  size_t i;
  const json_t *k;
  struct fs_str change = {0};
  json_array_foreach(json_object_get(old, "kernels"), i, k)
    if (!find_kernel(new, text(k, "does")))
      add_pair(g, text(k, "scheme"), "removed", text(k, "does"), k, NULL);
  json_array_foreach(json_object_get(new, "kernels"), i, k) {
    const json_t *before = find_kernel(old, text(k, "does"));
    fs_str_clear(&change);
    if (!before) fs_str_puts(&change, "added");
    else if (same_kernel(before, k)) fs_str_puts(&change, "same");
    else put_change(&change, before, k);
    add_pair(g, text(k, "scheme"), fs_str_text(&change), text(k, "does"),
             before, k);
  }
  fs_str_free(&change);
}

void fs_plan_put_diff(const json_t *old, const json_t *new,
                      const struct fs_look *look, struct fs_str *out) {
  static const char *const heads[] = {"kernel", "", "does", "moves",
                                      "predicted", "measured"};
  struct grid g = {.look = look, .arena = fs_arena_new(), .n = 6, .wide = 2,
                   .spare = "\3"};  /* moves */
  struct fs_str total = {0};
  size_t before = json_array_size(json_object_get(old, "kernels"));
  size_t now = json_array_size(json_object_get(new, "kernels"));
  fs_str_printf(out, "block %.0f against block %.0f\n", number(new, "block"),
                number(old, "block"));
  add_heads(&g, heads);
  add_kernels(&g, old, new);
  if (before == now)
    fs_str_printf(&total, "%zu kernel%s", now, now == 1 ? "" : "s");
  else
    fs_str_printf(&total, "%zu %s %zu kernel%s", before,
                  look->utf8 ? "\u2192" : "->", now, now == 1 ? "" : "s");
  add_pair(&g, "all", "", fs_str_text(&total), old, new);
  put_grid(&g, out);
  fs_str_free(&total);
}
