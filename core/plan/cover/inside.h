/* inside.h - what the files of core/plan/cover share with each other alone: what is legal,
 * and what it costs.
 *
 *   fs_plan_forbidden(set), fs_plan_try(set)     legal
 *   fs_plan_cost(candidate)                      cost
 */
#ifndef FS_COVER_INSIDE_H
#define FS_COVER_INSIDE_H

#include "core/plan/cover/cover.h"

static inline int fs_window_size(const struct fs_fusions *p) { return p->end - p->begin; }
static inline const struct fs_cluster *fs_window_cluster(const struct fs_fusions *p, int i) {
  return &p->calls->clusters.data[p->begin + i];
}
static inline fs_id fs_window_last_call(const struct fs_fusions *p, int i) {
  const struct fs_cluster *c = fs_window_cluster(p, i);
  return c->nodes.data[c->nodes.len - 1];
}

/* Adds what lies between members of a set, which then is convex. */
static inline void fs_set_add_between(const struct fs_fusions *p, struct fs_set *s) {
  struct fs_set from = {{0}}, to = {{0}};
  for FS_EACH_MEMBER(c, s) {
    fs_set_join(&from, &p->reach[c]);
    fs_set_join(&to, &p->needs[c]);
  }
  for (size_t w = 0; w < FS_LEN(s->word); w++)
    s->word[w] |= from.word[w] & to.word[w];
}

/* What must have run before a set. */
static inline struct fs_set fs_set_needs(const struct fs_fusions *p, const struct fs_set *s) {
  struct fs_set needs = {{0}};
  for FS_EACH_MEMBER(c, s) fs_set_join(&needs, &p->needs[c]);
  fs_set_drop_all(&needs, s);
  return needs;
}

/* candidates.c: the candidate of a set, made if it is legal; -1 with the rule in *why. */
int fs_plan_try(struct fs_fusions *p, const struct fs_set *s, enum fs_rule *why);
/* The candidate of a cluster alone; false: it has no kernel. */
bool fs_plan_try_alone(struct fs_fusions *p, int cluster);
/* What forbids a convex set before a kernel is looked for. */
enum fs_rule fs_plan_forbidden(struct fs_fusions *p, const struct fs_set *s);
/* How many calls a set has. */
int fs_plan_calls_in(const struct fs_fusions *p, const struct fs_set *s);
/* Whether kernels keep the order of the statements. */
bool fs_plan_keeps_order(const struct fs_fusions *p);
/* Records why two calls do not share a kernel. */
void fs_plan_reject(struct fs_fusions *p, fs_id a, fs_id b, enum fs_rule rule);

/* pin.c: of a window whose clusters are candidates, takes the fusions that pins want, or what
 * forbids them; then the candidates of pinned kernels. */
void fs_plan_take_pins(struct fs_fusions *p);
void fs_plan_take_kernel_pins(struct fs_fusions *p);
/* Whether a `:split` or a pinned kernel forbids the set; if it is `complete`, also a `:fuse`. */
bool fs_plan_pin_forbids(const struct fs_fusions *p, const struct fs_set *s, bool complete);

/* covering.c: whether no kernels wait for each other; which comes first is asked of covers
 * (cover.c). */
bool fs_plan_has_order(const struct fs_fusions *p, const int *candidates, int n);

/* cover.c: what a kernel of a candidate costs, and whether pins let it be one. */
double fs_plan_cost(const struct fs_fusions *p, int candidate);
bool fs_plan_may_be_kernel(const struct fs_fusions *p, int candidate);
/* What the window's clusters are worth in the relaxation, and a cover of its candidates, soon
 * found: gives how many kernels, 0: none. */
int fs_plan_sketch(struct fs_fusions *p, double *worth, int *chosen);

#endif
