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

static int64_t begin_in(const struct fs_node *n, const struct fs_layout *whole) {
  int64_t at = 0;
  for (int s = 0; s < n->view.src_rank; s++) at += n->view.off[s] * whole->stride[s];
  return at;
}

int64_t fs_update_begin(const struct fs_node *n) {
  int64_t count;
  struct fs_layout whole = fs_layout_new(n->dtype, &n->shape, &count);
  return begin_in(n, &whole);
}

struct fs_elements fs_update_elements(const struct fs_graph *g, const struct fs_node *n,
                                  struct fs_layout *whole) {
  int64_t count;
  const struct fs_shape *part = &fs_node(g, n->src[1])->shape;
  *whole = fs_layout_new(n->dtype, &n->shape, &count);
  struct fs_elements e = {.begin = begin_in(n, whole), .rank = part->rank};
  memcpy(e.dim, part->dim, sizeof e.dim);
  for (int s = 0; s < n->view.src_rank; s++)
    if (n->view.axis[s] >= 0) e.stride[n->view.axis[s]] += n->view.step[s] * whole->stride[s];
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
  int64_t count;
  struct fs_layout whole = fs_layout_new(n->dtype, &n->shape, &count);
  bool in_a_row = false;
  for (int x = 0; x < n->view.src_rank; x++)
    in_a_row |= n->view.axis[x] >= 0 && n->view.step[x] * whole.stride[x] == 1;
  add(s, begin_in(n, &whole), in_a_row);
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

struct anchors {
  struct fs_graph *g;
  struct uses *uses;
  fs_id *node;          /* of each input */
  bool *chosen;         /* inputs that are to have one anchor */
  bool *moved;          /* ... and UPDATEs, by node */
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

static struct fs_elements elements_of_input(const struct anchors *a, int input) {
  const struct fs_layout *l = &a->g->inputs.data[input].layout;
  const struct fs_shape *shape = &fs_node(a->g, a->node[input])->shape;
  struct fs_elements e = {.begin = l->offset, .rank = shape->rank};
  memcpy(e.dim, shape->dim, sizeof e.dim);
  memcpy(e.stride, l->stride, sizeof e.stride);
  return e;
}

/* Whether the one lies within the reach of the other. */
static bool meet(const struct anchors *a, int x, int y) {
  struct fs_elements p = elements_of_input(a, x), q = elements_of_input(a, y);
  struct fs_range r = fs_elements_range(&p), s = fs_elements_range(&q);
  return r.first <= s.last && s.first <= r.last;
}

/* Whether an input of the array that an update changes may share elements with its part. */
static bool meets_part(const struct anchors *a, int input, const struct fs_node *update) {
  struct fs_layout whole;
  struct fs_elements read = elements_of_input(a, input);
  struct fs_elements part = fs_update_elements(a->g, update, &whole);
  return !fs_elements_apart(&read, &part, &whole, &update->shape);
}

/* Gives an anchor to the inputs in chosen[] and the updates in moved[]. */
static void anchor_group(const struct anchors *a) {
  struct slices s = {0};
  struct fs_graph *g = a->g;
  enum fs_dtype dt = FS_F32;
  int first = -1;
  for (int k = g->inputs.len - 1; k >= 0; k--) {
    if (!a->chosen[k]) continue;
    const struct fs_node *n = fs_node(g, a->node[k]);
    add_input(&s, &g->inputs.data[k], n->shape.rank);
    first = k, dt = n->dtype;
  }
  for (int id = 1; id < g->nodes.len; id++)
    if (a->moved[id]) add_update(&s, fs_node(g, (fs_id)id)), dt = fs_node(g, (fs_id)id)->dtype;
  int64_t anchor = anchor_of(&s, dt);
  for (int k = FS_MAX(first, 0); k < g->inputs.len; k++)
    if (a->chosen[k]) g->inputs.data[k].anchored = first + 1, g->inputs.data[k].anchor = anchor;
  for (int id = 1; id < g->nodes.len; id++) {
    if (!a->moved[id]) continue;
    if (first < 0) first = -1 - id;
    fs_node(g, (fs_id)id)->anchored = first < 0 ? first : first + 1;
    fs_node(g, (fs_id)id)->anchor = anchor;
  }
}

static void clear_group(const struct anchors *a) {
  memset(a->chosen, 0, sizeof *a->chosen * (size_t)a->g->inputs.len);
  memset(a->moved, 0, sizeof *a->moved * (size_t)a->g->nodes.len);
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
static void add_to_group(const struct anchors *a, fs_id first, fs_id update) {
  const struct fs_graph *g = a->g;
  const struct fs_node *base = fs_node(g, fs_node(g, first)->src[0]);
  const void *array = base->kind == FS_ND_INPUT ? g->inputs.data[base->slot].storage : NULL;
  a->moved[update] = true;
  for (int u = 1; u < g->nodes.len && !fs_interrupted(); u++) {
    const struct fs_node *n = fs_node(g, (fs_id)u);
    if (n->kind == FS_ND_UPDATE && !a->moved[u] && first_update(g, (fs_id)u) == first &&
        may_move(g, a->uses, (fs_id)u) && parts_meet(g, n, fs_node(g, update)))
      add_to_group(a, first, (fs_id)u);
  }
  for (int k = 0; array && k < g->inputs.len; k++) {
    fs_id id = a->node[k];
    if (a->chosen[k] || g->inputs.data[k].storage != array || !a->uses[id].read ||
        a->uses[id].base || !meets_part(a, k, fs_node(g, update)))
      continue;
    a->chosen[k] = true;
    for (int u = 1; u < g->nodes.len; u++) {
      const struct fs_node *n = fs_node(g, (fs_id)u);
      if (n->kind == FS_ND_UPDATE && !a->moved[u] && first_update(g, (fs_id)u) == first &&
          may_move(g, a->uses, (fs_id)u) && meets_part(a, k, n))
        add_to_group(a, first, (fs_id)u);
    }
  }
}

/* Updates that follow on the first and may move. */
static void anchor_updates(const struct anchors *a, fs_id first) {
  for (int id = 1; id < a->g->nodes.len && !fs_interrupted(); id++) {
    const struct fs_node *n = fs_node(a->g, (fs_id)id);
    if (n->kind != FS_ND_UPDATE || n->anchored || first_update(a->g, (fs_id)id) != first ||
        !may_move(a->g, a->uses, (fs_id)id))
      continue;
    clear_group(a);
    add_to_group(a, first, (fs_id)id);
    anchor_group(a);
  }
}

/* An input, with slices of its array like it that share elements with it. What nobody
 * reads, since only other slices were made of it, is alone. */
static void anchor_input(const struct anchors *a, int first) {
  const struct fs_graph *g = a->g;
  clear_group(a);
  for (int k = first; k < g->inputs.len; k++)
    a->chosen[k] = k == first ||
                   (g->inputs.data[k].storage == g->inputs.data[first].storage &&
                    !g->inputs.data[k].anchored && a->uses[a->node[first]].read &&
                    a->uses[a->node[k]].read && !a->uses[a->node[k]].base &&
                    are_alike(a, first, k) && meet(a, first, k));
  anchor_group(a);
}

/* The slices of the array that input `first` is the first of. */
static void anchor_array(const struct anchors *a, int first) {
  const struct fs_graph *g = a->g;
  const void *array = g->inputs.data[first].storage;
  fs_id update;
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
  struct anchors a = {g, find_uses(g), fs_calloc(n_inputs, sizeof(fs_id)),
                      fs_calloc(n_inputs, sizeof(bool)),
                      fs_calloc((size_t)g->nodes.len, sizeof(bool))};
  for (int k = 0; k < g->inputs.len; k++)
    g->inputs.data[k].anchored = 0, g->inputs.data[k].anchor = 0;
  for (int id = 1; id < g->nodes.len; id++) {
    struct fs_node *n = fs_node(g, (fs_id)id);
    n->anchored = 0, n->anchor = 0;
    if (n->kind == FS_ND_INPUT) a.node[n->slot] = (fs_id)id;
  }
  for (int id = 1; id < g->nodes.len && !fs_interrupted(); id++) {
    const struct fs_node *n = fs_node(g, (fs_id)id);
    if (n->kind == FS_ND_UPDATE && n->src[0] && first_update(g, (fs_id)id) == (fs_id)id &&
        fs_node(g, n->src[0])->kind != FS_ND_INPUT)
      anchor_updates(&a, (fs_id)id); /* of what the block makes itself */
  }
  for (int k = 0; k < g->inputs.len && !fs_interrupted(); k++)
    if (is_first(g, k)) anchor_array(&a, k);
  free(a.uses);
  free(a.node);
  free(a.chosen);
  free(a.moved);
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
