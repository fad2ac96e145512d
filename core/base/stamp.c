/* stamp.c - see stamp.h. */
#include "core/base/stamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Piece by piece, so that a file and a text of the same bytes have the same. */
static uint64_t hash_text(const char *text, size_t len) {
  uint64_t h = 1;
  for (size_t at = 0; at < len; at += PIECE) h = fs_hash(text + at, FS_MIN(len - at, PIECE), h);
  return h;
}

static bool hash_file(int fd, int64_t size, uint64_t *out) {
  char *piece = fs_malloc(PIECE);
  int64_t at = 0;
  *out = 1;
  while (at < size) {
    size_t want = (size_t)FS_MIN(size - at, (int64_t)PIECE), have = 0;
    ssize_t n = 1;
    for (; have < want && n > 0; have += n > 0 ? (size_t)n : 0)
      n = pread(fd, piece + have, want - have, at + (int64_t)have);
    if (have < want) break;
    *out = fs_hash(piece, have, *out);
    at += (int64_t)have;
  }
  free(piece);
  return at == size;
}

static void take(struct fs_stamp *s, const struct stat *st) {
  s->size = (int64_t)st->st_size;
  s->inode = (int64_t)st->st_ino;
  s->device = (int64_t)st->st_dev;
  s->changed[0] = (int64_t)st->st_mtim.tv_sec;
  s->changed[1] = (int64_t)st->st_mtim.tv_nsec;
  s->changed[2] = (int64_t)st->st_ctim.tv_sec;
  s->changed[3] = (int64_t)st->st_ctim.tv_nsec;
}

struct fs_stamp fs_stamp_open(int fd, char *path) {
  struct fs_stamp s = {.path = path};
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return s;
  take(&s, &st);
  s.open = true;
  s.there = hash_file(fd, s.size, &s.hash);
  return s;
}

struct fs_stamp fs_stamp_text(char *path, const char *text, size_t len) {
  return (struct fs_stamp){.path = path, .there = true, .size = (int64_t)len,
                           .hash = hash_text(text, len)};
}

struct fs_stamp fs_stamp_none(char *path) { return (struct fs_stamp){.path = path}; }

static bool unchanged(const struct fs_stamp *s, const struct stat *st) {
  struct fs_stamp now = {.path = NULL};
  take(&now, st);
  return s->open && s->inode == now.inode && s->device == now.device &&
         s->size == now.size && !memcmp(s->changed, now.changed, sizeof now.changed);
}

enum fs_stamp_now fs_stamp_compare(const struct fs_stamp *s) {
  struct stat st;
  uint64_t hash;
  int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool there = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
  bool same = there && s->there &&
              (unchanged(s, &st) || (s->size == (int64_t)st.st_size &&
                                     hash_file(fd, s->size, &hash) && hash == s->hash));
  if (fd >= 0) close(fd);
  if (!there) return s->there ? FS_STAMP_GONE : FS_STAMP_SAME;
  return same ? FS_STAMP_SAME : FS_STAMP_OTHER;
}

void fs_stamp_numbers(const struct fs_stamp *s, int64_t out[FS_STAMP_NUMBERS]) {
  const int64_t all[FS_STAMP_NUMBERS] = {
      s->there, s->open, s->size, s->inode, s->device, s->changed[0], s->changed[1],
      s->changed[2], s->changed[3], (int64_t)s->hash};
  memcpy(out, all, sizeof all);
}

struct fs_stamp fs_stamp_of_numbers(char *path, const int64_t v[FS_STAMP_NUMBERS]) {
  return (struct fs_stamp){.path = path, .there = v[0] != 0, .open = v[1] != 0, .size = v[2],
                           .inode = v[3], .device = v[4],
                           .changed = {v[5], v[6], v[7], v[8]}, .hash = (uint64_t)v[9]};
}
