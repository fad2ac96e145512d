/* nvrtc.c - a libnvrtc without CUDA, for tests only: compiles CUDA text with the
 * host's C++ compiler on top of tests/fiber/fiber.h, once (fiber_build.h). The
 * "cubin" is a shared object with a caller fake_start_NAME for each kernel, which
 * the fake driver loads. Options are checked as NVRTC 13.0 knows them.
 * FUSIBLE_FAKE_FAIL works here too (fake.h).
 *
 *   FUSIBLE_FAKE_NVRTC      the version (default 13000)
 *   FUSIBLE_FAKE_COMPILE=MS makes each compilation take so long, but for quick ones,
 *   FUSIBLE_FAKE_QUICK=MS   which take this; -1: it does not know how
 *   FUSIBLE_FAKE_HOLD=PATH  only quick ones, until there is such a file
 *   FUSIBLE_FAKE_KEEP=DIR   keeps each text as DIR/ARCH-HASH.cu
 *   FUSIBLE_FAKE_RUN=0      compiles nothing; the driver does not mind (driver.c), nor
 *   FUSIBLE_FAKE_DEVICE     does it of a device that only passes for a larger one
 */
#include <ctype.h>
#include <fcntl.h>

#include "core/base/base.h"
#define FAKE_LIBRARY "nvrtc"
#include "tests/fake/fake.h"
#include "tests/fiber/fiber_build.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct nvrtc_program {
  char *source;
  char *image, *log;
  size_t size;
  bool is_ptx, is_quick;
  int (*flow)(void *, void *);
  void *payload;
} *nvrtcProgram;

enum { INVALID_OPTION = 5, CANCELLED = 16 };

EXPORT int nvrtcVersion(int *major, int *minor);
EXPORT int nvrtcVersion(int *major, int *minor) {
  long version = fake_number("FUSIBLE_FAKE_NVRTC", 13000);
  *major = (int)(version / 1000);
  *minor = (int)(version % 1000 / 10);
  return 0;
}

static const int archs[] = {75, 80, 86, 89, 90, 100};
EXPORT int nvrtcGetNumSupportedArchs(int *count);
EXPORT int nvrtcGetNumSupportedArchs(int *count) {
  *count = (int)FS_LEN(archs);
  return 0;
}
EXPORT int nvrtcGetSupportedArchs(int *out);
EXPORT int nvrtcGetSupportedArchs(int *out) {
  memcpy(out, archs, sizeof archs);
  return 0;
}

EXPORT int nvrtcCreateProgram(nvrtcProgram *out, const char *source,
                              const char *name, int headers,
                              const char *const *texts,
                              const char *const *names);
EXPORT int nvrtcCreateProgram(nvrtcProgram *out, const char *source,
                              const char *name, int headers,
                              const char *const *texts,
                              const char *const *names) {
  (void)name, (void)headers, (void)texts, (void)names;
  int code = fake_failure("nvrtcCreateProgram");
  if (code) return code;
  *out = calloc(1, sizeof **out);
  (*out)->source = strdup(source);
  (*out)->log = strdup("");
  return 0;
}
EXPORT int nvrtcDestroyProgram(nvrtcProgram *program);
EXPORT int nvrtcDestroyProgram(nvrtcProgram *program) {
  free((*program)->source);
  free((*program)->image);
  free((*program)->log);
  free(*program);
  *program = NULL;
  return 0;
}

/* -- the host program ------------------------------------------------------------- */

/* `extern "C" __global__ void [__launch_bounds__(..)] NAME(`: the next NAME; other
 * attributes of the compiler begin with `__` too. */
static const char *next_kernel(const char *p, char *name, size_t size) {
  p = strstr(p, "extern \"C\"");
  if (!p) return NULL;
  for (p += 10; *p; p++) {
    if (*p != '(') continue;
    const char *end = p, *begin;
    while (end[-1] == ' ' || end[-1] == '\n') end--;
    begin = end;
    while ((isalnum((unsigned char)begin[-1]) || begin[-1] == '_')) begin--;
    snprintf(name, size, "%.*s", (int)(end - begin), begin);
    if (strncmp(name, "__", 2) != 0) return p;
    p = strchr(p, ')');
    if (!p) return NULL;
  }
  return NULL;
}

/* extern __shared__ float s[];  is  float *s = (float *)fiber_dynamic();  in a text of the user,
 * which has a #line at its begin. */
static void write_text(FILE *f, const char *source) {
  static const char word[] = "extern __shared__ ";
  const char *at = strstr(source, "#line 1 ") ? source : "";
  while ((at = strstr(at, word))) {
    const char *type = at + sizeof word - 1, *end = type + strcspn(type, "[;\n"), *name = end;
    at = end;
    if (strncmp(end, "[];", 3)) continue;
    while (name > type && name[-1] != ' ') name--;
    fprintf(f, "%.*s%.*s *%.*s = (%.*s *)fiber_dynamic()", (int)(type - (sizeof word - 1) - source),
            source, (int)(name - type), type, (int)(end - name), name, (int)(name - type), type);
    source = at = end + 2;
  }
  fputs(source, f);
}

static void write_program(FILE *f, const char *source, bool quick) {
  if (quick) fputs("#define FS_QUICK\n", f);
  fputs("#line 1 \"fusible.cu\"\n", f);
  write_text(f, source);
  fputs("\n", f);
  char name[100];
  for (const char *p = source; (p = next_kernel(p, name, sizeof name));)
    fprintf(f,
            "extern \"C\" FIBER_EXPORT int "
            "fake_start_%s(void **args, const unsigned *g, const unsigned *b, "
            "size_t shared) {\n"
            "  return fiber_launch_grid({g[0], g[1], g[2]}, {b[0], b[1], b[2]}, shared, "
            "[](void *a) { "
            "fiber_call(&%s, (void **)a); }, args);\n}\n", name, name);
  if (strstr(source, "unsigned long long fs_fault;")) /* a global, which the driver finds by it */
    fputs("extern \"C\" FIBER_EXPORT void *fake_at_fs_fault() { return &fs_fault; }\n", f);
}

static int build(nvrtcProgram program) {
  char *text = NULL, path[FIBER_PATH], *log;
  size_t len;
  FILE *f = open_memstream(&text, &len);
  if (!f) return 11;
  write_program(f, program->source, program->is_quick);
  fclose(f);
  if (fiber_build(text, len, path, &log))
    program->image = fiber_read(path, &program->size);
  if (log) free(program->log), program->log = log;
  free(text);
  return program->image ? 0 : 6;
}

static bool is_option(const char *text) {
  static const char *const known[] = {"-default-device", "-std=c++17",
                                      "-fmad=false", "--minimal", "-no-cache",
                                      "-lineinfo",   "-DFS_QUICK", "-use_fast_math",
                                      "-ftz=true"};
  for (size_t k = 0; k < FS_LEN(known); k++)
    if (!strcmp(text, known[k])) return true;
  return !strncmp(text, "-arch=", 6);
}

/* The text without its #line directives: the same kernel of two places is one. */
static char *plain_text(const char *source) {
  char *copy = malloc(strlen(source) + 1), *to = copy;
  for (const char *p = source; copy && *p;) {
    size_t len = strcspn(p, "\n");
    len += p[len] == '\n';
    if (strncmp(p, "#line ", 6)) memcpy(to, p, len), to += len;
    p += len;
  }
  if (copy) *to = 0;
  return copy;
}

/* Keeps a text; the same one of another process is the same file. */
static void keep_plain(const char *source, const char *arch,
                       const char *folder) {
  uint64_t hash = 1469598103934665603u;
  for (const char *p = source; *p; p++)
    hash = (hash ^ (unsigned char)*p) * 1099511628211u;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%016llx.cu", folder, arch,
           (unsigned long long)hash);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  size_t len = strlen(source);
  if (write(fd, source, len) != (ssize_t)len) unlink(path);
  close(fd);
}

static void keep(const char *source, const char *arch) {
  const char *folder = getenv("FUSIBLE_FAKE_KEEP");
  char *plain = folder && *folder ? plain_text(source) : NULL;
  if (plain) keep_plain(plain, arch, folder);
  free(plain);
}

EXPORT int nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                void *payload);
EXPORT int nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                void *payload) {
  program->flow = callback;
  program->payload = payload;
  return 0;
}

/* False: it was told to stop. */
static bool take_time(nvrtcProgram program) {
  enum { STEP = 10 };
  const char *hold = program->is_quick ? NULL : getenv("FUSIBLE_FAKE_HOLD");
  while (hold && access(hold, F_OK)) {
    if (program->flow && program->flow(program->payload, NULL)) return false;
    usleep(1000 * STEP);
  }
  long ms = fake_number(program->is_quick ? "FUSIBLE_FAKE_QUICK" : "FUSIBLE_FAKE_COMPILE", 0);
  for (; ms > 0; ms -= STEP) {
    if (program->flow && program->flow(program->payload, NULL)) return false;
    usleep(1000 * (unsigned)FS_MIN(ms, STEP));
  }
  return true;
}

EXPORT int nvrtcCompileProgram(nvrtcProgram program, int n,
                               const char *const *options);
EXPORT int nvrtcCompileProgram(nvrtcProgram program, int n,
                               const char *const *options) {
  int code = fake_failure("nvrtcCompileProgram");
  if (code) {
    free(program->log);
    program->log = strdup("fusible.cu(1): error: injected\n");
    return code;
  }
  for (int k = 0; k < n; k++) {
    bool quick = !strcmp(options[k], "-Ofc=mid");
    if (quick ? fake_number("FUSIBLE_FAKE_QUICK", 0) < 0 : !is_option(options[k]))
      return INVALID_OPTION;
    program->is_quick |= quick;
    program->is_ptx |= !strncmp(options[k], "-arch=compute_", 14);
    if (!strncmp(options[k], "-arch=", 6)) keep(program->source, options[k] + 6);
  }
  if (!take_time(program)) return CANCELLED;
  if (!fake_runs()) {
    program->image = strdup("nothing");
    program->size = strlen(program->image) + 1;
    return 0;
  }
  if (!program->is_ptx) return build(program);
  program->image = strdup("// PTX of the fake compiler\n");
  program->size = strlen(program->image) + 1;
  return 0;
}

static int give_size(nvrtcProgram program, bool ptx, size_t *bytes) {
  if (!program->image || program->is_ptx != ptx) return 4;
  *bytes = program->size;
  return 0;
}
EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) {
  return give_size(program, false, bytes);
}
EXPORT int nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
EXPORT int nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) {
  return give_size(program, true, bytes);
}
EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *out);
EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *out) {
  memcpy(out, program->image, program->size);
  return 0;
}
EXPORT int nvrtcGetPTX(nvrtcProgram program, char *out);
EXPORT int nvrtcGetPTX(nvrtcProgram program, char *out) {
  memcpy(out, program->image, program->size);
  return 0;
}
EXPORT int nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
EXPORT int nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
  *bytes = strlen(program->log) + 1;
  return 0;
}
EXPORT int nvrtcGetProgramLog(nvrtcProgram program, char *out);
EXPORT int nvrtcGetProgramLog(nvrtcProgram program, char *out) {
  memcpy(out, program->log, strlen(program->log) + 1);
  return 0;
}
