/* worker.h - a session in a process of its own, that survives its faults.
 *
 * A device fault or an endless kernel cannot be undone inside a process, so an
 * interactive front end keeps none of it: the session (session.h) runs in a
 * worker, and the front holds what does not break: a socket to it, a journal of
 * the inputs that made the session what it is, and a mirror, which is a session
 * without a device that knows the worker's names and answers questions at once.
 *
 *   front                                    worker (fusible --worker)
 *   fs_worker_eval() ── request ──────────▶  fs_session_eval()
 *   on_event()       ◀─ events, state ─────  + stdout and stderr of libraries
 *
 * When the worker dies, or its device is lost, or it does not answer an
 * interrupt within FS_WORKER_PATIENCE seconds, the front says so in one sentence,
 * starts another one, and replays the journal: the next input works. Events of
 * all this go to on_event() like the others (docs/events.md, "worker").
 *
 * All calls from one thread, except fs_worker_interrupt(). The thread that made
 * the worker must live as long as it does: the worker dies with that thread.
 */
#ifndef FS_WORKER_H
#define FS_WORKER_H

#include "core/session/session.h"

#define FS_WORKER_PATIENCE 2.0 /* seconds */

struct fs_worker;

struct fs_worker_config {
  const char *program;   /* to start; NULL: this very program                 */
  const char *target;    /* as in fs_session_config; copied                   */
  int threads;
  fs_event_fn *on_event; /* called inside fs_worker_pump() and _wait() only   */
  void *user;
  /* With `:set rebuild ask`: whether to replay `inputs` inputs that took about
   * `seconds` when they were run. NULL: yes. */
  bool (*ask_rebuild)(void *user, int inputs, double seconds);
};

/* Starts the process and does not wait for it. NULL with a sentence in *error
 * (static) when the system starts none. */
struct fs_worker *fs_worker_new(const struct fs_worker_config *config,
                                const char **error);
/* Ends the process, whatever it does, and takes its exit status. */
void fs_worker_free(struct fs_worker *w);

/* Waits until the session in the worker stands. False with a sentence in *error
 * (valid as long as w) when the target asked for is not there. Not needed: an
 * input waits by itself, and fails with that sentence. */
bool fs_worker_ready(struct fs_worker *w, const char **error);

/* -- inputs ---------------------------------------------------------------- */

/* Starts the evaluation of an input; arguments as of fs_session_eval(), copied.
 * False when another one is running. */
bool fs_worker_eval(struct fs_worker *w, const char *name, const char *text,
                    size_t len, unsigned flags);

/* Readable (poll, epoll) when fs_worker_pump() has something to do: output, an
 * answer, a death, a time that is up. The same descriptor as long as w. */
int fs_worker_fd(const struct fs_worker *w);

/* Does what is to be done, waiting up to `timeout_ms` (0: not at all; -1: as long
 * as it takes) for something to do; returns after each step. True while an input
 * is running. `done` is always the last event of an input. Call it also while
 * nothing runs: that is how a death between inputs is noticed and mended. */
bool fs_worker_pump(struct fs_worker *w, int timeout_ms);
bool fs_worker_busy(const struct fs_worker *w);
/* The outcome of the input that ended last. */
enum fs_result fs_worker_result(const struct fs_worker *w);

/* eval and pump until it is done. */
enum fs_result fs_worker_run(struct fs_worker *w, const char *name,
                             const char *text, size_t len, unsigned flags);

/* Any thread, any signal handler. The running input stops at the next safe point,
 * or the worker is replaced; nothing happens when none is running. */
void fs_worker_interrupt(struct fs_worker *w);
/* The process stops and goes on with its terminal (Ctrl-Z). Signal-safe. */
void fs_worker_pause(struct fs_worker *w, bool stopped);

/* As fs_session_define() and fs_session_set(); they wait for the answer. False
 * status FS_RESULT_ERROR also when an input is running. */
enum fs_result fs_worker_define(struct fs_worker *w, const char *name,
                                const char *value);
enum fs_result fs_worker_set(struct fs_worker *w, const char *name,
                             const char *value);

/* Answers an event "ask" of the running input (the language's ask()): what the
 * user typed, or NULL for the end of the input. False when nothing is asked. */
bool fs_worker_answer(struct fs_worker *w, const char *text);

/* -- answered at once, also while an input runs ------------------------------ */

/* The mirror: for fs_session_is_complete(), _complete(), _inspect(), _setting()
 * and _variables(). It knows the variables as of the end of the last input; each
 * also has "text", what ?name shows of it, up to 4 KiB, a function "source", and
 * "stamp", which changes with the value. Borrowed; nothing may be evaluated in
 * it. */
struct fs_session *fs_worker_session(struct fs_worker *w);

/* The same by name, without a copy: {"x": {...}}. Borrowed until the next pump. */
const json_t *fs_worker_variables(const struct fs_worker *w);

/* {"used": 4096, "kept": 0, "free": 1.0e9, "device": "NVIDIA H200"}, bytes, as of
 * the end of the last input; an empty object before the first. Borrowed. */
const json_t *fs_worker_memory(const struct fs_worker *w);

/* The process; 0 while there is none. */
int fs_worker_pid(const struct fs_worker *w);

/* -- the other side ---------------------------------------------------------- */

/* main() of the worker, for a program that was started with `--worker` as its
 * first argument: fs_worker_main(argc, argv). Gives the exit status. */
int fs_worker_main(int argc, char **argv);
/* The same for "--compiler": a process that compiles GPU kernels for another one. */
int fs_worker_compile(int argc, char **argv);

#endif
