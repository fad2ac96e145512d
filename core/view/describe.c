/* describe.c - see describe.h. Kernels with what they read, keep on chip and
 * write, by the user's names; what they take of the device; and the reasons for
 * their borders. */
#include "core/view/describe.h"

#include <math.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/view/reason.h"

struct describe {
  const struct fs_plan *plan;
  const struct fs_diags *sources;
  struct fs_target *target;
  struct fs_code *const *codes;      /* of a block that is prepared; or NULL */
  FS_VEC(struct fs_span) statements; /* in the order of the source */
  int *seen, round;                  /* by node: the last walk that came to it */
};

json_t *fs_json_text(const char *text, size_t len) {
  struct fs_str safe = {0};
  fs_str_put_safe(&safe, text, len);
  json_t *s = json_stringn(fs_str_text(&safe), safe.len);
  fs_str_free(&safe);
  return s;
}

/* Numbers that are not known are null, never 0 and never NaN. */
json_t *fs_json_shape(const struct fs_shape *shape) {
  json_t *a = json_array();
  for (int k = 0; k < shape->rank; k++)
    json_array_append_new(a, json_integer(shape->dim[k]));
  return a;
}

json_t *fs_json_known(double x) {
  return isfinite(x) && x >= 0 ? json_real(x) : json_null();
}

json_t *fs_json_bytes(double x) {
  const double whole = 9e15; /* beyond, not every whole number is a double */
  return x >= 0 && x < whole ? json_integer((json_int_t)(x + 0.5)) : fs_json_known(x);
}

static void set(json_t *o, const char *key, json_t *gives) {
  json_object_set_new(o, key, gives);
}

static json_t *text_of(const struct fs_str *s) {
  return fs_json_text(fs_str_text(s), s->len);
}

static json_t *word(const char *text) {
  return text ? json_string(text) : json_null();
}

/* -- statements ----------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b) {
  return fs_span_compare(*(const struct fs_span *)a, *(const struct fs_span *)b);
}

static void find_statements(struct describe *d) {
  FS_EACH_AT(&d->plan->kernels, kn) {
    for (int c = 0; c < kn->calls.len; c++) {
      struct fs_span s = fs_node(d->plan->graph, kn->calls.data[c])->stmt;
      if (s.source) *FS_PUSH(&d->statements) = s;
    }
  }
  int n = 0;
  if (d->statements.len)
    qsort(d->statements.data, (size_t)d->statements.len,
          sizeof *d->statements.data, compare_spans);
  for (int k = 0; k < d->statements.len; k++)
    if (!n || fs_span_compare(d->statements.data[k], d->statements.data[n - 1]))
      d->statements.data[n++] = d->statements.data[k];
  d->statements.len = n;
}

/* From 1 on; 0 for what no statement made. */
static int statement_number(const struct describe *d, fs_id id) {
  struct fs_span s = fs_node(d->plan->graph, id)->stmt;
  if (!d->statements.len) return 0;
  const struct fs_span *found =
      bsearch(&s, d->statements.data, (size_t)d->statements.len, sizeof s, compare_spans);
  return found ? (int)(found - d->statements.data) + 1 : 0;
}

static json_t *statements_array(const struct describe *d) {
  json_t *list = json_array();
  for (int k = 0; k < d->statements.len; k++) {
    struct fs_span span = d->statements.data[k];
    const struct fs_source *source = fs_source_get(d->sources, span.source);
    struct fs_str text = {0};
    int line, column;
    json_t *o = json_object();
    fs_statement_put(d->sources, span, &text);
    fs_span_position(d->sources, span, &line, &column);
    set(o, "text", text_of(&text));
    set(o, "source", source ? fs_json_text(source->name, strlen(source->name))
                            : json_null());
    set(o, "line", json_integer(line));
    set(o, "column", json_integer(column));
    json_array_append_new(list, o);
    fs_str_free(&text);
  }
  return list;
}

/* -- calls ----------------------------------------------------------------------- */

static void put_op(const struct fs_node *nd, struct fs_str *out) {
  switch (nd->kind) {
    case FS_ND_MAP: fs_str_puts(out, fs_map_ops[nd->op].name); break;
    case FS_ND_REDUCE:
      fs_str_printf(out, "reduce %s", fs_reduce_ops[nd->op].name);
      break;
    case FS_ND_LIB:
      fs_str_puts(out, nd->user ? nd->user->name : fs_lib_op_names[nd->op]);
      break;
    case FS_ND_UPDATE: fs_str_puts(out, "update"); break;
    case FS_ND_RAND: fs_str_puts(out, "rand"); break;
    case FS_ND_RANDN: fs_str_puts(out, "randn"); break;
    case FS_ND_IOTA: fs_str_puts(out, "iota"); break;
    case FS_ND_APPLY: fs_str_puts(out, nd->user->name); break;
    default: fs_str_puts(out, "fill");
  }
}

static json_t *calls_array(const struct describe *d,
                           const struct fs_kernel *k) {
  json_t *list = json_array();
  for (int c = 0; c < k->calls.len; c++) {
    const struct fs_node *nd = fs_node(d->plan->graph, k->calls.data[c]);
    int statement = statement_number(d, k->calls.data[c]);
    struct fs_str op = {0};
    json_t *o = json_object();
    put_op(nd, &op);
    set(o, "op", text_of(&op));
    set(o, "dtype", json_string(fs_dtype_name(nd->dtype)));
    set(o, "shape", fs_json_shape(&nd->shape));
    set(o, "statement", statement ? json_integer(statement) : json_null());
    json_array_append_new(list, o);
    fs_str_free(&op);
  }
  return list;
}

/* -- memory ----------------------------------------------------------------------- */

/* The user's name; for what has none, the words that made it. */
static json_t *slot_name(const struct describe *d, int slot) {
  const struct fs_slot *s = &d->plan->slots.data[fs_slot_whole(d->plan, slot)];
  const struct fs_graph *g = d->plan->graph;
  const char *name = NULL;
  if (s->kind == FS_SLOT_INPUT) name = g->inputs.data[s->index].name;
  if (s->kind == FS_SLOT_RESULT) name = g->output_names.data[s->index];
  if (name) return fs_json_text(name, strlen(name));
  const struct fs_node *nd = fs_node(g, s->node);
  size_t len = 0;
  const char *text = NULL;
  if (s->kind != FS_SLOT_INPUT && nd->span.source)
    text = fs_span_text(d->sources, nd->span, &len);
  if (text && len) return fs_json_text(text, FS_MIN(len, (size_t)60));
  char number[24];
  snprintf(number, sizeof number, "t%d", slot);
  return json_string(number);
}

/* The shape of what is in memory: axes along which a value is only repeated go,
 * and the others come in the order in which they lie, so that A and A' are both
 * shown as A is. */
static json_t *stored_shape(const struct fs_slot *s) {
  struct fs_shape shape = {0};
  int64_t stride[FS_MAX_RANK];
  for (int k = 0; k < s->shape.rank; k++) {
    int64_t step = s->layout.stride[k] < 0 ? -s->layout.stride[k]
                                           : s->layout.stride[k];
    if (!step) continue;
    int at = shape.rank++;
    for (; at > 0 && stride[at - 1] < step; at--) {
      stride[at] = stride[at - 1];
      shape.dim[at] = shape.dim[at - 1];
    }
    stride[at] = step;
    shape.dim[at] = s->shape.dim[k];
  }
  return fs_json_shape(&shape);
}

/* What of an array is seen in memory: of several slices that are inputs of the block
 * (graph/anchor.c), and the whole, the largest stands for all. */
static int seen_slot(const struct fs_plan *plan, int slot) {
  slot = fs_slot_whole(plan, slot);
  if (plan->slots.data[slot].kind != FS_SLOT_INPUT) return slot;
  const void *storage = fs_slot_storage(plan, slot);
  int best = slot;
  for (int k = plan->slots.len - 1; k >= 0; k--) {
    const struct fs_slot *s = &plan->slots.data[k], *most = &plan->slots.data[best];
    if (s->kind != FS_SLOT_INPUT || fs_slot_storage(plan, k) != storage) continue;
    int64_t more = fs_shape_count(&s->shape) - fs_shape_count(&most->shape);
    if (more > 0 || (more == 0 && k < best)) best = k;
  }
  return best;
}

static json_t *traffic(const struct describe *d, int slot, double bytes) {
  static const char *const kinds[] = {"input", "result", "temporary"};
  const struct fs_slot *s = &d->plan->slots.data[slot];
  json_t *o = json_object();
  set(o, "name", slot_name(d, slot));
  set(o, "slot", json_integer(slot));
  set(o, "kind", json_string(kinds[s->kind]));
  set(o, "dtype", json_string(fs_dtype_name(s->dtype)));
  set(o, "shape", stored_shape(s));
  set(o, "bytes", fs_json_bytes(bytes));
  return o;
}

/* Whether two slots are one array, of which slices lie as far apart as they do. */
static bool same_array(const struct fs_plan *plan, int a, int b) {
  const struct fs_slot *x = &plan->slots.data[a], *y = &plan->slots.data[b];
  return a == b || (x->kind == FS_SLOT_INPUT && y->kind == FS_SLOT_INPUT &&
                    fs_graph_same_array(plan->graph, x->index, y->index));
}

/* Whether an earlier step reads the same elements, but for a shift. */
static bool read_before(const struct fs_plan *plan, const struct fs_kernel *k,
                        int step) {
  const struct fs_access *a =
      &k->accesses.data[k->steps.data[step].access];
  for (int j = 0; j < step; j++) {
    const struct fs_step *t = &k->steps.data[j];
    if (t->kind != FS_SP_LOAD) continue;
    const struct fs_access *b = &k->accesses.data[t->access];
    if (same_array(plan, b->slot, a->slot) && b->dtype == a->dtype &&
        b->list == a->list && !memcmp(b->stride, a->stride, sizeof a->stride))
      return true;
  }
  return false;
}

static void add_traffic(const struct describe *d, json_t *list, int slot,
                        double bytes) {
  size_t i;
  json_t *o;
  slot = seen_slot(d->plan, slot);
  json_array_foreach(list, i, o) {
    if (json_integer_value(json_object_get(o, "slot")) != slot) continue;
    set(o, "bytes", fs_json_bytes(
        bytes + json_number_value(json_object_get(o, "bytes"))));
    return;
  }
  json_array_append_new(list, traffic(d, slot, bytes));
}

static double slot_bytes(const struct fs_slot *s) {
  return (double)fs_shape_count(&s->shape) * (double)fs_dtype_size(s->dtype);
}

static json_t *traffic_array(const struct describe *d,
                             const struct fs_kernel *k, bool writes) {
  json_t *list = json_array();
  for (int l = 0; k->lib_node && l < FS_LIB_SLOTS; l++)
    if (k->lib_slots[l] >= 0 && (l == 0) == writes)
      add_traffic(d, list, k->lib_slots[l],
                  slot_bytes(&d->plan->slots.data[k->lib_slots[l]]));
  for (int i = 0; i < k->steps.len; i++) {
    const struct fs_step *s = &k->steps.data[i];
    if (s->access < 0 || (s->kind == FS_SP_STORE) != writes) continue;
    if (!writes && read_before(d->plan, k, i)) continue;
    const struct fs_access *a = &k->accesses.data[s->access];
    add_traffic(d, list, a->slot, fs_access_bytes(k, a));
  }
  for (int x = 0; x < k->accesses.len && !writes; x++)
    if (fs_access_is_list(k, x))
      add_traffic(d, list, k->accesses.data[x].slot,
                  fs_access_bytes(k, &k->accesses.data[x]));
  return list;
}

/* -- on the chip ------------------------------------------------------------------ */

static json_t *phase_number(uint8_t phase) {
  return phase == FS_END ? json_string("end") : json_integer(phase);
}

static int last_use(const struct fs_kernel *k, int v, int made) {
  int last = made;
  for (int i = made; i < k->steps.len; i++)
    FS_EACH_IN(&k->steps.data[i], x)
      if (k->steps.data[i].in[x] == v) last = i;
  return last;
}

static json_t *element_name(const struct describe *d,
                            const struct fs_kernel *k,
                            const struct fs_step *s) {
  if (s->kind == FS_SP_LOAD)
    return slot_name(d, k->accesses.data[s->access].slot);
  if (s->kind == FS_SP_PARAM) return json_string("a number");
  const struct fs_node *nd = s->node ? fs_node(d->plan->graph, s->node) : NULL;
  size_t len = 0;
  const char *text = NULL;
  if (nd && nd->span.source)
    text = fs_span_text(d->sources, nd->span, &len);
  if (text && len && !memchr(text, '\n', len))
    return fs_json_text(text, FS_MIN(len, (size_t)60));
  return nd && nd->kind == FS_ND_MAP ? json_string(fs_map_ops[nd->op].name)
                                     : json_null();
}

static json_t *element(const struct describe *d, const struct fs_kernel *k,
                       int step, const struct fs_home *place) {
  static const char *const varies[] = {"", "i", "j", "ij"};
  const struct fs_step *s = &k->steps.data[step];
  const struct fs_value *v = &k->values.data[s->out];
  char id[24];
  snprintf(id, sizeof id, "v%d", s->out);
  int last = last_use(k, s->out, step);
  json_t *o = json_object();
  set(o, "id", json_string(id));
  set(o, "is", element_name(d, k, s));
  set(o, "dtype", json_string(fs_dtype_name(v->dtype)));
  set(o, "varies", json_string(varies[v->varies & 3]));
  set(o, "storage", json_string(place->storage));
  set(o, "bytes", fs_json_bytes(place->bytes));
  set(o, "from", phase_number(s->phase));
  set(o, "to", phase_number(k->steps.data[last].phase));
  set(o, "steps", json_pack("[ii]", step + 1, last + 1));
  return o;
}

/* What the device says of the launch that the kernel is in. */
static bool is_taken(const struct describe *d, int kernel,
                     struct fs_footprint *out) {
  const struct fs_target_ops *ops = d->target->ops;
  if (!d->codes || !ops->taken) return false;
  /* Joined kernels that did not fit together have codes of their own. */
  if (!d->codes[kernel]) kernel = fs_launch_first(d->plan, kernel);
  return d->codes[kernel] && ops->taken(d->target, d->codes[kernel], out);
}

/* With what other kernels of its kind took beside their estimate. */
static struct fs_footprint corrected(const struct fs_kernel *k,
                                     const struct fs_footprint *estimated) {
  enum { MOST = 255 };
  struct fs_footprint f = *estimated;
  if (k->registers_factor > 0 && f.registers > 0)
    f.registers = (int)FS_MIN(lround(f.registers * k->registers_factor), MOST);
  return f;
}

static json_t *estimate(const struct fs_kernel *k,
                        const struct fs_footprint *estimated,
                        const struct fs_device *device) {
  if (!fs_device_has_warps(device)) return json_null();
  struct fs_footprint f = corrected(k, estimated);
  struct fs_occupancy occ = fs_occupancy(&f, device);
  json_t *o = json_object();
  set(o, "registers", json_integer(estimated->registers));
  set(o, "corrected", json_integer(f.registers));
  set(o, "shared_bytes", json_integer(f.shared));
  set(o, "per_unit", json_integer(occ.per_unit));
  return o;
}

/* By the compiler's figures where there are some; beside them what was estimated
 * before it ran. */
static void put_occupancy(const struct describe *d, json_t *o, int kernel,
                          const struct fs_footprint *estimated) {
  const struct fs_device *device = &d->target->device;
  const struct fs_kernel *k = &d->plan->kernels.data[kernel];
  struct fs_footprint f = corrected(k, estimated);
  bool compiled = is_taken(d, kernel, &f), warps = fs_device_has_warps(device);
  struct fs_occupancy occ = fs_occupancy(&f, device);
  json_t *c = json_object();
  set(c, "threads", json_integer(warps ? f.threads : device->units));
  set(c, "registers", warps ? json_integer(f.registers) : json_null());
  set(c, "shared_bytes", warps ? json_integer(f.shared) : json_null());
  set(c, "spilled_bytes", compiled ? json_integer(f.spilled) : json_null());
  set(c, "cache_bytes", warps ? json_null() : json_integer(f.scratch));
  set(c, "blocks", json_integer(f.blocks));
  set(c, "per_unit", json_integer(occ.per_unit));
  set(c, "share", fs_json_known(occ.share));
  set(c, "limit", word(occ.limit));
  set(c, "compiled", json_boolean(compiled));
  set(c, "estimated", estimate(k, estimated, device));
  set(o, "occupancy", c);
}

static void put_on_chip(const struct describe *d, json_t *o, int kernel) {
  const struct fs_kernel *k = &d->plan->kernels.data[kernel];
  json_t *list = json_array();
  set(o, "elements", list);
  set(o, "occupancy", json_null());
  if (k->lib_node) return;
  struct fs_footprint f = {0};
  size_t n = (size_t)k->values.len + 1;
  struct fs_home *places = fs_calloc(n, sizeof *places);
  d->target->ops->footprint(d->target, d->plan, k, &f, places);
  for (int i = 0; i < k->steps.len; i++) {
    int v = k->steps.data[i].out;
    if (v < 0 || !places[v].storage || !strcmp(places[v].storage, "none"))
      continue;
    json_array_append_new(list, element(d, k, i, &places[v]));
  }
  free(places);
  put_occupancy(d, o, kernel, &f);
}

/* -- kernels ------------------------------------------------------------------------ */

/* -- edges that fusion removed ------------------------------------------------------ */

/* An array that several calls of a kernel read, or one that a call makes and others of the
 * kernel read. */
struct edge {
  const void *key;          /* storage of an input, else node of the graph     */
  fs_id node;
  int reads;                /* by calls of the kernel, each of which would read it */
  bool made, own;           /* computed in this kernel; and in no kernel before it */
};
typedef FS_VEC(struct edge) edge_list;

static const void *edge_key(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  return n->kind == FS_ND_INPUT ? g->inputs.data[n->slot].storage : (const void *)n;
}

static struct edge *find_edge(edge_list *list, const void *key) {
  for (int k = 0; k < list->len; k++)
    if (list->data[k].key == key) return &list->data[k];
  return NULL;
}

static bool is_array_of(const struct describe *d, fs_id id) {
  return fs_node(d->plan->graph, id)->kind == FS_ND_INPUT ||
         fs_plan_kernel_of(d->plan, id) >= 0;
}

/* What a call reads, each once: through all nodes that are not stored for it. */
static void find_operands(struct describe *d, fs_id id, edge_list *out) {
  const struct fs_node *n = fs_node(d->plan->graph, id);
  for (int k = 0; k < n->n_src; k++) {
    fs_id from = n->src[k];
    if (!from || d->seen[from] == d->round) continue;
    d->seen[from] = d->round;
    if (!is_array_of(d, from)) {
      find_operands(d, from, out);
    } else if (fs_node(d->plan->graph, from)->shape.rank) {
      const void *key = edge_key(d->plan->graph, from);
      if (!find_edge(out, key)) *FS_PUSH(out) = (struct edge){.key = key, .node = from};
    }
  }
}

static double array_bytes(const struct fs_graph *g, fs_id id) {
  const struct fs_node *n = fs_node(g, id);
  if (n->kind == FS_ND_INPUT) return fs_graph_input_bytes(g, n);
  return (double)fs_shape_count(&n->shape) * (double)fs_dtype_size(n->dtype);
}

static json_t *array_name(const struct describe *d, fs_id id) {
  const struct fs_graph *g = d->plan->graph;
  for (int k = 0; k < d->plan->slots.len; k++)
    if (d->plan->slots.data[k].node == id) return slot_name(d, k);
  const struct fs_node *n = fs_node(g, id);
  if (n->kind == FS_ND_INPUT && g->inputs.data[n->slot].name)
    return json_string(g->inputs.data[n->slot].name);
  size_t len = 0;
  const char *text = n->span.source ? fs_span_text(d->sources, n->span, &len) : NULL;
  return text && len ? fs_json_text(text, FS_MIN(len, (size_t)60)) : json_string("a value");
}

/* Whether a kernel stores the value of a node, or loads it. */
static bool accesses(const struct fs_plan *plan, const struct fs_kernel *k, fs_id id, bool stored) {
  for (int a = 0; a < k->accesses.len; a++) {
    const struct fs_access *x = &k->accesses.data[a];
    if (x->stored == stored && plan->slots.data[x->slot].node == id) return true;
  }
  return false;
}

static json_t *removed_array(struct describe *d, const struct fs_kernel *k) {
  edge_list all = {0}, one = {0};
  json_t *list = json_array();
  for (int c = 0; c < k->calls.len; c++) {
    one.len = 0;
    d->round++;
    find_operands(d, k->calls.data[c], &one);
    for (int x = 0; x < one.len; x++) {
      struct edge *e = find_edge(&all, one.data[x].key);
      if (!e) *(e = FS_PUSH(&all)) = one.data[x];
      e->reads++;
    }
  }
  for (int c = 0; c < k->calls.len; c++) {
    struct edge *e = find_edge(&all, edge_key(d->plan->graph, k->calls.data[c]));
    if (e) e->own = true;
  }
  for (int x = 0; x < all.len; x++) {
    struct edge *e = &all.data[x];
    bool input = fs_node(d->plan->graph, e->node)->kind == FS_ND_INPUT;
    e->made = e->own || (!input && !accesses(d->plan, k, e->node, false));
    bool stored = !e->own || accesses(d->plan, k, e->node, true);
    int gone = e->made ? e->reads + !stored : e->reads - 1;
    if (!gone) continue;
    json_t *o = json_object();
    set(o, "name", array_name(d, e->node));
    set(o, "reads", json_integer(e->reads));
    set(o, "made", json_boolean(e->made));
    set(o, "stored", json_boolean(stored));
    set(o, "bytes", fs_json_bytes(gone*array_bytes(d->plan->graph, e->node)));
    json_array_append_new(list, o);
  }
  FS_VEC_FREE(&all);
  FS_VEC_FREE(&one);
  return list;
}

static json_t *kernel_statements(const struct describe *d,
                                 const struct fs_kernel *k) {
  json_t *list = json_array();
  bool *has = fs_calloc((size_t)d->statements.len + 1, sizeof *has);
  for (int c = 0; c < k->calls.len; c++) has[statement_number(d, k->calls.data[c])] = true;
  for (int n = 1; n <= d->statements.len; n++)
    if (has[n]) json_array_append_new(list, json_integer(n));
  free(has);
  return list;
}

static void put_times(json_t *o, const struct fs_kernel *k,
                      const struct fs_device *device) {
  double limit = fs_predict_limit(&k->work, k->bound, device);
  set(o, "moves", fs_json_bytes(k->bytes_read + k->bytes_written));
  set(o, "flops", fs_json_known(k->flops));
  set(o, "depends_on_data", json_boolean(k->work.unknown));
  set(o, "first", k->work.unknown ? json_null() : fs_json_known(k->first));
  set(o, "predicted", k->work.unknown ? json_null() : fs_json_known(k->predicted));
  set(o, "measured", json_null());
  set(o, "ratio", json_null());
  set(o, "share", json_null());
  set(o, "limit_s", limit > 0 && !k->work.unknown ? fs_json_known(limit) : json_null());
  set(o, "left_out", json_false());
  set(o, "bound", word(k->bound));
}

json_t *fs_setting_object(const struct fs_device *device, const struct fs_tuning *tune) {
  if (!fs_device_has_warps(device) || !tune) return json_null();
  json_t *o = json_object();
  for (int x = 0; x < FS_TUNING_ROWS; x++)
    set(o, fs_tuning_rows[x].name, json_integer(fs_tuning_value(tune, x)));
  return o;
}

static json_t *kernel_object(struct describe *d, int index) {
  const struct fs_kernel *k = &d->plan->kernels.data[index];
  struct fs_str text = {0};
  char id[24];
  snprintf(id, sizeof id, "k%d", index + 1);
  json_t *o = json_object();
  set(o, "id", json_string(id));
  bool of_ranks = k->lib_node && fs_node(d->plan->graph, k->lib_node)->op >= FS_LIB_ALL_REDUCE;
  set(o, "scheme", json_string(of_ranks ? k->work.pattern : fs_schemes[k->scheme].name));
  fs_kernel_put_routines(d->plan, k, &text);
  if (text.len) set(o, "routines", text_of(&text));
  fs_str_clear(&text);
  fs_kernel_does(d->plan, k, d->sources, &text);
  set(o, "does", text_of(&text));
  set(o, "statements", kernel_statements(d, k));
  set(o, "calls", calls_array(d, k));
  set(o, "space", json_pack("[II]", (json_int_t)k->space.m,
                            (json_int_t)k->space.n));
  set(o, "sweeps", json_integer(fs_kernel_sweeps(k)));
  set(o, "launches", json_integer(k->joint == FS_LAUNCH));
  set(o, "joint", json_string(fs_joint_names[k->joint]));
  set(o, "reads", traffic_array(d, k, false));
  set(o, "writes", traffic_array(d, k, true));
  set(o, "removed", removed_array(d, k));
  set(o, "bytes_read", fs_json_bytes(k->bytes_read));
  set(o, "bytes_written", fs_json_bytes(k->bytes_written));
  put_times(o, k, &d->target->device);
  put_on_chip(d, o, index);
  set(o, "setting",
      fs_setting_object(&d->target->device, k->lib_node ? NULL : &k->tune));
  set(o, "by_hand", word(k->by_hand));
  fs_str_clear(&text);
  bool border = fs_why_split(d->plan, index, d->sources, &text);
  set(o, "why_split", border ? text_of(&text) : json_null());
  fs_str_free(&text);
  return o;
}

static json_t *unfused_object(const struct fs_plan *plan) {
  json_t *o = json_object();
  set(o, "kernels", json_integer(plan->found->unfused_kernels));
  set(o, "bytes", fs_json_bytes(plan->found->unfused_bytes));
  double first = 0;
  for (int k = 0; k < plan->found->unfused_kernels; k++) first += plan->found->unfused[k].first;
  set(o, "first", fs_json_known(first));
  set(o, "predicted", fs_json_known(plan->found->unfused_predicted));
  return o;
}

/* What the planner looked at, and how much each rule left out. */
static json_t *space_object(const struct fs_space_counts *c) {
  json_t *o = json_object(), *pruned = json_object();
  set(o, "fusions", json_integer(c->fusions));
  set(o, "legal", json_integer(c->legal));
  set(o, "implementations", json_integer(c->implementations));
  set(o, "kept", json_integer(c->kept));
  set(o, "combinations", fs_json_known(c->combinations));
  set(o, "exact", json_boolean(c->combinations_exact));
  set(o, "more", json_boolean(c->combinations_more));
  set(o, "listed", json_integer(c->listed));
  set(o, "steps", json_integer(c->steps));
  set(o, "priced", json_integer(c->priced));
  for (int r = FS_RULE_NONE + 1; r < FS_RULE_COUNT; r++)
    if (c->pruned[r])
      set(pruned, fs_rule_names[r], json_integer(c->pruned[r]));
  set(o, "pruned", pruned);
  return o;
}

static double first_of(const struct fs_plan *plan) {
  double sum = 0;
  for (int k = 0; k < plan->kernels.len; k++)
    sum += plan->kernels.data[k].work.unknown ? NAN : plan->kernels.data[k].first;
  return sum;
}

static void put_totals(json_t *e, const struct fs_plan *plan) {
  set(e, "unfused", unfused_object(plan));
  set(e, "bytes", fs_json_bytes(plan->bytes));
  set(e, "saved_bytes",
      fs_json_bytes(FS_MAX(plan->found->unfused_bytes - plan->bytes, 0)));
  set(e, "peak_bytes", fs_json_bytes(plan->peak_bytes));
  set(e, "launches", json_integer(fs_plan_launches(plan)));
  double first = first_of(plan);
  set(e, "depends_on_data", json_boolean(isnan(first)));
  set(e, "first", fs_json_known(first));
  set(e, "predicted", isnan(first) ? json_null() : fs_json_known(plan->predicted));
  set(e, "measured", json_null());
  set(e, "planned_s", fs_json_known(plan->found->plan_seconds));
  set(e, "candidates", json_integer(plan->found->n_candidates));
  set(e, "combinations", json_integer(plan->found->n_combinations));
  set(e, "space", space_object(&plan->found->space));
}

/* All that does not change from run to run. */
static json_t *describe(const struct fs_plan *plan,
                        const struct fs_diags *sources,
                        struct fs_target *target,
                        struct fs_code *const *codes) {
  struct describe d = {.plan = plan, .sources = sources, .target = target,
                       .codes = codes};
  json_t *e = json_object(), *kernels = json_array();
  d.seen = fs_calloc((size_t)plan->graph->nodes.len, sizeof *d.seen);
  find_statements(&d);
  fs_plan_price_unfused((struct fs_plan *)(uintptr_t)plan, &target->device);
  set(e, "event", json_string("plan"));
  set(e, "calls", json_integer(plan->found->n_calls));
  set(e, "statements", json_array()); /* of the run, see statements_of() */
  for (int k = 0; k < plan->kernels.len; k++)
    json_array_append_new(kernels, kernel_object(&d, k));
  set(e, "kernels", kernels);
  put_totals(e, plan);
  set(e, "quality", word(plan->found->quality));
  set(e, "tuned", json_boolean(plan->found->tuned));
  set(e, "like", json_boolean(plan->found->like));
  set(e, "device", fs_json_text(target->device.name,
                                strlen(target->device.name)));
  FS_VEC_FREE(&d.statements);
  free(d.seen);
  return e;
}

static void drop(void *described) { json_decref(described); }

static uint64_t hash_of_text(const struct fs_diags *sources, struct fs_span span,
                             uint64_t seed) {
  size_t len;
  const char *text = fs_span_text(sources, span, &len);
  return fs_hash(text, len, fs_hash(&len, sizeof len, seed));
}

/* The same block may come again in other words: its statements are those of the
 * last run. */
static uint64_t words_of(const struct fs_plan *plan,
                         const struct fs_diags *sources) {
  const struct fs_graph *g = plan->graph;
  struct fs_span last = {0};
  uint64_t hash = 0;
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *nd = &g->nodes.data[k];
    hash = hash_of_text(sources, nd->span, hash);
    if (!memcmp(&nd->stmt, &last, sizeof last)) continue;
    last = nd->stmt;
    hash = hash_of_text(sources, last, hash);
  }
  return hash;
}

static json_t *statements_of(const struct fs_plan *plan,
                             const struct fs_diags *sources) {
  struct describe d = {.plan = plan, .sources = sources};
  find_statements(&d);
  json_t *list = statements_array(&d);
  FS_VEC_FREE(&d.statements);
  return list;
}

/* A description to write times into: its own object for every kernel, all that
 * lies deeper shared. Describing takes far longer than a small block. */
static json_t *copy_of(const json_t *described, const double *predicted,
                       double predicted_all, double unfused) {
  json_t *e = json_copy((json_t *)described), *kernels = json_array();
  const json_t *kernel;
  size_t k;
  json_array_foreach(json_object_get(described, "kernels"), k, kernel) {
    json_t *copy = json_copy((json_t *)(uintptr_t)kernel);
    if (!json_is_true(json_object_get(copy, "depends_on_data")))
      set(copy, "predicted", fs_json_known(predicted[k]));
    json_array_append_new(kernels, copy);
  }
  set(e, "kernels", kernels);
  if (!json_is_true(json_object_get(e, "depends_on_data")))
    set(e, "predicted", fs_json_known(predicted_all));
  json_t *alone = json_copy(json_object_get(e, "unfused"));
  if (!isnan(unfused)) set(alone, "predicted", fs_json_known(unfused));
  set(e, "unfused", alone);
  return e;
}

static void put_run(json_t *e, double jit_seconds, bool cached, int runs) {
  set(e, "jit_s", fs_json_known(jit_seconds));
  set(e, "cached", json_boolean(cached));
  set(e, "quick", json_false());
  set(e, "loops", json_null());
  set(e, "arithmetic", json_null());
  set(e, "cold", json_false());
  set(e, "ratio", json_null());
  set(e, "runs", json_integer(runs));
}

/* -- copies that a run does without -------------------------------------------------- */

static double number_of(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

/* Adds a kernel's figure to that of the plan, or takes it away. */
static void shift_total(json_t *event, const char *key, double by) {
  double x = FS_MAX(number_of(event, key) + by, 0); /* sums are rounded */
  bool whole = json_is_integer(json_object_get(event, key));
  if (!json_is_number(json_object_get(event, key))) return; /* it is not known */
  set(event, key, whole ? json_integer((json_int_t)x) : fs_json_known(x));
}

/* A copy that was not needed is none of the plan's traffic and time. */
static void leave_out(json_t *event, json_t *kernel, bool out) {
  bool is_out = json_is_true(json_object_get(kernel, "left_out"));
  static const char *const keys[][2] = {{"moves", "bytes"}, {"predicted", "predicted"},
                                        {"first", "first"}, {"launches", "launches"}};
  if (is_out == out) return;
  int sign = out ? -1 : 1;
  set(kernel, "left_out", json_boolean(out));
  for (size_t k = 0; k < FS_LEN(keys); k++)
    shift_total(event, keys[k][1], sign * number_of(kernel, keys[k][0]));
}

/* Before it has run: as a run will probably have it. */
static void leave_out_copies(json_t *event, const struct fs_plan *plan) {
  json_t *kernels = json_object_get(event, "kernels");
  for (int k = 0; k < plan->kernels.len; k++)
    if (fs_plan_leaves_out(plan, k))
      leave_out(event, json_array_get(kernels, (size_t)k), true);
}

json_t *fs_plan_event(const struct fs_plan *plan, const struct fs_diags *sources,
                      struct fs_target *target) {
  json_t *e = describe(plan, sources, target, NULL);
  set(e, "statements", statements_of(plan, sources));
  put_run(e, NAN, false, 0);
  leave_out_copies(e, plan);
  return e;
}

json_t *fs_block_event(struct fs_block *block, bool cached,
                       const double *predicted, double predicted_all,
                       double unfused, const struct fs_diags *sources,
                       struct fs_target *target) {
  const struct fs_plan *plan = block->plan;
  uint64_t words = words_of(plan, sources);
  if (!block->described || block->described_as != words) {
    json_t *old = block->described;
    block->described = NULL; /* should there be no memory for a new one */
    json_decref(old);
    block->described = describe(plan, sources, target, block->codes);
    block->described_as = words;
    block->drop_described = drop;
  }
  json_t *e = copy_of(block->described, predicted, predicted_all, unfused);
  set(e, "statements", statements_of(plan, sources));
  put_run(e, cached ? NAN : block->compile_seconds, cached, 1);
  leave_out_copies(e, plan);
  return e;
}

/* -- what was measured --------------------------------------------------------------- */

/* Whether it was measured as a part of the launch before it. */
static bool is_phase(const json_t *kernel, double seconds) {
  const char *joint = json_string_value(json_object_get(kernel, "joint"));
  return joint && strcmp(joint, fs_joint_names[FS_LAUNCH]) && seconds == 0;
}

/* The sum of a figure over the phases of the launch that kernel `first` starts. */
static double sum_of(const json_t *kernels, size_t first, const char *figure,
                     const double *times) {
  size_t k = first, n = json_array_size(kernels);
  double sum = 0;
  do {
    sum += json_number_value(
        json_object_get(json_array_get(kernels, k), figure));
  } while (++k < n && is_phase(json_array_get(kernels, k), times[k]));
  return sum;
}

/* What a time is to its prediction, where that says something of the model. */
static json_t *ratio_of(const struct fs_measured *m, double measured, double predicted) {
  bool known = !m->quick && !m->cold && FS_MIN(measured, predicted) >= m->grain;
  return known && predicted > 0 ? fs_json_known(measured / predicted) : json_null();
}

/* One run is the median of those that were timed. */
static void put_series(json_t *event, const struct fs_measured *m) {
  const struct fs_times *s = m->series;
  if (!s || !s->n) return;
  set(event, "timed", json_integer(s->n));
  set(event, "total", fs_json_known(s->sum));
  set(event, "last", fs_json_known(s->last));
  if (s->n < 2) return;
  set(event, "measured", fs_json_known(fs_times_quantile(s, 0.5)));
  set(event, "low", fs_json_known(fs_times_quantile(s, 0.1)));
  set(event, "high", fs_json_known(fs_times_quantile(s, 0.9)));
}

void fs_plan_event_measured(json_t *event, const struct fs_measured *m) {
  json_t *kernel, *kernels = json_object_get(event, "kernels");
  size_t k;
  double total = 0;
  json_array_foreach(kernels, k, kernel) {
    double measured = m->times[k];
    double predicted = sum_of(kernels, k, "predicted", m->times);
    if (measured == FS_LEFT_OUT || measured >= 0) /* else nobody looked */
      leave_out(event, kernel, measured == FS_LEFT_OUT);
    if (json_is_true(json_object_get(kernel, "left_out"))) continue;
    total = measured < 0 ? NAN : total + measured;
    if (!(measured > 0)) continue;
    set(kernel, "measured", fs_json_known(measured));
    if (m->quick) continue;
    set(kernel, "ratio", ratio_of(m, measured, predicted));
    double limit = sum_of(kernels, k, "limit_s", m->times);
    set(kernel, "share", limit > 0 ? fs_json_known(limit / measured) : json_null());
  }
  set(event, "measured", fs_json_known(total));
  set(event, "quick", json_boolean(m->quick));
  set(event, "loops", m->loops && *m->loops ? word(m->loops) : json_null());
  set(event, "arithmetic", m->arithmetic && *m->arithmetic ? word(m->arithmetic) : json_null());
  set(event, "cold", json_boolean(m->cold));
  set(event, "runs", json_integer(m->runs));
  put_series(event, m);
  set(event, "ratio", ratio_of(m, number_of(event, "measured"),
                               number_of(event, "predicted")));
}
