/* interp.h - inside the interpreter; shared by the files of core/eval only.
 *
 * From the bottom to the top; a file calls those above it in this list, but for circles of a few:
 *   scope.c    the names of a scope      words.c  the words of messages
 *   limits.c   what stops an input       state.c  settings
 *   list.h     lists and records         text.c   strings as rows of characters
 *   record.c   what a list of statements reads and gives: again.h
 *   env.c      names: undo log, lookup
 *   block.c    the statement block: handles, flush, virtual results, host reads
 *   print.c    values as text            pick.c   s[i], s.x of strings and lists
 *   trace.c    traced values: promotion, broadcasting, elementwise, reductions
 *   construct.c  zeros ... linspace, array literals
 *   linalg.c   products, transposes, solves, powers
 *   complex*.c, operate.c, chain.c  complex values; operators; products of several: complex.h
 *   elem.c     functions of .elem files  decl.c   declarations, input
 *   parsed.c   texts that come again     again.c  statements that do
 *   loop*.c    loops of numbers and elements, on the host: loop.h
 *   scalar.h   arithmetic of numbers
 *   part.c     values of parts           lift.h   loops over elements
 *   eval.c, call.c, index.c, exec.c  expressions, calls, A[i, j], statements
 *   builtins_*.c, builtins.c  built-in functions and the table of them
 *   interp.c   the interpreter's life    recover.c  after a jump out of a statement
 *
 * Ownership of values: a function that gives a value in *out gives a reference;
 * arguments are borrowed. On failure *out is untouched.
 */
#ifndef FS_INTERP_H
#define FS_INTERP_H

#include "core/eval/eval.h"
#include "core/eval/func.h"

/* -- variables ------------------------------------------------------------- */

/* An input of a script: whether anything has read it. */
enum fs_given { FS_NO_INPUT, FS_UNREAD, FS_REPLACED_UNREAD };

struct fs_rewrite; /* rewrite.c */

/* A result that is to be looked at, and the statement that made it (nancheck.h). */
struct fs_unchecked {
  struct fs_tensor *t; /* a reference */
  struct fs_span stmt;
  uint32_t turn;
};

/* A sum or product of the block that may leave its type (overflow.h). */
struct fs_kept_sum {
  fs_id node;
  struct fs_span span;
  bool product;
  enum fs_dtype dtype;
};

struct fs_var {
  char *name;
  uint64_t hash;
  uint64_t stamp;        /* of its scope, when it got its value */
  uint64_t logged;       /* the round of the undo log that has what it was before */
  struct fs_val value;
  enum fs_given given;
  bool mentioned;        /* an input that a text names, perhaps where it does not get */
};

struct fs_scope {
  FS_VEC(struct fs_var) vars;
  int *slots, n_slots;   /* where a name is in `vars`, from 1, by its hash; none
                            while there are few                                */
  uint64_t stamp;        /* greater after every change                         */
  bool sorted;           /* `vars` is in the order of names                    */
  struct fs_scope *up;   /* the caller's, for unwinding only: no dynamic scope */
  bool sealed;           /* elementary function: globals are not visible       */
  bool prelude;          /* a prelude function: sees the prelude's names only  */
  int tries;             /* open `try` blocks: what it gives a value is logged  */
  bool logged;           /* of a function that had one: the log may know it     */
};

/* Before a text runs: the inputs of the script that it names. */
void fs_mention_inputs(struct fs_interp *in, const struct fs_stmt *list);

struct fs_val *fs_scope_find(struct fs_scope *s, const char *name);
/* Keeps the reference of v. */
void fs_scope_set(struct fs_scope *s, const char *name, struct fs_val v);
bool fs_scope_remove(struct fs_scope *s, const char *name);
void fs_scope_clear(struct fs_scope *s);
struct fs_var *fs_scope_var(struct fs_scope *s, const char *name);
/* Sets `var`, or makes one of that name if it is NULL; keeps the reference of v. */
struct fs_var *fs_scope_put(struct fs_scope *s, struct fs_var *var, const char *name,
                            struct fs_val v);
/* Puts the names in order, for fs_interp_var_at(). */
void fs_scope_sort(struct fs_scope *s);

/* -- the block ------------------------------------------------------------- */

struct fs_undo {
  struct fs_scope *scope;
  char *name;            /* NULL: of an element of a list */
  struct fs_val old;     /* FS_V_NONE: there was none */
  struct fs_list *list;  /* ... which is referred to    */
  int64_t at;
};

struct fs_plot_request;

/* A display, a text or a plot that waits for the block to run. */
struct fs_pending {
  char *name;            /* show: the variable, or NULL */
  struct fs_val value;   /* show */
  struct fs_span span;
  char *text;            /* text, or NULL for a show */
  size_t len;
  struct fs_plot_request *plot; /* a plot: then there is no value */
};

struct fs_declared {
  char *name;
  const char *type;      /* "matrix", "vector", "scalar" */
  enum fs_dtype dtype;
};

/* The routine of a function that calls take, by `:elem NAME impl N`. */
struct fs_elem_choice {
  const struct fs_elem *elem;
  int impl;
};

/* A text that was parsed; the next time its statements are there. */
struct fs_parsed {
  uint32_t source;
  struct fs_unit *unit;
  struct fs_stmt *stmts;
};

/* What is read of a virtual tensor while nothing may be computed. */
struct fs_stand_in {
  struct fs_tensor *of;     /* a reference */
  struct fs_tensor *stored; /* without memory; a reference */
};

typedef FS_VEC(const char *) fs_name_list;

/* The round of a loop that is being run, and that of the loop around it. */
struct fs_round {
  const char *counter;
  double value;
  const struct fs_scope *scope;    /* that the counter is in */
  const struct fs_round *around;
};

enum fs_flow { FS_FLOW_NEXT, FS_FLOW_BREAK, FS_FLOW_CONTINUE, FS_FLOW_RETURN };

struct fs_interp {
  struct fs_diags *diags;
  struct fs_runner *runner;
  struct fs_target *target;
  struct fs_interp_host host;
  const struct fs_builtin_table *builtins;

  struct fs_scope globals, prelude;
  struct fs_scope *scope;          /* innermost; &globals or &prelude at top */
  FS_VEC(struct fs_declared) declared;
  struct fs_arena *elem_arena;
  FS_VEC(struct fs_elem *) elems;
  FS_VEC(struct fs_user *) users;  /* forms of native functions, in the arena */
  FS_VEC(struct fs_elem_choice) choices;
  int64_t language;                /* counts changes of elems and choices     */
  int n_library;                   /* elems of elemlib; the user's follow     */
  FS_VEC(struct fs_unit *) units;  /* units being run, innermost last */
  struct fs_unit *all_units;       /* those that are not freed */
  FS_VEC(struct fs_parsed) parsed; /* texts seen before, the last one last */
  FS_VEC(struct fs_again *) again; /* lists of statements seen before */
  struct fs_again *recording;      /* the one that is being traced, or NULL */
  const fs_name_list *passing;     /* names of which the next round of a loop needs
                                      nothing, while one ends; or NULL       */
  int forced;                      /* counts calls of fs_force() */

  /* The block being traced. */
  struct fs_graph *graph;          /* NULL: nothing traced yet */
  struct fs_graph *spare;          /* the last one, emptied; may be NULL */
  FS_VEC(struct fs_tensor *) handles; /* every lazy handle made, one reference */
  FS_VEC(struct fs_tensor *) inputs;  /* read by the graph, one reference each */
  FS_VEC(struct fs_undo) undo;
  uint64_t undo_round;             /* another after each forgetting of the log */
  FS_VEC(struct fs_pending) pending;
  struct fs_plot *last_plot;       /* for savefig() */
  int n_blocks;
  int before_last;                 /* n_blocks before the last statement that
                                      ran blocks: what :plan is about */

  /* The input being run. */
  bool running, loading_prelude, script, silent;
  bool returned;                   /* a `return` outside of functions ended it */
  bool has_inputs; /* fs_interp_set_given() was called */
  FS_VEC(char *) assigned;         /* new globals since the input began */
  FS_VEC(struct fs_val) results;   /* of the `return` being carried out */
  fs_explain_fn *explain;
  void *explain_user;
  FS_VEC(struct fs_stand_in) stand_ins; /* while something is explained */

  int call_depth;
  int tries;                       /* open `try` blocks, in whatever functions    */
  bool late;                       /* in one: the block has what may fail when it runs */
  bool elementwise;                /* inside map(f, ...): * / ^ of elements act on each */
  struct fs_shape element_shape;   /* ... which are of an array of this shape   */
  bool saw_element;                /* ... and what is evaluated has read an element */
  int lib_depth;                   /* > 0: inside prelude or elementary code */
  struct fs_span lib_span;         /* the user's call of that code ...       */
  struct fs_span lib_stmt;         /* ... and the statement that it stands in */
  struct fs_span stmt;             /* the innermost statement                */
  struct fs_span span;             /* the expression being evaluated         */
  const char *stack_base;
  size_t stack_limit;
  const struct fs_round *round;    /* of the innermost loop over numbers; NULL: none */
  int begin_depth;                 /* begin ... end that are open            */
  FS_VEC(int64_t) index_end;       /* what `end` stands for, innermost last  */
  FS_VEC(char *) importing;        /* absolute paths */

  bool nancheck, nan_told;         /* `:set nancheck`, and this input was told of one */
  FS_VEC(struct fs_unchecked) unchecked; /* results of the block that has just run */
  bool overflow;                   /* `:set overflow error`                  */
  FS_VEC(struct fs_kept_sum) sums; /* of the block, in the order of tracing  */
  struct fs_tensor *word;          /* says which of them left its type; NULL */
  FS_VEC(struct fs_rewrite *) rules;  /* of the user, see rewrite.h */
  bool rewriting;                  /* the right side of one is called */
  FS_VEC(struct fs_diag) waits;    /* why loops of the last input with such are not lifted, and
                                      what rules did */
  bool waits_old;                  /* another input has begun since */
  enum fs_dtype floats;            /* of arrays that are told no type: `:set dtype` */
  bool no_loops;                   /* `:set loops off`: none over elements is lifted */
  int64_t size, seed, stream;
  int64_t expand; /* bytes, see files.h; 0: as usual */
  struct fs_str doc_text;          /* lent out by fs_interp_doc() */
};

/* -- errors ---------------------------------------------------------------- */

/* Where a message should point: the user's call while library code runs. */
struct fs_span fs_in_span(const struct fs_interp *in, struct fs_span span);
#define fs_in_error(in, span, id, hint, ...) \
  fs_error((in)->diags, fs_in_span(in, span), id, hint, __VA_ARGS__)

/* The source text of a span on one line, shortened: "A", "(B + ...". Lent for
 * the next sixteen calls. */
const char *fs_in_text(const struct fs_interp *in, struct fs_span span);
/* The same as an operand of a product, in brackets where it needs them: A, (A + B). */
const char *fs_in_operand(const struct fs_interp *in, struct fs_span span);
/* The same as its transpose is written: x', and x for x'. */
const char *fs_in_transposed(const struct fs_interp *in, struct fs_span span);
/* "3x4 f32" words for messages; lent for the next sixteen calls. */
const char *fs_shape_text(const struct fs_shape *s);
const char *fs_val_text(const struct fs_val *v); /* "a string", "3x4" */
const char *fs_number_text(double x);            /* "1.5", "NaN"; lent likewise */

/* -- limits.c ------------------------------------------------------------- */

/* The polls that every loop and call makes: interrupt and stack. */
enum fs_status fs_poll(struct fs_interp *in, struct fs_span span);

/* Refuses shapes that no memory could hold. */
enum fs_status fs_check_size(struct fs_interp *in, enum fs_dtype dt,
                             const struct fs_shape *shape, struct fs_span span);
/* The same of what is computed where it is wanted, and need not be stored: only what is
 * too much to count. If it is stored after all, fs_compile_fits() refuses it. */
enum fs_status fs_check_extents(struct fs_interp *in, enum fs_dtype dt,
                                const struct fs_shape *shape, struct fs_span span);
/* -- env.c ----------------------------------------------------------------- */

/* Assigns in the current scope (logged for undo if that has the globals, or a `try` is open in
 * it). Keeps the reference. */
void fs_assign(struct fs_interp *in, const char *name, struct fs_val v);
/* The variable has this value, which was changed in place, and is logged already. */
void fs_touch(struct fs_interp *in, const char *name, struct fs_var *var, struct fs_val v);
void fs_undo_free(struct fs_undo *u);
/* Takes a change of a list back (list.c). */
void fs_list_undo(struct fs_undo *u);
/* The log forgets a scope that is about to end. */
void fs_undo_leave(struct fs_interp *in, const struct fs_scope *scope);
/* Finds a name as the current scope sees it: variables first, then elementary
 * functions, then builtins. Gives a reference. */
bool fs_lookup(struct fs_interp *in, const char *name, struct fs_val *out);
/* Whether a name is that of a built-in function, and nothing else has it. */
bool fs_is_builtin(struct fs_interp *in, const char *name);
/* Gives the number or truth value that a name has; false if it is something else, or an
 * input that nothing has read yet. With `variable`, constants are something else, too. */
bool fs_host_number(struct fs_interp *in, const char *name, bool variable, struct fs_val *out);
/* Whether a name is a variable or function of the user's. */
bool fs_is_own_name(struct fs_interp *in, const char *name);
enum fs_status fs_unknown_name(struct fs_interp *in, const char *name,
                               struct fs_span span);
const struct fs_elem *fs_elem_find(const struct fs_interp *in,
                                   const char *name);
void fs_load_elems(struct fs_interp *in);

/* -- block.c --------------------------------------------------------------- */

struct fs_graph *fs_block_graph(struct fs_interp *in);
/* The handle of a node; a stored tensor at once when the node is an input seen
 * through another layout. One reference. */
struct fs_val fs_block_value(struct fs_interp *in, fs_id node,
                             const struct fs_shape *shape);
/* The node that reads a tensor in the current block. */
enum fs_status fs_block_read(struct fs_interp *in, struct fs_tensor *t,
                             fs_id *out);
/* Forgets the block and undoes the assignments made since it began. */
void fs_block_abandon(struct fs_interp *in);
void fs_block_barrier(struct fs_interp *in);
/* Before what may fail when its block runs (a singular matrix, a list with an index out of
 * range), all operands of which are values: in a `try` the block ends before its statement and
 * behind it. So the statements before are done, and those behind are not begun. */
enum fs_status fs_block_alone(struct fs_interp *in);
/* Ends what was explained: its last block, and all assignments are undone. */
void fs_block_explain_end(struct fs_interp *in);
/* A block ran, or failed, that was not traced: what a flush does then. */
void fs_block_again(struct fs_interp *in, struct fs_block *ran,
                    enum fs_status st);
void fs_block_show(struct fs_interp *in, const char *name, struct fs_val v,
                   struct fs_span span);
/* Shows a value in its turn; in a script that ends the block. */
enum fs_status fs_observe(struct fs_interp *in, const char *name,
                          struct fs_val v, struct fs_span span);
/* Shows a plot in its turn (keeps it); in a script that ends the block. */
enum fs_status fs_block_plot(struct fs_interp *in, struct fs_plot_request *r);
enum fs_status fs_force(struct fs_interp *in, struct fs_tensor *t);
/* The same of all tensors in a value. */
enum fs_status fs_force_all(struct fs_interp *in, const struct fs_val *v);
/* Refuses to give a name to random numbers or a fill that no memory could hold: they would
 * stay virtual, and be refused when they are wanted. What else is too large is refused when
 * its block is planned (core/run/compile.h). */
enum fs_status fs_block_may_keep(struct fs_interp *in, const struct fs_val *v,
                                 struct fs_span span);
/* One number of a value of one element; host values too. */
enum fs_status fs_read_number(struct fs_interp *in, const struct fs_val *v,
                              struct fs_span span, const char *what,
                              double *out);
/* The same, for a count or an index: a whole number. */
enum fs_status fs_read_int(struct fs_interp *in, const struct fs_val *v,
                           struct fs_span span, const char *what,
                           int64_t *out);
/* The truth of a condition. */
enum fs_status fs_read_bool(struct fs_interp *in, const struct fs_val *v,
                            struct fs_span span, bool *out);
/* All elements as numbers; *out from malloc. */
enum fs_status fs_read_all(struct fs_interp *in, struct fs_tensor *t,
                           double **out, int64_t *count);

/* -- operate.c ------------------------------------------------------------ */

enum fs_status fs_eval_binary(struct fs_interp *in, enum fs_ast_op op,
                              const struct fs_val *a, struct fs_span a_span,
                              const struct fs_val *b, struct fs_span b_span,
                              struct fs_span span, struct fs_val *out);
/* Inside map(f, ...): an error where what wants an array is given an element; `what` takes
 * it, or none. */
enum fs_status fs_refuse_element(struct fs_interp *in, const struct fs_val *v,
                                 struct fs_span span, const char *what);
/* The same where elements would meet an array in one operation. */
enum fs_status fs_refuse_mixture(struct fs_interp *in, int n, const struct fs_val *v,
                                 const struct fs_span *spans);
/* What each element would get `shape` of is no result of a mapped function. */
enum fs_status fs_several_each(struct fs_interp *in, struct fs_span span,
                               const struct fs_shape *shape);

/* -- eval.c, exec.c, call.c ------------------------------------------------ */

enum fs_status fs_eval(struct fs_interp *in, const struct fs_expr *e,
                       struct fs_val *out);
/* The same of what is then converted to *as (NULL: to nothing): an array that is written
 * there, also behind a sign, before a ' or in another one, keeps of its numbers what that
 * type can hold, which may make it f64. */
enum fs_status fs_eval_as(struct fs_interp *in, const struct fs_expr *e,
                          const enum fs_dtype *as, struct fs_val *out);
/* Drops what a `return` gave. */
void fs_clear_results(struct fs_interp *in);
enum fs_status fs_exec(struct fs_interp *in, const struct fs_stmt *list,
                       enum fs_flow *flow);
/* Calls with up to `want` results in out[0..want); *got results were given. */
enum fs_status fs_call_func(struct fs_interp *in, struct fs_func *f, int n,
                            struct fs_val *args, const struct fs_span *spans,
                            struct fs_span span, int want, struct fs_val *out,
                            int *got);
enum fs_status fs_eval_call(struct fs_interp *in, const struct fs_expr *e,
                            int want, struct fs_val *out, int *got);
/* The error of an expression that is used as a value and gives none. */
enum fs_status fs_no_value(struct fs_interp *in, const struct fs_expr *e);
struct fs_val fs_make_lambda(struct fs_interp *in, const struct fs_expr *e);
struct fs_val fs_make_function(struct fs_interp *in, const struct fs_stmt *s);

/* -- parsed.c -------------------------------------------------------------- */

/* The statements of a text, which comes after so many lines of its file, and their
 * unit, with a reference; parsed only if the text is new. */
enum fs_status fs_parsed_get(struct fs_interp *in, const char *name,
                             const char *text, size_t len, int before,
                             struct fs_unit **unit, struct fs_stmt **stmts);
void fs_parsed_clear(struct fs_interp *in);

/* -- again.c --------------------------------------------------------------- */

/* The rounds that follow on one in a `for` over numbers: its counter, by how much it grows,
 * how many there are; and how many of them were run: the counter is that of the last one. */
struct fs_ahead {
  const char *counter;
  double step;
  int64_t left, done;
  enum fs_status failed;     /* what ended them, else FS_OK */
};
/* Runs a list of statements, block and all, as it ran before; false if it did not
 * or if what it reads is something else now. top: it is the whole text. ahead: of a loop, whose
 * next rounds may be run as well; or NULL. */
bool fs_again_try(struct fs_interp *in, const struct fs_stmt *list, bool top,
                  struct fs_ahead *ahead, enum fs_status *st);
/* Else these surround its evaluation: what names it reads and gives, the block that
 * it runs, and the flush that ends it; or that all was in vain. */
void fs_again_begin(struct fs_interp *in, const struct fs_stmt *list, bool top);
void fs_again_saw(struct fs_interp *in, const char *name, const struct fs_scope *scope,
                  const struct fs_val *v);
void fs_again_saw_builtin(struct fs_interp *in, const char *name,
                          const struct fs_builtin *b);
/* The current scope is about to give a name a value; `new`: it had none. */
void fs_again_assigns(struct fs_interp *in, const char *name, bool new);
void fs_again_ran(struct fs_interp *in, struct fs_block *b, int n,
                  struct fs_tensor *const *outputs, bool more);
void fs_again_end(struct fs_interp *in, const struct fs_stmt *list, bool top);
void fs_again_flushed(struct fs_interp *in);
void fs_again_stop(struct fs_interp *in);
void fs_again_clear(struct fs_interp *in);
/* The names that a loop's body gives a value before it reads them, borrowed; NULL where
 * it is not a plain list of the user's. */
const fs_name_list *fs_again_passing(struct fs_interp *in, const struct fs_stmt *body);

/* -- loop.c ---------------------------------------------------------------- */

/* Where a loop is tried next: rounds are counted from 0; before round `free` inner loops may be
 * of any length. */
enum { FS_LOOP_ROUNDS = 8 };
struct fs_loop_rest {
  int64_t round, free;
  bool traced;               /* its rounds are traced into the block that is open: one of numbers
                                alone does not end it */
  const struct fs_stmt *s;   /* PART: this is to be executed the ordinary way, ... */
  const struct fs_expr *e;   /* ... or that evaluated: a condition or a range,     */
  int n_rounds;              /* ... in these rounds, the innermost first           */
  struct fs_round rounds[FS_LOOP_ROUNDS];
};
enum fs_loop_end { FS_LOOP_NOT, FS_LOOP_STOPPED, FS_LOOP_OVER, FS_LOOP_PART };
/* Runs what is left of a loop, from rest->round of its range on (NULL: the loop is a `while`), if
 * it computes with numbers and single elements alone: between two rounds that is no difference
 * but the time that it takes. NOT: it does not, or not now; then nothing has changed. STOPPED:
 * behind a round with so many inner ones that to lift these may be better. PART: a part of a
 * round cannot be, or not so; who has done it resumes the loop, with its value. */
enum fs_loop_end fs_loop_run(struct fs_interp *in, const struct fs_stmt *s,
                             const struct fs_val *range, struct fs_loop_rest *rest,
                             enum fs_status *st);
enum fs_loop_end fs_loop_resume(struct fs_interp *in, const struct fs_stmt *s,
                                const struct fs_val *value, struct fs_loop_rest *rest,
                                enum fs_status *st);
/* Tells a front end how far a loop is, four times a second from 2 s on. */
void fs_loop_progress(struct fs_interp *in, double begun, double *last, int64_t k, int64_t n);

/* -- index.c --------------------------------------------------------------- */

enum fs_status fs_eval_index(struct fs_interp *in, const struct fs_expr *e,
                             struct fs_val *out);
enum fs_status fs_exec_indexed(struct fs_interp *in, const struct fs_stmt *s);
enum fs_status fs_exec_place(struct fs_interp *in, const struct fs_stmt *s);
/* Element k of a vector or column k of a matrix, from 0, for loops. */
enum fs_status fs_index_column(struct fs_interp *in, const struct fs_val *v,
                               int64_t k, struct fs_span span,
                               struct fs_val *out);

/* -- decl.c, move.c -------------------------------------------------------- */

enum fs_status fs_exec_declare(struct fs_interp *in, const struct fs_stmt *s);
enum fs_status fs_exec_input(struct fs_interp *in, const struct fs_stmt *s);

/* -- builtins.c ------------------------------------------------------------ */

static inline const struct fs_builtin *fs_builtin_find(const struct fs_interp *in,
                                                       const char *name) {
  return in->builtins->find(name);
}

/* The text of a value as print(), by `o`, and string() give it. */
enum fs_status fs_val_put(struct fs_interp *in, const struct fs_val *v,
                          const struct fs_show_options *o, struct fs_str *out);
enum fs_status fs_val_print(struct fs_interp *in, const struct fs_val *v,
                            struct fs_str *out);

/* -- text.c ---------------------------------------------------------------- */

enum { FS_MAX_TEXT = 1 << 30 }; /* bytes of a string that a function makes */
/* How many code points there are; where the one behind the first `count` begins. */
size_t fs_text_count(const char *text, size_t len);
size_t fs_text_place(const char *text, size_t len, size_t count);
/* The same of a string, which is gone over once. */
size_t fs_string_count(struct fs_string *s);
size_t fs_string_place(struct fs_string *s, size_t count);

/* -- pick.c ---------------------------------------------------------------- */

/* The error of lists that are inside of each other so often. */
enum fs_status fs_list_check_depth(struct fs_interp *in, int depth, struct fs_span span);
/* base.name, and the error where there is none. */
enum fs_status fs_list_field(struct fs_interp *in, const struct fs_val *base, const char *name,
                             struct fs_span span, struct fs_val *out);
enum fs_status fs_list_no_field(struct fs_interp *in, const struct fs_list *l, const char *name,
                                struct fs_span span);
/* A place in a variable: of each list, from the outermost, the element from 0; behind the last
 * one it adds one, as a field if `name` is not NULL. */
struct fs_list_step {
  int64_t at;
  const char *name;
};
/* Gives the variable of the current scope another value there; keeps the reference of v. What
 * nobody else holds is changed where it lies, and the log knows what was there. */
void fs_list_put(struct fs_interp *in, const char *name, const struct fs_list_step *steps, int n,
                 struct fs_val v);
/* The place, from 0, that base[sub] = v is about; add: it may be the next one, or a new field. */
enum fs_status fs_pick_place(struct fs_interp *in, const struct fs_val *base,
                             const struct fs_val *sub, struct fs_span span, bool add,
                             int64_t *out);
/* base[sub] of what is on the host and has elements, fs_pick_extent() of them; sub NONE: all. */
int64_t fs_pick_extent(const struct fs_val *base);
enum fs_status fs_pick(struct fs_interp *in, const struct fs_val *base, const struct fs_val *sub,
                       struct fs_span span, struct fs_val *out);

/* -- values ---------------------------------------------------------------- */

struct fs_val fs_val_number(double x, bool is_int);
struct fs_val fs_val_bool(bool b);
/* The text of both, one behind the other. */
struct fs_val fs_val_joined(const char *a, size_t a_len, const char *b, size_t b_len);
/* A string of so many bytes, which its maker writes. */
struct fs_val fs_val_room(size_t len);
struct fs_val fs_val_func(struct fs_func *gives);
struct fs_val fs_val_tensor(struct fs_tensor *gives);
int64_t fs_range_count(const struct fs_val *r);
/* Whether its elements are whole numbers that i64 holds. */
bool fs_range_is_whole(const struct fs_val *r);

#endif
