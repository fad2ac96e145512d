/* term.h - the terminal: what it can, signals, putting it back in order. */
#ifndef FS_TERM_H
#define FS_TERM_H

#include <stdio.h>

#include "core/base/base.h"
#include "core/session/session.h"
#include "core/view/view.h"
#include "core/worker/worker.h"
#include "repl/options.h"

/* Takes the locale, remembers the terminal's state and installs the handlers:
 * the Ctrl-C ladder, and for signals that kill, one that restores first. */
void fs_term_init(const struct fs_options *options);

/* What output to `stream` may use. Colour: --color, then NO_COLOR, then
 * CLICOLOR_FORCE or FORCE_COLOR, then a terminal that is not "dumb". */
struct fs_look fs_term_look(FILE *stream);
int fs_term_rows(void);

/* What SIGINT means now. */
enum fs_term_mode {
  FS_TERM_IDLE,   /* leave with 130                                          */
  FS_TERM_PROMPT, /* fs_term_wait() tells it                                 */
  FS_TERM_RUN,    /* first: stop the input; then a warning; then leave, 130  */
  FS_TERM_PAGER   /* the pager's business                                    */
};
/* What runs: in a worker, if there is one. */
struct fs_term_job {
  struct fs_session *session;
  struct fs_worker *worker;
};
/* Gives the former mode. FS_TERM_RUN starts the ladder anew; `job` is used in
 * that mode only, and copied. */
enum fs_term_mode fs_term_set_mode(enum fs_term_mode mode,
                                   const struct fs_term_job *job);
/* FS_TERM_PROMPT for a question amid what runs; to be called before it is shown. A
 * Ctrl-C that came before it while the input ran is its answer. */
enum fs_term_mode fs_term_begin_question(void);

/* How the terminal hands on what is typed. Ctrl-D in a line is a mark in its queue,
 * not a byte, and is lost when bytes are read before it comes to be taken: where
 * somebody edits lines himself, keys stay keys also while nobody reads them. */
enum fs_term_input {
  FS_TERM_LINES,  /* as at the start: whole lines, which it edits and echoes */
  FS_TERM_SECRET, /* lines without echo                                      */
  FS_TERM_KEYS,   /* each key as it is typed, echoed; signals stay signals,
                     and reading never waits: what is ready may be dropped
                     at Ctrl-C before it is read                             */
  FS_TERM_UNSEEN  /* keys without echo                                       */
};
/* False if it cannot be done, and at what is no terminal. */
bool fs_term_set_input(enum fs_term_input input);
enum fs_term_input fs_term_input(void);
/* For who has set the terminal himself: reading does not wait either. */
void fs_term_never_wait(void);
/* The terminal is ours now: this job is not in the background. */
bool fs_term_in_front(void);

/* What a terminal that edits lines would make of a byte; of a file all is text. A
 * byte that was typed before it came to do so is as it was typed: Enter is CR. */
enum fs_term_edit {
  FS_TERM_TEXT, FS_TERM_ENTER, FS_TERM_ERASE, FS_TERM_KILL, FS_TERM_END
};
enum fs_term_edit fs_term_edit(char c);

/* Waits for a key (to be read by fs_keys_read()) or a signal while at the prompt. */
enum fs_term_event {
  FS_TERM_KEY, FS_TERM_INTERRUPT, FS_TERM_RESIZE, FS_TERM_STOP
};
enum fs_term_event fs_term_wait(void);
/* Stops this process as Ctrl-Z asks; returns when it goes on. */
void fs_term_stop(void);

/* Prints the text, through the pager if it is longer than the screen and both
 * standard input and output are a terminal. */
void fs_term_page(const char *text);
/* Appends the text with lines of `width` columns at most, cut at blanks. What follows goes
 * on below the last column of a table, or two columns behind the line's first word. */
void fs_term_wrap(const char *text, int width, struct fs_str *out);
/* The same of prose: a line that is too long goes on in the next one, below its first word. */
void fs_term_wrap_prose(const char *text, int width, struct fs_str *out);

#endif
