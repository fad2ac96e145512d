/* recall.h - blocks known by the graph as it was traced, before it is simplified:
 * what a repeated statement needs is its block and where each of its inputs and
 * numbers come from. */
#ifndef FS_RECALL_H
#define FS_RECALL_H

#include "core/run/run.h"

/* An update that may lie elsewhere, in the traced graph and in the block's; how far the
 * anchor there is from the anchor here. */
struct fs_recalled_update {
  fs_id traced, own;
  int64_t apart;
};

/* A traced graph that was run before, by fs_graph_signature(). */
struct fs_recalled {
  uint64_t hash;
  fs_signature words;
  struct fs_memo memo;       /* of the block, which has the words of this graph */
  int *from;                 /* of each input of the block, then of each param:
                                which one of the traced graph it is */
  int64_t *apart;            /* of each input: how far the anchor of the traced
                                graph is from its own */
  FS_VEC(struct fs_recalled_update) updates;
};

enum { FS_RECALLED = 1024 };
struct fs_recall {
  struct fs_recalled place[FS_RECALLED]; /* by hash; the last comer has it */
  fs_signature now;          /* of the graph that was looked up last */
  uint64_t hash;
};

/* The place of a traced graph if its block can run as it is, else NULL. */
const struct fs_recalled *fs_recall_find(struct fs_recall *r, const struct fs_graph *traced,
                                         struct fs_epoch here);
/* Has the slices of the block lie where those of the traced graph do. */
void fs_recall_move(const struct fs_recalled *p, const struct fs_graph *traced);
/* Remembers the graph that was looked up last, its simplified form and its block,
 * unless a number of the block was computed from others. */
void fs_recall_put(struct fs_recall *r, const struct fs_graph *traced,
                   const struct fs_graph *simplified, struct fs_block *block,
                   struct fs_epoch here);
/* Forgets all. */
void fs_recall_clear(struct fs_recall *r);

#endif
