/* test_tensor.c - tensor handles: copies of any strided box against a plain
 * loop, reference counts, out of memory, numbers of 16 bits (all of them).
 * Prints "N passed, N failed". */
#include <math.h>
#include <stdio.h>

#include "core/run/tensor.h"
#include "tests/unit/check.h"

static uint64_t state = 42;
static int upto(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

/* -- a target that only has memory, counts calls and bytes, and can fail ---- */

static int live, calls, fail_allocs, trims;
static int64_t bytes_moved;

static enum fs_status mem_alloc(struct fs_target *t, size_t bytes, void **out) {
  (void)t;
  if (fail_allocs > 0) return fail_allocs--, FS_ERR_ENV;
  live++;
  *out = fs_malloc(bytes);
  return FS_OK;
}
static void mem_free(struct fs_target *t, void *ptr, size_t bytes) {
  (void)t, (void)bytes;
  live--;
  free(ptr);
}
static void mem_trim(struct fs_target *t) { (void)t, trims++; }
static void mem_memory(struct fs_target *t, int64_t *used, int64_t *cached,
                       int64_t *available) {
  (void)t;
  *used = *cached = 0;
  *available = 1 << 20;
}
static enum fs_status mem_copy(struct fs_target *t, void *dst, int64_t dst_pitch,
                               const void *src, int64_t src_pitch,
                               int64_t width, int64_t rows,
                               struct fs_diags *d) {
  (void)t, (void)d;
  calls++;
  bytes_moved += width * rows;
  CHECK(rows == 1 || (dst_pitch >= width && src_pitch >= width), "a bad pitch");
  for (int64_t r = 0; r < rows; r++)
    memcpy((char *)dst + r * dst_pitch, (const char *)src + r * src_pitch,
           (size_t)width);
  return FS_OK;
}

static const struct fs_target_ops mem_ops = {
    .name = "mem", .alloc = mem_alloc, .free = mem_free, .trim = mem_trim,
    .memory = mem_memory, .upload = mem_copy, .download = mem_copy,
    .copy = mem_copy};
static struct fs_target mem = {.ops = &mem_ops, .device = {.name = "mem"}};
static struct fs_diags diags;

/* -- boxes ----------------------------------------------------------------- */

static bool next_index(int rank, const int64_t *count, int64_t *index) {
  for (int k = rank - 1; k >= 0; k--) {
    if (++index[k] < count[k]) return true;
    index[k] = 0;
  }
  return false;
}

/* Downloads a box and compares it with a plain loop over the storage. */
static bool box_is_right(const struct fs_tensor *t, const int64_t *first,
                         const int64_t *count) {
  int64_t n = 1, index[FS_MAX_RANK] = {0}, at = 0;
  size_t size = fs_dtype_size(t->dtype);
  for (int k = 0; k < t->shape.rank; k++) n *= count[k];
  char *got = fs_malloc((size_t)n * size + 1);
  bool ok = fs_tensor_download(t, first, count, got, &diags) == FS_OK;
  if (n > 0) do {
      int64_t e = t->layout.offset;
      for (int k = 0; k < t->shape.rank; k++)
        e += (first[k] + index[k]) * t->layout.stride[k];
      ok &= !memcmp(got + (size_t)at++ * size,
                    (char *)t->storage->ptr + e * (int64_t)size, size);
    } while (next_index(t->shape.rank, count, index));
  free(got);
  return ok;
}

static struct fs_storage *filled(size_t bytes) {
  struct fs_storage *s;
  if (fs_storage_new(&mem, bytes, &s, &diags)) return NULL;
  for (size_t k = 0; k < bytes; k++) ((unsigned char *)s->ptr)[k] = (unsigned char)upto(256);
  return s;
}

/* Random layouts with zero and negative strides, padding, permuted axes and
 * axes that overlap, kept inside the storage. */
static void test_random_boxes(void) {
  static const enum fs_dtype types[] = {FS_BOOL, FS_F16, FS_F32, FS_F64};
  for (int round = 0; round < 20000; round++) {
    struct fs_shape s = {upto(5), {0}};
    struct fs_layout l = {0};
    int64_t first[FS_MAX_RANK], count[FS_MAX_RANK], low = 0, high = 0, at = 1;
    int order[FS_MAX_RANK] = {0, 1, 2, 3, 4, 5};
    for (int k = s.rank - 1; k > 0; k--) {
      int j = upto(k + 1), t = order[k];
      order[k] = order[j];
      order[j] = t;
    }
    for (int k = 0; k < s.rank; k++) {
      int a = order[k];
      s.dim[a] = 1 + upto(6);
      int64_t stride = at * (1 + (upto(3) == 0) * upto(12)) + upto(2) * upto(4);
      if (upto(8) == 0) stride = 0;
      if (upto(12) == 0) stride = 1 + upto(3);
      if (upto(4) == 0) stride = -stride;
      l.stride[a] = stride;
      at = FS_MAX(at, (stride < 0 ? -stride : stride) * s.dim[a]);
      *(stride < 0 ? &low : &high) += (s.dim[a] - 1) * stride;
      first[a] = upto((int)s.dim[a]);
      count[a] = upto(30) ? 1 + upto((int)(s.dim[a] - first[a])) : 0;
    }
    l.offset = -low + upto(3);
    enum fs_dtype dt = types[upto(4)];
    struct fs_storage *st = filled((size_t)(l.offset + high + 1) * fs_dtype_size(dt));
    struct fs_tensor *t = fs_tensor_stored(st, dt, &s, &l);
    CHECK(box_is_right(t, first, count), "box, round %d", round);
    fs_tensor_unref(t);
  }
}

static struct fs_tensor *matrix(int64_t m, int64_t n) {
  struct fs_shape s = {2, {m, n}};
  struct fs_tensor *t;
  size_t count = (size_t)(m * n);
  float *data = fs_malloc(count * sizeof *data);
  for (size_t k = 0; k < count; k++) data[k] = (float)k;
  CHECK(fs_tensor_upload(&mem, FS_F32, &s, data, &t, &diags) == FS_OK, "upload");
  free(data);
  return t;
}

/* Nothing much larger than the box is copied, in few calls. */
static void test_cost(void) {
  struct fs_tensor *t = matrix(2000, 1500);
  int64_t stride = t->layout.stride[0];
  CHECK(stride == 1504, "pitch %lld", (long long)stride);
  static const struct {
    int64_t first[2], count[2];
    bool transposed;
    int calls;
    int64_t bytes;
  } rows[] = {
      {{0, 0}, {2000, 1500}, false, 1, 12000000},
      {{5, 7}, {10, 20}, false, 1, 800},
      {{5, 7}, {1, 1}, false, 1, 4},
      {{0, 3}, {2000, 1}, false, 1, 8000},
      {{0, 0}, {1500, 2000}, true, 3, 12000000},
      {{3, 0}, {1, 2000}, true, 1, 8000},
      {{3, 4}, {10, 10}, true, 1, 400},
  };
  for (size_t k = 0; k < FS_LEN(rows); k++) {
    struct fs_tensor view = *t;
    if (rows[k].transposed) {
      view.shape = (struct fs_shape){2, {1500, 2000}};
      view.layout.stride[0] = 1;
      view.layout.stride[1] = stride;
    }
    calls = 0;
    bytes_moved = 0;
    CHECK(box_is_right(&view, rows[k].first, rows[k].count), "box %zu", k);
    CHECK(calls == rows[k].calls, "box %zu: %d calls", k, calls);
    CHECK(bytes_moved == rows[k].bytes, "box %zu: %lld bytes", k, (long long)bytes_moved);
  }
  fs_tensor_unref(t);
  struct fs_shape s = {2, {3000000, 2}}; /* runs longer than a piece */
  struct fs_layout l = {0, {2, 0}};
  struct fs_tensor *strided = fs_tensor_stored(filled(24000000), FS_F32, &s, &l);
  CHECK(box_is_right(strided, (int64_t[]){1, 0}, (int64_t[]){2999999, 2}), "long runs");
  fs_tensor_unref(strided);
}

static void test_upload(void) {
  for (int rank = 0; rank <= 4; rank++) {
    struct fs_shape s = {rank, {3, 2, 5, 300}};
    struct fs_tensor *t;
    int64_t first[FS_MAX_RANK] = {0}, n = fs_shape_count(&s);
    float *data = fs_malloc((size_t)n * 4), *back = fs_malloc((size_t)n * 4);
    for (int64_t k = 0; k < n; k++) data[k] = (float)k;
    CHECK(fs_tensor_upload(&mem, FS_F32, &s, data, &t, &diags) == FS_OK, "upload");
    CHECK(fs_tensor_download(t, first, s.dim, back, &diags) == FS_OK, "download");
    CHECK(!memcmp(data, back, (size_t)n * 4), "there and back, rank %d", rank);
    fs_tensor_unref(t);
    free(data);
    free(back);
  }
  struct fs_shape none = {2, {0, 5}};
  struct fs_tensor *t;
  CHECK(fs_tensor_upload(&mem, FS_F32, &none, NULL, &t, &diags) == FS_OK, "empty");
  fs_tensor_unref(t);
}

static void test_memory(void) {
  struct fs_storage *s;
  fail_allocs = 1;
  trims = 0;
  CHECK(fs_storage_new(&mem, 100, &s, &diags) == FS_OK && trims == 1, "retry");
  fs_storage_unref(s);
  fail_allocs = 2;
  fs_diags_clear(&diags);
  CHECK(fs_storage_new(&mem, 3 << 20, &s, &diags) == FS_ERR_ENV && !s, "fails");
  CHECK(diags.list.len == 1, "one diagnostic");
  CHECK(diags.list.len && strstr(diags.list.data[0].message, "3.00 MiB") &&
            strstr(diags.list.data[0].message, "1.00 MiB"),
        "it names both sizes");
  fail_allocs = 0;
  struct fs_shape huge = {2, {INT64_MAX / 2, 7}};
  struct fs_tensor *t;
  CHECK(fs_tensor_upload(&mem, FS_F32, &huge, NULL, &t, &diags) == FS_ERR_ENV && !t, "huge");
  fs_diags_clear(&diags);
}

static void test_references(void) {
  int before = live;
  struct fs_tensor *t = matrix(3, 4);
  struct fs_tensor *row = fs_tensor_stored(
      fs_storage_ref(t->storage), FS_F32, &(struct fs_shape){1, {4}},
      &(struct fs_layout){4, {1}});
  CHECK(fs_tensor_source(t).storage == fs_tensor_source(row).storage, "one storage");
  fs_tensor_unref(fs_tensor_ref(t));
  fs_tensor_unref(t);
  CHECK(live == before + 1, "a view keeps the storage");
  CHECK(box_is_right(row, (int64_t[]){0}, (int64_t[]){4}), "row");
  /* a chain of virtual tensors: each recipe owns its inputs */
  struct fs_tensor *last = row;
  for (int k = 0; k < 100000; k++) {
    struct fs_graph *g = fs_graph_new();
    struct fs_shape s = {1, {4}};
    struct fs_graph_source from = fs_tensor_source(last);
    fs_id id = fs_graph_input(g, &from, FS_F32, &s, &(struct fs_layout){0, {1}}, "x");
    struct fs_tensor *lazy = fs_tensor_lazy(g, id, &s);
    lazy->state = FS_TS_VIRTUAL;
    last = lazy;
  }
  fs_tensor_unref(last);
  CHECK(live == before, "all storage is given back");
  fs_tensor_unref(NULL);
  int axis[4];
  struct fs_shape sq = fs_squeeze(&(struct fs_shape){4, {1, 5, 1, 3}}, axis);
  CHECK(sq.rank == 2 && sq.dim[0] == 5 && sq.dim[1] == 3 && axis[0] == -1 &&
            axis[1] == 0 && axis[2] == -1 && axis[3] == 1, "squeeze");
}

/* -- numbers --------------------------------------------------------------- */

static uint32_t bits_of(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

/* By the definition of the format. */
static double half_value(unsigned h) {
  int e = (int)(h >> 10 & 31), f = (int)(h & 1023);
  double v = e == 0 ? ldexp(f, -24) : ldexp(1024 + f, e - 25);
  if (e == 31) v = f ? NAN : INFINITY;
  return h & 0x8000 ? -v : v;
}

static double bf16_value(unsigned h) {
  int e = (int)(h >> 7 & 255), f = (int)(h & 127);
  double v = e == 0 ? ldexp(f, -133) : ldexp(128 + f, e - 134);
  if (e == 255) v = f ? NAN : INFINITY;
  return h & 0x8000 ? -v : v;
}

static void test_all_values(void) {
  int bad = 0;
  for (unsigned h = 0; h < 65536; h++) {
    double x = half_value(h), y = bf16_value(h);
    float fx = fs_half_to_float((uint16_t)h), fy = fs_bf16_to_float((uint16_t)h);
    if (isnan(x)) bad += !isnan(fx) || !isnan(fs_half_to_float(fs_float_to_half(fx)));
    else bad += (double)fx != x || !signbit(fx) != !signbit(x) || fs_float_to_half(fx) != h;
    if (isnan(y)) bad += !isnan(fy) || !isnan(fs_bf16_to_float(fs_float_to_bf16(fy)));
    else bad += (double)fy != y || !signbit(fy) != !signbit(y) || fs_float_to_bf16(fy) != h;
  }
  CHECK(!bad, "%d of 65536 values of f16 and bf16 are wrong", bad);
}

/* Between neighbours: just below, at, and just above the middle, as float and
 * (for fs_element_put) as double, where two roundings would go wrong. */
static void test_rounding(void) {
  int bad = 0;
  for (unsigned h = 0; h < 0x7c00; h++) {
    double lo = half_value(h), hi = h == 0x7bff ? 65536 : half_value(h + 1);
    float mid = (float)((lo + hi) / 2);
    uint16_t even = (uint16_t)(h & 1 ? h + 1 : h), got;
    bad += fs_float_to_half(mid) != even;
    bad += fs_float_to_half(-mid) != (even | 0x8000);
    bad += fs_float_to_half(nextafterf(mid, 0)) != h;
    bad += fs_float_to_half(nextafterf(mid, INFINITY)) != h + 1;
    fs_element_put(FS_F16, &got, (struct fs_number){nextafter((double)mid, 0), 0});
    bad += got != h;
    fs_element_put(FS_F16, &got, (struct fs_number){nextafter((double)mid, INFINITY), 0});
    bad += got != h + 1;
  }
  CHECK(!bad, "%d roundings to f16 are wrong", bad);
  bad = 0;
  for (unsigned h = 0; h < 0x7f7f; h++) {
    float lo = fs_bf16_to_float((uint16_t)h), mid;
    uint32_t b = bits_of(lo) + 0x8000;
    uint16_t even = (uint16_t)(h & 1 ? h + 1 : h), got;
    memcpy(&mid, &b, sizeof mid);
    bad += fs_float_to_bf16(mid) != even;
    bad += fs_float_to_bf16(nextafterf(mid, 0)) != h;
    bad += fs_float_to_bf16(nextafterf(mid, INFINITY)) != h + 1;
    fs_element_put(FS_BF16, &got, (struct fs_number){nextafter((double)mid, INFINITY), 0});
    bad += got != h + 1;
  }
  CHECK(!bad, "%d roundings to bf16 are wrong", bad);
  CHECK(fs_float_to_half(1e30f) == 0x7c00, "overflow");
  CHECK(fs_float_to_half(1e-30f) == 0 && fs_float_to_half(-1e-30f) == 0x8000, "underflow");
  CHECK(fs_float_to_bf16(3.4e38f) == 0x7f80, "bf16 overflow");
  uint16_t h;
  fs_element_put(FS_F16, &h, (struct fs_number){1e300, 0});
  CHECK(h == 0x7c00, "from a large double");
  fs_element_put(FS_F16, &h, (struct fs_number){-1e-300, 0});
  CHECK(h == 0x8000, "from a small double");
  fs_element_put(FS_F16, &h, (struct fs_number){NAN, 0});
  CHECK(isnan(fs_half_to_float(h)), "from NaN");
}

static void test_elements(void) {
  char mem8[8];
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++) {
    fs_element_put((enum fs_dtype)dt, mem8, (struct fs_number){1, 1});
    struct fs_number v = fs_element_get((enum fs_dtype)dt, mem8);
    CHECK(v.f == 1 && v.i == 1, "one as %s", fs_dtype_name((enum fs_dtype)dt));
  }
  fs_element_put(FS_I64, mem8, (struct fs_number){0, INT64_MIN});
  CHECK(fs_element_get(FS_I64, mem8).i == INT64_MIN, "i64");
  fs_element_put(FS_F64, mem8, (struct fs_number){INFINITY, 0});
  CHECK(isinf(fs_element_get(FS_F64, mem8).f), "inf");
  enum fs_dtype dt;
  CHECK(fs_dtype_from_name("bf16", &dt) && dt == FS_BF16, "names");
  CHECK(!fs_dtype_from_name("f8", &dt), "names");
}

int main(void) {
  fs_diags_init(&diags);
  test_all_values();
  test_rounding();
  test_elements();
  test_upload();
  test_cost();
  test_random_boxes();
  test_memory();
  test_references();
  CHECK(live == 0, "%d storages leaked", live);
  fs_diags_free(&diags);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
