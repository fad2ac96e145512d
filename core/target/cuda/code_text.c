/* code_text.c - what `:code` shows of a kernel: CUDA C, PTX, machine code. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/target/cuda/internal.h"

extern char **environ;

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

static bool write_file(int fd, const char *data, size_t size) {
  while (size) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, size -= (size_t)n;
  }
  return true;
}

static void read_pipe(int fd, struct fs_str *out) {
  char buffer[16384];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    fs_str_put(out, buffer, (size_t)n);
  }
}

/* The output of a program from PATH, or NULL if it failed or is not there. */
static char *output_of(char *const *argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid;
  int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  struct fs_str out = {0};
  int status = 1;
  if (!failed) {
    read_pipe(ends[0], &out);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  if (!failed && WIFEXITED(status) && WEXITSTATUS(status) == 0 && out.len)
    return out.data;
  fs_str_free(&out);
  return NULL;
}

static char *disassemble(const char *image, size_t size, const char **why) {
  char path[] = "/tmp/fusible-XXXXXX.cubin";
  int fd = mkostemps(path, 6, O_CLOEXEC);
  if (fd < 0) {
    *why = "no temporary file could be written";
    return NULL;
  }
  bool ok = write_file(fd, image, size);
  close(fd);
  char nvdisasm[] = "nvdisasm", cuobjdump[] = "cuobjdump", sass[] = "-sass";
  char *first[] = {nvdisasm, path, NULL};
  char *second[] = {cuobjdump, sass, path, NULL};
  char *text = ok ? output_of(first) : NULL;
  if (ok && !text) text = output_of(second);
  unlink(path);
  if (!text)
    *why = "neither nvdisasm nor cuobjdump (of the CUDA toolkit) is on PATH";
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
  if (code->library) {
    *why = "it is a library call";
    return NULL;
  }
  if (strcmp(form, "cuda") == 0) return fs_strdup(code->emitted.source);
  if (strcmp(form, "lines") == 0) return fs_strdup(fs_cuda_lined(code));
  if (strcmp(form, "ptx") == 0 || strcmp(form, "sass") == 0)
    return fs_nvrtc_text(fs_cuda_lined(code), t->arch, form, why);
  *why = "the CUDA target shows cuda, lines, ptx and sass";
  return NULL;
}

void fs_cuda_footprint(struct fs_target *t, const struct fs_plan *plan,
                       const struct fs_kernel *kernel,
                       struct fs_footprint *out, struct fs_home *places) {
  fs_emit_footprint(plan, kernel, &t->device, FS_EMIT_BEST, out, places);
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
