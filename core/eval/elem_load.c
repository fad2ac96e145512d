/* elem_load.c - adds a function of the user: parsed, checked, its name free, its
 * definition of names that are there, its routines compiled alone. */
#include "core/eval/elem.h"
#include "core/eval/elem_compile.h"

/* -- names ---------------------------------------------------------------------- */

static const struct fs_elem *elem_named(const struct fs_interp *in, int from,
                                        int to, const char *name) {
  for (int i = from; i < to; i++) {
    const struct fs_elem *e = in->elems.data[i];
    if (!strcmp(e->name, name)) return e;
    for (int k = 0; k < e->aliases.len; k++)
      if (!strcmp(e->aliases.data[k], name)) return e;
  }
  return NULL;
}

static enum fs_status taken(struct fs_interp *in, struct fs_span at,
                            const char *name, const char *by) {
  return fs_error(in->diags, at, "elem-name-taken", "choose another name",
                  "`%s` is %s already", name, by);
}

/* What stands in the way of a name; the function it replaces does not. */
static enum fs_status check_name(struct fs_interp *in, const struct fs_elem *e,
                                 struct fs_span at, const char *name) {
  struct fs_val v;
  if (fs_builtin_find(in, name))
    return taken(in, at, name, "a built-in function");
  if (elem_named(in, 0, in->n_library, name))
    return taken(in, at, name, "an elementary function of the library");
  if (fs_scope_find(&in->prelude, name))
    return taken(in, at, name, "a function of the prelude");
  const struct fs_elem *own =
      elem_named(in, in->n_library, in->elems.len, name);
  if (own && strcmp(own->name, e->name))
    return taken(in, at, name, "a name of another function of yours");
  if (!own && !fs_scope_find(&in->globals, name) && fs_lookup(in, name, &v)) {
    fs_val_unref(v);
    return taken(in, at, name, "a constant");
  }
  if (fs_scope_find(&in->globals, name))
    fs_warn(in->diags, at, "elem-hidden", "the function is seen when that is gone",
            "a variable named `%s` hides the function", name);
  return FS_OK;
}

static enum fs_status check_names(struct fs_interp *in,
                                  const struct fs_elem *e) {
  enum fs_status st = check_name(in, e, e->key[FS_EK_FUNCTION], e->name);
  for (int k = 0; k < e->aliases.len && st == FS_OK; k++)
    st = check_name(in, e, e->alias_at.data[k], e->aliases.data[k]);
  return st;
}

/* -- the definition --------------------------------------------------------------- */

struct known {
  struct fs_interp *in;
  const struct fs_elem *e;
  struct fs_scope scope;   /* the arguments, and those of lambdas around */
};

static bool is_own_name(const struct fs_elem *e, const char *name) {
  bool own = !strcmp(e->name, name);
  for (int k = 0; k < e->aliases.len; k++) own |= !strcmp(e->aliases.data[k], name);
  return own;
}

static enum fs_status check_word(struct known *k, const struct fs_expr *x) {
  struct fs_val v;
  if (fs_scope_find(&k->scope, x->text)) return FS_OK;
  if (is_own_name(k->e, x->text))
    return fs_error(k->in->diags, x->span, "elem-recursive", NULL,
                    "`%s` is defined by itself", x->text);
  struct fs_scope *scope = k->in->scope;
  k->in->scope = &k->scope;
  bool found = fs_lookup(k->in, x->text, &v);
  enum fs_status st =
      found ? FS_OK : fs_unknown_name(k->in, x->text, x->span);
  k->in->scope = scope;
  if (found) fs_val_unref(v);
  return st;
}

/* Right operands recurse, left ones loop: see ast.h. */
static enum fs_status check_expr(struct known *k, const struct fs_expr *x) {
  enum fs_status st = FS_OK;
  for (; x && st == FS_OK; x = x->n_args ? x->args[0] : NULL) {
    if (x->kind == FS_EX_LAMBDA)
      for (int p = 0; p < x->n_params; p++)
        fs_scope_set(&k->scope, x->params[p].name, fs_val_bool(false));
    if (x->kind == FS_EX_NAME) st = check_word(k, x);
    for (int a = 1; a < x->n_args && st == FS_OK; a++)
      st = check_expr(k, x->args[a]);
  }
  return st;
}

static enum fs_status check_define(struct fs_interp *in,
                                   const struct fs_elem *e) {
  struct known k = {in, e, {.sealed = true}};
  for (int p = 0; p < e->params.len; p++)
    fs_scope_set(&k.scope, e->params.data[p].name, fs_val_bool(false));
  enum fs_status st = check_expr(&k, e->define);
  fs_scope_clear(&k.scope);
  return st;
}

/* -- keeping it ---------------------------------------------------------------------- */

static bool keep(struct fs_interp *in, struct fs_elem *e) {
  in->language++;
  for (int i = in->n_library; i < in->elems.len; i++)
    if (!strcmp(in->elems.data[i]->name, e->name)) {
      in->elems.data[i] = e;
      return true;
    }
  *FS_PUSH(&in->elems) = e;
  return false;
}

enum fs_status fs_interp_elem_add(struct fs_interp *in, const char *name,
                                  const char *text, size_t len,
                                  struct fs_str *said) {
  uint32_t source = fs_source_add(in->diags, name, text, len);
  struct fs_elem *e = NULL;
  enum fs_status st = fs_elem_parse(in->diags, in->elem_arena, source, &e);
  if (st == FS_OK) st = fs_elem_check(in->diags, e);
  if (st == FS_OK) st = check_names(in, e);
  if (st == FS_OK) st = check_define(in, e);
  struct fs_str forms = {0};
  if (st == FS_OK && e->native) st = fs_elem_compile(in, e, &forms);
  if (st == FS_OK) {
    bool again = keep(in, e);
    fs_str_printf(said, "%s ", again ? "replaced" : "added");
    fs_elem_signature(e, e->name, said);
    fs_str_printf(said, "\n%s", fs_str_text(&forms));
  }
  fs_str_free(&forms);
  return st;
}

/* -- words ------------------------------------------------------------------------------ */

void fs_elem_signature(const struct fs_elem *e, const char *name,
                       struct fs_str *out) {
  fs_str_printf(out, "%s(", name);
  for (int k = 0; k < e->params.len; k++)
    fs_str_printf(out, "%s%s:%s", k ? ", " : "", e->params.data[k].name,
                  e->params.data[k].type);
  fs_str_printf(out, ") -> %s", e->result);
}

int fs_interp_elem_count(const struct fs_interp *in, int *library) {
  *library = in->n_library;
  return in->elems.len;
}

const struct fs_elem *fs_interp_elem_at(const struct fs_interp *in, int k) {
  return in->elems.data[k];
}

enum fs_status fs_interp_elem_choose(struct fs_interp *in, const char *name,
                                     int impl, struct fs_span span) {
  const struct fs_elem *e = fs_elem_find(in, name);
  if (!e)
    return fs_error(in->diags, span, "unknown-name", ":elem lists them",
                    "there is no elementary function `%.100s`", name);
  return fs_elem_choose(in, e, impl, span);
}
