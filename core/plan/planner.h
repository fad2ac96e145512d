/* planner.h - what the files of core/plan share. Private to the stage. */
#ifndef FS_PLANNER_H
#define FS_PLANNER_H

#include "core/model/predict.h"
#include "core/plan/plan.h"

/* What a node is to the planner. */
enum fs_role {
  FS_RL_DEAD,
  FS_RL_LEAF,      /* INPUT, PARAM, IOTA, RAND: read or made where needed    */
  FS_RL_EDGE,      /* VIEW: an index map on the way from producer to user    */
  FS_RL_ABSORBED,  /* the product inside a dot: part of its reduction's call */
  FS_RL_INLINE,    /* a map so cheap that every user computes it for itself  */
  FS_RL_CALL,      /* an elementary call: in exactly one kernel              */
  FS_RL_LIBRARY    /* a kernel of its own                                    */
};

struct fs_call_info {
  enum fs_role role;
  int call;            /* CALL, LIBRARY: index into planner.calls; else -1   */
  int n_uses;          /* by live nodes                                      */
  bool is_output;      /* its value is wanted after the block                */
  bool must_store;     /* is_output, or a library call or UPDATE reads it    */
};

/* A set of clusters, counted from the beginning of a window: blocks of more
 * clusters than this are planned window by window. */
enum { FS_MAX_SET = 256 };
struct fs_set {
  uint64_t word[FS_MAX_SET / 64];
};
static inline bool fs_set_has(const struct fs_set *s, int i) {
  return s->word[i / 64] >> (i % 64) & 1;
}
static inline void fs_set_add(struct fs_set *s, int i) {
  s->word[i / 64] |= (uint64_t)1 << (i % 64);
}

/* Calls that always share a kernel: a map and the only user of its result. */
struct fs_cluster {
  FS_VEC(fs_id) nodes;        /* calls, ascending = topological              */
  FS_VEC(int) before, after;  /* clusters whose results it uses / that use its */
  FS_VEC(int) beside;         /* clusters that read an array it reads, too   */
  bool library;
};

struct fs_candidate {
  struct fs_set set;
  struct fs_kernel kernel;
};

struct fs_planner {
  const struct fs_graph *g;
  const struct fs_device *device;
  double working_set;                  /* bytes of the block's inputs and results:
                                          what a cache would have to hold    */
  struct fs_arena *arena;
  struct fs_call_info *info;           /* per node                           */
  FS_VEC(fs_id) calls;                 /* ascending                          */
  FS_VEC(struct fs_cluster) clusters;
  int *cluster_of;                     /* per call                           */
  int *call_users;                     /* per call: how many calls use it    */
  int window, window_end;              /* clusters planned together          */
  struct fs_set *reach;                /* per cluster of the window: later ones
                                          that depend on it                  */
  FS_VEC(struct fs_candidate) candidates;
  struct fs_plan *plan;
  /* scratch of fs_kernel_build(), per node; valid where *_stamp is the stamp */
  int *holder, *holder_stamp, *member_stamp;
  int stamp;
};

/* calls.c: roles, calls and clusters. Without `join` every call is a cluster of
 * its own, without `repeat` no map is computed twice: together they leave only
 * calls that surely have kernels. */
void fs_plan_calls(struct fs_planner *p, bool join, bool repeat);
/* Visits the calls whose results a call uses, through views, absorbed products
 * and inlined maps (`whole`: element by element), and the arrays that it reads. */
struct fs_visit {
  struct fs_planner *p;
  void (*call)(struct fs_visit *v, fs_id id, bool whole);
  void (*array)(struct fs_visit *v, fs_id id);  /* may be NULL */
  int user;                                     /* for the callbacks */
};
void fs_visit_call(struct fs_visit *v, fs_id id);
/* The node behind views: what must be stored for `id` to be readable. */
fs_id fs_plan_base(const struct fs_graph *g, fs_id id);

/* kernel.c: the cheapest kernel for these calls (ascending), in the planner's
 * arena. NULL, or the rule that forbids it: "level", "shape", "on-chip".
 * Accesses name graph nodes in `slot` until fs_plan_make() numbers slots. */
const char *fs_kernel_build(struct fs_planner *p, const fs_id *calls, int n,
                            struct fs_kernel *out);
/* Copies the base of an UPDATE into its slot. */
void fs_kernel_copy(struct fs_planner *p, fs_id update, struct fs_kernel *out);
/* A library call. */
void fs_kernel_library(struct fs_planner *p, fs_id node, struct fs_kernel *out);

/* Where a node's elements lie once it is stored: the layout over its own axes in
 * the slot of fs_plan_base(). */
struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id);

/* fuse.c: the window's candidates: every cluster alone and the fusions of them.
 * False if a cluster alone has no kernel (its axes conflict). */
bool fs_plan_candidates(struct fs_planner *p, enum fs_strategy strategy);

/* cover.c: picks candidates that cover each cluster of the window once at the
 * least predicted time; chosen[] (one per cluster) gets their indices in launch
 * order. Gives how many. */
int fs_plan_cover(struct fs_planner *p, enum fs_strategy strategy, int *chosen);

/* Records why two calls do not share a kernel. */
void fs_plan_reject(struct fs_planner *p, fs_id a, fs_id b, const char *rule);

#endif
