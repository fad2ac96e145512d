/* fiber_run.c - builds, loads and calls what fiber.h makes of a kernel text. */
#include "tests/fiber/fiber_run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int entry_fn(void *const *slots, const struct fs_number *params,
                     void *work, unsigned blocks, unsigned threads);

static bool is_whole(const struct fs_emitted *e, int param) {
  return e->param_type[param] == FS_PARAM_INT || e->param_type[param] > FS_PARAM_FLOAT;
}

/* The text with fiber.h before it and a caller of known type behind it. */
static void write_program(const struct fs_emitted *e, bool has_work,
                          struct fs_str *out) {
  fs_str_puts(out, "#include \"fiber.h\"\n");
  fs_str_puts(out, e->source);
  fs_str_puts(out,
              "\nstruct fiber_number { double f; long long i; };\n"
              "struct fiber_call {\n"
              "  void *const *s; const fiber_number *p; void *work;\n};\n"
              "static void fiber_call_it(void *argument) {\n"
              "  const fiber_call *c = (const fiber_call *)argument;\n"
              "  (void)c;\n  fs_kernel(");
  const char *comma = "";
  for (int k = 0; k < e->n_slots; k++) {
    fs_str_printf(out, "%sc->s[%d]", comma, k);
    comma = ", ";
  }
  for (int k = 0; k < e->n_params; k++) {
    fs_str_printf(out, "%sc->p[%d].%s", comma, k,
                  is_whole(e, k) ? "i" : "f");
    comma = ", ";
  }
  if (has_work) fs_str_printf(out, "%sc->work", comma);
  fs_str_printf(out,
              ");\n}\nextern \"C\" int fiber_start(void *const *s, const "
              "fiber_number *p,\n    void *work, unsigned blocks, unsigned "
              "threads) {\n  fiber_call c = {s, p, work};\n"
              "  return fiber_launch(blocks, threads, %lld, fiber_call_it, "
              "&c);\n}\n", (long long)e->shared_bytes);
}

static bool write_file(const char *path, const char *text, size_t len) {
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  bool ok = fwrite(text, 1, len, f) == len;
  return fclose(f) == 0 && ok;
}

static int compile(const char *source, const char *target) {
  char folder[] = __FILE__;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  const char *own = getenv("FUSIBLE_FIBER_DIR"), *cxx = getenv("CXX");
  if (!own) own = slash ? folder : ".";
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    execlp(cxx && *cxx ? cxx : "c++", "c++", "-std=c++17", "-O1", "-shared",
           "-fPIC", "-w", "-ffp-contract=off", "-fwrapv",
           "-fno-strict-aliasing", "-I", own, "-o", target, source,
           (char *)NULL);
    _exit(127);
  }
  int status;
  if (waitpid(pid, &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *load_program(const struct fs_emitted *e, bool has_work) {
  struct fs_str text = {0}, base = {0}, source = {0}, built = {0}, made = {0};
  write_program(e, has_work, &text);
  const char *build = getenv("BUILD");
  fs_str_printf(&base, "%s/fiber", build && *build ? build : "build");
  mkdir(fs_str_text(&base), 0700);
  fs_str_printf(&base, "/%016llx",
                (unsigned long long)fs_hash(text.data, text.len, 1));
  fs_str_printf(&source, "%s.%d.cc", fs_str_text(&base), (int)getpid());
  fs_str_printf(&made, "%s.%d.so", fs_str_text(&base), (int)getpid());
  fs_str_printf(&built, "%s.so", fs_str_text(&base));
  void *lib = NULL;
  if (access(fs_str_text(&built), R_OK) != 0) {
    if (!write_file(fs_str_text(&source), text.data, text.len)) {
      fprintf(stderr, "fiber: cannot write %s\n", fs_str_text(&source));
    } else if (compile(fs_str_text(&source), fs_str_text(&made)) != 0) {
      fprintf(stderr, "fiber: %s does not compile\n", fs_str_text(&source));
    } else {
      rename(fs_str_text(&made), fs_str_text(&built));
      unlink(fs_str_text(&source));
    }
  }
  if (access(fs_str_text(&built), R_OK) == 0) {
    lib = dlopen(fs_str_text(&built), RTLD_NOW | RTLD_LOCAL);
    if (!lib) fprintf(stderr, "fiber: %s\n", dlerror());
  }
  fs_str_free(&text);
  fs_str_free(&base);
  fs_str_free(&source);
  fs_str_free(&built);
  fs_str_free(&made);
  return lib;
}

enum { GUARD = 256 };

/* A workspace that is garbage but for its counters, with a guard behind it. */
static unsigned char *new_work(const struct fs_emitted *e, int64_t bytes) {
  void *work = NULL;
  if (posix_memalign(&work, 256, (size_t)bytes + GUARD)) return NULL;
  memset(work, 0xcd, (size_t)bytes + GUARD);
  memset(work, 0, (size_t)e->work_zeroed);
  return work;
}

static int check_work(const struct fs_emitted *e, const unsigned char *work,
                      int64_t bytes) {
  for (int64_t k = 0; k < e->work_zeroed; k++)
    if (work[k] && !(k == 3 && work[k] == 0x80)) { /* see barrier.cuh */
      fprintf(stderr, "fiber: counters of the workspace were not left zero\n");
      return -1;
    }
  for (int64_t k = bytes; k < bytes + GUARD; k++)
    if (work[k] != 0xcd) {
      fprintf(stderr, "fiber: a write beyond the workspace\n");
      return -1;
    }
  return 0;
}

int fiber_run(const struct fs_emitted *e, void **slots,
              const struct fs_number *params, int blocks) {
  int64_t n = FS_MAX(1, FS_MIN((int64_t)blocks, e->max_blocks));
  int64_t cluster = FS_MAX(1, e->cluster);
  n = FS_MAX(1, n / cluster) * cluster;
  int64_t bytes = e->work_base + e->work_per_block * n;
  void *lib = load_program(e, bytes > 0);
  if (!lib) return -1;
  entry_fn *start;
  void *symbol = dlsym(lib, "fiber_start");
  memcpy(&start, &symbol, sizeof start);
  void **s = fs_calloc((size_t)e->n_slots + 1, sizeof *s);
  struct fs_number *p = fs_calloc((size_t)e->n_params + 1, sizeof *p);
  for (int k = 0; k < e->n_slots; k++) s[k] = (char *)slots[e->slots[k]] + e->slot_bytes[k];
  for (int k = 0; k < e->n_params; k++) {
    p[k] = params[e->params[k]];
    if (e->param_type[k] > FS_PARAM_FLOAT) p[k].i = fs_param_twice(e->param_type[k], p[k].f);
  }
  unsigned char *work = bytes ? new_work(e, bytes) : NULL;
  int failed = !start || (bytes && !work)
                   ? -1
                   : start(s, p, work, (unsigned)n, (unsigned)e->threads);
  if (!failed && work) failed = check_work(e, work, bytes);
  free(work);
  free(s);
  free(p);
  dlclose(lib);
  return failed;
}
