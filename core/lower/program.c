/* program.c - programs of loops: made, dumped and checked. */
#include "core/lower/program.h"

static const struct {
  const char *name;
  bool body;
} kinds[FS_LP_KINDS] = {
#define FS_LP_KIND(id, name, body, what) {name, body},
#include "core/lower/kinds.def"
};
static const struct {
  const char *name;
  char variable;
} axes[FS_LP_AXES] = {
#define FS_LP_AXIS(id, name, variable, what) {name, variable},
#include "core/lower/kinds.def"
};

/* -- making --------------------------------------------------------------------- */

struct fs_lp *fs_lp_new(struct fs_arena *arena) {
  struct fs_lp *x = FS_NEW_N(arena, struct fs_lp, 1);
  x->kind = FS_LP_BLOCK;
  x->half = -1;
  return x;
}

void fs_lp_link(struct fs_lp_writer *w, struct fs_lp *x) {
  x->outer = w->at;
  x->next = NULL;
  *(w->at->last ? &w->at->last->next : &w->at->body) = x;
  w->at->last = x;
}

struct fs_lp *fs_lp_add(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text) {
  struct fs_lp *x = fs_lp_new(w->arena);
  x->kind = kind;
  x->text = text;
  fs_lp_link(w, x);
  return x;
}

void fs_lp_begin(struct fs_lp_writer *w, int n_values) {
  *w = (struct fs_lp_writer){.arena = fs_arena_new()};
  w->at = w->all = fs_lp_new(w->arena);
  w->value = FS_NEW_N(w->arena, struct fs_lp_value *, n_values + 1);
  for (int v = 0; v < n_values; v++) fs_lp_declare(w, NULL, v, 0);
}

void fs_lp_declare(struct fs_lp_writer *w, struct fs_lp *x, int number, unsigned over) {
  unsigned sum_over = w->value[number] ? w->value[number]->sum_over : 0;
  w->value[number] = FS_NEW(w->arena, struct fs_lp_value);
  *w->value[number] = (struct fs_lp_value){number, over, sum_over, false};
  if (x) x->makes = w->value[number];
}

const struct fs_lp *fs_lp_place(const struct fs_lp *program, const char *name, size_t len) {
  const struct fs_lp *x = program->body;
  while (x && (strlen(x->text) != len || memcmp(x->text, name, len))) x = x->next;
  return x;
}

void fs_lp_go(struct fs_lp_writer *w, const char *place) {
  w->at = (struct fs_lp *)fs_lp_place(w->all, place, strlen(place));
  if (w->at) return;
  w->at = w->all;
  fs_lp_open(w, FS_LP_PLACE, place);
}

struct fs_lp *fs_lp_open(struct fs_lp_writer *w, enum fs_lp_kind kind, const char *text) {
  return w->at = fs_lp_add(w, kind, text);
}

struct fs_lp *fs_lp_open_copy(struct fs_lp_writer *w, const struct fs_lp *x) {
  struct fs_lp *copy = FS_NEW(w->arena, struct fs_lp);
  *copy = *x;
  copy->body = copy->last = copy->other = NULL;
  fs_lp_link(w, copy);
  return w->at = copy;
}

void fs_lp_else(struct fs_lp_writer *w, const char *note) {
  struct fs_lp *branch = w->at, *other = fs_lp_new(w->arena);
  other->outer = branch;
  other->note = note;
  branch->other = other;
  w->at = other;
}

/* What is in the last statement of a body takes its place. */
static void dissolve(struct fs_lp *x) {
  struct fs_lp *outer = x->outer, **end = &outer->body;
  while (*end != x) end = &(*end)->next;
  *end = x->body;
  for (struct fs_lp *s = x->body; s; s = s->next) s->outer = outer;
  outer->last = x->last;
  for (struct fs_lp *s = x->body ? NULL : outer->body; s; s = s->next) outer->last = s;
}

/* What runs else is closed with its branch. */
void fs_lp_close(struct fs_lp_writer *w) {
  struct fs_lp *x = w->at;
  bool is_other = x->outer && x->outer->other == x;
  w->at = is_other ? x->outer->outer : x->outer;
  if (x->kind == FS_LP_BLOCK && x->bare) dissolve(x);
}

void fs_lp_append(struct fs_lp_writer *w, const struct fs_lp *list) {
  for (struct fs_lp *x = list->body, *next; x; x = next) {
    const struct fs_lp *first = x->body;
    bool once = x->kind == FS_LP_FOR && x->extent == 1;
    next = x->next;
    if (once && first->kind != FS_LP_LET && first->way != FS_LP_SHORT) {
      fs_lp_append(w, x);
      continue;
    }
    if (once) x->kind = FS_LP_BLOCK, x->text = NULL, x->unroll = FS_LP_UNROLL_AS_IT_IS;
    fs_lp_link(w, x);
    if (x->kind == FS_LP_IF) { /* loops in it */
      const struct fs_lp inner = *x;
      struct fs_lp_writer in = {.arena = w->arena, .at = x};
      x->body = x->last = NULL;
      fs_lp_append(&in, &inner);
    }
  }
}

/* -- what is around --------------------------------------------------------------- */

/* What a statement is in: of what runs else, what its branch is in. */
static const struct fs_lp *around(const struct fs_lp *x) {
  bool is_other = x->outer && x->outer->other == x;
  return is_other ? x->outer->outer : x->outer;
}

const struct fs_lp *fs_lp_loop(const struct fs_lp_writer *w, enum fs_lp_axis axis) {
  const struct fs_lp *x = w->at;
  while (x && (x->kind != FS_LP_FOR || x->axis != axis)) x = around(x);
  return x;
}

bool fs_lp_has_value(const struct fs_lp_writer *w, int number) {
  for (const struct fs_lp *x = w->at; x; x = around(x))
    for (const struct fs_lp *s = x->body; s; s = s->next)
      if (s->makes == w->value[number]) return true;
  return false;
}

/* "const fs_index j = ..." */
static bool names(const struct fs_lp *x, const char *name) {
  size_t n = strlen(name);
  for (const char *p = x->text; x->kind == FS_LP_LET && p && (p = strchr(p, ' ')); p++)
    if (!strncmp(p + 1, name, n) && !strncmp(p + 1 + n, " = ", 3)) return true;
  return false;
}

bool fs_lp_has_name(const struct fs_lp_writer *w, const char *name) {
  for (const struct fs_lp *x = w->at; x; x = around(x))
    for (const struct fs_lp *s = x->body; s; s = s->next)
      if (names(s, name)) return true;
  return false;
}

/* -- looking ---------------------------------------------------------------------- */

void fs_lp_put_rounds(const struct fs_lp *x, struct fs_str *out) {
  char var = axes[x->axis].variable;
  if (x->text) fs_str_puts(out, x->text);
  else fs_str_printf(out, "int %c = 0; %c < %lld; %c++", var, var, (long long)x->extent, var);
}

static void put_loop(const struct fs_lp *x, struct fs_str *out) {
  fs_str_printf(out, " %s", axes[x->axis].name);
  if (x->extent) fs_str_printf(out, " %lld", (long long)x->extent);
  if (x->unroll == FS_LP_UNROLL_ALL) fs_str_puts(out, " unrolled");
  else if (x->unroll) fs_str_printf(out, " unroll %d", x->unroll);
}

static void put_value(const struct fs_lp_value *v, bool named, struct fs_str *out) {
  if (!named) fs_str_printf(out, " v%d", v->number);
  for (int axis = 0; axis < FS_LP_AXES; axis++)
    if (v->over & 1u << axis) fs_str_printf(out, " of %s", axes[axis].name);
}

void fs_lp_dump(const struct fs_lp *block, int indent, struct fs_str *out) {
  for (const struct fs_lp *x = block->body; x; x = x->next) {
    fs_str_printf(out, "%*s%s", 2 * indent, "", kinds[x->kind].name);
    if (x->kind == FS_LP_FOR) put_loop(x, out);
    if (x->step && x->step->out >= 0) fs_str_printf(out, " v%d", x->step->out);
    else if (x->step) fs_str_printf(out, " a%d", x->step->access);
    if (x->makes) put_value(x->makes, x->step && x->step->out == x->makes->number, out);
    if (x->way) fs_str_puts(out, x->way == FS_LP_SHORT ? " short" : " long");
    if (x->text) {
      fs_str_puts(out, ": ");
      fs_lp_spell(FS_CUDA_C, x->text, strlen(x->text), out);
    } else if (x->kind == FS_LP_FOR) {
      fs_str_puts(out, ": ");
      fs_lp_put_rounds(x, out);
    }
    fs_str_puts(out, "\n");
    fs_lp_dump(x, indent + 1, out);
    if (!x->other) continue;
    fs_str_printf(out, "%*selse\n", 2 * indent, "");
    fs_lp_dump(x->other, indent + 1, out);
  }
}

static const char *step_rule(const struct fs_lp *x) {
  enum fs_step_kind kind = x->step->kind;
  switch (x->kind) {
    case FS_LP_LOAD: return kind == FS_SP_LOAD ? NULL : "a load of no load";
    case FS_LP_STORE: return kind == FS_SP_STORE ? NULL : "a store of no store";
    case FS_LP_ACC: case FS_LP_FOLD:
      return kind == FS_SP_REDUCE ? NULL : "a sum of no reduction";
    case FS_LP_MAP:
      return kind == FS_SP_REDUCE || kind == FS_SP_STORE ? "a map that makes no value" : NULL;
    default: return NULL;
  }
}

/* `inside`: of a loop over what one thread has. */
static const char *check(const struct fs_lp *block, bool inside, const struct fs_lp **where) {
  const char *rule = NULL;
  for (const struct fs_lp *x = block->body; x && !rule; x = x->next) {
    *where = x;
    bool loop = x->kind == FS_LP_FOR;
    if (!kinds[x->kind].body && (x->body || x->other)) rule = "statements in one that has no body";
    else if (x->other && x->kind != FS_LP_IF) rule = "an else of no if";
    else if (loop && x->extent < 0) rule = "a loop without rounds";
    else if (x->kind == FS_LP_BARRIER && inside) rule = "a barrier among what one thread has";
    else if (x->step) rule = step_rule(x);
    if (rule) return rule;
    bool in = inside || (loop && axes[x->axis].variable && x->extent > 1);
    rule = check(x, in, where);
    if (!rule && x->other) rule = check(x->other, in, where);
  }
  return rule;
}

const char *fs_lp_check(const struct fs_lp *block, const struct fs_lp **where) {
  return check(block, false, where);
}
