/* small.c - solves and factorisations of batches of small matrices as routines by instance, which
 * fuse with what makes the matrices and with what uses the results.
 *
 * A library takes longer to be called for such a matrix than it computes. The routines are those of
 * elemlib/native, in registers of one thread of a GPU, on the CPU compiled with the program. */
#include <stdio.h>

#include "core/base/embed.h"
#include "core/eval/elem.h"
#include "core/eval/trace.h"

static const char *const names[FS_SMALL_OPS] = {"solve", "inv", "det", "chol", "product"};

/* What the text means by its names, for a GPU. */
static void put_text(const struct fs_small *s, bool column, struct fs_str *out) {
  const char *body = fs_embedded_text(s->op == FS_SMALL_CHOL      ? "elemlib/native/chol.h"
                                      : s->op == FS_SMALL_PRODUCT ? "elemlib/native/product.h"
                                                                  : "elemlib/native/lu.h");
  bool has_b = s->op == FS_SMALL_SOLVE || s->op == FS_SMALL_PRODUCT;
  fs_str_printf(out,
                "#define FS_N %d\n#define FS_INNER %d\n#define FS_K %d\n#define FS_ROOM %d\n"
                "#define FS_NEAR FS_C(%.17g)\n#define FS_UNROLL _Pragma(\"unroll\")\n"
                "#define FS_A(y, x) FS_AT(A, y, x)\n#define FS_B(y, x) %s\n"
                "#define FS_X(y, x, value) %s\n#define FS_FAIL(k) %s\n",
                s->n, s->inner, s->columns, FS_MAX(s->columns, 1), s->near,
                s->op == FS_SMALL_DET   ? "0"
                : !has_b              ? "((y) == (x))"
                : column                ? "FS_AT(B, y)"
                                        : "FS_AT(B, y, x)",
                s->op == FS_SMALL_DET ? "FS_PUT(value)"
                : column              ? "FS_PUT(y, value)"
                                      : "FS_PUT(y, x, value)",
                fs_small_may_fail(s) ? "FS_FAULT(k)" : "((void)(k))");
  if (fs_small_may_fail(s))
    fs_str_printf(out,
                  "#define FS_FAULT(k) atomicMax(&fs_fault, ~(((unsigned long long)blockIdx.x * "
                  "FS_INSTANCES + threadIdx.x) << 16 | %d << 8 | (k)))\n", (int)s->op);
  fs_str_puts(out, body ? body : "#error no text\n");
  static const char *const all[] = {"N", "INNER", "K", "ROOM", "NEAR", "UNROLL", "A", "B", "X",
                                    "FAIL"};
  for (size_t k = 0; k < FS_LEN(all); k++) fs_str_printf(out, "#undef FS_%s\n", all[k]);
  if (fs_small_may_fail(s)) fs_str_puts(out, "#undef FS_FAULT\n");
}

static struct fs_user_element element(const char *name, enum fs_dtype dt, int rank, int rows,
                                      int columns) {
  struct fs_user_element e = {.type = rank ? FS_UT_SMALL : FS_UT_EACH, .name = name, .compute = dt,
                              .rank = rank, .dim = {rows, columns}, .count = 1, .chip_rank = rank};
  for (int k = 0; k < rank; k++) e.count *= (int)e.dim[k], e.chip[k] = e.dim[k];
  if (rank < 2) e.dim[1] = 0;
  if (rank < 1) e.dim[0] = 0;
  e.chip_count = e.count;
  return e;
}

/* The CPU's forms have no vectors, in which maps compute: 20,000 products of 8 x 8 in f32 take two
 * threads of a Xeon 6.4 ms. */
enum { LANES_F32 = 16, LANES_F64 = 8 };

static bool has_language(const struct fs_interp *in, const char *name) {
  return !strcmp(in->target ? in->target->ops->language : "c", name);
}

/* The routine, for as long as the session. */
static const struct fs_user *routine(struct fs_interp *in, const struct fs_small *s,
                                     enum fs_dtype dt, bool column) {
  bool has_b = s->op == FS_SMALL_SOLVE || s->op == FS_SMALL_PRODUCT;
  struct fs_user u = {.name = names[s->op], .by_instance = true, .compute = dt, .threads = 1,
                      .n_args = has_b ? 2 : 1, .impl = 1};
  int n = s->n, m = s->inner, k = s->columns;
  u.arg[0] = element("A", dt, 2, n, m);
  if (has_b) u.arg[1] = element("B", dt, column ? 1 : 2, m, k);
  u.result = s->op == FS_SMALL_DET ? element("", dt, 0, 0, 0)
                                   : element("", dt, column ? 1 : 2, n, k);
  u.flops = s->op == FS_SMALL_CHOL      ? n * n * n / 3.0
            : s->op == FS_SMALL_PRODUCT ? 2.0 * n * m * k
                                        : 2.0 / 3 * n * n * n + 2.0 * n * n * k;
  if (has_language(in, "c")) u.pace = dt == FS_F64 ? LANES_F64 : LANES_F32;
  struct fs_str text = {0};
  put_text(s, column, &text);
  u.cuda = (struct fs_user_text){fs_str_text(&text), "fusible.h", 1};
  u.c = u.cuda;
  u.small = s;
  u.hash = fs_elem_hash(&u);
  const struct fs_user *known = fs_elem_kept(in, &u);
  if (!known) {
    struct fs_small *kept = FS_NEW(in->elem_arena, struct fs_small);
    *kept = *s;
    u.small = kept;
    u.cuda.text = u.c.text = fs_arena_strndup(in->elem_arena, text.data, text.len);
    known = fs_elem_keep(in, u);
  }
  fs_str_free(&text);
  return known;
}

static bool has_routines(const struct fs_interp *in) {
  return has_language(in, "c") || has_language(in, "cuda");
}

static bool is_small(int64_t least, int64_t n) { return n >= least && n <= FS_SMALL_MOST; }

/* An array of one matrix is the same for all of the stack. */
static bool goes_with(const struct fs_shape *batch, const struct fs_shape *stack) {
  return fs_shape_count(batch) == 1 || fs_shape_equal(batch, stack);
}

bool fs_tv_small(struct fs_interp *in, enum fs_small_op op, enum fs_dtype dt, struct fs_tv a,
                 const struct fs_tv *b, struct fs_tv *out) {
  struct fs_shape one = fs_matrix_of(&a.shape), outer = fs_batch_of(&a.shape), x = one, inner = {0};
  if (b) {
    x = fs_matrix_of(&b->shape);
    inner = fs_batch_of(&b->shape);
  }
  struct fs_shape stack = fs_shape_count(&outer) > 1 ? outer : inner;
  bool product = op == FS_SMALL_PRODUCT;
  if (!goes_with(&outer, &stack) || !goes_with(&inner, &stack) || fs_shape_count(&stack) < 2 ||
      !is_small(2, one.dim[0]) || !is_small(2, one.dim[1]) || !is_small(product ? 2 : 1, x.dim[1]) ||
      (!product && (one.dim[0] != one.dim[1] || fs_shape_count(&outer) < 2)) || !has_routines(in))
    return false;
  enum fs_dtype compute = fs_dtype_compute(dt);
  struct fs_small s = {.op = op, .n = (int)one.dim[0], .inner = (int)one.dim[1]};
  s.columns = op == FS_SMALL_DET ? 0 : (int)x.dim[1];
  s.near = fs_dtype_is_half(a.dtype) ? 0x1p-5 : compute == FS_F32 ? 0x1p-10 : 0x1p-20;
  const struct fs_user *u = routine(in, &s, compute, b && x.dim[1] == 1);
  struct fs_shape flat = fs_squeezed(&stack);
  fs_id src[2] = {a.node, b ? b->node : 0};
  x.dim[0] = s.n;
  if (op == FS_SMALL_DET) x.rank = 0;
  else if (b && b->shape.rank == 1) x.rank = 1;
  *out = (struct fs_tv){fs_graph_user(fs_block_graph(in), u, &flat, src, dt), dt,
                        fs_batched(&stack, &x)};
  return true;
}
