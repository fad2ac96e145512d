/* again.c - lists of statements that come again under the same conditions: a text at
 * the prompt, a cell, the body of a loop. Once what they read has the types, shapes,
 * layouts and aliases that it had, and numbers the same values, tracing them would
 * give the same graph; so nothing is traced: the block is bound to the values of now,
 * started, and its results get their names.
 *
 * Only plain lists are taken: assignments, also to parts, and a `return` over operators,
 * subscripts and functions, which run as one block that reads nothing on the host. Of built-in
 * functions, those that are nothing but arithmetic, or look at types and shapes. All that
 * a list and the functions it calls read of variables is seen in fs_lookup(). */
#include "core/eval/builtins.h"
#include "core/eval/interp.h"

enum { LISTS_KEPT = 64, MOST_NAMES = 64, MOST_INPUTS = 96, MOST_OUTPUTS = 30, MOST_EFFECTS = 64, MOST_MISSES = 4,
       BEFORE = 2 };

/* What a name was when the list was traced. */
struct guard {
  char *name;
  enum fs_val_kind kind;     /* FS_V_NONE: there was no such variable */
  bool is_int;
  double number;
  struct fs_func *func;      /* a reference */
  enum fs_dtype dtype;
  struct fs_shape shape;
  struct fs_layout layout;
  int alias;                 /* the first guard of the same storage */
  int64_t list_to;           /* what was known of it as a list of indices */
  bool rebound;              /* the list gives the name another value */
  const struct fs_storage *seen;  /* only while it is recorded */
  const struct fs_tensor *now;    /* only while it is run */
};

/* What a name is afterwards: an output of the block, a number, a part of what another
 * name was, or what a recipe can compute. */
struct effect {
  char *name;
  int output;                /* -1: none */
  int guard;                 /* of a part: whose; -1: none */
  fs_id node;                /* in the recipe; 0: none */
  enum fs_dtype dtype;       /* of parts, and of what a recipe computes */
  struct fs_shape shape;
  struct fs_layout layout;   /* of a part */
  struct fs_val number;      /* else */
};

struct output {
  enum fs_dtype dtype;
  struct fs_shape shape;
  const struct fs_tensor *seen;
};

struct fs_again {
  const struct fs_stmt *list;
  struct fs_unit *unit;      /* a reference, so that `list` stays what it is */
  bool top, script, silent;
  int seen, misses;
  int64_t hits;
  bool refused, ready;
  int n_elems, n_choices;
  FS_VEC(struct guard) guards;
  FS_VEC(struct effect) effects;
  FS_VEC(struct output) outputs;
  struct fs_hold hold;
  int *from;                 /* per input of the block: which guard */
  struct fs_recipe *recipe;  /* a reference of the one of its effects, or NULL */
  int *recipe_from;          /* per input of the recipe: which guard */
  fs_name_list passing;      /* see fs_again_passing() */
  struct fs_number *params;
  fs_anchor_list anchors;
  /* While it is recorded: */
  bool failed, ended;
  int undo_from, blocks, forced, told;
  int64_t stream;
};

static void clear(struct fs_again *a) {
  for (int k = 0; k < a->guards.len; k++) {
    free(a->guards.data[k].name);
    if (a->guards.data[k].func) fs_func_unref(a->guards.data[k].func);
  }
  for (int k = 0; k < a->effects.len; k++) free(a->effects.data[k].name);
  FS_VEC_FREE(&a->guards);
  FS_VEC_FREE(&a->effects);
  FS_VEC_FREE(&a->outputs);
  FS_VEC_FREE(&a->anchors);
  free(a->from);
  free(a->params);
  free(a->recipe_from);
  fs_recipe_unref(a->recipe);
  a->from = a->recipe_from = NULL, a->params = NULL, a->recipe = NULL;
  a->ready = a->failed = a->ended = false;
}

static void free_again(struct fs_again *a) {
  clear(a);
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

static bool is_plain(const struct fs_interp *in, const struct fs_stmt *list,
                     bool top) {
  bool some = false;
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_RETURN && top && !s->next) {
      for (int k = 0; k < s->n_exprs; k++)
        if (s->exprs[k]->kind != FS_EX_NAME) return false;
      return some && in->silent;
    }
    if (s->kind != FS_ST_ASSIGN && s->kind != FS_ST_INDEXED) return false;
    if (!s->silent && !in->silent) return false;
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

/* Between two blocks, in code of the user that is in no function. */
static bool is_between(const struct fs_interp *in) {
  return !in->graph && !in->handles.len && !in->inputs.len &&
         !in->pending.len && in->scope == &in->globals && in->running &&
         !in->call_depth && !in->lib_depth && !in->begin_depth &&
         !in->elementwise && !in->explain && !in->loading_prelude &&
         !in->importing.len && in->units.len == 1;
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
  if (!a->refused && !top) find_passing(list, &a->passing);
  *FS_PUSH(&in->again) = a;
  a->unit = fs_unit_ref(in->units.data[in->units.len - 1]);
  return a;
}

/* -- recording ---------------------------------------------------------------- */

static bool assigned_since(const struct fs_interp *in, int from,
                           const char *name) {
  for (int k = from; k < in->undo.len; k++)
    if (!strcmp(in->undo.data[k].name, name)) return true;
  return false;
}

/* Functions of which the result follows from types, shapes and numbers alone. */
static bool is_arithmetic(const struct fs_builtin *b) {
  return b->fn == fs_bi_map_op || b->fn == fs_bi_reduce_op ||
         b->fn == fs_bi_mean || b->fn == fs_bi_norm || b->fn == fs_bi_dot ||
         b->fn == fs_bi_transpose || b->fn == fs_bi_cast || b->fn == fs_bi_reduce ||
         b->fn == fs_bi_size || b->fn == fs_bi_length || b->fn == fs_bi_numel ||
         b->fn == fs_bi_ndims || b->fn == fs_bi_dtype;
}

static struct guard *add_guard(struct fs_again *a, const char *name) {
  for (int k = 0; k < a->guards.len; k++)
    if (!strcmp(a->guards.data[k].name, name)) return NULL;
  if (a->guards.len == MOST_NAMES) {
    a->failed = true;
    return NULL;
  }
  char *copy = fs_strdup(name);
  struct guard *g = FS_PUSH(&a->guards);
  *g = (struct guard){.name = copy, .alias = a->guards.len - 1};
  return g;
}

/* A name that is no variable of the user's must stay none, where it would be one. */
static void saw_no_variable(struct fs_interp *in, const char *name) {
  if (!in->scope->prelude && !in->scope->sealed) add_guard(in->recording, name);
}

static void saw_global(struct fs_again *a, const char *name, const struct fs_val *v) {
  bool known = v->kind == FS_V_NUMBER || v->kind == FS_V_BOOL ||
               v->kind == FS_V_FUNCTION ||
               (v->kind == FS_V_TENSOR && v->tensor->state == FS_TS_STORED);
  a->failed |= !known;
  struct guard *g = known ? add_guard(a, name) : NULL;
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

void fs_again_saw(struct fs_interp *in, const char *name, const struct fs_scope *scope,
                  const struct fs_val *v) {
  struct fs_again *a = in->recording;
  if (!a || a->failed) return;
  if (scope == &in->prelude) saw_no_variable(in, name);
  else if (scope == &in->globals && !assigned_since(in, a->undo_from, name))
    saw_global(a, name, v);
  /* What a function's own names hold follows from what it was called with. */
}

void fs_again_saw_builtin(struct fs_interp *in, const char *name,
                          const struct fs_builtin *b) {
  struct fs_again *a = in->recording;
  if (!a || a->failed) return;
  a->failed = b && !is_arithmetic(b);
  saw_no_variable(in, name);
}

static bool take_inputs(struct fs_again *a, const struct fs_block *b) {
  const struct fs_graph *g = fs_planned_graph(b);
  if (g->inputs.len > MOST_INPUTS) return false;
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
  a->failed = more || a->blocks++ || !fs_run_hold(in->runner, b, &a->hold) ||
              !take_inputs(a, b);
  for (int k = 0; k < n && !a->failed; k++)
    *FS_PUSH(&a->outputs) = (struct output){outputs[k]->dtype,
                                            outputs[k]->shape, outputs[k]};
}

static int guard_of(const struct fs_again *a, const struct fs_storage *storage) {
  for (int k = 0; k < a->guards.len; k++)
    if (a->guards.data[k].seen == storage) return k;
  return -1;
}

/* Keeps the recipe of a virtual value: of all of a list's there is one. */
static bool take_recipe(struct fs_again *a, const struct fs_tensor *t, struct effect *e) {
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
  return n <= MOST_INPUTS;
}

/* What a tensor is that is no output. */
static bool take_other(struct fs_again *a, const struct fs_tensor *t, struct effect *e) {
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
  if (a->outputs.len > MOST_OUTPUTS || in->undo.len - a->undo_from > MOST_EFFECTS)
    return false;
  for (int k = a->undo_from; k < in->undo.len; k++) {
    const char *name = in->undo.data[k].name;
    const struct fs_val *v = fs_scope_find(&in->globals, name);
    struct effect e = {.output = -1, .guard = -1};
    if (!v && in->undo.data[k].old.kind == FS_V_NONE) { /* `return` removed it */
      add_guard(a, name);
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
      a->guards.data[i].rebound |= !strcmp(a->guards.data[i].name, name);
  }
  return !a->failed && matched == (1u << a->outputs.len) - 1;
}

void fs_again_begin(struct fs_interp *in, const struct fs_stmt *list,
                    bool top) {
  if (in->recording || !list || !is_between(in)) return;
  struct fs_again *a = find(in, list, top);
  if (!a) a = add(in, list, top);
  if (a->refused || a->seen++ < BEFORE) return;
  if (a->misses > MOST_MISSES && a->misses > a->hits) a->refused = true;
  clear(a);
  for (const struct fs_stmt *s = list; s; s = s->next)
    for (int k = 0; k < s->n_targets; k++)
      if (assigned_since(in, 0, s->targets[k].name)) return;
  a->undo_from = in->undo.len;
  a->blocks = 0;
  a->forced = in->forced;
  a->told = in->diags->list.len;
  a->stream = in->stream;
  a->n_elems = in->elems.len;
  a->n_choices = in->choices.len;
  in->recording = a;
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
  bool whole = a->ended && !a->failed && a->blocks == 1 && a->forced == in->forced &&
               a->stream == in->stream && !in->pending.len &&
               a->told == in->diags->list.len; /* a warning comes every time */
  a->ready = whole && take_effects(in, a);
  if (!a->ready && ++a->misses > MOST_MISSES) a->refused = true;
  if (!a->ready) clear(a);
}

void fs_again_stop(struct fs_interp *in) {
  if (in->recording) clear(in->recording);
  in->recording = NULL;
}

/* -- once more ------------------------------------------------------------------ */

static bool holds(struct fs_interp *in, struct fs_again *a, int k) {
  struct guard *g = &a->guards.data[k];
  const struct fs_val *v = fs_scope_find(&in->globals, g->name);
  if (!v || g->kind == FS_V_NONE) return !v && g->kind == FS_V_NONE;
  if (v->kind != g->kind) return false;
  if (v->kind == FS_V_FUNCTION) return v->func == g->func;
  if (v->kind != FS_V_TENSOR)
    return !memcmp(&v->number, &g->number, sizeof g->number) &&
           v->is_int == g->is_int;
  const struct fs_tensor *t = g->now = v->tensor;
  int64_t list_to = fs_tensor_list_to(t);
  if (g->list_to && (!list_to || list_to > g->list_to)) return false;
  if (t->state != FS_TS_STORED || t->dtype != g->dtype ||
      !fs_shape_equal(&t->shape, &g->shape) ||
      t->layout.offset != g->layout.offset)
    return false;
  for (int i = 0; i < t->shape.rank; i++)
    if (t->layout.stride[i] != g->layout.stride[i]) return false;
  int alias = 0;
  while (a->guards.data[alias].kind != FS_V_TENSOR ||
         a->guards.data[alias].now->storage != t->storage)
    alias++;
  return alias == g->alias;
}

static bool may_run(struct fs_interp *in, struct fs_again *a) {
  if (a->n_elems != in->elems.len || a->n_choices != in->choices.len ||
      !fs_run_holds(in->runner, &a->hold))
    return false;
  for (int k = 0; k < a->guards.len; k++)
    if (!holds(in, a, k)) return false;
  for (int k = 0; k < a->effects.len; k++) /* to give a value needs no memory */
    if (!fs_scope_find(&in->globals, a->effects.data[k].name)) return false;
  return true;
}

/* Whether nothing but the name that gets another value still holds what it is. */
static bool is_dying(const struct fs_again *a, int guard) {
  const struct guard *g = &a->guards.data[guard];
  for (int k = 0; a->recipe && k < a->recipe->graph->inputs.len; k++)
    if (a->recipe_from[k] == guard) return false;
  for (int k = 0; k < a->effects.len; k++)
    if (a->effects.data[k].guard == guard) return false;
  return g->rebound && g->now->refs == 1 && g->now->storage->refs == 1;
}

/* What the recipe reads, as it is now; NULL: there is no recipe. */
static struct fs_snapshot *take_snapshot(const struct fs_again *a) {
  struct fs_tensor *inputs[MOST_INPUTS];
  if (!a->recipe) return NULL;
  for (int k = 0; k < a->recipe->graph->inputs.len; k++)
    inputs[k] = (struct fs_tensor *)a->guards.data[a->recipe_from[k]].now;
  return fs_snapshot_new(a->recipe, inputs);
}

/* The value of a name, with a reference. */
static struct fs_val value_of(const struct fs_again *a, const struct effect *e,
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
  struct fs_val values[MOST_EFFECTS];
  struct fs_snapshot *s = take_snapshot(a);
  for (int k = 0; k < a->effects.len; k++)
    values[k] = value_of(a, &a->effects.data[k], out, s);
  for (int k = 0; k < a->effects.len; k++)
    fs_scope_set(&in->globals, a->effects.data[k].name, values[k]);
  fs_snapshot_unref(s);
}

static enum fs_status run(struct fs_interp *in, struct fs_again *a) {
  struct fs_tensor *inputs[MOST_INPUTS], *out[MOST_OUTPUTS];
  bool dying[MOST_INPUTS];
  struct fs_block *b = a->hold.block;
  for (int k = 0; k < fs_planned_graph(b)->inputs.len; k++) {
    const struct guard *g = &a->guards.data[a->from[k]];
    inputs[k] = (struct fs_tensor *)g->now;
    dying[k] = is_dying(a, a->from[k]);
  }
  for (int k = 0; k < a->outputs.len; k++)
    out[k] = fs_tensor_promised(a->outputs.data[k].dtype,
                                &a->outputs.data[k].shape);
  enum fs_status st =
      fs_run_again(in->runner, b, inputs, dying, a->params, &a->anchors, out, in->diags);
  if (st == FS_OK) give_values(in, a, out);
  for (int k = 0; k < a->outputs.len; k++) fs_tensor_unref(out[k]);
  return st;
}

const fs_name_list *fs_again_passing(struct fs_interp *in, const struct fs_stmt *body) {
  if (!body || in->scope != &in->globals || in->call_depth || in->explain) return NULL;
  struct fs_again *a = find(in, body, false);
  return a && a->passing.len ? &a->passing : NULL;
}

bool fs_again_try(struct fs_interp *in, const struct fs_stmt *list, bool top,
                  enum fs_status *st) {
  if (!list || in->recording || !is_between(in)) return false;
  struct fs_again *a = find(in, list, top);
  if (!a || !a->ready) return false;
  if (!may_run(in, a)) {
    a->misses++;
    return false;
  }
  a->hits++;
  *st = fs_poll(in, list->span);
  if (*st == FS_OK) *st = run(in, a);
  fs_block_again(in, a->hold.block, *st);
  return true;
}
