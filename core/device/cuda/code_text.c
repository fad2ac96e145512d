/* code_text.c - what `:code` shows of a kernel: CUDA C, PTX, machine code. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/base/filter.h"
#include "core/device/cuda/internal.h"

/* Compiles; the image is the caller's, NULL with the reason in *why. */
static char *compile(const char *source, const char *arch, size_t *size,
                     const char **why) {
  struct fs_nvrtc_job job = {.source = source, .arch = arch};
  fs_nvrtc_compile(&job);
  if (!job.image)
    *why = job.cancelled ? "interrupted"
           : job.log     ? "NVRTC did not compile it: an architecture that it "
                           "does not know, or a fault of Fusible"
                         : "NVRTC did not compile it";
  free(job.log);
  *size = job.size;
  return job.image;
}

/* What a program from PATH writes, or NULL if it failed or is not there. */
static char *output_of(char *const *argv) {
  enum { MOST = 64 << 20, SECONDS = 120 };
  struct fs_str out = {0};
  if (fs_filter_run(argv, "", 0, MOST, SECONDS, &out) == FS_FILTER_OK && out.len)
    return out.data;
  fs_str_free(&out);
  return NULL;
}

static char *disassemble(const char *image, size_t size, const char **why) {
  char *path;
  int fd = fs_temporary_file(".cubin", &path);
  if (fd < 0) {
    *why = "no temporary file could be written";
    return NULL;
  }
  bool ok = fs_write_all(fd, image, size);
  close(fd);
  char nvdisasm[] = "nvdisasm", cuobjdump[] = "cuobjdump", sass[] = "-sass";
  char *first[] = {nvdisasm, path, NULL};
  char *second[] = {cuobjdump, sass, path, NULL};
  char *text = ok ? output_of(first) : NULL;
  if (ok && !text && !fs_interrupted()) text = output_of(second);
  unlink(path);
  free(path);
  if (!text)
    *why = fs_interrupted() ? "interrupted" :
           "neither nvdisasm nor cuobjdump (of the CUDA toolkit) is on PATH";
  return text;
}

char *fs_nvrtc_text(const char *source, const char *arch, const char *form,
                    const char **why) {
  size_t size = 0;
  if (!fs_nvrtc_load(0, why)) return NULL;
  if (strcmp(form, "ptx") == 0) {
    char virtual[48];
    const char *number = strchr(arch, '_');
    snprintf(virtual, sizeof virtual, "compute%s", number ? number : "");
    return compile(source, virtual, &size, why);
  }
  char *image = compile(source, arch, &size, why);
  char *text = image ? disassemble(image, size, why) : NULL;
  free(image);
  return text;
}

char *fs_cuda_code_text(struct fs_target *target, struct fs_code *code,
                        const char *form, const char **why) {
  struct cuda *t = fs_cuda_of(target);
  if (!code) {
    *why = "it is a phase of the launch before it";
    return NULL;
  }
  const char *theirs = code->foreign ? code->foreign->text : NULL;
  if (theirs && !strcmp(form, "cuda")) return fs_strdup(theirs);
  if (theirs && (!strcmp(form, "ptx") || !strcmp(form, "sass")))
    return fs_nvrtc_text(theirs, t->arch, form, why);
  if (code->library) {
    *why = theirs ? "it is as it is written: cuda, ptx and sass are there"
                  : "it is a library call";
    return NULL;
  }
  if (strcmp(form, "cuda") == 0) return fs_strdup(code->emitted.source);
  if (strcmp(form, "launch") == 0) return fs_emitted_launch(&code->emitted);
  if (strcmp(form, "quick") == 0) {
    *why = "its text is compiled quickly as it is";
    return fs_cuda_quick_text(t, code);
  }
  if (strcmp(form, "loops") == 0) {
    *why = "it is a launch of several kernels";
    return fs_cuda_loops_text(t, code);
  }
  if (strcmp(form, "lines") == 0) return fs_strdup(fs_cuda_lined(code));
  if (strcmp(form, "ptx") == 0 || strcmp(form, "sass") == 0)
    return fs_nvrtc_text(fs_cuda_lined(code), t->arch, form, why);
  *why = "the CUDA target shows cuda, lines, loops, ptx and sass";
  return NULL;
}

void fs_cuda_footprint(struct fs_target *t, const struct fs_plan *plan,
                       const struct fs_kernel *kernel,
                       struct fs_footprint *out, struct fs_home *places) {
  fs_emit_footprint(plan, kernel, &t->device, out, places);
}

bool fs_cuda_taken(struct fs_target *target, const struct fs_code *c,
                   struct fs_footprint *out) {
  struct cuda *t = fs_cuda_of(target);
  int registers = 0, shared = 0, local = 0;
  if (c->library || !c->function || c->quick) return false;
  fs_cuda_enter(t);
  if (fs_cu.function_get(&registers, CU_FN_REGISTERS, c->function) != CU_OK ||
      fs_cu.function_get(&shared, CU_FN_SHARED, c->function) != CU_OK ||
      fs_cu.function_get(&local, CU_FN_LOCAL, c->function) != CU_OK ||
      registers < 1)
    return false;
  *out = (struct fs_footprint){
      .threads = c->emitted.threads, .registers = registers,
      .shared = shared + c->emitted.shared_bytes, .spilled = local,
      .blocks = c->emitted.max_blocks};
  return true;
}
