/* foreign.h - a kernel that runs as its text says: what a call of it starts.
 *
 * A call is a node FS_LIB_KERNEL whose operands are the arrays that are given. Its result has
 * all that the kernel writes: of one array that array; of several a vector, in which each begins
 * at a multiple of FS_FOREIGN_ALIGN elements. What was given for such an array is copied there
 * first, else there are zeros.
 *
 * The interpreter makes these (core/eval/asis.c) and keeps them as long as the session. */
#ifndef FS_FOREIGN_H
#define FS_FOREIGN_H

#include <stdint.h>

enum { FS_FOREIGN_PARAMS = 32, FS_FOREIGN_ALIGN = 64 };

enum fs_foreign_kind {
  FS_FP_READ,   /* the address of operand `operand`                           */
  FS_FP_WRITE,  /* of the result, `offset` elements behind its begin          */
  FS_FP_NUMBER  /* `bytes`                                                     */
};

struct fs_foreign_param {
  enum fs_foreign_kind kind;
  int operand;               /* WRITE: which it begins as; -1: zeros */
  int64_t offset, count;     /* WRITE: elements */
  unsigned char bytes[8];
};

struct fs_foreign {
  const char *file;          /* where it is from, for messages */
  const char *text;          /* for NVRTC: alone, the kernel with the linkage of C */
  int n_params;
  struct fs_foreign_param param[FS_FOREIGN_PARAMS];
  unsigned grid[3], block[3], shared; /* shared: bytes that the launch adds */
};

#endif
