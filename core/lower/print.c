/* print.c - a program of loops as text in a dialect of C, to 80 columns. */
#include <limits.h>

#include "core/lower/program.h"

/* Where to break a text that is longer than `room`: at the last of those blanks
 * that lie in the fewest brackets. 0: nowhere. */
static size_t break_at(const char *text, size_t room) {
  size_t best = 0;
  int depth = 0, least = INT_MAX;
  for (size_t k = 0; k <= room; k++) {
    if (text[k] == '(' || text[k] == '[' || text[k] == '{') depth++;
    if (text[k] == ')' || text[k] == ']' || text[k] == '}') depth--;
    if (text[k] != ' ' || k <= room / 3 || depth > least) continue;
    best = k;
    least = depth;
  }
  return best;
}

/* A line; what would go beyond column 80 is two steps further in, on lines of its own. */
static void put_line(struct fs_str *out, int indent, const char *text, size_t len) {
  for (int depth = indent; len > 0; indent = depth + 2) {
    size_t room = 80 - 2 * (size_t)indent, cut = 0;
    if (len > room && strncmp(text, "//", 2) && text[0] != '#') cut = break_at(text, room);
    if (!cut) cut = len;
    fs_str_printf(out, "%*s", 2 * indent, "");
    fs_str_put(out, text, cut);
    fs_str_puts(out, "\n");
    while (cut < len && text[cut] == ' ') cut++;
    text += cut;
    len -= cut;
  }
}

/* The same of a text as it was written. */
static void spell_line(struct fs_str *out, enum fs_dialect dialect, int indent, const char *text) {
  struct fs_str line = {0};
  fs_lp_spell(dialect, text, strlen(text), &line);
  put_line(out, indent, fs_str_text(&line), line.len);
  fs_str_free(&line);
}

/* Whether a statement declares memory of the block, which OpenCL C has at the beginning. */
static bool is_shared(const struct fs_lp *x) {
  return x->kind == FS_LP_TEXT && x->text && strstr(x->text, "__shared__ ");
}

/* What stands before the body of a statement. */
static void put_head(const struct fs_lp *x, struct fs_str *out) {
  const char *brace = x->bare ? "" : " {";
  switch (x->kind) {
    case FS_LP_FOR:
      fs_str_puts(out, "for (");
      fs_lp_put_rounds(x, out);
      fs_str_printf(out, ")%s", brace);
      break;
    case FS_LP_WHILE: fs_str_printf(out, "while (%s)%s", x->text, brace); break;
    case FS_LP_IF: fs_str_printf(out, "if (%s)%s", x->text, brace); break;
    case FS_LP_FUNCTION: fs_str_printf(out, "%s {", x->text); break;
    default: fs_str_puts(out, "{");
  }
  if (x->note) fs_str_printf(out, "  // %s", x->note);
}

static void put_unroll(const struct fs_lp *x, struct fs_str *out) {
  if (x->unroll == FS_LP_UNROLL_ALL) fs_str_puts(out, "#pragma unroll\n");
  else if (x->unroll) fs_str_printf(out, "#pragma unroll %d\n", x->unroll);
}

static void put_statement(const struct fs_lp *x, enum fs_dialect dialect, int indent,
                          struct fs_str *out) {
  bool opens = x->kind == FS_LP_BLOCK || x->kind == FS_LP_FOR || x->kind == FS_LP_WHILE ||
               x->kind == FS_LP_IF || x->kind == FS_LP_FUNCTION;
  if (dialect == FS_OPENCL_C && is_shared(x)) return;
  put_unroll(x, out);
  if (!opens) {
    spell_line(out, dialect, indent + x->shift, x->text);
    return;
  }
  struct fs_str head = {0};
  put_head(x, &head);
  spell_line(out, dialect, indent, fs_str_text(&head));
  fs_lp_print(x, dialect, indent + 1, out);
  if (x->other) {
    fs_str_clear(&head);
    fs_str_puts(&head, "} else {");
    if (x->other->note) fs_str_printf(&head, "  // %s", x->other->note);
    put_line(out, indent, fs_str_text(&head), head.len);
    fs_lp_print(x->other, dialect, indent + 1, out);
  }
  const char *end = x->kind == FS_LP_FUNCTION ? "};" : "}";
  if (!x->bare) put_line(out, indent, end, strlen(end));
  fs_str_free(&head);
}

void fs_lp_print(const struct fs_lp *block, enum fs_dialect dialect, int indent,
                 struct fs_str *out) {
  for (const struct fs_lp *x = block->body; x; x = x->next) put_statement(x, dialect, indent, out);
}

void fs_lp_print_shared(const struct fs_lp *block, enum fs_dialect dialect, int indent,
                        struct fs_str *out) {
  if (dialect != FS_OPENCL_C) return;
  for (const struct fs_lp *x = block->body; x; x = x->next) {
    if (is_shared(x)) spell_line(out, dialect, indent, x->text);
    fs_lp_print_shared(x, dialect, indent, out);
    if (x->other) fs_lp_print_shared(x->other, dialect, indent, out);
  }
}
