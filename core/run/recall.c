/* recall.c - see recall.h. */
#include "core/run/recall.h"

/* Beyond this, the whole part of a number and the number differ. */
static const double LARGEST_WHOLE = 9e18;

/* Four chains at once. It only finds a place: signatures are compared. */
static uint64_t hash_of(const fs_signature *s) {
  uint64_t h[4] = {1, 2, 3, 4};
  for (int k = 0; k < s->len; k++)
    h[k & 3] = (h[k & 3] ^ s->data[k]) * 0x9e3779b97f4a7c15u;
  return fs_hash(h, sizeof h, (uint64_t)s->len);
}

static bool same(const fs_signature *a, const fs_signature *b) {
  return a->len == b->len &&
         !memcmp(a->data, b->data, sizeof *a->data * (size_t)a->len);
}

static bool is_plain(struct fs_number n) {
  return n.f < LARGEST_WHOLE && n.f > -LARGEST_WHOLE;
}

const struct fs_recalled *fs_recall_find(struct fs_recall *r,
                                         const struct fs_graph *traced,
                                         enum fs_strategy strategy) {
  fs_graph_signature(traced, &r->now);
  *FS_PUSH(&r->now) = strategy;
  r->hash = hash_of(&r->now);
  const struct fs_recalled *p = &r->place[r->hash % FS_RECALLED];
  if (!p->block || p->hash != r->hash || !same(&p->words, &r->now)) return NULL;
  if (p->block->hash != p->block_hash || p->block->spoken != p->spoken)
    return NULL;
  for (int k = 0; k < traced->params.len; k++)
    if (!is_plain(traced->params.data[k])) return NULL;
  return p;
}

static void clear(struct fs_recalled *p) {
  FS_VEC_FREE(&p->words);
  free(p->from);
  *p = (struct fs_recalled){0};
}

/* Fills from[], false if something of the block is not in the traced graph. */
static bool find_origins(const struct fs_graph *traced,
                         const struct fs_graph *simplified, int *from) {
  for (int k = 0; k < simplified->inputs.len; k++) {
    int at = 0;
    while (at < traced->inputs.len && traced->inputs.data[at].tensor !=
                                          simplified->inputs.data[k].tensor)
      at++;
    if (at == traced->inputs.len) return false;
    *from++ = at;
  }
  for (int k = 0; k < simplified->params.len; k++) {
    int at = simplified->origins.data[k];
    if (at >= traced->params.len) return false;
    if (memcmp(&simplified->params.data[k], &traced->params.data[at],
               sizeof(struct fs_number)))
      return false;
    *from++ = at;
  }
  return true;
}

void fs_recall_put(struct fs_recall *r, const struct fs_graph *traced,
                   const struct fs_graph *simplified, struct fs_block *block) {
  int n = simplified->inputs.len + simplified->params.len;
  int *from = fs_calloc((size_t)n + 1, sizeof *from);
  struct fs_recalled *p = &r->place[r->hash % FS_RECALLED];
  clear(p);
  if (!find_origins(traced, simplified, from)) {
    free(from);
    return;
  }
  *p = (struct fs_recalled){.hash = r->hash, .words = r->now, .block = block,
                            .block_hash = block->hash,
                            .spoken = block->spoken, .from = from};
  r->now = (fs_signature){0};
}

void fs_recall_forget(struct fs_recall *r, const struct fs_block *block) {
  for (int k = 0; k < FS_RECALLED; k++)
    if (r->place[k].block && (!block || r->place[k].block == block))
      clear(&r->place[k]);
  if (!block) FS_VEC_FREE(&r->now);
}
