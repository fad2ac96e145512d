/* embed.c - finds the texts that are built into the binary, or the files that
 * a developer put in their place (FUSIBLE_ELEMLIB). */
#include "core/base/embed.h"

#include "core/base/base.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OVERRIDE_MAX = 4 << 20 }; /* bytes; far above any text of ours */

/* Files read so far; also remembers those that do not exist (text NULL). */
struct override {
  char *name, *text;
};
static FS_VEC(struct override) overrides;
static pthread_mutex_t overrides_lock = PTHREAD_MUTEX_INITIALIZER;

static char *read_regular_file(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  struct stat info;
  char *text = NULL;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_size <= OVERRIDE_MAX) {
    size_t size = (size_t)info.st_size, len = 0;
    text = malloc(size + 1);
    while (text && len < size) {
      ssize_t n = read(fd, text + len, size - len);
      if (n <= 0) break;
      len += (size_t)n;
    }
    if (text) text[len] = '\0';
  }
  close(fd);
  return text;
}

/* FOLDER/gemv.elem stands for elemlib/gemv.elem; FOLDER/prelude.fs and
 * FOLDER/elemlib/gemv.elem are taken as well. */
static char *read_override(const char *folder, const char *name) {
  static const char prefix[] = "elemlib/";
  struct fs_str path = {0};
  char *text = NULL;
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
    fs_str_printf(&path, "%s/%s", folder, name + sizeof prefix - 1);
    text = read_regular_file(path.data);
  }
  if (!text) {
    fs_str_clear(&path);
    fs_str_printf(&path, "%s/%s", folder, name);
    text = read_regular_file(path.data);
  }
  fs_str_free(&path);
  return text;
}

static const char *override_text(const char *folder, const char *name) {
  const char *text = NULL;
  pthread_mutex_lock(&overrides_lock);
  int i = 0;
  while (i < overrides.len && strcmp(overrides.data[i].name, name) != 0) i++;
  if (i == overrides.len) {
    /* No jump to the out-of-memory handler with the lock held. */
    jmp_buf *handler = fs_oom_guard(NULL);
    struct override entry = {fs_strdup(name), read_override(folder, name)};
    *FS_PUSH(&overrides) = entry;
    fs_oom_guard(handler);
  }
  text = overrides.data[i].text;
  pthread_mutex_unlock(&overrides_lock);
  return text;
}

const char *fs_embedded_text(const char *name) {
  const char *folder = getenv("FUSIBLE_ELEMLIB");
  if (folder && folder[0]) {
    const char *text = override_text(folder, name);
    if (text) return text;
  }
  for (const struct fs_embedded *e = fs_embedded; e->name; e++)
    if (strcmp(e->name, name) == 0) return e->text;
  return NULL;
}
