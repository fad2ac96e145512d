/* graph.c - building graphs: hash-consed nodes, operands brought to the op's
 * types, views simplified as they are made. The passes are in other files. */
#include <math.h>

#include "core/graph/internal.h"

/* Simplifying makes a graph of a graph a few times over: small ones are used again. */
#ifdef __SANITIZE_ADDRESS__
enum { SPARES = 0 };
#else
enum { SPARES = 4 };
#endif
enum { SPARE_NODES = 32 };
static struct fs_graph *spares[SPARES + 1];
static int n_spares;

struct fs_graph *fs_graph_new(void) {
  if (n_spares) return spares[--n_spares];
  struct fs_graph *g = fs_calloc(1, sizeof *g);
  g->arena = fs_arena_new();
  *FS_PUSH(&g->nodes) = (struct fs_node){.kind = FS_ND_NONE};
  return g;
}

void fs_graph_free(struct fs_graph *g) {
  if (!g) return;
  if (n_spares < SPARES && g->nodes.cap && g->nodes.cap <= SPARE_NODES &&
      g->table_cap <= 4 * SPARE_NODES) {
    fs_graph_reset(g);
    g->next_dying = NULL;
    spares[n_spares++] = g;
    return;
  }
  FS_VEC_FREE(&g->nodes);
  FS_VEC_FREE(&g->inputs);
  FS_VEC_FREE(&g->params);
  FS_VEC_FREE(&g->literals);
  FS_VEC_FREE(&g->origins);
  FS_VEC_FREE(&g->outputs);
  FS_VEC_FREE(&g->output_names);
  FS_VEC_FREE(&g->output_axes);
  FS_VEC_FREE(&g->output_extents);
  FS_VEC_FREE(&g->barriers);
  FS_VEC_FREE(&g->outer);
  free(g->table);
  fs_arena_free(g->arena);
  free(g);
}

void fs_graph_reset(struct fs_graph *g) {
  enum { KEPT_NODES = 256 };
  if (g->nodes.cap > KEPT_NODES) FS_VEC_FREE(&g->nodes);
  if (g->table_cap > KEPT_NODES * 2) {
    free(g->table);
    g->table = NULL;
    g->table_cap = 0;
  }
  if (g->table) memset(g->table, 0, sizeof *g->table * g->table_cap);
  g->nodes.len = g->inputs.len = 0;
  g->params.len = g->literals.len = g->origins.len = 0;
  g->outputs.len = g->output_names.len = g->output_axes.len = g->barriers.len = 0;
  g->output_extents.len = 0;
  g->outer.len = 0;
  fs_arena_reset(g->arena);
  g->stmt = g->span = g->inner = (struct fs_span){0};
  g->turn = 0;
  *FS_PUSH(&g->nodes) = (struct fs_node){.kind = FS_ND_NONE};
}

static const char *copy_name(struct fs_graph *g, const char *name) {
  return name ? fs_arena_strndup(g->arena, name, strlen(name)) : NULL;
}

struct fs_graph *fs_graph_copy(const struct fs_graph *from) {
  struct fs_graph *g = fs_calloc(1, sizeof *g);
  g->arena = fs_arena_new();
  for (int k = 0; k < from->nodes.len; k++)
    *FS_PUSH(&g->nodes) = from->nodes.data[k];
  for (int k = 0; k < from->inputs.len; k++) {
    struct fs_graph_input *in = FS_PUSH(&g->inputs);
    *in = from->inputs.data[k];
    in->name = copy_name(g, in->name);
  }
  for (int k = 0; k < from->params.len; k++)
    *FS_PUSH(&g->params) = from->params.data[k];
  for (int k = 0; k < from->params.len; k++)
    *FS_PUSH(&g->literals) = from->literals.data[k];
  for (int k = 0; k < from->origins.len; k++)
    *FS_PUSH(&g->origins) = from->origins.data[k];
  for (int k = 0; k < from->outputs.len; k++) {
    *FS_PUSH(&g->outputs) = from->outputs.data[k];
    *FS_PUSH(&g->output_names) = copy_name(g, from->output_names.data[k]);
  }
  FS_EACH_AT(&from->output_axes, axis) *FS_PUSH(&g->output_axes) = *axis;
  FS_EACH_AT(&from->output_extents, n) *FS_PUSH(&g->output_extents) = *n;
  for (int k = 0; k < from->barriers.len; k++)
    *FS_PUSH(&g->barriers) = from->barriers.data[k];
  for (int k = 0; k < from->outer.len; k++) *FS_PUSH(&g->outer) = from->outer.data[k];
  g->stmt = from->stmt;
  g->inner = from->inner;
  g->turn = from->turn;
  g->span = from->span;
  return g;
}

/* -- hash-consing ---------------------------------------------------------- */

uint64_t fs_mix(uint64_t h, uint64_t word) {
  h ^= word;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static void put(struct fs_words *w, uint64_t word) { w->w[w->n++] = word; }

static void put_view(struct fs_words *w, const struct fs_view *v) {
  put(w, (uint64_t)v->src_rank);
  for (int s = 0; s < v->src_rank; s++) {
    put(w, (uint64_t)v->axis[s]);
    put(w, (uint64_t)v->off[s]);
    put(w, (uint64_t)v->step[s]);
  }
}

/* The part of an update that may lie elsewhere. */
static void put_anchored(struct fs_words *w, const struct fs_node *n) {
  put(w, (uint64_t)n->view.src_rank | 1u << 8);
  for (int s = 0; s < n->view.src_rank; s++) {
    put(w, (uint64_t)n->view.axis[s]);
    put(w, (uint64_t)n->view.step[s]);
  }
  put(w, (uint64_t)(fs_update_begin(n) - n->anchor));
}

static void put_shape(struct fs_words *w, const struct fs_shape *s) {
  put(w, (uint64_t)s->rank);
  for (int k = 0; k < s->rank; k++) put(w, (uint64_t)s->dim[k]);
}

static void put_input(const struct fs_graph *g, const struct fs_node *n,
                      bool by_identity, struct fs_words *w) {
  const struct fs_graph_input *in = &g->inputs.data[n->slot];
  put(w, by_identity ? (uintptr_t)in->storage : (uint64_t)n->slot);
  put(w, (uint64_t)(by_identity ? in->layout.offset : in->layout.offset - in->anchor));
  for (int k = 0; k < n->shape.rank; k++)
    put(w, (uint64_t)in->layout.stride[k]);
  if (in->layout.per_rank) put(w, (uint64_t)in->layout.per_rank);
  if (in->cut.part && !by_identity) {
    put(w, (uint64_t)in->cut.stride);
    put(w, (uint64_t)in->cut.block);
    put(w, (uint64_t)in->cut.extent);
    put(w, (uint64_t)in->cut.outer);
  }
  if (!in->layout.reach) return;
  put(w, (uint64_t)in->layout.low);
  put(w, (uint64_t)in->layout.reach);
}

void fs_node_words(const struct fs_graph *g, const struct fs_node *n,
                   bool by_identity, struct fs_words *w) {
  w->n = 0;
  put(w, fs_node_head(n));
  put_shape(w, &n->shape);
  for (int k = 0; k < n->n_src; k++) put(w, n->src[k]);
  if (n->kind == FS_ND_INPUT) put_input(g, n, by_identity, w);
  if (n->kind == FS_ND_PARAM) put(w, (uint64_t)n->slot);
  if (n->kind == FS_ND_UPDATE && n->anchored && !by_identity) put_anchored(w, n);
  else if (n->kind == FS_ND_VIEW || n->kind == FS_ND_UPDATE) put_view(w, &n->view);
  if (n->user) put(w, n->user->hash);
  if (n->kind == FS_ND_LIB) {
    put_shape(w, &n->lib_shape[0]);
    put_shape(w, &n->lib_shape[1]);
  }
  if (n->kind != FS_ND_RAND && n->kind != FS_ND_RANDN && n->kind != FS_ND_IOTA)
    return;
  put(w, (uint64_t)n->rand_base);
  for (int k = 0; k < n->shape.rank; k++) put(w, (uint64_t)n->rand_stride[k]);
  if (n->rand_per_rank) put(w, (uint64_t)n->rand_per_rank);
}

uint64_t fs_words_hash(const struct fs_words *w, uint64_t seed) {
  uint64_t h = fs_mix(seed, (uint64_t)w->n);
  for (int k = 0; k < w->n; k++) h = fs_mix(h, w->w[k]);
  return h;
}

static uint32_t *find_entry(struct fs_graph *g, const struct fs_words *key) {
  uint32_t mask = g->table_cap - 1;
  uint32_t at = (uint32_t)fs_words_hash(key, 0) & mask;
  for (;; at = (at + 1) & mask) {
    struct fs_words other;
    if (!g->table[at]) return &g->table[at];
    fs_node_words(g, fs_node(g, g->table[at]), true, &other);
    if (other.n == key->n &&
        !memcmp(other.w, key->w, sizeof(uint64_t) * (size_t)key->n))
      return &g->table[at];
  }
}

/* Without memory the table stays as it is. */
static void grow_table(struct fs_graph *g) {
  uint32_t *old = g->table, cap = g->table_cap, more = cap ? 2 * cap : 128;
  g->table = fs_calloc(more, sizeof *g->table);
  g->table_cap = more;
  for (uint32_t k = 0; k < cap; k++) {
    struct fs_words w;
    if (!old[k]) continue;
    fs_node_words(g, fs_node(g, old[k]), true, &w);
    *find_entry(g, &w) = old[k];
  }
  free(old);
}

fs_id fs_graph_intern(struct fs_graph *g, const struct fs_node *n) {
  struct fs_words key;
  if (3 * (uint32_t)g->nodes.len >= 2 * g->table_cap) grow_table(g);
  fs_node_words(g, n, true, &key);
  uint32_t *entry = find_entry(g, &key);
  if (*entry) return *entry;
  *entry = (uint32_t)g->nodes.len;
  struct fs_node copy = *n;
  copy.span = g->span;
  copy.stmt = g->stmt;
  copy.inner = g->inner;
  copy.turn = g->turn;
  *FS_PUSH(&g->nodes) = copy;
  return *entry;
}

/* -- leaves ---------------------------------------------------------------- */

/* Whether a shape has an extent of 0. */
static bool is_none(const struct fs_shape *s) {
  for (int k = 0; k < s->rank; k++)
    if (!s->dim[k]) return true;
  return false;
}

static fs_id empty(struct fs_graph *g, enum fs_dtype dt, const struct fs_shape *shape) {
  return fs_graph_intern(
      g, &(struct fs_node){.kind = FS_ND_EMPTY, .dtype = dt, .shape = *shape});
}

static bool is_empty(const struct fs_graph *g, fs_id id) {
  return fs_node(g, id)->kind == FS_ND_EMPTY;
}

/* The shape without extents of 1; `stride` (may be NULL) is squeezed along. */
static struct fs_shape squeezed(const struct fs_shape *s, int64_t *stride) {
  struct fs_shape out = {0};
  for (int k = 0; k < s->rank; k++) {
    if (s->dim[k] == 1) continue;
    if (stride) stride[out.rank] = stride[k];
    out.dim[out.rank++] = s->dim[k];
  }
  for (int k = out.rank; stride && k < FS_MAX_RANK; k++) stride[k] = 0;
  return out;
}

fs_id fs_graph_input(struct fs_graph *g, const struct fs_graph_source *from, enum fs_dtype dt,
                     const struct fs_shape *shape,
                     const struct fs_layout *layout, const char *name) {
  struct fs_graph_input in = {.tensor = from->tensor, .storage = from->storage,
                              .known = from->known, .layout = *layout, .cut = from->cut};
  struct fs_node n = {.kind = FS_ND_INPUT, .dtype = dt, .slot = g->inputs.len};
  n.shape = squeezed(shape, in.layout.stride);
  if (is_none(&n.shape)) return empty(g, dt, &n.shape);
  *FS_PUSH(&g->inputs) = in;
  fs_id id = fs_graph_intern(g, &n);
  if (fs_node(g, id)->slot != n.slot) {
    g->inputs.len--; /* the same elements were read before */
  } else if (name) {
    g->inputs.data[n.slot].name = fs_arena_strndup(g->arena, name, strlen(name));
  }
  return id;
}

fs_id fs_graph_input_like(struct fs_graph *g, const struct fs_graph_input *in,
                          enum fs_dtype dt, const struct fs_shape *shape) {
  bool dying = in->dying; /* `in` may lie in g */
  struct fs_graph_source from = {in->tensor, in->storage, in->known, in->cut};
  fs_id id = fs_graph_input(g, &from, dt, shape, &in->layout, in->name);
  g->inputs.data[fs_node(g, id)->slot].dying = dying;
  return id;
}

bool fs_graph_is_loose(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  return n->kind == FS_ND_INPUT && g->inputs.data[n->slot].layout.reach;
}

/* What reads memory as it lies. */
static fs_id firm(struct fs_graph *g, fs_id id) {
  return fs_graph_is_loose(g, id) ? fs_graph_map(g, FS_OP_COPY, 1, &id, FS_F32) : id;
}

static fs_id add_param(struct fs_graph *g, enum fs_dtype dt, struct fs_number v,
                       int literal) {
  struct fs_node n = {.kind = FS_ND_PARAM, .dtype = dt, .slot = g->params.len};
  if (dt == FS_BOOL) v.i = v.i != 0 || v.f != 0, v.f = (double)v.i;
  *FS_PUSH(&g->params) = v;
  *FS_PUSH(&g->literals) = literal;
  return fs_graph_intern(g, &n);
}

fs_id fs_graph_param(struct fs_graph *g, enum fs_dtype dt, struct fs_number v) {
  return add_param(g, dt, v, -1);
}

fs_id fs_graph_literal(struct fs_graph *g, enum fs_dtype dt, struct fs_number v) {
  int first = 0;
  while (first < g->params.len && (g->literals.data[first] != first ||
                                   memcmp(&g->params.data[first], &v, sizeof v)))
    first++;
  return add_param(g, dt, v, first);
}

fs_id fs_graph_extent(struct fs_graph *g, enum fs_dtype dt, double v) {
  return add_param(g, dt, (struct fs_number){v, (int64_t)v}, FS_FROM_SHAPES);
}

int fs_graph_param_slot(const struct fs_graph *g, const struct fs_node *param) {
  int first = g->literals.data[param->slot];
  return first >= 0 ? first : param->slot;
}

fs_id fs_graph_iota(struct fs_graph *g, enum fs_dtype dt, int64_t count,
                    fs_id start, fs_id step) {
  enum fs_dtype in = fs_dtype_compute(dt);
  struct fs_node n = {.kind = FS_ND_IOTA, .dtype = dt, .n_src = 2};
  n.src[0] = fs_graph_cast(g, start, in);
  n.src[1] = fs_graph_cast(g, step, in);
  n.shape = squeezed(&(struct fs_shape){1, {count}}, NULL);
  if (!count) return empty(g, dt, &n.shape);
  n.rand_stride[0] = n.shape.rank;
  return fs_graph_intern(g, &n);
}

fs_id fs_graph_rand(struct fs_graph *g, bool normal, enum fs_dtype dt,
                    const struct fs_shape *shape, fs_id seed, fs_id stream) {
  struct fs_node n = {.kind = normal ? FS_ND_RANDN : FS_ND_RAND, .dtype = dt};
  n.n_src = 2;
  n.src[0] = fs_graph_cast(g, seed, FS_I64);
  n.src[1] = fs_graph_cast(g, stream, FS_I64);
  n.shape = squeezed(shape, NULL);
  if (is_none(&n.shape)) return empty(g, dt, &n.shape);
  int64_t stride = 1;
  for (int k = n.shape.rank - 1; k >= 0; k--) {
    n.rand_stride[k] = stride;
    stride *= FS_MAX(n.shape.dim[k], 1);
  }
  return fs_graph_intern(g, &n);
}

/* -- maps ------------------------------------------------------------------ */

bool fs_node_is_fill(const struct fs_node *n) {
  return n->kind == FS_ND_VIEW && n->view.src_rank == 0;
}

enum fs_dtype fs_class_dtype(char types, enum fs_dtype dt) {
  switch (types) {
    case 'N': case 'I': return fs_dtype_number(dt);
    case 'U': return fs_dtype_unsigned(fs_dtype_number(dt));
    case 'F': return fs_dtype_real(dt);
    case 'B': return FS_BOOL;
    default: return dt;
  }
}

static fs_id fill(struct fs_graph *g, fs_id scalar,
                  const struct fs_shape *shape) {
  return fs_graph_view(g, scalar, &(struct fs_view){0}, shape);
}

/* A number as the type it is cast to would hold it. */
/* Rounded once. */
static double float_of(enum fs_dtype from, int64_t i) {
  return from == FS_U64 ? (double)(float)(uint64_t)i : (double)(float)i;
}

static struct fs_number number_cast(struct fs_number v, enum fs_dtype from,
                                    enum fs_dtype to) {
  bool real = fs_dtype_is_float(from);
  if (to == FS_BOOL) {
    bool set = real ? v.f != 0 : v.i != 0;
    return (struct fs_number){set, set};
  }
  if (fs_dtype_is_float(to)) {
    v.f = fs_dtype_round(to, real ? v.f : to == FS_F64 ? fs_dtype_real_of(from, v.i) : float_of(from, v.i));
    return v;
  }
  int64_t i = real ? fs_dtype_integer(to, v.f) : fs_dtype_wrap(to, v.i);
  return (struct fs_number){fs_dtype_real_of(to, i), i};
}

/* Whether one slot serves both types: what is read from it as `to` is what the value
 * of type `from` is cast to. */
static bool shares_slot(enum fs_dtype from, enum fs_dtype to) {
  return to != FS_BOOL && (to == FS_F64 || fs_dtype_holds(to, from));
}

/* The same host number as another type. Whether it gets a slot of its own goes by the
 * types alone, so that a block has one structure whatever its numbers are. */
static fs_id cast_param(struct fs_graph *g, fs_id a, enum fs_dtype dt) {
  struct fs_node n = *fs_node(g, a);
  struct fs_number *v = &g->params.data[n.slot], cast = number_cast(*v, n.dtype, dt);
  if (!shares_slot(n.dtype, dt))
    return g->literals.data[n.slot] >= 0 ? fs_graph_literal(g, dt, cast)
                                         : fs_graph_param(g, dt, cast);
  if (!fs_dtype_is_float(n.dtype) && fs_dtype_is_float(dt)) v->f = (double)v->i;
  n.dtype = dt;
  return fs_graph_intern(g, &n);
}

fs_id fs_graph_cast(struct fs_graph *g, fs_id a, enum fs_dtype dt) {
  const struct fs_node *n = fs_node(g, a);
  if (n->dtype == dt) return a;
  if (n->kind == FS_ND_PARAM) return cast_param(g, a, dt);
  struct fs_shape shape = n->shape;
  if (n->kind == FS_ND_EMPTY) return empty(g, dt, &shape);
  if (fs_node_is_fill(n)) {
    return fill(g, fs_graph_cast(g, n->src[0], dt), &shape);
  }
  struct fs_node cast = {.kind = FS_ND_MAP, .op = FS_OP_CAST, .dtype = dt,
                         .n_src = 1, .src = {a}, .shape = n->shape};
  return fs_graph_intern(g, &cast);
}

/* Casts the operands to what the op wants; gives the type of its result. */
static enum fs_dtype convert(struct fs_graph *g, enum fs_map_op op, int n,
                             fs_id *src) {
  const struct fs_map_op_info *info = &fs_map_ops[op];
  int first = op == FS_OP_WHERE; /* its mask has no part in the promotion */
  enum fs_dtype dt = fs_node(g, src[first])->dtype;
  for (int k = first + 1; k < n; k++)
    dt = fs_dtype_promote(dt, fs_node(g, src[k])->dtype);
  dt = fs_class_dtype(info->types, dt);
  for (int k = 0; k < n; k++)
    src[k] = fs_graph_cast(g, src[k], k < first ? FS_BOOL : dt);
  return info->result == 'B' ? FS_BOOL : dt;
}

static fs_id make_map(struct fs_graph *g, enum fs_map_op op,
                      const struct fs_user *user, int n, const fs_id *src,
                      enum fs_dtype dt) {
  struct fs_node map = {.kind = FS_ND_MAP, .op = (uint8_t)op, .user = user,
                        .n_src = (uint8_t)n};
  struct fs_shape shape = {0};
  for (int k = 0; k < n; k++) {
    const struct fs_node *s = fs_node(g, src[k]);
    if (s->shape.rank > 0) shape = s->shape;
    bool filled = fs_node_is_fill(s);
    map.src[k] = filled ? s->src[0] : src[k];
    if (s->shape.rank > 0 && !filled) map.shape = s->shape;
  }
  if (user)
    for (int k = 0; k < n; k++)
      map.src[k] = fs_graph_cast(g, map.src[k], user->region ? user->arg[k].compute : dt);
  map.dtype = user ? dt : convert(g, op, n, map.src);
  if (is_none(&shape)) return empty(g, map.dtype, &shape);
  fs_id id = fs_graph_intern(g, &map);
  return fs_shape_equal(&map.shape, &shape) ? id : fill(g, id, &shape);
}

fs_id fs_graph_map(struct fs_graph *g, enum fs_map_op op, int n,
                   const fs_id *src, enum fs_dtype dt) {
  if (op == FS_OP_CAST) return fs_graph_cast(g, src[0], dt);
  return make_map(g, op, NULL, n, src, dt);
}

/* -- functions of the user -------------------------------------------------- */

fs_id fs_graph_user(struct fs_graph *g, const struct fs_user *user,
                    const struct fs_shape *batch, const fs_id *src,
                    enum fs_dtype dt) {
  if (!user->by_instance)
    return make_map(g, FS_OP_USER, user, user->n_args, src, dt);
  struct fs_node n = {.kind = FS_ND_APPLY, .dtype = dt, .user = user,
                      .n_src = (uint8_t)user->n_args, .shape = *batch};
  for (int k = 0; k < user->n_args; k++) n.src[k] = firm(g, fs_graph_cast(g, src[k], dt));
  for (int k = 0; k < user->result.rank; k++)
    n.shape.dim[n.shape.rank++] = user->result.dim[k];
  return is_none(&n.shape) ? empty(g, dt, &n.shape) : fs_graph_intern(g, &n);
}

fs_id fs_graph_lib_or(struct fs_graph *g, fs_id call, const struct fs_user *routine) {
  struct fs_node n = *fs_node(g, call);
  n.user = routine;
  return fs_graph_intern(g, &n);
}

bool fs_graph_one_array(const struct fs_graph *g, int a, int b) {
  const struct fs_node *x = fs_node(g, (fs_id)a), *y = fs_node(g, (fs_id)b);
  return a == b || (x->kind == FS_ND_INPUT && y->kind == FS_ND_INPUT &&
                    fs_graph_same_array(g, x->slot, y->slot));
}

fs_id fs_graph_table(struct fs_graph *g, fs_id src) {
  const struct fs_node *n = fs_node(g, src);
  struct fs_node out = {.kind = FS_ND_TABLE, .dtype = n->dtype, .n_src = 1, .src = {src}};
  if (n->kind != FS_ND_INPUT || n->shape.rank != 1 || n->dtype == FS_BOOL ||
      fs_dtype_converts(n->dtype))
    return 0;
  return fs_graph_intern(g, &out);
}

fs_id fs_graph_map_like(struct fs_graph *g, const struct fs_node *n,
                        const fs_id *src) {
  if (n->user) return fs_graph_user(g, n->user, NULL, src, n->dtype);
  return fs_graph_map(g, n->op, n->n_src, src, n->dtype);
}

int fs_map_weight(const struct fs_node *n) {
  return n->user ? 1 + (int)FS_MIN(n->user->flops / 2, 1e6) : 1;
}

struct fs_shape fs_apply_element(const struct fs_node *n, int k) {
  const struct fs_user_element *e =
      k < n->n_src ? &n->user->arg[k] : &n->user->result;
  struct fs_shape s = {.rank = e->rank};
  for (int a = 0; a < e->rank; a++) s.dim[a] = e->dim[a];
  return s;
}

struct fs_shape fs_apply_batch(const struct fs_node *n) {
  struct fs_shape s = n->shape;
  s.rank -= n->user->result.rank;
  return s;
}

/* -- reductions ------------------------------------------------------------ */

enum fs_dtype fs_reduce_source(enum fs_reduce_op op, enum fs_dtype src) {
  const struct fs_reduce_op_info *info = &fs_reduce_ops[op];
  return info->result == 'W' ? src : fs_class_dtype(info->types, src);
}

enum fs_dtype fs_reduce_result(enum fs_reduce_op op, enum fs_dtype src) {
  switch (fs_reduce_ops[op].result) {
    case 'W': return fs_dtype_sum(src);
    case 'B': return FS_BOOL;
    case 'P': return FS_I64;
    default: return fs_reduce_source(op, src);
  }
}

/* What a reduction begins with, as a number; NaN, which has no element, of a variance. */
double fs_reduce_first(enum fs_reduce_op op, enum fs_dtype dt) {
  bool real = fs_dtype_is_float(dt);
  if (op == FS_RD_VAR) return NAN;
  switch (fs_reduce_ops[op].first) {
    case FS_FIRST_ONE: return 1;
    case FS_FIRST_LOWEST:
    case FS_FIRST_LEAST: return real ? -INFINITY : (double)fs_dtype_least(dt);
    case FS_FIRST_HIGHEST: return real ? INFINITY : fs_dtype_real_of(dt, fs_dtype_most(dt));
    default: return 0;
  }
}

static fs_id reduced_nothing(struct fs_graph *g, enum fs_reduce_op op, enum fs_dtype dt,
                             const struct fs_shape *shape) {
  double x = fs_reduce_first(op, dt);
  return fill(g, fs_graph_literal(g, dt, (struct fs_number){x, fs_dtype_integer(dt, x)}), shape);
}

fs_id fs_graph_reduce(struct fs_graph *g, enum fs_reduce_op op, fs_id src,
                      unsigned axes) {
  enum fs_dtype dt = fs_node(g, src)->dtype;
  struct fs_node n = {.kind = FS_ND_REDUCE, .op = (uint8_t)op, .n_src = 1};
  n.dtype = fs_reduce_result(op, dt);
  if (!axes) return fs_graph_cast(g, src, n.dtype);
  n.axes = (uint8_t)axes;
  n.src[0] = fs_graph_cast(g, src, fs_reduce_source(op, dt));
  const struct fs_shape *s = &fs_node(g, src)->shape;
  for (int k = 0; k < s->rank; k++)
    if (!(axes >> k & 1)) n.shape.dim[n.shape.rank++] = s->dim[k];
  if (is_none(&n.shape)) return empty(g, n.dtype, &n.shape);
  return is_empty(g, n.src[0]) ? reduced_nothing(g, op, n.dtype, &n.shape)
                               : fs_graph_intern(g, &n);
}

/* -- views ----------------------------------------------------------------- */

static struct fs_range range_of(const struct fs_layout *l, const struct fs_shape *shape) {
  struct fs_elements e = {.begin = l->offset, .rank = shape->rank};
  memcpy(e.dim, shape->dim, sizeof e.dim);
  memcpy(e.stride, l->stride, sizeof e.stride);
  return fs_elements_range(&e);
}

static fs_id view_of_input(struct fs_graph *g, struct fs_graph_input in, enum fs_dtype dt,
                           const struct fs_view *v, const struct fs_shape *shape) {
  struct fs_layout *l = &in.layout;
  fs_view_affine(v, shape->rank, &l->offset, l->stride);
  if (l->reach) {
    struct fs_range r = range_of(l, shape);
    if (r.first >= l->low && r.last < l->low + l->reach) l->low = l->reach = 0;
  }
  return fs_graph_input_like(g, &in, dt, shape);
}

fs_id fs_graph_loose(struct fs_graph *g, fs_id input, const struct fs_layout *layout,
                     const struct fs_shape *shape) {
  const struct fs_node *n = fs_node(g, input);
  struct fs_graph_input in = g->inputs.data[n->slot];
  struct fs_range all = {in.layout.low, in.layout.low + in.layout.reach - 1};
  if (!in.layout.reach) all = range_of(&in.layout, &n->shape);
  in.known = (struct fs_known){0}; /* what lies between its elements is others' */
  in.layout = *layout;
  struct fs_range r = range_of(layout, shape);
  bool inside = r.first >= all.first && r.last <= all.last;
  in.layout.low = inside ? 0 : all.first;
  in.layout.reach = inside ? 0 : all.last - all.first + 1;
  return fs_graph_input_like(g, &in, n->dtype, shape);
}

static fs_id view_of_affine(struct fs_graph *g, struct fs_node src,
                            const struct fs_view *v,
                            const struct fs_shape *shape) {
  fs_view_affine(v, shape->rank, &src.rand_base, src.rand_stride);
  src.shape = *shape;
  return fs_graph_intern(g, &src);
}

static bool uses_no_axis(const struct fs_view *v) {
  for (int s = 0; s < v->src_rank; s++)
    if (v->axis[s] >= 0) return false;
  return true;
}

/* A slice of random numbers is drawn as such. Where they are repeated or transposed, they
 * stay a node of their own below the view: to draw one costs more than to read it, so how
 * often, and in which order, is the planner's choice. */
static fs_id view_of_drawn(struct fs_graph *g, fs_id src, const struct fs_view *v,
                           const struct fs_shape *shape) {
  struct fs_node n = *fs_node(g, src);
  struct fs_view slice, rename;
  struct fs_shape middle;
  if (fs_view_split(v, &n.shape, shape, &slice, &middle, &rename))
    src = view_of_affine(g, n, &slice, &middle);
  if (fs_view_is_identity(&rename, &middle, shape)) return src;
  struct fs_node out = {.kind = FS_ND_VIEW, .dtype = n.dtype, .shape = *shape,
                        .n_src = 1, .src = {src}, .view = rename};
  return fs_graph_intern(g, &out);
}

/* What is read of an array after a part of it was replaced is of the part or of what was
 * there before, if it is not of both: then nothing waits for the whole array, and where the
 * part lies is no part of what is computed (anchor.c). */
static fs_id before_update(const struct fs_graph *g, fs_id src, struct fs_view *v,
                           const struct fs_shape *shape) {
  for (;;) {
    const struct fs_node *n = fs_node(g, src);
    if (n->kind != FS_ND_UPDATE) return src;
    struct fs_view within;
    switch (fs_view_in_part(v, shape, &n->view, &fs_node(g, n->src[1])->shape, &within)) {
      case FS_VIEW_PARTLY: return src;
      case FS_VIEW_WITHIN:
        *v = within;
        return n->src[1];
      case FS_VIEW_APART:
        if (!n->src[0]) return src;
        src = n->src[0];
    }
  }
}

fs_id fs_graph_view(struct fs_graph *g, fs_id src, const struct fs_view *view,
                    const struct fs_shape *result) {
  struct fs_node n = *fs_node(g, src);
  struct fs_view v = *view;
  struct fs_shape shape = *result;
  fs_view_squeeze(&v, &shape);
  if (is_none(&shape)) return empty(g, n.dtype, &shape);
  if (n.kind == FS_ND_VIEW && n.shape.rank > 0) {
    v = fs_view_compose(&n.view, &v);
    fs_view_squeeze(&v, &shape);
    src = n.src[0];
    n = *fs_node(g, src);
  }
  if (n.kind == FS_ND_UPDATE && !fs_view_is_identity(&v, &n.shape, &shape)) {
    fs_id of = before_update(g, src, &v, &shape);
    if (of != src) return fs_graph_view(g, of, &v, &shape);
  }
  if (fs_view_is_identity(&v, &n.shape, &shape)) return src;
  if (shape.rank > 0 && n.shape.rank > 0 && uses_no_axis(&v)) {
    fs_id scalar = fs_graph_view(g, src, &v, &(struct fs_shape){0});
    return fill(g, scalar, &shape);
  }
  if (n.shape.rank > 0) {
    if (n.kind == FS_ND_INPUT)
      return view_of_input(g, g->inputs.data[n.slot], n.dtype, &v, &shape);
    if (n.kind == FS_ND_IOTA) return view_of_affine(g, n, &v, &shape);
    if (n.kind == FS_ND_RAND || n.kind == FS_ND_RANDN)
      return view_of_drawn(g, src, &v, &shape);
  }
  struct fs_node out = {.kind = FS_ND_VIEW, .dtype = n.dtype, .shape = shape,
                        .n_src = 1, .src = {src}, .view = v};
  return fs_graph_intern(g, &out);
}

/* Makes a view of a shape with extents of 1 one of the squeezed shape. */
static void drop_unit_axes(struct fs_view *v, const struct fs_shape *shape) {
  int rank = 0;
  for (int s = 0; s < v->src_rank && s < shape->rank; s++) {
    if (shape->dim[s] == 1) continue;
    v->axis[rank] = v->axis[s];
    v->off[rank] = v->off[s];
    v->step[rank++] = v->step[s];
  }
  v->src_rank = rank;
}

fs_id fs_graph_update(struct fs_graph *g, fs_id base, enum fs_dtype dt,
                      const struct fs_shape *shape, fs_id value,
                      const struct fs_shape *part_shape,
                      const struct fs_view *view) {
  struct fs_node n = {.kind = FS_ND_UPDATE, .dtype = dt, .n_src = 2};
  struct fs_shape part = *part_shape;
  n.shape = squeezed(shape, NULL);
  if (is_none(&n.shape)) return empty(g, dt, &n.shape);
  if (is_none(&part)) return base ? fs_graph_cast(g, base, dt) : 0;
  n.view = *view;
  if (view->src_rank != n.shape.rank) drop_unit_axes(&n.view, shape);
  fs_view_squeeze(&n.view, &part);
  n.src[0] = base ? fs_graph_cast(g, base, dt) : 0;
  n.src[1] = firm(g, fs_graph_cast(g, value, dt));
  if (fs_node(g, n.src[1])->shape.rank < part.rank)
    n.src[1] = fill(g, n.src[1], &part);
  if (fs_view_is_identity(&n.view, &n.shape, &part)) return n.src[1];
  return fs_graph_intern(g, &n);
}

/* -- library calls, outputs ------------------------------------------------ */

/* A call of which an operand has no elements and the result has some: sums of no products,
 * the shortest of all solutions, the places of a list that names none. */
static fs_id of_nothing(struct fs_graph *g, enum fs_lib_op op, enum fs_dtype dt,
                        const struct fs_shape *shape, fs_id a) {
  if (op == FS_LIB_COMBINE && !is_empty(g, a)) return fs_graph_cast(g, a, dt);
  return fill(g, fs_graph_literal(g, dt, (struct fs_number){0, 0}), shape);
}

fs_id fs_graph_lib(struct fs_graph *g, enum fs_lib_op op, enum fs_dtype dt,
                   const struct fs_shape *result, fs_id a,
                   const struct fs_shape *a_shape, fs_id b,
                   const struct fs_shape *b_shape, unsigned flags) {
  struct fs_node n = {.kind = FS_ND_LIB, .op = (uint8_t)op, .dtype = dt,
                      .lib_flags = (uint8_t)flags};
  n.shape = squeezed(result, NULL);
  if (is_none(&n.shape)) return empty(g, dt, &n.shape);
  if (is_empty(g, a) || (b && is_empty(g, b))) return of_nothing(g, op, dt, &n.shape, a);
  n.n_src = b ? 2 : 1;
  n.src[0] = firm(g, fs_lib_takes_any(op, 0) ? a : fs_graph_cast(g, a, dt));
  n.lib_shape[0] = *a_shape;
  if (b) {
    n.src[1] = firm(g, fs_lib_takes_any(op, 1) ? b : fs_graph_cast(g, b, dt));
    n.lib_shape[1] = *b_shape;
  }
  return fs_graph_intern(g, &n);
}

fs_id fs_graph_foreign(struct fs_graph *g, const struct fs_user *user, enum fs_dtype dt,
                       const struct fs_shape *result, const fs_id *src) {
  struct fs_node n = {.kind = FS_ND_LIB, .op = FS_LIB_KERNEL, .dtype = dt, .user = user,
                      .n_src = (uint8_t)user->n_args, .lib_flags = FS_LIB_IN_RANGE};
  n.shape = squeezed(result, NULL);
  for (int k = 0; k < user->n_args; k++) n.src[k] = firm(g, src[k]);
  return fs_graph_intern(g, &n);
}

void fs_graph_output(struct fs_graph *g, fs_id id, const char *name) {
  *FS_PUSH(&g->outputs) = id;
  *FS_PUSH(&g->output_names) =
      name ? fs_arena_strndup(g->arena, name, strlen(name)) : NULL;
}
