/* parse_stmt.c - the rules of statements and blocks, and the entry points.
 * Notation and error handling: see parse_expr.c and parser.h. */
#include "core/lang/node.h"
#include "core/lang/parse.h"
#include "core/lang/parser.h"

#include <ctype.h>

/* -- words that are special only at the start of a statement --------------- */

static const char *const type_words[] = {
    "TILE32x32", "matrix", "subvector32", "vector", "globalscalar", "scalar"};
static const char parallel_for[] = "parallel for";

static bool token_is(const struct fs_token *t, const char *word) {
  return t->kind == FS_TK_NAME && t->text_len == strlen(word) &&
         memcmp(t->text, word, t->text_len) == 0;
}

static const char *type_word(const struct fs_token *t) {
  for (size_t i = 0; i < FS_LEN(type_words); i++)
    if (token_is(t, type_words[i])) return type_words[i];
  return NULL;
}

/* For fs_near_miss: all words that begin a statement. */
static const char *next_word(void *user) {
  int *i = user, n_keywords = FS_TK_FALSE - FS_TK_IF + 1;
  int k = (*i)++;
  if (k < n_keywords) return fs_token_shown((enum fs_token_kind)(FS_TK_IF + k));
  k -= n_keywords;
  if (k < (int)FS_LEN(type_words)) return type_words[k];
  k -= (int)FS_LEN(type_words);
  return k == 0 ? "input" : k == 1 ? parallel_for : NULL;
}

/* `word x`: perhaps a keyword, misspelt. */
static const char *word_hint(struct fs_parser *p, const char *word) {
  const char *hint;
  if (!strcmp(word, "print"))
    return "print(x) writes a value; a statement without `;` at its end shows it";
  if (fs_elsewhere(word, &hint)) return hint;
  int i = 0;
  const char *near = fs_near_miss(word, next_word, &i);
  return near ? fs_arena_printf(p->arena, "did you mean `%s`?", near) : NULL;
}

/* -- statements in general ------------------------------------------------- */

static struct fs_stmt *new_stmt(struct fs_parser *p, enum fs_stmt_kind kind) {
  struct fs_stmt *s = FS_NEW(p->arena, struct fs_stmt);
  s->kind = kind;
  s->span = fs_cur_span(p);
  return s;
}

static struct fs_stmt *finish(struct fs_parser *p, struct fs_stmt *s) {
  if (p->status != FS_OK) return NULL;
  s->span.end = p->prev_end;
  return s;
}

static void set_target(struct fs_parser *p, struct fs_stmt *s,
                       struct fs_param name) {
  s->targets = FS_NEW(p->arena, struct fs_param);
  s->targets[0] = name;
  s->n_targets = 1;
}

/* At the word behind an expression: operators that other languages have as words. */
static const char *logic_hint(const struct fs_parser *p, const struct fs_expr *before,
                              const char *otherwise) {
  if (token_is(&p->cur, "and")) return "and is &&";
  if (token_is(&p->cur, "or")) return "or is ||";
  if (token_is(&p->cur, "in")) return "whether it is among them says any(x == value)";
  if (token_is(&p->cur, "is")) return "a comparison is ==";
  bool is_not = before && before->kind == FS_EX_NAME && !strcmp(before->text, "not");
  return is_not ? "negation is !x" : otherwise;
}

/* At the operand behind a whole statement: the operator that may be missing. */
static const char *between_hint(const struct fs_parser *p, const struct fs_stmt *s) {
  const struct fs_expr *e = s ? s->expr : NULL;
  bool is_string = p->cur.kind == FS_TK_STRING, close = p->prev_end == p->cur.begin;
  if (is_string && e && e->kind == FS_EX_STRING) return "strings are joined by +";
  if (is_string && e && e->kind == FS_EX_NAME && close)
    return "values are joined to a string by +: \"n = \" + n";
  if (p->cur.kind == FS_TK_IF) return "where(condition, a, b) chooses one of two values";
  if (close && (p->cur.kind == FS_TK_NAME || p->cur.kind == FS_TK_NUMBER))
    return "a product needs its sign: x'*x";
  return token_is(&p->cur, "mod") ? "the remainder is mod(a, b)" : NULL;
}

/* `load "x.npy"`, `sin x`, `2 x`: hardly more is known of these. */
static const char *apart_hint(const struct fs_parser *p, const struct fs_stmt *s) {
  bool operand = p->cur.kind == FS_TK_NAME || p->cur.kind == FS_TK_NUMBER ||
                 p->cur.kind == FS_TK_STRING;
  if (!operand || !s || !s->expr) return NULL;
  const char *hint;
  if (s->kind == FS_ST_ASSIGN)
    return s->expr->kind == FS_EX_NAME && fs_elsewhere(s->expr->text, &hint)
               ? hint : "statements on one line are separated by `;`";
  if (s->expr->kind == FS_EX_NAME) return "a call needs brackets, a product its sign: f(x), a*x";
  return s->expr->kind == FS_EX_NUMBER ? "a product needs its sign: 2*x" : NULL;
}

/* What stands after a complete statement and does not belong there. `s` may
 * be NULL. */
static bool fail_after(struct fs_parser *p, const struct fs_stmt *s) {
  const char *hint = NULL;
  bool is_word = s && s->kind == FS_ST_EXPR && s->expr->kind == FS_EX_NAME;
  switch (p->cur.kind) {
    case FS_TK_RPAREN:
    case FS_TK_RBRACKET:
    case FS_TK_RBRACE:
      fs_unexpected(p, "unbalanced", NULL,
                    "%s closes nothing: no bracket is open", fs_found(p));
      return false;
    case FS_TK_ASSIGN:
      hint = "one `=` per statement; a comparison is `==`";
      break;
    case FS_TK_COMMA:
      hint = "statements on one line are separated by `;`";
      break;
    case FS_TK_ARROW:
      hint = "the left of `->` is names only: x -> e or (x, y) -> e";
      break;
    case FS_TK_NOT:
      hint = "not equal is !=";
      break;
    default:
      hint = between_hint(p, s);
      if (is_word && !hint) hint = word_hint(p, s->expr->text);
      if (!hint) hint = apart_hint(p, s);
      hint = logic_hint(p, s ? s->expr : NULL, hint);
  }
  fs_unexpected(p, "syntax", hint,
                "expected an operator, `;` or a new line, found %s",
                fs_found(p));
  return false;
}

static bool closes_block(enum fs_token_kind kind) {
  return kind == FS_TK_END || kind == FS_TK_ELSE || kind == FS_TK_ELSEIF || kind == FS_TK_CATCH;
}

/* separator = ";" | newline;  the closing word of a block does without. */
static bool rule_separator(struct fs_parser *p, struct fs_stmt *s) {
  if (fs_accept(p, FS_TK_SEMI)) {
    s->silent = true;
    return true;
  }
  if (fs_accept(p, FS_TK_NEWLINE)) return true;
  if (p->status != FS_OK) return false;
  if (p->cur.kind == FS_TK_EOF || (p->n_open && closes_block(p->cur.kind)))
    return true;
  return fail_after(p, s);
}

/* `x += e` is x = x + e, and so on; -1 for a plain `=`, -2 for neither. */
static int compound_op(enum fs_token_kind kind) {
  switch (kind) {
    case FS_TK_ASSIGN: return -1;
    case FS_TK_ADD_ASSIGN: return FS_AO_ADD;
    case FS_TK_SUB_ASSIGN: return FS_AO_SUB;
    case FS_TK_MUL_ASSIGN: return FS_AO_MUL;
    case FS_TK_DIV_ASSIGN: return FS_AO_DIV;
    default: return -2;
  }
}

/* At `if = 3`: a keyword where a name is meant, and then no statement either. */
static bool fail_keyword(struct fs_parser *p) {
  if (!fs_at_keyword(p) || compound_op(p->next.kind) == -2) return false;
  fs_unexpected(p, "bad-target", "take another name",
                "%s is a keyword and cannot be assigned to",
                fs_found(p));
  return true;
}

static struct fs_stmt *rule_statement(struct fs_parser *p);

/* block = { [ statement ] separator }             up to a closing word or the
 * end of the text, which the caller looks at */
static bool rule_block(struct fs_parser *p, struct fs_stmt **first) {
  struct fs_stmt **tail = first;
  *first = NULL;
  while (p->status == FS_OK) {
    while (fs_accept(p, FS_TK_SEMI) || fs_accept(p, FS_TK_NEWLINE)) continue;
    if (fail_keyword(p)) return false;
    if (p->cur.kind == FS_TK_EOF || closes_block(p->cur.kind)) break;
    struct fs_stmt *s = rule_statement(p);
    if (!s || !rule_separator(p, s)) return false;
    *tail = s;
    tail = &s->next;
  }
  return p->status == FS_OK;
}

/* The `end` of the block that was opened last. */
static bool expect_end(struct fs_parser *p) {
  if (fs_accept(p, FS_TK_END)) {
    fs_close(p);
    return true;
  }
  const char *place = fs_open_place(p, &p->open[p->n_open - 1]);
  fs_unexpected(p, "unbalanced",
                fs_arena_printf(p->arena, "the %s is open", place),
                "expected `end`, found %s", fs_found(p));
  return false;
}

/* Python's `while k < 3: k += 1`. */
static bool ends_in_range(const struct fs_expr *e) {
  while (e->kind == FS_EX_BINARY) e = e->args[1];
  return e->kind == FS_EX_RANGE;
}

static bool is_call_of(struct fs_parser *p, const struct fs_expr *e, const char *words) {
  if (e->kind != FS_EX_CALL || e->args[0]->kind != FS_EX_NAME) return false;
  return fs_has_word(words, fs_arena_printf(p->arena, "%s", e->args[0]->text));
}

/* Python's `for i in range(3): print(i)` and `if x > 2: print(x)` would be heads with a range,
 * and their body missing. */
static bool is_foreign_head(struct fs_parser *p, const char *word, const struct fs_expr *e) {
  bool range = e->kind == FS_EX_RANGE;
  bool loop = !strncmp(word, "for", 3);
  bool foreign = loop ? range && (is_call_of(p, e->args[e->n_args - 1], " print disp println ") ||
                                  is_call_of(p, e->args[0], " range len enumerate zip "))
                      : ends_in_range(e);
  if (!foreign) return false;
  fs_fail(p, e->span, "syntax",
          loop ? "a loop is for i = 0:2; print(i); end, where 0:2 has both ends"
               : fs_arena_printf(p->arena, "it is %s x > 2; x = x/2; end, with `;` or a new line "
                                           "behind the condition", word),
          "`:` makes a range here: no body follows it");
  return true;
}

/* The separator behind the last expression of a head. */
static bool rule_head_end(struct fs_parser *p, const char *word, const struct fs_expr *e) {
  if (fs_accept(p, FS_TK_SEMI) || fs_accept(p, FS_TK_NEWLINE))
    return !is_foreign_head(p, word, e);
  const char *hint =
      logic_hint(p, e, "the body begins on a new line or after `;`");
  if (p->cur.kind == FS_TK_ASSIGN) hint = "did you mean `==`?";
  if (token_is(&p->cur, "then") || token_is(&p->cur, "do"))
    hint = "no word is needed here, only a new line or `;`";
  if (token_is(&p->cur, "to")) hint = "a range is 1:n, or first:step:last";
  if (p->cur.kind == FS_TK_COMMA && !strcmp(word, "for"))
    hint = "several counters are forall i = 1:m, j = 1:n, or loops in each other";
  if (strncmp(word, "for", 3) && ends_in_range(e))
    hint = "no `:` is needed, only a new line or `;`; the block closes with `end`";
  fs_unexpected(p, p->cur.kind == FS_TK_ASSIGN ? "bad-condition" : "syntax",
                hint, "expected `;` or a new line after the head of `%s`, "
                "found %s", word, fs_found(p));
  return false;
}

/* condition = expr separator */
static bool rule_condition(struct fs_parser *p, const char *word, struct fs_expr **out) {
  bool head = p->head;
  p->head = true;
  *out = fs_rule_expr(p);
  p->head = head;
  return *out && rule_head_end(p, word, *out);
}

/* block "end"     of a loop */
static bool rule_rounds(struct fs_parser *p, bool at_once, struct fs_stmt **body) {
  bool around = p->at_once;
  p->loops++;
  p->at_once = at_once;
  if (!rule_block(p, body) || !expect_end(p)) return false;
  p->at_once = around;
  p->loops--;
  return true;
}

/* -- blocks ---------------------------------------------------------------- */

/* A block right behind its word, or the parameters of a function: try ... end. */
static bool rule_body(struct fs_parser *p, struct fs_stmt **body) {
  if (p->cur.kind != FS_TK_LBRACE && p->cur.kind != FS_TK_COLON) return rule_block(p, body);
  fs_unexpected(p, "syntax",
                "the body begins on a new line or after `;`, and closes with `end`",
                "no %s is needed in front of a body", fs_found(p));
  return false;
}

/* if   = "if" condition block rest
 * rest = "end" | "else" block "end" | "elseif" condition block rest
 * Each elseif is an FS_ST_IF in the `orelse` of the one before: they count as
 * nesting, so that walks may recurse there. */
static struct fs_stmt *rule_if(struct fs_parser *p) {
  struct fs_stmt *first = new_stmt(p, FS_ST_IF), *s = first;
  int elseifs = 0;
  if (!fs_open(p)) return NULL;
  if (!rule_condition(p, "if", &s->expr) || !rule_block(p, &s->body))
    return NULL;
  while (p->cur.kind == FS_TK_ELSEIF) {
    if (!fs_enter(p)) return NULL;
    elseifs++;
    s->orelse = new_stmt(p, FS_ST_IF);
    s = s->orelse;
    fs_advance(p);
    if (!rule_condition(p, "elseif", &s->expr) || !rule_block(p, &s->body))
      return NULL;
    finish(p, s);
  }
  if (fs_accept(p, FS_TK_ELSE) && !rule_body(p, &s->orelse)) return NULL;
  if (!expect_end(p)) return NULL;
  p->depth -= elseifs;
  return finish(p, first);
}

/* while = "while" condition block "end" */
static struct fs_stmt *rule_while(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_WHILE);
  if (!fs_open(p) || !rule_condition(p, "while", &s->expr)) return NULL;
  if (!rule_rounds(p, false, &s->body)) return NULL;
  return finish(p, s);
}

/* name ( "=" | "in" ) */
static bool rule_counter(struct fs_parser *p, const char *shape, struct fs_stmt *s) {
  if (p->cur.kind != FS_TK_NAME) {
    fs_unexpected(p, "syntax", fs_name_hint(p, shape),
                  "expected the name of the loop variable, found %s", fs_found(p));
    return false;
  }
  set_target(p, s, fs_take_name(p));
  if (p->cur.kind != FS_TK_ASSIGN && !token_is(&p->cur, "in")) {
    fs_unexpected(p, "syntax", shape, "expected `=` or `in`, found %s", fs_found(p));
    return false;
  }
  fs_advance(p);
  fs_skip_newlines(p);
  return p->status == FS_OK;
}

/* for = [ "parallel" ] "for" name ( "=" | "in" ) condition block "end" */
static struct fs_stmt *rule_for(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_FOR);
  if (p->cur.kind == FS_TK_NAME) {
    s->text = parallel_for;
    fs_advance(p);
  }
  if (!fs_open(p) || !rule_counter(p, "a loop is for k = 1:n ... end", s)) return NULL;
  if (!rule_condition(p, "for", &s->expr)) return NULL;
  if (!rule_rounds(p, s->text != NULL, &s->body)) return NULL;
  return finish(p, s);
}

/* forall = "forall" counter { "," counter } separator block "end"
 * counter = name ( "=" | "in" ) expr          the first is the outermost loop */
static struct fs_stmt *rule_forall(struct fs_parser *p) {
  static const char *const shape = "it is forall i = 1:m, j = 1:n ... end";
  struct fs_stmt *first = new_stmt(p, FS_ST_FOR), *s = first;
  int inner = 0;
  if (!fs_open(p)) return NULL;
  for (bool more = true; more;) {
    s->text = "forall";
    if (!rule_counter(p, shape, s)) return NULL;
    bool head = p->head;
    p->head = true;
    s->expr = fs_rule_expr(p);
    p->head = head;
    if (!s->expr) return NULL;
    more = fs_accept(p, FS_TK_COMMA);
    if (!more) break;
    fs_skip_newlines(p);
    if (!fs_enter(p)) return NULL;
    inner++;
    s->body = new_stmt(p, FS_ST_FOR);
    s = s->body;
  }
  if (!rule_head_end(p, "forall", s->expr)) return NULL;
  if (!rule_rounds(p, true, &s->body)) return NULL;
  p->depth -= inner;
  for (s = first; inner >= 0; s = s->body, inner--) finish(p, s);
  return finish(p, first);
}

/* begin = "begin" block "end" */
static struct fs_stmt *rule_begin(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_BEGIN);
  if (!fs_open(p) || !rule_body(p, &s->body) || !expect_end(p)) return NULL;
  return finish(p, s);
}

/* At `catch`: the name of the message, if one follows, and the separator. */
static bool rule_catch(struct fs_parser *p, struct fs_stmt *s) {
  fs_advance(p);
  if (p->cur.kind == FS_TK_NAME) set_target(p, s, fs_take_name(p));
  if (fs_accept(p, FS_TK_SEMI) || fs_accept(p, FS_TK_NEWLINE) || p->cur.kind == FS_TK_END)
    return p->status == FS_OK;
  fs_unexpected(p, "syntax", "what follows begins on a new line or after `;`: catch e; print(e); end",
                "expected a name, `;` or a new line behind `catch`, found %s", fs_found(p));
  return false;
}

/* try = "try" block [ "catch" [ name ] separator block ] "end" */
static struct fs_stmt *rule_try(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_TRY);
  if (!fs_open(p) || !rule_body(p, &s->body)) return NULL;
  if (p->cur.kind == FS_TK_CATCH && (!rule_catch(p, s) || !rule_block(p, &s->orelse)))
    return NULL;
  if (!expect_end(p)) return NULL;
  return finish(p, s);
}

/* function = "function" name params block "end" */
static struct fs_stmt *rule_function(struct fs_parser *p) {
  static const char *const shape =
      "a function is function f(x, y) ... end; `return` gives its results";
  struct fs_stmt *s = new_stmt(p, FS_ST_FUNCTION);
  if (!fs_open(p)) return NULL;
  if (p->cur.kind != FS_TK_NAME)
    return fs_unexpected(p, "syntax", fs_name_hint(p, shape),
                         "expected the name of the function, found %s",
                         fs_found(p));
  set_target(p, s, fs_take_name(p));
  if (p->cur.kind != FS_TK_LPAREN)
    return fs_unexpected(p, "syntax", shape, "expected `(`, found %s",
                         fs_found(p));
  struct fs_names names = {0};
  bool good = fs_rule_params(p, false, &names);
  s->params = fs_names_take(p, &names, &s->n_params);
  if (!good) return NULL;
  if (p->cur.kind == FS_TK_ASSIGN)
    return fs_unexpected(p, "syntax",
                         "the short form has no `function`: f(x) = x^2",
                         "expected the body of the function, found `=`");
  int loops = p->loops;
  p->loops = 0;
  if (!rule_body(p, &s->body) || !expect_end(p)) return NULL;
  p->loops = loops;
  return finish(p, s);
}

/* At `rule` with a `->` in its statement: looks ahead on a copy of the lexer. */
static bool at_rewrite(const struct fs_parser *p) {
  struct fs_lexer ahead = p->lexer;
  struct fs_token token = p->next;
  if (!token_is(&p->cur, "rule") || token.kind == FS_TK_ARROW) return false;
  for (int depth = 0; token.kind != FS_TK_EOF; fs_lex(&ahead, &token)) {
    switch (token.kind) {
      case FS_TK_LPAREN: case FS_TK_LBRACKET: case FS_TK_LBRACE: depth++; break;
      case FS_TK_RPAREN: case FS_TK_RBRACKET: case FS_TK_RBRACE: depth--; break;
      case FS_TK_ARROW:
        if (!depth) return true;
        break;
      case FS_TK_ASSIGN: case FS_TK_SEMI: case FS_TK_NEWLINE: return false;
      default: break;
    }
  }
  return false;
}

/* The names that an expression reads, but those of functions, each once. */
static void add_operands(const struct fs_expr *e, struct fs_names *names) {
  bool known = e->kind != FS_EX_NAME;
  for (int k = 0; k < names->list.len && !known; k++)
    known = !strcmp(names->list.data[k].name, e->text);
  if (!known) *FS_PUSH(&names->list) = (struct fs_param){.name = e->text, .span = e->span};
  for (int k = e->kind == FS_EX_CALL; k < e->n_args; k++) add_operands(e->args[k], names);
}

/* rule = "rule" disjunction "->" expr */
static struct fs_stmt *rule_rewrite(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_RULE);
  struct fs_names names = {0};
  fs_advance(p);
  s->expr = fs_rule_before_arrow(p);
  if (!s->expr) return NULL;
  if (p->cur.kind != FS_TK_ARROW)
    return fs_unexpected(p, "syntax", "for instance: rule A.*X + Y -> f(A, X, Y)",
                         "expected `->` of the rule, found %s", fs_found(p));
  struct fs_expr *e = s->expr2 = FS_NEW(p->arena, struct fs_expr);
  *e = (struct fs_expr){.kind = FS_EX_LAMBDA, .span = fs_cur_span(p), .height = 1, .n_args = 1};
  fs_advance(p);
  fs_skip_newlines(p);
  struct fs_expr *body = fs_rule_expr(p);
  if (!body) return NULL;
  add_operands(s->expr, &names);
  e->params = fs_names_take(p, &names, &e->n_params);
  e->args = FS_NEW_N(p->arena, struct fs_expr *, 1);
  e->args[0] = body;
  e->height = body->height + 1;
  e->span = body->span;
  return finish(p, s);
}

/* -- simple statements ----------------------------------------------------- */

/* break = "break",  continue = "continue" */
static struct fs_stmt *rule_jump(struct fs_parser *p, enum fs_stmt_kind kind) {
  struct fs_stmt *s = new_stmt(p, kind);
  if (p->loops == 0)
    return fs_unexpected(p, "not-in-loop", NULL, "%s stands in no loop",
                         fs_found(p));
  if (kind == FS_ST_BREAK && p->at_once)
    return fs_unexpected(p, "break-at-once",
                         "`for` has rounds one after the other; `continue` ends one of them",
                         "`break` ends no rounds that run at once");
  fs_advance(p);
  return finish(p, s);
}

static bool ends_statement(enum fs_token_kind kind) {
  return kind == FS_TK_SEMI || kind == FS_TK_NEWLINE || kind == FS_TK_EOF ||
         closes_block(kind);
}

/* return = "return" [ expr { "," expr } ] */
static struct fs_stmt *rule_return(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_RETURN);
  FS_VEC(struct fs_expr *) v = {0};
  fs_advance(p);
  if (!ends_statement(p->cur.kind)) {
    do {
      if (v.len) fs_skip_newlines(p);
      struct fs_expr *e = fs_rule_expr(p);
      if (!e) break;
      *FS_PUSH(&v) = e;
    } while (fs_accept(p, FS_TK_COMMA));
  }
  s->n_exprs = v.len;
  s->exprs = FS_NEW_N(p->arena, struct fs_expr *, v.len);
  if (v.len) memcpy(s->exprs, v.data, sizeof *v.data * (size_t)v.len);
  FS_VEC_FREE(&v);
  return finish(p, s);
}

/* import = "import" string */
static struct fs_stmt *rule_import(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_IMPORT);
  fs_advance(p);
  if (p->cur.kind != FS_TK_STRING)
    return fs_unexpected(p, "syntax", "import \"file.fs\"",
                         "expected the file as a string, found %s",
                         fs_found(p));
  if (strlen(p->cur.text) != p->cur.text_len)
    return fs_unexpected(p, "bad-file-name", NULL,
                         "the name of a file cannot hold a NUL byte");
  s->text = p->cur.text;
  fs_advance(p);
  return finish(p, s);
}

/* command = ":" word { any character of the line } | "?" ... */
static struct fs_stmt *rule_command(struct fs_parser *p) {
  if (p->n_open) {
    const char *place = fs_open_place(p, &p->open[p->n_open - 1]);
    return fs_unexpected(p, "misplaced-command",
                         fs_arena_printf(p->arena, "the %s is open", place),
                         "a command cannot stand inside a block");
  }
  struct fs_stmt *s = new_stmt(p, FS_ST_COMMAND);
  s->text = fs_arena_strndup(p->arena, p->cur.text, p->cur.text_len);
  fs_advance(p);
  return finish(p, s);
}

/* declaration = ( type-word | "input" ) name { "," name } */
static struct fs_stmt *rule_declaration(struct fs_parser *p) {
  const char *word = type_word(&p->cur);
  struct fs_stmt *s = new_stmt(p, word ? FS_ST_DECLARE : FS_ST_INPUT);
  s->text = word;
  struct fs_names names = {0};
  fs_advance(p);
  bool good = true;
  do {
    if (names.list.len) fs_skip_newlines(p);
    if (p->cur.kind != FS_TK_NAME) {
      fs_unexpected(p, "syntax", fs_name_hint(p, NULL),
                    "expected a name, found %s", fs_found(p));
      good = false;
    }
    good = good && fs_names_add(p, &names, fs_take_name(p));
  } while (good && fs_accept(p, FS_TK_COMMA));
  s->targets = fs_names_take(p, &names, &s->n_targets);
  if (!good) return NULL;
  if (p->cur.kind == FS_TK_ASSIGN)
    return fs_unexpected(p, "syntax",
                         "declare the name, then assign in a statement of its "
                         "own",
                         "a declaration gives no value");
  if (p->cur.kind == FS_TK_NAME)
    return fs_unexpected(p, "syntax", "names are separated by commas",
                         "expected `,` or `;`, found %s", fs_found(p));
  return finish(p, s);
}

/* -- assignments ----------------------------------------------------------- */

/* A name as such, not (x). */
static bool is_plain_name(const struct fs_expr *e) {
  return e->kind == FS_EX_NAME && e->span.end - e->span.begin == e->text_len;
}

static struct fs_param as_param(const struct fs_expr *e) {
  return (struct fs_param){e->text, e->span};
}

static struct fs_stmt *bad_target(struct fs_parser *p,
                                  const struct fs_expr *e) {
  const char *hint = "the left side is x, A[i, j], s.x, f(x), or several: a, b[1], s.x";
  if (e->kind == FS_EX_BINARY && e->op >= FS_AO_EQ && e->op <= FS_AO_GE)
    hint = "a comparison gives a value; it cannot be assigned to";
  if (e->kind == FS_EX_INDEX) hint = "only a named value has elements to set";
  if (e->kind == FS_EX_ARRAY) hint = "several results need no brackets: a, b = f(x)";
  if (e->kind == FS_EX_CALL)
    hint = "indexing is A[i, j]; a function's parameters are plain names";
  return fs_fail(p, e->span, "bad-target", hint, "this cannot be assigned to");
}

/* short-function = name params "=" expr; the left side was read as a call, and so
 * has no default values. */
static bool as_function(struct fs_parser *p, struct fs_stmt *s,
                        const struct fs_expr *call) {
  struct fs_names names = {0};
  bool good = is_plain_name(call->args[0]);
  for (int i = 1; good && i < call->n_args; i++)
    good = is_plain_name(call->args[i]) &&
           fs_names_add(p, &names, as_param(call->args[i]));
  s->kind = FS_ST_FUNCTION;
  s->params = fs_names_take(p, &names, &s->n_params);
  if (good) set_target(p, s, as_param(call->args[0]));
  return good;
}

/* Turns the expression on the left of `=` into the statement's target. */
static bool as_target(struct fs_parser *p, struct fs_stmt *s,
                      struct fs_expr *e, bool compound) {
  if (is_plain_name(e)) {
    s->kind = FS_ST_ASSIGN;
    set_target(p, s, as_param(e));
    return true;
  }
  for (const struct fs_expr *x = e; x->kind == FS_EX_INDEX || x->kind == FS_EX_FIELD; x = x->args[0])
    if (x->borders) {
      fs_fail(p, e->span, "bad-target", "only what is read has a border",
              "places outside of an array cannot be assigned to");
      return false;
    }
  if (e->kind == FS_EX_INDEX && is_plain_name(e->args[0])) {
    s->kind = FS_ST_INDEXED;
    s->expr2 = e;
    set_target(p, s, as_param(e->args[0]));
    return true;
  }
  const struct fs_expr *root = e;
  while (root->kind == FS_EX_INDEX || root->kind == FS_EX_FIELD) root = root->args[0];
  if (root != e && is_plain_name(root)) {
    s->kind = FS_ST_PLACE;
    s->expr2 = e;
    set_target(p, s, as_param(root));
    return true;
  }
  if (e->kind == FS_EX_CALL && !compound && as_function(p, s, e)) return true;
  bad_target(p, e);
  return false;
}

/* A statement that gives `place` the value of the name. */
static struct fs_stmt *put_in_place(struct fs_parser *p, struct fs_expr *place,
                                    struct fs_param name) {
  struct fs_stmt *s = fs_st_node(p->arena, FS_ST_ASSIGN, place->span);
  if (place->kind == FS_EX_CALL) return bad_target(p, place);
  if (!as_target(p, s, place, false)) return NULL;
  s->expr = fs_ex_node(p->arena, FS_EX_NAME, place->span, 0, NULL);
  s->expr->text = name.name;
  s->expr->text_len = strlen(name.name);
  return s;
}

/* Of places that are more than names: they are given what the names (1), (2), ... are. */
static struct fs_stmt *as_several(struct fs_parser *p, struct fs_stmt *s, int n,
                                  struct fs_expr **places) {
  struct fs_stmt *values = fs_st_node(p->arena, FS_ST_ASSIGN, s->span), **last = &values->next;
  struct fs_param *names = fs_arena_alloc(p->arena, sizeof(*names) * (size_t)n);
  for (int k = 0; k < n; k++) {
    names[k] = (struct fs_param){fs_arena_printf(p->arena, "(%d)", k + 1), places[k]->span};
    *last = put_in_place(p, places[k], names[k]);
    if (!*last) return NULL;
    last = &(*last)->next;
  }
  values->silent = true;
  values->n_targets = s->n_targets = n;
  values->targets = s->targets = names;
  s->kind = FS_ST_SEVERAL;
  s->body = values;
  return s;
}

static struct fs_stmt *as_names(struct fs_parser *p, struct fs_stmt *s, int n,
                                struct fs_expr **places) {
  struct fs_names names = {0};
  for (int k = 0; k < n; k++)
    if (!fs_names_add(p, &names, as_param(places[k]))) return NULL;
  s->kind = FS_ST_ASSIGN;
  s->targets = fs_names_take(p, &names, &s->n_targets);
  return s;
}

/* targets = target "," target { "," target } "=" values    target = name | index | field
 * `first` is read already */
static struct fs_stmt *rule_targets(struct fs_parser *p, struct fs_stmt *s,
                                    struct fs_expr *first) {
  FS_VEC(struct fs_expr *) places = {0};
  bool good = true, names = is_plain_name(first);
  *FS_PUSH(&places) = first;
  while (good && fs_accept(p, FS_TK_COMMA)) {
    fs_skip_newlines(p);
    good = !fail_keyword(p) && p->cur.kind == FS_TK_NAME && places.len < FS_MAX_NAMES;
    struct fs_expr *e = good ? fs_rule_expr(p) : NULL;
    good = e != NULL;
    if (good) names &= is_plain_name(e), *FS_PUSH(&places) = e;
  }
  if (!good || p->cur.kind != FS_TK_ASSIGN)
    s = fs_unexpected(p, "syntax",
                      "several values are a, b = f(x) or a, b = 1, 2; statements on one "
                      "line are separated by `;`",
                      "expected names and `=`, found %s", fs_found(p));
  else
    s = names ? as_names(p, s, places.len, places.data) : as_several(p, s, places.len, places.data);
  FS_VEC_FREE(&places);
  if (!s) return NULL;
  fs_advance(p);
  fs_skip_newlines(p);
  struct fs_expr *values = fs_rule_values(p);
  if (names) s->expr = values;
  else s->body->expr = values;
  return finish(p, s);
}

/* True at `f(x, k = 1) =`, and where the text ends or is no longer the language in such
 * parentheses: looks ahead on a copy of the lexer. */
static bool at_short_with_values(const struct fs_parser *p) {
  struct fs_lexer ahead = p->lexer;
  struct fs_token token = p->next;
  if (p->cur.kind != FS_TK_NAME || token.kind != FS_TK_LPAREN) return false;
  bool value = false;
  for (int depth = 1; depth;) {
    fs_lex(&ahead, &token);
    switch (token.kind) {
      case FS_TK_LPAREN: case FS_TK_LBRACKET: case FS_TK_LBRACE: depth++; break;
      case FS_TK_RPAREN: case FS_TK_RBRACKET: case FS_TK_RBRACE: depth--; break;
      case FS_TK_ASSIGN: value |= depth == 1; break;
      case FS_TK_EOF: case FS_TK_BAD: return value;
      default: break;
    }
  }
  fs_lex(&ahead, &token);
  return value && token.kind == FS_TK_ASSIGN;
}

/* short-function = name params "=" expr   of one whose left side is no call */
static struct fs_stmt *rule_short_with_values(struct fs_parser *p) {
  struct fs_stmt *s = new_stmt(p, FS_ST_FUNCTION);
  struct fs_names names = {0};
  set_target(p, s, fs_take_name(p));
  bool good = fs_rule_params(p, false, &names);
  s->params = fs_names_take(p, &names, &s->n_params);
  if (!good) return NULL;
  fs_advance(p);
  fs_skip_newlines(p);
  s->expr = fs_rule_expr(p);
  return s->expr ? finish(p, s) : NULL;
}

/* asis block=16x16, block=256: what stands up to the end of the statement, as a string. */
static struct fs_expr *rule_as_is(struct fs_parser *p) {
  struct fs_span span = fs_cur_span(p);
  bool alone = p->next.kind == FS_TK_NEWLINE || p->next.kind == FS_TK_SEMI ||
               p->next.kind == FS_TK_EOF;
  if (!alone) {
    const char *rest = p->lexer.text + p->lexer.pos;
    size_t len = FS_MIN(strcspn(rest, ";#\n"), p->lexer.end - p->lexer.pos);
    p->lexer.pos += (uint32_t)len;
    span.end = p->lexer.pos;
    fs_advance(p);
  }
  fs_advance(p);
  struct fs_expr *e = fs_ex_node(p->arena, FS_EX_STRING, span, 0, NULL);
  e->text_len = span.end - span.begin;
  e->text = fs_arena_strndup(p->arena, p->lexer.text + span.begin, e->text_len);
  return e;
}

/* kernel = ":" "kernel" string [ "," string ] [ ( "asis" | "block" ) words ]   which is a call of
 * kernel() */
static struct fs_expr *rule_kernel(struct fs_parser *p) {
  struct fs_expr *args[3] = {NULL};
  int n = 0;
  fs_advance(p);
  struct fs_param name = fs_take_name(p);
  do {
    if (n) fs_skip_newlines(p);
    if (p->cur.kind != FS_TK_STRING)
      return fs_unexpected(p, "syntax", "mv = :kernel \"mv.cu\"",
                           "expected the file as a string, found %s", fs_found(p));
    args[n++] = fs_rule_expr(p);
  } while (args[n - 1] && n < 2 && fs_accept(p, FS_TK_COMMA));
  if (!args[n - 1]) return NULL;
  if (token_is(&p->cur, "asis") || token_is(&p->cur, "block")) {
    if (n < 2) { /* any name */
      args[n] = fs_ex_node(p->arena, FS_EX_STRING, args[0]->span, 0, NULL);
      args[n++]->text = "";
    }
    args[n++] = rule_as_is(p);
  }
  return fs_new_call(p, name, n, args);
}

/* simple = expr | targets
 *        | name "=" kernel
 *        | ( name | index ) ( "=" | "+=" | "-=" | "*=" | "/=" ) expr
 *        | short-function */
static struct fs_stmt *rule_simple(struct fs_parser *p) {
  if (at_short_with_values(p)) return rule_short_with_values(p);
  struct fs_stmt *s = new_stmt(p, FS_ST_EXPR);
  struct fs_expr *left = fs_rule_expr(p);
  if (!left) return NULL;
  if (p->cur.kind == FS_TK_COMMA) return rule_targets(p, s, left);
  int op = compound_op(p->cur.kind);
  if (op == -2) {
    s->expr = left;
    return finish(p, s);
  }
  if (!as_target(p, s, left, op >= 0)) return NULL;
  struct fs_span op_span = fs_cur_span(p);
  fs_advance(p);
  fs_skip_newlines(p);
  bool kernel = op < 0 && p->cur.kind == FS_TK_COLON && token_is(&p->next, "kernel");
  struct fs_expr *right = kernel ? rule_kernel(p) : fs_rule_expr(p);
  if (!right) return NULL;
  if (op >= 0)
    right = fs_new_binary(p, (enum fs_ast_op)op, op_span, left, right);
  s->expr = right;
  return finish(p, s);
}

static struct fs_stmt *misplaced_word(struct fs_parser *p) {
  bool caught = p->cur.kind == FS_TK_CATCH;
  const char *hint = caught ? "it is try ... catch e ... end" : "they belong to an `if`";
  if (p->n_open)
    hint = fs_arena_printf(p->arena, "the %s is open",
                           fs_open_place(p, &p->open[p->n_open - 1]));
  if (p->cur.kind == FS_TK_END)
    return fs_unexpected(p, "unbalanced", NULL,
                         "`end` closes nothing: no block is open");
  return fs_unexpected(p, "unbalanced", hint, "%s stands in no `%s`", fs_found(p),
                       caught ? "try" : "if");
}

/* statement = if | while | for | forall | begin | try | function | return | break | continue
 *           | "barrier" | import | declaration | command | simple */
static struct fs_stmt *rule_statement(struct fs_parser *p) {
  struct fs_stmt *s;
  bool name_follows = p->next.kind == FS_TK_NAME;
  switch (p->cur.kind) {
    case FS_TK_IF: return rule_if(p);
    case FS_TK_WHILE: return rule_while(p);
    case FS_TK_FOR: return rule_for(p);
    case FS_TK_FORALL: return rule_forall(p);
    case FS_TK_BEGIN: return rule_begin(p);
    case FS_TK_TRY: return rule_try(p);
    case FS_TK_FUNCTION: return rule_function(p);
    case FS_TK_RETURN: return rule_return(p);
    case FS_TK_BREAK: return rule_jump(p, FS_ST_BREAK);
    case FS_TK_CONTINUE: return rule_jump(p, FS_ST_CONTINUE);
    case FS_TK_IMPORT: return rule_import(p);
    case FS_TK_COMMAND: return rule_command(p);
    case FS_TK_BARRIER:
      s = new_stmt(p, FS_ST_BARRIER);
      fs_advance(p);
      return finish(p, s);
    case FS_TK_NAME:
      if (p->next.kind == FS_TK_FOR && token_is(&p->cur, "parallel")) return rule_for(p);
      if (name_follows && (type_word(&p->cur) || token_is(&p->cur, "input")))
        return rule_declaration(p);
      return at_rewrite(p) ? rule_rewrite(p) : rule_simple(p);
    default:
      return rule_simple(p);
  }
}

/* -- entries --------------------------------------------------------------- */

/* program = block end-of-text */
static enum fs_status parse(struct fs_parser *p, struct fs_stmt **out) {
  *out = NULL;
  p->lexer.commands = true;
  fs_advance(p); /* fills the look-ahead */
  fs_advance(p);
  struct fs_stmt *list = NULL;
  if (rule_block(p, &list) && p->cur.kind != FS_TK_EOF) misplaced_word(p);
  if (p->status == FS_OK) *out = list;
  return p->status;
}

static enum fs_status parse_source(struct fs_diags *diags,
                                   struct fs_arena *arena, uint32_t source,
                                   bool final, struct fs_stmt **out) {
  const struct fs_source *text = fs_source_get(diags, source);
  *out = NULL;
  if (text->len > FS_MAX_SOURCE)
    return fs_error(diags, (struct fs_span){source, 0, 1}, "text-too-long",
                    "large data belongs in a file: load(\"x.npy\")",
                    "the text has %zu bytes; the limit is %d", text->len,
                    FS_MAX_SOURCE);
  struct fs_parser p;
  fs_parser_init(&p, diags, arena,
                 (struct fs_span){source, 0, (uint32_t)text->len});
  p.final = final;
  return parse(&p, out);
}

enum fs_status fs_parse(struct fs_diags *diags, struct fs_arena *arena,
                        uint32_t source, struct fs_stmt **out) {
  return parse_source(diags, arena, source, false, out);
}

enum fs_status fs_parse_final(struct fs_diags *diags, struct fs_arena *arena,
                              uint32_t source, struct fs_stmt **out) {
  return parse_source(diags, arena, source, true, out);
}

enum { INDENT = 2 };

int fs_parse_indent(const char *text, size_t len) {
  if (len > FS_MAX_SOURCE) return 0;
  struct fs_diags diags;
  fs_diags_init(&diags);
  struct fs_arena *arena = fs_arena_new();
  uint32_t source = fs_source_add(&diags, "", text, len);
  struct fs_parser p;
  struct fs_stmt *list;
  fs_parser_init(&p, &diags, arena, (struct fs_span){source, 0, (uint32_t)len});
  int open = parse(&p, &list) == FS_INCOMPLETE ? p.n_open : 0;
  fs_arena_free(arena);
  fs_diags_free(&diags);
  return INDENT * open;
}

int fs_parse_outdent(const char *line) {
  static const char *const words[] = {"end", "else", "elseif", "catch"};
  line += strspn(line, " \t");
  if (*line && strchr(")]}", *line)) return INDENT;
  size_t len = 0;
  while (line[len] == '_' || isalnum((unsigned char)line[len])) len++;
  for (size_t k = 0; k < FS_LEN(words); k++)
    if (len == strlen(words[k]) && !strncmp(line, words[k], len)) return INDENT;
  return 0;
}

static char kind_of(const struct fs_token *t, const char *text) {
  switch (t->kind) {
    case FS_TK_NUMBER: return 'n';
    case FS_TK_STRING: return 's';
    case FS_TK_COMMAND: return ':';
    case FS_TK_BAD: return text[t->begin] == '"' ? 's' : ' ';
    default: return t->kind >= FS_TK_IF && t->kind <= FS_TK_FALSE ? 'k' : ' ';
  }
}

/* Between two tokens: blanks, and comments from # or // on. */
static void mark_comments(const char *text, size_t from, size_t to, char *kinds) {
  for (size_t at = from; at < to; at++) {
    if (text[at] != '#' && text[at] != '/') continue;
    for (; at < to && text[at] != '\n'; at++) kinds[at] = 'c';
  }
}

void fs_parse_kinds(const char *text, size_t len, char *kinds) {
  struct fs_diags diags;
  struct fs_arena *arena = fs_arena_new();
  struct fs_token t;
  memset(kinds, ' ', len);
  fs_diags_init(&diags);
  struct fs_lexer lx = {.diags = &diags, .arena = arena, .text = text, .end = (uint32_t)len,
                        .source = fs_source_add(&diags, "", text, len), .line_start = true,
                        .commands = true, .quiet = true};
  for (size_t end = 0; fs_lex(&lx, &t), t.kind != FS_TK_EOF; end = FS_MAX(end, lx.pos)) {
    mark_comments(text, end, t.begin, kinds);
    if (t.end > t.begin) memset(kinds + t.begin, kind_of(&t, text), t.end - t.begin);
    if (lx.pos <= end && t.kind == FS_TK_BAD) break; /* it goes no further */
  }
  fs_diags_free(&diags);
  fs_arena_free(arena);
}
