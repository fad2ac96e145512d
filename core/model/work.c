/* work.c - see work.h. */
#include "core/model/work.h"

#include <stdio.h>

enum fs_arith fs_arith_of(enum fs_dtype dt) {
  static const uint8_t ariths[] = {
#define FS_DTYPE(id, name, class, bytes, components, compute, sum, real, digits, power, below, \
                 npy, arith, code, doc) [FS_##id] = FS_AR_##arith,
#include "core/graph/dtypes.def"
  };
  return (enum fs_arith)ariths[dt];
}

enum fs_term fs_term_reduce(unsigned op, unsigned over, bool product, enum fs_arith a) {
  unsigned at = (over - 1) * 2 + (unsigned)fs_reduce_ops[op].cost;
  return (enum fs_term)(FS_TM_REDUCE + (at * 2 + product) * FS_AR_COUNT + (unsigned)a);
}

static const char *const plain[FS_TM_MAP] = {
#define FS_TERM(id, name, ...) name,
#include "core/model/terms.def"
};

const char *const fs_arith_names[FS_AR_COUNT] = {"f32", "f64", "half", "int"};

void fs_term_name(enum fs_term term, char out[40]) {
  static const char *const overs[] = {"columns", "rows", "all"};
  if (term < FS_TM_MAP) {
    snprintf(out, 40, "%s", plain[term]);
  } else if (term < FS_TM_REDUCE) {
    unsigned k = (unsigned)term - FS_TM_MAP;
    snprintf(out, 40, "%s.%s", fs_map_ops[k / FS_AR_COUNT].name, fs_arith_names[k % FS_AR_COUNT]);
  } else {
    unsigned k = (unsigned)term - FS_TM_REDUCE, at = k / FS_AR_COUNT;
    snprintf(out, 40, "%s.%s%s.%s", at / 2 % 2 ? "extreme" : "sum",
             overs[at / 4], at % 2 ? ".product" : "", fs_arith_names[k % FS_AR_COUNT]);
  }
}

enum fs_term fs_term_of_name(const char *name) {
  char mine[40];
  for (unsigned t = 0; t < FS_TM_COUNT; t++) {
    fs_term_name((enum fs_term)t, mine);
    if (!strcmp(mine, name)) return (enum fs_term)t;
  }
  return FS_TM_COUNT;
}

static int found(const struct fs_work *w, enum fs_term term, int phase) {
  int k = w->n_amounts - 1; /* what came last comes again */
  while (k >= 0 && (w->amounts[k].term != term || w->amounts[k].phase != phase)) k--;
  return k;
}

struct fs_kind fs_kind_of(const struct fs_work *w) {
  static const uint8_t as[8] = {0, 1, 2, 3, 0, 5, 1, 1}; /* instances as flat, others as rows */
  bool busy = w->flops + 8 * w->special > w->bytes_read + w->bytes_written;
  struct fs_kind k = {.scheme = as[w->scheme & 7], .arith = w->arith & 3, .tiled = w->tiled,
                      .blocks = w->spread.resident > 0};
  memcpy(k.pattern, w->pattern, strnlen(w->pattern, sizeof k.pattern - 1));
  k.load = w->library ? FS_LOAD_CALL : busy ? FS_LOAD_BUSY : FS_LOAD_LIGHT;
  bool layers = w->shifted && k.blocks && k.scheme == 1 && found(w, FS_TM_GENERAL, 0) >= 0 &&
                w->working_set > FS_NO_CACHE;
  k.apart = w->spread.sharing > 1 ? FS_APART_SHARED : layers ? FS_APART_LAYERED
            : w->shifted ? FS_APART_SHIFTED : w->uneven ? FS_APART_UNEVEN
            : w->past    ? FS_APART_PAST    : FS_APART_NOT;
  return k;
}

void fs_kind_name(const struct fs_kind *k, char out[FS_KIND_NAME]) {
  static const char *const schemes[] = {"flat", "row", "tile", "library", "flat", "march"};
  static const char *const loads[] = {"light", "busy", "call"};
  static const char *const aparts[] = {"", " shared", " layered", " shifted", " uneven", " past"};
  snprintf(out, FS_KIND_NAME, "%s %s %s %s%s", schemes[k->scheme], k->pattern,
           fs_arith_names[k->arith], loads[k->load], aparts[k->apart]);
}

void fs_work_add(struct fs_work *w, enum fs_term term, int phase, double amount) {
  if (!(amount > 0)) return;
  int had = found(w, term, phase);
  bool full = w->n_amounts == FS_WORK_AMOUNTS;
  if (had < 0 && full) /* some operation stands for it */
    for (had = 0; had < w->n_amounts && w->amounts[had].term < FS_TM_MAP;) had++;
  if (had >= 0 && had < w->n_amounts) w->amounts[had].amount += amount;
  else if (!full)
    w->amounts[w->n_amounts++] = (struct fs_amount){amount, (uint16_t)term, (uint8_t)phase};
}

void fs_work_set(struct fs_work *w, enum fs_term term, int phase, double amount) {
  int had = found(w, term, phase);
  if (had >= 0) w->amounts[had].amount = FS_MAX(amount, 0);
  else fs_work_add(w, term, phase, amount);
}
