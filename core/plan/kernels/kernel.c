/* kernel.c - from a group of calls to the kernels that run them.
 *
 * Every way to divide the group's axes and every scheme in which the calls can be
 * placed (place.c) is an implementation of the fusion (Filipovic et al., section 4.2,
 * "generation of fusion implementations"), and stays one unless another needs no more
 * of anything.
 */
#include "core/plan/kernels/place.h"

#include <math.h>
#include <stdio.h>

#include "core/schedule/scan.h"

static double rule(enum fs_schedule_number n) { return fs_schedule_share(n); }

enum { ON_CHIP_ROW = 256 << 10 }; /* CPU: bytes of a row that stay in a cache */

/* -- cost --------------------------------------------------------------------------------- */

static bool against_grain(const struct fs_kernel *k, const struct fs_access *a) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  if (k->space.n_inner == 0 || !(a->varies & FS_VARIES_J)) return false;
  int64_t s = a->stride[last];
  return k->space.dim[last] > 1 && (s > 1 || s < -1);
}

/* A strided vector that the CPU target copies once for all groups of rows
 * (device/cpu/lines.c): then the rows go over what lies in order. */
static bool is_copied_once(const struct fs_kernel *k, const struct fs_access *a,
                           enum fs_step_kind kind) {
  return kind == FS_SP_LOAD && k->scheme != FS_FLAT && a->varies == FS_VARIES_J;
}

/* Two loads of one array along the same strides: shifted slices, which overlap
 * but for their edges. */
static bool same_array(const struct fs_graph *g, const struct fs_access *x,
                       const struct fs_access *y) {
  return fs_place_same_array(g, x->slot, y->slot) && x->list == y->list &&
         x->dtype == y->dtype && !memcmp(x->stride, y->stride, sizeof x->stride);
}

/* Whether two loads along the same strides have elements in common, if one lay `apart`
 * elements on: steps within the space, the longest first, lead from one to the other. */
static bool overlap(const struct fs_kernel *k, const struct fs_access *x,
                    const struct fs_access *y, int64_t apart) {
  int64_t rest = x->offset - y->offset - apart, before = INT64_MAX;
  for (;;) {
    int64_t step = 0, most = 0;
    for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++) {
      int64_t s = x->stride[axis] < 0 ? -x->stride[axis] : x->stride[axis];
      if (s < before && s > step) step = s, most = k->space.dim[axis];
    }
    if (!step) return rest == 0;
    int64_t times = (rest + (rest < 0 ? -step : step) / 2) / step; /* to the nearest */
    if (times >= most || times <= -most) return false;
    rest -= times * step;
    before = step;
  }
}

/* Whether two loads along the same strides, which overlap, are shifted along one row. */
static bool in_one_row(const struct fs_kernel *k, const struct fs_access *x,
                       const struct fs_access *y) {
  int64_t apart = x->offset > y->offset ? x->offset - y->offset : y->offset - x->offset;
  for (int axis = 0; axis < k->space.n_outer + k->space.n_inner; axis++)
    if (x->stride[axis] == 1 || x->stride[axis] == -1) return apart < k->space.dim[axis];
  return apart == 0;
}

/* Whether a load takes every second element of what lies in memory. */
static bool is_spaced(const struct fs_kernel *k, const struct fs_access *a) {
  bool spaced = false;
  for (int x = 0; x < k->space.n_outer + k->space.n_inner; x++) {
    if (k->space.dim[x] > 1 && (a->stride[x] == 1 || a->stride[x] == -1)) return false;
    spaced |= k->space.dim[x] > 1 && a->stride[x] == 2;
  }
  return spaced;
}

/* Whether it comes by whole vectors (emit/sweep.c). */
static bool comes_whole(const struct fs_kernel *k, const struct fs_access *a) {
  int last = k->space.n_outer + k->space.n_inner - 1;
  if ((k->scheme != FS_FLAT && k->scheme != FS_ROW) || k->tune.vec == 1 ||
      a->stride[last] != 2)
    return false;
  for (int x = 0; x < last; x++)
    if (k->space.dim[x] > 1 && a->stride[x] % k->tune.vec) return false;
  return true;
}

/* Whether the elements between those of a spaced load are some other one's. */
static bool has_between(const struct fs_graph *g, const struct fs_kernel *k,
                        const struct fs_access *a) {
  bool found = false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || !same_array(g, &k->accesses.data[s->access], a)) continue;
    found |= overlap(k, &k->accesses.data[s->access], a, 1);
    found |= overlap(k, &k->accesses.data[s->access], a, -1);
  }
  return found;
}

/* Whether a square matrix that is read across is read as it lies, too: then the cache has
 * it. (A + A') / 2 of 8192 takes an H200 145 us in f32 and 79 in bf16; were it not for the
 * order of the tiles, 188 and 97. */
static bool is_mirrored(const struct fs_graph *g, const struct fs_kernel *k,
                        const struct fs_access *a) {
  if (a->varies != 3 || a->stride[0] != 1 || a->stride[1] == 1) return false;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD) continue;
    const struct fs_access *b = &k->accesses.data[s->access];
    if (fs_place_same_array(g, a->slot, b->slot) &&
        b->varies == 3 && a->offset == b->offset && a->stride[0] == b->stride[1] &&
        a->stride[1] == b->stride[0])
      return true;
  }
  return false;
}

static bool mirrors(const struct fs_graph *g, const struct fs_kernel *k) {
  enum { MOST = 1 << 16 }; /* rows: the squares' numbers have exact roots in f32 */
  if (!fs_kernel_turns(k) || k->space.m != k->space.n || k->space.n > MOST) return false;
  for (int x = 0; x < k->accesses.len; x++)
    if (is_mirrored(g, k, &k->accesses.data[x])) return true;
  return false;
}

/* What a load costs a GPU's tile kernel, in bytes of one of words: a warp asks for 32
 * neighbours, and a multiprocessor has so many requests under way, whatever they bring. By
 * tiles A'*x of 5003, 6000 and 8191 takes an H200 35, 43 and 63 us in bf16, and 31, 43 and
 * 71 in f32. Rows that are no whole vectors keep the lower price: kernels over rows, which
 * would be taken in their place, take longer there than they are predicted to. */
static double asked_bytes(const struct fs_kernel *k, const struct fs_access *a, double bytes) {
  enum { WORD = 4, VECTOR = 16 };
  double size = (double)fs_dtype_size(a->dtype);
  bool whole = k->space.n * (int64_t)fs_dtype_size(a->dtype) % VECTOR == 0;
  bool narrow = k->scheme == FS_TILE && !fs_kernel_turns(k) && a->varies == 3 &&
                size < WORD && whole;
  return narrow ? bytes / size * WORD : bytes;
}

/* The lists that loads go by. */
static void count_lists(const struct fs_kernel *k, struct fs_work *w) {
  for (int x = 0; x < k->accesses.len; x++) {
    if (!fs_access_is_list(k, x)) continue;
    double bytes = fs_access_bytes(k, &k->accesses.data[x]);
    w->bytes_read += bytes;
    w->bytes_asked += bytes;
  }
}

static void count_traffic(const struct fs_graph *g, const struct fs_kernel *k,
                          bool cuda, struct fs_work *w) {
  count_lists(k, w);
  for (int i = 0; i < k->steps.len && !fs_interrupted(); i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->access < 0) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    bool seen = false; /* the same elements loaded by another step */
    bool row = false;  /* ... of the same row */
    for (int j = 0; j < i && s->kind == FS_SP_LOAD; j++) {
      const struct fs_step *t = &k->steps.data[j];
      if (t->kind != FS_SP_LOAD || !same_array(g, &k->accesses.data[t->access], a))
        continue;
      seen |= !cuda || overlap(k, &k->accesses.data[t->access], a, 0);
      row |= in_one_row(k, &k->accesses.data[t->access], a);
      w->shifted |= k->accesses.data[t->access].offset != a->offset;
    }
    if (seen && !row) w->bytes_near += fs_access_bytes(k, a);
    if (seen || (k->mirrors && is_mirrored(g, k, a))) continue;
    double bytes = fs_access_bytes(k, a);
    bool spaced = cuda && s->kind == FS_SP_LOAD && is_spaced(k, a);
    if (spaced && !has_between(g, k, a)) bytes *= 2;
    if (s->kind == FS_SP_LOAD) w->bytes_read += bytes;
    else w->bytes_written += bytes;
    if (s->kind == FS_SP_LOAD) w->bytes_asked += asked_bytes(k, a, bytes);
    bool turned = fs_kernel_turns(k) || (spaced && comes_whole(k, a));
    turned |= !cuda && is_copied_once(k, a, s->kind);
    if (k->scheme != FS_MARCH && !turned && against_grain(k, a)) w->bytes_strided += bytes;
  }
}

static double elements(const struct fs_kernel *k, uint8_t varies) {
  double n = 1;
  if (varies & FS_VARIES_I) n *= (double)k->space.m;
  if (varies & FS_VARIES_J) n *= (double)k->space.n;
  return n;
}

static void count_operations(const struct fs_kernel *k, struct fs_work *w) {
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->out >= 0 && k->values.data[s->out].same_as >= 0) continue;
    if (s->kind == FS_SP_REDUCE) {
      w->flops += 2 * elements(k, k->values.data[s->in[0]].varies);
    } else if (s->kind == FS_SP_RAND) {
      w->special += 4 * elements(k, k->values.data[s->out].varies);
    } else if (s->kind == FS_SP_MAP) {
      double n = elements(k, k->values.data[s->out].varies);
      if (s->user) {
        w->flops += n * s->user->flops;
        continue;
      }
      bool special = fs_map_ops[s->op].types == 'F' && s->op != FS_OP_FMA;
      *(special ? &w->special : &w->flops) += n;
    }
  }
}

/* Rows read again in a later sweep that did not stay on chip, and column sums
 * that do not fit the registers of a block, or of those of a cluster: they lie in
 * the cache, and some rows at once add to them. */
static void count_extra(const struct fs_kernel *k, const struct fs_device *d,
                        struct fs_work *w) {
  if (k->scheme != FS_ROW || (d->is_cuda && fs_tune_holds(k))) return;
  double row = 0;
  for (int i = 0; i < k->steps.len && k->n_phases > 1; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->kind != FS_SP_LOAD || k->accesses.data[s->access].varies != 3)
      continue;
    bool again = false;
    for (int j = 0; j < k->steps.len; j++)
      FS_EACH_IN(&k->steps.data[j], x)
        again |= k->steps.data[j].in[x] == s->out &&
                 k->steps.data[j].phase > s->phase;
    enum fs_dtype dt = k->accesses.data[s->access].dtype;
    if (again) row += (double)k->space.n * (double)fs_dtype_size(dt);
  }
  if (d->is_cuda || row > ON_CHIP_ROW)
    w->bytes_extra += row * (double)k->space.m;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    bool columns = s->kind == FS_SP_REDUCE && s->over == FS_VARIES_I &&
                   k->values.data[s->in[0]].varies == 3;
    if (columns && d->is_cuda)
      w->bytes_extra +=
          2 * (double)fs_dtype_size(
                  fs_dtype_compute(k->values.data[s->out].dtype)) *
          (double)k->space.m * (double)k->space.n / k->tune.iters;
  }
}

/* On a GPU; how many tasks the CPU target has is known (work.c). */
static double parallel_pieces(const struct fs_kernel *k,
                              const struct fs_device *d) {
  double m = (double)k->space.m, n = (double)k->space.n;
  if (k->scheme == FS_FLAT) return n / 1024 + 1;
  if (k->scheme == FS_MARCH) return d->units;
  if (k->scheme == FS_ROW) return n >= 512 ? m : m * n / 512 + 1;
  return (m / 256 + 1) * (n / 32 + 1);
}

/* What a kernel does in its setting, and how long that takes. */
static void price(const struct fs_planner *p, struct fs_kernel *k, struct fs_work *w) {
  const struct fs_device *d = p->device;
  memset(w, 0, offsetof(struct fs_work, amounts)); /* of which there are none yet */
  k->mirrors = mirrors(p->g, k);
  count_traffic(p->g, k, d->is_cuda, w);
  count_operations(k, w);
  count_extra(k, d, w);
  w->parallel = parallel_pieces(k, d);
  w->working_set = FS_MAX(p->working_set, w->bytes_read + w->bytes_written);
  w->general_index = k->space.n_inner > 1 || k->space.n_outer > 1;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    w->grid_barrier |= s->phase == FS_END && k->scheme != FS_FLAT;
  }
  fs_kernel_count(k, d, w);
  struct fs_prediction pr = fs_predict_by(p->memo, w, d);
  k->bytes_read = w->bytes_read;
  k->bytes_written = w->bytes_written;
  k->flops = w->flops + w->special;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}

void fs_kernel_price(const struct fs_planner *p, struct fs_kernel *k) {
  price(p, k, &k->work);
}

/* -- putting it together --------------------------------------------------------------------- */

/* An empty kernel in the room of the last one. */
static void clear(struct fs_kernel *k, enum fs_scheme scheme) {
  struct fs_kernel old; /* as far as its lists go: it is large, and this comes often */
  old.values = k->values;
  old.steps = k->steps;
  old.accesses = k->accesses;
  old.calls = k->calls;
  *k = (struct fs_kernel){.scheme = scheme};
  k->values = old.values;
  k->steps = old.steps;
  k->accesses = old.accesses;
  k->calls = old.calls;
  k->values.len = k->steps.len = k->accesses.len = k->calls.len = 0;
}

/* The paper's 32 x 32 tiles want one outer and one inner axis of some length. */
static bool tile_fits(const struct fs_kernel *k) {
  return k->space.n_outer == 1 && k->space.n_inner == 1;
}

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
static const char *settle(const struct fs_group *g, bool looked_at, struct fs_kernel *k,
                          struct terms *t) {
  const struct fs_device *d = g->p->device;
  if (k->scheme == FS_TILE && !tile_fits(k)) return "shape";
  if (k->scheme == FS_MARCH && !fs_march_pays(k, d)) return "shape";
  if (!fills_space(k)) return "shape";
  t->settings = 1;
  if (!looked_at || d->is_cuda) t->settings = fs_tune_all(k, d, t->tunings);
  price(g->p, k, &t->work);
  if (!looked_at) k->work = t->work;
  return NULL;
}

static const char *build_one(struct fs_group *g, bool looked_at, unsigned inner,
                             enum fs_scheme scheme, struct fs_kernel *k,
                             struct terms *t) {
  clear(k, scheme);
  k->any_size = g->p->options->any_size;
  const char *why = fs_place_calls(g, inner, k);
  if (why) return why;
  for (int c = 0; c < g->n; c++) *FS_PUSH(&k->calls) = g->calls[c];
  return settle(g, looked_at, k, t);
}

static void count_inner(struct fs_visit *v, fs_id id, bool whole) {
  (void)whole;
  struct fs_planner *p = v->p;
  struct fs_inner_use *u = &p->inner[p->info[id].call];
  if (u->last <= p->inner_base) u->count = 0;
  u->count += u->last != p->inner_base + v->user;
  u->last = p->inner_base + v->user;
}

/* Which members' results are wanted outside the kernel. Takes time for them alone, not
 * for all calls of the block: it is asked for each of these. */
static void find_stored(struct fs_planner *p, const fs_id *calls, int n,
                        bool *stored) {
  struct fs_visit v = {.p = p, .call = count_inner};
  for (v.user = 1; v.user <= n; v.user++) fs_visit_call(&v, calls[v.user - 1]);
  for (int k = 0; k < n; k++) {
    int call = p->info[calls[k]].call;
    const struct fs_inner_use *u = &p->inner[call];
    stored[k] = p->info[calls[k]].must_store ||
                (u->last > p->inner_base ? u->count : 0) < p->call_users[call];
  }
  p->inner_base += n;
}

/* The planner's group, with room for so many calls. */
static struct fs_group *group_for(struct fs_planner *p, int n) {
  if (!p->group) p->group = FS_NEW(p->arena, struct fs_group);
  struct fs_group *g = p->group;
  if (g->room < n) {
    g->stored = fs_realloc(g->stored, sizeof *g->stored * 2 * (size_t)n);
    g->extents = fs_realloc(g->extents, sizeof *g->extents * 2 * (size_t)n);
    g->room = 2 * n;
  }
  return g;
}

/* The planner's group, for these calls. NULL, or the rule that forbids all kernels. */
static const char *open_group(struct fs_planner *p, const fs_id *calls, int n) {
  struct fs_group *g = group_for(p, n);
  g->p = p;
  g->calls = calls;
  g->n = n;
  g->pin = NULL;
  const char *why = fs_axes_unify(&g->ax, p, calls, n);
  if (why) return why;
  find_stored(p, calls, n, g->stored);
  fs_place_measure(g);
  fs_place_weigh(g);
  return NULL;
}

void fs_group_free(struct fs_group *g) {
  if (!g) return;
  free(g->stored);
  free(g->extents);
  fs_axes_free(&g->ax);
}

/* -- all implementations ----------------------------------------------------------------------- */

/* "on-chip" says most about why: there all else was as it must be. Then "level",
 * then "shape". */
static int rule_rank(const char *why) {
  if (!why) return 0;
  return !strcmp(why, "on-chip") ? 3 : !strcmp(why, "level") ? 2 : 1;
}

/* Whether x needs no more than y of anything, and offers no less. */
static bool dominates(const struct fs_impl *x, const struct fs_impl *y) {
  return x->seconds <= y->seconds && x->bytes <= y->bytes &&
         x->strided <= y->strided && x->flops <= y->flops &&
         x->parallel >= y->parallel && x->on_chip <= y->on_chip &&
         x->syncs <= y->syncs;
}

/* Adds it behind those that are as fast; drops what it dominates, or it. */
static void add_impl(struct fs_planner *p, struct fs_impl impl, int from,
                     fs_impl_list *out) {
  p->space.implementations += impl.variants;
  for (int k = from; k < out->len && !p->keep_all; k++)
    if (dominates(&out->data[k], &impl)) {
      p->space.pruned[FS_RULE_DOMINATED] += impl.variants;
      return;
    }
  int kept = from;
  for (int k = from; k < out->len; k++)
    if (!p->keep_all && dominates(&impl, &out->data[k]))
      p->space.pruned[FS_RULE_DOMINATED] += out->data[k].variants;
    else
      out->data[kept++] = out->data[k];
  out->len = kept;
  int at = out->len;
  *FS_PUSH(out) = impl;
  for (; at > from && out->data[at - 1].seconds > impl.seconds; at--)
    out->data[at] = out->data[at - 1];
  out->data[at] = impl;
}

/* What a kernel that takes another routine of the user's functions does. */
static struct fs_prediction price_routines(const struct fs_kernel *k,
                                           const struct fs_device *d,
                                           struct fs_work *w) {
  w->flops = w->special = 0;
  count_operations(k, w);
  fs_kernel_count(k, d, w);
  return fs_predict(w, d);
}

/* Routines beside those whose calls take the least, each a setting behind the
 * others. */
static void add_routines(struct fs_planner *p, struct fs_kernel *k,
                         const struct fs_work *w, struct fs_impl *impl) {
  int ways = fs_kernel_ways(p->g, k);
  for (int way = 1; way < ways && impl->variants < FS_MAX_VARIANTS; way++) {
    int v = impl->variants++;
    struct fs_work work = *w;
    fs_kernel_take_way(p->g, p->device, k, way);
    double seconds = price_routines(k, p->device, &work).seconds;
    impl->each[v] = FS_MAX(seconds, impl->each[0] * (1 + rule(FS_PLAN_NOT_FIRST) * v));
  }
  if (ways > 1) fs_kernel_take_way(p->g, p->device, k, 0);
}

/* What the kernel takes with each of its settings, and which one is best: by the price
 * where such kernels were measured on this device, else the first, which is made for
 * what kernels wait for (tune.c). */
static void price_settings(const struct fs_planner *p, struct fs_kernel *k,
                           const struct terms *t, double best, struct fs_impl *impl) {
  const struct fs_device *d = p->device;
  impl->variants = t->settings;
  for (int v = 1; v < impl->variants; v++)
    impl->each[v] = impl->each[0] * (1 + rule(FS_PLAN_NOT_FIRST) * v);
  if (impl->variants == 1 || impl->each[0] > rule(FS_PLAN_SETTINGS_REACH) * best ||
      !fs_predict_knows_by(p->memo, &t->work, d))
    return;
  struct fs_work work = t->work;
  bool ring = fs_ring_stages(k, d) > 0;
  for (int v = 1; v < impl->variants; v++) {
    k->tune = t->tunings[v];
    fs_kernel_count_tuning(k, d, &work);
    impl->each[v] = fs_predict_by(p->memo, &work, d).seconds;
    bool gives_up = ring && !fs_ring_stages(k, d);
    double worth = rule(gives_up ? FS_PLAN_WORTH_A_RING : FS_PLAN_WORTH_A_CHANGE);
    if (impl->each[v] >= impl->seconds * (1 - worth)) continue;
    impl->seconds = impl->each[v];
    impl->variant = v;
  }
  k->tune = t->tunings[0];
}

static struct fs_impl summary(struct fs_planner *p, struct fs_kernel *k, unsigned inner,
                              const struct terms *t, double best) {
  const struct fs_work *w = &t->work;
  struct fs_impl impl = {.scheme = k->scheme, .inner = inner,
                         .seconds = k->first,
                         .strided = w->bytes_strided,
                         .flops = w->flops + w->special,
                         .syncs = w->grid_barrier};
  if (p->device->is_cuda) impl.parallel = w->parallel; /* on a CPU it has its price */
  impl.bytes = w->bytes_read + w->bytes_written + w->bytes_extra;
  impl.on_chip = fs_kernel_footprint(k);
  impl.variants = 1;
  impl.each[0] = k->first;
  if (k->scheme == FS_INSTANCE) {
    struct fs_tuning tunings[FS_MAX_VARIANTS];
    impl.variants = fs_tune_variants(k, p->device, tunings);
    for (int v = 1; v < impl.variants; v++)
      impl.each[v] = impl.each[0] * (1 + rule(FS_PLAN_NOT_FIRST) * v);
    return impl;
  }
  price_settings(p, k, t, best, &impl);
  add_routines(p, k, w, &impl);
  return impl;
}

/* Users' functions have one scheme, in which each of their routines is a way. */
static const char *build_instance(struct fs_planner *p, const fs_id *calls,
                                  int n, int way, struct fs_kernel *k,
                                  struct fs_work *work) {
  bool *stored = fs_calloc((size_t)n, sizeof(bool));
  find_stored(p, calls, n, stored);
  clear(k, FS_INSTANCE);
  const char *why = fs_kernel_instance(p, calls, n, stored, way, k, work);
  free(stored);
  return why;
}

/* The least time of those found so far. */
static double best_of(const fs_impl_list *list, int from) {
  return list->len > from ? list->data[from].seconds : HUGE_VAL;
}

/* Adds the kernel that the planner's scratch is, or notes what forbids it. */
static void add_one(struct fs_group *g, unsigned inner, const char *no, const struct terms *t,
                    int from, fs_impl_list *out, const char **worst) {
  struct fs_planner *p = g->p;
  struct fs_impl impl;
  if (!no) impl = summary(p, &p->scratch, inner, t, best_of(out, from));
  if (!no && (!g->pin || fs_pin_restrict(p, g->pin, &p->scratch, &impl)))
    add_impl(p, impl, from, out);
  else if (!no)
    *worst = *worst ? *worst : fs_rule_names[FS_RULE_PIN];
  else if (rule_rank(no) > rule_rank(*worst))
    *worst = no;
}

/* Gives what forbids it, or NULL. */
static const char *survey_one(struct fs_group *g, unsigned inner, enum fs_scheme scheme,
                              int from, fs_impl_list *out, const char **worst) {
  struct terms t;
  const char *no = build_one(g, !g->pin, inner, scheme, &g->p->scratch, &t);
  add_one(g, inner, no, &t, from, out, worst);
  return no;
}

/* Behind rows, whose kernel is in the scratch, where the scheme places calls as they do:
 * marches, and tiles that sum no rows. */
static const char *survey_like_rows(struct fs_group *g, unsigned inner, enum fs_scheme scheme,
                                    int from, fs_impl_list *out, const char **worst) {
  struct fs_kernel *k = &g->p->scratch;
  struct terms t;
  k->scheme = scheme;
  k->tune = (struct fs_tuning){0};
  const char *no = settle(g, !g->pin, k, &t);
  add_one(g, inner, no, &t, from, out, worst);
  return no;
}

static bool sums_rows(const struct fs_kernel *k) {
  for (int i = 0; i < k->steps.len; i++)
    if (k->steps.data[i].kind == FS_SP_REDUCE && k->steps.data[i].over == FS_VARIES_J)
      return true;
  return false;
}

/* All routines stay in the list: what each is good for, no price tells for sure. */
static const char *survey_instance(struct fs_planner *p, const fs_id *calls,
                                   int n, const struct fs_kernel_pin *pin,
                                   fs_impl_list *out) {
  int from = out->len;
  for (int way = 0; way < fs_instance_ways(p, calls, n); way++) {
    struct terms t;
    const char *no = build_instance(p, calls, n, way, &p->scratch, &t.work);
    if (no) return no;
    struct fs_impl impl = summary(p, &p->scratch, (unsigned)way, &t, 0);
    fs_tune(&p->scratch, p->device);
    if (pin && !fs_pin_restrict(p, pin, &p->scratch, &impl)) continue;
    int at = out->len;
    *FS_PUSH(out) = impl;
    for (; at > from && out->data[at - 1].seconds > impl.seconds; at--)
      out->data[at] = out->data[at - 1];
    out->data[at] = impl;
    p->space.implementations += impl.variants;
  }
  return pin && out->len == from ? fs_rule_names[FS_RULE_PIN] : NULL;
}

/* Elements of the index space, however it is divided. */
static double space_of(const struct fs_axes *ax) {
  double n = 1;
  for (int c = 0; c < ax->n_classes; c++) n *= (double)ax->extent[c];
  return n;
}

static const char *survey(struct fs_planner *p, const fs_id *calls, int n,
                          const struct fs_kernel_pin *pin, fs_impl_list *out) {
  if (fs_is_instance(p, calls, n)) return survey_instance(p, calls, n, pin, out);
  const char *why = open_group(p, calls, n), *worst = why;
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
      worst = worst ? worst : fs_rule_names[FS_RULE_SHAPE];
      continue;
    }
    enum fs_scheme first = inner == every ? FS_FLAT : FS_ROW;
    enum fs_scheme last = inner == every ? FS_FLAT : FS_TILE;
    bool like_rows = false; /* tiles are */
    for (enum fs_scheme s = first; s <= last; s++) {
      bool can = !(like_rows ? survey_like_rows(g, inner, s, from, out, &worst)
                             : survey_one(g, inner, s, from, out, &worst));
      like_rows = can && s == FS_ROW && !pin && !sums_rows(&p->scratch);
      if (can && s == FS_ROW && marches)
        survey_like_rows(g, inner, FS_MARCH, from, out, &worst);
      /* Tiles have a text for each size; one that is flat serves most. */
      if (can && any_size && s == FS_FLAT) return NULL;
      if (can && any_size) break;
    }
  }
  return out->len > from ? NULL : worst ? worst : "shape";
}

/* The same of calls of which others may have been alike. */
static const char *survey_alike(struct fs_planner *p, const fs_id *calls, int n,
                                fs_impl_list *out) {
  const struct fs_group *g = group_for(p, n);
  const char *why;
  find_stored(p, calls, n, g->stored);
  if (fs_alike_find(p, calls, n, g->stored, out, &why)) return why;
  struct fs_space_counts before = p->space;
  int from = out->len;
  why = survey(p, calls, n, NULL, out);
  fs_alike_keep(p, &before, out->data + from, out->len - from, why);
  return why;
}

/* A pin that no implementation is as it wants is not followed. */
const char *fs_kernel_survey(struct fs_planner *p, const fs_id *calls, int n,
                             fs_impl_list *out) {
  const struct fs_kernel_pin *pin = fs_plan_kernel_pin(p, calls, n);
  if (!pin && !p->keep_all && !fs_is_instance(p, calls, n))
    return survey_alike(p, calls, n, out);
  if (!pin) return survey(p, calls, n, NULL, out);
  bool keep = p->keep_all;
  p->keep_all = true;
  int from = out->len;
  const char *why = survey(p, calls, n, pin, out);
  p->keep_all = keep;
  return out->len > from ? why : survey(p, calls, n, NULL, out);
}

/* The kernel, which was made with the first setting, as another variant. */
static void take_variant(struct fs_planner *p, int variant, const struct terms *t,
                         struct fs_kernel *k) {
  struct fs_prediction pr;
  int n = t->settings;
  if (variant < n) {
    k->tune = t->tunings[variant];
    fs_kernel_count_tuning(k, p->device, &k->work);
    pr = fs_predict_by(p->memo, &k->work, p->device);
  } else {
    fs_kernel_take_way(p->g, p->device, k, variant - n + 1);
    pr = price_routines(k, p->device, &k->work);
    k->flops = k->work.flops + k->work.special;
  }
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}

static void finish_kernel(struct fs_planner *p, const struct fs_impl *impl,
                          const struct terms *t, struct fs_kernel *k) {
  k->inner = impl->inner;
  k->classes = p->group->ax.n_classes;
  k->variant = impl->variant;
  if (impl->variant) take_variant(p, impl->variant, t, k);
  fs_kernel_order(k);
}

void fs_kernel_make(struct fs_planner *p, const fs_id *calls, int n,
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

bool fs_kernel_make_like(struct fs_planner *p, const struct fs_kernel *like,
                         struct fs_kernel *out) {
  const fs_id *calls = like->calls.data;
  struct fs_impl impl = {.scheme = like->scheme, .inner = like->inner,
                         .variant = like->variant};
  struct terms t;
  *out = (struct fs_kernel){0};
  if (like->scheme == FS_INSTANCE) return false;
  for (int c = 0; c < like->calls.len; c++)
    if (p->info[calls[c]].role != (like->scheme == FS_LIBRARY ? FS_RL_LIBRARY : FS_RL_CALL))
      return false;
  if (like->scheme == FS_LIBRARY) {
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

/* -- library calls ----------------------------------------------------------------- */

struct fs_layout fs_plan_layout(const struct fs_graph *g, fs_id id) {
  const struct fs_node *nd = fs_node(g, id);
  int64_t count;
  if (nd->kind == FS_ND_INPUT) return fs_graph_input_layout(g, nd->slot);
  if (nd->kind != FS_ND_VIEW) return fs_layout_new(nd->dtype, &nd->shape, &count);
  struct fs_layout base = fs_plan_layout(g, nd->src[0]), l = {0};
  l.offset = base.offset;
  for (int s = 0; s < nd->view.src_rank; s++) {
    l.offset += nd->view.off[s] * base.stride[s];
    int a = nd->view.axis[s];
    if (a >= 0) l.stride[a] += nd->view.step[s] * base.stride[s];
  }
  return l;
}

const struct fs_stored *fs_plan_stored(struct fs_planner *p, fs_id id) {
  struct fs_stored *s = &p->stored_as[id];
  if (s->known) return s;
  *s = (struct fs_stored){.known = true, .layout = fs_plan_layout(p->g, id),
                          .count = fs_shape_count(&fs_node(p->g, id)->shape)};
  return s;
}

/* Whether the library computes half of a symmetric product, by syrk: a CPU's does. */
static bool by_half(const struct fs_node *nd, const struct fs_device *d) {
  return fs_lib_with_itself(nd) && !(d && d->is_cuda);
}

static double library_flops(const struct fs_graph *g, const struct fs_node *nd,
                            const struct fs_device *d) {
  double m = (double)fs_shape_dim(&nd->lib_shape[0], 0);
  double n = (double)fs_shape_dim(&nd->lib_shape[0], 1);
  double r = (double)fs_shape_dim(&nd->lib_shape[1], 1), least = FS_MIN(m, n);
  switch (nd->op) {
    case FS_LIB_GEMM: {
      if (nd->lib_flags & FS_LIB_TRANS_B) r = (double)fs_shape_dim(&nd->lib_shape[1], 0);
      return (by_half(nd, d) ? 1 : 2) * m * n * r;
    }
    case FS_LIB_SOLVE:
      if (fs_graph_triangle(g, nd->src[0])) return n * n * r;
      return 2.0 / 3 * n * n * m + 2 * n * n * r;
    case FS_LIB_INV: return 2 * n * n * n;
    case FS_LIB_CHOL: return n * n * n / 3;
    case FS_LIB_EIGVALS: return 4.0 / 3 * n * n * n;
    case FS_LIB_EIGVECS: return 9 * n * n * n;
    case FS_LIB_SVDVALS: return 8.0 / 3 * m * n * n;
    case FS_LIB_SVD: return least * (6 * m * n + 20 * least * least);
    case FS_LIB_QR: return 4 * least * least * (FS_MAX(m, n) - least / 3);
    case FS_LIB_LU: return least * least * (FS_MAX(m, n) - least / 3);
    case FS_LIB_QR_R: return 2 * least * least * (FS_MAX(m, n) - least / 3);
    default: return 0;
  }
}

/* How often running sums read what they take: long lines twice, first for the totals of
 * their parts. */
static int scan_reads(const struct fs_node *nd, const struct fs_layout *layout) {
  const struct fs_shape *s = &nd->lib_shape[0];
  int axis = nd->lib_flags & FS_LIB_AXIS, last = s->rank - 1 - (axis == s->rank - 1);
  int64_t n = fs_shape_dim(s, axis);
  bool lines_first =
      s->rank > 1 && llabs(layout->stride[last]) < llabs(layout->stride[axis]);
  return fs_scan_cut(n, fs_shape_count(s) / FS_MAX(n, 1), lines_first).parts > 1 ? 2 : 1;
}

/* What a sort moves that moves its values `times` in every pass, and where they were as
 * often, but for the first. */
static double sort_bytes(const struct fs_node *nd, enum fs_dtype dt, int times) {
  int64_t n = fs_shape_dim(&nd->lib_shape[0], nd->lib_flags & FS_LIB_AXIS);
  double count = (double)fs_shape_count(&nd->shape);
  int passes = fs_sort_passes(dt, n);
  if (n <= FS_SCAN_TILE) times = 1;
  double values = count * (double)fs_dtype_size(dt) * times * passes;
  return nd->op == FS_LIB_SORT ? values
                               : values + count * (n > INT32_MAX ? 8 : 4) * (passes - 1);
}

/* Bytes of operand s that a library call reads. What a list chooses, of single elements by
 * sectors of memory, and of rows what they have. */
static double operand_bytes(const struct fs_planner *p, const struct fs_node *nd, int s) {
  enum { SECTOR = 32 };
  const struct fs_node *src = fs_node(p->g, nd->src[s]);
  double size = (double)fs_dtype_size(src->dtype);
  double all = (double)fs_shape_count(&src->shape) * size;
  if (fs_lib_is_scan(nd->op)) {
    struct fs_layout layout = fs_plan_layout(p->g, nd->src[s]);
    return all * scan_reads(nd, &layout);
  }
  if (fs_lib_is_sort(nd->op)) return sort_bytes(nd, src->dtype, 2);
  if (nd->op != FS_LIB_GATHER || s != 0) return all;
  double chosen = (double)fs_shape_count(&nd->shape);
  bool rows = nd->lib_flags & FS_LIB_OF_ROWS;
  return FS_MIN(all, chosen * (rows ? size : FS_MAX(size, SECTOR)));
}

/* How often the time of its moves such a product takes; 0: it is none. */
static double narrow_pace(const struct fs_node *nd, const struct fs_device *d) {
  if (nd->op != FS_LIB_GEMM || nd->shape.rank < 2 || !(d->flops > 0)) return 0;
  double size = (double)fs_dtype_size(nd->dtype);
  double m = (double)fs_shape_dim(&nd->shape, 0), n = (double)fs_shape_dim(&nd->shape, 1);
  double inner = (double)fs_shape_count(&nd->lib_shape[0]) / FS_MAX(m, 1);
  double tall = FS_MAX(m, n), narrow = FS_MIN(m, n);
  double tile = rule(FS_PLAN_NARROW), deep = FS_MAX(inner, rule(FS_PLAN_DEEP));
  if (narrow > tile || inner > tile || tall < 64 * tile) return 0;
  double computes = 2 * tall * tile * deep / (rule(FS_PLAN_NARROW_RATE) * d->flops);
  double bytes = size * (tall * (inner + narrow) + inner * narrow);
  double rate = fs_exceeds_cache(d, bytes) ? d->bandwidth : d->cache_bandwidth;
  return FS_MAX(1, computes * rate / bytes);
}

/* How much longer than their moves such calls take: of 10^8 numbers on an H200 sorts 2.5
 * to 5 times, running sums 1.6; of 10^7 on two cores of an EPYC that had other work, too, 20 to
 * 60 and 15 times, so that 20 and 5 are what they take at least. The others of a CPU are
 * what 10^6 and 2*10^6 numbers of f32 took there. */
static double moves_pace(const struct fs_node *nd, const struct fs_device *d) {
  bool gpu = d && d->is_cuda;
  double narrow = gpu ? narrow_pace(nd, d) : 0;
  if (narrow > 0) return narrow;
  if (fs_lib_is_sort(nd->op)) return gpu ? 4 : 20;
  if (fs_lib_is_scan(nd->op)) return gpu ? 1.6 : 5;
  if (gpu) return 1;
  /* One thread, element by element: 1 to 7 ns each, in a cache or not. */
  switch (nd->op) {
    case FS_LIB_GATHER: return nd->lib_flags & FS_LIB_OF_ROWS ? 2 : 25;
    case FS_LIB_FIND: case FS_LIB_RESHAPE: return 25;
    case FS_LIB_INVERT: return 50;
    default: return 1;
  }
}

void fs_kernel_library(struct fs_planner *p, fs_id id, struct fs_kernel *k) {
  const struct fs_node *nd = fs_node(p->g, id);
  *k = (struct fs_kernel){.scheme = FS_LIBRARY, .lib_node = id, .n_phases = 1};
  k->space.m = k->space.n = 1;
  k->lib_slots[0] = (int)id;
  k->lib_layout[0] = fs_plan_layout(p->g, id);
  k->bytes_written = (double)fs_shape_count(&nd->shape) *
                     (double)fs_dtype_size(nd->dtype);
  for (int s = 0; s < nd->n_src; s++) {
    k->lib_slots[s + 1] = (int)fs_plan_base(p->g, nd->src[s]);
    k->lib_layout[s + 1] = fs_plan_layout(p->g, nd->src[s]);
    if (s == 0 || !by_half(nd, p->device)) k->bytes_read += operand_bytes(p, nd, s);
  }
  if (fs_lib_is_sort(nd->op)) /* the last pass writes one or the other */
    k->bytes_written += sort_bytes(nd, fs_node(p->g, nd->src[0])->dtype, 1) -
                        (double)fs_shape_count(&nd->shape) *
                            (double)fs_dtype_size(fs_node(p->g, nd->src[0])->dtype);
  *FS_PUSH(&k->calls) = id;
  struct fs_work w = {.bytes_read = k->bytes_read,
                      .bytes_written = k->bytes_written,
                      .flops = library_flops(p->g, nd, p->device), .parallel = 1e9,
                      .scheme = FS_LIBRARY, .library = true,
                      .lib_op = (uint8_t)nd->op,
                      .pace = moves_pace(nd, p->device),
                      .arith = (uint8_t)fs_arith_of(nd->dtype)};
  snprintf(w.pattern, sizeof w.pattern, "%s", fs_lib_op_names[nd->op]);
  w.working_set = w.bytes_read + w.bytes_written;
  k->flops = w.flops;
  struct fs_prediction pr = fs_predict(&w, p->device);
  k->work = w;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
}
