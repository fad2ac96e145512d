/* statement.c - which node a user's word means: a variable that the block
 * assigns, or the number of a statement. */
#include "core/graph/graph.h"

static bool is_letter(char c) {
  unsigned char ch = (unsigned char)c;
  return ch == '_' || ch >= 0x80 || (ch >= '0' && ch <= '9') ||
         (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* Whether the statement assigns the variable: `q = ...`, `q, s = ...`,
 * `q[2:5] = ...`, `q += ...`. */
static bool assigns(const char *text, size_t len, const char *word) {
  size_t n = strlen(word), at = 0;
  bool named = false;
  int depth = 0;
  while (at < len) {
    char c = text[at];
    if (is_letter(c)) {
      size_t from = at;
      while (at < len && is_letter(text[at])) at++;
      named |= !depth && at - from == n && !memcmp(text + from, word, n);
      continue;
    }
    if (c == '(' || c == '[') depth++;
    if (c == ')' || c == ']') depth--;
    if (!depth && c == '=') return named && (at + 1 == len || text[at + 1] != '=');
    if (!depth && !strchr(" \t,+-*/.^])", c)) return false;
    at++;
  }
  return false;
}

static bool span_assigns(const struct fs_diags *sources, struct fs_span span, const char *word) {
  const struct fs_source *s = span.source ? fs_source_get(sources, span.source)
                                          : NULL;
  if (!s || span.begin > span.end || (size_t)span.end > s->len) return false;
  return assigns(s->text + span.begin, (size_t)(span.end - span.begin), word);
}

static bool is_work(const struct fs_node *nd) {
  return nd->kind != FS_ND_NONE && nd->kind != FS_ND_INPUT &&
         nd->kind != FS_ND_PARAM && nd->stmt.source != 0;
}

/* The last node of the statement, the one that holds its value. */
static fs_id last_of(const struct fs_graph *g, struct fs_span span) {
  fs_id found = 0;
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *nd = fs_node(g, (fs_id)k);
    if (is_work(nd) && !fs_span_compare(nd->stmt, span))
      found = (fs_id)k;
  }
  return found;
}

/* The statement that comes next after `span`, or after none (NULL). */
static bool next_statement(const struct fs_graph *g, const struct fs_span *span,
                           struct fs_span *out) {
  bool found = false;
  for (int k = 1; k < g->nodes.len; k++) {
    const struct fs_node *nd = fs_node(g, (fs_id)k);
    if (!is_work(nd) || (span && fs_span_compare(*span, nd->stmt) >= 0)) continue;
    if (found && fs_span_compare(nd->stmt, *out) >= 0) continue;
    *out = nd->stmt;
    found = true;
  }
  return found;
}

static fs_id by_number(const struct fs_graph *g, long number) {
  struct fs_span span = {0}, next;
  for (long k = 0; k < number; k++) {
    if (!next_statement(g, k ? &span : NULL, &next)) return 0;
    span = next;
  }
  return last_of(g, span);
}

static fs_id behind_views(const struct fs_graph *g, fs_id id) {
  while (fs_node(g, id)->kind == FS_ND_VIEW) id = fs_node(g, id)->src[0];
  return id;
}

fs_id fs_graph_statement(const struct fs_graph *g,
                        const struct fs_diags *sources, const char *word) {
  char *end;
  long number = strtol(word, &end, 10);
  if (*word && !*end) return number > 0 ? by_number(g, number) : 0;
  for (int k = 0; k < g->outputs.len; k++)
    if (g->output_names.data[k] && !strcmp(g->output_names.data[k], word))
      return behind_views(g, g->outputs.data[k]);
  struct fs_span span = {0}, next;
  fs_id found = 0;
  for (bool more = next_statement(g, NULL, &next); more;
       more = next_statement(g, &span, &next)) {
    span = next;
    if (span_assigns(sources, span, word)) found = last_of(g, span);
  }
  return found;
}
