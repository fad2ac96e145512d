/* tour.h - `:tour` at a terminal: each line is typed for the user. */
#ifndef FS_TOUR_H
#define FS_TOUR_H

#include "core/session/session.h"

/* Whether an entry is `:tour`. */
bool fs_is_tour(const char *entry);
void fs_tour_begin(struct fs_session *session);
/* Behind an entry that was run: the next step, or the same once more if that was another
 * text. Nothing while there is no tour. */
void fs_tour_go_on(struct fs_session *session, const char *entry);

#endif
