/* keys.h - what comes from the keyboard. A terminal that was asked something
 * answers on the same line: its answers are picked out from between the keys,
 * whenever they come, and keys that came while an answer was awaited are kept for
 * whoever reads next. All of the prompt reads through here.
 *
 *   asked:    \033_Gi=31,...,a=q;AAAA\033\\  \033[16t  \033[c
 *   answered: \033_Gi=31;OK\033\\  \033[6;20;10t  \033[?62;4c
 */
#ifndef FS_KEYS_H
#define FS_KEYS_H

#include <sys/types.h>

#include "core/base/base.h"

/* What a terminal said of itself. */
struct fs_answers {
  bool done;         /* the answer that comes last has come               */
  bool kitty, sixel; /* it shows pictures sent in this way                */
  int cell_width, cell_height; /* pixels of a character; 0: it did not say */
};
const struct fs_answers *fs_keys_answers(void);

/* Questions were sent: from now on answers are looked for, until the last one has
 * come, or so long that none will. */
void fs_keys_await(void);
bool fs_keys_awaited(void);

/* Takes bytes as they came. Whole answers are read and go no further; what may
 * yet become one is held back; the rest are keys. False if there is no room for
 * more. */
bool fs_keys_feed(const char *bytes, size_t len);
/* Milliseconds until what is held back has to be taken for keys, since nobody sends
 * an answer in pieces so slowly; -1 if nothing is held back. */
int fs_keys_patience(void);
void fs_keys_release(void); /* it is keys */

/* Reads what standard input has, which must be ready, and feeds it; while no answer
 * is awaited only one byte, since what stays with the terminal is dropped by it at
 * Ctrl-C. False if nothing more can come: at the end, and without room. That nothing
 * came is neither: the terminal may have dropped it. */
bool fs_keys_fetch(void);
/* Drops the keys that were kept, as a terminal does at Ctrl-C. */
void fs_keys_drop(void);
/* There are keys, or the end of the input, for fs_keys_read(). */
bool fs_keys_waiting(void);
/* As read(2) of standard input: waits for at least one key. Without answers that
 * are awaited and keys that were kept it is that, also for files and pipes. */
ssize_t fs_keys_read(char *out, size_t size);

#endif
