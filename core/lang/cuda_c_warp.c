/* cuda_c_warp.c - sums that the threads of a warp, or of a block by its warps, make of what each of
 * them has.
 *
 *     for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(mask, v, k);
 *     if (lane == 0) atomicAdd(y, v);
 *
 * adds what each thread has: atomicAdd(y, v). Where warps put such sums into shared memory, and the
 * first warp takes them from there and does the same, v is what the block has, and
 *
 *     if (threadIdx.x == 0) y[blockIdx.x] = v;
 *
 * is the tree of sums in shared memory that cuda_c_tile.c and cuda_c_block.c read. Whatever else is
 * done with values of other lanes is refused. */
#include "core/lang/cuda_c_read.h"

enum { LANES = 32, MOST = 16 };

/* How much is in a name: what a warp has, the sums of a block's warps, what a block has. */
enum reach { WARP, WARPS, BLOCK };

struct sum {
  const char *name, *op;     /* "+", "max", "min" */
  const char *own;           /* the name of what each thread has of it; NULL: that is another now */
  enum reach reach;
  int block;                 /* of BLOCK: which of the kernel's */
  bool some;                 /* made in a branch or a loop, and that is over */
};
struct block {
  struct fs_stmt *place;     /* where it is made */
  const char *op, *own, *tile; /* tile: in which it stands, once it is needed there */
};
struct copy { const char *name, *of; };
struct warper {
  struct fs_c_reader *p;
  int n_sums, n_tiles, n_copies, n_blocks;
  struct block blocks[MOST];
  struct sum sums[MOST];
  struct copy copies[MOST];  /* names that are what another one is */
  struct sum tiles[MOST];    /* in shared memory, by its name */
  bool dropped;
};

#define FORGOTTEN "what each thread had of a sum is something else by now, or was not summed by all"

static struct fs_stmt *read_list(struct warper *w, struct fs_stmt *list, bool first_warp);

static const struct fs_expr *looked_up(const struct warper *w, const struct fs_expr *e) {
  for (int n = 0; e->kind == FS_EX_NAME && n < MOST; n++) {
    const struct fs_expr *once = NULL;
    for (int k = 0; k < w->p->locals.len; k++)
      if (!strcmp(w->p->locals.data[k].name, e->text) && !w->p->locals.data[k].counts)
        once = w->p->locals.data[k].once;
    if (!once) break;
    e = once;
  }
  return e;
}

static bool is_name(const struct warper *w, const struct fs_expr *e, const char *name) {
  e = looked_up(w, e);
  return e->kind == FS_EX_NAME && !strcmp(e->text, name);
}

static bool is_number(const struct fs_expr *e, int64_t value) {
  int64_t x;
  return fs_c_constant(e, &x) && x == value;
}

/* The operands of a sign, or of a call of the name. */
static struct fs_expr *const *operands(const struct fs_expr *e, enum fs_ast_op op,
                                       const char *call) {
  if (e->kind == FS_EX_BINARY && !call && e->op == op) return e->args;
  if (e->kind == FS_EX_CALL && call && e->n_args == 3 && !strcmp(e->args[0]->text, call))
    return e->args + 1;
  return NULL;
}

/* threadIdx.x, its place in its warp, and the place of the warp. */
static bool is_lane(const struct warper *w, const struct fs_expr *e) {
  struct fs_expr *const *a = operands(e = looked_up(w, e), 0, "%");
  if (a) return is_name(w, a[0], "threadIdx.x") && is_number(a[1], LANES);
  a = operands(e, 0, "&");
  return (a && is_name(w, a[0], "threadIdx.x") && is_number(a[1], LANES - 1)) ||
         (w->p->block[0] == LANES && is_name(w, e, "threadIdx.x"));
}

static bool is_by_warps(const struct warper *w, const struct fs_expr *e, const char *of) {
  struct fs_expr *const *a = operands(e = looked_up(w, e), FS_AO_DIV, NULL);
  if (a) return is_name(w, a[0], of) && is_number(a[1], LANES);
  a = operands(e, 0, ">>");
  return a && is_name(w, a[0], of) && is_number(a[1], 5);
}

/* Of conditions: which threads they leave. */
enum who { OTHERS, FIRST_LANE, FIRST_WARP, FIRST_THREAD };

static enum who who_is(const struct warper *w, const struct fs_expr *e) {
  const struct fs_expr *of = NULL;
  e = looked_up(w, e);
  struct fs_expr *const *a = operands(e, FS_AO_EQ, NULL);
  struct fs_expr *const *less = operands(e, FS_AO_LT, NULL);
  if (less && is_name(w, less[0], "threadIdx.x") && is_number(less[1], LANES)) return FIRST_WARP;
  if (a && is_number(a[1], 0)) of = a[0];
  else if (a && is_number(a[0], 0)) of = a[1];
  else if (e->kind == FS_EX_UNARY && e->op == FS_AO_NOT) of = e->args[0];
  if (!of) return OTHERS;
  if (is_name(w, of, "threadIdx.x")) return FIRST_THREAD;
  return is_lane(w, of) ? FIRST_LANE : is_by_warps(w, of, "threadIdx.x") ? FIRST_WARP : OTHERS;
}

static const char *tile_named(const struct warper *w, const struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || strcmp(e->args[0]->text, "[]") || e->n_args != 3) return NULL;
  for (int k = 0; k < w->p->locals.len; k++)
    if (w->p->locals.data[k].shared && !strcmp(w->p->locals.data[k].name, e->args[1]->text))
      return w->p->locals.data[k].name;
  return NULL;
}

/* -- what names are --------------------------------------------------------------------- */

static struct sum *sum_of(struct warper *w, const struct fs_expr *e) {
  for (int k = 0; k < w->n_sums && e->kind == FS_EX_NAME; k++)
    if (!strcmp(w->sums[k].name, e->text)) return &w->sums[k];
  return NULL;
}

/* A name converted to the type that it has is that name. */
static struct fs_expr *plain(const struct warper *w, struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || e->n_args != 2 || e->args[1]->kind != FS_EX_NAME) return e;
  for (int k = 0; k < w->p->locals.len; k++)
    if (!strcmp(w->p->locals.data[k].name, e->args[1]->text) &&
        !strcmp(fs_c_casts[w->p->locals.data[k].type], e->args[0]->text))
      return e->args[1];
  return e;
}

static void forget(struct warper *w, const char *name) {
  for (int k = 0; k < w->n_sums; k++)
    if (!strcmp(w->sums[k].name, name)) w->sums[k--] = w->sums[--w->n_sums];
}

static bool remember(struct warper *w, const struct fs_stmt *s, struct sum as) {
  forget(w, as.name);
  if (!as.own && as.reach != BLOCK) return fs_c_refuse(w->p, s->span, FORGOTTEN);
  if (w->n_sums == MOST) return fs_c_refuse(w->p, s->span, "the kernel has too many sums of warps");
  w->sums[w->n_sums++] = as;
  return true;
}

static const char *origin(const struct warper *w, const char *name) {
  for (int k = 0; k < w->n_copies; k++)
    if (!strcmp(w->copies[k].name, name)) return w->copies[k].of;
  return name;
}

static void change_own(struct sum *all, int n, const char *name) {
  for (int k = 0; k < n; k++)
    if (all[k].own && !strcmp(all[k].own, name)) all[k].own = NULL;
}

/* A name has another value: that of `of`, or NULL. */
static void change(struct warper *w, const char *name, const char *of) {
  const char *as = of ? origin(w, of) : NULL;
  change_own(w->sums, w->n_sums, name);
  change_own(w->tiles, w->n_tiles, name);
  for (int k = 0; k < w->n_copies; k++)
    if (!strcmp(w->copies[k].name, name) || !strcmp(w->copies[k].of, name))
      w->copies[k--] = w->copies[--w->n_copies];
  if (as && strcmp(as, name) && w->n_copies < MOST)
    w->copies[w->n_copies++] = (struct copy){name, as};
}

static void change_all(struct warper *w, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s->kind == FS_ST_ASSIGN && !s->expr2) change(w, s->targets[0].name, NULL);
    change_all(w, s->body);
    change_all(w, s->orelse);
  }
}

/* x + f(x), max(x, f(x)), min(f(x), x): "+", "max" or "min", and both operands. */
static const char *combines(const struct fs_expr *e, struct fs_expr *const **args) {
  static const char *const calls[] = {"max", "min"};
  if ((*args = operands(e, FS_AO_ADD, NULL))) return "+";
  for (int k = 0; k < 2; k++)
    if ((*args = operands(e, 0, calls[k]))) return calls[k];
  return NULL;
}

static bool is_shuffle(const struct fs_expr *e) {
  return e->kind == FS_EX_CALL && !strncmp(e->args[0]->text, FS_C_SHUFFLE, strlen(FS_C_SHUFFLE));
}

/* y = x + shuffle(x, by): the operation; *x, *by. NULL: it is another statement. */
static const char *step_of(const struct fs_stmt *s, const char **x, const struct fs_expr **by) {
  struct fs_expr *const *a;
  const char *op = s->kind == FS_ST_ASSIGN && !s->expr2 ? combines(s->expr, &a) : NULL;
  for (int k = 0; k < 2 && op; k++) {
    const struct fs_expr *one = a[k], *other = a[!k];
    if (!is_shuffle(other) || one->kind != FS_EX_NAME || other->args[1]->kind != FS_EX_NAME ||
        strcmp(one->text, other->args[1]->text) ||
        !strcmp(other->args[0]->text, FS_C_SHUFFLE "get"))
      continue;
    *x = one->text;
    *by = other->args[2];
    return op;
  }
  return NULL;
}

/* for (k = 16; k > 0; k /= 2) v += shuffle(v, k), or from 1 up. */
static const char *loop_of(const struct fs_stmt *s, const char **name) {
  const struct fs_expr *by;
  if (s->kind != FS_ST_FOR || !s->body || s->body->next || s->expr->args[1]->kind != FS_EX_NAME)
    return NULL;
  const char *op = step_of(s->body, name, &by);
  bool down = !strcmp(s->expr->args[1]->text, FS_C_HALVED);
  bool up = !strcmp(s->expr->args[1]->text, FS_C_DOUBLED);
  bool whole = (down && is_number(s->expr->args[0], LANES / 2) && is_number(s->expr->args[2], 1)) ||
               (up && is_number(s->expr->args[0], 1) && is_number(s->expr->args[2], LANES - 1));
  bool same = op && whole && by->kind == FS_EX_NAME && !strcmp(by->text, s->targets[0].name) &&
              !strcmp(s->body->targets[0].name, *name);
  return same ? op : NULL;
}

/* Five of them one behind the other, by 16, 8, 4, 2 and 1: the last; NULL: they are not. */
static struct fs_stmt *row_of(struct fs_stmt *s, const char **name, const char **op) {
  const char *x = NULL, *now = NULL;
  for (int by = LANES / 2; by; by /= 2) {
    const struct fs_expr *e;
    const char *one = s ? step_of(s, &x, &e) : NULL;
    if (!one || !is_number(e, by) || (now && (strcmp(now, x) || strcmp(*op, one)))) return NULL;
    if (!now) *name = x;
    *op = one;
    now = s->targets[0].name;
    if (by > 1) s = s->next;
  }
  return s;
}

/* *place: where what a block has is made; NULL: nothing of that. */
static bool is_tree(struct warper *w, const struct fs_stmt *s, const char *name, const char *to,
                    const char *op, bool first_warp, struct fs_stmt **place) {
  const struct fs_expr of = {.kind = FS_EX_NAME, .text = name};
  const struct sum *before = sum_of(w, &of);
  *place = NULL;
  if (before && (before->reach != WARPS || strcmp(before->op, op)))
    return fs_c_refuse(w->p, s->span, "what a warp has summed is summed once more");
  if (before && before->some) return fs_c_refuse(w->p, s->span, FORGOTTEN);
  if (first_warp && !before)
    return fs_c_refuse(w->p, s->span, "one warp alone sums what it has not taken from the others");
  if (!before) return remember(w, s, (struct sum){to, op, origin(w, name), WARP, 0, false});
  if (w->n_blocks == MOST)
    return fs_c_refuse(w->p, s->span, "the kernel has too many sums of blocks");
  *place = fs_st_node(w->p->arena, FS_ST_BARRIER, s->span);
  w->blocks[w->n_blocks] = (struct block){*place, op, before->own, NULL};
  return remember(w, s, (struct sum){to, op, before->own, BLOCK, w->n_blocks++, false});
}

/* -- what is done with them ------------------------------------------------------------- */

static bool is_alone(const struct fs_expr *e) {
  if (is_shuffle(e)) return false;
  for (int k = 0; k < e->n_args; k++)
    if (!is_alone(e->args[k])) return false;
  return true;
}

static bool uses_sums(struct warper *w, const struct fs_expr *e) {
  bool uses = sum_of(w, e) != NULL;
  bool word = e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX;
  for (int k = word; k < e->n_args && !uses; k++) uses = uses_sums(w, e->args[k]);
  return uses;
}

/* y[i] += v, atomically, or max(y[i], v). */
static bool adds(const struct fs_stmt *s, const struct sum *of) {
  struct fs_expr *const *a;
  const char *op = s->kind == FS_ST_INDEXED && s->text && !strcmp(s->text, "atomic")
                       ? combines(s->expr, &a) : NULL;
  return op && !strcmp(op, of->op) && a[1]->kind == FS_EX_NAME && !strcmp(a[1]->text, of->name);
}

/* ... what each thread has. */
static void add_own(struct warper *w, struct fs_stmt *s, const struct sum *of) {
  struct fs_expr *const *a;
  if (!of->own || of->some) {
    fs_c_refuse(w->p, s->span, FORGOTTEN);
    return;
  }
  bool call = combines(s->expr, &a) && s->expr->kind == FS_EX_CALL;
  struct fs_expr *own = fs_ex_name(w->p->arena, a[1]->span, of->own);
  struct fs_expr *args[] = {call ? s->expr->args[0] : a[0], call ? a[0] : own, own};
  s->expr = fs_ex_with_args(w->p->arena, s->expr, args);
}

/* Under lane == 0: all threads add what they have, or a warp's sum goes to shared memory. */
static struct fs_stmt *of_first_lane(struct warper *w, struct fs_stmt *list) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s && w->p->st == FS_OK; s = next) {
    next = s->next;
    const char *tile = s->kind == FS_ST_ASSIGN && s->expr2 ? tile_named(w, s->expr2) : NULL;
    const struct sum *of = tile ? sum_of(w, s->expr) : NULL;
    for (int k = 0; k < w->n_sums && !tile; k++)
      if (adds(s, &w->sums[k])) of = &w->sums[k];
    bool put = tile && of && of->reach == WARP && w->n_tiles < MOST &&
               is_by_warps(w, s->expr2->args[2], "threadIdx.x");
    if (put) {
      w->tiles[w->n_tiles++] = (struct sum){tile, of->op, of->own, WARPS, 0, false};
      continue;
    }
    if (tile || !of || of->reach != WARP) {
      fs_c_refuse(w->p, s->span, "what one thread of a warp does with its sum is to add it "
                                 "atomically, or to put it to its warp's place in shared memory");
      return NULL;
    }
    add_own(w, s, of);
    *at = s;
    at = &s->next;
    *at = NULL;
  }
  return first;
}

/* What is put where no warp is: the number that a sum begins with. */
static bool begins(const struct fs_expr *e, const char *op) {
  bool minus = e->kind == FS_EX_UNARY && e->op == FS_AO_NEG;
  const struct fs_expr *x = minus ? e->args[0] : e;
  bool cast = x->kind == FS_EX_CALL && x->n_args == 2 && x->args[0]->text[0] == '(';
  if (cast && !minus) return begins(x->args[1], op);
  if (x->kind != FS_EX_NUMBER) return false;
  if (!strcmp(op, "+")) return x->number == 0;
  return x->number >= 1e30 && minus == !strcmp(op, "max");
}

/* v = threadIdx.x < blockDim.x/32 ? s[lane] : 0: what s has; NULL: another value. */
static const struct sum *taken(struct warper *w, const struct fs_expr *e) {
  if (e->kind != FS_EX_CALL || strcmp(e->args[0]->text, "?:") || e->n_args != 4) return NULL;
  const char *tile = tile_named(w, e->args[2]);
  struct fs_expr *const *less = operands(looked_up(w, e->args[1]), FS_AO_LT, NULL);
  int64_t warps = w->p->block[0] / LANES;
  if (!tile || !less || !(is_lane(w, e->args[2]->args[2]) ||
                          is_name(w, e->args[2]->args[2], "threadIdx.x")))
    return NULL;
  bool fits = (is_lane(w, less[0]) || is_name(w, less[0], "threadIdx.x")) &&
              (is_by_warps(w, less[1], "blockDim.x") || (warps && is_number(less[1], warps)));
  for (int k = 0; k < w->n_tiles && fits; k++)
    if (!strcmp(w->tiles[k].name, tile) && begins(e->args[3], w->tiles[k].op)) return &w->tiles[k];
  return NULL;
}

/* Memory in which what a block has stands at its first place. */
static const char *tile_of(struct warper *w, struct block *b) {
  const struct fs_c_token word = {.text = "block", .span = b->place->span};
  enum fs_c_type type = FS_C_F32;
  if (b->tile) return b->tile;
  for (int k = 0; k < w->p->locals.len; k++)
    if (!strcmp(w->p->locals.data[k].name, b->own)) type = w->p->locals.data[k].type;
  struct fs_c_name *shared = &w->p->locals.data[fs_c_declare(w->p, &word, type)->local];
  shared->shared = true;
  shared->n_dims = 1;
  shared->dim[0] = FS_MAX(w->p->block[0], 1);
  return b->tile = shared->name;
}

/* s[tid] = v; wait; a tree of sums over the block; wait. */
static struct fs_stmt *tree(struct warper *w, const struct block *b) {
  struct fs_arena *arena = w->p->arena;
  struct fs_span at = b->place->span;
  const struct fs_c_token word = {.text = "half", .span = at};
  int local = fs_c_declare(w->p, &word, FS_C_I32)->local;
  const char *half = w->p->locals.data[local].name;
  w->p->locals.data[local].counts = true;
  struct fs_expr *tid = fs_ex_name(arena, at, "threadIdx.x"), *k = fs_ex_name(arena, at, half);
  struct fs_expr *one = fs_ex_number(arena, at, 1, true), *two = fs_ex_number(arena, at, 2, true);
  struct fs_expr *mine[] = {fs_ex_name(arena, at, b->tile), tid};
  struct fs_expr *theirs[] = {mine[0], fs_ex_binary(arena, FS_AO_ADD, tid, k)};
  struct fs_expr *pair[] = {fs_ex_call(arena, "[]", at, 2, mine),
                            fs_ex_call(arena, "[]", at, 2, theirs)};
  struct fs_expr *size = fs_ex_name(arena, at, "blockDim.x");
  struct fs_expr *range[] = {fs_ex_binary(arena, FS_AO_DIV, size, two),
                             fs_ex_name(arena, at, FS_C_HALVED), one};
  struct fs_stmt *put = fs_st_node(arena, FS_ST_ASSIGN, at);
  struct fs_stmt *add = fs_st_node(arena, FS_ST_ASSIGN, at);
  struct fs_stmt *loop = fs_st_node(arena, FS_ST_FOR, at), *when = fs_st_node(arena, FS_ST_IF, at);
  put->expr2 = add->expr2 = pair[0];
  put->expr = fs_ex_name(arena, at, b->own);
  fs_st_target(arena, put, b->tile, at);
  fs_st_target(arena, add, b->tile, at);
  add->expr = *b->op == '+' ? fs_ex_binary(arena, FS_AO_ADD, pair[0], pair[1])
                            : fs_ex_call(arena, b->op, at, 2, pair);
  fs_st_target(arena, loop, half, at);
  loop->expr = fs_ex_node(arena, FS_EX_RANGE, at, 3, range);
  loop->body = when;
  when->expr = fs_ex_binary(arena, FS_AO_LT, tid, k);
  when->body = add;
  when->next = fs_st_node(arena, FS_ST_BARRIER, at);
  put->next = fs_st_node(arena, FS_ST_BARRIER, at);
  put->next->next = loop;
  return put;
}

/* With the first place of that memory where what a block has stands. */
static struct fs_expr *with_blocks(struct warper *w, struct fs_expr *e) {
  struct fs_arena *arena = w->p->arena;
  struct fs_expr *args[FS_C_ARGS + 1] = {NULL};
  const struct sum *of = sum_of(w, e);
  if (of && of->reach == BLOCK && !of->some) {
    struct fs_expr *at[] = {fs_ex_name(arena, e->span, tile_of(w, &w->blocks[of->block])),
                            fs_ex_number(arena, e->span, 0, true)};
    return fs_ex_call(arena, "[]", e->span, 2, at);
  }
  for (int k = 0; k < e->n_args; k++) {
    bool word = k == 0 && (e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX);
    args[k] = word ? e->args[k] : with_blocks(w, e->args[k]);
  }
  return e->n_args ? fs_ex_with_args(arena, e, args) : e;
}

/* -- statements ------------------------------------------------------------------------- */

/* A name that holds a sum, or takes one. False: it is another statement. */
static bool read_assign(struct warper *w, struct fs_stmt *s, bool *gone) {
  struct fs_expr *value = s->expr = plain(w, s->expr);
  const char *to = s->targets[0].name;
  const struct sum *in = taken(w, value);
  bool get = is_shuffle(value) && !strcmp(value->args[0]->text, FS_C_SHUFFLE "get") &&
             is_number(value->args[2], 0);
  const struct sum *of = sum_of(w, get ? value->args[1] : value);
  if (!in && !of) change(w, to, value->kind == FS_EX_NAME ? value->text : NULL);
  *gone = in || of;
  if (in) return remember(w, s, (struct sum){to, in->op, in->own, WARPS, 0, false});
  if (of) return remember(w, s, (struct sum){to, of->op, of->own, of->reach, of->block, of->some});
  forget(w, to);
  return true;
}

static void give_back(struct fs_stmt ***at, struct fs_stmt *s) {
  **at = s;
  while (**at) *at = &(**at)->next;
}

static bool check(struct warper *w, struct fs_stmt *s);

/* A branch, or the body of a loop: what is summed in it holds nowhere else. */
static struct fs_stmt *read_part(struct warper *w, struct fs_stmt *list, bool first_warp) {
  struct sum before[MOST];
  int n = w->n_sums;
  memcpy(before, w->sums, sizeof before);
  list = read_list(w, list, first_warp);
  for (int k = 0; k < w->n_sums; k++) {
    bool same = false;
    for (int j = 0; j < n; j++)
      same |= !strcmp(before[j].name, w->sums[k].name) && before[j].reach == w->sums[k].reach &&
              before[j].block == w->sums[k].block && before[j].own == w->sums[k].own;
    w->sums[k].some |= !same;
  }
  return list;
}

/* `if` of the first lane, of the first warp, or of thread 0. */
static struct fs_stmt *read_if(struct warper *w, struct fs_stmt *s, bool first_warp) {
  enum who who = who_is(w, s->expr);
  bool sums = w->n_sums > 0;
  if (who != OTHERS && sums && s->orelse) {
    fs_c_refuse(w->p, s->span, "what the other threads of a warp do beside its sum is not read");
    return NULL;
  }
  if (who == OTHERS && !check(w, s)) return NULL;
  if (who == FIRST_LANE && sums) return of_first_lane(w, s->body);
  if (who == FIRST_WARP && sums) return read_list(w, s->body, true);
  struct fs_stmt *first = NULL, **at = &first, *own = NULL, **tail = &own;
  for (struct fs_stmt *in = s->body, *next; in && who == FIRST_THREAD; in = next) {
    const struct sum *of = NULL;
    next = in->next;
    for (int k = 0; k < w->n_sums; k++)
      if (adds(in, &w->sums[k])) of = &w->sums[k];
    bool all = of && (of->reach == BLOCK || (of->reach == WARP && w->p->block[0] == LANES));
    if (all) add_own(w, in, of);
    in->next = NULL;
    give_back(all ? &at : &tail, in); /* each thread adds what it has */
  }
  if (who == FIRST_THREAD) s->body = own;
  s->body = read_part(w, s->body, first_warp);
  s->orelse = read_part(w, s->orelse, first_warp);
  if (who != FIRST_THREAD || s->body) give_back(&at, s);
  return first;
}

static bool check(struct warper *w, struct fs_stmt *s) {
  struct fs_expr **all[] = {&s->expr, &s->expr2};
  for (int k = 0; k < 2; k++) {
    if (!*all[k]) continue;
    if (!is_alone(*all[k]))
      return fs_c_refuse(w->p, s->span,
                         "what another thread of a warp has is read in a tree of sums alone: "
                         "for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(mask, v, k)");
    *all[k] = with_blocks(w, *all[k]);
    if (uses_sums(w, *all[k]))
      return fs_c_refuse(w->p, s->span, "what a warp has summed is added atomically by one of its "
                                        "threads, or summed once more for its block");
  }
  return true;
}

static struct fs_stmt *read_list(struct warper *w, struct fs_stmt *list, bool first_warp) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s && w->p->st == FS_OK; s = next) {
    const char *name = NULL, *op = loop_of(s, &name);
    struct fs_stmt *end = op ? NULL : row_of(s, &name, &op), *place = NULL;
    const char *to = end ? end->targets[0].name : name;
    bool gone = false;
    next = end ? end->next : s->next;
    if (op) {
      if (!is_tree(w, s, name, to, op, first_warp, &place)) return NULL;
      give_back(&at, place);
      continue;
    }
    s->next = NULL;
    if (s->kind == FS_ST_IF) {
      give_back(&at, read_if(w, s, first_warp));
      continue;
    }
    if (s->kind == FS_ST_ASSIGN && !s->expr2 && !read_assign(w, s, &gone)) return NULL;
    if (!gone && !check(w, s)) return NULL;
    change_all(w, s->body);
    s->body = read_part(w, s->body, first_warp);
    if (!gone) give_back(&at, s);
  }
  return w->p->st == FS_OK ? first : NULL;
}

/* The trees of what is needed of blocks. */
static struct fs_stmt *with_trees(struct warper *w, struct fs_stmt *list) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s; s = next) {
    int k = 0;
    next = s->next;
    s->next = NULL;
    s->body = with_trees(w, s->body);
    s->orelse = with_trees(w, s->orelse);
    while (k < w->n_blocks && w->blocks[k].place != s) k++;
    bool needed = k < w->n_blocks && w->blocks[k].tile;
    if (k == w->n_blocks || needed) give_back(&at, needed ? tree(w, &w->blocks[k]) : s);
  }
  return first;
}

static bool has_name(const struct fs_expr *e, const char *name) {
  bool has = e->kind == FS_EX_NAME && !strcmp(e->text, name);
  for (int k = 0; k < e->n_args && !has; k++) has = has_name(e->args[k], name);
  return has;
}

bool fs_c_is_read(const struct fs_stmt *list, const char *name) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    if ((s->expr && has_name(s->expr, name)) || (s->expr2 && has_name(s->expr2, name)) ||
        fs_c_is_read(s->body, name) || fs_c_is_read(s->orelse, name))
      return true;
  return false;
}

/* Places in warps and copies that nobody needs any more go; where no memory is shared, nobody
 * waits. */
static struct fs_stmt *without(struct warper *w, struct fs_stmt *list, bool waits,
                               const struct fs_stmt *all) {
  struct fs_stmt *first = NULL, **at = &first;
  for (struct fs_stmt *s = list, *next; s; s = next) {
    next = s->next;
    bool place = s->kind == FS_ST_ASSIGN && !s->expr2 &&
                 (is_lane(w, s->expr) || is_by_warps(w, s->expr, "threadIdx.x") ||
                  plain(w, s->expr)->kind == FS_EX_NAME);
    w->dropped |= place && !fs_c_is_read(all, s->targets[0].name);
    if (place && !fs_c_is_read(all, s->targets[0].name)) continue;
    if (s->kind == FS_ST_BARRIER && !waits) continue;
    s->body = without(w, s->body, waits, all);
    s->orelse = without(w, s->orelse, waits, all);
    *at = s;
    at = &s->next;
  }
  *at = NULL;
  return first;
}

static int assigned(const struct fs_stmt *list, const char *name) {
  int n = 0;
  for (const struct fs_stmt *s = list; s; s = s->next)
    n += (s->kind == FS_ST_ASSIGN && !s->expr2 && !strcmp(s->targets[0].name, name)) +
         assigned(s->body, name) + assigned(s->orelse, name);
  return n;
}

/* Names that were given their sums, too, and now have one value. */
static void find_once(struct fs_c_reader *p, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next)
    for (int k = 0; k < p->locals.len && s->kind == FS_ST_ASSIGN && !s->expr2; k++) {
      struct fs_c_name *l = &p->locals.data[k];
      if (!strcmp(l->name, s->targets[0].name) && !l->once && !l->counts && !l->strided &&
          assigned(list, l->name) == 1)
        l->once = s->expr;
    }
}

/* -- what threads gather in strides ------------------------------------------------------- */

static bool has_strided(const struct fs_c_reader *p, const struct fs_expr *e) {
  bool has = false;
  for (int k = 0; k < p->locals.len && e->kind == FS_EX_NAME; k++)
    has |= p->locals.data[k].strided && !strcmp(p->locals.data[k].name, e->text);
  bool word = e->kind == FS_EX_CALL || e->kind == FS_EX_INDEX;
  for (int k = word; k < e->n_args && !has; k++) has = has_strided(p, e->args[k]);
  return has;
}

static bool check_strided(struct fs_c_reader *p, const struct fs_stmt *list) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    struct fs_expr *const *a;
    bool loop = s->kind == FS_ST_IF && s->text && !strcmp(s->text, FS_C_STRIDES);
    bool atomic = s->kind == FS_ST_INDEXED && s->text && combines(s->expr, &a) &&
                  a[1]->kind == FS_EX_NAME;
    bool copy = s->kind == FS_ST_ASSIGN && !s->expr2 && s->expr->kind == FS_EX_NAME;
    if (copy && has_strided(p, s->expr)) {
      for (int k = 0; k < p->locals.len; k++)
        if (!strcmp(p->locals.data[k].name, s->targets[0].name)) p->locals.data[k].strided = true;
    } else if (!atomic && ((s->expr && has_strided(p, s->expr)) ||
                           (s->expr2 && has_strided(p, s->expr2)))) {
      return fs_c_refuse(p, s->span, FS_C_STRIDED);
    }
    if (!loop && (!check_strided(p, s->body) || !check_strided(p, s->orelse))) return false;
  }
  return true;
}

bool fs_c_read_warps(struct fs_c_reader *p, struct fs_stmt **body) {
  struct warper w = {.p = p};
  *body = read_list(&w, *body, false);
  if (p->st != FS_OK) return false;
  *body = with_trees(&w, *body);
  for (int k = 0; k < w.n_tiles; k++)
    if (fs_c_is_read(*body, w.tiles[k].name))
      return fs_c_refuse(p, (*body)->span, "sums of warps in shared memory are read by the first "
                                           "warp alone: v = lane < warps ? s[lane] : 0");
  bool shares = false;
  for (int k = 0; k < p->locals.len; k++) {
    struct fs_c_name *l = &p->locals.data[k];
    for (int t = 0; t < w.n_tiles; t++) l->shared &= strcmp(l->name, w.tiles[t].name) != 0;
    shares |= l->shared;
  }
  do {
    w.dropped = false;
    *body = without(&w, *body, shares, *body);
  } while (w.dropped);
  find_once(p, *body);
  return check_strided(p, *body);
}

bool fs_c_know_block(struct fs_c_reader *p) {
  for (int k = 0; k < p->locals.len && !p->block[0]; k++)
    if (p->locals.data[k].shared && p->locals.data[k].n_dims && p->locals.data[k].dim[0] == 1)
      return fs_c_fail(p, p->locals.data[k].span, "kernel-subset",
                       "f = :kernel \"FILE\" block=256 says it",
                       "how many threads a block sums does not follow from the text");
  return true;
}
