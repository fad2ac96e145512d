/* traits.c - what tells the ways to run one kernel from each other, and which the user wants.
 *
 * An implementation of a fusion in one of its settings is told from the others by its traits:
 * scheme, rows, walk (which axes are its columns), routine, and what struct fs_tuning has.
 * `:alternatives` lists them for a kernel of a plan. `:pin` names some traits: then the kernel
 * of those calls is in every plan of the block, and of its implementations only those count
 * that are so. Pins of statements (cover/pin.c) decide first: a kernel that they forbid is not
 * pinned. */
#include "core/plan/kernels/inside.h"

static const char *const trait_names[FS_TRAIT_TUNING] = {
  [FS_TRAIT_SCHEME] = "scheme", [FS_TRAIT_ROWS] = "rows", [FS_TRAIT_WALK] = "walk",
  [FS_TRAIT_ROUTINE] = "routine"};

const char *fs_trait_name(int trait) {
  if (trait < FS_TRAIT_TUNING) return trait_names[trait];
  return fs_tuning_rows[trait - FS_TRAIT_TUNING].name;
}

/* Of the first function that has several. */
static int routine_of(const struct fs_graph *g, const struct fs_kernel *k) {
  for (int q = 0; q < k->n_applied; q++)
    if (fs_user_routines(fs_node(g, k->applied[q].node)->user) > 1)
      return k->applied[q].user->impl;
  FS_EACH_STEP(k, step)
    if (step->kind == FS_SP_MAP && step->user && step->node &&
        fs_user_routines(fs_node(g, step->node)->user) > 1)
      return step->user->impl;
  return 0;
}

void fs_kernel_traits(const struct fs_graph *g, const struct fs_kernel *k, int64_t out[FS_TRAITS]) {
  out[FS_TRAIT_SCHEME] = k->scheme;
  out[FS_TRAIT_ROWS] = k->space.m;
  out[FS_TRAIT_WALK] = k->inner;
  out[FS_TRAIT_ROUTINE] = routine_of(g, k);
  for (int x = 0; x < FS_TUNING_ROWS; x++)
    out[FS_TRAIT_TUNING + x] = fs_tuning_value(&k->tune, x);
}

static const struct fs_access *largest_access(const struct fs_kernel *k) {
  const struct fs_access *largest = NULL;
  size_t most = 0;
  FS_EACH_AT(&k->accesses, a) {
    size_t size = fs_dtype_size(a->dtype);
    if (a->varies != (FS_VARIES_I | FS_VARIES_J) || size <= most) continue;
    largest = a;
    most = size;
  }
  return largest;
}

void fs_kernel_put_walk(const struct fs_graph *g, const struct fs_plan *plan,
                        const struct fs_kernel *k, struct fs_str *out) {
  const struct fs_access *a = largest_access(k);
  int axes = k->space.n_outer + k->space.n_inner, n = 0;
  if (!a) return;
  for (int x = k->space.n_outer; x < axes; x++) {
    int at = 1; /* dimensions of an array follow each other by their strides */
    if (!a->stride[x] || k->space.dim[x] == 1) continue;
    for (int y = 0; y < axes; y++)
      at += k->space.dim[y] > 1 && llabs(a->stride[y]) > llabs(a->stride[x]);
    fs_str_printf(out, n ? ", %d" : "dimension %d", at);
    n++;
  }
  fs_id id = plan ? plan->slots.data[a->slot].node : (fs_id)a->slot;
  const struct fs_node *nd = fs_node(g, id);
  const char *name = nd->kind == FS_ND_INPUT ? g->inputs.data[nd->slot].name : NULL;
  if (n && name) fs_str_printf(out, " of %s", name);
}

void fs_traits_put(const int64_t value[FS_TRAITS], struct fs_str *out) {
  for (int x = 0, n = 0; x < FS_TRAITS; x++) {
    if (value[x] < 0) continue;
    fs_str_printf(out, "%s%s ", n++ ? ", " : "", fs_trait_name(x));
    if (x == FS_TRAIT_SCHEME) fs_str_puts(out, fs_schemes[value[x]].name);
    else fs_str_printf(out, "%lld", (long long)value[x]);
  }
}

bool fs_traits_fit(const int64_t wanted[FS_TRAITS], const int64_t value[FS_TRAITS]) {
  bool fits = true;
  for (int x = 0; x < FS_TRAITS; x++)
    fits &= wanted[x] < 0 || wanted[x] == value[x];
  return fits;
}

/* -- implementations that a pin allows --------------------------------------------- */

int fs_impl_ways(const struct fs_impl *impl) {
  return impl->variants - __builtin_popcount(impl->barred);
}

const struct fs_kernel_pin *fs_plan_kernel_pin(const struct fs_maker *p,
                                               const fs_id *calls, int n) {
  for (int k = 0; k < p->options->n_kernel_pins; k++) {
    const struct fs_kernel_pin *pin = &p->options->kernel_pins[k];
    if (pin->n_calls == n && !memcmp(pin->calls, calls, sizeof *calls * (size_t)n)) return pin;
  }
  return NULL;
}

bool fs_pin_restrict(struct fs_maker *p, const struct fs_kernel_pin *pin,
                     struct fs_kernel *k, struct fs_impl *impl) {
  struct fs_tuning tunings[FS_MAX_VARIANTS], first = k->tune;
  int n = fs_tune_variants(k, p->device, tunings), best = -1;
  for (int v = 0; v < impl->variants; v++) {
    int64_t value[FS_TRAITS];
    k->tune = tunings[v < n ? v : 0];
    if (v >= n) fs_kernel_take_way(p->g, p->device, k, v - n + 1);
    fs_kernel_traits(p->g, k, value);
    if (!fs_traits_fit(pin->value, value)) impl->barred |= 1u << v;
    else if (best < 0 || impl->each[v] < impl->each[best]) best = v;
  }
  if (impl->variants > n) fs_kernel_take_way(p->g, p->device, k, 0);
  k->tune = first;
  if (best < 0) return false;
  bool chosen = impl->barred >> impl->variant & 1;
  if (chosen) impl->variant = best, impl->seconds = impl->each[best];
  return true;
}

/* -- the kernel in the plan ------------------------------------------------------------ */
