/* answers.h - requests that are answered from the mirror of the session, at once,
 * whatever runs. Each takes a request's content and gives the reply's. */
#ifndef FS_JUPYTER_ANSWERS_H
#define FS_JUPYTER_ANSWERS_H

#include <jansson.h>

#include "core/worker/worker.h"

json_t *fs_answer_complete(struct fs_worker *w, const json_t *content);
json_t *fs_answer_inspect(struct fs_worker *w, const json_t *content);
json_t *fs_answer_is_complete(struct fs_worker *w, const json_t *content);

#endif
