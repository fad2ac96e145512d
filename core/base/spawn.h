/* spawn.h - a process that the terminal does not reach. */
#ifndef FS_SPAWN_H
#define FS_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* Starts `program` with argv (borrowed, ends with NULL) and this process' environment, in
 * a session of its own, so that no key of the terminal reaches it, with no signal blocked
 * and all of them as they are by default. What it has open is up to `files` (borrowed).
 * Gives 0 and the process in *pid, or an errno. */
int fs_spawn_apart(pid_t *pid, const char *program, char *const argv[],
                   const posix_spawn_file_actions_t *files);

#endif
