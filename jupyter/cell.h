/* cell.h - the events of one input as messages on IOPub, and its reply. */
#ifndef FS_JUPYTER_CELL_H
#define FS_JUPYTER_CELL_H

#include "jupyter/server.h"

struct fs_cell_plan;

struct fs_cell {
  struct fs_server *s;
  void *port;
  const struct fs_request *request; /* borrowed until the end     */
  bool silent;                      /* nothing is published       */
  bool paged;                       /* text goes to the pager     */
  bool notebook;                    /* it comes from a cell of one */
  bool live;           /* whoever sent it replaces what it shows  */
  int count;                        /* its number, for In[n]      */
  json_t *held;        /* a value; the last one is the result     */
  struct fs_str pages;
  json_t *traceback;   /* NULL while there was no error           */
  char *ename, *evalue;
  size_t printed, swallowed; /* bytes of text: sent, above the limit */
  int outputs;         /* of those that a notebook counts         */
  FS_VEC(struct fs_cell_plan *) plans;
  double progress_at;  /* when it was last shown; 0: never        */
  char progress[96], progressed[64]; /* as it is shown; without its phase and share */
  double expected, launched; /* seconds that what runs now is expected to take, since
                          when; 0: nothing long runs          */
  double told_at;      /* when that was last shown; 0: not yet   */
  bool has_line;       /* a line of its own was shown            */
  struct fs_cell_plan *running; /* the plan that shows it; NULL: a line of its own */
  char *result;        /* text of the last value, for the history */
};

/* `request` has the code; nothing is published yet. */
void fs_cell_begin(struct fs_cell *c, struct fs_server *s, void *port,
                   const struct fs_request *request, int count);
void fs_cell_event(struct fs_cell *c, const json_t *event);
/* Milliseconds until fs_cell_tick() has something to show; -1: nothing waits. */
int fs_cell_wait(const struct fs_cell *c);
void fs_cell_tick(struct fs_cell *c);
/* An error that the session did not tell. */
void fs_cell_fail(struct fs_cell *c, const char *ename, const char *evalue);
/* Publishes what is left, or the error. Gives the reply's content; *failed tells
 * what it says. */
json_t *fs_cell_end(struct fs_cell *c, enum fs_result result, bool *failed);
void fs_cell_free(struct fs_cell *c);

#endif
