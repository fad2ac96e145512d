/* elem.c - calls of functions that the user added, and their forms for each type. */
#include "core/eval/elem.h"

#include <stdio.h>

/* -- forms -------------------------------------------------------------------- */

unsigned fs_elem_dtypes(const struct fs_elem *e) {
  return (e->types & FS_ET_I32 ? 1u << FS_I32 : 0) |
         (e->types & FS_ET_I64 ? 1u << FS_I64 : 0) |
         (e->types & FS_ET_F32 ? 1u << FS_F32 : 0) |
         (e->types & FS_ET_F64 ? 1u << FS_F64 : 0);
}

/* -- implementations ----------------------------------------------------------- */

static bool is_kind(const struct fs_elem_routine *r, const char *kind,
                    const char *arg, int impl) {
  return r->impl == impl && !strcmp(r->kind, kind) &&
         (!arg || !strcmp(r->arg, arg));
}

static bool is_for(const struct fs_elem_routine *r, const char *target) {
  return !strcmp(r->target, "any") || !strcmp(r->target, target);
}

const struct fs_elem_routine *fs_elem_routine_of(const struct fs_elem *e,
                                                 const char *kind,
                                                 const char *arg,
                                                 const char *target, int impl) {
  bool any = false;
  for (int k = 0; k < e->routines.len; k++) {
    const struct fs_elem_routine *r = &e->routines.data[k];
    if (!is_kind(r, kind, arg, impl)) continue;
    if (is_for(r, target)) return r;
    any = true;
  }
  return any || impl == 1 ? NULL : fs_elem_routine_of(e, kind, arg, target, 1);
}

int fs_elem_next_impl(const struct fs_elem *e, int than) {
  int least = 0;
  for (int k = 0; k < e->routines.len; k++) {
    int impl = e->routines.data[k].impl;
    if (impl > than && (!least || impl < least)) least = impl;
  }
  return least;
}

/* What an element is on chip: as a load or a store says, or as in memory. */
static void set_chip(struct fs_user_element *x, const struct fs_elem_routine *cuda,
                     const struct fs_elem_routine *c) {
  const struct fs_elem_routine *r = cuda ? cuda : c;
  const struct fs_elem_param *as = r && r->chip.rank ? &r->chip : NULL;
  x->chip_rank = as ? as->rank : x->rank;
  x->chip_count = 1;
  for (int k = 0; k < x->chip_rank; k++) {
    x->chip[k] = as ? as->dim[k] : x->dim[k];
    x->chip_count *= (int)x->chip[k];
  }
}

static struct fs_user_element element(const struct fs_elem_param *p) {
  struct fs_user_element x = {.name = p->name, .rank = p->rank, .count = 1};
  x.type = p->rank ? FS_UT_SMALL
           : strcmp(p->type, "scalar") ? FS_UT_EACH : FS_UT_SCALAR;
  for (int k = 0; k < p->rank; k++) {
    x.dim[k] = p->dim[k];
    x.count *= p->dim[k];
  }
  return x;
}

static struct fs_user_text text_of(const struct fs_interp *in,
                                   const struct fs_elem_routine *r) {
  const struct fs_source *s = fs_source_get(in->diags, r->span.source);
  return (struct fs_user_text){r->text, s ? s->name : "", r->line};
}

int fs_elem_impl(const struct fs_interp *in, const struct fs_elem *e) {
  for (int k = in->choices.len - 1; k >= 0; k--)
    if (in->choices.data[k].elem == e) return in->choices.data[k].impl;
  return 0;
}

/* Of the routines that the target takes. */
static const char *language(const struct fs_interp *in) {
  return in->target ? in->target->ops->language : "c";
}

static bool takes_cuda(const struct fs_interp *in) { return !strcmp(language(in), "cuda"); }

/* Whether an implementation has a form for the target, and one of its own. */
static bool has_form(const struct fs_interp *in, const struct fs_elem *e,
                     int impl) {
  const char *target = language(in);
  bool own = false;
  for (int k = 0; k < e->routines.len; k++)
    own |= e->routines.data[k].impl == impl &&
           is_for(&e->routines.data[k], target);
  return own && fs_elem_routine_of(e, "compute", NULL, target, impl);
}

/* The least number of an implementation above `than`, with a form for the target if
 * `here`; 0: there is none. */
static int next_impl(const struct fs_interp *in, const struct fs_elem *e,
                     int than, bool here) {
  int impl = fs_elem_next_impl(e, than);
  while (here && impl && !has_form(in, e, impl))
    impl = fs_elem_next_impl(e, impl);
  return impl;
}

enum fs_status fs_elem_choose(struct fs_interp *in, const struct fs_elem *e,
                              int impl, struct fs_span span) {
  for (int k = 0; k < e->routines.len; k++)
    if (e->native && (!impl || e->routines.data[k].impl == impl)) {
      *FS_PUSH(&in->choices) = (struct fs_elem_choice){e, impl};
      in->language++;
      return FS_OK;
    }
  if (!impl)
    return fs_error(in->diags, span, "elem-no-form", NULL,
                    "`%s` has no routines to choose from", e->name);
  return fs_error(in->diags, span, "elem-no-form", NULL,
                  "`%s` has no routine %d", e->name, impl);
}

static struct fs_user_move move_of(const struct fs_interp *in,
                                   const struct fs_elem *e, const char *kind,
                                   const char *arg, int impl,
                                   struct fs_user_element *x, int threads) {
  const struct fs_elem_routine *cuda =
      fs_elem_routine_of(e, kind, arg, "cuda", impl);
  const struct fs_elem_routine *c = fs_elem_routine_of(e, kind, arg, "c", impl);
  struct fs_user_move m = {.threads = cuda && cuda->threads ? cuda->threads
                                                            : threads};
  if (cuda) m.cuda = text_of(in, cuda);
  if (c) m.c = text_of(in, c);
  set_chip(x, cuda, c);
  return m;
}

int64_t fs_elem_on_chip(const struct fs_elem *e, int impl, int size) {
  int64_t all = e->scratch;
  for (int k = 0; k <= e->params.len; k++) {
    bool last = k == e->params.len;
    struct fs_user_element x = element(last ? &e->result_type : &e->params.data[k]);
    const char *kind = last ? "store" : "load", *arg = last ? NULL : x.name;
    set_chip(&x, fs_elem_routine_of(e, kind, arg, "cuda", impl),
             fs_elem_routine_of(e, kind, arg, "c", impl));
    all += x.chip_count + 1;
  }
  return all * size;
}

/* `threads`: of an instance on a GPU; 0: as declared. */
static struct fs_user make_form(struct fs_interp *in, const struct fs_elem *e,
                                enum fs_dtype dt, int impl, int threads) {
  struct fs_user u = {.name = e->name, .by_instance = e->by_instance,
                      .compute = dt, .n_args = e->params.len, .threads = 1,
                      .scratch = e->scratch, .impl = impl};
  double work = 1;
  for (int k = 0; k < u.n_args; k++) {
    u.arg[k] = element(&e->params.data[k]);
    u.arg[k].compute = dt;
    work += u.arg[k].count;
  }
  u.result = element(&e->result_type);
  u.result.type = u.result.rank ? FS_UT_SMALL : FS_UT_EACH;
  u.result.name = "";
  /* What is not declared is guessed: some operations for each number. */
  u.flops = e->key[FS_EK_FLOPS].source ? e->flops : 4 * work;
  const struct fs_elem_routine *cuda =
      fs_elem_routine_of(e, "compute", NULL, "cuda", impl);
  const struct fs_elem_routine *c =
      fs_elem_routine_of(e, "compute", NULL, "c", impl);
  if (cuda) u.cuda = text_of(in, cuda), u.threads = cuda->threads;
  if (c) u.c = text_of(in, c);
  for (int k = 0; k < u.n_args; k++)
    u.load[k] = move_of(in, e, "load", u.arg[k].name, impl, &u.arg[k], u.threads);
  u.store = move_of(in, e, "store", NULL, impl, &u.result, u.threads);
  if (threads) u.threads = threads;
  const struct fs_elem_routine *here = takes_cuda(in) ? cuda : c;
  u.unknown = !e->key[FS_EK_FLOPS].source && here && fs_elem_goes_by_data(e, here->text);
  u.hash = fs_elem_hash(&u);
  return u;
}

enum { MOST_WAYS = 32 };

/* A text that is right for both targets is right for one thread, as the CPU has, and
 * so for every number up to the declared one. On a GPU few threads have less to do for
 * an instance, all numbers being known to the compiler if there is one; more threads
 * keep a multiprocessor busy where shared memory has room for few instances only. First
 * comes the least number with which 64 threads find room in 25 KiB, so that enough
 * blocks are resident: that was the best or within a tenth of it for ten functions of
 * 27 to 291 numbers an instance on an H200 (bench/results/instances-h200.txt has some),
 * and the inverse of 3 x 3 matrices took 81 us instead of 205 with its four threads. On
 * a calibrated device each number is measured. */
static int add_ways(struct fs_interp *in, const struct fs_elem *e, enum fs_dtype dt,
                    int impl, const struct fs_user **all, int n) {
  enum { ROOM = (25 << 10) / 64, WARP = 32 };
  const struct fs_elem_routine *r =
      fs_elem_routine_of(e, "compute", NULL, "cuda", impl);
  bool cuda = takes_cuda(in);
  bool varies = cuda && e->by_instance && r && !strcmp(r->target, "any") &&
                r->threads > 1 && r->threads <= WARP;
  if (!varies) {
    all[n++] = fs_elem_form_of(in, e, dt, impl);
    return n;
  }
  int64_t bytes = fs_elem_on_chip(e, impl, (int)fs_dtype_size(dt));
  int best = 1;
  while (best < r->threads && bytes > ROOM * best) best *= 2;
  all[n++] = fs_elem_keep(in, make_form(in, e, dt, impl, best));
  for (int threads = r->threads; threads && n < MOST_WAYS; threads /= 2)
    if (threads != best) all[n++] = fs_elem_keep(in, make_form(in, e, dt, impl, threads));
  return n;
}

const struct fs_user *fs_elem_form(struct fs_interp *in,
                                   const struct fs_elem *e, enum fs_dtype dt) {
  int chosen = fs_elem_impl(in, e), first = next_impl(in, e, 0, true), n = 0;
  if (!chosen && !first) chosen = next_impl(in, e, 0, false);
  const struct fs_user *all[MOST_WAYS] = {NULL};
  if (chosen) n = add_ways(in, e, dt, chosen, all, 0);
  for (int k = first; k && !chosen && n < MOST_WAYS; k = next_impl(in, e, k, true))
    n = add_ways(in, e, dt, k, all, n);
  if (n == 1) return all[0];
  struct fs_user any = *all[0];
  any.alternatives = all;
  any.n_alternatives = n;
  for (int k = 0; k < n; k++)
    any.hash = fs_hash(&all[k]->hash, sizeof all[k]->hash, any.hash);
  return fs_elem_keep(in, any);
}

const struct fs_user *fs_elem_form_of(struct fs_interp *in,
                                      const struct fs_elem *e,
                                      enum fs_dtype dt, int impl) {
  return fs_elem_keep(in, make_form(in, e, dt, impl, 0));
}

/* -- types ----------------------------------------------------------------------- */

/* The type that operands of type `dt` are computed in: the first of those that the function
 * has that keeps what integers and floats are. Integers: what they are computed in, wider
 * ones, the type of their quotients, then any float. */
static bool choose_type(const struct fs_elem *e, enum fs_dtype *dt) {
  unsigned have = fs_elem_dtypes(e);
  enum fs_dtype given = *dt, real = fs_dtype_real(given), found = FS_DTYPE_COUNT;
  for (enum fs_dtype to = 0; to < FS_DTYPE_COUNT && found == FS_DTYPE_COUNT; to++)
    if (have >> to & 1 && fs_dtype_is_float(to) == fs_dtype_is_float(given) &&
        fs_dtype_promote(given, to) == to)
      found = to;
  if (found == FS_DTYPE_COUNT && have >> real & 1) found = real;
  for (enum fs_dtype to = 0; to < FS_DTYPE_COUNT && found == FS_DTYPE_COUNT; to++)
    if (have >> to & 1 && fs_dtype_is_float(to) && !fs_dtype_is_float(given)) found = to;
  if (found == FS_DTYPE_COUNT) return false;
  /* Half types are computed in f32 and rounded back, as everywhere. */
  if (found != fs_dtype_compute(given)) *dt = found;
  return true;
}

static enum fs_status operands(struct fs_interp *in, const struct fs_elem *e,
                               const struct fs_val *args,
                               const struct fs_span *spans, struct fs_span span,
                               struct fs_tv *src, enum fs_dtype *dt) {
  int n = e->params.len;
  enum fs_status st = fs_tv_operands(in, n, args, spans, src);
  if (st != FS_OK) return st;
  *dt = src[0].dtype;
  for (int k = 1; k < n; k++) *dt = fs_dtype_promote(*dt, src[k].dtype);
  enum fs_dtype given = *dt;
  if (choose_type(e, dt)) return FS_OK;
  return fs_in_error(in, span, "wrong-type",
                     "name the type in its `types` line, or convert the "
                     "argument", "`%s` has no routine for %s", e->name,
                     fs_dtype_name(given));
}

static enum fs_status one_number(struct fs_interp *in, const struct fs_elem *e,
                                 int k, const struct fs_tv *t,
                                 struct fs_span span) {
  if (fs_tv_is_one(t)) return FS_OK;
  return fs_in_error(in, span, "shape-mismatch", NULL,
                     "`%s` of %s is one number; %s is %s",
                     e->params.data[k].name, e->name, fs_in_text(in, span),
                     fs_shape_text(&t->shape));
}

static const struct fs_user *form_to_call(struct fs_interp *in,
                                          const struct fs_elem *e,
                                          enum fs_dtype dt) {
  const struct fs_user *u = fs_elem_form(in, e, fs_dtype_compute(dt));
  for (int k = 0; in->host.function && k < FS_MAX(u->n_alternatives, 1); k++)
    in->host.function(in->host.user,
                      u->n_alternatives ? u->alternatives[k] : u);
  return u;
}

/* -- by element ------------------------------------------------------------------ */

static enum fs_status map_call(struct fs_interp *in, const struct fs_elem *e,
                               struct fs_tv *src, const struct fs_span *spans,
                               struct fs_span span, enum fs_dtype dt,
                               struct fs_tv *out) {
  struct fs_shape shape;
  int n = e->params.len;
  for (int k = 0; k < n; k++) {
    if (strcmp(e->params.data[k].type, "scalar")) continue;
    enum fs_status st = one_number(in, e, k, &src[k], spans[k]);
    if (st != FS_OK) return st;
    if (n > 1) src[k].shape = fs_shape_scalar();
  }
  enum fs_status st = fs_tv_common(in, n, src, spans, span, e->name, &shape);
  if (st != FS_OK) return st;
  fs_id ids[FS_USER_ARGS];
  for (int k = 0; k < n; k++) ids[k] = fs_tv_spread(in, &src[k], &shape);
  const struct fs_user *u = form_to_call(in, e, dt);
  out->node = fs_graph_user(fs_block_graph(in), u, NULL, ids, dt);
  out->dtype = dt;
  out->shape = shape;
  return FS_OK;
}

/* -- by instance ----------------------------------------------------------------- */

/* How many of the last dimensions of a shape are the element, or -1. */
static bool ends_with(const struct fs_shape *s, const struct fs_elem_param *p) {
  if (s->rank < p->rank) return false;
  for (int a = 0; a < p->rank; a++)
    if (s->dim[s->rank - p->rank + a] != p->dim[a]) return false;
  return true;
}

static enum fs_status wrong_element(struct fs_interp *in,
                                    const struct fs_elem *e, int k,
                                    const struct fs_tv *t,
                                    struct fs_span span) {
  const char *type = e->params.data[k].type;
  char hint[200];
  snprintf(hint, sizeof hint, "the last dimensions are the element: N x %.40s",
           type);
  return fs_in_error(in, span, "shape-mismatch", hint,
                     "`%s` of %s is %s for every instance; %s is %s",
                     e->params.data[k].name, e->name, type,
                     fs_in_text(in, span), fs_shape_text(&t->shape));
}

/* The stack of instances of one operand. N x 9 is taken as N x 3 x 3. */
static enum fs_status stack_of(struct fs_interp *in, const struct fs_elem *e,
                               int k, struct fs_tv *t, struct fs_span span,
                               struct fs_shape *stack) {
  const struct fs_elem_param *p = &e->params.data[k];
  enum fs_status st = FS_OK;
  *stack = (struct fs_shape){0};
  if (!p->rank && strcmp(p->type, "scalar") == 0)
    return one_number(in, e, k, t, span);
  if (!ends_with(&t->shape, p) && p->rank == 2 && t->shape.rank <= 3 &&
      t->shape.rank >= 1 &&
      t->shape.dim[t->shape.rank - 1] == p->dim[0] * p->dim[1]) {
    struct fs_shape to = t->shape;
    to.dim[to.rank - 1] = p->dim[0];
    to.dim[to.rank++] = p->dim[1];
    st = fs_tv_reshape(in, *t, &to, t);
  }
  if (st == FS_OK && !ends_with(&t->shape, p))
    st = wrong_element(in, e, k, t, span);
  if (st != FS_OK) return st;
  *stack = t->shape;
  stack->rank -= p->rank;
  return FS_OK;
}

static enum fs_status apply_call(struct fs_interp *in, const struct fs_elem *e,
                                 struct fs_tv *src, const struct fs_span *spans,
                                 enum fs_dtype dt, struct fs_tv *out) {
  struct fs_shape batch = {0};
  int n = e->params.len, from = -1;
  for (int k = 0; k < n; k++) {
    struct fs_shape stack;
    enum fs_status st = stack_of(in, e, k, &src[k], spans[k], &stack);
    if (st != FS_OK) return st;
    if (fs_shape_count(&stack) <= 1 && (from >= 0 || !stack.rank)) continue;
    bool one = from >= 0 && fs_shape_count(&batch) <= 1;
    if (from >= 0 && !one && !fs_shape_equal(&batch, &stack))
      return fs_in_error(in, spans[k], "shape-mismatch", NULL,
                         "the stacks of instances differ: %s has %s, %s has %s",
                         fs_in_text(in, spans[from]), fs_shape_text(&batch),
                         fs_in_text(in, spans[k]), fs_shape_text(&stack));
    batch = stack;
    from = k;
  }
  struct fs_shape flat = fs_squeezed(&batch), shape = batch;
  if (batch.rank + e->result_type.rank > FS_MAX_RANK)
    return fs_in_error(in, spans[0], "shape-mismatch", NULL,
                       "the result would have more than %d dimensions",
                       FS_MAX_RANK);
  for (int a = 0; a < e->result_type.rank; a++)
    shape.dim[shape.rank++] = e->result_type.dim[a];
  fs_id ids[FS_USER_ARGS];
  for (int k = 0; k < n; k++) ids[k] = src[k].node;
  const struct fs_user *u = form_to_call(in, e, dt);
  out->node = fs_graph_user(fs_block_graph(in), u, &flat, ids, dt);
  out->dtype = dt;
  out->shape = shape;
  return FS_OK;
}

/* -- calls ------------------------------------------------------------------------ */

/* A routine must exist for the target; whether it can be built there turns out
 * when it is. */
static enum fs_status check_form(struct fs_interp *in, const struct fs_elem *e,
                                 struct fs_span span) {
  unsigned types = fs_elem_dtypes(e);
  enum fs_dtype dt = (enum fs_dtype)__builtin_ctz(types);
  const struct fs_user *u = fs_elem_form(in, e, dt);
  bool cuda = takes_cuda(in);
  if (cuda ? u->cuda.text : u->c.text) return FS_OK;
  return fs_in_error(in, span, "elem-no-form",
                     cuda ? "add a routine for `cuda` or `any`, or use :target "
                            "cpu"
                          : "add a routine for `c` or `any`, or use :target "
                            "cuda",
                     "routine %d of `%s` has no form for the %s target",
                     u->impl, e->name, cuda ? "cuda" : "cpu");
}

static enum fs_reduce_op reduce_op(const struct fs_elem *e) {
  switch (e->reduce) {
    case '*': return FS_RD_PROD;
    case '<': return FS_RD_MINR;
    case '>': return FS_RD_MAXR;
    default: return FS_RD_SUM;
  }
}

enum fs_status fs_elem_call(struct fs_interp *in, const struct fs_elem *e,
                            int n, const struct fs_val *args,
                            const struct fs_span *spans, struct fs_span span,
                            struct fs_val *out) {
  struct fs_tv src[FS_USER_ARGS], result;
  enum fs_dtype dt;
  (void)n;
  enum fs_status st = check_form(in, e, span);
  if (st == FS_OK) st = operands(in, e, args, spans, span, src, &dt);
  if (st != FS_OK) return st;
  st = e->by_instance ? apply_call(in, e, src, spans, dt, &result)
                      : map_call(in, e, src, spans, span, dt, &result);
  if (st != FS_OK) return st;
  if (e->reduce) result = fs_tv_reduce(in, reduce_op(e), result, 0);
  *out = fs_tv_value(in, &result);
  return FS_OK;
}
