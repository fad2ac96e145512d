/* lex.h - private to core/lang: tokens, and the entries that elem.c shares
 * with the parser. */
#ifndef FS_LEX_H
#define FS_LEX_H

#include "core/lang/ast.h"

/* One line per kind: name, how messages show it (NULL: by its text). */
#define FS_TOKENS(X)                                                     \
  X(EOF, "the end of the text") X(BAD, NULL) X(NEWLINE, "the end of the line") \
  X(SEMI, "`;`") X(COMMA, "`,`") X(NAME, NULL) X(NUMBER, NULL)           \
  X(STRING, NULL) X(COMMAND, "a command")                                \
  X(LPAREN, "`(`") X(RPAREN, "`)`") X(LBRACKET, "`[`") X(RBRACKET, "`]`") \
  X(LBRACE, "`{`") X(RBRACE, "`}`") X(DOT, "`.`")                       \
  X(ARROW, "`->`") X(ASSIGN, "`=`") X(ADD_ASSIGN, "`+=`")                \
  X(SUB_ASSIGN, "`-=`") X(MUL_ASSIGN, "`*=`") X(DIV_ASSIGN, "`/=`")      \
  X(OR, "`||`") X(AND, "`&&`") X(EQ, "`==`") X(NE, "`!=`") X(LT, "`<`")  \
  X(LE, "`<=`") X(GT, "`>`") X(GE, "`>=`") X(COLON, "`:`")               \
  X(PLUS, "`+`") X(MINUS, "`-`") X(STAR, "`*`") X(SLASH, "`/`")          \
  X(BACKSLASH, "`\\`") X(DOT_STAR, "`.*`") X(DOT_SLASH, "`./`")          \
  X(CARET, "`^`") X(DOT_CARET, "`.^`") X(NOT, "`!`") X(QUOTE, "`'`")     \
  X(DOT_QUOTE, "`.'`")                                                   \
  /* keywords; `if` is the first, `false` the last */                    \
  X(IF, "if") X(ELSEIF, "elseif") X(ELSE, "else") X(END, "end")          \
  X(WHILE, "while") X(FOR, "for") X(FORALL, "forall")                    \
  X(FUNCTION, "function") X(RETURN, "return") X(BEGIN, "begin")          \
  X(BREAK, "break")                                                      \
  X(CONTINUE, "continue") X(BARRIER, "barrier") X(IMPORT, "import")      \
  X(TRY, "try") X(CATCH, "catch")                                        \
  X(TRUE, "true") X(FALSE, "false")

enum fs_token_kind {
#define FS_TOKEN(name, shown) FS_TK_##name,
  FS_TOKENS(FS_TOKEN)
#undef FS_TOKEN
};

struct fs_token {
  enum fs_token_kind kind;
  uint32_t begin, end;
  bool is_int;
  bool imaginary;  /* NUMBER: of 2i */
  double number;
  const char *text; /* STRING: decoded; others: into the source */
  size_t text_len;
};

/* The state is small and has no owner: copy it to look ahead, drop the copy to
 * go back. */
struct fs_lexer {
  struct fs_diags *diags;
  struct fs_arena *arena;
  uint32_t source;
  const char *text;
  uint32_t pos, end;
  int brackets;    /* open ( [ {: newlines inside are white space  */
  int n_tokens;
  bool line_start; /* nothing but white space on this line so far    */
  bool commands;   /* `:word` and `?name` lines are commands         */
  bool ended;      /* the NEWLINE that stands for the end was given  */
  bool quiet;      /* BAD tokens record no diagnostic                */
};

/* Gives the next token. The end of the text counts as the end of its line:
 * NEWLINE (outside brackets), then EOF for ever. */
void fs_lex(struct fs_lexer *lx, struct fs_token *token);

/* The table's second column, or NULL. */
const char *fs_token_shown(enum fs_token_kind kind);

/* Parses text[begin, end) of a source as one expression. The end of the text
 * inside it is an error like any other. */
enum fs_status fs_parse_expr(struct fs_diags *diags, struct fs_arena *arena,
                             struct fs_span where, struct fs_expr **out);

/* True if the text is a name that is no keyword. */
bool fs_is_name(const char *text, size_t len);

#endif
