/* instance.c - writes a kernel of the instance scheme (kernel/kernel.h):
 *
 *   operands   all threads compute the elements of all instances of the block,
 *              neighbours in memory by neighbouring threads, into shared memory
 *   routine    FS_LANES_EACH threads call the user's function on an instance
 *   result     all threads compute what follows on it, element by element
 *
 * Where the elements of a part lie one after the other in memory, a thread takes 16 bytes at once.
 * Of 4,194,304 matrices of 3 x 3 in f32 the inverse takes 79.6 us so on an H200, number by number
 * 90.5, by bulk copies 80.6, by threads that load a matrix each 272 (a plain copy: 74.9).
 *
 * Where the user has a load for an operand, threads of each instance run that, and
 * what would be computed in order is a lambda that it asks for numbers; a store is
 * given one that takes the numbers of the result.
 */
#include "core/emit/region.h"
#include "core/emit/user.h"
#include "core/emit/writer.h"
#include "core/plan/kernels/launches.h"

static const struct fs_user_element *element_of(const struct fs_writer *w, int part) {
  return fs_part_element(w->how->kernel, part);
}

static struct fs_shape shape_of(const struct fs_writer *w, int part) {
  return fs_part_shape(w->args->plan->graph, w->how->kernel, part);
}

/* A scalar is a uniform value of its part, in a register. */
static bool is_shared(const struct fs_writer *w, int part) {
  return element_of(w, part)->type != FS_UT_SCALAR;
}

static bool streams(const struct fs_writer *w) { return w->how->kernel->applied[0].user->streams; }

/* Numbers of a part that an instance has. */
static int count_of(const struct fs_writer *w, int part) {
  return element_of(w, part)->count / (fs_part_pairs(w->how->kernel, part) ? 2 : 1);
}

/* The part whose array has a part's element: what a routine gave the next as it is
 * stays where it lies. */
static int array_of(const struct fs_writer *w, int part) {
  int alias = fs_part_alias(w->how->kernel, part);
  return alias >= 0 ? alias : part;
}

/* Numbers from one instance's element to the next one's. */
static int pitch_of(const struct fs_writer *w, int part) {
  return fs_instance_pitch(element_of(w, part));
}

/* The load or store of the user's own that a part has, or NULL. */
static const struct fs_user_move *move_of(const struct fs_writer *w, int part) {
  const struct fs_applied *a = fs_part_of(w->how->kernel, part);
  int p = part - a->first;
  const struct fs_user_move *m = p < a->user->n_args ? &a->user->load[p] : &a->user->store;
  return m->cuda.text ? m : NULL;
}

static const char *compute_type(const struct fs_writer *w, int part) {
  return w_value_type(fs_part_of(w->how->kernel, part)->user->compute);
}

/* Elements of a part are counted by the stack's axes, the outer ones, and its own. */
static struct fs_writer of_part(const struct fs_writer *w, int part) {
  struct fs_writer own = *w;
  struct fs_shape s = shape_of(w, part);
  own.axes = (struct fs_lp_axes){.n_outer = w->how->kernel->space.n_outer,
                                 .n_inner = s.rank - w->how->kernel->space.n_outer};
  for (int x = 0; x <= FS_MAX_RANK; x++) own.axes.dim[x] = x < s.rank ? s.dim[x] : 1;
  return own;
}

/* -- parts -------------------------------------------------------------------- */

static fs_steps steps_of(const struct fs_writer *w, int part) {
  return W_STEPS(w, s, s->phase == part);
}

/* A number in memory that is the same for all instances. */
static bool is_uniform(const struct fs_writer *w, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && !w_access(w, s)->varies;
}

/* Whether the elements of a part lie one after the other, as they are counted:
 * then their number is their address, and no axis is needed. */
static bool is_dense(const struct fs_writer *w, const struct fs_step *s) {
  if (s->kind == FS_SP_IOTA || s->kind == FS_SP_RAND) return false;
  if (!is_shared(w, s->phase)) return false; /* in no loop over elements */
  if (s->access < 0) return true;
  struct fs_shape d = shape_of(w, s->phase);
  const int64_t *stride = w_access(w, s)->stride;
  int64_t next = 1;
  for (int x = d.rank - 1; x >= 0; x--) {
    if (d.dim[x] != 1 && stride[x] != next) return false;
    next *= d.dim[x];
  }
  return true;
}

static bool all_dense(const struct fs_writer *w, int part) {
  return !FS_ANY_OF(steps_of(w, part), s, !is_dense(w, s) && !is_uniform(w, s));
}

/* Its loads and stores of elements. */
static fs_steps moves_of(const struct fs_writer *w, int part) {
  return W_THOSE(w, steps_of(w, part), s, s->access >= 0 && !is_uniform(w, s));
}

/* How many elements of a part a thread takes at once: 16 bytes, where all arrays lie
 * so that blocks begin at a multiple of them; else 1. */
static int vector_of(const struct fs_writer *w, int part) {
  int size = 1, count = element_of(w, part)->count;
  fs_steps moves = moves_of(w, part);
  if (!is_shared(w, part) || !all_dense(w, part)) return 1;
  FS_EACH_OF(moves, s) size = FS_MAX(size, (int)fs_dtype_size(w_access(w, s)->dtype));
  int vector = *moves ? FS_MIN(8, 16 / size) : 1;
  FS_EACH_OF(moves, s)
    while (w_access(w, s)->offset % vector) vector /= 2;
  while (w->how->sides * count % vector) vector /= 2;
  return vector;
}

/* Whether the last block has fewer instances. */
static bool has_rest(const struct fs_writer *w) { return w->how->m % w->how->sides; }

/* What says that an element of the loop is of an instance that there is. */
static const char *is_there(int vector) { return vector > 1 ? "x < left" : "i < FS_M"; }

static const char *address(const struct fs_writer *w, const struct fs_step *s) {
  if (!is_dense(w, s)) return w_address(w, w_access(w, s));
  return w_at(w, FS_LP_AT({"first", count_of(w, s->phase)}, {"x", 1}));
}

/* `vector`: elements that the thread has at once, in the loop over them. */
static void put_step(const struct fs_writer *w, const struct fs_step *s, int vector) {
  bool in_vector = vector > 1 && s->access >= 0 && !is_uniform(w, s);
  if (s->kind == FS_SP_STORE && in_vector) {
    w_say(w, FS_LP_STORE, s, "w%d[e] = %s;", s->access, w_ref(w, s->in[0]));
    return;
  }
  if (s->kind == FS_SP_STORE) {
    w_say(w, FS_LP_STORE, s, "fs_put(a%d[%s], %s);", s->access, address(w, s), w_ref(w, s->in[0]));
    return;
  }
  const char *test = vector > 1 && has_rest(w) ? is_there(vector) : "";
  const char *x = s->kind != FS_SP_LOAD ? w_rhs(w, s, NULL, FS_LP_AS_IT_IS, test)
                  : in_vector           ? w_fmt(w, "w%d[e]", s->access)
                                        : w_fmt(w, "fs_get(a%d[%s])", s->access, address(w, s));
  w_define(w, w_kind(s), s, s->out, x);
}

static void put_steps(const struct fs_writer *w, int part, int vector) {
  FS_EACH_OF(steps_of(w, part), s) put_step(w, s, vector);
}

/* Whether elements of neighbouring instances lie apart in shared memory. */
static bool is_apart(const struct fs_writer *w, int part) {
  return pitch_of(w, part) > element_of(w, part)->count;
}

static const char *place(const struct fs_writer *w, int part) {
  return w_fmt(w, is_apart(w, part) ? "e%d[x + own]" : "e%d[x]", part);
}

static bool uses(const struct fs_writer *w, int part, int v) {
  return w->how->kernel->part_value[part] == v ||
         FS_ANY_OF(steps_of(w, part), s, fs_step_takes(s, v));
}

/* Whether a later part uses what a routine gave. */
static bool is_kept(const struct fs_writer *w, int from) {
  int v = w->how->kernel->part_value[from];
  for (int p = from + 1; p < w->how->kernel->n_phases; p++)
    if (uses(w, p, v) || (fs_part_pairs(w->how->kernel, from) && uses(w, p, v + 1))) return true;
  return false;
}

/* Whether the place of one of its elements, or of an earlier result that it uses, goes
 * by the instance. */
static bool wants_own(const struct fs_writer *w, int part) {
  bool wants = is_apart(w, part);
  for (int q = 0; q < w->how->kernel->n_applied; q++) {
    int from = fs_result_part(&w->how->kernel->applied[q]);
    if (from < part && uses(w, part, w->how->kernel->part_value[from])) wants |= is_apart(w, from);
  }
  return wants;
}

/* Loads or stores of whole vectors; in the last block of fewer instances, of what
 * there is of them. */
static void put_vectors(const struct fs_writer *w, int part, int vector, enum fs_step_kind kind) {
  int count = element_of(w, part)->count;
  const char *at = w_at(w, FS_LP_AT({"first", count}, {"x0", 1}));
  if (count != 1) at = w_fmt(w, "(%s)", at);
  const char *some = has_rest(w) ? "_some" : "";
  const char *left =
      has_rest(w) ? w_fmt(w, ", left - x0 < %d ? left - x0 : %d", vector, vector) : "";
  FS_EACH_OF(moves_of(w, part), s) {
    if (s->kind != kind) continue;
    int v = kind == FS_SP_LOAD ? s->out : s->in[0];
    if (kind == FS_SP_STORE)
      w_say(w, FS_LP_STORE, s, "fs_store%s(a%d + %s, w%d%s);", some, s->access, at, s->access,
            left);
    else
      w_line(w, "%s w%d[%d]%s;", w_value_type(w_val(w, v)->dtype), s->access, vector,
             has_rest(w) ? " = {}" : "");
    if (kind == FS_SP_LOAD)
      w_say(w, FS_LP_LOAD, s, "fs_load%s(w%d, a%d + %s%s);", some, s->access, s->access, at, left);
  }
}

static void declare_stored(const struct fs_writer *w, int part, int vector) {
  FS_EACH_OF(moves_of(w, part), s)
    if (s->kind == FS_SP_STORE)
      w_line(w, "%s w%d[%d];", w_value_type(w_val(w, s->in[0])->dtype), s->access, vector);
}

/* The loop over the elements of a part: x among those of the block, of instance i.
 * Gives how many a thread has at once. */
static int open_part(const struct fs_writer *w, int part, bool by_vectors) {
  const char *count = w_int(w, element_of(w, part)->count);
  int vector = by_vectors ? vector_of(w, part) : 1;
  if (vector == 1) {
    w_loop(w, FS_LP_BLOCK_AXIS, "int x = t; x < FS_INSTANCES * %s; x += FS_THREADS", count);
  } else {
    w_unroll(w, FS_LP_UNROLL_ALL);
    w_loop(w, FS_LP_BLOCK_AXIS, "int x0 = %d * t; x0 < FS_INSTANCES * %s; x0 += %d * FS_THREADS",
           vector, count, vector);
    if (has_rest(w))
      w_let(w,
            "const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) "
            "* %s : FS_INSTANCES * %s;",
            count, count);
    put_vectors(w, part, vector, FS_SP_LOAD);
    declare_stored(w, part, vector);
    w_for(w, "e", vector);
    w_let(w, "const int x = x0 + e;");
    if (wants_own(w, part)) w_let(w, "const int own = x / %s;", count);
    return vector;
  }
  w_let(w, "const fs_index own = x / %s, i = first + own;", count);
  return vector;
}

static void close_part(const struct fs_writer *w, int part, int vector) {
  w_close(w);
  if (vector == 1) return;
  put_vectors(w, part, vector, FS_SP_STORE);
  w_close(w);
}

static void put_part_axes(const struct fs_writer *w, int part) {
  if (all_dense(w, part)) return;
  w_put_axes(w, "i", "i", 0, w->axes.n_outer);
  if (w->axes.n_inner) w_let(w, "const int j = x %% %s;", w_int(w, element_of(w, part)->count));
  w_put_axes(w, "j", "j", w->axes.n_outer, w->axes.n_inner);
}

/* -- results of earlier routines -------------------------------------------------- */

/* Whether a part reads what an earlier routine gave; `put`: declares it, number x. */
static bool read_results(const struct fs_writer *w, int part, bool put) {
  bool any = false;
  for (int q = 0; q < w->how->kernel->n_applied; q++) {
    int from = fs_result_part(&w->how->kernel->applied[q]), v = w->how->kernel->part_value[from];
    for (int half = 0; half <= fs_part_pairs(w->how->kernel, from); half++) {
      if (from >= part || !uses(w, part, v + half)) continue;
      any = true;
      const char *at = !streams(w) ? place(w, from)
                       : w_fmt(w, "e%d[own * %d + j + %d]", from, pitch_of(w, from),
                               half * count_of(w, from));
      if (put)
        w_define(w, FS_LP_LET, NULL, v + half, w_rounded(w, w_val(w, v)->dtype, at));
    }
  }
  return any;
}

/* -- loads and stores of the user's own ----------------------------------------- */

static void put_mask(const struct fs_writer *w, int threads) {
  if (threads >= 32) w_line(w, "const unsigned mask = 0xffffffffu;");
  else if (threads == 1) w_line(w, "const unsigned mask = 1u << t %% 32;");
  else
    w_line(w, "const unsigned mask = 0x%xu << (t %% 32 / %d * %d);", (1u << threads) - 1, threads,
           threads);
}

/* Whether the instance with this number in the block exists; "" where all do. A routine is not
 * called for another one: it might not end. */
static const char *there(const struct fs_writer *w, const char *own) {
  return has_rest(w) ? w_fmt(w, "first + %s < FS_M", own) : "";
}

/* Threads of each instance of the block: in turn, where they are too few. */
static void open_own(const struct fs_writer *w, int threads) {
  const char *per = threads == 1 ? "" : w_fmt(w, " / %d", threads);
  const char *own = w_fmt(w, "t%s", per);
  bool enough = threads * w->how->sides <= w->how->threads;
  if (!enough)
    w_loop(w, FS_LP_BLOCK_AXIS, "int own = %s; %s; own += FS_THREADS%s", own,
           w_and(w, "own < FS_INSTANCES", there(w, "own")), per);
  else if (threads == 1) w_if(w, "%s", w_and(w, "t < FS_INSTANCES", there(w, own)));
  else w_if(w, "%s", w_and(w, w_fmt(w, "t < FS_INSTANCES * %d", threads), there(w, own)));
  if (enough) w_let(w, "const int own = t%s;", per);
  if (threads == 1) w_let(w, "const int lane = 0;");
  else w_let(w, "const int lane = t %% %d;", threads);
  put_mask(w, threads);
  w_let(w, "const fs_index i = first + own;");
}

/* The axes of number j of instance i, in a lambda. */
static void put_number_axes(const struct fs_writer *w, int part) {
  if (read_results(w, part, false) ||
      FS_ANY_OF(steps_of(w, part), s, s->access >= 0 && is_dense(w, s)))
    w_let(w, "const fs_index x = own * %d + j;", count_of(w, part));
  if (all_dense(w, part)) return;
  w_put_axes(w, "i", "i", 0, w->axes.n_outer);
  w_put_axes(w, "j", "j", w->axes.n_outer, w->axes.n_inner);
}

/* The scratch of an instance `own`. */
static const char *scratch_of(const struct fs_writer *w, const struct fs_applied *a) {
  if (!a->user->scratch) return w_fmt(w, "(%s *)nullptr", compute_type(w, a->first));
  if (fs_scratch_is_own(a->user)) return "scratch";
  return w_fmt(w, "scratch%d + own * %d", a->user->streams ? 0 : a->first, a->user->scratch);
}

static void put_move_call(const struct fs_writer *w, int part, const char *given) {
  const struct fs_applied *a = fs_part_of(w->how->kernel, part);
  const struct fs_user *u = a->user;
  struct fs_str name = {0};
  bool load = part < fs_result_part(a);
  fs_user_put_move_name(u, part - a->first, &name);
  const char *chip = w_fmt(w, "e%d + own * %d", part, pitch_of(w, part));
  w_line(w, "%s(%s, %s, %s, lane, mask);", fs_str_text(&name), load ? given : chip,
         load ? chip : given, scratch_of(w, a));
  fs_str_free(&name);
}

/* Stores among the steps before a load are run in order, as without it: the load
 * may ask for some numbers only, or for one twice. */
static void put_stores_before(const struct fs_writer *w, int part) {
  if (!FS_ANY_OF(steps_of(w, part), s, s->kind == FS_SP_STORE)) return;
  open_part(w, part, false);
  w_line(w, "if (i >= FS_M) break;");
  put_part_axes(w, part);
  read_results(w, part, true);
  put_steps(w, part, 1);
  w_close(w);
}

/* The lambda that computes number j of a part. */
static void put_number(const struct fs_writer *w, int part, const char *name) {
  w_function(w, "const auto %s = [&](int j) -> %s", name, compute_type(w, part));
  put_number_axes(w, part);
  read_results(w, part, true);
  FS_EACH_OF(steps_of(w, part), s)
    if (s->kind != FS_SP_STORE || streams(w)) put_step(w, s, 1);
  w_line(w, "return %s;", w_ref(w, w->how->kernel->part_value[part]));
  w_close(w);
}

static void put_load(const struct fs_writer *w, int part) {
  put_stores_before(w, part);
  open_own(w, move_of(w, part)->threads);
  put_number(w, part, "number");
  put_move_call(w, part, "number");
  w_close(w);
}

static void put_store(const struct fs_writer *w, int part) {
  int v = w->how->kernel->part_value[part];
  enum fs_dtype dt = w_val(w, v)->dtype;
  open_own(w, move_of(w, part)->threads);
  w_function(w, "const auto put = [&](int j, %s value)", compute_type(w, part));
  put_number_axes(w, part);
  w_define(w, FS_LP_LET, NULL, v, w_rounded(w, dt, "value"));
  read_results(w, part, true);
  put_steps(w, part, 1);
  w_close(w);
  put_move_call(w, part, "put");
  w_close(w);
}

/* -- operands and result --------------------------------------------------------- */

static void put_operand(const struct fs_writer *all, int part) {
  const struct fs_writer own = of_part(all, part), *w = &own;
  const char *type = compute_type(w, part);
  if (streams(w)) return;
  int v = w->how->kernel->part_value[part], alias = array_of(w, part);
  if (alias != part) {
    w_line(w, "// %s is e%d", element_of(w, part)->name, alias);
    return;
  }
  w_line(w, "// %s", element_of(w, part)->name);
  if (!is_shared(w, part)) {
    put_steps(w, part, 1);
    w_line(w, "const %s e%d = %s;", type, part, w_ref(w, v));
    return;
  }
  if (move_of(w, part)) {
    put_load(w, part);
    return;
  }
  int vector = open_part(w, part, true);
  bool rest = has_rest(w);
  if (rest) {
    w_line(w, "%s value = 0;  // of instances beyond the last", type);
    w_if(w, "%s", is_there(vector));
  }
  put_part_axes(w, part);
  read_results(w, part, true);
  put_steps(w, part, vector);
  if (rest) {
    w_line(w, "value = %s;", w_ref(w, v));
    w_close(w);
  }
  w_line(w, "%s = %s;", place(w, part), rest ? "value" : w_ref(w, v));
  close_part(w, part, vector);
}

static void put_result(const struct fs_writer *all, const struct fs_applied *a) {
  int part = fs_result_part(a), v = all->how->kernel->part_value[part];
  const struct fs_writer own = of_part(all, part), *w = &own;
  if (!*steps_of(w, part) || streams(w)) return;
  enum fs_dtype dt = w_val(w, v)->dtype;
  if (move_of(w, part)) {
    put_store(w, part);
    return;
  }
  int vector = open_part(w, part, true);
  if (has_rest(w) && vector == 1) w_line(w, "if (i >= FS_M) break;");
  put_part_axes(w, part);
  w_define(w, FS_LP_LET, NULL, v, w_rounded(w, dt, place(w, part)));
  read_results(w, part, true);
  put_steps(w, part, vector);
  close_part(w, part, vector);
}

/* -- the routine ---------------------------------------------------------------- */

/* The lambdas that a routine asks for its numbers and gives its result to. */
static void put_stream(const struct fs_writer *all, const struct fs_applied *a) {
  int part = fs_result_part(a), v = all->how->kernel->part_value[part];
  w_let(all, "const fs_index i = first + own;");
  for (int p = a->first; p < part; p++) {
    const struct fs_writer own = of_part(all, p);
    put_number(&own, p, w_fmt(all, "number%d", p));
  }
  const struct fs_writer own = of_part(all, part), *w = &own;
  const char *type = compute_type(w, part);
  bool pairs = fs_part_pairs(w->how->kernel, part);
  w_function(w, "const auto put%d = [&](int j, %s re, %s im)", part, type, type);
  put_number_axes(w, part);
  w_define(w, FS_LP_LET, NULL, v, "re");
  if (pairs) w_define(w, FS_LP_LET, NULL, v + 1, "im");
  read_results(w, part, true);
  put_steps(w, part, 1);
  for (int half = 0; half <= pairs && is_kept(w, part); half++)
    w_line(w, "e%d[own * %d + j + %d] = %s;", part, pitch_of(w, part), half * count_of(w, part),
           half ? "im" : "re");
  w_close(w);
}

static void declare_shared(const struct fs_writer *w) {
  for (int p = 0; p < w->how->kernel->n_phases; p++)
    if (is_shared(w, p) && array_of(w, p) == p && (!streams(w) || is_kept(w, p)))
      w_line(w, "alignas(16) __shared__ %s e%d[FS_INSTANCES * %d];", compute_type(w, p), p,
             pitch_of(w, p));
  for (int q = 0; q < w->how->kernel->n_applied; q++) {
    const struct fs_applied *a = &w->how->kernel->applied[q];
    if (a->user->scratch && !fs_scratch_is_own(a->user) && (!q || !streams(w)))
      w_line(w, "__shared__ %s scratch%d[FS_INSTANCES * %d];", compute_type(w, a->first), a->first,
             a->user->scratch);
  }
}

static void put_call(const struct fs_writer *w, const struct fs_applied *a) {
  const struct fs_user *u = a->user;
  struct fs_str call = {0};
  int k = u->threads;
  if (k == 1) w_let(w, "const int own = t, lane = 0;");
  else w_let(w, "const int own = t / %d, lane = t %% %d;", k, k);
  w_when(w, there(w, "own"));
  put_mask(w, k);
  const char *type = compute_type(w, a->first);
  if (fs_scratch_is_own(u))
    w_line(w, "%s scratch[%d];  // of one thread: in registers", type, u->scratch);
  if (u->streams) put_stream(w, a);
  fs_user_put_name(u, &call);
  fs_str_puts(&call, "(");
  for (int part = a->first; part <= fs_result_part(a); part++) {
    const struct fs_user_element *e = element_of(w, part);
    int at = array_of(w, part);
    if (part > a->first) fs_str_puts(&call, ", ");
    if (u->streams)
      fs_str_printf(&call, "%s%d", part < fs_result_part(a) ? "number" : "put", part);
    else if (!is_shared(w, part)) fs_str_printf(&call, "e%d", part);
    else if (part < fs_result_part(a) && e->type == FS_UT_EACH)
      fs_str_printf(&call, "e%d[own]", at);
    else fs_str_printf(&call, "e%d + own * %d", at, pitch_of(w, at));
  }
  fs_str_printf(&call, ", %s, lane, mask);", scratch_of(w, a));
  w_line(w, "%s", fs_str_text(&call));
  w_close(w);
  fs_str_free(&call);
}

/* The skeleton has the barriers around the first routine. */
void w_instance(const struct fs_writer *w) {
  const struct fs_applied *a = w->how->kernel->applied;
  w_go(w, "before");
  declare_shared(w);
  for (int part = a->first; part < fs_result_part(a); part++) put_operand(w, part);
  w_go(w, "row");
  put_call(w, a);
  w_go(w, "after");
  put_result(w, a);
  for (int q = 1; q < w->how->kernel->n_applied; q++) {
    a = &w->how->kernel->applied[q];
    for (int part = a->first; part < fs_result_part(a); part++) put_operand(w, part);
    w_barrier(w);
    w_if(w, "t < FS_INSTANCES * %d", a->user->threads);
    put_call(w, a);
    w_close(w);
    w_barrier(w);
    put_result(w, a);
  }
}

/* -- what it takes of the device --------------------------------------------------- */

void w_instance_footprint(const struct fs_kernel *k, struct fs_footprint *out,
                          struct fs_home *places) {
  enum { REGISTERS = 40 }; /* of a small routine; the compiler knows */
  bool streams = k->applied[0].user->streams;
  int64_t side = FS_MAX(1, k->tune.iters), threads = k->tune.threads, each = 0;
  for (int v = 0; v < k->values.len; v++)
    places[v] = (struct fs_home){
        "register", (double)(threads * (int64_t)fs_dtype_size(k->values.data[v].dtype))};
  for (int p = 0; p < k->n_phases; p++) {
    const struct fs_user_element *e = fs_part_element(k, p);
    const struct fs_user *u = fs_part_of(k, p)->user;
    int64_t size = (int64_t)fs_dtype_size(u->compute);
    if (p == fs_part_of(k, p)->first && !fs_scratch_is_own(u) && (!p || !streams))
      each += u->scratch * size;
    if (e->type == FS_UT_SCALAR || fs_part_alias(k, p) >= 0) continue;
    if (streams && (p != fs_result_part(fs_part_of(k, p)) || p + 1 == k->n_phases)) continue;
    each += fs_instance_pitch(e) * size;
    places[k->part_value[p]] =
        (struct fs_home){"shared", (double)(side * fs_instance_pitch(e) * size)};
  }
  *out = (struct fs_footprint){.threads = (int)threads, .registers = REGISTERS,
                               .shared = side * each, .blocks = (k->space.m + side - 1) / side};
}

/* -- the functions that a kernel calls -------------------------------------------- */

/* Each once, whoever calls it. */
void w_functions(const struct fs_writer *w, bool regions, struct fs_str *out) {
  const struct fs_user *u;
  for (int n = 0; (u = fs_kernel_function(w->how->kernel, n)) != NULL; n++) {
    int first = 0;
    while (fs_kernel_function(w->how->kernel, first)->hash != u->hash) first++;
    if (first < n || regions != (u->region != NULL)) continue;
    if (regions) fs_region_put_cuda(u, out);
    else fs_user_put_cuda(u, "fusible.cu", out);
  }
}
