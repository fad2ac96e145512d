/* cuda_c_rows.c - blocks whose threads each take several rows of a tile.
 *
 *     for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = A[(y + j)*n + x];
 *
 * is tile[ty][tx] = A[y*n + x] in a block of 32 rows, if a thread's place along that axis and j are
 * in all sums alike, and nothing else is done with either. */
#include "core/lang/cuda_c_call.h"
#include "core/lang/cuda_c_read.h"

struct rows {
  struct fs_c_reader *p;
  struct fs_c_kernel k;
  struct fs_c_call c;
  int axis;
  int64_t size, step;        /* rows of all; 0: there are none yet; threads for them */
  bool failed;
};

static const char *const places[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
static const char *const ids[] = {"idx", "idy", "idz"};

static int sym_of(struct rows *r, const char *name) {
  struct fs_expr e = {.kind = FS_EX_NAME, .text = name};
  struct fs_c_poly q;
  return fs_c_poly_of(&r->c, &e, &q) && q.n == 1 ? q.term[0].sym[0] : -1;
}

/* t with a symbol less; false: it has it not. */
static bool without(struct fs_c_term *t, int sym) {
  for (int s = 0; s < t->n; s++) {
    if (t->sym[s] != sym) continue;
    memmove(&t->sym[s], &t->sym[s + 1], sizeof *t->sym * (size_t)(t->n - s - 1));
    t->n--;
    return true;
  }
  return false;
}

/* What is multiplied with one of these symbols. */
static struct fs_c_poly times(const struct fs_c_poly *q, int a, int b) {
  struct fs_c_poly out = {0}, one = {.n = 1};
  for (int j = 0; j < q->n; j++) {
    one.term[0] = q->term[j];
    if (without(&one.term[0], a) || without(&one.term[0], b)) fs_c_poly_add(&out, 1, &one);
  }
  return out;
}

/* Whether an expression has a thread's place and a counter alike; counter -1: neither. */
static bool is_alike(struct rows *r, const struct fs_expr *e, int counter) {
  struct fs_c_poly q;
  int id = sym_of(r, ids[r->axis]), place = sym_of(r, places[r->axis]);
  if (fs_c_poly_of(&r->c, e, &q)) {
    struct fs_c_poly threads = times(&q, id, place), rounds = times(&q, counter, counter);
    return fs_c_poly_add(&threads, -1, &rounds) && !threads.n;
  }
  for (int k = e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX; k < e->n_args; k++)
    if (!is_alike(r, e->args[k], counter)) return false;
  return e->kind != FS_EX_NAME ||
         (strcmp(e->text, places[r->axis]) && strcmp(e->text, ids[r->axis]));
}

/* for (j = 0; j < size; j += step) */
static bool is_loop(struct rows *r, const struct fs_stmt *s, int64_t *size) {
  int64_t first, step, last;
  if (s->kind != FS_ST_FOR || !fs_c_constant(s->expr->args[0], &first) || first ||
      !fs_c_constant(s->expr->args[1], &step) || step < 2 ||
      !fs_c_constant(s->expr->args[2], &last) || (last + 1) % step)
    return false;
  *size = last + 1;
  if (!r->size) r->step = step;
  return !r->size || (r->size == last + 1 && r->step == step);
}

static bool is_body(struct rows *r, const struct fs_stmt *list, int counter) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_FOR || s->kind == FS_ST_WHILE || s->kind == FS_ST_BARRIER) return false;
    for (int k = 0; k < r->k.n_locals && s->kind == FS_ST_ASSIGN && !s->expr2; k++)
      if (!strcmp(r->k.locals[k].name, s->targets[0].name) && !r->k.locals[k].once)
        return false; /* what a thread gathers in its rounds */
    if (s->expr && !is_alike(r, s->expr, counter)) return false;
    if (s->expr2 && !is_alike(r, s->expr2, counter)) return false;
    if (!is_body(r, s->body, counter) || !is_body(r, s->orelse, counter)) return false;
  }
  return true;
}

/* Whether nothing but such loops has the place along the axis; names that stand for sums are no
 * use of it. */
static bool look(struct rows *r, const struct fs_stmt *list) {
  struct fs_c_poly q;
  for (const struct fs_stmt *s = list; s; s = s->next) {
    int64_t size;
    if (is_loop(r, s, &size) && r->c.n_syms < FS_C_SYMS - 4) {
      int counter = r->c.n_syms;
      r->c.sym[r->c.n_syms++] = (struct fs_c_sym){.kind = FS_C_COUNTER,
                                                  .name = s->targets[0].name, .range = s->expr};
      if (is_body(r, s->body, counter)) {
        r->size = size;
        continue;
      }
      if (!is_body(r, s->body, -1)) return false;
      continue;
    }
    bool stands = false;
    for (int k = 0; k < r->k.n_locals && s->kind == FS_ST_ASSIGN && !s->expr2; k++) {
      struct fs_expr e = {.kind = FS_EX_NAME, .text = r->k.locals[k].name, .span = s->span};
      stands |= r->k.locals[k].once && !strcmp(e.text, s->targets[0].name) &&
                fs_c_poly_of(&r->c, &e, &q);
    }
    if (stands) continue;
    if ((s->expr && !is_alike(r, s->expr, -1)) || (s->expr2 && !is_alike(r, s->expr2, -1)))
      return false;
    if (!look(r, s->body) || !look(r, s->orelse)) return false;
  }
  return true;
}

static struct fs_expr *at_zero(struct rows *r, struct fs_expr *e, const char *counter) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  if (e->kind == FS_EX_NAME)
    return strcmp(e->text, counter) ? e : fs_ex_number(r->p->arena, e->span, 0, true);
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : at_zero(r, e->args[k], counter);
  }
  return e->n_args ? fs_ex_with_args(r->p->arena, e, args) : e;
}

static void all_at_zero(struct rows *r, struct fs_stmt *list, const char *counter) {
  for (struct fs_stmt *s = list; s; s = s->next) {
    if (s->expr) s->expr = at_zero(r, s->expr, counter);
    if (s->expr2) s->expr2 = at_zero(r, s->expr2, counter);
    all_at_zero(r, s->body, counter);
    all_at_zero(r, s->orelse, counter);
  }
}

/* Such loops are their first round. */
static struct fs_stmt *put_list(struct rows *r, struct fs_stmt *list) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s; s = next) {
    next = s->next;
    int64_t size;
    int counter = s->kind == FS_ST_FOR ? sym_of(r, s->targets[0].name) : -1;
    s->next = NULL;
    if (is_loop(r, s, &size) && is_body(r, s->body, counter)) {
      const char *name = s->targets[0].name;
      all_at_zero(r, s->body, name);
      for (int k = 0; k < r->p->locals.len; k++)
        if (r->p->locals.data[k].once)
          r->p->locals.data[k].once = at_zero(r, r->p->locals.data[k].once, name);
      *at = s->body;
    } else {
      s->body = put_list(r, s->body);
      s->orelse = put_list(r, s->orelse);
      *at = s;
    }
    while (*at) at = &(*at)->next;
  }
  return first;
}

void fs_c_read_rows(struct fs_c_reader *p, struct fs_stmt **body) {
  bool shares = false;
  for (int k = 0; k < p->locals.len; k++) shares |= p->locals.data[k].shared;
  for (int axis = 0; axis < 3 && shares; axis++) {
    struct rows r = {.p = p, .axis = axis};
    r.k = (struct fs_c_kernel){.n_params = p->params.len, .params = p->params.data,
                               .n_locals = p->locals.len, .locals = p->locals.data};
    r.c = (struct fs_c_call){.diags = p->diags, .arena = p->arena, .k = &r.k};
    if (!look(&r, *body) || !r.size || (p->block[axis] && p->block[axis] != r.size)) continue;
    p->block[axis] = r.size;
    p->step[axis] = r.step;
    *body = put_list(&r, *body);
  }
}
