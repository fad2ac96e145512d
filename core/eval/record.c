/* record.c - what a list of statements reads and gives while it is traced, for again.c:
 * names and what they are, the block that it runs, what the names are afterwards. */
#include "core/eval/again.h"

void fs_again_empty(struct fs_again *a) {
  fs_moves_forget(a);
  for (int k = 0; k < a->guards.len; k++) {
    free(a->guards.data[k].name);
    if (a->guards.data[k].func) fs_func_unref(a->guards.data[k].func);
  }
  for (int k = 0; k < a->effects.len; k++) free(a->effects.data[k].name);
  for (int k = 0; k < a->assigned.len; k++) free(a->assigned.data[k].name);
  FS_VEC_FREE(&a->guards);
  FS_VEC_FREE(&a->effects);
  FS_VEC_FREE(&a->assigned);
  FS_VEC_FREE(&a->outputs);
  FS_VEC_FREE(&a->sums);
  FS_VEC_FREE(&a->anchors);
  free(a->from);
  free(a->params);
  free(a->recipe_from);
  fs_recipe_unref(a->recipe);
  fs_memo_drop(&a->memo);
  a->from = a->recipe_from = NULL, a->params = NULL, a->recipe = NULL;
  a->word = 0;
  a->ready = a->failed = a->ended = false;
}

const struct fs_again_guard *fs_again_guard_of(const struct fs_again *a, const char *name) {
  const struct fs_again_guard *global = NULL;
  for (int k = 0; k < a->guards.len; k++) {
    const struct fs_again_guard *g = &a->guards.data[k];
    if (strcmp(g->name, name) || g->kind == FS_V_NONE) continue;
    if (g->local) return g;
    global = g;
  }
  return global;
}

/* A new guard of no variable; NULL: there is one. */
static struct fs_again_guard *add_guard(struct fs_again *a, const char *name, bool local) {
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].local == local && !strcmp(a->guards.data[k].name, name)) return NULL;
  if (a->guards.len == FS_AGAIN_NAMES) {
    a->failed = true;
    return NULL;
  }
  char *copy = fs_strdup(name);
  struct fs_again_guard *g = FS_PUSH(&a->guards);
  *g = (struct fs_again_guard){.name = copy, .local = local, .alias = a->guards.len - 1};
  return g;
}

/* A name that is no variable of the user's must stay none, where it would be one. */
static void saw_no_local(struct fs_interp *in, const char *name) {
  struct fs_again *a = in->recording;
  if (in->scope == a->home && a->home != &in->globals) add_guard(a, name, true);
}

static void saw_no_variable(struct fs_interp *in, const char *name) {
  if (in->scope->prelude || in->scope->sealed) return;
  saw_no_local(in, name);
  add_guard(in->recording, name, false);
}

static void saw_variable(struct fs_again *a, const char *name, bool local,
                         const struct fs_val *v) {
  bool known = v->kind == FS_V_NUMBER || v->kind == FS_V_BOOL ||
               v->kind == FS_V_FUNCTION ||
               (v->kind == FS_V_TENSOR && v->tensor->state == FS_TS_STORED);
  a->failed |= !known;
  struct fs_again_guard *g = known ? add_guard(a, name, local) : NULL;
  if (!g) return;
  g->kind = v->kind;
  if (v->kind == FS_V_FUNCTION) {
    g->func = fs_func_ref(v->func);
    return;
  }
  g->number = v->number;
  g->is_int = v->is_int;
  if (v->kind != FS_V_TENSOR) return;
  g->dtype = v->tensor->dtype;
  g->shape = v->tensor->shape;
  g->layout = v->tensor->layout;
  g->list_to = fs_tensor_list_to(v->tensor);
  g->seen = v->tensor->storage;
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].seen == g->seen) {
      g->alias = k;
      break;
    }
}

static bool is_assigned(const struct fs_again *a, const char *name) {
  for (int k = 0; k < a->assigned.len; k++)
    if (!strcmp(a->assigned.data[k].name, name)) return true;
  return false;
}

void fs_again_assigns(struct fs_interp *in, const char *name, bool new) {
  struct fs_again *a = in->recording;
  if (!a || in->scope != a->home || is_assigned(a, name)) return;
  char *copy = fs_strdup(name);
  *FS_PUSH(&a->assigned) = (struct fs_again_assigned){copy, new};
}

void fs_again_saw(struct fs_interp *in, const char *name, const struct fs_scope *scope,
                  const struct fs_val *v) {
  struct fs_again *a = in->recording;
  if (!a || a->failed) return;
  if (scope == &in->prelude) {
    saw_no_variable(in, name);
    return;
  }
  /* What the names of a function hold that is called follows from what it is called with. */
  if (scope != a->home && scope != &in->globals) return;
  if (scope != a->home) saw_no_local(in, name);
  if (scope == a->home && is_assigned(a, name)) return;
  saw_variable(a, name, scope != &in->globals, v);
  for (int k = 0; k < a->guards.len && in->scope != a->home; k++)
    a->guards.data[k].beyond |= !a->guards.data[k].local && !strcmp(a->guards.data[k].name, name);
}

void fs_again_saw_builtin(struct fs_interp *in, const char *name,
                          const struct fs_builtin *b) {
  struct fs_again *a = in->recording;
  if (!a || a->failed) return;
  a->failed = b && !(b->traits & FS_BT_PLAIN);
  saw_no_variable(in, name);
}

static bool take_inputs(struct fs_again *a, const struct fs_block *b) {
  const struct fs_graph *g = fs_planned_graph(b);
  if (g->inputs.len > FS_AGAIN_INPUTS) return false;
  a->from = fs_calloc((size_t)g->inputs.len + 1, sizeof *a->from);
  a->params = fs_calloc((size_t)g->params.len + 1, sizeof *a->params);
  for (int k = 0; k < g->inputs.len; k++) {
    int at = 0;
    while (at < a->guards.len &&
           a->guards.data[at].seen != b->bound->inputs[k]->storage)
      at++;
    if (at == a->guards.len) return false;
    a->from[k] = at;
  }
  for (int k = 0; k < g->params.len; k++) a->params[k] = b->bound->params[k];
  fs_graph_anchors(g, &a->anchors);
  return fs_block_computes(b);
}

void fs_again_ran(struct fs_interp *in, struct fs_block *b, int n,
                  struct fs_tensor *const *outputs, bool more) {
  struct fs_again *a = in->recording;
  if (!a || a->failed) return;
  fs_memo_take(&a->memo, b, fs_run_epoch(in->runner, in->language));
  a->failed = more || a->blocks++ || !fs_run_may_recall(in->runner) ||
              fs_planned_graph(b)->output_axes.len || !take_inputs(a, b);
  for (int k = 0; k < n && !a->failed; k++) {
    *FS_PUSH(&a->outputs) = (struct fs_again_output){outputs[k]->dtype,
                                            outputs[k]->shape, outputs[k]};
    if (outputs[k] == in->word) a->word = k + 1;
  }
  for (int k = 0; k < in->sums.len && a->word; k++) *FS_PUSH(&a->sums) = in->sums.data[k];
}

static int guard_of(const struct fs_again *a, const struct fs_storage *storage) {
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].seen == storage) return k;
  return -1;
}

/* Keeps the recipe of a virtual value: of all of a list's there is one. */
static bool take_recipe(struct fs_again *a, const struct fs_tensor *t, struct fs_again_effect *e) {
  struct fs_recipe *r = t->snapshot ? t->snapshot->recipe : NULL;
  if (!r || (a->recipe && a->recipe != r)) return false;
  e->node = t->node;
  if (a->recipe) return true;
  int n = r->graph->inputs.len;
  a->recipe = r;
  r->refs++;
  a->recipe_from = fs_calloc((size_t)n + 1, sizeof *a->recipe_from);
  for (int k = 0; k < n; k++) {
    a->recipe_from[k] = guard_of(a, t->snapshot->inputs[k]->storage);
    if (a->recipe_from[k] < 0) return false;
  }
  return n <= FS_AGAIN_INPUTS;
}

/* What a tensor is that is no output. */
static bool take_other(struct fs_again *a, const struct fs_tensor *t, struct fs_again_effect *e) {
  e->dtype = t->dtype;
  e->shape = t->shape;
  e->layout = t->layout;
  if (t->state == FS_TS_VIRTUAL) return take_recipe(a, t, e);
  e->guard = t->state == FS_TS_STORED ? guard_of(a, t->storage) : -1;
  return e->guard >= 0;
}

/* What the names are that the list assigned; false if that is not to be had once more. */
static bool take_effects(struct fs_interp *in, struct fs_again *a) {
  unsigned matched = 0;
  bool local = a->home != &in->globals;
  if (a->outputs.len > FS_AGAIN_OUTPUTS || a->assigned.len > FS_AGAIN_EFFECTS) return false;
  for (int k = 0; k < a->assigned.len; k++) {
    const char *name = a->assigned.data[k].name;
    const struct fs_val *v = fs_scope_find(in->scope, name);
    struct fs_again_effect e = {.output = -1, .guard = -1};
    if (!v && a->assigned.data[k].new) { /* `return` removed it */
      add_guard(a, name, local);
      continue;
    }
    if (!v) return false;
    if (v->kind == FS_V_TENSOR) {
      for (int i = 0; i < a->outputs.len; i++)
        if (a->outputs.data[i].seen == v->tensor) e.output = i;
      if (e.output >= 0) matched |= 1u << e.output;
      else if (!take_other(a, v->tensor, &e)) return false;
    } else if (v->kind == FS_V_NUMBER || v->kind == FS_V_BOOL) {
      e.number = *v;
    } else {
      return false;
    }
    e.name = fs_strdup(name);
    *FS_PUSH(&a->effects) = e;
    for (int i = 0; i < a->guards.len; i++)
      a->guards.data[i].rebound |=
          a->guards.data[i].local == local && !strcmp(a->guards.data[i].name, name);
  }
  if (a->word) matched |= 1u << (a->word - 1);
  return !a->failed && matched == (1u << a->outputs.len) - 1;
}

/* All of the list has been traced: the flush that follows is its end. */
void fs_again_end(struct fs_interp *in, const struct fs_stmt *list, bool top) {
  struct fs_again *a = in->recording;
  if (a && a->list == list && a->top == top) a->ended = true;
}

/* Before the flush forgets what was assigned; called by it. One in the midst of the list, as
 * where a function that is called comes to a loop, means more than one block. */
void fs_again_flushed(struct fs_interp *in) {
  struct fs_again *a = in->recording;
  if (!a) return;
  in->recording = NULL;
  bool whole = a->ended && in->scope == a->home && !a->failed && a->blocks == 1 && a->forced == in->forced &&
               a->stream == in->stream && !in->pending.len &&
               a->told == in->diags->list.len; /* a warning comes every time */
  a->ready = whole && take_effects(in, a);
  if (!a->ready && ++a->misses > FS_AGAIN_MISSES) a->refused = true;
  if (a->ready) fs_moves_learn(in, a);
  else fs_again_empty(a);
}

void fs_again_stop(struct fs_interp *in) {
  if (in->recording) fs_again_empty(in->recording);
  in->recording = NULL;
}
