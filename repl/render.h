/* render.h - turns the session's events into text on stdout and stderr, or
 * into JSON lines. */
#ifndef FS_RENDER_H
#define FS_RENDER_H

#include <jansson.h>

#include "core/session/session.h"
#include "repl/options.h"

struct fs_render;

/* Gives a renderer, to be named as `user` of fs_render_event(). */
struct fs_render *fs_render_new(const struct fs_options *options);
void fs_render_free(struct fs_render *r);
/* The session whose settings decide how plans are shown. Borrowed. */
void fs_render_attach(struct fs_render *r, struct fs_session *session);

/* How what an input gives is read: in the pager if it is long, its lines cut at words, as prose,
 * of which a line that is too long goes on in the next one. */
enum { FS_READ_PAGED = 1, FS_READ_WRAPPED = 2, FS_READ_PROSE = 4 };

/* Plans go to stderr in a script, to stdout at the prompt. */
enum fs_render_mode { FS_RENDER_SCRIPT, FS_RENDER_PROMPT };
/* Brackets the evaluation of one input. */
void fs_render_begin(struct fs_render *r, enum fs_render_mode mode, unsigned reading);
void fs_render_end(struct fs_render *r);

void fs_render_event(void *user, const json_t *event);
/* Whether something could not be shown for want of memory. */
bool fs_render_lost(const struct fs_render *r);

/* A failure that the session cannot tell itself: "fusible: ..." on stderr, or
 * a diagnostic event with --json. */
void fs_render_failure(struct fs_render *r, const char *id, const char *fmt,
                       ...) FS_PRINTF(3, 4);

#endif
