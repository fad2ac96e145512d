/* session.h - all that a front end sees of Fusible.
 *
 * A session evaluates inputs and answers with a stream of events, each a JSON
 * object (docs/events.md):
 *
 *   {"event":"text","stream":"stdout","text":"..."}          print(), commands
 *   {"event":"value","name":"q","shape":[4],"dtype":"f32",
 *    "data":{"text/plain":"q = f32[4]\n  1  2  3  4"}}       a displayed value
 *   {"event":"plan","block":2,"kernels":[...],...}           after each block
 *   {"event":"progress","what":"...","done":0.4,"seconds":3.1}
 *   {"event":"diagnostic","severity":"error","id":"shape-mismatch",
 *    "source":"<repl:3>","line":1,"column":5,"message":"...","hint":"...",
 *    "rendered":"...the picture with carets..."}
 *   {"event":"done","status":"ok","seconds":0.01}            last of an input
 *
 * One thread at a time may call a session, except fs_session_interrupt().
 */
#ifndef FS_SESSION_H
#define FS_SESSION_H

#include "core/base/outcome.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct fs_session;

/* `event` is borrowed for the call. */
typedef void fs_event_fn(void *user, const json_t *event);

struct fs_session_config {
  const char *target;      /* "auto", "cpu", "cuda", "cuda:1"; NULL = auto    */
  int threads;             /* CPU target; 0 = all processors                  */
  fs_event_fn *on_event;
  void *user;
  /* Answers the language's ask(): a line that the user typed (from malloc), or
   * NULL at the end of the input; `secret`: not to be seen. To be left, with NULL,
   * when fs_interrupted(). No function: there is nobody to ask. */
  char *(*ask)(void *user, const char *prompt, bool secret);
};

/* Never fails for want of a GPU: with target "auto" the CPU is taken. The CUDA
 * context is made on first use. NULL with a sentence in *error (static or given
 * for the life of the process) when the target asked for is not there. */
struct fs_session *fs_session_new(const struct fs_session_config *config,
                                  const char **error);
void fs_session_free(struct fs_session *s);

/* Several processes that run one program (core/ranks): joins those that `mpirun` started with
 * this one, before anything else; false with a sentence. Whether this one follows another: then
 * its main() is fs_session_follow(), which gives an exit code; started: by a session whose target
 * names several devices ("cpu:0-3"), as `program --rank`. */
bool fs_session_join(const char **error);
bool fs_session_follows(void);
bool fs_session_joined(void); /* others */
int fs_session_follow(bool started);

/* Evaluates `text`; `name` is what messages call it ("<repl:12>", "a.fs").
 * For *FS_RESULT_QUIT* the user asked to leave (:quit); *FS_RESULT_RETURNED*, for
 * FS_EVAL_PART only: all went well, and a `return` has ended the script. */
enum fs_result fs_session_eval(struct fs_session *s, const char *name,
                               const char *text, size_t len, unsigned flags);

enum fs_completeness { FS_COMPLETE, FS_NEEDS_MORE, FS_INVALID };
/* By the real parser. *indent: spaces for the next line when more is needed. */
enum fs_completeness fs_session_is_complete(struct fs_session *s,
                                            const char *text, size_t len,
                                            int *indent);

/* Completions at byte offset `cursor`: an array of {"text","type","doc"}, plus
 * the byte range they replace. Given: the caller decrefs. type: "variable",
 * "function", "command", "keyword", "type", "option", "path". */
json_t *fs_session_complete(struct fs_session *s, const char *text, size_t len,
                            size_t cursor, size_t *begin, size_t *end);

/* Help on the name at the cursor: {"found":bool,"text/plain":"..."}. Given. */
json_t *fs_session_inspect(struct fs_session *s, const char *text, size_t len,
                           size_t cursor, int detail);

/* The user's variables and functions in the order of their names, for a variable
 * pane: an array of
 *   {"name":"A","kind":"tensor","type":"f32[4096\u00d74096]","shape":[4096,4096],
 *    "dtype":"f32","bytes":67108864,"state":"stored","where":"cuda","value":null}
 * state: "stored", "virtual" (computed when it is read), "lost"; "where" is null
 * unless stored, and "host" for what is no tensor; "value": one short line, null
 * for arrays that are not short. Nothing is computed. Given; NULL without memory. */
json_t *fs_session_variables(struct fs_session *s);

/* Defines a variable from text, as on the command line: n=8192, A=a.npy. */
enum fs_result fs_session_define(struct fs_session *s, const char *name,
                                 const char *value);
/* Scripts are over: a warning for each such variable that nothing has read. */
enum fs_result fs_session_check_defined(struct fs_session *s);

/* Async-signal-safe: the running input stops at the next safe point. */
void fs_session_interrupt(struct fs_session *s);

/* The same as `:set name value`, without output: "width", "ascii", "digits" ... */
enum fs_result fs_session_set(struct fs_session *s, const char *name,
                              const char *value);

/* :set settings, by name: "plan" "line|box|off", "learn", ... Borrowed text or
 * NULL if there is none of that name. */
const char *fs_session_setting(struct fs_session *s, const char *name);

/* Step k of the tour for newcomers, for this session's device: what is said before it (static),
 * and what is typed, appended. False behind the last, when fs_tour_end is said. */
struct fs_str;
bool fs_session_tour(struct fs_session *s, int k, const char **words, struct fs_str *input);
extern const char fs_tour_end[];

/* Whether "graph,plan" is a list of stages that `:set dump` and --dump take; then
 * *stages has a bit for each. */
bool fs_dump_parse(const char *words, unsigned *stages);

#endif
