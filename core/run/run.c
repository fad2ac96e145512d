/* run.c - blocks: looked up or compiled, given storage, launched.
 *
 * Results replace the lazy handles only after every kernel was launched, so a
 * block that fails or is interrupted changes nothing; but see mark_overwritten().
 */
#include "core/run/run.h"

#include "core/base/account.h"
#include "core/ranks/ranks.h"
#include "core/plan/plan.h"
#include "core/run/compile.h"
#include "core/run/layouts.h"
#include "core/run/memo.h"
#include "core/run/products.h"
#include "core/run/recall.h"
#include "core/run/sizes.h"
#include "core/run/tunings.h"

enum {
  MAX_BLOCKS = 1024,
  MAX_NODES = 1 << 16, /* of all their graphs: a block takes some 4 KiB of host memory for
                          each, of 200 programs of 10 to 250 nodes */
  TIMED_RUNS = 3 /* of a block at one place between two syncs: a loop's later rounds
                    run without events, which cost more than a small launch  */
};

/* Blocks of one structure that loops had, and which of their sizes have code of their own,
 * by fs_graph_kind(). */
struct family {
  uint64_t structure;
  FS_VEC(uint64_t) sizes;
  int last;                   /* number of the last block of another size; 0: none */
  bool claimed;               /* a loop has it for itself, and with it its size's plan */
  int alike;                  /* blocks that were planned like the one before */
  double searched;            /* bytes that the last one moves whose plan was searched for */
  enum fs_strategy strategy;  /* ... which was planned by this */
};

struct fs_runner {
  struct fs_target *target;
  struct fs_run_options options;
  FS_VEC(struct fs_block *) blocks;
  struct fs_block *by_hash[MAX_BLOCKS]; /* the first one of a hash, modulo MAX_BLOCKS */
  int64_t nodes;                     /* of their graphs */
  uint64_t chance;                   /* the state of random numbers, the same in every run */
  FS_VEC(struct fs_block *) timing;  /* ran with timers since the last sync */
  int64_t hits, misses;
  uint64_t clock;
  int numbered;
  struct fs_block *last;
  struct fs_recall *recall;
  struct fs_tunings *tunings;        /* NULL: not asked for yet */
  FS_VEC(struct family) families;
  struct fs_products products;
  FS_VEC(struct fs_tensor *) wholes; /* of a run: of cut inputs that it wants whole */
};

struct fs_runner *fs_runner_new(struct fs_target *target) {
  struct fs_runner *r = fs_calloc(1, sizeof *r);
  r->target = target;
  r->recall = fs_calloc(1, sizeof *r->recall);
  r->options = (struct fs_run_options){.strategy = FS_SMART, .timed = true,
                                       .heard = true};
  return r;
}

static void forget_families(struct fs_runner *r) {
  for (int k = 0; k < r->families.len; k++) FS_VEC_FREE(&r->families.data[k].sizes);
  r->families.len = 0;
}

void fs_runner_free(struct fs_runner *r) {
  if (!r) return;
  forget_families(r);
  fs_recall_clear(r->recall);
  for (int k = 0; k < r->blocks.len; k++)
    fs_block_free(r->blocks.data[k], r->target);
  FS_VEC_FREE(&r->blocks);
  FS_VEC_FREE(&r->timing);
  FS_VEC_FREE(&r->families);
  FS_VEC_FREE(&r->wholes);
  fs_tunings_free(r->tunings);
  free(r->recall);
  free(r);
}

void fs_runner_clear(struct fs_runner *r) {
  fs_recall_clear(r->recall);
  for (int k = 0; k < r->blocks.len; k++)
    fs_block_free(r->blocks.data[k], r->target);
  r->blocks.len = r->timing.len = 0;
  memset(r->by_hash, 0, sizeof r->by_hash);
  r->nodes = 0;
  forget_families(r);
}

struct fs_run_options *fs_runner_options(struct fs_runner *r) {
  return &r->options;
}

struct fs_epoch fs_run_epoch(const struct fs_runner *r, int64_t language) {
  return (struct fs_epoch){.runner = r, .strategy = r->options.strategy, .language = language};
}

struct fs_target *fs_runner_target(const struct fs_runner *r) {
  return r->target;
}

const struct fs_graph *fs_planned_graph(const struct fs_block *b) { return b->plan->graph; }
bool fs_block_computes(const struct fs_block *b) { return b->plan->kernels.len > 0; }

struct fs_block *fs_runner_last(const struct fs_runner *r) { return r->last; }

bool fs_runner_waits(const struct fs_runner *r) { return fs_target_waits(r->target); }

struct fs_tunings *fs_runner_tunings(struct fs_runner *r) {
  if (!r->tunings) r->tunings = fs_tunings_open(&r->target->device);
  return r->tunings;
}

void fs_runner_cache_stats(const struct fs_runner *r, int64_t *hits,
                           int64_t *misses) {
  *hits = r->hits;
  *misses = r->misses;
}

/* -- the block cache ----------------------------------------------------------- */

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
  for (struct fs_block *b = r->by_hash[hash % MAX_BLOCKS]; b; b = b->next) {
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
  struct fs_block **first = &r->by_hash[b->hash % MAX_BLOCKS];
  b->next = *first;
  *first = b;
}

/* It stays where it is, for the session may show it, but is not found. */
static void hide(struct fs_runner *r, struct fs_block *b) {
  struct fs_block **at = &r->by_hash[b->hash % MAX_BLOCKS];
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
  enum { LAST = MAX_BLOCKS / 4 };
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
    if (r->blocks.len < MAX_BLOCKS && r->nodes + nodes <= MAX_NODES) break;
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

static uint64_t block_hash(const struct fs_plan_options *o,
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
  bool current = b->hash == block_hash(&q.options, b->plan->graph) && same_pins(b->plan, &q.options);
  fs_plan_request_free(&q);
  return current;
}

void fs_runner_rehash(struct fs_runner *r, struct fs_block *b, const struct fs_diags *sources) {
  struct fs_plan_request q = fs_plan_request(r, b->plan->graph, sources);
  bool hidden = b->hidden;
  hide(r, b);
  b->hash = block_hash(&q.options, b->plan->graph);
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

/* The combination that `:tune` chose for a block, or NULL. */
static const char *tuned_choice(struct fs_runner *r, uint64_t hash,
                                struct fs_diags *d) {
  const char *notice = fs_tunings_notice(fs_runner_tunings(r));
  if (notice && d)
    fs_warn(d, (struct fs_span){0}, "tuning-file",
            ":tune begins a new file", "%s", notice);
  return fs_tunings_choice(r->tunings, hash);
}

static void mark_tuned(struct fs_plan *plan, const char *choice) {
  plan->found->tuned = choice && plan->found->choice && !strcmp(plan->found->choice, choice);
  if (plan->found->tuned) memcpy(plan->found->quality, "tuned", 6);
}

static struct family *family_of(struct fs_runner *r, uint64_t structure) {
  for (int k = 0; k < r->families.len; k++)
    if (r->families.data[k].structure == structure) return &r->families.data[k];
  struct family *f = FS_PUSH(&r->families);
  *f = (struct family){.structure = structure};
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
  struct family *f = family_of(r, kind.structure);
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
  const struct family *f = family_of(r, fs_graph_kind(g).structure);
  double bytes = bytes_moved(g);
  if (o->n_pins || bytes > reach * f->searched || reach * bytes < f->searched) return NULL;
  for (int k = r->blocks.len - 1; k >= 0 && f->last && f->strategy == o->strategy; k--)
    if (r->blocks.data[k]->number == f->last) return r->blocks.data[k]->plan;
  return NULL;
}

/* Of those planned like it, the 1st, 2nd, 4th, 8th ... are measured: events and what they
 * wait for take a loop 20 us and more. */
static void remember_size(struct fs_runner *r, struct fs_block *b) {
  struct family *f = family_of(r, fs_graph_kind(b->plan->graph).structure);
  if (b->plan->found->like) f->alike++;
  else f->searched = bytes_moved(b->plan->graph);
  b->untimed = b->plan->found->like && (f->alike & (f->alike - 1));
  f->last = b->number;
  f->strategy = r->options.strategy;
}

/* A loop's block is measured in its first sizes, before it is claimed. What another loop plans
 * of its structure is planned like it. */
void fs_run_claim(struct fs_runner *r, struct fs_block *b) {
  struct family *f = family_of(r, fs_graph_kind(b->plan->graph).structure);
  f->last = b->number;
  f->claimed = true;
  f->searched = bytes_moved(b->plan->graph);
  f->strategy = r->options.strategy;
  hide(r, b);
  b->untimed = true;
}

/* Finds or compiles the block of a simplified graph. */
static enum fs_status find_block(struct fs_runner *r, struct fs_graph *g,
                                 const struct fs_diags *sources,
                                 struct fs_block **out, struct fs_diags *d) {
  struct fs_plan_request q = fs_plan_request(r, g, sources);
  uint64_t hash = block_hash(&q.options, g);
  struct fs_block *b = look_up(r, g, &q.options, hash);
  enum fs_status st = FS_OK;
  bool another = false;
  if (b) {
    r->hits++;
    adopt_words(r, b, g);
    fs_graph_move((struct fs_graph *)b->plan->graph, g);
  } else {
    r->misses++;
    q.options.choice = tuned_choice(r, hash, d);
    another = !q.options.choice && !q.options.n_kernel_pins && changes_size(r, g);
    q.options.any_size = another && fs_target_compiles(r->target);
    if (another) q.options.like = plan_of_another_size(r, g, &q.options);
    r->target->hasty = r->options.hasty;
    st = fs_compile(g, r->target, &q.options, sources, &b, d);
    r->target->hasty = false;
    if (st == FS_OK) mark_tuned(b->plan, q.options.choice);
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
  enum fs_status st = find_block(r, g, sources, out, d);
  if (st != FS_OK) return st;
  if ((*out)->plan->graph != g) fs_graph_free(g);
  for (int k = 0; k < l->graph->inputs.len; k++)
    if (!(*out)->inputs[k].bytes) (*out)->inputs[k].bytes = l->bytes[k];
  return FS_OK;
}

/* -- running ---------------------------------------------------------------------- */

struct launch {
  struct fs_runner *r;
  struct fs_block *block;
  const struct fs_graph *traced;  /* this run's; or, where nothing was traced: */
  const bool *dying;              /* of each input, whether nobody wants it then */
  struct fs_bound *now;
  int left_out;                   /* the first copy that the run does without, or how many
                                     kernels there are */
  bool overwrites;                /* a kernel that overwrites an old value has been started,
                                     or may have been, and others are to come */
  struct fs_rounds *more;         /* that may follow, or NULL */
};

static enum fs_status make_storage(struct launch *l, int slot,
                                   struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_slot *s = &plan->slots.data[slot];
  struct fs_storage **storage = &l->now->storages[slot];
  if (*storage) return FS_OK;
  if (s->kind == FS_SLOT_PART) { /* behind the slot that it is a part of */
    l->now->ptrs[slot] = (char *)l->now->ptrs[s->index] + fs_slot_begin(plan, slot);
    return FS_OK;
  }
  if (s->kind == FS_SLOT_INPUT) {
    *storage = fs_storage_ref(l->now->inputs[s->index]->storage);
  } else {
    int64_t bytes = fs_mul_size(s->count, (int64_t)fs_dtype_size(s->dtype));
    enum fs_status st = fs_storage_new(
        l->r->target, (size_t)FS_MAX(bytes, 1), storage, d);
    if (st != FS_OK) return st;
  }
  l->now->ptrs[slot] = (char *)(*storage)->ptr + fs_slot_begin(plan, slot);
  return FS_OK;
}

static bool is_dying(const struct launch *l, int input) {
  if (l->dying) return l->dying[input];
  for (int k = 0; k < l->traced->inputs.len; k++)
    if (l->traced->inputs.data[k].tensor == l->now->inputs[input])
      return l->traced->inputs.data[k].dying;
  return false;
}

/* Whether a result lies in the storage of an input: `w = -(-x)` is x, `w = -(-x')` another
 * view of it, whatever their handles. */
static bool is_result(const struct launch *l, int input) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_storage *old = l->now->inputs[plan->slots.data[input].index]->storage;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    const struct fs_slot *s = &plan->slots.data[plan->result_slot[k]];
    if (s->kind == FS_SLOT_INPUT && l->now->inputs[s->index]->storage == old) return true;
  }
  return false;
}

/* Whether a library call behind kernel k may refuse what it is given: a singular
 * matrix, an index out of range. Then the block changes nothing, so old values stay. */
static bool may_stop_behind(const struct fs_plan *plan, int k) {
  for (int i = k + 1; i < plan->kernels.len; i++) {
    const struct fs_kernel *kn = &plan->kernels.data[i];
    if (!kn->lib_node) continue;
    const struct fs_node *call = fs_node(plan->graph, kn->lib_node);
    if (call->op != FS_LIB_GEMM && !(call->lib_flags & FS_LIB_IN_RANGE)) return true;
  }
  return false;
}

/* Whether kernel k, which makes `to` a copy of the input `from`, can be left out
 * because the update may write where the old value lies: nobody wants that value
 * after the block, no kernel reads what is overwritten, and the block will come to its
 * end. */
static bool may_take_over(const struct launch *l, int k, int from, int to) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_slot *a = &plan->slots.data[from], *b = &plan->slots.data[to];
  if (!plan->kernels.data[k].in_place) return false;
  if (is_result(l, from) || may_stop_behind(plan, k)) return false;
  if (fs_slot_begin(plan, from)) return false;
  size_t bytes = (size_t)b->count * fs_dtype_size(b->dtype);
  return is_dying(l, a->index) && l->now->inputs[a->index]->storage->bytes >= bytes;
}

/* Whether the result of another update lies there already: of two of one value, the
 * other needs the copy, which is made before that result overwrites it. */
static bool is_taken(const struct launch *l, int to, const struct fs_storage *s) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->slots.len; k++)
    if (k != to && plan->slots.data[k].kind != FS_SLOT_INPUT && l->now->storages[k] == s)
      return true;
  return false;
}

/* Whether the run overwrites old values. */
static bool takes_over(const struct launch *l) {
  return l->left_out < l->block->plan->kernels.len;
}

/* Lets updates of values that die with this block happen in place. All storage
 * is made first and interrupts wait, so that hardly anything stops the block once an old
 * value is being overwritten. */
static enum fs_status take_over(struct launch *l, struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  l->left_out = plan->kernels.len;
  for (int k = 0; k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (!kn->in_place) continue;
    int from = kn->accesses.data[0].slot, to = kn->accesses.data[1].slot;
    if (!may_take_over(l, k, from, to)) continue;
    struct fs_tensor *t = l->now->inputs[plan->slots.data[from].index];
    if (is_taken(l, to, t->storage)) continue;
    if (!l->now->storages[to]) l->now->storages[to] = fs_storage_ref(t->storage);
    t->storage->list_to = 0;
    l->now->ptrs[to] = t->storage->ptr; /* several copies may be of one update */
    l->now->skip[k] = true;
    l->left_out = FS_MIN(l->left_out, k);
  }
  for (int s = 0; takes_over(l) && s < plan->slots.len; s++) {
    enum fs_status st = make_storage(l, s, d);
    if (st != FS_OK) return st;
  }
  if (takes_over(l) && fs_interrupted()) return FS_INTERRUPTED;
  return FS_OK;
}

/* The value that is overwritten instead of what kernel k would copy; NULL: none. */
static struct fs_tensor *taken(const struct launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  if (!l->now->skip[k]) return NULL;
  return l->now->inputs[plan->slots.data[plan->kernels.data[k].accesses.data[0].slot].index];
}

static bool is_of(const struct fs_plan *plan, int slot, int whole) {
  const struct fs_slot *s = &plan->slots.data[slot];
  return slot == whole || (s->kind == FS_SLOT_PART && s->index == whole);
}

/* Whether the launch that begins with kernel `first` has to do with a slot. */
static bool uses(const struct fs_plan *plan, int first, int slot) {
  for (int k = first; k < fs_launch_end(plan, first); k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    if (kn->lib_node && is_of(plan, kn->lib_slots[0], slot)) return true;
    for (int a = 0; a < kn->accesses.len; a++)
      if (is_of(plan, kn->accesses.data[a].slot, slot)) return true;
  }
  return false;
}

/* Old values that the launch of kernel k overwrites are lost until all others were started,
 * too, for that may fail, or jump; then somebody has them still who would take them for
 * what they were. */
static void mark_overwritten(struct launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  for (int copy = l->left_out; copy < k; copy++) {
    struct fs_tensor *t = taken(l, copy);
    if (!t || !uses(plan, k, plan->kernels.data[copy].accesses.data[1].slot)) continue;
    t->state = FS_TS_LOST;
    l->overwrites = true;
  }
}

static void end_overwriting(struct launch *l, bool good) {
  for (int k = l->left_out; k < l->block->plan->kernels.len; k++) {
    struct fs_tensor *t = taken(l, k);
    if (!t || t->state != FS_TS_LOST) continue;
    if (good) t->state = FS_TS_STORED;
    else fs_storage_unref(t->storage);
    if (!good) t->storage = NULL;
  }
}

static void drop_dead_temps(struct launch *l, int kernel) {
  const struct fs_block *b = l->block;
  for (int s = b->slot_at[1][kernel] - 1; s >= 0; s = b->next_slot[1][s] - 1) {
    if (b->plan->slots.data[s].kind != FS_SLOT_TEMP) continue;
    fs_storage_unref(l->now->storages[s]);
    l->now->storages[s] = NULL;
  }
}

static enum fs_status launch_all(struct launch *l, bool timed,
                                 struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_target_ops *ops = l->r->target->ops;
  for (int k = 0; k < plan->kernels.len; k++) {
    if (fs_interrupted()) return FS_INTERRUPTED;
    if (l->now->skip[k]) continue; /* take_over() made all storage */
    for (int s = l->block->slot_at[0][k] - 1; s >= 0; s = l->block->next_slot[0][s] - 1) {
      enum fs_status st = make_storage(l, s, d);
      if (st != FS_OK) return st;
    }
    enum fs_status st = FS_OK;
    if (l->block->codes[k]) /* else it is a phase of the launch before */
      st = ops->launch(l->r->target, l->block->codes[k], l->now->ptrs,
                       l->now->params,
                       timed ? fs_block_timer(l->block, l->r->target, k) : NULL, d);
    if (st != FS_OK) return st;
    if (takes_over(l)) mark_overwritten(l, k);
    drop_dead_temps(l, k);
  }
  return FS_OK;
}

/* Of values that were marked before a launch that failed, those that no kernel before
 * `begun` overwrites are as they were. */
static void spare_others(struct launch *l, int begun) {
  for (int k = l->left_out; k < l->block->plan->kernels.len; k++)
    if (taken(l, k)) taken(l, k)->state = FS_TS_STORED;
  for (int k = l->left_out + 1; k < begun; k++)
    if (l->now->codes[k]) mark_overwritten(l, k);
}

/* The same in one call of the target, where no kernel is timed. As a rule it is always the
 * same kernels that are left out, if any: the target sees to others. */
static enum fs_status launch_at_once(struct launch *l, struct fs_diags *d) {
  struct fs_block *b = l->block;
  int last = 0, begun = 0;
  if (fs_interrupted()) return FS_INTERRUPTED;
  for (int k = 0; k < b->plan->kernels.len; k++) {
    l->now->codes[k] = l->now->skip[k] ? NULL : b->codes[k];
    if (l->now->codes[k]) last = k;
  }
  for (int s = 0; s < b->plan->slots.len; s++) {
    enum fs_status st = make_storage(l, s, d);
    if (st != FS_OK) return st;
  }
  for (int k = l->left_out + 1; k < last; k++) /* a jump does not tell where it came from */
    if (l->now->codes[k]) mark_overwritten(l, k);
  enum fs_status st = l->r->target->ops->launch_all(
      l->r->target, &b->replay, b->plan->kernels.len, l->now->codes, l->now->ptrs,
      l->now->params, &begun, d);
  if (st != FS_OK) spare_others(l, begun);
  return st;
}

/* The storage of the list that a call has looked at, if it is an input and the first
 * *count elements of the storage; NULL: there is none. */
static struct fs_storage *list_of(const struct launch *l, const struct fs_kernel *kn,
                                  int64_t *count, int64_t *extent) {
  const struct fs_graph *g = l->block->plan->graph;
  if (!kn->lib_node) return NULL;
  const struct fs_node *call = fs_node(g, kn->lib_node);
  bool gathers = call->op == FS_LIB_GATHER;
  bool combines = call->op == FS_LIB_COMBINE;
  if ((call->lib_flags & FS_LIB_IN_RANGE) ||
      !(gathers || combines || call->op == FS_LIB_INVERT))
    return NULL;
  const struct fs_node *list = fs_node(g, call->src[gathers || combines]);
  if (list->kind != FS_ND_INPUT || list->shape.rank != 1) return NULL;
  const struct fs_layout *layout = &g->inputs.data[list->slot].layout;
  struct fs_storage *s = l->now->inputs[list->slot]->storage;
  *count = list->shape.dim[0];
  *extent = gathers    ? fs_shape_dim(&call->lib_shape[0], 0)
            : combines ? fs_shape_dim(&call->lib_shape[0], 0) - *count
                       : fs_shape_count(&call->shape);
  return !layout->offset && layout->stride[0] == 1 ? s : NULL;
}

/* Once the block has run: lists that were good, and what was written since. */
static void remember_lists(struct launch *l) {
  const struct fs_plan *plan = l->block->plan;
  int64_t count, extent;
  for (int k = 0; k < plan->kernels.len; k++) {
    struct fs_storage *s = list_of(l, &plan->kernels.data[k], &count, &extent);
    if (!s) continue;
    bool known = s->list_to && s->listed >= count;
    s->list_to = known ? FS_MIN(s->list_to, extent) : extent;
    s->listed = count;
  }
  for (int k = 0; k < plan->slots.len; k++)
    if (plan->slots.data[k].kind != FS_SLOT_INPUT && l->now->storages[k])
      l->now->storages[k]->list_to = 0;
}

/* A layout over squeezed axes as one over the user's dimensions. */
static struct fs_layout unsqueeze(const struct fs_layout *squeezed,
                                  const struct fs_shape *shape) {
  struct fs_layout l = {.offset = squeezed->offset};
  int axis = 0;
  for (int k = 0; k < shape->rank; k++)
    if (shape->dim[k] != 1) l.stride[k] = squeezed->stride[axis++];
  return l;
}

/* What is known of the results goes by what is known of this run's inputs. */
static void know_inputs(const struct launch *l) {
  struct fs_graph *g = (struct fs_graph *)l->block->plan->graph;
  for (int k = 0; k < g->inputs.len; k++)
    g->inputs.data[k].known = l->now->inputs[k]->storage->cut.part
                                  ? (struct fs_known){0}
                                  : fs_tensor_known(l->now->inputs[k]);
}

static int axis_of_output(const struct fs_graph *g, int output) {
  return g->output_axes.len ? g->output_axes.data[output] : -1;
}

/* How a result lies that this rank has a part of. */
static struct fs_layout lay_over_ranks(const struct launch *l, int output,
                                       const struct fs_tensor *t, struct fs_layout own) {
  const struct fs_plan *plan = l->block->plan;
  const struct fs_shape *shape = &fs_node(plan->graph, plan->graph->outputs.data[output])->shape;
  int axis = plan->graph->output_axes.data[output], axis_of[FS_MAX_RANK];
  struct fs_shape all = fs_squeeze(&t->shape, axis_of);
  struct fs_cut *cut = &t->storage->cut;
  int64_t elements = (int64_t)(t->storage->bytes / fs_dtype_size(t->dtype));
  if (!cut->part) *cut = fs_cut_of(axis, all.dim[axis], &own, shape);
  cut->outer = FS_MAX(1, elements / cut->block);
  fs_cut_widen(cut, &own, shape->rank);
  return own;
}

static unsigned triangle_of(const struct launch *l, int output) {
  const struct fs_graph *g = l->block->plan->graph;
  const struct fs_shape *s = &fs_node(g, g->outputs.data[output])->shape;
  if (s->rank != 2 || s->dim[0] != s->dim[1] || axis_of_output(g, output) >= 0) return 0;
  know_inputs(l);
  return fs_graph_triangle(g, g->outputs.data[output]);
}

static enum fs_status give_results(struct launch *l, struct fs_tensor **handles,
                                   struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  int n = plan->graph->outputs.len;
  for (int k = 0; k < n; k++) {
    enum fs_status st = make_storage(l, plan->result_slot[k], d);
    if (st != FS_OK) return st;
  }
  for (int k = 0; k < n; k++) {
    struct fs_tensor *t = handles[k];
    t->state = FS_TS_STORED;
    t->storage = fs_storage_ref(l->now->storages[plan->result_slot[k]]);
    struct fs_layout layout = plan->result_layout[k];
    layout.offset += fs_slot_begin(plan, plan->result_slot[k]) / (int64_t)fs_dtype_size(t->dtype);
    int axis = axis_of_output(plan->graph, k); /* one element for all indices is as good whole */
    if (axis >= 0 && layout.stride[axis]) layout = lay_over_ranks(l, k, t, layout);
    t->layout = unsqueeze(&layout, &t->shape);
    t->triangle = triangle_of(l, k);
    t->graph = NULL;
    t->node = 0;
  }
  return FS_OK;
}

/* A run before may have ended in a jump. */
static void clear_bound(const struct launch *l) {
  size_t slots = (size_t)l->block->plan->slots.len;
  memset(l->now->storages, 0, slots * sizeof *l->now->storages);
  memset(l->now->skip, 0, (size_t)l->block->plan->kernels.len);
}

/* Events around each kernel keep the host and the device from running ahead. */
bool fs_run_is_timed(const struct fs_runner *r, const struct fs_block *b) {
  return r->options.timed && !b->untimed && b->timed_runs < TIMED_RUNS &&
         (r->options.heard || b->timed_in_all < TIMED_RUNS);
}

static bool has_sums(const struct fs_plan *plan) {
  for (int k = 0; k < plan->kernels.len; k++)
    if (plan->kernels.data[k].has.reductions) return true;
  return false;
}

/* A block of any size that comes again and again is planned anew for its own size, unless
 * it has sums: those would be in another order then. */
static void outlive(struct fs_runner *r, struct fs_block *b) {
  enum { ROUNDS = 16 };
  if (!b->plan->any_size || ++b->rounds != ROUNDS || has_sums(b->plan)) return;
  struct fs_graph_kind kind = fs_graph_kind(b->plan->graph);
  *FS_PUSH(&family_of(r, kind.structure)->sizes) = kind.sizes;
  hide(r, b);
}

/* Starts the kernels. Where the host waits for them, that is their time, but for what
 * new memory takes. */
static enum fs_status start(struct launch *l, bool timed, struct fs_diags *d) {
  struct fs_block *b = l->block;
  enum fs_part part = fs_account_kernels(), before = fs_account.part;
  double *all = &fs_account.seconds[part], earlier = *all;
  b->seconds = -1;
  if (!fs_runner_waits(l->r)) {
    bool at_once = !timed && b->at_once && l->r->target->ops->launch_all != NULL;
    return at_once ? launch_at_once(l, d) : launch_all(l, timed, d);
  }
  fs_account_to(part);
  enum fs_status st = launch_all(l, timed, d);
  fs_account_to(before);
  b->seconds = *all - earlier;
  b->row = (struct fs_times){0};
  fs_times_add(&b->row, b->seconds);
  return st;
}

/* -- rounds that follow at once ---------------------------------------------------- */

/* Whether a round starts kernels alone, no library. */
static bool starts_kernels(const struct launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->kernels.len; k++)
    if (!l->now->skip[k] && plan->kernels.data[k].lib_node) return false;
  return plan->graph->outputs.len <= FS_ROUND_HOMES;
}

/* The value that result k replaces, if nobody else has it. */
static struct fs_tensor *replaced(const struct launch *l, int k) {
  for (int i = 0; i < l->block->plan->graph->inputs.len; i++)
    if (l->now->inputs[i]->storage == l->more->home[k] && is_dying(l, i)) return l->now->inputs[i];
  return NULL;
}

/* Whether result k and the value that it replaces can exchange their storage. */
static bool can_change(const struct launch *l, int k) {
  const struct fs_plan *plan = l->block->plan;
  int slot = plan->result_slot[k];
  const struct fs_tensor *t = replaced(l, k);
  if (!t || plan->slots.data[slot].kind != FS_SLOT_RESULT ||
      l->now->storages[slot]->bytes > t->storage->bytes)
    return false;
  for (int j = 0; j < k; j++)
    if (plan->result_slot[j] == slot || l->more->home[j] == t->storage) return false;
  struct fs_layout layout = unsqueeze(&plan->result_layout[k], &t->shape);
  bool same = layout.offset == t->layout.offset;
  for (int d = 0; d < t->shape.rank; d++) same &= layout.stride[d] == t->layout.stride[d];
  return same;
}

/* Whether each result lies where the value lay that it replaces, or can change places with it
 * (then `moves`). */
static bool stays_home(const struct launch *l, bool *moves) {
  const struct fs_plan *plan = l->block->plan;
  *moves = false;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    if (l->now->storages[plan->result_slot[k]] == l->more->home[k]) continue;
    if (!can_change(l, k)) return false;
    *moves = true;
  }
  return true;
}

/* Results become the values that the next round reads, and the storage of those that they
 * replace is that of its results. Done twice, nothing has changed. */
static void change_places(struct launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int k = 0; k < plan->graph->outputs.len; k++) {
    struct fs_storage **now = &l->now->storages[plan->result_slot[k]];
    if (*now == l->more->home[k]) continue;
    struct fs_tensor *t = replaced(l, k);
    struct fs_storage *old = t->storage;
    t->storage = *now;
    t->triangle = 0;
    *now = old;
    l->more->home[k] = t->storage;
  }
}

static void put_storage(struct launch *l, int slot, struct fs_storage *borrows) {
  struct fs_storage *old = l->now->storages[slot];
  l->now->storages[slot] = fs_storage_ref(borrows);
  fs_storage_unref(old);
}

/* What is read, and what is overwritten where it lies, is in the storage of today's values. */
static void place_inputs(struct launch *l) {
  const struct fs_plan *plan = l->block->plan;
  for (int s = 0; s < plan->slots.len; s++)
    if (plan->slots.data[s].kind == FS_SLOT_INPUT)
      put_storage(l, s, l->now->inputs[plan->slots.data[s].index]->storage);
  for (int k = l->left_out; k < plan->kernels.len; k++)
    if (taken(l, k)) put_storage(l, plan->kernels.data[k].accesses.data[1].slot, taken(l, k)->storage);
}

/* Temporaries are kept from round to round, and made anew where they grow. */
static enum fs_status place_slots(struct launch *l, struct fs_diags *d) {
  const struct fs_plan *plan = l->block->plan;
  place_inputs(l);
  for (int k = 0; k < plan->slots.len; k++) {
    const struct fs_slot *s = &plan->slots.data[k];
    struct fs_storage **storage = &l->now->storages[k];
    if (s->kind == FS_SLOT_TEMP && *storage &&
        (*storage)->bytes < (size_t)s->count * fs_dtype_size(s->dtype)) {
      fs_storage_unref(*storage);
      *storage = NULL;
    }
    enum fs_status st = make_storage(l, k, d);
    if (st != FS_OK) return st;
    if (*storage) l->now->ptrs[k] = (char *)(*storage)->ptr + fs_slot_begin(plan, k);
  }
  return FS_OK;
}

/* Ctrl-C, and that somebody is told how far a loop is. */
static bool ends_row(double begun) {
  const double LONG = 0.05;
  fs_interrupt_hold(false);
  bool ends = fs_interrupted() || fs_account.since - begun > LONG;
  fs_interrupt_hold(true);
  return ends;
}

static enum fs_status launch_round(struct launch *l, struct fs_diags *d) {
  struct fs_target *target = l->r->target;
  enum fs_status st = FS_OK;
  for (int k = 0; k < l->block->plan->kernels.len && st == FS_OK; k++)
    if (l->block->codes[k] && !l->now->skip[k])
      st = target->ops->launch(target, l->block->codes[k], l->now->ptrs, l->now->params, NULL, d);
  return st;
}

/* Rounds after the first: places, numbers and the kernels. Should it jump, each name has the
 * value of the last round. */
static void run_rounds(struct launch *l, struct fs_diags *d) {
  struct fs_rounds *m = l->more;
  struct fs_block *b = l->block;
  enum fs_part part = fs_account_kernels(), before = fs_account.part;
  double begun = fs_account.since;
  bool moves, may = starts_kernels(l) && stays_home(l, &moves);
  fs_interrupt_hold(true);
  for (; may && m->done < m->left && !ends_row(begun); m->done++) {
    if (moves) change_places(l);
    m->failed = m->next(m->user, d);
    if (m->failed == FS_OK) m->failed = place_slots(l, d);
    fs_account_to(part);
    double start = fs_account.since;
    if (m->failed == FS_OK) m->failed = launch_round(l, d);
    fs_account_to(before);
    if (m->failed && moves) change_places(l);
    if (m->failed) break;
    b->seconds = fs_account.since - start;
    fs_times_add(&b->row, b->seconds);
  }
  fs_interrupt_hold(false);
}

/* What all ranks must do alike, so that none waits for another: kernels and calls, in order. */
static uint64_t steps_of(const struct fs_plan *plan) {
  uint64_t hash = 0;
  for (int k = 0; fs_ranks() > 1 && k < plan->kernels.len; k++) {
    const struct fs_kernel *kn = &plan->kernels.data[k];
    hash = hash * 31 + (kn->lib_node ? 8u + fs_node(plan->graph, kn->lib_node)->op : 1);
  }
  return hash;
}

static enum fs_status run_block(struct launch *l, bool timed,
                                struct fs_tensor **handles,
                                struct fs_diags *d) {
  struct fs_runner *r = l->r;
  clear_bound(l);
  enum fs_status st = take_over(l, d);
  bool held = takes_over(l);
  if (st == FS_OK) st = fs_compile_rest(l->block, r->target, l->now->skip, d);
  for (int s = 0; fs_ranks() > 1 && st == FS_OK && s < l->block->plan->slots.len; s++)
    st = make_storage(l, s, d);
  st = fs_ranks_agree_on(st, steps_of(l->block->plan), d);
  if (held) fs_interrupt_hold(true);
  if (st == FS_OK) st = start(l, timed, d);
  if (held) fs_interrupt_hold(false);
  if (l->overwrites) end_overwriting(l, st == FS_OK);
  if (st == FS_OK && l->more && !timed && fs_runner_waits(l->r)) run_rounds(l, d);
  if (st == FS_OK) st = give_results(l, handles, d);
  if (st == FS_OK) remember_lists(l);
  if (st == FS_OK) outlive(r, l->block);
  for (int s = 0; s < l->block->plan->slots.len; s++)
    fs_storage_unref(l->now->storages[s]);
  return st;
}

static void read_timers(struct fs_runner *r, struct fs_block *b) {
  for (int i = 0; i < b->plan->kernels.len; i++)
    b->measured[i] =
        b->left_out[i] ? FS_LEFT_OUT
        : b->codes[i] ? r->target->ops->timer_seconds(r->target, b->timers[i])
                      : 0; /* its launch has the time of all phases */
}

static void remember_timing(struct fs_runner *r, struct fs_block *b) {
  b->timed_runs++;
  b->timed_cold = b->cold;
  b->timed_in_all += b->timed_in_all < TIMED_RUNS && !b->quick;
  memcpy(b->left_out, b->bound->skip, (size_t)b->plan->kernels.len * sizeof *b->left_out);
  if (fs_runner_waits(r)) read_timers(r, b);
  for (int k = 0; k < r->timing.len; k++)
    if (r->timing.data[k] == b) return;
  *FS_PUSH(&r->timing) = b;
}

/* -- finding the block of a traced graph ---------------------------------------- */

/* For :tune, which runs the block again. */
static void remember_inputs(struct fs_block *b) {
  for (int k = 0; k < b->plan->graph->inputs.len; k++) {
    const struct fs_storage *s = b->bound->inputs[k]->storage;
    b->inputs[k] = (struct fs_block_input){s->serial, s->bytes};
  }
}

/* Where names, the order of statements or a chosen effort count, the graph is not all of it. */
bool fs_run_may_recall(const struct fs_runner *r) {
  return !r->options.n_pins && !r->options.n_kernel_pins && !r->options.effort &&
         r->options.strategy != FS_NO_REORDER &&
         r->options.strategy != FS_MANUAL;
}

/* The block of a graph that was traced before: nothing is simplified again. */
static struct fs_block *recall(struct fs_runner *r, struct fs_graph *g) {
  fs_graph_anchor(g);
  const struct fs_recalled *p = fs_recall_find(r->recall, g, fs_run_epoch(r, 0));
  if (!p) return NULL;
  fs_recall_move(p, g);
  struct fs_block *b = p->memo.life->block;
  int n_inputs = b->plan->graph->inputs.len;
  int n_params = b->plan->graph->params.len;
  for (int k = 0; k < n_inputs; k++)
    b->bound->inputs[k] = g->inputs.data[p->from[k]].tensor;
  for (int k = 0; k < n_params; k++)
    b->bound->params[k] = g->params.data[p->from[n_inputs + k]];
  b->last_used = ++r->clock;
  r->hits++;
  return b;
}

static void drop_wholes(struct fs_runner *r) {
  FS_EACH_AT(&r->wholes, t) fs_tensor_unref(*t);
  r->wholes.len = 0;
}

/* Inputs of which no rank could read its part become whole, those of one array once; where
 * nothing is run (no `d`), they are taken to be. */
static enum fs_status make_whole(struct fs_runner *r, struct fs_graph *g, struct fs_diags *d) {
  enum fs_status st = FS_OK;
  bool *wants = fs_calloc((size_t)g->inputs.len + 1, sizeof *wants);
  for (int k = 0; k < g->inputs.len; k++) wants[k] = fs_graph_wants_whole(g, k);
  for (int k = 0; k < g->inputs.len && st == FS_OK; k++) {
    const void *cut = g->inputs.data[k].storage;
    struct fs_tensor *t = NULL;
    if (!wants[k]) continue;
    if (d) st = fs_tensor_whole(g->inputs.data[k].tensor, &t, d);
    if (t) *FS_PUSH(&r->wholes) = t;
    for (int j = k; j < g->inputs.len && st == FS_OK; j++) {
      struct fs_graph_input *other = &g->inputs.data[j];
      if (other->storage != cut || !wants[j]) continue;
      wants[j] = false;
      other->cut = (struct fs_cut){0};
      if (t) other->tensor = t, other->storage = t->storage;
    }
  }
  free(wants);
  return st;
}

/* The graph of this rank's parts; axes: of the outputs. */
static struct fs_graph *take_part(struct fs_graph *whole, const struct fs_links *links,
                                  struct fs_graph **axes) {
  *axes = fs_graph_partition(whole, links);
  struct fs_graph *own = fs_graph_simplify(*axes);
  fs_graph_place(own);
  fs_graph_free(whole);
  return own;
}

/* The graph that is planned. */
static enum fs_status simplify(struct fs_runner *r, const struct fs_graph *g,
                               struct fs_graph **out, struct fs_diags *d) {
  const struct fs_plan_options o = {.strategy = r->options.strategy, .effort = r->options.effort};
  struct fs_graph *simple = fs_graph_simplify(g), *axes = NULL;
  const struct fs_links links = fs_device_links(&r->target->device);
  if (fs_graph_is_cut(simple, &links)) {
    enum fs_status st = make_whole(r, simple, d);
    if (st != FS_OK) {
      fs_graph_free(simple);
      return st;
    }
    simple = take_part(simple, &links, &axes);
  }
  *out = fs_products_choose(&r->products, simple, &r->target->device, &o);
  for (int k = 0; axes && k < axes->output_axes.len; k++) {
    *FS_PUSH(&(*out)->output_axes) = axes->output_axes.data[k];
    *FS_PUSH(&(*out)->output_extents) = axes->output_extents.data[k];
  }
  fs_graph_free(axes);
  return FS_OK;
}

/* Simplifies the graph, and finds or compiles its block. */
static enum fs_status bind(struct fs_runner *r, const struct fs_graph *g,
                           const struct fs_diags *sources,
                           struct fs_block **out, struct fs_diags *d) {
  struct fs_graph *simple = NULL;
  enum fs_status st = simplify(r, g, &simple, d);
  if (st != FS_OK) return st;
  if (fs_interrupted()) { /* simplifying was cut short */
    fs_graph_free(simple);
    return FS_INTERRUPTED;
  }
  st = find_block(r, simple, sources, out, d);
  if (st != FS_OK) return st; /* fs_compile() freed the graph */
  struct fs_bound *now = (*out)->bound;
  for (int k = 0; k < simple->inputs.len; k++)
    now->inputs[k] = simple->inputs.data[k].tensor;
  for (int k = 0; k < simple->params.len; k++)
    now->params[k] = simple->params.data[k];
  bool recalls = fs_run_may_recall(r) && !simple->output_axes.len;
  if (recalls) fs_recall_put(r->recall, g, simple, *out, fs_run_epoch(r, 0));
  if ((*out)->plan->graph != simple) fs_graph_free(simple);
  return FS_OK;
}

static bool is_quick(const struct fs_runner *r, const struct fs_block *b) {
  const struct fs_target_ops *ops = r->target->ops;
  for (int k = 0; ops->is_quick && k < b->plan->kernels.len; k++)
    if (b->codes[k] && ops->is_quick(b->codes[k])) return true;
  return false;
}

/* What was described of quick code is not so of full code. */
static void look_at_code(const struct fs_runner *r, struct fs_block *b) {
  bool before = b->quick;
  b->quick = is_quick(r, b);
  if (!before || b->quick || !b->drop_described) return;
  b->drop_described(b->described);
  b->described = NULL;
}

/* Runs a block whose inputs and params are bound. traced, dying: of struct launch. */
static enum fs_status run_bound(struct fs_runner *r, struct fs_block *b,
                                const struct fs_graph *traced, const bool *dying,
                                struct fs_tensor **handles, struct fs_rounds *more,
                                struct fs_diags *d) {
  struct launch l = {.r = r, .block = b, .traced = traced, .dying = dying, .now = b->bound,
                     .more = more};
  remember_inputs(b);
  bool timed = fs_run_is_timed(r, b);
  int64_t touched = fs_account.touched;
  enum fs_status st = run_block(&l, timed, handles, d);
  if (st != FS_OK) return st;
  b->cold = !b->runs || fs_account.touched > touched;
  r->last = b;
  if (b->quick || !b->runs) look_at_code(r, b);
  b->in_a_row = 1 + (more ? more->done : 0);
  b->runs += b->in_a_row;
  if (timed) remember_timing(r, b);
  return FS_OK;
}

enum fs_status fs_run_graph(struct fs_runner *r, struct fs_graph *g,
                            struct fs_tensor **handles,
                            const struct fs_diags *sources,
                            struct fs_block **out, struct fs_diags *d) {
  struct fs_block *b = fs_run_may_recall(r) ? recall(r, g) : NULL;
  enum fs_status st = b ? FS_OK : bind(r, g, sources, &b, d);
  if (st != FS_OK) { /* where the others have got further than this rank */
    drop_wholes(r);
    return fs_ranks_agree(st, d);
  }
  if (out && r->options.launching) r->options.launching(r->options.user, b);
  st = run_bound(r, b, g, NULL, handles, NULL, d);
  drop_wholes(r);
  if (st == FS_OK && out) *out = b;
  return st;
}

/* -- without a graph -------------------------------------------------------------- */

enum fs_status fs_run_again(struct fs_runner *r, struct fs_block *b,
                            struct fs_tensor *const *inputs, const bool *dying,
                            const struct fs_number *params, const fs_anchor_list *anchors,
                            struct fs_tensor **handles, struct fs_rounds *more,
                            struct fs_diags *d) {
  struct fs_graph *g = (struct fs_graph *)b->plan->graph;
  fs_graph_put_anchors(g, anchors);
  for (int k = 0; k < g->inputs.len; k++)
    b->bound->inputs[k] = (struct fs_tensor *)inputs[k];
  for (int k = 0; k < g->params.len; k++) b->bound->params[k] = params[k];
  b->last_used = ++r->clock;
  r->hits++;
  if (r->options.launching) r->options.launching(r->options.user, b);
  return run_bound(r, b, NULL, dying, handles, more, d);
}

struct fs_plan *fs_explain_graph(struct fs_runner *r, struct fs_graph *g,
                                 const struct fs_diags *sources,
                                 bool (*seen)(void *user, uint64_t hash), void *user) {
  struct fs_graph *simple = NULL;
  simplify(r, g, &simple, NULL);
  struct fs_plan_request q = fs_plan_request(r, simple, sources);
  uint64_t hash = block_hash(&q.options, simple);
  struct fs_plan *plan = NULL;
  if (fs_interrupted() || (seen && seen(user, hash))) {
    fs_graph_free(simple);
  } else {
    q.options.choice = tuned_choice(r, hash, NULL);
    plan = fs_plan_make(simple, &r->target->device, &q.options);
    mark_tuned(plan, q.options.choice);
  }
  fs_plan_request_free(&q);
  return plan;
}

bool fs_run_waits(const struct fs_runner *r) { return r->timing.len > 0; }

enum fs_status fs_runner_sync(struct fs_runner *r, struct fs_diags *d) {
  enum fs_status st = r->target->ops->sync(r->target, d);
  for (int k = 0; k < r->timing.len && st == FS_OK; k++) {
    struct fs_block *b = r->timing.data[k];
    b->timed_runs = 0;
    b->fresh = !b->quick;
    read_timers(r, b);
  }
  r->timing.len = 0;
  return st;
}
