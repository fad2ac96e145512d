/* own_kernels.c - compiles and starts the kernels of elemlib/library: strided
 * converting copies, elements by lists and masks, copies in another shape, running sums,
 * sorting, Fourier transforms, rows put to others, integer products, signs of vectors,
 * symmetry, triangles. */
#include "core/base/embed.h"
#include "core/device/cuda/library.h"
#include "core/graph/fourier.h"
#include "core/schedule/scan.h"

#include <stdio.h>

enum own_kind { OWN_COPY, OWN_GATHER, OWN_FIND, OWN_INVERT, OWN_RESHAPE, OWN_PRODUCT, OWN_SIGNS,
                OWN_ASYMMETRY, OWN_FORM, OWN_CUMSUM, OWN_CUMPROD, OWN_CUMMAX, OWN_CUMMIN,
                OWN_DIGITS, OWN_SORT, OWN_ARGSORT,
                OWN_SORT_TILE, OWN_COMBINE, OWN_TALLY, OWN_FOURIER,
                OWN_FOURIER_PACK, OWN_FOURIER_UNPACK, OWN_KINDS };

/* The pieces of elemlib/library, named as their entries. */
static const char *const entries[OWN_KINDS] = {
    "fs_copy",    "fs_gather", "fs_find", "fs_invert",
    "fs_reshape", "fs_product", "fs_signs", "fs_asymmetry", "fs_form",
    "fs_cumsum", "fs_cumprod", "fs_cummax", "fs_cummin",
    "fs_digits", "fs_sort",  "fs_argsort", "fs_sort_tile",
    "fs_combine", "fs_tally", "fs_fourier",
    "fs_fourier_pack", "fs_fourier_unpack"};

/* Of fs_tally: bytes of a block's tables, and elements that a block puts to each of their
 * places at least. */
enum { TALLY_BYTES = 16 << 10, TALLY_PUTS = 8 };

/* Room for what the text of a kernel begins with. */
enum { OWN_DEFINES = 240 };

/* Words of 16 bytes, of which no kernel asks what is in them. */
enum { WORDS = FS_DTYPE_COUNT };

/* A type of memory.cuh. */
static const char *stored(enum fs_dtype dt) {
  return dt == (enum fs_dtype)WORDS ? "fs_words" : fs_dtypes[dt].cuda_stored;
}

struct entry {
  enum own_kind kind;
  enum fs_dtype from, other, to;
  char defines[OWN_DEFINES]; /* what its text begins with */
  CUmodule module;
  CUfunction function;
};
struct cuda_own {
  FS_VEC(struct entry) list;
};

void fs_cuda_own_free(struct cuda_own *own) {
  if (!own) return;
  for (int k = 0; k < own->list.len; k++)
    fs_cu.module_unload(own->list.data[k].module);
  FS_VEC_FREE(&own->list);
  free(own);
}

static const char mark[] = "\n//@ "; /* of a piece */

/* The piece `name` of such a file. */
static void put_piece_of(struct fs_str *s, const char *file, const char *name) {
  const char *text = fs_embedded_text(file);
  size_t name_len = strlen(name);
  for (const char *p = strstr(text, mark), *end; p; p = end) {
    const char *named = p + sizeof mark - 1;
    end = strstr(named, mark);
    if (strncmp(named, name, name_len) == 0 && named[name_len] == '\n')
      fs_str_put(s, p, end ? (size_t)(end - p) : strlen(p));
  }
}

static void put_piece(struct fs_str *s, const char *name) {
  put_piece_of(s, "elemlib/library/library.cuh", name);
}
static void put_fourier(struct fs_str *s, const char *name) {
  put_piece_of(s, "elemlib/library/fourier.cuh", name);
}

void fs_cuda_own_source(const char *entry, enum fs_dtype from, enum fs_dtype other,
                        enum fs_dtype to, const char *defines, struct fs_str *out) {
  fs_str_puts(out, defines);
  fs_str_printf(out, "#define FS_FROM %s\n#define FS_OTHER %s\n"
                "#define FS_TO %s\n", stored(from), stored(other), stored(to));
  bool tallies = strcmp(entry, "fs_tally") == 0;
  if (tallies)
    fs_str_printf(out, "#define FS_TALLY_BYTES %d\n", TALLY_BYTES);
  fs_str_puts(out, fs_embedded_text("elemlib/cuda/memory.cuh"));
  const char *head = fs_embedded_text("elemlib/library/library.cuh");
  fs_str_put(out, head, (size_t)(strstr(head, mark) - head));
  bool scans = strncmp(entry, "fs_cum", 6) == 0, moves = strstr(entry, "sort");
  bool counts = strcmp(entry, "fs_digits") == 0, sorts = moves || counts;
  bool combines = tallies || strcmp(entry, "fs_combine") == 0;
  if (scans || sorts) put_piece(out, "fs_lines");
  if (strncmp(entry, "fs_fourier", 10) == 0) {
    static const char lines[] = "elemlib/cuda/fourier.cuh";
    put_piece_of(out, lines, "fs_complex");
    put_piece_of(out, lines, "fs_fourier_few");
    put_fourier(out, "fs_fourier_lines");
    put_fourier(out, entry);
    return;
  }
  if (scans) put_piece(out, "fs_scan");
  if (strncmp(entry, "fs_cumm", 7) == 0) put_piece(out, "fs_extreme");
  if (sorts) put_piece(out, "fs_keys");
  if (combines) put_piece(out, "fs_put_to");
  if (sorts && strcmp(entry, "fs_sort_tile") != 0) put_piece(out, "fs_radix");
  if (moves && strcmp(entry, "fs_sort_tile") != 0) put_piece(out, "fs_move");
  put_piece(out, entry);
}

/* `defines`: what the text begins with. */
static enum fs_status get_with(const struct cuda_own_call *c, enum own_kind kind,
                               enum fs_dtype from, enum fs_dtype other, enum fs_dtype to,
                               const char *defines, CUfunction *out) {
  struct entry e = {.kind = kind, .from = from, .other = other, .to = to};
  snprintf(e.defines, sizeof e.defines, "%s", defines);
  if (!*c->own) *c->own = fs_calloc(1, sizeof **c->own);
  struct cuda_own *own = *c->own;
  FS_EACH_AT(&own->list, had) {
    if (had->kind != kind || had->from != from || had->other != other || had->to != to ||
        strcmp(had->defines, e.defines))
      continue;
    *out = had->function;
    return FS_OK;
  }
  struct fs_str source = {0};
  fs_cuda_own_source(entries[kind], from, other, to, defines, &source);
  enum fs_status status = fs_cuda_build(c->t, source.data, entries[kind],
                                        &e.module, &e.function, c->d);
  fs_str_free(&source);
  if (status == FS_OK) *FS_PUSH(&own->list) = e;
  *out = e.function;
  return status;
}

static enum fs_status get(const struct cuda_own_call *c, enum own_kind kind, enum fs_dtype from,
                          enum fs_dtype other, enum fs_dtype to, CUfunction *out) {
  return get_with(c, kind, from, other, to, "", out);
}

enum { THREADS = 256 };

/* One thread per element up to what fills the device some times over. */
static unsigned blocks_for(const struct cuda_own_call *c, int64_t count) {
  int64_t most = 16 * (int64_t)c->t->base.device.units;
  int64_t blocks = FS_MIN((count + THREADS - 1) / THREADS, most);
  return (unsigned)FS_MAX(blocks, 1);
}

static enum fs_status start_blocks(const struct cuda_own_call *c, CUfunction f, unsigned blocks,
                                   void **args) {
  CUresult r = fs_cu.launch(f, blocks, 1, 1, THREADS, 1, 1, 0, fs_cuda_stream(c->t), args, NULL);
  return r == CU_OK ? FS_OK
                    : fs_cuda_fail(c->t, r, "starting a kernel", c->d);
}

static enum fs_status start(const struct cuda_own_call *c, CUfunction f,
                            int64_t count, void **args) {
  return start_blocks(c, f, blocks_for(c, count), args);
}

enum fs_status fs_cuda_own_copy(const struct cuda_own_call *c,
                                const struct fs_lib_array *from,
                                const struct fs_lib_array *to,
                                enum fs_cuda_part part, int *bad) {
  CUfunction f;
  enum fs_status status = get(c, OWN_COPY, from->dtype, FS_F32, to->dtype, &f);
  int64_t m = to->dim[0], n = to->dim[1];
  if (status != FS_OK || c->dry || !m || !n) return status;
  long long numbers[] = {from->stride[0], from->stride[1], to->stride[0],
                         to->stride[1], m, n};
  const void *p = from->ptr, *q = to->ptr;
  int which = (int)part;
  void *args[] = {&p, &numbers[0], &numbers[1], &q, &numbers[2], &numbers[3],
                  &numbers[4], &numbers[5], &which, &bad};
  return start(c, f, m * n, args);
}

enum fs_status fs_cuda_own_identity(const struct cuda_own_call *c,
                                    const struct fs_lib_array *to) {
  struct fs_lib_array none = *to;
  none.ptr = NULL;
  return fs_cuda_own_copy(c, &none, to, FS_CUDA_ALL, NULL);
}

/* Whether the rows of a matrix are whole words of 16 bytes; then *stride from
 * row to row and *width count such words. */
static bool has_words(const struct fs_lib_array *a, long long *stride, long long *width) {
  long long each = 16 / (long long)fs_dtype_size(a->dtype);
  if (a->stride[1] != 1 || a->stride[0] % each || a->dim[1] % each || (uintptr_t)a->ptr % 16)
    return false;
  *stride = a->stride[0] / each;
  *width = a->dim[1] / each;
  return true;
}

enum fs_status fs_cuda_own_gather(const struct cuda_own_call *c,
                                  const struct fs_lib_call *call,
                                  unsigned long long *wrong) {
  const struct fs_lib_array *a = &call->a, *b = &call->b, *o = &call->out;
  bool rows = !call->by_element;
  long long count = fs_lib_count(b), width = rows ? a->dim[1] : 1;
  long long extent = rows ? a->dim[0] : fs_lib_count(a), index_i = fs_lib_list_stride(b);
  long long from_i = rows ? a->stride[0] : fs_lib_list_stride(a), from_j = a->stride[1];
  long long to_i = rows ? o->stride[0] : fs_lib_list_stride(o), to_j = o->stride[1];
  long long from_words, to_words, wide;
  bool words = rows && has_words(a, &from_words, &wide) && has_words(o, &to_words, &wide);
  if (words) from_i = from_words, to_i = to_words, width = wide;
  enum fs_dtype type = words ? (enum fs_dtype)WORDS : a->dtype;
  CUfunction f;
  enum fs_status status = get(c, OWN_GATHER, type, b->dtype, type, &f);
  if (status != FS_OK || c->dry) return status;
  long long log_lanes = 0; /* of which the kernel takes the lower half */
  while (log_lanes < 8 && 1 << log_lanes < width) log_lanes++;
  if (!count || !width) return FS_OK;
  const void *from = a->ptr, *index = b->ptr, *to = o->ptr;
  void *args[] = {&from, &from_i, &from_j, &index, &index_i,   &to,   &to_i,
                  &to_j, &count,  &width,  &extent, &log_lanes, &wrong};
  return start(c, f, count << log_lanes, args);
}

enum fs_status fs_cuda_own_find(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, void *counts) {
  const struct fs_lib_array *a = &call->a, *o = &call->out;
  CUfunction f;
  enum fs_status status = get(c, OWN_FIND, a->dtype, FS_F32, o->dtype, &f);
  long long n = fs_lib_count(a), mask_i = fs_lib_list_stride(a), to_i = fs_lib_list_stride(o);
  if (status != FS_OK || c->dry || !n) return status;
  long long tile = 8 * THREADS, tiles = (n + tile - 1) / tile;
  long long share = (tiles + FS_CUDA_FIND_BLOCKS - 1) / FS_CUDA_FIND_BLOCKS * tile;
  const void *mask = a->ptr, *none = NULL, *to = o->ptr;
  for (int pass = 0; pass < 2; pass++) {
    void *args[] = {&mask, &mask_i, &n, &share, &counts, pass ? &to : &none, &to_i};
    CUresult r = fs_cu.launch(f, (unsigned)((n + share - 1) / share), 1, 1, THREADS, 1, 1,
                              0, fs_cuda_stream(c->t), args, NULL);
    if (r != CU_OK) return fs_cuda_fail(c->t, r, "starting a kernel", c->d);
  }
  return FS_OK;
}

enum fs_status fs_cuda_own_invert(const struct cuda_own_call *c,
                                  const struct fs_lib_call *call,
                                  unsigned long long *wrong) {
  const struct fs_lib_array *a = &call->a, *o = &call->out;
  CUfunction f;
  enum fs_status status = get(c, OWN_INVERT, FS_F32, a->dtype, o->dtype, &f);
  if (status != FS_OK || c->dry) return status;
  long long count = fs_lib_count(a), index_i = fs_lib_list_stride(a);
  long long extent = fs_lib_count(o), at_i = fs_lib_list_stride(o);
  const void *index = a->ptr, *none = NULL, *at = o->ptr;
  for (int pass = 0; pass < 2 && status == FS_OK; pass++) {
    void *args[] = {pass ? &index : &none, &index_i, &count, &at, &at_i, &extent, &wrong};
    status = start(c, f, pass ? count : extent, args);
  }
  return status;
}

/* Where the elements of the list are in ascending order, from 1. */
struct fs_lib_call fs_cuda_own_order(const struct fs_lib_call *call, void *order) {
  struct fs_lib_call sort = {.op = FS_LIB_ARGSORT, .a = call->b, .out = call->b};
  sort.axis = call->b.dim[0] == 1;
  sort.out.dtype = FS_I64;
  sort.out.ptr = order;
  sort.out.stride[0] = !sort.axis, sort.out.stride[1] = sort.axis;
  return sort;
}

bool fs_cuda_own_any_order(const struct fs_lib_call *call) {
  enum fs_dtype dt = call->a.dtype; /* atomics are of 4 bytes and of 8 */
  return fs_dtype_is_integer(dt) && !fs_dtype_converts(dt) && fs_lib_by[call->by] != FS_OP_MUL;
}

/* Of the places that COMBINE puts to, in a block's own memory: how many copies; 0: memory is
 * put to at once. A block is worth it that has so many elements for each place. */
static int tally_copies(const struct fs_lib_call *call) {
  int64_t places = fs_lib_count(&call->out), puts = fs_lib_count(&call->b) * call->out.dim[1];
  int64_t fit = TALLY_BYTES /
                (FS_MAX(places, 1) * (int64_t)fs_dtype_size(call->out.dtype));
  if (!fs_cuda_own_any_order(call) || !places) return 0;
  if (puts < TALLY_PUTS * places) return 0;
  return (int)FS_MIN(fit, THREADS / 32);
}

static enum fs_status tally(const struct cuda_own_call *c, const struct fs_lib_call *call,
                            int copies, unsigned long long *wrong) {
  const struct fs_lib_array *a = &call->a, *o = &call->out;
  CUfunction f;
  enum fs_status status = get(c, OWN_TALLY, a->dtype, call->b.dtype, o->dtype, &f);
  if (status != FS_OK || c->dry) return status;
  long long strides[] = {a->stride[0], a->stride[1], fs_lib_list_stride(&call->b),
                         o->stride[0], o->stride[1]};
  long long count = fs_lib_count(&call->b), rows = o->dim[0], width = o->dim[1];
  const void *from = a->ptr, *at = call->b.ptr, *to = o->ptr;
  int by = call->by;
  int64_t worth = count * width / (TALLY_PUTS * rows * width);
  unsigned blocks = (unsigned)FS_MIN((int64_t)blocks_for(c, count * width), worth);
  void *args[] = {&from, &strides[0], &strides[1], &at, &strides[2], &count, &to, &strides[3],
                  &strides[4], &rows, &width, &by, &copies, &wrong};
  return start_blocks(c, f, blocks, args);
}

enum fs_status fs_cuda_own_combine(const struct cuda_own_call *c, const struct fs_lib_call *call,
                                   const void *order, unsigned long long *wrong) {
  const struct fs_lib_array *a = &call->a, *o = &call->out;
  int copies = tally_copies(call);
  CUfunction f;
  enum fs_status status = get(c, OWN_COMBINE, a->dtype, call->b.dtype, o->dtype, &f);
  if (c->dry) return status == FS_OK && copies ? tally(c, call, copies, wrong) : status;
  long long strides[] = {a->stride[0], a->stride[1], fs_lib_list_stride(&call->b),
                         o->stride[0], o->stride[1]};
  long long count = fs_lib_count(&call->b), rows = o->dim[0], width = o->dim[1];
  const void *from = a->ptr, *at = call->b.ptr, *to = o->ptr;
  int by = call->by, copies_only = 0, puts = order ? 2 : 1;
  for (int pass = 0; pass < (copies ? 1 : 2) && status == FS_OK; pass++) {
    void *args[] = {&from, &strides[0], &strides[1], &at,   &strides[2], &order,
                    &count, &to,        &strides[3], &strides[4], &rows, &width,
                    &by,    pass ? &puts : &copies_only, &wrong};
    status = start(c, f, (pass ? count : rows) * width, args);
  }
  return status == FS_OK && copies ? tally(c, call, copies, wrong) : status;
}

struct reshape_args { /* as in library.cuh */
  long long count, from_dim[FS_MAX_RANK], from_stride[FS_MAX_RANK], to_dim[FS_MAX_RANK],
      to_stride[FS_MAX_RANK];
};

/* Aligns an array's extents to the end. */
static void fill(const struct fs_lib_array *a, long long *dim, long long *stride) {
  for (int k = 0; k < FS_MAX_RANK; k++) {
    int axis = k - (FS_MAX_RANK - a->rank);
    dim[k] = axis >= 0 ? a->dim[axis] : 1;
    stride[k] = axis >= 0 ? a->stride[axis] : 0;
  }
}

enum fs_status fs_cuda_own_reshape(const struct cuda_own_call *c,
                                   const struct fs_lib_call *call) {
  const struct fs_lib_array *a = &call->a, *o = &call->out;
  CUfunction f;
  enum fs_status status = get(c, OWN_RESHAPE, a->dtype, FS_F32, o->dtype, &f);
  if (status != FS_OK || c->dry) return status;
  struct reshape_args r = {.count = fs_lib_count(a)};
  fill(a, r.from_dim, r.from_stride);
  fill(o, r.to_dim, r.to_stride);
  const void *from = a->ptr, *to = o->ptr;
  void *args[] = {&from, &to, &r};
  return start(c, f, r.count, args);
}

struct line_args { /* as in library.cuh */
  long long n, count, step_from, step_to, dim[FS_MAX_RANK - 1], from_stride[FS_MAX_RANK - 1],
      to_stride[FS_MAX_RANK - 1];
  long long groups, parts, share;
  int log_lines, lines_first;
};

static struct line_args line_args(const struct fs_lib_lines *from,
                                  const struct fs_lib_lines *to, struct fs_scan_cut cut) {
  bool first = fs_lib_lines_first(from);
  struct line_args a = {.n = from->n, .count = from->count, .step_from = from->step,
                        .step_to = to->step, .groups = cut.groups, .parts = cut.parts,
                        .share = cut.share, .log_lines = cut.log_lines, .lines_first = first};
  for (int k = 0; k < FS_MAX_RANK - 1; k++) {
    a.dim[k] = from->dim[k];
    a.from_stride[k] = from->stride[k];
    a.to_stride[k] = to->stride[k];
  }
  return a;
}

int64_t fs_cuda_own_scan_totals(const struct fs_lib_call *call) {
  struct fs_lib_lines l = fs_lib_lines_of(&call->a, call->axis);
  struct fs_scan_cut cut = fs_scan_cut(l.n, l.count, fs_lib_lines_first(&l));
  return cut.parts > 1 ? cut.parts * l.count : 0;
}

enum fs_status fs_cuda_own_scan(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, void *totals) {
  enum own_kind kind = (enum own_kind)(OWN_CUMSUM + (call->op - FS_LIB_CUMSUM));
  CUfunction f;
  enum fs_status status = get(c, kind, call->a.dtype, FS_F32, call->out.dtype, &f);
  if (status != FS_OK || c->dry || !fs_lib_count(&call->a)) return status;
  struct fs_lib_lines from = fs_lib_lines_of(&call->a, call->axis);
  struct fs_lib_lines to = fs_lib_lines_of(&call->out, call->axis);
  struct line_args a =
      line_args(&from, &to, fs_scan_cut(from.n, from.count, fs_lib_lines_first(&from)));
  const void *p = call->a.ptr, *none = NULL, *q = call->out.ptr;
  for (int pass = a.parts == 1; pass < 2; pass++) {
    void *args[] = {&p, pass ? &q : &none, &totals, &a};
    CUresult r = fs_cu.launch(f, (unsigned)(a.groups * a.parts), 1, 1, THREADS, 1, 1, 0,
                              fs_cuda_stream(c->t), args, NULL);
    if (r != CU_OK) return fs_cuda_fail(c->t, r, "starting a kernel", c->d);
  }
  return FS_OK;
}

/* -- sorting -- */

/* As dense rows in memory of its own. */
static struct fs_lib_lines rows_of(const struct fs_lib_lines *l) {
  struct fs_lib_lines rows = *l;
  int64_t stride = l->n;
  rows.step = 1;
  for (int k = FS_MAX_RANK - 2; k >= 0; stride *= l->dim[k--]) rows.stride[k] = stride;
  return rows;
}

static struct fs_scan_cut sort_cut(const struct fs_lib_lines *l) {
  enum { BLOCKS = 528, TILE = 4096 }; /* four for each of 132 units; as in library.cuh */
  struct fs_scan_cut cut = {.groups = l->count};
  int64_t tiles = (l->n + TILE - 1) / TILE;
  cut.parts = FS_MAX(FS_MIN(BLOCKS / l->count, tiles), 1);
  cut.share = (tiles + cut.parts - 1) / cut.parts * TILE;
  cut.parts = (l->n + cut.share - 1) / cut.share;
  return cut;
}

struct cuda_sort_room fs_cuda_own_sort_room(const struct fs_lib_call *call) {
  struct fs_lib_lines l = fs_lib_lines_of(&call->a, call->axis);
  struct cuda_sort_room room = {0};
  int passes = fs_sort_passes(call->a.dtype, l.n);
  if (l.n <= FS_SCAN_TILE) return room;
  bool places = call->op == FS_LIB_ARGSORT;
  int64_t count = l.n * l.count;
  /* The passes of a sort but the last leave their values in one place and in the result by
   * turns: there are two passes or more, an even number, or one. */
  room.values = passes == 1 ? 0 : places && passes > 2 ? 2 * count : count;
  room.places = !places || passes == 1 ? 0 : passes > 2 ? 2 * count : count;
  room.place_type = l.n > INT32_MAX ? FS_I64 : FS_I32;
  room.counts = (sort_cut(&l).parts + 1) * l.count * (1 << FS_SORT_BITS);
  return room;
}

static enum fs_status launch(const struct cuda_own_call *c, CUfunction f, int64_t blocks,
                             void **args) {
  CUresult r = fs_cu.launch(f, (unsigned)blocks, 1, 1, THREADS, 1, 1, 0,
                            fs_cuda_stream(c->t), args, NULL);
  return r == CU_OK ? FS_OK : fs_cuda_fail(c->t, r, "starting a kernel", c->d);
}

static enum fs_status sort_tiles(const struct cuda_own_call *c,
                                 const struct fs_lib_call *call) {
  CUfunction f;
  enum fs_status status = get(c, OWN_SORT_TILE, call->a.dtype, FS_F32, FS_F32, &f);
  if (status != FS_OK || c->dry || !fs_lib_count(&call->a)) return status;
  struct fs_lib_lines from = fs_lib_lines_of(&call->a, call->axis);
  struct fs_lib_lines to = fs_lib_lines_of(&call->out, call->axis);
  struct line_args a = line_args(&from, &to, fs_scan_cut(from.n, from.count, false));
  const void *p = call->a.ptr, *q = call->out.ptr, *none = NULL;
  bool places = call->op == FS_LIB_ARGSORT;
  int down = call->descending;
  void *args[] = {&p, places ? &none : &q, places ? &q : &none, &a, &down};
  return launch(c, f, a.groups, args);
}

static enum fs_status count_digits(const struct cuda_own_call *c, CUfunction f, const void *x,
                                   void *counts, struct line_args *a, int shift, int down) {
  enum fs_status status = FS_OK;
  for (int adds = 0; adds < 1 + (a->parts > 1) && status == FS_OK; adds++) {
    void *args[] = {&x, &counts, a, &shift, &down, &adds};
    status = launch(c, f, a->groups * (adds ? 8 : a->parts), args);
  }
  return status;
}

enum fs_status fs_cuda_own_sort(const struct cuda_own_call *c,
                                const struct fs_lib_call *call, char *values, char *places,
                                void *counts) {
  struct fs_lib_lines from = fs_lib_lines_of(&call->a, call->axis);
  struct fs_lib_lines to = fs_lib_lines_of(&call->out, call->axis);
  if (from.n <= FS_SCAN_TILE) return sort_tiles(c, call);
  struct cuda_sort_room room = fs_cuda_own_sort_room(call);
  bool indexed = call->op == FS_LIB_ARGSORT;
  CUfunction digits, moves;
  enum fs_status status = get(c, OWN_DIGITS, call->a.dtype, FS_F32, FS_F32, &digits);
  if (status == FS_OK)
    status = get(c, indexed ? OWN_ARGSORT : OWN_SORT, call->a.dtype, room.place_type, FS_F32,
                 &moves);
  if (status != FS_OK || c->dry) return status;
  struct fs_lib_lines rows = rows_of(&from), now = from;
  struct fs_scan_cut cut = sort_cut(&from);
  int64_t count = from.n * from.count, size = (int64_t)fs_dtype_size(call->a.dtype);
  int64_t place_size = (int64_t)fs_dtype_size(room.place_type);
  const void *x = call->a.ptr, *index = NULL;
  int passes = fs_sort_passes(call->a.dtype, from.n), down = call->descending;
  for (int k = 0; k < passes && status == FS_OK; k++) {
    bool last = k == passes - 1, own = !last && (indexed || k % 2 == 0);
    struct fs_lib_lines next = own ? rows : to;
    struct line_args a = line_args(&now, &next, cut);
    void *y = own ? values + (indexed ? k % 2 * count * size : 0) : call->out.ptr;
    void *index_to = indexed && !last ? places + k % 2 * count * place_size : NULL;
    void *at = indexed && last ? call->out.ptr : NULL, *none = NULL;
    int shift = k * FS_SORT_BITS;
    status = count_digits(c, digits, x, counts, &a, shift, down);
    void *args[] = {&x, &index, at ? &none : &y, &index_to, &at, &counts, &a, &shift, &down};
    if (status == FS_OK) status = launch(c, moves, from.count * cut.parts, args);
    x = y, index = index_to, now = next;
  }
  return status;
}

enum fs_status fs_cuda_own_product(const struct cuda_own_call *c,
                                   const struct fs_lib_call *call) {
  const struct fs_lib_array *a = &call->a, *b = &call->b, *o = &call->out;
  CUfunction f;
  enum fs_status status = get(c, OWN_PRODUCT, a->dtype, b->dtype, o->dtype, &f);
  if (status != FS_OK || c->dry) return status;
  long long n[] = {a->stride[0], a->stride[1], b->stride[0],
                   b->stride[1], o->stride[0], o->stride[1],
                   o->dim[0],    o->dim[1],    a->dim[1]};
  const void *p = a->ptr, *q = b->ptr, *to = o->ptr;
  void *args[] = {&p,    &n[0], &n[1], &q,    &n[2], &n[3],
                  &to,   &n[4], &n[5], &n[6], &n[7], &n[8]};
  return start(c, f, o->dim[0] * o->dim[1], args);
}

enum fs_status fs_cuda_own_signs(const struct cuda_own_call *c,
                                 const struct fs_lib_array *v, bool by_diagonal,
                                 const struct fs_lib_array *with) {
  static const struct fs_lib_array none;
  CUfunction f;
  enum fs_status status = get(c, OWN_SIGNS, v->dtype, v->dtype, v->dtype, &f);
  if (status != FS_OK || c->dry || !v->dim[1]) return status;
  if (!with) with = &none;
  long long n[] = {v->stride[0],    v->stride[1],    v->dim[0],
                   with->stride[0], with->stride[1], with->dim[0]};
  void *p = v->ptr, *q = with->ptr;
  int diagonal = by_diagonal;
  void *args[] = {&p, &n[0], &n[1], &n[2], &diagonal, &q, &n[3], &n[4], &n[5]};
  CUresult r = fs_cu.launch(f, (unsigned)v->dim[1], 1, 1, THREADS, 1, 1, 0,
                            fs_cuda_stream(c->t), args, NULL);
  return r == CU_OK ? FS_OK
                    : fs_cuda_fail(c->t, r, "starting a kernel", c->d);
}

enum fs_status fs_cuda_own_asymmetry(const struct cuda_own_call *c,
                                     enum fs_dtype dtype, const void *matrix,
                                     int64_t n, unsigned long long *found) {
  enum { SIDE = 32 }; /* of a tile; a block takes tile by tile */
  CUfunction f;
  enum fs_status status = get(c, OWN_ASYMMETRY, dtype, dtype, dtype, &f);
  if (status != FS_OK || c->dry || !n) return status;
  long long count = n;
  void *args[] = {&matrix, &count, &found};
  int64_t tiles = (n + SIDE - 1) / SIDE;
  return start(c, f, tiles * tiles * THREADS, args);
}

/* Which lines of a matrix the kernel walks: those that lie in one piece. */
static bool form_by_columns(const struct fs_lib_array *a) {
  return a->stride[0] == 1 && a->stride[1] != 1;
}

enum fs_status fs_cuda_own_form(const struct cuda_own_call *c,
                                const struct fs_lib_array *a, int *found) {
  enum { EACH = 16 }; /* elements of a line that a thread takes */
  CUfunction f;
  enum fs_status status = get(c, OWN_FORM, a->dtype, FS_F32, FS_F32, &f);
  long long n = a->dim[0], line = a->stride[0], along = a->stride[1];
  if (status != FS_OK || c->dry || !n) return status;
  if (form_by_columns(a)) line = a->stride[1], along = a->stride[0];
  const void *p = a->ptr;
  int parts = (int)((n + EACH * THREADS - 1) / (EACH * THREADS));
  void *args[] = {&p, &line, &along, &n, &parts, &found};
  CUresult r = fs_cu.launch(f, (unsigned)(n * parts), 1, 1, THREADS, 1, 1, 0,
                            fs_cuda_stream(c->t), args, NULL);
  return r == CU_OK ? FS_OK
                    : fs_cuda_fail(c->t, r, "starting a kernel", c->d);
}

struct fs_lib_form fs_cuda_own_form_read(const struct fs_lib_array *a, const int found[2]) {
  bool columns = form_by_columns(a);
  return (struct fs_lib_form){
      .below = found[0] & (columns ? 2 : 1), .above = found[0] & (columns ? 1 : 2),
      .nan = found[0] & 4, .zero = found[1] ? a->dim[0] - found[1] + 1 : 0};
}

/* -- Fourier transforms -- */

struct fourier_args { /* as in fourier.cuh */
  long long n, taken, parts, count, step_re, step_im, step_to, dim[FS_MAX_RANK - 1],
      re_stride[FS_MAX_RANK - 1], im_stride[FS_MAX_RANK - 1], to_stride[FS_MAX_RANK - 1];
  int op, real, divided, lines_first;
};

static struct fourier_args fourier_args(const struct fs_lib_call *call) {
  struct fs_lib_lines re = fs_lib_lines_of(&call->a, call->axis), im = re;
  struct fs_lib_lines to = fs_lib_lines_of(&call->out, call->axis);
  if (call->has_b) im = fs_lib_lines_of(&call->b, call->axis);
  struct fourier_args a = {.n = call->length, .count = to.count, .step_re = re.step,
                           .step_im = im.step, .step_to = to.step, .real = !call->has_b,
                           .op = (int)(call->op - FS_LIB_FFT), .divided = call->divided};
  bool half = call->op == FS_LIB_RFFT, back = call->op == FS_LIB_IRFFT;
  a.parts = half ? a.n / 2 + 1 : a.n;
  a.taken = FS_MIN(re.n, back ? a.n / 2 + 1 : a.n);
  a.lines_first = fs_lib_lines_first(&re);
  for (int k = 0; k < FS_MAX_RANK - 1; k++) {
    a.dim[k] = re.dim[k];
    a.re_stride[k] = re.stride[k];
    a.im_stride[k] = im.stride[k];
    a.to_stride[k] = to.stride[k];
  }
  return a;
}

/* What a kernel of one block's lines is compiled for. */
struct fourier_block {
  int lines, threads;
  int64_t bytes; /* of its own memory */
  char defines[OWN_DEFINES];
};

/* "16, 8, 8"; gives the most. */
static int put_radices(long long n, struct fs_str *out) {
  int radix[FS_FOURIER_PASSES], most = 1;
  for (int k = 0, passes = fs_fourier_radices(n, radix); k < passes; k++) {
    fs_str_printf(out, "%d, ", radix[k]);
    most = FS_MAX(most, radix[k]);
  }
  return most;
}

/* Whether the numbers of a line are neighbours, and there are as many as are taken. */
static bool fourier_near(const struct fourier_args *a) {
  bool whole = a->taken == (a->op == 2 ? a->n / 2 + 1 : a->n);
  return whole && a->step_re == 1 && a->step_to == 1 && (a->real || a->step_im == 1);
}

static void put_fourier_defines(const struct fourier_args *a, const char *length, bool near,
                                struct fs_str *out) {
  fs_str_printf(out, "#define FS_LENGTH %s\n#define FS_OP %d\n#define FS_REAL %d\n"
                "#define FS_DIVIDED %d\n#define FS_NEAR %d\n",
                length, a->op, a->real, a->divided, near);
}

/* Some 2048 numbers for a block, of lines as many as a power of two, but so that all units have
 * blocks; neighbouring lines at least a sector of memory, where they fit. */
static struct fourier_block fourier_block(const struct cuda_own_call *c,
                                          const struct fourier_args *a, enum fs_dtype dt) {
  enum { POINTS = 2048, MOST_THREADS = 512, MOST_BYTES = 132 << 10, SECTOR = 32 };
  const struct fs_device *d = &c->t->base.device;
  struct fourier_block b = {.lines = 1};
  struct fs_str radices = {0}, text = {0};
  int64_t size = (int64_t)fs_dtype_size(dt), n = a->n;
  int64_t room = FS_MIN(MOST_BYTES, d->shared_bytes - (8 << 10)) / (2 * size) * 32 / 33;
  int64_t wanted = FS_MIN(POINTS / n, a->count / (2 * (int64_t)d->units));
  if (a->lines_first) wanted = FS_MAX(wanted, FS_MIN(FS_MIN(SECTOR / size, room / n), a->count));
  while (2 * b.lines <= wanted) b.lines *= 2;
  int64_t points = b.lines * n;
  int each = FS_MAX(put_radices(n, &radices), 8);
  b.threads = (int)FS_MIN(FS_MAX(fs_round_up(points / each, 32), 32), MOST_THREADS);
  b.bytes = 2 * size * (points + points / 32);
  char length[24];
  snprintf(length, sizeof length, "%lld", a->n);
  put_fourier_defines(a, length, fourier_near(a), &text);
  fs_str_printf(&text, "#define FS_LINES %d\n#define FS_LINES_FIRST %d\n#define FS_THREADS %d\n"
                "#define FS_RADICES %s\n", b.lines, a->lines_first, b.threads,
                fs_str_text(&radices));
  snprintf(b.defines, sizeof b.defines, "%s", fs_str_text(&text));
  fs_str_free(&text);
  fs_str_free(&radices);
  return b;
}

/* The kernel; when it is loaded, its roots are made. */
static enum fs_status get_fourier(const struct cuda_own_call *c, enum fs_dtype dt,
                                  const struct fourier_block *b, CUfunction *f) {
  int had = *c->own ? (*c->own)->list.len : 0;
  enum fs_status status = get_with(c, OWN_FOURIER, dt, FS_F32, dt, b->defines, f);
  if (status != FS_OK || (*c->own)->list.len == had) return status;
  CUfunction make;
  CUresult r = fs_cu.module_function(&make, (*c->own)->list.data[had].module, "fs_fourier_roots");
  if (r == CU_OK) r = fs_cu.function_set(*f, CU_FN_MAX_DYNAMIC_SHARED, (int)b->bytes);
  if (r != CU_OK) return fs_cuda_fail(c->t, r, "loading a kernel", c->d);
  return start(c, make, FS_FOURIER_BYTES / 8, NULL);
}

enum fs_status fs_cuda_own_fourier(const struct cuda_own_call *c, const struct fs_lib_call *call) {
  CUfunction f;
  struct fourier_args a = fourier_args(call);
  struct fourier_block b = fourier_block(c, &a, call->out.dtype);
  enum fs_status status = get_fourier(c, call->out.dtype, &b, &f);
  if (status != FS_OK || c->dry) return status;
  const void *re = call->a.ptr, *im = call->has_b ? call->b.ptr : NULL, *to = call->out.ptr;
  void *args[] = {&re, &im, &to, &a};
  int64_t blocks = fs_ceil_div(a.count, b.lines);
  CUresult r = fs_cu.launch(f, (unsigned)blocks, 1, 1, (unsigned)b.threads, 1, 1,
                            (unsigned)b.bytes, fs_cuda_stream(c->t), args, NULL);
  return r == CU_OK ? FS_OK : fs_cuda_fail(c->t, r, "starting a kernel", c->d);
}

/* The kernel that puts lines together, or apart again. */
static enum fs_status get_packing(const struct cuda_own_call *c, const struct fs_lib_call *call,
                                  enum own_kind kind, struct fourier_args *a, CUfunction *f) {
  enum fs_dtype dt = call->out.dtype;
  struct fs_str text = {0};
  *a = fourier_args(call);
  put_fourier_defines(a, "a.n", false, &text);
  enum fs_status status = get_with(c, kind, dt, FS_F32, dt, text.data, f);
  fs_str_free(&text);
  return status;
}

enum fs_status fs_cuda_own_fourier_pack(const struct cuda_own_call *c,
                                        const struct fs_lib_call *call, void *packed) {
  CUfunction f;
  struct fourier_args a;
  enum fs_status status = get_packing(c, call, OWN_FOURIER_PACK, &a, &f);
  if (status != FS_OK || c->dry) return status;
  const void *re = call->a.ptr, *im = call->has_b ? call->b.ptr : NULL;
  void *args[] = {&re, &im, &packed, &a};
  return start(c, f, a.count * a.n, args);
}

enum fs_status fs_cuda_own_fourier_unpack(const struct cuda_own_call *c,
                                          const struct fs_lib_call *call, void *packed) {
  CUfunction f;
  struct fourier_args a;
  enum fs_status status = get_packing(c, call, OWN_FOURIER_UNPACK, &a, &f);
  if (status != FS_OK || c->dry) return status;
  const void *to = call->out.ptr;
  void *args[] = {&packed, &to, &a};
  return start(c, f, a.count * a.n, args);
}
