/* interp.c - the interpreter's life: new, a text that runs or is explained, reset, free. */
#include <sys/resource.h>

#include "core/base/embed.h"
#include "core/eval/builtins.h"
#include "core/eval/rewrite.h"
#include "core/eval/lift.h"

/* -- running a text -------------------------------------------------------- */

static void clear_assigned(struct fs_interp *in) {
  for (int i = 0; i < in->assigned.len; i++) free(in->assigned.data[i]);
  in->assigned.len = 0;
}

static void set_stack_limit(struct fs_interp *in, const char *base) {
  struct rlimit rl;
  size_t limit = (size_t)4 << 20;
  if (getrlimit(RLIMIT_STACK, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
    limit = FS_MIN(limit, (size_t)rl.rlim_cur / 2);
  in->stack_base = base;
  in->stack_limit = limit;
}

/* Runs statements and ends their block, whatever happened. */
static enum fs_status run_block_of(struct fs_interp *in, const struct fs_stmt *stmts,
                                   enum fs_flow *flow) {
  enum fs_status st = FS_OK;
  if (fs_again_try(in, stmts, true, NULL, &st)) {
    if (st != FS_OK) fs_block_abandon(in);
    return st;
  }
  fs_again_begin(in, stmts, true);
  st = fs_exec(in, stmts, flow);
  fs_clear_results(in);
  if (st != FS_OK) fs_again_stop(in);
  fs_again_end(in, stmts, true);
  if (st == FS_OK && in->explain) fs_block_explain_end(in);
  else if (st == FS_OK || (st == FS_ERR_USER && !in->explain)) {
    int before = in->n_blocks;
    enum fs_status end = fs_interp_flush(in);
    if (in->n_blocks > before) in->before_last = before;
    return st == FS_OK ? end : st;
  }
  fs_block_abandon(in);
  return st;
}

/* Gives the reference to the unit back. */
static enum fs_status run_unit(struct fs_interp *in, struct fs_unit *unit,
                               struct fs_stmt *stmts, unsigned flags) {
  char base;
  bool nested = in->running, script = in->script, silent = in->silent;
  int begin_depth = in->begin_depth;
  struct fs_span stmt = in->stmt, span = in->span;
  if (!nested) {
    set_stack_limit(in, &base);
    clear_assigned(in);
    in->waits_old = true;
    in->nan_told = false;
  }
  *FS_PUSH(&in->units) = unit;
  in->running = true;
  in->script = flags & FS_EVAL_SCRIPT;
  in->silent = flags & FS_EVAL_SILENT;
  in->begin_depth = 0;
  fs_mention_inputs(in, stmts);
  enum fs_flow flow = FS_FLOW_NEXT;
  enum fs_status st = run_block_of(in, stmts, &flow);
  in->returned = flow == FS_FLOW_RETURN;
  in->units.len--;
  fs_unit_unref(unit);
  in->running = nested;
  in->script = script;
  in->silent = silent;
  in->begin_depth = begin_depth;
  in->stmt = stmt;
  in->span = span;
  return st;
}

enum fs_status fs_interp_eval(struct fs_interp *in, const char *name,
                              const char *text, size_t len, unsigned flags) {
  struct fs_unit *unit = NULL;
  struct fs_stmt *stmts = NULL;
  enum fs_status st = fs_parsed_get(in, name, text, len, (int)(flags / FS_EVAL_LINE),
                                    &unit, &stmts);
  return st == FS_OK ? run_unit(in, unit, stmts, flags) : st;
}

static struct fs_declared *copy_declared(const struct fs_interp *in) {
  size_t bytes = sizeof *in->declared.data * (size_t)in->declared.len;
  struct fs_declared *copy = fs_malloc(bytes + 1);
  if (bytes) memcpy(copy, in->declared.data, bytes);
  return copy;
}

static void restore_declared(struct fs_interp *in, struct fs_declared *copy, int n) {
  for (int k = n; k < in->declared.len; k++) free(in->declared.data[k].name);
  for (int k = 0; k < n; k++) in->declared.data[k] = copy[k];
  in->declared.len = n;
  free(copy);
}

/* Evaluates a text in the midst of an input, which it is no part of. */
static enum fs_status aside(struct fs_interp *in, const char *name, const char *text, size_t len,
                            fs_explain_fn *graph, void *user) {
  int64_t seed = in->seed, stream = in->stream;
  char **assigned = in->assigned.data; /* a `return` there is about that text */
  int n = in->assigned.len, cap = in->assigned.cap;
  in->assigned.data = NULL;
  in->assigned.len = in->assigned.cap = 0;
  struct fs_declared *declared = copy_declared(in);
  int n_declared = in->declared.len;
  in->explain = graph;
  in->explain_user = user;
  enum fs_status st = fs_interp_eval(in, name, text, len, FS_EVAL_BLOCK);
  in->explain = NULL;
  restore_declared(in, declared, n_declared);
  clear_assigned(in);
  free(in->assigned.data);
  in->assigned.data = assigned;
  in->assigned.len = n;
  in->assigned.cap = cap;
  in->seed = seed;
  in->stream = stream;
  return st;
}

enum fs_status fs_interp_explain(struct fs_interp *in, const char *name, const char *text,
                                 size_t len, fs_explain_fn *graph, void *user) {
  return aside(in, name, text, len, graph, user);
}

enum fs_status fs_interp_aside(struct fs_interp *in, const char *name, const char *text) {
  return aside(in, name, text, strlen(text), NULL, NULL);
}

void fs_interp_remove(struct fs_interp *in, const char *name) {
  fs_scope_remove(&in->globals, name);
}

bool fs_interp_is_own(struct fs_interp *in, const char *name) {
  return fs_scope_find(&in->globals, name) != NULL;
}

/* -- life ------------------------------------------------------------------ */

static void load_prelude(struct fs_interp *in) {
  const char *text = fs_embedded_text("prelude.fs");
  if (!text) return;
  in->loading_prelude = true;
  in->scope = &in->prelude;
  fs_interp_eval(in, "prelude.fs", text, strlen(text),
                 FS_EVAL_SCRIPT | FS_EVAL_SILENT);
  in->scope = &in->globals;
  in->loading_prelude = false;
}

struct fs_interp *fs_interp_new(struct fs_diags *diags,
                                struct fs_runner *runner,
                                struct fs_target *target,
                                const struct fs_interp_host *host) {
  struct fs_interp *in = fs_calloc(1, sizeof(*in));
  in->diags = diags;
  in->runner = runner;
  in->target = target;
  in->floats = FS_F32;
  if (host) in->host = *host;
  in->prelude.prelude = true;
  in->scope = &in->globals;
  in->size = 1024;
  in->seed = 1;
  in->undo_round = 1;
  in->builtins = &fs_builtin_table;
  in->elem_arena = fs_arena_new();
  fs_load_elems(in);
  in->n_library = in->elems.len;
  load_prelude(in);
  return in;
}

static void clear_declared(struct fs_interp *in) {
  for (int i = 0; i < in->declared.len; i++) free(in->declared.data[i].name);
  in->declared.len = 0;
}

void fs_interp_reset(struct fs_interp *in) {
  fs_block_abandon(in);
  fs_again_clear(in);
  fs_scope_clear(&in->globals);
  clear_declared(in);
  fs_rewrites_clear(in);
  in->globals.stamp++;
  in->elems.len = FS_MIN(in->elems.len, in->n_library);
  in->language++;
  fs_interp_seed(in, 1);
}

void fs_interp_free(struct fs_interp *in) {
  if (!in) return;
  fs_interp_reset(in);
  fs_scope_clear(&in->prelude);
  clear_assigned(in);
  fs_clear_results(in);
  fs_lift_forget(in);
  FS_VEC_FREE(&in->rules);
  FS_VEC_FREE(&in->unchecked);
  FS_VEC_FREE(&in->sums);
  FS_VEC_FREE(&in->waits);
  FS_VEC_FREE(&in->declared);
  FS_VEC_FREE(&in->assigned);
  FS_VEC_FREE(&in->results);
  FS_VEC_FREE(&in->elems);
  FS_VEC_FREE(&in->users);
  FS_VEC_FREE(&in->choices);
  fs_graph_free(in->spare);
  FS_VEC_FREE(&in->units);
  fs_parsed_clear(in);
  FS_VEC_FREE(&in->handles);
  FS_VEC_FREE(&in->inputs);
  FS_VEC_FREE(&in->stand_ins);
  FS_VEC_FREE(&in->undo);
  FS_VEC_FREE(&in->pending);
  fs_plot_free(in->last_plot);
  FS_VEC_FREE(&in->index_end);
  FS_VEC_FREE(&in->importing);
  fs_str_free(&in->doc_text);
  fs_arena_free(in->elem_arena);
  free(in);
}
