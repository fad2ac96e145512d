/* dump.c - the syntax tree as s-expressions:
 *
 *   q = A*p;              (= q (* A p));
 *   a, b = f(x)           (= (a b) (call f x))
 *   A[i,:] = v            (= (index A i :) v)
 *   f(x) = x^2            (function f (x) = (^ x 2))
 *   while x > 0           (while (> x 0)
 *     x -= 1                (= x (- x 1)))
 *   end
 *
 * A `;` behind a statement says that it is silent. */
#include "core/lang/parse.h"

static const char *op_text(enum fs_ast_op op) {
  switch (op) {
    case FS_AO_ADD: return "+";
    case FS_AO_SUB: return "-";
    case FS_AO_MUL: return "*";
    case FS_AO_DIV: return "/";
    case FS_AO_SOLVE: return "\\";
    case FS_AO_POW: return "^";
    case FS_AO_EMUL: return ".*";
    case FS_AO_EDIV: return "./";
    case FS_AO_EPOW: return ".^";
    case FS_AO_EQ: return "==";
    case FS_AO_NE: return "!=";
    case FS_AO_LT: return "<";
    case FS_AO_LE: return "<=";
    case FS_AO_GT: return ">";
    case FS_AO_GE: return ">=";
    case FS_AO_AND: return "&&";
    case FS_AO_OR: return "||";
    case FS_AO_NEG: return "neg";
    case FS_AO_PLUS: return "plus";
    case FS_AO_NOT: return "!";
    case FS_AO_TRANSPOSE: return "'";
  }
  return "?";
}

/* The shortest decimal that reads back as the same number. */
static void put_number(struct fs_str *out, const struct fs_expr *e) {
  if (e->is_int && e->number < 1e15) {
    fs_str_printf(out, "%.0f", e->number);
    return;
  }
  struct fs_str text = {0};
  for (int digits = 1; digits <= 17; digits++) {
    fs_str_clear(&text);
    fs_str_printf(&text, "%.*g", digits, e->number);
    if (strtod(text.data, NULL) == e->number) break;
  }
  fs_str_puts(out, text.data);
  if (!e->is_int && !strpbrk(text.data, ".e")) fs_str_puts(out, ".0");
  fs_str_free(&text);
}

static void put_string(struct fs_str *out, const char *text, size_t len) {
  fs_str_puts(out, "\"");
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      fs_str_printf(out, "\\%c", c);
    else if (c == '\n')
      fs_str_puts(out, "\\n");
    else if (c == '\t')
      fs_str_puts(out, "\\t");
    else if (c < 0x20 || c >= 0x7f)
      fs_str_printf(out, "\\x%02x", c);
    else
      fs_str_put(out, text + i, 1);
  }
  fs_str_puts(out, "\"");
}

static void put_expr(struct fs_str *out, const struct fs_expr *e);

static void put_args(struct fs_str *out, const struct fs_expr *e) {
  for (int i = 0; i < e->n_args; i++) {
    fs_str_puts(out, " ");
    put_expr(out, e->args[i]);
  }
  fs_str_puts(out, ")");
}

/* A left spine of any length in a loop: the heads from the top down, the
 * leftmost operand, then the right operands from the bottom up. */
static void put_binary(struct fs_str *out, const struct fs_expr *e) {
  FS_VEC(const struct fs_expr *) spine = {0};
  for (; e->kind == FS_EX_BINARY; e = e->args[0]) {
    *FS_PUSH(&spine) = e;
    fs_str_printf(out, "(%s ", op_text(e->op));
  }
  put_expr(out, e);
  while (spine.len) {
    fs_str_puts(out, " ");
    put_expr(out, spine.data[--spine.len]->args[1]);
    fs_str_puts(out, ")");
  }
  FS_VEC_FREE(&spine);
}

static void put_names(struct fs_str *out, const struct fs_param *names, int n) {
  for (int i = 0; i < n; i++) {
    const char *gap = i ? " " : "";
    if (!names[i].value) {
      fs_str_printf(out, "%s%s", gap, names[i].name);
      continue;
    }
    fs_str_printf(out, "%s(= %s ", gap, names[i].name);
    put_expr(out, names[i].value);
    fs_str_puts(out, ")");
  }
}

static void put_array(struct fs_str *out, const struct fs_expr *e) {
  int at = 0;
  fs_str_puts(out, "(array");
  for (int row = 0; row < e->n_rows; row++) {
    fs_str_puts(out, " (");
    for (int i = 0; i < e->row_len[row]; i++) {
      if (i) fs_str_puts(out, " ");
      put_expr(out, e->args[at++]);
    }
    fs_str_puts(out, ")");
  }
  fs_str_puts(out, ")");
}

static void put_list_of(struct fs_str *out, const struct fs_expr *e) {
  fs_str_puts(out, e->n_params ? "(record" : "(list");
  for (int k = 0; k < e->n_params; k++) {
    fs_str_printf(out, " (%s ", e->params[k].name);
    put_expr(out, e->args[k]);
    fs_str_puts(out, ")");
  }
  if (e->n_params) fs_str_puts(out, ")");
  else put_args(out, e);
}

static void put_expr(struct fs_str *out, const struct fs_expr *e) {
  switch (e->kind) {
    case FS_EX_NUMBER: put_number(out, e); return;
    case FS_EX_IMAGINARY: put_number(out, e), fs_str_puts(out, "i"); return;
    case FS_EX_BOOL: fs_str_puts(out, e->number ? "true" : "false"); return;
    case FS_EX_STRING: put_string(out, e->text, e->text_len); return;
    case FS_EX_NAME: fs_str_puts(out, e->text); return;
    case FS_EX_END: fs_str_puts(out, "end"); return;
    case FS_EX_COLON: fs_str_puts(out, ":"); return;
    case FS_EX_BINARY: put_binary(out, e); return;
    case FS_EX_ARRAY: put_array(out, e); return;
    case FS_EX_UNARY: fs_str_printf(out, "(%s%s", e->plain ? "." : "", op_text(e->op)); break;
    case FS_EX_RANGE: fs_str_puts(out, "(range"); break;
    case FS_EX_CALL: fs_str_puts(out, "(call"); break;
    case FS_EX_INDEX:
      fs_str_puts(out, "(index");
      for (int k = 0; k + 1 < e->n_args && e->borders; k++)
        fs_str_printf(out, "%c%s", k ? ',' : ';', fs_border_words[e->borders[k]]);
      break;
    case FS_EX_LIST: put_list_of(out, e); return;
    case FS_EX_FIELD:
      fs_str_puts(out, "(.");
      put_args(out, e);
      out->len--;
      fs_str_printf(out, " %s)", e->text);
      return;
    case FS_EX_VALUES: fs_str_puts(out, "(values"); break;
    case FS_EX_LAMBDA:
      fs_str_puts(out, "(-> (");
      put_names(out, e->params, e->n_params);
      fs_str_puts(out, ")");
      break;
  }
  put_args(out, e);
}

/* -- statements ------------------------------------------------------------ */

static void put_list(struct fs_str *out, const struct fs_stmt *list,
                     int indent);

static void put_head(struct fs_str *out, const char *word,
                     const struct fs_stmt *s) {
  fs_str_printf(out, "(%s", word);
  if (s->n_targets) fs_str_puts(out, " ");
  put_names(out, s->targets, s->n_targets);
  if (s->expr) {
    fs_str_puts(out, " ");
    put_expr(out, s->expr);
  }
}

static void put_assign(struct fs_str *out, const struct fs_stmt *s) {
  fs_str_puts(out, s->n_targets == 1 ? "(= " : "(= (");
  if (s->kind == FS_ST_INDEXED || s->kind == FS_ST_PLACE)
    put_expr(out, s->expr2);
  else
    put_names(out, s->targets, s->n_targets);
  fs_str_puts(out, s->n_targets == 1 ? " " : ") ");
  put_expr(out, s->expr);
}

static void put_function(struct fs_str *out, const struct fs_stmt *s) {
  fs_str_printf(out, "(function %s (", s->targets[0].name);
  put_names(out, s->params, s->n_params);
  fs_str_puts(out, ")");
  if (!s->expr) return;
  fs_str_puts(out, " = ");
  put_expr(out, s->expr);
}

static void put_return(struct fs_str *out, const struct fs_stmt *s) {
  fs_str_puts(out, "(return");
  for (int i = 0; i < s->n_exprs; i++) {
    fs_str_puts(out, " ");
    put_expr(out, s->exprs[i]);
  }
}

static void put_quoted(struct fs_str *out, const char *word, const char *text) {
  fs_str_printf(out, "(%s ", word);
  put_string(out, text, strlen(text));
}

/* Everything but the body and the last parenthesis. */
static void put_opening(struct fs_str *out, const struct fs_stmt *s) {
  switch (s->kind) {
    case FS_ST_EXPR: put_head(out, "show", s); break;
    case FS_ST_ASSIGN:
    case FS_ST_PLACE:
    case FS_ST_INDEXED: put_assign(out, s); break;
    case FS_ST_IF: put_head(out, "if", s); break;
    case FS_ST_WHILE: put_head(out, "while", s); break;
    case FS_ST_FOR: put_head(out, s->text ? s->text : "for", s); break;
    case FS_ST_BREAK: put_head(out, "break", s); break;
    case FS_ST_CONTINUE: put_head(out, "continue", s); break;
    case FS_ST_FUNCTION: put_function(out, s); break;
    case FS_ST_RULE: put_head(out, "rule", s); break;
    case FS_ST_RETURN: put_return(out, s); break;
    case FS_ST_SEVERAL: put_head(out, "several", s); break;
    case FS_ST_BEGIN: put_head(out, "begin", s); break;
    case FS_ST_TRY: put_head(out, "try", s); break;
    case FS_ST_BARRIER: put_head(out, "barrier", s); break;
    case FS_ST_IMPORT: put_quoted(out, "import", s->text); break;
    case FS_ST_COMMAND: put_quoted(out, "command", s->text); break;
    case FS_ST_INPUT: put_head(out, "input", s); break;
    case FS_ST_DECLARE:
      fs_str_puts(out, "(declare ");
      put_head(out, s->text, s);
      fs_str_puts(out, ")");
      break;
  }
}

static void put_newline(struct fs_str *out, int indent) {
  fs_str_printf(out, "\n%*s", indent, "");
}

static void put_stmt(struct fs_str *out, const struct fs_stmt *s, int indent) {
  put_opening(out, s);
  if (s->body) {
    put_newline(out, indent + 2);
    put_list(out, s->body, indent + 2);
  }
  if (s->orelse) {
    put_newline(out, indent);
    fs_str_puts(out, s->kind == FS_ST_TRY ? "catch" : "else");
    put_newline(out, indent + 2);
    put_list(out, s->orelse, indent + 2);
  }
  fs_str_puts(out, s->silent ? ");" : ")");
}

static void put_list(struct fs_str *out, const struct fs_stmt *list,
                     int indent) {
  for (const struct fs_stmt *s = list; s; s = s->next) {
    if (s != list) put_newline(out, indent);
    put_stmt(out, s, indent);
  }
}

void fs_ast_dump(const struct fs_stmt *list, struct fs_str *out) {
  put_list(out, list, 0);
  if (list) fs_str_puts(out, "\n");
}
