/* native.h - users' routines on the CPU target: C texts built by the system's
 * compiler and loaded.
 *
 * The compiler ($FUSIBLE_CC, else `cc`) reads the text from its standard input and
 * writes into a folder that is new and closed to others. The bytes of the shared
 * object are kept in the cache of compiled kernels (core/device/cache.h: who
 * may have written what is loaded); they are loaded from a memory file, so what
 * was checked is what is loaded. */
#ifndef FS_CPU_NATIVE_H
#define FS_CPU_NATIVE_H

#include "core/base/diag.h"
#include "core/graph/user.h"

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

/* What the CPU target says of a function that it cannot run. */
enum fs_status fs_native_refuse(const struct fs_user *u, const char *why,
                                struct fs_diags *d);

#endif
