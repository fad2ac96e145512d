/* cuda_c_index.c - subscripts, numbers of threads and shapes of one call of a kernel.
 *
 * A[i*n + j] of a matrix with n columns is A[i, j]: of the sum, what has the number of columns
 * as a factor is the row. That is right wherever both are inside of the matrix, which whoever
 * runs the loops looks after. */
#include "core/lang/cuda_c_call.h"

#include <math.h>

enum { MOST = 1 << 30, MOST_STEPS = 2000, MOST_RANGES = 8 };

/* -- sums ----------------------------------------------------------------------------- */

static bool same_factors(const struct fs_c_term *a, const struct fs_c_term *b) {
  if (a->n != b->n) return false;
  for (int k = 0; k < a->n; k++)
    if (a->sym[k] != b->sym[k]) return false;
  return true;
}

static bool add_term(struct fs_c_poly *p, struct fs_c_term t) {
  if (!t.k) return true;
  for (int k = 0; k < p->n; k++) {
    if (!same_factors(&p->term[k], &t)) continue;
    p->term[k].k += t.k;
    if (!p->term[k].k) p->term[k] = p->term[--p->n];
    return t.k > -MOST && t.k < MOST;
  }
  if (p->n == FS_C_TERMS || t.k <= -MOST || t.k >= MOST) return false;
  p->term[p->n++] = t;
  return true;
}

bool fs_c_poly_add(struct fs_c_poly *a, int64_t k, const struct fs_c_poly *b) {
  for (int j = 0; j < b->n; j++) {
    struct fs_c_term t = b->term[j];
    t.k *= k;
    if (!add_term(a, t)) return false;
  }
  return true;
}

static bool multiply(const struct fs_c_poly *a, const struct fs_c_poly *b, struct fs_c_poly *out) {
  *out = (struct fs_c_poly){0};
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++) {
      struct fs_c_term x = a->term[i];
      const struct fs_c_term *y = &b->term[j];
      if (x.n + y->n > FS_C_FACTORS) return false;
      x.k *= y->k;
      for (int s = 0; s < y->n; s++) {
        int at = x.n++;
        for (; at && x.sym[at - 1] > y->sym[s]; at--) x.sym[at] = x.sym[at - 1];
        x.sym[at] = y->sym[s];
      }
      if (!add_term(out, x)) return false;
    }
  return true;
}

/* The number that a sum is; false: it has something else in it. */
static bool number_of(const struct fs_c_poly *p, int64_t *out) {
  *out = p->n ? p->term[0].k : 0;
  return !p->n || (p->n == 1 && !p->term[0].n);
}

struct fs_c_poly fs_c_known(const struct fs_c_call *c, const struct fs_c_poly *p) {
  struct fs_c_poly out = {0};
  for (int j = 0; j < p->n; j++) {
    struct fs_c_term t = {.k = p->term[j].k};
    for (int s = 0; s < p->term[j].n; s++) {
      const struct fs_c_sym *sym = &c->sym[p->term[j].sym[s]];
      if (sym->kind == FS_C_SCALAR && sym->known) t.k *= sym->value;
      else t.sym[t.n++] = p->term[j].sym[s];
    }
    if (!add_term(&out, t)) return *p;
  }
  return out;
}

/* -- names ---------------------------------------------------------------------------- */

static int sym_of(struct fs_c_call *c, enum fs_c_sym_kind kind, const struct fs_expr *e) {
  for (int k = 0; k < c->n_syms; k++)
    if (!strcmp(c->sym[k].name, e->text)) return k;
  if (c->n_syms == FS_C_SYMS) return -1;
  c->sym[c->n_syms] = (struct fs_c_sym){.kind = kind, .name = e->text, .span = e->span};
  return c->n_syms++;
}

static bool is_thread(const char *name) {
  return !strcmp(name, "idx") || !strcmp(name, "idy") || !strcmp(name, "idz") ||
         !strncmp(name, "blockIdx.", 9) || !strncmp(name, "threadIdx.", 10);
}

int fs_c_param(const struct fs_c_kernel *k, const struct fs_expr *e) {
  int at = 0;
  while (strcmp(k->params[at].name, e->args[0]->text)) at++;
  return at;
}

static bool name_poly(struct fs_c_call *c, const struct fs_expr *e, struct fs_c_poly *out) {
  int sym = -1;
  for (int k = 0; k < c->n_syms && sym < 0; k++)
    if (!strcmp(c->sym[k].name, e->text)) sym = k;
  for (int k = 0; k < c->k->n_params && sym < 0; k++)
    if (!strcmp(c->k->params[k].name, e->text) && !c->k->params[k].array &&
        c->k->params[k].type <= FS_C_I64)
      sym = sym_of(c, FS_C_SCALAR, e);
  if (sym < 0 && is_thread(e->text)) sym = sym_of(c, FS_C_THREAD, e);
  if (sym < 0 && !strncmp(e->text, "gridSize.", 9)) sym = sym_of(c, FS_C_SCALAR, e);
  for (int k = 0; k < c->k->n_locals && sym < 0; k++) {
    const struct fs_c_name *local = &c->k->locals[k];
    if (strcmp(local->name, e->text) || !local->once || local->type > FS_C_I64) continue;
    return fs_c_poly_of(c, local->once, out);
  }
  if (sym < 0) return false;
  return add_term(out, (struct fs_c_term){.k = 1, .n = 1, .sym = {sym}});
}

/* a / b, a % b, a & b and a >> b of numbers; a << 3 */
static bool divided(struct fs_c_call *c, char op, const struct fs_c_poly *a,
                    const struct fs_c_poly *b, struct fs_c_poly *out) {
  struct fs_c_poly p = fs_c_known(c, a), q = fs_c_known(c, b);
  int64_t x, y;
  bool shifts = op == '<' || op == '>';
  bool known = number_of(&q, &y) && (shifts ? y >= 0 && y < 31 : op == '&' || y != 0);
  *out = (struct fs_c_poly){0};
  if (known && op == '<') return fs_c_poly_add(out, (int64_t)1 << y, a);
  if (known && op == '/' && y == 1) return fs_c_poly_add(out, 1, a);
  if (!known || !number_of(&p, &x)) return false;
  int64_t k = op == '/' ? x / y : op == '%' ? x % y : op == '&' ? x & y : x >> y;
  return add_term(out, (struct fs_c_term){.k = k});
}

static bool poly_of(struct fs_c_call *c, const struct fs_expr *e, struct fs_c_poly *out);

bool fs_c_poly_of(struct fs_c_call *c, const struct fs_expr *e, struct fs_c_poly *out) {
  *out = (struct fs_c_poly){0};
  if (!c->depth) c->steps = 0;
  if (c->steps++ > MOST_STEPS || c->depth > FS_MAX_HEIGHT) return false;
  c->depth++;
  bool is_sum = poly_of(c, e, out);
  c->depth--;
  return is_sum;
}

static bool poly_of(struct fs_c_call *c, const struct fs_expr *e, struct fs_c_poly *out) {
  struct fs_c_poly a, b;
  switch (e->kind) {
    case FS_EX_NUMBER:
      return e->is_int && fabs(e->number) < MOST &&
             add_term(out, (struct fs_c_term){.k = (int64_t)e->number});
    case FS_EX_NAME: return name_poly(c, e, out);
    case FS_EX_UNARY:
      if (e->op == FS_AO_NOT || !fs_c_poly_of(c, e->args[0], &a)) return false;
      return fs_c_poly_add(out, e->op == FS_AO_NEG ? -1 : 1, &a);
    case FS_EX_BINARY:
      if (e->op > FS_AO_DIV) return false;
      if (!fs_c_poly_of(c, e->args[0], &a) || !fs_c_poly_of(c, e->args[1], &b)) return false;
      if (e->op == FS_AO_MUL) return multiply(&a, &b, out);
      if (e->op == FS_AO_DIV) return divided(c, '/', &a, &b, out);
      *out = a;
      return fs_c_poly_add(out, e->op == FS_AO_ADD ? 1 : -1, &b);
    case FS_EX_CALL: {
      const char *f = e->args[0]->text;
      if (!strcmp(f, "(i32)") || !strcmp(f, "(u32)") || !strcmp(f, "(i64)"))
        return fs_c_poly_of(c, e->args[1], out);
      bool two = strchr("%<>&", *f);
      if (!two || !strcmp(f, "&&") || !fs_c_poly_of(c, e->args[1], &a) ||
          !fs_c_poly_of(c, e->args[2], &b))
        return false;
      return divided(c, *f, &a, &b, out);
    }
    default: return false;
  }
}

/* -- ranges --------------------------------------------------------------------------- */

static bool sym_range(struct fs_c_call *c, int s, int64_t *low, int64_t *high) {
  const struct fs_c_sym *sym = &c->sym[s];
  struct fs_c_poly first, last;
  int64_t a[2], b[2];
  if (sym->kind != FS_C_COUNTER) {
    *low = sym->kind == FS_C_SCALAR ? sym->value : 0;
    *high = sym->kind == FS_C_SCALAR ? sym->value : sym->value - 1;
    return sym->known;
  }
  if (c->ranges > MOST_RANGES) return false;
  c->ranges++;
  bool known = fs_c_poly_of(c, sym->range->args[0], &first) &&
               fs_c_poly_of(c, sym->range->args[2], &last) &&
               fs_c_range(c, &first, &a[0], &a[1]) && fs_c_range(c, &last, &b[0], &b[1]);
  c->ranges--;
  if (!known) return false;
  bool up = sym->range->args[1]->kind != FS_EX_UNARY;
  *low = up ? a[0] : b[0];
  *high = up ? b[1] : a[1];
  return true;
}

bool fs_c_range(struct fs_c_call *c, const struct fs_c_poly *p, int64_t *low,
                int64_t *high) {
  struct fs_c_poly q = fs_c_known(c, p);
  *low = *high = 0;
  for (int j = 0; j < q.n; j++) {
    int64_t x = q.term[j].k, y = x, a, b;
    for (int s = 0; s < q.term[j].n; s++) {
      if (!sym_range(c, q.term[j].sym[s], &a, &b)) return false;
      int64_t v[4] = {x * a, x * b, y * a, y * b};
      x = FS_MIN(FS_MIN(v[0], v[1]), FS_MIN(v[2], v[3]));
      y = FS_MAX(FS_MAX(v[0], v[1]), FS_MAX(v[2], v[3]));
      if (x < -((int64_t)MOST * 2) || y > (int64_t)MOST * 2) return false;
    }
    *low += x;
    *high += y;
  }
  return true;
}

/* -- subscripts ----------------------------------------------------------------------- */

/* t divided by `columns`: a scalar parameter of that value is left out, or the number is
 * divided. False: it does not go. */
static bool divide_term(const struct fs_c_call *c, struct fs_c_term *t, int64_t columns,
                        bool by_name) {
  for (int s = 0; s < t->n; s++) {
    const struct fs_c_sym *sym = &c->sym[t->sym[s]];
    if (sym->kind != FS_C_SCALAR || !sym->known || sym->value != columns) continue;
    memmove(&t->sym[s], &t->sym[s + 1], sizeof *t->sym * (size_t)(t->n - s - 1));
    t->n--;
    return true;
  }
  struct fs_c_poly one = {.n = 1, .term = {*t}};
  one = fs_c_known(c, &one);
  if (by_name || !one.n || !one.term[0].n || one.term[0].k % columns) return false;
  *t = one.term[0];
  t->k /= columns;
  return true;
}

/* p = rows*columns + rest */
static bool split(struct fs_c_call *c, const struct fs_c_poly *p, int64_t columns,
                  struct fs_c_poly *rows, struct fs_c_poly *rest) {
  bool named = false; /* of one column everything is a multiple */
  *rows = *rest = (struct fs_c_poly){0};
  for (int j = 0; j < p->n && columns == 1; j++) {
    struct fs_c_term t = p->term[j];
    named |= divide_term(c, &t, columns, true);
  }
  for (int j = 0; j < p->n; j++) {
    struct fs_c_term t = p->term[j];
    bool row = divide_term(c, &t, columns, named);
    if (!add_term(row ? rows : rest, row ? t : p->term[j])) return false;
  }
  struct fs_c_poly all = fs_c_known(c, rest), others = all;
  int64_t k = 0, low = 0, high = 0;
  for (int j = 0; j < all.n; j++) { /* a number alone goes where the rest stays in its row */
    if (all.term[j].n) continue;
    k = all.term[j].k;
    others.term[j] = others.term[--others.n];
    break;
  }
  int64_t more = k >= 0 ? k / columns : -((columns - 1 - k) / columns), left = k - more * columns;
  bool inside = fs_c_range(c, &others, &low, &high) && low + left >= 0 && high + left < columns;
  if (!inside) more = k / columns; /* as it is written, where a condition keeps it inside */
  if (!add_term(rows, (struct fs_c_term){.k = more})) return false;
  if (!add_term(&all, (struct fs_c_term){.k = -more * columns})) return false;
  *rest = all;
  return true;
}

bool fs_c_subscripts(struct fs_c_call *c, const struct fs_expr *e, const struct fs_c_array *a,
                     struct fs_c_poly *out) {
  struct fs_c_poly p, rows;
  if (e->n_args - 1 > 1) {
    for (int d = 0; d < a->rank; d++)
      if (!fs_c_poly_of(c, e->args[1 + d], &out[d])) return false;
    return true;
  }
  if (!fs_c_poly_of(c, e->args[1], &p)) return false;
  for (int d = a->rank - 1; d > 0; d--) {
    if (!split(c, &p, a->dim[d], &rows, &out[d])) return false;
    p = rows;
  }
  out[0] = p;
  return true;
}

/* -- what the kernel does ------------------------------------------------------------- */

static void find_in(struct fs_c_call *c, const struct fs_expr *e, bool guarded) {
  struct fs_c_poly p;
  if (e->kind == FS_EX_NAME) fs_c_poly_of(c, e, &p); /* its symbol is there from now on */
  if (e->kind == FS_EX_INDEX)
    *FS_PUSH(&c->accesses) =
        (struct fs_c_access){.e = e, .param = fs_c_param(c->k, e), .guarded = guarded};
  bool choice = e->kind == FS_EX_CALL && !strcmp(e->args[0]->text, "?:");
  bool logic = e->kind == FS_EX_BINARY && (e->op == FS_AO_AND || e->op == FS_AO_OR);
  for (int k = e->kind == FS_EX_INDEX || e->kind == FS_EX_CALL; k < e->n_args; k++)
    find_in(c, e->args[k], guarded || (choice && k > 1) || (logic && k));
}

/* idx < n, among what a condition (`holds`: that it is so) says of threads. */
static void find_guards(struct fs_c_call *c, const struct fs_expr *e, bool holds) {
  if (e->kind == FS_EX_UNARY && e->op == FS_AO_NOT) {
    find_guards(c, e->args[0], !holds);
    return;
  }
  if (e->kind != FS_EX_BINARY) return;
  if (e->op == (holds ? FS_AO_AND : FS_AO_OR))
    for (int k = 0; k < 2; k++) find_guards(c, e->args[k], holds);
  bool same = e->op == (holds ? FS_AO_EQ : FS_AO_NE);
  if (!same && (e->op < FS_AO_LT || e->op > FS_AO_GE)) return;
  bool less = same || e->op == FS_AO_LT || e->op == FS_AO_LE;
  bool strict = !same && (e->op == FS_AO_LT || e->op == FS_AO_GT) == holds;
  const struct fs_expr *small = e->args[less != holds], *large = e->args[less == holds];
  if (same) small = e->args[0], large = e->args[1];
  struct fs_c_poly a, b, one = {.n = 1, .term = {{.k = 1}}};
  if (!fs_c_poly_of(c, small, &a) || !fs_c_poly_of(c, large, &b)) return;
  for (int j = 0; j < a.n; j++) { /* idx + 1 < n */
    struct fs_c_poly more = {.n = 1, .term = {a.term[j]}};
    if (a.term[j].n) continue;
    if (!fs_c_poly_add(&b, -1, &more) || !fs_c_poly_add(&a, -1, &more)) return;
    break;
  }
  if (a.n != 1 || a.term[0].n != 1 || a.term[0].k != 1) return;
  if (c->sym[a.term[0].sym[0]].kind != FS_C_THREAD) return;
  if (strict && !fs_c_poly_add(&b, -1, &one)) return;
  *FS_PUSH(&c->guards) = (struct fs_c_guard){a.term[0].sym[0], b};
}

static int stores(const struct fs_stmt *list) {
  int n = 0;
  for (const struct fs_stmt *s = list; s; s = s->next)
    n += (s->kind == FS_ST_INDEXED) + stores(s->body) + stores(s->orelse);
  return n;
}

static void find_all(struct fs_c_call *c, const struct fs_stmt *list, bool guarded, bool top) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_FOR) {
      struct fs_expr name = {.text = s->targets[0].name, .span = s->targets[0].span};
      int sym = sym_of(c, FS_C_COUNTER, &name);
      if (sym >= 0) c->sym[sym].range = s->expr;
    }
    if (s->expr) find_in(c, s->expr, guarded);
    if (s->kind == FS_ST_INDEXED) {
      find_in(c, s->expr2, guarded);
      for (int k = c->accesses.len - 1; k >= 0; k--)
        if (c->accesses.data[k].e == s->expr2) c->accesses.data[k].write = true;
    }
    bool ends = s->kind == FS_ST_IF && s->body && s->body->kind == FS_ST_CONTINUE && !s->orelse;
    bool all = top && s->kind == FS_ST_IF && !s->orelse && stores(s->body) == stores(c->k->body);
    if (top && s->kind == FS_ST_IF && (ends || all)) find_guards(c, s->expr, !ends);
    bool under = s->kind == FS_ST_IF || s->kind == FS_ST_WHILE; /* but not of which threads */
    find_all(c, s->body, guarded || (under && !all), all);
    find_all(c, s->orelse, true, false);
    guarded |= ends && !top;
  }
}

/* -- what follows --------------------------------------------------------------------- */

/* The one unknown scalar parameter of a term, and what the others make: k*known*unknown. */
static int unknown_of(const struct fs_c_call *c, const struct fs_c_term *t, int64_t *others) {
  int found = -1;
  *others = t->k;
  for (int s = 0; s < t->n; s++) {
    const struct fs_c_sym *sym = &c->sym[t->sym[s]];
    if (sym->kind != FS_C_SCALAR) continue;
    if (sym->known) *others *= sym->value;
    else if (found >= 0) return -1;
    else found = t->sym[s];
  }
  return found;
}

static bool set(struct fs_c_call *c, int sym, int64_t value) {
  if (sym < 0 || c->sym[sym].known || value < 1 || value > MOST) return false;
  c->sym[sym].known = true;
  c->sym[sym].value = value;
  return true;
}

/* n of A[i*n + j], where A has n columns. */
static bool strides(struct fs_c_call *c, const struct fs_c_access *x, const struct fs_c_array *a) {
  struct fs_c_poly p;
  bool more = false;
  if (a->rank < 2 || x->e->n_args != 2 || !fs_c_poly_of(c, x->e->args[1], &p)) return false;
  for (int j = 0; j < p.n; j++) {
    int64_t others, behind = 1;
    int sym = p.term[j].n > 1 ? unknown_of(c, &p.term[j], &others) : -1;
    for (int d = a->rank - 1; d > 0 && sym >= 0; d--) {
      if (others == behind && set(c, sym, a->dim[d])) more = true, sym = -1;
      behind *= a->dim[d];
    }
  }
  return more;
}

/* w of C[i*w + j] = ..., where nothing is said of C: as many as j has values. */
static bool written_stride(struct fs_c_call *c, const struct fs_c_access *x) {
  struct fs_c_poly p;
  int64_t others, low, high;
  if (!x->write || c->array[x->param].known || x->e->n_args != 2) return false;
  if (!fs_c_poly_of(c, x->e->args[1], &p)) return false;
  for (int j = 0; j < p.n; j++) {
    int sym = p.term[j].n > 1 ? unknown_of(c, &p.term[j], &others) : -1;
    if (sym < 0 || others != 1) continue;
    struct fs_c_poly rest = p;
    rest.term[j] = rest.term[--rest.n];
    if (fs_c_range(c, &rest, &low, &high) && low >= 0 && set(c, sym, high + 1)) return true;
  }
  return false;
}

/* The scalar parameter that a sum ends with, known + n, where all else is known. */
static int ends_with(const struct fs_c_call *c, const struct fs_c_poly *p, int64_t *rest) {
  int found = -1;
  *rest = 0;
  for (int j = 0; j < p->n; j++) {
    int64_t others;
    int sym = unknown_of(c, &p->term[j], &others);
    if (sym < 0 && p->term[j].n) return -1;
    if (sym < 0) *rest += p->term[j].k;
    else if (found >= 0 || others != 1 || p->term[j].n != 1) return -1;
    else found = sym;
  }
  return found;
}

/* How many values a counter or thread may have for the subscripts of one array that are it,
 * plus a number; 0: there are none. */
static int64_t most_values(struct fs_c_call *c, int of, int param, bool guarded) {
  const struct fs_c_array *a = &c->array[param];
  struct fs_c_poly sub[FS_C_RANK];
  int64_t best = 0, add;
  for (int k = 0; k < c->accesses.len && a->known; k++) {
    const struct fs_c_access *x = &c->accesses.data[k];
    if (x->param != param || (x->guarded && !guarded) || !fs_c_subscripts(c, x->e, a, sub))
      continue;
    for (int d = 0; d < a->rank; d++) {
      struct fs_c_poly p = fs_c_known(c, &sub[d]);
      struct fs_c_term alone = {.k = -1, .n = 1, .sym = {of}};
      if (!add_term(&p, alone) || !number_of(&p, &add)) continue;
      int64_t n = a->dim[d] - FS_MAX(add, 0);
      if (n > 0 && (!best || n < best)) best = n;
    }
  }
  return best;
}

/* n of `i < n`, where i (+ a number) is a subscript of a known extent. */
static bool bounds(struct fs_c_call *c, int of, const struct fs_c_poly *last) {
  int64_t rest, best = 0;
  struct fs_c_poly known = fs_c_known(c, last);
  int sym = ends_with(c, &known, &rest);
  for (int guarded = 0; guarded < 2; guarded++)
    for (int p = 0; p < c->k->n_params && sym >= 0 && !best; p++)
      best = most_values(c, of, p, guarded);
  return best && set(c, sym, best - 1 - rest);
}

/* Whether a counter or thread goes as far in all arrays whose subscript it is alone. */
static enum fs_status check_extents(struct fs_c_call *c, int of) {
  int first = -1;
  int64_t n = 0;
  for (int p = 0; p < c->k->n_params; p++) {
    int64_t more = c->given[p].given ? most_values(c, of, p, false) : 0;
    if (!more || more == n) continue;
    if (first >= 0)
      return fs_error(c->diags, c->sym[of].span, "kernel-size",
                      "a call that gives all numbers and arrays says which is meant",
                      "`%.60s` goes through %lld elements of `%.60s` and %lld of `%.60s`",
                      c->sym[of].name, (long long)n, c->k->params[first].name, (long long)more,
                      c->k->params[p].name);
    first = p;
    n = more;
  }
  return FS_OK;
}

static bool find_scalars(struct fs_c_call *c) {
  bool more = false;
  struct fs_c_poly last;
  for (int k = 0; k < c->accesses.len; k++)
    if (c->array[c->accesses.data[k].param].known)
      more |= strides(c, &c->accesses.data[k], &c->array[c->accesses.data[k].param]);
  for (int k = 0; k < c->n_syms; k++)
    if (c->sym[k].kind == FS_C_COUNTER && fs_c_poly_of(c, c->sym[k].range->args[2], &last))
      more |= bounds(c, k, &last);
  for (int k = 0; k < c->guards.len; k++)
    more |= bounds(c, c->guards.data[k].sym, &c->guards.data[k].last);
  return more;
}

/* How many threads a subscript lets be; 0: it says nothing. */
static int64_t most_threads(struct fs_c_call *c, const struct fs_c_poly *sub, int64_t extent,
                            int sym) {
  struct fs_c_poly rest = fs_c_known(c, sub);
  int64_t k = 0, low, high;
  for (int j = rest.n - 1; j >= 0; j--)
    if (rest.term[j].n == 1 && rest.term[j].sym[0] == sym) {
      k = rest.term[j].k;
      rest.term[j] = rest.term[--rest.n];
    }
  if (k <= 0 || !fs_c_range(c, &rest, &low, &high)) return 0;
  return high > extent - 1 ? 0 : (extent - 1 - high) / k + 1;
}

static bool find_threads(struct fs_c_call *c, bool guarded) {
  struct fs_c_poly sub[FS_C_RANK];
  for (int s = 0; s < c->n_syms; s++) {
    int64_t best = 0, low, high;
    if (c->sym[s].kind != FS_C_THREAD || c->sym[s].known) continue;
    bool said = false;
    for (int k = 0; k < c->guards.len; k++) {
      if (c->guards.data[k].sym != s) continue;
      said = true;
      if (fs_c_range(c, &c->guards.data[k].last, &low, &high) && (!best || high + 1 < best))
        best = high + 1;
    }
    for (int k = 0; k < c->accesses.len && !said; k++) {
      const struct fs_c_access *x = &c->accesses.data[k];
      const struct fs_c_array *a = &c->array[x->param];
      if (!a->known || (x->guarded && !guarded) || !fs_c_subscripts(c, x->e, a, sub)) continue;
      for (int d = 0; d < a->rank; d++) {
        int64_t n = most_threads(c, &sub[d], a->dim[d], s);
        if (n && (!best || n < best)) best = n;
      }
    }
    if (best && set(c, s, best)) return true;
  }
  return false;
}

/* -- what is written ------------------------------------------------------------------ */

/* By how much the row of a flat subscript is larger than one; 0: it has no rows. */
static int64_t columns_of(struct fs_c_call *c, const struct fs_c_poly *p) {
  int64_t best = 0, low, high;
  for (int j = 0; j < p->n; j++) {
    struct fs_c_poly one = {.n = 1, .term = {p->term[j]}};
    one = fs_c_known(c, &one);
    if (one.n && one.term[0].n && one.term[0].k > 1 && (!best || one.term[0].k < best))
      best = one.term[0].k;
  }
  struct fs_c_poly rows, rest;
  if (!best || !split(c, p, best, &rows, &rest)) return 0;
  bool counts = false;
  for (int j = 0; j < rest.n; j++) counts |= rest.term[j].n > 0;
  return counts && fs_c_range(c, &rest, &low, &high) && low >= 0 && high < best ? best : 0;
}

static bool flat_shape(struct fs_c_call *c, struct fs_c_poly p, struct fs_c_array *out) {
  int64_t low, high, dim[FS_C_RANK] = {0};
  int n = 0;
  for (int64_t columns = 1; columns && n < FS_C_RANK - 1;) {
    struct fs_c_poly rows, rest;
    columns = columns_of(c, &p);
    if (!columns || !split(c, &p, columns, &rows, &rest)) break;
    dim[n++] = columns;
    p = rows;
  }
  if (!fs_c_range(c, &p, &low, &high)) return false;
  dim[n++] = high + 1;
  for (int d = n; d < out->rank; d++) dim[d] = 1;
  if (out->known && (out->rank != n)) return false;
  for (int d = 0; d < n; d++) out->dim[d] = FS_MAX(out->known ? out->dim[d] : 0, dim[n - 1 - d]);
  out->rank = n;
  out->known = true;
  return true;
}

/* The shape of what the kernel writes and nothing is given for. */
static bool find_shape(struct fs_c_call *c, int param) {
  const struct fs_c_param *p = &c->k->params[param];
  struct fs_c_array a = {0};
  for (int k = 0; k < c->accesses.len; k++) {
    const struct fs_c_access *x = &c->accesses.data[k];
    struct fs_c_poly sub;
    if (x->param != param || !x->write) continue;
    if (p->rank < 2) {
      if (!fs_c_poly_of(c, x->e->args[1], &sub) || !flat_shape(c, sub, &a)) return false;
      continue;
    }
    for (int d = 0; d < p->rank; d++) {
      int64_t low, high = -1;
      if (p->dim[d] && fs_c_poly_of(c, p->dim[d], &sub) && fs_c_range(c, &sub, &low, &high)) high--;
      else if (!fs_c_poly_of(c, x->e->args[1 + d], &sub) || !fs_c_range(c, &sub, &low, &high))
        return false;
      a.dim[d] = FS_MAX(a.known ? a.dim[d] : 0, high + 1);
    }
    a.rank = p->rank;
    a.known = true;
  }
  for (int d = 0; d < a.rank; d++)
    if (a.dim[d] < 1) return false;
  if (p->lanes && a.rank == 1 && a.dim[0] % p->lanes == 0) { /* a row for each vector */
    a.dim[0] /= p->lanes;
    a.dim[a.rank++] = p->lanes;
  }
  c->array[param] = a;
  return a.known;
}

/* What a kernel takes for the number of all threads along an axis, gridSize.x, must be that. */
static enum fs_status check_grid(struct fs_c_call *c) {
  for (int k = 0; k < c->n_syms; k++)
    for (int j = 0; j < c->n_syms; j++) {
      const struct fs_c_sym *all = &c->sym[k], *id = &c->sym[j];
      if (strncmp(all->name, "gridSize.", 9) || id->kind != FS_C_THREAD ||
          strncmp(id->name, "id", 2) || id->name[2] != all->name[9] || id->value == all->value)
        continue;
      return fs_error(c->diags, all->span, "kernel-size", NULL,
                      "there would be %lld threads along %c, and this is %lld",
                      (long long)id->value, id->name[2], (long long)all->value);
    }
  return FS_OK;
}

enum fs_status fs_c_solve(struct fs_c_call *c) {
  find_all(c, c->k->body, false, true);
  if (c->n_syms == FS_C_SYMS)
    return fs_error(c->diags, c->k->span, "kernel-subset", NULL, "the kernel has too many names");
  for (int k = 0; k < c->n_syms; k++) {
    struct fs_c_sym *s = &c->sym[k];
    for (int j = 0; j < c->k->n_params && s->kind == FS_C_SCALAR; j++)
      if (!strcmp(c->k->params[j].name, s->name) && c->given[j].given && c->given[j].known) {
        s->known = true;
        s->value = (int64_t)c->given[j].number;
      }
  }
  bool open[FS_C_SYMS]; /* what the call says itself is right */
  for (int k = 0; k < c->n_syms; k++) {
    struct fs_c_poly last;
    int64_t rest;
    open[k] = c->sym[k].kind == FS_C_THREAD;
    for (int j = 0; j < c->guards.len; j++) open[k] &= c->guards.data[j].sym != k;
    if (c->sym[k].kind == FS_C_COUNTER)
      open[k] = fs_c_poly_of(c, c->sym[k].range->args[2], &last) && ends_with(c, &last, &rest) >= 0;
  }
  while (find_scalars(c) || find_threads(c, false)) continue;
  while (find_threads(c, true) || find_scalars(c)) continue;
  for (int k = 0; k < c->n_syms; k++)
    if (open[k] && check_extents(c, k) != FS_OK) return FS_ERR_USER;
  for (int k = 0; k < c->n_syms; k++) {
    const struct fs_c_sym *s = &c->sym[k];
    for (int j = 0; j < c->accesses.len; j++) written_stride(c, &c->accesses.data[j]);
    if (s->known || s->kind == FS_C_COUNTER) continue;
    bool given = false;
    for (int j = 0; j < c->k->n_params; j++)
      given |= !strcmp(c->k->params[j].name, s->name) && c->given[j].given;
    if (given) continue; /* a number that a device has */
    if (s->kind == FS_C_SCALAR)
      return fs_error(c->diags, s->span, "kernel-size", "the call may give it, in its place",
                      "`%.60s` does not follow from the shapes of the arrays", s->name);
    return fs_error(c->diags, s->span, "kernel-size",
                    "`if (idx < n)` says it, or a call that gives the arrays that are written, too",
                    "how many threads there are along `%.60s` does not follow from the arrays",
                    s->name);
  }
  if (check_grid(c) != FS_OK) return FS_ERR_USER;
  for (int k = 0; k < c->k->n_params; k++) {
    const struct fs_c_param *p = &c->k->params[k];
    if (p->array && !c->array[k].known && p->writes && !find_shape(c, k))
      return fs_error(c->diags, p->span, "kernel-size",
                      "a call may give the array as well, in its place",
                      "the shape of `%.60s` does not follow from what is written", p->name);
  }
  return FS_OK;
}
