/* elem.c - reads the text of one elementary function (the format: elem.h).
 *
 * Line by line: blank lines and lines that begin with `#` are skipped, a line
 * is `key value`, and `kind level target impl N {` opens a routine, whose text
 * goes up to a line that is `}` alone. */
#include "core/lang/elem.h"

#include "core/lang/lex.h"

struct reader {
  struct fs_diags *diags;
  struct fs_arena *arena;
  uint32_t source;
  const char *text;
  uint32_t pos, len;
  struct fs_elem *elem;
  uint32_t seen; /* bit i: keys[i] was given */
};

/* A piece of one line, without blanks around it. */
struct piece {
  uint32_t begin, end;
};

/* -- pieces of text -------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static struct piece trim(const struct reader *r, struct piece p) {
  while (p.begin < p.end && is_blank(r->text[p.begin])) p.begin++;
  while (p.end > p.begin && is_blank(r->text[p.end - 1])) p.end--;
  return p;
}

/* The next line, trimmed. */
static struct piece next_line(struct reader *r) {
  const char *at = r->text + r->pos;
  const char *newline = memchr(at, '\n', r->len - r->pos);
  uint32_t end = newline ? (uint32_t)(newline - r->text) : r->len;
  struct piece line = {r->pos, end};
  r->pos = newline ? end + 1 : end;
  return trim(r, line);
}

/* Cuts the first piece up to `separator` (' ': any blanks) off *rest. */
static struct piece cut(const struct reader *r, struct piece *rest,
                        char separator) {
  struct piece p = *rest;
  uint32_t at = p.begin;
  while (at < p.end && (separator == ' ' ? !is_blank(r->text[at])
                                         : r->text[at] != separator))
    at++;
  rest->begin = FS_MIN(at + 1, p.end);
  p.end = at;
  *rest = trim(r, *rest);
  return trim(r, p);
}

static struct fs_span span_of(const struct reader *r, struct piece p) {
  return (struct fs_span){r->source, p.begin, FS_MAX(p.end, p.begin + 1)};
}

static bool is_empty(struct piece p) { return p.begin == p.end; }

static bool is_word(const struct reader *r, struct piece p, const char *word) {
  size_t len = p.end - p.begin;
  return len == strlen(word) && memcmp(r->text + p.begin, word, len) == 0;
}

static const char *copy(const struct reader *r, struct piece p) {
  return fs_arena_strndup(r->arena, r->text + p.begin, p.end - p.begin);
}

static bool fail(struct reader *r, struct piece at, const char *id,
                 const char *hint, const char *fmt, ...) FS_PRINTF(5, 6);
static bool fail(struct reader *r, struct piece at, const char *id,
                 const char *hint, const char *fmt, ...) {
  struct fs_str message = {0};
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(&message, fmt, args);
  va_end(args);
  fs_error(r->diags, span_of(r, at), id, hint, "%s", fs_str_text(&message));
  fs_str_free(&message);
  return false;
}

/* A piece for a message, cut to a sensible length. */
static const char *shown(const struct reader *r, struct piece p) {
  p.end = FS_MIN(p.end, p.begin + 40);
  return copy(r, p);
}

/* -- values ---------------------------------------------------------------- */

static bool read_name(struct reader *r, struct piece p, const char **out) {
  if (!fs_is_name(r->text + p.begin, p.end - p.begin))
    return fail(r, p, "elem-syntax", NULL, "expected a name, found `%s`",
                shown(r, p));
  *out = copy(r, p);
  return true;
}

static bool read_int(struct reader *r, struct piece p, int most, int *out) {
  int value = 0;
  bool good = !is_empty(p);
  for (uint32_t i = p.begin; good && i < p.end; i++) {
    good = r->text[i] >= '0' && r->text[i] <= '9';
    if (good) value = value * 10 + (r->text[i] - '0');
    good = good && value <= most;
  }
  if (!good)
    return fail(r, p, "elem-syntax", NULL,
                "expected a number from 0 to %d, found `%s`", most,
                shown(r, p));
  *out = value;
  return true;
}

/* One of the words (ends with NULL), or an error with the nearest one. */
struct words {
  const char *const *list;
  int at;
};

static const char *next_in_list(void *user) {
  struct words *w = user;
  return w->list[w->at] ? w->list[w->at++] : NULL;
}

/* others: what may stand there beside the words, for the hint; or NULL. */
static bool read_word_or(struct reader *r, struct piece p, const char *what,
                         const char *const *list, const char *others,
                         const char **out) {
  for (int i = 0; list[i]; i++) {
    if (!is_word(r, p, list[i])) continue;
    *out = list[i];
    return true;
  }
  struct fs_str hint = {0};
  const char *near =
      fs_near_miss(copy(r, p), next_in_list, &(struct words){list, 0});
  if (near) {
    fs_str_printf(&hint, "did you mean `%s`?", near);
  } else if (others) {
    fs_str_puts(&hint, others);
  } else {
    fs_str_puts(&hint, "one of:");
    for (int i = 0; list[i]; i++) fs_str_printf(&hint, " %s", list[i]);
  }
  fail(r, p, "elem-unknown-word", hint.data, "`%s` is not %s", shown(r, p),
       what);
  fs_str_free(&hint);
  return false;
}

static bool read_word(struct reader *r, struct piece p, const char *what,
                      const char *const *list, const char **out) {
  return read_word_or(r, p, what, list, NULL, out);
}

/* The first four are for the library's products: hints do not name them. */
static const char *const element_types[] = {"tile", "row",  "col", "vec",
                                            "each", "scalar", NULL};

/* An element type: one of the words, or the extents of a small element: 3x3. */
static bool read_type(struct reader *r, struct piece p,
                      struct fs_elem_param *out) {
  if (is_empty(p) || r->text[p.begin] < '0' || r->text[p.begin] > '9')
    return read_word_or(r, p, "an element type", element_types,
                        "`each`, `scalar`, or the extents of a small element, as 3 or 3x3",
                        &out->type);
  struct piece rest = p;
  while (!is_empty(rest)) {
    struct piece one = cut(r, &rest, 'x');
    if (out->rank == 2)
      return fail(r, p, "elem-type", NULL,
                  "a small element is a vector or a matrix, as 3 or 3x3");
    if (!read_int(r, one, 1024, &out->dim[out->rank])) return false;
    if (out->dim[out->rank++] < 2)
      return fail(r, one, "elem-type", "one number of every instance is `each`",
                  "an extent of a small element is at least 2");
  }
  if (r->text[p.end - 1] == 'x')
    return fail(r, p, "elem-type", "example: A:3x3", "an extent is missing");
  out->type = copy(r, p);
  return true;
}

/* -- keys ------------------------------------------------------------------ */

static bool key_function(struct reader *r, struct piece value) {
  return read_name(r, value, &r->elem->name);
}

/* alias a, b */
static bool key_alias(struct reader *r, struct piece value) {
  struct fs_elem *e = r->elem;
  do {
    const char *name;
    struct piece word = cut(r, &value, ',');
    if (!read_name(r, word, &name)) return false;
    for (int i = 0; i < e->aliases.len; i++)
      if (strcmp(e->aliases.data[i], name) == 0)
        return fail(r, word, "duplicate-name", NULL,
                    "`%s` stands twice among these names", name);
    *FS_PUSH(&e->aliases) = name;
    *FS_PUSH(&e->alias_at) = span_of(r, word);
  } while (!is_empty(value));
  return true;
}

static bool key_doc(struct reader *r, struct piece value) {
  r->elem->doc = copy(r, value);
  return true;
}

/* args A:tile, p:col */
static bool key_args(struct reader *r, struct piece value) {
  while (!is_empty(value)) {
    struct piece arg = cut(r, &value, ','), type = arg;
    struct piece name = cut(r, &type, ':');
    struct fs_elem_param param = {.span = span_of(r, arg)};
    if (!read_name(r, name, &param.name)) return false;
    if (is_empty(type))
      return fail(r, arg, "elem-syntax", "example: args x:each, A:3x3",
                  "`%s` has no element type", param.name);
    if (!read_type(r, type, &param)) return false;
    for (int i = 0; i < r->elem->params.len; i++)
      if (strcmp(r->elem->params.data[i].name, param.name) == 0)
        return fail(r, name, "duplicate-name", NULL,
                    "`%s` stands twice in this list", param.name);
    *FS_PUSH(&r->elem->params) = param;
  }
  return true;
}

static bool key_result(struct reader *r, struct piece value) {
  if (!read_type(r, value, &r->elem->result_type)) return false;
  r->elem->result = r->elem->result_type.type;
  return true;
}

static bool key_higher(struct reader *r, struct piece value) {
  r->elem->higher = copy(r, value);
  return true;
}

static bool key_nesting(struct reader *r, struct piece value) {
  return read_int(r, value, 4, &r->elem->nesting);
}

static bool key_define(struct reader *r, struct piece value) {
  return fs_parse_expr(r->diags, r->arena, span_of(r, value),
                       &r->elem->define) == FS_OK;
}

static bool key_flops(struct reader *r, struct piece value) {
  return read_int(r, value, 1000000, &r->elem->flops);
}

/* threads 32x8; what stands behind is a remark */
static bool key_threads(struct reader *r, struct piece value) {
  struct piece word = cut(r, &value, ' '), rest = word;
  int x, y = 1;
  if (!read_int(r, cut(r, &rest, 'x'), 1024, &x)) return false;
  if (!is_empty(rest) && !read_int(r, rest, 1024, &y)) return false;
  if (x < 1 || y < 1 || x * y > 1024)
    return fail(r, word, "elem-syntax", "a block has 1 to 1024 threads",
                "%d x %d threads", x, y);
  r->elem->threads = copy(r, word);
  return true;
}

/* types f32, f64 */
static bool key_types(struct reader *r, struct piece value) {
  static const char *const types[] = {"i32", "i64", "f32", "f64", NULL};
  do {
    const char *name;
    if (!read_word(r, cut(r, &value, ','), "a type of routines", types, &name))
      return false;
    for (int k = 0; types[k]; k++)
      if (types[k] == name) r->elem->types |= 1u << k;
  } while (!is_empty(value));
  return true;
}

static bool key_scratch(struct reader *r, struct piece value) {
  return read_int(r, value, 1 << 16, &r->elem->scratch);
}

static bool key_neutral(struct reader *r, struct piece value) {
  r->elem->neutral = copy(r, value);
  return true;
}

static const struct key {
  const char *name;
  bool (*read)(struct reader *r, struct piece value);
  bool required, repeats;
} keys[] = {
    {"function", key_function, true, false},
    {"alias", key_alias, false, true},
    {"doc", key_doc, true, false},
    {"args", key_args, true, false},
    {"result", key_result, true, false},
    {"higher", key_higher, false, false},
    {"nesting", key_nesting, false, false},
    {"define", key_define, false, false},
    {"flops", key_flops, false, false},
    {"threads", key_threads, false, false},
    {"types", key_types, false, false},
    {"scratch", key_scratch, false, false},
    {"neutral", key_neutral, false, false},
};

/* -- routines -------------------------------------------------------------- */

static const char *const routine_kinds[] = {"load", "compute", "store", NULL};
static const char *const routine_levels[] = {"thread", "block", NULL};
static const char *const routine_targets[] = {"cuda", "c", "any", NULL};

/* "as" 6, or 3x4: what the element is on chip. */
static bool read_chip(struct reader *r, struct piece word, struct piece type,
                      struct fs_elem_routine *routine) {
  if (!strcmp(routine->kind, "compute"))
    return fail(r, word, "elem-syntax", "load A block any as 6 {",
                "only a load or a store says what an element is on chip");
  if (is_empty(type) || r->text[type.begin] < '0' || r->text[type.begin] > '9')
    return fail(r, is_empty(type) ? word : type, "elem-type",
                "example: as 6, as 3x4",
                "on chip an element has the extents of a vector or a matrix");
  routine->chip.span = span_of(r, type);
  return read_type(r, type, &routine->chip);
}

/* head = kind [ argument ] level target { "impl" number | "threads" number |
 * "as" extents } "{"      (the "{" is cut off; a load has the argument) */
static bool read_head(struct reader *r, struct piece head,
                      struct fs_elem_routine *routine) {
  struct piece rest = head;
  routine->impl = 1;
  if (!read_word(r, cut(r, &rest, ' '), "a kind of routine", routine_kinds,
                 &routine->kind))
    return false;
  if (!strcmp(routine->kind, "load")) {
    struct piece name = cut(r, &rest, ' ');
    if (is_empty(name) || is_word(r, name, "block") ||
        is_word(r, name, "thread"))
      return fail(r, head, "elem-syntax", "load A block any {",
                  "a load says which argument it brings in");
    if (!read_name(r, name, &routine->arg)) return false;
  }
  if (!read_word(r, cut(r, &rest, ' '), "a level", routine_levels,
                 &routine->level) ||
      !read_word(r, cut(r, &rest, ' '), "a target", routine_targets,
                 &routine->target))
    return false;
  while (!is_empty(rest)) {
    struct piece word = cut(r, &rest, ' ');
    bool impl = is_word(r, word, "impl");
    if (is_word(r, word, "as")) {
      if (!read_chip(r, word, cut(r, &rest, ' '), routine)) return false;
      continue;
    }
    if (!impl && !is_word(r, word, "threads"))
      return fail(r, word, "elem-syntax", "compute block cuda impl 1 {",
                  "expected `impl`, `threads`, `as` or `{`, found `%s`",
                  shown(r, word));
    if (!read_int(r, cut(r, &rest, ' '), impl ? 1000 : 1024,
                  impl ? &routine->impl : &routine->threads))
      return false;
  }
  return true;
}

static bool same_routine(const struct fs_elem_routine *a,
                         const struct fs_elem_routine *b) {
  return a->impl == b->impl && strcmp(a->kind, b->kind) == 0 &&
         (!a->arg || strcmp(a->arg, b->arg) == 0) &&
         strcmp(a->level, b->level) == 0 && strcmp(a->target, b->target) == 0;
}

static bool read_routine(struct reader *r, struct piece head) {
  struct fs_elem_routine routine = {0};
  struct piece words = head;
  words.end--;
  if (!read_head(r, trim(r, words), &routine)) return false;
  for (int i = 0; i < r->elem->routines.len; i++)
    if (same_routine(&routine, &r->elem->routines.data[i]))
      return fail(r, head, "elem-duplicate", "alternatives have other numbers",
                  "this routine was given before");
  struct piece body = {r->pos, r->pos};
  routine.line = 1;
  for (uint32_t k = 0; k < r->pos; k++) routine.line += r->text[k] == '\n';
  for (;;) {
    if (r->pos >= r->len)
      return fail(r, head, "elem-syntax",
                  "the text of a routine ends with a line that is `}` alone",
                  "this routine has no closing `}`");
    body.end = r->pos;
    struct piece line = next_line(r);
    if (is_word(r, line, "}") && line.begin == body.end) break;
  }
  routine.text = copy(r, body);
  routine.span = span_of(r, body);
  routine.head = span_of(r, head);
  *FS_PUSH(&r->elem->routines) = routine;
  return true;
}

/* -- the file -------------------------------------------------------------- */

static const char *next_key(void *user) {
  size_t *i = user, n = FS_LEN(keys);
  size_t k = (*i)++;
  if (k < n) return keys[k].name;
  return k - n < FS_LEN(routine_kinds) ? routine_kinds[k - n] : NULL;
}

static bool unknown_key(struct reader *r, struct piece word) {
  size_t i = 0;
  const char *near = fs_near_miss(copy(r, word), next_key, &i);
  const char *hint =
      near ? fs_arena_printf(r->arena, "did you mean `%s`?", near) : NULL;
  return fail(r, word, "elem-unknown-key", hint, "unknown key `%s`",
              shown(r, word));
}

static bool read_line(struct reader *r, struct piece line) {
  if (r->text[line.end - 1] == '{') {
    struct piece rest = line;
    struct piece first = cut(r, &rest, ' ');
    for (int i = 0; routine_kinds[i]; i++)
      if (is_word(r, first, routine_kinds[i])) return read_routine(r, line);
  }
  struct piece value = line;
  struct piece word = cut(r, &value, ' ');
  size_t i = 0;
  while (i < FS_LEN(keys) && !is_word(r, word, keys[i].name)) i++;
  if (i == FS_LEN(keys)) {
    for (int k = 0; routine_kinds[k]; k++)
      if (is_word(r, word, routine_kinds[k]))
        return fail(r, line, "elem-syntax", "compute block cuda impl 1 {",
                    "the head of a routine ends with `{`");
    return unknown_key(r, word);
  }
  bool again = (r->seen >> i & 1) != 0;
  r->seen |= 1u << i;
  if (again && !keys[i].repeats)
    return fail(r, word, "elem-duplicate", NULL, "`%s` was given before",
                keys[i].name);
  /* A function of no arguments has `args` alone. */
  if (is_empty(value) && keys[i].read != key_args)
    return fail(r, word, "elem-syntax", NULL, "`%s` has no value",
                keys[i].name);
  r->elem->key[i] = span_of(r, is_empty(value) ? word : value);
  return keys[i].read(r, value);
}

static bool check_text(struct reader *r) {
  if (r->len > FS_MAX_SOURCE)
    return fail(r, (struct piece){0, 1}, "text-too-long", NULL,
                "the text has %u bytes; the limit is %d", (unsigned)r->len,
                FS_MAX_SOURCE);
  for (uint32_t i = 0; i < r->len;) {
    uint32_t c;
    int n = fs_utf8_decode(r->text + i, r->len - i, &c);
    if (n == 0 || c == 0)
      return fail(r, (struct piece){i, i + 1}, n ? "nul-byte" : "not-utf8",
                  NULL, n ? "the text holds a NUL byte"
                          : "this byte is not valid UTF-8");
    i += (uint32_t)n;
  }
  return true;
}

static bool read_file(struct reader *r) {
  static const char mark[] = "\xef\xbb\xbf"; /* editors put it before UTF-8 */
  if (!check_text(r)) return false;
  if (r->len >= 3 && !memcmp(r->text, mark, 3)) r->pos = 3;
  while (r->pos < r->len) {
    struct piece line = next_line(r);
    if (is_empty(line) || r->text[line.begin] == '#') continue;
    if (!read_line(r, line)) return false;
  }
  for (size_t i = 0; i < FS_LEN(keys); i++)
    if (keys[i].required && !(r->seen >> i & 1))
      return fail(r, (struct piece){0, 1}, "elem-missing-key", NULL,
                  "the file has no `%s` line", keys[i].name);
  for (int i = 0; i < r->elem->aliases.len; i++)
    if (strcmp(r->elem->aliases.data[i], r->elem->name) == 0)
      return fail(r, (struct piece){r->elem->alias_at.data[i].begin,
                                    r->elem->alias_at.data[i].end},
                  "duplicate-name", NULL, "the function is called `%s` already",
                  r->elem->name);
  if (!r->elem->define && !r->elem->routines.len)
    return fail(r, (struct piece){0, 1}, "elem-missing-key",
                "example: define 2*x + y",
                "the file has neither a `define` line nor a routine");
  return true;
}

/* The lists grow on the heap; the element, as the rest of it, lives in the
 * arena. */
static void move_to_arena(struct fs_arena *arena, void *list, int len,
                          size_t size, int *cap, void **data) {
  void *kept = fs_arena_alloc(arena, size * (size_t)len);
  if (len) memcpy(kept, list, size * (size_t)len);
  free(list);
  *data = kept;
  *cap = len;
}

#define MOVE_TO_ARENA(arena, vec)                                     \
  do {                                                                \
    void *data;                                                       \
    move_to_arena((arena), (vec)->data, (vec)->len,                   \
                  sizeof *(vec)->data, &(vec)->cap, &data);           \
    (vec)->data = data;                                               \
  } while (0)

enum fs_status fs_elem_parse(struct fs_diags *diags, struct fs_arena *arena,
                             uint32_t source, struct fs_elem **out) {
  const struct fs_source *text = fs_source_get(diags, source);
  struct fs_elem *elem = FS_NEW(arena, struct fs_elem);
  struct reader r = {diags, arena, source, text->text, 0,
                     (uint32_t)text->len, elem, 0};
  elem->span = (struct fs_span){source, 0, (uint32_t)text->len};
  bool good = read_file(&r);
  MOVE_TO_ARENA(arena, &elem->aliases);
  MOVE_TO_ARENA(arena, &elem->alias_at);
  MOVE_TO_ARENA(arena, &elem->params);
  MOVE_TO_ARENA(arena, &elem->routines);
  *out = good ? elem : NULL;
  return good ? FS_OK : FS_ERR_USER;
}

/* -- what routines do ------------------------------------------------------------------ */

/* The next word of C at or after *at, without remarks and texts; a character of something
 * else is a word, too. False at the end. */
static bool next_word(const char **at, const char **word, size_t *len) {
  const char *s = *at;
  for (;;) {
    s += strspn(s, " \t\r\n");
    if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
    else if (s[0] == '/' && s[1] == '*') s = strstr(s, "*/") ? strstr(s, "*/") + 2 : s + strlen(s);
    else break;
  }
  if (!*s) return false;
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  *word = s;
  *len = FS_MAX(strspn(s, letters), 1);
  if (*s == '"') {
    while (s[*len] && s[*len] != '"') *len += s[*len] == '\\' && s[*len + 1] ? 2 : 1;
    *len += s[*len] != 0;
  }
  *at = s + *len;
  return true;
}

static bool is_c_word(const char *word, size_t len, const char *what) {
  return strlen(what) == len && !strncmp(word, what, len);
}

static bool is_operand(const struct fs_elem *e, const char *word, size_t len) {
  for (int k = 0; k < e->params.len; k++)
    if (is_c_word(word, len, e->params.data[k].name)) return true;
  return false;
}

/* Where a reader of C is, as far as loops go. */
struct in_loops {
  int brackets, braces;
  int head;        /* brackets around that of a `for` whose head is read; -1: none  */
  int parts;       /* ... of its parts are behind                                   */
  struct { const char *word; size_t len; } asked[8]; /* names in its condition      */
  int n_asked;
  bool counted;    /* ... of which its third part has one                           */
  bool pending;    /* a head has just ended                                         */
  bool single;     /* in a body of one statement                                    */
  int bodies[16], n; /* braces around those that are open                           */
};

static void step(struct in_loops *x, const char *word, size_t len) {
  bool semicolon = *word == ';';
  if (x->pending && *word == '{' && x->n < (int)FS_LEN(x->bodies)) x->bodies[x->n++] = x->braces;
  else if (x->pending && !semicolon) x->single = true;
  x->pending = false;
  if (is_c_word(word, len, "for"))
    x->head = x->brackets, x->parts = x->n_asked = 0, x->counted = false;
  else if (x->head >= 0 && semicolon) x->parts++;
  else if (semicolon) x->single = false;
  x->brackets += (*word == '(') - (*word == ')');
  x->braces += (*word == '{') - (*word == '}');
  if (*word == '}' && x->n && x->bodies[x->n - 1] == x->braces) x->n--;
  if (*word == ')' && x->brackets == x->head) x->head = -1, x->pending = true;
}

/* A word of the head of a `for`: false where that is more than counting up to a constant. */
static bool counts(const struct fs_elem *e, struct in_loops *x, const char *word, size_t len) {
  bool name = *word == '_' || (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z');
  if (x->parts == 1) {
    if (is_operand(e, word, len) || *word == '&' || *word == '|' || *word == '(') return false;
    if (name && x->n_asked < (int)FS_LEN(x->asked))
      x->asked[x->n_asked].word = word, x->asked[x->n_asked++].len = len;
  }
  for (int k = 0; x->parts == 2 && k < x->n_asked; k++)
    x->counted |= x->asked[k].len == len && !strncmp(x->asked[k].word, word, len);
  return *word != ')' || x->brackets != x->head + 1 || x->counted;
}

bool fs_elem_goes_by_data(const struct fs_elem *e, const char *routine) {
  struct in_loops x = {.head = -1};
  const char *word;
  size_t len;
  while (next_word(&routine, &word, &len)) {
    if (is_c_word(word, len, "while") || is_c_word(word, len, "do") ||
        is_c_word(word, len, "goto"))
      return true;
    bool left = is_c_word(word, len, "break") || is_c_word(word, len, "return");
    if (left && (x.n || x.single || x.pending)) return true;
    if (x.head >= 0 && !counts(e, &x, word, len)) return true;
    step(&x, word, len);
  }
  return false;
}
