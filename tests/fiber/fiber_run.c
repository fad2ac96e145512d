/* fiber_run.c - builds, loads and calls what fiber.h makes of a kernel text. */
#include "tests/fiber/fiber_run.h"

#include <dlfcn.h>

#include "tests/fiber/fiber_build.h"

typedef int entry_fn(void *const *slots, const struct fs_number *params,
                     void *work, unsigned blocks, unsigned threads);

static bool is_whole(const struct fs_emitted *e, int param) {
  return e->param_type[param] == FS_PARAM_INT || e->param_type[param] > FS_PARAM_FLOAT;
}

/* The text with a caller of known type behind it. */
static void write_program(const struct fs_emitted *e, bool has_work,
                          struct fs_str *out) {
  fs_str_puts(out, e->source);
  fs_str_puts(out,
              "\nstruct fiber_number { double f; long long i; };\n"
              "struct fiber_arguments {\n"
              "  void *const *s; const fiber_number *p; void *work;\n};\n"
              "static void fiber_call_it(void *argument) {\n"
              "  const fiber_arguments *c = (const fiber_arguments *)argument;\n"
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
              ");\n}\nextern \"C\" FIBER_EXPORT int fiber_start(void *const *s, const "
              "fiber_number *p,\n    void *work, unsigned blocks, unsigned "
              "threads) {\n  fiber_arguments c = {s, p, work};\n"
              "  return fiber_launch(blocks, threads, %lld, fiber_call_it, "
              "&c);\n}\n", (long long)e->shared_bytes);
}

static void *load_program(const struct fs_emitted *e, bool has_work) {
  struct fs_str text = {0};
  write_program(e, has_work, &text);
  char path[FIBER_PATH], *log;
  void *lib = NULL;
  if (fiber_build(text.data, text.len, path, &log)) {
    lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) fprintf(stderr, "fiber: %s\n", dlerror());
  } else {
    fprintf(stderr, "fiber: a text does not compile: %s\n", log ? log : "");
  }
  free(log);
  fs_str_free(&text);
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
