/* test_cuda.c - the CUDA target below the planner: the kernel cache against
 * damage and against other people's files, NVRTC without a device, and, where a
 * driver is there (a real one, or that of tests/fake), memory, copies, timers and
 * interrupts. Prints "N passed, N failed". */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/device/cuda/library.h"
#include "core/device/target.h"
#include "tests/unit/check.h"

static struct fs_diags diags;

static const char *message(void) {
  return diags.list.len ? diags.list.data[diags.list.len - 1].message : "(none)";
}

/* -- the kernel cache ------------------------------------------------------------ */

static char root[200];
static const char image[] = "an image, long enough to be worth damaging: "
                            "0123456789abcdefghijklmnopqrstuvwxyz";

static struct fs_kernel_key the_key(void) {
  const char *texts[] = {"a", "bc"};
  return fs_kernel_key(2, texts);
}

static char *path_of_key(struct fs_kernel_key key, char *out, size_t size) {
  int n = snprintf(out, size, "%s/fusible/kernels/", root);
  for (size_t k = 0; k < sizeof key.bytes; k++)
    n += snprintf(out + n, size - (size_t)n, "%02x", key.bytes[k]);
  return out;
}
static char *file_path(char *out, size_t size) {
  return path_of_key(the_key(), out, size);
}

static bool has_it(void) {
  struct fs_kernel_key key = the_key();
  size_t size = 0;
  char *got = fs_kernel_cache_get(&key, &size);
  bool ok = got && size == sizeof image && !memcmp(got, image, size);
  free(got);
  return ok;
}

static bool store_it(void) {
  struct fs_kernel_key key = the_key();
  fs_kernel_cache_put(&key, image, sizeof image);
  return true;
}

/* The cache looks at the environment once, so each case is its own process. */
static bool in_child(bool (*body)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_missing(void) { return !has_it(); }
static bool is_refused(void) {
  store_it();
  return !has_it() && fs_kernel_cache_notice() && !fs_kernel_cache_notice();
}
static bool is_off(void) {
  store_it();
  return !has_it() && !fs_kernel_cache_notice();
}

/* Another kernel, of which the file is said to hold the code. */
static struct fs_kernel_key other_key(void) {
  struct fs_kernel_key key = the_key();
  key.bytes[31] ^= 1;
  return key;
}
static bool has_no_other(void) {
  struct fs_kernel_key key = other_key();
  size_t size = 0;
  return !fs_kernel_cache_get(&key, &size);
}

static void read_whole(const char *path, char **data, size_t *size) {
  FILE *f = fopen(path, "rb");
  *data = NULL, *size = 0;
  if (!f) return;
  *data = fs_malloc(65536);
  *size = fread(*data, 1, 65536, f);
  fclose(f);
}

static void write_whole(const char *path, const char *data, size_t size) {
  unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  close(fd);
}

static void test_damage(void) {
  char path[400], *data;
  size_t size;
  in_child(store_it);
  read_whole(file_path(path, sizeof path), &data, &size);
  CHECK(size > sizeof image && in_child(has_it), "stored and found again");
  for (size_t k = 0; k < size; k++) { /* every byte */
    data[k] = (char)(data[k] ^ (1 << k % 8));
    write_whole(path, data, size);
    data[k] = (char)(data[k] ^ (1 << k % 8));
    CHECK(in_child(is_missing), "byte %zu damaged and not noticed", k);
    CHECK(access(path, F_OK) != 0, "a damaged file stays");
  }
  for (size_t k = 0; k < size; k += 7) { /* cut off, and with more behind */
    write_whole(path, data, k);
    CHECK(in_child(is_missing), "cut to %zu and not noticed", k);
  }
  struct fs_kernel_key key = the_key(), other = other_key();
  size_t at = 0; /* the code of one kernel under the key of another */
  while (at + sizeof key < size && memcmp(data + at, &key, sizeof key)) at++;
  CHECK(at + sizeof key < size, "the file does not hold its key");
  memcpy(data + at, &other, sizeof other);
  write_whole(path_of_key(other, path, sizeof path), data, size);
  CHECK(in_child(has_no_other), "one kernel's code is taken for another's");
  unlink(file_path(path, sizeof path));
  memcpy(data + at, &key, sizeof key);
  data[size] = 'x';
  write_whole(path, data, size + 1);
  CHECK(in_child(is_missing), "a byte too many and not noticed");
  write_whole(path, data, size);
  CHECK(in_child(has_it), "the whole file is found again");
  free(data);
}

static void test_attacks(void) {
  char path[400], other[300], folder[300], *data;
  size_t size;
  read_whole(file_path(path, sizeof path), &data, &size);
  snprintf(other, sizeof other, "%s/other", root);
  write_whole(other, data, size);
  unlink(path);
  CHECK(symlink(other, path) == 0 && in_child(is_missing), "a link is followed");
  unlink(path);
  CHECK(link(other, path) == 0 && in_child(is_missing), "a hard link is taken");
  unlink(path), unlink(other);
  CHECK(mkfifo(path, 0600) == 0 && in_child(is_missing), "a pipe is read");
  unlink(path);
  CHECK(mkdir(path, 0700) == 0 && in_child(is_missing), "a folder is read");
  rmdir(path);
  write_whole(path, data, size);
  chmod(path, 0666);
  CHECK(in_child(is_missing), "a file that others may write is taken");
  CHECK(access(path, F_OK) == 0, "a foreign file is deleted");
  chmod(path, 0600);
  if (geteuid() == 0) {
    CHECK(chown(path, 12345, 12345) == 0 && in_child(is_missing),
          "another user's file is taken");
    unlink(path);
    write_whole(path, data, size);
  }
  snprintf(folder, sizeof folder, "%s/fusible/kernels", root);
  chmod(folder, 0777);
  CHECK(in_child(is_refused), "a folder open to all is used");
  chmod(folder, 0700);
  snprintf(folder, sizeof folder, "%s/fusible", root);
  chmod(folder, 0770);
  CHECK(in_child(is_refused), "a folder above open to the group is used");
  chmod(folder, 0700);
  chmod(root, 0777);
  CHECK(in_child(is_refused), "a base that anyone may change is used");
  chmod(root, 0700);
  setenv("FUSIBLE_CACHE", "off", 1);
  CHECK(in_child(is_off), "off is not off");
  unsetenv("FUSIBLE_CACHE");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "also-relative", 1);
  CHECK(in_child(is_off), "a relative folder is used");
  setenv("XDG_CACHE_HOME", root, 1);
  CHECK(in_child(has_it), "after all this the good file is found");
  free(data);
}

static void test_keys(void) {
  const char *a[] = {"ab", "c"}, *b[] = {"a", "bc"}, *c[] = {"abc"};
  struct fs_kernel_key x = fs_kernel_key(2, a), y = fs_kernel_key(2, b);
  struct fs_kernel_key z = fs_kernel_key(1, c), w = fs_kernel_key(2, a);
  CHECK(memcmp(&x, &y, sizeof x) && memcmp(&x, &z, sizeof x), "equal keys");
  CHECK(!memcmp(&x, &w, sizeof x), "a key is not stable");
}

static void test_cache(void) {
  snprintf(root, sizeof root, "/tmp/fusible-cache-XXXXXX");
  if (!mkdtemp(root)) abort();
  const char *old = getenv("FUSIBLE_CACHE");
  char *kept = old ? fs_strdup(old) : NULL, *home = fs_strdup(
      getenv("HOME") ? getenv("HOME") : "/");
  unsetenv("FUSIBLE_CACHE");
  setenv("XDG_CACHE_HOME", root, 1);
  test_keys();
  test_damage();
  test_attacks();
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(system(command) == 0, "tidying up");
  setenv("HOME", home, 1);
  unsetenv("XDG_CACHE_HOME");
  if (kept) setenv("FUSIBLE_CACHE", kept, 1);
  free(kept), free(home);
}

/* -- where libraries are found ------------------------------------------------------- */

#define PACKAGES "/lib/python3.11/site-packages/nvidia/"
#define OTHERS "/lib/python3.11/dist-packages/nvidia/"

/* Folders below root, in the order in which they are looked through. */
static const char *const places[] = {
    "beside",
    "venv" PACKAGES "cu14/lib", "venv" PACKAGES "cu13/lib", "venv" PACKAGES "wheel/lib",
    "venv" OTHERS "cu13/lib", "venv" OTHERS "wheel/lib",
    "python" PACKAGES "cu13/lib", "python" OTHERS "wheel/lib",
    "home/.local" PACKAGES "cu13/lib", "home/.local" OTHERS "wheel/lib",
    "conda/lib64", "conda/lib", "cuda-home/lib64", "cuda-home/lib", "cuda-path/lib64",
    "cuda-path/lib"};

/* What names them, and what it names, with @ for root; `odd` has a python3, but is no bin. */
static const struct { const char *variable, *value; } leads[] = {
    {"VIRTUAL_ENV", "@/venv"},
    {"PATH", "relative::@/odd:@/python/bin:@/late/bin"},
    {"HOME", "@/home"},
    {"CONDA_PREFIX", "@/conda"},
    {"CUDA_HOME", "@/cuda-home"},
    {"CUDA_PATH", "@/cuda-path"}};

static const char *const sonames[] = {"libfound.so.2", "libfound.so.1", NULL};

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...) {
  char command[1200];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  CHECK(system(command) == 0, "%s", command);
}

/* Of the test's own library: below root, the file that is found, or "". */
static const char *found_file(struct fs_str *tried) {
  static char file[400];
  char beside[400];
  snprintf(beside, sizeof beside, "%s/beside/libloaded.so", root);
  fs_str_clear(tried);
  void *handle = fs_cuda_find_library("LOOKED_FOR", sonames, "wheel", beside, tried);
  void *symbol = handle ? dlsym(handle, "cublasCreate_v2") : NULL;
  if (handle && !symbol) symbol = dlsym(handle, "json_null"); /* of a bundle */
  char *path = symbol ? fs_cuda_library_path(symbol) : NULL;
  size_t len = strlen(root);
  bool below = path && !strncmp(path, root, len);
  snprintf(file, sizeof file, "%s", !path ? "" : below ? path + len + 1 : path);
  free(path);
  if (handle) dlclose(handle);
  return file;
}

static void set_leads(void) {
  struct fs_str value = {0};
  for (size_t k = 0; k < FS_LEN(leads); k++) {
    fs_str_clear(&value);
    for (const char *c = leads[k].value; *c; c++)
      if (*c == '@') fs_str_puts(&value, root);
      else fs_str_put(&value, c, 1);
    setenv(leads[k].variable, value.data, 1);
  }
  fs_str_free(&value);
}

/* Each place is next when what lies before it has gone; of two files the first name's. */
static void put_library(const char *library, const char *place, const char *soname) {
  char file[500];
  snprintf(file, sizeof file, "%s/%s/%s", root, place, soname);
  if (symlink(library, file)) abort();
}
static void take_library(const char *place, const char *soname) {
  char file[500];
  snprintf(file, sizeof file, "%s/%s/%s", root, place, soname);
  if (unlink(file)) abort();
}

static void test_order_of_places(const char *library) {
  struct fs_str tried = {0};
  char wanted[400];
  for (size_t k = 0; k < 2 * FS_LEN(places); k++)
    put_library(library, places[k / 2], sonames[k % 2]);
  for (size_t k = 0; k < 2 * FS_LEN(places); k++) {
    snprintf(wanted, sizeof wanted, "%s/%s", places[k / 2], sonames[k % 2]);
    const char *file = found_file(&tried);
    CHECK(!strcmp(file, wanted), "%s was found, not %s", file, wanted);
    CHECK(k / 2 == 0 || strstr(fs_str_text(&tried), places[k / 2 - 1]),
          "%s does not name %s", fs_str_text(&tried), places[k / 2 - 1]);
    take_library(places[k / 2], sonames[k % 2]);
  }
  CHECK(!*found_file(&tried), "a library that is nowhere was found");
  CHECK(!strncmp(fs_str_text(&tried), "the loader's folders, /", 23), "%s",
        fs_str_text(&tried));
  fs_str_free(&tried);
}

/* Without what leads there, or with an empty word for it, a place is not looked at. */
static void test_leads(const char *library) {
  static const char *const first[] = {"venv" PACKAGES "cu14/lib", "python" PACKAGES "cu13/lib",
                                      "home/.local" PACKAGES "cu13/lib", "conda/lib64",
                                      "cuda-home/lib64", "cuda-path/lib64"};
  struct fs_str tried = {0};
  for (size_t k = 0; k < FS_LEN(leads); k++) {
    put_library(library, first[k], sonames[0]);
    const char *file = found_file(&tried);
    CHECK(!strncmp(file, first[k], strlen(first[k])), "%s: %s", leads[k].variable, file);
    setenv(leads[k].variable, "", 1);
    CHECK(!*found_file(&tried), "%s is empty, and leads somewhere", leads[k].variable);
    unsetenv(leads[k].variable);
    CHECK(!*found_file(&tried), "%s is not set, and leads somewhere", leads[k].variable);
    set_leads();
    take_library(first[k], sonames[0]);
  }
  put_library(library, "home", sonames[0]);
  char file[400];
  snprintf(file, sizeof file, "%s/home/%s", root, sonames[0]);
  setenv("LOOKED_FOR", file, 1);
  CHECK(!strcmp(found_file(&tried), "home/libfound.so.2"), "a file that is named");
  setenv("LOOKED_FOR", "off", 1);
  put_library(library, "beside", sonames[0]);
  CHECK(!*found_file(&tried) && !strcmp(fs_str_text(&tried), "off (from LOOKED_FOR)"),
        "another file than the one that is named: %s", fs_str_text(&tried));
  unsetenv("LOOKED_FOR");
  CHECK(!strncmp(found_file(&tried), "beside/", 7), "nothing was named");
  fs_str_free(&tried);
}

/* Those that the process has, or the loader knows, come first. */
static void test_loader(void) {
  static const char *const here[] = {"libnone.so.1", "libc.so.6", NULL};
  static const char *const known[] = {"libnone.so.1", "libresolv.so.2", NULL};
  struct fs_str tried = {0};
  void *handle = fs_cuda_find_library("LOOKED_FOR", here, "wheel", NULL, &tried);
  CHECK(handle && dlsym(handle, "strlen") && !tried.len, "a library that is loaded");
  if (handle) dlclose(handle);
  handle = fs_cuda_find_library("LOOKED_FOR", known, "wheel", NULL, &tried);
  CHECK(handle && !tried.len, "a library that the loader finds");
  if (handle) dlclose(handle);
  handle = fs_cuda_find_library("LOOKED_FOR", sonames, "wheel", NULL, &tried);
  CHECK(!handle, "a library beside nothing");
  CHECK(!fs_cuda_library_path(&tried), "a library that data came from");
  fs_str_free(&tried);
}

static void test_places(void) {
  const char *build = getenv("BUILD");
  char *library = realpath(build ? build : "build", NULL);
  char *kept[FS_LEN(leads)], file[400];
  for (size_t k = 0; k < FS_LEN(leads); k++) {
    const char *value = getenv(leads[k].variable);
    kept[k] = value ? fs_strdup(value) : NULL;
  }
  const char *base = getenv("TMPDIR");
  snprintf(root, sizeof root, "%.150s/fusible-places-XXXXXX", base ? base : "/tmp");
  if (!library || !mkdtemp(root)) abort();
  snprintf(file, sizeof file, "%s/fake/cublas.so", library);
  if (access(file, R_OK)) { /* a bundle, whose library is loaded: another file, the same library */
    shell("cp '%s/lib/libjansson.so.4' '%s/own.so'", library, root);
    snprintf(file, sizeof file, "%s/own.so", root);
  }
  for (size_t k = 0; k < FS_LEN(places); k++) shell("mkdir -p '%s/%s'", root, places[k]);
  shell("for d in odd python/bin late/bin; do mkdir -p '%s'/$d && ln -s /bin/true '%s'/$d/python3;"
        " done", root, root);
  set_leads();
  test_order_of_places(file);
  test_leads(file);
  test_loader();
  for (size_t k = 0; k < FS_LEN(leads); k++) {
    if (kept[k]) setenv(leads[k].variable, kept[k], 1);
    else unsetenv(leads[k].variable);
    free(kept[k]);
  }
  shell("rm -rf '%s'", root);
  free(library);
}

/* -- faults --------------------------------------------------------------------------- */

/* Those of which NVIDIA says that the process has to be started again. */
static void test_fatal(void) {
  static const int fatal[] = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719,
                              721, 999};
  int wrong = 0;
  for (int code = 1000; code-- > 0;) {
    bool wanted = false;
    for (size_t k = 0; k < FS_LEN(fatal); k++) wanted |= fatal[k] == code;
    if (fs_cu_is_fatal(code) != wanted) wrong = code;
  }
  CHECK(!wrong, "whether %d is fatal", wrong);
}

/* -- NVRTC without a device ---------------------------------------------------------- */

/* For sm_90a as for a user; for others with less optimisation, in half the time. */
static void check_compiles(const char *what, const char *source) {
  static const char *const archs[] = {"sm_90a", "sm_80", "sm_100"};
  for (size_t k = 0; k < FS_LEN(archs); k++) {
    struct fs_nvrtc_job job = {.source = source, .arch = archs[k], .quick = k > 0};
    fs_nvrtc_compile(&job);
    CHECK(job.image, "%s for %s: %.600s", what, archs[k], job.log ? job.log : "");
    free(job.image);
    free(job.log);
  }
}

/* The kernels around library calls, each type in every place. */
static void test_own_kernels(void) {
  static const char *const entries[] = {"fs_copy", "fs_gather", "fs_product"};
  struct fs_str s = {0};
  for (size_t e = 0; e < FS_LEN(entries); e++)
    for (int t = 0; t < FS_DTYPE_COUNT; t++) {
      int last = e == 2 ? FS_F16 : FS_DTYPE_COUNT; /* products are of integers */
      if (t >= last) continue;
      fs_str_clear(&s);
      int to = e == 1 ? t : (t + 2) % last; /* what is chosen keeps its type */
      fs_cuda_own_source(entries[e], (enum fs_dtype)t,
                         (enum fs_dtype)((t + 1) % last), (enum fs_dtype)to, "", &s);
      check_compiles(entries[e], s.data);
    }
  for (int t = 0; t < FS_DTYPE_COUNT; t++) {
    fs_str_clear(&s);
    fs_cuda_own_source("fs_invert", FS_F32, (enum fs_dtype)t, t % 2 ? FS_I64 : FS_I32, "", &s);
    check_compiles("fs_invert", s.data);
  }
  for (int t = 1; t < FS_DTYPE_COUNT; t++) { /* truth values are not put together */
    fs_str_clear(&s);
    fs_cuda_own_source("fs_combine", (enum fs_dtype)t, (enum fs_dtype)((t + 1) % FS_DTYPE_COUNT),
                       (enum fs_dtype)t, "", &s);
    check_compiles("fs_combine", s.data);
  }
  for (int k = 0; k < 2; k++) { /* in any order: whole numbers that are computed as they are */
    enum fs_dtype t = k ? FS_I64 : FS_I32;
    fs_str_clear(&s);
    fs_cuda_own_source("fs_tally", t, k ? FS_I32 : FS_F64, t, "", &s);
    check_compiles("fs_tally", s.data);
  }
  for (int t = 0; t < FS_DTYPE_COUNT; t++) {
    fs_str_clear(&s);
    fs_cuda_own_source("fs_reshape", (enum fs_dtype)t, FS_F32, (enum fs_dtype)t, "", &s);
    check_compiles("fs_reshape", s.data);
  }
  static const char *const fourier[] = {"fs_fourier", "fs_fourier_pack", "fs_fourier_unpack"};
  for (size_t e = 0; e < 2 * FS_LEN(fourier); e++) {
    enum fs_dtype t = e % 2 ? FS_F32 : FS_F64;
    fs_str_clear(&s);
    fs_cuda_own_source(fourier[e / 2], t, FS_F32, t,
                       "#define FS_LENGTH 240\n#define FS_LINES 4\n#define FS_LINES_FIRST 1\n"
                       "#define FS_THREADS 128\n#define FS_RADICES 8, 2, 3, 5\n"
                       "#define FS_OP 0\n#define FS_REAL 0\n#define FS_DIVIDED 1\n"
                       "#define FS_NEAR 0\n", &s);
    check_compiles(fourier[e / 2], s.data);
  }
  fs_str_clear(&s);
  fs_cuda_own_source("fs_find", FS_BOOL, FS_F32, FS_I64, "", &s);
  check_compiles("fs_find", s.data);
  static const char *const so_far[] = {"fs_cumsum", "fs_cumprod", "fs_cummax", "fs_cummin"};
  for (size_t e = 0; e < FS_LEN(so_far); e++) /* the first of all types */
    for (int t = 0; t < FS_DTYPE_COUNT; t++) {
      if (e > 0 && t != FS_F32) continue;
      enum fs_dtype to = t == FS_BOOL ? FS_I32 : (enum fs_dtype)t;
      if (e < 2 && !fs_dtype_is_float(to)) to = FS_I64;
      fs_str_clear(&s);
      fs_cuda_own_source(so_far[e], (enum fs_dtype)t, FS_F32, to, "", &s);
      check_compiles(so_far[e], s.data);
    }
  static const char *const sorts[] = {"fs_sort", "fs_digits", "fs_argsort", "fs_sort_tile"};
  for (size_t e = 0; e < FS_LEN(sorts); e++)
    for (int t = 0; t < FS_DTYPE_COUNT; t++) {
      if (e > 1 && t != FS_F32 && t != FS_I64) continue;
      fs_str_clear(&s);
      fs_cuda_own_source(sorts[e], (enum fs_dtype)t, t % 2 ? FS_I64 : FS_I32, FS_F32, "", &s);
      check_compiles(sorts[e], s.data);
    }
  for (int t = FS_F32; t <= FS_F64; t++) {
    static const char *const of_floats[] = {"fs_signs", "fs_asymmetry", "fs_form"};
    for (size_t e = 0; e < FS_LEN(of_floats); e++) {
      fs_str_clear(&s);
      fs_cuda_own_source(of_floats[e], (enum fs_dtype)t, (enum fs_dtype)t,
                         (enum fs_dtype)t, "", &s);
      check_compiles(of_floats[e], s.data);
    }
  }
  fs_str_free(&s);
}

static void test_nvrtc(void) {
  const char *why = NULL;
  if (!fs_nvrtc_load(0, &why)) {
    fprintf(stderr, "NVRTC is not tested: %s\n", why);
    return;
  }
  char *log, arch[32];
  CHECK(fs_nvrtc_arch(80, arch, sizeof arch) && !strcmp(arch, "sm_80"), "sm_80");
  CHECK(fs_nvrtc_arch(90, arch, sizeof arch) && !strcmp(arch, "sm_90a"),
        "sm_90a");
  CHECK(!fs_nvrtc_arch(20, arch, sizeof arch), "capability 2.0 is too old");
  CHECK(fs_nvrtc_arch(990, arch, sizeof arch) &&
            !strncmp(arch, "compute_", 8), "an unknown device gets PTX");
  enum fs_status status = fs_nvrtc_check(
      "extern \"C\" __global__ void k(int *p) { *p = missing; }", "sm_80", &log);
  CHECK(status == FS_ERR_USER && strstr(log, "missing"), "a wrong text: %s", log);
  free(log);
  if (!getenv("FUSIBLE_FAKE")) test_own_kernels();
}

/* -- the device ------------------------------------------------------------------------ */

static struct fs_target *gpu;

static void test_memory(void) {
  int64_t used0, used, cached, available;
  gpu->ops->memory(gpu, &used0, &cached, &available);
  void *p[64], *q = NULL;
  size_t sizes[64];
  bool aligned = true;
  for (int k = 0; k < 64; k++) {
    sizes[k] = (size_t)1 << k % 21;
    sizes[k] += (size_t)(k * 37);
    CHECK(gpu->ops->alloc(gpu, sizes[k], &p[k]) == FS_OK, "alloc %zu", sizes[k]);
    aligned = aligned && (uintptr_t)p[k] % 256 == 0;
  }
  CHECK(aligned, "storage is not aligned to 256 bytes");
  gpu->ops->memory(gpu, &used, &cached, &available);
  CHECK(used > used0 && available > 0, "nothing is in use");
  CHECK(gpu->peak == used, "%lld bytes at most, %lld now", (long long)gpu->peak,
        (long long)used);
  void *last = p[63];
  for (int k = 0; k < 64; k++) gpu->ops->free(gpu, p[k], sizes[k]);
  gpu->ops->memory(gpu, &used, &cached, &available);
  CHECK(used == used0 && cached > 0, "%lld bytes are still in use",
        (long long)(used - used0));
  CHECK(gpu->ops->alloc(gpu, sizes[63], &q) == FS_OK && q == last,
        "a freed block is not handed out again");
  gpu->ops->free(gpu, q, sizes[63]);
  gpu->ops->trim(gpu);
  CHECK(gpu->ops->alloc(gpu, SIZE_MAX / 4, &q) == FS_ERR_ENV && !q,
        "2^62 bytes were had");
  size_t most = (size_t)gpu->device.memory_bytes - (64 << 20);
  void *r = NULL; /* nearly all of it, and then more than is left */
  bool had = gpu->ops->alloc(gpu, most, &q) == FS_OK;
  CHECK(gpu->ops->alloc(gpu, 256 << 20, &r) == FS_ERR_ENV || !had,
        "more memory than there is");
  if (q) gpu->ops->free(gpu, q, most);
  if (r) gpu->ops->free(gpu, r, 256 << 20);
  gpu->ops->trim(gpu);
  CHECK(gpu->ops->alloc(gpu, 1000, &q) == FS_OK, "after being out of memory");
  gpu->ops->free(gpu, q, 1000);
  gpu->ops->free(gpu, NULL, 10);
}

/* rows x width bytes through the device with different pitches. */
static void try_copy(int64_t width, int64_t rows, int64_t host_pitch,
                     int64_t device_pitch) {
  size_t host = (size_t)(host_pitch * rows), dev = (size_t)(device_pitch * rows);
  unsigned char *in = fs_malloc(host), *out = fs_malloc(host);
  void *a = NULL, *b = NULL;
  for (size_t k = 0; k < host; k++) in[k] = (unsigned char)(k * 131 >> 3);
  memset(out, 0x5a, host);
  enum fs_status s = gpu->ops->alloc(gpu, dev, &a);
  if (s == FS_OK) s = gpu->ops->alloc(gpu, dev, &b);
  if (s == FS_OK) s = fs_cuda_zero(gpu, b, dev, &diags);
  if (s == FS_OK) s = gpu->ops->upload(gpu, a, device_pitch, in, host_pitch,
                                       width, rows, &diags);
  if (s == FS_OK) s = gpu->ops->copy(gpu, b, device_pitch, a, device_pitch,
                                     width, rows, &diags);
  if (s == FS_OK) s = gpu->ops->download(gpu, out, host_pitch, b, device_pitch,
                                         width, rows, &diags);
  bool same = s == FS_OK;
  for (int64_t i = 0; i < rows && same; i++) {
    same = !memcmp(in + i * host_pitch, out + i * host_pitch, (size_t)width);
    for (int64_t j = width; j < host_pitch && same; j++)
      same = out[i * host_pitch + j] == 0x5a;
  }
  CHECK(same, "copy of %lld x %lld, pitches %lld %lld: %s", (long long)rows,
        (long long)width, (long long)host_pitch, (long long)device_pitch,
        message());
  if (a) gpu->ops->free(gpu, a, dev);
  if (b) gpu->ops->free(gpu, b, dev);
  free(in), free(out);
}

static void test_copies(void) {
  try_copy(1, 1, 1, 1);
  try_copy(4, 1, 4, 4);
  try_copy(12, 33, 12, 128);
  try_copy(12, 33, 16, 12);
  try_copy(1000, 1000, 1000, 1000);
  try_copy(1000, 3000, 1000, 1024); /* more than the staging buffer */
  try_copy(3000001, 1, 3000001, 3000001);
  try_copy((65 << 20) + 3, 1, (65 << 20) + 3, (65 << 20) + 3);
  try_copy(5000, 14000, 5000, 5120); /* several pieces */
  CHECK(gpu->ops->upload(gpu, NULL, 0, NULL, 0, 0, 5, &diags) == FS_OK &&
            gpu->ops->download(gpu, NULL, 0, NULL, 0, 3, 0, &diags) == FS_OK &&
            gpu->ops->copy(gpu, NULL, 0, NULL, 0, 0, 0, &diags) == FS_OK &&
            fs_cuda_zero(gpu, NULL, 0, &diags) == FS_OK,
        "an empty copy");
}

/* Every row of the copy is the one row that there is. */
static void test_one_row(void) {
  static const char row[] = "one row";
  char rows[3][16] = {{0}};
  void *p = NULL;
  CHECK(gpu->ops->alloc(gpu, sizeof rows, &p) == FS_OK, "no memory");
  bool ok = gpu->ops->upload(gpu, p, 0, row, 0, sizeof row, 1, &diags) == FS_OK &&
            gpu->ops->copy(gpu, (char *)p + 16, 16, p, 0, sizeof row, 2, &diags) == FS_OK &&
            gpu->ops->download(gpu, rows, 0, p, 0, sizeof rows, 1, &diags) == FS_OK;
  for (int k = 0; k < 3; k++)
    CHECK(ok && !strcmp(rows[k], row), "row %d: %.16s, %s", k, rows[k], message());
  gpu->ops->free(gpu, p, sizeof rows);
}

static void test_copies_end(void) {
  size_t bytes = 130 << 20;
  char *host = fs_calloc(bytes, 1);
  void *p = NULL;
  CHECK(gpu->ops->alloc(gpu, bytes, &p) == FS_OK, "no memory");
  fs_interrupt_request();
  CHECK(gpu->ops->upload(gpu, p, 0, host, 0, (int64_t)bytes, 1, &diags) == FS_INTERRUPTED,
        "a long copy does not see Ctrl-C");
  fs_interrupt_clear();
  static const struct { const char *call, *words; } cases[] = {
      {"cuMemcpyHtoDAsync_v2", "copying to the GPU"},
      {"cuStreamSynchronize", "copying to the GPU"},
      {"cuMemcpyDtoHAsync_v2", "copying from the GPU"},
      {"cuMemcpyDtoDAsync_v2", "copying on the GPU"},
      {"cuMemsetD8Async", "clearing GPU memory"},
      {"cuStreamQuery", "waiting for kernels"}};
  for (size_t k = 0; k < FS_LEN(cases) && getenv("FUSIBLE_FAKE"); k++) {
    char spec[80], words[200];
    snprintf(spec, sizeof spec, "%s:1:1", cases[k].call);
    snprintf(words, sizeof words, "the CUDA driver failed at %s: an injected error "
             "(CUDA_ERROR_FAKE, 1)", cases[k].words);
    for (int again = 0; again < 2; again++) {
      fs_diags_clear(&diags);
      if (!again) setenv("FUSIBLE_FAKE_FAIL", spec, 1);
      bool done = gpu->ops->upload(gpu, p, 0, host, 0, 100, 1, &diags) == FS_OK &&
                  gpu->ops->copy(gpu, (char *)p + 100, 0, p, 0, 100, 1, &diags) == FS_OK &&
                  fs_cuda_zero(gpu, p, 50, &diags) == FS_OK &&
                  gpu->ops->download(gpu, host, 0, p, 0, 200, 1, &diags) == FS_OK;
      unsetenv("FUSIBLE_FAKE_FAIL");
      CHECK(again ? done && !diags.list.len : !done && !strcmp(message(), words), "%s%s: %s",
            spec, again ? ", again" : "", message());
    }
  }
  gpu->ops->free(gpu, p, bytes);
  free(host);
}

static void test_timers(void) {
  struct fs_timer *t = gpu->ops->timer_new(gpu);
  CHECK(gpu->ops->timer_seconds(gpu, t) < 0, "a timer that never ran has a time");
  gpu->ops->timer_free(gpu, t);
  gpu->ops->timer_free(gpu, NULL);
}

/* In an hour a loop may start more kernels than an int counts. */
static void test_many_starts(void) {
  struct cuda *t = fs_cuda_of(gpu);
  char does[] = "x = x + 1";
  struct fs_code code = {.does = does};
  t->n_recent = INT32_MAX;
  for (int k = 0; k < FS_RECENT; k++) fs_cuda_started(t, &code);
  int known = 0;
  for (int k = 0; k < FS_RECENT; k++) known += t->recent[k] == &code;
  CHECK(known == FS_RECENT && t->n_recent == (int64_t)INT32_MAX + FS_RECENT,
        "of %d starts %d are known", FS_RECENT, known);
  for (int k = 0; k < FS_RECENT; k++) t->recent[k] = NULL;
  t->n_recent = 0;
}

static void test_limits(void) {
  const struct fs_device *d = &gpu->device;
  CHECK(d->is_cuda && d->cc >= 50 && d->units > 0 && d->max_threads >= 512 &&
            d->shared_bytes >= 48 << 10 && d->memory_bytes > 0 &&
            d->bandwidth > 1e9 && d->cache_bandwidth > d->bandwidth &&
            d->flops > 1e9 && d->launch > 0 && d->arch[0] && d->name[0],
        "%s %s: implausible limits", d->name, d->arch);
  printf("%s, %s: %d units, %.2f TB/s, L2 %.2f TB/s, %.1f TFLOP/s, %lld MiB, "
         "L2 %lld MiB, %lld KiB shared\n", d->name, d->arch, d->units,
         d->bandwidth / 1e12, d->cache_bandwidth / 1e12, d->flops / 1e12,
         (long long)(d->memory_bytes >> 20), (long long)(d->cache_bytes >> 20),
         (long long)(d->shared_bytes >> 10));
}

int main(void) {
  fs_diags_init(&diags);
  test_cache();
  test_places();
  test_fatal();
  test_nvrtc();
  if (fs_cuda_present()) {
    CHECK(!fs_cuda_open(99, &diags) && strstr(message(), "no CUDA device 99"),
          "device 99: %s", message());
    gpu = fs_cuda_open(0, &diags);
    CHECK(gpu != NULL, "cuda: %s", message());
  }
  if (gpu) {
    test_limits();
    test_memory();
    test_copies();
    test_one_row();
    test_copies_end();
    test_timers();
    test_many_starts();
    gpu->ops->close(gpu);
  }
  fs_diags_free(&diags);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
