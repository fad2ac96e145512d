/* embed.h - texts built into the binary: prelude.fs and elemlib/.
 * tools/embed.c makes build/embedded.c from the files. */
#ifndef FS_EMBED_H
#define FS_EMBED_H

#include <stddef.h>

struct fs_embedded {
  const char *name; /* "prelude.fs", "elemlib/gemv.elem", "elemlib/cuda/x.cuh" */
  const char *text; /* NUL-terminated */
  size_t len;
};
extern const struct fs_embedded fs_embedded[]; /* ends with name == NULL */

/* The text, or NULL. If the environment variable FUSIBLE_ELEMLIB names a folder
 * that holds the file, that file's text is taken instead (read once, kept). */
const char *fs_embedded_text(const char *name);

#endif
