/* uses.c - see uses.h. */
#include "core/lang/uses.h"

/* Names in a table: `at` has their places in the list, open addressing. */
struct names {
  FS_VEC(const char *) list;
  int *at;
  int room;
};

struct walk {
  struct fs_uses *out;
  struct names own;     /* have a value; those of a branch are the last ones  */
  int depth;            /* functions and lambdas around                       */
  struct names reads, inside;
};

static uint64_t hash_of(const char *name) { return fs_hash(name, strlen(name), 3); }

static int slot_of(const struct names *n, const char *name) {
  int k = (int)(hash_of(name) & (uint64_t)(n->room - 1));
  while (n->at[k] >= 0 && strcmp(n->list.data[n->at[k]], name)) k = (k + 1) & (n->room - 1);
  return k;
}

static bool has(const struct names *n, const char *name) {
  return n->room && n->at[slot_of(n, name)] >= 0;
}

static void index_names(struct names *n, int room) {
  free(n->at);
  n->room = room;
  n->at = fs_malloc(sizeof *n->at * (size_t)room);
  for (int k = 0; k < room; k++) n->at[k] = -1;
  for (int k = 0; k < n->list.len; k++) n->at[slot_of(n, n->list.data[k])] = k;
}

static void add(struct names *n, const char *name) {
  if (has(n, name)) return;
  *FS_PUSH(&n->list) = name;
  if (2 * n->list.len >= n->room) index_names(n, n->room ? 2 * n->room : 16);
  else n->at[slot_of(n, name)] = n->list.len - 1;
}

/* Only the first `len` stay: the branch is over. */
static void leave(struct names *n, int len) {
  if (len == n->list.len) return;
  n->list.len = len;
  index_names(n, n->room);
}

static void free_names(struct names *n) {
  FS_VEC_FREE(&n->list);
  free(n->at);
}

static void statements(struct walk *w, const struct fs_stmt *list);
static void expression(struct walk *w, const struct fs_expr *e);

static void read_name(struct walk *w, const char *name) {
  if (has(&w->own, name)) return;
  add(w->depth ? &w->inside : &w->reads, name);
}

/* What a function's body reads it reads when it is called: names around it, whatever they
 * are then, so that only its own have a value. */
static struct names enter(struct walk *w, const struct fs_param *params, int n) {
  struct names around = w->own;
  w->own = (struct names){.room = 0};
  w->depth++;
  for (int k = 0; k < n; k++) {
    if (params[k].value) expression(w, params[k].value);
    add(&w->own, params[k].name);
  }
  return around;
}

static void come_back(struct walk *w, struct names around) {
  free_names(&w->own);
  w->own = around;
  w->depth--;
}

static void arguments(struct walk *w, const struct fs_expr *e) {
  for (int k = 0; k < e->n_args; k++) expression(w, e->args[k]);
}

static void expression(struct walk *w, const struct fs_expr *e) {
  while (e->kind == FS_EX_BINARY) { /* long chains nest to the left */
    expression(w, e->args[1]);
    e = e->args[0];
  }
  if (e->kind == FS_EX_NAME) {
    read_name(w, e->text);
  } else if (e->kind == FS_EX_LAMBDA) {
    struct names around = enter(w, e->params, e->n_params);
    arguments(w, e);
    come_back(w, around);
    int own = w->own.list.len;
    for (int k = 0; k < e->n_params; k++) add(&w->own, e->params[k].name);
    arguments(w, e); /* map() calls it at once */
    leave(&w->own, own);
  } else {
    arguments(w, e);
  }
}

/* A list of which nobody knows that it runs. */
static void branch(struct walk *w, const struct fs_stmt *list) {
  int own = w->own.list.len;
  statements(w, list);
  leave(&w->own, own);
}

static void loop(struct walk *w, const struct fs_stmt *s) {
  int own = w->own.list.len;
  if (s->kind == FS_ST_FOR)
    for (int k = 0; k < s->n_targets; k++) add(&w->own, s->targets[k].name);
  statements(w, s->body);
  leave(&w->own, own); /* it may have no round */
}

static void function(struct walk *w, const struct fs_stmt *s) {
  add(&w->own, s->targets[0].name);
  struct names around = enter(w, s->params, s->n_params);
  add(&w->own, s->targets[0].name); /* it may call itself */
  statements(w, s->body);
  if (s->expr) expression(w, s->expr);
  come_back(w, around);
}

static void statement(struct walk *w, const struct fs_stmt *s) {
  w->out->commands |= s->kind == FS_ST_COMMAND;
  w->out->outside |= s->kind == FS_ST_IMPORT || s->kind == FS_ST_INPUT;
  if (s->kind == FS_ST_FUNCTION) {
    function(w, s);
    return;
  }
  if (s->expr && s->kind != FS_ST_RULE) expression(w, s->expr); /* its names are the rule's own */
  if (s->expr2) expression(w, s->expr2);
  for (int k = 0; k < s->n_exprs; k++) expression(w, s->exprs[k]);
  if (s->kind == FS_ST_IF || s->kind == FS_ST_TRY) {
    branch(w, s->body);
    int own = w->own.list.len;
    for (int k = 0; k < s->n_targets; k++) add(&w->own, s->targets[k].name);
    branch(w, s->orelse);
    leave(&w->own, own);
  } else if (s->kind == FS_ST_FOR || s->kind == FS_ST_WHILE) {
    loop(w, s);
  } else if (s->kind == FS_ST_BEGIN || s->kind == FS_ST_SEVERAL) {
    statements(w, s->body);
  } else if (s->kind == FS_ST_ASSIGN) {
    for (int k = 0; k < s->n_targets; k++) add(&w->own, s->targets[k].name);
  }
}

static void statements(struct walk *w, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) statement(w, s);
}

void fs_uses_of(const struct fs_stmt *list, struct fs_uses *out) {
  struct walk w = {.out = out};
  *out = (struct fs_uses){.commands = false};
  statements(&w, list);
  for (int k = 0; k < w.reads.list.len; k++) *FS_PUSH(&out->reads) = w.reads.list.data[k];
  for (int k = 0; k < w.inside.list.len; k++)
    *FS_PUSH(&out->inside) = w.inside.list.data[k];
  free_names(&w.own);
  free_names(&w.reads);
  free_names(&w.inside);
}

void fs_uses_free(struct fs_uses *u) {
  FS_VEC_FREE(&u->reads);
  FS_VEC_FREE(&u->inside);
}
