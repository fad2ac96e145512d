/* edit.h - `:edit`: texts in the user's editor. */
#ifndef FS_EDIT_H
#define FS_EDIT_H

#include "core/base/base.h"
#include "core/worker/worker.h"

/* Whether an entry is `:edit ...`. */
bool fs_is_edit(const char *entry);
/* Opens what it names in an editor: a function of the user, of which `worker` (or NULL)
 * knows, a script, or the input before. On return *entry is what is to be run in its place,
 * and was echoed; false: nothing is. */
bool fs_edit(struct fs_worker *worker, struct fs_str *entry);

#endif
