/* memo.c - see memo.h. */
#include "core/run/memo.h"

struct fs_life *fs_life_new(struct fs_block *block) {
  struct fs_life *l = fs_calloc(1, sizeof *l);
  l->refs = 1;
  l->block = block;
  return l;
}

static void unref(struct fs_life *l) {
  if (l && !--l->refs) free(l);
}

void fs_life_end(struct fs_life *l) {
  if (l) l->block = NULL;
  unref(l);
}

static bool same(const struct fs_epoch *a, const struct fs_epoch *b) {
  return a->runner == b->runner && a->turn == b->turn && a->strategy == b->strategy &&
         a->language == b->language;
}

void fs_memo_take(struct fs_memo *m, const struct fs_block *block, struct fs_epoch here) {
  fs_memo_drop(m);
  m->life = block->life;
  m->life->refs++;
  m->epoch = here;
  m->epoch.turn = m->life->turn;
}

struct fs_block *fs_memo_block(const struct fs_memo *m, struct fs_epoch here) {
  if (!m->life || !m->life->block) return NULL;
  here.turn = m->life->turn;
  return same(&m->epoch, &here) ? m->life->block : NULL;
}

void fs_memo_drop(struct fs_memo *m) {
  unref(m->life);
  *m = (struct fs_memo){0};
}
