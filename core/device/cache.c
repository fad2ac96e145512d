/* cache.c - see cache.h. A file holds magic, key, length, SHA-256 of these and of the
 * image, and the image; it is written under another name and renamed, so readers take
 * no lock and never see a part. The checksum finds damage; what keeps others
 * out is ownership and mode. */
#include "core/device/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/datafile.h"

static const char magic[8] = "FSKERN02";
enum {
  NAME_SIZE = 2 * sizeof(struct fs_kernel_key) + 1,
  HOUR = 3600
};
static const int64_t largest_image = 64 << 20;
enum { USUAL_MIB = 256 }; /* over 10,000 kernels */

struct header {
  char magic[8];
  struct fs_kernel_key key;
  uint64_t size;
  unsigned char sum[32];
};

static struct {
  bool opened, told;
  int dir;             /* -1: not used */
  char *path;
  char notice[512];
  atomic_llong until_scan; /* bytes to write before the folder is measured again */
  atomic_llong limit;      /* bytes; -1: as FUSIBLE_CACHE says */
  int64_t hits, misses;
  atomic_llong stored;
  atomic_int unstored;     /* errno of an image that could not be stored, or 0 */
} cache = {.dir = -1, .limit = -1};

/* Over the key, too: an image of one kernel is never another one's. */
static void sum_of(const struct header *h, const void *image,
                   unsigned char out[32]) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, (const unsigned char *)h,
                            offsetof(struct header, sum));
  crypto_hash_sha256_update(&state, image, h->size);
  crypto_hash_sha256_final(&state, out);
}

struct fs_kernel_key fs_kernel_key(int n, const char *const *texts) {
  struct fs_kernel_key key;
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, (const unsigned char *)magic, sizeof magic);
  for (int k = 0; k < n; k++) {
    uint64_t len = strlen(texts[k]);
    crypto_hash_sha256_update(&state, (const unsigned char *)&len, sizeof len);
    crypto_hash_sha256_update(&state, (const unsigned char *)texts[k], len);
  }
  crypto_hash_sha256_final(&state, key.bytes);
  return key;
}

static void name_of(const struct fs_kernel_key *key, char *out) {
  sodium_bin2hex(out, NAME_SIZE, key->bytes, sizeof key->bytes);
}

/* -- the folder ------------------------------------------------------------------ */

static int refuse(const char *path, const char *why) {
  snprintf(cache.notice, sizeof cache.notice,
           "compiled kernels are not kept on disk: %s: %s", path, why);
  return -1;
}

/* Opens folder `name` under `at`, made if need be; it must be ours alone. */
static int open_private(int at, const char *name, const char *path) {
  if (mkdirat(at, name, 0700) && errno != EEXIST)
    return refuse(path, strerror(errno));
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return refuse(path, strerror(errno));
  struct stat st;
  const char *why = NULL;
  if (fstat(fd, &st)) why = strerror(errno);
  else if (st.st_uid != geteuid()) why = "it belongs to another user";
  else if (st.st_mode & 022) why = "it can be written by others";
  if (!why) return fd;
  close(fd);
  return refuse(path, why);
}

/* The folder above may be anyone's who could replace us anyway: ours or root's,
 * and not writable by others unless sticky. */
static int open_base(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    mkdir(path, 0700);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd < 0) return refuse(path, strerror(errno));
  struct stat st;
  bool bad = fstat(fd, &st) || (st.st_uid != geteuid() && st.st_uid != 0) ||
             ((st.st_mode & 022) && !(st.st_mode & S_ISVTX));
  if (!bad) return fd;
  close(fd);
  return refuse(path, "it can be changed by others");
}

/* $XDG_CACHE_HOME where it is absolute (as its standard says), else ~/.cache. */
static char *base_path(void) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (xdg && xdg[0] == '/') return fs_strdup(xdg);
  if (!home || home[0] != '/') return NULL;
  struct fs_str s = {0};
  fs_str_printf(&s, "%s/.cache", home);
  return s.data;
}

/* FUSIBLE_CACHE in MiB; what is neither a number nor "off" counts as unset. */
static int64_t usual_limit(void) {
  const char *text = getenv("FUSIBLE_CACHE");
  char *end = NULL;
  long long mib = text && *text ? strtoll(text, &end, 10) : -1;
  if (!end || *end || mib < 0 || mib > 1 << 20) mib = USUAL_MIB;
  return (int64_t)mib << 20;
}

static void open_cache(void) {
  cache.opened = true;
  if (cache.limit < 0) cache.limit = usual_limit();
  const char *off = getenv("FUSIBLE_CACHE");
  char *base = off && strcmp(off, "off") == 0 ? NULL : base_path();
  if (!base) return;
  struct fs_str path = {0};
  fs_str_printf(&path, "%s/fusible", base);
  int top = open_base(base);
  int mine = top < 0 ? -1 : open_private(top, "fusible", path.data);
  fs_str_puts(&path, "/kernels");
  cache.dir = mine < 0 ? -1 : open_private(mine, "kernels", path.data);
  cache.path = path.data;
  if (top >= 0) close(top);
  if (mine >= 0) close(mine);
  free(base);
}

static bool in_use(void) {
  if (!cache.opened) open_cache();
  return cache.dir >= 0;
}

const char *fs_kernel_cache_notice(void) {
  int why = in_use() ? atomic_load(&cache.unstored) : 0;
  if (why && !cache.notice[0]) refuse(cache.path, strerror(why));
  if (cache.told || !cache.notice[0]) return NULL;
  cache.told = true;
  return cache.notice;
}

/* -- reading ---------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t size) {
  for (char *p = to; size;) {
    ssize_t n = read(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, size -= (size_t)n;
  }
  return true;
}

static bool is_private_file(const struct stat *st) {
  return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
         st->st_nlink == 1 && !(st->st_mode & 022);
}

/* The verified image, or NULL; *damaged tells that the file is ours but wrong. */
static void *read_image(int fd, const struct fs_kernel_key *key, size_t *size,
                        const struct stat *st, bool *damaged) {
  struct header h;
  *damaged = true;
  if (!read_all(fd, &h, sizeof h) || memcmp(h.magic, magic, sizeof magic) ||
      memcmp(&h.key, key, sizeof *key) || h.size > (uint64_t)largest_image ||
      (int64_t)(h.size + sizeof h) != st->st_size)
    return NULL;
  unsigned char sum[32], *image = malloc(h.size + 1);
  if (!image) {
    *damaged = false;
    return NULL;
  }
  bool ok = read_all(fd, image, h.size);
  if (ok) sum_of(&h, image, sum);
  if (!ok || memcmp(sum, h.sum, sizeof sum)) {
    free(image);
    return NULL;
  }
  image[h.size] = 0;
  *size = h.size;
  *damaged = false;
  return image;
}

static void *get(const struct fs_kernel_key *key, size_t *size) {
  if (!in_use()) return NULL;
  char name[NAME_SIZE];
  name_of(key, name);
  int fd = openat(cache.dir, name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat st;
  if (fd < 0) return NULL;
  if (fstat(fd, &st) || !is_private_file(&st)) {
    close(fd);
    return NULL;
  }
  bool damaged;
  void *image = read_image(fd, key, size, &st, &damaged);
  if (damaged) unlinkat(cache.dir, name, 0);
  /* The age decides what goes first when the folder is full. */
  if (image && st.st_mtime < time(NULL) - HOUR) futimens(fd, NULL);
  close(fd);
  return image;
}

void *fs_kernel_cache_get(const struct fs_kernel_key *key, size_t *size) {
  void *image = get(key, size);
  if (image) cache.hits++;
  else cache.misses++;
  return image;
}

/* -- writing ---------------------------------------------------------------------- */

struct entry {
  char name[NAME_SIZE];
  int64_t size;
  time_t used;
};

static int by_age(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return x->used < y->used ? -1 : x->used > y->used;
}

typedef FS_VEC(struct entry) entry_list;

/* Lists the kernels that are ours and deletes what killed writers left behind.
 * Gives their bytes. */
static int64_t scan(DIR *folder, entry_list *list) {
  int64_t total = 0;
  for (struct dirent *e; (e = readdir(folder));) {
    struct stat st;
    if (fstatat(cache.dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        !is_private_file(&st))
      continue;
    bool temporary = strncmp(e->d_name, "tmp-", 4) == 0;
    if (temporary && st.st_mtime < time(NULL) - HOUR)
      unlinkat(cache.dir, e->d_name, 0);
    if (strlen(e->d_name) != NAME_SIZE - 1) continue;
    struct entry *n = FS_PUSH(list);
    memcpy(n->name, e->d_name, NAME_SIZE);
    n->size = st.st_size, n->used = st.st_mtime;
    total += st.st_size;
  }
  return total;
}

/* Deletes the least recently used until four fifths of the limit are left. */
static void make_room(DIR *folder) {
  entry_list list = {0};
  int64_t total = scan(folder, &list);
  if (total > cache.limit) {
    qsort(list.data, (size_t)list.len, sizeof *list.data, by_age);
    for (int k = 0; k < list.len && total > cache.limit / 5 * 4; k++) {
      unlinkat(cache.dir, list.data[k].name, 0);
      total -= list.data[k].size;
    }
  }
  cache.until_scan = FS_MAX(cache.limit - total, 1 << 20) / 4;
  FS_VEC_FREE(&list);
}

static DIR *open_folder(void) {
  int fd = openat(cache.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder && fd >= 0) close(fd);
  return folder;
}

/* One process at a time; whoever finds the lock taken leaves it to the other. */
static void limit_size(void) {
  int lock = openat(cache.dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                    0600);
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    DIR *folder = open_folder();
    if (folder) make_room(folder);
    if (folder) closedir(folder);
  }
  close(lock);
}

void fs_kernel_cache_limit(int64_t bytes) {
  in_use();
  cache.limit = bytes;
  cache.until_scan = 0;
}

struct fs_kernel_cache_state fs_kernel_cache_state(void) {
  DIR *folder = in_use() ? open_folder() : NULL;
  struct fs_kernel_cache_state s = {
      .path = cache.path ? cache.path : "",
      .why = cache.notice, .hits = cache.hits, .misses = cache.misses,
      .stored = cache.stored, .limit = FS_MAX(cache.limit, 0)};
  entry_list list = {0};
  if (folder) s.bytes = scan(folder, &list);
  if (folder) closedir(folder);
  s.files = list.len;
  FS_VEC_FREE(&list);
  return s;
}

int64_t fs_kernel_cache_clear(void) {
  DIR *folder = in_use() ? open_folder() : NULL;
  entry_list list = {0};
  int64_t gone = 0;
  if (folder) scan(folder, &list);
  if (folder) closedir(folder);
  for (int k = 0; k < list.len; k++)
    gone += unlinkat(cache.dir, list.data[k].name, 0) == 0;
  FS_VEC_FREE(&list);
  cache.until_scan = 0;
  return gone;
}

void fs_kernel_cache_put(const struct fs_kernel_key *key, const void *image,
                         size_t size) {
  if (in_use() && cache.until_scan <= 0) limit_size();
  fs_kernel_cache_add(key, image, size);
}

void fs_kernel_cache_add(const struct fs_kernel_key *key, const void *image,
                         size_t size) {
  static atomic_uint counter;
  if (!in_use() || !cache.limit || (int64_t)size > largest_image) return;
  cache.until_scan -= (int64_t)size;
  struct header h = {.key = *key, .size = size};
  memcpy(h.magic, magic, sizeof magic);
  sum_of(&h, image, h.sum);
  char name[NAME_SIZE], temporary[64];
  name_of(key, name);
  snprintf(temporary, sizeof temporary, "tmp-%ld-%u-%lx", (long)getpid(),
           atomic_fetch_add(&counter, 1), (unsigned long)time(NULL));
  int fd = openat(cache.dir, temporary,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  /* No fsync: a torn file fails its checksum and is a miss. */
  bool ok = fd >= 0 && fs_write_all(fd, &h, sizeof h) && fs_write_all(fd, image, size);
  if (ok && renameat(cache.dir, temporary, cache.dir, name) == 0) {
    cache.stored++;
  } else {
    atomic_store(&cache.unstored, errno);
    if (fd >= 0) unlinkat(cache.dir, temporary, 0);
  }
  if (fd >= 0) close(fd);
}

void fs_kernel_cache_drop(const struct fs_kernel_key *key) {
  char name[NAME_SIZE];
  name_of(key, name);
  if (in_use()) unlinkat(cache.dir, name, 0);
}

char *fs_kernel_keep_source(const struct fs_kernel_key *key,
                            const char *text) {
  char name[NAME_SIZE + 16], hex[NAME_SIZE];
  name_of(key, hex);
  snprintf(name, sizeof name, "failed-%.16s.cu", hex);
  if (in_use()) {
    unlinkat(cache.dir, name, 0);
    int fd = openat(cache.dir, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && fs_write_all(fd, text, strlen(text));
    if (fd >= 0) close(fd);
    struct fs_str path = {0};
    fs_str_printf(&path, "%s/%s", cache.path, name);
    if (ok) return path.data;
    fs_str_free(&path);
  }
  char *path;
  int fd = fs_temporary_file("-failed.cu", &path);
  if (fd < 0) return NULL;
  bool ok = fs_write_all(fd, text, strlen(text));
  close(fd);
  if (ok) return path;
  unlink(path);
  free(path);
  return NULL;
}
