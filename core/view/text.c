/* text.c - a plan as a line or a box, see view.h. Reads the plan event's JSON, knows
 * nothing of where the text goes. What is not known shows as a dash, never as 0. */
#include "core/view/view.h"

#include <math.h>

/* Below this, launching and the clock are most of what is measured. */
static const double WORTH_A_HINT = 50e-6;

enum { COLS = 7, DOES = 1, BOX_MIN = 48, BOX_MAX = 110, DOES_MIN = 14,
       DOES_LINES = 3 };

/* -- reading the event ----------------------------------------------------- */

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static double moves_of(const json_t *kernel) {
  double m = number(kernel, "moves");
  if (!isnan(m)) return m;
  return number(kernel, "bytes_read") + number(kernel, "bytes_written");
}

/* Whether a kernel is a phase of the launch before it. */
static bool is_joined(const json_t *kernel) {
  const char *joint = text(kernel, "joint");
  return *joint && strcmp(joint, "launch");
}

/* A copy that the run did without. */
static bool is_left_out(const json_t *kernel) {
  return json_is_true(json_object_get(kernel, "left_out"));
}

int fs_plan_kernels(const json_t *plan) {
  const json_t *kernel;
  size_t k;
  int n = 0;
  json_array_foreach(json_object_get(plan, "kernels"), k, kernel)
    n += !is_left_out(kernel);
  return n;
}

/* The sum over all kernels that ran; not a number as soon as one is not known. */
static double total(const json_t *plan, const char *key) {
  const json_t *kernels = json_object_get(plan, "kernels"), *k;
  size_t i;
  double sum = 0;
  bool measured = !strcmp(key, "measured");
  json_array_foreach(kernels, i, k)
    if (!is_left_out(k) && (!measured || !is_joined(k) || !isnan(number(k, key))))
      sum += strcmp(key, "moves") ? number(k, key) : moves_of(k);
  return sum;
}

/* -- small texts ----------------------------------------------------------- */

static const char *sep(const struct fs_look *look) {
  return look->utf8 ? " · " : " | ";
}

static void put_plural(struct fs_str *out, double n, const char *noun) {
  fs_str_printf(out, "%.0f %s%s", n, noun, n == 1 ? "" : "s");
}

static void put_seconds(struct fs_str *out, const struct fs_look *look,
                        double s) {
  if (isnan(s)) fs_str_puts(out, look->utf8 ? "—" : "-");
  else fs_str_put_seconds(out, s);
}

bool fs_plan_taught(double first, double predicted) {
  struct fs_str was = {0}, is = {0};
  if (!(fabs(predicted / first - 1) > 0.005)) return false;
  fs_str_put_seconds(&was, first);
  fs_str_put_seconds(&is, predicted);
  bool other = strcmp(fs_str_text(&was), fs_str_text(&is)) != 0;
  fs_str_free(&was);
  fs_str_free(&is);
  return other;
}

void fs_plan_put_prediction(struct fs_str *out, const struct fs_look *look,
                            double first, double predicted, bool ran) {
  if (isnan(predicted)) {
    fs_str_puts(out, "unknown");
    return;
  }
  if (!ran) fs_str_puts(out, "~");
  if (fs_plan_taught(first, predicted)) {
    put_seconds(out, look, first);
    fs_str_puts(out, look->utf8 ? " \u2192 " : " -> ");
  }
  put_seconds(out, look, predicted);
}

void fs_plan_put_elapsed(struct fs_str *out, double seconds, double expected) {
  static const double OVER = 1.2; /* what a good prediction is off by */
  fs_str_printf(out, " %.0f s", seconds);
  if (isnan(expected)) return;
  bool over = seconds > OVER * expected;
  fs_str_puts(out, over ? ", ~" : " of ~");
  fs_str_put_seconds(out, expected);
  if (over) fs_str_puts(out, " were expected");
}

static bool has_run(const json_t *plan) {
  const json_t *runs = json_object_get(plan, "runs");
  return !json_is_number(runs) || json_number_value(runs) > 0;
}

static void put_bytes(struct fs_str *out, const struct fs_look *look,
                      double b) {
  if (isnan(b)) fs_str_puts(out, look->utf8 ? "—" : "-");
  else fs_str_put_bytes(out, b);
}

static void put_ratio(struct fs_str *out, const struct fs_look *look,
                      double ratio) {
  if (isnan(ratio) || isinf(ratio)) return;
  fs_str_printf(out, "%s%.2f", look->utf8 ? "×" : "x", ratio);
}

/* Where nothing was calibrated, a prediction is a guess, and no ratio bad. */
static bool is_guess(const json_t *plan) {
  return !strcmp(text(plan, "quality"), "uncalibrated");
}

/* Twice as slow and twice as fast are equally far off. */
static const char *ratio_color(double ratio, bool guess) {
  if (isnan(ratio) || ratio <= 0 || guess) return "";
  double off = fabs(log2(ratio));
  return off > 1 ? "31" : off > 0.35 ? "33" : "32";
}

static bool far_off(double ratio) {
  return !isnan(ratio) && ratio > 0 && fabs(log2(ratio)) > 1;
}

static void put_colored(struct fs_str *out, const struct fs_look *look,
                        const char *color, const char *words) {
  bool on = look->color && *color && *words;
  if (on) fs_str_printf(out, "\033[%sm", color);
  fs_str_puts(out, words);
  if (on) fs_str_puts(out, "\033[0m");
}

static int width_of(const char *s) { return fs_utf8_width(s, strlen(s)); }

/* Where the locale is not UTF-8, signs that came with the text are replaced,
 * each by one column. */
static void put_for_locale(struct fs_str *out, const struct fs_look *look,
                           const char *s) {
  static const struct { uint32_t code; char ascii; } signs[] = {
    {0xb5, 'u'}, {0x3bc, 'u'}, {0xb7, '.'}, {0xd7, 'x'}, {0x2014, '-'},
    {0x2026, '~'}, {0x2192, '>'}, {0x2032, '\''},
  };
  if (look->utf8) {
    fs_str_puts(out, s);
    return;
  }
  for (size_t len = strlen(s); len;) {
    uint32_t code = 0;
    int n = fs_utf8_decode(s, len, &code);
    char ascii = code < 128 ? (char)code : '?';
    for (size_t i = 0; i < FS_LEN(signs); i++)
      if (signs[i].code == code) ascii = signs[i].ascii;
    fs_str_put(out, n == 1 ? s : &ascii, 1);
    s += FS_MAX(n, 1);
    len -= (size_t)FS_MAX(n, 1);
  }
}

/* -- one line -------------------------------------------------------------- */

/* The bytes and the times of a line; what is not known is not a number. */
struct sums {
  double moves, predicted, measured, first, ratio; /* predicted NaN: it depends on data */
  bool explained; /* not run */
  bool cold;      /* nothing but first runs: no ratio */
  bool guess;     /* by a model that was not calibrated */
};

/* Whether it ran as quickly compiled code, whose time says nothing of the plan. */
static bool is_quick(const json_t *plan) {
  return json_is_true(json_object_get(plan, "quick"));
}

/* Goes on with what `head` says: dim but for the ratio, which is worth a hint
 * where it is far off. */
static void put_sums(const struct fs_str *head, const struct sums *t,
                     const char *hint, const char *tail, const struct fs_look *look,
                     struct fs_str *out) {
  double ratio = t->ratio;
  struct fs_str line = {0}, words = {0};
  fs_str_put(&line, fs_str_text(head), head->len);
  fs_str_printf(&line, "%spredicted ", sep(look));
  fs_plan_put_prediction(&line, look, t->first, t->predicted, !t->explained);
  if (isnan(t->predicted)) fs_str_puts(&line, " (depends on data)");
  if (!isnan(t->measured)) {
    fs_str_printf(&line, "%smeasured ", sep(look));
    put_seconds(&line, look, t->measured);
    if (t->cold) fs_str_puts(&line, " (cold)");
  }
  put_for_locale(&words, look, fs_str_text(&line));
  put_colored(out, look, "2", fs_str_text(&words));
  fs_str_clear(&words);
  put_ratio(&words, look, ratio);
  if (words.len) {
    put_colored(out, look, "2", " (");
    put_colored(out, look, ratio_color(ratio, t->guess), fs_str_text(&words));
    put_colored(out, look, "2", ")");
  }
  fs_str_clear(&words);
  put_for_locale(&words, look, tail);
  if (far_off(ratio) && !t->guess && t->measured > WORTH_A_HINT)
    fs_str_printf(&words, "%s%s", sep(look), hint);
  put_colored(out, look, "2", fs_str_text(&words));
  fs_str_puts(out, "\n");
  fs_str_free(&words);
  fs_str_free(&line);
}

/* Whether all runs were cold: of new memory, or the block's first. */
static bool is_cold(const json_t *plan) {
  return json_is_true(json_object_get(plan, "cold"));
}

/* ", 0.250 to 0.310 ms · 138 ms in all" of a loop; what was not timed is not added up. */
static void put_all_runs(const json_t *plan, const struct fs_look *look,
                         struct fs_str *out) {
  double runs = number(plan, "runs"), timed = number(plan, "timed");
  double low = number(plan, "low"), high = number(plan, "high");
  if (!(runs > 1) || !(timed > 0)) return;
  if (!isnan(low)) {
    fs_str_puts(out, ", ");
    put_seconds(out, look, low);
    fs_str_puts(out, " to ");
    put_seconds(out, look, high);
  }
  fs_str_puts(out, sep(look));
  put_seconds(out, look, number(plan, "total"));
  if (timed < runs) fs_str_printf(out, " in %.0f timed of %.0f", timed, runs);
  else fs_str_puts(out, " in all");
}

/* " · late A 101 ms": what the block had to compute first. */
static void put_late(const json_t *plan, const struct fs_look *look, struct fs_str *out) {
  size_t k;
  const json_t *row;
  json_array_foreach(json_object_get(plan, "late"), k, row) {
    const char *name = text(row, "name");
    fs_str_printf(out, "%slate ", sep(look));
    fs_str_put_safe(out, *name ? name : "value", *name ? strlen(name) : 5);
    fs_str_puts(out, " ");
    put_seconds(out, look, number(row, "total"));
  }
}

void fs_plan_put_line(const json_t *plan, const struct fs_look *look,
                      struct fs_str *out) {
  const json_t *kernels = json_object_get(plan, "kernels"), *k, *first = NULL;
  int n = fs_plan_kernels(plan);
  size_t i;
  if (!n) return;
  json_array_foreach(kernels, i, k)
    if (!first && !is_left_out(k)) first = k;
  double runs = number(plan, "runs");
  struct sums t = {total(plan, "moves"), total(plan, "predicted"),
                   number(plan, "measured"), total(plan, "first"), number(plan, "ratio"),
                   !has_run(plan), is_cold(plan), is_guess(plan)};
  struct fs_str head = {0}, tail = {0};
  put_plural(&head, (double)n, "kernel");
  const char *scheme = text(first, "scheme");
  if (n == 1 && *scheme) fs_str_printf(&head, " (%s)", scheme);
  fs_str_puts(&head, sep(look));
  put_bytes(&head, look, t.moves);
  if (runs > 1)
    fs_str_printf(&head, "%s%s%.0f, each", sep(look), look->utf8 ? "×" : "x", runs);
  if (is_quick(plan)) fs_str_printf(&head, "%squick code", sep(look));
  put_all_runs(plan, look, &tail);
  put_late(plan, look, &tail);
  put_sums(&head, &t, ":plan", fs_str_text(&tail), look, out);
  fs_str_free(&head);
  fs_str_free(&tail);
}

/* All of an input: what its account adds up, which has also what was too much for events
 * of its own. */
void fs_plan_put_summary(const json_t *plans, const struct fs_look *look,
                         struct fs_str *out) {
  const json_t *last = json_array_get(plans, json_array_size(plans) - 1);
  const json_t *all = json_object_get(last, "account"), *runs = json_object_get(all, "runs");
  double blocks = number(all, "blocks"), n = number(runs, "runs");
  double timed = number(runs, "timed");
  if (!all) return;
  struct sums t = {number(all, "bytes"), number(all, "predicted"),
                   number(all, "measured"), number(all, "first"), number(all, "ratio"),
                   false, isnan(number(all, "ratio")) && is_cold(last), is_guess(last)};
  struct fs_str head = {0}, tail = {0};
  put_plural(&head, blocks, "block");
  if (n > blocks) {
    fs_str_puts(&head, ", ");
    put_plural(&head, n, "run");
  }
  fs_str_puts(&head, sep(look));
  fs_str_printf(&head, "%.0f launch%s", number(all, "launches"),
                number(all, "launches") == 1 ? "" : "es");
  fs_str_puts(&head, sep(look));
  put_bytes(&head, look, t.moves);
  if (timed < n) fs_str_printf(&tail, " (%.0f of %.0f runs timed)", timed, n);
  put_sums(&head, &t, ":plan all", fs_str_text(&tail), look, out);
  fs_str_free(&head);
  fs_str_free(&tail);
}

/* -- the table of the box -------------------------------------------------- */

struct row {
  char *cell[COLS];
  const char *color[COLS];
};

struct box {
  const struct fs_look *look;
  struct fs_arena *arena;
  FS_VEC(struct row) rows;
  int width[COLS]; /* 0: the column is not shown           */
  int gap, inner;  /* columns between cells, between frames */
  struct fs_str title, account, footer;
  bool cold, guess;
  struct fs_str *out;
};

static char *keep(struct box *b, struct fs_str *s) {
  struct fs_str fit = {0};
  put_for_locale(&fit, b->look, fs_str_text(s));
  char *kept = fs_arena_strndup(b->arena, fs_str_text(&fit), fit.len);
  fs_str_free(&fit);
  fs_str_clear(s);
  return kept;
}

static struct row *add_row(struct box *b) {
  struct row *r = FS_PUSH(&b->rows);
  for (int c = 0; c < COLS; c++) r->cell[c] = (char *)"", r->color[c] = "";
  return r;
}

static void add_header(struct box *b) {
  static const char *const names[COLS] = {
    "kernel", "does", "moves", "predicted", "measured", "ratio",
    "of the limit"};
  struct row *r = add_row(b);
  for (int c = 0; c < COLS; c++) {
    r->cell[c] = fs_arena_strndup(b->arena, names[c], strlen(names[c]));
    r->color[c] = "2";
  }
}

/* A value that the block read and that was computed only then. */
static void add_late(struct box *b, const json_t *row) {
  struct row *r = add_row(b);
  struct fs_str s = {0};
  double ratio = number(row, "ratio");
  fs_str_puts(&s, "late");
  r->cell[0] = keep(b, &s);
  fs_str_put_safe(&s, text(row, "does"), strlen(text(row, "does")));
  if (number(row, "runs") > 1)
    fs_str_printf(&s, " %s%.0f", b->look->utf8 ? "×" : "x", number(row, "runs"));
  r->cell[DOES] = keep(b, &s);
  put_bytes(&s, b->look, number(row, "bytes"));
  r->cell[2] = keep(b, &s);
  fs_plan_put_prediction(&s, b->look, number(row, "first"), number(row, "predicted"), true);
  r->cell[3] = keep(b, &s);
  put_seconds(&s, b->look, number(row, "measured"));
  r->cell[4] = keep(b, &s);
  put_ratio(&s, b->look, ratio);
  if (is_cold(row)) fs_str_puts(&s, "cold");
  r->cell[5] = keep(b, &s);
  r->color[5] = ratio_color(ratio, b->guess);
  fs_str_free(&s);
}

static void add_kernel(struct box *b, const json_t *k, bool ran) {
  struct row *r = add_row(b);
  struct fs_str s = {0};
  double predicted = number(k, "predicted"), measured = number(k, "measured");
  double ratio = number(k, "ratio"), share = number(k, "share");
  fs_str_put_safe(&s, text(k, "id"), strlen(text(k, "id")));
  fs_str_puts(&s, " ");
  fs_str_put_safe(&s, text(k, "scheme"), strlen(text(k, "scheme")));
  r->cell[0] = keep(b, &s);
  if (is_joined(k))
    fs_str_puts(&s, strcmp(text(k, "joint"), "barrier") ? "(same launch) "
                                                        : "(barrier) ");
  if (is_left_out(k)) fs_str_puts(&s, "no "); /* copy before x[1] = 0 */
  fs_str_put_safe(&s, text(k, "does"), strlen(text(k, "does")));
  if (*text(k, "routines"))
    fs_str_printf(&s, " (%s)", text(k, "routines"));
  if (*text(k, "by_hand")) fs_str_printf(&s, " (by hand: %s)", text(k, "by_hand"));
  r->cell[DOES] = keep(b, &s);
  if (is_left_out(k)) {
    for (int c = DOES + 1; c < COLS; c++) r->cell[c] = keep(b, &s);
    fs_str_free(&s);
    return;
  }
  put_bytes(&s, b->look, moves_of(k));
  r->cell[2] = keep(b, &s);
  fs_plan_put_prediction(&s, b->look, number(k, "first"), predicted, ran);
  r->cell[3] = keep(b, &s);
  if (is_joined(k) && isnan(measured) && ran) fs_str_puts(&s, "\"");
  else put_seconds(&s, b->look, measured);
  r->cell[4] = keep(b, &s);
  put_ratio(&s, b->look, ratio);
  if (b->cold && !isnan(measured)) fs_str_puts(&s, "cold");
  r->cell[5] = keep(b, &s);
  r->color[5] = ratio_color(ratio, b->guess);
  if (!isnan(share)) fs_str_printf(&s, "%.0f %%", 100 * share);
  else if (!isnan(measured)) put_seconds(&s, b->look, share); /* a dash: it has no limit */
  r->cell[6] = keep(b, &s);
  fs_str_free(&s);
}

/* What the block would cost without fusion: predicted only, hence the ~. */
static void add_unfused(struct box *b, const json_t *plan) {
  const json_t *u = json_object_get(plan, "unfused");
  if (!json_is_object(u)) return;
  struct row *r = add_row(b);
  struct fs_str s = {0};
  fs_str_puts(&s, "unfused");
  r->cell[0] = keep(b, &s);
  put_plural(&s, number(u, "kernels"), "kernel");
  r->cell[DOES] = keep(b, &s);
  put_bytes(&s, b->look, number(u, "bytes"));
  r->cell[2] = keep(b, &s);
  fs_plan_put_prediction(&s, b->look, number(u, "first"), number(u, "predicted"),
                         has_run(plan));
  r->cell[3] = keep(b, &s);
  fs_str_puts(&s, has_run(plan) ? "~" : "");
  r->cell[4] = keep(b, &s);
  for (int c = 0; c < COLS; c++) r->color[c] = "2";
  fs_str_free(&s);
}

/* -- layout ---------------------------------------------------------------- */

static void measure(struct box *b) {
  for (int i = 0; i < b->rows.len; i++)
    for (int c = 0; c < COLS; c++)
      b->width[c] = FS_MAX(b->width[c], width_of(b->rows.data[i].cell[c]));
}

static int taken(const struct box *b) {
  int sum = 2; /* a space inside each frame */
  for (int c = 0; c < COLS; c++)
    if (b->width[c]) sum += b->width[c] + (c ? b->gap : 0);
  return sum;
}

/* Narrows in steps until `does` has room: smaller gaps, a shorter heading,
 * then without the limit, the ratio, the bytes. */
static void lay_out(struct box *b) {
  static const int dropped[] = {6, 5, 2};
  measure(b);
  int wanted = FS_MAX(b->width[DOES], 4), room;
  b->gap = 3;
  b->width[DOES] = 0;
  int fixed = taken(b) + b->gap;
  b->inner = FS_MIN(b->look->width, BOX_MAX) - 2;
  int least = FS_MIN(wanted, DOES_MIN);
  for (int step = 0; (room = b->inner - fixed) < FS_MIN(wanted, 30); step++) {
    if (step == 0) b->gap = 2;
    else if (step == 1) {
      b->rows.data[0].cell[6] = (char *)"limit";
      b->width[6] = 5;
    } else if (room >= least || step - 2 >= (int)FS_LEN(dropped)) break;
    else b->width[dropped[step - 2]] = 0;
    fixed = taken(b) + b->gap;
  }
  b->width[DOES] = FS_MAX(FS_MIN(wanted, room), 4);
  /* Numbers stand beside the text, not at the far edge of a wide screen. */
  int words = FS_MAX(width_of(fs_str_text(&b->title)),
                     width_of(fs_str_text(&b->footer)));
  b->inner = FS_MIN(b->inner, FS_MAX(taken(b), words + 2));
  b->width[DOES] += b->inner - taken(b);
}

static void pad(struct fs_str *out, int n) {
  for (; n > 0; n--) fs_str_puts(out, " ");
}

static void put_frame(struct box *b, const char *utf8, const char *ascii) {
  put_colored(b->out, b->look, "2", b->look->utf8 ? utf8 : ascii);
}

static void put_cell(struct box *b, int c, const char *s, size_t len,
                     const char *color) {
  bool left = c <= DOES;
  int blank = b->width[c] - fs_utf8_width(s, len);
  char *words = fs_strndup(s, len);
  if (!left) pad(b->out, blank);
  put_colored(b->out, b->look, color, words);
  if (left) pad(b->out, blank);
  free(words);
}

/* How much of the text goes on this line: up to a "; " or a space if one is
 * near, else as much as fits. */
static size_t break_at(const char *s, int width) {
  size_t len = strlen(s), fit = fs_utf8_fitting(s, len, width), best = 0;
  if (fit == len) return len;
  for (size_t i = 1; i <= fit; i++)
    if (s[i] == ' ' && (s[i - 1] == ';' || i > fit / 2)) best = i;
  return best > fit / 3 ? best : fit;
}

static void put_row(struct box *b, const struct row *r) {
  const char *rest = r->cell[DOES];
  for (int line = 0; line < DOES_LINES && (line == 0 || *rest); line++) {
    size_t n = break_at(rest, b->width[DOES]);
    struct fs_str words = {0};
    bool elide = line + 1 == DOES_LINES && rest[n];
    if (elide) n = fs_utf8_fitting(rest, strlen(rest), b->width[DOES] - 1);
    fs_str_put(&words, rest, n);
    if (elide) fs_str_puts(&words, b->look->utf8 ? "…" : "~");
    put_frame(b, "│ ", "| ");
    for (int c = 0; c < COLS; c++) {
      if (!b->width[c]) continue;
      if (c) pad(b->out, b->gap);
      const char *cell = c == DOES  ? fs_str_text(&words)
                         : line == 0 ? r->cell[c] : "";
      put_cell(b, c, cell, strlen(cell), r->color[c]);
    }
    put_frame(b, " │", " |");
    fs_str_puts(b->out, "\n");
    fs_str_free(&words);
    rest += n;
    while (*rest == ' ') rest++;
  }
}

/* ╭ words ─────╮ ; words that do not fit are cut. */
static void put_edge(struct box *b, bool top, const char *words) {
  const char *utf8[2][2] = {{"╰", "╯"}, {"╭", "╮"}};
  struct fs_str rule = {0};
  size_t n = fs_utf8_fitting(words, strlen(words), b->inner - 2);
  int used = fs_utf8_width(words, n) + 2;
  put_frame(b, utf8[top][0], "+");
  fs_str_puts(b->out, " ");
  fs_str_put(b->out, words, n);
  fs_str_puts(b->out, " ");
  for (int i = used; i < b->inner; i++)
    fs_str_puts(&rule, b->look->utf8 ? "─" : "-");
  put_colored(b->out, b->look, "2", fs_str_text(&rule));
  put_frame(b, utf8[top][1], "+");
  fs_str_puts(b->out, "\n");
  fs_str_free(&rule);
}

/* Lines of words that are too long for one, up to what fits the last: gives that. */
static const char *put_lines(struct box *b, const char *rest, bool last) {
  const char *dot = sep(b->look);
  while (*rest && (last || width_of(rest) > b->inner - 2)) {
    size_t len = strlen(rest), fit = fs_utf8_fitting(rest, len, b->inner - 2), n = 0;
    bool all = fit == len;
    for (const char *c = rest; !all && (c = strstr(c, dot)); c++)
      if ((size_t)(c - rest) <= fit) n = (size_t)(c - rest);
    if (all || (last && !n)) n = fit;
    if (!n) break;
    put_frame(b, "│ ", "| ");
    fs_str_put(b->out, rest, n);
    pad(b->out, b->inner - 2 - fs_utf8_width(rest, n));
    put_frame(b, " │", " |");
    fs_str_puts(b->out, "\n");
    rest += n;
    if (!strncmp(rest, dot, strlen(dot))) rest += strlen(dot);
  }
  return rest;
}

/* What is too long for the lower edge goes on lines above it. */
static void put_footer(struct box *b) {
  put_lines(b, fs_str_text(&b->account), true);
  put_edge(b, false, put_lines(b, fs_str_text(&b->footer), false));
}

static void set_words(struct box *b, struct fs_str *to, struct fs_str *s) {
  put_for_locale(to, b->look, fs_str_text(s));
  fs_str_free(s);
}

/* Where several kernels share a launch. */
static void put_launches(struct fs_str *s, const json_t *plan) {
  double n = number(plan, "launches");
  if (!(n < fs_plan_kernels(plan))) return;
  fs_str_printf(s, " in %.0f launch%s", n, n == 1 ? "" : "es");
}

static void make_title(struct box *b, const json_t *plan) {
  struct fs_str s = {0};
  double block = number(plan, "block"), calls = number(plan, "calls");
  double saved = number(plan, "saved_bytes");
  if (!isnan(block)) fs_str_printf(&s, "block %.0f%s", block, sep(b->look));
  if (!isnan(calls)) {
    put_plural(&s, calls, "call");
    fs_str_puts(&s, b->look->utf8 ? " → " : " -> ");
  }
  put_plural(&s, fs_plan_kernels(plan), "kernel");
  put_launches(&s, plan);
  if (saved > 0) {
    fs_str_puts(&s, sep(b->look));
    fs_str_put_bytes(&s, saved);
    fs_str_puts(&s, " saved");
  }
  set_words(b, &b->title, &s);
}

static void put_jit(struct fs_str *s, const char *dot, const json_t *plan) {
  double jit = number(plan, "jit_s");
  if (json_is_true(json_object_get(plan, "cached"))) {
    fs_str_printf(s, "%sJIT 0 (cached%s)", dot, is_quick(plan) ? ", quick code" : "");
  } else if (jit > 0) {
    fs_str_printf(s, "%sJIT ", dot);
    fs_str_put_seconds(s, jit);
    fs_str_puts(s, is_quick(plan) ? " (cold, quick code)" : " (cold)");
  }
}

static void make_footer(struct box *b, const json_t *plan) {
  struct fs_str s = {0};
  const char *dot = sep(b->look), *quality = text(plan, "quality");
  double candidates = number(plan, "candidates"), runs = number(plan, "runs");
  fs_str_puts(&s, "planned in ");
  put_seconds(&s, b->look, number(plan, "planned_s"));
  if (json_is_true(json_object_get(plan, "like"))) {
    fs_str_printf(&s, "%slike another size", dot);
  } else if (candidates > 0) {
    fs_str_puts(&s, dot);
    put_plural(&s, candidates, "candidate");
    if (number(plan, "combinations") > 0) {
      bool more = json_is_true(json_object_get(json_object_get(plan, "space"), "more"));
      fs_str_puts(&s, more ? ", more than " : ", ");
      put_plural(&s, number(plan, "combinations"), "combination");
    }
  }
  put_jit(&s, dot, plan);
  if (runs > 1) {
    fs_str_printf(&s, "%sruns %s%.0f, each ", dot, b->look->utf8 ? "×" : "x", runs);
    put_seconds(&s, b->look, number(plan, "measured"));
    put_all_runs(plan, b->look, &s);
  }
  if (number(plan, "rounds") > 1)
    fs_str_printf(&s, "%swould run %s%.0f", dot, b->look->utf8 ? "×" : "x",
                  number(plan, "rounds"));
  if (*quality) fs_str_printf(&s, "%s%s", dot, quality);
  if (json_is_true(json_object_get(plan, "depends_on_data")))
    fs_str_printf(&s, "%sunknown: depends on data", dot);
  if (*text(plan, "loops")) fs_str_printf(&s, "%sloops %s", dot, text(plan, "loops"));
  if (*text(plan, "arithmetic")) fs_str_printf(&s, "%s%s", dot, text(plan, "arithmetic"));
  set_words(b, &b->footer, &s);
}

/* Of all of the input, not of this block alone. */
static void make_account(struct box *b, const json_t *plan) {
  const json_t *account = json_object_get(plan, "account");
  struct fs_str s = {0};
  if (!account) return;
  fs_str_puts(&s, "input ");
  put_seconds(&s, b->look, number(account, "wall"));
  fs_str_puts(&s, sep(b->look));
  fs_account_put(account, sep(b->look), b->look, &s);
  set_words(b, &b->account, &s);
}

/* Where a table has no room: a few lines for each kernel, which the terminal may
 * break. */
static void put_list(struct box *b) {
  struct fs_str *out = b->out;
  fs_str_printf(out, "%s\n", fs_str_text(&b->title));
  for (int i = 1; i < b->rows.len; i++) {
    const struct row *r = &b->rows.data[i];
    fs_str_printf(out, "%s: %s\n", r->cell[0], r->cell[DOES]);
    bool known = false;
    for (int c = DOES + 1; c < COLS; c++) {
      const char *cell = r->cell[c];
      bool unknown = c == 4 && !(*cell >= '0' && *cell <= '9');
      if (!*cell || unknown) continue;
      fs_str_puts(out, !known ? "  " : c == 4 ? "\n  " : sep(b->look));
      if (c == 3 || c == 4) fs_str_printf(out, "%s ", b->rows.data[0].cell[c]);
      fs_str_puts(out, cell);
      if (c == 6) fs_str_printf(out, " %s", b->rows.data[0].cell[c]);
      known = true;
    }
    if (known) fs_str_puts(out, "\n");
  }
  if (b->account.len) fs_str_printf(out, "%s\n", fs_str_text(&b->account));
  fs_str_printf(out, "%s\n", fs_str_text(&b->footer));
}

static void put_table(struct box *b) {
  lay_out(b);
  put_edge(b, true, fs_str_text(&b->title));
  for (int r = 0; r < b->rows.len; r++) put_row(b, &b->rows.data[r]);
  put_footer(b);
}

void fs_plan_put_box(const json_t *plan, const struct fs_look *look,
                     struct fs_str *out) {
  const json_t *kernels = json_object_get(plan, "kernels"), *k;
  size_t i;
  if (!json_array_size(kernels)) return;
  struct box b = {.look = look, .arena = fs_arena_new(), .out = out,
                  .cold = is_cold(plan), .guess = is_guess(plan)};
  make_title(&b, plan);
  make_account(&b, plan);
  make_footer(&b, plan);
  add_header(&b);
  json_array_foreach(json_object_get(plan, "late"), i, k) add_late(&b, k);
  json_array_foreach(kernels, i, k) add_kernel(&b, k, has_run(plan));
  add_unfused(&b, plan);
  if (look->width < BOX_MIN) put_list(&b);
  else put_table(&b);
  const json_t *alternatives = json_object_get(plan, "alternatives");
  if (json_array_size(alternatives))
    fs_alternatives_put(alternatives, look, out);
  FS_VEC_FREE(&b.rows);
  fs_str_free(&b.title);
  fs_str_free(&b.account);
  fs_str_free(&b.footer);
  fs_arena_free(b.arena);
}
