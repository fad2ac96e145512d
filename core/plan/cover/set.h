/* set.h - sets of the clusters of a window, as bits. Private to cover/. */
#ifndef FS_SET_H
#define FS_SET_H

#include "core/plan/calls/calls.h"

struct fs_set {
  uint64_t word[FS_MAX_SET / 64];
};
static inline bool fs_set_has(const struct fs_set *s, int i) {
  return s->word[i / 64] >> (i % 64) & 1;
}
static inline void fs_set_add(struct fs_set *s, int i) {
  s->word[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void fs_set_drop(struct fs_set *s, int i) {
  s->word[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline int fs_set_size(const struct fs_set *s) {
  int n = 0;
  for (size_t w = 0; w < FS_LEN(s->word); w++) n += __builtin_popcountll(s->word[w]);
  return n;
}
static inline bool fs_set_meets(const struct fs_set *a, const struct fs_set *b) {
  uint64_t any = 0;
  for (size_t w = 0; w < FS_LEN(a->word); w++) any |= a->word[w] & b->word[w];
  return any;
}
static inline void fs_set_join(struct fs_set *to, const struct fs_set *from) {
  for (size_t w = 0; w < FS_LEN(to->word); w++) to->word[w] |= from->word[w];
}
static inline void fs_set_drop_all(struct fs_set *from, const struct fs_set *those) {
  for (size_t w = 0; w < FS_LEN(from->word); w++) from->word[w] &= ~those->word[w];
}
static inline bool fs_set_is_within(const struct fs_set *part, const struct fs_set *whole) {
  struct fs_set rest = *part;
  fs_set_drop_all(&rest, whole);
  return !fs_set_meets(&rest, &rest);
}
/* The first member at or after `from`; FS_MAX_SET if there is none. */
static inline int fs_set_next(const struct fs_set *s, int from) {
  for (int w = from / 64; w < FS_MAX_SET / 64; w++) {
    uint64_t left = s->word[w];
    if (w == from / 64) left &= ~(uint64_t)0 << (from % 64);
    if (left) return w * 64 + __builtin_ctzll(left);
  }
  return FS_MAX_SET;
}
#define FS_EACH_MEMBER(i, set) \
  (int i = fs_set_next((set), 0); i < FS_MAX_SET; i = fs_set_next((set), i + 1))
/* Of its first words, for tables of sets. */
static inline uint64_t fs_set_hash(const struct fs_set *s, int words) {
  uint64_t h = 0;
  for (int w = 0; w < words; w++) {
    h ^= s->word[w];
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u; /* tables go by the low bits */
    h ^= h >> 32;
  }
  return h;
}

#endif
