/* instance.c - the instance scheme: a user's routine over a stack of small
 * elements, with the maps before and after it in the same kernel.
 *
 *   B = 2*inv3(A + E) .* W      phase 0   A + E, every element of every A
 *                               routine   inv3, some threads for an instance
 *                               phase 1   2 * result .* W, stored as B
 *
 * A group of calls has such a kernel when some of them are APPLYs over one stack of
 * instances and the others are maps, each computed before a routine, over the
 * elements of one operand, or after it, over those of the result:
 *
 *   y = mulv(inv3(A), 2*x)   part 0  A            inv3    part 1  its result
 *                            part 2  the same     part 3  2*x    mulv    part 4  y
 *
 * What one routine gives to the next stays on chip. Everything else is "routine":
 * the scheme has no place for it.
 */
#include "core/model/calibration.h"
#include "core/plan/kernels/inside.h"

#include <stdio.h>

/* A node's value in a part, its axes standing `shift` axes further right. */
struct made {
  fs_id node;
  int part, shift, value;
};

struct builder {
  struct fs_maker *p;
  struct fs_kernel *k;
  int batch_rank;
  FS_VEC(struct made) made;
  enum fs_rule why;
};

static int fail(struct builder *b, enum fs_rule why) {
  if (!b->why) b->why = why;
  return -1;
}

/* -- parts ------------------------------------------------------------------- */

static uint8_t varies_of(const struct builder *b, const int64_t *stride) {
  uint8_t v = 0;
  for (int x = 0; x < FS_MAX_RANK; x++)
    if (stride[x]) v |= x < b->batch_rank ? FS_VARIES_I : FS_VARIES_J;
  return v;
}

static int new_access(struct builder *b, fs_id id, int shift) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_layout layout = fs_plan_layout(b->p->g, id);
  struct fs_access a = {.slot = (int)fs_plan_base(b->p->g, id),
                        .dtype = nd->dtype, .offset = layout.offset};
  for (int x = 0; x < nd->shape.rank; x++)
    a.stride[x + shift] = layout.stride[x];
  a.varies = varies_of(b, a.stride);
  *FS_PUSH(&b->k->accesses) = a;
  return b->k->accesses.len - 1;
}

static int load(struct builder *b, fs_id id, int part, int shift) {
  if (fs_plan_is_member(b->p, fs_plan_base(b->p->g, id))) return fail(b, FS_RULE_SHAPE);
  int access = new_access(b, id, shift);
  uint8_t varies = b->k->accesses.data[access].varies;
  int v = fs_kernel_value(b->k, fs_node(b->p->g, id)->dtype, varies, part);
  fs_kernel_step(b->k, FS_SP_LOAD, part, v, id)->access = access;
  return v;
}

static int get(struct builder *b, fs_id id, int part, int shift);

static int generate(struct builder *b, fs_id id, int part, int shift) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  struct fs_affine affine = {.base = nd->rand_base};
  for (int x = 0; x < nd->shape.rank; x++)
    affine.stride[x + shift] = nd->rand_stride[x];
  int in[2] = {get(b, nd->src[0], part, 0), get(b, nd->src[1], part, 0)};
  if (in[0] < 0 || in[1] < 0) return -1;
  int v = fs_kernel_value(b->k, nd->dtype, varies_of(b, affine.stride), part);
  struct fs_step *s = fs_kernel_step(
      b->k, nd->kind == FS_ND_IOTA ? FS_SP_IOTA : FS_SP_RAND, part, v, id);
  s->op = nd->kind == FS_ND_RANDN;
  s->affine = affine;
  s->in[0] = in[0];
  s->in[1] = in[1];
  return v;
}

static int map(struct builder *b, fs_id id, int part, int shift) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  int in[FS_MOST_SRC] = FS_NO_INPUTS;
  uint8_t varies = 0;
  for (int s = 0; s < nd->n_src; s++) {
    in[s] = get(b, nd->src[s], part, shift);
    if (in[s] < 0) return -1;
    varies |= b->k->values.data[in[s]].varies;
  }
  int v = fs_kernel_value(b->k, nd->dtype, varies, part);
  struct fs_step *st = fs_kernel_step(b->k, FS_SP_MAP, part, v, id);
  st->op = nd->op;
  st->user = fs_user_cheapest(nd->user, b->p->device);
  memcpy(st->in, in, sizeof in);
  return v;
}

/* What a routine gave is there from its part on, where elements are as many; where
 * a store of the user's own sends it out, nowhere else. */
static int result(struct builder *b, fs_id id, int part, int shift) {
  for (int q = 0; q < b->k->n_applied; q++) {
    const struct fs_applied *a = &b->k->applied[q];
    int from = fs_result_part(a);
    if (a->node != id) continue;
    if (part < from || !b->k->part_value[from]) return fail(b, FS_RULE_LEVEL);
    if (part == from) return b->k->part_value[from] - 1;
    struct fs_shape here = fs_part_shape(b->p->g, b->k, part);
    struct fs_shape given = fs_part_shape(b->p->g, b->k, from);
    if (shift || !fs_shape_equal(&here, &given)) return fail(b, FS_RULE_SHAPE);
    if (a->user->store.cuda.text || a->user->store.c.text ||
        fs_part_element(b->k, part)->type == FS_UT_SCALAR)
      return fail(b, FS_RULE_ROUTINE);
    return b->k->part_value[from] - 1;
  }
  return fail(b, FS_RULE_ROUTINE);
}

/* Which half of a result of pairs a view of it is: 0 or 1; -1: something else. */
static int half_of(const struct fs_graph *g, const struct fs_node *view) {
  const struct fs_node *nd = fs_node(g, view->src[0]);
  int last = nd->shape.rank - 1;
  if (nd->kind != FS_ND_APPLY || !nd->user->pairs) return -1;
  struct fs_shape half = nd->shape;
  half.dim[last] /= 2;
  if (!fs_shape_equal(&half, &view->shape)) return -1;
  for (int d = 0; d <= last; d++)
    if (view->view.axis[d] != d || view->view.step[d] != 1 || (d < last && view->view.off[d]))
      return -1;
  int64_t at = view->view.off[last];
  return at && at != half.dim[last] ? -1 : at != 0;
}

static int make(struct builder *b, fs_id id, int part, int shift) {
  const struct fs_node *nd = fs_node(b->p->g, id);
  bool edge = nd->kind == FS_ND_VIEW;
  int half = edge && nd->view.src_rank && fs_plan_computed_here(b->p, nd->src[0])
                 ? half_of(b->p->g, nd) : -1;
  if (half >= 0) {
    int v = result(b, nd->src[0], part, shift);
    return v < 0 ? v : v + half;
  }
  if (edge && (nd->view.src_rank == 0 || fs_plan_computed_here(b->p, nd->src[0]))) {
    if (nd->view.src_rank) return fail(b, FS_RULE_SHAPE);
    return get(b, nd->src[0], part, 0);
  }
  if (!fs_plan_computed_here(b->p, id)) return load(b, id, part, shift);
  switch (nd->kind) {
    case FS_ND_MAP: return map(b, id, part, shift);
    case FS_ND_IOTA: case FS_ND_RAND: case FS_ND_RANDN:
      return generate(b, id, part, shift);
    case FS_ND_PARAM: {
      int v = fs_kernel_value(b->k, nd->dtype, 0, part);
      fs_kernel_step(b->k, FS_SP_PARAM, part, v, id)->param = fs_graph_param_slot(b->p->g, nd);
      return v;
    }
    case FS_ND_APPLY: return result(b, id, part, shift);
    default: return fail(b, FS_RULE_ROUTINE);
  }
}

/* The value of a node in a part, made at its first use there. */
static int get(struct builder *b, fs_id id, int part, int shift) {
  if (fs_node(b->p->g, id)->shape.rank == 0) shift = 0;
  FS_EACH_AT(&b->made, m)
    if (m->node == id && m->part == part && m->shift == shift) return m->value;
  int v = make(b, id, part, shift);
  if (v >= 0) *FS_PUSH(&b->made) = (struct made){id, part, shift, v};
  return v;
}

/* An operand that is one element is the same for all instances. */
static int operand(struct builder *b, const struct fs_applied *a, int part) {
  fs_id src = fs_node(b->p->g, a->node)->src[part - a->first];
  struct fs_shape all = fs_part_shape(b->p->g, b->k, part);
  const struct fs_shape *s = &fs_node(b->p->g, src)->shape;
  int shift = fs_shape_equal(s, &all) ? 0 : b->batch_rank;
  return get(b, src, part, shift);
}

/* While this is built, part_value[] is one more, and 0 what is not there yet. */
static void place_routine(struct builder *b, const struct fs_applied *a) {
  const struct fs_user_element *e = &a->user->result;
  int last = fs_result_part(a);
  for (int part = a->first; part < last; part++)
    b->k->part_value[part] = operand(b, a, part) + 1;
  uint8_t varies = (uint8_t)((b->batch_rank ? FS_VARIES_I : 0) |
                             (e->rank ? FS_VARIES_J : 0));
  enum fs_dtype dt = fs_node(b->p->g, a->node)->dtype;
  b->k->part_value[last] = fs_kernel_value(b->k, dt, varies, last) + 1;
  if (a->user->pairs) fs_kernel_value(b->k, dt, varies, last);
}

/* The routine behind which a node can be computed: the last one that it uses; -1 if
 * none. Calls are few, and maps are visited once for each way to them. */
static int behind(const struct builder *b, fs_id id, int depth) {
  enum { DEEP = 24 };
  const struct fs_node *nd = fs_node(b->p->g, id);
  int last = -1;
  if (nd->kind == FS_ND_VIEW && nd->view.src_rank) return behind(b, nd->src[0], depth);
  if (depth > DEEP || !fs_plan_computed_here(b->p, id)) return -1;
  for (int q = 0; q < b->k->n_applied; q++)
    if (b->k->applied[q].node == id) return q;
  for (int s = 0; s < nd->n_src; s++)
    if (!s || nd->src[s] != nd->src[s - 1])
      last = FS_MAX(last, behind(b, nd->src[s], depth + 1));
  return last;
}

/* Stores a member in the part in which it is computed whole, or can be. */
static void place_store(struct builder *b, fs_id id) {
  const struct fs_shape *s = &fs_node(b->p->g, id)->shape;
  int part = -1;
  for (int q = 0; q < b->k->n_applied; q++)
    if (b->k->applied[q].node == id) part = fs_result_part(&b->k->applied[q]);
  for (int x = 0; x < b->k->n_phases && part < 0; x++) {
    struct fs_shape all = fs_part_shape(b->p->g, b->k, x);
    if (!fs_shape_equal(s, &all)) continue;
    for (int k = 0; k < b->made.len; k++)
      if (b->made.data[k].node == id && b->made.data[k].part == x && b->made.data[k].shift == 0)
        part = x;
  }
  for (int q = FS_MAX(behind(b, id, 0), 0); part < 0 && q < b->k->n_applied; q++) {
    int last = fs_result_part(&b->k->applied[q]);
    struct fs_shape all = fs_part_shape(b->p->g, b->k, last);
    if (fs_shape_equal(s, &all)) part = last;
  }
  int v = part < 0 ? fail(b, FS_RULE_SHAPE) : get(b, id, part, 0);
  const struct fs_node *nd = fs_node(b->p->g, id);
  int halves = nd->kind == FS_ND_APPLY && nd->user->pairs ? 2 : 1;
  for (int half = 0; half < halves && v >= 0; half++) {
    int access = new_access(b, id, 0);
    b->k->accesses.data[access].offset += half * s->dim[s->rank - 1] / 2;
    struct fs_step *st = fs_kernel_step(b->k, FS_SP_STORE, part, -1, id);
    st->in[0] = v + half;
    st->access = access;
  }
}

/* Steps by part, those of one part in the order in which they were made. */
static void sort_steps(struct fs_kernel *k) {
  struct fs_step *out = fs_malloc(sizeof *out * (size_t)FS_MAX(1, k->steps.len));
  int n = 0;
  for (int part = 0; part < k->n_phases; part++)
    FS_EACH_IN_PHASE(k, s, part) out[n++] = *s;
  if (n) memcpy(k->steps.data, out, sizeof *out * (size_t)n);
  free(out);
}

/* -- cost ------------------------------------------------------------------- */

static double elements(const struct builder *b, int part, const int64_t *stride) {
  struct fs_shape s = fs_part_shape(b->p->g, b->k, part);
  double n = 1;
  for (int x = 0; x < s.rank; x++)
    if (!stride || stride[x]) n *= (double)s.dim[x];
  return n;
}

/* The same as amounts of the model's terms: bytes as those of a flat kernel, a
 * routine by fs_work_user(). */
static void count(const struct builder *b, double busy, struct fs_work *w) {
  const struct fs_kernel *k = b->k;
  const struct fs_device *d = b->p->device;
  w->scheme = FS_INSTANCE;
  fs_work_add(w, FS_TM_LAUNCH, 0, 1);
  fs_work_add(w, FS_TM_READ_FLAT, 0, w->bytes_read * busy);
  fs_work_add(w, FS_TM_WRITE_FLAT, 0, w->bytes_written * busy);
  fs_work_add(w, FS_TM_ACCESS, 0, k->accesses.len);
  FS_EACH_STEP(k, s) {
    if (s->kind != FS_SP_MAP) continue;
    double n = elements(b, s->phase, NULL);
    enum fs_arith a = fs_arith_of(k->values.data[s->out].dtype);
    if (s->user) fs_work_user(w, s->user, d, 0, n * busy);
    else fs_work_add(w, fs_term_map(s->op, a), 0, n * busy);
  }
  for (int q = 0; q < k->n_applied; q++) {
    fs_work_user(w, k->applied[q].user, d, 0, (double)k->space.m * busy);
    fs_work_add(w, FS_TM_USER, FS_WORK_PHASES - 1, /* behind no move */
                fs_call_delay(d, k->applied[q].user->hash));
  }
  snprintf(w->pattern, sizeof w->pattern, "instance");
}

static void price(const struct builder *b, struct fs_work *out) {
  struct fs_kernel *k = b->k;
  struct fs_work w = {0};
  FS_EACH_STEP(k, s) {
    if (s->kind == FS_SP_MAP) {
      double n = elements(b, s->phase, NULL);
      if (s->user) w.flops += n * s->user->flops;
      else if (fs_map_is_special(s->op)) w.special += n;
      else w.flops += n;
    }
    if (s->access < 0) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    double bytes = elements(b, s->phase, a->stride) * (double)fs_dtype_size(a->dtype);
    if (s->kind == FS_SP_LOAD) w.bytes_read += bytes;
    else w.bytes_written += bytes;
  }
  double m = (double)k->space.m, threads = fs_instance_threads(k);
  for (int q = 0; q < k->n_applied; q++)
    w.flops += m * k->applied[q].user->flops;
  w.parallel = fs_device_has_warps(b->p->device) ? m * threads / 128 + 1 : m / 256 + 0.5;
  w.working_set = FS_MAX(b->p->calls->working_set, w.bytes_read + w.bytes_written);
  double units = FS_MAX(b->p->device->units, 1);
  count(b, units / FS_MAX(FS_MIN(w.parallel, units), 1), &w);
  struct fs_prediction pr = fs_predict(&w, b->p->device);
  k->bytes_read = w.bytes_read;
  k->bytes_written = w.bytes_written;
  k->flops = w.flops + w.special;
  k->work = w;
  k->first = k->predicted = pr.seconds;
  k->bound = pr.bound;
  *out = w;
}

/* -- the kernel -------------------------------------------------------------- */

/* Of the last routine's result. */
static void take_space(struct builder *b) {
  struct fs_space *s = &b->k->space;
  struct fs_shape all = fs_part_shape(b->p->g, b->k, b->k->n_phases - 1);
  s->n_outer = b->batch_rank;
  s->n_inner = all.rank - b->batch_rank;
  s->m = s->n = 1;
  for (int x = 0; x < all.rank; x++) {
    s->dim[x] = all.dim[x];
    *(x < s->n_outer ? &s->m : &s->n) *= all.dim[x];
  }
}

bool fs_is_instance(const struct fs_maker *p, const fs_id *calls, int n) {
  for (int k = 0; k < n; k++)
    if (fs_node(p->g, calls[k])->kind == FS_ND_APPLY) return true;
  return false;
}

int fs_instance_ways(const struct fs_maker *p, const fs_id *calls, int n) {
  const struct fs_user *only = NULL;
  for (int k = 0; k < n; k++) {
    const struct fs_node *nd = fs_node(p->g, calls[k]);
    if (nd->kind != FS_ND_APPLY) continue;
    if (only) return 1; /* of several functions each takes its cheapest */
    only = nd->user;
  }
  return only ? fs_user_ways(only) : 0;
}

/* The members: APPLYs over one stack, and maps. */
static enum fs_rule take_calls(struct builder *b, const fs_id *calls, int n, int way) {
  struct fs_kernel *k = b->k;
  struct fs_shape batch = {0};
  bool several = fs_instance_ways(b->p, calls, n) == 1;
  for (int c = 0; c < n; c++) {
    const struct fs_node *nd = fs_node(b->p->g, calls[c]);
    b->p->member_stamp[calls[c]] = b->p->stamp;
    if (nd->kind == FS_ND_MAP) continue;
    if (nd->kind != FS_ND_APPLY || k->n_applied == FS_MOST_APPLIED) return FS_RULE_ROUTINE;
    struct fs_shape own = fs_apply_batch(nd);
    if (k->n_applied && !fs_shape_equal(&own, &batch)) return FS_RULE_SHAPE;
    batch = own;
    k->applied[k->n_applied++] = (struct fs_applied){
        calls[c],
        several ? fs_user_cheapest(nd->user, b->p->device)
                : fs_user_way(nd->user, way),
        k->n_phases};
    k->n_phases += nd->n_src + 1;
  }
  b->batch_rank = batch.rank;
  return FS_RULE_NONE;
}

/* Barriers of more than a warp are the block's: then all its threads must be in
 * each routine. */
static enum fs_rule check_chain(const struct fs_kernel *k) {
  int most = fs_instance_threads(k);
  for (int q = 0; q < k->n_applied; q++) {
    const struct fs_user *u = k->applied[q].user;
    if ((most > 32 && u->threads != most) || u->streams != k->applied[0].user->streams)
      return FS_RULE_ROUTINE;
  }
  return k->n_applied > 1 && fs_instance_bytes(k) > FS_USER_SHARED ? FS_RULE_ON_CHIP : FS_RULE_NONE;
}

enum fs_rule fs_kernel_instance(struct fs_maker *p, const fs_id *calls, int n, const bool *stored,
                               int way, struct fs_kernel *k, struct fs_work *work) {
  struct builder b = {.p = p, .k = k};
  p->stamp++;
  k->n_applied = k->n_phases = 0;
  memset(k->part_value, 0, sizeof k->part_value);
  enum fs_rule no = take_calls(&b, calls, n, way);
  if (!no) no = check_chain(k);
  if (no) return no;
  take_space(&b);
  for (int q = 0; q < k->n_applied && !b.why; q++)
    place_routine(&b, &k->applied[q]);
  for (int c = 0; c < n && !b.why; c++)
    if (stored[c]) place_store(&b, calls[c]);
  FS_VEC_FREE(&b.made);
  if (b.why) return b.why;
  for (int part = 0; part < k->n_phases; part++) k->part_value[part]--;
  sort_steps(k);
  fs_kernel_look(k);
  for (int c = 0; c < n; c++) *FS_PUSH(&k->calls) = calls[c];
  price(&b, work);
  return FS_RULE_NONE;
}

