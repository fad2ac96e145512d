/* line.h - reads entries: Readline on a terminal, plain lines elsewhere. */
#ifndef FS_LINE_H
#define FS_LINE_H

#include "core/base/base.h"
#include "core/session/session.h"
#include "repl/options.h"

struct fs_line;

/* Whether Readline edits the entries, rather than the terminal. */
bool fs_line_is_edited(const struct fs_options *options);

struct fs_line *fs_line_new(struct fs_session *session,
                            const struct fs_options *options);
void fs_line_free(struct fs_line *line); /* also trims the history file */

/* The next entry begins with this text, as if it had been typed; where lines are edited. */
void fs_line_offer(const char *text);
/* Whether the last entry was given up by Ctrl-C. */
bool fs_line_was_cancelled(void);

/* Reads one entry: lines until the parser says that they are complete, or a
 * pasted block. False at the end of input (Ctrl-D on an empty line). */
bool fs_line_read(struct fs_line *line, struct fs_str *entry);

/* Takes a pasted transcript apart: if a line of `text` starts with the prompt,
 * appends only the lines that do, without it; else all of the text. */
void fs_line_strip_prompts(const char *text, bool continued,
                           struct fs_str *out);

/* -- history.c ------------------------------------------------------------- */

enum { FS_HISTORY_LONGEST = 64 << 10 }; /* bytes of an entry */

/* Reads the history file, or sets history up without one (`persistent` off,
 * or no place for it). */
void fs_history_open(bool persistent);
/* Nothing that is blank, longer than FS_HISTORY_LONGEST or the same as the last. */
void fs_history_add(const char *entry);
void fs_history_close(void);
/* The k-th entry from the oldest, borrowed; NULL behind the last. */
const char *fs_history_at(int k);

/* -- complete.c ------------------------------------------------------------ */

/* Binds Tab. `pending` holds the earlier lines of the entry being typed. */
void fs_complete_init(struct fs_session *session,
                      const struct fs_str *pending);

#endif
