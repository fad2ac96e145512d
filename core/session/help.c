/* help.c - completion at the cursor, and what is known about a name. */
#include "core/session/internal.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/eval/func.h"
#include "core/eval/list.h"

enum { MAX_ANSWERS = 500, MAX_DIR_ENTRIES = 20000 };

static const struct { const char *name, *doc; } keywords[] = {
  {"if", "if COND ... elseif COND ... else ... end"},
  {"elseif", "another condition of an if"},
  {"else", "what an if does otherwise"},
  {"end", "ends a block; in an index: the last one"},
  {"while", "while COND ... end"},
  {"for", "for k = 1:n ... end"},
  {"forall", "forall i = 1:m, j = 1:n ... end: rounds that must run at once"},
  {"function", "function f(x, y) ... return a, b end"},
  {"return", "gives results; in a script names the only ones"},
  {"begin", "begin ... end: one block, planned together"},
  {"try", "try ... catch e ... end: goes on after a mistake, of which e is the message"},
  {"catch", "what a try does after a mistake"},
  {"break", "leaves the loop"},
  {"continue", "goes on with the next round of the loop"},
  {"barrier", "statements before and after share no kernel"},
  {"import", "import \"file.fs\": runs a file"},
  {"true", "the truth"},
  {"false", "the opposite of true"}};

static const struct { const char *name, *doc; } type_words[] = {
  {"TILE32x32", "declares matrices: TILE32x32 A, B;"},
  {"subvector32", "declares vectors: subvector32 x, y;"},
  {"globalscalar", "declares scalars: globalscalar alpha;"},
  {"input", "takes values from the session or the command line, or makes them "
            "up"}};

static const struct { const char *name, *doc; } constants[] = {
  {"pi", "the ratio of a circle's circumference to its diameter"},
  {"Inf", "infinity; also inf"},
  {"inf", "infinity; also Inf"},
  {"NaN", "not a number; also nan"},
  {"nan", "not a number; also NaN"},
  {"eps", "the distance from 1 to the next larger f32"}};

const char *fs_keyword_at(int k, const char **doc) {
  if (k < 0 || k >= (int)FS_LEN(keywords)) return NULL;
  *doc = keywords[k].doc;
  return keywords[k].name;
}

bool fs_is_identifier(const char *text) {
  if (!*text || (*text >= '0' && *text <= '9')) return false;
  for (const char *p = text; *p; p++) {
    unsigned char ch = (unsigned char)*p;
    if (ch != '_' && ch < 0x80 && !(ch >= '0' && ch <= '9') &&
        !(ch >= 'a' && ch <= 'z') && !(ch >= 'A' && ch <= 'Z'))
      return false;
  }
  const char *keyword, *doc;
  for (int k = 0; (keyword = fs_keyword_at(k, &doc)); k++)
    if (!strcmp(keyword, text)) return false;
  return strlen(text) <= 255;
}

/* -- answers ----------------------------------------------------------------- */

struct answers {
  struct fs_session *s;
  json_t *list;
  const char *prefix;
  size_t len;
};

static void add(struct answers *a, const char *text, const char *type,
                const char *doc) {
  size_t k;
  json_t *old;
  if (strncmp(text, a->prefix, a->len)) return;
  if (json_array_size(a->list) >= MAX_ANSWERS) return;
  json_array_foreach(a->list, k, old)
    if (!strcmp(json_string_value(json_object_get(old, "text")), text)) return;
  json_t *o = json_object();
  struct fs_str first = {0};
  fs_str_put_sentence(&first, doc);
  json_object_set_new(o, "text", fs_json_text(text, strlen(text)));
  json_object_set_new(o, "type", json_string(type));
  json_object_set_new(o, "doc", fs_json_text(fs_str_text(&first), first.len));
  fs_str_free(&first);
  json_array_append_new(a->list, o);
}

static void add_mirrored(struct answers *a, bool functions) {
  const char *name;
  json_t *v;
  json_object_foreach(a->s->mirror.variables, name, v) {
    const char *kind = json_string_value(json_object_get(v, "kind"));
    const char *type = json_string_value(json_object_get(v, "type"));
    bool function = kind && !strcmp(kind, "function");
    if (function && !functions) continue;
    add(a, name, function ? "function" : "variable", type ? type : "");
  }
}

/* A function: how it is called, unless the description says it, and what it does. */
static void add_described(struct answers *a, const struct fs_interp_doc *d) {
  struct fs_str doc = {0};
  bool said = d->signature && d->doc && strstr(d->doc, d->signature);
  if (d->signature && !said) fs_str_puts(&doc, d->signature);
  if (d->signature && !said && d->doc && *d->doc) fs_str_puts(&doc, ": ");
  if (d->doc) fs_str_puts(&doc, d->doc);
  add(a, d->name, "function", fs_str_text(&doc));
  fs_str_free(&doc);
}

static void add_variables(struct answers *a, bool functions) {
  struct fs_interp_var v;
  struct fs_interp_doc d;
  add_mirrored(a, functions);
  for (int k = 0; fs_interp_var_at(a->s->in, k, &v); k++) {
    bool function = v.value.kind == FS_V_FUNCTION;
    if (v.from_prelude || (function && !functions)) continue;
    if (function && fs_interp_doc(a->s->in, v.name, &d)) {
      add_described(a, &d);
      continue;
    }
    struct fs_str type = {0};
    fs_show_type(&v.value, a->s->show.ascii, &type);
    add(a, v.name, "variable", fs_str_text(&type));
    fs_str_free(&type);
  }
}

static void add_functions(struct answers *a) {
  struct fs_interp_doc d;
  for (int k = 0; fs_interp_doc_at(a->s->in, k, &d); k++) add_described(a, &d);
}

static void add_words(struct answers *a) {
  for (size_t k = 0; k < FS_LEN(keywords); k++)
    add(a, keywords[k].name, "keyword", keywords[k].doc);
  for (size_t k = 0; k < FS_LEN(type_words); k++)
    add(a, type_words[k].name, "keyword", type_words[k].doc);
  for (size_t k = 0; k < FS_LEN(constants); k++)
    add(a, constants[k].name, "constant", constants[k].doc);
  for (int dt = 0; dt < FS_DTYPE_COUNT; dt++)
    add(a, fs_dtype_name((enum fs_dtype)dt), "type", "element type");
}

static void add_names(struct answers *a) {
  add_variables(a, true);
  add_functions(a);
  add_words(a);
}

static int compare_strings(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files and folders that go on where the prefix stops. */
static void add_paths(struct answers *a) {
  char *typed = fs_strndup(a->prefix, a->len);
  char *slash = strrchr(typed, '/');
  const char *stem = slash ? slash + 1 : typed;
  char *folder = slash ? fs_strndup(typed, (size_t)(slash - typed) + 1)
                       : fs_strdup("");
  FS_VEC(char *) names = {0};
  DIR *dir = opendir(*folder ? folder : ".");
  int seen = 0;
  for (struct dirent *e; dir && seen < MAX_DIR_ENTRIES && (e = readdir(dir));
       seen++) {
    if (strncmp(e->d_name, stem, strlen(stem))) continue;
    if (e->d_name[0] == '.' && *stem != '.') continue;
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    struct fs_str path = {0};
    struct stat st;
    fs_str_printf(&path, "%s%s", folder, e->d_name);
    if (!stat(fs_str_text(&path), &st) && S_ISDIR(st.st_mode))
      fs_str_puts(&path, "/");
    *FS_PUSH(&names) = path.data;
  }
  if (dir) closedir(dir);
  if (names.len)
    qsort(names.data, (size_t)names.len, sizeof *names.data, compare_strings);
  for (int k = 0; k < names.len; k++) {
    add(a, names.data[k], "path", "");
    free(names.data[k]);
  }
  FS_VEC_FREE(&names);
  free(folder);
  free(typed);
}

/* -- the words of commands --------------------------------------------------- */

static void add_settings(struct answers *a, const char *rest) {
  const char *name, *values, *doc;
  size_t len = strcspn(rest, " \t");
  bool second = rest + len < a->prefix;
  for (int k = 0; fs_setting_at(k, &name, &values, &doc); k++) {
    if (!second)
      add(a, name, "option", doc);
    else if (strlen(name) == len && !strncmp(name, rest, len))
      for (const char *v = values; *v;) {
        size_t n = strcspn(v, " ");
        char *word = fs_strndup(v, n);
        if (!strstr(word, "..")) add(a, word, "option", "");
        free(word);
        v += n + (v[n] == ' ');
      }
  }
}

/* Of kernels. */
static void add_traits(struct answers *a) {
  for (int x = 0; x < FS_TRAITS; x++) {
    const struct fs_tuning_row *row = &fs_tuning_rows[FS_MAX(0, x - FS_TRAIT_TUNING)];
    char word[40];
    snprintf(word, sizeof word, "%s=", fs_trait_name(x));
    add(a, word, "option", x < FS_TRAIT_TUNING ? "" : row->what);
  }
}

static void add_topics(struct answers *a) {
  const struct fs_topic *topic;
  for (int k = 0; (topic = fs_session_topic(k)); k++)
    add(a, topic->name, "option", "a topic of :help");
  for (int k = 0; k < FS_COMMAND_COUNT; k++)
    add(a, fs_commands[k].name, "command", fs_commands[k].doc);
}

static void add_examples(struct answers *a) {
  json_t *list = fs_session_example_names(), *name;
  size_t k;
  json_array_foreach(list, k, name) add(a, json_string_value(name), "option", "");
  json_decref(list);
}

static void add_option(struct answers *a, const char *word, const char *rest) {
  if (!strcmp(word, "@file")) add_paths(a);
  else if (!strcmp(word, "@name")) add_names(a);
  else if (!strcmp(word, "@variable")) add_variables(a, false);
  else if (!strcmp(word, "@set")) add_settings(a, rest);
  else if (!strcmp(word, "@setting")) add_traits(a);
  else if (!strcmp(word, "@topic")) add_topics(a);
  else if (!strcmp(word, "@example")) add_examples(a);
  else add(a, word, "option", "");
}

/* `line` begins with `:`; the prefix is a word of it. */
static void complete_command(struct answers *a, const char *line) {
  size_t len = strcspn(line + 1, " \t");
  struct fs_str words = {0};
  if (a->prefix <= line + 1 + len) {
    for (int k = 0; k < FS_COMMAND_COUNT; k++) {
      char name[32];
      snprintf(name, sizeof name, ":%s", fs_commands[k].name);
      add(a, name, "command", fs_commands[k].doc);
    }
    return;
  }
  const struct fs_command *c = fs_command_find(line + 1, len, &words);
  fs_str_free(&words);
  const char *rest = line + 1 + len + strspn(line + 1 + len, " \t");
  for (const char *at = c ? c->options : ""; *at;) {
    size_t n = strcspn(at, " ");
    char *word = fs_strndup(at, n);
    add_option(a, word, rest);
    free(word);
    at += n + (at[n] == ' ');
  }
}

/* -- where the cursor is ----------------------------------------------------- */

static bool is_name_byte(char ch) {
  unsigned char c = (unsigned char)ch;
  return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t line_begin(const char *text, size_t cursor) {
  while (cursor && text[cursor - 1] != '\n') cursor--;
  return cursor;
}

/* The beginning of the string that the cursor is in, or SIZE_MAX. */
static size_t open_string(const char *text, size_t from, size_t cursor) {
  size_t quote = SIZE_MAX;
  for (size_t k = from; k < cursor; k++) {
    if (quote == SIZE_MAX && text[k] == '#') return SIZE_MAX;
    if (quote != SIZE_MAX && text[k] == '\\') k++;
    else if (text[k] == '"') quote = quote == SIZE_MAX ? k + 1 : SIZE_MAX;
  }
  return quote;
}

/* Behind `name.`: the fields of a record. */
static void add_fields(struct answers *a, const char *name, size_t len) {
  char *copy = fs_strndup(name, len);
  json_t *mirrored = json_object_get(a->s->mirror.variables, copy), *field;
  size_t k;
  json_array_foreach(json_object_get(mirrored, "fields"), k, field)
    add(a, json_string_value(field), "field", "");
  struct fs_interp_var v;
  for (int i = 0; fs_interp_var_at(a->s->in, i, &v); i++) {
    if (v.value.kind != FS_V_RECORD || strcmp(v.name, copy)) continue;
    const struct fs_list *l = v.value.list;
    for (int64_t f = 0; f < l->len; f++) {
      struct fs_str type = {0};
      fs_show_type(&l->items[f], a->s->show.ascii, &type);
      add(a, l->names[f], "field", fs_str_text(&type));
      fs_str_free(&type);
    }
  }
  free(copy);
}

json_t *fs_session_complete(struct fs_session *s, const char *text, size_t len,
                            size_t cursor, size_t *begin, size_t *end) {
  cursor = FS_MIN(cursor, len);
  char *copy = fs_malloc(cursor + 1);
  memcpy(copy, text, cursor);
  copy[cursor] = 0;
  size_t from = line_begin(copy, cursor), first = from, at = cursor;
  while (copy[first] == ' ' || copy[first] == '\t') first++;
  bool command = copy[first] == ':', ask = copy[first] == '?';
  size_t quote = open_string(copy, from, cursor);
  if (quote != SIZE_MAX)
    at = quote;
  else if (command)
    while (at > first && copy[at - 1] != ' ' && copy[at - 1] != '\t') at--;
  else
    while (at > from && is_name_byte(copy[at - 1])) at--;
  struct answers a = {s, json_array(), copy + at, cursor - at};
  if (command)
    complete_command(&a, copy + first);
  else if (quote != SIZE_MAX)
    add_paths(&a);
  else if (at > from && copy[at - 1] == '.') {
    size_t name = at - 1;
    while (name > from && is_name_byte(copy[name - 1])) name--;
    add_fields(&a, copy + name, at - 1 - name);
  } else if (a.len || ask || at == first)
    add_names(&a);
  *begin = at;
  *end = cursor;
  free(copy);
  return a.list;
}

/* -- finding functions ---------------------------------------------------------------- */

static bool answers_to(const json_t *o, const char *word) {
  const char *name = json_string_value(json_object_get(o, "text"));
  const char *doc = json_string_value(json_object_get(o, "doc"));
  if (strpbrk(word, "*?[")) return !fnmatch(word, name, 0);
  return !*word || strcasestr(name, word) || (doc && strcasestr(doc, word));
}

bool fs_session_put_functions(struct fs_session *s, const char *word, struct fs_str *out) {
  struct answers a = {s, json_array(), "", 0};
  size_t k;
  const json_t *o;
  int widest = 0, n = 0;
  add_variables(&a, true);
  add_functions(&a);
  for (int round = 0; round < 2; round++)
    json_array_foreach(a.list, k, o) {
      const char *name = json_string_value(json_object_get(o, "text"));
      const char *doc = json_string_value(json_object_get(o, "doc"));
      if (strcmp(json_string_value(json_object_get(o, "type")), "function")) continue;
      if (!answers_to(o, word)) continue;
      if (!round) widest = FS_MAX(widest, (int)strlen(name)), n++;
      else fs_str_printf(out, "  %-*s  %s\n", widest, name, doc ? doc : "");
    }
  json_decref(a.list);
  return n > 0;
}

/* -- what is known about a name ------------------------------------------------ */

static void put_definition(const struct fs_session *s, struct fs_span span,
                           struct fs_str *out) {
  const struct fs_source *src =
      span.source ? fs_source_get(&s->diags, span.source) : NULL;
  if (!src || span.end > src->len || span.begin >= span.end) return;
  fs_str_put(out, src->text + span.begin, span.end - span.begin);
  fs_str_puts(out, "\n");
}

static void put_indented(struct fs_str *out, const char *text) {
  for (const char *at = text; at && *at;) {
    size_t len = strcspn(at, "\n");
    fs_str_puts(out, "  ");
    fs_str_put(out, at, len);
    fs_str_puts(out, "\n");
    at += len + (at[len] == '\n');
  }
}

static void describe_function(struct fs_session *s, const char *name,
                              const struct fs_func *f, int detail,
                              struct fs_str *out) {
  fs_str_puts(out, name);
  fs_func_put_params(f, out);
  fs_str_puts(out, f->from_prelude           ? "    function of the prelude\n"
              : f->kind == FS_FN_KERNEL ? "    a kernel of a file\n"
                                        : "    your function\n");
  struct fs_interp_doc d;
  if (f->kind == FS_FN_USER && fs_interp_doc(s->in, name, &d)) put_indented(out, d.doc);
  if (detail) put_definition(s, f->span, out);
}

static void put_elem(struct fs_str *out, const struct fs_elem *e, int detail) {
  fs_str_puts(out, e->user ? "  your elementary function"
                           : "  elementary function");
  if (e->higher) fs_str_printf(out, " %s", e->higher);
  fs_str_puts(out, "\n");
  if (!detail) return;
  for (int k = 0; k < e->params.len; k++)
    fs_str_printf(out, "  %s is a %s\n", e->params.data[k].name,
                  e->params.data[k].type);
  if (e->result) fs_str_printf(out, "  gives a %s\n", e->result);
  if (e->by_instance)
    fs_str_printf(out, "  %d thread%s for each instance\n", e->n_threads,
                  e->n_threads == 1 ? "" : "s");
  for (int k = 0; k < e->routines.len; k++)
    fs_str_printf(out, "  %s %s%s%s %s impl %d\n", e->routines.data[k].kind,
                  e->routines.data[k].arg ? e->routines.data[k].arg : "",
                  e->routines.data[k].arg ? " " : "", e->routines.data[k].level,
                  e->routines.data[k].target, e->routines.data[k].impl);
}

static bool describe_known(struct fs_session *s, const char *name, int detail,
                           struct fs_str *out) {
  struct fs_interp_doc d;
  if (!fs_interp_doc(s->in, name, &d)) return false;
  fs_str_printf(out, "%s    %s\n", d.signature ? d.signature : d.name,
                d.kind ? d.kind : "");
  put_indented(out, d.doc);
  if (d.elem) put_elem(out, d.elem, detail);
  return true;
}

static bool describe_variable(struct fs_session *s, const char *name,
                              int detail, struct fs_str *out) {
  const struct fs_val *v = fs_interp_get(s->in, name);
  if (!v) return false;
  if (v->kind == FS_V_FUNCTION &&
      (v->func->kind == FS_FN_USER || v->func->kind == FS_FN_KERNEL)) {
    describe_function(s, name, v->func, detail, out);
    return true;
  }
  bool shown = true;
  struct fs_tensor *t[2];
  for (int k = 0, n = fs_val_tensors(v, t); k < n; k++)
    shown = shown && t[k]->state == FS_TS_STORED;
  struct fs_str text = {0};
  if (shown && !fs_show_value(name, v, &s->show, &text, &s->diags)) {
    fs_str_printf(out, "%s\n", fs_str_text(&text));
  } else {
    fs_str_printf(out, "%s = ", name);
    fs_show_type(v, s->show.ascii, out);
    fs_str_puts(out, "\n");
  }
  fs_str_free(&text);
  return true;
}

/* A variable of the session that this one mirrors. */
static bool describe_mirrored(const struct fs_session *s, const char *name,
                              int detail, struct fs_str *out) {
  const json_t *v = json_object_get(s->mirror.variables, name);
  const char *text = json_string_value(json_object_get(v, "text"));
  const char *source = json_string_value(json_object_get(v, "source"));
  const char *type = json_string_value(json_object_get(v, "type"));
  if (!v) return false;
  if (detail && source) fs_str_puts(out, source);
  else if (text) fs_str_puts(out, text);
  else fs_str_printf(out, "%s = %s\n", name, type ? type : "");
  return true;
}

static bool describe_word(const char *name, struct fs_str *out) {
  enum fs_dtype dt;
  const char *doc = NULL;
  for (size_t k = 0; k < FS_LEN(keywords); k++)
    if (!strcmp(keywords[k].name, name)) doc = keywords[k].doc;
  for (size_t k = 0; k < FS_LEN(type_words); k++)
    if (!strcmp(type_words[k].name, name)) doc = type_words[k].doc;
  if (doc) {
    fs_str_printf(out, "%s    keyword\n  %s\n", name, doc);
    return true;
  }
  for (size_t k = 0; k < FS_LEN(constants); k++) {
    if (strcmp(constants[k].name, name)) continue;
    fs_str_printf(out, "%s    constant\n  %s\n", name, constants[k].doc);
    return true;
  }
  if (!fs_dtype_from_name(name, &dt)) return false;
  fs_str_printf(out, "%s    element type of %zu byte%s\n", name,
                fs_dtype_size(dt), fs_dtype_size(dt) == 1 ? "" : "s");
  return true;
}

bool fs_session_describe(struct fs_session *s, const char *name, int detail,
                         struct fs_str *out) {
  struct fs_str words = {0};
  if (*name == ':') {
    const struct fs_command *c =
        fs_command_find(name + 1, strlen(name + 1), &words);
    fs_str_free(&words);
    if (c) fs_command_page(c, out);
    return c != NULL;
  }
  return describe_mirrored(s, name, detail, out) ||
         describe_variable(s, name, detail, out) ||
         describe_known(s, name, detail, out) || describe_word(name, out);
}

/* The function whose arguments the cursor is in: the name left of the innermost
 * bracket that is open there. */
static char *enclosing_call(const char *text, size_t cursor) {
  int depth = 0;
  for (size_t k = cursor; k > 0; k--) {
    char c = text[k - 1];
    if (c == ')' || c == ']') depth++;
    if (c == '[') depth--;
    if (c != '(' || depth-- > 0) continue;
    size_t end = k - 1, begin = end;
    while (begin && is_name_byte(text[begin - 1])) begin--;
    if (begin < end) return fs_strndup(text + begin, end - begin);
  }
  return NULL;
}

static char *name_at(const char *text, size_t len, size_t cursor) {
  size_t begin = FS_MIN(cursor, len), end = begin;
  while (begin && is_name_byte(text[begin - 1])) begin--;
  while (end < len && is_name_byte(text[end])) end++;
  if (begin && text[begin - 1] == ':' &&
      line_begin(text, begin) == begin - 1)
    begin--;
  return begin < end ? fs_strndup(text + begin, end - begin) : NULL;
}

json_t *fs_session_inspect(struct fs_session *s, const char *text, size_t len,
                           size_t cursor, int detail) {
  struct fs_str out = {0};
  cursor = FS_MIN(cursor, len);
  char *name = name_at(text, len, cursor);
  bool found = name && fs_session_describe(s, name, detail, &out);
  if (!found) {
    free(name);
    name = enclosing_call(text, cursor);
    found = name && fs_session_describe(s, name, detail, &out);
  }
  json_t *o = json_object();
  json_object_set_new(o, "found", json_boolean(found));
  json_object_set_new(o, "text/plain",
                      fs_json_text(fs_str_text(&out), out.len));
  free(name);
  fs_str_free(&out);
  return o;
}
