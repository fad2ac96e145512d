/* comms.h - the comms by which a front end asks about plans and chooses among them: those of
 * the target `fusible.plan` (docs/jupyter.md, "Comms"). A message is command lines of the
 * session; what these answer goes back over the comm. */
#ifndef FS_JUPYTER_COMMS_H
#define FS_JUPYTER_COMMS_H

#include "jupyter/server.h"

#define FS_PLAN_TARGET "fusible.plan"

struct fs_comm {
  char *id;            /* owned                                          */
  char owner[40];      /* of the plan: fs_comms_owner() when it was opened */
  int block;           /* which the plan is of, as the user counts blocks */
};
struct fs_comms { FS_VEC(struct fs_comm) list; };

/* Whose blocks a plan is of: the kernel's session and the worker's process. It is in each
 * plan that is shown, for a notebook may have plans of kernels before. */
void fs_comms_owner(const struct fs_server *s, char out[40]);

/* Takes a comm_open. NULL, or why it is closed again: the data of a comm_close, given.
 * *oldest: the id of one that had to go for it, given; else NULL. */
json_t *fs_comms_open(struct fs_comms *c, const struct fs_server *s, const json_t *content,
                      char **oldest);
void fs_comms_close(struct fs_comms *c, const char *id);
/* NULL: there is none. Borrowed until the next change. */
const struct fs_comm *fs_comms_find(const struct fs_comms *c, const char *id);
/* comm_info_reply's content: of all, or of those of a target. Given. */
json_t *fs_comms_info(const struct fs_comms *c, const json_t *content);
void fs_comms_free(struct fs_comms *c);

/* -- a message ----------------------------------------------------------------- */

/* One that runs: its command lines, and what they have said so far. */
struct fs_choice {
  void *port;
  const struct fs_request *request; /* borrowed until the end            */
  char *comm;
  json_t *does, *id;                /* `do` and `id` of the message      */
  char owner[40];
  FS_VEC(char *) lines;
  int at;                           /* the line that runs                */
  bool data;                        /* the last line answers with JSON   */
  struct fs_str text;
  json_t *plan, *error;
};

/* Reads a comm_msg. False: what is wrong with it was published. In both cases free it. */
bool fs_choice_begin(struct fs_choice *c, const struct fs_comms *comms, void *port,
                     const struct fs_request *request);
/* The next line to evaluate, or NULL behind the last, and after an error. Borrowed. */
const char *fs_choice_next(struct fs_choice *c, const struct fs_server *s);
void fs_choice_event(struct fs_choice *c, const json_t *event);
/* What a line came to. */
void fs_choice_took(struct fs_choice *c, enum fs_result result);
/* Publishes the answer. */
void fs_choice_end(struct fs_choice *c);
void fs_choice_free(struct fs_choice *c);

#endif
