/* calls.h - the elementary calls of a block, and clusters of them: what kernels are made of.
 *
 *   graph -fs_calls_make()-> calls, clusters
 *
 * Nothing of it changes once it is made. */
#ifndef FS_CALLS_H
#define FS_CALLS_H

#include "core/plan/calls/options.h"

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
  bool viewed;         /* a view of it is used: random numbers repeated or transposed */
};
/* Clusters of a window: blocks of more are planned window by window. */
enum { FS_MAX_SET = 256 };

struct fs_cluster {
  FS_VEC(fs_id) nodes;        /* calls, ascending = topological              */
  FS_VEC(int) before, after;  /* clusters whose results it uses / that use its */
  FS_VEC(int) beside;         /* clusters that read an array it reads, too   */
  bool library;
};
/* How the elements of a node lie once it is stored: over its own axes, in the slot of
 * fs_plan_base(). */
struct fs_stored {
  int64_t count;
  struct fs_layout layout;
};

struct fs_calls {
  const struct fs_graph *g;            /* borrowed, as the options are       */
  const struct fs_plan_options *options;
  struct fs_arena *arena;              /* owns what is not a list            */
  struct fs_call_info *info;           /* per node                           */
  struct fs_stored *stored;            /* per node                           */
  FS_VEC(fs_id) list;                  /* of the calls, ascending            */
  int *users;                          /* per call: how many calls use it    */
  FS_VEC(struct fs_cluster) clusters;
  int *cluster_of;                     /* per call                           */
  int *turn;                           /* per cluster: its place in the order of the
                                          statements, under strategies that keep it */
  struct fs_pin_result *pins;          /* per pin of the options: the calls that it means */
  double working_set;                  /* bytes of the block's inputs and results:
                                          what a cache would have to hold    */
};

/* The calls of a simplified graph. Without `join` every call is a cluster of its own, without
 * `repeat` no map is computed twice: together they leave only calls that surely have kernels.
 * Cannot fail. Free it with fs_calls_free(). */
void fs_calls_make(struct fs_calls *c, const struct fs_graph *g,
                   const struct fs_plan_options *options, bool join, bool repeat);
void fs_calls_free(struct fs_calls *c);

/* Visits the calls whose results a call uses, through views, absorbed products
 * and inlined maps (`whole`: element by element), and the arrays that it reads. */
struct fs_visit {
  const struct fs_calls *c;
  void (*call)(struct fs_visit *v, fs_id id, bool whole);
  void (*array)(struct fs_visit *v, fs_id id);  /* may be NULL */
  int user;                                     /* for the callbacks */
};
void fs_visit_call(struct fs_visit *v, fs_id id);

/* The node behind views: what must be stored for `id` to be readable. */
fs_id fs_plan_base(const struct fs_graph *g, fs_id id);
/* Where a node's elements lie once it is stored: fs_stored.layout. */
struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id);
/* Whether a node only reads by a list whose indices are all in range: it is a call whose
 * kernels load so, not one of a library. */
bool fs_plan_goes_by_list(const struct fs_graph *g, const struct fs_node *nd);
/* Whether an UPDATE needs its base copied into its slot. */
bool fs_plan_needs_copy(const struct fs_calls *c, fs_id update);
/* The part of an UPDATE, as a shape. */
struct fs_shape fs_update_part(const struct fs_graph *g, const struct fs_node *nd);

#endif
