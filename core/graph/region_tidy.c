/* region_tidy.c - a region in fewer steps: what is computed already is not computed again, and
 * what nobody reads not at all. Values are numbered as far as one way leads: an END, where lanes
 * come together, and the beginning of a LOOP end what is known. Nothing is rounded otherwise. */
#include "core/graph/graph.h"
#include "core/graph/region.h"

enum { MOST = FS_REGION_STEPS + 2 * FS_REGION_REGISTERS, LOADED = FS_MAP_OP_COUNT, NONE = -1 };

/* A value: what made it, of which others, and a register that keeps it for as long as it is known:
 * one of the region's own, or R + k, the k-th temporary. */
struct value {
  int op, src[3], holder, since;
  enum fs_dtype dtype;
  bool holds;                /* it is true, of a bool */
};

struct tidy {
  const struct fs_region *r;
  int now[FS_REGION_REGISTERS];          /* the value of a register; NONE */
  struct value values[MOST];
  int n_values, since;                   /* values of before `since` are not known any more */
  enum fs_dtype temporary[FS_REGION_STEPS];
  int n_temporaries;
  struct fs_region_step *steps;
  int n_steps;
  bool used[FS_REGION_REGISTERS + FS_REGION_STEPS];
};

static bool is_temporary(const struct tidy *t, int reg) {
  return t->r->registers[reg].kind == FS_RR_TEMPORARY;
}

static int new_value(struct tidy *t, struct value v) {
  if (t->n_values == MOST) return NONE;
  t->values[t->n_values] = v;
  return t->n_values++;
}

/* The value of a register; a new one, where nobody knows more of it. NONE: there is no room. */
static int value_of(struct tidy *t, int reg) {
  bool stays = t->r->registers[reg].kind != FS_RR_VARIABLE;
  if (t->now[reg] == NONE && !is_temporary(t, reg))
    t->now[reg] = new_value(t, (struct value){.op = NONE, .holder = stays ? reg : NONE,
                                              .since = stays ? 0 : t->since,
                                              .dtype = t->r->registers[reg].dtype});
  return t->now[reg];
}

/* Where it lies now, or NONE. */
static int register_of(const struct tidy *t, int v) {
  if (t->values[v].holder != NONE) return t->values[v].holder;
  for (int k = 0; k < t->r->n_registers; k++)
    if (t->now[k] == v && !is_temporary(t, k)) return k;
  return NONE;
}

static void forget(struct tidy *t) {
  t->since = t->n_values;
  for (int k = 0; k < t->r->n_registers; k++) {
    enum fs_region_kind kind = t->r->registers[k].kind;
    if (kind == FS_RR_VARIABLE || kind == FS_RR_TEMPORARY) t->now[k] = NONE;
  }
}

/* An older value that is the same: x*1, c + (x - c), x && x, !!x of whole numbers and bools. */
static int same_value(const struct tidy *t, const struct value *v) {
  const struct fs_region_register *one = NULL;
  const struct value *b = v->src[1] == NONE ? NULL : &t->values[v->src[1]];
  if (fs_dtype_is_float(v->dtype)) return NONE;
  if (b && b->holder != NONE && b->holder < t->r->n_registers) one = &t->r->registers[b->holder];
  if (one && one->kind != FS_RR_CONSTANT) one = NULL;
  if (v->op == FS_OP_MUL && one && one->number.i == 1) return v->src[0];
  if (v->op == FS_OP_ADD && b->op == FS_OP_SUB && b->src[1] == v->src[0]) return b->src[0];
  if (v->op == FS_OP_AND && v->src[0] == v->src[1]) return v->src[0];
  if (v->op == FS_OP_NOT && t->values[v->src[0]].op == FS_OP_NOT)
    return t->values[v->src[0]].src[0];
  return NONE;
}

static int find(const struct tidy *t, const struct value *v) {
  int same = same_value(t, v);
  if (same != NONE && t->values[same].dtype == v->dtype && register_of(t, same) != NONE)
    return same;
  for (int k = t->since; k < t->n_values; k++) {
    const struct value *x = &t->values[k];
    if (x->op == v->op && x->dtype == v->dtype && !memcmp(x->src, v->src, sizeof x->src) &&
        register_of(t, k) != NONE)
      return k;
  }
  return NONE;
}

static void put(struct tidy *t, struct fs_region_step s) { t->steps[t->n_steps++] = s; }

/* The register that a step reads, or writes. */
static int source(struct tidy *t, int reg) {
  return is_temporary(t, reg) ? t->values[t->now[reg]].holder : reg;
}

static int target(struct tidy *t, int reg, int v) {
  t->now[reg] = v;
  if (!is_temporary(t, reg)) return reg;
  t->temporary[t->n_temporaries] = t->r->registers[reg].dtype;
  return t->values[v].holder = t->r->n_registers + t->n_temporaries++;
}

/* A step that gives a register a value. False: there is no room. */
static bool compute(struct tidy *t, struct fs_region_step s) {
  struct value v = {.op = s.code == FS_RG_LOAD ? LOADED : s.op, .src = {NONE, NONE, NONE},
                    .holder = NONE, .dtype = t->r->registers[s.to].dtype, .since = t->since};
  for (int k = 0; k < s.n_src; k++)
    if ((v.src[k] = value_of(t, s.src[k])) == NONE) return false;
  bool copy = s.code == FS_RG_MAP && s.op == FS_OP_COPY;
  int old = copy ? v.src[0] : find(t, &v), at = old == NONE ? NONE : register_of(t, old);
  if (old != NONE && t->now[s.to] == old) return true;
  if (old != NONE && is_temporary(t, s.to) && t->values[old].holder != NONE) {
    t->now[s.to] = old;
    return true;
  }
  for (int k = 0; k < s.n_src; k++)
    if (s.code != FS_RG_LOAD || k) s.src[k] = source(t, s.src[k]);
  if (at != NONE) s = (struct fs_region_step){.code = FS_RG_MAP, .op = FS_OP_COPY, .n_src = 1,
                                              .to = s.to, .src = {at}};
  if (old == NONE) old = new_value(t, v);
  if (old == NONE) return false;
  s.to = target(t, s.to, old);
  put(t, s);
  return true;
}

static bool walk(struct tidy *t) {
  for (int k = 0; k < t->r->n_steps; k++) {
    struct fs_region_step s = t->r->steps[k];
    switch (s.code) {
      case FS_RG_MAP:
      case FS_RG_LOAD:
        if (!compute(t, s)) return false;
        break;
      case FS_RG_UNLESS: {
        int v = value_of(t, s.src[0]);
        if (v == NONE) return false;
        if (t->values[v].holds) break;
        s.src[0] = source(t, s.src[0]);
        put(t, s);
        t->values[v].holds = t->values[v].op != NONE; /* (not of what begins anew) */
        break;
      }
      case FS_RG_LOOP:
      case FS_RG_END:
        put(t, s);
        forget(t);
        break;
      case FS_RG_BLOCK:
      case FS_RG_LEAVE: put(t, s); break;
    }
  }
  return true;
}

/* Which registers somebody reads; steps for others go. Variables are read on any way. */
static void drop_unread(struct tidy *t, int n_results, const int *results) {
  for (bool again = true; again;) {
    int n = 0, before = t->n_steps;
    memset(t->used, 0, sizeof t->used);
    for (int k = 0; k < t->r->n_operands; k++) t->used[k] = true;
    for (int k = 0; k < n_results; k++) t->used[results[k]] = true;
    for (int k = 0; k < t->n_steps; k++)
      for (int x = 0; x < t->steps[k].n_src; x++) t->used[t->steps[k].src[x]] = true;
    for (int k = 0; k < t->n_steps; k++) {
      const struct fs_region_step *s = &t->steps[k];
      bool sets = s->code == FS_RG_MAP || s->code == FS_RG_LOAD;
      if (!sets || t->used[s->to]) t->steps[n++] = *s;
    }
    t->n_steps = n;
    again = n < before;
  }
}

/* Registers side by side: those of the region that are used, and for its temporaries as many as
 * are wanted at once. False: there are too many. */
static bool number(struct tidy *t, struct fs_region *out, struct fs_region_register *registers,
                   int n_results, int *results) {
  int to[FS_REGION_REGISTERS + FS_REGION_STEPS], last[FS_REGION_REGISTERS + FS_REGION_STEPS];
  bool taken[FS_REGION_REGISTERS] = {false};
  int n = 0, first;
  for (int k = 0; k < t->r->n_registers; k++) {
    to[k] = n;
    if (t->used[k] && !is_temporary(t, k)) registers[n++] = t->r->registers[k];
  }
  first = n;
  for (int k = 0; k < t->n_steps; k++)
    for (int x = 0; x < t->steps[k].n_src; x++) last[t->steps[k].src[x]] = k;
  for (int k = 0; k < t->n_steps; k++) {
    struct fs_region_step *s = &t->steps[k];
    bool sets = s->code == FS_RG_MAP || s->code == FS_RG_LOAD;
    if (sets && s->to >= t->r->n_registers) {
      enum fs_dtype dtype = t->temporary[s->to - t->r->n_registers];
      int reg = first;
      while (reg < n && (taken[reg] || registers[reg].dtype != dtype)) reg++;
      if (reg == FS_REGION_REGISTERS) return false;
      if (reg == n) registers[n++] = (struct fs_region_register){FS_RR_TEMPORARY, dtype, {0}};
      taken[reg] = true;
      to[s->to] = reg;
    }
    int of = sets ? to[s->to] : 0;
    for (int x = 0; x < s->n_src; x++) {
      int reg = s->src[x];
      s->src[x] = to[reg];
      if (reg >= t->r->n_registers && last[reg] == k) taken[to[reg]] = false;
    }
    s->to = of;
  }
  for (int k = 0; k < n_results; k++) results[k] = to[results[k]];
  *out = (struct fs_region){t->r->n_operands, n, t->n_steps, to[t->r->result], registers,
                            t->steps};
  return true;
}

bool fs_region_tidy(const struct fs_region *r, struct fs_region *out,
                    struct fs_region_register *registers, struct fs_region_step *steps,
                    int n_results, int *results) {
  struct tidy *t = fs_calloc(1, sizeof *t);
  t->r = r;
  t->steps = steps;
  for (int k = 0; k < r->n_registers; k++) t->now[k] = NONE;
  bool ok = walk(t);
  if (ok) drop_unread(t, n_results, results);
  ok = ok && number(t, out, registers, n_results, results);
  free(t);
  return ok;
}
