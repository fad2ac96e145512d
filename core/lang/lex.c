/* lex.c - text to tokens, one at a time. Rejects what must not be in a
 * program text at all: NUL, invalid UTF-8, bidirectional controls. */
#include "core/lang/lex.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

const char *fs_token_shown(enum fs_token_kind kind) {
  static const char *const shown[] = {
#define FS_TOKEN(name, text) text,
      FS_TOKENS(FS_TOKEN)
#undef FS_TOKEN
  };
  return shown[kind];
}

/* -- errors ---------------------------------------------------------------- */

/* Makes the token BAD and, unless the lexer looks ahead, says why. */
static FS_PRINTF(7, 8) void bad(struct fs_lexer *lx, struct fs_token *token,
                                uint32_t begin, uint32_t end, const char *id,
                                const char *hint, const char *fmt, ...) {
  token->kind = FS_TK_BAD;
  token->end = end;
  if (lx->quiet) return;
  char message[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  struct fs_span span = {lx->source, begin, FS_MAX(end, begin + 1)};
  fs_error(lx->diags, span, id, hint, "%s", message);
}

/* -- characters ------------------------------------------------------------ */

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static int hex_digit(int c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The byte `ahead` of the position, or -1 past the end. */
static int peek(const struct fs_lexer *lx, uint32_t ahead) {
  return lx->end - lx->pos > ahead ? (unsigned char)lx->text[lx->pos + ahead]
                                   : -1;
}

/* Above ASCII everything is taken for a letter but the blocks of punctuation,
 * symbols, arrows, mathematical operators, emoji and private use. Subscript
 * and superscript digits are letters: x₁. */
static bool is_letter_above_ascii(uint32_t c) {
  static const struct {
    uint32_t first, last;
  } no_letters[] = {
      {0x80, 0xa9},     {0xab, 0xb1},     {0xb4, 0xb4},     {0xb6, 0xb8},
      {0xbb, 0xbf},     {0xd7, 0xd7},     {0xf7, 0xf7},     {0x61c, 0x61c},
      {0x2000, 0x206f}, {0x20a0, 0x20cf}, {0x2150, 0x2bff}, {0x2e00, 0x3004},
      {0x3008, 0x3020}, {0x3030, 0x3030}, {0xd800, 0xf8ff}, {0xfe00, 0xfe6f},
      {0xfeff, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65}, {0xffe0, 0xffff},
      {0x1d6c1, 0x1d6c1}, {0x1f000, 0x1faff}, {0xe0000, 0x10ffff},
  };
  for (size_t i = 0; i < FS_LEN(no_letters); i++)
    if (c >= no_letters[i].first && c <= no_letters[i].last) return false;
  return c >= 0x80;
}

static bool is_bidi(uint32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Decodes at the position; on what no text may hold makes the token BAD and
 * gives 0. */
static int decode(struct fs_lexer *lx, struct fs_token *token, bool in_string,
                  uint32_t *c) {
  uint32_t pos = lx->pos;
  int n = fs_utf8_decode(lx->text + pos, lx->end - pos, c);
  if (n == 0) {
    bad(lx, token, pos, pos + 1, "not-utf8",
        "texts are UTF-8; convert the file, for example with iconv",
        "byte 0x%02x is not valid UTF-8 here",
        (unsigned)(unsigned char)lx->text[pos]);
  } else if (*c == 0) {
    bad(lx, token, pos, pos + 1, "nul-byte", NULL, "the text holds a NUL byte");
    return 0;
  } else if (!in_string && is_bidi(*c)) {
    bad(lx, token, pos, pos + (uint32_t)n, "bidi-control",
        "it makes the text read other than it runs; remove it, or put it in "
        "a string as \\u{...}",
        "invisible character U+%04X that reorders text", (unsigned)*c);
    return 0;
  }
  return n;
}

/* -- white space ----------------------------------------------------------- */

/* A comment is skipped, but what no text may hold is found there as well. */
static bool skip_comment(struct fs_lexer *lx, struct fs_token *token) {
  while (lx->pos < lx->end && lx->text[lx->pos] != '\n') {
    uint32_t c;
    int n = decode(lx, token, false, &c);
    if (n == 0) return false;
    lx->pos += (uint32_t)n;
  }
  return true;
}

/* n//2 divides in other languages: a comment would swallow it without a word. */
static bool is_division(const struct fs_lexer *lx) {
  if (peek(lx, 0) != '/' || peek(lx, 1) != '/' || lx->pos == 0) return false;
  int before = (unsigned char)lx->text[lx->pos - 1], behind = peek(lx, 2);
  bool operand = is_letter(before) || is_digit(before) || before == ')' || before == ']';
  return operand && (is_letter(behind) || is_digit(behind) || behind == '(');
}

static bool skip_blank(struct fs_lexer *lx, struct fs_token *token) {
  for (;;) {
    int c = peek(lx, 0);
    if (is_division(lx)) {
      bad(lx, token, lx->pos, lx->pos + 2, "comment-or-division",
          "the whole quotient is floor(a/b); before a comment there is a blank",
          "`//` would begin a comment here");
      return false;
    }
    if (c == '#' || (c == '/' && peek(lx, 1) == '/')) {
      if (!skip_comment(lx, token)) return false;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      lx->pos++;
    } else if (c == '\n' && lx->brackets > 0) {
      lx->pos++;
    } else if (lx->pos == 0 && lx->end >= 3 &&
               memcmp(lx->text, "\xef\xbb\xbf", 3) == 0) {
      lx->pos = 3; /* byte order mark */
    } else {
      return true;
    }
  }
}

/* -- names and commands ---------------------------------------------------- */

static enum fs_token_kind keyword(const char *text, size_t len) {
  for (int kind = FS_TK_IF; kind <= FS_TK_FALSE; kind++) {
    const char *word = fs_token_shown((enum fs_token_kind)kind);
    if (*word == *text && strlen(word) == len && memcmp(word, text, len) == 0)
      return (enum fs_token_kind)kind;
  }
  return FS_TK_NAME;
}

/* Bytes of the letter or digit at the position, or 0. */
static int name_unit(const struct fs_lexer *lx) {
  int c = peek(lx, 0);
  if (c < 0) return 0;
  if (c < 0x80) return is_letter(c) || is_digit(c);
  uint32_t code;
  int n = fs_utf8_decode(lx->text + lx->pos, lx->end - lx->pos, &code);
  return n && is_letter_above_ascii(code) ? n : 0;
}

/* name = letter { letter | digit } */
static void lex_name(struct fs_lexer *lx, struct fs_token *token) {
  int n;
  while ((n = name_unit(lx))) lx->pos += (uint32_t)n;
  token->end = lx->pos;
  token->text = lx->text + token->begin;
  token->text_len = token->end - token->begin;
  token->kind = keyword(token->text, token->text_len);
  if (token->text_len > FS_MAX_NAME)
    bad(lx, token, token->begin, token->end, "name-too-long", NULL,
        "a name of %zu bytes; the limit is %d", token->text_len, FS_MAX_NAME);
}

bool fs_is_name(const char *text, size_t len) {
  struct fs_lexer lx = {.text = text, .end = (uint32_t)len, .quiet = true};
  struct fs_token token = {0};
  if (len == 0 || len > FS_MAX_NAME || is_digit((unsigned char)text[0]) ||
      name_unit(&lx) == 0)
    return false;
  lex_name(&lx, &token);
  return token.kind == FS_TK_NAME && lx.pos == lx.end;
}

/* command = line start, `:` word or `?`, all to the end of the line */
static bool lex_command(struct fs_lexer *lx, struct fs_token *token) {
  int c = peek(lx, 0), after = peek(lx, 1);
  if (!lx->commands || !lx->line_start || lx->brackets > 0) return false;
  if (c != '?' && !(c == ':' && (after == '?' || is_letter(after))))
    return false;
  token->kind = FS_TK_COMMAND;
  if (!skip_comment(lx, token)) return true;
  uint32_t end = lx->pos;
  while (end > token->begin && strchr(" \t\r", lx->text[end - 1])) end--;
  token->end = end;
  token->text = lx->text + token->begin;
  token->text_len = end - token->begin;
  return true;
}

/* -- numbers --------------------------------------------------------------- */

static locale_t c_locale;
static void make_c_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The digits were checked: strtod sees nothing that we would not take. */
static double to_double(const char *text, size_t len) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  char digits[FS_MAX_NUMBER + 1];
  memcpy(digits, text, len);
  digits[len] = '\0';
  return c_locale ? strtod_l(digits, NULL, c_locale) : strtod(digits, NULL);
}

static void skip_digits(struct fs_lexer *lx) {
  while (is_digit(peek(lx, 0))) lx->pos++;
}

/* "0x" hex { hex }: at most 64 bits */
static void lex_hex(struct fs_lexer *lx, struct fs_token *token) {
  uint64_t value = 0;
  bool overflow = false;
  uint32_t first = lx->pos += 2;
  for (int d; (d = hex_digit(peek(lx, 0))) >= 0; lx->pos++) {
    overflow |= value >> 60 != 0;
    value = value << 4 | (uint64_t)d;
  }
  token->number = (double)value;
  token->is_int = true;
  if (lx->pos == first)
    bad(lx, token, token->begin, lx->pos, "bad-number", "example: 0x1f",
        "no hexadecimal digits after `0x`");
  else if (overflow)
    bad(lx, token, token->begin, lx->pos, "number-too-large", NULL,
        "a hexadecimal number of more than 64 bits");
}

/* digits [ "." [digits] ] [ exponent ] | "." digits [ exponent ]
 * The point of `1.*x`, `1./x` and `1.^x` belongs to the operator. */
static void lex_decimal(struct fs_lexer *lx, struct fs_token *token) {
  token->is_int = true;
  skip_digits(lx);
  int after = peek(lx, 1);
  if (peek(lx, 0) == '.' &&
      (after < 0 || !strchr("*/^.'", after) || after == '\0')) {
    token->is_int = false;
    lx->pos++;
    skip_digits(lx);
  }
  if (peek(lx, 0) == 'e' || peek(lx, 0) == 'E') {
    bool has_sign = peek(lx, 1) == '-' || peek(lx, 1) == '+';
    if (is_digit(peek(lx, has_sign ? 2 : 1))) {
      token->is_int = false;
      lx->pos += has_sign ? 2 : 1;
      skip_digits(lx);
    }
  }
  size_t len = lx->pos - token->begin;
  if (len > FS_MAX_NUMBER) {
    bad(lx, token, token->begin, lx->pos, "number-too-long", NULL,
        "a number of %zu characters; the limit is %d", len, FS_MAX_NUMBER);
    return;
  }
  token->number = to_double(lx->text + token->begin, len);
  if (isinf(token->number))
    bad(lx, token, token->begin, lx->pos, "number-too-large",
        "the largest number is about 1.8e308",
        "the number is too large for 64 bits");
}

/* What the letters behind a number mean in other languages; NULL: hardly anything. */
static const char *foreign_number(const char *word, int len) {
  bool digit = len > 1 && is_digit((unsigned char)word[1]);
  if (len == 1 && (*word == 'e' || *word == 'E')) return "an exponent has digits: 1e3";
  if (*word == '_' && digit) return "the digits of a number stand without `_`";
  if ((*word == 'b' || *word == 'o') && digit)
    return "numbers are decimal, or hexadecimal as 0xff";
  return NULL;
}

static bool is_imaginary(const char *word, int len) {
  return (len == 1 && (*word == 'j' || *word == 'I')) || (len == 2 && !memcmp(word, "im", 2));
}

/* The `i` right behind a decimal number, which no name goes on with. */
static void lex_unit(struct fs_lexer *lx, struct fs_token *token) {
  if (peek(lx, 0) != 'i') return;
  lx->pos++;
  token->imaginary = name_unit(lx) == 0;
  if (!token->imaginary) lx->pos--;
}

/* number = decimal [ "i" ] | hexadecimal */
static void lex_number(struct fs_lexer *lx, struct fs_token *token) {
  token->kind = FS_TK_NUMBER;
  bool hex = peek(lx, 0) == '0' && (peek(lx, 1) == 'x' || peek(lx, 1) == 'X');
  if (hex)
    lex_hex(lx, token);
  else
    lex_decimal(lx, token);
  if (!hex && token->kind == FS_TK_NUMBER) lex_unit(lx, token);
  token->end = lx->pos;
  if (token->kind == FS_TK_BAD || name_unit(lx) == 0) return;
  int digits = (int)FS_MIN(lx->pos - token->begin, 40u), n;
  uint32_t begin = lx->pos;
  while ((n = name_unit(lx))) lx->pos += (uint32_t)n;
  char hint[160];
  int tail = (int)FS_MIN(lx->pos - begin, 40u);
  const char *word = lx->text + begin, *foreign = foreign_number(word, tail);
  snprintf(hint, sizeof hint, "a product needs its sign: %.*s*%.*s%s", digits,
           lx->text + token->begin, tail, word,
           is_imaginary(word, tail) ? "; the imaginary unit is 1i" : "");
  bool product = !hex && (is_letter((unsigned char)*word) || *word & 0x80);
  if (product && foreign) snprintf(hint, sizeof hint, "%s", foreign);
  bad(lx, token, token->begin, lx->pos, "bad-number", product ? hint : NULL,
      "a name or digit sticks to the number before it");
}

/* -- strings --------------------------------------------------------------- */

/* `\u{` hex {hex} `}`, the position behind the `u`. False if malformed. */
static bool lex_unicode_escape(struct fs_lexer *lx, struct fs_str *out) {
  uint32_t c = 0;
  int digits = 0;
  if (peek(lx, 0) != '{') return false;
  lx->pos++;
  for (int d; (d = hex_digit(peek(lx, 0))) >= 0 && digits < 7; digits++) {
    c = c << 4 | (uint32_t)d;
    lx->pos++;
  }
  if (peek(lx, 0) != '}') return false;
  lx->pos++;
  if (digits == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return false;
  fs_str_put_point(out, c);
  return true;
}

/* escape = `\` ( n | t | `\` | `"` | x hex hex | u{hex...} ) */
static bool lex_escape(struct fs_lexer *lx, struct fs_str *out) {
  int c = peek(lx, 1);
  lx->pos += c < 0 ? 1 : 2;
  char byte = (char)c;
  if (c == 'n') byte = '\n';
  if (c == 't') byte = '\t';
  if (c == 'x') {
    int high = hex_digit(peek(lx, 0));
    int low = high < 0 ? -1 : hex_digit(peek(lx, 1));
    if (low < 0) return false;
    lx->pos += 2;
    byte = (char)(high << 4 | low);
  } else if (c == 'u') {
    return lex_unicode_escape(lx, out);
  } else if (c < 0 || !strchr("nt\\\"", c) || c == '\0') {
    return false;
  }
  fs_str_put(out, &byte, 1);
  return true;
}

static void string_not_closed(struct fs_lexer *lx, struct fs_token *token) {
  bad(lx, token, token->begin, lx->pos, "string-not-closed",
      "a string ends on its own line; \\n stands for a new line",
      "the string has no closing `\"`");
}

/* One character or escape inside a string; false when the token went BAD. */
static bool lex_string_unit(struct fs_lexer *lx, struct fs_token *token,
                            struct fs_str *out) {
  uint32_t begin = lx->pos, c;
  if (peek(lx, 0) == '\\') {
    if (lex_escape(lx, out)) return true;
    if (lx->pos >= lx->end || peek(lx, 0) == '\n')
      string_not_closed(lx, token);
    else
      bad(lx, token, begin, lx->pos, "bad-escape",
          "the escapes are \\n \\t \\\\ \\\" \\xHH \\u{...}",
          "unknown or malformed escape in a string");
    return false;
  }
  int n = decode(lx, token, true, &c);
  if (n == 0) return false;
  if (c < 0x20 && c != '\t') {
    bad(lx, token, begin, begin + 1, "bad-character", "write it as \\xHH",
        "control character 0x%02x in a string", (unsigned)c);
    return false;
  }
  fs_str_put(out, lx->text + begin, (size_t)n);
  lx->pos += (uint32_t)n;
  return true;
}

/* string = `"` { character | escape } `"` */
static void lex_string(struct fs_lexer *lx, struct fs_token *token) {
  struct fs_str out = {0};
  token->kind = FS_TK_STRING;
  lx->pos++;
  while (peek(lx, 0) != '"') {
    if (lx->pos >= lx->end || peek(lx, 0) == '\n' ||
        (peek(lx, 0) == '\r' && peek(lx, 1) == '\n')) {
      string_not_closed(lx, token);
      break;
    }
    if (!lex_string_unit(lx, token, &out)) break;
  }
  if (token->kind == FS_TK_STRING) {
    lx->pos++;
    token->end = lx->pos;
    token->text = fs_arena_strndup(lx->arena, fs_str_text(&out), out.len);
    token->text_len = out.len;
  }
  fs_str_free(&out);
}

/* -- operators ------------------------------------------------------------- */

/* Longest first. */
static const struct {
  char text[3];
  enum fs_token_kind kind;
} operators[] = {
    {"->", FS_TK_ARROW},      {"+=", FS_TK_ADD_ASSIGN},
    {"-=", FS_TK_SUB_ASSIGN}, {"*=", FS_TK_MUL_ASSIGN},
    {"/=", FS_TK_DIV_ASSIGN}, {"||", FS_TK_OR},
    {"&&", FS_TK_AND},        {"==", FS_TK_EQ},
    {"!=", FS_TK_NE},         {"<=", FS_TK_LE},
    {">=", FS_TK_GE},         {".*", FS_TK_DOT_STAR},
    {".'", FS_TK_DOT_QUOTE},
    {"./", FS_TK_DOT_SLASH},  {".^", FS_TK_DOT_CARET},
    {"=", FS_TK_ASSIGN},      {"<", FS_TK_LT},
    {">", FS_TK_GT},          {":", FS_TK_COLON},
    {"+", FS_TK_PLUS},        {"-", FS_TK_MINUS},
    {"*", FS_TK_STAR},        {"/", FS_TK_SLASH},
    {"\\", FS_TK_BACKSLASH},  {"^", FS_TK_CARET},
    {"!", FS_TK_NOT},         {"'", FS_TK_QUOTE},
    {";", FS_TK_SEMI},        {",", FS_TK_COMMA},
    {"(", FS_TK_LPAREN},      {")", FS_TK_RPAREN},
    {"[", FS_TK_LBRACKET},    {"]", FS_TK_RBRACKET},
    {"{", FS_TK_LBRACE},      {"}", FS_TK_RBRACE},
    {"\n", FS_TK_NEWLINE},
};

/* What people write who come from other languages; longest first. */
static const struct {
  const char *text, *hint;
} foreign[] = {
    {"...", "a line goes on after an operator, a comma or an open bracket"},
    {"**=", "of these there are += -= *= /=; write x = x.^2"},
    {".+=", "write x += y"},
    {".-=", "write x -= y"},
    {"%=", "write x = mod(x, n)"},
    {"|>", "a call is f(x)"},
    {"|=", "write x = x || y"},
    {"&=", "write x = x && y"},
    {".==", "comparisons work element by element already: write =="},
    {".!", "comparisons work element by element already: write !="},
    {".(", "functions work element by element already: write f(x)"},
    {".+", "+ works element by element already"},
    {".-", "- works element by element already"},
    {".=", "assignment is ="},
    {".\\", "write b ./ a"},
    {"~=", "not equal is !="},
    {"**", "the power is ^ or .^"},
    {"<<-", "assignment is ="},
    {"<- ", "assignment is =; to be less than a negative number is x < -1"},
    {"<<", "there are no operations on bits; twice x is 2*x"},
    {">>", "there are no operations on bits; half of x is x/2"},
    {"~", "not is !, not equal is !="},
    {"%", "comments begin with #; the remainder is mod(a, b)"},
    {"&", "and is &&"},
    {"|", "or is ||"},
    {"@time", "`:time on` shows times"},
    {"@(", "a function of its own is x -> x^2"},
    {"@", "a product is A*x, a function x -> x^2"},
    {"?", "where(c, a, b) chooses one of two; help is ?name on a line of its own"},
    {".<", "comparisons work element by element already: write <"},
    {".>", "comparisons work element by element already: write >"},
    {".&", "&& works element by element already"},
    {".|", "|| works element by element already"},
    {".", "a field is s.x; a number begins with a digit or .5"},
    {"\xe2\x80\x9c", "strings use straight double quotes"},
    {"\xe2\x80\x9d", "strings use straight double quotes"},
    {"\xe2\x80\x98", "the transpose is ', strings use double quotes"},
    {"\xe2\x80\x99", "the transpose is ', strings use double quotes"},
    {"\xe2\x88\x92", "the minus sign is -"},
    {"\xe2\x80\x93", "the minus sign is -"},
    {"\xc3\x97", "the product is *"},
    {"\xc2\xb7", "the product is *"},
    {"\xc3\xb7", "the quotient is / or ./, a whole one floor(a./b)"},
    {"\xe2\x89\xa4", "less or equal is <="},
    {"\xe2\x89\xa5", "greater or equal is >="},
    {"\xe2\x89\xa0", "not equal is !="},
    {"\xe2\x86\x92", "the arrow is ->"},
    {"\xe2\x88\x9a", "the square root is sqrt(x)"},
    {"\xe2\x88\x91", "the sum is sum(x)"},
    {"\xe2\x80\x8b", "it is invisible, a space of no width; remove it"},
    {"\xc2\xa0", "it is a no-break space; use a plain one"},
};

static bool starts_with(const struct fs_lexer *lx, const char *text) {
  if (peek(lx, 0) != (unsigned char)*text) return false; /* most do not */
  size_t len = strlen(text);
  return lx->end - lx->pos >= len && memcmp(lx->text + lx->pos, text, len) == 0;
}

static void lex_unknown(struct fs_lexer *lx, struct fs_token *token) {
  uint32_t c;
  int n = decode(lx, token, false, &c);
  if (n == 0) return;
  const char *hint = NULL;
  for (size_t i = 0; i < FS_LEN(foreign) && !hint; i++) {
    if (!starts_with(lx, foreign[i].text)) continue;
    hint = foreign[i].hint;
    n = (int)strcspn(foreign[i].text, " ");
  }
  struct fs_str shown = {0};
  fs_str_put_safe(&shown, lx->text + lx->pos, (size_t)n);
  bad(lx, token, lx->pos, lx->pos + (uint32_t)n, "bad-character", hint,
      "`%s` is not part of the language", shown.data);
  fs_str_free(&shown);
}

/* What begins as an operator and is none. `x <- 3` would compare x with -3 and change
 * nothing; whoever wants that puts no blank behind the sign. */
static bool is_no_operator(const struct fs_lexer *lx) {
  return starts_with(lx, "**") || starts_with(lx, "<- ") || starts_with(lx, "<<") ||
         starts_with(lx, ">>");
}

static void lex_operator(struct fs_lexer *lx, struct fs_token *token) {
  size_t i = 0;
  if (peek(lx, 0) == '.' && (is_letter(peek(lx, 1)) || peek(lx, 1) >= 0x80)) { /* of a field */
    token->kind = FS_TK_DOT;
    token->end = ++lx->pos;
    return;
  }
  while (i < FS_LEN(operators) && !starts_with(lx, operators[i].text)) i++;
  if (i == FS_LEN(operators) || is_no_operator(lx)) {
    lex_unknown(lx, token);
    return;
  }
  token->kind = operators[i].kind;
  lx->pos += (uint32_t)strlen(operators[i].text);
  token->end = lx->pos;
  if (token->kind == FS_TK_LPAREN || token->kind == FS_TK_LBRACKET || token->kind == FS_TK_LBRACE)
    lx->brackets++;
  if (token->kind == FS_TK_RPAREN || token->kind == FS_TK_RBRACKET || token->kind == FS_TK_RBRACE)
    lx->brackets -= lx->brackets > 0;
}

/* -- entry ----------------------------------------------------------------- */

static void lex_token(struct fs_lexer *lx, struct fs_token *token) {
  int c = peek(lx, 0);
  if (c < 0) {
    token->kind = lx->ended || lx->brackets ? FS_TK_EOF : FS_TK_NEWLINE;
    lx->ended = true;
  } else if (lex_command(lx, token)) {
    return;
  } else if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) {
    lex_number(lx, token);
  } else if (c == '"') {
    lex_string(lx, token);
  } else if (name_unit(lx)) {
    lex_name(lx, token);
  } else {
    lex_operator(lx, token);
  }
}

void fs_lex(struct fs_lexer *lx, struct fs_token *token) {
  *token = (struct fs_token){.begin = lx->pos, .end = lx->pos};
  if (!skip_blank(lx, token)) return;
  token->begin = token->end = lx->pos;
  if (++lx->n_tokens > FS_MAX_TOKENS) {
    bad(lx, token, lx->pos, lx->pos, "too-many-tokens",
        "large data belongs in a file: load(\"x.npy\")",
        "the text has more than %d words and signs", FS_MAX_TOKENS);
    return;
  }
  lex_token(lx, token);
  lx->line_start = token->kind == FS_TK_NEWLINE;
}
