/* files_io.c - what all file formats share: a bounded reader that can unpack,
 * an atomic writer, error sentences, memory for array data. Knows nothing of the
 * interpreter. */
#include "core/ranks/ranks.h"
#include "core/eval/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/decimal.h"
#include "core/eval/witness.h"

/* -- errors and memory ------------------------------------------------------- */

enum fs_status fs_file_error(const struct fs_file_ctx *ctx, const char *hint,
                             const char *fmt, ...) {
  struct fs_str text = {0};
  fs_str_puts(&text, ctx->saving ? "cannot save " : "cannot load ");
  fs_str_put_safe(&text, ctx->path, strlen(ctx->path));
  fs_str_puts(&text, ": ");
  if (ctx->member) {
    fs_str_put_safe(&text, ctx->member, strlen(ctx->member));
    fs_str_puts(&text, ": ");
  }
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&text, fmt, args);
  va_end(args);
  enum fs_status st =
      fs_error(ctx->diags, ctx->span, ctx->saving ? "file-save" : "file-load",
               hint, "%s", fs_str_text(&text));
  fs_str_free(&text);
  return st;
}

/* The machine's failures (disk full, I/O error) rather than the file's. */
static enum fs_status system_error(const struct fs_file_ctx *ctx, int error) {
  struct fs_str text = {0};
  fs_str_put_safe(&text, ctx->path, strlen(ctx->path));
  enum fs_status st = fs_env_error(
      ctx->diags, "file-system", NULL, "cannot %s %s: %s",
      ctx->saving ? "save" : "load", fs_str_text(&text), strerror(error));
  fs_str_free(&text);
  return st;
}

/* What the system says of a path, at the place where the program names it. */
static enum fs_status path_error(const struct fs_file_ctx *ctx, const char *hint,
                                 const char *why) {
  struct fs_str path = {0};
  fs_str_put_safe(&path, ctx->path, strlen(ctx->path));
  enum fs_status st = fs_error(ctx->diags, ctx->span, "file-system", hint, "cannot %s %s: %s",
                               ctx->saving ? "save" : "load", fs_str_text(&path), why);
  fs_str_free(&path);
  return st;
}

static enum fs_status open_error(const struct fs_file_ctx *ctx, int error) {
  switch (error) {
    case ENOENT:
      return path_error(ctx, *ctx->path == '~' ? "`~` stands for no folder here" : NULL,
                        ctx->saving ? "there is no such folder" : "there is no such file");
    case EACCES: case EPERM: return path_error(ctx, NULL, "permission denied");
    case ENOTDIR:
      return fs_file_error(ctx, NULL, "a part of the path is not a folder");
    case ENAMETOOLONG: return fs_file_error(ctx, NULL, "the name is too long");
    case ELOOP: return fs_file_error(ctx, NULL, "too many symbolic links");
    case EISDIR: return fs_file_error(ctx, NULL, "it is a folder");
    case ENXIO: case ENODEV:
      return fs_file_error(ctx, NULL, "it is not a regular file");
    default: return system_error(ctx, error);
  }
}

/* Bytes of memory that can be taken without swapping; -1 if unknown. */
static int64_t memory_available(void) {
  FILE *f = fopen("/proc/meminfo", "re");
  if (!f) return -1;
  char line[128];
  long long kib = -1;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
  fclose(f);
  return kib < 0 ? -1 : (int64_t)kib * 1024;
}

enum fs_status fs_file_no_memory(const struct fs_file_ctx *ctx, int64_t bytes) {
  struct fs_str path = {0}, need = {0};
  fs_str_put_safe(&path, ctx->path, strlen(ctx->path));
  fs_str_put_bytes(&need, (double)bytes);
  enum fs_status st = fs_env_error(
      ctx->diags, "out-of-memory", NULL,
      "cannot %s %s: it needs %s of memory, which is more than is free",
      ctx->saving ? "save" : "load", fs_str_text(&path), fs_str_text(&need));
  fs_str_free(&path);
  fs_str_free(&need);
  return st;
}

static bool fits(int64_t bytes) {
  enum { SMALL = 16 << 20 };
  int64_t free_bytes = bytes > SMALL ? memory_available() : -1;
  return bytes >= 0 && (uint64_t)bytes <= (uint64_t)PTRDIFF_MAX &&
         (free_bytes < 0 || bytes <= free_bytes);
}

enum fs_status fs_file_grow(const struct fs_file_ctx *ctx, int64_t bytes,
                            void **data) {
  void *grown = fits(bytes) ? realloc(*data, bytes ? (size_t)bytes : 1) : NULL;
  if (!grown) return fs_file_no_memory(ctx, bytes);
  *data = grown;
  return FS_OK;
}

enum fs_status fs_file_zeros(const struct fs_file_ctx *ctx, int64_t bytes,
                             void **out) {
  *out = fits(bytes) ? calloc(1, bytes ? (size_t)bytes : 1) : NULL;
  return *out ? FS_OK : fs_file_no_memory(ctx, bytes);
}

enum fs_status fs_file_check_dense(struct fs_reader *r, const struct fs_load_how *how,
                                   int64_t m, int64_t n, size_t size) {
  enum { PROPORTION = 4096 };
  int64_t dense = m < 0 || n < 0 ? -1
                                 : fs_mul_size(fs_mul_size(FS_MAX(m, 1), FS_MAX(n, 1)), 8);
  if (dense < 0)
    return fs_file_error(r->ctx, NULL, "its sizes are larger than can exist");
  dense = m * n * (int64_t)size;
  int64_t expand = how->expand ? how->expand : FS_EXPAND;
  if (dense <= FS_MAX(expand, fs_mul_size(r->size, PROPORTION))) return FS_OK;
  struct fs_str text = {0}, hint = {0};
  fs_str_put_bytes(&text, (double)dense);
  fs_str_printf(&hint, "if that is right: :set expand %lld",
                (long long)((dense + (1 << 20) - 1) >> 20));
  enum fs_status st = fs_file_error(
      r->ctx, fs_str_text(&hint), "as a dense %lldx%lld matrix its %lld bytes would take %s",
      (long long)m, (long long)n, (long long)r->size, fs_str_text(&text));
  fs_str_free(&text);
  fs_str_free(&hint);
  return st;
}

enum fs_status fs_file_alloc(const struct fs_file_ctx *ctx, int64_t bytes,
                             void **out) {
  *out = NULL;
  return fs_file_grow(ctx, bytes, out);
}

bool fs_file_number(const char *text, size_t len, double *out) {
  return fs_decimal_read(text, text + len, '.', out) == text + len && len;
}

void fs_arrays_free(struct fs_arrays *arrays) {
  for (int i = 0; i < arrays->list.len; i++) {
    free(arrays->list.data[i].name);
    free(arrays->list.data[i].data);
    free(arrays->list.data[i].labels);
    free(arrays->list.data[i].categories);
  }
  FS_VEC_FREE(&arrays->list);
}

/* -- the bounded reader ------------------------------------------------------ */

struct inflate_state {
  z_stream z;
  unsigned char in[64 << 10];
};

enum fs_status fs_reader_open(const struct fs_file_ctx *ctx,
                              struct fs_reader *r) {
  *r = (struct fs_reader){.ctx = ctx, .fd = -1};
  /* O_NONBLOCK: opening a FIFO or a terminal line must not wait. */
  r->fd = open(ctx->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  fs_witness_read(ctx->path, r->fd);
  if (r->fd < 0) return open_error(ctx, errno);
  struct stat st;
  enum fs_status status = FS_OK;
  void *buf = NULL;
  if (fstat(r->fd, &st))
    status = system_error(ctx, errno);
  else if (!S_ISREG(st.st_mode))
    status = open_error(ctx, S_ISDIR(st.st_mode) ? EISDIR : ENXIO);
  else
    status = fs_file_alloc(ctx, FS_READER_BUF, &buf);
  if (status) {
    fs_reader_close(r);
    return status;
  }
  r->buf = buf;
  r->size = st.st_size;
  r->end = r->left = r->size;
  return FS_OK;
}

static void inflate_stop(struct fs_reader *r) {
  if (!r->inflate) return;
  inflateEnd(&((struct inflate_state *)r->inflate)->z);
  free(r->inflate);
  r->inflate = NULL;
}

void fs_reader_close(struct fs_reader *r) {
  inflate_stop(r);
  if (r->fd >= 0) close(r->fd);
  free(r->buf);
  r->fd = -1;
  r->buf = NULL;
}

void fs_reader_seek(struct fs_reader *r, int64_t pos, int64_t end) {
  inflate_stop(r);
  r->pos = pos;
  r->end = end;
  r->left = end - pos;
  r->buf_at = r->buf_len = 0;
  r->crc = 0;
}

enum fs_status fs_reader_inflate(struct fs_reader *r, int64_t pos, int64_t end,
                                 int64_t size) {
  fs_reader_seek(r, pos, end);
  void *memory;
  enum fs_status st =
      fs_file_alloc(r->ctx, sizeof(struct inflate_state), &memory);
  if (st) return st;
  struct inflate_state *s = memory;
  memset(&s->z, 0, sizeof s->z);
  if (inflateInit2(&s->z, -MAX_WBITS) != Z_OK) { /* raw, as zip has it */
    free(s);
    return system_error(r->ctx, ENOMEM);
  }
  r->inflate = s;
  r->left = size;
  return FS_OK;
}

/* Fetches up to `len` bytes of the file itself. */
static enum fs_status fetch(struct fs_reader *r, void *out, size_t len,
                            size_t *got) {
  if (fs_interrupted()) return FS_INTERRUPTED;
  size_t want = (size_t)FS_MIN((int64_t)len, r->end - r->pos);
  ssize_t n;
  do n = pread(r->fd, out, want, r->pos);
  while (n < 0 && errno == EINTR);
  if (n < 0) return system_error(r->ctx, errno);
  if (!n) return fs_file_error(r->ctx, NULL, "the file ends early");
  r->pos += n;
  *got = (size_t)n;
  return FS_OK;
}

static enum fs_status unpack(struct fs_reader *r, void *out, size_t len,
                             size_t *got) {
  struct inflate_state *s = r->inflate;
  if (fs_interrupted()) return FS_INTERRUPTED;
  s->z.next_out = out;
  s->z.avail_out = (uInt)FS_MIN(len, (size_t)1 << 30);
  uInt asked = s->z.avail_out;
  while (s->z.avail_out == asked) {
    if (!s->z.avail_in && r->pos < r->end) {
      size_t n;
      enum fs_status st = fetch(r, s->in, sizeof s->in, &n);
      if (st) return st;
      s->z.next_in = s->in;
      s->z.avail_in = (uInt)n;
    }
    int rc = inflate(&s->z, Z_NO_FLUSH);
    if (s->z.avail_out != asked) break;
    if (rc == Z_STREAM_END || (rc == Z_BUF_ERROR && r->pos >= r->end))
      return fs_file_error(r->ctx, NULL,
                           "the packed data ends before its declared size");
    if (rc != Z_OK && rc != Z_BUF_ERROR)
      return fs_file_error(r->ctx, NULL, "the packed data is damaged");
  }
  *got = asked - s->z.avail_out;
  return FS_OK;
}

static enum fs_status produce(struct fs_reader *r, void *out, size_t len,
                              size_t *got) {
  return r->inflate ? unpack(r, out, len, got) : fetch(r, out, len, got);
}

static void give(struct fs_reader *r, const void *data, size_t len) {
  if (r->checked) r->crc = (uint32_t)crc32_z(r->crc, data, len);
  r->left -= (int64_t)len;
}

/* Fills the empty buffer with some of what is left (left > 0). */
static enum fs_status refill(struct fs_reader *r) {
  r->buf_at = r->buf_len = 0;
  size_t want = (size_t)FS_MIN((int64_t)FS_READER_BUF, r->left);
  return produce(r, r->buf, want, &r->buf_len);
}

enum fs_status fs_reader_get(struct fs_reader *r, void *out, size_t len) {
  unsigned char *to = out;
  if ((uint64_t)len > (uint64_t)FS_MAX(r->left, 0))
    return fs_file_error(r->ctx, NULL, "the file ends early");
  while (len) {
    enum fs_status st = FS_OK;
    size_t n = FS_MIN(len, r->buf_len - r->buf_at);
    if (n) {
      memcpy(to, r->buf + r->buf_at, n);
      r->buf_at += n;
    } else if (len >= FS_READER_BUF) {
      st = produce(r, to, FS_MIN(len, (size_t)64 << 20), &n);
    } else {
      st = refill(r);
    }
    if (st) return st;
    give(r, to, n);
    to += n;
    len -= n;
  }
  return FS_OK;
}

static enum fs_status line_append(struct fs_reader *r, struct fs_line *line,
                                  const void *text, size_t len, size_t max) {
  size_t have = (size_t)line->len;
  if (have + len > max)
    return fs_file_error(r->ctx, NULL, "line %lld has more than %zu bytes",
                         (long long)line->number, max);
  if (have + len + 1 > line->cap) {
    size_t cap = FS_MAX(2 * line->cap, have + len + 1);
    char *grown = realloc(line->text, cap);
    if (!grown) return system_error(r->ctx, ENOMEM);
    line->text = grown;
    line->cap = cap;
  }
  memcpy(line->text + have, text, len);
  line->len += (int64_t)len;
  line->text[line->len] = 0;
  return FS_OK;
}

enum fs_status fs_reader_line(struct fs_reader *r, struct fs_line *line,
                              size_t max) {
  line->number++;
  line->len = 0;
  if (r->left <= 0) {
    line->len = -1;
    return FS_OK;
  }
  enum fs_status st = line_append(r, line, "", 0, max);
  bool ended = false;
  while (!st && !ended && r->left > 0) {
    if (r->buf_at == r->buf_len && (st = refill(r))) break;
    const unsigned char *at = r->buf + r->buf_at;
    size_t have = r->buf_len - r->buf_at;
    const unsigned char *nl = memchr(at, '\n', have);
    size_t n = nl ? (size_t)(nl - at) : have;
    st = line_append(r, line, at, n, max);
    ended = nl != NULL;
    r->buf_at += n + ended;
    give(r, at, n + ended);
  }
  while (!st && line->len && line->text[line->len - 1] == '\r')
    line->text[--line->len] = 0;
  return st;
}

/* -- the atomic writer ------------------------------------------------------- */

enum { WRITER_BUF = 256 << 10 };

/* Whether the last part of the path is a link that the system's protection of
 * sticky folders (protected_symlinks) would not follow: one that neither we nor
 * the folder's owner made, where everybody may make some. */
static bool is_foreign_link(const char *path, const struct stat *link) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)FS_MAX(slash - path, 1))
                       : strdup(".");
  struct stat st;
  bool known = folder && !stat(folder, &st);
  free(folder);
  return !known || ((st.st_mode & S_ISVTX) && (st.st_mode & S_IWOTH) &&
                    link->st_uid != geteuid() && link->st_uid != st.st_uid);
}

/* The file to replace: a symbolic link stays, what it points to is replaced. */
static enum fs_status final_path(const struct fs_file_ctx *ctx, char **out) {
  struct stat st;
  *out = NULL;
  bool link = !lstat(ctx->path, &st) && S_ISLNK(st.st_mode);
  if (link && is_foreign_link(ctx->path, &st))
    return fs_file_error(ctx, "save under another name",
                         "it is a symbolic link of another user, in a folder that "
                         "all may write");
  if (link) *out = realpath(ctx->path, NULL);
  if (!*out && link && errno != ENOENT) return open_error(ctx, errno);
  if (!*out) *out = strdup(ctx->path);
  return *out ? FS_OK : system_error(ctx, ENOMEM);
}

static char *temp_beside(const char *path) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = fs_hash(path, strlen(path), (uint64_t)(fs_now() * 1e9));
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char *temp = NULL;
  if (asprintf(&temp, "%.*s.fusible-%016llx.tmp", folder, path,
               (unsigned long long)random) < 0)
    return NULL;
  return temp;
}

/* What is not finished is nobody else's: fs_writer_commit() gives the file the
 * permissions that it is to have. */
static enum fs_status writer_create(struct fs_writer *w) {
  struct stat old;
  if (!stat(w->path, &old) && !S_ISREG(old.st_mode))
    return open_error(w->ctx, S_ISDIR(old.st_mode) ? EISDIR : ENXIO);
  if (fs_rank() > 0) { /* the leader writes */
    w->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return w->fd < 0 ? open_error(w->ctx, errno) : FS_OK;
  }
  for (int attempt = 0; attempt < 8 && w->fd < 0; attempt++) {
    free(w->temp);
    w->temp = temp_beside(w->path);
    if (!w->temp) return system_error(w->ctx, ENOMEM);
    w->fd = open(w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (w->fd < 0 && errno != EEXIST) return open_error(w->ctx, errno);
  }
  return w->fd < 0 ? open_error(w->ctx, EEXIST) : FS_OK;
}

enum fs_status fs_writer_open(const struct fs_file_ctx *ctx,
                              struct fs_writer *w) {
  *w = (struct fs_writer){.ctx = ctx, .fd = -1};
  void *buf = NULL;
  enum fs_status st = fs_file_alloc(ctx, WRITER_BUF, &buf);
  if (st) return st;
  w->buf = buf;
  st = final_path(ctx, &w->path);
  if (!st) st = writer_create(w);
  if (st) fs_writer_drop(w);
  return st;
}

static enum fs_status write_all(struct fs_writer *w, const void *data,
                                size_t len) {
  const char *from = data;
  while (len) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    ssize_t n = write(w->fd, from, FS_MIN(len, (size_t)64 << 20));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(w->ctx, errno);
    from += n;
    len -= (size_t)n;
  }
  return FS_OK;
}

static enum fs_status writer_flush(struct fs_writer *w) {
  size_t len = w->buf_len;
  w->buf_len = 0;
  return write_all(w, w->buf, len);
}

enum fs_status fs_writer_put(struct fs_writer *w, const void *data,
                             size_t len) {
  w->crc = (uint32_t)crc32_z(w->crc, data, len);
  w->pos += (int64_t)len;
  enum fs_status st = FS_OK;
  if (w->buf_len + len > WRITER_BUF) st = writer_flush(w);
  if (st) return st;
  if (len > WRITER_BUF) return write_all(w, data, len);
  if (len) memcpy(w->buf + w->buf_len, data, len);
  w->buf_len += len;
  return FS_OK;
}

enum fs_status fs_writer_patch(struct fs_writer *w, int64_t pos,
                               const void *data, size_t len) {
  enum fs_status st = writer_flush(w);
  const char *from = data;
  while (!st && len) {
    ssize_t n = pwrite(w->fd, from, len, pos);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(w->ctx, errno);
    from += n;
    pos += n;
    len -= (size_t)n;
  }
  return st;
}

void fs_writer_drop(struct fs_writer *w) {
  if (w->fd >= 0) {
    close(w->fd);
    if (w->temp) unlink(w->temp);
  }
  w->fd = -1;
  free(w->temp);
  free(w->path);
  free(w->buf);
  w->temp = w->path = NULL;
  w->buf = NULL;
}

/* Makes the renaming itself survive a power cut. Not every file system can. */
static void sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)FS_MAX(slash - path, 1))
                       : strdup(".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  free(folder);
}

/* The permissions of a new file. While they are asked for they are the least, so
 * that what another thread makes meanwhile is too private rather than too open. */
static mode_t usual_mode(void) {
  mode_t mask = umask(077);
  umask(mask);
  return 0666 & ~mask;
}

/* The access control list of the old file, if it has one: with it the group's rights
 * are the most that any of the list has, and without it they would be the group's. */
static bool keep_list(struct fs_writer *w) {
  static const char name[] = "system.posix_acl_access";
  char list[4096];
  ssize_t n = getxattr(w->path, name, list, sizeof list);
  if (n < 0) return errno == ENODATA || errno == ENOTSUP || errno == EINVAL;
  return n == 0 || !fsetxattr(w->fd, name, list, (size_t)n, 0);
}

/* Owner, group and permissions of the file that is replaced, or the usual ones.
 * A group that cannot be kept has no rights in the new file. */
static enum fs_status take_over(struct fs_writer *w) {
  struct stat old, mine;
  mode_t mode = usual_mode();
  bool exists = !stat(w->path, &old);
  if (fstat(w->fd, &mine)) return system_error(w->ctx, errno);
  bool same_owner = !exists || old.st_uid == mine.st_uid;
  if (exists) mode = old.st_mode & 0777;
  if (exists && (!same_owner || old.st_gid != mine.st_gid)) {
    same_owner = !fchown(w->fd, old.st_uid, old.st_gid) || same_owner;
    if (fstat(w->fd, &mine)) return system_error(w->ctx, errno);
    if (mine.st_gid != old.st_gid && fchown(w->fd, (uid_t)-1, old.st_gid))
      mode &= ~(mode_t)070;
  }
  if (fchmod(w->fd, mode)) return system_error(w->ctx, errno);
  if (exists && !keep_list(w) && fchmod(w->fd, mode & ~(mode_t)070))
    return system_error(w->ctx, errno);
  if (!same_owner)
    fs_warn(w->ctx->diags, w->ctx->span, "file-replaced", NULL,
            "the file belonged to another user and is yours now");
  if (exists && old.st_nlink > 1)
    fs_warn(w->ctx->diags, w->ctx->span, "file-replaced", NULL,
            "the file had %lld names; the others keep what was saved before",
            (long long)old.st_nlink);
  return FS_OK;
}

enum fs_status fs_writer_commit(struct fs_writer *w) {
  enum fs_status st = writer_flush(w);
  bool writes = fs_rank() == 0;
  if (!st && writes) st = take_over(w);
  if (!st && writes && fsync(w->fd)) st = system_error(w->ctx, errno);
  if (!st && writes && rename(w->temp, w->path)) st = open_error(w->ctx, errno);
  if (!st && writes) {
    sync_folder(w->path);
    close(w->fd); /* nothing left to remove */
    w->fd = -1;
  }
  fs_writer_drop(w);
  return fs_ranks_agree(st, w->ctx->diags);
}

/* -- pieces of a source in row-major order ----------------------------------- */

struct piece_walk {
  const struct fs_file_ctx *ctx;
  const struct fs_array_source *source;
  int64_t inner[FS_MAX_RANK + 1]; /* elements of one index of dimension k-1 */
  int64_t first[FS_MAX_RANK], count[FS_MAX_RANK], budget;
  void *buf;
  fs_piece_fn *sink;
  void *user;
};

static enum fs_status piece(struct piece_walk *w, int64_t elements) {
  if (fs_interrupted()) return FS_INTERRUPTED;
  enum fs_status st = w->source->box(w->source->user, w->first, w->count,
                                     w->buf, w->ctx->diags);
  return st ? st : w->sink(w->user, w->buf, elements);
}

/* Walks dimension k: whole runs of indexes if several fit, else one by one. */
static enum fs_status walk_pieces(struct piece_walk *w, int k) {
  if (k == w->source->shape.rank) return piece(w, 1);
  int64_t n = w->source->shape.dim[k], below = w->inner[k + 1];
  int64_t step = FS_MAX(w->budget / FS_MAX(below, 1), 1);
  bool whole = below <= w->budget;
  enum fs_status st = FS_OK;
  for (int64_t at = 0; at < n && !st; at += w->count[k]) {
    w->first[k] = at;
    w->count[k] = whole ? FS_MIN(step, n - at) : 1;
    st = whole ? piece(w, w->count[k] * below) : walk_pieces(w, k + 1);
    for (int j = k + 1; j < w->source->shape.rank; j++) {
      w->first[j] = 0;
      w->count[j] = w->source->shape.dim[j];
    }
  }
  return st;
}

enum fs_status fs_source_each(const struct fs_file_ctx *ctx,
                              const struct fs_array_source *source,
                              fs_piece_fn *sink, void *user) {
  enum { PIECE = 4 << 20 };
  struct piece_walk w = {.ctx = ctx, .source = source, .sink = sink,
                         .user = user};
  int rank = source->shape.rank;
  w.budget = PIECE / (int64_t)fs_element_bytes(source->dtype, source->complex);
  w.inner[rank] = 1;
  for (int k = rank - 1; k >= 0; k--) {
    w.inner[k] = w.inner[k + 1] * source->shape.dim[k];
    w.count[k] = source->shape.dim[k];
  }
  if (!w.inner[0]) return FS_OK;
  enum fs_status st = fs_file_alloc(ctx, PIECE, &w.buf);
  if (!st) st = walk_pieces(&w, 0);
  free(w.buf);
  return st;
}
