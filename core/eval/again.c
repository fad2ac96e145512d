/* again.c - lists of statements that come again under the same conditions: a text at
 * the prompt, a cell, the body of a loop. Once what they read has the types, shapes,
 * layouts and aliases that it had, and numbers the same values, tracing them would
 * give the same graph; so nothing is traced: the block is bound to the values of now,
 * started, and its results get their names.
 *
 * Only plain lists are taken: assignments, also to parts, loops over elements that are lifted,
 * and a `return` over operators, subscripts and functions, which run as one block that reads
 * nothing on the host. Of built-in functions, those that are nothing but arithmetic, or look at
 * types and shapes. All that a list and the functions it calls read of variables is seen in
 * fs_lookup().
 *
 * A list may stand in a function. What it assigns are names of that function then, and what it
 * reads are these or global ones: a guard says which, and that no local variable hides a global
 * one. */
#include "core/eval/again.h"

#include "core/eval/overflow.h"
#include "core/ranks/ranks.h"

enum { LISTS_KEPT = 64, BEFORE = 2 };

static void free_again(struct fs_again *a) {
  fs_again_empty(a);
  fs_moves_free(a->moves);
  FS_VEC_FREE(&a->passing);
  fs_unit_unref(a->unit);
  free(a);
}

void fs_again_clear(struct fs_interp *in) {
  for (int k = 0; k < in->again.len; k++) free_again(in->again.data[k]);
  FS_VEC_FREE(&in->again);
  in->recording = NULL;
}

/* -- which lists ------------------------------------------------------------- */

static bool is_plain_expr(const struct fs_expr *e) {
  for (;; e = e->args[0]) {
    switch (e->kind) {
      case FS_EX_NUMBER: case FS_EX_BOOL: case FS_EX_NAME: case FS_EX_END:
      case FS_EX_COLON:
        return true;
      case FS_EX_UNARY: case FS_EX_BINARY: case FS_EX_RANGE: case FS_EX_CALL:
      case FS_EX_INDEX:
        break;
      default: return false;
    }
    for (int k = 1; k < e->n_args; k++)
      if (!is_plain_expr(e->args[k])) return false;
    if (!e->n_args) return true;
  }
}

/* What may stand in a loop that is lifted. */
static bool is_plain_loop(const struct fs_stmt *body, bool silent) {
  for (const struct fs_stmt *s = body; s; s = s->next) {
    bool sets = s->kind == FS_ST_ASSIGN || s->kind == FS_ST_INDEXED;
    bool goes = s->kind == FS_ST_FOR || s->kind == FS_ST_IF || s->kind == FS_ST_WHILE ||
                s->kind == FS_ST_BREAK || s->kind == FS_ST_CONTINUE;
    if (!goes && !(sets && (s->silent || silent))) return false;
    if (s->expr && !is_plain_expr(s->expr)) return false;
    if (s->kind == FS_ST_INDEXED && !is_plain_expr(s->expr2)) return false;
    if (!is_plain_loop(s->body, silent) || !is_plain_loop(s->orelse, silent)) return false;
  }
  return true;
}

static bool has_loop(const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if (s->kind == FS_ST_FOR) return true;
  return false;
}

static bool is_plain(const struct fs_interp *in, const struct fs_stmt *list,
                     bool top) {
  bool some = false, silent = in->silent || in->call_depth;
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_RETURN && top && !s->next) {
      for (int k = 0; k < s->n_exprs; k++)
        if (s->exprs[k]->kind != FS_EX_NAME) return false;
      return some && in->silent;
    }
    if (s->kind == FS_ST_FOR) {
      if (!is_plain_expr(s->expr) || !is_plain_loop(s->body, silent)) return false;
      some = true;
      continue;
    }
    if (s->kind != FS_ST_ASSIGN && s->kind != FS_ST_INDEXED) return false;
    if (!s->silent && !silent) return false;
    if (!is_plain_expr(s->expr)) return false;
    if (s->kind == FS_ST_INDEXED && !is_plain_expr(s->expr2)) return false;
    some = true;
  }
  return some;
}

static bool reads(const struct fs_expr *e, const char *name) {
  if (e->kind == FS_EX_NAME && !strcmp(e->text, name)) return true;
  for (int k = 0; k < e->n_args; k++)
    if (reads(e->args[k], name)) return true;
  return false;
}

/* Whether a list gives the name a value and reads none of before. */
static bool replaces(const struct fs_stmt *list, const char *name) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (reads(s->expr, name) || (s->kind == FS_ST_INDEXED && reads(s->expr2, name)))
      return false;
    for (int k = 0; k < s->n_targets && s->kind == FS_ST_ASSIGN; k++)
      if (!strcmp(s->targets[k].name, name)) return true;
  }
  return false;
}

static void find_passing(const struct fs_stmt *list, fs_name_list *out) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    for (int k = 0; k < s->n_targets && s->kind == FS_ST_ASSIGN; k++) {
      bool known = false;
      for (int i = 0; i < out->len; i++)
        known |= !strcmp(out->data[i], s->targets[k].name);
      if (!known && replaces(list, s->targets[k].name))
        *FS_PUSH(out) = s->targets[k].name;
    }
}

static bool is_users(const struct fs_interp *in) {
  return in->call_depth ? !in->scope->prelude && !in->scope->sealed && !in->lib_depth
                        : in->scope == &in->globals;
}

/* Between two blocks, in code of the user. */
static bool is_between(const struct fs_interp *in) {
  return is_users(in) && !in->graph && !in->handles.len && !in->inputs.len &&
         !in->pending.len && in->running && !in->lib_depth && !in->begin_depth &&
         !in->elementwise && !in->explain && !in->loading_prelude &&
         !in->importing.len && in->units.len <= 1 + in->call_depth;
}

static struct fs_again *find(struct fs_interp *in, const struct fs_stmt *list,
                             bool top) {
  for (int k = in->again.len - 1; k >= 0; k--) {
    struct fs_again *a = in->again.data[k];
    if (a->list == list && a->top == top && a->script == in->script &&
        a->silent == in->silent)
      return a;
  }
  return NULL;
}

static struct fs_again *add(struct fs_interp *in, const struct fs_stmt *list,
                            bool top) {
  if (in->again.len == LISTS_KEPT) {
    free_again(in->again.data[0]);
    in->again.len--;
    memmove(in->again.data, in->again.data + 1,
            sizeof *in->again.data * (size_t)in->again.len);
  }
  struct fs_again *a = fs_calloc(1, sizeof *a);
  a->list = list;
  a->top = top;
  a->script = in->script;
  a->silent = in->silent;
  a->refused = !is_plain(in, list, top);
  a->loops = has_loop(list);
  if (!a->refused && !top && !a->loops) find_passing(list, &a->passing);
  *FS_PUSH(&in->again) = a;
  a->unit = fs_unit_ref(in->units.data[in->units.len - 1]);
  return a;
}

void fs_again_begin(struct fs_interp *in, const struct fs_stmt *list,
                    bool top) {
  if (in->recording || in->nancheck || !list || !is_between(in)) return;
  struct fs_again *a = find(in, list, top);
  if (!a) a = add(in, list, top);
  if (a->refused || a->seen++ < BEFORE) return;
  if (a->misses > FS_AGAIN_MISSES && a->misses > a->hits && !fs_moves_learning(a))
    a->refused = true;
  if (fs_moves_stay(a)) return;
  fs_again_empty(a);
  a->home = in->scope;
  a->blocks = 0;
  a->forced = in->forced;
  a->told = in->diags->list.len;
  a->stream = in->stream;
  in->recording = a;
}

/* -- once more ------------------------------------------------------------------ */

/* A number that slices go by may be another one: *moved then. */
static bool number_holds(struct fs_again_guard *g, const struct fs_val *v, bool *moved) {
  bool same = !memcmp(&v->number, &g->number, sizeof g->number);
  g->next = v->number;
  *moved |= !same;
  return v->is_int == g->is_int && (same || g->moving);
}

static bool holds(struct fs_interp *in, struct fs_again *a, int k, bool *moved) {
  struct fs_again_guard *g = &a->guards.data[k];
  const struct fs_val *v = fs_again_now(in, g);
  if (!v || g->kind == FS_V_NONE) return !v && g->kind == FS_V_NONE;
  if (v->kind != g->kind) return false;
  if (v->kind == FS_V_FUNCTION) return v->func == g->func;
  if (v->kind != FS_V_TENSOR) return number_holds(g, v, moved);
  const struct fs_tensor *t = g->now = v->tensor;
  int64_t list_to = fs_tensor_list_to(t);
  if (g->list_to && (!list_to || list_to > g->list_to)) return false;
  if (t->state != FS_TS_STORED || t->dtype != g->dtype ||
      !fs_shape_equal(&t->shape, &g->shape) ||
      t->layout.offset != g->layout.offset || t->storage->cut.part)
    return false;
  for (int i = 0; i < t->shape.rank; i++)
    if (t->layout.stride[i] != g->layout.stride[i]) return false;
  int alias = 0;
  while (a->guards.data[alias].kind != FS_V_TENSOR ||
         a->guards.data[alias].now->storage != t->storage)
    alias++;
  return alias == g->alias;
}

static bool may_run(struct fs_interp *in, struct fs_again *a, enum fs_status *st) {
  bool moved = false;
  struct fs_epoch here = fs_run_epoch(in->runner, in->language);
  if (!fs_run_may_recall(in->runner) || !fs_memo_block(&a->memo, here)) return false;
  bool hold = true;
  for (int k = 0; k < a->guards.len && hold; k++) hold = holds(in, a, k, &moved);
  if (!hold) fs_moves_missed(a);
  if (!hold) return false;
  for (int k = 0; k < a->effects.len; k++) /* to give a value needs no memory */
    if (!fs_scope_find(in->scope, a->effects.data[k].name)) return false;
  return !moved || fs_moves_go(in, a, st);
}

/* Whether nothing but the name that gets another value still holds what it is. */
static bool is_dying(const struct fs_again *a, int guard) {
  const struct fs_again_guard *g = &a->guards.data[guard];
  for (int k = 0; a->recipe && k < a->recipe->graph->inputs.len; k++)
    if (a->recipe_from[k] == guard) return false;
  for (int k = 0; k < a->effects.len; k++)
    if (a->effects.data[k].guard == guard) return false;
  return g->rebound && g->now->refs == 1 && g->now->storage->refs == 1;
}

/* What the recipe reads, as it is now; NULL: there is no recipe. */
static struct fs_snapshot *take_snapshot(const struct fs_again *a) {
  struct fs_tensor *inputs[FS_AGAIN_INPUTS];
  if (!a->recipe) return NULL;
  for (int k = 0; k < a->recipe->graph->inputs.len; k++)
    inputs[k] = (struct fs_tensor *)a->guards.data[a->recipe_from[k]].now;
  return fs_snapshot_new(a->recipe, inputs);
}

/* The value of a name, with a reference. */
static struct fs_val value_of(const struct fs_again *a, const struct fs_again_effect *e,
                              struct fs_tensor *const *out, struct fs_snapshot *s) {
  if (e->output >= 0) return fs_val_tensor(fs_tensor_ref(out[e->output]));
  if (e->node) return fs_val_tensor(fs_tensor_virtual(s, e->node, e->dtype, &e->shape));
  if (e->guard < 0) return e->number;
  struct fs_storage *storage = a->guards.data[e->guard].now->storage;
  return fs_val_tensor(fs_tensor_stored(fs_storage_ref(storage), e->dtype, &e->shape,
                                        &e->layout));
}

/* All values are made before the first name loses what it was. */
static void give_values(struct fs_interp *in, const struct fs_again *a,
                        struct fs_tensor *const *out) {
  struct fs_val values[FS_AGAIN_EFFECTS];
  struct fs_snapshot *s = take_snapshot(a);
  for (int k = 0; k < a->effects.len; k++)
    values[k] = value_of(a, &a->effects.data[k], out, s);
  for (int k = 0; k < a->effects.len; k++)
    fs_scope_set(in->scope, a->effects.data[k].name, values[k]);
  fs_snapshot_unref(s);
}

/* -- rounds ahead ----------------------------------------------------------------- */

static const struct fs_again_guard *guard_by_name(const struct fs_again *a, const char *name,
                                                  bool local) {
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].local == local && !strcmp(a->guards.data[k].name, name))
      return &a->guards.data[k];
  return NULL;
}

/* Whether each name that the list assigns is a result, and was of its kind before: `home` says
 * of each result where that lay. What is known of lists of indices may end with a round. */
static bool find_homes(const struct fs_interp *in, const struct fs_again *a,
                       struct fs_rounds *more) {
  bool local = in->scope != &in->globals;
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].kind == FS_V_TENSOR && a->guards.data[k].list_to) return false;
  for (int k = 0; k < a->effects.len; k++) {
    const struct fs_again_effect *e = &a->effects.data[k];
    const struct fs_again_guard *g = guard_by_name(a, e->name, local);
    if (e->output < 0 || !g || g->kind != FS_V_TENSOR) return false;
    const struct fs_again_output *o = &a->outputs.data[e->output];
    if (g->dtype != o->dtype || !fs_shape_equal(&g->shape, &o->shape)) return false;
    more->home[e->output] = g->now->storage;
  }
  return !a->recipe && a->effects.len == a->outputs.len;
}

struct following {
  struct fs_interp *in;
  struct fs_again *a;
};

static enum fs_status next_round(void *user, struct fs_diags *d) {
  const struct following *f = user;
  return fs_moves_next(f->in, f->a, d);
}

/* Few rounds are not worth it. */
static bool look_ahead(struct fs_interp *in, struct fs_again *a, const struct fs_ahead *ahead,
                       struct fs_rounds *more) {
  enum { FEW = 4 };
  if (!ahead || fs_ranks() > 1 || ahead->left < FEW || !find_homes(in, a, more)) return false;
  more->left = fs_moves_reach(in, a, ahead);
  more->next = next_round;
  return more->left >= FEW;
}

/* The counter is what it was in the last round. */
static void count_on(struct fs_interp *in, const struct fs_again *a, const char *counter) {
  double now = fs_again_guard_of(a, counter)->number;
  fs_scope_set(in->scope, counter, fs_val_number(now, true));
}

static enum fs_status run(struct fs_interp *in, struct fs_again *a, struct fs_ahead *ahead) {
  struct following f = {in, a};
  struct fs_rounds more = {.user = &f};
  struct fs_tensor *inputs[FS_AGAIN_INPUTS], *out[FS_AGAIN_OUTPUTS];
  bool dying[FS_AGAIN_INPUTS];
  struct fs_block *b = a->memo.life->block;
  for (int k = 0; k < fs_planned_graph(b)->inputs.len; k++) {
    const struct fs_again_guard *g = &a->guards.data[a->from[k]];
    inputs[k] = (struct fs_tensor *)g->now;
    dying[k] = is_dying(a, a->from[k]);
  }
  for (int k = 0; k < a->outputs.len; k++)
    out[k] = fs_tensor_promised(a->outputs.data[k].dtype,
                                &a->outputs.data[k].shape);
  bool follow = look_ahead(in, a, ahead, &more);
  enum fs_status st = fs_run_again(in->runner, b, inputs, dying, a->params, &a->anchors, out,
                                   follow ? &more : NULL, in->diags);
  if (follow) ahead->done = more.done, ahead->failed = more.failed;
  if (more.done) fs_moves_end(in, a, ahead);
  if (st == FS_OK) give_values(in, a, out);
  if (st == FS_OK && a->word) {
    in->word = fs_tensor_ref(out[a->word - 1]);
    for (int k = 0; k < a->sums.len; k++) *FS_PUSH(&in->sums) = a->sums.data[k];
  }
  if (more.done) count_on(in, a, ahead->counter);
  for (int k = 0; k < a->outputs.len; k++) fs_tensor_unref(out[k]);
  if (more.failed) fs_again_empty(a); /* its numbers are of the round that failed */
  return st;
}

const fs_name_list *fs_again_passing(struct fs_interp *in, const struct fs_stmt *body) {
  if (!body || !is_users(in) || in->explain) return NULL;
  struct fs_again *a = find(in, body, false);
  return a && a->passing.len ? &a->passing : NULL;
}

bool fs_again_try(struct fs_interp *in, const struct fs_stmt *list, bool top,
                  struct fs_ahead *ahead, enum fs_status *st) {
  if (!list || in->recording || !is_between(in)) return false;
  struct fs_again *a = find(in, list, top);
  if (!a || !a->ready || (a->loops && in->no_loops)) return false;
  *st = FS_OK;
  if (!may_run(in, a, st)) {
    a->misses++;
    return *st != FS_OK;
  }
  struct fs_block *b = a->memo.life->block;
  a->hits++;
  *st = fs_poll(in, list->span);
  if (*st == FS_OK) *st = run(in, a, ahead);
  fs_block_again(in, b, *st);
  if (*st == FS_OK) *st = fs_overflow_look(in);
  if (*st == FS_OK && ahead && ahead->failed) { /* in a round behind it, which did nothing */
    *st = ahead->failed;
    fs_block_again(in, b, *st);
  }
  return true;
}
