/* tunings.c - see tunings.h. */
#include "core/run/tunings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20, MOST_CHOICE = 64 << 10, VERSION = 1 };

struct fs_tunings {
  char *path;          /* "": nothing is kept on disk */
  char *device;
  json_t *entries;     /* oldest first */
  char *notice;
  bool told;
};

/* -- where ------------------------------------------------------------------------ */

/* The folder for data that is kept, made if need be; false: there is none. */
static bool data_folder(struct fs_str *out) {
  const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (xdg && xdg[0] == '/') fs_str_puts(out, xdg);
  else if (home && home[0] == '/') fs_str_printf(out, "%s/.local/share", home);
  else return false;
  fs_str_puts(out, "/fusible");
  return true;
}

static void make_folders(const char *file) {
  char *path = fs_strdup(file);
  for (char *p = path + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    mkdir(path, 0700);
    *p = '/';
  }
  free(path);
}

/* "NVIDIA H200, sm_90a, 132" as a file's name: nvidia-h200-sm-90a-132. */
static void put_slug(const char *text, struct fs_str *out) {
  bool gap = false;
  for (; *text; text++) {
    char c = (char)tolower((unsigned char)*text);
    bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (good && gap) fs_str_puts(out, "-");
    if (good) fs_str_put(out, &c, 1);
    gap = !good;
  }
}

/* -- reading ---------------------------------------------------------------------- */

static bool is_entry(const json_t *e) {
  const char *block = json_string_value(json_object_get(e, "block"));
  const char *choice = json_string_value(json_object_get(e, "choice"));
  return block && choice && strlen(block) == 16 &&
         strspn(block, "0123456789abcdef") == 16 &&
         strlen(choice) <= MOST_CHOICE;
}

static bool is_text(const json_t *o, const char *key, const char *wanted) {
  const char *text = json_string_value(json_object_get(o, key));
  return text && !strcmp(text, wanted);
}

/* Why a file that was read cannot be used, or NULL. */
static const char *wrong_with(const struct fs_tunings *t, const json_t *o) {
  const json_t *list = json_object_get(o, "entries"), *e;
  size_t k;
  if (!json_is_object(o) || !is_text(o, "format", "fusible-tuning"))
    return "it is not a file of tuning results";
  if (json_integer_value(json_object_get(o, "version")) != VERSION ||
      !is_text(o, "program", FS_VERSION))
    return "it is of another version of Fusible";
  if (!is_text(o, "device", t->device)) return "it is of another device";
  if (!json_is_array(list) || json_array_size(list) > FS_TUNINGS_MOST)
    return "it is damaged";
  json_array_foreach(list, k, e)
    if (!is_entry(e)) return "it is damaged";
  return NULL;
}

/* The whole file as text, or NULL: not there, or with *why. */
static char *read_text(const char *path, size_t *size, const char **why) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0) {
    if (errno != ENOENT && errno != ENOTDIR) *why = strerror(errno);
    return NULL;
  }
  char *text = NULL;
  *size = 0;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) *why = "it is not a file";
  else if (st.st_size > MOST_BYTES) *why = "it is too large";
  else {
    text = fs_malloc((size_t)st.st_size + 1);
    for (ssize_t n; *size < (size_t)st.st_size; *size += (size_t)n)
      if ((n = read(fd, text + *size, (size_t)st.st_size - *size)) <= 0) break;
  }
  close(fd);
  return text;
}

/* The entries on disk (a new reference, perhaps an empty list). */
static json_t *read_entries(struct fs_tunings *t, const char **why) {
  size_t size = 0;
  *why = NULL;
  char *text = *t->path ? read_text(t->path, &size, why) : NULL;
  json_t *o = text ? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
  if (text && !o) *why = "it is damaged";
  if (o) *why = wrong_with(t, o);
  json_t *list = o && !*why ? json_incref(json_object_get(o, "entries"))
                            : json_array();
  json_decref(o);
  free(text);
  return list;
}

struct fs_tunings *fs_tunings_open(const struct fs_device *device) {
  struct fs_tunings *t = fs_calloc(1, sizeof *t);
  struct fs_str name = {0}, path = {0};
  fs_str_printf(&name, "%s, %s, %d", device->name, device->arch, device->units);
  t->device = name.data;
  const char *off = getenv("FUSIBLE_TUNING"), *why;
  if ((!off || strcmp(off, "off")) && data_folder(&path)) {
    fs_str_puts(&path, "/tuning-");
    put_slug(t->device, &path);
    fs_str_puts(&path, ".json");
  } else {
    fs_str_clear(&path);
    fs_str_puts(&path, "");
  }
  t->path = path.data ? path.data : fs_strdup("");
  t->entries = read_entries(t, &why);
  if (why) {
    struct fs_str s = {0};
    fs_str_puts(&s, "the tuning results in ");
    fs_str_put_safe(&s, t->path, strlen(t->path));
    fs_str_printf(&s, " are not used: %s", why);
    t->notice = s.data;
  }
  return t;
}

void fs_tunings_free(struct fs_tunings *t) {
  if (!t) return;
  json_decref(t->entries);
  free(t->path);
  free(t->device);
  free(t->notice);
  free(t);
}

const char *fs_tunings_path(const struct fs_tunings *t) { return t->path; }

int fs_tunings_count(const struct fs_tunings *t) {
  return (int)json_array_size(t->entries);
}

const char *fs_tunings_notice(struct fs_tunings *t) {
  if (t->told || !t->notice) return NULL;
  t->told = true;
  return t->notice;
}

static void hex_of(uint64_t block, char out[17]) {
  snprintf(out, 17, "%016llx", (unsigned long long)block);
}

static size_t find(const json_t *list, const char *hex) {
  size_t k = json_array_size(list);
  while (k-- > 0)
    if (is_text(json_array_get(list, k), "block", hex)) return k;
  return json_array_size(list);
}

const char *fs_tunings_choice(const struct fs_tunings *t, uint64_t block) {
  char hex[17];
  hex_of(block, hex);
  const json_t *e = json_array_get(t->entries, find(t->entries, hex));
  return e ? json_string_value(json_object_get(e, "choice")) : NULL;
}

/* -- writing ---------------------------------------------------------------------- */

static bool write_all(int fd, const char *p, size_t size) {
  while (size) {
    ssize_t n = write(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, size -= (size_t)n;
  }
  return fsync(fd) == 0;
}

static enum fs_status replace_file(const char *path, const char *text,
                                   struct fs_diags *d) {
  struct fs_str name = {0};
  make_folders(path);
  fs_str_printf(&name, "%s.XXXXXX", path);
  int fd = mkostemp(name.data, O_CLOEXEC);
  bool ok = fd >= 0 && write_all(fd, text, strlen(text));
  if (fd >= 0) ok = close(fd) == 0 && ok;
  ok = ok && rename(name.data, path) == 0;
  int error = errno;
  if (!ok && fd >= 0) unlink(name.data);
  fs_str_free(&name);
  return ok ? FS_OK
            : fs_env_error(d, "tuning-file", NULL,
                           "the tuning results could not be kept in %s: %s; "
                           "they hold for this session", path, strerror(error));
}

static enum fs_status save(struct fs_tunings *t, struct fs_diags *d) {
  if (!*t->path) return FS_OK;
  json_t *o = json_object();
  json_object_set_new(o, "format", json_string("fusible-tuning"));
  json_object_set_new(o, "version", json_integer(VERSION));
  json_object_set_new(o, "program", json_string(FS_VERSION));
  json_object_set_new(o, "device", json_string(t->device));
  json_object_set(o, "entries", t->entries);
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  enum fs_status st = text ? replace_file(t->path, text, d) : FS_ERR_ENV;
  free(text);
  json_decref(o);
  return st;
}

/* What other processes wrote since is taken over before a change. */
static void read_again(struct fs_tunings *t) {
  const char *why;
  if (!*t->path) return;
  json_t *fresh = read_entries(t, &why), *e;
  size_t k;
  json_array_foreach(t->entries, k, e) {
    const char *hex = json_string_value(json_object_get(e, "block"));
    if (find(fresh, hex) == json_array_size(fresh)) json_array_append(fresh, e);
  }
  json_decref(t->entries);
  t->entries = fresh;
}

enum fs_status fs_tunings_put(struct fs_tunings *t,
                              const struct fs_tuning_result *r,
                              struct fs_diags *d) {
  char hex[17];
  hex_of(r->block, hex);
  read_again(t);
  size_t old = find(t->entries, hex);
  if (old < json_array_size(t->entries)) json_array_remove(t->entries, old);
  json_t *e = json_object();
  json_object_set_new(e, "block", json_string(hex));
  json_object_set_new(e, "choice", json_string(r->choice));
  json_object_set_new(e, "rank", json_integer(r->rank));
  json_object_set_new(e, "predicted", json_real(r->predicted));
  json_object_set_new(e, "measured", json_real(r->measured));
  json_object_set_new(e, "first", json_real(r->first));
  json_array_append_new(t->entries, e);
  while (json_array_size(t->entries) > FS_TUNINGS_MOST)
    json_array_remove(t->entries, 0);
  return save(t, d);
}

int fs_tunings_forget(struct fs_tunings *t, uint64_t block,
                      struct fs_diags *d) {
  char hex[17];
  hex_of(block, hex);
  read_again(t);
  int before = fs_tunings_count(t);
  size_t k = find(t->entries, hex);
  if (!block) json_array_clear(t->entries);
  else if (k < json_array_size(t->entries)) json_array_remove(t->entries, k);
  int gone = before - fs_tunings_count(t);
  bool foreign = t->notice && !block; /* `forget all` also clears such a file */
  if (gone || foreign) save(t, d);
  return gone;
}
