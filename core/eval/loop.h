/* loop.h - loops of the host, inside; shared by the files loop*.c only.
 *
 * The statements of a loop become a list of instructions on registers, one for each variable,
 * constant and result in between (loop.c). They are run on what the variables are (loop_run.c),
 * which loop_take.c takes and gives back. */
#ifndef FS_LOOP_H
#define FS_LOOP_H

#include "core/eval/interp.h"
#include "core/eval/scalar.h"

/* What a register holds: a number or truth value of the host, as enum fs_scalar_kind says, or a
 * scalar tensor of a type. */
enum {
  FS_LT_TENSOR = FS_SC_BOOL + 1,
  FS_LT_BOOL = FS_LT_TENSOR + FS_BOOL, FS_LT_I32 = FS_LT_TENSOR + FS_I32,
  FS_LT_I64 = FS_LT_TENSOR + FS_I64, FS_LT_F32 = FS_LT_TENSOR + FS_F32,
  FS_LT_F64 = FS_LT_TENSOR + FS_F64, FS_LT_COUNT
};

struct fs_loop_register {
  union {
    double x;                /* of the host, f32, f64 */
    int64_t i;               /* bool, integers */
  };
  union {
    struct {
      uint8_t tag;
      bool given;            /* a variable that is what it was before the loop */
    };
    uint32_t word;           /* both, of one that is given a value */
  };
};

enum fs_loop_code {
  FS_LC_MAP,                 /* to = op(src[0], ...) */
  FS_LC_ADD, FS_LC_SUB, FS_LC_MUL, FS_LC_DIV, FS_LC_MIN, FS_LC_MAX, FS_LC_MOD, FS_LC_FLOOR,
  FS_LC_QUOTIENT,            /* floor(src[0]/src[1]) */
  FS_LC_EQ, FS_LC_NE, FS_LC_LT, FS_LC_LE, FS_LC_GT, FS_LC_GE, /* the same of one operation each */
  FS_LC_BINARY, FS_LC_UNARY, /* the same of an operator */
  FS_LC_CAST,                /* to = src[0] as a tensor of type op */
  FS_LC_COPY,
  FS_LC_BORDER,              /* to = the place in 1 ... src[1] that enum fs_border `op` has for src[0] */
  FS_LC_LOAD,                /* to = the element of view `op` at src[...] */
  FS_LC_STORE,               /* src[FS_MAX_RANK - 1] ... */
  FS_LC_DECIDE,              /* a decides in a && b, in a || b: then to = a, and on with jump */
  FS_LC_JUMP, FS_LC_UNLESS,  /* src[0] */
  FS_LC_ROUND,               /* jump: the next round of a loop */
  FS_LC_RANGE,               /* the range src[0]:src[1]:src[2] at `to` */
  FS_LC_NEXT,                /* src[0] = the next value of the range at `to`; jump: there is none */
  FS_LC_STOP
};

/* What a range takes of the registers. */
enum { FS_LR_START, FS_LR_STEP, FS_LR_COUNT, FS_LR_ROUND, FS_LR_REGISTERS };

struct fs_loop_instruction {
  uint8_t code, op, n;
  /* The registers and the instruction that the numbers below are. */
  struct fs_loop_register *to_it, *a, *b;
  const struct fs_loop_instruction *on;
  int to, jump, src[FS_MAX_RANK + 1];
};

struct fs_loop_variable {
  const char *name;
  int at;                    /* its register */
  bool needed;               /* a round may read what it was before */
  bool assigned;
};

struct fs_loop_array {
  const char *name;
  bool written;
  /* While the loop runs. */
  struct fs_tensor *tensor;  /* whose elements it reads; NULL: a copy of its own, */
  struct fs_storage *storage; /* ... or what it changes in place, */
  char *copy;                /* ... is the copy */
  struct fs_shape shape;
  enum fs_dtype dtype;
  char *base;
  int64_t stride[FS_MAX_RANK];
};

/* An array under a number of subscripts. */
struct fs_loop_view {
  int array, n;
  uint8_t tag;
  char *base;
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK];
};

/* An extent of an array, as a register. */
enum fs_loop_extent_kind { FS_LX_END, FS_LX_SIZE, FS_LX_NUMEL, FS_LX_LENGTH };
struct fs_loop_extent {
  enum fs_loop_extent_kind kind;
  int of, dim, at;           /* END: of a view */
};

/* A statement, or an expression that decides or is a range: where something is no good, it is
 * executed the ordinary way, which knows what is. */
struct fs_loop_part {
  int from, to;              /* its instructions */
  const struct fs_stmt *s;
  const struct fs_expr *e;   /* no statement: its value goes to */
  int at, around;            /* the `for` that it stands in; -1: none */
};

struct fs_loop_for {
  const char *counter;
  int range, around;         /* its registers */
};

struct fs_loop_watch {
  struct fs_interp *in;
  double begun, last;
  const struct fs_loop_register *range; /* of the whole loop; NULL: it has none */
  int64_t rounds, mark;      /* with those of inner loops; when the last of its own began */
  int64_t most;              /* one of its own that has more is the last one for now, */
  bool heavy;                /* ... as it was                                         */
};

/* A function of the user, as it was when the loop was written. */
struct fs_loop_own {
  const char *name;
  uint64_t stamp;
};

/* In the arena of its statement. */
struct fs_loop {
  bool refused, shows, inexact, narrows;
  bool inner;                /* it has loops in it */
  int n_code, n_variables, n_functions, n_owns, n_registers, n_arrays, n_views, n_extents, n_parts,
      n_fors;
  int body, range;           /* of `for`: where a round begins, where its range is */
  struct fs_loop_instruction *code;
  struct fs_loop_variable *variables;
  struct fs_loop_array *arrays;
  struct fs_loop_view *views;
  struct fs_loop_extent *extents;
  struct fs_loop_part *parts;
  struct fs_loop_for *fors;
  const char **functions;    /* built-in ones that it calls */
  struct fs_loop_own *owns;
  struct fs_loop_register *registers;
  struct fs_loop_watch watch;       /* while it runs, ...              */
  const struct fs_loop_part *part;  /* ... and who has to do it instead */
};

/* -- loop_value.c -- */

/* An operation as the language means it. False: that is not for here. */
bool fs_loop_map(enum fs_map_op op, int n, const struct fs_loop_register *a,
                 struct fs_loop_register *out);
bool fs_loop_binary(enum fs_ast_op op, const struct fs_loop_register *a,
                    const struct fs_loop_register *b, struct fs_loop_register *out);
bool fs_loop_unary(enum fs_ast_op op, const struct fs_loop_register *a,
                   struct fs_loop_register *out);
bool fs_loop_cast(enum fs_dtype dt, const struct fs_loop_register *a,
                  struct fs_loop_register *out);
/* What an element of an array of type dt gets; *narrows: an f64 becomes an f32. */
bool fs_loop_put(enum fs_dtype dt, const struct fs_loop_register *a, bool *narrows,
                 struct fs_number *out);
double fs_loop_number(const struct fs_loop_register *a);
static inline bool fs_loop_is_host(const struct fs_loop_register *a) {
  return a->tag < FS_LT_TENSOR;
}

/* -- loop_take.c -- */

/* Fills registers and arrays. False: something is not what a loop of numbers and elements has;
 * then nothing has changed. */
bool fs_loop_take(struct fs_interp *in, struct fs_loop *l, enum fs_status *st);
/* Gives names what they are now, and lets the arrays go. */
enum fs_status fs_loop_give(struct fs_interp *in, struct fs_loop *l);
/* Takes them again after one statement was executed the ordinary way. */
bool fs_loop_retake(struct fs_interp *in, struct fs_loop *l, const char *assigned,
                    enum fs_status *st);
/* A value that is one number. */
bool fs_loop_take_value(struct fs_interp *in, const struct fs_val *v,
                        struct fs_loop_register *out, enum fs_status *st);

/* -- loop_run.c -- */

/* A range from its round k on, in registers. */
void fs_loop_put_range(struct fs_loop_register *at, const struct fs_val *range, int64_t k);
/* Gives the instruction that ended it: STOP; ROUND where it was interrupted, or is heavy; or one
 * that cannot be. */
const struct fs_loop_instruction *fs_loop_go(const struct fs_loop *l, int from,
                                             struct fs_loop_watch *w);

#endif
