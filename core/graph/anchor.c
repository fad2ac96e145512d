/* anchor.c - where the slices that a block reads and writes may lie elsewhere the next time.
 *
 *     for k = 1:n
 *       x = A*x; Y[k, :] = x'; loss[k] = sum(x)
 *     end
 *
 * The rounds differ in where slices begin. So that is no part of what makes graphs equal,
 * as far as nothing depends on it: only how slices are aligned, and of those of one array
 * that share elements how far they are apart. The rest is the *anchor*: a place in the array
 * that is told when the block is started. What is read of an array of which the block replaces
 * parts has the anchor of the part with which it shares elements, since it goes by that what may
 * happen in place. Where more than that would count, nothing is anchored. */
#include "core/graph/internal.h"

/* Accesses of so many bytes at most are one instruction. */
enum { WIDEST = 16 };

struct uses {
  bool read, base;  /* as a value; as what an update changes a part of */
};

static struct uses *find_uses(const struct fs_graph *g) {
  struct uses *u = fs_calloc((size_t)g->nodes.len, sizeof *u);
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    for (int k = 0; k < n->n_src; k++) {
      if (n->kind == FS_ND_UPDATE && k == 0) u[n->src[k]].base = true;
      else u[n->src[k]].read = true;
    }
  }
  for (int k = 0; k < g->outputs.len; k++)
    if (fs_node(g, g->outputs.data[k])->kind == FS_ND_INPUT) u[g->outputs.data[k]].read = true;
  return u;
}

/* How the part of an update lies in the new layout. */
static struct fs_layout part_in(const struct fs_node *n, struct fs_layout *whole) {
  int64_t count;
  struct fs_layout part = *whole = fs_layout_new(n->dtype, &n->shape, &count);
  fs_view_layout(&n->view, FS_MAX_RANK, &part);
  return part;
}

int64_t fs_update_begin(const struct fs_node *n) {
  struct fs_layout whole;
  return part_in(n, &whole).offset;
}

struct fs_elements fs_update_elements(const struct fs_graph *g, const struct fs_node *n,
                                  struct fs_layout *whole) {
  const struct fs_shape *part = &fs_node(g, n->src[1])->shape;
  const struct fs_layout lies = part_in(n, whole);
  struct fs_elements e = {.begin = lies.offset, .rank = part->rank};
  memcpy(e.dim, part->dim, sizeof e.dim);
  memcpy(e.stride, lies.stride, sizeof e.stride);
  return e;
}

/* Slices of which all that counts is how far they are apart. */
struct slices {
  bool any, in_a_row;   /* some have neighbours side by side, or are read so */
  int64_t first;
};

static void add(struct slices *s, int64_t begin, bool in_a_row) {
  s->first = s->any ? FS_MIN(s->first, begin) : begin;
  s->any = true;
  s->in_a_row |= in_a_row;
}

/* Every second element is taken out of whole vectors (emit/sweep.c). */
static void add_input(struct slices *s, const struct fs_graph_input *in, int rank) {
  bool in_a_row = false;
  for (int k = 0; k < rank; k++)
    in_a_row |= in->layout.stride[k] == 1 || in->layout.stride[k] == 2;
  add(s, in->layout.offset, in_a_row);
}

static void add_update(struct slices *s, const struct fs_node *n) {
  struct fs_layout whole, part = part_in(n, &whole);
  bool in_a_row = false;
  for (int x = 0; x < n->view.src_rank; x++)
    in_a_row |= n->view.axis[x] >= 0 && n->view.step[x] * whole.stride[x] == 1;
  add(s, part.offset, in_a_row);
}

/* Slices that are read by vectors keep how they are aligned. */
static int64_t anchor_of(const struct slices *s, enum fs_dtype dt) {
  int64_t unit = s->in_a_row ? FS_MAX(1, WIDEST / (int64_t)fs_dtype_size(dt)) : 1;
  return s->first - ((s->first % unit) + unit) % unit;
}

/* Whether the part that an update replaces may move: nothing in the block reads the
 * result, if not another update of it, which comes behind it wherever it is; and copies of
 * the rest (plan/kernels/copy.c) are copies of all of it. */
static bool may_move(const struct fs_graph *g, const struct uses *uses, fs_id update) {
  const struct fs_node *n = fs_node(g, update);
  int64_t part = fs_shape_count(&fs_node(g, n->src[1])->shape);
  return n->src[0] && !uses[update].read && n->shape.rank > 0 &&
         part < fs_shape_count(&n->shape) - part;
}

static bool is_whole(const struct fs_node *n, const struct fs_layout *l) {
  int64_t count;
  struct fs_layout whole = fs_layout_new(n->dtype, &n->shape, &count);
  bool same = l->offset == 0;
  for (int k = 0; k < n->shape.rank; k++) same &= l->stride[k] == whole.stride[k];
  return same;
}

/* What an UPDATE replaces lies from `begin` to `end`; what those of its array before it
 * replace, as they begin, ends at `reach` or before. */
struct place {
  fs_id first, update;
  int64_t begin, end, reach;
};

struct anchors {
  struct fs_graph *g;
  struct uses *uses;
  fs_id *node;          /* of each input */
  struct fs_range *reads; /* ... from where to where it goes */
  fs_id *first;         /* of each UPDATE that may move, the first that it follows on; else 0 */
  struct place *places; /* ... of all of them, by that and by where they begin */
  int n_places, *at;    /* at: by node, which place is its own */
  bool *chosen, *moved; /* inputs and UPDATEs that are to have one anchor ... */
  FS_VEC(int) inputs;   /* ... and which those are */
  FS_VEC(fs_id) updates;
};

/* The update that changes a part of an array, 0 if there is none. False: there are several,
 * or the part must stay where it is. */
static bool find_update(const struct anchors *a, const void *array, fs_id *update) {
  struct fs_graph *g = a->g;
  *update = 0;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    const struct fs_node *base = n->kind == FS_ND_UPDATE ? fs_node(g, n->src[0]) : NULL;
    if (!base || base->kind != FS_ND_INPUT || g->inputs.data[base->slot].storage != array)
      continue;
    if (*update || !may_move(g, a->uses, (fs_id)id) ||
        !is_whole(base, &g->inputs.data[base->slot].layout))
      return false;
    *update = (fs_id)id;
  }
  return true;
}

/* Whether two inputs are slices of one size, if not in one order of axes or elements: A and
 * A', x[:] and x[end:-1:1]. Axes along which a slice is only repeated do not count. */
static bool are_alike(const struct anchors *a, int x, int y) {
  const struct fs_shape *sx = &fs_node(a->g, a->node[x])->shape;
  const struct fs_shape *sy = &fs_node(a->g, a->node[y])->shape;
  const int64_t *dx = a->g->inputs.data[x].layout.stride;
  const int64_t *dy = a->g->inputs.data[y].layout.stride;
  int left = 0;
  for (int k = 0; k < sy->rank; k++) left += dy[k] != 0;
  for (int k = 0; k < sx->rank; k++) {
    int at = 0;
    if (!dx[k]) continue;
    while (at < sy->rank && (llabs(dy[at]) != llabs(dx[k]) || sy->dim[at] != sx->dim[k]))
      at++;
    if (at == sy->rank) return false;
    left--;
  }
  return left == 0;
}

static struct fs_elements elements_of_layout(const struct fs_layout *l,
                                             const struct fs_shape *shape) {
  struct fs_elements e = {.begin = l->offset, .rank = shape->rank};
  memcpy(e.dim, shape->dim, sizeof e.dim);
  memcpy(e.stride, l->stride, sizeof e.stride);
  return e;
}

static struct fs_elements elements_of_input(const struct anchors *a, int input) {
  return elements_of_layout(&a->g->inputs.data[input].layout,
                            &fs_node(a->g, a->node[input])->shape);
}

/* Whether the one lies within the reach of the other. */
static bool meet(const struct anchors *a, int x, int y) {
  const struct fs_range *r = &a->reads[x], *s = &a->reads[y];
  return r->first <= s->last && s->first <= r->last;
}

/* Whether an input of the array that an update changes may share elements with its part. */
static bool meets_part(const struct anchors *a, int input, const struct fs_node *update) {
  struct fs_layout whole;
  struct fs_elements read = elements_of_input(a, input);
  struct fs_elements part = fs_update_elements(a->g, update, &whole);
  return !fs_elements_apart(&read, &part, &whole, &update->shape);
}

static void choose(struct anchors *a, int input) {
  a->chosen[input] = true;
  *FS_PUSH(&a->inputs) = input;
}

static void move(struct anchors *a, fs_id update) {
  a->moved[update] = true;
  *FS_PUSH(&a->updates) = update;
}

/* Gives an anchor to the inputs that are chosen and the updates that are moved. */
static void anchor_group(struct anchors *a) {
  struct slices s = {0};
  struct fs_graph *g = a->g;
  enum fs_dtype dt = FS_F32;
  int first = g->nodes.len + g->inputs.len;
  for (int k = 0; k < a->inputs.len; k++) {
    int input = a->inputs.data[k];
    const struct fs_node *n = fs_node(g, a->node[input]);
    add_input(&s, &g->inputs.data[input], n->shape.rank);
    first = FS_MIN(first, input), dt = n->dtype;
  }
  for (int k = 0; k < a->updates.len; k++) {
    const struct fs_node *n = fs_node(g, a->updates.data[k]);
    add_update(&s, n), dt = n->dtype;
    if (!a->inputs.len) first = FS_MIN(first, (int)a->updates.data[k]);
  }
  int64_t anchor = anchor_of(&s, dt);
  int number = a->inputs.len ? first + 1 : -1 - first;
  for (int k = 0; k < a->inputs.len; k++) {
    struct fs_graph_input *in = &g->inputs.data[a->inputs.data[k]];
    in->anchored = number, in->anchor = anchor;
  }
  for (int k = 0; k < a->updates.len; k++) {
    struct fs_node *n = fs_node(g, a->updates.data[k]);
    n->anchored = number, n->anchor = anchor;
  }
}

static void clear_group(struct anchors *a) {
  for (int k = 0; k < a->inputs.len; k++) a->chosen[a->inputs.data[k]] = false;
  for (int k = 0; k < a->updates.len; k++) a->moved[a->updates.data[k]] = false;
  a->inputs.len = a->updates.len = 0;
}

/* The first of the updates that an update follows on. */
static fs_id first_update(const struct fs_graph *g, fs_id update) {
  for (;;) {
    fs_id base = fs_node(g, update)->src[0];
    if (!base || fs_node(g, base)->kind != FS_ND_UPDATE) return update;
    update = base;
  }
}

static bool parts_meet(const struct fs_graph *g, const struct fs_node *x,
                       const struct fs_node *y) {
  struct fs_layout whole;
  struct fs_elements p = fs_update_elements(g, x, &whole);
  struct fs_elements q = fs_update_elements(g, y, &whole);
  return !fs_elements_apart(&p, &q, &whole, &x->shape);
}

/* Adds to the group an update that may move, with what is read of its array and shares
 * elements with its part, and the updates that share elements with that, or with it: all of
 * them are updates that follow on the first. */
static void add_to_group(struct anchors *a, fs_id update);

/* The same of those which may share elements with what lies in a range: `with`, or input
 * `input` if that is NULL. */
static void add_meeting(struct anchors *a, fs_id first, const struct fs_range *r,
                        const struct fs_node *with, int input) {
  const struct fs_graph *g = a->g;
  int low = 0, high = a->n_places;
  while (low < high) { /* the first that begins behind the range */
    int k = low + (high - low)/2;
    const struct place *p = &a->places[k];
    if (p->first < first || (p->first == first && p->begin <= r->last)) low = k + 1;
    else high = k;
  }
  for (int k = low - 1; k >= 0 && !fs_interrupted(); k--) {
    const struct place *p = &a->places[k];
    if (p->first != first || p->reach < r->first) return;
    const struct fs_node *n = fs_node(g, p->update);
    if (p->end >= r->first && !a->moved[p->update] &&
        (with ? parts_meet(g, n, with) : meets_part(a, input, n)))
      add_to_group(a, p->update);
  }
}

static void add_to_group(struct anchors *a, fs_id update) {
  const struct fs_graph *g = a->g;
  fs_id first = a->first[update];
  const struct fs_node *base = fs_node(g, fs_node(g, first)->src[0]);
  const void *array = base->kind == FS_ND_INPUT ? g->inputs.data[base->slot].storage : NULL;
  const struct place *own = &a->places[a->at[update]];
  move(a, update);
  add_meeting(a, first, &(struct fs_range){own->begin, own->end}, fs_node(g, update), -1);
  for (int k = 0; array && k < g->inputs.len; k++) {
    fs_id id = a->node[k];
    if (a->chosen[k] || g->inputs.data[k].storage != array || !a->uses[id].read ||
        a->uses[id].base || a->reads[k].first > own->end || a->reads[k].last < own->begin ||
        !meets_part(a, k, fs_node(g, update)))
      continue;
    choose(a, k);
    add_meeting(a, first, &a->reads[k], NULL, k);
  }
}

static int by_place(const void *x, const void *y) {
  const struct place *p = x, *q = y;
  if (p->first != q->first) return p->first < q->first ? -1 : 1;
  if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
  return p->update < q->update ? -1 : p->update > q->update;
}

/* Where the updates that may move lie. */
static void find_places(struct anchors *a) {
  const struct fs_graph *g = a->g;
  fs_id *first = fs_calloc((size_t)g->nodes.len, sizeof *first);
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    if (n->kind != FS_ND_UPDATE) continue;
    first[id] = n->src[0] && first[n->src[0]] ? first[n->src[0]] : (fs_id)id;
    if (!may_move(g, a->uses, (fs_id)id)) continue;
    struct fs_layout whole;
    struct fs_elements e = fs_update_elements(g, n, &whole);
    struct fs_range r = fs_elements_range(&e);
    a->first[id] = first[id];
    a->places[a->n_places++] = (struct place){first[id], (fs_id)id, r.first, r.last, 0};
  }
  free(first);
  if (a->n_places) qsort(a->places, (size_t)a->n_places, sizeof *a->places, by_place);
  for (int k = 0; k < a->n_places; k++) {
    struct place *p = &a->places[k];
    bool goes_on = k && p[-1].first == p->first;
    p->reach = goes_on ? FS_MAX(p[-1].reach, p->end) : p->end;
    a->at[p->update] = k;
  }
}

/* Updates that follow on the first and may move. */
static void anchor_updates(struct anchors *a, fs_id first) {
  for (int id = (int)first; id < a->g->nodes.len && !fs_interrupted(); id++) {
    if (a->first[id] != first || fs_node(a->g, (fs_id)id)->anchored) continue;
    clear_group(a);
    add_to_group(a, (fs_id)id);
    anchor_group(a);
  }
}

/* An input, with slices of its array like it that share elements with it. What nobody
 * reads, since only other slices were made of it, is alone. */
static void anchor_input(struct anchors *a, int first) {
  const struct fs_graph *g = a->g;
  clear_group(a);
  for (int k = first; k < g->inputs.len; k++)
    if (k == first ||
        (g->inputs.data[k].storage == g->inputs.data[first].storage &&
         !g->inputs.data[k].anchored && a->uses[a->node[first]].read &&
         a->uses[a->node[k]].read && !a->uses[a->node[k]].base && are_alike(a, first, k) &&
         meet(a, first, k)))
      choose(a, k);
  anchor_group(a);
}

/* Whether an array is read loosely, and so by where it lies. */
static bool is_read_loosely(const struct fs_graph *g, const void *array) {
  for (int k = 0; k < g->inputs.len; k++)
    if (g->inputs.data[k].storage == array && g->inputs.data[k].layout.reach) return true;
  return false;
}

/* The slices of the array that input `first` is the first of. */
static void anchor_array(struct anchors *a, int first) {
  const struct fs_graph *g = a->g;
  const void *array = g->inputs.data[first].storage;
  fs_id update;
  if (is_read_loosely(g, array)) return;
  if (!find_update(a, array, &update)) return;
  if (update) anchor_updates(a, update);
  for (int k = first; k < g->inputs.len && !fs_interrupted(); k++) {
    const struct fs_graph_input *in = &g->inputs.data[k];
    if (in->storage == array && !in->anchored && !a->uses[a->node[k]].base)
      anchor_input(a, k);
  }
}

static bool is_first(const struct fs_graph *g, int input) {
  for (int k = 0; k < input; k++)
    if (g->inputs.data[k].storage == g->inputs.data[input].storage) return false;
  return true;
}

void fs_graph_anchor(struct fs_graph *g) {
  size_t n_inputs = (size_t)g->inputs.len + 1;
  size_t n_nodes = (size_t)g->nodes.len;
  struct anchors a = {.g = g, .uses = find_uses(g),
                      .node = fs_calloc(n_inputs, sizeof *a.node),
                      .reads = fs_calloc(n_inputs, sizeof *a.reads),
                      .first = fs_calloc(n_nodes, sizeof *a.first),
                      .places = fs_calloc(n_nodes, sizeof *a.places),
                      .at = fs_calloc(n_nodes, sizeof *a.at),
                      .chosen = fs_calloc(n_inputs, sizeof *a.chosen),
                      .moved = fs_calloc(n_nodes, sizeof *a.moved)};
  for (int k = 0; k < g->inputs.len; k++)
    g->inputs.data[k].anchored = 0, g->inputs.data[k].anchor = 0;
  for (int id = 1; id < g->nodes.len; id++) {
    struct fs_node *n = fs_node(g, (fs_id)id);
    n->anchored = 0, n->anchor = 0;
    if (n->kind != FS_ND_INPUT) continue;
    a.node[n->slot] = (fs_id)id;
    struct fs_elements e = elements_of_input(&a, n->slot);
    a.reads[n->slot] = fs_elements_range(&e);
  }
  find_places(&a);
  for (int id = 1; id < g->nodes.len && !fs_interrupted(); id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    if (n->kind == FS_ND_UPDATE && n->src[0] && fs_node(g, n->src[0])->kind != FS_ND_UPDATE &&
        fs_node(g, n->src[0])->kind != FS_ND_INPUT)
      anchor_updates(&a, (fs_id)id); /* of what the block makes itself */
  }
  for (int k = 0; k < g->inputs.len && !fs_interrupted(); k++)
    if (is_first(g, k)) anchor_array(&a, k);
  free(a.uses);
  free(a.node);
  free(a.reads);
  free(a.first);
  free(a.places);
  free(a.at);
  free(a.chosen);
  free(a.moved);
  FS_VEC_FREE(&a.inputs);
  FS_VEC_FREE(&a.updates);
}

struct fs_layout fs_graph_input_layout(const struct fs_graph *g, int input) {
  struct fs_layout l = g->inputs.data[input].layout;
  l.offset -= g->inputs.data[input].anchor;
  return l;
}

double fs_graph_input_bytes(const struct fs_graph *g, const struct fs_node *nd) {
  const struct fs_layout *l = &g->inputs.data[nd->slot].layout;
  double bytes = (double)fs_dtype_size(nd->dtype);
  for (int k = 0; k < nd->shape.rank; k++)
    if (l->stride[k]) bytes *= (double)nd->shape.dim[k];
  return bytes;
}

/* -- in other sizes --------------------------------------------------------------- */

static fs_id node_of_input(const struct fs_graph *g, int input) {
  int id = 1;
  while (fs_node(g, (fs_id)id)->kind != FS_ND_INPUT || fs_node(g, (fs_id)id)->slot != input)
    id++;
  return (fs_id)id;
}

/* Whether an update keeps clear of what has another anchor: of inputs of its array, and of
 * the updates before it. */
static bool keeps_clear(const struct fs_graph *g, fs_id update) {
  const struct fs_node *n = fs_node(g, update);
  fs_id first = first_update(g, update);
  const struct fs_node *base = fs_node(g, fs_node(g, first)->src[0]);
  struct fs_layout whole;
  struct fs_elements part = fs_update_elements(g, n, &whole);
  for (int k = 0; k < g->inputs.len && base->kind == FS_ND_INPUT; k++) {
    const struct fs_graph_input *in = &g->inputs.data[k];
    if (!in->anchored || in->anchored == n->anchored ||
        in->storage != g->inputs.data[base->slot].storage)
      continue;
    struct fs_elements read =
        elements_of_layout(&in->layout, &fs_node(g, node_of_input(g, k))->shape);
    if (!fs_elements_apart(&read, &part, &whole, &n->shape)) return false;
  }
  for (fs_id u = update; u != first;) {
    u = fs_node(g, u)->src[0];
    if (fs_node(g, u)->anchored && fs_node(g, u)->anchored != n->anchored &&
        parts_meet(g, n, fs_node(g, u)))
      return false;
  }
  return true;
}

bool fs_graph_anchors_hold(const struct fs_graph *g) {
  for (int id = 1; id < g->nodes.len; id++)
    if (fs_node(g, (fs_id)id)->anchored && !keeps_clear(g, (fs_id)id)) return false;
  return true;
}

/* -- the next time ----------------------------------------------------------------- */

void fs_graph_move_input(struct fs_graph *g, int input, int64_t anchor) {
  struct fs_graph_input *in = &g->inputs.data[input];
  in->layout.offset += anchor - in->anchor;
  in->anchor = anchor;
}

void fs_graph_move_update(struct fs_graph *g, fs_id update, int64_t anchor,
                          const struct fs_view *view) {
  struct fs_node *n = fs_node(g, update);
  n->view = *view;
  n->anchor = anchor;
}

void fs_graph_anchors(const struct fs_graph *g, fs_anchor_list *out) {
  out->len = 0;
  for (int k = 0; k < g->inputs.len; k++) *FS_PUSH(out) = g->inputs.data[k].anchor;
  for (int id = 1; id < g->nodes.len; id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    if (!n->anchored) continue;
    *FS_PUSH(out) = n->anchor;
    for (int s = 0; s < n->view.src_rank; s++) *FS_PUSH(out) = n->view.off[s];
  }
}

void fs_graph_put_anchors(struct fs_graph *g, const fs_anchor_list *anchors) {
  const int64_t *at = anchors->data;
  for (int k = 0; k < g->inputs.len; k++) fs_graph_move_input(g, k, *at++);
  for (int id = 1; id < g->nodes.len; id++) {
    struct fs_node *n = fs_node(g, (fs_id)id);
    if (!n->anchored) continue;
    n->anchor = *at++;
    for (int s = 0; s < n->view.src_rank; s++) n->view.off[s] = *at++;
  }
}

void fs_graph_move(struct fs_graph *g, const struct fs_graph *like) {
  for (int k = 0; k < g->inputs.len; k++)
    fs_graph_move_input(g, k, like->inputs.data[k].anchor);
  for (int id = 1; id < g->nodes.len; id++)
    if (fs_node(g, (fs_id)id)->anchored)
      fs_graph_move_update(g, (fs_id)id, fs_node(like, (fs_id)id)->anchor,
                           &fs_node(like, (fs_id)id)->view);
}
