/* border.c - what stands for places outside of an array: see border.h.
 *
 * A mirror shows each element twice, 3 2 1 | 1 2 3 | 3 2 1: what it has for x is wrapped around
 * 2n, and from there on x or 2n + 1 - x, whichever is less. */
#include "core/eval/border.h"

static int64_t wrapped(int64_t x, int64_t n) {
  int64_t r = (x - 1) % n;
  return (r < 0 ? r + n : r) + 1;
}

int64_t fs_border_place(enum fs_border b, int64_t x, int64_t n) {
  int64_t twice = b == FS_BORDER_MIRROR ? wrapped(x, 2 * n) : 0;
  switch (b) {
    case FS_BORDER_WRAPPED: return wrapped(x, n);
    case FS_BORDER_MIRROR: return FS_MIN(twice, 2 * n + 1 - twice);
    case FS_BORDER_CLAMPED:
    case FS_BORDER_ZEROS: return FS_MIN(FS_MAX(x, 1), n);
    default: return x;
  }
}

static struct fs_tv as_places(struct fs_interp *in, struct fs_tv list) {
  return fs_tv_cast(in, list, fs_dtype_is_float(list.dtype) ? FS_F64 : FS_I64);
}

static struct fs_tv with(struct fs_interp *in, enum fs_map_op op, struct fs_tv a, int64_t x) {
  return fs_tv_map2(in, op, a, fs_tv_number(in, (double)x, a.dtype));
}

static struct fs_tv all_wrapped(struct fs_interp *in, struct fs_tv x, int64_t n) {
  return with(in, FS_OP_ADD, with(in, FS_OP_MOD, with(in, FS_OP_SUB, x, 1), n), 1);
}

struct fs_tv fs_border_places(struct fs_interp *in, enum fs_border b, struct fs_tv list,
                              int64_t n) {
  struct fs_tv x = as_places(in, list);
  if (b == FS_BORDER_WRAPPED) return all_wrapped(in, x, n);
  if (b == FS_BORDER_MIRROR) {
    struct fs_tv once = all_wrapped(in, x, 2 * n);
    struct fs_tv back = fs_tv_map2(in, FS_OP_SUB, fs_tv_number(in, (double)(2 * n + 1), x.dtype),
                                   once);
    x = fs_tv_map2(in, FS_OP_MIN, once, back);
  }
  return with(in, FS_OP_MIN, with(in, FS_OP_MAX, x, 1), n);
}

struct fs_tv fs_border_inside(struct fs_interp *in, struct fs_tv list, int64_t n) {
  struct fs_tv x = as_places(in, list);
  return fs_tv_map2(in, FS_OP_AND, with(in, FS_OP_GE, x, 1), with(in, FS_OP_LE, x, n));
}
