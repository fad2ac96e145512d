/* candidates.c - the sets of clusters that kernels may be made of: whether a set is legal, and
 * its implementations. */
#include "core/plan/cover/inside.h"

enum { MAX_CALLS = 200 }; /* of a fusion: bounds compile time */

static bool crosses_barrier(struct fs_fusions *p, const struct fs_set *s) {
  if (!p->g->barriers.len) return false;
  fs_id low = UINT32_MAX, high = 0;
  for FS_EACH_MEMBER(c, s) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    low = FS_MIN(low, cl->nodes.data[0]);
    high = FS_MAX(high, cl->nodes.data[cl->nodes.len - 1]);
  }
  return fs_graph_has_barrier(p->g, low, high);
}

/* The members are neighbours in the order of the statements. */
static bool contiguous(const struct fs_fusions *p, const struct fs_set *s) {
  int low = INT32_MAX, high = -1;
  for FS_EACH_MEMBER(c, s) {
    low = FS_MIN(low, p->calls->turn[p->begin + c]);
    high = FS_MAX(high, p->calls->turn[p->begin + c]);
  }
  return high - low + 1 == fs_set_size(s);
}

int fs_plan_calls_in(const struct fs_fusions *p, const struct fs_set *s) {
  int n = 0;
  for FS_EACH_MEMBER(c, s) n += fs_window_cluster(p, c)->nodes.len;
  return n;
}

int fs_plan_members(struct fs_fusions *p, const struct fs_set *s, fs_id **out) {
  fs_id *calls = *out = FS_NEW_N(p->arena, fs_id, fs_plan_calls_in(p, s) + 1);
  int n = 0;
  for FS_EACH_MEMBER(c, s) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    memcpy(calls + n, cl->nodes.data, sizeof(fs_id) * (size_t)cl->nodes.len);
    n += cl->nodes.len;
  }
  bool sorted = true; /* as nearly always */
  for (int k = 1; k < n; k++) sorted &= calls[k - 1] < calls[k];
  if (!sorted) fs_sort_ids(calls, n);
  return n;
}

/* What the set stores for others: bytes that the block does not give. */
static double temporaries(struct fs_fusions *p, const struct fs_set *s) {
  double bytes = 0;
  for FS_EACH_MEMBER(c, s) {
    const struct fs_cluster *cl = fs_window_cluster(p, c);
    bool wanted = false;
    for (int k = 0; k < cl->after.len; k++) {
      int a = cl->after.data[k] - p->begin;
      wanted |= a < 0 || a >= fs_window_size(p) || !fs_set_has(s, a);
    }
    if (!wanted) continue;
    const struct fs_node *nd = fs_node(p->g, cl->nodes.data[cl->nodes.len - 1]);
    if (p->calls->info[cl->nodes.data[cl->nodes.len - 1]].is_output) continue;
    bytes += (double)fs_shape_count(&nd->shape) * (double)fs_dtype_size(nd->dtype);
  }
  return bytes;
}

static int add_candidate(struct fs_fusions *p, const struct fs_set *s, int first) {
  struct fs_candidate c = {.set = *s, .first = first,
                           .n = p->impls.len - first,
                           .seconds = p->impls.data[first].seconds,
                           .temporary = temporaries(p, s)};
  p->space.legal++;
  for (int k = 0; k < c.n; k++) c.ways += fs_impl_ways(&p->impls.data[first + k]);
  p->space.kept += c.ways;
  *FS_PUSH(&p->candidates) = c;
  return p->candidates.len - 1;
}

/* A candidate of the set, if it has a kernel. */
int fs_plan_try(struct fs_fusions *p, const struct fs_set *s, enum fs_rule *why) {
  fs_id *calls;
  int n = fs_plan_members(p, s, &calls), first = p->impls.len;
  *why = fs_kernel_survey(p->maker, calls, n, &p->impls);
  return *why ? -1 : add_candidate(p, s, first);
}

bool fs_plan_try_alone(struct fs_fusions *p, int c) {
  struct fs_set s = {{0}};
  enum fs_rule why;
  fs_set_add(&s, c);
  const struct fs_cluster *cl = fs_window_cluster(p, c);
  if (!cl->library) {
    int at = fs_plan_try(p, &s, &why);
    if (at >= 0 && cl->nodes.len == 1)
      fs_kernel_keep_alone(p->maker, cl->nodes.data[0],
                           &p->impls.data[p->candidates.data[at].first]);
    return at >= 0;
  }
  struct fs_kernel k;
  fs_kernel_library(p->maker, cl->nodes.data[0], &k);
  int first = p->impls.len;
  *FS_PUSH(&p->impls) = (struct fs_impl){.scheme = FS_LIBRARY, .variants = 1, .each = {k.first},
                                         .seconds = k.first};
  p->maker->implementations++;
  fs_kernel_free(&k);
  add_candidate(p, &s, first);
  return true;
}

bool fs_plan_keeps_order(const struct fs_fusions *p) {
  return p->options->strategy == FS_NO_REORDER || p->options->strategy == FS_MANUAL;
}

enum fs_rule fs_plan_forbidden(struct fs_fusions *p, const struct fs_set *s) {
  for FS_EACH_MEMBER(c, s)
    if (fs_window_cluster(p, c)->library) return FS_RULE_LIBRARY;
  if (p->alone && fs_set_meets(p->alone, s)) return FS_RULE_LIMIT;
  if (fs_plan_pin_forbids(p, s, false)) return FS_RULE_PIN;
  if (crosses_barrier(p, s)) return FS_RULE_BARRIER;
  if (fs_plan_calls_in(p, s) > MAX_CALLS) return FS_RULE_LIMIT;
  if (fs_plan_keeps_order(p) && !contiguous(p, s)) return FS_RULE_ORDER;
  return FS_RULE_NONE;
}

void fs_plan_reject(struct fs_fusions *p, fs_id a, fs_id b, enum fs_rule rule) {
  for (int k = FS_MAX(0, p->rejections.len - 64); k < p->rejections.len; k++)
    if (p->rejections.data[k].a == a && p->rejections.data[k].b == b) return;
  *FS_PUSH(&p->rejections) = (struct fs_rejection){.a = a, .b = b, .rule = rule};
}

void fs_fusions_open(struct fs_fusions *p, struct fs_maker *maker) {
  const struct fs_calls *calls = maker->calls;
  size_t bytes = sizeof *p->pins * (size_t)maker->options->n_pins;
  *p = (struct fs_fusions){.calls = calls, .maker = maker, .g = maker->g,
                           .options = maker->options, .arena = maker->arena,
                           .space.combinations_exact = true};
  p->pins = FS_NEW_N(p->arena, struct fs_pin_result, maker->options->n_pins + 1);
  if (bytes) memcpy(p->pins, calls->pins, bytes);
}

void fs_fusions_close(struct fs_fusions *p) {
  FS_VEC_FREE(&p->candidates);
  FS_VEC_FREE(&p->impls);
  FS_VEC_FREE(&p->rejections);
}
