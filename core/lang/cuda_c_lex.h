/* cuda_c_lex.h - private to cuda_c*.c: the words of a kernel's text. */
#ifndef FS_CUDA_C_LEX_H
#define FS_CUDA_C_LEX_H

#include "core/lang/cuda_c.h"

enum fs_c_kind { FS_CT_END, FS_CT_NAME, FS_CT_NUMBER, FS_CT_STRING, FS_CT_SIGN };

struct fs_c_token {
  enum fs_c_kind kind;
  struct fs_span span;       /* of what a macro stands for: of its call */
  const char *text;          /* NUL-terminated, in the arena */
  double number;             /* of a parameter that points to vectors: their lanes */
  bool is_int, line_start;
  bool painted;              /* the name of a macro that is being replaced: no call of it */
};

typedef FS_VEC(struct fs_c_token) fs_c_tokens;

/* All of the text's words with macros replaced; the last is an END. The caller frees the list
 * in any case. */
enum fs_status fs_c_lex(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                        fs_c_tokens *out);

#endif
