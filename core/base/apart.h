/* apart.h - work that an interrupt ends although it looks for none: in a copy of this
 * process.
 *
 * A call of a library may take minutes and cannot be stopped. A copy of the process (fork)
 * does it, which is ended where an interrupt comes. What the work writes into memory of
 * fs_apart_take() is seen by both; all else that it writes goes with the copy. */
#ifndef FS_APART_H
#define FS_APART_H

#include "core/base/base.h"

/* Shared memory of so many bytes, zeros at first, or NULL. fs_apart_drop() gives it back. */
void *fs_apart_take(size_t bytes);
void fs_apart_drop(void *memory, size_t bytes);

/* Does work(arg) in a copy of this process and waits for it. In the copy only the calling
 * thread goes on; the libraries that `work` uses have to bear a fork.
 * FS_OK: done. FS_INTERRUPTED: ended by an interrupt. FS_ERR_ENV without a diagnostic: the
 * copy could not be made (*signal = 0), or ended by *signal. */
enum fs_status fs_apart_run(void (*work)(void *arg), void *arg, int *signal);

#endif
