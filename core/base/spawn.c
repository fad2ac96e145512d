/* spawn.c - see spawn.h. */
#include "core/base/spawn.h"

#include <signal.h>

int fs_spawn_apart(pid_t *pid, const char *program, char *const argv[],
                   const posix_spawn_file_actions_t *files) {
  extern char **environ;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int bad = posix_spawnattr_init(&how);
  if (bad) return bad;
  bad |= posix_spawnattr_setsigmask(&how, &none);
  bad |= posix_spawnattr_setsigdefault(&how, &all);
  bad |= posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  if (!bad) bad = posix_spawn(pid, program, files, &how, argv, environ);
  posix_spawnattr_destroy(&how);
  return bad;
}
