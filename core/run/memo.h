/* memo.h - whether what is remembered of a block still holds.
 *
 * A block of a runner's cache may be forgotten, found under other words, planned anew, or be
 * one that is not to be found any more. Whoever remembers something of it (the graph as it
 * was traced, a list of statements) has a memo, and asks that. What is remembered where, and
 * what ends it, is a table in ARCHITECTURE.md.
 */
#ifndef FS_MEMO_H
#define FS_MEMO_H

#include "core/run/run.h"

/* One for each block, which memos have references of: it may outlive the block. */
struct fs_life {
  int refs;
  struct fs_block *block;   /* NULL: forgotten */
  int64_t turn;             /* another whenever what was remembered is not so any more */
};
struct fs_life *fs_life_new(struct fs_block *block);
/* The block is about to be freed. */
void fs_life_end(struct fs_life *l);

/* Takes the block as it is here; what the memo had before is dropped. */
void fs_memo_take(struct fs_memo *m, const struct fs_block *block, struct fs_epoch here);
/* The block if it may run here as it did when it was taken; else NULL. */
struct fs_block *fs_memo_block(const struct fs_memo *m, struct fs_epoch here);
void fs_memo_drop(struct fs_memo *m); /* an empty one is allowed */

#endif
