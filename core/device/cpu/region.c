/* region.c - regions on the CPU target: see region.h. */
#include "core/device/cpu/region.h"

enum {
  ROOM = 128 << 10,          /* bytes for the registers of a strip, and for what is set aside */
  WIDEST = 256, LEAST = 16,  /* lanes of a strip */
  MOST_FRAMES = 4,           /* how often lanes are put side by side */
  PATIENCE = 256             /* rounds between two looks for an interrupt */
};

/* Lanes that were put side by side: where they were, and what all lanes had then. */
struct frame {
  int level, n;              /* the LOOP */
  uint8_t lane[WIDEST];      /* (below WIDEST) */
  uint8_t waits[FS_REGION_BLOCKS][WIDEST];
  char *kept;
};

struct runner {
  const struct fs_region *r;
  const struct fs_routines *routines;
  const void *const *in;     /* tables, and how far apart their elements are */
  const int64_t *stride;
  int width, n, active;      /* lanes of a register; of this strip; that are not waiting */
  int level;                 /* blocks around */
  int begins[FS_REGION_BLOCKS];          /* their first steps */
  uint8_t waits[FS_REGION_BLOCKS][WIDEST]; /* lanes that go on behind them, if LOOPs, in them */
  uint8_t is[WIDEST];        /* lanes that are active */
  int n_frames, rounds;
  struct frame frames[MOST_FRAMES];
  char *free;                /* of the room */
  _Alignas(64) char room[ROOM];
};

static char *at(struct runner *x, int reg) { return x->room + (size_t)reg * (size_t)x->width * 8; }

static enum fs_ctype type_of(const struct fs_region *r, int reg) {
  return fs_ctype_of(r->registers[reg].dtype);
}

static size_t size_of(const struct fs_region *r, int reg) {
  return (size_t)fs_ctype_size(type_of(r, reg));
}

/* Whether it has to be there for as long as the strip is walked. */
static bool is_kept(const struct fs_region_register *x) {
  return x->kind == FS_RR_OPERAND || x->kind == FS_RR_VARIABLE;
}

/* -- one step --------------------------------------------------------------------- */

static fs_map_fn *routine_of(const struct fs_region *r, const struct fs_routines *routines,
                             const struct fs_region_step *s) {
  return routines->map[s->op][type_of(r, s->src[s->op == FS_OP_WHERE])][0];
}

bool fs_region_runs(const struct fs_region *r, const struct fs_routines *routines) {
  for (int k = 0; k < r->n_steps; k++) {
    const struct fs_region_step *s = &r->steps[k];
    if (s->code != FS_RG_MAP || s->op == FS_OP_COPY) continue;
    if (s->op == FS_OP_CAST ? !routines->convert[type_of(r, s->src[0])][type_of(r, s->to)]
                            : !routine_of(r, routines, s))
      return false;
  }
  return r->n_registers * LEAST * 8 <= ROOM;
}

/* Sets a variable in the lanes that are active. */
static void blend(struct runner *x, int reg, const char *value) {
  char *to = at(x, reg);
  size_t size = size_of(x->r, reg);
  if (x->active == x->n) memcpy(to, value, size * (size_t)x->n);
  else x->routines->map[FS_OP_WHERE][type_of(x->r, reg)][0](to, x->is, value, to, x->n);
}

static void map(struct runner *x, const struct fs_region_step *s) {
  _Alignas(64) char other[WIDEST * 8];
  bool whole = x->r->registers[s->to].kind != FS_RR_VARIABLE || x->active == x->n;
  const char *a = at(x, s->src[0]);
  char *to = whole ? at(x, s->to) : other;
  if (s->op == FS_OP_COPY) {
    blend(x, s->to, a);
    return;
  }
  if (s->op == FS_OP_CAST)
    x->routines->convert[type_of(x->r, s->src[0])][type_of(x->r, s->to)](to, a, x->n);
  else
    routine_of(x->r, x->routines, s)(to, a, at(x, s->n_src > 1 ? s->src[1] : s->src[0]),
                                     at(x, s->n_src > 2 ? s->src[2] : s->src[0]), x->n);
  fs_convert_fn *round = fs_rounds(x->routines, x->r->registers[s->to].dtype,
                                   s->op == FS_OP_CAST, x->r->registers[s->src[0]].dtype);
  if (round) round(to, to, x->n);
  if (!whole) blend(x, s->to, to);
}

/* Elements of a table, in the lanes that are there: elsewhere the place may be any number, and a
 * variable stays what it is. */
static void load(struct runner *x, const struct fs_region_step *s) {
  const int64_t *place = (const int64_t *)(const void *)at(x, s->src[1]);
  const void *table = x->in[s->src[0]];
  int64_t stride = x->stride[s->src[0]];
  void *to = at(x, s->to);
  bool all = x->active == x->n;
  if (!all && x->r->registers[s->to].kind != FS_RR_VARIABLE)
    memset(to, 0, size_of(x->r, s->to) * (size_t)x->n);
#define LOAD(type)                                                                  \
  do {                                                                              \
    const type *from = (const type *)table - stride;                                \
    for (int k = 0; all && k < x->n; k++) ((type *)to)[k] = from[place[k] * stride]; \
    for (int k = 0; !all && k < x->n; k++)                                          \
      if (x->is[k]) ((type *)to)[k] = from[place[k] * stride];                      \
  } while (0)
  if (size_of(x->r, s->to) == 8) LOAD(int64_t);
  else LOAD(int32_t);
#undef LOAD
}

/* -- lanes ----------------------------------------------------------------------------- */

/* Eight lanes are a word of 0 and 1; those beyond the last one of the strip are 0. */
static int words(const struct runner *x) { return (x->n + 7) / 8; }

static uint64_t word(const uint8_t *is, int w) {
  uint64_t out;
  memcpy(&out, is + 8 * w, sizeof out);
  return out;
}

static void set_word(uint8_t *is, int w, uint64_t to) { memcpy(is + 8 * w, &to, sizeof to); }

static void set_lanes(uint8_t *is, int n) {
  memset(is, 1, (size_t)n);
  memset(is + n, 0, (size_t)(-n & 7));
}

static int count(const uint8_t *is, int n_words) {
  const uint64_t each = 0x0101010101010101;
  int found = 0;
  for (int w = 0; w < n_words; w++) found += (int)(word(is, w) * each >> 56);
  return found;
}

/* The lanes of `which` leave the block at a level, and those in it. */
static void leave(struct runner *x, const uint8_t *which, int level) {
  int n = words(x);
  for (int b = level + 1; b < x->level; b++)
    for (int w = 0; w < n; w++) set_word(x->waits[b], w, word(x->waits[b], w) & ~word(which, w));
  for (int w = 0; w < n; w++) set_word(x->is, w, word(x->is, w) & ~word(which, w));
  x->active = count(x->is, n);
}

/* ... where `holds` is false. */
static void leave_unless(struct runner *x, const uint8_t *holds, int level) {
  uint8_t which[WIDEST];
  uint64_t some = 0;
  for (int w = 0; w < words(x); w++) {
    uint64_t out = word(x->is, w) & ~word(holds, w);
    set_word(which, w, out);
    some |= out;
  }
  if (some) leave(x, which, level);
}

static void enter(struct runner *x, int step) {
  memcpy(x->waits[x->level], x->is, (size_t)words(x) * 8);
  x->begins[x->level++] = step;
}

/* -- side by side ------------------------------------------------------------------------ */

/* to[k] = from[lane[k]], or the other way round. */
static void move(char *to, const char *from, const uint8_t *lane, int n, size_t size, bool back) {
#define MOVE(type)                                                        \
  do {                                                                    \
    type *t = (type *)(void *)to;                                         \
    const type *f = (const type *)(const void *)from;                     \
    for (int k = 0; k < n && back; k++) t[lane[k]] = f[k];                \
    for (int k = 0; k < n && !back; k++) t[k] = f[lane[k]];               \
  } while (0)
  if (size == 8) MOVE(int64_t);
  else if (size == 4) MOVE(int32_t);
  else MOVE(uint8_t);
#undef MOVE
}

/* The active lanes alone go on, in the loop at a level. */
static void narrow(struct runner *x, int level) {
  const struct fs_region *r = x->r;
  size_t bytes = 0;
  for (int k = 0; k < r->n_registers; k++)
    if (is_kept(&r->registers[k])) bytes += size_of(r, k) * (size_t)x->width;
  if (x->n_frames == MOST_FRAMES || x->free + bytes > x->room + ROOM) return;
  struct frame *f = &x->frames[x->n_frames++];
  *f = (struct frame){.level = level, .n = x->n, .kept = x->free};
  int n = 0;
  for (int k = 0; k < x->n; k++)
    if (x->is[k]) f->lane[n++] = (uint8_t)k;
  for (int k = 0; k < r->n_registers; k++) {
    if (!is_kept(&r->registers[k])) continue;
    size_t size = size_of(r, k);
    memcpy(x->free, at(x, k), size * (size_t)x->n);
    move(at(x, k), x->free, f->lane, n, size, false);
    x->free += size * (size_t)x->width;
  }
  for (int b = 0; b < x->level; b++) {
    memcpy(f->waits[b], x->waits[b], (size_t)words(x) * 8);
    set_lanes(x->waits[b], n);
  }
  set_lanes(x->is, n);
  x->n = x->active = n;
}

/* All lanes that were there before the last narrow() are again; none is active. */
static void widen(struct runner *x) {
  const struct fs_region *r = x->r;
  struct frame *f = &x->frames[--x->n_frames];
  char *kept = f->kept;
  for (int k = 0; k < r->n_registers; k++) {
    if (!is_kept(&r->registers[k])) continue;
    size_t size = size_of(r, k);
    move(kept, at(x, k), f->lane, x->n, size, true);
    memcpy(at(x, k), kept, size * (size_t)f->n);
    kept += size * (size_t)x->width;
  }
  for (int b = 0; b < x->level; b++) {
    for (int k = 0; k < x->n; k++) f->waits[b][f->lane[k]] &= x->waits[b][k];
    memcpy(x->waits[b], f->waits[b], (size_t)(f->n + 7) / 8 * 8);
  }
  x->free = f->kept;
  x->n = f->n;
  x->active = 0;
  memset(x->is, 0, (size_t)words(x) * 8);
}

/* -- a strip ---------------------------------------------------------------------------- */

/* At the END of the block around; gives the step that comes next. */
static int end(struct runner *x, int step) {
  int level = x->level - 1;
  if (x->r->steps[x->begins[level]].code == FS_RG_LOOP) {
    if (++x->rounds % PATIENCE == 0 && fs_interrupted()) leave(x, x->is, -1);
    if (x->active) {
      if (x->n > LEAST && 2 * x->active <= x->n) narrow(x, level);
      return x->begins[level] + 1;
    }
    while (x->n_frames && x->frames[x->n_frames - 1].level == level) widen(x);
    x->level--;
    return step + 1; /* those that left it wait for the block that they left */
  }
  memcpy(x->is, x->waits[level], (size_t)words(x) * 8);
  x->active = count(x->is, words(x));
  x->level--;
  return step + 1;
}

static void walk(struct runner *x) {
  const struct fs_region *r = x->r;
  for (int k = 0; k < r->n_steps;) {
    const struct fs_region_step *s = &r->steps[k];
    switch (s->code) {
      case FS_RG_MAP:
        if (x->active) map(x, s);
        break;
      case FS_RG_LOAD:
        if (x->active) load(x, s);
        break;
      case FS_RG_BLOCK:
      case FS_RG_LOOP: enter(x, k); break;
      case FS_RG_LEAVE: leave(x, x->is, s->depth); break;
      case FS_RG_UNLESS:
        if (x->active) leave_unless(x, (const uint8_t *)at(x, s->src[0]), s->depth);
        break;
      case FS_RG_END: k = end(x, k); continue;
    }
    k++;
  }
}

/* Operands, constants, and variables that nobody has set. */
static void set_up(struct runner *x, const void *const *in, unsigned one, int64_t first) {
  const struct fs_region *r = x->r;
  for (int k = 0; k < r->n_registers; k++) {
    const struct fs_region_register *reg = &r->registers[k];
    size_t size = size_of(r, k);
    int log2 = size == 8 ? 3 : size == 4 ? 2 : 0;
    char number[8] = {0};
    if (reg->kind == FS_RR_TEMPORARY || reg->kind == FS_RR_TABLE) continue;
    if (reg->kind == FS_RR_OPERAND && !(one >> k & 1)) {
      memcpy(at(x, k), (const char *)in[k] + (size_t)first * size, size * (size_t)x->n);
      continue;
    }
    if (reg->kind == FS_RR_CONSTANT) fs_element_put(reg->dtype, number, reg->number);
    x->routines->fill[log2](at(x, k), reg->kind == FS_RR_OPERAND ? in[k] : number, x->n);
  }
}

/* The lanes from `first` on, as many as a strip has. */
static void run_strip(struct runner *x, const struct fs_region_call *c, int64_t first) {
  x->n = x->active = (int)FS_MIN(x->width, c->n - first);
  x->level = x->n_frames = x->rounds = 0;
  x->free = x->room + (size_t)x->r->n_registers * (size_t)x->width * 8;
  set_lanes(x->is, x->n);
  set_up(x, c->in, c->one, first);
  walk(x);
}

void fs_region_run(const struct fs_region *r, int n_results, const int *results,
                   const struct fs_region_call *c) {
  struct runner x; /* most of it is room */
  x.r = r;
  x.routines = c->routines;
  x.in = c->in;
  x.stride = c->stride;
  x.width = c->n > LEAST ? WIDEST : LEAST;
  while (x.width > LEAST && r->n_registers * x.width * 8 > ROOM / 2) x.width /= 2;
  for (int64_t first = 0; first < c->n; first += x.width) {
    run_strip(&x, c, first);
    for (int k = 0; k < n_results; k++) {
      size_t size = size_of(r, results[k]);
      memcpy((char *)c->out[k] + (size_t)first * size, at(&x, results[k]), size * (size_t)x.n);
    }
  }
}
