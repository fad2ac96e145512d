/* files_mtx.c - MatrixMarket exchange format: dense arrays (column by column)
 * and coordinates (expanded to dense); real, complex, integer and pattern;
 * general, symmetric, hermitian (symmetric, if it is real) and skew-symmetric. Real and
 * pattern become f64, complex c128, integer i64. */
#include "core/eval/files.h"

#include <stdio.h>
#include <strings.h>

#include "core/eval/show.h"

/* -- words and numbers of a line --------------------------------------------- */

struct mtx {
  struct fs_reader *r;
  const struct fs_load_how *how;
  struct fs_line line;
  const char *at;          /* in the line */
  bool coordinate, pattern, integer, complex;
  enum { GENERAL, SYMMETRIC, SKEW, HERMITIAN } symmetry;
  int64_t m, n, entries;
  void *data;
};

static enum fs_status bad_line(struct mtx *x, const char *what) {
  return fs_file_error(x->r->ctx, NULL, "line %lld %s",
                       (long long)x->line.number, what);
}

static const char *next_word(struct mtx *x, size_t *len) {
  while (*x->at == ' ' || *x->at == '\t') x->at++;
  const char *begin = x->at;
  while (*x->at && *x->at != ' ' && *x->at != '\t') x->at++;
  *len = (size_t)(x->at - begin);
  return begin;
}

/* The next line that is neither blank nor a comment. line.len < 0: none. */
static enum fs_status next_line(struct mtx *x) {
  enum fs_status st;
  do {
    if ((st = fs_reader_line(x->r, &x->line, FS_MTX_LINE_MAX))) return st;
    if (x->line.len < 0) return FS_OK;
    x->at = x->line.text;
    while (*x->at == ' ' || *x->at == '\t') x->at++;
    if (strlen(x->line.text) != (size_t)x->line.len)
      return bad_line(x, "is not text");
  } while (!*x->at || *x->at == '%');
  return FS_OK;
}

static bool take_int(struct mtx *x, int64_t *out) {
  size_t len;
  const char *w = next_word(x, &len);
  bool negative = len && *w == '-';
  if (len && (*w == '-' || *w == '+')) w++, len--;
  *out = 0;
  if (!len) return false;
  for (; len; w++, len--) { /* with its sign: the least has no opposite */
    int digit = negative ? '0' - *w : *w - '0';
    if (*w < '0' || *w > '9' || __builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, digit, out))
      return false;
  }
  return true;
}

static bool line_done(struct mtx *x) {
  while (*x->at == ' ' || *x->at == '\t') x->at++;
  return !*x->at;
}

/* -- the header -------------------------------------------------------------- */

static bool is_word(const char *w, size_t len, const char *name) {
  return len == strlen(name) && !strncasecmp(w, name, len);
}

static enum fs_status parse_banner(struct mtx *x) {
  enum fs_status st = fs_reader_line(x->r, &x->line, FS_MTX_LINE_MAX);
  if (st) return st;
  size_t len;
  x->at = x->line.len < 0 ? "" : x->line.text;
  if (!strncmp(x->at, "\xEF\xBB\xBF", 3)) x->at += 3; /* byte order mark */
  const char *w = next_word(x, &len);
  if (!is_word(w, len, "%%MatrixMarket") && !is_word(w, len, "%MatrixMarket"))
    return fs_file_error(x->r->ctx, NULL, "it is not a MatrixMarket file");
  w = next_word(x, &len);
  if (!is_word(w, len, "matrix")) return bad_line(x, "does not name a matrix");
  w = next_word(x, &len);
  x->coordinate = is_word(w, len, "coordinate");
  if (!x->coordinate && !is_word(w, len, "array"))
    return bad_line(x, "names neither array nor coordinate format");
  w = next_word(x, &len);
  x->pattern = is_word(w, len, "pattern");
  x->integer = is_word(w, len, "integer");
  x->complex = is_word(w, len, "complex");
  if (!x->pattern && !x->integer && !x->complex && !is_word(w, len, "real") &&
      !is_word(w, len, "double"))
    return bad_line(x, "names no known kind of number");
  w = next_word(x, &len);
  x->symmetry = is_word(w, len, "symmetric")        ? SYMMETRIC
                : is_word(w, len, "hermitian")      ? (x->complex ? HERMITIAN : SYMMETRIC)
                : is_word(w, len, "skew-symmetric") ? SKEW
                                                    : GENERAL;
  if (!x->symmetry && !is_word(w, len, "general"))
    return bad_line(x, "names no known symmetry");
  if (x->pattern && !x->coordinate)
    return bad_line(x, "asks for a pattern in array format");
  return FS_OK;
}

static enum fs_status parse_sizes(struct mtx *x) {
  enum fs_status st = next_line(x);
  if (st) return st;
  if (x->line.len < 0)
    return fs_file_error(x->r->ctx, NULL, "its line of sizes is missing");
  if (!take_int(x, &x->m) || !take_int(x, &x->n) || x->m < 0 || x->n < 0 ||
      (x->coordinate && (!take_int(x, &x->entries) || x->entries < 0)) ||
      !line_done(x))
    return bad_line(x, "does not give the sizes");
  if (x->symmetry && x->m != x->n)
    return bad_line(x, "gives a symmetric matrix that is not square");
  enum fs_status dense = fs_file_check_dense(x->r, x->how, x->m, x->n, x->complex ? 16 : 8);
  if (dense) return dense;
  int64_t n = x->n;
  if (!x->coordinate) /* n*(n+-1)/2 cannot overflow: n*n*8 does not */
    x->entries = x->symmetry == SKEW ? n * (n - 1) / 2
                 : x->symmetry       ? n * (n + 1) / 2
                                     : x->m * n;
  return FS_OK;
}

/* The entries must fit the bytes that follow ("1 1\n", "1 1 1\n", "1\n"). */
static enum fs_status check_sizes(struct mtx *x) {
  int64_t least = (!x->coordinate ? 2 : x->pattern ? 4 : 6) + 2 * x->complex;
  if (x->entries > (x->r->left + 1) / least)
    return fs_file_error(x->r->ctx, NULL,
                         "it declares %lld entries, but only %lld bytes follow",
                         (long long)x->entries, (long long)x->r->left);
  return FS_OK;
}

/* -- entries ----------------------------------------------------------------- */

struct entry {
  double f, im;
  int64_t i;
};

static bool is_zero(const struct mtx *x, const struct entry *v) {
  return x->integer ? v->i == 0 : v->f == 0 && v->im == 0;
}

static enum fs_status take_value(struct mtx *x, struct entry *out) {
  *out = (struct entry){0};
  if (x->pattern) {
    out->f = 1;
    return FS_OK;
  }
  if (x->integer)
    return take_int(x, &out->i) ? FS_OK : bad_line(x, "holds no integer");
  size_t len;
  const char *w = next_word(x, &len);
  bool good = fs_file_number(w, len, &out->f);
  if (good && x->complex) {
    w = next_word(x, &len);
    good = fs_file_number(w, len, &out->im);
  }
  return good ? FS_OK : bad_line(x, x->complex ? "holds no real and imaginary part"
                                               : "holds no number");
}

/* Adds: a place that is given twice holds the sum, as is usual. What is there first
 * stays as it is, -0 too. */
static bool add_at(struct mtx *x, int64_t row, int64_t column,
                   struct entry v) {
  int64_t at = row * x->n + column;
  if (!x->integer) {
    double *to = (double *)x->data + (at << x->complex);
    *to = *to == 0 ? v.f : *to + v.f;
    if (x->complex) to[1] = to[1] == 0 ? v.im : to[1] + v.im;
    return true;
  }
  int64_t *to = (int64_t *)x->data + at;
  return !__builtin_add_overflow(*to, v.i, to);
}

static enum fs_status put_entry(struct mtx *x, int64_t row, int64_t column,
                                struct entry v) {
  bool ok = add_at(x, row, column, v);
  if (x->symmetry && row != column) {
    if (x->symmetry == SKEW && !x->integer) v.f = -v.f;
    if (x->symmetry >= SKEW) v.im = -v.im;
    if (x->symmetry == SKEW && x->integer)
      ok = ok && !__builtin_sub_overflow(0, v.i, &v.i);
    ok = ok && add_at(x, column, row, v);
  }
  return ok ? FS_OK : bad_line(x, "makes an integer too large");
}

static enum fs_status read_coordinate(struct mtx *x) {
  int64_t row, column;
  struct entry v;
  if (!take_int(x, &row) || !take_int(x, &column))
    return bad_line(x, "holds no row and column");
  if (row < 1 || row > x->m || column < 1 || column > x->n)
    return fs_file_error(x->r->ctx, NULL,
                         "line %lld: (%lld, %lld) is outside the %lldx%lld "
                         "matrix",
                         (long long)x->line.number, (long long)row,
                         (long long)column, (long long)x->m, (long long)x->n);
  enum fs_status st = take_value(x, &v);
  if (st) return st;
  if (!line_done(x)) return bad_line(x, "holds more than one entry");
  if (x->symmetry == HERMITIAN && row == column && v.im != 0)
    return bad_line(x, "is on the diagonal of a hermitian matrix, which is real");
  if (x->symmetry == SKEW && row == column && !is_zero(x, &v))
    return bad_line(x, "is on the diagonal of a skew-symmetric matrix, which is 0");
  return put_entry(x, row - 1, column - 1, v);
}

static enum fs_status missing(struct mtx *x, int64_t have) {
  return fs_file_error(x->r->ctx, NULL,
                       "it declares %lld entries, but holds %lld",
                       (long long)x->entries, (long long)have);
}

static enum fs_status read_coordinates(struct mtx *x) {
  for (int64_t k = 0; k < x->entries; k++) {
    enum fs_status st = next_line(x);
    if (!st && x->line.len < 0) st = missing(x, k);
    if (!st) st = read_coordinate(x);
    if (st) return st;
  }
  return FS_OK;
}

/* Values in columns, one on each line: rows on lines would be read transposed. */
static enum fs_status read_values(struct mtx *x) {
  int64_t done = 0;
  for (int64_t j = 0; j < x->n; j++) {
    int64_t first = x->symmetry == SKEW ? j + 1 : x->symmetry ? j : 0;
    for (int64_t i = first; i < x->m; i++, done++) {
      struct entry v;
      enum fs_status st = next_line(x);
      if (!st && x->line.len < 0) st = missing(x, done);
      if (!st) st = take_value(x, &v);
      if (!st && !line_done(x))
        st = fs_file_error(x->r->ctx, "the values stand one below the other, column by "
                           "column", "line %lld holds more than one value",
                           (long long)x->line.number);
      if (!st) st = put_entry(x, i, j, v);
      if (st) return st;
    }
  }
  return FS_OK;
}

static enum fs_status read_entries(struct mtx *x, struct fs_array *out) {
  int64_t bytes = x->m * x->n * (x->complex ? 16 : 8);
  enum fs_status st = fs_file_zeros(x->r->ctx, bytes, &out->data);
  if (st) return st;
  x->data = out->data;
  x->at = NULL;
  st = x->coordinate ? read_coordinates(x) : read_values(x);
  if (!st) st = next_line(x);
  if (!st && x->line.len >= 0)
    st = bad_line(x, "comes after the last entry");
  return st;
}

enum fs_status fs_mtx_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_array *out) {
  struct mtx x = {.r = r, .how = how};
  enum fs_status st = parse_banner(&x);
  if (!st) st = parse_sizes(&x);
  if (!st) st = check_sizes(&x);
  out->dtype = x.integer ? FS_I64 : FS_F64;
  out->complex = x.complex;
  out->shape = (struct fs_shape){x.n == 1 ? 1 : 2, {x.m, x.n}};
  if (x.n == 1) out->shape.dim[1] = 0;
  if (!st) st = read_entries(&x, out);
  free(x.line.text);
  return st;
}

/* -- writing ----------------------------------------------------------------- */

/* Rows i..i+m, columns j..j+n of the source as text, column by column. */
static enum fs_status write_box(struct fs_writer *w,
                                const struct fs_array_source *s, int64_t i,
                                int64_t m, int64_t j, int64_t n, void *buf) {
  int64_t first[FS_MAX_RANK] = {i, j}, count[FS_MAX_RANK] = {m, n};
  size_t part = fs_dtype_size(s->dtype), size = part << s->complex;
  enum fs_status st = s->box(s->user, first, count, buf, w->ctx->diags);
  for (int64_t c = 0; c < n && !st; c++)
    for (int64_t r = 0; r < m && !st; r++) {
      char text[80];
      const void *element = (char *)buf + (size_t)(r * n + c) * size;
      bool truth = s->dtype == FS_BOOL;
      int len = truth ? 1 : fs_show_shortest(s->dtype, element, text);
      if (truth) text[0] = *(const unsigned char *)element ? '1' : '0';
      if (s->complex) {
        text[len++] = ' ';
        len += fs_show_shortest(s->dtype, (const char *)element + part, text + len);
      }
      text[len++] = '\n';
      st = fs_writer_put(w, text, (size_t)len);
    }
  return st;
}

static enum fs_status write_columns(struct fs_writer *w,
                                    const struct fs_array_source *s, int64_t m,
                                    int64_t n) {
  enum { BOX = 1 << 18 }; /* elements fetched at a time */
  void *buf;
  enum fs_status st = fs_file_alloc(w->ctx, BOX * 16, &buf);
  if (st) return st;
  int64_t rows = FS_MIN(FS_MAX(m, 1), (int64_t)BOX), columns = BOX / rows;
  for (int64_t j = 0; j < n && !st; j += columns)
    for (int64_t i = 0; i < m && !st; i += rows)
      st = write_box(w, s, i, FS_MIN(rows, m - i), j, FS_MIN(columns, n - j),
                     buf);
  free(buf);
  return st;
}

enum fs_status fs_mtx_write(struct fs_writer *w,
                            const struct fs_array_source *source) {
  char head[128];
  int64_t m = fs_shape_dim(&source->shape, 0);
  int64_t n = fs_shape_dim(&source->shape, 1);
  int len = snprintf(head, sizeof head,
                     "%%%%MatrixMarket matrix array %s general\n%lld %lld\n",
                     source->complex                    ? "complex"
                     : fs_dtype_is_float(source->dtype) ? "real"
                                                        : "integer",
                     (long long)m, (long long)n);
  enum fs_status st = fs_writer_put(w, head, (size_t)len);
  return st ? st : write_columns(w, source, m, n);
}
