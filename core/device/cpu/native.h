/* native.h - C texts of the CPU target, users' routines among them, built by the system's
 * compiler and loaded.
 *
 * The compiler ($FUSIBLE_CC, else `cc`) reads the text from its standard input and
 * writes into a folder that is new and closed to others, and goes when it has ended. It
 * ends with this process, however that ends. The bytes of the shared
 * object are kept in the cache of compiled kernels (core/device/cache.h: who
 * may have written what is loaded); they are loaded from a memory file, so what
 * was checked is what is loaded. */
#ifndef FS_CPU_NATIVE_H
#define FS_CPU_NATIVE_H

#include <sys/types.h>

#include "core/base/diag.h"
#include "core/device/cache.h"
#include "core/graph/user.h"

/* A text that is compiled, or is in the cache. */
struct fs_native_job {
  struct fs_kernel_key key;
  pid_t pid, owner;          /* pid 0: none runs */
  int status;                /* with which it ended; -1: it was ended */
  int lifeline, log;         /* it ends with the first; a memory file */
  char folder[480];
  bool cached;
  void *object;
  size_t size;
};
/* Starts the compiler, if need be; `behind`: at low priority. False with one plain sentence,
 * which is kept until the next call. */
bool fs_native_begin(struct fs_native_job *j, const struct fs_str *text, bool behind,
                     const char **why);
/* Whether there is memory for a compiler that nobody waits for. */
bool fs_native_has_room(void);
/* Waits for nothing; until it has ended, false when the user or the time ended that. */
bool fs_native_has_ended(struct fs_native_job *j);
bool fs_native_wait(struct fs_native_job *j);
/* Of one that has ended: its function `fs_entry`, which stays; NULL: *log (if not NULL, given)
 * has what the compiler said about the text, or *why is one plain sentence. */
void *fs_native_end(struct fs_native_job *j, char **log, const char **why);
void fs_native_cancel(struct fs_native_job *j);

/* Operand k, in[k], is a strip of n numbers, or one where bit k of `one` is set; by
 * instance n elements, one after the other, and `one` does not count. */
typedef void fs_native_fn(void *out, const void *const *in, unsigned one,
                          long n);

struct fs_native {
  uint64_t hash;
  fs_native_fn *entry;
};

/* The loaded form of a function, compiled at its first use in the process. NULL:
 * *log (if not NULL, given) has what the compiler said about the text, or is NULL
 * and *why is one plain sentence (kept until the next call). One thread. */
const struct fs_native *fs_native_get(const struct fs_user *u, char **log,
                                      const char **why);

/* native_text.c: appends the whole C text of a shared object with the entry `fs_entry`, which is
 * a fs_native_fn. */
void fs_native_put_text(const struct fs_user *u, struct fs_str *out);

/* What the CPU target says of a function that it cannot run. */
enum fs_status fs_native_refuse(const struct fs_user *u, const char *why,
                                struct fs_diags *d);

#endif
