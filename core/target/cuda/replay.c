/* replay.c - the kernels of a block that comes again as one CUDA graph: one call of
 * the driver in place of one for each kernel (on an H200 1.1 us and 0.2 us for each
 * kernel's arguments, where a launch takes 2.9 us), and shorter gaps between them.
 *
 * The graph is captured from the very launches that it stands for. It keeps neither
 * addresses nor numbers: every node gets its arguments before every start. */
#include "core/target/cuda/internal.h"

enum { FEW = 2, /* starts as single kernels before it is worth a graph */
       MOST_KERNELS = 64 };

struct fs_replay {
  int starts;
  bool refused;            /* the driver would not: single kernels for ever */
  CUgraph graph;
  CUgraphExec exec;        /* NULL: not made yet */
  int n;
  struct node {
    CUgraphNode node;
    struct cu_kernel_node params;
  } *nodes;                /* by kernel */
};

static bool is_able(void) {
  return fs_cu.capture_begin && fs_cu.capture_end && fs_cu.graph_nodes &&
         fs_cu.graph_params && fs_cu.graph_make && fs_cu.graph_set &&
         fs_cu.graph_launch && fs_cu.graph_destroy && fs_cu.graph_exec_destroy;
}

static void let_go(struct fs_replay *r) {
  if (r->exec) fs_cu.graph_exec_destroy(r->exec);
  if (r->graph) fs_cu.graph_destroy(r->graph);
  free(r->nodes);
  r->exec = NULL, r->graph = NULL, r->nodes = NULL;
}

void fs_cuda_replay_free(struct fs_target *target, struct fs_replay *r) {
  struct cuda *t = fs_cuda_of(target);
  if (!r) return;
  fs_cuda_enter(t);
  if (!r->exec || fs_cuda_settle(t)) let_go(r);
  free(r->nodes);
  free(r);
}

/* Finds the node of each kernel; false if one is missing. */
static bool find_nodes(struct fs_replay *r, int n,
                       struct fs_code *const *codes) {
  CUgraphNode found[MOST_KERNELS];
  size_t count = MOST_KERNELS;
  if (fs_cu.graph_nodes(r->graph, found, &count) != CU_OK) return false;
  if (count != (size_t)n) return false;
  r->nodes = fs_calloc((size_t)n, sizeof *r->nodes);
  for (int i = 0; i < n; i++) {
    struct cu_kernel_node params = {0};
    if (fs_cu.graph_params(found[i], &params) != CU_OK) return false;
    int k = 0;
    while (k < n && codes[k]->function != params.function) k++;
    if (k == n || r->nodes[k].node) return false;
    r->nodes[k] = (struct node){found[i], params};
  }
  r->n = n;
  return true;
}

static bool capture(struct cuda *t, struct fs_replay *r, int n,
                    struct fs_code *const *codes) {
  if (fs_cu.capture_begin(t->stream, CU_CAPTURE_THREAD_LOCAL) != CU_OK)
    return false;
  CUresult started = CU_OK;
  for (int k = 0; k < n && started == CU_OK; k++)
    started = fs_cuda_start(t, codes[k], k > 0);
  CUresult ended = fs_cu.capture_end(t->stream, &r->graph);
  if (ended != CU_OK) r->graph = NULL;
  return started == CU_OK && ended == CU_OK && r->graph;
}

/* FUSIBLE_REPLAY=off starts single kernels always, to compare the two. */
static bool is_wanted(void) {
  const char *wanted = getenv("FUSIBLE_REPLAY");
  return !wanted || strcmp(wanted, "off");
}

static void make(struct cuda *t, struct fs_replay *r, int n,
                 struct fs_code *const *codes) {
  if (!is_wanted() || !capture(t, r, n, codes) || !find_nodes(r, n, codes) ||
      fs_cu.graph_make(&r->exec, r->graph, 0) != CU_OK) {
    r->exec = NULL;
    r->refused = true;
    let_go(r);
  }
}

/* Whether the graph has the same kernels: calls of a library may take another by where
 * their arrays lie, and a copy that is left out in one run may be needed in another. */
static bool fits(const struct fs_replay *r, int n, struct fs_code *const *codes) {
  if (n != r->n) return false;
  for (int k = 0; k < r->n; k++)
    if (r->nodes[k].params.function != codes[k]->function) return false;
  return true;
}

/* FS_OK with `refused` set: nothing was started. Earlier starts may still run, so
 * the graph stays until it is freed. */
static enum fs_status start_graph(struct cuda *t, struct fs_replay *r,
                                  struct fs_code *const *codes,
                                  struct fs_diags *d) {
  CUresult e = CU_OK;
  double seconds = 0;
  for (int k = 0; k < r->n; k++) seconds += codes[k]->kernel->first;
  enum fs_status status = fs_cuda_pace(t, seconds);
  if (status != FS_OK) return status;
  for (int k = 0; k < r->n && e == CU_OK; k++) {
    fs_cuda_started(t, codes[k]);
    r->nodes[k].params.args = codes[k]->args;
    e = fs_cu.graph_set(r->exec, r->nodes[k].node, &r->nodes[k].params);
  }
  if (e == CU_OK) e = fs_cu.graph_launch(r->exec, t->stream);
  r->refused = e != CU_OK && !fs_cu_is_fatal(e);
  if (r->refused) return FS_OK;
  return e == CU_OK ? FS_OK : fs_cuda_fail(t, e, "starting a block", d);
}

enum fs_status fs_cuda_launch_all(struct fs_target *target,
                                  struct fs_replay **replay, int n,
                                  struct fs_code *const *codes,
                                  void *const *slots,
                                  const struct fs_number *params,
                                  struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  struct fs_code *own[MOST_KERNELS];
  int n_own = 0;
  bool whole = is_able();
  fs_cuda_enter(t);
  for (int k = 0; k < n; k++) {
    if (!codes[k]) continue; /* a phase of a launch before it */
    if (codes[k]->later) fs_cuda_renew(t, codes[k]);
    /* A graph would hold on to quick code, which is not for long. */
    whole &= !codes[k]->later && n_own < MOST_KERNELS;
    if (whole && codes[k]->library) whole = fs_cuda_library_bind(t, codes[k], slots);
    if (whole) own[n_own++] = codes[k];
    CUresult bound = fs_cuda_bind(codes[k], slots, params);
    if (bound != CU_OK) return fs_cuda_fail(t, bound, "starting a block", d);
  }
  whole &= n_own > 0;
  if (whole && !*replay) *replay = fs_calloc(1, sizeof **replay);
  struct fs_replay *r = whole ? *replay : NULL;
  if (r && !r->exec && !r->refused && r->starts++ >= FEW) make(t, r, n_own, own);
  enum fs_status status = FS_OK;
  if (r && r->exec && !r->refused && fits(r, n_own, own)) {
    status = start_graph(t, r, own, d);
    if (status != FS_OK || !r->refused) return status;
  }
  for (int k = 0; k < n && status == FS_OK; k++)
    if (codes[k])
      status = fs_cuda_launch(target, codes[k], slots, params, NULL, d);
  return status;
}
