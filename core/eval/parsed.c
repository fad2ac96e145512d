/* parsed.c - texts that come again: a statement at the prompt, a cell, the body of
 * a measurement. Their statements are found, not parsed, and have the spans that
 * they had, so that a block of theirs is known by its words as well. */
#include <stdio.h>

#include "core/eval/interp.h"
#include "core/lang/parse.h"

enum { TEXTS_KEPT = 64, LONGEST_KEPT = 16 << 10 };

static void move_to_end(struct fs_interp *in, int k) {
  struct fs_parsed p = in->parsed.data[k];
  memmove(&in->parsed.data[k], &in->parsed.data[k + 1],
          sizeof p * (size_t)(in->parsed.len - 1 - k));
  in->parsed.data[in->parsed.len - 1] = p;
}

/* The place of a text among those that were seen, or -1. */
static int find(const struct fs_interp *in, const char *text, size_t len) {
  for (int k = in->parsed.len - 1; k >= 0; k--) {
    const struct fs_source *s =
        &in->diags->sources.data[in->parsed.data[k].source];
    if (s->len == len && !memcmp(s->text, text, len)) return k;
  }
  return -1;
}

static void keep(struct fs_interp *in, struct fs_parsed fresh) {
  if (in->parsed.len == TEXTS_KEPT) {
    move_to_end(in, 0);
    fs_unit_unref(in->parsed.data[--in->parsed.len].unit);
  }
  *FS_PUSH(&in->parsed) = fresh;
  fs_unit_ref(fresh.unit);
}

/* x // 2 is x and a comment: said where what follows is a number or a variable. */
static void tell_comment(struct fs_interp *in, uint32_t source, const char *text, size_t len) {
  enum fs_other what;
  struct fs_span comment = {.source = source}, word = comment;
  if (!fs_other_comment(text, len, &what, &comment, &word)) return;
  int n = (int)(word.end - word.begin);
  char name[64] = "";
  struct fs_val v = {FS_V_NONE};
  if (n < (int)sizeof name) snprintf(name, sizeof name, "%.*s", n, text + word.begin);
  bool operand = what != FS_OTHER_DIVISION || (name[0] >= '0' && name[0] <= '9') ||
                 (name[0] && fs_lookup(in, name, &v) && v.kind != FS_V_FUNCTION);
  fs_val_unref(v);
  if (operand) fs_tell_other(in->diags, what, comment);
}

enum fs_status fs_parsed_get(struct fs_interp *in, const char *name,
                             const char *text, size_t len, int before,
                             struct fs_unit **unit, struct fs_stmt **stmts) {
  int k = find(in, text, len);
  if (k >= 0) {
    if (k < in->parsed.len - 1) move_to_end(in, k);
    struct fs_parsed *p = &in->parsed.data[in->parsed.len - 1];
    fs_source_place(in->diags, p->source, name, before);
    *unit = fs_unit_ref(p->unit);
    *stmts = p->stmts;
    return FS_OK;
  }
  struct fs_parsed p = {.source = fs_source_add(in->diags, name, text, len)};
  fs_source_place(in->diags, p.source, name, before);
  p.unit = fs_unit_new(&in->all_units);
  int told = in->diags->list.len; /* a warning is given every time */
  enum fs_status st = fs_parse(in->diags, p.unit->arena, p.source, &p.stmts);
  if (st != FS_OK) {
    fs_unit_unref(p.unit);
    return st;
  }
  *unit = p.unit;
  *stmts = p.stmts;
  if (in->diags->list.len == told && len <= LONGEST_KEPT) keep(in, p);
  tell_comment(in, p.source, text, len);
  return FS_OK;
}

void fs_parsed_clear(struct fs_interp *in) {
  for (int k = 0; k < in->parsed.len; k++)
    fs_unit_unref(in->parsed.data[k].unit);
  FS_VEC_FREE(&in->parsed);
}
