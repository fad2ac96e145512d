/* recover.c - after a jump out of the middle of a statement, when the host had no
 * memory left. Frames of the C stack are gone and with them references that were
 * never given back, so all counts are taken anew from what can be reached: the
 * names. What they do not reach is freed on the device, and so are the inputs' arenas;
 * small host-side handles are lost. */
#include "core/eval/interp.h"
#include "core/eval/list.h"
#include "core/eval/rewrite.h"

/* -- counts ---------------------------------------------------------------- */

static void forget(struct fs_val v) {
  if (v.kind == FS_V_STRING) v.string->refs = 0;
  if (v.kind == FS_V_TENSOR && v.tensor->refs) {
    struct fs_tensor *t = v.tensor;
    t->refs = 0;
    if (t->state != FS_TS_VIRTUAL) return;
    if (t->snapshot) { /* one is shared by several: counted like a tensor */
      t->snapshot->refs = 0;
      for (int k = 0; k < t->snapshot->recipe->graph->inputs.len; k++)
        forget(fs_val_tensor(t->snapshot->inputs[k]));
      return;
    }
    for (int k = 0; k < t->graph->inputs.len; k++)
      forget(fs_val_tensor(t->graph->inputs.data[k].tensor));
  }
  if (fs_is_list(&v) && v.list->refs) {
    v.list->refs = v.list->logged = 0;
    for (int64_t k = 0; k < v.list->len; k++) forget(v.list->items[k]);
  }
  if (v.kind == FS_V_COMPLEX && v.complex->refs) {
    v.complex->refs = 0;
    forget(v.complex->part[0]);
    forget(v.complex->part[1]);
  }
  if (v.kind == FS_V_FUNCTION && v.func->refs) {
    v.func->refs = 0;
    for (int k = 0; k < v.func->captures.len; k++)
      forget(v.func->captures.data[k].value);
  }
}

/* One more reference; what a value holds is counted with its first one. */
static void count(struct fs_val v) {
  if (v.kind == FS_V_STRING) v.string->refs++;
  if (v.kind == FS_V_TENSOR && ++v.tensor->refs == 1) {
    struct fs_tensor *t = v.tensor;
    if (t->state == FS_TS_STORED) t->storage->refs++;
    if (t->state != FS_TS_VIRTUAL) return;
    if (t->snapshot) {
      if (++t->snapshot->refs > 1) return;
      for (int k = 0; k < t->snapshot->recipe->graph->inputs.len; k++)
        count(fs_val_tensor(t->snapshot->inputs[k]));
      return;
    }
    for (int k = 0; k < t->graph->inputs.len; k++)
      count(fs_val_tensor(t->graph->inputs.data[k].tensor));
  }
  if (fs_is_list(&v) && ++v.list->refs == 1)
    for (int64_t k = 0; k < v.list->len; k++) count(v.list->items[k]);
  if (v.kind == FS_V_COMPLEX && ++v.complex->refs == 1) {
    count(v.complex->part[0]);
    count(v.complex->part[1]);
  }
  if (v.kind == FS_V_FUNCTION && ++v.func->refs == 1) {
    if (v.func->unit) fs_unit_ref(v.func->unit);
    for (int k = 0; k < v.func->captures.len; k++)
      count(v.func->captures.data[k].value);
  }
}

static void each(const struct fs_scope *s, void (*visit)(struct fs_val v)) {
  for (int k = 0; k < s->vars.len; k++) visit(s->vars.data[k].value);
}

static void count_all(void *user) {
  struct fs_interp *in = user;
  for (struct fs_unit *u = in->all_units; u; u = u->next) u->refs = 0;
  for (int k = 0; k < in->parsed.len; k++) fs_unit_ref(in->parsed.data[k].unit);
  each(&in->globals, forget);
  each(&in->prelude, forget);
  for (int k = 0; k < in->rules.len; k++) forget(fs_val_func(fs_rewrite_function(in, k)));
  each(&in->globals, count);
  each(&in->prelude, count);
  for (int k = 0; k < in->rules.len; k++) count(fs_val_func(fs_rewrite_function(in, k)));
}

static void free_lost_units(struct fs_interp *in) {
  for (struct fs_unit *u = in->all_units, *next; u; u = next) {
    next = u->next;
    if (!u->refs) fs_unit_unref(fs_unit_ref(u));
  }
}

/* -- the interpreter ------------------------------------------------------- */

void fs_interp_recover(struct fs_interp *in) {
  fs_interrupt_hold(false);
  in->scope = &in->globals;
  in->call_depth = in->lib_depth = in->begin_depth = 0;
  fs_runner_options(in->runner)->in_loop = false;
  in->unchecked.len = in->sums.len = 0;
  in->word = NULL; /* with what else was held */
  in->index_end.len = in->units.len = in->results.len = in->importing.len = 0;
  in->tries = 0;
  in->running = in->script = in->silent = in->elementwise = in->rewriting = false;
  in->explain = NULL;
  in->round = NULL;
  in->passing = NULL;
  fs_again_clear(in); /* its references to functions are not among the counted */
  fs_block_abandon(in);
  fs_storage_recount(count_all, in);
  free_lost_units(in);
}
