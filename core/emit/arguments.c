/* arguments.c - what a kernel is called with, and the pointers made of it. */
#include "core/emit/writer.h"
#include "core/plan/plan.h"

int w_input_of(const struct fs_plan *plan, int slot) {
  if (slot >= plan->slots.len) return -1; /* a plan without a block */
  const struct fs_slot *s = &plan->slots.data[slot];
  return s->kind == FS_SLOT_INPUT ? s->index : -1;
}

static bool same_array(const struct fs_plan *plan, int a, int b) {
  int x = w_input_of(plan, a), y = w_input_of(plan, b);
  return a == b || (x >= 0 && y >= 0 && fs_graph_same_array(plan->graph, x, y));
}

/* Views of one array that begin at one place are one argument, so that the compiler
 * sees which of their loads are the same. */
int w_slot_argument(const struct fs_plan *plan, struct fs_emitted *o, int slot, int64_t bytes) {
  for (int k = 0; k < o->n_slots; k++)
    if (o->slot_bytes[k] == bytes && same_array(plan, slot, o->slots[k])) return k;
  size_t n = (size_t)o->n_slots + 1;
  o->slots = fs_realloc(o->slots, sizeof(int) * n);
  o->slot_bytes = fs_realloc(o->slot_bytes, sizeof(int64_t) * n);
  o->slots[o->n_slots] = slot;
  o->slot_bytes[o->n_slots] = bytes;
  return o->n_slots++;
}

/* Where the first of the slices of one array begins that go through it in one way, as
 * those of a stencil do: what they are apart stays in the text, where the compiler
 * can use it. */
static int64_t first_offset(const struct fs_writer *w, const struct fs_access *a) {
  int64_t first = a->offset;
  FS_EACH_AT(&w->how->kernel->accesses, b)
    if (b->step >= 0 && b->dtype == a->dtype && same_array(w->args->plan, a->slot, b->slot) &&
        !memcmp(a->stride, b->stride, sizeof a->stride) && !a->list && !b->list)
      first = FS_MIN(first, b->offset);
  return FS_MAX(first, 0); /* a loose one may lie before the array */
}

static void access_pointer(const struct fs_writer *w, int x) {
  const struct fs_access *a = &w->how->kernel->accesses.data[x];
  const char *type = w_stored_type(a->dtype);
  const char *how = a->stored ? "" : "const ";
  int64_t first = first_offset(w, a);
  int argument = w_slot_argument(w->args->plan, w->args->out, a->slot,
                                 first * (int64_t)fs_dtype_size(a->dtype));
  const char *off = a->offset > first   ? w_fmt(w, " + %s", w_int(w, a->offset - first))
                    : a->offset < first ? w_fmt(w, " - %s", w_int(w, first - a->offset))
                                        : "";
  w_line(w, "`global %s%s *const a%d = (`global %s%s *)s%d%s;", how, type, x, how, type, argument,
         off);
}

void w_access_pointers(const struct fs_writer *w) {
  bool *seen = FS_NEW_N(w->lp->arena, bool, w->how->kernel->accesses.len + 1);
  FS_EACH_STEP(w->how->kernel, s)
    for (int x = s->access; x >= 0 && !seen[x]; x = w->how->kernel->accesses.data[x].list - 1) {
      seen[x] = true;
      access_pointer(w, x);
    }
}

/* Where partial results lie: counters, then what has a fixed size, then a row
 * of column results per block, then the blocks' scalars. */
void w_work_pointers(const struct fs_writer *w) {
  bool any = false;
  int64_t fixed = W_COUNTER_BYTES + w->how->work_base;
  for (int v = 0; v < w->how->kernel->values.len; v++) {
    const struct fs_scheduled_value *x = &w->how->made[v];
    bool per_block = x->reduced == FS_REDUCED_COLUMN && !w_mode(w)->tiled;
    if (w->how->march) break;
    bool once = x->saved || x->reduced == FS_REDUCED_ROW_END || x->reduced == FS_REDUCED_COLUMN;
    if (!once && (x->reduced != FS_REDUCED_ALL || w->how->kernel->everywhere)) continue;
    const char *type = x->saved ? w_value_type(w_val(w, v)->dtype) : w_acc_type(w, v);
    const char *at = w_int(w, W_COUNTER_BYTES + x->work);
    if (per_block || x->reduced == FS_REDUCED_ALL) {
      int64_t each = per_block ? x->work : w->how->work_columns + 8 * x->work;
      at = each ? w_fmt(w, "%s + %s * gridDim.x", w_int(w, fixed),
                        w_fmt(w, "%lldLL", (long long)each))
                : w_int(w, fixed);
    }
    w_line(w, "`global %s *const w%d = (`global %s *)((`global char *)work + %s);", type, v, type,
           at);
    any = true;
  }
  if (w->how->march)
    w_line(w, "unsigned long long *const posts = (unsigned long long *)((char *)work + %d);",
           W_COUNTER_BYTES);
  if (!w->args->grid && (any || w->how->n_all || w->how->vector_end))
    w_line(w, "`global unsigned *const counters = (`global unsigned *)work;");
  if (w->how->scratch)
    w_line(w, "alignas(16) __shared__ double scratch[%lld];",
           (long long)((w->how->scratch + 7) / 8));
}
