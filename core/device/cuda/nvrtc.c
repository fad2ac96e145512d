/* nvrtc.c - loads NVRTC and compiles with it.
 *
 * One kernel a program, no headers. Its own cache is off (-no-cache): with it on,
 * NVRTC would call cuInit behind our back and lose its messages on a hit.
 */
#include "core/device/cuda/nvrtc.h"
#include "core/model/device.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/emit/emit.h"
#include "core/device/cuda/driver.h"
#include "core/device/target.h"

static struct nvrtc_api {
#define FS_NVRTC(needed, name, symbol, args) int (*name) args;
#include "core/device/cuda/cuda_api.def"
} fs_nvrtc;

enum { NVRTC_OK = 0, NVRTC_INVALID_OPTION = 5, NVRTC_CANCELLED = 16,
       OLDEST_NVRTC = 12000 };

/* Less optimisation, no unrolling. `min` hardly takes less time than none, `max` no
 * less than `mid` and makes five times the code (13.0). None keeps a role's code to the
 * registers that setmaxnreg leaves it: kernels with roles have a text of their own. */
static const char *const quick_options[] = {"-Ofc=mid", "-DFS_QUICK"};

static struct {
  pthread_mutex_t lock;
  bool tried;
  char *why;         /* NULL: loaded */
  int version;
  char *path, *identity;
  bool line_tables;
  int archs[64], n_archs;
  char options[192]; /* blank between options */
  atomic_bool slow;  /* this NVRTC does not know quick_options */
} nvrtc = {.lock = PTHREAD_MUTEX_INITIALIZER};


static bool resolve(void *handle) {
  static const struct fs_cuda_symbol symbols[] = {
#define FS_NVRTC(needed, name, symbol, args) {symbol, offsetof(struct nvrtc_api, name), needed},
#include "core/device/cuda/cuda_api.def"
  };
  if (!fs_cuda_resolve(handle, symbols, FS_LEN(symbols), &fs_nvrtc)) return false;
  void *fn;
  memcpy(&fn, &fs_nvrtc.version, sizeof fn);
  nvrtc.path = fs_cuda_library_path(fn);
  return true;
}

/* Options that this version knows: --minimal came with 12.4, -no-cache with
 * 12.9. -fmad=false: only explicit fma may round once. */
static void choose_options(void) {
  const char *lines = getenv("FUSIBLE_LINEINFO");
  nvrtc.line_tables = lines && *lines && strcmp(lines, "0");
  snprintf(nvrtc.options, sizeof nvrtc.options,
           "-default-device -std=c++17 -fmad=false%s%s%s",
           nvrtc.version >= 12040 ? " --minimal" : "",
           nvrtc.version >= 12090 ? " -no-cache" : "",
           nvrtc.line_tables ? " -lineinfo" : "");
}

/* The compiler takes some 20 MB and gives it back, which the C library gives to the system
 * and has to ask for again: 2,800 page faults for a kernel like BiCGK, which takes 84 ms in
 * place of 91 without them (a processor of 2 cores). */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that it takes */
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
#endif
}

static void identify(void) {
  struct stat st = {0};
  struct fs_str s = {0};
  if (nvrtc.path && stat(nvrtc.path, &st)) st = (struct stat){0};
  fs_str_printf(&s, "%s %lld %lld", nvrtc.path ? nvrtc.path : "",
                (long long)st.st_size, (long long)st.st_mtime);
  nvrtc.identity = s.data;
}

static char *load_nvrtc(int driver) {
  /* A driver of CUDA 12 cannot be relied on to load code of NVRTC 13. */
  static const char *const newest[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};
  static const char *const older[] = {"libnvrtc.so.12", "libnvrtc.so.13", NULL};
  struct fs_str text = {0}, tried = {0};
  void *handle = fs_cuda_find_library(
      "FUSIBLE_NVRTC", driver && driver < 13000 ? older : newest, "cuda_nvrtc",
      NULL, &tried);
  int major = 0, minor = 0;
  if (!handle)
    fs_str_printf(&text, "the CUDA compiler library NVRTC (libnvrtc.so.13 or "
                  ".12) was not found; tried %s", fs_str_text(&tried));
  else if (!resolve(handle))
    fs_str_puts(&text, "the NVRTC library that was found is too old or broken");
  else if (fs_nvrtc.version(&major, &minor) != NVRTC_OK ||
           (nvrtc.version = major * 1000 + minor * 10) < OLDEST_NVRTC)
    fs_str_printf(&text, "NVRTC %d.%d (%s) is too old; 12.0 or newer is needed",
                  major, minor, nvrtc.path ? nvrtc.path : "");
  fs_str_free(&tried);
  if (text.len) return text.data;
  int n = 0;
  if (fs_nvrtc.arch_count(&n) == NVRTC_OK && n > 0 &&
      n <= (int)FS_LEN(nvrtc.archs) &&
      fs_nvrtc.archs(nvrtc.archs) == NVRTC_OK)
    nvrtc.n_archs = n;
  choose_options();
  identify();
  keep_memory();
  return NULL;
}

bool fs_nvrtc_load(int driver, const char **why) {
  pthread_mutex_lock(&nvrtc.lock);
  if (!nvrtc.tried) nvrtc.why = load_nvrtc(driver);
  nvrtc.tried = true;
  pthread_mutex_unlock(&nvrtc.lock);
  if (nvrtc.why && why) *why = nvrtc.why;
  return !nvrtc.why;
}

int fs_nvrtc_version(void) { return nvrtc.version; }
const char *fs_nvrtc_path(void) { return nvrtc.path ? nvrtc.path : ""; }
const char *fs_nvrtc_identity(void) {
  return nvrtc.identity ? nvrtc.identity : "";
}
bool fs_nvrtc_line_tables(void) { return nvrtc.line_tables; }
const char *fs_nvrtc_options(void) { return nvrtc.options; }
bool fs_nvrtc_is_quick(void) { return !atomic_load(&nvrtc.slow); }
void fs_nvrtc_not_quick(void) { atomic_store(&nvrtc.slow, true); }

bool fs_nvrtc_arch(int cc, char *out, size_t size) {
  int best = 0;
  for (int k = 0; k < nvrtc.n_archs; k++)
    if (nvrtc.archs[k] <= cc) best = FS_MAX(best, nvrtc.archs[k]);
  if (!best) return false;
  if (best == cc)
    fs_generation_arch(cc, out, size);
  else
    snprintf(out, size, "compute_%d", best);
  return true;
}

bool fs_nvrtc_is_stopped(const struct fs_nvrtc_job *job) {
  return job->stop ? atomic_load(job->stop) : fs_interrupted();
}

static int on_flow(void *payload, void *reserved) {
  (void)reserved;
  return fs_nvrtc_is_stopped(payload);
}

enum { MAX_OPTIONS = 16 }; /* without those of a job */

/* Splits the option text in place; gives the number of options. `fused`: products may round
 * once with the sum that they are in. */
static int split_options(char *text, bool fused, const char **out) {
  int n = 0;
  for (char *save, *word = strtok_r(text, " ", &save); word && n < MAX_OPTIONS;
       word = strtok_r(NULL, " ", &save))
    if (!fused || strncmp(word, "-fmad", 5)) out[n++] = word;
  return n;
}

static void take_log(nvrtcProgram program, struct fs_nvrtc_job *job) {
  size_t size = 0;
  if (fs_nvrtc.log_size(program, &size) != NVRTC_OK || size < 2) return;
  job->log = malloc(size + 1);
  if (!job->log) return;
  if (fs_nvrtc.log(program, job->log) != NVRTC_OK) job->log[0] = '\0';
  job->log[size] = '\0';
}

static void take_image(nvrtcProgram program, struct fs_nvrtc_job *job) {
  bool ptx = strncmp(job->arch, "compute_", 8) == 0;
  size_t size = 0;
  int r = ptx ? fs_nvrtc.ptx_size(program, &size)
              : fs_nvrtc.cubin_size(program, &size);
  if (r != NVRTC_OK || !size || !(job->image = malloc(size + 1))) return;
  r = ptx ? fs_nvrtc.ptx(program, job->image)
          : fs_nvrtc.cubin(program, job->image);
  ((char *)job->image)[size] = '\0';
  job->size = size;
  if (r == NVRTC_OK) return;
  free(job->image);
  job->image = NULL;
}

static bool begins_with(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

/* What nvrtcCompileProgram() gave. */
static int compile_once(struct fs_nvrtc_job *job) {
  nvrtcProgram program = NULL;
  job->image = NULL, job->log = NULL, job->size = 0, job->cancelled = false;
  const char *source = job->quick && job->quick_source ? job->quick_source : job->source;
  if (fs_nvrtc.create(&program, source, FS_EMIT_FILE, 0, NULL, NULL))
    return -1;
  char text[sizeof nvrtc.options], arch[48];
  const char *options[MAX_OPTIONS + 2 + FS_LEN(quick_options)];
  memcpy(text, nvrtc.options, sizeof text);
  bool fast = begins_with(source, FS_NVRTC_FAST);
  int n = split_options(text, job->as_it_is || fast, options);
  if (fast) options[n++] = "-use_fast_math";
  if (begins_with(source, FS_NVRTC_FLUSH)) options[n++] = "-ftz=true";
  snprintf(arch, sizeof arch, "-arch=%s", job->arch);
  options[n++] = arch;
  for (size_t k = 0; job->quick && k < FS_LEN(quick_options); k++)
    options[n++] = quick_options[k];
  if (fs_nvrtc.flow_callback) fs_nvrtc.flow_callback(program, on_flow, job);
  int r = fs_nvrtc.compile(program, n, options);
  take_log(program, job);
  job->cancelled = r == NVRTC_CANCELLED;
  if (r == NVRTC_OK) take_image(program, job);
  fs_nvrtc.destroy(&program);
  return r;
}

void fs_nvrtc_compile(struct fs_nvrtc_job *job) {
  job->quick &= fs_nvrtc_is_quick();
  if (compile_once(job) != NVRTC_INVALID_OPTION || !job->quick) return;
  fs_nvrtc_not_quick();
  job->quick = false;
  free(job->log);
  compile_once(job);
}

enum fs_status fs_nvrtc_check(const char *source, const char *arch,
                              char **log) {
  const char *why = NULL;
  *log = NULL;
  if (!fs_nvrtc_load(0, &why)) {
    *log = fs_strdup(why);
    return FS_ERR_ENV;
  }
  struct fs_nvrtc_job job = {.source = source, .arch = arch};
  fs_nvrtc_compile(&job);
  *log = fs_strdup(job.log ? job.log : "");
  bool ok = job.image != NULL;
  free(job.log);
  free(job.image);
  return ok ? FS_OK : job.cancelled ? FS_INTERRUPTED : FS_ERR_USER;
}
