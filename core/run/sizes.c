/* sizes.c - see sizes.h. Of the simplified graph, of its plan and kernels every field is
 * either a number, which goes with the sizes, or fixed. What is neither, since it is computed
 * of numbers in another way than by sums, is made anew each time. */
#include "core/run/sizes.h"

#include "core/plan/kernels/kernels.h"
#include "core/run/compile.h"

static void fix(struct fs_sizes *s, uint64_t word) { *FS_PUSH(&s->fixed) = word; }

static void fix_bytes(struct fs_sizes *s, const void *data, size_t size) {
  fix(s, fs_hash(data, size, 1));
}

static void number(struct fs_sizes *s, int64_t *at, int kernel, bool extent) {
  *FS_PUSH(&s->numbers) = (struct fs_size){at, kernel, extent};
}

static void numbers(struct fs_sizes *s, int64_t *at, int n, int kernel, bool extent) {
  for (int k = 0; k < n; k++) number(s, &at[k], kernel, extent);
}

static void amount(struct fs_sizes *s, double *at) { *FS_PUSH(&s->amounts) = at; }

/* How a slice is aligned: its anchor is the last aligned place before it, or before others that
 * move with it, and so goes by sums only from one to the next that is aligned alike. */
static void fix_alignment(struct fs_sizes *s, int64_t behind_anchor, enum fs_dtype dt) {
  enum { WIDEST = 16 }; /* as in anchor.c */
  int64_t unit = FS_MAX(1, WIDEST / (int64_t)fs_dtype_size(dt));
  fix(s, (uint64_t)(behind_anchor % unit));
}

static void layout(struct fs_sizes *s, struct fs_layout *l, int rank) {
  number(s, &l->offset, -1, false);
  numbers(s, l->stride, rank, -1, false);
  fix(s, l->reach != 0);
  if (!l->reach) return;
  number(s, &l->low, -1, false);
  number(s, &l->reach, -1, false);
}

/* -- the graph ------------------------------------------------------------------- */

/* Steps that count elements have numbers of their own, which are not listed. */
static bool may_move(const struct fs_node *n) {
  switch (n->kind) {
    case FS_ND_IOTA: case FS_ND_RAND: case FS_ND_RANDN: case FS_ND_APPLY: return false;
    case FS_ND_REDUCE: return !fs_reduces_to_place(n->op);
    case FS_ND_LIB: return n->op == FS_LIB_GEMM;
    default: return !n->user;
  }
}

static bool add_node(struct fs_sizes *s, struct fs_node *n) {
  fix(s, (uint64_t)n->kind << 32 | (uint64_t)n->op << 16 | (uint64_t)n->dtype);
  fix(s, (uint64_t)n->shape.rank << 32 | (uint64_t)n->n_src << 16 | n->axes);
  for (int k = 0; k < n->n_src; k++) fix(s, n->src[k]);
  if (n->kind == FS_ND_INPUT || n->kind == FS_ND_PARAM) fix(s, (uint64_t)n->slot);
  numbers(s, n->shape.dim, n->shape.rank, -1, true);
  if (n->kind == FS_ND_VIEW || n->kind == FS_ND_UPDATE) {
    fix_bytes(s, n->view.axis, sizeof n->view.axis);
    numbers(s, n->view.off, n->view.src_rank, -1, false);
    numbers(s, n->view.step, n->view.src_rank, -1, false);
    fix(s, (uint64_t)n->view.src_rank << 32 | (uint32_t)n->anchored);
  }
  if (n->anchored) {
    number(s, &n->anchor, -1, false);
    fix_alignment(s, fs_update_begin(n) - n->anchor, n->dtype);
  }
  for (int k = 0; k < 2 && n->kind == FS_ND_LIB; k++) {
    fix(s, (uint64_t)n->lib_flags << 32 | (uint64_t)n->lib_shape[k].rank);
    numbers(s, n->lib_shape[k].dim, n->lib_shape[k].rank, -1, false);
  }
  return may_move(n);
}

/* The words tell two slices of one array apart, whose order may go by how they are aligned. */
static void add_input(struct fs_sizes *s, struct fs_graph_input *in, const struct fs_node *n) {
  fix(s, (uint64_t)in->anchored);
  fix(s, (uint64_t)n->span.source);
  fix(s, (uint64_t)n->span.begin << 32 | (uint64_t)n->span.end);
  layout(s, &in->layout, FS_MAX_RANK);
  if (!in->anchored) return;
  number(s, &in->anchor, -1, false);
  fix_alignment(s, in->layout.offset - in->anchor, n->dtype);
}

static bool add_graph(struct fs_sizes *s, struct fs_graph *g) {
  bool may = true;
  fix(s, (uint64_t)g->nodes.len << 32 | (uint64_t)g->inputs.len);
  for (int id = 1; id < g->nodes.len && may; id++) {
    struct fs_node *n = fs_node(g, (fs_id)id);
    may = add_node(s, n);
    if (n->kind == FS_ND_INPUT) add_input(s, &g->inputs.data[n->slot], n);
  }
  for (int k = 0; k < g->outputs.len; k++) fix(s, g->outputs.data[k]);
  return may;
}

/* -- kernels ---------------------------------------------------------------------- */

static void add_access(struct fs_sizes *s, struct fs_access *a, int kernel) {
  fix(s, (uint64_t)a->slot << 32 | (uint64_t)a->list << 16 | (uint64_t)a->dtype << 8 | a->varies);
  number(s, &a->offset, -1, false); /* code reads it when it is launched */
  numbers(s, a->stride, FS_MAX_RANK, kernel, false);
  number(s, &a->list_stride, kernel, false);
  number(s, &a->list_extent, kernel, false);
  fix(s, a->reach != 0);
  if (!a->reach) return;
  number(s, &a->low, kernel, false);
  number(s, &a->reach, kernel, false);
}

static void add_value(struct fs_sizes *s, const struct fs_value *v) {
  fix(s, (uint64_t)v->dtype << 32 | (uint64_t)v->varies << 16 | (uint64_t)v->ready << 8 |
             v->words);
  fix(s, (uint64_t)v->same_as);
}

static void add_figures(struct fs_sizes *s, struct fs_kernel *k) {
  amount(s, &k->bytes_read);
  amount(s, &k->bytes_written);
  amount(s, &k->flops);
  amount(s, &k->first);
  amount(s, &k->predicted);
}

static bool add_kernel(struct fs_sizes *s, struct fs_kernel *k, int at) {
  fix(s, (uint64_t)k->scheme << 32 | (uint64_t)k->joint << 16 | (uint64_t)k->copies << 8 |
             (uint64_t)k->everywhere << 1 | k->alone);
  fix(s, (uint64_t)k->space.n_outer << 32 | (uint64_t)k->space.n_inner);
  fix(s, (uint64_t)k->n_phases << 32 | (uint64_t)k->has_end << 1 | k->mirrors);
  fix_bytes(s, &k->tune, sizeof k->tune);
  fix(s, (uint64_t)k->inner << 32 | (uint64_t)k->variant);
  fix(s, (uint64_t)k->values.len << 32 | (uint64_t)k->steps.len);
  fix(s, (uint64_t)k->accesses.len << 32 | k->lib_node);
  numbers(s, k->space.dim, k->space.n_outer + k->space.n_inner, at, true);
  for (int x = 0; x < k->values.len; x++) add_value(s, &k->values.data[x]);
  for (int x = 0; x < k->calls.len; x++) fix(s, k->calls.data[x]); /* ... tell the steps */
  for (int x = 0; x < k->accesses.len; x++) add_access(s, &k->accesses.data[x], at);
  for (int x = 0; x < FS_LIB_SLOTS && k->lib_node; x++) {
    fix(s, (uint64_t)k->lib_slots[x]);
    if (k->lib_slots[x] >= 0) layout(s, &k->lib_layout[x], FS_MAX_RANK);
  }
  add_figures(s, k);
  return !k->n_applied;
}

/* -- slots ------------------------------------------------------------------------- */

static bool is_new(const struct fs_slot *s) {
  return s->kind == FS_SLOT_RESULT || s->kind == FS_SLOT_TEMP;
}

/* New storage of more axes than one has rows that may be rounded up: its sizes must stay. */
static void add_slot(struct fs_sizes *s, struct fs_slot *slot) {
  bool stays = is_new(slot) && slot->shape.rank > 1;
  fix(s, (uint64_t)slot->kind << 32 | (uint64_t)(uint32_t)slot->index);
  fix(s, (uint64_t)(uint32_t)slot->first << 32 | (uint32_t)slot->last);
  fix(s, (uint64_t)slot->dtype << 32 | (uint64_t)slot->shape.rank);
  fix(s, slot->node);
  if (stays) {
    fix_bytes(s, slot->shape.dim, sizeof *slot->shape.dim * (size_t)slot->shape.rank);
    fix_bytes(s, &slot->layout, sizeof slot->layout);
  } else {
    numbers(s, slot->shape.dim, slot->shape.rank, -1, true);
    layout(s, &slot->layout, slot->shape.rank);
  }
}

bool fs_block_sizes(const struct fs_runner *r, struct fs_block *b, struct fs_sizes *out) {
  struct fs_plan *p = b->plan;
  bool may = !fs_target_compiles(fs_runner_target(r)) &&
             add_graph(out, (struct fs_graph *)p->graph);
  for (int k = 0; k < p->kernels.len && may; k++) may = add_kernel(out, &p->kernels.data[k], k);
  for (int k = 0; k < p->slots.len; k++) add_slot(out, &p->slots.data[k]);
  for (int k = 0; k < p->graph->outputs.len; k++) {
    fix(out, (uint64_t)p->result_slot[k]);
    layout(out, &p->result_layout[k], FS_MAX_RANK);
  }
  amount(out, &p->predicted);
  amount(out, &p->bytes);
  amount(out, &p->peak_bytes);
  return may;
}

void fs_sizes_free(struct fs_sizes *s) {
  FS_VEC_FREE(&s->fixed);
  FS_VEC_FREE(&s->numbers);
  FS_VEC_FREE(&s->amounts);
}

/* -- after a change ------------------------------------------------------------------ */

static int64_t product(const int64_t *dim, int n) {
  int64_t all = 1;
  for (int k = 0; k < n; k++) all *= dim[k];
  return all;
}

/* What is no sum of the numbers. New storage has room for whole vectors. */
static void derive(struct fs_plan *p) {
  enum { VECTOR = 16 };
  for (int k = 0; k < p->kernels.len; k++) {
    struct fs_space *x = &p->kernels.data[k].space;
    x->m = product(x->dim, x->n_outer);
    x->n = product(x->dim + x->n_outer, x->n_inner);
  }
  for (int k = 0; k < p->slots.len; k++) {
    struct fs_slot *s = &p->slots.data[k];
    int64_t count;
    if (!is_new(s) || s->shape.rank != 1) continue;
    fs_layout_new(s->dtype, &s->shape, &count);
    s->count = FS_MAX(count, fs_round_up(s->shape.dim[0], VECTOR));
  }
}

static enum fs_status broken(const char *rule, struct fs_diags *d) {
  return fs_env_error(d, "broken-rule", "this is a fault of Fusible: please report it with the input",
                      "%s", rule);
}

/* What happens in place must be what would be found now. */
static enum fs_status check_places(struct fs_block *b, struct fs_diags *d) {
  struct fs_plan *p = b->plan;
  bool same = fs_graph_anchors_hold(p->graph);
  bool *before = fs_calloc((size_t)p->kernels.len + 1, sizeof *before);
  for (int k = 0; k < p->kernels.len; k++) before[k] = p->kernels.data[k].in_place;
  fs_plan_find_in_place(p);
  for (int k = 0; k < p->kernels.len; k++) same &= before[k] == p->kernels.data[k].in_place;
  free(before);
  if (same) return fs_compile_check(p, b->sources, d);
  return broken("places of a round share other elements than those of the one before", d);
}

/* Code that was kept must be what would be made now. */
static enum fs_status check_code(struct fs_block *b, struct fs_target *target, int kernel,
                                 struct fs_diags *d) {
  const struct fs_kernel *k = &b->plan->kernels.data[kernel];
  const char *why;
  struct fs_code *other = NULL;
  enum fs_status st = target->ops->prepare(target, b->plan, b->sources, 1, &k, &other, d);
  if (st != FS_OK) return st;
  char *kept = target->ops->code_text(target, b->codes[kernel], "walk", &why);
  char *made = target->ops->code_text(target, other, "walk", &why);
  bool same = !kept == !made && (!kept || !strcmp(kept, made));
  free(kept);
  free(made);
  target->ops->release(target, other);
  return same ? FS_OK : broken("kept code of a round is other than what is made for it", d);
}

/* The code of the marked kernels: as far as it can be, that which they have. */
static enum fs_status make_code(struct fs_block *b, struct fs_target *target,
                                const bool *kernels, int n, struct fs_diags *d) {
  enum fs_status st = FS_OK;
  for (int k = 0; k < n && st == FS_OK; k++) {
    const struct fs_kernel *kernel = &b->plan->kernels.data[k];
    if (!kernels[k]) continue;
    if (b->codes[k] && target->ops->resize && target->ops->resize(target, b->codes[k])) {
      if (fs_checking()) st = check_code(b, target, k, d);
      continue;
    }
    target->ops->release(target, b->codes[k]);
    b->codes[k] = NULL;
    st = target->ops->prepare(target, b->plan, b->sources, 1, &kernel, &b->codes[k], d);
  }
  return st;
}

enum fs_status fs_run_resized(struct fs_runner *r, struct fs_block *b, const bool *kernels,
                              int n, struct fs_diags *d) {
  bool any = false;
  for (int k = 0; k < n; k++) any |= kernels[k];
  if (b->described) b->drop_described(b->described);
  b->described = NULL;
  if (any) derive(b->plan);
  enum fs_status st = fs_checking() ? check_places(b, d) : FS_OK;
  return st == FS_OK && any ? make_code(b, fs_runner_target(r), kernels, n, d) : st;
}
