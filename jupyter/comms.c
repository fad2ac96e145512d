/* comms.c - see comms.h. */
#include "jupyter/comms.h"

#include <ctype.h>
#include <stdio.h>

enum {
  MOST_COMMS = 512,
  ID_MOST = 128,       /* bytes of a comm's id */
  WORD_MOST = 100,     /* ... and of a word of a message */
  PAIRS_MOST = 64,     /* command lines of a message */
  SETTINGS_SHOWN = 500
};

/* -- the comms that are open ------------------------------------------------------- */

void fs_comms_owner(const struct fs_server *s, char out[40]) {
  snprintf(out, 40, "%.8s-%d", s->seal.session, s->worker ? fs_worker_pid(s->worker) : 0);
}

static json_t *trouble(const char *ename, const char *evalue) {
  return json_pack("{ss ss ss s[s++]}", "status", "error", "ename", ename, "evalue", evalue,
                   "traceback", ename, ": ", evalue);
}

static json_t *gone(void) {
  return trouble("plan-gone", "the plan is not of this session any more: run its cell again");
}

static int find(const struct fs_comms *c, const char *id) {
  for (int k = 0; id && k < c->list.len; k++)
    if (!strcmp(c->list.data[k].id, id)) return k;
  return -1;
}

const struct fs_comm *fs_comms_find(const struct fs_comms *c, const char *id) {
  int k = find(c, id);
  return k < 0 ? NULL : &c->list.data[k];
}

static void remove_at(struct fs_comms *c, int k) {
  free(c->list.data[k].id);
  c->list.len--;
  memmove(&c->list.data[k], &c->list.data[k + 1],
          sizeof *c->list.data * (size_t)(c->list.len - k));
}

void fs_comms_close(struct fs_comms *c, const char *id) {
  int k = find(c, id);
  if (k >= 0) remove_at(c, k);
}

void fs_comms_free(struct fs_comms *c) {
  while (c->list.len) remove_at(c, c->list.len - 1);
  FS_VEC_FREE(&c->list);
}

/* A page that is loaded again closes none of its comms. */
static char *make_room(struct fs_comms *c) {
  if (c->list.len < MOST_COMMS) return NULL;
  char *id = fs_strdup(c->list.data[0].id);
  remove_at(c, 0);
  return id;
}

json_t *fs_comms_open(struct fs_comms *c, const struct fs_server *s, const json_t *content,
                      char **oldest) {
  const json_t *data = json_object_get(content, "data");
  const char *target = json_string_value(json_object_get(content, "target_name"));
  const char *id = json_string_value(json_object_get(content, "comm_id"));
  const char *owner = json_string_value(json_object_get(data, "kernel"));
  const json_t *block = json_object_get(data, "block");
  struct fs_comm comm = {.id = NULL};
  *oldest = NULL;
  if (!target || strcmp(target, FS_PLAN_TARGET)) return json_object();
  if (!id || !*id || strlen(id) > ID_MOST || !owner || !json_is_integer(block) ||
      json_integer_value(block) < 1 || json_integer_value(block) > INT32_MAX)
    return trouble("bad-message", "a comm of " FS_PLAN_TARGET " is opened with the plan's "
                                  "`kernel` and `block`");
  fs_comms_owner(s, comm.owner);
  if (strcmp(owner, comm.owner)) return gone();
  fs_comms_close(c, id);
  *oldest = make_room(c);
  comm.id = fs_strdup(id);
  comm.block = (int)json_integer_value(block);
  *FS_PUSH(&c->list) = comm;
  return NULL;
}

json_t *fs_comms_info(const struct fs_comms *c, const json_t *content) {
  const char *target = json_string_value(json_object_get(content, "target_name"));
  json_t *all = json_object();
  for (int k = 0; k < c->list.len && (!target || !strcmp(target, FS_PLAN_TARGET)); k++)
    json_object_set_new(all, c->list.data[k].id,
                        json_pack("{ss}", "target_name", FS_PLAN_TARGET));
  return json_pack("{ss so}", "status", "ok", "comms", all);
}

/* -- a message as command lines ------------------------------------------------------ */

/* Text that stays one word of a command line. */
static const char *word_of(const json_t *v) {
  const char *text = json_string_value(v);
  if (!text || !*text || strlen(text) != json_string_length(v) || strlen(text) > WORD_MOST)
    return NULL;
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p <= ' ' || *p == '"' || *p == 0x7f) return NULL;
  return text;
}

/* A statement: a name, or its number. The words of the commands are none. */
static bool put_statement(const json_t *v, struct fs_str *out) {
  const char *word = word_of(v);
  if (json_is_integer(v) && json_integer_value(v) > 0)
    fs_str_printf(out, " %lld", (long long)json_integer_value(v));
  else if (word && strcmp(word, "on") && strcmp(word, "off"))
    fs_str_printf(out, " %s", word);
  else return false;
  return true;
}

static void add_line(struct fs_choice *c, struct fs_str *gives) {
  *FS_PUSH(&c->lines) = fs_strdup(fs_str_text(gives));
  fs_str_free(gives);
}

static bool read_pairs(struct fs_choice *c, const char *command, const json_t *these,
                       const json_t *those) {
  size_t i, k;
  json_t *a, *b;
  if (!json_array_size(these) || !json_array_size(those) ||
      json_array_size(these) * json_array_size(those) > PAIRS_MOST)
    return false;
  json_array_foreach(these, i, a) json_array_foreach(those, k, b) {
    struct fs_str line = {0};
    fs_str_puts(&line, command);
    bool good = put_statement(a, &line) && put_statement(b, &line);
    add_line(c, &line);
    if (!good) return false;
  }
  return true;
}

/* Statements of which every two are meant; with `from`, each of one list and each of the other. */
static bool read_statements(struct fs_choice *c, const json_t *data, const char *command) {
  const json_t *these = json_object_get(data, "statements");
  const json_t *those = json_object_get(data, "from");
  struct fs_str line = {0};
  size_t k;
  json_t *one;
  bool good = json_array_size(these) >= 2 && json_array_size(these) <= PAIRS_MOST;
  if (those) return read_pairs(c, command, these, those);
  fs_str_puts(&line, command);
  json_array_foreach(these, k, one) good = good && put_statement(one, &line);
  add_line(c, &line);
  return good;
}

static const char *kernel_of(const json_t *data) {
  const char *word = word_of(json_object_get(data, "kernel"));
  return word && *word == 'k' && isdigit((unsigned char)word[1]) ? word : NULL;
}

/* {"threads": 256, "scheme": "row"} as " threads=256 scheme=row" */
static bool put_settings(const json_t *settings, struct fs_str *out) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)settings, name, value) {
    json_t *key = json_string(name);
    const char *word = word_of(key);
    bool good = word && !strchr(word, '=');
    if (good) fs_str_printf(out, " %s=", word);
    json_decref(key);
    if (good && json_is_integer(value) && json_integer_value(value) >= 0)
      fs_str_printf(out, "%lld", (long long)json_integer_value(value));
    else if (good && word_of(value)) fs_str_puts(out, word_of(value));
    else return false;
  }
  return json_object_size(settings) > 0;
}

static bool read_set(struct fs_choice *c, const json_t *data, const char *command) {
  const char *kernel = kernel_of(data);
  struct fs_str line = {0};
  fs_str_printf(&line, "%s %s", command, kernel ? kernel : "");
  bool good = kernel && put_settings(json_object_get(data, "settings"), &line);
  add_line(c, &line);
  return good;
}

/* A command about a kernel: `:unpin k1`, `:alternatives k1 500 json`. */
static bool read_kernel(struct fs_choice *c, const json_t *data, const char *command) {
  const char *kernel = kernel_of(data);
  struct fs_str line = {0};
  fs_str_printf(&line, "%s %s", command, kernel ? kernel : "");
  if (c->data) fs_str_printf(&line, " %d json", SETTINGS_SHOWN);
  add_line(c, &line);
  return kernel != NULL;
}

/* A command that may have a number, `n` of the message. */
static bool read_count(struct fs_choice *c, const json_t *data, const char *command) {
  const json_t *n = json_object_get(data, "n");
  struct fs_str line = {0};
  fs_str_puts(&line, command);
  if (n) fs_str_printf(&line, " %lld", (long long)json_integer_value(n));
  if (c->data) fs_str_puts(&line, " json");
  add_line(c, &line);
  return !n || (json_is_integer(n) && json_integer_value(n) > 0);
}

/* What a message can ask: the command, what reads the rest, whether it answers with data. */
static const struct {
  const char *does, *command;
  bool (*read)(struct fs_choice *c, const json_t *data, const char *command);
  bool data;
} asked[] = {
  {"fuse", ":fuse", read_statements, false},
  {"split", ":split", read_statements, false},
  {"unfuse", ":fuse off", read_statements, false},
  {"unsplit", ":split off", read_statements, false},
  {"set", ":pin", read_set, false},
  {"unset", ":unpin", read_kernel, false},
  {"run", ":again", read_count, false},
  {"choose", ":choose", read_count, false},
  {"race", ":race", read_count, true},
  {"alternatives", ":alternatives", read_count, true},
  {"settings", ":alternatives", read_kernel, true}};

static bool read_message(struct fs_choice *c, const json_t *data, int block) {
  const char *does = json_string_value(json_object_get(data, "do"));
  struct fs_str line = {0};
  fs_str_printf(&line, ":block %d", block);
  add_line(c, &line);
  for (size_t k = 0; does && k < FS_LEN(asked); k++) {
    if (strcmp(asked[k].does, does)) continue;
    c->data = asked[k].data;
    return asked[k].read(c, data, asked[k].command);
  }
  return false;
}

/* -- the course of a message ------------------------------------------------------------ */

static void publish(struct fs_choice *c, json_t *gives_data) {
  if (c->does) json_object_set(gives_data, "do", c->does);
  if (c->id) json_object_set(gives_data, "id", c->id);
  fs_publish(c->port, c->request, "comm_msg",
             json_pack("{ss so}", "comm_id", c->comm, "data", gives_data), NULL);
}

bool fs_choice_begin(struct fs_choice *c, const struct fs_comms *comms, void *port,
                     const struct fs_request *request) {
  const char *id = json_string_value(json_object_get(request->content, "comm_id"));
  const json_t *data = json_object_get(request->content, "data");
  const struct fs_comm *comm = fs_comms_find(comms, id);
  *c = (struct fs_choice){.port = port, .request = request};
  if (!comm) return false; /* closed meanwhile: nobody listens */
  c->comm = fs_strdup(comm->id);
  const char *does = word_of(json_object_get(data, "do"));
  if (does) c->does = json_string(does);
  const json_t *number = json_object_get(data, "id");
  if (json_is_integer(number)) c->id = json_integer(json_integer_value(number));
  memcpy(c->owner, comm->owner, sizeof c->owner);
  if (read_message(c, data, comm->block)) return true;
  publish(c, trouble("bad-message", "the message is none of those that " FS_PLAN_TARGET
                                    " knows, or does not have what it needs"));
  return false;
}

const char *fs_choice_next(struct fs_choice *c, const struct fs_server *s) {
  char owner[40];
  fs_comms_owner(s, owner);
  if (!c->error && strcmp(owner, c->owner)) c->error = gone();
  if (c->error || c->at == c->lines.len) return NULL;
  fs_str_clear(&c->text); /* each answers for all before it */
  return c->lines.data[c->at++];
}

static void take_diagnostic(struct fs_choice *c, const json_t *event) {
  const char *severity = json_string_value(json_object_get(event, "severity"));
  const char *message = json_string_value(json_object_get(event, "message"));
  const char *hint = json_string_value(json_object_get(event, "hint"));
  const char *id = json_string_value(json_object_get(event, "id"));
  if (!message || !severity) return;
  if (!strcmp(severity, "error") && !c->error) {
    bool absent = id && !strcmp(id, "no-block");
    c->error = absent ? gone() : trouble(id ? id : "error", message);
    if (hint && !absent) json_object_set_new(c->error, "hint", json_string(hint));
  } else if (strcmp(severity, "error") && !c->data) {
    fs_str_printf(&c->text, "%s: %s\n", severity, message);
  }
}

void fs_choice_event(struct fs_choice *c, const json_t *event) {
  const char *name = json_string_value(json_object_get(event, "event"));
  const json_t *text = json_object_get(event, "text");
  if (!name) return;
  if (!strcmp(name, "text") && json_is_string(text)) {
    fs_str_put(&c->text, json_string_value(text), json_string_length(text));
  } else if (!strcmp(name, "diagnostic")) {
    take_diagnostic(c, event);
  } else if (!strcmp(name, "plan")) {
    json_decref(c->plan);
    c->plan = json_deep_copy(event);
    json_object_set_new(c->plan, "kernel", json_string(c->owner));
  } else if (!strcmp(name, "progress") && !json_object_get(event, "expected")) {
    json_t *copy = json_copy((json_t *)(uintptr_t)event);
    json_object_del(copy, "event");
    json_object_set_new(copy, "status", json_string("running"));
    publish(c, copy);
  }
}

void fs_choice_took(struct fs_choice *c, enum fs_result result) {
  if (result == FS_RESULT_OK || c->error) return;
  c->error = result == FS_RESULT_INTERRUPTED ? trouble("interrupted", "it was interrupted")
                                             : trouble("error", "it failed");
}

void fs_choice_end(struct fs_choice *c) {
  if (c->error) {
    publish(c, c->error);
    c->error = NULL;
    return;
  }
  json_t *answer = json_pack("{ss}", "status", "ok");
  json_t *data = c->data ? json_loadb(fs_str_text(&c->text), c->text.len, 0, NULL) : NULL;
  if (data) json_object_set_new(answer, "data", data);
  else json_object_set_new(answer, "text", json_stringn(fs_str_text(&c->text), c->text.len));
  if (c->plan) json_object_set(answer, "plan", c->plan);
  publish(c, answer);
}

void fs_choice_free(struct fs_choice *c) {
  for (int k = 0; k < c->lines.len; k++) free(c->lines.data[k]);
  FS_VEC_FREE(&c->lines);
  fs_str_free(&c->text);
  json_decref(c->does);
  json_decref(c->id);
  json_decref(c->plan);
  json_decref(c->error);
  free(c->comm);
  *c = (struct fs_choice){.port = NULL};
}
