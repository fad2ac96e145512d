/* files_image.c - images as u8 or u16: .pgm and .ppm here, .png by libpng.
 *
 * Grey values are a matrix of the image's height and width; colours (3), grey values with opacity
 * (2) and colours with opacity (4) are a third dimension. */
#include <dlfcn.h>
#include <stdio.h>

#include "core/eval/files.h"

/* How large an image may become: in proportion to the bytes of its file. */
static enum fs_status check_size(struct fs_reader *r, int64_t h, int64_t w, int64_t bytes) {
  int64_t all = fs_mul_size(fs_mul_size(h, w), bytes);
  if (h < 1 || w < 1) return fs_file_error(r->ctx, NULL, "it declares an image of no pixels");
  if (all < 0 || (all > FS_NPZ_RATIO_FREE && all / FS_NPZ_RATIO_MAX > r->size))
    return fs_file_error(r->ctx, NULL, "it declares %lld x %lld pixels in %lld bytes, which "
                         "cannot hold them", (long long)h, (long long)w, (long long)r->size);
  return FS_OK;
}

static void set_shape(struct fs_array *out, int64_t h, int64_t w, int64_t channels, bool wide) {
  out->dtype = wide ? FS_U16 : FS_U8;
  out->shape = (struct fs_shape){.rank = 2 + (channels > 1), .dim = {h, w, channels}};
}

/* -- .pgm, .ppm ---------------------------------------------------------------------- */

enum { P_NUMBER_MAX = 1 << 30 };

/* The next number of a header or of a text: behind blanks and comments. One character behind it
 * is taken, too. */
static enum fs_status next_number(struct fs_reader *r, int64_t *out) {
  char c = ' ';
  enum fs_status st = FS_OK;
  bool comment = false;
  while (!st && (comment || c == '#' || strchr(" \t\r\n", c))) {
    comment = (comment || c == '#') && c != '\n';
    if (!r->left) return fs_file_error(r->ctx, NULL, "it ends early");
    st = fs_reader_get(r, &c, 1);
    if (!c) break;
  }
  int digits = 0;
  for (*out = 0; !st && c >= '0' && c <= '9' && *out <= P_NUMBER_MAX; digits++) {
    *out = *out * 10 + (c - '0');
    c = ' ';
    if (r->left) st = fs_reader_get(r, &c, 1);
  }
  if (!st && (!digits || *out > P_NUMBER_MAX || !c || !strchr(" \t\r\n#", c)))
    st = fs_file_error(r->ctx, NULL, "a number is damaged, or too large");
  return st;
}

static enum fs_status read_text(struct fs_reader *r, int64_t n, int64_t most, struct fs_array *out) {
  enum fs_status st = FS_OK;
  for (int64_t k = 0; k < n && !st; k++) {
    int64_t x = 0;
    st = next_number(r, &x);
    if (!st && x > most) st = fs_file_error(r->ctx, NULL, "it has a value above its largest");
    if (out->dtype == FS_U16) ((uint16_t *)out->data)[k] = (uint16_t)x;
    else ((uint8_t *)out->data)[k] = (uint8_t)x;
  }
  return st;
}

static enum fs_status read_bytes(struct fs_reader *r, int64_t n, struct fs_array *out) {
  bool wide = out->dtype == FS_U16;
  unsigned char *p = out->data;
  enum fs_status st = fs_reader_get(r, p, (size_t)(n << wide));
  for (int64_t k = 0; k < n && wide && !st; k++) /* the larger byte comes first */
    ((uint16_t *)out->data)[k] = (uint16_t)(p[2 * k] << 8 | p[2 * k + 1]);
  return st;
}

enum fs_status fs_pnm_read(struct fs_reader *r, struct fs_array *out) {
  char magic[2];
  int64_t w = 0, h = 0, most = 0;
  if (r->size < 2) return fs_file_error(r->ctx, NULL, "it ends early");
  enum fs_status st = fs_reader_get(r, magic, 2);
  bool text = magic[1] == '2' || magic[1] == '3', colours = magic[1] == '3' || magic[1] == '6';
  if (!st && (magic[0] != 'P' || !strchr("2356", magic[1])))
    return fs_file_error(r->ctx, NULL, "it does not begin as a .pgm or .ppm file");
  if (!st) st = next_number(r, &w);
  if (!st) st = next_number(r, &h);
  if (!st) st = next_number(r, &most);
  if (!st && (most < 1 || most > 65535))
    st = fs_file_error(r->ctx, NULL, "its largest value is %lld, not 1 to 65535", (long long)most);
  bool wide = most > 255;
  if (!st) st = check_size(r, h, w, (colours ? 3 : 1) << wide);
  if (st) return st;
  set_shape(out, h, w, colours ? 3 : 1, wide);
  int64_t n = fs_shape_count(&out->shape), least = text ? 2 * n - 1 : n << wide;
  if (least > r->left) return fs_file_error(r->ctx, NULL, "it ends early");
  st = fs_file_alloc(r->ctx, n << wide, &out->data);
  if (st) return st;
  return text ? read_text(r, n, most, out) : read_bytes(r, n, out);
}

/* -- saving ---------------------------------------------------------------------------- */

/* Whether it is an image of so many channels at most; *wide: of 16 bits. */
static enum fs_status image_of(const struct fs_file_ctx *ctx, const struct fs_array_source *s,
                               int64_t most, int64_t *channels, bool *wide) {
  bool type = (s->dtype == FS_U8 || s->dtype == FS_U16) && !s->complex;
  if (!type)
    return fs_file_error(ctx, "u8(255*x) of values from 0 to 1", "an image holds u8 or u16, not %s",
                         s->complex ? "complex numbers" : fs_dtype_name(s->dtype));
  *wide = s->dtype == FS_U16;
  *channels = s->shape.rank == 3 ? s->shape.dim[2] : 1;
  bool shape = (s->shape.rank == 2 || s->shape.rank == 3) && *channels >= 1 && *channels <= most;
  if (!shape || !fs_shape_count(&s->shape) || s->shape.dim[0] > INT32_MAX || s->shape.dim[1] > INT32_MAX)
    return fs_file_error(ctx, NULL, "an image is a matrix, or has at most %d colours as a third dimension",
                         (int)most);
  return FS_OK;
}

struct pnm_sink { struct fs_writer *w; bool wide; };

static enum fs_status put_pnm(void *user, const void *data, int64_t count) {
  struct pnm_sink *s = user;
  unsigned char part[512];
  if (!s->wide) return fs_writer_put(s->w, data, (size_t)count);
  const uint16_t *from = data;
  enum fs_status st = FS_OK;
  for (int64_t at = 0; at < count && !st; at += 256) {
    int64_t n = FS_MIN((int64_t)256, count - at);
    for (int64_t k = 0; k < n; k++) {
      part[2 * k] = (unsigned char)(from[at + k] >> 8);
      part[2 * k + 1] = (unsigned char)from[at + k];
    }
    st = fs_writer_put(s->w, part, (size_t)(2 * n));
  }
  return st;
}

enum fs_status fs_pnm_write(struct fs_writer *w, const struct fs_array_source *s, bool colours) {
  struct pnm_sink sink = {w};
  int64_t channels = 1;
  char head[80];
  enum fs_status st = image_of(w->ctx, s, 3, &channels, &sink.wide);
  if (!st && channels != (colours ? 3 : 1))
    st = fs_file_error(w->ctx, NULL, "a .pgm file holds grey values, a .ppm file three colours");
  if (st) return st;
  int n = snprintf(head, sizeof head, "P%d\n%lld %lld\n%d\n", colours ? 6 : 5,
                   (long long)s->shape.dim[1], (long long)s->shape.dim[0], sink.wide ? 65535 : 255);
  st = fs_writer_put(w, head, (size_t)n);
  return st ? st : fs_source_each(w->ctx, s, put_pnm, &sink);
}

/* -- .png --------------------------------------------------------------------------------- */

typedef void png_error_fn(void *, const char *);
typedef void png_data_fn(void *, unsigned char *, size_t);

static struct {
  const char *(*png_get_libpng_ver)(void *);
  void *(*png_create_read_struct)(const char *, void *, png_error_fn *, png_error_fn *);
  void *(*png_create_write_struct)(const char *, void *, png_error_fn *, png_error_fn *);
  void *(*png_create_info_struct)(void *);
  void *(*png_get_error_ptr)(void *);
  void *(*png_get_io_ptr)(void *);
  void (*png_set_read_fn)(void *, void *, png_data_fn *);
  void (*png_set_write_fn)(void *, void *, png_data_fn *, void (*)(void *));
  void (*png_read_info)(void *, void *);
  uint32_t (*png_get_image_width)(void *, void *);
  uint32_t (*png_get_image_height)(void *, void *);
  unsigned char (*png_get_bit_depth)(void *, void *);
  unsigned char (*png_get_channels)(void *, void *);
  void (*png_set_expand)(void *);
  void (*png_set_swap)(void *);
  void (*png_set_user_limits)(void *, uint32_t, uint32_t);
  int (*png_set_interlace_handling)(void *);
  void (*png_read_update_info)(void *, void *);
  void (*png_read_image)(void *, unsigned char **);
  void (*png_read_end)(void *, void *);
  void (*png_destroy_read_struct)(void **, void **, void **);
  void (*png_set_IHDR)(void *, void *, uint32_t, uint32_t, int, int, int, int, int);
  void (*png_write_info)(void *, void *);
  void (*png_write_row)(void *, const unsigned char *);
  void (*png_write_end)(void *, void *);
  void (*png_destroy_write_struct)(void **, void **);
} png;

#define PNG_FUNCTIONS(X)                                                                     \
  X(png_get_libpng_ver) X(png_create_read_struct) X(png_create_write_struct)                 \
  X(png_create_info_struct) X(png_get_error_ptr) X(png_get_io_ptr) X(png_set_read_fn)        \
  X(png_set_write_fn) X(png_read_info) X(png_get_image_width) X(png_get_image_height)        \
  X(png_get_bit_depth) X(png_get_channels) X(png_set_expand) X(png_set_swap)                 \
  X(png_set_user_limits) X(png_set_interlace_handling) X(png_read_update_info)               \
  X(png_read_image) X(png_read_end) X(png_destroy_read_struct) X(png_set_IHDR)               \
  X(png_write_info) X(png_write_row) X(png_write_end) X(png_destroy_write_struct)

static enum fs_status find_png(const struct fs_file_ctx *ctx) {
  static bool found;
  void *lib = found ? NULL : dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
  bool good = lib != NULL;
#define FIND(name) good = good && (*(void **)&png.name = dlsym(lib, #name)) != NULL;
  if (lib) PNG_FUNCTIONS(FIND)
  found |= good;
  return found ? FS_OK
               : fs_file_error(ctx, "the package is called libpng16-16, or libpng",
                               ".png files need the library libpng16, which is not there");
}

/* What a call of the library has in hand: how it ends, and what it was. */
struct png_work {
  const struct fs_file_ctx *ctx;
  struct fs_reader *r;
  struct fs_writer *w;
  void *png, *info;
  unsigned char **rows;
  jmp_buf back;
  enum fs_status st;
};

static void on_error(void *handle, const char *text) {
  struct png_work *k = png.png_get_error_ptr(handle);
  if (!k->st) k->st = fs_file_error(k->ctx, NULL, "the image is damaged: %.100s", text);
  longjmp(k->back, 1);
}

static void on_warning(void *handle, const char *text) {
  (void)handle;
  (void)text;
}

static void on_read(void *handle, unsigned char *out, size_t len) {
  struct png_work *k = png.png_get_io_ptr(handle);
  if ((int64_t)len > k->r->left) k->st = fs_file_error(k->ctx, NULL, "it ends early");
  else k->st = fs_reader_get(k->r, out, len);
  if (k->st) longjmp(k->back, 1);
}

static void on_write(void *handle, unsigned char *data, size_t len) {
  struct png_work *k = png.png_get_io_ptr(handle);
  k->st = fs_writer_put(k->w, data, len);
  if (k->st) longjmp(k->back, 1);
}

static void on_flush(void *handle) { (void)handle; }

/* What may jump back to the caller. */
static void read_image(struct png_work *k, struct fs_array *out) {
  enum { PIXELS = 1 << 30 };
  k->png = png.png_create_read_struct(png.png_get_libpng_ver(NULL), k, on_error, on_warning);
  k->info = k->png ? png.png_create_info_struct(k->png) : NULL;
  if (!k->info) fs_oom_raise();
  png.png_set_user_limits(k->png, PIXELS, PIXELS);
  png.png_set_read_fn(k->png, k, on_read);
  png.png_read_info(k->png, k->info);
  int64_t h = png.png_get_image_height(k->png, k->info), w = png.png_get_image_width(k->png, k->info);
  k->st = check_size(k->r, h, w, 8);
  if (k->st) return;
  png.png_set_expand(k->png);
  png.png_set_swap(k->png);
  png.png_set_interlace_handling(k->png);
  png.png_read_update_info(k->png, k->info);
  bool wide = png.png_get_bit_depth(k->png, k->info) == 16;
  set_shape(out, h, w, png.png_get_channels(k->png, k->info), wide);
  int64_t bytes = fs_shape_count(&out->shape) << wide;
  k->st = fs_file_alloc(k->ctx, bytes, &out->data);
  if (k->st) return;
  k->rows = fs_calloc((size_t)h, sizeof *k->rows);
  for (int64_t i = 0; i < h; i++) k->rows[i] = (unsigned char *)out->data + bytes / h * i;
  png.png_read_image(k->png, k->rows);
  png.png_read_end(k->png, NULL);
}

enum fs_status fs_png_read(struct fs_reader *r, struct fs_array *out) {
  enum fs_status st = find_png(r->ctx);
  if (st) return st;
  struct png_work *k = fs_calloc(1, sizeof *k);
  k->ctx = r->ctx;
  k->r = r;
  if (!setjmp(k->back)) read_image(k, out);
  st = k->st;
  if (k->png) png.png_destroy_read_struct(&k->png, &k->info, NULL);
  free(k->rows);
  free(k);
  return st;
}

struct png_sink {
  struct png_work *k;
  int64_t row, have; /* bytes of a row; of them that are there */
  unsigned char *line;
};

static void write_rows(struct png_sink *s, const unsigned char *from, int64_t left) {
  while (left) {
    int64_t n = FS_MIN(left, s->row - s->have);
    memcpy(s->line + s->have, from, (size_t)n);
    s->have += n;
    from += n;
    left -= n;
    if (s->have < s->row) break;
    png.png_write_row(s->k->png, s->line);
    s->have = 0;
  }
}

static enum fs_status put_rows(void *user, const void *data, int64_t count) {
  struct png_sink *s = user;
  if (!setjmp(s->k->back)) write_rows(s, data, count);
  return s->k->st;
}

static enum fs_status put_wide_rows(void *user, const void *data, int64_t count) {
  return put_rows(user, data, 2 * count);
}

static void write_image(struct png_work *k, const struct fs_array_source *s, int64_t channels,
                        bool wide, unsigned char *line) {
  static const int colour[] = {0, 0, 4, 2, 6};
  k->png = png.png_create_write_struct(png.png_get_libpng_ver(NULL), k, on_error, on_warning);
  k->info = k->png ? png.png_create_info_struct(k->png) : NULL;
  if (!k->info) fs_oom_raise();
  png.png_set_write_fn(k->png, k, on_write, on_flush);
  png.png_set_IHDR(k->png, k->info, (uint32_t)s->shape.dim[1], (uint32_t)s->shape.dim[0],
                   wide ? 16 : 8, colour[channels], 0, 0, 0);
  png.png_write_info(k->png, k->info);
  if (wide) png.png_set_swap(k->png);
  struct png_sink sink = {k, s->shape.dim[1] * channels << wide, 0, line};
  k->st = fs_source_each(k->ctx, s, wide ? put_wide_rows : put_rows, &sink);
  if (!k->st && !setjmp(k->back)) png.png_write_end(k->png, NULL);
}

enum fs_status fs_png_write(struct fs_writer *w, const struct fs_array_source *s) {
  int64_t channels = 1;
  bool wide = false;
  enum fs_status st = find_png(w->ctx);
  if (!st) st = image_of(w->ctx, s, 4, &channels, &wide);
  if (st) return st;
  struct png_work *k = fs_calloc(1, sizeof *k);
  unsigned char *line = fs_calloc((size_t)s->shape.dim[1], (size_t)channels << wide);
  k->ctx = w->ctx;
  k->w = w;
  if (!setjmp(k->back)) write_image(k, s, channels, wide, line);
  st = k->st;
  if (k->png) png.png_destroy_write_struct(&k->png, &k->info);
  free(line);
  free(k);
  return st;
}
