/* lift.c - which loops are lifted, and why one is not: see lift.h. */
#include "core/eval/lift_nest.h"

#include <stdio.h>

/* The ways in which a nest is tried: its inner loops as axes; as what each round goes through by
 * itself; and the likelier of these once more, to say why not. */
enum way { AS_AXES, BY_ITSELF, ALOUD };

/* In the arena of its statement. */
struct fs_lift {
  bool index;                /* there are elements in it */
  struct fs_lift_refusal refused; /* by its words: it is not of elements alone */
  bool told;                 /* the note */
  enum way way;              /* in which it was lifted the last time */
  struct fs_lift_said said;  /* of one that insists */
  bool by_data;              /* it has inner loops that go as far as data say */
  int64_t rounds;            /* of its statement that had most, when it was lifted the last time */
};

enum { LONGEST_CHAIN = 256 };

/* -- words -------------------------------------------------------------------- */

static void refuse(struct fs_lift *l, struct fs_span span, const char *why) {
  if (!l->refused.why) l->refused = (struct fs_lift_refusal){.span = span, .why = why};
}

/* Looks whether an expression may be one of elements. */
static void read_words(const struct fs_expr *e, struct fs_lift *l) {
  for (int n = 0; n < LONGEST_CHAIN; n++, e = e->args[0]) {
    switch (e->kind) {
      case FS_EX_NUMBER: case FS_EX_BOOL: case FS_EX_NAME: case FS_EX_END: return;
      case FS_EX_UNARY: case FS_EX_BINARY: case FS_EX_CALL: break;
      case FS_EX_INDEX: l->index = true; break;
      case FS_EX_RANGE: case FS_EX_COLON: refuse(l, e->span, "is more than one element"); return;
      default: refuse(l, e->span, "is no element and no number"); return;
    }
    for (int k = 1; k < e->n_args; k++) read_words(e->args[k], l);
  }
  refuse(l, e->span, "is too long");
}

static void read_range(const struct fs_stmt *s, struct fs_lift *l) {
  if (s->expr->kind != FS_EX_RANGE) refuse(l, s->expr->span, "is no range of numbers");
  for (int k = 0; k < s->expr->n_args && s->expr->kind == FS_EX_RANGE; k++)
    read_words(s->expr->args[k], l);
}

/* The statements of a `while`. */
static void read_inside(const struct fs_stmt *body, struct fs_lift *l) {
  for (const struct fs_stmt *s = body; s; s = s->next) {
    if (s->kind == FS_ST_FOR) read_range(s, l);
    else if (s->expr) read_words(s->expr, l);
    read_inside(s->body, l);
    read_inside(s->orelse, l);
    bool known = s->kind == FS_ST_ASSIGN || s->kind == FS_ST_IF || s->kind == FS_ST_WHILE ||
                 s->kind == FS_ST_FOR || s->kind == FS_ST_BREAK || s->kind == FS_ST_CONTINUE;
    if (s->kind == FS_ST_INDEXED) l->index = true;
    if (!known) refuse(l, s->span, "is no assignment to a name, and stands in a `while`");
  }
}

static void read_body(const struct fs_stmt *body, struct fs_lift *l) {
  for (const struct fs_stmt *s = body; s; s = s->next) {
    switch (s->kind) {
      case FS_ST_CONTINUE: break;
      case FS_ST_IF:
        read_words(s->expr, l);
        read_body(s->orelse, l);
        if (!fs_lift_ends(s->body, FS_ST_BREAK)) read_body(s->body, l);
        break;
      case FS_ST_FOR:
        read_body(s->body, l);
        read_range(s, l);
        break;
      case FS_ST_INDEXED:
        read_words(s->expr2, l);
        read_words(s->expr, l);
        break;
      case FS_ST_ASSIGN:
        if (s->n_targets != 1) refuse(l, s->span, "gives several names");
        else read_words(s->expr, l);
        break;
      case FS_ST_WHILE:
        read_words(s->expr, l);
        read_inside(s->body, l);
        break;
      default: refuse(l, s->span, "is no assignment, `if` or `for`"); break;
    }
  }
}

static struct fs_lift *known(struct fs_interp *in, const struct fs_stmt *s) {
  if (s->lift) return s->lift;
  struct fs_lift *l = FS_NEW(in->units.data[in->units.len - 1]->arena, struct fs_lift);
  *l = (struct fs_lift){.index = false};
  read_body(s->body, l);
  ((struct fs_stmt *)s)->lift = l;
  return l;
}

/* -- why not --------------------------------------------------------------------- */

static void put_text(struct fs_interp *in, struct fs_span span, struct fs_str *out) {
  fs_str_puts(out, "`");
  fs_span_put_line(in->diags, span, 60, out);
  fs_str_puts(out, "`");
}

static void put_span(const struct fs_lift_nest *n, struct fs_span span, struct fs_str *out) {
  put_text(n->in, span, out);
}

/* " of line 3", where the loop begins in another line. */
static void put_line_of(struct fs_interp *in, const struct fs_stmt *loop, const char *word,
                        struct fs_span span, struct fs_str *out) {
  int line, column, begins;
  fs_span_position(in->diags, loop->span, &begins, &column);
  fs_span_position(in->diags, span, &line, &column);
  if (line != begins) fs_str_printf(out, " %s line %d", word, line);
}

static void put_line(const struct fs_lift_nest *n, const char *word, struct fs_span span,
                     struct fs_str *out) {
  put_line_of(n->in, n->loops.data[0].s, word, span, out);
}

/* What a write meets in another round. */
static void put_conflict(const struct fs_lift_nest *n, const struct fs_lift_conflict *c,
                         struct fs_str *out) {
  const struct fs_lift_access *w = &n->accesses.data[c->first], *x = &n->accesses.data[c->second];
  const struct fs_stmt *writes = n->items.data[w->item].s, *other = n->items.data[x->item].s;
  bool earlier = w->item >= x->item;
  const char *round = c->distance == 1 ? (earlier ? "the round before" : "the next round")
                                       : (earlier ? "an earlier round" : "a later round");
  fs_str_puts(out, ": ");
  if (other->kind == FS_ST_IF || other->kind == FS_ST_WHILE || other->kind == FS_ST_FOR) put_span(n, other->expr->span, out);
  else if (other->kind == FS_ST_INDEXED) put_span(n, other->expr2->span, out);
  else put_span(n, other->span, out);
  put_line(n, "of", other->span, out);
  if (x->write) {
    fs_str_puts(out, " is an element that ");
  } else {
    fs_str_puts(out, " reads ");
    put_span(n, x->e->span, out);
    fs_str_puts(out, ", which ");
  }
  bool perhaps = n->items.data[w->item].guard >= 0 || n->items.data[x->item].guard >= 0 ||
                 fs_lift_is_computed(w) || fs_lift_is_computed(x);
  fs_str_printf(out, "%s %s", round, perhaps ? "may write" : "writes");
  if (writes != other) put_line(n, "in", writes->span, out);
}

/* "for i", "forall i" */
static void put_loop(const struct fs_stmt *s, struct fs_str *out) {
  fs_str_printf(out, "`%s %.60s`", s->text ? s->text : "for", s->targets[0].name);
}

/* Why the rounds of one that insists do not run at once; `look`: in how many of them there may be
 * a mistake that keeps them from it. */
static void insisted(struct fs_interp *in, const struct fs_stmt *s, struct fs_span span,
                     int64_t look, bool wait, const char *message) {
  struct fs_arena *arena = in->units.data[in->units.len - 1]->arena;
  struct fs_lift_said *said = &known(in, s)->said;
  said->span = span;
  said->wait = wait;
  said->look = in->explain ? 0 : look;
  said->text = fs_arena_printf(arena, "%s", message);
  said->hint = !strcmp(s->text, "kernel")
                   ? "docs/kernels.md says which kernels are read"
                   : fs_arena_printf(arena, "`for` in place of `%s` runs them one by one", s->text);
}

const struct fs_lift_said *fs_lift_said(const struct fs_stmt *s) {
  return s->lift && s->lift->said.text ? &s->lift->said : NULL;
}

/* For `:why`; the note comes once. */
void fs_lift_keep_reason(struct fs_interp *in, struct fs_span span, const char *message) {
  if (in->waits_old) fs_lift_forget(in);
  for (int k = 0; k < in->waits.len; k++)
    if (!fs_span_compare(in->waits.data[k].span, span)) return;
  char *copy = fs_strdup(message);
  *FS_PUSH(&in->waits) = (struct fs_diag){.severity = FS_NOTE, .span = span, .message = copy};
}

/* What a loop has that is not lifted: a name that there is not shows in the first round, a place
 * that is none in any; but under a condition there may be none, and then it is not sought long. */
static void keep_refusal(struct fs_interp *in, const struct fs_stmt *s,
                         const struct fs_lift_refusal *r) {
  enum { SOUGHT = 1 << 20 }; /* rounds: some seconds */
  struct fs_str why = {0};
  if (in->lib_depth) return;
  fs_str_puts(&why, "rounds of ");
  put_loop(s, &why);
  fs_str_puts(&why, s->text ? " cannot run at once: " : " run one by one: ");
  put_text(in, r->span, &why);
  put_line_of(in, s, "of", r->span, &why);
  fs_str_printf(&why, " %s", r->why);
  if (s->text)
    insisted(in, s, r->span, r->place ? SOUGHT : 1, false, fs_str_text(&why));
  else
    fs_lift_keep_reason(in, s->targets[0].span, fs_str_text(&why));
  fs_str_free(&why);
}

void fs_lift_forget(struct fs_interp *in) {
  for (int k = 0; k < in->waits.len; k++) free(in->waits.data[k].message);
  in->waits.len = 0;
  in->waits_old = false;
}

static void tell(const struct fs_lift_nest *n, int loop,
                 const struct fs_lift_conflict *c) {
  struct fs_str why = {0};
  const struct fs_lift_loop *l = &n->loops.data[loop];
  struct fs_lift *waits = known(n->in, l->s);
  fs_str_puts(&why, "rounds of ");
  put_loop(l->s, &why);
  fs_str_puts(&why, " wait for each other");
  if (c) {
    put_conflict(n, c, &why);
  } else {
    fs_str_puts(&why, ": ");
    put_span(n, n->carried->span, &why);
    put_line(n, "of", n->carried->span, &why);
    fs_str_puts(&why, " is what the round before made it");
  }
  struct fs_span span = l->s->targets[0].span;
  if (n->loops.data[0].s->text)
    insisted(n->in, n->loops.data[0].s, span, 0, true, fs_str_text(&why));
  else
    fs_lift_keep_reason(n->in, span, fs_str_text(&why));
  if (!waits->told && !l->s->text && !n->loops.data[0].s->text)
    fs_note(n->in->diags, span, "rounds-wait",
            "they run one by one on the host; after `:set loops off` nothing is said", "%s",
            fs_str_text(&why));
  waits->told = true;
  fs_str_free(&why);
}

/* -- in plans --------------------------------------------------------------------- */

/* "for i, j: " stands in front of the statements of a lifted nest, as long as it is one. */
static void name_loops(const struct fs_lift_nest *n, bool lifted) {
  for (int k = 0; k < n->items.len; k++) {
    const struct fs_lift_item *it = &n->items.data[k];
    struct fs_str words = {0};
    if (it->kind == FS_LIFT_CONDITION) continue;
    for (int l = 0; l < it->depth; l++)
      fs_str_printf(&words, "%s%s", l ? ", " : "for ", n->loops.data[it->loops[l]].name);
    bool counts = it->region >= 0 && it->s->kind == FS_ST_FOR;
    if (counts) fs_str_printf(&words, ": for %s = ", it->s->targets[0].name);
    else fs_str_puts(&words, it->region >= 0 ? ": while " : ": ");
    fs_source_set_words(n->in->diags, fs_lift_span(it), lifted ? fs_str_text(&words) : NULL);
    fs_str_free(&words);
  }
}

/* -- loops ------------------------------------------------------------------------ */

/* Which comes after one in which it cannot be lifted. */
static enum way next_way(const struct fs_lift_nest *n, enum way way) {
  return way == AS_AXES && n->may_be_serial ? BY_ITSELF : ALOUD;
}

/* Nothing was found in the text that keeps rounds from running at once. Where none is wrong by
 * itself, a value was looked at that no round reads. */
static void insist(struct fs_interp *in, const struct fs_stmt *s) {
  struct fs_str why = {0};
  fs_str_puts(&why, "rounds of ");
  put_loop(s, &why);
  fs_str_puts(&why, " cannot run at once: a computed place or a sum by place in them may be out "
                    "of range");
  insisted(in, s, s->targets[0].span, INT64_MAX, false, fs_str_text(&why));
  fs_str_free(&why);
}

/* A loop being tried: in which way, and the rounds that are to be lifted. */
struct trial {
  struct fs_interp *in;
  const struct fs_stmt *s;
  struct fs_lift *l;
  const struct fs_val *range;
  struct fs_val part;
  int64_t all, rounds, done;
  enum way way;
  bool whole, flushed;
};

static void try_all_rounds(struct trial *a) {
  a->rounds = a->all;
  a->part = *a->range;
}

static bool has_another_way(const struct trial *a, const struct fs_lift_nest *n) {
  return a->way != ALOUD && (a->way > AS_AXES || next_way(n, a->way) != ALOUD);
}

/* It was not lifted so: whether it is tried again. */
static bool goes_on(struct trial *a, struct fs_lift_nest *n, enum fs_status *st) {
  if (n->wants_stored && !a->flushed) {
    *st = fs_interp_flush(a->in); /* now it is */
    return a->flushed = true;
  }
  if (n->windows) { /* perhaps as loops like others */
    try_all_rounds(a);
    return a->whole = true;
  }
  if (has_another_way(a, n)) {
    a->l->by_data |= n->must_be_serial;
    a->way = next_way(n, a->way);
    a->whole = false;
    try_all_rounds(a);
    return true;
  }
  if (n->refused.why) keep_refusal(a->in, a->s, &n->refused);
  return false;
}

/* Whether no round waits for another; else that is told. */
static bool is_free(struct trial *a, struct fs_lift_nest *n, enum fs_status *st) {
  struct fs_lift_conflict c;
  if (!fs_lift_read(n, a->s, &a->part)) return false;
  bool apart = fs_lift_independent(n, &c), free = apart && !n->carried;
  bool silent = a->in->lib_depth || n->windows || has_another_way(a, n);
  if (!free && !silent) tell(n, apart ? n->carried_loop : c.loop, apart ? NULL : &c);
  name_loops(n, free);
  return free && fs_lift_stop(n, &a->rounds, st);
}

static int64_t most_rounds(const struct fs_lift_nest *n) {
  double most = 1;
  for (int k = 0; k < n->items.len; k++) {
    const struct fs_lift_item *it = &n->items.data[k];
    double rounds = 1;
    for (int l = 0; l < it->depth; l++) rounds *= (double)n->loops.data[it->loops[l]].count;
    most = FS_MAX(most, rounds);
  }
  return (int64_t)FS_MIN(most, 0x1p53);
}

int64_t fs_lift_rounds_of(const struct fs_stmt *s) { return s->lift ? s->lift->rounds : 0; }

static bool try_once(struct trial *a, enum fs_status *st) {
  struct fs_lift_nest n = {.in = a->in, .stopped = a->rounds < a->all, .whole = a->whole,
                           .cut = a->flushed};
  n.serial = a->way == BY_ITSELF || (a->way == ALOUD && a->l->by_data);
  bool again = false, free = is_free(a, &n, st), stops = free && a->rounds < a->all && !n.stopped;
  if (stops) {
    again = a->rounds > 0;
    a->part.stop = a->part.start + a->part.step * (double)(a->rounds - 1);
  } else if (free && fs_lift_trace(&n, st)) {
    a->done = a->rounds;
    a->l->rounds = most_rounds(&n);
  }
  if (!a->done) name_loops(&n, false);
  if (!a->done && !stops && *st == FS_OK) again = goes_on(a, &n, st);
  fs_lift_nest_free(&n);
  return again;
}

int64_t fs_lift_try(struct fs_interp *in, const struct fs_stmt *s, const struct fs_val *range,
                    enum fs_status *st) {
  if (s->lift) s->lift->said.text = NULL;
  if (in->no_loops || in->elementwise || range->kind != FS_V_RANGE) return 0;
  struct fs_lift *l = known(in, s);
  struct fs_lift_refusal nothing = {.span = s->targets[0].span,
                                    .why = "counts rounds that touch no element"};
  l->rounds = 0;
  if (!l->index && !s->text) return 0;
  if (in->waits_old) fs_lift_forget(in);
  if (l->refused.why || !l->index) {
    keep_refusal(in, s, l->refused.why ? &l->refused : &nothing);
    return 0;
  }
  struct trial a = {in, s, l, range, .all = fs_range_count(range), .way = l->way};
  a.flushed = in->explain;
  try_all_rounds(&a);
  *st = fs_poll(in, s->span);
  while (*st == FS_OK && try_once(&a, st)) continue;
  l->way = a.done && a.way != ALOUD ? a.way : AS_AXES;
  bool insists = s->text && *st == FS_OK && !a.done && a.all && !in->explain;
  if (insists && !l->said.text) insist(in, s);
  return a.done;
}
