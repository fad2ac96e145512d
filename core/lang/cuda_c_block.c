/* cuda_c_block.c - kernels in which a block of threads does what one could do, and they share
 * memory for sums alone: a row for each block.
 *
 *     for (int i = tid; i < n; i += blockDim.x) sum += x[row*n + i];
 *     s[tid] = sum;  __syncthreads();
 *     for (int k = blockDim.x/2; k > 0; k /= 2) { if (tid < k) s[tid] += s[tid + k]; ... }
 *     ... s[0] ...
 *
 * is `for i = 0 .. n - 1: sum += x[row*n + i]`, and s[0] is that sum. What a thread knows of its
 * place in the block is used for nothing else, or this is not such a kernel. */
#include "core/lang/cuda_c_read.h"

enum { TID = 1, SIZE = 2, OTHER = 4, PARTIAL = 8, TILE = 16, MOST = 16 };

/* What a thread has of all rounds: its own share of a sum; op NULL: of nothing that is known. */
struct share {
  const char *name, *op;
  bool zero;                 /* a sum that began with 0 */
};
struct shared {
  const char *tile, *scalar, *op;
  bool ready;
};

struct blocker {
  struct fs_c_reader *p;
  int n_shares, n_tiles, n_zeros;
  struct share shares[MOST];
  struct shared tiles[MOST];
  const char *zeros[MOST];   /* names that are 0 */
  bool strides, failed, first; /* first: thread 0 alone is there */
};

static const struct fs_c_name *local_of(const struct blocker *b, const char *name) {
  for (int k = 0; k < b->p->locals.len; k++)
    if (!strcmp(b->p->locals.data[k].name, name)) return &b->p->locals.data[k];
  return NULL;
}

/* What a name stands for that has one value. */
static const struct fs_expr *looked_up(const struct blocker *b, const struct fs_expr *e) {
  for (int n = 0; e->kind == FS_EX_NAME && n < MOST; n++) {
    const struct fs_c_name *l = local_of(b, e->text);
    if (!l || !l->once || l->counts) break;
    e = l->once;
  }
  return e;
}

static bool is_name(const struct blocker *b, const struct fs_expr *e, const char *name) {
  e = looked_up(b, e);
  return e->kind == FS_EX_NAME && !strcmp(e->text, name);
}

static const struct fs_c_name *tile_of(const struct blocker *b, const struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || strcmp(e->args[0]->text, "[]")) return NULL;
  const struct fs_c_name *l = local_of(b, e->args[1]->text);
  return l && l->shared ? l : NULL;
}

static struct share *share_of(struct blocker *b, const char *name) {
  for (int k = 0; k < b->n_shares; k++)
    if (!strcmp(b->shares[k].name, name)) return &b->shares[k];
  return NULL;
}

/* Names of other values were looked at where these were given. */
static unsigned uses(struct blocker *b, const struct fs_expr *e) {
  unsigned all = 0;
  if (e->kind == FS_EX_NAME) {
    if (is_name(b, e, "threadIdx.x")) return TID;
    if (is_name(b, e, "blockDim.x")) return SIZE;
    bool thread = !strncmp(e->text, "threadIdx.", 10) || !strncmp(e->text, "blockDim.", 9) ||
                  !strncmp(e->text, "gridDim.", 8) || !strncmp(e->text, "gridSize.", 9);
    if (thread || fs_c_is_thread(e->text)) return OTHER;
    return share_of(b, e->text) ? PARTIAL : 0;
  }
  if (tile_of(b, e)) all |= TILE;
  bool word = e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX;
  bool own = e->kind == FS_EX_CALL && !strcmp(e->args[0]->text, "[]");
  for (int k = own ? 2 : word; k < e->n_args; k++) all |= uses(b, e->args[k]);
  return all;
}

/* With what sums are in the place of s[0]; others fail. */
static struct fs_expr *read(struct blocker *b, struct fs_expr *e) {
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  const struct fs_c_name *tile = tile_of(b, e);
  if (tile) {
    int64_t place;
    for (int k = 0; k < b->n_tiles; k++)
      if (!strcmp(b->tiles[k].tile, tile->name) && b->tiles[k].ready && e->n_args == 3 &&
          fs_c_constant(e->args[2], &place) && !place)
        return fs_ex_name(b->p->arena, e->span, b->tiles[k].scalar);
    b->failed = true;
    return e;
  }
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : read(b, e->args[k]);
  }
  return e->n_args ? fs_ex_with_args(b->p->arena, e, args) : e;
}

static struct fs_expr *checked(struct blocker *b, struct fs_expr *e, bool in_stride) {
  if (!e) return NULL;
  e = read(b, e);
  unsigned of = uses(b, e);
  if (of & (TID | SIZE | OTHER | TILE) || (of & PARTIAL && !in_stride)) b->failed = true;
  return e;
}

/* x + f, max(x, f), min(f, x): "+", "max" or "min"; NULL: another value for x. */
static const char *gathers(const struct fs_stmt *s) {
  const struct fs_expr *e = s->expr;
  bool call = e->kind == FS_EX_CALL && e->n_args == 3 &&
              (!strcmp(e->args[0]->text, "max") || !strcmp(e->args[0]->text, "min"));
  if (!call && (e->kind != FS_EX_BINARY || e->op != FS_AO_ADD)) return NULL;
  for (int k = call; k < e->n_args; k++)
    if (e->args[k]->kind == FS_EX_NAME && !strcmp(e->args[k]->text, s->targets[0].name))
      return call ? e->args[0]->text : "+";
  return NULL;
}

static void add_share(struct blocker *b, const struct fs_stmt *s) {
  const char *name = s->targets[0].name, *op = gathers(s);
  struct share *old = share_of(b, name);
  bool zero = false;
  for (int k = 0; k < b->n_zeros; k++) zero |= !strcmp(b->zeros[k], name);
  if (old && (!op || !old->op || strcmp(op, old->op))) old->op = NULL;
  if (old) return;
  if (b->n_shares == MOST) b->failed = true;
  else b->shares[b->n_shares++] = (struct share){name, op, zero};
}

static void add_shares(struct blocker *b, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_ASSIGN && !s->expr2) add_share(b, s);
    add_shares(b, s->body);
    add_shares(b, s->orelse);
  }
}

/* A name has another value, which is no share. */
static void forget(struct blocker *b, const char *name, const struct fs_expr *value) {
  struct share *s = share_of(b, name);
  if (s) *s = b->shares[--b->n_shares];
  for (int k = 0; k < b->n_zeros; k++)
    if (!strcmp(b->zeros[k], name)) b->zeros[k--] = b->zeros[--b->n_zeros];
  bool zero = value->kind == FS_EX_NUMBER && value->number == 0 && b->n_zeros < MOST;
  if (zero) b->zeros[b->n_zeros++] = name;
}

/* s[tid] = sum; */
static struct fs_stmt *put_share(struct blocker *b, const struct fs_stmt *s) {
  const struct fs_c_name *tile = tile_of(b, s->expr2);
  const struct share *of = s->expr->kind == FS_EX_NAME ? share_of(b, s->expr->text) : NULL;
  bool good = of && of->op && (strcmp(of->op, "+") || of->zero) && s->expr2->n_args == 3 &&
              is_name(b, s->expr2->args[2], "threadIdx.x");
  int k = 0;
  while (good && k < b->n_tiles && strcmp(b->tiles[k].tile, tile->name)) k++;
  if (!good || k == MOST) {
    b->failed = true;
    return NULL;
  }
  const struct fs_c_token word = {.kind = FS_CT_NAME, .text = "all", .span = s->span};
  const char *name = tile->name;
  const enum fs_c_type type = tile->type;
  const char *scalar = fs_c_declare(b->p, &word, type)->name;
  b->n_tiles = FS_MAX(b->n_tiles, k + 1);
  b->tiles[k] = (struct shared){name, scalar, of->op, false};
  struct fs_stmt *to = fs_st_node(b->p->arena, FS_ST_ASSIGN, s->span);
  fs_st_target(b->p->arena, to, scalar, s->span);
  to->expr = s->expr;
  return to;
}

/* for (k = blockDim.x/2; k > 0; k /= 2) { if (tid < k) s[tid] += s[tid + k]; barrier } */
static bool is_tree(struct blocker *b, const struct fs_stmt *s) {
  const struct fs_stmt *c = s->body, *in = c ? c->body : NULL;
  const char *counter = s->targets[0].name;
  int64_t last;
  if (strcmp(s->expr->args[1]->text, FS_C_HALVED) || !c || c->kind != FS_ST_IF || c->orelse ||
      !c->next || c->next->kind != FS_ST_BARRIER || c->next->next || !in || in->next ||
      in->kind != FS_ST_ASSIGN || !in->expr2 || !fs_c_constant(s->expr->args[2], &last) ||
      last != 1)
    return false;
  const struct fs_expr *from = s->expr->args[0], *when = c->expr, *e = in->expr;
  bool halved = (from->kind == FS_EX_BINARY && from->op == FS_AO_DIV &&
                 is_name(b, from->args[0], "blockDim.x") && fs_c_constant(from->args[1], &last) &&
                 last == 2) ||
                (from->kind == FS_EX_CALL && !strcmp(from->args[0]->text, ">>") &&
                 is_name(b, from->args[1], "blockDim.x") && fs_c_constant(from->args[2], &last) &&
                 last == 1);
  const struct fs_c_name *tile = tile_of(b, in->expr2);
  bool less = when->kind == FS_EX_BINARY && when->op == FS_AO_LT &&
              is_name(b, when->args[0], "threadIdx.x") && is_name(b, when->args[1], counter);
  bool call = e->kind == FS_EX_CALL && e->n_args == 3;
  if (!tile || !less || !halved || !is_name(b, in->expr2->args[2], "threadIdx.x") ||
      (!call && (e->kind != FS_EX_BINARY || e->op != FS_AO_ADD)))
    return false;
  bool mine = false, other = false;
  for (int k = call; k < e->n_args; k++) {
    if (tile_of(b, e->args[k]) != tile) return false;
    const struct fs_expr *at = e->args[k]->args[2];
    mine |= is_name(b, at, "threadIdx.x");
    other |= at->kind == FS_EX_BINARY && at->op == FS_AO_ADD &&
             ((is_name(b, at->args[0], "threadIdx.x") && is_name(b, at->args[1], counter)) ||
              (is_name(b, at->args[1], "threadIdx.x") && is_name(b, at->args[0], counter)));
  }
  for (int k = 0; k < b->n_tiles && mine && other; k++)
    if (!strcmp(b->tiles[k].tile, tile->name) &&
        !strcmp(b->tiles[k].op, call ? e->args[0]->text : "+"))
      return b->tiles[k].ready = true;
  return false;
}

static struct fs_stmt *put_list(struct blocker *b, const struct fs_stmt *list, bool in_stride);

static struct fs_stmt *put_for(struct blocker *b, const struct fs_stmt *s, bool in_stride) {
  struct fs_arena *arena = b->p->arena;
  struct fs_expr *const *r = s->expr->args;
  struct fs_stmt *to = fs_st_node(arena, FS_ST_FOR, s->span);
  bool stride = is_name(b, r[0], "threadIdx.x") && is_name(b, r[1], "blockDim.x");
  to->targets = s->targets;
  to->n_targets = 1;
  if (stride) {
    struct fs_expr *all[] = {fs_ex_number(arena, r[0]->span, 0, true),
                             fs_ex_number(arena, r[1]->span, 1, true), checked(b, r[2], false)};
    b->failed |= in_stride;
    b->strides = true;
    to->expr = fs_ex_node(arena, FS_EX_RANGE, s->expr->span, 3, all);
    add_shares(b, s->body);
  } else {
    to->expr = checked(b, s->expr, in_stride);
  }
  to->body = put_list(b, s->body, in_stride || stride);
  return to;
}

/* NULL: nothing is left of it, or it failed. */
static struct fs_stmt *put_one(struct blocker *b, const struct fs_stmt *s, bool in_stride) {
  struct fs_stmt *to;
  int64_t zero;
  switch (s->kind) {
    case FS_ST_BARRIER: b->failed |= in_stride; return NULL;
    case FS_ST_FOR:
      if (!strncmp(s->expr->args[1]->kind == FS_EX_NAME ? s->expr->args[1]->text : "", "(", 1)) {
        b->failed |= in_stride || !is_tree(b, s);
        return NULL;
      }
      return put_for(b, s, in_stride);
    case FS_ST_ASSIGN:
      if (s->expr2 && tile_of(b, s->expr2)) return put_share(b, s);
      if (!s->expr2 && (is_name(b, s->expr, "threadIdx.x") || is_name(b, s->expr, "blockDim.x")))
        return NULL; /* its name goes, too */
      break;
    case FS_ST_IF:
      if (s->expr->kind == FS_EX_BINARY && s->expr->op == FS_AO_EQ && !s->orelse && !in_stride &&
          is_name(b, s->expr->args[0], "threadIdx.x") && fs_c_constant(s->expr->args[1], &zero) &&
          !zero) {
        bool before = b->first;
        b->first = true;
        to = put_list(b, s->body, false);
        b->first = before;
        return to;
      }
      break;
    case FS_ST_INDEXED: /* by all threads, each of which adds */
      b->failed |= !in_stride && !b->first && s->text && !strcmp(s->text, "atomic");
      break;
    default: break;
  }
  to = fs_st_node(b->p->arena, s->kind, s->span);
  struct fs_stmt copy = *s;
  copy.next = NULL;
  copy.expr = checked(b, s->expr, in_stride);
  copy.expr2 = checked(b, s->expr2, in_stride);
  copy.body = put_list(b, s->body, in_stride);
  copy.orelse = put_list(b, s->orelse, in_stride);
  *to = copy;
  if (s->kind == FS_ST_ASSIGN && !s->expr2 && !in_stride)
    forget(b, s->targets[0].name, s->expr);
  return to;
}

static struct fs_stmt *put_list(struct blocker *b, const struct fs_stmt *list, bool in_stride) {
  struct fs_stmt *first = NULL, **at = &first;
  for (const struct fs_stmt *s = list; s && !b->failed; s = s->next) {
    *at = put_one(b, s, in_stride);
    while (*at) at = &(*at)->next;
  }
  return first;
}

bool fs_c_read_blocks(struct fs_c_reader *p, struct fs_stmt **body) {
  struct blocker b = {.p = p};
  int locals = p->locals.len, scope = p->scope.len;
  struct fs_stmt *list = put_list(&b, *body, false);
  bool good = b.strides && b.n_tiles && !b.failed && p->st == FS_OK;
  if (good) *body = list;
  else p->locals.len = locals, p->scope.len = scope;
  return good;
}
