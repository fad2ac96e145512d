/* kernel.c - from a group of calls to the kernels that run them.
 *
 * Every way to divide the group's axes and every scheme in which the calls can be
 * placed (place.c) is an implementation of the fusion (Filipovic et al., section 4.2,
 * "generation of fusion implementations"), and stays one unless another needs no more
 * of anything.
 */
#include "core/plan/kernels/place.h"

#include <math.h>

/* -- putting it together --------------------------------------------------------------------- */

/* An empty kernel in the room of the last one: its lists, which come first, stay. */
static void clear(struct fs_kernel *k, enum fs_scheme scheme) {
  size_t lists = offsetof(struct fs_kernel, scheme);
  memset((char *)k + lists, 0, sizeof *k - lists);
  k->scheme = scheme;
  k->values.len = k->steps.len = k->accesses.len = k->calls.len = 0;
}

/* The paper's 32 x 32 tiles want one outer and one inner axis of some length. */
static bool tile_fits(const struct fs_kernel *k, const struct fs_device *d) {
  FS_EACH_AT(&k->accesses, a) if (a->reach) return false;
  return (void)d, k->space.n_outer == 1 && k->space.n_inner == 1;
}

static bool (*const fits_in[FS_SCHEMES])(const struct fs_kernel *, const struct fs_device *) = {
#define FS_SCHEME(id, name, traits, moves, fits, ...) [FS_##id] = fits,
#include "core/kernel/scheme.def"
};

/* Whether something of the kernel is as large as its index space: else its calls
 * only meet in vectors, and would walk rows and columns that nobody wants. */
static bool fills_space(const struct fs_kernel *k) {
  if (k->space.m == 1 || k->space.n == 1) return true;
  for (int v = 0; v < k->values.len; v++)
    if (k->values.data[v].varies == (FS_VARIES_I | FS_VARIES_J)) return true;
  return false;
}

/* What a kernel does in its first setting, and all its settings. */
struct terms {
  struct fs_work work;
  int settings;
  struct fs_tuning tunings[FS_MAX_VARIANTS];
};

/* Of calls that are placed, if its scheme can be theirs: the kernel in its first setting; one
 * that is only `looked_at` has none on the CPU, where no price depends on it. */
static enum fs_rule settle(const struct fs_group *g, bool looked_at, struct fs_kernel *k,
                          struct terms *t) {
  const struct fs_device *d = g->p->device;
  if (fits_in[k->scheme] && !fits_in[k->scheme](k, d)) return FS_RULE_SHAPE;
  if (!fills_space(k)) return FS_RULE_SHAPE;
  t->settings = 1;
  if (!looked_at || fs_device_has_warps(d)) t->settings = fs_tune_all(k, d, t->tunings);
  fs_kernel_price_into(g->p, k, &t->work);
  if (!looked_at) k->work = t->work;
  return FS_RULE_NONE;
}

static enum fs_rule build_one(struct fs_group *g, bool looked_at, unsigned inner,
                             enum fs_scheme scheme, struct fs_kernel *k, struct terms *t) {
  clear(k, scheme);
  k->any_size = g->p->options->any_size;
  enum fs_rule why = fs_place_calls(g, inner, k);
  if (why) return why;
  for (int c = 0; c < g->n; c++) *FS_PUSH(&k->calls) = g->calls[c];
  return settle(g, looked_at, k, t);
}

struct inner_visit {
  struct fs_visit v;
  struct fs_maker *p;
};

static void count_inner(struct fs_visit *v, fs_id id, bool whole) {
  (void)whole;
  struct fs_maker *p = ((struct inner_visit *)v)->p;
  struct fs_inner_use *u = &p->inner[p->calls->info[id].call];
  if (u->last <= p->inner_base) u->count = 0;
  u->count += u->last != p->inner_base + v->user;
  u->last = p->inner_base + v->user;
}

/* Which members' results are wanted outside the kernel. Takes time for them alone, not
 * for all calls of the block: it is asked for each of these. */
static void find_stored(struct fs_maker *p, const fs_id *calls, int n, bool *stored) {
  struct inner_visit in = {{.c = p->calls, .call = count_inner}, p};
  for (int k = 0; k < n; k++) {
    in.v.user = k + 1;
    fs_visit_call(&in.v, calls[k]);
  }
  for (int k = 0; k < n; k++) {
    int call = p->calls->info[calls[k]].call;
    const struct fs_inner_use *u = &p->inner[call];
    stored[k] = p->calls->info[calls[k]].must_store ||
                (u->last > p->inner_base ? u->count : 0) < p->calls->users[call];
  }
  p->inner_base += n;
}

/* The planner's group, with room for so many calls. */
static struct fs_group *group_for(struct fs_maker *p, int n) {
  if (!p->group) p->group = FS_NEW(p->arena, struct fs_group);
  struct fs_group *g = p->group;
  if (g->room < n) {
    g->stored = fs_realloc(g->stored, sizeof *g->stored * 2 * (size_t)n);
    g->extents = fs_realloc(g->extents, sizeof *g->extents * 2 * (size_t)n);
    g->room = 2 * n;
  }
  return g;
}

/* The planner's group, for these calls. FS_RULE_NONE, or the rule that forbids all kernels. */
static enum fs_rule open_group(struct fs_maker *p, const fs_id *calls, int n) {
  struct fs_group *g = group_for(p, n);
  g->p = p;
  g->calls = calls;
  g->n = n;
  g->pin = NULL;
  enum fs_rule why = fs_axes_unify(&g->ax, p, calls, n);
  if (why) return why;
  find_stored(p, calls, n, g->stored);
  fs_place_measure(g);
  fs_place_weigh(g);
  return FS_RULE_NONE;
}

static void free_group(struct fs_group *g) {
  if (!g) return;
  free(g->stored);
  free(g->extents);
  fs_axes_free(&g->ax);
}

/* -- all implementations ----------------------------------------------------------------------- */

/* "on-chip" says most about why: there all else was as it must be. Then "level", then "shape". */
static int rule_rank(enum fs_rule why) {
  if (!why) return 0;
  return why == FS_RULE_ON_CHIP ? 3 : why == FS_RULE_LEVEL ? 2 : 1;
}

/* Whether x needs no more than y of anything, and offers no less. */
static bool dominates(const struct fs_impl *x, const struct fs_impl *y) {
  return x->seconds <= y->seconds && x->bytes <= y->bytes &&
         x->strided <= y->strided && x->flops <= y->flops &&
         x->parallel >= y->parallel && x->syncs <= y->syncs;
}

/* Adds it behind those from there on that are as fast. */
static void insert(fs_impl_list *out, int from, struct fs_impl impl) {
  int at = out->len;
  *FS_PUSH(out) = impl;
  for (; at > from && out->data[at - 1].seconds > impl.seconds; at--)
    out->data[at] = out->data[at - 1];
  out->data[at] = impl;
}

/* Adds it behind those that are as fast; drops what it dominates, or it. */
static void add_impl(struct fs_maker *p, struct fs_impl impl, int from, fs_impl_list *out) {
  p->implementations += impl.variants;
  for (int k = from; k < out->len && !p->keep_all; k++)
    if (dominates(&out->data[k], &impl)) {
      p->dominated += impl.variants;
      return;
    }
  int kept = from;
  for (int k = from; k < out->len; k++)
    if (!p->keep_all && dominates(&impl, &out->data[k]))
      p->dominated += out->data[k].variants;
    else
      out->data[kept++] = out->data[k];
  out->len = kept;
  insert(out, from, impl);
}

/* Routines beside those whose calls take the least, each a setting behind the others. */
static void add_routines(struct fs_maker *p, struct fs_kernel *k,
                         const struct fs_work *w, struct fs_impl *impl) {
  int ways = fs_kernel_ways(p->g, k);
  for (int way = 1; way < ways && impl->variants < FS_MAX_VARIANTS; way++) {
    int v = impl->variants++;
    struct fs_work work = *w;
    fs_kernel_take_way(p->g, p->device, k, way);
    double seconds = fs_kernel_price_routines(k, p->device, &work).seconds;
    impl->each[v] = FS_MAX(seconds, impl->each[0] * (1 + fs_share(FS_PLAN_NOT_FIRST) * v));
  }
  if (ways > 1) fs_kernel_take_way(p->g, p->device, k, 0);
}

/* What the kernel takes with each of its settings, and which one is best: by the price
 * where such kernels were measured on this device, else the first, which is made for
 * what kernels wait for (tune.c). */
static void price_settings(const struct fs_maker *p, struct fs_kernel *k,
                           const struct terms *t, double best, struct fs_impl *impl) {
  const struct fs_device *d = p->device;
  impl->variants = t->settings;
  for (int v = 1; v < impl->variants; v++)
    impl->each[v] = impl->each[0] * (1 + fs_share(FS_PLAN_NOT_FIRST) * v);
  if (impl->variants == 1 || impl->each[0] > fs_share(FS_PLAN_SETTINGS_REACH) * best ||
      !fs_predict_knows_by(p->memo, &t->work, d))
    return;
  struct fs_work work = t->work;
  bool ring = fs_ring_stages(k, d) > 0;
  for (int v = 1; v < impl->variants; v++) {
    k->tune = t->tunings[v];
    fs_kernel_count_tuning(k, d, &work);
    impl->each[v] = fs_predict_by(p->memo, &work, d).seconds;
    bool gives_up = ring && !fs_ring_stages(k, d);
    double worth = fs_share(gives_up ? FS_PLAN_WORTH_A_RING : FS_PLAN_WORTH_A_CHANGE);
    if (impl->each[v] >= impl->seconds * (1 - worth)) continue;
    impl->seconds = impl->each[v];
    impl->variant = v;
  }
  k->tune = t->tunings[0];
}

static struct fs_impl summary(struct fs_maker *p, struct fs_kernel *k, unsigned inner,
                              const struct terms *t, double best) {
  const struct fs_work *w = &t->work;
  struct fs_impl impl = {.scheme = k->scheme, .inner = inner,
                         .seconds = k->first,
                         .strided = w->bytes_strided,
                         .flops = w->flops + w->special,
                         .syncs = w->grid_barrier};
  if (fs_device_has_warps(p->device)) impl.parallel = w->parallel; /* on a CPU it has its price */
  impl.bytes = w->bytes_read + w->bytes_written + w->bytes_extra;
  impl.variants = 1;
  impl.each[0] = k->first;
  if (k->n_applied) {
    struct fs_tuning tunings[FS_MAX_VARIANTS];
    impl.variants = fs_tune_variants(k, p->device, tunings);
    for (int v = 1; v < impl.variants; v++)
      impl.each[v] = impl.each[0] * (1 + fs_share(FS_PLAN_NOT_FIRST) * v);
    return impl;
  }
  price_settings(p, k, t, best, &impl);
  add_routines(p, k, w, &impl);
  return impl;
}

/* Users' functions have one scheme, in which each of their routines is a way. */
static enum fs_rule build_instance(struct fs_maker *p, const fs_id *calls, int n, int way,
                                  struct fs_kernel *k, struct fs_work *work) {
  bool *stored = fs_calloc((size_t)n, sizeof(bool));
  find_stored(p, calls, n, stored);
  clear(k, FS_INSTANCE);
  enum fs_rule why = fs_kernel_instance(p, calls, n, stored, way, k, work);
  free(stored);
  return why;
}

/* Adds the kernel that the planner's scratch is, or notes what forbids it. */
static void add_one(struct fs_group *g, unsigned inner, enum fs_rule no, const struct terms *t,
                    int from, fs_impl_list *out, enum fs_rule *worst) {
  struct fs_maker *p = g->p;
  struct fs_impl impl;
  double best = out->len > from ? out->data[from].seconds : HUGE_VAL; /* of those found so far */
  if (!no) impl = summary(p, &p->scratch, inner, t, best);
  if (!no && (!g->pin || fs_pin_restrict(p, g->pin, &p->scratch, &impl)))
    add_impl(p, impl, from, out);
  else if (!no)
    *worst = *worst ? *worst : FS_RULE_PIN;
  else if (rule_rank(no) > rule_rank(*worst))
    *worst = no;
}

/* Gives what forbids it, or NULL. */
static enum fs_rule survey_one(struct fs_group *g, unsigned inner, enum fs_scheme scheme,
                              int from, fs_impl_list *out, enum fs_rule *worst) {
  struct terms t;
  enum fs_rule no = build_one(g, !g->pin, inner, scheme, &g->p->scratch, &t);
  add_one(g, inner, no, &t, from, out, worst);
  return no;
}

/* Behind rows, whose kernel is in the scratch, where the scheme places calls as they do:
 * marches, and tiles that sum no rows. */
static enum fs_rule survey_like_rows(struct fs_group *g, unsigned inner, enum fs_scheme scheme,
                                    int from, fs_impl_list *out, enum fs_rule *worst) {
  struct fs_kernel *k = &g->p->scratch;
  struct terms t;
  k->scheme = scheme;
  k->tune = (struct fs_tuning){0};
  enum fs_rule no = settle(g, !g->pin, k, &t);
  add_one(g, inner, no, &t, from, out, worst);
  return no;
}

/* All routines stay in the list: what each is good for, no price tells for sure. */
static enum fs_rule survey_instance(struct fs_maker *p, const fs_id *calls, int n,
                                   const struct fs_kernel_pin *pin, fs_impl_list *out) {
  int from = out->len;
  for (int way = 0; way < fs_instance_ways(p, calls, n); way++) {
    struct terms t;
    enum fs_rule no = build_instance(p, calls, n, way, &p->scratch, &t.work);
    if (no) return no;
    struct fs_impl impl = summary(p, &p->scratch, (unsigned)way, &t, 0);
    fs_tune(&p->scratch, p->device);
    if (pin && !fs_pin_restrict(p, pin, &p->scratch, &impl)) continue;
    insert(out, from, impl);
    p->implementations += impl.variants;
  }
  return pin && out->len == from ? FS_RULE_PIN : FS_RULE_NONE;
}

/* Elements of the index space, however it is divided. */
static double space_of(const struct fs_axes *ax) {
  double n = 1;
  for (int c = 0; c < ax->n_classes; c++) n *= (double)ax->extent[c];
  return n;
}

static enum fs_rule survey(struct fs_maker *p, const fs_id *calls, int n,
                          const struct fs_kernel_pin *pin, fs_impl_list *out) {
  if (fs_is_instance(p, calls, n)) return survey_instance(p, calls, n, pin, out);
  enum fs_rule why = open_group(p, calls, n), worst = why;
  struct fs_group *g = p->group;
  int from = out->len;
  g->pin = pin;
  unsigned every = (1u << g->ax.n_classes) - 1;
  bool any_size = p->options->any_size;
  bool marches = !why && !any_size && fs_march_may_pay(space_of(&g->ax), p->device);
  for (unsigned x = 0; !why && x <= every; x++) {
    unsigned inner = every - x; /* flat first: it wins where all cost the same */
    if (inner == 0 && every != 0) continue;
    if (!fs_place_fits(g, inner)) {
      worst = worst ? worst : FS_RULE_SHAPE;
      continue;
    }
    enum fs_scheme first = inner == every ? FS_FLAT : FS_ROW;
    enum fs_scheme last = inner == every ? FS_FLAT : FS_TILE;
    bool like_rows = false; /* tiles are */
    for (enum fs_scheme s = first; s <= last; s++) {
      bool can = !(like_rows ? survey_like_rows(g, inner, s, from, out, &worst)
                             : survey_one(g, inner, s, from, out, &worst));
      like_rows = can && s == FS_ROW && !pin && !p->scratch.has.row_results;
      if (can && s == FS_ROW && marches)
        survey_like_rows(g, inner, FS_MARCH, from, out, &worst);
      /* Tiles have a text for each size; one that is flat serves most. */
      if (can && any_size && s == FS_FLAT) return FS_RULE_NONE;
      if (can && any_size) break;
    }
  }
  return out->len > from ? FS_RULE_NONE : worst ? worst : FS_RULE_SHAPE;
}

/* The same of calls of which others may have been alike. */
static enum fs_rule survey_alike(struct fs_maker *p, const fs_id *calls, int n, fs_impl_list *out) {
  const struct fs_group *g = group_for(p, n);
  enum fs_rule why;
  find_stored(p, calls, n, g->stored);
  if (fs_alike_find(p, calls, n, g->stored, out, &why)) return why;
  int64_t implementations = p->implementations, dominated = p->dominated;
  int from = out->len;
  why = survey(p, calls, n, NULL, out);
  fs_alike_keep(p, p->implementations - implementations, p->dominated - dominated,
                out->data + from, out->len - from, why);
  return why;
}

/* A pin that no implementation is as it wants is not followed. */
enum fs_rule fs_kernel_survey(struct fs_maker *p, const fs_id *calls, int n, fs_impl_list *out) {
  const struct fs_kernel_pin *pin = fs_plan_kernel_pin(p, calls, n);
  if (!pin && !p->keep_all && !fs_is_instance(p, calls, n))
    return survey_alike(p, calls, n, out);
  if (!pin) return survey(p, calls, n, NULL, out);
  bool keep = p->keep_all;
  p->keep_all = true;
  int from = out->len;
  enum fs_rule why = survey(p, calls, n, pin, out);
  p->keep_all = keep;
  return out->len > from ? why : survey(p, calls, n, NULL, out);
}

/* The kernel, which was made with the first setting, as another variant. */
static void take_variant(struct fs_maker *p, int variant, const struct terms *t,
                         struct fs_kernel *k) {
  struct fs_prediction pr;
  int n = t->settings;
  if (variant < n) {
    k->tune = t->tunings[variant];
    fs_kernel_count_tuning(k, p->device, &k->work);
    pr = fs_predict_by(p->memo, &k->work, p->device);
  } else {
    fs_kernel_take_way(p->g, p->device, k, variant - n + 1);
    pr = fs_kernel_price_routines(k, p->device, &k->work);
    k->flops = k->work.flops + k->work.special;
  }
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}

static void finish_kernel(struct fs_maker *p, const struct fs_impl *impl,
                          const struct terms *t, struct fs_kernel *k) {
  k->inner = impl->inner;
  k->classes = p->group->ax.n_classes;
  k->variant = impl->variant;
  if (impl->variant) take_variant(p, impl->variant, t, k);
}

void fs_kernel_make(struct fs_maker *p, const fs_id *calls, int n,
                    const struct fs_impl *impl, struct fs_kernel *out) {
  struct terms t;
  *out = (struct fs_kernel){0};
  if (impl->scheme == FS_LIBRARY) {
    fs_kernel_library(p, calls[0], out);
    return;
  }
  if (impl->scheme == FS_INSTANCE) {
    build_instance(p, calls, n, (int)impl->inner, out, &t.work);
    fs_tune_all(out, p->device, t.tunings);
    out->tune = t.tunings[impl->variant];
    return;
  }
  open_group(p, calls, n);
  build_one(p->group, false, impl->inner, impl->scheme, out, &t);
  finish_kernel(p, impl, &t, out);
}

bool fs_kernel_make_like(struct fs_maker *p, const struct fs_kernel *like, struct fs_kernel *out) {
  const fs_id *calls = like->calls.data;
  struct fs_impl impl = {.scheme = like->scheme, .inner = like->inner,
                         .variant = like->variant};
  struct terms t;
  *out = (struct fs_kernel){0};
  if (like->n_applied) return false;
  for (int c = 0; c < like->calls.len; c++)
    if (p->calls->info[calls[c]].role != (like->lib_node ? FS_RL_LIBRARY : FS_RL_CALL))
      return false;
  if (like->lib_node) {
    fs_kernel_library(p, calls[0], out);
    return true;
  }
  if (open_group(p, calls, like->calls.len) || p->group->ax.n_classes != like->classes ||
      !fs_place_fits(p->group, impl.inner) ||
      build_one(p->group, false, impl.inner, impl.scheme, out, &t)) {
    fs_kernel_free(out);
    return false;
  }
  finish_kernel(p, &impl, &t, out);
  return true;
}

/* -- kernels that come again ------------------------------------------------------- */

static bool is_made(const struct fs_made *m, const fs_id *calls, int n,
                    const struct fs_impl *impl) {
  return m->n == n && m->scheme == impl->scheme && m->inner == impl->inner &&
         m->variant == impl->variant && !memcmp(m->calls, calls, sizeof *calls * (size_t)n);
}

void fs_kernel_get(struct fs_maker *p, const fs_id *calls, int n,
                   const struct fs_impl *impl, struct fs_kernel *out) {
  if (!p->made_of) p->made_of = FS_NEW_N(p->arena, int, p->calls->list.len + 1);
  int *first = &p->made_of[p->calls->info[calls[0]].call], at = *first;
  while (at && !is_made(&p->made.data[at - 1], calls, n, impl)) at = p->made.data[at - 1].next;
  if (!at) {
    struct fs_made m = {.calls = calls, .n = n, .scheme = impl->scheme, .inner = impl->inner,
                        .variant = impl->variant, .next = *first};
    fs_kernel_make(p, calls, n, impl, &m.kernel);
    *FS_PUSH(&p->made) = m;
    at = *first = p->made.len;
  }
  fs_kernel_copy(&p->made.data[at - 1].kernel, out);
}

bool fs_kernel_alone(struct fs_maker *p, fs_id call, struct fs_impl *out) {
  const struct fs_impl *known = p->alone ? p->alone[p->calls->info[call].call] : NULL;
  *out = known ? *known : (struct fs_impl){.scheme = FS_LIBRARY};
  if (known || p->calls->info[call].role == FS_RL_LIBRARY) return true;
  fs_impl_list impls = {0};
  bool any = !fs_kernel_survey(p, &call, 1, &impls);
  if (any) *out = impls.data[0];
  FS_VEC_FREE(&impls);
  return any;
}

void fs_kernel_keep_alone(struct fs_maker *p, fs_id call, const struct fs_impl *impl) {
  if (p->options->n_kernel_pins) return;
  if (!p->alone) p->alone = FS_NEW_N(p->arena, const struct fs_impl *, p->calls->list.len);
  struct fs_impl *mine = FS_NEW(p->arena, struct fs_impl);
  *mine = *impl;
  p->alone[p->calls->info[call].call] = mine;
}

/* -- the maker ----------------------------------------------------------------------- */

void fs_maker_open(struct fs_maker *p, const struct fs_calls *calls,
                   const struct fs_device *device, const struct fs_plan_options *options,
                   bool many) {
  size_t n = (size_t)calls->g->nodes.len;
  *p = (struct fs_maker){.calls = calls, .g = calls->g, .device = device, .options = options,
                         .arena = fs_arena_new()};
  if (many) p->memo = FS_NEW(p->arena, struct fs_kind_memo);
  p->holder = FS_NEW_N(p->arena, int, n);
  p->holder_stamp = FS_NEW_N(p->arena, int, n);
  p->member_stamp = FS_NEW_N(p->arena, int, n);
  p->inner = FS_NEW_N(p->arena, struct fs_inner_use, calls->list.len + 1);
}

void fs_maker_close(struct fs_maker *p) {
  for (int k = 0; k < p->made.len; k++) fs_kernel_free(&p->made.data[k].kernel);
  FS_VEC_FREE(&p->made);
  fs_kernel_free(&p->scratch);
  FS_VEC_FREE(&p->spare_steps);
  free_group(p->group);
  fs_alike_free(p->alike);
  fs_arena_free(p->arena);
}
