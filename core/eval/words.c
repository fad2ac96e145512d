/* words.c - the words of messages: where they point, and what they call things. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "core/eval/interp.h"

struct fs_span fs_in_span(const struct fs_interp *in, struct fs_span span) {
  return in->lib_depth ? in->lib_span : span;
}

static char *ring(void) {
  static char texts[16][80];
  static unsigned next;
  return texts[next++ % 16];
}

const char *fs_in_text(const struct fs_interp *in, struct fs_span span) {
  size_t len = 0;
  const char *text = fs_span_text(in->diags, span, &len);
  char *out = ring();
  if (!text || !len) return "the value";
  size_t n = fs_utf8_cut(text, len, 28);
  const char *nl = memchr(text, '\n', n);
  if (nl) n = (size_t)(nl - text);
  snprintf(out, 80, "%.*s%s", (int)n, text, n < len ? "..." : "");
  return out;
}

/* Of what `'` takes a bracket, a name or the whole: not of 2*x'. */
static bool is_one_operand(const char *text, size_t n) {
  int depth = 0;
  for (size_t k = 0; k < n; k++) {
    bool word = text[k] & 0x80 || text[k] == '_' || isalnum((unsigned char)text[k]);
    bool open = text[k] == '(' || text[k] == '[';
    depth -= text[k] == ')' || text[k] == ']';
    if (!depth && !word && !open && text[k] != ')' && text[k] != ']') return false;
    depth += open;
  }
  return true;
}

const char *fs_in_operand(const struct fs_interp *in, struct fs_span span) {
  const char *text = fs_in_text(in, span);
  size_t n = strlen(text), quotes = 0;
  while (quotes < n && text[n - 1 - quotes] == '\'') quotes++;
  if (is_one_operand(text, n - quotes)) return text;
  char *out = ring();
  snprintf(out, 80, "(%s)", text);
  return out;
}

const char *fs_in_transposed(const struct fs_interp *in, struct fs_span span) {
  const char *text = fs_in_text(in, span);
  size_t n = strlen(text);
  char *out = ring();
  if (n > 1 && text[n - 1] == '\'' && is_one_operand(text, n - 1))
    snprintf(out, 80, "%.*s", (int)(n - 1), text);
  else
    snprintf(out, 80, "%s'", fs_in_operand(in, span));
  return out;
}

const char *fs_shape_text(const struct fs_shape *s) {
  struct fs_str text = {0};
  fs_shape_print(s, &text);
  char *out = ring();
  snprintf(out, 80, "%s", fs_str_text(&text));
  fs_str_free(&text);
  return out;
}

const char *fs_number_text(double x) {
  if (isnan(x)) return "NaN";
  if (isinf(x)) return x < 0 ? "-Inf" : "Inf";
  char *out = ring();
  snprintf(out, 80, "%.10g", x);
  return out;
}

const char *fs_val_text(const struct fs_val *v) {
  switch (v->kind) {
    case FS_V_NONE: return "nothing";
    case FS_V_NUMBER: return "a number";
    case FS_V_BOOL: return "a bool";
    case FS_V_STRING: return "a string";
    case FS_V_RANGE: return "a range";
    case FS_V_FUNCTION: return "a function";
    case FS_V_LIST: return "a list";
    case FS_V_RECORD: return "a record";
    case FS_V_COMPLEX:
      if (fs_val_is_complex_number(v)) return "a complex number"; /* fall through */
    case FS_V_TENSOR: break;
  }
  char *out = ring();
  snprintf(out, 80, "%s %s", fs_shape_text(&fs_val_like(v)->shape), fs_val_type_name(v));
  return out;
}
