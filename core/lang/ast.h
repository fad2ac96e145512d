/* ast.h - the syntax tree. Plain data in the arena of the input it came from.
 *
 * Depth is bounded by the parser (FS_MAX_NESTING), so recursive walks over a
 * tree are safe. Long operator chains (a+b+c+...) nest to the left and count
 * towards the same bound only by parentheses: walks over `left` operands must
 * loop, not recurse (see eval.c).
 */
#ifndef FS_AST_H
#define FS_AST_H

#include "core/base/diag.h"

enum {
  FS_MAX_NESTING = 256,      /* brackets, blocks and functions together */
  FS_MAX_HEIGHT = 1024,      /* of an expression's tree, see `height` */
  FS_MAX_NAMES = 1000,       /* parameters, targets, declared names */
  FS_MAX_SOURCE = 16 << 20,  /* bytes of one input */
  FS_MAX_TOKENS = 1 << 20,
  FS_MAX_NAME = 255,
  FS_MAX_NUMBER = 400
};

enum fs_expr_kind {
  FS_EX_NUMBER,   /* number; is_int says that it was written without . or e */
  FS_EX_IMAGINARY, /* number times the imaginary unit */
  FS_EX_BOOL,     /* number is 0 or 1 */
  FS_EX_STRING,   /* text */
  FS_EX_NAME,     /* text */
  FS_EX_END,      /* `end` inside an index */
  FS_EX_COLON,    /* `:` alone inside an index */
  FS_EX_UNARY,    /* op, args[0] */
  FS_EX_BINARY,   /* op, args[0], args[1] */
  FS_EX_RANGE,    /* args[0]:args[1] or args[0]:args[1]:args[2] (a:step:b) */
  FS_EX_CALL,     /* args[0] is the function, args[1..] the arguments */
  FS_EX_INDEX,    /* args[0] is the value, args[1..] the subscripts */
  FS_EX_ARRAY,    /* [a, b; c, d]: args row by row; row_len[r] elements each */
  FS_EX_LIST,     /* {a, b}: args; {x = a, y = b}: params has the names */
  FS_EX_FIELD,    /* args[0].text */
  FS_EX_LAMBDA,   /* params -> args[0] */
  FS_EX_VALUES    /* args, one for each target of an assignment: only there */
};

enum fs_ast_op {
  FS_AO_ADD, FS_AO_SUB, FS_AO_MUL, FS_AO_DIV, FS_AO_SOLVE, FS_AO_POW,
  FS_AO_EMUL, FS_AO_EDIV, FS_AO_EPOW,
  FS_AO_EQ, FS_AO_NE, FS_AO_LT, FS_AO_LE, FS_AO_GT, FS_AO_GE,
  FS_AO_AND, FS_AO_OR,
  FS_AO_NEG, FS_AO_PLUS, FS_AO_NOT, FS_AO_TRANSPOSE
};

/* What A[i; mirror] has of places outside of A. */
enum fs_border {
  FS_BORDER_NONE,    /* `checked`: they are an error  */
  FS_BORDER_CLAMPED, /* the nearest element           */
  FS_BORDER_MIRROR,  /* 1 is at 0, 2 at -1            */
  FS_BORDER_WRAPPED, /* the last one is at 0          */
  FS_BORDER_ZEROS,   /* 0                             */
  FS_BORDERS
};

struct fs_expr;
struct fs_param {
  const char *name;
  struct fs_span span;
  struct fs_expr *value;  /* what a parameter is if nothing is given for it; or NULL */
  const char *value_text; /* ... as it was written, on one line                     */
};

struct fs_expr {
  enum fs_expr_kind kind;
  enum fs_ast_op op;
  struct fs_span span;     /* the whole expression                         */
  struct fs_span op_span;  /* the operator or bracket, for carets          */
  bool is_int;
  bool plain;              /* UNARY, transpose: .' does not conjugate          */
  int height;              /* levels of nodes, the left operand of a binary
                              node that is binary itself not counted: what a
                              walk that loops there needs of the stack */
  double number;
  const char *text;        /* name, or the decoded bytes of a string       */
  size_t text_len;
  int n_args;
  struct fs_expr **args;
  int n_rows, *row_len;    /* FS_EX_ARRAY                                  */
  const uint8_t *borders;  /* FS_EX_INDEX: enum fs_border of each subscript; NULL: none */
  int n_params;
  struct fs_param *params; /* FS_EX_LAMBDA, FS_EX_LIST                     */
};

enum fs_stmt_kind {
  FS_ST_EXPR,      /* expr */
  FS_ST_ASSIGN,    /* targets = expr; more than one: a call or FS_EX_VALUES */
  FS_ST_PLACE,     /* the same of a field, or of a part of a part: expr2 is an FS_EX_INDEX or
                      FS_EX_FIELD                                           */
  FS_ST_SEVERAL,   /* a[1], s.x = f(x): body gives names that cannot be written, targets, the
                      values, then each place its one                       */
  FS_ST_INDEXED,   /* name[subscripts] = expr: expr2 is an FS_EX_INDEX; in
                      `+=` and the like expr is a binary one of expr2      */
  FS_ST_IF,        /* expr, body, orelse (an elseif is an FS_ST_IF there)  */
  FS_ST_WHILE,     /* expr, body */
  FS_ST_FOR,       /* targets[0], expr, body; text: NULL, or the words of one whose
                      rounds must run at once: `forall`, `parallel for`    */
  FS_ST_BREAK, FS_ST_CONTINUE,
  FS_ST_FUNCTION,  /* targets[0] is the name; params, body or expr          */
  FS_ST_RULE,      /* rule expr -> ...: expr2 is an FS_EX_LAMBDA of the names in expr */
  FS_ST_RETURN,    /* exprs */
  FS_ST_BEGIN,     /* body: begin ... end */
  FS_ST_TRY,       /* body; orelse: what a mistake in it leads to, targets[0] its message, if
                      that has a name                                       */
  FS_ST_BARRIER,
  FS_ST_IMPORT,    /* text: the file */
  FS_ST_DECLARE,   /* text: the type word; targets: the names               */
  FS_ST_INPUT,     /* targets: the names                                    */
  FS_ST_COMMAND    /* text: a whole `:command ...` line, or `?name`         */
};

struct fs_stmt {
  enum fs_stmt_kind kind;
  struct fs_span span;     /* the statement without its separator */
  bool silent;             /* ended by `;`                        */
  const char *text;
  struct fs_expr *expr, *expr2;
  int n_targets;
  struct fs_param *targets;
  int n_params;
  struct fs_param *params;
  int n_exprs;
  struct fs_expr **exprs;
  struct fs_stmt *body, *orelse;  /* linked lists */
  struct fs_loop *loop;    /* the interpreter's: what it has made of a loop, in the same arena, */
  struct fs_lift *lift;    /* ... and whether it is one over elements                          */
  struct fs_stmt *next;
};

static inline enum fs_border fs_border_of(const struct fs_expr *e, int subscript) {
  return e->borders ? (enum fs_border)e->borders[subscript] : FS_BORDER_NONE;
}
/* "mirror" */
extern const char *const fs_border_words[FS_BORDERS];

#endif
