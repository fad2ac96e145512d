/* dtype.c - the tables of element types; promotion; shapes and new layouts. */
#include "core/graph/dtype.h"

#include <math.h>

const struct fs_dtype_info fs_dtypes[FS_DTYPE_COUNT] = {
#define FS_DTYPE(id, name_, class_, bytes_, components, compute_, sum_, real_, digits_, power_, \
                 below, npy_, arith, code_, doc_)                                               \
  [FS_##id].name = name_, [FS_##id].class = FS_DC_##class_,                                     \
  [FS_##id].bytes = (bytes_) * (components), [FS_##id].compute = FS_##compute_,                 \
  [FS_##id].sum = FS_##sum_, [FS_##id].real = FS_##real_, [FS_##id].digits = digits_,           \
  [FS_##id].power = power_, [FS_##id].npy = npy_, [FS_##id].code = code_,                  \
  [FS_##id].doc = doc_,
#define FS_DTYPE_CUDA(id, stored, value, lowest, highest, map, blas)                            \
  [FS_##id].cuda_stored = stored, [FS_##id].cuda_value = value,                                 \
  [FS_##id].cuda_lowest = lowest, [FS_##id].cuda_highest = highest,
#include "core/graph/dtypes.def"
};

bool fs_dtype_from_name(const char *name, enum fs_dtype *dt) {
  for (int k = 0; k < FS_DTYPE_COUNT; k++)
    if (!strcmp(fs_dtypes[k].name, name)) {
      *dt = (enum fs_dtype)k;
      return true;
    }
  return false;
}

/* -- promotion --------------------------------------------------------------------- */

/* Sets of types: a type and all below it. */
enum {
#define FS_DTYPE(id, name, class, bytes, components, compute, sum, real, digits, power, below, ...) \
  FS_BELOW_##id = 1 << FS_##id | (below),
#include "core/graph/dtypes.def"
};
static const uint32_t from_below[FS_DTYPE_COUNT] = {
#define FS_DTYPE(id, ...) [FS_##id] = FS_BELOW_##id,
#include "core/graph/dtypes.def"
};

enum fs_dtype fs_dtype_promote(enum fs_dtype a, enum fs_dtype b) {
  uint32_t both = 1u << a | 1u << b;
  int up = 0; /* a row stands behind those below it: the first that is above both */
  while (up < FS_DTYPE_COUNT - 1 && (from_below[up] & both) != both) up++;
  return (enum fs_dtype)up;
}

bool fs_dtype_are_apart(enum fs_dtype a, enum fs_dtype b) {
  return (a == FS_U64 && fs_dtype_is_integer(b) && fs_dtype_is_signed(b)) ||
         (b == FS_U64 && fs_dtype_is_integer(a) && fs_dtype_is_signed(a));
}

bool fs_dtype_holds(enum fs_dtype to, enum fs_dtype from) {
  const struct fs_dtype_info *a = &fs_dtypes[from], *b = &fs_dtypes[to];
  return a->class <= b->class && a->digits <= b->digits && a->power <= b->power &&
         (fs_dtype_is_signed(to) || !fs_dtype_is_signed(from));
}

/* -- integers ---------------------------------------------------------------------- */

int64_t fs_dtype_most(enum fs_dtype dt) {
  if (!fs_dtype_is_integer(dt)) return INT64_MAX;
  return (int64_t)(UINT64_MAX >> (64 - fs_dtypes[dt].digits));
}

int64_t fs_dtype_least(enum fs_dtype dt) {
  return fs_dtype_is_integer(dt) && !fs_dtype_is_signed(dt) ? 0 : -fs_dtype_most(dt) - 1;
}

int64_t fs_dtype_integer(enum fs_dtype dt, double x) {
  int64_t low = fs_dtype_least(dt), high = fs_dtype_most(dt);
  if (isnan(x)) return 0;
  if (x < (double)low) return low;
  if (x >= fs_dtype_real_of(dt, high) + 1) return high; /* the double above the type */
  return low ? (int64_t)x : (int64_t)(uint64_t)x;
}

double fs_dtype_real_of(enum fs_dtype dt, int64_t i) {
  return dt == FS_U64 ? (double)(uint64_t)i : (double)i;
}

enum fs_dtype fs_dtype_unsigned(enum fs_dtype dt) {
  if (!fs_dtype_is_integer(dt) || !fs_dtype_converts(dt) || !fs_dtype_is_signed(dt)) return dt;
  for (enum fs_dtype u = 0; u < FS_DTYPE_COUNT; u++)
    if (fs_dtype_is_integer(u) && !fs_dtype_is_signed(u) && fs_dtypes[u].bytes == fs_dtypes[dt].bytes)
      return u;
  return dt;
}

int64_t fs_dtype_wrap(enum fs_dtype dt, int64_t i) {
  int left = fs_dtype_is_integer(dt) ? 64 - 8 * fs_dtypes[dt].bytes : 0;
  uint64_t bits = (uint64_t)i << left;
  return fs_dtype_is_signed(dt) ? (int64_t)bits >> left : (int64_t)(bits >> left);
}

int64_t fs_shape_count(const struct fs_shape *s) {
  int64_t n = 1;
  bool empty = false;
  for (int k = 0; k < s->rank; k++) {
    if (s->dim[k] < 0) return -1;
    empty |= s->dim[k] == 0;
  }
  if (empty) return 0;
  for (int k = 0; k < s->rank && n >= 0; k++) n = fs_mul_size(n, s->dim[k]);
  return n;
}

bool fs_shape_equal(const struct fs_shape *a, const struct fs_shape *b) {
  if (a->rank != b->rank) return false;
  for (int k = 0; k < a->rank; k++)
    if (a->dim[k] != b->dim[k]) return false;
  return true;
}

void fs_shape_print(const struct fs_shape *s, struct fs_str *out) {
  if (s->rank == 0) fs_str_puts(out, "scalar");
  for (int k = 0; k < s->rank; k++)
    fs_str_printf(out, k ? "x%lld" : "%lld", (long long)s->dim[k]);
}

enum { ROW_MIN_BYTES = 1024, ROW_ALIGN_BYTES = 128 };

struct fs_layout fs_layout_new(enum fs_dtype dt, const struct fs_shape *shape,
                               int64_t *count) {
  struct fs_layout l = {0};
  int64_t size = (int64_t)fs_dtype_size(dt), n = 1;
  bool empty = fs_shape_count(shape) == 0;
  for (int k = shape->rank - 1; k >= 0; k--) {
    int64_t dim = empty ? FS_MIN(shape->dim[k], 1) : shape->dim[k];
    l.stride[k] = n < 0 ? 0 : n;
    if (n >= 0) n = fs_mul_size(n, dim);
    bool row = k == shape->rank - 1 && n >= ROW_MIN_BYTES / size;
    if (!row) continue;
    int64_t unit = ROW_ALIGN_BYTES / size;
    n = n > INT64_MAX - unit ? -1 : (n + unit - 1) / unit * unit;
  }
  if (n >= 0 && fs_mul_size(n, size) < 0) n = -1;
  *count = empty ? 0 : n;
  return l;
}

/* -- half types ---------------------------------------------------------------- */

float fs_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, bits;
  uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
  float f;
  if (exponent == 0) { /* zero or subnormal: fraction * 2^-24 is exact */
    f = (float)fraction * 0x1p-24f;
    return sign ? -f : f;
  }
  bits = exponent == 31 ? 0x7f800000u : (exponent + 112) << 23;
  bits |= sign | fraction << 13;
  memcpy(&f, &bits, sizeof f);
  return f;
}

uint16_t fs_float_to_half(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) /* NaN: kept, quiet */
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  uint32_t shift = 13, value = magnitude - (112u << 23);
  if (magnitude < 113u << 23) { /* subnormal: units of 2^-24 */
    uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return (uint16_t)sign;
    value = (magnitude & 0x7fffff) | 0x800000;
    shift = 126 - exponent;
  }
  uint32_t half = 1u << (shift - 1), rest = value & ((1u << shift) - 1);
  value >>= shift;
  value += rest > half || (rest == half && (value & 1));
  return (uint16_t)(sign | value);
}

float fs_bf16_to_float(uint16_t h) {
  uint32_t bits = (uint32_t)h << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

uint16_t fs_float_to_bf16(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounds so that a second rounding to 16 bits gives what one would: toward zero,
 * with the last bit set if anything was lost (round to odd). */
static float to_odd_float(double x) {
  float f = (float)x;
  uint32_t bits;
  if (!(x == x) || (double)f == x) return f;
  memcpy(&bits, &f, sizeof bits);
  if (fabs((double)f) > fabs(x)) bits--;
  bits |= 1;
  memcpy(&f, &bits, sizeof f);
  return f;
}

uint16_t fs_double_to_half(double x) { return fs_float_to_half(to_odd_float(x)); }
uint16_t fs_double_to_bf16(double x) { return fs_float_to_bf16(to_odd_float(x)); }

double fs_dtype_round(enum fs_dtype dt, double x) {
  switch (dt) {
    case FS_F16: return (double)fs_half_to_float(fs_double_to_half(x));
    case FS_BF16: return (double)fs_bf16_to_float(fs_double_to_bf16(x));
    case FS_F32: return (double)(float)x;
    default: return x;
  }
}

/* -- elements -------------------------------------------------------------------------- */

struct fs_number fs_number_of_real(double x) {
  bool fits = x > -0x1p63 && x < 0x1p63;
  return (struct fs_number){x, fits ? (int64_t)x : 0};
}

struct fs_number fs_element_get(enum fs_dtype dt, const void *element) {
  struct fs_number out = {0};
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, ...)                                   \
  case FS_##id: {                                                                    \
    stored x;                                                                        \
    memcpy(&x, element, sizeof x);                                                   \
    if (fs_dtype_is_float(dt)) return fs_number_of_real((double)(number));              \
    out.i = (int64_t)(number);                                                       \
    break;                                                                           \
  }
#include "core/graph/dtypes.def"
    default: break;
  }
  out.f = fs_dtype_real_of(dt, out.i);
  return out;
}

void fs_element_put(enum fs_dtype dt, void *to, struct fs_number v) {
  double f = v.f;
  int64_t i = v.i;
  switch (dt) {
#define FS_DTYPE_C(id, stored, value, number, element) \
  case FS_##id: {                                      \
    stored x = element;                                \
    memcpy(to, &x, sizeof x);                          \
    return;                                            \
  }
#include "core/graph/dtypes.def"
    default: return;
  }
}
