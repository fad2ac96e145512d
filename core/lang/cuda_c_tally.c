/* cuda_c_tally.c - counts that the threads of a block keep in memory that they share, and add to an
 * array at their end.
 *
 *     s[tid] = 0;  __syncthreads();
 *     atomicAdd(&s[k[i]], 1);  __syncthreads();
 *     atomicAdd(&bins[tid], s[tid]);
 *
 * is atomicAdd(&bins[k[i]], 1). Whatever else a kernel does with that memory, it is not this. */
#include "core/lang/cuda_c_read.h"

struct tally {
  struct fs_c_reader *p;
  const struct fs_c_name *of;
  int zeros, adds, n_ends, others;
  const struct fs_stmt *end;       /* bins[q] += s[q] */
};

static const struct fs_expr *looked_up(const struct fs_c_reader *p, const struct fs_expr *e) {
  for (int n = 0; e->kind == FS_EX_NAME && n < 8; n++) {
    const struct fs_expr *once = NULL;
    for (int k = 0; k < p->locals.len; k++)
      if (!strcmp(p->locals.data[k].name, e->text) && !p->locals.data[k].counts)
        once = p->locals.data[k].once;
    if (!once) break;
    e = once;
  }
  return e;
}

static bool is_name(const struct fs_c_reader *p, const struct fs_expr *e, const char *name) {
  e = looked_up(p, e);
  return e->kind == FS_EX_NAME && !strcmp(e->text, name);
}

static bool is_of(const struct tally *t, const struct fs_expr *e) {
  return e->kind == FS_EX_CALL && !strcmp(e->args[0]->text, "[]") &&
         !strcmp(e->args[1]->text, t->of->name);
}

static int uses(const struct tally *t, const struct fs_expr *e) {
  int n = e && is_of(t, e);
  for (int k = 0; e && k < e->n_args; k++) n += uses(t, e->args[k]);
  return n;
}

static bool has_thread(const struct fs_c_reader *p, const struct fs_expr *e) {
  const struct fs_expr *of = looked_up(p, e);
  if (of != e) return has_thread(p, of);
  bool has = e->kind == FS_EX_NAME &&
             (!strncmp(e->text, "threadIdx.", 10) || fs_c_is_thread(e->text));
  for (int k = 0; k < e->n_args && !has; k++) has = has_thread(p, e->args[k]);
  return has;
}

/* Whether a place goes through all of it: that of a thread in a block that is as large, or a
 * counter from there on in strides of the block. */
static bool goes_through(struct tally *t, const struct fs_expr *place, const struct fs_stmt *loop) {
  int64_t size = t->of->dim[0], last;
  if (is_name(t->p, place, "threadIdx.x") && !loop) {
    bool fits = !t->p->block[0] || t->p->block[0] == size;
    if (fits) t->p->block[0] = size;
    return fits;
  }
  return loop && place->kind == FS_EX_NAME && !strcmp(place->text, loop->targets[0].name) &&
         is_name(t->p, loop->expr->args[0], "threadIdx.x") &&
         is_name(t->p, loop->expr->args[1], "blockDim.x") &&
         fs_c_constant(loop->expr->args[2], &last) && last == size - 1;
}

static bool is_atomic(const struct fs_stmt *s) { return s->text && !strcmp(s->text, "atomic"); }

/* bins[q] = bins[q] + s[place], where q is the place, or that behind something. */
static bool is_end(struct tally *t, const struct fs_stmt *s, const struct fs_stmt *loop) {
  const struct fs_expr *e = s->expr;
  return s->kind == FS_ST_INDEXED && is_atomic(s) && e->kind == FS_EX_BINARY &&
         e->op == FS_AO_ADD && is_of(t, e->args[1]) && s->expr2->n_args == 2 &&
         goes_through(t, e->args[1]->args[2], loop);
}

/* if (tid < size) */
static bool is_bound(const struct tally *t, const struct fs_expr *e) {
  int64_t size;
  return e->kind == FS_EX_BINARY && e->op == FS_AO_LT && is_name(t->p, e->args[0], "threadIdx.x") &&
         fs_c_constant(e->args[1], &size) && size == t->of->dim[0];
}

/* `loop`: the one around; `top`: beside it there is nothing around. */
static void look(struct tally *t, const struct fs_stmt *list, const struct fs_stmt *loop,
                 bool top) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    bool mine = s->expr2 && is_of(t, s->expr2);
    int64_t zero;
    if (mine && is_atomic(s) && s->expr->kind == FS_EX_BINARY && s->expr->op == FS_AO_ADD &&
        uses(t, s->expr) == 1 && !uses(t, s->expr2->args[2]))
      t->adds++;
    else if (top && mine && !is_atomic(s) && fs_c_constant(s->expr, &zero) && !zero &&
             goes_through(t, s->expr2->args[2], loop))
      t->zeros++;
    else if (top && uses(t, s->expr) == 1 && is_end(t, s, loop))
      t->end = s, t->n_ends++;
    else
      t->others += uses(t, s->expr) + uses(t, s->expr2);
    bool goes = s->kind == FS_ST_FOR && !loop;
    bool whole = goes || (s->kind == FS_ST_IF && is_bound(t, s->expr));
    look(t, s->body, goes ? s : loop, top && whole);
    look(t, s->orelse, loop, false);
  }
}

/* What is in front of the place in bins[rest + place]; false: it is another subscript. */
static bool find_rest(struct tally *t, struct fs_expr **rest) {
  const struct fs_expr *q = t->end->expr2->args[1], *place = t->end->expr->args[1]->args[2];
  const struct fs_expr *a = looked_up(t->p, q), *b = looked_up(t->p, place);
  *rest = NULL;
  bool same = a->kind == FS_EX_NAME && b->kind == FS_EX_NAME && !strcmp(a->text, b->text);
  if (same || a->kind != FS_EX_BINARY || a->op != FS_AO_ADD) return same;
  for (int k = 0; k < 2; k++) {
    const struct fs_expr *of = looked_up(t->p, a->args[k]);
    if (of->kind != FS_EX_NAME || b->kind != FS_EX_NAME || strcmp(of->text, b->text)) continue;
    *rest = a->args[!k];
    return !has_thread(t->p, *rest);
  }
  return false;
}

/* Without what begins and ends it, and the barriers. */
static struct fs_stmt *put_list(struct tally *t, struct fs_stmt *list, struct fs_expr *rest) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s; s = next) {
    next = s->next;
    bool had = s->body || s->orelse, mine = s->expr2 && is_of(t, s->expr2);
    s->body = put_list(t, s->body, rest);
    s->orelse = put_list(t, s->orelse, rest);
    bool empty = had && !s->body && !s->orelse;
    if (s->kind == FS_ST_BARRIER || s == t->end || (mine && !is_atomic(s)) || empty) continue;
    if (mine) {
      struct fs_expr *place = s->expr2->args[2], *bins = t->end->expr2->args[0];
      if (rest) place = fs_ex_binary(t->p->arena, FS_AO_ADD, rest, place);
      struct fs_expr *args[] = {bins, place};
      s->kind = FS_ST_INDEXED;
      s->n_targets = 0;
      fs_st_target(t->p->arena, s, bins->text, s->span);
      s->expr2 = fs_ex_node(t->p->arena, FS_EX_INDEX, s->expr2->span, 2, args);
      s->expr = fs_ex_binary(t->p->arena, FS_AO_ADD, s->expr2, s->expr->args[1]);
    }
    *at = s;
    at = &s->next;
    *at = NULL;
  }
  return first;
}

bool fs_c_read_tally(struct fs_c_reader *p, struct fs_stmt **body) {
  struct tally t = {.p = p};
  struct fs_expr *rest;
  int n = 0;
  int64_t block = p->block[0];
  for (int k = 0; k < p->locals.len; k++)
    if (p->locals.data[k].shared) t.of = &p->locals.data[k], n++;
  if (n != 1 || t.of->n_dims != 1) return false;
  look(&t, *body, NULL, true);
  bool good = t.zeros && t.adds && t.n_ends == 1 && !t.others && find_rest(&t, &rest);
  if (good) *body = put_list(&t, *body, rest);
  else p->block[0] = block;
  return good;
}
