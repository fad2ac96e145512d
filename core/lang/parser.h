/* parser.h - private to core/lang: the parser's state, shared by parse_expr.c
 * and parse_stmt.c.
 *
 * Errors: the first one sets `status`, and from then on every function gives
 * NULL or false as soon as it looks at a token; nothing is repaired. */
#ifndef FS_PARSER_H
#define FS_PARSER_H

#include "core/lang/lex.h"

/* A bracket or block that is open, for "where it began". */
struct fs_open {
  enum fs_token_kind kind;
  struct fs_span span;
  bool after_else; /* an `if` straight after `else` */
  bool array;      /* the `[` of an array, not of subscripts */
};

struct fs_parser {
  struct fs_diags *diags;
  struct fs_arena *arena;
  struct fs_lexer lexer;  /* behind `next`  */
  struct fs_lexer before; /* before `next`  */
  struct fs_token cur, next;
  uint32_t prev_begin, prev_end; /* the token before, newlines not counted */
  enum fs_status status;
  bool final;     /* the end of the text is an error, not incomplete */
  int depth;      /* nesting of every kind */
  int subscripts; /* open index brackets: `end` is a value there */
  int loops;      /* open loops of this function */
  bool at_once;   /* the rounds of the innermost one have no order */
  bool head;      /* between `for`, `if`, `while` and the body */
  bool after_else; /* an `else if` was closed by an `end` of its own */
  int n_open;
  struct fs_open open[FS_MAX_NESTING];
};

void fs_parser_init(struct fs_parser *p, struct fs_diags *diags,
                    struct fs_arena *arena, struct fs_span where);

/* -- tokens -- */
void fs_advance(struct fs_parser *p);
bool fs_accept(struct fs_parser *p, enum fs_token_kind kind);
void fs_skip_newlines(struct fs_parser *p);
struct fs_span fs_cur_span(const struct fs_parser *p);
bool fs_at_keyword(const struct fs_parser *p);
/* Where a name is expected: what helps if a keyword stands there. */
const char *fs_name_hint(const struct fs_parser *p, const char *otherwise);
/* The current token for a message: "`x`", "the end of the line". */
const char *fs_found(struct fs_parser *p);

/* -- errors; they give NULL so that callers can return them -- */
/* At the current token; at the end of the text: incomplete. */
void *fs_unexpected(struct fs_parser *p, const char *id, const char *hint,
                    const char *fmt, ...) FS_PRINTF(4, 5);
void *fs_fail(struct fs_parser *p, struct fs_span span, const char *id,
              const char *hint, const char *fmt, ...) FS_PRINTF(5, 6);
/* "`while` at 3:1" */
const char *fs_open_place(struct fs_parser *p, const struct fs_open *open);

/* -- nesting -- */
bool fs_enter(struct fs_parser *p); /* false: too deep */
void fs_leave(struct fs_parser *p);
/* The current token opens a bracket or block; it is consumed. */
bool fs_open(struct fs_parser *p);
void fs_close(struct fs_parser *p);

/* -- rules that statements use -- */
struct fs_expr *fs_rule_expr(struct fs_parser *p);
/* One that is no lambda: `->` may stand behind it. */
struct fs_expr *fs_rule_before_arrow(struct fs_parser *p);
/* One expression, or FS_EX_VALUES where several are separated by commas. */
struct fs_expr *fs_rule_values(struct fs_parser *p);
struct fs_expr *fs_new_binary(struct fs_parser *p, enum fs_ast_op op,
                              struct fs_span op_span, struct fs_expr *left,
                              struct fs_expr *right);
/* A call with up to three arguments. */
struct fs_expr *fs_new_call(struct fs_parser *p, struct fs_param name, int n,
                            struct fs_expr *const *args);
/* One name; the caller has checked that the token is FS_TK_NAME. */
struct fs_param fs_take_name(struct fs_parser *p);

/* A list of names, each once (`_` may repeat). */
struct fs_names {
  FS_VEC(struct fs_param) list;
};
bool fs_names_add(struct fs_parser *p, struct fs_names *names,
                  struct fs_param name);
/* Moves the names to the arena and frees the list. */
struct fs_param *fs_names_take(struct fs_parser *p, struct fs_names *names,
                               int *n);
/* params = "(" [ param { "," param } ] ")",  param = name [ "=" expr ]; at the "(".
 * With `plain`, as a lambda has them, names only. */
bool fs_rule_params(struct fs_parser *p, bool plain, struct fs_names *names);

#endif
