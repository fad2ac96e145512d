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

static struct fs_epoch now(const struct fs_runner *r, const struct fs_life *l,
                           int64_t language) {
  return (struct fs_epoch){r, l->turn, fs_runner_strategy(r), language};
}

void fs_memo_take(struct fs_memo *m, const struct fs_runner *r, const struct fs_block *block,
                  int64_t language) {
  fs_memo_drop(m);
  m->life = block->life;
  m->life->refs++;
  m->epoch = now(r, m->life, language);
}

struct fs_block *fs_memo_block(const struct fs_memo *m, const struct fs_runner *r,
                               int64_t language) {
  if (!m->life || !m->life->block) return NULL;
  struct fs_epoch here = now(r, m->life, language);
  return same(&m->epoch, &here) ? m->life->block : NULL;
}

void fs_memo_drop(struct fs_memo *m) {
  unref(m->life);
  *m = (struct fs_memo){0};
}
