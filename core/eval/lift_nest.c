/* lift_nest.c - a nest of loops as items and accesses: see lift_nest.h. */
#include "core/eval/lift_nest.h"

#include <math.h>

/* -- names ------------------------------------------------------------------- */

bool fs_lift_refuse(struct fs_lift_nest *n, struct fs_span span, const char *why) {
  if (!n->refused.why) n->refused = (struct fs_lift_refusal){span, why};
  return false;
}

const struct fs_lift_name *fs_lift_name(const struct fs_lift_nest *n, const char *name) {
  for (int k = 0; k < n->names.len; k++)
    if (!strcmp(n->names.data[k].name, name)) return &n->names.data[k];
  return NULL;
}

/* A name is one thing in all of the nest. */
static bool add_name(struct fs_lift_nest *n, const char *name, enum fs_lift_name_kind kind) {
  const struct fs_lift_name *known = fs_lift_name(n, name);
  if (known) return known->kind == kind;
  *FS_PUSH(&n->names) = (struct fs_lift_name){name, kind};
  return !(name[0] == '_' && !name[1]);
}

bool fs_lift_ends(const struct fs_stmt *list, enum fs_stmt_kind kind) {
  while (list && list->next) list = list->next;
  return list && list->kind == kind;
}

bool fs_lift_is_serial(const struct fs_stmt *s) {
  struct fs_lift_sets sets;
  struct fs_lift_no no = {.why = NULL};
  return s->kind == FS_ST_FOR && s->body && fs_lift_sets(s, &sets, &no);
}

static bool find_names(struct fs_lift_nest *n, const struct fs_stmt *list, int depth) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_CONTINUE || (s->kind == FS_ST_BREAK && !s->next && depth > 1)) return true;
    if (s->kind == FS_ST_IF) {
      bool stops = depth == 1 && fs_lift_ends(s->body, FS_ST_BREAK);
      if (!stops && !find_names(n, s->body, depth)) return false;
      if (!find_names(n, s->orelse, depth)) return false;
      continue;
    }
    bool alone = fs_lift_is_serial(s);
    n->may_be_serial |= alone;
    if (s->kind == FS_ST_WHILE || (alone && n->serial)) { /* its names are names of the round */
      struct fs_lift_sets sets;
      struct fs_lift_no no = {.why = NULL};
      if (!fs_lift_sets(s, &sets, &no)) return fs_lift_refuse(n, no.span, no.why);
      for (int k = 0; k < sets.n; k++)
        if (!add_name(n, sets.name[k], FS_LIFT_IS_LOCAL))
          return fs_lift_refuse(n, s->expr->span,
                                "is of a `while` that sets a name which is something else");
      continue;
    }
    enum fs_lift_name_kind kind = s->kind == FS_ST_FOR       ? FS_LIFT_IS_COUNTER
                                  : s->kind == FS_ST_INDEXED ? FS_LIFT_IS_ARRAY
                                                             : FS_LIFT_IS_LOCAL;
    bool ours = s->kind == FS_ST_FOR || s->kind == FS_ST_INDEXED || s->kind == FS_ST_ASSIGN;
    if (!ours || s->n_targets != 1 || !add_name(n, s->targets[0].name, kind))
      return fs_lift_refuse(n, s->span, "has a name that is something else elsewhere in the loop");
    if (s->kind == FS_ST_FOR && !find_names(n, s->body, depth + 1)) return false;
  }
  return true;
}

static bool mentions(const struct fs_expr *e, const char *name) {
  if (e->kind == FS_EX_NAME && !strcmp(e->text, name)) return true;
  for (int k = 0; k < e->n_args; k++)
    if (mentions(e->args[k], name)) return true;
  return false;
}

/* Whether an item has a name on its right side, or in a subscript that it writes. */
static bool item_reads(const struct fs_lift_item *it, const char *name) {
  if (it->region >= 0) return fs_lift_while_mentions(it->s, name);
  return mentions(it->s->expr, name) ||
         (it->kind == FS_LIFT_ELEMENT && mentions(it->s->expr2, name));
}

int fs_lift_common(const struct fs_lift_nest *n, int a, int b) {
  const struct fs_lift_item *x = &n->items.data[a], *y = &n->items.data[b];
  int k = 0;
  while (k < x->depth && k < y->depth && x->loops[k] == y->loops[k]) k++;
  return k;
}

int fs_lift_source(const struct fs_lift_nest *n, const char *name, int at, int *carried) {
  int last = -1;
  for (int k = 0; k < at; k++)
    if (!strcmp(n->items.data[k].name, name)) last = k;
  int shared = last < 0 ? 0 : fs_lift_common(n, last, at);
  *carried = -1;
  for (int k = at; k < n->items.len && *carried < 0; k++)
    if (!strcmp(n->items.data[k].name, name) && fs_lift_common(n, k, at) > shared)
      *carried = shared;
  return last;
}

int fs_lift_counter(const struct fs_lift_nest *n, int item, const char *name) {
  const struct fs_lift_item *it = &n->items.data[item];
  for (int l = 0; l < it->depth; l++)
    if (!strcmp(n->loops.data[it->loops[l]].name, name)) return l;
  return -1;
}

/* -- numbers that are the same in all rounds ------------------------------------- */

/* size(x, 1), numel(x), length(x) of an array that is named. */
static bool extent_of(const struct fs_lift_nest *n, const struct fs_expr *e, const char *what,
                      struct fs_scalar *out) {
  struct fs_scalar dim;
  struct fs_val v;
  bool size = !strcmp(what, "size");
  if (e->n_args != (size ? 3 : 2) || e->args[1]->kind != FS_EX_NAME) return false;
  const struct fs_lift_name *kind = fs_lift_name(n, e->args[1]->text);
  if (kind && kind->kind != FS_LIFT_IS_ARRAY) return false;
  if (!fs_lookup(n->in, e->args[1]->text, &v)) return false;
  struct fs_shape shape = v.kind == FS_V_TENSOR ? v.tensor->shape : (struct fs_shape){0};
  fs_val_unref(v);
  int64_t x = fs_shape_count(&shape);
  if (!shape.rank) return false;
  if (!strcmp(what, "length"))
    for (int k = 0, first = 1; k < shape.rank; k++, first = 0)
      x = first ? shape.dim[k] : FS_MAX(x, shape.dim[k]);
  if (size) {
    if (!fs_lift_number(n, e->args[2], 0, &dim)) return false;
    if (dim.x != 1 && (dim.x != 2 || shape.rank < 2)) return false;
    x = shape.dim[(int)dim.x - 1];
  }
  *out = (struct fs_scalar){.x = (double)x, .kind = FS_SC_INT};
  return true;
}

/* The built-in function that is called; NULL: it is something else. */
static const struct fs_builtin *builtin_of(const struct fs_lift_nest *n,
                                           const struct fs_expr *e) {
  struct fs_val f;
  const struct fs_expr *name = e->args[0];
  if (name->kind != FS_EX_NAME || fs_lift_name(n, name->text)) return NULL;
  if (!fs_lookup(n->in, name->text, &f)) return NULL;
  const struct fs_builtin *b =
      f.kind == FS_V_FUNCTION && f.func->kind == FS_FN_BUILTIN ? f.func->builtin : NULL;
  fs_val_unref(f);
  return b;
}

const struct fs_builtin *fs_lift_map(const struct fs_lift_nest *n, const struct fs_expr *e) {
  const struct fs_builtin *b = builtin_of(n, e);
  return b && b->traits & FS_BT_MAP && e->n_args - 1 == fs_map_ops[b->data].arity ? b : NULL;
}

const struct fs_builtin *fs_lift_cast(const struct fs_lift_nest *n, const struct fs_expr *e) {
  const struct fs_builtin *b = builtin_of(n, e);
  return b && b->traits & FS_BT_CAST && e->n_args == 2 ? b : NULL;
}

/* Whether an expression is of these parameters and numbers alone. */
static bool is_of(const struct fs_lift_nest *n, const struct fs_func *f,
                  const struct fs_expr *e, int depth) {
  enum { DEEPEST = 32 };
  bool param = false;
  if (depth > DEEPEST) return false;
  switch (e->kind) {
    case FS_EX_NUMBER: case FS_EX_BOOL: return true;
    case FS_EX_NAME:
      for (int k = 0; k < f->n_params; k++) param |= !strcmp(f->params[k].name, e->text);
      return param;
    case FS_EX_CALL:
      for (int k = 0; k < f->n_params; k++)
        if (!strcmp(f->params[k].name, e->args[0]->text ? e->args[0]->text : "")) return false;
      if (!fs_lift_map(n, e) && !fs_lift_cast(n, e)) return false;
      break;
    case FS_EX_UNARY:
      if (e->op == FS_AO_TRANSPOSE) return false;
      break;
    case FS_EX_BINARY:
      if (e->op == FS_AO_SOLVE) return false;
      break;
    default: return false;
  }
  for (int k = e->kind == FS_EX_CALL; k < e->n_args; k++)
    if (!is_of(n, f, e->args[k], depth + 1)) return false;
  return true;
}

const struct fs_func *fs_lift_function(const struct fs_lift_nest *n, const struct fs_expr *e) {
  struct fs_val v;
  const struct fs_expr *name = e->args[0];
  if (name->kind != FS_EX_NAME || fs_lift_name(n, name->text)) return NULL;
  if (!fs_lookup(n->in, name->text, &v)) return NULL;
  const struct fs_func *f = v.kind == FS_V_FUNCTION ? v.func : NULL;
  bool fits = f && f->kind == FS_FN_USER && f->expr && !f->from_prelude && !f->captures.len &&
              f->n_params == e->n_args - 1 && is_of(n, f, f->expr, 0);
  fs_val_unref(v); /* the name holds it */
  return fits ? f : NULL;
}

static bool number_of_call(const struct fs_lift_nest *n, const struct fs_expr *e,
                           struct fs_scalar *out) {
  const struct fs_builtin *b = builtin_of(n, e), *map = fs_lift_map(n, e);
  struct fs_scalar x[3];
  if (b && (!strcmp(b->name, "size") || !strcmp(b->name, "numel") || !strcmp(b->name, "length")))
    return extent_of(n, e, b->name, out);
  for (int k = 1; map && k < e->n_args; k++)
    if (!fs_lift_number(n, e->args[k], 0, &x[k - 1])) return false;
  if (map) *out = fs_scalar_map((enum fs_map_op)map->data, x);
  return map;
}

bool fs_lift_number(const struct fs_lift_nest *n, const struct fs_expr *e, int64_t end,
                    struct fs_scalar *out) {
  struct fs_scalar a, b;
  struct fs_val v = {FS_V_NUMBER, .number = e->number, .is_int = e->is_int};
  switch (e->kind) {
    case FS_EX_NUMBER: *out = fs_scalar_of(&v); return true;
    case FS_EX_BOOL: *out = (struct fs_scalar){.x = e->number, .kind = FS_SC_BOOL}; return true;
    case FS_EX_END: *out = (struct fs_scalar){.x = (double)end, .kind = FS_SC_INT}; return end;
    case FS_EX_NAME: {
      if (fs_lift_name(n, e->text) || !fs_lookup(n->in, e->text, &v)) return false;
      bool host = fs_val_is_host(&v);
      if (host) *out = fs_scalar_of(&v);
      fs_val_unref(v);
      return host;
    }
    case FS_EX_UNARY:
      if (e->op == FS_AO_TRANSPOSE || !fs_lift_number(n, e->args[0], end, &a)) return false;
      *out = fs_scalar_unary(e->op, a);
      return true;
    case FS_EX_BINARY:
      if (!fs_lift_number(n, e->args[0], end, &a) || !fs_lift_number(n, e->args[1], end, &b))
        return false;
      *out = fs_scalar_binary(e->op, a, b);
      return true;
    case FS_EX_CALL: return number_of_call(n, e, out);
    default: return false;
  }
}

/* -- sums of counters --------------------------------------------------------------- */

struct fs_affine fs_lift_constant(int64_t c) {
  return (struct fs_affine){.known = c >= -FS_LIFT_MOST && c <= FS_LIFT_MOST, .c = c};
}

/* a*x + b*y */
static struct fs_affine combine(int64_t a, struct fs_affine x, int64_t b, struct fs_affine y) {
  struct fs_affine out = fs_lift_constant(a * x.c + b * y.c);
  for (int l = 0; l < FS_LIFT_DEPTH; l++) {
    out.k[l] = a * x.k[l] + b * y.k[l];
    out.known &= out.k[l] >= -FS_LIFT_MOST && out.k[l] <= FS_LIFT_MOST;
  }
  out.known &= x.known && y.known;
  return out;
}

static bool is_constant(const struct fs_affine *a) {
  for (int l = 0; l < FS_LIFT_DEPTH; l++)
    if (a->k[l]) return false;
  return a->known;
}

/* A scalar tensor of outside that is a whole number, of which sums are exact. */
static struct fs_affine affine_outside(const struct fs_lift_nest *n, const char *name) {
  struct fs_affine out = {0};
  const double once = 0x1p24;
  double x = 0;
  struct fs_val v;
  if (!fs_lookup(n->in, name, &v)) return out;
  const struct fs_tensor *t = v.kind == FS_V_TENSOR && !v.tensor->shape.rank ? v.tensor : NULL;
  bool number = t && t->dtype != FS_BOOL && !fs_dtype_is_half(t->dtype);
  bool stored = number && t->state == FS_TS_STORED && t->storage->target;
  if (number && !stored) ((struct fs_lift_nest *)n)->wants_stored = true;
  if (stored && fs_read_number(n->in, &v, n->in->span, "", &x) == FS_OK && x == floor(x) &&
      fabs(x) <= once)
    out = fs_lift_constant((int64_t)x);
  fs_val_unref(v);
  return out;
}

static struct fs_affine affine_name(const struct fs_lift_nest *n, const char *name, int at) {
  struct fs_affine out = {0};
  int carried, l = fs_lift_counter(n, at, name);
  if (l >= 0) {
    const struct fs_lift_loop *loop = &n->loops.data[n->items.data[at].loops[l]];
    out = loop->begin;
    out.k[l] = loop->step;
    return out;
  }
  const struct fs_lift_name *kind = fs_lift_name(n, name);
  if (!kind) return affine_outside(n, name);
  if (kind->kind != FS_LIFT_IS_LOCAL) return out;
  int from = fs_lift_source(n, name, at, &carried);
  if (from < 0 || carried >= 0 || fs_lift_common(n, from, at) < n->items.data[from].depth)
    return out;
  const struct fs_lift_item *it = &n->items.data[from];
  bool surely = it->guard < 0 || fs_lift_stands_under(n, at, it->guard, it->otherwise);
  return surely ? it->affine : out;
}

struct fs_affine fs_lift_affine(const struct fs_lift_nest *n, const struct fs_expr *e, int at,
                                int64_t end) {
  const struct fs_affine none = {0};
  struct fs_scalar x;
  if (fs_lift_number(n, e, end, &x)) {
    bool whole = x.kind != FS_SC_BOOL && x.x == floor(x.x) && fabs(x.x) <= FS_LIFT_MOST;
    return whole ? fs_lift_constant((int64_t)x.x) : none;
  }
  if (e->kind == FS_EX_NAME) return affine_name(n, e->text, at);
  bool sign = e->kind == FS_EX_UNARY && (e->op == FS_AO_NEG || e->op == FS_AO_PLUS);
  if (!sign && e->kind != FS_EX_BINARY) return none;
  struct fs_affine a = fs_lift_affine(n, e->args[0], at, end);
  if (!a.known || sign) return combine(sign && e->op == FS_AO_NEG ? -1 : 1, a, 0, a);
  struct fs_affine b = fs_lift_affine(n, e->args[1], at, end);
  if (!b.known) return none;
  switch (e->op) {
    case FS_AO_ADD: return combine(1, a, 1, b);
    case FS_AO_SUB: return combine(1, a, -1, b);
    case FS_AO_MUL:
    case FS_AO_EMUL:
      if (is_constant(&a)) return combine(a.c, b, 0, b);
      return is_constant(&b) ? combine(b.c, a, 0, a) : none;
    default: return none;
  }
}

struct fs_range fs_lift_bounds(const struct fs_lift_nest *n, int item,
                               const struct fs_affine *a) {
  struct fs_range r = {a->c, a->c};
  const struct fs_lift_item *it = &n->items.data[item];
  for (int l = 0; l < it->depth; l++) {
    int64_t last = a->k[l] * (n->loops.data[it->loops[l]].count - 1);
    if (last < 0) r.first += last;
    else r.last += last;
  }
  return r;
}

/* -- accesses ------------------------------------------------------------------------- */

/* The shape that subscripts are held against, and which dimension the first one is of: x[i]
 * of a row is x[1, i]. */
static bool shape_for(int given, struct fs_shape *s, int *first) {
  bool row = given == 1 && s->rank == 2 && s->dim[0] == 1;
  bool column = s->rank < 2 || (s->rank == 2 && s->dim[1] == 1);
  *first = row;
  if (!fs_shape_count(s) || given < 1 || FS_MAX(given, s->rank) > FS_LIFT_DEPTH) return false;
  if (given > 1 && given < s->rank) return false;
  if (given == 1 && !row && !column) return false;
  while (s->rank < given) s->dim[s->rank++] = 1;
  return true;
}

/* Whether a subscript stays inside of the extent: in all rounds; or by a condition, or as far
 * as is seen when it is read. */
static bool stays_inside(const struct fs_lift_nest *n, int at, const struct fs_affine *s,
                         int64_t extent, struct fs_lift_access *a) {
  struct fs_range r = fs_lift_bounds(n, at, s);
  bool inside = r.first >= 1 && r.last <= extent;
  if (inside || (n->items.data[at].guard < 0 && !n->behind)) return inside;
  a->guarded = true;
  if (!a->write) return true;
  struct fs_affine part = fs_lift_constant(s->c); /* where the conditions narrow each loop */
  for (int l = 0; l < n->items.data[at].depth; l++) {
    struct fs_range rounds = fs_lift_guarded_rounds(n, at, l);
    if (rounds.first > rounds.last) return true;
    int64_t x = s->k[l] * rounds.first, y = s->k[l] * rounds.last;
    r.first = l ? r.first + FS_MIN(x, y) : part.c + FS_MIN(x, y);
    r.last = l ? r.last + FS_MAX(x, y) : part.c + FS_MAX(x, y);
  }
  return r.first >= 1 && r.last <= extent;
}

bool fs_lift_is_computed(const struct fs_lift_access *a) {
  for (int d = 0; d < a->shape.rank; d++)
    if (a->place[d]) return true;
  return false;
}

static bool read_expr(struct fs_lift_nest *n, int at, const struct fs_expr *e);

/* An access of item `at`, but for its subscripts, of which the first is that of dimension *first;
 * false: it is to no array that is known. */
static bool begin_access(struct fs_lift_nest *n, int at, const struct fs_expr *e,
                         struct fs_lift_access *a, int *first) {
  struct fs_val v;
  const struct fs_expr *name = e->args[0];
  if (name->kind != FS_EX_NAME || n->accesses.len == FS_LIFT_ACCESSES) return false;
  const struct fs_lift_name *kind = fs_lift_name(n, name->text);
  if ((kind && kind->kind != FS_LIFT_IS_ARRAY) || !fs_lookup(n->in, name->text, &v)) return false;
  *a = (struct fs_lift_access){.item = at, .e = e, .name = name->text};
  a->behind = n->behind;
  a->behind_or = n->behind_or;
  bool array = v.kind == FS_V_TENSOR;
  if (array) a->shape = v.tensor->shape;
  fs_val_unref(v);
  if (!array || !shape_for(e->n_args - 1, &a->shape, first)) return false;
  for (int d = 0; d < a->shape.rank; d++) a->sub[d] = fs_lift_constant(0);
  return true;
}

/* A subscript of dimension d that is no sum of counters, or that a border changes. */
static bool add_computed(struct fs_lift_nest *n, int at, const struct fs_expr *sub, int d,
                         struct fs_lift_access *a) {
  if (!a->counted[d].known && !read_expr(n, at, sub)) return false;
  a->place[d] = sub;
  a->sub[d].known = false;
  return true;
}

/* Subscript k of an access, of dimension d; false: it does not stay inside of the array, or is made
 * of more than elements. */
static bool add_subscript(struct fs_lift_nest *n, int at, int k, int d, struct fs_lift_access *a) {
  const struct fs_expr *sub = a->e->args[1 + k];
  int64_t extent = a->shape.dim[d];
  enum fs_border border = fs_border_of(a->e, k);
  struct fs_affine s = a->counted[d] = fs_lift_affine(n, sub, at, extent);
  struct fs_range r = fs_lift_bounds(n, at, &s);
  bool inside = s.known && r.first >= 1 && r.last <= extent, zeros = border == FS_BORDER_ZEROS;
  bool one = s.known && border && extent == 1; /* there is no other */
  if (one) s = fs_lift_constant(1);
  if (inside || (one && !zeros)) border = FS_BORDER_NONE;
  a->border[d] = (uint8_t)border;
  if (!s.known || (border && !zeros)) return add_computed(n, at, sub, d, a);
  a->guarded |= border && !one;
  if (!border && !stays_inside(n, at, &s, extent, a)) {
    bool new = !n->refused.why;
    fs_lift_refuse(n, a->e->span, "may be out of range");
    n->refused.place |= new;
    return false;
  }
  s.c--;
  a->sub[d] = s;
  return true;
}

/* Adds it; false: one of its subscripts cannot be. */
static bool add_access(struct fs_lift_nest *n, int at, const struct fs_expr *e, bool write) {
  struct fs_lift_access a;
  int first = 0;
  if (!begin_access(n, at, e, &a, &first)) return false;
  a.write = write;
  for (int k = 0; k + 1 < e->n_args; k++)
    if (!add_subscript(n, at, k, first + k, &a)) return false;
  *FS_PUSH(&n->accesses) = a;
  return true;
}

/* A name that is read as a value of its own. */
static bool read_name(struct fs_lift_nest *n, int at, const struct fs_expr *e) {
  const struct fs_lift_name *kind = fs_lift_name(n, e->text);
  struct fs_val v;
  if (!kind) {
    if (!fs_lookup(n->in, e->text, &v)) return false;
    bool one = fs_val_is_host(&v) || (v.kind == FS_V_TENSOR && !v.tensor->shape.rank);
    fs_val_unref(v);
    return one;
  }
  if (kind->kind == FS_LIFT_IS_COUNTER) return fs_lift_counter(n, at, e->text) >= 0;
  if (kind->kind == FS_LIFT_IS_ARRAY) return false;
  int carried, from = fs_lift_source(n, e->text, at, &carried);
  if (from >= 0 && carried < 0 && n->items.data[from].level < fs_lift_common(n, from, at))
    carried = n->items.data[from].level; /* what a reduction has come to so far */
  if (carried >= 0 && !n->carried) {
    n->carried = e;
    n->carried_loop = n->items.data[at].loops[carried];
  }
  return from >= 0 || carried >= 0;
}

/* Everything that an expression of item `at` reads; false: there is more than elements. */
static bool read_part(struct fs_lift_nest *n, int at, const struct fs_expr *e);

static bool read_expr(struct fs_lift_nest *n, int at, const struct fs_expr *e) {
  return read_part(n, at, e) ||
         fs_lift_refuse(n, e->span, "is not made of elements, numbers and functions of them");
}

static bool read_part(struct fs_lift_nest *n, int at, const struct fs_expr *e) {
  struct fs_scalar number;
  switch (e->kind) {
    case FS_EX_NUMBER:
    case FS_EX_BOOL: return true;
    case FS_EX_NAME: return read_name(n, at, e);
    case FS_EX_INDEX: return add_access(n, at, e, false);
    case FS_EX_UNARY:
      return e->op != FS_AO_TRANSPOSE && read_expr(n, at, e->args[0]);
    case FS_EX_BINARY: {
      bool logic = e->op == FS_AO_AND || e->op == FS_AO_OR, read;
      if (e->op == FS_AO_SOLVE || !read_expr(n, at, e->args[0])) return false;
      const struct fs_expr *behind = n->behind;
      bool behind_or = n->behind_or;
      if (logic) n->behind = e->args[0], n->behind_or = e->op == FS_AO_OR;
      read = read_expr(n, at, e->args[1]);
      n->behind = behind;
      n->behind_or = behind_or;
      return read;
    }
    case FS_EX_CALL:
      if (fs_lift_number(n, e, 0, &number)) return true; /* size(A, 1) */
      for (int k = 1; k < e->n_args; k++)
        if (!read_expr(n, at, e->args[k])) return false;
      return fs_lift_map(n, e) || fs_lift_cast(n, e) || fs_lift_function(n, e);
    default: return false;
  }
}

/* -- reductions -------------------------------------------------------------------------- */

/* The reduction that an operator or max and min make of all rounds; NO_REDUCE: none. */
static int reduction_of(const struct fs_lift_nest *n, const struct fs_expr *e, bool *extreme) {
  *extreme = false;
  if (e->kind == FS_EX_CALL) {
    const struct fs_builtin *b = fs_lift_map(n, e);
    *extreme = true;
    if (b && b->data == FS_OP_MAX) return FS_RD_MAXR;
    return b && b->data == FS_OP_MIN ? FS_RD_MINR : FS_LIFT_NO_REDUCE;
  }
  if (e->kind != FS_EX_BINARY) return FS_LIFT_NO_REDUCE;
  switch (e->op) {
    case FS_AO_ADD:
    case FS_AO_SUB: return FS_RD_SUM;
    case FS_AO_MUL:
    case FS_AO_EMUL: return FS_RD_PROD;
    case FS_AO_AND: return FS_RD_ALL;
    case FS_AO_OR: return FS_RD_ANY;
    default: return FS_LIFT_NO_REDUCE;
  }
}

static bool same_expr(const struct fs_expr *a, const struct fs_expr *b) {
  if (a == b) return true;
  if (a->borders || b->borders) return false;
  if (a->kind != b->kind || a->op != b->op || a->n_args != b->n_args || a->number != b->number)
    return false;
  if ((a->text || b->text) && (!a->text || !b->text || strcmp(a->text, b->text))) return false;
  for (int k = 0; k < a->n_args; k++)
    if (!same_expr(a->args[k], b->args[k])) return false;
  return a->kind != FS_EX_ARRAY && a->kind != FS_EX_LAMBDA;
}

/* Whether an expression is `what` op e, or where that is the same, e op `what`; then the item
 * is a reduction of e. */
static bool split(struct fs_lift_nest *n, struct fs_lift_item *it, const struct fs_expr *e,
                  const struct fs_expr *what) {
  bool extreme;
  int op = reduction_of(n, e, &extreme), first = extreme;
  if (op == FS_LIFT_NO_REDUCE) return false;
  const struct fs_expr *a = e->args[first], *b = e->args[first + 1];
  bool left = same_expr(a, what);
  bool turns = op != FS_RD_ALL && op != FS_RD_ANY && !(op == FS_RD_SUM && e->op == FS_AO_SUB);
  if (!left && !(turns && same_expr(b, what))) return false;
  const struct fs_expr *rest = left ? b : a;
  if (it->kind == FS_LIFT_LOCAL && mentions(rest, it->name)) return false;
  it->reduce = op;
  it->op = e->op;
  it->extreme = extreme;
  it->value = rest;
  return true;
}

/* Who else within the loop that a local name is reduced by reads or sets it: nobody, readers
 * behind it, others. */
enum sharing { ALONE, READ_BEHIND, SHARED };

static enum sharing sharing_of(const struct fs_lift_nest *n, int at) {
  const struct fs_lift_item *it = &n->items.data[at];
  enum sharing found = ALONE;
  for (int k = 0; k < n->items.len; k++) {
    const struct fs_lift_item *other = &n->items.data[k];
    if (k == at || fs_lift_common(n, k, at) <= it->level) continue;
    if (!strcmp(other->name, it->name)) return SHARED;
    if (!item_reads(other, it->name)) continue;
    if (k < at) return SHARED;
    found = READ_BEHIND;
  }
  return found;
}

/* Whether there is one for all rounds up to each. */
static bool has_running(int reduce) {
  return reduce == FS_RD_SUM || reduce == FS_RD_PROD || reduce == FS_RD_MAXR ||
         reduce == FS_RD_MINR;
}

/* s = s + e, where the round before gave s its value; if y[i] = s stands behind it, every
 * round of it is wanted. */
static void find_local_reduction(struct fs_lift_nest *n, int at) {
  struct fs_lift_item *it = &n->items.data[at], plain = *it;
  struct fs_expr what = {.kind = FS_EX_NAME, .text = it->name};
  int carried;
  it->init = fs_lift_source(n, it->name, at, &carried);
  if (carried < 0 || !split(n, it, it->s->expr, &what)) return;
  it->level = carried;
  bool whole = it->init < 0 || n->items.data[it->init].level == carried;
  enum sharing shared = whole ? sharing_of(n, at) : SHARED;
  if (shared == READ_BEHIND && carried + 1 == it->depth && has_running(it->reduce)) {
    it->running = true;
    it->along = carried;
    it->level = it->depth;
  } else if (shared != ALONE) {
    *it = plain;
  }
}

/* Whether within the loop at the item's level only the condition and what it guards has to do
 * with a name, which each sets once. */
static bool is_search_alone(const struct fs_lift_nest *n, int at, int level, const char *name) {
  for (int k = 0; k < n->items.len; k++) {
    const struct fs_lift_item *it = &n->items.data[k];
    bool sets = !strcmp(it->name, name), mine = it->guard == at && !it->otherwise;
    if (k == at || fs_lift_common(n, k, at) <= level) continue;
    if (sets && !mine) return false;
    if (item_reads(it, name)) return false;
    for (int j = 0; sets && j < k; j++)
      if (!strcmp(n->items.data[j].name, name) && n->items.data[j].guard == at) return false;
  }
  return true;
}

/* if x > m; m = x; k = i; end: the first of the largest, and where it is. */
static bool find_search(struct fs_lift_nest *n, int at) {
  struct fs_lift_item *it = &n->items.data[at];
  const struct fs_expr *e = it->value;
  bool more = e->kind == FS_EX_BINARY && e->op == FS_AO_GT;
  int carried = -1, level = -1;
  if (!more && (e->kind != FS_EX_BINARY || e->op != FS_AO_LT)) return false;
  const struct fs_expr *x = NULL, *m = NULL;
  for (int k = at + 1; k < n->items.len && !x; k++) {
    const struct fs_lift_item *set = &n->items.data[k];
    if (set->guard != at || set->otherwise || set->kind != FS_LIFT_LOCAL) continue;
    for (int side = 0; side < 2; side++)
      if (e->args[side]->kind == FS_EX_NAME && !strcmp(e->args[side]->text, set->name) &&
          same_expr(e->args[!side], set->s->expr) && !mentions(set->s->expr, set->name))
        x = e->args[!side], m = e->args[side];
  }
  if (!x) return false;
  for (int k = at; k < n->items.len; k++) { /* all that it guards */
    const struct fs_lift_item *set = &n->items.data[k];
    if (k != at && set->guard != at) continue;
    const char *name = k == at ? m->text : set->name;
    if (k != at && (set->otherwise || set->kind != FS_LIFT_LOCAL || set->depth != it->depth))
      return false;
    int from = fs_lift_source(n, name, at, &carried);
    if (level < 0) level = carried;
    bool whole = from < 0 || n->items.data[from].level == level;
    if (carried < 0 || carried != level || !whole || !is_search_alone(n, at, level, name))
      return false;
  }
  if (!read_expr(n, at, x)) return false;
  for (int k = at; k < n->items.len; k++) {
    struct fs_lift_item *set = &n->items.data[k];
    if (k != at && set->guard != at) continue;
    set->search = at;
    set->level = level;
    set->init = fs_lift_source(n, k == at ? m->text : set->name, at, &carried);
  }
  it->value = x;
  it->extreme = x == e->args[1]; /* it is on the right of the operator */
  it->op = e->op;
  it->reduce = more == (x == e->args[0]) ? FS_RD_MAXR : FS_RD_MINR;
  return true;
}

/* The loop in whose round before an item wrote what it reads by `r`; -1: none. */
static int loop_behind(const struct fs_lift_item *it, const struct fs_lift_access *w,
                       const struct fs_lift_access *r) {
  for (int l = 0; l < it->depth; l++) {
    bool behind = false, same = true;
    for (int d = 0; d < w->shape.rank; d++) {
      const struct fs_affine *x = &w->sub[d], *y = &r->sub[d];
      same &= !memcmp(x->k, y->k, sizeof x->k) && y->c == x->c - x->k[l];
      behind |= x->k[l] != 0;
    }
    if (behind && same) return l;
  }
  return -1;
}

/* y[i] = y[i-1] + e: a running sum from the first y[i-1] on. The read gets an access. */
static bool find_recurrence(struct fs_lift_nest *n, int at) {
  struct fs_lift_item *it = &n->items.data[at];
  const struct fs_expr *e = it->s->expr;
  bool extreme;
  int op = reduction_of(n, e, &extreme);
  if (!has_running(op)) return false;
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *x = e->args[extreme + k];
    if (x->kind != FS_EX_INDEX || x->n_args != it->s->expr2->n_args || !add_access(n, at, x, false))
      continue;
    const struct fs_lift_access *w = &n->accesses.data[it->target];
    struct fs_lift_access *r = &n->accesses.data[n->accesses.len - 1];
    int along = strcmp(w->name, r->name) ? -1 : loop_behind(it, w, r);
    if (along >= 0 && split(n, it, e, x)) {
      r->own = it->running = true;
      it->along = along;
      it->init = n->accesses.len - 1;
      return true;
    }
    n->accesses.len--;
  }
  return false;
}

/* z[i] = z[i] + e, in loops of which the element does not depend; else of which the round
 * before wrote what it adds to. */
static bool find_element_reduction(struct fs_lift_nest *n, int at) {
  struct fs_lift_item *it = &n->items.data[at];
  const struct fs_lift_access *w = &n->accesses.data[it->target];
  bool over = false;
  for (int l = 0; l < it->depth; l++) {
    bool used = n->loops.data[it->loops[l]].count == 1;
    for (int d = 0; d < w->shape.rank; d++) used |= w->sub[d].k[l] != 0;
    over |= !used;
  }
  if (!over) return find_recurrence(n, at);
  if (!split(n, it, it->s->expr, it->s->expr2) || !add_access(n, at, it->s->expr2, false))
    return false;
  n->accesses.data[n->accesses.len - 1].own = true;
  return true;
}

/* -- the nest ------------------------------------------------------------------------------ */

static bool add_loop(struct fs_lift_nest *n, const struct fs_stmt *s, const struct fs_val *v) {
  int64_t count = fs_range_count(v);
  double last = v->start + v->step * (double)(count - 1);
  bool whole = v->start == floor(v->start) && v->step == floor(v->step) && v->step != 0;
  bool small = fabs(v->start) <= FS_LIFT_MOST && fabs(last) <= FS_LIFT_MOST &&
               fabs(v->step) <= FS_LIFT_MOST && count <= FS_LIFT_MOST;
  if (!whole || !small) return false;
  if (n->loops.len == FS_LIFT_LOOPS || n->n_path == FS_LIFT_DEPTH) return false;
  for (int l = 0; l < n->n_path; l++)
    if (!strcmp(n->loops.data[n->path[l]].name, s->targets[0].name)) return false;
  n->path[n->n_path] = n->loops.len;
  *FS_PUSH(&n->loops) = (struct fs_lift_loop){
      .s = s, .name = s->targets[0].name, .begin = fs_lift_constant((int64_t)v->start),
      .step = (int64_t)v->step, .count = count, .depth = n->n_path, .first = n->items.len,
      .ends = -1};
  memcpy(n->loops.data[n->loops.len - 1].around, n->path, sizeof n->path);
  n->n_path++;
  return true;
}

static bool inner_range(const struct fs_lift_nest *n, const struct fs_expr *e,
                        struct fs_val *out) {
  struct fs_scalar x[3] = {{0}};
  if (e->kind != FS_EX_RANGE) return false;
  for (int k = 0; k < e->n_args; k++)
    if (!fs_lift_number(n, e->args[k], 0, &x[k]) || !isfinite(x[k].x)) return false;
  *out = (struct fs_val){.kind = FS_V_RANGE, .start = x[0].x, .step = 1};
  if (e->n_args == 3) out->step = x[1].x;
  out->stop = x[e->n_args - 1].x;
  return out->step != 0;
}

/* What the next items stand under. */
struct under {
  int guard;
  bool otherwise;
};

static bool add_item(struct fs_lift_nest *n, const struct fs_stmt *s, enum fs_lift_kind kind,
                     struct under by) {
  struct fs_lift_item it = {.s = s, .name = "", .kind = kind, .depth = n->n_path};
  if (n->items.len == FS_LIFT_ITEMS)
    return fs_lift_refuse(n, s->span, "is one statement too many");
  if (s->n_targets) it.name = s->targets[0].name;
  memcpy(it.loops, n->path, sizeof it.loops);
  it.guard = by.guard;
  it.otherwise = by.otherwise;
  it.value = s->expr;
  it.reduce = FS_LIFT_NO_REDUCE;
  it.level = it.depth;
  it.init = it.target = it.search = it.ended = it.region = -1;
  *FS_PUSH(&n->items) = it;
  return true;
}

static bool add_items(struct fs_lift_nest *n, const struct fs_stmt *list, struct under by,
                      bool tail);

static struct fs_expr *compared(struct fs_lift_nest *n, enum fs_ast_op op, struct fs_expr *a,
                                struct fs_expr *b);

/* if c; ... break; end as the first statement of an inner loop: its body is for the first round
 * in which c holds, and what is behind it for those before. */
static bool add_end(struct fs_lift_nest *n, const struct fs_stmt *s, struct under *by) {
  int at = n->items.len;
  if (s != n->fresh || by->guard >= 0)
    return fs_lift_refuse(n, s->span, "ends an inner loop, and is not its first statement");
  for (int k = 0; k < 3; k++)
    if (!add_item(n, s, FS_LIFT_CONDITION, *by)) return false;
  n->loops.data[n->path[n->n_path - 1]].ends = at;
  n->items.data[at + 1].ended = n->items.data[at + 2].ended = at;
  n->items.data[at + 2].before = true;
  struct fs_expr *not = compared(n, FS_AO_NOT, s->expr, s->expr);
  not->kind = FS_EX_UNARY;
  not->n_args = 1;
  n->items.data[at + 2].value = not;
  *by = (struct under){at + 2, false};
  return add_items(n, s->body, (struct under){at + 1, false}, true) &&
         add_items(n, s->orelse, *by, false);
}

/* An `if`; what is behind it stands under *by, also if a branch ends with `continue`. A branch
 * that ends with `break` is the round that is not lifted. */
static bool add_branches(struct fs_lift_nest *n, const struct fs_stmt *s, struct under *by,
                         bool tail) {
  int at = n->items.len;
  bool first = fs_lift_ends(s->body, FS_ST_CONTINUE), last = tail && !s->next;
  bool second = fs_lift_ends(s->orelse, FS_ST_CONTINUE);
  bool stops = n->n_path == 1 && fs_lift_ends(s->body, FS_ST_BREAK);
  if (!stops && fs_lift_ends(s->body, FS_ST_BREAK)) return add_end(n, s, by);
  if ((first || second) && !tail)
    return fs_lift_refuse(n, s->span, "goes on with the next round from within another `if`");
  if (!add_item(n, s, FS_LIFT_CONDITION, *by)) return false;
  n->items.data[at].stop = stops;
  if (!stops && !add_items(n, s->body, (struct under){at, false}, first || last)) return false;
  if (!add_items(n, s->orelse, (struct under){at, true}, second || last)) return false;
  if (first != second) *by = (struct under){at, first};
  return true;
}

/* a >= b or a <= b of a counter and an end of its range. */
static struct fs_expr *compared(struct fs_lift_nest *n, enum fs_ast_op op, struct fs_expr *a,
                                struct fs_expr *b) {
  struct fs_expr *e = FS_NEW(n->arena, struct fs_expr);
  *e = (struct fs_expr){.kind = FS_EX_BINARY, .op = op, .span = b->span, .n_args = 2};
  e->args = FS_NEW_N(n->arena, struct fs_expr *, 2);
  e->args[0] = a;
  e->args[1] = b;
  return e;
}

/* Of for j = i:n, or for j = 1:2:i, all values that j has in any round, and whether it has them
 * in this one; of for k = i-1:i+1 as many, from i-1 on. */
struct dependent {
  struct fs_val range;
  struct fs_affine begin;
  struct fs_expr *holds;     /* NULL: always */
  bool surely;
};

static bool dependent_range(struct fs_lift_nest *n, const struct fs_stmt *s, int at,
                            struct dependent *out) {
  struct fs_expr *e = s->expr;
  struct fs_scalar step = {.x = 1};
  if (e->kind != FS_EX_RANGE) return false;
  struct fs_expr *last = e->args[e->n_args - 1];
  if (e->n_args == 3 && !fs_lift_number(n, e->args[1], 0, &step)) return false;
  struct fs_affine a = fs_lift_affine(n, e->args[0], at, 0), b = fs_lift_affine(n, last, at, 0);
  struct fs_affine apart = combine(1, b, -1, a);
  struct fs_range from = fs_lift_bounds(n, at, &a), to = fs_lift_bounds(n, at, &b);
  bool fixed = is_constant(&a), up = step.x > 0;
  if (!apart.known || !step.x || step.x != floor(step.x)) return false;
  *out = (struct dependent){.begin = a};
  out->range = (struct fs_val){.kind = FS_V_RANGE, .step = step.x};
  if (is_constant(&apart)) {
    out->range.start = (double)a.c;
    out->range.stop = (double)b.c;
    return true;
  }
  if (!fixed && fabs(step.x) != 1) return false;
  out->range.start = (double)(up ? from.first : from.last);
  out->range.stop = (double)(up ? to.last : to.first);
  out->begin = fs_lift_constant((int64_t)out->range.start);
  struct fs_expr *name = FS_NEW(n->arena, struct fs_expr), *low = NULL, *high = NULL;
  *name = (struct fs_expr){.kind = FS_EX_NAME, .text = s->targets[0].name, .span = e->span};
  if (!fixed) low = compared(n, up ? FS_AO_GE : FS_AO_LE, name, e->args[0]);
  if (!is_constant(&b)) high = compared(n, up ? FS_AO_LE : FS_AO_GE, name, last);
  out->holds = low && high ? compared(n, FS_AO_AND, low, high) : low ? low : high;
  struct fs_range rounds = fs_lift_bounds(n, at, &apart);
  out->surely = up ? rounds.first >= 0 : rounds.last <= 0;
  return true;
}

/* A window round by round, each as items of the loops around; the loop is there for its counter. */
static bool add_window(struct fs_lift_nest *n, const struct fs_stmt *s, const struct dependent *d,
                       struct under by) {
  int first = n->items.len;
  int64_t count = fs_range_count(&d->range);
  bool moves = d->begin.known && !is_constant(&d->begin), known = false;
  n->windows = true;
  for (int64_t k = 0; k < count; k++) {
    double round = d->range.step * (double)k + (moves ? 0 : d->range.start);
    struct fs_stmt *body = fs_lift_window_round(n, s, moves ? s->expr->args[0] : NULL, round);
    if (!add_items(n, body, by, true)) return false;
  }
  for (int k = 0; k < n->loops.len; k++)
    known |= n->loops.data[k].window && !strcmp(n->loops.data[k].name, s->targets[0].name);
  if (known) return true;
  if (!add_loop(n, s, &d->range)) return false;
  n->n_path--;
  struct fs_lift_loop *loop = &n->loops.data[n->loops.len - 1];
  if (moves) loop->begin = d->begin;
  loop->first = first;
  loop->window = true;
  return true;
}

/* A loop without rounds is left out, with all that is in it. */
static bool add_inner(struct fs_lift_nest *n, const struct fs_stmt *s, struct under by) {
  struct dependent d = {.holds = NULL};
  int at = n->items.len;
  bool plain = inner_range(n, s->expr, &d.range);
  if (!plain) {
    n->must_be_serial = fs_lift_is_serial(s);
    if (!add_item(n, s, FS_LIFT_CONDITION, by) || !dependent_range(n, s, at, &d))
      return fs_lift_refuse(n, s->expr->span, "is no range of sums of counters");
    n->must_be_serial = false;
    if (!d.holds || !fs_range_count(&d.range)) n->items.len--;
  }
  if (!fs_range_count(&d.range)) return true;
  bool moves = !plain && !is_constant(&d.begin);
  if (!d.holds && !(moves && by.guard >= 0) &&
      fs_lift_is_window(n, s, fs_range_count(&d.range), moves))
    return add_window(n, s, &d, by);
  if (!add_loop(n, s, &d.range))
    return fs_lift_refuse(n, s->expr->span, "is a loop too deep, or no range of whole numbers");
  struct fs_lift_loop *loop = &n->loops.data[n->loops.len - 1];
  loop->first = at;
  if (!plain) loop->begin = d.begin;
  if (d.holds) {
    struct fs_lift_item *it = &n->items.data[at];
    it->value = d.holds;
    it->of_range = true;
    it->surely = d.surely;
    it->depth = n->n_path;
    it->level = it->depth;
    memcpy(it->loops, n->path, sizeof it->loops);
    by = (struct under){at, false};
  }
  n->fresh = s->body;
  int before = n->items.len;
  if (!add_items(n, s->body, by, true)) return false;
  if (n->items.len == before && by.guard >= 0 && !d.holds)
    return fs_lift_refuse(n, s->span, "has nothing in it, under a condition");
  n->n_path--;
  return true;
}

/* A `while` is an item for each name that it sets. */
static bool add_while(struct fs_lift_nest *n, const struct fs_stmt *s, struct under by) {
  struct fs_lift_sets sets;
  struct fs_lift_no no = {.why = NULL};
  int first = n->items.len;
  if (!fs_lift_sets(s, &sets, &no)) return fs_lift_refuse(n, no.span, no.why);
  for (int k = 0; k < sets.n; k++) {
    if (!add_item(n, s, FS_LIFT_LOCAL, by)) return false;
    n->items.data[first + k].name = sets.name[k];
    n->items.data[first + k].region = first;
  }
  return true;
}

static bool add_items(struct fs_lift_nest *n, const struct fs_stmt *list, struct under by,
                      bool tail) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_CONTINUE) return tail;
    if (s->kind == FS_ST_BREAK) /* of add_end() */
      return by.guard >= 0 && n->items.data[by.guard].ended >= 0 && !s->next;
    if (s->kind == FS_ST_IF) {
      if (!add_branches(n, s, &by, tail)) return false;
      bool ends = fs_lift_ends(s->body, FS_ST_CONTINUE) && fs_lift_ends(s->orelse, FS_ST_CONTINUE);
      if (ends) return true;
      continue;
    }
    if (s->kind == FS_ST_WHILE || (n->serial && fs_lift_is_serial(s))) {
      if (!add_while(n, s, by)) return false;
      continue;
    }
    if (s->kind == FS_ST_FOR) {
      if (!add_inner(n, s, by)) return false;
      continue;
    }
    bool shown = !s->silent && !n->in->silent && !n->in->call_depth;
    bool element = s->kind == FS_ST_INDEXED;
    if (shown) return fs_lift_refuse(n, s->span, "is shown");
    if (!add_item(n, s, element ? FS_LIFT_ELEMENT : FS_LIFT_LOCAL, by)) return false;
  }
  return true;
}

struct reader {
  struct fs_lift_nest *n;
  int at;
};

static bool read_outside(void *user, const struct fs_expr *e) {
  const struct reader *r = user;
  return read_expr(r->n, r->at, e);
}

static bool knows_call(void *user, const struct fs_expr *e) {
  const struct reader *r = user;
  return fs_lift_map(r->n, e) || fs_lift_cast(r->n, e) || fs_lift_function(r->n, e);
}

/* An element at a place that the `while` computes may be any. */
static bool read_table(void *user, const struct fs_expr *e) {
  const struct reader *r = user;
  struct fs_lift_access a;
  int first = 0;
  if (!begin_access(r->n, r->at, e, &a, &first)) return false;
  for (int k = 0; k + 1 < e->n_args; k++) {
    a.place[first + k] = e->args[1 + k];
    a.sub[first + k] = (struct fs_affine){0};
    if (fs_border_of(e, k) == FS_BORDER_ZEROS)
      return fs_lift_refuse(r->n, e->span, "has a border of zeros at a place that a `while` computes");
  }
  *FS_PUSH(&r->n->accesses) = a;
  return true;
}

/* What a `while` reads from outside, first of all its names. */
static bool read_while(struct fs_lift_nest *n, int at) {
  const struct fs_stmt *s = n->items.data[at].s;
  struct fs_lift_sets sets;
  struct fs_lift_no no = {.why = NULL};
  struct reader r = {n, at};
  const struct fs_lift_visit visit = {read_outside, knows_call, read_table, &r};
  if (!fs_lift_sets(s, &sets, &no)) return fs_lift_refuse(n, no.span, no.why);
  for (int k = 0; k < sets.n; k++) {
    struct fs_expr *name = FS_NEW(n->arena, struct fs_expr);
    *name = (struct fs_expr){.kind = FS_EX_NAME, .text = sets.name[k], .span = s->expr->span};
    if (sets.needed[k] && !read_name(n, at, name))
      return fs_lift_refuse(n, s->expr->span, "is of a `while` that reads a name which has no value");
  }
  return fs_lift_while_visit(s, &sets, &visit, &no) ||
         fs_lift_refuse(n, no.why ? no.span : s->expr->span, no.why ? no.why : "cannot be lifted");
}

/* What an item reads and writes. */
static bool read_item(struct fs_lift_nest *n, int at) {
  struct fs_lift_item *it = &n->items.data[at];
  if (it->ended >= 0) return true;
  if (it->region >= 0) return it->region != at || read_while(n, at);
  if (it->kind == FS_LIFT_CONDITION) return find_search(n, at) || read_expr(n, at, it->value);
  if (it->kind == FS_LIFT_LOCAL && it->search >= 0) return read_expr(n, at, it->value);
  if (it->kind == FS_LIFT_LOCAL) {
    find_local_reduction(n, at);
    if (it->reduce == FS_LIFT_NO_REDUCE) it->affine = fs_lift_affine(n, it->value, at, 0);
    return read_expr(n, at, it->value);
  }
  if (!add_access(n, at, it->s->expr2, true)) return false;
  it->target = n->accesses.len - 1;
  find_element_reduction(n, at);
  return read_expr(n, at, it->value);
}

/* An element of an array is not written by two rounds of the loops that its subscripts name. */
static bool is_one_to_one(const struct fs_lift_access *a) {
  for (int d = 0; a->write && d < a->shape.rank; d++) {
    int counters = 0;
    for (int l = 0; l < FS_LIFT_DEPTH; l++) counters += a->sub[d].k[l] != 0;
    if (counters > 1) return false;
  }
  return true;
}

bool fs_lift_read(struct fs_lift_nest *n, const struct fs_stmt *s, const struct fs_val *range) {
  n->arena = fs_arena_new();
  if (!add_name(n, s->targets[0].name, FS_LIFT_IS_COUNTER)) return false;
  if (!find_names(n, s->body, 1) || !fs_range_count(range)) return false;
  if (!add_loop(n, s, range)) return false;
  if (!add_items(n, s->body, (struct under){-1, false}, true)) return false;
  bool elements = false;
  for (int k = 0; k < n->items.len; k++)
    if (!read_item(n, k)) return false;
  for (int k = 0; k < n->accesses.len; k++) {
    elements = true;
    if (!is_one_to_one(&n->accesses.data[k]))
      return fs_lift_refuse(n, n->accesses.data[k].e->span, "is written by several counters in one subscript");
  }
  return elements;
}

void fs_lift_nest_free(struct fs_lift_nest *n) {
  FS_VEC_FREE(&n->names);
  FS_VEC_FREE(&n->loops);
  FS_VEC_FREE(&n->items);
  FS_VEC_FREE(&n->accesses);
  if (n->arena) fs_arena_free(n->arena);
}
