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
#include "core/device/cuda/internal.h"

enum { FEW = 2, /* starts as single kernels before it is worth a graph */
       MOST_KERNELS = 64,
       ROUNDS = 8, AT_ONCE = 4, /* in a row that do not wait: the device has them to do */
       MANY = 64 };             /* starts before rounds are worth a graph */
static const double SHORT = 30e-6; /* seconds; of longer ones the gap between two is little */

/* A graph of launches, one behind the other. */
struct chain {
  bool refused;            /* the driver would not: never again */
  CUgraph graph;
  CUgraphExec exec;        /* NULL: not made yet */
  int n;
  struct link {
    CUgraphNode node;
    struct cu_kernel_node params;
    union cuda_arg *values; /* of rounds: the arguments, until they are started ... */
    void **args;            /* ... and as the driver takes them                     */
  } *links;
};

struct fs_replay {
  int starts;
  struct chain one, rounds; /* of a round, and of ROUNDS */
  int n;                    /* kernels of a round */
  struct fs_code *code[MOST_KERNELS]; /* those of which the rounds are */
  struct fs_replay *next, **link;
};

static bool is_able(void) {
  return fs_cu.capture_begin && fs_cu.capture_end && fs_cu.capture_info &&
         fs_cu.graph_params && fs_cu.graph_make && fs_cu.graph_set &&
         fs_cu.graph_launch && fs_cu.graph_destroy && fs_cu.graph_exec_destroy;
}

static void forget_links(struct chain *c) {
  for (int k = 0; k < c->n; k++) {
    free(c->links[k].values);
    free(c->links[k].args);
  }
  free(c->links);
  c->links = NULL;
  c->n = 0;
}

static void let_go(struct chain *c) {
  if (c->exec) fs_cu.graph_exec_destroy(c->exec);
  if (c->graph) fs_cu.graph_destroy(c->graph);
  forget_links(c);
  c->exec = NULL, c->graph = NULL;
}

void fs_cuda_replay_free(struct fs_target *target, struct fs_replay *r) {
  struct cuda *t = fs_cuda_of(target);
  if (!r) return;
  fs_cuda_enter(t);
  if (t->queue.of == r) fs_cuda_stream(t);
  *r->link = r->next;
  if (r->next) r->next->link = r->link;
  if (!r->one.exec || fs_cuda_settle(t)) {
    let_go(&r->rounds);
    let_go(&r->one);
  }
  forget_links(&r->rounds);
  forget_links(&r->one);
  free(r);
}

static struct fs_replay *new_replay(struct cuda *t) {
  struct fs_replay *r = fs_calloc(1, sizeof *r);
  r->link = &t->replays;
  if ((r->next = t->replays)) r->next->link = &r->next;
  return t->replays = r;
}

/* What the driver would not make may have been for want of memory: that too is tried again. */
static bool give_up(struct chain *c) {
  bool had = c->exec != NULL;
  let_go(c);
  c->refused = false;
  return had;
}

bool fs_cuda_replay_trim(struct cuda *t) {
  bool any = false;
  if (!t->replays || !fs_cuda_settle(t)) return false;
  for (struct fs_replay *r = t->replays; r; r = r->next) {
    any |= give_up(&r->rounds);
    any |= give_up(&r->one);
    r->starts = 0;
  }
  return any;
}

/* Of a captured launch its node is what the next one is to come behind. */
static bool capture(struct cuda *t, struct chain *c, int n, struct fs_code *const *codes) {
  bool ok = fs_cu.capture_begin(t->stream, CU_CAPTURE_THREAD_LOCAL) == CU_OK;
  if (!ok) return false;
  for (int k = 0; ok && k < c->n; k++) {
    int status;
    size_t last = 0;
    const CUgraphNode *node = NULL;
    ok = fs_cuda_start(t, codes[k % n], k > 0) == CU_OK &&
         fs_cu.capture_info(t->stream, &status, NULL, NULL, &node, &last) == CU_OK &&
         last == 1;
    if (ok) c->links[k].node = node[0];
  }
  if (fs_cu.capture_end(t->stream, &c->graph) != CU_OK) c->graph = NULL;
  for (int k = 0; ok && c->graph && k < c->n; k++)
    ok = fs_cu.graph_params(c->links[k].node, &c->links[k].params) == CU_OK;
  return ok && c->graph;
}

/* FUSIBLE_REPLAY=off starts single kernels always, to compare the two. */
static bool is_wanted(void) {
  const char *wanted = getenv("FUSIBLE_REPLAY");
  return !wanted || strcmp(wanted, "off");
}

static int values_of(const struct fs_code *c) {
  return c->emitted.n_slots + c->emitted.n_params + 1; /* the workspace */
}

/* Room for the arguments of a launch: those that change are copies, sizes are the code's. */
static void make_room(struct link *l, const struct fs_code *c) {
  struct fs_emitted e = c->emitted;
  int n = values_of(c);
  l->values = fs_calloc((size_t)n, sizeof *l->values);
  void **arg = l->args = fs_calloc((size_t)(n + e.n_sizes), sizeof *l->args);
  for (int k = 0; k < n - 1; k++) *arg++ = &l->values[k];
  for (int k = 0; k < e.n_sizes; k++) *arg++ = &e.sizes[k];
  *arg = &l->values[n - 1];
}

/* So many rounds of n kernels. What may jump, for want of memory, comes before there is a
 * graph. */
static void make(struct cuda *t, struct chain *c, int rounds, int n,
                 struct fs_code *const *codes) {
  fs_cuda_stream(t);
  c->refused = true;
  c->links = fs_calloc((size_t)(rounds * n), sizeof *c->links);
  c->n = rounds * n;
  for (int k = 0; rounds > 1 && k < c->n; k++) make_room(&c->links[k], codes[k % n]);
  c->refused = !is_wanted() || !capture(t, c, n, codes) ||
               fs_cu.graph_make(&c->exec, c->graph, 0) != CU_OK;
  if (!c->refused) return;
  c->exec = NULL;
  let_go(c);
}

/* Whether the graph has the same kernels: a copy that is left out in one run may be needed in
 * another. */
static bool fits(const struct chain *c, int n, struct fs_code *const *codes) {
  if (!c->exec || c->refused || n != c->n) return false;
  for (int k = 0; k < n; k++)
    if (c->links[k].params.function != codes[k]->function) return false;
  return true;
}

static double seconds_of(int n, struct fs_code *const *codes) {
  double seconds = 0;
  for (int k = 0; k < n; k++) seconds += fs_cuda_seconds(codes[k]);
  return seconds;
}

/* FS_OK with `refused` set: nothing was started. Earlier starts may still run, so
 * the graph stays until it is freed. */
static enum fs_status start_graph(struct cuda *t, struct chain *c,
                                  struct fs_code *const *codes, struct fs_diags *d) {
  CUresult e = CU_OK;
  enum fs_status status = fs_cuda_pace(t, seconds_of(c->n, codes));
  if (status != FS_OK) return status;
  for (int k = 0; k < c->n && e == CU_OK; k++) {
    fs_cuda_started(t, codes[k]);
    c->links[k].params.args = codes[k]->args;
    e = fs_cu.graph_set(c->exec, c->links[k].node, &c->links[k].params);
  }
  if (e == CU_OK) e = fs_cu.graph_launch(c->exec, t->stream);
  c->refused = e != CU_OK && !fs_cu_is_fatal(e);
  if (c->refused) return FS_OK;
  return e == CU_OK ? FS_OK : fs_cuda_fail(t, e, "starting a block", d);
}

/* At once, behind those that wait. */
static enum fs_status start_in_row(struct cuda *t, struct fs_replay *r,
                                   struct fs_code *const *codes, struct fs_diags *d) {
  int in_row = t->queue.of == r ? FS_MIN(t->queue.in_row + 1, AT_ONCE) : 0;
  fs_cuda_stream(t);
  enum fs_status status = start_graph(t, &r->one, codes, d);
  t->queue.of = r;
  t->queue.in_row = in_row;
  return status;
}

/* -- several rounds -------------------------------------------------------------------- */

static void make_rounds(struct cuda *t, struct fs_replay *r, int n,
                        struct fs_code *const *codes) {
  bool ok = n * ROUNDS <= MOST_KERNELS && seconds_of(n, codes) <= SHORT;
  for (int k = 0; k < n; k++) ok &= !codes[k]->library && !codes[k]->emitted.n_maps;
  r->rounds.refused = true;
  if (!ok) return;
  r->n = n;
  for (int k = 0; k < n; k++) r->code[k] = codes[k];
  make(t, &r->rounds, ROUNDS, n, codes);
}

/* Those that wait, one by one. What fails here was said to be done: nothing that is read
 * from the device from now on can be relied on. */
void fs_cuda_start_waiting(struct cuda *t) {
  struct fs_replay *r = t->queue.of;
  int n = t->queue.waiting * r->n;
  CUresult e = CU_OK;
  t->queue.waiting = 0;
  for (int k = 0; k < n && e == CU_OK; k++) {
    struct fs_code copy = *r->code[k % r->n];
    copy.args = r->rounds.links[k].args;
    e = fs_cuda_start(t, &copy, true);
  }
  if (e != CU_OK) fs_cuda_lose(t, e);
}

/* Whether the block may wait: it comes in a row, as the very code that the graph has. */
static bool may_wait(struct cuda *t, struct fs_replay *r, int n, struct fs_code *const *codes) {
  if (t->queue.of != r) return false;
  if (t->queue.in_row < AT_ONCE || r->starts < MANY) return false;
  if (!r->rounds.exec && !r->rounds.refused) {
    make_rounds(t, r, n, codes);
    t->queue.of = r;
  }
  return !r->rounds.refused && r->n == n &&
         !memcmp(r->code, codes, sizeof *codes * (size_t)n);
}

/* Gives the next round of the graph the arguments that the codes have. */
static bool set_round(struct fs_replay *r, int round) {
  for (int k = 0; k < r->n; k++) {
    struct link *l = &r->rounds.links[round * r->n + k];
    const struct fs_code *c = r->code[k];
    memcpy(l->values, c->values, sizeof *c->values * (size_t)values_of(c));
    l->params.args = l->args;
    if (fs_cu.graph_set(r->rounds.exec, l->node, &l->params) != CU_OK) return false;
  }
  return true;
}

/* Lets a round wait, or starts it with those that wait. FS_OK with *started false: it is not
 * started, and none waits any more. */
static enum fs_status wait_for_others(struct cuda *t, struct fs_replay *r,
                                      struct fs_code *const *codes, bool *started) {
  if (!t->queue.waiting) {
    enum fs_status status = fs_cuda_pace(t, ROUNDS * seconds_of(r->n, codes));
    if (status != FS_OK) return status;
    t->queue.of = r; /* a mark may have been set */
  }
  *started = set_round(r, t->queue.waiting);
  if (*started) {
    for (int k = 0; k < r->n; k++) fs_cuda_started(t, codes[k]);
    t->queue.waiting++;
  }
  if (*started && t->queue.waiting < ROUNDS) return FS_OK;
  if (*started && fs_cu.graph_launch(r->rounds.exec, t->stream) == CU_OK) {
    t->queue.waiting = 0;
    return FS_OK;
  }
  r->rounds.refused = true;
  fs_cuda_stream(t);
  return FS_OK;
}

/* -- a block --------------------------------------------------------------------------- */

/* FS_OK with *started false: it is to be started as single kernels. */
static enum fs_status start(struct cuda *t, struct fs_replay *r, int n,
                            struct fs_code *const *codes, bool *started,
                            struct fs_diags *d) {
  r->starts = FS_MIN(r->starts + 1, MANY);
  if (!r->one.exec && !r->one.refused && r->starts > FEW) make(t, &r->one, 1, n, codes);
  if (!fits(&r->one, n, codes)) return FS_OK;
  if (may_wait(t, r, n, codes)) {
    enum fs_status status = wait_for_others(t, r, codes, started);
    if (status != FS_OK || *started) return status;
  }
  enum fs_status status = start_in_row(t, r, codes, d);
  *started = status == FS_OK && !r->one.refused;
  return status;
}

enum fs_status fs_cuda_launch_all(struct fs_target *target,
                                  struct fs_replay **replay, int n,
                                  struct fs_code *const *codes,
                                  void *const *slots,
                                  const struct fs_number *params, int *begun,
                                  struct fs_diags *d) {
  struct cuda *t = fs_cuda_of(target);
  struct fs_code *own[MOST_KERNELS];
  int n_own = 0;
  bool whole = is_able(), started = false;
  *begun = 0;
  fs_cuda_enter(t);
  for (int k = 0; k < n; k++) {
    if (!codes[k]) continue; /* a phase of a launch before it */
    if (codes[k]->later) fs_cuda_renew(t, codes[k]);
    /* A graph would hold on to quick code, which is not for long. */
    whole &= !codes[k]->later && !codes[k]->library && !codes[k]->may_fail &&
             n_own < MOST_KERNELS;
    if (whole) own[n_own++] = codes[k];
    CUresult bound = fs_cuda_bind(codes[k], slots, params);
    if (bound != CU_OK) return fs_cuda_fail(t, bound, "starting a block", d);
  }
  enum fs_status status = FS_OK;
  if (whole && n_own > 0) {
    if (!*replay) *replay = new_replay(t);
    status = start(t, *replay, n_own, own, &started, d);
    if (t->base.lost) *begun = n;
  }
  for (int k = 0; k < n && status == FS_OK && !started; k++) {
    *begun = k;
    if (codes[k])
      status = fs_cuda_launch(target, codes[k], slots, params, NULL, d);
  }
  return status;
}
