/* apart.c - see apart.h. */
#include "core/base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *fs_apart_take(size_t bytes) {
  void *p = mmap(NULL, FS_MAX(bytes, 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void fs_apart_drop(void *memory, size_t bytes) {
  if (memory) munmap(memory, FS_MAX(bytes, 1));
}

/* The copy: it ends with the process that made it, and no key of the terminal reaches it. */
static _Noreturn void be_the_copy(void (*work)(void *), void *arg, pid_t parent) {
  jmp_buf no_memory;
  signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (setjmp(no_memory)) _exit(1);
  fs_oom_guard(&no_memory);
  work(arg);
  _exit(0);
}

/* Whether the copy ended by itself, which closes its end of the pipe; an interrupt ends the
 * waiting. */
static bool wait_for_end(int done) {
  enum { LOOK_MS = 20 };
  struct pollfd end = {.fd = done, .events = POLLIN};
  while (!fs_interrupted())
    if (poll(&end, 1, LOOK_MS) > 0) return true;
  return false;
}

enum fs_status fs_apart_run(void (*work)(void *arg), void *arg, int *signal) {
  int done[2], how = 0;
  *signal = 0;
  if (pipe2(done, O_CLOEXEC)) return FS_ERR_ENV;
  pid_t parent = getpid(), copy = fork();
  if (copy == 0) be_the_copy(work, arg, parent);
  close(done[1]);
  bool ended = copy > 0 && wait_for_end(done[0]);
  close(done[0]);
  if (copy < 0) return FS_ERR_ENV;
  if (!ended) kill(copy, SIGKILL);
  while (waitpid(copy, &how, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return FS_OK; /* before the interrupt */
  if (!ended) return FS_INTERRUPTED;
  if (WIFSIGNALED(how)) *signal = WTERMSIG(how);
  return FS_ERR_ENV;
}
