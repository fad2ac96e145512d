/* html.c - a plan for a browser: one fragment that folds out.
 *
 * Only tags and attributes that JupyterLab's sanitiser lets through, and nothing
 * that needs a script, so that a saved notebook shows it too. Names and statements
 * are escaped by put_text(); attributes are numbers and fixed words. */
#include "core/view/view.h"

#include <math.h>
#include <sodium.h>

/* Characters of code shown of one kernel; width of a picture in pixels. */
enum { MOST_CODE = 24 << 10, MOST_WIDTH = 900 };

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static void put_text(struct fs_str *out, const char *s) {
  fs_str_put_html(out, s, strlen(s));
}

static void put_seconds(struct fs_str *out, double s) {
  if (isnan(s)) fs_str_puts(out, "\u2014");
  else fs_str_put_seconds(out, s);
}

static void put_bytes(struct fs_str *out, double b) {
  if (isnan(b)) fs_str_puts(out, "\u2014");
  else fs_str_put_bytes(out, b);
}

static void put_plural(struct fs_str *out, double n, const char *noun) {
  fs_str_printf(out, "%.0f %s%s", n, noun, n == 1 ? "" : "s");
}

/* -- tables ------------------------------------------------------------------------ */

/* JupyterLab's style sheet sets all cells right, whatever they say: what stands left
 * is in a division of its own. */
#define LEFT "<div align=\"left\">"
#define END_LEFT "</div>"

/* A head that begins with "<" stands left. Columns of code come last in a table: what
 * does not fit beside them is all that has to be scrolled for. */
static void open_table(struct fs_str *out, const char *const *heads) {
  fs_str_puts(out, "<table>\n<thead><tr>");
  for (; *heads; heads++) {
    bool left = **heads == '<';
    fs_str_printf(out, "<th>%s%s%s</th>", left ? LEFT : "", *heads + left,
                  left ? END_LEFT : "");
  }
  fs_str_puts(out, "</tr></thead>\n<tbody>\n");
}

static void close_table(struct fs_str *out) {
  fs_str_puts(out, "</tbody>\n</table>\n");
}

static void cell_seconds(struct fs_str *out, double s) {
  fs_str_puts(out, "<td align=\"right\">");
  put_seconds(out, s);
  fs_str_puts(out, "</td>");
}

static void cell_bytes(struct fs_str *out, double b) {
  fs_str_puts(out, "<td align=\"right\">");
  put_bytes(out, b);
  fs_str_puts(out, "</td>");
}

static void cell_text(struct fs_str *out, const char *s) {
  fs_str_puts(out, "<td align=\"left\">" LEFT);
  put_text(out, s);
  fs_str_puts(out, END_LEFT "</td>");
}

static void cell_code(struct fs_str *out, const char *s) {
  fs_str_puts(out, "<td align=\"left\">" LEFT "<code>");
  put_text(out, s);
  fs_str_puts(out, "</code>" END_LEFT "</td>");
}

static void cell_share(struct fs_str *out, double x) {
  fs_str_puts(out, "<td align=\"right\">");
  if (isnan(x)) fs_str_puts(out, "\u2014");
  else fs_str_printf(out, "%.0f %%", 100 * x);
  fs_str_puts(out, "</td>");
}

static void open_details(struct fs_str *out, const char *summary) {
  fs_str_printf(out, "<details>\n<summary>%s</summary>\n", summary);
}

static void close_details(struct fs_str *out) {
  fs_str_puts(out, "</details>\n");
}

/* What the model says, and, where runs have taught otherwise, what came of it. */
static void put_prediction(struct fs_str *out, const json_t *o) {
  const struct fs_look look = {.utf8 = true};
  fs_plan_put_prediction(out, &look, number(o, "first"), number(o, "predicted"), true);
}

/* What one run is to its prediction; "cold" where that says nothing. */
static void put_ratio(struct fs_str *out, const json_t *o, const char *before,
                      const char *behind) {
  double ratio = number(o, "ratio");
  bool cold = json_is_true(json_object_get(o, "cold"));
  if (isnan(ratio) && !cold) return;
  fs_str_puts(out, before);
  if (cold) fs_str_puts(out, "cold");
  else fs_str_printf(out, "\u00d7%.2f", ratio);
  fs_str_puts(out, behind);
}

/* Of all rounds of a loop, what was timed. */
static void put_all_runs(struct fs_str *out, const json_t *plan) {
  double runs = number(plan, "runs"), timed = number(plan, "timed");
  if (!(timed > 0)) return;
  if (!isnan(number(plan, "low"))) {
    fs_str_puts(out, " (");
    put_seconds(out, number(plan, "low"));
    fs_str_puts(out, " to ");
    put_seconds(out, number(plan, "high"));
    fs_str_puts(out, ")");
  }
  fs_str_puts(out, " \u00b7 ");
  put_seconds(out, number(plan, "total"));
  if (timed < runs) fs_str_printf(out, " in %.0f timed", timed);
  else fs_str_puts(out, " in all");
}

static void put_late_head(struct fs_str *out, const json_t *plan) {
  size_t k;
  const json_t *row;
  json_array_foreach(json_object_get(plan, "late"), k, row) {
    fs_str_puts(out, " \u00b7 late ");
    put_text(out, *text(row, "name") ? text(row, "name") : "value");
    fs_str_puts(out, " ");
    put_seconds(out, number(row, "total"));
  }
}

/* -- the head ----------------------------------------------------------------------- */

static void put_head(struct fs_str *out, const json_t *plan) {
  double measured = number(plan, "measured");
  double calls = number(plan, "calls"), runs = number(plan, "runs");
  if (!isnan(calls)) {
    put_plural(out, calls, "call");
    fs_str_puts(out, " \u2192 ");
  }
  put_plural(out, fs_plan_kernels(plan), "kernel");
  fs_str_puts(out, " \u00b7 ");
  put_bytes(out, number(plan, "bytes"));
  if (number(plan, "saved_bytes") > 0) {
    fs_str_puts(out, " (");
    fs_str_put_bytes(out, number(plan, "saved_bytes"));
    fs_str_puts(out, " saved)");
  }
  fs_str_printf(out, " \u00b7 predicted %s",
                runs > 0 || !isnan(measured) ? "" : "~");
  put_prediction(out, plan);
  if (!isnan(measured)) {
    fs_str_puts(out, " \u00b7 measured ");
    put_seconds(out, measured);
    put_ratio(out, plan, " (", ")");
  }
  if (runs > 1) {
    fs_str_printf(out, " each, \u00d7%.0f", runs);
    put_all_runs(out, plan);
  }
  put_late_head(out, plan);
}

/* -- kernels ------------------------------------------------------------------------- */

/* Eighths of a block: bars that need neither style nor picture. */
static void put_bar(struct fs_str *out, double part) {
  static const char *const eighths[] = {"", "\u258f", "\u258e", "\u258d",
                                        "\u258c", "\u258b", "\u258a",
                                        "\u2589"};
  enum { WIDTH = 16 };
  if (isnan(part)) return;
  int n = (int)(FS_MIN(FS_MAX(part, 0), 1) * 8 * WIDTH + 0.5);
  for (int k = 0; k < n / 8; k++) fs_str_puts(out, "\u2588");
  fs_str_puts(out, n ? eighths[n % 8] : "\u258f");
}

static double longest(const json_t *plan) {
  double most = number(json_object_get(plan, "unfused"), "predicted");
  size_t i;
  const json_t *k;
  if (isnan(most)) most = 0;
  json_array_foreach(json_object_get(plan, "kernels"), i, k) {
    most = fmax(most, number(k, "predicted"));
    most = fmax(most, number(k, "measured"));
  }
  return most > 0 ? most : 1;
}

static void put_bars(struct fs_str *out, double predicted, double measured,
                     double most) {
  fs_str_puts(out, "<td align=\"left\">" LEFT "<code>");
  put_bar(out, predicted / most);
  fs_str_puts(out, "</code><br><code>");
  put_bar(out, measured / most);
  fs_str_puts(out, "</code>" END_LEFT "</td>");
}

static void cell_prediction(struct fs_str *out, const json_t *o) {
  fs_str_puts(out, "<td align=\"right\">");
  put_prediction(out, o);
  fs_str_puts(out, "</td>");
}

static void put_does(struct fs_str *out, const json_t *k) {
  struct fs_str does = {0};
  if (json_is_true(json_object_get(k, "left_out"))) fs_str_puts(&does, "no ");
  fs_str_puts(&does, text(k, "does"));
  if (*text(k, "routines"))
    fs_str_printf(&does, " (%s)", text(k, "routines"));
  if (*text(k, "by_hand"))
    fs_str_printf(&does, " (by hand: %s)", text(k, "by_hand"));
  cell_code(out, fs_str_text(&does));
  fs_str_free(&does);
}

static void put_empty(struct fs_str *out, int cells) {
  for (int k = 0; k < cells; k++) fs_str_puts(out, "<td></td>");
}

/* A value that the block read and that was computed only then. In the order of
 * put_kernels(). */
static void put_late_row(struct fs_str *out, const json_t *row, double most) {
  fs_str_puts(out, "<tr>");
  cell_text(out, "late");
  put_bars(out, number(row, "predicted"), number(row, "measured"), most);
  cell_prediction(out, row);
  cell_seconds(out, number(row, "measured"));
  fs_str_puts(out, "<td align=\"right\">");
  put_ratio(out, row, "", "");
  fs_str_puts(out, "</td>");
  put_empty(out, 2);
  cell_bytes(out, number(row, "bytes"));
  cell_code(out, text(row, "does"));
  fs_str_puts(out, "</tr>\n");
}

/* In the order of put_kernels(). */
static void put_kernel_row(struct fs_str *out, const json_t *k, double most, bool cold) {
  double predicted = number(k, "predicted"), measured = number(k, "measured");
  fs_str_puts(out, "<tr><td align=\"left\">" LEFT);
  put_text(out, text(k, "id"));
  fs_str_puts(out, " ");
  put_text(out, text(k, "scheme"));
  const char *joint = text(k, "joint");
  if (!strcmp(joint, "barrier")) fs_str_puts(out, ", behind a barrier");
  else if (!strcmp(joint, "beside")) fs_str_puts(out, ", in the same launch");
  fs_str_puts(out, END_LEFT "</td>");
  if (json_is_true(json_object_get(k, "left_out"))) {
    put_empty(out, 7);
  } else {
    put_bars(out, predicted, measured, most);
    cell_prediction(out, k);
    cell_seconds(out, measured);
    fs_str_puts(out, "<td align=\"right\">");
    if (measured > 0 && cold) fs_str_puts(out, "cold");
    else put_ratio(out, k, "", "");
    fs_str_puts(out, "</td>");
    cell_share(out, number(k, "share"));
    cell_text(out, text(k, "bound"));
    cell_bytes(out, number(k, "moves"));
  }
  put_does(out, k);
  fs_str_puts(out, "</tr>\n");
}

static void put_unfused_row(struct fs_str *out, const json_t *plan,
                            double most) {
  const json_t *u = json_object_get(plan, "unfused");
  if (!json_is_object(u)) return;
  fs_str_puts(out, "<tr>");
  cell_text(out, "unfused");
  put_bars(out, number(u, "predicted"), NAN, most);
  cell_prediction(out, u);
  fs_str_puts(out, "<td align=\"right\">~</td>");
  put_empty(out, 3);
  cell_bytes(out, number(u, "bytes"));
  fs_str_puts(out, "<td align=\"left\">" LEFT);
  put_plural(out, number(u, "kernels"), "kernel");
  fs_str_puts(out, END_LEFT "</td></tr>\n");
}

static void put_kernels(struct fs_str *out, const json_t *plan) {
  static const char *const heads[] = {
      "<kernel", "<predicted, measured", "predicted", "measured", "ratio",
      "of the limit", "<bound", "moves", "<does", NULL};
  size_t i;
  const json_t *k;
  double most = longest(plan);
  open_table(out, heads);
  json_array_foreach(json_object_get(plan, "late"), i, k) put_late_row(out, k, most);
  json_array_foreach(json_object_get(plan, "kernels"), i, k)
    put_kernel_row(out, k, most, json_is_true(json_object_get(plan, "cold")));
  put_unfused_row(out, plan, most);
  close_table(out);
}

/* -- details of a kernel ---------------------------------------------------------------- */

static void put_type(struct fs_str *out, const json_t *t) {
  size_t k;
  const json_t *d;
  put_text(out, text(t, "dtype"));
  json_array_foreach(json_object_get(t, "shape"), k, d)
    fs_str_printf(out, "%s%lld", k ? "\u00d7" : " ",
                  (long long)json_integer_value(d));
}

static void put_traffic(struct fs_str *out, const json_t *kernel,
                        const char *key) {
  size_t i;
  const json_t *t;
  json_array_foreach(json_object_get(kernel, key), i, t) {
    fs_str_puts(out, "<tr>");
    cell_text(out, key);
    fs_str_puts(out, "<td align=\"left\">" LEFT);
    put_type(out, t);
    fs_str_puts(out, END_LEFT "</td>");
    cell_bytes(out, number(t, "bytes"));
    cell_code(out, text(t, "name"));
    fs_str_puts(out, "</tr>\n");
  }
}

static void put_phase(struct fs_str *out, const json_t *phase) {
  if (json_is_integer(phase))
    fs_str_printf(out, "sweep %lld", (long long)json_integer_value(phase) + 1);
  else fs_str_puts(out, "the end");
}

static void put_elements(struct fs_str *out, const json_t *kernel) {
  static const char *const heads[] = {"<on chip", "<type", "<where", "bytes",
                                      "<from", "<to", "<value", NULL};
  size_t i;
  const json_t *e, *list = json_object_get(kernel, "elements");
  if (!json_array_size(list)) return;
  open_table(out, heads);
  json_array_foreach(list, i, e) {
    fs_str_puts(out, "<tr>");
    cell_text(out, text(e, "id"));
    cell_text(out, text(e, "dtype"));
    cell_text(out, text(e, "storage"));
    cell_bytes(out, number(e, "bytes"));
    fs_str_puts(out, "<td align=\"left\">" LEFT);
    put_phase(out, json_object_get(e, "from"));
    fs_str_puts(out, END_LEFT "</td><td align=\"left\">" LEFT);
    put_phase(out, json_object_get(e, "to"));
    fs_str_puts(out, END_LEFT "</td>");
    cell_code(out, text(e, "is"));
    fs_str_puts(out, "</tr>\n");
  }
  close_table(out);
}

/* The compiler's count; the estimate where there is none yet, or beside it where it
 * is another. */
static void put_registers(struct fs_str *out, const json_t *o) {
  const json_t *guess = json_object_get(o, "estimated");
  double registers = number(o, "registers");
  bool compiled = json_is_true(json_object_get(o, "compiled"));
  if (isnan(registers)) return;
  fs_str_printf(out, " a block, %s%.0f registers each", compiled ? "" : "about ",
                registers);
  if (compiled && number(guess, "registers") != registers)
    fs_str_printf(out, " (estimated %.0f)", number(guess, "registers"));
  if (number(o, "spilled_bytes") > 0) {
    fs_str_puts(out, ", ");
    put_bytes(out, number(o, "spilled_bytes"));
    fs_str_puts(out, " of each spilled");
  }
}

static void put_occupancy(struct fs_str *out, const json_t *kernel) {
  const json_t *o = json_object_get(kernel, "occupancy");
  if (!json_is_object(o)) return;
  fs_str_puts(out, "<p>");
  put_plural(out, number(o, "threads"), "thread");
  put_registers(out, o);
  if (number(o, "shared_bytes") > 0) {
    fs_str_puts(out, ", ");
    put_bytes(out, number(o, "shared_bytes"));
    fs_str_puts(out, " shared memory a block");
  }
  if (number(o, "cache_bytes") > 0) {
    fs_str_puts(out, ", ");
    put_bytes(out, number(o, "cache_bytes"));
    fs_str_puts(out, " in the caches of each");
  }
  fs_str_printf(out, ", %.0f pieces of work; %.0f %% of the device is in use",
                number(o, "blocks"), 100 * number(o, "share"));
  double held = number(o, "per_unit");
  double guess = number(json_object_get(o, "estimated"), "per_unit");
  if (!isnan(guess) && guess != held)
    fs_str_printf(out, " (%.0f blocks on a multiprocessor, estimated %.0f)", held,
                  guess);
  if (*text(o, "limit")) {
    fs_str_puts(out, ", limited by ");
    put_text(out, text(o, "limit"));
  }
  fs_str_puts(out, "</p>\n");
}

static void put_one_kernel(struct fs_str *out, const json_t *k) {
  static const char *const heads[] = {"<memory", "<type", "bytes", "<name", NULL};
  fs_str_puts(out, "<p><strong>");
  put_text(out, text(k, "id"));
  fs_str_puts(out, "</strong> <code>");
  put_text(out, text(k, "does"));
  fs_str_puts(out, "</code></p>\n");
  put_occupancy(out, k);
  open_table(out, heads);
  put_traffic(out, k, "reads");
  put_traffic(out, k, "writes");
  close_table(out);
  put_elements(out, k);
}

static void put_chip(struct fs_str *out, const json_t *plan) {
  size_t i;
  const json_t *k;
  open_details(out, "memory and chip");
  json_array_foreach(json_object_get(plan, "kernels"), i, k)
    put_one_kernel(out, k);
  if (number(plan, "peak_bytes") > 0) {
    fs_str_puts(out, "<p>results and temporaries: ");
    put_bytes(out, number(plan, "peak_bytes"));
    fs_str_puts(out, " at most</p>\n");
  }
  close_details(out);
}

/* -- reasons, alternatives, code ---------------------------------------------------------- */

/* Text in which `...` is code. */
static void put_marked(struct fs_str *out, const char *s) {
  bool code = false;
  while (*s) {
    size_t n = strcspn(s, "`");
    fs_str_put_html(out, s, n);
    s += n;
    if (!*s) break;
    code = !code;
    fs_str_puts(out, code ? "<code>" : "</code>");
    s++;
  }
  if (code) fs_str_puts(out, "</code>");
}

static void put_reasons(struct fs_str *out, const json_t *plan) {
  size_t i;
  const json_t *k;
  bool open = false;
  json_array_foreach(json_object_get(plan, "kernels"), i, k) {
    if (!*text(k, "why_split")) continue;
    if (!open) open_details(out, "why these kernels");
    if (!open) fs_str_puts(out, "<ul>\n");
    open = true;
    fs_str_puts(out, "<li>");
    put_text(out, text(k, "id"));
    fs_str_puts(out, " is a kernel of its own: ");
    put_marked(out, text(k, "why_split"));
    fs_str_puts(out, "</li>\n");
  }
  if (open) fs_str_puts(out, "</ul>\n");
  if (open) close_details(out);
}

static void put_alternative(struct fs_str *out, const json_t *a, bool last) {
  size_t i;
  const json_t *k;
  bool chosen = json_is_true(json_object_get(a, "chosen"));
  fs_str_puts(out, "<tr><td align=\"right\">");
  if (!isnan(number(a, "rank"))) fs_str_printf(out, "%.0f", number(a, "rank"));
  else fs_str_puts(out, last ? "unfused" : "in use");
  fs_str_puts(out, chosen ? " \u2190</td>" : "</td>");
  cell_prediction(out, a);
  fs_str_printf(out, "<td align=\"right\">%.0f</td>", number(a, "launches"));
  cell_bytes(out, number(a, "bytes"));
  cell_bytes(out, number(a, "peak_bytes"));
  fs_str_puts(out, "<td align=\"left\">" LEFT);
  json_array_foreach(json_object_get(a, "kernels"), i, k) {
    fs_str_puts(out, i ? "<br>" : "");
    const json_t *space = json_object_get(k, "space");
    put_text(out, text(k, "scheme"));
    if (json_integer_value(json_array_get(space, 0)) > 1)
      fs_str_printf(out, " %lld\u00d7%lld",
                    (long long)json_integer_value(json_array_get(space, 0)),
                    (long long)json_integer_value(json_array_get(space, 1)));
    fs_str_puts(out, ": <code>");
    put_text(out, text(k, "does"));
    fs_str_puts(out, "</code>");
    if (*text(k, "routines")) {
      fs_str_puts(out, " ");
      put_text(out, text(k, "routines"));
    }
  }
  fs_str_puts(out, END_LEFT "</td></tr>\n");
}

static void put_alternatives(struct fs_str *out, const json_t *plan) {
  static const char *const heads[] = {"rank", "predicted", "launches", "moves",
                                      "peak", "<kernels", NULL};
  const json_t *list = json_object_get(plan, "alternatives"), *a;
  size_t i;
  if (!json_array_size(list)) return;
  open_details(out, "alternatives");
  open_table(out, heads);
  json_array_foreach(list, i, a)
    put_alternative(out, a, i + 1 == json_array_size(list));
  close_table(out);
  close_details(out);
}

static void put_code(struct fs_str *out, const json_t *plan) {
  const json_t *list = json_object_get(plan, "code"), *c;
  size_t i;
  if (!json_array_size(list)) return;
  open_details(out, "code");
  json_array_foreach(list, i, c) {
    const char *s = json_string_value(c);
    size_t len = s ? strlen(s) : 0, cut = FS_MIN(len, (size_t)MOST_CODE);
    while (cut < len && ((unsigned char)s[cut] & 0xc0) == 0x80) cut++;
    fs_str_puts(out, "<pre>");
    if (s) fs_str_put_html(out, s, cut);
    if (cut < len) fs_str_puts(out, "\n...");
    fs_str_puts(out, "</pre>\n");
  }
  close_details(out);
}

/* -- the graph ------------------------------------------------------------------------------ */

/* width="412pt" of the element, in pixels. */
static int svg_width(const char *svg) {
  const char *at = strstr(svg, "width=\"");
  int width = at ? (int)(strtod(at + 7, NULL) * 4 / 3) : 0;
  return FS_MAX(FS_MIN(width, MOST_WIDTH), 40);
}

static void put_graph(struct fs_str *out, const char *svg) {
  if (!svg) return;
  size_t len = strlen(svg);
  size_t size = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
  char *code = fs_malloc(size);
  sodium_bin2base64(code, size, (const unsigned char *)svg, len,
                    sodium_base64_VARIANT_ORIGINAL);
  open_details(out, "graph");
  fs_str_printf(out, "<img alt=\"the kernels and what passes between them\" "
                     "width=\"%d\" src=\"data:image/svg+xml;base64,",
                svg_width(svg));
  fs_str_puts(out, code);
  fs_str_puts(out, "\">\n");
  close_details(out);
  free(code);
}

/* -- all of it --------------------------------------------------------------------------------- */

static void put_foot(struct fs_str *out, const json_t *plan) {
  fs_str_puts(out, "<p><small>planned in ");
  put_seconds(out, number(plan, "planned_s"));
  bool like = json_is_true(json_object_get(plan, "like"));
  if (like) fs_str_puts(out, " \u00b7 like another size");
  if (!like && number(plan, "candidates") > 0) {
    fs_str_puts(out, " \u00b7 ");
    put_plural(out, number(plan, "candidates"), "candidate");
  }
  if (!like && number(plan, "combinations") > 0) {
    fs_str_puts(out, " \u00b7 ");
    bool more = json_is_true(json_object_get(json_object_get(plan, "space"), "more"));
    if (more) fs_str_puts(out, "more than ");
    put_plural(out, number(plan, "combinations"), "combination");
  }
  if (number(plan, "jit_s") > 0) {
    fs_str_puts(out, " \u00b7 compiled in ");
    put_seconds(out, number(plan, "jit_s"));
    if (json_is_true(json_object_get(plan, "quick"))) fs_str_puts(out, ", as quick code");
  }
  if (*text(plan, "arithmetic")) {
    fs_str_puts(out, " \u00b7 ");
    put_text(out, text(plan, "arithmetic"));
  }
  if (*text(plan, "loops")) {
    fs_str_puts(out, " \u00b7 loops ");
    put_text(out, text(plan, "loops"));
  }
  if (number(plan, "rounds") > 1)
    fs_str_printf(out, " \u00b7 would run \u00d7%.0f", number(plan, "rounds"));
  if (*text(plan, "quality")) {
    fs_str_puts(out, " \u00b7 ");
    put_text(out, text(plan, "quality"));
  }
  if (*text(plan, "device")) {
    fs_str_puts(out, " \u00b7 ");
    put_text(out, text(plan, "device"));
  }
  const json_t *account = json_object_get(plan, "account");
  if (account) {
    const struct fs_look look = {.utf8 = true};
    struct fs_str words = {0};
    fs_str_puts(out, "<br>all of the input: ");
    put_seconds(out, number(account, "wall"));
    fs_str_puts(out, " \u00b7 ");
    fs_account_put(account, " \u00b7 ", &look, &words);
    put_text(out, fs_str_text(&words));
    fs_str_free(&words);
  }
  fs_str_puts(out, "</small></p>\n");
}

static void put_plan(const json_t *plan, const char *svg, bool whole, struct fs_str *out) {
  if (!json_array_size(json_object_get(plan, "kernels"))) return;
  fs_str_puts(out, "<details>\n<summary>");
  put_head(out, plan);
  fs_str_puts(out, "</summary>\n");
  put_kernels(out, plan);
  put_graph(out, svg);
  put_reasons(out, plan);
  put_alternatives(out, plan);
  if (whole) put_chip(out, plan);
  if (whole) put_code(out, plan);
  put_foot(out, plan);
  close_details(out);
}

void fs_plan_put_html(const json_t *plan, const char *svg, struct fs_str *out) {
  put_plan(plan, svg, false, out);
}

json_t *fs_plan_brief(const json_t *plan) {
  static const char *const kept[] = {"id", "scheme", "joint", "does", "space", "statements",
                                     "sweeps", "why_split", "copies", "moves", "bound",
                                     "predicted", "measured", "ratio", "setting", "by_hand"};
  const json_t *k;
  size_t i;
  json_t *brief = json_copy((json_t *)(uintptr_t)plan), *kernels = json_array();
  json_array_foreach(json_object_get(plan, "kernels"), i, k) {
    json_t *one = json_object();
    for (size_t n = 0; n < FS_LEN(kept); n++)
      if (json_object_get(k, kept[n])) json_object_set(one, kept[n], json_object_get(k, kept[n]));
    json_array_append_new(kernels, one);
  }
  json_object_del(brief, "account"); /* the table has it */
  json_object_del(brief, "space");
  json_object_set_new(brief, "kernels", kernels);
  return brief;
}

void fs_plan_put_page(const json_t *plan, const char *svg, struct fs_str *out) {
  fs_str_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n<title>Fusible: block ");
  fs_str_printf(out, "%.0f</title>\n</head>\n<body>\n",
                fmax(number(plan, "block"), 0));
  size_t at = out->len;
  put_plan(plan, svg, true, out);
  /* The outermost fold is open: the page is about nothing else. */
  static const char closed[] = "<details>", open[] = "<details open>";
  if (out->len > at) {
    struct fs_str rest = {0};
    fs_str_puts(&rest, out->data + at + strlen(closed));
    out->len = at;
    fs_str_puts(out, open);
    fs_str_puts(out, fs_str_text(&rest));
    fs_str_free(&rest);
  }
  fs_str_puts(out, "</body>\n</html>\n");
}
