/* apart.c - whether what is read of an array and the part that is replaced share elements.
 *
 *     A[:, 9] = A[:, 1]*A[1, 9]         columns 9 and 1 share none, though the one lies
 *                                       among the other; A[1, 9] is in column 9
 *     x[1:2:end] = x[2:2:end]           nor do these
 *
 * Both are seen as boxes of the array's axes, with steps. A walk along memory over several
 * axes at once, as kernels make one of them, is several again. */
#include "core/graph/internal.h"

/* Along one axis of the array: first, first + step ... last; perhaps not all of them. */
struct line {
  int64_t first, last, step; /* step 0: one */
};

struct box {
  struct line axis[FS_MAX_RANK];
};

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Another `n` places along an axis, `step` apart; false if it ends before. */
static bool extend(struct line *l, int64_t n, int64_t step, int64_t dim) {
  l->last += (n - 1) * step;
  l->step = gcd(step, l->step);
  return l->last < dim;
}

/* A walk of n elements, `stride` apart, that go on along the axis before where one ends. */
static bool walk(struct box *b, int64_t n, int64_t stride, const struct fs_layout *whole,
                 const struct fs_shape *shape) {
  int x = 0;
  while (x < shape->rank && (stride < whole->stride[x] || stride % whole->stride[x])) x++;
  if (x == shape->rank) return false;
  struct line *l = &b->axis[x];
  int64_t step = stride / whole->stride[x];
  if (x == 0 || l->last + (n - 1) * step < shape->dim[x])
    return extend(l, n, step, shape->dim[x]);
  int64_t lines = whole->stride[x - 1];
  if (lines % stride) return false;
  int64_t each = lines / stride;
  return extend(l, each, step, shape->dim[x]) &&
         walk(b, (n + each - 1) / each, lines, whole, shape);
}

/* The box of an array stored whole that elements lie in; false if there is none but all. */
static bool box_of(const struct fs_elements *e, const struct fs_layout *whole,
                   const struct fs_shape *shape, struct box *b) {
  int64_t rest = e->begin - whole->offset;
  for (int k = 0; k < e->rank; k++)
    if (e->stride[k] < 0) rest += (e->dim[k] - 1) * e->stride[k];
  if (rest < 0) return false;
  for (int x = 0; x < shape->rank; x++) { /* strides descend in what is stored whole */
    if (whole->stride[x] <= 0) return false;
    b->axis[x] = (struct line){rest / whole->stride[x], rest / whole->stride[x], 0};
    rest %= whole->stride[x];
    if (b->axis[x].first >= shape->dim[x]) return false;
  }
  for (int k = 0; k < e->rank; k++)
    if (e->dim[k] > 1 && e->stride[k] &&
        !walk(b, e->dim[k], llabs(e->stride[k]), whole, shape))
      return false;
  return rest == 0;
}

struct fs_range fs_elements_range(const struct fs_elements *e) {
  struct fs_range r = {e->begin, e->begin};
  for (int k = 0; k < e->rank; k++)
    *(e->stride[k] < 0 ? &r.first : &r.last) += (e->dim[k] - 1) * e->stride[k];
  return r;
}

bool fs_elements_apart(const struct fs_elements *a, const struct fs_elements *b,
                       const struct fs_layout *whole, const struct fs_shape *shape) {
  struct fs_range x = fs_elements_range(a), y = fs_elements_range(b);
  if (x.last < y.first || y.last < x.first) return true;
  struct box p, q;
  if (!box_of(a, whole, shape, &p) || !box_of(b, whole, shape, &q)) return false;
  for (int k = 0; k < shape->rank; k++) {
    struct line s = p.axis[k], t = q.axis[k];
    int64_t step = gcd(s.step, t.step);
    if (s.last < t.first || t.last < s.first) return true;
    if (step ? (s.first - t.first) % step : s.first != t.first) return true;
  }
  return false;
}
