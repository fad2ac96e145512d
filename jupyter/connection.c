/* connection.c - see connection.h. */
#include "jupyter/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jupyter/message.h"

enum { FILE_MAX = 64 << 10 };

static bool refuse(struct fs_str *error, const char *fmt, ...) FS_PRINTF(2, 3);
static bool refuse(struct fs_str *error, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fs_str_vprintf(error, fmt, args);
  va_end(args);
  return false;
}

/* Who can write the file chooses the key, and so runs code as this user. */
static bool is_trusted(int fd, const char *path, struct fs_str *error) {
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode))
    return refuse(error, "%s is not a regular file", path);
  if (st.st_uid != geteuid() && st.st_uid != 0)
    return refuse(error, "%s belongs to another user", path);
  if (st.st_mode & (S_IWGRP | S_IWOTH))
    return refuse(error, "%s can be written by others", path);
  if (st.st_mode & (S_IRGRP | S_IROTH))
    fprintf(stderr, "fusible-kernel: %s, with its key, can be read by others\n",
            path);
  if (st.st_size > FILE_MAX) return refuse(error, "%s is too large", path);
  return true;
}

static bool read_all(const char *path, struct fs_str *out,
                     struct fs_str *error) {
  char piece[4096];
  ssize_t n = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return refuse(error, "cannot read %s: %s", path, strerror(errno));
  bool ok = is_trusted(fd, path, error);
  while (ok && out->len <= FILE_MAX && (n = read(fd, piece, sizeof piece)) > 0)
    fs_str_put(out, piece, (size_t)n);
  close(fd);
  return ok;
}

/* Copies a text of the file, or its default, if it fits. */
static bool take_text(const json_t *o, const char *key, const char *otherwise,
                      char *out, size_t size, struct fs_str *error) {
  const char *text = json_string_value(json_object_get(o, key));
  if (!text) text = otherwise;
  return (size_t)snprintf(out, size, "%s", text) < size ||
         refuse(error, "the connection file's %s is too long", key);
}

static bool take_ports(const json_t *o, struct fs_connection *c,
                       struct fs_str *error) {
  static const char *const names[FS_CHANNELS] = {
    "shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"};
  json_int_t launcher =
      json_integer_value(json_object_get(o, "registration_port"));
  if (launcher > 0 && launcher <= 65535 && !json_object_get(o, names[0])) {
    c->registration_port = (int)launcher; /* ours are chosen by the system */
    return take_text(o, "registration_ip", "127.0.0.1", c->registration_ip,
                     sizeof c->registration_ip, error) &&
           take_text(o, "kernel_id", "", c->kernel_id, sizeof c->kernel_id, error);
  }
  for (int k = 0; k < FS_CHANNELS; k++) {
    json_int_t port = json_integer_value(json_object_get(o, names[k]));
    if (port < 1 || port > 65535)
      return refuse(error, "the connection file gives no good %s", names[k]);
    c->port[k] = (int)port;
  }
  return true;
}

static bool take_keys(const json_t *o, bool keyless, struct fs_connection *c,
                      struct fs_str *error) {
  struct fs_seal seal;
  if (!take_text(o, "key", "", c->key, sizeof c->key, error) ||
      !take_text(o, "signature_scheme", "hmac-sha256", c->scheme,
                 sizeof c->scheme, error) ||
      !take_text(o, "curve_publickey", "", c->curve_public,
                 sizeof c->curve_public, error) ||
      !take_text(o, "curve_secretkey", "", c->curve_secret,
                 sizeof c->curve_secret, error))
    return false;
  if (*c->key && !fs_seal_scheme(&seal, c->scheme))
    return refuse(error, "the signature scheme %s is not known: it is "
                         "hmac-sha256 or hmac-sha512", c->scheme);
  if (!*c->key && !keyless)
    return refuse(error, "the connection file has no key: anybody who reaches "
                         "the port could run code (--no-key allows it)");
  size_t a = strlen(c->curve_public), b = strlen(c->curve_secret);
  if (!a && !b) return true;
  c->curve = a == 40 && b == 40;
  return c->curve ||
         refuse(error, "the connection file wants both curve keys, of 40 "
                       "characters each");
}

bool fs_connection_read(const char *path, bool keyless,
                        struct fs_connection *out, struct fs_str *error) {
  struct fs_str text = {0};
  *out = (struct fs_connection){.curve = false};
  if (!read_all(path, &text, error)) {
    fs_str_free(&text);
    return false;
  }
  json_t *o = fs_json_read(fs_str_text(&text), text.len);
  fs_str_free(&text);
  if (!o) return refuse(error, "%s is not a connection file", path);
  bool ok = take_text(o, "transport", "tcp", out->transport,
                      sizeof out->transport, error) &&
            take_text(o, "ip", "127.0.0.1", out->ip, sizeof out->ip, error);
  if (ok && strcmp(out->transport, "tcp") && strcmp(out->transport, "ipc"))
    ok = refuse(error, "the connection file's transport is neither tcp nor ipc");
  ok = ok && take_ports(o, out, error) && take_keys(o, keyless, out, error);
  json_decref(o);
  return ok;
}

void fs_connection_endpoint(const struct fs_connection *c,
                            enum fs_channel channel, struct fs_str *out) {
  bool ipc = !strcmp(c->transport, "ipc");
  if (c->registration_port && !c->port[channel])
    fs_str_printf(out, "%s://%s:*", c->transport, c->ip);
  else
    fs_str_printf(out, "%s://%s%c%d", c->transport, c->ip, ipc ? '-' : ':',
                  c->port[channel]);
}
