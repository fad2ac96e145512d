/* nvrtc_check.c - compiles many kernel texts with the NVRTC that the program
 * itself would take. No device is needed.
 *
 *   nvrtc-check < LIST     lines "ARCH PATH", as "sm_90a /tmp/k.cu"
 *
 * Answers one line per line, in order, tabs between:
 *   ok    REGISTERS  LOCAL  SIZE  PATH   LOCAL: bytes of local memory per thread;
 *                                        SIZE: of the image, in bytes
 *   fail  0          0      0     PATH  the compiler's log on one line
 *   none  0          0      0     PATH   this NVRTC does not know the architecture
 * --ptx ARCH PATH [quick] prints one text's PTX, as it is compiled quickly or in full.
 * With --hash, REGISTERS is a hash of the machine code instead. With --quick the same texts
 * are compiled with less optimisation, in half the time, as what they make is of no interest.
 * The first line names NVRTC: "nvrtc 13.0 /path". Without NVRTC it is "absent WHY"
 * and the status is 2.
 */
#include <stdio.h>

#include "core/device/cuda/nvrtc.h"
#include "tests/nvrtc/cubin.h"

enum { BATCH = 256 };

static bool hashes, quickly;

struct text {
  char arch[32], path[4096];
  char *source;
  bool known;
};

static char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  struct fs_str text = {0};
  if (quickly) fs_str_puts(&text, "#undef FS_QUICK\n#line 1\n"); /* the text for full code */
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
    fs_str_put(&text, part, n);
  fclose(f);
  return text.data;
}

static void answer(const struct text *t, const struct fs_nvrtc_job *job) {
  unsigned registers = 0, local = 0;
  if (!t->known) {
    printf("none\t0\t0\t0\t%s\n", t->path);
    return;
  }
  if (job->image) {
    cubin_read((const unsigned char *)job->image, job->size, &registers, &local);
    if (hashes) registers = (unsigned)fs_hash(job->image, job->size, 0);
    printf("ok\t%u\t%u\t%zu\t%s\n", registers, local, job->size, t->path);
    return;
  }
  printf("fail\t0\t0\t0\t%s\t", t->path);
  const char *log = !t->source ? "cannot be read" : job->log ? job->log : "";
  for (; *log; log++) putchar(*log == '\n' || *log == '\t' ? ' ' : *log);
  putchar('\n');
}

/* Compiles texts[0..n) at once and answers in order. */
static void compile(struct text *texts, int n) {
  struct fs_nvrtc_job jobs[BATCH] = {0}, todo[BATCH];
  int which[BATCH], count = 0;
  for (int k = 0; k < n; k++) {
    struct text *t = &texts[k];
    char best[32];
    int cc = atoi(t->arch + 3);
    t->known = fs_nvrtc_arch(cc, best, sizeof best) &&
               !strncmp(best, "sm_", 3);
    t->source = read_text(t->path);
    if (!t->known || !t->source) continue;
    which[count] = k;
    todo[count++] = (struct fs_nvrtc_job){.source = t->source, .arch = t->arch, .quick = quickly};
  }
  fs_nvrtc_compile_all(todo, count);
  for (int k = 0; k < count; k++) jobs[which[k]] = todo[k];
  for (int k = 0; k < n; k++) {
    answer(&texts[k], &jobs[k]);
    free(jobs[k].image);
    free(jobs[k].log);
    free(texts[k].source);
  }
  fflush(stdout);
}

/* `arch`: "compute_90a". */
static int print_ptx(const char *arch, const char *path, bool quick) {
  struct fs_nvrtc_job job = {.source = read_text(path), .arch = arch, .quick = quick};
  if (job.source) fs_nvrtc_compile(&job);
  bool ok = job.image && job.quick == quick;
  if (ok) puts(job.image);
  free((void *)(uintptr_t)job.source);
  free(job.image);
  free(job.log);
  return ok ? 0 : 1;
}

int main(int argc, char **argv) {
  hashes = argc > 1 && !strcmp(argv[1], "--hash");
  quickly = argc > 1 && !strcmp(argv[1], "--quick");
  const char *why = NULL;
  if (!fs_nvrtc_load(0, &why)) {
    printf("absent %s\n", why);
    return 2;
  }
  if (argc > 3 && !strcmp(argv[1], "--ptx"))
    return print_ptx(argv[2], argv[3], argc > 4);
  printf("nvrtc %d.%d %s\n", fs_nvrtc_version() / 1000,
         fs_nvrtc_version() % 1000 / 10, fs_nvrtc_path());
  static struct text texts[BATCH];
  int n = 0;
  while (scanf("%31s %4095[^\n]", texts[n].arch, texts[n].path) == 2)
    if (++n == BATCH) compile(texts, n), n = 0;
  if (n) compile(texts, n);
  return 0;
}
