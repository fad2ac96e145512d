/* build.h - texts to machine code: compiled, several at once, or found in the cache, and
 * loaded. */
#ifndef FS_CUDA_BUILD_H
#define FS_CUDA_BUILD_H

#include "core/device/cuda/internal.h"

struct fs_module; /* code.c */

/* A text that is to become machine code. */
struct fs_build {
  const char *source;
  struct fs_kernel_key key;
  char *other;               /* the text for quick code; NULL: the same */
  struct fs_nvrtc_job job;   /* image and size: the outcome */
  struct fs_module *loaded;  /* nothing is to be compiled or loaded */
  bool cached;
  int same_as;               /* an earlier build of the same text, or -1 */
};

/* Compiled ahead of prepare; each is taken once. */
struct fs_builds {
  FS_VEC(struct fs_build) list;
};

/* Without line tables the #line directives leave no trace in machine code: then
 * the plain text is the key, and the same kernel of another line, or of variables of
 * other names, is a hit. `lined`: the text with #line directives, or NULL; here and below. */
struct fs_kernel_key fs_build_key(const struct cuda *t, const char *source, const char *lined);
/* Takes what was compiled ahead or is on disk; b->key is known. Borrows the texts. */
void fs_build_begin(struct cuda *t, struct fs_build *b, const char *source, const char *lined);
/* Compiles what is not there, several at once. */
enum fs_status fs_build_finish(struct fs_build *builds, int n, struct fs_diags *d);
/* Loads an image; one from the cache that the driver refuses is made anew. */
enum fs_status fs_build_load(struct cuda *t, struct fs_build *b, const char *entry,
                             CUmodule *module, CUfunction *function, struct fs_diags *d);
void fs_build_free(struct fs_build *b);
/* The first lines of a compiler's log that tell of errors, as one. */
void fs_build_put_log(struct fs_str *s, const char *log);
/* Of a cache that cannot be written. */
void fs_build_warn(struct fs_diags *d);

#endif
