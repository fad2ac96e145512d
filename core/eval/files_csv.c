/* files_csv.c - numbers in lines: comma, semicolon, tab or blanks between them,
 * an optional line of column names, `#` comments. The file is gone through
 * twice: once for its extent, then for the numbers, which become f64. */
#include "core/eval/files.h"

#include "core/eval/show.h"

struct csv {
  struct fs_reader *r;
  struct fs_line line;
  char separator;          /* ' ': any run of blanks */
  bool header;             /* the first line holds names */
  int64_t first;           /* its number in the file     */
  int64_t rows, columns;
};

/* -- fields ------------------------------------------------------------------ */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The field at *at, without blanks around it; *at moves past its separator.
 * False when the line has no more fields. */
static bool next_field(char separator, const char **at, const char **field,
                       size_t *len) {
  const char *p = *at;
  if (!p) return false;
  while (*p && is_blank(*p) && (*p != separator || separator == ' ')) p++;
  const char *end = p;
  while (*end && *end != separator && !(separator == ' ' && *end == '\t'))
    end++;
  const char *rest = end;
  if (separator == ' ') /* blanks at the end of the line separate nothing */
    while (is_blank(*rest)) rest++;
  *at = !*rest ? NULL : separator == ' ' ? rest : rest + 1;
  while (end > p && is_blank(end[-1])) end--;
  *field = p;
  *len = (size_t)(end - p);
  return true;
}

static char find_separator(const char *line) {
  if (strchr(line, ';')) return ';';
  if (strchr(line, ',')) return ',';
  if (strchr(line, '\t')) return '\t';
  return ' ';
}

/* The next line that holds something. line.len < 0: there is none. */
static enum fs_status next_line(struct csv *c) {
  for (;;) {
    enum fs_status st = fs_reader_line(c->r, &c->line, FS_CSV_LINE_MAX);
    if (st || c->line.len < 0) return st;
    if (strlen(c->line.text) != (size_t)c->line.len)
      return fs_file_error(c->r->ctx, NULL, "line %lld is not text",
                           (long long)c->line.number);
    char *p = c->line.text;
    if (c->line.number == 1 && !strncmp(p, "\xEF\xBB\xBF", 3))
      memmove(p, p + 3, strlen(p + 3) + 1); /* byte order mark */
    while (is_blank(*p)) p++;
    if (*p && *p != '#') return FS_OK;
  }
}

/* A first line of words, without a number, holds names. With one it is data that
 * cannot be read, such as `1,NA`, and must not get lost. */
static bool holds_names(char separator, const char *line) {
  const char *field;
  size_t len;
  double value;
  bool words = false, numbers = false;
  while (next_field(separator, &line, &field, &len))
    if (len && fs_file_number(field, len, &value)) numbers = true;
    else if (len) words = true;
  return words && !numbers;
}

static int64_t count_fields(char separator, const char *line) {
  const char *field;
  size_t len;
  int64_t n = 0;
  while (next_field(separator, &line, &field, &len)) n++;
  return n;
}

/* -- first pass: the extent -------------------------------------------------- */

static enum fs_status measure(struct csv *c) {
  enum fs_status st;
  while (!(st = next_line(c)) && c->line.len >= 0) {
    bool first = !c->columns;
    if (first) {
      c->separator = find_separator(c->line.text);
      c->header = holds_names(c->separator, c->line.text);
      c->first = c->line.number;
    }
    int64_t n = count_fields(c->separator, c->line.text);
    if (first) c->columns = n;
    if (n != c->columns)
      return fs_file_error(c->r->ctx, NULL,
                           "line %lld has %lld field%s, the lines before have "
                           "%lld",
                           (long long)c->line.number, (long long)n,
                           n == 1 ? "" : "s",
                           (long long)c->columns);
    if (!first || !c->header) c->rows++;
  }
  if (!st && !c->columns)
    return fs_file_error(c->r->ctx, NULL, "it holds no numbers");
  return st;
}

/* -- second pass: the numbers ------------------------------------------------ */

static enum fs_status bad_field(struct csv *c, int64_t column,
                                const char *field, size_t len) {
  long long at = (long long)c->line.number, col = (long long)column + 1;
  if (!len)
    return fs_file_error(c->r->ctx, "write nan for a value that is missing",
                         "line %lld, field %lld is empty", at, col);
  if (memchr(field, '"', len))
    return fs_file_error(c->r->ctx, NULL,
                         "line %lld, field %lld is quoted text, only numbers "
                         "can be loaded",
                         at, col);
  bool comma = c->separator != ',' && memchr(field, ',', len);
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, field, FS_MIN(len, 40));
  enum fs_status st = fs_file_error(
      c->r->ctx, comma ? "numbers are written with a decimal point"
                 : at == c->first ? "a first line of names has no numbers in it"
                                  : NULL,
      "line %lld, field %lld: '%s' is not a number", at, col,
      fs_str_text(&safe));
  fs_str_free(&safe);
  return st;
}

static enum fs_status read_row(struct csv *c, double *out) {
  const char *at = c->line.text, *field;
  size_t len;
  int64_t n = 0;
  for (; next_field(c->separator, &at, &field, &len); n++) {
    if (n == c->columns) break;
    if (!fs_file_number(field, len, &out[n]))
      return bad_field(c, n, field, len);
  }
  return n == c->columns && !at
             ? FS_OK
             : fs_file_error(c->r->ctx, NULL, "it changed while it was read");
}

static enum fs_status read_rows(struct csv *c, double *out) {
  fs_reader_seek(c->r, 0, c->r->size);
  c->line.number = 0;
  enum fs_status st = c->header ? next_line(c) : FS_OK;
  for (int64_t i = 0; i < c->rows && !st; i++) {
    st = next_line(c);
    if (!st && c->line.len < 0)
      st = fs_file_error(c->r->ctx, NULL, "it changed while it was read");
    if (!st) st = read_row(c, out + i * c->columns);
  }
  return st;
}

enum fs_status fs_csv_read(struct fs_reader *r, struct fs_array *out) {
  struct csv c = {.r = r};
  enum fs_status st = measure(&c);
  out->dtype = FS_F64;
  out->shape = (struct fs_shape){c.columns == 1 ? 1 : 2, {c.rows, c.columns}};
  if (c.columns == 1) out->shape.dim[1] = 0;
  int64_t bytes = fs_mul_size(fs_mul_size(c.rows, c.columns), 8);
  if (!st) st = fs_file_alloc(r->ctx, bytes, &out->data);
  if (!st) st = read_rows(&c, out->data);
  free(c.line.text);
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
