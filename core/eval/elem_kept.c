/* elem_kept.c - functions by element and by instance that nodes refer to, kept as long as the
 * session. */
#include "core/eval/elem.h"

static uint64_t hash_text(const char *text, uint64_t h) {
  size_t len = text ? strlen(text) : 0;
  h = fs_hash(&len, sizeof len, h);
  return text ? fs_hash(text, len, h) : h;
}

uint64_t fs_elem_hash(const struct fs_user *u) {
  int64_t words[] = {u->by_instance, fs_dtypes[u->compute].code, u->n_args, u->threads,
                     u->scratch, (int64_t)u->flops};
  uint64_t h = fs_hash(words, sizeof words, 1);
  for (int k = 0; k <= u->n_args; k++) {
    const struct fs_user_element *e = k < u->n_args ? &u->arg[k] : &u->result;
    const struct fs_user_move *m = k < u->n_args ? &u->load[k] : &u->store;
    int64_t shape[] = {e->type, e->rank, e->dim[0], e->dim[1],
                       e->chip_rank, e->chip[0], e->chip[1], m->threads};
    h = hash_text(e->name, fs_hash(shape, sizeof shape, h));
    h = hash_text(m->c.text, hash_text(m->cuda.text, h));
  }
  if (u->pace > 0) h = fs_hash(&u->pace, sizeof u->pace, h);
  return hash_text(u->c.text, hash_text(u->cuda.text, h));
}

const struct fs_user *fs_elem_kept(const struct fs_interp *in, const struct fs_user *u) {
  for (int k = 0; k < in->users.len; k++)
    if (in->users.data[k]->hash == u->hash && !strcmp(in->users.data[k]->name, u->name))
      return in->users.data[k];
  return NULL;
}

const struct fs_user *fs_elem_keep(struct fs_interp *in, struct fs_user u) {
  const struct fs_user *known = fs_elem_kept(in, &u);
  if (known) return known;
  struct fs_user *kept = FS_NEW(in->elem_arena, struct fs_user);
  size_t ways = (size_t)u.n_alternatives;
  if (ways) {
    const struct fs_user **all =
        FS_NEW_N(in->elem_arena, const struct fs_user *, ways);
    memcpy(all, u.alternatives, sizeof *all * ways);
    u.alternatives = all;
  }
  *kept = u;
  *FS_PUSH(&in->users) = kept;
  return kept;
}
