/* files_npz.c - NumPy's .npz: a zip file of .npy members, stored or deflated,
 * with zip64. The central directory decides what is in it; every offset and size
 * is held against the file before it is used, and names of members are never
 * used as names of files. */
#include "core/eval/files.h"

#include <stdio.h>
#include <zlib.h>

enum {
  SIG_LOCAL = 0x04034b50, SIG_CENTRAL = 0x02014b50, SIG_END = 0x06054b50,
  SIG_END64 = 0x06064b50, SIG_LOCATOR = 0x07064b50,
  LEN_LOCAL = 30, LEN_CENTRAL = 46, LEN_END = 22, LEN_END64 = 56,
  LEN_LOCATOR = 20, STORED = 0, DEFLATED = 8
};
#define MAX32 0xFFFFFFFFu

static uint16_t get16(const unsigned char *p) {
  return (uint16_t)(p[0] | p[1] << 8);
}
static uint32_t get32(const unsigned char *p) {
  return get16(p) | (uint32_t)get16(p + 2) << 16;
}
static uint64_t get64(const unsigned char *p) {
  return get32(p) | (uint64_t)get32(p + 4) << 32;
}

struct entry {
  const char *name;          /* in the directory's bytes */
  size_t full_len, name_len; /* of all, and without `.npy`; 0: not an array */
  unsigned flags, method;
  uint32_t crc;
  uint64_t packed, size, offset;
};

struct directory {
  unsigned char *bytes;
  uint64_t offset, size, count;
  FS_VEC(struct entry) entries;
};

static enum fs_status damaged(struct fs_reader *r) {
  return fs_file_error(r->ctx, NULL, "its zip directory is damaged");
}

/* -- finding the directory ----------------------------------------------------- */

static enum fs_status read_end64(struct fs_reader *r, int64_t end_at,
                                 struct directory *dir) {
  unsigned char b[LEN_END64];
  if (end_at < LEN_LOCATOR) return damaged(r);
  fs_reader_seek(r, end_at - LEN_LOCATOR, end_at);
  enum fs_status st = fs_reader_get(r, b, LEN_LOCATOR);
  if (st) return st;
  uint64_t at = get64(b + 8);
  if (get32(b) != SIG_LOCATOR || at > (uint64_t)end_at ||
      (uint64_t)end_at - at < LEN_END64)
    return damaged(r);
  fs_reader_seek(r, (int64_t)at, end_at);
  if ((st = fs_reader_get(r, b, LEN_END64))) return st;
  if (get32(b) != SIG_END64) return damaged(r);
  dir->count = get64(b + 32);
  dir->size = get64(b + 40);
  dir->offset = get64(b + 48);
  return FS_OK;
}

/* The end record is the last thing in the file, but for a comment. */
static enum fs_status find_end(struct fs_reader *r, struct directory *dir) {
  enum { TAIL = LEN_END + 65535 };
  int64_t len = FS_MIN(r->size, (int64_t)TAIL), at = -1;
  if (len < LEN_END) return fs_file_error(r->ctx, NULL, "it is not a zip file");
  void *memory;
  enum fs_status st = fs_file_alloc(r->ctx, len, &memory);
  if (st) return st;
  unsigned char *tail = memory;
  fs_reader_seek(r, r->size - len, r->size);
  st = fs_reader_get(r, tail, (size_t)len);
  for (int64_t i = len - LEN_END; !st && i >= 0 && at < 0; i--)
    if (get32(tail + i) == SIG_END && i + LEN_END + get16(tail + i + 20) == len)
      at = i;
  bool large = false, split = false;
  if (at >= 0) {
    const unsigned char *e = tail + at;
    split = get16(e + 4) != get16(e + 6);
    dir->count = get16(e + 10);
    dir->size = get32(e + 12);
    dir->offset = get32(e + 16);
    large = dir->count == 0xFFFF || dir->size == MAX32 || dir->offset == MAX32;
  }
  free(memory);
  if (st) return st;
  if (at < 0)
    return fs_file_error(r->ctx, NULL, "it is not a zip file, or it is cut off");
  if (split) return damaged(r);
  int64_t end_at = r->size - len + at;
  if (large && (st = read_end64(r, end_at, dir))) return st;
  if (dir->offset > (uint64_t)end_at ||
      dir->size > (uint64_t)end_at - dir->offset ||
      dir->count > dir->size / LEN_CENTRAL)
    return damaged(r);
  if (dir->count > FS_NPZ_ENTRIES_MAX)
    return fs_file_error(r->ctx, NULL, "it has more than %d members",
                         FS_NPZ_ENTRIES_MAX);
  return FS_OK;
}

/* -- reading the directory --------------------------------------------------- */

/* Sizes that do not fit 32 bits are in the zip64 extra field, in this order. */
static bool read_extra64(const unsigned char *p, size_t len, struct entry *e) {
  uint64_t *wanted[] = {&e->size, &e->packed, &e->offset};
  bool need = e->size == MAX32 || e->packed == MAX32 || e->offset == MAX32;
  while (need && len >= 4) {
    size_t body = get16(p + 2);
    if (body + 4 > len) return false;
    if (get16(p) != 1) {
      p += body + 4;
      len -= body + 4;
      continue;
    }
    const unsigned char *at = p + 4, *end = at + body;
    for (size_t k = 0; k < FS_LEN(wanted); k++) {
      if (*wanted[k] != MAX32) continue;
      if (end - at < 8) return false;
      *wanted[k] = get64(at);
      at += 8;
    }
    return true;
  }
  return !need;
}

static bool ends_in_npy(const char *name, size_t len) {
  return len > 4 && !memcmp(name + len - 4, ".npy", 4);
}

static enum fs_status parse_entries(struct fs_reader *r,
                                    struct directory *dir) {
  const unsigned char *p = dir->bytes, *end = p + dir->size;
  for (uint64_t k = 0; k < dir->count; k++) {
    if (end - p < LEN_CENTRAL || get32(p) != SIG_CENTRAL) return damaged(r);
    size_t name = get16(p + 28), extra = get16(p + 30), note = get16(p + 32);
    if ((size_t)(end - p) < LEN_CENTRAL + name + extra + note)
      return damaged(r);
    struct entry e = {(const char *)p + LEN_CENTRAL, name, name, get16(p + 8),
                      get16(p + 10), get32(p + 16), get32(p + 20),
                      get32(p + 24), get32(p + 42)};
    if (!read_extra64(p + LEN_CENTRAL + name, extra, &e)) return damaged(r);
    p += LEN_CENTRAL + name + extra + note;
    e.name_len = ends_in_npy(e.name, name) ? name - 4 : 0;
    if (memchr(e.name, 0, name)) return damaged(r);
    *FS_PUSH(&dir->entries) = e;
  }
  return FS_OK;
}

static int compare_names(const void *a, const void *b) {
  const struct entry *x = *(struct entry *const *)a,
                     *y = *(struct entry *const *)b;
  int order = memcmp(x->name, y->name, FS_MIN(x->full_len, y->full_len));
  if (order) return order;
  return (x->full_len > y->full_len) - (x->full_len < y->full_len);
}

static enum fs_status refuse(struct fs_reader *r, const struct entry *e,
                             const char *why) {
  struct fs_str name = {0};
  size_t len = e->name_len ? e->name_len : e->full_len;
  fs_str_put_safe(&name, e->name, FS_MIN(len, 80));
  enum fs_status st = fs_file_error(r->ctx, NULL, "its member '%s' %s",
                                    fs_str_text(&name), why);
  fs_str_free(&name);
  return st;
}

static enum fs_status check_duplicates(struct fs_reader *r,
                                       struct directory *dir) {
  int n = dir->entries.len;
  if (n < 2) return FS_OK;
  void *memory;
  enum fs_status st =
      fs_file_alloc(r->ctx, n * (int64_t)sizeof(struct entry *), &memory);
  if (st) return st;
  struct entry **sorted = memory;
  for (int k = 0; k < n; k++) sorted[k] = &dir->entries.data[k];
  qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
  for (int k = 1; k < n && !st; k++)
    if (!compare_names(&sorted[k - 1], &sorted[k]))
      st = refuse(r, sorted[k], "is there twice");
  free(memory);
  return st;
}

/* What is no array is not read, whatever it is. */
static enum fs_status check_entry(struct fs_reader *r,
                                  const struct directory *dir,
                                  const struct entry *e) {
  if (e->name_len && (e->flags & 1)) return refuse(r, e, "is encrypted");
  if (e->name_len && e->method != STORED && e->method != DEFLATED)
    return refuse(r, e, "is packed in a way that is not known");
  if (e->offset > dir->offset || dir->offset - e->offset < LEN_LOCAL ||
      e->packed > dir->offset - e->offset - LEN_LOCAL)
    return refuse(r, e, "lies outside the file");
  if (e->method == STORED && e->size != e->packed)
    return refuse(r, e, "has sizes that do not fit");
  if (e->size > FS_NPZ_RATIO_FREE && e->size / FS_NPZ_RATIO_MAX > e->packed)
    return refuse(r, e, "unpacks to more than 1000 times its size");
  return FS_OK;
}

static int compare_offsets(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The header in front of the member: it says what the directory says. *data is where
 * the member's bytes begin. */
static enum fs_status check_local(struct fs_reader *r, const struct directory *dir,
                                  const struct entry *e, uint64_t *data) {
  unsigned char b[LEN_LOCAL];
  char name[1 << 16];
  fs_reader_seek(r, (int64_t)e->offset,
                 (int64_t)FS_MIN(dir->offset, e->offset + LEN_LOCAL + e->full_len));
  enum fs_status st = fs_reader_get(r, b, LEN_LOCAL);
  if (st) return st;
  *data = e->offset + LEN_LOCAL + get16(b + 26) + get16(b + 28);
  if (get32(b) != SIG_LOCAL || get16(b + 8) != e->method || *data > dir->offset ||
      e->packed > dir->offset - *data)
    return refuse(r, e, "has a damaged header");
  bool same = get16(b + 26) == e->full_len;
  if (same) st = fs_reader_get(r, name, e->full_len);
  if (!st && same) same = !memcmp(name, e->name, e->full_len);
  return st || same ? st : refuse(r, e, "has another name in front of its data");
}

/* Everything that the directory says is checked before any member is read: that it
 * agrees with what stands in front of the members, and that no two share bytes. */
static enum fs_status check_members(struct fs_reader *r, const struct directory *dir) {
  int n = dir->entries.len;
  void *memory = NULL;
  enum fs_status st = fs_file_alloc(r->ctx, n * (int64_t)sizeof(struct entry), &memory);
  if (st) return st;
  struct entry *sorted = memory;
  if (n) memcpy(sorted, dir->entries.data, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, compare_offsets);
  uint64_t end = 0, data;
  for (int k = 0; k < n && !st; k++) {
    const struct entry *e = &sorted[k];
    st = check_entry(r, dir, e);
    if (!st) st = check_local(r, dir, e, &data);
    if (!st && e->offset < end) st = refuse(r, e, "overlaps another");
    if (!st) end = data + e->packed;
  }
  free(memory);
  return st;
}

static enum fs_status read_directory(struct fs_reader *r,
                                     struct directory *dir) {
  enum fs_status st = find_end(r, dir);
  void *memory;
  if (!st) st = fs_file_alloc(r->ctx, (int64_t)dir->size, &memory);
  if (st) return st;
  dir->bytes = memory;
  fs_reader_seek(r, (int64_t)dir->offset, (int64_t)(dir->offset + dir->size));
  st = fs_reader_get(r, dir->bytes, (size_t)dir->size);
  if (!st) st = parse_entries(r, dir);
  if (!st) st = check_duplicates(r, dir);
  return st ? st : check_members(r, dir);
}

/* -- members ----------------------------------------------------------------- */

static enum fs_status open_member(struct fs_reader *r,
                                  const struct directory *dir,
                                  const struct entry *e) {
  uint64_t at;
  enum fs_status st = check_local(r, dir, e, &at);
  if (st) return st;
  r->checked = true;
  if (e->method == DEFLATED)
    return fs_reader_inflate(r, (int64_t)at, (int64_t)(at + e->packed),
                             (int64_t)e->size);
  fs_reader_seek(r, (int64_t)at, (int64_t)(at + e->packed));
  return FS_OK;
}

static enum fs_status read_member(struct fs_reader *r,
                                  const struct directory *dir,
                                  const struct entry *e,
                                  struct fs_array *out) {
  *out = (struct fs_array){0};
  enum fs_status st = open_member(r, dir, e);
  out->name = fs_strndup(e->name, e->name_len);
  const struct fs_file_ctx *file = r->ctx;
  struct fs_file_ctx within = *file;
  within.member = out->name;
  r->ctx = &within;
  if (!st) st = fs_npy_read(r, out);
  r->ctx = file;
  char rest[4096];
  while (!st && r->left > 0)
    st = fs_reader_get(r, rest,
                       (size_t)FS_MIN(r->left, (int64_t)sizeof rest));
  if (!st && r->crc != e->crc) st = refuse(r, e, "has a wrong check sum");
  return st;
}

/* Whether a member is left out when all are loaded, and why: ", names (text)". */
static enum fs_status look_at(struct fs_reader *r, const struct directory *dir,
                              const struct entry *e, struct fs_str *left_out, bool *out) {
  const char *what = NULL;
  enum fs_status st = open_member(r, dir, e);
  if (!st) st = fs_npy_read_others(r, &what);
  *out = !st && what;
  if (!*out) return st;
  if (left_out->len) fs_str_puts(left_out, ", ");
  fs_str_put_safe(left_out, e->name, FS_MIN(e->name_len, 40));
  fs_str_printf(left_out, " (%s)", what);
  return FS_OK;
}

static void tell_left_out(const struct fs_reader *r, const struct fs_str *left_out) {
  fs_note(r->ctx->diags, r->ctx->span, "text-left-out", NULL, "left out, as they are no numbers: %s",
          fs_str_text(left_out));
}

static enum fs_status no_member(struct fs_reader *r,
                                const struct directory *dir,
                                const char *member) {
  int n = 0;
  for (int k = 0; k < dir->entries.len; k++) n += dir->entries.data[k].name_len > 0;
  if (!n) return fs_file_error(r->ctx, NULL, "it holds no arrays");
  struct fs_str wanted = {0}, hint = {0};
  fs_str_put_safe(&wanted, member, strlen(member));
  fs_str_puts(&hint, "it holds");
  for (int k = 0, told = 0; k < dir->entries.len && told < 12; k++) {
    if (!dir->entries.data[k].name_len) continue;
    fs_str_puts(&hint, told++ ? ", " : " ");
    fs_str_put_safe(&hint, dir->entries.data[k].name,
                    FS_MIN(dir->entries.data[k].name_len, 40));
  }
  if (n > 12) fs_str_puts(&hint, ", ...");
  enum fs_status st =
      fs_file_error(r->ctx, fs_str_text(&hint), "it has no member '%s'",
                    fs_str_text(&wanted));
  fs_str_free(&wanted);
  fs_str_free(&hint);
  return st;
}

static const struct entry *find_entry(const struct directory *dir, const char *name) {
  size_t len = strlen(name);
  for (int k = 0; k < dir->entries.len; k++) {
    const struct entry *e = &dir->entries.data[k];
    if (len && e->name_len == len && !memcmp(e->name, name, len)) return e;
  }
  return NULL;
}

/* A sparse matrix of SciPy's: its format, a text, is no array for us. */
static enum fs_status read_sparse(struct fs_reader *r, const struct directory *dir,
                                  const struct fs_load_how *how, const char *format,
                                  struct fs_arrays *out) {
  static const char *const names[] = {"shape", "data", "indices", "indptr",
                                      "row", "col", "offsets"};
  struct fs_arrays members = {0};
  enum fs_status st = FS_OK;
  for (size_t k = 0; k < FS_LEN(names) && !st; k++) {
    const struct entry *e = find_entry(dir, names[k]);
    if (e) st = read_member(r, dir, e, FS_PUSH(&members.list));
  }
  struct fs_array dense = {0};
  if (!st) st = fs_sparse_dense(r, how, &members, format, &dense);
  fs_arrays_free(&members);
  if (st) {
    free(dense.data);
    return st;
  }
  const char *slash = strrchr(r->ctx->path, '/');
  const char *name = slash ? slash + 1 : r->ctx->path;
  dense.name = fs_strndup(name, strlen(name) - 4);
  *FS_PUSH(&out->list) = dense;
  return FS_OK;
}

static enum fs_status read_all(struct fs_reader *r, const struct directory *dir,
                               const struct fs_load_how *how, struct fs_arrays *out) {
  const struct entry *format = find_entry(dir, "format");
  char word[8] = "";
  enum fs_status st = FS_OK;
  if (!how->member && format && find_entry(dir, "shape") && find_entry(dir, "data")) {
    st = open_member(r, dir, format);
    if (!st) st = fs_npy_read_word(r, word, sizeof word);
    if (st || *word) return st ? st : read_sparse(r, dir, how, word, out);
  }
  const struct entry *wanted = how->member ? find_entry(dir, how->member) : NULL;
  struct fs_str left_out = {0};
  const struct entry *first = NULL;
  for (int k = 0; k < dir->entries.len && !st; k++) {
    const struct entry *e = &dir->entries.data[k];
    bool skip = false;
    if (!e->name_len || (how->member && e != wanted)) continue;
    if (!how->member) st = look_at(r, dir, e, &left_out, &skip);
    if (skip && !first) first = e;
    if (!st && !skip) st = read_member(r, dir, e, FS_PUSH(&out->list));
  }
  if (!st && first && !out->list.len) st = read_member(r, dir, first, FS_PUSH(&out->list));
  else if (!st && first) tell_left_out(r, &left_out);
  fs_str_free(&left_out);
  if (!st && !out->list.len) st = no_member(r, dir, how->member ? how->member : "");
  return st;
}

enum fs_status fs_npz_read(struct fs_reader *r, const struct fs_load_how *how,
                           struct fs_arrays *out) {
  struct directory dir = {0};
  enum fs_status st = read_directory(r, &dir);
  if (!st) st = read_all(r, &dir, how, out);
  FS_VEC_FREE(&dir.entries);
  free(dir.bytes);
  return st;
}

/* -- writing ----------------------------------------------------------------- */

struct record {
  unsigned char b[128];
  size_t len;
};

static void put(struct record *r, uint64_t value, int bytes) {
  for (int k = 0; k < bytes; k++)
    r->b[r->len++] = (unsigned char)(value >> (8 * k));
}

static uint64_t low32(uint64_t v) { return v >= MAX32 ? MAX32 : v; }

/* The fields that local and central headers share; the date is 1 January 1980,
 * so that the same values give the same file. */
static void put_common(struct record *r, bool large, uint32_t crc,
                       uint64_t size, size_t name_len, size_t extra) {
  put(r, large ? 45 : 20, 2);
  put(r, 0x0800, 2); /* names are UTF-8 */
  put(r, STORED, 2);
  put(r, 0x00210000, 4);
  put(r, crc, 4);
  put(r, low32(size), 4);
  put(r, low32(size), 4);
  put(r, name_len, 2);
  put(r, extra, 2);
}

struct written {
  uint64_t offset, size;
  uint32_t crc;
  size_t name_len;
};

static enum fs_status put_name(struct fs_writer *w, const char *name) {
  enum fs_status st = fs_writer_put(w, name, strlen(name));
  return st ? st : fs_writer_put(w, ".npy", 4);
}

static enum fs_status write_member(struct fs_writer *w,
                                   const struct fs_array_source *source,
                                   struct written *out) {
  int64_t size = fs_npy_size(source);
  if (size < 0 || out->name_len > 1000)
    return fs_file_error(w->ctx, NULL, "a value is too large or its name is");
  out->offset = (uint64_t)w->pos;
  out->size = (uint64_t)size;
  bool large = out->size >= MAX32;
  struct record r = {0};
  put(&r, SIG_LOCAL, 4);
  put_common(&r, large, 0, out->size, out->name_len, large ? 20 : 0);
  enum fs_status st = fs_writer_put(w, r.b, r.len);
  if (!st) st = put_name(w, source->name);
  r.len = 0;
  if (large) {
    put(&r, 1, 2);
    put(&r, 16, 2);
    put(&r, out->size, 8);
    put(&r, out->size, 8);
  }
  if (!st) st = fs_writer_put(w, r.b, r.len);
  w->crc = 0;
  if (!st) st = fs_npy_write(w, source);
  out->crc = w->crc;
  r.len = 0;
  put(&r, out->crc, 4);
  return st ? st
            : fs_writer_patch(w, (int64_t)out->offset + 14, r.b, r.len);
}

static enum fs_status write_central(struct fs_writer *w, const char *name,
                                    const struct written *m) {
  bool big_size = m->size >= MAX32, big_at = m->offset >= MAX32;
  size_t body = (big_size ? 16u : 0u) + (big_at ? 8u : 0u);
  struct record r = {0};
  put(&r, SIG_CENTRAL, 4);
  put(&r, 45 | 3 << 8, 2); /* made by: version 4.5, Unix */
  put_common(&r, body > 0, m->crc, m->size, m->name_len, body ? body + 4 : 0);
  put(&r, 0, 2);           /* comment */
  put(&r, 0, 2);           /* disk    */
  put(&r, 0, 2);
  put(&r, (uint64_t)0644 << 16, 4);
  put(&r, low32(m->offset), 4);
  enum fs_status st = fs_writer_put(w, r.b, r.len);
  if (!st) st = put_name(w, name);
  r.len = 0;
  if (body) {
    put(&r, 1, 2);
    put(&r, body, 2);
    if (big_size) {
      put(&r, m->size, 8);
      put(&r, m->size, 8);
    }
    if (big_at) put(&r, m->offset, 8);
  }
  return st ? st : fs_writer_put(w, r.b, r.len);
}

static enum fs_status write_end(struct fs_writer *w, uint64_t n,
                                uint64_t offset) {
  uint64_t end = (uint64_t)w->pos, size = end - offset;
  struct record r = {0};
  if (n >= 0xFFFF || size >= MAX32 || offset >= MAX32) {
    put(&r, SIG_END64, 4);
    put(&r, LEN_END64 - 12, 8);
    put(&r, 45, 2);
    put(&r, 45, 2);
    put(&r, 0, 8);
    put(&r, n, 8);
    put(&r, n, 8);
    put(&r, size, 8);
    put(&r, offset, 8);
    put(&r, SIG_LOCATOR, 4);
    put(&r, 0, 4);
    put(&r, end, 8);
    put(&r, 1, 4);
  }
  put(&r, SIG_END, 4);
  put(&r, 0, 4);
  put(&r, FS_MIN(n, 0xFFFFu), 2);
  put(&r, FS_MIN(n, 0xFFFFu), 2);
  put(&r, low32(size), 4);
  put(&r, low32(offset), 4);
  put(&r, 0, 2);
  return fs_writer_put(w, r.b, r.len);
}

enum fs_status fs_npz_write(struct fs_writer *w, int n,
                            const struct fs_array_source *sources) {
  if (n > FS_NPZ_ENTRIES_MAX)
    return fs_file_error(w->ctx, NULL, "there are too many values");
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (!strcmp(sources[a].name, sources[b].name))
        return fs_file_error(w->ctx, NULL, "the name %s is given twice",
                             sources[a].name);
  void *memory;
  enum fs_status st =
      fs_file_alloc(w->ctx, n * (int64_t)sizeof(struct written), &memory);
  if (st) return st;
  struct written *members = memory;
  for (int k = 0; k < n && !st; k++) {
    members[k].name_len = strlen(sources[k].name) + 4;
    st = write_member(w, &sources[k], &members[k]);
  }
  uint64_t directory = (uint64_t)w->pos;
  for (int k = 0; k < n && !st; k++)
    st = write_central(w, sources[k].name, &members[k]);
  if (!st) st = write_end(w, (uint64_t)n, directory);
  free(memory);
  return st;
}
