/* lines.c - the same kernel text with `#line` directives to the user's
 * statements, so that what NVRTC and profilers say points to them.
 *
 * Generated names tell what a line is about (writer.h): the first value, running
 * result or access that it names belongs to a step, the step to a node, the node
 * to an expression of the user. So the writers of the schemes need not care.
 *
 *     const float v3 = fs_get(a3[i]);        #line 4 "bicgk.fs"
 *                                            const float v3 = fs_get(a3[i]);
 *
 * Lines that belong to no statement keep their number in the plain text, under
 * the name FS_EMIT_FILE: what `:code` shows.
 */
#include <ctype.h>

#include "core/emit/emit.h"

#include "core/plan/kernels/launches.h"

struct place {
  uint32_t source;   /* 0: the generated text */
  int line;
};

struct lines {
  const struct fs_plan *plan;
  const struct fs_kernel *k;
  const struct fs_diags *diags;
  uint32_t known;      /* the source whose lines begin at ... */
  FS_VEC(size_t) begins;
  struct fs_str out;
  struct place next; /* what the compiler takes the next line for */
};

/* -- which statement a line is about ------------------------------------------ */

static void find_lines(struct lines *l, const struct fs_source *source, uint32_t id) {
  const char *end = source->text + source->len;
  l->known = id;
  l->begins.len = 0;
  *FS_PUSH(&l->begins) = 0;
  for (const char *p = source->text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
    *FS_PUSH(&l->begins) = (size_t)(p + 1 - source->text);
}

/* Line of the user's file in which a span begins, from 1. A kernel asks for each of its
 * lines, and a statement may be a million bytes long. */
static int line_of(struct lines *l, struct fs_span span) {
  if (l->known != span.source)
    find_lines(l, fs_source_get(l->diags, span.source), span.source);
  int low = 0, high = l->begins.len;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (l->begins.data[middle] <= (size_t)span.begin) low = middle;
    else high = middle;
  }
  return fs_source_get(l->diags, span.source)->before + low + 1;
}

static struct place place_of_node(struct lines *l, fs_id id) {
  struct place p = {0};
  if (!id || !l->plan->graph || id >= (fs_id)l->plan->graph->nodes.len) return p;
  const struct fs_node *n = fs_node(l->plan->graph, id);
  struct fs_span span = n->span.source ? n->span : n->stmt;
  if (!span.source || !fs_source_get(l->diags, span.source)) return p;
  p.line = line_of(l, span);
  p.source = span.source;
  return p;
}

/* Loads of inputs have no node: they belong to the first that uses them. */
static struct place place_of_value(struct lines *l, int value) {
  fs_id node = 0;
  for (int i = 0; i < l->k->steps.len && !node; i++) {
    const struct fs_step *s = &l->k->steps.data[i];
    if (s->out == value) node = s->node;
    FS_EACH_IN(s, a)
      if (!node && s->kind != FS_SP_STORE && s->in[a] == value) node = s->node;
  }
  return place_of_node(l, node);
}

static struct place place_of_access(struct lines *l, int access) {
  int step = access < l->k->accesses.len ? l->k->accesses.data[access].step : -1;
  if (step < 0) return (struct place){0};
  const struct fs_step *s = &l->k->steps.data[step];
  if (s->kind == FS_SP_LOAD) return place_of_value(l, s->out);
  return s->node ? place_of_node(l, s->node) : place_of_value(l, s->in[0]);
}

/* "v12", "r2", "n0", "w4", "x4", "sum4": the number behind a name; -1: no. */
static int number_after(const char *word, size_t len, const char *name) {
  size_t n = strlen(name);
  if (len <= n || len > n + 6 || memcmp(word, name, n)) return -1;
  int value = 0;
  for (size_t k = n; k < len; k++) {
    if (!isdigit((unsigned char)word[k])) return -1;
    value = 10 * value + (word[k] - '0');
  }
  return value;
}

static struct place place_of_word(struct lines *l, const char *word, size_t len) {
  static const char *const values[] = {"v", "r", "n", "w", "x", "sum"};
  for (size_t k = 0; k < FS_LEN(values); k++) {
    int value = number_after(word, len, values[k]);
    if (value >= 0 && value < l->k->values.len) return place_of_value(l, value);
  }
  int access = number_after(word, len, "a");
  return access >= 0 && access < l->k->accesses.len
             ? place_of_access(l, access) : (struct place){0};
}

static struct place place_of_line(struct lines *l, const char *text, size_t len) {
  for (size_t k = 0; k < len;) {
    size_t n = fs_word_length(text + k, text + len);
    if (len - k > 1 && text[k] == '/' && text[k + 1] == '/') break;
    struct place p = n ? place_of_word(l, text + k, n) : (struct place){0};
    if (p.source) return p;
    k += FS_MAX(n, 1);
  }
  return (struct place){0};
}

/* -- writing -------------------------------------------------------------------- */

/* Names of sources come from the user (a file's): only harmless signs pass. */
static void put_name(struct lines *l, uint32_t source) {
  if (!source) {
    fs_str_puts(&l->out, FS_EMIT_FILE);
    return;
  }
  for (const char *p = fs_source_get(l->diags, source)->name; *p; p++) {
    bool good = isalnum((unsigned char)*p) || strchr("_-./<>:[]+=,@", *p);
    fs_str_put(&l->out, good ? p : "_", 1);
  }
}

static void put_line(struct lines *l, struct place at, const char *text, size_t len) {
  if (at.source != l->next.source || at.line != l->next.line) {
    fs_str_printf(&l->out, "#line %d \"", at.line);
    put_name(l, at.source);
    fs_str_puts(&l->out, "\"\n");
  }
  fs_str_put(&l->out, text, len);
  fs_str_puts(&l->out, "\n");
  l->next = (struct place){at.source, at.line + 1};
}

char *fs_emit_lines(const struct fs_plan *plan, const struct fs_kernel *kernel,
                    const struct fs_diags *diags, const char *source) {
  struct lines l = {.plan = plan, .k = kernel, .diags = diags, .next = {0, 1}};
  bool body = false;
  int number = 1;
  for (const char *p = source; *p; number++) {
    size_t len = strcspn(p, "\n");
    body |= len >= 10 && !memcmp(p, "fs_kernel(", 10);
    if (len > 15 && !memcmp(p, "namespace phase", 15))
      l.k = kernel + strtol(p + 15, NULL, 10) - 1;
    struct place at = {0};
    if (body && diags && *p != '#') at = place_of_line(&l, p, len);
    if (!at.source) at.line = number;
    put_line(&l, at, p, len);
    p += len + (p[len] == '\n');
  }
  FS_VEC_FREE(&l.begins);
  return l.out.data ? l.out.data : fs_strdup("");
}
