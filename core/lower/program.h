/* program.h - a kernel as a program of loops: what stands between its schedule and a text.
 *
 * A program is a tree of statements in the order in which they run. Loops, branches and
 * barriers are data, and a statement that does something for a step of the kernel names the
 * step; what else a statement says is text in the words of writer.h. So a pass, a check and
 * a count see loops and steps, and a printer has little to decide.
 *
 *   FOR c in 2 (vectors)                  #pragma unroll
 *     LOAD v1                             for (int c = 0; c < 2; c++) {
 *     FOR e in 4 (lanes)                    if (in) fs_load(v1[c], a0 + j);
 *       MAP v4                              ...
 */
#ifndef FS_LOWER_PROGRAM_H
#define FS_LOWER_PROGRAM_H

#include "core/kernel/kernel.h"

enum fs_lp_kind {
  FS_LP_TEXT,       /* a statement of which only the text is known               */
  FS_LP_BLOCK,      /* statements in braces                                      */
  FS_LP_FOR, FS_LP_WHILE,
  FS_LP_IF,         /* `other` is what runs else                                 */
  FS_LP_FUNCTION,   /* statements that run where they are called                 */
  FS_LP_LET,        /* names a coordinate, a size or a place                     */
  FS_LP_LOAD, FS_LP_MAP, FS_LP_ACC, FS_LP_FOLD, FS_LP_STORE, /* `step`           */
  FS_LP_BARRIER,    /* threads of a block, a cluster or the grid wait            */
  FS_LP_COPY_ASYNC, /* starts a bulk copy                                        */
  FS_LP_WAIT,       /* ... and waits for one                                     */
  FS_LP_KINDS
};
extern const char *const fs_lp_kind_names[FS_LP_KINDS]; /* "text", "block", "for" ... */

/* What a loop goes over. */
enum fs_lp_axis {
  FS_LP_SERIAL,     /* one after the other                                       */
  FS_LP_GRID,       /* pieces that blocks take in turn                           */
  FS_LP_BLOCK_AXIS, /* what the threads of a block share                         */
  FS_LP_ROW,        /* rows that a thread has at once                            */
  FS_LP_VECTOR,     /* its vectors of a row                                      */
  FS_LP_LANE,       /* elements of a vector                                      */
  FS_LP_ROLE,       /* warps that do different things                            */
  FS_LP_AXES
};
extern const char *const fs_lp_axis_names[FS_LP_AXES];

enum { FS_LP_UNROLL_ALL = -1, FS_LP_UNROLL_AS_IT_IS = 0 }; /* else: so many rounds */

struct fs_lp {
  enum fs_lp_kind kind;
  enum fs_lp_axis axis;        /* FOR                                            */
  int unroll;                  /* FOR                                            */
  int64_t extent;              /* FOR: rounds; 0: not known here                 */
  bool bare;                   /* IF, FOR: one statement, without braces         */
  int shift;                   /* TEXT: so many steps further in than what is around
                                  it; FS_LP_MARGIN: at the margin                */
  const char *text;            /* the statement; IF: the condition; FOR, WHILE: what
                                  stands in the parentheses; FUNCTION: its head  */
  const char *note;            /* a comment behind the brace, or NULL            */
  const struct fs_step *step;  /* that it does something for; NULL               */
  struct fs_lp *body, *last;   /* statements in it, and the last of them         */
  struct fs_lp *other;         /* IF: a BLOCK, or NULL                           */
  struct fs_lp *next;          /* of the same body                               */
  struct fs_lp *outer;         /* what it is in                                  */
};
enum { FS_LP_MARGIN = -1 };

/* Where statements are added: at the end of `at`. The arena keeps all of it. */
struct fs_lp_writer {
  struct fs_arena *arena;
  struct fs_lp *at;
  int unroll;                  /* of the next loop                               */
};

/* An empty BLOCK. */
struct fs_lp *fs_lp_new(struct fs_arena *arena);
/* Adds a statement; the texts are kept as they are. */
struct fs_lp *fs_lp_add(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text);
/* The same, and what is added next is in it; fs_lp_close() ends that. fs_lp_else() goes on
 * with what runs else. */
struct fs_lp *fs_lp_open(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text);
void fs_lp_else(struct fs_lp_writer *w, const char *note);
void fs_lp_close(struct fs_lp_writer *w);

/* Whether what is added stands in a loop over an axis; and where a LET gives the name. */
bool fs_lp_in_loop(const struct fs_lp_writer *w, enum fs_lp_axis axis);
bool fs_lp_has_name(const struct fs_lp_writer *w, const char *name);

/* print_cuda.c: the statements of a block as CUDA C, so many steps from the margin. */
void fs_lp_print_cuda(const struct fs_lp *block, int indent, struct fs_str *out);

/* the program as stable text, a statement on a line: kind, loop, step. */
void fs_lp_dump(const struct fs_lp *block, int indent, struct fs_str *out);

/* The first rule that the statements break, or NULL; *where is the statement.
 * Borrowed. The rules: a loop has rounds; a statement in a step's name has a step of its
 * kind; a BARRIER is in no loop over lanes, vectors or rows; nothing is in a statement that
 * has no body. */
const char *fs_lp_check(const struct fs_lp *block, const struct fs_lp **where);

#endif
