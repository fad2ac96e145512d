/* files_csv.c - numbers in lines: comma, semicolon, tab or blanks between them,
 * fields in quotes as RFC 4180 has them, an optional line of column names, `#`
 * comments. The file is read once, block by block; the parts of a block are read
 * side by side (files_csv_rows.c). Numbers become f64, what is missing NaN; columns
 * of text are left out, or come as categories when they are asked for by name. */
#include "core/eval/files.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "core/eval/files_csv.h"
#include "core/eval/show.h"

enum {
  PART = 2 << 20,          /* bytes that are worth a thread     */
  MOST_PARTS = 4,
  MOST_SHARED = 4096,      /* columns; with more a block is one part */
  FEW_NAMES = 12
};

struct names { FS_VEC(char *) list; };

struct csv {
  struct fs_reader *r;
  const struct fs_load_how *how;
  char *block;             /* at..have are bytes that wait    */
  size_t at, have, cap;
  int64_t line;            /* lines before block[at]          */
  struct fs_csv_form form;
  struct names names;      /* of the columns, if there are    */
  bool quoted;             /* the block holds a quote         */
  struct fs_csv_column *columns;
  double *values;
  size_t len, room;
  int64_t rows;
  struct fs_csv_part parts[MOST_PARTS];
  int n_parts;             /* that are in use                 */
};

static void names_free(struct names *n) {
  for (int k = 0; k < n->list.len; k++) free(n->list.data[k]);
  FS_VEC_FREE(&n->list);
}

static enum fs_status no_memory(struct csv *c) {
  return fs_file_no_memory(c->r->ctx, c->r->size);
}

/* -- blocks ------------------------------------------------------------------ */

static bool at_the_end(const struct csv *c) { return c->r->left <= 0; }

/* Brings what waits to the front and fills the block, which grows if it is full. The
 * last line of the file ends as the others do. */
static enum fs_status fill(struct csv *c) {
  size_t waiting = c->have - c->at;
  if (waiting * 2 > c->cap || !c->cap) {
    size_t cap = c->cap ? 2 * c->cap : (size_t)PART * (size_t)c->n_parts;
    if (c->cap == 0) cap = (size_t)FS_MIN((int64_t)cap, c->r->left + 2);
    char *grown = realloc(c->block, cap + 2);
    if (!grown) return no_memory(c);
    c->block = grown;
    c->cap = cap;
  }
  if (waiting) memmove(c->block, c->block + c->at, waiting);
  c->at = 0;
  c->have = waiting;
  size_t n = (size_t)FS_MIN((int64_t)(c->cap - waiting), c->r->left);
  enum fs_status st = n ? fs_reader_get(c->r, c->block + waiting, n) : FS_OK;
  if (st) return st;
  c->have += n;
  if (at_the_end(c) && c->have && c->block[c->have - 1] != '\n')
    c->block[c->have++] = '\n';
  c->quoted = memchr(c->block, '"', c->have) != NULL;
  return FS_OK;
}

/* Where the last whole row of the block ends; 0: none does. */
static size_t whole_rows(const struct csv *c) {
  const char *begin = c->block + c->at, *end = c->block + c->have, *last = begin;
  if (at_the_end(c)) return c->have - c->at;
  if (!c->quoted) {
    last = memrchr(begin, '\n', (size_t)(end - begin));
    if (!last && end > begin + 1)
      last = memrchr(begin, '\r', (size_t)(end - begin) - 1);
    return last ? (size_t)(last - begin) + 1 : 0;
  }
  for (const char *next; (next = fs_csv_row_end(&c->form, last, end));) last = next;
  return (size_t)(last - begin);
}

/* -- what is wrong ----------------------------------------------------------- */

static enum fs_status at_place(struct csv *c, int64_t line, int64_t byte,
                               const char *hint, const char *what) {
  return fs_file_error(c->r->ctx, hint, "line %lld, column %lld: %s",
                       (long long)line, (long long)byte, what);
}

static enum fs_status part_fault(struct csv *c, const struct fs_csv_part *p) {
  int64_t line = c->line + p->line;
  char text[120];
  switch (p->fault) {
    case FS_CSV_FINE: return FS_OK;
    case FS_CSV_RAGGED:
      snprintf(text, sizeof text, "this row has %lld field%s, the lines before have %lld",
               (long long)p->fields, p->fields == 1 ? "" : "s",
               (long long)c->form.columns);
      return at_place(c, line, p->byte, NULL, text);
    case FS_CSV_OPEN_QUOTE:
      return at_place(c, line, p->byte, NULL, "the quote that begins here never ends");
    case FS_CSV_AFTER_QUOTE:
      return at_place(c, line, p->byte, "a quote within quotes is written twice",
                      "something follows the end of a quoted field");
    case FS_CSV_NUL:
      return at_place(c, line, p->byte, NULL, "a byte of 0, this is not text");
    case FS_CSV_NO_MEMORY: break;
  }
  return no_memory(c);
}

/* `1,000` and `-12,345,678.9`: a comma stands before each three digits. */
static bool is_grouped(const char *text) {
  text += *text == '-' || *text == '+';
  size_t n = strspn(text, "0123456789");
  bool grouped = n && n <= 3 && text[n] == ',';
  for (text += n; *text == ','; text += 4)
    if (strspn(text + 1, "0123456789") != 3) return false;
  return grouped && (!*text || *text == '.');
}

/* What a text that is no number may be. */
static const char *number_hint(const struct csv *c, const char *text) {
  if (c->form.point != '.' || !strchr(text, ','))
    return "load(file, \"name\") takes one column, also of texts";
  return is_grouped(text) ? "a thousand is 1000, without a comma; if the comma is decimal: "
                            "load(file, \"decimal=,\")"
                          : "numbers with a decimal comma: load(file, \"decimal=,\")";
}

/* A field as it is shown: its first line. */
static void put_example(const struct fs_csv_column *k, struct fs_str *out) {
  size_t line = strcspn(k->example, "\r\n");
  fs_str_put_safe(out, k->example, line);
  if (k->example[line]) fs_str_puts(out, "...");
}

/* A number or a missing value was wanted. */
static enum fs_status not_a_number(struct csv *c, const struct fs_csv_column *k) {
  struct fs_str text = {0};
  fs_str_puts(&text, "'");
  put_example(k, &text);
  fs_str_puts(&text, "' is not a number");
  enum fs_status st = at_place(c, k->text, k->at, number_hint(c, k->example), fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

/* A row that is longer than any may be; what is wrong with it, if anything else. */
static enum fs_status too_long(struct csv *c, size_t at, int64_t lines) {
  struct fs_csv_form form = c->form;
  form.only = 0; /* nothing is kept, in no column */
  form.columns = 0;
  struct fs_csv_part p = {.form = &form, .at = c->block + at,
                          .end = c->block + c->have, .lines = lines};
  c->block[c->have - 1] = '\n';
  fs_csv_read_rows(&p, 1);
  free(p.values);
  if (p.fault == FS_CSV_OPEN_QUOTE || p.fault == FS_CSV_NUL) return part_fault(c, &p);
  return fs_file_error(c->r->ctx, NULL, "line %lld has more than %d bytes",
                       (long long)(c->line + lines + 1), FS_CSV_LINE_MAX);
}

/* -- the first rows ---------------------------------------------------------- */

static bool keep_field(void *user, const char *text, size_t len, bool missing,
                       double *out) {
  struct names *n = user;
  (void)missing;
  *out = 0;
  char *copy = fs_strndup(text, len);
  *FS_PUSH(&n->list) = copy;
  return true;
}

/* The separator of a line, by what stands outside of quotes. */
static char find_separator(const struct csv *c) {
  const char *at = c->block + c->at, *end = c->block + c->have;
  bool quoted = false, comma = false, tab = false;
  for (; at < end && (quoted || (*at != '\n' && *at != '\r')); at++) {
    if (*at == '"') quoted = !quoted;
    if (quoted) continue;
    if (*at == ';') return ';';
    comma |= *at == ',';
    tab |= *at == '\t';
  }
  return comma && c->form.point != ',' ? ',' : tab ? '\t' : ' ';
}

/* Past lines without a row, so many lines and a byte order mark. */
static enum fs_status skip_lines(struct csv *c, int64_t n) {
  for (;;) {
    const char *begin = c->block + c->at, *end = c->block + c->have;
    const char *p = begin;
    while (p < end && *p != '\n' && *p != '\r') p++;
    bool whole = p < end && (p + 1 < end || at_the_end(c));
    if (!whole && !at_the_end(c)) {
      if (c->have - c->at > FS_CSV_LINE_MAX) return too_long(c, c->at, 0);
      enum fs_status st = fill(c);
      if (st) return st;
      continue;
    }
    if (p >= end) return FS_OK;
    const char *text = begin;
    while (*text == ' ' || *text == '\t') text++;
    if (n <= 0 && text < p && *text != '#') return FS_OK;
    n--;
    c->line++;
    p += p[0] == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    c->at = (size_t)(p - c->block);
  }
}

/* The fields of the row at byte `at` of the block, and where the next begins. */
static enum fs_status split_row(struct csv *c, size_t *at, int64_t *lines,
                                struct names *out) { /* lines: before it, behind it */
  while (!at_the_end(c) &&
         !fs_csv_row_end(&c->form, c->block + *at, c->block + c->have)) {
    if (c->have - *at > FS_CSV_LINE_MAX) return too_long(c, *at, *lines);
    *at -= c->at; /* the block begins there once more */
    enum fs_status st = fill(c);
    if (st) return st;
  }
  struct fs_csv_form form = c->form;
  form.columns = INT64_MAX;
  form.only = -1;
  form.field = keep_field;
  form.user = out;
  struct fs_csv_part p = {.form = &form, .at = c->block + *at,
                          .end = c->block + c->have, .lines = *lines};
  fs_csv_read_rows(&p, 1);
  free(p.values);
  *at = (size_t)(p.at - c->block);
  *lines = p.lines;
  return part_fault(c, &p);
}

static enum fs_csv_kind kind_of(const struct csv *c, const char *text) {
  return fs_csv_kind(text, strlen(text), c->form.point);
}

/* A first line of words, without a number, holds names. With a number in it, it does
 * if a word stands above a number: else it is data, and must not get lost. */
static bool holds_names(const struct csv *c, const struct names *first,
                        const struct names *second) {
  bool words = false, numbers = false, above = false;
  for (int k = 0; k < first->list.len; k++) {
    enum fs_csv_kind kind = kind_of(c, first->list.data[k]);
    words |= kind == FS_CSV_TEXT;
    numbers |= kind == FS_CSV_NUMBER;
    if (kind == FS_CSV_TEXT && k < second->list.len)
      above |= kind_of(c, second->list.data[k]) == FS_CSV_NUMBER;
  }
  return words && (!numbers || above);
}

static enum fs_status check_names(struct csv *c) {
  const char *wanted = c->how->member;
  int found = -1;
  for (int k = 0; k < c->names.list.len && wanted; k++) {
    if (strcmp(c->names.list.data[k], wanted)) continue;
    if (found >= 0)
      return fs_file_error(c->r->ctx, NULL, "two of its columns have that name");
    found = k;
  }
  c->form.only = found;
  if (!wanted || found >= 0) return FS_OK;
  if (!c->names.list.len)
    return fs_file_error(c->r->ctx, NULL, "its first line holds no names of columns");
  if (strchr(wanted, '='))
    return fs_file_error(c->r->ctx, "the options are skip=, sep= and decimal=",
                         "there is no such option, and no column of that name");
  struct fs_str hint = {0};
  fs_str_puts(&hint, "its columns are");
  for (int k = 0; k < FS_MIN(c->names.list.len, (int)FEW_NAMES); k++) {
    fs_str_puts(&hint, k ? ", " : " ");
    fs_str_put_safe(&hint, c->names.list.data[k],
                    FS_MIN(strlen(c->names.list.data[k]), (size_t)40));
  }
  if (c->names.list.len > FEW_NAMES) fs_str_puts(&hint, ", ...");
  enum fs_status st =
      fs_file_error(c->r->ctx, fs_str_text(&hint), "it has no column of that name");
  fs_str_free(&hint);
  return st;
}

/* What the first two rows say: whether there are names, and how many columns. A
 * separator at the end of the first alone is none of a further column. */
static enum fs_status begin_rows(struct csv *c, const struct names *first,
                                 const struct names *second) {
  int n = first->list.len, m = second->list.len;
  bool open = n > 1 && !*first->list.data[n - 1];
  c->form.columns = open && m == n - 1 ? m : n;
  if (holds_names(c, first, second)) {
    for (int k = 0; k < (int)c->form.columns; k++) {
      char *copy = fs_strdup(first->list.data[k]);
      *FS_PUSH(&c->names.list) = copy;
    }
  }
  return check_names(c);
}

/* Of words between blanks, above a line of another number of them, there is but one
 * column, which is called so: `city name` above `New York` or 7. */
static bool is_one_column(const struct csv *c, const struct names *first,
                          const struct names *second) {
  bool differ = second->list.len && first->list.len != second->list.len;
  return c->form.separator == ' ' && !c->how->separator && differ &&
         fs_csv_kind(first->list.data[0], strlen(first->list.data[0]), '.') == FS_CSV_TEXT;
}

static enum fs_status read_first_rows(struct csv *c) {
  struct names first = {0}, second = {0};
  size_t at = c->at;
  int64_t lines = 0;
  enum fs_status st = split_row(c, &at, &lines, &first);
  size_t next = at - c->at;
  int64_t more = lines;
  if (!st && at < c->have) st = split_row(c, &at, &more, &second);
  bool one = !st && is_one_column(c, &first, &second);
  if (!st && !one) st = begin_rows(c, &first, &second);
  if (!st && c->names.list.len) c->at += next, c->line += lines;
  names_free(&first);
  names_free(&second);
  if (!one) return st;
  c->form.separator = '\n';
  return read_first_rows(c);
}

/* `sep=;` alone in the first line is what spreadsheets write for each other. */
static void take_separator(struct csv *c) {
  const char *at = c->block + c->at;
  if (c->have - c->at < 6 || strncasecmp(at, "sep=", 4)) return;
  if (at[5] != '\n' && at[5] != '\r') return;
  c->form.separator = at[4];
  c->at += at[5] == '\r' && c->have - c->at > 6 && at[6] == '\n' ? 7 : 6;
  c->line++;
}

static enum fs_status read_head(struct csv *c) {
  static const char utf8[] = "\xEF\xBB\xBF", utf16[] = "\xFF\xFE", utf16_big[] = "\xFE\xFF";
  enum fs_status st = fill(c);
  if (st) return st;
  if (c->have > 2 && (!memcmp(c->block, utf16, 2) || !memcmp(c->block, utf16_big, 2)))
    return fs_file_error(c->r->ctx, "save it as UTF-8", "it is written in UTF-16");
  if (c->have > 3 && !memcmp(c->block, utf8, 3)) c->at = 3;
  c->form.separator = '\n';
  if (!c->how->skip) take_separator(c);
  char separator = c->how->separator ? c->how->separator : c->form.separator;
  c->form.separator = '\n';
  st = skip_lines(c, c->how->skip);
  if (st) return st;
  if (c->at == c->have) return fs_file_error(c->r->ctx, NULL, "it holds no numbers");
  c->form.separator = separator != '\n' ? separator : find_separator(c);
  return read_first_rows(c);
}

/* -- all rows ---------------------------------------------------------------- */

static void *read_part(void *part) {
  fs_csv_read_rows(part, INT64_MAX);
  return NULL;
}

/* Cuts at..at+len of the block into parts of whole rows; how many there are. */
static int cut(struct csv *c, size_t len) {
  const char *begin = c->block + c->at, *end = begin + len, *at = begin;
  int wanted = c->quoted || c->form.field || c->form.columns > MOST_SHARED
                   ? 1
                   : (int)FS_MIN(len / (PART / 2) + 1, (size_t)c->n_parts);
  int n = 0;
  for (int k = 1; k <= wanted && at < end; k++) {
    const char *to = k == wanted ? end : begin + len / (size_t)wanted * (size_t)k;
    if (to < at) continue;
    const char *line = k == wanted ? NULL : memchr(to, '\n', (size_t)(end - to));
    to = line ? line + 1 : end;
    struct fs_csv_part *p = &c->parts[n++];
    p->form = &c->form;
    p->at = at;
    p->end = to;
    p->len = 0;
    p->rows = p->lines = 0;
    p->fault = FS_CSV_FINE;
    memset(p->columns, 0, (size_t)c->form.columns * sizeof *p->columns);
    at = to;
  }
  return n;
}

static enum fs_status append(struct csv *c, const double *values, size_t n) {
  if (c->len + n > c->room) {
    size_t room = FS_MAX(c->room + c->room / 2, c->len + n);
    void *grown = c->values;
    enum fs_status st =
        fs_file_grow(c->r->ctx, (int64_t)(room * sizeof *values), &grown);
    if (st) return st;
    c->values = grown;
    c->room = room;
  }
  if (n) memcpy(c->values + c->len, values, n * sizeof *values);
  c->len += n;
  return FS_OK;
}

/* What a part found, behind that of those before it. */
static enum fs_status take_part(struct csv *c, const struct fs_csv_part *p) {
  for (int64_t k = 0; k < c->form.columns; k++) {
    struct fs_csv_column *mine = &c->columns[k];
    const struct fs_csv_column *its = &p->columns[k];
    bool first = !mine->text && its->text;
    if (!mine->number && its->number) mine->number = c->line + its->number;
    if (!mine->rounded && its->rounded) mine->rounded = c->line + its->rounded;
    if (!first) continue;
    mine->text = c->line + its->text;
    mine->at = its->at;
    memcpy(mine->example, its->example, sizeof mine->example);
    if (c->form.only < 0 && mine->number && mine->number < mine->text)
      return not_a_number(c, mine); /* what is asked for by name may be mixed */
  }
  enum fs_status st = part_fault(c, p);
  if (!st) st = append(c, p->values, p->len);
  c->rows += p->rows;
  c->line += p->lines;
  return st;
}

/* The parts of one block, all but the first by threads of their own. */
static enum fs_status read_parts(struct csv *c, int n) {
  pthread_t thread[MOST_PARTS];
  bool begun[MOST_PARTS] = {false};
  for (int k = 1; k < n; k++)
    begun[k] = !pthread_create(&thread[k], NULL, read_part, &c->parts[k]);
  for (int k = 0; k < n; k++)
    if (begun[k]) pthread_join(thread[k], NULL);
    else read_part(&c->parts[k]);
  enum fs_status st = FS_OK;
  for (int k = 0; k < n && !st; k++) st = take_part(c, &c->parts[k]);
  return st;
}

static enum fs_status read_blocks(struct csv *c) {
  for (;;) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    size_t len = whole_rows(c);
    enum fs_status st = FS_OK;
    if (len) {
      st = read_parts(c, cut(c, len));
      c->at += len;
    } else if (at_the_end(c)) {
      return FS_OK;
    } else if (c->have - c->at > FS_CSV_LINE_MAX) {
      return too_long(c, c->at, 0);
    }
    if (!st) st = fill(c);
    if (st) return st;
  }
}

static enum fs_status make_columns(struct csv *c) {
  size_t n = (size_t)c->form.columns;
  c->columns = calloc(n, sizeof *c->columns);
  if (!c->columns) return no_memory(c);
  if (n > MOST_SHARED) c->n_parts = 1;
  for (int k = 0; k < c->n_parts; k++)
    if (!(c->parts[k].columns = calloc(n, sizeof *c->columns))) return no_memory(c);
  return FS_OK;
}

/* -- columns of text --------------------------------------------------------- */

/* Which columns are kept, and how many. One without a number that no row and no name
 * fills is only a separator at the ends of all lines. */
static int64_t choose(struct csv *c, bool *kept) {
  int64_t n = 0, last = c->form.columns - 1;
  for (int64_t k = 0; k <= last; k++) {
    const struct fs_csv_column *x = &c->columns[k];
    bool unnamed = !c->names.list.len || !*c->names.list.data[k];
    kept[k] = !x->text && !(k == last && last && !x->number && unnamed);
    n += kept[k];
  }
  return n;
}

static void put_name(const struct csv *c, int64_t k, struct fs_str *out) {
  const char *name = c->names.list.len ? c->names.list.data[k] : "";
  if (*name) fs_str_put_safe(out, name, FS_MIN(strlen(name), (size_t)40));
  else fs_str_printf(out, "column %lld", (long long)k + 1);
}

static void tell_left_out(const struct csv *c) {
  struct fs_str text = {0}, hint = {0};
  int n = 0;
  for (int64_t k = 0; k < c->form.columns; k++) {
    const struct fs_csv_column *x = &c->columns[k];
    if (!x->text || n++ >= FEW_NAMES) continue;
    if (n > 1) fs_str_puts(&text, ", ");
    put_name(c, k, &text);
    fs_str_puts(&text, " ('");
    put_example(x, &text);
    fs_str_printf(&text, "' in line %lld)", (long long)x->text);
    if (n == 1 && is_grouped(x->example))
      fs_str_puts(&hint, number_hint(c, x->example));
    if (n > 1 || hint.len || !c->names.list.len || !*c->names.list.data[k]) continue;
    fs_str_puts(&hint, "load(file, \"");
    put_name(c, k, &hint);
    fs_str_puts(&hint, "\") gives its categories as 1, 2, ...");
  }
  if (n > FEW_NAMES) fs_str_printf(&text, " and %d more", n - FEW_NAMES);
  if (n)
    fs_note(c->r->ctx->diags, c->r->ctx->span, "text-left-out",
            hint.len ? hint.data : NULL, "left out, as %s: %s",
            n == 1 ? "it holds text" : "they hold text", fs_str_text(&text));
  fs_str_free(&text);
  fs_str_free(&hint);
}

static void tell_rounded(const struct csv *c, int64_t k) {
  struct fs_str name = {0};
  if (!c->columns[k].rounded) return;
  put_name(c, k, &name);
  fs_note(c->r->ctx->diags, c->r->ctx->span, "rounded-csv", NULL,
          "rounded to f64, which holds whole numbers up to 2^53: %s, from line %lld on",
          fs_str_text(&name), (long long)c->columns[k].rounded);
  fs_str_free(&name);
}

static void keep_columns(struct csv *c, const bool *kept) {
  double *to = c->values;
  for (int64_t i = 0; i < c->rows; i++)
    for (int64_t k = 0; k < c->form.columns; k++)
      if (kept[k]) *to++ = c->values[i * c->form.columns + k];
}

static char *joined_names(const struct csv *c, const bool *kept) {
  struct fs_str s = {0};
  for (int k = 0; k < c->names.list.len; k++) {
    if (!kept[k]) continue;
    if (s.len) fs_str_puts(&s, ", ");
    fs_str_put_safe(&s, c->names.list.data[k], strlen(c->names.list.data[k]));
  }
  return s.data;
}

static enum fs_status give(struct csv *c, enum fs_dtype dt, int64_t columns,
                           struct fs_array *out) {
  size_t bytes = (size_t)(c->rows * columns) * sizeof *c->values;
  double *fit = bytes ? realloc(c->values, bytes) : NULL;
  out->dtype = dt;
  out->shape = (struct fs_shape){columns == 1 ? 1 : 2, {c->rows, columns == 1 ? 0 : columns}};
  out->data = fit ? fit : c->values;
  c->values = NULL;
  return FS_OK;
}

/* A column of numbers with a decimal comma is no text. */
static enum fs_status check_commas(struct csv *c) {
  for (int64_t k = 0; k < c->form.columns; k++) {
    const struct fs_csv_column *x = &c->columns[k];
    bool comma = x->text && c->form.point == '.' &&
                 fs_csv_kind(x->example, strlen(x->example), ',') == FS_CSV_NUMBER;
    if (comma) return not_a_number(c, x);
  }
  return FS_OK;
}

/* The line of the first number under a text, from 1; 0: there is none. */
static int64_t first_number(const struct csv *c) {
  int64_t first = 0;
  for (int64_t k = 0; k < c->form.columns; k++) {
    int64_t line = c->columns[k].number;
    if (line && c->columns[k].text < line) first = first ? FS_MIN(first, line) : line;
  }
  return first;
}

/* The line of a text of one column that has several fields by another separator, which is
 * *separator then; 0: there is none. */
static int64_t other_fields(const struct csv *c, char *separator) {
  const struct fs_csv_column *x = &c->columns[0];
  *separator = c->form.columns == 1 && x->text ? x->example[strcspn(x->example, ",;\t|:")] : 0;
  return *separator ? x->text : 0;
}

/* Why there are no numbers, where all that stands in the columns is text. */
static void put_no_numbers_hint(const struct csv *c, struct fs_str *out) {
  char separator;
  int64_t numbers = first_number(c), fields = other_fields(c, &separator);
  bool named = c->names.list.len && strchr(c->names.list.data[0], separator);
  const char *grouped = NULL;
  for (int64_t k = 0; k < c->form.columns && !grouped; k++)
    if (is_grouped(c->columns[k].example)) grouped = c->columns[k].example;
  if (!c->rows) {
    return;
  } else if (numbers > 2 || (fields > 1 && !named)) {
    int64_t lines = FS_MAX(numbers ? numbers - 2 : fields - 2, 1);
    fs_str_printf(out, "load(file, \"skip=%lld\") leaves out what is in front of its table",
                  (long long)lines);
  } else if (grouped) {
    fs_str_puts(out, number_hint(c, grouped));
  } else if (fields) {
    fs_str_printf(out, "its fields may be apart by another character: load(file, \"sep=%c\")",
                  separator);
  } else if (c->names.list.len) {
    fs_str_puts(out, "load(file, \"name of a column\") gives the categories of a text as 1, "
                     "2, ...");
  }
}

static enum fs_status no_numbers(const struct csv *c) {
  struct fs_str hint = {0};
  put_no_numbers_hint(c, &hint);
  enum fs_status st =
      fs_file_error(c->r->ctx, hint.len ? fs_str_text(&hint) : NULL,
                    c->rows ? "none of its columns holds numbers" : "it holds no numbers");
  fs_str_free(&hint);
  return st;
}

/* Whether it is a line of names: those of several columns, where words of a sentence may
 * stand apart by blanks. */
static bool is_only_head(const struct csv *c) {
  return !c->rows && c->names.list.len > 1 && c->form.separator != ' ';
}

static enum fs_status give_matrix(struct csv *c, struct fs_array *out) {
  bool *kept = fs_calloc((size_t)c->form.columns, sizeof *kept);
  int64_t n = choose(c, kept);
  enum fs_status st = FS_OK;
  st = check_commas(c);
  if (!st && ((!c->rows && !is_only_head(c)) || !n)) st = no_numbers(c);
  if (!st) {
    tell_left_out(c);
    for (int64_t k = 0; k < c->form.columns; k++)
      if (kept[k]) tell_rounded(c, k);
    if (n < c->form.columns) keep_columns(c, kept);
    out->labels = joined_names(c, kept);
    st = give(c, FS_F64, n, out);
  }
  free(kept);
  return st;
}

/* -- categories -------------------------------------------------------------- */

/* Texts, numbered from 1 as they come. */
struct categories {
  struct names names;
  int *table;              /* number of the text, 0: none; open addressing */
  size_t size;             /* a power of 2 */
};

static size_t place_of(const struct categories *s, const char *text, size_t len) {
  size_t at = (size_t)fs_hash(text, len, 1) & (s->size - 1);
  for (; s->table[at]; at = (at + 1) & (s->size - 1)) {
    const char *name = s->names.list.data[s->table[at] - 1];
    if (strlen(name) == len && !memcmp(name, text, len)) break;
  }
  return at;
}

static bool grow_table(struct categories *s) {
  size_t size = s->size ? 2 * s->size : 256;
  int *table = calloc(size, sizeof *table);
  if (!table) return false;
  free(s->table);
  s->table = table;
  s->size = size;
  for (int k = 0; k < s->names.list.len; k++) {
    const char *name = s->names.list.data[k];
    s->table[place_of(s, name, strlen(name))] = k + 1;
  }
  return true;
}

/* The text's number; missing values have 0. */
static bool number_text(void *user, const char *text, size_t len, bool missing,
                        double *out) {
  struct categories *s = user;
  *out = 0;
  if (missing) return true;
  if ((size_t)s->names.list.len * 2 >= s->size && !grow_table(s)) return false;
  size_t at = place_of(s, text, len);
  if (!s->table[at]) {
    char *copy = fs_strndup(text, len);
    *FS_PUSH(&s->names.list) = copy;
    s->table[at] = s->names.list.len;
  }
  *out = s->table[at];
  return true;
}

static enum fs_status read_file(struct csv *c);

/* Reads the file once more, for the texts of the one column. */
static enum fs_status give_categories(struct csv *c, struct fs_array *out) {
  struct categories s = {0};
  fs_reader_seek(c->r, 0, c->r->size);
  c->at = c->have = c->len = 0;
  c->line = c->rows = 0;
  names_free(&c->names);
  c->form.field = number_text;
  c->form.user = &s;
  enum fs_status st = read_file(c);
  for (size_t i = 0; i < c->len && !st; i++) {
    int64_t code = (int64_t)c->values[i];
    memcpy(&c->values[i], &code, sizeof code);
  }
  struct fs_str names = {0};
  fs_str_puts(&names, "");
  for (int k = 0; k < s.names.list.len; k++)
    fs_str_printf(&names, "%s%s", k ? "\n" : "", s.names.list.data[k]);
  out->categories = names.data;
  names_free(&s.names);
  free(s.table);
  return st ? st : give(c, FS_I64, 1, out);
}

/* -- the file ---------------------------------------------------------------- */

static enum fs_status read_file(struct csv *c) {
  enum fs_status st = read_head(c);
  for (int k = 0; k < MOST_PARTS; k++) {
    free(c->parts[k].columns);
    c->parts[k].columns = NULL;
  }
  free(c->columns);
  c->columns = NULL;
  if (!st) st = make_columns(c);
  return st ? st : read_blocks(c);
}

static void csv_free(struct csv *c) {
  for (int k = 0; k < MOST_PARTS; k++) {
    free(c->parts[k].columns);
    free(c->parts[k].values);
  }
  names_free(&c->names);
  free(c->columns);
  free(c->values);
  free(c->block);
}

enum fs_status fs_csv_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_array *out) {
  struct csv c = {.r = r, .how = how};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  c.n_parts = (int)FS_MAX(FS_MIN(processors, (long)MOST_PARTS), 1L);
  c.form.point = how->point ? how->point : '.';
  c.form.only = -1;
  enum fs_status st = read_file(&c);
  bool one = !st && c.form.only >= 0;
  if (one && !c.rows && !is_only_head(&c)) st = no_numbers(&c);
  else if (one) st = check_commas(&c);
  if (one && !st && c.columns[c.form.only].text) st = give_categories(&c, out);
  else if (one && !st) tell_rounded(&c, c.form.only), st = give(&c, FS_F64, 1, out);
  else if (!one && !st) st = give_matrix(&c, out);
  if (one && !st) {
    free(out->name);
    out->name = fs_strdup(how->member);
  }
  csv_free(&c);
  return st;
}

/* -- writing ----------------------------------------------------------------- */

struct csv_sink {
  struct fs_writer *w;
  enum fs_dtype dtype;
  int64_t columns, column;
};

static enum fs_status put_piece(void *user, const void *data, int64_t count) {
  struct csv_sink *s = user;
  size_t size = fs_dtype_size(s->dtype);
  enum fs_status st = FS_OK;
  for (int64_t i = 0; i < count && !st; i++) {
    char text[44];
    const char *element = (const char *)data + (size_t)i * size;
    int len = fs_show_shortest(s->dtype, element, text);
    if (s->dtype == FS_BOOL) { /* numbers, so that the file can be loaded */
      text[0] = *element ? '1' : '0';
      len = 1;
    }
    bool last = ++s->column == s->columns;
    if (last) s->column = 0;
    text[len++] = last ? '\n' : ',';
    st = fs_writer_put(s->w, text, (size_t)len);
  }
  return st;
}

enum fs_status fs_csv_write(struct fs_writer *w,
                            const struct fs_array_source *source) {
  struct csv_sink sink = {w, source->dtype, fs_shape_dim(&source->shape, 1), 0};
  return fs_source_each(w->ctx, source, put_piece, &sink);
}
