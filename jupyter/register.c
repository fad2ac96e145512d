/* register.c - starting without given ports: the launcher's file tells where it
 * listens; the kernel takes free ports, tells them there, and waits for a signed
 * acknowledgement (Jupyter enhancement proposal 66; the frames as xeus has them:
 * <IDS|MSG>, signature, content). */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zmq.h>

#include "core/base/datafile.h"
#include "jupyter/server.h"

enum { PATIENCE_MS = 5000 };

static const char *const port_names[FS_CHANNELS] = {
  "shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"};

/* The port that the system gave: what follows the last colon. */
static int port_of(void *socket) {
  char endpoint[512];
  size_t size = sizeof endpoint;
  if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size)) return 0;
  const char *colon = strrchr(endpoint, ':');
  return colon ? atoi(colon + 1) : 0;
}

static void sign(const struct fs_server *s, const char *data, size_t len,
                 char hex[FS_SEAL_HEX]) {
  const struct fs_part parts[4] = {{data, len}, {"", 0}, {"", 0}, {"", 0}};
  fs_seal_sign(&s->seal, parts, hex);
}

static bool is_acknowledged(struct fs_server *s, void *socket) {
  char frame[3][256];
  int len[3], n = 0, more = 1;
  size_t size = sizeof more;
  for (; n < 3 && more; n++) {
    len[n] = zmq_recv(socket, frame[n], sizeof frame[n], 0);
    if (len[n] < 0 || len[n] > (int)sizeof frame[n]) return false;
    zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
  }
  if (n != 3 || more) return false;
  const struct fs_part parts[4] = {
      {frame[2], (size_t)len[2]}, {"", 0}, {"", 0}, {"", 0}};
  return fs_seal_holds(&s->seal, parts,
                       &(struct fs_part){frame[1], (size_t)len[1]});
}

static json_t *ports_as_text(const struct fs_connection *c) {
  json_t *o = json_object();
  char number[16];
  for (int k = 0; k < FS_CHANNELS; k++) {
    snprintf(number, sizeof number, "%d", c->port[k]);
    json_object_set_new(o, port_names[k], json_string(number));
  }
  return o;
}

/* For other clients, where they look for such files; without it all works too. */
static void write_file(const struct fs_connection *c) {
  const char *runtime = getenv("JUPYTER_RUNTIME_DIR");
  struct fs_str path = {0}, text = {0};
  if (!runtime || *runtime != '/' || strchr(c->kernel_id, '/')) return;
  fs_str_printf(&path, "%s/kernel-%s.json", runtime, c->kernel_id);
  json_t *o = json_pack("{ss ss ss ss}", "transport", c->transport, "ip", c->ip,
                        "key", c->key, "signature_scheme", c->scheme);
  for (int k = 0; k < FS_CHANNELS; k++)
    json_object_set_new(o, port_names[k], json_integer(c->port[k]));
  fs_json_put(o, &text);
  json_decref(o);
  int fd = open(fs_str_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                0600);
  if (fd >= 0 && !fs_write_all(fd, text.data, text.len))
    unlink(fs_str_text(&path));
  if (fd >= 0) close(fd);
  fs_str_free(&path);
  fs_str_free(&text);
}

bool fs_register(struct fs_server *s) {
  struct fs_connection *c = &s->connection;
  struct fs_str endpoint = {0}, text = {0};
  char hex[FS_SEAL_HEX];
  int linger = 0, patience = PATIENCE_MS;
  for (int k = 0; k < FS_CHANNELS; k++) c->port[k] = port_of(s->socket[k]);
  void *socket = zmq_socket(s->zmq, ZMQ_DEALER);
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
  fs_str_printf(&endpoint, "%s://%s:%d", c->transport, c->registration_ip,
                c->registration_port);
  json_t *o = ports_as_text(c);
  json_object_set_new(o, "kernel_id", json_string(c->kernel_id));
  fs_json_put(o, &text);
  json_decref(o);
  sign(s, text.data, text.len, hex);
  bool ok = !zmq_connect(socket, fs_str_text(&endpoint)) &&
            zmq_send(socket, "<IDS|MSG>", 9, ZMQ_SNDMORE) >= 0 &&
            zmq_send(socket, hex, strlen(hex), ZMQ_SNDMORE) >= 0 &&
            zmq_send(socket, text.data, text.len, 0) >= 0 &&
            is_acknowledged(s, socket);
  if (ok) write_file(c);
  else fs_log("no acknowledgement from %s", fs_str_text(&endpoint));
  zmq_close(socket);
  fs_str_free(&endpoint);
  fs_str_free(&text);
  return ok;
}
