/* cuda_c_lex.c - the words of a kernel's text, with macros replaced.
 *
 * A macro is replaced as C does it: its arguments first, and never within what it stands for
 * itself. Every word that comes of it has the place of the call. */
#include "core/lang/cuda_c_lex.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { MOST_WORDS = 200000, MOST_DEPTH = 64, MOST_PARAMS = 16, MOST_NUMBER = 64,
       MOST_IFS = 32 };

struct macro {
  const char *name;
  int n_params;              /* -1: it is no function */
  const char *params[MOST_PARAMS];
  fs_c_tokens body;
  bool active, gone;
};

struct lexer {
  struct fs_diags *diags;
  struct fs_arena *arena;
  uint32_t source;
  const char *text;
  size_t pos, len;
  bool fresh;                /* nothing on this line so far */
  FS_VEC(struct macro) macros;
  int words;
  int n_ifs;                 /* #if that are open; of each, whether a branch of it was taken */
  bool taken[MOST_IFS];
  struct fs_span ifs[MOST_IFS];
};

static enum fs_status fail(struct lexer *x, struct fs_span span, const char *id, const char *hint,
                           const char *message) {
  return fs_error(x->diags, span, id, hint, "%s", message);
}

static struct fs_span span_of(const struct lexer *x, size_t begin, size_t end) {
  return (struct fs_span){x->source, (uint32_t)begin, (uint32_t)end};
}

/* -- words ---------------------------------------------------------------------------- */

static enum fs_status skip_blank(struct lexer *x) {
  while (x->pos < x->len) {
    const char *at = x->text + x->pos;
    if (*at == '\n') x->fresh = true, x->pos++;
    else if (isspace((unsigned char)*at)) x->pos++;
    else if (*at == '\\' && (at[1] == '\n' || at[1] == '\r')) x->pos += at[1] == '\r' ? 3 : 2;
    else if (at[0] == '/' && at[1] == '/') x->pos += strcspn(at, "\n");
    else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      if (!end)
        return fail(x, span_of(x, x->pos, x->pos + 2), "kernel-syntax", NULL,
                    "this comment has no end");
      x->pos = (size_t)(end + 2 - x->text);
    } else {
      break;
    }
  }
  x->pos = FS_MIN(x->pos, x->len);
  return FS_OK;
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static enum fs_status lex_number(struct lexer *x, struct fs_c_token *t) {
  char digits[MOST_NUMBER + 1], *end;
  const char *at = x->text + x->pos;
  size_t n = 0;
  bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  while (is_letter(at[n]) || at[n] == '.' ||
         (n && !hex && (at[n] == '+' || at[n] == '-') && (at[n - 1] == 'e' || at[n - 1] == 'E')))
    n++;
  t->kind = FS_CT_NUMBER;
  t->span = span_of(x, x->pos, x->pos + n);
  x->pos += n;
  snprintf(digits, sizeof digits, "%.*s", (int)FS_MIN(n, MOST_NUMBER), at);
  t->number = hex ? (double)strtoull(digits, &end, 16) : strtod(digits, &end);
  size_t used = (size_t)(end - digits);
  t->is_int = hex || strcspn(digits, ".eE") >= used;
  if (!hex && t->is_int && digits[0] == '0' && used > 1) {
    t->number = (double)strtoull(digits, &end, 8);
    used = (size_t)(end - digits);
  }
  bool f = !hex && strspn(end, "fF") == 1 && !end[1];
  bool whole = strspn(end, "uUlL") == strlen(end) && strlen(end) <= 3 && (t->is_int || !*end);
  if (f) t->number = (double)(float)t->number, t->is_int = false;
  if (n > MOST_NUMBER || !used || !isfinite(t->number) || (!f && !whole))
    return fail(x, t->span, "kernel-syntax", NULL, "this is no number of C");
  return FS_OK;
}

/* 'a', '\n' */
static enum fs_status lex_letter(struct lexer *x, struct fs_c_token *t) {
  static const char escapes[] = "n\nt\tr\r0\0\\\\''\"\"";
  const char *at = x->text + x->pos + 1;
  size_t n = *at == '\\' ? 2 : 1;
  const char *of = n == 2 && at[1] ? strchr(escapes, at[1]) : NULL;
  bool good = *at && *at != '\n' && (n == 1 || of) && at[n] == '\'';
  t->kind = FS_CT_NUMBER;
  t->is_int = true;
  t->number = good ? (signed char)(of ? of[1] : *at) : 0;
  t->span = span_of(x, x->pos, x->pos + (good ? n + 2 : 1));
  x->pos = t->span.end;
  return good ? FS_OK : fail(x, t->span, "kernel-syntax", NULL, "this is no letter of C");
}

static enum fs_status lex_one(struct lexer *x, struct fs_c_token *t) {
  static const char *const signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=",
                                      ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=", "/=",
                                      "%=",  "&=",  "|=",  "^=", "##", "::"};
  const char *at = x->text + x->pos;
  size_t n = 1;
  *t = (struct fs_c_token){.kind = FS_CT_SIGN, .line_start = x->fresh};
  x->fresh = false;
  if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
    return lex_number(x, t);
  if (*at == '\'') return lex_letter(x, t);
  if (is_letter(*at)) {
    t->kind = FS_CT_NAME;
    while (is_letter(at[n])) n++;
  } else if (*at == '"') {
    t->kind = FS_CT_STRING;
    while (at[n] && at[n] != '"' && at[n] != '\n') n += 1 + (at[n] == '\\' && at[n + 1] == '"');
    n += at[n] == '"';
  } else {
    for (size_t k = 0; k < FS_LEN(signs) && n == 1; k++)
      if (!strncmp(at, signs[k], strlen(signs[k]))) n = strlen(signs[k]);
  }
  t->span = span_of(x, x->pos, x->pos + n);
  x->pos += n;
  bool plain = t->kind != FS_CT_SIGN || strchr("+-*/%<>=!&|^~?:;,.()[]{}#", *at);
  if (!plain || (n > FS_MAX_NAME && t->kind == FS_CT_NAME))
    return fail(x, t->span, "kernel-syntax", "a kernel is plain text in CUDA C or OpenCL C",
                plain ? "a name of more than 255 letters" : "a character that C has no use for");
  t->text = fs_arena_strndup(x->arena, at, n);
  return FS_OK;
}

/* -- macros --------------------------------------------------------------------------- */

static struct macro *macro_of(struct lexer *x, const char *name) {
  for (int k = x->macros.len - 1; k >= 0; k--)
    if (!strcmp(x->macros.data[k].name, name)) return x->macros.data[k].gone ? NULL
        : &x->macros.data[k];
  return NULL;
}

static bool is_sign(const struct fs_c_token *t, const char *sign) {
  return t->kind == FS_CT_SIGN && !strcmp(t->text, sign);
}

/* The words from `from` to the one that closes what is open; -1: there is none. */
static int closing(const fs_c_tokens *in, int from) {
  for (int k = from, depth = 0; k < in->len; k++) {
    if (is_sign(&in->data[k], "(")) depth++;
    if (is_sign(&in->data[k], ")") && !--depth) return k;
  }
  return -1;
}

static enum fs_status expand(struct lexer *x, const fs_c_tokens *in, const struct fs_span *at,
                             int depth, fs_c_tokens *out);

static enum fs_status put(struct lexer *x, fs_c_tokens *out, struct fs_c_token t) {
  if (++x->words > MOST_WORDS)
    return fail(x, t.span, "kernel-macro", "macros that call each other grow without end",
                "the kernel has more than 200000 words once its macros are replaced");
  *FS_PUSH(out) = t;
  return FS_OK;
}

/* The arguments between in[from], which is the "(", and in[to], each with its own macros
 * replaced, put for the parameters. */
static enum fs_status substitute(struct lexer *x, const struct macro *m, const fs_c_tokens *in,
                                 int from, int to, const struct fs_span *at, int depth,
                                 fs_c_tokens *out) {
  fs_c_tokens args[MOST_PARAMS] = {{0}};
  int n = 0;
  enum fs_status st = FS_OK;
  for (int k = from + 1, begin = k, open = 0; k <= to && st == FS_OK; k++) {
    open += is_sign(&in->data[k], "(") - is_sign(&in->data[k], ")");
    bool ends = k == to || (!open && is_sign(&in->data[k], ","));
    if (!ends) continue;
    if (n == m->n_params) n = MOST_PARAMS;
    if (n == MOST_PARAMS) break;
    fs_c_tokens part = {.data = in->data + begin, .len = k - begin};
    st = expand(x, &part, at, depth + 1, &args[n++]);
    begin = k + 1;
  }
  bool none = !m->n_params && from + 1 == to;
  if (st == FS_OK && n != m->n_params && !none)
    st = fail(x, at ? *at : in->data[from].span, "kernel-macro", NULL,
              "the macro has another number of arguments");
  for (int k = 0; k < m->body.len && st == FS_OK; k++) {
    const struct fs_c_token *t = &m->body.data[k];
    int p = 0;
    while (p < m->n_params && (t->kind != FS_CT_NAME || strcmp(t->text, m->params[p]))) p++;
    if (p == m->n_params) st = put(x, out, *t);
    for (int j = 0; p < m->n_params && j < args[p].len && st == FS_OK; j++)
      st = put(x, out, args[p].data[j]);
  }
  for (int k = 0; k < MOST_PARAMS; k++) FS_VEC_FREE(&args[k]);
  return st;
}

/* Replaces the macros of `in`; `at`: the call that all of it comes of. */
static enum fs_status expand(struct lexer *x, const fs_c_tokens *in, const struct fs_span *at,
                             int depth, fs_c_tokens *out) {
  enum fs_status st = FS_OK;
  if (depth > MOST_DEPTH)
    return fail(x, at ? *at : (struct fs_span){x->source, 0, 1}, "kernel-macro", NULL,
                "macros stand for each other more than 64 deep");
  for (int k = 0; k < in->len && st == FS_OK; k++) {
    struct fs_c_token t = in->data[k];
    struct macro *m = t.kind == FS_CT_NAME && !t.painted ? macro_of(x, t.text) : NULL;
    bool called = k + 1 < in->len && is_sign(&in->data[k + 1], "(");
    if (at) t.span = *at;
    if (m && m->active) t.painted = true, m = NULL;
    if (!m || (m->n_params >= 0 && !called)) {
      st = put(x, out, t);
      continue;
    }
    int end = m->n_params < 0 ? k : closing(in, k + 1);
    if (end < 0)
      return fail(x, t.span, "kernel-syntax", NULL, "the call of this macro is never closed");
    struct fs_span span = at ? *at : fs_span_join(t.span, in->data[end].span);
    fs_c_tokens part = {0};
    st = m->n_params < 0 ? FS_OK : substitute(x, m, in, k + 1, end, &span, depth, &part);
    m->active = true;
    if (st == FS_OK) st = expand(x, m->n_params < 0 ? &m->body : &part, &span, depth + 1, out);
    m->active = false;
    FS_VEC_FREE(&part);
    k = end;
  }
  return st;
}

/* -- directives ----------------------------------------------------------------------- */

/* The words to the end of the line. */
static enum fs_status rest_of_line(struct lexer *x, fs_c_tokens *out) {
  for (;;) {
    enum fs_status st = skip_blank(x);
    if (st != FS_OK || x->fresh || x->pos >= x->len) return st;
    struct fs_c_token t;
    st = lex_one(x, &t);
    if (st != FS_OK) return st;
    *FS_PUSH(out) = t;
  }
}

static enum fs_status read_params(struct lexer *x, const fs_c_tokens *line, int *at,
                                  struct macro *m) {
  m->n_params = 0;
  for (int k = 3;; k += 2) {
    bool more = k + 1 < line->len && line->data[k].kind == FS_CT_NAME;
    if (!m->n_params && k < line->len && is_sign(&line->data[k], ")")) {
      *at = k + 1;
      return FS_OK;
    }
    if (!more || m->n_params == MOST_PARAMS)
      return fail(x, line->data[FS_MIN(k, line->len - 1)].span, "kernel-macro",
                  "#define NAME value, or #define NAME(a, b) value",
                  "a macro has up to 16 parameters, which are names");
    m->params[m->n_params++] = line->data[k].text;
    if (is_sign(&line->data[k + 1], ")")) {
      *at = k + 2;
      return FS_OK;
    }
    if (!is_sign(&line->data[k + 1], ","))
      return fail(x, line->data[k + 1].span, "kernel-macro", NULL,
                  "expected `,` or `)` in the parameters of a macro");
  }
}

static enum fs_status define(struct lexer *x, const fs_c_tokens *line) {
  struct macro m = {.n_params = -1};
  int at = 2;
  if (line->len < 2 || line->data[1].kind != FS_CT_NAME)
    return fail(x, line->data[0].span, "kernel-macro", "#define NAME value",
                "this macro has no name");
  const struct fs_c_token *name = &line->data[1];
  m.name = name->text;
  bool function = line->len > 2 && is_sign(&line->data[2], "(") &&
                  line->data[2].span.begin == name->span.end;
  enum fs_status st = function ? read_params(x, line, &at, &m) : FS_OK;
  for (int k = at; k < line->len && st == FS_OK; k++) {
    if (is_sign(&line->data[k], "#") || is_sign(&line->data[k], "##"))
      st = fail(x, line->data[k].span, "kernel-macro", NULL, "macros that join words are not read");
    else
      *FS_PUSH(&m.body) = line->data[k];
  }
  if (st == FS_OK) *FS_PUSH(&x->macros) = m;
  else FS_VEC_FREE(&m.body);
  return st;
}

static bool starts(const char *at, const char *word) {
  size_t n = strlen(word);
  return !strncmp(at, word, n) && !is_letter(at[n]);
}

/* To the #else, #elif or #endif that ends this branch, or with `to_end` to the #endif: it stands
 * there then. */
static enum fs_status pass_branch(struct lexer *x, bool to_end) {
  for (int open = 0; x->pos < x->len;) {
    const char *at = x->text + x->pos + strspn(x->text + x->pos, " \t");
    if (*at == '#') {
      const char *word = at + 1 + strspn(at + 1, " \t");
      if (starts(word, "if") || starts(word, "ifdef") || starts(word, "ifndef")) open++;
      bool ends = starts(word, "endif"), other = starts(word, "else") || starts(word, "elif");
      if (!open && (ends || (other && !to_end))) {
        x->fresh = true;
        return FS_OK;
      }
      open -= ends;
    }
    x->pos += strcspn(x->text + x->pos, "\n");
    x->pos += x->pos < x->len;
  }
  return fail(x, x->ifs[x->n_ifs - 1], "kernel-syntax", NULL, "this #if has no #endif");
}

/* #if of a number, of a macro that is one, and of defined(NAME), with a ! before. */
static enum fs_status condition(struct lexer *x, const fs_c_tokens *line, struct fs_span span,
                                bool *out) {
  int k = 1;
  bool no = k < line->len && is_sign(&line->data[k], "!");
  k += no;
  bool asks = k < line->len && line->data[k].kind == FS_CT_NAME &&
              !strcmp(line->data[k].text, "defined");
  if (asks) k += k + 1 < line->len && is_sign(&line->data[k + 1], "(") ? 2 : 1;
  const struct fs_c_token *t = k < line->len ? &line->data[k] : NULL;
  struct macro *m = t && t->kind == FS_CT_NAME ? macro_of(x, t->text) : NULL;
  int ends = k + 1 + (asks && line->data[k - 1].kind == FS_CT_SIGN);
  if (!asks && m && m->body.len == 1) t = &m->body.data[0];
  if (!t || line->len != ends || (!asks && t->kind != FS_CT_NUMBER && t->kind != FS_CT_NAME))
    return fail(x, span, "kernel-subset", "#ifdef NAME, #if NAME and #if defined(NAME) are",
                "this condition is not read");
  *out = (asks ? m != NULL : t->kind == FS_CT_NUMBER && t->number != 0) != no;
  return FS_OK;
}

/* #if and its like, whose line was read; *is_one: it is one of them. */
static enum fs_status branch(struct lexer *x, const char *word, const fs_c_tokens *line,
                             struct fs_span span, bool *is_one) {
  bool opens = !strcmp(word, "if") || !strcmp(word, "ifdef") || !strcmp(word, "ifndef");
  bool other = !strcmp(word, "else") || !strcmp(word, "elif"), ends = !strcmp(word, "endif");
  bool truth = false;
  enum fs_status st = FS_OK;
  *is_one = opens || other || ends;
  if (!*is_one) return FS_OK;
  if (!opens && !x->n_ifs)
    return fail(x, span, "kernel-syntax", NULL, "this belongs to no #if");
  if (ends) x->n_ifs--;
  if (ends) return FS_OK;
  if (opens && x->n_ifs == MOST_IFS)
    return fail(x, span, "kernel-syntax", NULL, "there are more than 32 #if in each other");
  if (opens) x->taken[x->n_ifs] = false, x->ifs[x->n_ifs++] = span;
  bool *taken = &x->taken[x->n_ifs - 1];
  if (*taken) return pass_branch(x, true);
  if (!strcmp(word, "else")) truth = true;
  else if (strcmp(word, "if") && strcmp(word, "elif"))
    truth = (line->len > 1 && line->data[1].kind == FS_CT_NAME &&
             macro_of(x, line->data[1].text) != NULL) == !strcmp(word, "ifdef");
  else st = condition(x, line, span, &truth);
  *taken = truth;
  return st == FS_OK && !truth ? pass_branch(x, false) : st;
}

/* At a "#". */
static enum fs_status directive(struct lexer *x, struct fs_span span) {
  fs_c_tokens line = {0};
  size_t begin = x->pos;
  enum fs_status st = skip_blank(x);
  size_t len = 0;
  while (is_letter(x->text[x->pos + len])) len++;
  const char *word = fs_arena_strndup(x->arena, x->text + x->pos, len);
  if (st == FS_OK && (!strcmp(word, "include") || !strcmp(word, "pragma"))) {
    x->pos += strcspn(x->text + x->pos, "\n");
    return FS_OK;
  }
  x->pos = begin;
  bool is_branch = false;
  if (st == FS_OK) st = rest_of_line(x, &line);
  if (st == FS_OK && line.len) st =
      branch(x, word, &line, fs_span_join(span, line.data[0].span), &is_branch);
  if (is_branch) {
    FS_VEC_FREE(&line);
    return st;
  }
  if (st == FS_OK && line.len && !strcmp(word, "define")) {
    st = define(x, &line);
  } else if (st == FS_OK && line.len > 1 && !strcmp(word, "undef")) {
    struct macro *m = line.data[1].kind == FS_CT_NAME ? macro_of(x, line.data[1].text) : NULL;
    if (m) m->gone = true;
  } else if (st == FS_OK && line.len) {
    st = fail(x, fs_span_join(span, line.data[0].span), "kernel-subset",
              "#define, #undef, #if and its like, #include and #pragma are; the last two change "
              "nothing",
              "this directive is not read");
  }
  FS_VEC_FREE(&line);
  return st;
}

/* -- all ------------------------------------------------------------------------------ */

static enum fs_status lex_all(struct lexer *x, fs_c_tokens *out) {
  fs_c_tokens run = {0};
  enum fs_status st = skip_blank(x);
  while (st == FS_OK && x->pos < x->len) {
    struct fs_c_token t;
    st = lex_one(x, &t);
    if (st != FS_OK) break;
    if (t.line_start && is_sign(&t, "#")) { /* macros hold from their line on */
      st = expand(x, &run, NULL, 0, out);
      run.len = 0;
      if (st == FS_OK) st = directive(x, t.span);
    } else {
      *FS_PUSH(&run) = t;
    }
    if (st == FS_OK) st = skip_blank(x);
  }
  if (st == FS_OK) st = expand(x, &run, NULL, 0, out);
  FS_VEC_FREE(&run);
  if (st == FS_OK && x->n_ifs)
    st = fail(x, x->ifs[x->n_ifs - 1], "kernel-syntax", NULL, "this #if has no #endif");
  return st;
}

enum fs_status fs_c_lex(struct fs_diags *diags, struct fs_arena *arena, uint32_t source,
                        fs_c_tokens *out) {
  const struct fs_source *text = fs_source_get(diags, source);
  struct lexer x = {.diags = diags, .arena = arena, .source = source, .text = text->text,
                    .len = text->len, .fresh = true};
  size_t plain = strlen(text->text);
  enum fs_status st = plain < text->len
                          ? fail(&x, span_of(&x, plain, plain + 1), "kernel-syntax",
                                 "a kernel is plain text in CUDA C or OpenCL C",
                                 "a NUL byte: this is no text")
                          : lex_all(&x, out);
  size_t end = text->len ? text->len - 1 : 0;
  *FS_PUSH(out) = (struct fs_c_token){
      .kind = FS_CT_END, .span = span_of(&x, end, text->len), .text = "the end of the file"};
  for (int k = 0; k < x.macros.len; k++) FS_VEC_FREE(&x.macros.data[k].body);
  FS_VEC_FREE(&x.macros);
  return st;
}
