/* files_csv_rows.c - see files_csv.h. Fields are read as RFC 4180 has them: one that
 * begins with a quote goes to the next single quote, whatever is between. Every part
 * ends with the end of a line, at which all that looks ahead stops. */
#include "core/eval/files_csv.h"

#include <stdlib.h>
#include <strings.h>

#include "core/base/decimal.h"

static bool is_end(char c) { return c == '\n' || c == '\r'; }

/* Blanks around fields; what separates them is none. */
static bool is_blank(char c, char separator) {
  return (c == ' ' || c == '\t') && (c != separator || separator == ' ');
}

static const char *skip_blanks(const char *at, char separator) {
  while (is_blank(*at, separator)) at++;
  return at;
}

static const char *skip_end(const char *at, const char *end) {
  return at[0] == '\r' && at + 1 < end && at[1] == '\n' ? at + 2 : at + 1;
}

/* The quote that ends the field whose first byte is at[0] = '"'. NULL: there is none. */
static const char *closing_quote(const char *at, const char *end) {
  for (at++; at < end && (at = memchr(at, '"', (size_t)(end - at))); at += 2)
    if (at + 1 >= end || at[1] != '"') return at;
  return NULL;
}

/* -- fields ------------------------------------------------------------------ */

static bool is_missing(const char *text, size_t len) {
  static const char *const words[] = {"NA", "N/A", "#N/A", "NaN", "-NaN", "null",
                                      "none", "<NA>"};
  if (!len) return true;
  if (len > 4) return false;
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (strlen(words[k]) == len && !strncasecmp(text, words[k], len)) return true;
  return false;
}

enum fs_csv_kind fs_csv_kind(const char *text, size_t len, char point) {
  double x;
  const char *end = text + len;
  while (text < end && is_blank(*text, 0)) text++;
  while (end > text && is_blank(end[-1], 0)) end--;
  if (is_missing(text, (size_t)(end - text))) return FS_CSV_MISSING;
  return fs_decimal_read(text, end, point, &x) == end ? FS_CSV_NUMBER : FS_CSV_TEXT;
}

struct field {
  const char *text, *end;  /* without quotes and blanks around     */
  const char *next;        /* the separator or line end behind it  */
  bool quoted;
};

static bool fail(struct fs_csv_part *p, enum fs_csv_fault fault, const char *at,
                 const char *line) {
  p->fault = fault;
  p->line = p->lines + 1;
  p->byte = at - line + 1;
  return false;
}

/* Takes the field at `at` apart; *line is where its line begins. */
static bool split_field(struct fs_csv_part *p, const char *at, const char **line,
                        struct field *f) {
  char separator = p->form->separator;
  f->quoted = *at == '"';
  if (f->quoted) {
    const char *close = closing_quote(at, p->end);
    if (!close) return fail(p, FS_CSV_OPEN_QUOTE, at, *line);
    f->text = at + 1;
    f->end = close;
    const char *nul = memchr(at, 0, (size_t)(close - at));
    if (nul) return fail(p, FS_CSV_NUL, nul, *line);
    for (const char *c = at; c < close; c++)
      if (is_end(*c)) {
        p->lines++;
        if (*c == '\r' && c[1] == '\n') c++;
        *line = c + 1;
      }
    f->next = skip_blanks(close + 1, separator);
    bool done = is_end(*f->next) || *f->next == separator ||
                (separator == ' ' && f->next > close + 1);
    return done || fail(p, FS_CSV_AFTER_QUOTE, f->next, *line);
  }
  const char *end = at;
  while (*end && *end != separator && !is_end(*end) &&
         !(separator == ' ' && *end == '\t'))
    end++;
  if (!*end) return fail(p, FS_CSV_NUL, end, *line);
  f->next = separator == ' ' ? skip_blanks(end, ' ') : end;
  while (end > at && is_blank(end[-1], separator)) end--;
  f->text = at;
  f->end = end;
  return true;
}

/* Hands the field on as text, doubled quotes as one. */
static bool give_text(struct fs_csv_part *p, const struct field *f, double *out) {
  const struct fs_csv_form *form = p->form;
  size_t len = (size_t)(f->end - f->text), n = 0;
  if (!f->quoted || !memchr(f->text, '"', len))
    return form->field(form->user, f->text, len, is_missing(f->text, len), out);
  char *copy = malloc(len);
  if (!copy) return false;
  for (const char *c = f->text; c < f->end; c++) {
    copy[n++] = *c;
    c += *c == '"';
  }
  bool ok = form->field(form->user, copy, n, false, out);
  free(copy);
  return ok;
}

static void note_text(struct fs_csv_part *p, const struct field *f, int64_t column,
                      int64_t in_line, int64_t byte) {
  struct fs_csv_column *c = &p->columns[column];
  if (c->text) return;
  c->text = in_line;
  c->at = byte;
  size_t len = FS_MIN((size_t)(f->end - f->text), sizeof c->example - 1);
  len = fs_utf8_cut(f->text, (size_t)(f->end - f->text), len);
  memcpy(c->example, f->text, len);
  c->example[len] = 0;
}

/* A whole number that f64 does not hold. */
static void note_rounded(struct fs_csv_part *p, const char *text, const char *end, double x,
                         int64_t column) {
  enum { ALWAYS_HELD = 15 }; /* digits */
  struct fs_csv_column *c = &p->columns[column];
  if (end - text <= ALWAYS_HELD || c->rounded) return;
  text += *text == '-' || *text == '+';
  uint64_t n = 0;
  bool over = false;
  for (; text < end && *text >= '0' && *text <= '9'; text++)
    over = over || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *text - '0', &n);
  double size = x < 0 ? -x : x;
  bool held = !over && size < 0x1p64 && (uint64_t)size == n;
  if (text == end && !held) c->rounded = p->lines + 1;
}

/* A field that is not plainly a number. */
static bool read_field(struct fs_csv_part *p, const char **at, const char **line,
                       int64_t column, double *out) {
  struct field f;
  int64_t in_line = p->lines + 1, byte = *at - *line + 1;
  if (!split_field(p, *at, line, &f)) return false;
  *at = f.next;
  if (p->form->field)
    return give_text(p, &f, out) || fail(p, FS_CSV_NO_MEMORY, *at, *line);
  const char *text = f.text, *end = f.end;
  while (f.quoted && text < end && is_blank(*text, 0)) text++;
  while (f.quoted && end > text && is_blank(end[-1], 0)) end--;
  *out = __builtin_nan("");
  if (is_missing(text, (size_t)(end - text))) return true;
  double x;
  if (fs_decimal_read(text, end, p->form->point, &x) != end) {
    note_text(p, &f, column, in_line, byte);
    return true;
  }
  *out = x;
  note_rounded(p, text, end, x, column);
  if (!p->columns[column].number) p->columns[column].number = in_line;
  return true;
}

static bool skip_field(struct fs_csv_part *p, const char **at, const char **line) {
  struct field f;
  if (!split_field(p, *at, line, &f)) return false;
  *at = f.next;
  return true;
}

/* -- rows -------------------------------------------------------------------- */

/* A number that stands plainly: what most fields are. */
static bool read_plain(struct fs_csv_part *p, const char **at, int64_t column,
                       double *out) {
  char separator = p->form->separator;
  const char *q = fs_decimal_read(*at, p->end, p->form->point, out), *number = q;
  if (!q) return false;
  if (is_blank(*q, separator)) {
    q = skip_blanks(q, separator);
    if (separator != ' ' && *q != separator && !is_end(*q)) return false;
  } else if (*q != separator && !is_end(*q)) {
    return false;
  }
  if (!p->columns[column].number && *out == *out)
    p->columns[column].number = p->lines + 1;
  note_rounded(p, *at, number, *out, column);
  *at = q;
  return true;
}

/* Fields at *at up to the end of their row, to `out`. */
static bool read_row(struct fs_csv_part *p, const char **at, double *out) {
  const struct fs_csv_form *form = p->form;
  const char *line = *at, *c = *at;
  double unused;
  int64_t n = 0;
  for (;; n++) {
    c = skip_blanks(c, form->separator);
    bool wanted = n < form->columns && (form->only < 0 || form->only == n);
    double *to = form->columns == INT64_MAX ? &unused
                 : form->only < 0           ? out + n
                                            : out;
    if (n >= form->columns && is_end(*c)) break; /* a separator at the end */
    if (n >= form->columns) to = &unused;
    bool ok = !wanted ? skip_field(p, &c, &line)
                      : (!form->field && read_plain(p, &c, n, to)) ||
                            read_field(p, &c, &line, n, to);
    if (!ok) return false;
    if (is_end(*c)) {
      n++;
      break;
    }
    if (form->separator != ' ') c++;
  }
  if (n != form->columns && form->columns != INT64_MAX) {
    p->fields = n;
    return fail(p, FS_CSV_RAGGED, c, line);
  }
  p->lines++;
  *at = skip_end(c, p->end);
  return true;
}

static bool make_room(struct fs_csv_part *p, size_t more) {
  if (p->len + more <= p->cap) return true;
  size_t cap = FS_MAX(2 * p->cap, p->len + more);
  double *grown = realloc(p->values, FS_MAX(cap, (size_t)256) * sizeof *grown);
  if (!grown) return fail(p, FS_CSV_NO_MEMORY, p->at, p->at);
  p->values = grown;
  p->cap = FS_MAX(cap, (size_t)256);
  return true;
}

/* Blank lines and those that begin with `#` hold no row: past them. */
static const char *skip_empty(struct fs_csv_part *p, const char *at) {
  while (at < p->end) {
    const char *c = skip_blanks(at, 0);
    if (*c == '#')
      while (!is_end(*c)) c++;
    if (!is_end(*c)) break;
    p->lines++;
    at = skip_end(c, p->end);
  }
  return at;
}

void fs_csv_read_rows(struct fs_csv_part *p, int64_t most) {
  const struct fs_csv_form *form = p->form;
  size_t width = form->only >= 0 ? 1
                 : form->columns == INT64_MAX ? 0
                                              : (size_t)form->columns;
  while (most-- > 0) {
    p->at = skip_empty(p, p->at);
    if (p->at >= p->end || !make_room(p, width)) return;
    if (!read_row(p, &p->at, p->values + p->len)) return;
    p->len += width;
    p->rows++;
  }
}

const char *fs_csv_row_end(const struct fs_csv_form *form, const char *at,
                           const char *end) {
  while (at < end && is_blank(*at, 0)) at++;
  if (at < end && *at == '#')
    while (at < end && !is_end(*at)) at++;
  for (bool begins = true; at < end; at++) {
    char c = *at;
    if (begins && c == '"') {
      at = closing_quote(at, end);
      if (!at) return NULL;
      begins = false;
    } else if (is_end(c)) {
      if (c == '\r' && at + 1 == end) return NULL; /* a newline may follow */
      return skip_end(at, end);
    } else if (!is_blank(c, form->separator)) {
      begins = c == form->separator;
    } else if (form->separator == ' ') {
      begins = true;
    }
  }
  return NULL;
}
