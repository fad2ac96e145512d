/* server.h - the parts of a running kernel, one thread each:
 *
 *   main      signals; the end                                    (main.c)
 *   shell     ROUTER shell and stdin, and the worker, in which the
 *             session lives: inputs, completion, help, history    (shell.c)
 *   control   ROUTER control: interrupt, shutdown, usage          (control.c)
 *   iopub     XPUB: the only one that publishes                   (iopub.c)
 *   heart     echoes                                              (main.c)
 *   guard     watches what peers send and do not read             (guard.c)
 *
 * What they have in common is in server.c.
 * A socket has one owner. Threads speak over inproc sockets, which carry
 * pointers; what is pointed to then belongs to the receiver.
 */
#ifndef FS_JUPYTER_SERVER_H
#define FS_JUPYTER_SERVER_H

#include <zmq.h>

#include "core/worker/worker.h"
#include "jupyter/connection.h"
#include "jupyter/message.h"

struct fs_server {
  void *zmq;                 /* the context: of all threads */
  struct fs_seal seal;
  struct fs_connection connection;
  void *socket[FS_CHANNELS]; /* each its thread's           */
  const char *target;        /* "auto", "cpu", "cuda:1"     */
  int threads;
  bool persistent;           /* history goes to its file    */
  size_t output_limit;       /* bytes of text an input may print */
  pthread_mutex_t worker_lock; /* held while one thread uses `worker` and while the
                                  shell thread takes it away                */
  struct fs_worker *worker;  /* the shell thread's; NULL: there is none     */
  pthread_t main;            /* the thread that waits for signals */
  atomic_bool stopping;      /* a shutdown was answered     */
  atomic_int dropped;        /* messages since the last line about it */
  struct fs_guard *guard;
};

/* -- messages (net.c) -------------------------------------------------------- */

/* Tells a launcher the ports that were bound (register.c). False: it does not
 * answer, or is not who it should be. */
bool fs_register(struct fs_server *s);
/* The socket of a channel with all its options, not bound yet. NULL with a sentence. */
void *fs_net_open(struct fs_server *s, enum fs_channel channel, struct fs_str *error);
/* Binds it; the guard is there before. False with a sentence. */
bool fs_net_bind(struct fs_server *s, enum fs_channel channel, struct fs_str *error);
/* A socket of this thread to an inproc address; ends with the context. */
void *fs_net_inproc(struct fs_server *s, int type, const char *address,
                    bool bind);

/* A request: kept until it is answered. */
struct fs_request {
  FS_VEC(struct fs_part) ids; /* owned */
  char *header;                /* as it came, for parent_header */
  size_t header_len;
  char *type;
  json_t *content, *metadata;
  char *session;               /* the client's, from the header; "" */
  char *subshell;              /* that it is for; "": the parent shell */
  int64_t sent, received;      /* milliseconds since 1970, by the client's clock (-1: it
                                  does not say) and by ours */
};
void fs_request_free(struct fs_request *r);

/* A descriptor that is readable when it is time to ask fs_net_ready(), which says
 * whether a message waits; it is not readable again until that was false. */
int fs_net_fd(void *socket);
bool fs_net_ready(struct fs_server *s, void *router);

enum fs_received { FS_GOT, FS_NOTHING, FS_DROPPED, FS_CLOSED };
/* Takes the next message if one waits. FS_DROPPED: it was not for us. */
enum fs_received fs_net_receive(struct fs_server *s, void *socket,
                                struct fs_request **gives);

/* Sends an answer (or an input_request) to where the request came from. False: on
 * stdin, where a client has nothing to say first, nobody has its routing id. */
bool fs_net_reply(struct fs_server *s, void *socket,
                  const struct fs_request *to, const char *type,
                  json_t *gives_content, json_t *gives_metadata);

/* Pointers over inproc. Receive: NULL when nothing waits. */
void fs_net_pass(void *socket, void *pointer);
void *fs_net_take(void *socket, bool wait);

/* Takes a message off a socket, of at most `most` frames; those above are read and
 * forgotten, and n is most + 1. FS_NOTHING: none waits. */
struct fs_frames {
  zmq_msg_t message[FS_SEAL_FRAMES];
  int n, fd;                 /* and the descriptor of its connection */
  size_t bytes;              /* of all frames */
};
enum fs_received fs_net_take_frames(struct fs_server *s, void *socket, int most,
                                    struct fs_frames *out);
void fs_net_drop_frames(struct fs_frames *f);

/* -- connections (guard.c) ---------------------------------------------------- */

/* Before the sockets are bound: is told of all their connections. */
bool fs_guard_open(struct fs_server *s);
void fs_guard_free(struct fs_server *s);
/* A message was taken whole from the connection with this descriptor. */
void fs_guard_took(struct fs_server *s, int fd, size_t bytes, int frames);
/* Whether there is time to check the signature of so many bytes. There is for who has
 * signed a message before; all others have a share. */
bool fs_guard_may_check(struct fs_server *s, int fd, size_t bytes);
/* It was signed. */
void fs_guard_proven(struct fs_server *s, int fd);
/* It was not. Who has signed none before is cut off. */
void fs_guard_not_ours(struct fs_server *s, int fd);
/* Whether a client has just gone, or is about to: then its routing id may be asked for
 * by the same one again before the library has let go of it. */
bool fs_guard_leaving(struct fs_server *s);
/* Who has shown no signed message on a channel is to go, and may come again: somebody
 * there may have, or be without, the routing id of a client. */
void fs_guard_clear(struct fs_server *s, enum fs_channel channel);
/* So many bytes went to every subscriber. */
void fs_guard_published(struct fs_server *s, size_t bytes);
void *fs_guard_run(void *server);

/* -- publishing (iopub.c) ---------------------------------------------------- */

/* This thread's way to the publisher. */
void *fs_iopub_port(struct fs_server *s);
/* `parent` may be NULL; it is copied. metadata NULL: {}. */
void fs_publish(void *port, const struct fs_request *parent, const char *type,
                json_t *gives_content, json_t *gives_metadata);
/* Text of a stream; pieces that follow each other become one message. */
void fs_publish_text(void *port, const struct fs_request *parent,
                     const char *stream, const char *text, size_t len);
void fs_publish_status(void *port, const struct fs_request *parent,
                       const char *state);
/* Returns when all that was published through this port has left. */
void fs_publish_flush(void *port);

/* -- threads ----------------------------------------------------------------- */

void *fs_iopub_run(void *server);
void *fs_shell_run(void *server);
void *fs_control_run(void *server);

/* kernel_info_reply's content. Gives. */
json_t *fs_kernel_info(void);
/* One sentence on the log, with the program's name. */
void fs_log(const char *fmt, ...) FS_PRINTF(1, 2);
/* Says once that the signatures that were seen are not kept for a restart, if so. */
void fs_log_unkept(struct fs_server *s);

/* What control asks of the shell thread, and gets the answer in. */
enum fs_question { FS_ASK_STATE, FS_ASK_STOP, FS_ASK_NEW_SUBSHELL, FS_ASK_NO_SUBSHELL,
                   FS_ASK_SUBSHELLS };
#define FS_SHELL_DOOR "inproc://shell"
struct fs_query {
  enum fs_question what;
  const char *subshell;      /* FS_ASK_NO_SUBSHELL: which one goes; borrowed */
  json_t *answer;            /* FS_ASK_STATE: {"variables","memory","pid"}; of subshells a
                                reply's content; NULL when the session is over */
};

/* Makes the worker known to the other threads; NULL before it is freed. */
void fs_server_set_worker(struct fs_server *s, struct fs_worker *w);
/* Interrupts the running input, if there still is a worker. From any thread. */
void fs_server_interrupt(struct fs_server *s);

/* The session ends: everything is told to stop. Wakes main. */
void fs_server_stop(struct fs_server *s);

#endif
