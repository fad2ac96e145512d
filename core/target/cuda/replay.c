/* replay.c - the kernels of a block that comes again as one CUDA graph: one call of
 * the driver in place of one for each kernel (on an H200 1.1 us and 0.2 us for each
 * kernel's arguments, where a launch takes 2.9 us), and shorter gaps between them.
 *
 * The graph is captured from the very launches that it stands for. It keeps neither
 * addresses nor numbers: every node gets its arguments before every start.
 *
 * Short blocks that come again and again with nothing else between them (the rounds of a
 * loop) wait until there are ROUNDS of them, which are one graph: of a loop of 160 steps
 * over 512 x 512, one takes an H100 2.1 us in place of 4.3, over 3 x 3 1.8 in place of 4.4.
 * Whatever else is to go to the stream starts those that wait before it, as it gets the
 * stream from fs_cuda_stream(). */
#include "core/target/cuda/internal.h"

enum { FEW = 2, /* starts as single kernels before it is worth a graph */
       MOST_KERNELS = 64,
       ROUNDS = 8, AT_ONCE = 4, /* in a row that do not wait: the device has them to do */
       MANY = 64 };             /* starts before rounds are worth a graph */
static const double SHORT = 30e-6; /* seconds; of longer ones the gap between two is little */

struct node {
  CUgraphNode node;
  struct cu_kernel_node params;
};

/* ROUNDS of a block. */
struct rounds {
  bool refused;
  CUgraph graph;
  CUgraphExec exec;        /* NULL: not made yet */
  int n;                   /* kernels of a round */
  struct fs_code *code[MOST_KERNELS]; /* of each: what a node is a copy of */
  struct launch {          /* by round, then by kernel */
    struct node node;
    union cuda_arg *values;
    void **args;
  } launch[MOST_KERNELS];
};

struct fs_replay {
  int starts;
  bool refused;            /* the driver would not: single kernels for ever */
  CUgraph graph;
  CUgraphExec exec;        /* NULL: not made yet */
  int n;
  struct node *nodes;      /* by kernel */
  struct rounds *rounds;   /* NULL: not asked for yet */
};

static bool is_able(void) {
  return fs_cu.capture_begin && fs_cu.capture_end && fs_cu.graph_nodes &&
         fs_cu.graph_params && fs_cu.graph_make && fs_cu.graph_set &&
         fs_cu.graph_launch && fs_cu.graph_destroy && fs_cu.graph_exec_destroy;
}

static void let_go_rounds(struct rounds *r) {
  if (!r) return;
  if (r->exec) fs_cu.graph_exec_destroy(r->exec);
  if (r->graph) fs_cu.graph_destroy(r->graph);
  for (int k = 0; k < ROUNDS * r->n; k++) {
    free(r->launch[k].values);
    free(r->launch[k].args);
  }
  r->exec = NULL, r->graph = NULL, r->n = 0;
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
  if (t->queue.of == r) fs_cuda_stream(t);
  if (!r->exec || fs_cuda_settle(t)) {
    let_go_rounds(r->rounds);
    let_go(r);
  }
  free(r->rounds);
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
  fs_cuda_stream(t);
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

/* -- several rounds -------------------------------------------------------------------- */

static int values_of(const struct fs_code *c) {
  return c->emitted.n_slots + c->emitted.n_params + 1; /* the workspace */
}

/* Room for the arguments of a launch: those that change are copies, sizes are the code's. */
static void make_room(struct launch *l, const struct fs_code *c) {
  const struct fs_emitted *e = &c->emitted;
  int n = values_of(c);
  l->values = fs_calloc((size_t)n, sizeof *l->values);
  void **arg = l->args = fs_calloc((size_t)(n + e->n_sizes), sizeof *l->args);
  for (int k = 0; k < n - 1; k++) *arg++ = &l->values[k];
  for (int k = 0; k < e->n_sizes; k++) *arg++ = &((int64_t *)e->sizes)[k];
  *arg = &l->values[n - 1];
}

static bool capture_rounds(struct cuda *t, struct rounds *r) {
  bool ok = fs_cu.capture_begin(t->stream, CU_CAPTURE_THREAD_LOCAL) == CU_OK;
  if (!ok) return false;
  for (int k = 0; ok && k < ROUNDS * r->n; k++) {
    int status;
    size_t n = 0;
    const CUgraphNode *last = NULL;
    ok = fs_cuda_start(t, r->code[k % r->n], k > 0) == CU_OK &&
         fs_cu.capture_info(t->stream, &status, NULL, NULL, &last, &n) == CU_OK && n == 1;
    if (ok) r->launch[k].node.node = last[0];
  }
  if (fs_cu.capture_end(t->stream, &r->graph) != CU_OK) r->graph = NULL;
  for (int k = 0; ok && r->graph && k < ROUNDS * r->n; k++)
    ok = fs_cu.graph_params(r->launch[k].node.node, &r->launch[k].node.params) == CU_OK;
  return ok && r->graph && fs_cu.graph_make(&r->exec, r->graph, 0) == CU_OK;
}

static void make_rounds(struct cuda *t, struct fs_replay *replay, int n,
                        struct fs_code *const *codes) {
  struct rounds *r = replay->rounds = fs_calloc(1, sizeof *r);
  double seconds = 0;
  bool ok = fs_cu.capture_info && n * ROUNDS <= MOST_KERNELS;
  r->refused = true;
  for (int k = 0; k < n; k++) {
    seconds += codes[k]->kernel->first;
    ok &= !codes[k]->library && !codes[k]->emitted.n_maps;
  }
  if (!ok || seconds > SHORT) return;
  r->n = n;
  for (int k = 0; k < n; k++) r->code[k] = codes[k];
  for (int k = 0; k < ROUNDS * n; k++) make_room(&r->launch[k], codes[k % n]);
  fs_cuda_stream(t);
  r->refused = !capture_rounds(t, r);
}

/* Those that wait, one by one. What fails here was said to be done: nothing that is read
 * from the device from now on can be relied on. */
static void start_waiting(struct cuda *t) {
  struct rounds *r = t->queue.of->rounds;
  int n = t->queue.waiting * r->n;
  CUresult e = CU_OK;
  t->queue.waiting = 0;
  for (int k = 0; k < n && e == CU_OK; k++) {
    struct fs_code copy = *r->code[k % r->n];
    copy.args = r->launch[k].args;
    e = fs_cuda_start(t, &copy, true);
  }
  if (e != CU_OK) fs_cuda_fail(t, e, "starting a block", NULL);
  t->base.lost |= e != CU_OK;
}

CUstream fs_cuda_stream(struct cuda *t) {
  if (t->queue.waiting) start_waiting(t);
  t->queue.of = NULL;
  return t->stream;
}

/* Whether the block may wait: it comes in a row, as the very code that the graph has. */
static bool may_wait(struct cuda *t, struct fs_replay *r, int n, struct fs_code *const *codes) {
  if (t->queue.of != r) return false;
  if (t->queue.in_row < AT_ONCE || r->starts < MANY) return false;
  if (!r->rounds) {
    make_rounds(t, r, n, codes);
    t->queue.of = r;
  }
  return !r->rounds->refused && r->rounds->n == n &&
         !memcmp(r->rounds->code, codes, sizeof *codes * (size_t)n);
}

/* Gives the next round of the graph the arguments that the codes have. */
static bool set_round(struct rounds *r, int round) {
  for (int k = 0; k < r->n; k++) {
    struct launch *l = &r->launch[round * r->n + k];
    const struct fs_code *c = r->code[k];
    memcpy(l->values, c->values, sizeof *c->values * (size_t)values_of(c));
    l->node.params.args = l->args;
    if (fs_cu.graph_set(r->exec, l->node.node, &l->node.params) != CU_OK) return false;
  }
  return true;
}

/* At once, behind those that wait. */
static enum fs_status start_in_row(struct cuda *t, struct fs_replay *r,
                                   struct fs_code *const *codes, struct fs_diags *d) {
  int in_row = t->queue.of == r ? t->queue.in_row + 1 : 0;
  fs_cuda_stream(t);
  enum fs_status status = start_graph(t, r, codes, d);
  t->queue.of = r;
  t->queue.in_row = in_row;
  return status;
}

/* Lets a round wait, or starts it with those that wait. FS_OK with *started false: it is not
 * started, and none waits any more. */
static enum fs_status wait_for_others(struct cuda *t, struct fs_replay *replay,
                                      struct fs_code *const *codes, bool *started) {
  struct rounds *r = replay->rounds;
  double seconds = 0;
  for (int k = 0; k < r->n; k++) seconds += ROUNDS * codes[k]->kernel->first;
  if (!t->queue.waiting) {
    enum fs_status status = fs_cuda_pace(t, seconds);
    if (status != FS_OK) return status;
    t->queue.of = replay; /* a mark may have been set */
  }
  *started = set_round(r, t->queue.waiting);
  if (*started) {
    for (int k = 0; k < r->n; k++) fs_cuda_started(t, codes[k]);
    t->queue.waiting++;
  }
  if (*started && t->queue.waiting < ROUNDS) return FS_OK;
  if (*started && fs_cu.graph_launch(r->exec, t->stream) == CU_OK) {
    t->queue.waiting = 0;
    return FS_OK;
  }
  r->refused = true;
  fs_cuda_stream(t);
  return FS_OK;
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
  if (r && !r->exec && !r->refused && r->starts >= FEW) make(t, r, n_own, own);
  enum fs_status status = FS_OK;
  if (r && r->exec && !r->refused && fits(r, n_own, own)) {
    bool started = false;
    r->starts = FS_MIN(r->starts + 1, MANY);
    if (may_wait(t, r, n_own, own)) status = wait_for_others(t, r, own, &started);
    if (status != FS_OK || started) return status;
    status = start_in_row(t, r, own, d);
    if (status != FS_OK || !r->refused) return status;
  }
  if (r) r->starts++;
  for (int k = 0; k < n && status == FS_OK; k++)
    if (codes[k])
      status = fs_cuda_launch(target, codes[k], slots, params, NULL, d);
  return status;
}
