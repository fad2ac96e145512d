/* answers.c - see answers.h. Positions are in Unicode code points on the wire and
 * in bytes inside. */
#include "jupyter/answers.h"

#include "jupyter/message.h"
#include "jupyter/server.h"

struct code {
  const char *text;
  size_t len, cursor; /* bytes */
};

static struct code read_code(const json_t *content) {
  json_t *text = json_object_get(content, "code");
  json_t *at = json_object_get(content, "cursor_pos");
  struct code c = {json_string_value(text), json_string_length(text), 0};
  if (!c.text) c.text = "";
  c.cursor = json_is_integer(at)
                 ? fs_code_point_to_byte(c.text, c.len, json_integer_value(at))
                 : c.len;
  return c;
}

/* Kinds that front ends have colours for. */
static const char *kind_of(const char *type) {
  static const char *const pairs[][2] = {
    {"variable", "instance"}, {"function", "function"}, {"command", "magic"},
    {"keyword", "keyword"}, {"type", "class"}, {"constant", "instance"},
    {"path", "path"}, {"option", "param"}};
  for (size_t k = 0; type && k < FS_LEN(pairs); k++)
    if (!strcmp(type, pairs[k][0])) return pairs[k][1];
  return type ? type : "text";
}

json_t *fs_answer_complete(struct fs_worker *w, const json_t *content) {
  struct code c = read_code(content);
  size_t begin = c.cursor, end = c.cursor, k;
  json_t *found = fs_session_complete(fs_worker_session(w), c.text, c.len,
                                      c.cursor, &begin, &end);
  json_t *matches = json_array(), *types = json_array(), *one;
  json_int_t from = fs_byte_to_code_point(c.text, c.len, begin);
  json_int_t to = fs_byte_to_code_point(c.text, c.len, end);
  json_array_foreach(found, k, one) {
    json_t *text = json_object_get(one, "text");
    const char *type = json_string_value(json_object_get(one, "type"));
    const char *doc = json_string_value(json_object_get(one, "doc"));
    json_array_append(matches, text);
    json_array_append_new(
        types, json_pack("{sO ss sI sI ss}", "text", text, "type",
                         kind_of(type), "start", from, "end", to, "signature",
                         doc ? doc : ""));
  }
  json_decref(found);
  return json_pack("{ss so sI sI s{so}}", "status", "ok", "matches", matches,
                   "cursor_start", from, "cursor_end", to, "metadata",
                   "_jupyter_types_experimental", types);
}

json_t *fs_answer_inspect(struct fs_worker *w, const json_t *content) {
  struct code c = read_code(content);
  int detail =
      (int)json_integer_value(json_object_get(content, "detail_level"));
  json_t *answer = fs_session_inspect(fs_worker_session(w), c.text, c.len,
                                      c.cursor, detail > 0);
  bool found = json_is_true(json_object_get(answer, "found"));
  json_t *data = json_object();
  if (found)
    json_object_set(data, "text/plain", json_object_get(answer, "text/plain"));
  json_decref(answer);
  return json_pack("{ss sb so s{}}", "status", "ok", "found", (int)found,
                   "data", data, "metadata");
}

json_t *fs_answer_is_complete(struct fs_worker *w, const json_t *content) {
  static const char *const words[] = {[FS_COMPLETE] = "complete",
                                      [FS_NEEDS_MORE] = "incomplete",
                                      [FS_INVALID] = "invalid"};
  struct code c = read_code(content);
  int indent = 0;
  enum fs_completeness is =
      fs_session_is_complete(fs_worker_session(w), c.text, c.len, &indent);
  json_t *reply = json_pack("{ss}", "status", words[is]);
  if (is != FS_NEEDS_MORE) return reply;
  struct fs_str blanks = {0};
  fs_str_printf(&blanks, "%*s", indent, "");
  json_object_set_new(reply, "indent", json_string(fs_str_text(&blanks)));
  fs_str_free(&blanks);
  return reply;
}

/* Ours where it is installed: the wheel brings it and says so in its kernelspec. A
 * notebook that names a lexer which is not there has no colours. */
static const char *pygments_lexer(void) {
  const char *lexer = getenv("FUSIBLE_PYGMENTS_LEXER");
  return lexer && *lexer ? lexer : "julia";
}

/* Where a site has put the manual: `fusible kernel install --env FUSIBLE_HELP_URL ...`. */
static json_t *help_links(void) {
  const char *url = getenv("FUSIBLE_HELP_URL");
  bool web = url && (!strncmp(url, "https://", 8) || !strncmp(url, "http://", 7));
  json_t *link = web ? json_pack("{ss ss}", "text", "Fusible", "url", url) : NULL;
  return link ? json_pack("[o]", link) : json_array();
}

/* codemirror_mode: a front end takes the language of this name, which our extension
 * of JupyterLab adds, or without it the one that has this media type. */
json_t *fs_kernel_info(void) {
  return json_pack(
      "{ss ss ss ss s{ss ss ss ss ss s{ss ss} ss} ss so s[s] sb}", "status", "ok",
      "protocol_version", FS_PROTOCOL_VERSION, "implementation", "fusible",
      "implementation_version", FS_VERSION, "language_info", "name", "fusible",
      "version", FS_VERSION, "mimetype", "text/x-fusible", "file_extension",
      ".fs", "pygments_lexer", pygments_lexer(), "codemirror_mode", "name", "fusible",
      "mime", "text/x-julia", "nbconvert_exporter", "script", "banner",
      "Fusible " FS_VERSION ": fused linear algebra. :help for help",
      "help_links", help_links(), "supported_features", "kernel subshells", "debugger", 0);
}
