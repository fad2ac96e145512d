/* files_sparse.c - sparse matrices as SciPy's save_npz() keeps them: members `format`,
 * `shape`, `data` and, by format, `indices` and `indptr` (csr, csc, bsr), `row` and
 * `col` (coo) or `offsets` (dia). They become dense; a place that is given twice
 * holds the sum. Their numbers count from 0 and are held against the shape. */
#include "core/eval/files.h"

struct sparse {
  const struct fs_file_ctx *ctx;
  const struct fs_arrays *members;
  const char *format;
  int64_t m, n;
  const struct fs_array *data;
  struct fs_array *out;
};

static enum fs_status damaged(const struct sparse *s, const char *what) {
  return fs_file_error(s->ctx, "load(file, name) takes single members",
                       "as a sparse matrix (%s) it is damaged: %s", s->format, what);
}

static const struct fs_array *member(const struct sparse *s, const char *name) {
  for (int k = 0; k < s->members->list.len; k++)
    if (!strcmp(s->members->list.data[k].name, name)) return &s->members->list.data[k];
  return NULL;
}

/* A vector of whole numbers. */
static const struct fs_array *index_member(const struct sparse *s, const char *name) {
  const struct fs_array *a = member(s, name);
  bool whole = a && fs_dtype_is_integer(a->dtype) && a->shape.rank == 1;
  return whole ? a : NULL;
}

static int64_t at(const struct fs_array *a, int64_t k) {
  return fs_element_get(a->dtype, (char *)a->data + (size_t)k * fs_dtype_size(a->dtype)).i;
}

/* False: the sum is beyond the type. */
static bool add_integer(const struct sparse *s, int64_t to, int64_t k) {
  enum fs_dtype dt = s->data->dtype;
  char *element = (char *)s->out->data + (size_t)to * fs_dtype_size(dt);
  int64_t sum, x = fs_element_get(dt, element).i;
  if (!fs_dtype_is_integer(dt)) return false;
  bool beyond = dt == FS_U64
                    ? __builtin_add_overflow((uint64_t)x, (uint64_t)at(s->data, k), (uint64_t *)&sum)
                    : __builtin_add_overflow(x, at(s->data, k), &sum) ||
                          sum < fs_dtype_least(dt) || sum > fs_dtype_most(dt);
  if (beyond) return false;
  fs_element_put(dt, element, (struct fs_number){.i = sum});
  return true;
}

/* Adds number k of the data to one of the result. */
static bool add_number(const struct sparse *s, int64_t to, int64_t k) {
  void *dense = s->out->data;
  const void *data = s->data->data;
  switch (s->data->dtype) {
    case FS_F64: ((double *)dense)[to] += ((const double *)data)[k]; return true;
    case FS_F32: ((float *)dense)[to] += ((const float *)data)[k]; return true;
    case FS_BOOL:
      ((unsigned char *)dense)[to] |= ((const unsigned char *)data)[k];
      return true;
    default: return add_integer(s, to, k);
  }
}

/* Adds element k of the data at row i, column j. */
static bool add(const struct sparse *s, int64_t i, int64_t j, int64_t k) {
  int64_t to = i * s->n + j;
  if (!s->data->complex) return add_number(s, to, k);
  return add_number(s, 2 * to, 2 * k) && add_number(s, 2 * to + 1, 2 * k + 1);
}

static enum fs_status put(const struct sparse *s, int64_t i, int64_t j, int64_t k) {
  if (i < 0 || i >= s->m || j < 0 || j >= s->n)
    return damaged(s, "an index is outside of its shape");
  return add(s, i, j, k) ? FS_OK : damaged(s, "an integer becomes too large");
}

/* Rows, columns (csc) or rows of blocks (bsr), one after the other. */
static enum fs_status put_compressed(const struct sparse *s) {
  const struct fs_array *indptr = index_member(s, "indptr");
  const struct fs_array *indices = index_member(s, "indices");
  bool columns = !strcmp(s->format, "csc"), blocks = !strcmp(s->format, "bsr");
  int64_t bm = blocks && s->data->shape.rank == 3 ? s->data->shape.dim[1] : 1;
  int64_t bn = blocks && s->data->shape.rank == 3 ? s->data->shape.dim[2] : 1;
  if (!indptr || !indices || s->data->shape.rank != (blocks ? 3 : 1) || bm < 1 || bn < 1)
    return damaged(s, "`indptr`, `indices` and `data` do not fit");
  int64_t major = columns ? s->n : s->m / bm, count = indices->shape.dim[0];
  if (s->m % bm || s->n % bn || indptr->shape.dim[0] != major + 1 ||
      s->data->shape.dim[0] < count)
    return damaged(s, "`indptr`, `indices` and `data` do not fit");
  int64_t k = at(indptr, 0);
  if (k != 0) return damaged(s, "`indptr` does not begin with 0");
  for (int64_t i = 0; i < major; i++) {
    int64_t end = at(indptr, i + 1);
    if (fs_interrupted()) return FS_INTERRUPTED;
    if (end < k || end > count) return damaged(s, "`indptr` does not ascend");
    for (; k < end; k++) {
      int64_t j = at(indices, k);
      if (j < 0 || j > FS_MAX(s->m, s->n))
        return damaged(s, "an index is outside of its shape");
      for (int64_t b = 0; b < bm * bn; b++) {
        enum fs_status st = columns
                                ? put(s, j, i, k)
                                : put(s, i * bm + b / bn, j * bn + b % bn, k * bm * bn + b);
        if (st) return st;
      }
    }
  }
  return FS_OK;
}

static enum fs_status put_coordinates(const struct sparse *s) {
  const struct fs_array *row = index_member(s, "row"), *col = index_member(s, "col");
  int64_t n = s->data->shape.dim[0];
  if (!row || !col || s->data->shape.rank != 1 || row->shape.dim[0] != n ||
      col->shape.dim[0] != n)
    return damaged(s, "`row`, `col` and `data` do not fit");
  enum fs_status st = FS_OK;
  for (int64_t k = 0; k < n && !st; k++) st = put(s, at(row, k), at(col, k), k);
  return st;
}

/* Row d of the data is a diagonal; its element j stands in column j. */
static enum fs_status put_diagonals(const struct sparse *s) {
  const struct fs_array *offsets = index_member(s, "offsets");
  if (!offsets || s->data->shape.rank != 2 ||
      offsets->shape.dim[0] != s->data->shape.dim[0])
    return damaged(s, "`offsets` and `data` do not fit");
  int64_t width = s->data->shape.dim[1];
  for (int64_t d = 0; d < s->data->shape.dim[0]; d++) {
    int64_t offset = at(offsets, d);
    if (offset < -s->m || offset > s->n) continue;
    for (int64_t j = 0; j < FS_MIN(width, s->n); j++) {
      if (j - offset < 0 || j - offset >= s->m) continue;
      enum fs_status st = put(s, j - offset, j, d * width + j);
      if (st) return st;
    }
  }
  return FS_OK;
}

enum fs_status fs_sparse_dense(struct fs_reader *r, const struct fs_load_how *how,
                               const struct fs_arrays *members, const char *format,
                               struct fs_array *out) {
  static const struct {
    const char *name;
    enum fs_status (*put)(const struct sparse *s);
  } formats[] = {{"csr", put_compressed}, {"csc", put_compressed},
                 {"bsr", put_compressed}, {"coo", put_coordinates},
                 {"dia", put_diagonals}};
  struct sparse s = {.ctx = r->ctx, .members = members, .format = format, .out = out};
  const struct fs_array *shape = index_member(&s, "shape");
  s.data = member(&s, "data");
  if (!shape || !s.data || shape->shape.dim[0] != 2)
    return damaged(&s, "its `shape` is not that of a matrix");
  s.m = at(shape, 0);
  s.n = at(shape, 1);
  if (s.data->dtype == FS_F16)
    return damaged(&s, "its elements are f16, which SciPy does not sum either");
  size_t size = fs_element_bytes(s.data->dtype, s.data->complex);
  enum fs_status st = fs_file_check_dense(r, how, s.m, s.n, size);
  if (st) return st;
  out->dtype = s.data->dtype;
  out->complex = s.data->complex;
  out->shape = (struct fs_shape){2, {s.m, s.n}};
  st = fs_file_zeros(r->ctx, s.m * s.n * (int64_t)size, &out->data);
  if (st) return st;
  for (size_t k = 0; k < FS_LEN(formats); k++)
    if (!strcmp(format, formats[k].name)) return formats[k].put(&s);
  return fs_file_error(r->ctx, "in SciPy, A.tocsr() is one that can",
                       "a sparse matrix of the format '%s' cannot be loaded", format);
}
