/* progress.h - one line on stderr while something takes longer than 2 s, and
 * the lock under which everything else is written, so that the two never mix.
 * A helper thread draws it; there is none when stderr is no terminal. */
#ifndef FS_PROGRESS_H
#define FS_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

void fs_progress_init(bool enabled);
void fs_progress_begin(void); /* an input starts to run             */
void fs_progress_end(void);   /* it ended; the line is wiped        */
/* What is being done; `done` in 0..1, or negative if not known. */
void fs_progress_note(const char *what, double done);

/* What runs now is expected to take so long from here on; not a number: that is over. */
void fs_progress_expect(double seconds);

/* All output while an input runs goes through here: the line is wiped, and
 * drawn again later, but only when the text ended a line. */
void fs_progress_write(FILE *out, const char *text, size_t len);

#endif
