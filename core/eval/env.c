/* env.c - names: assignment with an undo log, lookup, near misses, help. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/base/embed.h"
#include "core/eval/command.h"
#include "core/eval/interp.h"
#include "core/eval/list.h"
#include "core/lang/parse.h"

/* -- assignment ------------------------------------------------------------ */

/* Of a name that the log has, `var` says so; one that is removed meanwhile comes a
 * second time, as new, which undoes to the same. */
static void log_undo(struct fs_interp *in, const struct fs_var *var,
                     const char *name) {
  if (var && var->logged == in->undo_round) return;
  char *copy = fs_strdup(name);
  *FS_PUSH(&in->undo) = (struct fs_undo){
      .scope = in->scope,
      .name = copy,
      .old = var ? fs_val_ref(var->value) : (struct fs_val){FS_V_NONE}};
}

static void log_assigned(struct fs_interp *in, const struct fs_var *var,
                         const char *name) {
  if (var) return;
  char *copy = fs_strdup(name);
  *FS_PUSH(&in->assigned) = copy;
}

void fs_assign(struct fs_interp *in, const char *name, struct fs_val v) {
  struct fs_var *var = fs_scope_var(in->scope, name);
  fs_again_assigns(in, name, !var);
  bool global = in->scope == &in->globals && in->running;
  if (!global && !in->scope->tries) {
    fs_scope_put(in->scope, var, name, v);
    return;
  }
  log_undo(in, var, name);
  if (global) log_assigned(in, var, name);
  fs_scope_put(in->scope, var, name, v)->logged = in->undo_round;
}

void fs_touch(struct fs_interp *in, const char *name, struct fs_var *var, struct fs_val v) {
  fs_again_assigns(in, name, false);
  fs_scope_put(in->scope, var, name, v);
}

void fs_undo_free(struct fs_undo *u) {
  free(u->name);
  fs_val_unref(u->old);
  if (u->list) u->list->logged--, fs_list_unref(u->list);
}

void fs_undo_leave(struct fs_interp *in, const struct fs_scope *scope) {
  int n = 0;
  if (!scope->logged) return;
  for (int k = 0; k < in->undo.len; k++) {
    struct fs_undo u = in->undo.data[k];
    if (u.scope != scope) {
      in->undo.data[n++] = u;
      continue;
    }
    fs_undo_free(&u);
  }
  in->undo.len = n;
}

/* -- lookup ---------------------------------------------------------------- */

const struct fs_elem *fs_elem_find(const struct fs_interp *in,
                                   const char *name) {
  for (int i = in->elems.len - 1; i >= 0; i--) {
    const struct fs_elem *e = in->elems.data[i];
    if (strcmp(e->name, name) == 0) return e;
    for (int k = 0; k < e->aliases.len; k++)
      if (strcmp(e->aliases.data[k], name) == 0) return e;
  }
  return NULL;
}

/* *scope: where it was found. */
static struct fs_val *find_variable(struct fs_interp *in, const char *name,
                                    struct fs_scope **scope) {
  struct fs_val *v = fs_scope_find(*scope = in->scope, name);
  if (v || in->scope->sealed) return v;
  if (!in->scope->prelude) v = fs_scope_find(*scope = &in->globals, name);
  return v ? v : fs_scope_find(*scope = &in->prelude, name);
}

bool fs_is_own_name(struct fs_interp *in, const char *name) {
  struct fs_scope *scope;
  return find_variable(in, name, &scope) && scope != &in->prelude;
}

static bool find_constant(const char *name, struct fs_val *out) {
  static const struct {
    const char *name;
    double value;
  } constants[] = {{"pi", M_PI},  {"inf", INFINITY}, {"Inf", INFINITY},
                   {"nan", NAN},  {"NaN", NAN},      {"eps", FLT_EPSILON}};
  for (size_t k = 0; k < FS_LEN(constants); k++)
    if (strcmp(constants[k].name, name) == 0) {
      *out = fs_val_number(constants[k].value, false);
      out->literal = true;
      return true;
    }
  return false;
}

/* The variable that a name is, which is not read by that; NULL: none. */
static struct fs_var *seen_variable(struct fs_interp *in, const char *name) {
  struct fs_var *var = fs_scope_var(in->scope, name);
  if (var || in->scope->sealed) return var;
  if (!in->scope->prelude) var = fs_scope_var(&in->globals, name);
  return var ? var : fs_scope_var(&in->prelude, name);
}

/* Whether it is a function of an .elem file; others of these only recognise calls. */
static bool is_elem(const struct fs_elem *e) { return e && (e->define || e->native); }

bool fs_is_builtin(struct fs_interp *in, const char *name) {
  return !seen_variable(in, name) && !is_elem(fs_elem_find(in, name)) &&
         fs_builtin_find(in, name);
}

bool fs_host_number(struct fs_interp *in, const char *name, bool variable,
                    struct fs_val *out) {
  struct fs_var *var = seen_variable(in, name);
  if (var) {
    *out = var->value;
    return var->given != FS_UNREAD && fs_val_is_host(&var->value);
  }
  return !variable && !is_elem(fs_elem_find(in, name)) && !fs_builtin_find(in, name) &&
         find_constant(name, out);
}

bool fs_lookup(struct fs_interp *in, const char *name, struct fs_val *out) {
  struct fs_scope *scope;
  struct fs_val *v = find_variable(in, name, &scope);
  if (v) {
    fs_again_saw(in, name, scope, v);
    *out = fs_val_ref(*v);
    return true;
  }
  const struct fs_elem *e = fs_elem_find(in, name);
  if (is_elem(e)) {
    if (e->native) fs_again_stop(in);
    fs_again_saw_builtin(in, name, NULL);
    struct fs_func *f = fs_func_new(FS_FN_ELEM, e->name);
    f->elem = e;
    *out = fs_val_func(f);
    return true;
  }
  const struct fs_builtin *b = fs_builtin_find(in, name);
  fs_again_saw_builtin(in, name, b);
  if (!b) return find_constant(name, out);
  struct fs_func *f = fs_func_new(FS_FN_BUILTIN, b->name);
  f->builtin = b;
  *out = fs_val_func(f);
  return true;
}

/* Walks over every name that could have been meant. */
struct candidates {
  struct fs_interp *in;
  int stage, k;
};

/* Not those that a name always follows: the parser has found them misspelt. */
static const char *const keywords[] = {
    "if",    "elseif", "else",    "end",  "while", "break", "continue", "return",
    "begin", "barrier", "try", "catch", "true", "false", NULL};

static const char *scope_name(struct candidates *c, struct fs_scope *s) {
  return c->k < s->vars.len ? s->vars.data[c->k++].name : NULL;
}

static const char *elem_name(struct candidates *c) {
  int k = c->k++;
  for (int i = 0; i < c->in->elems.len; i++) {
    const struct fs_elem *e = c->in->elems.data[i];
    if (k == 0) return e->name;
    if (--k < e->aliases.len) return e->aliases.data[k];
    k -= e->aliases.len;
  }
  return NULL;
}

static const char *next_candidate(void *user) {
  struct candidates *c = user;
  for (;; c->stage++, c->k = 0) {
    const char *name = NULL;
    switch (c->stage) {
      case 0: name = scope_name(c, c->in->scope); break;
      case 1: name = scope_name(c, &c->in->globals); break;
      case 2: name = scope_name(c, &c->in->prelude); break;
      case 3: name = c->in->builtins->all[c->k].name; c->k += name != NULL; break;
      case 4: name = elem_name(c); break;
      case 5: name = keywords[c->k]; c->k += name != NULL; break;
      default: return NULL;
    }
    if (name) return name;
  }
}

const char *fs_interp_near_name(struct fs_interp *in, const char *name) {
  struct candidates c = {.in = in};
  return fs_near_miss(name, next_candidate, &c);
}

/* Whether nothing else is on the line but `()` or `;`. */
static bool is_whole_line(const struct fs_interp *in, struct fs_span span) {
  const struct fs_source *src =
      span.source ? fs_source_get(in->diags, span.source) : NULL;
  if (!src || span.begin > span.end || span.end > src->len) return false;
  size_t from = span.begin, to = span.end + strspn(src->text + span.end, " \t();");
  while (from && (src->text[from - 1] == ' ' || src->text[from - 1] == '\t')) from--;
  return (!from || src->text[from - 1] == '\n') &&
         (to >= src->len || src->text[to] == '\n');
}

/* The command that somebody means who types its name as other prompts have it. */
static const char *command_meant(const struct fs_interp *in, const char *name,
                                 struct fs_span span) {
  const struct fs_command *c = is_whole_line(in, span) ? fs_command_meant(name) : NULL;
  return c ? c->name : NULL;
}

enum fs_status fs_unknown_name(struct fs_interp *in, const char *name,
                               struct fs_span span) {
  const char *other;
  if (fs_elsewhere(name, &other))
    return fs_in_error(in, span, "unknown-name", other,
                       "there is nothing called '%s'", name);
  const char *command = command_meant(in, name, span);
  const char *near = command ? command : fs_interp_near_name(in, name);
  char hint[300];
  snprintf(hint, sizeof(hint), "did you mean '%s%.200s'?", command ? ":" : "",
           near ? near : "");
  return fs_in_error(in, span, "unknown-name", near ? hint : NULL,
                     "there is nothing called '%.200s'", name);
}

/* -- elementary functions -------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

enum fs_status fs_interp_elem(struct fs_interp *in, const char *name,
                              const char *text, size_t len) {
  uint32_t source = fs_source_add(in->diags, name, text, len);
  struct fs_elem *e = NULL;
  enum fs_status st = fs_elem_parse(in->diags, in->elem_arena, source, &e);
  if (st == FS_OK && e) *FS_PUSH(&in->elems) = e;
  in->language++;
  in->globals.stamp++;
  return st;
}

void fs_load_elems(struct fs_interp *in) {
  for (const struct fs_embedded *f = fs_embedded; f->name; f++) {
    if (!ends_with(f->name, ".elem")) continue;
    const char *text = fs_embedded_text(f->name);
    if (text) fs_interp_elem(in, f->name, text, strlen(text));
  }
}

/* -- the public view of variables ------------------------------------------ */

const struct fs_val *fs_interp_get(struct fs_interp *in, const char *name) {
  struct fs_val *v = fs_scope_find(&in->globals, name);
  return v ? v : fs_scope_find(&in->prelude, name);
}

void fs_interp_set(struct fs_interp *in, const char *name, struct fs_val v) {
  fs_scope_set(&in->globals, name, v);
}

void fs_interp_set_given(struct fs_interp *in, const char *name) {
  struct fs_var *var = fs_scope_var(&in->globals, name);
  if (var) var->given = FS_UNREAD;
  in->has_inputs = true;
}

/* Parameters around a place, from the inside out. */
struct bound {
  const struct fs_param *params;
  int n;
  const struct bound *around;
};

static void mention(struct fs_interp *in, const char *name, const struct bound *b) {
  for (; b; b = b->around)
    for (int k = 0; k < b->n; k++)
      if (!strcmp(b->params[k].name, name)) return;
  struct fs_var *var = fs_scope_var(&in->globals, name);
  if (var) var->mentioned = true;
}

static void mention_in(struct fs_interp *in, const struct fs_expr *e,
                       const struct bound *b) {
  for (; e && e->kind != FS_EX_LAMBDA; e = e->n_args ? e->args[0] : NULL) {
    if (e->kind == FS_EX_NAME) mention(in, e->text, b);
    for (int k = 1; k < e->n_args; k++) mention_in(in, e->args[k], b);
  }
  if (!e) return;
  struct bound inner = {e->params, e->n_params, b};
  mention_in(in, e->args[0], &inner);
}

static void mention_list(struct fs_interp *in, const struct fs_stmt *s,
                         const struct bound *around) {
  for (; s; s = s->next) {
    struct bound inner = {s->params, s->n_params, around};
    for (int k = 0; k < s->n_params; k++) {
      struct bound before = {s->params, k, around};
      mention_in(in, s->params[k].value, &before);
    }
    mention_in(in, s->expr, &inner);
    mention_in(in, s->expr2, &inner);
    for (int k = 0; k < s->n_exprs; k++) mention_in(in, s->exprs[k], &inner);
    for (int k = 0; s->kind == FS_ST_INPUT && k < s->n_targets; k++)
      mention(in, s->targets[k].name, NULL);
    mention_list(in, s->body, &inner);
    mention_list(in, s->orelse, &inner);
  }
}

void fs_mention_inputs(struct fs_interp *in, const struct fs_stmt *list) {
  if (in->has_inputs) mention_list(in, list, NULL);
}

/* Variables that a script has: its own, the declared ones, and `n` of its `input`. */
static const char *next_used(void *user) {
  struct candidates *c = user;
  struct fs_interp *in = c->in;
  while (c->stage == 0 && c->k < in->globals.vars.len) {
    const struct fs_var *v = &in->globals.vars.data[c->k++];
    if (v->given == FS_NO_INPUT && v->value.kind != FS_V_FUNCTION) return v->name;
  }
  if (c->stage == 0) *c = (struct candidates){in, 1, 0};
  if (c->stage == 1 && c->k < in->declared.len) return in->declared.data[c->k++].name;
  return c->stage++ == 1 && in->declared.len ? "n" : NULL;
}

void fs_interp_warn_unread(struct fs_interp *in) {
  fs_scope_sort(&in->globals);
  for (int k = 0; k < in->globals.vars.len; k++) {
    const struct fs_var *v = &in->globals.vars.data[k];
    struct candidates c = {.in = in};
    char hint[100];
    if (v->given == FS_REPLACED_UNREAD)
      fs_warn(in->diags, (struct fs_span){0}, "unread-input", NULL,
              "the input '%.200s' is not read: the script gives it another value first",
              v->name);
    if (v->given != FS_UNREAD || v->mentioned) continue;
    const char *near = fs_near_miss(v->name, next_used, &c);
    snprintf(hint, sizeof hint, "did you mean '%s'?", near ? near : "");
    fs_warn(in->diags, (struct fs_span){0}, "unread-input", near ? hint : NULL,
            "nothing has read the input '%.200s'", v->name);
  }
}

bool fs_interp_var_at(struct fs_interp *in, int k, struct fs_interp_var *out) {
  fs_scope_sort(&in->globals);
  fs_scope_sort(&in->prelude);
  int n = in->globals.vars.len;
  if (k < 0 || k >= n + in->prelude.vars.len) return false;
  struct fs_var *v =
      k < n ? &in->globals.vars.data[k] : &in->prelude.vars.data[k - n];
  *out = (struct fs_interp_var){v->name, v->value, k >= n, v->stamp};
  return true;
}

/* -- help ------------------------------------------------------------------ */

static void doc_of_elem(struct fs_interp *in, const struct fs_elem *e,
                        const char *name, struct fs_interp_doc *out) {
  fs_str_clear(&in->doc_text);
  fs_str_printf(&in->doc_text, "%s(", name);
  for (int i = 0; i < e->params.len; i++)
    fs_str_printf(&in->doc_text, "%s%s", i ? ", " : "",
                  e->params.data[i].name);
  fs_str_puts(&in->doc_text, ")");
  *out = (struct fs_interp_doc){name, fs_str_text(&in->doc_text),
                                e->doc ? e->doc : "", "elementary", e};
}

static size_t line_at(const char *text, size_t at) {
  while (at && text[at - 1] != '\n') at--;
  return at;
}

static bool is_comment(const char *line) { return line[strspn(line, " \t")] == '#'; }

/* Where the comment of a definition ends: right above it, or above the lines before it that
 * have no blank one between them. */
static size_t comment_end(const char *text, size_t begin) {
  enum { LINES = 8 };
  for (int k = 0; begin && k < LINES; k++) {
    size_t up = line_at(text, begin - 1);
    if (is_comment(text + up)) return begin;
    if (text[up] == '\n' || !strncmp(text + up, "end", 3)) return 0;
    begin = up;
  }
  return 0;
}

/* The comment lines right above a function's definition are its help; also those above a
 * group of definitions, if the function is called in them. */
static void put_comment_above(struct fs_interp *in, const char *name, struct fs_span span,
                              struct fs_str *out) {
  const struct fs_source *src = fs_source_get(in->diags, span.source);
  if (!src || span.begin > src->len) return;
  size_t begin = line_at(src->text, span.begin), end = comment_end(src->text, begin), first = end;
  struct fs_str call = {0};
  while (first && is_comment(src->text + line_at(src->text, first - 1)))
    first = line_at(src->text, first - 1);
  for (size_t at = first, n; at < end; at += n + 1) {
    n = strcspn(src->text + at, "\n");
    size_t skip = strspn(src->text + at, " \t") + 1;
    skip += src->text[at + skip] == ' ';
    if (at > first) fs_str_puts(out, "\n");
    if (skip < n) fs_str_put(out, src->text + at + skip, n - skip);
  }
  fs_str_printf(&call, "%s(", name);
  if (end < begin && !strstr(fs_str_text(out), fs_str_text(&call))) fs_str_clear(out);
  fs_str_free(&call);
}

static void doc_of_value(struct fs_interp *in, const char *name,
                         const struct fs_val *v, struct fs_interp_doc *out) {
  struct fs_str *s = &in->doc_text;
  fs_str_clear(s);
  *out = (struct fs_interp_doc){name, name, "", "variable", NULL};
  if (v->kind != FS_V_FUNCTION || v->func->kind != FS_FN_USER) return;
  const struct fs_func *f = v->func;
  struct fs_str doc = {0};
  put_comment_above(in, name, f->span, &doc);
  fs_str_puts(s, name);
  fs_func_put_params(f, s);
  size_t at = s->len + 1;
  fs_str_put(s, "", 1);
  fs_str_puts(s, fs_str_text(&doc));
  fs_str_free(&doc);
  out->signature = s->data;
  out->doc = s->data + at;
  out->kind = "function";
}

bool fs_interp_doc(struct fs_interp *in, const char *name,
                   struct fs_interp_doc *out) {
  const struct fs_val *v = fs_interp_get(in, name);
  const struct fs_elem *e = fs_elem_find(in, name);
  const struct fs_builtin *b = fs_builtin_find(in, name);
  if (v) {
    doc_of_value(in, name, v, out);
  } else if (e) {
    doc_of_elem(in, e, name, out);
  } else if (b) {
    *out = (struct fs_interp_doc){b->name, b->signature, b->doc, "builtin",
                                  NULL};
  } else {
    for (int i = 0; keywords[i]; i++)
      if (strcmp(keywords[i], name) == 0) {
        *out = (struct fs_interp_doc){keywords[i], keywords[i], "", "keyword",
                                      NULL};
        return true;
      }
    return false;
  }
  return true;
}

bool fs_interp_doc_at(struct fs_interp *in, int k, struct fs_interp_doc *out) {
  for (const struct fs_builtin *b = in->builtins->all; b->name; b++)
    if (k-- == 0) {
      *out = (struct fs_interp_doc){b->name, b->signature, b->doc, "builtin", NULL};
      return true;
    }
  const char *name = elem_name(&(struct candidates){.in = in, .k = k});
  if (name) {
    doc_of_elem(in, fs_elem_find(in, name), name, out);
    return true;
  }
  for (int i = 0; i < in->elems.len; i++) k -= 1 + in->elems.data[i]->aliases.len;
  struct fs_interp_var v;
  for (int i = 0; fs_interp_var_at(in, i, &v); i++) {
    if (v.value.kind != FS_V_FUNCTION || k-- > 0) continue;
    doc_of_value(in, v.name, &v.value, out);
    return true;
  }
  return false;
}
