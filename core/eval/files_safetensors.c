/* files_safetensors.c - .safetensors: a header in JSON, then the elements of all arrays.
 *
 * The format is that of https://github.com/huggingface/safetensors: 8 bytes with the length of
 * the header, {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}, data. */
#include <jansson.h>

#include "core/eval/files.h"

enum { HEADER_MAX = 100 << 20, NAME_MAX_BYTES = 255 };

static const struct { const char *name; enum fs_dtype dtype; bool complex; } types[] = {
    {"BOOL", FS_BOOL, false}, {"U8", FS_U8, false},   {"I8", FS_I8, false},
    {"U16", FS_U16, false},   {"I16", FS_I16, false}, {"U32", FS_U32, false},
    {"I32", FS_I32, false},   {"I64", FS_I64, false}, {"U64", FS_U64, false},
    {"F16", FS_F16, false},   {"BF16", FS_BF16, false}, {"F32", FS_F32, false},
    {"F64", FS_F64, false},   {"C64", FS_F32, true},  {"C128", FS_F64, true}};

struct entry {
  const char *name;
  int64_t begin, end;      /* of its bytes, behind the header */
  struct fs_array array;   /* but for the data */
};

static enum fs_status damaged(const struct fs_file_ctx *ctx, const char *name) {
  return fs_file_error(ctx, NULL, "its header is damaged%s%.80s", name ? " at " : "",
                       name ? name : "");
}

static bool read_shape(const json_t *list, struct fs_shape *out) {
  size_t rank = json_array_size(list);
  if (!json_is_array(list) || rank > FS_MAX_RANK) return false;
  *out = (struct fs_shape){.rank = (int)rank};
  int64_t count = 1;
  for (size_t k = 0; k < rank; k++) {
    const json_t *x = json_array_get(list, k);
    out->dim[k] = json_is_integer(x) ? (int64_t)json_integer_value(x) : -1;
    if (out->dim[k] < 0) return false;
    count = fs_mul_size(count, FS_MAX(out->dim[k], 1));
    if (count < 0) return false;
  }
  return true;
}

static bool read_type(const char *text, struct entry *e) {
  for (size_t k = 0; text && k < FS_LEN(types); k++)
    if (!strcmp(types[k].name, text)) {
      e->array.dtype = types[k].dtype;
      e->array.complex = types[k].complex;
      return true;
    }
  return false;
}

/* One member of the header; `room` bytes are behind it. */
static enum fs_status read_entry(const struct fs_file_ctx *ctx, const char *name,
                                 const json_t *from, int64_t room, struct entry *e) {
  const char *type = json_string_value(json_object_get(from, "dtype"));
  const json_t *at = json_object_get(from, "data_offsets");
  *e = (struct entry){.name = name};
  if (!type || json_array_size(at) != 2 || strlen(name) > NAME_MAX_BYTES) return damaged(ctx, name);
  if (!read_type(type, e))
    return fs_file_error(ctx, NULL, "%.80s has elements of the type %.20s, which is none here",
                         name, type);
  if (json_array_size(json_object_get(from, "shape")) > FS_MAX_RANK)
    return fs_file_error(ctx, NULL, "%.80s has more than %d dimensions", name, FS_MAX_RANK);
  if (!read_shape(json_object_get(from, "shape"), &e->array.shape)) return damaged(ctx, name);
  e->begin = (int64_t)json_integer_value(json_array_get(at, 0));
  e->end = (int64_t)json_integer_value(json_array_get(at, 1));
  int64_t bytes = fs_mul_size(fs_shape_count(&e->array.shape),
                              (int64_t)fs_element_bytes(e->array.dtype, e->array.complex));
  bool good = bytes >= 0 && e->begin >= 0 && e->begin <= e->end && e->end - e->begin == bytes;
  if (!good) return damaged(ctx, name);
  return e->end <= room ? FS_OK : fs_file_error(ctx, NULL, "it ends within %.80s", name);
}

static enum fs_status read_elements(struct fs_reader *r, const struct entry *e, int64_t data,
                                    struct fs_array *out) {
  int64_t bytes = e->end - e->begin;
  *out = e->array;
  out->name = fs_strdup(e->name);
  enum fs_status st = fs_file_alloc(r->ctx, bytes, &out->data);
  if (st) return st;
  fs_reader_seek(r, data + e->begin, data + e->end);
  st = fs_reader_get(r, out->data, (size_t)bytes);
  unsigned char *p = out->data;
  for (int64_t k = 0; k < bytes && !st && out->dtype == FS_BOOL; k++) p[k] = p[k] != 0;
  return st;
}

static enum fs_status read_arrays(struct fs_reader *r, const struct fs_load_how *how, json_t *root,
                                  int64_t data, struct fs_arrays *out) {
  const char *name;
  json_t *from;
  enum fs_status st = FS_OK;
  json_object_foreach(root, name, from) {
    struct entry e;
    if (!strcmp(name, "__metadata__") || (how->member && strcmp(name, how->member))) continue;
    st = read_entry(r->ctx, name, from, r->size - data, &e);
    if (!st) st = read_elements(r, &e, data, FS_PUSH(&out->list));
    if (st) return st;
  }
  if (how->member && !out->list.len)
    return fs_file_error(r->ctx, NULL, "it has no array '%.80s'", how->member);
  return out->list.len ? FS_OK : fs_file_error(r->ctx, NULL, "it holds no arrays");
}

enum fs_status fs_safetensors_read(struct fs_reader *r, const struct fs_load_how *how,
                                   struct fs_arrays *out) {
  unsigned char length[8];
  int64_t n = 0;
  if (r->size < 8) return fs_file_error(r->ctx, NULL, "it ends within its header");
  enum fs_status st = fs_reader_get(r, length, sizeof length);
  for (int k = 7; k >= 0 && !st; k--) n = n << 8 | length[k];
  if (!st && (length[7] || n < 2 || n > HEADER_MAX)) st = damaged(r->ctx, NULL);
  if (!st && n > r->size - 8) st = fs_file_error(r->ctx, NULL, "it ends within its header");
  void *text = NULL;
  if (!st) st = fs_file_alloc(r->ctx, n, &text);
  if (!st) st = fs_reader_get(r, text, (size_t)n);
  json_t *root = st ? NULL : json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
  free(text);
  if (!st && !json_is_object(root)) st = damaged(r->ctx, NULL);
  if (!st) st = read_arrays(r, how, root, 8 + n, out);
  json_decref(root);
  return st;
}

/* -- writing --------------------------------------------------------------------- */

static const char *type_name(enum fs_dtype dt, bool complex) {
  for (size_t k = 0; k < FS_LEN(types); k++)
    if (types[k].dtype == dt && types[k].complex == complex) return types[k].name;
  return "";
}

static enum fs_status put_piece(void *user, const void *data, int64_t count) {
  struct { struct fs_writer *w; size_t size; } *s = user;
  return fs_writer_put(s->w, data, (size_t)count * s->size);
}

/* {"A":{"dtype":"F32",...}}, with blanks up to a multiple of 8; given, or NULL. */
static char *header_of(int n, const struct fs_array_source *sources) {
  json_t *root = json_object();
  int64_t at = 0;
  for (int k = 0; k < n; k++) {
    const struct fs_array_source *s = &sources[k];
    int64_t end = at + fs_shape_count(&s->shape) * (int64_t)fs_element_bytes(s->dtype, s->complex);
    json_t *shape = json_array();
    for (int d = 0; d < s->shape.rank; d++)
      json_array_append_new(shape, json_integer(s->shape.dim[d]));
    json_object_set_new(root, s->name,
                        json_pack("{s:s, s:o, s:[I, I]}", "dtype", type_name(s->dtype, s->complex),
                                  "shape", shape, "data_offsets", (json_int_t)at, (json_int_t)end));
    at = end;
  }
  char *text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
  json_decref(root);
  return text;
}

enum fs_status fs_safetensors_write(struct fs_writer *w, int n,
                                    const struct fs_array_source *sources) {
  char *text = header_of(n, sources);
  if (!text) return fs_file_error(w->ctx, NULL, "its names cannot be written");
  size_t len = strlen(text), padded = (len + 7) / 8 * 8;
  unsigned char length[8];
  for (int k = 0; k < 8; k++) length[k] = (unsigned char)(padded >> 8 * k);
  enum fs_status st = fs_writer_put(w, length, sizeof length);
  if (!st) st = fs_writer_put(w, text, len);
  if (!st) st = fs_writer_put(w, "       ", padded - len);
  free(text);
  for (int k = 0; k < n && !st; k++) {
    struct { struct fs_writer *w; size_t size; } sink = {
        w, fs_element_bytes(sources[k].dtype, sources[k].complex)};
    st = fs_source_each(w->ctx, &sources[k], put_piece, &sink);
  }
  return st;
}
