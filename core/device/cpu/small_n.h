/* The routines of small.c for matrices of FS_N x FS_N, of one type. */
#define FS_FAIL(k) fail(f, s, i, (k))
#define FS_A(y, x) a_in[(y) * FS_N + (x)]

static void FS_OF(solve)(const struct fs_small *s, FS_TYPE *out, const FS_TYPE *a_in,
                         const FS_TYPE *b_in, int64_t i, struct fs_small_fault *f) {
#define FS_ROOM FS_SMALL_MOST
#define FS_K s->columns
#define FS_B(y, x) (b_in ? b_in[(y) * FS_K + (x)] : (FS_TYPE)((y) == (x)))
#define FS_X(y, x, value) out[(y) * FS_K + (x)] = (value)
#include "elemlib/native/lu.h"
#undef FS_ROOM
#undef FS_K
#undef FS_B
#undef FS_X
}

static void FS_OF(det)(const struct fs_small *s, FS_TYPE *out, const FS_TYPE *a_in,
                       const FS_TYPE *b_in, int64_t i, struct fs_small_fault *f) {
  (void)s, (void)b_in, (void)i, (void)f;
#define FS_ROOM 1
#define FS_K 0
#define FS_B(y, x) 0
#define FS_X(y, x, value) *out = (value)
#include "elemlib/native/lu.h"
#undef FS_ROOM
#undef FS_K
#undef FS_B
#undef FS_X
}

static void FS_OF(chol)(const struct fs_small *s, FS_TYPE *out, const FS_TYPE *a_in,
                        const FS_TYPE *b_in, int64_t i, struct fs_small_fault *f) {
  (void)b_in;
#define FS_NEAR ((FS_TYPE)s->near)
#define FS_X(y, x, value) out[(y) * FS_N + (x)] = (value)
#include "elemlib/native/chol.h"
#undef FS_NEAR
#undef FS_X
}

#undef FS_FAIL
#undef FS_A
