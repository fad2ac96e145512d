/* driver.c - loads the CUDA driver, finds the other CUDA libraries on disk, and
 * words the driver's errors. */
#include "core/device/cuda/driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

struct fs_cu_api fs_cu;

static struct {
  bool tried;
  int version;
  const char *why;   /* NULL: loaded and initialised */
  char text[256];
} driver;

enum { OLDEST_DRIVER = 12000 };

bool fs_cuda_resolve(void *handle, const struct fs_cuda_symbol *symbols, size_t n,
                     void *functions) {
  for (size_t k = 0; k < n; k++) {
    void *fn = dlsym(handle, symbols[k].name);
    if (!fn && symbols[k].needed) return false;
    memcpy((char *)functions + symbols[k].at, &fn, sizeof fn);
  }
  return true;
}

static bool resolve(void *handle) {
  static const struct fs_cuda_symbol symbols[] = {
#define FS_CU(needed, name, symbol, args) {symbol, offsetof(struct fs_cu_api, name), needed},
#include "core/device/cuda/cuda_api.def"
  };
  return fs_cuda_resolve(handle, symbols, FS_LEN(symbols), &fs_cu);
}

/* Why cuInit refused. */
static const char *init_words(CUresult r) {
  switch (r) {
    case CU_NO_DEVICE:
      return getenv("CUDA_VISIBLE_DEVICES")
                 ? "the NVIDIA driver offers no GPU (CUDA_VISIBLE_DEVICES is "
                   "set: does it hide them?)"
                 : "the NVIDIA driver finds no GPU";
    case CU_STUB_LIBRARY:
      return "the libcuda.so.1 that was found is the CUDA toolkit's stub, not "
             "a driver; take the stubs folder off LD_LIBRARY_PATH";
    case CU_DRIVER_MISMATCH:
      return "the NVIDIA kernel module and libcuda.so.1 are of different "
             "versions; a reboot after a driver update mends this";
    case CU_SYSTEM_NOT_READY:
      return "the GPU system is not ready; machines with NVSwitch need the "
             "fabric manager to run";
    default: {
      snprintf(driver.text, sizeof driver.text,
               "the NVIDIA driver does not start: %s (cuInit gave %d)",
               fs_cu_words(r), r);
      return driver.text;
    }
  }
}

static const char *load_driver(void) {
  void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return "there is no NVIDIA driver here: libcuda.so.1 was not found";
  void *fn = dlsym(handle, "cuDriverGetVersion");
  memcpy(&fs_cu.driver_version, &fn, sizeof fn);
  int version = 0;
  if (fn && fs_cu.driver_version(&version) == CU_OK &&
      version < OLDEST_DRIVER) {
    snprintf(driver.text, sizeof driver.text,
             "the NVIDIA driver is too old: it supports CUDA %d.%d, and 12.0 "
             "or newer is needed (driver 525)",
             version / 1000, version % 1000 / 10);
    return driver.text;
  }
  if (!resolve(handle))
    return "the NVIDIA driver is too old: functions of CUDA 12.0 are missing "
           "in libcuda.so.1";
  CUresult r = fs_cu.init(0);
  if (r != CU_OK) return init_words(r);
  driver.version = version;
  return NULL;
}

bool fs_cu_load(const char **why) {
  if (!driver.tried) driver.why = load_driver();
  driver.tried = true;
  if (driver.why && why) *why = driver.why;
  return !driver.why;
}

int fs_cu_version(void) { return driver.version; }

const char *fs_cu_words(CUresult r) {
  const char *text = NULL;
  switch (r) {
    case CU_OUT_OF_MEMORY: return "out of memory";
    case CU_ILLEGAL_ADDRESS: return "an illegal memory access";
    case CU_LAUNCH_TIMEOUT: return "a timeout of the display watchdog";
    case CU_ECC_UNCORRECTABLE: return "an uncorrectable memory (ECC) error";
    case CU_DEVICE_UNAVAILABLE:
      return "another process has the GPU to itself (exclusive mode)";
    default: break;
  }
  if (fs_cu.error_string && fs_cu.error_string(r, &text) == CU_OK && text)
    return text;
  return "an error without a name";
}

bool fs_cu_is_fatal(CUresult r) {
  return r == CU_DEINITIALIZED || r == CU_ECC_UNCORRECTABLE || r == 220 ||
         r == 226 || r == CU_ILLEGAL_ADDRESS || r == CU_LAUNCH_TIMEOUT ||
         r == 709 || r == 710 || (r >= 714 && r <= 719) || r == 721 ||
         r == CU_UNKNOWN;
}

/* -- finding libraries --------------------------------------------------------- */

struct search {
  const char *const *sonames;
  struct fs_str *tried;
};

static void *try_folder(const struct search *s, const char *folder) {
  for (int k = 0; s->sonames[k]; k++) {
    struct fs_str path = {0};
    fs_str_printf(&path, "%s/%s", folder, s->sonames[k]);
    void *handle = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    fs_str_free(&path);
    if (handle) return handle;
  }
  fs_str_printf(s->tried, ", %s", folder);
  return NULL;
}

/* Every folder that a pattern names, the newest version first. */
static void *try_glob(const struct search *s, const char *pattern) {
  glob_t found = {0};
  void *handle = NULL;
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t k = found.gl_pathc; k-- > 0 && !handle;)
      handle = try_folder(s, found.gl_pathv[k]);
  globfree(&found);
  return handle;
}

/* PREFIX/lib/python3.x/{site,dist}-packages/nvidia/{cu13,WHEEL}/lib */
static void *try_python(const struct search *s, const char *prefix,
                        const char *wheel) {
  static const char *const kinds[] = {"site", "dist"};
  void *handle = NULL;
  for (int k = 0; k < 4 && !handle; k++) {
    struct fs_str pattern = {0};
    fs_str_printf(&pattern, "%s/lib/python3*/%s-packages/nvidia/%s/lib", prefix,
                  kinds[k / 2], k % 2 ? wheel : "cu1[3-9]");
    handle = try_glob(s, pattern.data);
    fs_str_free(&pattern);
  }
  return handle;
}

static void *try_under(const struct search *s, const char *prefix,
                       const char *below) {
  struct fs_str path = {0};
  fs_str_printf(&path, "%s%s", prefix, below);
  void *handle = try_folder(s, path.data);
  fs_str_free(&path);
  return handle;
}

/* The prefix of the first python3 on PATH: "/opt/venv" of /opt/venv/bin. */
static char *python_prefix(void) {
  const char *path = getenv("PATH");
  while (path && *path) {
    size_t len = strcspn(path, ":");
    struct fs_str file = {0};
    fs_str_put(&file, path, len);
    fs_str_puts(&file, "/python3");
    bool there = len > 4 && access(file.data, X_OK) == 0;
    fs_str_free(&file);
    if (there && strncmp(path + len - 4, "/bin", 4) == 0)
      return fs_strndup(path, len - 4);
    path += len + (path[len] == ':');
  }
  return NULL;
}

static void *try_pythons(const struct search *s, const char *wheel) {
  void *handle = NULL;
  const char *venv = getenv("VIRTUAL_ENV"), *home = getenv("HOME");
  if (venv) handle = try_python(s, venv, wheel);
  char *prefix = handle ? NULL : python_prefix();
  if (prefix) handle = try_python(s, prefix, wheel);
  free(prefix);
  struct fs_str local = {0};
  fs_str_printf(&local, "%s/.local", home ? home : "");
  if (!handle && home) handle = try_python(s, local.data, wheel);
  fs_str_free(&local);
  return handle ? handle : try_python(s, "/usr/local", wheel);
}

static void *try_prefixes(const struct search *s) {
  static const char *const variables[] = {"CONDA_PREFIX", "CUDA_HOME",
                                          "CUDA_PATH"};
  static const char *const patterns[] = {"/usr/local/cuda/lib64",
                                         "/usr/local/cuda/lib",
                                         "/usr/local/cuda-1[2-9]*/lib64",
                                         "/usr/local/cuda-1[2-9]*/lib"};
  void *handle = NULL;
  for (size_t k = 0; k < FS_LEN(variables) && !handle; k++) {
    const char *prefix = getenv(variables[k]);
    if (!prefix || !*prefix) continue;
    handle = try_under(s, prefix, "/lib64");
    if (!handle) handle = try_under(s, prefix, "/lib");
  }
  for (size_t k = 0; k < FS_LEN(patterns) && !handle; k++)
    handle = try_glob(s, patterns[k]);
  return handle;
}

void *fs_cuda_find_library(const char *env, const char *const *sonames,
                           const char *wheel, const char *beside,
                           struct fs_str *tried) {
  struct search s = {.sonames = sonames, .tried = tried};
  void *handle = NULL;
  const char *given = getenv(env);
  if (given && *given) { /* asked for: that one or none */
    handle = dlopen(given, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fs_str_printf(tried, "%s (from %s)", given, env);
    return handle;
  }
  for (int k = 0; sonames[k] && !handle; k++)
    handle = dlopen(sonames[k], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  for (int k = 0; sonames[k] && !handle; k++)
    handle = dlopen(sonames[k], RTLD_NOW | RTLD_LOCAL);
  if (handle) return handle;
  fs_str_puts(tried, "the loader's folders");
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  char *folder = slash ? fs_strndup(beside, (size_t)(slash - beside)) : NULL;
  if (folder) handle = try_folder(&s, folder);
  free(folder);
  if (!handle) handle = try_pythons(&s, wheel);
  return handle ? handle : try_prefixes(&s);
}

char *fs_cuda_library_path(const void *symbol) {
  Dl_info info;
  if (!dladdr(symbol, &info) || !info.dli_fname) return NULL;
  return fs_strdup(info.dli_fname);
}
