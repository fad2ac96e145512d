/* eval.h - the interpreter: statements in, traced blocks out.
 *
 * The interpreter walks the syntax tree on the host. Operations on tensors run
 * nothing: they append to the graph of the current statement block and give
 * lazy handles. A block is flushed (planned, compiled, run) when it ends or when
 * the host needs a value; every lazy handle that something still refers to is
 * then stored.
 *
 *   text -> fs_interp_eval -> fs_parse -> statements -> trace -> flush -> host
 *                                                                 callbacks
 *
 * One interpreter lives as long as its session. All calls from one thread.
 * What values look like on the screen is show.h's business, files are files.h's,
 * `:commands` are command.h's.
 */
#ifndef FS_EVAL_H
#define FS_EVAL_H

#include "core/eval/value.h"
#include "core/plot/plot.h"
#include "core/run/run.h"
#include "core/base/outcome.h"

struct fs_interp;

/* What the session wants to hear. Any pointer may be NULL. Called in the order
 * of the program; strings and values are borrowed for the call. */
struct fs_interp_host {
  void *user;
  /* print() and the like: any bytes, not yet made safe for a terminal. */
  void (*text)(void *user, const char *text, size_t len);
  /* A statement without `;` gave a value, or `return` displays it. Called after
   * its block was flushed: tensors are stored. `name` is the variable, or NULL
   * for an expression. */
  void (*show)(void *user, const char *name, struct fs_val v,
               struct fs_span span);
  /* A block was run (also one that was found in the cache): its plan, its
   * measured times after fs_runner_sync(). Called before the shows of the
   * block. `number` counts the blocks of the session from 1. */
  void (*block)(void *user, struct fs_block *block, int number);
  /* A value that was left to be computed when it is read was: its block, which has run,
   * and the variable's name or NULL. Called before `block` of what reads it. */
  void (*late)(void *user, struct fs_block *block, const char *name);
  /* plot() and the like, in its turn. */
  void (*plot)(void *user, const struct fs_plot *plot);
  /* Puts the kernels of the last blocks into the plot of roofline(), or their
   * times into that of predictions(). */
  enum fs_status (*kernels)(void *user, struct fs_plot *plot, bool times);
  void (*progress)(void *user, const char *what, double done, double seconds);
  /* How print() shows values, as the settings are then. May be NULL. */
  const struct fs_show_options *look;
  /* A line from the user, from malloc, or NULL; see session.h. May be NULL. */
  char *(*ask)(void *user, const char *prompt, bool secret);
  /* A function of the user is about to be called in this form, which is kept as
   * long as the interpreter; the block that has the call is not planned yet. */
  void (*function)(void *user, const struct fs_user *form);
  /* A `:command` line or `?name` inside a text; the block was flushed. */
  enum fs_status (*command)(void *user, const char *line, struct fs_span span);
};

/* Evaluates prelude.fs and the elementary functions; a mistake in these is a
 * diagnostic in `diags` and the rest goes on. All pointers are borrowed until
 * fs_interp_free(); *host is copied. */
struct fs_interp *fs_interp_new(struct fs_diags *diags,
                                struct fs_runner *runner,
                                struct fs_target *target,
                                const struct fs_interp_host *host);
void fs_interp_free(struct fs_interp *in);

/* Parses and runs a text. flags: enum fs_eval_flags. FS_INCOMPLETE: nothing was
 * run. On FS_ERR_USER and FS_ERR_ENV diagnostics say what happened; statements
 * completed before the failing one keep their effect. After FS_INTERRUPTED or
 * FS_ERR_ENV in a running block, the assignments since that block began are
 * undone. */
enum fs_status fs_interp_eval(struct fs_interp *in, const char *name,
                              const char *text, size_t len, unsigned flags);
/* Whether a `return` outside of functions ended that text: what follows it in its
 * file is not to be run. */
bool fs_interp_returned(const struct fs_interp *in);

/* Gets a block that would run, with its outputs set (what variables hold, and what is shown,
 * saved, plotted or returned); borrowed for the call, fs_explain_graph() takes it. results[]:
 * how each output lies, squeezed, packed if it is not changed; what reads it later goes by
 * that. */
typedef void fs_explain_fn(void *user, struct fs_graph *g, struct fs_layout *results);

/* Traces a text without running it, hands each block that would run to `graph`, in order,
 * also each round of a loop, and undoes all assignments. For :explain and the graph dump. */
enum fs_status fs_interp_explain(struct fs_interp *in, const char *name,
                                 const char *text, size_t len, fs_explain_fn *graph,
                                 void *user);

/* Runs what has been traced so far (nothing to do: FS_OK) and hands out pending
 * displays. Between two fs_interp_eval() nothing is ever pending. */
enum fs_status fs_interp_flush(struct fs_interp *in);
/* Evaluates a text in the midst of an input, of which it is no part. */
enum fs_status fs_interp_aside(struct fs_interp *in, const char *name, const char *text);

/* After an out-of-memory jump (fs_oom_guard) out of an evaluation: forgets what
 * was going on; variables have the values from before the running block. */
void fs_interp_recover(struct fs_interp *in);

/* Takes another target and its runner into use; every value moves there through
 * host memory. On failure everything stays where it was. */
enum fs_status fs_interp_retarget(struct fs_interp *in,
                                  struct fs_runner *runner,
                                  struct fs_target *target);

/* -- variables ------------------------------------------------------------- */

/* The global `name`: borrowed, valid until the next call that evaluates or
 * defines. NULL if there is none. Builtins are no variables; functions defined
 * by the user or the prelude are. */
const struct fs_val *fs_interp_get(struct fs_interp *in, const char *name);
/* Defines a global; keeps the reference of `v`. */
void fs_interp_set(struct fs_interp *in, const char *name, struct fs_val v);
/* The global is an input of a script, which has not read it so far. */
void fs_interp_set_given(struct fs_interp *in, const char *name);
/* A warning for each input that nothing has read. */
void fs_interp_warn_unread(struct fs_interp *in);
/* Removes all user variables, user functions, declarations; restarts the random
 * numbers. The prelude stays. */
void fs_interp_reset(struct fs_interp *in);

/* User variables and user functions in the order of their names, for :vars and
 * completion: the k-th, or false when there are no more. from_prelude says that
 * it was defined there. */
struct fs_interp_var {
  const char *name;
  struct fs_val value; /* borrowed */
  bool from_prelude;
  uint64_t stamp;      /* changes whenever the name gets a value */
};
/* Removes a variable, if there is one. */
void fs_interp_remove(struct fs_interp *in, const char *name);
/* Whether a global variable or function of that name is the user's. */
bool fs_interp_is_own(struct fs_interp *in, const char *name);
/* Greater after anything was defined, assigned or removed. */
uint64_t fs_interp_stamp(const struct fs_interp *in);
bool fs_interp_var_at(struct fs_interp *in, int k, struct fs_interp_var *out);

/* Makes a tensor value readable with fs_tensor_download(): flushes the block if
 * it is lazy, computes it if it is virtual. Not needed for values that came
 * through the `show` callback. */
enum fs_status fs_interp_force(struct fs_interp *in, struct fs_tensor *t);

/* -- functions, for help and completion ------------------------------------ */

struct fs_interp_doc {
  const char *name;      /* "sqrt" */
  const char *signature; /* "sqrt(x)", "sum(x[, dim])" */
  const char *doc;       /* one or a few sentences */
  const char *kind;      /* "builtin", "elementary", "function", "variable",
                            "keyword" */
  const struct fs_elem *elem; /* elementary: its metadata; else NULL */
};
/* Looks up builtins, elementary functions (also by alias), user and prelude
 * functions, keywords. Text borrowed until the next call. */
bool fs_interp_doc(struct fs_interp *in, const char *name,
                   struct fs_interp_doc *out);
/* The k-th of all builtins, elementary functions (each alias once more), then
 * functions; false at the end. */
bool fs_interp_doc_at(struct fs_interp *in, int k, struct fs_interp_doc *out);

/* Takes a function of elemlib/ into the library. */
enum fs_status fs_interp_elem(struct fs_interp *in, const char *name,
                              const char *text, size_t len);
/* Defines the kernels of a file (`:kernel FILE`; name: that one alone, or NULL; how: of
 * fs_kernel_load()) as functions under their names. What was done is appended to *said. */
enum fs_status fs_interp_kernels(struct fs_interp *in, const char *path, const char *name,
                                 const char *how, struct fs_span span, struct fs_str *said);
/* Runs `to = CALL` for a call of a kernel of a file, as it is written (`how`: words of
 * fs_kernel_load(), or NULL) or as it is read, whichever it is in the session. */
enum fs_status fs_interp_race(struct fs_interp *in, const char *call, const char *how,
                              bool as_is, const char *to, struct fs_span span);
/* Adds a function of the user (`:elem FILE`), or replaces the one of its name:
 * checked, and its routines compiled alone, so that errors point into the text.
 * What was done is appended to *said. */
enum fs_status fs_interp_elem_add(struct fs_interp *in, const char *name,
                                  const char *text, size_t len,
                                  struct fs_str *said);
/* All functions, those of the library first; how many those are. */
int fs_interp_elem_count(const struct fs_interp *in, int *library);
const struct fs_elem *fs_interp_elem_at(const struct fs_interp *in, int k);
/* The routine that calls of a function take (`:elem NAME impl N`). */
enum fs_status fs_interp_elem_choose(struct fs_interp *in, const char *name,
                                     int impl, struct fs_span span);
/* "inv3(A:3x3) -> 3x3" */
void fs_elem_signature(const struct fs_elem *e, const char *name,
                       struct fs_str *out);

/* The name of anything of the language that `name` may have been meant for; NULL if
 * none is near. Borrowed until the next input. */
const char *fs_interp_near_name(struct fs_interp *in, const char *name);

/* -- settings and parts ---------------------------------------------------- */

/* Size of made-up `input` data where no variable n exists; 1024 at first. */
void fs_interp_set_size(struct fs_interp *in, int64_t n);
int64_t fs_interp_size(const struct fs_interp *in);
/* Whether loops over elements are lifted (lift.h); on at first. */
/* The type of arrays in brackets and of constructors that are told none: FS_F32 or FS_F64. */
void fs_interp_set_floats(struct fs_interp *in, enum fs_dtype dt);
enum fs_dtype fs_interp_floats(const struct fs_interp *in);
void fs_interp_set_loops(struct fs_interp *in, bool on);
bool fs_interp_loops(const struct fs_interp *in);
/* Why loops of the last input that has such are not lifted, as notes; NULL beyond the last.
 * Borrowed until the next input. */
const struct fs_diag *fs_interp_wait_at(const struct fs_interp *in, int k);
/* Whether results of blocks are looked at for what is not finite (nancheck.h). */
void fs_interp_set_nancheck(struct fs_interp *in, bool on);
bool fs_interp_nancheck(const struct fs_interp *in);
/* Whether it is an error where sums and products of integers leave their type (overflow.h); else
 * they wrap around. */
void fs_interp_set_overflow(struct fs_interp *in, bool on);
bool fs_interp_overflow(const struct fs_interp *in);
/* What rule k of the user, from 0, says; NULL beyond the last. Borrowed. Forgets rule k. */
const char *fs_interp_rule_at(const struct fs_interp *in, int k);
void fs_interp_rule_drop(struct fs_interp *in, int k);
/* Bytes that a small sparse file may take when it is dense; 0: FS_EXPAND. */
void fs_interp_set_expand(struct fs_interp *in, int64_t bytes);
int64_t fs_interp_expand(const struct fs_interp *in);
void fs_interp_seed(struct fs_interp *in, int64_t seed);
/* Where the random numbers are: with it, a later input draws the same again. */
void fs_interp_random(const struct fs_interp *in, int64_t *seed,
                      int64_t *stream);
void fs_interp_set_random(struct fs_interp *in, int64_t seed, int64_t stream);

/* Blocks that were run have the numbers 1, 2, ...; those of the last statement
 * that ran any have a greater number than this. */
int fs_interp_before_last(const struct fs_interp *in);
struct fs_diags *fs_interp_diags(struct fs_interp *in);
struct fs_target *fs_interp_target(struct fs_interp *in);
/* Sends text to host->text in order with pending displays (used by print and by
 * whoever else writes from inside an evaluation). */
void fs_interp_text(struct fs_interp *in, const char *text, size_t len);

#endif
