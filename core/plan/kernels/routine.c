/* routine.c - which of its routines a user's function takes in a kernel.
 *
 * A function whose routine nobody named comes with all that the target has a form of
 * (core/graph/user.h). In an instance kernel each is an implementation of its own,
 * priced with the whole kernel; among maps, where a call is one step of many, a kernel
 * takes the one whose calls take the least (equal prices: the lowest number), and the
 * others are settings of it, like threads. */
#include "core/model/calibration.h"
#include "core/plan/kernels/inside.h"

int fs_user_ways(const struct fs_user *u) {
  return u && u->n_alternatives ? u->n_alternatives : 1;
}

const struct fs_user *fs_user_way(const struct fs_user *u, int k) {
  return u && u->n_alternatives ? u->alternatives[k] : u;
}

const struct fs_user *fs_user_cheapest(const struct fs_user *u, const struct fs_device *device) {
  const struct fs_user *best = fs_user_way(u, 0);
  double least = -1;
  for (int k = 0; k < fs_user_ways(u) && u; k++) {
    double each = fs_call_seconds(device, fs_user_way(u, k)->hash);
    if (each < 0 || (least >= 0 && each >= least)) continue;
    best = fs_user_way(u, k);
    least = each;
  }
  return best;
}

/* -- among maps --------------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 4 }; /* of a kernel whose routines are varied */

/* Functions of several routines that maps of the kernel call, each once. */
static int functions_of(const struct fs_graph *g, const struct fs_kernel *k,
                        const struct fs_user *out[MOST_FUNCTIONS]) {
  int n = 0;
  FS_EACH_CALL(k, step) {
    const struct fs_user *u = fs_node(g, step->node)->user;
    int at = 0;
    while (at < n && out[at] != u) at++;
    if (at == n && n < MOST_FUNCTIONS && fs_user_ways(u) > 1) out[n++] = u;
  }
  return n;
}

int fs_kernel_ways(const struct fs_graph *g, const struct fs_kernel *k) {
  enum { MOST_WAYS = 64 };
  const struct fs_user *functions[MOST_FUNCTIONS];
  int n = functions_of(g, k, functions), ways = 1;
  for (int f = 0; f < n; f++) ways = FS_MIN(ways * fs_user_ways(functions[f]), MOST_WAYS);
  return ways;
}

static void take(const struct fs_graph *g, struct fs_kernel *k,
                 const struct fs_user *function, const struct fs_user *routine) {
  FS_EACH_CALL(k, s)
    if (fs_node(g, s->node)->user == function)
      k->steps.data[s - k->steps.data].user = routine;
}

void fs_kernel_take_way(const struct fs_graph *g, const struct fs_device *device,
                        struct fs_kernel *k, int way) {
  const struct fs_user *functions[MOST_FUNCTIONS];
  int n = functions_of(g, k, functions);
  for (int f = 0; f < n; f++) { /* digits count from the cheapest on */
    int ways = fs_user_ways(functions[f]), at = way % ways, cheapest = 0;
    while (cheapest < ways - 1 && fs_user_way(functions[f], cheapest) !=
                                      fs_user_cheapest(functions[f], device))
      cheapest++;
    take(g, k, functions[f], fs_user_way(functions[f], (cheapest + at) % ways));
    way /= ways;
  }
}

int fs_user_routines(const struct fs_user *u) {
  int n = 0;
  for (int k = 0; k < fs_user_ways(u); k++)
    n += !k || fs_user_way(u, k)->impl != fs_user_way(u, k - 1)->impl;
  return n;
}

/* -- in words ------------------------------------------------------------------------- */

/* "inv3 routine 2 of 3 on 1 thread each": what there was to choose. */
static void put(const struct fs_user *all, const struct fs_user *taken, struct fs_str *out) {
  struct fs_str one = {0};
  int routines = fs_user_routines(all);
  if (fs_user_ways(all) < 2) return;
  fs_str_puts(&one, taken->name);
  if (routines > 1) fs_str_printf(&one, " routine %d of %d", taken->impl, routines);
  if (fs_user_ways(all) > routines)
    fs_str_printf(&one, " on %d thread%s each", taken->threads, taken->threads == 1 ? "" : "s");
  if (!out->len || !strstr(fs_str_text(out), fs_str_text(&one)))
    fs_str_printf(out, "%s%s", out->len ? ", " : "", fs_str_text(&one));
  fs_str_free(&one);
}

/* Whether the last that was said is which routine of a function is taken. */
static bool ends_with_routine(const struct fs_str *out, const struct fs_user *u) {
  const char *last = out->len ? strrchr(fs_str_text(out), ',') : NULL;
  last = last ? last + 2 : fs_str_text(out);
  size_t len = strlen(u->name);
  return out->len && !strncmp(last, u->name, len) &&
         (strstr(last, " of ") || strstr(last, " each"));
}

/* ", its own load of A and store": what a user's routine of its own brings in or
 * sends out. */
static void put_moves(const struct fs_user *u, struct fs_str *out) {
  int n = 0;
  for (int a = 0; a <= u->n_args; a++) {
    const struct fs_user_move *m = a < u->n_args ? &u->load[a] : &u->store;
    if (!m->cuda.text && !m->c.text) continue;
    if (!n && !ends_with_routine(out, u))
      fs_str_printf(out, "%s%s", out->len ? ", " : "", u->name);
    fs_str_puts(out, n ? " and " : " with its own ");
    if (a < u->n_args) fs_str_printf(out, "load of %s", u->arg[a].name);
    else fs_str_puts(out, "store");
    if (!m->cuda.text) fs_str_puts(out, " on the CPU");
    if (!m->c.text) fs_str_puts(out, " on a GPU");
    n++;
  }
}

void fs_kernel_put_routines(const struct fs_plan *plan,
                            const struct fs_kernel *k, struct fs_str *out) {
  struct fs_str text = {0};
  for (int q = 0; q < k->n_applied; q++) {
    put(fs_node(plan->graph, k->applied[q].node)->user, k->applied[q].user, &text);
    put_moves(k->applied[q].user, &text);
  }
  FS_EACH_CALL(k, step) put(fs_node(plan->graph, step->node)->user, step->user, &text);
  fs_str_puts(out, fs_str_text(&text));
  fs_str_free(&text);
}
