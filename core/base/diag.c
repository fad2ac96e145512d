/* diag.c - source texts, spans, recorded diagnostics and their picture:
 *
 *   <repl:12>:1:5: error: shapes do not fit: A is 3x4, p is 5
 *     q = A*p
 *         ^~~
 *   hint: A*p needs p to have 4 elements
 */
#include "core/base/diag.h"

enum {
  TAB_STOP = 8,
  PICTURE_WIDTH = 96, /* columns of source text shown; longer lines are cut */
  MESSAGE_MAX = 4096  /* bytes; messages may quote what the user typed       */
};

void fs_diags_init(struct fs_diags *d) {
  *d = (struct fs_diags){0};
  fs_source_add(d, "", "", 0); /* number 0: nowhere */
}

bool fs_diags_has(const struct fs_diags *d, const char *id) {
  for (int k = 0; k < d->list.len; k++)
    if (!strcmp(d->list.data[k].id, id)) return true;
  return false;
}

void fs_diags_cut(struct fs_diags *d, int n) {
  for (; d->list.len > n; d->list.len--) {
    free(d->list.data[d->list.len - 1].message);
    free(d->list.data[d->list.len - 1].hint);
  }
}

void fs_diags_clear(struct fs_diags *d) { fs_diags_cut(d, 0); }

void fs_diags_free(struct fs_diags *d) {
  fs_diags_clear(d);
  for (int i = 0; i < d->sources.len; i++) {
    free(d->sources.data[i].name);
    free(d->sources.data[i].text);
    for (int k = 0; k < d->sources.data[i].words.len; k++)
      free(d->sources.data[i].words.data[k].words);
    FS_VEC_FREE(&d->sources.data[i].words);
    FS_VEC_FREE(&d->sources.data[i].marks);
  }
  FS_VEC_FREE(&d->list);
  FS_VEC_FREE(&d->told);
  FS_VEC_FREE(&d->sources);
}

/* -- sources and spans ----------------------------------------------------- */

static void add_marks(struct fs_source *source);

uint32_t fs_source_add(struct fs_diags *d, const char *name, const char *text,
                       size_t len) {
  len = FS_MIN(len, (size_t)UINT32_MAX - 1); /* spans are 32-bit */
  struct fs_source source = {.len = len};
  source.text = fs_malloc(len + 1);
  if (len) memcpy(source.text, text, len);
  source.text[len] = '\0';
  source.name = fs_strdup(name);
  add_marks(&source);
  *FS_PUSH(&d->sources) = source;
  return (uint32_t)(d->sources.len - 1);
}

void fs_source_place(struct fs_diags *d, uint32_t id, const char *name, int before) {
  struct fs_source *source = &d->sources.data[id];
  source->before = before;
  if (!strcmp(source->name, name)) return;
  char *copy = fs_strdup(name);
  free(source->name);
  source->name = copy;
}

void fs_source_set_words(struct fs_diags *d, struct fs_span span, const char *words) {
  struct fs_source *source = &d->sources.data[span.source];
  int k = 0;
  while (k < source->words.len &&
         (source->words.data[k].begin != span.begin || source->words.data[k].end != span.end))
    k++;
  if (k == source->words.len) {
    if (!words) return;
    *FS_PUSH(&source->words) = (struct fs_source_words){span.begin, span.end, NULL};
  }
  char *copy = words ? fs_strdup(words) : NULL;
  free(source->words.data[k].words);
  source->words.data[k].words = copy;
}

const char *fs_span_words(const struct fs_diags *d, struct fs_span span) {
  const struct fs_source *source = fs_source_get(d, span.source);
  const struct fs_source_words *found = NULL;
  for (int k = 0; source && k < source->words.len; k++) {
    const struct fs_source_words *w = &source->words.data[k];
    bool inner = !found || (w->begin >= found->begin && w->end <= found->end);
    if (w->words && w->begin <= span.begin && span.end <= w->end && inner) found = w;
  }
  return found ? found->words : NULL;
}

const struct fs_source *fs_source_get(const struct fs_diags *d, uint32_t id) {
  return id < (uint32_t)d->sources.len ? &d->sources.data[id] : NULL;
}

const char *fs_span_text(const struct fs_diags *d, struct fs_span span,
                         size_t *len) {
  const struct fs_source *source = fs_source_get(d, span.source);
  *len = 0;
  if (!source || span.source == 0) return "";
  size_t begin = FS_MIN((size_t)span.begin, source->len);
  size_t end = FS_MIN((size_t)FS_MAX(span.begin, span.end), source->len);
  const char *text = source->text + begin;
  const char *newline = memchr(text, '\n', end - begin);
  *len = newline ? (size_t)(newline - text) : end - begin;
  return text;
}

size_t fs_code_length(const char *text, size_t len) {
  bool quoted = false;
  for (size_t k = 0; k < len; k++) {
    if (quoted && text[k] == '\\') k++;
    else if (text[k] == '"') quoted = !quoted;
    else if (!quoted && (text[k] == '#' || (len - k > 1 && !memcmp(text + k, "//", 2))))
      return k;
  }
  return len;
}

void fs_span_put_line(const struct fs_diags *d, struct fs_span span, size_t most,
                      struct fs_str *out) {
  const struct fs_source *source = fs_source_get(d, span.source);
  if (!source) return;
  size_t at = FS_MIN((size_t)span.begin, source->len);
  size_t end = FS_MIN((size_t)FS_MAX(span.begin, span.end), source->len);
  bool cut = end > at + most;
  if (cut) end = at + fs_utf8_cut(source->text + at, end - at, most);
  for (bool first = true; at < end; first = false) {
    const char *text = source->text + at;
    const char *newline = memchr(text, '\n', end - at);
    size_t line = newline ? (size_t)(newline - text) : end - at;
    size_t skip = strspn(text, " \t\r");
    size_t len = fs_code_length(text, line);
    while (len && strchr(" \t\r", text[len - 1])) len--;
    if (len > skip) {
      if (!first) fs_str_puts(out, " ");
      fs_str_put_safe(out, text + skip, len - skip);
    }
    at += line + 1;
  }
  if (cut) fs_str_puts(out, "...");
}

struct fs_span fs_span_join(struct fs_span a, struct fs_span b) {
  if (a.source == 0) return b;
  if (b.source != a.source) return a;
  return (struct fs_span){a.source, FS_MIN(a.begin, b.begin),
                          FS_MAX(a.end, b.end)};
}

int fs_span_compare(struct fs_span a, struct fs_span b) {
  if (a.source != b.source) return a.source < b.source ? -1 : 1;
  if (a.begin != b.begin) return a.begin < b.begin ? -1 : 1;
  return a.end > b.end ? -1 : a.end < b.end;
}

bool fs_span_holds(struct fs_span a, struct fs_span b) {
  return a.source == b.source && a.begin <= b.begin && b.end <= a.end;
}

/* -- the line under a span ------------------------------------------------- */

/* What one character, or one invalid byte, looks like: puts its picture into
 * `out` if that is not NULL, moves *column on, gives the bytes it took. */
static size_t put_unit(struct fs_str *out, const char *text, size_t len,
                       int *column) {
  uint32_t c = 0;
  int n = fs_utf8_decode(text, len, &c);
  if (n == 1 && c >= 0x20 && c < 0x7f) { /* nearly always */
    if (out) fs_str_put(out, text, 1);
    ++*column;
    return 1;
  }
  if (n == 1 && c == '\t') {
    do {
      if (out) fs_str_put(out, " ", 1);
    } while (++*column % TAB_STOP);
    return 1;
  }
  size_t taken = n ? (size_t)n : 1;
  struct fs_str picture = {0};
  fs_str_put_safe(&picture, text, taken);
  *column += fs_utf8_width(picture.data, picture.len);
  if (out) fs_str_put(out, picture.data, picture.len);
  fs_str_free(&picture);
  return taken;
}

struct line {
  const char *text;
  size_t len;
  size_t begin; /* offset of the line in the source */
  int number;   /* from 1, of its file */
  size_t known; /* up to this byte of the line ... */
  int column;   /* ... it has so many columns */
};

/* One mark at the first character behind every so many bytes. Both loops go over the text
 * once. */
static void add_marks(struct fs_source *source) {
  struct fs_source_mark m = {0};
  for (size_t i = 0, next = 0, end = 0; i <= source->len;) {
    if (i == m.begin) {
      const char *newline = memchr(source->text + i, '\n', source->len - i);
      end = newline ? (size_t)(newline - source->text) : source->len;
    }
    if (i >= next) {
      m.at = (uint32_t)i;
      m.end = (uint32_t)end;
      *FS_PUSH(&source->marks) = m;
      next = i + FS_MARKED;
    }
    if (i < end) {
      i += put_unit(NULL, source->text + i, end - i, &m.column);
      continue;
    }
    m.begin = (uint32_t)++i;
    m.line++;
    m.column = 0;
  }
}

/* The last mark at or before a place. */
static const struct fs_source_mark *mark_before(const struct fs_source *source, size_t offset) {
  int low = 0, high = source->marks.len;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (source->marks.data[middle].at <= offset) low = middle;
    else high = middle;
  }
  return &source->marks.data[low];
}

static struct line find_line(const struct fs_source *source, size_t offset) {
  offset = FS_MIN(offset, source->len);
  const struct fs_source_mark *m = mark_before(source, offset);
  const char *text = source->text;
  struct line line = {.number = source->before + 1 + m->line, .begin = m->begin,
                      .known = m->at - m->begin, .column = m->column};
  size_t end = m->end;
  while (end < offset) { /* the place is behind the newline */
    line.begin = end + 1;
    line.number++;
    line.known = 0;
    line.column = 0;
    const char *newline = memchr(text + line.begin, '\n', source->len - line.begin);
    end = newline ? (size_t)(newline - text) : source->len;
  }
  line.text = text + line.begin;
  line.len = end - line.begin;
  if (line.len && line.text[line.len - 1] == '\r') line.len--;
  return line;
}

/* Display columns, from 0, before byte `offset` of the line. */
static int column_of(const struct line *line, size_t offset) {
  bool behind = line->known <= FS_MIN(offset, line->len);
  int column = behind ? line->column : 0;
  for (size_t i = behind ? line->known : 0; i < FS_MIN(offset, line->len);)
    i += put_unit(NULL, line->text + i, line->len - i, &column);
  return column;
}

void fs_span_position(const struct fs_diags *d, struct fs_span span, int *line,
                      int *column) {
  const struct fs_source *source = fs_source_get(d, span.source);
  *line = *column = 0;
  if (!source || span.source == 0) return;
  struct line at = find_line(source, span.begin);
  size_t begin = FS_MIN((size_t)span.begin, source->len);
  *line = at.number;
  *column = column_of(&at, begin - at.begin) + 1;
}

/* -- recording ------------------------------------------------------------- */

/* Cuts an overlong message, at the beginning of a character. */
static void bound_text(struct fs_str *s) {
  if (s->len <= MESSAGE_MAX) return;
  s->len = fs_utf8_cut(s->data, s->len, MESSAGE_MAX);
  fs_str_puts(s, "...");
}

static char *bounded_copy(const char *text) {
  struct fs_str s = {0};
  fs_str_puts(&s, text);
  bound_text(&s);
  return s.data;
}

static FS_PRINTF(6, 0) void record(struct fs_diags *d,
                                   enum fs_severity severity,
                                   struct fs_span span, const char *id,
                                   const char *hint, const char *fmt,
                                   va_list args) {
  struct fs_str message = {0};
  if (!d) return;
  fs_str_puts(&message, "");
  fs_str_vprintf(&message, fmt, args);
  bound_text(&message);
  struct fs_diag diag = {.severity = severity, .id = id, .span = span};
  diag.message = message.data;
  diag.hint = hint ? bounded_copy(hint) : NULL;
  *FS_PUSH(&d->list) = diag;
}

enum fs_status fs_error(struct fs_diags *d, struct fs_span span,
                        const char *id, const char *hint, const char *fmt,
                        ...) {
  va_list args;
  va_start(args, fmt);
  record(d, FS_ERROR, span, id, hint, fmt, args);
  va_end(args);
  return FS_ERR_USER;
}

enum fs_status fs_env_error(struct fs_diags *d, const char *id,
                            const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(d, FS_ERROR, (struct fs_span){0}, id, hint, fmt, args);
  va_end(args);
  return FS_ERR_ENV;
}

void fs_note_call(struct fs_diags *d, struct fs_span span, const char *id,
                  const char *fmt, ...) {
  enum { MOST = 3 };
  int notes = 0;
  while (notes < d->list.len && d->list.data[d->list.len - 1 - notes].severity == FS_NOTE)
    notes++;
  if (!d->list.len || notes >= MOST) return;
  const struct fs_diag *last = &d->list.data[d->list.len - 1];
  if (last->span.source == span.source && last->span.begin >= span.begin &&
      last->span.end <= span.end)
    return; /* it shows the call already */
  va_list args;
  va_start(args, fmt);
  record(d, FS_NOTE, span, id, NULL, fmt, args);
  va_end(args);
}

void fs_note(struct fs_diags *d, struct fs_span span, const char *id,
             const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(d, FS_NOTE, span, id, hint, fmt, args);
  va_end(args);
}

void fs_warn(struct fs_diags *d, struct fs_span span, const char *id,
             const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(d, FS_WARNING, span, id, hint, fmt, args);
  va_end(args);
}

void fs_tell_once(struct fs_diags *d, enum fs_severity severity, struct fs_span span,
                  const char *id, const char *hint, const char *fmt, ...) {
  for (int k = 0; k < d->told.len; k++)
    if (!strcmp(d->told.data[k], id)) return;
  *FS_PUSH(&d->told) = id;
  va_list args;
  va_start(args, fmt);
  record(d, severity, span, id, hint, fmt, args);
  va_end(args);
}

/* -- the picture ----------------------------------------------------------- */

/* Puts the part of the line that shows columns [from, to), with "..." at the
 * sides that are cut. Gives the column that now stands leftmost. */
static int put_window(struct fs_str *out, const struct line *line, int from,
                      int to) {
  int column = 0, first = -1;
  size_t i = 0;
  fs_str_puts(out, from > 0 ? "  ..." : "  ");
  while (i < line->len && column < to) {
    bool shown = column >= from;
    if (shown && first < 0) first = column;
    i += put_unit(shown ? out : NULL, line->text + i, line->len - i, &column);
  }
  if (i < line->len) fs_str_puts(out, "...");
  fs_str_puts(out, "\n");
  return first < 0 ? from : first;
}

static void put_repeated(struct fs_str *out, char c, int times) {
  for (int i = 0; i < times; i++) fs_str_put(out, &c, 1);
}

/* The source line and the carets. Of a span over several lines the first line
 * is shown, with carets to its end. */
static void put_picture(struct fs_str *out, const struct fs_source *source,
                        struct fs_span span) {
  size_t begin = FS_MIN((size_t)span.begin, source->len);
  size_t end = FS_MAX(begin, FS_MIN((size_t)span.end, source->len));
  struct line line = find_line(source, begin);
  int from = column_of(&line, begin - line.begin);
  int to = FS_MAX(from + 1, column_of(&line, end - line.begin));
  int left = 0;
  if (column_of(&line, line.len) > PICTURE_WIDTH && to > PICTURE_WIDTH - 8) {
    int spare = PICTURE_WIDTH - FS_MIN(to - from, PICTURE_WIDTH);
    left = FS_MAX(0, from - FS_MAX(spare / 2, 8));
  }
  int shown = put_window(out, &line, left, left + PICTURE_WIDTH);
  to = FS_MAX(from + 1, FS_MIN(to, left + PICTURE_WIDTH));
  put_repeated(out, ' ', (left > 0 ? 5 : 2) + from - shown);
  put_repeated(out, '^', 1);
  put_repeated(out, '~', to - from - 1);
  fs_str_puts(out, "\n");
}

static void put_safe_text(struct fs_str *out, const char *text) {
  fs_str_put_safe(out, text, strlen(text));
}

void fs_diag_render(const struct fs_diags *d, const struct fs_diag *diag,
                    struct fs_str *out) {
  static const char *const words[] = {"note", "warning", "error"};
  const struct fs_source *source = fs_source_get(d, diag->span.source);
  bool placed = source && diag->span.source != 0;
  if (placed) {
    int line, column;
    fs_span_position(d, diag->span, &line, &column);
    put_safe_text(out, source->name);
    fs_str_printf(out, ":%d:%d: ", line, column);
  }
  fs_str_printf(out, "%s: ", words[diag->severity]);
  put_safe_text(out, diag->message);
  fs_str_puts(out, "\n");
  if (placed) put_picture(out, source, diag->span);
  if (!diag->hint) return;
  fs_str_puts(out, "hint: ");
  put_safe_text(out, diag->hint);
  fs_str_puts(out, "\n");
}

/* -- did you mean ---------------------------------------------------------- */

enum { NEAR_MAX = 64 }; /* longer names are not compared */

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/* What the k-th letter costs that is too much: less where one was typed twice. */
static int cost_of_more(const char *text, int k) {
  return k > 1 && text[k - 1] == text[k - 2] ? 1 : 2;
}

/* Edit distance in halves: insert, delete, replace and swap of neighbours cost
 * 2, another case of the same letter and a doubled one 1. */
static int edit_distance(const char *a, int n, const char *b, int m) {
  int rows[3][NEAR_MAX + 1];
  int *before = rows[0], *last = rows[1], *now = rows[2];
  for (int j = 0; j <= m; j++) last[j] = 2 * j;
  for (int i = 1; i <= n; i++) {
    now[0] = 2 * i;
    for (int j = 1; j <= m; j++) {
      int change = a[i - 1] == b[j - 1]                 ? 0
                   : lower(a[i - 1]) == lower(b[j - 1]) ? 1
                                                        : 2;
      int best = last[j - 1] + change;
      best = FS_MIN(best, last[j] + cost_of_more(a, i));
      best = FS_MIN(best, now[j - 1] + cost_of_more(b, j));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = FS_MIN(best, before[j - 2] + 2);
      now[j] = best;
    }
    int *spare = before;
    before = last;
    last = now;
    now = spare;
  }
  return last[m];
}

const char *fs_near_miss(const char *name, const char *(*next)(void *user),
                         void *user) {
  size_t n = strnlen(name, NEAR_MAX + 1);
  if (n == 0 || n > NEAR_MAX) return NULL;
  /* One edit for short names, two from 6 letters, three from 10; a name of
   * one letter is only near to its other case. */
  int best = n == 1 ? 2 : n < 6 ? 4 : n < 10 ? 5 : 7;
  if (n == 2) best = 3;
  const char *found = NULL, *candidate;
  while ((candidate = next(user))) {
    size_t m = strnlen(candidate, NEAR_MAX + 1);
    if (m == 0 || m > NEAR_MAX) continue;
    int distance = edit_distance(name, (int)n, candidate, (int)m);
    bool alike = *candidate == *name && found && *found != *name;
    if (distance < best || (distance == best && alike)) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}
