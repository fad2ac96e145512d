/* instance.c - writes a kernel of the instance scheme (kernel/kernel.h):
 *
 *   operands   all threads compute the elements of all instances of the block,
 *              neighbours in memory by neighbouring threads, into shared memory
 *   routine    FS_LANES_EACH threads call the user's function on an instance
 *   result     all threads compute what follows on it, element by element
 *
 * Where the elements of a part lie one after the other in memory, a thread takes 16
 * bytes at once. Of 4,194,304 matrices of 3 x 3 in f32 the inverse takes 79.6 us so on
 * an H200, and 90.5 us number by number; copies by the bulk unit, three blocks ahead,
 * are no better (80.6 us), and one thread that loads its matrix for itself, 36 bytes
 * apart from the next one's, takes 272 us (a plain copy: 74.9 us).
 *
 * Where the user has a load for an operand, threads of each instance run that, and
 * what would be computed in order is a lambda that it asks for numbers; a store is
 * given one that takes the numbers of the result.
 */
#include "core/emit/user.h"
#include "core/emit/writer.h"

static const struct fs_user_element *element_of(const struct em *em, int part) {
  return fs_part_element(em->k, part);
}

static struct fs_shape shape_of(const struct em *em, int part) {
  return fs_part_shape(em->plan->graph, em->k, part);
}

/* A scalar is a uniform value of its part, in a register. */
static bool is_shared(const struct em *em, int part) {
  return element_of(em, part)->type != FS_UT_SCALAR;
}

/* The part whose array has a part's element: what a routine gave the next as it is
 * stays where it lies. */
static int array_of(const struct em *em, int part) {
  int alias = fs_part_alias(em->k, part);
  return alias >= 0 ? alias : part;
}

/* Numbers from one instance's element to the next one's. */
static int pitch_of(const struct em *em, int part) {
  return fs_instance_pitch(element_of(em, part));
}

/* The load or store of the user's own that a part has, or NULL. */
static const struct fs_user_move *move_of(const struct em *em, int part) {
  const struct fs_applied *a = fs_part_of(em->k, part);
  int p = part - a->first;
  const struct fs_user_move *m =
      p < a->user->n_args ? &a->user->load[p] : &a->user->store;
  return m->cuda.text ? m : NULL;
}

static const char *compute_type(const struct em *em, int part) {
  return em_value_type(fs_part_of(em->k, part)->user->compute);
}

/* -- analysis ---------------------------------------------------------------- */

/* Elements of a part are counted by the stack's axes, the outer ones, and its own. */
static void take_part(struct em *em, int part) {
  struct fs_shape s = shape_of(em, part);
  em->axes = (struct fs_lp_axes){.n_outer = em->k->space.n_outer,
                                 .n_inner = s.rank - em->k->space.n_outer};
  for (int x = 0; x <= FS_MAX_RANK; x++) em->axes.dim[x] = x < s.rank ? s.dim[x] : 1;
}

/* -- parts -------------------------------------------------------------------- */

/* Digits of a number by these axes: `i0 = i / 12; i1 = i % 12`. */
static void put_axes(struct em *em, const char *letter, const char *number, int first, int count) {
  int64_t rest = 1;
  for (int x = first; x < first + count; x++) rest *= em->axes.dim[x];
  for (int x = first; x < first + count && count > 1; x++) {
    rest /= em->axes.dim[x];
    const char *e = rest == 1 ? number
                              : em_fmt(em, "%s / %s", number, em_int(em, rest));
    if (x > first)
      e = em_fmt(em, rest == 1 ? "%s %% %s" : "(%s) %% %s", e, em_int(em, em->axes.dim[x]));
    em_line(em, "const fs_index %s%d = %s;", letter, x - first, e);
  }
}

/* A number in memory that is the same for all instances. */
static bool is_uniform(const struct em *em, const struct fs_step *s) {
  return s->kind == FS_SP_LOAD && !em_access(em, s)->varies;
}

/* Whether the elements of a part lie one after the other, as they are counted:
 * then their number is their address, and no axis is needed. */
static bool is_dense(const struct em *em, const struct fs_step *s) {
  if (s->kind == FS_SP_IOTA || s->kind == FS_SP_RAND) return false;
  if (!is_shared(em, s->phase)) return false; /* in no loop over elements */
  if (s->access < 0) return true;
  struct fs_shape d = shape_of(em, s->phase);
  const int64_t *stride = em_access(em, s)->stride;
  int64_t next = 1;
  for (int x = d.rank - 1; x >= 0; x--) {
    if (d.dim[x] != 1 && stride[x] != next) return false;
    next *= d.dim[x];
  }
  return true;
}

static bool all_dense(const struct em *em, int part) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (em->k->steps.data[i].phase == part &&
        !is_dense(em, &em->k->steps.data[i]) &&
        !is_uniform(em, &em->k->steps.data[i]))
      return false;
  return true;
}

static bool is_moved(const struct em *em, const struct fs_step *s, int part) {
  return s->phase == part && s->access >= 0 && !is_uniform(em, s);
}

/* How many elements of a part a thread takes at once: 16 bytes, where all arrays lie
 * so that blocks begin at a multiple of them; else 1. */
static int vector_of(const struct em *em, int part) {
  int size = 1, count = element_of(em, part)->count;
  bool any = false;
  if (!is_shared(em, part) || !all_dense(em, part)) return 1;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_moved(em, s, part)) continue;
    any = true;
    size = FS_MAX(size, (int)fs_dtype_size(em_access(em, s)->dtype));
  }
  int vector = any ? FS_MIN(8, 16 / size) : 1;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    while (is_moved(em, s, part) && em_access(em, s)->offset % vector) vector /= 2;
  }
  while (em->how->sides * count % vector) vector /= 2;
  return vector;
}

/* Whether the last block has fewer instances. */
static bool has_rest(const struct em *em) { return em->how->m % em->how->sides; }

static const char *address(struct em *em, const struct fs_step *s) {
  if (!is_dense(em, s)) return em_address(em, em_access(em, s));
  return em_at(em, FS_LP_AT({"first", element_of(em, s->phase)->count}, {"x", 1}));
}

/* `vector`: elements that the thread has at once, in the loop over them. */
static void put_step(struct em *em, const struct fs_step *s, int vector) {
  bool in_vector = vector > 1 && s->access >= 0 && !is_uniform(em, s);
  if (s->kind == FS_SP_STORE && in_vector) {
    em_line(em, "w%d[e] = %s;", s->access, em_ref(em, s->in[0]));
    return;
  }
  if (s->kind == FS_SP_STORE) {
    em_line(em, "fs_put(a%d[%s], %s);", s->access, address(em, s), em_ref(em, s->in[0]));
    return;
  }
  const char *x = s->kind != FS_SP_LOAD ? em_rhs(em, s, NULL)
                  : in_vector
                      ? em_fmt(em, "w%d[e]", s->access)
                      : em_fmt(em, "fs_get(a%d[%s])", s->access, address(em, s));
  em_line(em, "const %s v%d = %s;", em_value_type(em_val(em, s->out)->dtype), s->out, x);
}

static void put_steps(struct em *em, int part, int vector) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (em->k->steps.data[i].phase == part)
      put_step(em, &em->k->steps.data[i], vector);
}

/* Whether elements of neighbouring instances lie apart in shared memory. */
static bool is_apart(const struct em *em, int part) {
  return pitch_of(em, part) > element_of(em, part)->count;
}

static const char *place(struct em *em, int part) {
  return em_fmt(em, is_apart(em, part) ? "e%d[x + own]" : "e%d[x]", part);
}

static bool uses(const struct em *em, int part, int v) {
  bool used = em->k->part_value[part] == v;
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (s->phase != part) continue;
    FS_EACH_IN(s, x) used |= s->in[x] == v;
  }
  return used;
}

/* Whether the place of one of its elements, or of an earlier result that it uses, goes
 * by the instance. */
static bool wants_own(const struct em *em, int part) {
  bool wants = is_apart(em, part);
  for (int q = 0; q < em->k->n_applied; q++) {
    int from = fs_result_part(&em->k->applied[q]);
    if (from < part && uses(em, part, em->k->part_value[from]))
      wants |= is_apart(em, from);
  }
  return wants;
}

/* Loads or stores of whole vectors; in the last block of fewer instances, of what
 * there is of them. */
static void put_vectors(struct em *em, int part, int vector, enum fs_step_kind kind) {
  int count = element_of(em, part)->count;
  const char *at = em_at(em, FS_LP_AT({"first", count}, {"x0", 1}));
  if (count != 1) at = em_fmt(em, "(%s)", at);
  const char *some = has_rest(em) ? "_some" : "";
  const char *left =
      has_rest(em) ? em_fmt(em, ", left - x0 < %d ? left - x0 : %d", vector, vector)
                   : "";
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_moved(em, s, part) || s->kind != kind) continue;
    int v = kind == FS_SP_LOAD ? s->out : s->in[0];
    if (kind == FS_SP_STORE)
      em_line(em, "fs_store%s(a%d + %s, w%d%s);", some, s->access, at, s->access, left);
    else
      em_line(em, "%s w%d[%d]%s;", em_value_type(em_val(em, v)->dtype), s->access,
              vector, has_rest(em) ? " = {}" : "");
    if (kind == FS_SP_LOAD)
      em_line(em, "fs_load%s(w%d, a%d + %s%s);", some, s->access, s->access, at, left);
  }
}

static void declare_stored(struct em *em, int part, int vector) {
  for (int i = 0; i < em->k->steps.len; i++) {
    const struct fs_step *s = &em->k->steps.data[i];
    if (!is_moved(em, s, part) || s->kind != FS_SP_STORE) continue;
    em_line(em, "%s w%d[%d];", em_value_type(em_val(em, s->in[0])->dtype), s->access, vector);
  }
}

/* The loop over the elements of a part: x among those of the block, of instance i.
 * Gives how many a thread has at once. */
static int open_part(struct em *em, int part, bool by_vectors) {
  const char *count = em_int(em, element_of(em, part)->count);
  int vector = by_vectors ? vector_of(em, part) : 1;
  take_part(em, part);
  if (vector == 1) {
    em_loop(em, FS_LP_BLOCK_AXIS, "int x = t; x < FS_INSTANCES * %s; x += FS_THREADS", count);
  } else {
    em_unroll(em, FS_LP_UNROLL_ALL);
    em_loop(em, FS_LP_BLOCK_AXIS, "int x0 = %d * t; x0 < FS_INSTANCES * %s; x0 += %d * FS_THREADS",
            vector, count, vector);
    if (has_rest(em))
      em_say(em, FS_LP_LET, NULL,
             "const int left = FS_M - first < FS_INSTANCES ? (int)(FS_M - first) "
             "* %s : FS_INSTANCES * %s;",
             count, count);
    put_vectors(em, part, vector, FS_SP_LOAD);
    declare_stored(em, part, vector);
    em_for(em, "e", vector);
    em_say(em, FS_LP_LET, NULL, "const int x = x0 + e;");
    if (wants_own(em, part)) em_say(em, FS_LP_LET, NULL, "const int own = x / %s;", count);
    return vector;
  }
  em_say(em, FS_LP_LET, NULL, "const fs_index own = x / %s, i = first + own;", count);
  return vector;
}

/* What says that an element of the loop is of an instance that there is. */
static const char *is_there(int vector) { return vector > 1 ? "x < left" : "i < FS_M"; }

static void close_part(struct em *em, int part, int vector) {
  em_close(em);
  if (vector == 1) return;
  put_vectors(em, part, vector, FS_SP_STORE);
  em_close(em);
}

static void put_part_axes(struct em *em, int part) {
  if (all_dense(em, part)) return;
  put_axes(em, "i", "i", 0, em->axes.n_outer);
  if (em->axes.n_inner)
    em_say(em, FS_LP_LET, NULL, "const int j = x %% %s;", em_int(em, element_of(em, part)->count));
  put_axes(em, "j", "j", em->axes.n_outer, em->axes.n_inner);
}

/* -- results of earlier routines -------------------------------------------------- */

/* Whether a part reads what an earlier routine gave; `put`: declares it, number x. */
static bool read_results(struct em *em, int part, bool put) {
  bool any = false;
  for (int q = 0; q < em->k->n_applied; q++) {
    int from = fs_result_part(&em->k->applied[q]), v = em->k->part_value[from];
    if (from >= part || !uses(em, part, v)) continue;
    any = true;
    enum fs_dtype dt = em_val(em, v)->dtype;
    if (put)
      em_line(em, "const %s v%d = %s;", em_value_type(dt), v, em_rounded(em, dt, place(em, from)));
  }
  return any;
}

static bool uses_results(struct em *em, int part) {
  return read_results(em, part, false);
}

static void put_results(struct em *em, int part) { read_results(em, part, true); }

/* -- loads and stores of the user's own ----------------------------------------- */

static void put_mask(struct em *em, int threads) {
  if (threads >= 32) em_line(em, "const unsigned mask = 0xffffffffu;");
  else if (threads == 1) em_line(em, "const unsigned mask = 1u << t %% 32;");
  else em_line(em, "const unsigned mask = 0x%xu << (t %% 32 / %d * %d);",
               (1u << threads) - 1, threads, threads);
}

/* Threads of each instance of the block: in turn, where they are too few. */
static void open_own(struct em *em, int threads) {
  const char *per = threads == 1 ? "" : em_fmt(em, " / %d", threads);
  bool enough = threads * em->how->sides <= em->how->threads;
  if (!enough)
    em_loop(em, FS_LP_BLOCK_AXIS, "int own = t%s; own < FS_INSTANCES; own += FS_THREADS%s",
            per, per);
  else if (threads == 1) em_if(em, "t < FS_INSTANCES");
  else em_if(em, "t < FS_INSTANCES * %d", threads);
  if (enough) em_say(em, FS_LP_LET, NULL, "const int own = t%s;", per);
  if (threads == 1) em_say(em, FS_LP_LET, NULL, "const int lane = 0;");
  else em_say(em, FS_LP_LET, NULL, "const int lane = t %% %d;", threads);
  put_mask(em, threads);
  em_say(em, FS_LP_LET, NULL, "const fs_index i = first + own;");
}

/* The axes of number j of instance i, in a lambda. */
static void put_number_axes(struct em *em, int part) {
  bool dense = uses_results(em, part);
  for (int s = 0; s < em->k->steps.len; s++) {
    const struct fs_step *step = &em->k->steps.data[s];
    dense |= step->phase == part && step->access >= 0 && is_dense(em, step);
  }
  if (dense)
    em_say(em, FS_LP_LET, NULL, "const fs_index x = own * %d + j;", element_of(em, part)->count);
  if (all_dense(em, part)) return;
  put_axes(em, "i", "i", 0, em->axes.n_outer);
  put_axes(em, "j", "j", em->axes.n_outer, em->axes.n_inner);
}

/* The scratch of an instance `own`. */
static const char *scratch_of(struct em *em, const struct fs_applied *a) {
  if (!a->user->scratch)
    return em_fmt(em, "(%s *)nullptr", compute_type(em, a->first));
  if (fs_scratch_is_own(a->user)) return "scratch";
  return em_fmt(em, "scratch%d + own * %d", a->first, a->user->scratch);
}

static void put_move_call(struct em *em, int part, const char *given) {
  const struct fs_applied *a = fs_part_of(em->k, part);
  const struct fs_user *u = a->user;
  struct fs_str name = {0};
  bool load = part < fs_result_part(a);
  if (load) fs_user_put_load_name(u, part - a->first, &name);
  else fs_user_put_store_name(u, &name);
  const char *chip = em_fmt(em, "e%d + own * %d", part, pitch_of(em, part));
  em_line(em, "%s(%s, %s, %s, lane, mask);", fs_str_text(&name),
          load ? given : chip, load ? chip : given, scratch_of(em, a));
  fs_str_free(&name);
}

static void close_lambda(struct em *em) {
  em_close(em);
}

/* Stores among the steps before a load are run in order, as without it: the load
 * may ask for some numbers only, or for one twice. */
static void put_stores_before(struct em *em, int part) {
  bool any = false;
  for (int s = 0; s < em->k->steps.len; s++)
    any |= em->k->steps.data[s].phase == part &&
           em->k->steps.data[s].kind == FS_SP_STORE;
  if (!any) return;
  open_part(em, part, false);
  em_line(em, "if (i >= FS_M) break;");
  put_part_axes(em, part);
  put_results(em, part);
  put_steps(em, part, 1);
  em_close(em);
}

static void put_load(struct em *em, int part) {
  put_stores_before(em, part);
  take_part(em, part);
  open_own(em, move_of(em, part)->threads);
  em_function(em, "const auto number = [&](int j) -> %s", compute_type(em, part));
  em_line(em, "if (i >= FS_M) return 0;");
  put_number_axes(em, part);
  put_results(em, part);
  for (int s = 0; s < em->k->steps.len; s++) {
    const struct fs_step *step = &em->k->steps.data[s];
    if (step->phase == part && step->kind != FS_SP_STORE) put_step(em, step, 1);
  }
  em_line(em, "return %s;", em_ref(em, em->k->part_value[part]));
  close_lambda(em);
  put_move_call(em, part, "number");
  em_close(em);
}

static void put_store(struct em *em, int part) {
  int v = em->k->part_value[part];
  enum fs_dtype dt = em_val(em, v)->dtype;
  take_part(em, part);
  open_own(em, move_of(em, part)->threads);
  em_function(em, "const auto put = [&](int j, %s value)", compute_type(em, part));
  em_line(em, "if (i >= FS_M) return;");
  put_number_axes(em, part);
  em_line(em, "const %s v%d = %s;", em_value_type(dt), v, em_rounded(em, dt, "value"));
  put_results(em, part);
  put_steps(em, part, 1);
  close_lambda(em);
  put_move_call(em, part, "put");
  em_close(em);
}

/* -- operands and result --------------------------------------------------------- */

static void put_operand(struct em *em, int part) {
  const char *type = compute_type(em, part);
  int v = em->k->part_value[part], alias = array_of(em, part);
  if (alias != part) {
    em_line(em, "// %s is e%d", element_of(em, part)->name, alias);
    return;
  }
  em_line(em, "// %s", element_of(em, part)->name);
  if (!is_shared(em, part)) {
    take_part(em, part);
    put_steps(em, part, 1);
    em_line(em, "const %s e%d = %s;", type, part, em_ref(em, v));
    return;
  }
  if (move_of(em, part)) {
    put_load(em, part);
    return;
  }
  int vector = open_part(em, part, true);
  bool rest = has_rest(em);
  if (rest) {
    em_line(em, "%s value = 0;  // of instances beyond the last", type);
    em_if(em, "%s", is_there(vector));
  }
  put_part_axes(em, part);
  put_results(em, part);
  put_steps(em, part, vector);
  if (rest) {
    em_line(em, "value = %s;", em_ref(em, v));
    em_close(em);
  }
  em_line(em, "%s = %s;", place(em, part), rest ? "value" : em_ref(em, v));
  close_part(em, part, vector);
}

static bool has_steps(const struct em *em, int part) {
  for (int i = 0; i < em->k->steps.len; i++)
    if (em->k->steps.data[i].phase == part) return true;
  return false;
}

static void put_result(struct em *em, const struct fs_applied *a) {
  int part = fs_result_part(a), v = em->k->part_value[part];
  if (!has_steps(em, part)) return;
  enum fs_dtype dt = em_val(em, v)->dtype;
  if (move_of(em, part)) {
    put_store(em, part);
    return;
  }
  int vector = open_part(em, part, true);
  if (has_rest(em) && vector == 1) em_line(em, "if (i >= FS_M) break;");
  put_part_axes(em, part);
  em_line(em, "const %s v%d = %s;", em_value_type(dt), v, em_rounded(em, dt, place(em, part)));
  put_results(em, part);
  put_steps(em, part, vector);
  close_part(em, part, vector);
}

/* -- the routine ---------------------------------------------------------------- */

static void declare_shared(struct em *em) {
  for (int p = 0; p < em->k->n_phases; p++)
    if (is_shared(em, p) && array_of(em, p) == p)
      em_line(em, "alignas(16) __shared__ %s e%d[FS_INSTANCES * %d];",
              compute_type(em, p), p, pitch_of(em, p));
  for (int q = 0; q < em->k->n_applied; q++) {
    const struct fs_applied *a = &em->k->applied[q];
    if (a->user->scratch && !fs_scratch_is_own(a->user))
      em_line(em, "__shared__ %s scratch%d[FS_INSTANCES * %d];",
              compute_type(em, a->first), a->first, a->user->scratch);
  }
}

static void put_call(struct em *em, const struct fs_applied *a) {
  const struct fs_user *u = a->user;
  struct fs_str call = {0};
  int k = u->threads;
  if (k == 1) em_say(em, FS_LP_LET, NULL, "const int own = t, lane = 0;");
  else em_say(em, FS_LP_LET, NULL, "const int own = t / %d, lane = t %% %d;", k, k);
  put_mask(em, k);
  if (fs_scratch_is_own(u))
    em_line(em, "%s scratch[%d];  // of one thread: in registers",
            compute_type(em, a->first), u->scratch);
  fs_user_put_name(u, &call);
  fs_str_puts(&call, "(");
  for (int part = a->first; part <= fs_result_part(a); part++) {
    const struct fs_user_element *e = element_of(em, part);
    int at = array_of(em, part);
    if (part > a->first) fs_str_puts(&call, ", ");
    if (!is_shared(em, part)) fs_str_printf(&call, "e%d", part);
    else if (part < fs_result_part(a) && e->type == FS_UT_EACH)
      fs_str_printf(&call, "e%d[own]", at);
    else fs_str_printf(&call, "e%d + own * %d", at, pitch_of(em, at));
  }
  fs_str_printf(&call, ", %s, lane, mask);", scratch_of(em, a));
  em_line(em, "%s", fs_str_text(&call));
  fs_str_free(&call);
}

/* The skeleton has the barriers around the first routine. */
void em_instance(struct em *em) {
  const struct fs_applied *a = em->k->applied;
  em_go(em, EM_BEFORE);
  declare_shared(em);
  for (int part = a->first; part < fs_result_part(a); part++) put_operand(em, part);
  em_go(em, EM_ROW);
  put_call(em, a);
  em_go(em, EM_AFTER);
  put_result(em, a);
  for (int q = 1; q < em->k->n_applied; q++) {
    a = &em->k->applied[q];
    for (int part = a->first; part < fs_result_part(a); part++)
      put_operand(em, part);
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    em_if(em, "t < FS_INSTANCES * %d", a->user->threads);
    put_call(em, a);
    em_close(em);
    em_say(em, FS_LP_BARRIER, NULL, "__syncthreads();");
    put_result(em, a);
  }
}

/* -- what it takes of the device --------------------------------------------------- */

void em_instance_footprint(const struct fs_kernel *k, struct fs_footprint *out,
                           struct fs_home *places) {
  enum { REGISTERS = 40 }; /* of a small routine; the compiler knows */
  int64_t side = FS_MAX(1, k->tune.iters), threads = k->tune.threads, each = 0;
  for (int v = 0; v < k->values.len; v++)
    places[v] = (struct fs_home){
        "register", (double)(threads * (int64_t)fs_dtype_size(k->values.data[v].dtype))};
  for (int p = 0; p < k->n_phases; p++) {
    const struct fs_user_element *e = fs_part_element(k, p);
    const struct fs_user *u = fs_part_of(k, p)->user;
    int64_t size = (int64_t)fs_dtype_size(u->compute);
    if (p == fs_part_of(k, p)->first && !fs_scratch_is_own(u))
      each += u->scratch * size;
    if (e->type == FS_UT_SCALAR || fs_part_alias(k, p) >= 0) continue;
    each += fs_instance_pitch(e) * size;
    places[k->part_value[p]] =
        (struct fs_home){"shared", (double)(side * fs_instance_pitch(e) * size)};
  }
  *out = (struct fs_footprint){
      .threads = (int)threads, .registers = REGISTERS,
      .shared = side * each, .blocks = (k->space.m + side - 1) / side};
}

/* -- the functions that a kernel calls -------------------------------------------- */

void em_user_functions(struct em *em, struct fs_str *out) {
  const struct fs_kernel *k = em->k;
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_user *u = k->steps.data[i].user;
    bool seen = !u;
    for (int j = 0; j < i && !seen; j++)
      seen = k->steps.data[j].user && k->steps.data[j].user->hash == u->hash;
    if (!seen) fs_user_put_cuda(u, "fusible.cu", out);
  }
  for (int q = 0; q < k->n_applied; q++) {
    bool seen = false;
    for (int o = 0; o < q; o++)
      seen |= k->applied[o].user->hash == k->applied[q].user->hash;
    if (!seen) fs_user_put_cuda(k->applied[q].user, "fusible.cu", out);
  }
}
