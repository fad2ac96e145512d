/* block.c - the statement block: handles of what is traced, the flush that runs
 * it, results that stay virtual, and host reads.
 *
 * Every lazy handle made in a block is in in->handles with one reference. When
 * the block is flushed, a handle with more references than that one is wanted:
 * a variable, a pending display, a closure or a value on the interpreter's own
 * stack holds it. It becomes an output of the graph; the others are dropped.
 */
#include <math.h>
#include <stdio.h>

#include "core/base/account.h"
#include "core/eval/list.h"
#include "core/eval/nancheck.h"
#include "core/eval/overflow.h"
#include "core/eval/plot_request.h"
#include "core/eval/show.h"
#include "core/eval/trace.h"

struct fs_graph *fs_block_graph(struct fs_interp *in) {
  if (!in->graph) {
    in->graph = in->spare ? in->spare : fs_graph_new();
    in->spare = NULL;
  }
  in->graph->stmt = in->lib_depth ? in->lib_stmt : in->stmt;
  in->graph->inner = in->lib_depth ? in->stmt : (struct fs_span){0};
  in->graph->turn = (uint32_t)in->graph->nodes.len;
  in->graph->span = fs_in_span(in, in->span);
  return in->graph;
}

void fs_block_barrier(struct fs_interp *in) {
  struct fs_graph *g = fs_block_graph(in);
  *FS_PUSH(&g->barriers) = (fs_id)g->nodes.len;
}

/* -- layouts: the user's dimensions and the graph's squeezed axes ---------- */

static struct fs_layout squeeze_layout(const struct fs_layout *l,
                                       const struct fs_shape *shape) {
  struct fs_layout out = {.offset = l->offset};
  for (int k = 0, axis = 0; k < shape->rank; k++)
    if (shape->dim[k] != 1) out.stride[axis++] = l->stride[k];
  return out;
}

static struct fs_layout unsqueeze_layout(const struct fs_layout *l,
                                         const struct fs_shape *shape) {
  struct fs_layout out = {.offset = l->offset};
  for (int k = 0, axis = 0; k < shape->rank; k++)
    out.stride[k] = shape->dim[k] != 1 ? l->stride[axis++] : 0;
  return out;
}

/* -- handles --------------------------------------------------------------- */

struct fs_val fs_block_value(struct fs_interp *in, fs_id node,
                             const struct fs_shape *shape) {
  struct fs_graph *g = fs_block_graph(in);
  if (fs_graph_is_loose(g, node)) node = fs_graph_map(g, FS_OP_COPY, 1, &node, FS_F32);
  const struct fs_node *nd = fs_node(g, node);
  if (nd->kind == FS_ND_EMPTY)
    return fs_val_tensor(fs_tensor_stored(fs_storage_empty(in->target), nd->dtype, shape,
                                          &(struct fs_layout){0}));
  if (nd->kind == FS_ND_INPUT) {
    const struct fs_graph_input *i = &g->inputs.data[nd->slot];
    struct fs_layout layout = unsqueeze_layout(&i->layout, shape);
    return fs_val_tensor(fs_tensor_stored(fs_storage_ref(i->tensor->storage),
                                          nd->dtype, shape, &layout));
  }
  struct fs_tensor *t = fs_tensor_lazy(g, node, shape);
  *FS_PUSH(&in->handles) = t;
  return fs_val_tensor(fs_tensor_ref(t));
}

/* Makes the recipe of a virtual tensor a block with one result. */
static struct fs_graph *recipe_of(struct fs_tensor *t) {
  if (t->snapshot) fs_tensor_own_recipe(t);
  t->graph->outputs.len = t->graph->output_names.len = 0;
  fs_graph_output(t->graph, t->node, NULL);
  return t->graph;
}

/* Explaining computes nothing. A virtual tensor is planned, and what reads it reads
 * storage without memory, laid out as the recipe's result would be. */
static struct fs_tensor *stand_in(struct fs_interp *in, struct fs_tensor *t) {
  for (int k = 0; k < in->stand_ins.len; k++)
    if (in->stand_ins.data[k].of == t) return in->stand_ins.data[k].stored;
  int64_t count;
  struct fs_shape squeezed = fs_squeezed(&t->shape);
  struct fs_layout packed = fs_layout_new(t->dtype, &squeezed, &count);
  in->explain(in->explain_user, recipe_of(t), &packed);
  struct fs_stand_in *s = FS_PUSH(&in->stand_ins);
  *s = (struct fs_stand_in){fs_tensor_ref(t), NULL};
  struct fs_layout layout = unsqueeze_layout(&packed, &t->shape);
  s->stored = fs_tensor_stored(fs_storage_promised(), t->dtype, &t->shape, &layout);
  return s->stored;
}

static const struct fs_tensor *stood_for(const struct fs_interp *in,
                                         const struct fs_tensor *t) {
  for (int k = 0; k < in->stand_ins.len; k++)
    if (in->stand_ins.data[k].stored == t) return in->stand_ins.data[k].of;
  return t;
}

static void drop_stand_ins(struct fs_interp *in) {
  for (int k = 0; k < in->stand_ins.len; k++)
    fs_tensor_unref(in->stand_ins.data[k].stored), fs_tensor_unref(in->stand_ins.data[k].of);
  in->stand_ins.len = 0;
}

enum fs_status fs_block_read(struct fs_interp *in, struct fs_tensor *t,
                             fs_id *out) {
  if (t->state == FS_TS_VIRTUAL && in->explain) {
    t = stand_in(in, t);
  } else if (t->state == FS_TS_VIRTUAL) {
    enum fs_status st = fs_force(in, t);
    if (st != FS_OK) return st;
  }
  struct fs_graph *g = fs_block_graph(in);
  if (t->state == FS_TS_LAZY && t->graph == g) {
    *out = t->node;
    return FS_OK;
  }
  if (t->state != FS_TS_STORED)
    return fs_env_error(in->diags, "lost-value", NULL,
                        "a value was lost when its block failed");
  int before = g->inputs.len;
  struct fs_shape squeezed = fs_squeezed(&t->shape);
  struct fs_layout layout = squeeze_layout(&t->layout, &t->shape);
  struct fs_graph_source from = fs_tensor_source(t);
  *out = fs_graph_input(g, &from, t->dtype, &squeezed, &layout, NULL);
  if (g->inputs.len > before) *FS_PUSH(&in->inputs) = fs_tensor_ref(t);
  return FS_OK;
}

/* -- pending displays ------------------------------------------------------ */

/* While a block is explained they wait, too, and so make outputs of what they show:
 * the flush drops them. */

static void free_pending(struct fs_pending *p) {
  free(p->name);
  free(p->text);
  fs_val_unref(p->value);
  fs_plot_request_free(p->plot);
}

static void drop_pending(struct fs_interp *in) {
  for (int i = 0; i < in->pending.len; i++) free_pending(&in->pending.data[i]);
  in->pending.len = 0;
}

void fs_block_show(struct fs_interp *in, const char *name, struct fs_val v,
                   struct fs_span span) {
  if (in->silent) return;
  char *copy = name ? fs_strdup(name) : NULL;
  *FS_PUSH(&in->pending) = (struct fs_pending){
      .name = copy, .value = fs_val_ref(v), .span = span};
}

void fs_interp_text(struct fs_interp *in, const char *text, size_t len) {
  if (in->explain) return;
  if (in->pending.len) {
    char *copy = fs_strndup(text, len);
    *FS_PUSH(&in->pending) = (struct fs_pending){.text = copy, .len = len};
  } else if (in->host.text) {
    in->host.text(in->host.user, text, len);
  }
}

enum fs_status fs_observe(struct fs_interp *in, const char *name,
                          struct fs_val v, struct fs_span span) {
  if (v.kind == FS_V_NONE || in->silent) return FS_OK;
  fs_block_show(in, name, v, span);
  bool ends = in->script && !in->begin_depth && !in->explain;
  return ends ? fs_interp_flush(in) : FS_OK;
}

enum fs_status fs_block_plot(struct fs_interp *in, struct fs_plot_request *r) {
  *FS_PUSH(&in->pending) = (struct fs_pending){.plot = r};
  bool ends = in->script && !in->begin_depth && !in->explain;
  return ends ? fs_interp_flush(in) : FS_OK;
}

static enum fs_status emit_plot(struct fs_interp *in,
                                struct fs_plot_request *r) {
  struct fs_plot *p = NULL;
  enum fs_status st = fs_plot_read(in, r, &p);
  if (st) return st;
  if (r->kind >= FS_PLOT_ROOFLINE && in->host.kernels)
    st = in->host.kernels(in->host.user, p, r->kind == FS_PLOT_PREDICTIONS);
  fs_plot_free(in->last_plot);
  in->last_plot = p;
  if (!st && in->host.plot && !in->silent) in->host.plot(in->host.user, p);
  return st;
}

/* Hands out what waited; a display of a virtual value computes it first. */
static enum fs_status emit_pending(struct fs_interp *in) {
  enum fs_status st = FS_OK;
  for (int i = 0; i < in->pending.len && st == FS_OK; i++) {
    struct fs_pending p = in->pending.data[i];
    if (p.text) {
      if (in->host.text) in->host.text(in->host.user, p.text, p.len);
      continue;
    }
    if (p.plot) {
      st = emit_plot(in, p.plot);
      continue;
    }
    st = fs_force_all(in, &p.value);
    if (st == FS_OK && in->host.show)
      in->host.show(in->host.user, p.name, p.value, p.span);
  }
  drop_pending(in);
  return st;
}

/* -- virtual results ------------------------------------------------------- */

enum { VIRTUAL_NODES = 8, VIRTUAL_DEPTH = 16, VIRTUAL_MIN_BYTES = 1 << 20,
       PASSING_NODES = 96, PASSING_DEPTH = 64, PASSING_MIN_BYTES = 1 << 16,
       RECIPE_NODES = 160 };

struct recipe {
  const struct fs_graph *from;
  struct fs_graph *to;
  fs_id old[RECIPE_NODES], new[RECIPE_NODES];
  int n, n_nodes;
  int most, most_depth;   /* of operations, and of one on top of another */
  double input_bytes;
  bool random;
};

/* Whether an IOTA or RAND still counts its elements from the beginning, as the
 * builder makes it: slices of them are not built again. */
static bool counts_plainly(const struct fs_node *nd) {
  int64_t stride = 1;
  for (int k = nd->shape.rank - 1; k >= 0; k--) {
    if (nd->rand_stride[k] != stride) return false;
    stride *= nd->shape.dim[k];
  }
  return nd->rand_base == 0;
}

/* Whether `id` is a small tree of maps over cheap leaves; sums up what it
 * reads. */
static bool cheap(struct recipe *r, fs_id id, int depth) {
  for (int i = 0; i < r->n; i++)
    if (r->old[i] == id) return true;
  const struct fs_node *nd = fs_node(r->from, id);
  if (r->n == RECIPE_NODES || depth > r->most_depth) return false;
  r->old[r->n++] = id;
  switch (nd->kind) {
    case FS_ND_INPUT:
      r->input_bytes += fs_graph_input_bytes(r->from, nd);
      return ++r->n_nodes <= r->most;
    case FS_ND_PARAM: return true;
    case FS_ND_IOTA:
    case FS_ND_RAND:
    case FS_ND_RANDN:
      r->random |= nd->kind != FS_ND_IOTA;
      if (!counts_plainly(nd)) return false; /* fall through */
    case FS_ND_MAP:
      r->n_nodes += fs_map_weight(nd);
      if (r->n_nodes > r->most) return false;
      break;
    case FS_ND_VIEW: break;
    default: return false;
  }
  for (int k = 0; k < nd->n_src; k++)
    if (!cheap(r, nd->src[k], depth + 1)) return false;
  return true;
}

static fs_id copy_node(struct recipe *r, fs_id id) {
  for (int i = 0; i < r->n; i++)
    if (r->old[i] == id) return r->new[i];
  const struct fs_node *nd = fs_node(r->from, id);
  fs_id src[FS_MOST_SRC] = {0}, out = 0;
  for (int k = 0; k < nd->n_src; k++) src[k] = copy_node(r, nd->src[k]);
  fs_graph_come_from(r->to, nd);
  const struct fs_graph_input *input;
  struct fs_graph_source from;
  switch (nd->kind) {
    case FS_ND_INPUT:
      input = &r->from->inputs.data[nd->slot];
      from = fs_tensor_source(input->tensor);
      out = fs_graph_input(r->to, &from, nd->dtype, &nd->shape, &input->layout, NULL);
      break;
    case FS_ND_PARAM:
      out = fs_graph_param(r->to, nd->dtype, r->from->params.data[nd->slot]);
      break;
    case FS_ND_IOTA:
      out = fs_graph_iota(r->to, nd->dtype, nd->shape.dim[0], src[0], src[1]);
      break;
    case FS_ND_RAND:
    case FS_ND_RANDN:
      out = fs_graph_rand(r->to, nd->kind == FS_ND_RANDN, nd->dtype,
                          &nd->shape, src[0], src[1]);
      break;
    case FS_ND_MAP:
      out = fs_graph_map_like(r->to, nd, src);
      break;
    default:
      out = fs_graph_view(r->to, src[0], &nd->view, &nd->shape);
      break;
  }
  r->old[r->n] = id;
  r->new[r->n++] = out;
  return out;
}

/* Whether the block itself computes with the value: then random numbers behind it
 * would be drawn here and once more by the recipe. */
static bool is_used(const struct fs_graph *g, fs_id id) {
  for (int k = 1; k < g->nodes.len; k++)
    for (int s = 0; s < g->nodes.data[k].n_src; s++)
      if (g->nodes.data[k].src[s] == id) return true;
  return false;
}

static double bytes_of(const struct fs_tensor *t) {
  return (double)fs_shape_count(&t->shape) * (double)fs_dtype_size(t->dtype);
}

static bool make_virtual(struct fs_interp *in, struct fs_tensor *t) {
  double bytes = bytes_of(t);
  if (bytes < VIRTUAL_MIN_BYTES) return false;
  for (int i = 0; i < in->pending.len; i++) {
    struct fs_tensor *shown[2];
    int n = fs_val_tensors(&in->pending.data[i].value, shown);
    for (int k = 0; k < n; k++)
      if (shown[k] == t) return false;
    if (fs_plot_request_shows(in->pending.data[i].plot, t)) return false;
  }
  struct recipe r = {.from = in->graph, .most = VIRTUAL_NODES,
                     .most_depth = VIRTUAL_DEPTH};
  if (!cheap(&r, t->node, 0) || r.input_bytes > bytes / 4) return false;
  if (r.random && is_used(in->graph, t->node)) return false;
  r.n = 0;
  r.to = fs_graph_new();
  fs_id node = copy_node(&r, t->node);
  for (int i = 0; i < r.to->inputs.len; i++)
    fs_tensor_ref(r.to->inputs.data[i].tensor);
  t->state = FS_TS_VIRTUAL;
  t->graph = r.to;
  t->node = node;
  return true;
}

static enum fs_status may_keep(struct fs_interp *in, const struct fs_tensor *t,
                               struct fs_span span) {
  double memory = in->target ? (double)in->target->device.memory_bytes : 0;
  if (t->state != FS_TS_LAZY || t->graph != in->graph || bytes_of(t) <= memory)
    return FS_OK;
  struct recipe r = {.from = in->graph, .most = VIRTUAL_NODES,
                     .most_depth = VIRTUAL_DEPTH};
  bool made_up = cheap(&r, t->node, 0) && (r.random || r.input_bytes <= 0);
  return made_up ? fs_check_size(in, t->dtype, &t->shape, span) : FS_OK;
}

enum fs_status fs_block_may_keep(struct fs_interp *in, const struct fs_val *v,
                                 struct fs_span span) {
  struct fs_tensor *t[2];
  enum fs_status st = FS_OK;
  int n = fs_val_tensors(v, t);
  for (int k = 0; k < n && st == FS_OK; k++) st = may_keep(in, t[k], span);
  return st;
}

/* -- who holds a tensor ---------------------------------------------------- */

typedef FS_VEC(struct fs_tensor *) tensor_vec;

struct held {
  const struct fs_tensor *tensor;
  const char *name;   /* the variable that has it, or had it before this block; or NULL */
  int refs;           /* that the block and the undo log have */
};
typedef FS_VEC(struct held) held_list; /* by address */

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct held *)a)->tensor;
  uintptr_t y = (uintptr_t)((const struct held *)b)->tensor;
  return (x > y) - (x < y);
}

static struct held *held_in(const held_list *list, const struct fs_tensor *t) {
  struct held key = {.tensor = t};
  return list->len ? bsearch(&key, list->data, (size_t)list->len, sizeof key, by_address) : NULL;
}

/* A complex value that several names share holds its parts once. */
static void held_as(const held_list *list, const struct fs_val *v, const char *name, int refs) {
  struct fs_tensor *t[2];
  int n = fs_val_tensors(v, t);
  if (v->kind == FS_V_COMPLEX && v->complex->refs > 1) refs = 0;
  for (int k = 0; k < n; k++) {
    struct held *h = held_in(list, t[k]);
    if (!h) continue;
    if (!h->name) h->name = name;
    h->refs += refs;
  }
}

/* Goes over all variables once, however many tensors there are. */
static void find_holders(const struct fs_interp *in, const held_list *list) {
  struct held *h;
  for (const struct fs_scope *s = in->scope; s; s = s->up)
    for (int i = 0; i < s->vars.len; i++)
      held_as(list, &s->vars.data[i].value, s->vars.data[i].name, 0);
  for (int i = 0; i < in->undo.len; i++)
    held_as(list, &in->undo.data[i].old, in->undo.data[i].name, 1);
  for (int i = 0; i < in->inputs.len; i++)
    if ((h = held_in(list, stood_for(in, in->inputs.data[i])))) h->refs++;
}

/* Whether only the block and the undo log still hold the tensor. */
static bool is_dying(const struct fs_tensor *t, const struct held *of) {
  int all = of->tensor == t ? t->refs : of->tensor->refs + t->refs - 2; /* the stand-in's own */
  return all == of->refs && t->storage->refs == 1;
}

/* Those of outputs and inputs. */
static void find_held(const struct fs_interp *in, const tensor_vec *outputs, held_list *out) {
  const struct fs_graph *g = in->graph;
  int n = 0;
  for (int k = 0; k < outputs->len; k++)
    *FS_PUSH(out) = (struct held){.tensor = outputs->data[k]};
  for (int k = 0; k < g->inputs.len; k++)
    *FS_PUSH(out) = (struct held){.tensor = stood_for(in, g->inputs.data[k].tensor)};
  if (out->len) qsort(out->data, (size_t)out->len, sizeof *out->data, by_address);
  for (int k = 0; k < out->len; k++)
    if (!n || out->data[n - 1].tensor != out->data[k].tensor) out->data[n++] = out->data[k];
  out->len = n;
  find_holders(in, out);
}

/* -- results that the next round of a loop replaces ------------------------ */

/* Those that only their names hold and maps compute, whose nodes are in the recipe. */
static void find_passing(struct fs_interp *in, struct recipe *r, tensor_vec *out) {
  for (int k = 0; k < in->passing->len; k++) {
    const struct fs_val *v = fs_scope_find(in->scope, in->passing->data[k]);
    struct fs_tensor *t = v && v->kind == FS_V_TENSOR ? v->tensor : NULL;
    if (!t || t->state != FS_TS_LAZY || t->graph != in->graph || t->refs != 2 ||
        bytes_of(t) < PASSING_MIN_BYTES)
      continue;
    struct recipe before = *r;
    if (cheap(r, t->node, 0)) *FS_PUSH(out) = t;
    else *r = before;
  }
}

/* What would go with this block, but for a recipe that reads it. */
static double kept_by(const struct fs_interp *in, const struct recipe *r) {
  held_list held = {0};
  double bytes = 0;
  find_held(in, &(tensor_vec){0}, &held);
  for (int k = 0; k < r->n; k++) {
    const struct fs_node *nd = fs_node(r->from, r->old[k]);
    if (nd->kind != FS_ND_INPUT) continue;
    const struct fs_tensor *t = r->from->inputs.data[nd->slot].tensor;
    if (is_dying(t, held_in(&held, stood_for(in, t)))) bytes += bytes_of(t);
  }
  FS_VEC_FREE(&held);
  return bytes;
}

/* The temporaries of a loop's body are results of each of its rounds, which nobody reads:
 * the next round replaces them first. They stay virtual, by one recipe, where to keep what
 * it reads takes hardly more memory. So they cost nothing, and what the last round made of
 * them can be had. */
static void pass_over(struct fs_interp *in) {
  const double most = 2; /* bytes kept, to those of the temporaries */
  struct recipe r = {.from = in->graph, .most = PASSING_NODES,
                     .most_depth = PASSING_DEPTH};
  tensor_vec list = {0};
  double bytes = 0;
  find_passing(in, &r, &list);
  for (int k = 0; k < list.len; k++) bytes += bytes_of(list.data[k]);
  if (list.len && kept_by(in, &r) <= most * bytes) {
    struct fs_recipe *recipe = fs_calloc(1, sizeof *recipe);
    struct fs_graph *g = recipe->graph = r.to = fs_graph_new();
    r.n = 0;
    for (int k = 0; k < list.len; k++)
      list.data[k]->node = copy_node(&r, list.data[k]->node);
    struct fs_tensor **inputs = fs_calloc((size_t)g->inputs.len + 1, sizeof *inputs);
    for (int k = 0; k < g->inputs.len; k++) inputs[k] = g->inputs.data[k].tensor;
    struct fs_snapshot *s = fs_snapshot_new(recipe, inputs);
    for (int k = 0; k < list.len; k++) {
      struct fs_tensor *t = list.data[k];
      t->state = FS_TS_VIRTUAL;
      t->graph = NULL;
      t->snapshot = s;
      s->refs++;
    }
    fs_snapshot_unref(s);
    free(inputs);
  }
  FS_VEC_FREE(&list);
}

/* Computes a virtual tensor: its recipe is a block of its own. */
static enum fs_status run_recipe(struct fs_interp *in, struct fs_tensor *t) {
  struct fs_graph *g = recipe_of(t);
  fs_account.late = true;
  enum fs_status st =
      fs_run_graph(in->runner, g, &t, in->diags, NULL, in->diags);
  fs_account.late = false;
  if (st != FS_OK) return st;
  for (int i = 0; i < g->inputs.len; i++)
    fs_tensor_unref(g->inputs.data[i].tensor);
  fs_graph_free(g);
  t->graph = NULL;
  if (in->host.late && !in->loading_prelude) {
    struct held h = {.tensor = t};
    find_holders(in, &(held_list){&h, 1, 1});
    in->host.late(in->host.user, fs_runner_last(in->runner), h.name);
  }
  return FS_OK;
}

/* -- the flush ------------------------------------------------------------- */

static void forget_undo(struct fs_interp *in) {
  for (int i = 0; i < in->undo.len; i++) {
    fs_undo_free(&in->undo.data[i]);
  }
  in->undo.len = 0;
  in->undo_round++;
}

/* Drops the graph and the block's own references. */
static void drop_block(struct fs_interp *in) {
  for (int i = 0; i < in->handles.len; i++) {
    struct fs_tensor *t = in->handles.data[i];
    if (t->state == FS_TS_LAZY) {
      t->state = FS_TS_LOST;
      t->graph = NULL;
    }
    fs_tensor_unref(t);
  }
  in->handles.len = 0;
  for (int i = 0; i < in->inputs.len; i++)
    fs_tensor_unref(in->inputs.data[i]);
  in->inputs.len = 0;
  in->late = false;
  if (!in->word) fs_overflow_drop(in); /* else it is still to be looked at */
  struct fs_graph *done = in->graph;
  in->graph = NULL;
  if (!done) return;
  fs_graph_free(in->spare);
  in->spare = NULL;
  fs_graph_reset(done); /* should it jump, the graph is lost, not used twice */
  in->spare = done;
}

/* After a jump out of a function its scope is gone, though the log knows it. */
static bool is_open(const struct fs_interp *in, const struct fs_scope *scope) {
  const struct fs_scope *s = in->scope;
  while (s && s != scope) s = s->up;
  return s || scope == &in->globals;
}

/* New names go first: then those that come back find the room that they had,
 * and nothing is allocated but a name that `return` had removed. */
void fs_block_abandon(struct fs_interp *in) {
  for (int i = in->undo.len - 1; i >= 0; i--)
    if (in->undo.data[i].list) fs_list_undo(&in->undo.data[i]), in->globals.stamp++;
  for (int i = in->undo.len - 1; i >= 0; i--) {
    struct fs_undo *u = &in->undo.data[i];
    if (u->name && u->old.kind == FS_V_NONE && is_open(in, u->scope)) fs_scope_remove(u->scope, u->name);
  }
  for (int i = in->undo.len - 1; i >= 0; i--) {
    struct fs_undo *u = &in->undo.data[i];
    if (u->name && u->old.kind != FS_V_NONE && is_open(in, u->scope))
      fs_scope_set(u->scope, u->name, fs_val_ref(u->old));
  }
  forget_undo(in);
  drop_pending(in);
  fs_overflow_drop(in);
  drop_block(in);
  drop_stand_ins(in);
}

/* The names live as long as the graph. */
static void name_values(struct fs_interp *in, const tensor_vec *outputs) {
  struct fs_graph *g = in->graph;
  held_list held = {0};
  find_held(in, outputs, &held);
  for (int k = 0; k < outputs->len; k++) {
    const char *name = held_in(&held, outputs->data[k])->name;
    if (name) g->output_names.data[k] = fs_arena_strndup(g->arena, name, strlen(name));
  }
  for (int k = 0; k < g->inputs.len; k++) {
    struct fs_graph_input *input = &g->inputs.data[k];
    const struct held *h = held_in(&held, stood_for(in, input->tensor));
    if (!input->name && h->name)
      input->name = fs_arena_strndup(g->arena, h->name, strlen(h->name));
    input->dying = is_dying(input->tensor, h);
  }
  FS_VEC_FREE(&held);
}

/* Makes outputs of the wanted handles; while fs_interrupted(), not of all. `first` are the
 * handles of the outputs, `also` further handles of nodes that are outputs already (x and
 * x'). */
static void choose_outputs(struct fs_interp *in, tensor_vec *first,
                           tensor_vec *also) {
  struct fs_graph *g = in->graph;
  bool *seen = fs_calloc((size_t)g->nodes.len, sizeof *seen);
  for (int i = 0; i < in->handles.len && !fs_interrupted(); i++) {
    struct fs_tensor *t = in->handles.data[i];
    if (t->refs < 2 || t->state != FS_TS_LAZY) continue;
    if (make_virtual(in, t)) continue;
    *FS_PUSH(seen[t->node] ? also : first) = t;
    if (!seen[t->node]) fs_graph_output(g, t->node, NULL);
    seen[t->node] = true;
  }
  free(seen);
  name_values(in, first);
}

static void share_storage(struct fs_interp *in, const tensor_vec *first,
                          const fs_id *nodes, const tensor_vec *also) {
  for (int i = 0; i < also->len; i++) {
    struct fs_tensor *t = also->data[i], *from = NULL;
    for (int k = 0; k < first->len && !from; k++)
      if (nodes[k] == t->node) from = first->data[k];
    if (!from) continue;
    struct fs_layout l = squeeze_layout(&from->layout, &from->shape);
    t->layout = unsqueeze_layout(&l, &t->shape);
    t->storage = fs_storage_ref(from->storage);
    t->state = FS_TS_STORED;
    t->graph = NULL;
  }
  (void)in;
}

static enum fs_status run_block(struct fs_interp *in) {
  tensor_vec first = {0}, also = {0};
  if (in->passing) pass_over(in);
  choose_outputs(in, &first, &also);
  struct fs_tensor *word = first.len ? fs_overflow_word(in) : NULL;
  if (word) *FS_PUSH(&first) = word;
  enum fs_status st = fs_interrupted() ? FS_INTERRUPTED : FS_OK;
  struct fs_block *ran = NULL;
  if (first.len && st == FS_OK) {
    fs_id *nodes = fs_malloc(sizeof(fs_id) * (size_t)first.len);
    for (int i = 0; i < first.len; i++) nodes[i] = first.data[i]->node;
    st = fs_run_graph(in->runner, in->graph, first.data, in->diags, &ran,
                      in->diags);
    if (st == FS_OK) share_storage(in, &first, nodes, &also);
    for (int i = 0; i < first.len && st == FS_OK; i++) fs_nancheck_keep(in, first.data[i], nodes[i]);
    if (st == FS_OK) fs_again_ran(in, ran, first.len, first.data, also.len > 0);
    free(nodes);
  }
  FS_VEC_FREE(&first);
  FS_VEC_FREE(&also);
  if (st == FS_OK && ran && !in->loading_prelude) {
    in->n_blocks++;
    if (in->host.block) in->host.block(in->host.user, ran, in->n_blocks);
  }
  return st;
}

/* The largest variables, as a hint at what to free: "A (1.00 GiB)". */
static void name_biggest(struct fs_interp *in) {
  enum { SHOWN = 3 };
  struct fs_diag *last = in->diags->list.len
                             ? &in->diags->list.data[in->diags->list.len - 1]
                             : NULL;
  if (!last || strcmp(last->id, "out-of-memory")) return;
  struct { const char *name; size_t bytes; } most[SHOWN + 1] = {{0}};
  struct fs_interp_var var;
  for (int k = 0; fs_interp_var_at(in, k, &var); k++) {
    struct fs_tensor *t[2];
    int n = fs_val_tensors(&var.value, t);
    if (!n || t[0]->state != FS_TS_STORED || var.from_prelude) continue;
    size_t bytes = (size_t)n * (size_t)bytes_of(t[0]);
    int at = SHOWN;
    while (at > 0 && bytes > most[at - 1].bytes) at--;
    if (at == SHOWN) continue;
    memmove(&most[at + 1], &most[at],
            sizeof most[0] * (size_t)(SHOWN - at));
    most[at].name = var.name;
    most[at].bytes = bytes;
  }
  if (!most[0].name) return;
  struct fs_str hint = {0};
  fs_str_puts(&hint, "the largest variables are ");
  for (int k = 0; k < SHOWN && most[k].name; k++) {
    fs_str_printf(&hint, "%s%s (", k ? ", " : "", most[k].name);
    fs_str_put_bytes(&hint, (double)most[k].bytes);
    fs_str_puts(&hint, ")");
  }
  fs_str_printf(&hint, "; %s = 0 frees one", most[0].name);
  free(last->hint);
  last->hint = fs_strdup(fs_str_text(&hint));
  fs_str_free(&hint);
}

void fs_block_again(struct fs_interp *in, struct fs_block *ran,
                    enum fs_status st) {
  if (st == FS_ERR_ENV) name_biggest(in);
  if (st != FS_OK) return;
  in->n_blocks += (int)ran->in_a_row;
  in->before_last = in->n_blocks - 1;
  forget_undo(in);
  if (in->host.block) in->host.block(in->host.user, ran, in->n_blocks);
}

/* What is shown would be computed for it. */
static void explain_shown(struct fs_interp *in) {
  for (int k = 0; k < in->pending.len; k++) {
    struct fs_tensor *t[2];
    int n = fs_val_tensors(&in->pending.data[k].value, t);
    for (int i = 0; i < n; i++)
      if (t[i]->state == FS_TS_VIRTUAL) stand_in(in, t[i]);
  }
}

/* Results are stored, but without memory. */
static void promise(struct fs_interp *in, const tensor_vec *first, const tensor_vec *also) {
  struct fs_graph *g = in->graph;
  size_t n = (size_t)first->len;
  struct fs_layout *layouts = fs_calloc(n + 1, sizeof *layouts);
  fs_id *nodes = fs_calloc(n + 1, sizeof *nodes);
  for (int k = 0; k < first->len; k++) {
    int64_t count;
    struct fs_shape squeezed = fs_squeezed(&first->data[k]->shape);
    layouts[k] = fs_layout_new(first->data[k]->dtype, &squeezed, &count);
    nodes[k] = first->data[k]->node;
  }
  in->explain(in->explain_user, g, layouts);
  for (int k = 0; k < first->len; k++) {
    struct fs_tensor *t = first->data[k];
    t->layout = unsqueeze_layout(&layouts[k], &t->shape);
    t->storage = fs_storage_promised();
    t->state = FS_TS_STORED;
    t->graph = NULL;
  }
  share_storage(in, first, nodes, also);
  free(nodes);
  free(layouts);
}

/* The block that would run here. Where nothing would, at the end of all, since its results
 * are computed when they are read, they are explained as if they were. */
static void explain_block(struct fs_interp *in, bool end) {
  tensor_vec first = {0}, also = {0};
  if (in->graph) choose_outputs(in, &first, &also);
  if (first.len) promise(in, &first, &also);
  for (int k = 0; end && !first.len && k < in->handles.len; k++)
    if (in->handles.data[k]->state == FS_TS_VIRTUAL) stand_in(in, in->handles.data[k]);
  FS_VEC_FREE(&first);
  FS_VEC_FREE(&also);
  explain_shown(in);
  drop_pending(in);
  drop_block(in);
}

void fs_block_explain_end(struct fs_interp *in) {
  explain_block(in, true);
  fs_again_stop(in);
  fs_block_abandon(in);
}

enum fs_status fs_interp_flush(struct fs_interp *in) {
  if (in->explain) {
    explain_block(in, false);
    return FS_OK;
  }
  enum fs_status st = in->graph ? run_block(in) : FS_OK;
  if (st == FS_ERR_ENV) name_biggest(in);
  if (st != FS_OK) { /* numbers go back, too, which need no graph */
    fs_again_stop(in);
    fs_block_abandon(in);
    return st;
  }
  if (in->graph) drop_block(in);
  fs_again_flushed(in);
  forget_undo(in);
  st = fs_overflow_look(in);
  if (st == FS_OK) st = fs_nancheck_look(in);
  return st == FS_OK ? emit_pending(in) : st;
}

enum fs_status fs_block_alone(struct fs_interp *in) {
  if (!in->tries || in->explain || in->elementwise) return FS_OK;
  enum fs_status st = in->undo.len || in->pending.len ? fs_interp_flush(in) : FS_OK;
  in->late = true;
  return st;
}

/* -- host reads ------------------------------------------------------------ */

enum fs_status fs_force(struct fs_interp *in, struct fs_tensor *t) {
  enum fs_status st = FS_OK;
  in->forced++;
  bool stored = t->state == FS_TS_STORED && t->storage->target;
  if (in->explain && !stored && t->state != FS_TS_LOST)
    return fs_in_error(in, in->span, "explain-read", NULL,
                       "this needs a computed value, and explaining computes "
                       "nothing");
  if (t->state == FS_TS_LAZY && t->graph == in->graph) {
    fs_tensor_ref(t);
    st = fs_interp_flush(in);
    if (--t->refs == 0) { /* cannot happen while the caller borrows it */
      t->refs = 1;
      fs_tensor_unref(t);
    }
  }
  if (st == FS_OK && t->state == FS_TS_VIRTUAL) st = run_recipe(in, t);
  if (st == FS_OK && t->state != FS_TS_STORED)
    st = fs_env_error(in->diags, "lost-value", NULL,
                      "a value was lost when its block failed");
  return st;
}

enum fs_status fs_force_all(struct fs_interp *in, const struct fs_val *v) {
  struct fs_tensor *t[2];
  enum fs_status st = FS_OK;
  for (int k = 0, n = fs_val_tensors(v, t); k < n && st == FS_OK; k++) st = fs_force(in, t[k]);
  for (int64_t k = 0; fs_is_list(v) && k < v->list->len && st == FS_OK; k++)
    st = fs_force_all(in, &v->list->items[k]);
  return st;
}

enum fs_status fs_interp_force(struct fs_interp *in, struct fs_tensor *t) {
  return fs_force(in, t);
}

static enum fs_status read_one(struct fs_interp *in, struct fs_tensor *t,
                               struct fs_number *out) {
  enum fs_status st = fs_force(in, t);
  if (st != FS_OK) return st;
  int64_t first[FS_MAX_RANK] = {0}, count[FS_MAX_RANK];
  for (int k = 0; k < FS_MAX_RANK; k++) count[k] = 1;
  char bytes[16];
  st = fs_tensor_download(t, first, count, bytes, in->diags);
  if (st == FS_OK) *out = fs_element_get(t->dtype, bytes);
  return st;
}

enum fs_status fs_read_number(struct fs_interp *in, const struct fs_val *v,
                              struct fs_span span, const char *what,
                              double *out) {
  struct fs_number n;
  enum fs_status st = FS_OK;
  switch (v->kind) {
    case FS_V_NUMBER:
    case FS_V_BOOL: *out = v->number; return FS_OK;
    case FS_V_TENSOR:
      if (fs_shape_count(&v->tensor->shape) != 1) break;
      st = read_one(in, v->tensor, &n);
      if (st == FS_OK) *out = n.f;
      return st;
    default: break;
  }
  return fs_in_error(in, span, "not-a-number", NULL, "%s must be a number, not %s",
                     what, fs_val_text(v));
}

enum fs_status fs_read_int(struct fs_interp *in, const struct fs_val *v,
                           struct fs_span span, const char *what,
                           int64_t *out) {
  double x = 0;
  enum fs_status st = fs_read_number(in, v, span, what, &x);
  if (st != FS_OK) return st;
  if (x != floor(x) || fabs(x) > 9007199254740992.0)
    return fs_in_error(in, span, "not-whole", NULL,
                       "%s must be a whole number, not %s", what,
                       fs_number_text(x));
  *out = (int64_t)x;
  return FS_OK;
}

enum fs_status fs_read_bool(struct fs_interp *in, const struct fs_val *v,
                            struct fs_span span, bool *out) {
  if (v->kind == FS_V_TENSOR && fs_shape_count(&v->tensor->shape) != 1)
    return fs_in_error(in, span, "not-a-condition",
                       "any(...) or all(...) make one truth value of many",
                       "a condition must be one value, not %s",
                       fs_val_text(v));
  double x = 0;
  enum fs_status st = fs_read_number(in, v, span, "a condition", &x);
  if (st == FS_OK) *out = x != 0;
  return st;
}

enum fs_status fs_read_all(struct fs_interp *in, struct fs_tensor *t,
                           double **out, int64_t *count) {
  enum fs_status st = fs_force(in, t);
  if (st != FS_OK) return st;
  int64_t first[FS_MAX_RANK] = {0}, n = fs_shape_count(&t->shape);
  size_t size = fs_dtype_size(t->dtype);
  char *raw = fs_malloc((size_t)n * size + 1);
  st = fs_tensor_download(t, first, t->shape.dim, raw, in->diags);
  if (st == FS_OK) {
    *out = fs_malloc(sizeof(double) * (size_t)n + 1);
    for (int64_t i = 0; i < n; i++) {
      (*out)[i] = fs_element_get(t->dtype, raw + (size_t)i * size).f;
    }
    *count = n;
  }
  free(raw);
  return st;
}
