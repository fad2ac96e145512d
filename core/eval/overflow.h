/* overflow.h - sums and products of integers that leave their type are told of. */
#ifndef FS_OVERFLOW_H
#define FS_OVERFLOW_H

#include "core/eval/interp.h"

/* Remembers a reduction of the block that is being traced, if it may leave its type. */
void fs_overflow_keep(struct fs_interp *in, fs_id reduction);
/* The status word of the block, which becomes one more of its results: which of what was kept
 * is the first that left its type, from 1, or 0. NULL: none of them is computed for a result,
 * or may leave its type. Borrowed; fs_overflow_look() reads it. */
struct fs_tensor *fs_overflow_word(struct fs_interp *in);
/* An error at the sum or product that the word names, once its block has run. */
enum fs_status fs_overflow_look(struct fs_interp *in);
/* What was kept, when the block is gone. */
void fs_overflow_drop(struct fs_interp *in);

#endif
