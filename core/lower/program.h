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
#include "core/lower/spell.h"

enum fs_lp_kind {
#define FS_LP_KIND(id, ...) FS_LP_##id,
#include "core/lower/kinds.def"
  FS_LP_KINDS
};
/* What a loop goes over. */
enum fs_lp_axis {
#define FS_LP_AXIS(id, ...) FS_LP_##id,
#include "core/lower/kinds.def"
  FS_LP_AXES
};

/* A value as the program declares it: subscripted by the variables of the loops that it is
 * over, as bits. */
enum {
  FS_LP_ROWS = 1 << FS_LP_ROW, FS_LP_VECTORS = 1 << FS_LP_VECTOR, FS_LP_LANES = 1 << FS_LP_LANE
};
struct fs_lp_value {
  int number;                  /* v3                                             */
  unsigned over, sum_over;     /* ... its running result                         */
  bool own;                    /* a thread has that of one row besides: own3     */
};

/* How an operation that has a short way is written. */
enum fs_lp_way { FS_LP_AS_IT_IS, FS_LP_SHORT, FS_LP_LONG };

/* What must hold for a statement to be run, as bits. The printer leaves out the tests of what
 * always holds in a kernel (its rows are whole, say); a pass, of what holds in a branch. */
enum fs_lp_guard {
  FS_LP_IF_NOT_FRESH = 1,  /* CHUNK: the block has had rows                       */
  FS_LP_IF_FIRST_ROW = 2,
  FS_LP_IF_OWN_TILE = 4,   /* of a phase that each block does whole: the tile that it stores */
  FS_LP_IF_SPEAKS = 8,     /* the thread that speaks for a row                    */
  FS_LP_IF_ROW = 16,       /* the row exists                                      */
  FS_LP_IF_VECTOR = 32,    /* some of the vector does                             */
  FS_LP_IF_LANE = 64,      /* the lane does                                       */
  FS_LP_IF_FIRST_BLOCK = 128, FS_LP_IF_FIRST_THREAD = 256,
  FS_LP_IF_OWN = 512,      /* emit/end.c: the thread has an element               */
  FS_LP_IF_INSIDE = FS_LP_IF_ROW | FS_LP_IF_VECTOR | FS_LP_IF_LANE
};

enum { FS_LP_UNROLL_ALL = -1, FS_LP_UNROLL_AS_IT_IS = 0 }; /* else: so many rounds */

struct fs_lp {
  enum fs_lp_kind kind;
  enum fs_lp_axis axis;        /* FOR; LET: that it gives a coordinate of        */
  int unroll;                  /* FOR                                            */
  int64_t extent;              /* FOR: rounds; 0: not known here                 */
  bool bare;                   /* IF, FOR: one statement, without braces; BLOCK:
                                  until it is closed, to hold what is added      */
  int shift;                   /* TEXT: so many steps further in than what is around it */
  const char *text;            /* the statement; IF: the condition; FOR, WHILE: what
                                  stands in the parentheses, NULL: as axis and extent
                                  say; FUNCTION: its head; NULL: what it does for its
                                  step, or makes, which is not spelled yet       */
  unsigned guard;              /* LOAD, STORE, ACC: what must hold; LET: what it says,
                                  or for what its value needs zeros before       */
  enum fs_lp_way way;          /* MAP; LOAD: by whole vectors (short), or not, of one
                                  that can be                                    */
  int half;                    /* ACC: of lanes that are pairs, 0 or 1; else -1  */
  const char *note;            /* a comment behind the brace, or NULL            */
  const struct fs_step *step;  /* that it does something for; NULL               */
  struct fs_lp_value *makes; /* LET: a value, or NULL                      */
  struct fs_lp *body, *last;   /* statements in it, and the last of them         */
  struct fs_lp *other;         /* IF: a BLOCK, or NULL                           */
  struct fs_lp *next;          /* of the same body                               */
  struct fs_lp *outer;         /* what it is in                                  */
};

/* Where statements are added: at the end of `at`. The arena keeps all of it. */
struct fs_lp_writer {
  struct fs_arena *arena;
  struct fs_lp *at;
  int unroll;                  /* of the next loop                               */
  struct fs_lp *all;           /* the program: its places                        */
  struct fs_lp_value **value;  /* by number: as it was declared last             */
};

/* An empty program in an arena of its own, which the caller frees. */
void fs_lp_begin(struct fs_lp_writer *w, int n_values);
/* Goes on at a place, at first an empty one; that place of a program, NULL if it has none. */
void fs_lp_go(struct fs_lp_writer *w, const char *place);
const struct fs_lp *fs_lp_place(const struct fs_lp *program, const char *name, size_t len);
/* An empty BLOCK. */
struct fs_lp *fs_lp_new(struct fs_arena *arena);
/* Adds a statement; the texts are kept as they are. */
struct fs_lp *fs_lp_add(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text);
/* The same, and what is added next is in it; fs_lp_close() ends that. fs_lp_else() goes on
 * with what runs else. */
struct fs_lp *fs_lp_open(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text);
void fs_lp_else(struct fs_lp_writer *w, const char *note);
/* The same for a copy of a statement, without what is in it. */
struct fs_lp *fs_lp_open_copy(struct fs_lp_writer *w, const struct fs_lp *x);
void fs_lp_close(struct fs_lp_writer *w); /* of a bare BLOCK its body is left */
/* Moves one statement to where others are added. */
void fs_lp_link(struct fs_lp_writer *w, struct fs_lp *x);
/* Moves the statements of a block to where others are added. A loop of one round is what is in
 * it, in braces where names or short ways are. */
void fs_lp_append(struct fs_lp_writer *w, const struct fs_lp *list);

/* peel.c: a pass over the statements of the block that is written:
 *   if (whole) the same, without the guards that hold then, and by whole vectors
 *   else for (rows) the same for one row      0 rows: as they were */
struct fs_lp_peel {
  const char *whole;
  unsigned holds;
  int rows;
};
void fs_lp_peel(struct fs_lp_writer *w, const struct fs_lp_peel *peel);

/* lanes.c: a pass over a loop over lanes: neighbours two at once, of which sums take first one
 * and then the other (core/kernel/pairs.c). */
void fs_lp_pairs(struct fs_arena *arena, struct fs_lp *loop);
/* Passes from a loop over lanes of maps and sums to a list of statements.
 *   bool rare = false;                before
 *   for (...) the maps' short ways    which set it for an operand that they are not made for
 *   ...                               behind
 *   if (rare) for (...) the maps' long ways, one by one or not
 *   for (...) sums */
struct fs_lp_rare {
  const char *before;
  const char *const *behind;
  int n;
  bool one_by_one;
};
struct fs_lp *fs_lp_short_ways(struct fs_arena *arena, const struct fs_lp *loop,
                               const struct fs_lp_rare *rare);
/* Of such a list without sums: rare elements wait, `if (!rare)` is empty. Gives that. */
struct fs_lp *fs_lp_stragglers(struct fs_lp *list);
/* ... for which the maps are these. */
struct fs_lp *fs_lp_long_ways(struct fs_arena *arena, const struct fs_lp *loop);

/* From here on a value is subscripted so; x, a LET or NULL, is where it is declared. */
void fs_lp_declare(struct fs_lp_writer *w, struct fs_lp *x, int number, unsigned over);
/* The innermost loop over an axis that what is added stands in, or NULL. Whether it stands
 * where a LET gives a name, or declares the value as it is. */
const struct fs_lp *fs_lp_loop(const struct fs_lp_writer *w, enum fs_lp_axis axis);
bool fs_lp_has_name(const struct fs_lp_writer *w, const char *name);
bool fs_lp_has_value(const struct fs_lp_writer *w, int number);

/* What stands in the parentheses of a loop. */
void fs_lp_put_rounds(const struct fs_lp *loop, struct fs_str *out);
/* print.c: the statements of a block, so many steps from the margin. Where a dialect declares
 * memory of the block at a kernel's beginning: those statements, wherever they are. */
void fs_lp_print(const struct fs_lp *block, enum fs_dialect dialect, int indent,
                 struct fs_str *out);
void fs_lp_print_shared(const struct fs_lp *block, enum fs_dialect dialect, int indent,
                        struct fs_str *out);

/* the program as stable text, a statement on a line: kind, loop, step. */
void fs_lp_dump(const struct fs_lp *block, int indent, struct fs_str *out);

/* The first rule that the statements break, or NULL; *where is the statement.
 * Borrowed. The rules: a loop has rounds; a statement in a step's name has a step of its
 * kind; a BARRIER is in no loop over lanes, vectors or rows; nothing is in a statement that
 * has no body. */
const char *fs_lp_check(const struct fs_lp *block, const struct fs_lp **where);

#endif
