/* blocks.c - the block cache: blocks by the hash of their graphs, compiled where they are new,
 * and which sizes of a loop have code of their own.
 */
#include "core/run/runner.h"

#include "core/plan/plan.h"
#include "core/run/compile.h"
#include "core/run/memo.h"

enum {
  MAX_NODES = 1 << 16 /* of all their graphs: a block takes some 4 KiB of host memory for
                         each, of 200 programs of 10 to 250 nodes */
};

/* Which inputs are the same storage: part of what makes two blocks the same,
 * since the plan may read such inputs once. */
static bool same_aliases(const struct fs_graph *a, const struct fs_graph *b) {
  for (int k = 0; k < a->inputs.len; k++)
    for (int j = 0; j < k; j++) {
      bool x = a->inputs.data[k].storage == a->inputs.data[j].storage;
      bool y = b->inputs.data[k].storage == b->inputs.data[j].storage;
      if (x != y) return false;
    }
  return true;
}

struct fs_plan_request fs_plan_request(const struct fs_runner *r,
                                       const struct fs_graph *g,
                                       const struct fs_diags *sources) {
  struct fs_plan_request q = {.options = {.strategy = r->options.strategy,
                                          .effort = r->options.effort,
                                          .apart = r->options.apart}};
  for (int k = 0; k < r->options.n_pins; k++) {
    const struct fs_named_pin *named = &r->options.pins[k];
    struct fs_pin pin = {.together = named->together, .tag = k};
    pin.a = fs_graph_statement(g, sources, named->a);
    pin.b = fs_graph_statement(g, sources, named->b);
    if (pin.a && pin.b && pin.a != pin.b) *FS_PUSH(&q.pins) = pin;
  }
  q.options.pins = q.pins.data;
  q.options.n_pins = q.pins.len;
  uint64_t graph = r->options.n_kernel_pins ? fs_graph_hash(g) : 0;
  for (int k = 0; k < r->options.n_kernel_pins; k++) {
    const struct fs_block_pin *b = &r->options.kernel_pins[k];
    if (b->graph != graph || b->cuda != r->target->device.is_cuda) continue;
    *FS_PUSH(&q.kernel_pins) = b->pin;
  }
  q.options.kernel_pins = q.kernel_pins.data;
  q.options.n_kernel_pins = q.kernel_pins.len;
  return q;
}

void fs_plan_request_free(struct fs_plan_request *q) {
  FS_VEC_FREE(&q->pins);
  FS_VEC_FREE(&q->kernel_pins);
}

static bool same_kernel_pin(const struct fs_kernel_pin *a,
                            const struct fs_kernel_pin *b) {
  return a->n_calls == b->n_calls &&
         !memcmp(a->value, b->value, sizeof a->value) &&
         !memcmp(a->calls, b->calls, sizeof *a->calls * (size_t)a->n_calls);
}

static bool same_pins(const struct fs_plan *plan,
                      const struct fs_plan_options *o) {
  if (plan->found->pins.len != o->n_pins) return false;
  for (int k = 0; k < o->n_pins; k++) {
    struct fs_pin a = plan->found->pins.data[k].pin, b = o->pins[k];
    if (a.a != b.a || a.b != b.b || a.together != b.together) return false;
  }
  if (plan->found->kernel_pins.len != o->n_kernel_pins) return false;
  for (int k = 0; k < o->n_kernel_pins; k++)
    if (!same_kernel_pin(&plan->found->kernel_pins.data[k].pin, &o->kernel_pins[k]))
      return false;
  return true;
}

static struct fs_block *look_up(struct fs_runner *r, const struct fs_graph *g,
                                const struct fs_plan_options *o,
                                uint64_t hash) {
  for (struct fs_block *b = r->by_hash[hash % FS_MOST_BLOCKS]; b; b = b->next) {
    if (b->hash == hash && fs_graph_same(b->plan->graph, g) &&
        same_aliases(b->plan->graph, g) && same_pins(b->plan, o))
      return b;
  }
  return NULL;
}

static bool is_timing(const struct fs_runner *r, const struct fs_block *b) {
  for (int k = 0; k < r->timing.len; k++)
    if (r->timing.data[k] == b) return true;
  return false;
}

static void put_by_hash(struct fs_runner *r, struct fs_block *b) {
  struct fs_block **first = &r->by_hash[b->hash % FS_MOST_BLOCKS];
  b->next = *first;
  *first = b;
}

/* It stays where it is, for the session may show it, but is not found. */
static void hide(struct fs_runner *r, struct fs_block *b) {
  struct fs_block **at = &r->by_hash[b->hash % FS_MOST_BLOCKS];
  if (b->hidden) return;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
  b->hidden = true;
  b->life->turn++;
}

static int any_block(struct fs_runner *r) {
  r->chance = fs_hash(&r->chance, sizeof r->chance, 1);
  return (int)(r->chance % (uint64_t)r->blocks.len);
}

/* Of two at random the one that was used longer ago: what is used often stays, and a loop
 * over a few more blocks than there is room for still finds most of them, of which it would
 * find none if the one that was used longest ago went each time. The last ones stay: somebody
 * may be told of them. */
static void forget_one(struct fs_runner *r) {
  enum { LAST = FS_MOST_BLOCKS / 4 };
  int k = any_block(r), other = any_block(r);
  if (r->blocks.data[other]->last_used < r->blocks.data[k]->last_used) k = other;
  struct fs_block *b = r->blocks.data[k];
  bool last = b->last_used + LAST > r->clock && r->blocks.len > 2 * LAST;
  if (last || is_timing(r, b)) return;
  if (r->options.changing) r->options.changing(r->options.user, b, FS_GONE);
  r->nodes -= b->plan->graph->nodes.len;
  hide(r, b);
  fs_block_free(b, r->target);
  r->blocks.data[k] = r->blocks.data[--r->blocks.len];
}

static void keep_block(struct fs_runner *r, struct fs_block *b) {
  enum { TRIES = 64 }; /* of what is at work nothing is forgotten */
  int nodes = b->plan->graph->nodes.len;
  for (int k = 0; k < TRIES && r->blocks.len; k++) {
    if (r->blocks.len < FS_MOST_BLOCKS && r->nodes + nodes <= MAX_NODES) break;
    forget_one(r);
  }
  r->nodes += nodes;
  put_by_hash(r, b);
  *FS_PUSH(&r->blocks) = b;
}

/* The order of the statements counts only where the strategy keeps it. */
static uint64_t order_hash(const struct fs_graph *g, uint64_t hash) {
  for (int k = 1; k < g->nodes.len; k++) {
    uint32_t rank = 0;
    for (int j = 1; j < g->nodes.len; j++)
      rank += g->nodes.data[j].turn < g->nodes.data[k].turn;
    hash = fs_hash(&rank, sizeof rank, hash);
  }
  return hash;
}

void fs_runner_forget_tuned(struct fs_runner *r, uint64_t hash) {
  for (int k = 0; k < r->blocks.len; k++) {
    struct fs_block *b = r->blocks.data[k];
    if (!b->plan->found->tuned || (hash && b->hash != hash)) continue;
    b->plan->found->tuned = false;
    hide(r, b);
  }
}

uint64_t fs_block_hash(const struct fs_plan_options *o,
                       const struct fs_graph *g) {
  uint64_t strategy = o->strategy, hash = fs_graph_hash(g);
  if (strategy == FS_NO_REORDER || strategy == FS_MANUAL)
    hash = order_hash(g, hash);
  uint64_t effort = (uint64_t)o->effort;
  if (effort) hash = fs_hash(&effort, sizeof effort, hash);
  for (int k = 0; k < o->n_pins; k++) {
    uint64_t pin[3] = {o->pins[k].a, o->pins[k].b, o->pins[k].together};
    hash = fs_hash(pin, sizeof pin, hash);
  }
  for (int k = 0; k < o->n_kernel_pins; k++) {
    const struct fs_kernel_pin *pin = &o->kernel_pins[k];
    hash = fs_hash(pin->value, sizeof pin->value, hash);
    hash = fs_hash(pin->calls, sizeof *pin->calls * (size_t)pin->n_calls, hash);
  }
  return fs_hash(&strategy, sizeof strategy, hash);
}

bool fs_runner_is_current(const struct fs_runner *r, const struct fs_block *b,
                          const struct fs_diags *sources) {
  struct fs_plan_request q = fs_plan_request(r, b->plan->graph, sources);
  bool same = b->hash == fs_block_hash(&q.options, b->plan->graph);
  bool current = same && same_pins(b->plan, &q.options);
  fs_plan_request_free(&q);
  return current;
}

void fs_runner_rehash(struct fs_runner *r, struct fs_block *b, const struct fs_diags *sources) {
  struct fs_plan_request q = fs_plan_request(r, b->plan->graph, sources);
  bool hidden = b->hidden;
  hide(r, b);
  b->hash = fs_block_hash(&q.options, b->plan->graph);
  b->hidden = hidden;
  if (!hidden) put_by_hash(r, b);
  fs_plan_request_free(&q);
}

/* The block was found under other words: its plan speaks of those that were
 * written last. */
static void adopt_words(struct fs_runner *r, struct fs_block *b,
                        const struct fs_graph *from) {
  struct fs_graph *to = (struct fs_graph *)b->plan->graph;
  if (fs_graph_same_words(to, from)) return;
  if (r->options.changing) r->options.changing(r->options.user, b, FS_OTHER_WORDS);
  b->life->turn++;
  fs_graph_adopt_words(to, from);
}

struct fs_tunings *fs_runner_tunings(struct fs_runner *r) {
  if (!r->tunings) r->tunings = fs_tunings_open(&r->target->device);
  return r->tunings;
}

const char *fs_block_tuned_choice(struct fs_runner *r, uint64_t hash,
                                  struct fs_diags *d) {
  const char *notice = fs_tunings_notice(fs_runner_tunings(r));
  if (notice && d)
    fs_warn(d, (struct fs_span){0}, "tuning-file",
            ":tune begins a new file", "%s", notice);
  return fs_tunings_choice(r->tunings, hash);
}

void fs_plan_mark_tuned(struct fs_plan *plan, const char *choice) {
  plan->found->tuned = choice && plan->found->choice && !strcmp(plan->found->choice, choice);
  if (plan->found->tuned) memcpy(plan->found->quality, "tuned", 6);
}

static struct fs_family *family_of(struct fs_runner *r, uint64_t structure) {
  for (int k = 0; k < r->families.len; k++)
    if (r->families.data[k].structure == structure) return &r->families.data[k];
  struct fs_family *f = FS_PUSH(&r->families);
  *f = (struct fs_family){.structure = structure};
  return f;
}

static double bytes_of(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  return (double)fs_shape_count(&n->shape) * (double)fs_dtype_size(n->dtype);
}

/* What a block reads and writes. */
static double bytes_moved(const struct fs_graph *g) {
  double bytes = 0;
  for (int id = 1; id < g->nodes.len; id++)
    if (g->nodes.data[id].kind == FS_ND_INPUT) bytes += bytes_of(g, (fs_id)id);
  for (int k = 0; k < g->outputs.len; k++) bytes += bytes_of(g, g->outputs.data[k]);
  return bytes;
}

/* Whether code of its own, which takes some 0.1 s to compile, is soon made good: what it
 * moves takes so long that a loop over a few large sizes (a benchmark of an iteration)
 * should not go on with code for any size, which keeps nothing on chip. */
static bool is_large(const struct fs_runner *r, const struct fs_graph *g) {
  const double long_run = 200e-6;
  return bytes_moved(g) > long_run * r->target->device.bandwidth;
}

/* Whether a loop has had as many sizes of this structure as are to have plans and code of
 * their own, and this is another one. */
static bool changes_size(struct fs_runner *r, const struct fs_graph *g) {
  enum { SIZES_EACH = 4, LARGE_EACH = 16 };
  if (!r->options.in_loop) return false;
  struct fs_graph_kind kind = fs_graph_kind(g);
  struct fs_family *f = family_of(r, kind.structure);
  for (int k = 0; k < f->sizes.len; k++)
    if (f->sizes.data[k] == kind.sizes) return f->claimed;
  if (f->sizes.len >= (is_large(r, g) ? LARGE_EACH : SIZES_EACH)) return true;
  *FS_PUSH(&f->sizes) = kind.sizes;
  return false;
}

/* The last plan of this structure in a loop, to plan this size like it; or NULL, as where
 * so much more or less is moved that another plan may be better. */
static const struct fs_plan *plan_of_another_size(struct fs_runner *r,
                                                  const struct fs_graph *g,
                                                  const struct fs_plan_options *o) {
  const double reach = 4;
  const struct fs_family *f = family_of(r, fs_graph_kind(g).structure);
  double bytes = bytes_moved(g);
  if (o->n_pins || bytes > reach * f->searched || reach * bytes < f->searched) return NULL;
  for (int k = r->blocks.len - 1; k >= 0 && f->last && f->strategy == o->strategy; k--)
    if (r->blocks.data[k]->number == f->last) return r->blocks.data[k]->plan;
  return NULL;
}

/* Of those planned like it, the 1st, 2nd, 4th, 8th ... are measured: events and what they
 * wait for take a loop 20 us and more. */
static void remember_size(struct fs_runner *r, struct fs_block *b) {
  struct fs_family *f = family_of(r, fs_graph_kind(b->plan->graph).structure);
  if (b->plan->found->like) f->alike++;
  else f->searched = bytes_moved(b->plan->graph);
  b->untimed = b->plan->found->like && (f->alike & (f->alike - 1));
  f->last = b->number;
  f->strategy = r->options.strategy;
}

/* A loop's block is measured in its first sizes, before it is claimed. What another loop plans
 * of its structure is planned like it. */
void fs_run_claim(struct fs_runner *r, struct fs_block *b) {
  struct fs_family *f = family_of(r, fs_graph_kind(b->plan->graph).structure);
  f->last = b->number;
  f->claimed = true;
  f->searched = bytes_moved(b->plan->graph);
  f->strategy = r->options.strategy;
  hide(r, b);
  b->untimed = true;
}

enum fs_status fs_block_find(struct fs_runner *r, struct fs_graph *g,
                             const struct fs_diags *sources,
                             struct fs_block **out, struct fs_diags *d) {
  struct fs_plan_request q = fs_plan_request(r, g, sources);
  uint64_t hash = fs_block_hash(&q.options, g);
  struct fs_block *b = look_up(r, g, &q.options, hash);
  enum fs_status st = FS_OK;
  bool another = false;
  if (b) {
    r->hits++;
    adopt_words(r, b, g);
    fs_graph_move((struct fs_graph *)b->plan->graph, g);
  } else {
    r->misses++;
    q.options.choice = fs_block_tuned_choice(r, hash, d);
    another = !q.options.choice && !q.options.n_kernel_pins && changes_size(r, g);
    q.options.any_size = another && fs_target_compiles(r->target);
    if (another) q.options.like = plan_of_another_size(r, g, &q.options);
    r->target->hasty = r->options.hasty;
    st = fs_compile(g, r->target, &q.options, sources, &b, d);
    r->target->hasty = false;
    if (st == FS_OK) fs_plan_mark_tuned(b->plan, q.options.choice);
  }
  fs_plan_request_free(&q);
  if (st != FS_OK) return st;
  if (!b->number) {
    b->hash = hash;
    b->number = ++r->numbered;
    keep_block(r, b);
    if (another) remember_size(r, b);
  }
  b->last_used = ++r->clock;
  *out = b;
  return FS_OK;
}

static bool has_sums(const struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++)
    if (plan->kernels.data[k].has.reductions) return true;
  return false;
}

void fs_block_outlive(struct fs_runner *r, struct fs_block *b) {
  enum { ROUNDS = 16 };
  if (!b->plan->any_size || ++b->rounds != ROUNDS || has_sums(b->plan)) return;
  struct fs_graph_kind kind = fs_graph_kind(b->plan->graph);
  *FS_PUSH(&family_of(r, kind.structure)->sizes) = kind.sizes;
  hide(r, b);
}

struct fs_left {
  struct fs_graph *graph;
  size_t *bytes; /* of its inputs */
};

struct fs_left *fs_block_leave(const struct fs_block *b) {
  int n = b->plan->graph->inputs.len;
  struct fs_left *l = fs_calloc(1, sizeof *l);
  l->bytes = fs_calloc((size_t)n + 1, sizeof *l->bytes);
  for (int k = 0; k < n; k++) l->bytes[k] = b->inputs[k].bytes;
  l->graph = fs_graph_copy(b->plan->graph);
  return l;
}

void fs_left_free(struct fs_left *l) {
  if (!l) return;
  fs_graph_free(l->graph);
  free(l->bytes);
  free(l);
}

enum fs_status fs_run_prepare(struct fs_runner *r, const struct fs_left *l,
                              const struct fs_diags *sources, struct fs_block **out,
                              struct fs_diags *d) {
  struct fs_graph *g = fs_graph_copy(l->graph);
  enum fs_status st = fs_block_find(r, g, sources, out, d);
  if (st != FS_OK) return st;
  if ((*out)->plan->graph != g) fs_graph_free(g);
  for (int k = 0; k < l->graph->inputs.len; k++)
    if (!(*out)->inputs[k].bytes) (*out)->inputs[k].bytes = l->bytes[k];
  return FS_OK;
}
