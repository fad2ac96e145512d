/* parse_expr.c - the parser's state and errors, and the rules of expressions.
 *
 * In the rules: { } repeats, [ ] may be missing, "x" is text. A newline after
 * an operator, `,`, `=` or `->`, and any newline inside brackets, is blank. */
#include "core/lang/parser.h"

/* -- tokens ---------------------------------------------------------------- */

/* A BAD token was lexed silently as the look-ahead; when its turn comes it is
 * lexed again, aloud, so that the first error in the text is the one told. */
void fs_advance(struct fs_parser *p) {
  if (p->cur.kind != FS_TK_NEWLINE) {
    p->prev_begin = p->cur.begin;
    p->prev_end = p->cur.end;
  }
  p->cur = p->next;
  if (p->cur.kind == FS_TK_BAD) {
    if (p->status != FS_OK) return;
    p->lexer = p->before;
    p->lexer.quiet = false;
    fs_lex(&p->lexer, &p->cur);
    p->lexer.quiet = true;
    p->status = FS_ERR_USER;
    return;
  }
  p->before = p->lexer;
  fs_lex(&p->lexer, &p->next);
}

void fs_parser_init(struct fs_parser *p, struct fs_diags *diags,
                    struct fs_arena *arena, struct fs_span where) {
  const struct fs_source *source = fs_source_get(diags, where.source);
  *p = (struct fs_parser){.diags = diags, .arena = arena};
  p->lexer = (struct fs_lexer){.diags = diags,
                               .arena = arena,
                               .source = where.source,
                               .text = source->text,
                               .pos = where.begin,
                               .end = where.end,
                               .line_start = true,
                               .quiet = true};
}

bool fs_accept(struct fs_parser *p, enum fs_token_kind kind) {
  if (p->cur.kind != kind || p->status != FS_OK) return false;
  fs_advance(p);
  return true;
}

void fs_skip_newlines(struct fs_parser *p) {
  while (fs_accept(p, FS_TK_NEWLINE)) continue;
}

static struct fs_span span_of(const struct fs_parser *p, uint32_t begin,
                              uint32_t end) {
  return (struct fs_span){p->lexer.source, begin, end};
}

struct fs_span fs_cur_span(const struct fs_parser *p) {
  return span_of(p, p->cur.begin, FS_MAX(p->cur.end, p->cur.begin + 1));
}

/* -- errors ---------------------------------------------------------------- */

bool fs_at_keyword(const struct fs_parser *p) {
  return p->cur.kind >= FS_TK_IF && p->cur.kind <= FS_TK_FALSE;
}

const char *fs_name_hint(const struct fs_parser *p, const char *otherwise) {
  return fs_at_keyword(p) ? "a keyword cannot be a name" : otherwise;
}

const char *fs_found(struct fs_parser *p) {
  const char *shown = fs_token_shown(p->cur.kind);
  if (shown && !fs_at_keyword(p)) return shown;
  const char *text = p->lexer.text + p->cur.begin;
  size_t len = p->cur.end - p->cur.begin, limit = fs_utf8_cut(text, len, 40);
  return fs_arena_printf(p->arena, "`%.*s%s`", (int)limit, text,
                         limit < len ? "..." : "");
}

static FS_PRINTF(5, 0) void *fail_va(struct fs_parser *p, struct fs_span span,
                                     const char *id, const char *hint,
                                     const char *fmt, va_list args) {
  if (p->status != FS_OK) return NULL;
  struct fs_str message = {0};
  fs_str_vprintf(&message, fmt, args);
  p->status = fs_error(p->diags, span, id, hint, "%s", fs_str_text(&message));
  fs_str_free(&message);
  return NULL;
}

void *fs_fail(struct fs_parser *p, struct fs_span span, const char *id,
              const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fail_va(p, span, id, hint, fmt, args);
  va_end(args);
  return NULL;
}

const char *fs_open_place(struct fs_parser *p, const struct fs_open *open) {
  int line, column;
  size_t len;
  fs_span_position(p->diags, open->span, &line, &column);
  const char *text = fs_span_text(p->diags, open->span, &len);
  return fs_arena_printf(p->arena, "`%.*s` at %d:%d", (int)len, text, line,
                         column);
}

/* Whether the head of a block ends as in Python: `for i in range(3):`. */
static bool has_colon(const struct fs_parser *p, const struct fs_open *open) {
  const char *at = p->lexer.text + open->span.begin;
  bool in_string = false;
  for (; *at && *at != '\n' && (in_string || *at != '#'); at++) {
    if (*at == '"') in_string = !in_string;
    if (*at == ':' && !in_string && at[-1] != ' ' && (!at[1] || strchr(" \r\n", at[1])))
      return true;
  }
  return false;
}

/* The text ends inside something: tells where that began. */
static void fail_left_open(struct fs_parser *p) {
  const struct fs_open *open = &p->open[p->n_open - 1];
  int line, column;
  size_t len;
  const char *text = fs_span_text(p->diags, open->span, &len);
  if (open->kind == FS_TK_LPAREN || open->kind == FS_TK_LBRACKET || open->kind == FS_TK_LBRACE) {
    fs_fail(p, open->span, "unbalanced", "the text ends before it is closed",
            "this `%.*s` is never closed", (int)len, text);
    return;
  }
  fs_span_position(p->diags, fs_cur_span(p), &line, &column);
  const char *hint = fs_arena_printf(
      p->arena, "the block begins here, and the text ends in line %d", line);
  if (has_colon(p, open))
    hint = "no `:` is needed behind its head; the block closes with `end`";
  if (open->after_else || p->after_else)
    hint = "`else if` opens a second block with an `end` of its own; a further "
           "case is `elseif`";
  fs_fail(p, open->span, "missing-end", hint, "this `%.*s` has no `end`",
          (int)len, text);
}

void *fs_unexpected(struct fs_parser *p, const char *id, const char *hint,
                    const char *fmt, ...) {
  if (p->status != FS_OK) return NULL;
  bool at_end = p->cur.kind == FS_TK_EOF;
  if (at_end && !p->final) {
    p->status = FS_INCOMPLETE;
    return NULL;
  }
  if (at_end && p->n_open) {
    fail_left_open(p);
    return NULL;
  }
  /* The end of a text or line is shown behind what stands there last. */
  struct fs_span span = fs_cur_span(p);
  if (at_end || p->cur.kind == FS_TK_NEWLINE)
    span = span_of(p, p->prev_end, p->prev_end + 1);
  va_list args;
  va_start(args, fmt);
  fail_va(p, span, id, hint, fmt, args);
  va_end(args);
  return NULL;
}

/* -- nesting --------------------------------------------------------------- */

bool fs_enter(struct fs_parser *p) {
  if (p->status != FS_OK) return false;
  if (++p->depth <= FS_MAX_NESTING) return true;
  fs_fail(p, fs_cur_span(p), "too-deep",
          "give the inner parts names of their own",
          "brackets and blocks are nested more than %d deep", FS_MAX_NESTING);
  return false;
}

void fs_leave(struct fs_parser *p) { p->depth--; }

/* True at the `if` of `else if` on one line. */
static bool at_else_if(const struct fs_parser *p) {
  const char *text = p->lexer.text;
  return p->cur.kind == FS_TK_IF && p->prev_end - p->prev_begin == 4 &&
         memcmp(text + p->prev_begin, "else", 4) == 0 &&
         !memchr(text + p->prev_end, '\n', p->cur.begin - p->prev_end);
}

bool fs_open(struct fs_parser *p) {
  bool after_else = at_else_if(p);
  if (!fs_enter(p)) return false;
  p->open[p->n_open++] =
      (struct fs_open){p->cur.kind, fs_cur_span(p), after_else};
  fs_advance(p);
  return true;
}

void fs_close(struct fs_parser *p) {
  p->after_else |= p->open[--p->n_open].after_else;
  fs_leave(p);
}

/* -- nodes ----------------------------------------------------------------- */

static struct fs_expr *new_expr(struct fs_parser *p, enum fs_expr_kind kind,
                                struct fs_span span) {
  struct fs_expr *e = FS_NEW(p->arena, struct fs_expr);
  e->kind = kind;
  e->span = e->op_span = span;
  e->height = 1;
  return e;
}

/* Gives the node its operands and its height; NULL if that is too large. */
static struct fs_expr *set_args(struct fs_parser *p, struct fs_expr *e,
                                struct fs_expr *const *args, int n) {
  e->n_args = n;
  e->args = FS_NEW_N(p->arena, struct fs_expr *, n);
  for (int i = 0; i < n; i++) {
    e->args[i] = args[i];
    bool on_spine = i == 0 && e->kind == FS_EX_BINARY &&
                    args[0]->kind == FS_EX_BINARY;
    e->height = FS_MAX(e->height, args[i]->height + !on_spine);
  }
  if (e->height <= FS_MAX_HEIGHT) return e;
  return fs_fail(p, e->op_span, "too-deep",
                 "give the inner parts names of their own",
                 "the expression is nested more than %d deep", FS_MAX_HEIGHT);
}

struct fs_expr *fs_new_binary(struct fs_parser *p, enum fs_ast_op op,
                              struct fs_span op_span, struct fs_expr *left,
                              struct fs_expr *right) {
  struct fs_expr *e =
      new_expr(p, FS_EX_BINARY, fs_span_join(left->span, right->span));
  e->op = op;
  e->op_span = op_span;
  return set_args(p, e, (struct fs_expr *[]){left, right}, 2);
}

struct fs_expr *fs_new_call(struct fs_parser *p, struct fs_param name, int n,
                            struct fs_expr *const *args) {
  struct fs_expr *f = new_expr(p, FS_EX_NAME, name.span), *all[4] = {f};
  f->text = name.name;
  f->text_len = strlen(name.name);
  for (int k = 0; k < n; k++) all[k + 1] = args[k];
  struct fs_span span = n ? fs_span_join(name.span, args[n - 1]->span) : name.span;
  return set_args(p, new_expr(p, FS_EX_CALL, span), all, n + 1);
}

/* A list of expressions while it grows. */
struct exprs {
  FS_VEC(struct fs_expr *) list;
};

static struct fs_expr *take_args(struct fs_parser *p, struct fs_expr *e,
                                 struct exprs *v) {
  e = set_args(p, e, v->list.data, v->list.len);
  FS_VEC_FREE(&v->list);
  return e;
}

/* -- names ----------------------------------------------------------------- */

struct fs_param fs_take_name(struct fs_parser *p) {
  struct fs_param name = {.span = fs_cur_span(p)};
  name.name = fs_arena_strndup(p->arena, p->cur.text, p->cur.text_len);
  fs_advance(p);
  return name;
}

bool fs_names_add(struct fs_parser *p, struct fs_names *names,
                  struct fs_param name) {
  if (names->list.len == FS_MAX_NAMES) {
    fs_fail(p, name.span, "too-many-names", NULL,
            "a list of more than %d names", FS_MAX_NAMES);
    return false;
  }
  for (int i = 0; i < names->list.len; i++) {
    if (strcmp(names->list.data[i].name, name.name) != 0) continue;
    if (strcmp(name.name, "_") == 0) continue;
    fs_fail(p, name.span, "duplicate-name", NULL,
            "`%s` stands twice in this list", name.name);
    return false;
  }
  *FS_PUSH(&names->list) = name;
  return true;
}

struct fs_param *fs_names_take(struct fs_parser *p, struct fs_names *names,
                               int *n) {
  *n = names->list.len;
  struct fs_param *list = FS_NEW_N(p->arena, struct fs_param, *n);
  if (*n) memcpy(list, names->list.data, sizeof *list * (size_t)*n);
  FS_VEC_FREE(&names->list);
  return list;
}

/* What a parameter is if nothing is given for it, as a signature shows it. */
static const char *value_text(struct fs_parser *p, struct fs_span span) {
  enum { SHOWN = 60 };
  struct fs_str text = {0};
  fs_span_put_line(p->diags, span, SHOWN, &text);
  const char *kept = fs_arena_strndup(p->arena, fs_str_text(&text), text.len);
  fs_str_free(&text);
  return kept;
}

/* param = name [ "=" expr ]: those that need not be given come last. */
static bool rule_param(struct fs_parser *p, bool plain, struct fs_names *names) {
  struct fs_param param = fs_take_name(p);
  int n = names->list.len;
  if (!plain && fs_accept(p, FS_TK_ASSIGN)) {
    param.value = fs_rule_expr(p);
    if (!param.value) return false;
    param.value_text = value_text(p, param.value->span);
  } else if (n && names->list.data[n - 1].value) {
    fs_fail(p, param.span, "syntax", "those with a default value come last",
            "`%s` has no default value, and the parameter before it has one", param.name);
    return false;
  }
  return fs_names_add(p, names, param);
}

/* params = "(" [ param { "," param } ] ")"          at the "(" */
bool fs_rule_params(struct fs_parser *p, bool plain, struct fs_names *names) {
  if (!fs_open(p)) return false;
  bool more = p->cur.kind != FS_TK_RPAREN;
  while (more) {
    if (p->cur.kind != FS_TK_NAME) {
      fs_unexpected(p, "syntax", fs_name_hint(p, NULL),
                    "expected the name of a parameter, found %s", fs_found(p));
      return false;
    }
    if (!rule_param(p, plain, names)) return false;
    more = fs_accept(p, FS_TK_COMMA);
  }
  if (fs_accept(p, FS_TK_RPAREN)) {
    fs_close(p);
    return true;
  }
  const char *hint = p->cur.kind == FS_TK_ASSIGN
                         ? "f(x, k = 1) = ... has one; x -> ... has none"
                         : "parameters are names: f(x, y), or f(x, k = 1)";
  fs_unexpected(p, "syntax", hint, "expected `,` or `)` after a parameter, "
                "found %s", fs_found(p));
  return false;
}

/* -- brackets -------------------------------------------------------------- */

static bool starts_operand(enum fs_token_kind kind) {
  return kind == FS_TK_NAME || kind == FS_TK_NUMBER || kind == FS_TK_STRING ||
         kind == FS_TK_TRUE || kind == FS_TK_FALSE;
}

/* The closing bracket of what was opened last, or an error that says what may
 * stand here and why it does not fit. */
static bool expect_close(struct fs_parser *p, enum fs_token_kind close,
                         const char *expected, const char *separator_hint) {
  if (fs_accept(p, close)) {
    fs_close(p);
    return true;
  }
  if (p->status != FS_OK) return false;
  const char *hint = fs_arena_printf(
      p->arena, "the %s is open",
      fs_open_place(p, &p->open[p->n_open - 1]));
  if (p->cur.kind == FS_TK_ASSIGN) hint = "did you mean `==`?";
  if (starts_operand(p->cur.kind) && separator_hint) hint = separator_hint;
  if (p->cur.kind == FS_TK_ARROW)
    hint = "the left of `->` is names only: x -> e or (x, y) -> e";
  if (p->cur.kind == FS_TK_COLON) hint = "a range is a:b or a:step:b";
  if (p->cur.kind == FS_TK_STRING && p->prev_end == p->cur.begin)
    hint = "values are joined to a string by +: \"n = \" + n";
  if (p->cur.kind == FS_TK_FOR) hint = "of every element of x: map(x -> x^2 + 1, x)";
  fs_unexpected(p, "unbalanced", hint, "expected %s, found %s", expected,
                fs_found(p));
  return false;
}

/* args = [ expr { "," expr } ] ")" */
static bool rule_args(struct fs_parser *p, struct exprs *args) {
  if (p->cur.kind != FS_TK_RPAREN) {
    do {
      struct fs_expr *arg = fs_rule_expr(p);
      if (!arg) return false;
      *FS_PUSH(&args->list) = arg;
    } while (fs_accept(p, FS_TK_COMMA));
  }
  const char *hint = "arguments are separated by commas";
  if (p->cur.kind == FS_TK_ASSIGN) {
    fs_unexpected(p, "syntax",
                  "arguments are given by place, options as text: \"name=value\"; a comparison "
                  "is `==`",
                  "expected `,` or `)`, found `=`");
    return false;
  }
  return expect_close(p, FS_TK_RPAREN, "`,` or `)`", hint);
}

/* subscript = ":" | expr        (`end` is a value in here) */
static struct fs_expr *rule_subscript(struct fs_parser *p) {
  bool all = p->cur.kind == FS_TK_COLON;
  bool ends = p->next.kind == FS_TK_COMMA || p->next.kind == FS_TK_RBRACKET ||
              p->next.kind == FS_TK_SEMI;
  if (all && ends) {
    struct fs_expr *e = new_expr(p, FS_EX_COLON, fs_cur_span(p));
    fs_advance(p);
    return e;
  }
  if (all)
    return fs_unexpected(p, "syntax", "a range names both ends: 1:n, or `:` "
                         "alone for all", "expected a subscript, found `:`");
  return fs_rule_expr(p);
}

/* borders = word { "," word }         one for all of n subscripts, or one for each */
static const uint8_t *rule_borders(struct fs_parser *p, int n) {
  uint8_t *out = fs_arena_alloc(p->arena, (size_t)n);
  struct fs_span first = fs_cur_span(p);
  int given = 0;
  do {
    int b = 0;
    while (p->cur.kind == FS_TK_NAME && b < FS_BORDERS &&
           (strlen(fs_border_words[b]) != p->cur.text_len ||
            memcmp(fs_border_words[b], p->cur.text, p->cur.text_len)))
      b++;
    if (p->cur.kind != FS_TK_NAME || b == FS_BORDERS)
      return fs_unexpected(p, "syntax",
                           "subscripts are separated by commas, A[i, j]; behind a `;` stands what "
                           "is outside: clamped, mirror, wrapped, zeros or checked",
                           "expected the kind of a border, found %s", fs_found(p));
    if (given < n) out[given] = (uint8_t)b;
    given++;
    fs_advance(p);
  } while (fs_accept(p, FS_TK_COMMA));
  if (given == 1) memset(out, out[0], (size_t)n);
  if (given == 1 || given == n) return out;
  first.end = p->prev_end;
  return fs_fail(p, first, "syntax", "one border is for all subscripts",
                 "there are %d subscripts, but %d borders", n, given);
}

/* subscripts = subscript { "," subscript } [ ";" borders ] "]" */
static bool rule_subscripts(struct fs_parser *p, struct exprs *args, const uint8_t **borders) {
  p->subscripts++;
  do {
    struct fs_expr *arg = rule_subscript(p);
    if (!arg) return false;
    *FS_PUSH(&args->list) = arg;
  } while (fs_accept(p, FS_TK_COMMA));
  p->subscripts--;
  const char *hint = "subscripts are separated by commas: A[i, j]";
  if (fs_accept(p, FS_TK_SEMI) && !(*borders = rule_borders(p, args->list.len - 1))) return false;
  return expect_close(p, FS_TK_RBRACKET, "`,` or `]`", hint);
}

/* values = expr { "," expr }                      one alone is as it is */
struct fs_expr *fs_rule_values(struct fs_parser *p) {
  struct fs_expr *first = fs_rule_expr(p);
  if (!first || p->cur.kind != FS_TK_COMMA) return first;
  struct fs_expr *e = new_expr(p, FS_EX_VALUES, first->span), *next = first;
  struct exprs args = {0};
  *FS_PUSH(&args.list) = first;
  while (next && fs_accept(p, FS_TK_COMMA)) {
    fs_skip_newlines(p);
    next = fs_rule_expr(p);
    if (next) *FS_PUSH(&args.list) = next;
  }
  e = take_args(p, e, &args);
  if (!next || !e) return NULL;
  e->span.end = p->prev_end;
  return e;
}

/* array = "[" [ row { ";" row } [ ";" ] ] "]"
 * row   = expr { "," expr } [ "," ]               at the "[" */
static struct fs_expr *rule_array(struct fs_parser *p) {
  struct fs_expr *e = new_expr(p, FS_EX_ARRAY, fs_cur_span(p));
  struct exprs args = {0};
  FS_VEC(int) rows = {0};
  int in_row = 0;
  if (!fs_open(p)) return NULL;
  p->open[p->n_open - 1].array = true;
  while (p->cur.kind != FS_TK_RBRACKET) {
    struct fs_expr *arg = fs_rule_expr(p);
    if (!arg) break;
    *FS_PUSH(&args.list) = arg;
    in_row++;
    if (fs_accept(p, FS_TK_COMMA)) continue;
    if (!fs_accept(p, FS_TK_SEMI)) break;
    *FS_PUSH(&rows) = in_row;
    in_row = 0;
  }
  if (in_row) *FS_PUSH(&rows) = in_row;
  bool closed = p->status == FS_OK &&
                expect_close(p, FS_TK_RBRACKET, "`,`, `;` or `]`",
                             "elements are separated by commas, rows by "
                             "semicolons: [1, 2; 3, 4]");
  e->n_rows = rows.len;
  e->row_len = FS_NEW_N(p->arena, int, rows.len);
  if (rows.len) memcpy(e->row_len, rows.data, sizeof(int) * (size_t)rows.len);
  FS_VEC_FREE(&rows);
  e = take_args(p, e, &args);
  if (!closed || !e) return NULL;
  e->span.end = p->prev_end;
  return e;
}

/* list = "{" [ expr { "," expr } [ "," ] ] "}"
 *      | "{" name "=" expr { "," name "=" expr } [ "," ] "}"     at the "{" */
static struct fs_expr *rule_list(struct fs_parser *p) {
  struct fs_expr *e = new_expr(p, FS_EX_LIST, fs_cur_span(p));
  struct exprs args = {0};
  struct fs_names names = {0};
  if (!fs_open(p)) return NULL;
  bool record = p->cur.kind == FS_TK_NAME && p->next.kind == FS_TK_ASSIGN, good = true;
  while (good && p->cur.kind != FS_TK_RBRACE) {
    if (record && (p->cur.kind != FS_TK_NAME || p->next.kind != FS_TK_ASSIGN))
      fs_unexpected(p, "syntax", "all elements have names, {x = 1, y = 2}, or none, {1, 2}",
                    "expected a name and `=`, found %s", fs_found(p));
    good = p->status == FS_OK && (!record || fs_names_add(p, &names, fs_take_name(p)));
    if (good && record) fs_advance(p);
    struct fs_expr *arg = good ? fs_rule_expr(p) : NULL;
    good = arg != NULL;
    if (good) *FS_PUSH(&args.list) = arg;
    if (!good || !fs_accept(p, FS_TK_COMMA)) break;
  }
  good = good && expect_close(p, FS_TK_RBRACE, "`,` or `}`",
                              "a list is {1, 2}, a record {x = 1, y = 2}; blocks are begin ... end");
  e->params = fs_names_take(p, &names, &e->n_params);
  e = take_args(p, e, &args);
  if (!good || !e) return NULL;
  e->span.end = p->prev_end;
  return e;
}

/* group = "(" expr ")"                            at the "(" */
static struct fs_expr *rule_group(struct fs_parser *p) {
  uint32_t begin = p->cur.begin;
  if (!fs_open(p)) return NULL;
  struct fs_expr *e = fs_rule_expr(p);
  if (!e) return NULL;
  if (p->cur.kind == FS_TK_COMMA)
    return fs_unexpected(p, "syntax",
                         "an array is [a, b], a function of two is "
                         "(x, y) -> e, several results are `return a, b`",
                         "expected `)`, found `,`");
  if (!expect_close(p, FS_TK_RPAREN, "an operator or `)`", NULL)) return NULL;
  e->span.begin = begin;
  e->span.end = p->prev_end;
  return e;
}

/* -- operands -------------------------------------------------------------- */

/* Signs of other languages that are two here: the current one stands straight behind
 * the other. */
static const char *double_sign_hint(const struct fs_parser *p) {
  static const struct { const char *sign, *hint; } signs[] = {
      {":=", "assignment is ="},
      {"^=", "of these there are += -= *= /=; write x = x.^2"},
      {"*=", "of these there are += -= *= /=; write x = x .* y"},
      {"/=", "of these there are += -= *= /=; write x = x ./ y"},
      {"<>", "not equal is !="},
      {"=>", "greater or equal is >=, a function x -> e"},
      {"=<", "less or equal is <="}};
  const char *at = p->lexer.text + p->cur.begin;
  if (p->cur.kind == FS_TK_SLASH && at[1] == '*')
    return "comments begin with # or //";
  if (p->prev_end != p->cur.begin || !p->cur.begin) return NULL;
  for (size_t k = 0; k < FS_LEN(signs); k++)
    if (!memcmp(at - 1, signs[k].sign, 2)) return signs[k].hint;
  return NULL;
}

static const char *no_operand_hint(struct fs_parser *p) {
  const char *hint = double_sign_hint(p);
  if (hint) return hint;
  bool in_call = p->n_open && p->open[p->n_open - 1].kind == FS_TK_LPAREN;
  switch (p->cur.kind) {
    case FS_TK_QUOTE:
    case FS_TK_DOT_QUOTE:
      return "strings use double quotes: \"text\"";
    case FS_TK_ASSIGN:
      return "did you mean `==`?";
    case FS_TK_COMMAND:
      return "a command stands on a line of its own, outside of blocks";
    case FS_TK_ARROW: case FS_TK_FUNCTION:
      return "a function is x -> e or (x, y) -> e";
    case FS_TK_COLON:
      if (in_call) return "elements are written A[:, 1], with square brackets";
      return "a range is a:b; a command stands on a line of its own";
    case FS_TK_END:
      if (p->n_open == 0) return "`end` is a value inside A[...] only";
      return fs_arena_printf(p->arena, "the %s is open%s",
                             fs_open_place(p, &p->open[p->n_open - 1]),
                             in_call ? "; an element is x[end]" : "");
    default:
      if (fs_at_keyword(p))
        return "it begins a statement and has no value";
      return NULL;
  }
}

static struct fs_expr *no_operand(struct fs_parser *p) {
  bool closes = p->cur.kind == FS_TK_RPAREN || p->cur.kind == FS_TK_RBRACKET ||
                p->cur.kind == FS_TK_RBRACE;
  bool open = p->n_open && (p->open[p->n_open - 1].kind == FS_TK_LPAREN ||
                            p->open[p->n_open - 1].kind == FS_TK_LBRACKET ||
                            p->open[p->n_open - 1].kind == FS_TK_LBRACE);
  if (closes && !open)
    return fs_unexpected(p, "unbalanced", NULL,
                         "%s closes nothing: no bracket is open",
                         fs_found(p));
  return fs_unexpected(p, "syntax", no_operand_hint(p),
                       "expected an expression, found %s", fs_found(p));
}

/* primary = number | string | "true" | "false" | name | group | array | list
 *         | "end"                                  inside subscripts only */
static struct fs_expr *rule_primary(struct fs_parser *p) {
  struct fs_token *t = &p->cur;
  struct fs_expr *e = NULL;
  switch (t->kind) {
    case FS_TK_NUMBER:
      e = new_expr(p, t->imaginary ? FS_EX_IMAGINARY : FS_EX_NUMBER, fs_cur_span(p));
      e->number = t->number;
      e->is_int = t->is_int;
      break;
    case FS_TK_TRUE:
    case FS_TK_FALSE:
      e = new_expr(p, FS_EX_BOOL, fs_cur_span(p));
      e->number = t->kind == FS_TK_TRUE;
      break;
    case FS_TK_STRING:
      e = new_expr(p, FS_EX_STRING, fs_cur_span(p));
      e->text = t->text;
      e->text_len = t->text_len;
      break;
    case FS_TK_NAME:
      e = new_expr(p, FS_EX_NAME, fs_cur_span(p));
      e->text = fs_arena_strndup(p->arena, t->text, t->text_len);
      e->text_len = t->text_len;
      break;
    case FS_TK_LPAREN:
      return rule_group(p);
    case FS_TK_LBRACKET:
      return rule_array(p);
    case FS_TK_LBRACE:
      return rule_list(p);
    case FS_TK_END:
      if (p->subscripts == 0) return no_operand(p);
      e = new_expr(p, FS_EX_END, fs_cur_span(p));
      break;
    default:
      return no_operand(p);
  }
  fs_advance(p);
  return e;
}

/* call = postfix "(" args | index = postfix "[" subscripts */
static struct fs_expr *rule_suffix(struct fs_parser *p, struct fs_expr *left) {
  bool is_call = p->cur.kind == FS_TK_LPAREN;
  struct fs_span bracket = fs_cur_span(p);
  if ((left->kind == FS_EX_NUMBER || left->kind == FS_EX_IMAGINARY) && is_call)
    return fs_fail(p, fs_span_join(left->span, bracket), "syntax",
                   "a product needs its sign: 2*(a + b)",
                   "a number cannot be called");
  struct exprs args = {0};
  const uint8_t *borders = NULL;
  *FS_PUSH(&args.list) = left;
  bool good = fs_open(p) &&
              (is_call ? rule_args(p, &args) : rule_subscripts(p, &args, &borders));
  if (!good) {
    FS_VEC_FREE(&args.list);
    return NULL;
  }
  struct fs_expr *e = new_expr(p, is_call ? FS_EX_CALL : FS_EX_INDEX, bracket);
  e->borders = borders;
  e->span = left->span;
  e->span.end = p->prev_end;
  return take_args(p, e, &args);
}

/* field = postfix "." name */
static struct fs_expr *rule_field(struct fs_parser *p, struct fs_expr *left) {
  struct fs_span dot = fs_cur_span(p);
  fs_advance(p);
  if (p->cur.kind != FS_TK_NAME)
    return fs_unexpected(p, "syntax", fs_name_hint(p, NULL), "expected the name of a field, found %s",
                         fs_found(p));
  struct fs_expr *e = new_expr(p, FS_EX_FIELD, fs_span_join(left->span, fs_cur_span(p)));
  e->op_span = fs_span_join(dot, fs_cur_span(p));
  struct fs_param name = fs_take_name(p);
  e->text = name.name;
  e->text_len = strlen(name.name);
  return p->status == FS_OK ? set_args(p, e, &left, 1) : NULL;
}

/* postfix = primary { "(" args | "[" subscripts | "." name
 *                   | "'" | ".'" } */
static struct fs_expr *rule_postfix(struct fs_parser *p) {
  struct fs_expr *e = rule_primary(p);
  while (e && p->status == FS_OK) {
    if (p->cur.kind == FS_TK_LPAREN || p->cur.kind == FS_TK_LBRACKET) {
      e = rule_suffix(p, e);
    } else if (p->cur.kind == FS_TK_DOT) {
      e = rule_field(p, e);
    } else if (p->cur.kind == FS_TK_QUOTE || p->cur.kind == FS_TK_DOT_QUOTE) {
      struct fs_expr *t = new_expr(p, FS_EX_UNARY, fs_cur_span(p));
      t->op = FS_AO_TRANSPOSE;
      t->plain = p->cur.kind == FS_TK_DOT_QUOTE;
      t->span.begin = e->span.begin;
      fs_advance(p);
      e = set_args(p, t, &e, 1);
    } else {
      break;
    }
  }
  return p->status == FS_OK ? e : NULL;
}

/* -- operators ------------------------------------------------------------- */

struct operator_rule {
  enum fs_token_kind token;
  enum fs_ast_op op;
};

/* The operator of this level at the current token, which is consumed along
 * with newlines after it; NULL: none. */
static const struct operator_rule *accept_operator(
    struct fs_parser *p, const struct operator_rule *rules, size_t n,
    struct fs_span *span) {
  if (p->status != FS_OK) return NULL;
  for (size_t i = 0; i < n; i++) {
    if (p->cur.kind != rules[i].token) continue;
    *span = fs_cur_span(p);
    fs_advance(p);
    fs_skip_newlines(p);
    return &rules[i];
  }
  return NULL;
}

typedef struct fs_expr *(*fs_rule)(struct fs_parser *);

/* [1 -2] of other languages has two elements; here it would have one, -1. */
static bool fail_blank(struct fs_parser *p, const struct fs_expr *left) {
  bool sum = p->cur.kind == FS_TK_PLUS || p->cur.kind == FS_TK_MINUS;
  bool two = sum && p->n_open && p->open[p->n_open - 1].array &&
             p->prev_end < p->cur.begin && p->cur.end == p->next.begin;
  if (two)
    fs_fail(p, fs_span_join(left->span, fs_cur_span(p)), "two-elements",
            fs_arena_printf(p->arena, "elements are separated by commas, [a, %cb]; a %s has "
                            "blanks on both sides of `%c`, or none",
                            p->cur.kind == FS_TK_PLUS ? '+' : '-',
                            p->cur.kind == FS_TK_PLUS ? "sum" : "difference",
                            p->cur.kind == FS_TK_PLUS ? '+' : '-'),
            "this may be one element or two");
  return two;
}

/* operand { operator operand }, grouped from the left, in a loop: a sum of
 * 100,000 terms takes no stack. */
static struct fs_expr *rule_left(struct fs_parser *p,
                                 const struct operator_rule *rules, size_t n,
                                 fs_rule operand) {
  struct fs_expr *left = operand(p);
  const struct operator_rule *rule;
  struct fs_span span;
  while (left && !fail_blank(p, left) && (rule = accept_operator(p, rules, n, &span))) {
    struct fs_expr *right = operand(p);
    left = right ? fs_new_binary(p, rule->op, span, left, right) : NULL;
  }
  return p->status == FS_OK ? left : NULL;
}

static struct fs_expr *rule_unary(struct fs_parser *p);

/* power = postfix [ ( "^" | ".^" ) unary ]        2^3^2 = 2^9 */
static struct fs_expr *rule_power(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_CARET, FS_AO_POW},
                                               {FS_TK_DOT_CARET, FS_AO_EPOW}};
  struct fs_expr *left = rule_postfix(p);
  struct fs_span span;
  const struct operator_rule *rule =
      left ? accept_operator(p, rules, FS_LEN(rules), &span) : NULL;
  if (!rule) return left;
  if (!fs_enter(p)) return NULL;
  struct fs_expr *right = rule_unary(p);
  fs_leave(p);
  return right ? fs_new_binary(p, rule->op, span, left, right) : NULL;
}

/* `x++` of other languages: without this the next line would be its operand. */
static bool fail_step(struct fs_parser *p) {
  const char *at = p->lexer.text + p->cur.begin;
  bool step = (p->cur.kind == FS_TK_PLUS || p->cur.kind == FS_TK_MINUS) &&
              p->cur.begin && p->prev_end == p->cur.begin && at[-1] == at[0] &&
              (p->next.kind == FS_TK_NEWLINE || p->next.kind == FS_TK_SEMI ||
               p->next.kind == FS_TK_EOF);
  if (step)
    fs_fail(p, span_of(p, p->cur.begin - 1, p->cur.end), "syntax",
            fs_arena_printf(p->arena, "write x %c= 1", at[0]), "there is no `%.2s`",
            at - 1);
  return step;
}

/* unary = ( "-" | "+" | "!" ) unary | power       -2^2 = -4 */
static struct fs_expr *rule_unary(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_MINUS, FS_AO_NEG},
                                               {FS_TK_PLUS, FS_AO_PLUS},
                                               {FS_TK_NOT, FS_AO_NOT}};
  struct fs_span span;
  if (fail_step(p)) return NULL;
  const struct operator_rule *rule =
      accept_operator(p, rules, FS_LEN(rules), &span);
  if (!rule) return p->status == FS_OK ? rule_power(p) : NULL;
  if (!fs_enter(p)) return NULL;
  struct fs_expr *operand = rule_unary(p);
  fs_leave(p);
  if (!operand) return NULL;
  struct fs_expr *e =
      new_expr(p, FS_EX_UNARY, fs_span_join(span, operand->span));
  e->op = rule->op;
  e->op_span = span;
  return set_args(p, e, &operand, 1);
}

/* product = unary { ( "*" | "/" | "\" | ".*" | "./" ) unary } */
static struct fs_expr *rule_product(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_STAR, FS_AO_MUL},
                                               {FS_TK_SLASH, FS_AO_DIV},
                                               {FS_TK_BACKSLASH, FS_AO_SOLVE},
                                               {FS_TK_DOT_STAR, FS_AO_EMUL},
                                               {FS_TK_DOT_SLASH, FS_AO_EDIV}};
  return rule_left(p, rules, FS_LEN(rules), rule_unary);
}

/* sum = product { ( "+" | "-" ) product } */
static struct fs_expr *rule_sum(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_PLUS, FS_AO_ADD},
                                               {FS_TK_MINUS, FS_AO_SUB}};
  return rule_left(p, rules, FS_LEN(rules), rule_product);
}

/* Whether nothing but a comment follows on the line. */
static bool ends_line(const struct fs_parser *p, struct fs_span span) {
  const char *at = p->lexer.text + span.end;
  while (*at == ' ' || *at == '\t' || *at == '\r') at++;
  return *at == '\n' || *at == '#';
}

/* range = sum [ ":" sum [ ":" sum ] ]        first:last, first:step:last */
static struct fs_expr *rule_range(struct fs_parser *p) {
  static const struct operator_rule colon[] = {{FS_TK_COLON, FS_AO_ADD}};
  struct fs_expr *args[3] = {rule_sum(p)};
  struct fs_span first = {0}, span;
  int n = 1;
  while (args[n - 1] && n < 3 && accept_operator(p, colon, 1, &span)) {
    if (n == 1) first = span;
    if (p->subscripts && (p->cur.kind == FS_TK_RBRACKET ||
                          p->cur.kind == FS_TK_COMMA))
      return fs_unexpected(p, "syntax", "a range names both ends: 2:end",
                           "the range has no last element: found %s",
                           fs_found(p));
    if (p->head && ends_line(p, span))
      return fs_fail(p, span, "syntax",
                     "the body begins on a new line or after `;`, and closes with `end`",
                     "no `:` is needed behind the head of a block");
    args[n++] = rule_sum(p);
  }
  if (!args[n - 1] || p->status != FS_OK) return NULL;
  if (n == 1) return args[0];
  if (p->cur.kind == FS_TK_COLON)
    return fs_unexpected(p, "syntax", "a range is a:b or a:step:b",
                         "a range has at most three parts");
  struct fs_expr *e = new_expr(p, FS_EX_RANGE,
                               fs_span_join(args[0]->span, args[n - 1]->span));
  e->op_span = first;
  return set_args(p, e, args, n);
}

/* comparison = range [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) range ] */
static struct fs_expr *rule_comparison(struct fs_parser *p) {
  static const struct operator_rule rules[] = {
      {FS_TK_EQ, FS_AO_EQ}, {FS_TK_NE, FS_AO_NE}, {FS_TK_LT, FS_AO_LT},
      {FS_TK_LE, FS_AO_LE}, {FS_TK_GT, FS_AO_GT}, {FS_TK_GE, FS_AO_GE}};
  struct fs_span span;
  struct fs_expr *left = rule_range(p);
  const struct operator_rule *rule =
      left ? accept_operator(p, rules, FS_LEN(rules), &span) : NULL;
  if (!rule) return p->status == FS_OK ? left : NULL;
  struct fs_expr *right = rule_range(p);
  if (!right) return NULL;
  if (p->cur.kind >= FS_TK_EQ && p->cur.kind <= FS_TK_GE)
    return fs_unexpected(p, "chained-comparison",
                         "write a < b && b < c, or use parentheses",
                         "comparisons do not chain");
  return fs_new_binary(p, rule->op, span, left, right);
}

/* conjunction = comparison { "&&" comparison } */
static struct fs_expr *rule_and(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_AND, FS_AO_AND}};
  return rule_left(p, rules, 1, rule_comparison);
}

/* disjunction = conjunction { "||" conjunction } */
static struct fs_expr *rule_or(struct fs_parser *p) {
  static const struct operator_rule rules[] = {{FS_TK_OR, FS_AO_OR}};
  return rule_left(p, rules, 1, rule_and);
}

/* True at `x ->` and `(x, y) ->`: looks ahead on a copy of the lexer. */
static bool at_lambda(const struct fs_parser *p) {
  if (p->cur.kind == FS_TK_NAME) return p->next.kind == FS_TK_ARROW;
  if (p->cur.kind != FS_TK_LPAREN) return false;
  struct fs_lexer ahead = p->lexer;
  struct fs_token token = p->next;
  while (token.kind == FS_TK_NAME) {
    fs_lex(&ahead, &token);
    if (token.kind != FS_TK_COMMA) break;
    fs_lex(&ahead, &token);
  }
  if (token.kind != FS_TK_RPAREN) return false;
  fs_lex(&ahead, &token);
  return token.kind == FS_TK_ARROW;
}

/* lambda = ( name | params ) "->" expr */
static struct fs_expr *rule_lambda(struct fs_parser *p) {
  struct fs_expr *e = new_expr(p, FS_EX_LAMBDA, fs_cur_span(p));
  struct fs_names names = {0};
  if (!fs_enter(p)) return NULL;
  bool good = p->cur.kind == FS_TK_LPAREN
                  ? fs_rule_params(p, true, &names)
                  : fs_names_add(p, &names, fs_take_name(p));
  e->params = fs_names_take(p, &names, &e->n_params);
  if (!good) return NULL;
  e->op_span = fs_cur_span(p);
  fs_advance(p); /* the arrow: at_lambda saw it */
  fs_skip_newlines(p);
  struct fs_expr *body = fs_rule_expr(p);
  fs_leave(p);
  if (!body) return NULL;
  e->span = fs_span_join(e->span, body->span);
  return set_args(p, e, &body, 1);
}

/* expr = lambda | disjunction */
struct fs_expr *fs_rule_expr(struct fs_parser *p) {
  if (p->status != FS_OK) return NULL;
  return at_lambda(p) ? rule_lambda(p) : rule_or(p);
}

struct fs_expr *fs_rule_before_arrow(struct fs_parser *p) { return rule_or(p); }

enum fs_status fs_parse_expr(struct fs_diags *diags, struct fs_arena *arena,
                             struct fs_span where, struct fs_expr **out) {
  struct fs_parser p;
  fs_parser_init(&p, diags, arena, where);
  p.final = true;
  *out = NULL;
  fs_advance(&p);
  fs_advance(&p);
  struct fs_expr *e = fs_rule_expr(&p);
  fs_skip_newlines(&p);
  if (e && p.cur.kind != FS_TK_EOF)
    e = fs_unexpected(&p, "syntax", NULL,
                      "expected an operator or the end, found %s",
                      fs_found(&p));
  if (p.status == FS_OK) *out = e;
  return p.status;
}
