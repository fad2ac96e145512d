/* cuda_c_read.h - private to cuda_c_*.c: the reader of a kernel's words.
 *
 * The first error sets `st`, and from then on every rule gives NULL or false as soon as it looks
 * at a word. */
#ifndef FS_CUDA_C_READ_H
#define FS_CUDA_C_READ_H

#include "core/lang/cuda_c_lex.h"
#include "core/lang/node.h"

enum { FS_C_DEPTH = 200, FS_C_ARGS = 8, FS_C_NODES = 5000, FS_C_VALUES = 32 };

struct fs_c_binding {
  const char *c, *name;      /* in C, in the tree */
  int local, param;          /* -1: it is none */
  int level;                 /* in how many blocks it is declared */
  bool counter;
  bool lost;                 /* a counter declared before its loop, behind that */
  struct fs_expr *offset;    /* of a pointer to an element of `param`; NULL: it is none */
};


/* Why something outside of kernels is not read: said where a kernel has it. */
struct fs_c_unread {
  const char *why, *hint;
  struct fs_span at;
};

/* What a file calls a type, or a constant. */
struct fs_c_word {
  const char *name;
  enum fs_c_type type;
  struct fs_expr *value;     /* of a constant; NULL: */
  struct fs_c_unread unread;
};

/* A function of the file's own: one expression of its parameters. */
struct fs_c_function {
  const char *name;
  enum fs_c_type type, types[FS_C_ARGS];
  int n;
  const char *params[FS_C_ARGS];
  struct fs_expr *value;     /* NULL: it is put in where it is called, as statements */
  int at;                    /* the word of its type; 0: or it is not read */
  struct fs_c_unread unread;
};

/* An array of constants outside of kernels. */
struct fs_c_table {
  const char *name;
  struct fs_span span;
  enum fs_c_type type;
  int n_dims;                /* 0: one number that a host sets */
  int64_t dim[FS_C_OWN_DIMS];
  bool set;                  /* by the text; else by a host: then it is a parameter */
  int at;                    /* the word at which its values begin */
};

struct fs_c_reader {
  struct fs_diags *diags;
  struct fs_arena *arena;
  fs_c_tokens words;
  int at, depth, loops, level;
  int bodies;                /* of loops and branches, so far */
  struct fs_span last;       /* of the word before */
  enum fs_status st;
  const char *only;          /* the kernel that is wanted; NULL: all */
  FS_VEC(struct fs_c_binding) scope;
  FS_VEC(struct fs_c_function) functions;
  FS_VEC(struct fs_c_word) types, constants;
  FS_VEC(struct fs_c_table) tables;
  bool cuda;                 /* CUDA C: `local`, `global` and the like are names */
  bool in_function;
  bool in_atomic;            /* in what is added atomically */
  struct fs_stmt ***before;  /* where what an expression does before goes; NULL: nowhere */
  int put_in, n_put_in;      /* functions whose statements are being put in; so far */
  bool shared;               /* the type that was read last is of memory that threads share */
  bool bare[3];              /* idx, idy, idz stand in the kernel, and are not declared */
  const int64_t *given_block; /* as the user says; NULL: nothing is said */
  bool warps;                /* lanes of a warp read what others have */
  bool in_head;              /* of a loop, whose steps are separated by commas */
  int64_t step[3];           /* threads of a block that take several rows each; 0: they do not */
  int64_t block[3];          /* threads of a block along each axis, where that is a number */
  FS_VEC(struct fs_c_param) params;
  FS_VEC(struct fs_c_name) locals;
};

/* Values of names. */
struct fs_c_values {
  int n;
  const char *names[FS_C_VALUES];
  struct fs_expr *value[FS_C_VALUES];
};

/* -- cuda_c_parse.c: words, names, types, expressions -- */
const struct fs_c_token *fs_c_cur(const struct fs_c_reader *p);
void fs_c_next(struct fs_c_reader *p);
bool fs_c_is(const struct fs_c_reader *p, const char *sign);
/* The word behind the current one; behind the last one there is none. */
const struct fs_c_token *fs_c_ahead(const struct fs_c_reader *p);
bool fs_c_is_ahead(const struct fs_c_reader *p, const char *sign);
bool fs_c_is_word(const struct fs_c_reader *p, const char *word);
bool fs_c_accept(struct fs_c_reader *p, const char *sign);
bool fs_c_accept_word(struct fs_c_reader *p, const char *word);
bool fs_c_expect(struct fs_c_reader *p, const char *sign);
bool fs_c_enter(struct fs_c_reader *p); /* false: nested too deeply */
/* The current word for a message. */
const char *fs_c_found(const struct fs_c_reader *p);
/* These say what is wrong, and give false. */
bool FS_PRINTF(5, 6) fs_c_fail(struct fs_c_reader *p, struct fs_span span, const char *id,
                               const char *hint, const char *fmt, ...);
bool fs_c_refuse(struct fs_c_reader *p, struct fs_span span, const char *what);
bool fs_c_refuse_unread(struct fs_c_reader *p, const struct fs_c_unread *u);
struct fs_c_binding *fs_c_bound(struct fs_c_reader *p, const char *c);
const char *fs_c_fresh_name(struct fs_c_reader *p, const char *c);
struct fs_c_binding *fs_c_declare(struct fs_c_reader *p, const struct fs_c_token *t,
                                  enum fs_c_type type);
bool fs_c_is_thread(const char *c);
/* Threads of a block, as the user says; 0: nothing is said. */
int64_t fs_c_block_size(const struct fs_c_reader *p);
bool fs_c_is_qualifier(const struct fs_c_reader *p, const char *word);
const struct fs_c_word *fs_c_find_word(const struct fs_c_word *all, int n, const char *name);
bool fs_c_begins_type(const struct fs_c_reader *p);
bool fs_c_rule_type(struct fs_c_reader *p, enum fs_c_type *out);
struct fs_expr *fs_c_rule_expr(struct fs_c_reader *p);
struct fs_expr *fs_c_rule_ternary(struct fs_c_reader *p);
struct fs_expr *fs_c_rule_unary(struct fs_c_reader *p);
struct fs_expr *fs_c_addressed(struct fs_c_reader *p, struct fs_span at, bool sum);
/* An expression with what names are in their places; *left: how large it may be. */
struct fs_expr *fs_c_inlined(struct fs_c_reader *p, const struct fs_c_values *f,
                             struct fs_expr *e, int *left);
/* "(i32)" and so on, by type. */
extern const char *const fs_c_casts[];
/* A whole number that follows from the text alone. */
bool fs_c_constant(const struct fs_expr *e, int64_t *out);
/* Places are whole numbers of any size: of (size_t)blockDim.x it is blockDim.x. */
const struct fs_expr *fs_c_uncast(const struct fs_expr *e);

/* The step of a loop whose counter is halved; none but cuda_c_tile.c knows what that is. */
#define FS_C_HALVED "(halved)"
#define FS_C_DOUBLED "(doubled)"
/* What another thread of a warp has: "(shuffle) down", "... xor", "... get"; of it, by how many. */
#define FS_C_SHUFFLE "(shuffle) "
/* The `if` that a loop over all threads' strides is. */
#define FS_C_STRIDES "strides"
#define FS_C_STRIDED "what a thread has gathered in its strides depends on how many there are: it " \
                     "is read in atomics alone"

/* cuda_c_warp.c: sums over the lanes of a warp, by shuffles, go. */
bool fs_c_read_warps(struct fs_c_reader *p, struct fs_stmt **body);
/* Whether a statement of the list reads the name. */
bool fs_c_is_read(const struct fs_stmt *list, const char *name);
/* Whether it is known how many threads a block has, where a block's sum stands in its place. */
bool fs_c_know_block(struct fs_c_reader *p);

/* cuda_c_vector.c: at the parameters of a kernel: float4 and its like go, up to its end. */
bool fs_c_read_vectors(struct fs_c_reader *p);

/* cuda_c_tally.c: counts in memory that threads share are those of the array that they are added
 * to at the end; false: they are none. */
bool fs_c_read_tally(struct fs_c_reader *p, struct fs_stmt **body);

/* cuda_c_rows.c: loops in which a thread takes several rows of a tile go. */
void fs_c_read_rows(struct fs_c_reader *p, struct fs_stmt **body);

/* cuda_c_block.c: a block whose threads are as one; false: it is none, and *body as it was. */
bool fs_c_read_blocks(struct fs_c_reader *p, struct fs_stmt **body);

/* cuda_c_tile.c: memory that threads share goes, and so does where they wait. */
bool fs_c_read_tiles(struct fs_c_reader *p, struct fs_stmt **body);

/* {1, 2, {3, 4}} for an array of a thread's own, the others 0. */
bool fs_c_rule_values(struct fs_c_reader *p, const struct fs_c_name *a, struct fs_span at,
                      struct fs_stmt ***tail);

/* -- cuda_c_stmt.c -- */
bool fs_c_rule_statement(struct fs_c_reader *p, struct fs_stmt ***tail);
bool fs_c_rule_block(struct fs_c_reader *p, struct fs_stmt ***tail);
/* A call of a function as its statements, in front of where it stands; at its bracket. *out: what
 * it gives, NULL: nothing. */
bool fs_c_put_in(struct fs_c_reader *p, const struct fs_c_function *f, struct fs_expr **out);

#endif
