/* tensor.c - tensor handles and their storage: reference counts, copies between
 * host and device for any strided layout, elements as numbers. */
#include "core/run/tensor.h"

#include "core/base/account.h"
#include "core/ranks/ranks.h"

/* -- storage --------------------------------------------------------------- */

static struct fs_storage *storages; /* all that there are */

static enum fs_status out_of_memory(struct fs_target *t, size_t bytes,
                                    struct fs_diags *d) {
  struct fs_str want = {0}, have = {0};
  int64_t used = 0, cached = 0, available = 0;
  t->ops->memory(t, &used, &cached, &available);
  fs_str_put_bytes(&want, (double)bytes);
  fs_str_put_bytes(&have, (double)available);
  enum fs_status status = fs_env_error(
      d, "out-of-memory", "free variables with `x = 0`, or use smaller blocks",
      "not enough memory on %s: %s asked for, %s available", t->device.name,
      fs_str_text(&want), fs_str_text(&have));
  fs_str_free(&want);
  fs_str_free(&have);
  return status;
}

/* Puts it in the list. */
static void fill(struct fs_storage *s, struct fs_target *t, void *ptr, size_t bytes) {
  static uint64_t made;
  *s = (struct fs_storage){1, t, ptr, bytes, ++made, NULL, &storages, 0};
  if ((s->next = storages)) s->next->link = &s->next;
  storages = s;
}

struct fs_storage *fs_storage_promised(void) {
  struct fs_storage *s = fs_malloc(sizeof *s);
  fill(s, NULL, NULL, 0);
  return s;
}

struct fs_storage *fs_storage_empty(struct fs_target *t) {
  struct fs_storage *s = fs_malloc(sizeof *s);
  fill(s, t, NULL, 0);
  return s;
}

enum fs_status fs_storage_new(struct fs_target *t, size_t bytes,
                              struct fs_storage **out, struct fs_diags *d) {
  void *ptr = NULL;
  *out = NULL;
  if (!bytes) {
    *out = fs_storage_empty(t);
    return FS_OK;
  }
  struct fs_storage *s = fs_malloc(sizeof *s);
  enum fs_status status = t->ops->alloc(t, bytes, &ptr);
  if (status == FS_ERR_ENV) {
    t->ops->trim(t);
    status = t->ops->alloc(t, bytes, &ptr);
  }
  if (status) {
    free(s);
    if (status != FS_ERR_ENV) return status;
    return t->lost ? t->ops->sync(t, d) : out_of_memory(t, bytes, d);
  }
  fill(s, t, ptr, bytes);
  *out = s;
  return FS_OK;
}

struct fs_storage *fs_storage_ref(struct fs_storage *s) {
  if (s) s->refs++;
  return s;
}

struct fs_storage *fs_storage_find(uint64_t serial) {
  struct fs_storage *s = storages;
  while (s && s->serial != serial) s = s->next;
  return fs_storage_ref(s);
}

void fs_storage_unref(struct fs_storage *s) {
  if (!s || --s->refs > 0) return;
  if (s->ptr) s->target->ops->free(s->target, s->ptr, s->bytes);
  *s->link = s->next;
  if (s->next) s->next->link = s->link;
  free(s);
}

void fs_storage_recount(void (*count)(void *user), void *user) {
  for (struct fs_storage *s = storages; s; s = s->next) s->refs = 0;
  count(user);
  for (struct fs_storage *s = storages, *next; s; s = next) {
    next = s->next;
    if (s->refs == 0) fs_storage_unref(s);
  }
}

/* -- handles --------------------------------------------------------------- */

struct fs_tensor *fs_tensor_lazy(struct fs_graph *g, fs_id node,
                                 const struct fs_shape *shape) {
  struct fs_tensor *t = fs_calloc(1, sizeof *t);
  t->refs = 1;
  t->state = FS_TS_LAZY;
  t->dtype = fs_node(g, node)->dtype;
  t->shape = *shape;
  t->graph = g;
  t->node = node;
  return t;
}

struct fs_tensor *fs_tensor_promised(enum fs_dtype dt,
                                     const struct fs_shape *shape) {
  struct fs_tensor *t = fs_calloc(1, sizeof *t);
  t->refs = 1;
  t->state = FS_TS_LAZY;
  t->dtype = dt;
  t->shape = *shape;
  return t;
}

struct fs_tensor *fs_tensor_stored(struct fs_storage *storage, enum fs_dtype dt,
                                   const struct fs_shape *shape,
                                   const struct fs_layout *layout) {
  struct fs_tensor *t = fs_calloc(1, sizeof *t);
  t->refs = 1;
  t->state = FS_TS_STORED;
  t->dtype = dt;
  t->shape = *shape;
  t->storage = storage;
  t->layout = *layout;
  return t;
}

struct fs_tensor *fs_tensor_virtual(struct fs_snapshot *s, fs_id node, enum fs_dtype dt,
                                    const struct fs_shape *shape) {
  struct fs_tensor *t = fs_tensor_promised(dt, shape);
  t->state = FS_TS_VIRTUAL;
  t->snapshot = s;
  t->node = node;
  s->refs++;
  return t;
}

struct fs_tensor *fs_tensor_ref(struct fs_tensor *t) {
  if (t) t->refs++;
  return t;
}

static const void *identity(const struct fs_tensor *t) {
  return t && t->state == FS_TS_STORED && t->storage ? (const void *)t->storage
                                                     : (const void *)t;
}

int64_t fs_tensor_list_to(const struct fs_tensor *t) {
  if (!t || t->state != FS_TS_STORED || !t->storage || !t->storage->list_to) return 0;
  int64_t first = t->layout.offset, last = first;
  for (int k = 0; k < t->shape.rank; k++) {
    int64_t way = t->layout.stride[k] * (t->shape.dim[k] - 1);
    *(way < 0 ? &first : &last) += way;
  }
  return first >= 0 && last < t->storage->listed ? t->storage->list_to : 0;
}

struct fs_known fs_tensor_known(const struct fs_tensor *t) {
  struct fs_known known = {.list_to = fs_tensor_list_to(t)};
  if (!t || t->state != FS_TS_STORED || !t->triangle || t->shape.rank != 2) return known;
  known.triangle = t->triangle;
  known.lies = t->layout;
  return known;
}

struct fs_graph_source fs_tensor_source(struct fs_tensor *t) {
  bool stored = t && t->state == FS_TS_STORED && t->storage;
  struct fs_cut cut = stored ? t->storage->cut : (struct fs_cut){0};
  return (struct fs_graph_source){t, identity(t), fs_tensor_known(t), cut};
}

/* A virtual tensor owns its recipe, and the recipe a reference to each of its
 * inputs; those may be virtual in turn, so this goes by a list, not by calls. The
 * list is the graphs themselves: freeing must not need memory. */
void fs_tensor_unref(struct fs_tensor *t) {
  struct fs_graph *dying = NULL;
  for (;;) {
    if (t && --t->refs <= 0) {
      struct fs_graph *recipe = t->state == FS_TS_VIRTUAL ? t->graph : NULL;
      if (t->state == FS_TS_STORED) fs_storage_unref(t->storage);
      fs_snapshot_unref(t->snapshot);
      free(t->labels);
      free(t);
      if (recipe) {
        recipe->next_dying = dying;
        dying = recipe;
      }
    }
    while (dying && !dying->inputs.len) {
      struct fs_graph *done = dying;
      dying = done->next_dying;
      fs_graph_free(done);
    }
    if (!dying) return;
    t = dying->inputs.data[--dying->inputs.len].tensor;
  }
}

/* -- recipes that several share --------------------------------------------- */

struct fs_snapshot *fs_snapshot_new(struct fs_recipe *recipe,
                                    struct fs_tensor *const *inputs) {
  size_t n = (size_t)recipe->graph->inputs.len;
  struct fs_snapshot *s = fs_calloc(1, sizeof *s + n * sizeof s->inputs[0]);
  s->refs = 1;
  s->recipe = recipe;
  recipe->refs++;
  for (size_t k = 0; k < n; k++) s->inputs[k] = fs_tensor_ref(inputs[k]);
  return s;
}

void fs_recipe_unref(struct fs_recipe *r) {
  if (!r || --r->refs > 0) return;
  fs_graph_free(r->graph);
  free(r);
}

void fs_snapshot_unref(struct fs_snapshot *s) {
  if (!s || --s->refs > 0) return;
  for (int k = 0; k < s->recipe->graph->inputs.len; k++) fs_tensor_unref(s->inputs[k]);
  fs_recipe_unref(s->recipe);
  free(s);
}

void fs_tensor_own_recipe(struct fs_tensor *t) {
  struct fs_snapshot *s = t->snapshot;
  struct fs_graph *g = fs_graph_copy(s->recipe->graph);
  for (int k = 0; k < g->inputs.len; k++) {
    struct fs_graph_input *in = &g->inputs.data[k];
    in->tensor = fs_tensor_ref(s->inputs[k]);
    in->storage = identity(in->tensor);
    in->known = fs_tensor_known(in->tensor);
    in->dying = false;
  }
  t->graph = g;
  t->snapshot = NULL;
  fs_snapshot_unref(s);
}

struct fs_shape fs_squeeze(const struct fs_shape *s, int *axis_of) {
  struct fs_shape out = {0};
  for (int k = 0; k < s->rank; k++) {
    axis_of[k] = s->dim[k] == 1 ? -1 : out.rank;
    if (s->dim[k] != 1) out.dim[out.rank++] = s->dim[k];
  }
  return out;
}

/* -- upload ---------------------------------------------------------------- */

enum fs_status fs_tensor_upload(struct fs_target *t, enum fs_dtype dt,
                                const struct fs_shape *shape, const void *data,
                                struct fs_tensor **out, struct fs_diags *d) {
  int64_t count, size = (int64_t)fs_dtype_size(dt);
  struct fs_layout layout = fs_layout_new(dt, shape, &count);
  struct fs_storage *storage;
  *out = NULL;
  if (count < 0) {
    struct fs_str text = {0};
    fs_shape_print(shape, &text);
    enum fs_status status =
        fs_env_error(d, "out-of-memory", NULL,
                     "a tensor of shape %s is larger than any memory",
                     fs_str_text(&text));
    fs_str_free(&text);
    return status;
  }
  enum fs_status status = fs_storage_new(t, (size_t)(count * size), &storage, d);
  if (status) return status;
  int64_t total = fs_shape_count(shape);
  int64_t row = shape->rank ? shape->dim[shape->rank - 1] : 1;
  int64_t pitch = shape->rank > 1 ? layout.stride[shape->rank - 2] : row;
  enum fs_part before = fs_account_to(FS_PART_COPIES);
  if (total > 0)
    status = pitch == row
                 ? t->ops->upload(t, storage->ptr, total * size, data,
                                  total * size, total * size, 1, d)
                 : t->ops->upload(t, storage->ptr, pitch * size, data,
                                  row * size, row * size, total / row, d);
  fs_account_to(before);
  if (status) fs_storage_unref(storage);
  else *out = fs_tensor_stored(storage, dt, shape, &layout);
  return status;
}

/* -- download -------------------------------------------------------------- */

/* Larger gathers go through the host in pieces of this size; strides up to
 * MAX_GAP elements are read with their gaps, wider ones element by element. */
enum { PIECE_BYTES = 4 << 20, MAX_GAP = 8 };

/* One axis of a box: `count` indices, apart by `stride` elements in storage
 * (> 0) and by `out` elements in the dense result (negative if reversed). */
struct axis {
  int64_t count, stride, out;
};

struct box {
  const struct fs_tensor *t;
  char *host;           /* element of the result for index 0, 0, ... */
  int64_t base;         /* the same in storage, in elements */
  int64_t size;         /* of an element */
  int rank;
  struct axis axis[FS_MAX_RANK + 1]; /* by falling stride */
  struct fs_diags *d;
};

/* What this rank has of elements at, at + 1, ... of a whole storage; dst has zeros. */
static enum fs_status fetch_own(const struct fs_storage *s, int64_t size, char *dst, int64_t at,
                                int64_t count, struct fs_diags *d) {
  const struct fs_cut *cut = &s->cut;
  int64_t all = cut->block * fs_ranks(), own = cut->part * cut->stride, end = at + count;
  enum fs_status st = FS_OK;
  for (int64_t k = at / all; k * all < end && st == FS_OK; k++) {
    int64_t begin = k * all + fs_rank() * own, from = FS_MAX(at, begin);
    int64_t n = FS_MIN(end, begin + own) - from;
    const char *src = (const char *)s->ptr + (k * cut->block + from - begin) * size;
    if (n > 0)
      st = s->target->ops->download(s->target, dst + (from - at) * size, n * size, src, n * size,
                                    n * size, 1, d);
  }
  return st;
}

/* The same of what is cut: each rank brings what it has. */
static enum fs_status fetch_parts(const struct box *b, char *dst, int64_t dst_pitch, int64_t at,
                                  int64_t pitch, int64_t width, int64_t rows) {
  int64_t many = FS_MAX(1, PIECE_BYTES / FS_MAX(1, width * b->size));
  char *some = fs_malloc((size_t)(FS_MIN(many, rows) * width * b->size) + 1);
  enum fs_status st = FS_OK;
  for (int64_t r = 0; r < rows && st == FS_OK; r += many) {
    int64_t n = FS_MIN(many, rows - r);
    memset(some, 0, (size_t)(n * width * b->size));
    for (int64_t k = 0; k < n && st == FS_OK; k++)
      st = fetch_own(b->t->storage, b->size, some + k * width * b->size, at + (r + k) * pitch,
                     width, b->d);
    st = fs_ranks_agree(st, b->d);
    if (st == FS_OK) st = fs_ranks_merge(some, (size_t)(n * width * b->size), b->d);
    for (int64_t k = 0; k < n && st == FS_OK; k++)
      memcpy(dst + (r + k) * dst_pitch * b->size, some + k * width * b->size,
             (size_t)(width * b->size));
  }
  free(some);
  return st;
}

static enum fs_status fetch(const struct box *b, void *dst, int64_t dst_pitch,
                            int64_t at, int64_t pitch, int64_t width,
                            int64_t rows) {
  struct fs_storage *s = b->t->storage;
  if (s->cut.part && !fs_ranks_are_together())
    return fs_env_error(b->d, "on-ranks", NULL, "its elements lie on %d ranks", fs_ranks());
  if (s->cut.part) return fetch_parts(b, dst, dst_pitch, at, pitch, width, rows);
  if (fs_interrupted()) return FS_INTERRUPTED;
  return s->target->ops->download(
      s->target, dst, dst_pitch * b->size,
      (const char *)s->ptr + at * b->size, pitch * b->size, width * b->size,
      rows, b->d);
}

static void scatter(const struct box *b, char *dst, int64_t dst_step,
                    const char *src, int64_t src_step, int64_t n) {
  int64_t size = b->size;
#define COPY_AS(type)                                                   \
  for (int64_t k = 0; k < n; k++)                                       \
    memcpy(dst + k * dst_step * (int64_t)sizeof(type),                  \
           src + k * src_step * (int64_t)sizeof(type), sizeof(type))
  if (size == 1) { COPY_AS(uint8_t); }
  else if (size == 2) { COPY_AS(uint16_t); }
  else if (size == 4) { COPY_AS(uint32_t); }
  else { COPY_AS(uint64_t); }
#undef COPY_AS
}

/* The two innermost axes: rows of runs. The last axis is always a run. */
static enum fs_status gather_plane(const struct box *b, void *piece, char *host,
                                   int64_t at) {
  const struct axis *run = &b->axis[b->rank - 1];
  struct axis rows = {1, 0, 0};
  if (b->rank > 1) rows = b->axis[b->rank - 2];
  int64_t most = FS_MAX(PIECE_BYTES / b->size, 1);
  int64_t cols = FS_MIN(run->count, (most - 1) / run->stride + 1);
  int64_t width = (cols - 1) * run->stride + 1;
  int64_t high = rows.stride < width ? 1 : FS_MAX(most / width, 1);
  for (int64_t r = 0; r < rows.count; r += high)
    for (int64_t c = 0; c < run->count; c += cols) {
      int64_t n_r = FS_MIN(high, rows.count - r);
      int64_t n_c = FS_MIN(cols, run->count - c);
      int64_t w = (n_c - 1) * run->stride + 1;
      enum fs_status status =
          fetch(b, piece, w, at + r * rows.stride + c * run->stride,
                FS_MAX(rows.stride, w), w, n_r);
      if (status) return status;
      for (int64_t k = 0; k < n_r; k++)
        scatter(b, host + ((r + k) * rows.out + c * run->out) * b->size,
                run->out, (char *)piece + k * w * b->size, run->stride, n_c);
    }
  return FS_OK;
}

/* Can rows go straight to their place, without a piece in between? */
static bool is_direct(const struct box *b) {
  const struct axis *run = &b->axis[b->rank - 1];
  if (run->stride != 1 || run->out != 1) return false;
  if (b->rank == 1) return true;
  const struct axis *rows = &b->axis[b->rank - 2];
  return rows->stride >= run->count && rows->out >= run->count;
}

static enum fs_status copy_plane(const struct box *b, char *host, int64_t at) {
  int64_t width = b->axis[b->rank - 1].count;
  struct axis rows = {1, width, width};
  if (b->rank > 1) rows = b->axis[b->rank - 2];
  return fetch(b, host, rows.out, at, rows.stride, width, rows.count);
}

/* Runs the outer axes and copies a plane for each of their indices. */
static enum fs_status copy_box(const struct box *b) {
  int64_t index[FS_MAX_RANK + 1] = {0};
  int outer = b->rank - 2;
  bool direct = is_direct(b);
  void *piece = direct ? NULL : fs_malloc(PIECE_BYTES + 64);
  enum fs_status status = FS_OK;
  for (;;) {
    char *host = b->host;
    int64_t at = b->base;
    for (int k = 0; k < outer; k++) {
      host += index[k] * b->axis[k].out * b->size;
      at += index[k] * b->axis[k].stride;
    }
    status = direct ? copy_plane(b, host, at) : gather_plane(b, piece, host, at);
    int k = outer - 1;
    while (k >= 0 && ++index[k] == b->axis[k].count) index[k--] = 0;
    if (status || k < 0) break;
  }
  free(piece);
  return status;
}

/* Merges axes that continue each other, so that a dense box is one run. */
static void merge_axes(struct box *b) {
  for (int k = b->rank - 1; k > 0; k--) {
    struct axis *a = &b->axis[k - 1], *inner = &b->axis[k];
    if (a->stride != inner->stride * inner->count ||
        a->out != inner->out * inner->count)
      continue;
    inner->count *= a->count;
    memmove(a, inner, sizeof *a * (size_t)(b->rank - k));
    b->rank--;
  }
}

static void add_axis(struct box *b, int64_t count, int64_t stride,
                     int64_t out) {
  if (count == 1 || stride == 0) return;
  if (stride < 0) { /* walk it from its other end */
    b->base += (count - 1) * stride;
    b->host += (count - 1) * out * b->size;
    stride = -stride;
    out = -out;
  }
  int at = b->rank++;
  for (; at > 0 && b->axis[at - 1].stride < stride; at--)
    b->axis[at] = b->axis[at - 1];
  b->axis[at] = (struct axis){count, stride, out};
}

/* Repeats what was fetched once along the axes of stride 0. */
static void repeat(const struct fs_tensor *t, const int64_t *count, char *out,
                   int64_t size) {
  int64_t block = size;
  for (int k = t->shape.rank - 1; k >= 0; k--) {
    int64_t outer = 1;
    for (int o = 0; o < k; o++) outer *= count[o];
    for (int64_t o = 0; t->layout.stride[k] == 0 && o < outer; o++)
      for (int64_t c = 1; c < count[k]; c++)
        memcpy(out + (o * count[k] + c) * block, out + o * count[k] * block,
               (size_t)block);
    block *= count[k];
  }
}

enum fs_status fs_tensor_download(const struct fs_tensor *t,
                                  const int64_t *first, const int64_t *count,
                                  void *out, struct fs_diags *d) {
  struct box b = {.t = t, .host = out, .base = t->layout.offset, .d = d};
  int64_t stride = 1;
  b.size = (int64_t)fs_dtype_size(t->dtype);
  for (int k = 0; k < t->shape.rank; k++)
    if (count[k] <= 0) return FS_OK;
  for (int k = t->shape.rank - 1; k >= 0; k--) {
    b.base += first[k] * t->layout.stride[k];
    add_axis(&b, count[k], t->layout.stride[k], stride);
    stride *= count[k];
  }
  merge_axes(&b);
  if (!b.rank || b.axis[b.rank - 1].stride > MAX_GAP)
    b.axis[b.rank++] = (struct axis){1, 1, 1};
  enum fs_part before = fs_account_to(FS_PART_COPIES);
  enum fs_status status = copy_box(&b);
  if (!status) repeat(t, count, out, b.size);
  fs_account_to(before);
  return status;
}

/* -- cut ones made whole ------------------------------------------------------------ */

enum fs_status fs_tensor_whole(const struct fs_tensor *t, struct fs_tensor **out,
                               struct fs_diags *d) {
  struct fs_storage *s = t->storage, *all = NULL;
  int64_t size = (int64_t)fs_dtype_size(t->dtype), total = (int64_t)s->bytes * fs_ranks();
  struct box b = {.t = t, .size = size, .d = d};
  char *piece = fs_malloc(PIECE_BYTES);
  enum fs_status st = fs_ranks_agree(fs_storage_new(s->target, (size_t)total, &all, d), d);
  for (int64_t at = 0; at < total && st == FS_OK; at += PIECE_BYTES) {
    int64_t n = FS_MIN(PIECE_BYTES, total - at);
    st = fetch_parts(&b, piece, n / size, at / size, n / size, n / size, 1);
    if (st == FS_OK)
      st = s->target->ops->upload(s->target, (char *)all->ptr + at, n, piece, n, n, 1, d);
  }
  free(piece);
  if (st == FS_OK) *out = fs_tensor_stored(all, t->dtype, &t->shape, &t->layout);
  else fs_storage_unref(all);
  return st;
}
