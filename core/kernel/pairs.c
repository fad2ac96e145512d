/* pairs.c - kernels that compute on two numbers of a half type at once.
 *
 * A sum, difference or product of f16 or bf16 in f32, rounded, is the correctly
 * rounded one (24 bits are twice 11 and two more, or twice 8: Figueroa, "When is
 * double rounding innocuous?", SIGNUM 30:3, 1995), which GPUs have as one
 * instruction for two numbers, in place of six. Functions unpack the two, and what
 * they give is rounded at once, by one instruction as well. A kernel works so where
 * all elements of its rows are of one half type; of a march kernel the first look at a
 * panel, where what it computes of rows and columns is (emit/march.c).
 */
#include "core/kernel/kernel.h"

bool fs_is_paired(int op) {
  return op == FS_OP_COPY || op == FS_OP_ADD || op == FS_OP_SUB ||
         op == FS_OP_MUL || op == FS_OP_NEG || op == FS_OP_SQUARE;
}

static bool step_fits(const struct fs_kernel *k, const struct fs_step *s, enum fs_dtype dt) {
  if (s->kind == FS_SP_REDUCE)
    return s->over == FS_VARIES_J && fs_reduce_ops[s->op].words == 1 &&
           k->values.data[s->in[0]].dtype == dt && k->values.data[s->in[0]].varies & FS_VARIES_J &&
           (s->in[1] < 0 || k->values.data[s->in[1]].dtype == dt);
  if (s->kind == FS_SP_STORE) {
    const struct fs_access *a = &k->accesses.data[s->access];
    const struct fs_value *v = &k->values.data[s->in[0]];
    if (!(a->varies & FS_VARIES_J)) return true;
    return a->dtype == dt && v->dtype == dt && v->varies & FS_VARIES_J;
  }
  const struct fs_value *v = &k->values.data[s->out];
  if (!(v->varies & FS_VARIES_J)) return true;
  if (v->dtype != dt || s->user) return false;
  if (s->kind == FS_SP_LOAD) return k->accesses.data[s->access].dtype == dt;
  if (s->kind != FS_SP_MAP) return false;
  FS_EACH_IN(s, a)
    if (k->values.data[s->in[a]].dtype != dt) return false;
  return true;
}

bool fs_kernel_pairs(const struct fs_kernel *k) {
  enum fs_dtype dt = FS_F32;
  FS_EACH_AT(&k->accesses, a) {
    if (!fs_access_is_plain(a)) return false; /* whose elements may lie apart */
    if (fs_access_is_load(a) && a->varies & FS_VARIES_J) dt = a->dtype;
  }
  if (!fs_dtype_is_half(dt) || k->has_end) return false;
  /* rows that only become rows, whose blocks wait for nothing (core/schedule/gpu.c) */
  bool streams = k->has.stores && fs_scheme_of(k)->rows;
  if ((k->n_phases != 1 || k->has.reductions) && !streams) return false;
  for (int i = 0; i < k->steps.len; i++)
    if (!step_fits(k, &k->steps.data[i], dt)) return false;
  return fs_schemes[k->scheme].vectors;
}
