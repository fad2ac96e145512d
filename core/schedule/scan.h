/* scan.h - how running sums and sorts along lines are cut for a GPU: the planner asks how often
 * they read, the CUDA target how many blocks there are. / */
#ifndef FS_SCAN_H
#define FS_SCAN_H

#include "core/graph/graph.h"

/* How a GPU goes along lines of an array: tiles of FS_SCAN_TILE elements, 2^log_lines lines of as
 * many places each as that leaves; a block has the lines of a tile and of their places one of
 * `parts` shares, tile by tile. By shapes alone, so that the order of sums is, too. */
enum { FS_SCAN_TILE = 2048 };
struct fs_scan_cut {
  int log_lines;
  int64_t groups, parts, share; /* of lines; shares of lines, and places in one */
};
/* `count` lines of n elements, which neighbours of other lines lie between if `lines_first`. */
struct fs_scan_cut fs_scan_cut(int64_t n, int64_t count, bool lines_first);

/* Lines of up to FS_SCAN_TILE elements are sorted in a tile; longer ones in passes, by
 * FS_SORT_BITS of their keys each. */
enum { FS_SORT_BITS = 8 };
static inline int fs_sort_passes(enum fs_dtype dt, int64_t n) {
  return n <= FS_SCAN_TILE ? 1 : (int)fs_dtype_size(dt) * 8 / FS_SORT_BITS;
}

#endif
