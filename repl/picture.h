/* picture.h - plots as pictures, on terminals that show some. */
#ifndef FS_PICTURE_H
#define FS_PICTURE_H

#include <stdbool.h>

/* Shows an SVG picture on the terminal that is standard output, in the way that
 * `how` (the setting `pictures`) names. "auto" asks the terminal what it can, once,
 * if `may_ask`: what is typed meanwhile is kept for fs_keys_read(), so somebody must
 * go on to read there. False if it cannot be shown, and text is to be instead. */
bool fs_picture_show(const char *svg, const char *how, bool may_ask);

/* After a question that was not answered in time the terminal does not echo, so
 * that the answer stays unseen. To be called when an input is over, and before the
 * user is asked for something: it echoes again. */
void fs_picture_settle(void);

#endif
