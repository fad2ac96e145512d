/* internal.h - the front's side of a worker; core/worker only.
 *
 *   worker.c          life, requests, the loop
 *   rebuild.c  what happens after a death
 *   wire.c     frames
 */
#ifndef FS_WORKER_INTERNAL_H
#define FS_WORKER_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "core/worker/journal.h"
#include "core/session/internal.h"
#include "core/worker/worker.h"
#include "core/worker/wire.h"

enum fs_worker_phase {
  FS_WORKER_STARTING,  /* until it is ready                                  */
  FS_WORKER_REPLAYING, /* the journal; `next` is the entry that runs         */
  FS_WORKER_IDLE,
  FS_WORKER_RUNNING,   /* the request                                        */
  FS_WORKER_FAILED     /* none can be started: every request fails           */
};

/* Why a worker is no more. */
enum fs_worker_cause {
  FS_CAUSE_DIED, FS_CAUSE_LOST, FS_CAUSE_RANK, FS_CAUSE_STUCK, FS_CAUSE_BROKEN
};

/* What the user asked for. */
struct fs_request {
  bool on;
  enum fs_entry_kind kind;
  struct fs_entry *entry; /* until the journal has it                  */
  int sent;               /* how often, each time to another worker    */
  bool started;           /* the worker has begun                      */
  bool ended;             /* it is lost, and ends when all is in order */
  double began;
};

/* Of the rebuilding that goes on. */
struct fs_rebuild {
  bool on;
  int next;               /* index in the journal                      */
  int restarts, replayed;
  int left_out;           /* since it was cancelled                    */
  double began, told;
  double done_seconds;    /* of the replayed inputs, when they ran first */
  bool cancelled;
  struct fs_str missing;  /* ", x, k (<repl:7> was interrupted)"       */
  json_t *changed;        /* names that are not as they were, as keys  */
  json_t *functions;      /* of fs_journal_functions()                 */
};

struct fs_worker {
  struct fs_worker_config config;
  char *program, *target;
  _Atomic pid_t pid;
  struct fs_wire wire;
  int pipes[2];                /* reading ends of the worker's stdout, stderr */
  int epoll, wake, timer;
  struct fs_session *mirror;
  json_t *memory, *random;
  json_t *pins;                /* of kernels, as the worker told them last; NULL:
                                  there were never any                       */
  enum fs_worker_phase phase;
  char *error;                 /* why it cannot start */
  struct fs_journal journal;
  struct fs_request request;
  struct fs_rebuild rebuild;
  enum fs_result result;
  int in_vain;                 /* workers, one after the other, that ended
                                  before they had done anything            */
  FS_VEC(struct fs_past_input) history;
  atomic_bool interrupt;       /* asked for, and not seen yet             */
  double interrupted;          /* when the running input was; 0: it was not */
  bool served;                 /* this worker began an input              */
  bool asking;                 /* an event "ask" waits for its answer     */
};

/* -- worker.c ---------------------------------------------------------------- */

void fs_worker_emit(struct fs_worker *w, json_t *gives);
void fs_worker_say(struct fs_worker *w, const char *severity, const char *id,
                   const char *message, const char *hint);
bool fs_worker_spawn(struct fs_worker *w);
/* Ends the process, takes its status and what it had still written. */
int fs_worker_reap(struct fs_worker *w);
/* Sends an entry of the journal, or the request. */
void fs_worker_send(struct fs_worker *w, const struct fs_entry *e, bool replay);
/* Starts what waits, or ends the request that was lost. */
void fs_worker_go_on(struct fs_worker *w);
void fs_worker_end_request(struct fs_worker *w, enum fs_result result,
                           const json_t *done);
/* The same for one that no worker has begun. */
void fs_worker_end_interrupted(struct fs_worker *w);
void fs_worker_take_state(struct fs_worker *w, const json_t *state);

/* -- rebuild.c -------------------------------------------------------- */

/* Starts one again after it was given up. */
void fs_worker_retry(struct fs_worker *w);
/* No session will come: why, as a sentence. */
void fs_worker_fail(struct fs_worker *w, const char *words);
/* The worker is gone, or is to go. */
void fs_worker_lost(struct fs_worker *w, enum fs_worker_cause cause);
/* A new worker is ready, or an entry was replayed: the next one, or the end. */
void fs_rebuild_begin(struct fs_worker *w);
void fs_rebuild_replayed(struct fs_worker *w, int result, const json_t *state);

#endif
