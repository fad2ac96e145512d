/* files_npy.c - NumPy's .npy, versions 1 to 3. The header is a Python dict
 * literal; it is parsed by hand and nothing in it is ever evaluated. Fortran
 * order and big-endian data are brought into row-major host order on the way. */
#include "core/eval/files.h"

#include <limits.h>
#include <stdio.h>

/* -- the header -------------------------------------------------------------- */

struct npy_header {
  char kind;               /* NumPy's: b i u f c */
  int size;
  bool big, fortran, complex;
  enum fs_dtype dtype;     /* what it becomes  */
  struct fs_shape shape;
  int64_t count;
};

/* The type of elements of `size` bytes. */
static bool type_of(char kind, int size, enum fs_dtype *out) {
  char name[3] = {kind, (char)('0' + size), 0};
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++)
    if (*fs_dtypes[dt].npy && !strcmp(fs_dtypes[dt].npy + 1, name)) {
      *out = (enum fs_dtype)dt;
      return true;
    }
  return false;
}

struct cursor {
  const char *at, *end;
  const struct fs_file_ctx *ctx;
};

static void skip_space(struct cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
    c->at++;
}

static bool take(struct cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_word(struct cursor *c, const char *word) {
  size_t len = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len)) return false;
  c->at += len;
  return true;
}

static enum fs_status damaged(struct cursor *c) {
  return fs_file_error(c->ctx, NULL, "its .npy header is damaged");
}

/* 'text' or "text", without escapes. */
static bool take_string(struct cursor *c, char *out, size_t cap) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return false;
  char quote = *c->at++;
  size_t n = 0;
  while (c->at < c->end && *c->at != quote) {
    if (*c->at == '\\' || n + 1 >= cap) return false;
    out[n++] = *c->at++;
  }
  out[n] = 0;
  if (c->at == c->end) return false;
  c->at++;
  return true;
}

/* Whether it is "c8" or "c16", and the type of its parts; NULL: nobody asks. */
static bool is_complex(const char *type, enum fs_dtype *part) {
  bool wide = !strncmp(type, "c16", 3), complex = wide || !strncmp(type, "c8", 2);
  if (complex && part) *part = wide ? FS_F64 : FS_F32;
  return complex;
}

/* What elements are that are no numbers of a type here; NULL: that is not known. */
static const char *others(const char *descr) {
  switch (descr[0] && strchr("<>|=", descr[0]) ? descr[1] : descr[0]) {
    case 'O': return "Python objects";
    case 'U': case 'S': case 'a': return "text";
    case 'V': return "raw or structured records";
    case 'M': case 'm': return "dates or times";
    case 'c': return is_complex(descr + (descr[0] != 'c'), NULL) ? NULL : "long complex numbers";
    default: return NULL;
  }
}

static enum fs_status bad_type(struct cursor *c, const char *descr) {
  const char *what = others(descr);
  if (what)
    return fs_file_error(c->ctx, NULL, "it holds %s, only numbers can be loaded",
                         what);
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, descr, strlen(descr));
  enum fs_status st = fs_file_error(
      c->ctx, NULL, "its element type '%s' is not known", fs_str_text(&safe));
  fs_str_free(&safe);
  return st;
}

static enum fs_status parse_descr(struct cursor *c, struct npy_header *h) {
  char text[32];
  skip_space(c);
  if (c->at < c->end && *c->at == '[')
    return fs_file_error(c->ctx, NULL,
                         "it holds structured records, only numbers can be "
                         "loaded");
  if (!take_string(c, text, sizeof text)) return damaged(c);
  const char *type = text;
  h->big = *type == '>';
  if (*type && strchr("<>|=", *type)) type++;
  h->kind = type[0];
  h->complex = is_complex(type, &h->dtype);
  if (h->complex) {
    h->size = h->dtype == FS_F64 ? 16 : 8;
    return type[strspn(type, "c0123456789")] || strlen(type) > 3 ? bad_type(c, text) : FS_OK;
  }
  if (strlen(type) != 2 || !type_of(type[0], type[1] - '0', &h->dtype)) return bad_type(c, text);
  h->size = type[1] - '0';
  return FS_OK;
}

/* One extent; Python 2 wrote 3L. */
static bool take_extent(struct cursor *c, int64_t *out) {
  skip_space(c);
  const char *begin = c->at;
  *out = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, *c->at - '0', out))
      return false;
  if (c->at == begin) return false;
  if (c->at < c->end && *c->at == 'L') c->at++;
  return true;
}

static enum fs_status parse_shape(struct cursor *c, struct fs_shape *shape) {
  if (!take(c, '(')) return damaged(c);
  shape->rank = 0;
  while (!take(c, ')')) {
    int64_t extent;
    if (!take_extent(c, &extent)) return damaged(c);
    if (shape->rank == FS_MAX_RANK)
      return fs_file_error(c->ctx, NULL,
                           "it has more than %d dimensions", FS_MAX_RANK);
    shape->dim[shape->rank++] = extent;
    if (take(c, ',')) continue;
    if (!take(c, ')')) return damaged(c);
    break;
  }
  return FS_OK;
}

static enum fs_status parse_dict(struct cursor *c, struct npy_header *h) {
  enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
  unsigned seen = 0, key;
  enum fs_status st = FS_OK;
  char name[24];
  if (!take(c, '{')) return damaged(c);
  while (!take(c, '}')) {
    if (!take_string(c, name, sizeof name) || !take(c, ':')) return damaged(c);
    key = !strcmp(name, "descr")           ? DESCR
          : !strcmp(name, "fortran_order") ? ORDER
          : !strcmp(name, "shape")         ? SHAPE
                                           : 0;
    if (!key || seen & key) return damaged(c);
    seen |= key;
    if (key == DESCR)
      st = parse_descr(c, h);
    else if (key == SHAPE)
      st = parse_shape(c, &h->shape);
    else if (!(h->fortran = take_word(c, "True")) && !take_word(c, "False"))
      st = damaged(c);
    if (st) return st;
    if (take(c, ',')) continue;
    if (!take(c, '}')) return damaged(c);
    break;
  }
  skip_space(c);
  return seen == (DESCR | ORDER | SHAPE) && c->at == c->end ? FS_OK
                                                            : damaged(c);
}

/* The element count; extents of 0 do not hide an overflow of the others. */
static enum fs_status check_size(struct fs_reader *r, struct npy_header *h) {
  int64_t all = 1;
  h->count = 1;
  for (int k = 0; k < h->shape.rank && all >= 0; k++) {
    all = fs_mul_size(all, FS_MAX(h->shape.dim[k], 1));
    h->count = fs_mul_size(h->count, h->shape.dim[k]);
  }
  if (all < 0 || fs_mul_size(all, 16) < 0)
    return fs_file_error(r->ctx, NULL,
                         "its header declares more elements than can exist");
  int64_t bytes = h->count * h->size;
  if (bytes <= r->left) return FS_OK;
  struct fs_str need = {0}, have = {0};
  fs_str_put_bytes(&need, (double)bytes);
  fs_str_put_bytes(&have, (double)r->left);
  enum fs_status st = fs_file_error(
      r->ctx, NULL, "its header declares %s of data, but only %s follow",
      fs_str_text(&need), fs_str_text(&have));
  fs_str_free(&need);
  fs_str_free(&have);
  return st;
}

/* The text of the header: from malloc, given. */
static enum fs_status read_dict(struct fs_reader *r, char **out, size_t *size) {
  unsigned char b[12];
  if (r->left < 10)
    return fs_file_error(r->ctx, NULL, "it is too short for a .npy file");
  enum fs_status st = fs_reader_get(r, b, 8);
  if (st) return st;
  if (memcmp(b, "\x93NUMPY", 6))
    return fs_file_error(r->ctx, NULL, "it is not a .npy file");
  if (b[6] < 1 || b[6] > 3 || b[7] != 0)
    return fs_file_error(r->ctx, NULL, ".npy version %d.%d is not known", b[6],
                         b[7]);
  size_t width = b[6] == 1 ? 2 : 4;
  if ((st = fs_reader_get(r, b, width))) return st;
  uint32_t len = b[0] | (uint32_t)b[1] << 8;
  if (width == 4) len |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  if (len > FS_NPY_HEADER_MAX)
    return fs_file_error(r->ctx, NULL, "its .npy header has more than %d bytes",
                         FS_NPY_HEADER_MAX);
  void *text;
  if ((st = fs_file_alloc(r->ctx, len + 1, &text))) return st;
  if ((st = fs_reader_get(r, text, len))) {
    free(text);
    return st;
  }
  *out = text;
  *size = len;
  (*out)[len] = 0;
  return FS_OK;
}

static enum fs_status read_header(struct fs_reader *r, struct npy_header *h) {
  char *text;
  size_t len;
  enum fs_status st = read_dict(r, &text, &len);
  if (st) return st;
  struct cursor c = {text, text + len, r->ctx};
  st = parse_dict(&c, h);
  free(text);
  return st ? st : check_size(r, h);
}

enum fs_status fs_npy_read_word(struct fs_reader *r, char *out, size_t cap) {
  char *text;
  size_t len;
  enum fs_status st = read_dict(r, &text, &len);
  *out = 0;
  if (st) return st;
  const char *bytes = strstr(text, "'|S"), *wide = strstr(text, "'<U");
  const char *count = bytes ? bytes + 3 : wide ? wide + 3 : "0";
  size_t n = (size_t)strtoul(count, NULL, 10), step = bytes ? 1 : 4;
  free(text);
  if (!n || n >= cap || n * step != (size_t)r->left) return FS_OK;
  for (size_t k = 0; k < n && !st; k++) {
    unsigned char c[4] = {0};
    st = fs_reader_get(r, c, step);
    out[k] = c[0] < 0x80 && !c[1] && !c[2] && !c[3] ? (char)c[0] : '?';
  }
  out[n] = 0;
  return st;
}

enum fs_status fs_npy_read_others(struct fs_reader *r, const char **what) {
  static const char key[] = "'descr':";
  char *text;
  size_t len;
  enum fs_status st = read_dict(r, &text, &len);
  *what = NULL;
  if (st) return st;
  const char *at = strstr(text, key);
  if (at) at += strlen(key) + strspn(at + strlen(key), " ");
  if (at && *at == '\'') *what = others(at + 1);
  else if (at && *at == '[') *what = "structured records";
  free(text);
  return FS_OK;
}

/* -- the data ---------------------------------------------------------------- */

enum { CHUNK = 1 << 18 }; /* elements converted at a time */

static void swap_bytes(unsigned char *p, int64_t n, int size) {
  for (int64_t i = 0; i < n; i++, p += size)
    for (int k = 0; k < size / 2; k++) {
      unsigned char t = p[k];
      p[k] = p[size - 1 - k];
      p[size - 1 - k] = t;
    }
}

/* Reads n elements in file order to out[], in the order of bytes that the host has. */
static enum fs_status read_elements(struct fs_reader *r, const struct npy_header *h, void *out,
                                    int64_t n) {
  enum fs_status st = fs_reader_get(r, out, (size_t)(n * h->size));
  if (st) return st;
  if (h->big) swap_bytes(out, n << h->complex, h->size >> h->complex);
  if (h->dtype == FS_BOOL) /* any byte may be in the file, 0 and 1 go on */
    for (int64_t i = 0; i < n; i++)
      ((unsigned char *)out)[i] = ((unsigned char *)out)[i] != 0;
  return FS_OK;
}

/* Row-major position of the element 0, i1, i2, ... where column = i1 +
 * d1*(i2 + ...), as Fortran order counts. */
static int64_t column_target(const struct fs_shape *s, int64_t column) {
  int64_t index[FS_MAX_RANK] = {0}, at = 0;
  for (int k = 1; k < s->rank; k++) {
    index[k] = column % s->dim[k];
    column /= s->dim[k];
  }
  for (int k = 1; k < s->rank; k++) at = at * s->dim[k] + index[k];
  return at;
}

struct transposer {
  int64_t rows, inner;      /* extent of the first axis; product of the others */
  int64_t *target;          /* per column of the chunk */
  void *chunk;
};

/* Spreads columns c0..c0+nc, rows r0..r0+nr of the chunk over `out`. Rows are
 * the outer loop, so that the writes run along memory. */
static void spread(const struct transposer *t, size_t size, int64_t r0,
                   int64_t nr, int64_t nc, char *out) {
  const char *in = t->chunk;
  for (int64_t i = 0; i < nr; i++)
    for (int64_t c = 0; c < nc; c++)
      memcpy(out + (size_t)((r0 + i) * t->inner + t->target[c]) * size,
             in + (size_t)(c * nr + i) * size, size);
}

static enum fs_status read_fortran(struct fs_reader *r,
                                   const struct npy_header *h, struct transposer *t, void *out) {
  int64_t columns = h->count / t->rows;
  int64_t nr = FS_MIN(t->rows, (int64_t)CHUNK);
  int64_t nc_max = FS_MAX(CHUNK / t->rows, 1);
  for (int64_t c0 = 0; c0 < columns; c0 += nc_max) {
    int64_t nc = FS_MIN(nc_max, columns - c0);
    for (int64_t c = 0; c < nc; c++)
      t->target[c] = column_target(&h->shape, c0 + c);
    for (int64_t r0 = 0; r0 < t->rows; r0 += nr) {
      int64_t part = FS_MIN(nr, t->rows - r0);
      enum fs_status st = read_elements(r, h, t->chunk, part * nc);
      if (st) return st;
      spread(t, fs_element_bytes(h->dtype, h->complex), r0, part, nc, out);
    }
  }
  return FS_OK;
}

static enum fs_status read_row_major(struct fs_reader *r,
                                     const struct npy_header *h, char *out) {
  size_t size = fs_element_bytes(h->dtype, h->complex);
  for (int64_t at = 0; at < h->count; at += CHUNK) {
    int64_t n = FS_MIN((int64_t)CHUNK, h->count - at);
    enum fs_status st =
        read_elements(r, h, out + (size_t)at * size, n);
    if (st) return st;
  }
  return FS_OK;
}

static enum fs_status read_data(struct fs_reader *r,
                                const struct npy_header *h, void *out) {
  bool transposed = h->fortran && h->shape.rank > 1 && h->count;
  int64_t room = FS_MIN(h->count, (int64_t)CHUNK) * 16;
  void *target = NULL;
  struct transposer t = {0};
  enum fs_status st = transposed ? fs_file_alloc(r->ctx, room, &t.chunk) : FS_OK;
  if (!st && transposed) st = fs_file_alloc(r->ctx, room, &target);
  if (!st && transposed) {
    t.rows = h->shape.dim[0];
    t.inner = h->count / t.rows;
    t.target = target;
    st = read_fortran(r, h, &t, out);
  } else if (!st) {
    st = read_row_major(r, h, out);
  }
  free(t.chunk);
  free(target);
  return st;
}

enum fs_status fs_npy_read(struct fs_reader *r, struct fs_array *out) {
  struct npy_header h = {0};
  enum fs_status st = read_header(r, &h);
  if (st) return st;
  out->dtype = h.dtype;
  out->complex = h.complex;
  out->shape = h.shape;
  int64_t bytes = h.count * (int64_t)fs_element_bytes(h.dtype, h.complex);
  st = fs_file_alloc(r->ctx, bytes, &out->data);
  return st ? st : read_data(r, &h, out->data);
}

/* -- writing ----------------------------------------------------------------- */

/* bf16 has no name in the format and goes out as f32, which holds it exactly. */
static enum fs_dtype saved_dtype(enum fs_dtype dt) {
  return dt == FS_BF16 ? FS_F32 : dt;
}

/* Magic, version, length and dict, padded to a multiple of 64 bytes. */
static size_t make_header(const struct fs_array_source *source,
                          char out[256]) {
  char dict[200];
  const char *real = fs_dtypes[saved_dtype(source->dtype)].npy;
  const char *complex = source->dtype == FS_F64 ? "<c16" : "<c8";
  int n = snprintf(dict, sizeof dict,
                   "{'descr': '%s', 'fortran_order': False, 'shape': (",
                   source->complex ? complex : real);
  for (int k = 0; k < source->shape.rank; k++)
    n += snprintf(dict + n, sizeof dict - (size_t)n, "%s%lld%s", k ? " " : "",
                  (long long)source->shape.dim[k],
                  k + 1 < source->shape.rank || source->shape.rank == 1 ? ","
                                                                        : "");
  n += snprintf(dict + n, sizeof dict - (size_t)n, "), }");
  size_t total = ((size_t)n + 11 + 63) / 64 * 64, len = total - 10;
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(len & 255);
  out[9] = (char)(len >> 8);
  memset(out + 10, ' ', len);
  memcpy(out + 10, dict, (size_t)n);
  out[total - 1] = '\n';
  return total;
}

int64_t fs_npy_size(const struct fs_array_source *source) {
  char header[256];
  int64_t data = fs_mul_size(
      fs_shape_count(&source->shape),
      (int64_t)fs_element_bytes(saved_dtype(source->dtype), source->complex));
  int64_t head = (int64_t)make_header(source, header);
  return data < 0 || data > INT64_MAX - head ? -1 : head + data;
}

struct npy_sink {
  struct fs_writer *w;
  const struct fs_array_source *source;
};

static enum fs_status put_piece(void *user, const void *data, int64_t count) {
  struct npy_sink *s = user;
  if (s->source->dtype != FS_BF16)
    return fs_writer_put(s->w, data,
                         (size_t)count * fs_element_bytes(s->source->dtype, s->source->complex));
  const uint16_t *from = data;
  float part[256];
  enum fs_status st = FS_OK;
  for (int64_t at = 0; at < count && !st; at += (int64_t)FS_LEN(part)) {
    int64_t n = FS_MIN((int64_t)FS_LEN(part), count - at);
    for (int64_t i = 0; i < n; i++) part[i] = fs_bf16_to_float(from[at + i]);
    st = fs_writer_put(s->w, part, (size_t)n * sizeof *part);
  }
  return st;
}

enum fs_status fs_npy_write(struct fs_writer *w,
                            const struct fs_array_source *source) {
  char header[256];
  struct npy_sink sink = {w, source};
  enum fs_status st =
      fs_writer_put(w, header, make_header(source, header));
  return st ? st : fs_source_each(w->ctx, source, put_piece, &sink);
}
