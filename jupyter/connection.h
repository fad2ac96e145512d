/* connection.h - the connection file: where to listen, and the keys. */
#ifndef FS_JUPYTER_CONNECTION_H
#define FS_JUPYTER_CONNECTION_H

#include "core/base/base.h"

enum fs_channel { FS_SHELL, FS_IOPUB, FS_STDIN, FS_CONTROL, FS_HEART,
                  FS_CHANNELS };

struct fs_connection {
  char transport[8];        /* "tcp", "ipc"                  */
  char ip[256];             /* or the path of ipc            */
  int port[FS_CHANNELS];    /* or the number after the path  */
  int registration_port;    /* not 0: a launcher is told the ports */
  char registration_ip[256], kernel_id[128];
  char key[257], scheme[32];
  bool curve;               /* both keys below are there     */
  char curve_public[41], curve_secret[41]; /* Z85 */
};

/* Reads and checks the file: a regular one of this user's that nobody else can
 * write, a known scheme, ports in range, both curve keys or none. An empty key is
 * refused unless `keyless`. False with one sentence in *error. */
bool fs_connection_read(const char *path, bool keyless,
                        struct fs_connection *out, struct fs_str *error);

/* "tcp://127.0.0.1:5555", "ipc:///run/x-1" */
void fs_connection_endpoint(const struct fs_connection *c,
                            enum fs_channel channel, struct fs_str *out);

#endif
