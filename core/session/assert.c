/* assert.c - `:assert`: what a script expects of its plans.
 *
 *   :assert plan kernels <= 1     :assert ratio < 1.5     :assert bytes < 2 GiB
 *   :assert scheme == row         :assert saved >= 64 MiB :assert measured < 1 ms
 */
#include "core/session/internal.h"
#include "core/view/view.h"

#include <math.h>

enum compare { EQUAL, DIFFERENT, LESS, AT_MOST, MORE, AT_LEAST };

struct assertion {
  char what[16], value[32];
  enum compare compare;
};

/* What can be asked about, and the key of the plan event. */
static const struct { const char *what, *key; char unit; } figures[] = {
  {"kernels", "", 'n'}, {"launches", "launches", 'n'}, {"calls", "calls", 'n'},
  {"bytes", "bytes", 'b'}, {"saved", "saved_bytes", 'b'},
  {"peak", "peak_bytes", 'b'}, {"predicted", "predicted", 's'},
  {"measured", "measured", 's'}, {"runs", "runs", 'n'}, {"ratio", "", 'n'}, {"scheme", "", 'w'},
};

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

/* -- reading ----------------------------------------------------------------------- */

static const char *skip(const char *p) {
  while (*p == ' ' || *p == '\t') p++;
  return p;
}

static const char *take_word(const char *p, char *out, size_t size) {
  size_t n = 0;
  p = skip(p);
  while (*p && !strchr(" \t=!<>", *p)) {
    if (n + 1 < size) out[n++] = *p;
    p++;
  }
  out[n] = 0;
  return p;
}

static const char *take_compare(const char *p, enum compare *out) {
  static const struct { const char *text; enum compare is; } signs[] = {
      {"==", EQUAL}, {"!=", DIFFERENT}, {"<=", AT_MOST}, {">=", AT_LEAST},
      {"<", LESS}, {">", MORE}, {"=", EQUAL}};
  p = skip(p);
  for (size_t k = 0; k < FS_LEN(signs); k++) {
    size_t n = strlen(signs[k].text);
    if (strncmp(p, signs[k].text, n)) continue;
    *out = signs[k].is;
    return p + n;
  }
  return NULL;
}

/* "[plan] WHAT SIGN VALUE [UNIT]" */
static bool parse(const char *p, struct assertion *a) {
  p = take_word(p, a->what, sizeof a->what);
  if (!strcmp(a->what, "plan")) p = take_word(p, a->what, sizeof a->what);
  if (!*a->what || !(p = take_compare(p, &a->compare))) return false;
  p = skip(p);
  size_t n = strlen(p);
  while (n && strchr(" \t", p[n - 1])) n--;
  if (!n || n >= sizeof a->value) return false;
  memcpy(a->value, p, n);
  a->value[n] = 0;
  return true;
}

/* "64 MiB", "1.5ms", "3" as bytes, seconds or a number. */
static bool parse_value(const char *text, char unit, double *out) {
  static const struct { const char *name; char unit; double factor; } units[] = {
      {"B", 'b', 1}, {"KiB", 'b', 1024}, {"MiB", 'b', 1 << 20},
      {"GiB", 'b', 1 << 30}, {"kB", 'b', 1e3}, {"MB", 'b', 1e6},
      {"GB", 'b', 1e9}, {"s", 's', 1}, {"ms", 's', 1e-3}, {"us", 's', 1e-6},
      {"\u00b5s", 's', 1e-6}, {"ns", 's', 1e-9}};
  char *end;
  *out = strtod(text, &end);
  if (end == text || !isfinite(*out)) return false;
  const char *rest = skip(end);
  if (!*rest) return true;
  for (size_t k = 0; k < FS_LEN(units); k++)
    if (units[k].unit == unit && !strcmp(units[k].name, rest)) {
      *out *= units[k].factor;
      return true;
    }
  return false;
}

/* -- judging ------------------------------------------------------------------------- */

static bool holds(enum compare c, double x, double y) {
  switch (c) {
    case EQUAL: return x == y;
    case DIFFERENT: return x != y;
    case LESS: return x < y;
    case AT_MOST: return x <= y;
    case MORE: return x > y;
    default: return x >= y;
  }
}

static double figure_of(const json_t *plan, const char *what,
                        const char *key) {
  if (*key) return number(plan, key);
  if (!strcmp(what, "kernels"))
    return fs_plan_kernels(plan);
  return number(plan, "measured") / number(plan, "predicted");
}

static void put_figure(double x, char unit, struct fs_str *out) {
  if (unit == 'b') fs_str_put_bytes(out, x);
  else if (unit == 's') fs_str_put_seconds(out, x);
  else fs_str_printf(out, "%.6g", x);
}

/* Why there are as many kernels as there are; for the hint. */
static const char *border(const json_t *plan) {
  size_t k;
  const json_t *kernel;
  json_array_foreach(json_object_get(plan, "kernels"), k, kernel) {
    const char *why =
        json_string_value(json_object_get(kernel, "why_split"));
    if (why) return why;
  }
  return NULL;
}

static enum fs_status judge_number(struct fs_session *s,
                                   struct fs_words *words,
                                   const struct assertion *a, const json_t *plan,
                                   const char *key, char unit) {
  double wanted, x = figure_of(plan, a->what, key);
  if (!parse_value(a->value, unit, &wanted)) {
    words->wrong = unit == 'b'   ? "its value is not a number of bytes"
                   : unit == 's' ? "its value is not a time"
                                 : "its value is not a number";
    words->hint = "3, 64 MiB, 1.5 ms";
    return FS_ERR_USER;
  }
  if (isnan(x))
    return fs_error(&s->diags, words->span, "assert-plan", NULL,
                    "the plan's %s is not known", a->what);
  if (holds(a->compare, x, wanted)) return FS_OK;
  struct fs_str text = {0};
  put_figure(x, unit, &text);
  bool counts = !strcmp(a->what, "kernels") || !strcmp(a->what, "launches");
  enum fs_status st =
      fs_error(&s->diags, words->span, "assert-plan",
               counts ? border(plan) : NULL,
               "the assertion does not hold: %s is %s", a->what,
               fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

/* `scheme == row`: of every kernel. */
static enum fs_status judge_scheme(struct fs_session *s,
                                   struct fs_words *words,
                                   const struct assertion *a,
                                   const json_t *plan) {
  size_t k;
  const json_t *kernel;
  if (a->compare != EQUAL && a->compare != DIFFERENT) {
    words->wrong = "a scheme is == or != another";
    return FS_ERR_USER;
  }
  json_array_foreach(json_object_get(plan, "kernels"), k, kernel) {
    const char *scheme = json_string_value(json_object_get(kernel, "scheme"));
    bool same = !strcmp(scheme ? scheme : "", a->value);
    if (same == (a->compare == EQUAL)) continue;
    const char *does = json_string_value(json_object_get(kernel, "does"));
    return fs_error(&s->diags, words->span, "assert-plan", NULL,
                    "the assertion does not hold: the scheme of k%d is %s "
                    "(`%s`)", (int)k + 1, scheme,
                    does ? does : "");
  }
  return FS_OK;
}

enum fs_status fs_session_assert(struct fs_session *s, struct fs_words *words,
                                 const json_t *plan) {
  struct assertion a = {0};
  struct fs_str all = {0};
  for (int k = 0; k < words->n; k++)
    fs_str_printf(&all, "%s%s", k ? " " : "", words->word[k]);
  bool good = parse(fs_str_text(&all), &a);
  fs_str_free(&all);
  if (!good) return FS_ERR_USER;
  size_t f = 0;
  while (f < FS_LEN(figures) && strcmp(figures[f].what, a.what)) f++;
  if (f == FS_LEN(figures)) {
    words->wrong = "there is no such figure of a plan";
    words->hint = "kernels, launches, calls, bytes, saved, peak, predicted, "
                  "measured, ratio or scheme";
    return FS_ERR_USER;
  }
  if (!plan)
    return fs_error(&s->diags, words->span, "assert-plan", NULL,
                    "no statement has needed a kernel yet");
  if (figures[f].unit == 'w') return judge_scheme(s, words, &a, plan);
  return judge_number(s, words, &a, plan, figures[f].key, figures[f].unit);
}
