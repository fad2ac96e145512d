/* alike.c - groups of calls that are the same but for which arrays and numbers they take.
 *
 * The steps of an unrolled loop, the halves of a recursion, 200 pairs of one form: blocks
 * of many calls have few kernels that differ. All that the implementations of a group go by
 * (axes.c, place.c, work.c) is written down as words: each node once, by the number of
 * what it is (operation, type, shape, layout, role), operands by where they come in the
 * list, arrays and numbers by which of them are the same one. Groups of equal words have
 * the same implementations, which then are looked for once.
 */
#include "core/base/table.h"
#include "core/plan/kernels/axes.h"

/* What a node is, without its operands, its array or number, and its place in the text. */
struct kind {
  enum fs_node_kind kind;
  enum fs_role role;
  enum fs_dtype dtype;
  uint8_t op, n_src, axes, lib_flags;
  const struct fs_user *user;
  int64_t base, anchor;         /* rand_base */
  int rank, src_rank;
  int64_t dim[FS_MAX_RANK], stride[FS_MAX_RANK], rand_stride[FS_MAX_RANK];
  int64_t axis[FS_MAX_RANK], off[FS_MAX_RANK], step[FS_MAX_RANK]; /* of its view */
};

struct known_group {
  const uint64_t *words;
  int n;
  enum fs_rule why;             /* if FS_RULE_NONE: */
  const struct fs_impl *impls;
  int n_impls;
  int64_t implementations, dominated; /* that were counted for it */
};

struct fs_alike {
  struct fs_maker *p;
  int *kind_of;                 /* per node: of `kinds`, + 1; 0: not yet known */
  FS_VEC(struct kind) kinds;
  struct fs_table by_kind;      /* ... by what they are */
  int *array_of;                /* per input: the first one of the same array, + 1 */
  int *number, *stamp, now;     /* per node: where it is in the words, if stamped now */
  int *array_number, *array_stamp; /* per node: of the arrays, */
  int64_t *array_begin;         /* ... where the first one read of it begins */
  int *param_number, *param_stamp; /* per slot of a number */
  int n_nodes, n_arrays, n_params;
  FS_VEC(uint64_t) words;       /* of the group that is looked for */
  FS_VEC(struct known_group) groups;
  struct fs_table by_words;
};

static struct fs_alike *alike_of(struct fs_maker *p) {
  if (p->alike) return p->alike;
  struct fs_alike *a = p->alike = FS_NEW(p->arena, struct fs_alike);
  int n = p->g->nodes.len, params = p->g->params.len + 1;
  a->p = p;
  a->kind_of = FS_NEW_N(p->arena, int, n);
  a->array_of = FS_NEW_N(p->arena, int, p->g->inputs.len + 1);
  a->number = FS_NEW_N(p->arena, int, 4 * n);
  a->stamp = a->number + n;
  a->array_number = a->stamp + n;
  a->array_stamp = a->array_number + n;
  a->array_begin = FS_NEW_N(p->arena, int64_t, n);
  a->param_number = FS_NEW_N(p->arena, int, 2 * params);
  a->param_stamp = a->param_number + params;
  return a;
}

void fs_alike_free(struct fs_alike *a) {
  if (!a) return;
  FS_VEC_FREE(&a->kinds);
  FS_VEC_FREE(&a->words);
  FS_VEC_FREE(&a->groups);
  fs_table_free(&a->by_kind);
  fs_table_free(&a->by_words);
}

/* -- kinds of nodes ---------------------------------------------------------------- */

static bool same_kind(const void *alike, int index, const void *kind) {
  const struct fs_alike *a = alike;
  return !memcmp(&a->kinds.data[index], kind, sizeof(struct kind));
}

/* Field by field: what is not used is zero, so that equal kinds have equal bytes. */
static void describe(struct fs_maker *p, fs_id id, struct kind *out) {
  const struct fs_node *nd = fs_node(p->g, id);
  const struct fs_layout *layout = &p->calls->stored[id].layout;
  memset(out, 0, sizeof *out);
  out->kind = nd->kind;
  out->role = p->calls->info[id].role;
  out->dtype = nd->dtype;
  out->op = nd->op;
  out->n_src = nd->n_src;
  out->axes = nd->axes;
  out->lib_flags = nd->lib_flags;
  out->user = nd->user;
  out->base = nd->rand_base;
  out->anchor = nd->anchor;
  out->rank = nd->shape.rank;
  for (int k = 0; k < nd->shape.rank; k++) {
    out->dim[k] = nd->shape.dim[k];
    out->stride[k] = layout->stride[k];
    out->rand_stride[k] = nd->rand_stride[k];
  }
  if (nd->kind != FS_ND_VIEW && nd->kind != FS_ND_UPDATE) return;
  out->src_rank = nd->view.src_rank;
  for (int k = 0; k < nd->view.src_rank; k++) {
    out->axis[k] = nd->view.axis[k];
    out->off[k] = nd->view.off[k];
    out->step[k] = nd->view.step[k];
  }
}

static int kind_of(struct fs_alike *a, fs_id id) {
  if (a->kind_of[id]) return a->kind_of[id];
  struct kind k;
  describe(a->p, id, &k);
  uint64_t hash = fs_hash(&k, sizeof k, 1);
  int at = fs_table_find(&a->by_kind, hash, same_kind, a, &k);
  if (at < 0) {
    at = a->kinds.len;
    *FS_PUSH(&a->kinds) = k;
    fs_table_add(&a->by_kind, hash, at);
  }
  return a->kind_of[id] = at + 1;
}

/* -- words of a group ---------------------------------------------------------------- */

enum word { NODE, SEEN, ARRAY, BEGIN, NUMBER, BASE, APART, STORED };

static void say(struct fs_alike *a, enum word what, int value) {
  *FS_PUSH(&a->words) = (uint64_t)what << 32 | (uint32_t)value;
}

static void say_long(struct fs_alike *a, int64_t value) {
  *FS_PUSH(&a->words) = (uint64_t)value;
}

/* Inputs of one array count as one (fs_graph_same_array()). */
static fs_id array_at(struct fs_alike *a, fs_id base) {
  const struct fs_graph *g = a->p->g;
  const struct fs_node *nd = fs_node(g, base);
  if (nd->kind != FS_ND_INPUT) return base;
  int *first = &a->array_of[nd->slot];
  for (fs_id id = 1; !*first && id <= base; id++) {
    const struct fs_node *other = fs_node(g, id);
    if (other->kind == FS_ND_INPUT && fs_graph_same_array(g, nd->slot, other->slot))
      *first = (int)id;
  }
  return (fs_id)*first;
}

/* Where slices of an array begin counts by which power of two it is a multiple of, for that
 * says which vectors are aligned there, and how far apart they are. */
static void say_array(struct fs_alike *a, fs_id id) {
  enum { ALIGNED = 256 }; /* elements: more than a thread takes at once */
  fs_id base = fs_plan_base(a->p->g, id);
  int64_t offset = a->p->calls->stored[id].layout.offset;
  if (fs_plan_is_member(a->p, base)) {
    say(a, BASE, a->number[base]);
    say_long(a, offset);
    return;
  }
  base = array_at(a, base);
  if (a->array_stamp[base] != a->now) {
    a->array_stamp[base] = a->now;
    a->array_number[base] = a->n_arrays++;
    a->array_begin[base] = offset;
    say(a, BEGIN, __builtin_ctzll((uint64_t)offset | ALIGNED));
  }
  say(a, ARRAY, a->array_number[base]);
  say_long(a, offset - a->array_begin[base]);
}

static void say_number(struct fs_alike *a, const struct fs_node *nd) {
  int slot = fs_graph_param_slot(a->p->g, nd);
  if (a->param_stamp[slot] != a->now) {
    a->param_stamp[slot] = a->now;
    a->param_number[slot] = a->n_params++;
  }
  say(a, NUMBER, a->param_number[slot]);
}

/* As fs_axes_unify() goes through it. */
static void say_node(struct fs_alike *a, fs_id id) {
  struct fs_maker *p = a->p;
  const struct fs_node *nd = fs_node(p->g, id);
  if (a->stamp[id] == a->now) {
    say(a, SEEN, a->number[id]);
    return;
  }
  a->stamp[id] = a->now;
  a->number[id] = a->n_nodes++;
  say(a, NODE, kind_of(a, id));
  bool inside =
      fs_plan_computed_here(p, nd->kind == FS_ND_VIEW ? nd->src[0] : id);
  if (!inside) {
    say_array(a, id);
    return;
  }
  if (nd->kind == FS_ND_PARAM) say_number(a, nd);
  int first = 0;
  if (nd->kind == FS_ND_UPDATE && nd->src[0]) {
    say_array(a, nd->src[0]);
    first = 1;
  }
  for (int s = first; s < nd->n_src; s++)
    if (nd->src[s]) say_node(a, nd->src[s]);
}

static void say_group(struct fs_alike *a, const fs_id *calls, int n, const bool *stored) {
  struct fs_maker *p = a->p;
  bool maps = true;
  a->words.len = a->n_nodes = a->n_arrays = a->n_params = 0;
  a->now++;
  p->stamp++;
  for (int k = 0; k < n; k++) p->member_stamp[calls[k]] = p->stamp;
  for (int k = 0; k < n; k++) {
    say_node(a, calls[k]);
    say(a, STORED, stored[k]);
    maps &= fs_node(p->g, calls[k])->kind == FS_ND_MAP;
  }
  for (int k = 1; k < n && maps; k++) say(a, APART, fs_axes_apart(p, calls[0], calls[k]));
}

/* -- groups -------------------------------------------------------------------------- */

static bool same_words(const void *alike, int index, const void *words) {
  const struct fs_alike *a = alike;
  const struct known_group *g = &a->groups.data[index];
  return g->n == a->words.len && !memcmp(g->words, words, sizeof *g->words * (size_t)g->n);
}

static uint64_t hash_of_words(const struct fs_alike *a) {
  return fs_hash(a->words.data, sizeof *a->words.data * (size_t)a->words.len, 1);
}

bool fs_alike_find(struct fs_maker *p, const fs_id *calls, int n, const bool *stored,
                   fs_impl_list *out, enum fs_rule *why) {
  struct fs_alike *a = alike_of(p);
  say_group(a, calls, n, stored);
  int at = fs_table_find(&a->by_words, hash_of_words(a), same_words, a, a->words.data);
  if (at < 0) return false;
  const struct known_group *g = &a->groups.data[at];
  for (int k = 0; k < g->n_impls; k++) *FS_PUSH(out) = g->impls[k];
  p->implementations += g->implementations;
  p->dominated += g->dominated;
  *why = g->why;
  return true;
}

static void *kept(struct fs_arena *arena, const void *data, size_t bytes) {
  void *copy = fs_arena_alloc(arena, bytes + 1);
  if (bytes) memcpy(copy, data, bytes);
  return copy;
}

void fs_alike_keep(struct fs_maker *p, int64_t implementations, int64_t dominated,
                   const struct fs_impl *impls, int n, enum fs_rule why) {
  struct fs_alike *a = p->alike;
  struct fs_arena *arena = p->arena;
  struct known_group g = {.n = a->words.len, .why = why, .n_impls = n};
  g.words = kept(arena, a->words.data, sizeof *g.words * (size_t)g.n);
  g.impls = kept(arena, impls, sizeof *impls * (size_t)n);
  g.implementations = implementations;
  g.dominated = dominated;
  *FS_PUSH(&a->groups) = g;
  fs_table_add(&a->by_words, hash_of_words(a), a->groups.len - 1);
}
