/* exit.c - linked into the programs of `make coverage`: processes keep what they have counted
 * that end by _exit(), by a signal that they send themselves, as the prompt does when its
 * window is closed, or by the SIGKILL of the program that started them, as a session's worker
 * does. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST SIGRTMAX /* a process that gets it writes its counts, and ends */

void __gcov_dump(void);
void __gcov_reset(void);

void _exit(int status) {
  __gcov_dump();
  for (;;) syscall(SYS_exit_group, status);
}

/* What a signal has come upon may hold a lock that the counts need: then they are lost, and
 * the process ends without, or others would wait for their files for ever. */
int raise(int number) { /* which may be to stop only */
  signal(SIGALRM, SIG_DFL);
  alarm(2);
  __gcov_dump();
  __gcov_reset();
  alarm(0);
  return (int)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

static void end_counted(int number) {
  (void)number;
  signal(SIGALRM, SIG_DFL);
  alarm(2);
  __gcov_dump();
  syscall(SYS_kill, getpid(), SIGKILL);
}

__attribute__((constructor)) static void await_last(void) {
  struct sigaction action = {.sa_handler = end_counted};
  sigaction(LAST, &action, NULL);
}

/* Whether it is a child that handles LAST. */
static int is_counted(pid_t pid) {
  char mine[4096], theirs[4096], path[40] = "/proc/", *at = path + 6, digits[12];
  int n = 0;
  for (pid_t rest = pid; rest > 0; rest /= 10) digits[n++] = (char)('0' + rest % 10);
  while (n) *at++ = digits[--n];
  strcpy(at, "/exe");
  ssize_t a = readlink("/proc/self/exe", mine, sizeof mine);
  ssize_t b = readlink(path, theirs, sizeof theirs);
  return a > 0 && a == b && !memcmp(mine, theirs, (size_t)a);
}

int kill(pid_t pid, int number) {
  enum { TRIES = 300, PAUSE = 10000 };
  siginfo_t info = {.si_pid = 0};
  if (number == SIGKILL && is_counted(pid)) {
    syscall(SYS_kill, pid, LAST);
    syscall(SYS_kill, pid, SIGCONT);
    for (int k = 0; k < TRIES && !info.si_pid; k++) {
      if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)) break;
      if (!info.si_pid) usleep(PAUSE);
    }
  }
  return (int)syscall(SYS_kill, pid, number);
}
