/* build.c - texts to machine code: compiled, several at once, or found in the cache, and
 * loaded. */
#include <stdio.h>

#include "core/device/cuda/build.h"

/* A text without the lines that are comments: what the user calls his variables stands
 * in no others (emit.h), and leaves no trace in machine code. Given. */
static char *without_comments(const char *text) {
  char *out = fs_malloc(strlen(text) + 1), *to = out;
  while (*text) {
    size_t line = strcspn(text, "\n");
    line += text[line] == '\n';
    if (strncmp(text + strspn(text, " "), "//", 2)) {
      memcpy(to, text, line);
      to += line;
    }
    text += line;
  }
  *to = 0;
  return out;
}

/* Without line tables the #line directives leave no trace in machine code: then
 * the plain text is the key, and the same kernel of another line, or of variables of
 * other names, is a hit. */
struct fs_kernel_key fs_build_key(const struct cuda *t, const char *source,
                                   const char *lined) {
  char version[32];
  snprintf(version, sizeof version, "%d", fs_nvrtc_version());
  bool lines = fs_nvrtc_line_tables() && lined;
  char *text = lines ? fs_strdup(lined) : without_comments(source);
  const char *texts[] = {FS_VERSION, t->arch, fs_nvrtc_options(), version,
                         fs_nvrtc_identity(), text};
  struct fs_kernel_key key = fs_kernel_key((int)FS_LEN(texts), texts);
  free(text);
  return key;
}

static bool take_warm(struct cuda *t, struct fs_build *b) {
  for (int k = 0; t->warm && k < t->warm->list.len; k++) {
    struct fs_build *w = &t->warm->list.data[k];
    if (!w->job.image || memcmp(&w->key, &b->key, sizeof b->key)) continue;
    b->job.image = fs_malloc(w->job.size + 1);
    memcpy(b->job.image, w->job.image, w->job.size + 1);
    b->job.size = w->job.size;
    return true;
  }
  return false;
}

/* `lined`: the text with #line directives, or NULL. */
void fs_build_begin(struct cuda *t, struct fs_build *b, const char *source,
                        const char *lined) {
  b->source = source;
  b->same_as = -1;
  b->job.source = lined ? lined : source;
  b->job.arch = t->arch;
  if (b->loaded) return;
  if (!take_warm(t, b))
    b->job.image = fs_kernel_cache_get(&b->key, &b->job.size);
  b->cached = b->job.image != NULL;
}

/* Lines of a compiler's log from the first error on, after any warnings; on one. */
void fs_build_put_log(struct fs_str *s, const char *log) {
  int lines = 0;
  const char *from = log ? strstr(log, ": error") : NULL;
  while (from && from > log && from[-1] != '\n') from--;
  for (const char *p = from ? from : log; p && *p && lines < 3; lines++) {
    size_t len = strcspn(p, "\n");
    fs_str_puts(s, lines ? " / " : "");
    fs_str_put(s, p, FS_MIN(len, 200));
    p += len + (p[len] == '\n');
  }
}

/* The compiler refused a text of our own: keep it for the report. */
static enum fs_status refused(const struct fs_build *b, struct fs_diags *d) {
  struct fs_str log = {0};
  fs_build_put_log(&log, b->job.log);
  bool other = b->job.quick && b->other;
  char *kept = fs_kernel_keep_source(&b->key, other ? b->other : b->source);
  fs_env_error(d, "compile-failed",
               "this is a fault of Fusible: please report it with that file",
               "NVRTC refused a generated kernel, kept as %s: %s",
               kept ? kept : "(it could not be written)",
               log.len ? log.data : "it gave no message");
  fs_str_free(&log);
  free(kept);
  return FS_ERR_ENV;
}

/* Whether one image is that of both. Texts for quick code may differ where those for full
 * code do not: in where a matrix lies, which tensor maps tell these. */
static bool is_same(const struct fs_build *a, const struct fs_build *b) {
  bool alike = a->other && b->other ? !strcmp(a->other, b->other) : a->other == b->other;
  return alike && !memcmp(&a->key, &b->key, sizeof a->key);
}

/* Compiles what the cache did not have, several at once. */
enum fs_status fs_build_finish(struct fs_build *builds, int n,
                                    struct fs_diags *d) {
  struct fs_nvrtc_job *jobs = fs_calloc((size_t)FS_MAX(n, 1), sizeof *jobs);
  int *which = fs_calloc((size_t)FS_MAX(n, 1), sizeof *which), todo = 0;
  for (int k = 0; k < n; k++) {
    for (int e = 0; e < k && builds[k].same_as < 0; e++)
      if (!builds[e].loaded && is_same(&builds[e], &builds[k])) builds[k].same_as = e;
    if (builds[k].loaded || builds[k].cached || builds[k].same_as >= 0) continue;
    which[todo] = k;
    jobs[todo++] = builds[k].job;
  }
  fs_nvrtc_compile_all(jobs, todo);
  enum fs_status status = FS_OK;
  for (int k = 0; k < todo; k++) {
    struct fs_build *b = &builds[which[k]];
    b->job = jobs[k];
    if (b->job.image && b->job.quick) continue; /* what is on disk is full code */
    if (b->job.image)
      fs_kernel_cache_put(&b->key, b->job.image, b->job.size);
    else if (status == FS_OK)
      status = b->job.cancelled ? FS_INTERRUPTED : refused(b, d);
  }
  free(jobs);
  free(which);
  return status;
}

void fs_build_free(struct fs_build *b) {
  free(b->other);
  free(b->job.image);
  free(b->job.log);
}

/* Loads an image; one from the cache that the driver refuses is made anew. */
enum fs_status fs_build_load(struct cuda *t, struct fs_build *b,
                                 const char *entry, CUmodule *module,
                                 CUfunction *function, struct fs_diags *d) {
  CUresult r = fs_cu.module_load(module, b->job.image);
  if (fs_cuda_again(t, r)) r = fs_cu.module_load(module, b->job.image);
  if (r != CU_OK) *module = NULL;
  bool stale = r == CU_INVALID_IMAGE || r == CU_NO_BINARY_FOR_GPU;
  if (stale && b->cached) {
    fs_kernel_cache_drop(&b->key);
    fs_build_free(b);
    fs_nvrtc_compile(&b->job);
    b->cached = false;
    if (!b->job.image) return b->job.cancelled ? FS_INTERRUPTED : refused(b, d);
    r = fs_cu.module_load(module, b->job.image);
    if (r != CU_OK) *module = NULL;
  }
  if (r == CU_OK && (r = fs_cu.module_function(function, *module, entry))) {
    fs_cu.module_unload(*module);
    *module = NULL;
  }
  if (r == CU_OK) return FS_OK;
  if (r == CU_INVALID_IMAGE || r == CU_NO_BINARY_FOR_GPU ||
      r == CU_UNSUPPORTED_PTX)
    return fs_env_error(d, "driver-error", "update the driver, or install an "
                        "NVRTC that is not newer than it",
                        "the driver (CUDA %d.%d) does not load code of NVRTC "
                        "%d.%d", fs_cu_version() / 1000,
                        fs_cu_version() % 1000 / 10, fs_nvrtc_version() / 1000,
                        fs_nvrtc_version() % 1000 / 10);
  return fs_cuda_fail(t, r, "loading a kernel", d);
}

void fs_build_warn(struct fs_diags *d) {
  const char *notice = fs_kernel_cache_notice();
  if (notice)
    fs_warn(d, (struct fs_span){0}, "kernel-cache", NULL, "%s", notice);
}

enum fs_status fs_cuda_build(struct cuda *t, const char *source,
                             const char *entry, CUmodule *module,
                             CUfunction *function, struct fs_diags *d) {
  struct fs_build b = {0};
  fs_cuda_enter(t);
  b.key = fs_build_key(t, source, NULL);
  fs_build_begin(t, &b, source, NULL);
  enum fs_status status = fs_build_finish(&b, 1, d);
  if (status == FS_OK) status = fs_build_load(t, &b, entry, module, function, d);
  fs_build_free(&b);
  return status;
}
