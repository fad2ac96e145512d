/* control.c - the control channel: what must be answered while an input runs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "jupyter/server.h"

struct control {
  struct fs_server *s;
  void *router, *port, *shell;
  int sequence;          /* of debug messages */
};

/* What the shell thread knows; it is never busy for long. NULL at the end. */
static json_t *ask_shell(struct control *c, enum fs_question what, const char *subshell) {
  struct fs_query *q = fs_calloc(1, sizeof *q);
  q->what = what;
  q->subshell = subshell;
  fs_net_pass(c->shell, q);
  q = fs_net_take(c->shell, true);
  if (!q) return NULL;
  json_t *answer = q->answer;
  free(q);
  return answer;
}

/* -- interrupt and shutdown -------------------------------------------------- */

static json_t *interrupt(struct control *c) {
  fs_server_interrupt(c->s);
  return json_pack("{ss}", "status", "ok");
}

/* The worker is ended first, whatever it does; nothing waits for it. */
static void shut_down(struct control *c, struct fs_request *r) {
  bool restart = json_is_true(json_object_get(r->content, "restart"));
  json_decref(ask_shell(c, FS_ASK_STOP, NULL));
  atomic_store(&c->s->stopping, true);
  json_t *content =
      json_pack("{ss sb}", "status", "ok", "restart", (int)restart);
  fs_publish(c->port, r, "shutdown_reply", json_incref(content), NULL);
  fs_publish_flush(c->port);
  fs_net_reply(c->s, c->router, r, "shutdown_reply", content, NULL);
  fs_publish_status(c->port, r, "idle");
  fs_publish_flush(c->port);
  fs_server_stop(c->s);
}

/* -- usage ------------------------------------------------------------------- */

static double cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Resident bytes and, in *seconds, processor time of a process. */
static double resident(int pid, double *seconds) {
  char path[64], text[1024];
  long long pages = 0;
  unsigned long user = 0, kernel = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *in = pid > 0 ? fopen(path, "re") : NULL;
  *seconds = 0;
  if (!in) return 0;
  size_t n = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  text[n] = 0;
  const char *after = strrchr(text, ')'); /* the name may hold anything */
  if (!after ||
      sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu "
                        "%*d %*d %*d %*d %*d %*d %*u %*u %lld",
             &user, &kernel, &pages) != 3)
    return 0;
  *seconds = (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The host's memory in bytes, under the names that ipykernel has them by. */
static json_t *host_memory(void) {
  static const char *const names[][2] = {
      {"MemTotal", "total"},   {"MemAvailable", "available"},
      {"MemFree", "free"},     {"Active", "active"},
      {"Inactive", "inactive"}, {"Buffers", "buffers"},
      {"Cached", "cached"},    {"Shmem", "shared"},
      {"Slab", "slab"}};
  json_t *all = json_object();
  FILE *f = fopen("/proc/meminfo", "r");
  char line[256], name[64];
  double kib, total = 0, left = 0;
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, "%63[^:]: %lf", name, &kib) != 2) continue;
    for (size_t k = 0; k < FS_LEN(names); k++)
      if (!strcmp(name, names[k][0]))
        json_object_set_new(all, names[k][1],
                            json_integer((json_int_t)(1024 * kib)));
    if (!strcmp(name, "MemTotal")) total = 1024 * kib;
    if (!strcmp(name, "MemAvailable")) left = 1024 * kib;
  }
  if (f) fclose(f);
  json_object_set_new(all, "used", json_integer((json_int_t)(total - left)));
  json_object_set_new(
      all, "percent",
      json_real(total > 0 ? round(1000 * (total - left) / total) / 10 : 0));
  return all;
}

/* As ipykernel gives it, with the device's memory added. */
static json_t *usage(struct control *c) {
  static double last_wall, last_cpu; /* of this one thread */
  char host[HOST_NAME_MAX + 1] = "";
  json_t *state = ask_shell(c, FS_ASK_STATE, NULL);
  int pid = (int)json_integer_value(json_object_get(state, "pid"));
  double seconds = 0, unused = 0, wall = fs_now();
  double bytes = resident(pid, &seconds) + resident(getpid(), &unused);
  seconds += cpu_seconds();
  double share = last_wall > 0 && wall > last_wall
                     ? 100 * (seconds - last_cpu) / (wall - last_wall)
                     : 0;
  last_wall = wall;
  last_cpu = seconds;
  gethostname(host, sizeof host - 1);
  json_t *device = json_object_get(state, "memory");
  json_t *content = json_pack(
      "{ss si si sf sf si so sO?}", "hostname", host, "pid",
      (int)getpid(), "worker_pid", pid, "kernel_cpu", FS_MAX(share, 0.0),
      "kernel_memory", bytes, "cpu_count", (int)sysconf(_SC_NPROCESSORS_ONLN),
      "host_virtual_memory", host_memory(), "device_memory", device);
  json_decref(state);
  return content ? content : json_object();
}

/* -- the variable pane ------------------------------------------------------- */

/* A variable as fs_session_variables() has it, with what the debugger's protocol
 * wants: a value that is text, and what to evaluate for it. */
static json_t *debug_variable(const char *name, const json_t *known) {
  static const char *const ours[] = {"text", "source", "stamp"};
  json_t *v = json_copy((json_t *)(uintptr_t)known);
  for (size_t k = 0; k < FS_LEN(ours); k++) json_object_del(v, ours[k]);
  if (!json_is_string(json_object_get(v, "value")))
    json_object_set(v, "value", json_object_get(v, "type"));
  json_object_set_new(v, "evaluateName", json_string(name));
  json_object_set_new(v, "variablesReference", json_integer(0));
  return v;
}

/* The variables as the debugger's protocol has them, without a debugger; and the
 * device's memory. */
static json_t *inspect_variables(struct control *c) {
  json_t *state = ask_shell(c, FS_ASK_STATE, NULL), *list = json_array(), *v;
  const char *name;
  json_object_foreach(json_object_get(state, "variables"), name, v) {
    const char *kind = json_string_value(json_object_get(v, "kind"));
    if (!kind || strcmp(kind, "function"))
      json_array_append_new(list, debug_variable(name, v));
  }
  json_t *body = json_pack("{so sO*}", "variables", list, "memory",
                           json_object_get(state, "memory"));
  json_decref(state);
  return body;
}

static json_t *rich_inspect(struct control *c, const json_t *arguments) {
  const char *name =
      json_string_value(json_object_get(arguments, "variableName"));
  json_t *state = ask_shell(c, FS_ASK_STATE, NULL), *data = json_object();
  json_t *v = name ? json_object_get(json_object_get(state, "variables"), name)
                   : NULL;
  json_t *text = json_object_get(v, "text");
  if (!text) text = json_object_get(v, "type");
  if (text) json_object_set(data, "text/plain", text);
  json_decref(state);
  return json_pack("{so s{}}", "data", data, "metadata");
}

static json_t *debug(struct control *c, const struct fs_request *r) {
  const char *command =
      json_string_value(json_object_get(r->content, "command"));
  json_t *seq = json_object_get(r->content, "seq"), *body = NULL;
  if (!command) command = "";
  if (!strcmp(command, "inspectVariables"))
    body = inspect_variables(c);
  else if (!strcmp(command, "richInspectVariables"))
    body = rich_inspect(c, json_object_get(r->content, "arguments"));
  else if (!strcmp(command, "debugInfo"))
    body = json_pack("{sb ss si ss ss s[] s[] sb s[]}", "isStarted", 0,
                     "hashMethod", "Murmur2", "hashSeed", 0, "tmpFilePrefix",
                     "", "tmpFileSuffix", ".fs", "breakpoints",
                     "stoppedThreads", "richRendering", 1, "exceptionPaths");
  json_t *content = json_pack(
      "{ss sO? si sb ss so}", "type", "response", "request_seq",
      json_is_integer(seq) ? seq : NULL, "seq", ++c->sequence, "success",
      body != NULL, "command", command, "body", body ? body : json_object());
  if (!content) content = json_object();
  if (!body)
    json_object_set_new(content, "message",
                        json_string("there is no debugger"));
  return content;
}

/* -- subshells ---------------------------------------------------------------- */

/* The shell thread has them. */
static json_t *subshells(struct control *c, const struct fs_request *r) {
  const char *id = json_string_value(json_object_get(r->content, "subshell_id"));
  if (*r->type == 'c') return ask_shell(c, FS_ASK_NEW_SUBSHELL, NULL);
  if (*r->type == 'l') return ask_shell(c, FS_ASK_SUBSHELLS, NULL);
  return ask_shell(c, FS_ASK_NO_SUBSHELL, id ? id : "");
}

static bool is_about_subshells(const char *type) {
  return !strcmp(type, "create_subshell_request") || !strcmp(type, "delete_subshell_request") ||
         !strcmp(type, "list_subshell_request");
}

/* -- the thread -------------------------------------------------------------- */

static void answer(struct control *c, struct fs_request *r) {
  json_t *content = NULL;
  char type[64];
  fs_publish_status(c->port, r, "busy");
  if (!strcmp(r->type, "shutdown_request")) {
    shut_down(c, r);
    return;
  }
  if (!strcmp(r->type, "interrupt_request")) content = interrupt(c);
  else if (!strcmp(r->type, "kernel_info_request")) content = fs_kernel_info();
  else if (!strcmp(r->type, "usage_request")) content = usage(c);
  else if (!strcmp(r->type, "debug_request")) content = debug(c, r);
  else if (is_about_subshells(r->type)) content = subshells(c, r);
  else fs_log("no answer to %.40s on control", r->type);
  if (content) {
    snprintf(type, sizeof type, "%.*s_reply",
             (int)(strlen(r->type) - strlen("_request")), r->type);
    fs_publish_flush(c->port); /* busy comes first */
    fs_net_reply(c->s, c->router, r, type, content, NULL);
  }
  fs_publish_status(c->port, r, "idle");
}

void *fs_control_run(void *server) {
  struct control c = {.s = server};
  struct fs_request *r;
  c.router = c.s->socket[FS_CONTROL];
  c.port = fs_iopub_port(c.s);
  c.shell = fs_net_inproc(c.s, ZMQ_PAIR, FS_SHELL_DOOR, false);
  zmq_pollitem_t item = {NULL, fs_net_fd(c.router), ZMQ_POLLIN, 0};
  enum fs_received got = FS_NOTHING;
  while (got != FS_CLOSED && (zmq_poll(&item, 1, -1) >= 0 || errno == EINTR))
    while (fs_net_ready(c.s, c.router)) {
      got = fs_net_receive(c.s, c.router, &r);
      if (got == FS_CLOSED) break;
      if (got != FS_GOT) continue;
      answer(&c, r);
      fs_request_free(r);
    }
  zmq_close(c.router);
  zmq_close(c.port);
  zmq_close(c.shell);
  return NULL;
}
