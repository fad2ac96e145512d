/* print_cuda.c - a program of loops as CUDA C, to 80 columns. */
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

/* What stands before the body of a statement. */
static void put_head(const struct fs_lp *x, struct fs_str *out) {
  const char *brace = x->bare ? "" : " {";
  switch (x->kind) {
    case FS_LP_FOR: fs_str_printf(out, "for (%s)%s", x->text, brace); break;
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

static void put_statement(const struct fs_lp *x, int indent, struct fs_str *out) {
  bool opens = x->kind == FS_LP_BLOCK || x->kind == FS_LP_FOR || x->kind == FS_LP_WHILE ||
               x->kind == FS_LP_IF || x->kind == FS_LP_FUNCTION;
  put_unroll(x, out);
  if (!opens) {
    put_line(out, x->shift == FS_LP_MARGIN ? 0 : indent + x->shift, x->text, strlen(x->text));
    return;
  }
  struct fs_str head = {0};
  put_head(x, &head);
  put_line(out, indent, fs_str_text(&head), head.len);
  fs_lp_print_cuda(x, indent + 1, out);
  if (x->other) {
    fs_str_clear(&head);
    fs_str_puts(&head, "} else {");
    if (x->other->note) fs_str_printf(&head, "  // %s", x->other->note);
    put_line(out, indent, fs_str_text(&head), head.len);
    fs_lp_print_cuda(x->other, indent + 1, out);
  }
  const char *end = x->kind == FS_LP_FUNCTION ? "};" : "}";
  if (!x->bare) put_line(out, indent, end, strlen(end));
  fs_str_free(&head);
}

void fs_lp_print_cuda(const struct fs_lp *block, int indent, struct fs_str *out) {
  for (const struct fs_lp *x = block->body; x; x = x->next) put_statement(x, indent, out);
}
