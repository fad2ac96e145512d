/* parts.c - the parts of an instance kernel, and how its elements lie on chip. */
#include "core/kernel/kernel.h"

int fs_result_part(const struct fs_applied *a) {
  return a->first + a->user->n_args;
}

const struct fs_applied *fs_part_of(const struct fs_kernel *k, int part) {
  int q = 0;
  while (q + 1 < k->n_applied && k->applied[q + 1].first <= part) q++;
  return &k->applied[q];
}

const struct fs_user_element *fs_part_element(const struct fs_kernel *k, int part) {
  const struct fs_applied *a = fs_part_of(k, part);
  int p = part - a->first;
  return p < a->user->n_args ? &a->user->arg[p] : &a->user->result;
}

bool fs_part_pairs(const struct fs_kernel *k, int part) {
  const struct fs_applied *a = fs_part_of(k, part);
  return a->user->pairs && part == fs_result_part(a);
}

struct fs_shape fs_part_shape(const struct fs_graph *g, const struct fs_kernel *k, int part) {
  const struct fs_applied *a = fs_part_of(k, part);
  const struct fs_node *apply = fs_node(g, a->node);
  struct fs_shape s = fs_apply_batch(apply);
  struct fs_shape e = fs_apply_element(apply, part - a->first);
  for (int x = 0; x < e.rank; x++) s.dim[s.rank++] = e.dim[x];
  if (fs_part_pairs(k, part)) s.dim[s.rank - 1] /= 2;
  return s;
}

/* Half types are rounded on the way, and a load of the user's own may change the form. */
int fs_part_alias(const struct fs_kernel *k, int part) {
  const struct fs_applied *a = fs_part_of(k, part);
  int p = part - a->first;
  if (p == a->user->n_args || a->user->load[p].cuda.text || a->user->load[p].c.text ||
      a->user->streams)
    return -1;
  for (const struct fs_applied *o = k->applied; o < a; o++) {
    int from = fs_result_part(o);
    if (k->part_value[from] != k->part_value[part]) continue;
    enum fs_dtype dt = k->values.data[k->part_value[part]].dtype;
    return fs_dtype_compute(dt) == dt ? from : -1;
  }
  return -1;
}

/* Numbers of one instance in shared memory: an element's are an odd number apart from the next
 * one's, so that threads on neighbouring instances meet in different banks. */
int fs_instance_pitch(const struct fs_user_element *e) {
  return e->chip_count | 1;
}

bool fs_scratch_is_own(const struct fs_user *u) {
  enum { MOST = 64 }; /* numbers that registers have room for */
  bool moves = u->store.cuda.text != NULL;
  for (int a = 0; a < u->n_args; a++) moves |= u->load[a].cuda.text != NULL;
  return u->threads == 1 && u->scratch && u->scratch <= MOST && !moves;
}
