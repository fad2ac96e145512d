/* nancheck.h - `:set nancheck on`: results of blocks that are not finite. */
#ifndef FS_NANCHECK_H
#define FS_NANCHECK_H

#include "core/eval/interp.h"

/* Keeps a result that the graph stores for `node`, to be looked at once the block is gone. */
void fs_nancheck_keep(struct fs_interp *in, struct fs_tensor *t, fs_id node);
/* Warns of the first of what was kept that has a NaN or an infinity, with its statement and the
 * first such index; once an input. What was kept is forgotten. */
enum fs_status fs_nancheck_look(struct fs_interp *in);

#endif
