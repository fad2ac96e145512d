/* history.h - the inputs of this session and of those before it, from the same
 * file as the prompt's (repl/history.c). For the shell thread alone. */
#ifndef FS_JUPYTER_HISTORY_H
#define FS_JUPYTER_HISTORY_H

#include <jansson.h>

#include "core/base/base.h"

void fs_past_open(bool persistent);
void fs_past_close(void);

/* Remembers an input under its number, if it is not longer than FS_HISTORY_LONGEST;
 * `output` may be NULL. Both are copied. `typed`: by a person, so that it goes to the
 * file; what nbconvert and papermill run does not. */
void fs_past_add(int number, const char *text, const char *output, bool typed);

/* The content of a history_reply. Gives. What the file held before is session 1,
 * numbered from 1; this session is 2. */
json_t *fs_past_answer(const json_t *request);

#endif
